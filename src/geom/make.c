/* From a definition to a shape that can touch. */
#include "base/report.h"
#include "geom/facets.h"
#include "geom/hull.h"
#include "geom/parts.h"
#include "math/vec.h"

static ff_status make_hull(ff_geom *out, ff_pose *frame, ff_arena *arena, const ff_shape_def *def,
                           ff_report *report) {
  if (def->vertex_count < 4 || !def->vertices) {
    return ff_report_what(report, "a polyhedron has at least 4 vertices");
  }
  double most = 0;
  for (int i = 0; i < def->vertex_count; i++) {
    ff_vec3 v = def->vertices[i];
    if (!v3_finite(v)) {
      return ff_report_what(report, "every vertex must be finite");
    }
    most = fmax(most, fmax(fabs(v.x), fmax(fabs(v.y), fabs(v.z))));
  }
  if (!(most > 1e-90 && most < 1e90)) { /* products of three must be numbers, too */
    return ff_report_what(report, "the vertices are all at one place or out of all bounds");
  }
  ff_hull *hull = ff_arena_take(arena, 1, sizeof *hull);
  if (!hull) {
    return FF_ERROR_MEMORY;
  }
  ff_status status = ff_hull_make(hull, frame, arena, def->vertices, def->vertex_count, report);
  status = status == FF_OK ? ff_hull_erode_inner(hull, FF_CORE_MARGIN, arena) : status;
  out->hull = hull;
  double extent[3] = {0, 0, 0};
  for (int i = 0; status == FF_OK && i < hull->vertex_count; i++) {
    extent[0] = fmax(extent[0], fabs(hull->vertices[i].x));
    extent[1] = fmax(extent[1], fabs(hull->vertices[i].y));
    extent[2] = fmax(extent[2], fabs(hull->vertices[i].z));
  }
  out->size = v3_load(extent);
  return status;
}

static const char *check_frame(const ff_shape_def *def) {
  double norm = q_norm(def->orientation);
  bool good = v3_finite(def->position) && isfinite(norm) && norm > 0;
  return good ? NULL : "position and orientation must be finite, orientation not zero";
}

static ff_status make_parts(ff_geom *out, ff_pose *frame, ff_arena *arena, const ff_shape_def *def,
                            ff_report *report) {
  if (def->member_count < 2 || def->member_count > FF_INTERSECTION_MEMBERS_MAX || !def->members) {
    return ff_report_what(report, "an intersection has 2 to %d members, not %d",
                          FF_INTERSECTION_MEMBERS_MAX, def->member_count);
  }
  size_t count = (size_t)def->member_count;
  ff_parts *parts = ff_arena_take(arena, 1, sizeof *parts);
  ff_geom *geoms = ff_arena_take(arena, count, sizeof *geoms);
  ff_pose *poses = ff_arena_take(arena, count, sizeof *poses);
  if (!parts || !geoms || !poses) {
    return FF_ERROR_MEMORY;
  }
  for (int i = 0; i < def->member_count; i++) {
    const ff_shape_def *member = &def->members[i];
    const char *wrong = member->kind == FF_INTERSECTION
                            ? "a member of an intersection cannot be an intersection"
                            : check_frame(member);
    if (wrong) {
      return ff_report_what(report, "%s", wrong);
    }
    ff_pose own;
    ff_status status = ff_geom_make(&geoms[i], &own, arena, member, report);
    if (status != FF_OK) {
      return status;
    }
    poses[i] = pose_mul((ff_pose){member->position, q_unit(member->orientation)}, own);
  }
  out->parts = parts;
  ff_status status =
      ff_parts_make(parts, &out->size, frame, geoms, poses, def->member_count, arena, report);
  return status == FF_OK ? ff_parts_find_facets(parts, arena) : status;
}

ff_status ff_geom_make(ff_geom *out, ff_pose *frame, ff_arena *arena, const ff_shape_def *def,
                       ff_report *report) {
  *out = (ff_geom){.kind = def->kind, .size = def->size};
  out->exponents[0] = def->exponents[0];
  out->exponents[1] = def->exponents[1];
  *frame = (ff_pose){{0, 0, 0}, q_identity()};
  const char *wrong = ff_geom_check(out);
  if (wrong) {
    return ff_report_what(report, "%s", wrong);
  }
  if (def->kind == FF_POLYHEDRON) {
    return make_hull(out, frame, arena, def, report);
  }
  return def->kind == FF_INTERSECTION ? make_parts(out, frame, arena, def, report) : FF_OK;
}
