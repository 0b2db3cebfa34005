# SPDX-License-Identifier: Apache-2.0
# Copyright the footfall authors
"""The record of a run: columns of numbers over time, events, the ledger; as numpy, pandas, xarray, plots and a page."""

from __future__ import annotations

import csv
import dataclasses
import html
import os
import tempfile
from typing import Any, Callable, Dict, Iterator, List, Optional, Sequence, Union

import numpy as np

from . import _control as control
from ._core import NULL, NotFoundError, RunError, check, encode, ffi, fill, lib, status_text, text
from ._records import Event, Ledger

_ROWS = {"steps": lib.FF_ROWS_STEPS, "events": lib.FF_ROWS_EVENTS, "none": lib.FF_ROWS_NONE}

Path = Union[str, "os.PathLike[str]"]


@dataclasses.dataclass(frozen=True)
class Column:
    """A column of a trace."""

    name: str  #: as in the header of a CSV file: ``t:s``, ``ball:x``, ``ledger:slip``
    path: str  #: of its field: ``bodies.ball.position``
    unit: str
    part: int  #: which number of the field it is
    width: int  #: how many the field has


@dataclasses.dataclass(frozen=True)
class Facts:
    """Facts about a recorded run; None: unknown."""

    version: Optional[str]
    name: Optional[str]
    source: Optional[str]
    scene: Optional[str]
    command: Optional[str]
    complete: bool  #: the run reached its end
    ended: Optional[str]  #: why it did not
    failed: Optional[str]  #: why it cannot be trusted although it reached its end
    time: float  #: time reached, s
    outcome: Optional[str]  #: warnings and impacts at the end, as JSON


