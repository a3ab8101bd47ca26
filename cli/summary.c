#include "summary.h"

#include <math.h>
#include <string.h>

#include "json.h"
#include "results.h"
#include "say.h"

/* ---- ledger entries -------------------------------------------------------------------------- */

typedef struct line {
  const char *name; /* the channel's, without "energy." */
  double value;     /* J */
} line;

enum { LINE_COUNT = 5 + FF_LOSS_COUNT + 2 };

static void fill_lines(const ff_energy *energy, line lines[LINE_COUNT]) {
  static const char *const lost[FF_LOSS_COUNT] = {
      [FF_LOST_NORMAL] = "lost.normal",   [FF_LOST_TANGENT] = "lost.tangent",
      [FF_LOST_SLIP] = "lost.slip",       [FF_LOST_VISCOUS] = "lost.viscous",
      [FF_LOST_ROLLING] = "lost.rolling", [FF_LOST_SPIN] = "lost.spin",
      [FF_LOST_IMPACT] = "lost.impact",   [FF_LOST_JOINT] = "lost.joint",
      [FF_LOST_DEPTH] = "lost.depth",     [FF_LOST_STEP] = "lost.step",
  };
  int at = 0;
  lines[at++] = (line){"kinetic", energy->kinetic};
  lines[at++] = (line){"gravity", energy->gravity};
  lines[at++] = (line){"spring.normal", energy->spring_normal};
  lines[at++] = (line){"spring.tangent", energy->spring_tangent};
  lines[at++] = (line){"spring.joint", energy->spring_joint};
  for (int i = 0; i < FF_LOSS_COUNT; i++) {
    lines[at++] = (line){lost[i], energy->lost[i]};
  }
  lines[at++] = (line){"work", energy->work};
  lines[at++] = (line){"residual", energy->residual};
}

static double relative_residual(const ff_audit *audit) {
  return audit->energy_scale > 0 ? audit->energy_residual / audit->energy_scale
                                 : audit->energy_residual;
}

static bool has_fixed_step(const ff_run_def *run) {
  return ff_stepper_find(run->stepper.kind)->fixed_step;
}

/* ---- text output ----------------------------------------------------------------------------- */

/* The joint that needs a shorter step, if any. limits: near the bounds of its drive. */
static bool summary_print_joint_advice(const ff_model *model, bool limits, FILE *out) {
  ff_joint_id fastest;
  double step = ff_model_joint_step(model, limits, &fastest);
  if (!(ff_model_run(model)->stepper.step > step)) {
    return false;
  }
  ff_cli_say(out, "%sjoint '%s' needs a step of %.2g s or less, or rotor inertia (armature)",
             limits ? "at its limit of speed " : "", ff_model_joint_name(model, fastest), step);
  return true;
}

/* Advice on energy under fixed steps: what needs shorter ones. */
static void summary_print_step_advice(const ff_model *model, const char *other, FILE *out) {
  const ff_run_def *run = ff_model_run(model);
  double stable = ff_model_stable_step(model);
  bool contacts = ff_cli_resolves(run) && run->stepper.step > stable;
  if (summary_print_joint_advice(model, false, out)) {
    return;
  }
  if (contacts) {
    ff_cli_say(out, "the contacts of this scene need a step of %.2g s or less; ", stable);
  }
  if (!summary_print_joint_advice(model, true, out)) {
    fputs(other, out);
  }
}

/* Advice with numbers where they are known. */
static void summary_print_advice(const ff_summary *summary, const ff_finding *finding, FILE *out) {
  if (finding->kind == FF_FINDING_COARSE) {
    ff_cli_say(out, "use a step of %.2g s", ff_sim_audit(summary->sim).needed_step);
  } else if (finding->kind != FF_FINDING_ENERGY) {
    fputs(finding->advice, out);
  } else if (has_fixed_step(ff_model_run(summary->model))) {
    summary_print_step_advice(summary->model, finding->advice, out);
  } else {
    fputs("use a smaller stepper.rtol", out);
  }
}

