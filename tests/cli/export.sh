#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Copyright the footfall authors
#
# Spheres for other programs: LAMMPS input and data, frames of traces, import of dumps; refused scenes.
. "$(dirname "$0")/lib.bash"
export root

checks <<'PYTHON'
from lib import *
import csv
import re
import struct
import xml.dom.minidom
root = os.environ['root']

BALLS = '''bodies:
  balls: {{count: 8, radius: 1 cm, density: 1100 kg/m^3, fill: {{from: [0, 0, 0], to: [6 cm, 6 cm, 6 cm]}}, velocity: [0.3, 0.1, -1]}}
  big: {{mass: 20 g, shape: {{sphere: {{radius: 1.5 cm}}}}, position: [3 cm, 3 cm, 10 cm], omega: [0, 3, 0]}}
ground:
  floor: {{plane: {{normal: [0, 0, 1]}}}}
  slope: {{plane: {{normal: [1, 0, 1], point: [-2 cm, 0, 0]}}}}
pairs:
  - between: [balls, balls]
    normal: {{law: azad-featherstone, k: 1e6, lambda: 300}}
    friction: {{law: clutch, k: 1.5e6, damping: 30, mu: 0.5}}
  - between: [balls, big]
    normal: {{law: linear, k: 1e4, lambda: 2}}
    friction: {{law: clutch, k: 5e3, damping: 1, mu: 0.4}}
  - between: ["*", floor]
    {0}
{1}run: {{until: 10 ms, method: verlet, events: none, dt: 5 us, every: 1 ms}}
'''
FLOOR = 'normal: {law: hertz, k: 2e6}'

def scene(name, floor=FLOOR, more='', change=lambda text: text):
    with open(name, 'w') as f:
        f.write(change(BALLS.format(floor, more)))

# input: coefficients by the formulas of the LAMMPS manual
scene('s.yaml')
r = run('export', 'lammps', 's.yaml')
check('files are written', r.returncode == 0 and 'wrote s.in\nwrote s.data\n' in r.stderr and r.stdout == '', r.stderr)
check('different radii are told', 'different radii' in r.stderr, r.stderr)
text = open('s.in').read()
radius, big = 0.01, 0.015
mass = 1100*4/3*math.pi*radius**3
def coefficients(pattern):
    words = re.search(pattern + ' (.*)', text).group(1).split()
    return words, [float(w) for w in words if re.fullmatch(r'[-+.\de]+', w)]
words, numbers = coefficients('pair_coeff 1 1')
check('hertz, viscoelastic, mindlin, limit_damping',
      [w for w in words if w.isidentifier()] == ['hertz', 'tangential', 'mindlin', 'damping', 'viscoelastic', 'limit_damping'], words)
for what, got, want in zip(('kn', 'eta', 'kt', 'x', 'mu'), numbers,
                           (1e6/math.sqrt(radius/2), 300/(math.sqrt(radius/2)*mass/2), 1.5e6/math.sqrt(radius/2), 0.1, 0.5)):
    near(f'1 1: {what}', got, want, 1e-12)
words, numbers = coefficients('pair_coeff 1 2')
check('hooke, linear_history', words[0] == 'hooke' and words[4] == 'linear_history' and words[-2:] == ['velocity', 'limit_damping'], words)
check('1 2', numbers == [1e4, 2, 5e3, 0.5, 0.4], numbers)
check('what does not touch has no force', coefficients('pair_coeff 2 2')[0][:3] == ['hooke', '0', '0'], text)
for type_, r in ((1, radius), (2, big)):
    words, numbers = coefficients(f'fix wall1_{type_} type{type_} wall/gran/region granular')
    near(f'a wall: kn of type {type_}', numbers[0], 2e6/math.sqrt(r), 1e-12)
    check('a wall without friction', words[2:6] == ['0', 'tangential', 'linear_nohistory', '0'], words)
