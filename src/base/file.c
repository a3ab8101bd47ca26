#define _DEFAULT_SOURCE /* getrandom, flock */
#include "base/file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/checksum.h"
#include "base/memory.h"
#include "base/report.h"

enum { BUFFER_SIZE = 1 << 16, NAME_TRIES = 100 };
#define TEMPORARY_NAME ".footfall-0123456789abcdef.tmp"

struct ff_file {
  char *shown;     /* path as given by the user */
  char *target;    /* final path, symbolic links resolved */
  char *temporary; /* path while the file is being written; NULL: standard output, or it grows */
  bool grows;      /* under its own name */
  char *buffer;
  size_t used;
  int fd;
  bool failed;
  int error;     /* errno of the first failure */
  ff_file *with; /* committed and abandoned together with this one; NULL: none */
};

/* Test hooks: thread-local, as in base/memory.c. */
static _Thread_local long operation_count;
static _Thread_local long fail_at;

/* Counts an operation; an injected failure reports a full disk (ENOSPC). */
static bool file_must_fail(void) {
  operation_count++;
  if (fail_at > 0 && --fail_at == 0) {
    errno = ENOSPC;
    return true;
  }
  return false;
}

void ff_file_fail_at(long n) {
  fail_at = n;
}

long ff_file_operations(void) {
  return operation_count;
}

static ff_status file_report_reason(ff_report *report, const char *path, const char *verb,
                                    const char *why) {
  ff_report_what(report, "cannot %s: %s", verb, why);
  if (report) {
    snprintf(report->file, sizeof report->file, "%s", path);
  }
  return FF_ERROR_FILE;
}

static ff_status file_report_errno(ff_report *report, const char *path, const char *verb,
                                   int error) {
  if (error == ENOMEM) {
    ff_report_what(report, "%s", ff_status_text(FF_ERROR_MEMORY));
    return FF_ERROR_MEMORY;
  }
  return file_report_reason(report, path, verb, strerror(error));
}

static void file_set_error(ff_file *file, int error) {
  if (!file->failed) {
    file->failed = true;
    file->error = error;
  }
}

/* ---- names ----------------------------------------------------------------------------------- */

/* Final path with symbolic links resolved, so that a link stays a link. */
static char *resolve_target(const char *path) {
  char resolved[PATH_MAX];
  return ff_strdup(realpath(path, resolved) ? resolved : path);
}

/* <folder of target>/.footfall-<16 hex digits>.tmp: short, so that it fits wherever the target's
 * name does; random, so that concurrent runs do not collide. */
static char *name_temporary(const char *target) {
  const char *slash = strrchr(target, '/');
  size_t folder = slash ? (size_t)(slash - target) + 1 : 0;
  size_t size = folder + sizeof TEMPORARY_NAME;
  char *name = ff_alloc(size, 1);
  if (name) {
    memcpy(name, target, folder);
  }
  return name;
}

static int open_temporary(char *name, const char *target) {
  const char *slash = strrchr(target, '/');
  char *tail = name + (slash ? (size_t)(slash - target) + 1 : 0);
  for (int i = 0; i < NAME_TRIES; i++) {
    uint64_t number = 0;
    if (file_must_fail() || getrandom(&number, sizeof number, 0) != (ssize_t)sizeof number) {
      return -1;
    }
    snprintf(tail, sizeof TEMPORARY_NAME, ".footfall-%016llx.tmp", (unsigned long long)number);
    int fd = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd >= 0) {
      flock(fd, LOCK_EX | LOCK_NB); /* until it is closed: see ff_file_remove_stale */
    }
    if (fd >= 0 || errno != EEXIST) {
      return fd;
    }
  }
  return -1;
}

/* ---- writing --------------------------------------------------------------------------------- */

static void file_free(ff_file *file) {
  if (file) {
    ff_free(file->shown);
    ff_free(file->target);
    ff_free(file->temporary);
    ff_free(file->buffer);
    ff_free(file);
  }
}

/* Only regular files are replaced, never a device, a pipe or a folder. */
static bool file_may_replace(const char *target, ff_report *report, const char *path) {
  struct stat old;
  if (stat(target, &old) != 0 || S_ISREG(old.st_mode)) {
    return true;
  }
  file_report_reason(report, path, "write",
                     S_ISDIR(old.st_mode) ? strerror(EISDIR)
                                          : "is a device or a pipe; use - for the standard output");
  return false;
}

