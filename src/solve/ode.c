#include "solve/ode.h"

#include "base/memory.h"
#include "math/elementary.h"
#include "solve/crossings.h"
#include "solve/prince_dormand.h"

#include <arkode/arkode_erkstep.h>
#include <float.h>
#include <math.h>
#include <nvector/nvector_serial.h>
#include <string.h>

enum {
  PROBES = 4,          /* subintervals of a step tested for a sign change */
  BRACKET_ROUNDS = 60, /* false position on the dense output */
  POLISH_ROUNDS = 8,   /* secant on the solution itself */
  AIMED_RETRIES = 4,   /* of a rejected step, at the first event that its stages show */
  STUCK_EVENTS = 1000  /* events at one instant before failure */
};

/* Right after an event the rates may behave like sqrt(t - t_event), which the error estimate of the
 * pair hardly detects: the first step is smaller than the longest since the event before by rtol to
 * the power AFTER_EVENT (1e-3 at 1e-12) and at most the share AFTER_REST of the longest, and steps
 * grow by at most the factor GROWTH. */
#define AFTER_EVENT 0.25
#define AFTER_REST  5e-4
#define GROWTH      3.0
/* Where a step was rejected, the solution gets less smooth: the next one is at most this much of
 * it. */
#define AFTER_REJECTION 0.75
/* Share of a step to which the dense output, of third order, is worth a look at events. */
#define DENSE 1e-5
/* A kink that is not smooth from either side makes the last steps before it tiny: the first step
 * after it has at least this many instants. */
#define SHORTEST 16
/* Error of the time of an event, of rtol^(5/4) and the step: forces leave zero or bend there, so
 * that it counts with its square. */
#define LOCATED 100

/* Vectors that ARKODE uses: 7 of its own, 13 stages, 2 of the interpolation; with some spare. */
enum { VECTORS = 32 };

/* A serial vector that belongs to an ode. */
typedef struct pool_vector {
  struct _N_VectorContent_Serial serial; /* first: SUNDIALS sees only this */
  ff_ode *ode;
} pool_vector;

struct ff_ode {
  ff_ode_def def;
  int size; /* unknowns in use, at most def.size */
  SUNContext sun;
  void *ark;
  N_Vector vectors[VECTORS];
  pool_vector contents[VECTORS];
  bool taken[VECTORS];
  double *room;      /* data of the vectors: VECTORS * size */
  N_Vector solution; /* wraps y */
  N_Vector dense;    /* wraps probe */
  double t, t0;      /* time of y and of y0 */
  double *y, *y0;    /* current solution, and at the start of the step: size */
  double *probe;     /* dense output: size */
  double *stages;    /* stages of a step inside the step: table->stages * size */
  ARKodeButcherTable table;
  double *atol;           /* size */
  double *g;              /* event values: event_limit */
  signed char *side;      /* event_limit */
  ff_crossings crossings; /* in the stages of this step */
  int event_count;
  int event;
  int stuck;
  bool warming_up;
  bool rejected;      /* the last error estimate was too large */
  int rejections;     /* one after another */
  bool fresh;         /* the solution was changed since the last step */
  double after_event; /* 1, of the first step after an event */
  double longest;     /* s, largest step now */
  double guess;       /* size of the last step that was not shortened */
  double stride;      /* size of the longest step since the last event */
  double next;        /* size of the next step by error control, unless fresh */
  double wanted;      /* the same before it is cut by the end of the integration */
  double error; /* 1, of the last step, relative to the tolerance and biased: see ark_control */
  long steps, evaluations;
};

/* ---- ARKODE callbacks ------------------------------------------------------------------------ */

static int ark_rates(sunrealtype t, N_Vector y, N_Vector dy, void *user) {
  ff_ode *ode = user;
  if (ode->warming_up) {
    N_VConst(0.0, dy);
    return 0;
  }
  ode->evaluations++;
  if (ode->def.rates(ode->def.context, t, N_VGetArrayPointer(y), N_VGetArrayPointer(dy))) {
    return 1;
  }
  if (ode->def.watch) {
    ode->def.watch(ode->def.context, ode->crossings.value);
    ff_crossings_see(&ode->crossings, t, ode->side);
  }
  return 0;
}

