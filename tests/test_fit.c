/* Fits: parameters that made the data are found again, with intervals that hold them as often as
 * they say. FOOTFALL_FIT_TRIALS=100 makes it a campaign of so many trials for every law,
 * FOOTFALL_FIT_LAW=TEXT of those whose name holds this text. */
#include "folder.h"
#include "footfall/footfall.h"
#include "math/vec.h"
#include "solve/least_squares.h"
#include "study/fit.h"
#include "testing.h"

static int leave_folder(void **state) {
  (void)state;
  static const char *const names[] = {"data.csv", "scene.yaml", "fit.yaml"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    unlink(names[i]);
  }
  return remove_folder();
}

static void write_text(const char *path, const char *text) {
  FILE *out = fopen(path, "w");
  fputs(text, out);
  fclose(out);
}

/* Normal distribution, by Box and Muller. */
static double random_normal(uint64_t *seed) {
  double u = ff_random(seed), v = ff_random(seed);
  return sqrt(-2 * log(1 - u)) * cos(2 * ff_pi * v);
}

/* ---- least squares --------------------------------------------------------------------------- */

static bool rosenbrock(void *context, const double *x, double *r) {
  (void)context;
  double a = 4 * x[0] - 2, b = 4 * x[1] - 2;
  r[0] = 10 * (b - a * a);
  r[1] = 1 - a;
  return true;
}

static bool rosenbrock_slopes(void *context, const double *x, const double *r, double *j) {
  (void)context;
  (void)r;
  double a = 4 * x[0] - 2;
  j[0] = -80 * a;
  j[1] = -4;
  j[2] = 40;
  j[3] = 0;
  return true;
}

static void least_squares_find_a_minimum_inside_the_bounds(void **state) {
  (void)state;
  double x[2] = {0.1, 0.8};
  ff_least_squares problem = {.rows = 2,
                              .columns = 2,
                              .residuals = rosenbrock,
                              .jacobian = rosenbrock_slopes,
                              .tolerance = 1e-12,
                              .limit = 500};
  ff_least_squares_result result;
  assert_int_equal(ff_least_squares_solve(&problem, x, &result), FF_OK);
  assert_true(result.converged);
  assert_close(x[0], 0.75, 1e-6);
  assert_close(x[1], 0.75, 1e-6);
}

/* ---- flights --------------------------------------------------------------------------------- */

static void a_flight_gives_its_first_state(void **state) {
  (void)state;
  ff_body_info body = {.com = {0.01, -0.02, 0.005},
                       .inertia = {{{1e-3, 1e-4, 0}, {1e-4, 2e-3, 0}, {0, 0, 1.5e-3}}}};
  ff_scene *scene;
  ff_model *model;
  ff_sim *sim;
  ff_body id;
  ff_body_def def = ff_body_def_default();
  def.name = "cube";
  def.mass = 0.4;
  def.com = body.com;
  def.inertia = body.inertia;
  def.position = v3(0.1, 0.2, 1);
  def.orientation = q_exp(v3(0.3, -0.5, 1));
  def.velocity = v3(1, -0.5, 0.7);
  def.omega = v3(5, -9, 4);
  assert_int_equal(ff_scene_create(&scene), FF_OK);
  assert_int_equal(ff_scene_add_body(&id, scene, &def), FF_OK);
  assert_int_equal(ff_model_build(&model, scene, NULL), FF_OK);
  assert_int_equal(ff_sim_create(&sim, model), FF_OK);
  ff_flight_row rows[20];
  for (int i = 0; i < 20; i++) {
    assert_int_equal(ff_sim_advance(sim, 0.007 * i), FF_OK);
    ff_body_state at = ff_sim_body(sim, id);
    rows[i] = (ff_flight_row){0.007 * i, at.position, at.orientation};
  }
  rows[3].position.x = NAN; /* rows may be missing */
  rows[3].orientation.w = NAN;
  ff_body_state found;
  body = ff_model_body_info(model, id);
  assert_true(ff_flight_state(&found, rows, 20, &body, v3(0, 0, -9.81)));
  assert_close(v3_norm(v3_sub(found.position, def.position)), 0, 1e-6);
  assert_close(v3_norm(v3_sub(found.velocity, def.velocity)), 0, 1e-4);
  assert_close(v3_norm(v3_sub(found.omega, def.omega)), 0, 1e-3);
  ff_sim_destroy(&sim);
  ff_model_destroy(&model);
  ff_scene_destroy(&scene);
}

