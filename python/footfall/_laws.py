"""Laws on arrays, impacts, volumes."""
from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from ._footfall import ffi, lib
from ._errors import InputError, check, new_report, text_of, unknown
from ._values import WORDS, array, bytes_of, doubles, number
from ._structs import CLASSES
from ._binding import shaped_c


def _broadcast(*values) -> list[np.ndarray]:
    """Arrays of doubles of one shape, contiguous."""
    arrays = [array(v, what="argument") if not np.isscalar(v) else np.asarray(number(v, "argument"))
              for v in values]
    return [np.array(a, order="C") for a in np.broadcast_arrays(*arrays)]


def _out(value: np.ndarray):
    return float(value) if value.ndim == 0 else value


class Law:
    """A contact or friction law.

        hc = ff.laws["hunt-crossley"]
        hc.force(depth, rate, k=1e4, n=1, alpha=0.2)
        hc.params                       name, symbol, unit, default, meaning of each parameter

    All functions take numbers or arrays, broadcast against each other. Materials that parameters
    may be derived from: pair=Pair(...).
    """

    def __init__(self, c) -> None:
        self._c = c
        self.name: str = text_of(c.name)
        self.kind: str = WORDS["ff_law_kind"].word_of[c.kind]
        self.summary: str = text_of(c.summary)
        self.citation: str = text_of(c.citation)
        self.params: list = [CLASSES["ff_param"]._from_c(c.params[i]) for i in range(c.params_count)]
        self.published: list = [CLASSES["ff_published"]._from_c(c.published[i])
                                for i in range(c.published_count)]
        self.memory: int = c.memory_count
        self.__doc__ = self._describe()

    def _describe(self) -> str:
        lines = [f"{self.name}: {self.summary} [{self.citation}]", ""]
        for p in self.params:
            default = p.otherwise and f"from {p.otherwise}" or ("required" if np.isnan(p.fallback) else p.fallback)
            lines.append(f"    {p.name} ({p.unit}): {p.meaning}; default {default}")
        return "\n".join(lines)

    def resolve(self, pair: Any = None, **params: float):
        """Parameters as the library takes them, checked."""
        out, report = ffi.new("ff_law_params *"), new_report()
        lib.ff_law_params_default(self._c, out)
        for name, value in params.items():
            check(lib.ff_law_params_set(self._c, out, bytes_of(name, "parameter"), number(value, name),
                                        report), report)
        keep: list = []
        c = ffi.NULL if pair is None else CLASSES["ff_pair"]._make(pair, "pair")._c(keep)
        check(lib.ff_law_params_resolve(self._c, out, c, report), report)
        return out

    def _need(self, kind: str) -> None:
        if self.kind != kind:
            raise InputError(f"'{self.name}' is a {self.kind} law, not a {kind} law")

    def force(self, depth, rate=0.0, *, pair: Any = None, **params: float):
        """Force (N): of a normal law from depth (m) and depth rate (m/s); of a friction law see
        `friction`. 0 outside contact."""
        self._need("normal")
        c = self.resolve(pair, **params)
        overlap = self._c.traits != ffi.NULL and self._c.traits(c) & lib.FF_LAW_WANTS_OVERLAP
        if overlap:
            raise InputError(f"'{self.name}' needs the overlap: use normal(depth, rate, volume=...)")
        d, r = _broadcast(depth, rate)
        out = np.zeros(d.shape)
        if out.size:
            if out.size > 2**31 - 1:
                raise InputError("too many contacts in one call")
            lib.ff_law_normal_forces(self._c, c, doubles(d.reshape(-1)), doubles(r.reshape(-1)),
                                     doubles(out.reshape(-1)), out.size)
        return _out(out)

    def normal(self, depth, rate=0.0, *, volume=None, area=None, centroid_depth=None, pair: Any = None,
               **params: float) -> dict[str, Any]:
        """All of a normal law: force (N), elastic (N), energy (J), d_depth (N/m), d_rate (N s/m).
        volume (m^3), area (m^2), centroid_depth (m): of the overlap, for laws that need it."""
        self._need("normal")
        c = self.resolve(pair, **params)
        parts = [0.0 if p is None else p for p in (volume, area, centroid_depth)]
        d, r, *rest = _broadcast(depth, rate, *parts)
        out = np.zeros((5,) + d.shape)
        if d.size:
            lib.ffpy_normals(self._c, c, d.size, *[doubles(a.reshape(-1)) for a in (d, r, *rest)],
                             doubles(out.reshape(-1)))
        return dict(zip(("force", "elastic", "energy", "d_depth", "d_rate"), map(_out, out)))

    def friction(self, normal, slip, *, depth=1e-3, spin=0.0, memory=None, pair: Any = None,
                 **params: float) -> dict[str, Any]:
        """A friction law: normal force (N), slip (m/s along t1 and t2, shape (..., 2), or a number:
        along t1), spin (rad/s), memory (..., 4): history. Gives force (..., 2) in N, moment (..., 3)
        in N m about n, t1 and t2, energy (J), lost (W), mode, memory_rate (..., 4)."""
        self._need("friction")
        c = self.resolve(pair, **params)
        s = array(slip, what="slip")
        s = np.stack([s, np.zeros(s.shape)], axis=-1) if s.ndim == 0 or s.shape[-1] != 2 else s
        n, d, w, s1, s2 = _broadcast(normal, depth, spin, s[..., 0], s[..., 1])
        both = np.ascontiguousarray(np.stack([s1, s2], axis=-1))
        m = np.zeros(n.shape + (lib.FF_MEMORY_MAX,))
        if memory is not None:
            m[...] = array(memory, what="memory")
        out = np.zeros(n.shape + (8 + lib.FF_MEMORY_MAX,))
        if n.size:
            lib.ffpy_frictions(self._c, c, n.size, doubles(n.reshape(-1)), doubles(d.reshape(-1)),
                               doubles(both.reshape(-1)), doubles(w.reshape(-1)), doubles(m.reshape(-1)),
                               doubles(out.reshape(-1)))
        words = WORDS["ff_mode"].word_of
        modes = np.vectorize(lambda i: words[int(i)], otypes=[object])(out[..., 7])
        return {"force": out[..., 0:2], "moment": out[..., 2:5], "energy": _out(out[..., 5]),
                "lost": _out(out[..., 6]), "mode": modes if n.ndim else modes.item(),
                "memory_rate": out[..., 8:]}

    def __repr__(self) -> str:
        return f"<{self.kind} law '{self.name}': {self.summary}>"


