#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Copyright the footfall authors
#
# the command as users call it: answers against closed forms, sweeps, inverses, fits, pictures, and every mistake
set -u
exec python3 - "$FOOTFALL" <<'PYTHON'
import json, math, os, random, subprocess, sys, tempfile
footfall = os.path.abspath(sys.argv[1])
passed = failed = 0

def check(what, ok, seen=''):
    global passed, failed
    passed += bool(ok)
    failed += not ok
    if not ok:
        print(f'FAIL {what}: {seen}')

def call(*args, **kw):
    return subprocess.run([footfall, *map(str, args)], capture_output=True, text=True, timeout=60, **kw)

def js(*args):
    r = call(*args, '--json')
    try:
        return json.loads(r.stdout)
    except ValueError:
        check(f'{args} is JSON', False, r.stdout[:100] + r.stderr)
        return {}

def near(what, seen, want, relative):
    check(what, isinstance(seen, (int, float)) and abs(seen - want) <= relative * abs(want), f'{seen} instead of {want}')

def wrong(pattern, *args, status=2):
    r = call(*args)
    ok = r.returncode == status and r.stdout == '' and len(r.stderr.strip().splitlines()) == 1 and pattern in r.stderr
    check(f'{" ".join(map(str, args))}', ok, f'exit {r.returncode}, out {r.stdout[:60]!r}, err {r.stderr!r}, wanted {pattern!r}')

AF = ['--normal', 'azad-featherstone', '--k', '8.5e6', '--lambda', '3.1e3', '--mass', '0.154', '--speed', '1']
tmp = tempfile.mkdtemp()
path = lambda name: os.path.join(tmp, name)
def write(name, text):
    open(path(name), 'w').write(text)
    return path(name)

# --- help and the catalogue
for c in ['laws', 'restitution', 'design', 'phase', 'fit']:
    r = call(c, '--help')
    text = r.stdout.split('examples:')[0]
    check(f'{c} --help', r.returncode == 0 and r.stderr == '' and max(map(len, text.splitlines())) <= 80)
r = call()
check('no command', r.returncode == 2 and 'usage' in r.stderr and r.stdout == '')
check('--help', call('--help').returncode == 0)
check('--version', call('--version').stdout.startswith('footfall '))
wrong("did you mean 'restitution'", 'restitutoin')
wrong('lists them', 'zzz')
catalogue = js('laws')
for law in catalogue['laws']:
    r = call('laws', law['name'])
    check(f"laws {law['name']}", r.returncode == 0 and law['formula'] in r.stdout)
check('materials', len(catalogue['materials']) >= 12 and 'steel' in call('laws', '--materials').stdout)
wrong("did you mean 'lugre'", 'laws', 'lugree')
wrong('lists them', 'laws', 'xxxxxxxx')
wrong('leave out', 'laws', 'linear', '--materials')
wrong('', 'laws', 'linear', 'hertz')

# --- wrong input
def changed(**change):
    args = dict(zip(AF[::2], AF[1::2]))
    for k, v in change.items():
        k = '--' + k.replace('_', '-')
        args.pop(k, None)
        if v is not None:
            args[k] = v
    return ['restitution', *[x for kv in args.items() for x in kv]]
wrong('not above 0', *changed(mass='-1'))
wrong('not above 0', *changed(mass='0'))
wrong('finite', *changed(mass='nan'))
wrong('finite', *changed(mass='inf'))
wrong("did you mean 'azad-featherstone'", *changed(normal='azad-fetherstone'))
wrong('not a number', *changed(speed='fast'))
wrong('expected a mass', *changed(mass='3 cm'))
wrong('expected a mass', *changed(mass='1.65m'))
wrong('N/m^1.5', *changed(k='8.5e6 N/m'))
wrong('--k', *changed(k=None))
wrong('--lambda', *changed(**{'lambda': None}))
wrong('--mass', *changed(mass=None))
wrong('--speed', *changed(speed=None))
wrong('--normal', *changed(normal=None))
wrong("'--n'", *changed(n='1'))
wrong("'--beta'", *changed(beta='1'))
wrong("did you mean 'tension'", *changed(detach='tensoin'))
wrong('one value or two', *changed(mass='1,2,3'))
wrong("did you mean '--speed'", 'restitution', '--sped', '1')
wrong('', 'restitution', *AF, '--speed', '2')
for bad in ['1:2', '1:2:0', '1:2:3:4', '0:1:5log', '1,,2', '1:2:1e9', '', '1,2 mm/s', '1 kg', '1e400']:
    wrong('', *changed(speed=bad))
