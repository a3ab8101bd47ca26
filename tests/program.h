/* The program as a shell calls it. */
#ifndef FF_TESTS_PROGRAM_H
#define FF_TESTS_PROGRAM_H

#include "testing.h"

#include <sys/wait.h>

/* Runs `footfall VERB ARGUMENTS`; output gets what it prints on both streams. Returns the exit
 * code. */
static inline int call(const char *verb, const char *arguments, char *output, size_t size) {
  char command[1024];
  snprintf(command, sizeof command, "'%s' %s %s 2>&1", FF_PROGRAM, verb, arguments);
  FILE *pipe = popen(command, "r");
  assert_non_null(pipe);
  size_t used = fread(output, 1, size - 1, pipe);
  output[used] = '\0';
  int status = pclose(pipe);
  assert_true(WIFEXITED(status));
  return WEXITSTATUS(status);
}

#endif
