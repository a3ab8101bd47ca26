/* Progress bar with the time left, on a terminal only. */
#ifndef FF_CLI_PROGRESS_H
#define FF_CLI_PROGRESS_H

#include <stdbool.h>

typedef struct ff_progress {
  bool shown;   /* the standard error is a terminal and the bar is enabled */
  bool drawn;   /* the line is not empty */
  double start; /* s, wall clock */
  double last;  /* s, of the last update */
} ff_progress;

double ff_wall_clock(void); /* s, monotonic clock */
ff_progress ff_progress_start(bool wanted);
/* Draws at most ten times a second. done: 0 .. 1. */
void ff_progress_show(ff_progress *progress, double done);
/* Draws a text instead of a bar, with the time since the start. Draws at most ten times a second.
 */
void ff_progress_say(ff_progress *progress, const char *text);
/* Clears the line. */
void ff_progress_end(ff_progress *progress);

#endif
