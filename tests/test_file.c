/* Files appear whole or not at all. */
#include "folder.h"

#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"

static int leave_folder(void **state) {
  (void)state;
  unlink("target");
  unlink("link");
  return remove_folder();
}

static void write_text(const char *path, const char *text) {
  FILE *out = fopen(path, "w");
  assert_non_null(out);
  fputs(text, out);
  fclose(out);
}

static void expect_text(const char *path, const char *text) {
  char *got;
  size_t size;
  assert_int_equal(ff_file_read(&got, &size, path, 1 << 20, NULL), FF_OK);
  assert_string_equal(got, text);
  assert_int_equal(size, strlen(text));
  ff_free(got);
}

static void target_appears_at_commit(void **state) {
  (void)state;
  ff_file *file;
  write_text("target", "old");
  assert_int_equal(ff_file_create(&file, "target", NULL), FF_OK);
  assert_int_equal(ff_file_write(file, "new", 3), FF_OK);
  expect_text("target", "old");
  assert_int_equal(entries(), 2);
  assert_int_equal(ff_file_commit(file, NULL), FF_OK);
  expect_text("target", "new");
  assert_int_equal(entries(), 1);
}

static void abandon_leaves_the_old_file(void **state) {
  (void)state;
  ff_file *file;
  write_text("target", "old");
  assert_int_equal(ff_file_create(&file, "target", NULL), FF_OK);
  ff_file_write(file, "new", 3);
  ff_file_abandon(file);
  ff_file_abandon(NULL);
  expect_text("target", "old");
  assert_int_equal(entries(), 1);
}

static void link_stays_a_link(void **state) {
  (void)state;
  ff_file *file;
  write_text("target", "old");
  assert_int_equal(symlink("target", "link"), 0);
  assert_int_equal(ff_file_create(&file, "link", NULL), FF_OK);
  ff_file_write(file, "new", 3);
  assert_int_equal(ff_file_commit(file, NULL), FF_OK);
  struct stat about;
  assert_int_equal(lstat("link", &about), 0);
  assert_true(S_ISLNK(about.st_mode));
  expect_text("target", "new");
}

/* Writes more than a few buffers, in pieces smaller and larger than one. */
static ff_status write_much(ff_report *report) {
  static char piece[100000];
  memset(piece, 'x', sizeof piece);
  ff_file *file;
  ff_status status = ff_file_create(&file, "target", report);
  if (status != FF_OK) {
    return status;
  }
  for (int i = 0; i < 20; i++) {
    ff_file_write(file, piece, 9000);
  }
  ff_file_write(file, piece, sizeof piece);
  return ff_file_commit(file, report);
}

static void failure_at_every_operation_leaves_the_old_file(void **state) {
  (void)state;
  write_text("target", "old");
  long before = ff_file_operations();
  assert_int_equal(write_much(NULL), FF_OK);
  long operations = ff_file_operations() - before;
  assert_true(operations >= 6); /* open, several writes, sync, rename */
  write_text("target", "old");
  for (long n = 1; n <= operations; n++) {
    ff_report report = {0};
    ff_file_fail_at(n);
    assert_int_equal(write_much(&report), FF_ERROR_FILE);
    ff_file_fail_at(0);
    assert_string_equal(report.file, "target");
    assert_string_equal(report.what, "cannot write: No space left on device");
    expect_text("target", "old");
    assert_int_equal(entries(), 1);
  }
}

static void failure_at_every_allocation_leaves_nothing(void **state) {
  (void)state;
  long before = ff_alloc_count();
  assert_int_equal(write_much(NULL), FF_OK);
  long allocations = ff_alloc_count() - before;
  unlink("target");
  for (long n = 1; n <= allocations; n++) {
    ff_alloc_fail_at(n);
    assert_int_equal(write_much(NULL), FF_ERROR_MEMORY);
    ff_alloc_fail_at(0);
    assert_int_equal(entries(), 0);
  }
}

