#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright the footfall authors
"""Spheres that bounce under F = k z^(3/2) + lambda sqrt(z) z' and gravity until they stay on the ground: the 10 cm sphere
of Azad and Featherstone 2010 and the 1 m sphere of their paper of 2014. Recomputes the values of
tests/reference_motion.h and compares them.

In contact, s = sqrt(z) and dt = 2 s dtau give polynomials, s' = v, v' = 2 s (g - F/m), t' = 2 s, whose Taylor series are
summed to order 30 with 40 digits; flights are parabolas. After lift-off the ground recovers immediately.
"""
from decimal import Decimal as D, getcontext
from header import Comparison, table
from impacts import ORDER, at, product, root, step_of

getcontext().prec = 45


def contact(k, lam, g, speed):
    """k and lambda are per mass. Returns (time, depth, v) at the end of the force, or None if it never ends; and the largest depth."""
    s0, v0, t0, deepest, top = D(0), speed, D(0), None, None
    while True:
        s, v, t = ([x] + [D(0)] * ORDER for x in (s0, v0, t0))
        square, fourth, push = ([D(0)] * (ORDER + 1) for _ in range(3))
        for i in range(ORDER):
            square[i] = product(s, s, i)
            fourth[i] = product(square, square, i)
            push[i] = product(square, v, i)
            s[i + 1] = v[i] / (i + 1)
            t[i + 1] = 2 * s[i] / (i + 1)
            v[i + 1] = 2 * (g * s[i] - k * fourth[i] - lam * push[i]) / (i + 1)
        h = step_of((s, v))

        def force(x):
            return k * at(s, x) ** 2 + lam * at(v, x)

        if top is None and at(v, h) <= 0:
            top = root(lambda x: at(v, x), h)
            deepest = at(s, top) ** 2
        elif top is not None and v0 < 0 <= at(v, h):
            # the sphere moves downwards again before the contact has ended
            return None, deepest
        if top is not None and force(h) < 0:
            end = root(force, h)
            return (at(t, end), at(s, end) ** 2, at(v, end)), deepest
        s0, v0, t0 = at(s, h), at(v, h), at(t, h)


def bounces(height, mass, k, lam, g):
    """For each contact: times of touch-down, lift-off and z = 0, and the height of the next apex; and the largest depths."""
    speed = (2 * g * height).sqrt()
    time, rows = speed / g, []
    while True:
        end, deepest = contact(k / mass, lam / mass, g, speed)
        if end is None:
            return rows + [(time, None, None, None, deepest)]
        lift, z, v = end
        up = -v
        # z - up t + g t^2/2 = 0, if it rises to z = 0
        square = up * up - 2 * g * z
        if square <= 0:
            raise ValueError("it comes back before the ground has recovered")
        speed = square.sqrt()
        clear = lift + (up - speed) / g
        rows.append((time, time + lift, time + clear, speed * speed / (2 * g), deepest))
        time += clear + 2 * speed / g


def main():
    c = Comparison()
    rows = bounces(D("0.1"), D("0.154"), D("8.5e6"), D("3.1e3"), D("9.81"))
    known = table("reference_motion.h", "reference_bounce")
    peaks = table("reference_motion.h", "reference_bounce_peaks")
    c.near("landings of the sphere of 2010", len(rows), len(known), 0)
    for got, row, peak in zip(rows, known, peaks):
        for name, x, y in zip(("touch-down", "lift-off", "clear", "apex"), got, row):
            if x is not None:
                c.near("reference_bounce, " + name, x, y, 1e-14)
        c.near("reference_bounce_peaks, depth", got[4], peak[1], 1e-14)
    rows = bounces(D(1), D("0.066"), D("1e10"), D("1e5"), D(10))
    known = table("reference_motion.h", "reference_drop")
    c.near("landings of the sphere of 2014", len(rows), len(known), 0)
    for got, row in zip(rows, known):
        c.near("reference_drop, touch-down", got[0], row[0], 1e-14)
        if got[1] is not None:
            c.near("reference_drop, lift-off", got[1], row[1], 1e-14)
    c.end()


if __name__ == "__main__":
    main()
