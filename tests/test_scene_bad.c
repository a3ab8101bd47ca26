/* Bad scenes: each is refused with its place, none crashes, hangs or grows without bound.
 *
 * tests/bad-scenes/NAME.yaml starts with "# expect: LINE: part of the message". Those named
 * model-* are well-formed and refused by ff_model_build. */
#include "footfall/footfall.h"
#include "testing.h"

#include <dirent.h>
#include <time.h>

/* Loads, builds, and gives back the status and the whole message. */
static ff_status try_scene(const char *path, ff_report *report, char *text, size_t size) {
  ff_scene *scene;
  ff_model *model = NULL;
  ff_status status = ff_scene_load(&scene, path, NULL, 0, report);
  if (status == FF_OK) {
    status = ff_model_build(&model, scene, report);
    ff_model_destroy(&model);
  }
  ff_scene_destroy(&scene);
  ff_report_text(report, text, size);
  return status;
}

/* "# expect: LINE: part" of the first line. */
static void read_expectation(const char *path, int *line, char part[256]) {
  FILE *file = fopen(path, "r");
  assert_non_null(file);
  char first[512];
  assert_non_null(fgets(first, sizeof first, file));
  fclose(file);
  if (sscanf(first, "# expect: %d: %255[^\n]", line, part) != 2) {
    fail_msg("%s: no expectation", path);
  }
}

/* Counts instead of stopping, so that one run shows all that is wrong. */
static int check_bad_scene(const char *path) {
  int line;
  char part[256], text[4096];
  read_expectation(path, &line, part);
  ff_report report = {0};
  ff_status status = try_scene(path, &report, text, sizeof text);
  if (status == FF_ERROR_INPUT && report.line == line && report.column > 0 && strstr(text, part)) {
    return 0;
  }
  print_error("%s\n  wanted line %d: %s\n  got %s, line %d: %s\n", path, line, part,
              ff_status_text(status), report.line, status ? text : "");
  return 1;
}

static void every_bad_scene_is_refused_at_its_place(void **state) {
  (void)state;
  const char *folder = FF_SOURCE_DIR "/tests/bad-scenes";
  DIR *dir = opendir(folder);
  assert_non_null(dir);
  int count = 0, wrong = 0;
  for (struct dirent *entry = readdir(dir); entry; entry = readdir(dir)) {
    if (strstr(entry->d_name, ".yaml")) {
      char path[1024];
      snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
      wrong += check_bad_scene(path);
      count++;
    }
  }
  closedir(dir);
  assert_true(count >= 60);
  assert_int_equal(wrong, 0);
}

/* ---- scenes too large to keep as files ------------------------------------------------------ */

typedef struct big_text {
  char *bytes;
  size_t size, capacity;
} big_text;

static void put(big_text *big, const char *piece, long times) {
  size_t length = strlen(piece);
  size_t wanted = big->size + length * (size_t)times;
  if (wanted > big->capacity) {
    big->capacity = wanted * 2;
    big->bytes = realloc(big->bytes, big->capacity);
    assert_non_null(big->bytes);
  }
  for (long i = 0; i < times; i++, big->size += length) {
    memcpy(big->bytes + big->size, piece, length);
  }
}

/* Must be refused with this part of a message, soon. Frees the text. */
static void assert_refused(big_text *big, const char *part) {
  ff_scene *scene;
  ff_report report = {0};
  clock_t before = clock();
  ff_status status = ff_scene_parse(&scene, big->bytes, big->size, "big", NULL, 0, &report);
  double seconds = (double)(clock() - before) / CLOCKS_PER_SEC;
  char text[4096];
  ff_report_text(&report, text, sizeof text);
  free(big->bytes);
  assert_int_equal(status, FF_ERROR_INPUT);
  assert_null(scene);
  if (!strstr(text, part)) {
    fail_msg("wanted '%s', got '%s'", part, text);
  }
  assert_true(seconds < 30); /* takes a few at most; generous for sanitizers and valgrind */
}

static void million_elements(void **state) {
  (void)state;
  big_text list = {0};
  put(&list, "footfall: 1\ngravity: [", 1);
  put(&list, "0,\n ", 1000000);
  put(&list, "0]\nbodies: {}\n", 1);
  assert_refused(&list, "gravity: must be a list of 3, got 1000001");
  big_text line = {0};
  put(&line, "footfall: 1\ngravity: [", 1);
  put(&line, "0,", 1000000);
  assert_refused(&line, "longer than 1,000,000 characters");
  big_text rows = {0};
  put(&rows, "footfall: 1\nbodies: {a: {mass: 1}}\nforces: [{body: a, force: {table: [\n ", 1);
  put(&rows, "[0,0,0,0],\n ", 1000001);
  put(&rows, "[0,0,0,0]]}}]\n", 1);
  assert_refused(&rows, "at most 1000000 are allowed");
  big_text nodes = {0};
  put(&nodes, "footfall: 1\ngravity: [", 1);
  put(&nodes, "0,0,0,0,0,0,0,0,0,0,\n ", 650000);
  assert_refused(&nodes, "more than 6,000,000 values");
}