static int ark_project(sunrealtype t, N_Vector y, void *user) {
  ff_ode *ode = user;
  return ode->warming_up ? 0 : ode->def.project(ode->def.context, t, N_VGetArrayPointer(y)) ? 1 : 0;
}

/* Weights that turn ARKODE's root-mean-square norm into the 2-norm: unknowns at rest must not
 * dilute the error of moving ones. */
static int ark_weights(N_Vector y, N_Vector weights, void *user) {
  const ff_ode *ode = user;
  const double *value = N_VGetArrayPointer(y);
  double *weight = N_VGetArrayPointer(weights);
  double spread = sqrt((double)ode->size);
  for (int i = 0; i < ode->size; i++) {
    weight[i] = spread / (ode->def.rtol * fabs(value[i]) + ode->atol[i]);
  }
  return 0;
}

/* PI controller, with ARKODE's own constants: step sizes depend on the error of the step before,
 * which is kept here, since ARKODE starts anew at every step. */
static int ark_control(N_Vector y, sunrealtype t, sunrealtype h, sunrealtype h2, sunrealtype h3,
                       sunrealtype e1, sunrealtype e2, sunrealtype e3, int q, int p,
                       sunrealtype *next, void *user) {
  const double k1 = 0.8, k2 = 0.31, bias = 1.2, safety = 0.99, least = 1e-10;
  ff_ode *ode = user;
  (void)y, (void)t, (void)h2, (void)h3, (void)e2, (void)e3, (void)q;
  *next = h * ff_pow(fmax(e1, least), -k1 / p) * ff_pow(fmax(ode->error, least), k2 / p);
  if (e1 <= bias) { /* the step is accepted */
    ode->error = e1;
    *next = ode->rejected ? fmin(*next, AFTER_REJECTION * h) : *next;
    ode->wanted = fmin(safety * *next, GROWTH * h);
  }
  ode->rejections = e1 > bias ? ode->rejections + 1 : 0;
  if (e1 > bias && ode->rejections < AIMED_RETRIES && ode->def.watch) {
    double end = ff_crossings_first(&ode->crossings) - ode->t0;
    *next = end > 0 && end < h ? end : *next;
  }
  ode->rejected = e1 > bias;
  return 0;
}

/* Error handler: the library never prints, outcomes carry the reason. */
static void ark_silence(int code, const char *module, const char *function, char *text,
                        void *user) {
  (void)code, (void)module, (void)function, (void)text, (void)user;
}

/* ---- vectors --------------------------------------------------------------------------------- */

/* N_VClone of SUNDIALS 6 dereferences NULL if a clone fails for lack of memory. Therefore all
 * vectors that it will request are created beforehand and handed out. NULL: none left. */
static N_Vector ark_take_vector(N_Vector like) {
  ff_ode *ode = ((pool_vector *)like->content)->ode;
  for (int i = 0; i < VECTORS; i++) {
    if (!ode->taken[i]) {
      ode->taken[i] = true;
      return ode->vectors[i];
    }
  }
  return NULL;
}

static void ark_return_vector(N_Vector vector) {
  ff_ode *ode = ((pool_vector *)vector->content)->ode;
  for (int i = 0; i < VECTORS; i++) {
    ode->taken[i] = ode->taken[i] && ode->vectors[i] != vector;
  }
}

enum { CHUNK = 8 }; /* numbers that are added up in registers */

/* to[0..n-1] = sum of c[i] x[i] from one place on, n <= CHUNK. */
static inline void ark_combine_chunk(int count, const double *c, N_Vector *x, sunindextype at,
                                     int n, double *to) {
  double sum[CHUNK];
  for (int j = 0; j < n; j++) {
    sum[j] = c[0] * NV_DATA_S(x[0])[at + j];
  }
  for (int i = 1; i < count; i++) {
    const double *from = NV_DATA_S(x[i]) + at;
    for (int j = 0; j < n; j++) {
      sum[j] += c[i] * from[j];
    }
  }
  memcpy(to, sum, (size_t)n * sizeof *sum);
}