wrong('beta', 'restitution', '--normal', 'xiong', '--K', 1, '--alpha', 2, '--beta', 1, '--mass', 1, '--speed', 1)
wrong("did you mean 'steel'", 'restitution', '--normal', 'azad-featherstone', '--materials', 'stel', '--radius', '1cm', '--lambda', 1, '--speed', 1)
wrong('--radius', 'restitution', '--normal', 'azad-featherstone', '--materials', 'steel', '--lambda', 1, '--speed', 1, '--mass', 1)
wrong('n = 3/2', 'restitution', '--normal', 'linear', '--materials', 'steel', '--radius', '1cm', '--lambda', 1, '--speed', 1)
wrong('either', 'restitution', '--normal', 'azad-featherstone', '--materials', 'steel', '--E', 1, '--nu', 0.3, '--radius', '1cm', '--lambda', 1, '--speed', 1)
wrong('go together', 'restitution', '--normal', 'azad-featherstone', '--E', 1, '--radius', '1cm', '--lambda', 1, '--speed', 1, '--mass', 1)
wrong('[0, 0.5]', 'restitution', '--normal', 'azad-featherstone', '--E', 1, '--nu', 0.7, '--radius', '1cm', '--lambda', 1, '--speed', 1, '--mass', 1)
wrong('.svg', 'restitution', *AF, '--plot', path('x.gif'))
wrong('only', 'restitution', *AF, '--at', '1')
wrong('compare', 'restitution', '--compare', 'all', *AF)
wrong('no law', 'restitution', '--compare', 'flores', '--restitution', 0.5, '--max-depth', '1mm', '--at', 1, '--mass', 1, '--speed', 1)
r = call('restitution', *AF, '--plot', path('no/such/folder.svg'))
check('a plot that cannot be written', r.returncode == 1 and 'folder.svg' in r.stderr)
with open('/dev/full', 'w') as full:
    r = subprocess.run([footfall, 'laws'], stdout=full, stderr=subprocess.PIPE, text=True)
check('a full disk', r.returncode == 1 and 'write' in r.stderr)

# --- answers
for zeta in (0.05, 0.3, 0.9, 1.5):
    for detach in ('clamp', 'tension'):
        p = js('restitution', '--normal', 'linear', '--k', 100, '--lambda', 20 * zeta, '--mass', 1, '--speed', 3, '--detach', detach)['points'][0]
        if detach == 'tension' and zeta >= 1:
            check('never ends', p['contact_time'] is None and p['restitution'] == 0)
            continue
        s = math.sqrt(abs(1 - zeta * zeta))
        theta = math.acos(zeta) if zeta < 1 else math.acosh(zeta)
        want = math.exp(-2 * zeta * theta / s) if detach == 'clamp' else math.exp(-math.pi * zeta / s)
        near(f'linear {zeta} {detach}', p['restitution'], want, 1e-13)
for d in (0.01, 0.5, 4):
    low, high = 0, 1 / d
    for _ in range(200):  # d (1 + e) = ln((1 + d)/(1 - d e))
        e = (low + high) / 2
        low, high = (e, high) if d * (1 + e) > math.log((1 + d) / (1 - d * e)) else (low, e)
    for m, k, n, v in ((1, 1e6, 1.5, 2), (30, 1e3, 1, 0.1), (0.01, 1e9, 2.2, 7)):
        p = js('restitution', '--normal', 'hunt-crossley', '--n', n, '--k', k, '--lambda', d * k / v, '--mass', m, '--speed', v)['points'][0]
        near(f'Hunt-Crossley d = {d}', p['restitution'], min(e, 1), 1e-11)
