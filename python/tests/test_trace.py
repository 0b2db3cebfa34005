# SPDX-License-Identifier: Apache-2.0
# Copyright the footfall authors
"""Records of runs, and conversion to other formats."""

import html
import warnings

import numpy as np
import pytest

import footfall


@pytest.fixture
def trace(ball):
    return footfall.Scene.from_dict(ball).sim().run()


def test_columns_and_fields(trace):
    assert trace.keys()[0] == "t:s" and "ball:z" in trace and "bodies.ball.position" in trace
    assert list(trace) == [c.name for c in trace.columns] and "nothing" not in trace
    z = trace["ball:z"]
    assert z.shape == trace.t.shape == (len(trace),) and trace["t:s"] is trace.t
    assert np.all(np.diff(trace.t) >= 0) and (trace.t[0], trace.t[-1]) == (0, 0.3)
    assert trace["bodies.ball.position"][:, 2].tolist() == z.tolist()
    assert trace["ledger.gravity"].ndim == 1
    assert trace.column("ball:z").unit == "m" and trace.column("ball:z").part == 2
    with pytest.raises(footfall.NotFoundError, match="ball:z"):
        trace["ball:zz"]
    # free fall before the first event: z = h - g t^2/2
    before = trace.t < trace.events[0].time
    np.testing.assert_allclose(z[before], 0.1 - 0.5 * 9.81 * trace.t[before] ** 2, rtol=1e-9)
    assert trace.events[0].kind == "touchdown" and trace.events[0].owner == "ball/floor"
    assert trace.facts.complete and trace.facts.failed is None and trace.facts.time == 0.3
    assert trace.ledger.residual < 1e-6 * trace.ledger.scale and "rows" in repr(trace)


def test_rows(ball):
    model = footfall.Scene.from_dict(ball).model()
    even = model.sim().run(every=0.01)
    np.testing.assert_allclose(even.t, np.arange(31) * 0.01, rtol=1e-14)
    sim = model.sim()
    steps = sim.run(every=0)
    # a row for each step, the start, and the last instant before each event
    assert len(steps) == sim.statistics.steps + 1 + sim.statistics.events
    events = model.sim().run(rows="events")
    assert set(e.time for e in events.events) <= set(events.t)
    none = model.sim().run(rows="none")
    assert len(none.events) == len(events.events)
    assert len(model.sim(every=0.1).run()) == 4
    with pytest.raises(footfall.NotFoundError, match="kind of rows"):
        model.sim().run(rows="all")
    times = []
    model.sim().run(progress=lambda sim: times.append(sim.time))
    assert times[-1] == 0.3 and times == sorted(times)
    with pytest.raises(footfall.InputError):
        model.sim().run(every=-1)


def test_a_run_goes_on(ball):
    sim = footfall.Scene.from_dict(ball).sim()
    first, second = sim.run(0.1, every=0.01), sim.run(0.2, every=0.01)
    assert first.t[-1] == second.t[0] == 0.1 and second.t[-1] == 0.2


@pytest.mark.parametrize("suffix", ["csv", "h5"])
def test_files(ball, tmp_path, suffix):
    path = tmp_path / f"ball.{suffix}"
    trace = footfall.Scene.from_dict(ball).sim().run(path=path, every=0.01)
    if suffix == "csv":
        rows = np.genfromtxt(path, delimiter=",", names=True, deletechars="")
        assert rows["ball:z"].tolist() == trace["ball:z"].tolist()
    else:
        with footfall.Trace.open(path) as opened:
            assert opened.keys() == trace.keys() and opened["ball:z"].tolist() == trace["ball:z"].tolist()
            assert [e.time for e in opened.events] == [e.time for e in trace.events]
            assert opened.facts.scene == trace.facts.scene and "ball" in opened.facts.scene
        opened.close()
        assert repr(opened) == "<Trace, closed>"
        with pytest.raises(TypeError):
            opened.t
        h5py = pytest.importorskip("h5py")
        with h5py.File(path) as file:
            assert len(file) > 0
    with pytest.raises(footfall.Error):
        footfall.Scene.from_dict(ball).sim().run(path=tmp_path / "ball.txt")
    with pytest.raises((footfall.Error, OSError)):
        footfall.Scene.from_dict(ball).sim().run(path=tmp_path / "no/folder" / path.name)
    with pytest.raises(footfall.Error):
        footfall.Trace.open(tmp_path / "none.h5")


