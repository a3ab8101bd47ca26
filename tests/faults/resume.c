/* Resume: every scene under each stepper, interrupted at a random moment by SIGKILL and by SIGINT,
 * and continued from its checkpoint. The recording must equal that of an undisturbed run in every
 * byte. */
#include "faults.h"

#include <dirent.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#define QUICK 10.0 /* s of wall time that a run may take; else a shorter one is chosen */

/* A scene under a stepper. */
typedef struct trial {
  char command[2 * TEXT]; /* without outputs */
  long writes;            /* of a run with checkpoints */
  double time;            /* s, wall time of an undisturbed run */
} trial;

static int is_scene(const struct dirent *entry) {
  size_t length = strlen(entry->d_name);
  return length > 5 && strcmp(entry->d_name + length - 5, ".yaml") == 0;
}

static void remove_results(void) {
  unlink("out.h5");
  unlink("out.h5.part");
  unlink("new.ckpt");
}

static void command_of(const trial *t, const char *more, char out[4 * TEXT]) {
  snprintf(out, 4 * TEXT, "%s %s", t->command, more);
}

static const char with_checkpoints[] = "-o out.h5 --checkpoint new.ckpt --checkpoint-every 0";

/* The undisturbed run, as whole.h5. False: the stepper cannot run the scene. A run that fails, or
 * whose verdict is not good, is as good as any: it must fail again in the same way. */
static bool make_whole(trial *t, const char *scene, const char *stepper) {
  static const char *const durations[] = {"0.1", "0.02", "0.004"};
  static const char *const steps[] = {"", "--set stepper.step=1e-3 "};
  char words[4 * TEXT];
  for (int i = 0; i < 6; i++) {
    snprintf(t->command, sizeof t->command,
             "run %s/scenes/%s -q --set stepper.kind=%s %s--set duration=%s --set "
             "record.every=0.002",
             source, scene, stepper, steps[i % 2], durations[i / 2]);
    unlink("out.h5");
    command_of(t, "-o out.h5", words);
    int status = 0;
    double before = seconds();
    bool ended = finish_within(start(words, (fault){0}), QUICK, &status);
    t->time = seconds() - before;
    if (!ended) {
      i |= 1; /* a shorter one */
      continue;
    }
    if (WIFSIGNALED(status)) {
      note(&now->signals, "signal %d: %s", WTERMSIG(status), words);
      return false;
    }
    if (WEXITSTATUS(status) != 2 && exists("out.h5")) {
      rename("out.h5", "whole.h5");
      return true;
    }
    if (i % 2 == 1) {
      return false;
    }
  }
  return false;
}

/* From the interruption to the end. */
static void carry_on(const trial *t, const char *what) {
  char words[4 * TEXT];
  for (int round = 0; round < 3 && !same_files("out.h5", "whole.h5"); round++) {
    bool resumes = exists("new.ckpt");
    command_of(t, with_checkpoints, words);
    int status = finish(start(resumes ? "run -q --resume new.ckpt" : words, (fault){0}), what);
    if (WIFSIGNALED(status)) {
      note(&now->signals, "signal %d when it goes on: %s", WTERMSIG(status), what);
      return;
    }
    if (WEXITSTATUS(status) > 1) {
      note(&now->wrong, "exit code %d when it goes on: %s", WEXITSTATUS(status), what);
      return;
    }
  }
  if (!same_files("out.h5", "whole.h5")) {
    note(&now->wrong, "another recording: %s", what);
  }
}

static void interrupt_by_kill(const trial *t) {
  char words[4 * TEXT], what[5 * TEXT];
  long at = 1 + (long)draw((uint64_t)t->writes);
  remove_results();
  command_of(t, with_checkpoints, words);
  snprintf(what, sizeof what, "killed before write %ld of %ld: %s", at, t->writes, t->command);
  ++now->cases;
  finish(start(words, (fault){"FF_FAULT_KILL", at, false}), what);
  carry_on(t, what);
}

static void interrupt_by_signal(const trial *t) {
  char words[4 * TEXT], what[5 * TEXT];
  double after = t->time * (double)draw(1000000) * 1e-6;
  remove_results();
  command_of(t, with_checkpoints, words);
  snprintf(what, sizeof what, "SIGINT after %.6f s: %s", after, t->command);
  ++now->cases;
  pid_t child = start(words, (fault){0});
  usleep((useconds_t)(1e6 * after));
  kill(child, SIGINT);
  finish(child, what);
  carry_on(t, what);
}

static void try_one(const char *scene, const char *stepper) {
  trial t;
  char words[4 * TEXT];
  long allocations;
  if (!make_whole(&t, scene, stepper)) {
    return;
  }
  remove_results();
  command_of(&t, with_checkpoints, words);
  count_calls(words, &allocations, &t.writes);
  if (!same_files("out.h5", "whole.h5")) {
    note(&now->wrong, "checkpoints change the recording: %s", t.command);
  }
  interrupt_by_kill(&t);
  interrupt_by_signal(&t);
}

void part_resume(int worker) {
  char folder[2 * TEXT];
  struct dirent **scenes;
  snprintf(folder, sizeof folder, "%s/scenes", source);
  int count = scandir(folder, &scenes, is_scene, alphasort), steppers = ff_stepper_count();
  if (count < 1) {
    die(folder);
  }
  long all = (long)count * steppers, most = wanted > 0 ? wanted / 2 + 1 : all;
  for (long n = worker; n < most; n += WORKERS) {
    random_state = 40000 + (uint64_t)n;
    long pick = most < all ? (long)draw((uint64_t)all) : n;
    try_one(scenes[pick / steppers]->d_name, ff_stepper_at((int)(pick % steppers))->name);
  }
  for (int i = 0; i < count; i++) {
    free(scenes[i]);
  }
  free(scenes);
}
