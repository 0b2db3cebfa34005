#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright the footfall authors
"""Oblique impacts under several friction laws, compared with the measurements in README.md beside this file."""
import argparse
import json
import math
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
FOOTFALL = os.environ.get("FOOTFALL", "footfall")


def table(head):
    """The rows of the table in README.md whose first line begins with this text."""
    with open(os.path.join(HERE, "README.md"), encoding="utf-8") as file:
        lines = iter(file.read().splitlines())
    for line in lines:
        if line.startswith(head):
            break
    next(lines)
    rows = []
    for line in lines:
        if not line.startswith("|"):
            break
        rows.append([cell.strip() for cell in line.strip("|").split("|")])
    return rows


def command(*args):
    done = subprocess.run([FOOTFALL, *args, "--json"], capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"footfall {' '.join(args)}: {done.stderr or done.stdout}")
    return json.loads(done.stdout)


class Sphere:
    """A sphere on a rigid plane: its material, and derived quantities."""

    def __init__(self, radius, E, nu, density, mu):
        self.radius, self.nu, self.mu = radius, nu, mu
        self.mass = density * 4 / 3 * math.pi * radius**3
        self.k = 4 / 3 * E / (1 - nu * nu) * math.sqrt(radius)
        self.ratio = 2 * (1 - nu) / (2 - nu)

    def elastic(self):
        return {"law": "hertz", "k": self.k}

    def damped(self, e, speed):
        """The law of a viscous bed with this restitution at this speed."""
        law = command("design", "--normal", "azad-featherstone", "--detach", "local", "--k", repr(self.k), "--mass",
                      repr(self.mass), "--speed", repr(speed), "--restitution", repr(e))
        return {"law": "azad-featherstone", "k": self.k, "lambda": law["parameters"]["lambda"], "detach": "local"}

    def frictions(self, time):
        """Friction laws by name. Laws that require damping get a time constant of a thousandth of the contact time."""
        mindlin, full = 1.5 * self.k * self.ratio, 1.5 * self.k
        return {
            "bed": {"law": "bed", "mu": self.mu, "ratio": self.ratio},
            "clutch, Mindlin": {"law": "clutch", "mu": self.mu, "k": mindlin, "damping": 1e-3 * time * mindlin},
            "clutch, 3/2 k": {"law": "clutch", "mu": self.mu, "k": full, "damping": 1e-3 * time * full},
            "clutch, passive": {"law": "clutch", "mu": self.mu, "k": full, "damping": 1e-3 * time * full, "passive": "true"},
            "coulomb": {"law": "coulomb", "mu": self.mu, "v_ramp": 1e-3},
        }

    def hit(self, normal, friction, vn, vt, spin=0.0):
        """Velocities after an impact: of the centre, tangential and normal to the plane; spin; and of the contact patch."""
        def text(law):
            return "{" + ", ".join(f"{key}: {value}" for key, value in law.items()) + "}"

        scene = f"""gravity: [0, 0, 0]
bodies:
  ball: {{mass: {self.mass!r}, shape: {{sphere: {{radius: {self.radius!r}}}}}, position: [0, 0, {self.radius!r}],
         velocity: [{vt!r}, 0, {-vn!r}], omega: [0, {spin!r}, 0]}}
ground:
  plate: {{plane: {{point: [0, 0, 0], normal: [0, 0, 1]}}}}
pairs:
  - {{between: [ball, plate], normal: {text(normal)}, friction: {text(friction)}}}
run: {{until: {100 * self.time(vn)!r}, tol: 1e-8}}
"""
        with tempfile.NamedTemporaryFile("w", suffix=".yaml") as file:
            file.write(scene)
            file.flush()
            out = command("run", file.name)
        ledger, ball = out["ledger"], out["bodies"]["ball"]
        assert abs(ledger["residual"]) <= 1e-6 * ledger["scale"], "the ledger does not close"
        assert friction["law"] != "bed" or ledger["created"] == 0, "energy was created"
        vx, omega = ball["velocity"][0], ball["omega"][1]
        return {"vx": vx, "vz": ball["velocity"][2], "spin": omega, "slip": vx - omega * self.radius}

    def time(self, vn):
        """Contact time of an elastic impact, s."""
        return 2.9432 * (1.25 * self.mass / self.k) ** 0.4 * vn**-0.2


