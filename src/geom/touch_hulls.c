/* Two boxes or polyhedra with rounded edges: a core, smaller by the radius, and everything within
 * the radius of it. Flat on one another they are what sharp ones are. Edge on edge a sharp body has
 * as many normals as faces meet there, and jumps from one to another; cores that are apart have one
 * direction in which they are nearest, and it moves continuously with them.
 *
 * Corners of what the two facing sides have in common, seen along that direction, are the points of
 * contact. Each is one of three, the nearest points being unique again:
 *   a corner of a over b    where b's core is nearest to it, on a face, an edge or a corner
 *   a corner of b over a    the same
 *   an edge across an edge  where they cross
 * Where one turns into another its depth is the same, so that depths are continuous functions of
 * the poses, and their rates are minus the normal velocity at the point. */
#include "geom/touch_hulls.h"

bool ff_touch_hulls_look(const ff_geom *a, const ff_pose *pose_a, const ff_geom *b,
                         const ff_pose *pose_b, double round, ff_touch *touch) {
  ff_core of_a, of_b;
  ff_core_make(&of_a, a, pose_a, round);
  ff_core_make(&of_b, b, pose_b, round);
  int feature = touch->feature;
  ff_core_place at;
  if (!ff_core_find_place(&of_a, &of_b, &touch->spot, &at)) {
    return false;
  }
  *touch = ff_core_touch(&of_a, &of_b, &touch->spot, &at);
  touch->feature = feature;
  return at.gap > 0;
}

bool ff_touch_hulls_slopes(const ff_geom *a, const ff_pose *pose_a, const ff_geom *b,
                           const ff_pose *pose_b, double round, const ff_touch *touch,
                           ff_touch_slopes *out) {
  ff_core of_a, of_b;
  ff_core_make(&of_a, a, pose_a, round);
  ff_core_make(&of_b, b, pose_b, round);
  return ff_core_slopes(&of_a, &of_b, touch, out);
}

int ff_touch_hulls(const ff_geom *a, const ff_pose *pose_a, const ff_geom *b, const ff_pose *pose_b,
                   double round, double margin, ff_touch *out) {
  ff_cores m;
  m.count = 0;
  m.size = ff_geom_bound(a) + ff_geom_bound(b);
  if (!(v3_norm(v3_sub(pose_a->position, pose_b->position)) - m.size <= margin)) {
    return 0; /* nor does anything touch whose place is not finite */
  }
  ff_core_make(&m.a, a, pose_a, round);
  ff_core_make(&m.b, b, pose_b, round);
  double reach = m.a.radius + m.b.radius + margin;
  ff_core_spot nearest = ff_cores_nearest(&m, pose_a, pose_b, reach);
  if (nearest.at.gap >= reach) {
    return 0;
  }
  if (nearest.at.gap <= 0) { /* cores that overlap are as good as sharp */
    return ff_touch_convex(a, pose_a, b, pose_b, margin, out);
  }
  ff_flat_find(&m.face_a, &m.a.geom, pose_a, v3_neg(nearest.at.normal));
  ff_flat_find(&m.face_b, &m.b.geom, pose_b, nearest.at.normal);
  int at = ff_cores_include(&m, &nearest);
  return at >= 0 ? ff_cores_put(&m, at, margin, out) : 0;
}
