/* Sets of measurements: layouts of the originals and of tables, made here; errors in the user's
 * units beside published figures; `footfall validate`. */
#include "folder.h"
#include "footfall/footfall.h"
#include "math/vec.h"
#include "program.h"
#include "study/set.h"

#include <sys/stat.h>
#include <zlib.h>

static const char *const made[] = {"work/tosses.csv",
                                   "work/impacts.csv",
                                   "work/cube-tosses.yaml",
                                   "work/cube-tosses-scene.yaml",
                                   "data/1.pt",
                                   "data/2.pt",
                                   "data/ellipse_uniform.mat",
                                   "data/ellipse.csv",
                                   "data/tosses.csv",
                                   "data/stance_a_R.csv",
                                   "data/walk.trc",
                                   "data/walk.forces",
                                   "data/bad.mat",
                                   "data/0.pt",
                                   "page.html"};

static int make_folders(void **state) {
  int failed = enter_folder(state);
  return failed || mkdir("data", 0777) != 0 || mkdir("work", 0777) != 0;
}

static int leave_folders(void **state) {
  (void)state;
  ff_set_remove("work");
  for (size_t i = 0; i < sizeof made / sizeof *made; i++) {
    unlink(made[i]);
  }
  rmdir("work");
  rmdir("data");
  return remove_folder();
}

static void write_bytes(const char *path, const void *bytes, size_t size) {
  FILE *out = fopen(path, "wb");
  assert_non_null(out);
  assert_int_equal(fwrite(bytes, 1, size, out), size);
  fclose(out);
}

/* ---- a cube that falls and slides, by the scene of the set ------------------------------------
 */

enum { FRAMES = 60 };

static void make_toss(double speed, double *rows) {
  ff_scene *scene;
  ff_model *model;
  ff_sim *sim;
  ff_report report = {0};
  char text[4000];
  snprintf(text, sizeof text, "bodies.cube.velocity=[%g, 0.2, 0]", speed);
  const char *const settings[] = {text, "bodies.cube.omega=[1, 4, -2]"};
  ff_status status =
      ff_scene_load(&scene, FF_SOURCE_DIR "/sets/cube-tosses-scene.yaml", settings, 2, &report);
  assert_int_equal(status, FF_OK);
  assert_int_equal(ff_model_build(&model, scene, &report), FF_OK);
  assert_int_equal(ff_sim_create(&sim, model), FF_OK);
  for (int i = 0; i < FRAMES; i++) {
    assert_int_equal(ff_sim_advance(sim, i / 148.0), FF_OK);
    ff_body_state at = ff_sim_body(sim, ff_model_body_find(model, "cube"));
    double row[7] = {at.position.x,    at.position.y,    at.position.z,   at.orientation.w,
                     at.orientation.x, at.orientation.y, at.orientation.z};
    memcpy(rows + 7 * i, row, sizeof row);
  }
  ff_sim_destroy(&sim);
  ff_model_destroy(&model);
  ff_scene_destroy(&scene);
}

/* As PyTorch before 1.6 stores a tensor: pickles, number of doubles, doubles. */
static void write_tensor(const char *path, const double *rows) {
  double bytes[4 + 1 + 19 * FRAMES] = {0};
  uint64_t count = 19 * FRAMES;
  memcpy(&bytes[4], &count, 8);
  for (int i = 0; i < FRAMES; i++) {
    for (int k = 0; k < 7; k++) {
      bytes[5 + 19 * i + k] = rows[7 * i + k] * (k < 3 ? 0.9742 / 0.0524 : 1);
    }
  }
  write_bytes(path, bytes, sizeof bytes);
}

