#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Copyright the footfall authors
#
# the README tells the truth: its first commands make the files they name, its commands print what it shows, its
# program is the example, its table is the catalogue
set -u
root=$(cd "$(dirname "$0")/../.." && pwd)
exec python3 - "$root" "$FOOTFALL" <<'PYTHON'
import glob, os, re, shlex, shutil, subprocess, sys, tempfile
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

# the first block is `make run` and `make test`; run's last command is done here, in a folder of its own
first = re.search(r'^    make run .*\n(    .*\n)*', text, re.M)[0]
check('make run, then make test', re.findall(r'^    make (\w+) ', first, re.M) == ['run', 'test'], first)
page = run('run', 'scenes/rolling.yaml', '--until', '0', '--report', '/nowhere/x.html').stderr
web = 'WEB=0' if 'built without' in page else 'WEB=1'
# a make around this one hands its options down
clean = {key: value for key, value in os.environ.items() if not key.startswith(('MAKE', 'MFLAGS'))}
recipe = subprocess.run(['make', '-n', 'run', web], capture_output=True, text=True, cwd=root, env=clean).stdout
command = re.search(r'^build/footfall (run .*)', recipe, re.M)[1]
with tempfile.TemporaryDirectory() as folder:
    os.mkdir(f'{folder}/build')
    shutil.copytree(f'{root}/scenes', f'{folder}/scenes')
    r = subprocess.run([footfall, *shlex.split(command)], capture_output=True, text=True, cwd=folder)
    check(f'make run: {command}', r.returncode == 0 and 'residual' in r.stdout, r.stderr)
    named = re.findall(r'build/[\w/.]+\.\w+', first)
    check('a page and pictures are named', {'.html', '.svg'} <= {os.path.splitext(name)[1] for name in named}, named)
    for name in named:
        made = name.endswith('.html') and web == 'WEB=0' or os.path.getsize(f'{folder}/{name}') > 1000
        check(f'make run makes {name}', made, os.listdir(f'{folder}/build'))
    listed = re.findall(r'^ls (.*)', recipe, re.M)
    files = [f'build/{name}' for name in glob.glob('**/*.*', root_dir=f'{folder}/build', recursive=True)]
    seen = [name for words in listed for word in words.split() for name in glob.glob(word, root_dir=folder)]
    check('make run names every file it makes', sorted(files) == sorted(seen), listed)

# a block is a command behind `$ ` and what it prints, with the PATH that the README sets; a residual is rounding
check('the command is on the PATH', '\n    export PATH=$PWD/build:$PATH\n' in text)
path = dict(os.environ, PATH=os.path.dirname(footfall) + ':' + os.environ['PATH'])
for block in re.findall(r'```(?:text)?\n(\$ footfall .*?)```', text, re.S):
    command, shown = block.split('\n', 1)
    r = subprocess.run(command[2:], shell=True, capture_output=True, text=True, cwd=root, env=path)
    same = [re.sub(r'^residual .*', 'residual', out, flags=re.M) for out in (r.stdout, shown)]
    check(command, r.returncode == 0 and same[0] == same[1], r.stdout + r.stderr)

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
