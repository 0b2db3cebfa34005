#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Copyright the footfall authors
#
# traces in HDF5: contents, inspect, rows by change, error messages, and killed runs (KILLS, default 25)
. "$(dirname "$0")/lib.bash"
export ROOT=$root KILLS=${KILLS:-25}
if "$FOOTFALL" inspect none.h5 2>&1 | grep -q 'built without HDF5'; then
    refuses "x.h5: footfall was built without HDF5 .*libhdf5-dev" run "$root/scenes/rolling.yaml" -o x.h5
    finish
fi
# the system's Python has the system's h5py
python3 -c 'import h5py' 2>/dev/null || PATH=/usr/bin:$PATH
if ! python3 -c 'import h5py' 2>/dev/null || ! command -v h5dump >/dev/null; then
    echo "h5py and h5dump are needed (make setup GROUPS=test)"
    exit 1
fi
scene=$root/scenes/rolling.yaml
"$FOOTFALL" run "$scene" --until 0.3 -o t.h5 >/dev/null 2>err || { cat err; exit 1; }

# --- the HDF5 library is loaded for a trace only
loads() { LD_DEBUG=files "$FOOTFALL" "$@" 2>&1 >/dev/null | grep -q libhdf5; }
! ldd "$FOOTFALL" | grep -q hdf5
judge $? "HDF5 is not linked"
! loads run "$scene" --until 0.1 --json
judge $? "a run without a trace does not load HDF5"
! loads run "$scene" --until 0.1 -o t.csv
judge $? "a run with a trace in CSV does not load HDF5"
loads run "$scene" --until 0.1 -o u.h5
judge $? "a run with a trace in HDF5 does"

# --- other programs
h5dump t.h5 >dump 2>&1 && grep -q 'DATASET "position"' dump && ! grep -q -i error dump
judge $? "h5dump opens it: $(head -c 200 dump)"
h5dump -p -H -d /bodies/ball/position t.h5 | tr -d ' \n' | grep -q 'SHUFFLECOMPRESSIONDEFLATE{LEVEL4}'
judge $? "it is compressed"

# --- the same run gives the same bytes
cp t.h5 first.h5
"$FOOTFALL" run "$scene" --until 0.3 -o t.h5 >/dev/null 2>&1 && cmp first.h5 t.h5
judge $? "the same bytes"

# --- error messages
printf 'time,x\n1,2\n' >text.h5
: >empty.h5
head -c 100000 t.h5 >cut.h5
python3 -c "import h5py; h5py.File('other.h5', 'w')['x'] = 1"
python3 -c "
import h5py, numpy
f = h5py.File('bad.h5', 'w')
f.attrs['footfall_version'] = '1'
f = h5py.File('worse.h5', 'w')
f.attrs['footfall_version'] = numpy.bytes_('1')"
refuses "none.h5: No such file" inspect none.h5
refuses "text.h5: is not an HDF5 file" inspect text.h5
refuses "empty.h5: is empty" inspect empty.h5
refuses "cut.h5: is truncated or damaged" inspect cut.h5
refuses "other.h5: is not a trace of footfall" inspect other.h5
refuses "bad.h5: is not a trace of footfall" inspect bad.h5
refuses "worse.h5: is damaged" inspect worse.h5
refuses "Is a directory" inspect .
refuses "too few arguments" inspect
refuses "unexpected argument" inspect t.h5 t.h5
refuses "did you mean '--json'" inspect t.h5 --jsn
refuses "'--scene' cannot be used with --json" inspect t.h5 --json --scene
refuses "traces are written as .csv or .h5, not 'x.hdf'" run "$scene" -o x.hdf
refuses "'--every' cannot be used with --change" run "$scene" -o x.h5 --change 0.1 --every 1ms
refuses "'--only-events' cannot be used with --change" run "$scene" -o x.h5 --change 0.1 --only-events
refuses "not above 0" run "$scene" -o x.h5 --change 0
refuses "above 1" run "$scene" -o x.h5 --change 2
FOOTFALL_HDF5=/none refuses "x.h5: the HDF5 library is not installed .*apt-get install" run "$scene" -o x.h5
FOOTFALL_HDF5=/none refuses "the HDF5 library is not installed" inspect t.h5
FOOTFALL_HDF5=libm.so.6 refuses "HDF5 1.10.3 or later" inspect t.h5
expect 1 "no/x.h5: No such file" run "$scene" -o no/x.h5
expect 1 "no/x.csv: No such file" run "$scene" -o no/x.csv
[ ! -e x.h5 ]
judge $? "a run that does not start leaves no file"

