/* Reports: text that cannot break out, numbers to the last bit, whole files or none. */
#include "folder.h"

#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"
#include "footfall/page.h"
#include "io/page.h"

/* ---- a folder of our own ------------------------------------------------------------------ */

static int leave_folder(void **state) {
  (void)state;
  ff_alloc_fail_at(0);
  ff_file_fail_at(0);
  unlink("page.html");
  unlink("run.h5");
  return remove_folder();
}

/* ---- text ----------------------------------------------------------------------------------- */

static void assert_json(const char *value, const char *expected) {
  ff_text text = {0};
  ff_text_json_string(&text, value);
  ff_text_add(&text, "", 1);
  assert_string_equal(text.bytes, expected);
  ff_text_free(&text);
}

static void json_strings_hold_nothing_html_could_read(void **state) {
  (void)state;
  assert_json(NULL, "\"\"");
  assert_json("plain, text 1.5 m/s^2", "\"plain, text 1.5 m/s^2\"");
  assert_json("</script>", "\"\\u003c/script\\u003e\"");
  assert_json("a\"b\\c&'`", "\"a\\u0022b\\u005cc\\u0026\\u0027\\u0060\"");
  assert_json("\x01\n\t\x7f", "\"\\u0001\\u000a\\u0009\\u007f\"");
}

static void json_strings_are_unicode_or_say_so(void **state) {
  (void)state;
  assert_json("\xc3\xa9\xe2\x82\xac", "\"\\u00e9\\u20ac\"");
  assert_json("\xf0\x9f\x98\x80", "\"\\ud83d\\ude00\"");
  assert_json("\xe2\x80\xae\xe2\x80\xa8", "\"\\u202e\\u2028\"");
  assert_json("\xff\xc0\xaf", "\"\\ufffd\\ufffd\\ufffd\"");            /* no start; overlong */
  assert_json("\xed\xa0\x80", "\"\\ufffd\\ufffd\\ufffd\"");            /* half of a pair */
  assert_json("\xf4\x90\x80\x80", "\"\\ufffd\\ufffd\\ufffd\\ufffd\""); /* beyond U+10FFFF */
  assert_json("cut \xe2\x82", "\"cut \\ufffd\\ufffd\"");
}

static void json_numbers_read_back_and_have_no_nan(void **state) {
  (void)state;
  ff_text text = {0};
  double values[] = {0.1, -1e-300, NAN, INFINITY, 3};
  ff_text_json_numbers(&text, values, 5);
  ff_text_json_numbers(&text, values, 0);
  ff_text_add(&text, "", 1);
  assert_string_equal(text.bytes, "[0.1,-1e-300,null,null,3][]");
  ff_text_free(&text);
}

/* ---- base64 ---------------------------------------------------------------------------------- */

static int digit(char c) {
  const char *digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  return (int)(strchr(digits, c) - digits);
}

/* Decodes whole groups of four; returns the number of bytes. */
static size_t decode(const char *text, size_t size, unsigned char *out) {
  size_t at = 0;
  for (size_t i = 0; i + 3 < size; i += 4) {
    int pad = (text[i + 2] == '=') + (text[i + 3] == '=');
    unsigned word = (unsigned)digit(text[i]) << 18 | (unsigned)digit(text[i + 1]) << 12 |
                    (pad > 1 ? 0 : (unsigned)digit(text[i + 2]) << 6) |
                    (pad > 0 ? 0 : (unsigned)digit(text[i + 3]));
    for (int k = 0; k < 3 - pad; k++) {
      out[at++] = (unsigned char)(word >> (16 - 8 * k));
    }
  }
  return at;
}

static void base64_gives_the_bits_back(void **state) {
  (void)state;
  enum { MOST = 2000 };
  static double values[MOST], back[MOST];
  uint64_t seed = 7;
  for (int i = 0; i < MOST; i++) {
    values[i] = ff_random_in(&seed, -1e3, 1e3);
  }
  values[3] = -0.0;
  values[4] = INFINITY;
  const long counts[] = {0, 1, 2, 3, 767, 768, 769, MOST};
  for (size_t k = 0; k < sizeof counts / sizeof *counts; k++) {
    ff_text text = {0};
    ff_text_base64(&text, values, NULL, counts[k]);
    assert_int_equal(text.size, (8 * counts[k] + 2) / 3 * 4);
    assert_int_equal(decode(text.bytes, text.size, (unsigned char *)back), 8 * counts[k]);
    assert_memory_equal(values, back, 8 * (size_t)counts[k]);
    ff_text_free(&text);
  }
}

