/* Solid right circular cone. size.x: radius of the base, size.y: height. The origin is the centre
 * of mass: the base at z = -h/4, the tip at z = 3 h/4.
 *
 * Facets: a square pyramid inscribed in it, in hull. */
#include "geom/facets.h"
#include "geom/hull.h"
#include "geom/shape.h"

#define DIAGONAL 0.70710678118654752440
#define NO_AXIS  1e-12 /* of the radius: nearer to the axis the side has no direction */

/* Cosine and sine of the angle between the side's normal and the base. */
static void cone_slope(const ff_geom *geom, double *c, double *s) {
  double side = sqrt(geom->size.x * geom->size.x + geom->size.y * geom->size.y);
  *c = geom->size.y / side;
  *s = geom->size.x / side;
}

static double cone_bound(const ff_geom *geom) {
  double r = geom->size.x, h = geom->size.y;
  return fmax(0.75 * h, sqrt(r * r + h * h / 16));
}

/* Radius of the ball about the origin that fits in. */
static double cone_thickness(const ff_geom *geom) {
  double c, s;
  cone_slope(geom, &c, &s);
  return fmin(0.25 * geom->size.y, 0.75 * geom->size.y * s);
}

static double cone_volume(const ff_geom *geom) {
  return ff_pi * geom->size.x * geom->size.x * geom->size.y / 3;
}

/* 3/20 r^2, 3/20 r^2, 3/80 h^2 times the volume. */
static ff_vec3 cone_inertia(const ff_geom *geom) {
  double r = geom->size.x, h = geom->size.y, across = 0.15 * r * r;
  return ff_inertia_of_planes(v3_scale(cone_volume(geom), v3(across, across, 0.0375 * h * h)));
}

static ff_vec3 cone_support(const ff_geom *geom, ff_vec3 n) {
  double r = geom->size.x, h = geom->size.y, across = sqrt(n.x * n.x + n.y * n.y);
  if (n.z * h >= r * across) {
    return v3(0, 0, 0.75 * h);
  }
  double scale = across > 0 ? r / across : 0;
  return v3(scale * n.x, scale * n.y, -0.25 * h);
}

/* Rules: side, base. */
static double cone_value(const ff_geom *geom, int rule, ff_vec3 x) {
  double c, s;
  if (rule == 1) {
    return -x.z - 0.25 * geom->size.y;
  }
  cone_slope(geom, &c, &s);
  return c * sqrt(x.x * x.x + x.y * x.y) + s * (x.z - 0.75 * geom->size.y);
}

/* On the axis the side is bent without end, and has the slope of the mean. */
static void cone_rule(const ff_geom *geom, int rule, ff_vec3 x, ff_rule *out) {
  double c, s, across = fmax(sqrt(x.x * x.x + x.y * x.y), NO_AXIS * geom->size.x);
  if (rule == 1) {
    ff_rule_flat(v3(0, 0, -1), 0.25 * geom->size.y, x, out);
    return;
  }
  cone_slope(geom, &c, &s);
  double ex = x.x / across, ey = x.y / across, bend = c / across;
  *out = (ff_rule){.value = cone_value(geom, 0, x), .slope = {c * ex, c * ey, s}};
  out->bend = (ff_mat3){{{bend * (1 - ex * ex), -bend * ex * ey, 0},
                         {-bend * ex * ey, bend * (1 - ey * ey), 0},
                         {0, 0, 0}}};
}

/* Along p + t v from inside: where c rho = s (tip - z), a t^2 + 2 b t - d = 0. */
static double leave_side(const ff_geom *geom, ff_vec3 p, ff_vec3 v) {
  double c, s;
  cone_slope(geom, &c, &s);
  double below = 0.75 * geom->size.y - p.z;
  double a = c * c * (v.x * v.x + v.y * v.y) - s * s * v.z * v.z;
  double b = c * c * (p.x * v.x + p.y * v.y) + s * s * below * v.z;
  double d = fmax(s * s * below * below - c * c * (p.x * p.x + p.y * p.y), 0);
  double root = b * b + a * d;
  if (!(root >= 0)) {
    return INFINITY;
  }
  /* the smaller positive root, without cancellation: d / (b + sqrt(b^2 + a d)) */
  double to = b + sqrt(root);
  return to > 0 ? d / to : INFINITY;
}

static double cone_exit(const ff_geom *geom, ff_vec3 from, ff_vec3 direction, int *rule) {
  double side = leave_side(geom, from, direction);
  double base = direction.z < 0 ? -(from.z + 0.25 * geom->size.y) / direction.z : INFINITY;
  *rule = base < side;
  return fmin(side, base);
}

static ff_vec3 cone_tip(const ff_geom *geom) {
  return v3(0, 0, 0.75 * geom->size.y);
}

static bool cone_face(const ff_geom *geom, ff_vec3 x, ff_vec3 *normal, double *height,
                      double *beside) {
  *height = cone_value(geom, 1, x);
  *beside = *height > 0 ? sqrt(x.x * x.x + x.y * x.y) - geom->size.x : cone_value(geom, 0, x);
  *normal = v3(0, 0, -1);
  return true;
}

static ff_status cone_make(ff_geom *out, ff_pose *frame, ff_arena *arena, const ff_shape_def *def,
                           ff_report *report) {
  (void)def;
  double half = DIAGONAL * out->size.x, h = out->size.y;
  const ff_vec3 corners[5] = {{half, half, -0.25 * h},
                              {-half, half, -0.25 * h},
                              {-half, -half, -0.25 * h},
                              {half, -half, -0.25 * h},
                              {0, 0, 0.75 * h}};
  ff_hull *hull = ff_arena_take(arena, 1, sizeof *hull);
  ff_pose own;
  if (!hull) {
    return FF_ERROR_MEMORY;
  }
  ff_status status = ff_hull_make(hull, &own, arena, corners, 5, report);
  if (status == FF_OK) {
    ff_hull_place(hull, own);
    status = ff_hull_erode_inner(hull, FF_ROUND_MARGIN, arena);
  }
  out->hull = hull;
  *frame = (ff_pose){{0, 0, 0}, q_identity()};
  return status;
}

const ff_shape_ops ff_shape_cone = {.name = "cone",
                                    .sizes = {FF_SIZE_WORDS("radius"), FF_SIZE_WORDS("height")},
                                    .facets = FF_FACETS_PRISM,
                                    .make = cone_make,
                                    .bound = cone_bound,
                                    .thickness = cone_thickness,
                                    .volume = cone_volume,
                                    .inertia = cone_inertia,
                                    .support = cone_support,
                                    .tip = cone_tip,
                                    .face = cone_face,
                                    .rules = 2,
                                    .rule = cone_rule,
                                    .value = cone_value,
                                    .exit = cone_exit};
