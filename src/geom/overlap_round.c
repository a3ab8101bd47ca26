/* Cylinders and capsules below a plane, as sums over thin slices.
 *
 * Both are round about z, so the picture is that of the plane that holds the axis and the
 * normal: x across the axis towards the normal, z along the axis, s and c the sine and cosine
 * of the angle between axis and normal, both positive (what is deepest is at -x, -z). Slices
 * have coordinates relative to the deepest point: n up along the normal, t along the plane.
 * y is at right angles to both; all is symmetric in it.
 *
 * Every sum is of positive terms, and every slice is known in closed form, so that Gauss's
 * rule over the slices is exact to rounding and stays so for the thinnest overlap.
 */
#include "geom/overlap.h"
#include "math/elementary.h"
#include "math/gauss.h"

typedef ff_round_picture picture;

ff_round_picture ff_round_picture_of(const ff_geom *geom, ff_vec3 n) {
  picture p = {.radius = geom->size.x, .half = geom->size.y};
  p.s = sqrt(n.x * n.x + n.y * n.y);
  p.c = fabs(n.z);
  p.ex = p.s > 0 ? v3(n.x / p.s, n.y / p.s, 0) : v3(1, 0, 0);
  p.ez = v3(0, 0, n.z < 0 ? -1 : 1);
  p.ey = v3_cross(p.ez, p.ex);
  return p;
}

/* ---- adding up --------------------------------------------------------------------------- */

typedef struct heap {
  double volume, area;
  double n, t;   /* centroid, from the deepest point */
  double tt, yy; /* second moments about the centroid */
  double nn, nt;
} heap;

/* Adds a piece with its place and its own second moments over its volume. Moments stay those
 * about the common centroid. */
static inline void add_moments(heap *sum, double volume, double n, double t, double tt, double yy) {
  if (!(volume > 0)) {
    return;
  }
  double total = sum->volume + volume, share = volume / total;
  double dn = n - sum->n, dt = t - sum->t;
  sum->tt += volume * tt + sum->volume * share * dt * dt;
  sum->yy += volume * yy;
  sum->nn += sum->volume * share * dn * dn;
  sum->nt += sum->volume * share * dn * dt;
  sum->n += share * dn;
  sum->t += share * dt;
  sum->volume = total;
}

/* ---- the straight part ---------------------------------------------------------------------- */

/* Slices across x between the angles from and to, where x = -radius cos(angle): rectangles,
 * 2 radius sin(angle) wide and as high as the plane leaves them, at most the whole. n0 and t0:
 * place of the lowest rim point. depth: of that point. */
static void add_straight(heap *sum, const picture *p, double depth, double from, double to,
                         double n0, double t0) {
  double steep = fmax(p->c, 1e-300);
  for (int i = 0; i < 2 * FF_GAUSS_HALF && to > from; i++) {
    ff_gauss_point g = ff_gauss_at(i, from, to);
    double half_sine = ff_sin(0.5 * g.x), wide = p->radius * ff_sin(g.x);
    double along = 2 * p->radius * half_sine * half_sine; /* from the rim point, along x */
    double high = fmin(fmax((depth - p->s * along) / steep, 0), 2 * p->half);
    double volume = g.weight * wide * 2 * wide * high;
    double n = n0 + p->s * along + p->c * 0.5 * high;
    double t = t0 + p->c * along - p->s * 0.5 * high;
    double own = high * high / 12;
    add_moments(sum, volume, n, t, p->s * p->s * own, wide * wide / 3);
    sum->nn += volume * p->c * p->c * own; /* the slice is upright, not level */
    sum->nt -= volume * p->c * p->s * own;
  }
}

/* Angle at which the slices are this far along x. */
static double angle_at(const picture *p, double along) {
  double part = along / (2 * p->radius);
  return part >= 1 ? ff_pi : part > 0 ? 2 * ff_asin(sqrt(part)) : 0;
}