/* z = sum of c[i] x[i], in the order of SUNDIALS and so with the same bits, but with one pass over
 * the vectors: most of the integrator's own time goes here. z may be one of the x. */
static int ark_combine(int count, sunrealtype *c, N_Vector *x, N_Vector z) {
  sunindextype at = 0, size = NV_LENGTH_S(z);
  for (; at + CHUNK <= size; at += CHUNK) {
    ark_combine_chunk(count, c, x, at, CHUNK, NV_DATA_S(z) + at);
  }
  ark_combine_chunk(count, c, x, at, (int)(size - at), NV_DATA_S(z) + at);
  return 0;
}

static bool ark_make_vectors(ff_ode *ode) {
  size_t size = (size_t)ode->def.size;
  N_Vector serial = N_VMake_Serial(ode->def.size, ode->y, ode->sun);
  ode->room = ff_alloc(VECTORS * size, sizeof(double));
  bool made = serial && ode->room && N_VEnableFusedOps_Serial(serial, SUNTRUE) == 0;
  for (int i = 0; made && i < VECTORS; i++) {
    N_Vector vector = ode->vectors[i] = N_VNewEmpty(ode->sun);
    made = vector && N_VCopyOps(serial, vector) == 0;
    if (made) {
      vector->ops->nvclone = ark_take_vector;
      vector->ops->nvdestroy = ark_return_vector;
      vector->ops->nvlinearcombination = ark_combine;
      vector->content = &ode->contents[i];
      ode->contents[i] =
          (pool_vector){{ode->def.size, SUNFALSE, ode->room + (size_t)i * size}, ode};
    }
  }
  if (serial) {
    N_VDestroy(serial);
  }
  return made;
}

/* A vector of the pool that wraps numbers of the ode. */
static N_Vector ark_wrap(ff_ode *ode, double *numbers) {
  N_Vector vector = ark_take_vector(ode->vectors[0]);
  ((pool_vector *)vector->content)->serial.data = numbers;
  return vector;
}

/* ---- creation -------------------------------------------------------------------------------- */

/* ARKODE allocates its stages in the first step: take one here, with zero rates, so that no later
 * step allocates. */
static int ark_warm_up(ff_ode *ode) {
  double t;
  ode->warming_up = true;
  int bad = ERKStepSetInitStep(ode->ark, 1e-9) || ERKStepSetStopTime(ode->ark, 1e-9) ||
            ERKStepEvolve(ode->ark, 1e-9, ode->solution, &t, ARK_ONE_STEP) < 0;
  ode->warming_up = false;
  return bad;
}

static int ark_set_up(ff_ode *ode) {
  if (!ff_memory_is_there(1 << 20) || SUNContext_Create(NULL, &ode->sun) != 0 ||
      !ark_make_vectors(ode)) {
    return -1;
  }
  ode->solution = ark_wrap(ode, ode->y);
  ode->dense = ark_wrap(ode, ode->probe);
  ode->ark = ERKStepCreate(ark_rates, 0.0, ode->solution, ode->sun);
  if (!ode->ark) {
    return -1;
  }
  ode->table = ff_prince_dormand();
  int bad = !ode->table || ERKStepSetTable(ode->ark, ode->table);
  double longest = isfinite(ode->def.max_step) ? ode->def.max_step : 0.0; /* 0: no limit */
  bad |= ERKStepSetErrHandlerFn(ode->ark, ark_silence, NULL) | ERKStepSetUserData(ode->ark, ode) |
         ERKStepWFtolerances(ode->ark, ark_weights) |
         ERKStepSetInterpolantType(ode->ark, ARK_INTERP_HERMITE) |
         ERKStepSetInterpolantDegree(ode->ark, 3) | ERKStepSetMaxStep(ode->ark, longest) |
         ERKStepSetMaxNumSteps(ode->ark, 100000) | ERKStepSetMaxGrowth(ode->ark, GROWTH) |
         ERKStepSetMaxFirstGrowth(ode->ark, GROWTH) |
         ERKStepSetSmallNumEFails(ode->ark, AIMED_RETRIES) |
         ERKStepSetFixedStepBounds(ode->ark, 1.0, 1.0) |
         ERKStepSetAdaptivityFn(ode->ark, ark_control, ode);
  if (ode->def.project) {
    bad |= ERKStepSetPostprocessStepFn(ode->ark, ark_project);
  }
  return bad;
}

