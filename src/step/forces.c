#include "step/forces.h"

#include "base/team.h"
#include "math/vec.h"
#include "model/table.h"
#include "step/constraints.h"
#include "step/detection.h"
#include "step/frame.h"
#include "step/midpoint_contact.h"
#include "step/robots.h"
#include "step/samples.h"
#include "step/sleep.h"

#include <string.h>

/* ---- bodies ------------------------------------------------------------------------- */

typedef struct bodies_job {
  const ff_model *model;
  ff_state *state;
  double t;
  const double *y;
} bodies_job;

/* What pair tests read of a body. */
static void note_crowd_motion(const ff_model *model, ff_state *state, int i) {
  const ff_body_motion *motion = &state->bodies[i];
  state->crowd[i] =
      (ff_crowd_motion){.position = motion->pose.position,
                        .velocity = motion->velocity,
                        .turning = v3_norm(motion->omega) * lesser(1e9, model->bodies[i].bound)};
}

static void update_bodies(void *context, int first, int end) {
  const bodies_job *job = context;
  for (int i = first; i < end; i++) {
    const ff_model_body *body = &job->model->bodies[i];
    ff_body_motion *motion = &job->state->bodies[i];
    if (body->slot >= 0) {
      const double *mine = job->y + (size_t)body->slot * FF_Y_BODY;
      ff_quat q = {mine[FF_Y_Q], mine[FF_Y_Q + 1], mine[FF_Y_Q + 2], mine[FF_Y_Q + 3]};
      motion->pose.position = v3_load(mine + FF_Y_X);
      motion->pose.orientation = q_unit(q);
      motion->velocity = v3_load(mine + FF_Y_V);
      motion->omega = ff_body_omega(body, motion->pose.orientation, v3_load(mine + FF_Y_L));
    } else if (body->kind == FF_BODY_PRESCRIBED) {
      *motion = ff_motion_at(body, job->t);
    }
    if (job->state->crowd) {
      note_crowd_motion(job->model, job->state, i);
    }
  }
}

void ff_bodies_update(const ff_model *model, ff_state *state, double t, const double *y) {
  bodies_job job = {model, state, t, y};
  ff_team_for(state->team, update_bodies, &job, model->body_count, FF_BODIES_CHUNK);
  ff_robots_place(model, state, t, y);
  for (int r = 0; state->crowd && r < model->robot_count; r++) {
    const ff_model_robot *robot = &model->robots[r];
    for (int i = robot->first_body; i < robot->first_body + robot->link_count; i++) {
      note_crowd_motion(model, state, i);
    }
  }
}

/* ---- contacts ----------------------------------------------------------------------------- */

ff_contact_bodies ff_contact_motion(const ff_state *state, const ff_meet *meet, ff_point *point) {
  const ff_body_motion *a = &state->bodies[meet->a], *b = &state->bodies[meet->b];
  ff_contact_bodies out = {.a = meet->a, .b = meet->b};
  out.arm_a = v3_sub(point->point, a->pose.position);
  out.arm_b = v3_sub(point->point, b->pose.position);
  out.velocity_b = ff_motion_velocity(b, point->point);
  ff_vec3 relative = v3_sub(ff_motion_velocity(a, point->point), out.velocity_b);
  ff_vec3 turning = v3_sub(a->omega, b->omega);
  ff_patch *patch = &point->patch;
  patch->depth_rate = -v3_dot(point->push, relative);
  if (!ff_point_is_plain(point)) {
    patch->depth_rate = point->pace * (patch->depth_rate - v3_dot(point->lever, turning));
  }
  patch->slip[0] = v3_dot(point->t1, relative);
  patch->slip[1] = v3_dot(point->t2, relative);
  patch->spin = v3_dot(point->normal, turning);
  patch->roll[0] = v3_dot(point->t1, turning);
  patch->roll[1] = v3_dot(point->t2, turning);
  return out;
}

double ff_link_ease(const double *ease, ff_quat turn, ff_vec3 arm, ff_vec3 direction) {
  double push[6], sum = 0;
  v3_store(push, q_unrotate(turn, v3_cross(arm, direction)));
  v3_store(push + 3, q_unrotate(turn, direction));
  for (int j = 0; j < 6; j++) {
    for (int i = 0; i < 6; i++) {
      sum += push[j] * push[i] * ease[6 * j + i];
    }
  }
  return sum;
}

/* Bounds on 1/m_eff along the normal and along the tangents, of each body at most
 * 1/m + |arm x d|^2 / I_min; and its mean over the two tangents. */
typedef struct mobility {
  double normal, tangent, mean; /* 1/kg */
} mobility;

