# SPDX-License-Identifier: Apache-2.0
# Copyright the footfall authors
"""Random scenes in which something happens for a short time, and closed answers: nothing may be missed between two stages of a step.

    COUNT=60 SEEDS='1 2 3' FOOTFALL=build/footfall python3 tests/cli/short_scenes.py

Seeds may also be given as arguments. All scenes run with the default method at tol 1e-9: kicks of a free body, of one with drag and of one
on a spring; a magnetic pulse that turns a velocity; motors that act within a narrow angle; states of controllers; duty cycles;
events that change sign twice; plates that jump; and spheres that pass each other. An answer must agree to 2e-9
of its scale and 1e-8 m/s (measured: 1e-8 m/s at most in 1,800 scenes, of speeds up to 3 km/s); a run must end within 10 s.

A scene that fails is kept as short-SEED-NUMBER.yaml in the current folder.
"""
import math
import random
import sys

from lib import *

COUNT = int(os.environ.get('COUNT', 60))
SEEDS = [int(s) for s in sys.argv[1:] or os.environ.get('SEEDS', '1').split()]
OFF = 2e-9
# tol times the scale of a speed, in some tens of steps, m/s
ABSOLUTE = 1e-8


def log(r, low, high):
    """a number of six digits, the same in the scene and here"""
    return float(f'{math.exp(r.uniform(math.log(low), math.log(high))):.6g}')


def flat(r, low, high):
    return float(f'{r.uniform(low, high):.6g}')


# ---- pulses of height 1: text of u, value, integral ----

SHAPES = {
    'sech': ('1/cosh({u})', lambda u: 1 / math.cosh(u) if abs(u) < 700 else 0,
             lambda u: 2 * math.atan(math.tanh(u / 2)), 40),
    'box': ('(tanh({u} + 3) - tanh({u} - 3))/2', lambda u: (math.tanh(u + 3) - math.tanh(u - 3)) / 2,
            lambda u: (softly(u + 3) - softly(u - 3)) / 2, 25),
    'bump': ('max(0, 1 - ({u})^2)^3', lambda u: max(0, 1 - u * u)**3,
             lambda u: (lambda v: v - v**3 + 3 * v**5 / 5 - v**7 / 7)(max(-1, min(1, u))), 1),
    'ripple': ('exp(-({u})^2)*(1 + cos(5*({u})))/2', lambda u: math.exp(-u * u) * (1 + math.cos(5 * u)) / 2, None, 7),
}


def softly(u):
    """ln cosh u"""
    return abs(u) + math.log1p(math.exp(-2 * abs(u))) - math.log(2)


class Pulse:
    def __init__(self, r, of, unit, at, width, names=tuple(SHAPES)):
        width = float(f'{width:.6g}')
        self.at, self.width = float(f'{at:.9g}'), width
        self.name = r.choice(names)
        text, self.value, self.whole, self.reach = SHAPES[self.name]
        self.text = '(' + text.format(u=f'(({of} - {self.at:.9g} {unit})/({width:.6g} {unit}))') + ')'

    def times(self, f, low, high):
        """the integral of f times the pulse, which is analytic: the trapezoidal rule converges exponentially"""
        if self.name == 'bump':
            # Gauss' substitution makes all derivatives vanish at the ends
            m, total = 2000, 0
            for i in range(1, m):
                s = -1 + 2 * i / m
                u = math.tanh(4 * s / (1 - s * s))
                total += self.value(u) * f(self.at + u * self.width) * (1 - u * u) * 4 * (1 + s * s) / (1 - s * s)**2
            return total * 2 / m * self.width
        m, total = 6000, 0
        for i in range(m + 1):
            x = self.at + self.reach * self.width * (2 * i / m - 1)
            if low <= x <= high:
                total += self.value((x - self.at) / self.width) * f(x)
        return total * 2 * self.reach / m * self.width

    def area(self, low, high):
        if self.whole:
            return self.width * (self.whole((high - self.at) / self.width) - self.whole((low - self.at) / self.width))
        return self.times(lambda x: 1, low, high)


def body(r, name, **keys):
    more = ''.join(f', {k}: {v}' for k, v in keys.items())
    return f'{name}: {{mass: {{mass}}, inertia: 1{more}}}'


# ---- kinds: text, a function of the answer that gives pairs (seen, wanted), and their scale ----

def motion(o, name='ball', what='velocity', axis=0):
    return o['bodies'][name][what][axis]


