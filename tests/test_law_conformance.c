/* What every law must obey, whichever laws there are: none is named here. */
#include "law_samples.h"

#include <float.h>

static ff_normal normal_at(const sample *s, double depth, double rate) {
  ff_patch patch = s->patch;
  patch.depth = depth;
  patch.depth_rate = rate;
  patch.overlap = bowl_overlap(&s->bowl, depth);
  ff_normal out;
  ff_law_normal(s->law, &s->params, &patch, &out);
  return out;
}

static ff_friction friction_at(const sample *s) {
  ff_patch patch = s->patch;
  ff_edge edges[BOWL_EDGES];
  if (s->edged) {
    patch.edge_count = bowl_edges(&s->bowl, patch.depth, edges);
    patch.edges = edges;
  }
  ff_friction out;
  ff_law_friction(s->law, &s->params, &patch, &s->load, s->memory, &out);
  return out;
}

/* ---- frames ------------------------------------------------------------------------------- */

/* t1 and t2 turned about n: components (a, b) become those in the new axes. */
static void turn(double pair[2], double c, double s) {
  double a = pair[0], b = pair[1];
  pair[0] = c * a + s * b;
  pair[1] = -s * a + c * b;
}

static sample turned(const sample *s, double c, double sn) {
  sample t = *s;
  turn(t.patch.slip, c, sn);
  turn(t.patch.roll, c, sn);
  t.bowl.turn -= atan2(sn, c);
  t.patch.overlap = bowl_overlap(&t.bowl, t.patch.depth);
  if (s->law->memory_count >= 2) {
    turn(t.memory, c, sn);
  }
  return t;
}

/* t2 seen in a mirror: turning axes flip where arrows do not. */
static sample mirrored(const sample *s) {
  sample m = *s;
  m.patch.slip[1] = -m.patch.slip[1];
  m.patch.spin = -m.patch.spin;
  m.patch.roll[0] = -m.patch.roll[0];
  m.memory[1] = -m.memory[1];
  m.bowl.turn = -m.bowl.turn;
  m.bowl.lean = -m.bowl.lean;
  m.patch.overlap = bowl_overlap(&m.bowl, m.patch.depth);
  return m;
}

/* Within rounding of the larger component: a turn mixes the two. */
static bool same(const double a[2], const double b[2]) {
  double tolerance = 1e-13 * hypot(a[0], a[1]);
  return fabs(a[0] - b[0]) <= tolerance && fabs(a[1] - b[1]) <= tolerance;
}

/* ---- normal laws ---------------------------------------------------------------- */

static void check_touch(const sample *s) {
  ff_patch touch = s->patch;
  touch.depth = 0;
  touch.overlap = bowl_overlap(&s->bowl, 0);
  ff_normal out;
  s->law->normal(s->params.values, &touch, &out);
  require(s, out.elastic == 0 && out.energy == 0);
  require(s, out.force == 0 || traits_of(s) & FF_LAW_JUMPS);
}

static void check_outside(const sample *s) {
  static const double outside[] = {0, -1e-12, -1};
  for (int i = 0; i < 3; i++) {
    ff_normal out = normal_at(s, outside[i], s->patch.depth_rate);
    require(s, out.force == 0 && out.elastic == 0 && out.energy == 0);
    require(s, out.d_depth == 0 && out.d_rate == 0);
  }
}

static void check_pull(const sample *s) {
  ff_normal out = normal_at(s, s->patch.depth, s->patch.depth_rate);
  require(s, out.force >= 0 || traits_of(s) & FF_LAW_PULLS);
}

static void check_normal_finite(const sample *s) {
  ff_normal out = normal_at(s, s->patch.depth, s->patch.depth_rate);
  require(s, isfinite(out.force) && isfinite(out.elastic) && isfinite(out.energy));
  require(s, isfinite(out.d_depth) && isfinite(out.d_rate));
  require(s, out.energy >= 0);
}

static void check_normal_nan(const sample *s) {
  require(s, isnan(normal_at(s, NAN, s->patch.depth_rate).force));
  require(s, isnan(normal_at(s, s->patch.depth, NAN).force));
}

static void check_normal_loss(const sample *s) {
  ff_normal out = normal_at(s, s->patch.depth, s->patch.depth_rate);
  double loss = (out.force - out.elastic) * s->patch.depth_rate;
  /* Room for the rounding of the difference alone. */
  bool feeds = traits_of(s) & FF_LAW_FEEDS;
  require(s, feeds || loss >= -1e-15 * fabs(out.elastic * s->patch.depth_rate));
}

