# SPDX-License-Identifier: Apache-2.0
# Copyright the footfall authors
"""Random scenes with several contacts, and what must hold for each.

    COUNT=16 SEED=1 FOOTFALL=build/footfall python3 tests/cli/random_scenes.py

Each scene has one or more bodies (spheres, unions of spheres, boxes, linkages) on planes at rest, inclined, moving or
shaken, with random normal laws, friction, rolling and twist, under the default method at tol 1e-9. Checks:

- the run succeeds within 10 s, and its residual is at most 2e-9 of the scale of the ledger; 2e-8 with passive clutches,
  whose force is infinite where a contact ends that sticks
- all numbers of the contacts are finite
- losses never decrease and never fall below 0, created never increases, and is 0 for laws that promise it
- a run that writes checkpoints, and one that resumes from one of them with another number of threads, end with the
  bits of an uninterrupted run, and so does the trace
- after 80 ms, before small differences grow in impacts, bodies are where they are at a tolerance of 1e-11, to 1e-8 m at
  1e-8 (measured: 1.3e-9 m at most in 60 scenes)

A scene that fails is kept as random-SEED-NUMBER.yaml in the current folder.
"""
import csv
import math
import random

from lib import *

COUNT = int(os.environ.get('COUNT', 16))
SEED = int(os.environ.get('SEED', 1))
LOSSES = ['dampers', 'normal_damper', 'tangential_damper', 'slip', 'viscous', 'regrade']


def log(r, low, high):
    return math.exp(r.uniform(math.log(low), math.log(high)))


def vector(values):
    return '[' + ', '.join(f'{x:.6g}' for x in values) + ']'


def around(r, size):
    return [r.uniform(-size, size) for _ in range(3)]


def entry(keys):
    """a map in one line; keys with the value None are left out"""
    return '{' + ', '.join(f'{k}: {v:.6g}' if isinstance(v, float) else f'{k}: {v}'
                           for k, v in keys.items() if v is not None) + '}'


def normal_law(r, k, radius):
    """a law of stiffness k (N/m^1.5) for bodies of about 0.1 kg, with its traits"""
    law = r.choice(['local', 'local', 'local', 'jkr', 'dmt', 'azad-featherstone', 'hunt-crossley', 'linear-local'])
    loss = log(r, 1e-5, 1e-3)
    # a pull-off force of 0.01 to 3 times the weight of 0.1 kg
    w = log(r, .01, 3) / (1.5 * math.pi * radius)
    if law == 'jkr':
        return entry({'law': 'jkr', 'k': k, 'w': w, 'R': radius, 'lambda': k * loss}), law
    if law == 'dmt':
        return entry({'law': 'dmt', 'k': k, 'w': w, 'R': radius, 'lambda': k * loss}), law
    if law == 'hunt-crossley':
        return entry({'law': law, 'k': k, 'lambda': k * log(r, .03, 1)}), law
    if law == 'linear-local':
        return entry({'law': 'linear', 'k': k / 30, 'lambda': math.sqrt(k / 30) * log(r, .02, .3), 'detach': 'local'}), law
    return entry({'law': 'azad-featherstone', 'k': k, 'lambda': k * loss,
                  'detach': 'local' if law == 'local' else None}), law


def friction_law(r, k, normal):
    """friction, and whether it promises that created is 0"""
    mu = r.uniform(.05, 1.2)
    choices = ['clutch', 'coulomb', 'sat']
    if normal != 'jkr':
        choices += ['passive', 'bed', 'bed', 'bed']
    law = r.choice(choices)
    if law == 'bed':
        return entry({'law': 'bed', 'mu': mu, 'ratio': r.uniform(.5, 1), 'elements': r.choice([None, 5, 12, 20]),
                      'tau': log(r, 1e-5, 1e-3) if normal in ('hunt-crossley', 'dmt') else None,
                      **({'k': k, 'n': 1.5} if normal == 'dmt' else {})}), law, True
    if law in ('clutch', 'passive'):
        stiff = k / 30 if normal == 'linear-local' else k
        return entry({'law': 'clutch', 'mu': mu, 'k': 1.5 * stiff, 'damping': stiff * log(r, 3e-4, 3e-3),
                      'passive': 'true' if law == 'passive' else None}), 'clutch', law == 'passive'
    if law == 'sat':
        return entry({'law': 'sat', 'mu': mu, 'k': k / 30, 'beta': log(r, 1e-4, 1e-3)}), law, True
    return entry({'law': 'coulomb', 'mu': mu, 'v_ramp': log(r, 1e-3, 1e-1)}), law, True


