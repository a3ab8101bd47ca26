"""Footfall: contact dynamics with published laws and an energy ledger.

    import footfall as ff
    m = ff.load("scenes/humanoid-walking.yaml", set={"contacts.0.normal.k": 2e5})
    run = m.run()
    run["energy.residual"].max(); run.verdict; run.summary["contact.ball:floor"].peak_force
    with m.sim() as s:
        s.advance(2.0)
        print(s.body("humanoid-trunk").position, s.contacts)

SI units, double precision, right-handed frames; quaternions (w, x, y, z) take body coordinates to
world coordinates. Definitions (BodyDef, ShapeDef, ...) have the defaults of the C library.

    load, parse, Scene      scenes and their models        open         recordings
    Model, Sim, State       simulation                     Page         reports
    laws, impact, volume    laws alone                     Batch, env   many sims at once
    ncp, lcp, qp            solvers alone                  Study, paper sweeps, papers
    Fit, validate           measurements                   fit_impacts  restitution curves
    Robot, Tree, Walk, Controller  robots alone                 lib, ffi     every C function

Documentation: docs/python.md.
"""
from __future__ import annotations

from . import _api
from ._errors import (BusyError, Cancelled, CapacityError, ClosedError, Error, FileError, InputError,
                      OutOfMemory, StepError)
from ._structs import CLASSES as _CLASSES, LawChoice
from ._binding import Unsupported as _Unsupported, bind as _bind
from ._footfall import ffi, lib
from ._model import Model, Scene, load, parse, scene_names
from ._sim import BodyView, Contact, Event, Reader, RobotView, Sim, State
from ._run import (Columns, Finding, Interrupted, Page, Recording, Record, Run, Summary,
                   open_recording as open, resume, steppers)
from ._laws import Law, design_alpha, design_k, hull_reduce, impact, laws, volume
from ._solve import Solution, lcp, ncp, ncp_residual, qp
from ._tree import Controller, Robot, Tree, Walk
from ._batch import Batch, cores
from ._study import Study, paper, papers, program
from ._fit import Fit, fit_impacts, read_impacts, validate, validation_sets
from . import env

__version__ = ffi.string(lib.ff_version()).decode()

for _made in _CLASSES.values():
    if _made.__name__ not in globals():  # Contact and Event are made for reading
        globals()[_made.__name__] = _made


class _Functions:
    """Functions of the library that belong to no object, by their names without `ff_`: made from the
    headers. `ff.c.impact_restitution(0.4)`."""

    def __init__(self) -> None:
        for name in _api.FUNCTIONS:
            try:
                setattr(self, name[3:], _bind(name))
            except _Unsupported:
                continue


c = _Functions()

__all__ = sorted(n for n in globals() if not n.startswith("_") and n != "annotations")
