"""Laws, impacts, volumes, solvers, trees: everything that works without a sim."""
import math

import numpy as np
import pytest

import footfall as ff


def test_laws_on_arrays():
    hc = ff.laws["hunt-crossley"]
    depth, rate = np.linspace(0, 0.01, 5)[:, None], np.linspace(-1, 1, 3)
    force = hc.force(depth, rate, k=1e4, n=1, alpha=0.2)
    assert force.shape == (5, 3)
    assert force == pytest.approx(np.maximum(0, 1e4 * depth * (1 + 1.5 * 0.2 * rate)))
    assert isinstance(hc.force(0.01, 0.0, k=1e4), float)
    every = hc.normal(depth, rate, k=1e4, n=1, alpha=0.2)
    assert np.array_equal(every["force"], force)
    assert set(every) == {"force", "elastic", "energy", "d_depth", "d_rate"}
    with pytest.raises(ff.InputError, match="did you mean 'alpha'"):
        hc.force(0.1, 0, k=1, alfa=1)
    with pytest.raises(ff.InputError, match="did you mean 'hunt-crossley'"):
        ff.laws["hunt-crosley"]
    assert "N/m" in hc.__doc__


def test_every_law_can_be_called():
    for name, law in ff.laws.items():
        given = {p.name: 1.0 for p in law.params if math.isnan(p.fallback) and not p.otherwise}
        try:
            law.resolve(**given)
        except ff.InputError:
            continue
        if law.kind == "normal":
            law.normal([0.0, 1e-3], 0.1, volume=1e-6, area=1e-4, centroid_depth=1e-3, **given)
        else:
            out = law.friction([1.0, 2.0], [(0.1, 0), (0, 0.2)], **given)
            assert out["force"].shape == (2, 2) and (out["lost"] >= 0).all()


def test_friction():
    slip = np.array([[1.0, 0], [0, -2.0]])
    law = ff.laws["coulomb"]
    out = law.friction(10.0, slip, pair=ff.Pair(mu_static=0.6, mu_kinetic=0.5))
    assert np.array_equal(out["force"], law.friction(10.0, slip, mu_static=0.6, mu_kinetic=0.5)["force"])
    assert (np.einsum("ij,ij->i", out["force"], slip) <= 0).all()


def test_impacts():
    one = ff.impact("hunt-crossley", mass=1, speed=2.0, k=1e4, n=1, alpha=0.1)
    two = ff.impact("hunt-crossley", mass=1, speed=2.0, k=1e4, n=1, alpha=0.1, method="simulate")
    assert one.restitution == pytest.approx(0.83286979, abs=1e-8)
    assert two.restitution == pytest.approx(one.restitution, rel=1e-9)
    many = ff.impact("hunt-crossley", speed=np.linspace(0.1, 2, 5), k=1e4, n=1, alpha=[[0.1], [0.2]])
    assert many.restitution.shape == (2, 5) and (np.diff(many.restitution) < 0).all()
    alpha = ff.design_alpha(0.8, 1.0)
    assert ff.impact("hunt-crossley", speed=1.0, k=1e4, alpha=alpha).restitution == pytest.approx(0.8)
    k = ff.design_k(mass=1, speed=1, depth=0.01)
    assert ff.impact("hunt-crossley", mass=1, speed=1, k=k).depth_max == pytest.approx(0.01)
    with pytest.raises(ff.InputError):
        ff.impact("hunt-crossley", mass=-1, k=1)


