# SPDX-License-Identifier: Apache-2.0
# Copyright the footfall authors
"""A PEP 517 backend that wraps the package that CMake has put together, build/python/footfall, as a wheel.

It needs the standard library only, so that pip installs offline: pip hides the packages of the system from backends and
would download what a backend requires. FOOTFALL_BUILD names another build directory than ../build.
"""

import base64
import hashlib
import os
import re
import sysconfig
import zipfile

NAME = "footfall"
HERE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def staged():
    """The folder of the package; a clear word where it is not complete."""
    build = os.environ.get("FOOTFALL_BUILD") or os.path.join(os.path.dirname(HERE), "build")
    package = os.path.join(build, "python", NAME)
    for needed in ("__init__.py", "_native.py", "libfootfall.so"):
        if not os.path.exists(os.path.join(package, needed)):
            raise SystemExit(
                f"footfall: {os.path.join(package, needed)} is not there: run `make` in {os.path.dirname(HERE)} first, "
                "which needs python3-cffi (make setup GROUPS=python); FOOTFALL_BUILD names another build directory")
    return package


def version():
    """The version of the project, which CMakeLists.txt says."""
    with open(os.path.join(os.path.dirname(HERE), "CMakeLists.txt"), encoding="utf-8") as file:
        return re.search(r"project\(footfall VERSION ([0-9.]+)", file.read()).group(1)


def metadata():
    """The text of METADATA, of what pyproject.toml says; Python has a reader of TOML from 3.11 on only."""
    with open(os.path.join(HERE, "pyproject.toml"), encoding="utf-8") as file:
        project = dict(re.findall(r"^([a-z-]+) = (.+)$", file.read().split("[project]")[1], re.MULTILINE))
    lines = ["Metadata-Version: 2.1", f"Name: {NAME}", f"Version: {version()}",
             "Summary: " + project["description"].strip('"'), "License: Apache-2.0",
             "Requires-Python: " + project["requires-python"].strip('"')]
    lines += ["Requires-Dist: " + name for name in re.findall(r'"([^"]+)"', project["dependencies"])]
    return "\n".join(lines) + "\n"


def tag():
    """Any Python 3 on this platform: the library is called through cffi, not through Python's own interface."""
    return "py3-none-" + re.sub(r"[-.]", "_", sysconfig.get_platform())


def get_requires_for_build_wheel(config_settings=None):
    return []


def prepare_metadata_for_build_wheel(metadata_directory, config_settings=None):
    info = f"{NAME}-{version()}.dist-info"
    os.makedirs(os.path.join(metadata_directory, info))
    for name, text in (("METADATA", metadata()), ("WHEEL", wheel())):
        with open(os.path.join(metadata_directory, info, name), "w", encoding="utf-8") as file:
            file.write(text)
    return info


def wheel():
    """The text of WHEEL."""
    return f"Wheel-Version: 1.0\nGenerator: footfall\nRoot-Is-Purelib: false\nTag: {tag()}\n"


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    package, info = staged(), f"{NAME}-{version()}.dist-info"
    contents = {}
    for name in sorted(os.listdir(package)):
        path = os.path.join(package, name)
        if os.path.isfile(path):
            with open(path, "rb") as file:
                contents[f"{NAME}/{name}"] = file.read()
    contents[f"{info}/METADATA"] = metadata().encode()
    contents[f"{info}/WHEEL"] = wheel().encode()
    record = []
    for name, data in contents.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        record.append(f"{name},sha256={digest},{len(data)}\n")
    record.append(f"{info}/RECORD,,\n")
    contents[f"{info}/RECORD"] = "".join(record).encode()
    made = f"{NAME}-{version()}-{tag()}.whl"
    with zipfile.ZipFile(os.path.join(wheel_directory, made), "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in contents.items():
            archive.writestr(name, data)
    return made
