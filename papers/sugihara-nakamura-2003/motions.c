/* The robot walks, falls while it walks, and jumps, Figs. 10 to 12. */
#include "sugihara.h"

#include <math.h>

enum { WALK, FALL, JUMP, MOTIONS, FINER = 2 };

/* Channels by which a motion is evaluated. */
enum { X, Y, Z, VX, VY, VZ, PX, PY, PUSH, LEFT, RIGHT, TURN_X, TURN_Y, DEPTH, CHANNELS };

static const char *const channels[CHANNELS] = {
    [X] = "robot.humanoid.com.x",
    [Y] = "robot.humanoid.com.y",
    [Z] = "robot.humanoid.com.z",
    [VX] = "robot.humanoid.velocity.x",
    [VY] = "robot.humanoid.velocity.y",
    [VZ] = "robot.humanoid.velocity.z",
    [PX] = "robot.humanoid.cop.x",
    [PY] = "robot.humanoid.cop.y",
    [PUSH] = "load.floor.force.z",
    [LEFT] = "contact.humanoid-left_foot:floor.force.n",
    [RIGHT] = "contact.humanoid-right_foot:floor.force.n",
    [TURN_X] = "body.humanoid-trunk.orientation.x",
    [TURN_Y] = "body.humanoid-trunk.orientation.y",
    [DEPTH] = "audit.penetration",
};

typedef struct motion {
  const char *figure, *scene;
  const char *const *set;
  int set_count;
  double every; /* s, between samples */
  double duration;
  const ff_trace *trace;
  double *force;   /* N, of the floor, upwards */
  double *lean;    /* deg, inclination of the trunk */
  int swings;      /* of both feet */
  double leans;    /* deg, largest */
  double speed;    /* m/s, of the centre of mass at the end */
  double flight;   /* s, longest phase without ground contact */
  long left, down; /* samples, the first and the last of that flight */
} motion;

typedef struct motions_part {
  int steps; /* of the walk that succeeds */
  motion motions[MOTIONS];
  motion stiff;        /* as the fall, with the servos of Figs. 7 and 8 */
  motion finer[FINER]; /* falls with shorter steps */
  int finer_count;
} motions_part;

static const double degree = 0.017453292519943295, gravity = 9.81, stride = 0.04;
static const double weight = 5 * 9.81, stiffness = 5512; /* N, N/m of the membrane at a point */

/* ---- evaluation of a run --------------------------------------------------------------------- */

/* Number of swing phases of a foot of at least 0.1 s, between two loads, until the robot falls. */
static int count_swings(const motion *m, int foot) {
  const double *load = m->trace->channels[foot];
  int swings = 0;
  long since = 0;
  for (long i = 1; i < m->trace->rows && m->lean[i] < 45; i++) {
    if (load[i] > 0) {
      swings += since > 0 && (double)(i - since) * m->every > 0.1;
      since = i;
    }
  }
  return swings;
}

/* Longest sequence of samples without ground contact. */
static void find_flight(motion *m) {
  for (long from = 1, i = 1; i < m->trace->rows; i++) {
    if (m->force[i] > 0) {
      from = i + 1;
    } else if (i - from > m->down - m->left) {
      m->left = from;
      m->down = i;
    }
  }
  m->flight = (double)(m->down - m->left) * m->every;
}

static void judge(ff_reproduction *study, motion *m) {
  const ff_trace *t = m->trace;
  long last = t->rows - 1;
  m->force = ff_reproduction_alloc(study, t->rows, sizeof *m->force);
  m->lean = ff_reproduction_alloc(study, t->rows, sizeof *m->lean);
  for (long i = 0; i < t->rows; i++) {
    double x = t->channels[TURN_X][i], y = t->channels[TURN_Y][i];
    m->force[i] = -t->channels[PUSH][i];
    m->lean[i] = acos(fmax(1 - 2 * (x * x + y * y), -1)) / degree;
    m->leans = fmax(m->leans, m->lean[i]);
  }
  m->swings = count_swings(m, LEFT) + count_swings(m, RIGHT);
  m->speed = hypot(hypot(t->channels[VX][last], t->channels[VY][last]), t->channels[VZ][last]);
  find_flight(m);
}

/* ---- runs ------------------------------------------------------------------------------------ */

