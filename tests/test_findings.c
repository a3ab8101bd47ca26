/* The limits of the verdict, one by one: a state is changed behind the sim's back to twice and to
 * half of a limit. A limit five times as large, or a fifth, fails. */
#include "audit/audit.h"
#include "findings.h"
#include "math/vec.h"
#include "scene_text.h"
#include "sim/sim.h"

/* A ball of 1 kg and 0.1 m at rest on springs: S is what the test makes of it. */
static const char resting[] = "footfall: 1\n"
                              "stepper: {kind: rk4, step: 1e-3}\n"
                              "bodies:\n"
                              "  floor: {fixed: true, shape: {half-space: {}}}\n"
                              "  ball: {mass: 1, shape: {sphere: {radius: 0.1}}, position: [0, 0, "
                              "0.1], velocity: [2, 0, 0]}\n"
                              "contacts:\n"
                              "  - pair: [ball, floor]\n"
                              "    normal: {law: elastic, k: 1e4, c: 100}\n";

typedef struct bench {
  ff_model *model;
  ff_sim *sim;
} bench;

static bench bench_of(const char *text, const char *setting) {
  bench b;
  b.sim = sim_of(&b.model, text, setting);
  return b;
}

static void bench_end(bench *b) {
  end(b->sim, b->model);
}

/* The audit looks at the state as it is now, as after a step of h. */
static void look(bench *b, double h) {
  ff_state *state = &b->sim->state;
  state->t += h;
  ff_auditor *auditor = &b->sim->auditor;
  ff_auditor_update(auditor, b->sim->model, state, b->sim->before, h);
  /* velocities are set here, and bodies stay: their paths do not count */
  memset(auditor->paths, 0, (size_t)b->sim->model->free_count * sizeof *auditor->paths);
  memcpy(b->sim->before, state->bodies, (size_t)b->sim->model->body_count * sizeof *state->bodies);
}

static double *ledger(bench *b) {
  return ff_state_ledger(&b->sim->state);
}

/* Is a kind found after the ledger's loss has changed by a share of S, hidden or not by work? */
static bool found_after(const char *setting, ff_finding_kind kind, int loss, double share,
                        bool balanced) {
  bench b = bench_of(resting, setting);
  double scale = ff_sim_audit(b.sim).energy_scale;
  ledger(&b)[FF_Y_LOST + loss] += share * scale;
  ledger(&b)[FF_Y_WORK] += balanced ? share * scale : 0;
  look(&b, 1e-3);
  bool out = has_finding(b.sim, kind);
  if (out) {
    ff_finding f = finding(b.sim, kind);
    assert_true(f.failure && f.value > f.limit && f.first == 1e-3 && f.worst == 1e-3);
    assert_true(ff_sim_audit(b.sim).verdict == FF_VERDICT_ENERGY);
  }
  bench_end(&b);
  return out;
}

static void the_scale_is_the_energy_exchanged(void **state) {
  (void)state;
  bench b = bench_of(resting, NULL);
  assert_near(ff_sim_audit(b.sim).energy_scale, 2, 1e-12); /* kinetic */
  ledger(&b)[FF_Y_LOST + FF_LOST_SLIP] = 1e6;              /* losses do not count, */
  look(&b, 1e-3);
  assert_near(ff_sim_audit(b.sim).energy_scale, 2, 1e-12);
  ledger(&b)[FF_Y_WORK] = -3; /* work does, */
  look(&b, 1e-3);
  assert_near(ff_sim_audit(b.sim).energy_scale, 3, 1e-12);
  ff_state_body(&b.sim->state, 0)[FF_Y_X + 2] -= 1; /* gravity, */
  look(&b, 1e-3);
  assert_near(ff_sim_audit(b.sim).energy_scale, 9.81, 1e-12);
  b.sim->state.points[0].energy_n = 20; /* and springs */
  look(&b, 1e-3);
  assert_near(ff_sim_audit(b.sim).energy_scale, 20, 1e-12);
  bench_end(&b);
  b = bench_of(resting, "bodies.ball.velocity=[0, 0, 0]");
  assert_near(ff_sim_audit(b.sim).energy_scale, 1e-3 * 9.81 * 0.1, 1e-12); /* at rest */
  bench_end(&b);
}

