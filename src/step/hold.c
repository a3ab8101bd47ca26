#include "step/hold.h"

#include "base/memory.h"
#include "math/vec.h"
#include "step/forces.h"
#include "step/frame.h"

#include <string.h>

enum { TURNS = 50 };  /* most turns round the contacts */
#define SETTLED 1e-11 /* of the largest friction: changes below end the turns */

/* Velocities in the middle of the kick, with the forces known so far. */
typedef struct twist {
  ff_vec3 velocity, omega;
} twist;

/* How a body yields to a tangential force of 1 N on a at a contact: b's signs are turned. */
typedef struct arm {
  int body;
  double inv_mass;      /* 1/kg */
  ff_vec3 spin1, spin2; /* rad/s^2, for a force along t1 and t2 */
  double w11, w12, w22; /* 1/kg, of the point itself */
} arm;

/* One contact whose friction is held. */
typedef struct entry {
  const ff_binding *binding;
  const ff_near *near;
  int point;
  ff_contact_bodies bodies;
  ff_patch patch; /* slip and depth rate of the middle */
  ff_normal normal;
  arm a, b;
  double ease;  /* 1/kg, most that a unit of tangential force does to the slip's rate */
  double reach; /* s, how far ahead the force looks: half the step; links: all of it */
  bool linked;  /* a link of a robot takes part */
  ff_friction friction;
} entry;

struct ff_hold {
  double half; /* s, half the step */
  twist *middles;
  entry *entries;
  int count;
  double due; /* s, length of the step whose motion the memory of links has not followed yet */
};

/* ---- life ------------------------------------------------------------------------------ */

ff_status ff_hold_create(ff_hold **out, const ff_model *model, ff_state *state) {
  *out = NULL;
  for (int i = 0; i < model->binding_count; i++) {
    state->holds = state->holds || model->bindings[i].friction->friction_held;
  }
  if (!state->holds) {
    return FF_OK;
  }
  ff_hold *hold = ff_alloc(1, sizeof *hold);
  if (!hold) {
    return FF_ERROR_MEMORY;
  }
  hold->half = 0.5 * model->run.stepper.step;
  hold->middles = ff_alloc((size_t)model->body_count, sizeof *hold->middles);
  hold->entries = ff_alloc((size_t)state->point_capacity, sizeof *hold->entries);
  if (!hold->middles || !hold->entries) {
    ff_hold_destroy(hold);
    return FF_ERROR_MEMORY;
  }
  *out = hold;
  return FF_OK;
}

void ff_hold_destroy(ff_hold *hold) {
  if (hold) {
    ff_free(hold->middles);
    ff_free(hold->entries);
    ff_free(hold);
  }
}

/* ---- how forces move bodies --------------------------------------------------------------- */

/* I^-1 v in the world. */
static ff_vec3 spin_from(const ff_model_body *body, ff_quat q, ff_vec3 v) {
  return body->round ? v3_scale(body->inv_inertia.x, v)
                     : q_rotate(q, v3_mul(body->inv_inertia, q_unrotate(q, v)));
}

static void start_middles(const ff_hold *hold, const ff_model *model, const ff_state *state) {
  for (int i = 0; i < model->body_count; i++) {
    const ff_body_motion *motion = &state->bodies[i];
    const ff_model_body *body = &model->bodies[i];
    twist *middle = &hold->middles[i];
    *middle = (twist){motion->velocity, motion->omega};
    if (body->slot >= 0) {
      const ff_wrench *wrench = &state->wrenches[i];
      ff_vec3 spin = spin_from(body, motion->pose.orientation, wrench->torque);
      middle->velocity = v3_axpy(middle->velocity, hold->half * body->inv_mass, wrench->force);
      middle->omega = v3_axpy(middle->omega, hold->half, spin);
    }
  }
}

/* What a tangential force of 1 N at a contact does to one of its bodies. */
static arm arm_of(const ff_model *model, const ff_state *state, int body, const ff_point *point,
                  ff_vec3 reach, double sign) {
  const ff_model_body *b = &model->bodies[body];
  arm out = {.body = body, .inv_mass = sign * b->inv_mass};
  if (b->slot >= 0) {
    ff_quat q = state->bodies[body].pose.orientation;
    ff_vec3 l1 = v3_cross(reach, point->t1), l2 = v3_cross(reach, point->t2);
    out.spin1 = v3_scale(sign, spin_from(b, q, l1));
    out.spin2 = v3_scale(sign, spin_from(b, q, l2));
    out.w11 = b->inv_mass + sign * v3_dot(l1, out.spin1);
    out.w22 = b->inv_mass + sign * v3_dot(l2, out.spin2);
    out.w12 = sign * v3_dot(l1, out.spin2);
  }
  return out;
}