/* Name, bodies, times, value and limit, advice: one line. */
static void summary_print_finding(const ff_summary *summary, const ff_finding *finding, FILE *out) {
  const char *unit = strcmp(finding->unit, "1") == 0 ? "" : finding->unit;
  const char *space = unit[0] ? " " : "";
  fputs(ff_finding_describe(finding->kind).name, out);
  if (finding->a.id > 0) {
    ff_cli_say(out, ": %s", ff_model_body_name(summary->model, finding->a));
  }
  if (finding->b.id > 0) {
    ff_cli_say(out, ", %s", ff_model_body_name(summary->model, finding->b));
  }
  if (finding->kind != FF_FINDING_UNTOUCHED) {
    ff_cli_say(out, ": %.3g%s%s", finding->value, space, unit);
    if (finding->limit > 0) {
      ff_cli_say(out, " (limit %.3g%s%s)", finding->limit, space, unit);
    }
    ff_cli_say(out, " at %.4g s", finding->worst);
    if (finding->first < finding->worst) {
      ff_cli_say(out, ", from %.4g s on", finding->first);
    }
  }
  if (finding->advice[0]) {
    fputs("; ", out);
    summary_print_advice(summary, finding, out);
  }
  fputc('\n', out);
}

int ff_summary_findings(const ff_summary *summary, ff_finding out[FF_FINDINGS_MOST]) {
  bool other = summary->certificate && summary->certificate->failure;
  int count = ff_sim_findings(summary->sim, out + other, FF_FINDINGS_MOST - other);
  if (other) {
    out[0] = *summary->certificate;
  }
  count += other;
  return count < FF_FINDINGS_MOST ? count : FF_FINDINGS_MOST;
}

bool ff_summary_is_good(const ff_summary *summary) {
  ff_finding found[FF_FINDINGS_MOST];
  return ff_summary_findings(summary, found) == 0 || !found[0].failure;
}

/* Energy dissipated by the step itself is accounted for, but not due to a contact law: reported
 * when it is large. */
static void summary_print_good(const ff_summary *summary, const ff_audit *audit, FILE *out) {
  double allowed = ff_model_run(summary->model)->energy_tolerance;
  double taken = ff_sim_energy(summary->sim).lost[FF_LOST_STEP];
  ff_cli_say(out, "good: energy is conserved within %.2g of the energy exchanged (allowed %.2g)",
             relative_residual(audit), allowed);
  if (taken > allowed * audit->energy_scale) {
    ff_cli_say(
        out,
        ", of which the step itself dissipates %.2g (lost.step); a smaller step dissipates less",
        taken / audit->energy_scale);
  }
  fputc('\n', out);
}

void ff_summary_verdict(const ff_summary *summary, FILE *out) {
  ff_finding found[FF_FINDINGS_MOST];
  int count = ff_summary_findings(summary, found), failures = 0;
  while (failures < count && found[failures].failure) {
    failures++;
  }
  ff_cli_set_style(out, failures == 0 ? FF_STYLE_GOOD : FF_STYLE_BAD);
  if (failures == 0) {
    ff_audit audit = ff_sim_audit(summary->sim);
    summary_print_good(summary, &audit, out);
  } else {
    fputs("NOT good: ", out);
  }
  ff_cli_set_style(out, FF_STYLE_PLAIN);
  for (int i = 0; i < failures; i++) {
    fputs(i > 0 ? "  and      " : "", out);
    summary_print_finding(summary, &found[i], out);
  }
  for (int i = failures; i < count; i++) {
    ff_cli_set_style(out, FF_STYLE_NOTE);
    fputs("  note     ", out);
    ff_cli_set_style(out, FF_STYLE_PLAIN);
    summary_print_finding(summary, &found[i], out);
  }
}

