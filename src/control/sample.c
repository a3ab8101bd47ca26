/* Evaluation of a walk at any time. */
#include "control/controller.h"
#include "math/elementary.h"

/* Central difference over twice this time, s: short against the curvature of the path, long against
 * rounding. */
#define DIFFERENCE 2e-6

double ff_walk_duration(const ff_walk *walk) {
  return walk->duration;
}

static double walk_clamp_time(const ff_walk *walk, double time) {
  return time > 0 ? (time < walk->duration ? time : walk->duration) : 0;
}

/* ---- positions ------------------------------------------------------------------------------- */

static ff_pose walk_trunk_at(const ff_walk *walk, double time, double yaw) {
  double place[3];
  for (int i = 0; i < 3; i++) {
    place[i] =
        ff_spline_at(walk->trunk[i], walk->trunk_bend[i], walk->count, walk->def.sample, time);
  }
  return (ff_pose){v3_load(place), {ff_cos(0.5 * yaw), 0, 0, ff_sin(0.5 * yaw)}};
}

ff_walk_state ff_walk_at(const ff_walk *walk, double time) {
  ff_walk_state s = {.com = {0, 0, walk->def.height}};
  double t = walk_clamp_time(walk, time), zmp[2];
  double yaw = ff_walk_feet(walk, t, s.foot);
  s.trunk = walk_trunk_at(walk, t, yaw);
  ff_walk_zmp(walk, t, zmp);
  s.zmp = v3(zmp[0], zmp[1], 0);
  int k = (int)(t / walk->def.sample);
  k = k < walk->count ? k : walk->count - 1;
  double rest = t - k * walk->def.sample;
  ff_pendulum x = ff_pendulum_after(&walk->com[0][k], rest);
  ff_pendulum y = ff_pendulum_after(&walk->com[1][k], rest);
  s.com = v3(x.position, y.position, walk->def.height);
  if (t == time) { /* else at rest */
    s.com_velocity = v3(x.velocity, y.velocity, 0);
    s.com_acceleration = v3(x.acceleration, y.acceleration, 0);
  }
  return s;
}

/* ---- joints ---------------------------------------------------------------------------------- */

ff_walk_config ff_walk_config_at(const ff_walk *walk, double time) {
  double t = walk_clamp_time(walk, time);
  ff_walk_foot feet[2];
  double yaw = ff_walk_feet(walk, t, feet);
  return ff_walk_solve(walk, walk_trunk_at(walk, t, yaw), feet);
}

void ff_walk_joints(const ff_walk *walk, double time, double *q, double *v) {
  ff_walk_config now = ff_walk_config_at(walk, time);
  ff_walk_write(walk, &now, q);
  if (v) {
    ff_walk_config before = ff_walk_config_at(walk, time - DIFFERENCE);
    ff_walk_config after = ff_walk_config_at(walk, time + DIFFERENCE);
    ff_walk_rates(walk, &before, &after, 2 * DIFFERENCE, v);
  }
}

/* ---- support --------------------------------------------------------------------------------- */

static int walk_corners_at(const ff_walk *walk, double time, ff_vec3 corners[FF_SUPPORT_MAX]) {
  const ff_walk_def *def = &walk->def;
  ff_walk_foot feet[2];
  int count = 0;
  ff_walk_feet(walk, walk_clamp_time(walk, time), feet);
  for (int f = 0; f < 2; f++) {
    for (int k = 0; k < 4 && feet[f].down; k++) {
      ff_vec3 local = {def->sole.x + (k & 1 ? 0.5 : -0.5) * def->sole_length,
                       def->sole.y + (k & 2 ? 0.5 : -0.5) * def->sole_width, def->sole.z};
      corners[count++] = pose_point(feet[f].pose, local);
    }
  }
  return count;
}

double ff_walk_margin(const ff_walk *walk, double time, ff_vec3 point) {
  ff_vec3 corners[FF_SUPPORT_MAX];
  ff_support support = ff_support_of(corners, walk_corners_at(walk, time, corners));
  return ff_support_margin(&support, point);
}
