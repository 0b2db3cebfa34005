#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Copyright the footfall authors
#
# one impact: values compared with closed forms and a plain integration, sweeps, two bodies, comparisons
. "$(dirname "$0")/lib.bash"

checks <<'PYTHON'
from lib import *
from decimal import Decimal, getcontext
import itertools
getcontext().prec = 50

# ---- closed forms ----
# 1e-12 is limited by the integration of depths, times and forces

def linear(what, law, mass, k, zeta, lam, speed, detach):
    """Marhefka and Orin 1996, eq. 4, and the same with the pull cut off"""
    p = point(law, detach=detach, mass=mass, speed=speed, k=k, lambda_=lam)
    s = math.sqrt(abs(1 - zeta*zeta))
    angle = math.acos(zeta) if zeta < 1 else math.acosh(zeta) if zeta > 1 else 0
    half = zeta * angle / s if s else 1
    if detach == 'clamp':
        e = math.exp(-2 * half)
    else:
        e = math.exp(-math.pi * zeta / s) if zeta < 1 else 0
    near(f'{what}: e', p['restitution'], e, 1e-12)
    near(f'{what}: energy', p['energy_lost'], mass * speed**2 / 2 * (1 - e*e), 1e-12)
    near(f'{what}: impulse', p['impulse'], mass * speed * (1 + e), 1e-12)
    if law != 'linear':
        return
    w0 = math.sqrt(k / mass)
    near(f'{what}: depth', p['max_depth'], speed / w0 * math.exp(-half), 1e-11)
    if zeta >= 0.5:
        near(f'{what}: force', p['max_force'], lam * speed, 1e-11)
    elif zeta > 0:
        near(f'{what}: force', p['max_force'], mass * speed * w0 * math.exp(-zeta * (3*angle - math.pi) / s), 1e-11)
    if detach == 'clamp':
        near(f'{what}: time', p['contact_time'], (2 * angle / s if s else 2) / w0, 1e-11)
    elif zeta < 1:
        near(f'{what}: time', p['contact_time'], math.pi / (s * w0), 1e-11)
    else:
        check(f'{what}: the contact never ends', p['contact_time'] is None, p['contact_time'])

for mass, k, zeta, speed in ((1, 100, 0.5, 1), (0.154, 2.5e5, 0.05, 3), (7, 1e3, 0.9, 0.01), (2, 50, 1, 1), (1, 100, 1.7, 2)):
    lam = 2 * zeta * math.sqrt(mass * k)
    for detach in ('clamp', 'tension'):
        linear(f'linear, zeta {zeta}, {detach}', 'linear', mass, k, zeta, lam, speed, detach)
        # tsuji's e is that of the linear law
        linear(f'tsuji, zeta {zeta}, {detach}', 'tsuji', mass, k, zeta, zeta * math.sqrt(5 * mass * k), speed, detach)
near("the contract's linear law, tension", point('linear', k=100, lambda_=10, mass=1, speed=1, detach='tension')['restitution'], 0.16303353482158048, 1e-12)
near("the contract's linear law, clamp", point('linear', k=100, lambda_=10, mass=1, speed=1)['restitution'], 0.2984360591922749, 1e-12)

# ---- adhesive laws ----
for w, R, E, mass in ((0.05, 1e-5, 5e9, 1e-11), (0.2, 5e-3, 2.5e10, 6e-3), (1.0, 1e-3, 1e6, 4e-6)):
    k = 4/3 * E * math.sqrt(R)
    lost = (0.6 + 0.1 * 4**(-1/3)) * math.pi * (4 * math.pi**2 * w**5 * R**4 / E**2)**(1/3)
    near(f'jkr, w {w}: 7.092196', lost / (w**5 * R**4 / E**2)**(1/3), 7.092196, 1e-7)
    sticks = math.sqrt(2 * lost / mass)
    for part in (0.5, 0.999, 1.001, 3, 100):
        p = point('jkr', k=k, w=w, R=R, mass=mass, speed=part * sticks)
        near(f'jkr, w {w}, {part} of the sticking speed: e', p['restitution'], math.sqrt(1 - 1 / part**2) if part > 1 else 0, 1e-9)
        check(f'jkr, w {w}, {part}: ends', (p['contact_time'] is None) == (part < 1), p)
        if part > 1:
            near(f'jkr, w {w}, {part}: energy', p['energy_lost'], lost, 1e-9)
            near(f'jkr, w {w}, {part}: where it breaks', p['end_depth'], -0.75 * (math.pi**2 * w**2 * R / E**2)**(1/3), 1e-10)
        near(f'dmt, w {w}, {part}: e', point('dmt', k=k, w=w, R=R, mass=mass, speed=part * sticks)['restitution'], 1, 0)
    a = ask('restitution', '--normal', 'jkr', '--k', k, '--w', w, '--R', R, '--mass', mass, '--speed', 1)
    near(f'jkr, w {w}: sticking speed', a['sticking_speed'], sticks, 1e-9)
    a = ask('restitution', '--normal', 'dmt', '--k', k, '--w', w, '--R', R, '--mass', mass, '--speed', 1)
    near(f'dmt, w {w}: no sticking speed', a['sticking_speed'], 0, 0)
