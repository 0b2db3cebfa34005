# SPDX-License-Identifier: Apache-2.0
# Copyright the footfall authors
"""How many digits of a run are determined: the run is repeated twice, with other steps."""

from __future__ import annotations

import dataclasses
from typing import Any, Callable, Dict, Iterator, List, Optional, Sequence

from . import _control as control
from ._core import NULL, RunError, failure, ffi, fill, free, lib, text


@dataclasses.dataclass(frozen=True)
class Digits:
    """The digits of one field."""

    path: str
    unit: str
    #: digits that all runs share at the end; nan: its numbers are not finite
    digits: float
    difference: float  #: largest difference, in the field's unit
    scale: float  #: what the difference is relative to
    #: s: from here to the end fewer than three digits are determined; None: more are
    few_from: Optional[float]
    none_from: Optional[float]  #: s: fewer than one


@dataclasses.dataclass(frozen=True)
class Repeat:
    """The run, or one of its repetitions."""

    method: str
    tol: float
    dt: float  #: s, of fixed steps
    max_step: float  #: s
    steps: int
    evaluations: int
    time: float  #: reached, s
    error: str  #: why it failed; "": it did not


class Trust:
    """The digits of each field: ``trust["bodies.ball.position"].digits``; ``trust.least`` has the fewest."""

    def __init__(self, pointer: Any) -> None:
        self.seed: int = pointer.seed  #: of the largest step of the last repetition
        self.samples: int = pointer.samples  #: number of times that were compared
        #: the run, and its repetitions
        self.runs: List[Repeat] = [
            Repeat(text(lib.ff_method_name(r.options.method)) or "", r.options.tol, r.options.dt, r.options.max_step,
                   r.statistics.steps, r.statistics.evaluations, r.time, text(r.error) or "")
            for r in (pointer.runs[i] for i in range(lib.FF_TRUST_RUNS))]
        self._fields: Dict[str, Digits] = {}
        for i in range(pointer.count):
            f = pointer.fields[i]
            found = fill(Digits, f, few_from=_time(f.few_from), none_from=_time(f.none_from))
            self._fields[found.path] = found
        #: the field with the fewest digits
        self.least: Optional[Digits] = (list(self._fields.values())[pointer.least]
                                        if pointer.least < pointer.count else None)

    def __getitem__(self, path: str) -> Digits:
        return self._fields[path]

    def __iter__(self) -> Iterator[Digits]:
        return iter(self._fields.values())

    def __len__(self) -> int:
        return len(self._fields)

    def __contains__(self, path: str) -> bool:
        return path in self._fields

    @property
    def undetermined(self) -> List[Digits]:
        """Fields with fewer than three digits at the end."""
        return [f for f in self if f.few_from is not None]

    def __repr__(self) -> str:
        least = f"at least {self.least.digits:.1f} digits ({self.least.path})" if self.least else "nothing to compare"
        return f"<Trust: {least}, {len(self.undetermined)} of {len(self)} undetermined>"


def _time(seconds: float) -> Optional[float]:
    return None if seconds != seconds else seconds


def measure(model: Any, fields: Sequence[str], seed: int, samples: int, begin: Optional[Callable[[Any], Any]],
            act: Optional[Callable[[Any, Any], Any]], options: Dict[str, Any]) -> Trust:
    """Run a model three times and compare."""
    from ._sim import Sim

    run = model._run_options(options)
    given = ffi.new("ff_trust_options *")
    given.size = ffi.sizeof("ff_trust_options")
    indices = ffi.new("size_t[]", [model._find(path)[0] for path in fields])
    given.seed, given.samples = seed, samples
    given.fields, given.field_count = indices, len(fields)

    def borrowed(pointer: Any) -> Any:
        sim = Sim.__new__(Sim)
        sim.model, sim._c, sim._options, sim._until = model, pointer, run, run.until
        return sim

    def guarded(call: Callable[[], Any]) -> int:
        try:
            call()
        except BaseException as error:  # raised again after the library has returned
            failed.append(error)
        return lib.FF_BAD_VALUE if failed else lib.FF_OK

    failed: List[BaseException] = []

    @ffi.callback("ff_status(void *, ff_sim *, size_t)")
    def begins(user: Any, pointer: Any, which: int) -> int:
        return guarded(lambda: begin(borrowed(pointer)) if begin else None)

    @ffi.callback("ff_status(void *, ff_sim *, ff_status)")
    def acts(user: Any, pointer: Any, status: int) -> int:
        event = model._event(lib.ff_sim_event(pointer)) if status == lib.FF_EVENT else None
        return guarded(lambda: act(borrowed(pointer), event) if act else None)

    @ffi.callback("bool(void *, size_t, double)", onerror=control._interrupted, error=True)
    def stops(user: Any, which: int, time: float) -> bool:
        return bool(failed) or control.pending()

    given.begin = begins if begin else NULL
    given.act = acts if act else NULL
    given.stop = stops
    out, error = ffi.new("ff_trust **"), ffi.new("ff_error *")
    status = lib.ff_trust_run(model._c, run, given, out, error)
    control.raise_pending()
    try:
        if failed:
            raise failed[0]
        if status == lib.FF_STOPPED:
            raise KeyboardInterrupt
        if status < 0:
            found = failure(status, error)
            raise found if isinstance(found, (ValueError, OSError)) else RunError(str(found), status)
        return Trust(out[0])
    finally:
        free(out[0])
