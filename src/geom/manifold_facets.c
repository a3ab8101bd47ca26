/* Manifolds by the facets of two shapes (geom/facets.h): overlay of the facets, blend into the pair
 * as a whole where their cores come to overlap, and where the shapes are deeper than the facets.
 *
 * All derivatives are with motions of a at constant b, turns about the origin of a, until the
 * samples are finished. */
#include "geom/core_distance.h"
#include "geom/facets.h"
#include "geom/manifold_parts.h"
#include "geom/overlay.h"
#include "geom/parts.h"
#include "math/spatial.h"

#define SAME   1e-12 /* m: a sample that is deeper than the pair by less than this is not cut */
#define TINY   1e-3  /* of the margin of the cores: see ff_whole_weight */
#define BEYOND 0.05  /* the same: how much deeper than the facets features may be evaluated */

/* One pair of facets and its samples. */
typedef struct facet_pair {
  const ff_facets *a, *b;
  double share; /* product of those of the facets */
  ff_gradient d_share;
  double blend; /* s */
  ff_gradient d_blend;
  double fade; /* of all weights of a capsule that leans; 1 of others */
  ff_gradient d_fade;
  int first, end; /* its samples */
} facet_pair;

typedef struct shape_pair {
  const ff_geom *a, *b;
  const ff_pose *pose_a, *pose_b;
  double margin;   /* m, of the samples that are wanted, */
  double reach;    /* and of those that weights depend on */
  double beyond;   /* m, of cores: the same */
  double least[2]; /* m, margins of the least eroded cores of a, b */
  double tiny;     /* m, see ff_whole_weight */
  double radius;   /* m, around the facets of a */
  bool larger;     /* shapes are larger than their facets */
  bool sharp[2];   /* a, b: its core is the shape itself */
  bool all;        /* facets without a share are wanted, too */
  double growth;   /* of margins: see geom/core_distance.h */
  double blend;    /* 1 - 4 g / r of the cores of the shapes, where one has a prism that turns; */
  ff_gradient d_blend; /* else -INFINITY */
  ff_eroded_hull room[2];
  ff_facets facets[2][2];
  int facet_count[2];
  ff_facets rim[2];
  ff_rim_prism rim_room[2];
  facet_pair pairs[4];
  int pair_count;
  ff_distance whole; /* of the shapes */
  ff_manifold *out;
} shape_pair;

/* Which cores are sharp, and margins. Returns how far (m) the shapes reach out of their cores. */
static double choose_cores(shape_pair *p) {
  const ff_geom *of[2] = {p->a, p->b};
  bool round[2] = {ff_geom_is_round_sided(p->a->kind), ff_geom_is_round_sided(p->b->kind)};
  double reach[2];
  for (int k = 0; k < 2; k++) {
    p->sharp[k] = !round[k] && round[!k];
    p->least[k] = ff_facets_margin(of[k], p->sharp[k], &reach[k]);
  }
  p->growth = FF_CORE_MARGIN_MOST / (round[0] || round[1] ? FF_ROUND_MARGIN : FF_CORE_MARGIN);
  if (p->a->kind == FF_CAPSULE) { /* its axis stays apart */
    p->growth = 1;
  }
  return reach[0] + reach[1];
}

/* The gradient of a function that changes by `by` with the place of a point of a. */
static ff_gradient gradient_by_point(const shape_pair *p, ff_vec3 by, ff_vec3 at) {
  return (ff_gradient){by, v3_cross(v3_sub(at, p->pose_a->position), by)};
}

/* From rigid facets to ones that turn in their bodies. As facets of b turn about their axis it is
 * as if a turned the other way. */
static ff_gradient follow_spin(const shape_pair *p, const facet_pair *of, ff_gradient g) {
  ff_gradient out = g;
  if (of->a->turned) {
    ff_gradient_add(&out, v3_dot(g.turn, of->a->axis), of->a->spin);
  }
  if (of->b->turned) {
    ff_vec3 z = of->b->axis, arm = v3_sub(p->pose_a->position, of->b->centre);
    double rate = v3_dot(g.turn, z) + v3_dot(g.shift, v3_cross(z, arm));
    ff_gradient_add(&out, -rate, of->b->spin);
  }
  return out;
}

static ff_mat3 contact_frame(ff_vec3 n) {
  ff_vec3 x = v3_orthogonal(n), y = v3_cross(n, x);
  return (ff_mat3){{{x.x, x.y, x.z}, {y.x, y.y, y.z}, {n.x, n.y, n.z}}};
}

