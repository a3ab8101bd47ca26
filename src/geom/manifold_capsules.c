/* Two capsules: where they are nearest, and, where their axes are nearly parallel, the two ends of
 * the length over which they lie side by side.
 *
 * With unit axes x and y, y turned so that x.y > 0, let m = (x + y) / |x + y|. At a place along m
 * the axes have the points p and q with m.(p - q) = 0, and the depth is R_a + R_b - |p - q|. The
 * samples are at the ends of what both axes cover along m: where one of them ends. Their weight
 * fades from 1 to 0 as the angle between the axes grows, and as that length vanishes; what is left
 * goes to the pair as a whole. */
#include "geom/distance.h"
#include "geom/manifold_parts.h"

#define PARALLEL_UP_TO                                                                             \
  0.2                     /* sine of the angle between the axes: samples have their full weight,   \
                           */
#define CROSSED_FROM 0.5  /* and none */
#define FULL_LENGTH  0.5  /* of both radii: samples of axes that cover as much have full weight */
#define TINY         1e-5 /* of both radii: see ff_whole_weight */

typedef struct axis_pair {
  ff_vec3 origin;  /* m, of a: turns are about it */
  ff_vec3 x, y, m; /* unit */
  ff_vec3 middle[2];
  double half[2], radius;
  double per_sum; /* 1 / |x + y| */
} axis_pair;

/* An end of the length that both cover: place along m from the middle of a, and which end of which
 * axis that is. */
typedef struct shared_end {
  double place;
  int of, side;
} shared_end;

/* m turns with x: dm = (1 - m m^T) (dw x x) / |x + y|. Adds by.dm as a gradient. */
static void add_by_mean(const axis_pair *p, ff_gradient *to, ff_vec3 by) {
  by = v3_scale(p->per_sum, v3_axpy(by, -v3_dot(by, p->m), p->m));
  to->turn = v3_add(to->turn, v3_cross(p->x, by));
}

/* Place of an end of an axis along m, from the middle of a, and its gradient. */
static double place_of(const axis_pair *p, int of, int side, ff_gradient *rate) {
  ff_vec3 end = v3_axpy(p->middle[of], side * p->half[of], of ? p->y : p->x);
  ff_vec3 off = v3_sub(end, p->origin);
  if (rate) {
    *rate = (ff_gradient){.shift = {0, 0, 0}};
    add_by_mean(p, rate, off);
    if (of) { /* the origin of a moves */
      rate->shift = v3_neg(p->m);
    } else {
      rate->turn = v3_add(rate->turn, v3_cross(off, p->m));
    }
  }
  return v3_dot(p->m, off);
}

/* Depth, point and gradients at one end of the shared length. If that is an end of a, it is p, and
 * q moves along y so as to stay level with it, else the other way round; the one that moves does so
 * by the change of level over the slope of its axis. */
static void fill_end_sample(const axis_pair *p, shared_end at, ff_sample *out) {
  ff_vec3 fixed = v3_axpy(p->middle[at.of], at.side * p->half[at.of], at.of ? p->y : p->x);
  int other = !at.of;
  ff_vec3 along = other ? p->y : p->x, from = v3_sub(fixed, p->middle[other]);
  double slope = v3_dot(along, p->m), s = v3_dot(from, p->m) / slope;
  ff_vec3 moving = v3_axpy(p->middle[other], s, along);
  ff_vec3 on_a = at.of ? moving : fixed, on_b = at.of ? fixed : moving;
  ff_vec3 apart = v3_sub(on_a, on_b);
  double far = v3_norm(apart);
  ff_vec3 n = far > 0 ? v3_scale(1 / far, apart) : v3_orthogonal(p->m);
  /* depth = R - n.(p - q); level: m.(p - q) = 0 */
  double slide = v3_dot(n, along) / slope;
  ff_vec3 push = v3_axpy(v3_neg(n), slide, p->m); /* per shift of p along with a */
  ff_gradient depth = {push, v3_cross(v3_sub(on_a, p->origin), push)};
  add_by_mean(p, &depth, v3_scale(slide, apart));
  out->depth = p->radius - far;
  out->normal = out->along = n;
  out->d_depth = depth;
  out->point = v3_scale(0.5, v3_add(on_a, on_b));
}

/* Ends of what both axes cover along m; lower first. */
static void find_shared(const axis_pair *p, shared_end ends[2]) {
  for (int k = 0; k < 2; k++) {
    int side = k ? 1 : -1;
    double a = place_of(p, 0, side, NULL), b = place_of(p, 1, side, NULL);
    bool of_b = k ? b < a : b > a;
    ends[k] = (shared_end){of_b ? b : a, of_b, side};
  }
}

/* Samples at both ends, with turns about the origin of a. */
static int find_end_samples(const axis_pair *p, double r_a, double r_b, ff_sample out[2]) {
  shared_end ends[2];
  ff_vec3 across = v3_cross(p->x, p->y);
  double sine = v3_norm(across), rate, length_rate;
  double fade =
      1 - ff_smooth_step((sine - PARALLEL_UP_TO) / (CROSSED_FROM - PARALLEL_UP_TO), &rate);
  if (!(fade > 0)) {
    return 0;
  }
  find_shared(p, ends);
  double full = FULL_LENGTH * p->radius;
  double cover = ff_smooth_step((ends[1].place - ends[0].place) / full, &length_rate);
  if (!(cover > 0)) {
    return 0;
  }
  /* |x x y| changes by (dw x x) x y . across / sine */
  ff_gradient d_weight = {.shift = {0, 0, 0}}, d_place;
  if (rate > 0) {
    ff_vec3 by_x = v3_cross(p->y, v3_scale(1 / sine, across));
    d_weight.turn = v3_scale(-cover * rate / (CROSSED_FROM - PARALLEL_UP_TO), v3_cross(p->x, by_x));
  }
  for (int k = 0; k < 2; k++) {
    place_of(p, ends[k].of, ends[k].side, &d_place);
    ff_gradient_add(&d_weight, (k ? 1 : -1) * fade * length_rate / full, d_place);
  }
  for (int k = 0; k < 2; k++) {
    out[k] = (ff_sample){
        .curvature = {INFINITY, INFINITY}, .weight = fade * cover, .d_weight = d_weight};
    out[k].id.kind = ends[k].of ? FF_PAIR_FACE_VERTEX : FF_PAIR_VERTEX_FACE;
    out[k].id.a = (short)(ends[k].of ? 0 : k);
    out[k].id.b = (short)(ends[k].of ? k : 0);
    fill_end_sample(p, ends[k], &out[k]);
    out[k].point = v3_axpy(out[k].point, 0.5 * (r_b - r_a), out[k].normal);
  }
  return 2;
}