static void summary_print_stepper(const ff_run_def *run, FILE *out) {
  const ff_stepper_def *stepper = &run->stepper;
  if (!has_fixed_step(run)) {
    ff_cli_say(out, "stepper    %s, rtol %.3g\n", stepper->kind, stepper->rtol);
  } else {
    ff_cli_say(out, "stepper    %s, step %.3g s\n", stepper->kind, stepper->step);
  }
}

static void summary_print_ledger(const ff_summary *summary, const ff_audit *audit, FILE *out) {
  ff_energy energy = ff_sim_energy(summary->sim);
  line lines[LINE_COUNT];
  fill_lines(&energy, lines);
  fputs("\nenergy at the end\n", out);
  bool folded = false;
  for (int i = 0; i < LINE_COUNT; i++) {
    if (lines[i].value != 0 || i == LINE_COUNT - 1) {
      ff_cli_say(out, "  %-15s %14.6g J\n", lines[i].name, lines[i].value);
    } else {
      folded = true;
    }
  }
  if (folded) {
    fputs("  all others                   0 J\n", out);
  }
  ff_cli_say(out, "  largest residual %13.3g J of %.6g J exchanged: %.2g\n", audit->energy_residual,
             audit->energy_scale, relative_residual(audit));
  ff_cli_say(out, "momentum residual  %.3g kg m/s, angular %.3g kg m^2/s\n",
             audit->momentum_residual, audit->angular_residual);
}

/* Only where contacts were solved for; not all residuals are part of the verdict. */
static void summary_print_contacts(const ff_audit *audit, const ff_run_def *run, FILE *out) {
  bool judged = isfinite(ff_stepper_find(run->stepper.kind)->contact_tolerance);
  const ff_contact_residual *worst = &audit->contact;
  if (audit->contact_force > 0) {
    ff_cli_say(out, "contact residuals  complementarity %.3g N, cone %.3g N of at most %.6g N,\n",
               worst->complementarity, worst->cone, audit->contact_force);
    ff_cli_say(out, "                   dissipation %.3g W, penetration %.3g m%s\n",
               worst->dissipation, worst->penetration,
               judged ? "" : ": at the end of steps, forces not judged");
  }
  if (worst->solver > 0) {
    ff_cli_say(out, "                   large islands: %.3g of the largest force", worst->solver);
    if (run->stepper.accuracy > 0) {
      ff_cli_say(out, ", solved to %.3g", run->stepper.accuracy);
    }
    ff_cli_say(out, "\n");
  }
}

/* Warns if many steps are limited by stability rather than accuracy. Servos and friction of joints
 * may be as stiff as contacts: there, a very large number of steps is the criterion. */
static void summary_print_stiff(const ff_model *model, const ff_audit *audit, double time,
                                FILE *out) {
  const double many = 5000, very_many = 20000; /* per second */
  bool stiff = (double)audit->stiff_steps > many * time && audit->stiff_steps > audit->steps / 3;
  if (stiff) {
    ff_cli_say(
        out,
        "note       %ld of them are limited by stability, not accuracy: `adaptive` is explicit,\n"
        "           and friction or damping of a contact is stiff. A larger v_t of friction, or\n"
        "           the stepper symplectic-euler, which treats both implicitly, would be faster\n",
        audit->stiff_steps);
  } else if ((double)audit->steps > very_many * time) {
    ff_joint_id joint;
    double step = ff_model_joint_step(model, false, &joint);
    ff_cli_say(out, "note       these are %.0f per second: something is stiff, such as ",
               (double)audit->steps / time);
    if (step * very_many < 1) {
      ff_cli_say(out, "joint '%s', which needs steps\n           of %.2g s or less;",
                 ff_model_joint_name(model, joint), step);
    } else {
      fputs("servos or friction of light links;", out);
    }
    fputs(" `adaptive` is explicit.\n           symplectic-euler treats joints implicitly\n", out);
  }
}

