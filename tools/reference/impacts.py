#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright the footfall authors
"""Single impacts under F = k z^n + lambda z^p z'. Recomputes the values of tests/reference.h and compares them.

Mass, stiffness and speed are 1. If n and p are multiples of 1/2, s = sqrt(z) and a time tau with dt = 2 s dtau make all
rates polynomials:

    s' = v,  v' = -2 (s^(2n+1) + d s^(2p+1) v),  t' = 2 s

Their Taylor series are summed to order 30 with 45 digits. The contact ends together with the force: s^(2n-2p) + d v = 0
or, for p = n, s = 0. Linear contacts with an inner state (Xiong and others 2013) are summed in the same way.
"""
from decimal import Decimal as D, getcontext
from header import Comparison, table

getcontext().prec = 45
ORDER = 30
TINY = D(10) ** -43


def product(a, b, k):
    return sum(a[i] * b[k - i] for i in range(k + 1))


def powers(s, most, table_, k):
    """Coefficient k of s^0 .. s^most."""
    for q in range(2, most + 1):
        table_[q][k] = product(s, table_[q - 1], k)


def at(series, h):
    value = D(0)
    for x in reversed(series):
        value = value * h + x
    return value


def step_of(series):
    """A step length for which the last terms are below 1e-43."""
    h = D(1)
    for s in series:
        for k in (ORDER - 1, ORDER):
            if s[k] != 0:
                h = min(h, ((TINY / abs(s[k])).ln() / k).exp())
    return h


def root(g, h):
    """Locates where g becomes negative between 0 and h."""
    low, high = D(0), h
    for _ in range(150):
        half = (low + high) / 2
        low, high = (half, high) if g(half) >= 0 else (low, half)
    return high


def impact(n2, p2, d):
    """n2 = 2 n, p2 = 2 p. Returns restitution, depth and time at the end of the force, and the largest depth."""
    s0, v0, t0, deepest = D(0), D(1), D(0), D(0)
    most = max(n2, p2) + 1
    while True:
        s, v = [s0] + [D(0)] * ORDER, [v0] + [D(0)] * ORDER
        t = [t0] + [D(0)] * ORDER
        pw = [[D(1)] + [D(0)] * ORDER, s] + [[D(0)] * (ORDER + 1) for _ in range(most - 1)]
        for k in range(ORDER):
            powers(s, most, pw, k)
            s[k + 1] = v[k] / (k + 1)
            t[k + 1] = 2 * s[k] / (k + 1)
            force = pw[n2 + 1][k] + d * product(pw[p2 + 1], v, k)
            v[k + 1] = -2 * force / (k + 1)
        h = step_of((s, v))

        def left(x):
            if p2 == n2:
                return at(s, x)
            return at(s, x) ** (n2 - p2) + d * at(v, x)

        if v0 > 0 and at(v, h) <= 0:
            top = root(lambda x: at(v, x), h)
            deepest = at(s, top) ** 2
        if v0 <= 0 or at(v, h) <= 0:
            start = D(0) if v0 <= 0 else top
            if left(h) < 0:
                end = start + root(lambda x: left(start + x), h - start)
                return -at(v, end), at(s, end) ** 2, at(t, end), deepest
        s0, v0, t0 = at(s, h), at(v, h), at(t, h)


def local(d):
    """As impact() for n = 3/2, p = 1/2, where every element of the bed detaches by itself. With tau = 2 d/3 and x = z + tau v
    the opening phase is x' = v - tau x^(3/2), v' = -x^(3/2) until x = 0; with x = s^2, s' = v - tau s^3, v' = -2 s^4."""
    s0, v0, t0, tau, opening = D(0), D(1), D(0), 2 * d / 3, False
    deepest = time = D(0)
    while True:
        s, v = [s0] + [D(0)] * ORDER, [v0] + [D(0)] * ORDER
        t = [t0] + [D(0)] * ORDER
        pw = [[D(1)] + [D(0)] * ORDER, s] + [[D(0)] * (ORDER + 1) for _ in range(3)]
        for k in range(ORDER):
            powers(s, 4, pw, k)
            s[k + 1] = (v[k] - (tau * pw[3][k] if opening else 0)) / (k + 1)
            t[k + 1] = 2 * s[k] / (k + 1)
            drag = 0 if opening else d * product(pw[2], v, k)
            v[k + 1] = -2 * (pw[4][k] + drag) / (k + 1)
        h = step_of((s, v))
        if opening and at(s, h) < 0:
            end = root(lambda x: at(s, x), h)
            e = -at(v, end)
            return e, tau * e, at(t, end), deepest, time
        if not opening and at(v, h) <= 0:
            h = root(lambda x: at(v, x), h)
            opening, deepest, time = True, at(s, h) ** 2, at(t, h)
            s0, v0, t0 = at(s, h), D(0), time
        else:
            s0, v0, t0 = at(s, h), at(v, h), at(t, h)