a = ask('restitution', '--normal', 'dmt', '--materials', 'steel,rubber', '--radius', '1 mm', '--w', 0.1, '--lambda-star', 10, '--speed', 1)
check('a damper makes dmt stick', a['sticking_speed'] > 1e-4, a)
near('R is that of the bodies', a['parameters']['R'], 1e-3, 0)
for args, says in ((('design', '--normal', 'jkr', '--k', 1, '--w', 1, '--R', 1, '--mass', 1, '--speed', 1, '--restitution', 0.5), 'jkr has no damping that could be determined'),
                   (('restitution', '--normal', 'jkr', '--k', 1, '--w', 1, '--mass', 1, '--speed', 1), "option '--R' is missing")):
    r = run(*map(str, args))
    check(f'{args[0]} refuses: {says}', r.returncode == 2 and says in r.stderr, r.stderr)

def hunt_crossley(closing, opening):
    """e from (-d' e - ln(1 - d' e))/d'^2 = (d - ln(1 + d))/d^2 by Newton's method, to 50 digits less cancellation"""
    d, out = Decimal(closing), Decimal(opening)
    target = (d - (1 + d).ln()) / (d*d) * out*out
    # start below the root: Newton's method on a convex function overshoots only once
    x = min((2 * target).sqrt(), Decimal('0.999')) if target < 1 else 1 - (-1 - target).exp()
    for _ in range(60):
        f = -x - (1 - x).ln() - target
        step = f * (1 - x) / x
        x = x - step if x - step < 1 else (1 + x) / 2
    return float(x / out)

for d in (1e-6, 0.01, 0.3646, 1, 5, 100):
    want = hunt_crossley(d, d)
    for mass, k, n, speed in ((0.154, 8.5e6, 1.5, 1), (1, 1, 1, 0.1), (30, 1e4, 2.3, 7)):
        p = point('hunt-crossley', n=n, k=k, lambda_=d * k / speed, mass=mass, speed=speed)
        near(f'hunt-crossley, d {d}, n {n}: e', p['restitution'], want, 1e-12)
        # phi = (d - ln(1 + d))/d^2, without cancellation at small d
        phi = float((Decimal(d) - (1 + Decimal(d)).ln()) / Decimal(d)**2)
        near(f'hunt-crossley, d {d}, n {n}: depth', p['max_depth'], ((n + 1) * phi * mass * speed**2 / k)**(1 / (n + 1)), 1e-11)
        near(f'hunt-crossley, d {d}, n {n}: Poisson', p['impulse'] / (mass * speed) - 1, want, 1e-12)
    near(f'marhefka-orin, d {d}', point('marhefka-orin', k=5e4, alpha=d / 1.5, mass=50, speed=1)['restitution'], want, 1e-12)
    # the force never becomes tensile, although tension is allowed
    near(f'hunt-crossley, d {d}, tension', point('hunt-crossley', k=2, lambda_=2 * d, mass=1, speed=1, detach='tension')['restitution'], want, 1e-12)