/* Channels of a replay, and its panels. */
static const char *const kept[] = {"body.*.position.*",
                                   "body.*.orientation.*",
                                   "contact.*.force.*",
                                   "contact.*.point.*",
                                   "contact.*.depth",
                                   "contact.*.mode",
                                   "contact.*.count",
                                   "robot.*.com.*",
                                   "robot.*.cop.*",
                                   "energy.*",
                                   "audit.*"};

static void run(ff_reproduction *study, motion *m, bool replay) {
  m->every = 1e-3 * fmax(round(1e3 * m->every / study->variation.sampling), 1); /* whole steps */
  m->trace = ff_reproduction_run(
      study, &(ff_trial){.scene = m->scene,
                         .as_given = true,
                         .set = m->set,
                         .set_count = m->set_count,
                         .channels = channels,
                         .channel_count = CHANNELS,
                         .span = m->every * floor(m->duration / m->every * (1 + 1e-9)),
                         .samples = 1 + (long)floor(m->duration / m->every * (1 + 1e-9)),
                         .replay = replay,
                         .kept = kept,
                         .kept_count = sizeof kept / sizeof *kept});
  judge(study, m);
}

static void walk(ff_reproduction *study, motions_part *part) {
  const char **set = ff_reproduction_alloc(study, 4, sizeof *set);
  part->steps = study->quick ? 6 : 20;
  motion *m = &part->motions[WALK];
  *m = (motion){.figure = "Fig. 10",
                .scene = "scenes/humanoid-walking.yaml",
                .set = set,
                .set_count = 4,
                .every = 0.01,
                .duration = 4.5 + 0.5 * part->steps};
  set[0] =
      ff_reproduction_text(study, "robots.humanoid.controller.tasks.0.walk.count=%d", part->steps);
  set[1] = ff_reproduction_text(study, "duration=%g", m->duration);
  set[2] = "stepper.lambda=1";
  set[3] = "stepper.corrections=false";
  run(study, m, true);
}

/* The footsteps of Fig. 9, planned ahead and replayed to servos, without feedback. */
static motion play(ff_reproduction *study, const char *servo, double step, bool replay) {
  const char **set = ff_reproduction_alloc(study, 4, sizeof *set);
  motion m = {.figure = "Fig. 11",
              .scene = "papers/sugihara-nakamura-2003/walk.yaml",
              .set = set,
              .set_count = 4,
              .every = 0.01,
              .duration = 7.5};
  set[0] = "robots.humanoid.controller.balance=false";
  set[1] = ff_reproduction_text(study, "robots.humanoid.servo=%s", servo);
  set[2] = ff_reproduction_text(study, "stepper.step=%g", step);
  set[3] = ff_reproduction_text(study, "duration=%g", m.duration);
  run(study, &m, replay);
  return m;
}

static void jump(ff_reproduction *study, motions_part *part) {
  static const char *const set[] = {"stepper.step=1e-3", "stepper.lambda=1",
                                    "stepper.corrections=false"};
  part->motions[JUMP] = (motion){.figure = "Fig. 12",
                                 .scene = "scenes/humanoid-jumping.yaml",
                                 .set = set,
                                 .set_count = 3,
                                 .every = 0.002,
                                 .duration = 2.5};
  run(study, &part->motions[JUMP], true);
}

static void note(ff_reproduction *study, const char *name, const motion *m) {
  const ff_audit *audit = &m->trace->audit;
  ff_reproduction_number(study, ff_reproduction_text(study, "%s.swings", name), m->swings, "1");
  ff_reproduction_number(study, ff_reproduction_text(study, "%s.lean", name), m->leans, "deg");
  ff_reproduction_number(study, ff_reproduction_text(study, "%s.flight", name), m->flight, "s");
  ff_reproduction_number(study, ff_reproduction_text(study, "%s.penetration", name),
                         audit->contact.penetration, "m");
  ff_reproduction_number(study, ff_reproduction_text(study, "%s.cone", name), audit->contact.cone,
                         "N");
  ff_reproduction_number(study, ff_reproduction_text(study, "%s.energy", name),
                         audit->energy_residual / audit->energy_scale, "1");
}

