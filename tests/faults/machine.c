/* What the machine can do to a run: no memory, no disk, signals, a sudden end. */
#include "faults.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

/* A recording is whole, or says that it is not; or there is none. */
static void check_recording(const char *path, bool whole, const char *what) {
  ff_recording *recording;
  ff_report report = {0};
  if (!exists(path)) {
    if (whole) {
      note(&now->wrong, "no recording: %s", what);
    }
    return;
  }
  ff_status status = ff_recording_open(&recording, path, &report);
  if (status != FF_OK) {
    note(&now->wrong, "'%s' does not open (%s): %s", path, report.what, what);
    return;
  }
  bool complete = ff_recording_about(recording)->incomplete[0] == 0;
  if (whole && !complete) {
    note(&now->wrong, "'%s' is incomplete: %s", path, what);
  }
  ff_recording_close(&recording);
}

static const char *const commands[] = {
    BALL "-o out.csv",
    BALL NARROW "-o out.h5",
    BALL "-o out.sto --set stepper.kind=symplectic-euler --set stepper.step=1e-4",
    "run cards.yaml -q --set duration=0.002",
    "run biped.yaml -q --set duration=0.001",
    "check biped.yaml",
    "check biped.urdf",
    "view in.h5 -o out.html",
    "run -q --resume run.ckpt",
    "impact hunt-crossley --mass 1 --speed 0.5,1 --set k=1e4 --set alpha=0.4",
};
enum { COMMANDS = sizeof commands / sizeof *commands };

static void copy_in(const char *from, const char *to) {
  char path[2 * TEXT];
  snprintf(path, sizeof path, "%s/%s", source, from);
  copy(path, to);
}

void prepare(void) {
  empty_folder();
  copy_in("scenes/bouncing-ball.yaml", "ball.yaml");
  copy_in("scenes/card-house.yaml", "cards.yaml");
  copy_in("scenes/planar-biped.yaml", "biped.yaml");
  copy_in("scenes/robots/planar-biped.urdf", "biped.urdf");
  size_t size;
  unsigned char *text = read_whole("biped.yaml", &size);
  char *at = strstr((char *)text, "robots/planar-biped.urdf");
  if (!at) {
    die("biped.yaml");
  }
  memmove(at, "biped.urdf              ", 24);
  write_whole("biped.yaml", text, size);
  free(text);
  fault none = {0};
  finish(start(BALL NARROW "-o in.h5", none), "in.h5");
  /* A run that was killed after its first checkpoint. */
  fault death = {"FF_FAULT_KILL", 24, false};
  finish(start(BALL NARROW "-o out.h5 --checkpoint run.ckpt --checkpoint-every 0", death), "");
  copy("run.ckpt", "saved.ckpt");
  copy("out.h5.part", "saved.part");
  remove_temporaries();
}

/* What a run that goes on takes away. */
static void put_back(void) {
  copy("saved.ckpt", "run.ckpt");
  copy("saved.part", "out.h5.part");
}

static long stride_of(long all) {
  long each = wanted > 0 ? wanted / COMMANDS + 1 : all;
  return all > each ? (all + each - 1) / each : 1;
}

void part_allocations(int worker) {
  for (int c = 0; c < COMMANDS; c++) {
    long allocations, writes;
    bool resumes = strstr(commands[c], "--resume") != NULL;
    put_back();
    if (count_calls(commands[c], &allocations, &writes) != 0) {
      die(commands[c]);
    }
    long stride = stride_of(allocations);
    for (long n = 1 + worker * stride; n <= allocations; n += WORKERS * stride) {
      unlink("out.h5");
      put_back();
      int code = suffer(commands[c], (fault){"FF_FAULT_ALLOC", n, (n / stride) % 2 == 0});
      if (resumes || strstr(commands[c], "out.h5")) {
        check_recording("out.h5", code == 0, commands[c]);
      }
      if (remove_temporaries() > 0 && code >= 0) {
        note(&now->wrong, "leaves temporary files: allocation %ld of %s", n, commands[c]);
      }
    }
  }
}

static const char recorded[] =
    BALL NARROW "-o out.h5 -o out.csv -o out.sto --checkpoint new.ckpt --checkpoint-every 0";

