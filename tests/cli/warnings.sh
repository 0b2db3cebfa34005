#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Copyright the footfall authors
#
# Probable mistakes in a scene: every kind of warning, and none for correct scenes
. "$(dirname "$0")/lib.bash"
export ROOT=$root

checks <<'PYTHON'
from lib import *
import glob
import re
root = os.environ['ROOT']

BALL = '''parameters: {r: 1.65 cm}
bodies:
  ball: {mass: 154 g, shape: {sphere: {radius: r}}, position: [0, 0, 10 cm], velocity: [0.5, 0.5, 0]}
ground: {floor: {plane: {normal: [0, 0, 1]}}}
pairs:
  - between: [ball, floor]
    normal: {law: azad-featherstone, k: 8.5e6, lambda: 3.1e3}
    friction: {law: clutch, k: 12.75e6, damping: 3.1e3, mu: 0.2, viscous: 0.1}
run: {until: 10 ms}
'''


def scene(text):
    with open('scene.yaml', 'w') as f:
        f.write(text)
    return 'scene.yaml'


def swap(old, new, text=BALL):
    assert old in text, old
    return scene(text.replace(old, new))


def warns(kind, path, *more, value=None, says='', command='check', tolerance=1e-3):
    """one warning of this kind on stderr and in JSON, exit 0; with --strict exit 2 of a model and 1 of a run"""
    r = run(command, path, *more, '--json')
    told = json.loads(r.stdout)['warnings'] if r.stdout else []
    lines = [line for line in r.stderr.splitlines() if line.startswith(f'footfall {command}: warning: ')]
    check(f'{kind}: one in JSON', [w['kind'] for w in told] == [kind] and set(told[0]) == {'kind', 'value', 'limit', 'text'}, told)
    check(f'{kind}: the same on stderr, exit 0', r.returncode == 0 and len(lines) == len(told) and
          all(line.endswith(w['text']) for line, w in zip(lines, told)), r.stderr)
    if told:
        check(f'{kind}: says what is wrong', says in told[0]['text'], told[0]['text'])
        if value is not None:
            near(f'{kind}: its number', told[0]['value'], value, tolerance)
    return r


def is_strict(path, *more, before=True):
    r = run('run', path, *more, '--strict')
    check('--strict ends the run', r.returncode == (2 if before else 1) and '--strict takes none' in r.stderr and bool(r.stdout) != before,
          f'exit {r.returncode}: {r.stderr}')
    r = run('check', path, *more, '--strict')
    check('check --strict', r.returncode == (2 if before else 0) and r.stdout, f'exit {r.returncode}: {r.stderr}')


# --- no warnings for correct scenes
for path in sorted(glob.glob(f'{root}/scenes/*.yaml') + glob.glob(f'{root}/papers/*/*.yaml')):
    if re.search('^(rates|tables):', open(path).read(), re.M):  # inclusions and studies
        continue
    r = run('check', path, '--strict', '--json')
    check(f'nothing to say of {path}', r.returncode == 0 and r.stderr == '' and json.loads(r.stdout)['warnings'] == [], r.stderr)
    r = run('run', path, '--strict', '--json')
    check(f'nor of a run of {path}', r.returncode == 0 and r.stderr == '' and json.loads(r.stdout)['warnings'] == [], r.stderr)
check('a plain ball', run('run', scene(BALL), '--strict').returncode == 0)

