"""Many sims at once."""
from __future__ import annotations

import os
import threading
from typing import Any, Iterable

import numpy as np

from ._footfall import ffi, lib
from ._errors import InputError, MAIN, check, new_report, raise_status, unknown
from ._handles import Handle
from ._values import array, doubles, number, whole
from ._binding import attach
from ._model import Model
from ._sim import Sim


def cores() -> int:
    """Cores that this process may use, at most 64."""
    return min(64, len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1)


def _input(model: Model, name: str, c) -> None:
    """One input by its name into a C struct."""
    kinds = {"torque": lib.FF_INPUT_TORQUE, "target": lib.FF_INPUT_TARGET, "force": lib.FF_INPUT_FORCE,
             "moment": lib.FF_INPUT_MOMENT}
    subject, _, rest = name.partition(".")
    if subject == "joint":
        joint, _, what = rest.rpartition(".")
        for r, robot in enumerate(model.robots):
            if joint.startswith(robot + "-") and joint[len(robot) + 1:] in model.joints(robot):
                c.kind, c.joint.robot = kinds[what], r + 1
                c.joint.id = model.joints(robot).index(joint[len(robot) + 1:]) + 1
                return
    else:
        body, what, axis = rest.rsplit(".", 2)
        c.kind, c.body.id, c.axis = kinds[what], model.bodies.index(body) + 1, "xyz".index(axis)
        return
    raise unknown("input", name, model.input_names)


class Batch(Handle):
    """Many sims of one model that are stepped together on all cores, without the GIL.

        batch = m.batch(64, period=0.01, inputs=["body.box.force.x"])
        batch.step(u)                 (B, nu): one interval
        batch.x                       (B, nx)
        batch.read("body.box.*")      (B, channels)

    Results are those of separate sims to the last bit, for any number of threads.
    """

    _destroy = lib.ff_batch_destroy

    def __init__(self, model: Model, count: int, *, period: float = 0.0,
                 inputs: Iterable[str] | None = None, threads: int | None = None,
                 models: Iterable[Model] | None = None) -> None:
        count = whole(count, "count", 1, 10**6)
        chosen = [model] if models is None else list(models)
        if not all(isinstance(m, Model) for m in chosen) or not isinstance(model, Model):
            raise TypeError("models: expected Model")
        if len(chosen) not in (1, count):
            raise InputError(f"models: expected 1 or {count}, got {len(chosen)}", key="models")
        if inputs is None:
            inputs = [n for n in model.input_names if n.startswith("joint.") and n.endswith(".torque")]
        elif isinstance(inputs, str):
            inputs = [inputs]
        self.inputs: list[str] = list(inputs)
        known = set(model.input_names)
        memory = ffi.new("ff_input[]", max(1, len(self.inputs)))
        for i, name in enumerate(self.inputs):
            if name not in known:
                raise unknown("input", name, model.input_names)
            _input(model, name, memory[i])
        pointers = [m._use() for m in chosen]
        definition = ffi.new("ff_batch_def *", lib.ff_batch_def_default())
        listed = ffi.new("const ff_model *[]", pointers)
        definition.models, definition.model_count = listed, len(pointers)
        definition.count, definition.period = count, number(period, "period")
        definition.threads = cores() if threads is None else whole(threads, "threads", 1, 64)
        definition.inputs, definition.input_count = memory, len(self.inputs)
        out, report = ffi.new("ff_batch **"), new_report()
        check(lib.ff_batch_create(out, definition, report), report)
        self._own(out[0], *pointers)
        self.model, self.count, self.period = model, count, float(period)
        self.nx: int = lib.ff_batch_x_count(self._ptr)
        self.nu: int = lib.ff_batch_u_count(self._ptr)

    def _call(self, call, *args):
        self._guard.modify()
        try:
            return call(self._use(), *args)
        finally:
            self._guard.leave()

    @property
    def x(self) -> np.ndarray:
        """State vectors (B, nx). Assignment sets them."""
        out = np.zeros((self.count, self.nx))
        if out.size:
            self._call(lib.ff_batch_x, doubles(out.reshape(-1)))
        return out

    @x.setter
    def x(self, value) -> None:
        given = array(value, what="x")
        if given.shape not in ((self.nx,), (self.count, self.nx)):
            raise InputError(f"x: expected shape ({self.count}, {self.nx}) or ({self.nx},), got "
                             f"{given.shape}", key="x")
        values = np.ascontiguousarray(np.broadcast_to(given, (self.count, self.nx)))
        if values.size:
            check(self._call(lib.ff_batch_set_x, doubles(values.reshape(-1))),
                  what="x: a value is not finite, or a quaternion is zero")

    def reset(self, which=None) -> None:
        """Back to the initial states. which: a flag for each sim; None: all."""
        flags = ffi.NULL
        if which is not None:
            chosen = np.asarray(which)
            if chosen.shape != (self.count,) or chosen.dtype != bool:
                raise InputError(f"which: expected {self.count} flags", key="which")
            flags = ffi.from_buffer("bool[]", np.ascontiguousarray(chosen))
        check(self._call(lib.ff_batch_reset, flags))

    def read(self, channels: str | Iterable[str]) -> np.ndarray:
        """Channels of all sims, (B, channels): names or globs."""
        names, numbers = self.model.channel_numbers(channels)
        out = np.zeros((self.count, len(names)))
        if out.size:
            self._call(lib.ff_batch_read, ffi.from_buffer("int[]", numbers), len(names),
                       doubles(out.reshape(-1)))
        return out

    def reader(self, channels: str | Iterable[str]):
        """A function that reads the same channels of all sims often."""
        names, numbers = self.model.channel_numbers(channels)
        pointer = ffi.from_buffer("int[]", numbers)

        def read() -> np.ndarray:
            out = np.zeros((self.count, len(names)))
            self._call(lib.ff_batch_read, pointer, len(names), doubles(out.reshape(-1)))
            return out

        return read

    def step(self, u=None) -> np.ndarray:
        """One control interval of every sim. u: (B, nu), or None: inputs stay as they are. Returns a
        flag for each sim: False if its step failed; it then rests until it is reset."""
        controls = None if u is None else array(u, (self.count, self.nu), "u")[:, None, :]
        return self._roll(controls, 1, None)

    def rollout(self, u=None, steps: int | None = None) -> np.ndarray:
        """Trajectories (B, T, nx) from the present states. u: (B, T, nu)."""
        if u is None:
            if steps is None:
                raise InputError("give u or steps", key="steps")
            steps = whole(steps, "steps", 0)
        else:
            u = array(u, (self.count, -1, self.nu), "u")
            if steps is not None and steps != u.shape[1]:
                raise InputError(f"steps: u has {u.shape[1]}", key="steps")
            steps = u.shape[1]
        out = np.empty((self.count, steps, self.nx))
        self._roll(u, steps, out)
        return out

    def _roll(self, u, steps: int, out) -> np.ndarray:
        if u is not None and not np.all(np.isfinite(u)):
            raise InputError("u: a value is not finite", key="u")
        controls = ffi.NULL if u is None or u.size == 0 else doubles(np.ascontiguousarray(u).reshape(-1))
        states = ffi.NULL if out is None or out.size == 0 else doubles(out.reshape(-1))
        statuses = ffi.new("ff_status[]", self.count)
        interrupted = ffi.new("int *")
        watch = threading.get_ident() == MAIN
        status = self._call(lib.ffpy_rollout, controls, steps, states, statuses, watch, interrupted)
        if status == lib.FF_CANCELLED:
            raise_status(status)
        return np.array([statuses[i] == 0 for i in range(self.count)])

    def sim(self, index: int) -> Sim:
        """A sim of the batch, to read and change between steps."""
        at = whole(index, "index", 0, self.count - 1)
        return Sim._borrow(self.model, lib.ff_batch_sim(self._use(), at), self._ptr)

    def stop(self) -> None:
        """Ends the current call, or else the next one, with Cancelled. For other threads."""
        lib.ff_batch_stop(self._use())

    def __len__(self) -> int:
        return self.count

    def __repr__(self) -> str:
        return f"<Batch of {self.count} sims of '{self.model.name}'>"


