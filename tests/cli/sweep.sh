#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Copyright the footfall authors
#
# Sweeps: the same numbers as single runs, tables, parts of a sweep, killed sweeps, pictures, error messages.
. "$(dirname "$0")/lib.bash"
export root
rolling=$root/scenes/rolling.yaml
mu='pairs[0].friction.mu'

checks <<'PYTHON'
from lib import *
import csv
import signal
import time
root = os.environ['root']
rolling, bounce = f'{root}/scenes/rolling.yaml', f'{root}/papers/xiong2013/bounce.yaml'
MU = 'pairs[0].friction.mu'

def sweep(*words, **more):
    return run('sweep', *words, **more)

# the same bits as a single run where lanes are not used; in lanes the same numbers within the tolerance, 1e-9
keep = ('--keep', 'x=end(bodies.ball.position[0])', '--keep', 'end(ledger.slip)', '--keep', 'impact(2, restitution)',
        '--keep', 'count(touchdown)')
grid = ('--vary', f'{MU}=0.05,0.1,0.3', '--vary', 'bodies.ball.velocity[1]=0.5,1')
lanes = ask('sweep', rolling, *grid, *keep)
s = ask('sweep', rolling, *grid, *keep, '--keep', 'end(bodies.ball.orientation[0])')
check('lanes', lanes['lanes'] > 0 and s['lanes'] == 0, (lanes['lanes'], s['lanes']))
for a, b in zip(lanes['rows'], s['rows']):
    check('lanes as single runs', all(abs(p - q) <= 1e-7 for p, q in zip(a['values'][2:5], b['values'][2:5])), (a, b))
check('columns', [c['name'] for c in s['columns']] == [MU, 'bodies.ball.velocity[1]', 'x', 'end(ledger.slip)',
                                                       'impact(2, restitution)', 'count(touchdown)',
                                                       'end(bodies.ball.orientation[0])'], s['columns'])
check('units', [c['unit'] for c in s['columns']] == ['1', 'm/s', 'm', 'kg m^2/s^2', '1', '1', '1'] or
      [c['unit'] for c in s['columns']][:3] == ['1', 'm/s', 'm'], s['columns'])
check('varied', [c['varied'] for c in s['columns']] == [True]*2 + [False]*5)
check('six runs, the last parameter first', [r['values'][:2] for r in s['rows']] ==
      [[m, v] for m in (0.05, 0.1, 0.3) for v in (0.5, 1)] and s['runs'] == 6 and s['failed'] == 0, s['rows'])
for row in s['rows'][1:5]:
    m, v, x, slip, restitution, touchdowns, _ = row['values']
    one = ask('run', rolling, '--set', f'{MU}={m!r}', '--set', f'bodies.ball.velocity[1]={v!r}')
    check('as a run: position', one['bodies']['ball']['position'][0] == x, (one['bodies'], x))
    check('as a run: ledger', one['ledger']['slip'] == slip)
    check('as a run: impact', one['impacts']['ball/floor']['each'][1]['restitution'] == restitution)
    check('as a run: events', sum(e['kind'] == 'touchdown' for e in one['events']) == touchdowns)

# the whole run in lanes: extrema, means and first times agree with those of single runs within the tolerance, 1e-9 of 240 N,
# 1 m, 1 m/s and 1 s, through ten impacts
whole = ('--keep', 'max(contacts.ball/floor.force)/240', '--keep', 'min(bodies.ball.position[2])', '--keep', 'mean(bodies.ball.velocity[0])',
         '--keep', 'first(t, bodies.ball.velocity[0] < 0.4)')
a, b = ask('sweep', rolling, *grid, *whole), ask('sweep', rolling, *grid, *whole, '--keep', 'end(bodies.ball.orientation[0])')
check('whole runs in lanes', a['lanes'] > 0 and b['lanes'] == 0 and b['alone'] == 'an orientation is kept', (a['alone'], b['alone']))
for p, q in zip(a['rows'], b['rows']):
    check('whole runs as single runs', all(abs(x - y) <= 1e-7 for x, y in zip(p['values'][2:], q['values'][2:6])), (p, q))
