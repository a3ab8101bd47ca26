/* Force and moments of an ellipsoid over depth, tilt and speed, Sec. 4. */
#include "brown.h"

#include <math.h>
#include <stddef.h>

enum { POINTS = 61, TILTS = 4, DEPTHS = 3 };

/* Loads on the body: against depth, sliding, rolling about the second axis and spinning. */
typedef struct push {
  double normal, slide, roll, spin; /* N, N, N m, N m */
} push;

/* How it moves; rolling is about the second axis, which lies in the plane. */
typedef struct motion {
  double approach, slip, roll, spin; /* m/s, m/s, rad/s, rad/s */
} motion;

/* One curve for each quantity over one variable. */
typedef struct course {
  double normal[POINTS], slide[POINTS], roll[POINTS], spin[POINTS];
} course;

typedef struct curves_part {
  double depth[POINTS], tilt[POINTS], approach[POINTS], slip[POINTS], spin[POINTS];
  course by_depth[TILTS];                  /* at 0, 0.3, 0.6 and 0.9 rad */
  course by_tilt, by_tilt_printed;         /* d = 0.2; printed: eq. 37 */
  course by_approach, by_approach_printed; /* d = 0.2; printed: eq. 44 */
  course by_speed[DEPTHS];                 /* d = 0.1, 0.2, 0.4: slip and spin */
} curves_part;

/* ---- one patch ------------------------------------------------------------------------------- */

static push push_of(ff_reproduction *study, const ff_volume *v, const motion *m, bool printed) {
  const char *const normal_names[] = {"k_V", "a_V", "printed"};
  const double normal_values[] = {5e6, 1, printed};
  static const char *const friction_names[] = {"mu_s", "mu_d", "v_t", "omega_t"};
  static const double friction_values[] = {0.8, 0.5, 0.01, 0.1};
  ff_law_params params[2];
  const ff_law *normal = brown_law(study, "volumetric", &params[0], normal_names, normal_values, 3);
  const ff_law *friction =
      brown_law(study, "continuous", &params[1], friction_names, friction_values, 4);
  const double axis[2] = {v->frame.m[0][1], v->frame.m[1][1]};
  ff_patch patch = ff_volume_patch(v, (ff_vec3){0, 0, 0}, (ff_vec3){0, 0, 0});
  patch.depth_rate = m->approach;
  patch.slip[0] = m->slip;
  patch.spin = m->spin;
  patch.roll[0] = m->roll * axis[0];
  patch.roll[1] = m->roll * axis[1];
  ff_normal up = {0};
  ff_friction drag;
  ff_law_normal(normal, &params[0], &patch, &up);
  ff_law_friction(friction, &params[1], &patch, &up, NULL, &drag);
  return (push){.normal = up.force,
                .slide = -drag.force[0],
                .roll = -up.moment[0] * axis[0] - up.moment[1] * axis[1],
                .spin = -drag.moment[0]};
}

static void put(course *out, int i, push p) {
  out->normal[i] = p.normal;
  out->slide[i] = p.slide;
  out->roll[i] = p.roll;
  out->spin[i] = p.spin;
}

/* The plane is tilted by this angle about the second axis. */
static ff_volume leaning(ff_reproduction *study, double tilt, double d, bool printed) {
  return brown_overlap(study, (ff_vec3){sin(tilt), 0, cos(tilt)}, d, printed);
}

/* ---- all curves ------------------------------------------------------------------------------ */

static double tilt_of(int t) {
  return 0.3 * t;
}

static double depth_of(int k) {
  return 0.1 * (1 << k);
}

/* Far beyond v_t and omega_t, and 1 rad/s of rolling. */
static const motion brisk = {.slip = 1, .roll = 1, .spin = 10};

static void over_place(ff_reproduction *study, curves_part *part, int i) {
  double along = (double)i / (POINTS - 1);
  part->depth[i] = 2 * along;
  part->tilt[i] = 1.5 * along;
  for (int t = 0; t < TILTS; t++) {
    ff_volume v = leaning(study, tilt_of(t), part->depth[i], false);
    put(&part->by_depth[t], i, push_of(study, &v, &brisk, false));
  }
  ff_volume exact = leaning(study, part->tilt[i], 0.2, false);
  ff_volume printed = leaning(study, part->tilt[i], 0.2, true);
  put(&part->by_tilt, i, push_of(study, &exact, &brisk, false));
  put(&part->by_tilt_printed, i, push_of(study, &printed, &brisk, false));
}

static void over_speed(ff_reproduction *study, curves_part *part, int i) {
  double along = (double)i / (POINTS - 1);
  part->approach[i] = 3 * along - 1.5;
  part->slip[i] = 0.06 * along;
  part->spin[i] = 0.6 * along;
  ff_volume v = leaning(study, 0.6, 0.2, false);
  motion falling = {.approach = part->approach[i]};
  put(&part->by_approach, i, push_of(study, &v, &falling, false));
  put(&part->by_approach_printed, i, push_of(study, &v, &falling, true));
  for (int k = 0; k < DEPTHS; k++) {
    ff_volume deep = leaning(study, 0.6, depth_of(k), false);
    motion sliding = {.slip = part->slip[i], .spin = part->spin[i]};
    put(&part->by_speed[k], i, push_of(study, &deep, &sliding, false));
  }
}

