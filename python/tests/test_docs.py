# SPDX-License-Identifier: Apache-2.0
# Copyright the footfall authors
"""Every Python block, and every command that installs or runs Python, in the README and docs/ works as described.

Commands of footfall and links are checked by tests/cli/docs.py."""

import os
import re
import shutil
import subprocess
import sys

import pytest

from conftest import ROOT

PAGES = {path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8")
         for path in [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]}


def blocks(page, *kinds):
    """The fenced blocks of these kinds, in order."""
    found = re.findall(r"^```(\w*)\n(.*?)^```$", PAGES[page], re.MULTILINE | re.DOTALL)
    return [block for kind, block in found if kind in kinds]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A writable directory that looks like the root of the project."""
    for name in ("scenes", "examples", "python", "CMakeLists.txt"):
        (tmp_path / name).symlink_to(ROOT / name)
    monkeypatch.chdir(tmp_path)
    return tmp_path


#: expected output of the blocks of a page, in addition to running without an error
PRINTED = {
    "README.md": [r"touchdown +ball/floor", r"slip took \d"],
    "docs/python.md": [r"ball\.yaml:2:10: unknown key 'masss' in body 'ball' \(did you mean 'mass'\?\)",
                       r"touchdown ball/floor", r"^([4-9]|\d\d) hops$"],
    # the clicks were generated with lambda = 825
    "docs/tutorial.md": [r"rolls at 0\.71", r"^[7-9] landings$", r"^lambda is between 8[0-2]\d and 8[2-4]\d "],
}


@pytest.mark.parametrize("page", [page for page in PAGES if blocks(page, "python")])
def test_python_blocks_run_one_after_the_other(page, folder, capsys):
    for needed in ("matplotlib", "pandas", "xarray"):
        pytest.importorskip(needed)
    from footfall._core import NULL, lib
    import matplotlib.pyplot as plt
    has_page, names = lib.ff_page_check(NULL, NULL) >= 0, {}
    # files shown by the page: `NAME`: before a block of yaml or csv
    files = re.findall(r"`([\w.-]+)`[^`\n]*:\n\n```(?:yaml|csv)\n(.*?)^```$", PAGES[page], re.MULTILINE | re.DOTALL)
    for name, text in files:
        (folder / name).write_text(text, encoding="utf-8")
    if page == "docs/traces.md":
        import footfall
        footfall.Scene.from_file("scenes/rolling.yaml").sim().run(path="trace.h5")
    for block in blocks(page, "python"):
        # a library built without the page writes none
        exec(compile(block if has_page else re.sub(r"^trace\.(page|compare)\(.*$", "", block, flags=re.MULTILINE), page, "exec"), names)
    printed = capsys.readouterr().out
    for wanted in PRINTED.get(page, ()):
        assert re.search(wanted, printed, re.MULTILINE), (wanted, printed)
    # a file written by blocks equals the one shown
    for name, text in files:
        assert (folder / name).read_text(encoding="utf-8") == text
    plt.close("all")


def test_examples_of_the_readme():
    shown = blocks("README.md", "python")
    assert len(shown) == 1 and (ROOT / "examples/rolling.py").read_text(encoding="utf-8").endswith(shown[0])


@pytest.mark.parametrize("page", ["README.md", "docs/python.md"])
def test_shell_blocks(page, folder, build):
    pytest.importorskip("ensurepip")
    env = {k: v for k, v in os.environ.items() if k != "PYTHONPATH" and not k.startswith(("MAKE", "MFLAGS"))}
    env.update(FOOTFALL_BUILD=str(build), PIP_NO_INDEX="1", MPLBACKEND="Agg",
               PATH=f"{os.path.dirname(sys.executable)}:{os.environ['PATH']}")
    # `make python` without the steps done before the tests: packages and the build
    recipe = subprocess.run(["make", "-n", "python", f"PYTHON={sys.executable}"], text=True, capture_output=True, cwd=ROOT, env=env)
    install = [line for line in recipe.stdout.splitlines() if "venv" in line]
    assert len(install) == 3, recipe.stdout
    for block in blocks(page, "sh"):
        script = []
        for line in block.splitlines():
            if line.startswith("make python"):
                script += install
            elif not line.startswith(("make", "footfall", "export")):
                script.append(line)
        done = subprocess.run(["sh", "-ec", "\n".join(script)], text=True, capture_output=True, env=env)
        assert done.returncode == 0, done.stdout + done.stderr
        assert done.stderr == "", done.stderr
        assert re.search(r"\d+\.\d+\.\d+|residual|landings", done.stdout)
    if page == "README.md":
        for picture in ("rolling.png", "hopper.png"):
            assert (folder / picture).stat().st_size > 5000
    shutil.rmtree(folder / "venv")


def test_fit_page(monkeypatch, capsys):
    """The block of docs/fit.md: the true lambda of the synthetic clicks, 3100, is inside its interval."""
    monkeypatch.chdir(ROOT)
    block, = blocks("docs/fit.md", "python")
    exec(compile(block, "fit.md", "exec"), {})
    low, value, high = map(float, capsys.readouterr().out.split())
    assert low < 3100 < high and low < value < high
