/* Bodies whose contact forces are summed for channels: links and fixed bodies. */
#include "model/build.h"

ff_status ff_build_loads(ff_build *build) {
  ff_model *model = build->model;
  bool *touched = ff_arena_take(&build->scratch, (size_t)model->body_count, sizeof *touched);
  int *list = ff_build_take(build, model->body_count, sizeof *list);
  if (!touched || !list) {
    return FF_ERROR_MEMORY;
  }
  for (int i = 0; i < model->pair_count; i++) {
    touched[model->pairs[i].a] = touched[model->pairs[i].b] = true;
  }
  for (int i = 0; i < model->body_count; i++) {
    ff_body_kind kind = model->bodies[i].kind;
    if (touched[i] && (kind == FF_BODY_FIXED || kind == FF_BODY_LINK)) {
      list[model->loaded_count++] = i;
    }
  }
  model->loaded_bodies = list;
  return FF_OK;
}
