/* Application of the model: a foot on the ground. */
#include "brown.h"

#include <math.h>

enum { FX, FY, FZ, MX, MY, MZ, PX, PY, PZ, COUNT, CHANNELS };

typedef struct foot_part {
  const ff_trace *trace;
  double *cop, *free_moment; /* m, N m; NAN without load */
  double strike, off;        /* s */
  double first, last;        /* m, centre of pressure just after and just before */
  double peak;               /* N */
} foot_part;

static const char *const channels[CHANNELS] = {
    "contact.foot:ground.force.x",  "contact.foot:ground.force.y",  "contact.foot:ground.force.z",
    "contact.foot:ground.moment.x", "contact.foot:ground.moment.y", "contact.foot:ground.moment.z",
    "contact.foot:ground.point.x",  "contact.foot:ground.point.y",  "contact.foot:ground.point.z",
    "contact.foot:ground.count"};

/* Centre of pressure on the ground z = 0, and the free moment there. */
static void reduce(foot_part *part, long i) {
  double v[CHANNELS];
  for (int k = 0; k < CHANNELS; k++) {
    v[k] = part->trace->channels[k][i];
  }
  part->cop[i] = part->free_moment[i] = NAN;
  if (!(v[FZ] > 1)) {
    return;
  }
  double mx = v[MX] + v[PY] * v[FZ] - v[PZ] * v[FY], my = v[MY] + v[PZ] * v[FX] - v[PX] * v[FZ];
  double mz = v[MZ] + v[PX] * v[FY] - v[PY] * v[FX];
  double x = -my / v[FZ], y = mx / v[FZ];
  part->cop[i] = x;
  part->free_moment[i] = mz - (x * v[FY] - y * v[FX]);
  if (part->strike == 0) {
    part->strike = part->trace->time[i];
    part->first = x;
  }
  part->off = part->trace->time[i];
  part->last = x;
  part->peak = fmax(part->peak, v[FZ]);
}

static void *compute_part(ff_reproduction *study) {
  foot_part *part = ff_reproduction_alloc(study, 1, sizeof *part);
  part->trace = ff_reproduction_run(study, &(ff_trial){.scene = "scenes/foot-rollover.yaml",
                                                       .channels = channels,
                                                       .channel_count = CHANNELS,
                                                       .samples = 751,
                                                       .replay = true});
  part->cop = ff_reproduction_alloc(study, part->trace->rows, sizeof *part->cop);
  part->free_moment = ff_reproduction_alloc(study, part->trace->rows, sizeof *part->free_moment);
  for (long i = 0; i < part->trace->rows; i++) {
    reduce(part, i);
  }
  ff_reproduction_number(study, "foot.toe_off", part->off, "s");
  ff_reproduction_number(study, "foot.force_max", part->peak, "N");
  return part;
}

static void report_part(ff_reproduction *study, const void *computed) {
  const foot_part *part = computed;
  double residual = part->trace->audit.energy_residual / part->trace->audit.energy_scale;
  ff_reproduction_judge(study, "foot",
                        ff_reproduction_text(study,
                                             "one stance of %.3f s, peak %.0f N; centre of "
                                             "pressure travels from %.1f to %.1f cm; energy within "
                                             "%.0e",
                                             part->off - part->strike, part->peak,
                                             100 * part->first, 100 * part->last, residual),
                        part->last - part->first, residual);
}

static void show_part(ff_reproduction *study, const void *computed) {
  const foot_part *part = computed;
  const ff_trace *trace = part->trace;
  ff_page *page = study->page;
  ff_axis time = {"time", "s", false};
  ff_page_section(page, "A foot rolls over the ground");
  ff_page_text(page, "Heel, ball and toes are ellipsoids on a rigid sole. Force and torque at the "
                     "ankle are those that hold it in equilibrium at a chosen pitch under a "
                     "walker's load; a damped spring at the knee keeps the pitch. Force "
                     "plate data:");
  ff_page_plot(page, "Ground reaction force", time, (ff_axis){"force on the foot", "N", false});
  ff_page_curve(page, "forward", FF_CURVE_LINE, trace->time, trace->channels[FX], trace->rows);
  ff_page_curve(page, "up", FF_CURVE_LINE, trace->time, trace->channels[FZ], trace->rows);
  ff_page_plot(page, "Centre of pressure", time,
               (ff_axis){"forward of the ankle's start", "m", false});
  ff_page_curve(page, "centre of pressure", FF_CURVE_LINE, trace->time, part->cop, trace->rows);
  ff_page_plot(page, "Free moment", time, (ff_axis){"about the vertical", "N m", false});
  ff_page_curve(page, "free moment", FF_CURVE_LINE, trace->time, part->free_moment, trace->rows);
  if (trace->run.id > 0) {
    ff_page_replay(page, trace->run);
    ff_page_ledger(page, trace->run);
  }
}

const ff_paper_part brown_foot = {
    .compute = compute_part, .report = report_part, .show = show_part};
