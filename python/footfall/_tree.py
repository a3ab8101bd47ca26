"""Robots, trees, walks and controllers, alone."""
from __future__ import annotations

import os
from typing import Any, Iterable

import numpy as np

from ._footfall import ffi, lib
from ._errors import InputError, check, new_report, text_of, unknown
from ._handles import Handle, owned
from ._values import WORDS, array, bytes_of, doubles, number, whole
from ._structs import CLASSES
from ._binding import attach, read_value, shaped_c

EARTH = (0.0, 0.0, -9.81)


class Robot(Handle):
    """A robot read from a URDF file.

        robot = ff.Robot("humanoid.urdf")
        tree = robot.tree("free")
        scene.add_robot(robot.definition("humanoid"))
    """

    _destroy = lib.ff_robot_destroy

    def __init__(self, path: str | os.PathLike, root: str | os.PathLike | None = None, *,
                 skip_meshes: bool = False) -> None:
        """skip_meshes: collision meshes that are not found are left out, each with a note."""
        from ._model import find_scene

        out, report = ffi.new("ff_robot **"), new_report()
        folder = ffi.NULL if root is None else ffi.new("char[]", bytes_of(root, "root"))
        name = bytes_of(find_scene(path), "path")
        load = lib.ff_robot_load_without_missing if skip_meshes else lib.ff_robot_load
        check(load(out, name, folder, report), report)
        self._own(out[0])

    @property
    def name(self) -> str:
        return text_of(lib.ff_robot_name(self._use()))

    @property
    def links(self) -> list:
        """RobotLink of each link, link 1 first."""
        c = self._use()
        return [CLASSES["ff_robot_link"]._from_c(lib.ff_robot_link_info(c, i + 1))
                for i in range(lib.ff_robot_link_count(c))]

    @property
    def shapes(self) -> list:
        """RobotShape of each collision shape."""
        c = self._use()
        return [CLASSES["ff_robot_shape"]._from_c(lib.ff_robot_shape_info(c, i))
                for i in range(lib.ff_robot_shape_count(c))]

    @property
    def notes(self) -> list[str]:
        """Warnings about ignored or implausible data."""
        c = self._use()
        return [text_of(lib.ff_robot_note(c, i)) for i in range(lib.ff_robot_note_count(c))]

    @property
    def files(self) -> list[str]:
        """The files it was read from."""
        c = self._use()
        return [text_of(lib.ff_robot_file(c, i)) for i in range(lib.ff_robot_file_count(c))]

    def tree(self, root: str = "free") -> Tree:
        """Its tree; the root link is connected to the ground by a joint of this kind."""
        out, report = ffi.new("ff_tree **"), new_report()
        kind = WORDS["ff_joint_kind"].value(root, "root")
        check(lib.ff_robot_tree(out, self._use(), kind, report), report)
        return Tree._take(out[0])

    def definition(self, name: str | None = None, **fields: Any) -> Any:
        """RobotDef for Scene.add_robot; fields by name replace those of the file."""
        text = bytes_of(self.name if name is None else name, "name")
        made = CLASSES["ff_robot_def"]._from_c(lib.ff_robot_def_of(self._use(), text))
        for key, value in fields.items():
            setattr(made, key, value)
        return made

    def __repr__(self) -> str:
        return "<Robot, closed>" if self.closed else f"<Robot '{self.name}': {len(self.links)} links>"


