/* Compliant layers for tests of the stepper `quasi-rigid`. */
#ifndef FF_TESTS_LAYERS_H
#define FF_TESTS_LAYERS_H

#include "worlds.h"

#include <stdio.h>

typedef struct layer_of {
  double k, c, max_deflection, mu, e_r;
} layer_of;

/* One of many: e0, e1, ..., of a kilogram, as long as a hand. */
static inline void scene_pebble(ff_scene *scene, int i, ff_vec3 position, ff_quat orientation) {
  char name[16];
  snprintf(name, sizeof name, "e%d", i);
  ff_body_def def = ff_body_def_default();
  def.name = name;
  def.mass = 1;
  def.position = position;
  def.orientation = orientation;
  scene_solid(scene, &def, FF_ELLIPSOID, (ff_vec3){0.13, 0.1, 0.08});
}

/* With further parameters of the layer. */
static inline void scene_layer_with(ff_scene *scene, const char *a, const char *b, layer_of l,
                                    const char *const *more, const double *more_values, int count) {
  const char *names[20] = {"k", "c", "max_deflection"}, *friction[] = {"mu", "e_r"};
  double values[20] = {l.k, l.c, l.max_deflection}, mu[] = {l.mu, l.e_r};
  int given = isfinite(l.max_deflection) ? 3 : 2;
  for (int i = 0; i < count; i++) {
    names[given] = more[i];
    values[given++] = more_values[i];
  }
  ff_contact_def def = ff_contact_def_default();
  def.a = a;
  def.b = b;
  def.normal = (ff_law_choice){"quasi-rigid", names, values, given};
  if (l.mu > 0) {
    def.friction = (ff_law_choice){"ellipsoidal", friction, mu, 2};
  }
  assert_int_equal(ff_scene_add_contact(scene, &def), FF_OK);
}

static inline void scene_layer(ff_scene *scene, const char *a, const char *b, layer_of l) {
  scene_layer_with(scene, a, b, l, NULL, NULL, 0);
}

#endif
