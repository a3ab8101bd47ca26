/* Spatial (6D) vectors, transforms and inertias, after [Featherstone08 ch. 2].
 *
 * A motion vector holds angular velocity and the velocity of the origin; a force vector holds the
 * moment about the origin and the force. Both are in the coordinates of one frame. */
#ifndef FF_MATH_SPATIAL_H
#define FF_MATH_SPATIAL_H

#include "math/vec.h"

/* ---- 3 x 3 matrices -------------------------------------------------------------------------- */

/* Unrolled by hand: compilers keep such loops. */
static inline ff_mat3 m3_scale(double s, ff_mat3 a) {
  for (int i = 0; i < 9; i++) {
    a.m[i / 3][i % 3] *= s;
  }
  return a;
}
static inline ff_mat3 m3_add(ff_mat3 a, ff_mat3 b) {
  return (ff_mat3){{{a.m[0][0] + b.m[0][0], a.m[0][1] + b.m[0][1], a.m[0][2] + b.m[0][2]},
                    {a.m[1][0] + b.m[1][0], a.m[1][1] + b.m[1][1], a.m[1][2] + b.m[1][2]},
                    {a.m[2][0] + b.m[2][0], a.m[2][1] + b.m[2][1], a.m[2][2] + b.m[2][2]}}};
}
static inline ff_mat3 m3_sub(ff_mat3 a, ff_mat3 b) {
  return (ff_mat3){{{a.m[0][0] - b.m[0][0], a.m[0][1] - b.m[0][1], a.m[0][2] - b.m[0][2]},
                    {a.m[1][0] - b.m[1][0], a.m[1][1] - b.m[1][1], a.m[1][2] - b.m[1][2]},
                    {a.m[2][0] - b.m[2][0], a.m[2][1] - b.m[2][1], a.m[2][2] - b.m[2][2]}}};
}
static inline ff_mat3 m3_transpose(ff_mat3 a) {
  return (ff_mat3){{{a.m[0][0], a.m[1][0], a.m[2][0]},
                    {a.m[0][1], a.m[1][1], a.m[2][1]},
                    {a.m[0][2], a.m[1][2], a.m[2][2]}}};
}
#define FF_ROW_COLUMN(i, j) (a.m[i][0] * b.m[0][j] + a.m[i][1] * b.m[1][j] + a.m[i][2] * b.m[2][j])
static inline ff_mat3 m3_product(ff_mat3 a, ff_mat3 b) {
  return (ff_mat3){{{FF_ROW_COLUMN(0, 0), FF_ROW_COLUMN(0, 1), FF_ROW_COLUMN(0, 2)},
                    {FF_ROW_COLUMN(1, 0), FF_ROW_COLUMN(1, 1), FF_ROW_COLUMN(1, 2)},
                    {FF_ROW_COLUMN(2, 0), FF_ROW_COLUMN(2, 1), FF_ROW_COLUMN(2, 2)}}};
}
#undef FF_ROW_COLUMN
/* The matrix of the cross product: skew(r) v = r x v. */
static inline ff_mat3 m3_skew(ff_vec3 r) {
  return (ff_mat3){{{0, -r.z, r.y}, {r.z, 0, -r.x}, {-r.y, r.x, 0}}};
}
/* skew(r) a: r x each column. */
static inline ff_mat3 m3_skew_times(ff_vec3 r, ff_mat3 a) {
  return (ff_mat3){{{r.y * a.m[2][0] - r.z * a.m[1][0], r.y * a.m[2][1] - r.z * a.m[1][1],
                     r.y * a.m[2][2] - r.z * a.m[1][2]},
                    {r.z * a.m[0][0] - r.x * a.m[2][0], r.z * a.m[0][1] - r.x * a.m[2][1],
                     r.z * a.m[0][2] - r.x * a.m[2][2]},
                    {r.x * a.m[1][0] - r.y * a.m[0][0], r.x * a.m[1][1] - r.y * a.m[0][1],
                     r.x * a.m[1][2] - r.y * a.m[0][2]}}};
}
/* a skew(r) */
static inline ff_mat3 m3_times_skew(ff_mat3 a, ff_vec3 r) {
  return (ff_mat3){{{a.m[0][1] * r.z - a.m[0][2] * r.y, a.m[0][2] * r.x - a.m[0][0] * r.z,
                     a.m[0][0] * r.y - a.m[0][1] * r.x},
                    {a.m[1][1] * r.z - a.m[1][2] * r.y, a.m[1][2] * r.x - a.m[1][0] * r.z,
                     a.m[1][0] * r.y - a.m[1][1] * r.x},
                    {a.m[2][1] * r.z - a.m[2][2] * r.y, a.m[2][2] * r.x - a.m[2][0] * r.z,
                     a.m[2][0] * r.y - a.m[2][1] * r.x}}};
}
/* transpose(e) a e */
static inline ff_mat3 m3_congruent(ff_mat3 e, ff_mat3 a) {
  return m3_product(m3_transpose(e), m3_product(a, e));
}
/* a += s u v^T */
static inline void m3_outer_add(ff_mat3 *a, double s, ff_vec3 u, ff_vec3 v) {
  ff_vec3 left = v3_scale(s, u);
  a->m[0][0] += left.x * v.x;
  a->m[0][1] += left.x * v.y;
  a->m[0][2] += left.x * v.z;
  a->m[1][0] += left.y * v.x;
  a->m[1][1] += left.y * v.y;
  a->m[1][2] += left.y * v.z;
  a->m[2][0] += left.z * v.x;
  a->m[2][1] += left.z * v.y;
  a->m[2][2] += left.z * v.z;
}

