#include "geom/press.h"

#include "geom/feet.h"
#include "geom/solid.h"

#define SHARE 0.25 /* of how much t turns: three edges make a corner of a box on a face count 1 */

/* A hull of n corners has at most 2 n faces, and a core of m faces at most 2 m corners. */
enum { MOST = 4 * FF_POLYHEDRON_VERTICES_MAX };

/* ---- one body's edges in the other ------------------------------------------------------------
 */

/* A core whose edges go through another solid, seen in the frame of that. */
typedef struct visit {
  ff_solid core, other;
  ff_pose pose;  /* of the core, in the other's frame */
  ff_pose world; /* of the other */
  double more;   /* m, that the other is larger by, since the core is smaller */
  int face;      /* of the other, that the core is most above */
  bool of_b;     /* the core is b's */
  double margin;
  const ff_press_to *to;
  ff_vec3 at[MOST]; /* corners of the core */
} visit;

static double depth_below(const visit *v, int face, ff_vec3 at) {
  return ff_solid_below(&v->other, face, at) + v->more;
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
                    .slot = ff_solid_slot(&v->core, vertex) + (v->of_b ? 8 : 0)};
  v->to->fn(v->to->context, &press);
}

/* The end that all edges of a corner have in common: beyond it they go on with slope 1. */
static void tell_corner(const visit *v, int vertex) {
  ff_vec3 at = v->at[vertex], turns = v3(0, 0, 0);
  bool near = depth_below(v, v->face, at) > (isinf(v->margin) ? 0 : -v->margin);
  int face = near ? least(v, at) : v->face;
  double depth = depth_below(v, face, at), share = depth > 0 ? 0 : 1;
  if (!(depth > 0 || depth > -v->margin)) {
    return;
  }
  ff_vec3 n = ff_solid_normal(&v->other, face);
  for (int k = 0; depth > 0 && k < v->core.edge_count; k++) {
    int ends[2];
    ff_solid_edge(&v->core, k, ends);
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
  double depth = depth_below(v, *face, at), slope = -v3_dot(ff_solid_normal(&v->other, *face), way);
  double first = INFINITY, least_slope = slope;
  int next = *face;
  for (int f = 0; f < v->other.face_count; f++) {
    double mine = -v3_dot(ff_solid_normal(&v->other, f), way);
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
  ff_solid_edge(&v->core, edge, ends);
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
    ff_vec3 n1 = ff_solid_normal(&v->other, before), n2 = ff_solid_normal(&v->other, face);
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
  v->face = 0; /* for a pose that is not finite, too */
  for (int f = 0; f < v->other.face_count; f++) {
    double above = -depth_below(v, f, v->pose.position);
    v->face = above > highest ? f : v->face;
    highest = fmax(highest, above);
  }
  bool apart = true;
  ff_mat3 turn = q_matrix(v->pose.orientation);
  for (int k = 0; k < v->core.vertex_count; k++) {
    v->at[k] = v3_add(v->pose.position, m3_mul(turn, ff_solid_vertex(&v->core, k)));
    apart = apart && !(depth_below(v, v->face, v->at[k]) > 0);
  }
  return apart;
}

static void go_through(visit *v, const ff_geom *core, const ff_pose *pose_core,
                       const ff_geom *other, const ff_pose *pose_other) {
  v->more = ff_solid_core(&v->core, core);
  ff_solid_of(&v->other, other);
  v->world = *pose_other;
  v->pose.position =
      q_unrotate(pose_other->orientation, v3_sub(pose_core->position, pose_other->position));
  v->pose.orientation = q_mul(q_conj(pose_other->orientation), pose_core->orientation);
  bool apart = is_apart(v);
  if (apart && !(v->margin > 0)) {
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

bool ff_geom_can_press(ff_shape_kind a, ff_shape_kind b) {
  return (ff_geom_is_solid(a) && ff_geom_is_solid(b)) || ff_geom_has_feet(a, b);
}

void ff_geom_press(const ff_geom *a, const ff_pose *pose_a, const ff_geom *b, const ff_pose *pose_b,
                   double margin, const ff_press_to *to) {
  double size = ff_geom_bound(a) + ff_geom_bound(b);
  if (v3_norm(v3_sub(pose_a->position, pose_b->position)) > 1.02 * size + margin) {
    return;
  }
  if (!ff_geom_is_solid(a->kind) || !ff_geom_is_solid(b->kind)) {
    ff_feet_press(a, pose_a, b, pose_b, margin, to);
    return;
  }
  visit v; /* most of it is filled in on the way */
  v.margin = margin;
  v.to = to;
  v.of_b = false;
  go_through(&v, a, pose_a, b, pose_b);
  v.of_b = true;
  go_through(&v, b, pose_b, a, pose_a);
}
