#!/usr/bin/env python3
"""Prints tests/force_reference.csv: forces and moments of the laws volumetric and continuous with
50 digits (mpmath), straight from the equations, over the overlaps of overlap_reference.py.
Usage: tests/force_reference.py > tests/force_reference.csv

Everything is in the shape's frame; the plane is at rest. Planes, velocities and spins are drawn
at random and given as doubles; references are for exactly these numbers.
Fn, Mn: along the normal, Ft, Mt: the rest; the moment is about the centroid of the overlap.
"""
import random

import mpmath as mp

from overlap_reference import SHAPES, number, reach, reference

K_V, A_V, MU_S, MU_D, V_T, OMEGA_T = [mp.mpf(float(x)) for x in (3e6, 0.4, 0.8, 0.5, 0.05, 1.5)]
DEPTHS = [1e-6, 1e-4, 1e-2, 0.2, 0.7, 1.3, 1.9, 2.5]  # over the reach; from 2 on it is all


def exact(v):
    return mp.matrix([mp.mpf(float(x)) for x in v])


def cross(a, b):
    return mp.matrix([a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2],
                      a[0] * b[1] - a[1] * b[0]])


def dot(a, b):
    return (a.T * b)[0]


def mu(s):
    """[Brown18 eq. 48, 51]"""
    return MU_D * mp.tanh(4 * s) + (MU_S - MU_D) * s / (s**2 / 4 + mp.mpf(3) / 4) ** 2


def forces(volume, centroid, spread, n, velocity, omega, printed):
    v = velocity + cross(omega, centroid)
    v_n, omega_n = dot(v, n), dot(omega, n)
    v_t, omega_t = v - v_n * n, omega - omega_n * n
    J = (spread[0, 0] + spread[1, 1] + spread[2, 2]) * mp.eye(3) - spread
    J_n = dot(n, J * n)
    damping = 1 + A_V * abs(v_n) if printed else max(0, 1 - A_V * v_n)  # eq. 44
    F_n = K_V * volume * damping
    F_t = -F_n * mu(mp.norm(v_t) / V_T) * v_t / mp.norm(v_t)  # eq. 47
    lever = J_n / volume if printed else mp.sqrt(J_n / volume)
    M_n = -F_n * lever * mu(abs(omega_n) / OMEGA_T) * mp.sign(omega_n)  # eq. 50
    M_t = -K_V * A_V * J * omega_t  # eq. 45
    return F_n, *F_t, M_n, *(M_t - dot(M_t, n) * n)


def row(draw, kind, size, depth, printed):
    normal = [draw.choice((-1, 1)) * draw.uniform(0.1, 1) for _ in range(3)]
    velocity = [draw.uniform(-1, 1) * 10 ** draw.uniform(-2, 0) for _ in range(3)]
    omega = [draw.uniform(-1, 1) * 10 ** draw.uniform(-1, 1) for _ in range(3)]
    n = exact(normal)
    n /= mp.norm(n)
    point = [float(x) for x in (mp.mpf(depth) - 1) * reach(kind, exact(size), n) * n]
    h = dot(exact(point), n)
    parts = reference(kind, [mp.mpf(float(x)) for x in size], n, h)
    told = forces(*parts, n, exact(velocity), exact(omega), printed)
    given = [repr(float(x)) for x in (*size, *normal, *point, *velocity, *omega)]
    print(kind.lower(), *given, printed, *[number(x) for x in told], sep=",")


if __name__ == "__main__":
    random_numbers = random.Random(2018)
    print("shape,a,b,c,nx,ny,nz,px,py,pz,vx,vy,vz,wx,wy,wz,printed,"
          "Fn,Ftx,Fty,Ftz,Mn,Mtx,Mty,Mtz")
    for shape, sizes in SHAPES:
        for place, part in enumerate(DEPTHS):
            row(random_numbers, shape, sizes, part, int(place % 3 == 2))
