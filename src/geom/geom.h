/* Shapes in their own frames. Where two of them touch: geom/manifold.h. */
#ifndef FF_GEOM_GEOM_H
#define FF_GEOM_GEOM_H

#include "base/arena.h"
#include "footfall/scene.h"

enum { FF_TOUCH_MAX = 32 };

typedef struct ff_hull ff_hull;   /* geom/hull.h */
typedef struct ff_parts ff_parts; /* geom/parts.h */
typedef struct ff_seam ff_seam;   /* geom/seam.h */

/* A shape in its own frame, whose origin is its centroid and whose axes are principal ones. */
typedef struct ff_geom {
  ff_shape_kind kind;
  ff_vec3 size; /* m, see ff_shape_kind; polyhedron, intersection: half extents about the origin */
  double exponents[2];   /* superellipsoid */
  const ff_hull *hull;   /* polyhedron */
  const ff_parts *parts; /* intersection */
  const ff_seam *seam;   /* box: its faces that flush neighbours cover; NULL: none */
} ff_geom;

/* The shape that a definition describes, with what it needs in the arena, and where its own frame
 * is in that of the definition. FF_ERROR_INPUT: what is wrong is in the report. */
ff_status ff_geom_make(ff_geom *out, ff_pose *frame, ff_arena *arena, const ff_shape_def *def,
                       ff_report *report);

/* What a contact sample lies between: see geom/manifold.h. */
typedef enum ff_feature_pair_kind {
  FF_PAIR_NONE,
  FF_PAIR_VERTEX_FACE, /* vertex a of shape a over face b of shape b */
  FF_PAIR_FACE_VERTEX, /* face a of shape a over vertex b of shape b */
  FF_PAIR_EDGE_EDGE,   /* edge a of shape a across edge b of shape b */
  FF_PAIR_POINT,       /* contact point a of a shape on a half-space, or of a smooth shape */
  FF_PAIR_WHOLE        /* the pair as a whole: witness points of the minimum translation */
} ff_feature_pair_kind;

typedef struct ff_feature_pair {
  unsigned char kind; /* ff_feature_pair_kind */
  short a, b;
} ff_feature_pair;

static inline bool ff_feature_pair_equal(ff_feature_pair s, ff_feature_pair t) {
  return s.kind == t.kind && s.a == t.a && s.b == t.b;
}

/* Derivative of a scalar with motions of a, b being at rest; world axes. */
typedef struct ff_gradient {
  ff_vec3 shift; /* per m */
  ff_vec3 turn;  /* per rad, about the sample's point */
} ff_gradient;

typedef struct ff_touch {
  ff_vec3 point;       /* m, world: where the force acts */
  ff_vec3 normal;      /* unit, world, from b into a */
  ff_vec3 t1;          /* unit, world, tangent, carried with body b */
  double depth;        /* m, < 0: apart */
  double curvature[2]; /* 1/m, relative principal curvatures; INFINITY at corners and rims */
  int feature;         /* which of the shape's points; stable from step to step */
  /* Of a sample (geom/manifold.h): */
  ff_feature_pair id;            /* FF_PAIR_NONE: not a feature pair */
  double weight;                 /* law units; 0: the point belongs to a neighbour (geom/seam.h) */
  ff_gradient d_weight, d_depth; /* 1/m, 1/rad; 1, m/rad */
  double spin[2];                /* rad, of prisms: see ff_manifold */
  ff_vec3 offset; /* m, world, tangential: from b's to a's point of a pair as a whole */
} ff_touch;

/* Point, normal and depth of two overlapping ellipsoids (or spheres) by the level sets of b
 * [Chakraborty07 eqs. 9, 11, 12], in place of the touch they have. False: other kinds, no overlap,
 * or b's centre in a; the touch is unchanged. */
bool ff_level_sets_touch(const ff_geom *a, const ff_pose *pose_a, const ff_geom *b,
                         const ff_pose *pose_b, ff_touch *io);

/* How the touching point wanders over a solid with this orientation as that turns on a half-space:
 * column j, m/rad about world axis j, beside the motion that it shares with the solid. False: not
 * known of this kind. */
bool ff_geom_wander(const ff_geom *geom, ff_quat orientation, ff_vec3 normal, ff_mat3 *out);

/* How a touch changes with shifts of a, and turns about the origin of its frame: column j, along or
 * about world axis j. */
typedef struct ff_touch_slopes {
  ff_mat3 point[2];  /* 1, m/rad */
  ff_mat3 normal[2]; /* 1/m, 1/rad */
} ff_touch_slopes;

/* Of the touch with this normal, between spheres and ellipsoids. False: not known. */
bool ff_geom_slopes(const ff_geom *a, const ff_pose *pose_a, const ff_geom *b,
                    const ff_pose *pose_b, ff_vec3 normal, ff_touch_slopes *out);

/* Can the overlap of these two be computed: is one a half-space and the other solid? */
bool ff_geom_can_overlap(ff_shape_kind a, ff_shape_kind b);

/* The one point by which laws of overlap touch: the centroid of the volume of a that is below
 * the half-space b, with the depth of the deepest point (< 0: apart; the point is then the
 * nearest one). In this sense the depth rate rule above does not hold for `depth`; it holds for
 * the energy of the overlap, volume times centroid depth, over the volume. edges (FF_EDGES_MAX of
 * them; may be NULL): filled for patch.edges. Returns their number. printed: moments as
 * [Brown18 eq. 37], of spheres and ellipsoids. */
int ff_geom_touch_overlap(const ff_geom *a, const ff_pose *pose_a, const ff_pose *pose_b,
                          bool printed, ff_touch *out, ff_overlap *overlap, ff_edge *edges);

/* Effective radius of curvature of the pair where it is one constant (spheres, capsule
 * ends on a half-space); NAN where it varies or does not exist (ellipsoid, box, cylinder). */
double ff_geom_radius(const ff_geom *a, const ff_geom *b);
/* A mean one where it varies, but is there at every point, in the curvature of each touch; NAN if
 * the pair can touch where it is flat, an edge or a corner. */
double ff_geom_mean_radius(const ff_geom *a, const ff_geom *b);

/* Where a ray from `origin` along `direction` (unit; both in the shape's frame) enters the shape,
 * up to `range`: *distance (0: the origin is inside) and the unit normal out of the shape. False:
 * it misses. */
bool ff_geom_ray(const ff_geom *geom, ff_vec3 origin, ff_vec3 direction, double range,
                 double *distance, ff_vec3 *normal);

/* Radius of the sphere about the shape's origin that holds it; INFINITY for a half-space. */
double ff_geom_bound(const ff_geom *geom);

/* Half the smallest extent of a shape, or less; INFINITY for a half-space. */
double ff_geom_thickness(const ff_geom *geom);

/* The farthest point along a direction (not 0, need not be unit), in the shape's frame; for
 * half-spaces there is none. */
ff_vec3 ff_geom_support(const ff_geom *geom, ff_vec3 direction);

/* Checks sizes: NULL, or what is wrong ("radius must be greater than 0"). */
const char *ff_geom_check(const ff_geom *geom);

/* Mass properties at unit density: volume, and inertia about the shape's origin (which is
 * its centroid) in the shape frame, which is diagonal. Zero for a half-space. */
double ff_geom_volume(const ff_geom *geom);
ff_vec3 ff_geom_inertia(const ff_geom *geom);

#endif