# --- a full disk ends the run
(trap '' XFSZ; ulimit -f 600; timeout -s KILL 60 "$FOOTFALL" run "$scene" --method rk4 --dt 1us -o full.h5 >out 2>err)
status=$?
[ $status -eq 1 ] && [ "$(wc -l <err)" -eq 1 ] && grep -q "full.h5: File too large" err
judge $? "$(told a full disk)"
ln -s /dev/full full.csv
call run "$scene" --method rk4 --dt 10us -o full.csv
[ $status -eq 1 ] && [ "$(wc -l <err)" -eq 1 ] && grep -q "full.csv: cannot be written" err
judge $? "$(told a full disk, CSV)"

checks <<'PYTHON'
from lib import *
import csv, h5py, numpy, random, shutil, signal, time
rolling = os.path.join(os.environ['ROOT'], 'scenes', 'rolling.yaml')

def sets(file):
    """name: values of all columns, as a table has them"""
    found = {}
    def add(name, item):
        if not isinstance(item, h5py.Dataset) or name.startswith(('events', 'run/', 'axis_')):
            return
        parts = item.attrs['columns'].decode().split() if 'columns' in item.attrs else [name.split('/')[-1]]
        owner = '/'.join(name.split('/')[1:-1]) or name.split('/')[0]
        for i, part in enumerate(parts):
            found['t:s' if name == 'time' else f'{owner}:{part}'] = item[()].reshape(len(item), len(parts))[:, i]
    file.visititems(add)
    return found

# --- the same numbers as in a table, for every selection of rows
for more in ([], ['--every', '1ms'], ['--only-events'], ['--change', '0.02']):
    scene = os.path.join(os.environ['ROOT'], 'scenes', 'collision.yaml' if more else 'rolling.yaml')
    plain = ask('run', scene)
    for suffix in ('csv', 'h5'):
        r = run('run', scene, '-o', f'a.{suffix}', '--json', *more)
        check(f'{suffix} {more}', r.returncode == 0 and r.stderr == f'wrote a.{suffix}\n', r.stderr)
        check('a trace changes nothing', {**json.loads(r.stdout), 'wall_seconds': 0} == {**plain, 'wall_seconds': 0})
    table = list(csv.DictReader(open('a.csv')))
    with h5py.File('a.h5') as f:
        got = sets(f)
        check(f'{more}: columns', set(got) == set(table[0]), set(got) ^ set(table[0]))
        check(f'{more}: rows', f.attrs['rows'] == len(table) == len(f['time']), len(table))
        same = all(numpy.array_equal(got[name], [float(row[name]) for row in table]) for name in got)
        check(f'{more}: numbers', same)
        check(f'{more}: complete', f.attrs['complete'] == 1)
        check(f'{more}: units', all('units' in d.attrs for d in (f['time'], f['events/time'], *f['ledger'].values())))
        events = [{'t': t, 'kind': k.decode(), 'pair': p.decode()} for t, k, p in
                  zip(f['events/time'], f['events/kind'], f['events/pair'])]
        check(f'{more}: events', events == [{k: e[k] for k in ('t', 'kind', 'pair')} for e in plain['events']])
        check(f'{more}: ledger', {k: float(v) for k, v in f['ledger'].attrs.items()} == plain['ledger'])
        check('version', f.attrs['footfall_version'].decode() in run('--version').stdout)
        check('command', f['run/command_line'][()].decode() == ' '.join(['footfall run', scene, '-o a.h5 --json', *more]))
        check('earliest format', f.libver[0] == 'earliest')

# --- dimension scales, for netCDF and xarray; texts have a fixed length
def scales(path, sizes):
    with h5py.File(path) as f:
        got = {}
        def add(name, item):
            if isinstance(item, h5py.Dataset):
                check(f'{name}: fixed length', item.dtype.kind in 'fS', item.dtype)
                if 'CLASS' not in item.attrs and not name.startswith('run/'):
                    got[name] = [list(d.values())[0].name if len(d) else None for d in item.dims]
                    check(f'{name}: lengths of its dimensions', item.shape == tuple(len(f[s]) for s in got[name]), got[name])
            for key, value in item.attrs.items():
                check(f'{name}@{key}: plain', key == 'DIMENSION_LIST' or not isinstance(value, str), value)
        f.visititems(add)
        for name, wanted in sizes.items():
            check(f'{name}: dimensions', got[name] == wanted, got[name])
