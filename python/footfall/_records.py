# SPDX-License-Identifier: Apache-2.0
# Copyright the footfall authors
"""Records of a run at one instant. SI units, world axes."""

from __future__ import annotations

import dataclasses
from typing import Any, Dict, Iterator, Mapping, Optional

import numpy as np

from ._core import ffi


@dataclasses.dataclass(frozen=True)
class Motion:
    """Position and motion of a body."""

    position: np.ndarray  #: of the centre of mass, m
    orientation: np.ndarray  #: quaternion w, x, y, z
    velocity: np.ndarray  #: m/s
    omega: np.ndarray  #: rad/s


@dataclasses.dataclass(frozen=True)
class Event:
    """An event, at its located time."""

    time: float  #: s
    kind: str  #: touchdown, liftoff, clear, stick, slip, microslip, roll-stick, roll-slip, twist-stick, twist-slip, reach-limit,
    #: leave-limit, switch or user
    index: int  #: of the contact, or of the function of a user's own; -1 for a switch
    #: the contact, as ``ball/floor``; the joint, as ``rail``, or a coordinate of it, as ``post.angle``; None for switches and
    #: functions of a user's own
    owner: Optional[str]
    name: Optional[str]  #: the name that a scene file gives to a function
    rejoin: bool  #: a touch-down at a positive depth


@dataclasses.dataclass(frozen=True)
class ContactView:
    """A contact as a controller sees it."""

    touching: bool
    depth: float  #: m; negative without contact
    rate: float  #: m/s
    force: np.ndarray  #: on the first thing, N


@dataclasses.dataclass(frozen=True)
class Contact:
    """A contact at one instant."""

    touching: bool
    depth: float  #: m
    rate: float  #: m/s
    point: np.ndarray  #: m
    normal: np.ndarray  #: from the second thing to the first
    elastic: float  #: part of the normal force, N
    viscous: float  #: part of the normal force, N
    force: np.ndarray  #: on the first thing: normal and friction, N
    slip: np.ndarray  #: relative velocity at the contact point, m/s
    u: np.ndarray  #: deflection, m
    slips: bool
    torque: np.ndarray  #: on the first thing, of rolling and twist, N m


@dataclasses.dataclass(frozen=True)
class Joint:
    """A joint at one instant."""

    position: np.ndarray  #: coordinates, rad or m
    rate: np.ndarray  #: rad/s or m/s
    effort: np.ndarray  #: of springs, dampers, limits, friction and actuators, N m or N
    anchor: np.ndarray  #: of the second body, m
    force: np.ndarray  #: on the second body at its anchor, N
    moment: np.ndarray  #: N m


@dataclasses.dataclass(frozen=True)
class Impacts:
    """The impacts of a contact up to now."""

    count: int  #: touch-downs
    force: float  #: the greatest normal force, N
    depth: float  #: the greatest, m
    contact_time: float  #: in which the force acted, s
    slip_distance: float  #: m


@dataclasses.dataclass(frozen=True)
class ImpactRecord:
    """One impact of a run, from touch-down to the end of its force."""

    time: float  #: of touch-down, s
    speed: float  #: of approach, m/s
    restitution: float  #: NaN: not ended yet
    contact_time: float  #: s
    contact: str


@dataclasses.dataclass(frozen=True)
class Rest:
    """The equilibrium from which a run with ``start: rest`` starts."""

    found: bool  #: False: the run starts as written, and all else is 0
    iterations: int
    acceleration: float  #: the largest that is left, m/s^2 or rad/s^2
    moved: float  #: m, the most of all bodies
    turned: float  #: rad, the most of all bodies
    dropped: float  #: m/s, the largest velocity that was set to 0
    body: int  #: that was moved the most
    carrying: int  #: contacts that touch
    growth: float  #: 1/s, of small disturbances where it is unstable; else 0


class Ledger(Mapping[str, float]):
    """The energy accounts of a run or a contact, in joules: a mapping with attributes.

    All accounts sum to ``initial``; the difference is ``residual``, to be compared with ``scale``."""

    __slots__ = ("_values",)
    _values: Dict[str, float]

    def __init__(self, ledger: Any) -> None:
        object.__setattr__(self, "_values", {n: getattr(ledger, n) for n, _ in ffi.typeof("ff_ledger").fields})

    def __getitem__(self, account: str) -> float:
        return self._values[account]

    def __getattr__(self, account: str) -> float:
        try:
            return self._values[account]
        except KeyError:
            raise AttributeError(account) from None

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def __dir__(self) -> Any:
        return [*super().__dir__(), *self._values]

    def __repr__(self) -> str:
        return "Ledger(" + ", ".join(f"{k}={v:.6g}" for k, v in self._values.items() if v) + ")"


@dataclasses.dataclass(frozen=True)
class Statistics:
    """The cost of a run."""

    steps: int
    rejected: int
    evaluations: int
    events: int
    method_steps: Dict[str, int]  #: steps by method, of those that made any
    switches: int  #: how often auto changed the method
    seconds: float  #: of computing
    contacts: int  #: of a crowd: that touch now
    threads: int
