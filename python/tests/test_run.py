# SPDX-License-Identifier: Apache-2.0
# Copyright the footfall authors
"""Scenes, models, runs, fields, states and their errors."""

import json
import math
import os
import subprocess
import sys
import threading
import time
import warnings

import numpy as np
import pytest

import footfall
from conftest import ROOT


def test_events_of_joints():
    """A column at constant speed meets a stop of one of its coordinates; a controller is told as well."""
    told = []
    scene = footfall.Scene.from_dict({
        "gravity": [0, 0, 0],
        "bodies": {"post": {"mass": 1, "inertia": [0.1, 0.1, 0.1]}},
        "joints": {"column": {"cylindrical": {"between": ["world", "post"], "axis": [1, 0, 0], "rate": 2, "along": {
            "angle": {"limits": {"upper": 0.5, "stiffness": 1e3}}}}}},
        "run": {"until": 0.27}})
    scene.controller(lambda view: 0, every=0, commands=["column.angle"], event=lambda view, event: told.append(event))
    events = scene.sim().advance()
    assert [(e.kind, e.owner) for e in events] == [("reach-limit", "column.angle")]
    assert events[0].time == pytest.approx(0.25, rel=1e-9)
    assert [(e.kind, e.owner) for e in told] == [("reach-limit", "column.angle")]


def test_a_ball_falls_and_bounces(ball):
    scene = footfall.Scene.from_dict(ball)
    sim = scene.sim()
    assert (sim.time, sim.until) == (0, 0.3)
    # free fall to the touch-down at z = r: t = sqrt(2 (h - r)/g)
    first = next(sim.events())
    assert (first.kind, first.owner) == ("touchdown", "ball/floor")
    assert first.time == pytest.approx(math.sqrt(2 * (0.1 - 0.0165) / 9.81), rel=1e-9)
    assert sim.time == first.time
    events = sim.advance()
    assert sim.time == 0.3 and events[0].kind == "liftoff"
    impact = sim.impact_list[0]
    assert impact.contact == "ball/floor" and impact.speed == pytest.approx(9.81 * first.time, rel=1e-9)
    # gravity during the impact changes e by about g t/v, 2e-3
    theory = footfall.restitution(sim.model.laws("ball/floor")[0], impact.speed, 0.154)
    assert impact.restitution == pytest.approx(theory, rel=5e-3)
    assert sim.impacts("ball/floor").count == len([e for e in [first, *events] if e.kind == "touchdown"])
    sim.verdict()
    ledger = sim.ledger
    accounts = sum(v for k, v in ledger.items() if k not in ("initial", "scale", "residual"))
    assert accounts + ledger.residual == pytest.approx(ledger.initial, rel=1e-9)
    assert sim.contact_ledger(0)["normal_damper"] == ledger.normal_damper > 0
    with pytest.raises(AttributeError):
        ledger.nothing
    with pytest.raises(KeyError):
        ledger["nothing"]
    assert "normal_damper" in repr(ledger) and "kinetic" in dir(ledger)


def test_the_three_ways_to_give_a_scene_agree(ball, tmp_path):
    plain = json.dumps(ball, default=lambda law: law.to_dict())
    (tmp_path / "ball.yaml").write_text(plain)
    found = [footfall.Scene.from_dict(ball), footfall.Scene.from_text(plain),
             footfall.Scene.from_file(tmp_path / "ball.yaml"), footfall.load(str(tmp_path / "ball.yaml"))]
    ends = set()
    for scene in found:
        sim = scene.sim()
        sim.advance()
        ends.add(sim.bodies.tobytes())
    assert len(ends) == 1


def test_the_command_and_python_give_the_same_bits(scenes, build):
    command = os.environ.get("FOOTFALL", build / "footfall")
    printed = subprocess.run([command, "run", scenes / "rolling.yaml", "--json"], capture_output=True, check=True)
    said = json.loads(printed.stdout)
    sim = footfall.Scene.from_file(scenes / "rolling.yaml").sim()
    sim.advance()
    assert said["bodies"]["ball"]["position"] == sim.body("ball").position.tolist()
    assert said["bodies"]["ball"]["omega"] == sim.body("ball").omega.tolist()
    assert len(said["events"]) == sim.statistics.events
    recorded = footfall.Scene.from_file(scenes / "rolling.yaml").sim()
    recorded.run()
    assert recorded.bodies.tobytes() == sim.bodies.tobytes()