ff_status ff_ode_create(ff_ode **out, const ff_ode_def *def) {
  *out = NULL;
  ff_ode *ode = ff_alloc(1, sizeof *ode);
  if (!ode) {
    return FF_ERROR_MEMORY;
  }
  size_t size = (size_t)def->size;
  size_t events = (size_t)def->event_limit;
  ode->def = *def;
  ode->size = def->size;
  ode->longest = def->max_step;
  ode->after_event = ff_pow(def->rtol, AFTER_EVENT);
  ode->y = ff_alloc(4 * size, sizeof(double));
  ode->g = ff_alloc(events, sizeof(double));
  ode->side = ff_alloc(events, 1);
  if (!ode->y || !ode->g || !ode->side || !ff_crossings_create(&ode->crossings, def->event_limit)) {
    ff_ode_destroy(ode);
    return FF_ERROR_MEMORY;
  }
  ode->y0 = ode->y + size;
  ode->probe = ode->y + 2 * size;
  ode->atol = ode->y + 3 * size;
  ode->error = 1;
  memcpy(ode->atol, def->atol, size * sizeof(double));
  if (ark_set_up(ode) == 0 && ark_warm_up(ode) == 0) {
    ode->stages = ff_alloc((size_t)ode->table->stages * size, sizeof(double));
  }
  if (!ode->stages) {
    ff_ode_destroy(ode);
    return FF_ERROR_MEMORY;
  }
  *out = ode;
  return FF_OK;
}

void ff_ode_destroy(ff_ode *ode) {
  if (!ode) {
    return;
  }
  if (ode->ark) {
    ERKStepFree(&ode->ark);
  }
  for (int i = 0; i < VECTORS; i++) {
    if (ode->vectors[i]) {
      N_VFreeEmpty(ode->vectors[i]);
    }
  }
  ff_free(ode->room);
  if (ode->sun) {
    SUNContext_Free(&ode->sun);
  }
  ARKodeButcherTable_Free(ode->table);
  ff_crossings_destroy(&ode->crossings);
  ff_free(ode->stages);
  ff_free(ode->y);
  ff_free(ode->g);
  ff_free(ode->side);
  ff_free(ode);
}

double ff_ode_time(const ff_ode *ode) {
  return ode->t;
}

double *ff_ode_state(ff_ode *ode) {
  return ode->y;
}

signed char *ff_ode_sides(ff_ode *ode) {
  return ode->side;
}

int ff_ode_event(const ff_ode *ode) {
  return ode->event;
}

double ff_ode_longest(const ff_ode *ode) {
  double wish = ode->fresh ? ode->guess : ode->next;
  return wish > 0 ? fmin(wish, ode->longest) : ode->longest;
}

long ff_ode_steps(const ff_ode *ode) {
  return ode->steps;
}

long ff_ode_evaluations(const ff_ode *ode) {
  return ode->evaluations;
}

void ff_ode_reset(ff_ode *ode) {
  ERKStepReInit(ode->ark, ark_rates, 0.0, ode->solution);
  ode->guess = ode->next = ode->stride = 0;
  ode->error = 1;
  ode->stuck = 0;
  ode->steps = ode->evaluations = 0;
  ff_ode_restart(ode, 0.0, 0);
}

