# %% [markdown]
# A ball, its run, its report.

# %%
import pathlib
import sys

import numpy as np

import footfall as ff

out = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "out")
out.mkdir(parents=True, exist_ok=True)
m = ff.load("scenes/bouncing-ball.yaml", set={"contacts.0.normal.alpha": 0.3})
m

# %%
run = m.run()
print(run.verdict_text)
print("largest residual", np.abs(run["energy.residual"]).max(), run.units["energy.residual"])
print(run.summary["contact.ball:floor"])

# %%
for event in run.events:
    print(f"{event.time:.4f} s  {event.kind:5s} {event.a} and {event.b} at {event.speed:.3f} m/s")

# %%
if ff.lib.ff_page_available(ff.ffi.NULL):
    print("report:", run.report(out / "ball.html"))

# %% [markdown]
# Restitution over impact speed: in closed form, and by the simulated bounces.

# %%
speed = np.linspace(0.1, 2, 20)
exact = ff.impact("hunt-crossley", mass=0.154, speed=speed, k=8.5e6, n=1.5, alpha=0.3).restitution
touches = [e for e in run.events if e.kind == "touch"]
lifts = [e for e in run.events if e.kind == "lift"]
for t, l in zip(touches, lifts):
    wanted = ff.impact("hunt-crossley", mass=0.154, speed=t.speed, k=8.5e6, alpha=0.3).restitution
    print(f"restitution {l.speed / t.speed:.5f}, closed form {wanted:.5f}")
    assert abs(l.speed / t.speed - wanted) < 5e-3

# %%
try:
    import matplotlib

    matplotlib.use("Agg")
    run.plot("energy.kinetic", "energy.gravity", "body.ball.position.z").savefig(out / "ball.png")
except ImportError:
    print("no matplotlib: no figure")
