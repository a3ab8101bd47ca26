"""Scenes, models, sims."""
import math
import pickle

import numpy as np
import pytest

import footfall as ff


def test_settings_and_rays(ball):
    sim = ball.sim()
    body = ball.bodies.index("ball") + 1
    sim.set_law("ball", "floor", "normal", "k", 1e6)
    assert sim.law("ball", "floor", "normal", "k") == 1e6
    with pytest.raises(ff.InputError, match="kk"):
        sim.set_law("ball", "floor", "normal", "kk", 1e6)
    before = sim.state()
    sim.set_mass("ball", 0.3)
    sim.restore(before)
    hit = sim.ray((0, 0, 9), (0, 0, -1))
    assert hit.body == body and hit.normal[2] == pytest.approx(1)
    assert sim.ray((0, 0, 9), (0, 0, -1), skip="ball").distance == pytest.approx(9)
    assert sim.distance("ball", "floor").distance > 0


def build_ball(k=1e5, step=None):
    scene = ff.Scene()
    scene.add_material(name="rubber", young=1e7, poisson=0.5)
    floor = scene.add_body(name="floor", kind="fixed")
    scene.add_shape(floor, kind="half-space")
    ball = scene.add_body(ff.BodyDef(name="ball", mass=1, position=(0, 0, 0.2)))
    scene.add_shape(ball, kind="sphere", size=(0.1, 0, 0))
    scene.add_contact(a="*", b="*", normal=("hunt-crossley", {"k": k, "alpha": 0.2}))
    run = ff.RunDef(duration=0.5)
    if step:
        run.stepper = ff.StepperDef(**{**run.stepper.__dict__, "kind": "rk4", "step": step})
    scene.set_run(run)
    return scene.build()


def test_load_and_set():
    m = ff.load("scenes/humanoid-walking.yaml", set={"contacts.0.normal.k": 2e5})
    ks = {p["normal"]["k"] for p in m.pairs if "k" in p["normal"]}
    assert 2e5 in ks
    assert "humanoid-trunk" in m.bodies and m.robots == ["humanoid"]
    assert len(m.joints("humanoid")) > 10


def test_error_has_file_line_key_and_suggestion(tmp_path):
    path = tmp_path / "bad.yaml"
    path.write_text("footfall: 1\nbodies:\n  ball:\n    mas: 1\n")
    with pytest.raises(ff.InputError) as caught:
        ff.load(path)
    error = caught.value
    assert error.file == str(path) and error.line == 4 and error.suggestion == "mass"
    assert error.key == "bodies.ball.mas" or "mas" in error.key + error.what
    assert "did you mean 'mass'" in str(error)
    assert isinstance(error, ValueError)


def test_missing_file_is_an_oserror():
    with pytest.raises(OSError, match="nowhere.yaml"):
        ff.load("nowhere.yaml")


def test_scene_built_in_python_is_that_of_a_file():
    text = """
footfall: 1
duration: 0.5
bodies:
  floor: {fixed: true, shape: {half-space: {normal: [0, 0, 1]}}}
  ball: {mass: 1, position: [0, 0, 0.2], shape: {sphere: {radius: 0.1}}}
contacts:
  - {pair: ["*", "*"], normal: {law: hunt-crossley, k: 1e5, alpha: 0.2}}
"""
    made, read = build_ball().run(progress=False), ff.parse(text).run(progress=False)
    assert np.array_equal(made["body.ball.position.z"], read["body.ball.position.z"])


def test_scene_errors_name_the_key():
    scene = ff.Scene()
    scene.add_body(name="ball", mass=-1)
    with pytest.raises(ff.InputError) as caught:
        scene.build()
    assert caught.value.key == "bodies.ball.mass"


def test_built_scene_is_frozen():
    m = build_ball()
    with pytest.raises(ff.InputError, match="can no longer be changed"):
        m.scene.add_body(name="late")


def test_tables_lists_and_members_reach_c():
    scene = ff.Scene()
    scene.add_body(name="cart", mass=1, inertia=np.eye(3), com=(0, 0, 0))
    scene.add_force(body="cart", force=[[0, 1, 0, 0], [1, 3, 0, 0]])
    scene.add_drive(name="d", body="cart", axis=(0, 1, 0),
                    phases=[ff.PhaseDef(kind="force", until=math.inf, force=(2.0,))])
    scene.set_run(gravity=(0, 0, 0), duration=1)
    with scene.build().sim() as s:
        s.advance(1.0)
        assert s.body("cart").velocity == pytest.approx((2.0, 2.0, 0), abs=1e-9)


