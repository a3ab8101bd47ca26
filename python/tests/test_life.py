"""Lifetimes, threads, Ctrl-C."""
import gc
import os
import resource
import signal
import subprocess
import sys
import textwrap
import threading
import time
import weakref

import numpy as np
import pytest

import footfall as ff


def test_use_after_close(ball, tmp_path):
    things = [ball.sim(), ball.sim().state(), ff.Page("x"), ball.batch(1, period=0.1), ball.run(progress=False),
              ff.Robot("robots/humanoid.urdf"), ff.load("bouncing-ball"), ff.Scene()]
    for thing in things:
        thing.close()
        thing.close()
        assert thing.closed
        for name in dir(type(thing)):
            if name.startswith("_") or name in ("close", "closed", "step", "load", "parse", "from_bytes"):
                continue
            member = getattr(type(thing), name)
            if isinstance(member, property) and member.fget:
                try:
                    getattr(thing, name)
                except ff.ClosedError:
                    pass
        repr(thing)
    sim = things[0]
    for call in (sim.step, lambda: sim.advance(1), sim.reset, lambda: sim.time, lambda: sim.push("ball"),
                 lambda: sim.read("energy.*"), lambda: sim.contacts, lambda: sim.body("ball").position):
        with pytest.raises(ff.ClosedError):
            call()
    with pytest.raises(ff.ClosedError):
        ball.sim().restore(things[1])
    with pytest.raises(ff.ClosedError):
        things[6].sim()


def test_owners_live_as_long_as_needed():
    sim = ff.load("bouncing-ball").sim()
    gc.collect()
    sim.advance(0.2)
    reader = sim.reader("energy.*")
    contacts = sim.contacts
    del sim
    gc.collect()
    assert np.isfinite(reader.read()).all() and contacts is not None
    model = ff.load("bouncing-ball")
    sim = model.sim()
    model.close()
    sim.advance(0.1)  # its C model is still there
    assert sim.time == 0.1


def test_cycles_are_collected(ball):
    sim = ball.sim()
    sim.on_step(lambda s, own=sim: None)
    dead = weakref.ref(sim)
    del sim
    gc.collect()
    assert dead() is None


def test_one_sim_in_two_threads(humanoid):
    sim = humanoid.sim()
    errors, stop = [], threading.Event()

    def disturb():
        while not stop.is_set():
            try:
                sim.x, sim.contacts, sim.step()
            except ff.BusyError as error:
                errors.append(error)

    other = threading.Thread(target=disturb)
    other.start()
    for k in range(20):
        try:
            sim.advance(sim.time + 0.002)
            sim.state()
        except ff.BusyError as error:
            errors.append(error)
    stop.set()
    other.join()
    assert all("another thread" in str(error) for error in errors)
    assert sim.verdict is not None


def test_a_step_keeps_other_threads_out(humanoid):
    sim = humanoid.sim()
    inside, leave = threading.Event(), threading.Event()
    sim.on_step(lambda s: (inside.set(), leave.wait()))
    other = threading.Thread(target=sim.step)
    other.start()
    inside.wait()
    try:
        for use in (lambda: sim.x, lambda: sim.contacts, sim.step, sim.state):
            with pytest.raises(ff.BusyError, match="another thread"):
                use()
    finally:
        leave.set()
        other.join()
    assert sim.time > 0


def test_sims_in_threads_have_the_same_bits(humanoid):
    results = [None] * 4

    def run(i):
        with humanoid.sim() as s:
            s.advance(0.05)
            results[i] = s.x

    threads = [threading.Thread(target=run, args=(i,)) for i in range(4)]
    [t.start() for t in threads]
    [t.join() for t in threads]
    assert all(np.array_equal(r, results[0]) for r in results)


def test_cancel_from_another_thread(humanoid):
    with humanoid.sim() as s:
        timer = threading.Timer(0.05, s.cancel)
        timer.start()
        with pytest.raises(ff.Cancelled):
            s.advance(1e4)
        timer.join()
        now = s.time
        s.advance(now + 0.01)
        assert s.time == now + 0.01


def interrupted(code):
    """Runs code that says READY, interrupts it, and returns what it printed."""
    env = dict(os.environ, PYTHONPATH=os.pathsep.join(p for p in sys.path if p))
    child = subprocess.Popen([sys.executable, "-c", textwrap.dedent(code)], stdout=subprocess.PIPE,
                             stderr=subprocess.STDOUT, text=True, env=env)
    assert child.stdout.readline().strip() == "READY", child.communicate()[0]
    time.sleep(0.15)
    child.send_signal(signal.SIGINT)
    return child.communicate(timeout=60)[0]


def test_ctrl_c_ends_advance():
    out = interrupted("""
        import footfall as ff
        s = ff.load("humanoid-standing").sim()
        print("READY", flush=True)
        try:
            s.advance(1e5)
        except KeyboardInterrupt:
            t = s.time
            s.advance(t + 0.01)
            print("stopped", 0 < t < 1e5, s.time == t + 0.01)
    """)
    assert "stopped True True" in out, out


def test_ctrl_c_keeps_what_a_run_computed():
    out = interrupted("""
        import footfall as ff
        m = ff.load("humanoid-standing", set={"duration": 2000})
        print("READY", flush=True)
        try:
            m.run(progress=False)
        except KeyboardInterrupt as error:
            run = error.run
            print("kept", run.rows > 10, "stopped" in run.incomplete, run is m.last_run, run["time"][-1] > 0)
    """)
    assert "kept True True True True" in out, out


def test_ctrl_c_ends_a_rollout():
    out = interrupted("""
        import footfall as ff
        m = ff.load("humanoid-standing")
        print("READY", flush=True)
        try:
            m.rollout(steps=100000, threads=2)
        except KeyboardInterrupt:
            print("stopped")
    """)
    assert "stopped" in out, out


def test_own_handler_of_signals_goes_on():
    out = interrupted("""
        import signal, footfall as ff
        signal.signal(signal.SIGINT, lambda *a: print("handled", flush=True))
        s = ff.load("humanoid-standing").sim()
        print("READY", flush=True)
        s.advance(300.0)
        print("done", s.time == 300.0)
    """)
    assert "handled" in out and "done True" in out, out


def test_no_memory_is_lost(ball):
    def use():
        with ball.sim() as s:
            s.advance(0.05)
            s.on_step(lambda sim: None)
            s.state()
            s.contacts, s.energy, s.read("energy.*")
        ball.run(progress=False).close()
        ff.load("bouncing-ball").close()
        ff.laws["hunt-crossley"].force(np.ones(100), 0.1, k=1.0)
        try:
            ff.load("bouncing-ball", set={"bodies.ball.mas": 1})
        except ff.InputError:
            pass

    def held():
        gc.collect()
        with open("/proc/self/statm") as file:
            return int(file.read().split()[1]) * resource.getpagesize()

    for _ in range(5):
        use()
    before = held()
    for _ in range(25):
        use()
    assert held() - before < 3e6
