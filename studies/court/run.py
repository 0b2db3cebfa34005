#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright the footfall authors
"""Requested and actual restitution of the installed engines; README.md beside this file describes the task."""
import argparse
import csv
import json
import math
import os
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
FOOTFALL = os.environ.get("FOOTFALL", "footfall")
ASKED, SPEEDS, TOLERANCES = (0.2, 0.5, 0.8, 1.0), (0.01, 0.03, 0.1, 0.3, 1, 3, 10), (1e-3, 1e-6, 1e-9)
SCENE = """gravity: [0, 0, 0]
bodies:
  ball: {mass: 1 kg, shape: {sphere: {radius: 10 cm}}, position: [0, 0, 10 cm + 1 um], velocity: [0, 0, -1]}
ground:
  floor: {plane: {normal: [0, 0, 1]}}
pairs:
  - between: [ball, floor]
    normal: %s
run: {until: 0.1 s}
"""


def call(*words, **more):
    return subprocess.run(words, capture_output=True, text=True, check=False, **more)


def pkg(name):
    done = call("pkg-config", "--cflags", "--libs", name) if shutil.which("pkg-config") else None
    return done.stdout.split() if done and done.returncode == 0 else None


def numbers(text):
    return [[float(cell) for cell in line.split(",")] for line in text.splitlines()]


def compiled(work, source, libraries, *words):
    """The rows of a driver in C or C++; None if it cannot be compiled."""
    program = os.path.join(work, source.partition(".")[0])
    compiler = "g++" if source.endswith("cpp") else "gcc"
    if libraries is None or not shutil.which(compiler):
        return None
    done = call(compiler, "-O2", os.path.join(HERE, source), "-o", program, *libraries, "-lm")
    if done.returncode:
        return None
    done = call(program, *words)
    if done.returncode:
        sys.exit(f"{source}: {done.stderr}")
    return numbers(done.stdout)


def script(folder, engine, package):
    """The rows of an engine in JavaScript; None if it is not in node_modules of this directory."""
    if not shutil.which("node") or not os.path.isdir(os.path.join(folder, "node_modules", package)):
        return None
    done = call("node", os.path.join(HERE, "court.mjs"), engine, folder)
    if done.returncode:
        sys.exit(f"{engine}: {done.stderr}")
    return numbers(done.stdout)


def footfall(work):
    """Adaptive steps, with the tolerance in place of the step size. The law has constant restitution, designed at 1 m/s."""
    rows, path = [], os.path.join(work, "ball.yaml")
    for e in ASKED:
        law = f"{{law: linear, restitution: {e} at 1 m/s, contact_time: 1 ms}}" if e < 1 else "{law: hertz, k: 1e8}"
        with open(path, "w", encoding="utf-8") as file:
            file.write(SCENE % law)
        done = call(FOOTFALL, "sweep", path, "--vary", "run.tol=" + ",".join(map(repr, TOLERANCES)), "--vary",
                    "bodies.ball.velocity[2]=" + ",".join(repr(-v) for v in SPEEDS), "--keep", "impact(1, restitution)", "--json")
        if done.returncode:
            sys.exit(f"footfall: {done.stderr}")
        for row in json.loads(done.stdout)["rows"]:
            tol, speed, got = row["values"]
            rows.append([e, tol, -speed, got, got, got])
    return rows


