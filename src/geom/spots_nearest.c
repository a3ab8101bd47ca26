/* Of two that are apart: the parts with which they are nearest. */
#include "geom/spots.h"

#include "math/vec.h"

#define LEVEL 1e-5 /* of the size: what may be nearest is not farther than this from a plane */
enum { PARTS = 16 };

/* A shape and those of its corners and edges that may be nearest. */
typedef struct side {
  const ff_geom *geom;
  const ff_pose *pose;
  int corners[PARTS], corner_count, edges[PARTS], edge_count, face;
} side;

static void find_side(side *out, const ff_geom *geom, const ff_pose *pose, ff_vec3 direction,
                      double slack) {
  ff_vec3 d = q_unrotate(pose->orientation, direction);
  double low = v3_dot(d, ff_geom_support(geom, d)) - slack;
  out->geom = geom;
  out->pose = pose;
  out->corner_count = ff_flat_corners(geom, d, low, out->corners, PARTS);
  out->edge_count = ff_flat_edges(geom, d, low, out->edges, PARTS);
  out->face = ff_flat_facing(geom, pose, direction);
}

static void keep_deeper(ff_touch *best, const ff_touch *found, ff_vec3 normal) {
  if (found->depth > best->depth && v3_dot(found->normal, normal) > 0) {
    *best = *found;
  }
}

static void try_corners(const side *a, const side *b, bool of_a, ff_vec3 normal, ff_touch *best) {
  const side *from = of_a ? a : b, *other = of_a ? b : a;
  for (int i = 0; i < from->corner_count; i++) {
    ff_spot spot = {of_a ? FF_SPOT_CORNER_A : FF_SPOT_CORNER_B, {other->face, 0}, {other->face, 0}};
    (of_a ? spot.a : spot.b)[0] = from->corners[i];
    ff_touch found;
    ff_spot_place_corner(a->geom, a->pose, b->geom, b->pose, &spot, &found);
    keep_deeper(best, &found, normal);
  }
}

static void try_edges(const side *a, const side *b, ff_vec3 normal, ff_touch *best) {
  for (int i = 0; i < a->edge_count; i++) {
    ff_flat of_a;
    ff_flat_take(&of_a, a->geom, a->pose, a->edges[i]);
    for (int k = 0; k < b->edge_count; k++) {
      ff_flat of_b;
      ff_flat_take(&of_b, b->geom, b->pose, b->edges[k]);
      for (int second = 0; second < (of_a.round || of_b.round ? 2 : 1); second++) {
        ff_spot spot = {FF_SPOT_CROSSING,
                        {of_a.part, of_a.round ? second : 0},
                        {of_b.part, of_b.round && !of_a.round ? second : 0}};
        ff_touch found;
        ff_vec3 at;
        bool beside;
        if (ff_spot_place(&of_a, &of_b, &spot, 0, normal, &found, &at, &beside) && !beside) {
          keep_deeper(best, &found, normal);
        }
      }
    }
  }
}

bool ff_spot_nearest(const ff_geom *a, const ff_pose *pose_a, const ff_geom *b,
                     const ff_pose *pose_b, const ff_distance *near, ff_touch *out) {
  double slack = LEVEL * (ff_geom_bound(a) + ff_geom_bound(b));
  side of_a, of_b;
  find_side(&of_a, a, pose_a, v3_neg(near->normal), slack);
  find_side(&of_b, b, pose_b, near->normal, slack);
  out->depth = -near->gap - slack;
  try_corners(&of_a, &of_b, true, near->normal, out);
  try_corners(&of_a, &of_b, false, near->normal, out);
  try_edges(&of_a, &of_b, near->normal, out);
  return out->depth > -near->gap - slack;
}
