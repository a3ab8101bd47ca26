/* Any finite shape on any other.
 *
 * One point where they are nearest or deepest (geom/nearest.h), unless both have a flat or straight
 * part there that lie on one another: two faces have as many points as the smaller one has named
 * corners, a line on a face or along another line has two. They belong to the corners of
 * the part they lie on with: for each, of all corners of what the two have in common that which is
 * farthest out its way. Such a corner is one of three:
 *   a corner of a on the face of b      depth along b's normal, which moves with b
 *   a corner of b on the face of a      depth along a's normal, which moves with a
 *   an edge of a across an edge of b    depth along the normal of both
 * Each depth is a function of the poses whose rate is minus the normal velocity at the point, so
 * that elastic forces are conservative as long as no corner slides over an edge, where one gives
 * way to the other: the depth is the same then only if the faces are parallel.
 */
#include "geom/flat.h"
#include "geom/implicit.h"
#include "geom/nearest.h"
#include "geom/touch.h"

#define ALONG                                                                                      \
  0.9986             /* cosine of 3 degrees: faces nearer to the normal than this lie on another   \
                      */
#define NEARLY 0.966 /* cosine of 15 degrees: such normals belong to the same contact */
#define ASKEW  0.1   /* sine of the angle beyond which lines cross and do not lie side by side */

typedef struct meeting {
  ff_flat a, b;
  ff_nearest near;
  double size, margin;
  double blunt; /* m, see dome; 0: rims are sharp */
  ff_touch *out;
  int count;
} meeting;

/* A corner of what two flat parts have in common: who touches whom. */
typedef struct spot {
  ff_vec3 at;     /* m, seen along the normal */
  ff_touch touch; /* point, normal and depth */
} spot;

enum { SPOTS = 48 };
typedef struct spots {
  spot list[SPOTS];
  int count;
} spots;

static ff_touch *add_spot(spots *to, ff_vec3 at, ff_vec3 normal, double depth, ff_vec3 point) {
  spot *mine = &to->list[to->count < SPOTS ? to->count++ : SPOTS - 1];
  *mine = (spot){.at = at, .touch = {.point = point, .normal = normal, .depth = depth}};
  mine->touch.curvature[0] = mine->touch.curvature[1] = INFINITY;
  return &mine->touch;
}

/* ---- corners on faces ------------------------------------------------------------------------ */

/* A disc with this centre, outward normal and radius, a little domed (0: not at all), on a plane
 * with this normal: the deepest point, level with the plane that touches the dome. Of a flat disc
 * it leaps to the other side of the rim as that rocks through the level; of a dome it goes there
 * through the middle. With t the sine of the tilt, blunt = e r, the dome is deeper than the centre
 * by r (sqrt(t^2 + e^2) - e) / (sqrt(1 + e^2) - e), and touches where the slope of this in t,
 * instead of r, is the distance from the axis. */
static ff_vec3 dome(ff_vec3 centre, ff_vec3 axis, double radius, double blunt, ff_vec3 normal) {
  ff_vec3 down = v3_axpy(v3_neg(normal), v3_dot(normal, axis), axis);
  double square = v3_dot(down, down), e = blunt / radius, root = sqrt(square + e * e);
  double scale = radius / (sqrt(1 + e * e) - e);
  ff_vec3 at = v3_axpy(centre, scale / root, down);
  return v3_axpy(at, scale * (e - e * e / root), normal);
}

/* The end of a line or a corner of a face, where it touches a plane with this outward normal. */
static ff_vec3 tip(const ff_flat *flat, int corner, ff_vec3 normal, double blunt) {
  ff_vec3 at = flat->at[corner];
  if (flat->radius == 0) {
    return at;
  }
  if (!flat->sharp) {
    return v3_axpy(at, -flat->radius, normal);
  }
  if (blunt > 0) {
    return dome(at, flat->normal, flat->radius, blunt, normal);
  }
  ff_vec3 across = v3_axpy(normal, -v3_dot(normal, flat->normal), flat->normal);
  return v3_axpy(at, -flat->radius / v3_norm(across), across);
}

