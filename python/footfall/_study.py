# SPDX-License-Identifier: Apache-2.0
# Copyright the footfall authors
"""Sweeps: many runs of one scene or inclusion, and results of each."""

from __future__ import annotations

import os
from typing import Any, Iterable, List, Mapping, Optional, Union

import numpy as np

from ._core import NULL, InputError, check, encode, failure, ffi, free, lib, settings, take_messages, text

_POINTS = {"random": "FF_POINTS_RANDOM", "latin": "FF_POINTS_LATIN", "sobol": "FF_POINTS_SOBOL"}


class Table:
    """The rows of a sweep: ``table["peak"]`` is a column, as an array, or as a list of words."""

    def __init__(self, table: Any) -> None:
        self._c = ffi.gc(table, free)
        columns = [table.column[i] for i in range(table.columns)]
        self.names: List[str] = [text(c.name) or "" for c in columns]  #: of the columns
        self.units: List[str] = [text(c.unit) or "" for c in columns]  #: "": not known; "1": a pure number
        self.varied: int = table.varied  #: so many columns are parameters, the others are what was kept
        #: why each run failed; None: it did not
        self.failed: List[Optional[str]] = [text(table.reason[i]) for i in range(table.rows)]
        size = table.rows * table.columns * ffi.sizeof("double")
        #: rows by columns; words are their indices
        self.values: np.ndarray = np.frombuffer(ffi.buffer(table.values, size), dtype=float).reshape(
            table.rows, table.columns).copy()
        self._words = [None if c.words == NULL else c.words for c in columns]

    def __len__(self) -> int:
        return len(self.failed)

    def __getitem__(self, name: str) -> Any:
        try:
            i = self.names.index(name)
        except ValueError:
            raise KeyError(f"there is no column {name!r}: there are {', '.join(self.names)}") from None
        words = self._words[i]
        return self.values[:, i] if words is None else [text(words[int(k)]) for k in self.values[:, i]]

    def to_pandas(self) -> Any:
        """A pandas.DataFrame with a column for each, and ``failed``."""
        import pandas

        return pandas.DataFrame({**{name: self[name] for name in self.names}, "failed": self.failed})

    def write(self, path: Union[str, "os.PathLike[str]"]) -> None:
        """Write it as .csv or .h5."""
        error = ffi.new("ff_error *")
        check(lib.ff_table_write(self._c, encode(path), error), error)


def _range(value: Any) -> str:
    """A text as it is; numbers and lists of numbers with all their digits."""
    if isinstance(value, str):
        return value
    items = np.atleast_1d(value).tolist()
    return ",".join(item if isinstance(item, str) else repr(float(item)) for item in items)


def sweep(path: Union[str, "os.PathLike[str]"], vary: Mapping[str, Any], keep: Union[Mapping[str, str], Iterable[str]],
          *, set: Any = None, samples: int = 0, points: str = "random", seed: int = 0, threads: int = 0,
          records: Optional[str] = None, stop: Iterable[str] = ()) -> Table:
    """Run a file for many values of its parameters, and keep numbers of each run.

        table = footfall.sweep("scenes/rolling.yaml", {"pairs[0].friction.mu": "0.05:0.5:50"},
                               {"slip": "end(ledger.slip)"})
        table["slip"]

    Ranges are texts as for `footfall sweep --vary`, or numbers. A failed run is a row with its reason in
    ``failed``. ``stop`` lists up to four events that end a run early. ``records`` is a file of finished runs, from which a sweep with the same arguments resumes."""
    if points not in _POINTS:
        raise InputError(f"points are random, latin or sobol, not {points!r}", lib.FF_BAD_VALUE)
    kept = [f"{name}={text_}" for name, text_ in keep.items()] if isinstance(keep, Mapping) else list(keep)
    options, out, messages = ffi.new("ff_sweep *"), ffi.new("ff_table **"), ffi.new("ff_messages *")
    listed, count, alive = settings(set)
    varied = settings([f"{parameter}={_range(value)}" for parameter, value in vary.items()])
    keeps = settings(kept)
    stops = settings([stop] if isinstance(stop, str) else list(stop))
    name = ffi.new("char[]", encode(path))
    options.size = ffi.sizeof("ff_sweep")
    options.path = name
    options.settings, options.setting_count = listed, count
    options.vary, options.vary_count = varied[:2]
    options.keep, options.keep_count = keeps[:2]
    options.stops, options.stop_count = stops[:2]
    options.samples, options.points, options.seed = samples, getattr(lib, _POINTS[points]), seed
    options.threads = threads
    file = ffi.new("char[]", encode(records)) if records else None
    options.records = file if file is not None else NULL
    status = lib.ff_sweep_run(options, out, messages)
    found = take_messages(messages)
    del alive, varied, keeps, stops
    if status < 0:
        raise failure(status, messages=found)
    return Table(out[0])