static void tosses_of_the_original_are_fitted_and_judged(void **state) {
  (void)state;
  double rows[7 * FRAMES];
  char path[FF_SET_PATH_MAX];
  ff_report report = {0};
  ff_fit *fit;
  static char fit_text[20000];
  make_toss(0.5, rows);
  write_tensor("data/1.pt", rows);
  write_tensor("data/2.pt", rows);
  assert_int_equal(ff_set_prepare(path, "cube-tosses", "data", "data", "work", &report), FF_OK);
  assert_int_equal(ff_fit_load(&fit, path, &report), FF_OK);
  const char *const laws[] = {"layer"}, *const wrong[] = {"lair"};
  assert_int_equal(ff_fit_choose_laws(fit, wrong, 1, &report), FF_ERROR_INPUT);
  assert_string_equal(report.nearest, "layer");
  assert_int_equal(ff_fit_choose_laws(fit, laws, 1, &report), FF_OK);
  assert_int_equal(ff_fit_law_count(fit), 1);
  assert_int_equal(ff_fit_trajectory_count(fit), 4);
  assert_false(ff_fit_trajectory_held_out(fit, 0)); /* the set's own split does not count */
  assert_false(ff_fit_trajectory_held_out(fit, 1));
  FILE *written = fopen(path, "r");
  size_t length = fread(fit_text, 1, sizeof fit_text - 1, written);
  fclose(written);
  fit_text[length] = '\0';
  assert_non_null(strstr(fit_text, "held-out: true"));
  assert_null(strstr(fit_text, "hold-out"));
  assert_true(ff_fit_trajectory_held_out(fit, 2)); /* of the folder that judges */
  ff_fit_keep_values(fit);                         /* those of the scene made the data */
  assert_int_equal(ff_fit_solve(fit, 1, NULL, &report), FF_OK);
  assert_int_equal(ff_fit_error_count(fit), 2);
  ff_fit_error position = ff_fit_error_of(fit, 0, 0), rotation = ff_fit_error_of(fit, 0, 1);
  assert_string_equal(position.name, "position");
  assert_string_equal(rotation.unit, "deg");
  /* The made run ends its steps at the frames; the fitted one has even steps and starts from the
   * flight's least squares: a first-order stepper then differs by millimetres after the impact. */
  assert_true(position.fitted < 4 && position.held_out < 4);
  assert_true(rotation.fitted < 3 && rotation.held_out < 3);
  assert_true(ff_fit_trajectory_error(fit, 0, 0, 3) == ff_fit_trajectory_error(fit, 0, 0, 1));
  assert_string_equal(ff_fit_published_of(fit, 1).name, "Drake");
  assert_near(ff_fit_published_of(fit, 1).values[0], 13.5, 1e-12);
  assert_null(ff_fit_published_of(fit, 2).name);
  ff_fit_destroy(&fit);
}

/* ---- impacts ----------------------------------------------------------------------------------
 */

static size_t put_word(unsigned char *at, uint32_t word) {
  memcpy(at, &word, 4);
  return 4;
}

/* A numeric matrix of doubles with one row. */
static size_t put_matrix(unsigned char *at, const double *values, uint32_t count) {
  size_t n = 8;
  n += put_word(at + n, 6), n += put_word(at + n, 8); /* flags */
  n += put_word(at + n, 6), n += put_word(at + n, 0);
  n += put_word(at + n, 5), n += put_word(at + n, 8); /* dimensions */
  n += put_word(at + n, 1), n += put_word(at + n, count);
  n += put_word(at + n, 1), n += put_word(at + n, 0); /* name */
  n += put_word(at + n, 9), n += put_word(at + n, 8 * count);
  memcpy(at + n, values, 8 * count);
  n += 8 * count;
  put_word(at, 14);
  put_word(at + 4, (uint32_t)n - 8);
  return n;
}

/* A compressed struct array of two impacts, of which the second has a flag. */
static void write_matlab(const char *path, const double *states) {
  static const double flags[2] = {0, 1};
  unsigned char plain[4000] = {0}, out[4200] = "MATLAB 5.0 MAT-file";
  size_t n = 8;
  n += put_word(plain + n, 6), n += put_word(plain + n, 8);
  n += put_word(plain + n, 2), n += put_word(plain + n, 0); /* class: struct */
  n += put_word(plain + n, 5), n += put_word(plain + n, 8);
  n += put_word(plain + n, 1), n += put_word(plain + n, 2);
  n += put_word(plain + n, 4 << 16 | 1); /* name, small */
  memcpy(plain + n, "bnce", 4), n += 4;
  n += put_word(plain + n, 4 << 16 | 5), n += put_word(plain + n, 8);
  n += put_word(plain + n, 1), n += put_word(plain + n, 16);
  memcpy(plain + n, "states\0\0flags", 13), n += 16;
  for (int i = 0; i < 2; i++) {
    n += put_matrix(plain + n, states, 12);
    n += put_matrix(plain + n, &flags[i], 1);
  }
  put_word(plain, 14);
  put_word(plain + 4, (uint32_t)n - 8);
  uLongf size = sizeof out - 136;
  assert_int_equal(compress(out + 136, &size, plain, n), Z_OK);
  put_word(out + 128, 15);
  put_word(out + 132, (uint32_t)size);
  write_bytes(path, out, 136 + size);
}

