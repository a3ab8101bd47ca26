/* One step of [Chakraborty07], examples 1 and 2, against Siconos numerics.
 *
 * The stepper runs the examples, and its contact steps are timed with all that belongs to them:
 * finding the contact, bookkeeping, audit. The peer runs them too, from its own states, and of its
 * contact steps only the solution is timed, with the evaluations it asks for. It is given each step
 * by callbacks with exact Jacobians, and spared free flight:
 *   full   all unknowns of eqs. 14 and 15 (22; 10 in the plane of example 1, eqs. 16 to 22)
 *   short  closest points in closed form and no deflections (12): our own reduction, as a help
 * A start is its solution of the step before, or free flight, or a guess: what the layer and
 * sliding friction would do to free flight. A step fails if every try that a variant has does, the
 * peer saying so or returning what is no solution by ff_ncp_residual; time of all tries counts.
 * ff_ncp then solves it, so that the run goes on. A variant works if no step fails. For comparison
 * ff_ncp runs on the same problems, too. Without Siconos only this library is timed.
 *
 * Three ratios, each of our time to the peer's bare solution:
 *
 * - whole: our whole step, contact found, solved, booked and audited, which is what a user waits
 *   for. This one decides, on the paper's own unknowns (full): against the best variant that works
 *   or, where none does, against the best of those that fail in at most a thousandth of the steps.
 *
 * - moving: the same without the steps in which all lay still to the last bit, which take over the
 *   answer of the step before. The peer's time is that of the same steps.
 *
 * - added: what contact adds to our step (whole, minus a step without contact): finding, solving,
 *   booking and auditing the contact. It is the nearest to like with like: a bare solution knows no
 *   free flight, ledger or clock either.
 *
 * The short form is not what the paper poses but half of our way to its solution; its ratios are
 * told, and do not decide.
 */
#include "clock.h"
#include "footfall/footfall.h"
#include "paper_step.h"
#include "targets.h"
#ifdef FOOTFALL_SICONOS
#include "siconos_peer.h"
#endif

#include <stdio.h>

enum { STEPS = 10000, SHORT_SIZE = 12, DISC_SIZE = 10, ROUNDS = 5 };

static const double h = 1e-4, g = 9.81;

/* ---- what is simulated --------------------------------------------------------------------- */

typedef struct example {
  const char *name, *scene, *body;
  double k, c, thick, mu, e_r;
  double tilt;
  ff_vec3 axes;
} example;

#define EXAMPLE_2(name, k, c, tilt)                                                                \
  {                                                                                                \
    name, "spinning-ellipsoid", "ellipsoid", k, c, 0.005, 0.4, 0.04, tilt, {                       \
      0.25, 0.005, 0.005                                                                           \
    }                                                                                              \
  }

static const example examples[] = {
    {"example 1, core", "disc-on-layer", "disc", 1000, 0, 0.05, 0, 1, 0, {1, 1, 1}},
    EXAMPLE_2("example 2, flat, K 36000", 36000, 379.47331922020552, 0),
    EXAMPLE_2("example 2, flat, K 8000", 8000, 178.88543819998318, 0),
    EXAMPLE_2("example 2, tilted, K 36000", 36000, 379.47331922020552, 0.0872),
    EXAMPLE_2("example 2, tilted, K 8000", 8000, 178.88543819998318, 0.0872),
};

static ff_sim *start(const example *of, ff_model **model) {
  char path[512], k[64], c[64], turn[96], thick[64];
  snprintf(path, sizeof path, "%s/%s.yaml", FF_SCENES, of->scene);
  snprintf(k, sizeof k, "contacts.0.normal.k=%.17g", of->k);
  snprintf(c, sizeof c, "contacts.0.normal.c=%.17g", of->c);
  snprintf(thick, sizeof thick, "contacts.0.normal.max_deflection=%.17g", of->thick);
  snprintf(turn, sizeof turn, "bodies.%s.orientation=[%.4f, 0, %.4f, 0]", of->body,
           of->tilt > 0 ? 0.9962 : 1, of->tilt);
  const char *const set[] = {k, c, thick, turn};
  ff_scene *scene = NULL;
  ff_sim *sim = NULL;
  if (ff_scene_load(&scene, path, set, 4, NULL) == FF_OK &&
      ff_model_build(model, scene, NULL) == FF_OK) {
    ff_sim_create(&sim, *model);
  }
  ff_scene_destroy(&scene);
  return sim;
}

