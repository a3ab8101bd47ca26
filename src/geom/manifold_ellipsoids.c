/* Ellipsoids and spheres on one another, and on capsules.
 *
 * For a unit vector n from b into a let
 *   g(n) = n.(c_a - c_b) - h_a(-n) - h_b(n),   h(n) = |S R' n|,
 * the gap between the planes at right angles to n that touch the two: h is how far an
 * ellipsoid with semi-axes S reaches along n. The largest g over all n is the distance
 * of the bodies, and where they overlap its negative is the shortest way out: the depth is
 * -max g, on both sides of touching. There the points of the two that lie on these planes are
 * on one line along n, r = p_a - p_b = g n [Chakraborty07 eq. 9].
 *
 * As n is where g is largest, its own motion does not change g to first order: the depth rate is
 * minus the normal velocity of p_a fixed to a against p_b fixed to b, which is that of any point
 * between them, since both lie along n.
 */
#include "geom/manifold_parts.h"
#include "math/spatial.h"

enum {
  START_ROUNDS = 12,  /* for the first guess */
  NEWTON_ROUNDS = 50, /* far more than needed: it converges quadratically */
  HALVINGS = 30
};
#define CLOSE_ENOUGH                                                                               \
  0.01           /* when the unknown of the guess changes less, Newton's method goes on            \
                  */
#define DEEP 0.2 /* overlap measure below which a better way out is looked for elsewhere */

/* ---- an ellipsoid in the world ------------------------------------------------------ */

/* A = R S^2 R': h(n)^2 = n.A n, and the farthest point along n is A n / h. */
static ff_mat3 squared(const ff_geom *geom, const ff_pose *pose) {
  ff_vec3 s =
      geom->kind == FF_ELLIPSOID ? geom->size : v3(geom->size.x, geom->size.x, geom->size.x);
  ff_mat3 r = q_matrix(pose->orientation), out;
  const double d[3] = {s.x * s.x, s.y * s.y, s.z * s.z};
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j <= i; j++) {
      double sum = 0.0;
      for (int k = 0; k < 3; k++) {
        sum += r.m[i][k] * d[k] * r.m[j][k];
      }
      out.m[i][j] = out.m[j][i] = sum;
    }
  }
  return out;
}

typedef struct pair_of {
  ff_mat3 a, b;  /* m^2 */
  ff_vec3 apart; /* m, c_a - c_b */
} pair_of;

/* g and what goes with it at a unit vector n. */
typedef struct look {
  ff_vec3 n, u, v;  /* orthonormal */
  ff_vec3 p_a, p_b; /* from the centre of each to its point */
  double h_a, h_b, g;
  double r_u, r_v;   /* tangential part of r: zero when done */
  double uu, uv, vv; /* radii of curvature of both together, in the tangent plane */
} look;

/* (A - p p')/h: the radii of curvature of one ellipsoid where its normal is n, in the tangent plane
 * of u and v. */
typedef struct radii {
  double uu, uv, vv;
} radii;

static inline radii radii_of(const ff_mat3 *a, ff_vec3 p, double h, ff_vec3 u, ff_vec3 v) {
  ff_vec3 au = m3_mul(*a, u), av = m3_mul(*a, v);
  double pu = v3_dot(u, p), pv = v3_dot(v, p);
  return (radii){(v3_dot(u, au) - pu * pu) / h, (v3_dot(u, av) - pu * pv) / h,
                 (v3_dot(v, av) - pv * pv) / h};
}

static look look_along(const pair_of *pair, ff_vec3 n) {
  look out = {.n = n, .u = v3_orthogonal(n)};
  out.v = v3_cross(n, out.u);
  ff_vec3 an = m3_mul(pair->a, n), bn = m3_mul(pair->b, n);
  out.h_a = sqrt(v3_dot(n, an));
  out.h_b = sqrt(v3_dot(n, bn));
  out.p_a = v3_scale(-1.0 / out.h_a, an);
  out.p_b = v3_scale(1.0 / out.h_b, bn);
  ff_vec3 r = v3_add(pair->apart, v3_sub(out.p_a, out.p_b));
  out.g = v3_dot(n, r);
  out.r_u = v3_dot(out.u, r);
  out.r_v = v3_dot(out.v, r);
  radii a = radii_of(&pair->a, out.p_a, out.h_a, out.u, out.v);
  radii b = radii_of(&pair->b, out.p_b, out.h_b, out.u, out.v);
  out.uu = a.uu + b.uu;
  out.uv = a.uv + b.uv;
  out.vv = a.vv + b.vv;
  return out;
}

/* ---- the largest g ---------------------------------------------------------------------- */

/* One Newton step on the sphere: (radii of curvature + g) t = r, the matrix made positive if the
 * bodies overlap by more than they are round. */
