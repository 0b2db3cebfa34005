#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright the footfall authors
"""The steps of a trapezoidal rule with the error control of Simulink's ode23t, for the sphere of Azad and Featherstone 2014, II.C.

Relative tolerance 1e-5, longest step 0.01 s. Simulink's automatic absolute tolerance of a state is the relative one times the
largest value that the state had so far: 1e-5 m, though the sphere ends 1.6e-7 m deep. The error of a step is h^3/12 times the
third derivative, from divided differences of the rates (Hosea and Shampine 1996). Contacts are not located.

Compares the steps to 2.4 s, from there to 2.6 s and to 5 s (the paper: 958, 887, 255), and the frequency after 2.53 s, when the sphere stays
in contact (the paper: 1.4 kHz; the law has 1524.5 Hz, and 1482 Hz at the amplitude of the first three periods)."""
import math
from header import Comparison

K, LAMBDA, MASS, G = 1e10, 1e5, 0.066, 10.0
RTOL, LONGEST, END = 1e-5, 0.01, 5.0


def force(x, v):
    """the force and its derivatives; x is the height of the bottom of the sphere"""
    if x >= 0:
        return 0.0, 0.0, 0.0
    s = math.sqrt(-x)
    f = K * -x * s - LAMBDA * s * v
    return (f, -1.5 * K * s + 0.5 * LAMBDA * v / s, -LAMBDA * s) if f > 0 else (0.0, 0.0, 0.0)


def rates(y):
    return y[1], force(*y)[0] / MASS - G


def solve(y, slope, guess, h, weight):
    """y1 = y + h/2 (slope + f(y1)) by Newton's method, to a hundredth of the tolerance; None: it does not converge"""
    x, v = guess
    for _ in range(6):
        f, by_x, by_v = force(x, v)
        a, b = x - y[0] - h / 2 * (slope[0] + v), v - y[1] - h / 2 * (slope[1] + f / MASS - G)
        c, d = -h / 2 * by_x / MASS, 1 - h / 2 * by_v / MASS
        det = d + h / 2 * c
        dx, dv = (a * d + h / 2 * b) / det, (b - c * a) / det
        x, v = x - dx, v - dv
        if max(abs(dx) / weight(0, x), abs(dv) / weight(1, v)) < 0.01:
            return x, v
    return None


def run():
    t, h, y, before, points = 0.0, 1e-4, (1.0, 0.0), None, []
    slope, most = rates(y), [1.0, 0.0]
    while t < END - 1e-12:
        h = min(h, LONGEST, END - t)

        def weight(c, value):
            return RTOL * max(most[c], abs(value))
        guess = [y[c] + h * (slope[c] + (0.5 * h / before[0] * (slope[c] - before[1][c]) if before else 0)) for c in (0, 1)]
        new = solve(y, slope, guess, h, weight)
        if new is None:
            h *= 0.3
            continue
        end, error = rates(new), 0.1
        if before:
            third = [2 * ((end[c] - slope[c]) / h - (slope[c] - before[1][c]) / before[0]) / (h + before[0]) for c in (0, 1)]
            error = max(abs(h ** 3 / 12 * third[c]) / weight(c, new[c]) for c in (0, 1))
        if error > 1:
            h *= max(0.1, 0.8 * error ** (-1 / 3))
            continue
        before = (h, slope)
        t, y, slope = t + h, new, end
        most = [max(most[c], abs(y[c])) for c in (0, 1)]
        points.append((t, y))
        factor = min(5, 0.8 * max(error, 1e-4) ** (-1 / 3))
        h *= factor if factor > 1.2 or factor < 1 else 1
    return points


def main():
    c = Comparison()
    points = run()
    for (a, b), known in zip(((0, 2.4), (2.4, 2.6), (2.6, 5)), (955, 776, 477)):
        c.near(f"steps from {a} to {b} s", sum(a < t <= b for t, _ in points), known, 0)
    turns = [(a[0] - a[1][1] * (b[0] - a[0]) / (b[1][1] - a[1][1]), i)
             for i, (a, b) in enumerate(zip(points, points[1:])) if 2.533 < a[0] < 2.54 and a[1][1] < 0 <= b[1][1]]
    periods = [(b - a, j - i) for (a, i), (b, j) in zip(turns, turns[1:])]
    c.near("lowest frequency", min(1 / p for p, _ in periods), 1378, 1e-3)
    c.near("highest frequency", max(1 / p for p, _ in periods), 1435, 1e-3)
    c.near("fewest steps a period", min(n for _, n in periods), 7, 0)
    c.near("most steps a period", max(n for _, n in periods), 11, 0)
    c.end()


if __name__ == "__main__":
    main()
