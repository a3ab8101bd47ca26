/* One of each finite shape, for tests of geometry. */
#ifndef FF_TESTS_SOLIDS_H
#define FF_TESTS_SOLIDS_H

#include "geom_fixture.h"

enum { SOLIDS = 11 };

static inline ff_shape_def solid_member(ff_shape_kind kind, ff_vec3 size, ff_vec3 position,
                                        ff_vec3 turn) {
  ff_shape_def def = ff_shape_def_default();
  def.kind = kind;
  def.size = size;
  def.position = position;
  def.orientation = q_exp(turn);
  return def;
}

static inline ff_geom solid_made(ff_arena *arena, const ff_shape_def *def, ff_pose *frame) {
  ff_geom geom;
  ff_report report = {0};
  ff_status status = ff_geom_make(&geom, frame, arena, def, &report);
  if (status != FF_OK) {
    fail_msg("%s", report.what);
  }
  return geom;
}

static inline ff_geom solid_polyhedron(ff_arena *arena, const ff_vec3 *vertices, int count,
                                       ff_pose *frame) {
  ff_shape_def def = ff_shape_def_default();
  def.kind = FF_POLYHEDRON;
  def.vertices = vertices;
  def.vertex_count = count;
  return solid_made(arena, &def, frame);
}

static inline ff_geom solid_cone(ff_arena *arena, double radius, double height) {
  ff_shape_def def = ff_shape_def_default();
  ff_pose frame;
  def.kind = FF_CONE;
  def.size = v3(radius, height, 0);
  return solid_made(arena, &def, &frame);
}

static inline ff_geom solid_intersection(ff_arena *arena, const ff_shape_def *members, int count,
                                         ff_pose *frame) {
  ff_shape_def def = ff_shape_def_default();
  def.kind = FF_INTERSECTION;
  def.members = members;
  def.member_count = count;
  return solid_made(arena, &def, frame);
}

static const ff_vec3 solid_cube[8] = {{-.2, -.5, -.35}, {.2, -.5, -.35}, {-.2, .5, -.35},
                                      {.2, .5, -.35},   {-.2, -.5, .35}, {.2, -.5, .35},
                                      {-.2, .5, .35},   {.2, .5, .35}};

/* What they point to lives in the arena. */
static inline void solids_make(ff_arena *arena, ff_geom out[SOLIDS]) {
  ff_pose frame;
  ff_shape_def cut[3] = {solid_member(FF_ELLIPSOID, v3(.5, .4, .6), v3(0, 0, 0), v3(0, 0, 0)),
                         solid_member(FF_HALF_SPACE, v3(0, 0, 0), v3(0, 0, .2), v3(.3, 0, 0)),
                         solid_member(FF_CYLINDER, v3(.4, .5, 0), v3(.05, 0, 0), v3(.1, .4, 0))};
  uint64_t seed = 11;
  ff_vec3 points[40];
  for (int i = 0; i < 40; i++) {
    points[i] = random_vec(&seed, .5);
  }
  out[0] = (ff_geom){.kind = FF_SPHERE, .size = {.3, 0, 0}};
  out[1] = (ff_geom){.kind = FF_ELLIPSOID, .size = {.2, .5, .35}};
  out[2] = (ff_geom){.kind = FF_BOX, .size = {.2, .5, .35}};
  out[3] = (ff_geom){.kind = FF_CAPSULE, .size = {.2, .4, 0}};
  out[4] = (ff_geom){.kind = FF_CYLINDER, .size = {.3, .4, 0}};
  out[5] = (ff_geom){.kind = FF_SUPERELLIPSOID, .size = {.2, .5, .35}, .exponents = {4, 3}};
  out[6] = (ff_geom){.kind = FF_SUPERELLIPSOID, .size = {.4, .3, .5}, .exponents = {1.4, 6}};
  out[7] = solid_polyhedron(arena, points, 40, &frame);
  out[8] = solid_intersection(arena, cut, 3, &frame);
  out[9] = solid_polyhedron(arena, solid_cube, 8, &frame);
  out[10] = solid_cone(arena, .3, .8);
}

#endif
