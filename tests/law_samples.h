/* Random laws' parameters, material pairs and patches, for tests of all laws at once. */
#ifndef FF_TESTS_LAW_SAMPLES_H
#define FF_TESTS_LAW_SAMPLES_H

#include "footfall/law.h"
#include "testing.h"

/* What overlaps a plane: a paraboloid with these radii of curvature, the first one turned from
 * t1. Its overlap is simple and exact at any depth. */
typedef struct bowl {
  double radius[2]; /* m */
  double turn;      /* rad */
  double lean;      /* 1, of the second axis: how far layers are moved, over the section's size */
  bool hidden;      /* nobody asked for the overlap */
} bowl;

/* One law at one point of its parameter space, touching in one way. */
typedef struct sample {
  const ff_law *law;
  ff_law_params params;
  ff_patch patch;
  bowl bowl;
  bool edged;     /* friction: the patch has edges too */
  ff_normal load; /* for friction laws: what the normal law gave */
  double memory[FF_MEMORY_MAX];
} sample;

/* Between low and high, evenly over the orders of magnitude. */
static inline double log_between(uint64_t *seed, double low, double high) {
  return exp(ff_random_in(seed, log(low), log(high)));
}

/* Of either sign, and sometimes 0. */
static inline double signed_size(uint64_t *seed, double low, double high) {
  double size = ff_random(seed) < 0.1 ? 0 : log_between(seed, low, high);
  return ff_random(seed) < 0.5 ? -size : size;
}

static inline bool in_range(const ff_param *param, double value) {
  return value >= param->min && value <= param->max && !(param->open_min && value == param->min);
}

/* Anywhere in the table's range, with a liking for the ends and for round numbers. */
static inline double random_param(uint64_t *seed, const ff_param *param) {
  if (param->kind == FF_PARAM_FLAG) {
    return ff_random(seed) < 0.5;
  }
  static const double special[] = {0, 1, 1.5, 2};
  double value = special[(int)(4 * ff_random(seed))];
  if (ff_random(seed) < 0.3 && in_range(param, value)) {
    return value;
  }
  return log_between(seed, fmax(param->min, 1e-6), fmin(param->max, 1e12));
}

static inline double maybe(uint64_t *seed, double value) {
  return ff_random(seed) < 0.3 ? (double)NAN : value;
}

static inline ff_pair random_pair(uint64_t *seed) {
  ff_pair pair;
  pair.young = maybe(seed, log_between(seed, 1e4, 1e12));
  pair.radius = maybe(seed, log_between(seed, 1e-4, 10));
  pair.mean_radius = (double)NAN;
  pair.dissipation = maybe(seed, log_between(seed, 1e-3, 10));
  pair.mu_static = maybe(seed, log_between(seed, 1e-2, 2));
  pair.mu_kinetic = maybe(seed, pair.mu_static * ff_random(seed));
  return pair;
}

/* Parameters that the law accepts: some given, the rest by default or from the pair. */
static inline void random_params(uint64_t *seed, const ff_law *law, ff_law_params *params) {
  for (int attempt = 0; attempt < 1000; attempt++) {
    ff_law_params_default(law, params);
    for (int i = 0; i < law->params_count; i++) {
      if (ff_random(seed) < (attempt < 200 ? 0.7 : 0.2)) { /* some exclude one another */
        double value = random_param(seed, &law->params[i]);
        assert_int_equal(ff_law_params_set(law, params, law->params[i].name, value, NULL), FF_OK);
      }
    }
    ff_pair pair = random_pair(seed);
    if (ff_law_params_resolve(law, params, &pair, NULL) == FF_OK) {
      return;
    }
  }
  fail_msg("%s: no random parameters were accepted", law->name);
}

static inline ff_patch random_patch(uint64_t *seed) {
  ff_patch patch = {0};
  patch.depth = log_between(seed, 1e-9, 10);
  patch.depth_rate = signed_size(seed, 1e-6, 1e2);
  double slip = signed_size(seed, 1e-9, 1e2);
  double roll = signed_size(seed, 1e-6, 1e3);
  double turn = ff_random_in(seed, 0, 6.2831853);
  patch.slip[0] = slip * cos(turn);
  patch.slip[1] = slip * sin(turn);
  patch.roll[0] = roll * cos(3 * turn);
  patch.roll[1] = roll * sin(3 * turn);
  patch.spin = signed_size(seed, 1e-6, 1e3);
  patch.curvature[0] = log_between(seed, 1e-3, 1e3);
  patch.curvature[1] = log_between(seed, 1e-3, 1e3);
  return patch;
}

/* The section has semi-axes a with a^2 = 2 radius depth; the volume is half of section times
 * depth, its centroid a third of the depth down, and its spread along each axis a^2 / 6. */
static inline ff_overlap bowl_overlap(const bowl *b, double depth) {
  if (b->hidden || depth <= 0) {
    return (ff_overlap){0};
  }
  double area = 2 * 3.141592653589793 * depth * sqrt(b->radius[0] * b->radius[1]);
  double volume = 0.5 * area * depth, c = cos(b->turn), s = sin(b->turn);
  double lean = b->lean * sqrt(b->radius[1] * depth); /* from the deepest layer to the top */
  double m0 = volume * b->radius[0] * depth / 3, m1 = volume * b->radius[1] * depth / 3;
  m1 += lean * lean * volume / 18;
  double s11 = m0 * c * c + m1 * s * s, s22 = m0 * s * s + m1 * c * c, s12 = (m0 - m1) * c * s;
  return (ff_overlap){.volume = volume,
                      .area = area,
                      .centroid_depth = depth / 3,
                      .second = {{m0 + m1, 0, 0}, {0, s22, -s12}, {0, -s12, s11}}};
}

