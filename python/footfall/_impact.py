# SPDX-License-Identifier: Apache-2.0
# Copyright the footfall authors
"""A single free impact: m z'' = -F(z, z'), z(0) = 0, z'(0) = v. Restitution, its inverses, fits."""

from __future__ import annotations

import dataclasses
import math
from typing import Any, Optional, Sequence

import numpy as np

from ._core import (InputError, NULL, NotFoundError, check, doubles, encode, failure, ffi, fill, lib, optional, set_members,
                    text)
from ._laws import Normal


def restitution(law: Normal, speed: Any, mass: float) -> Any:
    """The coefficient of restitution at a speed (m/s) or an array of speeds, of a (reduced) mass (kg).

    The loop over speeds runs in the library. NaN if a speed is not positive and finite."""
    speeds = np.asarray(speed, dtype=np.float64, order="C")
    out = np.empty(speeds.shape)
    if out.size:
        lib.ff_impact_restitution_all(law._c, _positive(mass, "mass"), out.size,
                                      ffi.from_buffer("double[]", speeds.reshape(-1)),
                                      ffi.from_buffer("double[]", out.reshape(-1)))
    return out if speeds.ndim else float(out)


def _positive(value: float, what: str) -> float:
    if not (value > 0 and math.isfinite(value)):
        raise InputError(f"{what} is {value!r}: a number above 0 is expected", lib.FF_BAD_VALUE)
    return float(value)


@dataclasses.dataclass(frozen=True)
class Impact:
    """One impact."""

    mass: float  #: kg
    speed: float  #: m/s
    restitution: float  #: e; 0 if the force never ends
    loss: float  #: 1 - e, accurate also if e is near 1
    decay: float  #: -ln e
    contact_time: float  #: s, until the force ends; infinite if it never does
    clear_time: float  #: s, until the depth is back at 0
    max_depth: float  #: m
    max_depth_time: float  #: s
    max_force: float  #: N
    max_force_depth: float  #: m
    end_depth: float  #: m, where the force ends
    energy_lost: float  #: J
    impulse: float  #: N s
    impulse_ratio: float  #: impulse after the deepest point divided by that before it
    delta: float  #: dimensionless damping; NaN for laws that are not power laws
    steps: int  #: of the integration


def impact(law: Normal, speed: float, mass: float) -> Impact:
    """Compute one impact: restitution, contact time, depth, force, energy. Speed in m/s, mass in kg."""
    out = ffi.new("ff_impact *")
    check(lib.ff_impact_solve(law._c, mass, speed, out))
    return fill(Impact, out)


_POINT = np.dtype([("time", "f8"), ("depth", "f8"), ("velocity", "f8"), ("force", "f8")])


def impact_curve(law: Normal, speed: float, mass: float, count: int = 200) -> np.ndarray:
    """The motion of one impact from touch-down until the depth returns to 0: a structured array of ``time`` (s),
    ``depth`` (m), ``velocity`` (m/s) and ``force`` (N)."""
    out = np.zeros(max(count, 0), dtype=_POINT)
    check(lib.ff_impact_curve(law._c, mass, speed, out.size, ffi.from_buffer("ff_impact_point[]", out)))
    return out


@dataclasses.dataclass(frozen=True)
class Stiffness:
    """Stiffness of a contact for time-stepping methods. A step of 0: the method is unstable for every step size."""

    frequency: float  #: undamped, Hz
    damping_ratio: float
    time_scale: float  #: s
    step_euler: float  #: the largest stable step, s
    step_semi_implicit: float  #: s
    step_heun: float  #: s
    step_rk4: float  #: s


def stiffness(law: Normal, mass: float, depth: float) -> Stiffness:
    """Stiffness of a contact at a depth (m) for a mass (kg), at rest."""
    return fill(Stiffness, lib.ff_impact_stiffness(law._c, mass, depth))


def design(law: Normal, restitution: float, speed: float, mass: float, *, contact_time: Optional[float] = None,
           max_depth: Optional[float] = None) -> Normal:
    """The law with the damping that gives a restitution (0 < e < 1) at a speed (m/s) of a mass (kg); with a contact
    time (s) or a maximum depth (m) its stiffness is chosen, too. Exponents and ``detach`` stay as they are."""
    if contact_time is not None and max_depth is not None:
        raise TypeError("one of contact_time and max_depth decides the stiffness, not both")
    if not 0 < restitution < 1:
        raise InputError(f"a restitution of {restitution!r} cannot be designed: above 0 and below 1 is expected",
                         lib.FF_BAD_VALUE)
    out, decay = Normal._of(law._c), -math.log(restitution)
    if contact_time is not None:
        status = lib.ff_design_contact_time(out._c, mass, speed, decay, contact_time)
    elif max_depth is not None:
        status = lib.ff_design_max_depth(out._c, mass, speed, decay, max_depth)
    else:
        status = lib.ff_design_damping(out._c, mass, speed, decay)
    check(status)
    return out


@dataclasses.dataclass(frozen=True)
class Estimate:
    """A parameter estimated by a fit."""

    name: str
    value: float
    error: float  #: standard error, of the linearised problem
    low: float  #: confidence interval; a limit of the valid range where the data do not bound it
    high: float
    told: bool  #: whether the data determine it: the interval is bounded and no wider than the value