class Tree(Handle):
    """Links and joints: kinematics and dynamics at any q and v.

        tree = m.tree("humanoid")
        tree.H(q); tree.b(q, v); tree.J(q, "left_foot"); tree.fk(q)
        q = tree.ik("left_foot", position=(0.1, 0.05, 0.2), q=q)

    Arrays of q and v may have leading dimensions: (..., nq), (..., nv); results then have them,
    too. Links by name or number, 1 .. count; 0 is the ground.
    """

    _destroy = lib.ff_tree_destroy

    def __init__(self, links: Iterable[Any]) -> None:
        items = [CLASSES["ff_link_def"]._make(link, "links") for link in links]
        keep: list = []
        memory = ffi.new("ff_link_def[]", max(1, len(items)))
        for i, item in enumerate(items):
            memory[i] = item._c(keep)[0]
        out, report = ffi.new("ff_tree **"), new_report()
        check(lib.ff_tree_build(out, memory, len(items), report), report)
        self._start(out[0])

    def _start(self, pointer, *keep) -> None:
        self._own(pointer, *keep)
        c = self._ptr
        out = ffi.new("ff_tree_work **")
        check(lib.ff_tree_work_create(out, c))
        self._work = owned(out[0], lib.ff_tree_work_destroy, (c,))
        self.nq: int = lib.ff_tree_q_count(c)
        self.nv: int = lib.ff_tree_v_count(c)
        self.links: tuple[str, ...] = tuple(text_of(lib.ff_tree_link(c, i + 1).name)
                                            for i in range(lib.ff_tree_link_count(c)))
        self.mass: float = lib.ff_tree_mass(c)

    @classmethod
    def _take(cls, pointer) -> Tree:
        self = cls.__new__(cls)
        self._start(pointer)
        return self

    @classmethod
    def _borrow(cls, pointer, *keep) -> Tree:
        self = _BorrowedTree.__new__(_BorrowedTree)
        self._start(pointer, *keep)
        return self

    # ---- arguments

    def find(self, link: int | str) -> int:
        """Number of a link."""
        if isinstance(link, str):
            if link not in self.links:
                raise unknown("link", link, self.links)
            return self.links.index(link) + 1
        return whole(link, "link", 0, len(self.links))

    def _link(self, link) -> int:
        found = self.find(link)
        if found == 0:
            raise InputError("link: the ground has no such quantity", key="link")
        return found

    def _each(self, q, v, shape: tuple, fill, *more) -> np.ndarray:
        """fill(out, *rows of more) for each state, after the kinematics of it."""
        q = array(q, what="q")
        arrays = [q] + [array(a, what=n) for a, n in more]
        sizes = [self.nq] + [self.nv] * len(more)
        rest = None
        if v is not None:
            arrays.append(array(v, what="v"))
            sizes.append(self.nv)
        for a, size in zip(arrays, sizes):
            if a.ndim == 0 or a.shape[-1] != size:
                raise InputError(f"expected shape (..., {size}), got {a.shape}")
        lead = np.broadcast_shapes(*[a.shape[:-1] for a in arrays])
        flat = [np.ascontiguousarray(np.broadcast_to(a, lead + (s,))).reshape(-1, s)
                for a, s in zip(arrays, sizes)]
        out = np.zeros((len(flat[0]),) + shape)
        self._guard.modify()
        try:
            self._use()
            for i in range(len(out)):
                at = doubles(flat[-1][i]) if v is not None else ffi.NULL
                lib.ff_tree_update(self._work, doubles(flat[0][i]), at)
                rest = fill(out[i], *[a[i] for a in flat[1:1 + len(more)]])
                if rest is False:
                    raise InputError("the inertia of the tree is not positive definite")
        finally:
            self._guard.leave()
        return out.reshape(lead + shape)

    # ---- coordinates

    @property
    def neutral(self) -> np.ndarray:
        """q with all joints at zero, quaternions at identity."""
        q = np.zeros(self.nq)
        if self.nq:
            lib.ff_tree_neutral(self._use(), doubles(q))
        return q

    def link(self, link: int | str) -> Any:
        """LinkInfo of a link: its joint, its parts of q and v."""
        return CLASSES["ff_link_info"]._from_c(lib.ff_tree_link(self._use(), self._link(link)))

    def q_rate(self, q, v) -> np.ndarray:
        """dq/dt for velocity v."""
        q, v, out = array(q, (self.nq,), "q"), array(v, (self.nv,), "v"), np.zeros(self.nq)
        lib.ff_tree_q_rate(self._use(), doubles(q), doubles(v), doubles(out))
        return out

    def q_move(self, q, v, h: float) -> np.ndarray:
        """q after a time h (s) at constant velocity v; quaternions stay unit."""
        out, v = array(q, (self.nq,), "q").copy(), array(v, (self.nv,), "v")
        lib.ff_tree_q_move(self._use(), doubles(out), doubles(v), number(h, "h"))
        return out

    # ---- kinematics

    def fk(self, q, link: int | str | None = None) -> Any:
        """Forward kinematics: poses of the link frames, world: (..., 7), position (m) and quaternion
        (w, x, y, z). link None: of all links, (..., count, 7)."""
        chosen = [self._link(link)] if link is not None else list(range(1, len(self.links) + 1))

        def fill(out):
            for k, number_ in enumerate(chosen):
                p = lib.ff_tree_pose(self._work, number_)
                out[k] = (p.position.x, p.position.y, p.position.z, p.orientation.w, p.orientation.x,
                          p.orientation.y, p.orientation.z)

        out = self._each(q, None, (len(chosen), 7), fill)
        return out[..., 0, :] if link is not None else out

    def velocity(self, q, v, link: int | str) -> np.ndarray:
        """Angular velocity (rad/s), then velocity of the link's origin (m/s), world: (..., 6)."""
        at = self._link(link)

        def fill(out):
            w, u = lib.ff_tree_omega(self._work, at), lib.ff_tree_velocity(self._work, at)
            out[:] = (w.x, w.y, w.z, u.x, u.y, u.z)

        return self._each(q, v, (6,), fill)

    def J(self, q, link: int | str, point=None) -> np.ndarray:
        """Jacobian (..., 6, nv) of a point (m, world; None: the link's origin): angular velocity
        first, then velocity, world axes."""
        at = self._link(link)
        fixed = None if point is None else shaped_c("ff_vec3", point, "point")

        def fill(out):
            where = lib.ff_tree_pose(self._work, at).position if fixed is None else fixed
            lib.ff_tree_jacobian(self._work, at, where, doubles(out.reshape(-1)))

        return self._each(q, None, (6, self.nv), fill)

    def J_rate(self, q, v, link: int | str, point=None) -> np.ndarray:
        """Time derivative of the Jacobian, (..., 6, nv)."""
        at = self._link(link)
        fixed = None if point is None else shaped_c("ff_vec3", point, "point")

        def fill(out):
            where = lib.ff_tree_pose(self._work, at).position if fixed is None else fixed
            lib.ff_tree_jacobian_rate(self._work, at, where, doubles(out.reshape(-1)))

        return self._each(q, v, (6, self.nv), fill)

    def com(self, q) -> np.ndarray:
        """Centre of mass, m, world: (..., 3)."""
        zero = shaped_c("ff_vec3", (0, 0, 0), "gravity")

        def fill(out):
            c = lib.ff_tree_whole(self._work, zero).com
            out[:] = (c.x, c.y, c.z)

        return self._each(q, None, (3,), fill)

    def motion(self, q, v, gravity=EARTH) -> Any:
        """TreeMotion of one state: centre of mass, momentum, energies."""
        self._each(array(q, (self.nq,), "q"), array(v, (self.nv,), "v"), (0,), lambda out: None)
        return CLASSES["ff_tree_motion"]._from_c(
            lib.ff_tree_whole(self._work, shaped_c("ff_vec3", gravity, "gravity")))

    # ---- dynamics: H a + b = tau

    def H(self, q) -> np.ndarray:
        """Joint-space inertia (..., nv, nv)."""
        return self._each(q, None, (self.nv, self.nv),
                          lambda out: lib.ff_tree_inertia(self._work, doubles(out.reshape(-1))))

    def C(self, q, v) -> np.ndarray:
        """Coriolis matrix (..., nv, nv): C v are the Coriolis and centrifugal forces, and dH/dt - 2 C
        is skew-symmetric."""
        return self._each(q, v, (self.nv, self.nv),
                          lambda out: lib.ff_tree_coriolis(self._work, doubles(out.reshape(-1))))

    def b(self, q, v, gravity=EARTH) -> np.ndarray:
        """Bias forces (..., nv): Coriolis, centrifugal and gravity."""
        g = shaped_c("ff_vec3", gravity, "gravity")
        return self._each(q, v, (self.nv,), lambda out: lib.ff_tree_inverse_dynamics(
            self._work, ffi.NULL, g, ffi.NULL, doubles(out)))

    def inverse_dynamics(self, q, v, a, gravity=EARTH) -> np.ndarray:
        """tau (..., nv) for acceleration a."""
        g = shaped_c("ff_vec3", gravity, "gravity")
        return self._each(q, v, (self.nv,), lambda out, row: lib.ff_tree_inverse_dynamics(
            self._work, doubles(row), g, ffi.NULL, doubles(out)), (a, "a"))

    def forward_dynamics(self, q, v, tau, gravity=EARTH) -> np.ndarray:
        """Acceleration (..., nv) under tau."""
        g = shaped_c("ff_vec3", gravity, "gravity")
        return self._each(q, v, (self.nv,), lambda out, row: lib.ff_tree_forward_dynamics(
            self._work, doubles(row), g, ffi.NULL, doubles(out)), (tau, "tau"))

    def joint_loads(self, q, v) -> tuple[np.ndarray, Any]:
        """Passive forces of the joints (nv,): springs, stops, damping, dry friction; and their stored
        energy and lost power."""
        q, v, tau = array(q, (self.nq,), "q"), array(v, (self.nv,), "v"), np.zeros(self.nv)
        loads = lib.ff_tree_joint_loads(self._use(), doubles(q), doubles(v), doubles(tau))
        return tau, CLASSES["ff_joint_loads"]._from_c(loads)

    def zmp(self, q, v, a, gravity=EARTH, origin=(0.0, 0.0, 0.0), normal=(0.0, 0.0, 1.0)) -> np.ndarray:
        """Zero-moment point (..., 3) on a plane, m."""
        g, o, n = (shaped_c("ff_vec3", x, w) for x, w in ((gravity, "gravity"), (origin, "origin"),
                                                           (normal, "normal")))

        def fill(out, row):
            p = lib.ff_tree_zero_moment_point(self._work, doubles(row), g, o, n)
            out[:] = (p.x, p.y, p.z)

        return self._each(q, v, (3,), fill, (a, "a"))

    # ---- inverse kinematics

    def ik(self, link: int | str, position, orientation=None, q=None, point=(0.0, 0.0, 0.0),
           root: int | str = 0, tolerance: float = 1e-10, iterations: int = 200,
           must_reach: bool = True) -> np.ndarray:
        """q with a point of the link (m, link frame) at a position (m, world) and the link at an
        orientation (w, x, y, z; None: free). q: where to start; None: neutral. root: only joints
        between this link and `link` move. must_reach: raises if the error stays above the tolerance
        (m)."""
        c = ffi.new("ff_reach_def *", lib.ff_reach_def_default())
        c.link, c.root = self._link(link), self.find(root)
        c.point = shaped_c("ff_vec3", point, "point")
        c.target.position = shaped_c("ff_vec3", position, "position")
        c.position_only = orientation is None
        c.target.orientation = shaped_c("ff_quat", (1, 0, 0, 0) if orientation is None else orientation, "orientation")
        c.tolerance, c.most = number(tolerance, "tolerance"), whole(iterations, "iterations", 1)
        start = self.neutral if q is None else array(q, (self.nq,), "q").copy()
        for name, value in (("position", position), ("point", point), ("q", start)):
            if not np.all(np.isfinite(value)):
                raise InputError(f"{name}: a value is not finite", key=name)
        self._guard.modify()
        try:
            self._use()
            info = lib.ff_tree_reach(self._work, c, doubles(start))
        finally:
            self._guard.leave()
        if must_reach and not info.reached:
            raise InputError(f"ik: '{link}' stays {info.position_error:.3g} m and "
                             f"{info.angle_error:.3g} rad from its target", key="position")
        return start

    def __repr__(self) -> str:
        return f"<Tree: {len(self.links)} links, nq {self.nq}, nv {self.nv}>"


