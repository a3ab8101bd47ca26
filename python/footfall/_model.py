"""Scenes and models."""
from __future__ import annotations

import os
import pathlib
from typing import Any, Iterable, Mapping

import numpy as np

from . import _api
from ._footfall import ffi, lib
from ._errors import InputError, check, new_report, text_of, unknown
from ._handles import Handle
from ._values import WORDS, array, bytes_of, doubles, number, whole
from ._structs import CLASSES, id_c, python_doc, python_name
from ._binding import attach

SCENES = pathlib.Path(__file__).parent / "scenes"


def find_scene(path) -> str:
    """The file, or if there is none of this name the one that came with the package:
    "scenes/bouncing-ball.yaml", "bouncing-ball.yaml" and "bouncing-ball" are the same."""
    text = os.fspath(path)
    if not isinstance(text, str):
        raise TypeError(f"path: expected text, got {type(path).__name__}")
    if "\0" in text or os.path.exists(text):
        return text
    name = text[7:] if text.startswith("scenes/") else text
    for own in (name, name + ".yaml"):
        if not os.path.isabs(own) and ".." not in own and (SCENES / own).is_file():
            return str(SCENES / own)
    return text


def scene_names() -> list[str]:
    """Names of the scenes that came with the package."""
    return sorted(p.stem for p in SCENES.glob("*.yaml"))


def _flow(value: Any, key: str) -> str:
    """A value as YAML in one line."""
    if isinstance(value, (bool, np.bool_)):
        return "true" if value else "false"
    if isinstance(value, str):
        return value
    if value is None:
        return "null"
    if isinstance(value, np.ndarray):
        value = value.tolist()
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{k}: {_flow(v, key)}" for k, v in value.items()) + "}"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(_flow(v, key) for v in value) + "]"
    if isinstance(value, (int, np.integer)):
        return str(int(value))
    out = number(value, key)
    return {"inf": ".inf", "-inf": "-.inf", "nan": ".nan"}.get(repr(out), repr(out))


def _overrides(given: Mapping | None, keep: list):
    if given is None:
        return ffi.NULL, 0
    if not isinstance(given, Mapping):
        raise TypeError('set: expected a mapping, as {"contacts.0.normal.k": 2e5}')
    texts = [ffi.new("char[]", bytes_of(f"{k}={_flow(v, str(k))}", "set")) for k, v in given.items()]
    pointers = ffi.new("const char *[]", texts or 1)
    keep += [texts, pointers]
    return pointers, len(texts)