r = ask('sweep', rolling, *grid, *whole, '--set', 'run.method=rk4', '--set', 'run.dt=1e-4', '--set', 'run.events=none', '--until', '10ms')
check('whole runs with fixed steps: not in lanes', r['alone'].startswith('more is kept of fixed steps'), r['alone'])

# a ball that settles is released for less than a step: lanes find it at every tolerance (test_events.c)
with open('settles.yaml', 'w') as f:
    f.write('gravity: [0, 0, -9.81]\n'
            'bodies: {b: {mass: 0.1, shape: {sphere: {radius: 0.02}}, position: [0, 0, 0.089], velocity: [0, 0, 0]}}\n'
            'ground: {p: {plane: {normal: [0, 0, 1]}}}\n'
            'pairs: [{between: [b, p], normal: {law: linear, k: 84860.7, lambda: 78.8872}}]\n'
            'run: {until: 0.25}\n')
found = [ask('sweep', 'settles.yaml', '--vary', 'bodies.b.velocity[2]=-1.7:-1.5:41', '--keep', 'count(liftoff)', '--set', f'run.tol={tol}')
         for tol in ('1e-10', '1e-6', '1e-8')]
check('short releases in lanes', found[0]['lanes'] > 0 and all(s['rows'] == found[0]['rows'] for s in found),
      [[row['values'][1] for row in s['rows']] for s in found])

# several planes: lanes, except for runs that touch two at once, which are reported
open('corner.yaml', 'w').write("""
bodies: {ball: {mass: 30 g, shape: {sphere: {radius: 1 cm}}, position: [10 cm, 10 cm, 0], velocity: [-1, -1, 0]}}
ground: {a: {plane: {normal: [1, 0, 0]}}, b: {plane: {normal: [0, 1, 0]}}}
pairs: [{between: [ball, "*"], normal: {law: hertz, k: 1e8}}]
run: {until: 0.3 s}
""")
words = ('corner.yaml', '--vary', 'bodies.ball.velocity[0]=-1,-0.5,-0.2', '--keep', 'end(bodies.ball.velocity[0])')
s, r = ask('sweep', *words), sweep(*words)
check('two planes: lanes, one run alone', s['lanes'] > 0 and s['left_lanes'] == 1 and s['alone'] is None, s)
check('two planes: told', 'wide, except 1 of 3 runs, done one at a time' in r.stderr, r.stderr)
# without damping and gravity a wall turns the velocity around, within the tolerance; the slowest ball does not reach it
for row, want in zip(s['rows'], (1, 0.5, -0.2)):
    near('two planes: reflected', row['values'][1], want, 1e-7)

# a body of several spheres: in lanes with the bits of a run; a sweep in parts has the same table
open('crate.yaml', 'w').write("""
gravity: [0, 0, -9.81]
bodies: {crate: {mass: 1 kg, shape: {box: {size: [20 cm, 10 cm, 6 cm], corner_radius: 2 cm}}, position: [0, 0, 12 cm], omega: [1, 5, 2]}}
ground: {floor: {plane: {normal: [0, 0, 1]}}}
pairs:
  - between: [crate, floor]
    normal: {law: azad-featherstone, k: 8e6, lambda: 3e3}
    friction: {law: clutch, k: 1e6, damping: 300, mu: 0.3}
run: {until: 0.3 s}
""")
words = ('crate.yaml', '--vary', f'{MU}=0.1,0.2,0.4', '--keep', 'end(bodies.crate.orientation[1])', '--keep',
         'end(ledger.slip)', '--keep', 'count(touchdown)')
s = ask('sweep', *words)
check('several spheres: lanes', s['lanes'] > 0 and s['alone'] is None and s['left_lanes'] == 0, s)
for row in s['rows']:
    one = ask('run', 'crate.yaml', '--set', f'{MU}={row["values"][0]!r}')
    check('several spheres: as a run', row['values'][1:] == [one['bodies']['crate']['orientation'][1], one['ledger']['slip'],
          sum(e['kind'] == 'touchdown' for e in one['events'])] and row['values'][3] > 0, (row, one['ledger']))
for part in '1/2', '2/2':
    sweep(*words, '-o', 'crate.csv', '--shard', part)