/* Depth of a sample with all its derivatives; from: in the world, without the radius. */
static void set_depth(const shape_pair *p, const facet_pair *of, const ff_mat3 by_normal[2],
                      ff_vec3 n, const ff_feature_depth *from, ff_sample *to) {
  ff_gradient depth =
      ff_gradient_about((ff_gradient){from->shift, from->turn}, from->point, p->pose_a->position);
  ff_gradient_add(&depth, 1,
                  (ff_gradient){m3_tmul(by_normal[0], from->by_normal),
                                m3_tmul(by_normal[1], from->by_normal)});
  to->normal = from->normal;
  to->along = n;
  to->depth = from->depth + p->radius;
  to->d_depth = follow_spin(p, of, depth);
  to->point = v3_axpy(from->point, -0.5 * p->radius, n);
}

/* Gradient of the weight of a sample in the frame of the contact, times units. */
static ff_gradient weight_gradient(const shape_pair *p, const facet_pair *of, const ff_mat3 *frame,
                                   const ff_mat3 by_normal[2], const ff_overlay_sample *from,
                                   double units) {
  ff_vec3 normal = v3_scale(units, m3_tmul(*frame, from->d_weight.normal));
  ff_gradient out = {v3_scale(units, m3_tmul(*frame, from->d_weight_shift)),
                     v3_scale(units, m3_tmul(*frame, from->d_weight.turn))};
  out = ff_gradient_about(out, p->pose_b->position, p->pose_a->position);
  out.shift = v3_add(out.shift, m3_tmul(by_normal[0], normal));
  out.turn = v3_add(out.turn, m3_tmul(by_normal[1], normal));
  return follow_spin(p, of, out);
}

/* From the frame of the contact to the world, with the derivatives of the normal put in. */
static void add_overlay_sample(shape_pair *p, const facet_pair *of, const ff_mat3 *frame,
                               const ff_mat3 by_normal[2], const ff_overlay_sample *from) {
  ff_sample *at = &p->out->samples[p->out->count++];
  double units = p->out->law_units;
  const ff_feature_depth depth = {.depth = from->at.depth,
                                  .point =
                                      v3_add(p->pose_b->position, m3_tmul(*frame, from->at.point)),
                                  .normal = m3_tmul(*frame, from->at.normal),
                                  .shift = m3_tmul(*frame, from->at.shift),
                                  .turn = m3_tmul(*frame, from->at.turn),
                                  .by_normal = m3_tmul(*frame, from->at.by_normal)};
  *at = (ff_sample){.id = from->id,
                    .weight = units * from->weight,
                    .curvature = {INFINITY, INFINITY},
                    .d_weight = weight_gradient(p, of, frame, by_normal, from, units)};
  at->id.a = (short)(at->id.a + of->a->first_id);
  at->id.b = (short)(at->id.b + of->b->first_id);
  ff_vec3 n = v3(frame->m[2][0], frame->m[2][1], frame->m[2][2]);
  set_depth(p, of, by_normal, n, &depth, at);
}

/* Distance of the cores of two shapes or facets. */
static void query_cores(shape_pair *p, ff_core_distance *out, const ff_geom *a,
                        const ff_pose *pose_a, double radius, const ff_geom *b,
                        const ff_pose *pose_b, double beyond) {
  const ff_cores of = {{*a, *b}, {*pose_a, *pose_b}, {p->least[0], p->least[1]},
                       radius,   p->growth,          {&p->room[0], &p->room[1]}};
  ff_core_distance_query(out, of, beyond);
}

