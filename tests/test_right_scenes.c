/* Scenes with a solution in closed form, or of an equation that this file integrates itself, under
 * every stepper. With a step that resolves them each run is right within 1 % and its verdict is
 * good. With steps 10 times as long a run may be wrong, but then its verdict says so. No
 * limit of the verdict was chosen with these scenes. */
#include "findings.h"
#include "scene_text.h"

static const double g = 9.81;

typedef struct trial {
  double p, q; /* of the scene, see there */
} trial;

/* One kind of scene. Errors are relative: 0.01 is right within 1 %. */
typedef struct right_scene {
  const char *name, *text;
  const char *settings[3]; /* $p and $q stand for the trial's */
  trial trials[3];
  double (*error)(const ff_sim *sim, const ff_model *model, trial t);
  double (*duration)(trial t);
  double omega;       /* rad/s: largest frequency of its contacts */
  bool impact;        /* its result is that of one */
  const char *except; /* steppers that cannot run it */
} right_scene;

#define LAYER(k, c) "    normal: {law: quasi-rigid, k: " k ", c: " c "}\n"
#define COULOMB     "    friction: {law: coulomb, mu_static: 0.4, mu_kinetic: 0.4}\n"
#define FLOOR       "  floor: {fixed: true, shape: {half-space: {}}}\n"
/* A slope of 10 degrees down towards +x. */
#define SLOPE                                                                                      \
  "  floor: {fixed: true, shape: {half-space: {}}, orientation: {axis: [0, 1, 0], angle: 10 "      \
  "deg}}\n"

static const double slope = 10 * 0.017453292519943295;

static ff_body_state body_of(const ff_sim *sim, const ff_model *model, const char *name) {
  return ff_sim_body(sim, ff_model_body_find(model, name));
}

static double second(trial t) {
  (void)t;
  return 1;
}

static double half_second(trial t) {
  (void)t;
  return 0.5;
}

/* ---- flight ---------------------------------------------------------------------------------- */

static double thrown_error(const ff_sim *sim, const ff_model *model, trial t) {
  ff_vec3 x = body_of(sim, model, "ball").position;
  double far = t.p * 1, high = 10 + t.q * 1 - g / 2;
  return hypot(x.x - far, x.z - high) / (fabs(far) + 10);
}

/* Kinetic energy and angular momentum of a body that nothing touches. */
static double spinning_error(const ff_sim *sim, const ff_model *model, trial t) {
  ff_energy e = ff_sim_energy(sim);
  (void)model;
  double start = 0.5 * (0.02 * t.p * t.p + 0.03 * t.q * t.q + 0.045 * 0.01);
  return fabs(e.kinetic - start) / start;
}

/* ---- impacts --------------------------------------------------------------------------------- */

/* Speed after over speed before of a mass of 1 kg that falls with speed v on a layer: RK4 of
 * z'' = f - g, f = max(0, -k z - c z'), or without c while z' > 0 (`elastic`). */
static double layer_restitution(double v, double k, double c, bool pressed_only) {
  double z = 0, u = -v, h = 1e-3 / sqrt(k);
  do {
    double ku[4], kz[4];
    for (int i = 0; i < 4; i++) {
      double w = i == 3 ? h : h / 2, zi = i ? z + w * kz[i - 1] : z, ui = i ? u + w * ku[i - 1] : u;
      kz[i] = ui;
      ku[i] = fmax(0, -k * zi - (pressed_only && ui > 0 ? 0 : c) * ui) - g;
    }
    z += h / 6 * (kz[0] + 2 * kz[1] + 2 * kz[2] + kz[3]);
    u += h / 6 * (ku[0] + 2 * ku[1] + 2 * ku[2] + ku[3]);
  } while (z < 0 || u < 0);
  return u / v;
}

/* The ball starts 5 mm above the floor with speed p downwards and ends in the air. */
static double bounce_duration(trial t) {
  return 0.02 / t.p + 0.02;
}

