# SPDX-License-Identifier: Apache-2.0
# Copyright the footfall authors
"""A walker's gait: the map from the beginning of a step to the beginning of the next, and its fixed point."""

from __future__ import annotations

import dataclasses
from typing import Any, Dict, List

import numpy as np

from . import _control as control
from ._core import InputError, check, ffi, fill, lib, set_members, text


@dataclasses.dataclass(frozen=True)
class Step:
    """One step."""

    period: float  #: s
    length: float  #: m along the direction
    change: float  #: of the state on the section, the largest in units of its scales


@dataclasses.dataclass(frozen=True)
class Cycle:
    """A periodic gait."""

    period: float  #: s
    length: float  #: m
    speed: float  #: m/s
    residual: float  #: how far a step leads from where it began, the largest in units of its scales
    iterations: int  #: of Newton's method
    steps: int  #: walked in all to find it
    multipliers: np.ndarray  #: eigenvalues of the step map, complex, largest first
    largest: float  #: modulus of the first
    error: float  #: error bound of each
    stable: bool  #: all are within the unit circle, by more than the error


class Gait:
    """A walker at the beginning of a step: ``scene.gait()``."""

    def __init__(self, scene: Any, options: Dict[str, Any]) -> None:
        out, error = ffi.new("ff_gait **"), ffi.new("ff_error *")
        run = ffi.new("ff_run_options *", lib.ff_scene_run(scene._c)[0])
        set_members(run, options, "a run")
        check(lib.ff_gait_create(scene._c, run, out, error), error)
        self._c = ffi.gc(out[0], lambda p, keep=(scene, scene._callbacks): lib.ff_gait_free(p))
        model = lib.ff_gait_model(self._c)

        def names(kind: str) -> List[str]:
            count, name = getattr(lib, f"ff_model_{kind}_count"), getattr(lib, f"ff_model_{kind}_name")
            return [text(name(model, i)) or "" for i in range(count(model))]

        self.names = names("body")  #: of the bodies
        scene._callbacks.know(model, self.names, names("joint"), names("contact"))

    def step(self) -> Step:
        """Make one step. If the walker falls, raises InputError and leaves it where it was."""
        out, error = ffi.new("ff_gait_record *"), ffi.new("ff_error *")
        status = lib.ff_gait_step(self._c, out, error)
        control.raise_pending()
        check(status, error)
        return fill(Step, out)

    def find(self) -> Cycle:
        """Find the periodic gait nearest to the current state, and put the walker there."""
        out, error = ffi.new("ff_gait_cycle *"), ffi.new("ff_error *")
        status = lib.ff_gait_find(self._c, out, error)
        control.raise_pending()
        check(status, error)
        multipliers = np.array([complex(*out.multipliers[i]) for i in range(out.count)])
        return fill(Cycle, out, multipliers=multipliers)

    @property
    def bodies(self) -> np.ndarray:
        """The current state: a structured array like ``Sim.bodies``, with the distance travelled subtracted."""
        out = np.empty(len(self.names), dtype=control.MOTION)
        motions = ffi.from_buffer("ff_motion[]", out)
        for i in range(len(self.names)):
            motions[i] = lib.ff_gait_body(self._c, i)
        return out

    def stand(self, bodies: np.ndarray) -> None:
        """Put the walker into another state: an array like ``bodies``."""
        motions = np.ascontiguousarray(bodies)
        if motions.dtype != control.MOTION or motions.shape != (len(self.names),):
            raise InputError("stand takes an array like Gait.bodies, of all bodies", lib.FF_BAD_VALUE)
        lib.ff_gait_stand(self._c, ffi.from_buffer("ff_motion[]", motions))
