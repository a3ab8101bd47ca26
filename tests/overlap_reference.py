#!/usr/bin/env python3
"""Prints tests/overlap_reference.csv: overlaps computed with 50 digits (mpmath), by other ways
than the library's. Usage: tests/overlap_reference.py > tests/overlap_reference.csv

ellipsoid  integral over sections parallel to the plane, which are ellipses
box        inclusion and exclusion of the eight corners' simplices
others     integral over sections across the axis, which are parts of discs

Planes are given as doubles, normals of any length; references are for exactly these numbers.
"""
import mpmath as mp

mp.mp.dps = 50


def outer(a, b):
    return a * b.T


def flat(second, n):
    project = mp.eye(3) - outer(n, n)
    return project * second * project


def ellipsoid(size, n, h):
    """n unit, plane n.x = h."""
    s2 = mp.diag([x**2 for x in size])
    s2n = s2 * n
    w = mp.sqrt((n.T * s2n)[0])
    abc = size[0] * size[1] * size[2]
    top = min(h, w)
    area = lambda q: mp.pi * abc / w * (1 - (q / w) ** 2)
    integral = lambda f: mp.quad(f, [-w, (top - w) / 2, top])
    volume = integral(area)
    mean = integral(lambda q: area(q) * q) / volume
    spread_q = integral(lambda q: area(q) * (q - mean) ** 2)
    inside = integral(lambda q: area(q) * (1 - (q / w) ** 2) / 4)
    axis = s2n / w**2  # centres of the sections are q times this
    second = spread_q * outer(axis, axis) + inside * (s2 - outer(s2n, s2n) / w**2)
    return volume, axis * mean, flat(second, n)


def box(size, n, h):
    sign = [mp.sign(x) if x else mp.mpf(1) for x in n]
    m = [abs(x) for x in n]
    volume, first, second = mp.mpf(0), mp.zeros(3, 1), mp.zeros(3, 3)
    for corner in range(8):
        up = [corner >> k & 1 for k in range(3)]
        v = mp.matrix([size[k] if up[k] else -size[k] for k in range(3)])
        rest = h - sum(m[k] * v[k] for k in range(3))
        if rest <= 0:
            continue
        legs = mp.matrix([rest / m[k] for k in range(3)])
        part = (-1) ** sum(up) * legs[0] * legs[1] * legs[2] / 6
        volume += part
        first += part * (v + legs / 4)
        own = part / 20 * (outer(legs, legs) + mp.diag([x**2 for x in legs]))
        cross = part / 4 * outer(v, legs)
        second += own + cross + cross.T + part * outer(v, v)
    centroid = first / volume
    second -= volume * outer(centroid, centroid)
    turn = mp.diag(sign)
    return volume, turn * centroid, flat(turn * second * turn, n)


def disc_part(r, x):
    """Area, integrals of x, x^2, y^2 over the part of a disc of radius r on the left of x."""
    c = min(max(-x / r, -1), 1)
    a, s = mp.acos(c), mp.sqrt(1 - c * c)
    bare = a - s * c
    return (r**2 * bare, -2 * r**3 * s**3 / 3, r**4 / 4 * (bare + 2 * s**3 * c),
            r**4 / 12 * (3 * bare - 2 * s**3 * c))