static void *compute_part(ff_reproduction *study) {
  /* 60 N m/rad, departing by up to 1e-6 of it: verdicts must not depend on that */
  const char *soft = ff_reproduction_text(study, "{stiffness: %.9g, damping: 1}",
                                          60 + 60 * sugihara_jitter(study));
  motions_part *part = ff_reproduction_alloc(study, 1, sizeof *part);
  walk(study, part);
  part->motions[FALL] = play(study, soft, 1e-3, true);
  part->stiff = play(study, "{stiffness: 200, damping: 3}", 1e-3, false);
  jump(study, part);
  part->finer_count = study->quick ? 1 : FINER;
  for (int k = 0; k < part->finer_count; k++) {
    part->finer[k] = play(study, soft, 1e-3 / (2 << k), false);
  }
  for (int k = 0; k < MOTIONS; k++) {
    note(study, ff_reproduction_text(study, "fig%d", 10 + k), &part->motions[k]);
  }
  note(study, "fig11.finer", &part->finer[0]);
  return part;
}

/* ---- claims ---------------------------------------------------------------------------------- */

static double final(const motion *m, int channel) {
  return m->trace->channels[channel][m->trace->rows - 1];
}

static bool stands(const motion *m) {
  return m->lean[m->trace->rows - 1] < 1 && m->speed < 5e-3 && final(m, Z) > 0.2;
}

static void report_walk(ff_reproduction *study, const motions_part *part) {
  const motion *m = &part->motions[WALK];
  double way = part->steps * stride, off = hypot(final(m, X) - way, final(m, Y));
  ff_reproduction_judge(study, "walk-succeeds",
                        ff_reproduction_text(study,
                                             "%d steps, %.3f m of %.2f m, trunk within %.1f° of "
                                             "the vertical; %s",
                                             m->swings, final(m, X), way, m->leans,
                                             stands(m) ? "then stands" : "does not stand"),
                        m->swings - part->steps, off, m->leans, stands(m));
}

static bool lies(const motion *m) {
  return m->lean[m->trace->rows - 1] > 60 && m->speed < 0.02 && final(m, Z) < 0.1;
}

static void report_fall(ff_reproduction *study, const motions_part *part) {
  const motion *m = &part->motions[FALL];
  bool always = lies(m);
  for (int k = 0; k < part->finer_count; k++) {
    always = always && lies(&part->finer[k]);
  }
  ff_reproduction_judge(study, "walk-fails",
                        ff_reproduction_text(study,
                                             "%s after %d steps; trunk at %.0f°, centre of mass at "
                                             "%.0f mm, %.1f mm/s",
                                             always ? "falls and lies" : "does not lie", m->swings,
                                             m->lean[m->trace->rows - 1], 1e3 * final(m, Z),
                                             1e3 * m->speed),
                        m->swings, always);
}

/* Impacts penetrate the floor by an error of first order in the step. At rest the membrane bears
 * the robot: no point is deeper than where it would bear the whole weight, and the robot does not
 * sink further. */
static void report_depth(ff_reproduction *study, const motions_part *part) {
  const motion *m = &part->motions[FALL];
  long second = lround(1 / m->every);
  double deepest = m->trace->audit.contact.penetration, rest = final(m, DEPTH);
  double ratio = part->finer[0].trace->audit.contact.penetration / deepest;
  double sinks = rest - m->trace->channels[DEPTH][m->trace->rows - 1 - second];
  ff_reproduction_number(study, "fig11.rest", rest, "m");
  ff_reproduction_number(study, "fig11.sinks", sinks, "m");
  ff_reproduction_judge(study, "fall-penetration",
                        ff_reproduction_text(study,
                                             "impacts enter it by %.1f mm at most, by %.2f of that "
                                             "with half the step; %.2f mm at rest, %+.3f mm in the "
                                             "last second",
                                             1e3 * deepest, ratio, 1e3 * rest, 1e3 * sinks),
                        ratio, rest / (weight / stiffness), sinks);
}

/* In flight only gravity acts: deviation of the centre of mass from the parabola through the first
 * sample of the flight with its velocity. */
static double off_parabola(const motion *m) {
  const ff_trace *t = m->trace;
  double off = 0;
  for (long i = m->left; i <= m->down; i++) {
    double s = t->time[i] - t->time[m->left];
    double z = t->channels[Z][m->left] + s * (t->channels[VZ][m->left] - 0.5 * gravity * s);
    off = fmax(off, fabs(t->channels[Z][i] - z));
  }
  return off;
}

