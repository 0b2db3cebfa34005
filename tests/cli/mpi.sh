#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Copyright the footfall authors
#
# Sweeps by MPI ranks: the same file for any number of ranks and parts, and after any of them was killed.
. "$(dirname "$0")/lib.bash"
export root

if ! command -v mpirun >/dev/null || [ ! -e "$(dirname "$FOOTFALL")/libfootfall-mpi.so" ]; then
    refuses 'needs libfootfall-mpi.so' sweep "$root/scenes/rolling.yaml" --vary 'pairs[0].friction.mu=1' --keep 'end(t)' -o x.csv --mpi
    echo "$passed passed, $failed failed; left out: there is no MPI (make setup GROUPS=mpi)"
    [ "$failed" -eq 0 ] && exit 77
    exit 1
fi
# dlopen() of the address sanitizer does not look beside the command
if ldd "$FOOTFALL" | grep -q asan; then
    export LD_LIBRARY_PATH=$(dirname "$FOOTFALL")
fi
# containers run as root; MPI does not free all its memory, so leaks are not checked
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 ASAN_OPTIONS=detect_leaks=0

checks <<'PYTHON'
from lib import *
import glob
import signal
import time
rolling, MU = f'{os.environ["root"]}/scenes/rolling.yaml', 'pairs[0].friction.mu'
RECORD = 16 + 32 + 8  # bytes: row and part, two kept numbers (32 at the least), checksum

def mpirun(ranks, *words, **more):
    return subprocess.Popen(['mpirun', '--oversubscribe', '-n', str(ranks), FOOTFALL, 'sweep', *words], text=True,
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE, **more)

def ended(process):
    out, err = process.communicate(timeout=300)
    return process.returncode, out, err

def same(a, b):
    return os.path.exists(b) and open(a, 'rb').read() == open(b, 'rb').read()

def records(out):
    return sorted(glob.glob(out + '.part*'))

