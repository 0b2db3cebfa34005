# SPDX-License-Identifier: Apache-2.0
# Copyright the footfall authors
"""Laws, restitution, design and fit."""

import math

import numpy as np
import pytest

import footfall
from footfall._core import lib

MASS = 0.154


@pytest.fixture
def law():
    return footfall.Normal("azad-featherstone", k=8.5e6, lambda_=3.1e3)


def test_linear_law_has_its_closed_form():
    """Spring and damper until z = 0 (tension): e = exp(-pi zeta/sqrt(1 - zeta^2)), at every speed."""
    k, c = 1e4, 10.0
    zeta = c / (2 * math.sqrt(k * MASS))
    law = footfall.Normal("linear", {"k": k, "lambda": c, "detach": "tension"})
    e = footfall.restitution(law, np.logspace(-3, 2, 7).reshape(7, 1), MASS)
    assert e.shape == (7, 1)
    # 1e-12 is the documented accuracy of the library
    np.testing.assert_allclose(e, math.exp(-math.pi * zeta / math.sqrt(1 - zeta**2)), rtol=1e-12)


def test_a_bed_that_detaches_element_by_element():
    """k = m = v = 1 and tau = 0.2, 0.5, 1, 2; other laws refuse it by name."""
    for tau, e in ((0.2, 0.731356623851074), (0.5, 0.501409776937400), (1, 0.309894342342462), (2, 0.158097322437677)):
        law = footfall.Normal("azad-featherstone", k=1, lambda_=1.5 * tau, detach="local")
        assert footfall.restitution(law, 1, 1) == pytest.approx(e, rel=1e-12)
        assert footfall.design(law, e, speed=1, mass=1)["lambda"] == pytest.approx(1.5 * tau, rel=1e-11)
    with pytest.raises(footfall.InputError, match="detach: local of tsuji"):
        footfall.Normal("tsuji", k=1, lambda_=1, detach="local")


def test_restitution_is_that_of_one_impact(law):
    speeds = np.array([0.01, 0.3, 4.0])
    e = footfall.restitution(law, speeds, MASS)
    assert e.tolist() == [footfall.restitution(law, v, MASS) for v in speeds]
    for v, of_curve in zip(speeds, e):
        one = footfall.impact(law, v, MASS)
        assert one.restitution == pytest.approx(of_curve, rel=1e-12)
        assert one.energy_lost == pytest.approx(0.5 * MASS * v * v * (1 - of_curve**2), rel=1e-9)
    assert isinstance(footfall.restitution(law, 1, MASS), float)
    assert footfall.restitution(law, [], MASS).shape == (0,)
    # a slice with a stride, other types of numbers
    wide = np.repeat(speeds, 2)
    assert footfall.restitution(law, wide[::2], MASS).tolist() == e.tolist()
    assert footfall.restitution(law, np.float32(0.5), MASS) == footfall.restitution(law, 0.5, MASS)


def test_restitution_of_what_is_no_speed_is_nan(law):
    e = footfall.restitution(law, [1.0, -1.0, math.nan, 0.0], MASS)
    assert np.isnan(e).tolist() == [False, True, True, True]
    for mass in (0, -1, math.nan, math.inf):
        with pytest.raises(footfall.InputError, match="mass"):
            footfall.restitution(law, 1.0, mass)


def test_laws_are_those_of_the_table():
    normal, friction = footfall.laws(), footfall.laws("friction")
    assert {"hertz", "hunt-crossley", "lankarani-nikravesh"} <= set(normal)
    assert {"coulomb", "clutch"} <= set(friction)
    k = normal["hunt-crossley"].parameters[0]
    assert (k.name, k.unit, k.default) == ("k", "N/m^n", None)
    detach = next(p for p in normal["hunt-crossley"].parameters if p.name == "detach")
    assert "clamp" in detach.words and detach.unit is None
    assert "k (N/m^n)" in str(normal["hunt-crossley"])
    with pytest.raises(footfall.NotFoundError, match="no kind of laws is called 'other'"):
        footfall.laws("other")


@pytest.mark.parametrize("name", list(footfall.laws()))
def test_every_normal_law_can_be_made_and_asked(name):
    table = footfall.laws()[name]
    given = {p.name: 0.5 if p.most <= 1 else 1.0 if p.most <= 3 else 1e3
             for p in table.parameters if p.default is None and not p.derived}
    law = footfall.Normal(name, given)
    assert law == footfall.Normal(name, {k: v for k, v in law.to_dict().items() if k != "law"})
    assert np.all(np.isfinite(law.force(np.linspace(0, 1e-3, 13), 0.1)))
    assert np.isfinite(law.stored(1e-3))


