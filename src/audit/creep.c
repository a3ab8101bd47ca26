/* Drift of contacts that stick.
 *
 * Every WINDOW the places of contact points that stick are marked in both bodies. Where the mark of
 * a has moved along b at the window's end although the point never slid, and the spring of the
 * friction law does not explain it, the contact creeps. Bodies that roll, topple or sway turn:
 * where they do, drift that is small against the turn does not count. Three windows one after
 * another, in one direction and at a steady rate, make a finding: loads that settle or change do
 * not creep so. */
#include "audit/audit.h"
#include "math/vec.h"
#include "model/steppers.h"

#include <string.h>

#define WINDOW      0.2 /* s, at least, and */
#define WINDOW_FALL 0.6 /* of sqrt(L / g), with the size L of the largest body */
enum { WINDOWS = 3 };
#define TURNS      0.1  /* rad in a window: it rolls */
#define TURN_SHARE 0.05 /* of turn times size: drift that does not count */
#define STEADY     0.75 /* of the drift of the window before: less is a load that settles */

/* Deflection of the friction law's spring, in b's frame: stored by `micro-macro`, else of the
 * energy f u / 2. */
static ff_vec3 grip_deflection(const ff_model *model, const ff_state *state, const ff_point *point,
                               ff_quat b) {
  if (ff_stepper_uses_ground(model->stepper)) {
    return ff_state_micro_point(state, point)->shear;
  }
  double f1 = point->force_t[0], f2 = point->force_t[1], square = f1 * f1 + f2 * f2;
  double u = square > 0 ? -2 * point->energy_t / square : 0;
  ff_vec3 world = v3_add(v3_scale(u * f1, point->t1), v3_scale(u * f2, point->t2));
  if (ff_stepper_uses_layers(model->stepper)) {
    world = v3_add(world, ff_state_layer_point(state, point)->shear);
  }
  return q_unrotate(b, world);
}

static ff_vec3 into_body(const ff_pose *pose, ff_vec3 point) {
  return q_unrotate(pose->orientation, v3_sub(point, pose->position));
}

static ff_grip_watch grip_mark(const ff_model *model, const ff_state *state, const ff_near *near,
                               const ff_point *point) {
  const ff_pose *a = &state->bodies[model->shapes[near->shape_a].body].pose;
  const ff_pose *b = &state->bodies[model->shapes[near->shape_b].body].pose;
  ff_grip_watch watch;
  memset(&watch, 0, sizeof watch);
  watch.shape_a = near->shape_a;
  watch.shape_b = near->shape_b;
  watch.id.kind = point->id.kind;
  watch.id.a = point->id.a;
  watch.id.b = point->id.b;
  watch.on_a = into_body(a, point->point);
  watch.on_b = into_body(b, point->point);
  watch.turn = q_mul(q_conj(b->orientation), a->orientation);
  const ff_body_motion *body = &state->bodies[model->shapes[near->shape_b].body];
  watch.velocity = ff_motion_velocity(body, point->point);
  watch.deflection = grip_deflection(model, state, point, b->orientation);
  return watch;
}

/* Must friction hold? That of laws without a history is viscous below a slip speed by definition,
 * and so is all friction in the printed form of `micro-macro`: there creep is only noted. */
static bool grip_must_hold(const ff_model *model, const ff_near *near) {
  bool printed = ff_stepper_uses_ground(model->stepper) && !model->run.stepper.corrections;
  bool history = model->bindings[near->binding].friction->memory_count > 0;
  return model->stepper->contacts == FF_CONTACTS_BY_LAYER || (history && !printed);
}

/* How late (s) positions of a fixed step may be: what moves in step with a surface that speeds up
 * is off by that times its velocity. */
static double grip_lag(const ff_model *model) {
  return model->stepper->fixed_step ? 0.6 * model->run.stepper.step : 0;
}

/* Size of the largest free body, m. */
static double largest_bound(const ff_model *model) {
  double size = 0;
  for (int slot = 0; slot < model->free_count; slot++) {
    size = greater(size, model->bodies[model->free_bodies[slot]].bound);
  }
  return size;
}

