/* Recordings: the same bits back, whole or not at all, and no trust in what is read. */
#include "folder.h"

#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <hdf5.h>

#include "base/file.h"
#include "base/memory.h"
#include "footfall/io.h"

static const char *const formats[] = {"run.csv", "run.h5"};
enum { FORMATS = 2, COUNT = 5, ROWS = 2500 }; /* more than two chunks */

static const char *const names[COUNT] = {"time", "body.ball.position.z", "contact.a:b.force.n",
                                         "a \"quoted\", name", "energy.lost.slip"};
static const char *const units[COUNT] = {"s", "m", "N", "1", "J"};
static const ff_recording_info info = {.scene = "footfall: 1\n# grüße\n",
                                       .summary = "",
                                       .names = names,
                                       .units = units,
                                       .count = COUNT};

static int leave_folder(void **state) {
  (void)state;
  ff_alloc_fail_at(0);
  ff_file_fail_at(0);
  unlink("run.csv");
  unlink("run.h5");
  unlink("again.h5");
  return remove_folder();
}

/* Every kind of double: random bits, and the special ones. */
static double value_at(uint64_t *seed, int index) {
  static const double special[] = {0.0,      -0.0,      5e-324, -2.2250738585072009e-308,
                                   INFINITY, -INFINITY, 0.1,    1.7976931348623157e308};
  if (index % 3 == 0) {
    return special[(index / 3) % 8];
  }
  uint64_t bits = 0;
  for (int i = 0; i < 4; i++) {
    bits = bits << 16 | (uint64_t)(ff_random(seed) * 65536.0);
  }
  double value;
  memcpy(&value, &bits, sizeof value);
  return isnan(value) ? NAN : value;
}

static void fill(double *row, int index) {
  uint64_t seed = 2 * (uint64_t)index + 12345;
  for (int i = 0; i < COUNT; i++) {
    row[i] = i == 0 ? 1e-3 * index : value_at(&seed, index + i);
  }
}

static ff_status record(const char *path, int rows, ff_report *report) {
  ff_recorder *recorder;
  ff_status status = ff_recorder_create(&recorder, path, &info, report);
  if (status != FF_OK) {
    assert_null(recorder);
    return status;
  }
  for (int i = 0; i < rows; i++) {
    double row[COUNT];
    fill(row, i);
    status = ff_recorder_add(recorder, row);
    if (status != FF_OK) {
      break;
    }
  }
  ff_status end = ff_recorder_close(&recorder, "{\"verdict\": \"good\"}", report);
  assert_true(status == FF_OK || status == end); /* a failed row is told again at the end */
  return end;
}

static void expect_same_bits(const ff_recording *recording, int rows) {
  assert_int_equal(ff_recording_rows(recording), rows);
  for (int i = 0; i < rows; i++) {
    double row[COUNT];
    fill(row, i);
    for (int k = 0; k < COUNT; k++) {
      const double *got = &ff_recording_column(recording, k)[i];
      if (isnan(row[k])) {
        assert_true(isnan(*got));
      } else {
        assert_memory_equal(got, &row[k], sizeof *got);
      }
    }
  }
}

static void expect_round_trip(const char *path, int rows) {
  ff_recording *recording;
  assert_int_equal(record(path, rows, NULL), FF_OK);
  assert_int_equal(ff_recording_open(&recording, path, NULL), FF_OK);
  const ff_recording_info *about = ff_recording_about(recording);
  assert_int_equal(about->count, COUNT);
  for (int i = 0; i < COUNT; i++) {
    assert_string_equal(about->names[i], names[i]);
  }
  expect_same_bits(recording, rows);
  assert_null(ff_recording_column(recording, -1));
  assert_null(ff_recording_column(recording, COUNT));
  ff_recording_close(&recording);
  assert_int_equal(entries(), 1);
  unlink(path);
}

static void doubles_come_back_bit_for_bit(void **state) {
  (void)state;
  for (int f = 0; f < FORMATS; f++) {
    expect_round_trip(formats[f], ROWS);
    expect_round_trip(formats[f], 1024);
    expect_round_trip(formats[f], 1);
    expect_round_trip(formats[f], 0);
  }
}

