/* The stepper `quasi-rigid` against the problem as the paper has it, with all its unknowns: its
 * steps are solutions of eqs. 14 and 15, and where ff_ncp solves these it finds the same. */
#include "../bench/paper_step.h"
#include "footfall/ncp.h"
#include "math/vec.h"
#include "sim/sim.h"
#include "step/rotation.h"
#include "worlds.h"

/* ---- a body on a floor ----------------------------------------------------------------------- */

typedef struct layer_of {
  double k, c, thick, mu, e_r;
} layer_of;

typedef struct thrown {
  world w;
  ff_model_body body; /* with the inertia along the ellipsoid's axes */
  ff_vec3 axes;
  layer_of layer;
  double h, stretch[2];
} thrown;

static void throw_body(thrown *out, const ff_body_def *def, ff_vec3 axes, layer_of l, double h) {
  *out = (thrown){.axes = axes, .layer = l, .h = h};
  ff_scene *scene = out->w.scene = scene_of_order(9.81, "quasi-rigid", h, 1);
  const char *names[] = {"k", "c", "max_deflection"}, *friction[] = {"mu", "e_r"};
  double values[] = {l.k, l.c, l.thick}, mu[] = {l.mu, l.e_r};
  ff_contact_def contact = ff_contact_def_default();
  contact.a = def->name;
  contact.b = "floor";
  contact.normal = (ff_law_choice){"quasi-rigid", names, values, 3};
  contact.friction = (ff_law_choice){"ellipsoidal", friction, mu, 2};
  scene_floor(scene, "floor");
  scene_solid(scene, def, FF_ELLIPSOID, axes);
  assert_int_equal(ff_scene_add_contact(scene, &contact), FF_OK);
  world_start(&out->w);
  out->body = out->w.sim->model->bodies[1];
}

/* Where the step starts: position, orientation (of the principal frame), velocity, momentum. */
typedef struct start {
  ff_vec3 x, v, l;
  ff_quat q;
  const thrown *of;
} start;

static start start_of(const thrown *t) {
  const double *y = ff_state_body(&t->w.sim->state, 0);
  return (start){v3_load(y + FF_Y_X), v3_load(y + FF_Y_V), v3_load(y + FF_Y_L),
                 q_unit((ff_quat){y[FF_Y_Q], y[FF_Y_Q + 1], y[FF_Y_Q + 2], y[FF_Y_Q + 3]}), t};
}