/* What a step takes, in seconds. */
typedef struct ours {
  double contact; /* NAN: a step failed */
  double moving;  /* the same of those that did not take over the answer of the one before */
  double flight;  /* without contact, for comparison: what every step needs */
  int contacts, still;
} ours;

static bool lay_still[STEPS]; /* the step took over the answer of the one before */

static void count_step(ff_sim *sim, int i, double seconds, ours *out) {
  bool touching = ff_sim_contact_count(sim) > 0;
  lay_still[i] = ff_sim_solver(sim).repeated > out->still;
  *(touching ? &out->contact : &out->flight) += seconds;
  out->moving += touching && !lay_still[i] ? seconds : 0;
  out->contacts += touching;
  out->still += lay_still[i];
}

/* A run of 1 s; of each step the best of this one and those before it that it is said to go on. */
static ours simulate(const example *of, bool again) {
  static double seconds[STEPS];
  ours out = {0};
  ff_model *model = NULL;
  ff_sim *sim = start(of, &model);
  bool good = sim != NULL;
  for (int i = 0; good && i < STEPS; i++) {
    double from = now();
    good = ff_sim_step(sim) == FF_OK;
    double took = now() - from;
    seconds[i] = again ? fmin(seconds[i], took) : took;
    count_step(sim, i, seconds[i], &out);
  }
  if (sim) {
    ff_sim_destroy(&sim);
  }
  ff_model_destroy(&model);
  out.contact = good ? out.contact / out.contacts : NAN;
  out.moving /= out.contacts - out.still;
  out.flight /= STEPS - out.contacts;
  return out;
}

#ifdef FOOTFALL_SICONOS

/* ---- the step as a problem ------------------------------------------------------------------- */

/* How the peer's body turns: by its momentum at the start, as eq. 4 has it. */
typedef struct turning {
  double r[3][3]; /* rows: body axes at the start */
  ff_vec3 inv_inertia;
} turning;

static void axes_of(ff_quat q, double r[3][3]) {
  const double rows[3][3] = {
      {1 - 2 * (q.y * q.y + q.z * q.z), 2 * (q.x * q.y + q.w * q.z), 2 * (q.x * q.z - q.w * q.y)},
      {2 * (q.x * q.y - q.w * q.z), 1 - 2 * (q.x * q.x + q.z * q.z), 2 * (q.y * q.z + q.w * q.x)},
      {2 * (q.x * q.z + q.w * q.y), 2 * (q.y * q.z - q.w * q.x), 1 - 2 * (q.x * q.x + q.y * q.y)}};
  memcpy(r, rows, sizeof rows);
}

static void turn(const void *context, ff_vec3 l, double out[3][3]) {
  const turning *from = context;
  double r[3][3];
  memcpy(r, from->r, sizeof r);
  ff_vec3 w = paper_scale(h, paper_out(r, paper_mul(from->inv_inertia, paper_in(r, l))));
  double angle = sqrt(paper_dot(w, w));
  for (int i = 0; i < 3; i++) { /* Rodrigues */
    ff_vec3 a = paper_v(r[i]), once = paper_cross(w, a), twice = paper_cross(w, once);
    double s = angle > 1e-6 ? sin(angle) / angle : 1;
    double c = angle > 1e-6 ? (1 - cos(angle)) / (angle * angle) : 0.5;
    ff_vec3 to = paper_axpy(paper_axpy(a, s, once), c, twice);
    const double row[3] = {to.x, to.y, to.z};
    memcpy(out[i], row, sizeof row);
  }
}

static ff_vec3 momentum(double r[3][3], ff_vec3 inv_inertia, ff_vec3 omega) {
  ff_vec3 w = paper_in(r, omega);
  return paper_out(r, (ff_vec3){w.x / inv_inertia.x, w.y / inv_inertia.y, w.z / inv_inertia.z});
}

