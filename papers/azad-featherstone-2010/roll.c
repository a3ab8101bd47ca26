/* The rolling sphere, Figs. 13 to 16. */
#include "azad.h"

#include <math.h>

enum {
  X,
  SLIP,
  FRICTION,
  MODE,
  STORED,
  DEPTH,
  DAMPED_N,
  DAMPED_T,
  CLUTCH,
  VISCOUS,
  NORMAL,
  FRICTION_Y,
  CHANNELS
};

typedef struct roll_part {
  const ff_trace *whole, *first; /* 1 s, and the first bounce in steps of 10 us */
  double stick;                  /* s, longest stick phase in the first bounce */
  double stick_from, peak_at;    /* s, its start, and the peak of the normal force */
  double stick_force;            /* 1, normal force at its start over the peak */
  double rolls_from;             /* s, last instant of slip */
  double slip_at_half;           /* m/s, fastest slip from 0.5 s on */
  double path;                   /* J, eq. 33 at the end */
  double unequal;         /* 1, largest difference of friction along x and y over the largest */
  ff_smoothness friction; /* of the first bounce */
  bool slips_first, slips_last;
} roll_part;

static const ff_trace *run(ff_reproduction *study, const char *const *set, int count, long samples,
                           bool replay) {
  static const char *const channels[CHANNELS] = {
      "body.ball.position.x",    "contact.ball:floor.slip",    "contact.ball:floor.force.x",
      "contact.ball:floor.mode", "energy.spring.tangent",      "energy.lost.depth",
      "energy.lost.normal",      "energy.lost.tangent",        "energy.lost.slip",
      "energy.lost.viscous",     "contact.ball:floor.force.n", "contact.ball:floor.force.y"};
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
  const double *mode = part->first->channels[MODE], *normal = part->first->channels[NORMAL];
  double since = NAN, peak = 0, at_stick = 0;
  bool touched = false;
  for (long i = 1; i < part->first->rows; i++) {
    double t = part->first->time[i];
    if (!touched && mode[i] != FF_OPEN) {
      touched = true;
      part->slips_first = mode[i] == FF_SLIP;
    }
    part->peak_at = normal[i] > peak ? t : part->peak_at;
    peak = fmax(peak, normal[i]);
    if (mode[i] == FF_STICK) {
      at_stick = isnan(since) ? normal[i] : at_stick;
      since = isnan(since) ? t : since;
      part->stick = fmax(part->stick, t - since);
      part->stick_from = since;
    } else {
      part->slips_last = part->slips_last || (!isnan(since) && mode[i] == FF_SLIP);
      since = NAN;
    }
  }
  part->stick_force = at_stick / peak;
  part->friction = ff_smoothness_of(part->first->channels[FRICTION], part->first->rows);
}

static double largest_inequality(const ff_trace *trace) {
  double largest = 0, off = 0;
  for (long i = 0; i < trace->rows; i++) {
    double x = trace->channels[FRICTION][i], y = trace->channels[FRICTION_Y][i];
    largest = fmax(largest, fabs(x));
    off = fmax(off, fabs(x - y));
  }
  return off / largest;
}

static void *compute_part(ff_reproduction *study) {
  /* From 0.1 mm above the ground; 2 us between samples. */
  const char *const brief[] = {"duration=5e-3", "bodies.ball.position=[0, 0, 0.0166]",
                               ff_reproduction_text(study, "bodies.ball.velocity=[0.5, 0.5, %.17g]",
                                                    -sqrt(2 * 9.81 * (0.1 - 0.0166)))};
  roll_part *part = ff_reproduction_alloc(study, 1, sizeof *part);
  part->whole = run(study, NULL, 0, study->quick ? 2001 : 10001, true);
  part->first = run(study, brief, 3, 2501, false);
  look_at_first(part);
  part->unequal = largest_inequality(part->whole);
  for (long i = 0; i < part->whole->rows; i++) {
    if (part->whole->channels[MODE][i] == FF_SLIP || part->whole->channels[MODE][i] == FF_OPEN) {
      part->rolls_from = part->whole->time[i];
    }
    if (part->whole->time[i] >= 0.5) {
      part->slip_at_half = fmax(part->slip_at_half, part->whole->channels[SLIP][i]);
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
  ff_reproduction_judge(study, "same-friction",
                        ff_reproduction_text(study, "differ by %.1g of the largest", part->unequal),
                        part->unequal);
  ff_reproduction_judge(study, "stick",
                        ff_reproduction_text(study, "slips, sticks for %.2f ms%s",
                                             1e3 * part->stick, part->slips_last ? ", slips" : ""),
                        part->slips_first, part->slips_last, part->stick);
  ff_reproduction_judge(
      study, "stick-at-peak",
      ff_reproduction_text(study, "at %.3f of the peak force, %.3f ms before the peak",
                           part->stick_force, 1e3 * (part->peak_at - part->stick_from)),
      part->stick_force, part->peak_at - part->stick_from);
  ff_reproduction_judge(study, "friction-continuous",
                        ff_reproduction_text(study,
                                             "with half the interval changes are %.2f times as "
                                             "large, those of the slope %.2f times",
                                             part->friction.jump, part->friction.kink),
                        part->friction.jump, part->friction.kink);
  ff_reproduction_judge(study, "rolls",
                        ff_reproduction_text(study,
                                             "from %.3f s; slips at up to %.3f m/s after 0.5 s",
                                             part->rolls_from, part->slip_at_half),
                        part->rolls_from, part->rolls_from);
  double residual = part->whole->audit.energy_residual / part->whole->audit.energy_scale;
  ff_reproduction_judge(
      study, "roll-energy",
      ff_reproduction_text(study, "within %.1g of the energy exchanged", residual), residual);
  ff_reproduction_judge(
      study, "tangential-energy",
      ff_reproduction_text(study, "%.9f J at the end, with the spring at rest", part->path),
      part->path);
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
  ff_page_curve(study->page, "simulated", FF_CURVE_LINE, first->time, first->channels[FRICTION],
                first->rows);
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