static void report_jump(ff_reproduction *study, const motions_part *part) {
  const motion *m = &part->motions[JUMP];
  const double *z = m->trace->channels[Z];
  double top = 0, off = off_parabola(m);
  for (long i = m->left; i <= m->down; i++) {
    top = fmax(top, z[i] - z[m->left]);
  }
  ff_reproduction_judge(study, "jumps",
                        ff_reproduction_text(study,
                                             "flies for %.3f s, up by %.0f mm, within %.2f mm of a "
                                             "parabola; leans by %.0f° at most; %s %.0f mm from "
                                             "where it was",
                                             m->flight, 1e3 * top, 1e3 * off, m->leans,
                                             stands(m) ? "stands" : "does not stand",
                                             1e3 * hypot(final(m, X), final(m, Y))),
                        m->flight, off, stands(m));
}

static void report_audit(ff_reproduction *study, const motions_part *part) {
  double energy = 0, cone = 0;
  for (int k = 0; k < MOTIONS; k++) {
    const ff_audit *audit = &part->motions[k].trace->audit;
    energy = fmax(energy, audit->energy_residual / audit->energy_scale);
    cone = fmax(cone, audit->contact.cone / audit->contact_force);
  }
  ff_reproduction_judge(study, "motions-audit",
                        ff_reproduction_text(study,
                                             "energy within %.2g %% of the energy exchanged, "
                                             "friction beyond its cone by %.1g of the largest "
                                             "force",
                                             100 * energy, cone),
                        energy, cone);
}

static void report_part(ff_reproduction *study, const void *computed) {
  const motions_part *part = computed;
  report_walk(study, part);
  report_fall(study, part);
  report_depth(study, part);
  report_jump(study, part);
  report_audit(study, part);
}

/* ---- figures --------------------------------------------------------------------------------- */

static const ff_axis seconds = {"time", "s", false};

static void plot_force(ff_reproduction *study, const motion *m) {
  ff_page_plot(study->page, ff_reproduction_text(study, "%s: push of the floor", m->figure),
               seconds, (ff_axis){"vertical force on the robot", "N", false});
  ff_page_curve(study->page, "all contacts", FF_CURVE_LINE, m->trace->time, m->force,
                m->trace->rows);
}

static void plot_height(ff_reproduction *study, const motion *m) {
  ff_page_plot(study->page, ff_reproduction_text(study, "%s: height", m->figure), seconds,
               (ff_axis){"height of the centre of mass", "m", false});
  ff_page_curve(study->page, "centre of mass", FF_CURVE_LINE, m->trace->time, m->trace->channels[Z],
                m->trace->rows);
}

static void plot_path(ff_reproduction *study, const motion *m) {
  const ff_trace *t = m->trace;
  ff_page_plot(study->page, ff_reproduction_text(study, "%s: path, from above", m->figure),
               (ff_axis){"x", "m", false}, (ff_axis){"y", "m", false});
  ff_page_curve(study->page, "centre of mass", FF_CURVE_LINE, t->channels[X], t->channels[Y],
                t->rows);
  ff_page_curve(study->page, "centre of pressure", FF_CURVE_DOT, t->channels[PX], t->channels[PY],
                t->rows);
}

/* Centre of mass and centre of pressure along one axis. */
static void plot_pressure(ff_reproduction *study, const motion *m, const char *label, int com,
                          int push) {
  const ff_trace *t = m->trace;
  ff_page_plot(study->page, ff_reproduction_text(study, "%s: centre of pressure", m->figure),
               seconds, (ff_axis){label, "m", false});
  ff_page_curve(study->page, "centre of mass", FF_CURVE_LINE, t->time, t->channels[com], t->rows);
  ff_page_curve(study->page, "centre of pressure", FF_CURVE_LINE, t->time, t->channels[push],
                t->rows);
}

static void plot_lean(ff_reproduction *study, const motion *m) {
  ff_page_plot(study->page, ff_reproduction_text(study, "%s: trunk", m->figure), seconds,
               (ff_axis){"lean from the vertical", "°", false});
  ff_page_curve(study->page, "trunk", FF_CURVE_LINE, m->trace->time, m->lean, m->trace->rows);
}

static void show_replay(ff_reproduction *study, const motion *m) {
  const char *const height[] = {channels[Z]};
  const char *const soles[] = {channels[LEFT], channels[RIGHT]};
  if (m->trace->run.id > 0) {
    ff_page_replay(study->page, m->trace->run);
    ff_page_panel(study->page, NULL, height, 1);
    ff_page_panel(study->page, NULL, soles, 2);
    ff_page_ledger(study->page, m->trace->run);
  }
}