def scene(lines, until, gravity=0):
    return '\n'.join([f'gravity: [0, 0, {gravity}]'] + lines + [f'run: {{until: {until!r}}}', ''])


def kick(r):
    """a force along a slanted line, in free fall"""
    m, force, end = log(r, .02, 50), log(r, 1, 5e3), flat(r, .4, 3)
    p = Pulse(r, 't', 's', flat(r, .3, .7) * end, log(r, 2e-5, 1e-2))
    v, g = force * p.area(0, end) / m, r.choice([0, -9.81, -1.62])
    text = scene(['bodies:', f'  ball: {{mass: {m}, inertia: 1}}', 'forces:',
                  f'  f: {{body: ball, force: ["{force} N*{p.text}", 0, "-0.5*{force} N*{p.text}"]}}'], end, g)
    return text, lambda o: [(motion(o), v), (motion(o, axis=2), g * end - v / 2)], abs(v) + abs(g * end)


def to_and_fro(r):
    """-u exp(-u^2) leaves no speed, and moves a body by F w^2 sqrt(pi)/2m"""
    m, w, end = log(r, .1, 5), log(r, 1e-3, 3e-2), 2.
    at, way = flat(r, .8, 1.2), log(r, 1e-2, 1)
    force = float(f'{2 * m * way / (w * w * math.sqrt(math.pi)):.9g}')
    u = f'((t - {at} s)/({w} s))'
    text = scene(['bodies:', f'  ball: {{mass: {m}, inertia: 1}}', 'forces:',
                  f'  f: {{body: ball, force: ["{force!r} N*-2*{u}*exp(-({u})^2)", 0, 0]}}'], end)
    # twice the integral of -u exp(-u^2) is exp(-u^2): its integral is sqrt(pi)
    want = force * w * w * math.sqrt(math.pi) / m
    # the speed, which reaches F w/m, is known to the tolerance, for as long as the run goes on
    return text, lambda o: [(motion(o, what='position'), want)], want + force * w / m


def drag(r):
    """m v' = -c v + F f(t)"""
    m, c, force, end = log(r, .2, 5), log(r, .1, 5), log(r, 10, 1e3), 2.
    p = Pulse(r, 't', 's', flat(r, .5, 1.5), log(r, 1e-4, 1e-2))
    want = force / m * p.times(lambda t: math.exp(-c * (end - t) / m), 0, end)
    text = scene(['bodies:', f'  ball: {{mass: {m}, inertia: 1}}', 'forces:',
                  f'  f: {{body: ball, force: ["{force} N*{p.text} - {c} N s/m*ball.velocity[0]", 0, 0]}}'], end)
    return text, lambda o: [(motion(o), want)], force * p.area(0, end) / m


def spring(r):
    """x'' + w^2 x = F f(t)/m"""
    m, w, force, end = log(r, .2, 5), flat(r, 1, 30), log(r, 10, 1e3), 1.5
    p = Pulse(r, 't', 's', flat(r, .4, 1.1), log(r, 5e-5, 1e-2))
    k = float(f'{m * w * w:.9g}')
    w = math.sqrt(k / m)
    speed = force / m * p.times(lambda t: math.cos(w * (end - t)), 0, end)
    place = force / m / w * p.times(lambda t: math.sin(w * (end - t)), 0, end)
    text = scene(['bodies:', f'  ball: {{mass: {m}, inertia: 1}}', 'forces:',
                  f'  f: {{body: ball, force: ["{force} N*{p.text} - {k!r} N/m*ball.position[0]", 0, 0]}}'], end)
    size = force * p.area(0, end) / m
    return text, lambda o: [(motion(o), speed), (w * motion(o, what='position'), w * place)], size


def magnet(r):
    """m v' = q B(t) x v turns the velocity by the integral of q B/m"""
    m, v, end = log(r, .2, 5), log(r, .5, 20), 1.
    p = Pulse(r, 't', 's', flat(r, .2, .8), log(r, 1e-4, 1e-2))
    b = float(f'{r.uniform(.3, 6) * m / p.area(0, end):.9g}')
    turn = b * p.area(0, end) / m
    text = scene(['bodies:', f'  ball: {{mass: {m}, inertia: 1, velocity: [{v}, 0, 0]}}', 'forces:',
                  f'  f: {{body: ball, force: ["-{b!r} N s/m*{p.text}*ball.velocity[1]", "{b!r} N s/m*{p.text}*ball.velocity[0]", 0]}}'],
                 end)
    return text, lambda o: [(motion(o), v * math.cos(turn)), (motion(o, axis=1), v * math.sin(turn))], v


