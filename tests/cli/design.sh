#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Copyright the footfall authors
#
# design is the inverse of restitution: its parameters give the desired values
. "$(dirname "$0")/lib.bash"

checks <<'PYTHON'
from lib import *

def design(law, **more):
    return ask('design', '--normal', law, *options(**more))

def back(answer, law, mass, speed):
    """one impact with the parameters that were found"""
    return point(law, mass=mass, speed=speed, **{key + '_': value for key, value in answer.get('parameters', {}).items()})

laws = [('linear', {}), ('linear', {'detach': 'tension'}), ('hunt-crossley', {}), ('hunt-crossley', {'n': 2.2}), ('marhefka-orin', {}),
        ('marhefka-orin', {'n': 1.5}), ('lee-wang', {}), ('ristow-schaefer', {}), ('azad-featherstone', {}), ('azad-featherstone', {'detach': 'tension'}),
        ('tsuji', {}), ('general', {'n': 1.7, 'p': 0.6}), ('general', {'n': 1, 'p': 2})]
mass, speed = 0.154, 0.7
for law, more in laws:
    for e in (0.98, 0.5, 0.05):
        what = f'{law} {more}, e = {e}'
        # with k: a derivative of ln e of order 1 preserves the 1e-12 of the impact
        a = design(law, k=8.5e6, mass=mass, speed=speed, restitution=e, **more)
        near(f'{what}: e', back(a, law, mass, speed)['restitution'], e, 1e-11)
        check(f'{what}: k is the one given', a.get('parameters', {}).get('k') == 8.5e6, a.get('parameters'))
        # with a time or a depth
        a = design(law, contact_time='1.5 ms', mass=mass, speed=speed, restitution=e, **more)
        p = back(a, law, mass, speed)
        near(f'{what}: e with a contact time', p['restitution'], e, 1e-11)
        near(f'{what}: the contact time', p['contact_time'], 1.5e-3, 1e-11)
        a = design(law, max_depth='0.7 mm', mass=mass, speed=speed, restitution=e, **more)
        p = back(a, law, mass, speed)
        near(f'{what}: e with a depth', p['restitution'], e, 1e-11)
        near(f'{what}: the depth', p['max_depth'], 0.7e-3, 1e-11)
        # and reports the impact itself
        for key in ('restitution', 'loss', 'contact_time', 'max_depth', 'max_force', 'energy_lost', 'impulse'):
            near(f'{what}: {key} in the answer', a.get('impact', {}).get(key), p[key], 1e-12)
    # near e = 1 only the loss has significant digits: ten of them at 1e-9
    for loss in (1e-3, 1e-9, 1e-14):
        a = design(law, k=8.5e6, mass=mass, speed=speed, loss=loss, **more)
        near(f'{law} {more}, loss {loss}', back(a, law, mass, speed)['loss'], loss, 1e-10)
        near(f'{law} {more}, loss {loss} in the answer', a.get('impact', {}).get('loss'), loss, 1e-10)
    a, b = (design(law, k=8.5e6, mass=mass, speed=speed, **wish, **more) for wish in ({'loss': 0.25}, {'restitution': 0.75}))
    for key, value in a.get('parameters', {}).items():
        same = value == b['parameters'][key] or (isinstance(value, float) and abs(value / b['parameters'][key] - 1) < 1e-12)
        check(f'{law} {more}: loss 0.25 is restitution 0.75: {key}', same, f"{value} {b['parameters'][key]}")

# closed forms of the inverse
a = design('linear', k=100, mass=1, speed=3, restitution=0.5, detach='tension')
q = math.log(2) / math.pi
near('linear, tension: lambda', a.get('parameters', {}).get('lambda'), 2 * q / math.sqrt(1 + q*q) * 10, 1e-12)
# small loss of the p = 1/2 law: lambda = loss/C1 times the scale of delta
a = design('azad-featherstone', k=1, mass=1, speed=1, loss=1e-12)
c1 = 0.8 * 1.25**0.6 * math.gamma(0.6) * math.gamma(1.5) / math.gamma(2.1)
near('p = 1/2: lambda at a small loss', a.get('parameters', {}).get('lambda'), 1e-12 / c1, 1e-10)
# e ~ 1 - alpha v
a = design('marhefka-orin', k=1, mass=1, speed=0.5, loss=1e-9)
near('marhefka-orin: alpha at a small loss', a.get('parameters', {}).get('alpha'), 2e-9, 1e-8)

