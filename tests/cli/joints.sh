#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Copyright the footfall authors
#
# Scenes with joints compared with closed forms, in both formulations and with all seven constraint methods; the output of
# run and check, traces, and error messages.
. "$(dirname "$0")/lib.bash"
export root

checks <<'PYTHON'
from lib import *
import csv
root = os.environ['root']
scene = lambda name: f'{root}/scenes/{name}.yaml'
WAYS = 'index1 standard baumgarte penalty augmented index1-augmented direct'.split()
MAXIMAL = ('--formulation', 'maximal')
add = lambda a, b: [x + y for x, y in zip(a, b)]
cross = lambda a, b: [a[1]*b[2] - a[2]*b[1], a[2]*b[0] - a[0]*b[2], a[0]*b[1] - a[1]*b[0]]

def rotate(q, v):
    """a vector of the body in world axes"""
    t = [2*x for x in cross(q[1:], v)]
    return add(v, add([q[0]*x for x in t], cross(q[1:], t)))

def elliptic(k):
    """the complete elliptic integral K by the arithmetic-geometric mean"""
    a, b = 1, math.sqrt(1 - k*k)
    while abs(a - b) > 1e-15*a:
        a, b = (a + b)/2, math.sqrt(a*b)
    return math.pi/(a + b)

def closed(name, o, most=1e-9):
    l = o['ledger']
    # a scene that starts at rest, without weight or springs, has no scale from its start
    scale = max(l['scale'], l['kinetic'])
    check(f'{name}: residual', abs(l['residual']) <= most*scale, (l['residual'], scale))

def rows(path):
    """the columns of a trace, by name"""
    with open(path) as f:
        table = list(csv.reader(f))
    return {name: [float(row[i]) for row in table[1:]] for i, name in enumerate(table[0])}

# --- pendulum: at its initial position and at rest after a period; on the other side after half of it
w = math.sqrt(1.5*9.81)
for angle in (math.radians(60), math.radians(5), 3):
    period = 4/w*elliptic(math.sin(angle/2))
    for way in ((), MAXIMAL):
        for part, side in ((1, 1), (0.5, -1)):
            o = ask('run', scene('pendulum'), '--set', f'parameters.start={angle!r}', '--until', repr(part*period),
                    '--tol', '1e-11', *way)
            name = f'pendulum from {angle:.3g} {way}'
            hinge = o['joints']['hinge']
            # the angle is stationary there: errors of the period appear in the rate, 1e-9 of its scale
            near(f'{name}: angle', hinge['position'][0], side*angle, 1e-9)
            near(f'{name}: rate', hinge['rate'][0]/w, 0, 1e-8)
            closed(name, o)
            # at rest the hinge carries the weight minus m a: along the rod m g cos, across it m g sin/4
            force = hinge['force']
            near(f'{name}: hinge', math.hypot(*force), 9.81*math.hypot(math.cos(angle), math.sin(angle)/4), 1e-8)
            near(f'{name}: no moment', math.hypot(*hinge['moment']), 0, 1e-9)
            near(f'{name}: freedoms', o['assembly']['freedoms'], 1, 0)

# --- double pendulum compared with its textbook equations (canonical momenta of two equal rods), by RK4
def double_rods(time, steps=20000, m=1.0, l=1.0, g=9.81):
    def rates(y):
        a, b, p, q = y
        c, s = math.cos(a - b), math.sin(a - b)
        da = 6/(m*l*l)*(2*p - 3*c*q)/(16 - 9*c*c)
        db = 6/(m*l*l)*(8*q - 3*c*p)/(16 - 9*c*c)
        return [da, db, -m*l*l/2*(da*db*s + 3*g/l*math.sin(a)), -m*l*l/2*(-da*db*s + g/l*math.sin(b))]
    y, h = [math.pi/2, math.pi/2, 0.0, 0.0], time/steps
    for _ in range(steps):
        k1 = rates(y)
        k2 = rates([u + h/2*v for u, v in zip(y, k1)])
        k3 = rates([u + h/2*v for u, v in zip(y, k2)])
        k4 = rates([u + h*v for u, v in zip(y, k3)])
        y = [u + h/6*(a + 2*b + 2*c + d) for u, a, b, c, d in zip(y, k1, k2, k3, k4)]
    return y