/* A point of one body on the face of the other; sign 1: the face is b's. */
static void add_on_face(spots *to, ff_vec3 at, const ff_flat *face, double sign) {
  double depth = -v3_dot(face->normal, v3_sub(at, face->at[0]));
  ff_vec3 middle = v3_axpy(at, 0.5 * depth, face->normal);
  add_spot(to, at, v3_scale(sign, face->normal), depth, middle)->turns =
      sign < 0 ? FF_TURNS_WITH_A : FF_TURNS_WITH_B;
}

/* Corners of one part on the face of the other. */
static void corners_on_face(spots *to, const meeting *m, const ff_flat *part, const ff_flat *face,
                            double sign) {
  for (int i = 0; face->count > 2 && i < part->count; i++) {
    ff_vec3 at = tip(part, i, face->normal, m->blunt);
    if (ff_flat_covers(face, at, 1e-9 * m->size)) {
      add_on_face(to, at, face, sign);
    }
  }
}

/* ---- edges across edges ------------------------------------------------------------------------
 */

static int edge_count(const ff_flat *flat) {
  return flat->count == 2 ? 1 : flat->count;
}

/* Edge i of a and edge k of b, if they cross seen along the normal. */
static void cross_edges(spots *to, const meeting *m, int i, int k) {
  const ff_flat *a = &m->a, *b = &m->b;
  ff_vec3 p = a->at[i], q = b->at[k];
  ff_vec3 u = v3_sub(a->at[(i + 1) % a->count], p), w = v3_sub(b->at[(k + 1) % b->count], q);
  ff_vec3 n = v3_cross(u, w);
  double square = v3_dot(n, n);
  if (!(square > 1e-4 * v3_dot(u, u) * v3_dot(w, w))) {
    return; /* parallel: corners say it all */
  }
  ff_vec3 apart = v3_sub(q, p);
  double s = v3_dot(v3_cross(apart, w), n) / square, t = v3_dot(v3_cross(apart, u), n) / square;
  double sense = v3_dot(n, m->near.normal) < 0 ? -1 : 1;
  n = v3_scale(sense / sqrt(square), n);
  if (!(s >= 0 && s <= 1 && t >= 0 && t <= 1 && v3_dot(n, m->near.normal) > NEARLY)) {
    return;
  }
  double depth = a->radius + b->radius + v3_dot(n, apart);
  ff_vec3 on_b = v3_axpy(v3_axpy(q, t, w), b->radius, n);
  ff_touch *touch = add_spot(to, on_b, n, depth, v3_axpy(on_b, -0.5 * depth, n));
  touch->turns = FF_TURNS_WITH_BOTH;
  touch->edge_a = u;
  touch->edge_b = v3_scale(sense, w);
}

/* ---- lines along lines --------------------------------------------------------------------------
 */

/* The ends of a line beside another line. sign 1: the other is b's. */
static void ends_on_line(spots *to, const ff_flat *part, const ff_flat *other, double sign,
                         double slack) {
  double length = v3_norm(v3_sub(other->at[1], other->at[0]));
  for (int i = 0; i < 2; i++) {
    ff_vec3 from = v3_sub(part->at[i], other->at[0]);
    double along = v3_dot(from, other->normal);
    ff_vec3 off = v3_axpy(from, -along, other->normal);
    double distance = v3_norm(off);
    if (along < -slack || along > length + slack || !(distance > 0)) {
      continue;
    }
    ff_vec3 n = v3_scale(1 / distance, off);
    double depth = part->radius + other->radius - distance;
    ff_vec3 at = v3_axpy(part->at[i], -part->radius + 0.5 * depth, n);
    ff_touch *touch = add_spot(to, part->at[i], v3_scale(sign, n), depth, at);
    touch->curvature[0] = 1 / part->radius + 1 / other->radius;
    touch->curvature[1] = 0;
  }
}

