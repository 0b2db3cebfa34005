# SPDX-License-Identifier: Apache-2.0
# Copyright the footfall authors
"""Controllers and events in Python, and environments."""

import gc
import math
import re
import subprocess
import threading
import warnings

import numpy as np
import pytest

import footfall

HOPPER = {
    "bodies": {"trunk": {"mass": 10, "inertia": [0.1, 0.1, 0.1]},
               "foot": {"mass": 0.5, "shape": {"sphere": {"radius": 0.03}}}},
    "ground": {"floor": {"plane": {"point": [0, 0, 0], "normal": [0, 0, 1]}}},
    "joints": {"guide": {"prismatic": {"between": ["world", "trunk"], "axis": [0, 0, 1], "distance": 0.8, "speed": 0}},
               "leg": {"prismatic": {"between": ["trunk", "foot"], "axis": [0, 0, -1], "distance": 0.5, "speed": 0}}},
    "pairs": [{"between": ["foot", "floor"], "normal": footfall.Normal("hunt-crossley", k=1.5e7, lambda_=3e7)}],
    "events": {"apex": "trunk.velocity[2]"},
    "run": {"until": 12, "tol": 1e-8},
}


def hopper(**options):
    """The hopper of scenes/hopper.yaml, controlled by the same arithmetic in Python."""
    scene = footfall.Scene.from_dict(HOPPER, **options)

    def count(view, event):
        view.states[0] += event.kind == "touchdown"

    @scene.controller(every=1e-3, commands={"motor": "leg"}, name="hop", start=[0], event=count)
    def hop(view):
        k, c, rest, thrust, hold, still = 6000.0, 40.0, 0.5, 120.0, 3000.0, 60.0
        q, rate = view.position("leg"), view.rate("leg")
        if view.touching("foot/floor"):
            return k * (rest - q) - c * rate + (thrust if rate > 0 else 0)
        return hold * (rest - q) - still * rate

    return scene


def test_c_yaml_and_python_give_the_same_bits(scenes, build):
    sim = hopper().sim()
    sim.advance()
    written = footfall.Scene.from_file(scenes / "hopper.yaml").sim()
    written.advance()
    assert sim.bodies.tobytes() == written.bodies.tobytes()
    assert sim["controllers.hop.states"] == written["controllers.hop.hops"] > 20
    assert sim.ledger.external == written.ledger.external and sim.statistics.steps == written.statistics.steps
    program = build / "examples/hopper"
    if not program.exists():
        pytest.skip("built without examples")
    printed = subprocess.run([program], text=True, capture_output=True, check=True).stdout
    numbers = [float(n) for n in re.findall(r"-?\d[\d.e+-]*", printed)]
    trunk, foot = sim.body("trunk"), sim.body("foot")
    # 17 digits determine a double
    assert numbers == [sim["controllers.hop.states"], trunk.position[2], trunk.velocity[2], foot.position[2],
                       foot.velocity[2]]


def test_a_controller_survives_its_scene():
    sim = hopper().sim()
    gc.collect()
    sim.advance(1.0)
    state = sim.save()
    sim.advance(2.0)
    end = sim.bodies.tobytes()
    sim.restore(state)
    sim.advance(2.0)
    assert sim.bodies.tobytes() == end


def test_views_show_what_the_run_has():
    scene = footfall.Scene.from_dict(HOPPER)
    seen = []

    @scene.controller(every=0.001, commands=["leg"])
    def look(view):
        seen.append((view.time, view.positions, view.velocities, view.body("trunk"), view.contact("foot/floor"), view))
        return -view.velocities

    sim = scene.sim()
    sim.advance(0.35)
    assert [s[0] for s in seen] == [k * 0.001 for k in range(350)]
    assert seen[0][1].tolist() == [0.5] and seen[0][2].tolist() == [0] and not seen[0][4].touching
    assert seen[0][3].position[2] == 0.8 and seen[0][4].depth < 0
    touching = [s[4] for s in seen if s[4].touching]
    assert touching and all(c.depth > 0 and c.force[2] > 0 for c in touching)
    # a view is valid only during its call
    with pytest.raises(TypeError):
        seen[0][5].time