/* What resists rolling takes energy, and turns with the frame. */
static void check_rolling(const sample *s) {
  ff_normal out = normal_at(s, s->patch.depth, s->patch.depth_rate);
  double terms[2] = {-out.moment[0] * s->patch.roll[0], -out.moment[1] * s->patch.roll[1]};
  require(s, terms[0] + terms[1] >= -1e-14 * (fabs(terms[0]) + fabs(terms[1])));
  sample t = turned(s, 0.6, 0.8);
  ff_normal there = normal_at(&t, t.patch.depth, t.patch.depth_rate);
  turn(out.moment, 0.6, 0.8);
  require(s, same(out.moment, there.moment));
}

static double kink_at(const sample *s, double depth, double rate) {
  ff_patch patch = s->patch;
  patch.depth = depth;
  patch.depth_rate = rate;
  return s->law->kink(s->params.values, &patch);
}

/* Is there a kink within these steps of depth and rate around the sample? */
static bool kink_near(const sample *s, double depth_step, double rate_step) {
  if (!s->law->kink) {
    return false;
  }
  double x = s->patch.depth, v = s->patch.depth_rate;
  double before = kink_at(s, x - depth_step, v - rate_step);
  double here = kink_at(s, x, v);
  double after = kink_at(s, x + depth_step, v + rate_step);
  return !((before > 0 && here > 0 && after > 0) || (before < 0 && here < 0 && after < 0));
}

/* Central differences with relative step 1e-6: truncation below 1e-8 even for powers of 100,
 * so 1e-6 of the slope, plus the rounding (or underflow) of the difference itself. */
static double slope_tolerance(double slope, double value, double step) {
  return 1e-6 * fabs(slope) + (1e-15 * fabs(value) + DBL_MIN) / step;
}

static void check_d_depth(const sample *s) {
  double x = s->patch.depth, v = s->patch.depth_rate, h = 1e-6 * x;
  if (kink_near(s, h, 0)) {
    return;
  }
  ff_normal out = normal_at(s, x, v);
  ff_normal more = normal_at(s, x + h, v), less = normal_at(s, x - h, v);
  /* The terms of a force may cancel: rounding follows the elastic part too. */
  double size = fabs(out.force) + fabs(out.elastic) + fabs(out.force - out.elastic);
  double slope = (more.force - less.force) / (2 * h);
  require(s, fabs(slope - out.d_depth) <= slope_tolerance(out.d_depth, size, h));
  double elastic = (more.energy - less.energy) / (2 * h);
  require(s, fabs(elastic - out.elastic) <= slope_tolerance(out.elastic, out.energy, h));
}

static ff_normal gradient_at(const sample *s, double from, double to, double rate) {
  ff_patch patch = s->patch;
  ff_normal out = {0};
  patch.depth = 0.5 * (from + to);
  patch.depth_rate = rate;
  s->law->gradient(s->params.values, &patch, from, to, &out);
  return out;
}

/* Over a step the elastic force does the work that is stored, inside contact and across touch, and
 * the rest takes energy; over a short one all is that of the instant. */
static void check_gradient(const sample *s) {
  if (!s->law->gradient) {
    return;
  }
  double x = s->patch.depth, v = s->patch.depth_rate;
  const double ends[][2] = {
      {x, 1.5 * x}, {x, 0.25 * x}, {-0.5 * x, x}, {x, -2 * x}, {-x, -0.1 * x}};
  for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
    double from = ends[i][0], to = ends[i][1];
    double before = from > 0 ? normal_at(s, from, v).energy : 0;
    double after = to > 0 ? normal_at(s, to, v).energy : 0, size = before + after;
    ff_normal mean = gradient_at(s, from, to, v);
    require(s, fabs(mean.elastic * (to - from) - (after - before)) <= 1e-13 * size + DBL_MIN);
    require(s, fabs(mean.energy - 0.5 * size) <= 1e-14 * size + DBL_MIN);
    require(s, (mean.force - mean.elastic) * v >= 0 || v * (to - from) < 0);
    /* Newton's method needs the slope: truncation 1e-6 times an exponent of up to 100; not of
     * numbers that lose digits to underflow */
    double h = 1e-6 * x, more = gradient_at(s, from, to + 2 * h, v).force;
    double less = gradient_at(s, from, to - 2 * h, v).force, slope = (more - less) / (2 * h);
    bool smooth = to > 0 && fabs(more) > 1e-280 && fabs(less) > 1e-280 && !kink_near(s, x, 0);
    double scale = fabs(mean.d_depth) + (fabs(more) + fabs(less) + mean.elastic) / x;
    require(s, !smooth || fabs(slope - mean.d_depth) <= 1e-4 * scale);
  }
  ff_normal now = normal_at(s, x, v), same = gradient_at(s, x, x, v);
  double size = fabs(now.elastic) + fabs(now.force - now.elastic);
  require(s, fabs(same.force - now.force) <= 1e-13 * size);
  require(s, fabs(same.elastic - now.elastic) <= 1e-13 * size);
  require(s, fabs(same.d_rate - now.d_rate) <= 1e-13 * (now.d_rate + size / fabs(v)) || v == 0);
}

