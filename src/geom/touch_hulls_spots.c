/* Cores of rounded boxes and polyhedra, and the places where they may touch: a corner over a face,
 * an edge across an edge. */
#include "geom/hull.h"
#include "geom/slopes.h"
#include "geom/touch_hulls.h"

void ff_core_make(ff_core *out, const ff_geom *geom, const ff_pose *pose, double round) {
  ff_quat q = pose->orientation;
  out->radius = ff_geom_core_margin(geom, round);
  out->at = pose->position;
  out->axis[0] = q_axis_x(q);
  out->axis[1] = q_axis_y(q);
  out->axis[2] = q_axis_z(q);
  ff_geom_erode(&out->geom, geom, out->radius);
  v3_store(out->half, out->geom.size);
}

ff_vec3 ff_core_corner(const ff_core *of, int corner) {
  if (of->geom.kind == FF_POLYHEDRON) {
    return v3_add(of->at, ff_core_world(of, of->geom.hull->vertices[corner]));
  }
  ff_vec3 at = of->at;
  for (int i = 0; i < 3; i++) {
    at = v3_axpy(at, corner >> i & 1 ? of->half[i] : -of->half[i], of->axis[i]);
  }
  return at;
}

/* How far a point is from a core, where that is nearest and which way out. Inside, it came in by
 * this face. */
static double nearest_on(const ff_core *of, ff_vec3 point, int face, ff_vec3 *on, ff_vec3 *out) {
  ff_vec3 local = ff_core_local(of, v3_sub(point, of->at));
  double distance = ff_geom_from(&of->geom, local, face, out, NULL);
  *out = ff_core_world(of, *out);
  *on = v3_axpy(point, -distance, *out);
  return distance;
}

int ff_core_facing(const ff_core *of, ff_vec3 direction) {
  bool hull = of->geom.kind == FF_POLYHEDRON;
  ff_vec3 d = ff_core_local(of, direction);
  const double along[3] = {d.x, d.y, d.z};
  int best = 0, count = hull ? of->geom.hull->face_count : 6;
  double most = -INFINITY;
  for (int k = 0; k < count; k++) {
    double mine = hull ? v3_dot(of->geom.hull->normal[k], d) : (k % 2 ? 1 : -1) * along[k / 2];
    if (mine > most) {
      most = mine;
      best = k;
    }
  }
  return best;
}

static double within(double x, double limit) {
  return fmax(-limit, fmin(limit, x));
}

/* An edge: its middle, direction and half its length. */
typedef struct edge {
  ff_vec3 at, along;
  double half;
} edge;

static edge edge_of(const ff_core *of, const int ends[2]) {
  ff_vec3 p = ff_core_corner(of, ends[0]), way = v3_sub(ff_core_corner(of, ends[1]), p);
  double length = v3_norm(way);
  return (edge){v3_axpy(p, 0.5, way), v3_scale(1 / length, way), 0.5 * length};
}

/* Edges that cross, or where they are nearest; false: they are parallel. */
static bool cross(const ff_core *a, const ff_core *b, const edge *of_a, const edge *of_b,
                  ff_core_place *out) {
  ff_vec3 u = of_a->along, w = of_b->along, n = v3_cross(u, w);
  double square = v3_dot(n, n), along = v3_dot(u, w);
  if (!(square > 1e-4)) {
    return false;
  }
  ff_vec3 apart = v3_sub(of_b->at, of_a->at);
  double s = v3_dot(v3_cross(apart, w), n) / square, t = v3_dot(v3_cross(apart, u), n) / square;
  /* the insides of both are on their sides of the edges */
  double side = v3_dot(n, v3_add(v3_sub(a->at, b->at), apart));
  out->normal = v3_scale((side < 0 ? -1 : 1) / sqrt(square), n);
  out->gap = -v3_dot(out->normal, apart);
  out->beside = fabs(s) > of_a->half || fabs(t) > of_b->half;
  if (out->beside) {
    t = within(within(s, of_a->half) * along - v3_dot(apart, w), of_b->half);
    s = within(t * along + v3_dot(apart, u), of_a->half);
  }
  out->on_a = v3_axpy(of_a->at, s, u);
  out->on_b = v3_axpy(of_b->at, t, w);
  if (out->beside && out->gap > 0) {
    ff_vec3 off = v3_sub(out->on_a, out->on_b);
    out->gap = v3_norm(off);
    out->normal = v3_scale(1 / out->gap, off);
  }
  return true;
}