static ff_status file_open_target(ff_file *file, ff_report *report) {
  if (strcmp(file->shown, "-") == 0) {
    file->fd = STDOUT_FILENO;
    return file_must_fail() ? file_report_errno(report, "-", "write", errno) : FF_OK;
  }
  if (!file_may_replace(file->target, report, file->shown)) {
    return FF_ERROR_FILE;
  }
  file->temporary = name_temporary(file->target);
  if (!file->temporary) {
    return FF_ERROR_MEMORY;
  }
  file->fd = open_temporary(file->temporary, file->target);
  return file->fd < 0 ? file_report_errno(report, file->shown, "write", errno) : FF_OK;
}

ff_status ff_file_create(ff_file **out, const char *path, ff_report *report) {
  *out = NULL;
  ff_file *file = ff_alloc(1, sizeof *file);
  if (!file) {
    return FF_ERROR_MEMORY;
  }
  file->shown = ff_strdup(path);
  file->target = resolve_target(path);
  file->buffer = ff_alloc(BUFFER_SIZE, 1);
  ff_status status = file->shown && file->target && file->buffer ? FF_OK : FF_ERROR_MEMORY;
  if (status == FF_OK) {
    status = file_open_target(file, report);
  }
  if (status != FF_OK) {
    file_free(file);
    return status;
  }
  *out = file;
  return FF_OK;
}

static ff_status file_write_all(ff_file *file, const char *bytes, size_t size) {
  while (size > 0) {
    ssize_t written = file_must_fail() ? -1 : write(file->fd, bytes, size);
    if (written < 0 && errno == EINTR) {
      continue;
    }
    if (written < 0) {
      file_set_error(file, errno);
      return FF_ERROR_FILE;
    }
    bytes += written;
    size -= (size_t)written;
  }
  return FF_OK;
}

ff_status ff_file_flush(ff_file *file) {
  ff_status status = file->failed ? FF_ERROR_FILE : file_write_all(file, file->buffer, file->used);
  file->used = 0;
  return status;
}

ff_status ff_file_write(ff_file *file, const void *bytes, size_t size) {
  if (file->failed) {
    return FF_ERROR_FILE;
  }
  if (size > BUFFER_SIZE - file->used && ff_file_flush(file) != FF_OK) {
    return FF_ERROR_FILE;
  }
  if (size > BUFFER_SIZE) {
    return file_write_all(file, bytes, size);
  }
  memcpy(file->buffer + file->used, bytes, size);
  file->used += size;
  return FF_OK;
}

/* ---- commit ---------------------------------------------------------------------------------- */

/* Everything written is on the disk, under the temporary name. Sets the error on failure. */
static bool file_settle(ff_file *file) {
  if (!file->failed && ff_file_flush(file) == FF_OK && file->temporary &&
      (file_must_fail() || fsync(file->fd) != 0)) {
    file_set_error(file, errno);
  }
  return !file->failed;
}

static bool file_rename(ff_file *file) {
  if (file->temporary && (file_must_fail() || rename(file->temporary, file->target) != 0)) {
    file_set_error(file, errno);
  }
  return !file->failed;
}

/* Renames both, the second first. If the first then fails, what the second replaced comes back: it
 * has a second name (a hard link, where the file system has such) until then. */
static bool file_rename_both(ff_file *file, ff_file *second) {
  char *kept = name_temporary(second->target);
  int fd = kept ? open_temporary(kept, second->target) : -1;
  if (fd < 0) {
    file_set_error(second, kept ? errno : ENOMEM);
    ff_free(kept);
    return false;
  }
  close(fd);
  unlink(kept); /* the name was free */
  bool old = link(second->target, kept) == 0;
  bool good = file_rename(second);
  if (good && !file_rename(file)) {
    good = false;
    if (!old || rename(kept, second->target) != 0) {
      unlink(second->target);
    }
  }
  unlink(kept);
  ff_free(kept);
  return good;
}