# --- warnings of a model
path = swap('154 g', '154 kg', BALL.replace('8.5e6', '8.5e9'))
warns('density', path, value=154 / (4 / 3 * math.pi * 0.0165**3), says='body ball has 154 kg')
warns('density', path, command='run')
is_strict(path)
# given inertia: small enough for all mass to lie inside the dense ball, or that of a large body
warns('density', swap('154 g,', '154 kg, inertia: [0.016, 0.016, 0.016],', BALL.replace('8.5e6', '8.5e9')))
check('a small foot of a large body', run('check', swap('154 g,', '154 kg, inertia: [1, 1, 1],', BALL.replace('8.5e6', '8.5e9')), '--strict').returncode == 0)
warns('inside', swap('10 cm]', '1 cm]'), value=0.0065, says='ball/floor starts 0.0065 m deep')
warns('plane', swap('normal: [0, 0, 1]', 'normal: [0, 0, -1]'), value=0.1, says='plane floor')
# (k z^1.5 = m g: z = 2.67 mm)
warns('depth', swap('8.5e6', '1.1e4'), value=(0.154 * 9.81 / 1.1e4)**(2 / 3) / 0.0165, says='rests 0.00266 m deep')
warns('step', scene(BALL), '--set', 'run.method=rk4', '--set', 'run.dt=10ms', value=1e-2, says='method rk4')
warns('step', scene(BALL), '--set', 'run.method=euler', '--set', 'run.dt=10ms', says='method euler')
check('a short step', run('check', scene(BALL), '--set', 'run.method=rk4', '--set', 'run.dt=1us', '--strict').returncode == 0)
warns('parameter', swap('{r: 1.65 cm}', '{r: 1.65 cm, spare: 3 kg}'), value=3, says='parameter spare, 3,')
two = BALL.replace('ground:', '  loose: {mass: 154 g, shape: {sphere: {radius: r}}, position: [1, 0, 20 cm]}\nground:')
warns('unpaired', scene(two), value=0.2, says='no pair names loose and floor')
held = two.replace('run:', 'forces: {s: {spring: {body: loose, to: world, stiffness: 10}}}\nrun:')
check('a spring holds it', run('check', scene(held), '--strict').returncode == 0, run('check', scene(held)).stderr)
many = BALL.replace('ground:', '  sand: {count: 50, radius: 1 mm, density: 1e5, fill: {from: [1, 0, 0.1], to: [1.1, 0.1, 0.2]}}\nground:').replace('[ball, floor]', "['*', floor]")
r = run('check', scene(many))
check('of many the first few, and how many more', r.stderr.count('warning') == 4 and '; and 46 more of this kind' in r.stderr, r.stderr)

# Hertz: a = sqrt(R z), p = F/(pi a^2)
lead = swap('{law: azad-featherstone, k: 8.5e6, lambda: 3.1e3}', '{law: hertz, material: [steel, lead]}',
            BALL.replace('    friction: {law: clutch, k: 12.75e6, damping: 3.1e3, mu: 0.2, viscous: 0.1}\n', ''))
r = warns('pressure', lead, says='the strength of lead is 8 MPa')
check('materials of a pair', json.loads(r.stdout)['contacts'][0]['materials'] == ['steel', 'lead'], r.stdout)
is_strict(lead)
slow = ['--set', 'pairs[0].normal.material=[cast-iron, cast-iron]', '--set', 'bodies.ball.position=[0, 0, 16.5 mm]', '--set', 'bodies.ball.velocity=[0, 0, 0]']
check('a pressure that is borne', run('check', lead, *slow, '--strict').returncode == 0, run('check', lead, *slow).stderr)
o = json.loads(run('run', lead, '--until', '0.2', '--json').stdout)
hit, told = o['impacts']['ball/floor'], o['warnings']
check('pressure: of a likely impact, and of the run', [w['kind'] for w in told] == ['pressure'] * 2 and told[1]['limit'] == 8e6, told)
near('pressure: its number', told[-1]['value'], hit['max_force'] / (math.pi * 0.0165 * hit['max_depth']), 1e-6)

# --- warnings of a run
soft = '''gravity: [0, 0, 0]
bodies:
  a: {mass: 1 kg, shape: {sphere: {radius: 5 cm}}, position: [0, 0, 10 cm], velocity: [0, 0, -3]}
  b: {mass: 1 kg, shape: {sphere: {radius: 5 cm}}, position: [0, 0, -10 cm], velocity: [0, 0, 3]}
pairs: [{between: [a, b], normal: {law: linear, k: 500, lambda: 1}}]
run: {until: 0.3}
'''
warns('through', scene(soft), command='run', says='a/b went 0.1')
is_strict(scene(soft), before=False)
# a light linear spring: v sqrt(m/k) = 1.5 m/s sqrt(0.5 kg/50 kN/m) = 9.5 mm
warns('depth', swap('k: 500, lambda: 1', 'k: 5e4, lambda: 0', soft), command='run', value=6 * math.sqrt(0.5 / 5e4) / 0.05, tolerance=1e-6)