/* Area of the section: the slanted part of the straight piece, seen along its own plane. */
static double straight_area(const picture *p, double depth, double from, double to) {
  if (p->c < 1e-6) { /* as good as lying: a rectangle */
    double wide = 2 * p->radius * ff_sin(0.5 * (from + to));
    return to > from || p->c == 0 ? wide * fmin(2 * p->half, depth / fmax(p->c, 1e-300)) / p->s : 0;
  }
  double area = 0;
  for (int i = 0; i < 2 * FF_GAUSS_HALF && to > from; i++) {
    ff_gauss_point g = ff_gauss_at(i, from, to);
    double wide = p->radius * ff_sin(g.x);
    area += g.weight * 2 * wide * wide;
  }
  return area / p->c;
}

/* The whole cylinder |z| <= half whose lowest rim point is this deep. */
static void add_cylinder(heap *sum, const picture *p, double depth, double n0, double t0) {
  if (depth <= 0) {
    return;
  }
  double flat = fmax(p->s, 1e-300);
  double whole = angle_at(p, (depth - 2 * p->c * p->half) / flat); /* below the plane entirely */
  double cut = angle_at(p, depth / flat);                          /* and in part */
  add_straight(sum, p, depth, 0, whole, n0, t0);
  add_straight(sum, p, depth, whole, cut, n0, t0);
  sum->area += straight_area(p, depth, whole, cut);
}

/* ---- the round ends ----------------------------------------------------------------------------
 */

/* A half ball, below (end = 1) or above (end = -1) the plane through its centre across the
 * axis, in slices along the cut: at height u above the ball's deepest point a disc of radius
 * r, r^2 = u (2 radius - u). Up to u = radius (1 - s) the disc is all in the lower half, from
 * radius (1 + s) on all in the upper one, and in between the two share it. */
typedef struct ball_end {
  const picture *p;
  double end;
  double n0, t0; /* the ball's deepest point */
} ball_end;

static void add_discs(heap *sum, const ball_end *b, double from, double to) {
  for (int i = 0; i < 2 * FF_GAUSS_HALF && to > from; i++) {
    ff_gauss_point g = ff_gauss_at(i, from, to);
    double rr = g.x * (2 * b->p->radius - g.x);
    add_moments(sum, g.weight * ff_pi * rr, b->n0 + g.x, b->t0, 0.25 * rr, 0.25 * rr);
  }
}

/* Part of a disc on one side of a chord. */
typedef struct segment {
  double area, t, tt, yy; /* m^2; centroid from the disc's centre; variances */
} segment;

/* The common circle of ball and dividing plane is met at an angle gamma from its lowest
 * point: u = radius (1 - s cos(gamma)), half chord radius sin(gamma), and the chord is
 * -radius c cos(gamma) along t from the disc's centre. */
static segment segment_at(const ball_end *b, double sine, double cosine) {
  double c = b->p->c, size = sqrt(sine * sine + c * c * cosine * cosine);
  double r = b->p->radius * size;
  double sa = sine / size, ca = -b->end * c * cosine / size;
  double angle = ff_atan2(sa, ca); /* half of what the arc spans */
  double bare = angle - sa * ca, cube = sa * sa * sa;
  if (!(bare > 0)) {
    return (segment){0};
  }
  double t = 2.0 / 3.0 * r * cube / bare;
  return (segment){.area = r * r * bare,
                   .t = b->end * t,
                   .tt = fmax(0.25 * r * r * (1 + 2 * cube * ca / bare) - t * t, 0),
                   .yy = 0.25 * r * r * (1 - 2.0 / 3.0 * cube * ca / bare)};
}

/* Slices for gamma = root^2, or pi - root^2 if turned: the integrand is tame in between but
 * near the ends it changes as fast as c is small, and there the square puts more points. */
static void add_segments(heap *sum, const ball_end *b, double from, double to, bool turned) {
  const picture *p = b->p;
  for (int i = 0; i < 2 * FF_GAUSS_HALF && to > from; i++) {
    ff_gauss_point g = ff_gauss_at(i, sqrt(from), sqrt(to));
    double gamma = g.x * g.x, sine = ff_sin(gamma),
           cosine = turned ? -ff_cos(gamma) : ff_cos(gamma);
    double half = turned ? ff_cos(0.5 * gamma) : ff_sin(0.5 * gamma);
    /* u = radius (1 - s) + 2 radius s sin^2(gamma / 2), and 1 - s = c^2 / (1 + s) */
    double u = p->radius * (p->c * p->c / (1 + p->s) + 2 * p->s * half * half);
    double du = 2 * g.x * p->radius * p->s * sine;
    segment slice = segment_at(b, sine, cosine);
    add_moments(sum, g.weight * du * slice.area, b->n0 + u, b->t0 + slice.t, slice.tt, slice.yy);
  }
}

