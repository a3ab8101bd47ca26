/* Feet at corners of boxes and polyhedra, where their edges cross the axis of a cylinder or
 * capsule, and on the rims of intersections. */
#include "geom/feet_parts.h"
#include "geom/solid.h"

#define TAPER 0.1  /* of an edge: next to its ends a crossing has less share */
#define SKEW  1e-8 /* square of the sine of an angle: below it lines are parallel */

/* 0 up to 0, 1 from 1 on, smooth between. */
static double ramp(double x, double *slope) {
  double y = fmax(0, fmin(1, x));
  *slope = 6 * y * (1 - y);
  return y * y * (3 - 2 * y);
}

/* Falls to 0 at both ends of [0, 1]. */
static double taper(double x, double *slope) {
  double up, down, a = ramp(x / TAPER, &up), b = ramp((1 - x) / TAPER, &down);
  *slope = (up * b - a * down) / TAPER;
  return a * b;
}

/* The place of an edge that is nearest to an axis: at s from its beginning p along w, with u along
 * the axis and d from a place on it to p,
 *   s = N / D,  N = c (u.d) - w.d,  D = 1 - c^2,  c = u.w
 * As the edge moves by v at that place and turns by r: ds = by.v + about.r. */
typedef struct crossing {
  ff_vec3 at, by, about;
  ff_vec3 turn; /* dc = turn.r */
  double s, c, skew;
} crossing;

/* False: they are parallel. */
static bool cross(crossing *out, ff_vec3 p, ff_vec3 w, ff_vec3 u, ff_vec3 d) {
  double c = v3_dot(u, w), skew = 1 - c * c, along = v3_dot(u, d);
  if (!(skew > SKEW)) {
    return false;
  }
  out->c = c;
  out->skew = skew;
  out->s = (c * along - v3_dot(w, d)) / skew;
  out->at = v3_axpy(p, out->s, w);
  out->turn = v3_cross(w, u);
  out->by = v3_scale(1 / skew, v3_sub(v3_scale(c, u), w));
  ff_vec3 about = v3_scale(along + 2 * c * out->s, out->turn); /* with v at p */
  about = v3_scale(1 / skew, v3_sub(about, v3_cross(w, d)));
  out->about = v3_add(about, v3_cross(v3_sub(p, out->at), out->by));
  return true;
}

static void put_crossing(const ff_feet_of *v, ff_vec3 from, ff_vec3 to, const int slots[2]) {
  ff_vec3 way = v3_sub(to, from);
  double length = v3_norm(way), slope;
  ff_vec3 w = v3_scale(1 / length, way);
  crossing x;
  if (!cross(&x, from, w, q_axis_z(v->world.orientation), v3_sub(from, v->world.position)) ||
      !(x.s > 0 && x.s < length)) {
    return;
  }
  double full = taper(x.s / length, &slope), share = x.skew * full;
  ff_foot_place here = ff_foot_place_at(v, x.at);
  if (!ff_foot_counts(v->m, here.depth)) {
    return;
  }
  double slide = v3_dot(here.out, w), less = -x.skew * slope / length;
  ff_press foot =
      ff_foot_at(&here, v3_axpy(here.out, slide, x.by), share, slots[x.s > 0.5 * length]);
  foot.couple = v3_scale(share * slide, x.about);
  foot.pull = v3_scale(less, x.by);
  foot.swing = v3_axpy(v3_scale(less, x.about), 2 * x.c * full, x.turn);
  ff_foot_put(v, foot, false, here.sure);
}

void ff_feet_put_corners(ff_feet_of *v, const ff_geom *geom) {
  ff_solid core;
  v->more = ff_solid_core(&core, geom);
  for (int k = 0; k < core.vertex_count; k++) {
    ff_foot_put_place(v, pose_point(v->pose, ff_solid_vertex(&core, k)), 1,
                      ff_solid_slot(&core, k));
  }
  bool axis = v->other->kind == FF_CYLINDER || v->other->kind == FF_CAPSULE;
  for (int k = 0; axis && k < core.edge_count; k++) {
    int ends[2];
    ff_solid_edge(&core, k, ends);
    const int slots[2] = {ff_solid_slot(&core, ends[0]), ff_solid_slot(&core, ends[1])};
    put_crossing(v, pose_point(v->pose, ff_solid_vertex(&core, ends[0])),
                 pose_point(v->pose, ff_solid_vertex(&core, ends[1])), slots);
  }
}

void ff_feet_put_cuts(ff_feet_of *v, const ff_parts *parts) {
  v->more = parts->core ? parts->core_depth : 0;
  for (int k = 0; k < parts->foot_count; k++) {
    ff_foot_put_place(v, pose_point(v->pose, parts->feet[k]), FF_FOOT_SHARE, k / 2 % 8);
  }
}