# a and b touch where 0.1^2 = 0.06^2 + (1 - 10 t)^2, the box hits the floor after 5.95 m at 2 m/s; the box has eight
# corners
apart = '''gravity: [0, 0, 0]
bodies:
  a: {mass: 1 kg, shape: {sphere: {radius: 5 cm}}}
  b: {mass: 1 kg, shape: {sphere: {radius: 5 cm}}, position: [-1, 0, 0.06], velocity: [10, 0, 0]}
  c: {mass: 1 kg, shape: {box: {size: [0.1, 0.1, 0.1]}}, position: [5, 0, 5], velocity: [0, 0, -2]}
ground: {floor: {plane: {normal: [0, 0, 1], point: [0, 0, -1]}}}
pairs: [{between: [a, floor], normal: {law: hertz, k: 1e6}}]
run: {until: 4}
'''
warns('unpaired', scene(apart), '--until', '1', command='run', value=0.092, tolerance=1e-6, says='a and b pass through each other')
is_strict(scene(apart), before=False)
for more in ([], ['--method', 'rk4', '--dt', '1 ms']):
    told = json.loads(run('run', scene(apart), '--json', *more).stdout)['warnings']
    check('both, once each', [w['text'].split(' pass')[0] for w in told] == ['a and b', 'c and floor'] and
          abs(told[1]['value'] - 2.975) < (2e-3 if more else 1e-6), told)
together = apart.replace('pairs:', "joints: {rod: {spherical: {between: [a, b], anchor: [0, 0, 0], second_anchor: [1, 0, -0.06]}}}\npairs:").replace('velocity: [10, 0, 0]', 'velocity: [0, 0, 0]').replace('velocity: [0, 0, -2]', 'velocity: [0, 0, 0]')
check('what is held together', run('run', scene(together), '--strict').returncode == 0, run('run', scene(together)).stderr)
check('what starts inside', run('run', swap('[-1, 0, 0.06], velocity: [10, 0, 0]', '[-0.05, 0, 0.06]', apart), '--until', '1', '--strict').returncode == 0)
# 202 grains have 20,301 pairs
grains = '''bodies: {sand: {count: 202, radius: 1 mm, density: 2500, fill: {from: [0, 0, 0.1], to: [0.1, 0.1, 0.2]}}}
ground: {floor: {plane: {normal: [0, 0, 1]}}}
pairs: [{between: [sand, sand], normal: {law: hertz, k: 1e6}}, {between: [sand, floor], normal: {law: hertz, k: 1e6}}]
run: {until: 0.1 ms}
'''
warns('trace', scene(grains), value=202 * 201 / 2 + 202, says='traces omit contacts')
check('fewer contacts', run('check', swap('202', '190', grains), '--strict').returncode == 0)

# bodies without a shape: one falls through the floor at sqrt(2 h/g), one starts behind it, one is welded there, one stays in front
hollow = '''bodies:
  ball: {mass: 1 kg, shape: {sphere: {radius: 5 cm}}, position: [0, 0, 5 cm]}
  trunk: {mass: 1 kg, inertia: 1, position: [1, 0, 1]}
  under: {mass: 1 kg, inertia: 1, position: [2, 0, -1]}
  still: {mass: 1 kg, inertia: 1, position: [3, 0, -2], lock: [x, y, z, rotation]}
  hung: {mass: 1 kg, inertia: 1, position: [4, 0, 1]}
ground: {floor: {plane: {normal: [0, 0, 2]}}}
pairs: [{between: [ball, floor], normal: {law: hunt-crossley, k: 1e7, lambda: 1e6}}]
forces: {s: {spring: {body: hung, to: world, to_anchor: [4, 0, 2], stiffness: 1e3, rest: 1}}}
run: {until: 0.6}
'''
r = warns('behind', scene(hollow), command='run', value=9.81*0.6**2/2 - 1, tolerance=1e-9, says='body trunk went through plane floor')
at = float(re.search('at ([0-9.]+) s', json.loads(r.stdout)['warnings'][0]['text'])[1])
check('behind: since when', math.sqrt(2/9.81) <= at <= 0.6, r.stdout)
is_strict(scene(hollow), before=False)
check('in front of it', run('run', scene(hollow), '--until', '0.45', '--strict').returncode == 0)
linked = hollow.replace('ground:', 'joints: {pin: {revolute: {between: [world, trunk], anchor: [1, 0, 2], second_anchor: [0, 0, 1], axis: [0, 1, 0], angle: 2}}}\nground:').replace(', position: [1, 0, 1]}', '}')
for more in (['--formulation', 'maximal'], ['--method', 'rk4', '--dt', '1 ms']):
    check(f'beside joints {more}', run('run', scene(linked.replace('under: {mass: 1 kg, inertia: 1, position: [2, 0, -1]', 'under: {mass: 1 kg, inertia: 1, position: [2, 0, 1]')), *more, '--strict').returncode == 1)
    check(f'a pendulum above the floor {more}', run('run', scene(linked), *more, '--strict').returncode == 0, run('run', scene(linked), *more).stderr)
