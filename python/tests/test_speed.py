# SPDX-License-Identifier: Apache-2.0
# Copyright the footfall authors
"""The goals of python/benchmarks/speed.py, in CPU time, which other load of the machine does not affect."""

import subprocess
import sys

from conftest import ROOT


def test_goals():
    done = subprocess.run([sys.executable, ROOT / "python/benchmarks/speed.py"], text=True, capture_output=True)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.count("goal") == 3
