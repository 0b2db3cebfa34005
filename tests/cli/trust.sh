#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Copyright the footfall authors
#
# --trust: digits of chaotic and of calm runs, the run itself unchanged, and what cannot be used with it
. "$(dirname "$0")/lib.bash"
export ROOT=$root
scene=$root/scenes/rolling.yaml

refuses "'--trust' of several files needs --json" run "$scene" "$scene" --trust
refuses "option '--trust' takes no value" run "$scene" --trust=1
refuses "unknown option '--trust'" check "$scene" --trust
refuses "not above 0" run "$scene" --trust --until 0
accepts run "$scene" --until 0.2 --trust
grep -qE '^trust: digits that agree with two repetitions \(tol 1e-10, auto; tol 1e-11, dop(853|ri5), steps up to [0-9.e-]+ s\)$' out &&
    grep -qE '^at least [0-9.]+ digits of every number agree$' out && ! grep -q 'fewer than' out
judge $? "the table of a calm run: $(tail -n 5 out)"
call run "$scene" --until 0.2 --trust --quiet
[ $status -eq 0 ] && [ ! -s out ]
judge $? "--quiet prints no table"

checks <<'PYTHON'
from lib import *
import re
import time
scenes = os.path.join(os.environ['ROOT'], 'scenes')
rolling = os.path.join(scenes, 'rolling.yaml')
pendulum = os.path.join(scenes, 'double_pendulum.yaml')

def trust(*args):
    return ask('run', *args, '--trust')['trust']

# --- the run itself, its trace and its report of everything else are the same, bit for bit
plain, with_trust = (json.loads(run('run', rolling, *more, '--json').stdout) for more in
                     (['-o', 'a.csv'], ['-o', 'b.csv', '--trust', '--checkpoint', 'c']))
t = with_trust.pop('trust')
for o in plain, with_trust:
    o.pop('wall_seconds')
check('the run is unchanged', plain == with_trust and 'trust' not in plain)
check('and its trace', open('a.csv').read() == open('b.csv').read())

# --- a ball that rolls
for path, f in t['fields'].items():
    check(f'digits of {path}', 8 <= f['digits'] <= 15.96 and f['few_from'] is None and f['none_from'] is None, f)
check('the fewest', t['digits'] == min(f['digits'] for f in t['fields'].values()) == t['fields'][t['least']]['digits'])
check('the run and its repetitions', [r['tol'] for r in t['runs']] == [1e-9, 1e-9/10, 1e-9/100] and
      [r['method'] for r in t['runs']] == ['auto', 'auto', 'dop853'] and t['runs'][0]['evaluations'] == plain['evaluations'] and
      t['runs'][2]['max_step'] > 0 and all(r['error'] is None and r['time'] == 1 for r in t['runs']), t['runs'])
again = trust(rolling)
for o in t, again:
    for r in o['runs']:
        r.pop('wall_seconds')
check('the same digits in every call', again == t)

# --- chaos: from about where independent runs part
def angle(tol, method):
    run('run', pendulum, '--until', 30, '--tol', tol, '--method', method, '--every', '10ms', '-o', 't.csv')
    rows = [line.split(',') for line in open('t.csv')]
    at = rows[0].index('elbow:angle')
    return [float(row[at]) for row in rows[1:] if row[0][0].isdigit()]
first = angle(1e-9, 'auto')
t = trust(pendulum, '--until', 30)
f = t['fields']['joints.elbow.position']
for tol, method in (3e-11, 'auto'), (1e-12, 'dop853'), (1e-12, 'dopri5'):
    other = angle(tol, method)
    parted = next(i*0.01 for i, (a, b) in enumerate(zip(first, other)) if abs(a - b) > 1e-3*max(1, max(abs(x - first[0]) for x in first[:i + 1])))
    # differences grow about threefold in a second: a factor of 5 in tolerance is 1.5 s
    check(f'from where runs part: {method} {tol}', abs(f['few_from'] - parted) < 1.5, (f, parted))
