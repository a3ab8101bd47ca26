/* Between the files of geom/distance.h. */
#ifndef FF_GEOM_DISTANCE_PARTS_H
#define FF_GEOM_DISTANCE_PARTS_H

#include "geom/distance.h"

#define FF_ROUGH 1e-4 /* of the size: how rough a rough gap is where surfaces are curved */

/* Two shapes, seen from the origin of b along world axes. */
typedef struct ff_two {
  const ff_geom *a, *b;
  ff_quat q_a, q_b;
  ff_vec3 apart; /* m, from b's origin to a's */
  double size;   /* m, of both together */
  bool curved;   /* not both polyhedra */
  double skin;   /* m, a is thicker by this */
} ff_two;

/* A point of the difference a - b, and what it is the difference of. */
typedef struct ff_corner {
  ff_vec3 w, a, b;
} ff_corner;

typedef struct ff_rough {
  ff_vec3 normal; /* from b into a */
  double gap;
  ff_vec3 on_a, on_b;
} ff_rough;

/* Other penetration directions that may be as short as the one found, within the accuracy of EPA.
 */
enum { FF_RIVALS = 6 };
typedef struct ff_rivals {
  ff_rough way[FF_RIVALS];
  int count;
} ff_rivals;

/* Support point of a - b along n. */
ff_corner ff_two_support(const ff_two *two, ff_vec3 n);

/* GJK where the shapes are apart, else EPA. exact: to rounding, for polyhedra only. False: the
 * shapes are too thin. */
bool ff_gjk_epa(ff_rough *out, const ff_two *two, double beyond, bool *exact, ff_rivals *rivals);

/* Makes a rough answer better by support points alone, next to where it is, until the gap cannot be
 * larger by more than enough of the size. Returns by how many m it could be. */
double ff_cutting_plane(ff_rough *rough, const ff_two *two, double enough);
/* The same by simplices, for shapes that are well apart. */
double ff_gjk_distance(ff_rough *rough, const ff_two *two, double enough);

/* Newton's method from rough, whose gap may be off by doubt (of the size) and whose normal by price
 * (rad). out->settled: it has converged, to a local maximum of the gap. beside: a direction next to
 * a stationary point that is not a maximum, with a larger gap, else the normal of rough. */
void ff_distance_newton(ff_distance *out, const ff_two *two, const ff_rough *rough, double doubt,
                        double price, ff_vec3 *beside);

/* Closest points c_a + s x and c_b + t y of two segments, apart = c_a - c_b, |s| <= l_a, |t| <=
 * l_b, x and y unit. Of parallel ones the middle of where they are side by side. */
void ff_closest_on_segments(ff_vec3 apart, ff_vec3 x, double l_a, ff_vec3 y, double l_b, double *s,
                            double *t);

/* Distance of two boxes, from the origin of b. */
void ff_sat_boxes(ff_distance *out, const ff_two *two, double beyond);

/* Distance of two polyhedral shapes from rough witness points, by the features that these are on.
 * False: these do not confirm it. */
bool ff_closest_features(ff_distance *out, const ff_two *two, const ff_rough *rough);

#endif
