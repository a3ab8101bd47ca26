/* Changes of a sim between steps, and sensors that read it. */
#include "math/vec.h"
#include "sim/sim.h"
#include "tree/tree.h"

#include <string.h>

static bool set_has_body(const ff_sim *sim, ff_body body) {
  return sim && ff_model_has_body(sim->model, body);
}

ff_status ff_sim_take_change(ff_sim *sim) {
  for (int i = 0; i < sim->state.point_count; i++) {
    sim->state.points[i].known = false;
  }
  sim->last_step = 0;
  ff_state_wake(&sim->state, sim->model);
  ff_status status = sim->stepper->refresh(&sim->work);
  ff_auditor_start(&sim->auditor, sim->model, &sim->state);
  return status;
}

/* ---- robots ---------------------------------------------------------------------------------- */

static bool set_is_finite(const double *numbers, int count) {
  bool finite = true;
  for (int i = 0; numbers && i < count; i++) {
    finite = finite && isfinite(numbers[i]);
  }
  return finite;
}

ff_status ff_sim_set_robot(ff_sim *sim, ff_robot_id robot, const double *q, const double *v) {
  const ff_model_robot *r = sim ? ff_model_robot_of(sim->model, robot) : NULL;
  if (!r || !set_is_finite(q, r->q_count) || !set_is_finite(v, r->v_count)) {
    return FF_ERROR_INPUT;
  }
  double *own_q = sim->state.y + r->q_at, *own_v = sim->state.y + r->v_at;
  double *tidy = sim->work.before; /* workspace of the next step */
  if (q) {
    memcpy(tidy, q, (size_t)r->q_count * sizeof *q);
    ff_tree_q_tidy(r->tree, tidy);
    if (!set_is_finite(tidy, r->q_count)) { /* a quaternion of length 0 */
      return FF_ERROR_INPUT;
    }
    memcpy(own_q, tidy, (size_t)r->q_count * sizeof *q);
  }
  if (v) {
    memcpy(own_v, v, (size_t)r->v_count * sizeof *v);
  }
  return ff_sim_take_change(sim);
}

ff_status ff_sim_set_joint(ff_sim *sim, ff_joint_id joint, double position, double rate) {
  const ff_model_joint *own = sim ? ff_model_joint_of(sim->model, joint) : NULL;
  if (!own || !isfinite(position) || !isfinite(rate)) {
    return FF_ERROR_INPUT;
  }
  const ff_model_robot *r = &sim->model->robots[joint.robot - 1];
  if (own->form != FF_AXIS_PLAIN || own->follows) {
    return FF_ERROR_INPUT;
  }
  sim->state.y[r->q_at + own->q_at] = (position - own->offset) / own->factor;
  sim->state.y[r->v_at + own->v_at] = rate / own->factor;
  return ff_sim_take_change(sim);
}

ff_joint_info ff_model_joint_info(const ff_model *model, ff_joint_id joint) {
  const ff_model_joint *own = ff_model_joint_of(model, joint);
  if (!own) {
    return (ff_joint_info){
        .name = "", .q_at = -1, .v_at = -1, .lower = NAN, .upper = NAN, .armature = NAN};
  }
  const ff_model_robot *r = &model->robots[joint.robot - 1];
  bool plain = own->form == FF_AXIS_PLAIN;
  ff_joint_info out = {.name = own->name,
                       .q_at = plain ? own->q_at : -1,
                       .v_at = plain ? own->v_at : -1,
                       .slides = own->slides,
                       .follows = own->follows,
                       .factor = own->factor,
                       .offset = own->offset,
                       .lower = -INFINITY,
                       .upper = INFINITY,
                       .effort = own->effort,
                       .speed = own->speed,
                       .stiffness = own->stiffness,
                       .damping = own->damping,
                       .armature = r->tree->armature[own->v_at]};
  for (int i = 1; plain && !own->follows && i < r->tree->count; i++) {
    const ff_tree_link_data *link = &r->tree->links[i];
    if (ff_link_owns(link) && link->v_count == 1 && link->v_at == own->v_at) {
      out.lower = link->joint.lower;
      out.upper = link->joint.upper;
    }
  }
  return out;
}