/* 1/m_eff of a free body along a direction. */
static double body_mobility(const ff_model_body *body, ff_quat turn, ff_vec3 arm, ff_vec3 along) {
  ff_vec3 side = q_unrotate(turn, v3_cross(arm, along));
  return body->inv_mass + v3_dot(side, v3_mul(body->inv_inertia, side));
}

static mobility point_mobility(const ff_model *model, const ff_state *state,
                               const ff_contact_bodies *bodies, const ff_point *point) {
  mobility out = {0};
  const int ids[2] = {bodies->a, bodies->b};
  const ff_vec3 arms[2] = {bodies->arm_a, bodies->arm_b};
  for (int k = 0; k < 2; k++) {
    const ff_model_body *body = &model->bodies[ids[k]];
    ff_quat turn = state->bodies[ids[k]].pose.orientation;
    if (body->ease) {
      double t1 = ff_link_ease(body->ease, turn, arms[k], point->t1);
      double t2 = ff_link_ease(body->ease, turn, arms[k], point->t2);
      out.normal += ff_link_ease(body->ease, turn, arms[k], point->normal);
      out.tangent += greater(t1, t2);
      out.mean += 0.5 * (t1 + t2);
    } else if (body->slot >= 0) {
      double ease = greater(body->inv_inertia.x, greater(body->inv_inertia.y, body->inv_inertia.z));
      ff_vec3 side = v3_cross(arms[k], point->normal);
      out.normal += body->inv_mass + ease * v3_dot(side, side);
      out.tangent += body->inv_mass + ease * v3_dot(arms[k], arms[k]);
      out.mean += 0.5 * (body_mobility(body, turn, arms[k], point->t1) +
                         body_mobility(body, turn, arms[k], point->t2));
    }
  }
  return out;
}

static mobility mobility_at(const ff_model *model, const ff_state *state, const ff_meet *meet,
                            const ff_point *point) {
  ff_contact_bodies bodies = {.a = meet->a, .b = meet->b};
  bodies.arm_a = v3_sub(point->point, state->bodies[meet->a].pose.position);
  bodies.arm_b = v3_sub(point->point, state->bodies[meet->b].pose.position);
  return point_mobility(model, state, &bodies, point);
}

double ff_contact_tangent_ease(const ff_model *model, const ff_state *state, const ff_meet *meet,
                               const ff_point *point) {
  return mobility_at(model, state, meet, point).tangent;
}

/* How fast the contact could move under its own stiffness: what a step must resolve. */
static void note_point_stiffness(ff_state *state, const ff_point *point, const ff_normal *normal,
                                 mobility ease, double friction_slope) {
  /* A damper that vanishes at touch like a root of depth has no bound on its slope there; what
   * counts is a few times the spring. */
  double stiff = lesser(normal->d_depth, 4 * normal->elastic / point->patch.depth);
  state->stiffness = greater(state->stiffness, ease.normal * stiff);
  state->damping = greater(state->damping, ease.normal * normal->d_rate);
  state->damping = greater(state->damping, ease.tangent * friction_slope);
}

/* Adds sign times a force and a moment to the wrench of a body. */
static void push_contact_body(ff_state *state, int body, double sign, ff_vec3 arm, ff_vec3 force,
                              ff_vec3 moment) {
  ff_wrench *to = &state->wrenches[body];
  to->force = v3_axpy(to->force, sign, force);
  to->torque = v3_axpy(to->torque, sign, v3_add(v3_cross(arm, force), moment));
}

void ff_contact_push_free(const ff_model *model, ff_state *state, const ff_contact_bodies *bodies,
                          ff_vec3 force, ff_vec3 moment) {
  if (model->bodies[bodies->a].slot >= 0) {
    push_contact_body(state, bodies->a, 1, bodies->arm_a, force, moment);
  }
  if (model->bodies[bodies->b].slot >= 0) {
    push_contact_body(state, bodies->b, -1, bodies->arm_b, force, moment);
  }
}

void ff_contact_push_others(const ff_model *model, ff_state *state, const ff_contact_bodies *bodies,
                            ff_vec3 point, ff_vec3 force, ff_vec3 moment, double *ledger) {
  const ff_model_body *a = &model->bodies[bodies->a], *b = &model->bodies[bodies->b];
  if (a->slot < 0) {
    push_contact_body(state, bodies->a, 1, bodies->arm_a, force, moment);
  }
  if (b->slot < 0) {
    push_contact_body(state, bodies->b, -1, bodies->arm_b, force, moment);
  }
  if (ledger && !ff_body_is_inside(b)) { /* its motion works on the system */
    ff_ledger_push(ledger, point, force, moment, bodies->velocity_b,
                   state->bodies[bodies->b].omega);
  }
  if (ledger && !ff_body_is_inside(a)) {
    const ff_body_motion *motion = &state->bodies[bodies->a];
    ff_ledger_push(ledger, point, v3_neg(force), v3_neg(moment), ff_motion_velocity(motion, point),
                   motion->omega);
  }
}