def test_state_restores_to_the_bit(humanoid):
    with humanoid.sim() as s:
        s.advance(0.05)
        snap, x = s.state(), s.x
        s.push("humanoid-trunk", force=(0, 20, 0))
        s.advance(0.1)
        pushed = s.x
        assert not np.array_equal(pushed, x)
        s.restore(snap)
        assert np.array_equal(s.x, x) and s.time == snap.time == 0.05
        s.push("humanoid-trunk", force=(0, 20, 0))
        s.advance(0.1)
        assert np.array_equal(s.x, pushed)
        assert s.state() != snap and snap.difference(s.state())
        again = pickle.loads(pickle.dumps(snap))
        assert again == snap
        twin = s.clone()
        assert np.array_equal(twin.x, s.x)


def test_state_of_another_model_is_refused(ball, humanoid):
    with ball.sim() as a, humanoid.sim() as b, pytest.raises(ff.InputError, match="structure"):
        a.restore(b.state())


def test_bodies_and_channels(ball):
    with ball.sim() as s:
        body = s.body("ball")
        assert np.array_equal(body.position, [s[f"body.ball.position.{a}"] for a in "xyz"])
        body.velocity = (1, 0, 0)
        assert np.array_equal(body.velocity, (1, 0, 0))
        with pytest.raises(ff.InputError, match="did you mean 'ball'"):
            s.body("bal")
        with pytest.raises(ff.InputError, match="did you mean"):
            s.read("body.ball.position.q")
        reader = s.reader("body.ball.*")
        before = reader.read().copy()
        s.advance(0.01)
        assert not np.array_equal(reader.read(), before)
        assert reader.names[0] == "body.ball.position.x"


def test_contacts(ball):
    with ball.sim() as s:
        for _ in range(100000):
            s.step()
            if s.contacts:
                break
        c = s.contacts[0]
        assert set(c.bodies) == {"ball", "floor"} and c.depth > 0
        assert c.force @ c.normal == pytest.approx(c.force_n)
        s.advance(s.time + 0.1)
        assert c.depth > 0  # a contact is a copy of its time


def test_controller(humanoid):
    calls = []
    with humanoid.sim() as s:
        @s.control(0.002)
        def watch(sim):
            assert sim is s
            calls.append(sim.time)
            sim.robot("humanoid").order(1, torque=0.1)

        s.advance(0.01)
        assert calls == pytest.approx([0, 0.002, 0.004, 0.006, 0.008])
        s.on_control(0.002, None)
        s.advance(0.02)
        assert len(calls) == 5


def test_exceptions_of_controllers_come_back(humanoid):
    with humanoid.sim() as s:
        def fail(sim):
            if sim.time > 0.003:
                raise KeyError("mine")

        s.on_control(0.002, fail)
        with pytest.raises(KeyError, match="mine"):
            s.advance(1.0)
        assert 0.003 < s.time < 0.01
        s.on_control(0.002, None)
        s.advance(0.02)


def test_callbacks_may_not_step(ball):
    with ball.sim() as s:
        s.on_step(lambda sim: sim.step())
        with pytest.raises(ff.BusyError):
            s.advance(0.1)
        s.on_step(lambda sim: sim.close())
        with pytest.raises(ff.BusyError):
            s.advance(0.1)
        s.on_step(None)
        s.advance(0.1)


def test_events(ball):
    seen = []
    with ball.sim() as s:
        s.on_event(seen.append)
        s.advance(0.3)
    assert [e.kind for e in seen] == ["touch", "lift"] and seen[0].bodies == ("ball", "floor")
    assert seen[1].peak_force > 0 and math.isnan(seen[0].peak_force)


def test_robot(humanoid):
    with humanoid.sim() as s:
        r = s.robot("humanoid")
        q = r.q
        q[0] += 0.01
        r.q = q
        assert np.array_equal(r.q, q) and len(r.v) == r.tree.nv
        assert r.controller is None or r.controller.mode in ("stand", "shift", "swing", "flight", "fallen")
        with pytest.raises(ff.InputError, match="did you mean"):
            r.order("left_kne", torque=1)
        with pytest.raises(ff.InputError, match="finite"):
            r.order(1, torque=math.nan)
        assert r.body("trunk").name == "humanoid-trunk"


def test_advance_wants_a_finite_time(ball):
    with ball.sim() as s:
        for t in (math.nan, math.inf):
            with pytest.raises(ff.InputError):
                s.advance(t)
        with pytest.raises(TypeError):
            s.advance("1")


def test_all_scenes_load():
    names = ff.scene_names()
    assert len(names) > 30
    for name in names[::6]:
        assert ff.load(name).bodies


def test_steppers():
    assert {"adaptive", "rk4", "quasi-rigid"} <= set(ff.steppers())
