/* Choice of midpoint-implicit contacts. */
#include "model/model.h"

bool ff_model_is_midpoint(const ff_model *model) {
  bool held = false, grips = false;
  for (int i = 0; i < model->binding_count; i++) {
    const ff_binding *binding = &model->bindings[i];
    held = held || binding->held;
    grips = grips || binding->grips;
  }
  return model->stepper->midpoint_contacts && (held || (grips && model->constraint_count == 0));
}