static void find_overlay(shape_pair *p, facet_pair *of, const ff_core_distance *cores) {
  ff_polytope a, b;
  ff_overlay_sample found[FF_SAMPLES_MAX], fade = {.weight = 1};
  ff_mat3 frame = contact_frame(cores->at.normal), by_normal[2];
  ff_vec3 base = p->pose_b->position;
  int limit = FF_SAMPLES_MAX - 1 - p->out->count, count; /* one for the pair as a whole */
  ff_polytope_place(&b, &of->b->geom, m3_product(frame, q_matrix(of->b->pose.orientation)),
                    m3_mul(frame, v3_sub(of->b->pose.position, base)));
  if (p->radius > 0) {
    ff_vec3 ends[2], half = v3_scale(of->a->geom.size.y, of->a->axis);
    ff_vec3 middle = v3_sub(of->a->pose.position, base);
    ends[0] = m3_mul(frame, v3_sub(middle, half));
    ends[1] = m3_mul(frame, v3_add(middle, half));
    count = ff_overlay_segment(ends, &b, p->reach + p->radius, limit, found, &fade);
  } else {
    ff_polytope_place(&a, &of->a->geom, m3_product(frame, q_matrix(of->a->pose.orientation)),
                      m3_mul(frame, v3_sub(of->a->pose.position, base)));
    count = ff_overlay(&a, &b, p->reach, limit, found);
  }
  ff_core_distance_normal_rates(cores, p->pose_a->position, by_normal);
  of->fade = fade.weight;
  of->d_fade = weight_gradient(p, of, &frame, by_normal, &fade, 1);
  for (int i = 0; i < count; i++) {
    add_overlay_sample(p, of, &frame, by_normal, &found[i]);
  }
}

/* s = smooth step of 1 - 4 g / r, of the cores of the facets or of the shapes, whichever is more.
 */
static void find_blend(const shape_pair *p, facet_pair *of, const ff_core_distance *cores) {
  double y = cores->blend, rate;
  ff_gradient d_y = {{0, 0, 0}, {0, 0, 0}};
  ff_gradient_add(&d_y, -4 / cores->margin,
                  follow_spin(p, of, gradient_by_point(p, cores->at.normal, cores->at.on_a)));
  if (p->blend > y) {
    y = p->blend;
    d_y = p->d_blend;
  }
  of->blend = ff_smooth_step(y, &rate);
  ff_gradient_add(&of->d_blend, rate, d_y);
}

static void find_facet_pair(shape_pair *p, facet_pair *of, const ff_facets *a, const ff_facets *b,
                            const ff_core_distance *cores) {
  ff_core_distance found;
  *of =
      (facet_pair){.a = a, .b = b, .share = a->share * b->share, .first = p->out->count, .fade = 1};
  ff_gradient_add(&of->d_share, b->share, a->d_share);
  ff_gradient_add(&of->d_share, a->share, b->d_share);
  if (!cores) {
    cores = &found;
    query_cores(p, &found, &a->core, &a->pose, a->core_radius, &b->core, &b->pose, p->beyond);
  }
  of->end = of->first;
  find_blend(p, of, cores);
  bool room = p->out->count < FF_SAMPLES_MAX - 1;
  if (of->blend < 1 && cores->gap_0 <= p->beyond && room) {
    find_overlay(p, of, cores);
    of->end = p->out->count;
  }
}

/* No sample is deeper than the pair. */
static void cut_depth(const shape_pair *p, ff_sample *at) {
  if (at->depth > -p->whole.gap + SAME) {
    at->depth = -p->whole.gap;
    at->d_depth = gradient_by_point(p, v3_neg(p->whole.normal), p->whole.on_a);
    at->normal = at->along = p->whole.normal;
  }
}

/* The same pair of facets with rim prisms in place of fixed ones. False: it has none. */
static bool find_rim_pair(shape_pair *p, const facet_pair *of, facet_pair *out) {
  const ff_facets *facets[2] = {of->a, of->b};
  const ff_geom *shape[2] = {p->a, p->b};
  const ff_pose *pose[2] = {p->pose_a, p->pose_b};
  bool any = false;
  for (int k = 0; k < 2 && of->a; k++) {
    if (ff_facets_have_rim(shape[k], facets[k])) {
      ff_facets_rim(&p->rim[k], &p->rim_room[k], shape[k], pose[k]);
      facets[k] = &p->rim[k];
      any = true;
    }
  }
  if (any) {
    find_facet_pair(p, out, facets[0], facets[1], NULL);
  }
  return any;
}

/* Cuts depths of a pair of facets, and gives weights their factor. What they leave goes to rim
 * prisms, and then to the pair as a whole. */