/* ---- recovery -------------------------------------------------------------------------------- */

typedef struct fit_case {
  const char *law;
  const char *stepper, *contact; /* of the scene */
  const char *paths[2];          /* below contacts.0 */
  double truth[2];
} fit_case;

/* A ball of 1 kg and 5 cm that spins about the vertical, falls 5 cm with 2 m/s sideways on a soft
 * floor and bounces.
 * Transition speeds and switches of a law are no physical parameters; mu_static of coulomb acts
 * below 3 mm/s, which such data do not tell. */
static const fit_case cases[] = {
    {"linear",
     "adaptive, rtol: 1e-8",
     "normal: {law: linear, k: 2000, b: 10}",
     {"normal.k", "normal.b"},
     {2000, 10}},
    {"hunt-crossley",
     "adaptive, rtol: 1e-8",
     "normal: {law: hunt-crossley, k: 3e4, alpha: 0.3}",
     {"normal.k", "normal.alpha"},
     {3e4, 0.3}},
    {"azad-featherstone",
     "adaptive, rtol: 1e-8",
     "normal: {law: azad-featherstone, K: 3e4, D: 100}",
     {"normal.K", "normal.D"},
     {3e4, 100}},
    {"volumetric",
     "adaptive, rtol: 1e-8",
     "normal: {law: volumetric, k_V: 1e6, a_V: 0.3}",
     {"normal.k_V", "normal.a_V"},
     {1e6, 0.3}},
    {"elastic",
     "adaptive, rtol: 1e-8",
     "normal: {law: elastic, k: 2000, c: 10}",
     {"normal.k", "normal.c"},
     {2000, 10}},
    {"quasi-rigid",
     "adaptive, rtol: 1e-8",
     "normal: {law: quasi-rigid, k: 2000, c: 10}",
     {"normal.k", "normal.c"},
     {2000, 10}},
    {"coulomb",
     "adaptive, rtol: 1e-8",
     "normal: {law: hunt-crossley, k: 3e4, alpha: 0.3}, friction: {law: coulomb, mu_static: 0.15}",
     {"friction.mu_static"},
     {0.15}},
    {"bristle-clutch",
     "adaptive, rtol: 1e-8",
     "normal: {law: hunt-crossley, k: 3e4, alpha: 0.3}, "
     "friction: {law: bristle-clutch, K: 3e4, D: 100, mu: 0.15}",
     {"friction.mu"},
     {0.15}},
    {"continuous",
     "adaptive, rtol: 1e-8",
     "normal: {law: hunt-crossley, k: 3e4, alpha: 0.3}, "
     "friction: {law: continuous, mu_s: 0.3, mu_d: 0.15}",
     {"friction.mu_d"},
     {0.15}},
    {"ellipsoidal",
     "adaptive, rtol: 1e-8",
     "normal: {law: hunt-crossley, k: 3e4, alpha: 0.3}, friction: {law: ellipsoidal, mu: 0.15}",
     {"friction.mu"},
     {0.15}},
    {"rigid", "micro-macro, step: 2e-4", "normal: {law: rigid, e: 0.6}", {"normal.e"}, {0.6}},
    {"membrane",
     "micro-macro, step: 2e-4",
     "normal: {law: membrane, k: 2000, c: 10, thickness: 0.004, mu: 0.1, e: 0.6}",
     {"normal.e"},
     {0.6}},
    {"hunt-crossley, n",
     "adaptive, rtol: 1e-8",
     "normal: {law: hunt-crossley, k: 3e4, n: 1.5, alpha: 0.3}",
     {"normal.n", "normal.alpha"},
     {1.5, 0.3}},
    {"coulomb, kinetic",
     "adaptive, rtol: 1e-8",
     "normal: {law: hunt-crossley, k: 3e4, alpha: 0.3}, "
     "friction: {law: coulomb, mu_static: 0.6, mu_kinetic: 0.15}",
     {"friction.mu_kinetic"},
     {0.15}},
    {"bristle-clutch, K",
     "adaptive, rtol: 1e-8",
     "normal: {law: hunt-crossley, k: 3e4, alpha: 0.3}, "
     "friction: {law: bristle-clutch, K: 3e3, D: 100, mu: 1}",
     {"friction.K", "friction.D"},
     {3e3, 100}},
    {"continuous, mu_s",
     "adaptive, rtol: 1e-8",
     "normal: {law: hunt-crossley, k: 3e4, alpha: 0.3}, "
     "friction: {law: continuous, mu_s: 0.3, mu_d: 0.15, v_t: 0.5}",
     {"friction.mu_s", "friction.mu_d"},
     {0.3, 0.15}},
    {"ellipsoidal, e_r",
     "adaptive, rtol: 1e-8",
     "normal: {law: hunt-crossley, k: 3e4, alpha: 0.3}, "
     "friction: {law: ellipsoidal, mu: 0.15, e_r: 0.02}",
     {"friction.e_r"},
     {0.02}},
    {"quasi-rigid stepper",
     "quasi-rigid, step: 1e-3",
     "normal: {law: quasi-rigid, k: 2000, c: 10}, friction: {law: ellipsoidal, mu: 0.15}",
     {"normal.k", "normal.c"},
     {2000, 10}},
    {"the same, friction",
     "quasi-rigid, step: 1e-3",
     "normal: {law: quasi-rigid, k: 2000, c: 10}, friction: {law: ellipsoidal, mu: 0.15}",
     {"friction.mu"},
     {0.15}},
    {"membrane, layer",
     "micro-macro, step: 2e-4",
     "normal: {law: membrane, k: 2000, c: 10, thickness: 0.04, mu: 0.1, e: 0.6}",
     {"normal.k", "normal.c"},
     {2000, 10}},
    {"membrane, friction",
     "micro-macro, step: 2e-4",
     "normal: {law: membrane, k: 2000, c: 10, thickness: 0.04, mu: 0.1, e: 0.6}",
     {"normal.mu"},
     {0.1}},
    {"elastic, micro-macro",
     "micro-macro, step: 2e-4",
     "normal: {law: elastic, k: 2000, c: 10}",
     {"normal.k", "normal.c"},
     {2000, 10}},
    {"bristle-clutch, viscous",
     "adaptive, rtol: 1e-8",
     "normal: {law: hunt-crossley, k: 3e4, alpha: 0.3}, "
     "friction: {law: bristle-clutch, K: 3e4, D: 100, mu: 0.05, viscous: 3}",
     {"friction.viscous"},
     {3}},
    {"ellipsoidal, e_t",
     "adaptive, rtol: 1e-8",
     "normal: {law: hunt-crossley, k: 3e4, alpha: 0.3}, "
     "friction: {law: ellipsoidal, mu: 0.3, e_t: 0.5}",
     {"friction.e_t"},
     {0.5}},
    {"quasi-rigid, tangent",
     "quasi-rigid, step: 1e-3",
     "normal: {law: quasi-rigid, k: 2000, c: 10, k_t: 1000, k_o: 1000, series: true}, "
     "friction: {law: ellipsoidal, mu: 1}",
     {"normal.k_t"},
     {1000}},
    {"quasi-rigid, second layer",
     "quasi-rigid, step: 1e-3",
     "normal: {law: quasi-rigid, k: 4000, c: 10, k_b: 4000, c_b: 10}",
     {"normal.k_b", "normal.c_b"},
     {4000, 10}},
};

