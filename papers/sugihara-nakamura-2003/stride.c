/* Walking with and without static friction, Fig. 9. */
#include "sugihara.h"

#include <math.h>
#include <time.h>

enum { WAYS = 2, SAMPLES = 6001, AXES = 3 };

static const char *const ways[WAYS] = {"with static friction", "without static friction"};
static const double step = 1e-3, smooth = 0.05; /* s, of a sample; of the moving mean */

typedef struct stride {
  const ff_trace *trace;
  double *acceleration[AXES]; /* m/s^2, of the centre of mass */
  double dither[AXES];        /* m/s^2, root mean square of the difference from the moving mean */
  double cycle;               /* s, processor time of a step, reading and sampling included */
  bool ended;
} stride;

typedef struct stride_part {
  stride strides[WAYS];
} stride_part;

/* Difference of a signal from its moving mean. */
static double fast_part(const double *signal, long rows) {
  long half = (long)(0.5 * smooth / step);
  double sum = 0, squares = 0;
  long count = 0;
  for (long i = 0; i < 2 * half + 1 && i < rows; i++) {
    sum += signal[i];
  }
  for (long i = half; i + half + 1 < rows; i++) {
    double fast = signal[i] - sum / (double)(2 * half + 1);
    squares += fast * fast;
    count++;
    sum += signal[i + half + 1] - signal[i - half];
  }
  return count > 0 ? sqrt(squares / (double)count) : NAN;
}

static stride run(ff_reproduction *study, bool sticking) {
  static const char *const channels[] = {"robot.humanoid.com.x", "robot.humanoid.com.y",
                                         "robot.humanoid.com.z"};
  const char *const set[] = {sticking ? "stepper.sticking=true" : "stepper.sticking=false"};
  stride out = {0};
  clock_t start = clock();
  out.trace =
      ff_reproduction_run(study, &(ff_trial){.scene = "papers/sugihara-nakamura-2003/walk.yaml",
                                             .set = set,
                                             .set_count = 1,
                                             .channels = channels,
                                             .channel_count = AXES,
                                             .samples = SAMPLES,
                                             .as_given = true,
                                             .may_fail = true});
  out.cycle = (double)(clock() - start) / CLOCKS_PER_SEC / (double)out.trace->rows;
  long rows = out.trace->rows;
  for (int k = 0; k < AXES; k++) {
    const double *x = out.trace->channels[k];
    double *a = ff_reproduction_alloc(study, SAMPLES, sizeof *a);
    for (long i = 1; i + 1 < rows; i++) {
      a[i] = (x[i + 1] - 2 * x[i] + x[i - 1]) / (step * step);
    }
    out.acceleration[k] = a;
    out.dither[k] = fast_part(a, rows);
  }
  out.ended = rows < SAMPLES || !(out.trace->channels[2][rows - 1] > 0.2);
  return out;
}

static void *compute_part(ff_reproduction *study) {
  stride_part *part = ff_reproduction_alloc(study, 1, sizeof *part);
  static const char *const names[WAYS] = {"sticking", "slipping"}, axes[] = "xyz";
  for (int w = 0; w < WAYS; w++) {
    part->strides[w] = run(study, w == 0);
    for (int k = 0; k < AXES; k++) {
      ff_reproduction_number(study,
                             ff_reproduction_text(study, "walk.%s.dither.%c", names[w], axes[k]),
                             part->strides[w].dither[k], "m/s^2");
    }
  }
  return part;
}

/* Processor time is judged in optimised programs only, not in those that check themselves. */
static void report_cycle(ff_reproduction *study, const stride_part *part) {
  double cycle = fmax(part->strides[0].cycle, part->strides[1].cycle);
#if defined(__OPTIMIZE__) && !defined(__SANITIZE_ADDRESS__)
  ff_reproduction_judge(
      study, "cycle",
      ff_reproduction_text(study, "%.3f ms, %.0f times less", 1e3 * cycle, 1.5e-3 / cycle),
      1e3 * cycle);
#else
  ff_reproduction_leave(
      study, "cycle",
      ff_reproduction_text(study, "%.3f ms in a program that is not optimised", 1e3 * cycle));
#endif
}

static void report_part(ff_reproduction *study, const void *computed) {
  const stride_part *part = computed;
  const stride *sticks = &part->strides[0], *slips = &part->strides[1];
  ff_reproduction_judge(study, "walks",
                        ff_reproduction_text(study, "%s, %s", sticks->ended ? "falls" : "walks",
                                             slips->ended ? "falls" : "walks"),
                        !sticks->ended, !slips->ended);
  double off = 0;
  long rows = slips->trace->rows < sticks->trace->rows ? slips->trace->rows : sticks->trace->rows;
  for (long i = 0; i < rows; i++) {
    off = fmax(off, hypot(slips->trace->channels[0][i] - sticks->trace->channels[0][i],
                          slips->trace->channels[1][i] - sticks->trace->channels[1][i]));
  }
  double way = sticks->trace->channels[0][rows - 1];
  ff_reproduction_judge(
      study, "similar-paths",
      ff_reproduction_text(study, "at most %.0f mm apart on %.0f mm", 1e3 * off, 1e3 * way),
      off / way);
  const double *a = sticks->dither, *b = slips->dither;
  ff_reproduction_judge(study, "dither",
                        ff_reproduction_text(study,
                                             "fast part %.2f / %.2f m/s² along x / y with, %.2f / "
                                             "%.2f without",
                                             a[0], a[1], b[0], b[1]),
                        b[0] / a[0], b[1] / a[1]);
  report_cycle(study, part);
}

static void show_part(ff_reproduction *study, const void *computed) {
  const stride_part *part = computed;
  static const char *const axes[2] = {"forward", "sideways"};
  ff_page_section(study->page, "Fig. 9: walking with and without static friction");
  ff_page_text(study->page,
               "Six steps of 40 mm, controlled by the built-in controller. The fast part of the "
               "acceleration is its difference from a moving mean over 50 ms.");
  ff_page_plot(study->page, "Fig. 9 (A), (D): path of the centre of mass",
               (ff_axis){"x", "m", false}, (ff_axis){"y", "m", false});
  for (int w = 0; w < WAYS; w++) {
    const ff_trace *trace = part->strides[w].trace;
    ff_page_curve(study->page, ways[w], w == 0 ? FF_CURVE_LINE : FF_CURVE_DASH, trace->channels[0],
                  trace->channels[1], trace->rows);
  }
  for (int w = 0; w < WAYS; w++) {
    for (int k = 0; k < 2; k++) {
      const stride *s = &part->strides[w];
      ff_page_plot(study->page,
                   ff_reproduction_text(study, "Fig. 9: acceleration %s, %s", axes[k], ways[w]),
                   (ff_axis){"time", "s", false}, (ff_axis){"acceleration", "m/s²", false});
      ff_page_curve(study->page, "centre of mass", FF_CURVE_LINE, s->trace->time,
                    s->acceleration[k], s->trace->rows);
    }
  }
}

const ff_paper_part sugihara_stride = {
    .compute = compute_part, .report = report_part, .show = show_part};
