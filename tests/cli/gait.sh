#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Copyright the footfall authors
#
# Gaits: the walking biped compared with independently computed values, sweeps, walkers that fall, and error messages.
. "$(dirname "$0")/lib.bash"
export root

checks <<'PYTHON'
from lib import *
root = os.environ['root']
biped = f'{root}/scenes/biped.yaml'
# a tolerance that gives about 2e-7, affordable with sanitizers
LOOSE = ('--tol', '1e-7')

o = ask('gait', biped, *LOOSE)
near('period', o['period'], 0.44083487803530497, 1e-6)
near('step length', o['step_length'], 0.17922696368496654, 1e-6)
near('speed', o['speed'], 0.4065625761821252, 2e-6)
check('stable', o['stable'] is True)
check('six multipliers of two numbers', [len(m) for m in o['multipliers']] == [2]*6, o['multipliers'])
moduli = [math.hypot(*m) for m in o['multipliers']]
check('the largest first', moduli == sorted(moduli, reverse=True) and moduli[0] == o['largest_multiplier'], moduli)
# the reference has 0.46, 0.46 and 0.41, from coarser differences
for seen, wanted in zip(moduli, (0.4598827, 0.4598827, 0.4149781)):
    check('modulus of a multiplier', abs(seen - wanted) < 0.007, seen)
# converged values, with the digits of tests/test_gait.c: the reported error bounds each, without a large overestimate
for seen, wanted in zip(o['multipliers'][::2], (0.35314 + 0.29016j, 0.42062)):
    off = abs(complex(*seen) - wanted)
    check('error of multipliers', off < o['multiplier_error'] + 1e-5 and 0 < o['multiplier_error'] < 5e-3, (off, o['multiplier_error']))
at = o['fixed_point']
for key, wanted in {'plane.way1': 0, 'plane.way2': 0.3951580090413718, 'plane.angle': 0.24705154352654135, 'plane.rate': 0,
                    'plane.speed1': 0.4948661365416676, 'plane.speed2': 0.06420708162876296,
                    'hip.angle': -0.24705154352654135 - 0.1662791636235913, 'hip.rate': 1.25093267351408}.items():
    check(f'fixed point: {key}', abs(at[key] - wanted) < 1e-6, at[key])
check('fixed point: nothing else', len(at) == 8, list(at))
near('touch-down', o['touchdown'][0], 0.3955266472555074, 1e-6)
check('touch-down, lift-off, clear', [(e['kind'], e['pair']) for e in o['events']] ==
      [('touchdown', 'leg1/floor'), ('liftoff', 'leg2/floor'), ('clear', 'leg2/floor')], o['events'])
near('front extreme of the leg', o['range']['plane.angle'][0], -0.28015057079743905, 1e-6)
near('rear extreme of the leg', o['range']['plane.angle'][1], 0.24705154352654135, 1e-6)
near('energy from gravity', -o['energy']['gravity'], 0.07025228606019766, 2e-6)
near('lost in normal contact', o['energy']['normal_damper'] + o['energy']['normal_spring'], 0.06966765945671541, 1e-5)
near('lost in friction', sum(o['energy'][k] for k in ('slip', 'viscous', 'tangential_damper', 'tangential_spring')),
     0.0005846265993464293, 1e-4)
check('residual of the energy', abs(o['energy']['residual']) < 1e-6, o['energy']['residual'])
# at the ends of steps, as in the reference
foot = o['contacts']['leg1/floor']
near('greatest depth', foot['max_depth'], 0.0004283726479750588, 1e-5)
near('greatest force', foot['max_force'], 308.7900503175704, 1e-4)
check('residual', o['residual'] < 1e-5 and o['iterations'] > 0 and o['steps_walked'] > 10, o['residual'])
check('three steps before', [len(o['walk']), o['walk'][0]['change'] > o['walk'][2]['change']] == [3, True], o['walk'])

