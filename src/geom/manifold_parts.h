/* Inside manifold*.c. */
#ifndef FF_GEOM_MANIFOLD_PARTS_H
#define FF_GEOM_MANIFOLD_PARTS_H

#include "geom/manifold.h"
#include "math/vec.h"

/* Boxes, polyhedra, cylinders, intersections and capsules (then a is one), by their facets. */
int ff_manifold_facets(const ff_geom *a, const ff_pose *pose_a, const ff_geom *b,
                       const ff_pose *pose_b, double margin, ff_manifold *out);

/* Evaluates given samples; rates: NULL, or where to put their derivatives. False: these are not
 * known. */
bool ff_manifold_facets_evaluate(const ff_geom *a, const ff_pose *pose_a, const ff_geom *b,
                                 const ff_pose *pose_b, ff_manifold *io, ff_sample_rates *rates);

/* Two capsules. */
int ff_manifold_capsules(const ff_geom *a, const ff_pose *pose_a, const ff_geom *b,
                         const ff_pose *pose_b, double margin, ff_manifold *out);

void ff_manifold_capsules_evaluate(const ff_geom *a, const ff_pose *pose_a, const ff_geom *b,
                                   const ff_pose *pose_b, ff_manifold *io);

/* The manifold of two kinds of shapes with points in closed form, each with a weight of 1: those
 * with depth > -margin, in their order. Returns their number; if none, out[0].normal may be set to
 * a direction along which the two are apart. */
typedef int ff_contact_points(const ff_geom *a, const ff_pose *pose_a, const ff_geom *b,
                              const ff_pose *pose_b, double margin, ff_sample *out);

/* On half-spaces: the rows of shapes. */
ff_contact_points ff_collide_sphere_plane, ff_collide_ellipsoid_plane, ff_collide_box_plane,
    ff_collide_capsule_plane, ff_collide_superellipsoid_plane;

/* Pairs of finite shapes, of which one is smooth. */
ff_contact_points ff_collide_spheres, ff_collide_sphere_capsule, ff_collide_sphere_box,
    ff_collide_sphere_cylinder;
ff_contact_points ff_collide_ellipsoids; /* either may be a sphere */
ff_contact_points ff_collide_smooth;     /* any other */

/* Contact point k of a pair with closed forms; its curvature is that of a plane. */
static inline void ff_sample_point(ff_sample *out, int k, ff_vec3 point, ff_vec3 normal, ff_vec3 t1,
                                   double depth) {
  *out = (ff_sample){.id = {.kind = FF_PAIR_POINT, .a = (short)k},
                     .point = point,
                     .normal = normal,
                     .along = normal,
                     .t1 = t1,
                     .depth = depth,
                     .weight = 1,
                     .d_depth = {.shift = v3_neg(normal)}};
}

/* Other shapes on a half-space: by their facets. */
int ff_manifold_plane(const ff_geom *a, const ff_pose *pose_a, const ff_pose *pose_b, double margin,
                      ff_manifold *out);

bool ff_manifold_plane_evaluate(const ff_geom *a, const ff_pose *pose_a, const ff_pose *pose_b,
                                ff_manifold *io, ff_sample_rates *rates);

/* y^2 (3 - 2 y) for y from 0 to 1, and its derivative. */
static inline double ff_smooth_step(double y, double *rate) {
  y = lesser(greater(y, 0), 1);
  *rate = 6 * y * (1 - y);
  return y * y * (3 - 2 * y);
}

/* to += s more, both about the same point. */
static inline void ff_gradient_add(ff_gradient *to, double s, ff_gradient more) {
  to->shift = v3_axpy(to->shift, s, more.shift);
  to->turn = v3_axpy(to->turn, s, more.turn);
}

/* With turns about another point: a turn about `to` is one about `from`, and a shift. */
static inline ff_gradient ff_gradient_about(ff_gradient g, ff_vec3 from, ff_vec3 to) {
  return (ff_gradient){g.shift, v3_add(g.turn, v3_cross(v3_sub(from, to), g.shift))};
}

