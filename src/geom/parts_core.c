/* The core of an intersection: of points that are farther than the radius from all that is outside,
 * those that are so of every member. Those of ellipsoids are not ellipsoids; smaller ones stand in
 * for them. */
#include "geom/facets.h"
#include "geom/flat.h"
#include "geom/hull.h"
#include "geom/implicit.h"
#include "geom/parts.h"
#include "geom/touch.h"

#include <string.h>

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
  ff_geom_erode(to, from, by);
  return ff_geom_thickness(from) > by && (from->kind != FF_POLYHEDRON || to->hull);
}

/* The face of a rule, if it is flat and has one; as ff_flat_find, whose rim has as many corners. */
static bool find_cut_face(ff_flat *out, const ff_geom *geom, int k) {
  const ff_pose here = {v3(0, 0, 0), q_identity()};
  ff_rule rule;
  ff_geom_rule(geom, k, here.position, &rule);
  if (!ff_rule_is_flat(&rule)) {
    return false;
  }
  ff_flat_find(out, geom, &here, rule.slope);
  return out->count == FF_CUT_CORNERS && v3_dot(out->normal, rule.slope) > 1 - 1e-12;
}

/* Flat faces of a core. */
static ff_status find_core_faces(ff_parts *core, ff_arena *arena) {
  const ff_geom geom = {.kind = FF_INTERSECTION, .parts = core};
  ff_cut_face *faces = ff_arena_take(arena, (size_t)core->rule_count, sizeof *faces);
  if (!faces) {
    return FF_ERROR_MEMORY;
  }
  int count = 0;
  for (int k = 0; k < core->rule_count; k++) {
    ff_flat face;
    if (find_cut_face(&face, &geom, k)) {
      memcpy(faces[count].at, face.at, sizeof faces[count].at);
      faces[count++].normal = face.normal;
    }
  }
  core->faces = faces;
  core->face_count = count;
  return FF_OK;
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
  core = known && status == FF_OK ? core : NULL;
  parts->core = core;
  parts->core_depth = by;
  return core ? find_core_faces(core, arena) : status;
}

/* Corners on the rims, and where the axes leave the body, so that there always is a hull around its
 * middle. */
ff_status ff_parts_find_facets(ff_parts *parts, ff_arena *arena) {
  const ff_geom geom = {.kind = FF_INTERSECTION, .parts = parts};
  size_t most = FF_CUT_CORNERS * (size_t)parts->rule_count + 6;
  ff_arena scratch = {0};
  ff_hull *hull = ff_arena_take(arena, 1, sizeof *hull);
  ff_vec3 *points = ff_arena_take(&scratch, most, sizeof *points);
  int count = 0;
  ff_status status = hull && points ? FF_OK : FF_ERROR_MEMORY;
  for (int k = 0; status == FF_OK && k < parts->rule_count; k++) {
    ff_flat face;
    if (count + FF_CUT_CORNERS + 6 <= FF_POLYHEDRON_VERTICES_MAX &&
        find_cut_face(&face, &geom, k)) {
      memcpy(points + count, face.at, FF_CUT_CORNERS * sizeof *points);
      count += FF_CUT_CORNERS;
    }
  }
  if (status == FF_OK && count > 0) {
    for (int k = 0; k < 6; k++) {
      ff_vec3 way = v3_scale(k % 2 ? 1 : -1, v3(k / 2 == 0, k / 2 == 1, k / 2 == 2));
      points[count++] = v3_scale(ff_geom_exit(&geom, v3(0, 0, 0), way, NULL), way);
    }
    status = ff_hull_make(hull, &parts->facets_pose, arena, points, count, NULL);
    status = status == FF_OK ? ff_hull_erode_inner(hull, FF_CORE_MARGIN, arena) : status;
    parts->facets = status == FF_OK ? hull : NULL;
  }
  ff_arena_free(&scratch);
  return status == FF_ERROR_MEMORY ? status : FF_OK;
}
