#include "results.h"

#include <math.h>
#include <stdlib.h>

#include "say.h"

typedef struct result {
  const char *label, *key, *unit;
  const ff_extreme *extreme;
} result;

enum { RESULTS = 5 };

static void list_results(const ff_results *results, result out[RESULTS]) {
  out[0] = (result){"peak force", "peak_force", "N", &results->force};
  out[1] = (result){"impulse", "impulse", "N s", &results->impulse};
  out[2] = (result){"depth", "depth", "m", &results->depth};
  out[3] = (result){"travelled", "travelled", "m", &results->travel};
  out[4] = (result){"last touch", "last_touch", "m/s", &results->touch};
}

void ff_results_text(const ff_model *model, const ff_sim *sim, FILE *out) {
  ff_results results = ff_sim_results(sim);
  result list[RESULTS];
  list_results(&results, list);
  for (int i = 0; i < RESULTS; i++) {
    const ff_extreme *extreme = list[i].extreme;
    if (isnan(extreme->time)) { /* nothing touched, or moved */
      continue;
    }
    ff_cli_say(out, "%-10s %.6g %s", list[i].label, extreme->value, list[i].unit);
    if (extreme == &results.travel) {
      ff_cli_say(out, " by %s\n", ff_model_body_name(model, extreme->a));
    } else {
      ff_cli_say(out, " of %s and %s%s %.6g s\n", ff_model_body_name(model, extreme->a),
                 ff_model_body_name(model, extreme->b),
                 extreme == &results.impulse ? ", touching since" : " at", extreme->time);
    }
  }
}

void ff_results_json(const ff_model *model, const ff_sim *sim, ff_json *json) {
  ff_results results = ff_sim_results(sim);
  result list[RESULTS];
  list_results(&results, list);
  ff_json_open(json, "results", '{');
  for (int i = 0; i < RESULTS; i++) {
    const ff_extreme *extreme = list[i].extreme;
    if (!isnan(extreme->time)) {
      ff_json_open(json, list[i].key, '{');
      ff_json_number(json, "value", extreme->value);
      ff_json_text(json, "unit", list[i].unit);
      ff_json_number(json, "time", extreme->time);
      ff_json_text(json, "a", ff_model_body_name(model, extreme->a));
      if (extreme->b.id > 0) {
        ff_json_text(json, "b", ff_model_body_name(model, extreme->b));
      }
      ff_json_close(json, '}');
    }
  }
  ff_json_open(json, "event_counts", '{');
  for (int i = 0; i < FF_EVENT_KIND_COUNT; i++) {
    ff_json_whole(json, ff_event_kind_name((ff_event_kind)i), results.events[i]);
  }
  ff_json_close(json, '}');
  ff_json_close(json, '}');
}

void ff_results_events(const ff_model *model, const ff_event *events, int count, ff_json *json) {
  ff_json_open(json, "event_list", '[');
  for (int i = 0; i < count; i++) {
    const ff_event *event = &events[i];
    ff_json_open(json, NULL, '{');
    ff_json_number(json, "time", event->time);
    ff_json_text(json, "kind", ff_event_kind_name(event->kind));
    ff_json_text(json, "a", ff_model_body_name(model, event->a));
    if (event->b.id > 0) {
      ff_json_text(json, "b", ff_model_body_name(model, event->b));
    } else {
      ff_json_text(json, "joint", ff_model_joint_name(model, event->joint));
    }
    ff_json_number(json, "speed", event->speed);
    ff_json_close(json, '}');
  }
  ff_json_close(json, ']');
}

static void json_vec3(ff_json *json, const char *name, ff_vec3 v) {
  ff_json_open(json, name, '[');
  ff_json_number(json, NULL, v.x);
  ff_json_number(json, NULL, v.y);
  ff_json_number(json, NULL, v.z);
  ff_json_close(json, ']');
}

static void json_contacts(const ff_model *model, const ff_sim *sim, ff_json *json) {
  enum { MOST = 10000 };
  int count = ff_sim_contact_count(sim);
  count = count < MOST ? count : MOST;
  ff_contact *contacts = ff_cli_alloc(count, sizeof *contacts);
  ff_sim_contacts(sim, contacts, count);
  ff_json_open(json, "contacts", '[');
  for (int i = 0; i < count; i++) {
    const ff_contact *contact = &contacts[i];
    ff_json_open(json, NULL, '{');
    ff_json_text(json, "a", ff_model_body_name(model, contact->a));
    ff_json_text(json, "b", ff_model_body_name(model, contact->b));
    json_vec3(json, "point", contact->point);
    json_vec3(json, "normal", contact->normal);
    json_vec3(json, "force", contact->force);
    ff_json_number(json, "depth", contact->patch.depth);
    ff_json_number(json, "depth_rate", contact->patch.depth_rate);
    ff_json_close(json, '}');
  }
  ff_json_close(json, ']');
  free(contacts);
}

void ff_results_failure(const ff_model *model, const ff_sim *sim, ff_json *json) {
  ff_report why = {0};
  ff_solver_info solver = ff_sim_solver(sim);
  ff_contact_residual residual = ff_sim_contact_residual(sim);
  ff_sim_failure(sim, &why);
  ff_json_open(json, "failure", '{');
  ff_json_number(json, "time", ff_sim_time(sim));
  ff_json_text(json, "what", why.what);
  ff_json_text(json, "where", why.key);
  ff_json_number(json, "solver_residual", solver.residual);
  ff_json_whole(json, "solver_fallbacks", solver.fallbacks);
  ff_json_whole(json, "cut_steps", solver.cut_steps);
  ff_json_number(json, "complementarity", residual.complementarity);
  ff_json_number(json, "cone", residual.cone);
  ff_json_number(json, "penetration", residual.penetration);
  json_contacts(model, sim, json);
  ff_json_close(json, '}');
}
