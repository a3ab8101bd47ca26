/* Faults for a whole process, its libraries included: loaded before the C library (LD_PRELOAD).
 *
 *   FF_FAULT_ALLOC=N   the N-th allocation fails (with FF_FAULT_REST=1 all after it, too)
 *   FF_FAULT_WRITE=N   the N-th call that changes a file fails: open for writing, write, pwrite,
 *                      fsync, rename, ftruncate (with FF_FAULT_REST=1 all writes after it, too: a
 * full disk) FF_FAULT_KILL=N    the process kills itself (SIGKILL) before the N-th such call
 *   FF_FAULT_COUNT=FILE  at the end the numbers of both are written there: "ALLOCATIONS WRITES"
 *
 * Calls before the program's main do not count. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

/* The allocator of glibc under its own names, which need no dlsym. */
extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);

static atomic_long allocations, writes;
static long alloc_at, write_at, kill_at;
static int rest, armed;

static long fault_number(const char *name) {
  const char *text = getenv(name);
  return text ? strtol(text, NULL, 10) : 0;
}

__attribute__((constructor)) static void fault_arm(void) {
  alloc_at = fault_number("FF_FAULT_ALLOC");
  write_at = fault_number("FF_FAULT_WRITE");
  kill_at = fault_number("FF_FAULT_KILL");
  rest = fault_number("FF_FAULT_REST") != 0;
  armed = 1;
}

__attribute__((destructor)) static void fault_tell(void) {
  const char *path = getenv("FF_FAULT_COUNT");
  armed = 0;
  if (path) {
    char text[64];
    int size = snprintf(text, sizeof text, "%ld %ld\n", (long)allocations, (long)writes);
    int fd = (int)syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    if (fd >= 0) {
      syscall(SYS_write, fd, text, (size_t)size);
      syscall(SYS_close, fd);
    }
  }
}

/* ---- allocation ------------------------------------------------------------------------------ */

static int alloc_fails(void) {
  if (!armed) {
    return 0;
  }
  long n = ++allocations;
  int fails = alloc_at > 0 && (n == alloc_at || (rest && n > alloc_at));
  if (fails) {
    errno = ENOMEM;
  }
  return fails;
}

void *malloc(size_t size) {
  return alloc_fails() ? NULL : __libc_malloc(size);
}

void *calloc(size_t count, size_t size) {
  return alloc_fails() ? NULL : __libc_calloc(count, size);
}

void *realloc(void *block, size_t size) {
  return alloc_fails() ? NULL : __libc_realloc(block, size);
}

void *memalign(size_t alignment, size_t size) {
  return alloc_fails() ? NULL : __libc_memalign(alignment, size);
}

void *aligned_alloc(size_t alignment, size_t size) {
  return alloc_fails() ? NULL : __libc_memalign(alignment, size);
}

int posix_memalign(void **out, size_t alignment, size_t size) {
  if (alloc_fails()) {
    return ENOMEM;
  }
  *out = __libc_memalign(alignment, size);
  return *out ? 0 : ENOMEM;
}

/* ---- files ----------------------------------------------------------------------------------- */

static int write_fails(void) {
  if (!armed) {
    return 0;
  }
  long n = ++writes;
  if (n == kill_at) {
    kill(getpid(), SIGKILL);
  }
  int fails = write_at > 0 && (n == write_at || (rest && n > write_at));
  if (fails) {
    errno = ENOSPC;
  }
  return fails;
}

ssize_t write(int fd, const void *bytes, size_t size) {
  return write_fails() ? -1 : syscall(SYS_write, fd, bytes, size);
}

ssize_t pwrite64(int fd, const void *bytes, size_t size, off64_t at) {
  return write_fails() ? -1 : syscall(SYS_pwrite64, fd, bytes, size, at);
}

ssize_t pwrite(int fd, const void *bytes, size_t size, off_t at) {
  return pwrite64(fd, bytes, size, at);
}

static int open_any(const char *path, int flags, mode_t mode) {
  int changes = (flags & (O_WRONLY | O_RDWR | O_CREAT | O_TRUNC)) != 0;
  return changes && write_fails() ? -1 : (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}

int open(const char *path, int flags, ...) {
  va_list args;
  va_start(args, flags);
  mode_t mode = (flags & O_CREAT) ? (mode_t)va_arg(args, int) : 0;
  va_end(args);
  return open_any(path, flags, mode);
}

int open64(const char *path, int flags, ...) {
  va_list args;
  va_start(args, flags);
  mode_t mode = (flags & O_CREAT) ? (mode_t)va_arg(args, int) : 0;
  va_end(args);
  return open_any(path, flags, mode);
}

int fsync(int fd) {
  return write_fails() ? -1 : (int)syscall(SYS_fsync, fd);
}

int fdatasync(int fd) {
  return write_fails() ? -1 : (int)syscall(SYS_fdatasync, fd);
}

int rename(const char *from, const char *to) {
  return write_fails() ? -1 : (int)syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0);
}

int ftruncate64(int fd, off64_t size) {
  return write_fails() ? -1 : (int)syscall(SYS_ftruncate, fd, size);
}

int ftruncate(int fd, off_t size) {
  return ftruncate64(fd, size);
}
