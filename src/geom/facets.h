/* Facets: polyhedra that stand in for shapes where their manifold is found.
 *
 *   box, polyhedron  the shape itself
 *   cylinder         square prism inscribed in it. Turned: one long edge towards the contact, so
 *                    that a lying or leaning cylinder touches where it does and rolls evenly. Where
 *                    the contact is so nearly along the axis that this has no direction: fixed in
 *                    the body. In between both, with weights that go from one to the other.
 *   cone             the same with a square pyramid: the edge from the tip to a corner of the base
 *   intersection     hull of corners on the rims of its flat faces
 *   capsule          the axis, a segment, with the radius around it
 *
 * Core: the facets eroded by a margin of 2 % of their half thickness, and further where shapes
 * overlap by more (geom/core_distance.h). Of a cylinder or capsule and another shape only the
 * former is eroded, the latter stays sharp: erosion of one is enough for a unique normal, and next
 * to an eroded edge that of a large round shape would lean outwards.
 */
#ifndef FF_GEOM_FACETS_H
#define FF_GEOM_FACETS_H

#include "geom/distance.h"
#include "geom/hull.h"
#include "geom/manifold.h"

#define FF_CORE_MARGIN      0.02 /* of half the thickness: of a core, at least */
#define FF_ROUND_MARGIN     0.06 /* the same of a cylinder or cone, eroded for the other, too */
#define FF_CORE_MARGIN_MOST 0.9  /* the same: at most */

/* Feature ids of a turned prism: those of a box, and FF_TURNED_PRISM; of a rim prism: those of its
 * hull, and FF_RIM_PRISM. */
enum { FF_TURNED_PRISM = 1024, FF_RIM_PRISM = 2048, FF_RIM_SIDES = 16 };

typedef struct ff_facets {
  ff_geom geom, core; /* box or polyhedron; of a capsule: thin ones about the axis */
  ff_pose pose;
  double radius;        /* m, around the facets: of a capsule */
  double core_radius;   /* m, of core: what its distances lack */
  int first_id;         /* of its features */
  double share;         /* weight of these facets; 1 except for prisms that blend into each other */
  ff_gradient d_share;  /* with motions of a, turns about the origin of its body */
  bool turned;          /* it turns in its body: */
  ff_gradient spin;     /* angle about the axis relative to the body, with motions of a */
  ff_vec3 axis, centre; /* unit, and m; world */
} ff_facets;

/* A prism of FF_RIM_SIDES sides in a cylinder, with its core. */
typedef struct ff_rim_prism {
  struct {
    ff_hull hull;
    ff_vec3 vertices[2 * FF_RIM_SIDES], way[2 * FF_RIM_SIDES], normal[FF_RIM_SIDES + 2];
    double offset[FF_RIM_SIDES + 2];
  } of, core;
  ff_hull_edge edges[3 * FF_RIM_SIDES];
  int face_start[FF_RIM_SIDES + 3], face_size[FF_RIM_SIDES + 2];
  int side[6 * FF_RIM_SIDES], corners[6 * FF_RIM_SIDES];
  int ring_start[2 * FF_RIM_SIDES + 1], ring[6 * FF_RIM_SIDES], ring_edge[6 * FF_RIM_SIDES];
} ff_rim_prism;

/* Can a shape of this kind have facets? */
bool ff_geom_has_facets(ff_shape_kind kind);

/* Has it a round side, so that shapes beside it stay sharp? */
static inline bool ff_geom_is_round_sided(ff_shape_kind kind) {
  return kind == FF_CYLINDER || kind == FF_CAPSULE || kind == FF_CONE;
}

/* Has it a prism that turns in it? */
bool ff_facets_turn(ff_shape_kind kind);

/* Is the shape larger than its facets? */
bool ff_facets_are_inside(ff_shape_kind kind);

/* Has this shape facets? Of its kind, an intersection without flat faces has none. */
bool ff_geom_is_faceted(const ff_geom *geom);

/* Height (m) over its origin of the centre of the ball that fits in a cone, and its radius. */
double ff_cone_incentre(const ff_geom *cone, double *inside);

/* The same cone with all its surface this much (m) inside: smaller about its incentre. */
void ff_cone_erode(ff_geom *io, ff_pose *pose, double by);

/* Core of a shape for the direction of the contact: of a cylinder a smaller cylinder, else that of
 * the facets. Distances of *out are too short by *lack. False: the shape has no facets. */
bool ff_facets_core(ff_geom *out, ff_pose *pose_out, double *lack, const ff_geom *geom,
                    const ff_pose *pose, bool sharp);
/* m: margin of the core, and how far the shape reaches out of that, at most. */
double ff_facets_margin(const ff_geom *geom, bool sharp, double *reach);

/* Facets of a (of_a) or b at a normal of the pair, b to a, with its derivatives with shifts and
 * turns of a; all: also those without a share. spin: rad, of a turned prism about its axis in the
 * body; NAN: by the normal, and stored there. Returns how many there are: 1 or 2. */
int ff_facets_find(ff_facets out[2], const ff_geom *geom, const ff_pose *pose, bool of_a,
                   bool sharp, ff_vec3 normal, const ff_mat3 normal_rate[2], bool all,
                   double *spin);

/* The same of a shape on a half-space, whose normal is constant. */
int ff_facets_on_plane(ff_facets out[2], const ff_geom *geom, const ff_pose *pose, ff_vec3 normal,
                       bool all, double *spin);

/* Facets near the rims of a cylinder: they stand in for its fixed prism where the shapes
 * overlap by more than its samples, so that a body that lies over a rim touches at both ends of
 * what it lies on. */
void ff_facets_rim(ff_facets *out, ff_rim_prism *room, const ff_geom *cylinder,
                   const ff_pose *pose);

/* Do these facets of a shape have a rim prism? */
bool ff_facets_have_rim(const ff_geom *geom, const ff_facets *of);

/* The facets that a feature id belongs to. Where those of a turned prism have no share now, the
 * others stand in for them. */
const ff_facets *ff_facets_with_id(const ff_facets facets[2], int count, const ff_facets *rim,
                                   int id);

/* m, world: a vertex. */
ff_vec3 ff_facets_vertex(const ff_facets *of, int vertex);

/* Derivatives of the normal of two cores, by the curvature of both where they are nearest; gap: of
 * the cores without what they lack. Turns about origin, fixed in a. */
void ff_core_normal_rates(const ff_distance *at, double gap, const ff_geom *a,
                          const ff_pose *pose_a, const ff_geom *b, const ff_pose *pose_b,
                          ff_vec3 origin, ff_mat3 rate[2]);

/* The same as the core of a moves by `apart` (m) without a turn. */
ff_vec3 ff_core_normal_rate_apart(const ff_distance *at, double gap, const ff_geom *a,
                                  const ff_pose *pose_a, const ff_geom *b, const ff_pose *pose_b,
                                  ff_vec3 apart);

#endif
