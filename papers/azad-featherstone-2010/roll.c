/* The rolling sphere, Figs. 13 to 16. */
#include "azad.h"

#include <math.h>

enum { X, SLIP, FRICTION, MODE, STORED, DEPTH, DAMPED_N, DAMPED_T, CLUTCH, VISCOUS, CHANNELS };

typedef struct roll_part {
  const ff_trace *whole, *first; /* 1 s, and the first bounce in steps of 10 us */
  double stick;                  /* s, longest stick phase in the first bounce */
  double rolls_from;             /* s, last instant of slip */
  double path;                   /* J, eq. 33 at the end */
  double jump;                   /* of friction between samples, over its largest */
  bool slips_first;
} roll_part;

static const ff_trace *run(ff_reproduction *study, const char *const *set, int count, long samples,
                           bool replay) {
  static const char *const channels[CHANNELS] = {
      "body.ball.position.x",    "contact.ball:floor.slip", "contact.ball:floor.force.x",
      "contact.ball:floor.mode", "energy.spring.tangent",   "energy.lost.depth",
      "energy.lost.normal",      "energy.lost.tangent",     "energy.lost.slip",
      "energy.lost.viscous"};
  return ff_reproduction_run(study, &(ff_trial){.scene = "scenes/rolling-sphere.yaml",
                                                .set = set,
                                                .set_count = count,
                                                .channels = channels,
                                                .channel_count = CHANNELS,
                                                .samples = samples,
                                                .replay = replay});
}

/* Stick and continuity in the first bounce. */
static void look_at_first(roll_part *part) {
  const double *mode = part->first->channels[MODE], *force = part->first->channels[FRICTION];
  double largest = 0, jump = 0, since = NAN;
  bool touched = false;
  for (long i = 1; i < part->first->rows; i++) {
    double t = part->first->time[i];
    if (!touched && mode[i] != FF_OPEN) {
      touched = true;
      part->slips_first = mode[i] == FF_SLIP;
    }
    if (mode[i] == FF_STICK) {
      since = isnan(since) ? t : since;
      part->stick = fmax(part->stick, t - since);
    } else {
      since = NAN;
    }
    largest = fmax(largest, fabs(force[i]));
    jump = fmax(jump, fabs(force[i] - force[i - 1]));
  }
  part->jump = jump / largest;
}

static void *compute_part(ff_reproduction *study) {
  static const char *const brief[] = {"duration=0.135"};
  roll_part *part = ff_reproduction_alloc(study, 1, sizeof *part);
  part->whole = run(study, NULL, 0, study->quick ? 2001 : 10001, true);
  part->first = run(study, brief, 1, 13501, false);
  look_at_first(part);
  for (long i = 0; i < part->whole->rows; i++) {
    if (part->whole->channels[MODE][i] == FF_SLIP || part->whole->channels[MODE][i] == FF_OPEN) {
      part->rolls_from = part->whole->time[i];
    }
  }
  const ff_energy *end = &part->whole->energy;
  part->path = end->spring_tangent + end->lost[FF_LOST_DEPTH];
  ff_reproduction_number(study, "roll.x", part->whole->channels[X][part->whole->rows - 1], "m");
  ff_reproduction_number(study, "roll.body", end->kinetic + end->gravity, "J");
  ff_reproduction_number(study, "roll.normal_damper", end->lost[FF_LOST_NORMAL], "J");
  ff_reproduction_number(study, "roll.tangent_damper", end->lost[FF_LOST_TANGENT], "J");
  ff_reproduction_number(study, "roll.clutch", end->lost[FF_LOST_SLIP] + end->lost[FF_LOST_VISCOUS],
                         "J");
  ff_reproduction_number(study, "roll.path", part->path, "J");
  return part;
}