bool ff_core_find_place(const ff_core *a, const ff_core *b, const ff_spot *spot,
                        ff_core_place *out) {
  edge of_a, of_b;
  out->beside = false;
  switch (spot->kind) {
    case FF_SPOT_CORNER_A:
      out->on_a = ff_core_corner(a, spot->a[0]);
      out->gap = nearest_on(b, out->on_a, spot->b[0], &out->on_b, &out->normal);
      return true;
    case FF_SPOT_CORNER_B:
      out->on_b = ff_core_corner(b, spot->b[0]);
      out->gap = nearest_on(a, out->on_b, spot->a[0], &out->on_a, &out->normal);
      out->normal = v3_neg(out->normal);
      return true;
    case FF_SPOT_EDGES:
      of_a = edge_of(a, spot->a);
      of_b = edge_of(b, spot->b);
      return cross(a, b, &of_a, &of_b, out);
    default: return false;
  }
}

ff_touch ff_core_touch(const ff_core *a, const ff_core *b, const ff_spot *spot,
                       const ff_core_place *at) {
  double depth = a->radius + b->radius - at->gap;
  ff_vec3 on_b = v3_axpy(at->on_b, b->radius, at->normal);
  return (ff_touch){.point = v3_axpy(on_b, -0.5 * depth, at->normal),
                    .normal = at->normal,
                    .t1 = v3_orthogonal(at->normal),
                    .depth = depth,
                    .curvature = {INFINITY, INFINITY},
                    .spot = *spot};
}

/* ---- how they change
 * ---------------------------------------------------------------------------------- */

/* A corner of one beside the other core. */
static bool corner_slopes(const ff_core *a, const ff_core *b, const ff_touch *touch,
                          ff_touch_slopes *out) {
  bool of_a = touch->spot.kind == FF_SPOT_CORNER_A;
  const ff_core *other = of_a ? b : a;
  int face = of_a ? touch->spot.b[0] : touch->spot.a[0];
  ff_vec3 at = of_a ? ff_core_corner(a, touch->spot.a[0]) : ff_core_corner(b, touch->spot.b[0]), n;
  ff_bend bend;
  ff_geom_from(&other->geom, ff_core_local(other, v3_sub(at, other->at)), face, &n, &bend);
  bend.along = ff_core_world(other, bend.along);
  return ff_slopes_of_tip(out, touch, a->at, of_a, at, &bend, NULL);
}

/* Is a place of an edge one of its ends? */
static bool is_end(const edge *of, ff_vec3 at) {
  return fabs(v3_dot(v3_sub(at, of->at), of->along)) >= of->half * (1 - 1e-12);
}

/* Edges; beside one another one of them, or both, are nearest with an end. */
static bool edge_slopes(const ff_core *a, const ff_core *b, const ff_touch *touch,
                        ff_touch_slopes *out) {
  edge of_a = edge_of(a, touch->spot.a), of_b = edge_of(b, touch->spot.b);
  ff_core_place at;
  if (!cross(a, b, &of_a, &of_b, &at)) {
    return false;
  }
  if (!at.beside) {
    ff_line line_a = {at.on_a, of_a.along, {0, 0, 0}}, line_b = {at.on_b, of_b.along, {0, 0, 0}};
    return ff_slopes_of_lines(out, touch, a->at, &line_a, &line_b);
  }
  bool end_a = is_end(&of_a, at.on_a), end_b = is_end(&of_b, at.on_b);
  if (at.gap <= 0 || (!end_a && !end_b)) {
    return false;
  }
  ff_vec3 along = end_a && end_b ? v3(0, 0, 0) : end_a ? of_b.along : of_a.along;
  return ff_slopes_of_ends(out, touch, a->at, end_a, end_a ? at.on_a : at.on_b, along, at.gap);
}

bool ff_core_slopes(const ff_core *a, const ff_core *b, const ff_touch *touch,
                    ff_touch_slopes *out) {
  return touch->spot.kind == FF_SPOT_EDGES ? edge_slopes(a, b, touch, out)
                                           : corner_slopes(a, b, touch, out);
}