static void base64_of_chosen_rows(void **state) {
  (void)state;
  double values[] = {1, 2, 3, 4}, back[2];
  long rows[] = {1, 3};
  ff_text text = {0};
  ff_text_base64(&text, values, rows, 2);
  assert_int_equal(decode(text.bytes, text.size, (unsigned char *)back), 16);
  assert_true(back[0] == 2 && back[1] == 4);
  ff_text_free(&text);
}

/* ---- reduction ------------------------------------------------------------------------------- */

enum { ROWS = 100000, COLUMNS = 5 };
static double data[COLUMNS][ROWS];

static void fill_data(const double *columns[COLUMNS]) {
  uint64_t seed = 11;
  for (long i = 0; i < ROWS; i++) {
    data[0][i] = (double)i * 1e-3;
    data[1][i] = sin((double)i * 0.01);
    data[2][i] = ff_random(&seed);
    data[3][i] = i == 54321 ? 1e6 : 0; /* an impact of one sample */
    data[4][i] = i >= 70000 && i < 70010 ? NAN : cos((double)i);
  }
  for (int c = 0; c < COLUMNS; c++) {
    columns[c] = data[c];
  }
}

/* Least and greatest of the chosen rows (all if NULL) within [from, to). */
static void extremes(const double *column, const ff_reduction *kept, long from, long to,
                     double out[2]) {
  out[0] = INFINITY;
  out[1] = -INFINITY;
  for (long k = 0; k < (kept ? kept->count : ROWS); k++) {
    long row = kept ? kept->rows[k] : k;
    if (row >= from && row < to) {
      out[0] = fmin(out[0], column[row]);
      out[1] = fmax(out[1], column[row]);
    }
  }
}

static void reduction_keeps_extremes_of_every_stretch(void **state) {
  (void)state;
  const double *columns[COLUMNS];
  ff_reduction kept;
  fill_data(columns);
  assert_int_equal(ff_reduce_rows(&kept, columns, COLUMNS, ROWS, 5000), FF_OK);
  assert_true(kept.count <= 5000 && kept.count > 2500);
  assert_true(kept.stretches >= 5000 / (2 * COLUMNS + 2) / 2);
  for (long s = 0; s < kept.stretches; s += 97) {
    long from = (long)((int64_t)ROWS * s / kept.stretches);
    long to = (long)((int64_t)ROWS * (s + 1) / kept.stretches);
    for (int c = 0; c < COLUMNS; c++) {
      double all[2], some[2];
      extremes(columns[c], NULL, from, to, all);
      extremes(columns[c], &kept, from, to, some);
      assert_memory_equal(all, some, sizeof all);
    }
  }
  ff_free(kept.rows);
}

static void reduction_keeps_order_ends_and_gaps(void **state) {
  (void)state;
  const double *columns[COLUMNS];
  ff_reduction kept;
  bool gap = false, impact = false;
  fill_data(columns);
  assert_int_equal(ff_reduce_rows(&kept, columns, COLUMNS, ROWS, 1000), FF_OK);
  assert_int_equal(kept.rows[0], 0);
  assert_int_equal(kept.rows[kept.count - 1], ROWS - 1);
  for (long k = 0; k < kept.count; k++) {
    assert_true(k == 0 || kept.rows[k] > kept.rows[k - 1]);
    gap = gap || isnan(data[4][kept.rows[k]]);
    impact = impact || kept.rows[k] == 54321;
  }
  assert_true(gap && impact);
  ff_free(kept.rows);
}

static void short_data_is_not_reduced(void **state) {
  (void)state;
  const double *columns[COLUMNS];
  ff_reduction kept;
  fill_data(columns);
  assert_int_equal(ff_reduce_rows(&kept, columns, COLUMNS, 5000, 5000), FF_OK);
  assert_null(kept.rows);
  assert_int_equal(kept.count, 5000);
  assert_int_equal(ff_reduce_rows(&kept, columns, COLUMNS, 0, 10), FF_OK);
  assert_int_equal(kept.count, 0);
}

