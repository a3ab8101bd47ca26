/* What volumetric contact costs: one full evaluation for an ellipsoid on a plane (overlap,
 * normal force, rolling resistance, friction, spin) against Simbody's elastic foundation on a
 * mesh of the same ellipsoid, fine enough for 1 %. Without Simbody only this library is timed.
 */
#include <math.h>
#include <stdio.h>

#include "clock.h"
#include "footfall/footfall.h"
#include "targets.h"
#ifdef FOOTFALL_SIMBODY
#include "simbody_peer.h"
#endif

enum { COUNT = 1000, ROUNDS = 300 };

static const ff_law *normal_law, *friction_law;
static ff_law_params normal_params, friction_params;
static const double axes[3] = {0.12, 0.07, 0.05}, stiffness = 1e7, mu = 0.5, height = 0.06;
/* The plane's normal seen from the shape, which is turned by 0.3 about (1, 2, 0.5). */
static const ff_vec3 up = {0.08149, 0.98937, -0.12046};

/* Force on the ellipsoid with the plane this far below its centre, N. */
static double evaluate(double below) {
  ff_volume_def def = {.kind = FF_ELLIPSOID,
                       .size = {axes[0], axes[1], axes[2]},
                       .point = {-below * up.x, -below * up.y, -below * up.z},
                       .normal = up};
  ff_volume volume;
  ff_normal normal;
  ff_friction friction;
  if (ff_volume_compute(&volume, &def, NULL) != FF_OK) {
    return NAN;
  }
  ff_patch patch = ff_volume_patch(&volume, (ff_vec3){0.1, -0.1, 0.02}, (ff_vec3){1, 2, 3});
  ff_law_normal(normal_law, &normal_params, &patch, &normal);
  ff_law_friction(friction_law, &friction_params, &patch, &normal, NULL, &friction);
  return normal.force + 0 * friction.force[0] + 0 * friction.moment[0];
}

/* Seconds an evaluation, best of many short rounds. */
static double measure(double *force) {
  double best = INFINITY;
  for (int round = 0; round < ROUNDS; round++) {
    double start = now();
    for (int i = 0; i < COUNT; i++) {
      *force = evaluate(height + 1e-9 * i);
    }
    best = fmin(best, (now() - start) / COUNT);
  }
  return best;
}

/* Seconds of friction alone, summed over the patch: its edges, and the law. */
static double measure_coupled(void) {
  ff_law_params params = friction_params;
  ff_volume_def def = {.kind = FF_ELLIPSOID,
                       .size = {axes[0], axes[1], axes[2]},
                       .point = {-height * up.x, -height * up.y, -height * up.z},
                       .normal = up};
  ff_volume volume;
  ff_friction friction;
  ff_edge edges[FF_EDGES_MAX];
  if (ff_law_params_set(friction_law, &params, "coupled", 1, NULL) ||
      ff_law_params_resolve(friction_law, &params, NULL, NULL) ||
      ff_volume_compute(&volume, &def, NULL)) {
    return NAN;
  }
  ff_patch patch = ff_volume_patch(&volume, (ff_vec3){0.1, -0.1, 0.02}, (ff_vec3){1, 2, 3});
  double best = INFINITY;
  for (int round = 0; round < ROUNDS; round++) {
    double start = now();
    for (int i = 0; i < COUNT / 50; i++) {
      patch.edge_count = ff_volume_edges(&def, edges);
      patch.edges = edges;
      ff_law_friction(friction_law, &params, &patch, &(ff_normal){.force = 1}, NULL, &friction);
    }
    best = fmin(best, (now() - start) / (COUNT / 50));
  }
  return best;
}

static int prepare(void) {
  normal_law = ff_law_find(FF_LAW_NORMAL, "volumetric");
  friction_law = ff_law_find(FF_LAW_FRICTION, "continuous");
  if (!normal_law || !friction_law) {
    return 1;
  }
  ff_law_params_default(normal_law, &normal_params);
  ff_law_params_default(friction_law, &friction_params);
  return ff_law_params_set(normal_law, &normal_params, "k_V", stiffness, NULL) ||
         ff_law_params_set(normal_law, &normal_params, "a_V", 0.5, NULL) ||
         ff_law_params_set(friction_law, &friction_params, "mu_s", mu, NULL) ||
         ff_law_params_set(friction_law, &friction_params, "v_t", 0.1, NULL) ||
         ff_law_params_resolve(normal_law, &normal_params, NULL, NULL) ||
         ff_law_params_resolve(friction_law, &friction_params, NULL, NULL);
}

int main(void) {
  if (prepare()) {
    return 1;
  }
  double force, own = measure(&force);
  printf("volumetric ellipsoid, all forces   %8.1f ns  (at most 200 wanted: %s)  %.6g N\n",
         1e9 * own, target(own <= 200e-9), force);
  printf("its friction summed over the patch %8.0f ns  (coupled)\n", 1e9 * measure_coupled());
#ifdef FOOTFALL_SIMBODY
  simbody_peer peer = simbody_elastic_foundation(axes, stiffness, mu, height);
  if (!(peer.seconds > 0)) {
    printf("Simbody: no mesh stands to 1 %%\n");
    return 1;
  }
  printf("Simbody elastic foundation         %8.0f ns  %d faces, %.2g %% off its finest  %.6g N\n",
         1e9 * peer.seconds, peer.faces, 100 * fabs(peer.off), peer.force);
  printf("ratio Simbody / Footfall           %8.0f     (at least 100 wanted: %s)\n",
         peer.seconds / own, target(peer.seconds >= 100 * own));
#else
  printf("Simbody was not found (Debian: libsimbody-dev, g++): no ratio\n");
#endif
  return targets_end();
}
