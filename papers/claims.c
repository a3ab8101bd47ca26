/* Judging of claims by their criteria. */
#include <stdio.h>
#include <string.h>

#include "papers/paper.h"

static ff_outcome *outcome_of(ff_reproduction *study, const char *key, int count) {
  ff_report report = {0};
  for (int i = 0; i < study->outcome_count; i++) {
    ff_outcome *outcome = &study->outcomes[i];
    if (strcmp(outcome->claim->key, key) == 0) {
      if (!outcome->found && (count == 0 || count == ff_claim_criteria(outcome->claim))) {
        return outcome;
      }
      snprintf(report.what, sizeof report.what, "claim '%s' is judged twice or by %d values", key,
               count);
      study->fail(study->context, FF_ERROR_INPUT, &report);
    }
  }
  snprintf(report.what, sizeof report.what, "there is no claim '%s'", key);
  study->fail(study->context, FF_ERROR_INPUT, &report);
  return NULL;
}

int ff_claim_criteria(const ff_paper_claim *claim) {
  int count = 0;
  while (count < FF_CRITERIA && claim->criteria[count].what) {
    count++;
  }
  return count;
}

bool ff_outcome_surprises(const ff_outcome *outcome) {
  return outcome->verdict != FF_CLAIM_HOLDS && outcome->verdict != outcome->claim->known;
}

static const char *unit_text(const ff_criterion *c) {
  return c->unit && strcmp(c->unit, "1") != 0 ? c->unit : "";
}

static const char *values_text(ff_reproduction *study, const ff_outcome *outcome) {
  const char *text = "";
  for (int i = 0; i < ff_claim_criteria(outcome->claim); i++) {
    const char *unit = unit_text(&outcome->claim->criteria[i]);
    text = ff_reproduction_text(study, "%s%s%.4g%s%s", text, i ? "; " : "", outcome->values[i],
                                unit[0] ? " " : "", unit);
  }
  return text;
}

void ff_reproduction_judge_values(ff_reproduction *study, const char *key, const char *found,
                                  const double *values, int count) {
  ff_outcome *outcome = outcome_of(study, key, count);
  int met = 0;
  for (int i = 0; i < count; i++) {
    const ff_criterion *c = &outcome->claim->criteria[i];
    outcome->values[i] = values[i];
    met += values[i] >= c->low && values[i] <= c->high; /* NAN: not met */
  }
  outcome->found = found ? found : values_text(study, outcome);
  outcome->verdict = met == count ? FF_CLAIM_HOLDS : met > 0 ? FF_CLAIM_PARTLY : FF_CLAIM_DIFFERS;
}

void ff_reproduction_leave(ff_reproduction *study, const char *key, const char *found) {
  ff_outcome *outcome = outcome_of(study, key, 0);
  outcome->found = found ? found : "-";
  outcome->verdict = FF_CLAIM_NOT_TESTED;
}

const char *ff_claim_criterion_text(ff_reproduction *study, const ff_paper_claim *claim) {
  const char *text = "";
  for (int i = 0; i < ff_claim_criteria(claim); i++) {
    const ff_criterion *c = &claim->criteria[i];
    const char *unit = unit_text(c), *gap = unit[0] ? " " : "", *join = i ? "; " : "";
    if (c->low == c->high) {
      text = ff_reproduction_text(study, "%s%s%s = %g%s%s", text, join, c->what, c->low, gap, unit);
    } else if (isinf(c->low)) {
      text =
          ff_reproduction_text(study, "%s%s%s ≤ %g%s%s", text, join, c->what, c->high, gap, unit);
    } else if (isinf(c->high)) {
      text = ff_reproduction_text(study, "%s%s%s ≥ %g%s%s", text, join, c->what, c->low, gap, unit);
    } else {
      text = ff_reproduction_text(study, "%s%s%s from %g to %g%s%s", text, join, c->what, c->low,
                                  c->high, gap, unit);
    }
  }
  return text;
}

/* ---- refinement -------------------------------------------------------------------------------
 */

/* Largest change over a stride, and largest change of the slope there, times the interval. */
static ff_smoothness changes(const double *values, long count, long stride) {
  ff_smoothness out = {0};
  for (long i = stride; i < count; i++) {
    out.jump = fmax(out.jump, fabs(values[i] - values[i - stride]));
    if (i + stride < count) {
      double bend = values[i + stride] - 2 * values[i] + values[i - stride];
      out.kink = fmax(out.kink, fabs(bend) / (double)stride);
    }
  }
  return out;
}

/* Mean of four halvings. */
ff_smoothness ff_smoothness_of(const double *values, long count) {
  ff_smoothness coarse = changes(values, count, 16), fine = changes(values, count, 1);
  return (ff_smoothness){coarse.jump > 0 ? pow(fine.jump / coarse.jump, 0.25) : 0,
                         coarse.kink > 0 ? pow(fine.kink / coarse.kink, 0.25) : 0};
}

/* ---- variations ------------------------------------------------------------------------------ */

double ff_reproduction_step(const ff_reproduction *study, double step) {
  return step * study->variation.step;
}

long ff_reproduction_samples(const ff_reproduction *study, long samples) {
  return 1 + 2 * lround(0.5 * (double)(samples - 1) * study->variation.sampling);
}

/* SplitMix64 (Steele, Lea, Flood 2014). */
double ff_reproduction_random(ff_reproduction *study) {
  uint64_t x = study->random += 0x9E3779B97F4A7C15u;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
  return (double)((x ^ (x >> 31)) >> 11) * 0x1p-53;
}
