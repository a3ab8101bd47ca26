/* Laws of contacts that no rule names, from materials, masses and shapes (docs/materials.md).
 *
 *   round shapes      Hertz: f = 4/3 E* sqrt(R) x^1.5 [Johnson85 ch. 4]
 *   flat and edged    rigid punch of radius a: f = 2 E* a x [Johnson85 eq. 3.36]; a is the mean
 * half width of the smaller shape. A face has four law units (geom/manifold.h), so one has k = E* a
 * / 2 dissipation       alpha of the materials, e = 1 - alpha v [Marhefka96 eq. 5] friction
 * `coulomb` with the coefficients of the materials; of `quasi-rigid`, whose cone has one
 * coefficient, the kinetic one
 *
 * Steppers that solve for impulses need a linear spring and damper. Its stiffness stores the same
 * energy at the largest depth of an impact at the reference speed v = sqrt(2 g a), a fall from the
 * height of the body's own half width, but is at most what the step resolves, h sqrt(k/m) = 0.5;
 * its damping has the restitution of that impact. */
#include "math/vec.h"
#include "model/build.h"

#include <math.h>

#define LEAST_RESTITUTION 0.05 /* 1, of the linear damper: 1 - alpha v may be negative */
#define FLAT_UNITS        4.0  /* law units of a face */
#define RESOLVED          0.5  /* rad, step times frequency of the stiffest linear spring */

/* Stiffness k (N/m^n) and exponent n of the force at a depth. */
typedef struct power_law {
  double k, n;
} power_law;

static power_law elastic_contact(const ff_pair *pair, double size) {
  double radius = pair->radius > 0 ? pair->radius : pair->mean_radius;
  if (radius > 0 && isfinite(radius)) {
    return (power_law){4.0 / 3.0 * pair->young * sqrt(radius), 1.5};
  }
  return (power_law){2.0 * pair->young * size / FLAT_UNITS, 1};
}

/* m, depth at which k x^(n+1) / (n+1) equals the kinetic energy. */
static double impact_depth(power_law law, double mass, double speed) {
  double ratio = 0.5 * mass * speed * speed * (law.n + 1) / law.k;
  return law.n == 1 ? sqrt(ratio) : ff_pow(ratio, 1 / (law.n + 1));
}

/* Linear spring and damper for an impact at a speed. */
static void linear_contact(power_law law, const ff_pair *pair, double mass, double speed,
                           double step, double *k, double *c) {
  double depth = impact_depth(law, mass, speed);
  *k = law.n == 1 ? law.k : 2 / (law.n + 1) * law.k * ff_pow(depth, law.n - 1);
  *k = lesser(*k, mass * (RESOLVED / step) * (RESOLVED / step));
  double alpha = isnan(pair->dissipation) ? 0 : pair->dissipation;
  double restitution = greater(LEAST_RESTITUTION, 1 - alpha * speed);
  double log_e = ff_log(restitution), pi = 3.14159265358979323846;
  double ratio = -log_e / sqrt(pi * pi + log_e * log_e); /* of critical damping */
  *c = 2 * ratio * sqrt(*k * mass);
}

bool ff_default_contact_make(ff_default_contact *out, const ff_pair *pair, double size, double mass,
                             const ff_run_def *run, ff_contact_method contacts) {
  if (isnan(pair->young)) {
    return false;
  }
  *out = (ff_default_contact){.def = ff_contact_def_default()};
  power_law law = elastic_contact(pair, size);
  const char *normal = "hunt-crossley", *second = "n";
  out->values[0] = law.k;
  out->values[1] = law.n; /* alpha is that of the materials */
  if (contacts != FF_CONTACTS_BY_FORCE) {
    double g = v3_norm(run->gravity), speed = g > 0 ? sqrt(2 * g * size) : 1;
    linear_contact(law, pair, mass, speed, run->stepper.step, &out->values[0], &out->values[1]);
    normal = contacts == FF_CONTACTS_BY_LAYER ? "quasi-rigid" : "elastic";
    second = "c";
  }
  out->names[0] = "k";
  out->names[1] = second;
  out->def.normal = (ff_law_choice){normal, out->names, out->values, 2};
  out->def.friction.law = isnan(pair->mu_static) ? "none" : "coulomb";
  if (contacts == FF_CONTACTS_BY_LAYER && !isnan(pair->mu_static)) {
    out->names[2] = "mu_static"; /* its cone has one coefficient */
    out->names[3] = "mu_kinetic";
    out->values[2] = isnan(pair->mu_kinetic) ? pair->mu_static : pair->mu_kinetic;
    out->values[3] = out->values[2];
    out->def.friction = (ff_law_choice){"coulomb", out->names + 2, out->values + 2, 2};
  }
  return true;
}
