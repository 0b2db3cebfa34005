#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Copyright the footfall authors
#
# README and docs are correct; `FOOTFALL=build/footfall tests/cli/docs.sh --update` writes the output of commands into
# them
exec python3 "$(dirname "$0")/docs.py" "$FOOTFALL" "$@"