/* A body that the peer moves. */
typedef struct moved {
  ff_vec3 x, v, l;
  turning turns;
  double deflection;
} moved;

static moved moved_at_start(const example *of) {
  double a = of->axes.x, b = of->axes.y, c = of->axes.z, w = sqrt(1 - of->tilt * of->tilt);
  bool disc = of->mu == 0;
  moved out = {.x = {0, 0, disc ? 1.5 : 0.15}};
  out.turns.inv_inertia = (ff_vec3){5 / (b * b + c * c), 5 / (a * a + c * c), 5 / (a * a + b * b)};
  axes_of((ff_quat){w, 0, of->tilt, 0}, out.turns.r);
  out.l = momentum(out.turns.r, out.turns.inv_inertia, (ff_vec3){0, 0, disc ? 0 : 5});
  return out;
}

static paper_step problem_of(const example *of, const moved *it) {
  ff_vec3 v = it->v;
  v.z -= h * g;
  return (paper_step){.h = h,
                      .mass = 1,
                      .axes = of->axes,
                      .inv_inertia = it->turns.inv_inertia,
                      .x = it->x,
                      .v_free = v,
                      .l_free = it->l,
                      .k = of->k,
                      .c = of->c,
                      .k_t = 8000,
                      .c_t = 2 * sqrt(8000),
                      .thick = of->thick,
                      .mu = of->mu,
                      .e = {1, 1, of->e_r},
                      .deflection = it->deflection,
                      .turn = turn,
                      .context = &it->turns};
}

/* ---- the short form: v, L, p_t, p_o, p_r, p_ns, p_nr, sigma ------------------------------------
 */

enum { SHORT_PT = 6, SHORT_PNS = 9, SHORT_PNR = 10, SHORT_SIGMA = 11 };

/* Lowest point of the ellipsoid from its centre, and how it moves when the body turns. */
static ff_vec3 lowest(const paper_step *s, double r[3][3], ff_vec3 theta, ff_vec3 *change) {
  const ff_vec3 up = {0, 0, 1};
  ff_vec3 u = paper_in(r, up), du = paper_in(r, paper_cross(up, theta));
  ff_vec3 su = paper_mul(s->axes, u), sdu = paper_mul(s->axes, du);
  double size = sqrt(paper_dot(su, su));
  ff_vec3 y = paper_scale(-1 / size, paper_mul(s->axes, su));
  ff_vec3 dy = paper_axpy(paper_scale(-1 / size, paper_mul(s->axes, sdu)),
                          -paper_dot(su, sdu) / (size * size), y);
  ff_vec3 low = paper_out(r, y);
  *change = paper_axpy(paper_cross(theta, low), 1, paper_out(r, dy));
  return low;
}

static int short_residual(void *context, const double *z, double *f) {
  const paper_step *s = context;
  double r[3][3];
  s->turn(s->context, paper_v(z + PAPER_L), r);
  ff_vec3 none = {0, 0, 0}, change, arm = lowest(s, r, none, &change);
  ff_vec3 force = {z[SHORT_PT], z[SHORT_PT + 1], z[SHORT_PNS] + z[SHORT_PNR]};
  ff_vec3 torque = paper_cross(arm, force);
  torque.z += z[SHORT_PT + 2];
  ff_vec3 omega = paper_out(r, paper_mul(s->inv_inertia, paper_in(r, paper_v(z + PAPER_L))));
  ff_vec3 slip = paper_axpy(paper_v(z), 1, paper_cross(omega, arm));
  const double v[3] = {s->v_free.x, s->v_free.y, s->v_free.z};
  const double l[3] = {s->l_free.x, s->l_free.y, s->l_free.z};
  const double p[3] = {force.x, force.y, force.z}, m[3] = {torque.x, torque.y, torque.z};
  const double w[3] = {slip.x, slip.y, omega.z};
  double load = s->mu * force.z, used = 0;
  for (int i = 0; i < 3; i++) {
    double e2 = s->e[i] * s->e[i];
    f[i] = s->mass * (z[i] - v[i]) / s->h - p[i];
    f[3 + i] = (z[3 + i] - l[i]) / s->h - m[i];
    f[6 + i] = e2 * load * w[i] + z[SHORT_PT + i] * z[SHORT_SIGMA];
    used += z[SHORT_PT + i] * z[SHORT_PT + i] / e2;
  }
  double depth = -(s->x.z + s->h * z[2] + arm.z), slope = s->k + s->c / s->h;
  double relaxed = s->c / s->h * s->deflection / slope;
  f[SHORT_PNS] = z[SHORT_PNS] / slope - (depth - relaxed);
  f[SHORT_PNR] = s->thick - depth;
  f[SHORT_SIGMA] = load * load - used;
  return 0;
}

