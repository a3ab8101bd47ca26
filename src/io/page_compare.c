/* Comparison of recordings in a page: what they share, and how far they are apart. The first one is
 * the reference. */
#include "base/memory.h"
#include "base/report.h"
#include "io/page.h"
#include "io/recorder.h"
#include "math/vec.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS_SHOWN = 60 };

/* Of a channel in another recording, at the times of the reference that both cover. */
typedef struct deviation {
  int channel, other; /* of the reference; number of the recording */
  double most, at;    /* largest difference, its time, s */
  double rms, range;  /* range: of the reference */
} deviation;

static int compare_find(const ff_recording *recording, const char *name) {
  const ff_recording_info *info = ff_recording_about(recording);
  for (int i = 0; i < info->count; i++) {
    if (strcmp(info->names[i], name) == 0) {
      return i;
    }
  }
  return -1;
}

/* "1" and no unit are the same. */
static bool compare_same_unit(const char *a, const char *b) {
  a = strcmp(a, "1") == 0 ? "" : a;
  b = strcmp(b, "1") == 0 ? "" : b;
  return strcmp(a, b) == 0 || a[0] == '\0' || b[0] == '\0';
}

static ff_status compare_fail_unshared(const ff_recording *first, const ff_recording *other,
                                       const char *const *names, int which, ff_report *report) {
  const ff_recording_info *about = ff_recording_about(other), *known = ff_recording_about(first);
  const char *column = about->count > 1 ? about->names[1] : "";
  ff_report near = {0};
  ff_report_unknown(&near, "channel", column, known->names, known->count);
  char what[320];
  snprintf(what, sizeof what, "no column has the name of a channel of '%.60s'; '%.60s' is unknown",
           names[0], column);
  ff_recording_bad(report, names[which], what);
  if (report) {
    memcpy(report->nearest, near.nearest, sizeof near.nearest);
  }
  return FF_ERROR_INPUT;
}

/* Every recording shares a channel with the first, in the same unit, and some time. */
static ff_status compare_check(const ff_recording *const *all, const char *const *names, int count,
                               ff_report *report) {
  const ff_recording_info *first = ff_recording_about(all[0]);
  for (int k = 1; k < count; k++) {
    int shared = 0;
    for (int i = 1; i < first->count; i++) {
      int column = compare_find(all[k], first->names[i]);
      if (column < 0) {
        continue;
      }
      shared++;
      const char *unit = ff_recording_about(all[k])->units[column];
      if (!compare_same_unit(first->units[i], unit)) {
        char what[256];
        snprintf(what, sizeof what, "'%.100s' is in %.20s, but in %.20s in '%.60s'",
                 first->names[i], unit, first->units[i], names[0]);
        return ff_recording_bad(report, names[k], what);
      }
    }
    if (shared == 0) {
      return compare_fail_unshared(all[0], all[k], names, k, report);
    }
    long rows = ff_recording_rows(all[k]), own = ff_recording_rows(all[0]);
    const double *t = ff_recording_column(all[k], 0), *t0 = ff_recording_column(all[0], 0);
    if (rows < 1 || own < 1 || t[0] > t0[own - 1] || t[rows - 1] < t0[0]) {
      char what[128];
      snprintf(what, sizeof what, "has no time in common with '%.60s'", names[0]);
      return ff_recording_bad(report, names[k], what);
    }
  }
  return FF_OK;
}

/* Linear interpolation at the times of the reference. */
static deviation compare_channel(const ff_recording *first, const ff_recording *other, int channel,
                                 int column) {
  const double *t0 = ff_recording_column(first, 0), *y0 = ff_recording_column(first, channel);
  const double *t = ff_recording_column(other, 0), *y = ff_recording_column(other, column);
  long rows = ff_recording_rows(first), others = ff_recording_rows(other), at = 0, n = 0;
  deviation out = {.channel = channel};
  double sum = 0, low = INFINITY, high = -INFINITY;
  for (long i = 0; i < rows; i++) {
    low = isfinite(y0[i]) ? fmin(low, y0[i]) : low;
    high = isfinite(y0[i]) ? fmax(high, y0[i]) : high;
    if (t0[i] < t[0] || t0[i] > t[others - 1]) {
      continue;
    }
    while (at + 2 < others && t[at + 1] <= t0[i]) {
      at++;
    }
    long next = at + 1 < others ? at + 1 : at;
    double span = t[next] - t[at], part = span > 0 ? (t0[i] - t[at]) / span : 0;
    double gap = y[at] + part * (y[next] - y[at]) - y0[i];
    if (isfinite(gap)) {
      sum += gap * gap;
      n++;
      if (fabs(gap) > fabs(out.most)) {
        out.most = gap;
        out.at = t0[i];
      }
    }
  }
  out.rms = n > 0 ? sqrt(sum / (double)n) : NAN;
  out.range = high > low ? high - low : 0;
  return out;
}