a, b, *_ = double_rods(1)
for way in ((), MAXIMAL):
    o = ask('run', scene('double_pendulum'), '--until', '1', '--tol', '1e-11', *way)
    # angles about y have the opposite sign of the textbook's; RK4 is accurate to 1e-10 there
    bend = o['joints']['elbow']['position'][0]
    near(f'double pendulum {way}: shoulder', o['joints']['shoulder']['position'][0], -a, 1e-8)
    near(f'double pendulum {way}: elbow', math.remainder(bend + (b - a), 2*math.pi), 0, 1e-8)
    closed(f'double pendulum {way}', o)

# --- a top in steady precession: a quarter turn in a quarter of its period, with the same tilt
for way in ((), MAXIMAL):
    for part in (1, 0.25):
        o = ask('run', scene('top'), '--until', repr(part*2*math.pi/4), '--tol', '1e-11', *way)
        p, tilt = o['bodies']['top']['position'], math.pi/6
        want = (0.05*math.sin(tilt)*math.cos(2*math.pi*part), 0.05*math.sin(tilt)*math.sin(2*math.pi*part),
                0.05*math.cos(tilt))
        # the spin of 120 rad/s makes the motion stiff: 1e-8 of its size
        check(f'top {way}', max(abs(x - y) for x, y in zip(p, want)) < 1e-8*0.05, (p, want))
        closed(f'top {way}', o)
        near('top: freedoms', o['assembly']['freedoms'], 3, 0)
        near('top: the start is right', o['assembly']['moved'] + o['assembly']['velocity'], 0, 1e-12)

# --- four-bar linkage: one degree of freedom, three redundant conditions; the crank angle determines all positions
crank, x, z, base = 0.2, 0.55, 0.6, 0.8
coupler, rocker = math.hypot(x, z - crank), math.hypot(x - base, z)
for way in ((), *((*MAXIMAL, '--constraints', w) for w in ('index1', 'direct'))):
    o = ask('run', scene('fourbar'), '--tol', '1e-10', *way)
    name = f'four-bar {way}'
    closed(name, o)
    a = o['assembly']
    check(f'{name}: freedoms', (a['freedoms'], a['constraints'], a['redundant']) == (1, 20, 3), a)
    check(f'{name}: closed', o['violation']['position'] < 1e-9, o['violation'])
    angle = o['joints']['motor']['position'][0]
    tip = (crank*math.sin(angle), crank*math.cos(angle))
    # the knee is at the intersection of two circles, above the line from tip to bearing
    dx, dz = base - tip[0], -tip[1]
    d = math.hypot(dx, dz)
    along = (coupler**2 - rocker**2 + d*d)/(2*d)
    across = math.sqrt(coupler**2 - along**2)
    knee = (tip[0] + (along*dx - across*dz)/d, tip[1] + (along*dz + across*dx)/d)
    for body, want in (('crank', (tip[0]/2, tip[1]/2)), ('coupler', ((tip[0] + knee[0])/2, (tip[1] + knee[1])/2)),
                       ('rocker', ((base + knee[0])/2, knee[1]/2))):
        p = o['bodies'][body]['position']
        check(f'{name}: {body}', max(abs(p[0] - want[0]), abs(p[2] - want[1]), abs(p[1])) < 1e-9, (p, want))