static void csv_starts_with_the_names(void **state) {
  (void)state;
  assert_int_equal(record("run.csv", 1, NULL), FF_OK);
  char *text;
  size_t size;
  assert_int_equal(ff_file_read(&text, &size, "run.csv", 1 << 20, NULL), FF_OK);
  const char *head = "time,body.ball.position.z,contact.a:b.force.n,\"a \"\"quoted\"\", name\","
                     "energy.lost.slip\n0,";
  assert_int_equal(strncmp(text, head, strlen(head)), 0);
  assert_int_equal(text[size - 1], '\n');
  ff_free(text);
}

static void hdf5_explains_itself(void **state) {
  (void)state;
  ff_recording *recording;
  assert_int_equal(record("run.h5", 10, NULL), FF_OK);
  assert_int_equal(ff_recording_open(&recording, "run.h5", NULL), FF_OK);
  const ff_recording_info *about = ff_recording_about(recording);
  assert_string_equal(about->scene, info.scene);
  assert_string_equal(about->summary, "{\"verdict\": \"good\"}");
  for (int i = 0; i < COUNT; i++) {
    assert_string_equal(about->units[i], units[i]);
  }
  ff_recording_close(&recording);
}

/* Attributes of a fixed kind stop at 64 KiB; a scene need not. */
static void hdf5_takes_a_large_scene(void **state) {
  (void)state;
  enum { LARGE = 1 << 20 };
  char *scene = malloc(LARGE + 1);
  memset(scene, 'x', LARGE);
  scene[LARGE] = '\0';
  ff_recording_info large = info;
  large.scene = scene;
  ff_recorder *recorder;
  ff_recording *recording;
  assert_int_equal(ff_recorder_create(&recorder, "run.h5", &large, NULL), FF_OK);
  assert_int_equal(ff_recorder_close(&recorder, NULL, NULL), FF_OK);
  assert_int_equal(ff_recording_open(&recording, "run.h5", NULL), FF_OK);
  assert_string_equal(ff_recording_about(recording)->scene, scene);
  assert_string_equal(ff_recording_about(recording)->summary, "");
  ff_recording_close(&recording);
  free(scene);
}

/* A slash separates folders in HDF5, and a percent sign is what slashes are written with. */
static void any_letter_may_stand_in_a_name(void **state) {
  (void)state;
  const char *const odd_names[] = {"time", "body.a</b>.position.x", "100%2F", "%", "/"};
  const char *const odd_units[] = {"s", "m", "1", "1", "1"};
  const double row[] = {0, 1, 2, 3, 4};
  ff_recording_info odd = {.scene = "", .names = odd_names, .units = odd_units, .count = 5};
  ff_recorder *recorder;
  ff_recording *recording;
  assert_int_equal(ff_recorder_create(&recorder, "run.h5", &odd, NULL), FF_OK);
  assert_int_equal(ff_recorder_add(recorder, row), FF_OK);
  assert_int_equal(ff_recorder_close(&recorder, NULL, NULL), FF_OK);
  assert_int_equal(ff_recording_open(&recording, "run.h5", NULL), FF_OK);
  for (int i = 0; i < 5; i++) {
    assert_string_equal(ff_recording_about(recording)->names[i], odd_names[i]);
    assert_true(ff_recording_column(recording, i)[0] == row[i]);
  }
  ff_recording_close(&recording);
}

static void same_run_gives_the_same_bytes(void **state) {
  (void)state;
  char *one, *two;
  size_t size_one, size_two;
  assert_int_equal(record("run.h5", ROWS, NULL), FF_OK);
  sleep(1); /* HDF5 can store times in whole seconds: they would differ */
  assert_int_equal(record("again.h5", ROWS, NULL), FF_OK);
  assert_int_equal(ff_file_read(&one, &size_one, "run.h5", 1 << 24, NULL), FF_OK);
  assert_int_equal(ff_file_read(&two, &size_two, "again.h5", 1 << 24, NULL), FF_OK);
  assert_int_equal(size_one, size_two);
  assert_memory_equal(one, two, size_one);
  ff_free(one);
  ff_free(two);
}