near("the contract's hunt-crossley", point('hunt-crossley', n=1.5, k=8.5e6, lambda_=3.1e6, mass=0.154, speed=1)['restitution'], 0.803667122518, 1e-11)
for d, out in ((0.5, 0.1), (0.1, 2), (3, 1)):
    want = hunt_crossley(d, out)
    for mass, k, n in ((1, 1, 1.5), (7, 1e4, 1), (0.2, 30, 3)):
        p = point('hunt-crossley', n=n, k=k, lambda_=d * k, lambda_out=out * k, mass=mass, speed=1)
        near(f'd {d}, d_out {out}, n {n}', p['restitution'], want, 1e-12)

# the elastic impact: time from the beta function
for n in (1, 1.5, 2, 3):
    mass, k, speed = 0.154, 8.5e6, 1.3
    depth = ((n + 1) / 2 * mass * speed**2 / k)**(1 / (n + 1))
    time = 2 * depth / speed * math.sqrt(math.pi) * math.gamma(1 + 1/(n + 1)) / math.gamma(0.5 + 1/(n + 1))
    for law, more in (('hertz', {}), ('hunt-crossley', {'lambda_': 0})):
        p = point(law, k=k, n=n, mass=mass, speed=speed, **more)
        check(f'{law}, n {n}: e is 1', p['restitution'] == 1 and p['energy_lost'] == 0 and p['loss'] == 0, p)
        near(f'{law}, n {n}: depth', p['max_depth'], depth, 1e-12)
        near(f'{law}, n {n}: force', p['max_force'], k * depth**n, 1e-12)
        near(f'{law}, n {n}: time', p['contact_time'], time, 1e-12)

# ---- laws without closed form compared with a plain integration ----
def direct(n, p, delta, clamp):
    """z'' = -(z^n + delta z^p z') from z = 0, z' = 1 with z = s^4, dt = 4 s^3 dsigma and Runge-Kutta's method"""
    def rates(s, v, t):
        return v, -4 * s**3 * (abs(s)**(4*n) + delta * abs(s)**(4*p) * v), 4 * s**3
    def step(y, h):
        a = rates(*y)
        b = rates(*(q + h/2 * r for q, r in zip(y, a)))
        c = rates(*(q + h/2 * r for q, r in zip(y, b)))
        d = rates(*(q + h * r for q, r in zip(y, c)))
        return [q + h/6 * (w + 2*x + 2*u + r) for q, w, x, u, r in zip(y, a, b, c, d)]
    def end(y):
        s, v, _ = y
        return s**(4 * (n - p)) + delta * v if clamp and s > 0 else s
    # 1,500 steps for about 3 units of sigma: an error of about (0.002)^4 = 2e-11
    y, h, deepest = [0., 1., 0.], 0.002, 0
    while True:
        new = step(y, h)
        if y[1] > 0 >= new[1] or (new[1] < 0 and end(new) <= 0):
            low, high, f = 0, h, (lambda q: q[1]) if y[1] > 0 else end
            for _ in range(60):
                middle = (low + high) / 2
                low, high = (middle, high) if f(step(y, middle)) > 0 else (low, middle)
            if y[1] <= 0:
                return -step(y, high)[1], step(y, high)[2], deepest
            deepest = step(y, high)[0]**4
        y = new

for law, n, p, lam, detach in (('azad-featherstone', 1.5, 0.5, 0.9, 'clamp'), ('azad-featherstone', 1.5, 0.5, 0.9, 'tension'),
                               ('lee-wang', 1.5, 1, 2, 'clamp'), ('ristow-schaefer', 1.5, 1, 0.4, 'tension'),
                               ('general', 2, 0.75, 1.1, 'clamp'), ('general', 1.2, 1, 0.3, 'clamp')):
    exponents = {'n': n, 'p': p} if law == 'general' else {}
    e, time, depth = direct(n, p, lam, detach == 'clamp')
    for mass, k, speed in ((1, 1, 1), (0.154, 8.5e6, 0.3)):
        # the same delta at any scale: ERRATA, section 0
        scale = (mass * speed**2 / k)**(1 / (n + 1))
        got = point(law, k=k, lambda_=lam * mass * speed / scale**(p + 1), mass=mass, speed=speed, detach=detach, **exponents)
        what = f'{law} n {n} p {p} {detach}, mass {mass}'
        near(f'{what}: delta', got['delta'], lam, 1e-13)
        near(f'{what}: e', got['restitution'], e, 1e-9)
        near(f'{what}: time', got['contact_time'], time * scale / speed, 1e-9)
        near(f'{what}: depth', got['max_depth'], depth * scale, 1e-9)
