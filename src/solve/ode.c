#include "solve/ode.h"

#include "base/memory.h"
#include "solve/prince_dormand.h"

#include <arkode/arkode_erkstep.h>
#include <float.h>
#include <math.h>
#include <nvector/nvector_serial.h>
#include <string.h>

enum {
  PROBES = 4,          /* parts of a step in which a sign change is looked for */
  BRACKET_ROUNDS = 60, /* false position on the dense output */
  POLISH_ROUNDS = 8,   /* secant on the solution itself */
  STUCK_EVENTS = 1000  /* events at one instant before giving up */
};

/* Right after an event the rates may be as rough as sqrt(t - t_event), which the pair's error
 * estimate hardly sees: begin with a step this much smaller than the last, and let steps
 * grow by no more than this factor. */
#define AFTER_EVENT 1e-6
#define GROWTH      3.0
/* A kink that is not smooth from either side makes the last steps before it tiny: begin with
 * no less than this many instants after it. */
#define SHORTEST 16

/* Vectors that ARKODE takes: 7 of its own, 13 stages, 2 of the interpolation; with some to spare.
 */
enum { VECTORS = 32 };

/* A serial vector that belongs to an ode. */
typedef struct pool_vector {
  struct _N_VectorContent_Serial serial; /* first: what SUNDIALS takes it for */
  ff_ode *ode;
} pool_vector;

struct ff_ode {
  ff_ode_def def;
  SUNContext sun;
  void *ark;
  N_Vector vectors[VECTORS];
  pool_vector contents[VECTORS];
  bool taken[VECTORS];
  double *room;      /* of the vectors: VECTORS * size */
  N_Vector solution; /* wraps y */
  N_Vector dense;    /* wraps probe */
  double t, t0;      /* time of y and of y0 */
  double *y, *y0;    /* now, and at the start of the step: size */
  double *probe;     /* dense output: size */
  double *stages;    /* of a step inside the step: table->stages * size */
  ARKodeButcherTable table;
  double *atol;      /* size */
  double *g;         /* event values: event_limit */
  signed char *side; /* event_limit */
  int event_count;
  int event;
  int stuck;
  bool warming_up;
  bool fresh;   /* ARKODE has not seen the solution since it was changed */
  double guess; /* size of the last step that was not cut short */
  long steps, evaluations;
};

/* ---- what ARKODE calls --------------------------------------------------- */

static int ark_rates(sunrealtype t, N_Vector y, N_Vector dy, void *user) {
  ff_ode *ode = user;
  if (ode->warming_up) {
    N_VConst(0.0, dy);
    return 0;
  }
  ode->evaluations++;
  return ode->def.rates(ode->def.context, t, N_VGetArrayPointer(y), N_VGetArrayPointer(dy)) ? 1 : 0;
}

static int ark_project(sunrealtype t, N_Vector y, void *user) {
  ff_ode *ode = user;
  return ode->warming_up ? 0 : ode->def.project(ode->def.context, t, N_VGetArrayPointer(y)) ? 1 : 0;
}

/* Weights that turn ARKODE's root-mean-square norm into a plain 2-norm: unknowns
 * that rest must not water down the error of those that move. */
static int ark_weights(N_Vector y, N_Vector weights, void *user) {
  const ff_ode *ode = user;
  const double *value = N_VGetArrayPointer(y);
  double *weight = N_VGetArrayPointer(weights);
  double spread = sqrt((double)ode->def.size);
  for (int i = 0; i < ode->def.size; i++) {
    weight[i] = spread / (ode->def.rtol * fabs(value[i]) + ode->atol[i]);
  }
  return 0;
}

/* The library never prints: outcomes carry what went wrong. */
static void ark_silence(int code, const char *module, const char *function, char *text,
                        void *user) {
  (void)code, (void)module, (void)function, (void)text, (void)user;
}

/* ---- vectors -------------------------------------------------------------------- */

/* N_VClone of SUNDIALS 6 follows the NULL that a clone without memory is. So all vectors that it
 * will ask for are made beforehand, and handed out. NULL: there are no more. */
static N_Vector take_vector(N_Vector like) {
  ff_ode *ode = ((pool_vector *)like->content)->ode;
  for (int i = 0; i < VECTORS; i++) {
    if (!ode->taken[i]) {
      ode->taken[i] = true;
      return ode->vectors[i];
    }
  }
  return NULL;
}

