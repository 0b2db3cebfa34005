#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Copyright the footfall authors
#
# the catalogue: complete, valid JSON, and consistent with the other commands
. "$(dirname "$0")/lib.bash"

checks <<'PYTHON'
from lib import *
normal = ('linear hertz hunt-crossley marhefka-orin lee-wang ristow-schaefer azad-featherstone tsuji lankarani-nikravesh flores general dmt jkr two-term xiong').split()
friction = 'bed dahl lugre clutch none coulomb awrejcewicz bengisu-akay sat viscous-bed'.split()
# keys of DESIGN.md, "Laws are one source of truth"
keys = {'linear': 'k lambda lambda_out detach', 'hertz': 'k n', 'hunt-crossley': 'k lambda n lambda_out detach', 'marhefka-orin': 'k alpha n detach',
        'lee-wang': 'k lambda lambda_out detach', 'ristow-schaefer': 'k lambda lambda_out detach', 'azad-featherstone': 'k lambda lambda_out detach',
        'tsuji': 'k lambda lambda_out detach', 'lankarani-nikravesh': 'k e n v_min detach', 'flores': 'k e n v_min detach',
        'general': 'k lambda n p lambda_out detach q', 'dmt': 'k w R lambda', 'jkr': 'k w R lambda', 'two-term': 'k n k2 n2 chi', 'xiong': 'K alpha beta', 'none': '', 'coulomb': 'mu v_ramp', 'awrejcewicz': 'mu epsilon',
        'bengisu-akay': 'mu_s mu v0 xi', 'bed': 'mu ratio tau elements k n twist', 'viscous-bed': 'k tau', 'dahl': 'mu k', 'lugre': 'mu k damping viscous', 'clutch': 'mu k damping viscous passive unloaded between', 'sat': 'mu k beta'}
r = run('laws')
check('laws: exit', r.returncode == 0 and r.stderr == '', r.stderr)
words = r.stdout.split()
for law in normal + friction:
    check(f'laws lists {law}', law in words)
a = ask('laws')
laws = {law['name']: law for law in a.get('laws', [])}
check('the JSON object lists the same, normal laws first', list(laws) == normal + friction, list(laws))
for law in normal + friction:
    entry = laws.get(law, {'parameters': []})
    check(f'{law}: kind', entry.get('kind') == ('normal' if law in normal else 'friction'), entry.get('kind'))
    check(f'{law}: parameters', {p['name'] for p in entry['parameters']} == set(keys[law].split()), [p['name'] for p in entry['parameters']])
    for key in ('formula', 'source', 'limits'):
        check(f'{law}: {key}', isinstance(entry.get(key), str) and (entry[key] or (law == 'none' and key == 'source')), entry.get(key))
    for p in entry['parameters']:
        check(f"{law}.{p['name']}: has unit, default, range and meaning", p.get('meaning') and p.get('default') and 'unit' in p and 'most' in p, p)
    r = run('laws', law)
    check(f'laws {law}', r.returncode == 0 and r.stderr == '' and entry.get('formula', '?') in r.stdout, r.stdout)
    check(f'laws {law} names its parameters', all(any(line.split()[:1] == [key] for line in r.stdout.splitlines()) for key in keys[law].split()), r.stdout)
    alone = ask('laws', law).get('laws', [])
    check(f'laws {law} --json', alone == [entry], alone)

# parameters marked as required are required, and no others
for law in normal:
    needed = {p['name']: '0.5' if p['name'] in ('e', 'alpha') else '1' for p in laws[law]['parameters'] if p['default'] == 'required'}
    def call(values):
        return run('restitution', '--normal', law, '--mass', 1, '--speed', 1, *options(**{key + '_': value for key, value in values.items()}))
    r = call(needed)
    check(f'{law} with what it requires', r.returncode == 0, r.stderr)
    for key in needed:
        r = call({other: value for other, value in needed.items() if other != key})
        check(f'{law} without {key}', r.returncode == 2 and f'--{key}' in r.stderr, r.stderr)
    # and its ranges are enforced
    for p in laws[law]['parameters']:
        bad = []
        if p['unit'] is not None and p['least'] is not None:
            bad += [p['least'] - 1] + ([] if p['least_included'] else [p['least']])
        if p['unit'] is not None and p['most'] is not None:
            bad += [p['most'] + 0.5]
        for value in bad:
            r = call({**needed, p['name']: repr(value)})
            check(f"{law}.{p['name']} = {value} is refused", r.returncode == 2 and p['name'].replace('_', '-') in r.stderr, r.stderr)

# the tables are consistent; --verify reports it for all of them, for one, and with other parameters
whole = ask('laws', '--verify')
seen = {law['name']: law for law in whole.get('laws', [])}
check('every law is checked', list(seen) == normal + friction and whole.get('holds') is True, list(seen))
for law, entry in seen.items():
    what = [row['what'] for row in entry['findings']]
    check(f'{law} holds', entry['holds'] and all(row['holds'] and 0 <= row['worst'] <= row['allowed'] for row in entry['findings']), entry)
    check(f'{law}: what is checked', what[:3] == ['balance', 'signs', 'continuity'] and len(set(what)) == len(what), what)
other = ask('laws', '--verify', 'clutch', '--seed', '7')
check('one law', [law['name'] for law in other['laws']] == ['clutch'] and other['holds'])
check('a seed draws other parameters', other['laws'][0]['findings'] != seen['clutch']['findings'] and
      ask('laws', '--verify', 'clutch', '--seed', '7') == other)
r = run('laws', '--verify', 'clutch')
check('--verify prints a table', r.returncode == 0 and r.stderr == '' and r.stdout.split()[:3] == ['law', 'kind', 'balance'] and r.stdout.rstrip().endswith('holds'), r.stdout)

# materials
table = run('laws', '--materials')
check('materials: exit', table.returncode == 0 and table.stderr == '', table.stderr)
names = [m['name'] for m in a.get('materials', [])]
for name in 'steel cast-iron brass aluminium lead cork glass rubber abs pla concrete wood'.split():
    check(f'{name} is a material', name in names and name in table.stdout.split(), names)
for m in a.get('materials', []):
    sane = 1e6 <= m['E'] <= 1e12 and 0 <= m['nu'] < 0.5 and 50 < m['density'] < 2e4 and len(m['source']) > 10
    check(f"{m['name']}: E, nu, density and source", sane, m)
    r = run('restitution', '--normal', 'hertz', '--materials', m['name'], '--radius', '1cm', '--speed', 1)
    check(f"{m['name']} can be used", r.returncode == 0, r.stderr)
finish()
PYTHON

refuses "unknown law 'clutsh' .did you mean 'clutch'" laws --verify clutsh
refuses "'--markdown' cannot be used with --verify" laws --verify --markdown
refuses "'--seed' is for --verify" laws --seed 1
refuses "1.5 is not a whole number" laws --verify --seed 1.5

if [ -f "$root/docs/laws.md" ]; then
    call laws --markdown
    [ $status -eq 0 ] && cmp -s out "$root/docs/laws.md"
    judge $? "docs/laws.md is what laws --markdown prints: $(diff out "$root/docs/laws.md" | head -n 5)"
fi

finish