def test_forces_of_many_depths_are_those_of_one(law):
    z, v = np.linspace(0, 1e-3, 7), np.linspace(-0.1, 0.1, 7)
    f = law.force(z, v)
    assert f.tolist() == [law.force(a, b) for a, b in zip(z.tolist(), v.tolist())]
    power = law.power()
    # F = k z^n + lambda z^p zdot if it is not clamped
    want = np.maximum(0, power.k * z**power.n + power.lambda_ * z**power.p * v)
    np.testing.assert_allclose(f, want, rtol=1e-14)
    assert law.force(z[:, None], v).shape == (7, 7)
    assert isinstance(law.force(1e-3), float)
    with pytest.raises(footfall.InputError, match="inner states"):
        law.force(z, v, np.zeros((1, 7)))


def test_a_law_is_refused_with_a_sentence():
    with pytest.raises(footfall.NotFoundError, match="no normal law is called 'hertzz'"):
        footfall.Normal("hertzz", k=1)
    with pytest.raises(footfall.InputError, match="k"):
        footfall.Normal("hertz")
    with pytest.raises(footfall.InputError, match="stifness"):
        footfall.Normal("hertz", k=1, stifness=3)
    with pytest.raises(footfall.InputError, match="k"):
        footfall.Normal("hertz", k=-1)
    with pytest.raises(footfall.InputError, match="detach"):
        footfall.Normal("hunt-crossley", k=1, detach="never")
    with pytest.raises(footfall.NotFoundError, match="no parameter 'q'"):
        footfall.Normal("hertz", k=1)["q"]
    with pytest.raises(footfall.Error):
        footfall.load_laws("/nowhere.so")


def test_own_laws_are_loaded(build):
    path = build / "laws/own_law.so"
    if not path.exists():
        pytest.skip("built without tests")
    before = set(footfall.laws()) | set(footfall.laws("friction"))
    footfall.load_laws(path)
    assert set(footfall.laws()) | set(footfall.laws("friction")) > before


def test_replace_and_repr(law):
    other = law.replace(lambda_=1e3)
    assert other["lambda"] == 1e3 and other["k"] == law["k"] and law["lambda"] == 3.1e3
    assert eval(repr(law), {"Normal": footfall.Normal}) == law
    assert hash(law) == hash(law.replace()) and law != other
    assert law.law.name == law.name == "azad-featherstone"


def test_friction():
    coulomb = footfall.Friction("coulomb", mu=0.3, v_ramp=1e-3)
    np.testing.assert_allclose(coulomb.force([1.0, 0.0], 10.0), [-3.0, 0.0], rtol=1e-12)
    with pytest.raises(footfall.InputError, match="components"):
        coulomb.force([1, 2, 3, 4], 10.0)
    assert all(f.holds for f in coulomb.verify(1e-3, 1.0, 10.0, 100))


def test_verify(law):
    found = law.verify(1e-3, 1.0, 200)
    assert found and all(f.holds for f in found)
    assert not footfall.Finding("balance", 1.0, 1e-6, "here").holds


def test_design_reaches_what_is_wanted(law):
    made = footfall.design(law, 0.7, 2.0, MASS)
    assert made["k"] == law["k"] and law["lambda"] == 3.1e3
    assert footfall.restitution(made, 2.0, MASS) == pytest.approx(0.7, rel=1e-12)
    for wanted in ({"contact_time": 1e-3}, {"max_depth": 1e-4}):
        made = footfall.design(law, 0.7, 2.0, MASS, **wanted)
        got = footfall.impact(made, 2.0, MASS)
        assert got.restitution == pytest.approx(0.7, rel=1e-10)
        for name, value in wanted.items():
            assert getattr(got, name) == pytest.approx(value, rel=1e-9)
    with pytest.raises(TypeError):
        footfall.design(law, 0.7, 2.0, MASS, contact_time=1, max_depth=1)
    for e in (0, 1, 1.2, math.nan):
        with pytest.raises(footfall.InputError):
            footfall.design(law, e, 2.0, MASS)
    with pytest.raises(footfall.Error):
        footfall.design(footfall.Normal("hertz", k=1e6), 0.5, 1.0, MASS)


def test_fit_finds_what_made_the_data(law):
    speeds = np.linspace(0.2, 3, 12)
    e = footfall.restitution(law, speeds, MASS)
    found = footfall.fit(law.replace(lambda_=1e3), speeds, e, MASS)
    assert found.lambda_ == pytest.approx(3.1e3, rel=1e-6)
    assert found.law["lambda"] == found.lambda_ == found["lambda"].value and found.unknowns == 1 and found.words == ""
    assert np.max(np.abs(found.residuals)) < 1e-8
    times = [footfall.impact(law, v, MASS).contact_time for v in speeds]
    both = footfall.fit(law.replace(k=5e6), speeds, e, MASS, contact_time=times, free=["k", "lambda"],
                        sigma=np.full(12, 0.01))
    assert both.k == pytest.approx(8.5e6, rel=1e-5) and both.unknowns == 2
    assert both.correlation.shape == (2, 2) and both.correlation[0, 1] == both.correlation[1, 0]
    with pytest.raises(footfall.InputError, match="shape"):
        footfall.fit(law, speeds, e[:3], MASS)
    with pytest.raises(footfall.InputError, match="no speeds"):
        footfall.fit(law, [], [], MASS)
    with pytest.raises(footfall.InputError, match="no data"):
        footfall.fit(law, mass=MASS)
    with pytest.raises(footfall.InputError) as caught:
        footfall.fit(law, speeds, e, MASS, free=["k", "lambda"])
    assert caught.value.status == lib.FF_NOT_IDENTIFIABLE
    with pytest.raises(footfall.InputError, match="row 1: restitution is 1.2, but must be"):
        footfall.fit(law, [1, 2, 3], [0.5, 1.2, 0.4], MASS)
    with pytest.raises(footfall.NotFoundError, match="'k' was not found by this fit; lambda were"):
        found["k"]
    for wrong in ({"kind": "banana"}, {"scatter": "banana"}, {"free": ["banana"]}, {"level": 2.0}, {"evaluations": 0}):
        with pytest.raises(footfall.InputError):
            footfall.fit(law, speeds, e, MASS, **wrong)


