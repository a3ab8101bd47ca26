"""Simulations."""
from __future__ import annotations

import weakref
import threading
from typing import Any, Callable, Iterable

import numpy as np

from ._footfall import ffi, lib
from ._errors import Cancelled, Error, InputError, MAIN, check, new_report, raise_status, text_of, unknown
from ._handles import Failure, Handle
from ._values import WORDS, array, doubles, number, whole
from ._structs import CLASSES, id_c
from ._binding import attach, shaped_c
from ._fast import Reader as _Reader
from ._model import FINDERS, Model, find_body, find_joint, find_robot

ZERO = (0.0, 0.0, 0.0)


class _Callbacks:
    """Functions that a sim calls, and the exception that one of them raised."""

    def __init__(self, sim: Sim) -> None:
        self.sim = weakref.ref(sim)
        self.control: Callable | None = None
        self.step: Callable | None = None
        self.event: Callable | None = None
        self.error: BaseException | None = None

    def call(self, function: Callable | None, c_sim, *args) -> None:
        if function is None or self.error is not None:
            return
        try:
            function(*args)
        except BaseException as error:  # raised again when the step has ended
            self.error = error
            lib.ff_sim_cancel(c_sim)

    def take_error(self) -> BaseException | None:
        error, self.error = self.error, None
        return error


@ffi.def_extern()
def ffpy_on_control(context, c_sim):
    own = ffi.from_handle(context)
    own.call(own.control, c_sim, own.sim())


@ffi.def_extern()
def ffpy_on_step(context, c_sim):
    own = ffi.from_handle(context)
    own.call(own.step, c_sim, own.sim())


@ffi.def_extern()
def ffpy_on_event(context, event):
    own = ffi.from_handle(context)
    sim = own.sim()
    if sim is not None:
        own.call(own.event, sim._ptr, Event(sim.model, event))


class Event:
    """A touch-down or lift-off of a pair of bodies (first point in, last point out).

    time: s. kind: "touch" or "lift". bodies: names. speed: m/s, approach or separation along the
    normal. peak_force (N), peak_time (s), peak_depth (m): largest since the touch, of a lift.
    """

    __slots__ = ("time", "kind", "bodies", "speed", "peak_force", "peak_time", "peak_depth")

    def __init__(self, model: Model, c) -> None:
        self.time: float = c.time
        self.kind: str = WORDS["ff_event_kind"].word_of[c.kind]
        m = model._use()
        self.bodies: tuple[str, str] = (text_of(lib.ff_model_body_name(m, c.a)),
                                        text_of(lib.ff_model_body_name(m, c.b)))
        self.speed: float = c.speed
        lift = c.kind == lib.FF_EVENT_LIFT
        self.peak_force: float = c.peak_force if lift else float("nan")
        self.peak_time: float = c.peak_time if lift else float("nan")
        self.peak_depth: float = c.peak_depth if lift else float("nan")

    def __repr__(self) -> str:
        return f"<{self.kind} of {self.bodies[0]} and {self.bodies[1]} at {self.time:.6g} s>"


class _SimFailure(Failure):
    """Raises what a function of the user raised, or why a step failed."""

    def __init__(self, sim: Sim) -> None:
        super().__init__("Sim")
        self.sim = weakref.ref(sim)

    def __call__(self, status: int) -> None:
        sim = self.sim()
        if status < 0 or sim is None:
            super().__call__(status)
        error = sim._callbacks.take_error()
        if error is not None:
            raise error
        report = new_report()
        if status == lib.FF_ERROR_STEP:
            lib.ff_sim_failure(sim._use(), report)
        raise_status(status, report)


