/* The bouncing sphere, Figs. 8 to 11. */
#include "azad.h"

#include <math.h>

enum { HEIGHT, FORCE, KINETIC, GRAVITY, SPRING, DAMPED, CHANNELS, BOUNCES = 3 };

static const double radius = 0.0165, g = 9.81;

typedef struct bounce_part {
  const ff_trace *trace;
  double touch[BOUNCES], clear[BOUNCES], peak[BOUNCES], apex[BOUNCES];
  int touches;
  double force_min;  /* N, smallest force */
  double jump, kink; /* ff_smoothness of the first contact's force; kink: of its second half */
} bounce_part;

/* The force of the first contact in steps of 0.25 us: the scene from just before the touch. */
static void look_at_first(ff_reproduction *study, bounce_part *part) {
  static const char *const force[] = {"contact.ball:floor.force.n"};
  const char *const set[] = {
      ff_reproduction_text(study, "bodies.ball.velocity=[0, 0, %.17g]", -sqrt(2 * g * 0.1)),
      "bodies.ball.position=[0, 0, 0.0167]", "duration=3.5e-3"};
  const ff_trace *trace =
      ff_reproduction_run(study, &(ff_trial){.scene = "papers/azad-featherstone-2010/bounce.yaml",
                                             .set = set,
                                             .set_count = 3,
                                             .channels = force,
                                             .channel_count = 1,
                                             .samples = 14001});
  long middle = trace->rows / 2;
  part->jump = ff_smoothness_of(trace->channels[0], trace->rows).jump;
  part->kink = ff_smoothness_of(trace->channels[0] + middle, trace->rows - middle).kink;
}

static void *compute_part(ff_reproduction *study) {
  static const char *const channels[CHANNELS] = {
      "body.ball.position.z", "contact.ball:floor.force.n", "energy.kinetic",
      "energy.gravity",       "energy.spring.normal",       "energy.lost.normal"};
  bounce_part *part = ff_reproduction_alloc(study, 1, sizeof *part);
  part->trace =
      ff_reproduction_run(study, &(ff_trial){.scene = "papers/azad-featherstone-2010/bounce.yaml",
                                             .channels = channels,
                                             .channel_count = CHANNELS,
                                             .samples = study->quick ? 7001 : 35001,
                                             .replay = true});
  int clears = 0;
  for (int i = 0; i < part->trace->event_count; i++) {
    const ff_event *event = &part->trace->events[i];
    if (event->kind == FF_EVENT_TOUCH && part->touches++ < BOUNCES) {
      part->touch[part->touches - 1] = event->time;
    } else if (event->kind == FF_EVENT_LIFT && clears < BOUNCES) {
      part->clear[clears] = event->time;
      part->peak[clears] = event->peak_force;
      part->apex[clears++] = event->speed * event->speed / (2 * g);
    }
  }
  for (int i = 0; i < BOUNCES; i++) {
    const char *name = ff_reproduction_text(study, "bounce%d", i + 1);
    ff_reproduction_number(study, ff_reproduction_text(study, "%s.touch", name), part->touch[i],
                           "s");
    ff_reproduction_number(study, ff_reproduction_text(study, "%s.clear", name), part->clear[i],
                           "s");
    ff_reproduction_number(study, ff_reproduction_text(study, "%s.force_max", name), part->peak[i],
                           "N");
    ff_reproduction_number(study, ff_reproduction_text(study, "%s.apex", name), part->apex[i], "m");
  }
  const double *force = part->trace->channels[FORCE];
  for (long i = 1; i < part->trace->rows; i++) {
    part->force_min = fmin(part->force_min, force[i]);
  }
  look_at_first(study, part);
  return part;
}

static void report_part(ff_reproduction *study, const void *computed) {
  const bounce_part *part = computed;
  ff_reproduction_judge(study, "not-sticky",
                        ff_reproduction_text(study, "at least %g N", part->force_min),
                        part->force_min);
  ff_reproduction_judge(study, "continuous",
                        ff_reproduction_text(study,
                                             "with half the interval changes are %.2f times as "
                                             "large, those of the slope in the second half %.2f "
                                             "times",
                                             part->jump, part->kink),
                        part->jump, part->kink);
  double residual = part->trace->audit.energy_residual / part->trace->audit.energy_scale;
  ff_reproduction_judge(
      study, "bounce-energy",
      ff_reproduction_text(study, "within %.1g of the energy exchanged", residual), residual);
}

static void show_part(ff_reproduction *study, const void *computed) {
  const bounce_part *part = computed;
  const ff_trace *trace = part->trace;
  ff_axis time = {"time", "s", false};
  double *bottom = ff_reproduction_alloc(study, trace->rows, sizeof *bottom);
  for (long i = 0; i < trace->rows; i++) {
    bottom[i] = trace->channels[HEIGHT][i] - radius;
  }
  ff_page_section(study->page, "Figs. 8 to 11: a bouncing sphere");
  ff_page_text(study->page, "%d touch-downs, then rest.", part->touches);
  ff_page_plot(study->page, "Fig. 8: lowest point", time, (ff_axis){"height", "m", false});
  ff_page_curve(study->page, "simulated", FF_CURVE_LINE, trace->time, bottom, trace->rows);
  ff_page_plot(study->page, "Figs. 9 and 10: force", time, (ff_axis){"force", "N", false});
  ff_page_curve(study->page, "simulated", FF_CURVE_LINE, trace->time, trace->channels[FORCE],
                trace->rows);
  ff_page_plot(study->page, "Fig. 11: energy", time, (ff_axis){"energy", "J", false});
  static const char *const names[] = {"kinetic", "gravity", "spring", "dissipated"};
  for (int i = 0; i < 4; i++) {
    ff_page_curve(study->page, names[i], FF_CURVE_LINE, trace->time, trace->channels[KINETIC + i],
                  trace->rows);
  }
  if (trace->run.id > 0) {
    ff_page_replay(study->page, trace->run);
    ff_page_ledger(study->page, trace->run);
  }
}

const ff_paper_part azad_bounce = {
    .compute = compute_part, .report = report_part, .show = show_part};
