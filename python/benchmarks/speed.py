#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright the footfall authors
"""What calling the library from Python costs, beside the same loops in C: CPU time, by turns, the best of many.

    PYTHONPATH=build/python python3 python/benchmarks/speed.py

A C compiler builds the loops in C (CC, or cc). Exits 1 where a goal is missed: restitution of a million speeds at most 1.3
times the loop in C, under 2 us more for a step, a Python controller at 1 kHz on the quadruped faster than real time.
"""

import math
import os
import pathlib
import subprocess
import sys
import tempfile
import time

import numpy as np

import footfall

ROOT = pathlib.Path(__file__).resolve().parents[2]
TURNS = 9

C_LOOPS = r"""
#include <footfall/footfall.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* answers each line of input, `restitution` or `step`, with seconds */
int main(int count, char **words) {
    enum { SPEEDS = 1000000 };
    static double speeds[SPEEDS], e[SPEEDS];
    char line[64];
    ff_normal law;
    ff_scene *scene;
    ff_model *model;
    if (count < 2 || ff_scene_read(words[1], NULL, 0, &scene, NULL) < 0 || ff_model_create(scene, &model, NULL) < 0) {
        return 1;
    }
    ff_normal_init(&law, ff_normal_law_find("azad-featherstone"), NULL);
    ff_normal_set(&law, "k", 8.5e6, NULL);
    ff_normal_set(&law, "lambda", 3.1e3, NULL);
    for (int i = 0; i < SPEEDS; i++) {
        speeds[i] = 0.01 + 1e-5 * i;
    }
    while (fgets(line, sizeof line, stdin)) {
        double begun = now();
        long steps = 1;
        if (line[0] == 'r') {
            for (int i = 0; i < SPEEDS; i++) {
                e[i] = ff_impact_restitution(&law, 0.154, speeds[i]);
            }
        } else {
            ff_sim *sim;
            ff_sim_create(model, NULL, &sim, NULL);
            const double until = ff_model_run(model)->until;
            begun = now();
            while (ff_sim_time(sim) < until) {
                ff_sim_step(sim, until);
            }
            steps = ff_sim_statistics(sim).steps;
            ff_sim_free(sim);
        }
        printf("%.9g\n", (now() - begun) / (double)steps);
        fflush(stdout);
    }
}
"""


class Loops:
    """The loops in C, in a process that answers with seconds."""

    def __init__(self, folder: str) -> None:
        package = os.path.dirname(footfall.__file__)
        source, program = os.path.join(folder, "loops.c"), os.path.join(folder, "loops")
        with open(source, "w", encoding="utf-8") as file:
            file.write(C_LOOPS)
        library = os.path.join(package, "libfootfall.so")
        subprocess.run([os.environ.get("CC", "cc"), "-O2", "-D_POSIX_C_SOURCE=200809L", "-I", ROOT / "include", source,
                        library, f"-Wl,-rpath,{package}", "-o", program], check=True)
        # the library is asked for by its soname
        os.symlink(library, os.path.join(folder, "libfootfall.so." + ".".join(footfall.__version__.split(".")[:2])))
        env = {**os.environ, "LD_LIBRARY_PATH": folder}
        self.process = subprocess.Popen([program, ROOT / "scenes/bounce.yaml"], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, text=True, env=env)

    def seconds(self, what: str) -> float:
        self.process.stdin.write(what + "\n")
        self.process.stdin.flush()
        return float(self.process.stdout.readline())

    def close(self) -> None:
        self.process.stdin.close()
        self.process.wait()


def timed(function) -> float:
    begun = time.process_time()
    function()
    return time.process_time() - begun


def restitution(loops: Loops) -> float:
    law = footfall.Normal("azad-featherstone", k=8.5e6, lambda_=3.1e3)
    speeds = 0.01 + 1e-5 * np.arange(1000000)
    python, c = [], []
    for _ in range(TURNS):
        c.append(loops.seconds("restitution"))
        python.append(timed(lambda: footfall.restitution(law, speeds, 0.154)))
    ratio = min(python) / min(c)
    print(f"restitution of a million speeds: C {min(c) * 1e3:.1f} ms, numpy {min(python) * 1e3:.1f} ms, "
          f"ratio {ratio:.3f} (goal 1.3)")
    return ratio / 1.3


def steps(loops: Loops) -> float:
    model = footfall.Scene.from_file(ROOT / "scenes/bounce.yaml").model()

    def go() -> float:
        sim = model.sim()
        step, until, count = sim.step, sim.until, 0
        begun = time.process_time()
        while sim.time < until:
            step(until)
            count += 1
        return (time.process_time() - begun) / count

    python, c = [], []
    for _ in range(TURNS):
        c.append(loops.seconds("step"))
        python.append(go())
    more = min(python) - min(c)
    print(f"a step of scenes/bounce.yaml and its time: C {min(c) * 1e6:.2f} us, Python {min(python) * 1e6:.2f} us, "
          f"{more * 1e6:.2f} us more (goal 2)")
    return more / 2e-6


def fields() -> None:
    sim = footfall.Scene.from_file(ROOT / "scenes/quadruped.yaml").sim()
    sim.advance(0.01)
    read = sim.reader(["bodies.trunk.position", "bodies.trunk.orientation", "bodies.trunk.velocity"])
    write = sim.writer(["forces.fl_hm.pd.target[0]"])
    target = np.array([0.7])
    for name, call in (("sim[path]", lambda: sim["bodies.trunk.position"]), ("reader of 10 numbers", read),
                       ("writer of an input", lambda: write(target)), ("sim.time", lambda: sim.time)):
        each = min(timed(lambda: [call() for _ in range(1000)]) for _ in range(TURNS)) / 1000
        print(f"{name}: {each * 1e6:.2f} us")


def control() -> float:
    """The trot of scenes/quadruped_trot.yaml, commanded at 1 kHz by a Python function."""
    names = [f"{leg}_{joint}" for leg in ("fl", "fr", "hl", "hr") for joint in "ahk"]
    # the robot without the motors of its file
    source = (ROOT / "scenes/quadruped.yaml").read_text(encoding="utf-8").split("forces:")[0]
    scene = footfall.Scene.from_text(source + "run: {until: 3 s, tol: 1e-5}\n")
    stand = np.tile([0, 0.7, -1.4], 4)
    one, two = np.tile([0, 1, -2.0], 4), np.tile([0, 1, -2.0], 4)
    one[3:9] = 0
    two[:3] = two[9:] = 0

    @scene.controller(every=1e-3, commands=names)
    def trot(view):
        wave = 0.25 * math.sin(2 * math.pi * view.time / 0.5)
        target = stand + max(0.0, wave) * one + max(0.0, -wave) * two
        return 150 * (target - view.positions) - 3 * view.velocities

    model = scene.model()
    best = min(timed(model.sim().advance) for _ in range(3))
    print(f"3 s of a quadruped under a Python controller at 1 kHz: {best:.3f} s, {3 / best:.1f} times real time (goal 1)")
    return best / 3


def main() -> int:
    with tempfile.TemporaryDirectory() as folder:
        loops = Loops(folder)
        worst = max(restitution(loops), steps(loops))
        loops.close()
    fields()
    worst = max(worst, control())
    return worst > 1


if __name__ == "__main__":
    sys.exit(main())
