#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Copyright the footfall authors
#
# run and check as called by users: output, traces, pictures, settings, and every error message
set -u
root=$(cd "$(dirname "$0")/../.." && pwd)
exec python3 - "$root" "$FOOTFALL" <<'PYTHON'
import csv, json, os, signal, subprocess, sys, tempfile, time
root, footfall = sys.argv[1], os.path.abspath(sys.argv[2])
passed = failed = 0
tmp = tempfile.mkdtemp()
path = lambda name: os.path.join(tmp, name)
scene = lambda name: os.path.join(root, 'scenes', name + '.yaml')

def check(what, ok, seen=''):
    global passed, failed
    passed += bool(ok)
    failed += not ok
    if not ok:
        print(f'FAIL {what}: {seen}')

def call(*args):
    return subprocess.run([footfall, *map(str, args)], capture_output=True, text=True, timeout=120)

def js(*args):
    r = call(*args, '--json')
    try:
        return json.loads(r.stdout)
    except ValueError:
        check(f'{args} is JSON', False, r.stdout[:80] + r.stderr)
        return {}

def wrong(pattern, *args, status=2):
    r = call(*args)
    check(' '.join(map(str, args)), r.returncode == status and r.stdout == '' and pattern in r.stderr,
          f'exit {r.returncode}, out {r.stdout[:60]!r}, err {r.stderr!r}, wanted {pattern!r}')

# --- every scene runs and closes its ledger at two tolerances, and check accepts it
for name in sorted(os.listdir(os.path.join(root, 'scenes'))):
    file = os.path.join(root, 'scenes', name)
    located = js('run', file, '--until', '1 us')['event_location'] == 'located'
    # fixed steps across events have no tolerance; scenes/grains.yaml documents their accuracy
    # relative to a scale without the height of the scene: friction of the biped, whose kinks are not located, leaves
    # 2e-11
    for tol, most in ((1e-9, 1e-9), (1e-12, 3e-11)) if located else ((1e-9, 2e-4),):
        o = js('run', file, '--tol', tol)
        l = o['ledger']
        check(f'{name}: residual at {tol}', abs(l['residual']) <= most * l['scale'], l['residual'] / l['scale'])
        check(f'{name}: accounts sum', abs(sum(v for k, v in l.items() if k not in ('initial', 'scale')) - l['initial']) <= 1e-12 * l['scale'])
    # mechanisms need not have contacts
    c = js('check', file)
    touches = bool(c['contacts'])
    # scenes that start at rest stay there, and bodies held by jaws from the start neither leave them nor slip
    still = c['rest'] or name == 'grasp_laws.yaml'
    check(f'{name}: events', bool(o['events']) == (located and touches and not still) and all(e['t'] <= o['time'] for e in o['events']))
    r = call('check', file)
    check(f'check {name}', r.returncode == 0 and ('restitution' in r.stdout) == touches, r.stderr)
    check(f'check {name} --json', touches or c['joints'])

# --- laws by their tables: parameters from materials and from the other law, and a rate to the power of q
ball = """bodies: {ball: {mass: 154 g, shape: {sphere: {radius: 1.65 cm}}, position: [0, 0, 10 cm], velocity: [0.5, 0.5, 0]}}
ground: {floor: {plane: {normal: [0, 0, 1]}}}
pairs: [{between: [ball, floor], normal: {law: %s}, friction: {law: clutch, mu: 0.2, %s}}]
"""
def with_laws(normal, friction):
    with open(path('laws.yaml'), 'w') as f:
        f.write(ball % (normal, friction))
    return js('check', path('laws.yaml'))['contacts'][0]
