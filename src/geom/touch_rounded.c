/* Shapes with rounded edges: a core, smaller by the radius, and everything within the radius of it.
 * Where sharp shapes overlap, the shortest way out leaps from face to face; cores are apart as long
 * as the shapes overlap by less than both radii, and have one direction in which they are nearest.
 * Two boxes or polyhedra have a manifold instead (geom/manifold.h). */
#include "geom/hull.h"
#include "geom/manifold.h"
#include "geom/parts.h"
#include "geom/spots.h"
#include "geom/touch.h"

#include <limits.h>

double ff_geom_core_margin(const ff_geom *geom, double round) {
  if (geom->kind == FF_POLYHEDRON && geom->hull->core) {
    return geom->hull->core_depth;
  }
  if (geom->kind == FF_INTERSECTION && geom->parts->core) {
    return geom->parts->core_depth;
  }
  double half = ff_geom_thickness(geom);
  return isinf(round) ? 0.02 * half : fmax(1e-3 * half, fmin(round, 0.5 * half));
}

void ff_geom_erode(ff_geom *out, const ff_geom *geom, double by) {
  *out = *geom;
  switch (geom->kind) {
    case FF_BOX: out->size = v3_sub(geom->size, v3(by, by, by)); break;
    case FF_CYLINDER: out->size = v3_sub(geom->size, v3(by, by, 0)); break;
    case FF_CAPSULE: out->size.x -= by; break;
    case FF_SPHERE: out->size.x -= by; break;
    case FF_ELLIPSOID:
    case FF_SUPERELLIPSOID: out->size = v3_sub(geom->size, v3(by, by, by)); break;
    case FF_POLYHEDRON: out->hull = geom->hull->core; break;
    case FF_INTERSECTION: out->parts = geom->parts->core; break;
    default: break;
  }
}

ff_status ff_geom_prepare(const ff_geom *geom, double round, ff_arena *arena) {
  if (geom->kind == FF_INTERSECTION && round > 0) {
    return ff_parts_erode((ff_parts *)geom->parts, ff_geom_core_margin(geom, round), arena);
  }
  if (geom->kind != FF_POLYHEDRON || !(round > 0)) {
    return FF_OK;
  }
  return ff_hull_erode((ff_hull *)geom->hull, ff_geom_core_margin(geom, round), arena);
}

/* How blunt caps are, of the radius: by as much a rim is less deep than a sharp one. */
#define BLUNT 0.1

/* Is its core known? */
static bool has_core(const ff_geom *geom) {
  return geom->kind == FF_BOX || geom->kind == FF_CYLINDER || geom->kind == FF_CAPSULE ||
         (geom->kind == FF_POLYHEDRON && geom->hull->core) ||
         (geom->kind == FF_INTERSECTION && geom->parts->core);
}

/* Two cores, and what is about them. */
typedef struct cores {
  ff_geom a, b;
  double of_a, of_b, blunt;
} cores;

static cores cores_of(const ff_geom *a, const ff_geom *b, double round) {
  bool plane = b->kind == FF_HALF_SPACE;
  cores out = {.of_a = ff_geom_core_margin(a, round),
               .of_b = plane ? 0 : ff_geom_core_margin(b, round)};
  ff_geom_erode(&out.a, a, out.of_a);
  ff_geom_erode(&out.b, b, out.of_b);
  out.blunt = BLUNT * (plane ? out.of_a : fmin(out.of_a, out.of_b));
  return out;
}

/* From a touch of the cores to one of the whole. */
static void swell(const cores *of, ff_touch *touch) {
  touch->depth += of->of_a + of->of_b;
  touch->point = v3_axpy(touch->point, 0.5 * (of->of_b - of->of_a), touch->normal);
}

/* False: they are sharp, since their cores overlap. */
static bool touch_cores(const ff_geom *a, const ff_pose *pose_a, const ff_geom *b,
                        const ff_pose *pose_b, double round, double margin, ff_touch *out,
                        int *count) {
  cores of = cores_of(a, b, round);
  double both = of.of_a + of.of_b;
  *count = ff_touch_blunt(&of.a, pose_a, &of.b, pose_b, of.blunt, both, margin + both, out);
  for (int i = 0; i < *count; i++) {
    if (out[i].depth >= 0) {
      return false;
    }
    swell(&of, &out[i]);
  }
  return true;
}

/* ---- a cylinder on a half-space ----------------------------------------------------------- */

/* Its side, or the cap that faces the plane: ends, or corners that stay where they are on the body,
 * and the dome. Corners of a sharp rim run round it as it rocks through the level. */
typedef struct ground {
  cores of;
  ff_flat side, plane;
} ground;

static bool is_on_plane(const ff_geom *a, const ff_geom *b) {
  return a->kind == FF_CYLINDER && b->kind == FF_HALF_SPACE;
}

/* part < 0: the one that faces the plane. */
static void find_ground(ground *out, const ff_geom *a, const ff_pose *pose_a, const ff_geom *b,
                        const ff_pose *pose_b, double round, int part) {
  out->of = cores_of(a, b, round);
  out->plane.count = 1;
  out->plane.at[0] = pose_b->position;
  out->plane.normal = q_axis_z(pose_b->orientation);
  int facing = part < 0 ? ff_flat_facing(a, pose_a, v3_neg(out->plane.normal)) : part;
  ff_flat_take(&out->side, &out->of.a, pose_a, facing);
}

