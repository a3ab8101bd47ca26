/* Summary of a run, as text and as JSON. */
#ifndef FF_CLI_SUMMARY_H
#define FF_CLI_SUMMARY_H

#include "cli.h"

typedef struct ff_summary {
  const char *scene; /* path */
  const ff_model *model;
  const ff_sim *sim;
  long touches, lifts;    /* events */
  const ff_event *events; /* the first of them, for recordings; NULL: omitted */
  int event_count;
  long samples; /* recorded */
  int channels;
  const char *incomplete;        /* why the run ended early; NULL or "": it did not */
  const ff_finding *certificate; /* of --certify; NULL: not asked for */
  double wall; /* s, wall time; NAN: omitted, so that equal runs give equal summaries */
} ff_summary;

void ff_summary_text(const ff_summary *summary, FILE *out);
void ff_summary_json(const ff_summary *summary, FILE *out);
/* The verdict, in one line and one more for each of several findings, with advice. */
void ff_summary_verdict(const ff_summary *summary, FILE *out);
/* Findings of the run, failures first; returns their number. */
int ff_summary_findings(const ff_summary *summary, ff_finding out[FF_FINDINGS_MOST]);
bool ff_summary_is_good(const ff_summary *summary); /* no failure */

#endif