static void energy_that_does_not_add_up(void **state) {
  (void)state;
  assert_true(found_after(NULL, FF_FINDING_ENERGY, FF_LOST_SLIP, 1e-2, false));
  assert_true(!found_after(NULL, FF_FINDING_ENERGY, FF_LOST_SLIP, 2.5e-3, false));
  assert_true(!found_after(NULL, FF_FINDING_ENERGY, FF_LOST_SLIP, 1e-2, true));
  const char *less = "audit.energy-tolerance=1e-3"; /* the scene's */
  assert_true(found_after(less, FF_FINDING_ENERGY, FF_LOST_SLIP, 2.5e-3, false));
}

static void energy_from_nowhere(void **state) {
  (void)state;
  for (int i = 0; i < 2; i++) {
    bench b = bench_of(resting, "audit.energy-tolerance=1e-4");
    double v = 2 * sqrt(1 + (i == 0 ? 0.02 : 0.005));
    ff_state_body(&b.sim->state, 0)[FF_Y_V] = v;
    look(&b, 1e-3);
    assert_int_equal(has_finding(b.sim, FF_FINDING_CREATED), i == 0);
    assert_near(ff_sim_audit(b.sim).energy_gained, v * v / 2 - 2, 1e-9);
    bench_end(&b);
  }
}

static void losses_that_fall(void **state) {
  (void)state;
  for (int i = 0; i < 2; i++) {
    bench b = bench_of(resting, NULL);
    double *lost = ledger(&b) + FF_Y_LOST;
    lost[FF_LOST_SLIP] = 1;
    look(&b, 1e-3);
    lost[FF_LOST_SLIP] = i == 0 ? 1 - 0.04 * 2 : 1 - 0.01 * 2;
    look(&b, 1e-3);
    assert_int_equal(has_finding(b.sim, FF_FINDING_UNDONE), i == 0);
    bench_end(&b);
  }
  /* The steps' own, and what a law stores without work, may. */
  assert_true(!found_after(NULL, FF_FINDING_UNDONE, FF_LOST_STEP, -0.04, true));
  assert_true(!found_after(NULL, FF_FINDING_UNDONE, FF_LOST_DEPTH, -0.04, true));
  assert_true(found_after(NULL, FF_FINDING_UNDONE, FF_LOST_NORMAL, -0.04, true));
}

/* The grasp that booked 2e67 J lost twice, with opposite signs. */
static void losses_that_cancel(void **state) {
  (void)state;
  for (int i = 0; i < 2; i++) {
    bench b = bench_of(resting, NULL);
    double *lost = ledger(&b) + FF_Y_LOST, large = i == 0 ? 400 : 100;
    lost[FF_LOST_SLIP] = large;
    lost[FF_LOST_TANGENT] = -large;
    look(&b, 1e-3);
    assert_int_equal(has_finding(b.sim, FF_FINDING_CANCELS), i == 0);
    bench_end(&b);
  }
  assert_true(!found_after(NULL, FF_FINDING_CANCELS, FF_LOST_SLIP, 400, true)); /* a real loss */
}

static void energy_that_the_steps_take(void **state) {
  (void)state;
  assert_true(found_after(NULL, FF_FINDING_STEP_LOSS, FF_LOST_STEP, 0.1, true));
  assert_true(found_after(NULL, FF_FINDING_STEP_LOSS, FF_LOST_STEP, -0.1, true));
  assert_true(!found_after(NULL, FF_FINDING_STEP_LOSS, FF_LOST_STEP, 0.01, true));
  /* At rest the height counts: 1 % of weight times size. */
  const char *still = "bodies.ball.velocity=[0, 0, 0]";
  assert_true(found_after(still, FF_FINDING_STEP_LOSS, FF_LOST_STEP, 20, true));
  assert_true(!found_after(still, FF_FINDING_STEP_LOSS, FF_LOST_STEP, 5, true));
}

static void numbers_beyond_reason(void **state) {
  (void)state;
  const double values[] = {2e150, 0.5e150, NAN, INFINITY, -2e150};
  for (int i = 0; i < 5; i++) {
    bench b = bench_of(resting, NULL);
    ledger(&b)[FF_Y_WORK] = values[i];
    look(&b, 1e-3);
    assert_int_equal(has_finding(b.sim, FF_FINDING_NON_FINITE), i != 1);
    assert_true(ff_sim_audit(b.sim).verdict != FF_VERDICT_GOOD);
    bench_end(&b);
  }
  bench b = bench_of(resting, "bodies.ball.velocity=[1e300, 0, 0]"); /* at once */
  assert_true(has_finding(b.sim, FF_FINDING_NON_FINITE));
  bench_end(&b);
}