class State(Handle):
    """Everything that decides the future of a sim: `Sim.restore` continues from here to the last
    bit. Can be compared, pickled, and turned into bytes."""

    _destroy = lib.ff_state_destroy

    def __init__(self, sim: Sim) -> None:
        out = ffi.new("ff_state **")
        if not isinstance(sim, Sim):
            raise TypeError(f"sim: expected Sim, got {type(sim).__name__}")
        sim._guard.enter()
        try:
            check(lib.ff_state_create(out, sim._use()))
        finally:
            sim._guard.leave()
        self._own(out[0])

    @classmethod
    def from_bytes(cls, data: bytes) -> State:
        """From what bytes(state) gave, on the same machine and build of the library."""
        if not isinstance(data, (bytes, bytearray, memoryview)):
            raise TypeError(f"data: expected bytes, got {type(data).__name__}")
        out, report = ffi.new("ff_state **"), new_report()
        data = bytes(data)
        check(lib.ff_state_deserialise(out, data, len(data), report), report)
        self = cls.__new__(cls)
        self._own(out[0])
        return self

    @property
    def time(self) -> float:
        """s"""
        return lib.ff_state_time(self._use())

    @property
    def size(self) -> int:
        """Bytes held."""
        return lib.ff_state_size(self._use())

    def __bytes__(self) -> bytes:
        c = self._use()
        size = lib.ff_state_serialise(c, ffi.NULL, 0)
        buffer = ffi.new("char[]", size)
        lib.ff_state_serialise(c, buffer, size)
        return bytes(ffi.buffer(buffer))

    def __reduce__(self):
        return State.from_bytes, (bytes(self),)

    def difference(self, other: State) -> str:
        """The first difference, with both values; "" if both are the same to the last bit."""
        if not isinstance(other, State):
            raise TypeError(f"other: expected State, got {type(other).__name__}")
        report = new_report()
        if lib.ff_state_equal(self._use(), other._use(), report):
            return ""
        return f"{text_of(report.key)}: {text_of(report.what)}".strip(": ") or "different"

    def __eq__(self, other: Any) -> bool:
        if not isinstance(other, State):
            return NotImplemented
        return bool(lib.ff_state_equal(self._use(), other._use(), ffi.NULL))

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return "<State, closed>" if self.closed else f"<State at {self.time:.6g} s>"


class BodyView:
    """A body of a sim: its state now, and what can be set. Arrays are copies."""

    __slots__ = ("_sim", "_id", "name")

    def __init__(self, sim: Sim, body: int) -> None:
        self._sim, self._id = sim, body
        self.name: str = text_of(lib.ff_model_body_name(sim.model._use(), id_c(body)))

    @property
    def id(self) -> int:
        """Number of the body in the model, from 1."""
        return self._id

    @property
    def state(self) -> Any:
        """BodyState: position, orientation, velocity, omega. Assignment sets a free body; contact
        history is kept, the ledger restarts."""
        return self._sim._get_body(self._id)

    @state.setter
    def state(self, value: Any) -> None:
        keep: list = []
        c = CLASSES["ff_body_state"]._make(value, "state")._c(keep)
        self._sim._modify(lib.ff_sim_set_body, id_c(self._id), c,
                          what=f"body '{self.name}' cannot be set: it is not free, or a value is not finite")

    def _set(self, field: str, value) -> None:
        state = self.state
        setattr(state, field, array(value, np.shape(getattr(state, field)), field))
        self.state = state

    @property
    def position(self) -> np.ndarray:
        """m, origin of the body frame, world."""
        return self.state.position

    @position.setter
    def position(self, value) -> None:
        self._set("position", value)

    @property
    def orientation(self) -> np.ndarray:
        """Unit quaternion (w, x, y, z), body -> world."""
        return self.state.orientation

    @orientation.setter
    def orientation(self, value) -> None:
        self._set("orientation", value)

    @property
    def velocity(self) -> np.ndarray:
        """m/s, of the origin, world."""
        return self.state.velocity

    @velocity.setter
    def velocity(self, value) -> None:
        self._set("velocity", value)

    @property
    def omega(self) -> np.ndarray:
        """rad/s, world."""
        return self.state.omega

    @omega.setter
    def omega(self, value) -> None:
        self._set("omega", value)

    @property
    def load(self) -> np.ndarray:
        """N, world: sum of all contact forces on the body."""
        return self._sim.body_load(self._id)

    @property
    def acceleration(self) -> Any:
        """BodyAcceleration: mean over the last step, linear and angular."""
        return self._sim.acceleration(self._id)

    @property
    def info(self) -> Any:
        """BodyInfo: kind, mass, centre of mass, inertia."""
        return self._sim.model.body_info(self._id)

    def __repr__(self) -> str:
        p = self.position
        return f"<body '{self.name}' at ({p[0]:.6g}, {p[1]:.6g}, {p[2]:.6g}) m>"


