# SPDX-License-Identifier: Apache-2.0
# Copyright the footfall authors
"""Any scene with inputs as an environment for reinforcement learning, with the interface of Gymnasium."""

from __future__ import annotations

from typing import Any, Callable, Dict, Mapping, Optional, Sequence, Tuple

import numpy as np

from ._core import InputError, RunError, lib
from ._model import Model

try:
    from gymnasium.spaces import Box
except ImportError:

    class Box:  # type: ignore[no-redef]
        """Arrays of numbers between bounds: a minimal replacement of Gymnasium's Box."""

        def __init__(self, low: Any, high: Any, shape: Optional[Tuple[int, ...]] = None, dtype: Any = np.float64,
                     seed: Optional[int] = None) -> None:
            self.shape = tuple(np.shape(low)) if shape is None else tuple(shape)
            self.dtype = np.dtype(dtype)
            self.low = np.broadcast_to(np.asarray(low, dtype=dtype), self.shape)
            self.high = np.broadcast_to(np.asarray(high, dtype=dtype), self.shape)
            self._random = np.random.default_rng(seed)

        def seed(self, seed: Optional[int] = None) -> None:
            """Seed the random numbers of ``sample``."""
            self._random = np.random.default_rng(seed)

        def sample(self) -> np.ndarray:
            """A random element: uniform between finite bounds, otherwise normal."""
            uniform = np.isfinite(self.low) & np.isfinite(self.high)
            low, high = np.where(uniform, self.low, -1), np.where(uniform, self.high, 1)
            drawn = np.where(uniform, self._random.uniform(low, high), self._random.normal(size=self.shape))
            return np.clip(drawn, self.low, self.high).astype(self.dtype)

        def contains(self, x: Any) -> bool:
            """Whether an array is an element."""
            x = np.asarray(x)
            return x.shape == self.shape and bool(np.all(x >= self.low) and np.all(x <= self.high))

        def __repr__(self) -> str:
            return f"Box({self.low.min(initial=np.inf)}, {self.high.max(initial=-np.inf)}, {self.shape}, {self.dtype})"


class Env:
    """A scene that is controlled through its inputs.

        env = footfall.Env(scene, inputs=["forces.thrust.constant.force"], observe=["bodies.ball.position"],
                           period=0.01, reward=lambda sim: sim["bodies.ball.position[2]"])
        observation, info = env.reset(seed=0)
        observation, reward, terminated, truncated, info = env.step(env.action_space.sample())

    inputs: fields of kind ``input``, set at the beginning of each step. observe: fields of any kind. period: s that a
    step takes. reward(sim) is called at the end of a step; terminated(sim) says whether the episode has ended; until (s,
    by default the scene's) truncates it. low, high: bounds of actions, for one or for all numbers. randomize(rng) gives
    parameters, start states included, for the next episode: ``{"bodies.ball.position": [0, 0, rng.uniform(1, 2)]}``.
    options are those of ``Model.sim``. A run that fails ends the episode: ``terminated``, with the reason in
    ``info["error"]`` and a reward of NaN."""

    metadata: Dict[str, Any] = {"render_modes": []}
    render_mode = None

    def __init__(self, scene: Any, *, inputs: Sequence[str], observe: Sequence[str], period: float,
                 reward: Callable[[Any], float], terminated: Optional[Callable[[Any], bool]] = None,
                 until: Optional[float] = None, low: Any = -np.inf, high: Any = np.inf,
                 randomize: Optional[Callable[[np.random.Generator], Mapping[str, Any]]] = None,
                 **options: Any) -> None:
        self.model: Model = scene if isinstance(scene, Model) else scene.model()
        for path in inputs:
            if self.model.field(path).kind != "input":
                raise InputError(f"{path!r} is a field of kind {self.model.field(path).kind}, not an input",
                                 lib.FF_BAD_VALUE)
        if not period > 0:
            raise InputError(f"a period of {period!r} s: above 0 is expected", lib.FF_BAD_VALUE)
        self._inputs, self._observe, self._options = list(inputs), list(observe), options
        self._reward, self._terminated, self._randomize = reward, terminated, randomize
        self.period = period
        self.until = self.model.run["until"] if until is None else until
        self.np_random = np.random.default_rng()
        self.sim: Any = None  #: the run of this episode
        self._start({})
        width = self._write.width
        self.action_space = Box(np.broadcast_to(np.asarray(low, dtype=float), (width,)),
                                np.broadcast_to(np.asarray(high, dtype=float), (width,)), dtype=np.float64)
        self.observation_space = Box(-np.inf, np.inf, self._read.values.shape, dtype=np.float64)
        self.sim = None

    def _start(self, values: Mapping[str, Any]) -> None:
        self.sim = self.model.sim(**self._options)
        for path, value in values.items():
            self.sim[path] = value
        self._read, self._write = self.sim.reader(self._observe), self.sim.writer(self._inputs)
        self._count = 0

    @property
    def unwrapped(self) -> "Env":
        """The environment itself."""
        return self

    def reset(self, *, seed: Optional[int] = None, options: Optional[Mapping[str, Any]] = None) -> Tuple[Any, Dict]:
        """Start an episode; ``options`` are values of fields at its start. Returns observation and info."""
        if seed is not None:
            self.np_random = np.random.default_rng(seed)
        drawn = dict(self._randomize(self.np_random)) if self._randomize else {}
        self._start({**drawn, **(options or {})})
        return self._read().copy(), {"time": 0.0}

    def step(self, action: Any) -> Tuple[np.ndarray, float, bool, bool, Dict[str, Any]]:
        """Apply an action for one period. Returns observation, reward, terminated, truncated, info."""
        if self.sim is None:
            raise InputError("reset() begins an episode, step() goes on with it", lib.FF_BAD_VALUE)
        self._write(action)
        self._count += 1
        info: Dict[str, Any] = {}
        try:
            # a product, because a sum of periods drifts
            info["events"] = self.sim.advance(self._count * self.period)
        except RunError as error:
            info.update(time=self.sim.time, error=str(error))
            return self._read().copy(), float("nan"), True, False, info
        info["time"] = self.sim.time
        ended = bool(self._terminated(self.sim)) if self._terminated else False
        # half a period of tolerance: the last step of an episode may end within rounding of `until`
        truncated = not ended and self._count * self.period > self.until - 0.5 * self.period
        return self._read().copy(), float(self._reward(self.sim)), ended, truncated, info

    def render(self) -> None:
        """Nothing is drawn: the page of a trace shows a run (``Sim.run``, ``Trace.page``)."""

    def close(self) -> None:
        """End the episode."""
        self.sim = None
