# SPDX-License-Identifier: Apache-2.0
# Copyright the footfall authors
"""What the tests of the command share in Python; see lib.bash."""
import json
import math
import os
import subprocess

FOOTFALL = os.environ['FOOTFALL']
passed = failed = 0


def check(what, ok, seen=''):
    global passed, failed
    passed += bool(ok)
    failed += not ok
    if not ok:
        print(f'FAIL {what}' + (f': {seen}' if seen != '' else ''))


def near(what, got, want, tolerance):
    """relative, and absolute where 0 is wanted"""
    ok = isinstance(got, (int, float)) and abs(got - want) <= tolerance * (abs(want) or 1)
    check(what, ok, f'{got!r} instead of {want!r}')


def run(*args, limit=60, **more):
    """no answer takes long, under sanitizers either: one that takes `limit` seconds is killed and has status 137"""
    try:
        return subprocess.run([FOOTFALL, *map(str, args)], capture_output=True, text=True, timeout=limit, **more)
    except subprocess.TimeoutExpired:
        return subprocess.CompletedProcess(args, 137, '', f'killed after {limit} s')


def unique(pairs):
    keys = [key for key, _ in pairs]
    check('keys of a JSON object are unique', len(set(keys)) == len(keys), keys)
    return dict(pairs)


def ask(*args):
    """the JSON object that the command prints with --json, {} if it does not"""
    r = run(*args, '--json')
    try:
        # json.loads accepts NaN and Infinity, which are not JSON
        answer = json.loads(r.stdout, object_pairs_hook=unique, parse_constant=lambda word: math.nan / 0)
    except (ValueError, ZeroDivisionError):
        answer = None
    ok = r.returncode == 0 and isinstance(answer, dict) and r.stderr == ''
    check(' '.join(map(str, args))[:120] + ' prints one JSON object', ok, f'exit {r.returncode}, {r.stderr[:200]}')
    return answer if ok else {}


def options(**more):
    """k=1 and lambda_out=2 as --k 1 --lambda-out 2; numbers keep all their digits"""
    return [word for key, value in more.items()
            for word in ('--' + key.rstrip('_').replace('_', '-'), value if isinstance(value, str) else repr(value))]


def points(law, **more):
    return ask('restitution', '--normal', law, *options(**more)).get('points', [])


def point(law, **more):
    """the one point of a restitution; its keys are never missing, so that a test fails and goes on"""
    found = points(law, **more)
    keys = ('speed restitution loss contact_time clear_time max_depth max_force energy_lost impulse '
            'end_depth delta').split()
    return {**dict.fromkeys(keys, 'nothing'), **(found[0] if len(found) == 1 else {})}


def finish():
    print(f'{passed} passed, {failed} failed')