static ff_vec3 ellipsoid_newton_step(const look *at) {
  double half = 0.5 * (at->uu - at->vv), middle = 0.5 * (at->uu + at->vv);
  double least = middle - sqrt(half * half + at->uv * at->uv);
  double shift = fmax(at->g, 1e-3 * middle - least);
  double uu = at->uu + shift, vv = at->vv + shift, det = uu * vv - at->uv * at->uv;
  double t_u = (vv * at->r_u - at->uv * at->r_v) / det;
  double t_v = (uu * at->r_v - at->uv * at->r_u) / det;
  return v3_axpy(v3_scale(t_u, at->u), t_v, at->v);
}

static look ellipsoid_newton(const pair_of *pair, ff_vec3 n) {
  look here = look_along(pair, n);
  for (int round = 0; round < NEWTON_ROUNDS; round++) {
    ff_vec3 step = ellipsoid_newton_step(&here);
    double size = fabs(here.g) + here.h_a + here.h_b;
    double slope = here.r_u * v3_dot(step, here.u) + here.r_v * v3_dot(step, here.v);
    if (!(slope > 1e-16 * 1e-16 * size)) {
      break;
    }
    double t = 1.0;
    look there = look_along(pair, v3_unit(v3_add(here.n, step)));
    for (int k = 0; k < HALVINGS && !(there.g > here.g + 1e-4 * t * slope); k++) {
      if (there.g > here.g - 1e-15 * size) {
        /* Near the top g is flat to rounding: there the tangential part decides. */
        if (there.r_u * there.r_u + there.r_v * there.r_v <
            here.r_u * here.r_u + here.r_v * here.r_v) {
          break;
        }
        return here;
      }
      t *= 0.5;
      there = look_along(pair, v3_unit(v3_axpy(here.n, t, step)));
      if (k == HALVINGS - 1) {
        return here;
      }
    }
    here = there;
  }
  return here;
}

/* ---- the first guess ------------------------------------------------------------------------ */

/* x with ((1 - l) A + l B) x = d, by Cramer's rule. */
static ff_vec3 mixed_solve(const pair_of *pair, double l) {
  double m[3][3];
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) {
      m[i][j] = (1.0 - l) * pair->a.m[i][j] + l * pair->b.m[i][j];
    }
  }
  ff_vec3 x = v3(m[0][0], m[1][0], m[2][0]), y = v3(m[0][1], m[1][1], m[2][1]);
  ff_vec3 z = v3(m[0][2], m[1][2], m[2][2]), d = pair->apart;
  ff_vec3 yz = v3_cross(y, z);
  double det = v3_dot(x, yz);
  return v3_scale(1.0 / det,
                  v3(v3_dot(d, yz), v3_dot(x, v3_cross(d, z)), v3_dot(x, v3_cross(y, d))));
}

/* The contact function of Perram and Wertheim [Perram85]: the largest over l in (0, 1) of
 * l (1 - l) d.((1 - l) A + l B)^-1 d is 1 when the ellipsoids touch, and its vector is then
 * their normal. It has one maximum only, whatever the overlap. */
static double first_guess(const pair_of *pair, double margin, ff_vec3 *n, bool *apart) {
  double low = 0.0, high = 1.0, l = 0.5, before = 0.0;
  ff_vec3 x = mixed_solve(pair, l);
  for (int round = 0; round < START_ROUNDS && fabs(l - before) > CLOSE_ENOUGH; round++) {
    double a = v3_dot(x, m3_mul(pair->a, x)), b = v3_dot(x, m3_mul(pair->b, x));
    bool rising = (1.0 - l) * (1.0 - l) * a > l * l * b;
    low = rising ? l : low;
    high = rising ? high : l;
    /* No g is larger than the distance: across x it may already exceed the margin. */
    double h_a = sqrt(a), h_b = sqrt(b), g = v3_dot(x, pair->apart) - h_a - h_b;
    if (g > 0.0 && g * g > margin * margin * v3_dot(x, x)) {
      *apart = true;
      return INFINITY;
    }
    /* With x held, the root is at sqrt(a) (1 - l) = sqrt(b) l. */
    double next = h_a / (h_a + h_b);
    before = l;
    l = next > low && next < high ? next : 0.5 * (low + high);
    x = mixed_solve(pair, l);
  }
  double measure = l * (1.0 - l) * v3_dot(x, pair->apart);
  double length = v3_norm(x);
  *n = length > 0.0 ? v3_scale(1.0 / length, x) : v3(0.0, 0.0, 1.0);
  return measure;
}

/* Deep inside one another, the shortest way out may be anywhere: try along the axes, too. */
static look shortest_way(const pair_of *pair, const ff_quat *turn, look best) {
  for (int k = 0; k < 12; k++) {
    ff_quat q = turn[k / 6];
    ff_vec3 axis = k % 3 == 0 ? q_axis_x(q) : k % 3 == 1 ? q_axis_y(q) : q_axis_z(q);
    look other = ellipsoid_newton(pair, k % 6 < 3 ? axis : v3_neg(axis));
    if (other.g > best.g) {
      best = other;
    }
  }
  return best;
}