/* Closes and frees a file that is complete. */
static void file_close(ff_file *file) {
  if (file->temporary || file->grows) {
    close(file->fd);
  }
  file_free(file);
}

ff_status ff_file_commit(ff_file *file, ff_report *report) {
  ff_file *with = file->with;
  bool good = file_settle(file) && (!with || file_settle(with)) &&
              (with ? file_rename_both(file, with) : file_rename(file));
  if (good) {
    if (with) {
      file_close(with);
    }
    file_close(file);
    return FF_OK;
  }
  const ff_file *bad = file->failed ? file : with;
  ff_status status = file_report_errno(report, bad->shown, "write", bad->error);
  if (file->grows) {
    file_close(file);
  } else {
    ff_file_abandon(file);
  }
  return status;
}

void ff_file_join(ff_file *file, ff_file *second) {
  file->with = second;
}

void ff_file_abandon(ff_file *file) {
  if (file) {
    ff_file_abandon(file->with);
  }
  if (file && (file->temporary || file->grows)) {
    close(file->fd);
    unlink(file->grows ? file->target : file->temporary);
  }
  file_free(file);
}

/* ---- files that grow ------------------------------------------------------------------------- */

static ff_status file_open_grown(ff_file *file, size_t keep, ff_report *report) {
  if (!file_may_replace(file->target, report, file->shown)) {
    return FF_ERROR_FILE;
  }
  int flags = O_WRONLY | O_CLOEXEC | (keep > 0 ? 0 : O_CREAT);
  file->fd = file_must_fail() ? -1 : open(file->target, flags, 0666);
  struct stat about;
  if (file->fd < 0 || fstat(file->fd, &about) != 0) {
    return file_report_errno(report, file->shown, "write", errno);
  }
  if ((size_t)about.st_size < keep) {
    close(file->fd);
    return file_report_reason(report, file->shown, "go on", "it is shorter than it was");
  }
  if (file_must_fail() || ftruncate(file->fd, (off_t)keep) != 0 ||
      lseek(file->fd, 0, SEEK_END) < 0) {
    int error = errno;
    close(file->fd);
    return file_report_errno(report, file->shown, "write", error);
  }
  return FF_OK;
}

ff_status ff_file_grow(ff_file **out, const char *path, size_t keep, ff_report *report) {
  *out = NULL;
  ff_file *file = ff_alloc(1, sizeof *file);
  if (!file) {
    return FF_ERROR_MEMORY;
  }
  file->grows = true;
  file->shown = ff_strdup(path);
  file->target = resolve_target(path);
  file->buffer = ff_alloc(BUFFER_SIZE, 1);
  ff_status status = file->shown && file->target && file->buffer
                         ? file_open_grown(file, keep, report)
                         : FF_ERROR_MEMORY;
  if (status != FF_OK) {
    file_free(file);
    return status;
  }
  *out = file;
  return FF_OK;
}

void ff_file_remove(const char *path) {
  unlink(path);
}

/* ---- reading --------------------------------------------------------------------------------- */

static ff_status file_report_too_large(const char *path, size_t limit, ff_report *report) {
  ff_report_what(report, "is larger than the %zu bytes allowed", limit);
  if (report) {
    snprintf(report->file, sizeof report->file, "%s", path);
  }
  return FF_ERROR_INPUT;
}

/* Reads to the end into a growing buffer: pipes have no size. */
static ff_status file_read_to_end(int fd, char **text, size_t *size, size_t limit) {
  size_t capacity = limit < BUFFER_SIZE ? limit : BUFFER_SIZE;
  *text = ff_alloc(capacity + 1, 1);
  while (*text) {
    ssize_t got = file_must_fail() ? -1 : read(fd, *text + *size, capacity - *size + 1);
    if (got < 0 && errno == EINTR) {
      continue;
    }
    if (got <= 0) {
      (*text)[*size] = '\0';
      return got < 0 ? FF_ERROR_FILE : FF_OK;
    }
    *size += (size_t)got;
    if (*size > limit) {
      return FF_ERROR_INPUT;
    }
    if (*size > capacity) {
      size_t more = capacity < limit / 2 ? 2 * capacity : limit;
      char *grown = ff_resize(*text, capacity + 1, more + 1, 1);
      if (!grown) {
        return FF_ERROR_MEMORY;
      }
      *text = grown;
      capacity = more;
    }
  }
  return FF_ERROR_MEMORY;
}

