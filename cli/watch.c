/* footfall run --watch: a page on this machine that follows the run. */
#include "watch.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "http.h"
#include "progress.h"

enum {
  REFRESH_SECONDS = 2, /* between two requests of the page while the run goes on */
  REST_FACTOR = 9      /* of the time that a file took: until the run writes the next one */
};

/* What can be asked for: "/" and "/data". */
typedef enum watch_what { WATCH_PAGE, WATCH_DATA, WATCH_KINDS } watch_what;

struct ff_watch {
  const char *source;
  int listener, port;
  pthread_t thread;
  atomic_bool closing;
  atomic_bool wanted[WATCH_KINDS];
  pthread_mutex_t lock;   /* of all that follows */
  pthread_cond_t changed; /* a file was written, or the last state seen */
  double rest_until;      /* wall clock, s */
  bool ended, seen;       /* the run; its last state */
  ff_status status;       /* of the last file written */
  ff_report why;
  char folder[FF_CLI_FOLDER], files[WATCH_KINDS][FF_CLI_FOLDER + 16];
};

/* ---- thread of the run ----------------------------------------------------------------------- */

static ff_status watch_write_data(const ff_recording *recording, const char *path,
                                  ff_report *report) {
  const ff_recording_info *about = ff_recording_about(recording);
  ff_recorder *recorder;
  ff_status status = ff_recorder_create(&recorder, path, about, report);
  if (status != FF_OK) {
    return status;
  }
  double *row = ff_cli_alloc(about->count, sizeof *row);
  for (long k = 0; k < ff_recording_rows(recording) && status == FF_OK; k++) {
    for (int i = 0; i < about->count; i++) {
      row[i] = ff_recording_column(recording, i)[k];
    }
    status = ff_recorder_add(recorder, row);
  }
  free(row);
  return ff_recorder_close(&recorder, NULL, report);
}

/* Call with the lock. */
static void watch_write(ff_watch *watch, watch_what what, const ff_recording *recording) {
  double start = ff_wall_clock();
  const char *path = watch->files[what];
  watch->why = (ff_report){0};
  watch->status = what == WATCH_PAGE
                      ? ff_cli_write_recording(recording, watch->source, NULL, path, &watch->why)
                      : watch_write_data(recording, path, &watch->why);
  double now = ff_wall_clock();
  watch->rest_until = now + REST_FACTOR * (now - start);
  atomic_store(&watch->wanted[what], false);
  pthread_cond_broadcast(&watch->changed);
}

void ff_watch_update(ff_watch *watch, const ff_recording *recording) {
  for (int what = 0; what < WATCH_KINDS; what++) {
    if (atomic_load(&watch->wanted[what])) {
      pthread_mutex_lock(&watch->lock);
      if (ff_wall_clock() >= watch->rest_until) {
        watch_write(watch, (watch_what)what, recording);
      }
      pthread_mutex_unlock(&watch->lock);
    }
  }
}

/* Waits for a change, at most this long. Call with the lock. */
static bool watch_wait(ff_watch *watch, double seconds) {
  struct timespec until;
  clock_gettime(CLOCK_MONOTONIC, &until);
  long nano = until.tv_nsec + (long)(1e9 * seconds);
  until.tv_sec += nano / 1000000000;
  until.tv_nsec = nano % 1000000000;
  return pthread_cond_timedwait(&watch->changed, &watch->lock, &until) == 0;
}

ff_status ff_watch_finish(ff_watch *watch, const ff_recording *recording,
                          const volatile sig_atomic_t *stopped, ff_report *report) {
  pthread_mutex_lock(&watch->lock);
  watch->ended = true;
  watch_write(watch, WATCH_DATA, recording);
  if (watch->status == FF_OK) {
    watch_write(watch, WATCH_PAGE, recording);
  }
  ff_status status = watch->status;
  *report = watch->why;
  if (status == FF_OK && !*stopped) {
    fprintf(stderr,
            "footfall: the run has ended; http://127.0.0.1:%d/ shows it once more, Ctrl-C ends "
            "without\n",
            watch->port);
  }
  while (status == FF_OK && !watch->seen && !*stopped) {
    watch_wait(watch, 0.1);
  }
  pthread_mutex_unlock(&watch->lock);
  return status;
}

/* ---- thread of the server -------------------------------------------------------------------- */

/* The newest file, after asking the run for one: it comes with the next sample, else an older one
 * is sent. NULL: there is none yet, or why it could not be written. */
static FILE *watch_open(ff_watch *watch, watch_what what, bool *ended, char *why, size_t size) {
  pthread_mutex_lock(&watch->lock);
  double until = ff_wall_clock() + REFRESH_SECONDS;
  atomic_store(&watch->wanted[what], !watch->ended);
  while (atomic_load(&watch->wanted[what]) && !atomic_load(&watch->closing) &&
         ff_wall_clock() < until) {
    watch_wait(watch, 0.1);
  }
  *ended = watch->ended;
  FILE *file = watch->status == FF_OK ? fopen(watch->files[what], "rbe") : NULL;
  why[0] = '\0';
  if (watch->status != FF_OK) {
    snprintf(why, size, "%s: %s", ff_status_text(watch->status), watch->why.what);
  }
  pthread_mutex_unlock(&watch->lock);
  return file;
}

