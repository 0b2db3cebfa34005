#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Copyright the footfall authors
#
# the README tells the truth: its commands print what it shows, its program is the example, its table is the catalogue
set -u
root=$(cd "$(dirname "$0")/../.." && pwd)
exec python3 - "$root" "$FOOTFALL" <<'PYTHON'
import os, re, shlex, subprocess, sys
root, footfall = sys.argv[1], os.path.abspath(sys.argv[2])
text = open(os.path.join(root, 'README.md')).read()
passed = failed = 0

def check(what, ok, seen=''):
    global passed, failed
    passed += ok
    failed += not ok
    if not ok:
        print(f'FAIL {what}\n{seen}')

def run(*args):
    return subprocess.run([footfall, *args], capture_output=True, text=True, cwd=root)

# a block is a command behind `$ ` and what it prints
for block in re.findall(r'```\n(\$ footfall .*?)```', text, re.S):
    command, shown = block.split('\n', 1)
    r = run(*shlex.split(command[2:])[1:])
    check(command, r.returncode == 0 and r.stdout == shown, r.stdout + r.stderr)

# the example program, without its licence lines, and what it prints
source = open(os.path.join(root, 'examples/restitution.c')).read().split('*/\n', 1)[1]
check('the program is examples/restitution.c', source in text)
example = os.path.join(os.path.dirname(footfall), 'examples', 'restitution')
out = subprocess.run([example], capture_output=True, text=True).stdout
check('what it prints', out != '' and out in text, out)

# every law is in the tables
for line in run('laws').stdout.split('\n\n')[0].splitlines()[1:]:
    check(f'{line.split()[0]} is in the README', f'`{line.split()[0]}`' in text)

# the catalogue in docs/ is what the command prints
laws = open(os.path.join(root, 'docs/laws.md')).read()
check('docs/laws.md is `footfall laws --markdown`', laws == run('laws', '--markdown').stdout)

print(f'{passed} passed, {failed} failed')
sys.exit(failed > 0)
PYTHON