def test_volumes():
    half = ff.volume("sphere", 0.1)
    assert half.volume == pytest.approx(2 / 3 * math.pi * 1e-3)
    cube = [(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]
    faces = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    assert ff.volume("polyhedron", vertices=cube, faces=faces).volume == pytest.approx(4)
    assert ff.volume("box", (1, 1, 1)).volume == pytest.approx(4)
    with pytest.raises(ff.InputError, match="range"):
        ff.volume("polyhedron", vertices=cube, faces=[(0, 1, 99)])
    hull, error = ff.hull_reduce(np.random.default_rng(1).normal(size=(200, 3)), 12)
    assert hull.shape == (12, 3) and error > 0


def test_solvers():
    m, q = [[2.0, 1], [1, 2]], [-1.0, 1]
    assert ff.lcp(m, q).x == pytest.approx([0.5, 0])
    solved = ff.ncp(lambda z: np.array(m) @ z + q, [1.0, 1.0], lower=0)
    assert solved.solved and solved.z == pytest.approx([0.5, 0])
    assert ff.ncp_residual(solved.z, np.array(m) @ solved.z + q, lower=0) < 1e-9
    assert ff.qp(m, [-2.0, 3.0], lower=0).x == pytest.approx([1, 0])
    a = np.random.default_rng(2).normal(size=(8, 3))
    b = a @ [1.0, 2, 3]
    assert ff.qp(A=a, b=b).x == pytest.approx([1, 2, 3])
    assert ff.qp(A=a, b=b, upper=[9, 9, 2.0]).x[2] == 2.0
    with pytest.raises(ZeroDivisionError):
        ff.ncp(lambda z: 1 / 0, [1.0])
    with pytest.raises(ff.InputError, match="shape"):
        ff.ncp(lambda z: np.zeros(3), [1.0])
    with pytest.raises(ff.InputError):
        ff.qp(np.zeros((2, 3)))


def test_tree(humanoid):
    tree = humanoid.tree("humanoid")
    rng = np.random.default_rng(3)
    q = tree.q_move(tree.neutral, rng.normal(size=tree.nv), 0.2)
    v, a = rng.normal(size=(2, tree.nv))
    tau = tree.inverse_dynamics(q, v, a)
    assert tau == pytest.approx(tree.H(q) @ a + tree.b(q, v), abs=1e-9)
    assert tree.forward_dynamics(q, v, tau) == pytest.approx(a, abs=1e-7)
    assert tree.J(q, "left_foot") @ v == pytest.approx(tree.velocity(q, v, "left_foot"), abs=1e-12)
    C = tree.C(q, v)
    assert C @ v + tree.b(q, 0 * v) == pytest.approx(tree.b(q, v), abs=1e-9)
    poses = tree.fk(q)
    assert poses.shape == (len(tree.links), 7)
    assert np.array_equal(tree.fk(q, "left_foot"), poses[tree.find("left_foot") - 1])
    goal = tree.fk(q, "left_foot")[:3] + (0.01, 0, 0.01)
    reached = tree.ik("left_foot", goal, q=q)
    assert tree.fk(reached, "left_foot")[:3] == pytest.approx(goal, abs=1e-8)
    with pytest.raises(ff.InputError, match="stays"):
        tree.ik("left_foot", (100, 0, 0), q=q, root="trunk")
    many = tree.H(np.stack([q, tree.neutral]))
    assert many.shape == (2, tree.nv, tree.nv) and np.array_equal(many[0], tree.H(q))
    assert tree.com(q).shape == (3,) and tree.mass > 1
    with pytest.raises(ff.InputError, match="expected shape"):
        tree.H(q[:-1])


def test_tree_outlives_its_model():
    tree = ff.load("double-pendulum").tree() if ff.load("double-pendulum").robots else ff.Robot("robots/double-pendulum.urdf").tree("fixed")
    assert tree.H(tree.neutral).shape == (tree.nv, tree.nv)


def test_robot_walk_and_controller():
    robot = ff.Robot("robots/humanoid.urdf")
    tree = robot.tree("free")
    walk = ff.Walk(tree, [(0.05, 0, 0)] * 2)
    q, v = walk.joints(walk.duration / 2)
    assert len(q) == tree.nq and np.isfinite(q).all() and walk.at(1.0).com.shape == (3,)
    controller = ff.Controller(tree, tasks=[ff.Task(kind="stand", time=1.0)])
    orders = controller.tick(controller.start, np.zeros(tree.nv), (0, 0, 20), (0, 0, 20))
    assert len(orders) >= 12 and controller.now.mode == "stand"
    assert robot.links[0].joint_name == "" and robot.files


def test_missing_meshes_may_be_left_out(tmp_path):
    path = tmp_path / "part.urdf"
    path.write_text("<robot name='r'><link name='a'><inertial><mass value='1'/></inertial>"
                    "<collision><geometry><mesh filename='none.stl'/></geometry></collision>"
                    "<collision><geometry><sphere radius='0.5'/></geometry></collision></link></robot>")
    with pytest.raises(OSError, match="none.stl"):
        ff.Robot(path)
    robot = ff.Robot(path, skip_meshes=True)
    assert len(robot.shapes) == 1 and "none.stl" in robot.notes[0]


def test_joint_step_names_the_joint():
    assert ff.load("humanoid-standing").joint_step() == (math.inf, None)  # implicit joints
    held = ff.load("humanoid-standing", set={"stepper": {"kind": "rk4", "step": 1e-5}})
    step, joint = held.joint_step()
    robot, name = joint.split("/")
    assert 0 < step < 0.1 and name in held.joints(robot)


def test_robot_in_a_scene():
    robot = ff.Robot("robots/humanoid.urdf")
    scene = ff.Scene()
    floor = scene.add_body(name="floor", kind="fixed")
    scene.add_shape(floor, kind="half-space")
    scene.add_contact(a="*", b="*", normal=("hunt-crossley", {"k": 1e5, "alpha": 0.5}))
    scene.add_robot(robot.definition("h", on_ground=True))
    run = ff.RunDef(duration=0.01)
    run.stepper = ff.StepperDef(**{**run.stepper.__dict__, "kind": "symplectic-euler", "step": 1e-3})
    scene.set_run(run)
    m = scene.build()
    assert m.robots == ["h"] and m.run(progress=False).rows > 0
