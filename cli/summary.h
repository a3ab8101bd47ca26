/* What is said at the end of a run, for people and for programs. */
#ifndef FF_CLI_SUMMARY_H
#define FF_CLI_SUMMARY_H

#include "cli.h"

typedef struct ff_summary {
  const char *scene; /* path */
  const ff_model *model;
  const ff_sim *sim;
  long touches, lifts;    /* events */
  const ff_event *events; /* the first of them, for recordings; NULL: leave them out */
  int event_count;
  long samples; /* recorded */
  int channels;
  double wall; /* s it took; NAN: leave it out, so that equal runs give equal summaries */
} ff_summary;

void ff_summary_text(const ff_summary *summary, FILE *out);
void ff_summary_json(const ff_summary *summary, FILE *out);
/* One line: was it good, and if not what would do. */
void ff_summary_verdict(const ff_summary *summary, FILE *out);

#endif
