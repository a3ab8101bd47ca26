/* Every decision about the overlay follows from one kind of predicate: on which side of the line
 * through an edge a vertex of the other polyhedron lies, seen along z. Vertices that lie on the
 * line to rounding are decided as if a were shifted a little in one direction, so that the
 * decisions fit together where edges lie on one another, as in flush stacks. */
#include "geom/overlay.h"

#include "geom/manifold_parts.h"

#define VERTICAL 1e-9  /* faces whose normal has less than this along z are vertical walls */
#define ON_LINE  1e-12 /* of the size: a vertex this near a line lies on it */

/* One polyhedron, and which of its faces belong to the side that faces the other. */
typedef struct relief {
  const ff_polytope *of;
  const ff_topology *topology;
  double sign; /* faces with sign * normal.z > VERTICAL: -1 for a, 1 for b */
  unsigned char facing[FF_POLYTOPE_FACES];
  double slack;        /* m^2 per m of edge: ON_LINE */
  double tie_x, tie_y; /* direction of the shift of a that decides ties */
} relief;

typedef struct overlay {
  relief a, b;
  bool segment;  /* a is a segment */
  ff_vec3 along; /* unit, from its first to its second end */
  double margin;
  double low, high; /* m: lowest of a less the margin, highest of b plus it */
  ff_overlay_sample *out;
  int count, limit;
  ff_overlay_sample spare; /* one more than the limit */
  ff_overlay_sample left;  /* weight: sum of w d^2 of samples that were dropped, m^2 */
} overlay;

static void relief_init(relief *out, const ff_polytope *of, double sign) {
  out->of = of;
  out->topology = of->topology;
  out->sign = sign;
  for (int f = 0; f < out->topology->face_count; f++) {
    out->facing[f] = sign * of->normal[f].z > VERTICAL;
  }
}

static bool edge_faces(const relief *of, int edge) {
  const int *face = of->topology->edges[edge].face;
  return of->facing[face[0]] || of->facing[face[1]];
}

/* Does vertex v (of the other polyhedron) lie to the left of an edge, from its first to its second
 * end, seen from z above? shift: 1 if the vertex belongs to a, -1 if the edge does. */
static bool is_left(const relief *of, int edge, const relief *other, int v, double shift) {
  const int *ends = of->topology->edges[edge].vertex;
  const ff_vec3 *p = &of->of->vertex[ends[0]], *q = &of->of->vertex[ends[1]];
  const ff_vec3 *x = &other->of->vertex[v];
  double ex = q->x - p->x, ey = q->y - p->y;
  double area = ex * (x->y - p->y) - ey * (x->x - p->x);
  double tie = of->slack * (fabs(ex) + fabs(ey));
  return fabs(area) > tie ? area > 0 : shift * (ex * of->tie_y - ey * of->tie_x) > 0;
}

/* The face of a relief that a vertex of the other polyhedron is over or under; -1: none. Seen from
 * z above, upper faces run counterclockwise and lower faces clockwise. */
static int face_at(const relief *of, const relief *other, int v, double shift) {
  const ff_topology *top = of->topology;
  for (int f = 0; f < top->face_count; f++) {
    bool inside = of->facing[f];
    for (int i = top->side_start[f]; inside && i < top->side_start[f + 1]; i++) {
      int edge = top->side[i];
      bool along =
          top->edges[edge].face[0] == f; /* the face runs along the edge, else against it */
      inside = is_left(of, edge, other, v, shift) == (along == (of->sign > 0));
    }
    if (inside) {
      return f;
    }
  }
  return -1;
}

/* ---- samples -----------------------------------------------------------------------------------
 */

/* A new sample of this depth; NULL: it is too shallow. Finished by finish_sample. */
static ff_overlay_sample *add_sample(overlay *to, ff_feature_pair_kind kind, int a, int b,
                                     const ff_feature_depth *depth) {
  if (!(depth->depth > -to->margin)) {
    return NULL;
  }
  ff_overlay_sample *at = to->count < to->limit ? &to->out[to->count++] : &to->spare;
  at->id = (ff_feature_pair){.kind = (unsigned char)kind, .a = (short)a, .b = (short)b};
  at->at = *depth;
  at->d_weight_shift = (ff_vec3){0, 0, 0};
  return at;
}