check('a plane that nothing touches is left out', 'plane2' not in text, text)
check('steps', 'timestep 5.00000000000000' in text and '\nrun 2000\n' in text and 'custom 200 s.dump' in text, text)
check('gravity', 'fix gravity all gravity 9.8100000000000005 vector 0 0 -9.8100000000000005' in text)
data = open('s.data').read()
start = ask('run', 's.yaml', '--until', '5us')
check('data: counts', '\n9 atoms\n2 atom types\n' in data)
atoms = [line.split() for line in data.split('Atoms # sphere\n\n')[1].split('\n\n')[0].splitlines()]
check('data: types and diameters', [(a[1], float(a[2])) for a in atoms] == [('1', 0.02)]*8 + [('2', 0.03)], atoms)
near('data: the mass of big', float(atoms[8][3])*math.pi/6*0.03**3, 0.02, 1e-14)
speeds = [line.split() for line in data.split('Velocities\n\n')[1].splitlines()]
check('data: velocities', [float(x) for x in speeds[0]] == [1, 0.3, 0.1, -1, 0, 0, 0] and [float(x) for x in speeds[8]] == [9, 0, 0, 0, 0, 3, 0], speeds)
r = run('export', 'lammps', 's.yaml', '--dt', '2us', '--until', '4ms', '--every', '2ms', '-o', 'other')
check('--dt, --until, --every, -o', r.returncode == 0 and '\nrun 2000\n' in open('other.in').read() and 'custom 1000 other.dump' in open('other.in').read())
r = run('export', 'lammps', 's.yaml', '--set', 'bodies.balls.count=3')
check('--set', r.returncode == 0 and '\n4 atoms\n' in open('s.data').read())
scene('slow.yaml', change=lambda t: t.replace('damping: 30', 'damping: 1e4'))
r = run('export', 'lammps', 'slow.yaml')
check('a clutch that is slow is told', r.returncode == 0 and 'balls[0]/balls[1]: the spring of clutch follows slip' in r.stderr, r.stderr)

# features that LAMMPS does not have
for pattern, change in (
        ('has no hunt-crossley', lambda t: t.replace('law: hertz, k: 2e6', 'law: hunt-crossley, k: 2e6, lambda: 1e5')),
        ('has no tsuji', lambda t: t.replace('law: hertz, k: 2e6', 'law: tsuji, k: 2e6, lambda: 1e3')),
        ('has no azad-featherstone with these', lambda t: t.replace('lambda: 300', 'lambda: 300, lambda_out: 100')),
        ('has no coulomb', lambda t: t.replace(FLOOR, FLOOR + '\n    friction: {law: coulomb, mu: 0.3, v_ramp: 1e-3}')),
        ('has no clutch with these', lambda t: t.replace('mu: 0.5', 'mu: 0.5, viscous: 1')),
        ('has no clutch with these', lambda t: t.replace('mu: 0.5', 'mu: 0.5, passive: true')),
        ('a multiple of that of the normal force', lambda t: t.replace('lambda: 300', 'lambda: 0')),
        ('while the contact pulls', lambda t: t.replace('lambda: 300', 'lambda: 300, detach: tension')),
        ('resistance to rolling is not', lambda t: t.replace(FLOOR, FLOOR + '\n    rolling: {mu_r: 0.05, k: 10 kN/m, damping: 1 N s/m}')),
        ("plane 'floor' moves", lambda t: t.replace('normal: [0, 0, 1]', 'normal: [0, 0, 1], surface_velocity: [1, 0, 0]')),
        ('moves by a law of time', lambda t: t.replace('normal: [0, 0, 1]', 'normal: [0, 0, 1], motion: [0, 0, 1 mm*sin(t*1 Hz)]')),
        ('has forces', lambda t: t.replace('run:', 'forces: {wind: {body: big, force: [1, 0, 0]}}\nrun:')),
        ('start: rest', lambda t: t.replace('run:', 'start: rest\nrun:')),
        ("body 'big' has a lock", lambda t: t.replace('mass: 20 g', 'mass: 20 g, lock: [x]').replace('omega: [0, 3, 0]', 'omega: [0, 0, 0]')),
        ("body 'big' is not one sphere", lambda t: t.replace('shape: {sphere: {radius: 1.5 cm}}',
                                                           'inertia: [1e-5, 1e-5, 1e-5], shape: {spheres: [{name: a, radius: 1 cm, center: [-1 cm, 0, 0]}, {name: b, radius: 1 cm, center: [1 cm, 0, 0]}]}')),
        ("body 'big' does not have the inertia", lambda t: t.replace('mass: 20 g', 'mass: 20 g, inertia: [1e-5, 1e-5, 1e-5]')),
        ('`lever: deformed`', lambda t: t.replace(FLOOR, FLOOR + '\n    lever: deformed')),
        ('more than 100 different', lambda t: t.replace('count: 8, radius: 1 cm', 'count: 200, radius: {uniform: [1 mm, 2 mm]}')),
        ('has no fixed step: give one with --dt', lambda t: t.replace('method: verlet, events: none, dt: 5 us', 'method: auto'))):
    scene('no.yaml', change=change)
    r = run('export', 'lammps', 'no.yaml', '-o', 'no')
    check(f'{pattern}: refused', r.returncode == 2 and pattern in r.stderr and len(r.stderr.splitlines()) == 1 and not os.path.exists('no.in'),
          f'{r.returncode} {r.stderr}')