def rollout(model: Model, x0, u, steps, period, inputs, threads, models) -> np.ndarray:
    """Model.rollout"""
    chosen = None if models is None else list(models)
    start = None if x0 is None else np.atleast_2d(array(x0, what="x0"))
    controls = None if u is None else array(u, what="u")
    if controls is not None and controls.ndim == 2:
        controls = controls[None]
    if controls is not None and controls.ndim != 3:
        raise InputError(f"u: expected shape (B, T, nu), got {controls.shape}", key="u")
    sizes = {n for n in (len(start) if start is not None else 1, len(controls) if controls is not None else 1,
                         len(chosen) if chosen is not None else 1) if n != 1}
    if len(sizes) > 1:
        raise InputError(f"x0, u and models: different numbers of trajectories: {sorted(sizes)}")
    count = sizes.pop() if sizes else 1
    if inputs is None and controls is None:
        inputs = []
    if chosen is not None and len(chosen) == 0:
        raise InputError("models: none given", key="models")
    with Batch(model, count, period=period, inputs=inputs, threads=threads, models=chosen) as batch:
        if start is not None:
            batch.x = start if len(start) == count else start[0]
        if controls is not None:
            if controls.shape[2] != batch.nu:
                raise InputError(f"u: expected {batch.nu} numbers ({', '.join(batch.inputs[:4])}, ...), "
                                 f"got {controls.shape[2]}", key="u")
            controls = np.ascontiguousarray(np.broadcast_to(controls, (count,) + controls.shape[1:]))
        return batch.rollout(controls, steps)


attach(Batch, "ff_batch", "ff_batch_")