/* ---- contacts -------------------------------------------------------------------------------- */

/* The contact of the ball, as deep as this. */
static void touch(bench *b, double depth) {
  ff_point *point = &b->sim->state.points[0];
  point->touching = depth > 0;
  point->patch.depth = depth;
  point->mode = FF_STICK;
}

static void overlaps_against_the_thickness(void **state) {
  (void)state;
  for (int i = 0; i < 2; i++) {
    bench b = bench_of(resting, NULL);
    touch(&b, i == 0 ? 0.15 : 0.09);
    look(&b, 1e-3);
    assert_int_equal(has_finding(b.sim, FF_FINDING_TOO_DEEP), i == 0);
    if (i == 0) {
      ff_finding f = finding(b.sim, FF_FINDING_TOO_DEEP);
      assert_true(f.value == 0.15 && f.limit == 0.1 && f.a.id == 2 && f.b.id == 1);
      assert_string_equal(f.unit, "m");
      assert_int_equal(ff_sim_audit(b.sim).verdict, FF_VERDICT_CONTACT);
    }
    bench_end(&b);
  }
}

static const char layered[] =
    "footfall: 1\n"
    "stepper: {kind: quasi-rigid, step: 1e-3}\n"
    "bodies:\n"
    "  floor: {fixed: true, shape: {half-space: {}}}\n"
    "  ball: {mass: 1, shape: {sphere: {radius: 0.1}}, position: [0, 0, 0.1005]}\n"
    "contacts:\n"
    "  - pair: [ball, floor]\n"
    "    normal: {law: quasi-rigid, k: 1e4, c: 10, max_deflection: 0.005}\n"
    "    friction: {law: ellipsoidal, mu: 0.5}\n";

static void overlaps_of_cores(void **state) {
  (void)state;
  for (int i = 0; i < 2; i++) {
    bench b = bench_of(layered, NULL);
    touch(&b, 0.005 + (i == 0 ? 2e-4 : 0.5e-4));
    look(&b, 1e-3);
    assert_int_equal(has_finding(b.sim, FF_FINDING_RIGID_ENTERED), i == 0);
    bench_end(&b);
  }
}

/* Forces beyond their conditions, in proportion to the largest. */
static void conditions_of_solved_contacts(void **state) {
  (void)state;
  const double scales[] = {3e-6, 0.3e-6};
  for (int i = 0; i < 2; i++) {
    bench b = bench_of(layered, "bodies.ball.position=[0, 0, 0.0995]");
    assert_int_equal(ff_sim_advance(b.sim, 2e-3), FF_OK);
    ff_point *point = &b.sim->state.points[0];
    assert_true(point->touching && !has_finding(b.sim, FF_FINDING_CONTACT));
    double most = 0.5 * v3_dot(point->force, point->normal);
    ff_vec3 slide = v3_scale(most * (1 + 2 * scales[i]), point->t1);
    point->force = v3_add(v3_scale(v3_dot(point->force, point->normal), point->normal), slide);
    look(&b, 1e-3);
    assert_int_equal(has_finding(b.sim, FF_FINDING_CONTACT), i == 0);
    bench_end(&b);
  }
}

static void steps_against_frequencies(void **state) {
  (void)state;
  for (int i = 0; i < 4; i++) {
    bench b = bench_of(resting, NULL);
    b.sim->state.stiffness = i == 0 ? 4e6 : i == 1 ? 0.25e6 : 0;
    b.sim->state.damping = i == 2 ? 2e3 : i == 3 ? 0.5e3 : 0;
    look(&b, 1e-3);
    assert_int_equal(has_finding(b.sim, FF_FINDING_COARSE), i % 2 == 0);
    bench_end(&b);
  }
}

