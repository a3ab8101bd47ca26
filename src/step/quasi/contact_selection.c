/* Contact selection: which contact points take part in a quasi-rigid step. */
#include "math/vec.h"
#include "step/quasi/bilateral_constraints.h"
#include "step/quasi/contact_geometry.h"
#include "step/quasi/layer.h"
#include "step/quasi/residual.h"
#include "step/quasi/step.h"
#include "step/sleep.h"

#include <string.h>

#define RECOVERY 100.0 /* steps in which cores that overlap are moved apart */
/* of the layer's force: pushes by gradients act in full up to, and not at all from */
#define GRADIENTS_LITTLE 0.01
#define GRADIENTS_MUCH   0.05
/* of the depth, its change in a step: the same */
#define CHANGES_LITTLE 0.05
#define CHANGES_MUCH   0.1
#define NO_OVERLAP     1e-9 /* of a body's size: overlap of cores by rounding */

/* ---- adding contacts -------------------------------------------------------------------- */

/* Solution of the previous pass for this contact, or for one with its features; NULL: none. */
static const double *previous_solution(const quasi_step *step, const quasi_contact *contact) {
  const ff_near *pair = &step->problem.state->nears[contact->pair];
  const quasi_pass_result *own = &step->results[contact->point];
  if (!step->repeated) {
    return NULL;
  }
  bool has_id = contact->touch.id.kind != FF_PAIR_NONE;
  for (int i = 0; has_id && i < pair->point_count; i++) {
    const quasi_pass_result *result = &step->results[pair->first_point + i];
    if (result->pass == step->pass && ff_feature_pair_equal(result->touch.id, contact->touch.id)) {
      return result->z;
    }
  }
  return own->pass == step->pass ? own->z : NULL;
}

/* z_before and z_predicted: impulses of the step before along the present tangents, and their
 * extrapolation or the solution of the previous pass. */
static void predict_impulses(const quasi_step *step, const ff_point *p,
                             const ff_predictor predictor[2], quasi_contact *contact) {
  double h = step->problem.h;
  ff_vec3 n = contact->touch.normal, t1 = contact->touch.t1, t2 = v3_cross(n, t1);
  int order = ff_predictor_order(&predictor[0]);
  ff_vec3 force = ff_predictor_next(&predictor[0], order);
  ff_vec3 others = ff_predictor_next(&predictor[1], order);
  const double before[3] = {v3_dot(p->force, t1), v3_dot(p->force, t2), v3_dot(p->moment, n)};
  const double predicted[3] = {v3_dot(force, t1), v3_dot(force, t2), others.x};
  for (int i = 0; i < 3; i++) {
    double e = contact->cone->e[i], scale = e > 0 ? h / e : 0;
    contact->e.z_before[1 + i] = scale * before[i];
    contact->e.z_predicted[1 + i] = scale * predicted[i];
  }
  contact->e.z_before[0] = h * p->force_core;
  contact->e.z_predicted[0] = p->force_core > 0 ? h * greater(others.y, 0) : 0;
  const double *z = previous_solution(step, contact);
  if (z) {
    memcpy(contact->e.z_predicted, z, 4 * sizeof *z);
  }
}

/* m, depth that a core allows at the end of the step. Cores that overlap at its start, since other
 * features press now or since they did from the beginning, are moved apart in RECOVERY steps: at
 * once, they would gain the speed of their overlap over the step. */
static double allowed_core_depth(const quasi_problem *problem, const ff_layer *layer, double start,
                                 double size) {
  double over = start - layer->max_deflection;
  double share = problem->h / (RECOVERY * problem->model->run.stepper.step);
  return over > NO_OVERLAP * size ? start - share * over : layer->max_deflection;
}

/* 1 up to `little`, 0 from `much` on. */
static double fade_out(double x, double little, double much) {
  return lesser(greater((much - x) / (much - little), 0), 1);
}

/* What a sample of weight w with force F and energy E of its layer pushes beyond w F along the
 * normal of the pair: -E grad w, and the small difference between -grad d and that normal. With F
 * and E of the start of the step it acts as an applied force: exact at rest, and stable, since it
 * is less stiff than the layer by the depth over the size of the body. In impacts, where F changes
 * much in a step, it is left out. */