def test_numpy_in_a_dict(ball):
    ball["bodies"]["ball"]["position"] = np.array([0, 0, 0.2])
    ball["run"]["until"] = np.float64(0.1)
    assert footfall.Scene.from_dict(ball).sim()["bodies.ball.position[2]"] == 0.2
    ball["run"]["until"] = object()
    with pytest.raises(TypeError, match="cannot hold"):
        footfall.Scene.from_dict(ball)


def test_settings(ball):
    scene = footfall.Scene.from_dict(ball, set={"bodies.ball.mass": "0.2 kg", "bodies.ball.position": [0, 0, 0.5]})
    assert scene.model().body_facts("ball").mass == 0.2
    assert scene.sim()["bodies.ball.position[2]"] == 0.5
    other = scene.with_settings(["bodies.ball.mass=0.3 kg"])
    assert other.model().body_facts(0).mass == 0.3 and "0.3 kg" in other.print()
    with pytest.raises(footfall.InputError, match="masss") as caught:
        footfall.Scene.from_dict(ball, set={"bodies.ball.masss": 1})
    assert "--set bodies.ball.masss=1" in caught.value.file
    with pytest.raises(footfall.InputError, match="masss"):
        scene.with_settings({"bodies.ball.masss": 1})
    with pytest.raises(TypeError, match="PATH=VALUE"):
        footfall.Scene.from_dict(ball, set="bodies.ball.mass=1")
    with pytest.raises(TypeError, match="neither a number"):
        footfall.Scene.from_dict(ball, set={"bodies.ball.mass": object()})
    assert footfall.Scene.from_dict(ball, set={"run.events": "none", "run.tol": np.float64(1e-5)}).model().run["tol"] == 1e-5


def test_mistakes_have_their_places(tmp_path):
    path = tmp_path / "wrong.yaml"
    path.write_text("bodies:\n  ball:\n    masss: 3\n    shape: {sphere: {radius: 1 kg}}\n")
    with pytest.raises(footfall.InputError) as caught:
        footfall.Scene.from_file(path)
    error = caught.value
    assert isinstance(error, ValueError) and isinstance(error, footfall.Error)
    assert (error.file, error.line, error.column) == (str(path), 3, 5)
    assert f"{path}:3:5: unknown key 'masss' in body 'ball' (did you mean 'mass'?)" in str(error)
    assert [m.line for m in error.messages] == sorted(m.line for m in error.messages) and len(error.messages) > 1
    with pytest.raises(footfall.InputError) as caught:
        footfall.Scene.from_file(tmp_path / "none.yaml")
    assert str(tmp_path / "none.yaml") in str(caught.value) and caught.value.line is None
    with pytest.raises(footfall.InputError):
        footfall.load(tmp_path / "none.yaml")
    with pytest.raises(footfall.InputError, match="zero byte"):
        footfall.Scene.from_text("a\0b")
    with pytest.raises(footfall.InputError):
        footfall.Scene.from_text("[")
    many = "bodies:\n" + "".join(f"  b{i}: {{masss: 1}}\n" for i in range(100))
    with pytest.raises(footfall.InputError) as caught:
        footfall.Scene.from_text(many)
    # 50 are listed; each of these bodies has two errors
    assert str(caught.value).endswith("\nscene: and 150 more mistakes") and len(caught.value.messages) == 51
    assert footfall.Error("a").file is None and footfall.Error("a").column is None


def test_warnings_are_python_s(ball):
    del ball["pairs"]
    with pytest.warns(footfall.ModelWarning, match="ball") as caught:
        model = footfall.Scene.from_dict(ball).model()
    assert caught[0].filename == __file__
    assert [w.kind for w in model.warnings] == ["unpaired"] and math.isfinite(model.warnings[0].value)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(footfall.ModelWarning):
            footfall.Scene.from_dict(ball).sim()
    # a warning of a run: a floor so soft that the ball sinks into it
    ball["pairs"] = [{"between": ["ball", "floor"], "normal": footfall.Normal("hertz", k=1e3)}]
    with pytest.warns(footfall.ModelWarning, match="radius"):
        sim = footfall.Scene.from_dict(ball).sim()
    with pytest.warns(footfall.ModelWarning) as caught:
        sim.run()
    assert caught[0].filename == __file__ and {"depth", "through"} & {w.kind for w in sim.warnings}


