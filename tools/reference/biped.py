#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright the footfall authors
"""The passive biped of Corral and others 2017, integrated with SciPy's Radau and compared with the values expected by
papers/corral2017/study.yaml. Coordinates are the position of the hip along and normal to the slope, and the angles of
the legs. Needs numpy and scipy (Debian: python3-scipy) and a few minutes.

    x = X + d sin f,  z = Z - d cos f  for the centre of mass of each leg; feet are circles of radius r around
    X + l sin f, Z - l cos f
"""
import numpy as np
from scipy.integrate import solve_ivp

from header import Comparison

m, J, d, l, r, g = 1.0, 0.0096, 0.1, 0.32, 0.08, 9.8
K, c, mus, mu, v0, xi = 1e6, 1e7, 0.5, 0.4, 1e-4, 1000.0


def friction(v):
    a = abs(v)
    part = mus - mus / v0**2 * (a - v0) ** 2 if a < v0 else mu + (mus - mu) * np.exp(-xi * (a - v0))
    return part * np.sign(v)


def rates(_, y, slope):
    q, w = y[:4], y[4:]
    mass = np.zeros((4, 4))
    mass[0, 0] = mass[1, 1] = 2 * m
    right = np.array([2 * m * g * np.sin(slope), -2 * m * g * np.cos(slope), 0.0, 0.0])
    for leg in (2, 3):
        s, k, f = np.sin(q[leg]), np.cos(q[leg]), w[leg]
        mass[0, leg] = mass[leg, 0] = m * d * k
        mass[1, leg] = mass[leg, 1] = m * d * s
        mass[leg, leg] = J + m * d * d
        right[0] += m * d * s * f * f
        right[1] -= m * d * k * f * f
        right[leg] += m * g * d * (np.sin(slope) * k - np.cos(slope) * s)
        depth = r - (q[1] - l * k)
        # a leg that swings forward has no contact
        if depth > 0 and f < 0:
            rate = -(w[1] + l * s * f)
            normal = max(0.0, K * depth**1.5 + c * depth * rate)
            along = -normal * friction(w[0] + (l * k + r) * f)
            right[0] += along
            right[1] += normal
            right[leg] += along * (l * k + r) + normal * l * s
    return np.concatenate([w, np.linalg.solve(mass, right)])


def step(y, slope, tol=1e-10):
    """Integrates from the instant at which leg 1 begins to swing to that of leg 2. Returns the time, and the state with exchanged legs."""
    def turns(_, x, slope_):
        return x[7]
    turns.direction = 1
    turns.terminal = True
    run = solve_ivp(rates, (0, 1.2), y, method="Radau", rtol=tol, atol=tol * 1e-2, events=turns, args=(slope,), max_step=5e-3)
    if run.status != 1:
        raise ValueError("no step")
    end = run.y_events[0][0]
    return run.t_events[0][0], end[[0, 1, 3, 2, 4, 5, 7, 6]]


def walk(start, slope, steps):
    y = np.array(start)
    for _ in range(steps):
        time, y = step(y, slope)
        length, y[0] = y[0], 0.0
    return time, length, y


def main():
    compare = Comparison()
    # Radau increases the steps of its finite differences if a rate does not depend on a state
    np.seterr(over="ignore")
    # the fixed point of study.yaml is mapped to itself
    start = [0, 0.3951580090413718, -0.24705154352654135, 0.1662791636235913,
             0.4948661365416676, 0.06420708162876296, 0, -1.25093267351408]
    time, length, y = walk(start, 0.02, 1)
    compare.near("period", time, 0.44083487803530497, 1e-8)
    compare.near("length", length, 0.17922696368496654, 1e-8)
    for i, name in ((1, "height"), (2, "rear angle"), (3, "other angle"), (4, "speed"), (5, "speed off the slope"), (7, "rate")):
        compare.near("fixed point, " + name, y[i], start[i], 1e-7)
    # 12 steps from the initial state of the paper, with the swinging leg at rest
    for slope, period, rear in ((0.02, 0.4408353485006654, -0.2470518084311057), (0.03, 0.4460131715327609, -0.2847130025388657)):
        time, _, y = walk([0, 0.3949210026332982, -0.2479, 0.1655, 0.49797, 0.05853, 0, -1.2565], slope, 12)
        compare.near(f"period at {slope} rad", time, period, 1e-6)
        compare.near(f"rear angle at {slope} rad", y[2], rear, 1e-6)
    compare.end()


if __name__ == "__main__":
    main()