static double bounced_by(const ff_sim *sim, const ff_model *model, double speed, double law) {
  ff_body_state ball = body_of(sim, model, "ball");
  double at = sqrt(speed * speed + 2 * g * 0.005);
  double high = ball.position.z - 0.05, v = ball.velocity.z;
  if (v < 0 || high < 0) {
    return 1;
  }
  return fabs(sqrt(v * v + 2 * g * high) / at - law);
}

static double undamped_error(const ff_sim *sim, const ff_model *model, trial t) {
  return bounced_by(sim, model, t.p, 1);
}

static double damped_error(const ff_sim *sim, const ff_model *model, trial t) {
  double at = sqrt(t.p * t.p + 2 * g * 0.005);
  bool elastic = strcmp(ff_model_run(model)->stepper.kind, "micro-macro") == 0;
  return bounced_by(sim, model, t.p, layer_restitution(at, 1e5, t.q, elastic));
}

/* Two balls without gravity: momentum and energy give the speeds. */
static double head_on_error(const ff_sim *sim, const ff_model *model, trial t) {
  double first = body_of(sim, model, "ball").velocity.x,
         other = body_of(sim, model, "target").velocity.x;
  double m = 1, n = t.q, v = t.p;
  return hypot(first - (m - n) / (m + n) * v, other - 2 * m / (m + n) * v) / v;
}

static double head_on_duration(trial t) {
  return 0.02 / t.p + 0.03;
}

/* A ball without gravity at a wall, at an angle: gross slip takes mu times the change of the normal
 * momentum from the tangential one. */
static double oblique_error(const ff_sim *sim, const ff_model *model, trial t) {
  ff_vec3 v = body_of(sim, model, "ball").velocity;
  return hypot(v.z - t.p, v.x - (t.q - 0.4 * 2 * t.p)) / hypot(t.p, t.q);
}

static double oblique_duration(trial t) {
  return 0.02 / t.p + 0.02;
}

/* ---- sliding and rolling --------------------------------------------------------------------- */

static double stop_error(const ff_sim *sim, const ff_model *model, trial t) {
  double far = t.p * t.p / (2 * 0.4 * g);
  return fabs(body_of(sim, model, "block").position.x - far) / far;
}

/* Way down the slope from the start, m. */
static double way_down(const ff_sim *sim, const ff_model *model, const char *name) {
  ff_vec3 x = body_of(sim, model, name).position;
  return x.x * cos(slope) - x.z * sin(slope);
}

static double stick_error(const ff_sim *sim, const ff_model *model, trial t) {
  (void)t;
  /* of its size; the tangential spring of the contact gives a little */
  return fabs(way_down(sim, model, "block")) / 0.1;
}

static double slide_error(const ff_sim *sim, const ff_model *model, trial t) {
  double far = 0.5 * g * (sin(slope) - t.q * cos(slope));
  return fabs(way_down(sim, model, "block") - far) / far;
}

static double sphere_down_error(const ff_sim *sim, const ff_model *model, trial t) {
  double far = 0.5 * 5 / 7.0 * g * sin(slope);
  (void)t;
  return fabs(way_down(sim, model, "ball") - far) / far;
}

static double cylinder_down_error(const ff_sim *sim, const ff_model *model, trial t) {
  double far = 0.5 * 2 / 3.0 * g * sin(slope);
  (void)t;
  return fabs(way_down(sim, model, "roll") - far) / far;
}

/* Starts to slide with p, without spin; rolls from 2 v / (7 mu g) on. */
static double slip_to_roll_error(const ff_sim *sim, const ff_model *model, trial t) {
  double v = body_of(sim, model, "ball").velocity.x;
  return fabs(v - 5 / 7.0 * t.p) / t.p;
}

static double belt_error(const ff_sim *sim, const ff_model *model, trial t) {
  double x = body_of(sim, model, "block").position.x, until = t.p / (0.4 * g);
  double far = t.p * (1 - until) + 0.5 * t.p * until;
  return fabs(x - far) / far;
}

/* ---- rest and swing -------------------------------------------------------------------------- */

