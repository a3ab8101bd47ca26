/* The core of an intersection: of points that are farther than the radius from all that is outside,
 * those that are so of every member. Those of ellipsoids are not ellipsoids; smaller ones stand in
 * for them. */
#include "geom/hull.h"
#include "geom/parts.h"
#include "geom/touch.h"

/* False: a member has no core. */
static bool shrink(ff_geom *to, ff_pose *pose, const ff_geom *from, double by, ff_arena *arena,
                   ff_status *status) {
  *to = *from;
  if (from->kind == FF_HALF_SPACE) {
    pose->position = v3_axpy(pose->position, -by, q_axis_z(pose->orientation));
    return true;
  }
  if (from->kind == FF_POLYHEDRON) {
    *status = ff_hull_erode((ff_hull *)from->hull, by, arena);
  }
  ff_geom_shrink(to, from, by);
  return ff_geom_thickness(from) > by && (from->kind != FF_POLYHEDRON || to->hull);
}

ff_status ff_parts_erode(ff_parts *parts, double by, ff_arena *arena) {
  size_t count = (size_t)parts->count;
  ff_parts *core = ff_arena_take(arena, 1, sizeof *core);
  ff_geom *geoms = ff_arena_take(arena, count, sizeof *geoms);
  ff_pose *poses = ff_arena_take(arena, count, sizeof *poses);
  if (!core || !geoms || !poses) {
    return FF_ERROR_MEMORY;
  }
  *core = *parts;
  core->geoms = geoms;
  core->poses = poses;
  core->inside = parts->inside - by;
  bool known = core->inside > 0;
  ff_status status = FF_OK;
  for (int i = 0; i < parts->count && status == FF_OK; i++) {
    poses[i] = parts->poses[i];
    known = shrink(&geoms[i], &poses[i], &parts->geoms[i], by, arena, &status) && known;
  }
  parts->core = known && status == FF_OK ? core : NULL;
  parts->core_depth = by;
  return status;
}
