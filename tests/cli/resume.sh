#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Copyright the footfall authors
#
# checkpoints: killed and resumed runs end with the same bits (KILLS, default 15), signals, error messages
. "$(dirname "$0")/lib.bash"
export ROOT=$root KILLS=${KILLS:-15} SEED=${SEED:-1} H5=1
scene=$root/scenes/rolling.yaml
python3 -c 'import h5py' 2>/dev/null || PATH=/usr/bin:$PATH
if "$FOOTFALL" inspect none.h5 2>&1 | grep -q 'built without HDF5'; then
    H5=
elif ! python3 -c 'import h5py' 2>/dev/null; then
    echo "h5py is needed (make setup GROUPS=test)"
    exit 1
fi

# --- error messages
"$FOOTFALL" run "$scene" --until 0.1 --checkpoint good -o t.csv >/dev/null 2>err ||
    { cat err; exit 1; }
head -c 1000 good >cut
tr 'a-m' 'b-n' <good >changed
cp good flipped
printf 'x' | dd of=flipped bs=1 seek=500 conv=notrunc 2>/dev/null
echo "some text" >text
: >empty
mkdir folder
refuses "none: No such file" run "$scene" --resume none
refuses "cut: the checkpoint is damaged" run "$scene" --resume cut
refuses "flipped: the checkpoint is damaged" run "$scene" --resume flipped
refuses "changed: this is not a checkpoint of footfall" run "$scene" --resume changed
refuses "text: this is not a checkpoint of footfall" run "$scene" --resume text
refuses "empty: this is not a checkpoint of footfall" run "$scene" --resume empty
refuses "folder: Is a directory" run "$scene" --resume folder
refuses "good: the checkpoint belongs to another scene, method or tolerance" run "$root/scenes/drop.yaml" --resume good
refuses "belongs to another scene, method or tolerance" run "$scene" --resume good --method rk4
refuses "belongs to another scene, method or tolerance" run "$scene" --resume good --tol 1e-8
refuses "belongs to another scene, method or tolerance" run "$scene" --resume good --events none
refuses "belongs to another scene, method or tolerance" run "$scene" --resume good --set bodies.ball.mass=0.2
refuses "good: is at 0.1 s, and the run ends at 0.05 s" run "$scene" --resume good --until 0.05
refuses "'--checkpoint-every' needs --checkpoint FILE" run "$scene" --checkpoint-every 1ms
refuses "not above 0" run "$scene" --checkpoint c --checkpoint-every 0
refuses "evnts" run "$scene" --checkpoint c --checkpoint-every evnts
refuses "is a length" run "$scene" --checkpoint c --checkpoint-every 1m
refuses "needs a value" run "$scene" --checkpoint
cp t.csv before.csv
expect 1 "no/such/file: No such file" run "$scene" --checkpoint no/such/file -o t.csv
expect 1 "folder: Is a directory" run "$scene" --checkpoint folder -o t.csv
cmp before.csv t.csv
judge $? "a run that cannot write its checkpoint does not start"

# --- other files beside a checkpoint are not touched
echo "somebody's" >mine.new
"$FOOTFALL" run "$scene" --until 0.1 --checkpoint mine >/dev/null 2>&1
[ -s mine ] && [ "$(cat mine.new)" = "somebody's" ] && [ "$(echo mine*)" = "mine mine.new" ]
judge $? "a checkpoint leaves the files beside it alone"

