# SPDX-License-Identifier: Apache-2.0
# Copyright the footfall authors
"""Controllers and events in Python: callbacks of the library."""

from __future__ import annotations

import threading
from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence

import numpy as np

from ._core import InputError, NotFoundError, dtype_of, encode, failure, ffi, fill, lib, text
from ._records import ContactView, Event, Motion

MOTION = dtype_of("ff_motion")

#: the exception of a callback, in the thread that runs the sim
_pending = threading.local()


def raise_pending() -> None:
    """Raise the pending exception of a callback in this thread."""
    error = getattr(_pending, "error", None)
    if error is not None:
        _pending.error = None
        raise error


def pending() -> bool:
    """Whether a callback in this thread has raised an exception."""
    return getattr(_pending, "error", None) is not None


def _failed(kind: Any, error: BaseException, traceback: Any) -> None:
    if not pending():
        _pending.error = error.with_traceback(traceback)


def _interrupted(kind: Any, error: BaseException, traceback: Any) -> bool:
    _failed(kind, error, traceback)
    return True


@ffi.callback("bool(void *)", onerror=_interrupted, error=True)
def watch(user: Any) -> bool:
    """Stop a step if a callback has failed. Since it is Python code, it also handles Ctrl-C (KeyboardInterrupt)."""
    return pending()


class View:
    """The state that a controller sees at one instant; valid only during its call."""

    __slots__ = ("_c", "_owner", "_commands", "_states", "_rates", "states", "rates")

    def __init__(self, view: Any, owner: "Controller", states: Any, rates: Any, commands: Any) -> None:
        self._c = view
        self._owner = owner
        self._commands = commands
        #: the controller's own numbers, an array to be changed in place
        self.states = np.array(ffi.unpack(states, owner.count)) if owner.count else _NO_STATES
        #: of a continuous controller: the rates of its states, to be set; None of a sampled one
        self.rates = np.zeros(owner.count) if rates != ffi.NULL else None

    @property
    def time(self) -> float:
        """s"""
        return lib.ff_control_time(self._c)

    def position(self, joint: str, coordinate: int = 0) -> float:
        """A coordinate of a joint, rad or m."""
        return lib.ff_control_joint(self._c, self._owner.index("joint", joint)).position[coordinate]

    def rate(self, joint: str, coordinate: int = 0) -> float:
        """The rate of a coordinate of a joint, rad/s or m/s."""
        return lib.ff_control_joint(self._c, self._owner.index("joint", joint)).rate[coordinate]

    @property
    def positions(self) -> np.ndarray:
        """The coordinates of the joints that the controller commands, rad or m, in their order."""
        at, view = lib.ff_control_joint, self._c
        return np.array([at(view, j).position[c] for j, c in self._owner.coordinates])

    @property
    def velocities(self) -> np.ndarray:
        """The rates of the coordinates of the joints that the controller commands, rad/s or m/s, in their order."""
        at, view = lib.ff_control_joint, self._c
        return np.array([at(view, j).rate[c] for j, c in self._owner.coordinates])

    def body(self, name: str) -> Motion:
        """Position and motion of a body."""
        return fill(Motion, lib.ff_control_body(self._c, self._owner.index("body", name)))

    def contact(self, name: str) -> ContactView:
        """A contact, as ``foot/floor``."""
        return fill(ContactView, lib.ff_control_contact(self._c, self._owner.index("contact", name)))

    def touching(self, contact: str) -> bool:
        """Whether a contact exerts a force."""
        return lib.ff_control_contact(self._c, self._owner.index("contact", contact)).touching

    def command(self, name: str, value: Any) -> None:
        """Command one joint (N m, N) or body (force, or force and torque; N, N m)."""
        if name not in self._owner.commands:
            raise NotFoundError(f"this controller commands no {name!r}, but {', '.join(self._owner.commands)}")
        self._set(self._owner.commands.index(name), value)

    def _set(self, i: int, value: Any) -> None:
        width = self._owner.widths[i]
        if width == 1:
            self._commands[i][0] = value
            return
        values = np.asarray(value, dtype=float).ravel()
        if values.size not in (3, width):
            raise InputError(f"the command of {self._owner.commands[i]} has {values.size} numbers, not 3 or 6",
                             lib.FF_BAD_VALUE)
        for j, v in enumerate(values.tolist()):
            self._commands[i][j] = v

    def _finish(self, result: Any, states: Any, rates: Any) -> None:
        """Apply the return value and the changes of the function."""
        owner = self._owner
        if result is not None:
            if len(owner.widths) == 1 and (owner.widths[0] > 1 or not np.ndim(result)):
                result = (result,)
            if len(result) != len(owner.widths):
                raise InputError(f"the controller {owner.name} returned {len(result)} commands, not "
                                 f"{len(owner.widths)}", lib.FF_BAD_VALUE)
            for i, value in enumerate(result):
                self._set(i, value)
        if owner.count:
            if rates == ffi.NULL:
                states[0 : owner.count] = _numbers(self.states, owner.count, "states")
            else:
                rates[0 : owner.count] = _numbers(self.rates, owner.count, "rates")