# --- a parallelogram passes its flat positions, where it could become an antiparallelogram, as a pendulum with one degree
# of freedom: a'' = -g K cos a/I
r, m, I = 0.3, (0.7, 0.9, 0.5), (6e-3, 5e-3)
with open('parallelogram.yaml', 'w') as f:
    f.write('''
parameters: {r: 0.3, b: 0.5, a0: 2.2, w0: -3}
bodies:
  crank: {mass: 0.7, inertia: [1e-3, 6e-3, 6e-3]}
  rod: {mass: 0.9, inertia: [1e-3, 2e-2, 2e-2]}
  rocker: {mass: 0.5, inertia: [1e-3, 5e-3, 5e-3]}
joints:
  A: {revolute: {between: [world, crank], second_anchor: [-r/2, 0, 0], axis: [0, -1, 0], angle: a0, rate: w0}}
  B: {revolute: {between: [crank, rod], anchor: [r/2, 0, 0], second_anchor: [-b/2, 0, 0], axis: [0, -1, 0], angle: -a0, rate: -w0}}
  C: {revolute: {between: [rod, rocker], anchor: [b/2, 0, 0], second_anchor: [r/2, 0, 0], axis: [0, -1, 0], angle: a0, rate: w0}}
  D: {revolute: {between: [world, rocker], anchor: [b, 0, 0], second_anchor: [-r/2, 0, 0], axis: [0, -1, 0]}}
run: {until: 1.0 s, tol: 1e-10}
''')
whole = I[0] + I[1] + r*r*(m[0]/4 + m[1] + m[2]/4)
pull = 9.81*r*(m[0]/2 + m[1] + m[2]/2)/whole
def swing(time, angle=2.2, rate=-3.0, steps=20000):
    h = time/steps
    for _ in range(steps):
        a1, v1 = -pull*math.cos(angle), rate
        a2, v2 = -pull*math.cos(angle + h/2*v1), rate + h/2*a1
        a3, v3 = -pull*math.cos(angle + h/2*v2), rate + h/2*a2
        a4, v4 = -pull*math.cos(angle + h*v3), rate + h*a3
        angle, rate = angle + h/6*(v1 + 2*v2 + 2*v3 + v4), rate + h/6*(a1 + 2*a2 + 2*a3 + a4)
    return angle
near('the pendulum', r/2*math.sin(swing(1)), 0.1181077787, 1e-9)
for until in (1, 2.5):
    want = r/2*math.sin(swing(until))
    for way in ((), *((*MAXIMAL, '--constraints', w) for w in WAYS)):
        o = ask('run', 'parallelogram.yaml', '--until', str(until), *way)
        # measured: 3e-8, and 6e-5 with penalty, which yields
        near(f'parallelogram at {until} s {way}', o['bodies']['crank']['position'][2], want, 2e-4 if 'penalty' in way else 1e-7)
        closed(f'parallelogram {way}', o)
# a displaced anchor: the loop does not close at the given joint coordinates
for way in ((), MAXIMAL):
    r = run('run', 'parallelogram.yaml', '--set', 'joints.D.revolute.anchor=[0.53,0,0]', '--json', *way)
    a = json.loads(r.stdout)['assembly']
    check(f'a loop that does not close {way}', 0.01 < a['moved'] < 0.04 and a['turned'] > 0.05 and a['omega'] > 0.1, a)
    check(f'is told {way}', r.stderr.count('warning: parallelogram.yaml: the start was corrected to satisfy the joints: 0.02 m') == 1, r.stderr)
# yielding joints, and a step in which they come apart
r = run('run', 'parallelogram.yaml', *MAXIMAL, '--constraints', 'penalty', '--set', 'run.constraint_penalty=1')
check('joints that do work', r.returncode == 1 and 'J of work' in r.stderr and 'has not followed its model' in r.stderr, r.stderr)
r = run('run', 'parallelogram.yaml', *MAXIMAL, '--constraints', 'penalty', '--set', 'run.constraint_penalty=1e4')
check('and a little of it', r.returncode == 0 and 'J of work' in r.stderr, r.stderr)
r = run('run', scene('fourbar'), '--method', 'euler', '--dt', '0.3', '--until', '20')
check('joints that come apart', r.returncode == 1 and 'was violated in a step of 0.3 s' in r.stderr, r.stderr)

# --- chain: both formulations agree, links stay together
ends = []
for way in ((), MAXIMAL):
    o = ask('run', scene('chain'), '--until', '1', '--tol', '1e-11', *way)
    closed(f'chain {way}', o)
    ends.append([n for b in o['bodies'].values() for n in b['position'] + b['velocity']])
    gaps = []
    for i in range(1, 10):
        upper, lower = o['bodies'][f'link{i - 1}'], o['bodies'][f'link{i}']
        a = add(upper['position'], rotate(upper['orientation'], [0, 0, -0.05]))
        b = add(lower['position'], rotate(lower['orientation'], [0, 0, 0.05]))
        gaps.append(max(abs(u - v) for u, v in zip(a, b)))
    check(f'chain {way} holds', max(gaps) < 1e-12, gaps)
    near(f'chain {way}: freedoms', o['assembly']['freedoms'], 10, 0)
# 1e-11 per step over some hundred steps of a motion that doubles errors several times a second
check('chain: formulations agree', max(abs(a - b) for a, b in zip(*ends)) < 1e-7, max(abs(a - b) for a, b in zip(*ends)))

