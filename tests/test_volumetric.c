/* Volumetric contact in motion: what is stored comes back, what is lost is booked, and what
 * the laws of [Brown18] say at single patches. */
#include "footfall/footfall.h"
#include "worlds.h"

/* ---- worlds from text ------------------------------------------------------------------- */

static void open_world(world *w, const char *format, ...) {
  char text[4096];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  ff_report report = {0};
  ff_status status = ff_scene_parse(&w->scene, text, strlen(text), "test", NULL, 0, &report);
  if (status != FF_OK) {
    fail_msg("%s: %s", report.key, report.what);
  }
  world_start(w);
}

#define FLOOR "  floor: {fixed: true, shape: {half-space: {normal: [0, 0, 1]}}}\n"
#define EXACT                                                                                      \
  "footfall: 1\ngravity: [0, 0, -9.81]\nstepper: {kind: adaptive, rtol: 1e-13, atol: 1e-15}\n"     \
  "duration: 100\n"
#define EGG                                                                                        \
  "  egg: {mass: 0.5, shape: {ellipsoid: {axes: [0.12, 0.07, 0.05]}}, position: [0, 0, 0.15], "    \
  "orientation: {axis: [1, 2, 0.5], angle: 0.6}, omega: [1, 0.4, 0.2]}\n"

/* ---- energy ------------------------------------------------------------------------------- */

/* Over 100 s energy drifts by less than 1e-8 of what moves. */
static void an_ellipsoid_bounces_and_rocks_for_long(void **state) {
  (void)state;
  world w = {0};
  open_world(&w, EXACT "bodies:\n" FLOOR EGG "contacts:\n"
                       "  - {pair: [egg, floor], normal: {law: volumetric, k_V: 3e6}}\n");
  assert_int_equal(world_advance(&w, 100), FF_OK);
  ff_audit audit = ff_sim_audit(w.sim);
  assert_true(audit.energy_scale > 0.3);
  assert_true(audit.energy_residual < 1e-8 * audit.energy_scale);
  assert_true(audit.events > 500); /* it does bounce */
  world_end(&w);
}

/* With damping, friction, spin and rolling resistance every joule has a line of its own. */
static void the_ledger_closes_with_friction(void **state) {
  (void)state;
  static const char *const shapes[] = {
      "sphere: {radius: 0.08}", "ellipsoid: {axes: [0.12, 0.07, 0.05]}",
      "box: {size: [0.2, 0.12, 0.1]}", "capsule: {radius: 0.05, length: 0.1}",
      "cylinder: {radius: 0.07, height: 0.1}"};
  for (int i = 0; i < 5; i++) {
    world w = {0};
    open_world(&w,
               EXACT
               "bodies:\n" FLOOR
               "  thing: {mass: 0.5, shape: {%s}, position: [0, 0, 0.15], orientation: {axis: "
               "[1, 2, 0.5], angle: 0.6}, omega: [3, 2, 6], velocity: [0.5, 0.2, 0]}\n"
               "contacts:\n"
               "  - pair: [thing, floor]\n"
               "    normal: {law: volumetric, k_V: 5e6, a_V: 0.3}\n"
               "    friction: {law: continuous, mu_s: 0.5, mu_d: 0.3, v_t: 0.05, omega_t: 1}\n",
               shapes[i]);
    assert_int_equal(world_advance(&w, 0.6), FF_OK);
    ff_audit audit = ff_sim_audit(w.sim);
    ff_energy energy = ff_sim_energy(w.sim);
    assert_true(audit.energy_residual < 1e-9 * audit.energy_scale);
    assert_true(energy.lost[FF_LOST_NORMAL] > 0 && energy.lost[FF_LOST_SLIP] > 0);
    assert_true(energy.lost[FF_LOST_ROLLING] > 0 && energy.lost[FF_LOST_SPIN] > 0);
    assert_true(ff_sim_contact_count(w.sim) <= 1); /* one point a pair of shapes */
    world_end(&w);
  }
}

