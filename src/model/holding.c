/* How the contacts of a model are held by fixed steps. */
#include "model/model.h"
#include "tree/tree.h"

/* Has a robot a spring that acts as it was at the start of the step? */
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

/* Is there more to a step than what stands at its start? Springs beside the contacts would gain
 * energy along the path of contacts that are held there, and so would overlaps, whose volume is
 * that of where they are looked at, and samples, whose weights and normals change as bodies turn;
 * bodies that move as told go on. */
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

/* Friction wants to be held; not by what would not feel constraints, unless a law asks for it. */
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