static int short_jacobian(void *context, const double *z, double *j) {
  const paper_step *s = context;
  double r[3][3];
  ff_vec3 turns[3], l = paper_v(z + PAPER_L);
  s->turn(s->context, l, r);
  paper_turning(s, l, turns);
  ff_vec3 omega = paper_out(r, paper_mul(s->inv_inertia, paper_in(r, l)));
  ff_vec3 force = {z[SHORT_PT], z[SHORT_PT + 1], z[SHORT_PNS] + z[SHORT_PNR]};
  double load = s->mu * force.z, slope = s->k + s->c / s->h;
  for (int k = 0; k < SHORT_SIZE; k++) {
    double dz[SHORT_SIZE] = {0}, *f = j + (size_t)k * SHORT_SIZE;
    dz[k] = 1;
    ff_vec3 theta = {0, 0, 0}, darm, dl = paper_v(dz + PAPER_L);
    theta = k >= PAPER_L && k < SHORT_PT ? turns[k - PAPER_L] : theta;
    ff_vec3 arm = lowest(s, r, theta, &darm);
    ff_vec3 dforce = {dz[SHORT_PT], dz[SHORT_PT + 1], dz[SHORT_PNS] + dz[SHORT_PNR]};
    ff_vec3 dm = paper_axpy(paper_cross(darm, force), 1, paper_cross(arm, dforce));
    ff_vec3 held = paper_in(r, paper_axpy(dl, -1, paper_cross(theta, l)));
    ff_vec3 dw =
        paper_axpy(paper_cross(theta, omega), 1, paper_out(r, paper_mul(s->inv_inertia, held)));
    ff_vec3 dslip =
        paper_axpy(paper_v(dz), 1, paper_axpy(paper_cross(dw, arm), 1, paper_cross(omega, darm)));
    ff_vec3 slip = paper_axpy(paper_v(z), 1, paper_cross(omega, arm));
    dm.z += dz[SHORT_PT + 2];
    const double p[3] = {dforce.x, dforce.y, dforce.z}, m[3] = {dm.x, dm.y, dm.z};
    const double w[3] = {slip.x, slip.y, omega.z}, wd[3] = {dslip.x, dslip.y, dw.z};
    double dload = s->mu * dforce.z, dused = 0;
    for (int i = 0; i < 3; i++) {
      double e2 = s->e[i] * s->e[i], pt = z[SHORT_PT + i];
      f[i] = s->mass * dz[i] / s->h - p[i];
      f[3 + i] = dz[3 + i] / s->h - m[i];
      f[6 + i] = e2 * (dload * w[i] + load * wd[i]) + dz[SHORT_PT + i] * z[SHORT_SIGMA] +
                 pt * dz[SHORT_SIGMA];
      dused += 2 * pt * dz[SHORT_PT + i] / e2;
    }
    double ddepth = -(s->h * dz[2] + darm.z);
    f[SHORT_PNS] = dz[SHORT_PNS] / slope - ddepth;
    f[SHORT_PNR] = -ddepth;
    f[SHORT_SIGMA] = 2 * load * dload - dused;
  }
  return 0;
}

/* ---- example 1 in its plane, eqs. 16 to 22: v_x, v_y, w, a_1, a_2, delta, p_ns, p_nr
 * ------------- */

