#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright the footfall authors
"""Five tests of SimBenchmark for footfall: errors and times. README.md beside this file describes them."""
import argparse
import csv
import json
import math
import os
import random
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
FOOTFALL = os.path.abspath(os.environ["FOOTFALL"]) if "FOOTFALL" in os.environ else "footfall"
G, R, M = 9.81, 0.1, 10.0
BALL = f"mass: {M}, shape: {{sphere: {{radius: {R}}}}}"
FLOOR = "ground:\n  floor: {plane: {normal: [0, 0, 1]}}\n"


def grid(height):
    """6 x 6 x 6 balls with reproducible offsets: Python's generator with seed 42, x, y, z of each ball in turn."""
    draw = random.Random(42)
    return [[0.21*i + 1e-3*draw.random(), 0.21*j + 1e-3*draw.random(), height + 0.21*k + 1e-3*draw.random()]
            for i in range(6) for j in range(6) for k in range(6)]


def balls(places):
    return "bodies:\n" + "".join(f"  b{i}: {{{BALL}, position: {place}}}\n" for i, place in enumerate(places))


def bouncing():
    return (balls([[2*i, 2*j, 5.0] for i in range(7) for j in range(7)]) + FLOOR +
            'pairs:\n  - {between: ["*", floor], normal: {law: hertz, k: 1e9}}\nrun: {until: 20 s}\n')


def pile(height, normal):
    return (balls(grid(height)) + FLOOR + f'pairs:\n  - {{between: ["*", "*"], normal: {normal}}}\n'
            f'  - {{between: ["*", floor], normal: {normal}}}\nrun: {{until: 10 s, method: verlet, events: none, dt: 1e-4}}\n')


def robot(gravity, trunk, more):
    """The quadruped of scenes/ with free joints: no motors, no ground."""
    with open(os.path.join(HERE, "../../scenes/quadruped.yaml"), encoding="utf-8") as file:
        text = file.read()
    text = re.sub(r"(?ms)^(ground|pairs|forces|run):.*?(?=^\S|\Z)", "", text)
    text = re.sub(r"gravity:.*", f"gravity: [0, 0, {gravity}]", text)
    return re.sub(r"  trunk: .*", f"  trunk: {{mass: 8 kg, inertia: [0.03, 0.12, 0.13], {trunk}}}", text) + more


def momentum():
    text = robot(0, "position: [0, 0, 2], shape: {sphere: {radius: 10 cm}}",
                 "pairs:\n  - {between: [ball, trunk], normal: {law: hunt-crossley, restitution: 0.01 at 5 m/s, k: 1e7}}\n"
                 "run: {until: 10 s}\n")
    return text.replace("  trunk:", "  ball: {mass: 10 kg, shape: {sphere: {radius: 20 cm}}, position: [0, -5, 2], velocity: [0, 5, 0]}\n  trunk:", 1)


def energy():
    mass = 8 + 4*(0.5 + 0.8 + 0.3)
    return robot(-G, "position: [0, 0, 2]", f"forces:\n  lift: {{body: trunk, force: [0, 0, {2*mass*G}], to: 1 s}}\nrun: {{until: 3 s}}\n")


def run(text, every, *words):
    """Two runs, as in SimBenchmark: table rows from the first, computing time from the second."""
    with tempfile.TemporaryDirectory() as work:
        path, out = os.path.join(work, "s.yaml"), os.path.join(work, "t.csv")
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        for more in (["-o", out, "--every", every, "-q"], ["--json"]):
            done = subprocess.run([FOOTFALL, "run", path, *words, *more], capture_output=True, text=True, check=False)
            # a run whose ledger does not close fails with a message
            if done.returncode == 1 and "does not close" in done.stderr:
                return None
            if done.returncode:
                sys.exit(f"{' '.join(words)}: {done.stderr}")
        answer = json.loads(done.stdout)
        with open(out, encoding="utf-8") as file:
            table = csv.reader(file)
            names = next(table)
            return names, [[float(x) for x in row] for row in table], answer


def root_mean(squares):
    squares = list(squares)
    return math.sqrt(sum(squares)/len(squares))


