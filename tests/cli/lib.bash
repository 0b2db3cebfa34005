# SPDX-License-Identifier: Apache-2.0
# Copyright the footfall authors
#
# Shared by the tests of the command; each sources it. FOOTFALL is the path of the command.
set -u
: "${FOOTFALL:?the path of the footfall command}"
FOOTFALL=$(realpath "$FOOTFALL")
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
export FOOTFALL PYTHONPATH=$here PYTHONDONTWRITEBYTECODE=1 LC_ALL=C.UTF-8
passed=0
failed=0

# judge $? WHAT: counts a result
judge() {
    if [ "$1" -eq 0 ]; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "FAIL $2"
    fi
}

# the command line, and the first lines of its output
told() {
    local words="$*"
    echo "${words:0:200}: exit $status, $(wc -c <out) bytes on stdout, stderr: $(head -c 300 err)"
}

# no command takes long, even with sanitizers and other work: after 60 s it is killed and has status 137
call() {
    timeout -s KILL 60 "$FOOTFALL" "$@" >out 2>err
    status=$?
}

# expect STATUS PATTERN ARGS...: this exit status, one line on stderr that starts with `footfall` and
# matches the extended regular expression, nothing on stdout
expect() {
    local want=$1 pattern=$2
    shift 2
    call "$@"
    [ "$status" -eq "$want" ] && [ ! -s out ] && [ "$(wc -l <err)" -eq 1 ] &&
        [ "$(wc -c <err)" -lt 500 ] && grep -q '^footfall' err && grep -qE -e "$pattern" err
    judge $? "$(told "$@"), wanted exit $want and /$pattern/"
}

# refuses PATTERN ARGS...: invalid input
refuses() { expect 2 "$@"; }

# accepts ARGS...: success, output on stdout and nothing on stderr
accepts() {
    call "$@"
    [ "$status" -eq 0 ] && [ -s out ] && [ ! -s err ]
    judge $? "$(told "$@"), wanted exit 0"
}

# checks <<'PYTHON': a script that starts with `from lib import *` and ends with `finish()`
checks() {
    python3 - >python.out
    if [[ $(tail -n 1 python.out) =~ ^([0-9]+)\ passed,\ ([0-9]+)\ failed$ ]]; then
        passed=$((passed + BASH_REMATCH[1]))
        failed=$((failed + BASH_REMATCH[2]))
        sed '$d' python.out
    else
        failed=$((failed + 1))
        cat python.out
        echo "FAIL the script broke off"
    fi
}

finish() {
    echo "$passed passed, $failed failed"
    [ "$failed" -eq 0 ]
    exit
}
