#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Copyright the footfall authors
#
# laws from shared objects: examples/own_law.c as built by a user, refused tables, an inconsistent law. LAWS is the
# directory of the objects.
. "$(dirname "$0")/lib.bash"
: "${LAWS:?the folder of shared objects with laws}"
export LAWS ROOT=$root
own=$LAWS/own_law.so

# --- files that cannot be loaded are reported in one line
echo "no object" >text.so
: >empty.so
refuses "none.so: No such file" laws --law none.so
refuses "text.so: not a shared object" laws --law text.so
refuses "empty.so: not a shared object" laws --law ./empty.so
refuses "not a shared object" laws --law .
refuses "nothing.so: exports no laws" laws --law "$LAWS/nothing.so"
refuses "empty.so: its lists of laws are empty" laws --law "$LAWS/empty.so"
refuses "abi.so: .*another version.*ABI is 3, not 4" laws --law "$LAWS/abi.so"
refuses "taken.so: law dahl: there is already a law of that name" laws --law "$LAWS/taken.so"
refuses "name.so: law Not a name: .*small letters" laws --law "$LAWS/name.so"
refuses "respond.so: law test-refused: it needs respond" laws --law "$LAWS/respond.so"
refuses "parameter.so: law test-refused: .*unit" laws --law "$LAWS/parameter.so"
refuses "law own-hardening: there is already a law of that name" laws --law "$own" --law="$own"
refuses "option '--law' needs a value" laws --law
refuses "option '--law' needs a value" laws --law --json
# a command that does not use laws does not load any
refuses "unknown option '--law'" papers --law "$own"
refuses "unknown option '--law'" inspect x.h5 --law "$own"
# after -- there are no options
refuses "unknown law '--law'" laws -- --law

# --- every command that uses laws accepts the option, and documents it
for command in run check gait inclusion laws restitution design phase fit; do
    call $command --help
    [ $status -eq 0 ] && grep -q -e "--law FILE.so" out
    judge $? "$command --help names --law"
    refuses "none.so: No such file" $command --law none.so
done

# --- a name without a directory is searched in the current directory
cp "$own" here.so
accepts laws own-dahl --law here.so
accepts laws own-dahl --law "$own" --law "$LAWS/broken.so"

cat >own.yaml <<'YAML'
gravity: [0, 0, -9.81]
bodies:
  ball: {mass: 154 g, shape: {sphere: {radius: 1.65 cm}}, position: [0, 0, 2 cm], velocity: [0.5, 0.3, 0]}
ground:
  floor: {plane: {point: [0, 0, 0], normal: [0, 0, 1]}}
pairs:
  - between: [ball, floor]
    normal: {law: azad-featherstone, k: 8.5e6, lambda: 3.1e3}
    friction: {law: own-dahl}
run: {until: 0.3 s, method: dopri5, tol: 1e-9}
YAML
sed 's/law: own-dahl/law: dahl, mu: 0.2, k: 1000/' own.yaml >ours.yaml
sed 's/normal: {law: azad.*/normal: {law: own-hardening, k: 1e6, h: 1e12, chi: 0.3}/' own.yaml >both.yaml
sed 's/normal: {law: azad.*/normal: {law: own-hardening, k: 1e6, chy: 0.3}/' own.yaml >wrong.yaml
# a scene names laws, never files
call run own.yaml
[ $status -eq 2 ] && grep -q "^own.yaml:9:.*unknown law 'own-dahl'" err
judge $? "$(told a law that is not loaded)"
call run wrong.yaml --law "$own"
[ $status -eq 2 ] && grep -q "unknown key 'chy'.*did you mean 'chi'" err
judge $? "$(told a key that the law does not have)"

checks <<'PYTHON'
from lib import *
import re
own = os.path.join(os.environ['LAWS'], 'own_law.so')
broken = os.path.join(os.environ['LAWS'], 'broken.so')

# --- Dahl's law as a user-defined law equals the built-in one: the same arithmetic, the same accounts
for method in ('dopri5', 'auto'):
    a = ask('run', 'own.yaml', '--method', method, '--law', own)
    b = ask('run', 'ours.yaml', '--method', method)
    check(f'{method}: the same motion to the last bit', a['bodies'] == b['bodies'] and a['steps'] == b['steps'], (a['bodies'], b['bodies']))
    check(f'{method}: the same ledger', a['ledger'] == b['ledger'], (a['ledger'], b['ledger']))
    check(f'{method}: the same events', [e['kind'] for e in a['events']] == [e['kind'] for e in b['events']] and a['events'])
    check(f'{method}: it closes', abs(a['ledger']['residual']) < 1e-8 * a['ledger']['scale'], a['ledger'])
    check(f'{method}: the bristle was wound and slipped', a['ledger']['slip'] > 1e-4 and a['ledger']['viscous'] == 0, a['ledger'])
