/* The layer of a contact: what it pushes with at a depth, and how it is left behind.
 *
 * With G = h K + C and deflections delta after, delta_0 before the step, impulses are
 *   p = G delta - C delta_0                                     [Chakraborty07 eq. 14]
 * or in order 2, with the mean of the spring's forces, G = h K / 2 + C and C - h K / 2 for C.
 * One layer: p_ns = G (depth - relaxed) >= 0, relaxed = C delta_0 / G being where it stops to push.
 *
 * Two layers, one on each body, bear the same impulse and share the depth; one that is pressed to
 * its own maximum is rigid and leaves the rest to the other. When both are, cores meet.
 *
 * Normal and tangential together (K and C 3 x 3, in the order n, t, o): the tangential impulse is
 * friction's, so that the tangential deflection follows from it and from the depth,
 *   delta_t = G_tt^-1 (p_t + (C delta_0)_t - G_tn depth),
 * and p_ns becomes linear in the depth and in p_t. Taken literally nothing else comes of delta_t.
 * In series it adds to the slip: the layer shears before its surface slides.
 */
#include "math/vec.h"
#include "step/quasi/quasi_rigid.h"

#define FORGOTTEN 1e-12 /* of the way that gravity makes in a step */

/* ---- before a step ------------------------------------------------------------------------- */

static double dot2(const double a[2], const double b[2]) {
  return a[0] * b[0] + a[1] * b[1];
}

/* Of two layers, and of one: their slopes, and what is held of it. */
static void prepare_pair(ff_quasi_layer *to, const ff_layer *layer, const ff_point *point, double h,
                         double theta) {
  double first = point->deflection - point->deflection_b, late = theta * h, early = h - late;
  to->slope[0] = late * layer->stiffness + layer->damping;
  to->slope[1] = late * layer->stiffness_b + layer->damping_b;
  to->held[0] = (layer->damping - early * layer->stiffness) * first;
  to->held[1] = (layer->damping_b - early * layer->stiffness_b) * point->deflection_b;
  to->relaxed = to->held[0] / to->slope[0];
  to->relaxed += to->slope[1] > 0 ? to->held[1] / to->slope[1] : 0;
}

/* Condenses the tangential deflection. */
static void prepare_shear(ff_quasi_layer *to, const ff_layer *layer, const ff_point *point,
                          ff_vec3 t1, ff_vec3 t2, double h, double theta) {
  double g[3][3], held[3], late = theta * h, early = h - late;
  const double before[3] = {point->deflection, v3_dot(point->shear, t1), v3_dot(point->shear, t2)};
  for (int i = 0; i < 3; i++) {
    held[i] = 0;
    for (int k = 0; k < 3; k++) {
      g[i][k] = late * layer->k[i][k] + layer->c[i][k];
      held[i] += (layer->c[i][k] - early * layer->k[i][k]) * before[k];
    }
  }
  double det = g[1][1] * g[2][2] - g[1][2] * g[2][1];
  to->ease[0][0] = g[2][2] / det;
  to->ease[1][1] = g[1][1] / det;
  to->ease[0][1] = to->ease[1][0] = -g[1][2] / det;
  for (int i = 0; i < 2; i++) {
    to->before[i] = before[1 + i];
    to->shear_held[i] = held[1 + i];
    to->leans[i] = g[1 + i][0];
  }
  for (int i = 0; i < 2; i++) {
    to->pull[i] = dot2(to->leans, to->ease[i]);
  }
  to->slope[0] = g[0][0] - dot2(to->pull, to->leans);
  to->held[0] = held[0] - dot2(to->pull, to->shear_held);
  to->relaxed = to->held[0] / to->slope[0];
}

void ff_quasi_layer_prepare(const ff_quasi *quasi, const ff_layer *layer, const ff_point *point,
                            ff_vec3 t1, ff_vec3 t2, double theta, ff_quasi_layer *out) {
  *out = (ff_quasi_layer){.deflected = point->deflection};
  if (layer->sheared) {
    prepare_shear(out, layer, point, t1, t2, quasi->h, theta);
  } else {
    /* a single layer knows its mean force better: see below */
    prepare_pair(out, layer, point, quasi->h, layer->stiffness_b > 0 ? theta : 1);
  }
}