static void impacts_of_the_original_equal_those_of_a_table(void **state) {
  (void)state;
  /* An impact on the long side without friction nor loss: only vz turns. */
  static const double states[12] = {0, 0.025, 0, 0.3, -2, 0, 0, 0.025, 0, 0.3, 2, 0};
  ff_report report = {0};
  char first[400] = "", second[400] = "";
  write_matlab("data/ellipse_uniform.mat", states);
  assert_int_equal(ff_set_load_ellipse("data", "work", "impacts", &report), FF_OK);
  FILE *in = fopen("work/impacts.csv", "r");
  size_t size = fread(first, 1, sizeof first - 1, in);
  fclose(in);
  assert_true(size > 0 && strstr(first, "\n0,0,0.02500") &&
              strstr(first, ",0.3,-2,0,0.3,2,0,2.022"));
  int lines = 0;
  for (const char *at = first; *at; at++) {
    lines += *at == '\n';
  }
  assert_int_equal(lines, 2); /* the doubtful one is left out */
  unlink("data/ellipse_uniform.mat");
  const char *table = "impact,x_pre_m,y_pre_m,theta_pre_rad,vx_pre,vy_pre,omega_pre,x_post,y_post,"
                      "theta_post,vx_post,vy_post,omega_post,flag_sb\n"
                      "0,0,0.025,0,0.3,-2,0,0,0.025,0,0.3,2,0,0\n"
                      "1,0,0.025,0,0.3,-2,0,0,0.025,0,0.3,2,0,1\n";
  write_bytes("data/ellipse.csv", table, strlen(table));
  assert_int_equal(ff_set_load_ellipse("data", "work", "impacts", &report), FF_OK);
  in = fopen("work/impacts.csv", "r");
  assert_true(fread(second, 1, sizeof second - 1, in) == size);
  fclose(in);
  assert_string_equal(first, second);
}

/* Every cut and every changed byte of a MATLAB file is refused or read, without harm. */
static void broken_matlab_files_do_no_harm(void **state) {
  (void)state;
  static const double states[12] = {0, 0.025, 0, 0.3, -2, 0, 0, 0.025, 0, 0.3, 2, 0};
  char *whole;
  size_t size;
  ff_report report;
  write_matlab("data/ellipse_uniform.mat", states);
  FILE *in = fopen("data/ellipse_uniform.mat", "rb"), *out = open_memstream(&whole, &size);
  for (int c; (c = fgetc(in)) != EOF;) {
    fputc(c, out);
  }
  fclose(in);
  fclose(out);
  uint64_t seed = 11;
  for (int trial = 0; trial < 200; trial++) {
    char *copy = malloc(size);
    memcpy(copy, whole, size);
    size_t at = (size_t)(ff_random(&seed) * (double)size);
    copy[at] = (char)(256 * ff_random(&seed));
    write_bytes("data/ellipse_uniform.mat", copy, trial % 2 ? size : at);
    free(copy);
    ff_set_load_ellipse("data", "work", "impacts", &report);
  }
  free(whole);
}

/* ---- the program ------------------------------------------------------------------------------
 */

static void stances_are_cut_and_mirrored(void **state) {
  (void)state;
  ff_report report = {0};
  FILE *out = fopen("data/stance_a_R.csv", "w");
  fputs("t_s,L_Heel_x_m,L_Heel_y_m,L_Heel_z_m,L_Ankle_x_m,L_Ankle_y_m,L_Ankle_z_m,L_MT1_x_m,"
        "L_MT1_y_m,L_MT1_z_m,L_MT5_x_m,L_MT5_y_m,L_MT5_z_m,Fx_N,Fy_N,Fz_N\n",
        out);
  for (int i = 0; i < 100; i++) {
    fprintf(out, "%g,0,0.1,0.03,0.05,0.15,0.07,0.2,0.05,0.04,0.18,0.16,0.03,0,5,%d\n", 0.01 * i,
            i >= 20 && i < 80 ? 500 : 0);
  }
  fclose(out);
  assert_int_equal(ff_set_load_stances("data", "work", "stance", &report), FF_OK);
  FILE *in = fopen("work/stance-stance_a_R.csv", "r");
  assert_non_null(in);
  char line[400];
  int rows = 0;
  while (fgets(line, sizeof line, in)) {
    double t, heel_y, weight;
    if (rows++ > 0) {
      assert_int_equal(sscanf(line, "%lf,%*f,%*f,%lf", &t, &heel_y), 2);
      weight = atof(strrchr(line, ',') + 1);
      assert_true(t > 0.135 && t < 0.855); /* the stance and 60 ms around it */
      assert_near(heel_y, -0.1, 1e-12);
      assert_near(weight, 620, 1e-6); /* 500 N over the share of a stance */
    }
  }
  fclose(in);
  assert_int_equal(rows, 1 + 72);
  unlink("work/stance-stance_a_R.csv");
}

/* Markers of two feet in a .trc file, y up and in mm; forces of two plates at twice the rate beside
 * it. Only the left foot stands on a plate. */