void ff_ode_keep(ff_ode *ode, ff_keep *keep) {
  ff_keep_numbers(keep, "integrator.time", &ode->t, 1);
  ff_keep_numbers(keep, "integrator.start_time", &ode->t0, 1);
  ff_keep_numbers(keep, "integrator.start", ode->y0, ode->size);
  ff_keep_count(keep, "integrator.event_functions", &ode->event_count, ode->def.event_limit);
  if (!keep->bad) {
    ff_keep_block(keep, "integrator.sides", ode->side, ode->event_count, 1);
  }
  ff_keep_ints(keep, "integrator.event", &ode->event, 1);
  ff_keep_ints(keep, "integrator.stuck", &ode->stuck, 1);
  ff_keep_block(keep, "integrator.fresh", &ode->fresh, 1, sizeof ode->fresh);
  ff_keep_numbers(keep, "integrator.last_step", &ode->guess, 1);
  ff_keep_numbers(keep, "integrator.longest_step", &ode->stride, 1);
  ff_keep_numbers(keep, "integrator.next_step", &ode->next, 1);
  ff_keep_numbers(keep, "integrator.error", &ode->error, 1);
  ff_keep_block(keep, "integrator.steps", &ode->steps, 1, sizeof ode->steps);
  ff_keep_block(keep, "integrator.evaluations", &ode->evaluations, 1, sizeof ode->evaluations);
}

void ff_ode_resize(ff_ode *ode, int size) {
  ode->size = size;
  for (int i = 0; i < VECTORS; i++) {
    ode->contents[i].serial.length = size;
  }
}

void ff_ode_follow(ff_ode *ode, const ff_ode *before) {
  ff_ode_resize(ode, before->size);
  memcpy(ode->y0, before->y0, sizeof *ode->y0 * (size_t)before->size);
  memcpy(ode->side, before->side, (size_t)before->event_count);
  ode->t = before->t;
  ode->t0 = before->t0;
  ode->event_count = before->event_count;
  ode->event = before->event;
  ode->stuck = before->stuck;
  ode->fresh = before->fresh;
  ode->longest = before->longest;
  ode->guess = before->guess;
  ode->stride = before->stride;
  ode->next = before->next;
  ode->wanted = before->wanted;
  ode->error = before->error;
  ode->steps = before->steps;
  ode->evaluations = before->evaluations;
}

void ff_ode_limit(ff_ode *ode, double longest) {
  ode->longest = longest;
}

void ff_ode_suggest(ff_ode *ode, double step) {
  ode->guess = step;
}

void ff_ode_set_atol(ff_ode *ode, int unknown, double atol) {
  ode->atol[unknown] = atol;
}

void ff_ode_restart(ff_ode *ode, double t, int event_count) {
  ode->t = t;
  ode->event_count = event_count;
  ode->fresh = true;
}

/* ---- one step -------------------------------------------------------------------------------- */

/* Passes the current solution and the first step size to ARKODE, which forgets all else: before
 * every step, so that (t, y, step) decides the future and a saved state needs nothing of its. */
static int ark_restart(ff_ode *ode, double step) {
  double longest = isfinite(ode->longest) ? ode->longest : 0.0; /* 0: no limit */
  return ERKStepReInit(ode->ark, ark_rates, ode->t, ode->solution) |
         ERKStepSetMaxStep(ode->ark, longest) | ERKStepSetInitStep(ode->ark, step);
}

/* Times closer than this are the same instant. */
static double time_resolution(double t) {
  return 8 * DBL_EPSILON * fmax(fabs(t), 1e-3);
}

/* How exactly (s) an event in a step from t0 to t is located: what is left changes the forces by
 * far less than the tolerance. */
static double event_resolution(const ff_ode *ode, double t0, double t) {
  return fmax(time_resolution(t), LOCATED * ode->after_event * ode->def.rtol * (t - t0));
}

/* Index of the event function farthest on its wrong side, or -1. */
static int ode_crossed_event(const ff_ode *ode) {
  int worst = -1;
  double most = 0;
  for (int i = 0; i < ode->event_count; i++) {
    double over = -ode->side[i] * ode->g[i];
    if (over > most) {
      most = over;
      worst = i;
    }
  }
  return worst;
}

static int ode_crossed_at(ff_ode *ode, double t, const double *y) {
  if (ode->event_count == 0) {
    return -1;
  }
  ode->def.events(ode->def.context, t, y, ode->g);
  return ode_crossed_event(ode);
}