check('none of its digits', f['digits'] < 1 and f['few_from'] < f['none_from'] < 30, f)
r = run('run', pendulum, '--until', 30, '--trust')
line = re.search(r'^joints.elbow.position +(\S+) +(\S+) +(\S+) +(\S+)$', r.stdout, re.M)
check('the table', line and float(line[1]) < 1 and abs(float(line[3]) - f['few_from']) < 0.06 and abs(float(line[4]) - f['none_from']) < 0.06, r.stdout[-1500:])
check('and its last line', re.search(r'^\d+ of \d+ numbers have fewer than 3 digits; the first is \S+, after [\d.]+ s$', r.stdout, re.M), r.stdout[-200:])
check('at its own length it is determined', trust(pendulum)['digits'] > 9)

# --- fixed steps, crowds, inclusions, controllers
t = trust(pendulum, '--method', 'rk4', '--dt', '5ms')
check('fixed steps', [r['tol'] for r in t['runs']] == [None]*3 and [r['dt'] for r in t['runs'][:2]] == [5e-3, 2.5e-3] and
      t['runs'][2]['dt'] in (5e-3/3, 5e-3/4, 5e-3/5) and 3 < t['digits'] < 9, t['runs'])
t = trust(os.path.join(scenes, 'grains.yaml'), '--until', '0.02')
check('a crowd', t['fields']['bodies.balls[0].position']['digits'] > 5 and t['runs'][1]['steps'] == 2*t['runs'][0]['steps'], t['runs'])
t = ask('inclusion', os.path.join(os.environ['ROOT'], 'papers', 'xiong2013', 'contact3d.yaml'), '--trust')['trust']
check('an inclusion', t['digits'] > 8 and 'states.vz' in t['fields'] and 'ledger.slip' in t['fields'], t['digits'])
t = trust(os.path.join(scenes, 'hopper.yaml'), '--until', 2)
check('a controller', t['fields']['controllers.hop.hops']['digits'] > 15 and t['digits'] > 6, t['digits'])

# --- several files
o = json.loads(run('run', rolling, pendulum, '--trust', '--json').stdout)
check('several files', [r['trust']['digits'] > 7 for r in o['runs']] == [True, True])

# --- a run that fails is not repeated
r = run('run', rolling, '--set', 'run.max_steps=10', '--json', '--trust')
check('a run that fails', r.returncode == 1 and json.loads(r.stdout)['error'] and json.loads(r.stdout)['trust'] is None, r.stderr)
# --- a run that resumes is repeated from its start
r = run('run', rolling, '--max-steps', 100, '--trust', '--json', '--checkpoint', 'd')
o = json.loads(r.stdout)
check('a run that is ended', r.returncode == 1 and o['trust'] is None and o['error'] == '--max-steps' and '--trust --json --checkpoint d --resume d' in r.stderr, r.stderr)
o = ask('run', rolling, '--trust', '--resume', 'd', '--max-steps', 10**6, '--max-seconds', 1000)
for r in o['trust']['runs']:
    r.pop('wall_seconds')
check('and resumed', o['trust'] == again and o['bodies'] == plain['bodies'])

# --- repetitions that are ended are no result, but the run itself is done
for attempt in range(5):
    begin = time.monotonic()
    run('run', pendulum, '--until', '500', '--json')
    # run and repetitions take about eight times as long
    r = run('run', pendulum, '--until', '500', '--trust', '--json', '--max-seconds', 3*(time.monotonic() - begin))
    o = json.loads(r.stdout)
    if o['time'] == 500:
        break
check('ended by --max-seconds', r.returncode == 1 and o['trust'] is None and o['error'] == 'ended by --max-seconds while the run was repeated for --trust' and
      r.stderr == 'footfall run: at 500 s: ' + o['error'] + '\n', (r.stderr, o['error']))
for attempt in range(5):
    p = subprocess.Popen([FOOTFALL, 'run', pendulum, '--until', '500', '--trust', '--json', '--checkpoint', 'd'], text=True,
                         stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    line = p.stderr.readline()
    time.sleep(0.1)
    p.send_signal(2)
    out, err = p.communicate(timeout=60)
    o = json.loads(out)
    # the signal may come between the last step and the repetitions
    if o['error'] != 'interrupted':
        break
check('interrupted', p.returncode == 1 and line == 'wrote d: the run at 500 s\n' and o['time'] == 500 and o['trust'] is None and
      o['error'] == 'interrupted while the run was repeated for --trust' and
      err == 'footfall run: at 500 s: ' + o['error'] + '\n', (line, err))
finish()
PYTHON
finish