static void finish_facet_pair(shape_pair *p, const facet_pair *of, double factor,
                              ff_gradient d_factor, bool whole_known, ff_sample *whole) {
  ff_vec3 origin = p->pose_a->position;
  ff_sample *samples = p->out->samples;
  ff_whole_weight rest = {.depth = whole->depth,
                          .tiny = p->tiny,
                          .d_depth = whole->d_depth,
                          .fade = of->fade,
                          .d_fade = of->d_fade};
  for (int i = of->first; i < of->end; i++) {
    if (whole_known) {
      cut_depth(p, &samples[i]);
    }
    if (p->larger) {
      ff_whole_weight_add(&rest, samples[i].depth, samples[i].d_depth, samples[i].weight,
                          samples[i].d_weight);
    }
  }
  const ff_whole_share share =
      p->larger ? ff_whole_weight_share(&rest) : (ff_whole_share){.raise = 1};
  ff_samples_raise(&samples[of->first], of->end - of->first, factor, d_factor, &share, origin);
  for (int i = of->first; i < of->end; i++) {
    samples[i].t1 = v3_orthogonal(samples[i].normal);
  }
  double left = factor * share.left;
  ff_gradient d_left = {.shift = {0, 0, 0}};
  ff_gradient_add(&d_left, share.left, d_factor);
  ff_gradient_add(&d_left, factor, share.d_left);
  facet_pair rim;
  if (left > 0 && find_rim_pair(p, of, &rim)) {
    ff_gradient d_rim = {.shift = {0, 0, 0}};
    ff_gradient_add(&d_rim, 1 - rim.blend, d_left);
    ff_gradient_add(&d_rim, -left, rim.d_blend);
    finish_facet_pair(p, &rim, left * (1 - rim.blend), d_rim, whole_known, whole);
    ff_gradient_add(&whole->d_weight, rim.blend, d_left);
    ff_gradient_add(&whole->d_weight, left, rim.d_blend);
    whole->weight += left * rim.blend;
  } else {
    ff_gradient_add(&whole->d_weight, 1, d_left);
    whole->weight += left;
  }
}

/* Removes samples that only the weights of others depend on. */
static void drop_beyond_margin(shape_pair *p) {
  int kept = 0;
  for (int i = 0; i < p->out->count; i++) {
    if (p->out->samples[i].depth > -p->margin) {
      p->out->samples[kept++] = p->out->samples[i];
    }
  }
  p->out->count = kept;
}

/* Finishes all samples, and adds the pair as a whole. */
static void finish_samples(shape_pair *p, bool whole_known) {
  ff_manifold *out = p->out;
  ff_vec3 origin = p->pose_a->position;
  ff_sample whole = {.id = {.kind = FF_PAIR_WHOLE},
                     .normal = p->whole.normal,
                     .along = p->whole.normal,
                     .depth = -p->whole.gap,
                     .curvature = {INFINITY, INFINITY}};
  whole.point = v3_scale(0.5, v3_add(p->whole.on_a, p->whole.on_b));
  whole.d_depth = gradient_by_point(p, v3_neg(p->whole.normal), p->whole.on_a);
  for (int k = 0; k < p->pair_count; k++) {
    const facet_pair *of = &p->pairs[k];
    ff_gradient d_factor = {.shift = {0, 0, 0}};
    ff_gradient_add(&d_factor, 1 - of->blend, of->d_share);
    ff_gradient_add(&d_factor, -of->share, of->d_blend);
    finish_facet_pair(p, of, of->share * (1 - of->blend), d_factor, whole_known, &whole);
    whole.weight += of->share * of->blend * out->law_units;
    ff_gradient_add(&whole.d_weight, of->blend * out->law_units, of->d_share);
    ff_gradient_add(&whole.d_weight, of->share * out->law_units, of->d_blend);
    out->blend += of->share * of->blend;
  }
  drop_beyond_margin(p);
  if (whole_known && whole.weight > 0 && whole.depth > -p->margin) {
    whole.t1 = v3_orthogonal(whole.normal);
    whole.d_weight = ff_gradient_about(whole.d_weight, origin, whole.point);
    whole.d_depth = ff_gradient_about(whole.d_depth, origin, whole.point);
    out->samples[out->count++] = whole;
  }
}

static void place_facets(shape_pair *p, ff_vec3 normal, const ff_mat3 normal_rate[2]) {
  p->facet_count[0] = ff_facets_find(p->facets[0], p->a, p->pose_a, true, p->sharp[0], normal,
                                     normal_rate, p->all, &p->out->spin[0]);
  p->facet_count[1] = ff_facets_find(p->facets[1], p->b, p->pose_b, false, p->sharp[1], normal,
                                     normal_rate, p->all, &p->out->spin[1]);
}

/* Distance of the cores of the shapes, and the facets at its normal. False: the shapes are too far
 * apart. */
