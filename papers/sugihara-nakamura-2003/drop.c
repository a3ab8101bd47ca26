/* A drop of 0.05 m, Fig. 6: the three forms of micro forces at three steps. */
#include "sugihara.h"

#include <math.h>

enum { FORMS = 3, STEPS = 3, CASES = 10, DRIVEN = 6, BALLS = 10 };

static const char *const forms[FORMS] = {"conventional", "literal", "implicit"};
static const double steps[STEPS] = {1e-3, 2.5e-3, 5e-3};

/* Open in the paper: how joints are driven, the pose, and whether k and c belong to a vertex or to
 * a foot of four. */
typedef struct setting {
  const char *name, *servo, *joints;
  double from;   /* m, height of the trunk at the start */
  double stands; /* m, height of the trunk where the feet touch */
  double share;  /* 1, of k and c at a vertex */
} setting;

#define STRAIGHT "{}", 0.28
#define BENT                                                                                       \
  "{left_hip_pitch: {position: -0.5}, left_knee: {position: 1}, left_ankle_pitch: {position: "     \
  "-0.5}, right_hip_pitch: {position: -0.5}, right_knee: {position: 1}, right_ankle_pitch: "       \
  "{position: -0.5}}",                                                                             \
      0.255516512

/* The first DRIVEN of them have implicit drives. */
static const setting settings[CASES] = {
    {"200/3 implicit, straight", "{stiffness: 200, damping: 3}", STRAIGHT, 0.23, 1},
    {"200/3 implicit, bent", "{stiffness: 200, damping: 3}", BENT, 0.2055, 1},
    {"30/0.5 implicit, straight", "{stiffness: 30, damping: 0.5}", STRAIGHT, 0.23, 1},
    {"30/0.5 implicit, bent", "{stiffness: 30, damping: 0.5}", BENT, 0.2055, 1},
    {"30/0.5 implicit, straight, per foot", "{stiffness: 30, damping: 0.5}", STRAIGHT, 0.23, 0.25},
    {"30/0.5 implicit, bent, per foot", "{stiffness: 30, damping: 0.5}", BENT, 0.2055, 0.25},
    {"20/0.05 explicit, straight", "{stiffness: 20, damping: 0.05, explicit: true}", STRAIGHT, 0.23,
     1},
    {"20/0.05 explicit, bent", "{stiffness: 20, damping: 0.05, explicit: true}", BENT, 0.2055, 1},
    {"20/0.05 explicit, straight, per foot", "{stiffness: 20, damping: 0.05, explicit: true}",
     STRAIGHT, 0.23, 0.25},
    {"20/0.05 explicit, bent, per foot", "{stiffness: 20, damping: 0.05, explicit: true}", BENT,
     0.2055, 0.25},
};

/* The robot has leapt if it is higher than this above its standing height. */
static const double leap = 0.02, landed = 0.15; /* m, s */

typedef struct fall {
  const ff_trace *trace;
  double highest; /* m, above its standing height, after the landing */
  bool ended;     /* a step could not be completed */
} fall;

/* Contact points of a drop, step by step. */
typedef struct burst {
  const ff_trace *trace;
  double count[1001], force[1001]; /* at the ends of steps; N */
} burst;

typedef struct drop_part {
  fall falls[CASES][FORMS][STEPS];
  double kept[FORMS]; /* largest energy of a ball after a bounce over that before */
  burst *landing;     /* Eq. 14, 2.5 ms, soft drives */
  double most;        /* contact points that come in one step */
  double at_burst;    /* force at the end of that step over the largest of the landing */
} drop_part;

double sugihara_jitter(ff_reproduction *study) {
  return 1e-6 * ff_reproduction_random(study);
}

static bool leaps(const fall *f) {
  return f->ended || !(f->highest < leap);
}

static fall run(ff_reproduction *study, const setting *s, int form, int step) {
  static const char *const height[] = {"body.humanoid-trunk.position.z"};
  const char *const set[] = {ff_reproduction_text(study, "stepper.step=%g", steps[step]),
                             ff_reproduction_text(study, "stepper.micro=%s", forms[form]),
                             ff_reproduction_text(study, "robots.humanoid.servo=%s", s->servo),
                             ff_reproduction_text(study, "robots.humanoid.joints=%s", s->joints),
                             ff_reproduction_text(study, "robots.humanoid.position=[0, 0, %.9g]",
                                                  s->from + sugihara_jitter(study)),
                             ff_reproduction_text(study, "contacts.0.normal.k=%g", 4410 * s->share),
                             ff_reproduction_text(study, "contacts.0.normal.c=%g", 282 * s->share)};
  long samples = 1 + lround(1 / steps[step]); /* at the ends of all steps */
  fall out = {0};
  out.trace =
      ff_reproduction_run(study, &(ff_trial){.scene = "papers/sugihara-nakamura-2003/drop.yaml",
                                             .set = set,
                                             .set_count = 7,
                                             .channels = height,
                                             .channel_count = 1,
                                             .samples = samples,
                                             .as_given = true,
                                             .may_fail = true});
  out.ended = out.trace->rows < samples;
  for (long i = 0; i < out.trace->rows; i++) {
    if (out.trace->time[i] > landed) {
      out.highest = fmax(out.highest, out.trace->channels[0][i] - s->stands);
    }
  }
  return out;
}