/* An impact at 0.2 m/s whose law gives back e: it ends with more, or less, or not at all. */
static bool impact_is_found(double more, bool ends) {
  bench b = bench_of(layered, "gravity=[0, 0, 0]");
  double zeta = 10 / (2 * sqrt(1e4)), w = sqrt(1 - zeta * zeta), e = exp(-M_PI * zeta / w);
  ff_body_motion *ball = &b.sim->state.bodies[1];
  b.sim->before[1] = *ball;
  b.sim->before[1].velocity = v3(0, 0, -0.2);
  ff_point *point = &b.sim->state.points[0];
  point->point = v3(0, 0, 0);
  point->normal = v3(0, 0, 1);
  point->weight = 1;
  touch(&b, 1e-3);
  look(&b, 1e-3);
  b.sim->state.meets[0].touching = true;
  assert_int_equal(b.sim->auditor.impact_count, 1);
  touch(&b, ends ? 0 : 1e-3);
  ball->velocity = v3(0, 0, 0.2 * (e + more));
  look(&b, ends ? 1e-3 : 1);
  assert_int_equal(b.sim->auditor.impact_count, 0);
  bool out = has_finding(b.sim, FF_FINDING_IMPACT);
  bench_end(&b);
  return out;
}

/* Only impacts through the centre of mass have the law's restitution: at a thousandth of the ball's
 * size beside it they are compared, at a hundredth not. */
static void eccentric_impacts_are_not_compared(void **state) {
  (void)state;
  for (int i = 0; i < 2; i++) {
    bench b = bench_of(layered, "gravity=[0, 0, 0]");
    b.sim->before[1] = b.sim->state.bodies[1];
    b.sim->before[1].velocity = v3(0, 0, -0.2);
    ff_point *point = &b.sim->state.points[0];
    double bound = b.model->bodies[1].bound;
    point->point = v3((i == 0 ? 0.9e-3 : 1e-2) * bound, 0, 0);
    point->normal = v3(0, 0, 1);
    point->weight = 1;
    touch(&b, 1e-3);
    look(&b, 1e-3);
    assert_int_equal(b.sim->auditor.impact_count, i == 0);
    bench_end(&b);
  }
}

/* A body that stops under steps of first order comes to rest h v / 2 too early. */
static bool path_is_found(double h, double ahead, bool rests) {
  bench b = bench_of(resting, NULL);
  ff_state *state = &b.sim->state;
  ff_auditor *auditor = &b.sim->auditor;
  for (int step = 0; step < 20; step++) {
    double v0 = 1 - step / 20.0, v1 = 1 - (step + 1) / 20.0;
    b.sim->before[1] = state->bodies[1];
    b.sim->before[1].velocity = rests ? v3(0, 0, v0) : v3(v0, 0, 0);
    state->bodies[1].velocity = rests ? v3(0, 0, v1) : v3(v1, 0, 0);
    double way = h * ((1 - ahead) * v0 + ahead * v1);
    ff_vec3 by = rests ? v3(0, 0, way) : v3(way, 0, 0);
    state->bodies[1].pose.position = v3_add(state->bodies[1].pose.position, by);
    touch(&b, 1e-3);
    state->points[0].normal = v3(0, 0, 1);
    state->points[0].force_n = 1;
    state->points[0].patch.depth_rate = 0;
    state->t += h;
    ff_auditor_update(auditor, b.sim->model, state, b.sim->before, h);
  }
  bool out = has_finding(b.sim, FF_FINDING_PATH);
  bench_end(&b);
  return out;
}

static void paths_that_velocities_do_not_explain(void **state) {
  (void)state;
  assert_true(path_is_found(1e-2, 1, false));    /* 5 mm of 10 cm */
  assert_true(!path_is_found(1e-2, 0.5, false)); /* the mean of the velocities */
  assert_true(!path_is_found(1e-2, 0.55, false));
  assert_true(path_is_found(1e-2, 0.7, false));
  assert_true(!path_is_found(1e-4, 1, false)); /* less than 1e-3 of its size */
  assert_true(!path_is_found(1e-2, 1, true));  /* along the normal of a contact that rests */
}

static void restitution_of_impacts(void **state) {
  (void)state;
  assert_true(impact_is_found(-0.02, true));
  assert_true(!impact_is_found(-0.005, true));
  assert_true(impact_is_found(0.12, true)); /* the law's end of contact is not unique */
  assert_true(!impact_is_found(0.005, true));
  assert_true(impact_is_found(0, false));
}