static double compare_weight(const deviation *d) {
  return d->range > 0 ? d->rms / d->range : d->rms > 0 ? INFINITY : 0;
}
/* Largest difference relative to the range first; then in the order of channels. */
static int compare_order(const void *a, const void *b) {
  const deviation *p = a, *q = b;
  double wp = compare_weight(p), wq = compare_weight(q);
  return wp > wq                    ? -1
         : wp < wq                  ? 1
         : p->channel != q->channel ? p->channel - q->channel
                                    : p->other - q->other;
}

static void compare_add_rows(ff_page *page, const ff_recording *first, const char *const *names,
                             const deviation *list, int count) {
  static const char *const columns[] = {"channel", "of",  "largest difference",
                                        "at",      "RMS", "RMS / range"};
  const ff_recording_info *info = ff_recording_about(first);
  ff_page_table(page, "Differences from the first, at its times, the largest first", columns, 6);
  for (int i = 0; i < count && i < ROWS_SHOWN; i++) {
    const deviation *d = &list[i];
    const char *unit = strcmp(info->units[d->channel], "1") == 0 ? "" : info->units[d->channel];
    char most[64], at[64], rms[64], relative[64] = "";
    snprintf(most, sizeof most, "%.4g %s", d->most, unit);
    snprintf(at, sizeof at, "%.4g s", d->at);
    snprintf(rms, sizeof rms, "%.3g %s", d->rms, unit);
    if (d->range > 0) {
      snprintf(relative, sizeof relative, "%.2g %%", 100 * compare_weight(d));
    }
    ff_page_row(
        page, (const char *[]){info->names[d->channel], names[d->other], most, at, rms, relative});
  }
}

static ff_status compare_add_table(ff_page *page, const ff_recording *const *all,
                                   const char *const *names, int count) {
  int channels = ff_recording_about(all[0])->count, used = 0, same = 0;
  deviation *list = ff_alloc((size_t)channels * (size_t)(count - 1), sizeof *list);
  if (!list) {
    return FF_ERROR_MEMORY;
  }
  for (int i = 1; i < channels; i++) {
    for (int k = 1; k < count; k++) {
      int column = compare_find(all[k], ff_recording_about(all[0])->names[i]);
      if (column >= 0) {
        list[used] = compare_channel(all[0], all[k], i, column);
        list[used].other = k;
        same += list[used].rms == 0;
        used += list[used].rms != 0;
      }
    }
  }
  qsort(list, (size_t)used, sizeof *list, compare_order);
  compare_add_rows(page, all[0], names, list, used);
  ff_page_text(page, "Shared channels that differ: %d%s. Equal at all times: %d.", used,
               used > ROWS_SHOWN ? ", the first 60 are listed" : "", same);
  ff_free(list);
  return FF_OK;
}

ff_status ff_page_compare(ff_page *page, const ff_recording *const *recordings,
                          const char *const *names, int count, ff_report *report) {
  ff_status status = count < 2 ? FF_ERROR_INPUT : compare_check(recordings, names, count, report);
  int ids[FF_PAGE_COMPARE_MOST];
  for (int k = 0; k < count && status == FF_OK; k++) {
    ff_page_run run;
    status = ff_page_add_run(&run, page, recordings[k]);
    ids[k] = run.id;
  }
  if (status != FF_OK) {
    ff_page_fail(page, status, "");
    return status;
  }
  ff_page_section(page, "Replay and plots");
  ff_page_add_comparison(page, ids, names, count);
  ff_page_section(page, "Differences");
  status = compare_add_table(page, recordings, names, count);
  for (int k = 0; k < count && status == FF_OK; k++) {
    ff_page_section(page, names[k]);
    ff_page_results(page, (ff_page_run){ids[k]});
    ff_page_summary(page, (ff_page_run){ids[k]});
  }
  return status;
}