static void kick(const ff_hold *hold, const arm *on, const ff_point *point, const double f[2]) {
  twist *middle = &hold->middles[on->body];
  double h = hold->half, push = h * on->inv_mass;
  middle->velocity = v3_axpy(middle->velocity, push * f[0], point->t1);
  middle->velocity = v3_axpy(middle->velocity, push * f[1], point->t2);
  middle->omega = v3_axpy(middle->omega, h * f[0], on->spin1);
  middle->omega = v3_axpy(middle->omega, h * f[1], on->spin2);
}

/* The same of a link, all directions alike, as it hangs in its robot at the start. */
static void link_arm(const ff_model *model, const ff_state *state, arm *out, const ff_point *point,
                     ff_vec3 reach) {
  const double *ease = model->bodies[out->body].ease;
  ff_quat q = state->bodies[out->body].pose.orientation;
  if (ease) {
    out->w11 = ff_link_ease(ease, q, reach, point->t1);
    out->w22 = ff_link_ease(ease, q, reach, point->t2);
    ff_vec3 both = v3_add(point->t1, point->t2);
    out->w12 = 0.5 * (ff_link_ease(ease, q, reach, both) - out->w11 - out->w22);
  }
}

/* Velocity of a against b at the point, in the middle. */
static ff_vec3 relative(const ff_hold *hold, const ff_contact_bodies *at) {
  const twist *a = &hold->middles[at->a], *b = &hold->middles[at->b];
  ff_vec3 va = v3_add(a->velocity, v3_cross(a->omega, at->arm_a));
  ff_vec3 vb = v3_add(b->velocity, v3_cross(b->omega, at->arm_b));
  return v3_sub(va, vb);
}

/* Largest rate of slip that a tangential force of 1 N can bring: the greater eigenvalue of the
 * 2 x 2 inverse mass along t1 and t2. */
static double ease_of(const arm *a, const arm *b) {
  double w11 = a->w11 + b->w11, w22 = a->w22 + b->w22, w12 = a->w12 + b->w12;
  double half = 0.5 * (w11 - w22);
  return 0.5 * (w11 + w22) + sqrt(half * half + w12 * w12);
}

/* ---- the contacts -----------------------------------------------------------------------------
 */

static bool is_link(const ff_model *model, int body) {
  return model->bodies[body].robot >= 0;
}

static void add_entry(ff_hold *hold, const ff_model *model, const ff_state *state,
                      const ff_meet *meet, const ff_near *near, int index) {
  const ff_point *point = &state->points[index];
  entry *e = &hold->entries[hold->count++];
  e->binding = &model->bindings[near->binding];
  e->near = near;
  e->point = index;
  e->patch = point->patch;
  e->bodies = (ff_contact_bodies){.a = meet->a, .b = meet->b};
  e->bodies.arm_a = v3_sub(point->point, state->bodies[meet->a].pose.position);
  e->bodies.arm_b = v3_sub(point->point, state->bodies[meet->b].pose.position);
  const ff_body_motion *b = &state->bodies[meet->b];
  e->bodies.velocity_b = v3_add(b->velocity, v3_cross(b->omega, e->bodies.arm_b));
  e->a = arm_of(model, state, meet->a, point, e->bodies.arm_a, 1);
  e->b = arm_of(model, state, meet->b, point, e->bodies.arm_b, -1);
  e->linked = is_link(model, meet->a) || is_link(model, meet->b);
  if (e->linked) {
    link_arm(model, state, &e->a, point, e->bodies.arm_a);
    link_arm(model, state, &e->b, point, e->bodies.arm_b);
  }
  e->reach = e->linked ? 2 * hold->half : hold->half;
  e->ease = ease_of(&e->a, &e->b);
  e->binding->normal->normal(&e->binding->normal_params, &point->patch, &e->normal);
  if (!e->linked) {
    kick(hold, &e->a, point, point->held);
    kick(hold, &e->b, point, point->held);
  }
}

static void gather(ff_hold *hold, const ff_model *model, const ff_state *state) {
  hold->count = 0;
  for (int m = 0; m < state->meet_count; m++) {
    const ff_meet *meet = &state->meets[m];
    for (int n = meet->first_near; n < meet->first_near + meet->near_count; n++) {
      const ff_near *near = &state->nears[n];
      if (!model->bindings[near->binding].friction->friction_held) {
        continue;
      }
      for (int i = near->first_point; i < near->first_point + near->point_count; i++) {
        if (state->points[i].touching) {
          add_entry(hold, model, state, meet, near, i);
        }
      }
    }
  }
}