static void add_audit(ff_reproduction *study, const motion *m, double step) {
  const ff_audit *a = &m->trace->audit;
  const char *cells[] = {
      m->figure,
      ff_reproduction_text(study, "%g", 1e3 * step),
      ff_reproduction_text(study, "%.2f", 1e3 * a->contact.penetration),
      ff_reproduction_text(study, "%.2g", a->contact.complementarity),
      ff_reproduction_text(study, "%.1g", a->contact.cone),
      ff_reproduction_text(study, "%.0f", a->contact_force),
      ff_reproduction_text(study, "%.1f", 1e3 * a->energy_residual),
      ff_reproduction_text(study, "%.2f", 100 * a->energy_residual / a->energy_scale)};
  ff_reproduction_row(study, cells);
}

static void show_audit(ff_reproduction *study, const motions_part *part) {
  static const char *const columns[] = {"motion", "step ms", "depth mm",  "compl. N",
                                        "cone N", "force N", "energy mJ", "energy %"};
  ff_page_section(study->page, "Figs. 10 to 12: audit");
  ff_reproduction_table(
      study,
      "Audit of Figs. 10 to 12, the worst of each run: penetration of rigid bodies, "
      "complementarity residual of a point, friction beyond its cone, the "
      "largest force of a point, and the residual of the ledger, also relative to "
      "the energy exchanged",
      columns, 8);
  for (int k = 0; k < MOTIONS; k++) {
    add_audit(study, &part->motions[k], 1e-3);
  }
  for (int k = 0; k < part->finer_count; k++) {
    add_audit(study, &part->finer[k], 1e-3 / (2 << k));
  }
  ff_page_text(
      study->page,
      "This model allows rigid bodies to penetrate: a point acts from the step on that finds "
      "it inside, and λ regularises. The audit converts metres to newtons by the stiffness of "
      "the membrane, so that complementarity shows the depth once more. Rigid impacts are "
      "impulses spread over one step: their force grows as the step shrinks.");
}

static void show_walk(ff_reproduction *study, const motions_part *part) {
  const motion *m = &part->motions[WALK];
  ff_page_section(study->page, "Fig. 10: a walk");
  ff_page_text(study->page,
               "%d steps of 40 mm and one that brings the feet together, on the floor of Figs. 7 "
               "to 9 with λ = 1 and steps of 1 ms. A controller measures joints, trunk and soles "
               "and controls "
               "the balance; how the paper's robot was controlled is not stated.",
               part->steps);
  plot_path(study, m);
  plot_pressure(study, m, "y, to the left", Y, PY);
  plot_height(study, m);
  plot_force(study, m);
  show_replay(study, m);
}

static void show_fall(ff_reproduction *study, const motions_part *part) {
  const motion *m = &part->motions[FALL];
  ff_page_section(study->page, "Fig. 11: a walk that fails");
  ff_page_text(
      study->page,
      "The footsteps of Fig. 9, planned ahead and replayed to servos of 60 N m/rad and 1 N m "
      "s/rad, without feedback. With servos of 200 and 3 the robot %s. Why the paper's walk "
      "failed is not stated. When and where the robot falls changes with the step. Forces "
      "are those of every tenth step.",
      stands(&part->stiff) ? "walks on and stands" : "falls as well");
  plot_path(study, m);
  plot_lean(study, m);
  plot_height(study, m);
  plot_force(study, m);
  show_replay(study, m);
}

static void show_jump(ff_reproduction *study, const motions_part *part) {
  const motion *m = &part->motions[JUMP];
  ff_page_section(study->page, "Fig. 12: a jump");
  ff_page_text(study->page, "The robot crouches by 50 mm, pushes itself off at a speed that would "
                            "carry its centre of mass up by 40 mm, flies and lands.");
  plot_height(study, m);
  plot_force(study, m);
  plot_pressure(study, m, "x, ahead", X, PX);
  plot_lean(study, m);
  show_replay(study, m);
}

static void show_part(ff_reproduction *study, const void *computed) {
  const motions_part *part = computed;
  show_walk(study, part);
  show_fall(study, part);
  show_jump(study, part);
  show_audit(study, part);
}

const ff_paper_part sugihara_motions = {
    .compute = compute_part, .report = report_part, .show = show_part};
