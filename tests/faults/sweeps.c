/* Sweeps that are cut off: SIGKILL of the program at a moment or before a write, of one process or
 * of the launcher under mpiexec, a full disk. Whatever happens, an incomplete store never has exit
 * code 0, and the same command completes it: the export must equal that of an undisturbed sweep in
 * every byte. */
#include "faults.h"

#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define SWEEP  "sweep study.yaml --store sweep.db --quiet --threads 2"
#define EXPORT "sweep --store sweep.db --quiet --export "

static const char study[] =
    "study: 1\nscene: ball.yaml\nvary:\n  bodies.ball.mass: {from: 0.1, to: 1.0}\n"
    "  contacts.0.normal.alpha: {from: 0.0, to: 0.5}\n  duration: [0.2]\n  record.every: [0.005]\n"
    "design: {kind: sobol, samples: 200, seed: 1}\nmeasure:\n"
    "  peak: {channel: contact.ball:floor.force.n, take: max}\n"
    "  rebound: {channel: body.ball.velocity.z, take: at, event: lift, pair: [ball, floor]}\n";

typedef enum cut {
  CUT_AT_A_MOMENT,
  CUT_BEFORE_A_WRITE,
  CUT_FULL_DISK,
  CUT_RANK,
  CUT_LAUNCHER,
  CUTS
} cut;

/* Undisturbed: wall times, s, and number of writes. */
typedef struct sweep_whole {
  double time, launched;
  long writes;
  bool mpi;
} sweep_whole;

static void remove_store(void) {
  unlink("sweep.db");
  unlink("sweep.db-wal");
  unlink("sweep.db-shm");
}

/* ---- processes under a launcher -------------------------------------------------------------- */

static pid_t launch(void) {
  pid_t child = fork();
  if (child == 0) {
    int nothing = open("/dev/null", O_RDWR),
        said = open("said", O_WRONLY | O_CREAT | O_TRUNC, 0666);
    dup2(nothing, STDIN_FILENO);
    dup2(nothing, STDOUT_FILENO);
    dup2(said, STDERR_FILENO);
    setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
    execlp("mpiexec.mpich", "mpiexec.mpich", "-n", "3", program, "sweep", "study.yaml", "--store",
           "sweep.db", "--quiet", (char *)NULL);
    _exit(127);
  }
  return child;
}

/* Parent of a process, and is it one of the program? 0: there is no such process. */
static pid_t parent_of(pid_t process, bool *ours) {
  char path[64], text[512] = "";
  snprintf(path, sizeof path, "/proc/%d/stat", (int)process);
  FILE *file = fopen(path, "r");
  char *end = file && fgets(text, sizeof text, file) ? strrchr(text, ')') : NULL;
  int parent = 0;
  if (file) {
    fclose(file);
  }
  *ours = strstr(text, "(footfall)") != NULL;
  return end && sscanf(end, ") %*c %d", &parent) == 1 ? parent : 0;
}

/* One of the program's processes below this one; 0: none. */
static pid_t find_rank(pid_t launcher) {
  pid_t found[16];
  int count = 0;
  DIR *list = opendir("/proc");
  for (struct dirent *entry = list ? readdir(list) : NULL; entry && count < 16;
       entry = readdir(list)) {
    bool ours = false, other;
    pid_t process = isdigit((unsigned char)entry->d_name[0]) ? atoi(entry->d_name) : 0;
    pid_t above = process ? parent_of(process, &ours) : 0;
    while (ours && above > 1 && above != launcher) {
      above = parent_of(above, &other);
    }
    if (ours && above == launcher) {
      found[count++] = process;
    }
  }
  closedir(list);
  return count > 0 ? found[draw((uint64_t)count)] : 0;
}

/* All that is left of a launched sweep must end by itself: it is ours, as its reaper. */
static void wait_for_orphans(const char *what) {
  double end = seconds() + LIMIT;
  pid_t gone = 0;
  while ((gone = waitpid(-1, NULL, WNOHANG)) >= 0) {
    if (gone == 0 && seconds() > end) {
      note(&now->hangs, "processes are left: %s", what);
      return;
    }
    usleep(gone == 0 ? 1000 : 0);
  }
}

/* ---- cases ----------------------------------------------------------------------------------- */