void ff_contact_push(const ff_model *model, ff_state *state, const ff_contact_bodies *bodies,
                     ff_vec3 point, ff_vec3 force, ff_vec3 moment, double *ledger) {
  ff_contact_push_free(model, state, bodies, force, moment);
  ff_contact_push_others(model, state, bodies, point, force, moment, ledger);
}

void ff_friction_note(const ff_model *model, const ff_binding *binding, ff_point *point,
                      const ff_friction *friction, double *memory_rate, double *ledger) {
  point->force_t[0] = friction->force[0];
  point->force_t[1] = friction->force[1];
  point->energy_t = friction->energy;
  point->unpaid = binding->unpaid;
  point->mode = friction->mode;
  point->force_n += friction->normal_force;
  point->moment = v3_axpy(point->moment, friction->moment[0], point->normal);
  point->moment = v3_axpy(point->moment, friction->moment[1], point->t1);
  point->moment = v3_axpy(point->moment, friction->moment[2], point->t2);
  for (int i = 0; memory_rate && i < model->memory_count; i++) {
    memory_rate[i] = friction->memory_rate[i];
  }
  for (int i = 0; ledger && i < FF_LOSS_COUNT; i++) {
    ledger[FF_Y_LOST + i] += friction->lost[i];
  }
  if (ledger) {
    ledger[binding->unpaid ? FF_Y_UNPAID : FF_Y_PAID] += friction->path_rate;
  }
  point->force = v3_axpy(point->force, friction->normal_force, point->push);
  if (!ff_point_is_plain(point)) {
    point->moment = v3_axpy(point->moment, friction->normal_force, point->lever);
  }
  point->force = v3_axpy(point->force, friction->force[0], point->t1);
  point->force = v3_axpy(point->force, friction->force[1], point->t2);
}

static void apply_friction(const ff_model *model, const ff_binding *binding, ff_point *point,
                           const ff_normal *normal, const double *memory, const ff_ahead *ahead,
                           double *memory_rate, double *ledger, double *slope) {
  const ff_law *law = binding->friction;
  ff_friction friction;
  memset(&friction, 0, sizeof friction);
  if (law->friction_held) {
    law->friction_held(&binding->friction_params, &point->patch, normal, memory, ahead, &friction);
  } else {
    law->friction(&binding->friction_params, &point->patch, normal, memory, &friction);
  }
  ff_friction_note(model, binding, point, &friction, memory_rate, ledger);
  *slope = fabs(friction.d_slip[0][0]) + fabs(friction.d_slip[1][1]);
}

/* A held contact between steps: friction as it was held over the last one, and what its memory
 * holds now. */
static void show_held(const ff_binding *binding, const ff_midpoint_point *held, ff_point *point,
                      const double *memory) {
  const ff_law *law = binding->friction;
  point->force_t[0] = held->force[1];
  point->force_t[1] = held->force[2];
  point->mode = held->mode == FF_OPEN ? FF_SLIP : held->mode;
  point->force = v3_axpy(point->force, held->force[1], point->t1);
  point->force = v3_axpy(point->force, held->force[2], point->t2);
  if (law->energy_held) {
    point->energy_t =
        law->energy_held(&binding->friction_params, &point->patch, memory, &held->ahead);
    point->unpaid = binding->unpaid;
  }
}

/* Friction of a point that touches with this normal force, and what `adaptive` and the audit want
 * to know of its laws; nothing is pushed. */
static void friction_of(const ff_model *model, ff_state *state, const ff_near *near,
                        ff_point *point, const ff_contact_bodies *bodies, const ff_normal *normal,
                        const double *memory, double *memory_rate, double *ledger) {
  const ff_binding *binding = &model->bindings[near->binding];
  mobility ease = point_mobility(model, state, bodies, point);
  const ff_ahead now = {.half = 0, .ease = ease.mean, .crowd = 1};
  double slope = 0;
  point->mode = FF_SLIP;
  if (!binding->frictionless) {
    apply_friction(model, binding, point, normal, memory, &now, memory_rate, ledger, &slope);
    if (memory_rate && model->memory_count > 0 && ff_frame_wanders(model, near)) {
      ff_frame_turn_back(model, state, near, point, memory, memory_rate);
    }
  }
  if (state->frozen && binding->friction->friction_kink) {
    ff_sided_point_of(state, point)->friction_kink = binding->friction->friction_kink(
        &binding->friction_params, &point->patch, normal, memory, &now);
  }
  if (state->frozen && binding->normal->kink) {
    ff_sided_point_of(state, point)->kink =
        binding->normal->kink(&binding->normal_params, &point->patch);
  }
  note_point_stiffness(state, point, normal, ease, slope);
}