def draw(rows, path):
    """A heat map of the largest |actual - requested| for e = 0.5: engines and steps over speeds."""
    names = list(dict.fromkeys((row[0], row[2]) for row in rows if row[1] == 0.5))
    data = []
    for y, (engine, step) in enumerate(names):
        for x, speed in enumerate(SPEEDS):
            row = next(r for r in rows if r[:4] == [engine, 0.5, step, speed])
            worst = max(abs(row[5] - 0.5), abs(row[6] - 0.5))
            data.append(f"{x} {len(names) - 1 - y} {min(max(worst, 1e-6), 1):.6g}")
        data.append("")
    labels = ", ".join(f'"{engine}, {"tol" if engine == "footfall" else "step"} {step:g}" {len(names) - 1 - y}'
                       for y, (engine, step) in enumerate(names))
    speeds = ", ".join(f'"{speed:g}" {x}' for x, speed in enumerate(SPEEDS))
    text = f"""set terminal svg size 760,{120 + 26*len(names)} font "sans,12" background "white"
set output "{path}"
set title "asked e = 0.5: the worst |got - asked| of five phases of a step"
set logscale cb
set cbrange [1e-6:1]
set format cb "10^{{%T}}"
set palette defined (0 "#f7fbff", 0.5 "#6baed6", 0.8 "#d9a441", 1 "#b2182b")
set xlabel "speed (m/s)"
set xtics ({speeds})
set ytics ({labels})
set xrange [-0.5:{len(SPEEDS) - 0.5}]
set yrange [-0.5:{len(names) - 0.5}]
plot "-" using 1:2:3 with image notitle
""" + "\n".join(line for line in data if line) + "\ne\n"
    done = call("gnuplot", input=text)
    if done.returncode:
        sys.exit(f"gnuplot: {done.stderr}")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--node", default=HERE, help="folder with node_modules of Rapier and cannon-es; default: this one")
    parser.add_argument("--csv", help="write all rows")
    parser.add_argument("--plot", help="draw the map as .svg, by gnuplot")
    parser.add_argument("--check", action="store_true", help="fail unless footfall returns what is asked for")
    given = parser.parse_args()
    rows = []
    with tempfile.TemporaryDirectory() as work:
        engines = (
            ("footfall", lambda: footfall(work)),
            ("MuJoCo", lambda: compiled(work, "mujoco.c", ["-lmujoco"])),
            ("ODE", lambda: compiled(work, "ode.c", pkg("ode"))),
            ("Bullet", lambda: compiled(work, "bullet.cpp", pkg("bullet-float64"))),
            ("Bullet, late", lambda: compiled(work, "bullet.cpp", pkg("bullet-float64"), "late")),
            ("Rapier", lambda: script(given.node, "rapier", "@dimforge/rapier3d-compat")),
            ("cannon-es", lambda: script(given.node, "cannon", "cannon-es")))
        for name, run in engines:
            found = run()
            if found is None:
                print(f"{name} is not installed: left out", file=sys.stderr)
            rows += [[name, *row] for row in found or []]
    print("| engine | step or tol | " + " | ".join(f"e = {e:g}" for e in ASKED) + " |")
    print("| --- | --- |" + " --- |"*len(ASKED))
    for name, step in dict.fromkeys((row[0], row[2]) for row in rows):
        cells = []
        for e in ASKED:
            some = [row for row in rows if row[0] == name and row[2] == step and row[1] == e]
            low, high = min(row[5] for row in some), max(row[6] for row in some)
            high = "diverges" if math.isinf(high) else f"{high:.3f}"
            cells.append(f"{low:.3f} .. {high}".replace("-0.000", "0.000"))
        print(f"| {name} | {step:g}{'' if name == 'footfall' else ' s'} | " + " | ".join(cells) + " |")
    if given.check:
        for _, asked, tol, speed, *results in (row for row in rows if row[0] == "footfall"):
            # an impact has some ten steps, each with an error of the tolerance; below 1e-8 the design of the law limits it
            assert max(abs(got - asked) for got in results) <= max(0.1*tol, 1e-8), f"footfall, e = {asked} at {speed} m/s, tol {tol}: {results}"
        print("\nfootfall returns the requested restitution")
    if given.csv:
        with open(given.csv, "w", encoding="utf-8", newline="") as file:
            out = csv.writer(file, lineterminator="\n")
            out.writerow(["engine", "asked", "step", "speed", "mean", "least", "most"])
            out.writerows([name, *(f"{x:g}" for x in row[:3]), *(f"{x:.6g}" for x in row[3:])] for name, *row in rows)
    if given.plot:
        draw(rows, given.plot)


if __name__ == "__main__":
    main()
