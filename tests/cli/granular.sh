#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Copyright the footfall authors
#
# Cases of LAMMPS' tests of granular models (unittest/granular there) that need rolling, twist or adhesion, written as scenes and
# compared with the closed forms that those tests use: rolling_decay, incline_rolling, twist_decay, twist_decay_marshall, pulloff_dmt,
# and JKR.
. "$(dirname "$0")/lib.bash"

checks <<'PYTHON'
from lib import *
import csv
G, R, M, K = 9.81, 0.01, 0.01, 1e8
# depth at rest under its weight, of the normal law k z^(3/2)
Z = (M * G / K) ** (2 / 3)
NORMAL = f'{{law: hunt-crossley, k: {K}, lambda: 1e9}}'


def scene(bodies, pair, until, gravity=(0, 0, -G), between='ball, floor', more=''):
    """runs a scene without warnings; returns its answer and the rows of its trace"""
    text = (f'gravity: {list(gravity)}\nbodies:\n{bodies}'
            'ground: {floor: {plane: {normal: [0, 0, 1]}}}\n'
            f'pairs:\n  - {{between: [{between}], {pair}}}\n{more}run: {{until: {until}, tol: 1e-10}}\n')
    with open('scene.yaml', 'w') as f:
        f.write(text)
    r = run('run', 'scene.yaml', '--strict', '-o', 'out.csv', '--json')
    check('it runs without warnings', r.returncode == 0, r.stderr)
    with open('out.csv') as f:
        rows = [{key: float(value) for key, value in row.items()} for row in csv.DictReader(f)]
    return json.loads(r.stdout), rows


def ball(omega=(0, 0, 0), z=R - Z, mass=M, radius=R):
    return f'  ball: {{mass: {mass!r}, shape: {{sphere: {{radius: {radius}}}}}, position: [0, 0, {z!r}], omega: {list(omega)}}}\n'


# rolling_decay: a sphere that spins on a frictionless floor, omega = omega0 - 5 mu_r g t/(2 R). The spring takes up mu_r N/k
# first, 1e-9 m, which the sphere passes in 0.1 us
for mu in (0.01, 0.05):
    rate = 2.5 * mu * G / R
    o, _ = scene(ball((0, 10, 0)), f'normal: {NORMAL}, rolling: {{mu_r: {mu}, k: 1e6, damping: 1e3}}', 0.5 / rate)
    near(f'rolling_decay, mu_r {mu}', o['bodies']['ball']['omega'][1], 9.5, 1e-6)

# incline_rolling: v = (5/7) g (sin - mu_r cos) t and omega = v/R, or rest where mu_r >= tan
slope = math.radians(10)
down = (G * math.sin(slope), 0, -G * math.cos(slope))
for mu in (0.0, 0.05, 0.1, 0.3):
    rate = 5 / 7 * G * (math.sin(slope) - mu * math.cos(slope))
    rolling = f', rolling: {{mu_r: {mu}, k: 1e7, damping: 1e4}}' if mu else ''
    o, _ = scene(ball(z=R - Z * math.cos(slope) ** (2 / 3)),
                 f'normal: {NORMAL}, friction: {{law: clutch, mu: 0.9, k: 1e9, damping: 1e6}}{rolling}', 0.3, down)
    v, w = o['bodies']['ball']['velocity'][0], o['bodies']['ball']['omega'][1]
    if rate > 0:
        # the spring of rolling is loaded over 5e-9 m: t1 = sqrt(2 x/a), 1e-4 s
        near(f'incline_rolling, mu_r {mu}', v, rate * 0.3, 1e-3 if mu else 1e-5)
        near(f'incline_rolling without slip, mu_r {mu}', w * R, v, 1e-4)
    else:
        check(f'incline_rolling stays at rest, mu_r {mu}', abs(v) < 1e-7 and abs(w) * R < 1e-7, (v, w))

