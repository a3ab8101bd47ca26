/* Shapes with rounded edges: a core, smaller by the radius, and everything within the radius of it.
 * Where sharp shapes overlap, the shortest way out leaps from face to face; cores are apart as long
 * as the shapes overlap by less than both radii, and have one direction in which they are nearest.
 * Two boxes have more to them: see touch_boxes.c. */
#include "geom/touch.h"

double ff_geom_round(const ff_geom *geom, double round) {
  double half = ff_geom_thickness(geom);
  return isinf(round) ? 0.02 * half : fmax(1e-3 * half, fmin(round, 0.5 * half));
}

bool ff_geom_shrink(ff_geom *out, const ff_geom *geom, double by) {
  *out = *geom;
  switch (geom->kind) {
    case FF_BOX: out->size = v3_sub(geom->size, v3(by, by, by)); return true;
    case FF_CYLINDER: out->size = v3_sub(geom->size, v3(by, by, 0)); return true;
    case FF_CAPSULE: out->size.x -= by; return true;
    default: return false;
  }
}

/* How blunt caps are, of the radius: by as much a rim is less deep than a sharp one. */
#define BLUNT 0.1

/* Is the core of this kind known? */
static bool has_core(ff_shape_kind kind) {
  return kind == FF_BOX || kind == FF_CYLINDER || kind == FF_CAPSULE;
}

/* False: they are sharp, since their cores overlap. */
static bool touch_cores(const ff_geom *a, const ff_pose *pose_a, const ff_geom *b,
                        const ff_pose *pose_b, double round, double margin, ff_touch *out,
                        int *count) {
  double of_a = ff_geom_round(a, round), of_b = ff_geom_round(b, round), both = of_a + of_b;
  ff_geom core_a, core_b;
  ff_geom_shrink(&core_a, a, of_a);
  ff_geom_shrink(&core_b, b, of_b);
  double blunt = BLUNT * fmin(of_a, of_b);
  *count = ff_touch_blunt(&core_a, pose_a, &core_b, pose_b, blunt, margin + both, out);
  for (int i = 0; i < *count; i++) {
    if (out[i].depth >= 0) {
      return false;
    }
    out[i].depth += both;
    out[i].point = v3_axpy(out[i].point, 0.5 * (of_b - of_a), out[i].normal);
  }
  return true;
}

int ff_geom_touch_rounded(const ff_geom *a, const ff_pose *pose_a, const ff_geom *b,
                          const ff_pose *pose_b, double round, double margin,
                          ff_touch out[FF_TOUCH_MAX]) {
  int count;
  if (!(round > 0) || !has_core(a->kind) || !has_core(b->kind)) {
    return ff_geom_touch(a, pose_a, b, pose_b, margin, out);
  }
  if (a->kind == FF_BOX && b->kind == FF_BOX) {
    return ff_touch_boxes(a, pose_a, b, pose_b, round, margin, out);
  }
  return touch_cores(a, pose_a, b, pose_b, round, margin, out, &count)
             ? count
             : ff_geom_touch(a, pose_a, b, pose_b, margin, out);
}
