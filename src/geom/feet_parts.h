/* Inside feet*.c: two bodies with feet on one another. geom/feet.h tells the story. */
#ifndef FF_GEOM_FEET_PARTS_H
#define FF_GEOM_FEET_PARTS_H

#include "geom/distance.h"
#include "geom/feet.h"
#include "geom/parts.h"
#include "geom/touch.h"

#define FF_FOOT_SHARE   0.5  /* of a foot on a rim */
#define FF_FEET_SAME    1e-9 /* of an energy: two ways to say the same */
#define FF_FEET_BLUR    1e-3 /* of the size: gaps that are less are exact */
#define FF_FEET_SURPLUS 1e-9 /* of the size: a foot is not deeper than the pair, to rounding */

/* The part of a body that is an end: a ball or a disc, and what is about it. */
typedef struct ff_foot_tip {
  bool known; /* else depth is not less than it is */
  double depth;
  ff_vec3 at, out; /* m, unit, world: where it is deepest, and the way out of the other */
} ff_foot_tip;

typedef struct ff_feet {
  const ff_geom *geom[2]; /* a, b */
  ff_pose pose[2];
  ff_distance near; /* normal, gap and points; as far as it is known */
  double size;
  double deepest; /* m, of the feet that are surely not deeper than the pair */
  bool doubt;     /* there are others */
  ff_vec3 at;     /* m, where that is */
  ff_foot_tip tips[2][2];
  double margin;
  bool telling;  /* else energies are summed up */
  bool idle;     /* the pair's own depth bears the load */
  double stored; /* J */
  bool touches;  /* a foot does */
  const ff_press_to *to;
} ff_feet;

/* One body's feet on the other. */
typedef struct ff_feet_of {
  ff_feet *m;
  int owner;
  const ff_geom *other;
  ff_pose pose, world; /* of the owner and the other */
  double more;         /* m, that the other is larger by, since feet are inside the owner */
} ff_feet_of;

/* A place (world) in the other. */
typedef struct ff_foot_place {
  ff_vec3 at, out; /* the way out, with the rate at which depth gets less */
  double depth;
  bool sure; /* it is not deeper than the owner, being inside, or over a face */
} ff_foot_place;

static inline double ff_feet_energy(const ff_feet *m, double depth) {
  return depth > 0 ? m->to->energy(m->to->context, depth) : 0;
}

/* Is it of interest? */
static inline bool ff_foot_counts(const ff_feet *m, double depth) {
  return depth > 0 || (m->telling && depth > -m->margin);
}

/* The pair's own depth, as a foot. */
static inline ff_press ff_feet_whole(const ff_feet *m) {
  return (ff_press){.point = v3_scale(0.5, v3_add(m->near.on_a, m->near.on_b)),
                    .normal = m->near.normal,
                    .depth = -m->near.gap,
                    .share = 1,
                    .push = 1,
                    .slot = FF_PRESS_WHOLE};
}

/* ---- feet_places.c: depth of a place, and what becomes of it ---- */

ff_foot_place ff_foot_place_at(const ff_feet_of *v, ff_vec3 at);
/* A foot whose depth gets less by `out` as it moves. */
ff_press ff_foot_at(const ff_foot_place *at, ff_vec3 out, double share, int slot);
/* Tells of a foot, or sums it up. What belongs to it is as if its owner were a. No foot is deeper
 * than the pair. */
void ff_foot_put(const ff_feet_of *v, ff_press foot, bool idle, bool sure);
/* The same of a place of the owner's that moves with it. */
void ff_foot_put_place(const ff_feet_of *v, ff_vec3 at, double share, int slot);

/* ---- feet_corners.c: of boxes, polyhedra and intersections ---- */

void ff_feet_put_corners(ff_feet_of *v, const ff_geom *geom);
void ff_feet_put_cuts(ff_feet_of *v, const ff_parts *parts);

/* ---- feet_ends.c: of capsules and cylinders ---- */

/* An end is not deeper than below the plane of the other between the two bodies. */
void ff_feet_bound_tips(ff_feet *m, int owner);
void ff_feet_put_ends(const ff_feet_of *v);
void ff_feet_put_caps(ff_feet_of *v, const ff_geom *geom);

/* ---- feet_way_out.c: the pair's own depth ---- */

/* A guess at the shortest way out: of each body, where the middle of the other is, and then where
 * that reaches in farthest. If the way out from there is the same, by a flat face, none is shorter:
 * D is not less than the depth of any place. */
void ff_feet_guess_way_out(ff_feet *m);
/* The shortest one. */
void ff_feet_find_way_out(ff_feet *m);

#endif