# slopes, from the paper's start: the period of the twelfth step there, which is close to that of the cycle
# The file is read once for all of them: this one cannot be read a second time.
import threading
once = 'once.yaml'
os.mkfifo(once)
threading.Thread(target=lambda: open(once, 'w').write(open(biped).read()), daemon=True).start()
s = ask('gait', once, '--tol', '1e-6', '--sweep', 'parameters.slope=0.02,0.0225')
check('sweep', s['sweep'] == 'parameters.slope' and [p['value'] for p in s['points']] == [0.02, 0.0225], s['sweep'])
near('sweep: the same as alone', s['points'][0]['period'], o['period'], 5e-6)
near('sweep: 0.0225', s['points'][1]['period'], 0.44222730234682506, 1e-4)
check('sweep: stable', all(p['stable'] for p in s['points']))
one = ask('gait', biped, '--tol', '1e-6', '--set', 'parameters.slope=0.0225')
near('sweep: the same from the start', s['points'][1]['period'], one['period'], 1e-6)
near('sweep: its length', s['points'][1]['step_length'], one['step_length'], 1e-6)

# the branch of gaits over slopes where a walker falls from the scene's start
b = ask('gait', biped, '--tol', '1e-7', '--continue', 'parameters.slope=0.02:0.06:3')
values = [p['value'] for p in b['points']]
check('continue', b['continue'] == 'parameters.slope' and b['error'] is None and values[0] == 0.02 and values[-1] == 0.06, values)
check('continue: upwards', values == sorted(values) and max(y - x for x, y in zip(values, values[1:])) < 0.04/2 + 1e-9, values)
check('continue: stable', all(p['stable'] and not p['turning_point'] for p in b['points']))
check('continue: fixed points', set(b['points'][0]['fixed_point']) == set(o['fixed_point']))
# some starts lead to the stable gait of a slope, some to the other one, some to none
n = ask('gait', biped, '--tol', '1e-7', '--steps', '0', '--set', 'parameters.slope=0.04', '--starts', 'joints.hip.revolute.rate=1.2,1.8',
        '--starts', 'joints.hip.revolute.angle=-0.42,-0.48,-0.54')
check('starts: two gaits', len(n['gaits']) == 2 and sorted(g['stable'] for g in n['gaits']) == [False, True], n)
seen = [v for g in n['gaits'] for v in g['starts']] + [f['values'] for f in n['failed']]
check('starts: each once', sorted(seen) == sorted([r, a] for r in (1.2, 1.8) for a in (-0.42, -0.48, -0.54)), seen)
check('starts: keys', n['starts'] == ['joints.hip.revolute.rate', 'joints.hip.revolute.angle'], n['starts'])
check('starts: those without a gait say why', all(f['error'] for f in n['failed']))
g = ask('check', biped)['gait']
check('check tells the gait', g == {'body': 'leg1', 'section': 'turning', 'axis': [0, 1, 0], 'swap': [['leg1', 'leg2']], 'turn': [],
                                    'reflect': [0, 0, 0], 'direction': [1, 0, 0], 'limit': 1.2, 'lowest': 0.25}, g)
# a wheel of eight spokes: a step is the distance of two of them, and the multiplier of the rigid wheel is eta^2;
# compliance adds 6e-4, whose limit to 0 is tested in tests/test_gait.c
wheel = f'{root}/scenes/rimless_wheel.yaml'
eta = (0.15 + 0.5*math.cos(math.pi/4))/0.65
w = ask('gait', wheel, *LOOSE)
near('rimless wheel: step', w['step_length'], math.sin(math.pi/8), 1e-5)
near('rimless wheel: multiplier', w['largest_multiplier'], eta**2, 2e-3)
turn = ask('check', wheel)['gait']['turn']
check('check tells the turn', [t['body'] for t in turn] == ['wheel'] and abs(turn[0]['by'][1] - math.pi/4) < 1e-15, turn)
check('check: no gait', ask('check', f'{root}/scenes/rolling.yaml')['gait'] is None)
finish()
PYTHON

scene=$root/scenes/biped.yaml
accepts gait "$scene" --tol 1e-6 --steps 1
for words in '^period  0.44083' '^stable: the largest multiplier' '^plane  *angle' 'touchdown leg1/floor' '^energy of a step'; do
    grep -qE -e "$words" out
    judge $? "gait says /$words/"