static int disc_residual(void *context, const double *z, double *f) {
  const paper_step *s = context;
  double px = z[3] - (s->x.x + h * z[0]), py = z[4] - (s->x.z + h * z[1]);
  double gap = hypot(z[5] - z[3], z[6] - z[4]), length = hypot(px, py), force = z[8] + z[9];
  f[0] = (z[0] - s->v_free.x) / h;
  f[1] = (z[1] - s->v_free.z) / h - force;
  f[2] = 0.5 * (z[2] - 2.5 * s->l_free.y) / h - px * force;
  f[3] = z[8] - s->k * z[7];
  f[4] = z[5] - z[3] + gap * 0; /* the normal has no component along x */
  f[5] = px / length;
  f[6] = 0.5 * (px * px + py * py - 1);
  f[7] = z[6] + z[7];
  f[8] = z[4] + z[7];
  f[9] = s->thick - z[7];
  return 0;
}

static int disc_jacobian(void *context, const double *z, double *j) {
  const paper_step *s = context;
  double px = z[3] - (s->x.x + h * z[0]), py = z[4] - (s->x.z + h * z[1]);
  double length = hypot(px, py), cube = length * length * length, force = z[8] + z[9];
  memset(j, 0, DISC_SIZE * DISC_SIZE * sizeof *j);
#define J(row, column) j[(column)*DISC_SIZE + (row)]
  J(0, 0) = J(1, 1) = 1 / h;
  J(1, 8) = J(1, 9) = -1;
  J(2, 2) = 0.5 / h;
  J(2, 0) = h * force;
  J(2, 3) = -force;
  J(2, 8) = J(2, 9) = -px;
  J(3, 8) = 1;
  J(3, 7) = -s->k;
  J(4, 5) = 1;
  J(4, 3) = -1;
  J(5, 3) = py * py / cube;
  J(5, 4) = -px * py / cube;
  J(5, 0) = -h * J(5, 3);
  J(5, 1) = -h * J(5, 4);
  J(6, 3) = px;
  J(6, 4) = py;
  J(6, 0) = -h * px;
  J(6, 1) = -h * py;
  J(7, 6) = J(7, 7) = 1;
  J(8, 4) = J(8, 7) = 1;
  J(9, 7) = -1;
#undef J
  return 0;
}

/* ---- forms -------------------------------------------------------------------------------------
 */

typedef struct step_form {
  const char *name;
  int free, complementary;
  int (*residual)(void *context, const double *z, double *f);
  int (*jacobian)(void *context, const double *z, double *values);
} step_form;

static const step_form disc_form = {"full", 8, 2, disc_residual, disc_jacobian};
static const step_form full_form = {"full", PAPER_PNS, 3, paper_residual, paper_jacobian};
static const step_form short_form = {"short", SHORT_PNS, 3, short_residual, short_jacobian};

/* Unknowns of a form from those of the full one. */
static void take_from_full(const step_form *form, const double *full, double *z) {
  static const int disc[DISC_SIZE] = {PAPER_V,  PAPER_V + 2,  PAPER_L + 1, PAPER_A1,  PAPER_A1 + 2,
                                      PAPER_A2, PAPER_A2 + 2, PAPER_DN,    PAPER_PNS, PAPER_PNR};
  static const int few[SHORT_SIZE] = {
      0, 1, 2, 3, 4, 5, PAPER_PT, PAPER_PT + 1, PAPER_PT + 2, PAPER_PNS, PAPER_PNR, PAPER_SIGMA};
  for (int i = 0; i < form->free + form->complementary; i++) {
    z[i] = form == &full_form ? full[i] : full[form == &short_form ? few[i] : disc[i]];
  }
}

/* ---- where to start ---------------------------------------------------------------------------
 */

/* The step before, free flight, a guess. */
enum { BEFORE, FLIGHT, GUESS, STARTS };

/* The start from free flight. Returns its depth. */
static double fill_free(const step_form *form, const paper_step *s, double *z) {
  const double none[3] = {0, 0, 0};
  double full[PAPER_SIZE];
  paper_fill(s, s->v_free, s->l_free, none, 0, 0, full);
  take_from_full(form, full, z);
  return -full[PAPER_A1 + 2];
}

