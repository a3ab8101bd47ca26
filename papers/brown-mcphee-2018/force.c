/* Forces and moments, Sec. 4. */
#include "brown.h"

#include <math.h>

enum { CURVE = 121, SAMPLES = 451 };

typedef struct force_part {
  double speed[CURVE], mu[CURVE];   /* over v_t; eq. 48 for mu_s = 0.8, mu_d = 0.5 */
  double peak, peak_at, level;      /* of it */
  double creep;                     /* over v_t, under half of the static load */
  double at_rest;                   /* friction at no speed, over N */
  double power;                     /* of length in eq. 50 at a given force */
  const ff_trace *printed, *damped; /* drops */
  double up_printed, up_damped;     /* energy after the bounce over that before */
  double ratio[CURVE], apart[CURVE], together[CURVE]; /* force over mu N against spin */
  double at_one;                                      /* together where v = omega r_g */
} force_part;

const ff_law *brown_law(ff_reproduction *study, const char *name, ff_law_params *params,
                        const char *const *names, const double *values, int count) {
  ff_report report = {0};
  const ff_law *law;
  ff_status status = ff_law_lookup(&law, FF_LAW_ANY, name, &report);
  if (status == FF_OK) {
    ff_law_params_default(law, params);
  }
  for (int i = 0; i < count && status == FF_OK; i++) {
    status = ff_law_params_set(law, params, names[i], values[i], &report);
  }
  status = status == FF_OK ? ff_law_params_resolve(law, params, NULL, &report) : status;
  if (status != FF_OK) {
    study->fail(study->context, status, &report);
  }
  return law;
}

static double friction(const ff_law *law, const ff_law_params *params, const ff_patch *patch) {
  ff_friction out;
  ff_law_friction(law, params, patch, &(ff_normal){.force = 1}, NULL, &out);
  return -out.force[0];
}

/* Largest friction and its speed, by golden section: the curve has one maximum. */
static void find_peak(const ff_law *law, const ff_law_params *params, force_part *part) {
  const double golden = (sqrt(5) - 1) / 2;
  double low = 0, high = 6;
  for (int i = 0; i < 60; i++) {
    double a = high - golden * (high - low), b = low + golden * (high - low);
    bool left = friction(law, params, &(ff_patch){.depth = 1e-3, .slip = {a, 0}}) >
                friction(law, params, &(ff_patch){.depth = 1e-3, .slip = {b, 0}});
    high = left ? b : high;
    low = left ? low : a;
  }
  part->peak_at = 0.5 * (low + high);
  part->peak = friction(law, params, &(ff_patch){.depth = 1e-3, .slip = {part->peak_at, 0}});
}

static void compute_curve(ff_reproduction *study, force_part *part) {
  static const char *const names[] = {"mu_s", "mu_d", "v_t"};
  static const double values[] = {0.8, 0.5, 1};
  ff_law_params params;
  const ff_law *law = brown_law(study, "continuous", &params, names, values, 3);
  double low = 0, high = 1; /* creep under a load of 0.4 N per N */
  for (int i = 0; i < CURVE; i++) {
    part->speed[i] = 0.05 * i;
    part->mu[i] = friction(law, &params, &(ff_patch){.depth = 1e-3, .slip = {part->speed[i], 0}});
  }
  find_peak(law, &params, part);
  part->at_rest = friction(law, &params, &(ff_patch){.depth = 1e-3});
  part->level = friction(law, &params, &(ff_patch){.depth = 1e-3, .slip = {1e4, 0}});
  for (int i = 0; i < 60; i++) {
    double middle = 0.5 * (low + high);
    ff_patch patch = {.depth = 1e-3, .slip = {middle, 0}};
    *(friction(law, &params, &patch) < 0.4 ? &low : &high) = middle;
  }
  part->creep = high;
}

/* A ball of 1 m at a depth of 0.15 mm: its patch, of radius of gyration 1 cm, slides at 1 m/s at
 * increasing spin. */
static void compute_coupling(ff_reproduction *study, force_part *part) {
  const ff_volume_def ball = {
      .kind = FF_SPHERE, .size = {1, 0, 0}, .point = {0, 0, -0.99985}, .normal = {0, 0, 1}};
  ff_volume volume;
  ff_edge edges[FF_EDGES_MAX];
  ff_report report = {0};
  ff_status status = ff_volume_compute(&volume, &ball, &report);
  if (status != FF_OK) {
    study->fail(study->context, status, &report);
  }
  int count = ff_volume_edges(&ball, edges);
  double radius = sqrt(volume.J_contact.m[2][2] / volume.volume);
  for (int coupled = 0; coupled < 2; coupled++) {
    const char *names[] = {"mu_s", "v_t", "coupled"};
    const double values[] = {1, 1e-6, coupled};
    ff_law_params params;
    const ff_law *law = brown_law(study, "continuous", &params, names, values, 3);
    for (int i = 0; i < CURVE; i++) {
      part->ratio[i] = pow(10, -2 + 4.0 * i / (CURVE - 1));
      ff_patch patch =
          ff_volume_patch(&volume, (ff_vec3){1, 0, 0}, (ff_vec3){0, 0, part->ratio[i] / radius});
      patch.edges = edges;
      patch.edge_count = count;
      (coupled ? part->together : part->apart)[i] = friction(law, &params, &patch);
    }
  }
  part->at_one = part->together[(CURVE - 1) / 2];
}