class RobotView:
    """A robot of a sim: coordinates, orders to its joints, its controller."""

    __slots__ = ("_sim", "_id", "name", "joints", "_nq", "_nv")

    def __init__(self, sim: Sim, robot: int) -> None:
        self._sim, self._id = sim, robot
        info = lib.ff_model_robot_info(sim.model._use(), id_c(robot))
        self.name: str = text_of(info.name)
        self.joints: list[str] = sim.model.joints(robot)
        self._nq = lib.ff_tree_q_count(info.tree)
        self._nv = lib.ff_tree_v_count(info.tree)

    @property
    def q(self) -> np.ndarray:
        """Coordinates, as in its tree. Assignment sets them; contact history is kept."""
        out = np.empty(self._nq)
        self._sim._read(lib.ff_sim_robot, id_c(self._id), doubles(out), ffi.NULL)
        return out

    @q.setter
    def q(self, value) -> None:
        values = array(value, (self._nq,), "q")
        self._sim._modify(lib.ff_sim_set_robot, id_c(self._id), doubles(values), ffi.NULL,
                          what="q: a value is not finite, or a quaternion is zero")

    @property
    def v(self) -> np.ndarray:
        """Velocities, as in its tree. Assignment sets them."""
        out = np.empty(self._nv)
        self._sim._read(lib.ff_sim_robot, id_c(self._id), ffi.NULL, doubles(out))
        return out

    @v.setter
    def v(self, value) -> None:
        values = array(value, (self._nv,), "v")
        self._sim._modify(lib.ff_sim_set_robot, id_c(self._id), ffi.NULL, doubles(values),
                          what="v: a value is not finite")

    @property
    def tree(self):
        """Its tree, for kinematics and dynamics."""
        return self._sim.model.tree(self._id)

    @property
    def controller(self) -> Any:
        """ControllerState of its controller now; None: it has none."""
        self._sim._guard.enter()
        try:
            controller = lib.ff_sim_controller(self._sim._use(), id_c(self._id))
            if controller == ffi.NULL:
                return None
            return CLASSES["ff_controller_state"]._from_c(lib.ff_controller_now(controller))
        finally:
            self._sim._guard.leave()

    def order(self, joint: int | str, target: float = 0.0, rate: float = 0.0, stiffness: float = 0.0,
              damping: float = 0.0, torque: float = 0.0) -> None:
        """Order to a joint until the next one, in place of its drive in the scene:
        torque = stiffness (target - q) + damping (rate - v) + torque, within its effort."""
        c = ffi.new("ff_joint_order *", [number(target, "target"), number(rate, "rate"),
                                         number(stiffness, "stiffness"), number(damping, "damping"),
                                         number(torque, "torque")])
        at = id_c(find_joint(self._sim, self._id, joint), self._id)
        self._sim._modify(lib.ff_sim_order, at, c, steps=True,
                          what="order: a value is not finite, or a gain is negative")

    def torques(self, values) -> None:
        """Torques of all joints, in the order of `joints`."""
        given = array(values, (len(self.joints),), "torques")
        for i, value in enumerate(given):
            self.order(i + 1, torque=value)

    def set_joint(self, joint: int | str, position: float, rate: float = 0.0) -> None:
        """Sets position and velocity of one joint (rad, rad/s; m, m/s if it slides)."""
        at = id_c(find_joint(self._sim, self._id, joint), self._id)
        self._sim._modify(lib.ff_sim_set_joint, at, number(position, "position"),
                          number(rate, "rate"), what="set_joint: of a joint with one axis that does "
                          "not follow another, to finite values")

    def body(self, link: str) -> BodyView:
        """The body of a link."""
        return self._sim.body(f"{self.name}-{link}")

    def __repr__(self) -> str:
        return f"<robot '{self.name}': {len(self.joints)} joints>"


