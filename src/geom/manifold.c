/* Which function has the manifold of a pair of shapes, and what all manifolds have in common. */
#include "geom/manifold.h"

#include "geom/facets.h"
#include "geom/manifold_parts.h"
#include "geom/seam.h"
#include "geom/shape.h"
#include "math/spatial.h"

/* [a][b]: finite shapes with a closed form or a search of their own, each pair in one order. Of
 * others the higher kind is a. */
static ff_contact_points *const smooth_pairs[FF_SHAPE_KIND_COUNT][FF_SHAPE_KIND_COUNT] = {
    [FF_SPHERE] = {[FF_SPHERE] = ff_collide_spheres,
                   [FF_ELLIPSOID] = ff_collide_ellipsoids,
                   [FF_CAPSULE] = ff_collide_sphere_capsule,
                   [FF_BOX] = ff_collide_sphere_box,
                   [FF_CYLINDER] = ff_collide_sphere_cylinder},
    [FF_ELLIPSOID] = {[FF_ELLIPSOID] = ff_collide_ellipsoids},
};

bool ff_manifold_in_order(ff_shape_kind a, ff_shape_kind b) {
  if (a == FF_HALF_SPACE || b == FF_HALF_SPACE) {
    return a != FF_HALF_SPACE;
  }
  return smooth_pairs[a][b] || (a >= b && !smooth_pairs[b][a]);
}

/* The closed form of two kinds in order; NULL: they have a manifold by facets. */
static ff_contact_points *contact_points_of(ff_shape_kind a, ff_shape_kind b) {
  if (b == FF_HALF_SPACE) {
    return ff_shapes[a]->on_plane;
  }
  if (ff_geom_has_facets(a) && ff_geom_has_facets(b)) {
    return NULL;
  }
  return smooth_pairs[a][b] ? smooth_pairs[a][b] : ff_collide_smooth;
}

bool ff_manifold_has_features(ff_shape_kind a, ff_shape_kind b) {
  return !contact_points_of(a, b);
}

int ff_manifold_limit(ff_shape_kind a, ff_shape_kind b) {
  if (a == FF_HALF_SPACE && b == FF_HALF_SPACE) {
    return 0;
  }
  if (!ff_manifold_in_order(a, b)) {
    return ff_manifold_limit(b, a);
  }
  if (ff_manifold_has_features(a, b)) {
    return a == FF_CAPSULE && b == FF_CAPSULE ? 3 : FF_SAMPLES_MAX;
  }
  return b == FF_HALF_SPACE ? ff_shapes[a]->plane_points : 1;
}

static int find_points(ff_contact_points *find, const ff_geom *a, const ff_pose *pose_a,
                       const ff_geom *b, const ff_pose *pose_b, double margin, ff_manifold *out) {
  out->law_units = 0;
  out->blend = 0;
  out->depth = -INFINITY;
  out->spin[0] = out->spin[1] = NAN;
  out->samples[0].normal = out->normal;
  out->count = find(a, pose_a, b, pose_b, margin, out->samples);
  out->normal = out->samples[0].normal;
  for (int i = 0; i < out->count; i++) {
    const ff_sample *at = &out->samples[i];
    if (at->depth > out->depth) {
      out->depth = at->depth;
      out->normal = at->normal;
    }
  }
  out->gap = -out->depth;
  return out->count;
}

/* ---- which is which ---- */

/* The same with a and b exchanged. As b moves it is as if a moved the other way. */
static void turn_round(ff_manifold *m) {
  static const unsigned char other[] = {[FF_PAIR_VERTEX_FACE] = FF_PAIR_FACE_VERTEX,
                                        [FF_PAIR_FACE_VERTEX] = FF_PAIR_VERTEX_FACE,
                                        [FF_PAIR_EDGE_EDGE] = FF_PAIR_EDGE_EDGE,
                                        [FF_PAIR_POINT] = FF_PAIR_POINT,
                                        [FF_PAIR_WHOLE] = FF_PAIR_WHOLE};
  double spin = m->spin[0];
  m->spin[0] = m->spin[1];
  m->spin[1] = spin;
  m->normal = v3_neg(m->normal);
  for (int i = 0; i < m->count; i++) {
    ff_sample *s = &m->samples[i];
    ff_gradient *rates[2] = {&s->d_depth, &s->d_weight};
    s->id = (ff_feature_pair){other[s->id.kind], s->id.b, s->id.a};
    s->normal = v3_neg(s->normal);
    s->along = v3_neg(s->along);
    s->t1 = v3_orthogonal(s->normal);
    for (int k = 0; k < 2; k++) {
      rates[k]->shift = v3_neg(rates[k]->shift);
      rates[k]->turn = v3_neg(rates[k]->turn);
    }
  }
}

static bool is_before(ff_feature_pair s, ff_feature_pair t) {
  return s.kind != t.kind ? s.kind < t.kind : s.a != t.a ? s.a < t.a : s.b < t.b;
}

/* By insertion: samples come nearly in order. */
static void sort_samples(ff_manifold *m) {
  for (int i = 1; i < m->count; i++) {
    ff_sample held = m->samples[i];
    int k = i;
    for (; k > 0 && is_before(held.id, m->samples[k - 1].id); k--) {
      m->samples[k] = m->samples[k - 1];
    }
    if (k < i) {
      m->samples[k] = held;
    }
  }
}

/* Manifold of the shapes continued beyond their seams, with weights by the shares of these. Shares
 * move with the samples, but those of all neighbours sum to 1: their gradients cancel. */