static void check_d_rate(const sample *s) {
  double x = s->patch.depth, v = s->patch.depth_rate;
  double h = v == 0 ? 1e-3 : 1e-3 * fabs(v);
  if (kink_near(s, 0, h)) {
    return;
  }
  ff_normal out = normal_at(s, x, v);
  double slope = (normal_at(s, x, v + h).force - normal_at(s, x, v - h).force) / (2 * h);
  double size = fabs(out.force) + fabs(out.elastic) + fabs(out.force - out.elastic);
  require(s, fabs(slope - out.d_rate) <= slope_tolerance(out.d_rate, size, h));
}

/* Closes in on the largest change of the slope over the rate. Where that turns out to be a
 * jump, the kink function must change its sign too. */
static void check_kink_is_declared(const sample *s) {
  double x = s->patch.depth, low = -1e8, high = 1e8;
  for (int i = 0; i < 200; i++) {
    double middle = 0.5 * (low + high);
    double slope = normal_at(s, x, middle).d_rate;
    bool is_left =
        fabs(slope - normal_at(s, x, low).d_rate) >= fabs(slope - normal_at(s, x, high).d_rate);
    *(is_left ? &high : &low) = middle;
  }
  double before = normal_at(s, x, low).d_rate, after = normal_at(s, x, high).d_rate;
  if (fabs(after - before) > 1e-6 * fmax(fabs(before), fabs(after))) {
    require(s, s->law->kink && kink_at(s, x, low) * kink_at(s, x, high) <= 0);
  }
}

static void check_batch(const sample *s) {
  if (traits_of(s) & FF_LAW_WANTS_OVERLAP) {
    return; /* depth and rate do not tell it enough */
  }
  enum { COUNT = 131 }; /* more than two blocks, and a rest */
  double depth[COUNT], rate[COUNT], force[COUNT];
  uint64_t seed = 7;
  for (int i = 0; i < COUNT; i++) {
    depth[i] = s->patch.depth * ff_random_in(&seed, -0.3, 1);
    rate[i] = s->patch.depth_rate * ff_random_in(&seed, -1, 1);
  }
  ff_law_normal_forces(s->law, &s->params, depth, rate, force, COUNT);
  for (int i = 0; i < COUNT; i++) {
    require(s, force[i] == normal_at(s, depth[i], rate[i]).force);
  }
}

/* ---- friction laws ---------------------------------------------------------------- */

static void check_friction_outside(const sample *s) {
  static const double outside[] = {0, -1e-12, -1};
  static const ff_friction zero = {.mode = FF_OPEN};
  for (int i = 0; i < 3; i++) {
    sample apart = *s;
    apart.patch.depth = outside[i];
    ff_friction out = friction_at(&apart);
    require(s, out.mode == FF_OPEN);
    require(s, memcmp(out.force, zero.force, sizeof out.force) == 0);
    require(s, memcmp(out.moment, zero.moment, sizeof out.moment) == 0);
    require(s, memcmp(out.lost, zero.lost, sizeof out.lost) == 0);
    require(s, out.energy == 0 && out.energy_rate == 0 && out.path_rate == 0);
    require(s, out.normal_force == 0);
  }
}