def round_solid(radius, half, n, h, capsule):
    s, c = mp.sqrt(n[0] ** 2 + n[1] ** 2), abs(n[2])
    rho = lambda z: radius if abs(z) <= half else mp.sqrt(max(radius**2 - (abs(z) - half) ** 2, 0))
    end = half + radius if capsule else half
    marks = {-end, end, -half, half}
    if c:
        marks |= {(h + s * radius) / c, (h - s * radius) / c}
    for centre in (-half, half) if capsule else ():
        # (h - c z)^2 = s^2 (radius^2 - (z - centre)^2) at z = centre + t
        q = h - c * centre
        root = s**2 * (radius**2 - q**2)
        if root >= 0:
            marks |= {centre + c * q + mp.sqrt(root), centre + c * q - mp.sqrt(root)}
    marks = sorted(z for z in marks if -end <= z <= end)

    def cut(z):
        r = rho(z)
        if r == 0 or h - c * z <= -s * r:
            return (mp.mpf(0),) * 4
        return disc_part(r, (h - c * z) / s)

    def integral(f):
        total = mp.mpf(0)
        for a, b in zip(marks, marks[1:]):
            if cut((a + b) / 2)[0] > 0:
                total += mp.quad(f, [a, (a + b) / 2, b])
        return total

    part = [integral(lambda z, k=k: cut(z)[k]) for k in range(4)]
    volume = part[0]
    z1 = integral(lambda z: cut(z)[0] * z) / volume
    x1 = part[1] / volume
    zz = integral(lambda z: cut(z)[0] * (z - z1) ** 2)
    xz = integral(lambda z: cut(z)[1] * (z - z1))
    xx = part[2] - volume * x1**2
    ex = mp.matrix([n[0] / s, n[1] / s, 0])
    ez = mp.matrix([0, 0, 1 if n[2] >= 0 else -1])
    ey = mp.matrix([-ex[1], ex[0], 0])
    second = (xx * outer(ex, ex) + part[3] * outer(ey, ey) + zz * outer(ez, ez)
              + xz * (outer(ex, ez) + outer(ez, ex)))
    return volume, x1 * ex + z1 * ez, flat(second, n)


def reach(kind, size, n):
    flat_part = mp.sqrt(n[0] ** 2 + n[1] ** 2)
    return {"ELLIPSOID": lambda: mp.sqrt(sum((size[k] * n[k]) ** 2 for k in range(3))),
            "SPHERE": lambda: size[0],
            "BOX": lambda: sum(size[k] * abs(n[k]) for k in range(3)),
            "CAPSULE": lambda: size[0] + size[1] * abs(n[2]),
            "CYLINDER": lambda: size[0] * flat_part + size[1] * abs(n[2])}[kind]()


def reference(kind, size, n, h):
    if kind == "SPHERE":
        return ellipsoid([size[0]] * 3, n, h)
    if kind == "ELLIPSOID":
        return ellipsoid(size, n, h)
    if kind == "BOX":
        return box(size, n, h)
    return round_solid(size[0], size[1], n, h, kind == "CAPSULE")


SHAPES = [("SPHERE", (0.3, 0, 0)), ("ELLIPSOID", (0.12, 0.05, 0.03)), ("ELLIPSOID", (0.2, 1.5, 0.35)),
          ("BOX", (0.2, 0.5, 0.35)), ("CAPSULE", (0.2, 0.4, 0)), ("CYLINDER", (0.3, 0.4, 0))]
NORMALS = [(0.6, -0.3, 0.7), (-0.1, 0.9, 0.02), (0.003, -0.002, -1.5), (0.8, 0.5, -0.3)]
DEPTHS = [1e-6, 1e-3, 0.1, 0.5, 1.0, 1.4, 1.99]  # over the reach; 2 is all


def number(x):
    return mp.nstr(x, 17, min_fixed=1, max_fixed=0)


def row(kind, size, normal, depth):
    exact = lambda v: [mp.mpf(float(x)) for x in v]
    size_, n = exact(size), mp.matrix(exact(normal))
    n /= mp.norm(n)
    h = (mp.mpf(depth) - 1) * reach(kind, size_, n)
    point = [float(h * n[k]) for k in range(3)]
    h = (mp.matrix(exact(point)).T * n)[0]
    volume, centroid, spread = reference(kind, size_, n, h)
    trace = spread[0, 0] + spread[1, 1] + spread[2, 2]
    moments = [trace * (a == b) - spread[a, b] for a, b in PLACES]
    given = [repr(float(x)) for x in (*size, *normal, *point)]
    print(kind.lower(), *given, *[number(x) for x in (volume, *centroid, *moments)], sep=",")


PLACES = [(0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2)]
if __name__ == "__main__":
    print("shape,a,b,c,nx,ny,nz,px,py,pz,volume,cx,cy,cz,Jxx,Jyy,Jzz,Jxy,Jxz,Jyz")
    for shape, sizes in SHAPES:
        for direction in NORMALS:
            for part in DEPTHS:
                row(shape, sizes, direction, part)
