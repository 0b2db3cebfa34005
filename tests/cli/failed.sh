#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Copyright the footfall authors
#
# failures never exit with 0: runs whose ledger does not close, and runs with numbers that are not finite
. "$(dirname "$0")/lib.bash"
export ROOT=$root

checks <<'PYTHON'
import csv
from lib import *
root = os.environ['ROOT']

def write(name, text):
    open(name, 'w').write(text)
    return name

def strict(text):
    """a JSON object without NaN and Infinity"""
    try:
        return json.loads(text, object_pairs_hook=unique, parse_constant=lambda word: math.nan / 0)
    except (ValueError, ZeroDivisionError):
        check('JSON', False, text[:200])
        return {}

def fails(what, pattern, *args):
    """exit 1, one line that says why, in JSON as well; all keys of a run that went well are there"""
    r = run(*args, '--json')
    o = strict(r.stdout)
    lines = [line for line in r.stderr.splitlines() if not line.startswith(('wrote ', 'footfall run: warning: '))]
    check(what, r.returncode == 1 and len(lines) == 1 and pattern in lines[0] and o.get('error') and o['error'] in lines[0],
          f'exit {r.returncode}, {r.stderr!r}')
    text = run(*args)
    check(f'{what}: as text', text.returncode == 1 and 'residual' in text.stdout and pattern in text.stderr, text.stderr)
    return o

scene = '''bodies:
  ball: {mass: 154 g, shape: {sphere: {radius: 1.65 cm}}, position: [0, 0, 2 cm], velocity: [0.5, 0.5, 0]}
ground: {floor: {plane: {normal: [0, 0, 1]}}}
pairs:
  - between: [ball, floor]
    normal: {law: azad-featherstone, k: 8.5e6, lambda: %s}
    friction: {law: clutch, k: %s, damping: %s, mu: 0.2}
run: {until: 0.3, method: rk4, dt: 1e-4}
'''
good = ask('run', os.path.join(root, 'scenes', 'rolling.yaml'), '--until', '0.1')
check('error is null where nothing is wrong', good['error'] is None)

# --- 0.07 J become 24 J: the ledger shows it
blown = write('blown.yaml', (scene % ('1e8', '12e6', '3.1e3')).replace('rk4,', 'rk4, events: none,'))
o = fails('a step that is too long', 'at 0.3 s: the energy ledger does not close: the residual -', 'run', blown, '-o', 'blown.csv')
check('which contact', 'is from contact ball/floor; it grew most from 0.0' in o['error'] and o['error'].endswith('a smaller dt, or method auto, would help'), o['error'])
check('all of the JSON', set(o) == set(good) and o['time'] == 0.3 and o['ledger']['kinetic'] > 10, o.keys())
rows = list(csv.reader(open('blown.csv')))
check('all of the trace', float(rows[-1][0]) == 0.3 and len(rows) > o['steps'], rows[-1][0])
r = run('run', blown, '-o', 'blown.h5')
o = ask('inspect', 'blown.h5')
check('a trace in HDF5 is complete', r.returncode == 1 and o['complete'] and o['to'] == 0.3, o)

# located events in such steps switch a contact back and forth
r = run('run', write('located.yaml', (scene % ('1e5', '12e6', '3.1e3')).replace('1e-4', '5e-4')), '--json', limit=20)
check('roots of a step that is too long', r.returncode == 1 and strict(r.stdout)['steps'] < 4000 and 'contact ball/floor switches back and forth' in r.stderr and r.stderr.rstrip().endswith('a smaller dt, or method auto, would help'), r.stderr)

# --- NaN: the run ends in its last good state
nan = write('nan.yaml', scene % ('3.1e3', '12e12', '3.1e8'))
o = fails('a number that is not finite', ': a step further the motion of body ball is not finite; most energy went through contact ball/floor; ', 'run', nan, '-o', 'nan.csv')
check('the last good state', 0.1 < o['time'] < 0.3 and all(math.isfinite(x) for x in o['bodies']['ball']['position']), o['time'])
rows = list(csv.reader(open('nan.csv')))
check('the trace up to there', abs(float(rows[-1][0]) - o['time']) < 1e-12 and all(math.isfinite(float(x)) for row in rows[1:] for x in row), rows[-1])
r = run('run', nan, '-o', 'nan.h5')
check('not complete', r.returncode == 1 and not ask('inspect', 'nan.h5')['complete'])