class Contact:
    """A contact point at the time it was read.

    bodies: names of a and b. depth (m), depth_rate (m/s), slip (m/s along t1 and t2): of the patch.
    point (m), normal (from b into a), t1, t2: world. force (N) and moment (N m about the point): on
    a, world. force_n, force_t1, force_t2: N. mode: "open", "stick" or "slip". feature: number of
    the feature of the shapes. shapes: their numbers.
    """

    __slots__ = ("_c", "_keep", "bodies")

    def __init__(self, model: Model, c, keep) -> None:
        self._c, self._keep = c, keep
        m = model._use()
        self.bodies: tuple[str, str] = (text_of(lib.ff_model_body_name(m, c.a)),
                                        text_of(lib.ff_model_body_name(m, c.b)))

    depth = property(lambda self: self._c.patch.depth, doc="m, > 0 while the bodies overlap")
    depth_rate = property(lambda self: self._c.patch.depth_rate, doc="m/s, > 0 in approach")
    slip = property(lambda self: np.array([self._c.patch.slip[0], self._c.patch.slip[1]]),
                    doc="m/s, velocity of a relative to b along t1 and t2")
    point = property(lambda self: _vector(self._c.point), doc="m, world")
    normal = property(lambda self: _vector(self._c.normal), doc="unit, world, from b into a")
    t1 = property(lambda self: _vector(self._c.t1), doc="unit, world")
    t2 = property(lambda self: _vector(self._c.t2), doc="unit, world")
    force = property(lambda self: _vector(self._c.force), doc="N, on a, world")
    moment = property(lambda self: _vector(self._c.moment), doc="N m, on a about the point, world")
    force_n = property(lambda self: self._c.force_n, doc="N, along the normal")
    force_t1 = property(lambda self: self._c.force_t1, doc="N, along t1")
    force_t2 = property(lambda self: self._c.force_t2, doc="N, along t2")
    mode = property(lambda self: WORDS["ff_mode"].word_of[self._c.mode], doc="open, stick or slip")
    feature = property(lambda self: self._c.feature, doc="vertex, rim or end of the shape")
    shapes = property(lambda self: (self._c.shape_a.id, self._c.shape_b.id), doc="numbers from 1")

    def __repr__(self) -> str:
        return (f"<contact of {self.bodies[0]} and {self.bodies[1]}: depth {self.depth:.3g} m, "
                f"normal force {self.force_n:.6g} N, {self.mode}>")


def _vector(c) -> np.ndarray:
    return np.array([c.x, c.y, c.z])


class Reader:
    """Reads chosen channels of a sim into one array, fast. `read()` returns the same array each
    time."""

    __slots__ = ("names", "values", "read")

    def __init__(self, sim: Sim, channels: str | Iterable[str]) -> None:
        self.names, numbers = sim.model.channel_numbers(channels)
        self.values = np.zeros(len(self.names))
        self.read = _Reader(sim._guard, numbers, self.values).read

    def __call__(self) -> np.ndarray:
        return self.read()


