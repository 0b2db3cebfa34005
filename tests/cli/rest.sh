#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Copyright the footfall authors
#
# Scenes that start at rest: the equilibrium in the output of check and run, as text and JSON; settings and checkpoints
# keep it; reasons for a missing equilibrium.
. "$(dirname "$0")/lib.bash"
export root

checks <<'PYTHON'
from lib import *
root = os.environ['root']
scene = lambda name: f'{root}/scenes/{name}.yaml'
KEYS = {'iterations', 'acceleration', 'moved', 'moved_body', 'turned', 'velocity_dropped', 'carrying', 'growth'}
REST = ('--set', 'start=rest')
feet = [f'{leg}_shank/floor' for leg in ('fl', 'fr', 'hl', 'hr')]

def still(name, o, most=1e-9):
    speed = max(abs(v) for b in o['bodies'].values() for v in b['velocity'] + b['omega'])
    check(f'{name}: stays', speed < most and o['events'] == [] and o['time'] == 1, speed)

# equilibria found
c = ask('check', scene('quadruped'), *REST)['rest']
o = ask('run', scene('quadruped'), *REST, '--tol', 1e-9, '--until', 1)
check('keys', set(c) == KEYS and c == o['rest'], c)
check('feet', c['carrying'] == feet, c['carrying'])
check('dropped', c['velocity_dropped'] == 0.3 and 0.02 < c['moved'] < 0.03 and c['growth'] is None, c)
still('quadruped', o)
still('grasp', ask('run', scene('grasp'), '--until', 1))
# the chain is written level: that it hangs far from there is told
r = run('run', scene('chain'), *REST, '--until', 1, '--json')
chain = json.loads(r.stdout)
check('the chain moved and turned', [w['kind'] for w in chain['warnings']] == ['rest', 'rest'] and 'start: rest turned body' in r.stderr, r.stderr)
still('chain', chain)
check('written', ask('run', scene('chain'), '--until', '1 ms')['rest'] is None)
text = run('check', scene('quadruped'), *REST).stdout
check('words', 'start at rest: ' in text and 'carried by ' + ', '.join(feet) in text
      and 'initial velocities of up to 0.3 m/s were set to 0' in text, text)
check('words of run', 'start at rest: ' in run('run', scene('grasp'), '--until', '1 ms').stdout)
text = run('check', scene('pendulum'), *REST).stdout
check('no contact', 'start at rest: ' in text and 'carried by' not in text and 'unstable' not in text, text)

# friction laws with a spring hold the ball, those without creep
for law in ('lugre, mu: 0.6, k: 850, damping: 4', 'dahl, mu: 0.6, k: 850', 'sat, mu: 0.6, k: 7300, beta: 5 ms'):
    still(law, ask('run', scene('grasp'), '--set', 'pairs[0].friction={law: ' + law + '}', '--until', 1))
for settings, says in (
        (('pairs[0].friction={law: coulomb, mu: 0.6, v_ramp: 1e-3}',), "friction law 'coulomb' of contact"),
        (('pairs[0].friction.mu=0.05',), 'slips: friction carries at most 0.05 of its load'),
        (('bodies.left.position[0]=-0.2', 'bodies.ball.position[2]=-0.2'), "nothing holds body 'ball' in direction z")):
    for command in 'run', 'check':
        r = run(command, scene('grasp'), *(a for s in settings for a in ('--set', s)))
        check(f'{command}: {says}', r.returncode == 2 and r.stdout == '' and 'start: rest: ' in r.stderr and says in r.stderr,
              (r.returncode, r.stderr))

# motors by expressions: the equilibrium of pd, and with integrators all joints at their targets
motors = [(leg + j, target) for leg in ('fl', 'fr', 'hl', 'hr') for j, target in (('_a', 0), ('_h', 0.7), ('_k', -1.4))]
pd = lambda j, target: f'150 N m*({target} - {j}.position) - 3 N m s*{j}.rate'
forces = lambda more, every='': '{' + ', '.join(
    f'{j}m: {{joint: {j}, effort: "{pd(j, target)}{more(j)}"{every}}}' for j, target in motors) + '}'
pi = '{pi: {states: {' + ', '.join(f'{j}: 0 s' for j, _ in motors) + '}, rates: {' + ', '.join(
    f'{j}: "{target} - {j}.position"' for j, target in motors) + '}}}'
stand = ask('run', scene('quadruped_stand'), '--until', 1)
for name, more in (('expressions', ('--set', 'forces=' + forces(lambda j: ''))),
                   ('samples', ('--set', 'forces=' + forces(lambda j: '', ', every: 1 ms'))),
                   ('integrators', ('--set', 'controllers=' + pi, '--set', 'forces=' + forces(lambda j: f' + 400 N m/s*pi.{j}')))):
    o = ask('run', scene('quadruped_stand'), *more, '--until', 1)
    still('quadruped under ' + name, o)
    off = max(abs(o['joints'][j]['position'][0] - (target if name == 'integrators' else stand['joints'][j]['position'][0]))
              for j, target in motors)
    check('angles under ' + name, off < 1e-11, off)

# forces that depend on t have no equilibrium
pushed = '{push: {body: ball, force: ["1e-3 N*sin(t*1 rad/s)", 0, 0]}}'
for command in 'run', 'check':
    for name, more in ('rolling', ('--set', 'forces=' + pushed)), ('quadruped_trot', ()):
        r = run(command, scene(name), *REST, *more)
        check(f'{command} {name}: by time', r.returncode == 2 and 'depends on t, so there is no equilibrium' in r.stderr,
              (r.returncode, r.stderr))

# a checkpoint resumes the run
a = ask('run', scene('grasp'), '--until', 1)
run('run', scene('grasp'), '--until', 0.4, '--checkpoint', 'g.save')
b = ask('run', scene('grasp'), '--until', 1, '--resume', 'g.save')
check('resumed', abs(a['ledger']['initial'] - b['ledger']['initial']) == 0 and b['time'] == 1)
still('resumed', b)
finish()
PYTHON
finish