static int find_at_seams(const ff_geom *a, const ff_pose *pose_a, const ff_geom *b,
                         const ff_pose *pose_b, double margin, ff_manifold *out) {
  ff_continued_pair pair;
  int count = 0;
  bool points = !ff_manifold_has_features(a->kind, b->kind);
  ff_pair_continue(&pair, a, pose_a, b, pose_b);
  ff_manifold_find(pair.a, pair.pose_a, pair.b, pair.pose_b, margin, out);
  for (int i = 0; i < out->count; i++) {
    ff_sample *at = &out->samples[i];
    double share = ff_seam_share(a, pose_a, at->point) * ff_seam_share(b, pose_b, at->point);
    if (at->id.kind == FF_PAIR_POINT) { /* it comes and goes */
      at->id = (ff_feature_pair){.kind = FF_PAIR_WHOLE};
    }
    at->weight *= share;
    at->d_weight.shift = v3_scale(share, at->d_weight.shift);
    at->d_weight.turn = v3_scale(share, at->d_weight.turn);
    if (share > 0 || points) {
      out->samples[count++] = *at;
    }
  }
  out->count = count;
  return count;
}

int ff_manifold_find(const ff_geom *a, const ff_pose *pose_a, const ff_geom *b,
                     const ff_pose *pose_b, double margin, ff_manifold *out) {
  if (ff_pair_has_seams(a, b)) {
    return find_at_seams(a, pose_a, b, pose_b, margin, out);
  }
  ff_contact_points *points = contact_points_of(a->kind, b->kind);
  if (points) {
    return find_points(points, a, pose_a, b, pose_b, margin, out);
  }
  if (b->kind == FF_HALF_SPACE) {
    ff_manifold_plane(a, pose_a, pose_b, margin, out);
  } else if (a->kind == FF_CAPSULE && b->kind == FF_CAPSULE) {
    ff_manifold_capsules(a, pose_a, b, pose_b, margin, out);
  } else if (b->kind == FF_CAPSULE) {
    ff_manifold_facets(b, pose_b, a, pose_a, margin, out);
    turn_round(out);
  } else {
    ff_manifold_facets(a, pose_a, b, pose_b, margin, out);
  }
  sort_samples(out);
  return out->count;
}

bool ff_manifold_evaluate(const ff_geom *a, const ff_pose *pose_a, const ff_geom *b,
                          const ff_pose *pose_b, ff_manifold *io, ff_sample_rates *rates) {
  if (ff_pair_has_seams(a, b)) {
    ff_continued_pair pair;
    ff_pair_continue(&pair, a, pose_a, b, pose_b);
    bool known = ff_manifold_evaluate(pair.a, pair.pose_a, pair.b, pair.pose_b, io, rates);
    for (int i = 0; rates && known && i < io->count; i++) {
      ff_continued_rates(&pair, pose_a, rates[i].point);
      ff_continued_rates(&pair, pose_a, rates[i].along);
    }
    return known;
  }
  if (b->kind == FF_HALF_SPACE) {
    return ff_manifold_plane_evaluate(a, pose_a, pose_b, io, rates);
  }
  if (a->kind == FF_CAPSULE && b->kind == FF_CAPSULE) {
    ff_manifold_capsules_evaluate(a, pose_a, b, pose_b, io);
    return false;
  }
  if (b->kind == FF_CAPSULE) {
    turn_round(io); /* ids */
    ff_manifold_facets_evaluate(b, pose_b, a, pose_a, io, NULL);
    turn_round(io);
    return false;
  }
  return ff_manifold_facets_evaluate(a, pose_a, b, pose_b, io, rates);
}

void ff_sample_normal_rates(const ff_geom *a, const ff_pose *pose_a, const ff_geom *b,
                            const ff_pose *pose_b, ff_feature_pair id, ff_vec3 normal,
                            ff_mat3 out[2]) {
  ff_touch_slopes slopes;
  ff_distance at;
  ff_distance_rate rates[6];
  if (ff_pair_has_seams(a, b)) {
    ff_continued_pair pair;
    ff_pair_continue(&pair, a, pose_a, b, pose_b);
    ff_sample_normal_rates(pair.a, pair.pose_a, pair.b, pair.pose_b, id, normal, out);
    ff_continued_rates(&pair, pose_a, out);
    return;
  }
  out[0] = out[1] = (ff_mat3){{{0}}};
  if (id.kind == FF_PAIR_FACE_VERTEX) { /* turns with a */
    out[1] = m3_skew(v3_neg(normal));
  }
  if (id.kind != FF_PAIR_POINT && id.kind != FF_PAIR_WHOLE) {
    return;
  }
  if (a->kind == FF_SPHERE && b->kind == FF_SPHERE) { /* (1 - n n^T) over the distance */
    double per = 1 / v3_norm(v3_sub(pose_a->position, pose_b->position));
    const double n[3] = {normal.x, normal.y, normal.z};
    for (int k = 0; k < 9; k++) {
      out[0].m[k / 3][k % 3] = per * ((k % 4 == 0) - n[k / 3] * n[k % 3]);
    }
    return;
  }
  if (ff_geom_slopes(a, pose_a, b, pose_b, normal, &slopes)) {
    out[0] = slopes.normal[0];
    out[1] = slopes.normal[1];
    return;
  }
  ff_distance_query(&at, a, pose_a, b, pose_b, INFINITY);
  if (ff_distance_rates(rates, &at, a, pose_a, b, pose_b)) {
    for (int k = 0; k < 6; k++) {
      m3_set_column(&out[k / 3], k % 3, rates[k].normal);
    }
  } else if (!ff_normal_rates(&at, pose_a->position, &out[0], &out[1])) {
    out[0] = out[1] = (ff_mat3){{{0}}};
  }
}