void ff_normal_weigh(ff_normal *normal, double weight, double pace) {
  double force = weight * pace;
  normal->force *= force;
  normal->elastic *= force;
  normal->energy *= weight;
  normal->d_depth *= force * pace;
  normal->d_rate *= force * pace;
  normal->moment[0] *= force;
  normal->moment[1] *= force;
}

double ff_point_weight_slope(const ff_point *point) {
  double along = v3_dot(point->d_weight.shift, point->push);
  return -along / point->pace;
}

/* The law of a point at another depth. */
static ff_normal normal_at_depth(const ff_binding *binding, const ff_point *point, double depth) {
  ff_normal out = {0};
  ff_patch patch = point->patch;
  patch.depth = depth;
  binding->normal->normal(&binding->normal_params, &patch, &out);
  ff_normal_weigh(&out, point->weight, point->pace);
  return out;
}

/* Depth at which it stores this energy. */
static double depth_of_energy(const ff_binding *binding, const ff_point *point, double energy) {
  double low = greater(FF_AT_SURFACE, point->patch.depth), high = greater(1e-9, low);
  int doublings = 0;
  while (normal_at_depth(binding, point, high).energy < energy && doublings++ < 60) {
    low = high;
    high *= 2;
  }
  while (high - low > 0.01 * high) {
    double middle = 0.5 * (low + high);
    *(normal_at_depth(binding, point, middle).energy < energy ? &low : &high) = middle;
  }
  return high;
}

double ff_contact_frequency(const ff_model *model, const ff_state *state, const ff_meet *meet,
                            const ff_near *near, const ff_point *point) {
  const ff_binding *binding = &model->bindings[near->binding];
  if (!binding->normal->normal) {
    return 0;
  }
  double ease = mobility_at(model, state, meet, point).normal;
  double speed = point->patch.depth_rate / point->pace, depth = point->patch.depth;
  if (!binding->overlaps) { /* the overlap at another depth is not known */
    depth = depth_of_energy(binding, point, point->energy_n + 0.5 * speed * speed / ease);
  }
  ff_normal normal = normal_at_depth(binding, point, depth);
  double stiff = lesser(normal.d_depth, 4 * normal.elastic / depth);
  return greater(sqrt(greater(0, ease * stiff)), ease * normal.d_rate);
}

ff_gradient ff_point_weight_rest(const ff_point *point) {
  double along = ff_point_weight_slope(point) * point->pace;
  return (ff_gradient){v3_axpy(point->d_weight.shift, along, point->push),
                       v3_axpy(point->d_weight.turn, along, point->lever)};
}

void ff_contact_push_by_weight(const ff_model *model, ff_state *state,
                               const ff_contact_bodies *bodies, const ff_point *point,
                               double energy, double *ledger) {
  ff_gradient rest = ff_point_weight_rest(point);
  ff_contact_push(model, state, bodies, point->point, v3_scale(-energy, rest.shift),
                  v3_scale(-energy, rest.turn), ledger);
}

/* The normal law of a point that touches: into the point; returns its answer for a sample. *energy:
 * J, of the law itself. */
static ff_normal normal_forces(const ff_binding *binding, ff_point *point, double *energy) {
  ff_normal normal;
  bool plain = ff_point_is_plain(point);
  normal.moment[0] = normal.moment[1] = 0;
  binding->normal->normal(&binding->normal_params, &point->patch, &normal);
  *energy = normal.energy;
  if (!plain) {
    ff_normal_weigh(&normal, point->weight, point->pace);
  }
  point->force_n = normal.force;
  point->energy_n = normal.energy;
  point->normal_unpaid = binding->normal_unpaid;
  point->force = v3_scale(normal.force, point->push);
  point->moment = v3_axpy(v3_scale(normal.moment[0], point->t1), normal.moment[1], point->t2);
  if (!plain) {
    point->moment = v3_axpy(point->moment, normal.force, point->lever);
  }
  return normal;
}

/* Laws and forces of one point that touches: on a, for a sample of weight w and a law with force F
 * and energy E, -(w F grad depth + E grad w). */