/* What the layer and sliding friction would do to free flight. */
static void fill_guess(const step_form *form, const paper_step *s, double *z) {
  const double none[3] = {0, 0, 0};
  double full[PAPER_SIZE], friction[3] = {0, 0, 0}, used = 0;
  paper_fill(s, s->v_free, s->l_free, none, 0, 0, full);
  paper_place at;
  paper_look(s, full, &at);
  double slope = s->k + s->c / s->h, held = s->c / s->h * s->deflection;
  double depth = -full[PAPER_A1 + 2], yields = s->h * s->h / s->mass;
  double layer = fmax((slope * depth - held) / (1 + slope * yields), 0), core = 0;
  if (depth - yields * layer > s->thick) {
    layer = fmax(slope * s->thick - held, 0);
    core = (depth - s->thick) / yields - layer;
  }
  const double w[3] = {at.slip.x, at.slip.y, at.omega.z};
  for (int i = 0; i < 3; i++) {
    used += s->e[i] * w[i] * s->e[i] * w[i];
  }
  for (int i = 0; used > 0 && i < 3; i++) {
    friction[i] = -s->mu * (layer + core) * s->e[i] * s->e[i] * w[i] / sqrt(used);
  }
  ff_vec3 force = {friction[0], friction[1], layer + core};
  ff_vec3 torque = paper_cross(at.arm, force);
  torque.z += friction[2];
  paper_fill(s, paper_axpy(s->v_free, s->h / s->mass, force), paper_axpy(s->l_free, s->h, torque),
             friction, layer, core, full);
  take_from_full(form, full, z);
}

/* The body where the solution brings it. */
static void move(const step_form *form, const paper_step *s, const double *z, moved *it) {
  bool disc = form == &disc_form;
  it->v = disc ? (ff_vec3){z[0], 0, z[1]} : paper_v(z);
  it->l = disc ? it->l : paper_v(z + PAPER_L);
  const double none[3] = {0, 0, 0};
  double full[PAPER_SIZE], r[3][3];
  paper_fill(s, it->v, it->l, none, 0, 0, full);
  turn(&it->turns, it->l, r);
  memcpy(it->turns.r, r, sizeof r);
  it->x = paper_axpy(it->x, h, it->v);
  it->deflection = full[PAPER_DN];
}

typedef struct result {
  double seconds; /* of a contact step that was solved, */
  double moving;  /* of those in which ours did not lie still */
  int steps, failed;
  bool lost; /* not even ff_ncp could go on */
  ours mine; /* in turns with it */
} result;

/* One way to try a step: solver, and start. */
typedef struct way {
  int solver; /* one of the peer's methods, or OWN */
  int start;
} way;

enum { OWN = PEER_METHODS, WAYS = 6 };

/* A variant at work. */
typedef struct variant {
  const way *ways;
  int way_count;
  const step_form *form;
  paper_step problem;
  peer peers[PEER_METHODS];
  ff_ncp *ncp;
  double lower[PAPER_SIZE];
} variant;

static bool open_variant(variant *v) {
  int size = v->form->free + v->form->complementary;
  for (int i = 0; i < size; i++) {
    v->lower[i] = i < v->form->free ? -INFINITY : 0;
  }
  bool good = true;
  for (int method = 0; method < PEER_METHODS; method++) {
    v->peers[method] = (peer){.free = v->form->free,
                              .complementary = v->form->complementary,
                              .residual = v->form->residual,
                              .jacobian = v->form->jacobian,
                              .context = &v->problem};
    good = good && peer_open(&v->peers[method], method, 1e-10, 200) == 0;
  }
  ff_ncp_def def = ff_ncp_def_default();
  def.size = size;
  def.lower = v->lower;
  def.residual = v->form->residual;
  def.jacobian = v->form->jacobian;
  def.context = &v->problem;
  return good && ff_ncp_create(&v->ncp, &def, NULL) == FF_OK;
}

/* Is it a solution? Rows are forces, of up to some kN, and lengths. */
static bool is_solution(variant *v, const double *z) {
  double f[PAPER_SIZE];
  v->form->residual(&v->problem, z, f);
  return ff_ncp_residual(v->form->free + v->form->complementary, z, f, v->lower, NULL) < 1e-6;
}