static void rows_allocate_nothing(void **state) {
  (void)state;
  for (int f = 0; f < FORMATS; f++) {
    ff_recorder *recorder;
    double row[COUNT] = {0};
    assert_int_equal(ff_recorder_create(&recorder, formats[f], &info, NULL), FF_OK);
    long before = ff_alloc_count();
    for (int i = 0; i < ROWS; i++) {
      assert_int_equal(ff_recorder_add(recorder, row), FF_OK);
    }
    assert_int_equal(ff_alloc_count(), before);
    assert_int_equal(entries(), 1); /* only the temporary one so far */
    ff_recorder_abandon(&recorder);
    assert_int_equal(entries(), 0);
  }
  ff_recorder_abandon(NULL);
}

/* ---- failures ---------------------------------------------------------------------- */

static void write_text(const char *path, const char *text, size_t size) {
  FILE *out = fopen(path, "w");
  assert_non_null(out);
  fwrite(text, 1, size, out);
  fclose(out);
}

static void expect_old(const char *path) {
  char *text;
  size_t size;
  assert_int_equal(ff_file_read(&text, &size, path, 100, NULL), FF_OK);
  assert_string_equal(text, "old");
  ff_free(text);
  assert_int_equal(entries(), 1);
}

static void failure_at_every_write_leaves_the_old_file(void **state) {
  (void)state;
  for (int f = 0; f < FORMATS; f++) {
    long operations = ff_file_operations();
    assert_int_equal(record(formats[f], ROWS, NULL), FF_OK);
    operations = ff_file_operations() - operations;
    assert_true(operations >= 4); /* open, write, sync, rename */
    write_text(formats[f], "old", 3);
    for (long n = 1; n <= operations; n++) {
      ff_report report = {0};
      ff_file_fail_at(n);
      assert_int_equal(record(formats[f], ROWS, &report), FF_ERROR_FILE);
      ff_file_fail_at(0);
      assert_string_equal(report.file, formats[f]);
      assert_string_equal(report.what, "cannot write: No space left on device");
      expect_old(formats[f]);
    }
    unlink(formats[f]);
  }
}

static void failure_at_every_allocation_leaves_nothing(void **state) {
  (void)state;
  enum { MANY = 80000 }; /* enough to make an HDF5 file grow while rows are added */
  for (int f = 0; f < FORMATS; f++) {
    long allocations = ff_alloc_count();
    assert_int_equal(record(formats[f], MANY, NULL), FF_OK);
    allocations = ff_alloc_count() - allocations;
    unlink(formats[f]);
    for (long n = 1; n <= allocations; n++) {
      ff_alloc_fail_at(n);
      assert_int_equal(record(formats[f], MANY, NULL), FF_ERROR_MEMORY);
      ff_alloc_fail_at(0);
      assert_int_equal(entries(), 0);
    }
  }
}

static void reading_survives_failure_everywhere(void **state) {
  (void)state;
  for (int f = 0; f < FORMATS; f++) {
    ff_recording *recording;
    assert_int_equal(record(formats[f], 3, NULL), FF_OK);
    long allocations = ff_alloc_count(), operations = ff_file_operations();
    assert_int_equal(ff_recording_open(&recording, formats[f], NULL), FF_OK);
    allocations = ff_alloc_count() - allocations;
    operations = ff_file_operations() - operations;
    ff_recording_close(&recording);
    for (long n = 1; n <= allocations; n++) {
      ff_alloc_fail_at(n);
      assert_int_equal(ff_recording_open(&recording, formats[f], NULL), FF_ERROR_MEMORY);
      assert_null(recording);
    }
    ff_alloc_fail_at(0);
    for (long n = 1; n <= operations; n++) {
      ff_file_fail_at(n);
      assert_int_equal(ff_recording_open(&recording, formats[f], NULL), FF_ERROR_FILE);
    }
    ff_file_fail_at(0);
  }
}

/* Wherever the disk turns out to be full. */
static void a_real_full_disk_is_noticed(void **state) {
  (void)state;
  struct rlimit old;
  getrlimit(RLIMIT_FSIZE, &old);
  signal(SIGXFSZ, SIG_IGN);
  for (int f = 0; f < FORMATS; f++) {
    for (rlim_t size = 0; size < 50000; size += 3001) {
      struct rlimit small = {size, old.rlim_max};
      ff_report report = {0};
      setrlimit(RLIMIT_FSIZE, &small);
      ff_status status = record(formats[f], ROWS, &report);
      setrlimit(RLIMIT_FSIZE, &old);
      assert_int_equal(status, FF_ERROR_FILE);
      assert_string_equal(report.what, "cannot write: File too large");
      assert_int_equal(entries(), 0);
    }
  }
}

