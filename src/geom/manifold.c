#include "geom/manifold.h"

#include "geom/overlay.h"
#include "geom/touch.h"
#include "math/spatial.h"

#define MARGIN 0.02  /* of half the thickness: how much smaller the core of a sharp shape is */
#define SAME   1e-12 /* m: a sample that is deeper than the pair by less than this is not cut */

/* Two polyhedra, where they are, and what the distance queries say of them. */
typedef struct pair {
  const ff_geom *a, *b;
  const ff_pose *pose_a, *pose_b;
  ff_distance whole;        /* of the shapes */
  ff_distance cores;        /* of their cores */
  double erosion;           /* m, r: sum of both margins */
  double blend, blend_rate; /* s, and ds/dg (1/m) */
} pair;

/* s = y^2 (3 - 2 y) with y = 1 - 2 g / r. */
static void find_blend(pair *p) {
  double y = 1 - 2 * p->cores.gap / p->erosion;
  y = lesser(greater(y, 0), 1);
  p->blend = y * y * (3 - 2 * y);
  p->blend_rate = -12 * y * (1 - y) / p->erosion;
}

static void ff_normal_rates(const pair *p, const ff_geom *ca, const ff_geom *cb, ff_mat3 *shift,
                            ff_mat3 *turn) {
  for (int k = 0; k < 6; k++) {
    ff_distance up, down;
    ff_pose x = *p->pose_a, y = *p->pose_a;
    ff_vec3 e = v3(k % 3 == 0, k % 3 == 1, k % 3 == 2);
    double h = 1e-7;
    if (k < 3) {
      x.position = v3_axpy(x.position, h, e);
      y.position = v3_axpy(y.position, -h, e);
    } else {
      x.orientation = q_mul(q_exp(v3_scale(h, e)), x.orientation);
      y.orientation = q_mul(q_exp(v3_scale(-h, e)), y.orientation);
    }
    ff_distance_query(&up, ca, &x, cb, p->pose_b, INFINITY);
    ff_distance_query(&down, ca, &y, cb, p->pose_b, INFINITY);
    m3_set_column(k < 3 ? shift : turn, k % 3, v3_scale(0.5 / h, v3_sub(up.normal, down.normal)));
  }
}

/* The gradient of a function that depends on the pose of a only by where a point of it is: by is
 * its derivative with that point. */
static ff_gradient gradient_at(ff_vec3 by, ff_vec3 at, ff_vec3 point) {
  return (ff_gradient){by, v3_cross(v3_sub(at, point), by)};
}

static void add_gradient(ff_gradient *to, double s, ff_gradient more) {
  to->shift = v3_axpy(to->shift, s, more.shift);
  to->turn = v3_axpy(to->turn, s, more.turn);
}

/* The pair as a whole, pushed apart along the minimum translation; depth and gap both change with
 * the points of a that are nearest to b, or deepest in it, as they move along the normal. */
static void add_whole(const pair *p, ff_manifold *to, double weight) {
  ff_sample *at = &to->samples[to->count++];
  ff_vec3 point = v3_scale(0.5, v3_add(p->whole.on_a, p->whole.on_b));
  *at = (ff_sample){.id = {.kind = FF_PAIR_WHOLE},
                    .point = point,
                    .normal = p->whole.normal,
                    .t1 = v3_orthogonal(p->whole.normal),
                    .depth = -p->whole.gap,
                    .curvature = {INFINITY, INFINITY},
                    .weight = weight,
                    .d_depth = gradient_at(v3_neg(p->whole.normal), p->whole.on_a, point)};
  if (p->blend_rate != 0) {
    add_gradient(&at->d_weight, to->law_units * p->blend_rate,
                 gradient_at(p->cores.normal, p->cores.on_a, point));
  }
}

/* From the frame of the contact to the world, with the derivatives of the normal put in. */
static void add_overlay_sample(const pair *p, const ff_mat3 *frame, const ff_mat3 by_normal[2],
                               const ff_overlay_sample *from, ff_manifold *to) {
  ff_sample *at = &to->samples[to->count++];
  double units = to->law_units * (1 - p->blend);
  at->id = from->id;
  at->point = v3_add(p->pose_b->position, m3_tmul(*frame, from->point));
  at->normal = m3_tmul(*frame, from->normal);
  at->t1 = v3_orthogonal(at->normal);
  at->depth = from->depth;
  at->curvature[0] = at->curvature[1] = INFINITY;
  at->weight = units * from->weight;
  ff_vec3 arm = v3_sub(at->point, p->pose_a->position);
  ff_vec3 depth_normal = m3_tmul(*frame, from->depth_normal);
  ff_vec3 weight_normal = v3_scale(units, m3_tmul(*frame, from->weight_normal));
  at->d_depth.shift =
      v3_add(m3_tmul(*frame, from->depth_shift), m3_tmul(by_normal[0], depth_normal));
  at->d_weight.shift = m3_tmul(by_normal[0], weight_normal);
  /* normals turn about the origin of a; about the point that is a turn and a shift by -turn x arm
   */
  ff_vec3 depth_turn = v3_sub(m3_tmul(by_normal[1], depth_normal),
                              v3_cross(arm, m3_tmul(by_normal[0], depth_normal)));
  ff_vec3 weight_turn =
      v3_sub(m3_tmul(by_normal[1], weight_normal), v3_cross(arm, at->d_weight.shift));
  at->d_depth.turn = v3_add(m3_tmul(*frame, from->depth_turn), depth_turn);
  at->d_weight.turn = v3_axpy(weight_turn, units, m3_tmul(*frame, from->weight_turn));
  if (p->blend_rate != 0) {
    add_gradient(&at->d_weight, -to->law_units * from->weight * p->blend_rate,
                 gradient_at(p->cores.normal, p->cores.on_a, at->point));
  }
}

