#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Copyright the footfall authors
#
# run --report: one complete page, stdout unchanged, failures reported; the browser tests are in tests/web
. "$(dirname "$0")/lib.bash"

scene=$root/scenes/rolling.yaml
export SCENE=$scene
refuses "'x.pdf': its name must end in .html" run "$scene" --report x.pdf
refuses "'.html': its name must end in .html" run "$scene" --report .html

# a command built without the page works, and says what is missing before it runs
call run "$scene" --until 1ms --report x.html
if grep -q 'built without' err; then
    refuses "built without the page of reports: that needs Node 18 or later, npm .*make setup GROUPS=web" run "$scene" --report x.html
    refuses "built without the page of reports" run "$root/scenes" --report pages
    [ ! -e x.html ] && [ ! -e pages ]
    judge $? "nothing is written"
    accepts run "$scene" --until 1ms
    finish
fi

call run "$scene" --json
grep -v wall_seconds out >plain
call run "$scene" --json --report roll.html
grep -v wall_seconds out | cmp -s - plain && [ $status -eq 0 ] && [ "$(cat err)" = "wrote roll.html" ]
judge $? "stdout is as without it: $(told)"
(umask 027 && call run "$scene" --until 1ms --report mode.html)
[ "$(stat -c %a mode.html)" = 640 ]
judge $? "the umask holds: $(stat -c %a mode.html)"

# a page from a saved trace
refuses "none.h5: No such file" report none.h5
refuses "its name must end in .html" report saved.h5 -o x.pdf
refuses "too few arguments" report
call run "$scene" --until 0.3 -o saved.h5 --report now.html
call report saved.h5
[ $status -eq 0 ] && [ ! -s out ] && [ "$(cat err)" = "wrote saved.html" ]
judge $? "report: $(told)"
call report saved.h5 -o later.html --plot pictures
[ $status -eq 0 ] && [ -s later.html ] && [ -s pictures/energy.svg ] && cmp -s saved.html later.html
judge $? "report -o: $(told)"
head -c 20000 saved.h5 >cut.h5
refuses "cut.h5: is truncated or damaged" report cut.h5
call run "$root/scenes/grains.yaml" --until 5ms -o crowd.h5
call report crowd.h5
[ $status -eq 0 ] && [ "$(cat err)" = "wrote crowd.html" ]
judge $? "$(told report)"
call run "$root/papers/xiong2013/slide.yaml" -o slide.h5 --report slide_now.html
call report slide.h5
[ $status -eq 0 ] && [ "$(cat err)" = "wrote slide.html" ]
judge $? "$(told report)"
call run "$scene" --until 1 --max-steps 50 -o short.h5 --report short_now.html
call report short.h5
[ $status -eq 0 ] && [ "$(cat err)" = "wrote short.html" ]
judge $? "$(told report)"

# two runs on one page
call run "$scene" --until 0.3 --set 'pairs[0].friction.mu=0.1' -o other.h5
call report saved.h5 other.h5
[ $status -eq 0 ] && [ ! -s out ] && [ "$(cat err)" = "wrote saved-other.html" ]
judge $? "report of two: $(told)"
mkdir -p sub && cp other.h5 sub/far.h5
call report saved.h5 sub/far.h5 -o both.html
[ $status -eq 0 ] && [ "$(cat err)" = "wrote both.html" ] && cmp -s both.html saved-other.html
judge $? "report of two -o: $(told)"
call report sub/far.h5 saved.h5
[ "$(cat err)" = "wrote sub/far-saved.html" ]
judge $? "beside the first: $(told)"
refuses "none.h5: No such file" report saved.h5 none.h5
refuses "cut.h5: is truncated or damaged" report saved.h5 cut.h5
refuses "a scene and an inclusion have nothing to compare" report saved.h5 slide.h5
refuses "--plot draws one run" report saved.h5 other.h5 --plot pictures
refuses "its name must end in .html" report saved.h5 other.h5 -o x.pdf
refuses "unexpected argument .saved.h5." report saved.h5 other.h5 saved.h5
call report slide.h5 slide.h5 -o slides.html
[ $status -eq 0 ] && [ -s slides.html ]
judge $? "two inclusions: $(told)"

checks <<'PYTHON'
from lib import *
import base64, html.parser, json, struct

class Page(html.parser.HTMLParser):
    def __init__(self, path):
        super().__init__()
        self.stack, self.text, self.inside, self.sources = [], '', False, []
        with open(path, encoding='utf-8') as f:
            self.feed(f.read())
        self.document = json.loads(self.text)
    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        self.inside = attributes.get('id') == 'document'
        self.sources += [attributes[k] for k in ('src', 'href') if k in attributes]
    def handle_endtag(self, tag):
        self.inside = False
    def handle_data(self, data):
        self.text += data if self.inside else ''

