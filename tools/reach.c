/* Which functions of the library a process enters, for tools/mutate. Preloaded into programs whose
 * library was compiled with -finstrument-functions; all processes of a test share the file that
 * REACH_FILE names. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { GRAIN = 16, BYTES = 1 << 20 }; /* one byte of the file for each 16 bytes of the library */

static unsigned char *entered;
static uintptr_t base;

__attribute__((no_instrument_function)) static int find_library(struct dl_phdr_info *info,
                                                                size_t size, void *unused) {
  (void)size, (void)unused;
  if (!strstr(info->dlpi_name, "/libfootfall.so")) {
    return 0;
  }
  base = info->dlpi_addr;
  return 1;
}

__attribute__((no_instrument_function, constructor)) static void open_reach_file(void) {
  const char *path = getenv("REACH_FILE");
  if (!path || !dl_iterate_phdr(find_library, NULL)) {
    return;
  }
  int file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (file < 0) {
    return;
  }
  if (ftruncate(file, BYTES) == 0) {
    void *map = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    entered = map == MAP_FAILED ? NULL : map;
  }
  close(file);
}

__attribute__((no_instrument_function)) void __cyg_profile_func_enter(void *function, void *site) {
  (void)site;
  uintptr_t at = ((uintptr_t)function - base) / GRAIN;
  if (entered && at < BYTES) {
    entered[at] = 1;
  }
}
