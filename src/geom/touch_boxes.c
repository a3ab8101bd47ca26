/* Two boxes with rounded edges: a core, smaller by the radius, and everything within the radius of
 * it. Flat on one another they are what sharp boxes are. Edge on edge a sharp box has as many
 * normals as faces meet there, and jumps from one to another; cores that are apart have one
 * direction in which they are nearest, and it moves continuously with them.
 *
 * Corners of what the two facing sides have in common, seen along that direction, are the points of
 * contact. Each is one of three, the nearest points being unique again:
 *   a corner of a over b    where b's core is nearest to it, on a face, an edge or a corner
 *   a corner of b over a    the same
 *   an edge across an edge  where they cross
 * Where one turns into another its depth is the same, so that depths are continuous functions of
 * the poses, and their rates are minus the normal velocity at the point. */
#include "geom/flat.h"
#include "geom/nearest_parts.h"
#include "geom/touch.h"

#define NEARLY 0.966 /* cosine of 15 degrees: such normals belong to the same contact */
#define SLACK  1e-9  /* of the size: places nearer than this are one */

enum { SPOTS = 26 };

typedef struct core {
  ff_vec3 at, axis[3];
  double half[3];
  double radius; /* of what is about it */
} core;

/* Where a spot is at the poses of now. */
typedef struct place {
  ff_vec3 on_a, on_b; /* m, of the cores */
  ff_vec3 normal;     /* unit, from b into a */
  double gap;         /* m, between the cores */
  bool beside;        /* the lines of two edges cross, but beside one of them */
} place;

typedef struct candidate {
  ff_spot spot;
  place at;
  double x, y; /* m, seen along the normal of the pair */
} candidate;

typedef struct meeting {
  core a, b;
  ff_flat face_a, face_b; /* of the cores */
  ff_vec3 n, t1, t2;
  double size;
  candidate list[SPOTS];
  int count;
} meeting;

/* ---- cores ------------------------------------------------------------------------------------
 */

static core core_of(const ff_geom *geom, const ff_pose *pose, double round) {
  ff_quat q = pose->orientation;
  double r = ff_geom_round(geom, round);
  return (core){.at = pose->position,
                .axis = {q_axis_x(q), q_axis_y(q), q_axis_z(q)},
                .half = {geom->size.x - r, geom->size.y - r, geom->size.z - r},
                .radius = r};
}

static ff_vec3 corner_of(const core *of, int corner) {
  ff_vec3 at = of->at;
  for (int i = 0; i < 3; i++) {
    at = v3_axpy(at, corner >> i & 1 ? of->half[i] : -of->half[i], of->axis[i]);
  }
  return at;
}

/* How far a point is from a core, where that is nearest and which way out. Inside, it came in by
 * this face (2 axis + up). */
static double nearest_on(const core *of, ff_vec3 point, int face, ff_vec3 *on, ff_vec3 *out) {
  ff_vec3 from = v3_sub(point, of->at), off = v3(0, 0, 0);
  for (int i = 0; i < 3; i++) {
    double x = v3_dot(from, of->axis[i]), beyond = fabs(x) - of->half[i];
    off = v3_axpy(off, beyond > 0 ? copysign(beyond, x) : 0, of->axis[i]);
  }
  double distance = v3_norm(off);
  if (distance > 0) {
    *out = v3_scale(1 / distance, off);
    *on = v3_sub(point, off);
    return distance;
  }
  *out = v3_scale(face % 2 ? 1 : -1, of->axis[face / 2]);
  distance = v3_dot(from, *out) - of->half[face / 2];
  *on = v3_axpy(point, -distance, *out);
  return distance;
}

/* ---- spots ------------------------------------------------------------------------------------
 */

static double within(double x, double limit) {
  return fmax(-limit, fmin(limit, x));
}

