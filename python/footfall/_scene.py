# SPDX-License-Identifier: Apache-2.0
# Copyright the footfall authors
"""Scenes and differential inclusions."""

from __future__ import annotations

import json
import math
import os
from typing import Any, Callable, Dict, Iterable, Mapping, Optional, Sequence, Union

import numpy as np

from . import _control as control
from ._core import (NULL, Error, NotFoundError, check, encode, failure, ffi, lib, own_text, settings,
                    take_messages, text)
from ._gait import Gait
from ._laws import Friction, Normal
from ._model import Model

Settings = Union[Mapping[str, Any], Iterable[str]]


def _plain(value: Any) -> Any:
    """Convert objects without a JSON equivalent in a scene given as a dict."""
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, (Normal, Friction)):
        return value.to_dict()
    raise TypeError(f"a scene cannot hold {value!r}")


class _Text:
    """Common part of scenes and inclusions: a name and the text that they were read from."""

    _c: Any
    name: str  #: what messages call it: the path of its file, as a rule
    source: str  #: the text as it was written

    @classmethod
    def from_file(cls, path: Union[str, "os.PathLike[str]"], set: Optional[Settings] = None) -> Any:
        """Read a file. ``set`` replaces or adds values before it is read: ``{"bodies.ball.mass": "200 g"}``.

        Raises InputError with all errors of the file in ``messages``, each with file, line and column."""
        messages, status = ffi.new("ff_messages *"), ffi.new("ff_status *")
        length = ffi.new("size_t *")
        read = lib.ff_source_read(encode(path), lib.FF_SOURCE_MOST, length, messages, status)
        found = take_messages(messages)
        if read == NULL:
            raise failure(status[0], messages=found)
        return cls.from_text(own_text(read), set, name=os.fspath(path))

    @classmethod
    def from_text(cls, source: str, set: Optional[Settings] = None, *, name: str = "scene") -> Any:
        """Read a text in YAML; ``name`` is used in messages."""
        raw = encode(source)
        listed, count, keep = settings(set)
        messages = ffi.new("ff_messages *")
        made = cls.__new__(cls)
        status = made._parse(encode(name), raw, listed, count, messages)
        found = take_messages(messages)
        del keep
        if status < 0:
            raise failure(status, messages=found)
        made.name, made.source = name, source
        return made

    @classmethod
    def from_dict(cls, scene: Mapping[str, Any], set: Optional[Settings] = None, *, name: str = "dict") -> Any:
        """Build it from a dict with the keys of a file. Numbers may be numpy values, laws ``Normal`` and ``Friction``."""
        return cls.from_text(json.dumps(scene, indent=1, default=_plain), set, name=name)

    def _parse(self, name: bytes, raw: bytes, listed: Any, count: int, messages: Any) -> int:
        raise NotImplementedError


