#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Copyright the footfall authors
#
# The studies other than the papers: each fails unless it reproduces the figures of its README.
. "$(dirname "$0")/lib.bash"

# study NAME ARGS...: it succeeds, and says so in its last line
study() {
    local name=$1
    shift
    python3 "$root/studies/$name/run.py" "$@" --check >out 2>err
    judge $? "studies/$name $*: $(tail -n 3 err)"
}

study oblique_impact
study chung_ooi
# the README has the figures of an hour: here a minute suffices, and dahl keeps oscillating
study hold --until 60 --laws coulomb,awrejcewicz,bengisu-akay,lugre,clutch,sat,bed
study hold --until 4 --laws dahl

# a law that does not hold is detected: a ramp in place of the clutch creeps
sed 's/"clutch": .*/"clutch": "{law: coulomb, mu: mu, v_ramp: ramp}",/' "$root/studies/hold/run.py" >broken.py
python3 broken.py --until 10 --laws clutch --check >out 2>err
[ $? -ne 0 ] && grep -q 'clutch lets go' err
judge $? "a law that creeps under the name of one that holds is found out"

finish