static void push_by_gradients(quasi_problem *problem, quasi_contact *contact, const ff_layer *layer,
                              const ff_layer_point *before, double start_depth,
                              const ff_touch *touch) {
  double b = before->deflection_b, a = before->deflection - b;
  double energy = 0.5 * layer->stiffness * a * a + 0.5 * layer->stiffness_b * b * b;
  ff_gradient w = touch->d_weight, d = touch->d_depth;
  contact->gradient_point = touch->point;
  contact->gradient_force = contact->gradient_moment = v3(0, 0, 0);
  bool pressed = start_depth >= (1 - 1e-9) * before->deflection; /* else it recovers */
  if (!pressed || !(energy > 0) || touch->id.kind == FF_PAIR_NONE ||
      touch->id.kind == FF_PAIR_POINT) {
    return;
  }
  ff_vec3 lean = v3_add(d.shift, touch->normal);
  double bound = problem->model->bodies[contact->e.a].bound, force = layer->stiffness * a;
  double share = v3_norm(lean) + v3_norm(d.turn) / bound;
  share += energy / force * (v3_norm(w.shift) + v3_norm(w.turn) / bound);
  ff_vec3 v_a = ff_motion_velocity(&problem->bodies[contact->e.a].start, touch->point);
  ff_vec3 v_b = ff_motion_velocity(&problem->bodies[contact->e.b].start, touch->point);
  double rate = v3_dot(touch->normal, v3_sub(v_a, v_b));
  double acts = fade_out(share, GRADIENTS_LITTLE, GRADIENTS_MUCH) *
                fade_out(problem->h * fabs(rate) / start_depth, CHANGES_LITTLE, CHANGES_MUCH);
  double sample_force = touch->weight * force;
  contact->gradient_force = v3_scale(-acts, v3_axpy(v3_scale(energy, w.shift), sample_force, lean));
  contact->gradient_moment =
      v3_scale(-acts, v3_axpy(v3_scale(energy, w.turn), sample_force, d.turn));
  for (int s = 0; acts > 0 && s < 2; s++) {
    double sign = s == 0 ? 1 : -1;
    quasi_body *body = &problem->bodies[s == 0 ? contact->e.a : contact->e.b];
    const ff_model_body *of = &problem->model->bodies[body->id];
    ff_wrench *wrench = &problem->state->wrenches[body->id]; /* of links */
    ff_vec3 push = v3_scale(sign, contact->gradient_force),
            arm = v3_sub(touch->point, body->start.pose.position);
    ff_vec3 torque = v3_axpy(v3_cross(arm, push), sign, contact->gradient_moment);
    wrench->force = v3_add(wrench->force, push);
    wrench->torque = v3_add(wrench->torque, torque);
    if (of->kind == FF_BODY_FREE) {
      body->v_free = v3_axpy(body->v_free, problem->h * of->inv_mass, push);
      body->l_free = v3_axpy(body->l_free, problem->h, torque);
    }
  }
}

/* Adds a contact. start_depth: m, at the start of the step. False: no capacity. */
static bool add_selected_contact(quasi_step *step, const ff_meet *meet, int pair,
                                 const ff_touch *touch, int point, int inherits,
                                 double initial_depth, double start_depth) {
  quasi_problem *problem = &step->problem;
  const ff_model *model = problem->model;
  const ff_binding *binding = &model->bindings[problem->state->nears[pair].binding];
  if (problem->contact_count == problem->contact_capacity) {
    return false;
  }
  quasi_contact *contact = &problem->contacts[problem->contact_count++];
  quasi_element *e = &contact->e;
  if (e->a != meet->a || e->b != meet->b) {
    problem->grouped_contacts = -1;
  }
  e->a = meet->a;
  e->b = meet->b;
  e->is_constraint = false;
  e->rows = binding->cone.mu > 0 ? 4 : 1; /* without friction the core's only */
  e->mass = 1 / (model->bodies[meet->a].inv_mass + model->bodies[meet->b].inv_mass);
  for (int i = 0; i < 4; i++) {
    e->lower[i] = i == 0 ? 0 : -INFINITY;
    e->z[i] = 0;
  }
  contact->point = point;
  contact->pair = pair;
  contact->layer = &binding->layer;
  if (touch->weight != 1) {
    ff_quasi_layer_scale(&contact->weighted_layer, &binding->layer, touch->weight);
    contact->layer = &contact->weighted_layer;
  }
  contact->core_depth =
      allowed_core_depth(problem, contact->layer, start_depth, model->bodies[meet->a].bound);
  contact->cone = &binding->cone;
  contact->inherits = inherits;
  contact->initial_depth = initial_depth;
  static const ff_point unknown = {.mode = FF_OPEN};
  const ff_point *known = inherits < 0 ? &unknown : &problem->state->points[inherits];
  ff_layer_point fresh;
  const ff_layer_point *before = ff_quasi_inherited_layer(problem, contact, &fresh);
  push_by_gradients(problem, contact, &binding->layer, before, start_depth, touch);
  ff_quasi_layer_begin(problem, contact->layer, before, touch->t1,
                       v3_cross(touch->normal, touch->t1), 1, &contact->layer_state);
  contact->layer_theta = 1;
  contact->at_start = contact->resolved = false;
  contact->friction_mass = e->mass;
  contact->touch = *touch;
  contact->tangent_axis = ff_quasi_tangent_axis(problem, contact, known->axis,
                                                problem->bodies[meet->b].end.pose.orientation);
  contact->depth_free = touch->depth;
  contact->has_slope = contact->fixed = contact->carried_over = contact->tied = false;
  contact->in_middle = contact->in_crowd = false;
  contact->p_ns = 0;
  predict_impulses(step, known, before->predictor, contact);
  return true;
}