_NO_STATES = np.zeros(0)


def _numbers(values: Any, count: int, what: str) -> List[float]:
    numbers = np.asarray(values, dtype=float).ravel().tolist()
    if len(numbers) != count:
        raise InputError(f"a controller set {len(numbers)} {what}, not {count}", lib.FF_BAD_VALUE)
    return numbers


class Controller:
    """One controller of a scene."""

    def __init__(self, callbacks: "Callbacks", function: Callable[..., Any], event: Optional[Callable[..., Any]],
                 name: str, count: int) -> None:
        self.callbacks = callbacks
        self.function = function
        self.event = event
        self.name = name
        self.count = count  # number of its states
        self.commands: List[str] = []
        self.widths: List[int] = []
        self.coordinates: List[Any] = []  # (joint, coordinate) of each commanded joint

    def index(self, kind: str, name: str) -> int:
        """The index of a body, joint or contact."""
        try:
            return self.callbacks.names[kind][name]
        except KeyError:
            there = ", ".join(self.callbacks.names[kind])
            raise NotFoundError(f"no {kind} is called {name!r}; there are: {there}") from None


@ffi.callback("void(void *, const ff_control_view *, double *, double *, double (*)[6])", onerror=_failed)
def _control(user: Any, view: Any, states: Any, rates: Any, commands: Any) -> None:
    owner = ffi.from_handle(user)
    if pending():
        return
    seen = View(view, owner, states, rates, commands)
    try:
        seen._finish(owner.function(seen), states, rates)
    finally:
        seen._c = None


@ffi.callback("void(void *, const ff_control_view *, const ff_event *, double *)", onerror=_failed)
def _event(user: Any, view: Any, event: Any, states: Any) -> None:
    owner = ffi.from_handle(user)
    if pending():
        return
    seen = View(view, owner, states, ffi.NULL, None)
    try:
        owner.event(seen, owner.callbacks.event(event))
        seen._finish(None, states, ffi.NULL)
    finally:
        seen._c = None


@ffi.callback("double(void *, double, const ff_motion *)", onerror=_failed)
def _root(user: Any, time: float, bodies: Any) -> float:
    if pending():
        return 0.0
    callbacks, function = ffi.from_handle(user)
    size = len(callbacks.names["body"]) * MOTION.itemsize
    # a copy: the function may keep it
    return float(function(time, np.frombuffer(bytes(ffi.buffer(bodies, size)), dtype=MOTION)))