/* Edges that cross, or where they are nearest; false: they are parallel. */
static bool cross(const core *a, const core *b, const ff_spot *spot, place *out) {
  ff_vec3 u = a->axis[spot->axis_a], w = b->axis[spot->axis_b], n = v3_cross(u, w);
  double square = v3_dot(n, n), along = v3_dot(u, w);
  if (!(square > 1e-4)) {
    return false;
  }
  ff_vec3 p = v3_axpy(corner_of(a, spot->a), a->half[spot->axis_a], u);
  ff_vec3 q = v3_axpy(corner_of(b, spot->b), b->half[spot->axis_b], w);
  ff_vec3 apart = v3_sub(q, p);
  double s = v3_dot(v3_cross(apart, w), n) / square, t = v3_dot(v3_cross(apart, u), n) / square;
  double sense = v3_dot(n, v3_sub(a->at, b->at)) < 0 ? -1 : 1;
  double most_s = a->half[spot->axis_a], most_t = b->half[spot->axis_b];
  out->normal = v3_scale(sense / sqrt(square), n);
  out->gap = -v3_dot(out->normal, apart);
  out->beside = fabs(s) > most_s || fabs(t) > most_t;
  if (out->beside) {
    t = within(within(s, most_s) * along - v3_dot(apart, w), most_t);
    s = within(t * along + v3_dot(apart, u), most_s);
  }
  out->on_a = v3_axpy(p, s, u);
  out->on_b = v3_axpy(q, t, w);
  if (out->beside && out->gap > 0) {
    ff_vec3 off = v3_sub(out->on_a, out->on_b);
    out->gap = v3_norm(off);
    out->normal = v3_scale(1 / out->gap, off);
  }
  return true;
}

static bool find_place(const core *a, const core *b, const ff_spot *spot, place *out) {
  out->beside = false;
  switch (spot->kind) {
    case FF_SPOT_CORNER_A:
      out->on_a = corner_of(a, spot->a);
      out->gap = nearest_on(b, out->on_a, spot->b, &out->on_b, &out->normal);
      return true;
    case FF_SPOT_CORNER_B:
      out->on_b = corner_of(b, spot->b);
      out->gap = nearest_on(a, out->on_b, spot->a, &out->on_a, &out->normal);
      out->normal = v3_neg(out->normal);
      return true;
    case FF_SPOT_EDGES: return cross(a, b, spot, out);
    case FF_SPOT_NONE: break;
  }
  return false;
}

static ff_touch touch_of(const core *a, const core *b, const ff_spot *spot, const place *at) {
  double depth = a->radius + b->radius - at->gap;
  ff_vec3 on_b = v3_axpy(at->on_b, b->radius, at->normal);
  return (ff_touch){.point = v3_axpy(on_b, -0.5 * depth, at->normal),
                    .normal = at->normal,
                    .t1 = v3_orthogonal(at->normal),
                    .depth = depth,
                    .curvature = {INFINITY, INFINITY},
                    .spot = *spot};
}

void ff_touch_look(const ff_geom *a, const ff_pose *pose_a, const ff_geom *b, const ff_pose *pose_b,
                   double round, ff_touch *touch) {
  core of_a = core_of(a, pose_a, round), of_b = core_of(b, pose_b, round);
  int feature = touch->feature;
  place at;
  find_place(&of_a, &of_b, &touch->spot, &at);
  *touch = touch_of(&of_a, &of_b, &touch->spot, &at);
  touch->feature = feature;
}

/* ---- where the cores are nearest --------------------------------------------------------------
 */

/* The face of a core that faces a direction most. */
static int facing(const core *of, ff_vec3 direction) {
  int best = 0;
  double most = -INFINITY;
  for (int k = 0; k < 6; k++) {
    double along = (k % 2 ? 1 : -1) * v3_dot(of->axis[k / 2], direction);
    if (along > most) {
      most = along;
      best = k;
    }
  }
  return best;
}

/* The corner that is farthest along a direction, with this axis' bit cleared. */
static int farthest_corner(const core *of, ff_vec3 direction, int axis) {
  int corner = 0;
  for (int i = 0; i < 3; i++) {
    corner |= (i != axis && v3_dot(of->axis[i], direction) > 0) << i;
  }
  return corner;
}

/* Edges along axis i of a and j of b: those that are farthest towards the other. */
static ff_spot edges_across(const meeting *m, int i, int j) {
  ff_vec3 n = v3_cross(m->a.axis[i], m->b.axis[j]);
  n = v3_dot(n, v3_sub(m->a.at, m->b.at)) < 0 ? v3_neg(n) : n;
  return (ff_spot){FF_SPOT_EDGES, farthest_corner(&m->a, v3_neg(n), i),
                   farthest_corner(&m->b, n, j), i, j};
}

static void keep_nearer(candidate *best, const meeting *m, ff_spot spot) {
  place at;
  if (find_place(&m->a, &m->b, &spot, &at) && !at.beside && at.gap > 0 && at.gap < best->at.gap) {
    *best = (candidate){.spot = spot, .at = at};
  }
}