scales('a.h5', {'ledger/slip': ['/time'], 'events/kind': ['/events/time'], 'bodies/large/position': ['/time', '/axis_3']})
try:
    import xarray
    run('run', rolling, '--until', '0.3', '-o', 'x.h5')
    with xarray.open_dataset('x.h5', engine='h5netcdf', group='bodies/ball') as d, h5py.File('x.h5') as f:
        check('xarray', d['position'].dims == ('time', 'axis_3') and numpy.array_equal(d['position'], f['bodies/ball/position']))
except ImportError:
    pass

# --- inspect
run('run', rolling, '--set', 'pairs[0].friction.mu=0.1', '--until', '0.4 s', '--tol', '1e-8', '-o', 'i.h5')
once = ask('run', rolling, '--set', 'pairs[0].friction.mu=0.1', '--until', '0.4 s', '--tol', '1e-8')
seen = ask('inspect', 'i.h5')
with h5py.File('i.h5') as f:
    check('inspect: rows', seen['rows'] == len(f['time']) and seen['from'] == 0 and seen['to'] == 0.4)
check('inspect: command', "'pairs[0].friction.mu=0.1' --until '0.4 s'" in seen['command'], seen['command'])
check('inspect: what is in it', seen['bodies'] == ['ball'] and seen['contacts'] == ['ball/floor'] and seen['complete'])
check('inspect: units', {'path': '/bodies/ball/position', 'units': 'm', 'width': 3} in seen['datasets'])
kinds = [e['kind'] for e in once['events']]
check('inspect: events', seen['events'] == {k: kinds.count(k) for k in set(kinds)}, seen['events'])
check('inspect: ledger', seen['ledger'] == once['ledger'])
text = run('inspect', 'i.h5').stdout
for word in ('complete, ', 'to 0.4 s', 'touchdown', 'bodies: ball', 'contacts: ball/floor', '/bodies/ball/position', 'normal_damper', 'residual'):
    check(f'inspect prints {word}', word in text, text)
r = run('inspect', 'i.h5', '--scene')
check('--scene', r.returncode == 0 and r.stderr == '' and r.stdout == seen['scene'], r.stderr)
open('again.yaml', 'w').write(r.stdout)
again = ask('run', 'again.yaml')
check('a run can be done again', {**again, 'wall_seconds': 0} == {**once, 'wall_seconds': 0})
for name in sorted(os.listdir(os.path.join(os.environ['ROOT'], 'scenes'))):
    scene = os.path.join(os.environ['ROOT'], 'scenes', name)
    run('run', scene, '-o', 's.h5', '--only-events')
    open('again.yaml', 'w').write(run('inspect', 's.h5', '--scene').stdout)
    a, b = ask('run', scene), ask('run', 'again.yaml')
    check(f'{name} can be done again', {**a, 'wall_seconds': 0} == {**b, 'wall_seconds': 0})

# --- a scene through a pipe is read once
r = subprocess.run(['bash', '-c', f'"$FOOTFALL" run <(cat {rolling}) --until 0.1 -o p.h5'], capture_output=True, text=True)
check('a scene through a pipe', r.returncode == 0 and 'ball' in run('inspect', 'p.h5', '--scene').stdout, r.stderr)

# --- damaged files: a missing or invalid part is reported, by inspect and report alike
COMMANDS = ('inspect',) if 'built without the page' in run('report', 'i.h5', '-o', 'i.html').stderr else ('inspect', 'report')
def damage(what, change):
    shutil.copy('i.h5', 'd.h5')
    with h5py.File('d.h5', 'r+') as f:
        change(f)
    for command in COMMANDS:
        r = run(command, 'd.h5')
        check(f'{command} {what}', r.returncode == 2 and r.stdout == '' and 'd.h5: is ' in r.stderr and len(r.stderr.splitlines()) == 1, r.stderr)
def replace(f, name, value):
    del f[name]
    f[name] = value
def reset(item, name, value):
    del item.attrs[name]
    item.attrs[name] = value
