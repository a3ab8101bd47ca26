/* What a paper's reproduction prints with --json. One reproduction serves all tests of its
 * numbers. */
#ifndef FF_TESTS_PAPER_JSON_H
#define FF_TESTS_PAPER_JSON_H

#include "program.h"

#include <stdbool.h>

static char json[400000];

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

/* Has every claim that is tested criteria with their source, in the words of docs/papers.md? */
static inline void claims_are_stated(void) {
  static const char *const kinds[] = {
      "paper: ", "derivation: ", "convergence: ", "rounding: ", "reading: ", "chosen: "};
  int count = 0;
  for (const char *at = strstr(json, "\"basis\": "); at; at = strstr(at + 1, "\"basis\": ")) {
    const char *basis = at + strlen("\"basis\": ") + 1, *verdict = strstr(at, "\"verdict\": \"");
    bool stated = strncmp(verdict, "\"verdict\": \"not tested", 22) == 0;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
      stated = stated || strncmp(basis, kinds[i], strlen(kinds[i])) == 0;
    }
    if (!stated) {
      fail_msg("a criterion without source: %.80s", basis);
    }
    count++;
  }
  assert_true(count >= 14);
  assert_null(strstr(json, "\"expected\": false"));
}

static inline void claim_is(const char *key, const char *verdict) {
  const char *found = json_after(key, "\"verdict\": \"");
  assert_int_equal(strncmp(found, verdict, strlen(verdict)), 0);
}

#endif
