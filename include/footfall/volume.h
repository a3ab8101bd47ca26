/* Exact overlap of a shape with a half-space.
 *
 *   ff_volume_def def = {.kind = FF_ELLIPSOID, .size = {.12, .05, .03},
 *                        .point = {0, 0, -.02}, .normal = {.6, -.3, .7}};
 *   ff_volume volume;
 *   ff_volume_compute(&volume, &def, &report);
 *
 * All in the shape's frame, whose origin is its centre. Functions are pure. The part below the
 * plane is the penetration of volumetric contact [Brown18]; formulas in src/geom/overlap*.c.
 */
#ifndef FOOTFALL_VOLUME_H
#define FOOTFALL_VOLUME_H

#include "footfall/api.h"
#include "footfall/scene.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A shape and a plane. */
typedef struct ff_volume_def {
  ff_shape_kind kind; /* not FF_HALF_SPACE */
  ff_vec3 size;       /* m, see ff_shape_kind */
  ff_vec3 point;      /* m, a point of the plane */
  ff_vec3 normal;     /* out of the half-space; need not be unit */
  bool printed; /* J by [Brown18 eq. 37] (sphere and ellipsoid only), which is inexact for tilted
                   planes; else the exact one */
} ff_volume_def;

/* Part of a shape below a plane. Without overlap everything is 0 except depth, which is minus the
 * gap, the frame, and the centroid, which is the point of the shape nearest to the plane. */
typedef struct ff_volume {
  double volume;         /* m^3 */
  double depth;          /* m, of the deepest point below the plane */
  double area;           /* m^2, of the section with the plane */
  ff_vec3 centroid;      /* m */
  double centroid_depth; /* m, below the plane */
  ff_mat3 frame;         /* contact frame: rows are its axes x, y, z; z is the unit normal */
  ff_mat3 J_body;    /* m^5, depth-weighted second moments of area about the centroid: of the volume
                        projected along the normal; axes of the shape's frame */
  ff_mat3 J_contact; /* m^5, the same in the contact frame */
} ff_volume;

/* FF_ERROR_INPUT and a report (may be NULL): a size not positive, a normal of zero length, any
 * number that is not finite. */
FF_API ff_status ff_volume_compute(ff_volume *out, const ff_volume_def *def, ff_report *report);

/* Contact patch for laws (footfall/law.h) while the shape's centre moves with velocity (m/s) and
 * the shape rotates with omega (rad/s), both relative to the plane and in the shape's frame. t1 and
 * t2 are the frame's x and y; forces act at the centroid. */
FF_API ff_patch ff_volume_patch(const ff_volume *volume, ff_vec3 velocity, ff_vec3 omega);

/* Thickness of the part below the plane, along the normal through a point (which need not lie in
 * the plane), m. Volumetric pressure there is k_V times this (Pa); its integral over the plane is
 * the volume. def must be valid for ff_volume_compute. */
FF_API double ff_volume_thickness(const ff_volume_def *def, ff_vec3 point);

/* A piece of an outline: an arc of the ellipse centre + p cos(a) + q sin(a), from the angle `from`
 * on (rad), or a straight side from start to start + p if turn is 0. */
typedef struct ff_arc {
  ff_vec3 start; /* m, where it begins */
  ff_vec3 p, q;  /* m */
  double from, turn;
} ff_arc;

/* Point of an arc at a fraction of its length parameter, 0 to 1. */
FF_API ff_vec3 ff_arc_at(const ff_arc *arc, double part);

/* Outline of the section with the plane, in order around the normal. Returns the number of arcs (0:
 * the plane does not cut the shape), of which at most max are written; 6 are enough for any solid
 * except polyhedra. def as above. */
FF_API int ff_volume_outline(const ff_volume_def *def, ff_arc *arcs, int max);

/* The overlap as layers, for patch.edges of laws that integrate over it: at most FF_EDGES_MAX edges
 * in the contact frame. Returns their number; 0: no overlap. def as above. */
FF_API int ff_volume_edges(const ff_volume_def *def, ff_edge *edges);

/* ---- convex polyhedra ------------------------------------------------------------------------ */

/* A convex polyhedron by its faces. */
typedef struct ff_volume_solid {
  const ff_vec3 *vertices; /* m */
  int vertex_count;
  const int *corners;    /* vertex indices around each face, face after face */
  const int *face_sizes; /* number of vertices of each face */
  int face_count;
} ff_volume_solid;

/* The calls above for a polyhedron; of def, printed must be false, and kind and size are not used.
 * FF_ERROR_INPUT also for an invalid vertex index, FF_ERROR_MEMORY if out of memory. */
FF_API ff_status ff_volume_polyhedron(ff_volume *out, const ff_volume_def *def,
                                      const ff_volume_solid *solid, ff_report *report);
FF_API double ff_volume_polyhedron_thickness(const ff_volume_def *def, const ff_volume_solid *solid,
                                             ff_vec3 point);
/* Sides of the section; at most max are written, face_count are enough. -1: out of memory. */
FF_API int ff_volume_polyhedron_outline(const ff_volume_def *def, const ff_volume_solid *solid,
                                        ff_arc *sides, int max);

#ifdef __cplusplus
}
#endif
#endif
