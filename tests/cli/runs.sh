#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Copyright the footfall authors
#
# run with options that are applied before the model is built, with many scenes, and within limits
. "$(dirname "$0")/lib.bash"
export ROOT=$root
scene=$root/scenes/rolling.yaml
grains=$root/scenes/grains.yaml

# --- options of the model
refuses "unknown 'nowhere'" run "$scene" --events nowhere
refuses "1.5 is not a whole number" run "$grains" --threads 1.5
refuses "300 is above 256" run "$grains" --threads 300
refuses "is below 0" run "$grains" --threads=-1
call run "$grains" --set run.threads=2.5
[ $status -eq 2 ] && grep -q "threads of run is 2.5, but must be a whole number" err
judge $? "$(told run.threads=2.5)"

checks <<'PYTHON'
from lib import *
grains = os.path.join(os.environ['ROOT'], 'scenes', 'grains.yaml')
rolling = os.path.join(os.environ['ROOT'], 'scenes', 'rolling.yaml')

# --- options of the command line determine the model of a scene
crowd = ask('run', grains, '--until', '0.1')
check('a crowd tells of itself', crowd.get('contacts', 0) > 0 and crowd['searches'] > 0 and crowd['threads'] == 1, crowd.keys())
slots = ask('run', grains, '--until', '2 ms', '--method', 'rk4')
check('--method: no crowd', 'searches' not in slots and slots['methods_used'] == ['rk4'])
slots = ask('run', grains, '--until', '2 ms', '--events', 'located')
check('--events located: no crowd', 'searches' not in slots and slots['event_location'] == 'located')
mine = [x for pair in ('run.method=auto', 'run.events=located') for x in ('--set', pair)]
again = ask('run', grains, *mine, '--method', 'verlet', '--events', 'none', '--until', '0.1')
check('--method and --events: a crowd', {**again, 'wall_seconds': 0} == {**crowd, 'wall_seconds': 0})
two = ask('run', grains, '--until', '0.1', '--threads', '2')
check('--threads', two['threads'] == 2 and {**two, 'wall_seconds': 0, 'threads': 1} == {**crowd, 'wall_seconds': 0})
check('run.threads', ask('run', grains, '--until', '1 ms', '--set', 'run.threads=3')['threads'] == 3)
check('check tells threads', ask('check', grains, '--set', 'run.threads=3')['run']['threads'] == 3 and
      'threads      3' in run('check', grains, '--set', 'run.threads=3').stdout)
text = run('run', grains, '--until', '0.1').stdout
check('a line for a crowd', f"\ncrowd: {crowd['contacts']} contacts, {crowd['searches']} searches, 1 thread\n" in text, text[:200])
r = run('run', rolling, '--events', 'none', '--method', 'verlet', '--dt', '1us', '--until', '0.2', '-o', 'v.csv', '--json')
check('--method verlet', json.loads(r.stdout)['methods_used'] == ['verlet'] and json.loads(r.stdout)['events'] == [], r.stderr)
finish()
PYTHON

# --- several scenes: error messages
mkdir -p empty many others
: >file
cp "$root"/scenes/{bounce,rolling,xiong1}.yaml many
cp many/bounce.yaml others
refuses "empty: the folder contains no .yaml file" run empty
refuses "'--jobs' is for several files" run "$scene" --jobs 2
refuses "0 is below 1" run many --jobs 0
refuses "1.5 is not a whole number" run many --jobs 1.5
refuses "'--checkpoint' is for one scene" run many --checkpoint c
refuses "'--checkpoint-every' is for one scene" run many --checkpoint-every 1ms
refuses "'--resume' is for one scene" run many others --resume c
refuses "the files of many/bounce.yaml and others/bounce.yaml would have the same names" run many others --plot p
refuses "with several scenes '--plot' must name a folder, and file is not one" run many --plot file
expect 1 "no/such: No such file" run many --plot no/such
accepts run many others --jobs 3

checks <<'PYTHON'
from lib import *
import signal, time
names = ['many/bounce.yaml', 'many/rolling.yaml', 'many/xiong1.yaml']
h5 = 'built without' not in run('inspect', 'none.h5').stderr
same = lambda one, other: {**one, 'wall_seconds': 0} == {**other, 'wall_seconds': 0}

# --- a directory, sorted; every run equals the same run alone
alone = [ask('run', name) for name in names]
check('error is null where nothing is wrong', all(one.pop('error') is None for one in alone))
for jobs in (1, 2, 8):
    together = ask('run', 'many', '--jobs', jobs)
    check(f'--jobs {jobs}: scenes', list(together) == ['runs'] and [r['scene'] for r in together['runs']] == names)
    for one, r in zip(alone, together['runs']):
        check(f'{r["scene"]}: ok', r.pop('exit_status') == 0 and r.pop('error') is None)
        check(f'{r.pop("scene")}: the same as alone', same(one, r))