static void write_scene(const fit_case *from) {
  char text[2000];
  snprintf(text, sizeof text,
           "footfall: 1\nduration: 0.5\nstepper: {kind: %s}\nbodies:\n"
           "  floor: {fixed: true, shape: {half-space: {}}}\n"
           "  ball: {mass: 1, shape: {sphere: {radius: 0.05}}, position: [0, 0, 0.1], "
           "velocity: [2, 0, 0], omega: [0, 0, 100]}\ncontacts:\n  - {pair: [ball, floor], %s}\n",
           from->stepper, from->contact);
  write_text("scene.yaml", text);
}

/* Positions of the ball at 200 Hz with a noise of 0.5 mm. */
static void write_data(uint64_t *seed) {
  ff_scene *scene;
  ff_model *model;
  ff_sim *sim;
  ff_report report = {0};
  ff_status status = ff_scene_load(&scene, "scene.yaml", NULL, 0, &report);
  if (status != FF_OK) {
    print_error("%s:%d: %s: %s\n", report.file, report.line, report.key, report.what);
  }
  assert_int_equal(status, FF_OK);
  assert_int_equal(ff_model_build(&model, scene, &report), FF_OK);
  assert_int_equal(ff_sim_create(&sim, model), FF_OK);
  FILE *out = fopen("data.csv", "w");
  fputs("t,x,z\n", out);
  for (int i = 0; i <= 100; i++) {
    assert_int_equal(ff_sim_advance(sim, 0.005 * i), FF_OK);
    ff_vec3 p = ff_sim_body(sim, ff_model_body_find(model, "ball")).position;
    fprintf(out, "%.4f,%.9f,%.9f\n", 0.005 * i, p.x + 5e-4 * random_normal(seed),
            p.z + 5e-4 * random_normal(seed));
  }
  fclose(out);
  ff_sim_destroy(&sim);
  ff_model_destroy(&model);
  ff_scene_destroy(&scene);
}

