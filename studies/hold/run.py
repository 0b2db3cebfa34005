#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright the footfall authors
"""A capsule pinched between two pads and held by friction alone: its drift under each friction law.

The setup is that of mujoco issue 3328: 45 g, radius 4 mm, mu = 0.7, pads that press with 12 or 60 N. README.md beside this
file lists the results of one hour of simulated time."""
import argparse
import concurrent.futures
import json
import math
import os
import subprocess
import sys
import tempfile

FOOTFALL = os.environ.get("FOOTFALL", "footfall")
MASS, MU, GRAVITY, RAMP = 0.045, 0.7, 9.81, 1e-3

# all laws with a tangential spring and damper have the same: kt, and a tenth of critical damping
LAWS = {
    "coulomb": "{law: coulomb, mu: mu, v_ramp: ramp}",
    "awrejcewicz": "{law: awrejcewicz, mu: mu, epsilon: ramp}",
    "bengisu-akay": "{law: bengisu-akay, mu_s: mu, mu: 0.6, v0: ramp}",
    "dahl": "{law: dahl, mu: mu, k: kt/load}",
    "lugre": "{law: lugre, mu: mu, k: kt/load, damping: 0.1*sqrt(kt*mass)/load}",
    "clutch": "{law: clutch, mu: mu, k: k, damping: 0.1*sqrt(kt*mass/depth)}",
    "sat": "{law: sat, mu: mu, k: kt, beta: 0.1*sqrt(mass/kt)}",
    "bed": "{law: bed, mu: mu, ratio: 2/3, tau: 0.1*sqrt(mass/kt)}",
}


def scene(law, squeeze, until):
    """The ends of the capsule touch pads at a fixed distance: each pad carries half of the squeeze per end."""
    return f"""parameters:
  mass: {MASS} kg
  radius: 4 mm
  squeeze: {squeeze} N
  mu: {MU}
  ramp: {RAMP} m/s
  load: squeeze/2
  k: 8.4e5 N/m^1.5                         # (4/3) E* sqrt(R), E* = 10 MPa: hard rubber
  depth: (load/k)^(2/3)
  kt: k*sqrt(depth)
gravity: [0, 0, {-GRAVITY}]
bodies:
  capsule:
    mass: mass
    inertia: [2e-6, 3.6e-7, 2e-6]
    shape: {{spheres: [{{name: near, center: [0, -1 cm, 0], radius: radius}}, {{name: far, center: [0, 1 cm, 0], radius: radius}}]}}
    position: [0, 0, 0]
ground:
  left: {{plane: {{point: [depth - radius, 0, 0], normal: [1, 0, 0]}}}}
  right: {{plane: {{point: [radius - depth, 0, 0], normal: [-1, 0, 0]}}}}
pairs:
  - between: [capsule, "*"]
    normal: {{law: azad-featherstone, k: k, lambda: 100}}
    friction: {LAWS[law]}
run: {{until: {until} s}}
"""


def height(law, squeeze, until):
    with tempfile.NamedTemporaryFile("w", suffix=".yaml") as file:
        file.write(scene(law, squeeze, until))
        file.flush()
        done = subprocess.run([FOOTFALL, "run", file.name, "--json"], capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"{law}: {done.stderr or done.stdout}")
    out = json.loads(done.stdout)
    assert abs(out["ledger"]["residual"]) <= 1e-6 * out["ledger"]["scale"], f"{law}: the ledger does not close"
    return out["bodies"]["capsule"]["position"][2], out["evaluations"]


def creep(law, squeeze):
    """The creep speed at which a ramp law carries the weight, m/s; 0 for a law with a spring."""
    part = MASS * GRAVITY / (2 * MU * squeeze)
    ramps = {"coulomb": part, "awrejcewicz": part, "bengisu-akay": 1 - math.sqrt(1 - part)}
    return RAMP * ramps.get(law, 0)


def measure(job):
    law, squeeze, settled, until = job
    start, end = height(law, squeeze, settled), height(law, squeeze, until)
    return law, squeeze, start[0] - end[0], end[1]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--until", type=float, default=3600, metavar="S", help="simulated time, s; an hour unless told")
    parser.add_argument("--laws", default=",".join(LAWS), help="friction laws, apart by commas")
    parser.add_argument("--check", action="store_true", help="fail unless laws with springs hold and ramps creep as they must")
    options = parser.parse_args()
    # oscillations after the release have decayed by then, except for dahl, which has no damping
    settled = min(10, options.until / 2)
    jobs = [(law, squeeze, settled, options.until) for law in options.laws.split(",") for squeeze in (12, 60)]
    print(f"sinks between {settled:g} s and {options.until:g} s, of {MASS * 1e3:g} g that friction could hold "
          f"{2 * MU * 12 / (MASS * GRAVITY):.0f} and {2 * MU * 60 / (MASS * GRAVITY):.0f} times\n")
    print("friction       squeeze, N        drift, um       rate, um/s   expected, um/s   evaluations")
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for law, squeeze, drift, evaluations in pool.map(measure, jobs):
            rate, expected = drift / (options.until - settled), creep(law, squeeze)
            print(f"{law:14s} {squeeze:10d} {drift * 1e6:16.6g} {rate * 1e6:16.4g} {expected * 1e6:16.4g} {evaluations:13d}",
                  flush=True)
            if not options.check:
                continue
            if expected > 0:
                # the initial transient has decayed to a part in a million
                assert abs(rate / expected - 1) < 1e-6, f"{law} creeps at {rate} instead of {expected} m/s"
            elif law == "dahl":
                assert drift > 0, "dahl creeps while it swings"
            else:
                # a hundredth of a nanometre: the accuracy of a position at this tolerance
                assert abs(drift) < 1e-11, f"{law} lets go: {drift} m"
    if options.check:
        print("\nlaws with a spring and a damper hold")


if __name__ == "__main__":
    main()