static void bad_requests_are_refused(void **state) {
  (void)state;
  ff_recorder *recorder;
  ff_report report;
  assert_int_equal(ff_recorder_create(&recorder, "run.txt", &info, &report), FF_ERROR_INPUT);
  assert_string_equal(report.expected, ".csv, .h5, .sto, .mot");
  assert_int_equal(ff_recorder_create(&recorder, "no/run.h5", &info, &report), FF_ERROR_FILE);
  const char *const line[] = {"time", "a\nb"};
  ff_recording_info odd = {.names = line, .units = units, .count = 2};
  assert_int_equal(ff_recorder_create(&recorder, "run.h5", &odd, &report), FF_ERROR_INPUT);
  assert_string_equal(report.key, "a\nb");
  const char *const late[] = {"x", "time"};
  odd.names = late;
  assert_int_equal(ff_recorder_create(&recorder, "run.h5", &odd, &report), FF_ERROR_INPUT);
  const char *const twice[] = {"time", "time"};
  odd.names = twice;
  assert_int_equal(ff_recorder_create(&recorder, "run.h5", &odd, &report), FF_ERROR_INPUT);
  assert_string_equal(report.key, "time");
  assert_int_equal(entries(), 0);
}

/* ---- hostile files ------------------------------------------------------------------- */

static void expect_bad_csv(const char *text, size_t size, int line, int column) {
  ff_recording *recording;
  ff_report report = {0};
  write_text("run.csv", text, size);
  assert_int_equal(ff_recording_open(&recording, "run.csv", &report), FF_ERROR_INPUT);
  assert_int_equal(ff_recording_open(&recording, "run.csv", NULL), FF_ERROR_INPUT);
  assert_null(recording);
  assert_string_equal(report.file, "run.csv");
  assert_int_equal(report.line, line);
  assert_int_equal(report.column, column);
}

static void bad_csv_names_the_place(void **state) {
  (void)state;
#define bad_csv(text, line, column) expect_bad_csv(text, sizeof(text) - 1, line, column)
  bad_csv("", 1, 1);
  bad_csv("x,time\n", 1, 1);
  bad_csv("time,x\n1,2\n3\n", 3, 1);
  bad_csv("time,x\n1,2\n3,4,5\n", 3, 3);
  bad_csv("time,x\n1,2\n3,hello\n", 3, 3);
  bad_csv("time,x\n1,2\n\n", 3, 1);
  bad_csv("time,x\n1,2\r3,4\n", 3, 1);
  bad_csv("time,\"x\n1,2\n", 1, 6);
  bad_csv("time,\"x\"y\n1,2\n", 1, 6);
  bad_csv("time\n1\0\n", 0, 1);
  bad_csv("\211HDF\r\n\032\n", 1, 1);
  bad_csv("time,a,b,c,d,e,f,g\n\n\n\n\n\n\n\n\n\n\n\n\n", 2, 1);
}

static void csv_of_other_programs_is_read(void **state) {
  (void)state;
  static const char text[] = "time,\"x\"\r\n0,1e3\r\n1,-inf";
  ff_recording *recording;
  write_text("run.csv", text, sizeof text - 1);
  assert_int_equal(ff_recording_open(&recording, "run.csv", NULL), FF_OK);
  assert_int_equal(ff_recording_rows(recording), 2);
  assert_string_equal(ff_recording_about(recording)->names[1], "x");
  assert_close(ff_recording_column(recording, 1)[0], 1000, 0);
  assert_true(isinf(ff_recording_column(recording, 1)[1]));
  ff_recording_close(&recording);
}

/* Whatever is changed in a good file, reading ends with a status. */
static void read_damaged(char *text, size_t size) {
  uint64_t seed = 4711;
  for (int i = 0; i < 300; i++) {
    size_t at = (size_t)(ff_random(&seed) * (double)size);
    char kept = text[at];
    text[at] = (char)(unsigned char)(ff_random(&seed) * 256.0);
    write_text("again.h5", text, i % 3 ? size : at);
    text[at] = kept;
    ff_recording *recording;
    ff_report report = {0};
    ff_status status = ff_recording_open(&recording, "again.h5", &report);
    if (status != FF_OK && (status != FF_ERROR_INPUT || !report.what[0])) {
      _exit(1);
    }
    ff_recording_close(&recording);
  }
  _exit(0);
}