for status, pattern, words in (
        (2, "unknown 'paraview' (one of", ['export', 'paraview', 's.yaml']),
        (2, 'No such file', ['export', 'lammps', 'nothing.yaml']),
        (1, 'No such file', ['export', 'lammps', 's.yaml', '-o', 'nowhere/s']),
        (2, "'--dt' is for scenes", ['export', 'vtk', 's.h5', '--dt', '1']),
        (2, 'No such file', ['export', 'vtk', 'nothing.h5']),
        (2, "unknown 'liggghts' (there is: lammps)", ['import', 'liggghts', 's.dump', '--scene', 's.yaml']),
        (2, "'--scene' is missing", ['import', 'lammps', 's.dump']),
        (2, 'No such file', ['import', 'lammps', 'nothing.dump', '--scene', 's.yaml', '-o', 'x.csv']),
        (2, 'written as .csv or .h5', ['import', 'lammps', 's.dump', '--scene', 's.yaml', '-o', 'x.txt'])):
    r = run(*words)
    check(f'{pattern}: exit {status}', r.returncode == status and pattern in r.stderr and len(r.stderr.splitlines()) == 1, f'{r.returncode} {r.stderr}')

# traces: frames for ParaView and OVITO
scene('s.yaml')
r = run('run', 's.yaml', '-o', 's.h5', '-q')
if 'HDF5' in r.stderr:
    print('built without HDF5: traces are left out')
    finish()
    raise SystemExit
run('run', 's.yaml', '-o', 's.csv', '-q')
rows = [dict(zip(line, map(float, values))) for table in [list(csv.reader(open('s.csv')))] for line in [table[0]] for values in table[1:]]
names = [f'balls[{i}]' for i in range(8)] + ['big']

def vtp(path):
    head, data = open(path, 'rb').read().split(b'<AppendedData encoding="raw">\n_', 1)
    document = xml.dom.minidom.parseString(head + b'</VTKFile>')
    out = {'points': int(document.getElementsByTagName('Piece')[0].getAttribute('NumberOfPoints'))}
    for array in document.getElementsByTagName('DataArray'):
        at = int(array.getAttribute('offset'))
        size, = struct.unpack_from('<Q', data, at)
        kind = 'd' if array.getAttribute('type') == 'Float64' else 'q'
        out[array.getAttribute('Name')] = struct.unpack_from(f'<{size//8}{kind}', data, at + 8)
    check('the last array ends the file', data[at + 8 + size:] == b'\n</AppendedData>\n</VTKFile>\n')
    return out