/* Three boxes of 0.1 m on each other: nothing moves. */
static double stack_error(const ff_sim *sim, const ff_model *model, trial t) {
  const char *const names[] = {"low", "middle", "high"};
  double out = 0;
  (void)t;
  for (int i = 0; i < 3; i++) {
    ff_body_state b = body_of(sim, model, names[i]);
    out = fmax(out, fabs(b.position.z - 0.05 - 0.1 * i) / 0.1);
    out = fmax(out, hypot(b.position.x, b.position.y) / 0.1);
  }
  return out;
}

/* A rod of 1 m, hung by its end and pushed to the angular velocity q: RK4 of the pendulum. */
static double pendulum_error(const ff_sim *sim, const ff_model *model, trial t) {
  double a = 0, w = t.q, h = 1e-4, c = -1.5 * g;
  for (int i = 0; i < 10000; i++) {
    double ka[4], kw[4];
    for (int s = 0; s < 4; s++) {
      double f = s == 3 ? h : h / 2;
      ka[s] = s ? w + f * kw[s - 1] : w;
      kw[s] = c * sin(s ? a + f * ka[s - 1] : a);
    }
    a += h / 6 * (ka[0] + 2 * ka[1] + 2 * ka[2] + ka[3]);
    w += h / 6 * (kw[0] + 2 * kw[1] + 2 * kw[2] + kw[3]);
  }
  ff_vec3 x = body_of(sim, model, "rod").position;
  return hypot(x.x + 0.5 * sin(a), x.z + 0.5 * cos(a));
}

/* ---- scenes ---------------------------------------------------------------------------------- */

#define BALL_ON(normal, friction)                                                                  \
  "footfall: 1\nbodies:\n" FLOOR                                                                   \
  "  ball: {mass: 1, shape: {sphere: {radius: 0.05}}, position: [0, 0, 0.055]}\n"                  \
  "contacts:\n  - pair: [ball, floor]\n" normal friction

