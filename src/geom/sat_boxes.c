/* Two boxes: the largest gap across one of fifteen directions, the faces' normals of each and what
 * is square to an edge of each [Gottschalk96]. Where they touch or overlap it is the answer, exact
 * even if edges or faces lie on one another, where a polytope falls apart. Where they are apart it
 * is not more than the distance. */
#include "geom/distance_parts.h"
#include "geom/touch.h"

#define EQUAL                                                                                      \
  1e-9 /* of the size: among gaps that are equal to this the first is taken, faces first */

typedef struct box {
  ff_vec3 at, axis[3];
  double half[3];
} box;

static box box_of(const ff_geom *geom, ff_quat q, ff_vec3 at) {
  return (box){.at = at,
               .axis = {q_axis_x(q), q_axis_y(q), q_axis_z(q)},
               .half = {geom->size.x, geom->size.y, geom->size.z}};
}

static double reach(const box *of, ff_vec3 n) {
  double sum = 0;
  for (int i = 0; i < 3; i++) {
    sum += of->half[i] * fabs(v3_dot(of->axis[i], n));
  }
  return sum;
}

/* The corner that is farthest along n; along: the middle of its edge in that direction, -1: none.
 */
static ff_vec3 corner(const box *of, ff_vec3 n, int along) {
  ff_vec3 at = of->at;
  for (int i = 0; i < 3; i++) {
    double side = v3_dot(of->axis[i], n) > 0 ? of->half[i] : -of->half[i];
    at = i == along ? at : v3_axpy(at, side, of->axis[i]);
  }
  return at;
}

typedef struct choice {
  double gap;
  ff_vec3 normal;
  int edge_a, edge_b; /* -1, -1: a face's normal */
  bool face_of_a;
} choice;

static void try_axis(choice *best, const box *a, const box *b, choice mine, double slack) {
  ff_vec3 apart = v3_sub(a->at, b->at);
  double out = v3_dot(mine.normal, apart);
  mine.normal = out < 0 ? v3_neg(mine.normal) : mine.normal;
  mine.gap = fabs(out) - reach(a, mine.normal) - reach(b, mine.normal);
  if (mine.gap > best->gap + slack) {
    *best = mine;
  }
}

static choice choose(const box *a, const box *b, double slack) {
  choice best = {.gap = -INFINITY};
  for (int k = 0; k < 6; k++) {
    ff_vec3 axis = k < 3 ? a->axis[k] : b->axis[k - 3];
    try_axis(&best, a, b, (choice){0, axis, -1, -1, k < 3}, slack);
  }
  for (int i = 0; i < 3; i++) {
    for (int k = 0; k < 3; k++) {
      ff_vec3 across = v3_cross(a->axis[i], b->axis[k]);
      double square = v3_dot(across, across);
      if (square > 1e-20) { /* else parallel: faces say it all */
        ff_vec3 axis = v3_scale(1 / sqrt(square), across);
        try_axis(&best, a, b, (choice){0, axis, i, k, false}, slack);
      }
    }
  }
  return best;
}

/* The points of two edges, given by their middles, that are nearest to one another. */
static void tell_edges(ff_rough *out, const box *a, const box *b, const choice *by) {
  ff_vec3 p = corner(a, v3_neg(by->normal), by->edge_a), u = a->axis[by->edge_a];
  ff_vec3 q = corner(b, by->normal, by->edge_b), w = b->axis[by->edge_b];
  ff_vec3 apart = v3_sub(q, p), n = v3_cross(u, w);
  double square = v3_dot(n, n), most = a->half[by->edge_a];
  double s = v3_dot(v3_cross(apart, w), n) / square;
  out->on_a = v3_axpy(p, fmax(-most, fmin(most, s)), u);
  out->on_b = v3_axpy(out->on_a, -by->gap, by->normal);
}

void ff_sat_boxes(ff_rough *out, const ff_two *two) {
  box a = box_of(two->a, two->q_a, two->apart), b = box_of(two->b, two->q_b, v3(0, 0, 0));
  choice best = choose(&a, &b, EQUAL * two->size);
  out->normal = best.normal;
  out->gap = best.gap;
  if (best.edge_a >= 0) {
    tell_edges(out, &a, &b, &best);
  } else if (best.face_of_a) {
    out->on_b = corner(&b, best.normal, -1);
    out->on_a = v3_axpy(out->on_b, best.gap, best.normal);
  } else {
    out->on_a = corner(&a, v3_neg(best.normal), -1);
    out->on_b = v3_axpy(out->on_a, -best.gap, best.normal);
  }
}
