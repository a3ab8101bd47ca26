"""Fits to measurements, restitution curves, validation on public measurements."""
from __future__ import annotations

import os
import tempfile
from typing import Any, Callable

import numpy as np

from ._footfall import ffi, lib
from ._errors import InputError, check, new_report, text_of
from ._handles import Handle
from ._values import array, bytes_of, doubles, number, whole
from ._binding import attach
from ._batch import cores
from ._laws import laws as all_laws
from ._run import Record


class _Watcher:
    """Context of ffpy_on_fit: the function to call, and what it raised, which stops the fit."""

    def __init__(self, function: Callable[[Record], None] | None) -> None:
        self.function, self.error, self.stop = function, None, ffi.new("int *", 0)


@ffi.def_extern()
def ffpy_on_fit(context, progress):
    own = ffi.from_handle(context)
    if own.error is None:
        try:
            own.function(Record(law=text_of(progress.law), law_number=progress.law_number,
                                law_count=progress.law_count, stage=text_of(progress.stage),
                                evaluations=progress.evaluations, error=progress.error))
        except BaseException as error:
            own.error, own.stop[0] = error, 1


def _estimates(outcome, names) -> list[Record]:
    """Estimates of an ff_fit_outcome; names: of the trajectories."""
    out = []
    for i in range(outcome.estimate_count):
        e = outcome.estimates[i]
        out.append(Record(name=text_of(e.name), value=e.value, interval=tuple(e.interval),
                          interval_by_trajectory=tuple(e.clustered), bounds=tuple(e.bound),
                          at_bound=bool(e.at_bound), determined=not e.unclear,
                          trajectory=names[e.trajectory] if e.trajectory >= 0 else None))
    return out


def _outcome(outcome, names) -> Record:
    n = outcome.estimate_count
    estimates = _estimates(outcome, names)
    correlations = np.array([outcome.correlations[i] for i in range(n * n)]).reshape(n, n)
    flat = np.array([outcome.flat[i] for i in range(n)])
    return Record(law=text_of(outcome.law), estimates=estimates,
                  parameters={e.name: e.value for e in estimates if e.trajectory is None},
                  correlations=correlations, flat_direction=flat,
                  flat_deviation=outcome.flat_deviation, rms=outcome.rms, sum=outcome.sum,
                  aicc=outcome.aicc, bic=outcome.bic, held_out=outcome.held_out,
                  held_out_error=outcome.held_out_error, cross_validated=outcome.crossed,
                  cross_validated_error=outcome.crossed_error, residuals=outcome.residuals,
                  evaluations=outcome.evaluations, converged=bool(outcome.converged))