static void write_fit(const fit_case *from) {
  FILE *out = fopen("fit.yaml", "w");
  fputs("fit: 1\nscene: scene.yaml\nparameters:\n", out);
  for (int i = 0; i < 2 && from->paths[i]; i++) {
    fprintf(out, "  p%d: {path: contacts.0.%s, start: %g, bounds: [%g, %g], scale: log}\n", i,
            from->paths[i], 1.2 * from->truth[i], from->truth[i] / 3,
            fmin(3 * from->truth[i], from->truth[i] < 1 && from->truth[i] > 0.5 ? 1 : INFINITY));
  }
  /* Steps of milliseconds move impacts in jumps: difference quotients must span several. */
  fputs(strstr(from->stepper, "adaptive") ? "" : "step: 0.01\n", out);
  fputs("samples: 8\ndata: {files: data.csv}\ncompare:\n"
        "  - {columns: x, channel: body.ball.position.x, noise: 5e-4}\n"
        "  - {columns: z, channel: body.ball.position.z, noise: 5e-4}\n",
        out);
  fclose(out);
}

static ff_fit *load(void) {
  ff_fit *fit = NULL;
  ff_report report = {0};
  ff_status status = ff_fit_load(&fit, "fit.yaml", &report);
  if (status != FF_OK) {
    print_error("%s:%d: %s: %s\n", report.file, report.line, report.key, report.what);
  }
  assert_int_equal(status, FF_OK);
  return fit;
}

static void intervals_hold_the_truth_as_often_as_they_say(void **state) {
  (void)state;
  const char *wish = getenv("FOOTFALL_FIT_TRIALS"), *only = getenv("FOOTFALL_FIT_LAW");
  int trials = wish ? atoi(wish) : 3, inside = 0, all = 0;
  uint64_t seed = 12345;
  for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
    int held = 0, count = 0;
    if (only && !strstr(cases[c].law, only)) {
      continue;
    }
    write_scene(&cases[c]);
    write_fit(&cases[c]);
    for (int trial = 0; trial < trials; trial++) {
      write_data(&seed);
      ff_fit *fit = load();
      assert_int_equal(ff_fit_solve(fit, 1, NULL, NULL), FF_OK);
      ff_fit_outcome o = ff_fit_outcome_of(fit, 0);
      for (int i = 0; i < o.estimate_count; i++) {
        const ff_fit_estimate *e = &o.estimates[i];
        held += e->interval[0] <= cases[c].truth[i] && cases[c].truth[i] <= e->interval[1];
        count++;
        assert_false(e->at_bound);
        assert_false(e->unclear);
      }
      if (!(o.rms > 0.8 && o.rms < 1.2)) {
        print_error("%s: rms %g\n", cases[c].law, o.rms);
        fail();
      }
      ff_fit_destroy(&fit);
    }
    if (wish) { /* few trials cannot tell a rate */
      print_message("%-22s %d of %d intervals hold the truth\n", cases[c].law, held, count);
      assert_true(trials < 100 || (held >= 0.9 * count && held <= 0.995 * count));
    }
    inside += held;
    all += count;
  }
  assert_true(inside >= 0.85 * all);
}