def resistance(r, k, coefficient):
    """keys of `rolling` or `twist`: with a ramp, or a spring, a damper and a slider"""
    mu = log(r, .005, .5)
    if r.random() < .5:
        return {coefficient: mu, 'v_ramp': log(r, 1e-3, 1e-2)}
    return {coefficient: mu, 'k': k / 300, 'damping': math.sqrt(k / 300) * log(r, .01, .3)}


def pair(r, names, k, radius):
    normal, kind = normal_law(r, k, radius)
    friction, law, passive = friction_law(r, k, kind)
    keys = {'between': names, 'normal': normal, 'friction': friction}
    if r.random() < .4:
        keys['rolling'] = '{law: bed}' if kind == 'local' and r.random() < .5 else entry(resistance(r, k, 'mu_r'))
    if r.random() < .4:
        if law == 'bed' and kind != 'linear-local' and r.random() < .6:
            keys['twist'] = '{law: bed}'
        elif law == 'clutch' and not passive and kind != 'linear-local' and r.random() < .3:
            keys['twist'] = '{from: friction}'
        else:
            arm = {'arm': r.choice(['hertz', 'uniform', '1 mm'])}
            keys['twist'] = entry({**resistance(r, k, 'mu_t'), **arm})
    return entry(keys), passive


def plane(r, normal):
    keys = {'normal': vector(normal)}
    kind = r.choice(['still', 'still', 'still', 'belt', 'lift', 'shaken'])
    if kind == 'belt':
        keys['surface_velocity'] = vector([r.uniform(-1, 1), r.uniform(-1, 1), 0])
    elif kind == 'lift':
        keys['velocity'] = vector([0, 0, r.uniform(-.05, .05)])
    elif kind == 'shaken':
        keys['motion'] = f'[0, 0, "{log(r, .1, 1):.3g} mm*sin(2*pi*t*{r.uniform(10, 40):.3g} Hz)"]'
    return '{plane: ' + entry(keys) + '}'


def sphere(r, mass, radius, position, velocity):
    return entry({'mass': mass, 'shape': f'{{sphere: {{radius: {radius:.6g}}}}}', 'position': vector(position),
                  'velocity': vector(velocity), 'omega': vector(around(r, 20))})


def turned(r):
    return {'orientation': entry({'axis': vector(around(r, 1)), 'angle': r.uniform(0, 3)}), 'omega': vector(around(r, 5))}


def joint_friction(r, angle):
    law = r.choice([{'law': 'coulomb', 'mu': log(r, .02, .4), 'v_ramp': log(r, 1e-3, 1e-2)},
                    {'law': 'clutch', 'mu': log(r, .02, .4), 'k': 20., 'damping': .02},
                    {'law': 'sat', 'mu': log(r, .02, .4), 'k': 20., 'beta': 1e-3}])
    return {'friction': entry(law), 'load': 'reaction', 'bearing_radius' if angle else 'bearing_length': .01}