# --- traces that do not belong to the checkpoint
refuses "t.csv: was started with different rows" run "$scene" --resume good -o t.csv --every 1ms
refuses "t.csv: was started with different rows" run "$scene" --resume good -o t.csv --only-events
tail -n 3 t.csv >other.csv
refuses "other.csv: is not the trace of the checkpoint" run "$scene" --resume good -o other.csv
head -n 5 t.csv >short.csv
refuses "short.csv: is not the trace of the checkpoint" run "$scene" --resume good -o short.csv
sed 's/1/2/' t.csv >wrong.csv
refuses "wrong.csv: is not the trace of the checkpoint" run "$scene" --resume good -o wrong.csv
"$FOOTFALL" run "$scene" --until 0.1 --checkpoint without >/dev/null 2>&1
refuses "t.csv: the file exists, but the checkpoint has no trace" run "$scene" --resume without -o t.csv
if [ "$H5" ]; then
    "$FOOTFALL" run "$scene" --until 0.1 --checkpoint good5 -o t.h5 >/dev/null 2>&1
    "$FOOTFALL" run "$scene" --until 0.1 --set bodies.ball.mass=0.2 -o other.h5 >/dev/null 2>&1
    cp t.csv text.h5
    head -c 20000 t.h5 >cut.h5
    cp other.h5 before.h5
    refuses "other.h5: is not the trace of the checkpoint" run "$scene" --resume good5 -o other.h5
    refuses "text.h5: is not an HDF5 file" run "$scene" --resume good5 -o text.h5
    refuses "cut.h5: is truncated or damaged" run "$scene" --resume good5 -o cut.h5
    refuses "t.h5: was started with different rows" run "$scene" --resume good5 -o t.h5 --change 0.1
    cmp before.h5 other.h5
    judge $? "what is refused stays as it is"
fi
cmp before.csv t.csv
judge $? "what is refused stays as it is, CSV"

# --- a checkpoint that can no longer be written is reported, and the run continues
# the file grows with each impact: its size is limited to that after the first
"$FOOTFALL" run "$scene" --until 0.14 --checkpoint first >/dev/null 2>&1
(trap '' XFSZ; set -o pipefail; prlimit --fsize=$(wc -c <first) timeout -s KILL 60 "$FOOTFALL" run "$scene" \
    --checkpoint big --checkpoint-every events --json 2>err | cat >out)
status=$?
[ $status -eq 1 ] && [ "$(grep -c "big: File too large" err)" -eq 1 ] && grep -q '"time": 1,' out
judge $? "$(told a full disk)"

checks <<'PYTHON'
from lib import *
import random, signal, time
if os.environ['H5']:
    import h5py, numpy
rolling = os.path.join(os.environ['ROOT'], 'scenes', 'rolling.yaml')
open('crowd.yaml', 'w').write('''
bodies:
  grains:
    count: 200
    radius: {uniform: [4 mm, 6 mm]}
    density: 1100 kg/m^3
    fill: {from: [0, 0, 0], to: [7 cm, 7 cm, 20 cm]}
    seed: 3
ground:
  floor: {plane: {normal: [0, 0, 1]}}
  left: {plane: {normal: [1, 0, 0]}}
  right: {plane: {normal: [-1, 0, 0], point: [7 cm, 0, 0]}}
  front: {plane: {normal: [0, 1, 0]}}
  back: {plane: {normal: [0, -1, 0], point: [0, 7 cm, 0]}}
pairs:
  - between: [grains, "*"]
    normal: {law: azad-featherstone, k: 5e4, lambda: 20}
    friction: {law: clutch, k: 7.5e4, damping: 20, mu: 0.5}
run: {until: 0.06 s, method: verlet, events: none, dt: 5 us}
''')

def outcome(text):
    o = json.loads(text)
    o.pop('wall_seconds')
    return o

def content(path):
    """all that a trace holds but the command line"""
    if path.endswith('.csv'):
        return open(path, 'rb').read()
    found = {}
    def add(name, item):
        # references to dimensions are addresses
        found[name] = {k: repr(v) for k, v in item.attrs.items() if k != 'DIMENSION_LIST'}
        if isinstance(item, h5py.Dataset):
            found[name]['dimensions'] = [[scale.name for scale in d.values()] for d in item.dims]
        if isinstance(item, h5py.Dataset) and name != 'run/command_line':
            found[name]['values'] = (item.shape, item[()].tobytes())
    with h5py.File(path) as f:
        add('/', f)
        f.visititems(add)
    return found