# --- all seven methods: standard drifts, those with correction do not
worst = {}
for way in WAYS:
    o = ask('run', scene('pendulum'), '--until', '2', '--method', 'rk4', '--dt', '1 ms', *MAXIMAL, '--constraints', way)
    check(f'{way} is told', (o['formulation'], o['constraints']) == ('maximal', way), o.get('constraints'))
    worst[way] = o['violation']['position']
check('index1 and direct stay', max(worst['index1'], worst['direct'], worst['index1-augmented']) < 1e-12, worst)
check('standard drifts', worst['standard'] > 100*worst['index1'], worst)

# --- the output
r = run('run', scene('fourbar'))
check('freedoms and redundancy are told once', r.stdout.count('1 degree of freedom; 3 of 20 constraints are redundant') == 1, r.stdout)
check('no correction, nothing told', r.stderr == '', r.stderr)
check('joints are listed', all(f'\n{name} ' in r.stdout for name in ('motor', 'pin', 'knee', 'bearing')), r.stdout)
r = run('run', scene('pendulum'), '--until', '0.1')
check('no constraints, no violation', 'violated' not in r.stdout and '1 degree of freedom\n' in r.stdout, r.stdout)
r = run('run', scene('top'), '--until', '0.1', '--set', 'bodies.top.position=[0.03, 0, 0.05]')
check('a start that is corrected', 'top.yaml: the start was corrected to satisfy the joints: ' in r.stderr and r.returncode == 0, r.stderr)
r = run('check', scene('top'), '--set', 'bodies.top.position=[0.03, 0, 0.05]')
check('and by check', r.stderr.count('the start was corrected to satisfy the joints: ') == 1, r.stderr)
with open('led.yaml', 'w') as f:
    f.write("""bodies: {arm: {mass: 1, inertia: [1, 1, 1]}, hand: {mass: 1, inertia: [1, 1, 1]}}
joints:
  motor: {revolute: {between: [world, arm], axis: [0, 1, 0], motion: "30 deg*sin(2*pi*t*1 Hz)"}}
  wrist: {spherical: {between: [arm, hand], motion: [0, "t*2 rad/s", 0.1], friction: {law: coulomb, mu: 0.1}, load: reaction, bearing_radius: 1 cm}}
""")
r = run('check', 'led.yaml')
check('check prints laws of time', r.returncode == 0 and '  motion       angle = 30 deg*sin(2*pi*t*1 Hz)\n' in r.stdout
      and '  motion       y = t*2 rad/s\n' in r.stdout, r.stdout + r.stderr)
check('check prints the bearing', "coulomb under the joint's own reaction, bearing radius 0.01 m\n" in r.stdout, r.stdout)
c = ask('check', 'led.yaml')
check('check --json has laws of time', c['joints']['motor']['motion'] == {'angle': '30 deg*sin(2*pi*t*1 Hz)'}
      and c['joints']['wrist']['motion'] == {'x': '0', 'y': 't*2 rad/s', 'z': '0.1'}, c['joints'])
o = ask('run', 'led.yaml', '--until', '0.5')
check('a spherical joint has coordinates', abs(o['joints']['wrist']['position'][1] - 1) < 1e-9
      and len(o['joints']['wrist']['effort']) == 3, o['joints']['wrist'])
r = run('check', scene('fourbar'))
check('check tells of loops', r.stdout.count('closes a loop') == 1 and 'axis         [0, 1, 0]' in r.stdout and
      'angle        0 rad, rate 0 rad/s' in r.stdout and 'formulation  articulated' in r.stdout, r.stdout)
more = [w for s in ('stiffness=3', 'rest=0.1', 'damping=0.5', 'limits={upper: 1, stiffness: 10, damping: 0.1}',
        'friction={law: coulomb, mu: 0.2}', 'load=2') for w in ('--set', f'joints.hinge.revolute.{s}')]
