"""Fits, restitution curves, sweeps, validation and findings: from made data to answers."""
import csv
import pathlib

import numpy as np
import pytest

import footfall as ff

DROP = """
footfall: 1
duration: 0.4
stepper: {kind: adaptive, rtol: 1e-6}
record: {every: 0.01, channels: [body.ball.position.z]}
bodies:
  floor: {fixed: true, shape: {half-space: {}}}
  ball:  {mass: 0.2, shape: {sphere: {radius: 0.03}}, position: [0, 0, 0.15]}
contacts:
  - {pair: [ball, floor], normal: {law: hunt-crossley, k: 2e5, alpha: 0.3}}
"""

FIT = """
fit: 1
scene: drop.yaml
laws:
  hunt-crossley:
    parameters:
      alpha: {path: contacts.0.normal.alpha, bounds: [0, 1]}
  no loss:
    set: {contacts.0.normal.alpha: 0}
    parameters:
      k: {path: contacts.0.normal.k, start: 1e5, bounds: [1e4, 1e6], scale: log}
data: {files: drop.csv}
compare:
  - {columns: z, channel: body.ball.position.z, noise: 5e-4}
errors:
  - {name: height, unit: mm, columns: z, scale: 1000}
published:
  - {name: somebody, source: a book, height: 3.5}
"""

SWEEP = """
study: 1
scene: drop.yaml
vary:
  bodies.ball.mass: [0.1, 0.2, 0.4]
measure:
  low: {channel: body.ball.position.z, take: min}
"""


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "drop.yaml").write_text(DROP)
    (tmp_path / "fit.yaml").write_text(FIT)
    (tmp_path / "sweep.yaml").write_text(SWEEP)
    run = ff.load(tmp_path / "drop.yaml").run()
    random = np.random.default_rng(1)
    with open(tmp_path / "drop.csv", "w", newline="") as file:
        out = csv.writer(file)
        out.writerow(["t", "z"])
        out.writerows(zip(run.time, run["body.ball.position.z"] + 5e-4 * random.standard_normal(len(run.time))))
    return tmp_path


def test_a_fit_finds_what_made_the_data(folder):
    fit = ff.Fit(folder / "fit.yaml")
    with pytest.raises(ff.InputError, match="call solve"):
        fit.outcomes
    good, bad = fit.solve(threads=2)
    estimate = good.estimates[0]
    assert estimate.interval[0] < estimate.value < estimate.interval[1]
    assert good.parameters["alpha"] == pytest.approx(0.3, abs=0.05)
    assert good.rms < 1.3 < bad.rms and good.aicc < bad.aicc
    assert good.correlations.shape == (1, 1)
    errors = fit.errors()
    assert errors[0].unit == "mm" and errors[0].fitted < errors[1].fitted and len(errors[0].each) == 1
    assert fit.published[0].errors == {"height": 3.5}
    curve = fit.curves(0)["z"]
    assert len(curve.time) == len(curve.measured) == 41
    assert np.abs(curve.measured - curve.computed).max() < 5e-3
    assert fit.rms(0)[0] == good.rms and not fit.held_out.any()
    with pytest.raises(ff.InputError):
        fit.curves(1)
    fit.close()
    with pytest.raises(ff.ClosedError):
        fit.errors()


def test_a_fit_can_be_watched_and_ended(folder):
    seen = []
    with ff.Fit(folder / "fit.yaml") as fit:
        outcomes = fit.solve(threads=2, watch=seen.append)
        assert [r.law_number for r in seen] == sorted(r.law_number for r in seen)
        assert seen[-1].law_count == 2 and {r.law for r in seen} == {o.law for o in outcomes}
        assert all(r.stage for r in seen) and seen[-1].evaluations > 0

        def fail(record):
            raise KeyError(record.law)

        with pytest.raises(KeyError):
            fit.solve(1, watch=fail)
        with pytest.raises(TypeError):
            fit.solve(watch=1)
        assert len(fit.solve(1)) == 2


