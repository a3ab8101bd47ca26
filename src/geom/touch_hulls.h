/* Inside touch_hulls*.c: two rounded boxes or polyhedra, as cores and what is within a radius of
 * them. touch_hulls.c tells the story. */
#ifndef FF_GEOM_TOUCH_HULLS_H
#define FF_GEOM_TOUCH_HULLS_H

#include "geom/flat.h"
#include "geom/touch.h"

#define FF_CORE_SLACK 1e-9 /* of the size: places nearer than this are one */

enum { FF_CORE_SPOTS = 4 * FF_FLAT_MAX + 1 };

typedef struct ff_core {
  ff_geom geom;
  ff_vec3 at, axis[3];
  double half[3]; /* of a box */
  double radius;  /* of what is about it */
} ff_core;

/* Where a spot is at the poses of now. */
typedef struct ff_core_place {
  ff_vec3 on_a, on_b; /* m, of the cores */
  ff_vec3 normal;     /* unit, from b into a */
  double gap;         /* m, between the cores */
  bool beside;        /* the lines of two edges cross, but beside one of them */
} ff_core_place;

typedef struct ff_core_spot {
  ff_spot spot;
  ff_core_place at;
  double x, y; /* m, seen along the normal of the pair */
} ff_core_spot;

typedef struct ff_cores {
  ff_core a, b;
  ff_flat face_a, face_b; /* of the cores */
  ff_vec3 n, t1, t2;
  double size;
  ff_core_spot list[FF_CORE_SPOTS];
  int count;
} ff_cores;

/* The corners of a face, seen along the normal. */
typedef struct ff_core_view {
  int count;
  double x[FF_FLAT_MAX], y[FF_FLAT_MAX];
} ff_core_view;

static inline ff_vec3 ff_core_world(const ff_core *of, ff_vec3 v) {
  return v3_axpy(v3_axpy(v3_scale(v.x, of->axis[0]), v.y, of->axis[1]), v.z, of->axis[2]);
}

static inline ff_vec3 ff_core_local(const ff_core *of, ff_vec3 v) {
  return v3(v3_dot(v, of->axis[0]), v3_dot(v, of->axis[1]), v3_dot(v, of->axis[2]));
}

/* m, between two places that are seen */
static inline double ff_core_between(double x, double y) {
  return sqrt(x * x + y * y);
}

/* ---- touch_hulls_spots.c: cores, and places of theirs that touch ---- */

void ff_core_make(ff_core *out, const ff_geom *geom, const ff_pose *pose, double round);
/* m, world */
ff_vec3 ff_core_corner(const ff_core *of, int corner);
/* The face of a core that faces a direction most. */
int ff_core_facing(const ff_core *of, ff_vec3 direction);
/* Where a spot is now. False: nowhere, its edges being parallel. */
bool ff_core_find_place(const ff_core *a, const ff_core *b, const ff_spot *spot,
                        ff_core_place *out);
/* What it is as a point of contact. */
ff_touch ff_core_touch(const ff_core *a, const ff_core *b, const ff_spot *spot,
                       const ff_core_place *at);
/* How that changes as a moves. False: it is not known. */
bool ff_core_slopes(const ff_core *a, const ff_core *b, const ff_touch *touch,
                    ff_touch_slopes *out);

/* ---- touch_hulls_nearest.c: where the cores are nearest ---- */

/* The spot. Its gap <= 0: they overlap; not less than the reach: they are apart. */
ff_core_spot ff_cores_nearest(const ff_cores *m, const ff_pose *pose_a, const ff_pose *pose_b,
                              double reach);

/* ---- touch_hulls_common.c: corners of what the facing sides have in common ---- */

void ff_core_see(ff_core_view *out, const ff_cores *m, const ff_flat *face);
/* Lists them all. Returns the place of the nearest spot among them; -1: there is no spot at all,
 * the bodies being too far from each other for numbers. */
int ff_cores_include(ff_cores *m, const ff_core_spot *nearest);

/* ---- touch_hulls_names.c: which of them become points of contact, and under which names ---- */

/* In order of name, without points that are out of reach. With no limit to the reach every name
 * gets a point: those that are not there now are far away. */
int ff_cores_put(const ff_cores *m, int nearest, double margin, ff_touch *out);

#endif