static bool find_facets(shape_pair *p, ff_core_distance *cores, double beyond) {
  ff_geom core[2];
  ff_pose pose[2];
  double lack_a, lack_b;
  if (!ff_facets_core(&core[0], &pose[0], &lack_a, p->a, p->pose_a, p->sharp[0]) ||
      !ff_facets_core(&core[1], &pose[1], &lack_b, p->b, p->pose_b, p->sharp[1])) {
    return false;
  }
  query_cores(p, cores, &core[0], &pose[0], lack_a, &core[1], &pose[1], beyond);
  p->out->normal = cores->at.normal;
  p->out->gap = cores->gap;
  if (cores->gap_0 > beyond) {
    return false;
  }
  ff_mat3 rate[2] = {{{{0}}}, {{{0}}}};
  p->blend = -INFINITY;
  if (ff_facets_turn(p->a->kind) || ff_facets_turn(p->b->kind)) {
    p->blend = cores->blend;
    p->d_blend = (ff_gradient){{0, 0, 0}, {0, 0, 0}};
    ff_gradient_add(&p->d_blend, -4 / cores->margin,
                    gradient_by_point(p, cores->at.normal, cores->at.on_a));
    ff_core_distance_normal_rates(cores, p->pose_a->position, rate);
  }
  place_facets(p, cores->at.normal, rate);
  return true;
}

static int find_whole(shape_pair *p) {
  ff_manifold *out = p->out;
  ff_distance_query(&p->whole, p->a, p->pose_a, p->b, p->pose_b, p->margin);
  out->normal = p->whole.normal;
  out->gap = p->whole.gap;
  out->depth = -p->whole.gap;
  out->law_units = 1;
  out->blend = 1;
  if (out->depth > -p->margin) {
    p->pairs[0] = (facet_pair){.share = 1, .blend = 1, .fade = 1};
    p->pair_count = 1;
    out->blend = 0;
    finish_samples(p, true);
  }
  return out->count;
}

int ff_manifold_facets(const ff_geom *a, const ff_pose *pose_a, const ff_geom *b,
                       const ff_pose *pose_b, double margin, ff_manifold *out) {
  shape_pair p;
  p.a = a, p.b = b, p.pose_a = pose_a, p.pose_b = pose_b, p.margin = margin, p.out = out;
  p.pair_count = 0;
  p.all = false;
  p.reach = margin;
  p.tiny = 0;
  out->count = 0;
  out->blend = 0;
  out->spin[0] = out->spin[1] = NAN;
  if (!ff_geom_is_faceted(a) || !ff_geom_is_faceted(b)) {
    p.larger = false;
    return find_whole(&p);
  }
  double reach = choose_cores(&p);
  p.radius = a->kind == FF_CAPSULE ? a->size.x : 0;
  p.larger = p.radius > 0 || ff_facets_are_inside(a->kind) || ff_facets_are_inside(b->kind);
  out->law_units = p.radius > 0 ? 2 : FF_LAW_UNITS_FLAT;
  if (p.larger) { /* weights depend on samples that lie higher than the pair by less than this */
    p.tiny = TINY * (p.least[0] + p.least[1]);
    p.reach = margin + p.tiny;
  }
  p.beyond = p.reach + reach;
  bool prism = ff_facets_turn(a->kind) || ff_facets_turn(b->kind);
  ff_core_distance cores;
  if (!find_facets(&p, &cores, p.beyond)) {
    return 0;
  }
  for (int i = 0; i < p.facet_count[0]; i++) {
    for (int k = 0; k < p.facet_count[1]; k++) {
      find_facet_pair(&p, &p.pairs[p.pair_count++], &p.facets[0][i], &p.facets[1][k],
                      prism ? NULL : &cores);
    }
  }
  /* sharp polyhedra without a deep sample do not overlap */
  bool overlap = p.larger || !(out->gap > 0);
  for (int i = 0; i < out->count; i++) {
    overlap = overlap || out->samples[i].depth > 0;
  }
  out->depth = NAN;
  if (overlap) {
    /* a query that may stop at a gap of 0 is not exact next to it */
    ff_distance_query(&p.whole, a, pose_a, b, pose_b,
                      p.least[0] + p.least[1] + (p.larger ? margin : 0));
    out->depth = -p.whole.gap;
  } else {
    p.whole.normal = p.whole.on_a = p.whole.on_b = v3(0, 0, 1);
    p.whole.gap = 0;
  }
  finish_samples(&p, overlap);
  return out->count;
}