/* The plane may move: it works on what stands on it, and turns it. */
static void the_ledger_closes_on_a_moving_plane(void **state) {
  (void)state;
  world w = {0};
  open_world(
      &w, EXACT
      "bodies:\n"
      "  table: {motion: {velocity: [0.3, 0, 0], spin: {axis: [0.1, 0, 1], rate: 2}, oscillate: "
      "{amplitude: [0, 0, 0.002], frequency: 8}}, shape: {half-space: {}}}\n"
      "  egg: {mass: 0.5, shape: {ellipsoid: {axes: [0.12, 0.07, 0.05]}}, position: [0.1, 0, "
      "0.06]}\n"
      "contacts:\n"
      "  - pair: [egg, table]\n"
      "    normal: {law: volumetric, k_V: 5e6, a_V: 0.5}\n"
      "    friction: {law: continuous, mu_s: 0.6, mu_d: 0.5, v_t: 0.05, coupled: true}\n");
  assert_int_equal(world_advance(&w, 0.2), FF_OK);
  ff_audit audit = ff_sim_audit(w.sim);
  assert_true(fabs(ff_sim_energy(w.sim).work) > 1e-4);
  assert_true(audit.energy_residual < 1e-9 * audit.energy_scale);
  assert_true(audit.momentum_residual < 1e-9 && audit.angular_residual < 1e-9);
  world_end(&w);
}

/* A box told by its corners moves like a box. */
static void a_polyhedron_is_what_its_volume_is(void **state) {
  (void)state;
  static const char *const shapes[] = {
      "box: {size: [0.2, 0.12, 0.08]}",
      "polyhedron: {vertices: [[0.1, 0.06, 0.04], [-0.1, 0.06, 0.04], [0.1, -0.06, 0.04], "
      "[-0.1, -0.06, 0.04], [0.1, 0.06, -0.04], [-0.1, 0.06, -0.04], [0.1, -0.06, -0.04], "
      "[-0.1, -0.06, -0.04]]}"};
  ff_vec3 place[2];
  for (int i = 0; i < 2; i++) {
    world w = {0};
    open_world(&w,
               EXACT
               "bodies:\n" FLOOR
               "  thing: {mass: 1, shape: {%s}, position: [0, 0, 0.09], orientation: {axis: [1, "
               "2, 0], angle: 0.3}, velocity: [0.5, 0, 0], omega: [1, 0, 5]}\n"
               "contacts:\n"
               "  - pair: [thing, floor]\n"
               "    normal: {law: volumetric, k_V: 5e6, a_V: 0.3}\n"
               "    friction: {law: continuous, mu_s: 0.5, mu_d: 0.3, v_t: 0.05, coupled: true}\n",
               shapes[i]);
    assert_int_equal(world_advance(&w, 0.1), FF_OK);
    ff_audit audit = ff_sim_audit(w.sim);
    assert_true(audit.energy_residual < 1e-9 * audit.energy_scale);
    assert_true(ff_sim_energy(w.sim).lost[FF_LOST_SPIN] > 0);
    place[i] = ff_sim_body(w.sim, (ff_body){.id = 2}).position;
    world_end(&w);
  }
  assert_close(place[1].x, place[0].x, 1e-6);
  assert_close(place[1].y, place[0].y, 1e-6);
  assert_close(place[1].z, place[0].z, 1e-6);
}

/* [Brown18 eq. 44] as printed pushes harder on the way out too: what it takes from a ball that
 * falls it gives back to it, and the ball comes up to where it was. */
static void the_printed_damping_damps_nothing(void **state) {
  (void)state;
  double height[2];
  for (int printed = 0; printed < 2; printed++) {
    world w = {0};
    open_world(&w,
               EXACT "bodies:\n" FLOOR
                     "  ball: {mass: 1, shape: {sphere: {radius: 0.1}}, position: [0, 0, 0.15]}\n"
                     "contacts:\n"
                     "  - {pair: [ball, floor], normal: {law: volumetric, k_V: 1e7, a_V: 0.2, "
                     "printed: %s}}\n",
               printed ? "true" : "false");
    height[printed] = 0;
    for (int i = 0; i < 60; i++) {
      assert_int_equal(world_advance(&w, 0.12 + 0.005 * i), FF_OK);
      height[printed] = fmax(height[printed], ff_sim_body(w.sim, (ff_body){.id = 2}).position.z);
    }
    assert_true(ff_sim_audit(w.sim).energy_residual < 1e-9); /* and the ledger says so */
    double lost = ff_sim_energy(w.sim).lost[FF_LOST_NORMAL];
    assert_true(printed ? fabs(lost) < 1e-9 : lost > 0.05);
    world_end(&w);
  }
  assert_true(height[0] < 0.14 && height[1] > 0.1499);
}