static void *compute_part(ff_reproduction *study) {
  curves_part *part = ff_reproduction_alloc(study, 1, sizeof *part);
  for (int i = 0; i < POINTS; i++) {
    over_place(study, part, i);
    over_speed(study, part, i);
  }
  ff_volume v = brown_overlap(study, (ff_vec3){0.6, -0.3, 0.7}, 0.2, false);
  push example = push_of(study, &v, &brisk, false);
  ff_reproduction_number(study, "force.normal", example.normal, "N");
  ff_reproduction_number(study, "force.slide", example.slide, "N");
  ff_reproduction_number(study, "moment.spin", example.spin, "N m");
  return part;
}

/* ---- figures --------------------------------------------------------------------------------- */

static void show_depth(ff_reproduction *study, const curves_part *part) {
  static const struct {
    const char *title, *label, *unit;
    size_t where;
  } plots[] = {
      {"Eq. 44: normal force over depth", "F_n", "N", offsetof(course, normal)},
      {"Eq. 45: moment against rolling, over depth", "τ_r at 1 rad/s", "N m",
       offsetof(course, roll)},
      {"Eq. 50: moment against spinning, over depth", "τ_s", "N m", offsetof(course, spin)}};
  for (size_t k = 0; k < sizeof plots / sizeof *plots; k++) {
    ff_page_plot(study->page, plots[k].title, (ff_axis){"depth d", "1", false},
                 (ff_axis){plots[k].label, plots[k].unit, false});
    for (int t = 0; t < TILTS; t++) {
      const void *from = (const char *)&part->by_depth[t] + plots[k].where;
      ff_page_curve(study->page, ff_reproduction_text(study, "tilt %.1f rad", tilt_of(t)),
                    FF_CURVE_LINE, part->depth, from, POINTS);
    }
  }
}

static void show_tilt(ff_reproduction *study, const curves_part *part) {
  ff_page *page = study->page;
  const ff_axis tilt = {"tilt", "rad", false};
  const course *exact = &part->by_tilt, *printed = &part->by_tilt_printed;
  ff_page_plot(page, "Eq. 44: normal force over tilt, d = 0.2", tilt, (ff_axis){"F_n", "N", false});
  ff_page_curve(page, "normal force", FF_CURVE_LINE, part->tilt, exact->normal, POINTS);
  ff_page_plot(page, "Eq. 45: moment against rolling, over tilt, d = 0.2", tilt,
               (ff_axis){"τ_r at 1 rad/s", "N m", false});
  ff_page_curve(page, "J of eq. 37", FF_CURVE_DASH, part->tilt, printed->roll, POINTS);
  ff_page_curve(page, "exact J", FF_CURVE_LINE, part->tilt, exact->roll, POINTS);
  ff_page_plot(page, "Eq. 50: moment against spinning, over tilt, d = 0.2", tilt,
               (ff_axis){"τ_s", "N m", false});
  ff_page_curve(page, "J of eq. 37", FF_CURVE_DASH, part->tilt, printed->spin, POINTS);
  ff_page_curve(page, "exact J", FF_CURVE_LINE, part->tilt, exact->spin, POINTS);
}

static void show_speed(ff_reproduction *study, const curves_part *part) {
  ff_page *page = study->page;
  ff_page_plot(page, "Eq. 44: normal force over speed, d = 0.2",
               (ff_axis){"speed of approach", "m/s", false}, (ff_axis){"F_n", "N", false});
  ff_page_curve(page, "eq. 44 as printed", FF_CURVE_DASH, part->approach,
                part->by_approach_printed.normal, POINTS);
  ff_page_curve(page, "signed", FF_CURVE_LINE, part->approach, part->by_approach.normal, POINTS);
  ff_page_plot(page, "Eq. 47: friction over speed", (ff_axis){"slip", "m/s", false},
               (ff_axis){"F_t", "N", false});
  for (int k = 0; k < DEPTHS; k++) {
    ff_page_curve(page, ff_reproduction_text(study, "d = %.1f", depth_of(k)), FF_CURVE_LINE,
                  part->slip, part->by_speed[k].slide, POINTS);
  }
  ff_page_plot(page, "Eq. 50: moment against spinning, over its rate",
               (ff_axis){"spin", "rad/s", false}, (ff_axis){"τ_s", "N m", false});
  for (int k = 0; k < DEPTHS; k++) {
    ff_page_curve(page, ff_reproduction_text(study, "d = %.1f", depth_of(k)), FF_CURVE_LINE,
                  part->spin, part->by_speed[k].spin, POINTS);
  }
}

static void show_part(ff_reproduction *study, const void *computed) {
  const curves_part *part = computed;
  ff_page_section(study->page, "Force and moments over depth, tilt and speed");
  ff_page_text(
      study->page,
      "Semi-axes 12, 5 and 3 cm, plane tilted about the second axis, which is also the one "
      "of rolling; k_V = 5e6 N/m³, a_V = 1 s/m, μ_s = 0.8, μ_d = 0.5, v_t = 1 cm/s, ω_t = "
      "0.1 rad/s. Over depth and tilt the body slides and spins far faster than v_t and "
      "ω_t. Over speed the tilt is 0.6 rad. τ_s has the lever √(J/V). The volume, and with it "
      "F_n, depends on d alone: its curves for all tilts are one.");
  show_depth(study, part);
  show_tilt(study, part);
  show_speed(study, part);
}

const ff_paper_part brown_curves = {.compute = compute_part, .show = show_part};
