#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright the footfall authors
"""Generate footfall/_native.py from the public headers.

    bindings.py COMPILER INCLUDE_DIRECTORY OUTPUT

The compiler preprocesses include/footfall/footfall.h, with empty files in the place of the C library's headers; cffi
reads what is left, in out-of-line ABI mode: the generated module opens libfootfall.so when it is imported, and
installing it needs no compiler. Static inline functions are left out, since a library does not export them.
"""

import ast
import os
import re
import subprocess
import sys
import tempfile

from cffi import FFI

#: the headers of the C library that public headers include; cffi knows size_t, bool, uint64_t and FILE by itself
SYSTEM_HEADERS = ["math.h", "stdbool.h", "stddef.h", "stdint.h", "stdio.h"]


def preprocess(compiler: str, include: str, *flags: str) -> str:
    """The public headers after the preprocessor, without the C library's."""
    with tempfile.TemporaryDirectory() as empty:
        for name in SYSTEM_HEADERS:
            with open(os.path.join(empty, name), "w", encoding="utf-8"):
                pass
        command = [compiler, "-E", "-P", "-nostdinc", "-I", empty, "-I", include, *flags, "-x", "c", "-"]
        done = subprocess.run(command, input="#include <footfall/footfall.h>\n", text=True, capture_output=True)
    if done.returncode:
        sys.exit(f"bindings.py: {' '.join(command)} failed:\n{done.stderr}")
    return done.stdout


def without_inlines(text: str) -> str:
    """The text without static inline functions."""
    kept, at = [], 0
    for found in re.finditer(r"\bstatic\s+inline\b", text):
        if found.start() < at:
            continue
        kept.append(text[at : found.start()])
        at, depth = text.index("{", found.end()) + 1, 1
        while depth:
            depth += {"{": 1, "}": -1}.get(text[at], 0)
            at += 1
    kept.append(text[at:])
    return "".join(kept)


def constants(compiler: str, include: str) -> dict:
    """Macros that are plain numbers or texts, by name: FF_PI, FF_DIO_LAW."""
    found = {}
    for line in preprocess(compiler, include, "-dM").splitlines():
        match = re.fullmatch(r"#define (FF_[A-Z0-9_]+) (.+)", line)
        if not match:
            continue
        value = re.sub(r"\((size_t|int|double)\)", "", match.group(2))
        try:
            found[match.group(1)] = ast.literal_eval(value)
        except (ValueError, SyntaxError):
            continue  # a macro with other contents than one number or text
    return dict(sorted(found.items()))


def main(compiler: str, include: str, out: str) -> None:
    text = preprocess(compiler, include)
    text = re.sub(r'__attribute__\(\(visibility\("default"\)\)\)', "", without_inlines(text))
    macros = constants(compiler, include)
    # sizes of arrays are integer macros
    integers = "".join(f"#define {k} {v}\n" for k, v in macros.items() if isinstance(v, int))
    ffi = FFI()
    ffi.cdef(integers + text)
    ffi.set_source("footfall._native", None)
    ffi.emit_python_code(out)
    # a name right before a parenthesis: pointers to functions have another form, (*name)(
    functions = sorted(set(re.findall(r"\b(ff_[a-z0-9_]+)\(", text)))
    with open(out, "a", encoding="utf-8") as module:
        module.write(f"\nMACROS = {macros!r}\nFUNCTIONS = {functions!r}\n")


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    main(*sys.argv[1:])