/* ---- given samples at other poses ---- */

static const ff_topology *topology_of(const ff_geom *geom) {
  return geom->kind == FF_POLYHEDRON ? &geom->hull->topology : &ff_box_topology;
}

/* Outward unit normal of a face, and a vertex of it. */
static ff_vec3 facet_face(const ff_facets *of, int face, ff_vec3 *on) {
  const ff_topology *top = topology_of(&of->geom);
  *on = ff_facets_vertex(of, top->edges[top->side[top->side_start[face]]].vertex[0]);
  double n[3] = {0, 0, 0};
  n[face / 2 % 3] = face % 2 ? 1 : -1;
  return q_rotate(of->pose.orientation,
                  of->geom.kind == FF_POLYHEDRON ? of->geom.hull->normal[face] : v3_load(n));
}

/* First end of an edge, and the way to the second. */
static ff_vec3 facet_edge(const ff_facets *of, int edge, ff_vec3 *along) {
  static const int axis[2] = {0, 1};
  const int *ends = of->geom.kind == FF_CAPSULE ? axis : topology_of(&of->geom)->edges[edge].vertex;
  ff_vec3 first = ff_facets_vertex(of, ends[0]);
  *along = v3_sub(ff_facets_vertex(of, ends[1]), first);
  return first;
}

static ff_feature_depth depth_of(const facet_pair *of, ff_vec3 n, ff_feature_pair id) {
  ff_vec3 x, u, e, f, first;
  int a = id.a - of->a->first_id, b = id.b - of->b->first_id;
  switch ((ff_feature_pair_kind)id.kind) {
    case FF_PAIR_VERTEX_FACE:
      u = facet_face(of->b, b, &x);
      return ff_vertex_face_depth(n, ff_facets_vertex(of->a, a), u, x);
    case FF_PAIR_FACE_VERTEX:
      u = facet_face(of->a, a, &x);
      return ff_face_vertex_depth(n, u, x, ff_facets_vertex(of->b, b));
    default:
      first = facet_edge(of->a, a, &e);
      x = facet_edge(of->b, b, &f);
      return ff_edge_edge_depth(n, first, e, x, f);
  }
}

/* The facets of a (side 0) or b that an id belongs to. */
static const ff_facets *facets_with(shape_pair *p, int side, int id) {
  if (id >= FF_RIM_PRISM && p->rim[side].first_id == 0) {
    ff_facets_rim(&p->rim[side], &p->rim_room[side], side ? p->b : p->a,
                  side ? p->pose_b : p->pose_a);
  }
  return ff_facets_with_id(p->facets[side], p->facet_count[side], &p->rim[side], id);
}

/* Depth of the points of both facets that are farthest along n; in the place of a vertex of a. */
static ff_feature_depth overlap_along(const facet_pair *of, ff_vec3 n) {
  ff_vec3 in_a = q_unrotate(of->a->pose.orientation, v3_neg(n));
  ff_vec3 in_b = q_unrotate(of->b->pose.orientation, n);
  ff_vec3 on_a = pose_point(of->a->pose, ff_geom_support(&of->a->geom, in_a));
  ff_vec3 on_b = pose_point(of->b->pose, ff_geom_support(&of->b->geom, in_b));
  ff_vec3 apart = v3_sub(on_a, on_b);
  double depth = -v3_dot(n, apart);
  return (ff_feature_depth){.depth = depth,
                            .point = v3_axpy(on_a, 0.5 * depth, n),
                            .normal = n,
                            .shift = v3_neg(n),
                            .by_normal = v3_neg(apart)};
}

/* Depth of a feature pair at the normal of the cores. Features of polyhedra that do not face each
 * other, as edges that are nearly parallel and cross far beyond their ends, are not much deeper
 * than the facets; *kind is then that of a vertex of a. Prisms of round shapes are not bounded:
 * their features leave the surface within a step, and a bound there would move the point. */