sweep(*words, '-o', 'crate.csv', '--merge')
rows = list(csv.reader(open('crate.csv')))[1:]
check('several spheres: parts', [[float(x) for x in r[:4]] for r in rows] == [r['values'] for r in s['rows']], rows)

# an inclusion, through its file
s = ask('sweep', bounce, '--vary', 'parameters.alpha=0.002:0.01:3', '--vary', 'run.tol=1e-8', '--keep', 'end(states.p)')
for row in s['rows']:
    one = ask('run', bounce, '--set', f'parameters.alpha={row["values"][0]!r}', '--set', 'run.tol=1e-8')
    check('an inclusion as a run', one['states']['p'] == row['values'][2], (one['states'], row))

# options of a run
s = ask('sweep', rolling, '--vary', f'{MU}=0.1', '--keep', 'end(t)', '--until', '300ms', '--tol', '1e-6')
check('--until', s['rows'][0]['values'][1] == 0.3, s['rows'])

# an event ends a run: its numbers are those until then, and the run has not failed
s = ask('sweep', rolling, '--vary', f'{MU}=0.1,0.2', '--keep', 't=end(t)', '--keep', 'z=end(bodies.ball.velocity[2])', '--keep', 'n=count(touchdown)',
        '--stop', 'touchdown ball/floor 2', '--stop', 'liftoff 5')
for m, t, z, n in (row['values'] for row in s['rows']):
    one = ask('run', rolling, '--set', f'{MU}={m!r}')
    times = [e['t'] for e in one['events'] if e['kind'] == 'touchdown']
    near('--stop: the run ends at the event', t, times[1], 1e-12)
    check('--stop: as many events as until then, falling', n == 2 and z < 0, (n, z))
check('--stop: not in lanes', s['lanes'] == 0 and 'an event ends a run' in s['alone'], s['alone'])

# a failing run is a row, and the status is 1
r = sweep(rolling, '--vary', f'{MU}=0.1,-1,0.2', '--keep', 'end(t)', '-o', 'failed.csv')
check('a failed run: exit 1, told', r.returncode == 1 and '1 of 3 runs failed; the first, row 2: mu of clutch is -1' in r.stderr, r.stderr)
rows = list(csv.reader(open('failed.csv')))
check('a failed run: CSV', rows[0] == [MU, 'end(t)', 'failed'] and rows[1][1:] == ['1', ''] and
      rows[2][1] == '' and 'mu of clutch' in rows[2][2] and rows[3][1:] == ['1', ''], rows)
check('records are removed', not os.path.exists('failed.csv.part'))

# the same file for any number of threads and parts, and the printed table
base = [rolling, '--vary', f'{MU}=uniform(-0.02, 0.5)', '--vary', 'bodies.ball.mass=normal(154 g, 5 g)', '--samples', '60',
        '--points', 'sobol', '--seed', '3', '--keep', 'end(bodies.ball.velocity[0])', '--keep', 'max(contacts.ball/floor.force)', '-q']
def same(a, b):
    return open(a, 'rb').read() == open(b, 'rb').read()
suffixes = ['csv', 'h5'] if sweep(rolling, '--vary', f'{MU}=1', '--keep', 'end(t)', '-o', 'probe.h5', '-q').returncode == 0 else ['csv']
for kind in suffixes:
    sweep(*base, '-o', f'one.{kind}', '--threads', '1')
    sweep(*base, '-o', f'four.{kind}', '--threads', '4')
    check(f'{kind}: one thread and four', same(f'one.{kind}', f'four.{kind}'))
    for i in (2, 3, 1):
        r = sweep(*base, '-o', f'parts.{kind}', '--shard', f'{i}/3')
    r = sweep(*base, '-o', f'parts.{kind}', '--merge')
    check(f'{kind}: parts', same(f'one.{kind}', f'parts.{kind}'), r.stderr)
    os.remove(f'parts.{kind}.part2-3')
    r = sweep(*base, '-o', f'less.{kind}', '--merge')
    check(f'{kind}: parts are missing', r.returncode == 2 and '60 of 60 runs are not in' in r.stderr, r.stderr)
    r = sweep(*base, '-o', f'parts.{kind}', '--merge')
    check(f'{kind}: a part is missing', r.returncode == 2 and '20 of 60 runs are not in' in r.stderr, r.stderr)
    r = sweep(*base, '-o', f'parts.{kind}')
    check(f'{kind}: what is missing is run', same(f'one.{kind}', f'parts.{kind}'), r.stderr)
    r = sweep(*base, '--stop', 'liftoff', '-o', f'parts.{kind}')
    check(f'{kind}: records of a sweep without --stop', r.returncode == 2 and 'another sweep' in r.stderr, r.stderr)
    r = sweep(*base, '--until', '0.5', '-o', f'parts.{kind}')
    check(f'{kind}: records of another sweep', r.returncode == 2 and 'another sweep' in r.stderr, r.stderr)