static void point_forces(const ff_model *model, ff_state *state, const ff_meet *meet,
                         const ff_near *near, ff_point *point, const double *memory,
                         double *memory_rate, double *ledger) {
  const ff_binding *binding = &model->bindings[near->binding];
  ff_contact_bodies bodies = ff_contact_motion(state, meet, point);
  double energy;
  ff_normal normal = normal_forces(binding, point, &energy);
  if (!ff_point_is_plain(point)) {
    point->force = v3_axpy(point->force, -energy, point->d_weight.shift);
    point->moment = v3_axpy(point->moment, -energy, point->d_weight.turn);
  }
  friction_of(model, state, near, point, &bodies, &normal, ff_frame_memory(point, memory),
              memory_rate, ledger);
  if (ledger) {
    /* What the normal force takes beyond its elastic part is lost. */
    const double *roll = point->patch.roll;
    double rate = point->patch.depth_rate / point->pace;
    ledger[FF_Y_LOST + FF_LOST_NORMAL] += (normal.force - normal.elastic) * rate;
    ledger[FF_Y_UNPAID] += binding->normal_unpaid ? normal.elastic * rate : 0;
    ledger[FF_Y_LOST + FF_LOST_ROLLING] -= normal.moment[0] * roll[0] + normal.moment[1] * roll[1];
  }
  ff_contact_push(model, state, &bodies, point->point, point->force, point->moment, ledger);
}

/* Outside contact, unless a sample is found. */
static void reset_point_forces(const ff_state *state, ff_point *point) {
  point->patch.depth = -INFINITY;
  point->touching = point->anchored = false;
  point->force_n = point->force_t[0] = point->force_t[1] = 0;
  point->force = point->moment = v3(0, 0, 0);
  point->energy_n = point->energy_t = 0;
  point->mode = FF_OPEN;
  if (state->frozen) {
    ff_sided_point *side = ff_sided_point_of(state, point);
    side->kink = side->friction_kink = 0;
  }
}

/* Can the point touch, or have touched, within a time before or after? In crowds also because other
 * contacts push its bodies: one that closes unnoticed would store energy that nothing has paid. */
static bool may_touch(const ff_model *model, const ff_state *state, const ff_meet *meet,
                      const ff_point *point, double time) {
  double fall = 4 * time * time * v3_norm(model->run.gravity);
  double speed = state->crowd ? ff_pair_kick(state, meet) : fabs(point->patch.depth_rate);
  return point->patch.depth + time * speed + fall > 0;
}

/* A midpoint-implicit contact: does it take part in the step to come? If not, it is open. */
static bool takes_part(const ff_model *model, const ff_state *state, const ff_meet *meet,
                       ff_point *point) {
  if (ff_point_is_found(point)) {
    ff_contact_motion(state, meet, point);
    if (may_touch(model, state, meet, point, 0.5 * model->run.stepper.step)) {
      return true;
    }
  }
  ff_midpoint_point *held = ff_midpoint_point_of(state, point);
  memset(held->force, 0, sizeof held->force);
  held->mode = FF_OPEN;
  point->patch.depth = -INFINITY;
  return false;
}

/* Midpoint-implicit contacts of a pair, all but what they push: it is shared by pairs. In the
 * middle of a step, where they are solved for later: which take part, and the energy of their law
 * (J), into energy_n. Else: forces as they are shown between steps. */
static void held_pair_laws(const ff_model *model, ff_state *state, const ff_meet *meet,
                           const ff_near *near, const double *y) {
  const ff_binding *binding = &model->bindings[near->binding];
  bool crowd = ff_model_is_crowd(model); /* weights are solved for with the contacts */
  for (int i = near->first_point; i < near->first_point + near->point_count; i++) {
    ff_point *point = &state->points[i];
    if (!point->touching) {
      continue;
    }
    if (state->middle) {
      point->touching = takes_part(model, state, meet, point);
      bool weighs = !crowd && point->patch.depth > 0 && !ff_point_is_plain(point);
      if (point->touching && weighs) {
        ff_normal normal;
        binding->normal->normal(&binding->normal_params, &point->patch, &normal);
        point->energy_n = normal.energy;
      }
      continue;
    }
    double depth = point->patch.depth, energy;
    const double *memory = y + state->memory_at + (size_t)i * (size_t)model->memory_count;
    point->patch.depth = greater(FF_AT_SURFACE, depth);
    ff_contact_motion(state, meet, point);
    normal_forces(binding, point, &energy);
    show_held(binding, ff_midpoint_point_of(state, point), point, ff_frame_memory(point, memory));
    point->patch.depth = depth;
    point->patch.edges = NULL; /* the next patch writes over them */
  }
}

/* What these contacts push: in the middle of a step by their weights, unless these are
 * solved for. */