damage('no events', lambda f: f.__delitem__('events'))
damage('no kinds', lambda f: f.__delitem__('events/kind'))
damage('no time', lambda f: f.__delitem__('time'))
damage('no position', lambda f: f.__delitem__('bodies/ball/position'))
damage('no run', lambda f: f.__delitem__('run'))
damage('a text of variable length', lambda f: replace(f, 'run/scene', 'bodies: {}'))
damage('a version of variable length', lambda f: reset(f, 'footfall_version', '0.1.0'))
damage('units of variable length', lambda f: reset(f['time'], 'units', 's'))
damage('whole numbers', lambda f: replace(f, 'ledger/slip', [1, 2, 3]))
damage('too few rows', lambda f: f['ledger/slip'].resize(3, 0))
damage('rows that are none', lambda f: reset(f, 'rows', numpy.bytes_('many')))
damage('more rows than there are', lambda f: f.attrs.modify('rows', 10**12))
damage('columns twice', lambda f: f['ledger/slip'].attrs.modify('first_column', 1))
damage('an event that is none', lambda f: f['events/kind'].__setitem__(0, b'nothing'))
damage('a method that is none', lambda f: reset(f['run'], 'method', numpy.bytes_('magic')))
damage('something else in it', lambda f: f.create_dataset('more', data=[1.0]))
damage('a link to nowhere', lambda f: f.__setitem__('soft', h5py.SoftLink('/nowhere')))
damage('a group in itself', lambda f: f.__setitem__('bodies/again', f['bodies']))

# --- rows by change: few, all events, the end, and no omitted change between them
run('run', rolling, '-o', 'all.h5')
run('run', rolling, '-o', 'few.h5', '--change', '0.05')
with h5py.File('all.h5') as f, h5py.File('few.h5') as g:
    every, few = sets(f), sets(g)
    check('fewer rows', len(few['t:s']) < len(every['t:s']) / 2, (len(few['t:s']), len(every['t:s'])))
    check('all events have rows', set(g['events/time'][()]) <= set(few['t:s']))
    check('first and last', few['t:s'][0] == 0 and few['t:s'][-1] == 1)
    before = numpy.searchsorted(g['time'], f['time'], side='right') - 1
    def compare(name, item):
        if isinstance(item, h5py.Dataset) and name.startswith(('bodies', 'contacts')):
            off, reach = numpy.abs(item[()] - g[name][()][before]).max(), numpy.abs(item[()] - item[0]).max()
            check(f'{name} changes by no more in between', off <= 0.05 * reach, (off, reach))
    f.visititems(compare)

# --- a crowd: one dataset per quantity, with the names of bodies beside it, and the numbers of a table
open('crowd.yaml', 'w').write("""
bodies:
  sand: {count: 250, radius: {uniform: [0.9 mm, 1 mm]}, density: 2500 kg/m^3, fill: {from: [0, 0, 0], to: [2 cm, 2 cm, 2 cm]}, seed: 1}
  stones: {count: 3, radius: 2 mm, density: 2500 kg/m^3, fill: {from: [0, 0, 2 cm], to: [2 cm, 2 cm, 3 cm]}, seed: 2}
ground:
  floor: {plane: {normal: [0, 0, 1]}}
pairs:
  - between: ["*", "*"]
    normal: {law: linear, k: 1e3, lambda: 0.1}
run: {until: 2 ms, method: verlet, dt: 10 us, events: none}
""")

def crowd_table(path):
    with h5py.File(path) as f:
        names = [n.decode() for n in f['bodies/name'][()]]
        check('a crowd: names', names[0] == 'sand[0]' and names[-1] == 'stones[2]' and f['bodies'].attrs['rows'] == 253, names)
        check('a crowd: units', f['bodies/velocity'].attrs['units'] == b'm/s')
        check('a crowd: datasets', set(f['bodies']) == {'name', 'position', 'velocity', 'orientation', 'omega', 'normal_force'}, set(f['bodies']))
        check('a crowd: shape', f['bodies/position'].shape == (f.attrs['rows'], 253, 3), f['bodies/position'].shape)
        found = {'t:s': f['time'][()], **{f'ledger:{name}': item[()] for name, item in f['ledger'].items()}}
        for quantity in set(f['bodies']) - {'name'}:
            parts = f['bodies'][quantity].attrs['columns'].decode().split()
            values = f['bodies'][quantity][()].reshape(f.attrs['rows'], len(names), -1)
            for i, name in enumerate(names):
                for j, part in enumerate(parts):
                    found[f'{name}:{part}'] = values[:, i, j]
        return found

for suffix in ('csv', 'h5'):
    r = run('run', 'crowd.yaml', '-o', f'crowd.{suffix}')
    check(f'a crowd, {suffix}', r.returncode == 0, r.stderr)