def test_options(ball):
    model = footfall.Scene.from_dict(ball).model()
    sim = model.sim(method="rk4", dt=1e-5, until=0.05, events=False)
    sim.advance()
    assert sim.time == 0.05 and set(sim.statistics.method_steps) == {"rk4"}
    assert model.sim(tol=np.float32(1e-3), max_step=0.01)._options.tol == pytest.approx(1e-3)
    with pytest.raises(TypeError, match="a run has no 'tolerance'; there are until, method"):
        model.sim(tolerance=1)
    with pytest.raises(TypeError, match="size"):
        model.sim(size=3)
    with pytest.raises(footfall.InputError, match="method is no 'magic'; there are auto, euler"):
        model.sim(method="magic")
    with pytest.raises(footfall.InputError):
        model.sim(tol=-1.0)
    assert model.run["method"] == "auto" and model.run["until"] == 0.3


def test_fields(ball):
    sim = footfall.Scene.from_dict(ball).sim()
    model = sim.model
    field = model.field("bodies.ball.position")
    assert (field.unit, field.kind, field.width) == ("m", "state", 3)
    paths = [f.path for f in model.fields()]
    assert "ledger.slip" in paths and "bodies.ball.mass" in model
    assert "bodies.ball.masss" not in model and {f.kind for f in model.fields("input")} == {"input"}
    with pytest.raises(footfall.NotFoundError, match="kind"):
        list(model.fields("tasty"))
    with pytest.raises(footfall.NotFoundError, match="did you mean"):
        sim["bodies.ball.positio"]
    with pytest.raises(KeyError):
        sim["nothing"] = 1
    # parameters before the first step, inputs at any time
    sim["bodies.ball.position"] = [0, 0, 0.05]
    sim["bodies.ball.position[0]"] = 1.0
    assert sim["bodies.ball.position"].tolist() == [1, 0, 0.05] and sim["bodies.ball.mass"] == 0.154
    sim.set({"bodies.ball.velocity": [1, 2, 3], "bodies.ball.mass": 0.2})
    assert sim["bodies.ball.velocity"].tolist() == [1, 2, 3] and sim["bodies.ball.mass"] == 0.2
    sim.set({})
    sim.advance(0.01)
    sim["gravity"] = [0, 0, -1.62]
    assert sim["gravity[2]"] == -1.62
    for wrong in (lambda: sim.__setitem__("bodies.ball.mass", 1.0), lambda: sim.__setitem__("gravity", [1, 2]),
                  lambda: sim.__setitem__("gravity", [[0, 0, 1]]), lambda: sim.__setitem__("ledger.slip", 0),
                  lambda: sim.__setitem__("gravity[1]", math.nan), lambda: sim.writer(["gravity"])([1, 2])):
        with pytest.raises(footfall.InputError):
            wrong()
    assert sim["gravity"].tolist() == [0, 0, -1.62]


def test_readers_fill_one_array(ball):
    sim = footfall.Scene.from_dict(ball).sim()
    read = sim.reader(["bodies.ball.position", "bodies.ball.velocity[2]", "ledger.gravity"])
    first = read()
    address = first.__array_interface__["data"][0]
    sim.advance(0.05)
    second = read()
    assert second is first and second.__array_interface__["data"][0] == address
    assert second.tolist() == [*sim["bodies.ball.position"], sim["bodies.ball.velocity[2]"], sim["ledger.gravity"]]
    whole = sim.reader("bodies.ball.position")
    assert whole().tolist() == sim["bodies.ball.position"].tolist()
    assert np.shares_memory(whole._all, whole.values)
    assert sim.reader([])().shape == (0,)
    with pytest.raises(footfall.NotFoundError):
        sim.reader(["nothing"])
    write = sim.writer("gravity")
    write([0, 0, -5])
    assert write.width == 3 and sim["gravity[2]"] == -5
    write = sim.writer(["gravity[0]"])
    write(1)
    assert write.width == 1 and sim["gravity"].tolist() == [1, 0, -5]
    with pytest.raises(footfall.InputError):
        write([math.nan])
    assert sim["gravity"].tolist() == [1, 0, -5]


