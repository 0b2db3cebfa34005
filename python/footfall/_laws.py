# SPDX-License-Identifier: Apache-2.0
# Copyright the footfall authors
"""Force laws and materials, from the tables of the library.

Signs: depth > 0 is penetration, rate > 0 is closing, force > 0 pushes apart. SI units throughout.
"""

from __future__ import annotations

import dataclasses
import math
from typing import Any, Dict, Iterator, List, Mapping, Optional, Tuple, Union

import numpy as np

from ._core import NULL, InputError, NotFoundError, check, encode, ffi, fill, lib, text
from ._native import MACROS

Values = Mapping[str, Union[float, str]]


@dataclasses.dataclass(frozen=True)
class Parameter:
    """A parameter of a law."""

    name: str
    unit: Optional[str]  #: may hold the law's exponents, as ``N/m^n``; "1": a pure number; None: one of ``words``
    least: float
    most: float
    default: Optional[float]  #: None: it must be given, or the law derives it (``derived``)
    meaning: str
    words: Tuple[str, ...] = ()
    derived: bool = False  #: where it is not given the law derives it; ``meaning`` says from what


@dataclasses.dataclass(frozen=True)
class Law:
    """An entry of the table of laws: name, formula, parameters."""

    name: str
    kind: str  #: "normal" or "friction"
    formula: str
    source: str
    limits: str
    parameters: Tuple[Parameter, ...]

    def __str__(self) -> str:
        rows = [f"{self.name}: {self.formula}"]
        for p in self.parameters:
            unit = ", ".join(p.words) if p.words else p.unit
            fallback = "derived" if p.derived else "required" if p.default is None else f"default {p.default:g}"
            rows.append(f"  {p.name} ({unit}): {p.meaning}; {fallback}")
        return "\n".join(rows)


def _parameters(table: Any) -> Iterator[Parameter]:
    i = 0
    while table.params[i].name != NULL:
        p = table.params[i]
        words: List[str] = []
        while p.words != NULL and p.words[len(words)] != NULL:
            words.append(text(p.words[len(words)]) or "")
        derived = p.fallback == MACROS["FF_DERIVED"] and not words
        default = None if derived or math.isnan(p.fallback) else p.fallback
        yield Parameter(text(p.name) or "", text(p.unit), p.least, p.most, default, text(p.meaning) or "", tuple(words),
                        derived)
        i += 1


def laws(kind: str = "normal") -> Dict[str, Law]:
    """All known laws, by name; ``kind`` is "normal" or "friction"."""
    try:
        at = {"normal": lib.ff_normal_law_at, "friction": lib.ff_friction_law_at}[kind]
    except KeyError:
        raise NotFoundError(f"no kind of laws is called {kind!r}; there are normal and friction") from None
    found: Dict[str, Law] = {}
    while (table := at(len(found))) != NULL:
        name = text(table.name) or ""
        found[name] = Law(name, kind, text(table.formula) or "", text(table.source) or "", text(table.limits) or "",
                          tuple(_parameters(table)))
    return found


def load_laws(path: Any) -> None:
    """Load user-defined laws from a shared object (docs/own-laws.md). This runs the code of that file."""
    error = ffi.new("ff_error *")
    check(lib.ff_law_load(encode(path), error), error)