static void stances_on_force_plates_are_found(void **state) {
  (void)state;
  static const char *const markers[] = {"Heel", "Ankle", "MT1", "MT5"};
  static const double places[4][3] = {{0, 30, 0}, {50, 70, 50}, {200, 40, -50}, {180, 30, 60}};
  ff_report report = {0};
  FILE *out = fopen("data/walk.trc", "w");
  fputs("PathFileType\t4\t(X/Y/Z)\twalk.trc\nDataRate\tCameraRate\tNumFrames\tNumMarkers\tUnits\n"
        "100\t100\t100\t8\tmm\nFrame#\tTime",
        out);
  for (int m = 0; m < 8; m++) {
    fprintf(out, "\t%c.%s\t\t", "LR"[m / 4], markers[m % 4]);
  }
  fputs("\n\t\n\n", out);
  for (int i = 0; i < 100; i++) {
    fprintf(out, "%d\t%.2f", i + 1, 0.01 * i);
    for (int m = 0; m < 8; m++) {
      const double *p = places[m % 4];
      fprintf(out, "\t%g\t%g\t%g", p[0] + 1000 * (m / 4), p[1], 100 + (m < 4 ? -p[2] : p[2]));
    }
    fputs("\n", out);
  }
  fclose(out);
  out = fopen("data/walk.forces", "w");
  fputs("[Force Data]\nNumberOfForcePlates=2\nSampleRate=200\n#Sample", out);
  for (int plate = 1; plate <= 2; plate++) {
    fprintf(out, "\tFX%d\tFY%d\tFZ%d\tX%d\tY%d\tZ%d\tMZ%d", plate, plate, plate, plate, plate,
            plate, plate);
  }
  for (int i = 0; i < 200; i++) {
    int force = i >= 40 && i < 160 ? 499 + 2 * (i % 2) : 0; /* 500 N on average */
    fprintf(out, "\n%d\t0\t%d\t-7\t20\t0\t90\t0\t0\t0\t0\t900\t0\t90\t0", i + 1, force);
  }
  fputs("\n", out);
  fclose(out);
  assert_int_equal(ff_set_load_stances("data", "work", "stance", &report), FF_OK);
  assert_int_not_equal(access("work/stance-walk_plate2_L.csv", R_OK), 0);
  FILE *in = fopen("work/stance-walk_plate1_L.csv", "r");
  assert_non_null(in);
  char line[400];
  int rows = 0;
  while (fgets(line, sizeof line, in)) {
    double v[17];
    if (rows++ > 0) {
      char *at = line;
      for (int k = 0; k < 17; k++) {
        v[k] = strtod(at, &at);
        at++;
      }
      assert_near(v[3], 0.1, 1e-12); /* left of a left foot is right of a right one */
      assert_near(v[4], 0.03, 1e-12);
      assert_near(v[9] - v[3], 0.05, 1e-12); /* the first metatarsal is on the inner side */
      assert_true(v[16] == 0 || fabs(v[16] - 500) < 1e-9);
    }
  }
  fclose(in);
  assert_int_equal(rows, 1 + 72);
  unlink("work/stance-walk_plate1_L.csv");
}

static void the_program_lists_judges_and_explains(void **state) {
  (void)state;
  char out[16384];
  double rows[7 * FRAMES];
  assert_int_equal(call("validate", "", out, sizeof out), 0);
  assert_non_null(strstr(out, "cube-tosses"));
  assert_non_null(strstr(out, "BSD-3-Clause"));
  assert_int_equal(call("validate", "cube-toss --data data", out, sizeof out), 2);
  assert_non_null(strstr(out, "did you mean 'cube-tosses'"));
  assert_int_equal(call("validate", "cube-tosses", out, sizeof out), 2);
  assert_non_null(strstr(out, "--data is missing"));
  assert_int_equal(call("validate", "cube-tosses --data data", out, sizeof out), 2);
  assert_non_null(strstr(out, "has no tosses"));
  assert_int_equal(call("validate", "cube-tosses --data nowhere", out, sizeof out), 2);
  assert_non_null(strstr(out, "nowhere: cannot be read"));
  write_bytes("data/0.pt", "not a tensor", 12);
  assert_int_equal(call("validate", "cube-tosses --data data", out, sizeof out), 2);
  assert_non_null(strstr(out, "0.pt: is not a toss"));
  unlink("data/0.pt");
  make_toss(0.5, rows);
  write_tensor("data/1.pt", rows);
  assert_int_equal(call("validate",
                        "cube-tosses --data data --judge data --no-fit --laws layer --report "
                        "page.html",
                        out, sizeof out),
                   0);
  assert_non_null(strstr(out, "held out"));
  assert_non_null(strstr(out, "Drake"));
  assert_int_equal(access("page.html", R_OK), 0);
}

int main(void) {
#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, make_folders, leave_folders)
  const struct CMUnitTest tests[] = {
      IN_FOLDER(tosses_of_the_original_are_fitted_and_judged),
      IN_FOLDER(impacts_of_the_original_equal_those_of_a_table),
      IN_FOLDER(broken_matlab_files_do_no_harm),
      IN_FOLDER(stances_are_cut_and_mirrored),
      IN_FOLDER(stances_on_force_plates_are_found),
      IN_FOLDER(the_program_lists_judges_and_explains),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