/* ---- rest and rolling ------------------------------------------------------------------------ */

/* A sphere rests where k_V V is its weight. */
static void rest_is_where_the_volume_carries_the_weight(void **state) {
  (void)state;
  world w = {0};
  open_world(&w,
             EXACT "bodies:\n" FLOOR
                   "  ball: {mass: 1, shape: {sphere: {radius: 0.1}}, position: [0, 0, 0.099]}\n"
                   "contacts:\n"
                   "  - {pair: [ball, floor], normal: {law: volumetric, k_V: 1e6, a_V: 8}}\n");
  assert_int_equal(world_advance(&w, 20), FF_OK);
  ff_contact contact = ff_sim_contact(w.sim, 0);
  assert_near(contact.patch.overlap.volume, 9.81 / 1e6, 1e-9);
  assert_near(contact.force.z, 9.81, 1e-9);
  double d = contact.patch.depth;
  assert_near(3.141592653589793 * d * d * (0.3 - d) / 3, 9.81 / 1e6, 1e-9);
  world_end(&w);
}

/* [Brown18 eq. 45] alone on a ball that would roll for ever: with friction holding, the moment
 * k_V a_V J_t omega takes omega down exponentially at this rate over 7/5 m r^2. */
static void rolling_resistance_slows_a_ball(void **state) {
  (void)state;
  world w = {0};
  open_world(&w,
             EXACT "bodies:\n" FLOOR
                   "  ball: {mass: 1, shape: {sphere: {radius: 0.1}}, position: [0, 0, %.17g], "
                   "velocity: [1, 0, 0], omega: [0, 10, 0]}\n"
                   "contacts:\n"
                   "  - pair: [ball, floor]\n"
                   "    normal: {law: volumetric, k_V: 1e7, a_V: 5}\n"
                   "    friction: {law: continuous, mu_s: 0.9, v_t: 0.02}\n",
             0.1 - 0.0017778);
  assert_int_equal(world_advance(&w, 0.1), FF_OK); /* rolls about the centroid by then */
  double before = ff_sim_body(w.sim, (ff_body){.id = 2}).omega.y;
  assert_int_equal(world_advance(&w, 0.4), FF_OK);
  ff_contact contact = ff_sim_contact(w.sim, 0);
  double omega = ff_sim_body(w.sim, (ff_body){.id = 2}).omega.y;
  double moment = -1e7 * 5 * contact.patch.overlap.second[1][1] * omega;
  assert_near(contact.moment.y, moment, 1e-6);
  /* The point of contact is the centroid, a little above the bottom: the lever differs by
   * about the depth over the radius. */
  double rate = 1e7 * 5 * contact.patch.overlap.second[1][1] / (1.4 * 0.01);
  assert_near(log(before / omega), 0.3 * rate, 0.05);
  world_end(&w);
}

/* ---- the printed moments -----------------------------------------------------------------------
 */

/* Rolling resistance and the moment of spin of a tilted ellipsoid, with the exact J and with that
 * of [Brown18 eq. 37], against the J of ff_volume_compute. */
