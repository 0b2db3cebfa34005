# SPDX-License-Identifier: Apache-2.0
# Copyright the footfall authors
"""The goals of python/benchmarks/speed.py, in CPU time. A machine that others share may be slow for a while, so that a goal
counts as missed only after three attempts."""

import subprocess
import sys
import time

from conftest import ROOT


def test_goals():
    for attempt in range(3):
        time.sleep(10 * attempt)
        done = subprocess.run([sys.executable, ROOT / "python/benchmarks/speed.py"], text=True, capture_output=True)
        if done.returncode == 0:
            break
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.count("goal") == 3