/* ---- 6 x 6 matrices -------------------------------------------------------------------------- */

/* Solves the symmetric a x = b in place by Cholesky factorisation; reads only the lower triangle of
 * a. False if a is not positive definite. */
static inline bool m6_solve(double a[6][6], double x[6]) {
  for (int i = 0; i < 6; i++) {
    for (int j = 0; j < i; j++) {
      double sum = a[i][j];
      for (int k = 0; k < j; k++) {
        sum -= a[i][k] * a[j][k];
      }
      a[i][j] = sum * a[j][j];
      x[i] -= a[i][j] * x[j];
    }
    double pivot = a[i][i];
    for (int k = 0; k < i; k++) {
      pivot -= a[i][k] * a[i][k];
    }
    if (!(pivot > 0)) {
      return false;
    }
    double root = sqrt(pivot);
    a[i][i] = 1 / root; /* reciprocal of the pivot */
    x[i] *= a[i][i];
  }
  for (int i = 5; i >= 0; i--) {
    for (int k = i + 1; k < 6; k++) {
      x[i] -= a[k][i] * x[k];
    }
    x[i] *= a[i][i];
  }
  return true;
}

/* ---- 6D vectors ------------------------------------------------------------------------------ */

typedef struct ff_sv {
  ff_vec3 a; /* angular velocity, or moment about the origin */
  ff_vec3 l; /* velocity of the origin, or force */
} ff_sv;

static inline ff_sv sv_zero(void) {
  return (ff_sv){{0, 0, 0}, {0, 0, 0}};
}
static inline ff_sv sv_add(ff_sv x, ff_sv y) {
  return (ff_sv){v3_add(x.a, y.a), v3_add(x.l, y.l)};
}
static inline ff_sv sv_sub(ff_sv x, ff_sv y) {
  return (ff_sv){v3_sub(x.a, y.a), v3_sub(x.l, y.l)};
}
/* x + s y */
static inline ff_sv sv_axpy(ff_sv x, double s, ff_sv y) {
  return (ff_sv){v3_axpy(x.a, s, y.a), v3_axpy(x.l, s, y.l)};
}
/* Motion . force: power. */
static inline double sv_dot(ff_sv x, ff_sv y) {
  return v3_dot(x.a, y.a) + v3_dot(x.l, y.l);
}
/* v x m, the rate of a motion vector that moves with v [Featherstone08 sec. 2.9]. */
static inline ff_sv sv_cross(ff_sv v, ff_sv m) {
  return (ff_sv){v3_cross(v.a, m.a), v3_add(v3_cross(v.a, m.l), v3_cross(v.l, m.a))};
}
/* v x* f, the rate of a force vector that moves with v. */
static inline ff_sv sv_cross_force(ff_sv v, ff_sv f) {
  return (ff_sv){v3_add(v3_cross(v.a, f.a), v3_cross(v.l, f.l)), v3_cross(v.a, f.l)};
}

/* ---- translations ---------------------------------------------------------------------------- */

