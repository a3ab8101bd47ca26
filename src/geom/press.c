#include "geom/press.h"

#include "geom/hull.h"
#include "geom/touch.h"

#define SHARE 0.25 /* of how much t turns: three edges make a corner of a box on a face count 1 */

/* A hull of n corners has at most 2 n faces, and a core of m faces at most 2 m corners. */
enum { MOST = 4 * FF_POLYHEDRON_VERTICES_MAX };

/* A box or a hull as corners, edges and faces, in its own frame. */
typedef struct solid {
  int vertex_count, edge_count, face_count;
  ff_vec3 corner[8];   /* of a box */
  const ff_hull *hull; /* NULL: a box */
  ff_vec3 size;        /* of a box */
} solid;

/* ---- boxes and hulls ------------------------------------------------------------------------ */

/* Edge k of a box runs along axis k / 4. */
static void edge_of(const solid *of, int k, int ends[2]) {
  if (of->hull) {
    ends[0] = of->hull->edges[k].vertex[0];
    ends[1] = of->hull->edges[k].vertex[1];
    return;
  }
  static const int first[12] = {0, 2, 4, 6, 0, 1, 4, 5, 0, 1, 2, 3};
  ends[0] = first[k];
  ends[1] = first[k] | 1 << k / 4;
}

static ff_vec3 vertex_of(const solid *of, int k) {
  return of->hull ? of->hull->vertices[k] : of->corner[k];
}

static int slot_of(const solid *of, int vertex) {
  return of->hull ? of->hull->colour[vertex] : vertex;
}

static ff_vec3 normal_of(const solid *of, int face) {
  if (of->hull) {
    return of->hull->normal[face];
  }
  double n[3] = {0, 0, 0};
  n[face / 2] = face % 2 ? 1 : -1;
  return v3_load(n);
}

/* How deep a point is below a face. */
static double below(const solid *of, int face, ff_vec3 at) {
  if (of->hull) {
    return of->hull->offset[face] - v3_dot(of->hull->normal[face], at);
  }
  const double x[3] = {at.x, at.y, at.z}, s[3] = {of->size.x, of->size.y, of->size.z};
  return s[face / 2] - (face % 2 ? x[face / 2] : -x[face / 2]);
}

static void solid_of(solid *out, const ff_geom *geom) {
  out->hull = geom->kind == FF_POLYHEDRON ? geom->hull : NULL;
  if (out->hull) {
    out->vertex_count = geom->hull->vertex_count;
    out->edge_count = geom->hull->edge_count;
    out->face_count = geom->hull->face_count;
    return;
  }
  out->vertex_count = 8;
  out->edge_count = 12;
  out->face_count = 6;
  out->size = geom->size;
  for (int k = 0; k < 8; k++) {
    out->corner[k] = v3(k & 1 ? geom->size.x : -geom->size.x, k & 2 ? geom->size.y : -geom->size.y,
                        k & 4 ? geom->size.z : -geom->size.z);
  }
}

/* ---- one body's edges in the other ------------------------------------------------------------
 */

/* A core whose edges go through another solid, seen in the frame of that. */
typedef struct visit {
  solid core, other;
  ff_pose pose;  /* of the core, in the other's frame */
  ff_pose world; /* of the other */
  double more;   /* m, that the other is larger by, since the core is smaller */
  int face;      /* of the other, that the core is most above */
  bool of_b;     /* the core is b's */
  bool all;
  ff_press_fn *fn;
  void *context;
  ff_vec3 at[MOST]; /* corners of the core */
} visit;

static double depth_below(const visit *v, int face, ff_vec3 at) {
  return below(&v->other, face, at) + v->more;
}

/* The face that a point is least below. */
static int least(const visit *v, ff_vec3 at) {
  int best = 0;
  double depth = depth_below(v, 0, at);
  for (int f = 1; f < v->other.face_count; f++) {
    double mine = depth_below(v, f, at);
    best = mine < depth ? f : best;
    depth = mine < depth ? mine : depth;
  }
  return best;
}

/* normal: with the length of the push, which is 0 in the middle between opposite faces; on the
 * core, as the swing. */
static void tell(const visit *v, ff_vec3 at, ff_vec3 normal, double depth, double share,
                 ff_vec3 swing, int vertex) {
  double push = v3_norm(normal), sign = v->of_b ? -1 : 1;
  ff_quat q = v->world.orientation;
  ff_press press = {.point = pose_point(v->world, at),
                    .normal =
                        q_rotate(q, push > 1e-9 ? v3_scale(sign / push, normal) : v3(0, 0, 1)),
                    .depth = depth,
                    .share = SHARE * share,
                    .push = SHARE * push,
                    .swing = q_rotate(q, v3_scale(sign * SHARE, swing)),
                    .slot = slot_of(&v->core, vertex) + (v->of_b ? 8 : 0)};
  v->fn(v->context, &press);
}

/* The end that all edges of a corner have in common: beyond it they go on with slope 1. */
static void tell_corner(const visit *v, int vertex) {
  ff_vec3 at = v->at[vertex], turns = v3(0, 0, 0);
  int face = depth_below(v, v->face, at) > 0 ? least(v, at) : v->face;
  double depth = depth_below(v, face, at), share = depth > 0 ? 0 : 1;
  if (!(depth > 0) && !v->all) {
    return;
  }
  ff_vec3 n = normal_of(&v->other, face);
  for (int k = 0; depth > 0 && k < v->core.edge_count; k++) {
    int ends[2];
    edge_of(&v->core, k, ends);
    if (ends[0] == vertex || ends[1] == vertex) {
      ff_vec3 way = v3_unit(v3_sub(v->at[ends[ends[0] == vertex]], at));
      share += 1 + v3_dot(n, way);
      turns = v3_sub(turns, v3_cross(way, n));
    }
  }
  tell(v, at, v3_scale(share, n), depth, share, turns, vertex);
}