static void the_printed_moments_are_selectable(void **state) {
  (void)state;
  const ff_vec3 omega = {1, 2, -0.5};
  double spin[2], second[2];
  for (int printed = 0; printed < 2; printed++) {
    ff_volume_def def = {.kind = FF_ELLIPSOID,
                         .size = {0.12, 0.05, 0.03},
                         .point = {0, 0, -0.02},
                         .normal = {0.6, -0.3, 0.7},
                         .printed = printed};
    ff_volume volume;
    assert_int_equal(ff_volume_compute(&volume, &def, NULL), FF_OK);
    world w = {0};
    open_world(&w,
               EXACT "bodies:\n"
                     "  floor: {fixed: true, shape: {half-space: {normal: [0.6, -0.3, 0.7], point: "
                     "[0, 0, -0.02]}}}\n"
                     "  egg: {mass: 1, shape: {ellipsoid: {axes: [0.12, 0.05, 0.03]}}, omega: "
                     "[1, 2, -0.5]}\n"
                     "contacts:\n"
                     "  - pair: [egg, floor]\n"
                     "    normal: {law: volumetric, k_V: 1e6, a_V: 0.3, printed_J: %s}\n"
                     "    friction: {law: continuous, mu_s: 0.8, mu_d: 0.5, v_t: 0.05, omega_t: 1, "
                     "printed: true}\n",
               printed ? "true" : "false");
    ff_vec3 moment = ff_sim_contact(w.sim, 0).moment;
    double(*frame)[3] = volume.frame.m, (*j)[3] = volume.J_contact.m;
    double along[3], roll[3];
    for (int i = 0; i < 3; i++) {
      along[i] = frame[i][0] * moment.x + frame[i][1] * moment.y + frame[i][2] * moment.z;
      roll[i] = frame[i][0] * omega.x + frame[i][1] * omega.y + frame[i][2] * omega.z;
    }
    for (int i = 0; i < 2; i++) {
      assert_near(along[i], -1e6 * 0.3 * (j[i][0] * roll[0] + j[i][1] * roll[1]), 1e-10);
    }
    spin[printed] = along[2];
    second[printed] = j[2][2];
    world_end(&w);
  }
  assert_true(second[1] < 0.99 * second[0]); /* they do differ */
  assert_near(spin[1] / spin[0], second[1] / second[0], 1e-10);
}

/* ---- what is refused --------------------------------------------------------------------------
 */

static void two_spheres_have_no_half_space(void **state) {
  (void)state;
  static const char text[] = "footfall: 1\nduration: 1\nbodies:\n"
                             "  a: {mass: 1, shape: {sphere: {radius: 0.1}}}\n"
                             "  b: {mass: 1, shape: {sphere: {radius: 0.1}}, position: [1, 0, 0]}\n"
                             "contacts:\n"
                             "  - pair: [a, b]\n"
                             "    normal: {law: volumetric, k_V: 1e6}\n";
  ff_scene *scene;
  ff_model *model;
  ff_report report;
  assert_int_equal(ff_scene_parse(&scene, text, strlen(text), "test", NULL, 0, &report), FF_OK);
  assert_int_equal(ff_model_build(&model, scene, &report), FF_ERROR_INPUT);
  assert_string_equal(report.key, "contacts.0.normal.law");
  assert_non_null(strstr(report.what, "half-space"));
  assert_int_equal(report.line, 8);
  ff_scene_destroy(&scene);
}

static void printed_moments_are_for_ellipsoids(void **state) {
  (void)state;
  static const char text[] = "footfall: 1\nduration: 1\nbodies:\n" FLOOR
                             "  a: {mass: 1, shape: {box: {size: [0.1, 0.1, 0.1]}}}\n"
                             "contacts:\n"
                             "  - pair: [a, floor]\n"
                             "    normal: {law: volumetric, k_V: 1e6, printed_J: true}\n";
  ff_scene *scene;
  ff_model *model;
  ff_report report;
  assert_int_equal(ff_scene_parse(&scene, text, strlen(text), "test", NULL, 0, &report), FF_OK);
  assert_int_equal(ff_model_build(&model, scene, &report), FF_ERROR_INPUT);
  assert_string_equal(report.key, "contacts.0.normal.printed_J");
  assert_non_null(strstr(report.what, "box"));
  assert_int_equal(report.line, 8);
  ff_scene_destroy(&scene);
}

/* ---- single patches
 * ------------------------------------------------------------------------------ */

