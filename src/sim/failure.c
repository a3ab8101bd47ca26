/* Failure reasons of a step, as text. */
#include "base/report.h"
#include "model/joint_rate.h"
#include "sim/sim.h"

#include <stdio.h>

static const char *failure_text(const ff_trouble *trouble) {
  switch (trouble->kind) {
    case FF_TROUBLE_UNSOLVED: return "no solution was found";
    case FF_TROUBLE_THROWN: return "no solution was found that does not increase the energy";
    case FF_TROUBLE_CHANGING: return "the contacting features of flat shapes did not settle";
    case FF_TROUBLE_PASSED: return "the two bodies would pass through each other";
    default: return "the motion is not finite, or the constraints cannot be satisfied";
  }
}

/* Details of a contact failure, and advice. */
static void failure_report_contacts(const ff_trouble *trouble, ff_report *report) {
  char island[80] = "";
  if (trouble->contacts > 0) {
    snprintf(island, sizeof island, " (with %d bod%s and %d contacts in one problem)",
             trouble->bodies, trouble->bodies == 1 ? "y" : "ies", trouble->contacts);
  }
  ff_report_what(report,
                 "%s%s, down to a step of %.2g s%s. Check for jammed bodies or bodies that overlap "
                 "initially. A softer (k) or deeper (max_deflection) layer may help, or a smaller "
                 "stepper.step",
                 failure_text(trouble), island, trouble->step,
                 trouble->spent ? ", with the work limit of a step exhausted" : "");
}

/* Explicit integration of a mode with rate r is unstable if the step is longer than about 2 / r. */
static void failure_report_motion(const ff_sim *sim, ff_report *report) {
  const ff_run_def *run = &sim->model->run;
  ff_joint_rate fastest = ff_fastest_joint(sim->model, &sim->state, false);
  if (run->stepper.step * fastest.rate <= 2) {
    fastest = ff_fastest_joint(sim->model, &sim->state, true);
  }
  if (fastest.joint && sim->model->stepper->fixed_step && run->stepper.step * fastest.rate > 2) {
    ff_report_what(
        report,
        "the motion is not finite: the %s of joint '%.80s' of '%.80s' is too stiff for "
        "explicit steps of %.2g s. Use steps of %.1g s or less, %s, rotor "
        "inertia (armature), or a stepper with implicit joints (symplectic-euler, quasi-rigid, "
        "micro-macro)",
        fastest.driven ? "drive" : "spring, damping, friction or limit of speed",
        fastest.joint->name, fastest.robot->name, run->stepper.step, 1 / fastest.rate,
        fastest.driven ? "softer gains" : "weaker losses or a larger friction-speed");
    return;
  }
  ff_report_what(report, "%s; a smaller step may help", failure_text(&sim->work.trouble));
}

/* A joint is the reason if its rate needs steps about as short as they have become. */
static void failure_report_crawling(const ff_sim *sim, ff_report *report) {
  char fixed[128];
  double step = sim->work.trouble.step;
  ff_joint_rate fastest = ff_fastest_joint(sim->model, &sim->state, true);
  ff_stepper_names(ff_stepper_resolves, fixed, sizeof fixed);
  if (fastest.joint && step * fastest.rate > 0.1) {
    ff_report_what(report,
                   "steps have become as short as %.1g s, and the run would never end: joint "
                   "'%.80s' of '%.80s' changes its force too fast. Give it rotor inertia "
                   "(armature), softer gains or a larger friction-speed, or use a stepper of "
                   "fixed steps (%s)",
                   step, fastest.joint->name, fastest.robot->name, fixed);
    return;
  }
  ff_report_what(report,
                 "steps have become as short as %.1g s, and the run would never end: a contact "
                 "force changes too fast, by friction with a small v_t or by a jump. Use a larger "
                 "v_t, or a stepper of fixed steps (%s)",
                 step, fixed);
}

void ff_sim_failure(const ff_sim *sim, ff_report *report) {
  if (!report) {
    return;
  }
  *report = (ff_report){0};
  if (!sim || sim->failed != FF_ERROR_STEP) {
    return;
  }
  const ff_trouble *trouble = &sim->work.trouble;
  if (trouble->kind == FF_TROUBLE_OTHER) {
    failure_report_motion(sim, report);
    return;
  }
  if (trouble->kind == FF_TROUBLE_CRAWLING) {
    failure_report_crawling(sim, report);
    return;
  }
  if (trouble->kind == FF_TROUBLE_NO_TIME) {
    ff_report_what(report, "time does not advance: a step or the period of a control is too short");
    return;
  }
  failure_report_contacts(trouble, report);
  if (trouble->a >= 0) {
    ff_report_key(report, "%.80s:%.80s", sim->model->bodies[trouble->a].name,
                  sim->model->bodies[trouble->b].name);
  }
}
