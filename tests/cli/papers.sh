#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Copyright the footfall authors
#
# figures and claims of a paper: files, checks.json, without gnuplot, wrong names and directories
. "$(dirname "$0")/lib.bash"

refuses "no paper 'azad2011' \(did you mean 'azad2010'\?\)" papers azad2011
refuses "no paper 'qqqqqq' \(there are azad2010" papers azad2010 qqqqqq
refuses "jobs" papers --jobs 0
refuses "jobs" papers --jobs 1.5
refuses 'No such file or directory' papers azad2010 -o nowhere/at/all
touch file
refuses 'file: is no folder' papers azad2010 -o file
mkdir taken
touch taken/azad2010
refuses 'taken/azad2010: is no folder' papers azad2010 -o taken
[ ! -e papers-out ]
judge $? "what is refused leaves no folder"

# outside the source tree: everything needed is in the command
call papers marhefka1996 -o out1
[ $status -eq 0 ] && [ "$(wc -l <err)" -eq 1 ] && grep -qE '^wrote out1/index.html$|built without the page' err &&
    grep -qE '^marhefka1996 +[0-9]+ +[0-9]+ +[0-9]+ +1 +0$' out &&
    grep -q '^not reproduced$' out && grep -q 'the ground pulls' out
judge $? "a table and what was not reproduced: $(told papers marhefka1996)"

# files that cannot be written are reported, with exit status 1; root can write all files, but no directory is a file
mkdir -p out2/marhefka1996/fig4.csv
call papers marhefka1996 -o out2
[ $status -eq 1 ] && grep -q '^footfall papers: out2/marhefka1996/fig4.csv: ' err
judge $? "a figure that cannot be written: $(told papers)"
mkdir -p out3/checks.json
call papers marhefka1996 -o out3
[ $status -eq 1 ] && grep -q '^footfall papers: out3/checks.json: ' err
judge $? "checks.json that cannot be written: $(told papers)"

# without gnuplot there are only tables, and a message
mkdir empty
bash -c 'PATH=$PWD/empty exec -a footfall "$FOOTFALL" papers marhefka1996 marhefka1996 -o plain --json' >out 2>err
status=$?
[ $status -eq 0 ] && [ "$(wc -l <err)" -eq 2 ] && grep -q '^footfall papers: no pictures.*gnuplot' err &&
    [ -z "$(find plain -name '*.svg' -o -name '*.png')" ]
judge $? "without gnuplot: $(told papers)"

checks <<'PYTHON'
from lib import *
import csv

def load(path):
    with open(path) as f:
        return json.load(f, object_pairs_hook=unique)

plain, drawn = load('plain/checks.json'), load('out1/checks.json')
check('--json is checks.json', json.load(open('out')) == plain)
check('pictures change no check', plain['checks'] == drawn['checks'])
check('one paper', [p['name'] for p in drawn['papers']] == ['marhefka1996'])
paper = drawn['papers'][0]
for figure in paper['figures']:
    name = figure['id']
    check(f'{name}: title, caption, illustrative', figure['title'] and figure['illustrative'] is (figure['chosen'] is not None))
    for kind in 'csv', 'svg', 'png':
        path = 'out1/' + figure[kind]
        check(path, os.path.getsize(path) > 300 if os.path.exists(path) else False)
    rows = list(csv.reader(open('out1/' + figure['csv'])))
    check(f'{name}: names and units', rows[0][0] == 'curve' and len(rows[0]) == 3 and
          all(label.endswith(')') or label == 'coefficient of restitution' for label in rows[0][1:]), rows[0])
    check(f'{name}: numbers', len(rows) > 10 and all(len(row) == 3 and math.isfinite(float(row[1]) + float(row[2])) for row in rows[1:]))
check('figures 2 to 8', {f['id'][:4] for f in paper['figures']} == {f'fig{i}' for i in range(2, 9)})
check('no picture without gnuplot', all(f['svg'] is None and f['png'] is None for f in plain['papers'][0]['figures']))

# the page contains everything, and refers only to existing files
if os.path.exists('out1/index.html'):
    page = open('out1/index.html').read()
    start = page.index('<script type="application/json" id="document">')
    document = json.loads(page[page.index('>', start) + 1:page.index('</script>', start)])
    check('page: kind', document['kind'] == 'papers' and document['generated_by'].startswith('footfall '))
    check('page: papers', [p['name'] for p in document['papers']] == ['marhefka1996'])
    check('page: checks', document['papers'][0]['checks'] == drawn['checks'])
    check('page: figures', [f['id'] for f in document['papers'][0]['figures']] == [f['id'] for f in paper['figures']])
    for f in document['papers'][0]['figures']:
        check(f"page: {f['id']}", f['svg'].startswith('<?xml') and f['svg'].rstrip().endswith('</svg>') and
              os.path.exists('out1/' + f['csv']) and len(f['caption']) > 10)

keys = 'paper where quantity unit relation value expected tolerance why status note'.split()
for c in drawn['checks']:
    what = f"{c['where']}: {c['quantity']}"
    check(f'{what}: keys', list(c) == keys, list(c))
    above = c['value'] - c['expected']
    beyond = {'near': abs(above), 'at most': above, 'at least': -above}[c['relation']]
    check(f'{what}: status', (c['status'] == 'pass') is (beyond <= c['tolerance']), c)
    check(f'{what}: says why', len(c['why']) > 8 and c['tolerance'] >= 0)
    check(f'{what}: says what is seen instead', c['status'] == 'pass' or c['note'])
counts = {s: sum(c['status'] == s for c in drawn['checks']) for s in ('pass', 'fail', 'not-reproduced')}
check('counts', all(paper[s] == n for s, n in counts.items()), counts)
check('none fails, one is not reproduced', counts['fail'] == 0 and counts['not-reproduced'] == 1 and counts['pass'] > 40, counts)
ids = [(c['where'], c['quantity']) for c in drawn['checks']]
check('no check is made twice', len(set(ids)) == len(ids), [i for i in ids if ids.count(i) > 1])
finish()
PYTHON
finish
