# SPDX-License-Identifier: Apache-2.0
# Copyright the footfall authors
"""Sweeps."""

import numpy as np
import pytest

import footfall

MU = "pairs[0].friction.mu"


def test_a_sweep_is_its_runs(scenes):
    rolling = scenes / "rolling.yaml"
    table = footfall.sweep(rolling, {MU: [0.1, 0.3]}, {"x": "end(bodies.ball.position[0])", "n": "count(touchdown)"},
                           set={"run.until": "0.3 s"})
    # an orientation among the results rules out lanes: runs go one at a time
    alone = footfall.sweep(rolling, {MU: [0.1, 0.3]}, {"x": "end(bodies.ball.position[0])", "q": "end(bodies.ball.orientation[0])"},
                           set={"run.until": "0.3 s"})
    stopped = footfall.sweep(rolling, {MU: [0.1, 0.3]}, {"n": "count(touchdown)"}, stop="touchdown 2")
    assert stopped["n"].tolist() == [2, 2]
    assert table.names == [MU, "x", "n"] and table.units == ["1", "m", "1"] and table.varied == 1
    assert len(table) == 2 and table.failed == [None, None]
    for mu, x, single in zip(table[MU], table["x"], alone["x"]):
        sim = footfall.Scene.from_file(rolling, set={MU: mu, "run.until": "0.3 s"}).sim()
        sim.advance()
        assert sim.bodies["position"][0][0] == single
        # lanes: the file's tolerance is 1e-9
        assert x == pytest.approx(single, abs=1e-9)


def test_samples_words_and_failures(scenes, tmp_path):
    rolling = scenes / "rolling.yaml"
    table = footfall.sweep(rolling, {MU: "uniform(-0.1, 0.3)"}, ["end(t)"], set={"run.until": "1 ms"}, samples=40,
                           points="latin", seed=3)
    bad = [reason is not None for reason in table.failed]
    # a quarter of the strata of a Latin hypercube is below 0
    assert sum(bad) == 10 and np.array_equal(np.isnan(table["end(t)"]), bad)
    words = footfall.sweep(rolling, {"pairs[0].normal.law": "hunt-crossley,azad-featherstone"}, ["impact(1, restitution)"])
    assert words["pairs[0].normal.law"] == ["hunt-crossley", "azad-featherstone"]
    words.write(tmp_path / "words.csv")
    assert (tmp_path / "words.csv").read_text().splitlines()[2].startswith("azad-featherstone,")
    again = footfall.sweep(rolling, {MU: "uniform(-0.1, 0.3)"}, ["end(t)"], set={"run.until": "1 ms"}, samples=40,
                           points="latin", seed=3, threads=1, records=str(tmp_path / "records"))
    assert np.array_equal(again.values, table.values, equal_nan=True)


def test_mistakes(scenes):
    with pytest.raises(footfall.InputError, match="did you mean 'ledger.slip'"):
        footfall.sweep(scenes / "rolling.yaml", {MU: 0.1}, ["end(ledger.slp)"])
    with pytest.raises(footfall.InputError, match="random, latin or sobol"):
        footfall.sweep(scenes / "rolling.yaml", {MU: 0.1}, ["end(t)"], points="halton")
    table = footfall.sweep(scenes / "rolling.yaml", {MU: 0.1}, ["end(t)"], set=["run.until=1 ms"])
    with pytest.raises(KeyError, match="there is no column 'x'"):
        table["x"]
    with pytest.raises(footfall.InputError, match="written as .csv or .h5"):
        table.write("x.txt")
