/* Shapes, poses and motions that the geometry tests share. */
#ifndef FF_TESTS_GEOM_FIXTURE_H
#define FF_TESTS_GEOM_FIXTURE_H

#include "geom/manifold.h"
#include "math/vec.h"
#include "testing.h"

/* One pair of every kind that can touch. */
typedef struct geom_pair {
  ff_geom a, b;
} geom_pair;

static const geom_pair geom_pairs[] = {
    {{.kind = FF_SPHERE, .size = {0.3, 0, 0}}, {.kind = FF_HALF_SPACE, .size = {0, 0, 0}}},
    {{.kind = FF_ELLIPSOID, .size = {0.2, 0.5, 0.35}}, {.kind = FF_HALF_SPACE, .size = {0, 0, 0}}},
    {{.kind = FF_BOX, .size = {0.2, 0.5, 0.35}}, {.kind = FF_HALF_SPACE, .size = {0, 0, 0}}},
    {{.kind = FF_CAPSULE, .size = {0.2, 0.4, 0}}, {.kind = FF_HALF_SPACE, .size = {0, 0, 0}}},
    {{.kind = FF_CYLINDER, .size = {0.3, 0.4, 0}}, {.kind = FF_HALF_SPACE, .size = {0, 0, 0}}},
    {{.kind = FF_SPHERE, .size = {0.3, 0, 0}}, {.kind = FF_SPHERE, .size = {0.5, 0, 0}}},
    {{.kind = FF_SPHERE, .size = {0.3, 0, 0}}, {.kind = FF_ELLIPSOID, .size = {0.2, 0.5, 0.35}}},
    {{.kind = FF_ELLIPSOID, .size = {0.4, 0.3, 0.5}},
     {.kind = FF_ELLIPSOID, .size = {0.2, 0.5, 0.35}}},
    {{.kind = FF_SPHERE, .size = {0.3, 0, 0}}, {.kind = FF_CAPSULE, .size = {0.2, 0.4, 0}}},
    {{.kind = FF_SPHERE, .size = {0.3, 0, 0}}, {.kind = FF_BOX, .size = {0.2, 0.5, 0.35}}},
    {{.kind = FF_SPHERE, .size = {0.3, 0, 0}}, {.kind = FF_CYLINDER, .size = {0.3, 0.4, 0}}},
    {{.kind = FF_CAPSULE, .size = {0.3, 0.2, 0}}, {.kind = FF_CAPSULE, .size = {0.2, 0.4, 0}}},
};
enum { GEOM_PAIRS = sizeof geom_pairs / sizeof geom_pairs[0] };

static inline ff_vec3 random_vec(uint64_t *seed, double reach) {
  double x = ff_random_in(seed, -reach, reach), y = ff_random_in(seed, -reach, reach);
  return v3(x, y, ff_random_in(seed, -reach, reach));
}

static inline ff_pose random_pose(uint64_t *seed, double reach) {
  ff_vec3 position = random_vec(seed, reach);
  return (ff_pose){position, q_exp(random_vec(seed, 3))};
}

/* The samples of a manifold. Returns their number. */
static inline int contact_samples(const ff_geom *a, const ff_pose *pose_a, const ff_geom *b,
                                  const ff_pose *pose_b, double margin,
                                  ff_sample out[FF_SAMPLES_MAX]) {
  ff_manifold found;
  found.normal = v3(0, 0, 0);
  int count = ff_manifold_find(a, pose_a, b, pose_b, margin, &found);
  for (int i = 0; i < count; i++) {
    out[i] = found.samples[i];
  }
  return count;
}

#endif