class _BorrowedTree(Tree):
    """A tree that a model owns."""

    _destroy = None


attach(Robot, "ff_robot", "ff_robot_")
attach(Tree, "ff_tree", "ff_tree_")


# ---- walks -------------------------------------------------------------------------------------


class Walk(Handle):
    """A walking pattern: from footsteps to joint angles.

        walk = ff.Walk(tree, steps=[(0.05, 0, 0)] * 4, left_foot="left_foot", right_foot="right_foot")
        q, v = walk.joints(t)

    steps: (forward m, side m, turn rad) or WalkStep; further fields as in WalkDef.
    """

    _destroy = lib.ff_walk_destroy

    def __init__(self, tree: Tree, steps: Iterable[Any], left_foot: int | str = "left_foot",
                 right_foot: int | str = "right_foot", **fields: Any) -> None:
        if not isinstance(tree, Tree):
            raise TypeError(f"tree: expected Tree, got {type(tree).__name__}")
        keep: list = []
        definition = CLASSES["ff_walk_def"](left_foot=tree._link(left_foot),
                                            right_foot=tree._link(right_foot), **fields)._c(keep)
        definition.tree = tree._use()
        items = [s if isinstance(s, (CLASSES["ff_walk_step"], dict)) else CLASSES["ff_walk_step"](*s)
                 for s in steps]
        memory = ffi.new("ff_walk_step[]", max(1, len(items)))
        for i, item in enumerate(items):
            memory[i] = CLASSES["ff_walk_step"]._make(item, "steps")._c(keep)[0]
        out, report = ffi.new("ff_walk **"), new_report()
        check(lib.ff_walk_build(out, definition, memory, len(items), report), report)
        self._own(out[0], tree._use())
        self.tree = tree

    @property
    def duration(self) -> float:
        """s"""
        return lib.ff_walk_duration(self._use())

    def joints(self, time: float) -> tuple[np.ndarray, np.ndarray]:
        """q and v of the whole tree at a time (s)."""
        q, v = np.zeros(self.tree.nq), np.zeros(self.tree.nv)
        lib.ff_walk_joints(self._use(), number(time, "time"), doubles(q), doubles(v))
        return q, v


