/* The fault campaign: what a process and its files can suffer, many times over.
 *
 *   campaign PROGRAM SHIM SOURCE-FOLDER WORK-FOLDER [PART...]
 *
 * Parts: allocations, writes, full-disk, kills, signals, mutations, flips; without any, all. Each
 * ends with one line of counts. FF_FAULTS=N in the environment takes about N cases of each part; 0,
 * the default, all of them. Ends with 1 if anything crashed, hung, blamed the user for what the
 * machine lacks, or lost what was computed. */
#include "footfall/footfall.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { TEXT = 1024, WORDS = 24, LIMIT = 60, WORKERS = 2 };

/* Of one part; shared by the workers. */
typedef struct tally {
  atomic_long cases, signals, hangs, blamed, wrong;
} tally;

static const char *program, *shim, *source;
static char work[TEXT];
static long wanted; /* cases of each part; 0: all */
static tally *now;

static void die(const char *what) {
  perror(what);
  exit(1);
}

__attribute__((format(printf, 2, 3))) static void note(atomic_long *count, const char *format,
                                                       ...) {
  va_list args;
  va_start(args, format);
  ++*count;
  if (*count <= 20) {
    fputs("  ", stderr);
    vfprintf(stderr, format, args);
    fputc('\n', stderr);
  }
  va_end(args);
}

/* Random numbers that repeat: splitmix64. */
static uint64_t random_state;
static uint64_t draw(uint64_t below) {
  uint64_t z = random_state += 0x9E3779B97F4A7C15ULL;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
  return (z ^ (z >> 31)) % below;
}

static double seconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ---- files ----------------------------------------------------------------------------------- */

static unsigned char *read_whole(const char *path, size_t *size) {
  FILE *file = fopen(path, "rb");
  if (!file) {
    return NULL;
  }
  struct stat about;
  if (fstat(fileno(file), &about) != 0) {
    die(path);
  }
  unsigned char *bytes = malloc((size_t)about.st_size + 1);
  *size = fread(bytes, 1, (size_t)about.st_size, file);
  bytes[*size] = 0;
  fclose(file);
  return bytes;
}

static void write_whole(const char *path, const void *bytes, size_t size) {
  FILE *file = fopen(path, "wb");
  if (!file || fwrite(bytes, 1, size, file) != size || fclose(file) != 0) {
    die(path);
  }
}

static bool exists(const char *path) {
  return access(path, F_OK) == 0;
}

static bool same_files(const char *a, const char *b) {
  size_t size_a = 0, size_b = 0;
  unsigned char *bytes_a = read_whole(a, &size_a), *bytes_b = read_whole(b, &size_b);
  bool same = bytes_a && bytes_b && size_a == size_b && memcmp(bytes_a, bytes_b, size_a) == 0;
  free(bytes_a);
  free(bytes_b);
  return same;
}

/* Everything in the present folder. */
static void empty_folder(void) {
  DIR *list = opendir(".");
  for (struct dirent *entry = readdir(list); entry; entry = readdir(list)) {
    if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0) {
      unlink(entry->d_name);
    }
  }
  closedir(list);
}

/* Temporary files of the program in the present folder, which it should not leave. They go. */
static int remove_temporaries(void) {
  int count = 0;
  DIR *list = opendir(".");
  for (struct dirent *entry = readdir(list); entry; entry = readdir(list)) {
    count += strncmp(entry->d_name, ".footfall-", 10) == 0 && unlink(entry->d_name) == 0;
  }
  closedir(list);
  return count;
}

/* ---- processes ------------------------------------------------------------------------------- */

typedef struct fault {
  const char *name; /* variable of the shim; NULL: none */
  long at;
  bool rest;
} fault;

/* Starts `footfall WORDS`; its messages go to the file "said". */
static pid_t start(const char *words, fault with) {
  pid_t child = fork();
  if (child != 0) {
    return child;
  }
  static char text[TEXT * 4], number[32];
  char *argv[WORDS] = {text};
  int count = 1;
  snprintf(text, sizeof text, "%s", program);
  char *copy = strdup(words);
  for (char *word = strtok(copy, " "); word && count < WORDS - 1; word = strtok(NULL, " ")) {
    argv[count++] = word;
  }
  int out = open("/dev/null", O_WRONLY), err = open("said", O_WRONLY | O_CREAT | O_TRUNC, 0666);
  dup2(out, STDOUT_FILENO);
  dup2(err, STDERR_FILENO);
  setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
  if (with.name) {
    snprintf(number, sizeof number, "%ld", with.at);
    setenv(with.name, number, 1);
    setenv("LD_PRELOAD", shim, 1);
    if (with.rest) {
      setenv("FF_FAULT_REST", "1", 1);
    }
  }
  execv(program, argv);
  _exit(127);
}

