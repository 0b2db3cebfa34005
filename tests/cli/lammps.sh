#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Copyright the footfall authors
#
# LAMMPS runs the output of `footfall export lammps` on two ranks, with the same motion as footfall.
. "$(dirname "$0")/lib.bash"
export root

if ! command -v lmp >/dev/null || ! command -v mpirun >/dev/null; then
    echo "left out: there is no LAMMPS (make setup GROUPS=lammps)"
    exit 77
fi
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1

checks <<'PYTHON'
from lib import *
import csv

# two equal spinning balls collide off centre above a tilted plane and a floor; a third one bounces on the floor
SCENE = '''gravity: [0, 0, -9.81]
bodies:
  a: {{mass: 5 g, shape: {{sphere: {{radius: 1 cm}}}}, position: [-1.2 cm, 0, 4 cm], velocity: [1, 0, 0], omega: [0, 20, 5]}}
  b: {{mass: 5 g, shape: {{sphere: {{radius: 1 cm}}}}, position: [1.2 cm, 4 mm, 4.3 cm], velocity: [-0.7, 0, -0.3]}}
  c: {{mass: 5 g, shape: {{sphere: {{radius: 1 cm}}}}, position: [0, 6 cm, 1.1 cm], velocity: [0.3, 0.1, -1], omega: [10, 0, 0]}}
ground:
  floor: {{plane: {{normal: [0, 0, 1]}}}}
  slope: {{plane: {{normal: [-1, 0, 0.5], point: [3 cm, 0, 0]}}}}
pairs:
  - between: ["*", "*"]
    normal: {normal}
    friction: {between}
  - between: ["*", floor]
    normal: {normal}
    friction: {friction}
  - between: ["*", slope]
    normal: {normal}
    friction: {friction}
run: {{until: 15 ms, method: verlet, events: none, dt: {dt}, every: 1 ms}}
'''

def both(normal, friction, between, dt):
    """the largest difference of positions, m, and of angular velocities, rad/s, over all rows"""
    with open('s.yaml', 'w') as f:
        f.write(SCENE.format(normal=normal, friction=friction, between=between, dt=dt))
    r = run('export', 'lammps', 's.yaml')
    check('export', r.returncode == 0, r.stderr)
    r = subprocess.run(['mpirun', '--oversubscribe', '-n', '2', 'lmp', '-in', 's.in', '-log', 'none'], capture_output=True, text=True)
    check('lmp', r.returncode == 0, r.stdout[-500:] + r.stderr)
    r = run('import', 'lammps', 's.dump', '--scene', 's.yaml', '-o', 'lammps.csv')
    check('import', r.returncode == 0 and '16 frames of 3 bodies' in r.stderr, r.stderr)
    r = run('run', 's.yaml', '-o', 'footfall.csv', '-q')
    check('run', r.returncode == 0, r.stderr)
    theirs, ours = (list(csv.DictReader(open(f'{name}.csv'))) for name in ('lammps', 'footfall'))
    check('the same times', all(abs(float(x['t:s']) - float(y['t:s'])) < 1e-12 for x, y in zip(theirs, ours)) and len(theirs) == len(ours))
    moved = max(abs(float(ours[-1][f'{b}:v{c}']) - float(ours[0][f'{b}:v{c}'])) for b in 'abc' for c in 'xy')
    check('balls have met', moved > 0.1, moved)
    return [max(abs(float(x[f'{b}:{c}']) - float(y[f'{b}:{c}'])) for x, y in zip(theirs, ours) for b in 'abc' for c in parts)
            for parts in ('xyz', ('wx', 'wy', 'wz'))]

none, hertz, stiff = '{law: none}', '{law: azad-featherstone, k: 1e6, lambda: 300}', '{law: azad-featherstone, k: 1e9, lambda: 3e4}'

# without dampers both use the same scheme: only rounding differs, through an impact or two
far, turned = both('{law: hertz, k: 1e6}', none, none, '1 us')
check('elastic: positions', far < 1e-12, far)

# LAMMPS' dampers use velocities of half a step before: differences fall tenfold with the step, to 1e-7 m at 0.1 us
for what, normal, friction in (
        ('no friction', hertz, none),
        ('linear, no friction', '{law: linear, k: 1e4, lambda: 2}', none),
        ('sticking to walls', hertz, '{law: clutch, k: 1.5e6, damping: 300, mu: 50}'),
        ('slipping on walls', hertz, '{law: clutch, k: 1.5e6, damping: 10, mu: 0.02}'),
        ('linear, sticking to walls', '{law: linear, k: 1e4, lambda: 2}', '{law: clutch, k: 8e3, damping: 1, mu: 50}')):
    (coarse, _), (fine, turned) = both(normal, friction, none, '1 us'), both(normal, friction, none, '0.1 us')
    check(f'{what}: positions', fine < 1e-7, fine)
    check(f'{what}: of the order of the step', 7 < coarse/fine < 13, (coarse, fine))

# LAMMPS computes slip between spheres at the full radius, footfall at half the depth: the relative difference is of
# the order of depth over radius, and decreases with the depth of an impact, (m v^2/k)^(2/5)
clutch = '{{law: clutch, k: {}, damping: {}, mu: 50}}'
soft, hard = both(hertz, none, clutch.format(1.5e6, 300), '0.2 us'), both(stiff, none, clutch.format(1.5e9, 3e4), '0.02 us')
check('sticking to each other', soft[0] < 1e-5 and hard[0] < soft[0]/5, (soft, hard))
finish()
PYTHON
finish