class Scene(Handle):
    """An editable description: materials, bodies, shapes, contacts, robots, a run.

    Every `add_...` takes a definition or its fields by name, and checks the rest when the model is
    built:

        scene = ff.Scene()
        ball = scene.add_body(name="ball", mass=1, position=(0, 0, 1))
        scene.add_shape(ball, kind="sphere", size=(0.1, 0, 0))
        scene.add_contact(a="*", b="*", normal=("hunt-crossley", {"k": 1e5}))
        model = scene.build()
    """

    _destroy = lib.ff_scene_destroy

    def __init__(self) -> None:
        out = ffi.new("ff_scene **")
        check(lib.ff_scene_create(out))
        self._own(out[0])
        self._frozen = False

    @classmethod
    def _load(cls, call) -> Scene:
        self = cls.__new__(cls)
        out, report = ffi.new("ff_scene **"), new_report()
        check(call(out, report), report)
        self._own(out[0])
        self._frozen = True
        return self

    @classmethod
    def load(cls, path: str | os.PathLike, set: Mapping[str, Any] | None = None) -> Scene:
        """Reads a YAML scene. set: values that replace those of the file, by their path."""
        keep: list = []
        texts, count = _overrides(set, keep)
        name = bytes_of(find_scene(path), "path")
        return cls._load(lambda out, report: lib.ff_scene_load(out, name, texts, count, report))

    @classmethod
    def parse(cls, text: str, name: str = "scene", set: Mapping[str, Any] | None = None) -> Scene:
        """The same from text; name replaces the file in messages, and robots are found beside it."""
        keep: list = []
        texts, count = _overrides(set, keep)
        data, called = bytes_of(text, "text"), bytes_of(name, "name")
        return cls._load(lambda out, report: lib.ff_scene_parse(out, data, len(data), called, texts,
                                                                count, report))

    def build(self) -> Model:
        """Checks and compiles. The scene cannot be changed afterwards."""
        return Model(self)

    @property
    def name(self) -> str:
        """Its `name`, or its file name without folder and extension; "" if built by calls."""
        return text_of(lib.ff_scene_name(self._use()))

    @property
    def source(self) -> str:
        """Its YAML text, overrides applied; "" if built by calls."""
        return text_of(lib.ff_scene_source(self._use()))

    @property
    def file(self) -> str:
        """Its file; "" if built by calls."""
        return text_of(lib.ff_scene_file(self._use()))

    @property
    def files(self) -> list[str]:
        """The files it was read from: its own, those of its robots and their meshes."""
        c = self._use()
        return [text_of(lib.ff_scene_read_file(c, i)) for i in range(lib.ff_scene_read_count(c))]

    @property
    def notes(self) -> list[str]:
        """Notes on it, such as keys that have another name now."""
        c = self._use()
        return [text_of(lib.ff_scene_note(c, i)) for i in range(lib.ff_scene_note_count(c))]

    def _add(self, function: str, ctype: str, definition, fields: dict, *front):
        if self._frozen:
            raise InputError("this scene has been built or loaded and can no longer be changed")
        if definition is None:
            definition = CLASSES[ctype](**fields)
        elif fields:
            raise TypeError("give a definition or its fields, not both")
        keep: list = []
        c = CLASSES[ctype]._make(definition, "definition")._c(keep)
        self._guard.modify()
        try:
            call = getattr(lib, function)
            status = call(*[self._use() if a is self else a for a in front], c)
        finally:
            self._guard.leave()
        check(status, what=f"{python_name(ctype)}: refused; is its body of this scene?")

    def add_robot(self, definition=None, **fields: Any) -> None:
        """Adds a robot. definition: a RobotDef (see Robot.definition)."""
        self._add("ff_scene_add_robot", "ff_robot_def", definition, fields, self)


def _adder(function: str, args: list) -> Any:
    """A method of Scene for ff_scene_add_... or ff_scene_set_...."""
    ctype = args[-1][1].replace("const ", "").rstrip(" *")
    noun = function[len("ff_scene_add_"):]
    table = _api.FUNCTIONS[function]
    returns_id = args[0][0] == "out"
    of_body = any(kind == "ff_body" for _, kind in args)

    def add(self, definition=None, **fields):
        if not returns_id:
            return self._add(function, ctype, definition, fields, self)
        out = ffi.new(f"ff_{noun} *")
        self._add(function, ctype, definition, fields, out, self)
        return out.id

    def add_to(self, body, definition=None, **fields):
        out = ffi.new(f"ff_{noun} *")
        self._add(function, ctype, definition, fields, out, self, id_c(whole(body, "body")))
        return out.id

    made = add_to if of_body else add
    default = python_name(ctype)
    made.__name__ = function[len("ff_scene_"):]
    made.__qualname__ = f"Scene.{made.__name__}"
    made.__module__ = "footfall"
    made.__annotations__ = {"definition": f"{default} | None", "fields": "Any",
                            "return": "int" if returns_id else "None"}
    if of_body:
        made.__annotations__["body"] = "int"
    fields = _api.STRUCTS[ctype]["fields"]
    made.__doc__ = (f"{python_doc(table['doc']) or 'Adds a ' + noun + '.'}\n\nTakes a {default}, or its fields "
                    f"by name: {', '.join(n for n, _, _ in fields)}.\nSee help(ff.{default}).")
    made._binds = function
    return made


for _name, _table in _api.FUNCTIONS.items():
    if _name.startswith(("ff_scene_add_", "ff_scene_set_")) and not hasattr(Scene, _name[9:]):
        setattr(Scene, _name[9:], _adder(_name, _table["args"]))


# ---- model -------------------------------------------------------------------------------------