one = js('restitution', *AF)['points'][0]
near('p = 1/2', one['restitution'], 0.62029078416084207, 1e-12)
near('energy', one['energy_lost'], 0.5 * 0.154 * (1 - one['restitution'] ** 2), 1e-12)
units = js('restitution', '--normal', 'azad-featherstone', '--k', '8.5 MN/m^1.5', '--lambda', '3.1 kN s/m^1.5', '--mass', '154 g', '--speed', '100 cm/s')['points'][0]
check('units', units == one, units)
two = js('restitution', '--normal', 'azad-featherstone', '--k', '8.5e6', '--lambda', '3.1e3', '--mass', '308g,308g', '--speed', '1')['points'][0]
near('two bodies have the reduced mass', two['restitution'], one['restitution'], 1e-13)
derived = js('restitution', '--normal', 'azad-featherstone', '--E', '2e9,3e9', '--nu', '0.3,0.4', '--radius', '1cm,3cm', '--lambda', 10, '--mass', 1, '--speed', 1)
modulus = 1 / (0.91 / 2e9 + 0.84 / 3e9)
near('E*', derived['modulus'], modulus, 1e-14)
near('R', derived['radius'], 0.0075, 1e-14)
near('k', derived['hertz_k'], 4 / 3 * modulus * math.sqrt(0.0075), 1e-14)
star = js('restitution', '--normal', 'azad-featherstone', '--k', 1e6, '--lambda-star', 1000, '--radius', '4cm', '--mass', 1, '--speed', 1)['points'][0]
plain = js('restitution', '--normal', 'azad-featherstone', '--k', 1e6, '--lambda', 200, '--mass', 1, '--speed', 1)['points'][0]
near('lambda*', star['restitution'], plain['restitution'], 1e-14)
sweep = js('restitution', *changed(speed='1e-3:10:5log', k='1e6,2e6')[1:])['points']
check('sweep: order and keys', [(p['k'], round(math.log10(p['speed']), 9)) for p in sweep] == [(k, x) for k in (1e6, 2e6) for x in (-3, -2, -1, 0, 1)])
check('linear range', [p['speed'] for p in js('restitution', *changed(speed='1:3:5')[1:])['points']] == [1, 1.5, 2, 2.5, 3])
c = js('restitution', '--compare', 'all', '--restitution', 0.7, '--max-depth', '1mm', '--at', 2, '--mass', 1, '--speed', '2,4')
for law in c['laws']:
    near(f"compare: {law['law']}", law['restitution'][0], 0.7, 1e-11)

# --- inverses: what design finds, restitution confirms
def confirm(law, parameters, mass, speed):
    args = ['restitution', '--normal', law, '--mass', mass, '--speed', speed]
    for k, v in parameters.items():
        args += ['--' + k.replace('_', '-'), v if isinstance(v, str) else repr(v)]
    return js(*args)['points'][0]
for law in ('linear', 'hunt-crossley', 'lee-wang', 'azad-featherstone', 'tsuji', 'marhefka-orin'):
    given = {'linear': ['k'], }.get(law, ['k'])
    d = js('design', '--normal', law, '--k', 1e6, '--mass', 2, '--speed', 0.5, '--loss', '1e-9')
    keep = {k: v for k, v in d['parameters'].items() if not (law == 'marhefka-orin' and k == 'lambda')}
    near(f'{law}: a loss of 1e-9', confirm(law, keep, 2, 0.5)['loss'], 1e-9, 1e-10)
    d = js('design', '--normal', law, '--mass', 2, '--speed', 0.5, '--restitution', 0.4, '--contact-time', '3ms')
    p = confirm(law, d['parameters'], 2, 0.5)
    near(f'{law}: time', p['contact_time'], 3e-3, 1e-10)
    near(f'{law}: e', p['restitution'], 0.4, 1e-11)
    d = js('design', '--normal', law, '--mass', 2, '--speed', 0.5, '--restitution', 0.4, '--max-depth', '2mm')
    near(f'{law}: depth', confirm(law, d['parameters'], 2, 0.5)['max_depth'], 2e-3, 1e-10)
