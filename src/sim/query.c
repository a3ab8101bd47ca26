/* Rays and distances. */
#include "geom/distance.h"
#include "math/vec.h"
#include "sim/sim.h"

static ff_pose shape_pose(const ff_sim *sim, const ff_model_shape *shape) {
  return pose_mul(sim->state.bodies[shape->body].pose, shape->pose);
}

/* ---- rays ------------------------------------------------------------------------------------ */

static bool ray_enters(const ff_sim *sim, const ff_model_shape *shape, ff_vec3 origin,
                       ff_vec3 direction, double range, double *distance, ff_vec3 *normal) {
  ff_pose pose = shape_pose(sim, shape);
  ff_vec3 from = v3_sub(origin, pose.position);
  double along = -v3_dot(from, direction);
  ff_vec3 miss = v3_axpy(from, along, direction);
  if (v3_dot(miss, miss) > shape->bound * shape->bound || along < -shape->bound ||
      along - shape->bound > range) {
    return false;
  }
  bool hit = ff_geom_ray(&shape->geom, q_unrotate(pose.orientation, from),
                         q_unrotate(pose.orientation, direction), range, distance, normal);
  *normal = hit ? q_rotate(pose.orientation, *normal) : *normal;
  return hit;
}

ff_ray_hit ff_sim_ray(const ff_sim *sim, ff_vec3 origin, ff_vec3 direction, double range,
                      ff_body skip) {
  const ff_vec3 none = {NAN, NAN, NAN};
  ff_ray_hit out = {.distance = NAN, .point = none, .normal = none};
  double length = v3_norm(direction);
  bool skips = skip.id != 0;
  if (!sim || !v3_finite(origin) || !isfinite(length) || !(length > 0) || !(range >= 0) ||
      (skips && !ff_model_has_body(sim->model, skip))) {
    return out;
  }
  ff_vec3 along = v3_scale(1 / length, direction);
  double nearest = range;
  for (int i = 0; i < sim->model->shape_count; i++) {
    const ff_model_shape *shape = &sim->model->shapes[i];
    double distance;
    ff_vec3 normal = none;
    if (shape->body != skip.id - 1 &&
        ray_enters(sim, shape, origin, along, nearest, &distance, &normal) &&
        (out.body.id == 0 || distance < nearest)) {
      nearest = distance;
      out.body = ff_body_id(sim->model, shape->body);
      out.shape = ff_shape_id(sim->model, i);
      out.distance = distance;
      out.normal = normal;
    }
  }
  if (out.body.id != 0) {
    out.point = v3_axpy(origin, out.distance, along);
  }
  return out;
}

/* ---- distances ------------------------------------------------------------------------------- */

/* Of a finite shape a and a half-space b. */
static void distance_to_plane(ff_distance *out, const ff_geom *a, const ff_pose *pose_a,
                              const ff_pose *pose_b) {
  ff_vec3 normal = q_rotate(pose_b->orientation, v3(0, 0, 1));
  ff_vec3 down = q_unrotate(pose_a->orientation, v3_neg(normal));
  out->on_a = pose_point(*pose_a, ff_geom_support(a, down));
  out->gap = v3_dot(normal, v3_sub(out->on_a, pose_b->position));
  out->on_b = v3_axpy(out->on_a, -out->gap, normal);
  out->normal = normal;
}

/* False: two half-spaces. */
static bool distance_of_shapes(const ff_sim *sim, const ff_model_shape *a, const ff_model_shape *b,
                               ff_distance *out) {
  ff_pose pose_a = shape_pose(sim, a), pose_b = shape_pose(sim, b);
  bool flat_a = a->geom.kind == FF_HALF_SPACE, flat_b = b->geom.kind == FF_HALF_SPACE;
  if (flat_a && flat_b) {
    return false;
  }
  if (flat_b) {
    distance_to_plane(out, &a->geom, &pose_a, &pose_b);
  } else if (flat_a) {
    ff_distance turned;
    distance_to_plane(&turned, &b->geom, &pose_b, &pose_a);
    out->gap = turned.gap;
    out->on_a = turned.on_b;
    out->on_b = turned.on_a;
    out->normal = v3_neg(turned.normal);
  } else {
    ff_distance_query(out, &a->geom, &pose_a, &b->geom, &pose_b, INFINITY);
  }
  return true;
}

ff_separation ff_sim_distance(const ff_sim *sim, ff_body a, ff_body b) {
  const ff_vec3 none = {NAN, NAN, NAN};
  ff_separation out = {.distance = NAN, .on_a = none, .on_b = none, .normal = none};
  if (!sim || !ff_model_has_body(sim->model, a) || !ff_model_has_body(sim->model, b) ||
      a.id == b.id) {
    return out;
  }
  const ff_model_body *ba = &sim->model->bodies[a.id - 1], *bb = &sim->model->bodies[b.id - 1];
  for (int i = ba->first_shape; i < ba->first_shape + ba->shape_count; i++) {
    for (int j = bb->first_shape; j < bb->first_shape + bb->shape_count; j++) {
      ff_distance at;
      if (distance_of_shapes(sim, &sim->model->shapes[i], &sim->model->shapes[j], &at) &&
          !(at.gap >= out.distance)) {
        out = (ff_separation){.shape_a = ff_shape_id(sim->model, i),
                              .shape_b = ff_shape_id(sim->model, j),
                              .distance = at.gap,
                              .on_a = at.on_a,
                              .on_b = at.on_b,
                              .normal = at.normal};
      }
    }
  }
  return out;
}
