/* Hertz's contact of spheres under static load, Sec. 2. */
#include "marhefka.h"

/* Slope of log F over log x of the law, and Hertz's depth under its force over its depth, worst. */
typedef struct hertz_part {
  double slope, off;
} hertz_part;

static const double radius_a = 0.05, radius_b = 0.2; /* m */
static const double young_a = 1e7, young_b = 2.1e11, poisson_a = 0.45, poisson_b = 0.3;

/* Approach of two spheres under a force: the displacements of both surfaces at the centre under
 * Hertz's pressure p0 sqrt(1 - r^2/a^2), by Boussinesq's solution, 2/E* int_0^a p dr. The integral
 * is taken numerically. */
static double approach(double force) {
  double modulus =
      1 / ((1 - poisson_a * poisson_a) / young_a + (1 - poisson_b * poisson_b) / young_b);
  double radius = 1 / (1 / radius_a + 1 / radius_b), pi = acos(-1.0);
  double a = cbrt(3 * force * radius / (4 * modulus)), peak = 3 * force / (2 * pi * a * a), sum = 0;
  enum { PIECES = 2000 };
  for (int i = 0; i < PIECES; i++) {
    double angle = 0.5 * pi * (i + 0.5) / PIECES; /* r = a sin(angle) */
    sum += peak * cos(angle) * a * cos(angle) * 0.5 * pi / PIECES;
  }
  return 2 * sum / modulus;
}

static void *compute_part(ff_reproduction *study) {
  static const char *const channels[] = {"contact.body:ground.depth",
                                         "contact.body:ground.force.n"};
  hertz_part *part = ff_reproduction_alloc(study, 1, sizeof *part);
  const ff_trace *trace =
      ff_reproduction_run(study, &(ff_trial){.scene = "papers/marhefka-orin-1996/hertz.yaml",
                                             .channels = channels,
                                             .channel_count = 2,
                                             .samples = 101});
  long first = 0, deepest = 0;
  for (long i = 0; i < trace->rows; i++) {
    double x = trace->channels[0][i], f = trace->channels[1][i];
    first = first == 0 && x > 0 ? i : first;
    deepest = x > trace->channels[0][deepest] ? i : deepest;
    part->off = x > 0 ? fmax(part->off, fabs(approach(f) / x - 1)) : part->off;
  }
  part->slope = log(trace->channels[1][deepest] / trace->channels[1][first]) /
                log(trace->channels[0][deepest] / trace->channels[0][first]);
  return part;
}

static void report_part(ff_reproduction *study, const void *computed) {
  const hertz_part *part = computed;
  ff_reproduction_judge(study, "hertz",
                        ff_reproduction_text(study,
                                             "exponent %.9f; depth under Hertz's pressure agrees "
                                             "to %.1e",
                                             part->slope, part->off),
                        part->slope, part->off);
}

const ff_paper_part marhefka_hertz = {.compute = compute_part, .report = report_part};