static void too_many_columns_for_extremes_give_even_rows(void **state) {
  (void)state;
  const double *columns[COLUMNS];
  ff_reduction kept;
  fill_data(columns);
  assert_int_equal(ff_reduce_rows(&kept, columns, COLUMNS, ROWS, 5), FF_OK);
  assert_int_equal(kept.stretches, 0);
  assert_int_equal(kept.count, 5);
  for (int k = 0; k < 5; k++) {
    assert_int_equal(kept.rows[k], (ROWS - 1) * k / 4);
  }
  ff_free(kept.rows);
  assert_int_equal(ff_reduce_rows(&kept, columns, COLUMNS, ROWS, 0), FF_OK);
  assert_int_equal(kept.count, 2);
  ff_free(kept.rows);
}

/* ---- pages ------------------------------------------------------------------------------------
 */

static const char scene[] = "footfall: 1\n"
                            "name: Test scene\n"
                            "bodies:\n"
                            "  floor: {fixed: true, shape: {half-space: {}}}\n"
                            "  ball: {mass: 1, shape: {sphere: {radius: 0.1}}}\n"
                            "  wedge: {fixed: true, colour: red, position: [0, 0, -9],\n"
                            "          shape: {polyhedron: {vertices: [[1, 0, 0], [0, 1, 0],\n"
                            "                  [0, 0, 1], [-1, -1, -1]]}}}\n"
                            "contacts:\n"
                            "  - pair: [ball, floor]\n"
                            "    normal: {law: linear, k: 1e4, b: 3}\n";

/* As if the scene lay in scenes/. */
static ff_recording *make_recording(const char *text) {
  static const char *const names[] = {"time", "body.ball.position.z"};
  static const char *const units[] = {"s", "m"};
  ff_recording_info info = {.scene = text,
                            .summary = "",
                            .names = names,
                            .units = units,
                            .count = 2,
                            .file = FF_SOURCE_DIR "/scenes/test.yaml"};
  ff_recorder *recorder;
  ff_recording *recording;
  assert_int_equal(ff_recorder_create(&recorder, "run.h5", &info, NULL), FF_OK);
  for (int i = 0; i < 10; i++) {
    assert_int_equal(ff_recorder_add(recorder, (double[]){0.1 * i, 1.0 / (1 + i)}), FF_OK);
  }
  assert_int_equal(ff_recorder_close(&recorder, "{\"steps\":3}", NULL), FF_OK);
  assert_int_equal(ff_recording_open(&recording, "run.h5", NULL), FF_OK);
  return recording;
}

/* One of everything. Any step may run out of memory; ff_page_write tells. */
static void fill_page(ff_page *page, const ff_recording *recording) {
  double x[] = {1, 2, 3}, y[] = {1, NAN, 9};
  const char *cells[] = {"a", "b"};
  ff_page_text(page, "%d words", 2);
  ff_page_section(page, "First");
  ff_page_table(page, "Table", cells, 2);
  ff_page_row(page, cells);
  ff_page_row(page, cells);
  ff_page_claim(page, &(ff_claim){.claim = "one", .verdict = FF_CLAIM_HOLDS});
  ff_page_claim(page, &(ff_claim){.claim = "two"});
  ff_page_plot(page, "Plot", (ff_axis){"x", "m", true}, (ff_axis){"y", NULL, false});
  ff_page_curve(page, "curve", FF_CURVE_DASH, x, y, 3);
  ff_page_subtitle(page, "below the title");
  ff_page_source(page, "Source", "text");
  if (recording) {
    ff_page_show_run(page, recording);
  }
}

/* The document of the written page, to be freed. */
static char *read_document(void) {
  char *text;
  size_t size;
  assert_int_equal(ff_file_read(&text, &size, "page.html", 100u << 20, NULL), FF_OK);
  char *start = strstr(text, "id=\"footfall-document\">");
  assert_non_null(start);
  start += strlen("id=\"footfall-document\">");
  char *end = strstr(start, "</script>");
  assert_non_null(end);
  *end = 0;
  char *document = ff_strdup(start);
  ff_free(text);
  return document;
}

/* Without npm there is no page to write into; the rest of this file is then of no use. */
static void need_page(void) {
  if (!ff_page_available(NULL)) {
    print_message("SKIP writing pages: built without npm\n");
    skip();
  }
}