static ff_feature_depth evaluate_depth(const shape_pair *p, const facet_pair *of,
                                       const ff_core_distance *cores, ff_feature_pair id,
                                       ff_feature_pair_kind *kind) {
  ff_feature_depth own = depth_of(of, cores->at.normal, id);
  double least = p->least[0] + p->least[1], more = BEYOND * least;
  *kind = (ff_feature_pair_kind)id.kind;
  bool round = p->radius > 0 || ff_facets_turn(p->a->kind) || ff_facets_turn(p->b->kind);
  if (round || own.depth <= least - cores->gap_0 + more) { /* the facets are as deep */
    return own;
  }
  ff_feature_depth most = overlap_along(of, cores->at.normal);
  most.depth += more;
  if (own.depth <= most.depth) {
    return own;
  }
  *kind = FF_PAIR_VERTEX_FACE;
  return most;
}

/* Distance of the shapes, once. */
static void query_whole(shape_pair *p) {
  if (isnan(p->whole.gap)) {
    ff_distance_query(&p->whole, p->a, p->pose_a, p->b, p->pose_b, INFINITY);
  }
}

static void evaluate_whole(shape_pair *p, ff_sample *at) {
  query_whole(p);
  at->point = v3_scale(0.5, v3_add(p->whole.on_a, p->whole.on_b));
  at->normal = at->along = p->whole.normal;
  at->depth = -p->whole.gap;
  at->d_depth = gradient_by_point(p, v3_neg(p->whole.normal), p->whole.on_a);
}

/* Cuts the depth of a sample where cores are eroded further: only there is it often more than that
 * of the pair, which is at least r_0 - g_0. False: it is as it was. */
static bool cut_evaluated(shape_pair *p, const ff_core_distance *cores, ff_sample *at) {
  double least = p->least[0] + p->least[1], depth = at->depth;
  if (cores->margin <= least || depth <= least - cores->gap_0 + SAME) {
    return false;
  }
  query_whole(p);
  cut_depth(p, at);
  return at->depth < depth;
}

/* to += v r^T, r a gradient: v per unit of what r is of. */
static void add_rate_outer(ff_mat3 to[2], ff_vec3 v, ff_gradient r) {
  m3_outer_add(&to[0], 1, v, r.shift);
  m3_outer_add(&to[1], 1, v, r.turn);
}

/* From rigid facets to ones that turn in their bodies, as follow_spin: where those of b turn it is
 * as if a turned the other way, and then all of it turned with b. */
static void follow_spin_rates(const shape_pair *p, const facet_pair *of, const ff_sample *at,
                              ff_sample_rates *to) {
  ff_mat3 *rates[2] = {to->point, to->along};
  const ff_mat3 rigid[2][2] = {{to->point[0], to->point[1]}, {to->along[0], to->along[1]}};
  for (int k = 0; k < 2; k++) {
    if (of->a->turned) {
      add_rate_outer(rates[k], m3_mul(rigid[k][1], of->a->axis), of->a->spin);
    }
    if (of->b->turned) {
      ff_vec3 z = of->b->axis, arm = v3_sub(p->pose_a->position, of->b->centre);
      ff_vec3 back = v3_add(m3_mul(rigid[k][1], z), m3_mul(rigid[k][0], v3_cross(z, arm)));
      ff_vec3 with = v3_cross(z, k ? at->along : v3_sub(at->point, of->b->centre));
      add_rate_outer(rates[k], v3_sub(with, back), of->b->spin);
    }
  }
}

/* Derivatives of the contact point and of the direction of depths; see ff_sample_rates. */
static void sample_rates(const shape_pair *p, const facet_pair *of, const ff_mat3 by_normal[2],
                         const ff_sample *at, ff_feature_pair_kind kind, ff_sample_rates *to) {
  ff_vec3 n = at->along, e = n, f = n, side = n, origin = p->pose_a->position;
  double t = at->depth - p->radius, across = 1;
  bool edges = kind == FF_PAIR_EDGE_EDGE, with_b = kind == FF_PAIR_FACE_VERTEX;
  if (edges) {
    facet_edge(of->a, at->id.a % FF_TURNED_PRISM, &e);
    facet_edge(of->b, at->id.b % FF_TURNED_PRISM, &f);
    side = v3_cross(f, n);
    across = v3_dot(e, side);
  }
  /* halfway between p of a and q of b, p - q = -t n; the point is R / 2 less along n */
  ff_vec3 on_a = v3_axpy(at->point, 0.5 * p->radius - 0.5 * t, n);
  ff_gradient depth = ff_gradient_about(at->d_depth, at->point, origin);
  for (int k = 0; k < 6; k++) {
    ff_vec3 axis = v3(k % 3 == 0, k % 3 == 1, k % 3 == 2);
    ff_vec3 u = k < 3 ? axis : v3_cross(axis, v3_sub(on_a, origin));
    ff_vec3 dn = m3_mul(by_normal[k / 3], axis);
    double dt = v3_dot(k < 3 ? depth.shift : depth.turn, axis);
    ff_vec3 half = v3_axpy(v3_scale(0.5 * dt, n), 0.5 * t, dn);
    ff_vec3 moved = v3_add(u, half);
    if (with_b) {
      moved = v3_neg(half);
    } else if (edges) { /* p slides along its edge so as to stay over the other */
      moved = v3_axpy(moved, -v3_dot(v3_axpy(u, t, dn), side) / across, e);
    }
    m3_set_column(&to->point[k / 3], k % 3, v3_axpy(moved, -0.5 * p->radius, dn));
    m3_set_column(&to->along[k / 3], k % 3, dn);
  }
  follow_spin_rates(p, of, at, to);
}