# from a Taylor series of order 30 in 40 digits
near('p = 1/2', point('azad-featherstone', k=8.5e6, lambda_=3.1e3, mass=0.154, speed=1)['restitution'], 0.62029078416084207, 1e-12)
# small damping, ERRATA section 0: the remainder is of the order of d^3
d = 1e-4
p = point('azad-featherstone', k=1, lambda_=d, mass=1, speed=1)
c1 = 0.8 * 1.25**0.6 * math.gamma(0.6) * math.gamma(1.5) / math.gamma(2.1)
near('the loss at small damping', p['loss'], c1*d - 0.6 * c1**2 * d*d - 4/15 * d**2.5, 1e-7)

# the presets equal the general law
for law, n, p in (('linear', 1, 0), ('lee-wang', 1.5, 1), ('azad-featherstone', 1.5, 0.5), ('tsuji', 1.5, 0.25)):
    a = point(law, k=3, lambda_=0.7, lambda_out=0.5, mass=2, speed=0.4)
    b = point('general', n=n, p=p, k=3, lambda_=0.7, lambda_out=0.5, mass=2, speed=0.4)
    check(f'{law} is general with n = {n}, p = {p}', a == b, f'{a} {b}')

# laws with a desired e: exact at e = 1, and as accurate as their authors claim
near('lankarani-nikravesh, e = 1', point('lankarani-nikravesh', k=1e6, e=1, mass=1, speed=1)['restitution'], 1, 0)
for e in (0.05, 0.3, 0.5, 0.7, 0.95):
    got = point('flores', k=1e6, e=e, mass=1, speed=1)['restitution']
    near(f'flores, e = {e}', got, hunt_crossley(1.6 * (1 - e) / e, 1.6 * (1 - e) / e), 1e-12)
    got = point('lankarani-nikravesh', k=1e6, e=e, mass=1, speed=1)['restitution']
    near(f'lankarani-nikravesh, e = {e}', got, hunt_crossley(0.75 * (1 - e*e), 0.75 * (1 - e*e)), 1e-12)
# below v_min the latched speed is v_min
near('flores below v_min', point('flores', k=1e6, e=0.5, mass=1, speed=0.01, v_min='10 cm/s')['restitution'], hunt_crossley(0.16, 0.16), 1e-12)

# xiong: its limits, and the figures of the paper
near('xiong, fig 5', point('xiong', K=1e5, alpha=0.007, beta=0.01, mass=1, speed=1)['restitution'], 0.8807496, 1e-6)
near('xiong, alpha = beta', point('xiong', K=1e5, alpha=0.01, beta=0.01, mass=1, speed=1)['restitution'], 1, 1e-12)
# alpha -> 0 is the clamped linear law; the difference is of the order of alpha
for alpha in (1e-6, 1e-9, 1e-12):
    p = point('xiong', K=1, alpha=alpha, beta=1, mass=1, speed=1)
    q = point('linear', k=1, lambda_=1, mass=1, speed=1)
    for key in ('restitution', 'contact_time', 'max_depth', 'max_force'):
        near(f'xiong, alpha {alpha}: {key}', p[key], q[key], 10 * alpha + 1e-9)

# ---- laws given by their force alone ----
for d in (1e-4, 0.01, 0.3, 2, 30):
    for mass, k, speed in ((1, 1, 1), (0.154, 8.5e6, 0.3)):
        # a second term does not change e(chi v), and neither does n
        for k2 in (0, k, 1e4 * k):
            p = point('two-term', k=k, k2=k2, chi=d / speed, mass=mass, speed=speed)
            near(f'two-term, d {d}, k2 {k2}: e', p['restitution'], hunt_crossley(d, d), 1e-12)
            check('no delta', p['delta'] is None, p)
        q = point('hunt-crossley', k=k, lambda_=d * k / speed, mass=mass, speed=speed)
        p = point('two-term', k=k, k2=0, chi=d / speed, mass=mass, speed=speed)
        for key in ('contact_time', 'clear_time', 'max_depth', 'max_depth_time', 'max_force', 'energy_lost', 'impulse'):
            near(f'two-term is hunt-crossley without its second, d {d}: {key}', p[key], q[key], 1e-11)
        # v dv/(1 + d v |v|) = -z^n dz: e = 1/sqrt(1 + d)
        for n in (1, 1.5, 2.3):
            p = point('general', n=n, p=n, q=2, k=k, lambda_=d * k / speed**2, mass=mass, speed=speed)
            near(f'general, n = p = {n}, q = 2, d {d}: e', p['restitution'], 1 / math.sqrt(1 + d), 1e-12)
