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

# engines that are not installed are left out with a word; footfall must return what is asked for
study court
for engine in MuJoCo ODE Bullet Rapier cannon-es; do
    grep -q "^| $engine |" out || grep -q "^$engine is not installed: left out" err
    judge $? "studies/court: $engine is in the table or said to be left out"
done
# sanitizers make these runs of 216 balls ten times as long, and find nothing that shorter tests of crowds do not
case $FOOTFALL in *sanitize*) ;; *) study simbenchmark ;; esac

# study files: each claim holds. The basin has 7 x 7 starts here, and fewer slopes and stiffnesses
claims() {
    local file=$1 count=$2
    "$FOOTFALL" sweep "$file" --json -q >out 2>err
    judge $? "$file: $(tail -n 3 err)"
    [ "$(grep -c '"status": "holds"' out)" -eq "$count" ]
    judge $? "$file: $count claims hold"
}
claims "$root/studies/restitution_map/study.yaml" 37
# 6 of 32 grasps
mkdir creep && cp "$root/studies/creep/grasp.yaml" creep
sed 's/"5:20:4"/"5,20"/; s/"0.3:1:8"/"0.3,0.5,1"/' "$root/studies/creep/study.yaml" >creep/study.yaml
grep -q '"5,20"' creep/study.yaml && grep -q '"0.3,0.5,1"' creep/study.yaml
judge $? "the study of creep was reduced"
claims creep/study.yaml 22
mkdir basin && cp "$root/studies/basin/biped.yaml" basin
sed 's/:31"/:7"/g; s/0.02:0.08:25/0.02:0.03:2/; s/1e6:1e8:9log/1e6,2e6/; s/0.02:0.009:12/0.011:0.009:3/' "$root/studies/basin/study.yaml" >basin/study.yaml
grep -q ':7"' basin/study.yaml && grep -q '0.02:0.03:2' basin/study.yaml && grep -q '0.011:0.009:3' basin/study.yaml
judge $? "the study of the basin was reduced"
claims basin/study.yaml 19
# map.yaml has the starts and figures of study.yaml on a finer grid
sed 's/:500"/:5"/g' "$root/studies/basin/map.yaml" >basin/map.yaml
"$FOOTFALL" sweep basin/map.yaml -o map -q 2>err
judge $? "studies/basin/map.yaml, 5 x 5 starts: $(tail -n 3 err)"
[ "$(wc -l <map/starts.csv)" -eq 26 ]
judge $? "studies/basin/map.yaml: a row for each start"

# a claim that does not hold is detected: a clutch in place of the ramp of coulomb does not creep
sed 's/{law: coulomb, mu: mu, v_ramp: ramp}/{law: clutch, mu: mu, k: k, damping: relaxation*k}/' creep/study.yaml >creep/wrong.yaml
"$FOOTFALL" sweep creep/wrong.yaml >out 2>err
[ $? -eq 1 ] && grep -q '^coulomb_still .* fails$' out && grep -q 'claims do not hold' err
judge $? "a law that holds under the name of one that creeps is found out"

# a law that does not hold is detected: a ramp in place of the clutch creeps
sed 's/"clutch": .*/"clutch": "{law: coulomb, mu: mu, v_ramp: ramp}",/' "$root/studies/hold/run.py" >broken.py
python3 broken.py --until 10 --laws clutch --check >out 2>err
[ $? -ne 0 ] && grep -q 'clutch lets go' err
judge $? "a law that creeps under the name of one that holds is found out"

finish