static void check_friction_finite(const sample *s) {
  ff_friction out = friction_at(s);
  require(s, isfinite(out.force[0]) && isfinite(out.force[1]));
  require(s, isfinite(out.moment[0]) && isfinite(out.moment[1]) && isfinite(out.moment[2]));
  require(s, isfinite(out.energy) && isfinite(out.energy_rate) && out.energy >= 0);
  require(s, isfinite(out.path_rate) && isfinite(out.normal_force) && out.normal_force >= 0);
  for (int i = 0; i < 4; i++) {
    require(s, isfinite(out.d_slip[i / 2][i % 2]));
    require(s, i >= s->law->memory_count || isfinite(out.memory_rate[i]));
  }
  require(s, out.mode == FF_STICK || out.mode == FF_SLIP);
}

/* The power that friction takes is stored or lost, and no loss gives back. Only a law that says
 * so stores what it was not given. */
static void check_power(const sample *s) {
  ff_friction out = friction_at(s);
  const ff_patch *p = &s->patch;
  double terms[] = {-out.force[0] * p->slip[0],
                    -out.force[1] * p->slip[1],
                    -out.moment[0] * p->spin,
                    -out.moment[1] * p->roll[0],
                    -out.moment[2] * p->roll[1],
                    out.normal_force * p->depth_rate,
                    -out.path_rate};
  double balance = 0, size = 0;
  for (int i = 0; i < 7; i++) {
    balance += terms[i];
    size += fabs(terms[i]);
  }
  for (int i = 0; i < FF_LOSS_COUNT; i++) {
    require(s, out.lost[i] >= 0 && (i < FF_LOST_DEPTH || out.lost[i] == 0));
    balance -= out.lost[i];
    size += out.lost[i];
  }
  require(s, fabs(balance) <= 1e-14 * size);
  require(s, out.path_rate >= out.energy_rate || traits_of(s) & FF_LAW_UNPAID);
}

/* energy_rate is that of the energy as depth and memory go on. */
static void check_energy_rate(const sample *s) {
  ff_friction out = friction_at(s);
  double scale = fabs(s->patch.depth_rate) / s->patch.depth;
  for (int i = 0; i < s->law->memory_count; i++) {
    double size = fabs(s->memory[i]);
    scale = fmax(scale, fabs(out.memory_rate[i]) / (size > 0 ? size : 1e-12));
  }
  if (scale == 0 || out.energy == 0) {
    return;
  }
  double h = 1e-5 / scale;
  sample sides[2] = {*s, *s};
  for (int k = 0; k < 2; k++) {
    double dt = k ? h : -h;
    sides[k].patch.depth += dt * s->patch.depth_rate;
    for (int i = 0; i < s->law->memory_count; i++) {
      sides[k].memory[i] += dt * out.memory_rate[i];
    }
  }
  double slope = (friction_at(&sides[1]).energy - friction_at(&sides[0]).energy) / (2 * h);
  /* Truncation 1e-10, rounding 1e-16 / 1e-5 of the energy's largest rate. */
  require(s, fabs(slope - out.energy_rate) <= 1e-8 * scale * out.energy);
}

/* No load, no dry friction; what may remain is viscous. */
static void check_no_load(const sample *s) {
  sample unloaded = *s;
  unloaded.load = (ff_normal){.force = 0};
  ff_friction out = friction_at(&unloaded);
  require(s, out.lost[FF_LOST_SLIP] == 0);
  require(s, (out.force[0] == 0 && out.force[1] == 0) || out.lost[FF_LOST_VISCOUS] > 0);
  require(s, out.moment[0] == 0 && out.moment[1] == 0 && out.moment[2] == 0);
}

static double friction_kink_at(const sample *s) {
  const ff_law *law = s->law;
  return law->friction_kink ? law->friction_kink(s->params.values, &s->patch, &s->load, s->memory,
                                                 &(ff_ahead){.crowd = 1})
                            : 1;
}

/* Where the mode changes over the slip, the kink function says so. */
static void check_friction_kink(const sample *s) {
  if (s->law->friction_kink) {
    require(s, (friction_at(s).mode == FF_STICK) == (friction_kink_at(s) >= 0));
  }
}

/* N, N/m and at least N s/m of a memory: what it stores; how it sticks under a great load, and how
 * it relaxes when nothing presses. */
