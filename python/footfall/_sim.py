# SPDX-License-Identifier: Apache-2.0
# Copyright the footfall authors
"""A run of a model."""

from __future__ import annotations

import os
from typing import Any, Callable, Dict, Iterator, List, Optional, Sequence, Union

import numpy as np

from . import _control as control
from ._core import (NULL, InputError, ModelWarning, RunError, check, dtype_of, encode, failure, ffi, fill, free, lib,
                    status_text, text, warn, warnings_of)
from ._model import Model
from ._records import (Contact, Event, ImpactRecord, Impacts, Joint, Ledger, Motion, Rest, Statistics)
from ._trace import Trace

_CONTACT = dtype_of("ff_contact_record")
_JOINT = dtype_of("ff_joint_record")

_step = lib.ff_sim_step
_EVENT = lib.FF_EVENT
_STOPPED = lib.FF_STOPPED


class _Fields:
    """Several fields of a run, or single numbers of them, and one array for all of their numbers."""

    def __init__(self, sim: "Sim", paths: Sequence[str]) -> None:
        found = [sim.model._find(p) for p in paths]
        self._sim = sim
        self._fields = ffi.new("size_t[]", [index for index, _, _ in found])
        self._count = len(found)
        self._all = np.zeros(sum(width for _, _, width in found))
        self._at = ffi.from_buffer("double[]", self._all)
        # which of all numbers are meant; None: all of them
        picks: List[int] = []
        begin = 0
        for _, part, width in found:
            picks.extend(range(begin, begin + width) if part is None else [begin + part])
            begin += width
        self._picks = None if len(picks) == begin else np.array(picks, dtype=np.intp)
        self.width = len(picks)  #: how many numbers there are

    def _read(self) -> None:
        status = lib.ff_sim_get_all(self._sim._c, self._fields, self._count, self._at)
        if status < 0:
            raise failure(status)


class Reader(_Fields):
    """Values of several fields in one array, which each call overwrites: no copy is made.

        observe = sim.reader(["bodies.ball.position", "contacts.ball/floor.force"])
        observe()   # the same array every time
    """

    def __init__(self, sim: "Sim", paths: Sequence[str]) -> None:
        super().__init__(sim, paths)
        self.values = self._all if self._picks is None else np.zeros(self.width)  #: values of the last call

    def __call__(self) -> np.ndarray:
        self._read()
        if self._picks is not None:
            np.take(self._all, self._picks, out=self.values)
        return self.values


class Writer(_Fields):
    """Sets several fields at once, all or none: ``write = sim.writer(paths); write(values)``."""

    def __init__(self, sim: "Sim", paths: Sequence[str]) -> None:
        super().__init__(sim, paths)
        self._error = ffi.new("ff_error *")

    def __call__(self, values: Any) -> None:
        array = np.asarray(values, dtype=np.float64)
        if array.size != self.width:
            raise InputError(f"{array.size} values for fields of {self.width} numbers", lib.FF_BAD_VALUE)
        if self._picks is None:
            self._all[:] = array.reshape(-1)
        else:
            # the other numbers of these fields keep their values
            self._read()
            self._all[self._picks] = array.reshape(-1)
        status = lib.ff_sim_set_all(self._sim._c, self._fields, self._count, self._at, self._error)
        if status < 0:
            raise failure(status, self._error)


