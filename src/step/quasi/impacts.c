/* Impacts: steps of order 2 are cut where a contact closes or opens too fast for them.
 *
 * A contact is in impact while its normal speed is above what gravity gives a body in ten steps.
 * There the step must resolve the contact's oscillation: h rate <= QUASI_RESOLVED from touch to
 * release, which is some eight steps. A step in which bodies first fly ends where they touch. At
 * the turning point of an impact nothing moves: the short steps go on for a little more than a
 * quarter of the contact's period.
 */
#include "step/quasi/impacts.h"

#include "math/vec.h"
#include "step/quasi/contact_geometry.h"

#define FAST      10.0 /* of the change of velocity by gravity in a step: slower is not an impact */
#define NOTHING   1e-7 /* of a body's size: moving by less in a step is not one either */
#define TURNING   2.0  /* rad, of the contact's oscillation: more than a quarter of a period */
#define NEAR_CORE 0.05 /* of the way in the step: cores this close are reached at its start */
#define CUT_TO    (0.9 * QUASI_RESOLVED) /* rates change a little when a step is cut */

/* 1/kg, inverse effective mass of a body along n at the contact. */
static double side_inverse_mass(const quasi_problem *problem, const quasi_contact *contact, int s,
                                ff_vec3 n) {
  const quasi_body *body = quasi_side(problem, &contact->e, s);
  const ff_model_body *of = &problem->model->bodies[body->id];
  if (body->node < 0) {
    return 0;
  }
  if (body->link) {
    return ff_quasi_link_inverse_mass(problem, body, contact->touch.point, n);
  }
  ff_vec3 turn =
      q_unrotate(body->end.pose.orientation, v3_cross(quasi_arm(contact, body, false), n));
  return of->inv_mass + v3_dot(turn, v3_mul(of->inv_inertia, turn));
}

double ff_quasi_contact_rate(const quasi_problem *problem, const quasi_contact *contact) {
  const ff_layer *layer = contact->layer;
  ff_vec3 n = contact->touch.normal;
  double k = layer->stiffness, c = layer->damping, k_b = layer->stiffness_b;
  if (k_b > 0) { /* in series */
    k = k * k_b / (k + k_b);
    c = c + layer->damping_b > 0 ? c * layer->damping_b / (c + layer->damping_b) : 0;
  }
  double inverse = side_inverse_mass(problem, contact, 0, n);
  inverse += side_inverse_mass(problem, contact, 1, n);
  return sqrt(k * inverse) + c * inverse;
}

/* m/s, speed at which a contact closes (< 0: opens), at the start or at the end. */
static double closing_rate(const quasi_problem *problem, const quasi_contact *contact, bool start) {
  ff_vec3 v_a = quasi_velocity(contact, &problem->bodies[contact->e.a], start);
  ff_vec3 v_b = quasi_velocity(contact, &problem->bodies[contact->e.b], start);
  return v3_dot(start ? contact->touch_start.normal : contact->touch.normal, v3_sub(v_b, v_a));
}

/* Is a contact in impact? */
static bool is_impact(const quasi_problem *problem, const quasi_contact *contact) {
  const quasi_layer *layer = &contact->layer_state;
  bool presses = contact->p_ns > 0 || contact->e.z[0] > 0 || contact->touch.depth > 0 ||
                 layer->depth_start > 0;
  bool on_core = layer->depth_start >= (1 - 1e-9) * contact->layer->max_deflection;
  if (!presses || on_core || !contact->at_start) { /* cores have no time of their own */
    return false;
  }
  double h = problem->model->run.stepper.step;
  double size = lesser(problem->model->bodies[contact->e.a].bound,
                       problem->model->bodies[contact->e.b].bound);
  double slow = greater(FAST * h * v3_norm(problem->model->run.gravity), NOTHING * size / h);
  return fabs(closing_rate(problem, contact, true)) > slow ||
         fabs(closing_rate(problem, contact, false)) > slow;
}

/* s, step in which bodies that are apart come to touch, or one that resolves their impact if that
 * is more. The depth grows ever faster: a secant ends before the touch. */
static double step_to_touch(const quasi_problem *problem, const quasi_contact *contact) {
  double resolved = CUT_TO / contact->rate, gap = -contact->layer_state.depth_start;
  double depth = greater(contact->depth_free, contact->touch.depth);
  if (!(gap > 0)) {
    return resolved;
  }
  double way = depth > 0 ? gap / (gap + depth) : 0.5;
  return greater(lesser(way, 0.9) * problem->h, resolved);
}

bool ff_quasi_impact_unresolved(quasi_step *step, int island) {
  const quasi_problem *problem = &step->problem;
  double wanted = problem->h;
  for (int k = problem->first_element[island]; k < problem->first_element[island + 1]; k++) {
    const quasi_contact *contact = quasi_contact_of(problem->elements[k]);
    if (contact && !contact->resolved && is_impact(problem, contact)) {
      wanted = lesser(wanted, step_to_touch(problem, contact));
    }
  }
  step->wanted_h = wanted;
  return wanted < problem->h;
}

bool ff_quasi_core_ahead(quasi_step *step, int island) {
  const quasi_problem *problem = &step->problem;
  double wanted = problem->h;
  for (int k = problem->first_element[island]; k < problem->first_element[island + 1]; k++) {
    const quasi_contact *contact = quasi_contact_of(problem->elements[k]);
    if (contact && quasi_core_bears(problem, contact) && is_impact(problem, contact)) {
      double gap = contact->core_depth - contact->layer_state.depth_start;
      double way = problem->h * closing_rate(problem, contact, true);
      double share = way > 0 && gap > NEAR_CORE * way ? gap / way : 1;
      wanted = share < 1 ? lesser(wanted, lesser(share, 0.9) * problem->h) : wanted;
    }
  }
  step->wanted_h = wanted;
  return wanted < problem->h;
}

void ff_quasi_follow_impacts(quasi_step *step, double end) {
  const quasi_problem *problem = &step->problem;
  if (end > step->impact_end) {
    step->impact_h = INFINITY;
  }
  if (problem->has_crowd) { /* impacts take whole steps */
    return;
  }
  for (int k = 0; k < problem->contact_count; k++) {
    const quasi_contact *contact = &problem->contacts[k];
    double h = CUT_TO / contact->rate;
    if (h < problem->model->run.stepper.step && is_impact(problem, contact)) {
      step->impact_h = lesser(step->impact_h, h);
      step->impact_end = greater(step->impact_end, end + TURNING / contact->rate);
    }
  }
}