static double memory_force(const sample *s, double memory) {
  sample bent = *s;
  bent.memory[0] = memory;
  bent.load.force = 1e30;
  bent.patch.slip[0] = bent.patch.slip[1] = bent.memory[1] = 0;
  ff_friction out = friction_at(&bent);
  return memory > 0 ? fmax(fabs(out.force[0]), 2 * out.energy / memory) : 0;
}
static double memory_stiffness(const sample *s) {
  sample bent = *s;
  bent.memory[0] = 1;
  bent.memory[1] = 0;
  double force = memory_force(s, 1);
  return force * force / (2 * friction_at(&bent).energy);
}
static double memory_damping(const sample *s) {
  sample bent = *s;
  bent.load.force = bent.patch.slip[0] = bent.patch.slip[1] = bent.memory[1] = 0;
  bent.memory[0] = 1;
  double loose = memory_stiffness(s) / fabs(friction_at(&bent).memory_rate[0]);
  bent.load.force = 1e30;
  return fmax(loose, fabs(friction_at(&bent).d_slip[0][0]));
}

/* A held force is the law's own in the middle of the step, where memory and slip have changed;
 * over no time at all it is the plain law. */
static void check_held(const sample *s) {
  if (!s->law->friction_held) {
    return;
  }
  ff_friction plain = friction_at(s), held;
  ff_ahead ahead = {.crowd = 1};
  s->law->friction_held(s->params.values, &s->patch, &s->load, s->memory, &ahead, &held);
  require(s, memcmp(&plain, &held, sizeof held) == 0);
  /* A step that can follow the memory: stiffness and damping are taken as they are. */
  double ease = 10, half = fmin(5e-4, .1 / (ease * memory_damping(s)));
  half = fmin(half, .1 / sqrt(ease * memory_stiffness(s)));
  ahead = (ff_ahead){half, ease, 1};
  s->law->friction_held(s->params.values, &s->patch, &s->load, s->memory, &ahead, &held);
  require(s, s->law->energy_held(s->params.values, &s->patch, s->memory, &ahead) == held.energy);
  sample middle = *s;
  double moved = 0, size = hypot(held.force[0], held.force[1]);
  for (int i = 0; i < s->law->memory_count; i++) {
    middle.memory[i] += half * held.memory_rate[i];
    moved = fmax(moved, fabs(s->memory[i]) + half * fabs(held.memory_rate[i]));
  }
  for (int i = 0; i < 2; i++) {
    middle.patch.slip[i] += half * ease * held.force[i];
  }
  ff_friction there;
  ahead.half = 0;
  s->law->friction_held(s->params.values, &middle.patch, &s->load, middle.memory, &ahead, &there);
  /* The middle is where large terms cancel: what they would do by themselves is the measure. */
  double slip = hypot(s->patch.slip[0], s->patch.slip[1]) + half * ease * size;
  double slope = fabs(plain.d_slip[0][0]) + fabs(plain.d_slip[1][1]) + fabs(there.d_slip[0][0]) +
                 fabs(there.d_slip[1][1]);
  double tolerance = 1e-9 * (size + slope * slip + memory_force(s, moved));
  require(s, fabs(there.force[0] - held.force[0]) <= tolerance);
  require(s, fabs(there.force[1] - held.force[1]) <= tolerance);
}

typedef enum comparison { NOTHING, DIFFERS, AGREES } comparison;

/* The slope by central differences at this step, against what the law says. A step over a kink
 * compares nothing. */
static comparison compare_slope(const sample *s, const ff_friction *out, double h) {
  double speed = hypot(s->patch.slip[0], s->patch.slip[1]);
  double size = 0, worst = 0;
  bool compared = false;
  for (int i = 0; i < 4; i++) {
    size = fmax(size, fabs(out->d_slip[i / 2][i % 2]));
  }
  /* The slope may itself have corners (a curve in pieces): then central differences are
   * off by the step times the jump of curvature, some 1e-6 of force over slip. */
  double secant = speed > 0 ? hypot(out->force[0], out->force[1]) / speed : size;
  double rounding = 1e-15 * hypot(out->force[0], out->force[1]) / h;
  for (int j = 0; j < 2; j++) {
    sample more = *s, less = *s;
    more.patch.slip[j] += h;
    less.patch.slip[j] -= h;
    double here = friction_kink_at(s);
    if (here * friction_kink_at(&more) <= 0 || here * friction_kink_at(&less) <= 0) {
      continue;
    }
    compared = true;
    ff_friction fm = friction_at(&more), fl = friction_at(&less);
    double step = more.patch.slip[j] - less.patch.slip[j];
    for (int i = 0; i < 2; i++) {
      worst = fmax(worst, fabs((fm.force[i] - fl.force[i]) / step - out->d_slip[i][j]));
    }
  }
  bool good = worst <= 1e-5 * (size + secant) + rounding;
  return !compared ? NOTHING : good ? AGREES : DIFFERS;
}