/* ---- comparison, warnings, threads ----------------------------------------------------------- */

static void the_law_that_made_the_data_wins(void **state) {
  (void)state;
  uint64_t seed = 99;
  write_scene(&cases[1]);
  write_data(&seed);
  write_text("fit.yaml", "fit: 1\nscene: scene.yaml\ndata: {files: data.csv}\nlaws:\n"
                         "  hunt-crossley:\n    parameters:\n"
                         "      k: {path: contacts.0.normal.k, bounds: [1e4, 1e5], scale: log}\n"
                         "      alpha: {path: contacts.0.normal.alpha, bounds: [0.1, 1]}\n"
                         "  undamped:\n    set: {contacts.0.normal.alpha: 0}\n    parameters:\n"
                         "      k: {path: contacts.0.normal.k, bounds: [1e4, 1e5], scale: log}\n"
                         "compare:\n  - {columns: x, channel: body.ball.position.x, noise: 5e-4}\n"
                         "  - {columns: z, channel: body.ball.position.z, noise: 5e-4}\n");
  ff_fit *fit = load();
  assert_int_equal(ff_fit_solve(fit, 2, NULL, NULL), FF_OK);
  ff_fit_outcome good = ff_fit_outcome_of(fit, 0), bad = ff_fit_outcome_of(fit, 1);
  assert_string_equal(good.law, "hunt-crossley");
  assert_true(good.aicc + 100 < bad.aicc && good.bic + 100 < bad.bic);
  assert_true(good.rms < 1.2 && bad.rms > 5);
  ff_fit_destroy(&fit);
}

/* Mass and stiffness of an undamped bounce appear as their ratio only. */
static void what_the_data_do_not_tell_is_said(void **state) {
  (void)state;
  uint64_t seed = 3;
  write_scene(&cases[1]);
  write_data(&seed);
  write_text("fit.yaml",
             "fit: 1\nscene: scene.yaml\ndata: {files: data.csv}\nparameters:\n"
             "  k: {path: contacts.0.normal.k, bounds: [1e4, 1e5], scale: log}\n"
             "  mass: {path: bodies.ball.mass, bounds: [0.3, 3], scale: log}\n"
             "  top: {path: contacts.0.normal.alpha, bounds: [0.01, 0.2]}\n"
             "compare:\n  - {columns: z, channel: body.ball.position.z, noise: 5e-4}\n");
  ff_fit *fit = load();
  assert_int_equal(ff_fit_solve(fit, 1, NULL, NULL), FF_OK);
  ff_fit_outcome o = ff_fit_outcome_of(fit, 0);
  assert_true(o.correlations[1] > 0.99);
  assert_true(o.flat_deviation > 0.25);
  assert_true(o.estimates[2].at_bound); /* the truth lies beyond */
  ff_fit_destroy(&fit);
}

