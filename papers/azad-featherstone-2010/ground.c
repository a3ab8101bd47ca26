/* The ground that recovers after the sphere has left it, Sec. 2.2 and Fig. 5; the clutch before and
 * while it slips, Sec. 3; a foot of spheres, Sec. 5. */
#include "azad.h"

#include <math.h>

typedef struct ground_part {
  double quick,
      late;     /* difference of the second peak by Eq. 14 from the ground with its own state */
  double ratio; /* K_t / K_n by Eqs. 4 and 20, integrated */
  double creep,
      back;       /* under 0.4 of the cone: u K_t sqrt(z) over the load; u when unloaded, over it */
  double viscous; /* change of the slipping force per m/s of clutch, over C_V */
  const ff_trace *foot;
  double bearing; /* spheres in contact at the end */
} ground_part;

/* ---- the ground as a system of its own ------------------------------------------------------- */

static const double step = 2e-7; /* s */

/* Sphere at depth z and speed v, ground deformed to w. */
typedef struct strike {
  double z, v, w;
} strike;

/* Force of the ground where it touches the sphere, Eq. 13. */
static double press(double z, double v) {
  return z > 0 ? AZAD_K * z * sqrt(z) + AZAD_D * sqrt(z) * v : 0;
}

/* One step of the midpoint rule; own: the ground keeps its own deformation after the force has
 * ended (it recovers by K w + D w' = 0), else it follows the sphere, Eq. 14. Returns the force. */
static double advance(strike *s, bool own) {
  double z = s->z + 0.5 * step * s->v;
  bool touches = z > 0 && (!own || s->z >= s->w);
  double force = touches ? fmax(press(z, s->v), 0) : 0;
  double v = s->v - 0.5 * step * force / AZAD_MASS;
  z = s->z + 0.5 * step * v;
  force = touches ? fmax(press(z, v), 0) : 0;
  s->v -= step * force / AZAD_MASS;
  s->z += step * v;
  double free = s->w * exp(-step * AZAD_K / AZAD_D);
  s->w = force > 0 ? fmax(s->z, 0) : own ? free : fmax(s->z, 0);
  return force;
}

/* Peak force of a second landing at 1 m/s: the sphere is thrown back when the force of the first
 * has been over for this long. */
static double second_peak(bool own, double pause) {
  strike s = {.v = 1};
  double peak = 0;
  while (advance(&s, own) > 0 || s.v > 0) {
  }
  for (double t = 0; t < pause; t += step) {
    advance(&s, own);
  }
  s.v = 1;
  for (double t = 0; t < 4 * pause + 3e-3; t += step) {
    peak = fmax(peak, advance(&s, own));
  }
  return peak;
}

/* ---- the clutch ------------------------------------------------------------------------------ */

/* K_t / K_n: Eq. 20 and Eq. 4 with K_A = zeta^-1/2, by the midpoint rule in the root of zeta. */
static double stiffness_ratio(void) {
  enum { PIECES = 1000 };
  double normal = 0, tangent = 0; /* of K_A A and of K_A over the area, in units of 2 pi r */
  for (int i = 0; i < PIECES; i++) {
    double root = (i + 0.5) / PIECES, zeta = root * root, width = 2 * root / PIECES;
    normal += (1 - zeta) / root * width;
    tangent += 1 / root * width;
  }
  return tangent / normal;
}

static const ff_law *clutch(ff_reproduction *study, ff_law_params *params) {
  static const char *const names[] = {"K", "D", "mu", "viscous"};
  static const double values[] = {1.5 * AZAD_K, AZAD_D, 0.2, 0.1};
  ff_report report = {0};
  const ff_law *law;
  ff_status status = ff_law_lookup(&law, FF_LAW_FRICTION, "bristle-clutch", &report);
  if (status == FF_OK) {
    ff_law_params_default(law, params);
  }
  for (int i = 0; i < 4 && status == FF_OK; i++) {
    status = ff_law_params_set(law, params, names[i], values[i], &report);
  }
  status = status == FF_OK ? ff_law_params_resolve(law, params, NULL, &report) : status;
  if (status != FF_OK) {
    study->fail(study->context, status, &report);
  }
  return law;
}

