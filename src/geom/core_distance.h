/* Distance of the cores of two shapes (geom/facets.h), which are eroded further the deeper the
 * shapes overlap, so that they stay apart and the normal of the pair is unique.
 *
 * With g_0 the signed distance of the least eroded cores, r_0 the sum of their margins and
 * delta = r_0 - g_0 the margins sum to
 *   r = r_0                                          for delta <= r_0 / 2,
 *       r_0 + 4/3 (delta - r_0 / 2)^2 / r_0          up to r_0,
 *       4/3 delta                                    beyond, at most r_most = growth r_0,
 * each margin in proportion to what it is at least. A core eroded by dm lies at least dm inside, so
 * that g >= g_0 + r - r_0 >= r / 4 as long as r < r_most. delta is the depth of a body that lies on
 * a face, and less than that at edges and vertices. r is a continuous function of the poses, and so
 * is the normal at a given r.
 */
#ifndef FF_GEOM_CORE_DISTANCE_H
#define FF_GEOM_CORE_DISTANCE_H

#include "geom/distance.h"
#include "geom/hull.h"
#include "geom/polytope.h"

/* Vertices of an eroded hull, at most: as many as faces of the hull of 1 / offset of its faces. */
enum { FF_ERODED_VERTICES = 2 * FF_POLYTOPE_FACES };

/* Room for a hull that is eroded further. */
typedef struct ff_eroded_hull {
  ff_hull hull;
  ff_vec3 vertices[FF_ERODED_VERTICES];
  double offset[FF_POLYTOPE_FACES];
} ff_eroded_hull;

/* Of a and b. */
typedef struct ff_cores {
  ff_geom least[2]; /* least eroded */
  ff_pose pose[2];
  double margin[2]; /* m, what they are eroded by; 0: a sharp shape, which stays so */
  double radius;    /* m, what distances lack */
  double growth;    /* r_most / r_0; 1: margins are constant */
  ff_eroded_hull *room[2];
} ff_cores;

typedef struct ff_core_distance {
  ff_cores of;
  ff_distance at;  /* of the eroded cores */
  double gap_0;    /* m, g_0 */
  double gap;      /* m, g: distance of the eroded cores and the radius */
  double blend;    /* 1 - 4 g / r, > 0 only at r_most */
  double margin;   /* m, r */
  ff_geom core[2]; /* eroded */
  ff_pose pose[2];
  double follow;            /* 1, -dr / dg_0; 0: r is constant */
  ff_vec3 normal_0, on_a_0; /* of the least eroded cores, where r is not r_0 */
} ff_core_distance;

/* beyond: as of ff_distance_query. */
void ff_core_distance_query(ff_core_distance *out, ff_cores of, double beyond);

/* Derivatives of the normal as a moves, b at rest: with shifts (1/m) and turns (1/rad) of a about
 * origin, fixed in a. r follows. */
void ff_core_distance_normal_rates(const ff_core_distance *at, ff_vec3 origin, ff_mat3 rate[2]);

#endif
