"""Complementarity problems and quadratic programmes on arrays."""
from __future__ import annotations

from typing import Any, Callable

import numpy as np

from ._footfall import ffi, lib
from ._errors import InputError, check, new_report, text_of
from ._handles import owned, view
from ._values import WORDS, array, doubles, number, whole
from ._structs import CLASSES


class Solution:
    """x (or z): the solution, or the best point found. outcome: "solved" or why not. info: counts
    and residuals."""

    def __init__(self, x: np.ndarray, info: Any) -> None:
        self.x = self.z = x
        self.info = info
        self.outcome: str = info.outcome
        self.solved: bool = info.outcome == "solved"
        self.residual: float = info.residual

    def __repr__(self) -> str:
        return f"<{self.outcome}: {self.x}, residual {self.residual:.3g}>"


class _Problem:
    """Python functions of a complementarity problem, and what they raised."""

    def __init__(self, residual: Callable, jacobian: Callable, size: int) -> None:
        self.residual, self.jacobian, self.size = residual, jacobian, size
        self.error: BaseException | None = None

    def call(self, function: Callable, z, out, shape: tuple) -> int:
        if self.error is not None:
            return 1
        try:
            point = np.array(ffi.unpack(z, self.size))
            value = array(function(point), shape, "result of the function")
            count = int(np.prod(shape))
            ffi.memmove(out, np.ascontiguousarray(value.T), 8 * count)  # by columns
            return 0
        except BaseException as error:
            self.error = error
            return 1


@ffi.def_extern()
def ffpy_residual(context, z, f):
    own = ffi.from_handle(context)
    return own.call(own.residual, z, f, (own.size,))


@ffi.def_extern()
def ffpy_jacobian(context, z, values):
    own = ffi.from_handle(context)
    return own.call(own.jacobian, z, values, (own.size, own.size))


def _differences(residual: Callable) -> Callable:
    """Jacobian by forward differences."""

    def jacobian(z):
        f = np.asarray(residual(z), dtype=float)
        out = np.empty((len(z), len(z)))
        for i in range(len(z)):
            h = 1e-7 * max(1.0, abs(z[i]))
            moved = z.copy()
            moved[i] += h
            out[:, i] = (np.asarray(residual(moved), dtype=float) - f) / h
        return out

    return jacobian


def _bounds(lower, upper, size: int, keep: list):
    out = []
    for name, value in (("lower", lower), ("upper", upper)):
        if value is None:
            out.append(ffi.NULL)
            continue
        values = np.ascontiguousarray(np.broadcast_to(array(value, what=name), (size,)))
        keep.append(values)
        out.append(doubles(values))
    keep += out
    return out


def _solve_ncp(definition, z: np.ndarray) -> Solution:
    out, report = ffi.new("ff_ncp **"), new_report()
    check(lib.ff_ncp_create(out, definition, report), report)
    ncp = owned(out[0], lib.ff_ncp_destroy)
    info = lib.ff_ncp_solve(ncp, doubles(z))
    return Solution(z, CLASSES["ff_ncp_info"]._from_c(info))


def _ncp_def(size: int, lower, upper, method: str, tolerance: float, max_iterations: int, keep: list):
    definition = ffi.new("ff_ncp_def *", lib.ff_ncp_def_default())
    definition.size = size
    definition.lower, definition.upper = _bounds(lower, upper, size, keep)
    definition.method = WORDS["ff_ncp_method"].value(method, "method")
    definition.tolerance = number(tolerance, "tolerance")
    definition.max_iterations = whole(max_iterations, "max_iterations")
    return definition


def ncp(residual: Callable, z0, *, jacobian: Callable | None = None, lower=None, upper=None,
        method: str = "fischer", tolerance: float = 1e-10, max_iterations: int = 1000) -> Solution:
    """Mixed nonlinear complementarity: for each i, F_i(z) = 0 within lower <= z <= upper, or
    F_i >= 0 at the lower bound, or F_i <= 0 at the upper one. residual(z) -> F (n,); jacobian(z) ->
    dF/dz (n, n), None: by differences; bounds: arrays, numbers, or None: none. method: "fischer" or
    "min". See docs/ncp.md."""
    z = array(z0, (-1,), "z0").copy()
    if not callable(residual) or (jacobian is not None and not callable(jacobian)):
        raise TypeError("residual and jacobian: expected functions")
    problem = _Problem(residual, jacobian or _differences(residual), len(z))
    keep: list = []
    definition = _ncp_def(len(z), lower, upper, method, tolerance, max_iterations, keep)
    handle = ffi.new_handle(problem)
    definition.context = handle
    definition.residual, definition.jacobian = lib.ffpy_residual, lib.ffpy_jacobian
    solution = _solve_ncp(definition, z)
    if problem.error is not None:
        raise problem.error
    return solution