/* Steps of difference quotients, in parts of the way between the bounds. */
static void long_and_negative_steps_are_refused(void **state) {
  (void)state;
  static const struct {
    const char *step;
    ff_status status;
  } fits[] = {{"0.02", FF_OK}, {"0.2", FF_ERROR_INPUT}, {"-0.01", FF_ERROR_INPUT}};
  uint64_t seed = 3;
  write_scene(&cases[1]);
  write_data(&seed);
  for (int i = 0; i < 3; i++) {
    char text[500];
    snprintf(text, sizeof text,
             "fit: 1\nscene: scene.yaml\ndata: {files: data.csv}\nstep: %s\nparameters:\n"
             "  k: {path: contacts.0.normal.k, bounds: [1e4, 1e5], scale: log}\n"
             "compare:\n  - {columns: z, channel: body.ball.position.z, noise: 5e-4}\n",
             fits[i].step);
    write_text("fit.yaml", text);
    ff_fit *fit = NULL;
    ff_report report = {0};
    assert_int_equal(ff_fit_load(&fit, "fit.yaml", &report), fits[i].status);
    assert_true(fits[i].status == FF_OK || strstr(report.what, "step") != NULL);
    ff_fit_destroy(&fit);
  }
}

static void a_measurement_model_is_fitted_like_anything_else(void **state) {
  (void)state;
  uint64_t seed = 5;
  write_scene(&cases[1]);
  write_data(&seed);
  write_text("fit.yaml",
             "fit: 1\nscene: scene.yaml\ndata: {files: data.csv}\nparameters:\n"
             "  gain: {bounds: [0.5, 2], start: 1.3}\n  zero: {bounds: [-0.1, 0.1]}\n"
             "  late: {bounds: [-0.02, 0.02], start: 0.004}\n"
             "compare:\n  - {columns: z, channel: body.ball.position.z, noise: 5e-4, scale: gain, "
             "offset: zero, delay: late}\n");
  ff_fit *fit = load();
  assert_int_equal(ff_fit_solve(fit, 1, NULL, NULL), FF_OK);
  ff_fit_outcome o = ff_fit_outcome_of(fit, 0);
  assert_close(o.estimates[0].value, 1, 0.02);
  assert_close(o.estimates[1].value, 0, 2e-3);
  assert_close(o.estimates[2].value, 0, 1e-3);
  ff_fit_destroy(&fit);
}

/* A camera that is turned by 0.3 rad about y and stands elsewhere; the ball's first state is taken
 * from what it sees. */
static void a_turned_frame_is_found(void **state) {
  (void)state;
  uint64_t seed = 21;
  ff_scene *scene;
  ff_model *model;
  ff_sim *sim;
  ff_quat frame = q_exp(v3(0, 0.3, 0));
  write_scene(&cases[1]);
  assert_int_equal(ff_scene_load(&scene, "scene.yaml", NULL, 0, NULL), FF_OK);
  assert_int_equal(ff_model_build(&model, scene, NULL), FF_OK);
  assert_int_equal(ff_sim_create(&sim, model), FF_OK);
  FILE *out = fopen("data.csv", "w");
  fputs("t,x,y,z,qw,qx,qy,qz\n", out);
  for (int i = 0; i <= 80; i++) {
    assert_int_equal(ff_sim_advance(sim, 0.005 * i), FF_OK);
    ff_body_state at = ff_sim_body(sim, ff_model_body_find(model, "ball"));
    ff_vec3 p = v3_add(v3(1, 0, 0.5), q_rotate(frame, at.position));
    ff_quat q = q_mul(frame, at.orientation);
    fprintf(out, "%.4f,%.9f,%.9f,%.9f,%.9f,%.9f,%.9f,%.9f\n", 0.005 * i,
            p.x + 1e-4 * random_normal(&seed), p.y + 1e-4 * random_normal(&seed),
            p.z + 1e-4 * random_normal(&seed), q.w, q.x, q.y, q.z);
  }
  fclose(out);
  ff_sim_destroy(&sim);
  ff_model_destroy(&model);
  ff_scene_destroy(&scene);
  write_text(
      "fit.yaml",
      "fit: 1\nscene: scene.yaml\ndata: {files: data.csv}\nparameters:\n"
      "  tilt: {bounds: [-0.5, 0.5]}\n  height: {bounds: [0.4, 0.6], start: 0.52}\n"
      "first-state: {body: ball, until: 0.08}\ncompare:\n"
      "  - {columns: [x, y, z], position: ball, noise: 1e-4, frame: [0, tilt, 0], "
      "offset: [1, 0, height]}\n"
      "  - {columns: [qw, qx, qy, qz], orientation: ball, noise: 1e-2, frame: [0, tilt, 0]}\n");
  ff_fit *fit = load();
  assert_int_equal(ff_fit_solve(fit, 1, NULL, NULL), FF_OK);
  ff_fit_outcome o = ff_fit_outcome_of(fit, 0);
  assert_close(o.estimates[0].value, 0.3, 2e-3);
  assert_close(o.estimates[1].value, 0.5, 1e-3);
  ff_fit_destroy(&fit);
}