/* A point at a depth of 0.1 mm under 100 N. Loaded by 8 N it moves until the bristle bears the load
 * (its damper sets the speed), and back when the load is gone; pulled along it slips. */
static void try_clutch(ff_reproduction *study, ground_part *part) {
  ff_law_params params;
  const ff_law *law = clutch(study, &params);
  const double depth = 1e-4, load = 8, root = sqrt(depth), rate = 1.5 * AZAD_K / AZAD_D;
  const ff_normal normal = {.force = 100};
  double u[FF_MEMORY_MAX] = {0}, loaded = 0;
  const int steps = 4000;
  for (int i = 0; i < 2 * steps; i++) {
    double push = i < steps ? load : 0;
    /* The speed at which the stick force of Eq. 22 balances the load. */
    double speed = (push - 1.5 * AZAD_K * root * u[0]) / (AZAD_D * root);
    ff_friction out;
    ff_law_friction(law, &params, &(ff_patch){.depth = depth, .slip = {speed, 0}}, &normal, u,
                    &out);
    u[0] += out.memory_rate[0] * 0.01 / rate;
    loaded = i == steps - 1 ? u[0] : loaded;
  }
  part->creep = 1.5 * AZAD_K * root * loaded / load;
  part->back = u[0] / loaded;
  double force[2], clutch_speed[2];
  for (int i = 0; i < 2; i++) {
    ff_friction out;
    double slip = 1 + i, still[FF_MEMORY_MAX] = {0};
    ff_law_friction(law, &params, &(ff_patch){.depth = depth, .slip = {slip, 0}}, &normal, still,
                    &out);
    force[i] = -out.force[0];
    clutch_speed[i] = slip - out.memory_rate[0];
  }
  part->viscous = (force[1] - force[0]) / (clutch_speed[1] - clutch_speed[0]) / 0.1;
}

/* ---- a foot of spheres ----------------------------------------------------------------------- */

static void *compute_part(ff_reproduction *study) {
  static const char *const count[] = {"contact.foot:floor.count"};
  ground_part *part = ff_reproduction_alloc(study, 1, sizeof *part);
  part->quick = fabs(second_peak(false, 1e-4) / second_peak(true, 1e-4) - 1);
  part->late =
      fabs(second_peak(false, 20 * AZAD_D / AZAD_K) / second_peak(true, 20 * AZAD_D / AZAD_K) - 1);
  part->ratio = stiffness_ratio();
  try_clutch(study, part);
  part->foot = ff_reproduction_run(study, &(ff_trial){.scene = "scenes/foot-of-spheres.yaml",
                                                      .channels = count,
                                                      .channel_count = 1,
                                                      .samples = 101});
  part->bearing = part->foot->channels[0][part->foot->rows - 1];
  return part;
}

static void report_part(ff_reproduction *study, const void *computed) {
  const ground_part *part = computed;
  ff_reproduction_judge(study, "quick-second-bounce",
                        ff_reproduction_text(study,
                                             "second peak off by %.1f %% if it lands after 0.1 ms, "
                                             "by %.1g when the ground has recovered",
                                             100 * part->quick, part->late),
                        part->quick, part->late);
  ff_reproduction_judge(study, "stiffness-ratio", ff_reproduction_text(study, "%.9f", part->ratio),
                        part->ratio);
  ff_reproduction_judge(study, "pre-sliding",
                        ff_reproduction_text(study,
                                             "deflection bears %.6f of the load, %.1g of it is "
                                             "left without",
                                             part->creep, part->back),
                        part->creep, part->back);
  ff_reproduction_judge(study, "viscous", ff_reproduction_text(study, "%.9f C_V", part->viscous),
                        part->viscous);
  const ff_audit *audit = &part->foot->audit;
  ff_reproduction_judge(study, "union-of-spheres",
                        ff_reproduction_text(study, "%g spheres bear it; energy within %.1g",
                                             part->bearing,
                                             audit->energy_residual / audit->energy_scale),
                        part->bearing, audit->energy_residual / audit->energy_scale);
}

const ff_paper_part azad_ground = {.compute = compute_part, .report = report_part};
