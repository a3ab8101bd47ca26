/* Values of the wrong kind: every node of every scene replaced by what it should not be gives a
 * message or a scene that runs, never a crash.
 *
 * A sample of the replacements, always the same, is tried; FOOTFALL_ALL=1 in the environment tries
 * every one of them and shows each before it does. */
#include "footfall/footfall.h"
#include "testing.h"

#include "io/scene_tree.h"

#include <dirent.h>
#include <time.h>

enum { PATH = 512, NODES = 4000, SAMPLE = 30 };
#define TIME 2e-3 /* s, of each run */

static const char *const values[] = {
    "x",         "~",     "''",     "'1'",
    "true",      "0",     "-1",     "1",
    "1e9",       "1e308", "-1e308", "1e-320",
    ".nan",      "nan",   ".inf",   "99999999999999999999",
    "[]",        "[~]",   "[x, y]", "[1, 2, 3]",
    "[[1], {}]", "{}",    "{a: 1}", "{kind: x, law: [], table: 1}",
};
enum { VALUES = sizeof values / sizeof *values };

/* ---- nodes ------------------------------------------------------------------------------------
 */

typedef struct paths {
  char at[NODES][PATH];
  int count;
} paths;

/* All nodes below this one, as --set names them. */
static void list_nodes(paths *all, const ff_node *node, const char *path) {
  int index = 0;
  for (const ff_node *at = node->kind == FF_NODE_SCALAR ? NULL : node->first; at; at = at->next) {
    char here[PATH], number[16];
    snprintf(number, sizeof number, "%d", index++);
    int length = snprintf(here, sizeof here, "%s%s%s", path, path[0] ? "." : "",
                          at->key ? at->key->text : number);
    assert_true(length < PATH && all->count < NODES);
    strcpy(all->at[all->count++], here);
    list_nodes(all, at, here);
  }
}

static char *read_text(const char *path, size_t *size) {
  FILE *file = fopen(path, "rb");
  assert_non_null(file);
  char *text = malloc(1 << 16);
  assert_non_null(text);
  *size = fread(text, 1, 1 << 16, file);
  assert_true(*size < 1 << 16);
  fclose(file);
  return text;
}

/* ---- cases ---------------------------------------------------------------------------------- */

/* Loads, builds, and runs for a moment. Returns whether that is as it should be. */
static bool try_case(const char *path, const char *text, size_t size, const char *setting) {
  ff_scene *scene = NULL;
  ff_model *model = NULL;
  ff_sim *sim = NULL;
  ff_report report = {0};
  ff_status status = ff_scene_parse(&scene, text, size, path, &setting, 1, &report);
  status = status == FF_OK ? ff_model_build(&model, scene, &report) : status;
  bool refused = status == FF_ERROR_INPUT || status == FF_ERROR_FILE;
  bool right = status == FF_OK || (refused && report.what[0] && report.file[0]);
  if (status == FF_OK) {
    status = ff_sim_create(&sim, model);
    right = status == FF_OK || status == FF_ERROR_MEMORY;
  }
  /* a step of a robot with a controller may be a million ticks */
  status = status == FF_OK ? ff_sim_advance(sim, TIME) : status;
  if (status == FF_OK && !strstr(text, "controller")) {
    ff_sim_step(sim);
  }
  ff_sim_destroy(&sim);
  ff_model_destroy(&model);
  ff_scene_destroy(&scene);
  if (!right) {
    print_error("%s --set '%s': %s, file '%s': %s\n", path, setting, ff_status_text(status),
                report.file, report.what);
  }
  return right;
}

/* How many of them went wrong. */
static int try_scene(const char *path, bool all, uint64_t *seed) {
  static paths nodes;
  size_t size;
  char *text = read_text(path, &size);
  ff_arena arena = {0};
  ff_node *root;
  assert_int_equal(ff_tree_read(&root, &arena, text, size, path, NULL), FF_OK);
  nodes.count = 0;
  list_nodes(&nodes, root, "");
  ff_arena_free(&arena);
  int wrong = 0, cases = all ? nodes.count * VALUES : SAMPLE;
  for (int i = 0; i < cases; i++) {
    int pick = all ? i : (int)(ff_random(seed) * nodes.count * VALUES);
    char setting[PATH + 64];
    snprintf(setting, sizeof setting, "%s=%s", nodes.at[pick / VALUES], values[pick % VALUES]);
    struct timespec start, end;
    if (all) {
      fprintf(stderr, "%s --set '%s'\n", path, setting);
      clock_gettime(CLOCK_MONOTONIC, &start);
    }
    wrong += !try_case(path, text, size, setting);
    if (all) {
      clock_gettime(CLOCK_MONOTONIC, &end);
      double took =
          (double)(end.tv_sec - start.tv_sec) + 1e-9 * (double)(end.tv_nsec - start.tv_nsec);
      if (took > 5) {
        fprintf(stderr, "  slow: %.1f s\n", took);
      }
    }
  }
  free(text);
  return wrong;
}

static void wrong_values_give_a_message_or_a_run(void **state) {
  (void)state;
  const char *folder = FF_SOURCE_DIR "/scenes", *only = getenv("FOOTFALL_SCENE");
  bool all = getenv("FOOTFALL_ALL") != NULL;
  struct dirent **entries; /* in the order of their names, for the sample */
  int found = scandir(folder, &entries, NULL, alphasort), wrong = 0, count = 0;
  assert_true(found > 0);
  uint64_t seed = 11;
  for (int i = 0; i < found; i++) {
    const char *name = entries[i]->d_name;
    if (strstr(name, ".yaml") && (!only || strstr(name, only))) {
      char path[1024];
      snprintf(path, sizeof path, "%s/%s", folder, name);
      wrong += try_scene(path, all, &seed);
      count++;
    }
    free(entries[i]);
  }
  free(entries);
  assert_true(count > 0);
  assert_int_equal(wrong, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(wrong_values_give_a_message_or_a_run),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