void ff_summary_text(const ff_summary *summary, FILE *out) {
  ff_audit audit = ff_sim_audit(summary->sim);
  const ff_run_def *run = ff_model_run(summary->model);
  double time = ff_sim_time(summary->sim);
  ff_results_text(summary->model, summary->sim, out);
  ff_cli_say(out, "\nscene      %s\n", summary->scene);
  summary_print_stepper(run, out);
  ff_cli_say(out, "time       %.6g s in %.3g s, %.3g x real time\n", time, summary->wall,
             time / summary->wall);
  ff_cli_say(out, "steps      %ld, %ld force evaluations\n", audit.steps, audit.evaluations);
  if (!has_fixed_step(run)) {
    summary_print_stiff(summary->model, &audit, time, out);
  }
  ff_cli_say(out, "contacts   %ld touch-down%s, %ld lift-off%s\n", summary->touches,
             summary->touches == 1 ? "" : "s", summary->lifts, summary->lifts == 1 ? "" : "s");
  if (summary->samples > 0) {
    ff_cli_say(out, "recorded   %ld samples of %d channels\n", summary->samples, summary->channels);
  }
  summary_print_ledger(summary, &audit, out);
  summary_print_contacts(&audit, run, out);
  fputs("\nverdict    ", out);
  ff_summary_verdict(summary, out);
}

/* ---- JSON output ----------------------------------------------------------------------------- */

static void json_stepper(ff_json *json, const ff_run_def *run) {
  ff_json_open(json, "stepper", '{');
  ff_json_text(json, "kind", run->stepper.kind);
  if (!has_fixed_step(run)) {
    ff_json_number(json, "rtol", run->stepper.rtol);
    ff_json_number(json, "atol", run->stepper.atol);
  } else {
    ff_json_number(json, "step", run->stepper.step);
  }
  if (ff_stepper_find(run->stepper.kind)->crowd_accuracy > 0) {
    ff_json_number(json, "accuracy", run->stepper.accuracy);
  }
  ff_json_close(json, '}');
}

static void json_energy(ff_json *json, const ff_sim *sim) {
  ff_energy energy = ff_sim_energy(sim);
  line lines[LINE_COUNT];
  fill_lines(&energy, lines);
  ff_json_open(json, "energy", '{');
  for (int i = 0; i < LINE_COUNT; i++) {
    ff_json_number(json, lines[i].name, lines[i].value);
  }
  ff_json_close(json, '}');
}

static void json_audit(ff_json *json, const ff_audit *audit, const ff_run_def *run) {
  static const char *const words[] = {[FF_VERDICT_GOOD] = "good",
                                      [FF_VERDICT_ENERGY] = "energy",
                                      [FF_VERDICT_UNDER_RESOLVED] = "under-resolved",
                                      [FF_VERDICT_CONTACT] = "contact"};
  ff_json_open(json, "audit", '{');
  ff_json_text(json, "verdict", words[audit->verdict]);
  ff_json_number(json, "energy_scale", audit->energy_scale);
  ff_json_number(json, "energy_residual", audit->energy_residual);
  ff_json_number(json, "energy_gained", audit->energy_gained);
  ff_json_number(json, "energy_residual_relative", relative_residual(audit));
  ff_json_number(json, "energy_tolerance", run->energy_tolerance);
  ff_json_number(json, "momentum_residual", audit->momentum_residual);
  ff_json_number(json, "angular_residual", audit->angular_residual);
  ff_json_number(json, "coarseness", audit->coarseness);
  ff_json_number(json, "needed_step", audit->needed_step);
  ff_json_number(json, "contact_force", audit->contact_force);
  ff_json_number(json, "complementarity", audit->contact.complementarity);
  ff_json_number(json, "cone", audit->contact.cone);
  ff_json_number(json, "solver", audit->contact.solver);
  ff_json_number(json, "dissipation", audit->contact.dissipation);
  ff_json_number(json, "penetration", audit->contact.penetration);
  ff_json_close(json, '}');
}