def test_to_csv(trace, tmp_path):
    trace.to_csv(tmp_path / "all.csv")
    rows = np.genfromtxt(tmp_path / "all.csv", delimiter=",", names=True, deletechars="")
    assert rows["ball:z"].tolist() == trace["ball:z"].tolist() and len(rows.dtype.names) == len(trace.columns)
    trace.to_csv(tmp_path / "some.csv", ["bodies.ball.position"])
    assert (tmp_path / "some.csv").read_text().splitlines()[0] == "t:s,ball:x,ball:y,ball:z"


def test_pandas(trace):
    pytest.importorskip("pandas")
    frame = trace.to_pandas()
    assert frame.index.name == "t" and frame["ball:z"].tolist() == trace["ball:z"].tolist()
    assert frame.attrs["units"]["ball:z"] == "m" and "t:s" not in frame
    assert list(trace.to_pandas("bodies.ball.position")) == ["ball:x", "ball:y", "ball:z"]


def test_xarray(trace):
    pytest.importorskip("xarray")
    data = trace.to_xarray()
    assert data["ball:z"].values.tolist() == trace["ball:z"].tolist() and data["ball:z"].attrs["units"] == "m"
    assert data["t"].attrs["units"] == "s"
    assert list(trace.to_xarray(["ball:z"])) == ["ball:z"]


def test_plots(trace):
    plt = pytest.importorskip("matplotlib.pyplot")
    axes = trace.plot()
    assert [line.get_label() for line in axes.lines] == ["ball:z"] and axes.get_ylabel() == "ball:z (m)"
    same = trace.plot("bodies.ball.position", ax=axes, linestyle=":")
    assert same is axes and len(axes.lines) == 4 and axes.lines[-1].get_linestyle() == ":"
    assert axes.lines[-1].get_ydata().tolist() == trace["ball:z"].tolist()
    energy = trace.plot_energy()
    assert {"kinetic", "gravity", "normal_damper"} <= {line.get_label() for line in energy.lines}
    assert "slip" not in {line.get_label() for line in energy.lines}
    with pytest.raises(footfall.NotFoundError):
        trace.plot("nothing")
    plt.close("all")


def test_page(trace, tmp_path):
    from footfall._core import NULL, lib
    if lib.ff_page_check(NULL, NULL) < 0:
        assert trace._repr_html_().startswith("<pre>&lt;Trace")
        pytest.skip("the library was built without the page")
    trace.page(tmp_path / "ball.html")
    written = (tmp_path / "ball.html").read_text(encoding="utf-8")
    cell = trace._repr_html_()
    assert cell.startswith("<iframe srcdoc=") and html.unescape(cell).count("<html") == 1
    assert html.escape(written[:2000], quote=True) in cell
    with pytest.raises(footfall.InputError):
        trace.page(tmp_path / "ball.pdf")
    trace.compare(trace, tmp_path / "both.html")
    assert '"kind": "runs"' in (tmp_path / "both.html").read_text(encoding="utf-8")
    with pytest.raises(footfall.InputError):
        trace.compare(trace, tmp_path / "both.pdf")


def test_a_stopped_run_has_a_readable_file(ball, tmp_path):
    sim = footfall.Scene.from_dict(ball).sim()

    def stop(sim):
        if sim.time > 0.1:
            raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        sim.run(path=tmp_path / "part.h5", progress=stop)
    opened = footfall.Trace.open(tmp_path / "part.h5")
    assert not opened.facts.complete and "enough" in opened.facts.ended and len(opened) > 2


def test_a_failed_run_keeps_what_there_is(ball):
    ball["run"] = {"until": 0.5, "method": "euler", "dt": 2e-3}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with pytest.raises(footfall.RunError) as caught:
            footfall.Scene.from_dict(ball).sim().run()
    trace = caught.value.trace
    assert trace["ball:z"].size == len(trace) > 10
