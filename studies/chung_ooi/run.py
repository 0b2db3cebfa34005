#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright the footfall authors
"""The eight impact tests of Chung and Ooi (2011) in one table: the results of footfall, those of theory or measurement,
and their differences. README.md beside this file describes each comparison."""
import argparse
import importlib.util
import json
import math
import os
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))


def beside(name):
    """The study of oblique impacts, whose spheres and measured tables are used in tests 4 and 5."""
    spec = importlib.util.spec_from_file_location(name, os.path.join(HERE, "..", name, "run.py"))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


oblique = beside("oblique_impact")
Sphere, command = oblique.Sphere, oblique.command
ROWS = []


def row(test, what, got, want, allowed, by, scale=None):
    """The difference is relative to `scale`: the reference, unless that is a small difference of larger numbers."""
    ROWS.append((test, what, got, want, abs(got - want) / (scale or abs(want) or 1), allowed, by))


def printed(test, what, R, E, mass, speed, values):
    """A normal impact under Hertz's law, compared with values printed with five or six digits."""
    out = command("restitution", "--normal", "hertz", "--k", repr(4 / 3 * E * math.sqrt(R)), "--mass", repr(mass),
                  "--speed", repr(speed))["points"][0]
    for quantity, value, unit in zip(("max_force", "max_depth", "contact_time"), values, ("N", "m", "s")):
        row(test, f"{what}: {quantity}, {unit}", out[quantity], value, 2e-5, "printed")


def bed(sphere):
    return {"law": "bed", "mu": sphere.mu, "ratio": sphere.ratio}


def slides(sphere, slip, vn, e):
    """Whether the whole contact slides throughout: v_s/(mu v_n) >= (7/2) (1 + e) - 1/kappa, for e = 1 Maw, Barber and
    Fawcett's 4 chi - 1 (1976)."""
    return slip / (sphere.mu * vn) >= 3.5 * (1 + e) - 1 / sphere.ratio


def normal_impacts():
    for what, E, nu, density, values in (("glass", 48e9, 0.2, 2800, (10696.9, 274.11e-6, 40.339e-6)),
                                         ("limestone", 20e9, 0.25, 2500, (7108.2, 368.30e-6, 54.201e-6))):
        printed(1, what, 0.005, E / (2 * (1 - nu * nu)), density * 2 / 3 * math.pi * 0.01**3, 20, values)
    for what, E, nu, density, values in (("aluminium", 70e9, 0.30, 2699, (11369.9, 49.717e-6, 731.66e-6)),
                                         ("magnesium", 40e9, 0.35, 1800, (7232.7, 52.123e-6, 767.07e-6))):
        printed(2, what, 0.1, E / (1 - nu * nu), density * 4 / 3 * math.pi * 0.1**3, 0.2, values)
    for what, sphere in (("alumina", Sphere(2.5e-3, 380e9, 0.23, 4000, 0.1)),
                         ("cast iron", Sphere(2.5e-3, 100e9, 0.25, 7000, 0.1))):
        for e in (0.2, 0.4, 0.6, 0.8, 1.0):
            normal = sphere.elastic() if e == 1 else sphere.damped(e, 3.9)
            row(3, f"{what}: e", sphere.hit(normal, {"law": "none"}, 3.9, 0.0)["vz"] / 3.9, e, 1e-8, "asked for")


def sliding(test, what, sphere, normal, vn, vt, spin=0.0):
    """A sphere on a plane: its angular momentum about the contact is conserved at every speed, and if the contact slides
    throughout, its velocities are those of a rigid sphere, v_t' = v_t - mu (1 + e) v_n."""
    at = sphere.hit(normal, bed(sphere), vn, vt, spin)
    e, r = at["vz"] / vn, sphere.radius
    slip = vt - spin * r
    row(test, f"{what}: spin, rad/s", at["spin"], spin + 2.5 * (vt - at["vx"]) / r, 1e-6, "angular momentum")
    if slides(sphere, abs(slip), vn, e):
        rub = math.copysign(sphere.mu * (1 + e) * vn, slip)
        row(test, f"{what}: v_t, m/s", at["vx"], vt - rub, 2e-5, "rigid sliding")
        row(test, f"{what}: v_s, m/s", at["slip"], slip - 3.5 * rub, 2e-5, "rigid sliding", abs(slip))
    return at


def oblique_impacts():
    alumina = Sphere(2.5e-3, 380e9, 0.23, 4000, 0.092)
    damped = alumina.damped(0.98, 3.9)
    for angle in (5, 25, 45, 65, 85):
        a = math.radians(angle)
        sliding(4, f"{angle} deg", alumina, damped, 3.9 * math.cos(a), 3.9 * math.sin(a))
    off = oblique.kharaz(oblique.table("| quantity"), damped, bed(alumina), alumina)
    for quantity, unit, most in (("e_t", "", 0.014), ("spin", ", rad/s", 18.5), ("rebound", ", deg", 1.5)):
        row(4, f"all angles: {quantity}{unit}, rms", oblique.rms(off[quantity]), 0, most, "measured")
    steel, soft = Sphere(1e-5, 208e9, 0.30, 7850, 0.3), Sphere(1e-5, 1e9, 0.40, 1400, 0.3)
    for what, sphere in (("steel", steel), ("polyethylene", soft)):
        for vt in (0.1, 2.0, 10.0, 21.0):
            sliding(5, f"{what}, {vt:g} m/s", sphere, sphere.elastic(), 5.0, vt)
    fem = oblique.finite_elements(oblique.table("| x |"), bed(steel), steel)
    row(5, "steel: v_s'/(mu v_n), rms", oblique.rms(fem), 0, 0.07, "finite elements")