/* In a process of its own: HDF5 complains at exit about what it lost in a damaged file. */
static void damaged_hdf5_is_survived(void **state) {
  (void)state;
  char *text;
  size_t size;
  assert_int_equal(record("run.h5", 40, NULL), FF_OK);
  assert_int_equal(ff_file_read(&text, &size, "run.h5", 1 << 24, NULL), FF_OK);
  pid_t child = fork();
  if (child == 0) {
    read_damaged(text, size);
  }
  int end = -1;
  assert_int_equal(waitpid(child, &end, 0), child);
  assert_int_equal(end, 0);
  ff_free(text);
}

static ff_status open_h5(ff_report *report) {
  ff_recording *recording;
  ff_status status = ff_recording_open(&recording, "run.h5", report);
  ff_recording_close(&recording);
  return status;
}

static void not_hdf5_is_told(void **state) {
  (void)state;
  ff_report report;
  assert_int_equal(open_h5(&report), FF_ERROR_FILE);
  assert_string_equal(report.what, "cannot read: No such file or directory");
  write_text("run.h5", "time\n0\n", 7);
  assert_int_equal(open_h5(&report), FF_ERROR_INPUT);
  hid_t file = H5Fcreate("run.h5", H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  H5Fclose(file);
  assert_int_equal(open_h5(&report), FF_ERROR_INPUT);
}

/* Rows that are only claimed would fill the memory. */
static void claimed_rows_are_not_believed(void **state) {
  (void)state;
  assert_int_equal(record("run.h5", 3, NULL), FF_OK);
  hid_t file = H5Fopen("run.h5", H5F_ACC_RDWR, H5P_DEFAULT);
  hid_t set = H5Dopen2(file, "channels/time", H5P_DEFAULT);
  hsize_t rows = (hsize_t)1 << 40;
  assert_true(H5Dset_extent(set, &rows) >= 0);
  H5Dclose(set);
  H5Fclose(file);
  ff_report report;
  assert_int_equal(open_h5(&report), FF_ERROR_INPUT);
  assert_string_equal(report.what, "claims more values than a file of its size can hold");
}

static void links_out_of_the_file_are_refused(void **state) {
  (void)state;
  assert_int_equal(record("again.h5", 3, NULL), FF_OK);
  assert_int_equal(record("run.h5", 3, NULL), FF_OK);
  hid_t file = H5Fopen("run.h5", H5F_ACC_RDWR, H5P_DEFAULT);
  H5Lcreate_external("again.h5", "channels/time", file, "channels/other", H5P_DEFAULT, H5P_DEFAULT);
  H5Fclose(file);
  ff_report report;
  assert_int_equal(open_h5(&report), FF_ERROR_INPUT);
  assert_string_equal(report.what, "is not a recording: a channel is a link");
}

#define in_folder(test) cmocka_unit_test_setup_teardown(test, enter_folder, leave_folder)

int main(void) {
  const struct CMUnitTest tests[] = {
      in_folder(doubles_come_back_bit_for_bit),
      in_folder(csv_starts_with_the_names),
      in_folder(hdf5_explains_itself),
      in_folder(hdf5_takes_a_large_scene),
      in_folder(any_letter_may_stand_in_a_name),
      in_folder(same_run_gives_the_same_bytes),
      in_folder(rows_allocate_nothing),
      in_folder(failure_at_every_write_leaves_the_old_file),
      in_folder(failure_at_every_allocation_leaves_nothing),
      in_folder(reading_survives_failure_everywhere),
      in_folder(a_real_full_disk_is_noticed),
      in_folder(bad_requests_are_refused),
      in_folder(bad_csv_names_the_place),
      in_folder(csv_of_other_programs_is_read),
      in_folder(damaged_hdf5_is_survived),
      in_folder(not_hdf5_is_told),
      in_folder(claimed_rows_are_not_believed),
      in_folder(links_out_of_the_file_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