class Model(Handle):
    """A compiled scene: immutable, may be shared by threads.

        m = ff.load("scenes/bouncing-ball.yaml")
        run = m.run()
        with m.sim() as s: s.advance(1.0)
    """

    _destroy = lib.ff_model_destroy

    def __init__(self, scene: Scene) -> None:
        if not isinstance(scene, Scene):
            raise TypeError(f"scene: expected Scene, got {type(scene).__name__}")
        out, report = ffi.new("ff_model **"), new_report()
        scene._guard.modify()
        try:
            c = scene._use()
            check(lib.ff_model_build(out, c, report), report)
            scene._frozen = True
        finally:
            scene._guard.leave()
        self._own(out[0], c)
        self.scene = scene
        self._last_run: Any = None
        self._channels: dict | None = None

    @property
    def last_run(self) -> Any:
        """The last Run of this model, also one that was interrupted; None: there was none."""
        return self._last_run

    # ---- names

    @property
    def name(self) -> str:
        """Name of its scene."""
        return self.scene.name

    @property
    def bodies(self) -> list[str]:
        """Names of its bodies, links of robots included; body i + 1 is bodies[i]."""
        c = self._use()
        return [text_of(lib.ff_model_body_name(c, id_c(i + 1)))
                for i in range(lib.ff_model_body_count(c))]

    @property
    def robots(self) -> list[str]:
        """Names of its robots."""
        c = self._use()
        return [text_of(lib.ff_model_robot_info(c, id_c(i + 1)).name)
                for i in range(lib.ff_model_robot_count(c))]

    def joints(self, robot: int | str = 1) -> list[str]:
        """Names of the joint axes of a robot, as orders address them."""
        c, r = self._use(), find_robot(self, robot)
        return [text_of(lib.ff_model_joint_name(c, id_c(i + 1, r)))
                for i in range(lib.ff_model_robot_info(c, id_c(r)).joint_count)]

    def joint_step(self, limits: bool = False) -> tuple[float, str | None]:
        """Largest step (s) that resolves every joint, and the joint that needs it as "robot/joint";
        (inf, None) if the stepper treats all of them implicitly. limits: near their bounds, too."""
        c, fastest = self._use(), ffi.new("ff_joint_id *")
        step = lib.ff_model_joint_step(c, limits, fastest)
        if not np.isfinite(step):
            return step, None
        robot = text_of(lib.ff_model_robot_info(c, id_c(fastest.robot)).name)
        return step, f"{robot}/{text_of(lib.ff_model_joint_name(c, fastest[0]))}"

    @property
    def channels(self) -> dict[str, Any]:
        """All channels: name -> Channel (unit, frame, meaning)."""
        if self._channels is None:
            c = self._use()
            listed = (CLASSES["ff_channel"]._from_c(lib.ff_model_channel(c, i))
                      for i in range(lib.ff_model_channel_count(c)))
            self._channels = {channel.name: channel for channel in listed}
        return self._channels

    def channel_numbers(self, channels: str | Iterable[str]) -> tuple[list[str], np.ndarray]:
        """Names and numbers of the channels that match: exact names, or globs as "energy.*"."""
        wanted = [channels] if isinstance(channels, str) else list(channels)
        known = list(self.channels)
        at = {name: i for i, name in enumerate(known)}
        names: list[str] = []
        for glob in wanted:
            if not isinstance(glob, str):
                raise TypeError(f"channel: expected text, got {type(glob).__name__}")
            if glob in at:
                names.append(glob)
                continue
            text = bytes_of(glob, "channel")
            found = [n for n in known if lib.ff_channel_matches(n.encode(), text)]
            if not found:
                raise unknown("channel", glob, known)
            names += found
        return names, np.array([at[n] for n in names], dtype=np.int32)

    # ---- facts

    @property
    def run_def(self) -> Any:
        """The run as resolved: gravity, duration, stepper, tolerances."""
        return CLASSES["ff_run_def"]._from_c(lib.ff_model_run(self._use())[0])

    @property
    def pairs(self) -> list:
        """Resolved pairs of bodies that may collide: laws, parameters, materials."""
        c = self._use()
        return [_pair(self, lib.ff_model_pair_info(c, i)) for i in range(lib.ff_model_pair_count(c))]

    def tree(self, robot: int | str = 1):
        """The tree of a robot, for kinematics and dynamics."""
        from ._tree import Tree

        c, number_ = self._use(), find_robot(self, robot)
        return Tree._borrow(ffi.cast("ff_tree *", lib.ff_model_robot_info(c, id_c(number_)).tree), c)

    # ---- running

    def sim(self, threads: int = 1):
        """A new simulation in the initial state."""
        from ._sim import Sim

        return Sim(self, threads=threads)

    def run(self, output: str | os.PathLike | Iterable | None = None, *, progress: bool | None = None,
            control: Any = None, period: float | None = None,
            keep: bool = True, threads: int = 1, checkpoint: str | os.PathLike | None = None):
        """Runs the scene to its end and returns a Run: verdict, summary, columns, events.

        output: files to record to (.h5, .csv, .sto, .mot with .xml). progress: a bar; None: on a
        terminal or in a notebook. control: function called with the Sim each `period` seconds. keep: False if the
        samples need not stay in memory. checkpoint: file from which `ff.resume` goes on.

        Ctrl-C ends it between steps: KeyboardInterrupt, with what was computed in its `run` and in
        `last_run` of the model.
        """
        from ._run import execute

        return execute(self, output, progress, control, period, keep, threads, checkpoint)

    def rollout(self, x0=None, u=None, *, steps: int | None = None, period: float = 0.0,
                inputs: Iterable[str] | None = None, threads: int | None = None,
                models: Iterable[Model] | None = None):
        """Many trajectories at once: (B, nx), (B, T, nu) -> (B, T, nx).

        x0: initial states, see `x_names`; None: that of the scene. u: controls, constant over each
        interval; None: drives and controllers of the scene, for `steps` intervals. period: s, length of
        an interval; 0: one step. inputs: meaning of u, see `input_names`; None: the torque of every
        joint. threads: None: one for each core. models: B models of the same structure, to vary
        parameters. The result has the same bits for any number of threads. After a failed step a
        trajectory is NAN.
        """
        from ._batch import rollout

        return rollout(self, x0, u, steps, period, inputs, threads, models)

    def batch(self, count: int, *, period: float = 0.0, inputs: Iterable[str] | None = None,
              threads: int | None = None, models: Iterable[Model] | None = None):
        """Many sims that are stepped together: see Batch."""
        from ._batch import Batch

        return Batch(self, count, period=period, inputs=inputs, threads=threads, models=models)

    @property
    def x0(self) -> np.ndarray:
        """State vector of the initial state."""
        with self.sim() as s:
            return s.x

    @property
    def x_names(self) -> list[str]:
        """Names of the numbers of the state vector: for each free body position, orientation (w, x,
        y, z), velocity and omega (world); then q and v of each robot as in its tree."""
        c, out = self._use(), []
        for i, body in enumerate(self.bodies):
            if lib.ff_model_body_info(c, id_c(i + 1)).kind == lib.FF_BODY_FREE:
                out += [f"body.{body}.{q}.{a}" for q, axes in (("position", "xyz"),
                        ("orientation", "wxyz"), ("velocity", "xyz"), ("omega", "xyz")) for a in axes]
        for i, robot in enumerate(self.robots):
            tree = lib.ff_model_robot_info(c, id_c(i + 1)).tree
            out += [f"robot.{robot}.q{k}" for k in range(lib.ff_tree_q_count(tree))]
            out += [f"robot.{robot}.v{k}" for k in range(lib.ff_tree_v_count(tree))]
        return out

    @property
    def input_names(self) -> list[str]:
        """Names that `inputs` of rollouts and batches may have: joint.<robot>-<joint>.torque and
        .target, body.<body>.force.x and .moment.x."""
        c, out = self._use(), []
        for robot in self.robots:
            joints = self.joints(robot)
            out += [f"joint.{robot}-{j}.{what}" for what in ("torque", "target") for j in joints]
        for i, body in enumerate(self.bodies):
            kind = lib.ff_model_body_info(c, id_c(i + 1)).kind
            if kind in (lib.FF_BODY_FREE, lib.FF_BODY_LINK):
                out += [f"body.{body}.{what}.{a}" for what in ("force", "moment") for a in "xyz"]
        return out

    def __repr__(self) -> str:
        if self.closed:
            return "<Model, closed>"
        stepper = self.run_def.stepper
        return (f"<Model '{self.name}': {len(self.bodies)} bodies, {len(self.robots)} robots, "
                f"{stepper.kind}>")