static int ode_crossed_in_step(ff_ode *ode, double t) {
  if (ERKStepGetDky(ode->ark, t, 0, ode->dense) != ARK_SUCCESS) {
    return -1;
  }
  return ode_crossed_at(ode, t, ode->probe);
}

/* Where the step has crossed an event: the function has not at low, has at high. */
typedef struct ode_bracket {
  int event;
  double low, high;     /* s */
  double g_low, g_high; /* of the event function, times its side; NAN: unknown */
  double slope;         /* 1/s, of the event function times its side near the zero; NAN: unknown */
} ode_bracket;

/* Next time to look at in a bracket: false position; bisection in every fourth round, and where
 * values are unknown. */
static double ode_bracket_guess(const ode_bracket *b, int round) {
  double share = b->g_low / (b->g_low - b->g_high);
  bool useful = share > 0 && share < 1 && round % 4 != 3;
  return b->low + (b->high - b->low) * (useful ? fmin(fmax(share, 1e-3), 1 - 1e-3) : 0.5);
}

/* Narrows a bracket on the dense output to what that resolves: the solution itself decides later.
 * Illinois rule against an end that stays. Where another event comes before, the bracket becomes
 * that of the other one. */
static void ode_narrow_bracket(ff_ode *ode, ode_bracket *b, double resolution) {
  int stayed = 0; /* rounds that the lower end has stayed, or less the upper one */
  for (int round = 0; round < BRACKET_ROUNDS && b->high - b->low > resolution; round++) {
    double t = ode_bracket_guess(b, round);
    int found = ode_crossed_in_step(ode, t);
    if (found >= 0 && found != b->event) {
      *b = (ode_bracket){found, b->low, t, NAN, ode->side[found] * ode->g[found], NAN};
      stayed = 0;
    } else if (found >= 0) {
      b->slope = (ode->side[found] * ode->g[found] - b->g_high) / (t - b->high);
      b->high = t;
      b->g_high = ode->side[found] * ode->g[found];
      stayed = stayed > 0 ? stayed + 1 : 1;
      b->g_low *= stayed > 1 ? 0.5 : 1;
    } else {
      b->slope = (ode->side[b->event] * ode->g[b->event] - b->g_high) / (t - b->high);
      b->low = t;
      b->g_low = ode->side[b->event] * ode->g[b->event];
      stayed = stayed < 0 ? stayed - 1 : -1;
      b->g_high *= stayed < -1 ? 0.5 : 1;
    }
  }
}

/* Repeats the step from (t0, y0) so that it ends at t. */
static bool ode_retake_step(ff_ode *ode, double t0, double t) {
  memcpy(ode->y, ode->y0, sizeof *ode->y * (size_t)ode->size);
  ode->t = t0;
  if (t - t0 <= time_resolution(t)) {
    return true;
  }
  double reached;
  bool good = ark_restart(ode, t - t0) == ARK_SUCCESS &&
              ERKStepSetStopTime(ode->ark, t) == ARK_SUCCESS &&
              ERKStepEvolve(ode->ark, t, ode->solution, &reached, ARK_NORMAL) >= 0;
  ode->t = good ? t : t0;
  return good;
}

static double ode_event_value(ff_ode *ode, int event) {
  ode->def.events(ode->def.context, ode->t, ode->y, ode->g);
  return ode->g[event];
}

/* Secant method on the solution itself until the time of the event is exact enough, at first
 * with the slope on the dense output. Returns its time; NAN if a step failed. */
static double ode_polish_event(ff_ode *ode, double t0, const ode_bracket *at) {
  double t = at->high, before_t = NAN, before_g = NAN, slope = ode->side[at->event] * at->slope;
  double farthest = t + (t - t0); /* bound on a secant dominated by rounding */
  for (int round = 0; round < POLISH_ROUNDS; round++) {
    if (!ode_retake_step(ode, t0, t)) {
      return NAN;
    }
    double g = ode_event_value(ode, at->event);
    double aside = fmax(1e-6 * (t - t0), time_resolution(t)); /* second point of the first secant */
    double guess = t - g / slope;
    if (!(guess >= t0 && guess <= farthest)) { /* no slope yet */
      guess = ode->side[at->event] * g > 0 ? t + aside : t - aside;
    }
    double next = isnan(before_t) ? guess : t - g * (t - before_t) / (g - before_g);
    if (g == 0 || !(fabs(next - t) > event_resolution(ode, t0, t)) ||
        !(next >= t0 && next <= farthest)) {
      break;
    }
    before_t = t;
    before_g = g;
    t = next;
  }
  return t;
}