c = with_laws('azad-featherstone, material: [steel, cork], lambda_star: 14 kN s/m^2', 'viscous: 0.1')
p, f = c['parameters'], c['friction_parameters']
check('lambda of lambda*', abs(p['lambda'] - 14e3 * 0.0165**0.5) < 1e-9, p)
check('K_t and D_t of the normal law', f['k'] == 1.5 * p['k'] and f['damping'] == p['lambda'] and f['viscous'] == 0.1, f)
c = with_laws('linear, k: 1e5, lambda: 3', 'from: normal, damping: 7')
check('what is given is not derived', c['friction_parameters']['k'] == 1.5e5 and c['friction_parameters']['damping'] == 7, c)
for normal in ('general, k: 8.5e6, lambda: 2e3, n: 1.5, p: 0.5, q: 2', 'two-term, k: 8.5e6, k2: 1e12, chi: 0.5'):
    with_laws(normal, 'k: 12.75e6, damping: 3.1e3')
    o = js('run', path('laws.yaml'), '--until', '0.3')
    check(f'{normal}: residual', abs(o['ledger']['residual']) <= 1e-9 * o['ledger']['scale'], o['ledger'])
    check(f'{normal}: bounces', [e['kind'] for e in o['events']].count('liftoff') >= 1, o['events'])

# --- groups: one line each, all bodies in JSON
slots = ('--set', 'run.method=heun')
r = call('check', scene('grains'), *slots)
lines = r.stdout.splitlines()
few = call('check', scene('grains'), '--set', 'bodies.balls.count=2', *slots).stdout.splitlines()
check('a line a group', sum(x.startswith('balls  ') for x in lines) == 1 and len(lines) == len(few), r.stdout)
check('a kind of contact once', [x for x in lines if ' of them' in x][::5] ==
      ['balls/floor: 30 of them, this is balls[0]/floor', 'balls/balls: 435 of them, this is balls[0]/balls[1]'], lines)
r = call('check', scene('grains'), '--set', 'pairs=[{between: [balls, floor], normal: {law: hertz, k: 1}}, '
         '{between: ["balls[3]", floor], normal: {law: hertz, k: 2}}, {between: ["balls[5]", floor], normal: {law: hertz, k: 2}}]')
check('a kind of laws once', [x for x in r.stdout.splitlines() if ' of them' in x] ==
      ['balls/floor: 28 of them, this is balls[0]/floor', 'balls/floor: 2 of them, this is balls[3]/floor'], r.stdout)
check('all bodies in JSON', len(js('check', scene('grains'))['bodies']) == 30)
r = call('check', scene('grains'), '--set', 'pairs[0].between=[balls, floor]')
check('what has no pair, once', '\n\nno pair, no contact: balls/left\nno pair, no contact: balls/right\n'
      'no pair, no contact: balls/front\nno pair, no contact: balls/back\nno pair, no contact: balls/balls\n\nrun\n' in r.stdout, r.stdout)
r = call('check', scene('grains'), '--set', 'pairs[0].between=[balls, balls]')
check('what has no pair in a crowd', '\nno pair, no contact: balls/floor\nno pair, no contact: balls/left\n' in r.stdout, r.stdout)
many = ('--set', 'bodies.balls.count=10000', '--set', 'bodies.balls.fill.to=[50 cm, 50 cm, 3 m]')
r = call('check', scene('grains'), *many)
check('ten thousand grains are as short', len(r.stdout.splitlines()) < len(few) and '\nballs/*\nazad-featherstone' in r.stdout and
      'nothing touches' not in r.stdout, r.stdout)
check('ten thousand grains run', len(js('run', scene('grains'), *many, '--until', '1 ms')['bodies']) == 10000)
r = call('run', scene('grains'), '--until', '1 ms', '--plot', path('many'), *slots)
check('twenty bodies in a report', 'balls[19]' in r.stdout and 'balls[20]' not in r.stdout and '\n... and 10 more\n' in r.stdout, r.stdout)
check('sixty lines in a picture', 'force.svg: the first 60 of 1755 lines\n' in r.stderr, r.stderr)
check('--set count', len(js('run', scene('grains'), '--set', 'bodies.balls.count=7', '--until', '1 ms')['bodies']) == 7)

