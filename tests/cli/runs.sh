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

finish