/* Length of a window, s. */
static double creep_window(const ff_model *model) {
  double g = v3_norm(model->run.gravity);
  return g > 0 ? greater(WINDOW, WINDOW_FALL * sqrt(largest_bound(model) / g)) : WINDOW;
}

/* The mark of a point at the end of a window, with what it has crept. */
static ff_grip_watch grip_compare(ff_auditor *auditor, const ff_model *model, const ff_state *state,
                                  const ff_near *near, const ff_point *point,
                                  const ff_grip_watch *old) {
  int a = model->shapes[near->shape_a].body, b = model->shapes[near->shape_b].body;
  const ff_pose *pose_a = &state->bodies[a].pose, *pose_b = &state->bodies[b].pose;
  ff_grip_watch now = grip_mark(model, state, near, point);
  ff_vec3 drift = v3_sub(into_body(pose_b, pose_point(*pose_a, old->on_a)), old->on_b);
  drift = v3_sub(drift, v3_sub(now.deflection, old->deflection));
  ff_vec3 normal = q_unrotate(pose_b->orientation, point->normal);
  drift = v3_axpy(drift, -v3_dot(drift, normal), normal);
  double turn = v3_norm(q_log(q_mul(now.turn, q_conj(old->turn))));
  double size = lesser(model->shapes[near->shape_a].bound, model->shapes[near->shape_b].bound);
  double lag = grip_lag(model) * v3_norm(v3_sub(now.velocity, old->velocity));
  double window = creep_window(model);
  double rate = (v3_norm(drift) - lag - TURN_SHARE * turn * size) / window;
  double limit = FF_LIMIT_CREEP * greater(1, size);
  if (turn < TURNS && rate > limit) {
    double size_now = v3_norm(drift), size_before = v3_norm(old->drift);
    bool onward = old->windows == 0 || (v3_dot(drift, old->drift) > 0.5 * size_now * size_before &&
                                        size_now > STEADY * size_before);
    now.windows = onward ? old->windows + 1 : 1;
    now.rate = old->windows > 0 && onward ? lesser(rate, old->rate) : rate;
    now.drift = drift;
  }
  if (now.windows >= WINDOWS) {
    ff_found *found = ff_found_since(&auditor->found, FF_FINDING_CREEP, a, b,
                                     state->t - now.windows * window, state->t, now.rate, limit);
    if (found && !grip_must_hold(model, near)) {
      found->note = 1;
    }
  }
  return now;
}

static const ff_grip_watch *grip_find(const ff_grip_watch *watches, int count, const ff_near *near,
                                      const ff_point *point) {
  for (int i = 0; i < count; i++) {
    const ff_grip_watch *watch = &watches[i];
    if (watch->shape_a == near->shape_a && watch->shape_b == near->shape_b &&
        ff_feature_pair_equal(watch->id, point->id)) {
      return watch;
    }
  }
  return NULL;
}

void ff_audit_creep(ff_auditor *auditor, const ff_model *model, ff_state *state) {
  ff_grip_watch next[FF_GRIP_WATCHES];
  int count = 0;
  for (int n = 0; n < state->near_count; n++) {
    const ff_near *near = &state->nears[n];
    bool grips = !model->bindings[near->binding].frictionless;
    for (int i = near->first_point; i < near->first_point + near->point_count; i++) {
      ff_point *point = &state->points[i];
      if (grips && point->touching && point->mode == FF_STICK && count < FF_GRIP_WATCHES) {
        const ff_grip_watch *old =
            point->slid ? NULL : grip_find(auditor->grips, auditor->grip_count, near, point);
        next[count++] = old ? grip_compare(auditor, model, state, near, point, old)
                            : grip_mark(model, state, near, point);
      }
      point->slid = !point->touching; /* open pairs are not looked at in each step */
    }
  }
  memcpy(auditor->grips, next, (size_t)count * sizeof *next);
  auditor->grip_count = count;
  auditor->next_window = state->t + creep_window(model) * (1 - 1e-9);
}