static const right_scene scenes[] = {
    {.name = "thrown ball",
     .text = "footfall: 1\nbodies:\n"
             "  ball: {mass: 1, shape: {sphere: {radius: 0.05}}, position: [0, 0, 10]}\n",
     .settings = {"bodies.ball.velocity=[$p, 0, $q]"},
     .trials = {{1, 2}, {20, 0}, {3, -4}},
     .error = thrown_error,
     .duration = second},
    {.name = "spinning body",
     .text = "footfall: 1\ngravity: [0, 0, 0]\nbodies:\n"
             "  brick: {mass: 1, shape: {sphere: {radius: 0.05}}, inertia: [0.02, 0.03, 0.045]}\n",
     .settings = {"bodies.brick.omega=[$p, $q, 0.1]"},
     .trials = {{1, 2}, {0.1, 5}, {8, 0.3}},
     .error = spinning_error,
     .duration = second},
    {.name = "undamped bounce",
     .text = BALL_ON(LAYER("1e5", "0"), ""),
     .settings = {"bodies.ball.velocity=[0, 0, -$p]"},
     .trials = {{0.5, 0}, {2, 0}, {6, 0}},
     .error = undamped_error,
     .duration = bounce_duration,
     .impact = true,
     .omega = 316},
    {.name = "damped bounce",
     .text = BALL_ON(LAYER("1e5", "1"), ""),
     .settings = {"bodies.ball.velocity=[0, 0, -$p]", "contacts.0.normal.c=$q"},
     .trials = {{0.7, 30}, {2, 60}, {5, 150}},
     .error = damped_error,
     .duration = bounce_duration,
     .impact = true,
     .omega = 316},
    {.name = "head-on impact",
     .text = "footfall: 1\ngravity: [0, 0, 0]\nbodies:\n"
             "  ball: {mass: 1, shape: {sphere: {radius: 0.05}}}\n"
             "  target: {mass: 1, shape: {sphere: {radius: 0.05}}, position: [0.11, 0, 0]}\n"
             "contacts:\n  - pair: [ball, target]\n" LAYER("1e5", "0"),
     .settings = {"bodies.ball.velocity=[$p, 0, 0]", "bodies.target.mass=$q"},
     .trials = {{1, 1}, {3, 0.4}, {2, 5}},
     .error = head_on_error,
     .duration = head_on_duration,
     .impact = true,
     .omega = 600},
    {.name = "oblique impact",
     .text = "footfall: 1\ngravity: [0, 0, 0]\nbodies:\n" FLOOR
             "  ball: {mass: 1, shape: {sphere: {radius: 0.05}}, position: [0, 0, 0.055]}\n"
             "contacts:\n  - pair: [ball, floor]\n" LAYER("1e5", "0") COULOMB,
     .settings = {"bodies.ball.velocity=[$q, 0, -$p]"},
     .trials = {{1, 6}, {2, 7}, {0.6, 3}},
     .error = oblique_error,
     .duration = oblique_duration,
     .impact = true,
     .omega = 316},
    {.name = "sliding block",
     .text = "footfall: 1\nbodies:\n" FLOOR "  block: {mass: 1, shape: {box: {size: [0.2, 0.2, "
             "0.04]}}, position: [0, 0, 0.01997547]}\n"
             "contacts:\n  - pair: [block, floor]\n" LAYER("1e5", "300") COULOMB,
     .settings = {"bodies.block.velocity=[$p, 0, 0]"},
     .trials = {{0.8, 0}, {2, 0}, {3, 0}},
     .error = stop_error,
     .duration = second,
     .omega = 632},
    {.name = "block that sticks on a slope",
     .text = "footfall: 1\nbodies:\n" SLOPE
             "  block: {mass: 1, shape: {box: {size: [0.2, 0.2, 0.1]}},\n"
             "          position: [0.0086782, 0, 0.0492166], orientation: {axis: [0, 1, 0], angle: "
             "10 deg}}\n"
             "contacts:\n  - pair: [block, floor]\n" LAYER("1e5", "300") COULOMB,
     .settings = {"contacts.0.friction.mu_static=$p", "contacts.0.friction.mu_kinetic=$p"},
     .trials = {{0.2, 0}, {0.5, 0}, {1, 0}},
     .error = stick_error,
     .duration = second,
     .omega = 632},
    {.name = "block that slides down a slope",
     .text = "footfall: 1\nbodies:\n" SLOPE
             "  block: {mass: 1, shape: {box: {size: [0.2, 0.2, 0.1]}},\n"
             "          position: [0.0086782, 0, 0.0492166], orientation: {axis: [0, 1, 0], angle: "
             "10 deg}}\n"
             "contacts:\n  - pair: [block, floor]\n" LAYER("1e5", "300") COULOMB,
     .settings = {"contacts.0.friction.mu_static=$q", "contacts.0.friction.mu_kinetic=$q"},
     .trials = {{0, 0.02}, {0, 0.06}, {0, 0.1}},
     .error = slide_error,
     .duration = second,
     .omega = 632},
    {.name = "sphere rolling down a slope",
     .text =
         "footfall: 1\nbodies:\n" SLOPE
         "  ball: {mass: 1, shape: {sphere: {radius: 0.05}}, position: [0.0086655, 0, 0.0491452]}\n"
         "contacts:\n  - pair: [ball, floor]\n" LAYER("1e5", "300") COULOMB,
     .settings = {"contacts.0.friction.mu_static=$p", "contacts.0.friction.mu_kinetic=$p"},
     .trials = {{0.2, 0}, {0.5, 0}, {1, 0}},
     .error = sphere_down_error,
     .duration = second,
     .omega = 316},
    {.name = "cylinder rolling down a slope",
     .text =
         "footfall: 1\nbodies:\n" SLOPE "  roll: {mass: 1, position: [0.0086740, 0, 0.0491935],\n"
         "         shape: {cylinder: {radius: 0.05, height: 0.2}, orientation: {axis: [1, 0, 0], "
         "angle: 90 deg}}}\n"
         "contacts:\n  - pair: [roll, floor]\n" LAYER("1e5", "300") COULOMB,
     .settings = {"contacts.0.friction.mu_static=$p", "contacts.0.friction.mu_kinetic=$p"},
     .trials = {{0.2, 0}, {0.5, 0}, {1, 0}},
     .error = cylinder_down_error,
     .duration = second,
     .omega = 450},
    {.name = "ball that slips until it rolls",
     .text = "footfall: 1\nbodies:\n" FLOOR
             "  ball: {mass: 1, shape: {sphere: {radius: 0.05}}, position: [0, 0, 0.0499019]}\n"
             "contacts:\n  - pair: [ball, floor]\n" LAYER("1e5", "300") COULOMB,
     .settings = {"bodies.ball.velocity=[$p, 0, 0]"},
     .trials = {{1, 0}, {2, 0}, {5, 0}},
     .error = slip_to_roll_error,
     .duration = second,
     .omega = 316},
    {.name = "block on a belt",
     .text = "footfall: 1\nbodies:\n"
             "  belt: {shape: {half-space: {}}, motion: {velocity: [1, 0, 0]}}\n"
             "  block: {mass: 1, shape: {box: {size: [0.2, 0.2, 0.04]}}, position: [0, 0, "
             "0.01997547]}\n"
             "contacts:\n  - pair: [block, belt]\n" LAYER("1e5", "300") COULOMB,
     .settings = {"bodies.belt.motion.velocity=[$p, 0, 0]"},
     .trials = {{0.5, 0}, {1, 0}, {2, 0}},
     .error = belt_error,
     .duration = second,
     .omega = 632},
    {.name = "stack of three boxes",
     .text = "footfall: 1\nbodies:\n" FLOOR
             "  low: {mass: 1, shape: {box: {size: [0.1, 0.1, 0.1]}}, position: [0, 0, 0.05]}\n"
             "  middle: {mass: 1, shape: {box: {size: [0.1, 0.1, 0.1]}}, position: [0, 0, 0.15]}\n"
             "  high: {mass: 1, shape: {box: {size: [0.1, 0.1, 0.1]}}, position: [0, 0, 0.25]}\n"
             "contacts:\n  - pair: [\"*\", \"*\"]\n" LAYER("1e5", "300") COULOMB,
     .settings = {"bodies.middle.mass=$p", "bodies.high.mass=$q"},
     .trials = {{1, 1}, {0.5, 2}, {2, 0.4}},
     .error = stack_error,
     .duration = half_second,
     .omega = 1000},
    {.name = "rod on a hinge",
     .text = "footfall: 1\nbodies:\n  wall: {fixed: true}\n"
             "  rod: {mass: 1, shape: {box: {size: [0.01, 0.01, 1]}}, position: [0, 0, -0.5]}\n"
             "constraints:\n  hinge: {kind: hinge, pair: [rod, wall], at: [0, 0, 0], axis: [0, 1, "
             "0]}\n",
     .settings = {"bodies.rod.velocity=[$p, 0, 0]", "bodies.rod.omega=[0, $q, 0]"},
     .trials = {{-0.25, 0.5}, {-1, 2}, {-2.5, 5}},
     .error = pendulum_error,
     .duration = second,
     .except = "micro-macro"},
};