static void pages_are_documents(void **state) {
  (void)state;
  need_page();
  ff_page *page;
  ff_recording *recording = make_recording(scene);
  assert_int_equal(ff_page_create(&page, "Title </script>"), FF_OK);
  fill_page(page, recording);
  assert_int_equal(ff_page_write(page, "page.html", NULL), FF_OK);
  char *document = read_document();
  const char *pieces[] = {
      "\"title\":\"Title \\u003c/script\\u003e\",\"subtitle\":\"below the title\"",
      "{\"heading\":\"\",\"blocks\":[{\"type\":\"text\",\"text\":\"2 "
      "words\"}]},{\"heading\":\"First\"",
      "{\"type\":\"table\",\"caption\":\"Table\",\"columns\":[\"a\",\"b\"],"
      "\"rows\":[[\"a\",\"b\"],[\"a\",\"b\"]]}",
      "{\"claim\":\"two\",\"source\":\"\",\"paper\":\"\",\"criterion\":\"\",\"basis\":\"\","
      "\"result\":\"\",\"verdict\":\"not "
      "tested\"",
      "\"curves\":[{\"name\":\"curve\",\"style\":\"dash\",\"recorded\":3,\"kept\":3,\"x\":0,\"y\":"
      "1}]}",
      "{\"type\":\"replay\",\"recording\":0,\"panels\":[]}",
      "\"kind\":\"sphere\",\"size\":[0.1,0,0]",
      "\"name\":\"wedge\",\"kind\":\"fixed\",\"colour\":\"red\"",
      "\"vertices\":[[1,0,0],[0,1,0],[0,0,1],[-1,-1,-1]]",
      "\"name\":\"b\",\"symbol\":",
      "\"pairs\":[{\"a\":\"ball\",\"b\":\"floor\",\"mu\":0,\"patch\":false,\"normal\":{\"name\":"
      "\"linear\"",
      "\"summary\":\"{\\u0022steps\\u0022:3}\"",
  };
  for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++) {
    if (!strstr(document, pieces[i])) {
      print_error("%s\nis not in\n%s\n", pieces[i], document);
      fail();
    }
  }
  ff_free(document);
  ff_page_destroy(&page);
  ff_recording_close(&recording);
}

static void a_page_takes_its_title_from_the_scene(void **state) {
  (void)state;
  need_page();
  ff_page *page;
  ff_recording *recording = make_recording(scene);
  assert_int_equal(ff_page_create(&page, NULL), FF_OK);
  assert_int_equal(ff_page_show_run(page, recording), FF_OK);
  assert_int_equal(ff_page_write(page, "page.html", NULL), FF_OK);
  char *document = read_document();
  assert_non_null(strstr(document, "\"title\":\"Test scene\",\"subtitle\""));
  ff_free(document);
  ff_page_destroy(&page);
  ff_recording_close(&recording);
}

static void links_of_robots_are_shown_as_such(void **state) {
  (void)state;
  need_page();
  ff_page *page;
  ff_recording *recording = make_recording("footfall: 1\n"
                                           "robots: {r: {urdf: robots/double-pendulum.urdf}}\n");
  assert_int_equal(ff_page_create(&page, "t"), FF_OK);
  assert_int_equal(ff_page_show_run(page, recording), FF_OK);
  assert_int_equal(ff_page_write(page, "page.html", NULL), FF_OK);
  char *document = read_document();
  assert_non_null(strstr(document, "{\"name\":\"r-upper\",\"kind\":\"link\""));
  ff_free(document);
  ff_page_destroy(&page);
  ff_recording_close(&recording);
}

static void a_recording_without_a_readable_scene_still_shows(void **state) {
  (void)state;
  need_page();
  const char *texts[] = {"", "footfall: 99\n", "]["};
  for (int i = 0; i < 3; i++) {
    ff_page *page;
    ff_recording *recording = make_recording(texts[i]);
    assert_int_equal(ff_page_create(&page, "t"), FF_OK);
    assert_int_equal(ff_page_show_run(page, recording), FF_OK);
    assert_int_equal(ff_page_write(page, "page.html", NULL), FF_OK);
    char *document = read_document();
    assert_null(strstr(document, "\"bodies\""));
    assert_non_null(strstr(document, "body.ball.position.z"));
    ff_free(document);
    ff_page_destroy(&page);
    ff_recording_close(&recording);
  }
}

/* ---- what goes wrong ----------------------------------------------------------------------------
 */

static void assert_refused(ff_page *page, const char *why) {
  ff_report report = {0};
  assert_int_equal(ff_page_write(page, "page.html", &report), FF_ERROR_INPUT);
  assert_non_null(strstr(report.what, why));
  assert_int_equal(entries(), 0);
  ff_page_destroy(&page);
}