r = run('check', scene('pendulum'), *more)
check('check tells of springs', '''
hinge: revolute, between world and rod
  axis         [0, 1, 0]
  angle        1.0472 rad, rate 0 rad/s
  stiffness    3 N m/rad, at rest at 0.1 rad
  damping      0.5 N m s/rad
  limits       to 1 rad by 10 N m/rad, damping 0.1 s/rad
  friction     coulomb under a load of 2 N m
  mu           0.2
  v_ramp       0.001 rad/s

joints: 1, articulated, 1 degree of freedom
''' in r.stdout, r.stdout)
c = ask('check', scene('pendulum'), *more)
hinge = c['joints']['hinge']
check('check --json', hinge['between'] == ['world', 'rod'] and hinge['kind'] == 'revolute' and hinge['damping'] == 0.5 and
      hinge['lower'] is None and hinge['upper'] == 1 and c['run']['formulation'] == 'articulated', hinge)
o = ask('run', scene('pendulum'), *more)
closed('pendulum with all', o)
check('what takes energy', o['ledger']['dampers'] > 0.1, o['ledger'])

# --- actuators: a torque that holds the rod level, m g l/2
level = ('--set', 'parameters.start=-90 deg', '--set', 'forces={hold: {constant: {joint: hinge, torque: -9.81/2}}}')
o = ask('run', scene('pendulum'), *level)
near('a torque holds the rod', o['joints']['hinge']['position'][0], -math.pi/2, 1e-12)
near('its effort', o['joints']['hinge']['effort'], -9.81/2, 1e-12)
o = ask('run', scene('pendulum'), '--until', '20', '--set',
        'forces={hold: {pd: {joint: hinge, kp: 50, kd: 10, target: [-1]}}}')
# at rest kp (target - q) = m g l/2 sin q
q = o['joints']['hinge']['position'][0]
near('a controller holds it', 50*(-1 - q), 9.81/2*math.sin(q), 1e-8)

# --- single joints compared with closed forms, without gravity; bodies of 2 kg and 0.5 kg m^2
def single(joint, forces='{}', until=1, way=()):
    with open('single.yaml', 'w') as f:
        f.write('gravity: [0, 0, 0]\nbodies: {b: {mass: 2, inertia: 0.5}}\n'
                f'joints: {{j: {joint}}}\nforces: {forces}\nrun: {{until: {until}, tol: 1e-11}}\n')
    o = ask('run', 'single.yaml', *way)
    closed(joint, o)
    return o, o['joints']['j']['position'], o['joints']['j']['rate']

