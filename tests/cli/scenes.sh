#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Copyright the footfall authors
#
# Scenes that demonstrate contact phenomena, compared with theory.
. "$(dirname "$0")/lib.bash"
export root

checks <<'PYTHON'
from lib import *
import csv
import tempfile
root = os.environ['root']
G = 9.81


def show(name, every=None, *more):
    """the answer of a run without warnings, and the rows of its trace"""
    with tempfile.TemporaryDirectory() as folder:
        out = f'{folder}/out.csv'
        r = run('run', f'{root}/scenes/{name}.yaml', '--strict', *(['-o', out, '--every', every] if every else []), *more, '--json')
        check(f'{name} runs without warnings', r.returncode == 0, r.stderr)
        with open(out) if every else open(os.devnull) as f:
            rows = [{key: float(value) for key, value in row.items()} for row in csv.DictReader(f)]
    return json.loads(r.stdout), rows


def fastest(o):
    return max(abs(x) for b in o['bodies'].values() for key in ('velocity', 'omega') for x in b[key])


# --- tippe top: it inverts, and L.(R n - a e) is conserved (Jellett 1872): the force acts along R n - a e from the centre
# of mass, so that dL/dt is perpendicular to it, and L is in the plane of omega and e, so that L.de/dt = 0
m, R, a = 0.02, 0.02, 0.006
axial, across = 0.4*m*R*R, 131/350*m*R*R


def top(row):
    w, x, y, z = (row[f'top:q{c}'] for c in 'wxyz')
    e = [2*(x*z + w*y), 2*(y*z - w*x), 1 - 2*(x*x + y*y)]
    omega = [row[f'top:w{c}'] for c in 'xyz']
    spin = sum(p*q for p, q in zip(omega, e))
    L = [across*p + (axial - across)*spin*q for p, q in zip(omega, e)]
    return e[2], sum(p*q for p, q in zip(L, [-a*e[0], -a*e[1], R - a*e[2]]))


o, rows = show('tippe_top', '10 ms')
axis, jellett = zip(*map(top, rows))
check('the tippe top starts upright', axis[0] > 0.99, axis[0])
check('it stands on its head', axis[-1] < -0.9 and max(axis[120:]) < -0.9, axis[120:])
check('its centre of mass has risen by 2 a, nearly', 1.9*a < rows[-1]['top:z'] - rows[0]['top:z'] < 2*a, rows[-1]['top:z'])
# errors of 1e-8 per step add up to 3e-11
near('Jellett\'s number stays', max(abs(j/jellett[0] - 1) for j in jellett), 0, 1e-9)
check('friction pays for it', o['ledger']['slip'] > 5*m*G*2*a, o['ledger'])
# J below sqrt(m g R^3 axial alpha) (1 + alpha)^2/sqrt(1 + alpha - gamma), and gamma below 1 - alpha, alpha = a/R, gamma =
# across/axial (Rauch-Wojciechowski and Rutstam 2014)
alpha = a/R
least = math.sqrt(m*G*R**3*axial*alpha)*(1 + alpha)**2/math.sqrt(1 + alpha - across/axial)
check('J is large enough', jellett[0] > least, (jellett[0], least))
for setting in 'parameters.spin=30 rad/s', 'parameters.across=0.67*axial':
    o, rows = show('tippe_top', '10 ms', '--set', setting)
    check(f'{setting}: it stays upright', min(top(row)[0] for row in rows) > 0.9, min(top(row)[0] for row in rows))

# --- dominoes: rate w at a strike, s w after it, w' at the next one, and the time in between by conservation of energy
l, r, d = 0.1, 0.015, 0.06
L = l + 0.4*r*r/l
low, high = 0, math.asin(d/l)
for _ in range(60):
    c = (low + high)/2
    low, high = (c, high) if math.hypot(d - l*math.sin(c), l - l*math.cos(c)) > 2*r else (low, c)
n = [(d - l*math.sin(c))/(2*r), (l - l*math.cos(c))/(2*r)]
strikes, struck = n[0]*math.cos(c) - n[1]*math.sin(c), n[0]


def fall(rate):
    """rate and time at the next strike of a sphere that is struck"""
    steps = 1000
    squares = [rate**2 + 2*G/L*(1 - math.cos((k + 0.5)*c/steps)) for k in range(steps)]
    return math.sqrt(rate**2 + 2*G/L*(1 - math.cos(c))), sum(c/steps/math.sqrt(s) for s in squares)


o, _ = show('dominoes')
hits = [o['impacts'][f'ball{i}/ball{i + 1}']['each'][0] for i in range(9)]
check('each falls on the next, in order', all(a['t'] < b['t'] for a, b in zip(hits, hits[1:])), hits)
for i, (one, other) in enumerate(zip(hits, hits[1:])):
    s = (1 + one['restitution'])*strikes*struck/(strikes**2 + struck**2)
    rate, time = fall(s*one['speed']/(l*strikes))
    # contacts are not instantaneous: they take 1 ms of 57 ms, during which the dominoes continue to fall
    near(f'speed of strike {i + 1}', other['speed'], rate*l*strikes, 4e-3)
    near(f'time to strike {i + 1}', other['t'] - one['t'], time, 4e-3)
s = (1 + hits[-1]['restitution'])*strikes*struck/(strikes**2 + struck**2)
time = fall(s*math.sqrt(2*G/L*(1 - math.cos(c))/(1 - s*s)))[1]
# the last of ten is within 1.2 % of the final speed of the wave
near('speed of the wave', d/(hits[-1]['t'] - hits[-2]['t']), d/time, 0.02)
check('all have fallen', all(b['position'][2] < 0.05 for b in o['bodies'].values()), o['bodies'])
check('closed', abs(o['ledger']['residual']) < 1e-9*o['ledger']['scale'], o['ledger'])

# --- creep of friction laws, m/s: at rest and shaken; for ramps by their formulas at half the weight
o, rows = show('grasp_laws', '0.25 s')
z = {row['t:s']: {law: row[f'{law}:z'] for law in o['bodies']} for row in rows}
still = {law: (z[0.5][law] - z[1][law])/0.5 for law in o['bodies']}
shaken = {law: (z[1.5][law] - z[2][law])/0.5 for law in o['bodies']}
part = 0.2*G/2/(0.6*10)
for law in 'coulomb', 'awrejcewicz':
    near(f'{law} creeps', still[law], 0.01*part, 1e-9)
    near(f'{law} creeps no faster where it is shaken', shaken[law], 0.01*part, 1e-6)
near('bengisu-akay creeps', still['bengisu_akay'], 0.01*(1 - math.sqrt(1 - part)), 1e-9)
check('lugre holds what is still', abs(still['lugre']) < 1e-12, still)
for law in 'dahl', 'lugre':
    check(f'{law} creeps where it is shaken', 5e-4 < shaken[law] < 1.5e-3, shaken)
for law in 'clutch', 'sat':
    check(f'{law} holds', abs(still[law]) < 1e-12 and abs(shaken[law]) < 1e-9, (still, shaken))

# --- standing: the start is at rest, and the feet carry the weight
o, rows = show('quadruped_stand', '1 s')
check('the quadruped stands still', fastest(o) < 1e-9, fastest(o))
near('lower by what its motors give way', 0.346 - rows[0]['trunk:z'], 0.0247, 0.01)
check('on four feet', len(o['rest']['carrying']) == 4 and o['rest']['growth'] is None, o['rest'])
near('with its weight', sum(rows[-1][f'{leg}_shank/floor:fz'] for leg in ('fl', 'fr', 'hl', 'hr')), (8 + 4*1.6)*G, 1e-9)
finish()
PYTHON
finish