/* A ball of 20 mm that passes a box of 20 mm by this much too close, within a step. */
static bool pass_is_found(double overlap, double along) {
  static const char gap[] =
      "footfall: 1\n"
      "gravity: [0, 0, 0]\n"
      "stepper: {kind: rk4, step: 1e-2}\n"
      "bodies:\n"
      "  post: {fixed: true, shape: {box: {size: [0.02, 0.02, 0.02]}}}\n"
      "  ball: {mass: 1, shape: {sphere: {radius: 0.01}}, position: [-0.03, 0, 0], "
      "velocity: [6, 0, 0]}\n"
      "contacts:\n"
      "  - {pair: [ball, post], normal: {law: elastic, k: 1e4, c: 0}}\n";
  bench b = bench_of(gap, NULL);
  ff_body_motion *ball = &b.sim->state.bodies[1];
  ball->pose.position.y = 0.02 - overlap;
  ball->velocity.x = along;
  b.sim->before[1] = *ball;
  b.sim->before[0] = b.sim->state.bodies[0];
  ball->pose.position.x = -0.03 + 0.01 * along;
  look(&b, 0.01);
  bool out = has_finding(b.sim, FF_FINDING_MISSED);
  bench_end(&b);
  return out;
}

static void shapes_that_pass_through_each_other(void **state) {
  (void)state;
  assert_true(pass_is_found(0.02, 6));
  assert_true(pass_is_found(2e-3, 6));    /* 0.2 of the half thickness */
  assert_true(!pass_is_found(0.5e-3, 6)); /* 0.05 */
  assert_true(!pass_is_found(-1e-3, 6));
  assert_true(!pass_is_found(0.02, 0.5)); /* not there yet */
}

/* A box that sticks with one corner moves at this speed, and turns about it in every 0.2 s. */
static bool drift_is_found(double speed, double turn, bool slides) {
  static const char box[] =
      "footfall: 1\n"
      "stepper: {kind: rk4, step: 1e-3}\n"
      "bodies:\n"
      "  floor: {fixed: true, shape: {half-space: {}}}\n"
      "  box: {mass: 1, shape: {box: {size: [0.2, 0.2, 0.1]}}, position: [0, 0, 0.049]}\n"
      "contacts:\n"
      "  - pair: [box, floor]\n"
      "    normal: {law: elastic, k: 1e4, c: 100}\n"
      "    friction: {law: coulomb, mu_static: 0.5}\n";
  bench b = bench_of(box, NULL);
  ff_state *s = &b.sim->state;
  int corner = 0;
  while (!s->points[corner].touching) {
    corner++;
  }
  for (int i = 0; i < 5; i++) {
    look(&b, 0.2);
    for (int k = 0; k < s->point_count; k++) {
      s->points[k].mode = slides && i == 2 ? FF_SLIP : FF_STICK;
      s->points[k].touching = k == corner;
    }
    ff_pose *pose = &s->bodies[1].pose;
    ff_vec3 shift = v3(0.2 * speed, 0, 0), arm = v3_sub(pose->position, s->points[corner].point);
    ff_vec3 at = v3_add(s->points[corner].point, shift);
    s->points[corner].point = at;
    pose->position = v3_add(at, q_rotate(q_exp(v3(0, 0, turn)), arm));
    pose->orientation = q_mul(q_exp(v3(0, 0, turn)), pose->orientation);
  }
  bool out = has_finding(b.sim, FF_FINDING_CREEP);
  bench_end(&b);
  return out;
}

static void contacts_that_stick_and_drift(void **state) {
  (void)state;
  assert_true(drift_is_found(2e-6, 0, false));
  assert_true(!drift_is_found(0.5e-6, 0, false));
  assert_true(!drift_is_found(2e-6, 0, true));     /* they slid */
  assert_true(!drift_is_found(1e-5, 0.01, false)); /* it turns more than it drifts */
  assert_true(!drift_is_found(1, 0.5, false));     /* it rolls */
}

/* ---- the table ------------------------------------------------------------------------------- */

