#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Copyright the footfall authors
#
# run with options that come before the model, with many scenes, and within limits
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

# --- what is on the command line decides what is made of a scene
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
check('a line for a crowd', f"\ncrowd: {crowd['contacts']} contacts, found anew {crowd['searches']} times, 1 thread\n" in text, text[:200])
r = run('run', rolling, '--events', 'none', '--method', 'verlet', '--dt', '1us', '--until', '0.2', '-o', 'v.csv', '--json')
check('--method verlet', json.loads(r.stdout)['methods_used'] == ['verlet'] and json.loads(r.stdout)['events'] == [], r.stderr)
finish()
PYTHON

# --- several scenes: mistakes
mkdir -p empty many others
: >file
cp "$root"/scenes/{bounce,rolling,xiong1}.yaml many
cp many/bounce.yaml others
refuses "empty: there is no .yaml file in it" run empty
refuses "'--jobs' is for several scenes" run "$scene" --jobs 2
refuses "0 is below 1" run many --jobs 0
refuses "1.5 is not a whole number" run many --jobs 1.5
refuses "'--checkpoint' is for one scene" run many --checkpoint c
refuses "'--checkpoint-every' is for one scene" run many --checkpoint-every 1ms
refuses "'--resume' is for one scene" run many others --resume c
refuses "the files of many/bounce.yaml and others/bounce.yaml would have the same names" run many others --plot p
refuses "'--plot' takes a folder with several scenes, and file is none" run many --plot file
expect 1 "no/such: No such file" run many --plot no/such
accepts run many others --jobs 3

checks <<'PYTHON'
from lib import *
import signal, time
names = ['many/bounce.yaml', 'many/rolling.yaml', 'many/xiong1.yaml']
h5 = 'built without' not in run('inspect', 'none.h5').stderr
same = lambda one, other: {**one, 'wall_seconds': 0} == {**other, 'wall_seconds': 0}

# --- a folder, sorted; every run is what it is alone
alone = [ask('run', name) for name in names]
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

# --- one that is wrong, one that fails, one that is killed
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

finish
