/* Manifolds by the facets of two shapes (geom/facets.h): overlay of the facets, blend into the pair
 * as a whole where their cores come to overlap, and where the shapes are deeper than the facets.
 *
 * All derivatives are with motions of a at constant b, turns about the origin of a, until the
 * samples are finished. */
#include "geom/facets.h"
#include "geom/manifold_parts.h"
#include "geom/overlay.h"
#include "geom/parts.h"
#include "math/spatial.h"

#define SAME 1e-12 /* m: a sample that is deeper than the pair by less than this is not cut */
#define TINY 1e-3  /* of the margin of the cores: see ff_whole_weight */

/* One pair of facets and its samples. */
typedef struct facet_pair {
  const ff_facets *a, *b;
  double share; /* product of those of the facets */
  ff_gradient d_share;
  double blend; /* s */
  ff_gradient d_blend;
  int first, end; /* its samples */
} facet_pair;

typedef struct shape_pair {
  const ff_geom *a, *b;
  const ff_pose *pose_a, *pose_b;
  double margin;
  double core_margin; /* m, r: of both cores */
  double radius;      /* m, around the facets of a */
  bool larger;        /* shapes are larger than their facets */
  double gap;         /* m, of the cores of the shapes, */
  ff_gradient d_gap;  /* where one is a cylinder; else INFINITY */
  ff_facets facets[2][2];
  int facet_count[2];
  facet_pair pairs[4];
  int pair_count;
  ff_distance whole; /* of the shapes */
  ff_manifold *out;
} shape_pair;

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

/* From the frame of the contact to the world, with the derivatives of the normal put in. */
static void add_overlay_sample(shape_pair *p, const facet_pair *of, const ff_mat3 *frame,
                               const ff_mat3 by_normal[2], const ff_overlay_sample *from) {
  ff_sample *at = &p->out->samples[p->out->count++];
  double units = p->out->law_units;
  ff_vec3 origin = p->pose_a->position;
  ff_vec3 point = v3_add(p->pose_b->position, m3_tmul(*frame, from->point));
  ff_vec3 depth_normal = m3_tmul(*frame, from->depth_normal);
  ff_vec3 weight_normal = v3_scale(units, m3_tmul(*frame, from->weight_normal));
  ff_gradient depth = {m3_tmul(*frame, from->depth_shift), m3_tmul(*frame, from->depth_turn)};
  depth = ff_gradient_about(depth, point, origin);
  ff_gradient_add(
      &depth, 1,
      (ff_gradient){m3_tmul(by_normal[0], depth_normal), m3_tmul(by_normal[1], depth_normal)});
  ff_gradient weight = {
      m3_tmul(by_normal[0], weight_normal),
      v3_axpy(m3_tmul(by_normal[1], weight_normal), units, m3_tmul(*frame, from->weight_turn))};
  *at = (ff_sample){.id = from->id,
                    .normal = m3_tmul(*frame, from->normal),
                    .depth = from->depth + p->radius,
                    .weight = units * from->weight,
                    .curvature = {INFINITY, INFINITY},
                    .d_depth = follow_spin(p, of, depth),
                    .d_weight = follow_spin(p, of, weight)};
  at->id.a = (short)(at->id.a + of->a->first_id);
  at->id.b = (short)(at->id.b + of->b->first_id);
  at->point = v3_axpy(point, -0.5 * p->radius, v3(frame->m[2][0], frame->m[2][1], frame->m[2][2]));
}

static void find_overlay(shape_pair *p, facet_pair *of, const ff_distance *cores) {
  ff_polytope a, b;
  ff_overlay_sample found[FF_SAMPLES_MAX];
  ff_mat3 frame = contact_frame(cores->normal), by_normal[2];
  ff_vec3 base = p->pose_b->position;
  int limit = FF_SAMPLES_MAX - 1 - p->out->count, count; /* one for the pair as a whole */
  ff_polytope_place(&b, &of->b->geom, m3_product(frame, q_matrix(of->b->pose.orientation)),
                    m3_mul(frame, v3_sub(of->b->pose.position, base)));
  if (p->radius > 0) {
    ff_vec3 ends[2], half = v3_scale(of->a->geom.size.y, of->a->axis);
    ff_vec3 middle = v3_sub(of->a->pose.position, base);
    ends[0] = m3_mul(frame, v3_sub(middle, half));
    ends[1] = m3_mul(frame, v3_add(middle, half));
    count = ff_overlay_segment(ends, &b, p->margin + p->radius, limit, found);
  } else {
    ff_polytope_place(&a, &of->a->geom, m3_product(frame, q_matrix(of->a->pose.orientation)),
                      m3_mul(frame, v3_sub(of->a->pose.position, base)));
    count = ff_overlay(&a, &b, p->margin, limit, found);
  }
  if (p->radius > 0 || !ff_normal_rates(cores, p->pose_a->position, &by_normal[0], &by_normal[1])) {
    ff_core_normal_rates(cores, cores->gap + of->a->core_radius, &of->a->core, &of->a->pose,
                         &of->b->core, &of->b->pose, p->pose_a->position, by_normal);
  }
  for (int i = 0; i < count; i++) {
    add_overlay_sample(p, of, &frame, by_normal, &found[i]);
  }
}