def test_commands_of_bodies(ball):
    """A force that carries the weight, and a torque: the ball floats and turns."""
    scene = footfall.Scene.from_dict(ball)

    @scene.controller(every=0.01, commands=["ball"])
    def lift(view):
        return [0, 0, 0.154 * 9.81, 1e-6, 0, 0]

    sim = scene.sim()
    sim.advance(0.1)
    inertia = sim.model.body_facts("ball").inertia[0]
    assert sim["bodies.ball.position[2]"] == pytest.approx(0.1, abs=1e-12)
    assert sim["bodies.ball.omega[0]"] == pytest.approx(1e-6 * 0.1 / inertia, rel=1e-9)
    assert sim["forces.ball.force[2]"] == 0.154 * 9.81
    other = footfall.Scene.from_dict(ball)
    other.controller(lambda view: view.command("up", [0, 0, 0.154 * 9.81]), every=0.01, commands={"up": "ball"})
    sim = other.sim()
    sim.advance(0.1)
    assert sim["bodies.ball.position[2]"] == pytest.approx(0.1, abs=1e-12)


def test_a_continuous_controller_with_a_state():
    """x' = -3 x beside the run, with the error control of the run: x(1) = exp(-3)."""
    scene = footfall.Scene.from_dict(HOPPER, set={"run.tol": 1e-9})

    @scene.controller(every=0, commands=["leg"], start=[1.0], scales=[1.0])
    def decay(view):
        view.rates[:] = -3 * view.states
        return -1e3 * (view.position("leg") - 0.5) - 50 * view.rate("leg")

    sim = scene.sim()
    sim.advance(0.2)
    # each step has an error below tol of the scale; a few hundred of them add up
    assert sim["controllers.decay.states"] == pytest.approx(math.exp(-0.6), abs=1e-7)


def test_the_shortest_time_of_a_continuous_controller():
    """A pulse exp(-((t - 0.5)/w)^2) of 10 N on 1 kg within a step of half a second: v = 10 w sqrt(pi)."""
    text = {"gravity": [0, 0, 0], "bodies": {"ball": {"mass": 1, "inertia": 1}}, "run": {"until": 1}}
    width = 1e-3

    def speed(**options):
        scene = footfall.Scene.from_dict(text)

        @scene.controller(every=0, commands=["ball"], **options)
        def kick(view):
            return [10*math.exp(-((view.time - 0.5)/width)**2), 0, 0]

        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            sim = scene.sim()
            sim.advance(1)
            kinds = [w.kind for w in sim.warnings]
        return sim.bodies["velocity"][0][0], kinds

    missed, kinds = speed()
    assert missed < 1e-6 and "unbounded" in kinds
    found, kinds = speed(shortest=width)
    # steps of one width see the pulse; tol is 1e-9
    assert found == pytest.approx(10*width*math.sqrt(math.pi), abs=1e-8) and "unbounded" not in kinds
    with pytest.raises(footfall.InputError):
        speed(shortest=-1)


def test_events_of_python(ball):
    scene = footfall.Scene.from_dict(ball)

    @scene.event
    def halfway(time, bodies):
        return bodies["position"][0][2] - 0.05

    sim = scene.sim()
    first = next(sim.events())
    assert first.kind == "user" and first.index == 0 and first.owner is None
    assert first.time == pytest.approx(math.sqrt(2 * 0.05 / 9.81), rel=1e-9)


def test_named_events(scenes):
    sim = footfall.Scene.from_file(scenes / "hopper.yaml").sim()
    assert "apex" in {e.name for e in sim.advance(1.0)}


class Mine(Exception):
    """An exception of a test."""