/* One contact step, one way after the other. */
static bool solve(variant *v, double starts[STARTS][PAPER_SIZE], bool known, double *z,
                  double *seconds) {
  for (int k = 0; k < v->way_count; k++) {
    way go = v->ways[k];
    if (go.start == BEFORE && !known) {
      continue;
    }
    memcpy(z, starts[go.start], sizeof starts[go.start]);
    double from = now();
    bool failed = go.solver == OWN ? ff_ncp_solve(v->ncp, z).outcome != FF_NCP_SOLVED
                                   : peer_solve(&v->peers[go.solver], z) != 0;
    *seconds += now() - from;
    if (!failed && is_solution(v, z)) {
      return true;
    }
  }
  memcpy(z, starts[FLIGHT], sizeof starts[FLIGHT]);
  return false;
}

/* The whole run; seconds of each step that took longer than before stay as they are. */
static result run_variant(const example *of, variant *v, double *seconds, bool again) {
  result out = {0};
  moved it = moved_at_start(of);
  double z[PAPER_SIZE] = {0}, starts[STARTS][PAPER_SIZE] = {{0}}, sum = 0, moving = 0;
  int moves = 0;
  bool known = false; /* the step before was one of contact */
  for (int i = 0; i < STEPS && !out.lost; i++) {
    v->problem = problem_of(of, &it);
    double depth = fill_free(v->form, &v->problem, starts[FLIGHT]), took = 0;
    double relaxed = of->c * it.deflection / (h * of->k + of->c);
    memcpy(z, starts[FLIGHT], sizeof z);
    if (depth <= relaxed) { /* nothing presses */
      known = false;
    } else {
      fill_guess(v->form, &v->problem, starts[GUESS]);
      bool solved = solve(v, starts, known, z, &took);
      seconds[i] = again ? fmin(seconds[i], took) : took;
      out.steps++;
      out.failed += !solved;
      sum += solved ? seconds[i] : 0;
      moving += solved && !lay_still[i] ? seconds[i] : 0;
      moves += solved && !lay_still[i];
      out.lost = !solved && ff_ncp_solve(v->ncp, z).outcome != FF_NCP_SOLVED;
      memcpy(starts[BEFORE], z, sizeof z);
      known = true;
    }
    move(v->form, &v->problem, z, &it);
  }
  out.seconds = sum / fmax(out.steps - out.failed, 1);
  out.moving = moving / fmax(moves, 1);
  return out;
}

/* The best of several runs, if they do not take too long, in turns with ours: machines are faster
 * at one time than at another. */
static result try_variant(const example *of, const step_form *form, const way *ways, int count) {
  static double seconds[STEPS];
  variant v = {.form = form, .ways = ways, .way_count = count};
  result out = {.lost = true};
  if (open_variant(&v)) {
    for (int round = 0; round < ROUNDS && (round == 0 || out.seconds < 1e-4); round++) {
      ours mine = simulate(of, round > 0);
      out = run_variant(of, &v, seconds, round > 0);
      out.mine = mine;
    }
    for (int method = 0; method < PEER_METHODS; method++) {
      peer_close(&v.peers[method]);
    }
  }
  ff_ncp_destroy(&v.ncp);
  return out;
}

#define FB_ALL                                                                                     \
  {PEER_FISCHER, BEFORE}, {PEER_FISCHER, FLIGHT}, {                                                \
    PEER_FISCHER, GUESS                                                                            \
  }
#define MIN_ALL                                                                                    \
  {PEER_MIN, BEFORE}, {PEER_MIN, FLIGHT}, {                                                        \
    PEER_MIN, GUESS                                                                                \
  }