/* What a slip changes in the force: bristles, and patches that lean and spin, push without any. */
static double force_of_slip(const sample *s, const double direction[2], double slip) {
  sample there = *s, rest = *s;
  there.patch.slip[0] = slip * direction[0];
  there.patch.slip[1] = slip * direction[1];
  rest.patch.slip[0] = rest.patch.slip[1] = 0;
  ff_friction out = friction_at(&there), none = friction_at(&rest);
  return hypot(out.force[0] - none.force[0], out.force[1] - none.force[1]);
}

/* The slip at which the force, were it to go on as it begins, would be the most it ever is (which
 * may lie before it falls again): the length of the law's curve, found without its slope. */
static double natural_slip(const sample *s) {
  double speed = hypot(s->patch.slip[0], s->patch.slip[1]);
  const double direction[2] = {speed > 0 ? s->patch.slip[0] / speed : 1,
                               speed > 0 ? s->patch.slip[1] / speed : 0};
  double start = speed > 0 ? speed : 1e-13, most = 0;
  for (double slip = start; slip < 1e12; slip *= 3) {
    most = fmax(most, force_of_slip(s, direction, slip));
  }
  double force = force_of_slip(s, direction, start);
  while (start < 1e12 && force < 1e-6 * most) { /* less than that is rounding */
    start *= 10;
    force = force_of_slip(s, direction, start);
  }
  return force > 0 ? start * most / force : start;
}

/* Short steps round, long ones bend, and how long is long only the law knows (a patch that
 * spins fast under a slow slip hides it from short ones): one of them must agree. None comes
 * near the length of the curve: there, every slope looks flat. */
static void check_d_slip(const sample *s) {
  ff_friction out = friction_at(s);
  double speed = hypot(s->patch.slip[0], s->patch.slip[1]);
  double longest = 1e-2 * natural_slip(s);
  if (speed == 0 && s->law->memory_count > 0) {
    return; /* a bent bristle without slip gives no scale for the step */
  }
  comparison seen = NOTHING;
  for (double h = speed > 0 ? 1e-6 * speed : 1e-13; h <= longest && seen != AGREES; h *= 100) {
    comparison now = compare_slope(s, &out, h);
    seen = now != NOTHING ? now : seen;
  }
  require(s, seen != DIFFERS);
}

/* ---- frames: both kinds --------------------------------------------------------------- */

static void check_normal_frame(const sample *s) {
  sample others[] = {turned(s, 0.6, 0.8), mirrored(s)};
  for (int i = 0; i < 2; i++) {
    ff_normal a, b;
    ff_law_normal(s->law, &s->params, &s->patch, &a);
    ff_law_normal(s->law, &s->params, &others[i].patch, &b);
    require(s, a.force == b.force && a.elastic == b.elastic && a.energy == b.energy);
  }
}

/* Do two frames see the same friction? Within rounding of the larger component, since a turn
 * mixes the two, or else of the power: a force that is the small rest of a fast spin, and a
 * moment that is the small rest of a fast slip, are rounded as much as those are. */
static bool same_friction(const sample *s, const ff_friction *a, const ff_friction *b) {
  const ff_patch *p = &s->patch;
  double slip = hypot(p->slip[0], p->slip[1]);
  double off = hypot(a->force[0] - b->force[0], a->force[1] - b->force[1]);
  double off_spin = fabs(a->moment[0] - b->moment[0]);
  double power = hypot(a->force[0], a->force[1]) * slip + fabs(a->moment[0] * p->spin);
  bool force = same(a->force, b->force) || off * slip <= 1e-13 * power;
  bool spin = off_spin <= 1e-13 * fabs(a->moment[0]) || off_spin * fabs(p->spin) <= 1e-13 * power;
  return force && spin && same(&a->moment[1], &b->moment[1]) &&
         fabs(a->energy - b->energy) <= 1e-13 * a->energy;
}

