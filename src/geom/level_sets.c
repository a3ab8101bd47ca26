/* Contact of two ellipsoids by level sets [Chakraborty07 eqs. 9, 11 and 12].
 *
 * A point x of a's surface lies deepest among the level sets of b, g(x) = -level: there the smaller
 * ellipsoid of the same centre and proportions touches a. With A and B the quadrics of both and
 * y = x - c_a, d = c_b - c_a, that is
 *
 *   (B + s A) y = B d,  y' A y = 1,  s > 0
 *
 * and y' A y falls with s. The normal is that of b's level set at x, the depth the distance from x
 * along it to b's surface (eq. 12). It is not conjugate to the normal: the depth rate is not minus
 * the normal velocity. Where the bodies only touch, it is the common normal.
 */
#include "geom/geom.h"
#include "math/spatial.h"
#include "math/vec.h"

/* R diag(1/s^2) R' */
static ff_mat3 quadric(const ff_geom *geom, const ff_pose *pose) {
  bool round = geom->kind == FF_SPHERE;
  ff_vec3 s = round ? v3(geom->size.x, geom->size.x, geom->size.x) : geom->size;
  ff_mat3 r = q_matrix(pose->orientation), out = {{{0}}};
  const double w[3] = {1 / (s.x * s.x), 1 / (s.y * s.y), 1 / (s.z * s.z)};
  for (int k = 0; k < 3; k++) {
    ff_vec3 axis = v3(r.m[0][k], r.m[1][k], r.m[2][k]);
    m3_outer_add(&out, w[k], axis, axis);
  }
  return out;
}

/* x of m x = v for a symmetric positive definite matrix, by Cramer's rule. */
static ff_vec3 solve(ff_mat3 m, ff_vec3 v) {
  ff_vec3 a = v3(m.m[0][0], m.m[1][0], m.m[2][0]), b = v3(m.m[0][1], m.m[1][1], m.m[2][1]);
  ff_vec3 c = v3(m.m[0][2], m.m[1][2], m.m[2][2]), bc = v3_cross(b, c);
  double det = v3_dot(a, bc);
  return v3_scale(1 / det, v3(v3_dot(v, bc), v3_dot(a, v3_cross(v, c)), v3_dot(a, v3_cross(b, v))));
}

static double form(ff_mat3 m, ff_vec3 v) {
  return v3_dot(v, m3_mul(m, v));
}

/* Root s, by bisection and Newton's method; y with it. */
static ff_vec3 find_deepest(ff_mat3 a, ff_mat3 b, ff_vec3 d) {
  ff_vec3 bd = m3_mul(b, d), y = d;
  double low = 0, high = 1;
  for (int i = 0; i < 200; i++) {
    y = solve(m3_add(b, m3_scale(high, a)), bd);
    if (form(a, y) < 1) {
      break;
    }
    low = high;
    high *= 2;
  }
  double s = 0.5 * (low + high);
  for (int i = 0; i < 60; i++) {
    y = solve(m3_add(b, m3_scale(s, a)), bd);
    double off = form(a, y) - 1;
    *(off > 0 ? &low : &high) = s;
    ff_vec3 slope = v3_neg(solve(m3_add(b, m3_scale(s, a)), m3_mul(a, y)));
    double next = s - off / (2 * v3_dot(y, m3_mul(a, slope)));
    next = next > low && next < high ? next : 0.5 * (low + high);
    if (next == s || low == high) {
      break;
    }
    s = next;
  }
  return y;
}

bool ff_level_sets_touch(const ff_geom *a, const ff_pose *pose_a, const ff_geom *b,
                         const ff_pose *pose_b, ff_touch *io) {
  bool known = (a->kind == FF_ELLIPSOID || a->kind == FF_SPHERE) &&
               (b->kind == FF_ELLIPSOID || b->kind == FF_SPHERE);
  ff_vec3 d = v3_sub(pose_b->position, pose_a->position);
  if (!known || !(io->depth > 0)) {
    return false;
  }
  ff_mat3 of_a = quadric(a, pose_a), of_b = quadric(b, pose_b);
  if (form(of_a, d) <= 1) { /* b's centre is in a */
    return false;
  }
  ff_vec3 y = find_deepest(of_a, of_b, d), from_b = v3_sub(y, d);
  ff_vec3 gradient = m3_mul(of_b, from_b), n = v3_unit(gradient);
  /* (from_b + t n)' B (from_b + t n) = 1 */
  double square = form(of_b, n), linear = v3_dot(n, gradient), rest = form(of_b, from_b) - 1;
  if (!(rest < 0)) {
    return false;
  }
  io->depth = -rest / (linear + sqrt(linear * linear - square * rest));
  io->normal = n;
  io->point = v3_axpy(v3_add(pose_a->position, y), 0.5 * io->depth, n);
  io->t1 = v3_orthogonal(n);
  return true;
}