/* Waits; a process that takes too long is killed and counted. */
static int finish(pid_t child, const char *what) {
  int status = 0;
  double end = seconds() + LIMIT;
  while (waitpid(child, &status, WNOHANG) == 0) {
    if (seconds() > end) {
      note(&now->hangs, "hangs: %s", what);
      kill(child, SIGKILL);
      waitpid(child, &status, 0);
      return 0;
    }
    usleep(500);
  }
  return status;
}

/* Runs it under a fault: 0 or 1, or it is noted. Returns the exit code; -1: none. */
static int suffer(const char *words, fault with) {
  char what[TEXT * 2];
  snprintf(what, sizeof what, "%s=%ld%s footfall %s", with.name, with.at,
           with.rest ? " FF_FAULT_REST=1" : "", words);
  ++now->cases;
  int status = finish(start(words, with), what);
  if (WIFSIGNALED(status)) {
    note(&now->signals, "signal %d: %s", WTERMSIG(status), what);
    return -1;
  }
  int code = WEXITSTATUS(status);
  if (code == 2) {
    note(&now->blamed, "blames the user: %s", what);
  } else if (code != 0 && code != 1) {
    note(&now->wrong, "exit code %d: %s", code, what);
  }
  return code;
}

/* Numbers of allocations and of writes of a command. */
static void count_calls(const char *words, long *allocations, long *writes) {
  const char *path = "count";
  setenv("FF_FAULT_COUNT", path, 1);
  int status = finish(start(words, (fault){"FF_FAULT_ALLOC", 0, false}), words);
  unsetenv("FF_FAULT_COUNT");
  FILE *file = fopen(path, "r");
  if (status != 0 || !file || fscanf(file, "%ld %ld", allocations, writes) != 2) {
    fprintf(stderr, "campaign: 'footfall %s' does not run (status %d)\n", words, status);
    exit(1);
  }
  fclose(file);
  unlink(path);
}

/* ---- parts ----------------------------------------------------------------------------------- */

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

#define BALL   "run ball.yaml -q --set duration=0.05 --set record.every=0.005 "
#define NARROW "--set record.channels=[body.*.position.*,contact.*.*.*] "

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

static void copy(const char *from, const char *to) {
  size_t size;
  unsigned char *bytes = read_whole(from, &size);
  if (!bytes) {
    die(from);
  }
  write_whole(to, bytes, size);
  free(bytes);
}

static void copy_in(const char *from, const char *to) {
  char path[2 * TEXT];
  snprintf(path, sizeof path, "%s/%s", source, from);
  copy(path, to);
}

