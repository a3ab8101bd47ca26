/* Compliant layer of a contact: impulse by depth, and its state after the step.
 *
 * With G = h K + C and deflections delta at the end, delta_0 at the start, impulses are
 *   p = G delta - C delta_0                                     [Chakraborty07 eq. 14]
 * or in order 2 for two layers, with the mean of the spring's forces, G = h K / 2 + C and
 * C - h K / 2 for C; a single one uses the exact mean force, a discrete gradient.
 * One layer: p_ns = G (depth - relaxed) >= 0, relaxed = C delta_0 / G being where it stops to push.
 *
 * Two layers, one on each body, bear the same impulse and share the depth; one at its own maximum
 * is rigid, and the other takes the rest. When both are, the cores meet.
 *
 * Normal and tangential together (K and C 3 x 3, in the order n, t, o): the tangential impulse is
 * that of friction, so that the tangential deflection follows from it and from the depth,
 *   delta_t = G_tt^-1 (p_t + (C delta_0)_t - G_tn depth),
 * and p_ns becomes linear in the depth and in p_t. As printed in the paper delta_t has no other
 * effect. In series it adds to the slip: the layer shears before its surface slides.
 */
#include "step/quasi/layer.h"

#include "math/vec.h"

#define RECOVERED 1e-12 /* of the distance of free fall in a step: deflections below are zero */

/* ---- start of the step ------------------------------------------------------------------ */

static double layer_dot2(const double a[2], const double b[2]) {
  return a[0] * b[0] + a[1] * b[1];
}

/* Normal deflection of one layer or of two. */
static void begin_normal(quasi_layer *to, const ff_layer *layer, const ff_layer_point *point,
                         double h, double theta) {
  double first = point->deflection - point->deflection_b, late = theta * h, early = h - late;
  to->slope[0] = late * layer->stiffness + layer->damping;
  to->slope[1] = late * layer->stiffness_b + layer->damping_b;
  to->damped[0] = (layer->damping - early * layer->stiffness) * first;
  to->damped[1] = (layer->damping_b - early * layer->stiffness_b) * point->deflection_b;
  to->relaxed = to->damped[0] / to->slope[0];
  to->relaxed += to->slope[1] > 0 ? to->damped[1] / to->slope[1] : 0;
}

/* Normal and tangential deflection together: condenses the tangential one. Springs act as at the
 * end of the step, tangential ones in order 2, too: they would ring in sticking contacts. */
static void begin_shear(quasi_layer *to, const ff_layer *layer, const ff_layer_point *point,
                        ff_vec3 t1, ff_vec3 t2, double h) {
  double g[3][3], damped[3];
  const double before[3] = {point->deflection, v3_dot(point->shear, t1), v3_dot(point->shear, t2)};
  to->coupled =
      layer->k[0][1] != 0 || layer->k[0][2] != 0 || layer->c[0][1] != 0 || layer->c[0][2] != 0;
  for (int i = 0; i < 3; i++) {
    damped[i] = 0;
    for (int k = 0; k < 3; k++) {
      g[i][k] = h * layer->k[i][k] + layer->c[i][k];
      damped[i] += layer->c[i][k] * before[k];
    }
  }
  double det = g[1][1] * g[2][2] - g[1][2] * g[2][1];
  to->compliance[0][0] = g[2][2] / det;
  to->compliance[1][1] = g[1][1] / det;
  to->compliance[0][1] = to->compliance[1][0] = -g[1][2] / det;
  for (int i = 0; i < 2; i++) {
    to->shear_start[i] = before[1 + i];
    to->shear_damped[i] = damped[1 + i];
    to->coupling[i] = g[1 + i][0];
  }
  for (int i = 0; i < 2; i++) {
    to->pull[i] = layer_dot2(to->coupling, to->compliance[i]);
  }
  to->slope[0] = g[0][0] - layer_dot2(to->pull, to->coupling);
  to->damped[0] = damped[0] - layer_dot2(to->pull, to->shear_damped);
  to->relaxed = to->damped[0] / to->slope[0];
}

void ff_quasi_layer_scale(ff_layer *out, const ff_layer *layer, double weight) {
  *out = *layer;
  out->stiffness *= weight;
  out->damping *= weight;
  out->stiffness_b *= weight;
  out->damping_b *= weight;
  for (int i = 0; i < 9; i++) {
    out->k[i / 3][i % 3] *= weight;
    out->c[i / 3][i % 3] *= weight;
  }
}