static void push_held_pair(const ff_model *model, ff_state *state, const ff_meet *meet,
                           const ff_near *near, double *ledger) {
  bool crowd = ff_model_is_crowd(model);
  for (int i = near->first_point; i < near->first_point + near->point_count; i++) {
    ff_point *point = &state->points[i];
    bool weighs = !crowd && point->patch.depth > 0 && !ff_point_is_plain(point);
    if (!point->touching || (state->middle && !weighs)) {
      continue;
    }
    ff_contact_bodies bodies = {.a = meet->a, .b = meet->b};
    bodies.arm_a = v3_sub(point->point, state->bodies[meet->a].pose.position);
    bodies.arm_b = v3_sub(point->point, state->bodies[meet->b].pose.position);
    if (state->middle) {
      bodies.velocity_b = ff_motion_velocity(&state->bodies[meet->b], point->point);
      ff_contact_push_by_weight(model, state, &bodies, point, point->energy_n, ledger);
      point->energy_n = 0;
    } else {
      ff_contact_push(model, state, &bodies, point->point, point->force, point->moment, NULL);
    }
  }
}

/* Forces of all points of a pair of shapes that were found, if they are not midpoint-implicit. */
static void pair_forces(const ff_model *model, ff_state *state, const ff_meet *meet,
                        const ff_near *near, const double *y, double *memory_rate, double *ledger) {
  for (int i = near->first_point; i < near->first_point + near->point_count; i++) {
    ff_point *point = &state->points[i];
    if (!point->touching) {
      if (state->frozen && ff_point_is_found(point)) {
        ff_contact_motion(state, meet, point); /* events want to know how fast it comes and goes */
      }
      continue;
    }
    double depth = point->patch.depth;
    size_t at = (size_t)i * (size_t)model->memory_count;
    /* A point held closed may be a hair outside: there laws go on as at the surface. */
    point->patch.depth = greater(FF_AT_SURFACE, depth);
    point_forces(model, state, meet, near, point, y + state->memory_at + at,
                 memory_rate ? memory_rate + at : NULL, ledger);
    point->patch.depth = depth;
    point->patch.edges = NULL; /* the next patch writes over them */
  }
}

typedef struct pairs_job {
  const ff_model *model;
  ff_state *state;
  const double *y;
} pairs_job;

/* Opens the points of a pair and finds them, with all of their laws that concern no other pair. */
static void detect_pair(const pairs_job *job, const ff_meet *meet, ff_near *near, bool alone) {
  const ff_model *model = job->model;
  ff_state *state = job->state;
  double margin = ff_pair_margin(model, state, meet, near);
  if (near->clear && ff_pair_is_apart(model, state, meet, near, margin)) {
    return;
  }
  for (int i = near->first_point; i < near->first_point + near->point_count; i++) {
    reset_point_forces(state, &state->points[i]);
  }
  ff_pair_find(model, state, near, margin, alone);
  if (!near->clear && !near->pending && ff_model_holds(model, &model->bindings[near->binding])) {
    held_pair_laws(model, state, meet, near, job->y);
  }
}

/* state->active of a body pair: 1 if it has points, or touched. */
static void detect_pairs(void *context, int first, int end) {
  const pairs_job *job = context;
  ff_state *state = job->state;
  for (int m = first; m < end; m++) {
    const ff_meet *meet = &state->meets[m];
    bool skips = ff_sleep_skips(state, meet), active = !skips && meet->touching;
    for (int n = meet->first_near; n < meet->first_near + meet->near_count && !skips; n++) {
      detect_pair(job, meet, &state->nears[n], false);
      active = active || !state->nears[n].clear;
    }
    state->active[m] = active;
  }
}

static void contact_forces(const ff_model *model, ff_state *state, const double *y,
                           double *memory_rate, double *ledger) {
  if (state->frozen) { /* trial steps of `adaptive` may look deeper than the motion ever goes */
    state->stiffness = state->damping = 0;
  }
  pairs_job job = {model, state, y};
  ff_team_for(state->team, detect_pairs, &job, state->meet_count, FF_PAIRS_CHUNK);
  state->active_count = 0;
  for (int m = 0; m < state->meet_count; m++) {
    if (!state->active[m]) {
      continue;
    }
    const ff_meet *meet = &state->meets[m];
    bool active = meet->touching;
    for (int n = meet->first_near; n < meet->first_near + meet->near_count; n++) {
      ff_near *near = &state->nears[n];
      if (near->pending) {
        detect_pair(&job, meet, near, true);
      }
      if (!near->clear && ff_model_holds(model, &model->bindings[near->binding])) {
        push_held_pair(model, state, meet, near, ledger);
      } else if (!near->clear) {
        pair_forces(model, state, meet, near, y, memory_rate, ledger);
      }
      active = active || !near->clear;
    }
    state->active[state->active_count] = m;
    state->active_count += active;
  }
  if (!state->pooled) { /* others look at states beside the end of their step, too */
    state->active_count = -1;
  }
}