/* Index of the shallowest sample. */
static int shallowest_of(const overlay *of) {
  int best = 0;
  for (int i = 1; i < of->count; i++) {
    best = of->out[i].at.depth < of->out[best].at.depth ? i : best;
  }
  return best;
}

/* to += s times the derivatives of the depth of a sample, turns about the origin. */
static void add_depth_rates(ff_overlay_sample *to, double s, const ff_feature_depth *of) {
  ff_vec3 turn = v3_add(of->turn, v3_cross(of->point, of->shift));
  to->d_weight_shift = v3_axpy(to->d_weight_shift, s, of->shift);
  to->d_weight.turn = v3_axpy(to->d_weight.turn, s, turn);
  to->d_weight.normal = v3_axpy(to->d_weight.normal, s, of->by_normal);
}

/* to += s times the weight of a sample. */
static void add_weight(ff_overlay_sample *to, double s, const ff_overlay_sample *of) {
  to->weight += s * of->weight;
  to->d_weight_shift = v3_axpy(to->d_weight_shift, s, of->d_weight_shift);
  to->d_weight.turn = v3_axpy(to->d_weight.turn, s, of->d_weight.turn);
  to->d_weight.normal = v3_axpy(to->d_weight.normal, s, of->d_weight.normal);
}

/* Of too many samples the deepest stay. Of the others w d^2 is summed, with its derivatives. */
static void finish_sample(overlay *to, ff_overlay_sample *at) {
  if (at != &to->spare) {
    return;
  }
  ff_overlay_sample *least = &to->out[shallowest_of(to)];
  if (least->at.depth < at->at.depth) {
    ff_overlay_sample held = *least;
    *least = *at;
    *at = held;
  }
  double d = at->at.depth;
  if (d > 0) {
    add_weight(&to->left, d * d, at);
    add_depth_rates(&to->left, 2 * at->weight * d, &at->at);
  }
}

/* Gives the shallowest sample, of depth d, a weight of sum w_j (d_j / d)^2 for those that were
 * dropped: all of their weight if they are as deep, none of what is apart, and nothing leaps where
 * two change places. */
static int finish_overlay(overlay *to) {
  ff_overlay_sample *least = &to->out[to->count > 0 ? shallowest_of(to) : 0];
  if (to->left.weight > 0 && least->at.depth > 0) {
    double d = least->at.depth;
    add_depth_rates(&to->left, -2 * to->left.weight / d, &least->at);
    add_weight(least, 1 / (d * d), &to->left);
  }
  return to->count;
}

/* The direction of an edge, counterclockwise about a face of it. */
static ff_vec3 edge_along(const relief *of, int edge, int face) {
  const ff_hull_edge *e = &of->topology->edges[edge];
  ff_vec3 way = v3_sub(of->of->vertex[e->vertex[1]], of->of->vertex[e->vertex[0]]);
  return e->face[0] == face ? way : v3_neg(way);
}

static ff_cone_vector wall_at(const relief *of, int edge, int face) {
  ff_vec3 along = edge_along(of, edge, face);
  return of->sign < 0 ? ff_cone_wall_a(along) : ff_cone_wall_b(along);
}

/* Normal cone of K at a vertex of a relief, over or under a face (normal) of the other one: facets
 * of the faces around it, in their order, between the walls of its silhouette edges. */