page = Page('roll.html')
d = page.document
check('nothing is fetched', all(s.startswith('data:') for s in page.sources), page.sources)
check('kind and names', d['kind'] == 'run' and d['bodies'] == ['ball'] and [c['name'] for c in d['contacts']] == ['ball/floor'], d)
check('the command', d['command'].startswith('footfall run ') and d['command'].endswith('--report roll.html'), d['command'])
check('the scene says what it is', d['about'].startswith('A sphere thrown on a plane'), d['about'])
check('shapes', d['spheres'] == [[0, 0, 0, 0, 0.0165]] and d['boxes'] == [] and len(d['planes']) == 1, d['spheres'])
check('a place for joints', d['joints'] == [] and d['springs'] == [])
plain = json.loads(run('run', os.environ['SCENE'], '--json').stdout)
check('events', [e[0] for e in d['events']] == [e['t'] for e in plain['events']] and [d['event_kinds'][e[1]] for e in d['events']] == [e['kind'] for e in plain['events']])
check('warnings and impacts', d['warnings'] == plain['warnings'] == [] and d['impacts'] == plain['impacts'] and d['contacts_touched'] == 1, d['impacts'])
check('ledger', all(d['ledger'][k] == plain['ledger'][k] for k in ('initial', 'scale', 'residual')), d['ledger'])
times = base64.b64decode(d['samples']['time'])
times = struct.unpack(f'<{len(times) // 8}d', times)
check('times', times[0] == 0 and times[-1] == 1 and all(a <= b for a, b in zip(times, times[1:])) and len(times) == d['samples']['rows'])
# numbers are printed in short form, not with all digits of a double
check('numbers of the scene', 'until: 1, method: auto, tol: 1e-9, dt: 0.0001' in d['scene'], d['scene'])
# running the scene of the page gives the same result
with open('again.yaml', 'w') as f:
    f.write(d['scene'])
again = json.loads(run('run', 'again.yaml', '--json').stdout)
check('the scene of the page can be run', again['ledger'] == plain['ledger'] and again['events'] == plain['events'])
# --- the page of a saved trace equals the page of the run, except for the number of rows
import re
def document(path):
    text = open(path).read()
    found = re.search(r'<script type="application/json" id="document">(.*?)</script>', text, re.S).group(1)
    return json.loads(found)
for now, later in (('now.html', 'saved.html'), ('slide_now.html', 'slide.html'), ('short_now.html', 'short.html')):
    a, b = document(now), document(later)
    rest = lambda d: {k: v for k, v in d.items() if k not in ('samples',)}
    check(f'{later}: the same but for samples', rest(a) == rest(b), [k for k in rest(a) if a[k] != b.get(k)])
    check(f'{later}: the same layout', a['samples']['layout'] == b['samples']['layout'] and b['samples']['rows'] > 10)
two, one = document('both.html'), document('saved.html')
check('two runs', two['kind'] == 'runs' and two['title'] == 'rolling.yaml and rolling.yaml' and two['runs'][0] == one and
      'mu: 0.1' in two['runs'][1]['scene'], two['title'])
check('why it ended', document('short.html')['ended'] == '--max-steps')
crowd = document('crowd.html')
check('a crowd', crowd['crowd'] and len(crowd['bodies']) == len(crowd['spheres']) == 30)
finish()
PYTHON

# ---- failures ----
refuses "cannot write 'no/such/x.html': No such file" run "$scene" --report no/such/x.html
refuses "cannot write 'mode.html/x.html': Not a directory" run "$scene" --report mode.html/x.html
mkdir folder.html
call run "$scene" --until 1ms --report folder.html
[ $status -eq 1 ] && grep -q "cannot write 'folder.html'" err && grep -q kinetic out
judge $? "a folder of that name: $(told)"
[ -z "$(find . -name '*.html.*')" ]
judge $? "no temporary files are left: $(find . -name '*.html.*')"
# results computed before the failure are on the page
call run "$scene" --max-steps 50 --report short.html
[ $status -eq 1 ] && grep -q '"ended": "--max-steps"' short.html
judge $? "a run that is ended leaves its page: $(told)"

# several scenes: a directory of pages
call run "$root/scenes/bounce.yaml" "$root/scenes/collision.yaml" --until 10ms --report pages
[ $status -eq 0 ] && [ "$(ls pages)" = "bounce.html
collision.html" ] && grep -q '"kind": "run"' pages/collision.html
judge $? "several scenes: $(told)"
refuses "with several scenes '--report' must name a folder, and roll.html is not one" run "$root/scenes/bounce.yaml" "$root/scenes/collision.yaml" --report roll.html

finish