# materials give k; two bodies
a = design('azad-featherstone', materials='steel,brass', radius='1.27cm', speed=1, loss=1e-3)
star = 1 / ((1 - 0.3**2) / 210e9 + (1 - 0.35**2) / 100.6e9)
near('k of materials', a.get('parameters', {}).get('k'), 4/3 * star * math.sqrt(0.0127), 1e-13)
near('mass of the ball', a.get('impact', {}).get('mass'), 4/3 * math.pi * 0.0127**3 * 7850, 1e-13)
near('materials: the loss', a.get('impact', {}).get('loss'), 1e-3, 1e-10)
# lambda* = lambda/sqrt(R), if the law has one and a radius is known; restitution accepts it
near('lambda*', a.get('lambda_star'), a.get('parameters', {}).get('lambda', 0) / math.sqrt(0.0127), 1e-14)
p = point('azad-featherstone', materials='steel,brass', radius='1.27cm', speed=1, lambda_star=a.get('lambda_star', 0))
near('lambda* gives the impact', p.get('loss'), 1e-3, 1e-10)
near('impulse ratio', a.get('impact', {}).get('impulse_ratio'), a.get('impact', {}).get('restitution', 0), 1e-15)
check('no radius, no lambda*', 'lambda_star' not in design('azad-featherstone', k=1, mass=1, speed=1, restitution=0.5))
check('no lambda* of lee-wang', 'lambda_star' not in design('lee-wang', k=1, mass=1, radius=1, speed=1, restitution=0.5))
a, b = design('lee-wang', k=1e6, mass='1,3', speed=1, restitution=0.5), design('lee-wang', k=1e6, mass=0.75, speed=1, restitution=0.5)
near('two bodies', a.get('parameters', {}).get('lambda'), b.get('parameters', {}).get('lambda', 0), 1e-12)

# xiong: alpha/beta is the largest of 0.7, 0.5, 0.3, 0.1 that reaches e (ERRATA 002, item 12)
for e, ratio in ((0.95, 0.7), (0.9, 0.7), (0.7, 0.5), (0.5, 0.3), (0.3, 0.1), (0.23, 0.1)):
    a = design('xiong', mass=2, restitution=e, contact_time='8 ms')
    p = back(a, 'xiong', 2, 0.3)
    near(f'xiong, e = {e}', p['restitution'], e, 1e-11)
    near(f'xiong, e = {e}: time', p['contact_time'], 8e-3, 1e-11)
    found = a.get('parameters', {'alpha': 0, 'beta': 1})
    near(f'xiong, e = {e}: alpha/beta', found['alpha'] / found['beta'], ratio, 1e-12)
a = design('xiong', mass=2, loss=1e-4, contact_time='8 ms')
near('xiong, loss 1e-4', back(a, 'xiong', 2, 1)['loss'], 1e-4, 1e-9)
a = design('xiong', mass=2, restitution=1, contact_time='8 ms')
p = back(a, 'xiong', 2, 1)
check('xiong, e = 1', p['restitution'] == 1 and p['loss'] == 0 and p['energy_lost'] == 0, p)
near('xiong, e = 1: time', p['contact_time'], 8e-3, 1e-11)

# the shortest time and the stable steps: those of the oscillator at the maximum depth
a = design('linear', k=1e4, mass=1, speed=1, loss=1e-9)
s, step = a.get('stiffness', {}), a.get('stiffness', {}).get('stable_step', {})
near('frequency', s.get('frequency'), 100 / (2 * math.pi), 1e-9)
near('time scale', s.get('time_scale'), 0.01, 1e-8)
near('semi-implicit euler: 2/w', step.get('semi-implicit'), 0.02, 1e-8)
near('rk4: 2 sqrt(2)/w', step.get('rk4'), 2 * math.sqrt(2) / 100, 1e-3)
check('euler has next to none', 0 <= step.get('euler', 1) < 1e-9, step)
finish()
PYTHON

# the text output: parameters with units, the desired values, and the detachment rule
call design --normal azad-featherstone --k 8.5e6 --mass 154g --speed 1 --restitution 0.62
for pattern in '^ *k +8500000 N/m\^1\.5$' '^ *lambda +3103\.39[0-9]* N s/m\^1\.5$' '^ *detach +clamp$' '^ *restitution +0\.62 ' \
    '^ *contact time +0\.00237[0-9]* s$' '^ *max depth +0\.000728[0-9]* m$' '^ *max force +178\.[0-9]* N$' '^ *rk4 +[0-9.e-]+ s$'; do
    grep -qE "$pattern" out
    judge $? "design prints /$pattern/: $(cat out)"
done

# every command draws plots
call design --normal azad-featherstone --k 8.5e6 --mass 154g --speed 1 --restitution 0.62 --plot design.svg
[ $status -eq 0 ] && [ -s design.svg ]
judge $? "design --plot: $(told)"

finish