done
accepts gait "$scene" --tol 1e-6 --sweep parameters.slope=0.02,0.2
grep -qE '^ *0.02 .* stable' out && grep -qE '^ *0.2 .* it falls' out
judge $? "a sweep tells what falls: $(cat out)"
expect 1 'after [0-9] steps? and .* s: it falls: its centre of mass is lower than 0.25 m' gait "$scene" --tol 1e-6 --set parameters.slope=0.05 --steps 9
expect 1 'after 0 steps and 0 s: no step begins within 0.1 s' gait "$scene" --tol 1e-6 --set gait.limit=0.1
refuses 'rolling.yaml: the scene does not say what a step is: add gait:' gait "$root/scenes/rolling.yaml"
refuses "a gait needs a method that keeps to a tolerance, and 'rk4'" gait "$scene" --method rk4
accepts check "$root/scenes/rimless_wheel.yaml"
grep -q '^  turn         wheel by \[0, 0.785398, 0\] rad' out
judge $? "check says what has turned"
expect 1 'a step that was tried needs more than .* steps of integration, 30 times' gait "$root/scenes/rimless_wheel.yaml" --tol 1e-6 --set parameters.slope=-0.08
refuses '64 images do not lead back to the walker' gait "$root/scenes/rimless_wheel.yaml" --tol 1e-6 --set 'gait.turn[0].by=[0, 0.78, 0]'
accepts check "$scene"
grep -q 'a step begins where leg1, turning about \[0, 1, 0\], comes to rest' out
judge $? "check says what a step is"
expect_lines=$(call gait "$scene" --json --sweep run.tol=1e-6,2; echo "$status $(wc -c <out) $(head -c 60 err)")
[[ $expect_lines == '2 0 --set run.tol=2'* ]]
judge $? "a sweep over a value that cannot be: $expect_lines"
accepts gait "$scene" --tol 1e-7 --continue parameters.slope=0.02:0.022:2
grep -qE '^ *0.022 .* stable' out
judge $? "a branch as a table: $(cat out)"
call gait "$scene" --tol 1e-7 --continue bodies.leg1.mass=1:1.2:3
[[ $status == 1 ]] && grep -q 'the branch ends near 1.*: image 1 of the gait is no motion of this walker' err && grep -qE '^ +1 .* stable' out
judge $? "what was found of a branch is printed: $status $(cat out err)"
refuses "a branch needs PATH=FROM:TO:N" gait "$scene" --continue parameters.slope=0.02
refuses "a branch needs PATH=FROM:TO:N" gait "$scene" --continue parameters.slope=0.02:0.03:5log
refuses "a branch needs PATH=FROM:TO:N" gait "$scene" --continue parameters.slope=0.02,0.05,0.03
refuses "'slope' is not PATH=VALUES" gait "$scene" --continue slope
call gait "$scene" --continue parameters.slip=0.02:0.03:2
[[ $status == 2 && ! -s out ]] && grep -q "there is no 'slip' in parameters" err
judge $? "a branch over nothing: $status $(cat err)"
accepts gait "$scene" --tol 1e-6 --starts joints.hip.revolute.rate=1.2,1.3 --starts gait.limit=1.2,0.1
grep -qE '^2 starts of 4 lead to no gait; the first: joints.hip.revolute.rate=1.2 gait.limit=0.1: after 0 steps' out
judge $? "starts without a gait: $(cat out)"
call gait "$scene" --starts gait.limit=0.1
[[ $status == 1 ]] && grep -q 'no start leads to a gait' err && grep -q '^1 start of 1 leads to no gait' out
judge $? "no start leads to a gait: $status $(cat out err)"
refuses "'x' is not PATH=VALUES" gait "$scene" --starts x
refuses "options '--sweep', '--continue' and '--starts' exclude each other" gait "$scene" --sweep parameters.slope=0.02,0.03 --continue parameters.slope=0.02:0.03:2
refuses "'slope' is not PATH=VALUES" gait "$scene" --sweep slope
refuses "option '--sweep': 'x' is not a number" gait "$scene" --sweep parameters.slope=x
refuses "option '--steps': 1.5 is not a whole number" gait "$scene" --steps 1.5
refuses "unknown option '--until'" gait "$scene" --until 1
refuses "too few arguments" gait
finish
