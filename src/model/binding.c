/* Laws of a binding, resolved for a stepper. */
#include "base/report.h"
#include "model/model.h"

#include <string.h>

/* Whether a stepper can solve the laws of a pair, and a description of those it can. */
typedef struct solvable {
  bool normal, friction;
  const char *normal_noun, *friction_noun;
} solvable;

static solvable solve_layer(ff_binding *to) {
  const ff_law *normal = to->normal, *friction = to->friction;
  bool layer = normal->layer && normal->layer(&to->normal_params, &to->layer);
  return (solvable){layer, friction->cone && friction->cone(&to->friction_params, &to->cone),
                    "linear layer", "friction cone"};
}

static solvable solve_ground(ff_binding *to) {
  const ff_law *normal = to->normal, *friction = to->friction;
  solvable out = {normal->ground && normal->ground(&to->normal_params, &to->ground),
                  friction->grip && friction->grip(&to->friction_params, &to->grip),
                  "elastic, rigid or membrane-covered ground", "plain dry friction"};
  to->ground.mu = isnan(to->ground.mu) ? to->grip.mu_kinetic : to->ground.mu;
  /* for the audit */
  to->layer = (ff_layer){.stiffness = to->ground.stiffness,
                         .damping = to->ground.damping,
                         .max_deflection = to->ground.thickness};
  to->cone = (ff_cone){fmax(to->grip.mu_static, to->ground.mu), {1, 1, 0}};
  return out;
}

/* What is rigid needs the stepper that solves for its impulses, and that one laws it can solve. */
static ff_status binding_check_stepper(ff_binding *to, const ff_model *model, ff_report *report) {
  bool solves = ff_model_solves(model);
  const ff_law *normal = to->normal, *friction = to->friction;
  bool core = normal->traits && (normal->traits(&to->normal_params) & FF_LAW_CORE);
  if (!solves && !core) {
    return FF_OK;
  }
  if (!solves) {
    char able[128];
    ff_stepper_names(normal->layer ? ff_stepper_uses_layers : ff_stepper_uses_ground, able,
                     sizeof able);
    ff_report_what(report, "%s: needs stepper %s",
                   normal->layer ? "has a rigid core, two layers or shear" : "is rigid", able);
    ff_report_key(report, "normal");
    return FF_ERROR_INPUT;
  }
  solvable can = ff_stepper_uses_layers(model->stepper) ? solve_layer(to) : solve_ground(to);
  if (!can.normal || !can.friction) {
    ff_report_what(report, "'%s' with these parameters cannot be solved as %s by stepper %s",
                   can.normal ? friction->name : normal->name,
                   can.normal ? can.friction_noun : can.normal_noun, model->run.stepper.kind);
    ff_report_key(report, can.normal ? "friction" : "normal");
    return FF_ERROR_INPUT;
  }
  return FF_OK;
}

static ff_status binding_resolve_law(ff_report *report, const char *part, const ff_law *law,
                                     const ff_law_params *given, const ff_pair *pair,
                                     ff_law_params *params) {
  *params = *given;
  ff_status status = ff_law_params_resolve(law, params, pair, report);
  if (status == FF_ERROR_INPUT && report) {
    char key[sizeof report->key];
    memcpy(key, report->key, sizeof key);
    ff_report_key(report, "%s%s%.200s", part, key[0] ? "." : "", key);
  }
  return status;
}

ff_status ff_binding_resolve(ff_binding *to, const ff_model *model, ff_report *report) {
  ff_status status = binding_resolve_law(report, "normal", to->normal, &to->normal_given, &to->pair,
                                         &to->normal_params);
  if (status == FF_OK) {
    status = binding_resolve_law(report, "friction", to->friction, &to->friction_given, &to->pair,
                                 &to->friction_params);
  }
  if (status != FF_OK) {
    return status;
  }
  unsigned normal = to->normal->traits(&to->normal_params);
  unsigned friction = to->friction->traits(&to->friction_params);
  to->overlaps = normal & FF_LAW_WANTS_OVERLAP;
  to->printed_J = normal & FF_LAW_PRINTED_J;
  to->normal_unpaid = normal & FF_LAW_UNPAID;
  to->frictionless = strcmp(to->friction->name, "none") == 0;
  to->held = (normal | friction) & FF_LAW_HELD;
  to->unpaid = friction & FF_LAW_UNPAID;
  to->edges = to->overlaps && friction & FF_LAW_WANTS_EDGES;
  to->grips = !to->edges;
  return binding_check_stepper(to, model, report);
}