/* No sample is deeper than the pair. */
static void cut_depth(const pair *p, ff_sample *at) {
  if (at->depth > -p->whole.gap + SAME) {
    at->depth = -p->whole.gap;
    at->d_depth = gradient_at(v3_neg(p->whole.normal), p->whole.on_a, at->point);
    at->normal = p->whole.normal;
    at->t1 = v3_orthogonal(at->normal);
  }
}

static ff_mat3 contact_frame(ff_vec3 n) {
  ff_vec3 x = v3_orthogonal(n), y = v3_cross(n, x);
  return (ff_mat3){{{x.x, x.y, x.z}, {y.x, y.y, y.z}, {n.x, n.y, n.z}}};
}

static void find_samples(pair *p, double margin, ff_manifold *out) {
  ff_polytope a, b;
  ff_mat3 frame = contact_frame(p->cores.normal), by_normal[2];
  ff_vec3 apart = v3_sub(p->pose_a->position, p->pose_b->position);
  ff_polytope_place(&a, p->a, m3_product(frame, q_matrix(p->pose_a->orientation)),
                    m3_mul(frame, apart));
  ff_polytope_place(&b, p->b, m3_product(frame, q_matrix(p->pose_b->orientation)), v3(0, 0, 0));
  ff_overlay_sample found[FF_SAMPLES_MAX];
  int count = ff_overlay(&a, &b, margin, FF_SAMPLES_MAX, found);
  ff_geom ca, cb;
  ff_geom_shrink(&ca, p->a, ff_geom_round(p->a, INFINITY));
  ff_geom_shrink(&cb, p->b, ff_geom_round(p->b, INFINITY));
  ff_normal_rates(p, &ca, &cb, &by_normal[0], &by_normal[1]);
  for (int i = 0; i < count && out->count < FF_SAMPLES_MAX; i++) {
    add_overlay_sample(p, &frame, by_normal, &found[i], out);
  }
}

static int find_polytopes(const ff_geom *a, const ff_pose *pose_a, const ff_geom *b,
                          const ff_pose *pose_b, double margin, ff_manifold *out) {
  pair p = {.a = a, .b = b, .pose_a = pose_a, .pose_b = pose_b};
  ff_geom core_a, core_b;
  double of_a = ff_geom_round(a, INFINITY), of_b = ff_geom_round(b, INFINITY);
  ff_geom_shrink(&core_a, a, of_a);
  ff_geom_shrink(&core_b, b, of_b);
  p.erosion = of_a + of_b;
  out->count = 0;
  out->law_units = FF_LAW_UNITS_FLAT;
  ff_distance_query(&p.cores, &core_a, pose_a, &core_b, pose_b, margin + 2 * p.erosion);
  if (p.cores.gap > margin + 2 * p.erosion) {
    return 0;
  }
  find_blend(&p);
  out->normal = p.cores.normal;
  out->gap = p.cores.gap;
  out->blend = p.blend;
  out->depth = NAN;
  if (p.cores.gap > 0) {
    find_samples(&p, margin, out);
  }
  bool overlap = !(p.cores.gap > 0);
  for (int i = 0; i < out->count; i++) {
    overlap = overlap || out->samples[i].depth > 0;
  }
  if (overlap) {
    ff_distance_query(&p.whole, a, pose_a, b, pose_b, 0);
    out->depth = -p.whole.gap;
    for (int i = 0; i < out->count; i++) {
      cut_depth(&p, &out->samples[i]);
    }
    if (p.blend > 0 && out->count < FF_SAMPLES_MAX) {
      add_whole(&p, out, p.blend * out->law_units);
    }
  }
  return out->count;
}

/* ---- half-spaces and smooth shapes --------------------------------------------------------------
 */

/* Points whose depth changes by minus the normal velocity there, each with a weight of 1. */
static int find_points(const ff_geom *a, const ff_pose *pose_a, const ff_geom *b,
                       const ff_pose *pose_b, double margin, ff_manifold *out) {
  ff_touch points[FF_TOUCH_MAX];
  out->law_units = 0;
  out->blend = 0;
  out->depth = -INFINITY;
  out->count = ff_geom_touch(a, pose_a, b, pose_b, margin, points);
  for (int i = 0; i < out->count; i++) {
    const ff_touch *from = &points[i];
    out->samples[i] = (ff_sample){
        .id = {.kind = FF_PAIR_POINT, .a = (short)from->feature},
        .point = from->point,
        .normal = from->normal,
        .t1 = from->t1,
        .depth = from->depth,
        .weight = 1,
        .curvature = {from->curvature[0], from->curvature[1]},
        .d_depth = {.shift = v3_neg(from->normal)},
    };
    if (from->depth > out->depth) {
      out->depth = from->depth;
      out->normal = from->normal;
    }
  }
  out->gap = -out->depth;
  return out->count;
}

/* ---- which is which
 * ------------------------------------------------------------------------------ */

int ff_manifold_limit(ff_shape_kind a, ff_shape_kind b) {
  bool flat = ff_geom_is_polytope(a) && ff_geom_is_polytope(b);
  return flat ? FF_SAMPLES_MAX : ff_geom_touch_limit(a, b);
}

int ff_manifold_find(const ff_geom *a, const ff_pose *pose_a, const ff_geom *b,
                     const ff_pose *pose_b, double margin, ff_manifold *out) {
  bool flat = ff_geom_is_polytope(a->kind) && ff_geom_is_polytope(b->kind);
  return flat ? find_polytopes(a, pose_a, b, pose_b, margin, out)
              : find_points(a, pose_a, b, pose_b, margin, out);
}