static void vertex_weight(ff_overlay_sample *at, const relief *of, int v, ff_vec3 normal) {
  ff_cone_vector vectors[FF_CONE_VECTORS];
  const ff_topology *top = of->topology;
  int first = top->ring_start[v], size = top->ring_start[v + 1] - first, start = 0, count = 0;
  while (start < size && !(of->facing[top->ring[first + start]] &&
                           !of->facing[top->ring[first + (start + size - 1) % size]])) {
    start++;
  }
  bool silhouette = start < size;
  start = silhouette ? start : 0;
  if (silhouette) {
    int before = first + (start + size - 1) % size;
    vectors[count++] = wall_at(of, top->ring_edge[before], top->ring[first + start]);
  }
  for (int k = 0; k < size; k++) {
    int j = first + (start + k) % size, face = top->ring[j];
    if (!of->facing[face]) {
      break;
    }
    ff_vec3 mine = of->of->normal[face];
    vectors[count++] = of->sign < 0 ? ff_cone_facet(mine, normal) : ff_cone_facet(normal, mine);
    bool last = k + 1 < size && !of->facing[top->ring[first + (start + k + 1) % size]];
    if (last) {
      vectors[count++] = wall_at(of, top->ring_edge[j], face);
    }
  }
  at->weight = ff_cone_weight(vectors, count, &at->d_weight);
}

/* Normal cone of K where two edges cross: facets of their four faces, walls for faces that do not
 * face the other polyhedron. */
static void crossing_weight(const overlay *o, ff_overlay_sample *at, int i, int k) {
  const ff_hull_edge *ea = &o->a.topology->edges[i], *eb = &o->b.topology->edges[k];
  const ff_vec3 *na = o->a.of->normal, *nb = o->b.of->normal;
  bool whole_a = o->a.facing[ea->face[0]] && o->a.facing[ea->face[1]];
  bool whole_b = o->b.facing[eb->face[0]] && o->b.facing[eb->face[1]];
  int a = ea->face[o->a.facing[ea->face[0]] ? 0 : 1], a2 = ea->face[1];
  int b = eb->face[o->b.facing[eb->face[0]] ? 0 : 1], b2 = eb->face[1];
  ff_cone_vector vectors[4] = {ff_cone_facet(na[a], nb[b])};
  int count = 1;
  if (whole_b) {
    vectors[count++] = ff_cone_facet(na[a], nb[b2]);
  }
  if (whole_a && whole_b) {
    vectors[count++] = ff_cone_facet(na[a2], nb[b2]);
  }
  if (whole_a) {
    vectors[count++] = ff_cone_facet(na[a2], nb[b]);
  } else {
    vectors[count++] = wall_at(&o->a, i, a);
  }
  if (!whole_b) {
    vectors[count++] = wall_at(&o->b, k, b);
  }
  at->weight = ff_cone_weight(vectors, count, &at->d_weight);
}

/* ---- weights on a segment -----------------------------------------------------------------------
 *
 * Along a segment in the direction e the depth t is concave, with slope -(u.e) / u.z over a face of
 * normal u. Let F be an odd function of the slope that is 0 where the segment leans on a face, 1 on
 * walls. The weight of a sample is how much F falls there, F being 1 before the first end and -1
 * after the last: ends over a face weigh 1, and where an end slides over an edge its weight goes to
 * the crossing. All of it fades where the segment leans so much that only one end can touch. */

#define WALL_FROM 2.0 /* slope of t, magnitude: F is 0 up to here, */
#define WALL_TO   8.0 /* and 1 from here on */
#define LEAN_FROM                                                                                  \
  0.5               /* sine of the angle between segment and shadow where weights begin to fade    \
                     */
#define LEAN_TO 0.7 /* where they are 0 */

/* Smooth step from 0 at low to 1 at high, and its derivative. */
static double step_between(double x, double low, double high, double *rate) {
  double step = ff_smooth_step((x - low) / (high - low), rate);
  *rate /= high - low;
  return step;
}

/* Adds sign * F of the slope over a face, and its derivatives. */
static void add_slope_step(ff_overlay_sample *to, ff_vec3 e, ff_vec3 u, double sign) {
  double slope = -v3_dot(u, e) / u.z, rate;
  double step = step_between(fabs(slope), WALL_FROM, WALL_TO, &rate);
  rate *= sign; /* of an odd function: even */
  to->weight += slope < 0 ? -sign * step : sign * step;
  to->d_weight.turn = v3_axpy(to->d_weight.turn, -rate / u.z, v3_cross(e, u));
  to->d_weight.normal = v3_axpy(to->d_weight.normal, -rate * slope / u.z, u);
}