static void the_table_keeps_the_worst(void **state) {
  (void)state;
  static ff_found_list list;
  ff_found_add(&list, FF_FINDING_TOO_DEEP, 1, 2, 0.5, 2, 1);
  ff_found_add(&list, FF_FINDING_TOO_DEEP, 1, 2, 0.6, 3, 1);
  ff_found_add(&list, FF_FINDING_TOO_DEEP, 1, 2, 0.7, 2, 1);
  assert_int_equal(list.count, 1);
  assert_true(list.items[0].first == 0.5 && list.items[0].worst == 0.6 && list.items[0].value == 3);
  for (int i = 0; i < 200; i++) { /* one kind leaves room for the others, and its worst stay */
    ff_found_add(&list, FF_FINDING_MISSED, i, 300, 1, 10 + i, 1);
  }
  ff_found_add(&list, FF_FINDING_CREEP, 5, 6, 2, 1.5, 1);
  ff_found_add(&list, FF_FINDING_NO_LAW, 5, 6, 2, 1e9, 0);
  ff_found_sort(&list);
  assert_true(list.count < FF_FINDINGS_MOST);
  assert_int_equal(list.items[0].kind, FF_FINDING_MISSED);
  assert_int_equal(list.items[0].a, 199);
  assert_int_equal(list.items[list.count - 2].kind, FF_FINDING_CREEP);
  assert_int_equal(list.items[list.count - 1].kind, FF_FINDING_NO_LAW); /* notes come last */
  assert_int_equal(ff_found_verdict(&list), FF_VERDICT_CONTACT);
}

/* Findings are part of a saved state, and a reset forgets them. */
static void findings_are_kept(void **state) {
  (void)state;
  bench b = bench_of(resting, "bodies.ball.velocity=[0, 0, -40]");
  ff_sim *clone = NULL;
  assert_int_equal(ff_sim_advance(b.sim, 0.1), FF_OK);
  assert_true(failures(b.sim) > 0);
  assert_int_equal(ff_sim_clone(&clone, b.sim), FF_OK);
  ff_finding own[FF_FINDINGS_MOST], kept[FF_FINDINGS_MOST];
  int count = ff_sim_findings(b.sim, own, FF_FINDINGS_MOST);
  assert_int_equal(ff_sim_findings(clone, kept, FF_FINDINGS_MOST), count);
  for (int i = 0; i < count; i++) {
    assert_true(own[i].kind == kept[i].kind && own[i].value == kept[i].value &&
                own[i].first == kept[i].first && own[i].worst == kept[i].worst);
  }
  ff_sim_destroy(&clone);
  assert_int_equal(ff_sim_reset(b.sim), FF_OK);
  assert_int_equal(failures(b.sim), 0);
  bench_end(&b);
}

static void every_kind_is_described(void **state) {
  (void)state;
  for (int kind = 0; kind < FF_FINDING_COUNT; kind++) {
    ff_finding_info info = ff_finding_describe((ff_finding_kind)kind);
    assert_true(info.name[0] && info.meaning[0] && info.unit[0]);
    assert_true(!info.failure || (info.advice[0] && info.limit[0]));
    for (int other = 0; other < kind; other++) {
      assert_string_not_equal(info.name, ff_finding_describe((ff_finding_kind)other).name);
    }
  }
  assert_string_equal(ff_finding_describe(FF_FINDING_COUNT).name, "");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_scale_is_the_energy_exchanged),
      cmocka_unit_test(energy_that_does_not_add_up),
      cmocka_unit_test(energy_from_nowhere),
      cmocka_unit_test(losses_that_fall),
      cmocka_unit_test(losses_that_cancel),
      cmocka_unit_test(energy_that_the_steps_take),
      cmocka_unit_test(numbers_beyond_reason),
      cmocka_unit_test(overlaps_against_the_thickness),
      cmocka_unit_test(overlaps_of_cores),
      cmocka_unit_test(conditions_of_solved_contacts),
      cmocka_unit_test(steps_against_frequencies),
      cmocka_unit_test(restitution_of_impacts),
      cmocka_unit_test(paths_that_velocities_do_not_explain),
      cmocka_unit_test(eccentric_impacts_are_not_compared),
      cmocka_unit_test(shapes_that_pass_through_each_other),
      cmocka_unit_test(contacts_that_stick_and_drift),
      cmocka_unit_test(the_table_keeps_the_worst),
      cmocka_unit_test(findings_are_kept),
      cmocka_unit_test(every_kind_is_described),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