static void many_names(void **state) {
  (void)state;
  big_text keys = {0};
  put(&keys, "footfall: 1\nbodies:\n", 1);
  for (int i = 0; i < 200001; i++) {
    char entry[32];
    snprintf(entry, sizeof entry, "  b%d: {mass: 1}\n", i);
    put(&keys, entry, 1);
  }
  assert_refused(&keys, "holds 200001 entries, at most 200000 are allowed");
  big_text twins = {0};
  put(&twins, "footfall: 1\nbodies:\n", 1);
  put(&twins, "  b: {mass: 1}\n", 200000);
  assert_refused(&twins, "bodies.b: key 'b' was given before, on line 3");
}

static void deep_nesting(void **state) {
  (void)state;
  const char *const openings[] = {"[", "{a: ", "- ", "[{a: "};
  for (int i = 0; i < 4; i++) {
    big_text deep = {0};
    put(&deep, openings[i], 100000);
    assert_refused(&deep, "nested more than 32 deep");
  }
}

static void alias_bomb(void **state) {
  (void)state;
  big_text bomb = {0};
  put(&bomb, "a: &a [x, x, x, x]\nb: &b [*a, *a, *a, *a]\nc: &c [*b, *b, *b, *b]\n", 1);
  assert_refused(&bomb, "big:1:7: anchors");
}

static void not_a_text(void **state) {
  (void)state;
  uint64_t seed = 7;
  for (int round = 0; round < 200; round++) { /* junk: any message will do, but a message */
    big_text junk = {0};
    put(&junk, "footfall: 1\n", 1);
    for (int i = 0; i < 500; i++) {
      char byte[2] = {(char)(unsigned char)(1 + ff_random(&seed) * 255), 0};
      put(&junk, byte, 1);
    }
    assert_refused(&junk, "big:");
  }
  big_text zero = {0};
  put(&zero, "footfall: 1\nx", 1);
  zero.bytes[zero.size - 1] = '\0';
  assert_refused(&zero, "big:2:1: is not UTF-8 text: byte 0x00");
  big_text cut = {0};
  put(&cut, "footfall: 1\nname: caf\xc3", 1);
  assert_refused(&cut, "big:2:10: is not UTF-8 text: byte 0xc3");
  big_text overlong = {0};
  put(&overlong, "name: \xc0\xaf", 1);
  assert_refused(&overlong, "is not UTF-8 text: byte 0xc0");
}

static void too_large(void **state) {
  (void)state;
  big_text large = {0};
  put(&large, "# comment\n", 17 * 104858);
  assert_refused(&large, "is larger than 16 MiB");
  big_text empty = {0};
  put(&empty, "# nothing\n", 1);
  assert_refused(&empty, "is empty");
}

/* Every beginning of a good scene, and every byte of it damaged, ends in a status. */
static void damaged_scenes(void **state) {
  (void)state;
  FILE *file = fopen(FF_SOURCE_DIR "/scenes/walking-foot.yaml", "rb");
  assert_non_null(file);
  static char good[1 << 16], bad[1 << 16];
  size_t size = fread(good, 1, sizeof good, file);
  fclose(file);
  const char damage[] = "{}[]:,#&*!|>'\"%@`- \n0\t";
  for (size_t i = 0; i < size; i++) {
    ff_scene *scene;
    ff_scene_parse(&scene, good, i, "cut", NULL, 0, NULL);
    ff_scene_destroy(&scene);
    memcpy(bad, good, size);
    bad[i] = damage[i % (sizeof damage - 1)];
    ff_scene_parse(&scene, bad, size, "damaged", NULL, 0, NULL);
    ff_scene_destroy(&scene);
  }
}

static void files_that_cannot_be_read(void **state) {
  (void)state;
  ff_scene *scene;
  ff_report report;
  assert_int_equal(ff_scene_load(&scene, "no/such.yaml", NULL, 0, &report), FF_ERROR_FILE);
  assert_string_equal(report.file, "no/such.yaml");
  assert_non_null(strstr(report.what, "cannot be read"));
  assert_null(scene);
  assert_int_equal(ff_scene_load(&scene, "/", NULL, 0, NULL), FF_ERROR_FILE);
  assert_null(scene);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_bad_scene_is_refused_at_its_place),
      cmocka_unit_test(million_elements),
      cmocka_unit_test(many_names),
      cmocka_unit_test(deep_nesting),
      cmocka_unit_test(alias_bomb),
      cmocka_unit_test(not_a_text),
      cmocka_unit_test(too_large),
      cmocka_unit_test(damaged_scenes),
      cmocka_unit_test(files_that_cannot_be_read),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