/* Weight over N = 2, with the fade by lean. */
static void finish_segment_weight(ff_overlay_sample *at, ff_vec3 e) {
  double rate, fade = 0.5 * (1 - step_between(fabs(e.z), LEAN_FROM, LEAN_TO, &rate));
  rate *= e.z < 0 ? 0.5 : -0.5;
  at->d_weight.turn =
      v3_axpy(v3_scale(fade, at->d_weight.turn), rate * at->weight, v3_cross(e, v3(0, 0, 1)));
  at->d_weight.normal = v3_axpy(v3_scale(fade, at->d_weight.normal), rate * at->weight, e);
  at->weight *= fade;
}

static void segment_end_weight(const overlay *o, ff_overlay_sample *at, int end, ff_vec3 u) {
  at->weight = 1;
  at->d_weight = (ff_cone_rate){.turn = {0, 0, 0}};
  add_slope_step(at, o->along, u, end ? 1 : -1);
  finish_segment_weight(at, o->along);
}

static void segment_crossing_weight(const overlay *o, ff_overlay_sample *at, int k) {
  const int *face = o->b.topology->edges[k].face;
  bool from_left = is_left(&o->b, k, &o->a, 0, 1);
  int before = face[from_left ? 0 : 1], after = face[from_left ? 1 : 0];
  at->weight = (o->b.facing[before] ? 0 : 1) + (o->b.facing[after] ? 0 : 1);
  at->d_weight = (ff_cone_rate){.turn = {0, 0, 0}};
  if (o->b.facing[before]) {
    add_slope_step(at, o->along, o->b.of->normal[before], 1);
  }
  if (o->b.facing[after]) {
    add_slope_step(at, o->along, o->b.of->normal[after], -1);
  }
  finish_segment_weight(at, o->along);
}

static const ff_vec3 up = {0, 0, 1};

/* A vertex of a face. */
static ff_vec3 point_on(const ff_polytope *of, int face) {
  const ff_topology *top = of->topology;
  return of->vertex[top->edges[top->side[top->side_start[face]]].vertex[0]];
}

static void add_vertex_a(overlay *o, int v, int face) {
  const ff_polytope *a = o->a.of, *b = o->b.of;
  ff_feature_depth depth =
      ff_vertex_face_depth(up, a->vertex[v], b->normal[face], point_on(b, face));
  ff_overlay_sample *at = add_sample(o, FF_PAIR_VERTEX_FACE, v, face, &depth);
  if (at && o->segment) {
    segment_end_weight(o, at, v, b->normal[face]);
  } else if (at) {
    vertex_weight(at, &o->a, v, b->normal[face]);
  }
  finish_sample(o, at);
}

static void add_vertex_b(overlay *o, int v, int face) {
  const ff_polytope *a = o->a.of, *b = o->b.of;
  ff_feature_depth depth =
      ff_face_vertex_depth(up, a->normal[face], point_on(a, face), b->vertex[v]);
  ff_overlay_sample *at = add_sample(o, FF_PAIR_FACE_VERTEX, face, v, &depth);
  if (at) {
    vertex_weight(at, &o->b, v, a->normal[face]);
    finish_sample(o, at);
  }
}

static void add_crossing(overlay *o, int i, int k) {
  const int *ia = o->a.topology->edges[i].vertex, *kb = o->b.topology->edges[k].vertex;
  const ff_vec3 *va = o->a.of->vertex, *vb = o->b.of->vertex;
  ff_feature_depth depth = ff_edge_edge_depth(up, va[ia[0]], v3_sub(va[ia[1]], va[ia[0]]),
                                              vb[kb[0]], v3_sub(vb[kb[1]], vb[kb[0]]));
  ff_overlay_sample *at = add_sample(o, FF_PAIR_EDGE_EDGE, i, k, &depth);
  if (at && o->segment) {
    segment_crossing_weight(o, at, k);
  } else if (at) {
    crossing_weight(o, at, i, k);
  }
  finish_sample(o, at);
}