@pytest.mark.parametrize("way", ["advance", "run", "step"])
def test_an_exception_in_a_controller_ends_the_run(way):
    scene = footfall.Scene.from_dict(HOPPER)

    @scene.controller(every=1e-2, commands=["leg"])
    def fails(view):
        if view.time > 0.1:
            raise Mine("here")
        return 0

    sim = scene.sim()
    with pytest.raises(Mine, match="here"):
        if way == "step":
            for _ in range(10000):
                sim.step()
        else:
            getattr(sim, way)()
    # within about 30 evaluations of the rates, a few steps; the first event would be at 0.23 s
    assert 0.1 <= sim.time < 0.2
    # other runs are not affected
    other = footfall.Scene.from_dict(HOPPER).sim()
    other.advance(0.5)
    assert other.time == 0.5


def test_exceptions_in_events(ball):
    scene = footfall.Scene.from_dict(ball)
    scene.event(lambda time, bodies: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        scene.sim().advance()
    scene = footfall.Scene.from_dict(HOPPER)

    def event(view, event):
        raise Mine(event.owner or event.kind)

    scene.controller(lambda view: 0, every=0.01, commands=["leg"], event=event)
    with pytest.raises(Mine):
        scene.sim().advance()


@pytest.mark.parametrize("function, error, text", [
    (lambda view: [1, 2], footfall.InputError, "returned 2 commands, not 1"),
    (lambda view: view.command("arm", 1), footfall.NotFoundError, "commands no 'arm', but leg"),
    (lambda view: view.position("arm"), footfall.NotFoundError, "no joint is called 'arm'; there are: guide, leg"),
    (lambda view: view.body("arm"), footfall.NotFoundError, "no body"),
    (lambda view: view.touching("arm"), footfall.NotFoundError, "no contact"),
    (lambda view: setattr(view, "states", [1, 2]), footfall.InputError, "set 2 states, not 1"),
    (lambda view: "push", TypeError, ""),
])
def test_mistakes_in_controllers(function, error, text):
    scene = footfall.Scene.from_dict(HOPPER)
    scene.controller(function, every=0.01, commands="leg", start=[0])
    with pytest.raises(error, match=text):
        scene.sim().advance()


def test_wrong_commands_of_a_body(ball):
    scene = footfall.Scene.from_dict(ball)
    scene.controller(lambda view: [1, 2], every=0.01, commands=["ball"])
    with pytest.raises(footfall.InputError, match="2 numbers, not 3 or 6"):
        scene.sim().advance()


def test_spherical_joint():
    """torques about the axes of the first body: about a principal axis the angle is torque t^2/(2 I)"""
    scene = footfall.Scene.from_dict({
        "gravity": [0, 0, 0],
        "bodies": {"b": {"mass": 2, "inertia": [0.3, 0.4, 0.6]}},
        "joints": {"ball": {"spherical": {"between": ["world", "b"]}}},
    })
    scene.controller(lambda view: [0, 0.5], every=0.01, commands=["ball.x", "ball.y"])
    sim = scene.sim()
    sim.advance(0.8)
    assert sim["joints.ball.position"] == pytest.approx([0, 0.5 * 0.8**2 / (2 * 0.4), 0], abs=1e-8)
    assert sim["joints.ball.effort"] == pytest.approx([0, 0.5, 0], abs=1e-8)


def test_controllers_that_cannot_be_added():
    scene = footfall.Scene.from_dict(HOPPER)
    with pytest.raises(footfall.NotFoundError, match="no joint and no body is called 'arm'"):
        scene.controller(print, every=0.01, commands=["leg", "arm"])
    with pytest.raises(footfall.NotFoundError, match="no coordinate 'angle'"):
        scene.controller(print, every=0.01, commands=["leg.angle"])
    with pytest.raises(footfall.InputError, match="2 scales for 1 states"):
        scene.controller(print, every=0, commands=[], start=[0], scales=[1, 2])
    with pytest.raises(footfall.InputError, match="controller 'print' cannot be added"):
        scene.controller(print, every=-1, commands=["leg"])
    scene = hopper()
    with pytest.raises(footfall.Error, match="settings come before"):
        scene.with_settings({"bodies.foot.mass": 0.6})


def test_threads_run_one_controller(scenes):
    model, ends = hopper().model(), [b""] * 3

    def go(i):
        sim = model.sim(until=0.5)
        sim.advance()
        ends[i] = sim.bodies.tobytes()

    threads = [threading.Thread(target=go, args=(i,)) for i in range(3)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert len(set(ends)) == 1 and ends[0]


# environments

@pytest.fixture
def lift(ball):
    ball["forces"] = {"thrust": {"constant": {"body": "ball", "force": [0, 0, 0]}}}
    return footfall.Scene.from_dict(ball)


def make(scene, **more):
    return footfall.Env(scene, **{"inputs": ["forces.thrust.constant.force"],
                                  "observe": ["bodies.ball.position", "bodies.ball.velocity[2]"], "period": 0.01,
                                  "reward": lambda sim: -abs(sim["bodies.ball.position[2]"] - 0.2), **more})


def test_env(lift):
    env = make(lift, low=-2, high=2, terminated=lambda sim: sim["bodies.ball.position[2]"] > 0.15)
    assert env.action_space.shape == (3,) and env.observation_space.shape == (4,)
    with pytest.raises(footfall.InputError, match="reset"):
        env.step([0, 0, 0])
    observation, info = env.reset(seed=3)
    assert observation.tolist() == [0, 0, 0.1, 0] and info["time"] == 0
    hover = [0, 0, 0.154 * 9.81]
    for i in range(1, 30):
        after, reward, terminated, truncated, info = env.step(hover)
        assert not terminated and not truncated
        assert info["time"] == pytest.approx(0.01 * i)
    assert after[2] == pytest.approx(0.1) and reward == pytest.approx(-0.1)
    assert observation[2] == 0.1 and env.step(hover)[3]
    env.reset()
    while not (done := env.step([0, 0, 10]))[2]:
        pass
    assert done[0][2] > 0.15 and not done[3]
    env.reset()
    kinds = {e.kind for _ in range(20) for e in env.step([0, 0, -1])[4]["events"]}
    assert "touchdown" in kinds
    with pytest.raises(footfall.InputError):
        env.step([0, 0])
    env.close()
    assert env.sim is None and env.render() is None and env.unwrapped is env


def test_env_is_reproducible(lift):
    env = make(lift, randomize=lambda rng: {"bodies.ball.position": [0, 0, rng.uniform(0.1, 0.2)]})
    first = env.reset(seed=1)[0]
    env.action_space.seed(5)
    action = env.action_space.sample()
    end = env.step(action)[0]
    assert env.reset()[0][2] != first[2]
    assert env.reset(seed=1)[0].tolist() == first.tolist() and env.step(action)[0].tolist() == end.tolist()
    assert env.reset(options={"bodies.ball.position": [0, 0, 0.5]})[0][2] == 0.5


def test_env_refuses(lift):
    with pytest.raises(footfall.InputError, match="not an input"):
        make(lift, inputs=["bodies.ball.mass"])
    with pytest.raises(footfall.NotFoundError):
        make(lift, observe=["nothing"])
    with pytest.raises(footfall.InputError, match="period"):
        make(lift, period=0)
    with pytest.raises(TypeError):
        make(lift, tolerance=1)


def test_a_failed_run_ends_the_episode(lift):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        env = make(lift, method="euler", dt=2e-3, events=False)
    env.reset()
    for _ in range(200):
        _, reward, terminated, _, info = env.step([0, 0, -1e300])
        if terminated:
            break
    assert terminated and "error" in info and math.isnan(reward)


def test_box():
    box = footfall.Box(np.array([-1, 0]), np.array([1, np.inf]))
    box.seed(0)
    assert all(box.contains(box.sample()) for _ in range(100))
    assert not box.contains([2, 0]) and not box.contains([0]) and "Box" in repr(box)