class _LawWithNumbers:
    """A law with the values of its parameters; immutable."""

    _kind = ""

    def __init__(self, law: str, values: Optional[Values] = None, /, **parameters: Union[float, str]) -> None:
        """``Normal("hunt-crossley", k=8.5e6, lambda_=3.1e3)``: a trailing underscore is removed, because
        ``lambda`` is a keyword of Python; ``Normal("hunt-crossley", {"k": 8.5e6, "lambda": 3.1e3})`` does the same."""
        find = getattr(lib, f"ff_{self._kind}_law_find")
        table = find(encode(law))
        if table == NULL:
            known = list(laws(self._kind))
            raise NotFoundError(f"no {self._kind} law is called {law!r}; there are {', '.join(known)}")
        error = ffi.new("ff_error *")
        self._c = ffi.new(f"ff_{self._kind} *")
        check(getattr(lib, f"ff_{self._kind}_init")(self._c, table, error), error)
        given = dict(values or {}, **{k[:-1] if k.endswith("_") else k: v for k, v in parameters.items()})
        words = {k: v for k, v in given.items() if isinstance(v, str)}
        for name, word in words.items():
            check(self._call("choose", encode(name), encode(word), error), error)
        numbers = {k: float(v) for k, v in given.items() if k not in words}
        names = [ffi.new("char[]", encode(k)) for k in numbers]
        listed = ffi.new("ff_param_value[]", [(n, v) for n, v in zip(names, numbers.values())])
        check(self._call("set_all", listed, len(names), error), error)
        check(getattr(lib, f"ff_{self._kind}_check")(self._c, error), error)

    @classmethod
    def _of(cls, struct: Any) -> Any:
        """A copy of a law struct of the library."""
        law = cls.__new__(cls)
        law._c = ffi.new(f"ff_{cls._kind} *", struct[0])
        return law

    def _call(self, name: str, *arguments: Any) -> Any:
        return getattr(lib, f"ff_{self._kind}_{name}")(self._c, *arguments)

    @property
    def law(self) -> Law:
        """The law's entry in the table: formula, source, parameters with units."""
        return laws(self._kind)[self.name]

    @property
    def name(self) -> str:
        """The name of the law."""
        return text(self._c.law.name) or ""

    @property
    def values(self) -> Dict[str, Union[float, str]]:
        """The values of all parameters, SI units, with defaults filled in."""
        found: Dict[str, Union[float, str]] = {}
        for i, p in enumerate(_parameters(self._c.law)):
            value = self._call("value", encode(p.name))
            found[p.name] = p.words[int(self._c.values[i])] if p.words else value
        return found

    def __getitem__(self, name: str) -> Union[float, str]:
        try:
            return self.values[name]
        except KeyError:
            raise NotFoundError(f"{self.name} has no parameter {name!r}; there are {', '.join(self.values)}") from None

    def replace(self, values: Optional[Values] = None, /, **parameters: Union[float, str]) -> Any:
        """The same law with other values of some parameters."""
        given = {p.name: v for p, v in zip(_parameters(self._c.law), self._c.values) if not math.isnan(v)}
        chosen = {p.name: self[p.name] for p in _parameters(self._c.law) if p.words}
        derived = {p.name for p in _parameters(self._c.law) if p.derived and given.get(p.name) == MACROS["FF_DERIVED"]}
        kept = {k: v for k, v in {**given, **chosen}.items() if k not in derived}
        kept.update(values or {}, **{k[:-1] if k.endswith("_") else k: v for k, v in parameters.items()})
        return type(self)(self.name, kept)

    def to_dict(self) -> Dict[str, Union[float, str]]:
        """The law in the notation of a scene's pair: ``{"law": "hertz", "k": 1e6}``."""
        derived = {p.name for p in _parameters(self._c.law) if p.derived}
        values = {k: v for k, v in self.values.items() if k not in derived and v == v}
        return {"law": self.name, **values}

    def __eq__(self, other: Any) -> bool:
        return type(self) is type(other) and self.name == other.name and self.values == other.values

    def __hash__(self) -> int:
        return hash((self.name, tuple(self.values.items())))

    def __repr__(self) -> str:
        values = ", ".join(f"{k!r}: {v!r}" for k, v in self.to_dict().items() if k != "law")
        return f"{type(self).__name__}({self.name!r}, {{{values}}})"


class Normal(_LawWithNumbers):
    """A normal law with parameter values: ``Normal("hunt-crossley", k=8.5e6, lambda_=3.1e3)``."""

    _kind = "normal"

    def force(self, depth: Any, rate: Any = 0.0, state: Any = None) -> Any:
        """The normal force, N, at depths (m) and closing speeds (m/s), for arrays of any shape. Internal states default
        to 0; ``state`` has a row for each, of the shape of the depths."""
        z, zdot = np.broadcast_arrays(np.asarray(depth, dtype=np.float64), np.asarray(rate, dtype=np.float64))
        shape, states = z.shape, self._c.states
        inner = np.zeros((states,) + shape) if state is None else np.asarray(state, dtype=np.float64)
        if inner.shape != (states,) + shape:
            raise InputError(f"{self.name} has {states} inner states: their shape is {(states,) + shape}, "
                             f"not {inner.shape}", lib.FF_BAD_VALUE)
        out = np.empty(shape)
        if out.size:
            flat = [np.ascontiguousarray(a).reshape(-1) for a in (z, zdot)]
            states_at = ffi.from_buffer("double[]", np.ascontiguousarray(inner).reshape(-1)) if states else NULL
            self._c.kernels.force(self._c, out.size, ffi.from_buffer("double[]", flat[0]),
                                  ffi.from_buffer("double[]", flat[1]), states_at,
                                  ffi.from_buffer("double[]", out.reshape(-1)))
        return out if shape else float(out)

    def stored(self, depth: float, rate: float = 0.0) -> float:
        """The energy in its spring, J, at a depth (m) and a closing speed (m/s), with internal states 0."""
        return lib.ff_normal_stored(self._c, depth, rate, ffi.new("double[]", max(1, self._c.states)))

    def power(self, speed: float = 1.0) -> Optional["Power"]:
        """The law as a power law at a touch-down speed (m/s); None if it is not a power law."""
        power = ffi.new("ff_power *")
        return fill(Power, power) if lib.ff_normal_power(self._c, speed, power) else None

    def verify(self, depth: float, speed: float, points: int = 10000) -> List["Finding"]:
        """Check that the parts of the law are consistent, up to a depth (m) and a speed (m/s)."""
        out = ffi.new("ff_law_finding[]", lib.FF_LAW_FINDINGS)
        return [fill(Finding, out[i]) for i in range(lib.ff_normal_verify(self._c, depth, speed, points, out))]


