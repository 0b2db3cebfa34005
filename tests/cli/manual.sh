#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Copyright the footfall authors
#
# docs/footfall.1 lists every option of every command, docs/*.md name them, and docs/runs.md has every key of `run --json`
. "$(dirname "$0")/lib.bash"
export ROOT=$root

checks <<'PYTHON'
from lib import *
import glob
import re

ROOT = os.environ['ROOT']
man = open(f'{ROOT}/docs/footfall.1').read()
pages = ''.join(open(page).read() for page in glob.glob(f'{ROOT}/docs/*.md')).replace(' -o ', ' --output ')
LONG = {'o': 'output', 'q': 'quiet'}


def flags(text):
    return {LONG.get(name, name) for name in re.findall(r'\bFl -?(\w[\w-]*)', text)}


# the text of each section of the man page, and the synopsis of each command
sections = dict(part.partition('\n')[::2] for part in re.split(r'^\.S[hs] ', man, flags=re.M)[1:])
synopses = {}
for block in re.split(r'^\.Nm\n', sections['SYNOPSIS'], flags=re.M)[1:]:
    found = re.match(r'\.Cm (\w+)', block)
    if found:
        synopses[found[1]] = synopses.get(found[1], '') + block


def help_options(command):
    text = run(command, '--help').stdout.partition('options:')[2].partition('examples:')[0]
    return set(re.findall(r'^  (?:-\w, )?--([\w-]+)', text, re.M)) - {'help'}


# parameters of laws are options of these commands; the man page refers to the laws
parameters = {p['name'].replace('_', '-') for law in ask('laws')['laws'] for p in law['parameters']}
commands = re.findall(r'^  (\w+) +\S', run('--help').stdout, re.M)
check('--help lists commands', len(commands) >= 15, commands)
check('the man page knows the same commands', set(commands) == set(synopses), set(commands) ^ set(synopses))
for command in commands:
    options = help_options(command)
    check(f'{command} has options', options)
    synopsis = synopses[command]
    named = flags(synopsis)
    check(f'the synopsis of {command} has no option that the command lacks', named <= options, named - options)
    # once for all commands
    named.add('law')
    others = [title for title in sections if command in title.split()] + ['OTHER OPTIONS']
    others += ['Several scenes'] * (command == 'run')
    if 'contact options' in synopsis:
        others.append('CONTACT OPTIONS')
        named |= flags(sections['CONTACT OPTIONS']) | parameters
    if 'options of run' in synopsis:
        named |= flags(synopses['run'])
    check(f'the synopsis of {command} has every option', options <= named, options - named)
    described = set().union(*(flags(sections[title]) for title in others))
    described |= parameters if 'CONTACT OPTIONS' in others else set()
    check(f'the man page describes every option of {command}', options <= described, options - described)
    law = sections['OTHER OPTIONS'].partition('Fl -law')[2].partition('.It')[0]
    check(f'the man page says whether {command} has --law', ('law' in options) == (f'.Cm {command} ' in law + ' ' or f'.Cm {command}\n' in law))
    lacking = {name for name in options if not re.search(rf'--{name}\b', pages)} - parameters
    check(f'the pages of docs/ name every option of {command}', not lacking, lacking)

# keys of JSON; names of the user's own things count as one
OWN = {'bodies', 'joints', 'impacts', 'states', 'contacts', 'frictions', 'parameters'}
documented = set(re.findall(r'`(\w+)`', open(f'{ROOT}/docs/runs.md').read().partition('\n## JSON\n')[2].partition('\n## ')[0]))


def keys(value, own=False):
    if isinstance(value, list):
        return set().union(*map(keys, value))
    if not isinstance(value, dict):
        return set()
    found = set() if own else set(value)
    return found.union(*(keys(part, not own and key in OWN) for key, part in value.items()))


open('rest.yaml', 'w').write('''
bodies: {ball: {mass: 1, shape: {sphere: {radius: 0.1}}, position: [0, 0, 0.1]}}
ground: {floor: {plane: {normal: [0, 0, 1]}}}
pairs: [{between: [ball, floor], normal: {law: linear, k: 1e5, lambda: 10}, friction: {law: none}}]
start: rest
events: {high: 'ball.position[2] - 1 m'}
forces: {push: {constant: {body: ball, force: [0, 0, 200 N]}, from: 1 ms}}
''')
seen = set()
for scene, *more in [('scenes/rolling.yaml',), ('scenes/fourbar.yaml', '--until', 0.01), ('scenes/grains.yaml', '--until', 0.001),
                     ('papers/xiong2013/example1.yaml',), ('papers/xiong2013/example2.yaml', '--until', 0.1)]:
    seen |= keys(ask('run', f'{ROOT}/{scene}', *more))
seen |= keys(ask('run', 'rest.yaml', '--until', 1))
check('the runs print what they should', {'name', 'moved_body', 'joints', 'frictions', 'each', 'searches'} <= seen, sorted(seen))
check('docs/runs.md has every key of run --json', seen <= documented, seen - documented)
finish()
PYTHON

finish