def test_bodies_contacts_and_joints(scenes):
    sim = footfall.Scene.from_file(scenes / "quadruped.yaml").sim()
    sim.advance(0.05)
    model = sim.model
    assert len(model.bodies) == 13 and len(model.joints) == 12 and len(model.contacts) == 4
    for i, name in enumerate(model.bodies):
        motion = sim.body(name)
        assert sim.bodies["position"][i].tolist() == motion.position.tolist()
        assert sim.bodies["omega"][i].tolist() == motion.omega.tolist()
    for i, name in enumerate(model.contacts):
        contact = sim.contact(name)
        assert sim.contacts["force"][i].tolist() == contact.force.tolist()
        assert sim.contacts["touching"][i] == contact.touching
        assert sim.contacts["slips"][i] == contact.slips and isinstance(contact.touching, bool)
    for i, name in enumerate(model.joints):
        assert sim.joints["effort"][i].tolist() == sim.joint(name).effort.tolist() == sim.joint(i).effort.tolist()
    assert sim.body(-1).position.tolist() == sim.bodies["position"][-1].tolist()
    assert model.assembly.freedoms == 18 and "fl_shank/fr_shank" in model.unpaired
    for ask in (sim.body, sim.contact, sim.joint, sim.impacts, sim.contact_ledger, model.body_facts, model.laws):
        with pytest.raises(footfall.NotFoundError, match="there are"):
            ask("nobody")
        with pytest.raises(IndexError):
            ask(99)
    assert "13 bodies" in repr(model) and "at 0.05 s" in repr(sim)


def test_steps_and_observation(ball):
    sim = footfall.Scene.from_dict(ball).sim()
    steps = 0
    while sim.time < 0.3:
        before = sim.time
        event = sim.step()
        assert event is None or event.time == sim.time
        steps += 1
    assert steps == sim.statistics.steps
    half = 0.5 * (before + sim.time)
    end = sim["bodies.ball.position[2]"]
    sim.observe(half)
    assert sim["bodies.ball.position[2]"] != end
    sim.observe()
    assert sim["bodies.ball.position[2]"] == end
    # the same bits as in one call
    other = sim.model.sim()
    other.advance()
    assert other.bodies.tobytes() == sim.bodies.tobytes()
    sim.advance(0.1)
    assert sim.time == 0.3
    sim.step(0.31)
    assert sim.time <= 0.31


def test_save_and_checkpoint(ball, tmp_path):
    sim = footfall.Scene.from_dict(ball).sim()
    sim.advance(0.1)
    state = sim.save()
    sim.checkpoint(tmp_path / "run.chk", b"mine\0too")
    sim.advance()
    end = sim.bodies.tobytes()
    sim.restore(state)
    assert sim.time == 0.1
    sim.advance()
    assert sim.bodies.tobytes() == end
    other = footfall.Scene.from_dict(ball).sim()
    assert other.resume(tmp_path / "run.chk") == b"mine\0too"
    other.advance()
    assert other.bodies.tobytes() == end
    with pytest.raises(footfall.InputError):
        sim.restore(state[:-1])
    with pytest.raises(footfall.InputError):
        sim.restore(b"\0" * len(state))
    with pytest.raises(footfall.InputError):
        other.resume(tmp_path / "none.chk")
    with pytest.raises(footfall.InputError, match="No such file"):
        sim.checkpoint(tmp_path / "no/such/folder.chk")
    sim.checkpoint(tmp_path / "bare.chk")
    assert sim.resume(tmp_path / "bare.chk") == b""


def test_begin(ball):
    sim = footfall.Scene.from_dict(ball).sim()
    bodies = sim.bodies
    bodies["position"][0] = [0, 0, 0.3]
    sim.advance()
    sim.begin(bodies)
    assert sim.time == 0 and sim["bodies.ball.position[2]"] == 0.3
    with pytest.raises(footfall.InputError, match="sim.bodies"):
        sim.begin(np.zeros(3))