class Fit(Handle):
    """Parameters of a scene, and of how it was measured, from measured trajectories (docs/fits.md).

        fit = ff.Fit("fit.yaml")
        best = min(fit.solve(), key=lambda o: o.aicc)
        best.parameters["k"]; best.estimates[0].interval; fit.errors()
    """

    _destroy = lib.ff_fit_destroy

    def __init__(self, path: str | os.PathLike) -> None:
        out, report = ffi.new("ff_fit **"), new_report()
        check(lib.ff_fit_load(out, bytes_of(path, "path"), report), report)
        self._own(out[0])
        self._solved = False
        c = self._ptr
        self.name: str = text_of(lib.ff_fit_name(c))
        self.trajectories: list[str] = [text_of(lib.ff_fit_trajectory_name(c, i))
                                        for i in range(lib.ff_fit_trajectory_count(c))]
        self.held_out: np.ndarray = np.array([bool(lib.ff_fit_trajectory_held_out(c, i))
                                              for i in range(len(self.trajectories))], dtype=bool)

    @property
    def law_count(self) -> int:
        """Laws that are compared."""
        return lib.ff_fit_law_count(self._use())

    def choose_laws(self, *names: str) -> None:
        """Keeps these laws only, before `solve`."""
        self._guard.enter()
        try:
            texts = [ffi.new("char[]", bytes_of(n, "law")) for n in names]
            report = new_report()
            check(lib.ff_fit_choose_laws(self._use(), ffi.new("char *[]", texts), len(texts), report),
                  report)
        finally:
            self._guard.leave()

    def keep_values(self) -> None:
        """`solve` then takes all values as they start, but those of single trajectories."""
        lib.ff_fit_keep_values(self._use())

    def solve(self, threads: int | None = None,
              watch: Callable[[Record], None] | None = None) -> list[Record]:
        """Fits every law and returns `outcomes`. threads: trajectories at once (default: all cores);
        the results are the same. watch: called after every evaluation with a record of law,
        law_number, law_count, stage, evaluations and error (of the last, in units of the noise);
        what it raises ends the fit and is raised."""
        count = cores() if threads is None else whole(threads, "threads", 1, 64)
        if watch is not None and not callable(watch):
            raise TypeError(f"expected a function, got {type(watch).__name__}")
        watcher = _Watcher(watch)
        handle = ffi.new_handle(watcher)
        self._guard.enter()
        try:
            report = new_report()
            lib.ff_fit_watch(self._use(), lib.ffpy_on_fit if watch else ffi.NULL, handle)
            status = lib.ff_fit_solve(self._use(), count, watcher.stop, report)
            if watcher.error is not None:
                raise watcher.error
            check(status, report)
            self._solved = True
        finally:
            lib.ff_fit_watch(self._use(), ffi.NULL, ffi.NULL)
            self._guard.leave()
        return self.outcomes

    def _result(self):
        if not self._solved:
            raise InputError("the fit has no results yet: call solve()")
        return self._use()

    @property
    def outcomes(self) -> list[Record]:
        """Of each law: parameters, estimates with intervals of 95 %, correlations, criteria, errors in
        units of the noise on fitted, held-out and cross-validated trajectories."""
        c = self._result()
        return [_outcome(lib.ff_fit_outcome_of(c, i), self.trajectories) for i in range(self.law_count)]

    def errors(self) -> list[Record]:
        """Errors in the units of the file: of each law and error the mean over fitted and held-out
        trajectories, its standard error, and the value of each trajectory."""
        c, out = self._result(), []
        for law in range(self.law_count):
            name = text_of(lib.ff_fit_outcome_of(c, law).law)
            for e in range(lib.ff_fit_error_count(c)):
                error = lib.ff_fit_error_of(c, law, e)
                each = np.array([lib.ff_fit_trajectory_error(c, law, e, i)
                                 for i in range(len(self.trajectories))])
                out.append(Record(law=name, name=text_of(error.name), unit=text_of(error.unit),
                                  fitted=error.fitted, fitted_error=error.fitted_error,
                                  held_out=error.held_out, held_out_error=error.held_out_error,
                                  each=each))
        return out

    @property
    def published(self) -> list[Record]:
        """Figures that others have published: name, source, and errors by name."""
        c, out = self._use(), []
        names = [text_of(lib.ff_fit_error_of(c, 0, e).name) for e in range(lib.ff_fit_error_count(c))]
        while True:
            figure = lib.ff_fit_published_of(c, len(out))
            if figure.name == ffi.NULL:
                return out
            out.append(Record(name=text_of(figure.name), source=text_of(figure.source),
                              errors={n: figure.values[i] for i, n in enumerate(names)}))

    def rms(self, law: int = 0) -> np.ndarray:
        """Error of each trajectory in units of the noise."""
        c, at = self._result(), whole(law, "law", 0, self.law_count - 1)
        return np.array([lib.ff_fit_trajectory_rms(c, at, i) for i in range(len(self.trajectories))])

    def curves(self, trajectory: int, law: int = 0) -> dict[str, Record]:
        """Measured and computed values over time (s) on one trajectory, by column; of an orientation
        the rotation vector from the measured to the computed one."""
        c, at = self._result(), whole(law, "law", 0, self.law_count - 1)
        which = whole(trajectory, "trajectory", 0, len(self.trajectories) - 1)
        out = {}
        for i in range(lib.ff_fit_curve_count(c)):
            curve = lib.ff_fit_curve_of(c, at, which, i)
            rows = curve.rows
            take = lambda p, step: np.array([p[r * step] for r in range(rows)])  # noqa: E731
            measured = np.zeros(rows) if curve.measured == ffi.NULL else take(curve.measured, curve.measured_stride)
            out[text_of(curve.label)] = Record(time=take(curve.time, 1), measured=measured,
                                               computed=take(curve.computed, curve.computed_stride),
                                               unit=text_of(curve.unit), noise=curve.noise)
        return out


attach(Fit, "ff_fit", "ff_fit_")


# ---- restitution curves ------------------------------------------------------------------------


