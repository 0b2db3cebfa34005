#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Copyright the footfall authors
#
# README and docs tell the truth; `FOOTFALL=build/footfall tests/cli/docs.sh --update` writes what commands print into them
exec python3 "$(dirname "$0")/docs.py" "$FOOTFALL" "$@"