/* ---- what it pushes with ----------------------------------------------------------------------
 */

/* Mean force of a spring without damper over a step that takes it from depth a to depth b: what its
 * energy changes by, over the way. So it takes and gives back the same, also where contact begins
 * or ends in between. */
static double mean_force(double k, double a, double b, double *slope) {
  if (a >= 0 && b >= 0) {
    *slope = 0.5 * k;
    return 0.5 * k * (a + b);
  }
  double pressed = greater(greater(a, b), 0), way = fabs(b - a);
  double force = pressed > 0 ? 0.5 * k * pressed * (pressed / way) : 0;
  *slope = pressed > 0 ? (b > a ? k * (pressed / way) - force / way : force / way) : 0;
  return force;
}

/* How two layers share a depth: returns b's part, and says which of them tells the impulse (the
 * other may be rigid) and what that grows by. */
static double share(const ff_quasi_layer *at, const ff_layer *layer, double depth, int *teller,
                    double *slope) {
  double g = at->slope[0], g_b = at->slope[1];
  double b = (g * depth + at->held[1] - at->held[0]) / (g + g_b);
  *teller = depth - b > layer->max_a;
  if (*teller == 1) {
    *slope = g_b;
    return depth - layer->max_a;
  }
  *slope = b > layer->max_b ? g : g * g_b / (g + g_b);
  return lesser(b, layer->max_b);
}

static double pair_impulse(const ff_quasi_layer *at, const ff_layer *layer, double depth,
                           double *slope) {
  int teller;
  double b = share(at, layer, depth, &teller, slope);
  return at->slope[teller] * (teller == 1 ? b : depth - b) - at->held[teller];
}

void ff_quasi_press(const ff_quasi *quasi, ff_quasi_contact *contact) {
  const ff_layer *layer = contact->layer;
  ff_quasi_layer *at = &contact->state;
  const double *e = contact->cone->e, *z = contact->e.z + 1;
  double depth = contact->touch.depth, p, slope = at->slope[0];
  /* a layer that is still recovering is met late: as in the first order */
  bool first = quasi->theta == 1 || (1 - 1e-9) * at->deflected > greater(at->start, 0);
  if (!(depth > -INFINITY)) {
    p = 0;
  } else if (layer->stiffness_b > 0) {
    p = pair_impulse(at, layer, depth, &slope);
  } else if (first || layer->sheared) {
    p = slope * (depth - at->relaxed) + at->pull[0] * e[0] * z[0] + at->pull[1] * e[1] * z[1];
  } else {
    p = quasi->h * mean_force(layer->stiffness, at->start, depth, &slope) +
        layer->damping * (greater(depth, 0) - at->deflected);
    slope = quasi->h * slope + (depth > 0 ? layer->damping : 0);
  }
  contact->p_ns = greater(p, 0);
  contact->stiff = p > 0 ? slope : 0;
}

void ff_quasi_shear(const ff_quasi_contact *contact, double out[2]) {
  const ff_quasi_layer *at = &contact->state;
  double load[2];
  for (int i = 0; i < 2; i++) {
    load[i] = contact->cone->e[i] * contact->e.z[1 + i] + at->shear_held[i] -
              at->leans[i] * contact->touch.depth;
  }
  out[0] = dot2(at->ease[0], load);
  out[1] = dot2(at->ease[1], load);
}

/* ---- after a step
 * -------------------------------------------------------------------------------- */

/* Energy of the normal deflections; of the tangential ones what they add to it, in series. */
static void store(const ff_layer *layer, ff_point *point, const double shear[2]) {
  double a = point->deflection - point->deflection_b, b = point->deflection_b;
  point->energy_n = 0.5 * layer->stiffness * a * a + 0.5 * layer->stiffness_b * b * b;
  point->energy_t = 0;
  for (int i = 0; layer->series && i < 2; i++) {
    point->energy_t += layer->k[0][1 + i] * point->deflection * shear[i];
    point->energy_t += 0.5 * shear[i] * dot2(&layer->k[1 + i][1], shear);
  }
}

