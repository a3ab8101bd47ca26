/* Shapes: one file and one row each.
 *
 * src/geom/shape_<name>.c holds what is particular to a kind of shape, as a table of operations;
 * src/geom/shape.c has the row of each. All in the shape's frame, whose origin is its centroid.
 */
#ifndef FF_GEOM_SHAPE_H
#define FF_GEOM_SHAPE_H

#include "geom/implicit.h"
#include "geom/manifold_parts.h"
#include "geom/overlap.h"
#include "math/exact.h"

/* How the manifold sees a shape: see geom/facets.h. */
typedef enum ff_facets_kind {
  FF_FACETS_NONE,  /* smooth, or without end */
  FF_FACETS_SELF,  /* vertices, edges and faces of its own */
  FF_FACETS_PRISM, /* a square prism or pyramid in it that turns towards the contact */
  FF_FACETS_AXIS,  /* a segment, with a radius around it */
  FF_FACETS_RIMS   /* hull of corners on the rims of its flat faces */
} ff_facets_kind;

/* A size: its name, and what to say where it is not a finite number or not greater than 0. */
typedef struct ff_size_words {
  const char *name, *finite, *positive;
} ff_size_words;

#define FF_SIZE_WORDS(name)                                                                        \
  { name, name " must be finite", name " must be greater than 0" }

/* Operations that may be NULL say so, and what holds then. */
typedef struct ff_shape_ops {
  const char *name;            /* in scenes */
  ff_size_words sizes[3];      /* size.x, size.y, size.z; empty: not used */
  ff_facets_kind facets;       /* in the manifold */
  ff_contact_points *on_plane; /* on a half-space, in closed form; NULL: by the facets */
  int plane_points;            /* their number, at most */

  /* What else is wrong with a shape; NULL: nothing can be. */
  const char *(*check)(const ff_geom *geom);
  /* Fills what a shape points to, and where its frame is in that of the definition; NULL: nothing
   * to fill, and the frames are one. */
  ff_status (*make)(ff_geom *out, ff_pose *frame, ff_arena *arena, const ff_shape_def *def,
                    ff_report *report);

  double (*bound)(const ff_geom *geom);     /* m, radius about the origin; NULL: INFINITY */
  double (*thickness)(const ff_geom *geom); /* m, half the smallest extent; NULL: INFINITY */
  double (*volume)(const ff_geom *geom);    /* m^3; NULL: 0 */
  ff_vec3 (*inertia)(const ff_geom *geom);  /* m^5, of unit density; NULL: 0 */
  ff_vec3 (*support)(const ff_geom *geom, ff_vec3 direction); /* m, farthest point */
  /* A corner where smooth rules have no slope, m; NULL: there is none. */
  ff_vec3 (*tip)(const ff_geom *geom);
  /* Of the flat faces the one that x is highest over: outward normal and height (m). beside: m, how
   * far x, or its foot where it is above, stands out beside it; not less than minus the distance to
   * the rest of the surface. NULL: no such face. */
  bool (*face)(const ff_geom *geom, ff_vec3 x, ff_vec3 *normal, double *height, double *beside);
  /* 1/m: the curvature wherever it touches the other; a mean of it where it varies. NULL: none. */
  double (*curvature)(const ff_geom *geom, const ff_geom *other);
  double (*mean_curvature)(const ff_geom *geom);

  /* Smooth convex inequalities, see geom/implicit.h. */
  int rules; /* their number; 0: rule_count says it */
  int (*rule_count)(const ff_geom *geom);
  void (*rule)(const ff_geom *geom, int rule, ff_vec3 x, ff_rule *out);
  double (*value)(const ff_geom *geom, int rule, ff_vec3 x);    /* NULL: that of rule */
  double (*largest)(const ff_geom *geom, ff_vec3 x, int *rule); /* NULL: over all values */
  /* As ff_geom_exit; NULL: by the flat faces. */
  double (*exit)(const ff_geom *geom, ff_vec3 from, ff_vec3 direction, int *rule);
  /* As ff_geom_line; NULL: not known. */
  bool (*line)(const ff_geom *geom, ff_vec3 point, ff_vec3 direction, double *enter, double *leave);

  /* What a plane cuts off, see geom/overlap.h; NULL: not known of this shape. */
  double (*reach)(const ff_geom *geom, ff_vec3 normal);
  ff_double2 (*exact_reach)(const ff_geom *geom, ff_vec3 normal); /* normal of any length */
  ff_vec3 (*lowest)(const ff_geom *geom, ff_vec3 normal);
  ff_overlap_family *overlap;
  bool overlap_any; /* also of more than half of the shape */
  int (*outline)(const ff_geom *geom, const ff_cut *cut, ff_vec3 t1, ff_arc out[FF_ARCS_MAX]);
} ff_shape_ops;