def of_energy(names, rows, since, scale):
    """Root mean square error of the energy, including springs, relative to `scale` (0: to the energy at `since`)."""
    places = [names.index(f"ledger:{name}") for name in ("kinetic", "gravity", "normal_spring")]
    energies = [sum(row[i] for i in places) for row in rows if row[0] >= since - 1e-12]
    return root_mean((e - energies[0])**2 for e in energies)/(scale or abs(energies[0]))


def of_momentum(names, rows):
    masses = {name[:-3]: 0.5 if "hip" in name else 0.8 if "thigh" in name else 0.3 if "shank" in name else 8 if "trunk" in name else 10
              for name in names if name.endswith(":vx")}
    places = [(mass, names.index(f"{name}:vx")) for name, mass in masses.items()]
    def square(row):
        p = [sum(mass*row[i + c] for mass, i in places) for c in range(3)]
        return p[0]**2 + (p[1] - 50)**2 + p[2]**2
    return root_mean(map(square, rows))/50


def of_overlap(names, rows):
    """Time average of the sum of squared overlaps, between balls and with the ground, m^2."""
    places = [i for i, name in enumerate(names) if name.endswith(":x")]
    total = 0
    for row in rows:
        cells = {}
        for i in places:
            x, y, z = row[i:i + 3]
            total += max(0, R - z)**2
            key = tuple(math.floor(c/(2*R)) for c in (x, y, z))
            cells.setdefault(key, []).append((x, y, z))
        for (a, b, c), here in cells.items():
            near = [p for i in (-1, 0, 1) for j in (-1, 0, 1) for k in (-1, 0, 1) for p in cells.get((a + i, b + j, c + k), [])]
            # each pair is counted twice, and each ball once with itself
            total += sum(max(0, 2*R - math.dist(p, q))**2 for p in here for q in near if p is not q)/2
    return total/len(rows)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--test", help="only this one")
    parser.add_argument("--check", action="store_true", help="0.6 s of each pile, one step size, no tolerance below 1e-8; fail unless errors are small")
    given = parser.parse_args()
    # largest errors: the tolerance of adaptive steps; (0.3 mm)^2 for each of 216 balls that overlap; a thousandth of the energy
    limits = {"666": 216*3e-4**2, "elastic 666": 1e-3}
    adaptive = [("--tol", tol) for tol in ("1e-4", "1e-6", "1e-8", "1e-10")]
    fixed = [("--dt", dt) for dt in ("1e-4", "4e-5", "2e-5")]
    if given.check:
        fixed, adaptive = [("--dt", "4e-5", "--until", "0.6 s")], adaptive[:3]
    e666 = sum(M*G*z for _, _, z in grid(1.101))
    tests = (
        ("bouncing", bouncing(), "10ms", adaptive, lambda n, r: of_energy(n, r, 0, 49*M*G*5)),
        ("666", pile(0.101, "{law: azad-featherstone, k: 1e9, lambda: 3e6}"), "0.1", fixed, of_overlap),
        ("elastic 666", pile(1.101, "{law: hertz, k: 1e9}"), "10ms", fixed, lambda n, r: of_energy(n, r, 0, e666)),
        ("momentum", momentum(), "10ms", adaptive, of_momentum),
        ("energy", energy(), "10ms", adaptive, lambda n, r: of_energy(n, r, 1, 0)))
    print("| test | tol or step | error | time, s | steps |\n| --- | --- | --- | --- | --- |")
    for name, text, every, ways, error in tests:
        for way in ways if given.test in (None, name) else ():
            done = run(text, every, *way)
            if not done:
                print(f"| {name} | {way[0][2:]} {way[1]} | refused: the ledger does not close | | |", flush=True)
                continue
            names, rows, answer = done
            found = error(names, rows)
            print(f"| {name} | {way[0][2:]} {way[1]} | {found:.2g} | {answer['wall_seconds']:.2g} | {answer['steps']} |", flush=True)
            limit = limits.get(name, float(way[1]))
            assert not given.check or found <= limit, f"{name}, {' '.join(way)}: an error of {found}, more than {limit}"


if __name__ == "__main__":
    main()
