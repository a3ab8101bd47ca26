/* Processes, files and counts of the fault campaign. */
#include "faults.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

const char *program, *shim, *source;
char work[TEXT];
long wanted;
tally *now;
uint64_t random_state;

void die(const char *what) {
  perror(what);
  exit(1);
}

void note(atomic_long *count, const char *format, ...) {
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

uint64_t draw(uint64_t below) {
  uint64_t z = random_state += 0x9E3779B97F4A7C15ULL;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
  return (z ^ (z >> 31)) % below;
}

double seconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ---- files ----------------------------------------------------------------------------------- */

unsigned char *read_whole(const char *path, size_t *size) {
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

void write_whole(const char *path, const void *bytes, size_t size) {
  FILE *file = fopen(path, "wb");
  if (!file || fwrite(bytes, 1, size, file) != size || fclose(file) != 0) {
    die(path);
  }
}

void copy(const char *from, const char *to) {
  size_t size;
  unsigned char *bytes = read_whole(from, &size);
  if (!bytes) {
    die(from);
  }
  write_whole(to, bytes, size);
  free(bytes);
}

bool exists(const char *path) {
  return access(path, F_OK) == 0;
}

bool same_files(const char *a, const char *b) {
  size_t size_a = 0, size_b = 0;
  unsigned char *bytes_a = read_whole(a, &size_a), *bytes_b = read_whole(b, &size_b);
  bool same = bytes_a && bytes_b && size_a == size_b && memcmp(bytes_a, bytes_b, size_a) == 0;
  free(bytes_a);
  free(bytes_b);
  return same;
}

void empty_folder(void) {
  DIR *list = opendir(".");
  for (struct dirent *entry = readdir(list); entry; entry = readdir(list)) {
    if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0) {
      unlink(entry->d_name);
    }
  }
  closedir(list);
}

int remove_temporaries(void) {
  int count = 0;
  DIR *list = opendir(".");
  for (struct dirent *entry = readdir(list); entry; entry = readdir(list)) {
    count += strncmp(entry->d_name, ".footfall-", 10) == 0 && unlink(entry->d_name) == 0;
  }
  closedir(list);
  return count;
}

/* ---- processes ------------------------------------------------------------------------------- */

pid_t start(const char *words, fault with) {
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

bool finish_within(pid_t child, double limit, int *status) {
  double end = seconds() + limit;
  while (waitpid(child, status, WNOHANG) == 0) {
    if (seconds() > end) {
      kill(child, SIGKILL);
      waitpid(child, status, 0);
      return false;
    }
    usleep(500);
  }
  return true;
}

int finish(pid_t child, const char *what) {
  int status = 0;
  if (!finish_within(child, LIMIT, &status)) {
    note(&now->hangs, "hangs: %s", what);
    return 0;
  }
  return status;
}

int suffer(const char *words, fault with) {
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

int count_calls(const char *words, long *allocations, long *writes) {
  const char *path = "count";
  setenv("FF_FAULT_COUNT", path, 1);
  int status = finish(start(words, (fault){"FF_FAULT_ALLOC", 0, false}), words);
  unsetenv("FF_FAULT_COUNT");
  FILE *file = fopen(path, "r");
  if (!file || fscanf(file, "%ld %ld", allocations, writes) != 2) {
    fprintf(stderr, "campaign: 'footfall %s' does not run (status %d)\n", words, status);
    exit(1);
  }
  fclose(file);
  unlink(path);
  return status;
}