static void report_part(ff_reproduction *study, const void *computed) {
  const roll_part *part = computed;
  ff_reproduction_find(
      study, &(ff_outcome){.key = "stick",
                           .claim = "The first contact starts with slip, then sticks for less "
                                    "than 1 ms",
                           .source = "Fig. 14",
                           .paper = "less than 1 ms",
                           .found = ff_reproduction_text(study, "%.2f ms", 1e3 * part->stick),
                           .value = part->stick,
                           .unit = "s",
                           .verdict = ff_verdict_of(part->slips_first && part->stick > 0 &&
                                                    part->stick < 1e-3)});
  ff_reproduction_find(
      study, &(ff_outcome){.key = "friction-continuous",
                           .claim = "The friction force is continuous",
                           .source = "Fig. 14",
                           .paper = "completely continuous and smooth",
                           .found = ff_reproduction_text(study,
                                                         "changes by at most %.1f %% of its "
                                                         "largest in 10 us",
                                                         100 * part->jump),
                           .value = part->jump,
                           .unit = "1",
                           .verdict = ff_verdict_of(part->jump < 0.05)});
  ff_reproduction_find(
      study,
      &(ff_outcome){.key = "rolls",
                    .claim = "It rolls from 0.5 to 0.6 s on",
                    .source = "Fig. 15",
                    .paper = "after 0.5 s",
                    .found = ff_reproduction_text(study, "from %.3f s", part->rolls_from),
                    .value = part->rolls_from,
                    .unit = "s",
                    .verdict = ff_verdict_of(part->rolls_from > 0.5 && part->rolls_from < 0.6)});
  double residual = part->whole->audit.energy_residual / 0.189574;
  ff_reproduction_find(study,
                       &(ff_outcome){.key = "roll-energy",
                                     .claim = "The total energy is constant",
                                     .source = "Fig. 16",
                                     .paper = "constant",
                                     .found = ff_reproduction_text(study, "within %.1g", residual),
                                     .value = residual,
                                     .unit = "1",
                                     .verdict = ff_verdict_of(residual < 1e-10)});
  ff_reproduction_find(
      study, &(ff_outcome){.key = "tangential-energy",
                           .claim = "Eq. 33 is the energy stored in the tangential spring",
                           .source = "eq. 33",
                           .paper = "stored energy",
                           .found = ff_reproduction_text(study,
                                                         "%.9f J at the end, with the spring "
                                                         "at rest",
                                                         part->path),
                           .value = part->path,
                           .unit = "J",
                           .verdict = ff_verdict_of(part->path >= 0),
                           .known = FF_CLAIM_DIFFERS,
                           .note = "It is a path integral: no force does work on the stiffness "
                                   "that changes with depth."});
}

static void show_part(ff_reproduction *study, const void *computed) {
  const roll_part *part = computed;
  const ff_trace *whole = part->whole, *first = part->first;
  ff_axis time = {"time", "s", false}, force = {"friction along x", "N", false};
  ff_page_section(study->page, "Figs. 13 to 16: a rolling sphere");
  ff_page_plot(study->page, "Fig. 13", time, force);
  ff_page_curve(study->page, "simulated", FF_CURVE_LINE, whole->time, whole->channels[FRICTION],
                whole->rows);
  ff_page_plot(study->page, "Fig. 14", time, force);
  ff_page_curve(study->page, "simulated", FF_CURVE_LINE, first->time + 13000,
                first->channels[FRICTION] + 13000, first->rows - 13000);
  ff_page_plot(study->page, "Fig. 15: position", time, (ff_axis){"x", "m", false});
  ff_page_curve(study->page, "simulated", FF_CURVE_LINE, whole->time, whole->channels[X],
                whole->rows);
  ff_page_plot(study->page, "Fig. 15: speed of the contact point", time,
               (ff_axis){"slip", "m/s", false});
  ff_page_curve(study->page, "while it touches", FF_CURVE_LINE, whole->time, whole->channels[SLIP],
                whole->rows);
  ff_page_plot(study->page, "Fig. 16: energy", time, (ff_axis){"energy", "J", false});
  static const char *const names[] = {"tangential spring", "lost by depth", "normal damper",
                                      "tangential damper", "clutch, dry",   "clutch, viscous"};
  for (int i = 0; i < 6; i++) {
    ff_page_curve(study->page, names[i], FF_CURVE_LINE, whole->time, whole->channels[STORED + i],
                  whole->rows);
  }
  if (whole->run.id > 0) {
    ff_page_replay(study->page, whole->run);
    ff_page_ledger(study->page, whole->run);
  }
}

const ff_paper_part azad_roll = {.compute = compute_part, .report = report_part, .show = show_part};