def narrow_motor(r):
    """I omega^2/2 rises by the integral of the effort over the angle"""
    inertia, rate = log(r, .05, 5), log(r, 1, 30)
    p = Pulse(r, 'axle.position', 'rad', flat(r, .2, .8) * rate, log(r, 2e-4, 5e-3) * rate, ('sech', 'ripple'))
    effort = float(f'{r.uniform(.1, 3) * inertia * rate**2 / 2 / p.area(0, 2 * rate):.9g}')
    want = math.sqrt(rate**2 + 2 * effort * p.area(0, 2 * rate) / inertia)
    text = scene(['bodies:', f'  wheel: {{mass: 1, inertia: {inertia}}}', 'joints:',
                  f'  axle: {{revolute: {{between: [world, wheel], axis: [0, 1, 0], rate: {rate}}}}}', 'forces:',
                  f'  f: {{joint: axle, effort: "{effort!r} N m*{p.text}"}}'], 2.)
    return text, lambda o: [(motion(o, 'wheel', 'omega', 1), want)], want


def states(r):
    """x' = f(t), y' = x: y is the integral of (end - t) f(t)"""
    p = Pulse(r, 't', 's', flat(r, .3, .7), log(r, 5e-5, 1e-2))
    a = float(f'{1 / p.area(0, 1):.9g}')
    x, y = a * p.area(0, 1), a * p.times(lambda t: 1 - t, 0, 1)
    text = scene(['bodies:', '  ball: {mass: 1, inertia: 1}', 'controllers:',
                  f'  c: {{states: {{x: {{start: 0, scale: 1}}, y: {{start: 0 s, scale: 1}}}}, rates: {{x: "{a!r} Hz*{p.text}", y: x}}}}',
                  'forces:', '  f: {body: ball, force: ["if(t > 1 s, 1 N*c.x, 0 N)", "if(t > 1 s, 1 N/(1 s)*c.y, 0 N)", 0]}'], 2.)
    # from 1 s on x is constant and y grows by x (t - 1 s)
    return text, lambda o: [(motion(o), x), (motion(o, axis=1), y + x / 2)], 1


def duty(r):
    """a force that is on for a part of each period"""
    period, part, force = log(r, .02, .5), log(r, 1e-4, .3), log(r, 1, 1e3)
    n = r.randint(1, 10)
    on = float(f'{part * period:.6g}')
    # it begins half a period late, so that no run ends at a switch
    end = n * period
    text = scene(['bodies:', '  ball: {mass: 2, inertia: 1}', 'forces:',
                  f'  f: {{body: ball, force: ["if((t + {period / 2!r} s)/({period} s) - floor((t + {period / 2!r} s)/({period} s)) < '
                  f'{on / period!r}, {force} N, 0 N)", 0, 0]}}'], end)
    want = n * on * force / 2
    return text, lambda o: [(motion(o), want)], want


def tops(r):
    """an event where the cosine of the way exceeds a level: twice near each of its tops"""
    v, k, n = log(r, 1, 50), log(r, 1, 20), r.randint(1, 4)
    level = 1 - log(r, 1e-9, 1e-2)
    end = (n + .5) * 2 * math.pi / k / v
    text = scene(['bodies:', f'  ball: {{mass: 1, inertia: 1, velocity: [0, {v}, 0]}}', 'events:',
                  f'  top: "cos({k} rad/m*ball.position[1]) - {level!r}"'], end)
    half = 2 * math.asin(math.sqrt((1 - level) / 2))
    times = [half / k / v] + [(2 * math.pi * i + s * half) / k / v for i in range(1, n + 1) for s in (-1, 1)]

    def judge(o):
        seen = [e['t'] for e in o['events'] if e['kind'] == 'user']
        return list(zip(seen, times)) if len(seen) == len(times) else [(len(seen), 1e9)]
    return text, judge, end


