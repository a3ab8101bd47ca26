/* What a sweep adds to its runs: CPU time of `footfall sweep` for the whole study, against that of
 * the bare runs in this process, one after the other: scene, model, simulation, the values of two
 * channels at every sample, nothing stored. The small scene of scenes/bouncing-ball.yaml, about a
 * millisecond a run.
 *
 * The target is 95 % of the bare runs' throughput. Each figure is the best of several rounds, bare
 * and sweep in turn, so that both see the same machine. Times are those of the process and of its
 * child (getrusage).
 */
#include "footfall/footfall.h"
#include "targets.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { RUNS = 4000, ROUNDS = 4, PATH = 4096 };

static char folder[] = "/tmp/footfall-sweep-XXXXXX";

static void sweep_die(const char *what) {
  fprintf(stderr, "bench_sweep: %s\n", what);
  exit(2);
}

static double sweep_used(int who) {
  struct rusage used;
  getrusage(who, &used);
  return (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
         1e-6 * (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec);
}

static void sweep_write_study(void) {
  FILE *out = fopen("study.yaml", "w");
  if (!out) {
    sweep_die("study.yaml cannot be written");
  }
  fprintf(
      out,
      "study: 1\nscene: %s/bouncing-ball.yaml\nvary:\n"
      "  bodies.ball.mass: {from: 0.1, to: 1.0}\n"
      "  contacts.0.normal.alpha: {from: 0.0, to: 0.5}\n  duration: [0.2]\n"
      "  record.every: [0.005]\n"
      "design: {kind: sobol, samples: %d, seed: 1}\nmeasure:\n"
      "  peak: {channel: contact.ball:floor.force.n, take: max}\n"
      "  rebound: {channel: body.ball.velocity.z, take: at, event: lift, pair: [ball, floor]}\n",
      FF_SCENES, RUNS);
  fclose(out);
}

/* One run without anything around it. */
static void sweep_bare(const ff_study *study, long run) {
  char texts[4][300], value[FF_STUDY_TEXT];
  const char *settings[4];
  int count = ff_study_parameter_count(study);
  for (int i = 0; i < count; i++) {
    ff_study_parameter(study, run, i, value);
    snprintf(texts[i], sizeof texts[i], "%s=%s", ff_study_parameter_path(study, i, 0), value);
    settings[i] = texts[i];
  }
  ff_scene *scene;
  ff_model *model;
  ff_sim *sim;
  ff_sampler *sampler;
  if (ff_scene_load(&scene, ff_study_scene_file(study), settings, count, NULL) != FF_OK ||
      ff_model_build(&model, scene, NULL) != FF_OK || ff_sim_create(&sim, model) != FF_OK ||
      ff_sampler_create(&sampler, sim, (const int[]){0, 1}, 2) != FF_OK) {
    sweep_die("a bare run cannot start");
  }
  const ff_run_def *run_def = ff_model_run(model);
  long samples = lround(run_def->duration / run_def->record_every);
  for (long i = 0; i <= samples; i++) {
    double values[2], t = i < samples ? (double)i * run_def->record_every : run_def->duration;
    if (ff_sampler_at(sampler, t, run_def->duration, values) != FF_OK) {
      sweep_die("a bare run failed");
    }
  }
  ff_sampler_destroy(&sampler);
  ff_sim_destroy(&sim);
  ff_model_destroy(&model);
  ff_scene_destroy(&scene);
}

/* CPU time of the program with so many threads, s. */
static double sweep_whole(const char *program, const char *threads) {
  double before = sweep_used(RUSAGE_CHILDREN);
  unlink("study.db");
  pid_t child = fork();
  if (child == 0) {
    execl(program, program, "sweep", "study.yaml", "--store", "study.db", "--threads", threads,
          "--quiet", (char *)NULL);
    _exit(127);
  }
  int status = 1;
  waitpid(child, &status, 0);
  if (status != 0) {
    sweep_die("the sweep failed");
  }
  return sweep_used(RUSAGE_CHILDREN) - before;
}

/* The program that was built beside this one. */
static void sweep_find_program(char *path) {
  ssize_t length = readlink("/proc/self/exe", path, PATH - 1);
  path[length > 0 ? length : 0] = '\0';
  char *slash = strrchr(path, '/');
  if (!slash || (size_t)(slash - path) + sizeof "/footfall" > PATH) {
    sweep_die("no program");
  }
  memcpy(slash, "/footfall", sizeof "/footfall");
}

int main(void) {
  char program[PATH];
  ff_study *study;
  ff_report report = {0};
  double bare = INFINITY, whole[2] = {INFINITY, INFINITY};
  sweep_find_program(program);
  if (!mkdtemp(folder) || chdir(folder) != 0) {
    sweep_die("no folder");
  }
  sweep_write_study();
  if (ff_study_load(&study, "study.yaml", &report) != FF_OK) {
    sweep_die(report.what);
  }
  for (int round = 0; round < ROUNDS; round++) {
    double before = sweep_used(RUSAGE_SELF);
    for (long run = 0; run < RUNS; run++) {
      sweep_bare(study, run);
    }
    bare = fmin(bare, sweep_used(RUSAGE_SELF) - before);
    whole[0] = fmin(whole[0], sweep_whole(program, "1"));
    whole[1] = fmin(whole[1], sweep_whole(program, "2"));
  }
  printf("a sweep of %d runs, %.3f ms each: throughput per CPU time, of that of bare runs\n", RUNS,
         1e3 * bare / RUNS);
  for (int i = 0; i < 2; i++) {
    double ratio = bare / whole[i];
    printf("  %d thread%s  %.3f   target 0.95: %s\n", i + 1, i ? "s" : " ", ratio,
           target(ratio >= 0.95));
  }
  ff_study_destroy(&study);
  static const char *const files[] = {"study.yaml", "study.db", "study.db-wal", "study.db-shm"};
  for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
    unlink(files[i]);
  }
  if (chdir("/") == 0) {
    rmdir(folder);
  }
  return targets_end();
}