/* Shapes can overlap by more than the depths of their samples.
 *
 * Of samples of weight w and depth d > 0 and the pair's depth D let m = sum of w (d / D)^2: how
 * many points of depth D they are worth. Where that is less than 1, the weights of all samples are
 * raised by 1 / m, at most by RAISED over `fade`, and the pair as a whole, a sample of depth D,
 * weighs what is still missing. For a law that stores d^2 the energy is then the larger of that of
 * the samples and that of one point of depth D; for others it is nearly that. Raising comes first
 * since the witness points of D jump from end to end where shapes touch along a line. Below the
 * small depth `tiny` d / D is 1 - (D - d) / tiny: samples that are apart, but less than `tiny`
 * higher than D, count too, and must be found whatever margin is asked for. */
#define FF_WEIGHT_RAISED 4.0

typedef struct ff_whole_weight {
  double depth, tiny;  /* m */
  ff_gradient d_depth; /* of D */
  double fade;         /* factor that all weights have in common, 0 to 1 */
  ff_gradient d_fade;
  double worth; /* m */
  ff_gradient d_worth;
} ff_whole_weight;

static inline void ff_whole_weight_add(ff_whole_weight *to, double depth, ff_gradient d_depth,
                                       double weight, ff_gradient d_weight) {
  double scale = greater(to->depth, to->tiny), x = 1 - (to->depth - depth) / scale;
  if (x > 0) {
    x = lesser(x, 1);
    double per = 2 * weight * x / scale;
    to->worth += weight * x * x;
    ff_gradient_add(&to->d_worth, x * x, d_weight);
    ff_gradient_add(&to->d_worth, per, d_depth);
    ff_gradient_add(&to->d_worth, -per * (to->depth > to->tiny ? x : 1), to->d_depth);
  }
}

/* Factor of the weights of the samples, and weight of the pair as a whole. */
typedef struct ff_whole_share {
  double raise, left;
  ff_gradient d_raise, d_left;
} ff_whole_share;

static inline ff_whole_share ff_whole_weight_share(const ff_whole_weight *of) {
  ff_whole_share out = {.raise = 1};
  if (of->worth >= 1) {
    return out;
  }
  if (FF_WEIGHT_RAISED * of->worth < of->fade) {
    out.raise = FF_WEIGHT_RAISED / of->fade;
    ff_gradient_add(&out.d_raise, -out.raise / of->fade, of->d_fade);
    out.left = 1 - out.raise * of->worth;
    ff_gradient_add(&out.d_left, -out.raise, of->d_worth);
    ff_gradient_add(&out.d_left, -of->worth, out.d_raise);
  } else if (of->worth > 0) {
    out.raise = 1 / of->worth;
    ff_gradient_add(&out.d_raise, -out.raise * out.raise, of->d_worth);
  } else {
    out.left = 1;
  }
  return out;
}

/* Multiplies the weights of samples by a factor and by what they are raised by. Derivatives, which
 * are with turns about origin, are then about the points of the samples. */
static inline void ff_samples_raise(ff_sample *samples, int count, double factor,
                                    ff_gradient d_factor, const ff_whole_share *share,
                                    ff_vec3 origin) {
  ff_gradient d_raised = {.shift = {0, 0, 0}}; /* of factor times raise */
  ff_gradient_add(&d_raised, share->raise, d_factor);
  ff_gradient_add(&d_raised, factor, share->d_raise);
  for (int i = 0; i < count; i++) {
    ff_sample *at = &samples[i];
    ff_gradient d_weight = {.shift = {0, 0, 0}};
    ff_gradient_add(&d_weight, factor * share->raise, at->d_weight);
    ff_gradient_add(&d_weight, at->weight, d_raised);
    at->d_weight = ff_gradient_about(d_weight, origin, at->point);
    at->d_depth = ff_gradient_about(at->d_depth, origin, at->point);
    at->weight *= factor * share->raise;
  }
}

#endif