def jump(r):
    """a plate, upright or inclined, jumps towards a ball that hovers, and reaches it or does not"""
    height, at = log(r, 1e-3, 1e-2), flat(r, .3, .7)
    w = log(r, 2e-4, 2 * height)
    reaches = r.random() < .7
    # (an impact of less than 1e-9 J has a residual that is large beside it)
    top = height * (1 + log(r, 5e-2, 1)) if reaches else height * (1 - log(r, 1e-5, .5))
    top = float(f'{top:.12g}')
    angle = r.choice([0, flat(r, -1.2, 1.2)])
    n = [math.sin(angle), 0, math.cos(angle)]
    shape = r.choice(['sech', 'gauss'])
    u = f'((t - {at} s)/({w} s))'
    pulse = f'1/cosh({u})' if shape == 'sech' else f'exp(-({u})^2)'
    text = scene(['bodies:', f'  ball: {{mass: 20 g, shape: {{sphere: {{radius: 1 cm}}}}, position: [{", ".join(repr((.01 + height)*c) for c in n)}]}}',
                  'ground:', f'  plate: {{plane: {{normal: [{", ".join(map(repr, n))}], motion: ['
                  + ', '.join(f'"{top * c!r} m*{pulse}"' for c in n) + ']}}',
                  'pairs:', '  - {between: [ball, plate], normal: {law: hunt-crossley, k: 2e6, lambda: 6e5}}'], 1.)
    back = w * (math.acosh(top / height) if shape == 'sech' else math.sqrt(math.log(top / height))) if reaches else 0

    def judge(o):
        seen = [e['t'] for e in o['events'] if e['kind'] == 'touchdown']
        # where the plate just reaches the ball it does so slowly: a gap of 1e-9 of the height is as good
        slack = 1e-9 * height * w / max(height * 2 * back / w, 1e-9) / w if reaches else 0
        if not reaches or not seen:
            return [(len(seen), 1e9 if reaches else 0)]
        return [(at - back if abs(seen[0] - at + back) < 10 * slack else seen[0], at - back)]
    return text, judge, 1


def passing(r):
    """two spheres fly past each other, near or with contact"""
    a, b = log(r, 2e-3, 5e-2), log(r, 2e-3, 5e-2)
    v, at = log(r, 1, 300), flat(r, .2, .8)
    hits = r.random() < .6
    side = (a + b) * (1 - log(r, 1e-6, 1) if hits else 1 + log(r, 1e-6, 1))
    tilt, u = flat(r, 0, 6.28), flat(r, -20, 20)
    place = [v * at, side * math.cos(tilt), side * math.sin(tilt)]
    text = scene(['bodies:', f'  a: {{mass: 1, shape: {{sphere: {{radius: {a}}}}}, velocity: [{v + u}, 1, 2]}}',
                  f'  b: {{mass: 3, shape: {{sphere: {{radius: {b}}}}}, position: [{", ".join(map(repr, place))}], velocity: [{u}, 1, 2]}}',
                  'pairs:', '  - {between: [a, b], normal: {law: linear, k: 1e5, lambda: 0}}'], 1., r.choice([0, -9.81]))

    def judge(o):
        seen = [e['t'] for e in o['events'] if e['kind'] == 'touchdown']
        if not hits or not seen:
            return [(len(seen), 1e9 if hits else 0)]
        return [(seen[0], at - math.sqrt((a + b)**2 - side**2) / v)]
    return text, judge, 1


KINDS = [kick, to_and_fro, drag, spring, magnet, narrow_motor, states, duty, tops, jump, passing, jump]
worst = 0


def wrong(name, make, r):
    global worst
    text, judge, scale = make(r)
    with open(name, 'w') as f:
        f.write(text)
    before = os.times().children_user
    said = run('run', name, '--json')
    cost = os.times().children_user - before
    if said.returncode:
        return f'exit {said.returncode}: {said.stderr.strip()[:200]}'
    pairs = judge(json.loads(said.stdout))
    off = max(abs(seen - want) for seen, want in pairs) / scale
    worst = max(worst, off - ABSOLUTE / scale)
    if cost > 10:
        return f'{cost:.1f} s'
    return '' if off * scale <= OFF * scale + ABSOLUTE else f'off by {off:.2g} of scale: ' + ', '.join(f'{s!r} instead of {w!r}' for s, w in pairs)


for seed in SEEDS:
    for n in range(COUNT):
        make = KINDS[n % len(KINDS)]
        name = f'short-{seed}-{n}.yaml'
        what = wrong(name, make, random.Random(seed * 1000003 + n))
        check(f'{name} ({make.__name__})', not what, what)
        if not what:
            os.remove(name)
if 'WORST' in os.environ:
    print(f'{worst:.2g} of scale at most')
finish()
