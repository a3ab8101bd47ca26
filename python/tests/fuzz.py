"""fuzz.py SEED CALLS: random calls of everything public; ends with 0 if there were only exceptions
and results, and no memory was lost."""
import gc
import inspect
import math
import random
import resource
import sys
import tempfile
import threading

import numpy as np

import footfall as ff


def held():
    gc.collect()
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * resource.getpagesize()


class Odd:
    """An object with hostile conversions."""

    def __float__(self):
        raise ArithmeticError("no number")

    def __index__(self):
        return 2**70

    def __array__(self, *args):
        raise BufferError("no array")

    def __len__(self):
        return 10**9

    def __call__(self, *args):
        raise LookupError("no call")


HUGE = np.zeros((1000, 1000))
PLAIN = [None, True, False, 0, 1, -1, 2, 3, 2**31, -2**63, 2**70, 0.0, 1.0, -1.0, 0.01, 1e-300, 1e300,
         math.nan, math.inf, -math.inf, "", "ball", "floor", "humanoid", "humanoid-trunk", "left_foot",
         "hunt-crossley", "coulomb", "energy.*", "time", "sphere", "a\0b", "\udcff", "x" * 5000, b"bytes",
         (), [], {}, (0, 0, 1), [1, 2], [[1, 2], [3, 4]], (math.nan,) * 3, [None], ["a"], {"a": 1},
         {"contacts.0.normal.k": -1}, {"duration": math.nan}, np.zeros(0), np.zeros(3), np.zeros((3, 3)),
         np.full(3, np.nan), HUGE, np.zeros(3, dtype=object), np.array("text"), np.arange(12).reshape(2, 6)[:, ::2],
         np.ones(53), np.ones(26), np.ones(27), 1j, Odd(), object(), int, len, lambda *a: 1, lambda *a: 1 / 0,
         lambda z: np.asarray(z) * 2, ff.BodyDef(), ff.ShapeDef(), ff.RunDef(duration=0.01), ff.Pair(),
         ff.Task(kind="stand", time=1.0), ff.JointOrder(torque=1e9), ff.ffi.NULL]


def values(rng, pool):
    return rng.choice(pool) if rng.random() < 0.25 else rng.choice(PLAIN)


def objects(folder):
    ball = ff.load("bouncing-ball", set={"duration": 0.01})
    walker = ff.load("humanoid-standing", set={"duration": 0.005})
    closed = [ball.sim(), ff.load("bouncing-ball"), ball.run(progress=False), ball.batch(1, period=0.01), ff.Scene()]
    [c.close() for c in closed]
    tree = walker.tree()
    sim, other = ball.sim(), walker.sim()
    run = ball.run(progress=False)
    return [ball, walker, sim, other, sim.state(), other.state(), run, ball.batch(3, period=0.001),
            walker.batch(2, period=0.001, threads=2), tree, ff.Robot("robots/humanoid.urdf"), ff.Scene(),
            ff.Walk(tree, [(0.05, 0, 0)]), ff.Controller(tree), ff.Page("x"), sim.body("ball"), other.robot(),
            other.body(3), sim.reader("energy.*"), ff.laws["hunt-crossley"], ff.laws["coulomb"],
            ff.laws["volumetric"], ff.c] + closed


# Calls that legitimately take long, run programs, or write where the fuzzer must not.
LEFT_OUT = {"paper", "papers", "program", "report", "write", "plot", "main", "_repr_html_", "run", "resume"}


def calls():
    functions = [getattr(ff, n) for n in ff.__all__ if callable(getattr(ff, n)) and n not in LEFT_OUT]
    return [f for f in functions if not (inspect.isclass(f) and issubclass(f, BaseException))]


def plausible(rng, pool, parameter):
    """A value that may well be right for a parameter of this name."""
    name, kind = parameter.name, str(parameter.annotation)
    of_name = {"body": ["ball", 1, 2, "humanoid-trunk"], "robot": ["humanoid", 1], "link": ["left_foot", 1, 5],
               "joint": [1, "left_knee"], "q": [np.ones(27)], "v": [np.ones(26)], "a": [np.ones(26)],
               "tau": [np.ones(26)], "law": ["hunt-crossley", "linear"], "k": [1e4], "kind": ["sphere", "box"],
               "channels": ["energy.*", ["time"]], "set": [{"duration": 0.01}], "path": ["bouncing-ball"],
               "count": [1, 2], "threads": [1, 2], "steps": [1], "period": [0.001, 0.01], "function": [lambda *a: None]}
    if name in of_name:
        return rng.choice(of_name[name])
    if "Array" in kind or name in ("force", "torque", "point", "position", "gravity", "normal"):
        return rng.choice([(0, 0, 1), np.zeros(3), (1.0, 0, 0, 0), np.eye(3)])
    if "float" in kind:
        return rng.choice([0.0, 0.5, 1.0, 1e-3])
    if "int" in kind:
        return rng.choice([0, 1, 2])
    if "str" in kind:
        return rng.choice(["ball", "humanoid", "energy.*", "sphere"])
    return values(rng, pool)


def arguments(rng, pool, call):
    """For most calls as many arguments as it takes, mostly plausible; else anything."""
    try:
        parameters = list(inspect.signature(call).parameters.values())
    except (TypeError, ValueError):
        parameters = []
    if not parameters or rng.random() < 0.2:
        return [values(rng, pool) for _ in range(rng.randrange(4))], {}
    named = {}
    for p in parameters:
        if p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD) or (p.default is not p.empty and rng.random() < 0.6):
            continue
        named[p.name] = plausible(rng, pool, p) if rng.random() < 0.7 else values(rng, pool)
    return [], named


def attempt(rng, pool, functions, fresh):
    target = rng.random()
    if target < 0.25:
        call, name = rng.choice(functions), ""
    else:
        thing = rng.choice(pool)
        names = [n for n in dir(thing) if not n.startswith("_") and n not in LEFT_OUT]
        name = rng.choice(names)
        if rng.random() < 0.1:
            return setattr(thing, name, values(rng, pool))
        call = getattr(thing, name)
        if not callable(call):
            return call
    given, named = arguments(rng, pool, call)
    if name == "advance":
        given, named = [rng.choice([0.001, 0.01, math.nan, math.inf, -1.0, "x", None])], {}
    if name in ("steps", "rollout") or getattr(call, "__name__", "") == "steps":
        given, named = [], {"steps" if name == "rollout" else "count": rng.choice([0, 1, -1, None, "x", 3])}
    return call(*given, **named)


def main(seed, count):
    rng = random.Random(seed)
    np.seterr(all="ignore")
    functions = calls()
    raised = {}
    base = None
    with tempfile.TemporaryDirectory() as folder:
        pool = objects(folder)
        for i in range(count):
            if i % 500 == 499:
                pool = objects(folder)
            if i == count // 2:
                base = held()
            try:
                result = attempt(rng, pool, functions, folder)
                if isinstance(result, ff.Sim | ff.State | ff.Tree) and rng.random() < 0.3:
                    pool[rng.randrange(len(pool))] = result
            except Exception as error:
                raised[type(error).__name__] = raised.get(type(error).__name__, 0) + 1
        threads = threading.active_count()
        pool.clear()
    lost = held() - base
    print(f"{count} calls: {sum(raised.values())} exceptions {raised}; {lost / 1e6:.1f} MB more than halfway")
    assert "SystemError" not in raised and "SystemError" not in str(raised), raised
    assert lost < 40e6, lost
    assert threads == 1


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