# --- crowds: beyond the limit, and NaN
grains = os.path.join(root, 'scenes', 'grains.yaml')
o = fails('a crowd', 'of scale, above 0.01; the largest part, ', 'run', grains, '--dt', '1 ms')
check('which pair', 'is from contact balls/*; it grew most from ' in o['error'] and o['error'].endswith('a smaller dt would help'), o['error'])
o = fails('a crowd that bursts', ' is not finite; most energy went through contact balls/*; ', 'run', grains, '--dt', '10 ms')
check('null in JSON', any(x is None for b in o['bodies'].values() for x in b['position']), o['bodies'])

# --- a very loose tolerance is allowed its own error, and no more
o = ask('run', os.path.join(root, 'scenes', 'rolling.yaml'), '--tol', '1e-4')
check('a large tolerance', abs(o['ledger']['residual']) < 0.1 * o['ledger']['scale'])

# --- several scenes: each failure is reported, the others succeed
os.mkdir('many')
write('many/a.yaml', open(os.path.join(root, 'scenes', 'bounce.yaml')).read())
write('many/b.yaml', open(blown).read())
write('many/c.yaml', open(nan).read())
r = run('run', 'many', '-o', 'traces')
lines = r.stdout.splitlines()
check('a batch', r.returncode == 1 and lines[1].endswith('  ok') and 'at 0.3 s: the energy ledger does not close' in lines[2] and
      'is not finite' in lines[3] and lines[4].startswith('1 of 3 ok, 2 failed in '), r.stdout)
check('traces of a batch', sorted(os.listdir('traces')) == ['a.h5', 'b.h5', 'c.h5'])
r = run('run', 'many', '--json')
o = strict(r.stdout)
check('a batch in JSON', r.returncode == 1 and [x['exit_status'] for x in o['runs']] == [0, 1, 1] and o['runs'][0]['error'] is None and
      'does not close' in o['runs'][1]['error'] and 'is not finite' in o['runs'][2]['error'] and o['runs'][1]['time'] == 0.3, r.stderr)

# --- long steps are interrupted: 2,130 states in matrices, some tenths of a second for each evaluation of a Jacobian
import signal, time
large = ('run', grains, '--events', 'located', '--json', '-o', 'large.csv')
for method in ('rosenbrock', 'rodas', 'trapezoid'):
    begin = time.monotonic()
    r = run(*large, '--method', method, '--max-seconds', '0.5')
    # with sanitizers a step takes many times as long, and so does interrupting one
    check(f'--max-seconds {method}', r.returncode == 1 and 'ended by --max-seconds' in r.stderr and strict(r.stdout)['error'] == '--max-seconds' and
          time.monotonic() - begin < 30, f'{time.monotonic() - begin:.1f} s, {r.stderr}')
    times = [row[0] for row in csv.reader(open('large.csv'))]
    check(f'{method}: no row twice', len(times) > 1 and len(set(times)) == len(times), times)
p = subprocess.Popen([FOOTFALL, *large, '--method', 'rodas'], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
time.sleep(1)
p.send_signal(signal.SIGTERM)
out, err = p.communicate(timeout=60)
check('SIGTERM', p.returncode == 1 and 'interrupted at ' in err and strict(out)['error'] == 'interrupted', err)

# --- inclusions: wrong accounts, and NaN
spring = '''parameters: {M: 2 kg, k: 100 N/m}
states: {p: 10 mm, v: 0 m/s}
rates: {p: v, v: %s}
accounts: {energy: M*v^2/2 + k*p^2/2}
run: {until: 1 s}
'''
check('an inclusion that closes', ask('inclusion', write('s.yaml', spring % '-k*p/M'))['error'] is None)
o = fails('an inclusion that does not', 'at 1 s: the energy ledger does not close: the residual -', 'inclusion', write('s.yaml', spring % '-k*p/M + 0.1*v/(1 s)'))
check('whose rates are wrong', 'is from the rates between forces; it grew most ' in o['error'] and o['time'] == 1, o['error'])
r = run('inclusion', write('s.yaml', spring % 'k*p/M*(1 + (p/(1 mm))^9)'), '--method', 'rk4', '--dt', '50 ms', '--json')
check('an inclusion that bursts', r.returncode == 1 and strict(r.stdout)['error'], r.stderr)
finish()
PYTHON
finish