slider = '{prismatic: {between: [world, b], axis: [1, 2, 2], '
wheel = '{revolute: {between: [world, b], axis: [0, 0, 1], '
for way in ((), MAXIMAL):
    o, x, v = single(slider + 'distance: 1 m}}', '{f: {constant: {joint: j, force: 3 N}, to: 1 s}}', 2, way)
    near(f'{way}: a force along a slider', x[0], 1 + 0.75 + 1.5, 1e-10)
    check(f'{way}: its end is an event', [(e['kind'], e['t']) for e in o['events']] == [('switch', 1)], o['events'])
    p = o['bodies']['b']['position']
    check(f'{way}: its way', max(abs(a - b*x[0]/3) for a, b in zip(p, (1, 2, 2))) < 1e-12, p)
    o, x, v = single(wheel + 'rate: 0}}', '{f: {table: {joint: j, torque: 1, times: [0, 1], factors: [0, 1]}}}', 1, way)
    near(f'{way}: a torque that grows', v[0], 1, 1e-10)
    near(f'{way}: its angle', x[0], 1/3, 1e-10)
    o, x, v = single(slider + 'distance: 1, stiffness: 8}}', until=1, way=way)
    near(f'{way}: a spring', x[0], math.cos(2), 1e-9)
    near(f'{way}: its energy', o['ledger']['springs'], 4*math.cos(2)**2, 1e-9)
    o, x, v = single(wheel + 'rate: 2, damping: 0.25}}', way=way)
    near(f'{way}: a damper', v[0], 2*math.exp(-0.5), 1e-9)
    o, x, v = single(wheel + 'angle: 1, rest: 0.5, stiffness: 2 N m/rad, damping: 2 N m s}}', way=way)
    near(f'{way}: critically damped', x[0], 0.5 + 0.5*(1 + 2)*math.exp(-2), 1e-9)
    # 0.3 N m for 5 s of 2 rad/s at 0.5 kg m^2 would turn it back: it stops at 2/0.6 s. The ramp of 1e-3 rad/s is left
    # exponentially, in 1e-3*0.5/0.3 s
    o, x, v = single(wheel + 'rate: 2, friction: {law: coulomb, mu: 0.1}, load: 3 N m}}', until=5, way=way)
    # an articulated model counts turns
    near(f'{way}: friction stops a wheel', x[0] + (2*math.pi if way else 0), 2*2/0.6/2, 1e-5)
    near(f'{way}: at rest', v[0], 0, 1e-12)
    near(f'{way}: what it took', o['ledger']['dampers'], 1, 1e-9)
    for law in ('dahl, mu: 0.1, k: 1e3', 'lugre, mu: 0.1, k: 1e3, damping: 1', 'sat, mu: 0.1, k: 3e3, beta: 1 ms',
                'clutch, mu: 0.1, k: 3e3, damping: 3'):
        # bristles bend by mu/k = 1e-4 rad before they slip, which takes 5e-5 s; lugre's damping is 1*2*3 N m during that
        # time, and decelerates the wheel by 6e-4 rad/s
        o, x, v = single(wheel + f'rate: 2, friction: {{law: {law}}}, load: 3 N m}}}}', until=3, way=way)
        near(f'{way}: {law} slows a wheel', v[0], 2 - 0.6*3, 5e-3)
    # an undamped limit reverses its speed: half an oscillation of w^2 = 32/2 at 1 m
    o, x, v = single(slider + 'speed: 1, limits: {lower: -1, upper: 1, stiffness: 32}}}', until=1 + math.pi/4, way=way)
    near(f'{way}: a limit', x[0], 1, 1e-8)
    near(f'{way}: throws back', v[0], -1, 1e-8)
    o, x, v = single('{planar: {between: [world, b], axis: [0, 1, 0], position: [1, 2], angle: 0.5, velocity: [3, 4], rate: 1}}', way=way)
    check(f'{way}: planar', max(abs(a - b) for a, b in zip(x + v, [4, 6, 1.5, 3, 4, 1])) < 1e-10, (x, v))
    check(f'{way}: its ways are x and z', max(abs(a - b) for a, b in zip(o['bodies']['b']['position'], [4, 0, 6])) < 1e-10)
    o, x, v = single('{universal: {between: [world, b], axis: [1, 0, 0], second_axis: [0, 1, 0], angles: [0.1, 0.2]}}', way=way)
    check(f'{way}: universal stays', max(abs(a - b) for a, b in zip(x + v, [0.1, 0.2, 0, 0])) < 1e-12, (x, v))
    o, x, v = single('{fixed: {between: [world, b], anchor: [1, 2, 3], second_anchor: [0, 0, 1]}}',
                     '{f: {constant: {body: b, force: [1, 2, 3], torque: [4, 5, 6]}}}', way=way)
    r = o['joints']['j']
    check(f'{way}: fixed holds', o['bodies']['b']['position'] == [1, 2, 2] and o['assembly']['freedoms'] == 0, o['bodies'])
    # on the body at its anchor, 1 m above its centre: opposite to the force, with its moment about the centre
    want = [-1, -2, -3, -(4 + 2), -(5 - 1), -6]
    check(f'{way}: what it bears', max(abs(a - b) for a, b in zip(r['force'] + r['moment'], want)) < 1e-10, r)

# --- no contact while it turns: a ball falls through the floor, or not
falls = 'bodies: {b: {mass: 10 g, shape: {sphere: {radius: 1 cm}}, position: [0, 0, 2 cm], omega: [0, 1, 0]}}\n' \
        'ground: {f: {plane: {normal: [0, 0, 1]}}}\npairs:\n' \
        '- {between: [b, f], normal: {law: hertz, k: 1e6}, ignored_while_turning: [0, %d, 0]}\n'
for sign in (1, -1):
    with open('falls.yaml', 'w') as f:
        f.write(falls % sign)
    o = ask('run', 'falls.yaml')
    check(f'ignored while turning {sign}', (abs(o['bodies']['b']['position'][2] - 0.02 + 9.81/2) < 1e-9) == (sign > 0) and
          bool(o['events']) == (sign < 0), o['bodies'])

# --- traces
r = run('run', scene('fourbar'), '-o', 't.csv', '--every', '0.1')
t = rows('t.csv')
check('columns of joints', all(f'{name}:{part}' in t for name in ('motor', 'pin', 'knee', 'bearing')
      for part in 'angle rate effort fx fy fz mx my mz'.split()), list(t))