/* Ends the step just past the zero, where the sign shows the new side; at the latest at t_seen,
 * where the dense output has crossed: an event function that leaves zero with zero slope needs some
 * time. False if the solution itself does not cross until then. */
static bool ode_cross_event(ff_ode *ode, double t0, double t, double t_seen, int event) {
  for (double nudge = event_resolution(ode, t0, t);; nudge *= 4) {
    if (ode->side[event] * ode_event_value(ode, event) < 0) {
      return true;
    }
    if (t >= t_seen) {
      return false;
    }
    t = fmin(t + nudge, t_seen);
    if (!ode_retake_step(ode, t0, t)) {
      return false;
    }
  }
}

/* t_seen: s, where the dense output has crossed. */
static ff_ode_outcome ode_land_on_event(ff_ode *ode, double t0, double t_seen,
                                        const ode_bracket *at) {
  int event = at->event;
  ode->fresh = true;
  if (t_seen > t0) { /* a step that can be retaken: one within the resolution ends at its start */
    t_seen = fmax(t_seen, t0 + 2 * time_resolution(t0));
  }
  double t = ode_polish_event(ode, t0, at);
  if (isnan(t)) {
    return FF_ODE_FAILED;
  }
  if (!ode_cross_event(ode, t0, t, t_seen, event)) {
    return FF_ODE_STEPPED;
  }
  ode->stuck = ode->t - t0 <= time_resolution(t) ? ode->stuck + 1 : 0;
  ode->event = event;
  ode->side[event] = (signed char)-ode->side[event];
  double first =
      fmin(ode->after_event * fmax(ode->stride, ode->guess), AFTER_REST * ode->def.max_step);
  ode->guess = ode->stuck > 0 ? ode->guess : first;
  ode->guess = fmax(ode->guess, SHORTEST * time_resolution(ode->t));
  ode->stride = 0;
  return ode->stuck > STUCK_EVENTS ? FF_ODE_FAILED : FF_ODE_EVENT;
}

/* Locates the first event in the step just taken. */
static ff_ode_outcome ode_find_event(ff_ode *ode, double t0, double t_stop) {
  double t1 = ode->t;
  int last = ode_crossed_at(ode, t1, ode->y);
  double g_last = last >= 0 ? ode->side[last] * ode->g[last] : NAN;
  bool quiet = last < 0 && ode->def.quiet && ode->def.quiet(ode->def.context, t0, t1);
  for (int part = 1; part <= PROBES && !quiet; part++) {
    double high = part == PROBES ? t1 : t0 + (t1 - t0) * part / PROBES;
    int event = part == PROBES ? last : ode_crossed_in_step(ode, high);
    if (event >= 0) {
      double low = t0 + (t1 - t0) * (part - 1) / PROBES;
      double g_high = part == PROBES ? g_last : ode->side[event] * ode->g[event];
      ode_bracket bracket = {event, low, high, NAN, g_high, NAN};
      ode_narrow_bracket(ode, &bracket, fmax(DENSE * (t1 - t0), time_resolution(t1)));
      return ode_land_on_event(ode, t0, high, &bracket);
    }
  }
  return t1 >= t_stop ? FF_ODE_REACHED : FF_ODE_STEPPED;
}

/* One ARKODE step from (t0, y0). ARKODE gives up at once where the rates are undefined: retries
 * with smaller steps. */
