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
#include "geom/flat.h"
#include "geom/hull.h"
#include "geom/nearest_parts.h"
#include "geom/touch.h"

#define NEARLY 0.966 /* cosine of 15 degrees: such normals belong to the same contact */
#define SLACK  1e-9  /* of the size: places nearer than this are one */
#define TWINS  0.1   /* of the radii: spots nearer than this never touch both */
#define LEVEL  1e-6  /* of the size: what may be nearest is not farther than this from a plane */

enum { SPOTS = 4 * FF_FLAT_MAX + 1, LEVEL_EDGES = 32 };

typedef struct core {
  ff_geom geom;
  ff_vec3 at, axis[3];
  double half[3]; /* of a box */
  double radius;  /* of what is about it */
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

static void core_of(core *out, const ff_geom *geom, const ff_pose *pose, double round) {
  ff_quat q = pose->orientation;
  out->radius = ff_geom_round(geom, round);
  out->at = pose->position;
  out->axis[0] = q_axis_x(q);
  out->axis[1] = q_axis_y(q);
  out->axis[2] = q_axis_z(q);
  ff_geom_shrink(&out->geom, geom, out->radius);
  v3_store(out->half, out->geom.size);
}

static ff_vec3 to_world(const core *of, ff_vec3 v) {
  return v3_axpy(v3_axpy(v3_scale(v.x, of->axis[0]), v.y, of->axis[1]), v.z, of->axis[2]);
}

static ff_vec3 to_local(const core *of, ff_vec3 v) {
  return v3(v3_dot(v, of->axis[0]), v3_dot(v, of->axis[1]), v3_dot(v, of->axis[2]));
}

static ff_vec3 corner_of(const core *of, int corner) {
  if (of->geom.kind == FF_POLYHEDRON) {
    return v3_add(of->at, to_world(of, of->geom.hull->vertices[corner]));
  }
  ff_vec3 at = of->at;
  for (int i = 0; i < 3; i++) {
    at = v3_axpy(at, corner >> i & 1 ? of->half[i] : -of->half[i], of->axis[i]);
  }
  return at;
}

/* How far a point is from a core, where that is nearest and which way out. Inside, it came in by
 * this face. */
static double nearest_on(const core *of, ff_vec3 point, int face, ff_vec3 *on, ff_vec3 *out) {
  double distance = ff_geom_from(&of->geom, to_local(of, v3_sub(point, of->at)), face, out);
  *out = to_world(of, *out);
  *on = v3_axpy(point, -distance, *out);
  return distance;
}

/* ---- spots ------------------------------------------------------------------------------------
 */

static double within(double x, double limit) {
  return fmax(-limit, fmin(limit, x));
}

/* An edge: its middle, direction and half its length. */
typedef struct edge {
  ff_vec3 at, along;
  double half;
} edge;

static edge edge_of(const core *of, const int ends[2]) {
  ff_vec3 p = corner_of(of, ends[0]), way = v3_sub(corner_of(of, ends[1]), p);
  double length = v3_norm(way);
  return (edge){v3_axpy(p, 0.5, way), v3_scale(1 / length, way), 0.5 * length};
}

/* Edges that cross, or where they are nearest; false: they are parallel. */
static bool cross(const core *a, const core *b, const ff_spot *spot, place *out) {
  edge of_a = edge_of(a, spot->a), of_b = edge_of(b, spot->b);
  ff_vec3 u = of_a.along, w = of_b.along, n = v3_cross(u, w);
  double square = v3_dot(n, n), along = v3_dot(u, w);
  if (!(square > 1e-4)) {
    return false;
  }
  ff_vec3 apart = v3_sub(of_b.at, of_a.at);
  double s = v3_dot(v3_cross(apart, w), n) / square, t = v3_dot(v3_cross(apart, u), n) / square;
  /* the insides of both are on their sides of the edges */
  double side = v3_dot(n, v3_add(v3_sub(a->at, b->at), apart));
  out->normal = v3_scale((side < 0 ? -1 : 1) / sqrt(square), n);
  out->gap = -v3_dot(out->normal, apart);
  out->beside = fabs(s) > of_a.half || fabs(t) > of_b.half;
  if (out->beside) {
    t = within(within(s, of_a.half) * along - v3_dot(apart, w), of_b.half);
    s = within(t * along + v3_dot(apart, u), of_a.half);
  }
  out->on_a = v3_axpy(of_a.at, s, u);
  out->on_b = v3_axpy(of_b.at, t, w);
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
      out->on_a = corner_of(a, spot->a[0]);
      out->gap = nearest_on(b, out->on_a, spot->b[0], &out->on_b, &out->normal);
      return true;
    case FF_SPOT_CORNER_B:
      out->on_b = corner_of(b, spot->b[0]);
      out->gap = nearest_on(a, out->on_b, spot->a[0], &out->on_a, &out->normal);
      out->normal = v3_neg(out->normal);
      return true;
    case FF_SPOT_EDGES: return cross(a, b, spot, out);
    default: return false;
  }
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

void ff_touch_hulls_look(const ff_geom *a, const ff_pose *pose_a, const ff_geom *b,
                         const ff_pose *pose_b, double round, ff_touch *touch) {
  core of_a, of_b;
  core_of(&of_a, a, pose_a, round);
  core_of(&of_b, b, pose_b, round);
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
  bool hull = of->geom.kind == FF_POLYHEDRON;
  ff_vec3 d = to_local(of, direction);
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

static void keep_nearer(candidate *best, const meeting *m, ff_spot spot) {
  place at;
  if (find_place(&m->a, &m->b, &spot, &at) && !at.beside && at.gap > 0 && at.gap < best->at.gap) {
    *best = (candidate){.spot = spot, .at = at};
  }
}

/* The ends of the edge of a box along an axis that is farthest along a direction. */
static void farthest_edge(const core *of, ff_vec3 direction, int axis, int ends[2]) {
  ends[0] = 0;
  for (int i = 0; i < 3; i++) {
    ends[0] |= (i != axis && v3_dot(of->axis[i], direction) > 0) << i;
  }
  ends[1] = ends[0] | 1 << axis;
}

/* Of boxes that are apart: of all corners, and of edges along axis i of a and j of b those that are
 * farthest towards the other. */
static candidate nearest_of_boxes(const meeting *m) {
  candidate best = {.at = {.gap = INFINITY}};
  for (int corner = 0; corner < 8; corner++) {
    keep_nearer(&best, m, (ff_spot){FF_SPOT_CORNER_A, {corner}, {0}});
    keep_nearer(&best, m, (ff_spot){FF_SPOT_CORNER_B, {0}, {corner}});
  }
  for (int k = 0; k < 9; k++) {
    int i = k / 3, j = k % 3;
    ff_vec3 n = v3_cross(m->a.axis[i], m->b.axis[j]);
    n = v3_dot(n, v3_sub(m->a.at, m->b.at)) < 0 ? v3_neg(n) : n;
    ff_spot spot = {.kind = FF_SPOT_EDGES};
    farthest_edge(&m->a, v3_neg(n), i, spot.a);
    farthest_edge(&m->b, n, j, spot.b);
    keep_nearer(&best, m, spot);
  }
  return best;
}

/* Corners and edges of a core that are farthest along a direction, to within a little. */
typedef struct level {
  int corners[LEVEL_EDGES], corner_count;
  int edges[LEVEL_EDGES][2], edge_count;
} level;

static void add_level_edge(level *to, int p, int q) {
  if (to->edge_count < LEVEL_EDGES) {
    to->edges[to->edge_count][0] = p;
    to->edges[to->edge_count++][1] = q;
  }
}

static void find_level(level *to, const core *of, ff_vec3 direction, double slack) {
  bool is_hull = of->geom.kind == FF_POLYHEDRON;
  const ff_hull *hull = of->geom.hull;
  ff_vec3 d = to_local(of, direction);
  double low = v3_dot(d, ff_geom_support(&of->geom, d)) - slack;
  to->corner_count = to->edge_count = 0;
  for (int v = 0; v < (is_hull ? hull->vertex_count : 8); v++) {
    ff_vec3 at = is_hull
                     ? hull->vertices[v]
                     : v3(v & 1 ? of->half[0] : -of->half[0], v & 2 ? of->half[1] : -of->half[1],
                          v & 4 ? of->half[2] : -of->half[2]);
    if (v3_dot(d, at) >= low && to->corner_count < LEVEL_EDGES) {
      to->corners[to->corner_count++] = v;
    }
  }
  for (int e = 0; is_hull && to->corner_count > 1 && e < hull->edge_count; e++) {
    const int *ends = hull->edges[e].vertex;
    if (v3_dot(d, hull->vertices[ends[0]]) >= low && v3_dot(d, hull->vertices[ends[1]]) >= low) {
      add_level_edge(to, ends[0], ends[1]);
    }
  }
  for (int i = 0; !is_hull && i < to->corner_count; i++) {
    for (int k = 0; k < i; k++) {
      int p = to->corners[k], q = to->corners[i], bit = p ^ q;
      if ((bit & (bit - 1)) == 0) {
        add_level_edge(to, p, q);
      }
    }
  }
}

/* Of cores that are apart, with the direction in which they are nearest known. */
static candidate nearest_of_hulls(const meeting *m, ff_vec3 n) {
  candidate best = {.at = {.gap = INFINITY}};
  level a, b;
  find_level(&a, &m->a, v3_neg(n), LEVEL * m->size);
  find_level(&b, &m->b, n, LEVEL * m->size);
  int face_a = facing(&m->a, v3_neg(n)), face_b = facing(&m->b, n);
  for (int i = 0; i < a.corner_count; i++) {
    keep_nearer(&best, m, (ff_spot){FF_SPOT_CORNER_A, {a.corners[i]}, {face_b}});
  }
  for (int k = 0; k < b.corner_count; k++) {
    keep_nearer(&best, m, (ff_spot){FF_SPOT_CORNER_B, {face_a}, {b.corners[k]}});
  }
  for (int i = 0; i < a.edge_count; i++) {
    for (int k = 0; k < b.edge_count; k++) {
      ff_spot spot = {
          FF_SPOT_EDGES, {a.edges[i][0], a.edges[i][1]}, {b.edges[k][0], b.edges[k][1]}};
      keep_nearer(&best, m, spot);
    }
  }
  return best;
}

/* ---- corners of what the facing sides have in common -------------------------------------------
 */

/* Is nothing of a core farther along a direction than an edge of it? */
static bool leaves(const core *of, const int ends[2], ff_vec3 direction, double slack) {
  ff_vec3 d = to_local(of, direction), from = v3_sub(corner_of(of, ends[0]), of->at);
  return v3_dot(d, ff_geom_support(&of->geom, d)) <= v3_dot(direction, from) + slack;
}

/* Does a spot belong to the contact? Edges whose normal is another may be on far sides that do not
 * face one another at all. */
static bool belongs(const meeting *m, const ff_spot *spot, const place *at) {
  double along = v3_dot(at->normal, m->n);
  if (spot->kind != FF_SPOT_EDGES || along > NEARLY) {
    return along > 0 && at->gap > 0;
  }
  return along > 0 && at->gap > 0 && leaves(&m->a, spot->a, v3_neg(at->normal), SLACK * m->size) &&
         leaves(&m->b, spot->b, at->normal, SLACK * m->size);
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
typedef struct view {
  int count;
  double x[FF_FLAT_MAX], y[FF_FLAT_MAX];
} view;

static void see(view *out, const meeting *m, const ff_flat *face) {
  out->count = face->count;
  for (int i = 0; i < face->count; i++) {
    out->x[i] = v3_dot(m->t1, face->at[i]);
    out->y[i] = v3_dot(m->t2, face->at[i]);
  }
}

/* Is the point within what is seen of a face? */
static bool covers(const view *of, double px, double py, double slack) {
  const double *x = of->x, *y = of->y;
  double turn = 0; /* a's face is seen from behind */
  for (int i = 1; i + 1 < of->count; i++) {
    turn += (x[i] - x[0]) * (y[i + 1] - y[0]) - (x[i + 1] - x[0]) * (y[i] - y[0]);
  }
  for (int i = 0; i < of->count; i++) {
    int k = i + 1 < of->count ? i + 1 : 0;
    double ex = x[k] - x[i], ey = y[k] - y[i];
    double in = copysign(1, turn) * (ex * (py - y[i]) - ey * (px - x[i]));
    if (in < -slack * sqrt(ex * ex + ey * ey)) {
      return false;
    }
  }
  return true;
}

/* Do the sides that begin at corners i and k cross? */
static bool crosses(const view *a, int i, const view *b, int k, double slack) {
  int i1 = i + 1 < a->count ? i + 1 : 0, k1 = k + 1 < b->count ? k + 1 : 0;
  double ux = a->x[i1] - a->x[i], uy = a->y[i1] - a->y[i];
  double wx = b->x[k1] - b->x[k], wy = b->y[k1] - b->y[k];
  double dx = b->x[k] - a->x[i], dy = b->y[k] - a->y[i], det = ux * wy - uy * wx;
  double u = sqrt(ux * ux + uy * uy), w = sqrt(wx * wx + wy * wy);
  if (!(fabs(det) > 1e-2 * u * w)) {
    return false; /* corners say it all */
  }
  double s = (dx * wy - dy * wx) / det, t = (dx * uy - dy * ux) / det;
  return fabs(s - 0.5) <= 0.5 + slack / u && fabs(t - 0.5) <= 0.5 + slack / w;
}

static double between(double x, double y) {
  return sqrt(x * x + y * y);
}

/* Corners of one face that the other covers. Those that are beside it by less than both radii
 * count as long as nothing else is there that is: where edges cross, or another corner. */
static void add_corners(meeting *m, const view *of, const view *over, const int *ids, int face,
                        bool is_a, bool beside) {
  double slack = SLACK * m->size, rim = m->a.radius + m->b.radius;
  int known = m->count;
  for (int i = 0; i < of->count; i++) {
    bool wanted = covers(over, of->x[i], of->y[i], slack) != beside;
    wanted = wanted && (!beside || covers(over, of->x[i], of->y[i], rim));
    for (int k = 0; wanted && beside && k < known; k++) {
      wanted = between(m->list[k].x - of->x[i], m->list[k].y - of->y[i]) > rim;
    }
    if (wanted) {
      add(m, is_a ? (ff_spot){FF_SPOT_CORNER_A, {ids[i]}, {face}}
                  : (ff_spot){FF_SPOT_CORNER_B, {face}, {ids[i]}});
    }
  }
}

static void find_spots(meeting *m) {
  int of_a = facing(&m->a, v3_neg(m->n)), of_b = facing(&m->b, m->n);
  const int *ids_a = m->face_a.corner, *ids_b = m->face_b.corner;
  view a, b;
  see(&a, m, &m->face_a);
  see(&b, m, &m->face_b);
  add_corners(m, &a, &b, ids_a, of_b, true, false);
  add_corners(m, &b, &a, ids_b, of_a, false, false);
  for (int i = 0; i < a.count; i++) {
    for (int k = 0; k < b.count; k++) {
      if (crosses(&a, i, &b, k, SLACK * m->size)) {
        add(m, (ff_spot){FF_SPOT_EDGES,
                         {ids_a[i], ids_a[(i + 1) % a.count]},
                         {ids_b[k], ids_b[(k + 1) % b.count]}});
      }
    }
  }
  add_corners(m, &a, &b, ids_a, of_b, true, true);
  add_corners(m, &b, &a, ids_b, of_a, false, true);
}

/* ---- who gets which ------------------------------------------------------------------------ */

/* A name of a point: a corner of the smaller face as it is seen, and a direction outwards from it.
 */
typedef struct name {
  int slot;
  double x, y, out_x, out_y;
} name;

/* A corner may be cut off by the other face, so that there are two where it was: it has two names,
 * each nearly across one of its edges, as long as there are enough of them. A corner that has one
 * only looks not in the very middle between its edges: where it is cut off evenly, the two would be
 * as good as one another. */
#define ASIDE  0.05
#define MIDDLE 0.45

static void unit_across(const view *of, int i, double sign, double *x, double *y) {
  int k = (i + 1) % of->count;
  double ex = of->x[k] - of->x[i], ey = of->y[k] - of->y[i], length = sqrt(ex * ex + ey * ey);
  *x = length > 0 ? sign * ey / length : 0;
  *y = length > 0 ? -sign * ex / length : 0;
}

static int find_names(const meeting *m, name out[FF_TOUCH_MAX]) {
  bool b = ff_flat_area(&m->face_b) < 0.999 * ff_flat_area(&m->face_a);
  const ff_flat *face = b ? &m->face_b : &m->face_a;
  double sign = b ? 1 : -1; /* a's is seen from behind */
  bool used[FF_TOUCH_MAX] = {false};
  view seen;
  see(&seen, m, face);
  for (int i = 0; i < seen.count; i++) {
    used[face->slot[i] < 0 ? 0 : face->slot[i]] |= face->slot[i] >= 0;
  }
  int count = 0;
  for (int i = 0, spare = 0; i < seen.count; i++) {
    if (face->slot[i] < 0) {
      continue;
    }
    while (spare < FF_TOUCH_MAX && used[spare]) {
      spare++;
    }
    double x, y, before_x, before_y, share = spare < FF_TOUCH_MAX ? ASIDE : MIDDLE;
    unit_across(&seen, (i + seen.count - 1) % seen.count, sign, &before_x, &before_y);
    unit_across(&seen, i, sign, &x, &y);
    out[count++] = (name){face->slot[i], seen.x[i], seen.y[i], share * before_x + (1 - share) * x,
                          share * before_y + (1 - share) * y};
    if (spare < FF_TOUCH_MAX) {
      out[count++] = (name){spare++, seen.x[i], seen.y[i], (1 - share) * before_x + share * x,
                            (1 - share) * before_y + share * y};
    }
  }
  return count;
}

static double outward(const name *of, const candidate *spot) {
  return of->out_x * (spot->x - of->x) + of->out_y * (spot->y - of->y);
}

/* Is a name's spot another's, whose corner is nearer to it, or whose turn is earlier? */
static bool is_lent(const meeting *m, const name *names, int count, const int *chosen, int i) {
  const candidate *mine = &m->list[chosen[i]];
  double slack = SLACK * m->size, way = between(names[i].x - mine->x, names[i].y - mine->y);
  for (int k = 0; k < count; k++) {
    const candidate *other = &m->list[chosen[k]];
    double its = between(names[k].x - mine->x, names[k].y - mine->y) + (k < i ? -slack : slack);
    if (k != i && between(other->x - mine->x, other->y - mine->y) <= slack && its < way) {
      return true;
    }
  }
  return false;
}

/* Of the spots within the radius of one the nearest to touching: where one gives way to another
 * they then are as deep. Corners of a core that were one in the body are one here, too, also when
 * they are as deep as each other. */
static int deepest_beside(const meeting *m, int spot) {
  double radii = m->a.radius + m->b.radius, slack = SLACK * m->size;
  int best = spot;
  for (int k = 0; k < m->count; k++) {
    double apart = between(m->list[k].x - m->list[spot].x, m->list[k].y - m->list[spot].y);
    double deeper = m->list[best].at.gap - m->list[k].at.gap;
    bool alike = k < best && m->list[k].spot.kind == m->list[best].spot.kind;
    bool twin = alike && apart <= TWINS * radii && fabs(deeper) <= slack;
    best = (apart <= radii && deeper > slack) || twin ? k : best;
  }
  return best;
}

/* Of names that have nothing that touches, or only another's, the one that is nearest to a spot;
 * -1: there is none. */
static int free_name(const meeting *m, const name *names, int count, const int *chosen, int spot) {
  int best = -1;
  for (int i = 0; i < count; i++) {
    bool touches = m->list[chosen[i]].at.gap < m->a.radius + m->b.radius;
    bool better =
        best < 0 || outward(&names[i], &m->list[spot]) > outward(&names[best], &m->list[spot]);
    if (better && (!touches || is_lent(m, names, count, chosen, i))) {
      best = i;
    }
  }
  return best;
}

/* For each name the spot that is farthest out its way. If nobody has the one where the bodies are
 * nearest, and touch, a name that can do without its own gets that: it would sink in unseen. */
static void choose(const meeting *m, const name *names, int count, int nearest, int *chosen) {
  bool seen = m->list[nearest].at.gap >= m->a.radius + m->b.radius;
  for (int i = 0; i < count; i++) {
    chosen[i] = 0;
    for (int k = 1; k < m->count; k++) {
      double more = outward(&names[i], &m->list[k]) - outward(&names[i], &m->list[chosen[i]]);
      chosen[i] = more > SLACK * m->size ? k : chosen[i];
    }
    chosen[i] = deepest_beside(m, chosen[i]);
    seen = seen || m->list[chosen[i]].at.gap <= m->list[nearest].at.gap + SLACK * m->size;
  }
  int to = seen ? -1 : free_name(m, names, count, chosen, nearest);
  if (to >= 0) {
    chosen[to] = nearest;
  }
}

/* In order of name, without points that are out of reach. With no limit to the reach every name
 * gets a point: those that are not there now are far away. */
static int put(const meeting *m, int nearest, double margin, ff_touch *out) {
  name names[FF_TOUCH_MAX];
  int chosen[FF_TOUCH_MAX], holder[FF_TOUCH_MAX], count = 0, named = find_names(m, names);
  choose(m, names, named, nearest, chosen);
  for (int slot = 0; slot < FF_TOUCH_MAX; slot++) {
    holder[slot] = -1;
  }
  for (int i = 0; i < named; i++) {
    holder[names[i].slot] = is_lent(m, names, named, chosen, i) ? -1 : chosen[i];
  }
  for (int slot = 0; slot < FF_TOUCH_MAX; slot++) {
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

/* Faces that are named with a corner only tell where it went in. */
static bool is_same(const ff_spot *s, const ff_spot *t) {
  if (s->kind != FF_SPOT_EDGES || t->kind != FF_SPOT_EDGES) {
    return s->kind == t->kind &&
           (s->kind == FF_SPOT_CORNER_A ? s->a[0] == t->a[0] : s->b[0] == t->b[0]);
  }
  bool a = (s->a[0] == t->a[0] && s->a[1] == t->a[1]) || (s->a[0] == t->a[1] && s->a[1] == t->a[0]);
  bool b = (s->b[0] == t->b[0] && s->b[1] == t->b[1]) || (s->b[0] == t->b[1] && s->b[1] == t->b[0]);
  return a && b;
}

/* The place of the nearest spot among the spots. */
static int include(meeting *m, const candidate *nearest) {
  m->n = nearest->at.normal;
  m->t1 = v3_orthogonal(m->n);
  m->t2 = v3_cross(m->n, m->t1);
  find_spots(m);
  for (int k = 0; k < m->count; k++) {
    if (is_same(&m->list[k].spot, &nearest->spot)) {
      return k;
    }
  }
  m->count -= m->count == SPOTS;
  add(m, nearest->spot);
  return m->count - 1;
}

/* Where the cores are nearest. gap <= 0: they overlap. */
static candidate find_nearest(const meeting *m, const ff_pose *pose_a, const ff_pose *pose_b,
                              double reach) {
  if (m->a.geom.kind == FF_BOX && m->b.geom.kind == FF_BOX) {
    ff_rough rough;
    ff_nearest_boxes(&rough, &(ff_two){.a = &m->a.geom,
                                       .b = &m->b.geom,
                                       .q_a = pose_a->orientation,
                                       .q_b = pose_b->orientation,
                                       .apart = v3_sub(pose_a->position, pose_b->position),
                                       .size = m->size});
    bool look = rough.gap > 0 && rough.gap < reach;
    return look ? nearest_of_boxes(m) : (candidate){.at.gap = rough.gap};
  }
  ff_nearest near;
  ff_nearest_find(&near, &m->a.geom, pose_a, &m->b.geom, pose_b, reach);
  bool look = near.gap > 0 && near.gap < reach;
  return look ? nearest_of_hulls(m, near.normal) : (candidate){.at.gap = near.gap};
}

int ff_touch_hulls(const ff_geom *a, const ff_pose *pose_a, const ff_geom *b, const ff_pose *pose_b,
                   double round, double margin, ff_touch *out) {
  meeting m;
  m.count = 0;
  m.size = ff_geom_bound(a) + ff_geom_bound(b);
  if (v3_norm(v3_sub(pose_a->position, pose_b->position)) - m.size > margin) {
    return 0;
  }
  core_of(&m.a, a, pose_a, round);
  core_of(&m.b, b, pose_b, round);
  double reach = m.a.radius + m.b.radius + margin;
  candidate nearest = find_nearest(&m, pose_a, pose_b, reach);
  if (nearest.at.gap >= reach) {
    return 0;
  }
  if (nearest.at.gap <= 0) { /* cores that overlap are as good as sharp */
    return ff_touch_convex(a, pose_a, b, pose_b, margin, out);
  }
  ff_flat_find(&m.face_a, &m.a.geom, pose_a, v3_neg(nearest.at.normal));
  ff_flat_find(&m.face_b, &m.b.geom, pose_b, nearest.at.normal);
  return put(&m, include(&m, &nearest), margin, out);
}