static void items_without_their_block_are_told(void **state) {
  (void)state;
  ff_page *page;
  double one = 1;
  ff_page_create(&page, "t");
  ff_page_row(page, (const char *[]){"a"});
  assert_refused(page, "a row outside a table");
  ff_page_create(&page, "t");
  ff_page_table(page, NULL, (const char *[]){"a"}, 1);
  ff_page_curve(page, "c", FF_CURVE_LINE, &one, &one, 1);
  assert_refused(page, "a curve outside a plot");
  ff_page_create(&page, "t");
  ff_page_panel(page, NULL, (const char *[]){"a"}, 1);
  assert_refused(page, "a panel outside a replay");
  ff_page_create(&page, "t");
  ff_page_ledger(page, (ff_page_run){1});
  assert_refused(page, "a run that is not on the page");
}

static ff_status make_page(const ff_recording *recording) {
  ff_page *page;
  ff_status status = ff_page_create(&page, "t");
  if (status == FF_OK) {
    fill_page(page, recording);
    status = ff_page_write(page, "page.html", NULL);
  }
  ff_page_destroy(&page);
  return status;
}

static void memory_that_runs_out_gives_a_status_and_no_file(void **state) {
  (void)state;
  need_page();
  ff_recording *recording = make_recording(scene);
  long before = ff_alloc_count();
  assert_int_equal(make_page(recording), FF_OK);
  long count = ff_alloc_count() - before;
  assert_true(count > 20);
  char *whole = read_document();
  for (long at = 1; at <= count; at++) {
    unlink("page.html");
    ff_alloc_fail_at(at);
    ff_status status = make_page(recording);
    ff_alloc_fail_at(0);
    if (status == FF_OK) { /* what failed was replaced later on: nothing is missing */
      char *document = read_document();
      assert_string_equal(document, whole);
      ff_free(document);
    } else {
      assert_int_equal(status, FF_ERROR_MEMORY);
      assert_int_equal(entries(), 1); /* the recording alone */
    }
  }
  ff_free(whole);
  ff_recording_close(&recording);
}

static void writes_that_fail_leave_no_file(void **state) {
  (void)state;
  need_page();
  ff_page *page;
  assert_int_equal(ff_page_create(&page, "t"), FF_OK);
  fill_page(page, NULL);
  ff_status status = FF_ERROR_FILE;
  long at = 1;
  for (; status != FF_OK; at++) {
    ff_report report = {0};
    ff_file_fail_at(at);
    status = ff_page_write(page, "page.html", &report);
    ff_file_fail_at(0);
    assert_true(status == FF_OK || (status == FF_ERROR_FILE && report.what[0]));
    assert_int_equal(entries(), status == FF_OK);
  }
  assert_true(at > 3);
  ff_page_destroy(&page);
}

static void a_build_without_the_page_says_what_to_install(void **state) {
  (void)state;
  ff_report report = {0};
  if (!ff_page_available(&report)) {
    assert_non_null(strstr(report.what, "install node and npm"));
    ff_page *page;
    ff_page_create(&page, "t");
    assert_int_equal(ff_page_write(page, "page.html", &report), FF_ERROR_FILE);
    assert_int_equal(entries(), 0);
    ff_page_destroy(&page);
  }
}

#define in_folder(test) cmocka_unit_test_setup_teardown(test, enter_folder, leave_folder)

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(json_strings_hold_nothing_html_could_read),
      cmocka_unit_test(json_strings_are_unicode_or_say_so),
      cmocka_unit_test(json_numbers_read_back_and_have_no_nan),
      cmocka_unit_test(base64_gives_the_bits_back),
      cmocka_unit_test(base64_of_chosen_rows),
      cmocka_unit_test(reduction_keeps_extremes_of_every_stretch),
      cmocka_unit_test(reduction_keeps_order_ends_and_gaps),
      cmocka_unit_test(short_data_is_not_reduced),
      cmocka_unit_test(too_many_columns_for_extremes_give_even_rows),
      in_folder(pages_are_documents),
      in_folder(a_page_takes_its_title_from_the_scene),
      in_folder(links_of_robots_are_shown_as_such),
      in_folder(a_recording_without_a_readable_scene_still_shows),
      in_folder(items_without_their_block_are_told),
      in_folder(memory_that_runs_out_gives_a_status_and_no_file),
      in_folder(writes_that_fail_leave_no_file),
      in_folder(a_build_without_the_page_says_what_to_install),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