static void finish_capsule_sample(ff_sample *at, ff_vec3 origin) {
  at->t1 = v3_orthogonal(at->normal);
  at->d_depth = ff_gradient_about(at->d_depth, origin, at->point);
  at->d_weight = ff_gradient_about(at->d_weight, origin, at->point);
}

static axis_pair axes_of(const ff_geom *a, const ff_pose *pose_a, const ff_geom *b,
                         const ff_pose *pose_b) {
  axis_pair p = {.origin = pose_a->position,
                 .x = q_axis_z(pose_a->orientation),
                 .y = q_axis_z(pose_b->orientation),
                 .middle = {pose_a->position, pose_b->position},
                 .half = {a->size.y, b->size.y},
                 .radius = a->size.x + b->size.x};
  p.y = v3_dot(p.x, p.y) < 0 ? v3_neg(p.y) : p.y;
  p.m = v3_add(p.x, p.y);
  p.per_sum = 1 / v3_norm(p.m);
  p.m = v3_scale(p.per_sum, p.m);
  return p;
}

/* The pair as a whole, without its weight, with turns about the origin of a. */
static void fill_whole_sample(const axis_pair *p, const ff_distance *near, ff_sample *out) {
  ff_vec3 push = v3_neg(near->normal);
  out->point = v3_scale(0.5, v3_add(near->on_a, near->on_b));
  out->normal = out->along = near->normal;
  out->depth = -near->gap;
  out->d_depth = (ff_gradient){push, v3_cross(v3_sub(near->on_a, p->origin), push)};
}

void ff_manifold_capsules_evaluate(const ff_geom *a, const ff_pose *pose_a, const ff_geom *b,
                                   const ff_pose *pose_b, ff_manifold *io) {
  axis_pair p = axes_of(a, pose_a, b, pose_b);
  for (int i = 0; i < io->count; i++) {
    ff_sample *at = &io->samples[i];
    if (at->id.kind == FF_PAIR_WHOLE) {
      ff_distance near;
      ff_distance_query(&near, a, pose_a, b, pose_b, INFINITY);
      fill_whole_sample(&p, &near, at);
    } else {
      bool of_b = at->id.kind == FF_PAIR_FACE_VERTEX;
      int end = of_b ? at->id.b : at->id.a;
      fill_end_sample(&p, (shared_end){.of = of_b, .side = end ? 1 : -1}, at);
      at->point = v3_axpy(at->point, 0.5 * (b->size.x - a->size.x), at->normal);
    }
    at->d_depth = ff_gradient_about(at->d_depth, p.origin, at->point);
  }
}

int ff_manifold_capsules(const ff_geom *a, const ff_pose *pose_a, const ff_geom *b,
                         const ff_pose *pose_b, double margin, ff_manifold *out) {
  ff_distance near;
  ff_distance_query(&near, a, pose_a, b, pose_b, margin);
  axis_pair p = axes_of(a, pose_a, b, pose_b);
  *out = (ff_manifold){.normal = near.normal,
                       .depth = -near.gap,
                       .gap = near.gap + p.radius,
                       .law_units = 2,
                       .spin = {NAN, NAN}};
  if (near.gap > margin) {
    return 0;
  }
  ff_sample found[3] = {{.weight = 0}}, *whole = &found[2];
  int count = find_end_samples(&p, a->size.x, b->size.x, found);
  *whole = (ff_sample){.id = {.kind = FF_PAIR_WHOLE}, .curvature = {INFINITY, INFINITY}};
  fill_whole_sample(&p, &near, whole);
  ff_whole_weight rest = {
      .depth = whole->depth, .tiny = TINY * p.radius, .d_depth = whole->d_depth, .fade = 1};
  if (count > 0) {
    rest.fade = found[0].weight;
    rest.d_fade = found[0].d_weight;
  }
  for (int i = 0; i < count; i++) {
    ff_whole_weight_add(&rest, found[i].depth, found[i].d_depth, found[i].weight,
                        found[i].d_weight);
  }
  const ff_whole_share share = ff_whole_weight_share(&rest);
  for (int i = 0; i < count; i++) {
    if (found[i].depth > -margin) {
      ff_sample *at = &out->samples[out->count++];
      ff_gradient d_weight = {.shift = {0, 0, 0}};
      ff_gradient_add(&d_weight, share.raise, found[i].d_weight);
      ff_gradient_add(&d_weight, found[i].weight, share.d_raise);
      *at = found[i];
      at->weight *= share.raise;
      at->d_weight = d_weight;
      finish_capsule_sample(at, p.origin);
    }
  }
  if (share.left > 0) {
    whole->weight = share.left;
    whole->d_weight = share.d_left;
    out->samples[out->count++] = *whole;
    finish_capsule_sample(&out->samples[out->count - 1], p.origin);
  }
  return out->count;
}