def test_laws_are_chosen_and_values_kept(folder):
    fit = ff.Fit(folder / "fit.yaml")
    with pytest.raises(ff.InputError, match="did you mean 'no loss'"):
        fit.choose_laws("no los")
    fit.choose_laws("no loss")
    fit.keep_values()
    outcome, = fit.solve(1)
    assert fit.law_count == 1 and outcome.parameters["k"] == 1e5
    with pytest.raises(ff.Error):
        ff.Fit(folder / "none.yaml")


def test_restitution_curves(folder):
    speed = np.linspace(0.3, 3, 8)
    e = ff.impact("hunt-crossley", speed=speed, k=1e4, alpha=0.2).restitution
    found = ff.fit_impacts("hunt-crossley", speed, e, vary=["alpha"], k=1e4)
    assert found.parameters["alpha"] == pytest.approx(0.2, rel=1e-5)
    assert found.computed == pytest.approx(e, abs=1e-6)
    found = ff.fit_impacts("hunt-crossley", speed, e, vary={"alpha": (0.1, 1)}, noise=0.01)
    assert found.without_effect == ["k"] and found.law_parameters["alpha"] == found.parameters["alpha"]
    with pytest.raises(ff.InputError, match="did you mean 'alpha'"):
        ff.fit_impacts("hunt-crossley", speed, e, vary=["alhpa"])
    with pytest.raises(ff.InputError):
        ff.fit_impacts("hunt-crossley", speed, e[:3])
    (folder / "e.csv").write_text("v,e\n1,0.8\n2,0.7\n")
    data = ff.read_impacts(folder / "e.csv")
    assert data.noise is None and data.restitution.tolist() == [0.8, 0.7]


def test_a_sweep_is_the_same_on_any_threads(folder):
    study = ff.Study(folder / "sweep.yaml")
    one, two = study.sweep(threads=1), study.sweep(threads=2)
    assert one.parameters["bodies.ball.mass"].tolist() == ["0.1", "0.2", "0.4"] or \
        one.parameters["bodies.ball.mass"].tolist() == [0.1, 0.2, 0.4]
    assert np.array_equal(one.measures["low"], two.measures["low"])
    assert (np.diff(one.measures["low"]) < 0).all()
    assert study.sweep(runs=[2]).run.tolist() == [2]


def test_validation(tmp_path):
    sets = ff.validation_sets()
    assert "BSD-3-Clause" in sets["cube-tosses"].origin
    with pytest.raises(ff.InputError, match="did you mean 'cube-tosses'"):
        ff.validate("cube-toss", tmp_path)
    with pytest.raises(ff.InputError, match="has no tosses"):
        ff.validate("cube-tosses", tmp_path)
    rows = ["impact,x_pre_m,y_pre_m,theta_pre_rad,vx_pre,vy_pre,omega_pre,x_post,y_post,theta_post,"
            "vx_post,vy_post,omega_post"]
    rows += [f"{i},0,0.025,0,0.3,{-1 - 0.1 * i},0,0,0.025,0,0.2,{0.5 + 0.1 * i},0" for i in range(4)]
    (tmp_path / "ellipse.csv").write_text("\n".join(rows) + "\n")
    fit = ff.validate("ellipse-impacts", tmp_path, laws=["layer"], fit=False, threads=1)
    error = fit.errors()[0]
    assert error.law == "layer" and 0 < error.fitted < 1 and fit.published
    assert pathlib.Path(tmp_path / "ellipse.csv").exists()


def test_findings_of_a_live_sim():
    deep = DROP.replace("k: 2e5", "k: 50").replace("adaptive, rtol: 1e-6", "rk4, step: 1e-3")
    with ff.parse(deep).sim() as s:
        assert [f.kind for f in s.findings] == ["nothing touched"]
        s.advance(0.3)
        found = s.findings
    assert found and all(f.kind and f.meaning for f in found)
    assert any("ball" in f.bodies for f in found)