def test_a_run_that_fails_raises_with_its_trace(ball):
    # euler at a step far beyond stability
    ball["run"] = {"until": 0.5, "method": "euler", "dt": 2e-3}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        sim = footfall.Scene.from_dict(ball).sim()
        with pytest.raises(footfall.RunError) as caught:
            sim.run()
        with pytest.raises(footfall.RunError):
            sim.verdict()
    # it reaches its end, but its ledger does not close
    assert "residual" in str(caught.value) and len(caught.value.trace) > 10
    assert caught.value.trace.facts.complete and caught.value.trace.facts.failed
    # a force whose effect overflows: the run ends early
    ball["forces"] = {"push": {"constant": {"body": "ball", "force": [0, 0, -1e300]}}}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with pytest.raises(footfall.RunError, match="at .* s: ") as caught:
            footfall.Scene.from_dict(ball).sim().run()
    assert caught.value.trace.facts.ended and not caught.value.trace.facts.complete


def test_unreachable_rest(ball):
    del ball["ground"], ball["pairs"]
    ball["start"] = "rest"
    with pytest.raises(footfall.InputError):
        footfall.Scene.from_dict(ball).sim()


def test_rest(ball):
    ball["start"] = "rest"
    ball["bodies"]["ball"]["position"] = [0, 0, 0.0164]
    rest = footfall.Scene.from_dict(ball).sim().rest
    assert rest.found and rest.carrying == 1


def test_the_lock_is_released_while_stepping(scenes):
    """A thread counts while another one makes 13,000 steps of a crowd in one call of the library."""
    model = footfall.Scene.from_file(scenes / "grains.yaml").model()
    sim, counted, going = model.sim(), 0, threading.Event()
    begun, ended = [], []

    def go():
        begun.append(time.perf_counter())
        going.set()
        from footfall._core import lib
        lib.ff_sim_advance(sim._c, 0.4)
        ended.append(time.perf_counter())

    worker = threading.Thread(target=go)
    worker.start()
    going.wait()
    while not ended:
        counted += 1
        time.sleep(1e-4)
    worker.join()
    # if the lock were held, this thread would get it only before and after the call
    assert ended[0] - begun[0] > 0.01 and counted > 10


