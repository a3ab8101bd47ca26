/* Any finite shape on any other.
 *
 * One point where they are nearest or deepest (geom/distance.h), unless both have a flat or
 * straight part there that lie on one another: two faces have as many points as the smaller one has
 * named corners, a line on a face or along another line has two. They belong to the corners of the
 * part they lie on with: for each, of all corners of what the two have in common that which is
 * farthest out its way. Such a corner is one of three:
 *   a corner of a on the face of b      depth along b's normal, which moves with b
 *   a corner of b on the face of a      depth along a's normal, which moves with a
 *   an edge of a across an edge of b    depth along the normal of both
 * Each depth is a function of the poses whose rate is minus the normal velocity at the point, so
 * that elastic forces are conservative as long as no corner slides over an edge, where one gives
 * way to the other: the depth is the same then only if the faces are parallel.
 *
 * Cores of rounded boxes, polyhedra, cylinders and capsules have such points however they lean, and
 * rims that are circles; where none of them touches, the corner or the edges with which they are
 * nearest.
 */
#include "geom/distance.h"
#include "geom/flat.h"
#include "geom/implicit.h"
#include "geom/spots.h"
#include "geom/touch.h"

#define ALONG  0.9986 /* cosine of 3 degrees: faces nearer to the normal than this lie on others */
#define NEARLY 0.966  /* cosine of 15 degrees: such normals belong to the same contact */
#define ASKEW  0.1    /* sine of the angle beyond which lines cross and do not lie side by side */

/* Of the radii: where blunt ones are nearest, and deeper by more than this than at all that was
 * named, they have a point. What may lie between many parts gets it later, lest it come and go. */
#define UNSEEN      0.2
#define UNSEEN_PART 0.5

