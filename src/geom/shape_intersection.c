/* Intersection of convex shapes. size: half extents about the origin. */
#include "base/report.h"
#include "geom/parts.h"
#include "geom/shape.h"

static const char *check_member_frame(const ff_shape_def *def) {
  double norm = q_norm(def->orientation);
  bool good = v3_finite(def->position) && isfinite(norm) && norm > 0;
  return good ? NULL : "position and orientation must be finite, orientation not zero";
}

static ff_status intersection_make(ff_geom *out, ff_pose *frame, ff_arena *arena,
                                   const ff_shape_def *def, ff_report *report) {
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
                            : check_member_frame(member);
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

static double intersection_bound(const ff_geom *geom) {
  return geom->parts->bound;
}

static double intersection_thickness(const ff_geom *geom) {
  return geom->parts->inside;
}

static double intersection_volume(const ff_geom *geom) {
  return geom->parts->volume;
}

static ff_vec3 intersection_inertia(const ff_geom *geom) {
  return geom->parts->inertia;
}

/* Rules: those of all members. */
static int intersection_rule_count(const ff_geom *geom) {
  return geom->parts->rule_count;
}

static void intersection_rule(const ff_geom *geom, int rule, ff_vec3 x, ff_rule *out) {
  const ff_parts *parts = geom->parts;
  int i = 0;
  while (rule >= parts->first_rule[i + 1]) {
    i++;
  }
  ff_quat q = parts->poses[i].orientation;
  ff_vec3 local = q_unrotate(q, v3_sub(x, parts->poses[i].position));
  ff_rule mine;
  ff_geom_rule(&parts->geoms[i], rule - parts->first_rule[i], local, &mine);
  if (ff_rule_is_flat(&mine)) {
    ff_rule_flat(q_rotate(q, mine.slope), 0, v3(0, 0, 0), out);
    out->value = mine.value;
    return;
  }
  ff_mat3 r = q_matrix(q);
  *out = (ff_rule){.value = mine.value, .slope = m3_mul(r, mine.slope)};
  for (int row = 0; row < 3; row++) { /* R H R^T, a row at a time */
    ff_vec3 hr = m3_tmul(mine.bend, v3(r.m[row][0], r.m[row][1], r.m[row][2]));
    v3_store(out->bend.m[row], m3_mul(r, hr));
  }
}

static double intersection_largest(const ff_geom *geom, ff_vec3 x, int *rule) {
  const ff_parts *parts = geom->parts;
  double most = -INFINITY;
  *rule = 0;
  for (int i = 0; i < parts->count; i++) {
    ff_vec3 from = v3_sub(x, parts->poses[i].position);
    int mine = 0;
    double value =
        ff_geom_value(&parts->geoms[i], q_unrotate(parts->poses[i].orientation, from), &mine);
    *rule = value > most ? parts->first_rule[i] + mine : *rule;
    most = fmax(most, value);
  }
  return most;
}

static double intersection_exit(const ff_geom *geom, ff_vec3 from, ff_vec3 direction, int *rule) {
  const ff_parts *parts = geom->parts;
  double end = INFINITY;
  for (int i = 0; i < parts->count; i++) {
    int mine = 0;
    ff_quat q = parts->poses[i].orientation;
    ff_vec3 local = q_unrotate(q, v3_sub(from, parts->poses[i].position));
    double leave = ff_geom_exit(&parts->geoms[i], local, q_unrotate(q, direction), &mine);
    if (leave < end) {
      end = leave;
      *rule = parts->first_rule[i] + mine;
    }
  }
  return end;
}

const ff_shape_ops ff_shape_intersection = {.name = "intersection",
                                            .facets = FF_FACETS_RIMS,
                                            .make = intersection_make,
                                            .bound = intersection_bound,
                                            .thickness = intersection_thickness,
                                            .volume = intersection_volume,
                                            .inertia = intersection_inertia,
                                            .support = ff_parts_support,
                                            .rule_count = intersection_rule_count,
                                            .rule = intersection_rule,
                                            .largest = intersection_largest,
                                            .exit = intersection_exit};
