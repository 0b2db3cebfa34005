#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Copyright the footfall authors
#
# phase planes: separatrix, ends, conservation along contours, branches that no impact reaches
. "$(dirname "$0")/lib.bash"

checks <<'PYTHON'
from lib import *

def phase(law, **more):
    return ask('phase', '--normal', law, *options(**more))

KEYS = ('time', 'depth', 'velocity', 'force')
k, alpha, mass = 5e4, 0.4, 50.0
speeds, branches = [0.5, 1, 4], [2, 3]
a = phase('marhefka-orin', k=k, alpha=alpha, mass=mass, speed='0.5,1,4', branch='2,3')
near('the separatrix is -2/(3 alpha)', a.get('separatrix'), -2 / (3 * alpha), 1e-14)
contours = a.get('contours', [])
check('impacts first, then branches', [c.get('speed', c.get('velocity_at_depth')) for c in contours] == [*speeds, *(-v for v in branches)],
      [c.keys() for c in contours])
check('which of them an impact reaches', [c.get('reached_by_impact') for c in contours] == [True] * 3 + [False] * 2)
for c in contours:
    arrays = [c.get(key, []) for key in KEYS]
    check('four arrays of 200 numbers', all(len(x) == 200 and all(isinstance(v, (int, float)) for v in x) for x in arrays), [len(x) for x in arrays])
for c in contours[:3]:
    v = c['speed']
    p = point('marhefka-orin', k=k, alpha=alpha, mass=mass, speed=v)
    t, z, w, force = (c[key] for key in KEYS)
    check(f'{v} m/s starts at touch-down', (t[0], z[0], w[0]) == (0, 0, v), (t[0], z[0], w[0]))
    near(f'{v} m/s ends with e v', w[-1], -p['restitution'] * v, 1e-11)
    near(f'{v} m/s ends at z = 0', z[-1], 0, 1e-12 * p['max_depth'])
    near(f'{v} m/s ends after the contact', t[-1], p['clear_time'], 1e-11)
    check(f'{v} m/s never leaves faster than the separatrix', min(w) > a['separatrix'], min(w))
    check(f'{v} m/s: time grows', all(x < y for x, y in zip(t, t[1:])))
    check(f'{v} m/s: the depth stays below the greatest', max(z) <= p['max_depth'] * (1 + 1e-12), max(z))
    near(f'{v} m/s: and comes near it', max(z), p['max_depth'], 1e-3)
    check(f'{v} m/s: so does the force', max(force) <= p['max_force'] * (1 + 1e-12) and max(force) > 0.999 * p['max_force'], max(force))
    d = 1.5 * alpha
    for i in range(0, 200, 7):
        near(f'{v} m/s: the force is the law', force[i], max(0, k * z[i] * (1 + d * w[i])), 1e-9)
        # Marhefka and Orin 1996, eq. 13: z^2 k/(2 m) + (d w - ln(1 + d w))/d^2 is constant along a contour
        first = k * z[i]**2 / (2 * mass) + (d * w[i] - math.log1p(d * w[i])) / d**2
        near(f'{v} m/s: the first integral', first, (d * v - math.log1p(d * v)) / d**2, 1e-10)
# branches: from the maximum depth of all impacts, below the separatrix, where the ground pulls
deepest = point('marhefka-orin', k=k, alpha=alpha, mass=mass, speed=4)['max_depth']
for c, v in zip(contours[3:], branches):
    z, w, force = c['depth'], c['velocity'], c['force']
    near(f'branch {v}: starts at the greatest depth', z[0], deepest, 1e-9)
    near(f'branch {v}: with its velocity', w[0], -v, 1e-14)
    near(f'branch {v}: ends at z = 0', z[-1], 0, 1e-12)
    check(f'branch {v}: stays below the separatrix', max(w) < a['separatrix'], max(w))
    check(f'branch {v}: pulls', all(x <= 0 for x in force) and force[0] < 0, max(force))
    d = 1.5 * alpha
    first = [k * x*x / (2 * mass) + (d * y - math.log(abs(1 + d * y))) / d**2 for x, y in zip(z, w)]
    check(f'branch {v}: the first integral', max(first) - min(first) < 1e-10, max(first) - min(first))