void ff_quasi_layer_start(const ff_layer *layer, double depth, ff_point *point) {
  double k = layer->stiffness, k_b = layer->stiffness_b;
  double b = lesser(greater(depth * k / (k + k_b), depth - layer->max_a), layer->max_b);
  point->deflection = depth;
  point->deflection_b = k_b > 0 ? b : 0;
  store(layer, point, (const double[2]){0, 0});
}

/* m, of a layer that is let go: so little of its deflection is left that it has recovered. It would
 * go on for hundreds of steps, ever smaller, and nothing could lie still before it ended. */
static double left_of(const ff_quasi *quasi, double deflection) {
  return fabs(deflection) > FORGOTTEN * quasi->h * quasi->fall ? deflection : 0;
}

/* Tangential deflection, when the layer is pressed and when it is let go. */
static void settle_shear(const ff_quasi *quasi, const ff_quasi_layer *at, const ff_layer *layer,
                         const ff_quasi_contact *contact, double shear[2], ff_point *point,
                         double *ledger) {
  ff_vec3 t1 = point->t1, t2 = point->t2;
  double paid = 0, rate[2];
  if (contact) {
    ff_quasi_shear(contact, shear);
  } else {
    for (int i = 0; i < 2; i++) {
      const double load[2] = {at->shear_held[0] - at->leans[0] * point->deflection,
                              at->shear_held[1] - at->leans[1] * point->deflection};
      shear[i] = left_of(quasi, dot2(at->ease[i], load));
    }
  }
  for (int i = 0; i < 2; i++) {
    rate[i] = (shear[i] - at->before[i]) / quasi->h;
    paid += contact ? contact->cone->e[i] * contact->e.z[1 + i] * (shear[i] - at->before[i]) : 0;
  }
  point->shear = v3_axpy(v3_scale(shear[0], t1), shear[1], t2);
  bool slides = contact && layer->series;
  point->shear_rate = slides ? v3_axpy(v3_scale(rate[0], t1), rate[1], t2) : v3(0, 0, 0);
  if (layer->series) {
    ledger[FF_Y_PAID] += paid;
    ledger[FF_Y_LOST + FF_LOST_SLIP] -= paid; /* what sheared did not slide */
  }
}

void ff_quasi_layer_settle(const ff_quasi *quasi, const ff_layer *layer,
                           const ff_quasi_contact *contact, ff_point *point, double *ledger) {
  ff_quasi_layer fresh;
  if (!contact) {
    ff_quasi_layer_prepare(quasi, layer, point, point->t1, point->t2, 1, &fresh);
  }
  const ff_quasi_layer *at = contact ? &contact->state : &fresh;
  double a = point->deflection - point->deflection_b, b = point->deflection_b, slope;
  double depth = point->touching ? point->patch.depth : 0, before = point->energy_n, shear[2] = {0};
  bool pressed = depth > at->relaxed;
  int teller;
  point->deflection = pressed ? greater(depth, 0) : left_of(quasi, greater(at->relaxed, 0));
  if (layer->stiffness_b > 0) {
    point->deflection_b = share(at, layer, point->deflection, &teller, &slope);
  }
  if (layer->sheared) {
    settle_shear(quasi, at, layer, pressed ? contact : NULL, shear, point, ledger);
  }
  store(layer, point, shear);
  double rate = (point->deflection - point->deflection_b - a) / quasi->h;
  double rate_b = (point->deflection_b - b) / quasi->h;
  double lost = quasi->h * (layer->damping * rate * rate + layer->damping_b * rate_b * rate_b);
  lost = pressed ? lost : before - point->energy_n;
  /* without a damper it is the step that loses */
  ledger[FF_Y_LOST + FF_LOST_NORMAL] += layer->damping + layer->damping_b > 0 ? lost : 0;
}
