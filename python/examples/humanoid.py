# %% [markdown]
# A humanoid: push it, go back, look at its dynamics, control it from Python.

# %%
import numpy as np

import footfall as ff

m = ff.load("scenes/humanoid-standing.yaml")
print(m, m.joints("humanoid")[:4], "...")

# %%
with m.sim() as s:
    s.advance(0.3)
    snap = s.state()
    s.push("humanoid-trunk", force=(0, 5, 0))
    s.advance(0.5)
    pushed = s.body("humanoid-trunk").position
    s.restore(snap)
    s.advance(0.5)
    print("pushed", pushed, "left alone", s.body("humanoid-trunk").position)
    for c in s.contacts[:2]:
        print(c.bodies, c.depth, c.force)

# %% [markdown]
# Dynamics: H a + b = tau, a Jacobian, inverse kinematics.

# %%
tree = m.tree("humanoid")
with m.sim() as s:
    q, v = s.robot("humanoid").q, s.robot("humanoid").v
a = np.linalg.solve(tree.H(q), -tree.b(q, v))
print("free fall of the trunk:", a[3:6])
q, _ = ff.Walk(tree, []).joints(0.0)  # stands with bent knees: from straight ones it could not lift a foot
goal = tree.fk(q, "left_foot")[:3] + (0, 0, 0.02)
lifted = tree.ik("left_foot", goal, q=q, root="trunk")
print("joint angles that lift the foot by 2 cm change by", np.abs(lifted - q).max(), "rad")

# %% [markdown]
# A controller as a function: a slow bow of the trunk.

# %%
hips = [j for j in m.joints("humanoid") if "hip_pitch" in j]


def bow(s):
    for joint in hips:
        s.robot("humanoid").order(joint, target=-0.3 * min(1, s.time), stiffness=30, damping=0.5)


run = m.run(control=bow, period=0.005)
print(run.verdict_text)
for joint in hips:
    print(joint, run[f"joint.humanoid-{joint}.position"][-1], "rad")
