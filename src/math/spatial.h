/* Spatial vectors, transforms and inertias: six dimensions at once, after [Featherstone08 ch. 2].
 *
 * A motion vector holds angular velocity and the velocity of the origin; a force vector holds
 * the moment about the origin and the force. Both are written in one frame's coordinates.
 */
#ifndef FF_MATH_SPATIAL_H
#define FF_MATH_SPATIAL_H

#include "math/vec.h"

/* ---- matrices of three ------------------------------------------------------------------- */

/* Written out: compilers leave such loops as loops. */
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

/* ---- vectors of six ---------------------------------------------------------------------- */

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

/* ---- transforms -------------------------------------------------------------------------- */

/* From the coordinates of frame A to those of frame B [Featherstone08 sec. 2.8]. */
typedef struct ff_sx {
  ff_mat3 e; /* turns A coordinates into B coordinates */
  ff_vec3 r; /* B's origin, in A coordinates */
} ff_sx;

/* Of frame B whose pose is given in frame A. */
static inline ff_sx sx_of_pose(ff_pose pose) {
  return (ff_sx){m3_transpose(q_matrix(pose.orientation)), pose.position};
}
/* A motion vector from A to B. */
static inline ff_sv sx_motion(const ff_sx *x, ff_sv m) {
  return (ff_sv){m3_mul(x->e, m.a), m3_mul(x->e, v3_sub(m.l, v3_cross(x->r, m.a)))};
}
/* A force vector from B back to A. */
static inline ff_sv sx_force_back(const ff_sx *x, ff_sv f) {
  ff_vec3 force = m3_tmul(x->e, f.l);
  return (ff_sv){v3_add(m3_tmul(x->e, f.a), v3_cross(x->r, force)), force};
}

/* ---- inertia of a rigid body --------------------------------------------------------------- */

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
/* The same body, from B coordinates back to A. */
static inline ff_si si_back(const ff_sx *x, const ff_si *b) {
  ff_si out = {b->m, m3_tmul(x->e, b->h), m3_congruent(x->e, b->i)};
  ff_vec3 h = v3_axpy(out.h, b->m, x->r);
  out.i = m3_sub(out.i, m3_skew_times(x->r, m3_skew(out.h)));
  out.i = m3_sub(out.i, m3_skew_times(h, m3_skew(x->r)));
  out.h = h;
  return out;
}

/* ---- inertia of an articulated body -------------------------------------------------------- */

/* The symmetric 6 x 6 matrix [i h; h^T m]. */
typedef struct ff_sa {
  ff_mat3 i, h, m;
} ff_sa;

static inline ff_sa sa_of_rigid(const ff_si *x) {
  return (ff_sa){x->i, m3_skew(x->h), {{{x->m, 0, 0}, {0, x->m, 0}, {0, 0, x->m}}}};
}
static inline ff_sa sa_add(ff_sa x, ff_sa y) {
  return (ff_sa){m3_add(x.i, y.i), m3_add(x.h, y.h), m3_add(x.m, y.m)};
}
static inline ff_sv sa_mul(const ff_sa *x, ff_sv v) {
  return (ff_sv){v3_add(m3_mul(x->i, v.a), m3_mul(x->h, v.l)),
                 v3_add(m3_tmul(x->h, v.a), m3_mul(x->m, v.l))};
}
/* x += s u v^T, where the sum over all calls is symmetric. */
static inline void sa_outer_add(ff_sa *x, double s, ff_sv u, ff_sv v) {
  m3_outer_add(&x->i, s, u.a, v.a);
  m3_outer_add(&x->h, s, u.a, v.l);
  m3_outer_add(&x->m, s, u.l, v.l);
}
/* From B coordinates back to A: X^T I X. */
static inline ff_sa sa_back(const ff_sx *x, const ff_sa *b) {
  ff_sa t = {m3_congruent(x->e, b->i), m3_congruent(x->e, b->h), m3_congruent(x->e, b->m)};
  ff_mat3 h = m3_add(t.h, m3_skew_times(x->r, t.m));
  ff_mat3 rh = m3_skew_times(x->r, m3_transpose(t.h));
  t.i = m3_sub(m3_add(t.i, rh), m3_times_skew(h, x->r));
  t.h = h;
  return t;
}

#endif