# an implicit method computes its slopes by differences here, and agrees to 1e-9
a = ask('run', 'own.yaml', '--method', 'rosenbrock', '--until', '0.1', '--law', own)
b = ask('run', 'ours.yaml', '--method', 'rosenbrock', '--until', '0.1')
for got, want in zip(a['bodies']['ball']['position'], b['bodies']['ball']['position']):
    check('rosenbrock: the same motion', abs(got - want) < 1e-9, (got, want))
check('rosenbrock: it closes', abs(a['ledger']['residual']) < 1e-8 * a['ledger']['scale'], a['ledger'])

# --- both user-defined laws
a = ask('run', 'both.yaml', '--law', own)
check('both laws: it closes', abs(a['ledger']['residual']) < 1e-8 * a['ledger']['scale'] and a['ledger']['normal_damper'] > 0, a['ledger'])
c = ask('check', 'both.yaml', '--law', own)
text = json.dumps(c)
check('check names them', 'own-hardening' in text and 'own-dahl' in text)

# --- in a crowd, at fixed steps, and in an inclusion
grains = os.path.join(os.environ['ROOT'], 'scenes', 'grains.yaml')
with open(grains) as f:
    scene = re.sub(r'friction: .*', 'friction: {law: dahl, mu: 0.2, k: 1000}', f.read())
for name, text in (('crowd.yaml', scene), ('own_crowd.yaml', scene.replace('dahl, mu: 0.2, k: 1000', 'own-dahl'))):
    with open(name, 'w') as f:
        f.write(text)
a = ask('run', 'own_crowd.yaml', '--until', '0.1', '--law', own)
b = ask('run', 'crowd.yaml', '--until', '0.1')
check('a crowd: the same motion to the last bit', a['bodies'] == b['bodies'] and a.get('searches', 0) > 0, a.get('searches'))
for account in b['ledger']:
    check(f'a crowd: {account}', abs(a['ledger'][account] - b['ledger'][account]) <= 1e-12 * b['ledger']['scale'], (a['ledger'][account], b['ledger'][account]))
slide = os.path.join(os.environ['ROOT'], 'papers', 'xiong2013', 'slide.yaml')
a = ask('inclusion', slide, '--friction', 'own-dahl', '--until', '1 s', '--law', own)
check('an inclusion: it closes', abs(a['ledger']['residual']) < 1e-10 * a['ledger']['scale'], a['ledger'])

# --- one impact: e is that of hunt-crossley, which depends on lambda v/k only
law = ('--normal', 'own-hardening', '--mass', 1, '--speed', '0.1,1', '--law', own)
a = ask('restitution', *law, '--k', '1e6', '--h', '1e12', '--chi', '0.1')['points']
b = ask('restitution', '--normal', 'hunt-crossley', '--n', 1, '--k', 1e6, '--lambda', 1e5, '--mass', 1, '--speed', '0.1,1')['points']
for x, y in zip(a, b):
    near('e of the own law', x['restitution'], y['restitution'], 1e-9)
check('its parameters are options', '--chi' in run('restitution', '--help', '--law', own).stdout and '--h H' in run('phase', '--help', '--law', own).stdout)
check('and only with it', '--h H' not in run('restitution', '--help').stdout)
r = run('restitution', *law, '--k', '-1')
check('their ranges hold', r.returncode == 2 and '--k' in r.stderr, r.stderr)

# --- the catalogue lists them after the built-in laws, and they pass verification
names = [law['name'] for law in ask('laws', '--law', own, '--law', broken)['laws']]
check('own laws come after ours, of each kind', names.index('own-hardening') == names.index('test-broken') - 1 == names.index('xiong') + 1 and
      names[-1] == 'own-dahl', names)
a = ask('laws', '--verify', '--law', own)
laws = {law['name']: law for law in a['laws']}
check('own laws hold', a['holds'] and laws['own-dahl']['holds'] and laws['own-hardening']['holds'], laws)
check('the whole catalogue is checked', set(laws) == set(names) - {'test-broken'}, set(laws))

# --- a law with a missing loss is detected, and its run fails
r = run('laws', '--verify', 'test-broken', '--law', broken)
check('a broken law: exit 1', r.returncode == 1 and 'test-broken: balance is off by' in r.stdout and 'broken' in r.stdout, r.stdout + r.stderr)
check('one line on stderr', r.stderr == 'footfall laws: 1 of 1 laws do not hold\n', r.stderr)
r = run('laws', '--verify', 'test-broken', '--law', broken, '--json')
a = json.loads(r.stdout)
rows = {row['what']: row for row in a['laws'][0]['findings']}
check('a broken law: JSON', r.returncode == 1 and not a['holds'] and not a['laws'][0]['holds'] and not rows['balance']['holds'] and
      'loss' in rows['balance']['where'] and set(rows['balance']['parameters']) == {'k', 'c'} and rows['continuity']['holds'], rows)
finish()
PYTHON

# a law that does not book its losses makes a run fail
sed 's/normal: {law: azad.*/normal: {law: test-broken, k: 1e5, c: 100}/; s/own-dahl/none/' own.yaml >loses.yaml
call run loses.yaml --law "$LAWS/broken.so"
[ $status -eq 1 ] && grep -q "ledger" err
judge $? "$(told run loses.yaml)"

finish