# impulses of compression and expansion
for law, more in (('tsuji', dict(k=1e6, lambda_=30)), ('xiong', dict(K=1e5, alpha=0.007, beta=0.01)), ('two-term', dict(k=1e6, k2=1e9, chi=0.4))):
    p = point(law, mass=2, speed=0.7, **more)
    near(f'{law}: ratio of impulses', p['impulse_ratio'], p['restitution'], 1e-15)
    near(f'{law}: impulse', p['impulse'], 2 * 0.7 * (1 + p['impulse_ratio']), 1e-14)

# ---- endless contacts ----
for law, more in (('linear', dict(k=100, lambda_=20)), ('linear', dict(k=100, lambda_=1e4)), ('tsuji', dict(k=1, lambda_=10)),
                  ('general', dict(n=1.5, p=0, k=1, lambda_=2)), ('general', dict(n=3, p=1, k=1, lambda_=10))):
    p = point(law, mass=1, speed=1, detach='tension', **more)
    check(f'{law} {more}: null and e = 0', p['contact_time'] is None and p['restitution'] == 0 and p['max_depth'] > 0, p)
    near(f'{law} {more}: all energy is lost', p['energy_lost'], 0.5, 1e-12)
    r = run('restitution', '--normal', law, *options(mass=1, speed=1, detach='tension', **more))
    check(f'{law} {more}: the table says so', 'never ends' in r.stdout and r.returncode == 0, r.stdout)

# ---- the detachment rule changes e, so it is always printed ----
for detach in ('clamp', 'tension'):
    args = ['restitution', '--normal', 'linear', *options(k=100, lambda_=10, mass=1, speed=1, detach=detach)]
    check(f'the table names {detach}', detach in run(*args).stdout.replace('tension:', ''), run(*args).stdout)
    check(f'the JSON object names {detach}', f'"{detach}"' in run(*args, '--json').stdout, run(*args, '--json').stdout[:200])

# ---- sweeps ----
def speeds(text):
    return [p['speed'] for p in points('hertz', k=1, mass=1, speed=text)]

for text, want in (('0.1,1,10', [0.1, 1, 10]), ('3,1,2,1', [3, 1, 2, 1]), ('0.1:0.5:5', [0.1, 0.2, 0.3, 0.4, 0.5]), ('5:1:5', [5, 4, 3, 2, 1]),
                   ('1:2:1', [1]), ('2:2:3', [2, 2, 2]), ('0.5,1:3:3,9', [0.5, 1, 2, 3, 9]), ('36 km/h', [10]), ('1mm/s,10cm/s', [0.001, 0.1]),
                   ('1 m/s:3 m/s:3', [1, 2, 3]), (' 1 , 2 ', [1, 2])):
    check(f'--speed {text!r}', speeds(text) == want, speeds(text))
for text, low, high, count in (('1e-3:10:5log', 1e-3, 10, 5), ('10:1e-3:9 log', 10, 1e-3, 9), ('1 mm/s:10 m/s:13log', 1e-3, 10, 13)):
    got = speeds(text)
    check(f'--speed {text!r}: the ends and their number', len(got) == count and got[0] == low and got[-1] == high, got)
    for i, v in enumerate(got):
        near(f'--speed {text!r}: {i}', v, low * (high / low)**(i / (count - 1)), 1e-13)
check('0:5:51 has tenths', [p['lambda'] for p in points('linear', k=1, lambda_='0:5:51', mass=1, speed=1)] == [i / 10 for i in range(51)])

