/* The materials of Fig. 4.
 *
 * The paper names them and shows curves, but gives neither the measured points nor K and D. K is
 * computed by eq. 10 from common moduli, and D from an assumed restitution at 1 m/s; cork is the
 * ground of Sec. 2.2, which has the radius of case B and a matching modulus. */
#include "azad.h"

#include <math.h>

enum { MATERIALS = 4, SPEEDS = 41 };

/* Moduli in Pa. */
static const struct {
  const char *key, *name, *chosen;
  double radius, young, poisson, restitution; /* young 0: K, D and m of the paper */
} materials[MATERIALS] = {
    {"A", "A: steel on cast iron", "D for e = 0.70 at 1 m/s", .0127, 110e9, .26, .70},
    {"B", "B: steel on cork", "K, D and m of Sec. 2.2", .0165, 0, 0, 0},
    {"C", "C: steel on brass", "D for e = 0.60 at 1 m/s", .0127, 100e9, .34, .60},
    {"D", "D: steel on lead", "D for e = 0.25 at 1 m/s", .0127, 16e9, .44, .25},
};
static const double steel_young = 210e9, steel_poisson = .3, steel_density = 7800;

typedef struct material {
  double k, d, mass;
  double e[SPEEDS];
  double slope; /* change of e over the decade around 1 m/s */
} material;

typedef struct material_part {
  double speed[SPEEDS]; /* 0.1 to 10 m/s */
  material all[MATERIALS];
} material_part;

/* [Azad10 eqs. 9, 10] */
static void choose(material *m, int index, const fit_part *fit) {
  *m = (material){.k = AZAD_K, .d = AZAD_D, .mass = AZAD_MASS};
  if (materials[index].young > 0) {
    double r = materials[index].radius, nu = materials[index].poisson;
    double modulus = 1 / ((1 - steel_poisson * steel_poisson) / steel_young +
                          (1 - nu * nu) / materials[index].young);
    m->k = 4.0 / 3 * modulus * sqrt(r);
    m->mass = steel_density * 4.0 / 3 * 3.14159265358979323846 * r * r * r;
    m->d = fit_damping(fit, m->k, m->mass, materials[index].restitution);
  }
}

static void *compute_part(ff_reproduction *study) {
  const fit_part *fit = ff_reproduction_part(study, &azad_fit);
  material_part *part = ff_reproduction_alloc(study, 1, sizeof *part);
  for (int i = 0; i < SPEEDS; i++) {
    part->speed[i] = pow(10, -1 + 2.0 * i / (SPEEDS - 1));
  }
  for (int k = 0; k < MATERIALS; k++) {
    material *m = &part->all[k];
    choose(m, k, fit);
    const char *settings = ff_reproduction_text(study, "K=%.17g D=%.17g", m->k, m->d);
    for (int i = 0; i < SPEEDS; i++) {
      m->e[i] =
          ff_reproduction_impact(study, "azad-featherstone", settings, m->mass, part->speed[i], 0)
              .restitution;
    }
    int middle = SPEEDS / 2, quarter = SPEEDS / 4;
    m->slope = m->e[middle + quarter] - m->e[middle - quarter];
    const char *key = ff_reproduction_text(study, "fig4.%s", materials[k].key);
    ff_reproduction_number(study, ff_reproduction_text(study, "%s.restitution", key), m->e[middle],
                           "1");
    ff_reproduction_number(study, ff_reproduction_text(study, "%s.slope", key), m->slope,
                           "1/decade");
  }
  return part;
}

static void report_part(ff_reproduction *study, const void *computed) {
  (void)computed;
  ff_reproduction_leave(study, "materials", NULL);
}

static void show_part(ff_reproduction *study, const void *computed) {
  const material_part *part = computed;
  const fit_part *fit = ff_reproduction_part(study, &azad_fit);
  static const char *const columns[] = {"case",
                                        "K, N/m^1.5",
                                        "D, N s/m^1.5",
                                        "m, kg",
                                        "chosen by",
                                        "e at 1 m/s",
                                        "change of e per decade there"};
  ff_page_section(study->page, "Fig. 4: materials");
  ff_page_text(study->page,
               "The paper compares with measured curves whose points it does not give, nor K and "
               "D. These are the model's curves alone, for parameters that are assumed: K by "
               "eq. 10 from common moduli, D so that e at 1 m/s is a round number of a likely "
               "size. Cork is the ground of Sec. 2.2: its sphere is that of case B, and its K "
               "means a modulus of 50 MPa. Levels are therefore not a result; shapes are.");
  ff_page_plot(study->page, "Fig. 4: the model, parameters assumed",
               (ff_axis){"impact speed", "m/s", true}, (ff_axis){"restitution", "1", false});
  for (int k = 0; k < MATERIALS; k++) {
    ff_page_curve(study->page, materials[k].name, FF_CURVE_LINE, part->speed, part->all[k].e,
                  SPEEDS);
  }
  fit_mark(study, fit);
  ff_page_table(study->page, "Parameters of Fig. 4", columns, sizeof columns / sizeof *columns);
  for (int k = 0; k < MATERIALS; k++) {
    const material *m = &part->all[k];
    ff_page_row(study->page,
                (const char *[]){materials[k].name, ff_reproduction_text(study, "%.3g", m->k),
                                 ff_reproduction_text(study, "%.3g", m->d),
                                 ff_reproduction_text(study, "%.3g", m->mass), materials[k].chosen,
                                 ff_reproduction_text(study, "%.3f", m->e[SPEEDS / 2]),
                                 ff_reproduction_text(study, "%.3f", m->slope)});
  }
}

const ff_paper_part azad_materials = {
    .compute = compute_part, .report = report_part, .show = show_part};