# --- options and settings
roll = js('run', scene('rolling'))
check('events have their kinds', {e['kind'] for e in roll['events']} == {'touchdown', 'liftoff', 'clear', 'stick', 'slip'})
check('methods are told', roll['method'] == 'auto' and 'dopri5' in roll['methods_used'] and roll['event_location'] == 'located')
check('--until', js('run', scene('rolling'), '--until', '0.25 s')['time'] == 0.25)
for m in ('dopri5', 'dop853', 'rosenbrock', 'rodas', 'trapezoid'):
    o = js('run', scene('rolling'), '--method', m, '--tol', 1e-6, '--until', 0.2)
    check(f'--method {m}', o['methods_used'] == [m] and abs(o['ledger']['residual']) < 1e-4 * o['ledger']['scale'], o['ledger']['residual'])
for m in ('rk4', 'heun', 'semi-implicit', 'euler'):
    o = js('run', scene('rolling'), '--method', m, '--dt', '1 us', '--until', 0.14)
    check(f'--method {m}', o['methods_used'] == [m] and abs(o['ledger']['residual']) < 5e-3 * o['ledger']['scale'], o['ledger']['residual'])
o = js('run', scene('rolling'), '--method', 'rk4', '--dt', '10 us', '--set', 'run.events=none', '--until', 0.2)
check('events: none', o['events'] == [] and o['event_location'] == 'none')
light = js('run', scene('rolling'), '--set', 'bodies.ball.mass=15.4 g', '--set', 'pairs[0].normal.k=8.5e5', '--until', 0.2)
check('--set', light['ledger']['initial'] < 0.2 * roll['ledger']['initial'])

# --- check prints how a scene would be run: dt for fixed steps only, every only if it is given
o = js('check', scene('rolling'))['run']
check('check --json: run', o == {'until': 1, 'method': 'auto', 'tol': 1e-9, 'dt': None, 'max_step': None, 'max_steps': None, 'events': 'located', 'every': None}, o)
sets = [x for pair in ('method=rk4', 'dt=20 us', 'events=none', 'every=1 ms', 'until=0.3') for x in ('--set', 'run.' + pair)]
o = js('check', scene('rolling'), *sets)['run']
check('check --json: run, fixed steps', o == {'until': 0.3, 'method': 'rk4', 'tol': 1e-9, 'dt': 2e-5, 'max_step': None, 'max_steps': None, 'events': 'none', 'every': 1e-3}, o)
lines = lambda *args: [line.split(None, 1) for line in call('check', *args).stdout.split('\nrun\n')[1].splitlines()]
check('check: run', lines(scene('rolling')) == [['until', '1 s'], ['method', 'auto'], ['tol', '1e-09'], ['events', 'located']])
check('check: run, fixed steps', lines(scene('rolling'), *sets) == [['until', '0.3 s'], ['method', 'rk4'], ['tol', '1e-09'],
      ['dt', '2e-05 s'], ['events', 'none'], ['every', '0.001 s']])

# --- check prints the centre of mass and products of inertia of several spheres, if they are not 0
open(path('foot.yaml'), 'w').write("""bodies:
  foot:
    mass: 1 kg
    shape: {spheres: [{name: heel, center: [-5 cm, 0, 0], radius: 2 cm}, {name: toe, center: [10 cm, 2 cm, 0], radius: 1 cm}]}
    position: [0, 0, 10 cm]
ground: {floor: {plane: {normal: [0, 0, 1]}}}
pairs: [{between: [foot, floor], normal: {law: hunt-crossley, k: 1e7, lambda: 1e6}}]
""")
r = call('check', path('foot.yaml'))
check('check: centre of mass', '\nfoot: products of inertia xy -0.000296296, xz 0, yz 0 kg m^2\n'
      'foot: its centre of mass is at [-0.0333333, 0.00222222, 0] m in the frame of its shapes\n' in r.stdout, r.stdout)
b = js('check', path('foot.yaml'))['bodies']['foot']
at = js('run', path('foot.yaml'), '--until', '1 us')['bodies']['foot']['position']
check('check --json: centre of mass', abs(b['center'][0] + 0.1 / 3) < 1e-15 and abs(b['products'][0] + 8 / 27e3) < 1e-15 and
      b['products'][1:] == [0, 0] and abs(at[0] - b['center'][0]) < 1e-15 and abs(at[1] - b['center'][1]) < 1e-15, b)
