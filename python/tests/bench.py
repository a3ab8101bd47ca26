"""Cost of the package over C, in one process: PYTHONPATH=build/python python3 python/tests/bench.py

Every figure is the least of several repetitions of CPU time, C and Python in turn.
"""
import time

import numpy as np

import footfall as ff

ffi, lib = ff.ffi, ff.lib


def least(function, repeat=7):
    best = 1e9
    for _ in range(repeat):
        start = time.process_time()
        function()
        best = min(best, time.process_time() - start)
    return best


def of_step(count=20000):
    """A free body under rk4, the cheapest step there is: C by a rollout of `count` steps in one call,
    without states; Python by s.step() in a bound loop."""
    m = ff.parse("footfall: 1\nduration: 1\nstepper: {kind: rk4, step: 1e-3}\n"
                 "bodies: {ball: {mass: 1, shape: {sphere: {radius: 0.1}}}}\n", "ball")
    batch = m.batch(1, threads=1)
    sim = m.sim()
    step = sim.step

    def python():
        for _ in range(count):
            step()

    def c():
        lib.ff_batch_rollout(batch._use(), ffi.NULL, count, ffi.NULL, ffi.NULL)

    python(), c()
    both = [(least(python, 1), least(c, 1)) for _ in range(9)]
    ours, theirs = min(b[0] for b in both), min(b[1] for b in both)
    return 1e6 * (ours - theirs) / count, 1e6 * theirs / count


def of_advance():
    m = ff.load("humanoid-standing")
    a, b = m.sim(), m.sim()
    ends = iter(np.arange(1, 1000) * 0.2)

    def pair():
        end = next(ends)
        ours = least(lambda: a.advance(end), 1)
        theirs = least(lambda: lib.ff_sim_advance(b._use(), end), 1)
        return ours, theirs

    both = [pair() for _ in range(12)]
    return min(b[0] for b in both) / min(b[1] for b in both) - 1


def of_rollout(sims=20, steps=200):
    """The same steps by a loop over sims in C (ff_sim_advance to the end, no states kept)."""
    m = ff.load("humanoid-standing")
    h = m.run_def.stepper.step

    def ours():
        m.rollout(np.repeat(x0, sims, axis=0), steps=steps, threads=1)

    def theirs():
        for _ in range(sims):
            out = ffi.new("ff_sim **")
            lib.ff_sim_create(out, m._use())
            lib.ff_sim_set_x(out[0], start)
            lib.ff_sim_advance(out[0], steps * h)
            lib.ff_sim_destroy(out)

    x0 = m.x0[None]
    start = ffi.from_buffer("double[]", x0)
    both = [(least(ours, 1), least(theirs, 1)) for _ in range(7)]
    return min(b[0] for b in both) / min(b[1] for b in both) - 1


def of_reading(count=20000):
    m = ff.load("humanoid-standing")
    s = m.sim()
    s.advance(0.1)
    names = list(m.channels)
    chosen = [n for n in names if n.startswith(("body.", "joint.", "energy."))][:60]
    reader = s.reader(chosen)
    read, at = reader.read, ffi.from_buffer("int[]", m.channel_numbers(chosen)[1])
    out = ffi.new("double[]", 60)
    pointer = s._use()

    def python():
        for _ in range(count):
            read()

    def c():
        for _ in range(count):
            lib.ff_sim_read(pointer, at, 60, out)

    return 1e6 * least(python) / count, 1e6 * least(c) / count


def main():
    over, step = of_step()
    print(f"s.step() in a bound loop: {over:.3f} us over C (a step of {step:.3f} us)")
    print(f"s.advance(t):             {100 * of_advance():+.1f} % of C")
    print(f"rollout, humanoid:        {100 * of_rollout():+.1f} % of a loop over sims in C")
    ours, theirs = of_reading()
    print(f"60 channels:              {ours:.3f} us by a Reader, {theirs:.3f} us by cffi")


if __name__ == "__main__":
    main()
