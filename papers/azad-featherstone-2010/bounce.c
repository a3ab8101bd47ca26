/* The bouncing sphere, Figs. 8 to 11. */
#include "azad.h"

#include <math.h>

enum { HEIGHT, FORCE, KINETIC, GRAVITY, SPRING, DAMPED, CHANNELS, BOUNCES = 3 };

static const double radius = 0.0165, g = 9.81;

typedef struct bounce_part {
  const ff_trace *trace;
  double touch[BOUNCES], clear[BOUNCES], peak[BOUNCES], apex[BOUNCES];
  int touches;
  double force_min, jump; /* N, smallest force and largest step between samples */
} bounce_part;

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
    part->jump = fmax(part->jump, fabs(force[i] - force[i - 1]));
  }
  return part;
}

static void report_part(ff_reproduction *study, const void *computed) {
  const bounce_part *part = computed;
  ff_reproduction_find(
      study, &(ff_outcome){.key = "not-sticky",
                           .claim = "The force is never negative",
                           .source = "Fig. 10",
                           .paper = "not sticky",
                           .found = ff_reproduction_text(study, "at least %g N", part->force_min),
                           .value = part->force_min,
                           .unit = "N",
                           .verdict = ff_verdict_of(part->force_min >= 0)});
  double share = part->jump / part->peak[0];
  double step = part->trace->time[1];
  ff_reproduction_find(
      study, &(ff_outcome){.key = "continuous",
                           .claim = "The force is continuous and starts and ends at zero",
                           .source = "Fig. 10",
                           .paper = "continuous",
                           .found = ff_reproduction_text(study,
                                                         "changes by at most %.1f %% of its peak "
                                                         "in %.0f us",
                                                         100 * share, 1e6 * step),
                           .value = share,
                           .unit = "1",
                           .verdict = ff_verdict_of(share < 0.25)});
  double residual = part->trace->audit.energy_residual / 0.17600121;
  ff_reproduction_find(
      study,
      &(ff_outcome){.key = "bounce-energy",
                    .claim = "Stored and dissipated energy add up to a constant",
                    .source = "Fig. 11, eq. 15",
                    .paper = "constant",
                    .found = ff_reproduction_text(study, "within %.1g of the total", residual),
                    .value = residual,
                    .unit = "1",
                    .verdict = ff_verdict_of(residual < 1e-10)});
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