/* ---- the points
 * ----------------------------------------------------------------------------------- */

static bool lies_on(const meeting *m) {
  const ff_flat *a = &m->a, *b = &m->b;
  if (a->count < 2 || b->count < 2) {
    return false;
  }
  if (a->count == 2 && b->count == 2) {
    ff_vec3 across = v3_cross(a->normal, b->normal);
    return v3_dot(across, across) < ASKEW * ASKEW;
  }
  return (a->count > 2 && -v3_dot(a->normal, m->near.normal) > ALONG) ||
         (b->count > 2 && v3_dot(b->normal, m->near.normal) > ALONG);
}

static void find_spots(spots *to, const meeting *m) {
  const ff_flat *a = &m->a, *b = &m->b;
  double slack = 1e-9 * m->size;
  to->count = 0;
  if (a->count == 2 && b->count == 2) {
    ends_on_line(to, a, b, 1, slack);
    ends_on_line(to, b, a, -1, slack);
    return;
  }
  if (b->count > 2 && v3_dot(b->normal, m->near.normal) > NEARLY) {
    corners_on_face(to, m, a, b, 1);
  }
  if (a->count > 2 && -v3_dot(a->normal, m->near.normal) > NEARLY) {
    corners_on_face(to, m, b, a, -1);
  }
  for (int i = 0; i < edge_count(a); i++) {
    for (int k = 0; k < edge_count(b); k++) {
      cross_edges(to, m, i, k);
    }
  }
}

/* The part whose corners name the points: the smaller one; of two lines, a's. */
static const ff_flat *naming(const meeting *m) {
  if (m->a.count < 2 || m->b.count < 2) {
    return m->a.count < 2 ? &m->b : &m->a;
  }
  return ff_flat_area(&m->b) < 0.999 * ff_flat_area(&m->a) ? &m->b : &m->a;
}

static void put(meeting *m, ff_touch touch, int slot) {
  touch.feature = slot;
  touch.t1 = v3_orthogonal(touch.normal);
  m->out[m->count++] = touch;
}

/* Of all spots the one that is farthest out the way of a corner. */
static int farthest(const spots *found, const ff_flat *names, int corner, double slack) {
  ff_vec3 outward = ff_flat_outward(names, corner);
  int best = 0;
  for (int k = 1; k < found->count; k++) {
    double more = v3_dot(outward, v3_sub(found->list[k].at, found->list[best].at));
    best = more > slack ? k : best;
  }
  return best;
}

/* A face that stands on the other body touches it with an edge or a corner: what several of its
 * corners would name is one point, and belongs to the nearest of them. */
static bool is_lent(const meeting *m, const spots *found, const ff_flat *names, const int *chosen,
                    int corner) {
  if (names->count < 3 || fabs(v3_dot(names->normal, m->near.normal)) > NEARLY) {
    return false;
  }
  ff_vec3 at = found->list[chosen[corner]].at;
  double slack = 1e-9 * m->size, mine = v3_norm(v3_sub(names->at[corner], at));
  for (int i = 0; i < names->count; i++) {
    ff_vec3 apart = v3_sub(found->list[chosen[i]].at, at);
    double other = v3_norm(v3_sub(names->at[i], at)) + (i < corner ? -slack : slack);
    if (i != corner && names->slot[i] >= 0 && v3_norm(apart) <= slack && other < mine) {
      return true;
    }
  }
  return false;
}

/* A blunt round face leans on the other with its dome, too. */
static double put_dome(meeting *m, const ff_flat *names) {
  const ff_flat *face = names == &m->a ? &m->b : &m->a;
  double sign = names == &m->a ? 1 : -1;
  if (!(m->blunt > 0 && names->rim > 0 && face->count > 2 &&
        sign * v3_dot(face->normal, m->near.normal) > NEARLY)) {
    return -INFINITY;
  }
  ff_vec3 centre = v3_scale(0.5, v3_add(names->at[0], names->at[names->count / 2]));
  ff_vec3 at = dome(centre, names->normal, names->rim, m->blunt, face->normal);
  if (!ff_flat_covers(face, at, 1e-9 * m->size)) {
    return -INFINITY;
  }
  spots one = {.count = 0};
  add_on_face(&one, at, face, sign);
  put(m, one.list[0].touch, 4 - names->slot[0]);
  return one.list[0].touch.depth;
}