/* ---- a ball, and the contact points of a landing --------------------------------------------- */

/* Energy of a ball after a bounce without damping, over that before. */
static double bounce(ff_reproduction *study, const char *form, double height) {
  static const char *const channels[] = {"body.ball.velocity.z"};
  const char *const set[] = {
      ff_reproduction_text(
          study, "stepper={kind: micro-macro, step: 2.5e-3, micro: %s, corrections: false}", form),
      ff_reproduction_text(study, "bodies.ball.position=[0, 0, %.17g]", 0.1 + height)};
  const ff_trace *trace =
      ff_reproduction_run(study, &(ff_trial){.scene = "papers/sugihara-nakamura-2003/ball.yaml",
                                             .set = set,
                                             .set_count = 2,
                                             .as_given = true,
                                             .channels = channels,
                                             .channel_count = 1,
                                             .samples = 101});
  const ff_event *lift = ff_trace_event(trace, FF_EVENT_LIFT);
  return lift ? lift->speed * lift->speed / (2 * 9.81 * height) : 0;
}

static void bounce_balls(ff_reproduction *study, drop_part *part) {
  for (int i = 0; i < BALLS; i++) {
    double height = 0.04 + 0.02 * ff_reproduction_random(study);
    for (int f = 0; f < FORMS; f++) {
      part->kept[f] = fmax(part->kept[f], bounce(study, forms[f], height));
    }
  }
}

static void watch_points(void *context, const ff_sim *sim, long row) {
  burst *b = context;
  for (int i = 0; i < ff_sim_contact_count(sim); i++) {
    ff_contact contact = ff_sim_contact(sim, i);
    b->count[row] += contact.force_n > 0;
    b->force[row] += contact.force_n;
  }
}

/* The landing with soft implicit drives, step by step of 2.5 ms. */
static void land(ff_reproduction *study, drop_part *part) {
  static const char *const height[] = {"body.humanoid-trunk.position.z"};
  const char *const set[] = {
      "stepper={kind: micro-macro, step: 2.5e-3, micro: literal, corrections: false}",
      "robots.humanoid.servo={stiffness: 30, damping: 0.5}",
      ff_reproduction_text(study, "robots.humanoid.position=[0, 0, %.9g]",
                           0.28 + sugihara_jitter(study))};
  burst *b = part->landing = ff_reproduction_alloc(study, 1, sizeof *b);
  b->trace =
      ff_reproduction_run(study, &(ff_trial){.scene = "papers/sugihara-nakamura-2003/drop.yaml",
                                             .set = set,
                                             .set_count = 3,
                                             .as_given = true,
                                             .channels = height,
                                             .channel_count = 1,
                                             .span = 0.25,
                                             .samples = 101,
                                             .may_fail = true,
                                             .watch = watch_points,
                                             .context = b});
  double largest = 0;
  long at = 0;
  for (long i = 1; i < b->trace->rows; i++) {
    largest = fmax(largest, b->force[i]);
    if (b->count[i] - b->count[i - 1] > part->most) {
      part->most = b->count[i] - b->count[i - 1];
      at = i;
    }
  }
  part->at_burst = largest > 0 ? b->force[at] / largest : 0;
}

static void *compute_part(ff_reproduction *study) {
  drop_part *part = ff_reproduction_alloc(study, 1, sizeof *part);
  for (int c = 0; c < CASES; c++) {
    for (int f = 0; f < FORMS; f++) {
      for (int s = 0; s < STEPS; s++) {
        part->falls[c][f][s] = run(study, &settings[c], f, s);
        ff_reproduction_number(study,
                               ff_reproduction_text(study, "drop.case%d.%s.step%g.highest", c + 1,
                                                    forms[f], 1e3 * steps[s]),
                               part->falls[c][f][s].highest, "m");
      }
    }
  }
  bounce_balls(study, part);
  land(study, part);
  return part;
}

/* Number of settings in which the robot stays on the floor. */
static int stays(const drop_part *part, int form, int step) {
  int count = 0;
  for (int c = 0; c < CASES; c++) {
    count += !leaps(&part->falls[c][form][step]);
  }
  return count;
}

static void judge_share(ff_reproduction *study, const char *key, int count) {
  ff_reproduction_judge(
      study, key, ff_reproduction_text(study, "in %d of %d settings", count, CASES), count, count);
}

/* Number of settings in which all four statements of Fig. 6 are true. */
static int together(const drop_part *part) {
  int count = 0;
  for (int c = 0; c < CASES; c++) {
    const fall(*f)[STEPS] = part->falls[c];
    count += !leaps(&f[0][0]) && !leaps(&f[1][0]) && leaps(&f[0][1]) && !leaps(&f[1][1]);
  }
  return count;
}