/* By kind. */
extern const ff_shape_ops *const ff_shapes[FF_SHAPE_KIND_COUNT];

extern const ff_shape_ops ff_shape_half_space, ff_shape_sphere, ff_shape_ellipsoid, ff_shape_box,
    ff_shape_capsule, ff_shape_cylinder, ff_shape_superellipsoid, ff_shape_polyhedron,
    ff_shape_intersection, ff_shape_cone;

/* ---- shared by shapes ------------------------------------------------------------------------ */

/* Moments of inertia of a body whose integrals of x^2, y^2, z^2 over the volume are p. */
static inline ff_vec3 ff_inertia_of_planes(ff_vec3 p) {
  return v3(p.y + p.z, p.z + p.x, p.x + p.y);
}

/* n . x - offset, n unit */
static inline void ff_rule_flat(ff_vec3 n, double offset, ff_vec3 x, ff_rule *out) {
  *out = (ff_rule){.value = v3_dot(n, x) - offset, .slope = n};
}

/* scale / 2 ((x/s)^2 - 1), component by component; a component of s that is INFINITY does not
 * count. */
static inline void ff_rule_quadric(ff_vec3 s, double scale, ff_vec3 x, ff_rule *out) {
  ff_vec3 a = v3(scale / (s.x * s.x), scale / (s.y * s.y), scale / (s.z * s.z));
  out->slope = v3_mul(a, x);
  out->value = 0.5 * (v3_dot(x, out->slope) - scale);
  out->bend = (ff_mat3){{{a.x, 0, 0}, {0, a.y, 0}, {0, 0, a.z}}};
}

/* -1 or 1 */
static inline double ff_side_of(double x) {
  return x < 0 ? -1 : 1;
}
/* -1, 0 or 1, against x: of a direction along which a shape is level neither end is lowest. */
static inline double ff_low_side(double x) {
  return x > 0 ? -1 : x < 0 ? 1 : 0;
}

/* Integrals of x^2, y^2, z^2 over a cylinder. */
ff_vec3 ff_cylinder_planes(double radius, double half);

/* Sum of (s_i n_i)^2 with twice the digits. */
ff_double2 ff_exact_square_sum(ff_vec3 s, ff_vec3 n);

double ff_exit_by_line(const ff_geom *geom, ff_vec3 from, ff_vec3 direction, int *rule);

/* Outlines of ellipsoids and of capsules and cylinders. */
int ff_outline_ellipse(const ff_geom *geom, const ff_cut *cut, ff_vec3 t1, ff_arc *out);
int ff_outline_round(const ff_geom *geom, const ff_cut *cut, ff_vec3 t1, ff_arc *out);

/* Part of a line, from <= t <= to; from > to: none. */
typedef struct ff_line_part {
  double from, to;
} ff_line_part;

ff_line_part ff_line_in_ball(ff_vec3 p, ff_vec3 v, double radius);
ff_line_part ff_line_in_slab(double x, double v, double half); /* |x + t v| <= half */
ff_line_part ff_line_in_cylinder(ff_vec3 p, ff_vec3 v, double radius, double half);
static inline ff_line_part ff_line_both(ff_line_part a, ff_line_part b) {
  return (ff_line_part){fmax(a.from, b.from), fmin(a.to, b.to)};
}
static inline ff_line_part ff_line_either(ff_line_part a, ff_line_part b) {
  return (ff_line_part){fmin(a.from, b.from), fmax(a.to, b.to)};
}
static inline bool ff_line_tell(ff_line_part in, double *enter, double *leave) {
  *enter = in.from;
  *leave = in.to;
  return in.from <= in.to;
}

#endif
