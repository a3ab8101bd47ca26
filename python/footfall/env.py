"""Environments for learning, with the interface of Gymnasium, which need not be installed.

    envs = ff.env.PushBox(64)                       64 sims, stepped together on all cores
    obs, info = envs.reset(seed=1)
    obs, reward, terminated, truncated, info = envs.step(envs.action_space.sample())

A VectorEnv has num_envs environments. An episode that has ended is reset by the next step (Gymnasium's
autoreset mode NEXT_STEP): that step returns the first observation of the new episode, reward 0, and
ignores the action. Results do not depend on the number of threads; with a seed they repeat to the
last bit. `single(env)` gives the interface of one environment.

Your own: derive from VectorEnv and write `observe`, `judge` and, if wanted, `randomise`.
"""
from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from ._batch import Batch
from ._errors import InputError
from ._values import array
from ._model import Model, load, parse

try:
    from gymnasium.spaces import Box  # type: ignore[import-not-found]
except ImportError:

    class Box:  # type: ignore[no-redef]
        """Space of arrays between bounds, as that of Gymnasium."""

        def __init__(self, low, high, shape=None, dtype=np.float64, seed=None) -> None:
            shape = np.shape(low) if shape is None else tuple(shape)
            self.shape, self.dtype = shape, np.dtype(dtype)
            self.low = np.broadcast_to(np.asarray(low, dtype=dtype), shape).copy()
            self.high = np.broadcast_to(np.asarray(high, dtype=dtype), shape).copy()
            self.seed(seed)

        def seed(self, seed=None):
            """Sets the seed of `sample`."""
            self._random = np.random.default_rng(seed)
            return [seed]

        def sample(self) -> np.ndarray:
            """A random element: uniform between finite bounds, normal without."""
            finite = np.isfinite(self.low) & np.isfinite(self.high)
            low, high = np.where(finite, self.low, 0), np.where(finite, self.high, 1)
            uniform = self._random.uniform(low, high)
            return np.where(finite, uniform, self._random.normal(size=self.shape)).astype(self.dtype)

        def contains(self, x) -> bool:
            """Is x an element?"""
            x = np.asarray(x)
            return x.shape == self.shape and bool(np.all((x >= self.low) & (x <= self.high)))

        def __repr__(self) -> str:
            return f"Box({self.low.min()}, {self.high.max()}, {self.shape}, {self.dtype})"