/* ---- the contact point
 * --------------------------------------------------------------------------------
 */

/* Sum of the two surfaces' curvatures; each is the inverse of its radii of curvature. */
static void add_curvature(const ff_mat3 *a, ff_vec3 p, double h, const look *at, double k[3]) {
  radii r = radii_of(a, p, h, at->u, at->v);
  double det = r.uu * r.vv - r.uv * r.uv;
  k[0] += r.vv / det;
  k[1] -= r.uv / det;
  k[2] += r.uu / det;
}

static void curvature_at(const pair_of *pair, const look *at, double curvature[2]) {
  double k[3] = {0.0, 0.0, 0.0};
  add_curvature(&pair->a, at->p_a, at->h_a, at, k);
  add_curvature(&pair->b, at->p_b, at->h_b, at, k);
  double half = 0.5 * (k[0] - k[2]);
  curvature[0] = 0.5 * (k[0] + k[2]) + sqrt(half * half + k[1] * k[1]);
  curvature[1] = (k[0] * k[2] - k[1] * k[1]) / curvature[0];
}

int ff_collide_ellipsoids(const ff_geom *a, const ff_pose *pose_a, const ff_geom *b,
                          const ff_pose *pose_b, double margin, ff_sample *out) {
  pair_of pair = {squared(a, pose_a), squared(b, pose_b),
                  v3_sub(pose_a->position, pose_b->position)};
  if (!(ff_geom_bound(a) + ff_geom_bound(b) - v3_norm(pair.apart) > -margin)) {
    return 0; /* their bounding spheres are too far apart already */
  }
  ff_vec3 n;
  bool apart = false;
  double measure = first_guess(&pair, margin, &n, &apart);
  if (apart) {
    return 0;
  }
  look at = ellipsoid_newton(&pair, n);
  if (measure < DEEP) {
    const ff_quat turn[2] = {pose_a->orientation, pose_b->orientation};
    at = shortest_way(&pair, turn, at);
  }
  if (!(-at.g > -margin)) {
    return 0;
  }
  ff_vec3 on_a = v3_add(pose_a->position, at.p_a), on_b = v3_add(pose_b->position, at.p_b);
  ff_sample_point(out, 0, v3_scale(0.5, v3_add(on_a, on_b)), at.n, v3_orthogonal(at.n), -at.g);
  curvature_at(&pair, &at, out->curvature);
  return 1;
}

/* ---- how it changes ---------------------------------------------------------------------------
 */

static bool is_ellipsoid(const ff_geom *geom) {
  return geom->kind == FF_SPHERE || geom->kind == FF_ELLIPSOID;
}

/* (A - p p')/h: how the point of an ellipsoid moves with the normal, which it does not see. */
static ff_mat3 all_radii(const ff_mat3 *a, ff_vec3 p, double h) {
  ff_mat3 out = *a;
  m3_outer_add(&out, -1, p, p);
  return m3_scale(1 / h, out);
}

/* With n the points move by -K_a dn and K_b dn, and r must stay along n: if a's motion alone moves
 * p_a by q, and so r, then (K_a + K_b + g) dn is the tangential part of q. */
bool ff_geom_slopes(const ff_geom *a, const ff_pose *pose_a, const ff_geom *b,
                    const ff_pose *pose_b, ff_vec3 normal, ff_touch_slopes *out) {
  if (!is_ellipsoid(a) || !is_ellipsoid(b)) {
    return false;
  }
  pair_of pair = {squared(a, pose_a), squared(b, pose_b),
                  v3_sub(pose_a->position, pose_b->position)};
  look at = look_along(&pair, normal);
  double uu = at.uu + at.g, vv = at.vv + at.g, det = uu * vv - at.uv * at.uv;
  if (!(uu > 0) || !(det > 1e-6 * uu * vv)) {
    return false; /* such a deep overlap that the normal is not unique */
  }
  ff_mat3 k_a = all_radii(&pair.a, at.p_a, at.h_a), k_b = all_radii(&pair.b, at.p_b, at.h_b);
  ff_mat3 follow = {{{0}}}; /* dn for each q */
  m3_outer_add(&follow, vv / det, at.u, at.u);
  m3_outer_add(&follow, -at.uv / det, at.u, at.v);
  m3_outer_add(&follow, -at.uv / det, at.v, at.u);
  m3_outer_add(&follow, uu / det, at.v, at.v);
  const ff_mat3 one = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
  /* turned about its centre by w, p_a goes along with it and back to where the normal is n:
   * q = w x p_a + K_a (w x n) */
  const ff_mat3 moves[2] = {one, m3_sub(m3_skew(v3_neg(at.p_a)), m3_times_skew(k_a, at.n))};
  for (int g = 0; g < 2; g++) {
    out->normal[g] = m3_product(follow, moves[g]);
    ff_mat3 both = m3_add(moves[g], m3_product(m3_sub(k_b, k_a), out->normal[g]));
    out->point[g] = m3_scale(0.5, both);
  }
  return true;
}
