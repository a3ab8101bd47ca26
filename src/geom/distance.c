#include "geom/distance.h"

#include "geom/distance_parts.h"
#include "geom/hull.h"
#include "geom/implicit.h"
#include "geom/shape.h"
#include "math/vec.h"

#include <string.h>

/* ---- capsules --------------------------------------------------------------------------- */

static double clamp_half(double x, double half) {
  return fmin(fmax(x, -half), half);
}

void ff_closest_on_segments(ff_vec3 apart, ff_vec3 x, double l_a, ff_vec3 y, double l_b, double *s,
                            double *t) {
  double xy = v3_dot(x, y), dx = v3_dot(apart, x), dy = v3_dot(apart, y);
  ff_vec3 across = v3_cross(x, y);
  double sine2 = v3_dot(across, across);
  if (sine2 > 1e-24) {
    *s = clamp_half((xy * dy - dx) / sine2, l_a);
  } else {
    double sign = xy > 0.0 ? 1.0 : -1.0; /* b's ends along x are at -dx -+ l_b */
    double low = fmax(-l_a, -dx - l_b), high = fmin(l_a, -dx + l_b);
    *s = clamp_half(0.5 * (low + high), l_a);
    *t = clamp_half(sign * (*s + dx), l_b);
    return;
  }
  *t = clamp_half(dy + *s * xy, l_b);
  *s = clamp_half(*t * xy - dx, l_a);
}

/* In closed form: two balls at the nearest places of the axes. */
static void capsules(ff_distance *out, const ff_two *two) {
  ff_vec3 x = q_rotate(two->q_a, v3(0, 0, 1)), y = q_rotate(two->q_b, v3(0, 0, 1));
  double s, t, r_a = two->a->size.x, r_b = two->b->size.x;
  ff_closest_on_segments(two->apart, x, two->a->size.y, y, two->b->size.y, &s, &t);
  ff_vec3 at_a = v3_axpy(two->apart, s, x), at_b = v3_scale(t, y), from = v3_sub(at_a, at_b);
  double distance = v3_norm(from);
  /* Axes that cross: out along the common perpendicular. */
  ff_vec3 across = v3_cross(x, y);
  ff_vec3 spare = v3_dot(across, across) > 1e-24 ? v3_unit(across) : v3_orthogonal(x);
  out->normal = distance > 0 ? v3_scale(1 / distance, from) : spare;
  out->gap = distance - r_a - r_b;
  out->on_a = v3_axpy(at_a, -r_a, out->normal);
  out->on_b = v3_axpy(at_b, r_b, out->normal);
  out->count_a = out->count_b = 1;
  out->pull_a[0] = out->pull_b[0] = 1;
}

#define NEAR_TIP                                                                                   \
  1e-3 /* of the size: closest points nearer to a tip are at it, if that is exact                  \
        */

/* ---- the answer ------------------------------------------------------------------------- */

static bool is_polyhedral(const ff_geom *geom) {
  return geom->kind == FF_BOX || geom->kind == FF_POLYHEDRON;
}

/* Flat faces of either shape against what was found. Rounding can tear a hole into a polytope with
 * faces in one plane, and the search ends on the other side: a face with a larger gap is taken. And
 * a face normal next to the normal with the same gap up to rounding is the normal. Of hulls with
 * more than LARGE faces only such neighbours are tested. */
static void check_faces(const ff_two *two, ff_rough *rough, bool *exact) {
  enum { LARGE = 64 };
  for (int k = 0, own = ff_geom_rule_count(two->a); k < own + ff_geom_rule_count(two->b); k++) {
    const ff_geom *geom = k < own ? two->a : two->b;
    ff_rule face;
    ff_vec3 centre = k < own ? q_unrotate(two->q_a, v3_neg(two->apart))
                             : q_unrotate(two->q_b, two->apart); /* of the other shape */
    ff_geom_rule(geom, k < own ? k : k - own, centre, &face);
    ff_vec3 n = k < own ? v3_neg(q_rotate(two->q_a, face.slope)) : q_rotate(two->q_b, face.slope);
    bool beside = fabs(1 - v3_dot(n, rough->normal)) < 1e-9;
    if (!ff_rule_is_flat(&face) || face.value < rough->gap ||
        (ff_geom_rule_count(geom) > LARGE && !beside)) {
      continue;
    }
    ff_corner far = ff_two_support(two, v3_neg(n));
    double gap = v3_dot(n, far.w);
    if (gap > rough->gap + 1e-9 * two->size) {
      *rough = (ff_rough){n, gap, far.a, far.b};
      rough->on_a = k < own ? v3_axpy(far.b, gap, n) : far.a;
      rough->on_b = k < own ? far.b : v3_axpy(far.a, -gap, n);
      *exact = true;
    } else if (beside && two->curved && gap > rough->gap - 1e-11 * two->size) {
      *rough = (ff_rough){n, gap, rough->on_a, v3_axpy(rough->on_a, -gap, n)};
    }
  }
}