# six bodies fall: four are named, and how many more
r = run('run', scene(hollow.replace('  under:', ''.join(f'  more{i}: {{mass: 1 kg, inertia: 1, position: [1, {i + 1}, 1]}}\n' for i in range(5)) + '  under:')))
check('behind: many', r.stderr.count('went through plane') == 4 and '; and 2 more of this kind' in r.stderr, r.stderr)
# planes that move down with 1 m/s
r = warns('behind', scene(hollow.replace('normal: [0, 0, 2]', 'normal: [0, 0, 2], velocity: [0, 0, -1]').replace('0.6}', '1}')), command='run', value=9.81/2 - 2, tolerance=1e-9)
r = warns('behind', scene(hollow.replace('normal: [0, 0, 2]', 'normal: [0, 0, 2], motion: [0, 0, "-t*1 m/s"]').replace('0.6}', '1}')), command='run', value=9.81/2 - 2, tolerance=1e-9)

# starts at rest: a box that topples on a slope steeper than its diagonal; and one that stays
topples = '''start: rest
parameters: {slope: 30 deg}
bodies:
  box: {mass: 1 kg, shape: {box: {size: [10 cm, 10 cm, 40 cm]}}, position: [20 cm*sin(slope), 0, 20 cm*cos(slope)], orientation: {axis: [0, 1, 0], angle: slope}}
ground: {ramp: {plane: {normal: [sin(slope), 0, cos(slope)]}}}
pairs: [{between: [box, ramp], normal: {law: azad-featherstone, k: 1e7, lambda: 1e4}, friction: {law: clutch, k: 1.5e7, damping: 1e4, mu: 0.6}}]
run: {until: 10 ms}
'''
warns('rest', scene(topples), command='run', value=math.pi/2, tolerance=1e-3, says='turned body box by 90 degrees')
is_strict(scene(topples), before=False)
check('a box that stands', run('run', scene(topples.replace('slope: 30', 'slope: 13')), '--strict').returncode == 0, run('run', scene(topples.replace('slope: 30', 'slope: 13'))).stderr)
# a spring lets a mass of 10 cm sink by m g/k = 0.4905 m, without turning it; 0.0981 m is less than its size
sinks = '''start: rest
bodies: {box: {mass: 1 kg, shape: {box: {size: [6 cm, 6 cm, 8 cm]}}}}
joints: {rail: {prismatic: {between: [world, box], axis: [0, 0, 1], stiffness: 20}}}
run: {until: 10 ms}
'''
warns('rest', scene(sinks), command='run', value=9.81/20, tolerance=1e-9, says='moved body box by 0.491 m, more than its size, 0.117 m')
check('a spring that gives way', run('run', scene(sinks.replace('stiffness: 20', 'stiffness: 100')), '--strict').returncode == 0, run('run', scene(sinks)).stderr)

# work of joints: soft masses of penalty, and steps that are too long for any method
linkage = f'{root}/tests/scenes/parallelogram.yaml'
for way in ('augmented', 'penalty'):
    for more in ([], ['--method', 'rk4', '--dt', '1 ms']):
        r = run('run', linkage, '--formulation', 'maximal', '--constraints', way, *more, '--strict')
        check(f'{way} {more}: joints hold', r.returncode == 0 and r.stderr == '', r.stderr)
for words in (['augmented', '--method', 'rk4', '--dt', '20 ms'], ['penalty', '--method', 'rk4', '--dt', '20 ms'],
              ['penalty', '--set', 'run.constraint_penalty=1e4']):
    words = ['--formulation', 'maximal', '--constraints', *words]
    r = warns('constraint', linkage, *words, command='run', says='joints did -0.00')
    ledger = json.loads(r.stdout)['ledger']
    near('its part of the energy', json.loads(r.stdout)['warnings'][0]['value'], ledger['constraint'] / ledger['scale'], 1e-12)
is_strict(linkage, '--set', 'run.formulation=maximal', '--set', 'run.constraints=penalty', *words[-2:], before=False)
# reactions that other joints could carry: in planar linkages the out-of-plane ones, which are 0 under in-plane loads
for how in ('articulated', 'maximal'):
    check(f'loads in the plane, {how}', run('run', linkage, '--formulation', how, '--strict').returncode == 0)
    r = run('run', linkage, '--formulation', how, '--set', 'gravity=[1, 2, -9.81]', '--json')
    told = json.loads(r.stdout)['warnings']
    check(f'a load across the plane, {how}', told and all(w['kind'] == 'reaction' for w in told), r.stderr)