/* Number of settings and steps in which the robot rises less with Eq. 14 than with Eq. 13. */
static int suppressed(const drop_part *part) {
  int count = 0;
  for (int c = 0; c < CASES; c++) {
    for (int s = 0; s < 2; s++) {
      const fall *with = &part->falls[c][1][s], *without = &part->falls[c][0][s];
      count += with->ended ? without->ended : without->ended || with->highest <= without->highest;
    }
  }
  return count;
}

static void report_part(ff_reproduction *study, const void *computed) {
  const drop_part *part = computed;
  judge_share(study, "conventional-1ms", stays(part, 0, 0));
  judge_share(study, "literal-1ms", stays(part, 1, 0));
  judge_share(study, "conventional-2.5ms", CASES - stays(part, 0, 1));
  judge_share(study, "literal-2.5ms", stays(part, 1, 1));
  int all = together(part);
  ff_reproduction_judge(
      study, "fig6", ff_reproduction_text(study, "all four in %d of %d settings", all, CASES), all);
  int implicit = 0, driven = 0;
  for (int s = 0; s < STEPS; s++) {
    implicit += stays(part, 2, s);
    for (int c = 0; c < DRIVEN; c++) {
      driven += !leaps(&part->falls[c][2][s]);
    }
  }
  ff_reproduction_judge(study, "implicit",
                        ff_reproduction_text(study,
                                             "in %d of %d settings and steps; with implicit drives "
                                             "in %d of %d",
                                             implicit, CASES * STEPS, driven, DRIVEN * STEPS),
                        driven);
  ff_reproduction_judge(study, "energy-suppression",
                        ff_reproduction_text(study,
                                             "a ball keeps up to %.4f of its energy with Eq. 13, "
                                             "%.4f with Eq. 14; the robot rises no higher in %d of "
                                             "%d runs",
                                             part->kept[0], part->kept[1], suppressed(part),
                                             2 * CASES),
                        part->kept[0], part->kept[1], suppressed(part));
  ff_reproduction_judge(study, "burst",
                        ff_reproduction_text(study,
                                             "%.0f points come in one step; the force then is %.2f "
                                             "of the largest",
                                             part->most, part->at_burst),
                        part->most, part->at_burst);
}

static const char *outcome(ff_reproduction *study, const fall *f) {
  return f->ended ? "diverges"
                  : ff_reproduction_text(study, "%s, %.1f mm", leaps(f) ? "leaps" : "stays",
                                         1e3 * f->highest);
}

static void show_table(ff_reproduction *study, const drop_part *part) {
  static const char *const columns[] = {"joints and legs", "step ms", "Eq. 13", "Eq. 14",
                                        "implicit"};
  ff_reproduction_table(
      study,
      "Highest point of the trunk above where it stands, after the landing: more than "
      "20 mm is a leap",
      columns, 5);
  for (int c = 0; c < CASES; c++) {
    for (int s = 0; s < STEPS; s++) {
      const char *cells[5] = {settings[c].name, ff_reproduction_text(study, "%g", 1e3 * steps[s])};
      for (int f = 0; f < FORMS; f++) {
        cells[2 + f] = outcome(study, &part->falls[c][f][s]);
      }
      ff_reproduction_row(study, cells);
    }
  }
}

static void show_part(ff_reproduction *study, const void *computed) {
  const drop_part *part = computed;
  static const char *const names[FORMS] = {"conventional (Eq. 13)", "literal (Eq. 14)", "implicit"};
  ff_page_section(study->page, "Fig. 6: a drop of 0.05 m");
  ff_page_text(
      study->page,
      "The paper does not state how the joints are driven (gains in N m/rad and N m s/rad; "
      "implicit drives act on the state at the end of the step), nor whether k and c are "
      "those of a vertex or of a foot. With stiff implicit drives the whole leg lands as "
      "one; with soft ones the foot is independent, and it is light. Heights end where "
      "they leave the picture.");
  for (int c = 2; c < CASES; c += 7) { /* one that leaps at every step, one at long steps */
    for (int s = 0; s < 2; s++) {
      ff_page_plot(
          study->page,
          ff_reproduction_text(study, "Fig. 6: %s, %g ms", settings[c].name, 1e3 * steps[s]),
          (ff_axis){"time", "s", false}, (ff_axis){"height of the trunk", "m", false});
      for (int f = 0; f < FORMS; f++) {
        const ff_trace *trace = part->falls[c][f][s].trace;
        long rows = 0;
        while (rows < trace->rows && fabs(trace->channels[0][rows] - 0.3) < 0.3) {
          rows++;
        }
        ff_page_curve(study->page, names[f], f == 1 ? FF_CURVE_DASH : FF_CURVE_LINE, trace->time,
                      trace->channels[0], rows);
      }
    }
  }
  show_table(study, part);
}

const ff_paper_part sugihara_drop = {
    .compute = compute_part, .report = report_part, .show = show_part};
