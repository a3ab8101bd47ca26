/* Choice of midpoint-implicit contacts. */
#include "model/model.h"

bool ff_model_is_midpoint(const ff_model *model) {
  bool held = false, rubs = false;
  for (int i = 0; i < model->binding_count; i++) {
    const ff_binding *binding = &model->bindings[i];
    held = held || binding->held;
    rubs = rubs || (binding->grips && !binding->frictionless);
  }
  return model->stepper->midpoint_contacts && (held || (rubs && model->constraint_count == 0));
}