def _pair(model: Model, c) -> dict:
    from ._laws import Law

    names = model.bodies
    out: dict[str, Any] = {"a": names[c.a.id - 1], "b": names[c.b.id - 1]}
    for kind in ("normal", "friction"):
        law = getattr(c, kind)
        out[kind] = None
        if law != ffi.NULL:
            params = getattr(c, f"{kind}_params")
            known = Law(law)
            values = ffi.new("ff_law_params *", params)
            out[kind] = {"law": known.name, **{p.name: lib.ff_law_params_get(law, values, p.name.encode())
                                               for p in known.params}}
    out["mass"], out["stable_step"] = c.mass, c.stable_step
    out["material"] = CLASSES["ff_pair"]._from_c(c.material)
    return out


# ---- ids ---------------------------------------------------------------------------------------


def _model_of(owner) -> Model:
    return owner if isinstance(owner, Model) else owner.model


def find_body(owner, body) -> int:
    """Id of a body by name or number."""
    model = _model_of(owner)
    c = model._use()
    if isinstance(body, str):
        found = lib.ff_model_body_find(c, bytes_of(body, "body")).id
        if found == 0:
            raise unknown("body", body, model.bodies)
        return found
    return whole(body, "body", 1, lib.ff_model_body_count(c))


def find_robot(owner, robot) -> int:
    """Number of a robot by name or number."""
    model = _model_of(owner)
    c = model._use()
    if isinstance(robot, str):
        found = lib.ff_model_robot_find(c, bytes_of(robot, "robot")).id
        if found == 0:
            raise unknown("robot", robot, model.robots)
        return found
    count = lib.ff_model_robot_count(c)
    if count == 0:
        raise InputError("this model has no robot")
    return whole(robot, "robot", 1, count)