/* ---- wrenches and gravity -------------------------------------------------------------------- */

ff_status ff_sim_apply(ff_sim *sim, ff_body body, ff_vec3 point, ff_vec3 force, ff_vec3 torque) {
  if (!set_has_body(sim, body) || !v3_finite(point) || !v3_finite(force) || !v3_finite(torque) ||
      !ff_body_is_moved(&sim->model->bodies[body.id - 1])) {
    return FF_ERROR_INPUT;
  }
  ff_state *state = &sim->state;
  const ff_pose frame = sim->model->bodies[body.id - 1].frame;
  if (state->applied_count == 0) { /* those of an earlier state */
    memset(state->applied, 0, (size_t)sim->model->body_count * sizeof *state->applied);
  }
  ff_applied *own = &state->applied[body.id - 1];
  bool acted = ff_applied_acts(own);
  own->point = q_unrotate(frame.orientation, v3_sub(point, frame.position));
  own->force = force;
  own->torque = torque;
  state->applied_count += ff_applied_acts(own) - acted;
  sim->ordered = true; /* the stepper sees it before its next step */
  return FF_OK;
}

ff_status ff_sim_set_gravity(ff_sim *sim, ff_vec3 gravity) {
  if (!sim || !v3_finite(gravity)) {
    return FF_ERROR_INPUT;
  }
  sim->own.run.gravity = gravity;
  return ff_sim_take_change(sim);
}

ff_vec3 ff_sim_gravity(const ff_sim *sim) {
  return sim ? sim->model->run.gravity : v3(NAN, NAN, NAN);
}

/* ---- sensors --------------------------------------------------------------------------------- */

ff_body_acceleration ff_sim_acceleration(const ff_sim *sim, ff_body body) {
  if (!set_has_body(sim, body) || !(sim->last_step > 0)) {
    return (ff_body_acceleration){v3(NAN, NAN, NAN), v3(NAN, NAN, NAN)};
  }
  const ff_model_body *own = &sim->model->bodies[body.id - 1];
  ff_body_state now = ff_sim_body(sim, body);
  ff_body_state before = ff_body_state_of(own, &sim->before[body.id - 1]);
  double rate = 1 / sim->last_step;
  return (ff_body_acceleration){v3_scale(rate, v3_sub(now.velocity, before.velocity)),
                                v3_scale(rate, v3_sub(now.omega, before.omega))};
}

ff_imu ff_sim_imu(const ff_sim *sim, ff_body body, ff_pose sensor) {
  ff_body_acceleration mean = ff_sim_acceleration(sim, body);
  ff_body_state now = ff_sim_body(sim, body);
  ff_vec3 arm = q_rotate(now.orientation, sensor.position);
  ff_vec3 swing = v3_cross(now.omega, v3_cross(now.omega, arm));
  ff_vec3 a = v3_add(mean.linear, v3_add(v3_cross(mean.angular, arm), swing));
  ff_quat turn = q_mul(now.orientation, q_unit(sensor.orientation));
  return (ff_imu){q_unrotate(turn, v3_sub(a, ff_sim_gravity(sim))), q_unrotate(turn, now.omega)};
}

/* ---- user ------------------------------------------------------------------------------------ */

void ff_sim_set_user(ff_sim *sim, void *user) {
  if (sim) {
    sim->user = user;
  }
}

void *ff_sim_user(const ff_sim *sim) {
  return sim ? sim->user : NULL;
}

ff_status ff_sim_on_step(ff_sim *sim, ff_control_fn fn, void *context) {
  if (!sim) {
    return FF_ERROR_INPUT;
  }
  sim->on_step = fn;
  sim->step_context = context;
  return FF_OK;
}
