/* Sleeping: exact rest, and repetition of steps that change nothing.
 *
 * Where nothing moves any more rest solves the step, with the impulses of the step before. Then
 * that is the solution: exactly at rest, so that the step ends with the bits that it started from.
 * The next step has the same solution to the last bit, as long as the state is not set from outside
 * and no force depends on time: it is repeated without a solve.
 */
#include "math/vec.h"
#include "step/quasi/contact_geometry.h"
#include "step/quasi/step.h"

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
