/* The fault campaign: what a process and its files can suffer, many times over.
 *
 *   campaign PROGRAM SHIM SOURCE-FOLDER WORK-FOLDER [PART...]
 *
 * Parts: allocations, writes, full-disk, kills, signals, mutations, flips, resume, sweeps; without
 * any, all. Each ends with one line of counts. FF_FAULTS=N in the environment takes about N cases
 * of each part; 0, the default, all of them. Ends with 1 if anything crashed, hung, blamed the user
 * for what the machine lacks, or lost what was computed. */
#include "faults.h"

#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

typedef struct part {
  const char *name;
  void (*run)(int worker);
} part;

static const part parts[] = {{"allocations", part_allocations},
                             {"writes", part_writes},
                             {"full-disk", part_full_disk},
                             {"kills", part_kills},
                             {"signals", part_signals},
                             {"mutations", part_mutations},
                             {"flips", part_flips},
                             {"resume", part_resume},
                             {"sweeps", part_sweeps}};
enum { PARTS = sizeof parts / sizeof *parts };

/* Each worker in a folder of its own. */
static bool run_part(const part *one) {
  memset(now, 0, sizeof *now);
  double before = seconds();
  pid_t children[WORKERS];
  for (int w = 0; w < WORKERS; w++) {
    children[w] = fork();
    if (children[w] == 0) {
      char folder[TEXT + 32];
      snprintf(folder, sizeof folder, "%s/%d", work, w);
      mkdir(folder, 0777);
      if (chdir(folder) != 0) {
        die(folder);
      }
      prepare();
      one->run(w);
      empty_folder();
      exit(0);
    }
  }
  for (int w = 0; w < WORKERS; w++) {
    int status = 0;
    waitpid(children[w], &status, 0);
    if (status != 0) {
      note(&now->wrong, "worker %d of %s failed", w, one->name);
    }
  }
  printf("%-12s %6ld cases: %ld signals, %ld hangs, %ld blame the user, %ld wrong; %.0f s\n",
         one->name, (long)now->cases, (long)now->signals, (long)now->hangs, (long)now->blamed,
         (long)now->wrong, seconds() - before);
  fflush(stdout);
  return now->cases > 0 && now->signals + now->hangs + now->blamed + now->wrong == 0;
}

int main(int argc, char **argv) {
  if (argc < 5) {
    fputs("usage: campaign PROGRAM SHIM SOURCE-FOLDER WORK-FOLDER [PART...]\n", stderr);
    return 2;
  }
  program = argv[1];
  shim = argv[2];
  source = argv[3];
  mkdir(argv[4], 0777);
  if (!realpath(argv[4], work)) {
    die(argv[4]);
  }
  const char *number = getenv("FF_FAULTS");
  wanted = number ? strtol(number, NULL, 10) : 0;
  now = mmap(NULL, sizeof *now, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  int good = 0, bad = 0;
  for (int p = 0; p < PARTS; p++) {
    bool chosen = argc == 5;
    for (int i = 5; i < argc; i++) {
      chosen = chosen || strcmp(argv[i], parts[p].name) == 0;
    }
    if (chosen) {
      run_part(&parts[p]) ? good++ : bad++;
    }
  }
  printf("%d passed, %d failed, 0 skipped\n", good, bad);
  return bad == 0 && good > 0 ? 0 : 1;
}