ff_status ff_file_read(char **out, size_t *size, const char *path, size_t limit,
                       ff_report *report) {
  *out = NULL;
  *size = 0;
  int fd = file_must_fail() ? -1 : open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) {
    return file_report_errno(report, path, "read", errno);
  }
  char *text = NULL;
  ff_status status = file_read_to_end(fd, &text, size, limit);
  int error = errno;
  close(fd);
  if (status == FF_OK) {
    *out = text;
    return FF_OK;
  }
  ff_free(text);
  *size = 0;
  return status == FF_ERROR_FILE    ? file_report_errno(report, path, "read", error)
         : status == FF_ERROR_INPUT ? file_report_too_large(path, limit, report)
                                    : status;
}

ff_status ff_file_size(size_t *size, const char *path, ff_report *report) {
  struct stat about;
  if (file_must_fail() || stat(path, &about) != 0 || access(path, R_OK) != 0) {
    return file_report_errno(report, path, "read", errno);
  }
  if (!S_ISREG(about.st_mode)) {
    return file_report_errno(report, path, "read", S_ISDIR(about.st_mode) ? EISDIR : EINVAL);
  }
  *size = (size_t)about.st_size;
  return FF_OK;
}

/* Exactly these bytes; false: fewer, or an error. */
static bool file_read_exactly(int fd, void *to, size_t size) {
  char *at = to;
  while (size > 0) {
    ssize_t got = file_must_fail() ? -1 : read(fd, at, size);
    if (got < 0 && errno == EINTR) {
      continue;
    }
    if (got <= 0) {
      errno = got == 0 ? EIO : errno;
      return false;
    }
    at += got;
    size -= (size_t)got;
  }
  return true;
}

ff_status ff_file_checksum(const char *path, size_t size, uint64_t *sum, void *tail,
                           size_t tail_size, ff_report *report) {
  char bytes[BUFFER_SIZE / 4];
  int fd = file_must_fail() ? -1 : open(path, O_RDONLY | O_CLOEXEC);
  bool good = fd >= 0;
  *sum = 0;
  while (good && size > 0) {
    size_t part = size < sizeof bytes ? size : sizeof bytes;
    good = file_read_exactly(fd, bytes, part);
    *sum = ff_checksum(*sum, bytes, good ? part : 0);
    size -= part;
  }
  good = good && file_read_exactly(fd, tail, tail_size);
  int error = errno;
  if (fd >= 0) {
    close(fd);
  }
  return good ? FF_OK : file_report_errno(report, path, "read", error);
}

/* ---- temporaries of killed processes --------------------------------------------------------- */

/* A living writer holds a lock on its temporary file, from right after it was opened
 * (open_temporary). */
static void file_remove_unlocked(int folder, const char *name) {
  enum { YOUNG = 2 }; /* s: perhaps not yet locked */
  struct stat about;
  int fd = openat(folder, name, O_WRONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (fd >= 0) {
    if (fstat(fd, &about) == 0 && time(NULL) - about.st_mtime > YOUNG &&
        flock(fd, LOCK_EX | LOCK_NB) == 0) {
      unlinkat(folder, name, 0);
    }
    close(fd);
  }
}

void ff_file_remove_stale(const char *path) {
  char folder[PATH_MAX] = ".";
  const char *slash = strrchr(path, '/');
  if (slash && (size_t)(slash - path) + 1 < sizeof folder) {
    memcpy(folder, path, (size_t)(slash - path) + 1);
    folder[slash - path + 1] = 0;
  }
  DIR *list = opendir(folder);
  for (struct dirent *entry = list ? readdir(list) : NULL; entry; entry = readdir(list)) {
    const char *name = entry->d_name;
    size_t length = strlen(name);
    if (length == sizeof TEMPORARY_NAME - 1 && strncmp(name, ".footfall-", 10) == 0 &&
        strspn(name + 10, "0123456789abcdef") == 16 && strcmp(name + 26, ".tmp") == 0) {
      file_remove_unlocked(dirfd(list), name);
    }
  }
  if (list) {
    closedir(list);
  }
}