check('check: a ball has its centre where it is', 'centre' not in call('check', scene('rolling')).stdout and js('check', scene('rolling'))['bodies']['ball']['center'] == [0, 0, 0])

# --- parameters: check prints their values, --set changes them, and dependent values
slope = ('--set', 'parameters.slope=0.025', '--set', 'bodies.ball.mass=2*mass')
r = call('check', scene('slope'))
check('check: parameters', r.stdout.startswith('parameters\n  slope        0.436332313\n  mu           0.2\n  r            0.02 m\n')
      and 'nothing uses it' not in r.stdout, r.stdout)
r = call('check', scene('slope'), '--set', 'bodies.ball.position=[0, 0, 3 cm]')
check('check: an unused parameter', '\n  drop         0.005 m  (not used)\n' in r.stdout, r.stdout)
o = js('check', scene('slope'), *slope)
check('check --json: parameters', o['parameters']['slope'] == {'value': 0.025, 'unit': '', 'used': True} and
      o['parameters']['r'] == {'value': 0.02, 'unit': 'm', 'used': True}, o['parameters'])
check('expressions in --set', o['bodies']['ball']['mass'] == 2 * o['parameters']['mass']['value'], o['bodies'])
check('no parameters', js('check', scene('rolling'))['parameters'] == {})
wrong("--set parameters.slop=1: there is no 'slop' in parameters (did you mean 'slope'?)", 'run', scene('slope'), '--set', 'parameters.slop=1')
wrong("mass of body 'ball': unknown name 'maas' (did you mean 'mass'?)", 'run', scene('slope'), '--set', 'bodies.ball.mass=2*maas')

# --- traces and pictures
r = call('run', scene('rolling'), '-o', path('t.csv'), '--every', '0.01', '--json')
rows = list(csv.DictReader(open(path('t.csv'))))
check('even rows', r.returncode == 0 and len(rows) == 101 and abs(float(rows[50]['t:s']) - 0.5) < 1e-12, len(rows))
check('a trace changes nothing', json.loads(r.stdout)['bodies'] == roll['bodies'])
check('rows have the ledger', all(abs(float(x['ledger:residual'])) < 1e-9 for x in rows))
# k times the spacing exceeds the end of the run by rounding: the last row exists nevertheless, once
for until, every, count in ((0.6, 0.1, 7), (0.3, 0.1, 4), (0.7, 0.1, 8), (0.6, 0.05, 13), (0.5, 0.1, 6), (0.65, 0.1, 7)):
    for more in ((), ('--method', 'rk4', '--dt', '100 us'), ('--events', 'none', '--method', 'verlet', '--dt', '10 us')):
        call('run', scene('rolling'), '--until', until, '--every', every, '-o', path('l.csv'), *more)
        times = [float(x['t:s']) for x in csv.DictReader(open(path('l.csv')))]
        check(f'rows until {until} every {every} {more}', len(times) == count and (until == 0.65 or times[-1] == until) and
              all(abs(t - i * every) < 1e-12 for i, t in enumerate(times)), times)
call('run', scene('rolling'), '--until', 0.3, '--checkpoint', path('l.save'))
call('run', scene('rolling'), '--until', 0.7, '--resume', path('l.save'), '--every', 0.1, '-o', path('m.csv'))
times = [float(x['t:s']) for x in csv.DictReader(open(path('m.csv')))]
check('rows of a run that goes on', len(times) == 5 and times[0] == 0.3 and times[-1] == 0.7 and abs(times[1] - 0.4) < 1e-12, times)
call('run', scene('rolling'), '-o', path('e.csv'), '--only-events')
check('rows at events', len(list(csv.reader(open(path('e.csv'))))) == len(roll['events']) + 1)
call('run', scene('rolling'), '-o', path('s.csv'))
check('rows at steps', len(list(csv.reader(open(path('s.csv'))))) > roll['steps'])
r = call('run', scene('rolling'), '--plot', path('pictures'))
check('pictures', r.returncode == 0 and sorted(os.listdir(path('pictures'))) == ['energy.svg', 'force.svg', 'height.svg', 'slip.svg', 'state.svg'], r.stderr)
check('the report has the ledger', 'normal_damper' in r.stdout and 'residual is' in r.stdout)