# kill -9 at any moment, also within a record: the same command resumes, and the file equals that of an undisturbed sweep
began = time.monotonic()
# single runs: lanes would be done before anything is killed
alone = ['--set', 'run.max_step=50ms']
sweep(rolling, *alone, '--vary', f'{MU}=0.05:0.5:50', '--keep', 'max(contacts.ball/floor.force)', '--threads', '2', '-q')
# about three seconds, whatever the machine and the sanitizers
count = min(2000, max(50, int(150/(time.monotonic() - began))))
long = [rolling, *alone, '--vary', f'{MU}=0.05:0.5:{count}', '--keep', 'end(bodies.ball.velocity[0])', '--keep', 'max(contacts.ball/floor.force)',
        '--threads', '2', '-q']
for kind in suffixes:
    sweep(*long, '-o', f'whole.{kind}')
    part, kills = f'killed.{kind}.part', 0
    for turn in range(4 if kind == 'csv' else 1):
        process = subprocess.Popen([FOOTFALL, 'sweep', *long, '-o', f'killed.{kind}'])
        until = time.monotonic() + 20
        # records are written every second
        size = os.path.getsize(part) if os.path.exists(part) else 0
        while process.poll() is None and time.monotonic() < until and not (os.path.exists(part) and os.path.getsize(part) > max(size, 64)):
            time.sleep(0.002)
        if process.poll() is None:
            process.send_signal(signal.SIGKILL)
            kills += 1
        process.wait()
        if not os.path.exists(part):
            break
        # as if it had been killed during a write
        with open(part, 'r+b') as f:
            f.truncate(max(0, os.path.getsize(part) - 13*(turn % 3)))
    r = sweep(*long, '-o', f'killed.{kind}')
    check(f'{kind}: killed {kills} times and resumed', same(f'whole.{kind}', f'killed.{kind}'), r.stderr)
# SIGINT ends it properly
process = subprocess.Popen([FOOTFALL, 'sweep', *long, '-o', 'stopped.csv'], stderr=subprocess.PIPE, text=True)
time.sleep(0.3)
process.send_signal(signal.SIGINT)
_, stderr = process.communicate()
if process.returncode:
    check('interrupted', process.returncode == 1 and 'interrupted; the same command resumes' in stderr, stderr)
    check('interrupted: runs are kept', os.path.getsize('stopped.csv.part') > 64)
sweep(*long, '-o', 'stopped.csv')
check('interrupted and resumed', same('whole.csv', 'stopped.csv'))

# pictures
r = sweep(rolling, '--vary', f'{MU}=0.05:0.5:10', '--vary', 'bodies.ball.velocity[1]=0.5,1', '--keep', 'peak=max(contacts.ball/floor.force)',
          '--keep', 'end(ledger.slip)', '--plot', 'pictures')
if 'needs gnuplot' not in r.stderr:
    check('pictures', r.returncode == 0 and sorted(os.listdir('pictures')) == ['end-ledger-slip.svg', 'peak.svg'], r.stderr)
    text = open('pictures/peak.svg').read()
    check('a curve for each value of the other parameter', 'velocity[1] 0.5' in text and 'velocity[1] 1' in text)
    r = sweep(rolling, '--vary', f'{MU}=0.1:0.2:2', '--vary', 'bodies.ball.velocity[1]=0:1:20', '--keep', 'end(t)', '--until', '1ms', '--plot', 'pictures')
    check('curves that do not fit are told', 'the first 12 of 20 curves' in r.stderr, r.stderr)
    r = sweep(rolling, '--vary', f'{MU}=uniform(0.1, 0.2)', '--samples', '5', '--keep', 'end(t)', '--until', '1ms', '--plot', 'dots')
    check('samples', r.returncode == 0 and os.listdir('dots') == ['end-t.svg'], r.stderr)