/* For each named corner the spot that is farthest out its way. False if there is none. */
static bool put_spots(meeting *m) {
  spots found;
  find_spots(&found, m);
  const ff_flat *names = naming(m);
  int chosen[FF_FLAT_MAX];
  double deepest = -INFINITY;
  for (int i = 0; i < names->count && found.count > 0; i++) {
    chosen[i] = farthest(&found, names, i, 1e-9 * m->size);
  }
  for (int i = 0; i < names->count && found.count > 0; i++) {
    if (names->slot[i] >= 0 && !is_lent(m, &found, names, chosen, i)) {
      const ff_touch *touch = &found.list[chosen[i]].touch;
      put(m, *touch, names->slot[i]);
      deepest = fmax(deepest, touch->depth);
    }
  }
  deepest = fmax(deepest, put_dome(m, names));
  /* If none of them touches but the bodies do, the deepest point is one that nobody named. */
  if (m->count == 0 || (deepest < 0 && m->near.gap < -1e-9 * m->size)) {
    m->count = 0;
    return false;
  }
  return true;
}

/* ---- one point
 * -------------------------------------------------------------------------------------- */

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

static void curvature_of(const ff_nearest *near, const ff_geom *a, const ff_pose *pose_a,
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

/* The name of a lone point: that of the corner it is nearest to, in the sense of outward. */
static int slot_of(const meeting *m, ff_vec3 point) {
  const ff_flat *names = naming(m);
  int slot = 0;
  double most = -INFINITY;
  for (int i = 0; i < names->count; i++) {
    double out = v3_dot(ff_flat_outward(names, i), v3_sub(point, names->at[i]));
    if (names->slot[i] >= 0 && out > most) {
      most = out;
      slot = names->slot[i];
    }
  }
  return slot;
}

static void put_one(meeting *m, const ff_geom *a, const ff_pose *pose_a, const ff_geom *b,
                    const ff_pose *pose_b) {
  const ff_nearest *near = &m->near;
  ff_touch touch = {.point = v3_scale(0.5, v3_add(near->on_a, near->on_b)),
                    .normal = near->normal,
                    .depth = -near->gap};
  curvature_of(near, a, pose_a, b, pose_b, touch.curvature);
  put(m, touch, ff_touch_convex_limit(a->kind, b->kind) == 1 ? 0 : slot_of(m, touch.point));
}

/* ---- all of it
 * --------------------------------------------------------------------------------------- */

static bool is_round(ff_shape_kind kind) {
  return kind == FF_SPHERE || kind == FF_ELLIPSOID || kind == FF_SUPERELLIPSOID;
}

int ff_touch_convex_limit(ff_shape_kind a, ff_shape_kind b) {
  if (is_round(a) || is_round(b)) {
    return 1;
  }
  return a == FF_CAPSULE && b == FF_CAPSULE ? 2 : 8;
}

/* In order of name, without points that are out of reach. With no limit to the reach every name
 * gets a point: those that are not there now are far away. */
static int finish(meeting *m, int limit) {
  ff_touch all[FF_TOUCH_MAX];
  bool there[FF_TOUCH_MAX] = {false};
  ff_touch any = m->out[0];
  for (int i = 0; i < m->count; i++) {
    int slot = m->out[i].feature;
    all[slot] = m->out[i];
    there[slot] = true;
  }
  int count = 0;
  for (int slot = 0; slot < limit; slot++) {
    if (!there[slot]) {
      all[slot] = any;
      all[slot].feature = slot;
      all[slot].depth = any.depth - 4 * m->size;
    }
    if (isinf(m->margin) || (there[slot] && all[slot].depth > -m->margin)) {
      m->out[count++] = all[slot];
    }
  }
  return count;
}

/* Blunt round faces have corners of their own that do not wander. The name of the first is the
 * dome's, which is the end of the line when the cylinder lies down; it gets that of the other end.
 */
static void keep_corners(ff_flat *face, const ff_geom *geom, const ff_pose *pose) {
  if (face->rim > 0) {
    ff_vec3 normal = face->normal;
    ff_flat_find(face, geom, pose, normal);
    face->slot[0] = 4 - face->slot[0];
  }
}

/* Is a box b nearest to a with the middle of a face? Then that is so whatever else a has: its
 * farthest point towards the face is over it. */
static bool near_face(ff_nearest *out, const ff_geom *a, const ff_pose *pose_a, const ff_geom *b,
                      const ff_pose *pose_b) {
  ff_quat q = pose_b->orientation;
  const ff_vec3 axes[3] = {q_axis_x(q), q_axis_y(q), q_axis_z(q)};
  const double half[3] = {b->size.x, b->size.y, b->size.z};
  ff_vec3 apart = v3_sub(pose_a->position, pose_b->position);
  for (int k = 0; b->kind == FF_BOX && k < 3; k++) {
    ff_vec3 n = v3_dot(apart, axes[k]) < 0 ? v3_neg(axes[k]) : axes[k];
    ff_vec3 way = q_unrotate(pose_a->orientation, v3_neg(n));
    ff_vec3 at = pose_point(*pose_a, ff_geom_support(a, way)), from = v3_sub(at, pose_b->position);
    int u = (k + 1) % 3, w = (k + 2) % 3;
    double gap = v3_dot(n, from) - half[k];
    if (gap > 0 && fabs(v3_dot(from, axes[u])) < half[u] && fabs(v3_dot(from, axes[w])) < half[w]) {
      *out = (ff_nearest){n, gap, at, v3_axpy(at, -gap, n), .settled = true};
      return true;
    }
  }
  return false;
}

int ff_touch_blunt(const ff_geom *a, const ff_pose *pose_a, const ff_geom *b, const ff_pose *pose_b,
                   double blunt, double margin, ff_touch *out) {
  meeting m = {
      .size = ff_geom_bound(a) + ff_geom_bound(b), .margin = margin, .blunt = blunt, .out = out};
  if (v3_norm(v3_sub(pose_a->position, pose_b->position)) - m.size > margin) {
    return 0;
  }
  /* Beside the nearest, other points of a pair may be wanted as far as the margin reaches. */
  double blur =
      1e-3 * m.size; /* of a gap that is not settled: flat or straight parts tell it better */
  if (!(blunt > 0 && near_face(&m.near, a, pose_a, b, pose_b))) {
    ff_nearest_find(&m.near, a, pose_a, b, pose_b, margin + blur);
  }
  if (m.near.gap >= margin + (m.near.settled ? 0 : blur)) {
    return 0;
  }
  int limit = ff_touch_convex_limit(a->kind, b->kind);
  if (limit > 1) {
    ff_flat_find(&m.a, a, pose_a, v3_neg(m.near.normal));
    ff_flat_find(&m.b, b, pose_b, m.near.normal);
  }
  if (limit > 1 && blunt > 0) {
    keep_corners(&m.a, a, pose_a);
    keep_corners(&m.b, b, pose_b);
  }
  if (limit == 1 || !lies_on(&m) || !put_spots(&m)) {
    put_one(&m, a, pose_a, b, pose_b);
  }
  return finish(&m, limit);
}

int ff_touch_convex(const ff_geom *a, const ff_pose *pose_a, const ff_geom *b,
                    const ff_pose *pose_b, double margin, ff_touch *out) {
  return ff_touch_blunt(a, pose_a, b, pose_b, 0, margin, out);
}