r = run('run', 'many/')
lines = r.stdout.splitlines()
check('a line each', r.returncode == 0 and len(lines) == 5 and [x.split()[0] for x in lines[1:4]] == names and
      all(x.endswith('  ok') for x in lines[1:4]) and lines[4].startswith('3 of 3 ok in '), r.stdout)
check('steps are told', str(alone[1]['steps']) in lines[2].split())
r = run('run', names[2], names[0])
check('in the order of the command line', [x.split()[0] for x in r.stdout.splitlines()[1:3]] == [names[2], names[0]])

# --- files are named after scenes
if h5:
    r = run('run', 'many', '-o', 'traces', '--plot', 'pictures', '--until', '0.2')
    check('traces', r.returncode == 0 and sorted(os.listdir('traces')) == ['bounce.h5', 'rolling.h5', 'xiong1.h5'], r.stderr)
    check('pictures', sorted(os.listdir('pictures')) == ['bounce', 'rolling', 'xiong1'] and os.path.exists('pictures/rolling/energy.svg'))
    check('they are told', 'many/rolling.yaml: wrote traces/rolling.h5\n' in r.stderr, r.stderr)
    check('a trace is whole', ask('inspect', 'traces/rolling.h5')['complete'])

# --- an invalid scene, one that fails, one that is killed
open('wrong.yaml', 'w').write(open(names[1]).read().replace('mass:', 'masss:', 1).replace('until:', 'untill:'))
r = run('run', 'wrong.yaml', names[0])
check('a wrong one', r.returncode == 2 and '1 of 2 ok, 1 with wrong input' in r.stdout and "wrong input: wrong.yaml:5:10: unknown key 'masss'" in r.stdout, r.stdout)
check('all its mistakes', len(r.stderr.splitlines()) == 2 and all(x.startswith('wrong.yaml:') for x in r.stderr.splitlines()), r.stderr)
r = run('run', 'none.yaml', names[0], '--json')
runs = json.loads(r.stdout)['runs']
check('a wrong one in JSON', r.returncode == 2 and runs[0] == {'scene': 'none.yaml', 'exit_status': 2, 'error': 'No such file or directory'} and runs[1]['time'] == 1, runs[0])

def children_of(parent):
    found = []
    for pid in filter(str.isdigit, os.listdir('/proc')):
        try:
            if int(open(f'/proc/{pid}/stat').read().rsplit(')', 1)[1].split()[1]) == parent:
                found.append(int(pid))
        except OSError:
            pass
    return sorted(found)