bool ff_quasi_add_fixed_contact(quasi_step *step, const ff_meet *meet, int pair,
                                const ff_touch *touch, int slot, int inherits, double initial_depth,
                                double start_depth, bool at_free_end) {
  quasi_problem *problem = &step->problem;
  int point = problem->state->nears[pair].first_point + slot;
  if (!add_selected_contact(step, meet, pair, touch, point, inherits, initial_depth, start_depth)) {
    return false;
  }
  quasi_contact *contact = &problem->contacts[problem->contact_count - 1];
  ff_quasi_fix_contact(problem, contact, at_free_end);
  contact->tied = problem->model->run.stepper.geometry == FF_GEOMETRY_EXPLICIT;
  ff_quasi_evaluate_contacts(problem, contact, 1);
  contact->depth_free = contact->touch.depth;
  return true;
}

/* ---- selection -------------------------------------------------------------------------- */

/* Contacts of a pair of shapes. */
static bool select_pair(quasi_step *step, const ff_meet *meet, int n) {
  quasi_problem *problem = &step->problem;
  const ff_near *pair = &problem->state->nears[n];
  const ff_point *p = &problem->state->points[pair->first_point];
  bool explicit_geometry = problem->model->run.stepper.geometry == FF_GEOMETRY_EXPLICIT;
  if (!explicit_geometry && pair->point_count == 1 && p->force_n > 0 && p->patch.depth > 0 &&
      p->weight == 1 && step->predictor_end == problem->state->t) {
    /* The only point of a pair that pushed in the step before takes part, wherever free flight
     * leads, without a query: its geometry of the start suffices until the first residual. */
    ff_touch before = {
        .point = p->point, .normal = p->normal, .t1 = p->t1, .depth = p->patch.depth, .weight = 1};
    bool added = add_selected_contact(step, meet, n, &before, pair->first_point, pair->first_point,
                                      0, p->patch.depth);
    if (added) {
      problem->contacts[problem->contact_count - 1].carried_over = true;
    }
    return added;
  }
  bool touching = false; /* order 2: contacts that end in the step push for a part of it */
  for (int k = 0; problem->model->run.stepper.order == 2 && k < pair->point_count; k++) {
    touching = touching || p[k].touching;
  }
  double margin = INFINITY;
  if (!step->wanted[n]) {
    margin = (touching ? 1 : problem->margin_factor) *
             ff_quasi_approach(problem, &problem->bodies[meet->a], &problem->bodies[meet->b]);
  }
  if (ff_quasi_pair_has_samples(problem, pair)) {
    return ff_quasi_select_samples(step, meet, n, margin);
  }
  ff_touch touches[FF_TOUCH_MAX];
  int count = explicit_geometry ? ff_quasi_touches_at_start(problem, pair, margin, touches)
                                : ff_quasi_touches_at_end(problem, pair, margin, touches);
  for (int i = 0; i < count; i++) {
    int point = pair->first_point + touches[i].feature;
    if (!(touches[i].weight > QUASI_LIGHT)) {
      continue; /* beside a seam, on a neighbour */
    }
    const ff_point *was = &problem->state->points[point];
    double start = was->known && was->touching ? was->patch.depth : 0;
    if (!add_selected_contact(step, meet, n, &touches[i], point, point, 0, start)) {
      return false;
    }
    if (explicit_geometry) { /* points of both bodies and normal of the start of the step */
      quasi_contact *contact = &problem->contacts[problem->contact_count - 1];
      ff_quasi_tie_at_start(problem, contact);
      ff_quasi_evaluate_contacts(problem, contact, 1);
      contact->depth_free = contact->touch.depth;
    }
  }
  return true;
}

