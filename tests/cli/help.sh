#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Copyright the footfall authors
#
# --help: on stdout, at most 80 columns wide, complete, with examples that work
. "$(dirname "$0")/lib.bash"
export ROOT=$root

checks <<'PYTHON'
from lib import *
import re
import shlex

r = run('--version')
check('--version', r.returncode == 0 and re.fullmatch(r'footfall \d+\.\d+\.\d+\n', r.stdout) and r.stderr == '', r.stdout)
top = run('--help')
for word in ('-h', 'help'):
    check(f'{word} is --help', run(word).stdout == top.stdout != '')
commands = 'laws restitution design phase fit'.split()
for command in [''] + commands:
    r = run(*command.split(), '--help')
    what = f'{command} --help'
    check(f'{what}: exit 0, on stdout only', r.returncode == 0 and r.stderr == '' and r.stdout.startswith('usage: footfall'), r.stderr)
    # except for the examples, which are one line each, to be copied
    for line in r.stdout.partition('examples:')[0].splitlines():
        check(f'{what}: at most 80 columns', len(line) <= 80, f'{len(line)}: {line}')
    for line in r.stdout.splitlines():
        check(f'{what}: no blanks at the end of a line, no tabs', line == line.rstrip() and '\t' not in line, line)
for command in commands:
    check(f'--help names {command}', re.search(rf'^ +{command} ', top.stdout, re.M))
    text = run(command, '--help').stdout
    check(f'{command} -h is {command} --help', run(command, '-h').stdout == text)
    # help is printed whatever else is on the line
    check(f'{command} --help after an error to come', run(command, '--json', '--help').stdout == text)
    names = re.findall(r'^ +(?:-\w, )?--([\w-]+)', text.partition('options:')[2], re.M)
    check(f'{command}: no option is listed twice', len(names) == len(set(names)), names)
    for name in ['help', 'json'] + ['plot'] * (command not in ('laws', 'design')):
        check(f'{command} has --{name}', name in names, names)
    # each has its own help line with a description
    for name in names:
        check(f'{command} --{name} is explained', re.search(rf'--{name}\b.*\S[ \n]+[a-z1Ek(]', text), name)

# the examples; an indented line, or one after a backslash, continues the previous one
for name in ('bounces.csv', 'pulse.csv'):
    os.symlink(os.path.join(os.environ['ROOT'], 'examples/data', name), name)
with open('drop.csv', 'w') as f:
    f.write('speed,restitution\n0.5,0.66\n1,0.62\n2,0.58\n4,0.55\n')
for command in commands:
    tail = run(command, '--help').stdout.partition('examples:')[2]
    tail = re.sub(r'\\\n\s*', ' ', tail)
    examples = []
    for line in tail.splitlines():
        if line.strip().startswith('footfall'):
            examples.append(line.strip())
        elif line.strip() and examples:
            examples[-1] += ' ' + line.strip()
    check(f'{command} has examples', examples)
    for example in examples:
        r = run(*shlex.split(example)[1:])
        check(example, r.returncode == 0 and r.stdout, r.stderr)
        for picture in re.findall(r'--plot (\S+)', example):
            check(f'{example}: draws', os.path.getsize(picture) > 1000 if os.path.exists(picture) else False)
finish()
PYTHON

finish