static const ff_trace *drop(ff_reproduction *study, const char *printed, double *returned) {
  static const char *const channels[] = {"body.ball.position.z", "contact.ball:floor.force.n"};
  const char *const set[] = {ff_reproduction_text(study, "contacts.0.normal.printed=%s", printed)};
  const ff_trace *trace =
      ff_reproduction_run(study, &(ff_trial){.scene = "papers/brown-mcphee-2018/drop.yaml",
                                             .set = set,
                                             .set_count = 1,
                                             .channels = channels,
                                             .channel_count = 2,
                                             .samples = SAMPLES});
  const ff_event *lift = ff_trace_event(trace, FF_EVENT_LIFT);
  *returned = lift ? lift->speed * lift->speed / (2 * 9.81 * 0.05) : 0; /* it falls by 5 cm */
  return trace;
}

static void *compute_part(ff_reproduction *study) {
  force_part *part = ff_reproduction_alloc(study, 1, sizeof *part);
  compute_curve(study, part);
  compute_coupling(study, part);
  ff_volume small = brown_overlap(study, (ff_vec3){0.6, -0.3, 0.7}, 0.2, false);
  ff_volume_def twice =
      brown_cut((ff_vec3){0.24, 0.1, 0.06}, (ff_vec3){0.6, -0.3, 0.7}, 0.2, false);
  ff_volume large = brown_volume(study, &twice);
  part->power =
      log2(large.J_contact.m[2][2] / large.volume) - log2(small.J_contact.m[2][2] / small.volume);
  part->printed = drop(study, "true", &part->up_printed);
  part->damped = drop(study, "false", &part->up_damped);
  ff_reproduction_number(study, "friction.peak", part->peak, "1");
  ff_reproduction_number(study, "coupling.at_one", part->at_one, "1");
  return part;
}

static void report_part(ff_reproduction *study, const void *computed) {
  const force_part *part = computed;
  double residual = part->damped->audit.energy_residual / part->damped->audit.energy_scale;
  ff_reproduction_judge(
      study, "damping",
      ff_reproduction_text(study, "a ball keeps %.6f of its energy in a bounce", part->up_printed),
      part->up_printed);
  ff_reproduction_judge(
      study, "damping-signed",
      ff_reproduction_text(study, "a ball keeps %.4f of its energy in a bounce", part->up_damped),
      part->up_damped);
  ff_reproduction_judge(study, "potential",
                        ff_reproduction_text(study, "to %.1e of the energy exchanged", residual),
                        residual);
  ff_reproduction_judge(study, "friction-curve",
                        ff_reproduction_text(study, "%.5f at %.3f v_t, %.4f far away", part->peak,
                                             part->peak_at, part->level),
                        part->peak, part->peak_at, part->level);
  ff_reproduction_judge(study, "no-stiction",
                        ff_reproduction_text(study,
                                             "creeps at %.3f v_t under half of the static load; %g "
                                             "N at rest",
                                             part->creep, part->at_rest),
                        part->creep, part->at_rest);
  ff_reproduction_judge(study, "spin-units",
                        ff_reproduction_text(study, "length to the power %.6f: N m²", part->power),
                        part->power);
  ff_reproduction_judge(
      study, "contensou",
      ff_reproduction_text(study, "%.3f of μN at any spin; %.3f where v = ω r if coupled",
                           part->apart[CURVE - 1], part->at_one),
      fabs(part->apart[CURVE - 1] - 1), part->at_one);
}

static void show_part(ff_reproduction *study, const void *computed) {
  const force_part *part = computed;
  ff_page *page = study->page;
  ff_page_section(page, "Forces");
  ff_page_plot(page, "Eq. 48, μ_s = 0.8, μ_d = 0.5", (ff_axis){"v / v_t", "1", false},
               (ff_axis){"μ", "1", false});
  ff_page_curve(page, "friction", FF_CURVE_LINE, part->speed, part->mu, CURVE);
  ff_page_plot(page, "Sliding while spinning", (ff_axis){"ω r / v", "1", true},
               (ff_axis){"force over μN", "1", false});
  ff_page_curve(page, "paper: uncoupled", FF_CURVE_DASH, part->ratio, part->apart, CURVE);
  ff_page_curve(page, "coupled", FF_CURVE_LINE, part->ratio, part->together, CURVE);
  ff_page_plot(page, "A ball dropped from 5 cm", (ff_axis){"time", "s", false},
               (ff_axis){"height of its centre", "m", false});
  ff_page_curve(page, "eq. 44 as printed", FF_CURVE_DASH, part->printed->time,
                part->printed->channels[0], part->printed->rows);
  ff_page_curve(page, "signed", FF_CURVE_LINE, part->damped->time, part->damped->channels[0],
                part->damped->rows);
}

const ff_paper_part brown_force = {
    .compute = compute_part, .report = report_part, .show = show_part};