class Scene(_Text):
    """Bodies, shapes, ground, pairs, forces, and how to run them.

        scene = footfall.Scene.from_file("scenes/rolling.yaml", set={"run.until": "0.5 s"})
        sim = scene.sim()
        trace = sim.run()
    """

    def _parse(self, name: bytes, raw: bytes, listed: Any, count: int, messages: Any) -> int:
        out = ffi.new("ff_scene **")
        status = lib.ff_scene_parse(name, raw, len(raw), listed, count, math.inf, out, messages)
        if status >= 0:
            self._take(out[0])
        return status

    def _take(self, scene: Any) -> None:
        self._c = ffi.gc(scene, lib.ff_scene_free)
        #: what the library calls back; models keep it
        self._callbacks = control.Callbacks()

    def with_settings(self, set: Settings) -> "Scene":
        """The scene with additional settings, without reading its text again. Controllers and events added in
        Python are not included: add them to the new scene."""
        listed, count, keep = settings(set)
        messages, out = ffi.new("ff_messages *"), ffi.new("ff_scene **")
        if self._callbacks.any:
            raise Error("settings come before controllers and events: this scene was added to", lib.FF_MISSING)
        status = lib.ff_scene_with(self._c, listed, count, out, messages)
        found = take_messages(messages)
        del keep
        if status < 0:
            raise failure(status, messages=found)
        made = Scene.__new__(Scene)
        made.name, made.source = self.name, self.source
        made._take(out[0])
        return made

    def print(self) -> str:
        """The scene as it is run, with settings applied, as YAML without comments. Not for a scene that was modified."""
        out = ffi.new("char **")
        check(lib.ff_scene_print(self._c, NULL, 0, out))
        return own_text(out[0])

    @property
    def parameters(self) -> Dict[str, float]:
        """The parameters of the text, in SI units."""
        found = (lib.ff_scene_parameter(self._c, i) for i in range(lib.ff_scene_parameter_count(self._c)))
        return {text(p.name) or "": p.value for p in found}

    @property
    def memory(self) -> float:
        """Estimate of the memory of a run, bytes, within a factor of 2."""
        return lib.ff_scene_memory(self._c)

    def model(self) -> Model:
        """Compile the scene. Possible mistakes are reported as warnings (``footfall.ModelWarning``)."""
        return Model._compile(self, 2)

    def sim(self, **options: Any) -> Any:
        """Compile the scene and start a run of it: ``scene.model().sim(**options)``."""
        return Model._compile(self, 2).sim(**options)

    def gait(self, **options: Any) -> Gait:
        """The gait of a walking scene, at the start of the scene; options are those of ``Model.sim``."""
        return Gait(self, options)

    def controller(self, function: Optional[Callable[..., Any]] = None, *, every: float,
                   commands: Union[Mapping[str, str], Sequence[str], str], name: Optional[str] = None,
                   start: Sequence[float] = (), scales: Optional[Sequence[float]] = None,
                   event: Optional[Callable[..., Any]] = None, shortest: float = 0) -> Any:
        """Let a Python function command joints and bodies; as a decorator, or with the function as its argument.

            @scene.controller(every=1e-3, commands=["leg"])
            def spring(view):
                return 6000*(0.5 - view.position("leg")) - 40*view.rate("leg")

        every: s between samples, at the exact times 0, every, 2 every ...; commands are constant in between. 0:
        continuous, called whenever rates are evaluated; it must be smooth and without memory, and sets ``view.rates``.
        commands: joints (``leg``; ``planar.x`` is one coordinate of several) and bodies, or a dict of them by names of
        their forces. An effort (N m, N) at a joint, force and torque (N, N m, world axes) at a body.
        start: initial values of the controller's states, ``view.states``, which are saved and restored with the run.
        event: called as event(view, event) at every event of the run; may change ``view.states``.
        shortest: s; a continuous function does nothing that is shorter, and no step is longer. With 0 what it does between
        two evaluations may be missed, of which a warning tells.

        The return value is the command: a number, or one for each command (three or six for a body); None
        leaves what ``view.command(name, value)`` has set. An exception in the function ends the run and is
        raised by the call that runs it."""
        if function is None:
            return lambda f: self.controller(f, every=every, commands=commands, name=name, start=start, scales=scales,
                                             event=event, shortest=shortest)
        if isinstance(commands, str):
            commands = [commands]
        named = dict(commands) if isinstance(commands, Mapping) else {c: c for c in commands}
        called = getattr(function, "__name__", "controller") if name is None else name
        self._callbacks.add_controller(self, function, called, every, named, list(start), scales, event,
                                       float(shortest))
        return function

    def event(self, function: Callable[[float, np.ndarray], float]) -> Callable[[float, np.ndarray], float]:
        """Make a function of time (s) and bodies an event of kind ``user`` wherever it crosses 0; a decorator.

        ``bodies`` is a structured array with ``position``, ``orientation``, ``velocity`` and ``omega`` of each body.
        The function must be smooth and must not keep state between calls."""
        self._callbacks.add_event(self, function)
        return function

    def _joint(self, name: str) -> int:
        """The index of a joint; -1 if there is none of this name."""
        i = 0
        while (joint := lib.ff_scene_joint(self._c, i)) != NULL:
            if text(joint.name) == name:
                return i
            i += 1
        return -1

    def _body(self, name: str) -> int:
        """The index of a body, from a model of the scene."""
        out, error = ffi.new("ff_model **"), ffi.new("ff_error *")
        check(lib.ff_model_create(self._c, out, error), error)
        try:
            for i in range(lib.ff_model_body_count(out[0])):
                if text(lib.ff_model_body_name(out[0], i)) == name:
                    return i
        finally:
            lib.ff_model_free(out[0])
        raise NotFoundError(f"no joint and no body is called {name!r}")

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        printer.text(repr(self))

    def __repr__(self) -> str:
        return f"<Scene {self.name!r}>"


class Inclusion(_Text):
    """A differential inclusion in text (docs/inclusions.md), turned into an ordinary differential equation."""

    def __init__(self) -> None:
        raise TypeError("use Inclusion.from_file or Inclusion.from_text")

    def _parse(self, name: bytes, raw: bytes, listed: Any, count: int, messages: Any) -> int:
        out, self._options = ffi.new("ff_equations **"), ffi.new("ff_run_options *")
        lib.ff_run_options_init(self._options, ffi.sizeof("ff_run_options"))
        # NULL for both laws: those of the paper
        laws = ffi.new("ff_rivals *")
        status = lib.ff_inclusion_parse(name, raw, len(raw), listed, count, laws, out, self._options, messages)
        if status >= 0:
            self._c = ffi.gc(out[0], lib.ff_equations_free)
        return status

    def model(self) -> Model:
        """The model of the inclusion. Only one thread at a time can run it."""
        return Model._of_inclusion(self)

    def sim(self, **options: Any) -> Any:
        """Start a run: ``inclusion.model().sim(**options)``."""
        return self.model().sim(**options)

    def show(self) -> str:
        """The resulting ordinary differential equations, one per line."""
        return own_text(lib.ff_equations_show(self._c))

    def __repr__(self) -> str:
        return f"<Inclusion {self.name!r}>"


def load(path: Union[str, "os.PathLike[str]"], set: Optional[Settings] = None) -> Union[Scene, Inclusion]:
    """Read a scene or a differential inclusion from a file, whichever it is."""
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            inclusion = lib.ff_source_is_inclusion(encode(file.read().replace("\0", "")))
    except OSError:
        inclusion = False  # from_file says what is wrong
    return (Inclusion if inclusion else Scene).from_file(path, set)