class Friction(_LawWithNumbers):
    """A friction law with parameter values: ``Friction("coulomb", mu=0.3)``."""

    _kind = "friction"

    def force(self, slip: Any, load: float, depth: float = 0.0, grade: float = 1.0) -> np.ndarray:
        """The force on a body that slips with velocity ``slip`` (m/s, up to three components) under a load (N), with
        internal states 0. ``grade`` describes the growth of the contact area with depth, from the normal law."""
        query, u = ffi.new("ff_friction_query *"), ffi.new("double[]", 3 * max(1, self._c.vectors))
        v = np.atleast_1d(np.asarray(slip, dtype=np.float64))
        if v.ndim != 1 or v.size > 3:
            raise InputError("slip has one to three components", lib.FF_BAD_VALUE)
        query.z, query.load, query.grade, query.ratio, query.u = depth, load, grade, load / grade, u
        query.v[0 : v.size] = v.tolist()
        return np.array(list(lib.ff_friction_at(self._c, query, NULL).force))[: v.size]

    def verify(self, depth: float, speed: float, load: float, points: int = 10000) -> List["Finding"]:
        """Check that the parts of the law are consistent, up to a depth (m), a speed (m/s) and a load (N)."""
        out = ffi.new("ff_law_finding[]", lib.FF_LAW_FINDINGS)
        return [fill(Finding, out[i]) for i in range(lib.ff_friction_verify(self._c, depth, speed, load, points, out))]


@dataclasses.dataclass(frozen=True)
class Power:
    """A power law: F = k z^n + lambda z^p zdot; ``lambda_out`` while opening, unless it is ``local``."""

    n: float
    p: float
    k: float  #: N/m^n
    lambda_: float  #: N s/m^(p+1)
    lambda_out: float  #: N s/m^(p+1)
    clamps: bool  #: the force is never negative
    local: bool  #: opening, F = k max(0, z + tau zdot)^n with tau = lambda_out/(n k)


@dataclasses.dataclass(frozen=True)
class Finding:
    """The result of one check of a law: it holds if ``worst`` does not exceed ``allowed``."""

    what: str
    worst: float  #: the greatest error met, as a part of what it is an error of
    allowed: float
    where: str  #: the point that it was met at

    @property
    def holds(self) -> bool:
        """Whether the law passes this check."""
        return not self.worst > self.allowed


@dataclasses.dataclass(frozen=True)
class Material:
    """A material of the library."""

    name: str
    E: float  #: Young's modulus, Pa
    nu: float  #: Poisson's ratio
    density: float  #: kg/m^3
    strength: float  #: yield strength, of brittle ones the compressive strength, Pa
    source: str


def materials() -> Dict[str, Material]:
    """The materials of the library, by name."""
    found: Dict[str, Material] = {}
    while (m := lib.ff_material_at(len(found))) != NULL:
        material = fill(Material, m)
        found[material.name] = material
    return found


def contact_modulus(E1: float, nu1: float, E2: float = math.inf, nu2: float = 0.0) -> float:
    """E*, Pa: 1/E* = (1 - nu1^2)/E1 + (1 - nu2^2)/E2; an infinite E is rigid."""
    return 1 / ((1 - nu1 * nu1) / E1 + (1 - nu2 * nu2) / E2)


def reduced(a: float, b: float = math.inf) -> float:
    """The reduced mass (kg) or radius (m) of two bodies: 1/m = 1/a + 1/b; infinity is a fixed body or a plane."""
    return 1 / (1 / a + 1 / b)


def hertz_k(modulus: float, radius: float) -> float:
    """Hertz: k = (4/3) E* sqrt(R), N/m^1.5, from E* (Pa) and R (m)."""
    return 4.0 / 3 * modulus * math.sqrt(radius)


def quantity(given: Union[str, float], unit: str = "1") -> float:
    """A number with a unit in SI: ``quantity("1.65 cm", "m")`` is 0.0165. Other dimensions are refused."""
    parsed, why = ffi.new("ff_unit *"), ffi.new("char[]", 240)
    if lib.ff_unit_parse(encode(unit), NULL, parsed, why, 240) < 0:
        raise InputError(text(why) or "", lib.FF_BAD_VALUE)
    if not isinstance(given, str):
        return float(given)
    out = ffi.new("double *")
    if lib.ff_quantity_parse(encode(given), parsed.dim, out, why, 240) < 0:
        raise InputError(text(why) or "", lib.FF_BAD_VALUE)
    return out[0]