typedef struct fit_watched {
  int calls, last;
  bool crossed, ordered;
} fit_watched;

static void watch_fit(void *context, const ff_fit_progress *at) {
  fit_watched *seen = context;
  seen->ordered = seen->ordered && at->evaluations >= seen->last && at->law_number == 1;
  seen->crossed = seen->crossed || strcmp(at->stage, "cross-validation") == 0;
  seen->last = at->evaluations;
  seen->calls++;
}

/* Several trajectories in a file; parameters of each; held-out and crossed errors; threads;
 * progress. */
static void threads_do_not_change_a_bit(void **state) {
  (void)state;
  static const double heights[] = {0.1, 0.12, 0.08, 0.15, 0.11, 0.09};
  uint64_t seed = 8;
  write_scene(&cases[1]);
  FILE *out = fopen("data.csv", "w");
  fputs("drop,t,z\n", out);
  for (int d = 0; d < 6; d++) {
    ff_scene *scene;
    ff_model *model;
    ff_sim *sim;
    char setting[64];
    snprintf(setting, sizeof setting, "bodies.ball.position.2=%.17g", heights[d]);
    const char *const settings[] = {setting};
    assert_int_equal(ff_scene_load(&scene, "scene.yaml", settings, 1, NULL), FF_OK);
    assert_int_equal(ff_model_build(&model, scene, NULL), FF_OK);
    assert_int_equal(ff_sim_create(&sim, model), FF_OK);
    for (int i = 0; i <= 40; i++) {
      assert_int_equal(ff_sim_advance(sim, 0.01 * i), FF_OK);
      double z = ff_sim_body(sim, ff_model_body_find(model, "ball")).position.z;
      fprintf(out, "%d,%.4f,%.9f\n", d, 0.01 * i, z + 5e-4 * random_normal(&seed));
    }
    ff_sim_destroy(&sim);
    ff_model_destroy(&model);
    ff_scene_destroy(&scene);
  }
  fclose(out);
  write_text(
      "fit.yaml",
      "fit: 1\nscene: scene.yaml\nparameters:\n"
      "  k: {path: contacts.0.normal.k, bounds: [1e4, 1e5], scale: log}\n"
      "  alpha: {path: contacts.0.normal.alpha, bounds: [0.05, 1]}\n"
      "  height: {path: bodies.ball.position.2, bounds: [0.06, 0.2], start: 0.195, each: true}\n"
      "data: {files: data.csv, split: drop}\nhold-out: 0.34\nfolds: 2\nsamples: 4\n"
      "starts: 2\ncompare:\n"
      "  - {columns: z, channel: body.ball.position.z, noise: 5e-4}\n");
  ff_fit_outcome outcomes[2];
  ff_fit *fits[2];
  fit_watched seen[2] = {{.ordered = true}, {.ordered = true}};
  for (int i = 0; i < 2; i++) {
    fits[i] = load();
    ff_fit_watch(fits[i], watch_fit, &seen[i]);
    assert_int_equal(ff_fit_solve(fits[i], i + 1, NULL, NULL), FF_OK);
    assert_true(seen[i].calls > 10 && seen[i].ordered && seen[i].crossed);
    outcomes[i] = ff_fit_outcome_of(fits[i], 0);
    for (int k = 0; k < outcomes[i].estimate_count; k++) { /* found from far away, by samples */
      const ff_fit_estimate *e = &outcomes[i].estimates[k];
      assert_true(e->trajectory < 0 || fabs(e->value - heights[e->trajectory]) < 2e-3);
    }
    outcomes[i] = ff_fit_outcome_of(fits[i], 0);
  }
  assert_int_equal(outcomes[0].estimate_count, 2 + 4); /* two are held out */
  for (int i = 0; i < outcomes[0].estimate_count; i++) {
    const ff_fit_estimate *a = &outcomes[0].estimates[i], *b = &outcomes[1].estimates[i];
    assert_memory_equal(&a->value, &b->value, sizeof a->value);
    assert_memory_equal(a->interval, b->interval, sizeof a->interval);
  }
  assert_memory_equal(&outcomes[0].held_out, &outcomes[1].held_out, sizeof(double));
  assert_memory_equal(&outcomes[0].crossed, &outcomes[1].crossed, sizeof(double));
  assert_near(outcomes[0].estimates[0].value, 3e4, 0.05);
  assert_close(outcomes[0].estimates[1].value, 0.3, 0.02);
  assert_close(outcomes[0].estimates[2].value, heights[0], 1e-3);
  assert_true(outcomes[0].held_out < 1.3 && outcomes[0].crossed < 1.3);
  ff_fit_destroy(&fits[0]);
  ff_fit_destroy(&fits[1]);
}

