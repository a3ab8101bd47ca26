"""Environments, and the examples."""
import os
import pathlib
import subprocess
import sys

import numpy as np
import pytest

import footfall as ff


def play(envs, steps, seed):
    obs, info = envs.reset(seed=seed)
    seen = [obs]
    for _ in range(steps):
        out = envs.step(envs.action_space.sample())
        assert len(out) == 5 and out[0].shape == envs.observation_space.shape
        assert out[1].shape == out[2].shape == out[3].shape == (envs.num_envs,)
        seen.append(out[0])
    envs.close()
    return np.array(seen)


@pytest.mark.parametrize("make", [lambda n, t: ff.env.PushBox(n, threads=t, limit=0.3),
                                  lambda n, t: ff.env.Humanoid(n, "walk", threads=t, limit=0.05)])
def test_episodes_repeat_on_any_number_of_threads(make):
    one, two, three = (play(make(3, t), 8, seed) for t, seed in ((1, 5), (2, 5), (2, 6)))
    assert np.array_equal(one, two) and not np.array_equal(one, three)


def test_autoreset():
    envs = ff.env.PushBox(2, limit=0.1)
    envs.reset(seed=1)
    zero = np.zeros((2, 3))
    _, _, _, truncated, _ = envs.step(zero)
    assert not truncated.any()
    _, _, _, truncated, _ = envs.step(zero)
    assert truncated.all()
    obs, reward, terminated, truncated, _ = envs.step(zero)
    assert not truncated.any() and (reward == 0).all() and envs.batch.sim(0).time == 0
    with pytest.raises(ff.InputError, match="shape"):
        envs.step(np.zeros(3))


def test_single():
    env = ff.env.single(ff.env.PushBox(1))
    obs, info = env.reset(seed=3)
    assert obs.shape == env.observation_space.shape == (6,)
    obs, reward, terminated, truncated, info = env.step(env.action_space.sample())
    assert isinstance(reward, float) and terminated is False
    env.close()


EXAMPLES = sorted((pathlib.Path(__file__).parents[1] / "examples").glob("*.py"))


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda p: p.stem)
def test_example(example, tmp_path):
    env = dict(os.environ, PYTHONPATH=os.pathsep.join(p for p in sys.path if p))
    done = subprocess.run([sys.executable, str(example), str(tmp_path)], env=env, capture_output=True, text=True,
                          cwd=tmp_path, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