/* Inputs of the commands, and what they give undisturbed. */
static void prepare(void) {
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

static void part_allocations(int worker) {
  for (int c = 0; c < COMMANDS; c++) {
    long allocations, writes;
    bool resumes = strstr(commands[c], "--resume") != NULL;
    put_back();
    count_calls(commands[c], &allocations, &writes);
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

static void part_writes(int worker) {
  fail_writes(worker, false);
}

static void part_full_disk(int worker) {
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

static void part_kills(int worker) {
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

static void part_signals(int worker) {
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

/* ---- damaged input --------------------------------------------------------------------------- */

/* What the library makes of a file; run in a process of its own. Returns true if it takes it as
 * whole. */
typedef bool (*reader)(const char *path);

static bool read_scene(const char *path) {
  ff_scene *scene = NULL;
  ff_model *model = NULL;
  ff_sim *sim = NULL;
  ff_report report = {0};
  ff_status status = ff_scene_load(&scene, path, NULL, 0, &report);
  status = status == FF_OK ? ff_model_build(&model, scene, &report) : status;
  status = status == FF_OK ? ff_sim_create(&sim, model) : status;
  for (int i = 0; i < 5 && status == FF_OK; i++) {
    status = ff_sim_step(sim);
  }
  ff_sim_destroy(&sim);
  ff_model_destroy(&model);
  ff_scene_destroy(&scene);
  return status == FF_OK;
}

static bool read_robot(const char *path) {
  ff_robot *robot = NULL;
  ff_tree *tree = NULL;
  ff_report report = {0};
  ff_status status = ff_robot_load(&robot, path, NULL, &report);
  status = status == FF_OK ? ff_robot_tree(&tree, robot, FF_JOINT_FREE, &report) : status;
  ff_tree_destroy(&tree);
  ff_robot_destroy(&robot);
  return status == FF_OK;
}

static long whole_rows;

static bool read_recording(const char *path) {
  ff_recording *recording = NULL;
  ff_report report = {0};
  if (ff_recording_open(&recording, path, &report) != FF_OK) {
    return false;
  }
  const ff_recording_info *about = ff_recording_about(recording);
  bool whole = about->incomplete[0] == 0 || ff_recording_rows(recording) == whole_rows;
  ff_recording_close(&recording);
  return whole;
}

static bool read_checkpoint(const char *path) {
  ff_run *run = NULL;
  ff_report report = {0};
  ff_status status = ff_run_resume(&run, path, NULL, &report);
  ff_run_destroy(&run);
  return status == FF_OK;
}

/* Reads it in a process of its own: 1 accepted as whole, 0 not, -1 noted. */
static int read_apart(reader read, const char *path, const char *what) {
  pid_t child = fork();
  if (child == 0) {
    setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
    alarm(LIMIT);
    _exit(read(path));
  }
  int status = 0;
  waitpid(child, &status, 0);
  ++now->cases;
  if (WIFSIGNALED(status)) {
    char keep[2 * TEXT];
    bool hang = WTERMSIG(status) == SIGALRM;
    note(hang ? &now->hangs : &now->signals, "signal %d: %s", WTERMSIG(status), what);
    snprintf(keep, sizeof keep, "%s/bad-%ld-%s", work, (long)now->cases, path);
    size_t size;
    unsigned char *bytes = read_whole(path, &size);
    write_whole(keep, bytes, size);
    free(bytes);
    return -1;
  }
  return WEXITSTATUS(status);
}

/* A few changes of bytes, as of a slip of the hand: others, fewer, more, moved. */
static size_t mutate(unsigned char *bytes, size_t size, size_t room) {
  static const char *const words[] = {"-1", "1e308", "nan", "[]", "{}", ":", "\n", "0", "*", "&a"};
  for (uint64_t changes = 1 + draw(4); changes > 0; changes--) {
    size_t at = size > 0 ? draw(size) : 0, length = 1 + draw(12);
    length = length < size - at ? length : size - at;
    const char *word = words[draw(sizeof words / sizeof *words)];
    switch (draw(5)) {
      case 0: bytes[at] = (unsigned char)draw(256); break;
      case 1: bytes[at] ^= (unsigned char)(1u << draw(8)); break;
      case 2:
        memmove(bytes + at, bytes + at + length, size - at - length);
        size -= length;
        break;
      case 3:
        if (size + 16 < room) {
          memmove(bytes + at + strlen(word), bytes + at, size - at);
          memcpy(bytes + at, word, strlen(word));
          size += strlen(word);
        }
        break;
      default: memmove(bytes + draw(size - length + 1), bytes + at, length); break;
    }
    if (size == 0) {
      break;
    }
  }
  return size;
}

typedef struct input {
  const char *from; /* in the source folder, or beside */
  const char *as;
  reader read;
} input;

/* The files that are damaged: every scene, then the others. */
static int list_inputs(input *list, int capacity) {
  static const input others[] = {{"scenes/robots/planar-biped.urdf", "mutant.urdf", read_robot},
                                 {"scenes/robots/humanoid.urdf", "mutant.urdf", read_robot},
                                 {"tent.urdf", "tent.urdf", read_robot},
                                 {"tent.obj", "tent.obj", read_robot},
                                 {"tent.stl", "tent.stl", read_robot},
                                 {"in.h5", "mutant.h5", read_recording},
                                 {"in.csv", "mutant.csv", read_recording},
                                 {"in.sto", "mutant.sto", read_recording},
                                 {"in.h5.part", "mutant.h5.part", read_recording},
                                 {"run.ckpt", "mutant.ckpt", read_checkpoint}};
  char folder[2 * TEXT];
  int count = 0;
  snprintf(folder, sizeof folder, "%s/scenes", source);
  struct dirent **entries;
  int found = scandir(folder, &entries, NULL, alphasort);
  for (int i = 0; i < found; i++) {
    const char *name = entries[i]->d_name;
    size_t length = strlen(name);
    if (count < capacity && length > 5 && strcmp(name + length - 5, ".yaml") == 0) {
      char *path = malloc(length + 8);
      sprintf(path, "scenes/%s", name);
      list[count++] = (input){path, "mutant.yaml", read_scene};
    }
    free(entries[i]);
  }
  free(entries);
  for (size_t i = 0; i < sizeof others / sizeof *others && count < capacity; i++) {
    list[count++] = others[i];
  }
  return count;
}

static void write_tent(void) {
  static const char urdf[] =
      "<robot name='tent'><link name='a'><inertial><mass value='1'/><inertia ixx='1' iyy='1' "
      "izz='1' ixy='0' ixz='0' iyz='0'/></inertial><collision><geometry><mesh "
      "filename='tent.obj'/></geometry></collision><collision><geometry><mesh "
      "filename='tent.stl'/></geometry></collision></link></robot>";
  static const char obj[] =
      "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n";
  static const char stl[] =
      "solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 "
      "0\nendloop\nendfacet\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 "
      "0 1\nendloop\nendfacet\nendsolid a\n";
  write_whole("tent.urdf", urdf, sizeof urdf - 1);
  write_whole("tent.obj", obj, sizeof obj - 1);
  write_whole("tent.stl", stl, sizeof stl - 1);
}

static void write_recordings(void) {
  fault none = {0};
  write_tent();
  char robots[2 * TEXT];
  snprintf(robots, sizeof robots, "%s/scenes/robots", source);
  if (!exists("robots") && symlink(robots, "robots") != 0) {
    die("robots");
  }
  finish(start(BALL NARROW "-o in.csv -o in.sto", none), "in.csv");
  copy("saved.part", "in.h5.part");
  whole_rows = -1;
}

static void part_mutations(int worker) {
  input list[128];
  int inputs = list_inputs(list, 128);
  long all = wanted > 0 ? wanted : 10000;
  write_recordings();
  for (long n = worker; n < all; n += WORKERS) {
    const input *in = &list[n % inputs];
    char path[2 * TEXT], what[4 * TEXT];
    random_state = 5000 + (uint64_t)n;
    snprintf(path, sizeof path, "%s/%s", source, in->from);
    size_t size = 0;
    unsigned char *bytes = read_whole(exists(in->from) ? in->from : path, &size);
    if (!bytes) {
      die(path);
    }
    bytes = realloc(bytes, size + 256);
    size = mutate(bytes, size, size + 256);
    if (strncmp(in->as, "tent", 4) == 0) {
      write_tent();
    }
    write_whole(in->as, bytes, size);
    free(bytes);
    snprintf(what, sizeof what, "mutation %ld of %s", n, in->from);
    const char *read = strncmp(in->as, "tent", 4) == 0 ? "tent.urdf" : in->as;
    read_apart(in->read, read, what);
    unlink("mutant.h5.part");
  }
}

static void part_flips(int worker) {
  static const input inputs[] = {{"in.h5", "flip.h5", read_recording},
                                 {"in.h5.part", "flip.h5.part", read_recording},
                                 {"run.ckpt", "flip.ckpt", read_checkpoint}};
  enum { INPUTS = sizeof inputs / sizeof *inputs };
  long all = wanted > 0 ? wanted : 1000;
  write_recordings();
  for (long n = worker; n < all * INPUTS; n += WORKERS) {
    const input *in = &inputs[n % INPUTS];
    size_t size;
    unsigned char *bytes = read_whole(in->from, &size);
    random_state = 90000 + (uint64_t)n;
    uint64_t bit = draw(8 * (uint64_t)size);
    char what[TEXT];
    snprintf(what, sizeof what, "bit %llu of %s", (unsigned long long)bit, in->from);
    ff_recording *recording;
    whole_rows = -1;
    if (in->read == read_recording && ff_recording_open(&recording, in->from, NULL) == FF_OK) {
      whole_rows = ff_recording_rows(recording);
      ff_recording_close(&recording);
    }
    bytes[bit / 8] ^= (unsigned char)(1u << (bit % 8));
    write_whole(in->as, bytes, size);
    free(bytes);
    /* A recording without its checksum is readable, but not whole. */
    bool part = strstr(in->from, ".part") != NULL;
    whole_rows = part ? whole_rows : -1;
    if (read_apart(in->read, in->as, what) == 1) {
      note(&now->wrong, "taken as whole: %s", what);
    }
  }
}

/* ---- all ------------------------------------------------------------------------------------- */

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
                             {"flips", part_flips}};
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