# the table as text
r = sweep(rolling, '--vary', f'{MU}=0.1,0.2', '--keep', 'speed=end(bodies.ball.velocity[0])')
check('table', r.returncode == 0 and r.stdout.splitlines()[0].split() == [MU, 'speed'] and len(r.stdout.splitlines()) == 4, r.stdout)
r = sweep(rolling, '--vary', f'{MU}=0.1,0.2', '--keep', 'speed=end(bodies.ball.velocity[0])', '-o', 'two.csv')
check('with a file, the range of each', 'wrote two.csv: 2 runs' in r.stderr and r.stdout.splitlines()[0].split() == ['least', 'mean', 'most', 'unit'], r.stdout)

# fifty values with a picture: CPU time, because the machine may be shared
before = os.times()
sweep(rolling, '--vary', f'{MU}=0.05:0.5:50', '--keep', 'end(bodies.ball.velocity[0])', '--plot', 'fifty', '-q')
used = os.times().children_user + os.times().children_system - before.children_user - before.children_system
check('fifty values and a picture in less than a second', used < 1 or 'sanitize' in FOOTFALL, used)

# studies: that of a paper, alone and by `papers`; one with a failing claim
study = f'{root}/papers/marhefka1996/study.yaml'
r = sweep(study, '-o', 'study')
claims = json.loads(sweep(study, '--json').stdout)
check('a study: a parameter that a rival law does not use is a warning', 'warning: ' in r.stderr and 'is not used (1 run, the first in row 1)' in r.stderr, r.stderr)
check('a study: exit 0', r.returncode == 0, r.stderr)
check('a study: 54 claims', len(claims['claims']) == 54 and claims['failed'] == 0, claims.get('failed'))
check('a study: one is not reproduced', [c['status'] for c in claims['claims']].count('not reproduced') == 1)
check('a study: tables', os.path.exists('study/foot_course.csv') and len(list(csv.reader(open('study/known4.csv')))) == 5)
check('a study: figures', 'gnuplot' in r.stderr or os.path.exists('study/fig8-force.svg'), r.stderr)
with open('own.yaml', 'w') as f:
    f.write(f'tables: {{a: {{run: {rolling}, vary: {{"{MU}": [0.1, 0.2]}}, set: {{run.until: 0.2 s}}, keep: {{t: end(t)}}}}}}\n'
            'claims:\n  - {where: here, quantity: end, unit: s, value: end(a.t), near: 0.2}\n'
            '  - {where: there, quantity: end, value: end(a.t), at_least: 0.3}\n')
r = sweep('own.yaml')
check('a claim that fails: exit 1', r.returncode == 1 and '1 of 2 claims do not hold' in r.stderr, r.stderr)
check('a claim that fails is told', [l.split()[-1] for l in r.stdout.splitlines()[1:]] == ['holds', 'fails'], r.stdout)

# a study that was killed resumes its runs, with the same result
long_study = f'tables: {{a: {{run: {rolling}, set: {{run.max_step: 50 ms}}, vary: {{"{MU}": "0.05:0.5:{count}"}}, keep: {{f: max(contacts.ball/floor.force)}}}}}}\n'
with open('long.yaml', 'w') as f:
    f.write(long_study)
sweep('long.yaml', '-o', 'long_whole', '-q')
process = subprocess.Popen([FOOTFALL, 'sweep', 'long.yaml', '-o', 'long_killed', '-q'])
until = time.monotonic() + 20
while process.poll() is None and time.monotonic() < until and not (os.path.exists('long_killed/a.part') and os.path.getsize('long_killed/a.part') > 64):
    time.sleep(0.002)