static void a_real_full_disk_is_noticed(void **state) {
  (void)state;
  struct rlimit old;
  getrlimit(RLIMIT_FSIZE, &old);
  struct rlimit small = {100000, old.rlim_max};
  signal(SIGXFSZ, SIG_IGN);
  setrlimit(RLIMIT_FSIZE, &small);
  ff_report report = {0};
  ff_status status = write_much(&report);
  setrlimit(RLIMIT_FSIZE, &old);
  assert_int_equal(status, FF_ERROR_FILE);
  assert_string_equal(report.what, "cannot write: File too large");
  assert_int_equal(entries(), 0);
}

static void bad_targets_are_refused_at_once(void **state) {
  (void)state;
  ff_file *file;
  ff_report report;
  assert_int_equal(ff_file_create(&file, "no/such/folder", &report), FF_ERROR_FILE);
  assert_null(file);
  assert_string_equal(report.file, "no/such/folder");
  assert_string_equal(report.what, "cannot write: No such file or directory");
  assert_int_equal(ff_file_create(&file, ".", &report), FF_ERROR_FILE);
  assert_string_equal(report.what, "cannot write: Is a directory");
  assert_int_equal(ff_file_create(&file, "/dev/null", &report), FF_ERROR_FILE);
  assert_non_null(strstr(report.what, "is a device or a pipe"));
  assert_int_equal(ff_file_create(&file, ".", NULL), FF_ERROR_FILE);
}

static void reading_has_a_limit(void **state) {
  (void)state;
  char *text;
  size_t size;
  ff_report report;
  write_text("target", "12345678");
  assert_int_equal(ff_file_read(&text, &size, "target", 7, &report), FF_ERROR_INPUT);
  assert_null(text);
  assert_string_equal(report.file, "target");
  assert_int_equal(ff_file_read(&text, &size, "target", 8, &report), FF_OK);
  assert_int_equal(size, 8);
  ff_free(text);
  assert_int_equal(ff_file_read(&text, &size, "/dev/zero", 1 << 20, &report), FF_ERROR_INPUT);
  assert_int_equal(ff_file_read(&text, &size, "missing", 8, &report), FF_ERROR_FILE);
  assert_string_equal(report.what, "cannot read: No such file or directory");
  assert_int_equal(ff_file_read(&text, &size, ".", 8, &report), FF_ERROR_FILE);
}

static void reading_survives_failure_everywhere(void **state) {
  (void)state;
  assert_int_equal(write_much(NULL), FF_OK);
  char *text;
  size_t size;
  long files = ff_file_operations(), allocations = ff_alloc_count();
  assert_int_equal(ff_file_read(&text, &size, "target", 1 << 20, NULL), FF_OK);
  assert_int_equal(size, 280000);
  ff_free(text);
  files = ff_file_operations() - files;
  allocations = ff_alloc_count() - allocations;
  for (long n = 1; n <= files; n++) {
    ff_file_fail_at(n);
    assert_int_equal(ff_file_read(&text, &size, "target", 1 << 20, NULL), FF_ERROR_FILE);
  }
  for (long n = 1; n <= allocations; n++) {
    ff_alloc_fail_at(n);
    assert_int_equal(ff_file_read(&text, &size, "target", 1 << 20, NULL), FF_ERROR_MEMORY);
  }
  ff_file_fail_at(0);
  ff_alloc_fail_at(0);
}

#define in_folder(test) cmocka_unit_test_setup_teardown(test, enter_folder, leave_folder)

int main(void) {
  const struct CMUnitTest tests[] = {
      in_folder(target_appears_at_commit),
      in_folder(abandon_leaves_the_old_file),
      in_folder(link_stays_a_link),
      in_folder(failure_at_every_operation_leaves_the_old_file),
      in_folder(failure_at_every_allocation_leaves_nothing),
      in_folder(a_real_full_disk_is_noticed),
      in_folder(bad_targets_are_refused_at_once),
      in_folder(reading_has_a_limit),
      in_folder(reading_survives_failure_everywhere),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
