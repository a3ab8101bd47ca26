/* Tables of documentation that the program prints. */
#ifndef FF_TESTS_PAGE_TABLE_H
#define FF_TESTS_PAGE_TABLE_H

#include "program.h"

/* Fails unless docs/PAGE has between <!-- MARK --> and <!-- /MARK --> what `footfall MARK
 * --markdown` prints. */
static inline void assert_page_has_table(const char *page, const char *mark) {
  static char text[1 << 16], table[1 << 16];
  char path[1024], opening[64], closing[64];
  snprintf(path, sizeof path, "%s/docs/%s", FF_SOURCE_DIR, page);
  snprintf(opening, sizeof opening, "<!-- %s -->\n", mark);
  snprintf(closing, sizeof closing, "<!-- /%s -->\n", mark);
  FILE *in = fopen(path, "r");
  assert_non_null(in);
  size_t size = fread(text, 1, sizeof text - 1, in);
  assert_true(size < sizeof text - 1);
  text[size] = '\0';
  fclose(in);
  assert_int_equal(call(mark, "--markdown", table, sizeof table), 0);
  char *start = strstr(text, opening), *end = strstr(text, closing);
  assert_true(start && end && start < end);
  *end = '\0';
  if (strcmp(start + strlen(opening), table) != 0) {
    fail_msg("docs/%s has another table; run tools/refresh-docs PROGRAM", page);
  }
}

#endif