static void check_turned(const sample *s) {
  if (traits_of(s) & FF_LAW_DIRECTED) {
    return;
  }
  double c = 0.6, sn = 0.8;
  sample t = turned(s, c, sn);
  ff_friction here = friction_at(s), there = friction_at(&t);
  turn(here.force, c, sn);
  turn(&here.moment[1], c, sn);
  require(s, same_friction(s, &here, &there));
  if (s->law->memory_count >= 2) {
    turn(here.memory_rate, c, sn);
    require(s, same(here.memory_rate, there.memory_rate));
  }
}

static void check_mirrored(const sample *s) {
  sample m = mirrored(s);
  ff_friction here = friction_at(s), there = friction_at(&m);
  there.force[1] = -there.force[1];
  there.moment[0] = -there.moment[0];
  there.moment[1] = -there.moment[1];
  require(s, same_friction(s, &here, &there));
}

/* ---- tests ------------------------------------------------------------------------------ */

#define NORMAL_TEST(name, check)                                                                   \
  static void name(void **state) {                                                                 \
    (void)state;                                                                                   \
    each_sample(FF_LAW_NORMAL, check);                                                             \
  }
#define FRICTION_TEST(name, check)                                                                 \
  static void name(void **state) {                                                                 \
    (void)state;                                                                                   \
    each_sample(FF_LAW_FRICTION, check);                                                           \
  }

NORMAL_TEST(force_is_zero_at_touch, check_touch)
NORMAL_TEST(normal_is_zero_outside, check_outside)
NORMAL_TEST(never_pulls_unless_declared, check_pull)
NORMAL_TEST(normal_is_finite, check_normal_finite)
NORMAL_TEST(nan_does_not_vanish, check_normal_nan)
NORMAL_TEST(normal_never_gives_energy_unless_declared, check_normal_loss)
NORMAL_TEST(rolling_resistance_takes_energy, check_rolling)
NORMAL_TEST(d_depth_and_elastic_are_gradients, check_d_depth)
NORMAL_TEST(d_rate_is_the_slope, check_d_rate)
NORMAL_TEST(step_gradient_does_the_work_that_is_stored, check_gradient)
NORMAL_TEST(kinks_are_declared, check_kink_is_declared)
NORMAL_TEST(batch_equals_single, check_batch)
NORMAL_TEST(normal_ignores_the_frame, check_normal_frame)
FRICTION_TEST(friction_is_zero_outside, check_friction_outside)
FRICTION_TEST(friction_is_finite, check_friction_finite)
FRICTION_TEST(friction_power_balances, check_power)
FRICTION_TEST(energy_rate_is_the_rate_of_energy, check_energy_rate)
FRICTION_TEST(no_load_no_dry_friction, check_no_load)
FRICTION_TEST(friction_kinks_are_declared, check_friction_kink)
FRICTION_TEST(held_force_is_that_of_the_middle, check_held)
FRICTION_TEST(d_slip_is_the_slope, check_d_slip)
FRICTION_TEST(friction_turns_with_the_frame, check_turned)
FRICTION_TEST(friction_mirrors_with_the_frame, check_mirrored)

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(force_is_zero_at_touch),
      cmocka_unit_test(normal_is_zero_outside),
      cmocka_unit_test(never_pulls_unless_declared),
      cmocka_unit_test(normal_is_finite),
      cmocka_unit_test(nan_does_not_vanish),
      cmocka_unit_test(normal_never_gives_energy_unless_declared),
      cmocka_unit_test(rolling_resistance_takes_energy),
      cmocka_unit_test(d_depth_and_elastic_are_gradients),
      cmocka_unit_test(d_rate_is_the_slope),
      cmocka_unit_test(step_gradient_does_the_work_that_is_stored),
      cmocka_unit_test(kinks_are_declared),
      cmocka_unit_test(batch_equals_single),
      cmocka_unit_test(normal_ignores_the_frame),
      cmocka_unit_test(friction_is_zero_outside),
      cmocka_unit_test(friction_is_finite),
      cmocka_unit_test(friction_power_balances),
      cmocka_unit_test(energy_rate_is_the_rate_of_energy),
      cmocka_unit_test(no_load_no_dry_friction),
      cmocka_unit_test(friction_kinks_are_declared),
      cmocka_unit_test(held_force_is_that_of_the_middle),
      cmocka_unit_test(d_slip_is_the_slope),
      cmocka_unit_test(friction_turns_with_the_frame),
      cmocka_unit_test(friction_mirrors_with_the_frame),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