attach(Walk, "ff_walk", "ff_walk_")


# ---- controllers ------------------------------------------------------------------------------


class Controller(Handle):
    """Balance control of a biped, alone: from sensors to joint orders. In scenes a robot has a controller
    by its key `controller`; see docs/walking.md.

        controller = ff.Controller(tree, tasks=[ff.Task(kind="stand", time=2.0)])
        orders = controller.tick(q, v, load_left, load_right)      once a period
    """

    _destroy = lib.ff_controller_destroy

    def __init__(self, tree: Tree, gravity=EARTH, **fields: Any) -> None:
        if not isinstance(tree, Tree):
            raise TypeError(f"tree: expected Tree, got {type(tree).__name__}")
        given = {"left_foot": "left_foot", "right_foot": "right_foot", **fields}
        keep: list = []
        definition = CLASSES["ff_controller_def"](**given)._c(keep)
        out, report = ffi.new("ff_controller **"), new_report()
        check(lib.ff_controller_build(out, tree._use(), definition, shaped_c("ff_vec3", gravity, "gravity"),
                                 report), report)
        self._own(out[0], tree._use())
        self.tree = tree
        c = tree._use()
        links = [lib.ff_tree_link(c, i + 1) for i in range(len(tree.links))]
        self._orders = sum(1 for i in links if i.v_count == 1)

    @property
    def start(self) -> np.ndarray:
        """Initial q: both soles on the ground."""
        q = np.zeros(self.tree.nq)
        lib.ff_controller_start(self._use(), doubles(q))
        return q

    @property
    def now(self) -> Any:
        """ControllerState."""
        return CLASSES["ff_controller_state"]._from_c(lib.ff_controller_now(self._use()))

    @property
    def duration(self) -> float:
        """s, until the end of the last task."""
        return lib.ff_controller_duration(self._use())

    def tick(self, q, v, left=(0.0, 0.0, 0.0), right=(0.0, 0.0, 0.0)) -> list:
        """Once a period: JointOrder of each joint with one axis. left, right: contact force on the
        feet, N, world."""
        q, v = array(q, (self.tree.nq,), "q"), array(v, (self.tree.nv,), "v")
        if not (np.all(np.isfinite(q)) and np.all(np.isfinite(v))):
            raise InputError("q, v: a value is not finite")
        sense = ffi.new("ff_controller_sense *")
        sense.q, sense.v = doubles(q), doubles(v)
        sense.load[0] = shaped_c("ff_vec3", left, "left")
        sense.load[1] = shaped_c("ff_vec3", right, "right")
        orders = ffi.new("ff_joint_order[]", max(1, self.tree.nv + len(self.tree.links)))
        self._guard.modify()
        try:
            lib.ff_controller_tick(self._use(), sense, orders)
        finally:
            self._guard.leave()
        return [CLASSES["ff_joint_order"]._from_c(orders[i]) for i in range(self._orders)]


attach(Controller, "ff_controller", "ff_controller_")