def kept(out):
    return sum((os.path.getsize(path) - 64)//RECORD for path in records(out) if os.path.getsize(path) > 64)

# single runs: lanes would be done before anything is killed
KEEP = ['--set', 'run.max_step=50ms', '--keep', 'end(bodies.ball.velocity[0])', '--keep', 'max(contacts.ball/floor.force)', '-q', '--vary']
suffixes = ['csv', 'h5'] if run('sweep', rolling, '--vary', f'{MU}=1', '--keep', 'end(t)', '-o', 'probe.h5', '-q').returncode == 0 else ['csv']

def undisturbed(runs):
    """sets the words of a sweep of so many runs, one in eleven of which fails, and writes its files"""
    global count, words
    count, words = runs, [rolling, *KEEP, f'{MU}=-0.05:0.5:{runs}']
    for kind in suffixes:
        for path in glob.glob(f'whole.{kind}*'):
            os.remove(path)
        r = run('sweep', *words, '-o', f'whole.{kind}')
        check(f'{kind}: {runs} runs undisturbed', r.returncode == 1 and 'runs failed' in r.stderr, r.stderr)

# about two seconds on two cores, whatever the machine and the sanitizers, and more than one, after which records are written
began = time.monotonic()
run('sweep', rolling, *KEEP, f'{MU}=0.05:0.5:50', '--threads', '2')
undisturbed(min(2000, max(250, int(100/(time.monotonic() - began)))))

# ranks and parts; nothing is killed here, so a tenth of the runs is enough
few = [rolling, *KEEP, f'{MU}=-0.05:0.5:{count//10}']
for kind in suffixes:
    run('sweep', *few, '-o', f'few.{kind}')
for ranks in (1, 2, 4):
    kind = suffixes[-1] if ranks == 2 else 'csv'
    status, out, err = ended(mpirun(ranks, *few, '-o', f'ranks{ranks}.{kind}', '--mpi'))
    check(f'{ranks} ranks', status == 1 and same(f'few.{kind}', f'ranks{ranks}.{kind}'), err)
    check(f'{ranks} ranks: told once', err.count('runs failed; the first, row 1:') == 1 and out == '', err)
    check(f'{ranks} ranks: records are removed', records(f'ranks{ranks}.{kind}') == [], records(f'ranks{ranks}.{kind}'))
status, out, err = ended(mpirun(2, *few, '-o', 'threads.csv', '--mpi', '--threads', '2'))
check('2 ranks of 2 threads', same('few.csv', 'threads.csv'), err)
for i in (3, 1, 2):
    run('sweep', *few, '-o', 'parts.csv', '--shard', f'{i}/3')
run('sweep', *few, '-o', 'parts.csv', '--merge')
check('3 parts', same('few.csv', 'parts.csv'))

def children(pid):
    return [int(word) for word in open(f'/proc/{pid}/task/{pid}/children').read().split()]

def ranks_of(process):
    """the ranks that mpirun has started"""
    return [pid for pid in children(process.pid) if os.path.realpath(f'/proc/{pid}/exe') == FOOTFALL]

def alive(pid):
    try:
        return open(f'/proc/{pid}/stat').read().rpartition(')')[2].split()[0] != 'Z'
    except OSError:
        return False

def kill(process, pids, out):
    """kills as soon as there are more records than before; whether it came to that"""
    before, until = kept(out), time.monotonic() + 60
    while process.poll() is None and time.monotonic() < until and kept(out) <= before:
        time.sleep(0.002)
    ranks = ranks_of(process) if process.poll() is None and process.args[0] == 'mpirun' else []
    running = process.poll() is None
    for pid in pids(process) if running else []:
        os.kill(pid, signal.SIGKILL)
    ended(process)
    # ranks exit if they lose mpirun
    while any(alive(pid) for pid in ranks) and time.monotonic() < until:
        time.sleep(0.02)
    return running

def in_time(disturb):
    """disturbs a sweep; one that had finished before, since the machine became faster, is done again with twice the runs"""
    for more in range(5):
        if disturb():
            return True
        undisturbed(2*count)
    return False

# kill -9 of a rank, of mpirun, of a part, each with a torn last record; then the same command, or another number of ranks
first_rank, last_rank = lambda p: ranks_of(p)[:1], lambda p: ranks_of(p)[-1:]
for what, kind, steps in (
        ('a rank', 'csv', [(2, last_rank), (2, None)]),
        ('rank 0, then mpirun', suffixes[-1], [(3, first_rank), (3, lambda p: [p.pid]), (3, None)]),
        ('mpirun, and fewer ranks go on', 'csv', [(4, lambda p: [p.pid]), (2, None)]),
        ('a rank, and one process goes on', 'csv', [(2, first_rank), (0, None)]),
        ('one process, and ranks go on', 'csv', [(0, lambda p: [p.pid]), (2, None)]),
        ('a part, and ranks go on', 'csv', [(-1, lambda p: [p.pid]), (2, None)])):
    def killed_and_resumed():
        """whether a process was killed before it had finished"""
        out, killed = f'{what.replace(" ", "-")}.{kind}', 0
        for path in glob.glob(out + '*'):
            os.remove(path)
        for turn, (ranks, pids) in enumerate(steps):
            more = ['--mpi'] if ranks > 0 else ['--threads', '2'] + ['--shard', '1/2']*(ranks < 0)
            process = mpirun(ranks, *words, '-o', out, *more) if ranks > 0 else \
                subprocess.Popen([FOOTFALL, 'sweep', *words, '-o', out, *more], text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            if pids is None:
                status, _, err = ended(process)
                check(f'{what}: resumed', status == 1 and same(f'whole.{kind}', out), err)
                continue
            killed += kill(process, pids, out)
            for path in records(out)[turn % 2:]:
                with open(path, 'r+b') as f:
                    f.truncate(max(0, os.path.getsize(path) - 13))
        # the second may have finished before anything new was written
        return killed >= 1
    check(f'{what}: killed', in_time(killed_and_resumed))

# Ctrl-C ends it properly
def interrupted():
    """whether a sweep was interrupted before it had finished"""
    for path in glob.glob('stopped.csv*'):
        os.remove(path)
    process = mpirun(2, *words, '-o', 'stopped.csv', '--mpi')
    until = time.monotonic() + 60
    while process.poll() is None and time.monotonic() < until and kept('stopped.csv') < 1:
        time.sleep(0.002)
    if process.poll() is not None:
        return False
    process.send_signal(signal.SIGINT)
    status, _, err = ended(process)
    if os.path.exists('stopped.csv'):
        return False
    check('interrupted', status != 0 and kept('stopped.csv') > 0, err)
    ended(mpirun(2, *words, '-o', 'stopped.csv', '--mpi'))
    check('interrupted and resumed', same('whole.csv', 'stopped.csv'))
    return True
check('Ctrl-C', in_time(interrupted))

# error messages: one line each, whichever rank detects the error
for status, pattern, ranks, more in (
        (2, "unknown key 'foo'", 3, ['--set', 'foo=1', '-o', 'x.csv', '--mpi']),
        (2, 'started 2 times by mpirun: give --mpi', 2, ['-o', 'x.csv']),
        (2, '--mpi needs -o OUT', 2, ['--mpi']),
        (2, '--mpi is for all parts together', 2, ['-o', 'x.csv', '--mpi', '--shard', '1/2']),
        (2, '--merge runs nothing', 2, ['-o', 'x.csv', '--mpi', '--merge']),
        (1, 'No such file', 2, ['-o', 'nowhere/x.csv', '--mpi'])):
    got, out, err = ended(mpirun(ranks, *few, *more))
    check(f'{pattern}: exit {status}', got == status and pattern in err and out == '', f'{got} {err}')
    check(f'{pattern}: told once', 'foo' not in pattern or err.count(pattern) == 1, err)
r = run('sweep', *few, '-o', 'x.csv', '--mpi', env={**os.environ, 'FOOTFALL_MPI': '/nowhere.so'})
check('no library', r.returncode == 2 and 'needs libfootfall-mpi.so' in r.stderr and len(r.stderr.splitlines()) == 1, r.stderr)
r = run('sweep', *few, '-o', 'alone.csv', '--mpi')
check('without mpirun it is one rank', same('few.csv', 'alone.csv'), r.stderr)
finish()
PYTHON
finish