def linkage(r):
    """a hopper: a foot on a rail or an arm whose joints have friction, springs, limits or a motor"""
    bodies = {'hip': entry({'mass': .3, 'inertia': 4e-4}),
              'leg': entry({'mass': .15, 'inertia': 2e-4, 'shape': '{sphere: {radius: 0.02}}'})}
    joints = {'rail': '{prismatic: ' + entry({
        'between': '[world, hip]', 'axis': vector([0, r.uniform(-.1, .1), 1]), 'distance': r.uniform(.13, .18),
        **(joint_friction(r, False) if r.random() < .6 else {})}) + '}'}
    keys = {'between': '[hip, leg]', 'second_anchor': '[0, 0, 0.1]'}
    kind = r.choice(['revolute', 'spherical', 'motor', 'universal', 'led'])
    springs = {'stiffness': log(r, .5, 5), 'damping': log(r, 1e-3, 1e-2)}
    if kind in ('revolute', 'motor'):
        keys['axis'] = '[0, 1, 0]'
        if kind == 'motor':
            keys['motion'] = f'"{r.uniform(.1, .4):.3g}*sin(2*pi*t*{r.uniform(1, 4):.3g} Hz)"'
        else:
            keys.update({'angle': r.uniform(-.5, .5), 'limits': '{upper: 0.6, law: hunt-crossley, k: 200, lambda: 60}',
                         **springs, **joint_friction(r, True)})
        kind = 'revolute'
    elif kind == 'universal':
        keys.update({'axis': '[1, 0, 0]', 'second_axis': '[0, 1, 0]', 'angles': vector([r.uniform(-.3, .3), r.uniform(-.3, .3)])})
        if r.random() < .5:
            rub = joint_friction(r, True)
            keys['bearing_radius'] = rub.pop('bearing_radius')
            keys['along'] = f'{{angle1: {entry({**springs, **rub})}, angle2: {entry(springs)}}}'
        else:
            keys['along'] = f'{{angle1: {entry(springs)}, angle2: {entry(springs)}}}'
    elif kind == 'led':
        keys['motion'] = f'["0.2*cos(t*{r.uniform(3, 9):.3g} rad/s)", "0.2*sin(t*5 rad/s)", "t*{r.uniform(-5, 5):.3g} rad/s"]'
        kind = 'spherical'
    else:
        keys.update({'rotation': vector(around(r, .4)), 'rates': vector(around(r, 3)), **springs})
        if r.random() < .6:
            keys.update({'friction': entry({'law': 'coulomb', 'mu': log(r, .02, .4), 'v_ramp': .01}), 'load': 'reaction',
                         'bearing_radius': .01})
        if r.random() < .5:
            keys.update({'axis': '[0, 0, 1]', 'limits': '{upper: 0.5, stiffness: 50, damping: 0.1}'})
    joints['knee'] = '{' + kind + ': ' + entry(keys) + '}'
    return bodies, joints