static double gap_along(const ff_two *two, ff_vec3 n) {
  return v3_dot(n, ff_two_support(two, v3_neg(n)).w);
}

/* Active rules of a known result: Newton's method from it, if that stays there. */
static void tell_rules(ff_distance *out, const ff_two *two) {
  ff_rough here = {out->normal, out->gap, out->on_a, out->on_b};
  ff_distance found = {.settled = false};
  ff_vec3 beside;
  out->kind_a = out->kind_b = FF_FEATURE_NONE;
  ff_distance_newton(&found, two, &here, 1e-11, 1e-9, &beside);
  if (found.settled && v3_dot(found.normal, out->normal) > 1 - 1e-15) {
    *out = found;
  }
}

/* Newton's method from witness points of rough, then from where the farthest point of one shape is
 * over the other: a rim or vertex that is a little nearer than what is next to it. */
static void converge_from(ff_distance *out, const ff_two *two, const ff_rough *rough, double doubt,
                          double price, ff_vec3 *beside) {
  ff_corner far = ff_two_support(two, v3_neg(rough->normal));
  ff_vec3 n = rough->normal, other = n;
  double gap = v3_dot(n, far.w);
  ff_distance_newton(out, two, rough, doubt, price, beside);
  for (int which = 0; which < 2 && !out->settled; which++) {
    ff_rough start = {n, gap, far.a, v3_axpy(far.a, -gap, n)};
    if (which) {
      start = (ff_rough){n, gap, v3_axpy(far.b, gap, n), far.b};
    }
    ff_distance_newton(out, two, &start, doubt, 1e-12, &other);
  }
}

/* Newton's method from better and better places. True: rough has become exact, whether or not it
 * converged. */
static bool converge(ff_distance *out, const ff_two *two, ff_rough *rough) {
  bool exact = false;
  ff_vec3 beside;
  converge_from(out, two, rough, 3 * FF_ROUGH, 0.02, &beside);
  for (int try = 0; try < 4 && !out->settled; try++) {
    if (gap_along(two, beside) > gap_along(two, rough->normal) + 1e-13 * two->size) {
      rough->normal = beside;
      rough->gap = fmin(rough->gap, 0);
    } else if (exact && try > 1) {
      break;
    }
    double enough = try % 2 == 0 ? 1e-8 : 1e-15, size = two->size + fabs(rough->gap);
    double left = rough->gap > 0.01 * two->size ? ff_gjk_distance(rough, two, enough) : INFINITY;
    left = left > enough * size ? ff_cutting_plane(rough, two, enough) : left;
    exact = left < 1e-11 * size;
    converge_from(out, two, rough, fmax(10 * left / size, 1e-10), try % 2 ? 1e-6 : 1e-3, &beside);
  }
  return exact;
}

/* Other local maxima of the gap that the rough search leaves possible. Between creases of one shape
 * and the other they may be close together; of two smooth shapes those next to what was found are
 * part of the same maximum. */
static void try_rivals(ff_distance *out, const ff_two *two, ff_rivals *rivals) {
  bool smooth = ff_geom_rule_count(two->a) == 1 && ff_geom_rule_count(two->b) == 1;
  for (int i = 0; i < rivals->count && out->settled; i++) {
    ff_distance other = {.settled = false};
    bool same = smooth && v3_dot(rivals->way[i].normal, out->normal) > 0.98;
    if (!same && rivals->way[i].gap > out->gap + 1e-13 * two->size) {
      converge(&other, two, &rivals->way[i]);
    }
    if (other.settled && other.gap > out->gap) {
      *out = other;
    }
  }
}

/* Face contact: the farthest point of one shape is over or below a flat face of the other.
 *
 * Let x be the point of a that is farthest against the outward normal m of a face of b. Above the
 * face, if the foot of x is in it, the distance is that of x. Below it, no gap g(n) exceeds minus
 * the depth of x across n, so the depth is that below the face if no part of b's surface is nearer
 * to x: then it is the global minimum translation. */

