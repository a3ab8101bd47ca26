#include "progress.h"

#include <stdio.h>
#include <time.h>
#include <unistd.h>

double ff_wall_clock(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

ff_progress ff_progress_start(bool wanted) {
  double now = ff_wall_clock();
  return (ff_progress){.shown = wanted && isatty(STDERR_FILENO), .start = now, .last = now};
}

void ff_progress_show(ff_progress *progress, double done) {
  enum { WIDTH = 40 };
  if (!progress->shown) {
    return;
  }
  double now = ff_wall_clock();
  if (now - progress->last < 0.1) {
    return;
  }
  progress->last = now;
  char bar[WIDTH + 1];
  int full = (int)(done * WIDTH);
  for (int i = 0; i < WIDTH; i++) {
    bar[i] = i < full ? '#' : '.';
  }
  bar[WIDTH] = '\0';
  fprintf(stderr, "\r[%s] %3.0f %%", bar, 100 * done);
  if (done > 0) {
    fprintf(stderr, ", %.0f s left\033[K", (now - progress->start) * (1 - done) / done);
  }
  fflush(stderr);
  progress->drawn = true;
}

void ff_progress_say(ff_progress *progress, const char *text) {
  double now = ff_wall_clock();
  if (!progress->shown || (progress->drawn && now - progress->last < 0.1)) {
    return;
  }
  progress->last = now;
  fprintf(stderr, "\r%s, %.0f s\033[K", text, now - progress->start);
  fflush(stderr);
  progress->drawn = true;
}

void ff_progress_end(ff_progress *progress) {
  if (progress->drawn) {
    fputs("\r\033[K", stderr);
    progress->drawn = false;
  }
}