class Laws(Mapping):
    """All laws by name: ff.laws["hunt-crossley"]."""

    def __init__(self) -> None:
        made = (Law(lib.ff_law_at(i)) for i in range(lib.ff_law_count()))
        self._all = {law.name: law for law in made}

    def __getitem__(self, name: str) -> Law:
        if not isinstance(name, str) or name not in self._all:
            raise unknown("law", name, self._all)
        return self._all[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._all)

    def __len__(self) -> int:
        return len(self._all)

    def __repr__(self) -> str:
        return f"<laws: {', '.join(self._all)}>"


laws = Laws()


# ---- impacts -----------------------------------------------------------------------------------


def _impact(law: Law, c, mass: float, speed: float, gravity: float, method: str, params: dict):
    out, report = ffi.new("ff_impact *"), new_report()
    exact = {"hunt-crossley": ("ff_hunt_crossley_impact", lib.ff_impact_hunt_crossley),
             "linear": ("ff_linear_impact", lib.ff_impact_linear)}.get(law.name)
    closed = exact is not None and gravity == 0 and set(params) <= _known(exact[0])
    if method == "exact" and not closed:
        raise InputError(f"no closed form for '{law.name}' with these values: use method='simulate'")
    if closed and method != "simulate":
        keep: list = []
        given = {k: (v != 0 if k == "clamp" else v) for k, v in params.items()}
        check(exact[1](out, CLASSES[exact[0]](mass=mass, speed=speed, **given)._c(keep), report), report)
    else:
        check(lib.ff_impact_simulate(out, law._c, c, mass, speed, gravity, report), report)
    return CLASSES["ff_impact"]._from_c(out[0])


def _known(ctype: str) -> set:
    return set(CLASSES[ctype]._fields) - {"mass", "speed"}


def impact(law: str, mass=1.0, speed=1.0, *, gravity: float = 0.0, method: str = "auto",
           pair: Any = None, **params) -> Any:
    """One impact of a mass (kg) on a fixed body at a speed (m/s): restitution, depth_max, force_max,
    duration and so on, see Impact. In closed form where there is one, else by integration to about
    1e-11; method="exact" or "simulate" insists. Any argument may be an array: then the results are
    arrays."""
    if not isinstance(method, str) or method not in ("auto", "exact", "simulate"):
        raise unknown("method", method, ("auto", "exact", "simulate"))
    chosen = laws[law]
    chosen._need("normal")
    names = list(params)
    every = _broadcast(mass, speed, gravity, *params.values())
    results = []
    for values in zip(*[a.reshape(-1) for a in every]):
        m, v, g = (float(x) for x in values[:3])
        given = {n: float(x) for n, x in zip(names, values[3:])}
        results.append(_impact(chosen, chosen.resolve(pair, **given), m, v, g, method, given))
    shape = every[0].shape
    if shape == ():
        return results[0]
    out = CLASSES["ff_impact"].__new__(CLASSES["ff_impact"])
    for name in CLASSES["ff_impact"]._fields:
        out.__dict__[name] = np.array([getattr(r, name) for r in results]).reshape(shape)
    return out