table, got = list(csv.DictReader(open('crowd.csv'))), crowd_table('crowd.h5')
scales('crowd.h5', {'bodies/position': ['/time', '/bodies/name', '/axis_3'], 'ledger/slip': ['/time']})
check('a crowd: columns', set(got) == set(table[0]), list(set(got) ^ set(table[0]))[:5])
check('a crowd: numbers', all(numpy.array_equal(got[name], [float(row[name]) for row in table]) for name in got))
seen = ask('inspect', 'crowd.h5')
check('a crowd: inspect', seen['rows'] == 201 and len(seen['bodies']) == 253 and seen['bodies'][252] == 'stones[2]'
      and {'path': '/bodies/position', 'units': 'm', 'width': 759} in seen['datasets'], seen['datasets'])
run('run', 'crowd.yaml', '-o', 'part.h5', '--checkpoint', 'part.ck', '--max-steps', '70')
r = run('run', 'crowd.yaml', '-o', 'part.h5', '--resume', 'part.ck')
again = crowd_table('part.h5')
check('a crowd: resumed', r.returncode == 0 and all(numpy.array_equal(got[n], again[n]) for n in got), r.stderr)
r = subprocess.Popen([FOOTFALL, 'run', 'crowd.yaml', '--until', '1000', '-o', 'dead.h5'], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
while not os.path.exists('dead.h5'):
    time.sleep(0.01)
time.sleep(2.5)
r.kill()
r.wait()
with h5py.File('dead.h5') as f:
    rows = int(f.attrs['rows'])
    check('a crowd that was killed', rows > 0 and numpy.isfinite(f['bodies/position'][:rows]).all() and f.attrs['complete'] == 0, rows)
check('a crowd that was killed: inspect', ask('inspect', 'dead.h5')['rows'] == rows)
os.remove('dead.h5')

# --- Ctrl-C and similar signals end a run properly
for sign in (signal.SIGINT, signal.SIGTERM):
    p = subprocess.Popen([FOOTFALL, 'run', rolling, '--method', 'rk4', '--dt', '1us', '--until', '1e5', '-o', 'c.h5', '--json'], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    while not os.path.exists('c.h5'):
        time.sleep(0.01)
    time.sleep(0.3)
    p.send_signal(sign)
    out, err = p.communicate(timeout=60)
    seen = ask('inspect', 'c.h5')
    check(f'{sign.name}', p.returncode == 1 and 'interrupted' in err and not seen['complete'] and seen['to'] == json.loads(out)['time'], err)
    os.remove('c.h5')

# --- killed at any moment
random.seed(1)
ways = [[], ['--every', '1ms'], ['--every', '0.2ms'], ['--change', '0.01']]

class Victim:
    def __init__(self, i):
        self.path, self.way = f'k{i}.h5', ways[i % len(ways)]
        self.run = subprocess.Popen([FOOTFALL, 'run', rolling, '--method', 'rk4', '--dt', '1us', '--until', '1000', '-o', self.path, *self.way],
                                    stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        # some before the file exists, most within the first flushes
        self.lives = random.uniform(0, 0.1) if i % 5 == 0 else random.uniform(0.02, 2.5)
        self.end = time.monotonic() + self.lives

    def judge(self):
        what = f'{self.path} {self.way}, killed after {self.lives:.3f} s'
        self.run.kill()
        check(f'{what}: was running', self.run.wait() == -signal.SIGKILL, self.run.stderr.read())
        if not os.path.exists(self.path):
            check(f'{what}: there is a file', self.lives < 1)
            return 0
        rows = 0
        try:
            with h5py.File(self.path) as f:
                got = sets(f)
                rows = min([int(f.attrs['rows'])] + [len(v) for v in got.values()])
                whole = all(numpy.isfinite(v[:rows]).all() for v in got.values())
                check(f'{what}: {rows} whole rows', whole and (numpy.diff(got['t:s'][:rows]) >= 0).all())
                check(f'{what}: not complete', f.attrs['complete'] == 0 and b'bodies' in f['run/scene'][()])
        except Exception as e:
            check(f'{what}: opens', False, e)
        seen = ask('inspect', self.path)
        check(f'{what}: inspect', seen.get('rows') == rows and seen.get('complete') is False)
        os.remove(self.path)
        return rows

waiting, opened, rows = [], 0, []
for i in range(int(os.environ['KILLS'])):
    waiting.append(Victim(i))
    while len(waiting) == 4 or (waiting and i == int(os.environ['KILLS']) - 1):
        for v in [v for v in waiting if time.monotonic() >= v.end]:
            waiting.remove(v)
            rows.append(v.judge())
        time.sleep(0.001)
check('some were killed after a flush, some before', any(rows) and not all(rows), rows)
# a file left under another name was never a trace
check('no other files', not [n for n in os.listdir('.') if n.startswith('k') and n.endswith('.h5')])
finish()
PYTHON

finish