# --- an interrupted run keeps its results
p = subprocess.Popen([footfall, 'run', scene('rolling'), '--until', '1e5', '--tol', '1e-12', '--method', 'dopri5', '--json'], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
time.sleep(0.5)
p.send_signal(signal.SIGINT)
out, err = p.communicate(timeout=60)
check('Ctrl-C', p.returncode == 1 and 'interrupted' in err and json.loads(out)['time'] > 0.5, err)

# --- error messages
text = open(scene('rolling')).read()
def bad(name, old, new):
    assert old in text
    open(path(name), 'w').write(text.replace(old, new, 1))
    return path(name)
for command in ('run', 'check'):
    wrong('No such file', command, path('none.yaml'))
    wrong(":5:10: unknown key 'masss'", command, bad('a.yaml', 'mass: 154 g', 'masss: 154 g'))
    wrong("did you mean 'azad-featherstone'", command, bad('b.yaml', 'azad-featherstone', 'azad-fetherstone'))
    wrong('expected a mass', command, bad('c.yaml', '154 g', '154 cm'))
    wrong("'flor'", command, bad('d.yaml', 'between: [ball, floor]', 'between: [ball, flor]'))
    wrong('', command, bad('e.yaml', 'bodies:', 'bodies: ['))
    wrong('did you mean', command, scene('rolling'), '--set', 'bodies.ball.mas=1')
    wrong('', command)
    # errors that appear only when the model is built have no line, but a file
    for name, old, new, why in (
            ('g.yaml', 'between: [ball, floor]', 'between: [b*, floor]\n    normal: {law: hertz, k: 1e6}\n  - between: [ba*, floor]', "two pairs match 'ball' and 'floor' equally well"),
            ('h.yaml', 'lambda: 3.1e3}', 'lambda: 3.1e3, detach: tension}\n    ground: stateful', "pair 'ball'/'floor': a stateful ground needs a law"),
            ('i.yaml', 'mass: 154 g', 'mass: 154 g, inertia: [1, 2, 3], lock: [rx]', "body 'ball': a single rotation can be locked only if all moments of inertia are equal")):
        wrong(f'footfall {command}: {path(name)}: {why}', command, bad(name, old, new))
    wrong("did you mean '--json'", command, scene('rolling'), '--jsn')
many = call('run', bad('f.yaml', 'mass: 154 g', 'masss: 154 g, positoin: [0, 0, 0]'))
check('all mistakes in one go', many.returncode == 2 and len(many.stderr.splitlines()) >= 2, many.stderr)
wrong('not above 0', 'run', scene('rolling'), '--until', '-1')
wrong('', 'run', scene('rolling'), '--tol', '0')
wrong("did you mean 'rk4'", 'run', scene('rolling'), '--method', 'rk5')
wrong('rolling.yaml: a stateful ground needs located events', 'run', scene('rolling'), '--method', 'rk4', '--set', 'pairs[0].ground=stateful', '--set', 'run.events=none')
wrong('.csv', 'run', scene('rolling'), '-o', path('x.dat'))
r = call('run', scene('rolling'), '-o', path('no/such/t.csv'))
check('a trace that cannot be written', r.returncode == 1 and 'No such file' in r.stderr)
r = call('run', scene('rolling'), '--plot', path('no/such/folder'))
check('pictures that cannot be written', r.returncode == 1 and 'No such file' in r.stderr)

subprocess.run(['rm', '-rf', tmp])
print(f'{passed} passed, {failed} failed')
sys.exit(failed > 0)
PYTHON