/* Exit code; -1: a signal. */
static int run_sweep(const char *words, const char *what) {
  int status = finish(start(words, (fault){0}), what);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static bool is_complete(const char *what) {
  int code = run_sweep(EXPORT "part.csv", what);
  bool whole = same_files("part.csv", "whole.csv");
  if (!whole && code == 0) {
    note(&now->wrong, "exit code 0 of an incomplete store: %s", what);
  }
  unlink("part.csv");
  return whole;
}

static int wait_and_kill(pid_t child, cut kind, double time, const char *what) {
  usleep((useconds_t)(1e6 * time * (double)draw(1000000) * 1e-6));
  pid_t victim = kind == CUT_RANK ? find_rank(child) : child;
  if (victim > 0) {
    kill(victim, SIGKILL);
  }
  return finish(child, what);
}

/* Was it cut off before its end? */
static bool try_cut(const sweep_whole *whole, cut kind, long number) {
  static const char *const names[CUTS] = {"killed at a moment", "killed before a write",
                                          "full disk", "a process of three killed",
                                          "launcher killed"};
  char what[TEXT];
  long at = 1 + (long)draw((uint64_t)whole->writes);
  int status = 0;
  snprintf(what, sizeof what, "sweep %ld, %s", number, names[kind]);
  remove_store();
  ++now->cases;
  switch (kind) {
    case CUT_AT_A_MOMENT:
      status = wait_and_kill(start(SWEEP, (fault){0}), kind, whole->time, what);
      break;
    case CUT_BEFORE_A_WRITE:
      status = finish(start(SWEEP, (fault){"FF_FAULT_KILL", at, false}), what);
      break;
    case CUT_FULL_DISK:
      status = finish(start(SWEEP, (fault){"FF_FAULT_WRITE", at, number % 2 == 0}), what);
      if (WIFSIGNALED(status)) {
        note(&now->signals, "signal %d: write %ld, %s", WTERMSIG(status), at, what);
      } else if (WEXITSTATUS(status) == 2) {
        note(&now->blamed, "blames the user: write %ld, %s", at, what);
      }
      break;
    case CUT_RANK:
    case CUT_LAUNCHER: status = wait_and_kill(launch(), kind, whole->launched, what); break;
    case CUTS: break;
  }
  /* What survives of a launched sweep may still write while this looks and goes on. */
  bool said_good = WIFEXITED(status) && WEXITSTATUS(status) == 0;
  bool complete = exists("sweep.db") && is_complete(what);
  if (said_good && !complete) {
    note(&now->wrong, "exit code 0 while incomplete: %s", what);
  }
  int code = run_sweep(SWEEP, what);
  if (code != 0) {
    note(&now->wrong, "exit code %d when it goes on: %s", code, what);
  }
  if (!is_complete(what)) {
    note(&now->wrong, "another export: %s", what);
  }
  wait_for_orphans(what);
  return !complete;
}

static sweep_whole sweep_undisturbed(void) {
  sweep_whole whole = {0};
  long allocations;
  remove_store();
  double before = seconds();
  if (run_sweep(SWEEP, SWEEP) != 0 || run_sweep(EXPORT "whole.csv", EXPORT) != 0) {
    die("the sweep does not run");
  }
  whole.time = seconds() - before;
  remove_store();
  count_calls(SWEEP, &allocations, &whole.writes);
  remove_store();
  before = seconds();
  int status = finish(launch(), "mpiexec.mpich");
  whole.launched = seconds() - before;
  whole.mpi = status == 0 && is_complete("mpiexec.mpich");
  return whole;
}

void part_sweeps(int worker) {
  long all = wanted > 0 ? wanted : 200, cases = 0, early = 0;
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  write_whole("study.yaml", study, sizeof study - 1);
  sweep_whole whole = sweep_undisturbed();
  if (!whole.mpi && worker == 0) {
    puts("SKIP sweeps under mpiexec: MPICH is not installed, or the program is built without it");
  }
  for (long n = worker; n < all; n += WORKERS) {
    random_state = 50000 + (uint64_t)n;
    int kinds = whole.mpi ? CUTS : CUT_RANK;
    early += try_cut(&whole, (cut)(n / WORKERS % kinds), n);
    cases++;
  }
  printf("  worker %d: %ld of %ld sweeps were cut off before their end\n", worker, early, cases);
  fflush(stdout);
  remove_store();
}