/* [Brown18 eq. 48] at its landmarks, and its limits. */
static void the_friction_curve(void **state) {
  (void)state;
  static const char *const names[] = {"mu_s", "mu_d", "v_t"};
  static const double values[] = {0.8, 0.5, 0.01};
  ff_law_params params;
  const ff_law *law = law_with("continuous", &params, names, values, 3);
  for (double s = 0; s < 100; s = s == 0 ? 1e-9 : s * 3) {
    double q = s * s / 4 + 0.75, mu = 0.5 * tanh(4 * s) + 0.3 * s / (q * q);
    ff_patch patch = {.depth = 1e-3, .slip = {-0.6 * s * 0.01, 0.8 * s * 0.01}};
    ff_friction out;
    ff_law_friction(law, &params, &patch, &(ff_normal){.force = 100}, NULL, &out);
    assert_close(out.force[0], 0.6 * 100 * mu, 1e-12);
    assert_close(out.force[1], -0.8 * 100 * mu, 1e-12);
    assert_int_equal(out.mode, s < 1 ? FF_STICK : FF_SLIP);
  }
}

/* [Brown18 eq. 50] in N m by the radius of gyration, or as printed. */
static void the_moment_of_spin(void **state) {
  (void)state;
  for (int printed = 0; printed < 2; printed++) {
    const char *names[] = {"mu_s", "omega_t", "printed"};
    const double values[] = {0.5, 0.1, printed};
    ff_law_params params;
    const ff_law *law = law_with("continuous", &params, names, values, 3);
    ff_patch patch = {.depth = 1e-3, .spin = -7};
    patch.overlap.volume = 2e-6;
    patch.overlap.second[0][0] = 8e-10;
    ff_friction out;
    ff_law_friction(law, &params, &patch, &(ff_normal){.force = 100}, NULL, &out);
    assert_near(out.moment[0], 100 * 0.5 * (printed ? 4e-4 : 0.02), 1e-14);
    assert_near(out.lost[FF_LOST_SPIN], 7 * out.moment[0], 1e-14);
    patch.spin = 0;
    ff_law_friction(law, &params, &patch, &(ff_normal){.force = 100}, NULL, &out);
    assert_true(out.moment[0] == 0 && out.force[0] == 0);
  }
}

/* ---- sliding and spinning at once ---------------------------------------------------------- */

/* A patch of a real shape at work. */
typedef struct spinning {
  ff_volume_def def;
  ff_volume volume;
  double gyration; /* m */
  double slip[2], spin;
  double mu_s, mu_d, v_t;
} spinning;

typedef struct wrench {
  double force[2], moment; /* over the load */
} wrench;

/* [Brown18 eq. 48] over speed. */
static double friction_over(const spinning *s, double speed) {
  double x = speed / s->v_t, q = x * x / 4 + 0.75;
  return speed > 0 ? (s->mu_d * tanh(4 * x) + (s->mu_s - s->mu_d) * x / (q * q)) / speed : 0;
}

/* Over the patch in small rectangles along its principal directions. */
static wrench fine_sum(const spinning *s) {
  enum { SIDE = 200 };
  const ff_volume *v = &s->volume;
  double xx = v->J_contact.m[1][1], yy = v->J_contact.m[0][0], xy = -v->J_contact.m[0][1];
  double turn = 0.5 * atan2(2 * xy, xx - yy), c = cos(turn), sn = sin(turn), total = 0;
  double reach[2] = {3.3 * sqrt((c * c * xx + 2 * c * sn * xy + sn * sn * yy) / v->volume),
                     3.3 * sqrt((sn * sn * xx - 2 * c * sn * xy + c * c * yy) / v->volume)};
  const double *ex = v->frame.m[0], *ey = v->frame.m[1];
  wrench out = {.moment = 0};
  for (int i = 0; i < SIDE * SIDE; i++) {
    double a = reach[0] * ((i % SIDE + 0.5) * 2 / SIDE - 1);
    double b = reach[1] * ((i / SIDE + 0.5) * 2 / SIDE - 1);
    double x = c * a - sn * b, y = sn * a + c * b;
    ff_vec3 p = {v->centroid.x + x * ex[0] + y * ey[0], v->centroid.y + x * ex[1] + y * ey[1],
                 v->centroid.z + x * ex[2] + y * ey[2]};
    double thick = ff_volume_thickness(&s->def, p);
    double vx = s->slip[0] - s->spin * y, vy = s->slip[1] + s->spin * x;
    double weight = thick > 0 ? thick * friction_over(s, hypot(vx, vy)) : 0;
    out.force[0] -= weight * vx;
    out.force[1] -= weight * vy;
    out.moment -= weight * (x * vy - y * vx);
    total += thick;
  }
  return (wrench){{out.force[0] / total, out.force[1] / total}, out.moment / total};
}