def test_fit_of_every_kind(law):
    """Without scatter the true values are recovered, from touch-downs, heights and forces."""
    g, start = 9.81, law.replace(lambda_=1e3)
    clicks, heights, v = [0.0], [1.0], math.sqrt(2 * g)
    for _ in range(7):
        one = footfall.impact(law, v, MASS)
        v *= one.restitution
        clicks.append(clicks[-1] + one.clear_time + 2 * v / g)
        heights.append(heights[-1] * one.restitution**2)
    for scatter in ("readings", "bounces"):
        found = footfall.fit(start, time=clicks, mass=MASS, scatter=scatter)
        assert found.lambda_ == pytest.approx(3.1e3, rel=1e-8) and found.scatter == scatter
        assert np.isnan(found.residuals).tolist() == [scatter == "bounces"] * 2 + [False] * 6
        assert footfall.fit(start, height=heights, mass=MASS, scatter=scatter).lambda_ == pytest.approx(3.1e3, rel=1e-8)
    found = footfall.fit(start, drop=heights[:-1], rebound=heights[1:], mass=MASS)
    assert found.lambda_ == pytest.approx(3.1e3, rel=1e-8)
    points = footfall.impact_curve(law, 1.0, MASS, 80)
    found = footfall.fit(start.replace(k=1e6), time=points["time"], force=points["force"], mass=MASS)
    # the force between the points of a fit is accurate to 1e-8
    assert found["k"].value == pytest.approx(8.5e6, rel=1e-6) and found.speed == pytest.approx(1, rel=1e-6)
    known = footfall.fit(start, time=points["time"], force=points["force"], mass=MASS, touchdown_speed=1.0)
    assert known.speed == 1 and known.lambda_ == pytest.approx(3.1e3, rel=1e-6)
    found = footfall.fit(start.replace(k=1e6), depth=points["depth"], rate=points["velocity"], force=points["force"])
    assert found["k"].value == pytest.approx(8.5e6, rel=1e-9) and found.scatter is None
    assert found["lambda"].low <= found["lambda"].value <= found["lambda"].high


def test_fit_says_what_it_cannot_tell(law):
    found = footfall.fit(law, [1, 2, 3, 4], [0.93, 1.0, 0.97, 0.999], MASS)
    assert not found["lambda"].told and found["lambda"].low == 0
    assert found.words.startswith("the data do not determine lambda")


def test_curve_and_stiffness(law):
    points = footfall.impact_curve(law, 1.0, MASS, 500)
    one = footfall.impact(law, 1.0, MASS)
    assert points.shape == (500,) and points["time"][0] == 0 and points["velocity"][0] == 1
    # the highest of 500 points is within their spacing of the peak, so the error is of second order in the spacing
    assert points["depth"].max() == pytest.approx(one.max_depth, rel=1e-4)
    assert footfall.stiffness(law, MASS, one.max_depth).step_rk4 > 0
    with pytest.raises(footfall.Error):
        footfall.impact_curve(law, 1.0, MASS, 1)
    with pytest.raises(footfall.Error):
        footfall.impact(law, -1.0, MASS)


def test_materials_and_units():
    steel = footfall.materials()["steel"]
    assert 1.9e11 < steel.E < 2.2e11
    modulus = footfall.contact_modulus(steel.E, steel.nu)
    assert modulus == pytest.approx(steel.E / (1 - steel.nu**2))
    assert footfall.hertz_k(modulus, 0.01) == pytest.approx(4 / 3 * modulus * 0.1)
    assert footfall.reduced(2.0) == 2 and footfall.reduced(2.0, 2.0) == 1
    assert footfall.quantity("1.65 cm", "m") == 0.0165 and footfall.quantity(3, "m") == 3
    with pytest.raises(footfall.InputError, match="mass"):
        footfall.quantity("3 cm", "kg")
    with pytest.raises(footfall.InputError):
        footfall.quantity("3 cm", "parsnips")