# twist_decay: `sds` has the limit mu_t N with mu_t in metres, omega = omega0 - 5 mu_t g t/(2 R^2)
mu = 2e-4
rate = 2.5 * mu * G / R ** 2
o, _ = scene(ball((0, 0, 10)), f'normal: {NORMAL}, twist: {{mu_t: 1, arm: {mu}, k: 1e7, damping: 1e4}}', 0.5 / rate)
near('twist_decay', o['bodies']['ball']['omega'][2], 9.5, 1e-5)
# twist_decay_marshall: the limit is (2/3) mu a N with the contact radius a = sqrt(R z)
mu, soft = 0.5, 1e6
z = (M * G / soft) ** (2 / 3)
rate = 5 / 3 * mu * math.sqrt(R * z) * G / R ** 2
o, _ = scene(ball((0, 0, 10), R - z),
             f'normal: {{law: hunt-crossley, k: {soft}, lambda: 1e6}}, twist: {{from: friction}}, '
             f'friction: {{law: clutch, mu: {mu}, k: 1e9, damping: 1e6}}', 0.5 / rate)
near('twist_decay_marshall', o['bodies']['ball']['omega'][2], 9.5, 1e-5)

# pulloff_dmt: in point contact the force is 4 pi gamma R_eff, w = 2 gamma; R_eff is R on a wall and R/2 for two like spheres.
# JKR: 8/9 of 3 pi gamma R_eff there, and the same for the contact radius in closed form
gamma, k = 0.1, 1e9
pair = {'dmt': 4 * math.pi * gamma, 'jkr': 8 / 9 * 3 * math.pi * gamma}
for law, force in pair.items():
    depth = 1e-17  # 1e-9 of the depth over which jkr changes
    normal = f'normal: {{law: {law}, k: {k}, w: {2 * gamma}}}'
    o, rows = scene(ball(z=R - depth), normal, 1e-12, (0, 0, 0))
    # the position has 2e-18 m between two doubles
    near(f'{law} on a wall', -rows[0]['ball/floor:fz'], force * R, 1e-7)
    two = ''.join(f'  {name}: {{mass: {M}, shape: {{sphere: {{radius: {R}}}}}, position: [{sign * (R - depth)!r}, 0, 1]}}\n'
                  for name, sign in (('a', -1), ('b', 1)))
    o, rows = scene(two, normal, 1e-12, (0, 0, 0), 'a, b')
    near(f'{law} of two spheres', abs(rows[0]['a/b:fx']), force * R / 2, 1e-7)

# pull-off: a damped sphere hangs under a ceiling below 4 pi gamma R (DMT) and 3 pi gamma R (JKR), and falls above
for law, force in {'dmt': 4 * math.pi * gamma * R, 'jkr': 3 * math.pi * gamma * R}.items():
    for part in (0.999, 1.001):
        mass = part * force / G
        o, _ = scene(ball(z=R - 1e-8, mass=mass), f'normal: {{law: {law}, k: {k}, w: {2 * gamma}, lambda: 1e7}}', 20, (0, 0, G))
        fallen = o['bodies']['ball']['position'][2] > 1.1 * R
        check(f'{law} at {part} of the pull-off force', fallen == (part > 1), o['bodies'])

# JKR: making and breaking a contact loses 7.092196 (w^5 R^4/E*^2)^(1/3), at any speed
modulus = 0.75 * k / math.sqrt(R)
loss = (0.6 + 0.1 * 4 ** (-1 / 3)) * math.pi * (4 * math.pi ** 2) ** (1 / 3) * ((2 * gamma) ** 5 * R ** 4 / modulus ** 2) ** (1 / 3)
for speed in (2, 5):
    v = speed * math.sqrt(2 * loss / M)
    o, _ = scene(ball(z=R + 1e-6).replace('omega: [0, 0, 0]', f'velocity: [0, 0, {-v!r}]'),
                 f'normal: {{law: jkr, k: {k}, w: {2 * gamma}}}', 4e-6 / v, (0, 0, 0))
    near(f'jkr loses as much at {speed} times the sticking speed', o['ledger']['release'], loss, 1e-8)
    near('and rebounds with the rest', o['bodies']['ball']['velocity'][2], math.sqrt(v * v - 2 * loss / M), 1e-7)
finish()
PYTHON

finish