class Sim(Handle):
    """A simulation: the state of a model, and its steps.

        with m.sim() as s:
            s.advance(2.0)                      to this time, in s
            snap = s.state()
            s.push("humanoid-trunk", force=(0, 20, 0))
            s.restore(snap)                     back again, to the last bit
            s.body("humanoid-trunk").position
            s.robot("humanoid").q
            for c in s.contacts: print(c.bodies, c.depth, c.force)

    Bodies, robots, joints and channels are named as in the scene. A sim may be used by one thread
    at a time; several sims of one model run in parallel.
    """

    _destroy = lib.ff_sim_destroy

    def __init__(self, model: Model, *, threads: int = 1) -> None:
        if not isinstance(model, Model):
            raise TypeError(f"model: expected Model, got {type(model).__name__}")
        out = ffi.new("ff_sim **")
        c = model._use()
        check(lib.ff_sim_create(out, c))
        self._take(model, out[0], c)
        if threads != 1:
            self.set_threads(threads)

    def _take(self, model: Model, pointer, *keep) -> None:
        self.model = model
        self._callbacks = _Callbacks(self)
        self._context = ffi.new_handle(self._callbacks)
        large = lib.ff_model_body_count(model._use()) > 8
        self._own(pointer, self._context, *keep, step=lib.ffpy_address_of_step(),
                  read=lib.ffpy_address_of_read(), release=large, fail=_SimFailure(self))
        #: One step of a fixed stepper; `adaptive` takes the step its error control chooses.
        self.step: Callable[[], None] = self._guard.step

    @classmethod
    def _borrow(cls, model: Model, pointer, *keep) -> Sim:
        """A sim that another object owns, which `keep` keeps alive."""
        self = _BorrowedSim.__new__(_BorrowedSim)
        self._take(model, pointer, *keep)
        return self

    # ---- calls

    def _read(self, call, *args):
        self._guard.enter()
        try:
            return call(self._use(), *args)
        finally:
            self._guard.leave()

    def _modify(self, call, *args, what: str = "", steps: bool = False) -> None:
        """steps: also allowed for functions that run during a step."""
        self._guard.enter() if steps else self._guard.modify()
        try:
            status = call(self._use(), *args)
        finally:
            self._guard.leave()
        if status != 0:
            raise_status(status, None, what)

    # ---- time

    @property
    def time(self) -> float:
        """s"""
        return self._read(lib.ff_sim_time)

    def advance(self, t: float) -> None:
        """Steps until time t exactly (s); the last step is shortened if necessary. Ctrl-C ends it
        between steps."""
        t = number(t, "t")
        watch = threading.get_ident() == MAIN
        interrupted = ffi.new("int *")
        while True:
            self._guard.begin()
            try:
                status = lib.ffpy_advance(self._use(), t, watch, interrupted)
            finally:
                self._guard.leave()
            if status != lib.FF_CANCELLED or not interrupted[0] or self._callbacks.error is not None:
                break
        if status != 0:
            self._callbacks.error is None and not np.isfinite(t) and raise_status(
                status, None, f"advance: the time must be finite, got {t}")
            self._fail(status)

    def _fail(self, status: int) -> None:
        _SimFailure(self)(status)

    def steps(self, count: int) -> None:
        """Takes `count` steps."""
        step = self.step
        for _ in range(whole(count, "count", 0)):
            step()

    def reset(self) -> None:
        """Back to the initial state; gravity stays as it was set."""
        self._modify(lib.ff_sim_reset)

    def cancel(self) -> None:
        """Ends the current `advance`, or else the next one, with Cancelled. For other threads."""
        lib.ff_sim_cancel(self._use())

    def set_threads(self, threads: int) -> None:
        """Threads that share the parallel parts of each step, 1 to 64. Results are the same."""
        self._modify(lib.ff_sim_set_threads, whole(threads, "threads", 1, 64))

    # ---- state

    def state(self) -> State:
        """The present state as an object."""
        return State(self)

    def restore(self, state: State) -> None:
        """Goes to a state; what follows repeats to the last bit."""
        if not isinstance(state, State):
            raise TypeError(f"state: expected State, got {type(state).__name__}")
        self._modify(lib.ff_state_restore, state._use(),
                     what="restore: the state is of a model of another structure")

    def clone(self) -> Sim:
        """A second sim of the same model in the same state."""
        out = ffi.new("ff_sim **")
        self._guard.enter()
        try:
            check(lib.ff_sim_clone(out, self._use()))
        finally:
            self._guard.leave()
        made = Sim.__new__(Sim)
        made._take(self.model, out[0], self.model._use())
        return made

    @property
    def x(self) -> np.ndarray:
        """State vector, see Model.x_names. Assignment sets it; contact history is kept, the ledger
        restarts."""
        out = np.empty(lib.ff_model_x_count(self.model._use()))
        if out.size:
            self._read(lib.ff_sim_x, doubles(out))
        return out

    @x.setter
    def x(self, value) -> None:
        values = array(value, (lib.ff_model_x_count(self.model._use()),), "x")
        if values.size:
            self._modify(lib.ff_sim_set_x, doubles(values),
                         what="x: a value is not finite, or a quaternion is zero")

    # ---- bodies and robots

    def _get_body(self, body: int):
        return CLASSES["ff_body_state"]._from_c(self._read(lib.ff_sim_body, id_c(body)))

    def body(self, body: int | str) -> BodyView:
        """A body by name (links of robots: "ROBOT-LINK") or number."""
        return BodyView(self, find_body(self, body))

    @property
    def bodies(self) -> list[BodyView]:
        """All bodies, links included."""
        return [BodyView(self, i + 1) for i in range(lib.ff_model_body_count(self.model._use()))]

    def robot(self, robot: int | str = 1) -> RobotView:
        """A robot by name or number."""
        return RobotView(self, find_robot(self, robot))

    def push(self, body: int | str, force=ZERO, torque=ZERO, point=ZERO) -> None:
        """Force (N, world) at a point fixed in the body (m, body frame) and torque (N m, world) on a
        free body or a link, until it is set again; its work is in the ledger. push(body) ends it."""
        at = find_body(self, body)
        c = [shaped_c("ff_vec3", v, n) for v, n in ((point, "point"), (force, "force"), (torque, "torque"))]
        self._modify(lib.ff_sim_apply, id_c(at), *c, steps=True,
                     what=f"push: '{body}' is not free, or a value is not finite")

    def ray(self, origin, direction, range: float = np.inf, skip: int | str | None = None) -> Any:
        """RayHit: the first surface from `origin` (m, world) along `direction` within `range` (m);
        its body is 0 if there is none. skip: a body that the ray passes through."""
        at = 0 if skip is None else find_body(self, skip)
        hit = self._read(lib.ff_sim_ray, shaped_c("ff_vec3", origin, "origin"),
                         shaped_c("ff_vec3", direction, "direction"), float(range), id_c(at))
        return CLASSES["ff_ray_hit"]._from_c(hit)

    @property
    def gravity(self) -> np.ndarray:
        """m/s^2, world. Assignment: the ledger restarts; controllers keep that of the scene."""
        return _vector(self._read(lib.ff_sim_gravity))

    @gravity.setter
    def gravity(self, value) -> None:
        self._modify(lib.ff_sim_set_gravity, shaped_c("ff_vec3", value, "gravity"),
                     what="gravity: a value is not finite")

    # ---- contacts

    @property
    def findings(self) -> list[Any]:
        """Failures and notes of the audit so far: kind, name, failure, bodies, first and worst (s),
        value, limit and unit, advice, meaning."""
        self._guard.enter()
        try:
            c = self._use()
            count = lib.ff_sim_findings(c, ffi.NULL, 0)
            memory = ffi.new("ff_finding[]", max(1, count))
            count = min(count, lib.ff_sim_findings(c, memory, count))
        finally:
            self._guard.leave()
        return [self._finding(memory[i]) for i in range(count)]

    def _finding(self, at) -> Any:
        from ._run import Finding  # which imports this module

        info = lib.ff_finding_describe(at.kind)
        bodies = tuple(text_of(lib.ff_model_body_name(self.model._ptr, b)) for b in (at.a, at.b) if b.id)
        return Finding(kind=text_of(info.name), failure=bool(at.failure), bodies=bodies,
                       first=at.first, worst=at.worst, value=at.value, limit=at.limit,
                       unit=text_of(at.unit), advice=text_of(at.advice),
                       meaning=text_of(info.meaning),
                       text=f"{text_of(info.name)}: {text_of(info.meaning)}")

    @property
    def contacts(self) -> list[Contact]:
        """All contact points now."""
        self._guard.enter()
        try:
            c = self._use()
            count = lib.ff_sim_contact_count(c)
            memory = ffi.new("ff_contact[]", max(1, count))
            count = min(count, lib.ff_sim_contacts(c, memory, count))
        finally:
            self._guard.leave()
        return [Contact(self.model, memory[i], memory) for i in range(count)]

    @property
    def intrusions(self) -> list:
        """Pairs of bodies that overlap by more than their load explains: they separate violently."""
        self._guard.enter()
        try:
            c = self._use()
            count = lib.ff_sim_intrusions(c, ffi.NULL, 0)
            memory = ffi.new("ff_intrusion[]", max(1, count))
            count = min(count, lib.ff_sim_intrusions(c, memory, count))
        finally:
            self._guard.leave()
        return [CLASSES["ff_intrusion"]._from_c(memory[i]) for i in range(count)]

    # ---- energy

    @property
    def energy(self) -> Any:
        """Energy: stored, lost by cause, work, residual; J."""
        return CLASSES["ff_energy"]._from_c(self._read(lib.ff_sim_energy))

    @property
    def momentum(self) -> Any:
        """Momentum: linear, angular and their residuals."""
        return CLASSES["ff_momentum"]._from_c(self._read(lib.ff_sim_momentum))

    @property
    def audit(self) -> Any:
        """Audit so far: verdict, residuals, steps taken."""
        return CLASSES["ff_audit"]._from_c(self._read(lib.ff_sim_audit))

    @property
    def verdict(self) -> str:
        """Verdict so far: "good", "energy", "under-resolved" or "contact"."""
        return self.audit.verdict

    # ---- channels

    def reader(self, channels: str | Iterable[str]) -> Reader:
        """For reading the same channels often: names, or globs as "body.ball.*"."""
        self._use()
        return Reader(self, channels)

    def read(self, channels: str | Iterable[str]) -> np.ndarray:
        """Present values of channels: names, or globs as "body.ball.*"."""
        return self.reader(channels).read()

    def __getitem__(self, channel: str) -> float:
        """Present value of one channel: s["energy.residual"]."""
        values = self.read(channel)
        if len(values) != 1:
            raise InputError(f"'{channel}' matches {len(values)} channels: use read")
        return float(values[0])

    # ---- functions it calls

    def _set_callback(self, name: str, function: Callable | None, call, *args) -> None:
        if function is not None and not callable(function):
            raise TypeError(f"expected a function, got {type(function).__name__}")
        self._guard.modify()
        try:
            status = call(self._use(), *args)
            check(status or 0, what="the period must be at least 1e-12 s and finite")
            setattr(self._callbacks, name, function)
        finally:
            self._guard.leave()

    def on_control(self, period: float, function: Callable[[Sim], None] | None) -> None:
        """Calls function(sim) at 0, period, 2 period, ... (s); steps end there. It may read the sim,
        give orders and push. None: stops the calls. What it raises ends the step and is raised by
        `advance` or `step`."""
        c = lib.ffpy_on_control if function is not None else ffi.NULL
        self._set_callback("control", function, lib.ff_sim_on_control, number(period, "period"), c,
                           self._context)

    def control(self, period: float) -> Callable:
        """Decorator for a controller:

            @s.control(0.005)
            def balance(s): s.robot("humanoid").order("left_knee", torque=-1)
        """

        def take(function):
            self.on_control(period, function)
            return function

        return take

    def on_step(self, function: Callable[[Sim], None] | None) -> None:
        """Calls function(sim) after each step. None: stops the calls."""
        c = lib.ffpy_on_step if function is not None else ffi.NULL
        self._set_callback("step", function, lib.ff_sim_on_step, c, self._context)

    def on_event(self, function: Callable[[Event], None] | None) -> None:
        """Calls function(event) after each touch-down and lift-off. None: stops the calls."""
        c = lib.ffpy_on_event if function is not None else ffi.NULL
        self._set_callback("event", function, lib.ff_sim_on_event, c, self._context)

    def __repr__(self) -> str:
        return "<Sim, closed>" if self.closed else f"<Sim of '{self.model.name}' at {self.time:.6g} s>"


class _BorrowedSim(Sim):
    """A sim that a run or a batch owns."""

    _destroy = None


attach(Sim, "ff_sim", "ff_sim_", FINDERS)
