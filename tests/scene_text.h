/* Scenes written in tests. */
#ifndef FF_TESTS_SCENE_TEXT_H
#define FF_TESTS_SCENE_TEXT_H

#include "channels.h"

#ifndef SCENES_BESIDE
#define SCENES_BESIDE FF_SOURCE_DIR "/scenes/test.yaml" /* where robots/ is found from */
#endif

/* A scene from text, as if it lay beside the others. */
static inline ff_model *model_of(const char *text, const char *setting) {
  ff_scene *scene = NULL;
  ff_model *model = NULL;
  ff_report report = {.line = 0};
  const char *const settings[] = {setting};
  ff_status status =
      ff_scene_parse(&scene, text, strlen(text), SCENES_BESIDE, settings, setting ? 1 : 0, &report);
  status = status == FF_OK ? ff_model_build(&model, scene, &report) : status;
  if (status != FF_OK) {
    print_error("%s:%d: %s: %s\n", report.file, report.line, report.key, report.what);
    fail();
  }
  ff_scene_destroy(&scene);
  return model;
}

static inline ff_sim *sim_of(ff_model **model, const char *text, const char *setting) {
  ff_sim *sim = NULL;
  *model = model_of(text, setting);
  assert_int_equal(ff_sim_create(&sim, *model), FF_OK);
  return sim;
}

static inline void end(ff_sim *sim, ff_model *model) {
  ff_sim_destroy(&sim);
  ff_model_destroy(&model);
}

#endif
