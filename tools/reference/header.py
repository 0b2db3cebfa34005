# SPDX-License-Identifier: Apache-2.0
# Copyright the footfall authors
"""Reads tables of numbers from headers of tests/ and compares them with recomputed numbers."""
import os
import re
import sys

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")


def table(header, name):
    """Rows of `static const double NAME[][N]` in tests/HEADER, as texts, to keep all digits."""
    with open(os.path.join(ROOT, "tests", header)) as f:
        text = f.read()
    body = re.search(r"\b%s\[[^=]*=\s*\{(.*?)\};" % name, text, re.S).group(1)
    rows = re.findall(r"\{([^{}]*)\}", body) or [body]
    return [[x.strip() for x in row.split(",") if x.strip()] for row in rows]


class Comparison:
    """Counts the compared numbers and prints those that differ."""

    def __init__(self):
        self.count, self.wrong, self.worst = 0, 0, {}

    def near(self, name, got, known, tolerance):
        """Compares `got` with `known`: relative `tolerance`, absolute if `known` is 0."""
        known = float(known)
        error = abs(float(got) - known) / (abs(known) or 1)
        self.count += 1
        self.worst[name] = max(self.worst.get(name, 0), error)
        if not error <= tolerance:
            self.wrong += 1
            print(f"{name}: {float(got)!r} is not {known!r}")

    def end(self):
        for name, error in self.worst.items():
            print(f"{name}: greatest relative difference {error:.2g}")
        print(f"{self.count} numbers, {self.wrong} differ")
        sys.exit(1 if self.wrong else 0)
