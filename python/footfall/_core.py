# SPDX-License-Identifier: Apache-2.0
# Copyright the footfall authors
"""The library, its errors, and the conversion of C structs, for the other modules of the package."""

from __future__ import annotations

import dataclasses
import os
import warnings as _warnings
from typing import Any, Iterable, Mapping, Optional, Sequence, Type, TypeVar

import numpy as np

try:
    from ._native import ffi
except ModuleNotFoundError as missing:
    raise ImportError("these are the sources of the package, without its binding: run `make`, then use build/python "
                      "(PYTHONPATH=build/python) or `pip install ./python`") from missing

lib = ffi.dlopen(os.path.join(os.path.dirname(os.path.abspath(__file__)), "libfootfall.so"))

NULL = ffi.NULL
T = TypeVar("T")


@dataclasses.dataclass(frozen=True)
class Message:
    """An error in the input, and its location."""

    file: str  #: as it was given; ``--set PATH=VALUE`` for a setting
    line: int  #: from 1; 0: no place in the file
    column: int  #: from 1
    text: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}: {self.text}" if self.line else f"{self.file}: {self.text}"


class Error(Exception):
    """An error. ``status`` is the code of the library; ``messages`` lists all errors of an input."""

    def __init__(self, text: str, status: int = 0, messages: Sequence[Message] = ()) -> None:
        super().__init__(text)
        self.status = status
        self.messages = list(messages)

    def __str__(self) -> str:
        return str(self.args[0])

    @property
    def file(self) -> Optional[str]:
        """The file of the first error; None if it has no location."""
        return self.messages[0].file if self.messages else None

    @property
    def line(self) -> Optional[int]:
        """The line of the first error, from 1; None if it has none."""
        return self.messages[0].line or None if self.messages else None

    @property
    def column(self) -> Optional[int]:
        """The column of the first error, from 1; None if it has none."""
        return self.messages[0].column or None if self.line else None


class InputError(Error, ValueError):
    """Invalid input: a scene, a value, a law."""


class NotFoundError(Error, KeyError):
    """No field, column, body, contact, joint or law has this name."""


class RunError(Error):
    """A run failed, or cannot be trusted. ``trace`` is the record up to that point, if there is one."""

    trace: Any = None


class ModelWarning(UserWarning):
    """Something that the author of a scene may not have intended. A warning does not stop a run."""

    def __init__(self, text: str, kind: str, value: float, limit: float) -> None:
        super().__init__(text)
        self.kind = kind
        self.value = value
        self.limit = limit


def text(pointer: Any) -> Optional[str]:
    """A text of the library; None for NULL."""
    return None if pointer == NULL else ffi.string(pointer).decode("utf-8", "replace")


def own_text(pointer: Any) -> str:
    """A text that the library has allocated for the caller."""
    try:
        return text(pointer) or ""
    finally:
        lib.ff_free(pointer)


def free(pointer: Any) -> None:
    """Free memory that the library has allocated for its caller."""
    lib.ff_free(pointer)


def encode(value: Any) -> bytes:
    """A text or a path for the library."""
    if isinstance(value, (str, os.PathLike)):
        value = os.fsencode(value) if isinstance(value, os.PathLike) else value.encode("utf-8")
    if b"\0" in value:
        raise InputError("a text with a zero byte in it", lib.FF_BAD_VALUE)
    return value


def status_text(status: int) -> str:
    """The meaning of a status."""
    return text(lib.ff_status_text(status)) or ""


#: statuses that say that the input is wrong
_INPUT = ("FF_BAD_VALUE", "FF_MISSING", "FF_NOT_IDENTIFIABLE", "FF_UNREACHABLE")
_INPUT_STATUS = frozenset(getattr(lib, name) for name in _INPUT)


def failure(status: int, error: Any = None, messages: Sequence[Message] = ()) -> Error:
    """The exception for a status below 0; ``error`` is an ff_error of the library, or a text."""
    said = error if isinstance(error, str) else text(error.text) if error is not None else ""
    said = said or "\n".join(str(m) for m in messages) or status_text(status)
    if status == lib.FF_NO_MEMORY:
        raise MemoryError(said)
    if status == lib.FF_NOT_WRITTEN:
        raise OSError(said)
    return (InputError if status in _INPUT_STATUS else Error)(said, status, messages)


def check(status: int, error: Any = None) -> int:
    """Return the status of a call, or raise its exception if it failed."""
    if status < 0:
        raise failure(status, error)
    return status


def take_messages(messages: Any) -> list:
    """Take the messages out of an ff_messages, which is cleared."""
    found = [
        Message(text(m.file) or "", m.line, m.column, text(m.text) or "")
        for m in (messages.at[i] for i in range(messages.count))
    ]
    if messages.left_out:
        found.append(Message(found[0].file, 0, 0, f"and {messages.left_out} more mistakes"))
    lib.ff_messages_clear(ffi.addressof(messages) if ffi.typeof(messages).kind == "struct" else messages)
    return found


def settings(values: Optional[Mapping[str, Any] | Iterable[str]]) -> tuple:
    """Settings ``{"bodies.ball.mass": "154 g"}`` or ``["bodies.ball.mass=154 g"]`` for the library: array, count, owner."""
    if not values:
        return NULL, 0, None
    if isinstance(values, str):
        raise TypeError("settings are a dict, or a list of texts PATH=VALUE")
    if isinstance(values, Mapping):
        values = [f"{path}={number(value)}" for path, value in values.items()]
    owned = [ffi.new("char[]", encode(v)) for v in values]
    return ffi.new("const char *[]", owned), len(owned), owned