bool ff_quasi_select_contacts(quasi_step *step) {
  quasi_problem *problem = &step->problem;
  const ff_state *state = problem->state;
  problem->contact_count = 0;
  for (int m = 0; m < state->meet_count; m++) {
    const ff_meet *meet = &state->meets[m];
    /* what is asleep or led moves by no impulse */
    bool moves = problem->bodies[meet->a].node >= 0 || problem->bodies[meet->b].node >= 0;
    for (int n = meet->first_near; n < meet->first_near + meet->near_count && moves; n++) {
      if (!select_pair(step, meet, n)) {
        return false;
      }
    }
  }
  ff_quasi_begin_constraints(problem, step->repeated);
  return ff_quasi_group_islands(step);
}

bool ff_quasi_missed_contacts(quasi_step *step) {
  quasi_problem *problem = &step->problem;
  const ff_model_shape *shapes = problem->model->shapes;
  bool missed = false;
  int next = 0; /* contacts are in the order of their points */
  for (int n = 0; n < problem->state->near_count; n++) {
    const ff_near *pair = &problem->state->nears[n];
    const quasi_contact *first = problem->contacts + next;
    bool selected = next < problem->contact_count && first->pair == n;
    int known = selected ? quasi_pair_size(problem, first) : 0;
    next += known;
    bool moved = problem->bodies[shapes[pair->shape_a].body].moved ||
                 problem->bodies[shapes[pair->shape_b].body].moved;
    if (!moved || known == pair->point_count || (known > 0 && first->fixed) ||
        problem->model->run.stepper.geometry == FF_GEOMETRY_EXPLICIT) {
      continue;
    }
    ff_touch touches[FF_TOUCH_MAX];
    int count = ff_quasi_touches_at_end(problem, pair, 0, touches);
    for (int i = 0, k = 0; i < count; i++) {
      int point = pair->first_point + touches[i].feature;
      while (k < known && first[k].point < point) {
        k++;
      }
      if (touches[i].weight > QUASI_LIGHT && (k == known || first[k].point != point)) {
        missed = step->wanted[n] = true;
      }
    }
  }
  return missed;
}

/* ---- continuous collision check --------------------------------------------------------- */

/* Do two shapes overlap on straight paths of their bodies, and at the end are apart, or so deep
 * that they would separate on the other side? Sampled at distances of their thickness. */
static bool pair_passed_through(const quasi_step *step, const ff_near *pair) {
  const quasi_problem *problem = &step->problem;
  const ff_model_shape *a = &problem->model->shapes[pair->shape_a];
  const ff_model_shape *b = &problem->model->shapes[pair->shape_b];
  const quasi_body *body[2] = {&problem->bodies[a->body], &problem->bodies[b->body]};
  double stride = 0.5 * (a->thickness + b->thickness);
  if (isinf(stride)) { /* a half-space has no other side */
    return false;
  }
  ff_vec3 path[2];
  for (int s = 0; s < 2; s++) {
    path[s] = v3_sub(body[s]->end.pose.position, body[s]->start.pose.position);
  }
  ff_vec3 relative = v3_sub(path[0], path[1]);
  if (!(v3_dot(relative, relative) >= stride * stride)) {
    return false;
  }
  int samples = (int)fmin(v3_norm(relative) / stride, 10000);
  ff_touch first[FF_TOUCH_MAX], last[FF_TOUCH_MAX];
  bool meets = false;
  for (int k = 1; k <= samples && !meets && !quasi_must_stop(&step->solver); k++) {
    double share = k / (samples + 1.0);
    ff_pose at[2];
    for (int s = 0; s < 2; s++) {
      at[s] = (ff_pose){v3_axpy(body[s]->start.pose.position, share, path[s]),
                        body[s]->end.pose.orientation};
    }
    meets = ff_quasi_touches(problem, pair, &at[0], &at[1], 0, first) > 0;
  }
  return meets && (ff_quasi_touches_at_end(problem, pair, 0, last) == 0 ||
                   v3_dot(first[0].normal, last[0].normal) < 0.5);
}

bool ff_quasi_passed_through(const quasi_step *step) {
  const quasi_problem *problem = &step->problem;
  for (int n = 0; n < problem->state->near_count; n++) {
    const ff_near *pair = &problem->state->nears[n];
    if (pair_passed_through(step, pair) || quasi_must_stop(&step->solver)) {
      *step->failure = (ff_trouble){.kind = FF_TROUBLE_PASSED,
                                    .a = problem->model->shapes[pair->shape_a].body,
                                    .b = problem->model->shapes[pair->shape_b].body};
      return true;
    }
  }
  return false;
}
