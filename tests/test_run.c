/* Runs: recordings that survive, checkpoints, and resumption to the bit. */
#include "folder.h"
#include "footfall/footfall.h"
#include "run/run.h"
#include "sim/sim.h"

#include <stdio.h>

static int leave_folder(void **state) {
  (void)state;
  const char *const files[] = {"whole.h5",     "whole.csv", "part.h5",  "part.csv",
                               "part.h5.part", "run.ckpt",  "bad.ckpt", "cut.h5.part"};
  for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
    unlink(files[i]);
  }
  return remove_folder();
}

static bool exists(const char *path) {
  return access(path, F_OK) == 0;
}

static unsigned char *bytes_of(const char *path, size_t *size) {
  FILE *file = fopen(path, "rb");
  assert_non_null(file);
  fseek(file, 0, SEEK_END);
  *size = (size_t)ftell(file);
  rewind(file);
  unsigned char *bytes = malloc(*size + 1);
  assert_int_equal(fread(bytes, 1, *size, file), *size);
  fclose(file);
  return bytes;
}

static void write_bytes(const char *path, const unsigned char *bytes, size_t size) {
  FILE *file = fopen(path, "wb");
  assert_non_null(file);
  assert_int_equal(fwrite(bytes, 1, size, file), size);
  fclose(file);
}

static void assert_same_file(const char *a, const char *b, const char *scene) {
  size_t size_a, size_b;
  unsigned char *of_a = bytes_of(a, &size_a), *of_b = bytes_of(b, &size_b);
  if (size_a != size_b || memcmp(of_a, of_b, size_a) != 0) {
    fail_msg("%s: %s and %s differ", scene, a, b);
  }
  free(of_a);
  free(of_b);
}

static ff_scene *load(const char *name, const char *stepper, const char *duration) {
  char path[512], kind[64], length[64];
  snprintf(path, sizeof path, "%s/scenes/%s.yaml", FF_SOURCE_DIR, name);
  snprintf(kind, sizeof kind, "stepper.kind=%s", stepper ? stepper : "");
  snprintf(length, sizeof length, "duration=%s", duration);
  const char *overrides[] = {length, "record.every=2e-3", "record.contacts=true", kind};
  ff_scene *scene;
  ff_report report;
  ff_status status = ff_scene_load(&scene, path, overrides, stepper ? 4 : 3, &report);
  if (status != FF_OK) {
    fail_msg("%s: %s", name, report.what);
  }
  return scene;
}

/* Stops a run after so many more samples. */
typedef struct stopper {
  ff_run *run;
  int left;
} stopper;

static void stop_after(void *context, double done) {
  stopper *s = context;
  (void)done;
  if (--s->left == 0) {
    ff_run_stop(s->run);
  }
}

static ff_status execute(const ff_scene *scene, const char *h5, const char *csv,
                         const char *checkpoint, int stop) {
  const char *outputs[] = {h5, csv};
  ff_run_options options = ff_run_options_default();
  stopper s = {.left = stop};
  ff_report report;
  options.outputs = outputs;
  options.output_count = 2;
  options.checkpoint = checkpoint;
  options.progress = stop_after;
  options.context = &s;
  assert_int_equal(ff_run_create(&s.run, scene, &options, &report), FF_OK);
  ff_status status = ff_run_execute(s.run, &report);
  ff_run_destroy(&s.run);
  return status;
}

static ff_status resume(const char *checkpoint, int stop, ff_report *report) {
  ff_run_options options = ff_run_options_default();
  stopper s = {.left = stop};
  options.progress = stop_after;
  options.context = &s;
  ff_status status = ff_run_resume(&s.run, checkpoint, &options, report);
  if (status == FF_OK) {
    status = ff_run_execute(s.run, report);
    ff_run_destroy(&s.run);
  }
  return status;
}

/* Stopped twice and resumed twice, a run leaves the recordings of an uninterrupted one. */
static void a_resumed_run_leaves_the_same_bytes(void **state) {
  (void)state;
  static const char *const runs[][3] = {
      {"bouncing-ball", NULL, "0.5"},        {"bouncing-ball", "adaptive", "0.5"},
      {"humanoid-walking", NULL, "0.2"},     {"humanoid-quasi-rigid", NULL, "0.1"},
      {"newtons-cradle", NULL, "0.2"},       {"mixed-pile", "symplectic-euler", "0.1"},
      {"humanoid-on-membrane", NULL, "0.1"}, {"walking-foot", NULL, "0.3"},
      {"four-bar", "adaptive", "0.2"},       {"dominoes", NULL, "0.1"},
  };
  for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
    ff_scene *scene = load(runs[i][0], runs[i][1], runs[i][2]);
    ff_report report;
    assert_int_equal(execute(scene, "whole.h5", "whole.csv", NULL, 0), FF_OK);
    assert_int_equal(execute(scene, "part.h5", "part.csv", "run.ckpt", 7), FF_CANCELLED);
    assert_true(exists("run.ckpt") && exists("part.h5") && exists("part.h5.part"));
    assert_int_equal(resume("run.ckpt", 5, &report), FF_CANCELLED);
    assert_int_equal(resume("run.ckpt", 0, &report), FF_OK);
    assert_same_file("whole.h5", "part.h5", runs[i][0]);
    assert_same_file("whole.csv", "part.csv", runs[i][0]);
    assert_false(exists("run.ckpt") || exists("part.h5.part"));
    ff_scene_destroy(&scene);
  }
}

