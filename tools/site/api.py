# SPDX-License-Identifier: Apache-2.0
# Copyright the footfall authors
"""The API reference: public headers as Markdown, each declaration under the comment that documents it."""

import re

#: a comment, a preprocessor line with its continuations, or one character
TOKEN = re.compile(r"/\*.*?\*/|^#(?:[^\n]|(?<=\\)\n)*|.", re.DOTALL | re.MULTILINE)
NAME = re.compile(r"\bff_[a-z0-9_]+\b|\bFF_[A-Z0-9_]+\b")
#: lines that are for the compiler only
MACHINERY = re.compile(r"^(#pragma|#include|FF_C_BEGIN|FF_C_END|/\* clang-format)")


def declarations(text):
    """The blocks of a header: lines that no blank line separates; blank lines within braces and comments do not."""
    block, line, depth = [], "", 0
    for token in TOKEN.findall(text) + ["\n", "\n"]:
        if token != "\n":
            depth += (token == "{") - (token == "}")
            line += token
        elif line.strip() or depth > 0:
            block.append(line.rstrip())
            line = ""
        elif block:
            yield [kept for kept in block if not MACHINERY.match(kept)]
            block = []
        else:
            line = ""


def prose(comment):
    """The text of a comment: paragraphs, and indented lines as code."""
    inner = re.sub(r"^/\*|\*/$", "", comment.strip()).strip()
    lines = [re.sub(r"^\s*\* ?", "", line) if i else line.strip() for i, line in enumerate(inner.split("\n"))]
    return "\n".join(lines)


def header(name, text):
    """A header as Markdown. Names that it declares become anchors: `<a id>` before the block that declares them."""
    out = [f"# {name}", ""]
    licence = re.compile(r"\A/\* SPDX.*?\*/\n", re.DOTALL)
    for block in declarations(licence.sub("", text)):
        code = "\n".join(block).strip()
        leading = re.match(r"/\*.*?\*/\s*", code, re.DOTALL)
        if leading:
            out += [prose(leading[0]), ""]
            code = code[leading.end():]
        # what the linker needs to know
        code = re.sub(r"^FF_API ", "", code, flags=re.MULTILINE)
        if code:
            anchors = "".join(f'<a id="{found}"></a>' for found in declared(code))
            out += [anchors, "", "```c", code, "```", ""] if anchors else ["```c", code, "```", ""]
    return "\n".join(out)


def declared(code):
    """The names that a block declares: functions, types, macros, members of enumerations."""
    bare = re.sub(r"/\*.*?\*/", "", code, flags=re.DOTALL)
    found = re.findall(r"\b(ff_[a-z0-9_]+)\(", bare)
    found += re.findall(r"^typedef (?:struct|enum|union) (ff_[a-z0-9_]+)", bare, re.MULTILINE)
    found += re.findall(r"\}\s*(ff_[a-z0-9_]+);", bare) + re.findall(r"^#define (FF_[A-Z0-9_]+)", bare, re.MULTILINE)
    for members in re.findall(r"\benum\b[^{;]*\{(.*?)\}", bare, re.DOTALL):
        found += re.findall(r"\b(FF_[A-Z0-9_]+)", members)
    return list(dict.fromkeys(found))