/* Both frames have the same axes; B's origin lies at r, seen from A [Featherstone08 sec. 2.8]. */

/* A motion vector from A to B. */
static inline ff_sv sv_motion_to(ff_vec3 r, ff_sv m) {
  return (ff_sv){m.a, v3_add(m.l, v3_cross(m.a, r))};
}
/* A force vector from B back to A. */
static inline ff_sv sv_force_back(ff_vec3 r, ff_sv f) {
  return (ff_sv){v3_add(f.a, v3_cross(r, f.l)), f.l};
}

/* ---- inertia of a rigid body ----------------------------------------------------------------- */

typedef struct ff_si {
  double m;  /* kg */
  ff_vec3 h; /* kg m, mass times centre of mass */
  ff_mat3 i; /* kg m^2, about the origin */
} ff_si;

/* From mass, centre of mass and inertia about it [Featherstone08 sec. 2.13]. */
static inline ff_si si_make(double mass, ff_vec3 com, ff_mat3 about_com) {
  ff_mat3 c = m3_skew(com);
  ff_si out = {mass, v3_scale(mass, com), about_com};
  ff_mat3 cc = m3_product(c, c);
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) {
      out.i.m[i][j] -= mass * cc.m[i][j];
    }
  }
  return out;
}
static inline ff_si si_add(ff_si x, ff_si y) {
  return (ff_si){x.m + y.m, v3_add(x.h, y.h), m3_add(x.i, y.i)};
}
/* Momentum of the motion v. */
static inline ff_sv si_mul(const ff_si *x, ff_sv v) {
  return (ff_sv){v3_add(m3_mul(x->i, v.a), v3_cross(x->h, v.l)),
                 v3_sub(v3_scale(x->m, v.l), v3_cross(x->h, v.a))};
}
/* The inertia in axes rotated by e: e I e^T. */
static inline ff_si si_rotated(const ff_si *x, const ff_mat3 *e) {
  ff_mat3 a = m3_product(*e, x->i), b = *e;
#define FF_ROW_ROW(i, j) (a.m[i][0] * b.m[j][0] + a.m[i][1] * b.m[j][1] + a.m[i][2] * b.m[j][2])
  double xy = FF_ROW_ROW(0, 1), xz = FF_ROW_ROW(0, 2), yz = FF_ROW_ROW(1, 2);
  return (ff_si){
      x->m,
      m3_mul(b, x->h),
      {{{FF_ROW_ROW(0, 0), xy, xz}, {xy, FF_ROW_ROW(1, 1), yz}, {xz, yz, FF_ROW_ROW(2, 2)}}}};
#undef FF_ROW_ROW
}
/* The inertia, from B back to A. */
static inline ff_si si_back(ff_vec3 r, const ff_si *b) {
  ff_si out = {b->m, v3_axpy(b->h, b->m, r), b->i};
  out.i = m3_sub(out.i, m3_skew_times(r, m3_skew(b->h)));
  out.i = m3_sub(out.i, m3_skew_times(out.h, m3_skew(r)));
  return out;
}

/* ---- inertia of an articulated body ---------------------------------------------------------- */

/* A symmetric 3 x 3 matrix. */
typedef struct ff_s3 {
  double xx, xy, xz, yy, yz, zz;
} ff_s3;

/* The symmetric 6 x 6 matrix [i h; h^T m]. */
typedef struct ff_sa {
  ff_s3 i, m;
  ff_mat3 h;
} ff_sa;