/* ---- the overlay ------------------------------------------------------------------------------
 */

static double shadow_extent(const ff_polytope *of) {
  double most = 0;
  for (int v = 0; v < of->topology->vertex_count; v++) {
    most = greater(most, greater(fabs(of->vertex[v].x), fabs(of->vertex[v].y)));
  }
  return most;
}

/* Heights that samples can be at: from the bottom of a to the top of b, extended by the margin. */
static void find_heights(overlay *o) {
  double top = -INFINITY, bottom = INFINITY;
  for (int v = 0; v < o->a.topology->vertex_count; v++) {
    bottom = lesser(bottom, o->a.of->vertex[v].z);
  }
  for (int v = 0; v < o->b.topology->vertex_count; v++) {
    top = greater(top, o->b.of->vertex[v].z);
  }
  o->low = bottom - o->margin;
  o->high = top + o->margin;
}

/* Edges of a relief that may have samples. Returns their number. */
static int list_edges(const relief *of, double low, double high, short *out) {
  int count = 0;
  for (int e = 0; e < of->topology->edge_count; e++) {
    const int *ends = of->topology->edges[e].vertex;
    double z0 = of->of->vertex[ends[0]].z, z1 = of->of->vertex[ends[1]].z;
    if (edge_faces(of, e) && lesser(z0, z1) < high && greater(z0, z1) > low) {
      out[count++] = (short)e;
    }
  }
  return count;
}

static void add_crossings(overlay *o) {
  short of_a[3 * FF_POLYTOPE_VERTICES], of_b[3 * FF_POLYTOPE_VERTICES];
  int count_a = o->segment ? 1 : list_edges(&o->a, -INFINITY, o->high, of_a);
  of_a[0] = o->segment ? 0 : of_a[0];
  int count_b = list_edges(&o->b, o->low, INFINITY, of_b);
  for (int i = 0; i < count_a; i++) {
    const int *ends = o->a.topology->edges[of_a[i]].vertex;
    for (int k = 0; k < count_b; k++) {
      const int *others = o->b.topology->edges[of_b[k]].vertex;
      if (is_left(&o->b, of_b[k], &o->a, ends[0], 1) !=
              is_left(&o->b, of_b[k], &o->a, ends[1], 1) &&
          is_left(&o->a, of_a[i], &o->b, others[0], -1) !=
              is_left(&o->a, of_a[i], &o->b, others[1], -1)) {
        add_crossing(o, of_a[i], of_b[k]);
      }
    }
  }
}

/* Does a vertex belong to the side of its polyhedron that faces the other one? */
static bool vertex_faces(const relief *of, int v) {
  for (int j = of->topology->ring_start[v]; j < of->topology->ring_start[v + 1]; j++) {
    if (of->facing[of->topology->ring[j]]) {
      return true;
    }
  }
  return false;
}

static ff_vec3 middle_of(const ff_polytope *of) {
  ff_vec3 sum = v3(0, 0, 0);
  for (int v = 0; v < of->topology->vertex_count; v++) {
    sum = v3_add(sum, of->vertex[v]);
  }
  return v3_scale(1.0 / of->topology->vertex_count, sum);
}

/* Ties are decided as if a were shifted towards the middle of b, and a little across: what lies on
 * the rim of b is over b. */
static void choose_tie(overlay *o) {
  ff_vec3 way = v3_sub(middle_of(o->b.of), middle_of(o->a.of));
  double length = sqrt(way.x * way.x + way.y * way.y), least = 1e-6 * o->a.slack / ON_LINE;
  double x = length > least ? way.x / length : 0.8143, y = length > least ? way.y / length : 0.5804;
  o->a.tie_x = o->b.tie_x = x - 0.0137 * y;
  o->a.tie_y = o->b.tie_y = y + 0.0137 * x;
}