def lcp(m, q, *, z0=None, lower=0.0, upper=None, method: str = "min", tolerance: float = 1e-10,
        max_iterations: int = 1000) -> Solution:
    """Linear complementarity: 0 <= z, M z + q >= 0, one of them zero for each i; or the same with
    bounds. M (n, n), q (n,)."""
    q = array(q, (-1,), "q")
    m = array(m, (len(q), len(q)), "m")
    z = np.zeros(len(q)) if z0 is None else array(z0, (len(q),), "z0").copy()
    keep: list = []
    definition = _ncp_def(len(q), lower, upper, method, tolerance, max_iterations, keep)
    linear = ffi.new("ffpy_linear *")
    linear.size, linear.m, linear.q = len(q), doubles(m.reshape(-1)), doubles(q)
    definition.context = linear
    definition.residual = ffi.addressof(lib, "ffpy_linear_residual")
    definition.jacobian = ffi.addressof(lib, "ffpy_linear_jacobian")
    return _solve_ncp(definition, z)


def ncp_residual(z, f, lower=None, upper=None) -> float:
    """Natural residual: largest |z_i - mid(l_i, u_i, z_i - f_i)|, 0 at solutions only."""
    z = array(z, (-1,), "z")
    f = array(f, (len(z),), "f")
    keep: list = []
    low, high = _bounds(lower, upper, len(z), keep)
    return lib.ff_ncp_residual(len(z), doubles(z), doubles(f), low, high)


def qp(H=None, g=None, *, A=None, b=None, lam: float = 0.0, lower=None, upper=None, x0=None,
       tolerance: float = 1e-11, max_iterations: int = 0) -> Solution:
    """Convex quadratic programme with bounds: minimise x'Hx / 2 + g'x, or |A x - b|^2 / 2 + lam
    |x|^2 / 2, with lower <= x <= upper. x0: start; the solution of a similar problem saves
    iterations. See docs/qp.md."""
    if (H is None) == (A is None):
        raise InputError("give H and g, or A and b")
    problem = ffi.new("ff_qp_problem *")
    keep: list = []
    if H is not None:
        h = array(H, (-1, -1), "H")
        size, rows = len(h), 0
        h = array(H, (size, size), "H")
        slope = np.zeros(size) if g is None else array(g, (size,), "g")
        problem.hessian, problem.gradient = doubles(h.reshape(-1)), doubles(slope)
        keep += [h, slope, problem.hessian, problem.gradient]
    else:
        a = array(A, (-1, -1), "A")
        rows, size = a.shape
        target = array(b, (rows,), "b")
        problem.matrix, problem.target = doubles(a.reshape(-1)), doubles(target)
        keep += [a, target, problem.matrix, problem.target]
    if size == 0:
        raise InputError("a problem has at least one unknown")
    problem.size, problem.rows = size, rows
    setattr(problem, "lambda", number(lam, "lam"))  # a word of Python's own
    problem.lower, problem.upper = _bounds(lower, upper, size, keep)
    x = np.zeros(size) if x0 is None else array(x0, (size,), "x0").copy()
    definition = ffi.new("ff_qp_def *", lib.ff_qp_def_default())
    definition.size, definition.rows = size, rows
    definition.tolerance = number(tolerance, "tolerance")
    definition.max_iterations = whole(max_iterations, "max_iterations")
    out, report = ffi.new("ff_qp **"), new_report()
    check(lib.ff_qp_create(out, definition, report), report)
    solver = owned(out[0], lib.ff_qp_destroy)
    return Solution(x, CLASSES["ff_qp_info"]._from_c(lib.ff_qp_solve(solver, problem, doubles(x))))
