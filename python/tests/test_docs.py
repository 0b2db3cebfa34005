# SPDX-License-Identifier: Apache-2.0
# Copyright the footfall authors
"""Every block of docs/python.md does what it says."""

import os
import re
import subprocess
import sys

import pytest

from conftest import ROOT

TEXT = (ROOT / "docs/python.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```(\w+)\n(.*?)^```", TEXT, re.MULTILINE | re.DOTALL)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder that looks like the root of the project, to be written into."""
    for name in ("scenes", "python", "CMakeLists.txt"):
        (tmp_path / name).symlink_to(ROOT / name)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_there_are_no_other_blocks():
    assert {kind for kind, _ in BLOCKS} == {"sh", "python"} and len(BLOCKS) > 8


def test_python_blocks_run_one_after_the_other(folder, capsys):
    for needed in ("matplotlib", "pandas", "xarray"):
        pytest.importorskip(needed)
    from footfall._core import NULL, lib
    page, names = lib.ff_page_check(NULL, NULL) >= 0, {}
    for kind, block in BLOCKS:
        if kind == "python":
            # a library without the page writes none
            exec(compile(block if page else re.sub(r"^trace\.page.*$", "", block, flags=re.MULTILINE), "python.md",
                         "exec"), names)
    printed = capsys.readouterr().out
    assert "ball.yaml:2:10: unknown key 'masss' in body 'ball' (did you mean 'mass'?)" in printed
    assert "touchdown ball/floor" in printed
    assert int(re.search(r"^(\d+) hops$", printed, re.MULTILINE).group(1)) > 3
    import matplotlib.pyplot as plt
    plt.close("all")


def test_shell_blocks(folder, build):
    pytest.importorskip("ensurepip")
    env = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}
    env.update(FOOTFALL_BUILD=str(build), PIP_NO_INDEX="1", PATH=f"{os.path.dirname(sys.executable)}:{os.environ['PATH']}")
    for kind, block in BLOCKS:
        if kind == "sh":
            # what make does was done before the tests
            script = "\n".join(line for line in block.splitlines() if not line.startswith("make"))
            done = subprocess.run(["sh", "-ec", script], text=True, capture_output=True, env=env)
            assert done.returncode == 0, done.stdout + done.stderr
            assert re.fullmatch(r"\d+\.\d+\.\d+", done.stdout.splitlines()[-1])


def test_fit_page(monkeypatch, capsys):
    """The block of docs/fit.md: lambda of the synthetic clicks, which was 3100, is inside its interval."""
    monkeypatch.chdir(ROOT)
    block, = re.findall(r"^```python\n(.*?)^```", (ROOT / "docs/fit.md").read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    exec(compile(block, "fit.md", "exec"), {})
    low, value, high = map(float, capsys.readouterr().out.split())
    assert low < 3100 < high and low < value < high
