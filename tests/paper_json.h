/* What a paper's reproduction prints with --json. One reproduction serves all tests of its
 * numbers. */
#ifndef FF_TESTS_PAPER_JSON_H
#define FF_TESTS_PAPER_JSON_H

#include "program.h"

static char json[200000];

/* `footfall paper ARGUMENTS` into json; returns the exit code, 0 if all claims are as expected. */
static inline int paper(const char *arguments) {
  return call("paper", arguments, json, sizeof json);
}

/* What follows `name` behind the key. */
static inline const char *json_after(const char *key, const char *name) {
  char pattern[128];
  snprintf(pattern, sizeof pattern, "\"%s\"", key);
  const char *at = strstr(json, pattern);
  at = at ? strstr(at, name) : NULL;
  if (!at) {
    fail_msg("no %s of %s", name, key);
    return "";
  }
  return at + strlen(name);
}

/* Value of a number or claim. */
static inline double value_of(const char *key) {
  return strtod(json_after(key, "\"value\": "), NULL);
}

static inline void claim_is(const char *key, const char *verdict) {
  const char *found = json_after(key, "\"verdict\": \"");
  assert_int_equal(strncmp(found, verdict, strlen(verdict)), 0);
}

#endif