/* As the stepper turns bodies: freely, by the splitting of rotation.h. */
static void turn(const void *context, ff_vec3 l, double out[3][3]) {
  const start *from = context;
  const ff_model_body *body = &from->of->body;
  ff_quat q = q_unit(ff_rotate_freely(body, from->q, l, from->of->h));
  q = q_mul(q, q_conj(body->frame.orientation)); /* the ellipsoid's axes are the body's */
  const ff_vec3 axes[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  for (int i = 0; i < 3; i++) {
    v3_store(out[i], q_rotate(q, axes[i]));
  }
}

static paper_step problem_of(const thrown *t, const start *from, double deflection) {
  const layer_of *l = &t->layer;
  ff_vec3 gravity = v3(0, 0, -9.81);
  double mass = t->body.mass, a = t->axes.x, b = t->axes.y, c = t->axes.z;
  return (paper_step){.h = t->h,
                      .mass = mass,
                      .axes = t->axes,
                      .inv_inertia = v3(5 / (mass * (b * b + c * c)), 5 / (mass * (a * a + c * c)),
                                        5 / (mass * (a * a + b * b))),
                      .x = from->x,
                      .v_free = v3_axpy(from->v, t->h, gravity),
                      .l_free = from->l,
                      .k = l->k,
                      .c = l->c,
                      .k_t = l->k,
                      .c_t = l->c,
                      .thick = l->thick,
                      .mu = l->mu,
                      .e = {1, 1, l->e_r},
                      .deflection = deflection,
                      .stretch = {t->stretch[0], t->stretch[1]},
                      .turn = turn,
                      .context = from};
}

/* ---- comparing ---------------------------------------------------------------------------------
 */

static void set_bounds(double *lower) {
  for (int i = 0; i < PAPER_SIZE; i++) {
    lower[i] = i < PAPER_PNS ? -INFINITY : 0;
  }
}

typedef struct tally {
  int steps, solved;
  double residual; /* worst of the step in the paper's equations, relative */
  double apart;    /* worst difference of the velocities where both are solved, relative */
} tally;

/* The rows of the paper's problem in one measure: forces against the largest force, moments against
 * its moment, lengths against the layer, friction's rows against what they are made of. */
static double worst_row(const paper_step *s, const double *z) {
  double f[PAPER_SIZE], worst = 0;
  paper_residual((void *)s, z, f);
  double size = fmax(s->axes.x, fmax(s->axes.y, s->axes.z));
  double force = s->mass * (v3_norm(s->v_free) / s->h + 9.81) + z[PAPER_PNS] + z[PAPER_PNR];
  double speed = v3_norm(s->v_free) + v3_norm(v3_load(z)) + z[PAPER_SIGMA];
  for (int i = 0; i < PAPER_SIZE; i++) {
    double scale = i < 3 ? force : i < 6 ? force * size + v3_norm(s->l_free) / s->h : s->thick;
    scale = i == 6 || i == 7 || i == 10 ? size : i == 8 || i == 9 ? 1 : scale;
    scale = i >= 13 && i < 16 ? force : i >= 16 && i < 19 ? force * speed : scale;
    double row = f[i] / scale;
    if (i >= PAPER_PNS) { /* one of both is zero, neither is negative */
      double gap = i == PAPER_SIGMA ? f[i] / (force * force) : row;
      row = fmin(gap, z[i] / (i == PAPER_SIGMA ? speed : force));
    }
    worst = fmax(worst, fabs(row));
  }
  return worst;
}

/* The third components of the equations between unit vectors, which the others do not imply: a_1 is
 * the lowest and not the highest point, and not below a_2. */
static bool is_meant(const paper_step *s, const double *z) {
  paper_place at;
  paper_look(s, z, &at);
  return at.n.z < 0 && z[PAPER_A1 + 2] > z[PAPER_A2 + 2] - 1e-9 * s->thick;
}

/* A step, and the same asked of the paper's problem. */
static void compare(thrown *t, ff_ncp *ncp, paper_step *problem, tally *sum) {
  ff_state *state = &t->w.sim->state;
  start from = start_of(t);
  double deflection =
      state->point_count > 0 ? ff_state_layer_point(state, state->points)->deflection : 0;
  *problem = problem_of(t, &from, deflection);
  assert_int_equal(ff_sim_step(t->w.sim), FF_OK);
  start end = start_of(t);
  const ff_point *point = &state->points[0];
  bool touching = state->point_count > 0 && point->touching;
  double friction[3] = {0}, core = touching ? point->force_core : 0, zero[3] = {0};
  if (touching) {
    friction[0] = point->force.x;
    friction[1] = point->force.y;
    friction[2] = point->moment.z;
  }
  double z[PAPER_SIZE], found[PAPER_SIZE];
  paper_fill(problem, end.v, end.l, friction, touching ? point->force.z - core : 0, core, z);
  sum->steps++;
  sum->residual = fmax(sum->residual, worst_row(problem, z));
  t->stretch[0] = z[PAPER_DT];
  t->stretch[1] = z[PAPER_DO];
  if (ncp) {
    paper_fill(problem, problem->v_free, problem->l_free, zero, 0, 0, found);
    if (ff_ncp_solve(ncp, found).outcome == FF_NCP_SOLVED && is_meant(problem, found)) {
      double speed = v3_norm(end.v) + v3_norm(problem->v_free), size = v3_norm(t->axes);
      ff_vec3 dv = v3_sub(v3_load(found), end.v), dl = v3_sub(v3_load(found + 3), end.l);
      sum->solved++;
      sum->apart = fmax(sum->apart, v3_norm(dv) / speed);
      sum->apart = fmax(sum->apart, v3_norm(dl) / (t->body.mass * size * speed));
    }
  }
}

static ff_ncp *solver_of(paper_step *problem) {
  double lower[PAPER_SIZE];
  ff_ncp_def def = ff_ncp_def_default();
  set_bounds(lower);
  def.size = PAPER_SIZE;
  def.lower = lower;
  def.residual = paper_residual;
  def.jacobian = paper_jacobian;
  def.context = problem;
  def.tolerance = 1e-12; /* at rest forces are a millionth of what they are on impact */
  def.max_iterations = 300;
  ff_ncp *out;
  assert_int_equal(ff_ncp_create(&out, &def, NULL), FF_OK);
  return out;
}

/* ---- tests
 * --------------------------------------------------------------------------------------- */

static void jacobian_is_that_of_the_residual(void **state) {
  (void)state;
  uint64_t seed = 5;
  ff_body_def def = ff_body_def_default();
  def.name = "body";
  def.mass = 2;
  def.position = v3(0, 0, 0.1);
  def.orientation = q_exp(v3(0.3, 0.2, -0.4));
  def.omega = v3(3, -2, 5);
  thrown t;
  throw_body(&t, &def, v3(0.2, 0.1, 0.05), (layer_of){1e4, 50, 0.005, 0.4, 0.04}, 1e-3);
  start from = start_of(&t);
  paper_step s = problem_of(&t, &from, 1e-3);
  double z[PAPER_SIZE], j[PAPER_SIZE * PAPER_SIZE];
  for (int i = 0; i < PAPER_SIZE; i++) {
    z[i] = ff_random_in(&seed, -0.1, 0.1);
  }
  paper_jacobian(&s, z, j);
  for (int k = 0; k < PAPER_SIZE; k++) {
    double more[PAPER_SIZE], less[PAPER_SIZE], held = z[k], step = 1e-6;
    z[k] = held + step;
    paper_residual(&s, z, more);
    z[k] = held - step;
    paper_residual(&s, z, less);
    z[k] = held;
    for (int i = 0; i < PAPER_SIZE; i++) {
      double slope = (more[i] - less[i]) / (2 * step);
      assert_close(j[k * PAPER_SIZE + i], slope, 2e-6 * (1 + fabs(slope)));
    }
  }
  world_end(&t.w);
}

/* Both examples, from before the touch until it rests or rolls: the disc with its core in reach and
 * out of it; the ellipsoid in both readings of its stiffness, flat and tilted, damped critically.
 */
static void steps_of_the_examples_solve_the_papers_equations(void **state) {
  (void)state;
  const layer_of stiff = {36000, 2 * sqrt(36000), 0.005, 0.4, 0.04};
  const layer_of soft = {8000, 2 * sqrt(8000), 0.005, 0.4, 0.04};
  const ff_quat flat = {1, 0, 0, 0}, tilted = {0.9962, 0, 0.0872, 0};
  const struct {
    bool spun; /* the ellipsoid */
    layer_of layer;
    ff_quat turn;
    int from, count; /* steps */
  } examples[] = {
      {false, {1000, 0, 0.05, 0, 1}, flat, 3150, 900},
      {false, {1000, 0, 1, 0, 1}, flat, 3150, 1200},
      {true, stiff, flat, 1700, 2500},
      {true, soft, flat, 1700, 2500},
      {true, stiff, tilted, 1500, 1500},
      {true, soft, tilted, 1500, 1500},
  };
  for (size_t i = 0; i < sizeof examples / sizeof *examples; i++) {
    bool spun = examples[i].spun;
    ff_body_def def = ff_body_def_default();
    def.name = "body";
    def.mass = 1;
    def.position = v3(0, 0, spun ? 0.15 : 1.5);
    def.orientation = q_unit(examples[i].turn);
    def.omega = v3(0, 0, spun ? 5 : 0);
    ff_vec3 axes = spun ? v3(0.25, 0.005, 0.005) : v3(1, 1, 1);
    thrown t;
    throw_body(&t, &def, axes, examples[i].layer, 1e-4);
    assert_int_equal(ff_sim_advance(t.w.sim, 1e-4 * examples[i].from), FF_OK);
    paper_step problem;
    ff_ncp *ncp = solver_of(&problem);
    tally sum = {0};
    for (int k = 0; k < examples[i].count; k++) {
      compare(&t, k % 20 == 0 ? ncp : NULL, &problem, &sum);
    }
    assert_int_equal(sum.solved, (examples[i].count + 19) / 20); /* all that were asked for */
    assert_true(sum.residual < 1e-9);
    assert_true(sum.apart < 1e-7);
    ff_ncp_destroy(&ncp);
    world_end(&t.w);
  }
}

static double log_random(uint64_t *seed, double low, double high) {
  return exp(ff_random_in(seed, log(low), log(high)));
}

static ff_vec3 random_vector(uint64_t *seed, double size) {
  return v3(ff_random_in(seed, -size, size), ff_random_in(seed, -size, size),
            ff_random_in(seed, -size, size));
}

static void random_steps_solve_the_papers_equations(void **state) {
  (void)state;
  uint64_t seed = 20071;
  tally sum = {0};
  for (int i = 0; i < 300; i++) {
    ff_body_def def = ff_body_def_default();
    double size = log_random(&seed, 0.02, 0.5), h = log_random(&seed, 1e-5, 2e-3);
    ff_vec3 axes = v3(size, size / log_random(&seed, 1, 50), size / log_random(&seed, 1, 50));
    double mass = log_random(&seed, 0.1, 10), k = mass * log_random(&seed, 1e2, 1e6);
    layer_of l = {k, 2 * sqrt(k * mass) * ff_random(&seed), log_random(&seed, 1e-4, 1e-2),
                  ff_random_in(&seed, 0, 2), size * ff_random_in(&seed, 0.01, 1)};
    def.name = "body";
    def.mass = mass;
    def.orientation = q_exp(random_vector(&seed, 2));
    def.velocity = random_vector(&seed, 5);
    def.omega = random_vector(&seed, 50);
    ff_vec3 up = q_unrotate(def.orientation, v3(0, 0, 1));
    def.position.z = v3_norm(v3_mul(axes, up)) - l.thick * ff_random_in(&seed, 0, 0.5);
    thrown t;
    paper_step problem;
    throw_body(&t, &def, axes, l, h);
    ff_ncp *ncp = solver_of(&problem);
    if (ff_sim_solver(t.w.sim).cut_steps == 0) {
      compare(&t, ncp, &problem, &sum);
    }
    ff_ncp_destroy(&ncp);
    world_end(&t.w);
  }
  assert_true(sum.residual < 1e-8);
  assert_true(sum.apart < 1e-6);
  assert_true(sum.solved > 4 * sum.steps / 5);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(jacobian_is_that_of_the_residual),
      cmocka_unit_test(steps_of_the_examples_solve_the_papers_equations),
      cmocka_unit_test(random_steps_solve_the_papers_equations),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