def find_joint(owner, robot: int, joint) -> int:
    """Number of a joint axis of a robot by name or number."""
    model = _model_of(owner)
    c = model._use()
    if isinstance(joint, str):
        found = lib.ff_model_joint_find(c, id_c(robot), bytes_of(joint, "joint")).id
        if found == 0:
            raise unknown("joint", joint, model.joints(robot))
        return found
    return whole(joint, "joint", 1, lib.ff_model_robot_info(c, id_c(robot)).joint_count)


def find_shape(owner, shape) -> int:
    return whole(shape, "shape", 1, lib.ff_model_shape_count(_model_of(owner)._use()))


def find_constraint(owner, constraint) -> int:
    """Number of a constraint by name or number."""
    c = _model_of(owner)._use()
    if isinstance(constraint, str):
        found = lib.ff_model_constraint_find(c, bytes_of(constraint, "constraint")).id
        if found == 0:
            raise InputError(f"unknown constraint '{constraint}'", key=constraint)
        return found
    return whole(constraint, "constraint", 1, lib.ff_model_constraint_count(c))


def find_joint_id(owner, joint) -> dict:
    """A joint by (robot, joint), or by its name alone if the first robot has it."""
    robot, joint = joint if isinstance(joint, tuple) else (1, joint)
    number_ = find_robot(owner, robot)
    return id_c(find_joint(owner, number_, joint), number_)


FINDERS = {"ff_body": find_body, "ff_shape": find_shape, "ff_robot_id": find_robot,
           "ff_joint_id": find_joint_id, "ff_constraint_id": find_constraint}

attach(Scene, "ff_scene", "ff_scene_")
attach(Model, "ff_model", "ff_model_", FINDERS)


def load(path: str | os.PathLike, set: Mapping[str, Any] | None = None) -> Model:
    """Reads a scene and builds its model.

    set: values that replace those of the file, by their path: {"contacts.0.normal.k": 2e5}.
    Without a file of this name, the scene of this name that came with the package is taken.
    """
    return Model(Scene.load(path, set))


def parse(text: str, name: str = "scene", set: Mapping[str, Any] | None = None) -> Model:
    """The model of a scene given as YAML text."""
    return Model(Scene.parse(text, name, set))