# everything combined, speeds varying fastest; every point equals a single call
k, lam, mass, v = [1e6, 8.5e6], [1e3, 2e3, 3e3], [0.1, 0.2], [0.5, 1]
swept = points('azad-featherstone', k='1e6,8.5e6', lambda_='1e3:3e3:3', mass='100 g:200 g:2', speed='0.5,1')
want = list(itertools.product(k, lam, mass, v))
check('the points and their order', [(p.get('k'), p.get('lambda'), p.get('mass'), p['speed']) for p in swept] == want,
      [(p.get('k'), p.get('lambda'), p.get('mass'), p['speed']) for p in swept])
for p, (k1, lam1, m1, v1) in list(zip(swept, want))[::5]:
    alone = point('azad-featherstone', k=k1, lambda_=lam1, mass=m1, speed=v1)
    check('a point of a sweep is the point alone', {**p, **alone} == p, f'{p} {alone}')
    check('what is not swept is not in the points', not {'k', 'lambda', 'mass'} & alone.keys(), alone.keys())
for law, fixed, name, text, want in (('general', dict(p=1, k=1, lambda_=1), 'n', '1:2:3', [1, 1.5, 2]), ('general', dict(n=1, k=1, lambda_=1), 'p', '0,1', [0, 1]),
                                     ('hunt-crossley', dict(k=1, lambda_=1), 'lambda_out', '0,2', [0, 2]), ('flores', dict(k=1), 'e', '0.1:1:2', [0.1, 1]),
                                     ('flores', dict(k=1, e=0.5), 'v_min', '1mm/s,1m/s', [0.001, 1]), ('marhefka-orin', dict(k=1), 'alpha', '0.1,0.2', [0.1, 0.2]),
                                     ('two-term', dict(k=1, k2=1), 'chi', '0,2', [0, 2]), ('two-term', dict(k=1, chi=1), 'k2', '0:2:3', [0, 1, 2]),
                                     ('two-term', dict(k=1, k2=1), 'n2', '2,3', [2, 3]), ('general', dict(n=1, p=1, k=1, lambda_=1), 'q', '1,2', [1, 2]),
                                     ('xiong', dict(alpha=0.01, beta=0.02), 'K', '1 N/mm,2 N/mm', [1e3, 2e3]), ('xiong', dict(K=1e3, alpha=0.01), 'beta', '10ms,20ms', [0.01, 0.02])):
    got = [p.get(name) for p in points(law, mass=1, speed=1, **fixed, **{name: text})]
    check(f'{law}: {name} swept', got == want, got)
# units of all parameters at once: the same as in SI
a = point('azad-featherstone', k='8.5 MN/m^1.5', lambda_='3.1 kN s/m^1.5', mass='154 g', speed='100 cm/s')
b = point('azad-featherstone', k=8.5e6, lambda_=3.1e3, mass=0.154, speed=1)
check('units do not change a digit', a == b, f'{a} {b}')
near('powers of a prefix', point('hertz', k='1 N/mm^1.5', mass=1, speed=1)['max_depth'], point('hertz', k=1000**1.5, mass=1, speed=1)['max_depth'], 1e-14)
# many points in a short time; the table has as many rows
lines = run('restitution', '--normal', 'hertz', *options(k=1, mass=1, speed='1:2:500')).stdout.splitlines()
check('500 speeds are 500 rows', len(lines) >= 503 and sum(line.split()[1:2] == ['1'] for line in lines) == 500, len(lines))

# ---- two bodies ----
a = point('azad-featherstone', k=8.5e6, lambda_=3.1e3, mass='1,2', radius='1cm,2cm', speed=1)
b = point('azad-featherstone', k=8.5e6, lambda_=3.1e3, mass=2/3, speed=1)
for key in ('restitution', 'contact_time', 'max_depth', 'max_force', 'energy_lost', 'impulse'):
    near(f'two bodies have the reduced mass: {key}', a[key], b[key], 1e-13)
