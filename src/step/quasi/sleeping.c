/* Sleeping: exact rest, repetition of steps that change nothing, and bodies that are not stepped.
 *
 * Where nothing moves any more rest solves the step, with the impulses of the step before. Then
 * that is the solution: exactly at rest, so that the step ends with the bits that it started from.
 * The next step has the same solution to the last bit, as long as the state is not set from outside
 * and no force depends on time: it is repeated without a solve.
 *
 * Bodies that sleep at the user's wish (step/sleep.h) have no node: they stay where they are, as if
 * they were fixed. Where that takes an impulse they are woken, and the step begins anew.
 */
#include "math/vec.h"
#include "step/quasi/contact_geometry.h"
#include "step/quasi/step.h"
#include "step/sleep.h"

#include <string.h>

#define SLOW 1e-9 /* of the change of velocity by gravity in a step: rest is tried below */

bool ff_quasi_is_at_rest(quasi_step *step) {
  static const double none[4] = {0};
  quasi_problem *problem = &step->problem;
  double scale = problem->h / step->h_before, limit = SLOW * problem->gravity_dv;
  for (int i = 0; i < problem->node_count; i++) {
    const quasi_body *body = quasi_node_body(problem, problem->solved_nodes[i]);
    if (!body) {
      return false;
    }
    double size = problem->model->bodies[body->id].bound;
    if (!(v3_dot(body->start.velocity, body->start.velocity) <= limit * limit &&
          size * size * v3_dot(body->start.omega, body->start.omega) <= limit * limit)) {
      return false;
    }
  }
  for (int i = 0; i < problem->node_count; i++) {
    double *x = step->solver.x + ff_blocks_row(step->solver.blocks, problem->solved_nodes[i]);
    memset(x, 0, QUASI_DOF * sizeof *x);
  }
  for (int k = 0; k < problem->member_count; k++) {
    quasi_element *e = problem->members[k];
    const quasi_contact *contact = quasi_contact_of(e);
    for (int i = 0; contact && i < e->rows; i++) {
      /* the impulses of the solution: those of the forces differ in their last bit */
      const double *before =
          contact->inherits < 0
              ? none
              : ff_state_layer_point(problem->state, &problem->state->points[contact->inherits])
                    ->impulse;
      e->z[i] = scale * before[i];
    }
    for (int i = 0; !contact && i < e->rows; i++) {
      e->z[i] = e->z_before[i];
    }
  }
  step->solver.residual = ff_quasi_evaluate(&step->solver).worst;
  return step->solver.residual <= QUASI_TOLERANCE;
}

bool ff_quasi_is_autonomous(const ff_model *model) {
  bool autonomous =
      !ff_model_is_driven(model) && model->robot_count == 0 && model->constraint_count == 0;
  for (int i = 0; i < model->body_count; i++) {
    autonomous = autonomous && model->bodies[i].kind != FF_BODY_PRESCRIBED;
  }
  return autonomous;
}

static bool same_vector(ff_vec3 a, ff_vec3 b) {
  return a.x == b.x && a.y == b.y && a.z == b.z;
}

bool ff_quasi_bodies_unchanged(const quasi_problem *problem) {
  for (int slot = 0; slot < problem->model->free_count; slot++) {
    const quasi_body *body = &problem->bodies[problem->model->free_bodies[slot]];
    ff_quat q = body->end.pose.orientation, was = body->start.pose.orientation;
    if (!same_vector(body->end.velocity, body->start.velocity) || !same_vector(body->l, body->l0) ||
        !same_vector(body->end.pose.position, body->start.pose.position) || q.w != was.w ||
        q.x != was.x || q.y != was.y || q.z != was.z) {
      return false;
    }
  }
  return true;
}

bool ff_quasi_points_unchanged(const quasi_step *step) {
  const ff_state *state = step->problem.state;
  for (int i = 0; i < state->point_count; i++) { /* all that steps read of a point */
    const ff_point *a = &state->points[i], *b = &step->backup_points[i];
    const ff_layer_point *layer_a = ff_state_layer_point(state, a),
                         *layer_b = &step->backup_layers[i];
    bool same = a->known == b->known && ff_feature_pair_equal(a->id, b->id) &&
                a->weight == b->weight && a->touching == b->touching &&
                a->patch.depth == b->patch.depth && layer_a->deflection == layer_b->deflection &&
                layer_a->deflection_b == layer_b->deflection_b && a->force_core == b->force_core &&
                same_vector(layer_a->shear, layer_b->shear) && same_vector(a->point, b->point) &&
                same_vector(a->force, b->force) && same_vector(a->moment, b->moment);
    for (int k = 0; k < 2; k++) {
      const ff_predictor *p = &layer_a->predictor[k], *q = &layer_b->predictor[k];
      same = same && same_vector(p->now, q->now) && same_vector(p->first, q->first) &&
             same_vector(p->second, q->second) && same_vector(p->third, q->third);
    }
    if (!same) {
      return false;
    }
  }
  return true;
}

/* ---- bodies asleep --------------------------------------------------------------------------- */

void ff_quasi_hold_body(quasi_problem *problem, int i) {
  quasi_body *body = &problem->bodies[i];
  const ff_body_motion *now = &problem->state->bodies[i];
  body->node = -1;
  body->start = *now;
  body->start.velocity = body->start.omega = v3(0, 0, 0);
  body->end = body->start;
  body->free_end = body->middle = now->pose;
  body->v_free = body->l0 = body->l = body->l_free = v3(0, 0, 0);
}

/* Wakes that body of a pair which is asleep. */
static bool wake_side(quasi_step *step, int a, int b) {
  const quasi_problem *problem = &step->problem;
  for (int s = 0; s < 2; s++) {
    int body = s == 0 ? a : b;
    if (ff_sleep_holds(problem->model, problem->state, body)) {
      ff_sleep_wake(problem->model, problem->state, body);
      step->problem.grouped_contacts = -1;
      return true;
    }
  }
  return false;
}

/* Does what is led into a body asleep overlap it at the end of the step? */
static bool is_led_into(const quasi_problem *problem, const ff_meet *meet) {
  const ff_state *state = problem->state;
  ff_touch touches[FF_TOUCH_MAX];
  if (problem->bodies[meet->a].node >= 0 || problem->bodies[meet->b].node >= 0 ||
      ff_sleep_skips(state, meet)) {
    return false;
  }
  bool meets = false;
  for (int n = meet->first_near; n < meet->first_near + meet->near_count && !meets; n++) {
    meets = ff_quasi_touches_at_end(problem, &state->nears[n], 0, touches) > 0;
  }
  return meets;
}

bool ff_quasi_wake_pushed(quasi_step *step, bool solved) {
  const quasi_problem *problem = &step->problem;
  ff_state *state = problem->state;
  bool woke = false;
  if (state->sleep.count == 0) {
    return false;
  }
  for (int k = 0; k < problem->contact_count; k++) {
    const quasi_contact *contact = &problem->contacts[k];
    bool pushes = solved ? contact->p_ns > 0 || contact->e.z[0] > 0 : contact->depth_free > 0;
    woke = (pushes && wake_side(step, contact->e.a, contact->e.b)) || woke;
  }
  for (int m = 0; m < state->meet_count && !solved; m++) {
    const ff_meet *meet = &state->meets[m];
    woke = (is_led_into(problem, meet) && wake_side(step, meet->a, meet->b)) || woke;
  }
  return woke;
}
