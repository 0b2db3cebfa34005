#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright the footfall authors
"""The first bounce of the rolling sphere of Azad and Featherstone 2010 (section 4): events, the peak of
friction, and the rate of change of friction before and after each event.

Both tangential directions are equivalent, so a single one along (1, 1)/sqrt(2) is sufficient. The normal force begins
as the square root of the time since touch-down. As a function of tau = sqrt(time) everything is smooth, and the classical
Runge-Kutta method with fixed steps in tau is of order 4. Steps end at events, which are located by bisection.
"""
from math import copysign, sqrt

from header import Comparison, table

m, r, g = 0.154, 0.0165, 9.81
k, lam = 8.5e6, 3.1e3
kt, dt, mu, c = 12.75e6, 3.1e3, 0.2, 0.1
SLIP, STICK = "slips", "sticks"


def forces(y, mode, side):
    """Normal force, friction and velocity of the clutch; y: depth, its rate, velocity of the contact point, spring."""
    z, rate, v, u = y
    root = sqrt(max(z, 0.0))
    normal = root * (k * z + lam * rate)
    stuck = root * (kt * u + dt * v)
    if mode == STICK:
        return normal, -stuck, 0.0
    clutch = (stuck - mu * normal * side) / (c + dt * root)
    return normal, -root * (kt * u + dt * (v - clutch)), clutch


def rates(tau, y, mode, side):
    normal, friction, clutch = forces(y, mode, side)
    z, rate, v, u = y
    # acceleration of the contact point of a sphere per friction force: 1/m + r^2/I = 3.5/m
    return [2 * tau * x for x in (rate, g - normal / m, 3.5 * friction / m, v - clutch)]


def step(tau, y, h, mode, side):
    def at(part, slope):
        return [a + part * h * b for a, b in zip(y, slope)]
    k1 = rates(tau, y, mode, side)
    k2 = rates(tau + h / 2, at(0.5, k1), mode, side)
    k3 = rates(tau + h / 2, at(0.5, k2), mode, side)
    k4 = rates(tau + h, at(1, k3), mode, side)
    return [a + h / 6 * (b + 2 * c2 + 2 * d + e) for a, b, c2, d, e in zip(y, k1, k2, k3, k4)]


def ended(y, mode, side):
    """The event that ends a mode, or None."""
    normal, friction, clutch = forces(y, mode, side)
    if normal <= 0:
        return "lift-off"
    if mode == SLIP and clutch * side <= 0:
        return STICK
    if mode == STICK and abs(friction) >= mu * normal:
        return SLIP
    return None


def slope(tau, y, mode, side):
    """dF/dt of friction along x, by a central difference with a short step."""
    h = 1e-6
    after = forces(step(tau, y, h, mode, side), mode, side)[1]
    before = forces(step(tau, y, -h, mode, side), mode, side)[1]
    return (after - before) / (2 * h) / (2 * tau) / sqrt(2)


def bounce(steps):
    h = sqrt(3e-3) / steps
    tau, y, mode, side = 0.0, [0.0, sqrt(2 * g * (0.1 - r)), 0.5 * sqrt(2), 0.0], SLIP, 1.0
    found, peak = [], 0.0
    # the force needs a first step to become positive
    y, tau = step(tau, y, h, mode, side), tau + h
    while True:
        new = step(tau, y, h, mode, side)
        what = ended(new, mode, side)
        if not what:
            y, tau = new, tau + h
            peak = max(peak, abs(forces(y, mode, side)[1]) / sqrt(2))
            continue
        low, high = 0.0, h
        for _ in range(60):
            half = 0.5 * (low + high)
            low, high = (low, half) if ended(step(tau, y, half, mode, side), mode, side) else (half, high)
        y, tau = step(tau, y, high, mode, side), tau + high
        before = slope(tau, y, mode, side)
        if what == "lift-off":
            return found + [(what, tau * tau, before, 0.0)], peak, y[2] / sqrt(2)
        side = copysign(1.0, -forces(y, mode, side)[1]) if mode == STICK else side
        mode = what
        found.append((what, tau * tau, before, slope(tau, y, mode, side)))


if __name__ == "__main__":
    for steps in (20000, 40000):
        events, peak, left = bounce(steps)
        print(f"{steps} steps: peak of friction in x at steps {peak:.8f} N")
        last = 0.0
        for what, time, before, after in events:
            print(f"  {what:8s} after {time:.16f} s ({time - last:.16f} s since the event before), slope along x "
                  f"{before:.6g} N/s before, {after:.6g} N/s after: change {after - before:.8g} N/s")
            last = time
    known = [float(x) for x in table("reference_motion.h", "reference_contacts")[0]]
    c = Comparison()
    # remaining errors are of order h^4, and rounding of times since the start of the run in the header
    c.near("reference_contacts, duration", last, known[1] - known[0], 1e-11)
    times = [0.0] + [event[1] for event in events]
    for what, got, expected in zip(("slip", "stick", "second slip"), [b - a for a, b in zip(times, times[1:])],
                                   (0.0009337316296797182, 0.0008603408017836267, 0.0004709018119057051)):
        c.near("papers/azad2010, " + what, got, expected, 1e-11)
    c.end()