/* ---- applied forces and drives -------------------------------------------------------------- */

static void apply_outside(ff_state *state, int body, ff_vec3 point, ff_vec3 force, ff_vec3 torque,
                          double *ledger) {
  const ff_body_motion *motion = &state->bodies[body];
  ff_vec3 arm = v3_sub(point, motion->pose.position);
  ff_wrench *wrench = &state->wrenches[body];
  wrench->force = v3_add(wrench->force, force);
  wrench->torque = v3_add(wrench->torque, v3_add(v3_cross(arm, force), torque));
  if (ledger) {
    ff_ledger_push(ledger, point, force, torque, ff_motion_velocity(motion, point), motion->omega);
  }
}

static ff_vec3 table_vector(const ff_table *table, double t) {
  double v[3] = {0, 0, 0};
  if (table->rows > 0) {
    ff_table_value(table, t, v);
  }
  return v3_load(v);
}

static void applied_forces(const ff_model *model, ff_state *state, double t, double *ledger) {
  for (int i = 0; i < model->force_count; i++) {
    const ff_model_force *applied = &model->forces[i];
    ff_pose pose = state->bodies[applied->body].pose;
    ff_vec3 force = table_vector(&applied->def.force, t);
    ff_vec3 torque = table_vector(&applied->def.torque, t);
    if (applied->def.body_frame) {
      /* Body axes, not principal axes. */
      ff_quat q = q_mul(pose.orientation, q_conj(model->bodies[applied->body].frame.orientation));
      force = q_rotate(q, force);
      torque = q_rotate(q, torque);
    }
    apply_outside(state, applied->body, pose_point(pose, applied->def.point), force, torque,
                  ledger);
  }
  for (int i = 0; state->applied_count > 0 && i < model->body_count; i++) {
    const ff_applied *own = &state->applied[i];
    ff_vec3 point = pose_point(state->bodies[i].pose, own->point);
    if (ff_applied_acts(own)) {
      apply_outside(state, i, point, own->force, own->torque, ledger);
    }
  }
}

/* Force of a drive in its present phase, for a position and rate along its axis. */
static double drive_force(const ff_model_drive *drive, int phase, double start, double t,
                          double position, double rate) {
  if (phase == drive->phase_count) {
    return 0;
  }
  const ff_phase_def *def = &drive->phases[phase];
  double since = t - ff_drive_phase_start(drive, phase);
  double force = 0, speed;
  switch (def->kind) {
    case FF_PHASE_OFF: break;
    case FF_PHASE_FORCE: ff_table_value(&def->force, since, &force); break;
    case FF_PHASE_POSITION:
      /* [Marhefka96 eq. 24], with damping */
      force = def->stiffness * (ff_drive_desired(drive, phase, start, t, &speed) - position) +
              def->damping * (speed - rate);
      break;
  }
  return force;
}

static void drive_forces(const ff_model *model, ff_state *state, double t, double *ledger) {
  for (int i = 0; i < model->drive_count; i++) {
    const ff_model_drive *drive = &model->drives[i];
    const ff_body_motion *motion = &state->bodies[drive->body];
    ff_vec3 origin = pose_point(motion->pose, drive->point);
    ff_vec3 velocity = ff_motion_velocity(motion, origin);
    double position = v3_dot(drive->axis, v3_sub(origin, drive->reference));
    double force = drive_force(drive, state->drive_phase[i], state->drive_start[i], t, position,
                               v3_dot(drive->axis, velocity));
    state->drive_force[i] = force;
    apply_outside(state, drive->body, origin, v3_scale(force, drive->axis), v3(0, 0, 0), ledger);
  }
}

/* Springs and dampers towards a measured motion. */
static void guide_forces(const ff_model *model, ff_state *state, double t, double *ledger) {
  for (int i = 0; i < model->guide_count; i++) {
    const ff_model_guide *guide = &model->guides[i];
    const ff_body_motion *motion = &state->bodies[guide->body];
    ff_track_point target = ff_track_at(guide->track, t);
    ff_vec3 origin = pose_point(motion->pose, guide->point);
    ff_vec3 velocity = ff_motion_velocity(motion, origin);
    ff_quat turned = q_mul(motion->pose.orientation, guide->frame);
    ff_vec3 away = q_log(q_mul(target.pose.orientation, q_conj(turned)));
    ff_vec3 force = v3_scale(guide->stiffness, v3_sub(target.pose.position, origin));
    force = v3_axpy(force, guide->damping, v3_sub(target.velocity, velocity));
    ff_vec3 torque = v3_scale(guide->turn_stiffness, away);
    torque = v3_axpy(torque, guide->turn_damping, v3_sub(target.omega, motion->omega));
    apply_outside(state, guide->body, origin, force, torque, ledger);
  }
}