static void watch_send(ff_watch *watch, watch_what what, int connection) {
  static const char *const types[] = {
      [WATCH_PAGE] = "text/html; charset=utf-8", [WATCH_DATA] = "text/csv; charset=utf-8"};
  bool ended;
  char why[1024];
  FILE *file = watch_open(watch, what, &ended, why, sizeof why);
  int refresh = what == WATCH_PAGE && !ended ? REFRESH_SECONDS : 0;
  if (!file) {
    ff_http_send_text(connection, why[0] ? 500 : 503, refresh,
                      why[0] ? why : "The run has not yet taken a sample.");
    return;
  }
  bool sent = ff_http_send_file(connection, file, types[what], refresh, &watch->closing);
  fclose(file);
  if (sent && ended && what == WATCH_PAGE) {
    pthread_mutex_lock(&watch->lock);
    watch->seen = true;
    pthread_cond_broadcast(&watch->changed);
    pthread_mutex_unlock(&watch->lock);
  }
}

static void watch_answer(ff_watch *watch, int connection) {
  char target[FF_HTTP_TARGET];
  int status = ff_http_read(connection, watch->port, target);
  if (status == 200 && strcmp(target, "/") == 0) {
    watch_send(watch, WATCH_PAGE, connection);
  } else if (status == 200 && strcmp(target, "/data") == 0) {
    watch_send(watch, WATCH_DATA, connection);
  } else if (status == 200) {
    ff_http_send_text(connection, 404, 0, "There are / and /data.");
  } else if (status == 403) {
    ff_http_send_text(connection, status, 0, "Only for pages of 127.0.0.1 and localhost.");
  } else if (status != 0) {
    ff_http_send_text(connection, status, 0, "Only GET requests of a few lines are answered.");
  }
}

static void *watch_serve(void *context) {
  ff_watch *watch = context;
  while (!atomic_load(&watch->closing)) {
    struct pollfd listener = {.fd = watch->listener, .events = POLLIN};
    int connection = -1;
    if (poll(&listener, 1, 100) > 0) {
      connection = accept4(watch->listener, NULL, NULL, SOCK_CLOEXEC);
      if (connection < 0) { /* too many open files: not at once again */
        poll(NULL, 0, 100);
      }
    }
    if (connection >= 0) {
      watch_answer(watch, connection);
      close(connection);
    }
  }
  return NULL;
}

/* ---- life ------------------------------------------------------------------------------------ */

/* The thread takes no signals: they are for the run. */
static int watch_start_thread(ff_watch *watch) {
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  int error = pthread_create(&watch->thread, NULL, watch_serve, watch);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  return error;
}

static void watch_free(ff_watch *watch) {
  for (int what = 0; what < WATCH_KINDS; what++) {
    unlink(watch->files[what]);
  }
  rmdir(watch->folder);
  pthread_cond_destroy(&watch->changed);
  pthread_mutex_destroy(&watch->lock);
  free(watch);
}

ff_status ff_watch_start(ff_watch **out, const char *source, ff_report *report) {
  *out = NULL;
  ff_watch *watch = ff_cli_alloc(1, sizeof *watch);
  watch->source = source;
  ff_status status = ff_cli_make_folder(watch->folder, report);
  if (status != FF_OK) {
    free(watch);
    return status;
  }
  snprintf(watch->files[WATCH_PAGE], sizeof *watch->files, "%s/run.html", watch->folder);
  snprintf(watch->files[WATCH_DATA], sizeof *watch->files, "%s/run.csv", watch->folder);
  pthread_condattr_t monotonic;
  pthread_condattr_init(&monotonic);
  pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
  pthread_cond_init(&watch->changed, &monotonic);
  pthread_condattr_destroy(&monotonic);
  pthread_mutex_init(&watch->lock, NULL);
  watch->listener = ff_http_listen(&watch->port);
  int error = watch->listener < 0 ? errno : watch_start_thread(watch);
  if (error != 0) {
    snprintf(report->what, sizeof report->what, "--watch: cannot listen on 127.0.0.1: %s",
             strerror(error));
    if (watch->listener >= 0) {
      close(watch->listener);
    }
    watch_free(watch);
    return FF_ERROR_FILE;
  }
  fprintf(stderr, "http://127.0.0.1:%d/\n", watch->port);
  *out = watch;
  return FF_OK;
}

void ff_watch_destroy(ff_watch **at) {
  ff_watch *watch = *at;
  if (watch) {
    *at = NULL;
    atomic_store(&watch->closing, true);
    pthread_join(watch->thread, NULL);
    close(watch->listener);
    watch_free(watch);
  }
}
