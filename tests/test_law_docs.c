/* Every law has a page, and the page's parameter table is what the law says of itself. */
#include "footfall/law.h"
#include "testing.h"

enum { TEXT_MAX = 1 << 16 };

static const char opening[] = "<!-- parameters -->\n", closing[] = "<!-- /parameters -->\n";

static void read_all(FILE *in, char text[TEXT_MAX]) {
  assert_non_null(in);
  size_t size = fread(text, 1, TEXT_MAX - 1, in);
  assert_true(size < TEXT_MAX - 1);
  text[size] = '\0';
}

/* What stands between the marks. */
static char *table_of(char *page, const char *name) {
  char *start = strstr(page, opening);
  char *end = strstr(page, closing);
  if (!start || !end || end < start) {
    fail_msg("docs/laws/%s.md lacks its parameter marks", name);
    return NULL;
  }
  *end = '\0';
  return start + strlen(opening);
}

static void pages_show_the_parameters_of_their_law(void **state) {
  (void)state;
  for (int i = 0; i < ff_law_count(); i++) {
    const char *name = ff_law_at(i)->name;
    char command[1024], path[1024];
    static char page[TEXT_MAX], table[TEXT_MAX];

    snprintf(path, sizeof path, "%s/docs/laws/%s.md", FF_SOURCE_DIR, name);
    FILE *in = fopen(path, "r");
    if (!in) {
      fail_msg("docs/laws/%s.md is missing", name);
      return;
    }
    read_all(in, page);
    fclose(in);

    snprintf(command, sizeof command, "'%s' laws %s --markdown", FF_PROGRAM, name);
    FILE *program = popen(command, "r");
    read_all(program, table);
    assert_int_equal(pclose(program), 0);

    if (strcmp(table_of(page, name), table) != 0) {
      fail_msg("docs/laws/%s.md has another parameter table than the law; run "
               "tools/refresh-docs PROGRAM",
               name);
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(pages_show_the_parameters_of_their_law),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