@dataclasses.dataclass(frozen=True)
class Fit:
    """The result of a fit. ``fit["lambda"]`` is the estimate of a parameter."""

    estimates: tuple  #: an Estimate of each parameter
    correlation: np.ndarray  #: of the estimates, a square matrix
    lambda_: float  #: damping of the law as a power law; NaN where it is none
    lambda_error: float  #: its standard error
    k: float  #: its stiffness
    k_error: float  #: 0 where k was given
    speed: float  #: at the first touch-down, m/s, of bounces and force against time; else NaN
    chi2: float
    rms: float  #: root mean square residual, in the unit of what was measured
    freedom: float  #: degrees of freedom of the scatter; infinite where sigma is given
    level: float  #: of the intervals
    aic: float  #: Akaike's criterion, for laws on the same data
    aicc: float  #: with the correction for few data
    unknowns: int
    rows: int  #: number of residuals
    scatter: Optional[str]  #: "readings" or "bounces", of bounces and heights; else None
    evaluations: int
    words: str  #: sentences on what the data do not determine, one per line
    law: Normal  #: with the estimates
    residuals: np.ndarray  #: measured minus fitted; NaN for rows that have none

    def __getitem__(self, name: str) -> Estimate:
        for estimate in self.estimates:
            if estimate.name == name:
                return estimate
        raise NotFoundError(f"{name!r} was not found by this fit; {', '.join(e.name for e in self.estimates)} were")


_SCATTER = {"auto": lib.FF_FIT_SCATTER_AUTO, "readings": lib.FF_FIT_SCATTER_READINGS,
            "bounces": lib.FF_FIT_SCATTER_BOUNCES}
_KINDS = {"restitution": lib.FF_FIT_RESTITUTION, "bounces": lib.FF_FIT_BOUNCES, "heights": lib.FF_FIT_HEIGHTS,
          "force-time": lib.FF_FIT_FORCE_TIME, "force-depth": lib.FF_FIT_FORCE_DEPTH}


def _chosen(words: dict, word: str, what: str) -> int:
    if word not in words:
        raise InputError(f"{what} is no {word!r}; there are {', '.join(words)}", lib.FF_BAD_VALUE)
    return words[word]


def _kind(columns: Any) -> str:
    """The kind of measurement that the columns suggest, as in `footfall fit`."""
    return ("restitution" if "restitution" in columns else "heights" if columns & {"height", "drop"} else
            "force-depth" if {"force", "depth"} <= columns else "force-time" if "force" in columns else "bounces")


def fit(law: Normal, speed: Any = None, restitution: Any = None, mass: float = math.nan, *, time: Any = None,
        drop: Any = None, rebound: Any = None, height: Any = None, force: Any = None, depth: Any = None,
        rate: Any = None, sigma: Any = None, contact_time: Any = None, time_sigma: Any = None,
        free: Sequence[str] = (), kind: Optional[str] = None, touchdown_speed: Optional[float] = None,
        gravity: float = 9.81, scatter: str = "auto", level: float = 0.95, evaluations: int = 20000) -> Fit:
    """Fit parameters of a law to measurements, with confidence intervals.

    What was measured are arrays of equal length in SI units: ``speed`` and ``restitution`` of impacts, with or without their
    ``contact_time`` (NaN where not measured) and ``time_sigma`` (None: 1 %); ``time`` of successive touch-downs of a ball that
    bounces in place; ``drop`` and ``rebound``, or ``height`` of successive bounces; ``time`` and ``force`` of one impact;
    ``depth`` and ``force`` with ``rate`` or ``time``. ``kind`` is needed if that is ambiguous. ``sigma`` is the standard
    deviation of restitution, time, height or force (None: equal, from the scatter).

    ``law`` gives all fixed parameters. ``free`` names the fitted ones; if empty, the damping, and with a force the
    stiffness as well. ``mass`` is in kg. ``touchdown_speed`` (m/s) is used with force over time, and fitted if it is None.
    docs/fit.md explains how to interpret the result."""
    columns = {"speed": speed, "restitution": restitution, "time": time, "drop": drop, "rebound": rebound,
               "height": height, "force": force, "depth": depth, "rate": rate, "sigma": sigma,
               "contact_time": contact_time, "time_sigma": time_sigma}
    arrays = {k: doubles(v, f"{k}s")[0] for k, v in columns.items() if v is not None}
    first = next(iter(arrays.items()), None)
    if first is None:
        raise InputError("no data to fit", lib.FF_BAD_VALUE)
    for name, array in arrays.items():
        if array.shape != first[1].shape:
            raise InputError(f"{name} has the shape {array.shape}, {first[0]} {first[1].shape}", lib.FF_BAD_VALUE)
    data = ffi.new("ff_fit_data *")
    data.kind = _chosen(_KINDS, kind if kind is not None else _kind(set(arrays)), "kind")
    data.count = first[1].size
    for name, array in arrays.items():
        setattr(data, name, optional(array))
    options = ffi.new("ff_fit_options *")
    lib.ff_fit_options_init(options, ffi.sizeof("ff_fit_options"))
    names = [ffi.new("char[]", encode(name)) for name in free]
    listed = ffi.new("const char *[]", names) if names else NULL
    set_members(options, {"mass": mass, "gravity": gravity, "level": level, "evaluations": evaluations,
                          "speed": math.nan if touchdown_speed is None else touchdown_speed, "free": listed,
                          "free_count": len(names), "scatter": _chosen(_SCATTER, scatter, "scatter")}, "fit")
    fitted, out, error = Normal._of(law._c), ffi.new("ff_fit_result *"), ffi.new("ff_error *")
    residuals = np.empty(first[1].shape)
    status = lib.ff_fit(fitted._c, data, options, out, optional(residuals), error)
    if status < 0 and out.bad_column != NULL:
        raise failure(status, f"row {out.bad_row}: {text(error.text)}")
    check(status, error)
    count = out.unknowns
    scatters = {value: word for word, value in _SCATTER.items() if word != "auto"}
    return fill(Fit, out, law=fitted, residuals=residuals, scatter=scatters.get(out.scatter),
                estimates=tuple(fill(Estimate, out.params[i]) for i in range(count)),
                correlation=np.array([list(row[0:count]) for row in out.correlation[0:count]]))