class VectorEnv:
    """Environments that are stepped together.

    model: the scene. inputs: what actions are, see Model.input_names; scale: actions are within -1
    and 1, and are multiplied by it. channels: what `observe` gets. period: s between actions. limit:
    s until an episode is truncated.
    """

    metadata: dict[str, Any] = {"render_modes": [], "autoreset_mode": "NextStep"}
    render_mode = None

    def __init__(self, num_envs: int, model: Model, *, inputs: Iterable[str], scale, period: float,
                 channels: Iterable[str], limit: float, threads: int | None = None,
                 observations: int | None = None) -> None:
        self.num_envs = num_envs
        self.model = model
        self.batch = Batch(model, num_envs, period=period, inputs=inputs, threads=threads)
        self.period, self.limit = float(period), float(limit)
        names, _ = model.channel_numbers(channels)
        #: Names of the channels that `observe` gets.
        self.channels: list[str] = names
        self._read = self.batch.reader(names)
        self._scale = np.broadcast_to(array(scale, what="scale"), (self.batch.nu,))
        size = len(names) if observations is None else observations
        self.single_action_space = Box(-1.0, 1.0, (self.batch.nu,), np.float64)
        self.single_observation_space = Box(-np.inf, np.inf, (size,), np.float64)
        self.action_space = Box(-1.0, 1.0, (num_envs, self.batch.nu), np.float64)
        self.observation_space = Box(-np.inf, np.inf, (num_envs, size), np.float64)
        self._random = np.random.default_rng()
        self._steps = np.zeros(num_envs, dtype=np.int64)
        self._ended = np.ones(num_envs, dtype=bool)
        self._start = self.batch.x
        self._ready = False

    # ---- to be written by derived classes

    def observe(self, values: np.ndarray) -> np.ndarray:
        """Observations (B, n) from the channels (B, channels)."""
        return values

    def judge(self, values: np.ndarray, actions: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Rewards (B,) and whether each episode is over (B,)."""
        raise NotImplementedError

    def randomise(self, x: np.ndarray, random: np.random.Generator) -> np.ndarray:
        """Initial state vectors (n, nx) of episodes that begin; x: those of the scene."""
        return x

    # ---- Gymnasium

    @property
    def unwrapped(self) -> VectorEnv:
        return self

    def reset(self, *, seed: int | None = None, options: dict | None = None) -> tuple[np.ndarray, dict]:
        """Begins new episodes: observations, info."""
        if seed is not None:
            self._random = np.random.default_rng(seed)
            self.action_space.seed(seed)
        self._begin(np.ones(self.num_envs, dtype=bool))
        self._ready = True
        return self.observe(self._read()), {}

    def _begin(self, which: np.ndarray) -> None:
        self.batch.reset(which)
        x = self.randomise(self._start[which].copy(), self._random)
        for at, row in zip(np.flatnonzero(which), x):
            if not np.array_equal(row, self._start[at]):
                with self.batch.sim(int(at)) as sim:
                    sim.x = row
        self._steps[which] = 0
        self._ended[which] = False

    def step(self, actions) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, dict]:
        """One period: observations, rewards, terminated, truncated, info."""
        if not self._ready:
            raise InputError("reset comes first")
        given = array(actions, (self.num_envs, self.batch.nu), "actions")
        fresh = self._ended.copy()
        u = np.clip(given, -1, 1) * self._scale
        u[fresh] = 0
        good = self.batch.step(u)
        if fresh.any():
            self._begin(fresh)
        values = self._read()
        rewards, over = self.judge(values, given)
        rewards = np.where(fresh | ~good, 0.0, rewards)
        terminated = np.where(fresh, False, over | ~good)
        self._steps[~fresh] += 1
        truncated = ~fresh & ~terminated & (self._steps * self.period >= self.limit - 1e-12)
        self._ended = terminated | truncated
        info = {"failed": ~good & ~fresh}
        return self.observe(values), rewards, terminated, truncated, info

    def close(self, **_: Any) -> None:
        """Lets the sims go."""
        self.batch.close()

    def __enter__(self) -> VectorEnv:
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()


class Single:
    """One environment: the first of a VectorEnv with one."""

    def __init__(self, envs: VectorEnv) -> None:
        if envs.num_envs != 1:
            raise InputError("a single environment needs num_envs=1")
        self.envs, self.metadata, self.render_mode = envs, envs.metadata, None
        self.action_space = envs.single_action_space
        self.observation_space = envs.single_observation_space

    def reset(self, *, seed: int | None = None, options: dict | None = None) -> tuple[np.ndarray, dict]:
        """Begins a new episode: observation, info."""
        obs, info = self.envs.reset(seed=seed, options=options)
        return obs[0], info

    def step(self, action) -> tuple[np.ndarray, float, bool, bool, dict]:
        """One period: observation, reward, terminated, truncated, info."""
        obs, reward, terminated, truncated, info = self.envs.step(np.asarray(action)[None])
        return obs[0], float(reward[0]), bool(terminated[0]), bool(truncated[0]), info

    def close(self) -> None:
        """Lets the sim go."""
        self.envs.close()


def single(envs: VectorEnv) -> Single:
    """The interface of one environment."""
    return Single(envs)


# ---- humanoid ----------------------------------------------------------------------------------


class Humanoid(VectorEnv):
    """Balance and walking of the humanoid by targets of its leg joints.

    task "balance": stand, from a random push; "walk": forward at `speed` (m/s). The reward is 1 a
    period while standing, less the tilt, the deviation from the speed and the actions; the episode
    ends when the trunk falls below 70 % of its height.
    """

    def __init__(self, num_envs: int = 1, task: str = "balance", *, speed: float = 0.1,
                 push: float = 0.15, period: float = 0.01, limit: float = 5.0,
                 threads: int | None = None) -> None:
        if task not in ("balance", "walk"):
            raise InputError(f"task: expected 'balance' or 'walk', got '{task}'", key="task")
        model = load("humanoid-standing")
        legs = [n for n in model.input_names if n.endswith(".target")
                and any(part in n for part in ("hip", "knee", "ankle"))]
        robot = model.robots[0]
        channels = [f"body.{robot}-trunk.position.*", f"body.{robot}-trunk.orientation.*",
                    f"body.{robot}-trunk.velocity.*", f"body.{robot}-trunk.omega.*",
                    f"joint.{robot}-*.position", f"joint.{robot}-*.velocity"]
        super().__init__(num_envs, model, inputs=legs, scale=0.5, period=period, channels=channels,
                         limit=limit, threads=threads)
        self.task, self.speed, self.push = task, speed, push
        self._nq = model.tree().nq
        self._rest = self._targets(model, legs)
        at = {n: i for i, n in enumerate(self.channels)}
        trunk = f"body.{robot}-trunk"
        self._z = at[f"{trunk}.position.z"]
        self._vx = at[f"{trunk}.velocity.x"]
        self._tilt = [at[f"{trunk}.orientation.x"], at[f"{trunk}.orientation.y"]]
        self._height = self._read()[0, self._z]

    @staticmethod
    def _targets(model: Model, legs: list[str]) -> np.ndarray:
        """Joint angles of the initial posture."""
        names = [n.replace(".target", ".position") for n in legs]
        with model.sim() as s:
            return s.read(names).copy()

    def step(self, actions):
        given = array(actions, (self.num_envs, self.batch.nu), "actions")
        return super().step(np.clip(given, -1, 1) + self._rest / self._scale)

    def randomise(self, x, random):
        x[:, self._nq + 3:self._nq + 5] += random.uniform(-self.push, self.push, size=(len(x), 2))
        return x

    def judge(self, values, actions):
        tilt = np.sum(values[:, self._tilt] ** 2, axis=1)
        wanted = self.speed if self.task == "walk" else 0.0
        rewards = 1 - 4 * tilt - 2 * np.abs(values[:, self._vx] - wanted)
        rewards -= 0.01 * np.sum((actions - self._rest / self._scale) ** 2, axis=1)
        return rewards, values[:, self._z] < 0.7 * self._height


# ---- box ---------------------------------------------------------------------------------------

_BOX = """
footfall: 1
name: Pushing a box
duration: 10
stepper: {kind: symplectic-euler, step: 1e-3}
bodies:
  floor: {fixed: true, shape: {half-space: {normal: [0, 0, 1]}}}
  box:
    mass: 1
    shape: {box: {size: [0.2, 0.2, 0.1]}}
    position: [0, 0, 0.0499]
contacts:
  - pair: [box, floor]
    normal: {law: hunt-crossley, k: 2e4, n: 1, alpha: 0.5}
    friction: {law: coulomb, mu_static: 0.4, mu_kinetic: 0.4}
"""


class PushBox(VectorEnv):
    """A box on a rough floor is pushed to a goal by a force along x and y and a torque about z.

    Observation: position of the goal relative to the box (2), yaw, velocity (2), rate of yaw. The
    reward is minus the distance (m) and the deviation of the yaw (rad, a tenth); the episode ends
    within 2 cm at rest.
    """

    def __init__(self, num_envs: int = 1, *, force: float = 10.0, torque: float = 0.5,
                 period: float = 0.05, limit: float = 5.0, threads: int | None = None) -> None:
        super().__init__(num_envs, parse(_BOX, "box"), period=period, limit=limit, threads=threads,
                         inputs=["body.box.force.x", "body.box.force.y", "body.box.moment.z"],
                         scale=(force, force, torque), observations=6,
                         channels=["body.box.position.x", "body.box.position.y", "body.box.orientation.w",
                                   "body.box.orientation.z", "body.box.velocity.x", "body.box.velocity.y",
                                   "body.box.omega.z"])
        self.goal = np.zeros((num_envs, 2))

    def _begin(self, which):
        super()._begin(which)
        self.goal[which] = self._random.uniform(-0.5, 0.5, size=(int(which.sum()), 2))

    def observe(self, values):
        yaw = 2 * np.arctan2(values[:, 3], values[:, 2])
        return np.column_stack([self.goal - values[:, :2], yaw, values[:, 4:7]])

    def judge(self, values, actions):
        away = np.hypot(*(self.goal - values[:, :2]).T)
        yaw = 2 * np.arctan2(values[:, 3], values[:, 2])
        rests = np.hypot(values[:, 4], values[:, 5]) < 0.02
        return -away - 0.1 * np.abs(yaw), (away < 0.02) & rests