class Trace:
    """The record of a run.

        trace = sim.run()
        trace["ball:z"]                  # a column, numpy
        trace["bodies.ball.position"]    # all numbers of a field, a row for each time
        trace.t, trace.events, trace.ledger
    """

    def __init__(self, pointer: Any, keep: Any) -> None:
        self._c: Any = ffi.gc(pointer, lambda p, keep=keep: lib.ff_trace_free(p))
        self._columns: Optional[List[Column]] = None
        self._cache: Dict[int, np.ndarray] = {}

    @classmethod
    def open(cls, path: Path) -> "Trace":
        """Open an .h5 file that a run was recorded to, complete or not."""
        out, error = ffi.new("ff_trace **"), ffi.new("ff_error *")
        check(lib.ff_trace_open(encode(path), out, error), error)
        return cls(out[0], None)

    def close(self) -> None:
        """Close the file of an opened trace, which cannot be used afterwards. ``with Trace.open(path) as trace``
        does so at its end."""
        if self._c is not None:
            ffi.release(self._c)
            self._c = None

    def __enter__(self) -> "Trace":
        return self

    def __exit__(self, *error: Any) -> None:
        self.close()

    @classmethod
    def _record(cls, sim: Any, until: float, every: Optional[float], path: Optional[Path], rows: str, memory: float,
                progress: Optional[Callable[[Any], Any]]) -> "Trace":
        if rows not in _ROWS:
            raise NotFoundError(f"no kind of rows is called {rows!r}; there are {', '.join(_ROWS)}")
        options, error = ffi.new("ff_trace_options *"), ffi.new("ff_error *")
        options.size = ffi.sizeof("ff_trace_options")
        if every is None and sim._options.every > 0:
            every = sim._options.every
        if every is not None:
            options.every = every
        elif rows == "steps":
            lib.ff_trace_options_page(options, sim._c, memory)
        options.rows = _ROWS[rows]
        model = sim.model
        texts = {"name": model.name, "source": model.source, "scene": model.printed, "command": "Sim.run of Python"}
        held = {k: ffi.new("char[]", encode(v)) for k, v in texts.items() if v}
        for name, held_text in held.items():
            setattr(options, name, held_text)
        trace = cls._create(sim, options, error)
        first = trace
        if path is not None:
            # the rows of the file are those of the trace in memory
            beside = ffi.new("ff_trace_options *", options[0])
            held_path = ffi.new("char[]", encode(path))
            beside.path, beside.beside, beside.values_most = held_path, trace._c, 0
            first = cls._create(sim, beside, error, trace)
        check(lib.ff_trace_start(first._c, error), error)
        cls._steps(first, trace, sim, until, progress, error)
        sim._warn(3)
        return trace

    @classmethod
    def _create(cls, sim: Any, options: Any, error: Any, other: Any = None) -> "Trace":
        out = ffi.new("ff_trace **")
        check(lib.ff_trace_create(sim._c, options, out, error), error)
        return cls(out[0], (sim, sim._c, other))

    @staticmethod
    def _steps(first: "Trace", trace: "Trace", sim: Any, until: float, progress: Any, error: Any) -> None:
        """Run to the end and record it; if the run ends early, the trace is ended too."""
        step, record, where = lib.ff_sim_step, lib.ff_trace_step, lib.ff_sim_time
        run, taken, ended = sim._c, first._c, None
        try:
            while True:
                status = step(run, until)
                if status < 0 or status == lib.FF_STOPPED:
                    ended = text(lib.ff_sim_error(run)) or status_text(status)
                    sim._status(status)
                control.raise_pending()
                check(record(taken, lib.ff_sim_event(run) if status == lib.FF_EVENT else NULL, error), error)
                if progress is not None:
                    progress(sim)
                if not where(run) < until:
                    break
        except BaseException as failed:
            ended = ended or (f"{type(failed).__name__}: {failed}")
            lib.ff_trace_end(taken, encode(ended), NULL)
            if isinstance(failed, RunError):
                failed.trace = trace
            raise
        check(lib.ff_trace_end(taken, NULL, error), error)
        try:
            sim.verdict()
        except RunError as failed:
            failed.trace = trace
            raise

    # columns

    def __len__(self) -> int:
        return lib.ff_trace_row_count(self._c)

    @property
    def columns(self) -> List[Column]:
        """The columns; the first is the time."""
        if self._columns is None:
            out, self._columns = ffi.new("ff_column *"), []
            while lib.ff_trace_column(self._c, len(self._columns), out):
                self._columns.append(fill(Column, out))
        return self._columns

    def keys(self) -> List[str]:
        """The names of the columns."""
        return [c.name for c in self.columns]

    def __iter__(self) -> Iterator[str]:
        return iter(self.keys())

    def __contains__(self, name: str) -> bool:
        return any(name in (c.name, c.path) for c in self.columns)

    def _values(self, i: int) -> np.ndarray:
        if i not in self._cache:
            values, error = np.empty(len(self)), ffi.new("ff_error *")
            if values.size:
                check(lib.ff_trace_values(self._c, i, ffi.from_buffer("double[]", values), error), error)
            self._cache[i] = values
        return self._cache[i]

    def column(self, name: str) -> Column:
        """A column by its name."""
        index, error = ffi.new("size_t *"), ffi.new("ff_error *")
        if lib.ff_trace_find(self._c, encode(name), index, error) < 0:
            raise NotFoundError(text(error.text) or name, lib.FF_BAD_VALUE)
        return self.columns[index[0]]

    def __getitem__(self, name: str) -> np.ndarray:
        """The values of a column, or of all numbers of a field by its path (a row for each time). SI units."""
        parts = [i for i, c in enumerate(self.columns) if c.path == name and c.name != name]
        if parts:
            return self._values(parts[0]) if self.columns[parts[0]].width == 1 else \
                np.stack([self._values(i) for i in parts], axis=1)
        return self._values(self.columns.index(self.column(name)))

    @property
    def t(self) -> np.ndarray:
        """The times of the rows, s."""
        return self._values(0)

    @property
    def events(self) -> List[Event]:
        """All events of the run."""
        found, out = [], ffi.new("ff_event *")
        for i in range(lib.ff_trace_event_count(self._c)):
            owner = text(lib.ff_trace_event(self._c, i, out))
            found.append(Event(out.time, text(lib.ff_event_name(out.kind)) or "", out.contact, owner, None,
                               bool(out.rejoin)))
        return found

    def _facts(self) -> Any:
        facts = ffi.new("ff_trace_facts *")
        lib.ff_trace_facts_fill(self._c, facts, ffi.sizeof("ff_trace_facts"))
        return facts

    @property
    def facts(self) -> Facts:
        """Facts about the run: the scene, whether it reached its end, whether it can be trusted."""
        return fill(Facts, self._facts())

    @property
    def ledger(self) -> Ledger:
        """The energy accounts at the end, J."""
        return Ledger(self._facts().ledger)

    # others' formats

    def to_pandas(self, columns: Optional[Sequence[str]] = None) -> Any:
        """A pandas.DataFrame of all columns or some, with the time (s) as its index; units are in ``attrs``."""
        import pandas
        chosen = self._chosen(columns)
        frame = pandas.DataFrame({c.name: self[c.name] for c in chosen}, index=pandas.Index(self.t, name="t"))
        frame.attrs["units"] = {c.name: c.unit for c in chosen}
        return frame

    def to_xarray(self, columns: Optional[Sequence[str]] = None) -> Any:
        """An xarray.Dataset of all columns or some over ``t``; each has its unit and its path as attributes."""
        import xarray
        return xarray.Dataset(
            {c.name: ("t", self[c.name], {"units": c.unit, "path": c.path}) for c in self._chosen(columns)},
            coords={"t": ("t", self.t, {"units": "s"})}, attrs={"name": self.facts.name or ""})

    def to_csv(self, path: Path, columns: Optional[Sequence[str]] = None) -> None:
        """Write a CSV file whose numbers read back as the same doubles."""
        chosen = [self.columns[0], *self._chosen(columns)]
        with open(path, "w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow([c.name for c in chosen])
            writer.writerows(zip(*(map(repr, self[c.name].tolist()) for c in chosen)))

    def _chosen(self, columns: Optional[Sequence[str]]) -> List[Column]:
        if columns is None:
            return self.columns[1:]
        found = []
        for name in [columns] if isinstance(columns, str) else columns:
            of_field = [c for c in self.columns if c.path == name]
            found.extend(of_field or [self.column(name)])
        return found

    # pictures

    def plot(self, *columns: str, ax: Any = None, **kwargs: Any) -> Any:
        """Draw columns or fields over time with matplotlib: by default the heights of bodies, or the first field.
        Events are not drawn. Returns the axes; ``kwargs`` go to ``Axes.plot``."""
        import matplotlib.pyplot as plt
        ax = plt.subplots(layout="constrained")[1] if ax is None else ax
        chosen = self._chosen(columns or self._usual())
        for c in chosen:
            ax.plot(self.t, self[c.name], **{"label": c.name, **kwargs})
        units = {c.unit for c in chosen}
        unit = f" ({units.pop()})" if len(units) == 1 else ""
        ax.set_xlabel("t (s)")
        ax.set_ylabel((chosen[0].name if len(chosen) == 1 else "") + unit)
        if len(chosen) > 1:
            ax.legend()
        return ax

    def _usual(self) -> List[str]:
        heights = [c.name for c in self.columns if c.path.startswith("bodies.") and c.path.endswith(".position")
                   and c.part == 2]
        return heights[:10] or [self.columns[1].name]

    def plot_energy(self, *, ax: Any = None) -> Any:
        """Draw the energy accounts over time, those that are not 0, with matplotlib. Returns the axes."""
        import matplotlib.pyplot as plt
        ax = plt.subplots(layout="constrained")[1] if ax is None else ax
        totals = [c for c in self.columns if c.path.startswith("ledger.") and
                  c.path.split(".")[1] not in ("initial", "scale", "residual")]
        scale = self.ledger["scale"]
        for c in totals:
            values = self[c.name]
            # ignore accounts at rounding level
            if np.max(np.abs(values), initial=0) > 1e-12 * scale:
                ax.plot(self.t, values, label=c.path.split(".")[1])
        ax.set_xlabel("t (s)")
        ax.set_ylabel("energy (J)")
        ax.legend()
        return ax

    def page(self, path: Path) -> None:
        """Write the page of the run: a single HTML file with charts, ledger and a replay; it needs no network."""
        error = ffi.new("ff_error *")
        check(lib.ff_trace_page(self._c, encode(path), error), error)

    def compare(self, other: "Trace", path: Path) -> None:
        """Write one page of this run and another one side by side, with their difference."""
        error = ffi.new("ff_error *")
        check(lib.ff_trace_compare(self._c, other._c, encode(path), error), error)

    def _repr_html_(self) -> str:
        """The page in a notebook cell; a line of text if the library was built without it."""
        if lib.ff_page_check(NULL, NULL) < 0:
            return f"<pre>{html.escape(repr(self))}</pre>"
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "page.html")
            self.page(path)
            with open(path, encoding="utf-8") as file:
                source = html.escape(file.read(), quote=True)
        return f'<iframe srcdoc="{source}" style="width: 100%; height: 640px; border: 0" title="the run"></iframe>'

    def __repr__(self) -> str:
        if self._c is None:
            return "<Trace, closed>"
        return f"<Trace of {self.facts.name!r}: {len(self)} rows, {len(self.columns)} columns, to {self.facts.time:g} s>"