d = js('design', '--normal', 'xiong', '--mass', 1, '--restitution', 0.5, '--contact-time', '8ms')
p = confirm('xiong', d['parameters'], 1, 1)
near('xiong: e', p['restitution'], 0.5, 1e-11)
near('xiong: time', p['contact_time'], 8e-3, 1e-11)
near('xiong: alpha/beta', d['parameters']['alpha'] / d['parameters']['beta'], 0.3, 1e-9)
D = ['design', '--normal', 'azad-featherstone', '--mass', 1, '--speed', 1]
wrong('0.2247', 'design', '--normal', 'xiong', '--mass', 1, '--restitution', 0.1, '--contact-time', '8ms', status=1)
wrong('either', *D, '--k', 1)
wrong('either', *D, '--k', 1, '--restitution', 0.5, '--loss', 0.5)
wrong('either', *D, '--restitution', 0.5, '--contact-time', 1, '--max-depth', 1)
wrong('given already', *D, '--k', 1, '--restitution', 0.5, '--contact-time', 1)
wrong('give --k', *D, '--restitution', 0.5)
wrong('hertz', *D, '--k', 1, '--restitution', 1)
wrong('leave it out', *D, '--k', 1, '--restitution', 0.5, '--lambda', 3)
wrong('leave it out', *D, '--k', 1, '--restitution', 0.5, '--lambda-out', 3)
wrong('no damping', 'design', '--normal', 'flores', '--e', 0.5, '--k', 1, '--mass', 1, '--speed', 1, '--restitution', 0.5)
wrong('', *D, '--k', 1, '--restitution', 1.5)
wrong('', *D, '--k', '1,2', '--restitution', 0.5)
wrong('contact-time', 'design', '--normal', 'xiong', '--mass', 1, '--restitution', 0.5)

# --- phase planes
P = ['phase', '--normal', 'marhefka-orin', '--k', 50e3, '--alpha', 0.4, '--mass', 50]
o = js(*P, '--speed', '1,2', '--branch', '2,3', '--points', 20)
near('separatrix', o['separatrix'], -5 / 3, 1e-14)
check('contours', len(o['contours']) == 4 and all(len(c['depth']) == 20 for c in o['contours']))
near('end of a contour', o['contours'][0]['velocity'][-1], -0.7119501795778662, 1e-12)
check('branches pull', all(f < 0 for f in o['contours'][2]['force'][:-1]) and not o['contours'][2]['reached_by_impact'])
wrong('one value', *P[:3], '--k', '1,2', '--alpha', 0.4, '--mass', 50, '--speed', 1)
wrong('power laws', 'phase', '--normal', 'xiong', '--K', 1e5, '--alpha', 0.005, '--beta', 0.01, '--mass', 1, '--speed', 1, '--branch', 1)
check('xiong has contours', len(js('phase', '--normal', 'xiong', '--K', 1e5, '--alpha', 0.005, '--beta', 0.01, '--mass', 1, '--speed', 1)['contours']) == 1)

