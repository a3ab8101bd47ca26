/* Why ellipsoids, Sec. 2: how closely the best sphere and the best ellipsoid match other solids. */
#include "brown.h"

#include <math.h>

enum { SOLIDS = 3, UNKNOWNS = 4 };

/* Semi-axes along x, y and z, and height of the centre. */
typedef struct guess {
  double value[UNKNOWNS];
} guess;

typedef struct likeness_part {
  double sphere[SOLIDS], ellipsoid[SOLIDS]; /* 1, misfits */
} likeness_part;

static const char *const names[SOLIDS] = {"box of a shoe", "capsule of a toe", "half of an egg"};
static const double half[SOLIDS][3] = {{0.13, 0.05, 0.03}, {0.025, 0.01, 0.01}, {0.05, 0.03, 0.03}};

/* Half of the extent along z, and its middle, from which the searches start. */
static const double high[SOLIDS] = {0.03, 0.01, 0.015}, middle[SOLIDS] = {0, 0, 0.015};

static bool is_in_solid(int solid, const double *x) {
  const double *h = half[solid];
  if (solid == 0) {
    return fabs(x[0]) <= h[0] && fabs(x[1]) <= h[1] && fabs(x[2]) <= h[2];
  }
  if (solid == 1) {
    double along = fmax(fabs(x[0]) - (h[0] - h[1]), 0);
    return along * along + x[1] * x[1] + x[2] * x[2] <= h[1] * h[1];
  }
  double a = x[0] / h[0], b = x[1] / h[1], c = x[2] / h[2];
  return x[2] >= 0 && a * a + b * b + c * c <= 1;
}

static bool is_in_guess(const guess *g, const double *x) {
  double a = x[0] / g->value[0], b = x[1] / g->value[1], c = (x[2] - g->value[3]) / g->value[2];
  return a * a + b * b + c * c <= 1;
}

/* Volume that is in one of them only, over that of the solid: points of a grid. */
static double misfit(int solid, const guess *g, int side) {
  double reach = 1.1 * half[solid][0];
  long differ = 0, inside = 0;
  for (long i = 0; i < (long)side * side * side; i++) {
    const long at[3] = {i % side, i / side % side, i / side / side};
    double x[3];
    for (int k = 0; k < 3; k++) {
      x[k] = (2 * ((double)at[k] + 0.5) / side - 1) * reach;
    }
    bool solid_here = is_in_solid(solid, x);
    inside += solid_here;
    differ += solid_here != is_in_guess(g, x);
  }
  return (double)differ / (double)inside;
}

/* Coordinate search with steps that shrink; sphere: the semi-axes are one unknown. */
static double best_misfit(int solid, bool sphere, int side) {
  const double h[3] = {half[solid][0], half[solid][1], high[solid]};
  double mean = cbrt(h[0] * h[1] * h[2]);
  guess g = {{sphere ? mean : h[0], sphere ? mean : h[1], sphere ? mean : h[2], middle[solid]}};
  double best = misfit(solid, &g, side);
  for (double step = 0.2; step > 0.02; step *= 0.5) {
    for (bool better = true; better;) {
      better = false;
      for (int k = 0; k < 2 * UNKNOWNS; k++) {
        guess other = g;
        double change = k % 2 ? step : -step;
        for (int n = 0; n < 3; n++) {
          other.value[n] *= k / 2 == n || (sphere && k / 2 < 3) ? 1 + change : 1;
        }
        other.value[3] += k / 2 == 3 ? change * h[2] : 0;
        double found = misfit(solid, &other, side);
        if (found < best) {
          best = found;
          g = other;
          better = true;
        }
      }
    }
  }
  return best;
}

static void *compute_part(ff_reproduction *study) {
  likeness_part *part = ff_reproduction_alloc(study, 1, sizeof *part);
  int side = (int)ff_reproduction_samples(study, 41);
  for (int i = 0; i < SOLIDS; i++) {
    part->sphere[i] = best_misfit(i, true, side);
    part->ellipsoid[i] = best_misfit(i, false, side);
  }
  return part;
}

static void report_part(ff_reproduction *study, const void *computed) {
  const likeness_part *part = computed;
  double ratio[SOLIDS];
  for (int i = 0; i < SOLIDS; i++) {
    ratio[i] = part->ellipsoid[i] / part->sphere[i];
    ff_reproduction_number(study, ff_reproduction_text(study, "likeness.%d.ellipsoid", i + 1),
                           part->ellipsoid[i], "1");
  }
  ff_reproduction_judge(
      study, "closer-than-spheres",
      ff_reproduction_text(study,
                           "misfit of ellipsoid and sphere: %s %.2f and %.2f, %s %.2f and %.2f, %s "
                           "%.2f and %.2f of the volume",
                           names[0], part->ellipsoid[0], part->sphere[0], names[1],
                           part->ellipsoid[1], part->sphere[1], names[2], part->ellipsoid[2],
                           part->sphere[2]),
      ratio[0], ratio[1], ratio[2]);
}

const ff_paper_part brown_likeness = {.compute = compute_part, .report = report_part};
