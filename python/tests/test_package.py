# SPDX-License-Identifier: Apache-2.0
# Copyright the footfall authors
"""The package as a whole: it binds all of the library, installs offline, and can be run from the build."""

import dataclasses
import os
import re
import subprocess
import sys
import venv

import numpy as np
import pytest

import footfall
from footfall import _core, _native
from conftest import ROOT


def test_every_exported_function_is_bound(build):
    found = subprocess.run(["nm", "-D", "--defined-only", build / "libfootfall.so"], text=True, capture_output=True,
                           check=True)
    exported = {line.split()[2] for line in found.stdout.splitlines() if line.split()[1] == "T"}
    assert len(exported) > 200
    assert exported == set(_native.FUNCTIONS)
    for name in exported:
        assert getattr(_core.lib, name) is not None


def test_structs_have_the_size_that_c_gives_them(tmp_path):
    """cffi computes the same struct layouts as the compiler."""
    names = re.findall(r"^typedef struct (ff_\w+) \{", "".join(p.read_text() for p in (ROOT / "include/footfall").glob("*.h")),
                       re.MULTILINE)
    assert len(names) > 50
    source = tmp_path / "sizes.c"
    source.write_text("#include <footfall/footfall.h>\n#include <stdio.h>\nint main(void) {\n" + "".join(
        f'    printf("{n} %zu\\n", sizeof({n}));\n' for n in names) + "}\n")
    subprocess.run([os.environ.get("CC", "cc"), "-I", ROOT / "include", source, "-o", tmp_path / "sizes"], check=True)
    printed = subprocess.run([tmp_path / "sizes"], text=True, capture_output=True, check=True).stdout
    for line in printed.splitlines():
        name, size = line.split()
        assert _core.ffi.sizeof(name) == int(size), name


#: records of Python and the structs they are filled from; with omitted members, and added ones
RECORDS = [
    (footfall.Motion, "ff_motion", set(), set()),
    (footfall.Event, "ff_event", {"contact"}, {"index", "owner", "name"}),
    (footfall.ContactView, "ff_contact_view", set(), set()),
    (footfall.Contact, "ff_contact_record", set(), set()),
    (footfall.Joint, "ff_joint_record", set(), set()),
    (footfall.Impacts, "ff_impacts", set(), set()),
    (footfall.ImpactRecord, "ff_impact_record", set(), set()),
    (footfall.Rest, "ff_rest", set(), set()),
    (footfall.Statistics, "ff_statistics", {"searches", "changes", "cost"}, set()),
    (footfall.Impact, "ff_impact", set(), set()),
    (footfall.Stiffness, "ff_stiffness", set(), set()),
    (footfall.Fit, "ff_fit_result", {"params", "bad_row", "bad_column"}, {"law", "residuals", "estimates"}),
    (footfall.Estimate, "ff_fit_param", set(), set()),
    (footfall.Power, "ff_power", set(), set()),
    (footfall.Finding, "ff_law_finding", set(), set()),
    (footfall.Material, "ff_material", set(), set()),
    (footfall.Field, "ff_field", {"parts"}, set()),
    (footfall.BodyFacts, "ff_body_facts", set(), set()),
    (footfall.Assembly, "ff_assembly", set(), set()),
    (footfall.Column, "ff_column", set(), set()),
    (footfall.Facts, "ff_trace_facts", {"size", "ledger", "statistics", "run", "crowd", "discards"}, set()),
    (footfall.Step, "ff_gait_record", set(), set()),
    (footfall.Cycle, "ff_gait_cycle", {"count"}, set()),
]


@pytest.mark.parametrize("record, struct, left_out, added", RECORDS, ids=[r[1] for r in RECORDS])
def test_records_have_the_members_of_their_structs(record, struct, left_out, added):
    members = {name for name, _ in _core.ffi.typeof(struct).fields}
    fields = {f.name.rstrip("_") for f in dataclasses.fields(record)}
    assert left_out <= members
    assert fields - added == members - left_out


def test_version(build):
    command = os.environ.get("FOOTFALL", build / "footfall")
    printed = subprocess.run([command, "--version"], text=True, capture_output=True, check=True).stdout
    assert footfall.__version__ in printed


def test_all_names_are_there_and_documented():
    for name in footfall.__all__:
        assert getattr(footfall, name).__doc__, name


def test_macros():
    assert _native.MACROS["FF_PI"] == np.pi
    assert _native.MACROS["FF_DIO_LAW"] == "xiong"


def _pip(folder, *arguments, **environment):
    env = {**os.environ, "PIP_NO_INDEX": "1", "PIP_DISABLE_PIP_VERSION_CHECK": "1", **environment}
    env.pop("PYTHONPATH", None)
    return subprocess.run([folder / "bin/python", *arguments], text=True, capture_output=True, env=env, cwd=folder)


def test_pip_installs_offline(tmp_path, build):
    pytest.importorskip("ensurepip")
    venv.create(tmp_path, system_site_packages=True, with_pip=True)
    done = _pip(tmp_path, "-m", "pip", "install", ROOT / "python", FOOTFALL_BUILD=str(build))
    assert done.returncode == 0, done.stdout + done.stderr
    program = ("import footfall; print(footfall.__file__, footfall.__version__, "
               "footfall.restitution(footfall.Normal('hertz', k=1e6), 1.0, 1.0))")
    done = _pip(tmp_path, "-c", program)
    assert done.returncode == 0, done.stderr
    where, version, e = done.stdout.split()
    assert where.startswith(str(tmp_path)) and version == footfall.__version__ and float(e) == 1
    # every file of RECORD exists with its size, and pip can uninstall the package
    done = _pip(tmp_path, "-m", "pip", "uninstall", "-y", "footfall")
    assert done.returncode == 0, done.stderr
    assert not os.path.exists(where)
    # without a build the message says what to do
    done = _pip(tmp_path, "-m", "pip", "install", ROOT / "python", FOOTFALL_BUILD=str(tmp_path / "none"))
    assert done.returncode != 0
    assert "run `make`" in done.stdout + done.stderr


def test_importing_takes_no_extras():
    """pandas, xarray, matplotlib and gymnasium are imported only when used."""
    program = "import sys, footfall; print([m for m in ('pandas', 'xarray', 'matplotlib', 'cffi') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", program], text=True, capture_output=True, check=True)
    assert done.stdout.strip() == "[]"


def test_types(tmp_path, build):
    """mypy reports no error in the package, and uses its type hints: it finds the error in a program that uses it."""
    pytest.importorskip("mypy")
    (tmp_path / "user.py").write_text("import footfall\nlaw = footfall.Normal('hertz', k=1)\n"
                                      "right: float = footfall.impact(law, 1, 1).loss\n"
                                      "wrong: str = footfall.impact(law, 1, 1).loss\n")
    done = subprocess.run([sys.executable, "-m", "mypy", "--config-file", ROOT / "python/pyproject.toml", "--cache-dir",
                           build / "mypy", "user.py", *(p for p in (build / "python/footfall").glob("*.py") if p.name != "_native.py")], text=True,
                          capture_output=True, env={**os.environ, "MYPYPATH": str(build / "python")}, cwd=tmp_path)
    said = done.stdout.splitlines()
    assert len(said) == 2 and said[0].startswith("user.py:4: error: Incompatible types"), done.stdout + done.stderr
