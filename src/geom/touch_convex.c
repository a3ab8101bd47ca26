/* Any finite shape on a smooth one: one point, where they are nearest or deepest (geom/distance.h),
 * with the relative curvature of both surfaces there. */
#include "geom/distance.h"
#include "geom/implicit.h"
#include "geom/touch.h"

/* u.H v over the slope of the rules that bound a shape at its point; INFINITY at edges. */
static void add_bend(const ff_geom *geom, const ff_pose *pose, const int *rules, int count,
                     ff_vec3 at, ff_vec3 u, ff_vec3 v, double bend[3]) {
  ff_rule rule;
  ff_geom_rule(geom, rules[0], q_unrotate(pose->orientation, v3_sub(at, pose->position)), &rule);
  ff_vec3 x = q_unrotate(pose->orientation, u), y = q_unrotate(pose->orientation, v);
  double steep = v3_norm(rule.slope);
  bend[0] += count > 1 ? INFINITY : v3_dot(x, m3_mul(rule.bend, x)) / steep;
  bend[1] += count > 1 ? 0 : v3_dot(x, m3_mul(rule.bend, y)) / steep;
  bend[2] += count > 1 ? INFINITY : v3_dot(y, m3_mul(rule.bend, y)) / steep;
}

static void curvature_of(const ff_distance *near, const ff_geom *a, const ff_pose *pose_a,
                         const ff_geom *b, const ff_pose *pose_b, double curvature[2]) {
  curvature[0] = curvature[1] = INFINITY;
  if (near->count_a != 1 || near->count_b != 1) {
    return;
  }
  double k[3] = {0, 0, 0};
  ff_vec3 u = v3_orthogonal(near->normal), v = v3_cross(near->normal, u);
  add_bend(a, pose_a, near->rules_a, near->count_a, near->on_a, u, v, k);
  add_bend(b, pose_b, near->rules_b, near->count_b, near->on_b, u, v, k);
  double half = 0.5 * (k[0] - k[2]), root = sqrt(half * half + k[1] * k[1]);
  curvature[0] = 0.5 * (k[0] + k[2]) + root;
  curvature[1] = fmax(0.5 * (k[0] + k[2]) - root, 0);
}

int ff_touch_convex(const ff_geom *a, const ff_pose *pose_a, const ff_geom *b,
                    const ff_pose *pose_b, double margin, ff_touch *out) {
  double size = ff_geom_bound(a) + ff_geom_bound(b);
  ff_distance near;
  if (v3_norm(v3_sub(pose_a->position, pose_b->position)) - size > margin) {
    return 0;
  }
  ff_distance_query(&near, a, pose_a, b, pose_b, margin);
  out->normal = near.normal;
  if (!(-near.gap > -margin)) {
    return 0;
  }
  *out = (ff_touch){.point = v3_scale(0.5, v3_add(near.on_a, near.on_b)),
                    .normal = near.normal,
                    .t1 = v3_orthogonal(near.normal),
                    .depth = -near.gap};
  curvature_of(&near, a, pose_a, b, pose_b, out->curvature);
  return 1;
}