/* s = smooth step of 1 - 2 g / r, g the lesser of the distances of the cores of the facets
 * and of the shapes. */
static void find_blend(const shape_pair *p, facet_pair *of, double gap, const ff_distance *cores) {
  ff_gradient d_gap = follow_spin(p, of, gradient_by_point(p, cores->normal, cores->on_a));
  if (p->gap < gap) {
    gap = p->gap;
    d_gap = p->d_gap;
  }
  double rate;
  of->blend = ff_smooth_step(1 - 2 * gap / p->core_margin, &rate);
  ff_gradient_add(&of->d_blend, -2 * rate / p->core_margin, d_gap);
}

static void find_facet_pair(shape_pair *p, const ff_facets *a, const ff_facets *b,
                            const ff_distance *known, double beyond) {
  facet_pair *of = &p->pairs[p->pair_count++];
  ff_distance cores;
  *of = (facet_pair){.a = a, .b = b, .share = a->share * b->share, .first = p->out->count};
  ff_gradient_add(&of->d_share, b->share, a->d_share);
  ff_gradient_add(&of->d_share, a->share, b->d_share);
  if (known) {
    cores = *known;
  } else {
    ff_distance_query(&cores, &a->core, &a->pose, &b->core, &b->pose, beyond);
  }
  double gap = cores.gap + a->core_radius;
  of->end = of->first;
  find_blend(p, of, gap, &cores);
  if (of->blend < 1 && gap <= beyond) {
    find_overlay(p, of, &cores);
    of->end = p->out->count;
  }
}

/* No sample is deeper than the pair. */
static void cut_depth(const shape_pair *p, ff_sample *at) {
  if (at->depth > -p->whole.gap + SAME) {
    at->depth = -p->whole.gap;
    at->d_depth = gradient_by_point(p, v3_neg(p->whole.normal), p->whole.on_a);
    at->normal = p->whole.normal;
  }
}

/* Cuts depths, and gives weights their factors: share and 1 - s. What these leave goes to the pair
 * as a whole. */
static void finish_samples(shape_pair *p, bool whole_known) {
  ff_manifold *out = p->out;
  ff_vec3 origin = p->pose_a->position;
  ff_sample whole = {.id = {.kind = FF_PAIR_WHOLE},
                     .normal = p->whole.normal,
                     .depth = -p->whole.gap,
                     .curvature = {INFINITY, INFINITY}};
  whole.point = v3_scale(0.5, v3_add(p->whole.on_a, p->whole.on_b));
  whole.d_depth = gradient_by_point(p, v3_neg(p->whole.normal), p->whole.on_a);
  for (int k = 0; k < p->pair_count; k++) {
    const facet_pair *of = &p->pairs[k];
    ff_whole_weight rest = {
        .depth = whole.depth, .tiny = TINY * p->core_margin, .d_depth = whole.d_depth};
    double factor = of->share * (1 - of->blend), left = 0;
    ff_gradient d_factor = {.shift = {0, 0, 0}}, d_left = {.shift = {0, 0, 0}};
    ff_gradient_add(&d_factor, 1 - of->blend, of->d_share);
    ff_gradient_add(&d_factor, -of->share, of->d_blend);
    for (int i = of->first; i < of->end; i++) {
      ff_sample *at = &out->samples[i];
      if (whole_known) {
        cut_depth(p, at);
      }
      if (p->larger) {
        ff_whole_weight_add(&rest, at->depth, at->d_depth, at->weight, at->d_weight);
      }
      ff_gradient d_weight = {.shift = {0, 0, 0}};
      ff_gradient_add(&d_weight, factor, at->d_weight);
      ff_gradient_add(&d_weight, at->weight, d_factor);
      at->d_weight = ff_gradient_about(d_weight, origin, at->point);
      at->d_depth = ff_gradient_about(at->d_depth, origin, at->point);
      at->weight *= factor;
      at->t1 = v3_orthogonal(at->normal);
    }
    if (p->larger && rest.worth < 1) {
      left = 1 - rest.worth;
      ff_gradient_add(&d_left, -1, rest.d_worth);
    }
    whole.weight += factor * left + of->share * of->blend * out->law_units;
    ff_gradient_add(&whole.d_weight, left, d_factor);
    ff_gradient_add(&whole.d_weight, factor, d_left);
    ff_gradient_add(&whole.d_weight, of->blend * out->law_units, of->d_share);
    ff_gradient_add(&whole.d_weight, of->share * out->law_units, of->d_blend);
    out->blend += of->share * of->blend;
  }
  if (whole_known && whole.weight > 0 && whole.depth > -p->margin) {
    whole.t1 = v3_orthogonal(whole.normal);
    whole.d_weight = ff_gradient_about(whole.d_weight, origin, whole.point);
    whole.d_depth = ff_gradient_about(whole.d_depth, origin, whole.point);
    out->samples[out->count++] = whole;
  }
}