/* ---- mistakes -------------------------------------------------------------------------------- */

static void mistakes_are_named(void **state) {
  (void)state;
  static const struct {
    const char *text, *what;
  } wrong[] = {
      {"scene: scene.yaml\n", "missing"},
      {"fit: 2\nscene: scene.yaml\n", "version 1"},
      {"fit: 1\nscene: none.yaml\nparameters: {a: {bounds: [0, 1]}}\n", "cannot be read"},
      {"fit: 1\nscene: scene.yaml\nparameters: {a: {bounds: [1, 0]}}\n", "less than the second"},
      {"fit: 1\nscene: scene.yaml\nparameters: {a: {bounds: [0, 1], start: 2}}\n", "within"},
      {"fit: 1\nscene: scene.yaml\nparameters: {a: {bounds: [0, 1]}}\ncompare:\n"
       "  - {columns: z, channel: body.ball.position.z, noise: 1, scale: b}\n",
       "name of a parameter"},
      {"fit: 1\nscene: scene.yaml\nparameters: {a: {bounds: [0, 1]}}\ncompare:\n"
       "  - {columns: zz, channel: body.ball.position.z, noise: 1}\ndata: {files: data.csv}\n",
       "did you mean 'z'"},
      {"fit: 1\nscene: scene.yaml\nparameters: {a: {bounds: [0, 1]}}\ncompare:\n"
       "  - {columns: z, channel: body.ball.positon.z, noise: 1}\ndata: {files: data.csv}\n",
       "unknown channel"},
  };
  uint64_t seed = 1;
  write_scene(&cases[0]);
  write_data(&seed);
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    ff_fit *fit = NULL;
    ff_report report = {0};
    write_text("fit.yaml", wrong[i].text);
    assert_int_equal(ff_fit_load(&fit, "fit.yaml", &report), FF_ERROR_INPUT);
    assert_null(fit);
    if (!strstr(report.what, wrong[i].what)) {
      print_error("%zu: %s: %s\n", i, report.key, report.what);
      fail();
    }
  }
}

int main(void) {
#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, enter_folder, leave_folder)
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(least_squares_find_a_minimum_inside_the_bounds),
      cmocka_unit_test(a_flight_gives_its_first_state),
      IN_FOLDER(intervals_hold_the_truth_as_often_as_they_say),
      IN_FOLDER(the_law_that_made_the_data_wins),
      IN_FOLDER(what_the_data_do_not_tell_is_said),
      IN_FOLDER(long_and_negative_steps_are_refused),
      IN_FOLDER(a_measurement_model_is_fitted_like_anything_else),
      IN_FOLDER(a_turned_frame_is_found),
      IN_FOLDER(threads_do_not_change_a_bit),
      IN_FOLDER(mistakes_are_named),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
