/* Footstep plan: from steps to phases, and from phases to feet and zero-moment point. */
#include "control/walk.h"
#include "math/elementary.h"

/* ---- smooth interpolation -------------------------------------------------------------------- */

ff_way ff_way_ease(double s) {
  s = s < 0 ? 0 : (s > 1 ? 1 : s);
  double r = 1 - s;
  return (ff_way){s * s * s * (10 - s * (15 - 6 * s)), 30 * s * s * r * r,
                  60 * s * r * (1 - 2 * s)};
}

ff_way ff_way_arch(double s) {
  s = s < 0 ? 0 : (s > 1 ? 1 : s);
  double both = s * (1 - s), slope = 1 - 2 * s;
  return (ff_way){64 * both * both * both, 192 * both * both * slope,
                  384 * both * (slope * slope - both)};
}

/* ---- planning -------------------------------------------------------------------------------- */

static ff_walk_print print_moved(ff_walk_print from, double forward, double side, double turn) {
  double c = ff_cos(from.yaw), s = ff_sin(from.yaw);
  return (ff_walk_print){from.x + c * forward - s * side, from.y + s * forward + c * side,
                         from.yaw + turn};
}

/* Print of a foot beside the middle, and centre of the sole on a print. */
static ff_walk_print print_beside(const ff_walk *walk, ff_walk_print middle, int foot) {
  double half = 0.5 * walk->def.width;
  return print_moved(middle, -walk->def.sole.x, foot == FF_WALK_LEFT ? half : -half, 0);
}
static void print_sole(const ff_walk *walk, ff_walk_print print, double at[2]) {
  ff_walk_print sole = print_moved(print, walk->def.sole.x, walk->def.sole.y, 0);
  at[0] = sole.x;
  at[1] = sole.y;
}

static void mid_soles(const ff_walk *walk, const ff_walk_phase *phase, double at[2]) {
  double left[2], right[2];
  print_sole(walk, phase->from[0], left);
  print_sole(walk, phase->from[1], right);
  at[0] = 0.5 * (left[0] + right[0]);
  at[1] = 0.5 * (left[1] + right[1]);
}

/* Appends a phase after the last one; the feet are where that one leaves them. */
static ff_walk_phase *plan_add_phase(ff_walk *walk, double shift, double time) {
  ff_walk_phase *phase = &walk->phases[walk->phase_count++];
  const ff_walk_phase *last = phase - 1;
  phase->start = last->end;
  phase->shift = last->end + shift;
  phase->end = last->end + time;
  phase->moves = -1;
  for (int f = 0; f < 2; f++) {
    phase->from[f] = f == last->moves ? last->to : last->from[f];
    phase->zmp_from[f] = last->zmp_to[f];
  }
  return phase;
}

void ff_walk_plan(ff_walk *walk, const ff_walk_step *steps, int count) {
  const ff_walk_def *def = &walk->def;
  ff_walk_print middle = {0, 0, 0};
  int foot = (int)def->first;
  ff_walk_phase *phase = walk->phases;
  *phase = (ff_walk_phase){.shift = def->rest, .end = def->rest, .moves = -1};
  walk->phase_count = 1;
  phase->from[0] = print_beside(walk, middle, 0);
  phase->from[1] = print_beside(walk, middle, 1);
  mid_soles(walk, phase, phase->zmp_from);
  mid_soles(walk, phase, phase->zmp_to);
  for (int k = 0; count > 0 && k <= count; k++) {
    /* a final step brings the feet together */
    ff_walk_step step = k < count ? steps[k] : (ff_walk_step){.duration = 0};
    phase = plan_add_phase(walk, def->double_support,
                           step.duration > 0 ? step.duration : def->step_time);
    middle = print_moved(middle, step.forward, step.side, step.turn);
    phase->moves = foot;
    phase->to = print_beside(walk, middle, foot);
    foot = 1 - foot;
    print_sole(walk, phase->from[foot], phase->zmp_to); /* the other foot supports */
  }
  phase = plan_add_phase(walk, def->double_support, def->double_support);
  mid_soles(walk, phase, phase->zmp_to);
  phase = plan_add_phase(walk, 0, def->rest);
  mid_soles(walk, phase, phase->zmp_to);
  walk->duration = phase->end;
}

/* ---- evaluation ------------------------------------------------------------------------------ */

static const ff_walk_phase *plan_phase_at(const ff_walk *walk, double time) {
  int low = 0, high = walk->phase_count - 1;
  while (low < high) { /* bisection: the last phase that has started */
    int middle = (low + high + 1) / 2;
    if (walk->phases[middle].start <= time) {
      low = middle;
    } else {
      high = middle - 1;
    }
  }
  return &walk->phases[low];
}

void ff_walk_zmp(const ff_walk *walk, double time, double zmp[2]) {
  const ff_walk_phase *p = plan_phase_at(walk, time);
  double span = p->shift - p->start;
  double s = span > 0 ? ff_way_ease((time - p->start) / span).value : 1;
  for (int i = 0; i < 2; i++) {
    zmp[i] = p->zmp_from[i] + s * (p->zmp_to[i] - p->zmp_from[i]);
  }
}

static ff_walk_foot plan_standing_foot(const ff_walk *walk, ff_walk_print print) {
  ff_vec3 place = v3(print.x, print.y, -walk->def.sole.z);
  ff_quat turn = {ff_cos(0.5 * print.yaw), 0, 0, ff_sin(0.5 * print.yaw)};
  return (ff_walk_foot){.pose = {place, turn}, .down = true};
}

/* Swing foot: straight to its next print, rotating, up and down. */
static ff_walk_foot plan_swing_foot(const ff_walk *walk, const ff_walk_phase *p, double time,
                                    double *yaw) {
  ff_walk_print from = p->from[p->moves], to = p->to;
  double span = p->end - p->shift, s = (time - p->shift) / span;
  ff_way on = ff_way_ease(s), up = ff_way_arch(s);
  *yaw = from.yaw + on.value * (to.yaw - from.yaw);
  ff_walk_print here = {from.x + on.value * (to.x - from.x), from.y + on.value * (to.y - from.y),
                        *yaw};
  ff_walk_foot foot = plan_standing_foot(walk, here);
  foot.pose.position.z += walk->def.lift * up.value;
  foot.velocity =
      v3(on.rate * (to.x - from.x), on.rate * (to.y - from.y), walk->def.lift * up.rate);
  foot.velocity = v3_scale(1 / span, foot.velocity);
  foot.yaw_rate = on.rate * (to.yaw - from.yaw) / span;
  foot.down = false;
  return foot;
}

double ff_walk_feet(const ff_walk *walk, double time, ff_walk_foot feet[2]) {
  const ff_walk_phase *p = plan_phase_at(walk, time);
  double yaw[2];
  for (int f = 0; f < 2; f++) {
    bool over = f == p->moves && time >= p->end;
    ff_walk_print print = over ? p->to : p->from[f];
    yaw[f] = print.yaw;
    feet[f] = f == p->moves && time > p->shift && !over ? plan_swing_foot(walk, p, time, &yaw[f])
                                                        : plan_standing_foot(walk, print);
  }
  return 0.5 * (yaw[0] + yaw[1]);
}