static bool face_contact(ff_distance *out, const ff_two *two, bool of_a) {
  const ff_geom *geom = of_a ? two->a : two->b;
  ff_quat q = of_a ? two->q_a : two->q_b;
  ff_vec3 origin = of_a ? two->apart : v3(0, 0, 0), normal = v3(0, 0, 0), before;
  ff_vec3 x = of_a ? v3_neg(two->apart) : two->apart; /* first the centre of the other */
  double height, beside;
  bool (*highest_face)(const ff_geom *, ff_vec3, ff_vec3 *, double *, double *) =
      ff_shapes[geom->kind]->face;
  if (!highest_face || !highest_face(geom, q_unrotate(q, x), &normal, &height, &beside)) {
    return false;
  }
  bool dear = two->a->kind == FF_INTERSECTION || two->b->kind == FF_INTERSECTION;
  for (int round = 0; round < (dear ? 1 : 3); round++) {
    before = normal;
    ff_vec3 m = q_rotate(q, normal), far;
    if (of_a) {
      far = q_rotate(two->q_b, ff_geom_support(two->b, q_unrotate(two->q_b, v3_neg(m))));
    } else {
      far = ff_geom_support(two->a, q_unrotate(two->q_a, v3_neg(m)));
      far = v3_add(two->apart, q_rotate(two->q_a, far));
    }
    highest_face(geom, q_unrotate(q, v3_sub(far, origin)), &normal, &height, &beside);
    if (v3_dot(normal, before) == v3_dot(normal, normal)) {
      ff_vec3 foot = v3_axpy(far, -height, m);
      bool proven = beside <= fmin(height, 0);
      if (proven) {
        out->normal = of_a ? v3_neg(m) : m;
        out->gap = height;
        out->on_a = of_a ? foot : far;
        out->on_b = of_a ? far : foot;
        out->kind_a = of_a ? FF_FEATURE_FACE : FF_FEATURE_VERTEX;
        out->kind_b = of_a ? FF_FEATURE_VERTEX : FF_FEATURE_FACE;
        out->settled = true;
      }
      return proven;
    }
  }
  return false;
}

static void query_by_support(ff_distance *out, const ff_two *two, double beyond);

/* Where a tip of a (of_a) or b is closest to rounding: the same of a small ball about it, which
 * gives the exact normal. True: the tip it is. */
static bool query_tip(ff_distance *out, const ff_two *two, bool of_a, const ff_rough *rough) {
  const ff_geom *geom = of_a ? two->a : two->b;
  ff_quat q = of_a ? two->q_a : two->q_b;
  if (!ff_shapes[geom->kind]->tip) {
    return false;
  }
  ff_vec3 local = ff_shapes[geom->kind]->tip(geom), arm = q_rotate(q, local);
  ff_vec3 at = of_a ? v3_add(two->apart, arm) : arm, on = of_a ? rough->on_a : rough->on_b;
  if (!(v3_norm(v3_sub(on, at)) < NEAR_TIP * two->size)) {
    return false;
  }
  const ff_geom ball = {.kind = FF_SPHERE, .size = {NEAR_TIP * ff_geom_thickness(geom), 0, 0}};
  ff_two small = *two;
  ff_vec3 shift = of_a ? v3(0, 0, 0) : at; /* from b's origin to where small has it */
  *(of_a ? &small.a : &small.b) = &ball;
  small.apart = of_a ? at : v3_sub(two->apart, at);
  small.size = ff_geom_bound(small.a) + ff_geom_bound(small.b);
  ff_distance found;
  query_by_support(&found, &small, INFINITY);
  ff_vec3 down = q_unrotate(q, of_a ? v3_neg(found.normal) : found.normal);
  double gap = found.gap + ball.size.x;
  bool is_tip = v3_norm(v3_sub(ff_geom_support(geom, down), local)) < 1e-15 * two->size;
  if (!found.settled || !is_tip || !(gap > rough->gap - 1e-9 * two->size)) {
    return false;
  }
  *out = (ff_distance){.normal = found.normal, .gap = gap, .settled = true};
  out->on_a = of_a ? at : v3_add(found.on_a, shift);
  out->on_b = of_a ? found.on_b : at;
  return true;
}