static void a_stopped_run_leaves_an_incomplete_recording(void **state) {
  (void)state;
  ff_scene *scene = load("bouncing-ball", NULL, "0.5");
  ff_recording *recording;
  ff_report report;
  assert_int_equal(execute(scene, "part.h5", "part.csv", NULL, 9), FF_CANCELLED);
  assert_false(exists("part.h5.part")); /* nothing goes on from it */
  assert_int_equal(ff_recording_open(&recording, "part.h5", &report), FF_OK);
  assert_int_equal(ff_recording_rows(recording), 9);
  assert_non_null(strstr(ff_recording_about(recording)->incomplete, "stopped"));
  ff_recording_close(&recording);
  assert_int_equal(execute(scene, "part.h5", "part.csv", NULL, 0), FF_OK);
  assert_int_equal(ff_recording_open(&recording, "part.h5", &report), FF_OK);
  assert_string_equal(ff_recording_about(recording)->incomplete, "");
  ff_recording_close(&recording);
  ff_scene_destroy(&scene);
}

/* A crash after a checkpoint: the log has rows that the checkpoint does not count. They are
 * replaced by those of the run that goes on. */
static void an_older_checkpoint_resumes_with_the_same_bytes(void **state) {
  (void)state;
  ff_scene *scene = load("mixed-pile", NULL, "0.1");
  ff_report report;
  size_t size;
  assert_int_equal(execute(scene, "whole.h5", "whole.csv", NULL, 0), FF_OK);
  assert_int_equal(execute(scene, "part.h5", "part.csv", "run.ckpt", 7), FF_CANCELLED);
  unsigned char *bytes = bytes_of("run.ckpt", &size);
  assert_int_equal(resume("run.ckpt", 20, &report), FF_CANCELLED);
  write_bytes("run.ckpt", bytes, size);
  free(bytes);
  assert_int_equal(resume("run.ckpt", 0, &report), FF_OK);
  assert_same_file("whole.h5", "part.h5", "mixed-pile");
  assert_same_file("whole.csv", "part.csv", "mixed-pile");
  ff_scene_destroy(&scene);
}

/* The first of them, in order; all are counted. */
static void events_are_kept_up_to_a_limit(void **state) {
  (void)state;
  ff_scene *scene = load("bouncing-ball", NULL, "1");
  ff_run *run;
  ff_report report;
  assert_int_equal(ff_run_create(&run, scene, NULL, &report), FF_OK);
  assert_int_equal(ff_run_execute(run, &report), FF_OK);
  int count = 0;
  const ff_event *events = ff_run_events(run, &count);
  ff_run_counts counts = ff_run_count(run);
  assert_true(counts.touches > 0 && counts.lifts > 0);
  assert_int_equal(count, counts.touches + counts.lifts);
  for (int i = 1; i < count; i++) {
    assert_true(events[i].time >= events[i - 1].time);
  }
  run->event_count = FF_RUN_EVENTS - 1; /* room for one more */
  ff_event touch = {.kind = FF_EVENT_TOUCH};
  for (int i = 0; i < 3; i++) {
    run->sim->on_event(run->sim->event_context, &touch);
  }
  ff_run_events(run, &count);
  assert_int_equal(count, FF_RUN_EVENTS);
  assert_int_equal(ff_run_count(run).touches, counts.touches + 3);
  ff_run_destroy(&run);
  ff_scene_destroy(&scene);
}

/* What a killed run leaves: the log, cut off anywhere. */
static void a_log_that_was_cut_off_opens(void **state) {
  (void)state;
  ff_scene *scene = load("bouncing-ball", NULL, "0.5");
  ff_recording *whole, *cut;
  ff_report report;
  size_t size;
  assert_int_equal(execute(scene, "part.h5", "part.csv", "run.ckpt", 40), FF_CANCELLED);
  assert_int_equal(ff_recording_open(&whole, "part.h5", &report), FF_OK);
  unsigned char *bytes = bytes_of("part.h5.part", &size);
  int opened = 0;
  for (size_t length = size; length > 0; length = length * 9 / 10) {
    write_bytes("cut.h5.part", bytes, length);
    ff_status status = ff_recording_open(&cut, "cut.h5.part", &report);
    if (status != FF_OK) {
      assert_int_equal(status, FF_ERROR_INPUT);
      continue;
    }
    opened++;
    long rows = ff_recording_rows(cut);
    assert_true(rows <= ff_recording_rows(whole));
    for (int i = 0; i < ff_recording_about(cut)->count; i++) {
      assert_memory_equal(ff_recording_column(cut, i), ff_recording_column(whole, i),
                          (size_t)rows * sizeof(double));
    }
    ff_recording_close(&cut);
  }
  assert_true(opened > 2);
  free(bytes);
  ff_recording_close(&whole);
  ff_scene_destroy(&scene);
}