/* ---- runs ------------------------------------------------------------------------------------ */

static const char *const steppers[] = {"rk4",      "heun",        "symplectic-euler",
                                       "adaptive", "quasi-rigid", "micro-macro"};

/* $p and $q replaced. */
static void fill_setting(char *out, size_t size, const char *format, trial t) {
  size_t length = 0;
  for (; *format && length + 32 < size; format++) {
    if (*format == '$') {
      format++;
      length += (size_t)snprintf(out + length, size - length, "%.17g", *format == 'p' ? t.p : t.q);
    } else {
      out[length++] = *format;
    }
  }
  out[length] = '\0';
}

/* `elastic` is the layer of micro-macro. */
static void text_for(char *out, size_t size, const char *text, const char *stepper) {
  snprintf(out, size, "%s", text);
  if (strcmp(stepper, "micro-macro") == 0) {
    char *law = strstr(out, "{law: quasi-rigid");
    if (law) {
      memcpy(law, "{law: elastic,   ", 17);
      char *comma = strchr(law + 17, ',');
      assert_non_null(comma);
      *comma = ' ';
    }
  }
}

typedef struct outcome {
  double error;
  bool good, ran;
} outcome;

static outcome run_trial(const right_scene *scene, trial t, const char *stepper, double step) {
  char text[2048], settings[6][128];
  const char *list[6];
  int count = 0;
  text_for(text, sizeof text, scene->text, stepper);
  for (; count < 3 && scene->settings[count]; count++) {
    fill_setting(settings[count], sizeof settings[count], scene->settings[count], t);
  }
  snprintf(settings[count++], sizeof settings[0], "stepper.kind=%s", stepper);
  snprintf(settings[count++], sizeof settings[0], "stepper.step=%.17g", step);
  for (int i = 0; i < count; i++) {
    list[i] = settings[i];
  }
  ff_scene *parsed = NULL;
  ff_model *model = NULL;
  ff_sim *sim = NULL;
  ff_report report = {.line = 0};
  ff_status status = ff_scene_parse(&parsed, text, strlen(text), NULL, list, count, &report);
  status = status == FF_OK ? ff_model_build(&model, parsed, &report) : status;
  if (status != FF_OK) {
    fail_msg("%s: %s: %s", scene->name, report.key, report.what);
  }
  assert_int_equal(ff_sim_create(&sim, model), FF_OK);
  outcome out = {.ran = ff_sim_advance(sim, scene->duration(t)) == FF_OK};
  out.error = scene->error(sim, model, t);
  out.good = out.ran && failures(sim) == 0;
  if (step < 1e-3 && !out.good) {
    print_findings(sim, scene->name);
  }
  ff_sim_destroy(&sim);
  ff_model_destroy(&model);
  ff_scene_destroy(&parsed);
  return out;
}

