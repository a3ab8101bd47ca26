/* How much of a shape is below a plane, exactly.
 *
 * A cut is seen from the shape's frame: the half-space is all that lies against its unit
 * normal, and reaches so far that the shape's deepest point is `depth` below its plane. What
 * the overlap is then depends on normal and depth alone. Given a depth that is good to the
 * last digit, so is everything here, however small the depth: nothing is a difference of
 * large numbers. The same goes for the rest that is above the plane, by symmetry.
 */
#ifndef FF_GEOM_OVERLAP_H
#define FF_GEOM_OVERLAP_H

#include "footfall/volume.h"
#include "geom/geom.h"
#include "math/vec.h"

typedef struct ff_cut {
  ff_vec3 normal; /* unit, shape frame, out of the half-space */
  double depth;   /* m, of the deepest point below the plane; <= 0: no overlap */
  double rest;    /* m, of the highest point above it; <= 0: all is below */
} ff_cut;

/* What is below. Without overlap all is zero but the centroid, which is the deepest point. */
typedef struct ff_slab {
  double volume;         /* m^3 */
  double area;           /* m^2, of the section with the plane: d volume / d depth */
  double centroid_depth; /* m, below the plane */
  ff_vec3 centroid;      /* m, shape frame */
  ff_mat3 spread;        /* m^5, integral of r r^T, r: from the centroid, along the plane */
  ff_vec3 rise;          /* m^5, integral of x (x.n), x: from the centroid: how high what is below
                            is, and how it leans */
} ff_slab;

/* Distance from the shape's centre down to its deepest point along the unit normal. */
double ff_geom_reach(const ff_geom *geom, ff_vec3 normal);
/* And up to its highest one: the same, except for polyhedra. */
double ff_geom_rise(const ff_geom *geom, ff_vec3 normal);
/* Where that is; of a flat or straight bottom its middle. */
ff_vec3 ff_geom_lowest(const ff_geom *geom, ff_vec3 normal);
/* The cut of a plane through a point, with a normal of any length: good to the last digit
 * also where the plane barely touches. */
ff_cut ff_geom_cut(const ff_geom *geom, ff_vec3 normal, ff_vec3 point);
/* second, without what is along the unit normal. */
ff_mat3 ff_overlap_flat(const ff_mat3 *second, ff_vec3 normal);

/* The overlap; half-spaces have none. */
void ff_geom_overlap(const ff_geom *geom, const ff_cut *cut, ff_slab *out);

/* For an ellipsoid (or sphere) the spread as [Brown18 eq. 37] has it: compressed along the
 * direction that is normal in the stretched space instead of along the plane's normal. */
void ff_overlap_spread_printed(const ff_geom *geom, const ff_cut *cut, ff_mat3 *spread);

/* Weighted second moments from a spread: tr(spread) 1 - spread. */
ff_mat3 ff_overlap_moments(const ff_mat3 *spread);
/* What laws see, in contact coordinates; t1 and t2 in the shape frame. */
ff_overlap ff_overlap_seen(const ff_slab *slab, ff_vec3 t1, ff_vec3 t2);

/* ---- the section with the plane -------------------------------------------------------------- */

/* Most that an outline has: 8 of primitives, and a polyhedron has fewer than two faces a vertex. */
enum { FF_ARCS_MAX = 2 * FF_POLYHEDRON_VERTICES_MAX };

/* The outline of the section, around the normal, in the shape frame; t1: unit, along the plane,
 * where a full ellipse starts. Returns the number of arcs; 0 if the plane does not cut. */
int ff_geom_outline(const ff_geom *geom, const ff_cut *cut, ff_vec3 t1, ff_arc out[FF_ARCS_MAX]);

/* The overlap as edges of layers, see footfall/law.h. slab: the overlap; t1, t2: shape frame.
 * Returns their number. */
int ff_geom_edges(const ff_geom *geom, const ff_cut *cut, const ff_slab *slab, ff_vec3 t1,
                  ff_vec3 t2, ff_edge out[FF_EDGES_MAX]);

/* ---- round about z --------------------------------------------------------------------------- */

/* The plane that holds a capsule's or cylinder's axis and the normal: x across the axis towards
 * the normal, z along the axis, s and c the sine and cosine of the angle between axis and normal,
 * both positive (what is deepest is at -x, -z). */
typedef struct ff_round_picture {
  double radius, half; /* m; half: of the straight part */
  double s, c;
  ff_vec3 ex, ey, ez; /* x, y, z of the picture in the shape frame */
} ff_round_picture;

ff_round_picture ff_round_picture_of(const ff_geom *geom, ff_vec3 normal);

/* ---- convex polyhedra ------------------------------------------------------------------ */

/* Faces may go either way round. */
typedef ff_volume_solid ff_polyhedron;

/* depths: of each vertex below the plane, < 0 above. normal: unit. */
void ff_overlap_polyhedron(const ff_polyhedron *solid, const double *depths, ff_vec3 normal,
                           ff_slab *out);

/* Sides of the section in order around the normal. Returns their number, of which at most max are
 * written. depths and normal as above. */
int ff_outline_polyhedron(const ff_polyhedron *solid, const double *depths, ff_vec3 normal,
                          ff_arc *out, int max);
int ff_outline_box(const ff_geom *geom, const ff_cut *cut, ff_vec3 t1, ff_arc out[FF_ARCS_MAX]);
int ff_outline_hull(const ff_geom *geom, const ff_cut *cut, ff_vec3 t1, ff_arc out[FF_ARCS_MAX]);
ff_vec3 ff_hull_lowest(const ff_hull *hull, ff_vec3 normal);

/* ---- lines ------------------------------------------------------------------------------ */

/* The part from *enter to *leave of the line point + t direction that is inside; false if it
 * misses the shape. Shape frame. */
bool ff_geom_line(const ff_geom *geom, ff_vec3 point, ff_vec3 direction, double *enter,
                  double *leave);

/* ---- one family a file ------------------------------------------------------------------- */

/* For 0 < depth <= rest: at most half is below. Ellipsoids and polyhedra take any. */
typedef void ff_overlap_family(const ff_geom *geom, const ff_cut *cut, ff_slab *out);
ff_overlap_family ff_overlap_ellipsoid, ff_overlap_box, ff_overlap_capsule, ff_overlap_cylinder,
    ff_overlap_hull;

#endif