/* Where from s on t turns next, from one face's slope to a lesser one; face: which that is. */
static double next_turn(const visit *v, ff_vec3 from, ff_vec3 way, double s, int *face) {
  ff_vec3 at = v3_axpy(from, s, way);
  double depth = depth_below(v, *face, at), slope = -v3_dot(normal_of(&v->other, *face), way);
  double first = INFINITY, least_slope = slope;
  int next = *face;
  for (int f = 0; f < v->other.face_count; f++) {
    double mine = -v3_dot(normal_of(&v->other, f), way);
    if (f == *face || !(mine < slope)) {
      continue;
    }
    double ahead = fmax(0, depth_below(v, f, at) - depth) / (slope - mine);
    if (ahead < first || (ahead == first && mine < least_slope)) {
      first = ahead;
      least_slope = mine;
      next = f;
    }
  }
  *face = next;
  return s + first;
}

/* The corners of t between the ends of an edge. */
static void tell_edge(const visit *v, int edge) {
  int ends[2];
  edge_of(&v->core, edge, ends);
  ff_vec3 from = v->at[ends[0]], to = v->at[ends[1]];
  if (!(depth_below(v, v->face, from) > 0 || depth_below(v, v->face, to) > 0)) {
    return;
  }
  int face = least(v, from), last = least(v, to);
  if (!(depth_below(v, face, from) > 0 || depth_below(v, face, to) > 0) ||
      !(depth_below(v, last, from) > 0 || depth_below(v, last, to) > 0)) {
    return;
  }
  ff_vec3 way = v3_sub(to, from);
  double length = v3_norm(way);
  way = v3_scale(1 / length, way);
  for (double s = 0; face != last;) {
    int before = face;
    s = next_turn(v, from, way, s, &face);
    if (!(s < length)) {
      return;
    }
    ff_vec3 at = v3_axpy(from, s, way);
    ff_vec3 n1 = normal_of(&v->other, before), n2 = normal_of(&v->other, face);
    double depth = depth_below(v, face, at), m1 = -v3_dot(n1, way), m2 = -v3_dot(n2, way);
    if (depth > 0) {
      tell(v, at, v3_axpy(v3_scale(m1, n2), -m2, n1), depth, m1 - m2, v3_cross(way, v3_sub(n1, n2)),
           ends[s > 0.5 * length]);
    }
  }
}

/* Places the corners of the core. Is it apart from the other? */
static bool is_apart(visit *v) {
  double highest = -INFINITY;
  for (int f = 0; f < v->other.face_count; f++) {
    double above = -depth_below(v, f, v->pose.position);
    v->face = above > highest ? f : v->face;
    highest = fmax(highest, above);
  }
  bool apart = true;
  ff_mat3 turn = q_matrix(v->pose.orientation);
  for (int k = 0; k < v->core.vertex_count; k++) {
    v->at[k] = v3_add(v->pose.position, m3_mul(turn, vertex_of(&v->core, k)));
    apart = apart && !(depth_below(v, v->face, v->at[k]) > 0);
  }
  return apart;
}

static void go_through(visit *v, const ff_geom *core, const ff_pose *pose_core,
                       const ff_geom *other, const ff_pose *pose_other) {
  ff_geom small;
  bool whole = core->kind == FF_POLYHEDRON && !core->hull->core; /* too thin to have a core */
  v->more = whole ? 0 : ff_geom_round(core, INFINITY);
  if (whole) {
    small = *core;
  } else {
    ff_geom_shrink(&small, core, v->more);
  }
  solid_of(&v->core, &small);
  solid_of(&v->other, other);
  v->world = *pose_other;
  v->pose.position =
      q_unrotate(pose_other->orientation, v3_sub(pose_core->position, pose_other->position));
  v->pose.orientation = q_mul(q_conj(pose_other->orientation), pose_core->orientation);
  bool apart = is_apart(v);
  if (apart && !v->all) {
    return;
  }
  for (int k = 0; k < v->core.vertex_count; k++) {
    tell_corner(v, k);
  }
  for (int k = 0; k < v->core.edge_count && !apart; k++) {
    tell_edge(v, k);
  }
}

/* ---- both ---------------------------------------------------------------------------------------
 */

static bool is_flat(ff_shape_kind kind) {
  return kind == FF_BOX || kind == FF_POLYHEDRON;
}

bool ff_geom_can_press(ff_shape_kind a, ff_shape_kind b) {
  return is_flat(a) && is_flat(b);
}

void ff_geom_press(const ff_geom *a, const ff_pose *pose_a, const ff_geom *b, const ff_pose *pose_b,
                   bool all, ff_press_fn *fn, void *context) {
  double size = ff_geom_bound(a) + ff_geom_bound(b);
  if (!all && v3_norm(v3_sub(pose_a->position, pose_b->position)) > 1.02 * size) {
    return;
  }
  visit v; /* most of it is filled in on the way */
  v.all = all;
  v.fn = fn;
  v.context = context;
  v.of_b = false;
  go_through(&v, a, pose_a, b, pose_b);
  v.of_b = true;
  go_through(&v, b, pose_b, a, pose_a);
}