void ff_quasi_layer_begin(const quasi_problem *problem, const ff_layer *layer,
                          const ff_layer_point *point, ff_vec3 t1, ff_vec3 t2, double theta,
                          quasi_layer *out) {
  *out = (quasi_layer){.deflection_start = point->deflection};
  if (layer->sheared) {
    begin_shear(out, layer, point, t1, t2, problem->h);
  } else {
    /* a single layer uses the exact mean force: ff_quasi_mean_spring_force */
    begin_normal(out, layer, point, problem->h, layer->stiffness_b > 0 ? theta : 1);
  }
}

/* ---- impulse ---------------------------------------------------------------------------- */

double ff_quasi_mean_spring_force(double k, double a, double b, double *slope) {
  if (a >= 0 && b >= 0) {
    *slope = 0.5 * k;
    return 0.5 * k * (a + b);
  }
  double pressed = greater(greater(a, b), 0), way = fabs(b - a);
  double force = pressed > 0 ? 0.5 * k * pressed * (pressed / way) : 0;
  *slope = pressed > 0 ? (b > a ? k * (pressed / way) - force / way : force / way) : 0;
  return force;
}

/* Shares a depth between two layers: returns b's part; bearer: the layer that gives the impulse
 * (the other may be rigid); slope: derivative of the impulse by depth. */
static double share_depth(const quasi_layer *at, const ff_layer *layer, double depth, int *bearer,
                          double *slope) {
  double g = at->slope[0], g_b = at->slope[1];
  double b = (g * depth + at->damped[1] - at->damped[0]) / (g + g_b);
  *bearer = depth - b > layer->max_a;
  if (*bearer == 1) {
    *slope = g_b;
    return depth - layer->max_a;
  }
  *slope = b > layer->max_b ? g : g * g_b / (g + g_b);
  return lesser(b, layer->max_b);
}

double ff_quasi_layer_impulse(const quasi_problem *problem, const quasi_contact *contact,
                              double depth, double *slope) {
  const ff_layer *layer = contact->layer;
  const quasi_layer *at = &contact->layer_state;
  const double *e = contact->cone->e, *z = contact->e.z + 1;
  /* an unresolved layer pushes as at the end; one that is still recovering is reached late */
  bool first = problem->theta == 1 || !contact->resolved ||
               (1 - 1e-9) * at->deflection_start > greater(at->depth_start, 0);
  *slope = at->slope[0];
  if (!(depth > -INFINITY)) {
    return 0;
  }
  if (layer->stiffness_b > 0) {
    int bearer;
    double b = share_depth(at, layer, depth, &bearer, slope);
    return at->slope[bearer] * (bearer == 1 ? b : depth - b) - at->damped[bearer];
  }
  if (first || at->coupled) {
    return *slope * (depth - at->relaxed) + at->pull[0] * e[0] * z[0] + at->pull[1] * e[1] * z[1];
  }
  double force = ff_quasi_mean_spring_force(layer->stiffness, at->depth_start, depth, slope);
  *slope = problem->h * *slope + (depth > 0 ? layer->damping : 0);
  return problem->h * force + layer->damping * (greater(depth, 0) - at->deflection_start);
}

void ff_quasi_layer_press(const quasi_problem *problem, quasi_contact *contact) {
  double slope, depth = contact->touch.depth;
  double p = ff_quasi_layer_impulse(problem, contact, depth, &slope);
  if (contact->damping > 0 && depth > -INFINITY) {
    double spin;
    p -= contact->damping * v3_dot(contact->touch.normal, quasi_slip(problem, contact, &spin));
  }
  contact->p_ns = greater(p, 0);
  contact->p_ns_slope = p > 0 ? slope : 0;
  contact->p_ns_damping = p > 0 ? contact->damping : 0;
}

void ff_quasi_layer_shear(const quasi_contact *contact, double out[2]) {
  const quasi_layer *at = &contact->layer_state;
  double load[2];
  for (int i = 0; i < 2; i++) {
    load[i] = contact->cone->e[i] * contact->e.z[1 + i] + at->shear_damped[i] -
              at->coupling[i] * contact->touch.depth;
  }
  out[0] = layer_dot2(at->compliance[0], load);
  out[1] = layer_dot2(at->compliance[1], load);
}

/* ---- end of the step -------------------------------------------------------------------- */