star = 1 / ((1 - 0.3**2) / 210e9 + (1 - 0.05**2) / 20e6)
R = 1 / (1/0.0165 + 1/0.02)
a = ask('restitution', '--normal', 'azad-featherstone', *options(materials='steel,cork', radius='1.65cm,2cm', mass='1,2', lambda_=50.0, speed=1))
near('E*', a.get('modulus'), star, 1e-14)
near('R', a.get('radius'), R, 1e-14)
near('Hertz k', a.get('hertz_k'), 4/3 * star * math.sqrt(R), 1e-14)
b = point('azad-featherstone', k=4/3 * star * math.sqrt(R), lambda_=50.0, mass=2/3, speed=1)
near('and it is used', a.get('points', [{}])[0].get('max_force'), b['max_force'], 1e-13)
# the mass of steel and cork balls; of one ball on a plate
a = point('azad-featherstone', materials='steel,cork', radius='1.65cm,2cm', lambda_=50.0, speed=1)
m1, m2 = 4/3 * math.pi * 0.0165**3 * 7850, 4/3 * math.pi * 0.02**3 * 170
near('mass of two balls', a['impulse'] / (1 + a['restitution']), 1 / (1/m1 + 1/m2), 1e-12)
a = point('azad-featherstone', materials='steel,cork', radius='1.65cm', lambda_=50.0, speed=1)
near('mass of one ball', a['impulse'] / (1 + a['restitution']), m1, 1e-12)
a = point('azad-featherstone', E='210 GPa,20 MPa', nu='0.3,0.05', radius='1.65cm', lambda_=50.0, mass=m1, speed=1)
b = point('azad-featherstone', materials='steel,cork', radius='1.65cm', mass=m1, lambda_=50.0, speed=1)
check('E and nu are the materials', a == b, f'{a} {b}')
# a single modulus: the other body is rigid
a = ask('restitution', '--normal', 'hertz', *options(E='1 GPa', nu=0.3, radius=0.01, mass=1, speed=1))
near('a rigid body', a.get('modulus'), 1e9 / 0.91, 1e-14)
a = point('azad-featherstone', k=8.5e6, lambda_star=2.4e4, radius=0.0165, mass=0.154, speed=1)
b = point('azad-featherstone', k=8.5e6, lambda_=2.4e4 * math.sqrt(0.0165), mass=0.154, speed=1)
near('lambda* sqrt(R)', a['restitution'], b['restitution'], 1e-13)

# ---- --compare ----
a = ask('restitution', '--compare', 'all', *options(restitution=0.8, max_depth='0.7mm', at=1, mass='154g', speed='0.01,1,10'))
check('the speeds', a.get('speed') == [0.01, 1, 10], a.get('speed'))
check('the laws', {'linear', 'hunt-crossley', 'lee-wang', 'azad-featherstone', 'tsuji'} <= {law['law'] for law in a.get('laws', [])}, a.keys())
for law in a.get('laws', []):
    near(f"{law['law']} has e = 0.8 at 1 m/s", law['restitution'][1], 0.8, 1e-12)
    parameters = {key + '_': value for key, value in law['parameters'].items()}
    for i, v in enumerate(a['speed']):
        p = point(law['law'], mass=0.154, speed=v, **parameters)
        near(f"{law['law']}: its parameters give its curve", p['restitution'], law['restitution'][i], 1e-12)
        if v == 1:
            near(f"{law['law']} is 0.7 mm deep at 1 m/s", p['max_depth'], 0.7e-3, 1e-11)
a = ask('restitution', '--compare', 'tsuji,marhefka-orin', *options(restitution=0.3, max_depth='1mm', at=2, mass=1, speed='2'))
check('those that are named, in that order', [law['law'] for law in a.get('laws', [])] == ['tsuji', 'marhefka-orin'])
for law in a.get('laws', []):
    near(f"{law['law']} has e = 0.3 at 2 m/s", law['restitution'][0], 0.3, 1e-12)
finish()
PYTHON

# the table and the JSON object agree
call restitution --normal hertz --k 1e6 --mass 1 --speed 1,2
[ $status -eq 0 ] && [ "$(tail -n 2 out | awk '{print $1, $2}')" = $'1 1\n2 1' ]
judge $? "the table: $(cat out)"

# a fall from 1 m
call restitution --normal hertz --k 1e6 --mass 1 --drop 1m
[ $status -eq 0 ] && [ "$(tail -n 1 out | awk '{print $1}')" = 4.42945 ]
judge $? "--drop: $(cat out)"
refuses "'--speed' cannot be used with --drop" restitution --normal hertz --k 1e6 --mass 1 --drop 1m --speed 1

finish