static inline ff_vec3 s3_mul(const ff_s3 *a, ff_vec3 v) {
  return v3(a->xx * v.x + a->xy * v.y + a->xz * v.z, a->xy * v.x + a->yy * v.y + a->yz * v.z,
            a->xz * v.x + a->yz * v.y + a->zz * v.z);
}
/* a - u u^T */
static inline void s3_outer_sub(ff_s3 *a, ff_vec3 u) {
  a->xx -= u.x * u.x;
  a->xy -= u.x * u.y;
  a->xz -= u.x * u.z;
  a->yy -= u.y * u.y;
  a->yz -= u.y * u.z;
  a->zz -= u.z * u.z;
}
static inline void s3_add(ff_s3 *a, const ff_s3 *b) {
  a->xx += b->xx;
  a->xy += b->xy;
  a->xz += b->xz;
  a->yy += b->yy;
  a->yz += b->yz;
  a->zz += b->zz;
}
static inline ff_sa sa_of_rigid(const ff_si *x) {
  const ff_mat3 *i = &x->i;
  return (ff_sa){
      {i->m[0][0], i->m[0][1], i->m[0][2], i->m[1][1], i->m[1][2], i->m[2][2]},
      {x->m, 0, 0, x->m, 0, x->m},
      m3_skew(x->h),
  };
}
static inline ff_sv sa_mul(const ff_sa *x, ff_sv v) {
  return (ff_sv){v3_add(s3_mul(&x->i, v.a), m3_mul(x->h, v.l)),
                 v3_add(m3_tmul(x->h, v.a), s3_mul(&x->m, v.l))};
}
/* x -= u u^T */
static inline void sa_outer_sub(ff_sa *x, ff_sv u) {
  s3_outer_sub(&x->i, u.a);
  s3_outer_sub(&x->m, u.l);
  m3_outer_add(&x->h, -1, u.a, u.l);
}
/* v := x^-1 v; false if x is not positive definite. */
static inline bool sa_solve(const ff_sa *x, ff_sv *v) {
  double a[6][6] = {{x->i.xx},
                    {x->i.xy, x->i.yy},
                    {x->i.xz, x->i.yz, x->i.zz},
                    {x->h.m[0][0], x->h.m[1][0], x->h.m[2][0], x->m.xx},
                    {x->h.m[0][1], x->h.m[1][1], x->h.m[2][1], x->m.xy, x->m.yy},
                    {x->h.m[0][2], x->h.m[1][2], x->h.m[2][2], x->m.xz, x->m.yz, x->m.zz}};
  double b[6] = {v->a.x, v->a.y, v->a.z, v->l.x, v->l.y, v->l.z};
  bool good = m6_solve(a, b);
  *v = (ff_sv){v3_load(b), v3_load(b + 3)};
  return good;
}
static inline void sa_add(ff_sa *to, const ff_sa *b) {
  s3_add(&to->i, &b->i);
  s3_add(&to->m, &b->m);
  to->h = m3_add(to->h, b->h);
}
/* to += b, from B back to A: with R the matrix of r, h += R m and i += R h^T - h R. */
static inline void sa_add_back(ff_sa *to, ff_vec3 r, const ff_sa *b) {
  const ff_s3 *m = &b->m;
  const ff_mat3 *o = &b->h;
  const ff_mat3 h = {
      {{o->m[0][0] + (r.y * m->xz - r.z * m->xy), o->m[0][1] + (r.y * m->yz - r.z * m->yy),
        o->m[0][2] + (r.y * m->zz - r.z * m->yz)},
       {o->m[1][0] + (r.z * m->xx - r.x * m->xz), o->m[1][1] + (r.z * m->xy - r.x * m->yz),
        o->m[1][2] + (r.z * m->xz - r.x * m->zz)},
       {o->m[2][0] + (r.x * m->xy - r.y * m->xx), o->m[2][1] + (r.x * m->yy - r.y * m->xy),
        o->m[2][2] + (r.x * m->yz - r.y * m->xz)}}};
  to->i.xx += b->i.xx + (r.y * o->m[0][2] - r.z * o->m[0][1]) - (h.m[0][1] * r.z - h.m[0][2] * r.y);
  to->i.xy += b->i.xy + (r.y * o->m[1][2] - r.z * o->m[1][1]) - (h.m[0][2] * r.x - h.m[0][0] * r.z);
  to->i.xz += b->i.xz + (r.y * o->m[2][2] - r.z * o->m[2][1]) - (h.m[0][0] * r.y - h.m[0][1] * r.x);
  to->i.yy += b->i.yy + (r.z * o->m[1][0] - r.x * o->m[1][2]) - (h.m[1][2] * r.x - h.m[1][0] * r.z);
  to->i.yz += b->i.yz + (r.z * o->m[2][0] - r.x * o->m[2][2]) - (h.m[1][0] * r.y - h.m[1][1] * r.x);
  to->i.zz += b->i.zz + (r.x * o->m[2][1] - r.y * o->m[2][0]) - (h.m[2][0] * r.y - h.m[2][1] * r.x);
  s3_add(&to->m, m);
  to->h = m3_add(to->h, h);
}

#endif