process.send_signal(signal.SIGKILL)
process.wait()
had = os.path.exists('long_killed/a.part')
r = sweep('long.yaml', '-o', 'long_killed', '-q')
check('a killed study resumes', r.returncode == 0 and same('long_whole/a.csv', 'long_killed/a.csv'), r.stderr)
check('a killed study: records were kept, and are removed', had and not os.path.exists('long_killed/a.part'))
process = subprocess.Popen([FOOTFALL, 'sweep', 'long.yaml', '-o', 'long_stopped', '-q'], stderr=subprocess.PIPE, text=True)
time.sleep(0.3)
process.send_signal(signal.SIGINT)
_, stderr = process.communicate()
if process.returncode:
    check('an interrupted study', process.returncode == 1 and 'interrupted; the same command resumes' in stderr, stderr)

# error messages
for status, pattern, words in (
        (2, 'is for sweeps with --vary', ['own.yaml', '--until', '1']),
        (2, 'its name must end in .html', ['own.yaml', '--report', 'x.htm']),
        (2, 'nothing is varied', [rolling, '--keep', 'end(t)']),
        (2, 'nothing is kept', [rolling, '--vary', f'{MU}=1']),
        (2, 'is not I/N', [rolling, '--vary', f'{MU}=1', '--keep', 'end(t)', '-o', 'x.csv', '--shard', '0/3']),
        (2, 'is not I/N', [rolling, '--vary', f'{MU}=1', '--keep', 'end(t)', '-o', 'x.csv', '--shard', '4/3']),
        (2, 'is not I/N', [rolling, '--vary', f'{MU}=1', '--keep', 'end(t)', '-o', 'x.csv', '--shard', '1/3x']),
        (2, 'needs -o OUT', [rolling, '--vary', f'{MU}=1', '--keep', 'end(t)', '--shard', '1/3']),
        (2, 'needs -o OUT', [rolling, '--vary', f'{MU}=1', '--keep', 'end(t)', '--merge']),
        (2, 'for all parts together', [rolling, '--vary', f'{MU}=1', '--keep', 'end(t)', '-o', 'x.csv', '--merge', '--shard', '1/3']),
        (2, "written as .csv or .h5", [rolling, '--vary', f'{MU}=1', '--keep', 'end(t)', '-o', 'x.txt']),
        (2, 'its name must end in .html', [rolling, '--vary', f'{MU}=1', '--keep', 'end(t)', '--report', 'x.htm']),
        (2, 'for all parts together', [rolling, '--vary', f'{MU}=1', '--keep', 'end(t)', '-o', 'x.csv', '--report', 'x.html', '--shard', '1/3']),
        (2, "did you mean 'sobol'", [rolling, '--vary', f'{MU}=1', '--keep', 'end(t)', '--points', 'sobl']),
        (2, 'how many samples', [rolling, '--vary', f'{MU}=uniform(0, 1)', '--keep', 'end(t)']),
        (2, "--stop touchdwn: there is no event 'touchdwn'", [rolling, '--vary', f'{MU}=1', '--keep', 'end(t)', '--stop', 'touchdwn']),
        (2, 'at most 4 are possible', [rolling, '--vary', f'{MU}=1', '--keep', 'end(t)', *['--stop', 'liftoff']*5]),
        (2, 'No such file', ['nothing.yaml', '--vary', f'{MU}=1', '--keep', 'end(t)']),
        (2, 'unknown method', [rolling, '--vary', f'{MU}=1', '--keep', 'end(t)', '--method', 'rk5']),
        (2, "did you mean 'friction'", [rolling, '--vary', 'pairs[0].fricton.mu=1', '--keep', 'end(t)']),
        (2, "did you mean 'contacts.ball/floor.force'", [rolling, '--vary', f'{MU}=1', '--keep', 'max(contacts.ball/flor.force)']),
        (1, 'No such file', [rolling, '--vary', f'{MU}=1', '--keep', 'end(t)', '-o', 'nowhere/x.csv'])):
    r = sweep(*words)
    check(f'{pattern}: exit {status}', r.returncode == status and pattern in r.stderr and r.stdout == '' and
          len(r.stderr.splitlines()) == 1, f'{r.returncode} {r.stderr}')
finish()
PYTHON
finish