static bool ode_take_step(ff_ode *ode, double t0, double t_stop) {
  double wish = ode->fresh ? ode->guess : ode->next;
  wish = fmin(wish > 0 ? wish : 0.1 * (t_stop - t0), ode->longest);
  ff_crossings_begin(&ode->crossings, ode->def.watch ? ode->event_count : 0);
  for (double step = fmin(wish, t_stop - t0); step > time_resolution(t0); step *= 0.2) {
    double reached = t0;
    bool good = ark_restart(ode, step) == ARK_SUCCESS &&
                ERKStepSetStopTime(ode->ark, t_stop) == ARK_SUCCESS &&
                ERKStepEvolve(ode->ark, t_stop, ode->solution, &reached, ARK_ONE_STEP) >= 0 &&
                ERKStepGetCurrentStep(ode->ark, &ode->next) == ARK_SUCCESS;
    if (good) {
      ode->fresh = false;
      ode->t = reached;
      ode->steps++;
      if (reached < t_stop || !(ode->guess > reached - t0)) {
        ode->guess = reached - t0;
      }
      ode->stride = fmax(ode->stride, reached - t0);
      if (reached >= t_stop) { /* the step was cut by the end, not by its error; */
        ode->next = fmax(fmax(ode->next, ode->wanted), wish);
      } else if (ode->next >= (1 - 1e-9) * (t_stop - reached)) { /* or the next one is */
        ode->next = fmax(ode->next, ode->wanted);
      }
      return true;
    }
    memcpy(ode->y, ode->y0, sizeof *ode->y * (size_t)ode->size);
    ode->fresh = true;
  }
  return false;
}

ff_ode_outcome ff_ode_step(ff_ode *ode, double t_stop) {
  double t0 = ode->t;
  /* Already on the wrong side: the event is at the current time. */
  int event = ode->fresh ? ode_crossed_at(ode, t0, ode->y) : -1;
  memcpy(ode->y0, ode->y, sizeof *ode->y * (size_t)ode->size);
  ode->t0 = t0;
  if (event >= 0) {
    return ode_land_on_event(ode, t0, t0, &(ode_bracket){event, t0, t0, NAN, NAN, NAN});
  }
  if (t_stop - t0 <= time_resolution(t_stop)) {
    ode->t = t_stop;
    ode->fresh = true;
    return FF_ODE_REACHED;
  }
  if (!ode_take_step(ode, t0, t_stop)) {
    return FF_ODE_FAILED;
  }
  return ode_find_event(ode, t0, t_stop);
}

/* y = y0 + h sum of w[j] k[j] over the first count stages. */
static void ode_combine_stages(const ff_ode *ode, double h, const double *w, int count, double *y) {
  size_t size = (size_t)ode->size;
  for (size_t i = 0; i < size; i++) {
    double sum = 0;
    for (int j = 0; j < count; j++) {
      sum += w[j] * ode->stages[(size_t)j * size + i];
    }
    y[i] = ode->y0[i] + h * sum;
  }
}

bool ff_ode_dense(ff_ode *ode, double t, double *y) {
  if (ERKStepGetDky(ode->ark, t, 0, ode->dense) != ARK_SUCCESS) {
    return false;
  }
  memcpy(y, ode->probe, sizeof *y * (size_t)ode->size);
  return true;
}

/* A step of the same pair from the start of the last one: shorter, so at least as accurate. */
bool ff_ode_inside(ff_ode *ode, double t, double *y) {
  size_t size = (size_t)ode->size;
  if (t == ode->t || t == ode->t0) {
    memcpy(y, t == ode->t ? ode->y : ode->y0, size * sizeof *y);
    return true;
  }
  const ARKodeButcherTable table = ode->table;
  double h = t - ode->t0;
  for (int stage = 0; stage < table->stages; stage++) {
    ode_combine_stages(ode, h, table->A[stage], stage, y);
    if (ode->def.rates(ode->def.context, ode->t0 + table->c[stage] * h, y,
                       ode->stages + (size_t)stage * size) != 0) {
      return false;
    }
  }
  ode_combine_stages(ode, h, table->b, table->stages, y);
  return true;
}

ff_ode_outcome ff_ode_advance(ff_ode *ode, double t_stop) {
  ff_ode_outcome outcome = FF_ODE_STEPPED;
  while (outcome == FF_ODE_STEPPED) {
    outcome = ff_ode_step(ode, t_stop);
  }
  return outcome;
}