def fit_impacts(law: str, speed, restitution, *, noise=None, mass: float = 1.0, gravity: float = 0.0,
                vary: dict[str, Any] | list[str] | None = None, **params) -> Record:
    """Parameters of a normal law from measured restitutions at speeds (m/s): parameters, estimates with
    intervals, computed restitutions, parameters without effect. vary: names, or names with bounds
    (low, high); None: all that are not given and have an effect. noise: standard deviation of each
    restitution."""
    chosen = all_laws[law]
    speeds, measured = array(speed, (-1,), "speed"), array(restitution, (-1,), "restitution")
    errors = None if noise is None else np.ascontiguousarray(np.broadcast_to(array(noise, what="noise"), speeds.shape))
    if len(measured) != len(speeds) or len(speeds) == 0:
        raise InputError("speed and restitution must have the same length, at least 1")
    given = ffi.new("ff_law_params *")
    report = new_report()
    lib.ff_law_params_default(chosen._c, given)
    for name, value in params.items():
        check(lib.ff_law_params_set(chosen._c, given, bytes_of(name, "parameter"), number(value, name), report), report)
    bounds = vary if isinstance(vary, dict) else {n: None for n in vary or ()}
    keep = [ffi.new("char[]", bytes_of(n, "vary")) for n in (*bounds, *params)]
    list_ = ffi.new("ff_impact_fit_vary[]", max(1, len(bounds)))
    for i, limits in enumerate(bounds.values()):
        low, high = (np.nan, np.nan) if limits is None else (number(x, "bounds") for x in limits)
        list_[i].name, list_[i].low, list_[i].high = keep[i], low, high
    names = ffi.new("char *[]", keep[len(bounds):] or [ffi.NULL])
    def_ = ffi.new("ff_impact_fit_def *", dict(
        law=chosen._c, params=given, vary=list_, vary_count=len(bounds), given=names,
        given_count=len(params), mass=number(mass, "mass"), gravity=number(gravity, "gravity"),
        count=len(speeds), speed=doubles(speeds), restitution=doubles(measured),
        noise=ffi.NULL if errors is None else doubles(errors)))
    out = ffi.new("ff_impact_fit **")
    check(lib.ff_impact_fit_solve(out, def_, report), report)
    try:
        result = _outcome(lib.ff_impact_fit_outcome(out[0]), [])
        computed = lib.ff_impact_fit_computed(out[0])
        result["computed"] = np.array([computed[i] for i in range(len(speeds))])
        at = ffi.new("ff_law_params *", lib.ff_impact_fit_params(out[0]))
        result["law_parameters"] = {p.name: lib.ff_law_params_get(chosen._c, at, p.name.encode())
                                for p in chosen.params}
        idle = []
        while (name := lib.ff_impact_fit_idle(out[0], len(idle))) != ffi.NULL:
            idle.append(text_of(name))
        result["without_effect"] = idle
    finally:
        lib.ff_impact_fit_destroy(out)
    return result


def read_impacts(path: str | os.PathLike) -> Record:
    """Measured restitutions from a table: speed (m/s), restitution, and noise or None."""
    data, report = ffi.new("ff_impact_data *"), new_report()
    check(lib.ff_impact_data_read(data, bytes_of(path, "path"), report), report)
    try:
        take = lambda p: None if p == ffi.NULL else np.array([p[i] for i in range(data.count)])  # noqa: E731
        return Record(speed=take(data.speed), restitution=take(data.restitution), noise=take(data.noise))
    finally:
        lib.ff_impact_data_free(data)


# ---- validation --------------------------------------------------------------------------------


def validation_sets() -> dict[str, Record]:
    """Sets of public measurements by name: title, and origin with licence (docs/validation.md)."""
    out: dict[str, Record] = {}
    while (found := lib.ff_set_at(len(out))).name != ffi.NULL:
        out[text_of(found.name)] = Record(title=text_of(found.title), origin=text_of(found.origin))
    return out


def validate(name: str, data: str | os.PathLike, *, judge: str | os.PathLike | None = None,
             laws: tuple[str, ...] | list[str] = (), fit: bool = True, threads: int | None = None) -> Fit:
    """Laws fitted to a part of a set of public measurements in the folder `data` and judged on the
    rest, or on all of those in `judge`. fit=False: the values of the set. Returns the solved Fit:
    `errors()`, `published`, `outcomes`, `curves(i)`."""
    path, report = ffi.new("char[]", lib.FF_SET_PATH_MAX), new_report()
    with tempfile.TemporaryDirectory(prefix="footfall-") as work:
        other = ffi.NULL if judge is None else ffi.new("char[]", bytes_of(judge, "judge"))
        check(lib.ff_set_prepare(path, bytes_of(name, "name"), bytes_of(data, "data"), other,
                                 os.fsencode(work), report), report)
        made = Fit(os.fsdecode(ffi.string(path)))
        if laws:
            made.choose_laws(*laws)
        if not fit:
            made.keep_values()
        made.solve(threads)
    return made
