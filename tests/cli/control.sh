#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Copyright the footfall authors
#
# Controlled scenes: the hopper, the same bits in C, the shaken ball, the quadruped trotting in place.
. "$(dirname "$0")/lib.bash"
export root

checks <<'PYTHON'
from lib import *
import re
root = os.environ['root']
examples = os.path.join(os.path.dirname(os.environ['FOOTFALL']), 'examples')

o = ask('run', f'{root}/scenes/hopper.yaml')
downs = [e['t'] for e in o['events'] if e['kind'] == 'touchdown']
check('20 hops and more', len(downs) >= 20, len(downs))
times = [b - a for a, b in zip(downs, downs[1:])]
check('hops are alike in the end', max(times[-5:]) - min(times[-5:]) < 5e-4, times[-5:])
check('every hop is in the air', min(times) > 0.4, min(times))
check('a user\'s event has a name', {e['name'] for e in o['events'] if e['kind'] == 'user'} == {'apex'})
check('closed', abs(o['ledger']['residual']) < 1e-8*o['ledger']['scale'], o['ledger'])
seen = subprocess.run([f'{examples}/hopper'], capture_output=True, text=True)
words = [float(w) for w in re.findall(r'-?[0-9.]+(?:e[-+]?[0-9]+)?', seen.stdout)]
trunk, foot = o['bodies']['trunk'], o['bodies']['foot']
check('the hopper in C ends in the same bits', words[1:] ==
      [trunk['position'][2], trunk['velocity'][2], foot['position'][2], foot['velocity'][2]], (words, trunk, foot))
check('and counts the same hops', words[0] == len(downs), words)

o = ask('run', f'{root}/scenes/shaker.yaml')
check('the plate throws the ball', len([e for e in o['events'] if e['kind'] == 'touchdown']) > 5)
check('by its work', -o['ledger']['external'] > 10*o['ledger']['initial'])
check('closed', abs(o['ledger']['residual']) < 1e-9*o['ledger']['scale'], o['ledger'])

o = ask('run', f'{root}/scenes/quadruped_trot.yaml')
trunk = o['bodies']['trunk']
check('the trunk stays up', 0.27 < trunk['position'][2] < 0.36, trunk)
check('and upright', trunk['orientation'][0] > 0.99, trunk)
check('about where it was', math.hypot(*trunk['position'][:2]) < 0.3, trunk)
downs = {}
for e in o['events']:
    if e['kind'] == 'touchdown':
        downs.setdefault(e['pair'], []).append(e['t'])
check('all four feet step', len(downs) == 4 and all(len(d) >= 5 for d in downs.values()), downs)
finish()
PYTHON
finish
