/* Evaluation of the falling bodies of the paper. */
#include "chakraborty.h"

#include <math.h>

void fall_take_apart(ff_reproduction *study, fall_part *out, const double *depth,
                     const double *force, double k, double c) {
  const ff_trace *trace = out->trace;
  out->spring = ff_reproduction_alloc(study, trace->rows, sizeof *out->spring);
  out->core = ff_reproduction_alloc(study, trace->rows, sizeof *out->core);
  out->step = trace->time[1];
  out->touch = out->core_time = out->after = NAN;
  for (long i = 1; i < trace->rows; i++) {
    double now = fmax(depth[i], 0), before = fmax(depth[i - 1], 0);
    double spring = force[i] > 0 ? fmax(k * now + c * (now - before) / out->step, 0) : 0;
    double core = force[i] - spring;
    out->spring[i] = spring;
    out->core[i] = core > 1e-6 * force[i] ? core : 0; /* smaller values are rounding */
    out->touch = isnan(out->touch) && force[i] > 0 ? trace->time[i] : out->touch;
    out->deepest = fmax(out->deepest, depth[i]);
    out->peak = fmax(out->peak, spring);
    out->core_peak = fmax(out->core_peak, out->core[i]);
    out->core_impulse += out->step * out->core[i];
    if (out->core[i] > 0) {
      out->core_time = isnan(out->core_time) ? trace->time[i] : out->core_time;
      out->after = isnan(out->after) || trace->time[i] < out->after + 2 * out->step ? trace->time[i]
                                                                                    : out->after;
    }
  }
}

void fall_curve(ff_reproduction *study, const fall_part *fall, const char *name,
                const double *values) {
  enum { STRIDE = 10 };
  const double *time = fall->trace->time;
  long last = fall->trace->rows - 1;
  double low = INFINITY, high = -INFINITY;
  for (long i = 0; i <= last; i++) {
    low = fmin(low, values[i]);
    high = fmax(high, values[i]);
  }
  ff_cloud points = {0};
  for (long i = 0; i <= last; i++) {
    double jump = fmax(i > 0 ? fabs(values[i] - values[i - 1]) : 0,
                       i < last ? fabs(values[i + 1] - values[i]) : 0);
    if (i % STRIDE == 0 || i == last || jump > 2e-3 * (high - low)) {
      ff_cloud_add(study, &points, time[i], values[i]);
    }
  }
  ff_page_curve(study->page, name, FF_CURVE_LINE, points.x, points.y, points.count);
}