def opens(what, path):
    """after a kill: what is whole can be read"""
    if not os.path.exists(path):
        return
    if path.endswith('.csv'):
        lines = open(path).read().split('\n')[:-1]
        check(f'{what}: whole lines', len({line.count(',') for line in lines}) <= 1)
        return
    try:
        with h5py.File(path) as f:
            rows = int(f.attrs['rows'])
            check(f'{what}: {rows} rows', len(f['time']) >= rows and numpy.isfinite(f['time'][:rows]).all())
    except Exception as e:
        check(f'{what}: the trace opens', False, e)

# --- an end time and a later one; a run at its end
plain = outcome(run('run', rolling, '--until', '0.3', '--json', '-o', 'p.csv').stdout)
r = run('run', rolling, '--until', '0.3', '--json', '-o', 'q.csv', '--checkpoint', 'ck', '--checkpoint-every', '10ms')
check('checkpoints change nothing', outcome(r.stdout) == plain and content('p.csv') == content('q.csv'))
check('the last one is told', r.stderr == 'wrote ck: the run at 0.3 s\nwrote q.csv\n' and not os.path.exists('ck.new'), r.stderr)
r = run('run', rolling, '--until', '0.3', '--json', '-o', 'q.csv', '--resume', 'ck')
check('a run at its end', r.returncode == 0 and outcome(r.stdout) == plain and content('p.csv') == content('q.csv'), r.stderr)
r = run('run', rolling, '--until', '0.5', '--json', '-o', 'q.csv', '--resume', 'ck', '--checkpoint', 'ck')
check('a later end', r.returncode == 0 and outcome(r.stdout)['time'] == 0.5 and outcome(r.stdout)['events'][:len(plain['events'])] == plain['events'])
check('the trace goes on', open('q.csv').read().startswith(open('p.csv').read()))
r = run('run', rolling, '--until', '0.6', '--json', '-o', 'r.csv', '--resume', 'ck', '--every', '0.03', '--plot', 'pictures')
rows = open('r.csv').read().split('\n')
check('another trace begins at the checkpoint', 'r.csv: begins at 0.5 s, where the checkpoint is\n' in r.stderr and
      [float(x.split(',')[0]) for x in rows[1:-1]] == [0.5, 0.51, 0.54, 0.57, 0.6], (r.stderr, len(rows)))
check('pictures begin there', 'pictures begin at 0.5 s' in r.stderr and os.path.exists('pictures/height.svg'), r.stderr)
r = run('run', rolling, '--until', '0.6', '--resume', 'ck')
check('a trace without -o is reported', r.returncode == 0 and 'is not continued, because there is no -o' in r.stderr, r.stderr)
r = run('run', rolling, '--until', '0.3', '--json', '--checkpoint', 'ev', '--checkpoint-every', 'events')
check('at every event', outcome(r.stdout) == plain)
r = run('run', rolling, '--until', '0.6', '--json', '--resume', 'ev', '--checkpoint', 'ev', '--method', 'auto', '--threads', '3')
check('from it', r.returncode == 0, r.stderr)

