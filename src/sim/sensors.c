/* Contact sums: wrench on a link or a force plate, and on a whole robot. */
#include "sim/sensors.h"

#include "math/vec.h"
#include "step/robots.h"

/* A wrench about the world's origin. */
typedef struct push {
  ff_vec3 force, torque;
} push;

static void push_add_point(push *sum, const ff_point *point, double sign) {
  ff_vec3 torque = v3_add(v3_cross(point->point, point->force), point->moment);
  sum->force = v3_axpy(sum->force, sign, point->force);
  sum->torque = v3_axpy(sum->torque, sign, torque);
}

static void push_add_pair(push *sum, const ff_state *state, const ff_meet *meet, double sign) {
  for (int n = meet->first_near; n < meet->first_near + meet->near_count; n++) {
    const ff_near *near = &state->nears[n];
    for (int i = near->first_point; i < near->first_point + near->point_count; i++) {
      if (state->points[i].touching) {
        push_add_point(sum, &state->points[i], sign);
      }
    }
  }
}

/* Wrench of all contacts on a body; forces of points are those on a. */
static push push_on_body(const ff_sim *sim, int body) {
  push sum = {{0, 0, 0}, {0, 0, 0}};
  for (int m = 0; m < sim->state.meet_count; m++) {
    const ff_meet *meet = &sim->state.meets[m];
    if (meet->a == body || meet->b == body) {
      push_add_pair(&sum, &sim->state, meet, meet->a == body ? 1 : -1);
    }
  }
  return sum;
}

/* External wrench on a robot; contacts between its own links cancel. */
static push push_on_robot(const ff_sim *sim, int robot) {
  push sum = {{0, 0, 0}, {0, 0, 0}};
  for (int m = 0; m < sim->state.meet_count; m++) {
    const ff_meet *meet = &sim->state.meets[m];
    bool a = sim->model->bodies[meet->a].robot == robot;
    bool b = sim->model->bodies[meet->b].robot == robot;
    if (a != b) {
      push_add_pair(&sum, &sim->state, meet, a ? 1 : -1);
    }
  }
  return sum;
}

ff_load ff_sense_load(const ff_sim *sim, int body) {
  push sum = push_on_body(sim, body);
  ff_body_state at = ff_sim_body(sim, (ff_body){.id = body + 1});
  ff_vec3 normal = q_rotate(at.orientation, v3(0, 0, 1));
  ff_vec3 pressed = ff_center_of_pressure(sum.force, sum.torque, at.position, normal);
  ff_vec3 rest = v3_sub(sum.torque, v3_cross(pressed, sum.force));
  return (ff_load){.force = sum.force,
                   .moment = v3_sub(sum.torque, v3_cross(at.position, sum.force)),
                   .cop = pressed,
                   .free_moment = v3_dot(normal, rest)};
}

ff_robot_motion ff_sense_robot(const ff_sim *sim, int robot) {
  const ff_model *model = sim->model;
  ff_vec3 gravity = model->run.gravity;
  ff_vec3 up = v3_norm(gravity) > 0 ? v3_unit(v3_neg(gravity)) : v3(0, 0, 1);
  ff_tree_work *work = sim->state.robots[robot].work;
  ff_tree_motion whole = ff_tree_whole(work, gravity);
  push sum = push_on_robot(sim, robot);
  ff_robot_motion out = {.com = whole.com,
                         .velocity = whole.velocity,
                         .angular = whole.angular,
                         .cop = ff_center_of_pressure(sum.force, sum.torque, v3(0, 0, 0), up),
                         .zmp = v3(NAN, NAN, NAN)};
  const double *a = ff_robot_acceleration(model, &sim->state, robot);
  if (a) {
    out.zmp = ff_tree_zero_moment_point(work, a, gravity, v3(0, 0, 0), up);
  }
  return out;
}