/* Has a sample a feature of a prism that turns towards the contact, with an unknown spin? */
static bool has_turning_prism(const ff_manifold *m) {
  for (int i = 0; i < m->count; i++) {
    ff_feature_pair id = m->samples[i].id;
    if ((id.a >= FF_TURNED_PRISM && id.a < FF_RIM_PRISM && isnan(m->spin[0])) ||
        (id.b >= FF_TURNED_PRISM && id.b < FF_RIM_PRISM && isnan(m->spin[1]))) {
      return true;
    }
  }
  return false;
}

bool ff_manifold_facets_evaluate(const ff_geom *a, const ff_pose *pose_a, const ff_geom *b,
                                 const ff_pose *pose_b, ff_manifold *io, ff_sample_rates *rates) {
  shape_pair p;
  p.a = a, p.b = b, p.pose_a = pose_a, p.pose_b = pose_b, p.margin = INFINITY, p.out = io;
  p.radius = a->kind == FF_CAPSULE ? a->size.x : 0;
  p.all = true;
  p.whole.gap = NAN;
  p.rim[0].first_id = p.rim[1].first_id = 0; /* not placed yet */
  choose_cores(&p);
  ff_core_distance cores, shapes;
  bool prism = ff_facets_turn(a->kind) || ff_facets_turn(b->kind), found = true;
  if (prism && !has_turning_prism(io)) {
    const ff_mat3 none[2] = {{{{0}}}, {{{0}}}};
    place_facets(&p, v3(0, 0, 1), none);
  } else {
    double spin[2] = {io->spin[0], io->spin[1]};
    found = find_facets(&p, &shapes, INFINITY);
    io->spin[0] = spin[0];
    io->spin[1] = spin[1];
  }
  facet_pair of = {.a = NULL};
  ff_mat3 by_normal[2] = {{{{0}}}, {{{0}}}};
  ff_feature_pair_kind kind = FF_PAIR_WHOLE;
  bool known = true; /* derivatives of points: not of the pair as a whole, or cut to it */
  for (int i = 0; i < io->count; i++) {
    ff_sample *at = &io->samples[i];
    if (at->id.kind == FF_PAIR_WHOLE || !found) {
      evaluate_whole(&p, at);
      known = false;
    } else {
      const ff_facets *fa = facets_with(&p, 0, at->id.a), *fb = facets_with(&p, 1, at->id.b);
      if (of.a != fa || of.b != fb) {
        of.a = fa;
        of.b = fb;
        if (prism) {
          query_cores(&p, &cores, &fa->core, &fa->pose, fa->core_radius, &fb->core, &fb->pose,
                      INFINITY);
        } else {
          cores = shapes;
        }
        ff_core_distance_normal_rates(&cores, pose_a->position, by_normal);
      }
      ff_feature_pair id = at->id;
      id.a = (short)(id.a % FF_TURNED_PRISM + fa->first_id);
      id.b = (short)(id.b % FF_TURNED_PRISM + fb->first_id);
      const ff_feature_depth depth = evaluate_depth(&p, &of, &cores, id, &kind);
      set_depth(&p, &of, by_normal, cores.at.normal, &depth, at);
      known = !cut_evaluated(&p, &cores, at) && known;
    }
    at->d_depth = ff_gradient_about(at->d_depth, p.pose_a->position, at->point);
    if (rates && known) {
      sample_rates(&p, &of, by_normal, at, kind, &rates[i]);
    }
  }
  return known;
}