class Callbacks:
    """All callbacks of a scene; they live as long as the scene and its models."""

    def __init__(self) -> None:
        self.kept: List[Any] = []
        #: indices by name, set when a model is made
        self.names: Dict[str, Dict[str, int]] = {"body": {}, "joint": {}, "contact": {}}
        self._owners: List[str] = []  # of events: contacts, then the coordinates of joints

    @property
    def any(self) -> bool:
        """Whether the scene has any callbacks."""
        return bool(self.kept)

    def know(self, model: Any, bodies: Sequence[str], joints: Sequence[str], contacts: Sequence[str]) -> None:
        """The names of a model of the library."""
        for kind, names in (("body", bodies), ("joint", joints), ("contact", contacts)):
            self.names[kind] = {n: i for i, n in enumerate(names)}
        def owner(index: int) -> str:
            return text(lib.ff_model_event_owner(model, ffi.new("ff_event *", {"kind": lib.FF_SLIP, "contact": index}))) or ""

        count = len(contacts) + 3*len(joints)
        self._owners = [owner(i) for i in range(count)]

    def event(self, event: Any) -> Event:
        """Convert an event of the library."""
        contact = event.contact
        owned = event.kind not in (lib.FF_SWITCH, lib.FF_USER) and 0 <= contact < len(self._owners)
        return Event(event.time, text(lib.ff_event_name(event.kind)) or "", contact,
                     self._owners[contact] if owned else None, None, bool(event.rejoin))

    def add_controller(self, scene: Any, function: Callable[..., Any], name: str, every: float,
                       commands: Mapping[str, str], start: Sequence[float], scales: Optional[Sequence[float]],
                       event: Optional[Callable[..., Any]], shortest: float) -> None:
        """Add a force for each command, and their controller."""
        owner = Controller(self, function, event, name, len(start))
        # all targets are found before the scene is changed
        targets = [(force, *_target(scene, target)) for force, target in commands.items()]
        forces = []
        for force, joint, coordinate, body in targets:
            owner.commands.append(force)
            owner.widths.append(1 if joint >= 0 else 6)
            if joint >= 0:
                owner.coordinates.append((joint, coordinate))
            d = ffi.new("ff_force_def *")
            lib.ff_force_def_init(d, ffi.sizeof("ff_force_def"))
            held = ffi.new("char[]", encode(force))
            d.name, d.kind, d.joint, d.coordinate, d.body = held, lib.FF_FORCE_CONTROL, joint, max(0, coordinate), body
            forces.append(_added(lib.ff_scene_add_force(scene._c, d), f"the force {force!r} cannot be added"))
        d = ffi.new("ff_controller_def *")
        lib.ff_controller_def_init(d, ffi.sizeof("ff_controller_def"))
        handle = ffi.new_handle(owner)
        held = [ffi.new("char[]", encode(name)), ffi.new("double[]", [float(s) for s in start]),
                ffi.new("double[]", [float(s) for s in scales or ()]), ffi.new("int[]", forces)]
        d.name, d.every, d.shortest, d.state_count, d.start = held[0], every, shortest, len(start), held[1]
        if scales is not None:
            if len(scales) != len(start):
                raise InputError(f"{len(scales)} scales for {len(start)} states", lib.FF_BAD_VALUE)
            d.scales = held[2]
        d.forces, d.force_count, d.function, d.user = held[3], len(forces), _control, handle
        if event is not None:
            d.event = _event
        self.kept.append(handle)
        self.kept.append(owner)
        _added(lib.ff_scene_add_controller(scene._c, d), f"the controller {name!r} cannot be added")

    def add_event(self, scene: Any, function: Callable[..., float]) -> None:
        """Add an event function."""
        target = (self, function)
        handle = ffi.new_handle(target)
        self.kept.append(handle)
        self.kept.append(target)
        _added(lib.ff_scene_add_event(scene._c, _root, handle), "the event cannot be added")


def _target(scene: Any, target: str) -> tuple:
    """The target of a command: joint, coordinate, body; unused indices are -1."""
    joint, coordinate = scene._joint(target), 0
    if joint < 0 and "." in target:
        name, word = target.rsplit(".", 1)
        joint = scene._joint(name)
        if joint >= 0:
            words: List[str] = []
            kind = lib.ff_scene_joint(scene._c, joint).kind
            while (known := text(lib.ff_joint_coordinate_name(kind, len(words)))) is not None:
                words.append(known)
            if word not in words:
                raise NotFoundError(f"joint {name!r} has no coordinate {word!r}; there are: {', '.join(words)}")
            coordinate = words.index(word)
    return (joint, coordinate, -1) if joint >= 0 else (-1, -1, scene._body(target))


def _added(index: int, what: str) -> int:
    if index < 0:
        raise failure(index, f"{what}: {text(lib.ff_status_text(index))}")
    return index