/* Stored energy: of the normal deflections, and in series of the tangential ones. */
void ff_quasi_layer_store(const ff_layer *layer, const ff_layer_point *own, const double shear[2],
                          ff_point *point) {
  double a = own->deflection - own->deflection_b, b = own->deflection_b;
  point->energy_n = 0.5 * layer->stiffness * a * a + 0.5 * layer->stiffness_b * b * b;
  point->energy_t = 0;
  for (int i = 0; layer->series && i < 2; i++) {
    point->energy_t += layer->k[0][1 + i] * own->deflection * shear[i];
    point->energy_t += 0.5 * shear[i] * layer_dot2(&layer->k[1 + i][1], shear);
  }
}

void ff_quasi_layer_init(const ff_layer *layer, double depth, ff_layer_point *own) {
  double k = layer->stiffness, k_b = layer->stiffness_b;
  double b = lesser(greater(depth * k / (k + k_b), depth - layer->max_a), layer->max_b);
  own->deflection = depth;
  own->deflection_b = k_b > 0 ? b : 0;
}

/* m, deflection of a recovering layer, zero below a threshold. Else it would decay for hundreds of
 * steps, and no body could come to rest before it ended. */
static double recovering(const quasi_problem *problem, double deflection) {
  return fabs(deflection) > RECOVERED * problem->h * problem->gravity_dv ? deflection : 0;
}

/* Tangential deflection of a compressed layer, or (no contact) of a recovering one. */
static void finish_shear(const quasi_problem *problem, const quasi_layer *at, const ff_layer *layer,
                         const quasi_contact *contact, double shear[2], const ff_point *point,
                         ff_layer_point *own, double *ledger) {
  ff_vec3 t1 = point->t1, t2 = point->t2;
  double paid = 0, rate[2];
  if (contact) {
    ff_quasi_layer_shear(contact, shear);
  } else {
    for (int i = 0; i < 2; i++) {
      const double load[2] = {at->shear_damped[0] - at->coupling[0] * own->deflection,
                              at->shear_damped[1] - at->coupling[1] * own->deflection};
      shear[i] = recovering(problem, layer_dot2(at->compliance[i], load));
    }
  }
  for (int i = 0; i < 2; i++) {
    rate[i] = (shear[i] - at->shear_start[i]) / problem->h;
    paid += contact ? contact->cone->e[i] * contact->e.z[1 + i] * rate[i] : 0;
  }
  own->shear = v3_axpy(v3_scale(shear[0], t1), shear[1], t2);
  bool slides = contact && layer->series;
  own->shear_rate = slides ? v3_axpy(v3_scale(rate[0], t1), rate[1], t2) : v3(0, 0, 0);
  if (layer->series) {
    ledger[FF_Y_PAID] += paid;
    ledger[FF_Y_LOST + FF_LOST_SLIP] -= paid; /* shear is not slip */
  }
}

void ff_quasi_layer_finish(const quasi_problem *problem, const ff_layer *layer,
                           const quasi_contact *contact, double paid, ff_point *point,
                           ff_layer_point *own, double *ledger) {
  quasi_layer fresh;
  if (!contact) {
    ff_quasi_layer_begin(problem, layer, own, point->t1, point->t2, 1, &fresh);
  }
  const quasi_layer *at = contact ? &contact->layer_state : &fresh;
  double a = own->deflection - own->deflection_b, b = own->deflection_b, slope;
  double depth = point->touching ? point->patch.depth : 0, before = point->energy_n, shear[2] = {0};
  bool pressed = depth > at->relaxed;
  int bearer;
  own->deflection = pressed ? greater(depth, 0) : recovering(problem, greater(at->relaxed, 0));
  if (layer->stiffness_b > 0) {
    own->deflection_b = share_depth(at, layer, own->deflection, &bearer, &slope);
  }
  if (layer->sheared) {
    finish_shear(problem, at, layer, pressed ? contact : NULL, shear, point, own, ledger);
  }
  ff_quasi_layer_store(layer, own, shear, point);
  double rate = (own->deflection - own->deflection_b - a) / problem->h;
  double rate_b = (own->deflection_b - b) / problem->h;
  double lost = problem->h * (layer->damping * rate * rate + layer->damping_b * rate_b * rate_b);
  if (contact && contact->resolved && at->depth_start < 0 && depth > 0 &&
      at->deflection_start == 0) { /* pressed for a part of the step */
    lost *= 1 - at->depth_start / depth;
  }
  /* let go in the step: what it does not give back. In order 1 it gives nothing back */
  bool pays = contact && contact->resolved;
  lost = pressed ? lost : before - point->energy_n + (pays ? lesser(paid, 0) : 0);
  /* without a damper the loss is one of the step */
  ledger[FF_Y_LOST + FF_LOST_NORMAL] += layer->damping + layer->damping_b > 0 ? lost : 0;
}
