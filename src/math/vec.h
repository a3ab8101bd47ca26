/* Vectors, matrices, quaternions: small, inline, by value. */
#ifndef FF_MATH_VEC_H
#define FF_MATH_VEC_H

#include "footfall/types.h"
#include "math/elementary.h"

#include <math.h>

static const double ff_pi = 3.14159265358979323846;

/* fmax and fmin without a call. Only b may be NAN: the result is then a. */
static inline double greater(double a, double b) {
  return b > a ? b : a;
}
static inline double lesser(double a, double b) {
  return b < a ? b : a;
}

static inline ff_vec3 v3(double x, double y, double z) {
  return (ff_vec3){x, y, z};
}
static inline ff_vec3 v3_load(const double *from) {
  return v3(from[0], from[1], from[2]);
}
static inline void v3_store(double *to, ff_vec3 a) {
  to[0] = a.x;
  to[1] = a.y;
  to[2] = a.z;
}
static inline ff_vec3 v3_add(ff_vec3 a, ff_vec3 b) {
  return v3(a.x + b.x, a.y + b.y, a.z + b.z);
}
static inline ff_vec3 v3_sub(ff_vec3 a, ff_vec3 b) {
  return v3(a.x - b.x, a.y - b.y, a.z - b.z);
}
static inline ff_vec3 v3_scale(double s, ff_vec3 a) {
  return v3(s * a.x, s * a.y, s * a.z);
}
/* a + s b */
static inline ff_vec3 v3_axpy(ff_vec3 a, double s, ff_vec3 b) {
  return v3(a.x + s * b.x, a.y + s * b.y, a.z + s * b.z);
}
static inline ff_vec3 v3_neg(ff_vec3 a) {
  return v3(-a.x, -a.y, -a.z);
}
/* component by component */
static inline ff_vec3 v3_mul(ff_vec3 a, ff_vec3 b) {
  return v3(a.x * b.x, a.y * b.y, a.z * b.z);
}
static inline double v3_dot(ff_vec3 a, ff_vec3 b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}
static inline ff_vec3 v3_cross(ff_vec3 a, ff_vec3 b) {
  return v3(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}
static inline double v3_norm(ff_vec3 a) {
  return sqrt(v3_dot(a, a));
}
/* Unit vector along a; a must not be zero. */
static inline ff_vec3 v3_unit(ff_vec3 a) {
  return v3_scale(1.0 / v3_norm(a), a);
}
static inline bool v3_finite(ff_vec3 a) {
  return isfinite(a.x) && isfinite(a.y) && isfinite(a.z);
}
/* A unit vector orthogonal to the unit vector n; a function of n alone. */
static inline ff_vec3 v3_orthogonal(ff_vec3 n) {
  /* Start from the coordinate axis that is farthest from parallel to n. */
  double x = fabs(n.x), y = fabs(n.y), z = fabs(n.z);
  ff_vec3 e = x <= y && x <= z ? v3(1, 0, 0) : (y <= z ? v3(0, 1, 0) : v3(0, 0, 1));
  return v3_unit(v3_axpy(e, -v3_dot(e, n), n));
}

static inline ff_quat q_identity(void) {
  return (ff_quat){1, 0, 0, 0};
}
static inline ff_quat q_mul(ff_quat a, ff_quat b) {
  return (ff_quat){
      a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z, a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
      a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x, a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w};
}
static inline ff_quat q_conj(ff_quat q) {
  return (ff_quat){q.w, -q.x, -q.y, -q.z};
}
static inline double q_norm(ff_quat q) {
  return sqrt(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z);
}
/* Normalised q. If |q| is 1 within rounding, one Newton step replaces the square root. */
static inline ff_quat q_unit(ff_quat q) {
  double norm2 = q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z;
  double s = fabs(norm2 - 1) < 1e-9 ? 1.5 - 0.5 * norm2 : 1.0 / sqrt(norm2);
  return (ff_quat){s * q.w, s * q.x, s * q.y, s * q.z};
}
/* Normalises a product of `from` and a unit rotation. If |from| is 1 within rounding, so is |q|,
 * and one Newton step suffices. */
static inline ff_quat q_renormalise(ff_quat q, ff_quat from) {
  double norm2 = (from.w * from.w + from.x * from.x) + (from.y * from.y + from.z * from.z);
  double s = 1.5 - 0.5 * norm2;
  return (ff_quat){s * q.w, s * q.x, s * q.y, s * q.z};
}
/* Body -> world for a unit q: v + 2 w (u x v) + 2 u x (u x v). */
static inline ff_vec3 q_rotate(ff_quat q, ff_vec3 v) {
  ff_vec3 u = v3(q.x, q.y, q.z);
  ff_vec3 t = v3_scale(2.0, v3_cross(u, v));
  return v3_add(v3_axpy(v, q.w, t), v3_cross(u, t));
}
/* World -> body. */
static inline ff_vec3 q_unrotate(ff_quat q, ff_vec3 v) {
  return q_rotate(q_conj(q), v);
}
/* For an angle given by its square: cos(angle / 2) and sin(angle / 2) / angle. */
static inline void q_half(double angle2, double *c, double *half_sinc) {
  if (angle2 <
      1e-2) { /* usual case: series accurate to the last bit, much cheaper than sin and cos */
    double a = angle2, aa = a * a; /* in pairs, for a shorter chain of dependent operations */
    *half_sinc =
        0.5 - a * ((1.0 / 48 - a * (1.0 / 3840)) + aa * (1.0 / 645120 - a * (1.0 / 185794560)));
    *c = 1.0 - a * ((1.0 / 8 - a * (1.0 / 384)) + aa * (1.0 / 46080 - a * (1.0 / 10321920)));
  } else {
    double angle = sqrt(angle2);
    *half_sinc = ff_sin(0.5 * angle) / angle;
    *c = ff_cos(0.5 * angle);
  }
}
/* Unit quaternion of a rotation vector (axis times angle, rad). */
static inline ff_quat q_exp(ff_vec3 rotation) {
  double half_sinc, c;
  q_half(v3_dot(rotation, rotation), &c, &half_sinc);
  return (ff_quat){c, half_sinc * rotation.x, half_sinc * rotation.y, half_sinc * rotation.z};
}

/* The rotation vector of a unit quaternion, of angle at most pi: the inverse of q_exp. */
static inline ff_vec3 q_log(ff_quat q) {
  ff_vec3 u = q.w < 0 ? v3(-q.x, -q.y, -q.z) : v3(q.x, q.y, q.z);
  double s = v3_norm(u);
  return s < 1e-12 ? v3_scale(2, u) : v3_scale(2 * ff_atan2(s, fabs(q.w)) / s, u);
}

static inline ff_vec3 m3_mul(ff_mat3 a, ff_vec3 v) {
  return v3(a.m[0][0] * v.x + a.m[0][1] * v.y + a.m[0][2] * v.z,
            a.m[1][0] * v.x + a.m[1][1] * v.y + a.m[1][2] * v.z,
            a.m[2][0] * v.x + a.m[2][1] * v.y + a.m[2][2] * v.z);
}
/* transpose(a) v */
static inline ff_vec3 m3_tmul(ff_mat3 a, ff_vec3 v) {
  return v3(a.m[0][0] * v.x + a.m[1][0] * v.y + a.m[2][0] * v.z,
            a.m[0][1] * v.x + a.m[1][1] * v.y + a.m[2][1] * v.z,
            a.m[0][2] * v.x + a.m[1][2] * v.y + a.m[2][2] * v.z);
}
static inline void m3_set_column(ff_mat3 *a, int k, ff_vec3 v) {
  a->m[0][k] = v.x;
  a->m[1][k] = v.y;
  a->m[2][k] = v.z;
}
/* Rotation matrix, body -> world, of a unit quaternion. */
static inline ff_mat3 q_matrix(ff_quat q) {
  double xx = q.x * q.x, yy = q.y * q.y, zz = q.z * q.z;
  double xy = q.x * q.y, xz = q.x * q.z, yz = q.y * q.z;
  double wx = q.w * q.x, wy = q.w * q.y, wz = q.w * q.z;
  return (ff_mat3){{{1 - 2 * (yy + zz), 2 * (xy - wz), 2 * (xz + wy)},
                    {2 * (xy + wz), 1 - 2 * (xx + zz), 2 * (yz - wx)},
                    {2 * (xz - wy), 2 * (yz + wx), 1 - 2 * (xx + yy)}}};
}

/* The axes of a frame in the world: columns of q_matrix, one at a time. */
static inline ff_vec3 q_axis_x(ff_quat q) {
  return v3(1.0 - 2.0 * (q.y * q.y + q.z * q.z), 2.0 * (q.x * q.y + q.w * q.z),
            2.0 * (q.x * q.z - q.w * q.y));
}
static inline ff_vec3 q_axis_y(ff_quat q) {
  return v3(2.0 * (q.x * q.y - q.w * q.z), 1.0 - 2.0 * (q.x * q.x + q.z * q.z),
            2.0 * (q.y * q.z + q.w * q.x));
}
static inline ff_vec3 q_axis_z(ff_quat q) {
  return v3(2.0 * (q.x * q.z + q.w * q.y), 2.0 * (q.y * q.z - q.w * q.x),
            1.0 - 2.0 * (q.x * q.x + q.y * q.y));
}

static inline ff_vec3 pose_point(ff_pose pose, ff_vec3 local) {
  return v3_add(pose.position, q_rotate(pose.orientation, local));
}
/* The pose of a child given in the frame of its parent. */
static inline ff_pose pose_mul(ff_pose parent, ff_pose child) {
  return (ff_pose){pose_point(parent, child.position),
                   q_mul(parent.orientation, child.orientation)};
}

#endif
