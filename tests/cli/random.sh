#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Copyright the footfall authors
#
# random scenes with beds, adhesion, rolling, twist, unions, linkages and motions (COUNT, default 16; SEED, default 1)
. "$(dirname "$0")/lib.bash"
checks <"$here/random_scenes.py"
finish