def scene(r):
    """the text of a scene, and whether it promises that created is 0"""
    k, radius = log(r, 1e5, 3e8), .02
    kind = r.choice(['groove', 'box', 'union', 'bowl', 'stack', 'slope', 'linkage', 'linkage'])
    bodies, ground, joints = {}, {}, {}
    if kind == 'groove':
        ground = {'left': plane(r, [1, r.uniform(-.4, .4), r.uniform(.6, 2)]),
                  'right': plane(r, [-1, r.uniform(-.4, .4), r.uniform(.6, 2)])}
        bodies['a'] = sphere(r, .1, radius, [r.uniform(-.01, .01), 0, r.uniform(.05, .08)], around(r, .5))
    elif kind == 'slope':
        a = r.uniform(.02, .5)
        ground['floor'] = plane(r, [math.sin(a), 0, math.cos(a)])
        bodies['a'] = sphere(r, .1, radius, [radius * math.sin(a), 0, radius * math.cos(a)], [0, 0, 0])
    elif kind == 'box':
        ground['floor'] = plane(r, [r.uniform(-.3, .3), r.uniform(-.3, .3), 1])
        bodies['a'] = entry({'mass': .5, 'shape': '{box: {size: [6 cm, 8 cm, 10 cm], corner_radius: 8 mm}}',
                             'position': '[0, 0, 0.1]', 'velocity': vector(around(r, .5)), **turned(r)})
    elif kind == 'union':
        ground['floor'] = plane(r, [r.uniform(-.3, .3), r.uniform(-.3, .3), 1])
        parts = ', '.join(f'{{center: {vector(around(r, .04))}, radius: {r.uniform(.01, .03):.4f}}}' for _ in range(r.randint(2, 5)))
        bodies['a'] = entry({'mass': .2, 'inertia': '[2e-4, 3e-4, 4e-4]', 'shape': f'{{spheres: [{parts}]}}',
                             'position': '[0, 0, 0.12]', 'velocity': vector(around(r, .5)), **turned(r)})
    elif kind == 'bowl':
        ground = {f'w{i}': plane(r, [math.cos(2.0944 * i + .3), math.sin(2.0944 * i + .3), 1.2]) for i in range(3)}
        for i in range(r.randint(2, 3)):
            bodies[f'b{i}'] = sphere(r, .1, radius, [.045 * (i % 2) - .02, .05 * (i // 2), .09 + .045 * i], around(r, .3))
    elif kind == 'stack':
        ground['floor'] = plane(r, [0, 0, 1])
        for i in range(2):
            bodies[f'b{i}'] = sphere(r, .1, radius, [r.uniform(-1e-3, 1e-3), r.uniform(-1e-3, 1e-3), .0205 + .041 * i], [0, 0, 0])
    else:
        ground['floor'] = plane(r, [r.uniform(-.2, .2), r.uniform(-.2, .2), 1])
        bodies, joints = linkage(r)
    text, passive = pair(r, '["*", "*"]', k, radius / (2 if len(bodies) > 1 and not joints else 1))
    lines = [f'# {kind}', 'bodies:'] + [f'  {n}: {b}' for n, b in bodies.items()]
    lines += ['ground:'] + [f'  {n}: {g}' for n, g in ground.items()]
    if joints:
        lines += ['joints:'] + [f'  {n}: {j}' for n, j in joints.items()]
    return '\n'.join(lines + ['pairs:', f'  - {text}', 'run: {until: 0.3 s, tol: 1e-9}', '']), passive


def outcome(r):
    """the answer in JSON without what differs between runs, {} if there is none"""
    try:
        answer = json.loads(r.stdout)
    except ValueError:
        return {}
    return {key: value for key, value in answer.items() if key not in ('wall_seconds', 'threads')}


def wrongs(text, passive, r, name):
    """what is wrong with the runs of a scene"""
    path = name + '.yaml'
    with open(path, 'w') as f:
        f.write(text)
    before = os.times().children_user
    plain = run('run', path, '--json', '--max-seconds', '60', limit=90)
    cost = os.times().children_user - before
    answer = outcome(plain)
    if plain.returncode or not answer:
        yield f'exit {plain.returncode}: {plain.stderr.strip()[:200]}'
        return
    if cost > 10:
        yield f'{cost:.1f} s'
    ledger, scale = answer['ledger'], answer['ledger']['scale']
    if not abs(ledger['residual']) <= (2e-8 if 'passive' in text else 2e-9) * scale:
        yield f'residual {ledger["residual"] / scale:.1e} of scale'
    if any(x is None for contact in answer['impacts'].values() for x in contact.values() if not isinstance(x, list)):
        yield 'a number of a contact is not finite'
    if passive and ledger['created'] != 0:
        yield f'created {ledger["created"] / scale:.1e} of scale'
    near, exact = (outcome(run('run', path, '--json', '--until', '0.08', '--tol', tol)) for tol in ('1e-8', '1e-11'))
    off = max(abs(x - y) for body in exact['bodies']
              for x, y in zip(near['bodies'][body]['position'], exact['bodies'][body]['position']))
    if not off <= 1e-8:
        yield f'{off:.1e} m off at tol 1e-8'
    # checkpoints, resumed with another number of threads, and what was recorded
    trace, saved = name + '.csv', name + '.save'
    every = repr(.3 * r.uniform(.05, .4))
    steps = max(1, int(answer['steps'] * r.uniform(.1, .9)))
    full = run('run', path, '--json', '-o', trace, '--checkpoint', saved, '--checkpoint-every', every, limit=90)
    with open(trace) as f:
        rows = list(csv.DictReader(f))
    first = open(trace, 'rb').read()
    os.remove(saved)
    part = run('run', path, '--json', '-o', trace, '--checkpoint', saved, '--checkpoint-every', every, '--max-steps', steps, limit=90)
    rest = run('run', path, '--json', '-o', trace, '--resume', saved, '--threads', '2', limit=90)
    if outcome(full) != answer:
        yield 'other bits with checkpoints'
    if part.returncode != 1 or rest.returncode or {**outcome(rest), 'steps': 0} != {**answer, 'steps': 0}:
        yield f'other bits resumed after {steps} steps'
    elif open(trace, 'rb').read() != first:
        yield f'another trace resumed after {steps} steps'
    for account in LOSSES + ['created']:
        values = [float(row['ledger:' + account]) for row in rows]
        if account == 'created':
            values = [-v for v in values]
        fall = max([a - b for a, b in zip(values, values[1:])] + [-min(values)])
        if fall > 1e-10 * scale:
            yield f'{account} falls by {fall / scale:.1e} of scale'
    for file in (trace, saved):
        os.remove(file)


def main():
    for i in range(COUNT):
        r = random.Random(SEED * 1000003 + i)
        text, passive = scene(r)
        name = f'random-{SEED}-{i}'
        said = list(wrongs(text, passive, r, name))
        check(f'{name}.yaml ({text.split()[1]})', not said, '; '.join(said))
        if not said:
            os.remove(name + '.yaml')
    finish()


main()