static void damaged_and_foreign_checkpoints_are_refused(void **state) {
  (void)state;
  ff_scene *scene = load("bouncing-ball", NULL, "0.5");
  ff_report report;
  size_t size;
  assert_int_equal(execute(scene, "part.h5", "part.csv", "run.ckpt", 11), FF_CANCELLED);
  unsigned char *bytes = bytes_of("run.ckpt", &size);
  uint64_t seed = 4711;
  for (int i = 0; i < 300; i++) {
    size_t at = (size_t)(ff_random(&seed) * (double)size);
    unsigned char bit = (unsigned char)(1u << (int)(ff_random(&seed) * 8));
    bytes[at] ^= bit;
    write_bytes("bad.ckpt", bytes, size);
    bytes[at] ^= bit;
    assert_int_equal(resume("bad.ckpt", 0, &report), FF_ERROR_INPUT);
    assert_true(report.what[0] != 0);
  }
  for (size_t length = 0; length < size; length += 1 + size / 20) {
    write_bytes("bad.ckpt", bytes, length);
    assert_int_equal(resume("bad.ckpt", 0, &report), FF_ERROR_INPUT);
  }
  free(bytes);
  assert_int_equal(resume("part.h5", 0, &report), FF_ERROR_INPUT); /* not a checkpoint */
  assert_int_equal(resume("none.ckpt", 0, &report), FF_ERROR_FILE);
  rename("part.h5.part", "cut.h5.part");
  assert_int_equal(resume("run.ckpt", 0, &report), FF_ERROR_INPUT);
  assert_non_null(strstr(report.what, "missing"));
  rename("cut.h5.part", "part.h5.part");
  assert_int_equal(resume("run.ckpt", 0, &report), FF_OK);
  ff_scene_destroy(&scene);
}

static void misuse_of_runs_gives_a_status(void **state) {
  (void)state;
  ff_run *run;
  ff_report report;
  int count = 5;
  ff_scene *scene = load("bouncing-ball", NULL, "0.01");
  assert_int_equal(ff_run_create(NULL, scene, NULL, NULL), FF_ERROR_INPUT);
  assert_int_equal(ff_run_create(&run, NULL, NULL, &report), FF_ERROR_INPUT);
  assert_int_equal(ff_run_resume(&run, NULL, NULL, &report), FF_ERROR_INPUT);
  assert_int_equal(ff_run_resume(NULL, "x", NULL, &report), FF_ERROR_INPUT);
  assert_int_equal(ff_run_execute(NULL, NULL), FF_ERROR_INPUT);
  ff_run_options options = ff_run_options_default();
  const char *outputs[] = {"-"};
  options.outputs = outputs;
  options.output_count = -1;
  assert_int_equal(ff_run_create(&run, scene, &options, &report), FF_ERROR_INPUT);
  options.output_count = 1;
  options.checkpoint = "run.ckpt";
  assert_int_equal(ff_run_create(&run, scene, &options, &report), FF_ERROR_INPUT);
  outputs[0] = "x.txt";
  assert_int_equal(ff_run_create(&run, scene, &options, &report), FF_ERROR_INPUT);
  assert_int_equal(ff_run_create(&run, scene, NULL, &report), FF_OK);
  assert_int_equal(ff_run_execute(run, &report), FF_OK);
  assert_int_equal(ff_run_execute(run, &report), FF_ERROR_INPUT); /* once */
  assert_null(ff_run_output(run, 0));
  ff_run_destroy(&run);
  ff_run_stop(NULL);
  ff_run_destroy(NULL);
  assert_null(ff_run_sim(NULL));
  assert_null(ff_run_model(NULL));
  assert_null(ff_run_scene(NULL));
  assert_null(ff_run_events(NULL, &count));
  assert_int_equal(count, 0);
  assert_string_equal(ff_run_incomplete(NULL), "");
  assert_true(isnan(ff_run_count(NULL).wall));
  ff_scene_destroy(&scene);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_resumed_run_leaves_the_same_bytes),
      cmocka_unit_test(a_stopped_run_leaves_an_incomplete_recording),
      cmocka_unit_test(an_older_checkpoint_resumes_with_the_same_bytes),
      cmocka_unit_test(events_are_kept_up_to_a_limit),
      cmocka_unit_test(a_log_that_was_cut_off_opens),
      cmocka_unit_test(damaged_and_foreign_checkpoints_are_refused),
      cmocka_unit_test(misuse_of_runs_gives_a_status),
  };
  return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}