typedef struct meeting {
  ff_flat a, b;
  ff_distance near;
  double size, margin;
  double blunt; /* m, how much caps are domed; 0: rims are sharp */
  double round; /* m, radii of what is about the two: touching means to be as near as this */
  bool lasting; /* parts can be looked at again, */
  bool edged;   /* and what is none of them is a corner, an edge or a rim */
  int limit;    /* names there are */
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

/* Where a spot is now; false: nowhere, beside one of the parts, or on an edge that stands in for
 * what is round: cores are nowhere nearer than where they are nearest. */
static bool find_spot(spot *out, const meeting *m, const ff_spot *what) {
  bool beside;
  return ff_spot_place(&m->a, &m->b, what, m->blunt, m->near.normal, &out->touch, &out->at,
                       &beside) &&
         !beside && (m->blunt == 0 || out->touch.depth <= 1e-7 * m->size - m->near.gap);
}

static void add_spot(spots *to, const spot *found) {
  to->list[to->count < SPOTS ? to->count++ : SPOTS - 1] = *found;
}

/* Corners of one part on the face of the other. */
static void corners_on_face(spots *to, const meeting *m, bool of_a) {
  const ff_flat *part = of_a ? &m->a : &m->b, *face = of_a ? &m->b : &m->a;
  for (int i = 0; face->count > 2 && i < part->count; i++) {
    spot found;
    ff_spot what = {of_a ? FF_SPOT_TIP_A : FF_SPOT_TIP_B, {m->a.part, i}, {m->b.part, i}};
    if (find_spot(&found, m, &what) && ff_flat_covers(face, found.at, 1e-9 * m->size)) {
      add_spot(to, &found);
    }
  }
}

/* A rim crosses twice what it crosses. */
static int edge_count(const ff_flat *flat) {
  return flat->round ? 2 : flat->count == 2 ? 1 : flat->count;
}

/* Edges that cross, seen along the normal. */
static void cross_edges(spots *to, const meeting *m) {
  for (int i = 0; i < edge_count(&m->a); i++) {
    for (int k = 0; k < (m->a.round && m->b.round ? 1 : edge_count(&m->b)); k++) {
      spot found;
      ff_spot what = {FF_SPOT_CROSSING, {m->a.part, i}, {m->b.part, k}};
      if (find_spot(&found, m, &what) && v3_dot(found.touch.normal, m->near.normal) > NEARLY) {
        add_spot(to, &found);
      }
    }
  }
}

/* The ends of a line beside another line. */
static void ends_on_line(spots *to, const meeting *m, bool of_a) {
  const ff_flat *part = of_a ? &m->a : &m->b, *other = of_a ? &m->b : &m->a;
  double length = v3_norm(v3_sub(other->at[1], other->at[0])), slack = 1e-9 * m->size;
  for (int i = 0; i < 2; i++) {
    double along = v3_dot(v3_sub(part->at[i], other->at[0]), other->normal);
    spot found;
    ff_spot what = {of_a ? FF_SPOT_END_A : FF_SPOT_END_B, {m->a.part, i}, {m->b.part, i}};
    if (along >= -slack && along <= length + slack && find_spot(&found, m, &what)) {
      add_spot(to, &found);
    }
  }
}

/* ---- the points
 * ----------------------------------------------------------------------------------- */

/* Of the angle between two lines. */
static double sine(const ff_flat *a, const ff_flat *b) {
  return v3_norm(v3_cross(a->normal, b->normal));
}

static bool lies_on(const meeting *m) {
  const ff_flat *a = &m->a, *b = &m->b;
  if (a->count < 2 || b->count < 2) {
    return false;
  }
  if (m->lasting) {
    return m->near.gap > 0;
  }
  if (a->count == 2 && b->count == 2) {
    return sine(a, b) < ASKEW;
  }
  return (a->count > 2 && -v3_dot(a->normal, m->near.normal) > ALONG) ||
         (b->count > 2 && v3_dot(b->normal, m->near.normal) > ALONG);
}

static void find_spots(spots *to, const meeting *m) {
  const ff_flat *a = &m->a, *b = &m->b;
  to->count = 0;
  if (a->count == 2 && b->count == 2) {
    ends_on_line(to, m, true);
    ends_on_line(to, m, false);
    return;
  }
  if (b->count > 2 && (m->lasting || v3_dot(b->normal, m->near.normal) > NEARLY)) {
    corners_on_face(to, m, true);
  }
  if (a->count > 2 && (m->lasting || -v3_dot(a->normal, m->near.normal) > NEARLY)) {
    corners_on_face(to, m, false);
  }
  cross_edges(to, m);
}

/* The part whose corners name the points: the smaller one; of two lines, a's. */
static const ff_flat *naming(const meeting *m) {
  if (m->a.count < 2 || m->b.count < 2) {
    return m->a.count < 2 ? &m->b : &m->a;
  }
  return ff_flat_area(&m->b) < 0.999 * ff_flat_area(&m->a) ? &m->b : &m->a;
}

/* Parts of sharp shapes are nobody's business. */
static void put(meeting *m, ff_touch touch, int slot) {
  touch.feature = slot;
  touch.spot.kind = m->lasting ? touch.spot.kind : FF_SPOT_NONE;
  touch.t1 = v3_orthogonal(touch.normal);
  m->out[m->count++] = touch;
}

/* Does a spot touch, or is it about to? Of sharp faces all count. */
static bool is_close(const meeting *m, const spot *at) {
  return m->blunt == 0 || at->touch.depth > -2 * m->round;
}

/* Of all spots the one that is farthest out the way of a corner. Blunt faces that lean on one
 * another have corners that are far from touching: they take no name from where an edge bears a
 * load, or that would sink in unseen. */
static int farthest(const meeting *m, const spots *found, const ff_flat *names, int corner) {
  ff_vec3 outward = ff_flat_outward(names, corner);
  int best = 0;
  for (int k = 1; k < found->count; k++) {
    const spot *at = &found->list[k], *so_far = &found->list[best];
    bool close = is_close(m, at);
    bool farther = v3_dot(outward, v3_sub(at->at, so_far->at)) > 1e-9 * m->size;
    best = (close == is_close(m, so_far) ? farther : close) ? k : best;
  }
  return best;
}

/* What several corners would name is one point, and belongs to the nearest of them: a face that
 * stands on the other body touches it with an edge or a corner. */
static bool is_lent(const meeting *m, const spots *found, const ff_flat *names, const int *chosen,
                    int corner) {
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

/* The first name that neither the corners nor the dome of a part have. */
static int spare_name(const ff_flat *names) {
  int slot = 0, dome = names->rim > 0 ? 4 - names->slot[0] : -1;
  for (int i = 0; i < names->count; i++) {
    if (names->slot[i] == slot || slot == dome) {
      slot++;
      i = -1;
    }
  }
  return slot;
}

/* A blunt round face leans on the other with its dome, too. */
static double put_dome(meeting *m, const ff_flat *names, bool of_a) {
  const ff_flat *part = of_a ? &m->a : &m->b, *face = of_a ? &m->b : &m->a;
  int slot = part == names ? 4 - names->slot[0] : spare_name(names);
  if (!(m->blunt > 0 && part->rim > 0 && face->count > 2 && slot < m->limit)) {
    return -INFINITY;
  }
  spot found;
  ff_spot what = {of_a ? FF_SPOT_TIP_A : FF_SPOT_TIP_B, {m->a.part, -1}, {m->b.part, -1}};
  if (!find_spot(&found, m, &what) || !ff_flat_covers(face, found.at, 1e-9 * m->size)) {
    return -INFINITY;
  }
  put(m, found.touch, slot);
  return found.touch.depth;
}

/* Where two are nearest. */
static ff_touch one_touch(const ff_distance *near) {
  return (ff_touch){.point = v3_scale(0.5, v3_add(near->on_a, near->on_b)),
                    .normal = near->normal,
                    .depth = -near->gap,
                    .spot.kind = FF_SPOT_NEAREST};
}

/* Between the ends of blunt lines there is where they cross, unless that is anywhere. */
static double put_between(meeting *m) {
  spot found;
  ff_spot what = {FF_SPOT_CROSSING, {m->a.part, 0}, {m->b.part, 0}};
  if (!(m->blunt > 0 && m->a.count == 2 && m->b.count == 2 && m->limit > 2) ||
      !find_spot(&found, m, &what)) {
    return -INFINITY;
  }
  put(m, found.touch, 2);
  return found.touch.depth;
}

/* All that touch, the deepest first, under any names. False if none does. */
static bool put_touching(meeting *m, const spots *found) {
  bool taken[SPOTS] = {false};
  for (int slot = 0; slot < m->limit; slot++) {
    int best = -1;
    for (int k = 0; k < found->count; k++) {
      double depth = found->list[k].touch.depth;
      bool deeper = depth > (best < 0 ? -m->round : found->list[best].touch.depth);
      best = !taken[k] && deeper ? k : best;
    }
    if (best < 0) {
      break;
    }
    taken[best] = true;
    put(m, found->list[best].touch, slot);
  }
  return m->count > 0;
}

/* For each named corner the spot that is farthest out its way. False if there is none. Of faces of
 * intersections all count that touch: where no corner does, nobody could name the edge that does.
 */
static bool put_spots(meeting *m) {
  spots found;
  find_spots(&found, m);
  if (m->lasting && !m->edged && put_touching(m, &found)) {
    return true;
  }
  const ff_flat *names = naming(m);
  int chosen[FF_FLAT_MAX];
  double deepest = -INFINITY;
  for (int i = 0; i < names->count && found.count > 0; i++) {
    chosen[i] = farthest(m, &found, names, i);
  }
  for (int i = 0; i < names->count && found.count > 0; i++) {
    if (names->slot[i] >= 0 && !is_lent(m, &found, names, chosen, i)) {
      const ff_touch *touch = &found.list[chosen[i]].touch;
      put(m, *touch, names->slot[i]);
      deepest = fmax(deepest, touch->depth);
    }
  }
  deepest = fmax(deepest, fmax(put_dome(m, names, true), put_dome(m, names, false)));
  deepest = fmax(deepest, put_between(m));
  /* If none of them touches but the bodies do, the deepest point is one that nobody named. */
  if (m->count == 0 || (deepest < -m->round && m->near.gap < m->round - 1e-9 * m->size)) {
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
  ff_touch touch;
  if (!m->edged || !ff_spot_nearest(a, pose_a, b, pose_b, &m->near, &touch)) {
    touch = one_touch(&m->near);
    curvature_of(&m->near, a, pose_a, b, pose_b, touch.curvature);
  }
  put(m, touch, m->limit == 1 ? 0 : slot_of(m, touch.point));
}

/* A name that nobody has, or that of the shallowest, which loses it. */
static int spare_slot(meeting *m) {
  bool used[FF_TOUCH_MAX] = {false};
  int slot = 0, shallowest = 0;
  for (int i = 0; i < m->count; i++) {
    used[m->out[i].feature] = true;
    shallowest = m->out[i].depth < m->out[shallowest].depth ? i : shallowest;
  }
  while (slot < m->limit && used[slot]) {
    slot++;
  }
  if (slot == m->limit) {
    slot = m->out[shallowest].feature;
    m->out[shallowest] = m->out[--m->count];
  }
  return slot;
}

/* Spots of blunt parts may touch, or be about to, while the two are nearest elsewhere: they would
 * sink in unseen there. */
static void put_unseen(meeting *m, const ff_geom *a, const ff_pose *pose_a, const ff_geom *b,
                       const ff_pose *pose_b) {
  double deepest = -INFINITY, unseen = m->edged ? UNSEEN_PART : UNSEEN;
  for (int i = 0; i < m->count; i++) {
    deepest = fmax(deepest, m->out[i].depth);
  }
  bool touches = deepest > -m->round;
  double least = touches || !m->edged ? unseen * m->round : 2 * m->blunt;
  ff_touch touch = one_touch(&m->near);
  if (m->blunt > 0 && -m->near.gap - deepest > least &&
      (!m->edged || ff_spot_nearest(a, pose_a, b, pose_b, &m->near, &touch))) {
    put(m, touch, spare_slot(m));
  }
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
  return a == FF_CAPSULE && b == FF_CAPSULE ? 3 : 8; /* ends, and where blunt ones cross */
}

/* In order of name, without points that are out of reach. With no limit to the reach every name
 * gets a point: those that are not there now are far away. */
static int finish(meeting *m) {
  ff_touch all[FF_TOUCH_MAX];
  bool there[FF_TOUCH_MAX] = {false};
  ff_touch any = m->out[0];
  for (int i = 0; i < m->count; i++) {
    int slot = m->out[i].feature;
    all[slot] = m->out[i];
    there[slot] = true;
  }
  int count = 0;
  for (int slot = 0; slot < m->limit; slot++) {
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

/* Is a box b nearest to a with the middle of a face? Then that is so whatever else a has: its
 * farthest point towards the face is over it. */
static bool near_face(ff_distance *out, const ff_geom *a, const ff_pose *pose_a, const ff_geom *b,
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
      *out = (ff_distance){n, gap, at, v3_axpy(at, -gap, n), .settled = true};
      return true;
    }
  }
  return false;
}

static void find_near(meeting *m, const ff_geom *a, const ff_pose *pose_a, const ff_geom *b,
                      const ff_pose *pose_b, double beyond) {
  if (!(m->blunt > 0 && near_face(&m->near, a, pose_a, b, pose_b))) {
    ff_distance_query(&m->near, a, pose_a, b, pose_b, beyond);
  }
}

/* Corners of blunt round faces do not wander over the body. */
static void find_part(ff_flat *out, const ff_geom *geom, const ff_pose *pose, ff_vec3 direction,
                      bool blunt) {
  if (blunt) {
    ff_flat_take(out, geom, pose, ff_flat_facing(geom, pose, direction));
  } else {
    ff_flat_find(out, geom, pose, direction);
  }
}

/* A line that is not over the face of the other but beside it may lie along an edge of that. */
static void find_edge(ff_flat *flat, const ff_geom *geom, const ff_pose *pose, const ff_flat *line,
                      ff_vec3 direction) {
  bool beside = geom->kind != FF_INTERSECTION && line->count == 2 && flat->count > 2 &&
                flat->rim == 0 && v3_dot(flat->normal, direction) < 1 - 1e-12;
  if (beside) {
    ff_flat edge;
    ff_flat_take(&edge, geom, pose, ff_flat_facing_edge(geom, pose, direction));
    *flat = sine(&edge, line) < ASKEW ? edge : *flat;
  }
}

int ff_touch_blunt(const ff_geom *a, const ff_pose *pose_a, const ff_geom *b, const ff_pose *pose_b,
                   double blunt, double round, double margin, ff_touch *out) {
  meeting m = {.size = ff_geom_bound(a) + ff_geom_bound(b),
               .margin = margin,
               .blunt = blunt,
               .round = round,
               .lasting = blunt > 0,
               .edged = blunt > 0 && a->kind != FF_INTERSECTION && b->kind != FF_INTERSECTION,
               .limit = ff_touch_convex_limit(a->kind, b->kind),
               .out = out};
  if (v3_norm(v3_sub(pose_a->position, pose_b->position)) - m.size > margin) {
    return 0;
  }
  /* Beside the nearest, other points of a pair may be wanted as far as the margin reaches. */
  double blur =
      1e-3 * m.size; /* of a gap that is not settled: flat or straight parts tell it better */
  find_near(&m, a, pose_a, b, pose_b, margin + blur);
  if (m.near.gap >= margin + (m.near.settled ? 0 : blur)) {
    return 0;
  }
  ff_vec3 n = m.near.normal;
  if (m.limit > 1) {
    find_part(&m.a, a, pose_a, v3_neg(n), blunt > 0);
    find_part(&m.b, b, pose_b, n, blunt > 0);
  }
  if (m.limit > 1 && blunt > 0) {
    find_edge(&m.a, a, pose_a, &m.b, v3_neg(n));
    find_edge(&m.b, b, pose_b, &m.a, n);
  }
  if (m.limit == 1 || !lies_on(&m) || !put_spots(&m)) {
    put_one(&m, a, pose_a, b, pose_b);
  } else {
    put_unseen(&m, a, pose_a, b, pose_b);
  }
  return finish(&m);
}

int ff_touch_convex(const ff_geom *a, const ff_pose *pose_a, const ff_geom *b,
                    const ff_pose *pose_b, double margin, ff_touch *out) {
  return ff_touch_blunt(a, pose_a, b, pose_b, 0, 0, margin, out);
}

/* Is a place between two such sides over both of them? */
static bool is_over(const ff_flat *a, const ff_flat *b, const ff_spot *what, ff_vec3 at,
                    double slack) {
  bool of_a = what->kind == FF_SPOT_TIP_A || what->kind == FF_SPOT_END_A;
  const ff_flat *other = of_a ? b : a;
  if (what->kind == FF_SPOT_TIP_A || what->kind == FF_SPOT_TIP_B) {
    return ff_flat_covers(other, at, slack);
  }
  if (what->kind == FF_SPOT_END_A || what->kind == FF_SPOT_END_B) {
    double along = v3_dot(v3_sub(at, other->at[0]), other->normal);
    return along >= -slack && along <= v3_norm(v3_sub(other->at[1], other->at[0])) + slack;
  }
  return true;
}

bool ff_touch_blunt_look(const ff_geom *a, const ff_pose *pose_a, const ff_geom *b,
                         const ff_pose *pose_b, double blunt, ff_touch *touch, bool *over) {
  ff_touch fresh;
  *over = true;
  if (touch->spot.kind == FF_SPOT_NEAREST) {
    meeting m = {.blunt = blunt};
    find_near(&m, a, pose_a, b, pose_b, INFINITY);
    fresh = one_touch(&m.near);
    curvature_of(&m.near, a, pose_a, b, pose_b, fresh.curvature);
  } else if (touch->spot.kind == FF_SPOT_CORNER_A || touch->spot.kind == FF_SPOT_CORNER_B) {
    ff_spot_place_corner(a, pose_a, b, pose_b, &touch->spot, &fresh);
  } else {
    ff_flat part_a, part_b;
    ff_vec3 at;
    bool beside;
    ff_flat_take(&part_a, a, pose_a, touch->spot.a[0]);
    ff_flat_take(&part_b, b, pose_b, touch->spot.b[0]);
    if (!ff_spot_place(&part_a, &part_b, &touch->spot, blunt, touch->normal, &fresh, &at,
                       &beside)) {
      return false;
    }
    double slack = 1e-9 * (ff_geom_bound(a) + ff_geom_bound(b));
    *over = !beside && is_over(&part_a, &part_b, &touch->spot, at, slack);
  }
  fresh.feature = touch->feature;
  fresh.t1 = v3_orthogonal(fresh.normal);
  *touch = fresh;
  return true;
}

/* Where two are nearest, halfway between them but for this (m) along the normal. */
static bool nearest_slopes(const ff_distance *near, const ff_geom *a, const ff_pose *pose_a,
                           const ff_geom *b, const ff_pose *pose_b, const ff_touch *touch,
                           ff_touch_slopes *out) {
  ff_distance_rate rates[6];
  if (!ff_distance_rates(rates, near, a, pose_a, b, pose_b)) {
    return false;
  }
  double off = v3_dot(near->normal, v3_sub(touch->point, one_touch(near).point));
  for (int k = 0; k < 6; k++) {
    ff_vec3 n = rates[k].normal, p = v3_scale(0.5, v3_add(rates[k].on_a, rates[k].on_b));
    m3_set_column(&out->point[k / 3], k % 3, v3_axpy(p, off, n));
    m3_set_column(&out->normal[k / 3], k % 3, n);
  }
  return true;
}

bool ff_touch_blunt_slopes(const ff_geom *a, const ff_pose *pose_a, const ff_geom *b,
                           const ff_pose *pose_b, double blunt, const ff_touch *touch,
                           ff_touch_slopes *out) {
  if (touch->spot.kind == FF_SPOT_NEAREST) {
    meeting m = {.blunt = blunt};
    find_near(&m, a, pose_a, b, pose_b, INFINITY);
    return nearest_slopes(&m.near, a, pose_a, b, pose_b, touch, out);
  }
  if (touch->spot.kind == FF_SPOT_CORNER_A || touch->spot.kind == FF_SPOT_CORNER_B) {
    return ff_spot_corner_slopes(a, pose_a, b, pose_b, touch, out);
  }
  ff_flat part_a, part_b;
  ff_flat_take(&part_a, a, pose_a, touch->spot.a[0]);
  ff_flat_take(&part_b, b, pose_b, touch->spot.b[0]);
  return ff_spot_slopes(&part_a, &part_b, touch, blunt, pose_a->position, out);
}