# --- signals
def start(*more):
    return subprocess.Popen([FOOTFALL, 'run', rolling, '--method', 'rk4', '--dt', '1us', '--until', '0.4', '--every', '1ms', '--json', *more],
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
plain = start('-o', 'p.csv').communicate()[0]
for sign in (signal.SIGUSR1, signal.SIGINT, signal.SIGTERM):
    p = start('-o', 's.csv', '--checkpoint', 'sig')
    while not os.path.exists('sig'):
        time.sleep(0.001)
    time.sleep(0.1)
    p.send_signal(sign)
    if sign == signal.SIGUSR1:
        line = p.stderr.readline()
        check('SIGUSR1 is answered', line.startswith('wrote sig: the run at ') and p.poll() is None, line)
        os.rename('sig', 'asked')
        out, err = p.communicate(timeout=60)
        check('SIGUSR1: it goes on', p.returncode == 0 and outcome(out) == outcome(plain) and content('s.csv') == content('p.csv'), err)
        os.remove('sig')
        os.rename('asked', 'sig')
    else:
        out, err = p.communicate(timeout=60)
        check(f'{sign.name} ends it', p.returncode == 1 and 'interrupted at' in err and 'wrote sig: the run at' in err and 0 < json.loads(out)['time'] < 0.4, err)
    p = start('-o', 's.csv', '--resume', 'sig')
    out, err = p.communicate(timeout=60)
    check(f'{sign.name}: the same in the end', p.returncode == 0 and outcome(out) == outcome(plain) and content('s.csv') == content('p.csv'), err)
    os.remove('sig')

# --- killed at any moment, repeatedly
random.seed(int(os.environ['SEED']))
ways = [
    ([rolling, '--until', '2', '--tol', '1e-13'], '10ms', '.h5'),
    ([rolling, '--method', 'rk4', '--dt', '1us', '--until', '0.5', '--every', '0.5ms'], '10ms', '.csv'),
    (['crowd.yaml', '--threads', '2', '--every', '1ms'], '1ms', '.csv'),
    ([rolling, '--method', 'verlet', '--dt', '1us', '--until', '0.5', '--change', '0.02'], '10ms', '.h5'),
    ([rolling, '--method', 'rk4', '--dt', '1us', '--until', '0.5', '--only-events'], 'events', '.h5'),
    (['crowd.yaml', '--every', '0.5ms', '--threads', '1'], '2ms', '.h5'),
    ([rolling, '--until', '1', '--tol', '1e-13', '--change', '0.001'], '5ms', '.csv'),
]
undisturbed = {}
killed, chains, anew, longest = 0, 0, 0, 0
most = int(os.environ['KILLS'])
while killed < most:
    args, every, suffix = ways[chains % len(ways)]
    chains += 1
    suffix = suffix if os.environ['H5'] else '.csv'
    if chains % len(ways) not in undisturbed:
        begin = time.monotonic()
        r = run('run', *args, '--json', '-o', 'u' + suffix)
        undisturbed[chains % len(ways)] = (outcome(r.stdout), content('u' + suffix), time.monotonic() - begin)
    wanted, trace, seconds = undisturbed[chains % len(ways)]
    path, save, done, here = f'k{suffix}', f'k.save', False, 0
    for name in (path, save, save + '.new'):
        if os.path.exists(name):
            os.remove(name)
    first = None
    what = f'chain {chains} {args[1:]}'
    while not done:
        there = os.path.exists(save)
        more = ['--resume', save] if there else []
        anew += not there and here > 0
        if not there:
            first = ['run', *args, '--json', '-o', path, '--checkpoint', save, '--checkpoint-every', every]
        p = subprocess.Popen([FOOTFALL, 'run', *args, '--json', '-o', path, '--checkpoint', save, '--checkpoint-every', every, *more],
                             stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        # the last process of a chain is not killed
        try:
            limit = random.uniform(0, 0.7 * seconds) if here < 4 and killed < most else 100
            out, err = p.communicate(timeout=limit)
            done = True
        except subprocess.TimeoutExpired:
            p.kill()
            out, err = p.communicate()
            if p.returncode == 0:
                # it finished just before the signal
                done = True
                continue
            check(f'{what}: was running', p.returncode == -signal.SIGKILL or limit == 100)
            killed, here = killed + 1, here + 1
            opens(what, path)
            if limit == 100:
                break
    longest = max(longest, here)
    check(f'{what}: done after {here} kills', p.returncode == 0, err)
    if done and p.returncode == 0:
        check(f'{what}: the same outcome', outcome(out) == wanted)
        check(f'{what}: the same trace', content(path) == trace)
        if suffix == '.h5':
            with h5py.File(path) as f:
                line = f['run/command_line'][()].decode()
                check(f'{what}: the first command', line == ' '.join(['footfall', *first]), line)
                check(f'{what}: complete', f.attrs['complete'] == 1)
print(f'killed {killed} times in {chains} runs, at most {longest} times one, {anew} times before there was a checkpoint')
finish()
PYTHON

finish
