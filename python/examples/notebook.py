# %% [markdown]
# Twenty cells, written from docs/python.md alone.

# %%
import pathlib
import sys

import numpy as np

import footfall as ff

out = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "out")
out.mkdir(parents=True, exist_ok=True)

# %%
print(ff.scene_names()[:5])

# %%
m = ff.load("sliding-block")
m

# %%
m.channels["body.block.position.x"].unit

# %%
run = m.run()
print(run)

# %%
x = run["body.block.position.x"]
print(x[-1], run.units["body.block.position.x"])

# %%
mu = 0.3
print("exact", 2**2/(2*mu*9.81))

# %%
print(run.summary.energy)

# %%
for mu in (0.1, 0.2, 0.4):
    r = ff.load("sliding-block", set={"contacts.0.friction.mu_static": mu, "contacts.0.friction.mu_kinetic": mu, "duration": 2}).run(progress=False)
    print(mu, r["body.block.position.x"][-1])

# %%
print(run.match("energy.lost.*").keys())

# %%
s = m.sim()
s.advance(0.5)
print(s.body("block"))

# %%
print([c.mode for c in s.contacts], s.contacts[0].force)

# %%
snap = s.state()
s.push("block", force=(5, 0, 0))
s.advance(0.7)
a = s.body("block").position[0]
s.restore(snap)
s.advance(0.7)
print(a, s.body("block").position[0])

# %%
s.close()
try:
    s.advance(1)
except ff.ClosedError as e:
    print(e)

# %%
try:
    ff.load("sliding-block", set={"contacts.0.friction.mu": 1})
except ff.Error as e:
    print(e.key, "|", e)

# %%
f = ff.laws["hunt-crossley"].force(np.linspace(0, 1e-3, 5), 0.0, k=1e6)
print(f)

# %%
print(ff.impact("linear", mass=1, speed=1, k=1e4, b=10).restitution)

# %%
sc = ff.Scene()
b = sc.add_body(name="floor", kind="fixed")
sc.add_shape(b, kind="half-space")
for i in range(3):
    k = sc.add_body(name=f"s{i}", mass=0.1, position=(0.01*i, 0, 0.1 + 0.15 * i))
    sc.add_shape(k, kind="sphere", size=(0.05, 0, 0))
sc.add_contact(a="*", b="*", normal=("hunt-crossley", dict(k=1e5, alpha=0.3)), friction=("coulomb", dict(mu_static=.5, mu_kinetic=.4)))
sc.set_run(duration=0.4)
stack = sc.build()
r = stack.run()
print(r.verdict, len(r.events))

# %%
X = stack.rollout(np.stack([stack.x0 + 1e-3 * np.eye(len(stack.x0))[0] * i for i in range(4)]), steps=20, period=0.01)
print(X.shape)

# %%
print(r.vector("body.s0.position")[-1])
h = ff.load("humanoid-walking", set={"duration": 0.2})
hr = h.run()
print(hr.verdict, hr.sim.robot("humanoid").controller.mode)

# %%
html = hr._repr_html_()
print(len(html))
if ff.lib.ff_page_available(ff.ffi.NULL):
    hr.report(out / "walk.html")