r = run('export', 'vtk', 's.h5', '-o', 'frames')
check('vtk', r.returncode == 0 and 'wrote frames/frames.pvd: 11 frames of 9 spheres' in r.stderr, r.stderr)
sets = xml.dom.minidom.parse('frames/frames.pvd').getElementsByTagName('DataSet')
check('pvd: times', [float(s.getAttribute('timestep')) for s in sets] == [row['t:s'] for row in rows])
check('pvd: files', sorted(s.getAttribute('file') for s in sets) == sorted(os.listdir('frames'))[1:])
for i in (0, 7, 10):
    frame = vtp(f'frames/frames_{i:06}.vtp')
    def of(*parts):
        return tuple(rows[i][f'{name}:{part}'] for name in names for part in parts)
    check(f'vtp {i}: positions', frame['Points'] == of('x', 'y', 'z') and frame['points'] == 9)
    check(f'vtp {i}: motions', frame['velocity'] == of('vx', 'vy', 'vz') and frame['omega'] == of('wx', 'wy', 'wz'))
    check(f'vtp {i}: radii', frame['radius'] == (0.01,)*8 + (0.015,))
    check(f'vtp {i}: vertices', frame['connectivity'] == tuple(range(9)) and frame['offsets'] == tuple(range(1, 10)))
r = run('export', 'vtk', 's.h5', '--every', '5ms')
check('--every', '3 frames' in r.stderr and os.path.exists('s/s.pvd'), r.stderr)

# a crowd
run('run', f'{root}/scenes/funnel.yaml', '--until', '1ms', '--every', '0.5ms', '-o', 'funnel.h5', '-q')
r = run('export', 'vtk', 'funnel.h5', '-o', 'funnel')
frame = vtp('funnel/funnel_000002.vtp')
check('a crowd', frame['points'] == 300 and len(frame['normal_force']) == 300 and min(frame['radius']) >= 2e-3 and max(frame['radius']) <= 3e-3, r.stderr)
run('export', 'lammps-dump', 'funnel.h5')
r = run('import', 'lammps', 'funnel.dump', '--scene', f'{root}/scenes/funnel.yaml', '-o', 'funnel2.h5')
check('a crowd and back', r.returncode == 0 and '3 frames of 300 bodies' in r.stderr, r.stderr)
run('export', 'vtk', 'funnel2.h5', '-o', 'funnel2')
again = vtp('funnel2/funnel2_000002.vtp')
check('a crowd and back: the same bits', all(frame[key] == again[key] for key in ('Points', 'velocity', 'omega', 'radius', 'mass')))

# a body of two spheres: each at its position, moving with the rotation of the body
with open('two.yaml', 'w') as f:
    f.write('gravity: [0, 0, 0]\nbodies:\n  rod: {mass: 1 kg, inertia: [1, 1, 1], omega: [0, 0, 1], velocity: [0, 0, 2], '
            'shape: {spheres: [{name: a, radius: 1 cm, center: [1, 0, 0]}, {name: b, radius: 2 cm, center: [-1, 0, 0]}]}}\n'
            'run: {until: 1 s, every: 0.5 s, tol: 1e-10}\n')
run('run', 'two.yaml', '-o', 'two.h5', '-q')
r = run('export', 'vtk', 'two.h5', '-o', 'two')
frame = vtp('two/two_000002.vtp')
for i, (got, want) in enumerate(zip(frame['Points'] + frame['velocity'],
                                    (math.cos(1), math.sin(1), 2, -math.cos(1), -math.sin(1), 2,
                                     -math.sin(1), math.cos(1), 2, math.sin(1), -math.cos(1), 2))):
    near(f'two spheres: {i}', got, want, 1e-8)  # the tolerance of the run