static ff_friction law_sum(const spinning *s) {
  static const char *const names[] = {"mu_s", "mu_d", "v_t", "coupled"};
  const double values[] = {s->mu_s, s->mu_d, s->v_t, 1};
  ff_law_params params;
  const ff_law *law = law_with("continuous", &params, names, values, 4);
  ff_edge edges[FF_EDGES_MAX];
  ff_patch patch = ff_volume_patch(&s->volume, (ff_vec3){0, 0, 0}, (ff_vec3){0, 0, 0});
  patch.slip[0] = s->slip[0];
  patch.slip[1] = s->slip[1];
  patch.spin = s->spin;
  patch.edge_count = ff_volume_edges(&s->def, edges);
  patch.edges = edges;
  ff_friction out;
  ff_law_friction(law, &params, &patch, &(ff_normal){.force = 1}, NULL, &out);
  return out;
}

/* Force, and moment over the radius of gyration, within 1 % of both together by the fine sum. And
 * nothing is given. */
static void check_coupling(const spinning *s) {
  wrench expected = fine_sum(s);
  ff_friction out = law_sum(s);
  double off = hypot(out.force[0] - expected.force[0], out.force[1] - expected.force[1]);
  double turn = (out.moment[0] - expected.moment) / s->gyration;
  double size = hypot(hypot(expected.force[0], expected.force[1]), expected.moment / s->gyration);
  assert_close(off, 0, 0.01 * size);
  assert_close(turn, 0, 0.01 * size);
  double power = out.force[0] * s->slip[0] + out.force[1] * s->slip[1] + out.moment[0] * s->spin;
  assert_true(power <= 0);
  assert_true(out.lost[FF_LOST_SLIP] >= 0 && out.lost[FF_LOST_SPIN] >= 0);
  assert_near(out.lost[FF_LOST_SLIP] + out.lost[FF_LOST_SPIN], -power, 1e-12);
}

/* Standing, lying or anyhow, a hair deep to all the way, slow or fast, with and without a peak. */
static spinning random_spinning(uint64_t *seed, ff_shape_kind kind) {
  spinning s = {.def = {.kind = kind}};
  s.def.size =
      (ff_vec3){0.1 * exp(ff_random_in(seed, -1.5, 1.5)), 0.1 * exp(ff_random_in(seed, -1.5, 1.5)),
                0.1 * exp(ff_random_in(seed, -1.5, 1.5))};
  double pose = ff_random(seed), tilt = pose < 0.5 ? 1 : 0.1;
  ff_vec3 n = {ff_random_in(seed, -tilt, tilt), ff_random_in(seed, -tilt, tilt),
               ff_random_in(seed, -tilt, tilt)};
  n.z += pose > 0.75 ? 1 : 0;
  n.x += pose > 0.5 && pose <= 0.75 ? 1 : 0;
  s.def.normal = n;
  assert_int_equal(ff_volume_compute(&s.volume, &s.def, NULL), FF_OK);
  double part =
      ff_random(seed) < 0.5 ? ff_random_in(seed, 0.02, 2) : pow(10, ff_random_in(seed, -4, 0));
  double height = s.volume.depth * (part - 1) / sqrt(n.x * n.x + n.y * n.y + n.z * n.z);
  s.def.point = (ff_vec3){height * n.x, height * n.y, height * n.z};
  assert_int_equal(ff_volume_compute(&s.volume, &s.def, NULL), FF_OK);
  s.gyration = sqrt(s.volume.J_contact.m[2][2] / s.volume.volume);
  double speed = s.gyration * pow(10, ff_random_in(seed, -1.5, 1));
  double way = ff_random_in(seed, 0, 7);
  s.slip[0] = speed * cos(way);
  s.slip[1] = speed * sin(way);
  s.spin = ff_random(seed) < 0.5 ? 1 : -1;
  s.v_t = s.gyration * (ff_random(seed) < 0.5 ? 1e-6 : pow(10, ff_random_in(seed, -2, 1)));
  s.mu_s = ff_random_in(seed, 0.5, 1);
  s.mu_d = s.mu_s * (ff_random(seed) < 0.5 ? 1 : ff_random_in(seed, 0.5, 1));
  return s;
}

