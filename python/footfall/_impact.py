# SPDX-License-Identifier: Apache-2.0
# Copyright the footfall authors
"""One free impact in theory: m z'' = -F(z, z'), z(0) = 0, z'(0) = v. Restitution, its inverses, fits."""

from __future__ import annotations

import dataclasses
import math
from typing import Any, Optional

import numpy as np

from ._core import InputError, check, doubles, ffi, fill, lib, optional
from ._laws import Normal


def restitution(law: Normal, speed: Any, mass: float) -> Any:
    """The coefficient of restitution at a speed (m/s) or an array of speeds, of a (reduced) mass (kg).

    The loop over speeds is the library's. NaN where a speed is not positive and finite."""
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
    restitution: float  #: e; 0 where the force never ends
    loss: float  #: 1 - e, with its own digits where e is near 1
    decay: float  #: -ln e
    contact_time: float  #: s, until the force ends; infinite where it never does
    clear_time: float  #: s, until the depth is back at 0
    max_depth: float  #: m
    max_depth_time: float  #: s
    max_force: float  #: N
    max_force_depth: float  #: m
    end_depth: float  #: m, where the force ends
    energy_lost: float  #: J
    impulse: float  #: N s
    impulse_ratio: float  #: the impulse after the deepest point by that before it
    delta: float  #: the dimensionless damping; NaN for laws that are no power laws
    steps: int  #: of the integration


def impact(law: Normal, speed: float, mass: float) -> Impact:
    """All of one impact: restitution, contact time, depth, force, energy. Speed in m/s, mass in kg."""
    out = ffi.new("ff_impact *")
    check(lib.ff_impact_solve(law._c, mass, speed, out))
    return fill(Impact, out)


_POINT = np.dtype([("time", "f8"), ("depth", "f8"), ("velocity", "f8"), ("force", "f8")])


def impact_curve(law: Normal, speed: float, mass: float, count: int = 200) -> np.ndarray:
    """The motion of one impact from touch-down to where the depth is back at 0: a structured array of ``time`` (s),
    ``depth`` (m), ``velocity`` (m/s) and ``force`` (N)."""
    out = np.zeros(max(count, 0), dtype=_POINT)
    check(lib.ff_impact_curve(law._c, mass, speed, out.size, ffi.from_buffer("ff_impact_point[]", out)))
    return out


@dataclasses.dataclass(frozen=True)
class Stiffness:
    """How stiff a contact is to a time-stepping method. A step of 0: the method is unstable for every step."""

    frequency: float  #: undamped, Hz
    damping_ratio: float
    time_scale: float  #: s
    step_euler: float  #: the largest stable step, s
    step_semi_implicit: float  #: s
    step_heun: float  #: s
    step_rk4: float  #: s


def stiffness(law: Normal, mass: float, depth: float) -> Stiffness:
    """How stiff a contact is at a depth (m) for a mass (kg), at rest."""
    return fill(Stiffness, lib.ff_impact_stiffness(law._c, mass, depth))


def design(law: Normal, restitution: float, speed: float, mass: float, *, contact_time: Optional[float] = None,
           max_depth: Optional[float] = None) -> Normal:
    """The law with the damping that gives a restitution (0 < e < 1) at a speed (m/s) of a mass (kg); with a contact
    time (s) or a greatest depth (m) its stiffness is chosen, too. Exponents and ``detach`` stay as they are."""
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
class Fit:
    """What a fit to measured restitutions found."""

    lambda_: float  #: the estimate, in the unit of the law's lambda
    lambda_error: float  #: its standard error
    k: float
    k_error: float  #: 0 where k was given
    correlation: float  #: of ln lambda and ln k
    chi2: float
    rms: float  #: root mean square residual of the restitution
    aic: float  #: Akaike's criterion, for laws on the same data
    unknowns: int
    iterations: int
    law: Normal  #: with the estimates
    residuals: np.ndarray  #: measured minus fitted restitution


def fit(law: Normal, speed: Any, restitution: Any, mass: float, *, sigma: Any = None, contact_time: Any = None,
        time_sigma: Any = None, fit_k: bool = False) -> Fit:
    """Fit the damping of a law to measured restitutions at speeds (m/s), of a mass (kg).

    ``law`` brings the start and the rest of the parameters. ``sigma`` is the standard deviation of each restitution
    (None: equal, from the scatter). ``fit_k`` fits the stiffness, too, which needs contact times (s, NaN where not
    measured) with ``time_sigma`` (s; None: 1 %)."""
    speeds, _ = doubles(speed, "speeds")
    columns = {"restitution": restitution, "sigma": sigma, "contact_time": contact_time, "time_sigma": time_sigma}
    arrays = {k: None if v is None else doubles(v, k)[0] for k, v in columns.items()}
    for name, array in arrays.items():
        if array is not None and array.shape != speeds.shape:
            raise InputError(f"{name} has the shape {array.shape}, speed {speeds.shape}", lib.FF_BAD_VALUE)
    data = ffi.new("ff_fit_data *")
    data.count, data.speed = speeds.size, optional(speeds)
    for name, array in arrays.items():
        setattr(data, name, optional(array))
    fitted, out, error = Normal._of(law._c), ffi.new("ff_fit *"), ffi.new("ff_error *")
    residuals = np.empty(speeds.shape)
    check(lib.ff_fit_restitution(fitted._c, mass, data, fit_k, out, optional(residuals), error), error)
    return fill(Fit, out, law=fitted, residuals=residuals)