static void overlay_init(overlay *o, const ff_polytope *a, const ff_polytope *b, double margin,
                         int limit, ff_overlay_sample *out) {
  o->segment = false;
  o->margin = margin;
  o->out = out;
  o->count = 0;
  o->limit = limit;
  o->left = (ff_overlay_sample){.weight = 0};
  relief_init(&o->a, a, -1);
  relief_init(&o->b, b, 1);
  o->a.slack = o->b.slack = ON_LINE * (shadow_extent(a) + shadow_extent(b));
  choose_tie(o);
  find_heights(o);
}

/* Samples at the vertices of a (of_a) or b over or under the other. True: all of that side's
 * vertices are over one face, so that nothing else crosses. */
static bool add_vertices(overlay *o, bool of_a) {
  const relief *of = of_a ? &o->a : &o->b, *other = of_a ? &o->b : &o->a;
  int only = -1;
  bool all_over_it = true;
  for (int v = 0; v < of->topology->vertex_count; v++) {
    if (!vertex_faces(of, v)) {
      continue;
    }
    double z = of->of->vertex[v].z;
    bool near = of_a ? z < o->high : z > o->low;
    int face = near ? face_at(other, of, v, of_a ? 1 : -1) : -1;
    all_over_it = all_over_it && face >= 0 && (only < 0 || face == only);
    only = face;
    if (face >= 0 && of_a) {
      add_vertex_a(o, v, face);
    } else if (face >= 0) {
      add_vertex_b(o, v, face);
    }
  }
  return all_over_it;
}

int ff_overlay(const ff_polytope *a, const ff_polytope *b, double margin, int limit,
               ff_overlay_sample *out) {
  overlay o;
  overlay_init(&o, a, b, margin, limit, out);
  if (!add_vertices(&o, true) && !add_vertices(&o, false)) {
    add_crossings(&o);
  }
  return finish_overlay(&o);
}

int ff_overlay_plane(const ff_polytope *a, double margin, int limit, ff_overlay_sample *out) {
  overlay o;
  o.segment = false;
  o.margin = margin;
  o.out = out;
  o.count = 0;
  o.limit = limit;
  o.left = (ff_overlay_sample){.weight = 0};
  relief_init(&o.a, a, -1);
  for (int v = 0; v < a->topology->vertex_count; v++) {
    if (a->vertex[v].z < margin && vertex_faces(&o.a, v)) {
      ff_feature_depth depth = ff_vertex_face_depth(up, a->vertex[v], up, v3(0, 0, 0));
      ff_overlay_sample *at = add_sample(&o, FF_PAIR_VERTEX_FACE, v, 0, &depth);
      if (at) {
        vertex_weight(at, &o.a, v, up);
        finish_sample(&o, at);
      }
    }
  }
  return finish_overlay(&o);
}

int ff_overlay_segment(const ff_vec3 ends[2], const ff_polytope *b, double margin, int limit,
                       ff_overlay_sample *out, ff_overlay_sample *fade) {
  static const int none[3] = {0, 0, 0};
  static const ff_hull_edge edge = {{0, 1}, {0, 0}};
  static const ff_topology topology = {2, 1, 0, &edge, none, none, none, none, none};
  overlay o;
  o.along = v3_unit(v3_sub(ends[1], ends[0]));
  *fade = (ff_overlay_sample){.weight = 2};
  finish_segment_weight(fade, o.along);
  if (fabs(o.along.z) >= LEAN_TO) {
    return 0;
  }
  ff_polytope a; /* without faces */
  a.topology = &topology;
  a.vertex[0] = ends[0];
  a.vertex[1] = ends[1];
  overlay_init(&o, &a, b, margin, limit, out);
  o.segment = true;
  for (int v = 0; v < 2; v++) {
    int face = a.vertex[v].z < o.high ? face_at(&o.b, &o.a, v, 1) : -1;
    if (face >= 0) {
      add_vertex_a(&o, v, face);
    }
  }
  add_crossings(&o);
  return finish_overlay(&o);
}