def kharaz(rows, normal, friction, sphere):
    """Differences from the measurement, by quantity."""
    off = {}
    for quantity, angle, value in rows:
        a = math.radians(float(angle))
        vt = 3.9 * math.sin(a)
        at = sphere.hit(normal, friction, 3.9 * math.cos(a), vt)
        got = {"e_t": at["vx"] / vt, "spin": at["spin"], "rebound": math.degrees(math.atan2(at["slip"], at["vz"]))}
        off.setdefault(quantity, []).append((float(angle), float(value), got[quantity]))
    return off


def rms(rows):
    return math.sqrt(sum((got - value) ** 2 for _, value, got in rows) / len(rows))


def finite_elements(rows, friction, sphere):
    out = []
    for x, y in rows:
        at = sphere.hit(sphere.elastic(), friction, 5.0, float(x) * sphere.mu * 5)
        out.append((float(x), float(y), at["slip"] / (sphere.mu * 5)))
    return out


def oblique(plots):
    measured, computed = table("| quantity"), table("| x |")
    alumina = Sphere(2.5e-3, 380e9, 0.23, 4000, 0.092)
    steel = Sphere(1e-5, 208e9, 0.30, 7850, 0.3)
    laws, small = alumina.frictions(alumina.time(3.9)), steel.frictions(steel.time(5))
    damped, curves, found = alumina.damped(0.98, 3.9), {}, {}
    print("friction               e   e_t     spin, rad/s  rebound, deg  finite elements")
    for name, friction in laws.items():
        fem = finite_elements(computed, small[name], steel)
        curves[name] = {"fem": fem}
        for e, normal in ((1, alumina.elastic()), (0.98, damped)):
            off = kharaz(measured, normal, friction, alumina)
            found[name, e] = [rms(off[q]) for q in ("e_t", "spin", "rebound")] + [rms(fem)]
            curves[name].update(off if e == 1 else {})
            row = found[name, e]
            print(f"{name:20s} {e:4}   {row[0]:.4f}  {row[1]:10.1f}  {row[2]:12.2f}  " + (f"{row[3]:15.3f}" if e == 1 else ""))
    if plots:
        plot(curves, plots)
    return found


def plot(curves, folder):
    """Plot quantities over the angle with gnuplot: measured points, and a line for each law."""
    os.makedirs(folder, exist_ok=True)
    labels = {"e_t": ("angle, deg", "tangential restitution"), "spin": ("angle, deg", "spin, rad/s"),
              "rebound": ("angle, deg", "rebound angle, deg"), "fem": ("v_s/(mu v_n) before", "v_s/(mu v_n) after")}
    for quantity, (x, y) in labels.items():
        script = [f"set terminal svg size 720,480; set output '{folder}/{quantity}.svg'",
                  f"set xlabel '{x}'; set ylabel '{y}'; set key outside", "plot "]
        data, parts = [], []
        for i, (name, of) in enumerate(curves.items()):
            rows = sorted(of[quantity])
            if i == 0:
                parts.append("'-' with points pt 7 title '%s'" % ("finite elements" if quantity == "fem" else "measured"))
                data.append("\n".join(f"{a} {value}" for a, value, _ in rows) + "\ne\n")
            parts.append(f"'-' with lines title '{name}'")
            data.append("\n".join(f"{a} {got}" for a, _, got in rows) + "\ne\n")
        text = "\n".join(script) + ", ".join(parts) + "\n" + "".join(data)
        subprocess.run(["gnuplot"], input=text, text=True, check=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--plot", metavar="DIR", help="write plots there")
    parser.add_argument("--check", action="store_true", help="fail unless the figures of README.md are met")
    options = parser.parse_args()
    found = oblique(options.plot)
    if options.check:
        # limits for a bed: e_t, spin, rebound, finite elements
        for e, most in ((1, (0.013, 17, 1.5, 0.07)), (0.98, (0.014, 18.5, 1.5, 0.07))):
            assert all(x <= y for x, y in zip(found["bed", e], most)), f"bed with e = {e}: {found['bed', e]}"
        print("\nall figures are met")


if __name__ == "__main__":
    main()
