"""Runs, recordings, reports."""
import os
import pathlib

import numpy as np
import pytest

import footfall as ff

HAS_PAGE = ff.lib.ff_page_available(ff.ffi.NULL)


def test_run(ball):
    run = ball.run(progress=False)
    assert run.verdict == "good" and run.good and run.findings == []
    assert run["energy.residual"].max() < 1e-6 and run.units["energy.residual"] == "J"
    assert len(run.time) == run.rows and run.time[0] == 0 and run.time[-1] == 0.5
    assert run.summary["contact.ball:floor"].peak_force == pytest.approx(300.8, rel=1e-3)
    assert run.summary.touch_downs == 2 == len([e for e in run.events if e.kind == "touch"])
    assert run.vector("body.ball.position").shape == (run.rows, 3)
    assert set(run.match("energy.*")) == {n for n in run if n.startswith("energy.")}
    assert "good" in run.verdict_text and ball.last_run is run
    with pytest.raises(KeyError, match="did you mean 'energy.work'"):
        run["energy.wrk"]
    with pytest.raises(ff.InputError, match="summary"):
        run.summary["nonsense"]


def test_columns_are_views(ball):
    run = ball.run(progress=False)
    z = run["body.ball.position.z"]
    assert not z.flags.owndata and not z.flags.writeable
    assert z.__array_interface__["data"] == run["body.ball.position.z"].__array_interface__["data"]
    first = z[0]
    run.close()
    with pytest.raises(ff.ClosedError):
        run["time"]
    del run
    assert z[0] == first and np.isfinite(z).all()


def test_recording_has_the_bits_of_the_run(ball, tmp_path):
    files = [tmp_path / "out.h5", tmp_path / "out.csv"]
    run = ball.run(files, progress=False)
    for file in files:
        rec = ff.open(file)
        assert rec.names == run.names
        assert all(np.array_equal(rec[n], run[n], equal_nan=True) for n in run)
    rec = ff.open(files[0])
    assert rec.units == run.units  # a CSV file has none
    assert rec.verdict == "good" and rec.events == run.events
    assert rec.load_scene().bodies == ball.bodies
    assert rec.scene_text == ball.scene.source


def test_same_numbers_as_the_program(ball, tmp_path):
    out = tmp_path / "program.h5"
    ff.program("run", ball.scene.file, "-o", str(out), "--quiet")
    rec, run = ff.open(out), ball.run(progress=False)
    assert all(np.array_equal(rec[n], run[n], equal_nan=True) for n in run)


def test_bad_verdict_is_found():
    m = ff.load("bouncing-ball", set={"stepper.kind": "rk4", "stepper.step": 2e-3})
    run = m.run(progress=False)
    assert not run.good and run.verdict != "good" and len(run.findings) >= 1
    assert "NOT good" in run.verdict_text


def test_control_of_a_run(humanoid):
    times = []
    m = ff.load("humanoid-standing", set={"duration": 0.02})
    m.run(control=lambda s: times.append(s.time), period=0.005, progress=False)
    assert times == pytest.approx([0, 0.005, 0.01, 0.015])
    with pytest.raises(ff.InputError, match="period"):
        m.run(control=print)


def test_errors_of_controllers_keep_the_run():
    m = ff.load("humanoid-standing", set={"duration": 0.05})

    def fail(s):
        if s.time > 0.02:
            raise ZeroDivisionError("mine")

    with pytest.raises(ZeroDivisionError) as caught:
        m.run(control=fail, period=0.005, progress=False)
    run = caught.value.run
    assert run.incomplete and 0 < run.rows and m.last_run is run


def test_checkpoint(tmp_path):
    m = ff.load("bouncing-ball")
    file, out = tmp_path / "run.checkpoint", tmp_path / "out.h5"

    def stop(s):
        if s.time > 0.25:
            raise RuntimeError("stop")

    with pytest.raises(RuntimeError):
        m.run(out, control=stop, period=0.1, checkpoint=file, progress=False)
    if not file.exists():
        pytest.skip("a step that was cancelled inside leaves no checkpoint")
    whole = ff.load("bouncing-ball").run(control=lambda s: None, period=0.1, progress=False)
    rest = ff.resume(file, progress=False)
    assert rest.rows == whole.rows


def test_progress_bar(ball, capsys):
    ff.load("humanoid-standing", set={"duration": 0.3}).run(progress=True)
    shown = capsys.readouterr().err
    assert "%" in shown and shown.endswith("\r")


def test_run_without_memory(ball, tmp_path):
    run = ball.run(tmp_path / "x.csv", keep=False, progress=False)
    assert len(run) == 0 and run.verdict == "good"
    assert ff.open(run.outputs[0]).rows == 1001


@pytest.mark.skipif(not HAS_PAGE, reason="built without the page of reports")
def test_report(ball, tmp_path):
    run = ball.run(progress=False)
    path = run.report(tmp_path / "x.html")
    text = pathlib.Path(path).read_text()
    assert "Bouncing ball" in text and "</html>" in text
    assert run._repr_html_().startswith("<iframe")
    assert "<table>" in run._table_html("note")
    with ff.Page("Mine") as page:
        page.section("One")
        page.text("100 % of it")
        page.table("t", ["a", "b"], [[1, "x"], [2, "y"]])
        page.plot("p", ("x", "m"), ("y", "1"), log="x")
        page.curve("c", [1, 2], [3, 4], style="markers")
        at = page.add_run(run)
        page.replay(at)
        page.panel(["energy.kinetic"])
        page.write(tmp_path / "y.html")
    assert "100 % of it" in (tmp_path / "y.html").read_text()
    with pytest.raises(OSError):
        run.report(tmp_path / "missing" / "x.html")


def test_plot_says_what_is_missing(ball):
    run = ball.run(progress=False)
    try:
        import matplotlib

        matplotlib.use("Agg")
        assert run.plot("energy.*")
    except ImportError:
        with pytest.raises(ImportError, match="python3-matplotlib"):
            run.plot("energy.*")


def test_unreadable_recordings(tmp_path):
    bad = tmp_path / "bad.h5"
    bad.write_bytes(b"nonsense")
    with pytest.raises(ff.Error) as caught:
        ff.open(bad)
    assert caught.value.file == str(bad) or str(bad) in str(caught.value)
    with pytest.raises(OSError):
        ff.open(tmp_path / "none.csv")


def test_papers():
    listed = ff.papers()
    assert {"marhefka-orin-1996", "brown-mcphee-2018"} <= {p.key for p in listed}
    with pytest.raises(ff.InputError, match="did you mean 'brown-mcphee-2018'"):
        ff.paper("brown-mcphee-2019")


def test_paper():
    found = ff.paper("brown-mcphee-2018", quick=True)
    assert found.good and found.claims[0].verdict in ("holds", "in part", "differs", "not tested")


def test_study():
    studies = sorted((pathlib.Path(ff.__file__).parent / "scenes" / "studies").glob("*.yaml"))
    study = ff.Study(studies[0])
    assert len(study) == study.runs > 0 and set(study.parameters(0)) == set(study.parameter_names)
    with pytest.raises(ff.InputError):
        study.parameters(study.runs)