/* A tenth of a radian of the fastest contact a step. `micro-macro` takes the force of the end of a
 * step: its impacts need 0.005 (docs/steppers.md). */
static double resolving_step(const right_scene *scene, const char *stepper) {
  bool lags = scene->impact && strcmp(stepper, "micro-macro") == 0;
  return scene->omega > 0 ? fmin(5e-4, (lags ? 0.005 : 0.1) / scene->omega) : 5e-4;
}

typedef struct tally {
  int runs, wrong, alarms, missed;
} tally;

static void judge(const right_scene *scene, double factor, tally *sum) {
  for (size_t s = 0; s < sizeof steppers / sizeof *steppers; s++) {
    if ((scene->except && strcmp(scene->except, steppers[s]) == 0) ||
        (factor > 1 && strcmp(steppers[s], "adaptive") == 0)) {
      continue;
    }
    for (int i = 0; i < 3; i++) {
      outcome o = run_trial(scene, scene->trials[i], steppers[s],
                            factor * resolving_step(scene, steppers[s]));
      bool right = o.error <= 0.01;
      bool wrong = factor == 1 && !right, alarm = factor == 1 && !o.good, missed = !right && o.good;
      sum->runs++, sum->wrong += wrong, sum->alarms += alarm, sum->missed += missed;
      if (wrong || alarm || missed) {
        print_error("%s, trial %d, %s, %g x step: error %.3g, %s\n", scene->name, i + 1,
                    steppers[s], factor, o.error, o.good ? "good" : "not good");
      }
    }
  }
}

static void resolved_runs_are_right_and_good(void **state) {
  (void)state;
  tally sum = {0};
  for (size_t i = 0; i < sizeof scenes / sizeof *scenes; i++) {
    judge(&scenes[i], 1, &sum);
  }
  print_message("%d runs: %d wrong, %d false alarms\n", sum.runs, sum.wrong, sum.alarms);
  assert_int_equal(sum.wrong + sum.alarms, 0);
}

static void coarse_runs_are_right_or_not_good(void **state) {
  (void)state;
  tally sum = {0};
  for (size_t i = 0; i < sizeof scenes / sizeof *scenes; i++) {
    judge(&scenes[i], 10, &sum);
  }
  print_message("%d runs: %d wrong and called good\n", sum.runs, sum.missed);
  assert_int_equal(sum.missed, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(resolved_runs_are_right_and_good),
      cmocka_unit_test(coarse_runs_are_right_or_not_good),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
