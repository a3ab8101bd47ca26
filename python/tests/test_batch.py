"""Rollouts and batches."""
import numpy as np
import pytest

import footfall as ff

BOX = "sliding-block"


def test_rollout_is_that_of_single_sims(humanoid):
    rng = np.random.default_rng(1)
    nu = len(humanoid.joints())
    x0 = np.stack([humanoid.x0] * 3)
    x0[:, 2] += [0, 0.01, 0.02]
    u = rng.normal(size=(3, 8, nu))
    X = humanoid.rollout(x0, u, threads=2)
    assert X.shape == (3, 8, x0.shape[1])
    assert np.array_equal(X, humanoid.rollout(x0, u, threads=1))
    assert np.array_equal(X, humanoid.rollout(x0, u, threads=5))
    for i in range(3):
        with humanoid.sim() as s:
            s.x = x0[i]
            for k in range(8):
                s.robot().torques(u[i, k])
                s.step()
                assert np.array_equal(s.x, X[i, k])


def test_rollout_over_parameters():
    models = [ff.load("bouncing-ball", set={"contacts.0.normal.alpha": a}) for a in (0.1, 0.3)]
    X = models[0].rollout(models=models, steps=30, period=0.01)
    at = models[0].x_names.index("body.ball.position.z")
    assert X.shape[0] == 2 and not np.array_equal(X[0], X[1])
    with models[1].sim() as s:
        s.advance(0.01)
        assert s.x[at] == X[1, 0, at]


def test_rollout_errors(ball, humanoid):
    with pytest.raises(ff.InputError, match="period"):
        ball.rollout(steps=3)  # adaptive needs one
    with pytest.raises(ff.InputError, match="steps"):
        humanoid.rollout()
    with pytest.raises(ff.InputError, match="numbers"):
        humanoid.rollout(u=np.zeros((1, 2, 3)))
    with pytest.raises(ff.InputError, match="different numbers"):
        humanoid.rollout(x0=np.zeros((2, 53)), u=np.zeros((3, 1, 20)))
    with pytest.raises(ff.InputError, match="structure|other bodies"):
        humanoid.rollout(models=[humanoid, ball], steps=1)
    with pytest.raises(ff.InputError, match="finite"):
        humanoid.rollout(u=np.full((1, 2, len(humanoid.joints())), np.nan))
    with pytest.raises(ff.InputError, match="did you mean"):
        ball.batch(1, inputs=["body.bal.force.x"])


def test_batch(ball):
    with ball.batch(4, period=0.01, inputs=["body.ball.force.x", "body.ball.moment.z"], threads=2) as batch:
        u = np.zeros((4, 2))
        u[:, 0] = range(4)
        assert batch.step(u).all()
        vx = batch.read("body.ball.velocity.x")[:, 0]
        assert vx[0] == 0 and (np.diff(vx) > 0).all()
        batch.reset(np.array([False, True, False, False]))
        assert batch.sim(1).time == 0 and batch.sim(0).time == pytest.approx(0.01)
        batch.x = ball.x0
        assert np.array_equal(batch.x[3], ball.x0)
        sim = batch.sim(2)
    with pytest.raises(ff.ClosedError):
        batch.x
    assert np.isfinite(sim.time)  # keeps the batch alive


def test_a_failed_sim_rests(ball):
    with ball.batch(2, period=0.01) as batch, pytest.raises(ff.InputError):
        x = np.stack([ball.x0] * 2)
        x[1, 0] = np.nan
        batch.x = x