/* corner -1: the dome. */
static ff_touch touch_ground(const ground *on, ff_quat plane, int corner) {
  ff_spot spot = {FF_SPOT_TIP_A, {on->side.part, corner}, {0, 0}};
  ff_touch out;
  ff_vec3 at;
  bool beside;
  ff_spot_place(&on->side, &on->plane, &spot, on->of.blunt, on->plane.normal, &out, &at, &beside);
  swell(&on->of, &out);
  out.t1 = q_axis_x(plane);
  return out;
}

static int stand(const ff_geom *a, const ff_pose *pose_a, const ff_geom *b, const ff_pose *pose_b,
                 double round, double margin, ff_touch *out) {
  ground on;
  find_ground(&on, a, pose_a, b, pose_b, round, -1);
  int corner[FF_TOUCH_MAX], count = 0;
  for (int slot = 0; slot < FF_TOUCH_MAX; slot++) {
    corner[slot] = INT_MIN;
  }
  for (int i = 0; i < on.side.count; i++) {
    corner[on.side.slot[i] < 0 ? 0 : on.side.slot[i]] = on.side.slot[i] < 0 ? corner[0] : i;
  }
  if (on.side.rim > 0) {
    corner[4 - on.side.slot[0]] = -1;
  }
  for (int slot = 0; slot < FF_TOUCH_MAX; slot++) {
    bool there = corner[slot] != INT_MIN;
    if (!there && !isinf(margin)) {
      continue;
    }
    ff_touch touch = touch_ground(&on, pose_b->orientation, there ? corner[slot] : 0);
    touch.feature = slot;
    touch.depth -= there ? 0 : 4 * ff_geom_bound(a);
    if (isinf(margin) || touch.depth > -margin) {
      out[count++] = touch;
    }
  }
  return count;
}

static bool look_plane(const ff_geom *a, const ff_pose *pose_a, const ff_geom *b,
                       const ff_pose *pose_b, double round, ff_touch *touch) {
  ground on;
  find_ground(&on, a, pose_a, b, pose_b, round, touch->spot.a[0]);
  int feature = touch->feature;
  *touch = touch_ground(&on, pose_b->orientation, touch->spot.a[1]);
  touch->feature = feature;
  return true;
}

/* Has a shape flat places, on which what is lowest would leap as it rocks? */
static bool has_flats(const ff_geom *a) {
  return a->kind == FF_CYLINDER || a->kind == FF_INTERSECTION ||
         (a->kind == FF_SUPERELLIPSOID && fmax(a->exponents[0], a->exponents[1]) > 2);
}

static int touch_plane(const ff_geom *a, const ff_pose *pose_a, const ff_geom *b,
                       const ff_pose *pose_b, double round, double margin, ff_touch *out) {
  double blunt = BLUNT * ff_geom_core_margin(a, round);
  switch (a->kind) {
    case FF_SUPERELLIPSOID:
      return ff_touch_superellipsoid_blunt(a, pose_a, pose_b, blunt, margin, out);
    case FF_INTERSECTION: return ff_touch_intersection_blunt(a, pose_a, pose_b, blunt, margin, out);
    default: return stand(a, pose_a, b, pose_b, round, margin, out);
  }
}

/* ---- all of them --------------------------------------------------------------------------- */

bool ff_touch_look(const ff_geom *a, const ff_pose *pose_a, const ff_geom *b, const ff_pose *pose_b,
                   double round, ff_touch *touch) {
  if (is_on_plane(a, b)) {
    return look_plane(a, pose_a, b, pose_b, round, touch);
  }
  cores of = cores_of(a, b, round);
  bool over;
  if (!ff_touch_blunt_look(&of.a, pose_a, &of.b, pose_b, of.blunt, touch, &over)) {
    return false;
  }
  over = over && touch->depth < 0;
  swell(&of, touch);
  return over;
}

bool ff_touch_slopes_at(const ff_geom *a, const ff_pose *pose_a, const ff_geom *b,
                        const ff_pose *pose_b, double round, const ff_touch *touch,
                        ff_touch_slopes *out) {
  if (is_on_plane(a, b)) {
    ground on;
    find_ground(&on, a, pose_a, b, pose_b, round, touch->spot.a[0]);
    return ff_spot_slopes(&on.side, &on.plane, touch, on.of.blunt, pose_a->position, out);
  }
  cores of = cores_of(a, b, round);
  return ff_touch_blunt_slopes(&of.a, pose_a, &of.b, pose_b, of.blunt, touch, out);
}

bool ff_geom_is_rounded(const ff_geom *a, const ff_geom *b, double round) {
  bool plane = b->kind == FF_HALF_SPACE;
  bool edged = has_core(a) && has_core(b) && !ff_manifold_has_features(a->kind, b->kind);
  return round > 0 && (plane ? has_flats(a) : edged);
}

int ff_geom_touch_rounded(const ff_geom *a, const ff_pose *pose_a, const ff_geom *b,
                          const ff_pose *pose_b, double round, double margin,
                          ff_touch out[FF_TOUCH_MAX]) {
  int count;
  if (!ff_geom_is_rounded(a, b, round)) {
    return ff_geom_touch(a, pose_a, b, pose_b, margin, out);
  }
  if (b->kind == FF_HALF_SPACE) {
    return touch_plane(a, pose_a, b, pose_b, round, margin, out);
  }
  return touch_cores(a, pose_a, b, pose_b, round, margin, out, &count)
             ? count
             : ff_geom_touch(a, pose_a, b, pose_b, margin, out);
}