class Pair:
    """Two spheres on the x axis, the first coming from the left, with spins about y."""

    def __init__(self, radii, E, nu, densities, mu):
        self.radii, self.mu = radii, mu
        self.masses = [d * 4 / 3 * math.pi * r**3 for d, r in zip(densities, radii)]
        self.R = 1 / sum(1 / r for r in radii)
        self.k = 4 / 3 * E / (2 * (1 - nu * nu)) * math.sqrt(self.R)
        self.ratio = 2 * (1 - nu) / (2 - nu)
        self.reduced = self.masses[0] * self.masses[1] / sum(self.masses)

    def hit(self, speeds, spins):
        a, b = self.radii
        closing = speeds[0] - speeds[1]
        until = 20 * 2.9432 * (1.25 * self.reduced / self.k) ** 0.4 * closing**-0.2
        scene = f"""gravity: [0, 0, 0]
bodies:
  a: {{mass: {self.masses[0]!r}, shape: {{sphere: {{radius: {a!r}}}}}, position: [{-a!r}, 0, 0], velocity: [{speeds[0]!r}, 0, 0], omega: [0, {spins[0]!r}, 0]}}
  b: {{mass: {self.masses[1]!r}, shape: {{sphere: {{radius: {b!r}}}}}, position: [{b!r}, 0, 0], velocity: [{speeds[1]!r}, 0, 0], omega: [0, {spins[1]!r}, 0]}}
pairs:
  - {{between: [a, b], normal: {{law: hertz, k: {self.k!r}}}, friction: {{law: bed, mu: {self.mu}, ratio: {self.ratio!r}}}}}
run: {{until: {until!r}, tol: 1e-8}}
"""
        with tempfile.NamedTemporaryFile("w", suffix=".yaml") as file:
            file.write(scene)
            file.flush()
            out = command("run", file.name)
        assert abs(out["ledger"]["residual"]) <= 1e-6 * out["ledger"]["scale"], "the ledger does not close"
        return out["bodies"]["a"], out["bodies"]["b"]


def sliding_pair(test, what, pair, speeds, spins):
    """If the contact slides throughout, the impulse is mu P, P = (1 + e) m (v_a - v_b), with the reduced mass m. The common
    point of action of the forces is inside both spheres: levers are a few parts in 1e4 shorter than radii."""
    a, b = pair.hit(speeds, spins)
    P = 2 * pair.reduced * (speeds[0] - speeds[1])
    slip = spins[0] * pair.radii[0] + spins[1] * pair.radii[1]
    # the patch of a moves by -omega r along z, that of b by +omega r
    for name, body, mass, radius, spin, sign in (("first", a, pair.masses[0], pair.radii[0], spins[0], 1),
                                                 ("second", b, pair.masses[1], pair.radii[1], spins[1], -1)):
        push = math.copysign(pair.mu * P, slip)
        row(test, f"{what}, {name}: v_t, m/s", body["velocity"][2], sign * push / mass, 1e-3, "rigid sliding")
        row(test, f"{what}, {name}: spin, rad/s", body["omega"][1], spin - 2.5 * push / (mass * radius), 1e-3, "rigid sliding")
    momentum = sum(m * body["velocity"][2] for m, body in zip(pair.masses, (a, b)))
    row(test, f"{what}: momentum across, by part", momentum / (pair.masses[0] * a["velocity"][2]), 0, 1e-9,
        "conserved")


def spinning():
    for what, sphere in (("aluminium", Sphere(0.1, 70e9, 0.33, 2700, 0.4)), ("nylon", Sphere(0.1, 2.5e9, 0.4, 1000, 0.4))):
        for spin in (0.175, 3.5, 14.0, 21.0):
            sliding(6, f"{what}, {spin:g} rad/s", sphere, sphere.elastic(), 0.2, 0.0, spin)
    for what, E, nu, density in (("aluminium", 70e9, 0.33, 2700), ("copper", 120e9, 0.35, 8900)):
        for spin in (14.0, 21.0):
            pair = Pair((0.1, 0.1), E, nu, (density, density), 0.4)
            sliding_pair(7, f"{what}, {spin:g} rad/s", pair, (0.2, -0.2), (spin, spin))
    for what, E, nu, density in (("aluminium", 70e9, 0.33, 2700), ("nylon", 2.5e9, 0.4, 1000)):
        for spin in (14.0, 21.0):
            pair = Pair((0.1, 0.5), E, nu, (density, 1000 * density), 0.4)
            sliding_pair(8, f"{what}, {spin:g} rad/s", pair, (0.2, 0.0), (spin, 0.0))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="fail unless every row is within what it is allowed")
    parser.add_argument("--json", action="store_true", help="print the rows as one JSON object")
    options = parser.parse_args()
    normal_impacts()
    oblique_impacts()
    spinning()
    names, wrong = ("test", "quantity", "footfall", "reference", "off", "allowed", "by"), []
    rows = []
    for test, what, got, want, off, allowed, by in ROWS:
        rows.append(dict(zip(names, (test, what, got, want, off, allowed, by))))
        if not off <= allowed:
            wrong.append(f"test {test}, {what}: {got} instead of {want}")
    if options.json:
        print(json.dumps({"rows": rows}, indent=1))
    else:
        print("test  quantity                                      footfall      reference      off  allowed  by")
        for r in rows:
            print(f"{r['test']:4d}  {r['quantity']:42s} {r['footfall']:12.6g}   {r['reference']:12.6g}  {r['off']:7.2g}  "
                  f"{r['allowed']:7.2g}  {r['by']}")
    if options.check and wrong:
        sys.exit("\n".join(wrong))
    if options.check and not options.json:
        print(f"\nall {len(rows)} rows are within what they are allowed")


if __name__ == "__main__":
    main()