/* Failures and notes, the worst first. */
static void json_findings(ff_json *json, const ff_summary *summary) {
  ff_finding found[FF_FINDINGS_MOST];
  int count = ff_summary_findings(summary, found);
  ff_json_open(json, "findings", '[');
  for (int i = 0; i < count; i++) {
    const ff_finding *finding = &found[i];
    ff_json_open(json, NULL, '{');
    ff_json_text(json, "kind", ff_finding_describe(finding->kind).name);
    ff_json_text(json, "severity", finding->failure ? "failure" : "note");
    ff_json_open(json, "bodies", '[');
    const ff_body bodies[] = {finding->a, finding->b};
    for (int k = 0; k < 2; k++) {
      if (bodies[k].id > 0) {
        ff_json_text(json, NULL, ff_model_body_name(summary->model, bodies[k]));
      }
    }
    ff_json_close(json, ']');
    ff_json_number(json, "first", finding->first);
    ff_json_number(json, "worst", finding->worst);
    ff_json_number(json, "value", finding->value);
    ff_json_number(json, "limit", finding->limit);
    ff_json_text(json, "unit", finding->unit);
    ff_json_text(json, "meaning", ff_finding_describe(finding->kind).meaning);
    ff_json_text(json, "advice", finding->advice);
    ff_json_close(json, '}');
  }
  ff_json_close(json, ']');
}

/* Touch-downs and lift-offs in order of time, for the table of a report. */
static void json_events(ff_json *json, const ff_summary *summary) {
  ff_json_open(json, "contact_events", '[');
  for (int i = 0; i < summary->event_count; i++) {
    const ff_event *event = &summary->events[i];
    bool lift = event->kind == FF_EVENT_LIFT;
    if (!lift && event->kind != FF_EVENT_TOUCH) {
      continue;
    }
    ff_json_open(json, NULL, '{');
    ff_json_number(json, "time", event->time);
    ff_json_text(json, "kind", lift ? "lift" : "touch");
    ff_json_text(json, "a", ff_model_body_name(summary->model, event->a));
    ff_json_text(json, "b", ff_model_body_name(summary->model, event->b));
    ff_json_number(json, "speed", event->speed);
    if (lift) {
      ff_json_number(json, "peak_force", event->peak_force);
      ff_json_number(json, "peak_time", event->peak_time);
      ff_json_number(json, "peak_depth", event->peak_depth);
    }
    ff_json_close(json, '}');
  }
  ff_json_close(json, ']');
}

void ff_summary_json(const ff_summary *summary, FILE *out) {
  ff_json json = {.out = out};
  ff_audit audit = ff_sim_audit(summary->sim);
  const ff_run_def *run = ff_model_run(summary->model);
  ff_json_open(&json, NULL, '{');
  ff_json_text(&json, "footfall", ff_version());
  ff_json_text(&json, "scene", summary->scene);
  if (summary->incomplete && summary->incomplete[0]) {
    ff_json_text(&json, "incomplete", summary->incomplete);
    ff_results_failure(summary->model, summary->sim, &json);
  }
  json_stepper(&json, run);
  ff_json_number(&json, "time", ff_sim_time(summary->sim));
  if (!isnan(summary->wall)) {
    ff_json_number(&json, "wall_time", summary->wall);
  }
  ff_json_whole(&json, "steps", audit.steps);
  ff_json_whole(&json, "evaluations", audit.evaluations);
  ff_json_whole(&json, "events", audit.events);
  ff_json_whole(&json, "stiff_steps", audit.stiff_steps);
  ff_json_whole(&json, "touch_downs", summary->touches);
  ff_json_whole(&json, "lift_offs", summary->lifts);
  ff_json_whole(&json, "samples", summary->samples);
  ff_json_whole(&json, "channels", summary->channels);
  ff_results_json(summary->model, summary->sim, &json);
  json_energy(&json, summary->sim);
  json_audit(&json, &audit, run);
  json_findings(&json, summary);
  if (summary->events) {
    json_events(&json, summary);
    ff_results_events(summary->model, summary->events, summary->event_count, &json);
  }
  ff_json_close(&json, '}');
}
