#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Copyright the footfall authors
#
# completions/footfall offers the commands, options, laws and words of the command
. "$(dirname "$0")/lib.bash"
. "$root/completions/footfall"

# offers WORD... TYPED WANTED...: the words on the line, then a word that must be offered
offers() {
    COMP_WORDS=("$FOOTFALL" "${@:1:$#-1}")
    COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
    _footfall
    printf '%s\n' "${COMPREPLY[@]}" | grep -qxF -- "${!#}"
    judge $? "offered after '${*:1:$#-1}': ${COMPREPLY[*]}, not ${!#}"
}

offers re restitution
offers restitution --norm --normal
offers restitution --lambda-o --lambda-out
offers design --l --lambda-star
offers restitution --normal azad azad-featherstone
offers restitution --normal tw two-term
offers restitution --normal linear --detach t tension
offers restitution --materials c cork
offers laws cl clutch
offers sw sweep
offers sweep --va --vary
offers sweep --points s sobol
touch scene.yaml
offers run sc scene.yaml

# every parameter of every normal law is an option, in help and completion
"$FOOTFALL" laws --json >laws.json
python3 -c '
import json
for law in json.load(open("laws.json"))["laws"]:
    if law["kind"] == "normal":
        for p in law["parameters"]:
            print("--" + p["name"].replace("_", "-"))' | sort -u >params
for command in restitution design phase fit; do
    COMP_WORDS=("$FOOTFALL" "$command" --) COMP_CWORD=2
    _footfall
    printf '%s\n' "${COMPREPLY[@]}" | sort -u >offered
    judge "$([ -z "$(comm -23 params offered)" ]; echo $?)" "$command lacks $(comm -23 params offered | tr '\n' ' ')"
done

finish