static const struct plan {
  const char *name;
  int way_count;
  way ways[WAYS];
} plans[] = {
    {"Siconos FB-FBLSA, step before, flight", 2, {{PEER_FISCHER, BEFORE}, {PEER_FISCHER, FLIGHT}}},
    {"Siconos FB-FBLSA, flight, step before", 2, {{PEER_FISCHER, FLIGHT}, {PEER_FISCHER, BEFORE}}},
    {"Siconos FB-FBLSA, guess", 1, {{PEER_FISCHER, GUESS}}},
    {"Siconos min-FBLSA, step before, flight", 2, {{PEER_MIN, BEFORE}, {PEER_MIN, FLIGHT}}},
    {"Siconos min-FBLSA, guess", 1, {{PEER_MIN, GUESS}}},
    {"Siconos FB, then min, from all starts", 6, {FB_ALL, MIN_ALL}},
    {"Siconos min, then FB, from all starts", 6, {MIN_ALL, FB_ALL}},
    {"ff_ncp, step before, flight", 2, {{OWN, BEFORE}, {OWN, FLIGHT}}}, /* not the peer's */
};

static void tell_ratios(const result *r) {
  printf("whole %.3f, moving %.3f, added %.3f", r->mine.contact / r->seconds,
         r->mine.moving / r->moving, (r->mine.contact - r->mine.flight) / r->seconds);
}

static bool works(const result *r) {
  return !r->lost && r->failed == 0;
}

/* Is a better than b: one that works, or else nearly does, in less time? */
static bool is_better(const result *a, const result *b) {
  if (a->lost || a->failed > a->steps / 1000) {
    return false;
  }
  return works(a) != works(b) ? works(a) : a->seconds < b->seconds;
}

/* All variants on a form; returns the peer's best. */
static result peers(const example *of, const step_form *form) {
  result best = {.seconds = INFINITY, .moving = INFINITY, .lost = true};
  int count = sizeof plans / sizeof *plans;
  for (int k = 0; k < count; k++) {
    result r = try_variant(of, form, plans[k].ways, plans[k].way_count);
    printf("  %-38s %-5s %8.2f us, %5d of %5d steps failed%s; ", plans[k].name, form->name,
           1e6 * r.seconds, r.failed, r.steps, r.lost ? ", run lost" : "");
    tell_ratios(&r);
    printf("\n");
    best = k < count - 1 && is_better(&r, &best) ? r : best;
  }
  return best;
}

/* Both forms; the limit is that of the paper's own. */
static void compare_peers(const example *of, double limit) {
  const step_form *const forms[2] = {of->mu > 0 ? &full_form : &disc_form,
                                     of->mu > 0 ? &short_form : NULL};
  for (int k = 0; k < 2 && forms[k]; k++) {
    result best = peers(of, forms[k]);
    if (works(&best)) {
      printf("  * best that works on the %s form: ", forms[k]->name);
    } else {
      printf("  * none works on all steps of the %s form; best that nearly does (%d failed): ",
             forms[k]->name, best.failed);
    }
    tell_ratios(&best);
    if (k == 0) {
      printf("; whole at most %.1f wanted: %s\n", limit,
             target(best.mine.contact <= limit * best.seconds));
    } else {
      printf("; not asked for\n");
    }
  }
}

#endif

/* ---- measuring
 * ------------------------------------------------------------------------------------ */

static void compare(const example *of, double limit) {
  ours took = simulate(of, false);
  for (int round = 1; round < ROUNDS; round++) {
    took = simulate(of, true);
  }
  if (isnan(took.contact)) {
    printf("%s: a step of ours failed (none wanted: %s)\n", of->name, target(false));
    return;
  }
  printf(
      "%-28s footfall %6.2f us a contact step, 0 of %d failed; %d lay still, the others %.2f us; "
      "%.2f us one without contact, contact adds %.2f us\n",
      of->name, 1e6 * took.contact, took.contacts, took.still, 1e6 * took.moving, 1e6 * took.flight,
      1e6 * (took.contact - took.flight));
#ifdef FOOTFALL_SICONOS
  compare_peers(of, limit);
#else
  (void)limit;
#endif
}

int main(void) {
#ifdef FOOTFALL_SICONOS
  peer_hush();
#endif
  for (size_t i = 0; i < sizeof examples / sizeof *examples; i++) {
    compare(&examples[i], i == 0 ? 0.5 : 0.1);
  }
  return targets_end();
}
