# %% [markdown]
# Many trajectories at once, and environments for learning.

# %%
import numpy as np

import footfall as ff

m = ff.load("scenes/humanoid-standing.yaml")
B, T = 8, 50
x0 = np.repeat(m.x0[None], B, axis=0)
x0[:, m.x_names.index("robot.humanoid.q2")] += np.linspace(0, 0.02, B)  # dropped from higher
inputs = [n for n in m.input_names if n.endswith(".target")]
X = m.rollout(x0, np.zeros((B, T, len(inputs))), inputs=inputs)
print(X.shape, "heights at the end", X[:, -1, 2])

# %% [markdown]
# Random search for a push that moves a box to its goal.

# %%
with ff.env.PushBox(16) as envs:
    obs, _ = envs.reset(seed=1)
    first = np.hypot(obs[:, 0], obs[:, 1])
    total = np.zeros(16)
    for k in range(40):
        action = np.zeros((16, 3))
        wanted = obs[:, :2] * 3 - obs[:, 3:5] * 1.2
        action[:, :2] = wanted + 0.4 * np.sign(wanted)  # pushes against friction
        action[:, 2] = -obs[:, 2] - 0.3 * obs[:, 5]
        obs, reward, terminated, truncated, info = envs.step(action)
        total += reward
    print("distance to the goal at first", first.mean(), "return", total.mean())

# %% [markdown]
# The humanoid keeps standing with its targets at rest, and falls with random ones.

# %%
for name, scale in (("at rest", 0.0), ("random", 1.0)):
    with ff.env.Humanoid(4, "balance", push=0.02) as envs:
        envs.reset(seed=1)
        fallen = np.zeros(4, dtype=bool)
        for k in range(100):
            _, _, terminated, _, _ = envs.step(scale * envs.action_space.sample())
            fallen |= terminated
        print(name, "fallen:", fallen.sum(), "of 4")