def start(*more):
    """three runs that do not end"""
    p = subprocess.Popen([FOOTFALL, 'run', names[0], names[1], names[2], '--set', 'run.until=1e5', '--tol', '1e-12', '--method', 'dopri5', *more],
                         stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    time.sleep(0.5)
    return p, children_of(p.pid)
p, children = start('--jobs', '2')
check('two at once', len(children) == 2, children)
os.kill(children[0], signal.SIGKILL)
time.sleep(0.3)
p.send_signal(signal.SIGTERM)
out, err = p.communicate(timeout=60)
check('killed', p.returncode == 1 and 'ended by signal: Killed' in out and '0 of 3 ok, 3 failed' in out, out)
check('the others ended in good order', out.count('interrupted at ') == 2 and 'footfall run: interrupted\n' in err, out + err)
p, children = start('--jobs', '1', '--json')
p.send_signal(signal.SIGINT)
out, err = p.communicate(timeout=60)
runs = json.loads(out)['runs']
check('interrupted', p.returncode == 1 and [r['error'].split(' at ')[0] for r in runs] == ['interrupted', 'interrupted before it began', 'interrupted before it began'] and
      runs[0]['time'] > 0 and 'time' not in runs[1], err)
finish()
PYTHON

# --- limits
cat >sand.yaml <<'YAML'
bodies:
  sand:
    count: 10000
    radius: {normal: [1 mm, 0.1 mm]}
    density: 2500 kg/m^3
    fill: {from: [0, 0, 0], to: [60 cm, 60 cm, 3 m]}
ground:
  floor: {plane: {normal: [0, 0, 1]}}
pairs:
  - between: [sand, "*"]
    normal: {law: linear, k: 1 kN/m, lambda: 0.01}
run: {until: 1e-4 s, method: verlet, events: none, dt: 1e-5}
YAML
refuses "0 is below 1" run "$scene" --max-steps 0
refuses "2.5 is not a whole number" run "$scene" --max-steps 2.5
refuses "not above 0" run "$scene" --max-seconds 0
for size in 2gb "two GB" -1GB 0 1e999 "1 GB more"; do
    refuses "option '--max-memory': '$size' is not a size such as 2 GB" run "$scene" "--max-memory=$size"
done
refuses "rolling.yaml: needs about 3.1 MB, 1.0 MB are available" run "$scene" --max-memory 1MB
refuses "rolling.yaml: needs about 3.1 MB, 1.0 MB are available" check "$scene" --max-memory 1000000
accepts check "$scene" --max-memory "1 GiB"
for command in run check; do
    call $command sand.yaml --max-memory 10MB
    [ $status -eq 2 ] && [ ! -s out ] && [ "$(wc -l <err)" -eq 1 ] && grep -qE \
        "^sand.yaml:3:12: group 'sand' of 10000 grains needs about 2[0-9.]+ MB, 10.0 MB are available$" err
    judge $? "$(told "$command" a crowd that is too large)"
    call $command sand.yaml --set bodies.sand.count=10000000 --set 'bodies.sand.fill.to=[3, 3, 3]' --max-memory 8GB
    [ $status -eq 2 ] && grep -qE "of 10000000 grains needs about [12][0-9.]+ GB, 8.0 GB are available" err
    judge $? "$(told "$command" ten million grains)"
done
# a matrix of all states; about 60,000 rows, most of them uncoupled
refuses "sand.yaml: needs about [0-9.]+ MB, 8.0 MB are available" \
    run sand.yaml --set bodies.sand.count=30 --events located --method trapezoid --max-memory 8MB
accepts run sand.yaml --set bodies.sand.count=199 --set 'pairs[0].friction={law: dahl, mu: 1, k: 1e3}' \
    --events located --method trapezoid
if "$FOOTFALL" inspect none.h5 2>&1 | grep -qv 'built without HDF5'; then
    refuses "x.h5: needs about 28.1 MB, [0-9.]+ MB are available" run sand.yaml -o x.h5 --max-memory 40MB
    [ ! -e x.h5 ]
    judge $? "a run that does not start leaves no file"
fi
sanitized=
grep -q __asan_init "$FOOTFALL" && sanitized=1
export sanitized
if [ ! "$sanitized" ]; then
    (ulimit -v 200000; timeout -s KILL 60 "$FOOTFALL" run sand.yaml --set bodies.sand.count=1000000 \
        --set 'bodies.sand.fill.to=[1, 1, 3]' >out 2>err)
    status=$?
    [ $status -eq 2 ] && [ "$(wc -l <err)" -eq 1 ] && grep -q "sand.yaml: out of memory" err
    judge $? "$(told where memory ends)"
fi

checks <<'PYTHON'
from lib import *
import time
rolling = os.path.join(os.environ['ROOT'], 'scenes', 'rolling.yaml')

# --- limits of steps and seconds: results are reported and written, and the run can be resumed
whole = ask('run', rolling, '--until', '0.5')
r = run('run', rolling, '--until', '0.5', '--max-steps', '100', '--json', '-o', 't.csv', '--checkpoint', 'c')
o = json.loads(r.stdout)
check('--max-steps', r.returncode == 1 and o['steps'] == 100 and f"footfall run: ended by --max-steps at {o['time']:g} s of 0.5 s, after 100 steps" in r.stderr, r.stderr)
check('--max-steps: files', float(open('t.csv').read().split('\n')[-2].split(',')[0]) == o['time'] and 'wrote c: the run at' in r.stderr)
r = run('run', rolling, '--until', '0.5', '--json', '--resume', 'c', '-o', 't.csv', '--max-steps', whole['steps'])
check('it can be resumed', r.returncode == 0 and {**json.loads(r.stdout), 'wall_seconds': 0} == {**whole, 'wall_seconds': 0}, r.stderr)
begin = time.monotonic()
r = run('run', rolling, '--until', '1e6', '--tol', '1e-12', '--method', 'dopri5', '--max-seconds', '0.3', '--json')
check('--max-seconds', r.returncode == 1 and 'ended by --max-seconds at ' in r.stderr and 0 < json.loads(r.stdout)['time'] < 1e6 and
      time.monotonic() - begin < 5, r.stderr)
r = run('run', rolling, rolling, '--max-steps', '10')
check('of each of several', r.returncode == 1 and r.stdout.count('ended by --max-steps at') == 2, r.stdout)

# --- estimates of memory compared with actual use
def taken(*args):
    """the most that a run takes in its first seconds"""
    p = subprocess.Popen([FOOTFALL, 'run', *args, '--until', '1e5', '--tol', '1e-12'], stdout=subprocess.DEVNULL)
    time.sleep(2.5 if '100000' in args[-1] else 0.7)
    status = open(f'/proc/{p.pid}/status').read()
    p.kill()
    p.wait()
    return 1024 * int(status.split('VmHWM:')[1].split()[0])
if not os.environ['sanitized']:
    for args in ([rolling, '--set', 'run.method=dopri5'], ['sand.yaml'], ['sand.yaml', '--set', 'bodies.sand.count=100000']):
        bytes, said = taken(*args), ask('check', *args)['memory']
        check(f'memory of {args[1:]}', bytes / 2 <= said <= 2 * bytes, (bytes, said))
# --- a parent that ignores SIGCHLD: children are waited for nevertheless
import pty, signal, time
r = subprocess.run([FOOTFALL, 'run', rolling, rolling.replace('rolling', 'drop')], capture_output=True, text=True, timeout=60,
                   preexec_fn=lambda: signal.signal(signal.SIGCHLD, signal.SIG_IGN))
check('SIGCHLD ignored', r.returncode == 0 and '2 of 2 ok' in r.stdout, r.stdout + r.stderr)
r = subprocess.run([FOOTFALL, 'run', rolling, '--until', '0.1', '--plot', 'chld'], capture_output=True, text=True, timeout=60,
                   preexec_fn=lambda: signal.signal(signal.SIGCHLD, signal.SIG_IGN))
check('SIGCHLD ignored, pictures', r.returncode == 0 and 'wrote chld/energy.svg' in r.stderr, r.stderr)

# --- --quiet: only errors and warnings
for more in ([], ['-o', 'quiet.h5'], ['--checkpoint', 'quiet.ck']):
    r = run('run', rolling, '--until', '0.1', '--quiet', *more)
    check(f'--quiet {more}', r.returncode == 0 and r.stdout == r.stderr == '', r.stdout + r.stderr)
r = run('run', rolling, rolling.replace('rolling', 'drop'), '-q')
check('--quiet, several', r.returncode == 0 and r.stdout == r.stderr == '', r.stdout + r.stderr)
r = run('run', rolling, '--until', '0.1', '-q', '--max-steps', '1')
check('--quiet tells what is wrong', r.returncode == 1 and r.stdout == '' and 'ended by --max-steps' in r.stderr, r.stderr)
check('--quiet --json', ask('run', rolling, '--until', '0.1', '--quiet')['time'] == 0.1)

# --- an interrupted run prints the command that resumes it, which works
long = [FOOTFALL, 'run', rolling, '--method', 'rk4', '--dt', '1us', '--until', '0.6']
p = subprocess.Popen([*long, '--checkpoint', 'a b.ck', '-o', 'hint.csv'], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
time.sleep(0.3)
p.send_signal(signal.SIGINT)
out, err = p.communicate(timeout=60)
hint = [line[13:] for line in err.splitlines() if line.startswith('resume with: footfall ')]
check('how it is resumed', p.returncode == 1 and len(hint) == 1 and hint[0].endswith("--checkpoint 'a b.ck' -o hint.csv --resume 'a b.ck'"), err)
r = subprocess.run(['bash', '-c', hint[0].replace('footfall', '"$FOOTFALL"', 1) + ' --json'], capture_output=True, text=True)
check('it is resumed so', r.returncode == 0 and json.loads(r.stdout)['time'] == 0.6, r.stderr)
whole = subprocess.run([*long, '-o', 'whole.csv'], capture_output=True)
check('the same trace', open('hint.csv').read() == open('whole.csv').read())

# --- progress on a terminal: simulated time, rate, remaining time; none with --quiet, none elsewhere
def on_terminal(*more):
    master, slave = pty.openpty()
    p = subprocess.Popen([*long[:-1], '1000', *more], stdout=subprocess.DEVNULL, stderr=slave)
    os.close(slave)
    time.sleep(2)
    p.send_signal(signal.SIGINT)
    p.wait(timeout=60)
    said = b''
    try:
        while chunk := os.read(master, 65536):
            said += chunk
    except OSError:
        pass
    return said.decode()
said = on_terminal()
import re
check('progress', re.search(r'\r\[ *=*\ *]  *\d+ %  [\d.e-]+ of 1000 s  [\d.e-]+ s/s  .*left', said), repr(said))
check('no progress with --quiet', '[' not in on_terminal('--quiet').replace('[K', ''))
finish()
PYTHON

finish