check('columns of constraints', max(t['constraints:position']) < 1e-9 and max(t['constraints:velocity']) < 1e-9, list(t))
check('rows', len(t['t:s']) == 21)
# each bar is accelerated by the forces of its joints and its weight: pin and motor hold the crank in the plane
check('forces in the plane', max(map(abs, t['pin:fy'] + t['knee:fy'])) < 1e-9)
r = run('run', scene('pendulum'), '-o', 'p.csv')
p = rows('p.csv')
check('no constraints, no columns', not any(name.startswith('constraints') for name in p), list(p))
check('a trace has the angle', abs(p['hinge:angle'][0] - math.pi/3) < 1e-15)
single('{planar: {between: [world, b], axis: [0, 1, 0], rate: 1}}')
run('run', 'single.yaml', '-o', 'plane.csv')
check('columns of a planar joint', [n for n in rows('plane.csv') if n.startswith('j:')] ==
      [f'j:{n}' for n in 'way1 way2 angle speed1 speed2 rate effort1 effort2 torque fx fy fz mx my mz'.split()])
single(slider + 'speed: 1}}')
run('run', 'single.yaml', '-o', 'slider.csv')
check('columns of a slider', [n for n in rows('slider.csv') if n.startswith('j:')] ==
      [f'j:{n}' for n in 'distance speed effort fx fy fz mx my mz'.split()])
names = open('t.csv').readline().strip().split(',')
check('columns have names of their own', len(set(names)) == len(names))

# --- error messages
for words, says in ((('--formulation', 'minimal'), "option '--formulation': unknown 'minimal' (did you mean 'maximal'?)"),
                    (('--constraints', 'none'), "option '--constraints': unknown 'none' (one of: index1, standard, "
                     'baumgarte, penalty, augmented, index1-augmented, direct)'),
                    (('--set', 'joints.hinge.revolute.angle=1 m'), "angle of revolute of joint 'hinge': '1 m' is a length")):
    r = run('run', scene('pendulum'), *words)
    check(f'{words}', r.returncode == 2 and r.stdout == '' and says in r.stderr, r.stderr)
finish()
PYTHON

# a run that was interrupted and resumed has the same bits as an uninterrupted one
scene=$root/scenes/fourbar.yaml
for way in articulated maximal; do
    "$FOOTFALL" run "$scene" --formulation $way -o whole.csv >out 2>err
    "$FOOTFALL" run "$scene" --formulation $way -o parts.csv --checkpoint saved --max-steps 30 >out 2>err
    "$FOOTFALL" run "$scene" --formulation $way -o parts.csv --resume saved >out 2>err
    cmp whole.csv parts.csv
    judge $? "$way: resumed bit for bit"
done
[ "$(wc -l <whole.csv)" -gt 40 ]
judge $? "that was in the middle"
refuses "saved: the checkpoint belongs to another scene, method or tolerance" run "$scene" --formulation articulated --resume saved

# HDF5, if it is built in
if "$FOOTFALL" run "$root/scenes/fourbar.yaml" --until 0.1 -o t.h5 >out 2>err; then
    accepts inspect t.h5
    grep -q '^joints: bearing knee motor pin$' out && grep -q '/joints/knee/moment' out && grep -q '/constraints/velocity' out
    judge $? "inspect tells of joints"
    accepts inspect t.h5 --scene
    grep -q '^joints:' out && ! grep -q 'formulation' out
    judge $? "what the command does not say is not in its scene"
    "$FOOTFALL" run "$root/scenes/fourbar.yaml" --until 0.1 --formulation maximal --constraints direct -o m.h5 >out 2>err
    "$FOOTFALL" inspect m.h5 --scene >m.yaml && "$FOOTFALL" run m.yaml --json >again 2>err &&
        grep -q '"constraints": "direct"' again && grep -q '"formulation": "maximal"' again
    judge $? "the scene of a trace is run the same way"
fi
if command -v gnuplot >/dev/null; then
    "$FOOTFALL" run "$root/scenes/fourbar.yaml" --until 0.1 --plot pictures >out 2>err
    [ -s pictures/joints.svg ] && [ ! -e pictures/force.svg ]
    judge $? "a picture of joints, none of contacts"
fi
finish
