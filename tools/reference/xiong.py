#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright the footfall authors
"""Independent implementation of the scheme of Xiong, Kikuuwe and Yamamoto 2013: the classical Runge-Kutta method with steps
of 1 ms, without regard to kinks and switches. Compared with the values expected by papers/xiong2013/study.yaml.

Friction: a' = (sat(F/K, beta v + a) - a)/beta, f = K sat(F/K, beta v + a) (eqs 18, 19).
Contact: e' = (f/K - e)/beta, f = max(0, K (e - (beta/alpha) (p + e))) (eqs 24, 25).
"""
from math import cos

from header import Comparison


def rk4(rates, y, until, h=1e-3):
    """The states at all multiples of h."""
    steps = round(until / h)
    yield y
    for i in range(steps):
        t = i * h
        k1 = rates(t, y)
        k2 = rates(t + h / 2, [a + h / 2 * b for a, b in zip(y, k1)])
        k3 = rates(t + h / 2, [a + h / 2 * b for a, b in zip(y, k2)])
        k4 = rates(t + h, [a + h * b for a, b in zip(y, k3)])
        y = [a + h / 6 * (b + 2 * c + 2 * d + e) for a, b, c, d, e in zip(y, k1, k2, k3, k4)]
        yield y


def slide(t, y, limit=0.5, stiffness=5e3, beta=2e-3):
    """Figure 3: a mass of 1 kg under dry friction, and the push of eq. 20."""
    _, v, a = y
    x = beta * v + a
    held = max(-limit / stiffness, min(limit / stiffness, x))
    push = min(0.52, 0.8 * t) if t < 2 else 0.336 + 0.144 * cos(100 * t)
    return [v, push - stiffness * held, (held - a) / beta]


def bounce(alpha, stiffness=1e5, beta=0.01, g=9.8):
    """Figure 5: a mass of 1 kg on a rigid wall."""
    def rates(_, y):
        p, v, e = y
        force = max(0.0, stiffness * (e - beta / alpha * (p + e)))
        return [v, force - g, (force / stiffness - e) / beta]
    return rates


def main():
    c = Comparison()
    last = list(rk4(slide, [0.0, 0.0, 0.0], 8))[-1]
    # rounding errors of 8000 steps
    c.near("fig. 3, p(8 s)", last[0], 0.021385401157952177, 1e-11)
    for alpha, until, deepest in ((0.01, 5, 0.014089897555261865), (0.007, 0.6, 0.012034155337687938),
                                  (0.005, 0.6, 0.010215459209019905), (0.001, 0.6, 0.005516937639583256)):
        got = max(-y[0] for y in rk4(bounce(alpha), [1.0, 0.0, 0.0], until))
        c.near(f"fig. 5, alpha = {1e3 * alpha:g} ms, deepest", got, deepest, 1e-11)
    c.end()


if __name__ == "__main__":
    main()