def design_alpha(restitution: float, speed: float) -> float:
    """Hunt-Crossley alpha (s/m) for a restitution in (0, 1] at a speed (m/s)."""
    out, report = ffi.new("double *"), new_report()
    check(lib.ff_impact_design_alpha(out, number(restitution, "restitution"), number(speed, "speed"),
                                     report), report)
    return out[0]


def design_k(*, mass: float, speed: float, n: float = 1.5, alpha: float = 0.0,
             depth: float | None = None, force: float | None = None) -> float:
    """Hunt-Crossley k (N/m^n) for a largest depth (m) or a largest force (N)."""
    if (depth is None) == (force is None):
        raise InputError("give depth or force")
    keep: list = []
    given = CLASSES["ff_hunt_crossley_impact"](mass=mass, speed=speed, n=n, alpha=alpha, k=1.0)._c(keep)
    out, report = ffi.new("double *"), new_report()
    call = lib.ff_impact_design_k_depth if force is None else lib.ff_impact_design_k_force
    check(call(out, given, number(depth if force is None else force, "value"), report), report)
    return out[0]


# ---- volumes -----------------------------------------------------------------------------------


def volume(kind: str, size=(0.0, 0.0, 0.0), *, point=(0.0, 0.0, 0.0), normal=(0.0, 0.0, 1.0),
           printed: bool = False, vertices=None, faces=None) -> Any:
    """Part of a shape below a plane through `point` with `normal` (both in the shape's frame, m):
    volume, depth, area, centroid, second moments; see Volume. kind: "sphere", "ellipsoid", "box",
    "capsule", "cylinder", ... with `size` as in scenes; or "polyhedron" with vertices (n, 3) and
    faces, lists of vertex numbers from 0."""
    keep: list = []
    c = ffi.new("ff_volume_def *")
    c.kind = WORDS["ff_shape_kind"].value(kind, "kind")
    c.size = shaped_c("ff_vec3", np.pad(np.atleast_1d(array(size, what="size")), (0, max(0, 3 - np.size(size)))), "size")
    c.point, c.normal = shaped_c("ff_vec3", point, "point"), shaped_c("ff_vec3", normal, "normal")
    c.printed = bool(printed)
    out, report = ffi.new("ff_volume *"), new_report()
    if c.kind == lib.FF_POLYHEDRON:
        check(lib.ff_volume_polyhedron(out, c, _solid(vertices, faces, keep), report), report)
    else:
        check(lib.ff_volume_compute(out, c, report), report)
    return CLASSES["ff_volume"]._from_c(out[0])


def _solid(vertices, faces, keep: list):
    if vertices is None or faces is None:
        raise InputError("a polyhedron needs vertices and faces")
    points = array(vertices, (-1, 3), "vertices")
    sizes = [len(f) for f in faces]
    corners = [int(i) for f in faces for i in f]
    if len(points) == 0 or not corners or min(corners) < 0 or max(corners) >= len(points):
        raise InputError("faces: a vertex number is out of range", key="faces")
    solid = ffi.new("ff_volume_solid *")
    lists = [ffi.new("int[]", corners), ffi.new("int[]", sizes)]
    keep += [points, lists, solid]
    solid.vertices = ffi.cast("ff_vec3 *", doubles(points.reshape(-1)))
    keep.append(solid.vertices)
    solid.vertex_count, solid.face_count = len(points), len(sizes)
    solid.corners, solid.face_sizes = lists
    return solid


def hull_reduce(points, limit: int) -> tuple[np.ndarray, float]:
    """Vertices of the convex hull of points (n, 3), at most `limit` (4 or more), and the distance of
    the farthest omitted point from it (m)."""
    given = array(points, (-1, 3), "points")
    if not 4 <= limit <= 10**6:
        raise InputError(f"limit: expected 4 or more, got {limit}", key="limit")
    out, count, error, report = np.zeros((limit, 3)), ffi.new("int *"), ffi.new("double *"), new_report()
    check(lib.ff_hull_reduce(ffi.cast("ff_vec3 *", doubles(out.reshape(-1))), count, limit,
                             ffi.cast("ff_vec3 *", doubles(given.reshape(-1))), len(given), error, report), report)
    return out[:count[0]].copy(), error[0]