/* Of cores that are apart. */
static candidate nearest_spot(const meeting *m) {
  candidate best = {.at = {.gap = INFINITY}};
  for (int corner = 0; corner < 8; corner++) {
    keep_nearer(&best, m, (ff_spot){FF_SPOT_CORNER_A, corner, 0, 0, 0});
    keep_nearer(&best, m, (ff_spot){FF_SPOT_CORNER_B, 0, corner, 0, 0});
  }
  for (int k = 0; k < 9; k++) {
    keep_nearer(&best, m, edges_across(m, k / 3, k % 3));
  }
  return best;
}

/* ---- corners of what the facing sides have in common -------------------------------------------
 */

/* Is a direction between the normals of the two faces that meet at an edge? */
static bool leaves(const core *of, int corner, int axis, ff_vec3 direction) {
  bool out = true;
  for (int i = 0; i < 3; i++) {
    double along = v3_dot(of->axis[i], direction);
    out = out && (i == axis || (corner >> i & 1 ? along : -along) >= 0);
  }
  return out;
}

/* Does a spot belong to the contact? Edges whose normal is another may be on far sides that do not
 * face one another at all. */
static bool belongs(const meeting *m, const ff_spot *spot, const place *at) {
  double along = v3_dot(at->normal, m->n);
  if (spot->kind != FF_SPOT_EDGES || along > NEARLY) {
    return along > 0 && at->gap > 0;
  }
  return along > 0 && at->gap > 0 && leaves(&m->a, spot->a, spot->axis_a, v3_neg(at->normal)) &&
         leaves(&m->b, spot->b, spot->axis_b, at->normal);
}

static void add(meeting *m, ff_spot spot) {
  candidate *to = &m->list[m->count];
  if (m->count < SPOTS && find_place(&m->a, &m->b, &spot, &to->at) && belongs(m, &spot, &to->at)) {
    ff_vec3 at = spot.kind == FF_SPOT_CORNER_A ? to->at.on_a : to->at.on_b;
    to->spot = spot;
    to->x = v3_dot(m->t1, at);
    to->y = v3_dot(m->t2, at);
    m->count++;
  }
}

/* The corners of a face, seen along the normal. */
static void seen(const meeting *m, const ff_flat *face, double x[4], double y[4]) {
  for (int i = 0; i < 4; i++) {
    x[i] = v3_dot(m->t1, face->at[i]);
    y[i] = v3_dot(m->t2, face->at[i]);
  }
}

/* Is the point within what is seen of a face? */
static bool covers(const double x[4], const double y[4], double px, double py, double slack) {
  double turn = 0; /* a's face is seen from behind */
  for (int i = 1; i < 3; i++) {
    turn += (x[i] - x[0]) * (y[i + 1] - y[0]) - (x[i + 1] - x[0]) * (y[i] - y[0]);
  }
  for (int i = 0; i < 4; i++) {
    int k = (i + 1) % 4;
    double ex = x[k] - x[i], ey = y[k] - y[i];
    double in = copysign(1, turn) * (ex * (py - y[i]) - ey * (px - x[i]));
    if (in < -slack * sqrt(ex * ex + ey * ey)) {
      return false;
    }
  }
  return true;
}

/* Do the sides that begin at corners i and k cross? */
static bool crosses(const double xa[4], const double ya[4], int i, const double xb[4],
                    const double yb[4], int k, double slack) {
  double ux = xa[(i + 1) % 4] - xa[i], uy = ya[(i + 1) % 4] - ya[i];
  double wx = xb[(k + 1) % 4] - xb[k], wy = yb[(k + 1) % 4] - yb[k];
  double dx = xb[k] - xa[i], dy = yb[k] - ya[i], det = ux * wy - uy * wx;
  double u = sqrt(ux * ux + uy * uy), w = sqrt(wx * wx + wy * wy);
  if (!(fabs(det) > 1e-2 * u * w)) {
    return false; /* corners say it all */
  }
  double s = (dx * wy - dy * wx) / det, t = (dx * uy - dy * ux) / det;
  return fabs(s - 0.5) <= 0.5 + slack / u && fabs(t - 0.5) <= 0.5 + slack / w;
}

