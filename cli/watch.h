/* A page on this machine that follows a run: http://127.0.0.1:PORT/ and its samples as /data.
 *
 * A thread answers requests. The thread of the run writes what was asked for, after a sample, so
 * that nothing is read while it changes. */
#ifndef FF_CLI_WATCH_H
#define FF_CLI_WATCH_H

#include <signal.h>

#include "cli.h"

typedef struct ff_watch ff_watch;

/* Listens on a free port and prints the address on the standard error. source: name of the scene
 * shown to readers, must outlive the watch. The build must have a page (ff_page_available). */
ff_status ff_watch_start(ff_watch **out, const char *source, ff_report *report);
/* Call after each sample: writes what was asked for. At most a tenth of the time goes into it. */
void ff_watch_update(ff_watch *watch, const ff_recording *recording);
/* Call after the end of the run: returns when the last state was seen, or when a signal has set
 * *stopped. */
ff_status ff_watch_finish(ff_watch *watch, const ff_recording *recording,
                          const volatile sig_atomic_t *stopped, ff_report *report);
void ff_watch_destroy(ff_watch **watch);

#endif