# with any number of points
for count in (2, 3, 50):
    c = phase('marhefka-orin', k=k, alpha=alpha, mass=mass, speed=1, branch=2, points=count).get('contours', [])
    check(f'{count} points', len(c) == 2 and all(len(x[key]) == count for x in c for key in KEYS), len(c))
    if len(c) == 2:
        near(f'{count} points: the branch starts at the greatest depth', c[1]['depth'][0], point('marhefka-orin', k=k, alpha=alpha, mass=mass, speed=1)['max_depth'], 1e-9)

# other laws: the ends are those of the impact, the flight after the end of the force is straight, energy never increases
for law, more in (('azad-featherstone', dict(k=8.5e6, lambda_=3.1e3)), ('linear', dict(k=2.5e5, lambda_=80.0)), ('linear', dict(k=2.5e5, lambda_=80.0, detach='tension')),
                  ('xiong', dict(K=1e5, alpha=0.0007, beta=0.001)), ('flores', dict(k=8.5e6, e=0.6)), ('hertz', dict(k=8.5e6)),
                  ('general', dict(n=1.7, p=0.3, k=1e6, lambda_=50.0, lambda_out=10.0))):
    a = phase(law, mass=0.154, speed='0.3,2', **more)
    for c in a.get('contours', []):
        p = point(law, mass=0.154, speed=c['speed'], **more)
        t, z, w, force = (c[key] for key in KEYS)
        near(f'{law}: end', w[-1], -p['restitution'] * c['speed'], 1e-10)
        near(f'{law}: time', t[-1], p['clear_time'], 1e-10)
        near(f'{law}: depth at the end', z[-1], 0, 1e-12 * p['max_depth'])
        late = [i for i, x in enumerate(t) if x > p['contact_time'] * (1 + 1e-12)]
        check(f'{law}: no force after the contact', all(abs(force[i]) < 1e-9 * p['max_force'] for i in late))
        check(f'{law}: flight at a constant velocity', all(abs(w[i] - w[-1]) < 1e-11 for i in late))
        if 'detach' not in more:
            check(f'{law}: the force is never negative', min(force) >= 0, min(force))
        else:
            check(f'{law}: tension pulls', min(force) < -0.01 * p['max_force'], min(force))
    has = {'flores': False, 'hertz': False}.get(law, a.get('separatrix') is not None)
    check(f'{law}: a separatrix only for p = n', has == (law == 'hunt-crossley'), a.get('separatrix'))
near('hunt-crossley: the separatrix is -k/lambda', phase('hunt-crossley', k=6, lambda_=3, mass=1, speed=1).get('separatrix'), -2, 1e-14)
near('that of the opening phase', phase('hunt-crossley', k=6, lambda_=3, lambda_out=1, mass=1, speed=1).get('separatrix'), -6, 1e-14)

# the table: maximum depth and maximum force are exact, and the maximum force of a branch is that of the whole branch
for law, more in (('azad-featherstone', dict(k=8.5e6, lambda_=3.1e3, mass=0.154)), ('linear', dict(k=1e5, lambda_=100.0, mass=1)), ('marhefka-orin', dict(k=k, alpha=alpha, mass=mass))):
    args = ['phase', '--normal', law, *options(speed=1, branch='1,3', **more)]
    rows = [line.split() for line in run(*args).stdout.splitlines() if line.startswith(('impact', 'branch'))]
    contours = ask(*args).get('contours', [])
    check(f'{law}: three rows', len(rows) == 3 == len(contours), rows)
    p = point(law, speed=1, **more)
    for row, c in zip(rows, contours):
        strongest = max(c['force'], key=abs) if row[0] == 'branch' else p['max_force']
        # a branch has 200 points, including the maximum
        near(f'{law}, {row[0]} {row[1]}: force', float(row[3]), strongest, 1e-3 if row[0] == 'branch' else 1e-5)
        near(f'{law}, {row[0]} {row[1]}: depth', float(row[2]), p['max_depth'], 1e-5)
        near(f'{law}, {row[0]} {row[1]}: end', float(row[-1]), c['velocity'][-1], 1e-5)
finish()
PYTHON

call phase --normal marhefka-orin --k 50e3 --alpha 0.4 --mass 50 --speed 1
grep -q '1\.66667 m/s' out
judge $? "the separatrix is named: $(cat out)"

finish
