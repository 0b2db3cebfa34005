# SPDX-License-Identifier: Apache-2.0
# Copyright the footfall authors
"""A model: a compiled scene, shared by any number of runs and threads."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any, Callable, Dict, Iterator, List, Optional, Sequence, Tuple

from ._core import (NULL, ModelWarning, NotFoundError, check, encode, enum_names, ffi, fill, lib, own_text, set_members,
                    text, value, warn, warnings_of)
from ._records import Event

if TYPE_CHECKING:
    from ._trust import Trust

_WHOLE = 2 ** (8 * ffi.sizeof("size_t")) - 1


@dataclasses.dataclass(frozen=True)
class Field:
    """A named number or array of numbers of a model."""

    path: str
    unit: str  #: "1": a pure number; "": not known
    kind: str  #: input, parameter, structure, state or output
    width: int  #: how many numbers it has
    meaning: str
    scale: float  #: scale of errors of a state; 0: unknown


@dataclasses.dataclass(frozen=True)
class BodyFacts:
    """Properties of a body."""

    mass: float  #: kg
    inertia: Any  #: xx, yy, zz about the centre of mass, body axes, kg m^2
    products: Any  #: elements xy, xz, yz of the matrix, kg m^2
    center: Any  #: of mass, in the frame that shapes and anchors are written in, m
    length_scale: float  #: m: absolute tolerances are tol times these
    speed_scale: float  #: m/s


@dataclasses.dataclass(frozen=True)
class Assembly:
    """The assembly of joints at the start: the largest corrections of all bodies."""

    moved: float  #: m
    turned: float  #: rad
    velocity: float  #: m/s
    omega: float  #: rad/s
    freedoms: int  #: degrees of freedom that are left
    constraints: int
    redundant: int


class Model:
    """A scene or an inclusion, compiled. It does not change; runs are started from it by ``sim()``."""

    def __init__(self, pointer: Any, owner: Any, callbacks: Any) -> None:
        self._c = ffi.gc(pointer, lambda p, keep=(owner, callbacks): lib.ff_model_free(p))
        self._callbacks = callbacks
        self._found: Dict[str, Tuple[int, Optional[int], int]] = {}
        #: what was read: its name, and the text as it was written and as it is run
        self.name: str = owner.name
        self.source: str = owner.source
        self.bodies: List[str] = self._names(lib.ff_model_body_count, lib.ff_model_body_name)
        self.contacts: List[str] = self._names(lib.ff_model_contact_count, lib.ff_model_contact_name)
        self.joints: List[str] = self._names(lib.ff_model_joint_count, lib.ff_model_joint_name)
        #: pairs of the scene of a crowd, whose contacts have no names of their own
        self.classes: List[str] = self._names(lib.ff_model_class_count, lib.ff_model_class_name)
        self.printed: Optional[str] = None

    @classmethod
    def _compile(cls, scene: Any, level: int) -> "Model":
        out, error = ffi.new("ff_model **"), ffi.new("ff_error *")
        check(lib.ff_model_create(scene._c, out, error), error)
        model = cls(out[0], scene, scene._callbacks)
        scene._callbacks.know(model._c, model.bodies, model.joints, model.contacts)
        printed = ffi.new("char **")
        # a modified scene keeps no text
        if lib.ff_scene_print(scene._c, NULL, 0, printed) >= 0:
            model.printed = own_text(printed[0])
        warn(model._warned(), level + 1)
        return model

    @classmethod
    def _of_inclusion(cls, inclusion: Any) -> "Model":
        out, error = ffi.new("ff_model **"), ffi.new("ff_error *")
        check(lib.ff_inclusion_model(lib.ff_equations_def(inclusion._c), out, error), error)
        model = cls(out[0], inclusion, None)
        model._options = inclusion._options
        return model

    _options: Any = None

    def _names(self, count: Any, name: Any) -> List[str]:
        return [text(name(self._c, i)) or "" for i in range(count(self._c))]

    def _warned(self) -> List[Any]:
        return warnings_of(lib.ff_model_warning, self._c)

    @property
    def warnings(self) -> List[ModelWarning]:
        """Possible mistakes in the scene."""
        return [ModelWarning(text(w.text) or "", text(lib.ff_warning_name(w.kind)) or "", w.value, w.limit)
                for w in self._warned()]

    @property
    def crowd(self) -> bool:
        """Whether it has too many pairs for contacts of their own, and runs with fixed steps."""
        return bool(self.classes)

    def sim(self, **options: Any) -> Any:
        """Start a run at the scene's start state, at time 0. Options default to those of the scene:

        until (s), method ("auto", "dopri5", "rodas", ...), tol, dt (s, of fixed steps), events (located or not), every
        (s between rows of a trace), threads (of a crowd), formulation, constraints, max_step (s) and others of
        ``run`` in a scene file."""
        from ._sim import Sim
        return Sim(self, **options)

    def trust(self, fields: Sequence[str] = (), seed: int = 1, samples: int = 1000,
              begin: Optional[Callable[[Any], Any]] = None, act: Optional[Callable[[Any, Any], Any]] = None,
              **options: Any) -> Trust:
        """How many digits of a run are determined: makes the run, repeats it at a tenth of its tolerance, and at a
        hundredth with another method and a largest step of random size (``seed``), and compares the three at
        ``samples`` times and at the end.

        Bodies, coordinates of joints, accounts and controllers are compared, and the other ``fields``. ``begin(sim)``
        is called before the first step of each run, ``act(sim, event)`` after each step, with the event at its end or
        None. Options are those of ``sim``. Raises RunError if the run itself fails."""
        from ._trust import measure
        return measure(self, [fields] if isinstance(fields, str) else fields, seed, samples, begin, act, options)

    def _run_options(self, given: Dict[str, Any]) -> Any:
        options = ffi.new("ff_run_options *")
        base = self._options if self._options is not None else lib.ff_model_run(self._c)
        ffi.memmove(options, base, ffi.sizeof("ff_run_options"))
        set_members(options, given, "a run")
        return options

    @property
    def run(self) -> Dict[str, Any]:
        """The run options of the scene: until, method, tol and others."""
        base = self._options if self._options is not None else lib.ff_model_run(self._c)
        return {n: value(getattr(base, n), f.type) for n, f in ffi.typeof("ff_run_options").fields if n != "size"}

    # fields

    def fields(self, kind: Optional[str] = None) -> Iterator[Field]:
        """The named numbers of the model, all or of one kind: input, parameter, structure, state, output."""
        if kind is not None and kind not in enum_names("ff_field_kind"):
            raise NotFoundError(f"no kind of fields is called {kind!r}; there are "
                                f"{', '.join(enum_names('ff_field_kind'))}")
        out = ffi.new("ff_field *")
        for i in range(lib.ff_model_field_count(self._c)):
            lib.ff_model_field(self._c, i, out)
            if kind is None or text(lib.ff_field_kind_name(out.kind)) == kind:
                yield fill(Field, out)

    def field(self, path: str) -> Field:
        """A field by its path."""
        index, _, _ = self._find(path)
        out = ffi.new("ff_field *")
        lib.ff_model_field(self._c, index, out)
        return fill(Field, out)

    def __contains__(self, path: str) -> bool:
        try:
            self._find(path)
        except NotFoundError:
            return False
        return True

    def _find(self, path: str) -> Tuple[int, Optional[int], int]:
        """Index of a field, which of its numbers (None: all), and their count."""
        found = self._found.get(path)
        if found is None:
            index, part, error = ffi.new("size_t *"), ffi.new("size_t *"), ffi.new("ff_error *")
            if lib.ff_model_field_find(self._c, encode(path), index, part, error) < 0:
                raise NotFoundError(text(error.text) or path, lib.FF_BAD_VALUE)
            out = ffi.new("ff_field *")
            lib.ff_model_field(self._c, index[0], out)
            found = (index[0], None if part[0] == _WHOLE else part[0], out.width)
            self._found[path] = found
        return found

    def _index(self, kind: str, names: List[str], name: Any) -> int:
        if isinstance(name, str):
            try:
                return names.index(name)
            except ValueError:
                raise NotFoundError(f"no {kind} is called {name!r}; there are: {', '.join(names)}") from None
        if not -len(names) <= name < len(names):
            raise IndexError(f"there are {len(names)} of kind {kind}")
        return int(name) % len(names)

    def body_facts(self, body: Any) -> BodyFacts:
        """Mass, inertia and scales of a body, by name or index."""
        return fill(BodyFacts, lib.ff_model_body_facts(self._c, self._index("body", self.bodies, body)))

    def laws(self, contact: Any) -> Tuple[Any, Any]:
        """The normal and the friction law of a contact, with their numbers."""
        from ._laws import Friction, Normal
        facts = lib.ff_model_contact_facts(self._c, self._index("contact", self.contacts, contact))
        return Normal._of(facts.normal), Friction._of(facts.friction)

    @property
    def assembly(self) -> Assembly:
        """The assembly of joints at the start."""
        return fill(Assembly, lib.ff_model_assembly(self._c))

    @property
    def unpaired(self) -> List[str]:
        """Pairs of objects that could meet but have no entry in the scene: they do not interact."""
        return self._names(lib.ff_model_unpaired_count, lib.ff_model_unpaired_name)

    def _event(self, event: Any) -> Event:
        return Event(event.time, text(lib.ff_event_name(event.kind)) or "", event.contact,
                     text(lib.ff_model_event_owner(self._c, event)), text(lib.ff_model_event_name(self._c, event)),
                     bool(event.rejoin))

    def __repr__(self) -> str:
        return (f"<Model of {self.name!r}: {len(self.bodies)} bodies, {len(self.contacts)} contacts, "
                f"{len(self.joints)} joints>")