/* The spot of edge i of a's face and edge k of b's. */
static ff_spot edges_of(const meeting *m, int i, int k) {
  int a[2] = {m->face_a.slot[i], m->face_a.slot[(i + 1) % 4]};
  int b[2] = {m->face_b.slot[k], m->face_b.slot[(k + 1) % 4]};
  int bit_a = a[0] ^ a[1], bit_b = b[0] ^ b[1];
  return (ff_spot){FF_SPOT_EDGES, a[0] & ~bit_a, b[0] & ~bit_b, bit_a / 2, bit_b / 2};
}

static void find_spots(meeting *m) {
  double xa[4], ya[4], xb[4], yb[4], slack = SLACK * m->size, rim = m->a.radius + m->b.radius;
  int of_a = facing(&m->a, v3_neg(m->n)), of_b = facing(&m->b, m->n);
  seen(m, &m->face_a, xa, ya);
  seen(m, &m->face_b, xb, yb);
  for (int i = 0; i < 4; i++) {
    if (covers(xb, yb, xa[i], ya[i], rim)) {
      add(m, (ff_spot){FF_SPOT_CORNER_A, m->face_a.slot[i], of_b, 0, 0});
    }
  }
  for (int i = 0; i < 4; i++) {
    if (covers(xa, ya, xb[i], yb[i], rim)) {
      add(m, (ff_spot){FF_SPOT_CORNER_B, of_a, m->face_b.slot[i], 0, 0});
    }
  }
  for (int i = 0; i < 16; i++) {
    if (crosses(xa, ya, i / 4, xb, yb, i % 4, slack)) {
      add(m, edges_of(m, i / 4, i % 4));
    }
  }
}

/* ---- who gets which ------------------------------------------------------------------------ */

/* The face whose corners name the points, the smaller one, as it is seen. */
typedef struct names {
  const ff_flat *face;
  double x[4], y[4];         /* m, its corners */
  double out_x[4], out_y[4]; /* outward from them, not in the very middle between its two edges:
                                corners that are cut off evenly would be as good as one another */
} names;

static names name(const meeting *m) {
  bool b = ff_flat_area(&m->face_b) < 0.999 * ff_flat_area(&m->face_a);
  names out = {.face = b ? &m->face_b : &m->face_a};
  seen(m, out.face, out.x, out.y);
  double sign = b ? 1 : -1, nx[4], ny[4]; /* a's is seen from behind */
  for (int i = 0; i < 4; i++) {
    int k = (i + 1) % 4;
    double ex = out.x[k] - out.x[i], ey = out.y[k] - out.y[i];
    double length = sqrt(ex * ex + ey * ey);
    nx[i] = sign * ey / length;
    ny[i] = -sign * ex / length;
  }
  for (int i = 0; i < 4; i++) {
    int before = (i + 3) % 4;
    out.out_x[i] = 0.45 * nx[before] + 0.55 * nx[i];
    out.out_y[i] = 0.45 * ny[before] + 0.55 * ny[i];
  }
  return out;
}

static double outward(const names *of, int i, const candidate *spot) {
  return of->out_x[i] * (spot->x - of->x[i]) + of->out_y[i] * (spot->y - of->y[i]);
}

static double between(double x, double y) {
  return sqrt(x * x + y * y);
}

/* Is a name's spot another's, whose corner is nearer to it? */
static bool is_lent(const meeting *m, const names *of, const int chosen[4], int i) {
  const candidate *mine = &m->list[chosen[i]];
  double slack = SLACK * m->size, way = between(of->x[i] - mine->x, of->y[i] - mine->y);
  for (int k = 0; k < 4; k++) {
    const candidate *other = &m->list[chosen[k]];
    double its = between(of->x[k] - mine->x, of->y[k] - mine->y) + (k < i ? -slack : slack);
    if (k != i && between(other->x - mine->x, other->y - mine->y) <= slack && its < way) {
      return true;
    }
  }
  return false;
}

/* Of the spots within the radius of one the nearest to touching: where one gives way to another
 * they then are as deep. */
static int deepest_beside(const meeting *m, int spot) {
  int best = spot;
  for (int k = 0; k < m->count; k++) {
    double apart = between(m->list[k].x - m->list[spot].x, m->list[k].y - m->list[spot].y);
    double deeper = m->list[best].at.gap - m->list[k].at.gap;
    best = apart <= m->a.radius + m->b.radius && deeper > SLACK * m->size ? k : best;
  }
  return best;
}

/* For each name the spot that is farthest out its way. If none of them touches but the bodies do,
 * the name that is nearest to where they do gets that. */