/* The normal and gap that facets of cylinders follow. False: the shapes are too far apart. */
static bool find_facets(shape_pair *p, ff_distance *cores, double beyond) {
  ff_geom core_a, core_b;
  ff_pose pose_a, pose_b;
  double lack_a, lack_b;
  if (!ff_facets_core(&core_a, &pose_a, &lack_a, p->a, p->pose_a) ||
      !ff_facets_core(&core_b, &pose_b, &lack_b, p->b, p->pose_b)) {
    return false;
  }
  ff_distance_query(cores, &core_a, &pose_a, &core_b, &pose_b, beyond);
  p->out->normal = cores->normal;
  p->out->gap = cores->gap + lack_a;
  if (p->out->gap > beyond) {
    return false;
  }
  ff_mat3 rate[2] = {{{{0}}}, {{{0}}}};
  p->gap = INFINITY;
  if (p->a->kind == FF_CYLINDER || p->b->kind == FF_CYLINDER) {
    p->gap = p->out->gap;
    p->d_gap = gradient_by_point(p, cores->normal, cores->on_a);
    ff_core_normal_rates(cores, p->out->gap, &core_a, &pose_a, &core_b, &pose_b,
                         p->pose_a->position, rate);
  }
  p->facet_count[0] = ff_facets_find(p->facets[0], p->a, p->pose_a, true, cores->normal, rate);
  p->facet_count[1] = ff_facets_find(p->facets[1], p->b, p->pose_b, false, cores->normal, rate);
  return true;
}

/* Intersections without flat faces. */
static bool has_facets(const ff_geom *geom) {
  return geom->kind != FF_INTERSECTION || geom->parts->facets;
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
    p->pairs[0] = (facet_pair){.share = 1, .blend = 1};
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
  out->count = 0;
  out->blend = 0;
  if (!has_facets(a) || !has_facets(b)) {
    p.larger = false;
    return find_whole(&p);
  }
  double reach_a, reach_b;
  p.core_margin = ff_facets_margin(a, &reach_a) + ff_facets_margin(b, &reach_b);
  p.radius = a->kind == FF_CAPSULE ? a->size.x : 0;
  p.larger = p.radius > 0 || ff_facets_are_inside(a->kind) || ff_facets_are_inside(b->kind);
  out->law_units = p.radius > 0 ? 2 : FF_LAW_UNITS_FLAT;
  double beyond = margin + reach_a + reach_b;
  bool prism = a->kind == FF_CYLINDER || b->kind == FF_CYLINDER;
  ff_distance cores;
  if (!find_facets(&p, &cores, beyond)) {
    return 0;
  }
  for (int i = 0; i < p.facet_count[0]; i++) {
    for (int k = 0; k < p.facet_count[1]; k++) {
      find_facet_pair(&p, &p.facets[0][i], &p.facets[1][k], prism ? NULL : &cores, beyond);
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
    ff_distance_query(&p.whole, a, pose_a, b, pose_b, p.core_margin + (p.larger ? margin : 0));
    out->depth = -p.whole.gap;
  } else {
    p.whole.normal = p.whole.on_a = p.whole.on_b = v3(0, 0, 1);
    p.whole.gap = 0;
  }
  finish_samples(&p, overlap);
  return out->count;
}
