/* Flat faces of an intersection, and the hull of corners on their rims: its facets. */
#include "geom/facets.h"
#include "geom/hull.h"
#include "geom/implicit.h"
#include "geom/parts.h"
#include "math/vec.h"

#include <string.h>

enum { CUT_CORNERS = 8 };

/* A flat face, by some corners of its rim, counterclockwise seen from outside. */
typedef struct cut_face {
  int count;               /* CUT_CORNERS; 0: there is none */
  ff_vec3 normal;          /* unit, outward */
  ff_vec3 at[CUT_CORNERS]; /* m */
} cut_face;

/* A flat rule of an intersection that faces the direction: rays from the middle of the face go to
 * its rim, the first towards the part that is deepest. */
static void find_face(cut_face *out, const ff_geom *geom, const ff_pose *pose, ff_vec3 direction) {
  ff_vec3 d = q_unrotate(pose->orientation, direction);
  ff_vec3 at = ff_geom_support(geom, d), normal = v3(0, 0, 0);
  double size = ff_geom_bound(geom), best = 0.99;
  for (int k = 0; k < ff_geom_rule_count(geom); k++) {
    ff_rule rule;
    ff_geom_rule(geom, k, at, &rule);
    double bend = 0;
    for (int i = 0; i < 9; i++) {
      bend = fmax(bend, fabs(rule.bend.m[i / 3][i % 3]));
    }
    if (bend == 0 && rule.value > -1e-9 * size && v3_dot(rule.slope, d) > best) {
      best = v3_dot(rule.slope, d);
      normal = rule.slope;
    }
  }
  out->count = 0;
  if (!(v3_dot(normal, normal) > 0)) {
    return;
  }
  ff_vec3 middle = v3_scale(1 - 1e-7, ff_geom_support(geom, normal)); /* a hair inside */
  ff_vec3 x = v3_axpy(d, -v3_dot(d, normal), normal);
  x = v3_norm(x) > 1e-9 ? v3_unit(x) : v3_orthogonal(normal);
  ff_vec3 y = v3_cross(normal, x);
  for (int k = 0; k < CUT_CORNERS; k++) {
    double angle = 2 * ff_pi * k / CUT_CORNERS;
    ff_vec3 ray = v3_add(v3_scale(ff_cos(angle), x), v3_scale(ff_sin(angle), y));
    ff_vec3 rim = v3_axpy(middle, ff_geom_exit(geom, middle, ray, NULL), ray);
    rim = v3_axpy(rim, v3_dot(normal, v3_sub(at, rim)), normal);
    out->at[out->count++] = pose_point(*pose, rim);
  }
  out->normal = q_rotate(pose->orientation, normal);
}

/* The face of a rule, if it is flat and has one. */
static bool find_cut_face(cut_face *out, const ff_geom *geom, int k) {
  const ff_pose here = {v3(0, 0, 0), q_identity()};
  ff_rule rule;
  ff_geom_rule(geom, k, here.position, &rule);
  if (!ff_rule_is_flat(&rule)) {
    return false;
  }
  find_face(out, geom, &here, rule.slope);
  return out->count == CUT_CORNERS && v3_dot(out->normal, rule.slope) > 1 - 1e-12;
}

/* Corners on the rims, and where the axes leave the body, so that there always is a hull around its
 * middle. */
ff_status ff_parts_find_facets(ff_parts *parts, ff_arena *arena) {
  const ff_geom geom = {.kind = FF_INTERSECTION, .parts = parts};
  size_t most = CUT_CORNERS * (size_t)parts->rule_count + 6;
  ff_arena scratch = {0};
  ff_hull *hull = ff_arena_take(arena, 1, sizeof *hull);
  ff_vec3 *points = ff_arena_take(&scratch, most, sizeof *points);
  int count = 0;
  ff_status status = hull && points ? FF_OK : FF_ERROR_MEMORY;
  for (int k = 0; status == FF_OK && k < parts->rule_count; k++) {
    cut_face face;
    if (count + CUT_CORNERS + 6 <= FF_POLYHEDRON_VERTICES_MAX && find_cut_face(&face, &geom, k)) {
      memcpy(points + count, face.at, CUT_CORNERS * sizeof *points);
      count += CUT_CORNERS;
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