/* The bowl's edges: three layers, each an ellipse with eight corners. Returns their number. */
enum { BOWL_LAYERS = 3, BOWL_CORNERS = 8, BOWL_EDGES = BOWL_LAYERS * BOWL_CORNERS };
static inline int bowl_edges(const bowl *b, double depth, ff_edge out[BOWL_EDGES]) {
  double c = cos(b->turn), s = sin(b->turn), total = 0;
  for (int i = 0; i < BOWL_EDGES; i++) {
    double low = (i / BOWL_CORNERS + 0.5) / BOWL_LAYERS, size = sqrt(2 * depth * low);
    double drift = b->lean * sqrt(b->radius[1] * depth) * (low - 2.0 / 3), at[2][2];
    for (int k = 0; k < 2; k++) {
      double angle = 2 * 3.141592653589793 * (i % BOWL_CORNERS + k) / BOWL_CORNERS;
      double x = size * sqrt(b->radius[0]) * cos(angle);
      double y = size * sqrt(b->radius[1]) * sin(angle) + drift;
      at[k][0] = c * x - s * y;
      at[k][1] = s * x + c * y;
    }
    out[i] = (ff_edge){{at[0][0], at[0][1]}, {at[1][0] - at[0][0], at[1][1] - at[0][1]}, 1};
    total += 0.5 * (at[0][0] * at[1][1] - at[0][1] * at[1][0]);
  }
  for (int i = 0; i < BOWL_EDGES; i++) {
    out[i].weight = 1 / total;
  }
  return BOWL_EDGES;
}

static inline bowl random_bowl(uint64_t *seed) {
  double radius = log_between(seed, 1e-3, 1e3);
  return (bowl){.radius = {radius, radius * ff_random_in(seed, 1, 3)},
                .turn = ff_random_in(seed, 0, 3),
                .lean = ff_random(seed) < 0.5 ? 0 : ff_random_in(seed, -0.5, 0.5)};
}

static inline void random_load(uint64_t *seed, sample *s) {
  s->load.force = ff_random(seed) < 0.1 ? 0 : log_between(seed, 1e-6, 1e9);
  s->load.elastic = s->load.force * ff_random_in(seed, 0.5, 2);
  s->load.energy = s->load.elastic * s->patch.depth / 2;
  for (int i = 0; i < s->law->memory_count; i++) {
    s->memory[i] = signed_size(seed, 1e-9, 1e-2);
  }
}

static inline unsigned traits_of(const sample *s) {
  return s->law->traits(s->params.values);
}

/* Calls check on many samples of every law of a kind that has a formula. */
static inline void each_sample(ff_law_kind kind, void (*check)(const sample *s)) {
  enum { PARAMS = 200, PATCHES = 50 };
  uint64_t seed = 20240229;
  for (int i = 0; i < ff_law_count(); i++) {
    sample s = {.law = ff_law_at(i)};
    bool formula = s.law->normal || s.law->friction;
    for (int j = 0; j < PARAMS && s.law->kind == kind && formula; j++) {
      random_params(&seed, s.law, &s.params);
      bool wants = traits_of(&s) & FF_LAW_WANTS_OVERLAP;
      for (int k = 0; k < PATCHES; k++) {
        s.patch = random_patch(&seed);
        /* The overlap is for normal laws that ask, and friction may meet it or not. */
        s.bowl = random_bowl(&seed);
        s.bowl.hidden = kind == FF_LAW_NORMAL ? !wants : ff_random(&seed) < 0.5;
        s.patch.overlap = bowl_overlap(&s.bowl, s.patch.depth);
        s.edged = kind == FF_LAW_FRICTION && !s.bowl.hidden && ff_random(&seed) < 0.5;
        random_load(&seed, &s);
        check(&s);
      }
    }
  }
}

/* Fails with the whole sample in words. */
static inline void fail_sample(const sample *s, const char *what, int line) {
  print_error("%s: %s\n", s->law->name, what);
  for (int i = 0; i < s->law->params_count; i++) {
    const char *name = s->law->params[i].name;
    print_error("  %s = %.17g\n", name, ff_law_params_get(s->law, &s->params, name));
  }
  const ff_patch *p = &s->patch;
  print_error("  depth %.17g rate %.17g slip (%.17g, %.17g) spin %g roll (%g, %g) load %g\n",
              p->depth, p->depth_rate, p->slip[0], p->slip[1], p->spin, p->roll[0], p->roll[1],
              s->load.force);
  print_error("  memory %.17g %.17g\n", s->memory[0], s->memory[1]);
  _fail(__FILE__, line);
}

#define require(s, condition)                                                                      \
  do {                                                                                             \
    if (!(condition)) {                                                                            \
      fail_sample((s), #condition, __LINE__);                                                      \
    }                                                                                              \
  } while (0)

#endif