/* Solves one contact for its own force while the others stay. Returns how much it changed. */
static double solve(ff_hold *hold, const ff_model *model, ff_state *state, entry *e) {
  ff_point *point = &state->points[e->point];
  ff_vec3 v = relative(hold, &e->bodies);
  double own = e->reach * e->ease;
  e->patch.slip[0] = v3_dot(v, point->t1) - own * point->held[0];
  e->patch.slip[1] = v3_dot(v, point->t2) - own * point->held[1];
  e->binding->friction->friction_held(&e->binding->friction_params, &e->patch, &e->normal,
                                      ff_state_memory(model, state, e->point), e->reach, e->ease,
                                      &e->friction);
  const double change[2] = {e->friction.force[0] - point->held[0],
                            e->friction.force[1] - point->held[1]};
  kick(hold, &e->a, point, change);
  kick(hold, &e->b, point, change);
  point->held[0] = e->friction.force[0];
  point->held[1] = e->friction.force[1];
  return fmax(fabs(change[0]), fabs(change[1]));
}

static void take_turns(ff_hold *hold, const ff_model *model, ff_state *state) {
  for (int turn = 0; turn < TURNS; turn++) {
    double change = 0, most = 0;
    for (int i = 0; i < hold->count; i++) {
      entry *e = &hold->entries[i];
      if (e->linked) {
        continue;
      }
      change = fmax(change, solve(hold, model, state, e));
      most = fmax(most, fmax(fabs(e->friction.force[0]), fabs(e->friction.force[1])));
    }
    if (!(change > SETTLED * most)) {
      break;
    }
  }
}

/* How a force passes through a robot is not followed here: contacts of links are taken one by one,
 * each as if the others shared its robot's inertia with it. The force looks a whole step ahead, and
 * the memory goes with the slip that was when it is known, after the step. */
static void solve_linked(ff_hold *hold, const ff_model *model, ff_state *state, entry *e,
                         int sharing) {
  ff_point *point = &state->points[e->point];
  double *memory = ff_state_memory(model, state, e->point);
  double due = point->closed ? hold->due : 0;
  memory[0] += due * e->patch.slip[0];
  memory[1] += due * e->patch.slip[1];
  e->ease *= sharing;
  e->binding->friction->friction_held(&e->binding->friction_params, &e->patch, &e->normal, memory,
                                      e->reach, e->ease, &e->friction);
  point->held[0] = e->friction.force[0];
  point->held[1] = e->friction.force[1];
}

static void solve_links(ff_hold *hold, const ff_model *model, ff_state *state) {
  int sharing = 0;
  for (int i = 0; i < hold->count; i++) {
    sharing += hold->entries[i].linked;
  }
  for (int i = 0; i < hold->count && sharing > 0; i++) {
    if (hold->entries[i].linked) {
      solve_linked(hold, model, state, &hold->entries[i], sharing);
    }
  }
  hold->due = 0;
}

/* The memory goes with the slip that all forces together leave; the normal law's loss is that of
 * the middle too. */
static void finish(ff_hold *hold, const ff_model *model, ff_state *state, entry *e, double *rates) {
  ff_point *point = &state->points[e->point];
  double *ledger = rates + state->ledger_at;
  size_t at = (size_t)e->point * (size_t)model->memory_count;
  double *memory_rate = rates + state->memory_at + at;
  ff_vec3 v = relative(hold, &e->bodies);
  double slip[2] = {v3_dot(v, point->t1), v3_dot(v, point->t2)};
  ff_friction *friction = &e->friction;
  for (int i = 0; i < 2; i++) {
    double expected = e->patch.slip[i] + e->reach * e->ease * friction->force[i];
    friction->memory_rate[i] += (e->linked ? 0 : slip[i]) - expected;
  }
  ff_vec3 force = point->force, moment = point->moment; /* of the normal law, pushed already */
  ff_friction_note(model, e->binding, point, friction, memory_rate, ledger);
  if (ff_frame_wanders(model, e->near)) {
    ff_frame_turn_back(model, state, e->near, point, ff_state_memory(model, state, e->point),
                       memory_rate);
  }
  if (!e->linked) {
    double middle_rate = -v3_dot(point->normal, v);
    ledger[FF_Y_LOST + FF_LOST_NORMAL] += point->drag * (middle_rate - point->patch.depth_rate);
  }
  ff_contact_push(model, state, &e->bodies, point->point, v3_sub(point->force, force),
                  v3_sub(point->moment, moment), ledger);
}

void ff_hold_friction(ff_hold *hold, const ff_model *model, ff_state *state, double *rates) {
  start_middles(hold, model, state);
  gather(hold, model, state);
  take_turns(hold, model, state);
  solve_links(hold, model, state);
  for (int i = 0; i < hold->count; i++) {
    finish(hold, model, state, &hold->entries[i], rates);
  }
}

void ff_hold_stepped(ff_hold *hold, double h) {
  hold->due = h;
}