static void give_back_vector(N_Vector vector) {
  ff_ode *ode = ((pool_vector *)vector->content)->ode;
  for (int i = 0; i < VECTORS; i++) {
    ode->taken[i] = ode->taken[i] && ode->vectors[i] != vector;
  }
}

static bool make_vectors(ff_ode *ode) {
  size_t size = (size_t)ode->def.size;
  N_Vector serial = N_VMake_Serial(ode->def.size, ode->y, ode->sun);
  ode->room = ff_alloc(VECTORS * size, sizeof(double));
  bool made = serial && ode->room && N_VEnableFusedOps_Serial(serial, SUNTRUE) == 0;
  for (int i = 0; made && i < VECTORS; i++) {
    N_Vector vector = ode->vectors[i] = N_VNewEmpty(ode->sun);
    made = vector && N_VCopyOps(serial, vector) == 0;
    if (made) {
      vector->ops->nvclone = take_vector;
      vector->ops->nvdestroy = give_back_vector;
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

/* One of them that shows numbers of the ode. */
static N_Vector wrap(ff_ode *ode, double *numbers) {
  N_Vector vector = take_vector(ode->vectors[0]);
  ((pool_vector *)vector->content)->serial.data = numbers;
  return vector;
}

/* ---- life ------------------------------------------------------------------ */

/* ARKODE allocates its stages in the first step: take it now, with nothing moving, so that no
 * later step allocates. */
static int warm_up(ff_ode *ode) {
  double t;
  ode->warming_up = true;
  int bad = ERKStepSetInitStep(ode->ark, 1e-9) || ERKStepSetStopTime(ode->ark, 1e-9) ||
            ERKStepEvolve(ode->ark, 1e-9, ode->solution, &t, ARK_ONE_STEP) < 0;
  ode->warming_up = false;
  return bad;
}

static int set_up_ark(ff_ode *ode) {
  if (!ff_memory_is_there(1 << 20) || SUNContext_Create(NULL, &ode->sun) != 0 ||
      !make_vectors(ode)) {
    return -1;
  }
  ode->solution = wrap(ode, ode->y);
  ode->dense = wrap(ode, ode->probe);
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
         ERKStepSetMaxFirstGrowth(ode->ark, GROWTH);
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
  ode->y = ff_alloc(4 * size, sizeof(double));
  ode->g = ff_alloc(events, sizeof(double));
  ode->side = ff_alloc(events, 1);
  if (!ode->y || !ode->g || !ode->side) {
    ff_ode_destroy(ode);
    return FF_ERROR_MEMORY;
  }
  ode->y0 = ode->y + size;
  ode->probe = ode->y + 2 * size;
  ode->atol = ode->y + 3 * size;
  memcpy(ode->atol, def->atol, size * sizeof(double));
  if (set_up_ark(ode) == 0 && warm_up(ode) == 0) {
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

long ff_ode_steps(const ff_ode *ode) {
  return ode->steps;
}

long ff_ode_evaluations(const ff_ode *ode) {
  return ode->evaluations;
}

void ff_ode_reset(ff_ode *ode) {
  ERKStepReInit(ode->ark, ark_rates, 0.0, ode->solution);
  ode->guess = 0;
  ode->stuck = 0;
  ode->steps = ode->evaluations = 0;
  ff_ode_restart(ode, 0.0, 0);
}

void ff_ode_set_atol(ff_ode *ode, int unknown, double atol) {
  ode->atol[unknown] = atol;
}

void ff_ode_restart(ff_ode *ode, double t, int event_count) {
  ode->t = t;
  ode->event_count = event_count;
  ode->fresh = true;
}

/* ---- one step ----------------------------------------------------------------- */

/* Tells ARKODE where the solution stands and which step to try first. */
static int tell_ark(ff_ode *ode, double step) {
  return ERKStepReset(ode->ark, ode->t, ode->solution) | ERKStepSetInitStep(ode->ark, step);
}

/* Times closer than this are the same instant. */
static double instant(double t) {
  return 8 * DBL_EPSILON * fmax(fabs(t), 1e-3);
}

/* Index of the event function farthest on its wrong side, or -1. */
static int crossed(const ff_ode *ode) {
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

static int crossed_at(ff_ode *ode, double t, const double *y) {
  if (ode->event_count == 0) {
    return -1;
  }
  ode->def.events(ode->def.context, t, y, ode->g);
  return crossed(ode);
}

static int crossed_in_step(ff_ode *ode, double t) {
  if (ERKStepGetDky(ode->ark, t, 0, ode->dense) != ARK_SUCCESS) {
    return -1;
  }
  return crossed_at(ode, t, ode->probe);
}

/* Narrows [low, high] to the first crossing on the dense output: no event function has
 * crossed at low, event has at high. Bisection, since other events may come before. */
static double bracket(ff_ode *ode, double low, double high, int *event) {
  for (int round = 0; round < BRACKET_ROUNDS && high - low > instant(high); round++) {
    double middle = 0.5 * (low + high);
    int found = crossed_in_step(ode, middle);
    if (found >= 0) {
      high = middle;
      *event = found;
    } else {
      low = middle;
    }
  }
  return high;
}

/* Takes the step from (t0, y0) again, ending at t. */
static bool retake(ff_ode *ode, double t0, double t) {
  memcpy(ode->y, ode->y0, sizeof *ode->y * (size_t)ode->def.size);
  ode->t = t0;
  if (t - t0 <= instant(t)) {
    return true;
  }
  double reached;
  bool good = tell_ark(ode, t - t0) == ARK_SUCCESS &&
              ERKStepSetStopTime(ode->ark, t) == ARK_SUCCESS &&
              ERKStepEvolve(ode->ark, t, ode->solution, &reached, ARK_NORMAL) >= 0;
  ode->t = good ? t : t0;
  return good;
}

static double event_at(ff_ode *ode, int event) {
  ode->def.events(ode->def.context, ode->t, ode->y, ode->g);
  return ode->g[event];
}

/* Secant on the solution itself until the event function is as good as zero.
 * Returns its time; NAN if a step failed. */
static double polish(ff_ode *ode, double t0, double t, int event) {
  double before_t = NAN, before_g = NAN;
  double farthest = t + (t - t0); /* a secant through rounding alone may lead anywhere */
  for (int round = 0; round < POLISH_ROUNDS; round++) {
    if (!retake(ode, t0, t)) {
      return NAN;
    }
    double g = event_at(ode, event);
    double aside = fmax(1e-6 * (t - t0), instant(t)); /* second point of the first secant */
    double next = isnan(before_t) ? t + (ode->side[event] * g > 0 ? aside : -aside)
                                  : t - g * (t - before_t) / (g - before_g);
    if (g == 0 || !(fabs(next - t) > instant(t)) || !(next >= t0 && next <= farthest)) {
      break;
    }
    before_t = t;
    before_g = g;
    t = next;
  }
  return t;
}

/* Ends the step just past the zero, so that its sign tells the new side; at the latest at
 * t_seen, where the dense output saw it crossed: an event function that leaves zero with no
 * slope needs a while. False if the solution itself does not cross up to there. */
static bool cross(ff_ode *ode, double t0, double t, double t_seen, int event) {
  for (double nudge = instant(t);; nudge *= 4) {
    if (ode->side[event] * event_at(ode, event) < 0) {
      return true;
    }
    if (t >= t_seen) {
      return false;
    }
    t = fmin(t + nudge, t_seen);
    if (!retake(ode, t0, t)) {
      return false;
    }
  }
}

static ff_ode_outcome land_on(ff_ode *ode, double t0, double t, double t_seen, int event) {
  ode->fresh = true;
  t = polish(ode, t0, t, event);
  if (isnan(t)) {
    return FF_ODE_FAILED;
  }
  if (!cross(ode, t0, t, t_seen, event)) {
    return FF_ODE_STEPPED;
  }
  ode->stuck = ode->t - t0 <= instant(t) ? ode->stuck + 1 : 0;
  ode->event = event;
  ode->side[event] = (signed char)-ode->side[event];
  ode->guess *= ode->stuck > 0 ? 1 : AFTER_EVENT;
  ode->guess = fmax(ode->guess, SHORTEST * instant(ode->t));
  return ode->stuck > STUCK_EVENTS ? FF_ODE_FAILED : FF_ODE_EVENT;
}

/* The first part of the step just taken in which an event function crosses. */
static ff_ode_outcome look_for_events(ff_ode *ode, double t0, double t_stop) {
  double t1 = ode->t;
  for (int part = 1; part <= PROBES; part++) {
    double high = part == PROBES ? t1 : t0 + (t1 - t0) * part / PROBES;
    int event = part == PROBES ? crossed_at(ode, t1, ode->y) : crossed_in_step(ode, high);
    if (event >= 0) {
      double low = t0 + (t1 - t0) * (part - 1) / PROBES;
      double t = bracket(ode, low, high, &event);
      return land_on(ode, t0, t, high, event);
    }
  }
  return t1 >= t_stop ? FF_ODE_REACHED : FF_ODE_STEPPED;
}

/* One step of ARKODE from (t0, y0). Where the rates are not defined it gives up at once:
 * try again with smaller steps before giving up too. */
static bool take(ff_ode *ode, double t0, double t_stop) {
  double step = fmin(ode->guess > 0 ? ode->guess : 0.1 * (t_stop - t0), ode->def.max_step);
  for (step = fmin(step, t_stop - t0); step > instant(t0); step *= 0.2) {
    double reached = t0;
    bool good = (!ode->fresh || tell_ark(ode, step) == ARK_SUCCESS) &&
                ERKStepSetStopTime(ode->ark, t_stop) == ARK_SUCCESS &&
                ERKStepEvolve(ode->ark, t_stop, ode->solution, &reached, ARK_ONE_STEP) >= 0;
    if (good) {
      ode->fresh = false;
      ode->t = reached;
      ode->steps++;
      if (reached < t_stop || !(ode->guess > reached - t0)) {
        ode->guess = reached - t0;
      }
      return true;
    }
    memcpy(ode->y, ode->y0, sizeof *ode->y * (size_t)ode->def.size);
    ode->fresh = true;
  }
  return false;
}

ff_ode_outcome ff_ode_step(ff_ode *ode, double t_stop) {
  double t0 = ode->t;
  /* Already on the wrong side: the event is here and now. */
  int event = ode->fresh ? crossed_at(ode, t0, ode->y) : -1;
  memcpy(ode->y0, ode->y, sizeof *ode->y * (size_t)ode->def.size);
  ode->t0 = t0;
  if (event >= 0) {
    return land_on(ode, t0, t0, t0, event);
  }
  if (t_stop - t0 <= instant(t_stop)) {
    ode->t = t_stop;
    ode->fresh = true;
    return FF_ODE_REACHED;
  }
  if (!take(ode, t0, t_stop)) {
    return FF_ODE_FAILED;
  }
  return look_for_events(ode, t0, t_stop);
}

/* y = y0 + h sum of w[j] k[j], the first count stages. */
static void combine(const ff_ode *ode, double h, const double *w, int count, double *y) {
  size_t size = (size_t)ode->def.size;
  for (size_t i = 0; i < size; i++) {
    double sum = 0;
    for (int j = 0; j < count; j++) {
      sum += w[j] * ode->stages[(size_t)j * size + i];
    }
    y[i] = ode->y0[i] + h * sum;
  }
}

/* A plain step of the same pair from where the last one began: shorter, so no less accurate. */
bool ff_ode_inside(ff_ode *ode, double t, double *y) {
  size_t size = (size_t)ode->def.size;
  if (t == ode->t) {
    memcpy(y, ode->y, size * sizeof *y);
    return true;
  }
  const ARKodeButcherTable table = ode->table;
  double h = t - ode->t0;
  for (int stage = 0; stage < table->stages; stage++) {
    combine(ode, h, table->A[stage], stage, y);
    if (ode->def.rates(ode->def.context, ode->t0 + table->c[stage] * h, y,
                       ode->stages + (size_t)stage * size) != 0) {
      return false;
    }
  }
  combine(ode, h, table->b, table->stages, y);
  return true;
}

ff_ode_outcome ff_ode_advance(ff_ode *ode, double t_stop) {
  ff_ode_outcome outcome = FF_ODE_STEPPED;
  while (outcome == FF_ODE_STEPPED) {
    outcome = ff_ode_step(ode, t_stop);
  }
  return outcome;
}