static void fail_writes(int worker, bool rest) {
  long allocations, writes;
  count_calls(recorded, &allocations, &writes);
  long stride = wanted > 0 && writes > wanted ? (writes + wanted - 1) / wanted : 1;
  for (long n = 1 + worker * stride; n <= writes; n += WORKERS * stride) {
    unlink("out.h5");
    int code = suffer(recorded, (fault){"FF_FAULT_WRITE", n, rest});
    check_recording("out.h5", code == 0, recorded);
    if (remove_temporaries() > 0 && code >= 0) {
      note(&now->wrong, "leaves temporary files: write %ld", n);
    }
  }
}

void part_writes(int worker) {
  fail_writes(worker, false);
}

void part_full_disk(int worker) {
  fail_writes(worker, true);
}

/* A run that takes a while, with checkpoints all the time. */
static const char lengthy[] =
    "run ball.yaml -q --set duration=3 --set record.every=0.01 --set "
    "audit.energy-tolerance=1 " NARROW "-o out.h5 --checkpoint new.ckpt --checkpoint-every 0";

/* After the end of a process: the log opens, the run goes on, and the recording is that of an
 * undisturbed run. */
static void recover(const char *what) {
  if (exists("out.h5.part")) {
    check_recording("out.h5.part", false, what);
  }
  fault none = {0};
  for (int round = 0; round < 2 && !same_files("out.h5", "whole.h5"); round++) {
    const char *words = exists("new.ckpt") ? "run -q --resume new.ckpt" : lengthy;
    int status = finish(start(words, none), words);
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
      note(&now->wrong, "status %d when it goes on: %s", status, what);
    }
  }
  if (!same_files("out.h5", "whole.h5")) {
    note(&now->wrong, "does not recover: %s", what);
  }
}

/* Reference; returns its wall time, s. */
static double run_whole(void) {
  fault none = {0};
  double before = seconds();
  finish(start(lengthy, none), lengthy);
  double time = seconds() - before;
  if (rename("out.h5", "whole.h5") != 0) {
    die("whole.h5");
  }
  return time;
}

void part_kills(int worker) {
  double time = run_whole();
  long allocations, writes, all = wanted > 0 ? wanted : 200;
  count_calls(lengthy, &allocations, &writes);
  for (long n = worker; n < all; n += WORKERS) {
    char what[TEXT];
    unlink("out.h5");
    unlink("out.h5.part");
    unlink("new.ckpt");
    random_state = (uint64_t)n;
    ++now->cases;
    if (n % 4 < 2) { /* between two writes */
      long at = 1 + (long)draw((uint64_t)writes);
      snprintf(what, sizeof what, "killed before write %ld", at);
      finish(start(lengthy, (fault){"FF_FAULT_KILL", at, false}), what);
    } else {
      double after = time * (double)draw(1000000) * 1e-6;
      snprintf(what, sizeof what, "killed after %.6f s", after);
      pid_t child = start(lengthy, (fault){0});
      usleep((useconds_t)(1e6 * after));
      kill(child, SIGKILL);
      finish(child, what);
    }
    recover(what);
  }
}

void part_signals(int worker) {
  double time = run_whole();
  long all = wanted > 0 ? wanted : 100;
  for (long n = worker; n < all; n += WORKERS) {
    char what[TEXT];
    unlink("out.h5");
    unlink("new.ckpt");
    random_state = 1000 + (uint64_t)n;
    int number = n % 4 < 2 ? SIGINT : SIGTERM;
    double after = 0.01 + time * (double)draw(1000000) * 1e-6;
    snprintf(what, sizeof what, "signal %d after %.6f s", number, after);
    ++now->cases;
    pid_t child = start(lengthy, (fault){0});
    usleep((useconds_t)(1e6 * after));
    kill(child, number);
    int status = finish(child, what);
    if (WIFSIGNALED(status)) { /* before it watches for them there is nothing to keep */
      if (exists("out.h5.part")) {
        note(&now->signals, "ends by it: %s", what);
      }
    } else if (WEXITSTATUS(status) != 0 && WEXITSTATUS(status) != (number == SIGINT ? 130 : 1)) {
      note(&now->wrong, "exit code %d: %s", WEXITSTATUS(status), what);
    }
    check_recording("out.h5", WIFEXITED(status) && WEXITSTATUS(status) == 0, what);
    recover(what);
  }
}
