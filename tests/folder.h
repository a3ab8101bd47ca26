/* A new empty folder for every test that writes files. */
#ifndef FF_TESTS_FOLDER_H
#define FF_TESTS_FOLDER_H

#include "testing.h"

#include <dirent.h>
#include <unistd.h>

static char folder[512];

/* Setup of a test: it starts in the folder. */
static inline int enter_folder(void **state) {
  (void)state;
  const char *base = getenv("TMPDIR");
  snprintf(folder, sizeof folder, "%s/footfall-test-XXXXXX", base && base[0] ? base : "/tmp");
  return mkdtemp(folder) && chdir(folder) == 0 ? 0 : -1;
}

/* End of a test's teardown: fails if the test left anything behind. */
static inline int remove_folder(void) {
  return chdir("/") == 0 ? rmdir(folder) : -1;
}

/* Files in the folder. */
static inline int entries(void) {
  int count = 0;
  DIR *dir = opendir(".");
  while (readdir(dir)) {
    count++;
  }
  closedir(dir);
  return count - 2;
}

#endif