static void sliding_and_spinning_share_the_patch(void **state) {
  (void)state;
  uint64_t seed = 6;
  static const ff_shape_kind kinds[] = {FF_SPHERE, FF_ELLIPSOID, FF_BOX, FF_CAPSULE, FF_CYLINDER};
  for (int i = 0; i < 150; i++) {
    spinning s = random_spinning(&seed, kinds[i % 5]);
    check_coupling(&s);
  }
}

/* Nearly pure sliding, nearly pure spinning, and rest: the limits of the sum, and no step where it
 * changes from one way of summing to the other. */
static void the_coupling_has_its_limits(void **state) {
  (void)state;
  uint64_t seed = 7;
  for (int i = 0; i < 40; i++) {
    spinning s = random_spinning(&seed, i % 2 ? FF_BOX : FF_ELLIPSOID);
    s.v_t = 1e-6 * s.gyration;
    double speed = hypot(s.slip[0], s.slip[1]), spin = s.spin;
    s.spin = 0;
    ff_friction out = law_sum(&s);
    assert_near(hypot(out.force[0], out.force[1]), s.mu_d, 1e-9);
    assert_close(out.moment[0], 0, 1e-9 * s.gyration);
    s.spin = 1e-9 * spin * speed / s.gyration;
    assert_near(law_sum(&s).force[0], out.force[0], 1e-6);
    s.spin = 0.25 * (1 + 1e-9) * speed / s.gyration;
    ff_friction near = law_sum(&s);
    s.spin = 0.25 * (1 - 1e-9) * speed / s.gyration;
    ff_friction far = law_sum(&s);
    assert_close(near.force[0], far.force[0], 5e-3 * s.mu_s);
    assert_close(near.moment[0], far.moment[0], 5e-3 * s.mu_s * s.gyration);
    s.slip[0] = s.slip[1] = s.spin = 0;
    out = law_sum(&s);
    assert_true(out.force[0] == 0 && out.force[1] == 0 && out.moment[0] == 0);
    assert_true(out.d_slip[0][0] < 0 && isfinite(out.d_slip[0][0]));
  }
}

/* Pulled up faster than 1/a_V nothing pushes, and then nothing resists rolling. */
static void no_push_no_rolling_resistance(void **state) {
  (void)state;
  static const char *const names[] = {"k_V", "a_V"};
  static const double values[] = {1e7, 2};
  ff_law_params params;
  const ff_law *law = law_with("volumetric", &params, names, values, 2);
  ff_patch patch = {.depth = 1e-3, .roll = {1, 2}};
  patch.overlap.volume = 1e-6;
  patch.overlap.second[1][1] = patch.overlap.second[2][2] = 1e-9;
  ff_normal out;
  patch.depth_rate = -0.49;
  ff_law_normal(law, &params, &patch, &out);
  assert_true(out.force > 0 && out.moment[0] < 0);
  patch.depth_rate = -0.51;
  ff_law_normal(law, &params, &patch, &out);
  assert_true(out.force == 0 && out.moment[0] == 0 && out.moment[1] == 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(an_ellipsoid_bounces_and_rocks_for_long),
      cmocka_unit_test(the_ledger_closes_with_friction),
      cmocka_unit_test(the_ledger_closes_on_a_moving_plane),
      cmocka_unit_test(a_polyhedron_is_what_its_volume_is),
      cmocka_unit_test(the_printed_damping_damps_nothing),
      cmocka_unit_test(rest_is_where_the_volume_carries_the_weight),
      cmocka_unit_test(rolling_resistance_slows_a_ball),
      cmocka_unit_test(two_spheres_have_no_half_space),
      cmocka_unit_test(the_printed_moments_are_selectable),
      cmocka_unit_test(printed_moments_are_for_ellipsoids),
      cmocka_unit_test(the_friction_curve),
      cmocka_unit_test(the_moment_of_spin),
      cmocka_unit_test(sliding_and_spinning_share_the_patch),
      cmocka_unit_test(the_coupling_has_its_limits),
      cmocka_unit_test(no_push_no_rolling_resistance),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