def number(value: Any) -> str:
    """A value in the notation of scene files."""
    if isinstance(value, str):
        return value
    if isinstance(value, (bool, np.bool_)):
        return "true" if value else "false"
    if isinstance(value, (int, np.integer)):
        return str(int(value))
    if isinstance(value, (float, np.floating)):
        return repr(float(value))
    if isinstance(value, (list, tuple, np.ndarray)):
        return "[" + ", ".join(number(v) for v in value) + "]"
    raise TypeError(f"{value!r} is neither a number, a text nor a list of these")


def doubles(values: Any, what: str = "values") -> tuple:
    """Numbers as a contiguous array and a pointer into it, without a copy if they already are contiguous."""
    array = np.ascontiguousarray(values, dtype=np.float64)
    if array.ndim == 0:
        array = array.reshape(1)
    if array.size == 0:
        raise InputError(f"no {what}", lib.FF_BAD_VALUE)
    return array, ffi.from_buffer("double[]", array)


def optional(array: Any) -> Any:
    """A pointer into an array of doubles; NULL for None."""
    return NULL if array is None else ffi.from_buffer("double[]", array)


#: functions of the library that name the values of its enums
_NAMED = {
    "ff_event_kind": "ff_event_name",
    "ff_field_kind": "ff_field_kind_name",
    "ff_joint_kind": "ff_joint_kind_name",
    "ff_method": "ff_method_name",
    "ff_formulation": "ff_formulation_name",
    "ff_constraints": "ff_constraints_name",
    "ff_warning_kind": "ff_warning_name",
}


def enum_names(name: str) -> dict:
    """The names of an enum of the library and their values: ``{"auto": 0, "euler": 1, ...}``."""
    function = getattr(lib, _NAMED[name])
    values = sorted(ffi.typeof(name).elements)
    return {word: v for v in values if (word := text(function(v))) is not None}


def value(member: Any, ctype: Any) -> Any:
    """A struct member as a Python value: a number, a text or a numpy array."""
    if ctype.kind == "array":
        if ctype.item.cname == "char":
            return text(member)
        if ctype.item.kind == "primitive":
            return np.array(list(member))
        if ctype.item.kind == "array":
            return np.array([list(row) for row in member])
        return [value(item, ctype.item) for item in member]
    if ctype.kind == "enum":
        namer = _NAMED.get(ctype.cname.replace("enum ", ""))
        return text(getattr(lib, namer)(member)) if namer else member
    if ctype.kind == "pointer" and ctype.item.cname == "char":
        return text(member)
    return member


def fill(cls: Type[T], struct: Any, **others: Any) -> T:
    """A dataclass from the struct members of the same names; ``others`` gives the rest."""
    ctype = ffi.typeof(struct)
    members = dict((ctype.item if ctype.kind == "pointer" else ctype).fields)
    names = [f.name for f in dataclasses.fields(cls) if f.name not in others]  # type: ignore[arg-type]
    found = {}
    for name in names:
        # lambda is a keyword of Python
        member = name[:-1] if name.endswith("_") else name
        found[name] = value(getattr(struct, member), members[member].type)
    return cls(**found, **others)


def dtype_of(name: str) -> np.dtype:
    """The numpy type of a struct of numbers, so that arrays of it need not be copied."""
    kinds = {"double": "f8", "_Bool": "?", "int": "i4", "long": "i8", "size_t": "u8"}
    names, formats, offsets = [], [], []
    for member, field in ffi.typeof(name).fields:
        ctype, shape = field.type, []
        while ctype.kind == "array":
            shape.append(ctype.length)
            ctype = ctype.item
        names.append(member)
        formats.append((kinds[ctype.cname], tuple(shape)))
        offsets.append(field.offset)
    return np.dtype({"names": names, "formats": formats, "offsets": offsets, "itemsize": ffi.sizeof(name)})


def set_members(struct: Any, given: Mapping[str, Any], what: str) -> None:
    """Set struct members by name; enums by the names of their values."""
    members = dict(ffi.typeof(struct).item.fields)
    for name, given_value in given.items():
        if name not in members or name == "size":
            raise TypeError(f"{what} has no {name!r}; there are {', '.join(k for k in members if k != 'size')}")
        ctype = members[name].type
        if ctype.kind == "enum" and isinstance(given_value, str):
            words = enum_names(ctype.cname.replace("enum ", ""))
            if given_value not in words:
                raise InputError(f"{name} is no {given_value!r}; there are {', '.join(words)}", lib.FF_BAD_VALUE)
            given_value = words[given_value]
        elif isinstance(given_value, np.generic):
            given_value = given_value.item()
        setattr(struct, name, given_value)


def warnings_of(ask: Any, of: Any) -> list:
    """The warnings of a model or a sim: ``ask(of, i)`` has no text after the last."""
    found: list = []
    while text((warning := ask(of, len(found))).text):
        found.append(warning)
    return found


def warn(found: Iterable[Any], level: int) -> list:
    """Issue Python warnings for those of the library; returns them."""
    issued = []
    for w in found:
        warning = ModelWarning(text(w.text) or "", text(lib.ff_warning_name(w.kind)) or "", w.value, w.limit)
        issued.append(warning)
        _warnings.warn(warning, stacklevel=level + 1)
    return issued