def xiong(alpha, beta):
    """e for M = K = 1: p' = v, v' = f, e' = -(p + e)/alpha, f = e - (beta/alpha) (p + e), from p = e = 0, v = -1 until f = 0."""
    state = [D(0), D(-1), D(0)]

    def force(p, e):
        return e - beta / alpha * (p + e)

    # the force rises initially
    moved = False
    while True:
        p, v, e = ([x] + [D(0)] * ORDER for x in state)
        for k in range(ORDER):
            p[k + 1] = v[k] / (k + 1)
            v[k + 1] = force(p[k], e[k]) / (k + 1)
            e[k + 1] = -(p[k] + e[k]) / alpha / (k + 1)
        h = min(step_of((p, v, e)), D("0.1"))
        if moved and force(at(p, h), at(e, h)) < 0:
            return at(v, root(lambda x: force(at(p, x), at(e, x)), h))
        state, moved = [at(p, h), at(v, h), at(e, h)], True


def balance(a):
    """e of Hunt and Crossley's law with a = lambda v/k, for any n: a (1 + e) = log((1 + a)/(1 - a e)), e > 0."""
    low, high = D(0), min(D(1), 1 / a)
    for _ in range(150):
        e = (low + high) / 2
        inside = 1 - a * e
        above = inside <= 0 or a * (1 + e) + (inside / (1 + a)).ln() < 0
        low, high = (low, e) if above else (e, high)
    return low


def main():
    c = Comparison()
    for zeta, pulls, clamped in table("reference.h", "reference_linear"):
        z = D(zeta)
        c.near("reference_linear, clamp", impact(2, 0, 2 * z)[0], clamped, 1e-15)
        if z < 1:
            # e = exp(-zeta pi/sqrt(1 - zeta^2))
            pi = D("3.14159265358979323846264338327950288419716939937510")
            c.near("reference_linear, tension", (-z * pi / (1 - z * z).sqrt()).exp(), pulls, 1e-15)
    for d, e in table("reference.h", "reference_hunt_crossley"):
        c.near("reference_hunt_crossley", balance(D(d)), e, 1e-15)
    alphas = [x for row in table("reference.h", "reference_alphas") for x in row]
    for row in table("reference.h", "reference_marhefka_orin"):
        for alpha, e in zip(alphas, row[1:]):
            c.near("reference_marhefka_orin", balance(D(3) / 2 * D(alpha) * D(row[0])), e, 1e-15)
    for d, e, z, t in table("reference.h", "reference_lee_wang"):
        if D(d) <= 10:
            got = impact(3, 2, D(d))
            c.near("reference_lee_wang, e", got[0], e, 2e-13)
            c.near("reference_lee_wang, depth", got[1], z, 1e-9)
            c.near("reference_lee_wang, time", got[2], t, 1e-12)
    for d, e, z, t, _ in table("reference.h", "reference_azad_featherstone"):
        if D(d) <= 10:
            got = impact(3, 1, D(d))
            c.near("reference_azad_featherstone, e", got[0], e, 1e-14)
            c.near("reference_azad_featherstone, depth", got[1], z, 1e-12)
            c.near("reference_azad_featherstone, time", got[2], t, 1e-14)
    for d, e, lost, t, z, tz in table("reference.h", "reference_local"):
        got = local(D(d))
        c.near("reference_local, e", got[0], e, 1e-15)
        c.near("reference_local, 1 - e", 1 - got[0], lost, 1e-15)
        c.near("reference_local, time", got[2], t, 1e-15)
        c.near("reference_local, depth", got[3], z, 1e-15)
        c.near("reference_local, time of the largest depth", got[4], tz, 1e-15)
    # d = lambda m^(-2/5) k^(-3/5) v^(1/5)
    for row in table("reference.h", "reference_fig4_new"):
        for lam, e in zip(("2e4", "5e4", "1e5", "2e5", "5e5"), row[1:]):
            d = D(lam) * (-(D("0.066").ln() * 2 + D("1e10").ln() * 3) / 5 + D(row[0]).ln() / 5).exp()
            c.near("reference_fig4_new", impact(3, 1, d)[0], e, 1e-14)
    for row in table("reference.h", "reference_fig4_classical"):
        for lam, e in zip(("1e8", "1e9", "1e10", "1e11"), row[1:]):
            c.near("reference_fig4_classical", balance(D(lam) * D(row[0]) / D("1e10")), e, 1e-13)
    ratios = [x for row in table("reference.h", "reference_ratios") for x in row]
    for row in table("reference.h", "reference_xiong"):
        for ratio, e in zip(ratios, row[1:]):
            # a small alpha is a fast decay, which needs many steps
            if D(ratio) >= D("0.1") and D(row[0]) >= D("0.1"):
                c.near("reference_xiong", xiong(D(ratio) * D(row[0]), D(row[0])), e, 1e-13)
    c.end()


if __name__ == "__main__":
    main()