static void query_by_support(ff_distance *out, const ff_two *two, double beyond) {
  ff_rough rough;
  ff_rivals rivals;
  double far = v3_norm(two->apart);
  *out = (ff_distance){.normal = {0, 0, 1}, .gap = far - two->size, .on_a = two->apart};
  if (far > 0) {
    out->normal = v3_scale(1 / far, two->apart);
  }
  bool exact = false;
  if (out->gap > beyond) {
    return;
  }
  if (face_contact(out, two, false) || face_contact(out, two, true)) {
    if (two->curved) {
      tell_rules(out, two);
    }
    return;
  }
  if (!ff_gjk_epa(&rough, two, beyond, &exact, &rivals)) {
    out->gap = 0; /* somewhere next to touching, along the line of centres */
    return;
  }
  if (!two->curved && !(rough.gap > beyond)) {
    check_faces(two, &rough, &exact);
    if (ff_closest_features(out, two, &rough)) {
      return;
    }
    exact = ff_cutting_plane(&rough, two, 1e-16) < 1e-12 * two->size;
    if (ff_closest_features(out, two, &rough)) {
      return;
    }
  }
  if (two->curved && !(rough.gap > beyond)) {
    exact = converge(out, two, &rough);
    try_rivals(out, two, &rivals);
  }
  if (!out->settled && !(rough.gap > beyond) &&
      (query_tip(out, two, true, &rough) || query_tip(out, two, false, &rough))) {
    return;
  }
  if (!out->settled) {
    if (two->curved && exact) {
      check_faces(two, &rough, &exact);
    }
    *out = (ff_distance){.normal = rough.normal,
                         .gap = rough.gap,
                         .on_a = rough.on_a,
                         .on_b = rough.on_b,
                         .settled = exact};
  }
}

/* The same with a and b exchanged. */
static ff_distance swap_sides(const ff_distance *back) {
  ff_distance out = *back;
  out.normal = v3_neg(back->normal);
  out.on_a = back->on_b;
  out.on_b = back->on_a;
  out.count_a = back->count_b;
  out.count_b = back->count_a;
  out.kind_a = back->kind_b;
  out.kind_b = back->kind_a;
  out.edge_a = back->edge_b;
  out.edge_b = back->edge_a;
  memcpy(out.rules_a, back->rules_b, sizeof out.rules_a);
  memcpy(out.rules_b, back->rules_a, sizeof out.rules_b);
  memcpy(out.pull_a, back->pull_b, sizeof out.pull_a);
  memcpy(out.pull_b, back->pull_a, sizeof out.pull_b);
  return out;
}

/* One of the two orders of a pair, whichever way it is given, so that both give the same bits. */
static bool is_in_order(const ff_geom *a, const ff_pose *pose_a, const ff_geom *b,
                        const ff_pose *pose_b) {
  const double mine[] = {a->kind,
                         a->size.x,
                         a->size.y,
                         a->size.z,
                         pose_a->position.x,
                         pose_a->position.y,
                         pose_a->position.z,
                         pose_a->orientation.w,
                         pose_a->orientation.x,
                         pose_a->orientation.y,
                         pose_a->orientation.z};
  const double other[] = {b->kind,
                          b->size.x,
                          b->size.y,
                          b->size.z,
                          pose_b->position.x,
                          pose_b->position.y,
                          pose_b->position.z,
                          pose_b->orientation.w,
                          pose_b->orientation.x,
                          pose_b->orientation.y,
                          pose_b->orientation.z};
  for (size_t i = 0; i < sizeof mine / sizeof mine[0]; i++) {
    if (mine[i] > other[i] || mine[i] < other[i]) { /* a NaN decides nothing */
      return mine[i] > other[i];
    }
  }
  return true;
}

void ff_distance_query(ff_distance *out, const ff_geom *a, const ff_pose *pose_a, const ff_geom *b,
                       const ff_pose *pose_b, double beyond) {
  bool boxes = a->kind == FF_BOX && b->kind == FF_BOX; /* where faces of a go before those of b */
  if (!boxes && !is_in_order(a, pose_a, b, pose_b)) {
    ff_distance back;
    ff_distance_query(&back, b, pose_b, a, pose_a, beyond);
    *out = swap_sides(&back);
    return;
  }
  ff_two two = {.a = a,
                .b = b,
                .q_a = pose_a->orientation,
                .q_b = pose_b->orientation,
                .apart = v3_sub(pose_a->position, pose_b->position),
                .size = ff_geom_bound(a) + ff_geom_bound(b),
                .curved = !is_polyhedral(a) || !is_polyhedral(b)};
  *out = (ff_distance){.settled = true};
  if (boxes) {
    ff_sat_boxes(out, &two, beyond);
  } else if (a->kind == FF_CAPSULE && b->kind == FF_CAPSULE) {
    capsules(out, &two);
  } else {
    query_by_support(out, &two, beyond);
  }
  out->on_a = v3_add(out->on_a, pose_b->position);
  out->on_b = v3_add(out->on_b, pose_b->position);
}