door = scene('''bodies: {door: {mass: 20, inertia: [1, 2, 2], position: [0.4, 0, 1]}}
joints:
  low: {revolute: {between: [world, door], anchor: [0, 0, 0.2], second_anchor: [-0.4, 0, -0.8], axis: [0, 0, 1]}}
  high: {revolute: {between: [world, door], anchor: [0, 0, 1.8], second_anchor: [-0.4, 0, 0.8], axis: [0, 0, 1]}}
run: {until: 10 ms}
''')
r = run('run', door, '--formulation', 'maximal', '--json')
told = json.loads(r.stdout)['warnings']
check('a door on two hinges', [w['kind'] for w in told] == ['reaction'] * 2 and 'joint low ' in told[0]['text'] and 'joint high ' in told[1]['text'], r.stderr)
check('a door without weight', run('run', door, '--formulation', 'maximal', '--set', 'gravity=[0, 0, 0]', '--strict').returncode == 0)

# --- impacts
o = ask('run', f'{root}/scenes/rolling.yaml')
i = o['impacts']['ball/floor']
touched = [e['t'] for e in o['events'] if e['kind'] == 'touchdown' and not e.get('rejoin')]
check('impacts are touch-downs', i['count'] == len(touched) and [x['t'] for x in i['each']] == touched, i)
check('bounces lose energy', all(0 < x['restitution'] < 1 and x['contact_time'] > 0 for x in i['each'][:-1]) and
      all(a['speed'] > b['speed'] for a, b in zip(i['each'], i['each'][1:])), i)
check('the last one has not ended', i['each'][-1]['restitution'] is None)
check('energy of a contact', all(abs(i['energy'][key] - o['ledger'][key]) < 1e-15 for key in ('slip', 'normal_damper')), i['energy'])
r = run('run', f'{root}/scenes/rolling.yaml')
check('a table of contacts', '\ncontact     impacts' in r.stdout and '\nball/floor       10 ' in r.stdout, r.stdout)
check('nothing touches', ask('run', f'{root}/scenes/pendulum.yaml')['impacts'] == {})
# a sweep: each kind once, with the number of runs and the first row that have it
falls = BALL.replace('{law: azad-featherstone, k: 8.5e6, lambda: 3.1e3}', '{law: hertz, k: 8.5e6}').replace('velocity: [0.5, 0.5, 0]', 'velocity: [0, 0, -1]').replace('until: 10 ms', 'until: 200 ms').replace('r: 1.65 cm', 'r: 1.65 cm, unused: 3')
def swept(*words):
    r = run('sweep', scene(falls), '--vary', 'pairs[0].normal.k=1e7,1e3,1e5,1e6,1e2', '--keep', 'max(contacts.ball/floor.depth)', '--json', *words)
    return r, json.loads(r.stdout)
for threads in ('1', '3'):
    r, told = swept('--threads', threads)
    depths = [row['values'][1]/0.0165 for row in told['rows']]
    through = [i + 1 for i, part in enumerate(depths) if part > 1]
    deep = [i + 1 for i, part in enumerate(depths) if 0.1 < part <= 1]
    lines = [line for line in r.stderr.splitlines() if 'warning' in line]
    check(f'a sweep, {threads} threads: warnings in JSON', [(w['kind'], w['row'], w['runs']) for w in told['warnings']] ==
          [('depth', deep[0], len(deep)), ('through', through[0], len(through)), ('parameter', 1, 5)], told['warnings'])
    check('a sweep: both kinds occur, not in all runs', deep and through and len(deep) + len(through) < 5, depths)
    near('a sweep: the number of the first row', told['warnings'][0]['value'], depths[deep[0] - 1], 1e-9)
    check('a sweep: one line each on stderr, exit 0', r.returncode == 0 and len(lines) == 3 and
          f"({len(through)} run{'s' if len(through) > 1 else ''}, the first in row {through[0]})" in lines[1], r.stderr)
with open('study.yaml', 'w') as f:
    f.write('tables: {a: {run: scene.yaml, vary: {"pairs[0].normal.k": [1e7, 1e3]}, keep: {z: max(contacts.ball/floor.depth)}}}\n')
r = run('sweep', 'study.yaml')
check('a study tells the warnings of its runs', r.returncode == 0 and r.stderr.count('warning: study.yaml: ') == 2 and '(1 run, the first in row 2)' in r.stderr, r.stderr)
r = run('sweep', scene(BALL), '--vary', 'pairs[0].friction.mu=0.1,0.2', '--keep', 'max(contacts.ball/floor.depth)')
check('a sweep without warnings', 'warning' not in r.stderr, r.stderr)

finish()
PYTHON
finish
