#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Copyright the footfall authors
#
# random scenes in which something happens for a short time, against closed answers (COUNT, default 60; SEEDS, default 1)
. "$(dirname "$0")/lib.bash"
checks <"$here/short_scenes.py"
finish
