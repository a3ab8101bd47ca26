/* What a law costs: against plain C loops of the same formula, measured in the same run.
 *
 * plain:    force[i] = k x^n (1 + 1.5 alpha v), nothing else; x^1.5 as x sqrt(x)
 * batch:    ff_law_normal_forces, which also tests for contact and never pulls
 * call:     ff_law_normal, one contact at a time: force, energy and derivatives
 *
 * Each figure is the best of many short rounds, plain and library in turn, so that both
 * see the same machine. The target of a batch is a ratio of 1.5 and 20 ns (n = 1) or 60 ns
 * (n = 1.5); a call, which gives more than the force, has that of the time.
 */
#include "clock.h"
#include "footfall/law.h"
#include "targets.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>

enum { COUNT = 1024, REPEATS = 200, ROUNDS = 60 };

static double depth[COUNT], rate[COUNT], force[COUNT];

static const double stiffness = 1e4, dissipation = 0.4;

/* ---- the peers: loops as anyone would write them ----------------------------------- */

typedef void (*plain_fn)(double k, double alpha, const double *x, const double *v, double *f,
                         int count);

static void linear_loop(double k, double alpha, const double *x, const double *v, double *f,
                        int count) {
  for (int i = 0; i < count; i++) {
    f[i] = k * x[i] * (1 + 1.5 * alpha * v[i]);
  }
}

static void sqrt_loop(double k, double alpha, const double *x, const double *v, double *f,
                      int count) {
  for (int i = 0; i < count; i++) {
    f[i] = k * x[i] * sqrt(x[i]) * (1 + 1.5 * alpha * v[i]);
  }
}

static void pow_loop(double k, double alpha, const double *x, const double *v, double *f,
                     int count) {
  for (int i = 0; i < count; i++) {
    f[i] = k * pow(x[i], 1.5) * (1 + 1.5 * alpha * v[i]);
  }
}

/* Parameters and length are known at run time only, as they are to the library. */
static void plain(plain_fn loop) {
  plain_fn volatile call = loop;
  call(stiffness, dissipation, depth, rate, force, COUNT);
}
static void plain_linear(void) {
  plain(linear_loop);
}
static void plain_sqrt(void) {
  plain(sqrt_loop);
}
static void plain_pow(void) {
  plain(pow_loop);
}

/* ---- the library ---------------------------------------------------------------------- */

static const ff_law *law;
static ff_law_params params;

static void library_batch(void) {
  ff_law_normal_forces(law, &params, depth, rate, force, COUNT);
}

static void library_call(void) {
  ff_patch patch = {0};
  ff_normal normal;
  for (int i = 0; i < COUNT; i++) {
    patch.depth = depth[i];
    patch.depth_rate = rate[i];
    ff_law_normal(law, &params, &patch, &normal);
    force[i] = normal.force;
  }
}

/* ---- measuring ---------------------------------------------------------------------------- */

typedef void (*loop_fn)(void);

/* Seconds an evaluation in one round; a call through a volatile pointer cannot be left out. */
static double round_of(loop_fn loop) {
  loop_fn volatile call = loop;
  double start = now();
  for (int i = 0; i < REPEATS; i++) {
    call();
  }
  return (now() - start) / ((double)REPEATS * COUNT);
}

/* Prints one row with what is asked of it: ratio and time (ns). A single call gives energy and
 * slopes too: only its time is judged, its ratio is there to be seen. */
static void compare(const char *what, loop_fn library, const char *peer_name, loop_fn peer,
                    double ratio, double time) {
  double best_library = INFINITY, best_peer = INFINITY;
  for (int i = 0; i < ROUNDS; i++) {
    best_peer = fmin(best_peer, round_of(peer));
    best_library = fmin(best_library, round_of(library));
  }
  bool met = best_library <= ratio * best_peer && 1e9 * best_library <= time;
  char wanted[64];
  if (isinf(ratio)) {
    snprintf(wanted, sizeof wanted, "at most %g ns, any ratio", time);
  } else {
    snprintf(wanted, sizeof wanted, "at most %g ns, ratio %g", time, ratio);
  }
  printf("%-28s %6.2f ns  %-18s %6.2f ns  ratio %5.2f  %s: %s\n", what, 1e9 * best_library,
         peer_name, 1e9 * best_peer, best_library / best_peer, wanted, target(met));
}

static int use(const char *name, double n) {
  law = ff_law_find(FF_LAW_NORMAL, name);
  if (!law) {
    return 1;
  }
  ff_law_params_default(law, &params);
  return ff_law_params_set(law, &params, "k", stiffness, NULL) ||
         ff_law_params_set(law, &params, "n", n, NULL) ||
         ff_law_params_set(law, &params, "alpha", dissipation, NULL) ||
         ff_law_params_resolve(law, &params, NULL, NULL);
}

int main(void) {
  for (int i = 0; i < COUNT; i++) {
    depth[i] = 1e-3 * (1 + i % 37);
    rate[i] = 0.5 * sin(0.1 * i);
  }
  if (use("hunt-crossley", 1)) {
    return 1;
  }
  compare("hunt-crossley n=1, batch", library_batch, "plain loop", plain_linear, 1.5, 20);
  compare("hunt-crossley n=1, call", library_call, "plain loop", plain_linear, INFINITY, 20);
  if (use("hunt-crossley", 1.5)) {
    return 1;
  }
  compare("hunt-crossley n=1.5, batch", library_batch, "plain loop, sqrt", plain_sqrt, 1.5, 60);
  compare("hunt-crossley n=1.5, batch", library_batch, "plain loop, pow", plain_pow, 1.5, 60);
  compare("hunt-crossley n=1.5, call", library_call, "plain loop, sqrt", plain_sqrt, INFINITY, 60);
  return targets_end();
}
