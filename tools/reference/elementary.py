#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright the footfall authors
"""Computes elementary functions with 400 digits, rounded to the nearest double, and compares them with
tests/reference_num.h; and quantiles of the normal distribution, for tests/test_study.c.
"""
import re
from decimal import Decimal as D, getcontext
from header import Comparison, ROOT

getcontext().prec = 400
TINY = D(10) ** -400


def series(first, ratio):
    """first (1 + ratio(1) (1 + ratio(2) (1 + ..))), summed until the terms are below 1e-400 of the sum."""
    total, term, k = first, first, 1
    while term and abs(term) > TINY * abs(total):
        term *= ratio(k)
        total += term
        k += 1
    return total


def inverse_tangent(x):
    if x == 0:
        return x
    halvings = 0
    while abs(x) > D("0.05"):
        x /= 1 + (1 + x * x).sqrt()
        halvings += 1
    total, power, k = D(0), x, 1
    while abs(power) > TINY * abs(x):
        total += power / k
        power *= -x * x
        k += 2
    return total * 2**halvings


PI = 4 * (4 * inverse_tangent(D(1) / 5) - inverse_tangent(D(1) / 239))


def sine_cosine(x):
    quarter = (x / (PI / 2)).to_integral_value()
    r = x - quarter * (PI / 2)
    sine = series(r, lambda k: -r * r / (2 * k) / (2 * k + 1))
    cosine = series(D(1), lambda k: -r * r / (2 * k - 1) / (2 * k))
    return [(sine, cosine), (cosine, -sine), (-sine, -cosine), (-cosine, sine)][int(quarter) % 4]


def inverse_sine(x):
    if abs(x) == 1:
        return PI / 2 * x
    return inverse_tangent(x / ((1 - x) * (1 + x)).sqrt())


def angle(y, x):
    if x > 0:
        return inverse_tangent(y / x)
    if x < 0:
        turn = PI if y >= 0 else -PI
        return inverse_tangent(y / x) + turn
    return (PI / 2).copy_sign(y)


def expm1(x):
    return x.exp() - 1 if abs(x) > 1 else series(x, lambda k: x / (k + 1))


def cube_root(x):
    # Newton's method, starting from the double
    r = D(float(abs(x)) ** (1 / 3)) if abs(x) > D("1e-300") else (abs(x).ln() / 3).exp()
    for _ in range(8):
        r = (2 * r + abs(x) / (r * r)) / 3
    return r.copy_sign(x)


def power(x, y):
    if x < 0:
        value = ((-x).ln() * y).exp()
        return -value if int(y) % 2 else value
    return (x.ln() * y).exp()


FUNCTIONS = {
    "exp": lambda x, y: x.exp(),
    "expm1": lambda x, y: expm1(x),
    "log": lambda x, y: x.ln(),
    "log1p": lambda x, y: (1 + x).ln(),
    "log2": lambda x, y: x.ln() / D(2).ln(),
    "log10": lambda x, y: x.log10(),
    "sin": lambda x, y: sine_cosine(x)[0],
    "cos": lambda x, y: sine_cosine(x)[1],
    "tan": lambda x, y: sine_cosine(x)[0] / sine_cosine(x)[1],
    "asin": lambda x, y: inverse_sine(x),
    "acos": lambda x, y: PI / 2 - inverse_sine(x),
    "atan": lambda x, y: inverse_tangent(x),
    "atan2": lambda x, y: angle(x, y),
    "sinh": lambda x, y: (expm1(x) - expm1(-x)) / 2,
    "cosh": lambda x, y: (x.exp() + (-x).exp()) / 2,
    "tanh": lambda x, y: expm1(2 * x) / (expm1(2 * x) + 2),
    "cbrt": lambda x, y: cube_root(x),
    "hypot": lambda x, y: (x * x + y * y).sqrt(),
    "pow": power,
}


def normal_below(x):
    """The cumulative normal distribution at x, by the series of the integral from 0."""
    density = (-x * x / 2).exp() / (2 * PI).sqrt()
    return D("0.5") + density * series(x, lambda k: x * x / (2 * k + 1))


def main():
    c = Comparison()
    with open(f"{ROOT}/tests/reference_num.h") as f:
        rows = re.findall(r'\{"(\w+)", ([^,]+), ([^,]+), ([^}]+)\}', f.read())
    for name, x, y, value in rows:
        got = FUNCTIONS[name](D(float.fromhex(x)), D(float.fromhex(y)))
        c.near(name, got, float.fromhex(value), 0)
    for x in (1, 2):
        known = {1: 0.8413447460685429, 2: 0.9772498680518208}[x]
        c.near("normal distribution", normal_below(D(x)), known, 2e-16)
    for u, x in (("0.975", 1.959963984540054), ("1e-10", -6.361340902404056), ("1e-15", -7.941345326170997)):
        low, high = D(-10), D(10)
        # compared as doubles: the quantile of the double nearest to u, rounded to the nearest double
        for _ in range(120):
            half = (low + high) / 2
            low, high = (half, high) if normal_below(half) < D(float(u)) else (low, half)
        c.near("quantile of the normal distribution", low, x, 2e-16)
    c.end()


if __name__ == "__main__":
    main()