# --- fits
random.seed(5)
speeds = [0.02 * 1.3 ** i for i in range(20)]
truth = js('restitution', *changed(speed=','.join(map(repr, speeds)))[1:])['points']
rows = ''.join(f"{p['speed']!r},{p['restitution'] + random.gauss(0, 0.01)!r},0.01,{p['contact_time'] * (1 + random.gauss(0, 0.01))!r}\n" for p in truth)
data = write('drop.csv', '# measured\nspeed,restitution,sigma,contact_time\n' + rows)
F = ['fit', data, '--normal', 'azad-featherstone', '--mass', 0.154]
fit = js(*F, '--k', 8.5e6)['fits'][0]
check('the truth is within 3 standard errors', abs(fit['lambda'] - 3100) < 3 * fit['lambda_error'] < 600, fit)
check('residuals', len(fit['residuals']) == 20 and max(map(abs, fit['residuals'])) < 0.05)
fit = js(*F, '--free-k')['fits'][0]
check('k too', abs(fit['k'] - 8.5e6) < 3 * fit['k_error'] < 1e6 and abs(fit['lambda'] - 3100) < 3 * fit['lambda_error'], fit)
ranked = [f['law'] for f in js(*F, '--k', 8.5e6, '--compare')['fits']]
check('--compare finds the law', ranked[0] == 'azad-featherstone' and len(ranked) == 5, ranked)
check('materials give k', js('fit', data, '--normal', 'azad-featherstone', '--materials', 'steel,cork', '--radius', '1.65cm')['fits'][0]['k'] > 1e6)
short = write('short.csv', 'speed,restitution\n1,0.5\n2,0.4\n3,0.35\n')
wrong('contact times', 'fit', short, *F[2:], '--free-k', status=1)
wrong('No such file', 'fit', path('none.csv'), *F[2:], '--k', 1)
wrong('bad.csv:3:3: ', 'fit', write('bad.csv', 'speed,restitution\n1,0.5\n2,x\n'), *F[2:], '--k', 1)
wrong('more.csv:2:7: more fields', 'fit', write('more.csv', 'speed,restitution\n1,0.5,3\n'), *F[2:], '--k', 1)
wrong('fewer fields', 'fit', write('less.csv', 'speed,restitution\n1\n'), *F[2:], '--k', 1)
wrong('no data', 'fit', write('empty.csv', ''), *F[2:], '--k', 1)
wrong('same name', 'fit', write('twice.csv', 'speed,speed\n1,1\n'), *F[2:], '--k', 1)
wrong('no name', 'fit', write('unnamed.csv', 'speed,\n1,1\n'), *F[2:], '--k', 1)
wrong("did you mean 'restitution'", 'fit', write('name.csv', 'speed,restitutoin\n1,1\n'), *F[2:], '--k', 1)
wrong('are needed', 'fit', write('one.csv', 'speed\n1\n'), *F[2:], '--k', 1)
wrong('neg.csv:3: speed', 'fit', write('neg.csv', 'speed,restitution\n1,0.5\n-1,0.5\n'), *F[2:], '--k', 1)
wrong('restitution must', 'fit', write('big.csv', 'speed,restitution\n1,5\n'), *F[2:], '--k', 1)
wrong('sigma must', 'fit', write('sig.csv', 'speed,restitution,sigma\n1,0.5,0\n'), *F[2:], '--k', 1)
wrong('leave it out', *F, '--k', 1, '--lambda', 1)
wrong('in the data', *F, '--k', 1, '--speed', 1)
wrong('--free-k', *F, '--k', 1, '--free-k')
wrong('damping', 'fit', data, '--normal', 'hertz', '--k', 1, '--mass', 1)
wrong('', 'fit', '--normal', 'linear', '--k', 1, '--mass', 1)

# --- pictures
for kind, magic in (('svg', b'<?xml'), ('png', b'\x89PNG'), ('pdf', b'%PDF')):
    out = path('p.' + kind)
    for args in (['restitution', *changed(speed='0.1:10:20log')[1:]], [*P, '--speed', '1,2', '--branch', 2], [*P, '--speed', 1, '--loop'], [*F, '--k', 8.5e6]):
        r = call(*args, '--plot', out, '--json')
        good = r.returncode == 0 and open(out, 'rb').read(5).startswith(magic) and json.loads(r.stdout)
        check(f'{args[0]} draws {kind}', good, r.stderr)
        os.remove(out)
r = call('restitution', *AF, '--plot', path('a.svg'), '--plot', path('b.png'))
check('two pictures', r.returncode == 0 and os.path.getsize(path('a.svg')) and os.path.getsize(path('b.png')))

subprocess.run(['rm', '-rf', tmp])
print(f'{passed} passed, {failed} failed')
sys.exit(failed > 0)
PYTHON