static void choose(const meeting *m, const names *of, int nearest, int chosen[4]) {
  double radii = m->a.radius + m->b.radius;
  bool touches = m->list[nearest].at.gap >= radii;
  int next = 0;
  for (int i = 0; i < 4; i++) {
    chosen[i] = 0;
    for (int k = 1; k < m->count; k++) {
      double more = outward(of, i, &m->list[k]) - outward(of, i, &m->list[chosen[i]]);
      chosen[i] = more > SLACK * m->size ? k : chosen[i];
    }
    chosen[i] = deepest_beside(m, chosen[i]);
    touches = touches || m->list[chosen[i]].at.gap < radii;
    next = outward(of, i, &m->list[nearest]) > outward(of, next, &m->list[nearest]) ? i : next;
  }
  if (!touches) {
    chosen[next] = nearest;
  }
}

/* In order of name, without points that are out of reach. With no limit to the reach every name
 * gets a point: those that are not there now are far away. */
static int put(const meeting *m, int nearest, double margin, ff_touch *out) {
  names of = name(m);
  int chosen[4], holder[8], count = 0;
  choose(m, &of, nearest, chosen);
  for (int slot = 0; slot < 8; slot++) {
    holder[slot] = -1;
  }
  for (int i = 0; i < 4; i++) {
    holder[of.face->slot[i]] = is_lent(m, &of, chosen, i) ? -1 : chosen[i];
  }
  for (int slot = 0; slot < 8; slot++) {
    const candidate *from = &m->list[holder[slot] >= 0 ? holder[slot] : nearest];
    ff_touch touch = touch_of(&m->a, &m->b, &from->spot, &from->at);
    touch.feature = slot;
    touch.depth -= holder[slot] >= 0 ? 0 : 4 * m->size;
    if (isinf(margin) || touch.depth > -margin) {
      out[count++] = touch;
    }
  }
  return count;
}

/* ---- all of it ----------------------------------------------------------------------------- */

/* The place of the nearest spot among the spots. */
static int include(meeting *m, const candidate *nearest) {
  m->n = nearest->at.normal;
  m->t1 = v3_orthogonal(m->n);
  m->t2 = v3_cross(m->n, m->t1);
  find_spots(m);
  for (int k = 0; k < m->count; k++) {
    const ff_spot *s = &m->list[k].spot, *t = &nearest->spot;
    bool a = s->a == t->a || s->kind == FF_SPOT_CORNER_B;
    bool b = s->b == t->b || s->kind == FF_SPOT_CORNER_A;
    if (s->kind == t->kind && a && b && s->axis_a == t->axis_a && s->axis_b == t->axis_b) {
      return k;
    }
  }
  m->count -= m->count == SPOTS;
  add(m, nearest->spot);
  return m->count - 1;
}

int ff_touch_boxes(const ff_geom *a, const ff_pose *pose_a, const ff_geom *b, const ff_pose *pose_b,
                   double round, double margin, ff_touch *out) {
  meeting m = {.a = core_of(a, pose_a, round),
               .b = core_of(b, pose_b, round),
               .size = ff_geom_bound(a) + ff_geom_bound(b)};
  ff_vec3 apart = v3_sub(pose_a->position, pose_b->position);
  double reach = m.a.radius + m.b.radius + margin;
  if (v3_norm(apart) - m.size > margin) {
    return 0;
  }
  ff_geom core_a, core_b;
  ff_geom_shrink(&core_a, a, m.a.radius);
  ff_geom_shrink(&core_b, b, m.b.radius);
  ff_rough rough;
  ff_nearest_boxes(&rough, &(ff_two){.a = &core_a,
                                     .b = &core_b,
                                     .q_a = pose_a->orientation,
                                     .q_b = pose_b->orientation,
                                     .apart = apart,
                                     .size = m.size});
  if (rough.gap >= reach) {
    return 0;
  }
  if (rough.gap <= 0) { /* cores that overlap are as good as sharp */
    return ff_touch_convex(a, pose_a, b, pose_b, margin, out);
  }
  candidate nearest = nearest_spot(&m);
  if (nearest.at.gap >= reach) {
    return 0;
  }
  ff_flat_find(&m.face_a, &core_a, pose_a, v3_neg(nearest.at.normal));
  ff_flat_find(&m.face_b, &core_b, pose_b, nearest.at.normal);
  return put(&m, include(&m, &nearest), margin, out);
}