# a dump, and back
r = run('export', 'lammps-dump', 's.h5')
check('dump', r.returncode == 0 and 'wrote s.dump: 11 frames of 9 spheres' in r.stderr, r.stderr)
r = run('import', 'lammps', 's.dump', '--scene', 's.yaml', '-o', 'back.csv')
check('import', r.returncode == 0 and 'wrote back.csv: 11 frames of 9 bodies' in r.stderr and r.stdout == '', r.stderr)
back = list(csv.DictReader(open('back.csv')))
wanted = [f'{name}:{part}' for name in names for part in ('x', 'y', 'z', 'vx', 'vy', 'vz', 'wx', 'wy', 'wz')] + ['t:s']
check('back: the same bits', all(float(b[key]) == row[key] for b, row in zip(back, rows) for key in wanted))
check('back: what LAMMPS does not know', back[3]['ledger:kinetic'] == 'nan' and back[3]['balls[0]:qw'] == '1', back[3])
r = run('import', 'lammps', 's.dump', '--scene', 's.yaml')
facts = ask('inspect', 's.h5')
check('import to .h5', r.returncode == 0 and facts['complete'] and 'import lammps' in facts['command'], facts)

# invalid or truncated dumps: rows read so far are kept
dump = open('s.dump').read().splitlines(True)
frame = 9 + 9 + 4
def imports(lines, pattern, rows=0, words=()):
    with open('bad.dump', 'w') as f:
        f.write(''.join(lines))
    r = run('import', 'lammps', 'bad.dump', '--scene', 's.yaml', '-o', 'bad.csv', *words)
    check(f'{pattern}: told', r.returncode == 2 and pattern in r.stderr, f'{r.returncode} {r.stderr}')
    check(f'{pattern}: rows', len(open('bad.csv').readlines()) - 1 == rows, r.stderr)
imports(dump[:3*frame - 2], f'bad.dump:{3*frame - 2}: the dump ends within a frame', 2)
imports(''.join(dump)[:-40], 'the dump ends within a frame', 10)
imports([], 'there is no frame')
imports(['hello\n'], "bad.dump:1: 'hello' is not ITEM:")
imports([line.replace('omegaz', 'wz') for line in dump], "there is no column 'omegaz'")
imports([line.replace('\n9\n', '') if line != '9\n' else '8\n' for line in dump], '8 atoms: the scene has 9 bodies')
imports(dump[:14] + [dump[13]] + dump[15:], 'body 1 is there twice')
imports([('99' + line[1:]) if i == 13 else line for i, line in enumerate(dump)], 'there is no body 99')
imports([line.replace('si\n', 'lj\n') for line in dump], "units are 'lj', not si")
imports([re.sub(r' \S+$', ' x', line.rstrip('\n')) + '\n' if i == 14 else line for i, line in enumerate(dump)], "'x' is not a number")
# the line of the time, or of the step where there is no time
stamp = dump.index('ITEM: TIME\n') + 2
imports(dump[:frame]*2, f'bad.dump:{frame + stamp}: the time 0 s is not later than 0 s of the frame before', 1)
steps = [line for i, line in enumerate(dump) if i % frame not in (0, 1, 2, 3)]
imports(steps[:2*(frame - 4)] + steps[:frame - 4], f'bad.dump:{2*(frame - 4) + steps.index("ITEM: TIMESTEP" + chr(10)) + 2}: the time 0 s is not later than 5e-06 s', 2)
with open('steps.dump', 'w') as f:
    f.write(''.join(steps))
run('import', 'lammps', 'steps.dump', '--scene', 's.yaml', '-o', 'steps.csv')
check('times from steps: of the scene', [float(b['t:s']) for b in csv.DictReader(open('steps.csv'))] == [5e-6*i for i in range(11)])
run('import', 'lammps', 'steps.dump', '--scene', 's.yaml', '-o', 'steps.csv', '--dt', '1ms')
check('times from steps: --dt', [float(b['t:s']) for b in csv.DictReader(open('steps.csv'))] == [1e-3*i for i in range(11)])
finish()
PYTHON
finish