def test_threads_share_a_model(ball):
    model = footfall.Scene.from_dict(ball).model()
    ends = [b""] * 4

    def go(i):
        sim = model.sim()
        sim.advance()
        ends[i] = sim.bodies.tobytes()

    threads = [threading.Thread(target=go, args=(i,)) for i in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert len(set(ends)) == 1 and ends[0]


@pytest.mark.parametrize("call", ["sim.advance()", "sim.run()"])
def test_ctrl_c_ends_a_run(call):
    program = f"""
import footfall, signal, threading, os
signal.signal(signal.SIGINT, signal.default_int_handler)
sim = footfall.Scene.from_file("scenes/double_pendulum.yaml").sim(until=1e6)   # it never comes to rest
threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()
try:
    {call}
except KeyboardInterrupt:
    print("interrupted", sim.time > 0)
"""
    done = subprocess.run(["timeout", "60", sys.executable, "-c", program], text=True, capture_output=True, cwd=ROOT)
    assert done.stdout.strip() == "interrupted True", done.stderr


def test_crowds(scenes):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        sim = footfall.Scene.from_file(scenes / "grains.yaml").sim(threads=1)
    assert sim.model.crowd and sim.model.classes and sim.bodies.shape == (len(sim.model.bodies),)
    sim.advance(0.001)
    assert sim.time == pytest.approx(0.001) and sim.ledger.kinetic >= 0


def test_inclusions(scenes):
    inclusion = footfall.load(ROOT / "papers/xiong2013/bounce.yaml")
    assert isinstance(inclusion, footfall.Inclusion) and "'" in inclusion.show()
    sim = inclusion.sim()
    sim.advance(0.2)
    assert sim.time == 0.2
    assert any(f.path.startswith("states.") for f in sim.model.fields())
    assert len(inclusion.sim(until=0.1).run()) > 2
    assert "bounce" in repr(inclusion)
    with pytest.raises(footfall.InputError):
        footfall.Inclusion.from_text("rates: {x: y}")
    with pytest.raises(TypeError):
        footfall.Inclusion()


def test_parameters_and_memory(scenes):
    scene = footfall.Scene.from_file(scenes / "hopper.yaml")
    assert scene.parameters["k"] == 6000 and scene.parameters["rest"] == 0.5
    assert 1e3 < scene.memory < 1e8 and "hopper.yaml" in repr(scene)


def test_gait(scenes):
    scene = footfall.Scene.from_file(scenes / "biped.yaml")
    gait = scene.gait()
    step = gait.step()
    assert step.period > 0.1 and step.length > 0.01
    cycle = gait.find()
    assert cycle.residual < 1e-6 and cycle.multipliers.dtype == complex
    assert cycle.largest == pytest.approx(abs(cycle.multipliers[0])) and cycle.stable == (cycle.largest < 1 - cycle.error)
    # a step from there returns to the cycle
    again = gait.step()
    assert again.change < 1e-5 and again.period == pytest.approx(cycle.period, rel=1e-6)
    where = gait.bodies
    gait.stand(where)
    assert gait.bodies.tobytes() == where.tobytes() and len(gait.names) == len(where)
    with pytest.raises(footfall.InputError):
        gait.stand(np.zeros(2))
    with pytest.raises(footfall.InputError, match="gait"):
        footfall.Scene.from_file(scenes / "rolling.yaml").gait()
    with pytest.raises(TypeError):
        scene.gait(tolerance=3)
    still = where.copy()
    still["omega"] = still["velocity"] = 0
    gait.stand(still)
    with pytest.raises(footfall.InputError, match="falls"):
        gait.step()


@pytest.mark.parametrize("path", sorted((ROOT / "scenes").glob("*.yaml")), ids=lambda p: p.stem)
def test_every_scene_can_be_started(path):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        sim = footfall.load(path).sim()
        sim.step()
    assert sim.time > 0


def test_trust():
    model = footfall.load(os.path.join(ROOT, "scenes", "double_pendulum.yaml")).model()
    calm, chaos = model.trust(), model.trust(until=30, samples=300)
    assert calm.least.digits > 9 and not calm.undetermined and len(calm) == len(list(calm)) > 20
    elbow = chaos["joints.elbow.position"]
    assert elbow in chaos.undetermined and elbow.digits < 1 and 15 < elbow.few_from < elbow.none_from < 30
    assert calm["joints.elbow.position"].few_from is None and elbow.unit == "rad" and "joints.elbow.position" in chaos
    assert [r.tol for r in calm.runs] == [1e-9, 1e-9 / 10, 1e-9 / 100] and calm.runs[2].max_step < 1
    assert (chaos.samples, chaos.seed, calm.runs[0].error) == (301, 1, "")
    assert "14 of 27 undetermined" in repr(chaos)
    # another seed is another largest step
    assert model.trust(seed=2).runs[2].max_step != calm.runs[2].max_step


def test_trust_calls_back():
    model = footfall.load(os.path.join(ROOT, "scenes", "rolling.yaml")).model()
    starts, kinds = [], set()

    def begin(sim):
        sim["bodies.ball.velocity"] = [1, 0, 0]
        starts.append(sim.time)

    def act(sim, event):
        kinds.add(event and event.kind)

    trust = model.trust(until=0.2, fields="contacts.ball/floor.force", begin=begin, act=act)
    assert starts == [0, 0, 0] and {None, "touchdown", "liftoff"} <= kinds
    # on its way at 1 m/s until friction holds it back
    assert trust["bodies.ball.position"].scale > 0.15 and trust["contacts.ball/floor.force"].digits > 6
    with pytest.raises(footfall.NotFoundError, match="there is no field"):
        model.trust(fields=["nothing"])
    with pytest.raises(footfall.InputError, match="samples must be 1 or more"):
        model.trust(samples=0)
    with pytest.raises(TypeError, match="a run has no 'tolerance'"):
        model.trust(tolerance=1)
    with pytest.raises(footfall.RunError, match="10 steps"):
        model.trust(max_steps=10)
    for which in "begin", "act":
        with pytest.raises(ZeroDivisionError):
            model.trust(until=0.2, **{which: lambda *_: 1 / 0})
