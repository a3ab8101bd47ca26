/* Choice of the midpoint-implicit or start-of-step treatment of contacts in fixed steps. */
#include "model/model.h"
#include "tree/tree.h"

/* Does a robot have a spring evaluated at the start of the step? */
static bool is_sprung(const ff_model_robot *robot) {
  bool found = false;
  for (int j = 0; j < robot->joint_count; j++) {
    found = found || (robot->joints[j].explicit_drive && robot->joints[j].stiffness > 0);
  }
  for (int i = 1; i < robot->tree->count; i++) {
    const ff_joint_def *joint = &robot->tree->links[i].joint;
    found = found || joint->stiffness > 0 || joint->limit_stiffness > 0;
  }
  return found;
}

/* Does a step need forces at its midpoint? Contacts held at the start would gain energy along the
 * path if there are springs beside them, or overlaps, whose volume is that of the evaluated pose,
 * or samples, whose weights and normals change as bodies rotate; prescribed bodies move on. */
static bool wants_middle(const ff_model *model) {
  bool found = model->drive_count > 0 || model->flat_pairs_touch;
  for (int i = 0; i < model->binding_count; i++) {
    found = found || !model->bindings[i].grips || model->bindings[i].overlaps;
  }
  for (int i = 0; i < model->body_count; i++) {
    found = found || model->bodies[i].kind == FF_BODY_PRESCRIBED;
  }
  for (int r = 0; r < model->robot_count; r++) {
    found = found || is_sprung(&model->robots[r]);
  }
  return found;
}

/* Friction needs held contacts; not where constraints would not be coupled to them, unless a law
 * requires it. */
ff_holding ff_model_holding(const ff_model *model) {
  bool held = false, rubs = false;
  if (!model->stepper->midpoint_contacts) {
    return FF_HOLDS_NOTHING;
  }
  for (int i = 0; i < model->binding_count; i++) {
    const ff_binding *binding = &model->bindings[i];
    held = held || binding->held;
    rubs = rubs || (binding->grips && !binding->frictionless);
  }
  if (!held && (!rubs || model->constraint_count > 0)) {
    return FF_HOLDS_NOTHING;
  }
  return held || wants_middle(model) ? FF_HOLDS_IN_MIDDLE : FF_HOLDS_AT_START;
}