/* The half ball, its ball's deepest point this deep. */
static void add_end(heap *sum, const ball_end *b, double depth) {
  const picture *p = b->p;
  double low = p->radius * p->c * p->c / (1 + p->s), high = p->radius * (1 + p->s);
  double part = p->s > 0 ? (depth - low) / (2 * p->radius * p->s) : depth > low;
  double gamma = part >= 1 ? ff_pi : part > 0 ? 2 * ff_asin(sqrt(part)) : 0;
  if (depth <= 0) {
    return;
  }
  if (b->end > 0) {
    add_discs(sum, b, 0, fmin(depth, low));
  } else {
    add_discs(sum, b, high, fmin(depth, 2 * p->radius));
  }
  add_segments(sum, b, 0, fmin(gamma, 0.5 * ff_pi), false);
  add_segments(sum, b, fmax(ff_pi - gamma, 0), gamma > 0.5 * ff_pi ? 0.5 * ff_pi : 0, true);
  if (gamma > 0 && gamma < ff_pi) {
    sum->area += segment_at(b, ff_sin(gamma), ff_cos(gamma)).area;
  } else if (depth < 2 * p->radius && (gamma > 0) == (b->end < 0)) {
    sum->area += ff_pi * depth * (2 * p->radius - depth);
  }
}

/* ---- shapes
 * ---------------------------------------------------------------------------------------- */

/* From the picture back to the shape frame. lowest: the deepest point, (x, z) of the picture. */
static void write_round_slab(const heap *sum, const picture *p, double depth, double lowest_x,
                             double lowest_z, ff_slab *out) {
  ff_vec3 normal = v3_axpy(v3_scale(p->s, p->ex), p->c, p->ez);
  ff_vec3 along = v3_axpy(v3_scale(p->c, p->ex), -p->s, p->ez);
  double x = lowest_x + p->s * sum->n + p->c * sum->t;
  double z = lowest_z + p->c * sum->n - p->s * sum->t;
  out->volume = sum->volume;
  out->area = sum->area;
  out->centroid_depth = depth - sum->n;
  out->centroid = v3_axpy(v3_scale(x, p->ex), z, p->ez);
  out->rise = v3_axpy(v3_scale(sum->nt, along), sum->nn, normal);
  const double t[3] = {along.x, along.y, along.z}, y[3] = {p->ey.x, p->ey.y, p->ey.z};
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) {
      out->spread.m[i][j] = sum->tt * t[i] * t[j] + sum->yy * y[i] * y[j];
    }
  }
}

void ff_overlap_cylinder(const ff_geom *geom, const ff_cut *cut, ff_slab *out) {
  picture p = ff_round_picture_of(geom, cut->normal);
  heap sum = {0};
  add_cylinder(&sum, &p, cut->depth, 0, 0);
  write_round_slab(&sum, &p, cut->depth, -p.radius, -p.half, out);
}

void ff_overlap_capsule(const ff_geom *geom, const ff_cut *cut, ff_slab *out) {
  picture p = ff_round_picture_of(geom, cut->normal);
  heap sum = {0};
  ball_end lower = {&p, 1, 0, 0};
  ball_end upper = {&p, -1, 2 * p.half * p.c, -2 * p.half * p.s};
  double rim = p.radius * p.c * p.c / (1 + p.s); /* the cylinder's rim above the deepest point */
  add_end(&sum, &lower, cut->depth);
  add_cylinder(&sum, &p, cut->depth - rim, rim, -p.radius * p.c);
  add_end(&sum, &upper, cut->depth - upper.n0);
  write_round_slab(&sum, &p, cut->depth, -p.radius * p.s, -p.half - p.radius * p.c, out);
}