/* ---- all together ------------------------------------------------------------------------------
 */

/* Nothing pushes yet. */
static void clear_forces(const ff_model *model, ff_state *state, double *ledger_rate) {
  state->evaluations++;
  memset(state->wrenches, 0, (size_t)model->body_count * sizeof *state->wrenches);
  if (ledger_rate) {
    memset(ledger_rate, 0, FF_Y_LEDGER * sizeof(double));
  }
}

/* Of all points that there is capacity for: some may be taken in the evaluation. */
static void clear_memory_rates(const ff_model *model, const ff_state *state, double *memory_rate) {
  if (memory_rate && model->memory_count > 0) {
    int points = state->pooled ? state->point_capacity : state->point_count;
    memset(memory_rate, 0, (size_t)points * (size_t)model->memory_count * sizeof(double));
  }
}

void ff_forces_outside(const ff_model *model, ff_state *state, double t, double *ledger_rate) {
  clear_forces(model, state, ledger_rate);
  if (model->force_count > 0 || state->applied_count > 0) {
    applied_forces(model, state, t, ledger_rate);
  }
  if (model->drive_count > 0) {
    drive_forces(model, state, t, ledger_rate);
  }
  guide_forces(model, state, t, ledger_rate);
}

void ff_forces_contacts(const ff_model *model, ff_state *state, double t, const double *y,
                        double *memory_rate, double *ledger_rate) {
  clear_memory_rates(model, state, memory_rate);
  if (state->middle && state->crowd) {
    ff_kicks_find(model, state);
  }
  contact_forces(model, state, y, memory_rate, ledger_rate);
  ff_robots_load(model, state, t, y, ledger_rate);
  ff_constraints_push(model, state, t, ledger_rate);
}

void ff_forces_update(const ff_model *model, ff_state *state, double t, const double *y,
                      double *memory_rate, double *ledger_rate) {
  ff_bodies_update(model, state, t, y);
  clear_forces(model, state, ledger_rate);
  clear_memory_rates(model, state, memory_rate);
  contact_forces(model, state, y, memory_rate, ledger_rate);
  applied_forces(model, state, t, ledger_rate);
  drive_forces(model, state, t, ledger_rate);
  guide_forces(model, state, t, ledger_rate);
  ff_robots_load(model, state, t, y, ledger_rate);
  ff_constraints_push(model, state, t, ledger_rate);
}

/* q' = 1/2 omega q */
static void orientation_rate(const double *q, ff_vec3 omega, double *dq) {
  ff_quat turn = {0, omega.x, omega.y, omega.z};
  ff_quat rate = q_mul(turn, (ff_quat){q[0], q[1], q[2], q[3]});
  dq[0] = 0.5 * rate.w;
  dq[1] = 0.5 * rate.x;
  dq[2] = 0.5 * rate.y;
  dq[3] = 0.5 * rate.z;
}

int ff_rates_of_bodies(const ff_model *model, const ff_state *state, const double *y, double *dy) {
  ff_vec3 gravity = model->run.gravity;
  double *ledger = dy + state->ledger_at;
  const ff_vec3 none = {0, 0, 0};
  double sum = 0;
  for (int slot = 0; slot < model->free_count; slot++) {
    int i = model->free_bodies[slot];
    const ff_model_body *body = &model->bodies[i];
    const ff_body_motion *motion = &state->bodies[i];
    const ff_wrench *wrench = &state->wrenches[i];
    double *to = dy + (size_t)slot * FF_Y_BODY;
    v3_store(to + FF_Y_X, motion->velocity);
    orientation_rate(y + (size_t)slot * FF_Y_BODY + FF_Y_Q, motion->omega, to + FF_Y_Q);
    v3_store(to + FF_Y_V, v3_axpy(gravity, body->inv_mass, wrench->force));
    v3_store(to + FF_Y_L, wrench->torque);
    /* Gravity is an outside force too; its work is the change of gravity's energy. */
    ff_ledger_push(ledger, motion->pose.position, v3_scale(body->mass, gravity), none, none, none);
    for (int k = 0; k < FF_Y_BODY; k++) {
      sum += to[k];
    }
  }
  return !isfinite(sum) || ff_robots_rates(model, state, y, dy) != 0;
}

int ff_rates(const ff_model *model, ff_state *state, double t, const double *y, double *dy) {
  ff_forces_update(model, state, t, y, dy + state->memory_at, dy + state->ledger_at);
  return ff_rates_of_bodies(model, state, y, dy);
}