class Sim:
    """A run: a model, a state, a method.

        sim = scene.sim(tol=1e-9)
        sim.advance(0.5)
        sim["bodies.ball.position"]
        trace = sim.run()

    Calls release Python's lock while the library computes: runs of one model can use several threads."""

    def __init__(self, model: Model, **options: Any) -> None:
        out, error = ffi.new("ff_sim **"), ffi.new("ff_error *")
        self._options = model._run_options(options)
        check(lib.ff_sim_create(model._c, self._options, out, error), error)
        #: the model that it runs
        self.model = model
        self._c = ffi.gc(out[0], lambda p, keep=model._c: lib.ff_sim_free(p))
        self._until: float = self._options.until
        #: set by callbacks of the model, and by Ctrl-C
        lib.ff_sim_watch(self._c, control.watch, NULL)

    # time

    @property
    def time(self) -> float:
        """The current time, s."""
        return lib.ff_sim_time(self._c)

    @property
    def until(self) -> float:
        """The end time of the run's options, s."""
        return self._until

    def step(self, until: Optional[float] = None) -> Optional[Event]:
        """Make one step, at most to ``until`` (s). Returns the event at its end, or None."""
        status = _step(self._c, self._until if until is None else until)
        if status:
            return self._status(status)
        return None

    def advance(self, until: Optional[float] = None) -> List[Event]:
        """Advance to a time (s), by default the end time. Returns the events on the way."""
        return list(self.events(until))

    def events(self, until: Optional[float] = None) -> Iterator[Event]:
        """Advance to a time (s) and yield each event on the way, while the run is at it."""
        end = self._until if until is None else float(until)
        # steps of a crowd cannot be interrupted: each of them returns to Python, where Ctrl-C arrives
        go = _step if self.model.crowd else lib.ff_sim_advance
        while True:
            status = go(self._c, end)
            event = self._status(status) if status else None
            if event is not None:
                yield event
            elif status == 0 and not lib.ff_sim_time(self._c) < end:
                return

    def _status(self, status: int) -> Optional[Event]:
        """Convert a status other than 0 to an event or an exception."""
        control.raise_pending()
        if status == _EVENT:
            return self.model._event(lib.ff_sim_event(self._c))
        if status == _STOPPED:
            raise KeyboardInterrupt
        if status < 0:
            why = text(lib.ff_sim_error(self._c)) or status_text(status)
            raise RunError(f"at {self.time:g} s: {why}", status)
        return None

    def verdict(self) -> None:
        """Raise RunError if the run so far cannot be trusted: its ledger does not close, joints were violated, a
        number is not finite. Call it at the end; ``run`` does so."""
        status = lib.ff_sim_verdict(self._c)
        if status < 0:
            raise RunError(text(lib.ff_sim_error(self._c)) or status_text(status), status)

    def observe(self, time: Optional[float] = None) -> None:
        """Let queries refer to a time (s) inside the last step, until the next step; None: to the current time again.
        This does not change any result."""
        lib.ff_sim_observe(self._c, self.time if time is None else time)

    def run(self, until: Optional[float] = None, *, every: Optional[float] = None,
            path: Union[None, str, "os.PathLike[str]"] = None, rows: str = "steps", memory: float = 0.0,
            progress: Optional[Callable[["Sim"], Any]] = None) -> Trace:
        """Advance to a time (s), by default the end time, and record the run.

        every: s between rows; 0: every step; None: as ``run.every`` of the scene says, or every step with rows in
        between for smooth curves. rows: "steps", "events" (rows at events only) or "none" (only events are kept).
        path: a file to which rows are also written, .csv or .h5. memory: bytes for rows if ``every`` is None (0: 256
        MB). progress: called with the run after every step.

        Raises RunError if the run fails or cannot be trusted, with the record so far as ``trace``."""
        return Trace._record(self, self._until if until is None else float(until), every, path, rows, memory, progress)

    # fields

    def __getitem__(self, path: str) -> Any:
        """The value of a field (SI units): a number or an array."""
        index, part, width = self.model._find(path)
        if width == 1:
            out = ffi.new("double *")
            check(lib.ff_sim_get_all(self._c, [index], 1, out))
            return out[0]
        values = np.empty(width)
        check(lib.ff_sim_get_all(self._c, [index], 1, ffi.from_buffer("double[]", values)))
        return values if part is None else float(values[part])

    def __setitem__(self, path: str, value: Any) -> None:
        """Set a field: inputs at any time, parameters before the first step (then the run starts again)."""
        index, part, width = self.model._find(path)
        error = ffi.new("ff_error *")
        if part is not None:
            check(lib.ff_sim_set_path(self._c, encode(path), float(value), error), error)
            return
        values = np.ascontiguousarray(value, dtype=np.float64)
        if values.size != width or values.ndim > 1:
            raise InputError(f"{path} has {width} numbers: a value of shape {values.shape} was given",
                             lib.FF_BAD_VALUE)
        check(lib.ff_sim_set_all(self._c, [index], 1, ffi.from_buffer("double[]", values.reshape(-1)), error), error)

    def set(self, values: Dict[str, Any]) -> None:
        """Set several fields at once: all or none."""
        if values:
            self.writer(list(values))(np.concatenate([np.asarray(v, dtype=float).ravel() for v in values.values()]))

    def reader(self, paths: Sequence[str]) -> Reader:
        """Values of several fields in one array, overwritten at each call without a copy."""
        return Reader(self, [paths] if isinstance(paths, str) else paths)

    def writer(self, paths: Sequence[str]) -> Writer:
        """Sets several fields at once."""
        return Writer(self, [paths] if isinstance(paths, str) else paths)

    # bodies, contacts, joints

    @property
    def bodies(self) -> np.ndarray:
        """All bodies: a structured array with ``position``, ``orientation``, ``velocity``, ``omega``, in the order of
        ``model.bodies``."""
        out = np.empty(len(self.model.bodies), dtype=control.MOTION)
        if out.size:
            lib.ff_sim_bodies(self._c, ffi.from_buffer("ff_motion[]", out), out.size)
        return out

    @property
    def contacts(self) -> np.ndarray:
        """All contacts: a structured array with ``touching``, ``depth``, ``force`` and others, in the order of
        ``model.contacts``."""
        out = np.zeros(len(self.model.contacts), dtype=_CONTACT)
        if out.size:
            lib.ff_sim_contacts(self._c, ffi.from_buffer("ff_contact_record[]", out), out.size)
        return out

    @property
    def joints(self) -> np.ndarray:
        """All joints: a structured array with ``position``, ``rate``, ``effort``, ``force`` and others, in the order
        of ``model.joints``."""
        out = np.zeros(len(self.model.joints), dtype=_JOINT)
        if out.size:
            lib.ff_sim_joints(self._c, ffi.from_buffer("ff_joint_record[]", out), out.size)
        return out

    def body(self, body: Union[str, int]) -> Motion:
        """Position and motion of a body, by name or index."""
        return fill(Motion, lib.ff_sim_body(self._c, self.model._index("body", self.model.bodies, body)))

    def contact(self, contact: Union[str, int]) -> Contact:
        """A contact, by name (``ball/floor``) or index."""
        return fill(Contact, lib.ff_sim_contact(self._c, self.model._index("contact", self.model.contacts, contact)))

    def joint(self, joint: Union[str, int]) -> Joint:
        """A joint, by name or index."""
        return fill(Joint, lib.ff_sim_joint(self._c, self.model._index("joint", self.model.joints, joint)))

    def impacts(self, contact: Union[str, int]) -> Impacts:
        """The impacts of a contact up to now: number, largest force and depth."""
        return fill(Impacts, lib.ff_sim_impacts(self._c, self.model._index("contact", self.model.contacts, contact)))

    @property
    def impact_list(self) -> List[ImpactRecord]:
        """The impacts of all contacts up to now, in the order of time; the first 1000 are kept."""
        count = min(lib.ff_sim_impact_count(self._c), lib.FF_IMPACTS_KEPT)
        found = (lib.ff_sim_impact(self._c, i) for i in range(count))
        return [fill(ImpactRecord, i, contact=self.model.contacts[i.contact]) for i in found]

    # accounts

    @property
    def ledger(self) -> Ledger:
        """The energy accounts of the run, J."""
        return Ledger(lib.ff_sim_ledger(self._c))

    def contact_ledger(self, contact: Union[str, int]) -> Ledger:
        """The energy accounts of one contact, J."""
        index = self.model._index("contact", self.model.contacts, contact)
        return Ledger(lib.ff_sim_contact_ledger(self._c, index))

    @property
    def statistics(self) -> Statistics:
        """Steps, evaluations, computing time."""
        s = lib.ff_sim_statistics(self._c)
        methods = {text(lib.ff_method_name(i)) or "": n for i, n in enumerate(s.method_steps) if n}
        return fill(Statistics, s, method_steps=methods)

    @property
    def rest(self) -> Rest:
        """The equilibrium from which the run started, if the scene has ``start: rest``."""
        return fill(Rest, lib.ff_sim_rest(self._c))

    def _warned(self) -> List[Any]:
        return warnings_of(lib.ff_sim_warning, self._c)

    @property
    def warnings(self) -> List[ModelWarning]:
        """The warnings of the run so far, in addition to those of its model."""
        return [ModelWarning(text(w.text) or "", text(lib.ff_warning_name(w.kind)) or "", w.value, w.limit)
                for w in self._warned()]

    def _warn(self, level: int) -> None:
        warn(self._warned(), level + 1)

    # states

    def save(self) -> bytes:
        """The complete state of the run; ``restore`` continues from it bit for bit."""
        state = bytearray(lib.ff_sim_state_size(self._c))
        lib.ff_sim_save(self._c, ffi.from_buffer(state))
        return bytes(state)

    def restore(self, state: bytes) -> None:
        """Restore a state from ``save`` of a run of the same model and options."""
        check(lib.ff_sim_restore(self._c, ffi.from_buffer(state), len(state)))

    def checkpoint(self, path: Union[str, "os.PathLike[str]"], extra: bytes = b"") -> None:
        """Write the state of the run to a file, with optional bytes of your own. The file is replaced atomically."""
        error = ffi.new("ff_error *")
        check(lib.ff_checkpoint_write(encode(path), self._c, ffi.from_buffer(extra) if extra else NULL, len(extra),
                                      error), error)

    def resume(self, path: Union[str, "os.PathLike[str]"]) -> bytes:
        """Resume from a checkpoint of the same model and options; returns the bytes stored with it."""
        error, extra, size = ffi.new("ff_error *"), ffi.new("void **"), ffi.new("size_t *")
        check(lib.ff_checkpoint_read(encode(path), self._c, extra, size, error), error)
        try:
            return bytes(ffi.buffer(extra[0], size[0])) if size[0] else b""
        finally:
            free(extra[0])

    def begin(self, bodies: np.ndarray) -> None:
        """Restart at time 0 with these motions of bodies: an array like ``sim.bodies``."""
        motions = np.ascontiguousarray(bodies)
        if motions.dtype != control.MOTION or motions.shape != (len(self.model.bodies),):
            raise InputError("begin takes an array like sim.bodies, of all bodies", lib.FF_BAD_VALUE)
        check(lib.ff_sim_begin(self._c, ffi.from_buffer("ff_motion[]", motions)))

    def __repr__(self) -> str:
        return f"<Sim of {self.model.name!r} at {self.time:g} s>"
