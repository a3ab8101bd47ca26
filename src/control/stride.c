/* Strides: timing and placement of steps. Tasks provide planned steps; the capture point may
 * require recovery steps. */
#include "control/pilot.h"
#include "math/elementary.h"

/* Least distance of the zero-moment point from the edge of a sole, m; additional distance per rad
 * that a foot tilts, m. */
#define EDGE    0.005
#define TIPPING 0.5
/* Fraction of the edges of a single sole cut off at each corner. */
#define CUT 0.25
/* Recovery step: s in the air, s before it may follow another. */
#define CATCH_TIME 0.22
/* Errors of the capture point that do not change a landing, m. */
#define PATIENCE 0.006
/* Desired capture point at the landing of a recovery step, as a fraction of the way from the old
 * foot to the new one. */
#define CATCH_PART 0.9
/* Largest extension of the leg of a trailing foot, as a fraction of its length. */
#define FAR_BEHIND 0.965
/* Time after a landing before the next task starts, s. */
#define SETTLE 0.15
/* Largest extension of a leg in a jump. */
#define STRAIGHT 0.985
/* The feet are aligned after standing still for this long, s, if they are misplaced by this much,
 * m. */
#define ALIGN_WAIT 0.5
#define TIDY_FAR   0.012
/* Fraction of the swing time before landing at which the landing place is frozen. */
#define LATE 0.35
/* A landing out of reach by this much, m, is brought forward, to this long from now, s. */
#define HURRY_FROM 0.005
#define HURRY      0.12
/* Speed of descent of a foot that has not landed in time, m/s. */
#define SEEK 0.1
/* Load on the swing foot, as a fraction of the weight, that counts as an early landing. */
#define EARLY 0.3

enum { AHEAD = 3, SPANS = 2 * AHEAD + 6 };

double ff_pilot_gain(double omega) {
  return 1 + 5.0 / omega; /* errors decay at 5 1/s */
}

/* ---- positions ------------------------------------------------------------------------------- */

double ff_pilot_ground(const ff_pilot *pilot, double x, double y) {
  ff_vec3 origin = pilot->def.place.position;
  ff_vec3 normal = q_rotate(pilot->def.place.orientation, v3(0, 0, 1));
  return origin.z - (normal.x * (x - origin.x) + normal.y * (y - origin.y)) / normal.z;
}

static ff_vec3 rotated_by_yaw(double yaw, double forward, double side) {
  return v3(ff_cos(yaw) * forward - ff_sin(yaw) * side, ff_sin(yaw) * forward + ff_cos(yaw) * side,
            0);
}

/* Landing of the other foot by a step from this one. */
static ff_sole step_landing(const ff_pilot *pilot, ff_sole from, int foot, ff_walk_step step) {
  double half = 0.5 * pilot->stand->def.width * (foot == FF_WALK_LEFT ? 1 : -1);
  ff_vec3 middle = v3_sub(from.place, rotated_by_yaw(from.yaw, 0, half));
  middle = v3_add(middle, rotated_by_yaw(from.yaw, step.forward, step.side));
  ff_sole to = {.yaw = from.yaw + step.turn};
  to.place = v3_sub(middle, rotated_by_yaw(to.yaw, 0, half));
  to.place.z = ff_pilot_ground(pilot, to.place.x, to.place.y) + pilot->rise;
  return to;
}

static ff_vec3 lerp_vec3(ff_vec3 a, ff_vec3 b, double s) {
  return v3_axpy(a, s, v3_sub(b, a));
}

double ff_pilot_stretch(const ff_pilot *pilot, int f) {
  const ff_walk_leg *leg = &pilot->stand->legs[f];
  ff_vec3 hip = pose_point(pilot->whole.trunk, leg->hip);
  ff_vec3 ankle = ff_tree_pose(pilot->whole.work, leg->link[5]).position;
  return v3_norm(v3_sub(ankle, hip)) / (leg->leg.thigh + leg->leg.shank);
}

/* ---- support polygon ------------------------------------------------------------------------- */

/* Tilt of a foot about its own y and x, rad: toes down, left side down. */
static void foot_tilt(const ff_pilot *pilot, int f, double tilt[2]) {
  ff_vec3 normal = q_rotate(pilot->def.place.orientation, v3(0, 0, 1));
  ff_vec3 up = q_unrotate(pilot->whole.sole[f].orientation, normal);
  tilt[0] = -up.x;
  tilt[1] = -up.y;
}

/* Corners of a sole with a margin, larger where the foot tilts, so that it tilts back. */
static int sole_corners_inset(const ff_pilot *pilot, int f, double edge, ff_vec3 *corners) {
  const ff_walk_def *def = &pilot->stand->def;
  const double half[2] = {0.5 * def->sole_length - edge, 0.5 * def->sole_width - edge};
  double tilt[2], low[2], high[2];
  foot_tilt(pilot, f, tilt);
  for (int i = 0; i < 2; i++) {
    low[i] = -half[i] + fmin(0.5 * half[i], TIPPING * fmax(0, -tilt[i]));
    high[i] = half[i] - fmin(0.5 * half[i], TIPPING * fmax(0, tilt[i]));
  }
  for (int k = 0; k < 4; k++) {
    double x = k & 1 ? high[0] : low[0], y = k & 2 ? high[1] : low[1];
    corners[k] = v3_add(pilot->sole[f].place, rotated_by_yaw(pilot->sole[f].yaw, x, y));
  }
  return 4;
}

/* Cuts the corners of a single sole: loaded there it could rotate about its edge. */
static int cut_sole_corners(const ff_vec3 corners[4], ff_vec3 *out) {
  static const int next[4] = {1, 3, 0, 2}; /* next corner, anticlockwise */
  for (int k = 0; k < 4; k++) {
    out[2 * k] = lerp_vec3(corners[k], corners[next[k]], CUT);
    out[2 * k + 1] = lerp_vec3(corners[k], corners[next[k]], 1 - CUT);
  }
  return 8;
}

static ff_support support_polygon_of(const ff_pilot *pilot, bool left, bool right) {
  ff_vec3 corners[FF_SUPPORT_MAX], cut[FF_SUPPORT_MAX];
  if (left && right) {
    int count = sole_corners_inset(pilot, 0, EDGE, corners);
    count += sole_corners_inset(pilot, 1, EDGE, corners + count);
    return ff_support_of(corners, count);
  }
  sole_corners_inset(pilot, left ? 0 : 1, EDGE, corners);
  return ff_support_of(cut, cut_sole_corners(corners, cut));
}

ff_support ff_stride_support(const ff_pilot *pilot) {
  bool swings = pilot->mode == FF_PILOT_SWING;
  return support_polygon_of(pilot, !swings || pilot->moves != 0, !swings || pilot->moves != 1);
}

/* ---- the zero-moment point and the capture point --------------------------------------------- */

static ff_vec3 mid_feet(const ff_pilot *pilot) {
  return lerp_vec3(pilot->sole[0].place, pilot->sole[1].place, 0.5);
}

ff_vec3 ff_stride_zmp(const ff_pilot *pilot) {
  if (pilot->mode == FF_PILOT_STAND) {
    double s = fmin(1, pilot->time / pilot->stand->def.double_support);
    return lerp_vec3(pilot->zmp_from, mid_feet(pilot), s);
  }
  ff_vec3 carries = pilot->sole[1 - pilot->moves].place;
  if (pilot->mode == FF_PILOT_SHIFT) {
    return lerp_vec3(pilot->zmp_from, carries, fmin(1, pilot->time / pilot->shift));
  }
  return carries;
}

/* The k-th coming step of the task; false: none. */
static bool coming_step(const ff_pilot *pilot, int k, ff_walk_step *step) {
  const ff_task *task = &pilot->tasks[pilot->task];
  bool walks = pilot->task < pilot->def.task_count && task->kind == FF_TASK_WALK;
  int index = pilot->next + k;
  if (!walks || task->step_count == 0 || index > task->step_count) {
    return false;
  }
  *step = index < task->step_count ? task->steps[index] : (ff_walk_step){0};
  return true;
}

static double coming_step_time(const ff_pilot *pilot, const ff_walk_step *step) {
  return step->duration > 0 ? step->duration : pilot->stand->def.step_time;
}

/* Foot that the next coming step moves. */
static int coming_step_foot(const ff_pilot *pilot) {
  return (pilot->next % 2 == 0) == (pilot->stand->def.first == FF_WALK_LEFT) ? 0 : 1;
}

typedef struct path {
  ff_span spans[SPANS];
  int count;
} path;

static void path_add_span(path *to, double time, ff_vec3 from, ff_vec3 there) {
  if (time > 0) {
    to->spans[to->count++] = (ff_span){time, from, there};
  }
}

/* Path of the zero-moment point for the coming steps from double support, starting at `at`; returns
 * its end. */
static ff_vec3 path_add_steps(const ff_pilot *pilot, path *to, ff_sole feet[2], ff_vec3 at,
                              int moves) {
  double both = pilot->stand->def.double_support;
  ff_walk_step step;
  int k = 0;
  for (; k < AHEAD && coming_step(pilot, k, &step); k++, moves = 1 - moves) {
    ff_vec3 carries = feet[1 - moves].place;
    path_add_span(to, both, at, carries);
    path_add_span(to, coming_step_time(pilot, &step) - both, carries, carries);
    feet[moves] = step_landing(pilot, feet[1 - moves], 1 - moves, step);
    at = carries;
  }
  if (k == AHEAD) {
    return lerp_vec3(at, feet[1 - moves].place, 0.5);
  }
  ff_vec3 middle = lerp_vec3(feet[0].place, feet[1].place, 0.5);
  path_add_span(to, both, at, middle);
  return middle;
}

static ff_vec3 capture_for_landing(const ff_pilot *pilot, ff_sole landing, double omega) {
  path to = {.count = 0};
  ff_sole feet[2] = {pilot->sole[0], pilot->sole[1]};
  ff_vec3 at = ff_stride_zmp(pilot), last;
  if (pilot->mode == FF_PILOT_STAND) {
    ff_vec3 middle = mid_feet(pilot);
    double both = fmax(0, pilot->stand->def.double_support - pilot->time);
    ff_walk_step step;
    bool more = coming_step(pilot, 0, &step);
    path_add_span(&to, both, at, middle);
    path_add_span(&to, more ? pilot->wait - both : 0, middle, middle);
    last = more ? path_add_steps(pilot, &to, feet, middle, coming_step_foot(pilot)) : middle;
  } else {
    ff_vec3 carries = feet[1 - pilot->moves].place;
    double left = pilot->mode == FF_PILOT_SHIFT ? pilot->shift - pilot->time : 0;
    double air = pilot->mode == FF_PILOT_SWING ? pilot->swing - pilot->time : pilot->swing;
    path_add_span(&to, left, at, carries);
    path_add_span(&to, air, carries, carries);
    feet[pilot->moves] = landing;
    if (pilot->planned) {
      last = path_add_steps(pilot, &to, feet, carries, 1 - pilot->moves);
    } else {
      last = lerp_vec3(feet[0].place, feet[1].place, 0.5);
      path_add_span(&to, pilot->stand->def.double_support, carries, last);
    }
  }
  return ff_capture_desired(to.spans, to.count, last, omega);
}

ff_vec3 ff_stride_capture(const ff_pilot *pilot, double omega) {
  return capture_for_landing(pilot, pilot->landing, omega);
}

/* ---- adapted landings ------------------------------------------------------------------------ */

/* Landing limited to the reach of the legs: beside the standing foot, not on it. */
static ff_sole landing_in_reach(const ff_pilot *pilot, int moves, ff_sole landing) {
  const ff_walk *walk = pilot->stand;
  ff_sole from = pilot->sole[1 - moves];
  double side = moves == FF_WALK_LEFT ? 1 : -1;
  double leg = walk->legs[0].leg.thigh + walk->legs[0].leg.shank;
  double near = walk->def.sole_width + 0.006, far = 0.8 * leg, ahead = 0.55 * leg;
  ff_vec3 off = v3_sub(landing.place, from.place);
  double x = ff_cos(from.yaw) * off.x + ff_sin(from.yaw) * off.y;
  double y = side * (ff_cos(from.yaw) * off.y - ff_sin(from.yaw) * off.x);
  x = fmax(-ahead, fmin(ahead, x));
  y = fmax(near, fmin(far, y));
  landing.place = v3_add(from.place, rotated_by_yaw(from.yaw, x, side * y));
  landing.place.z = ff_pilot_ground(pilot, landing.place.x, landing.place.y) + pilot->rise;
  return landing;
}

/* Planned landing, shifted by the part of the capture point error that the soles cannot correct. */
static ff_sole adapted_landing(const ff_pilot *pilot, double omega, double air) {
  int stands = 1 - pilot->moves;
  ff_sole to = step_landing(pilot, pilot->sole[stands], stands, pilot->step);
  ff_support support = ff_stride_support(pilot);
  ff_vec3 error = v3_sub(pilot->told.capture, capture_for_landing(pilot, to, omega));
  error.z = 0;
  ff_vec3 left = ff_capture_remaining(error, pilot->sole[stands].place, &support, omega,
                                      ff_pilot_gain(omega), air);
  double size = v3_norm(left);
  if (size <= PATIENCE) {
    return to;
  }
  /* the coming steps move with the new foot, in part */
  double wt = omega * pilot->stand->def.double_support;
  double part = ff_exp(-wt) + (1 - ff_exp(-wt) * (1 + wt)) / wt;
  to.place = v3_axpy(to.place, (1 - PATIENCE / size) / part, left);
  return to;
}

/* Landing of a recovery step, beyond the predicted capture point. */
static ff_sole recovery_landing(const ff_pilot *pilot, int moves, double omega, double air) {
  ff_sole stands = pilot->sole[1 - moves];
  ff_support support = support_polygon_of(pilot, moves != 0, moves != 1);
  ff_vec3 error = v3_sub(pilot->told.capture, stands.place);
  error.z = 0;
  ff_vec3 left =
      ff_capture_remaining(error, stands.place, &support, omega, ff_pilot_gain(omega), air);
  return (ff_sole){v3_axpy(stands.place, 1 / CATCH_PART, left), stands.yaw};
}

/* Next point of the quintic polynomial from here to rest at a place, within a time. */
static void quintic_approach(ff_curve *at, ff_vec3 to, double time, double h) {
  if (time < 2 * h) {
    at->acceleration = v3(0, 0, 0);
    at->velocity = v3_scale(0.5, at->velocity);
    at->place = v3_axpy(at->place, h, at->velocity);
    return;
  }
  double s = h / time, t = time;
  double *place = &at->place.x, *velocity = &at->velocity.x, *bend = &at->acceleration.x;
  for (int i = 0; i < 2; i++) {
    double d = (&to.x)[i] - place[i], v = velocity[i] * t, a = bend[i] * t * t;
    double c3 = 10 * d - 6 * v - 1.5 * a, c4 = -15 * d + 8 * v + 1.5 * a,
           c5 = 6 * d - 3 * v - 0.5 * a;
    place[i] += s * (v + s * (0.5 * a + s * (c3 + s * (c4 + s * c5))));
    velocity[i] = (v + s * (a + s * (3 * c3 + s * (4 * c4 + s * 5 * c5)))) / t;
    bend[i] = (a + s * (6 * c3 + s * (12 * c4 + s * 20 * c5))) / (t * t);
  }
}

static double landing_distance(ff_sole a, ff_sole b) {
  return ff_hypot(a.place.x - b.place.x, a.place.y - b.place.y);
}

/* Shortens the step if that brings the landing within reach. */
static void hasten_landing(ff_pilot *pilot, double omega) {
  for (;;) {
    double air = pilot->swing - pilot->time;
    ff_sole to = adapted_landing(pilot, omega, air);
    pilot->landing = landing_in_reach(pilot, pilot->moves, to);
    if (landing_distance(pilot->landing, to) < HURRY_FROM || air < HURRY + pilot->def.period) {
      return;
    }
    pilot->swing = fmax(pilot->swing - pilot->def.period, pilot->time + HURRY);
  }
}

void ff_stride_swing(ff_pilot *pilot, double omega) {
  double h = pilot->def.period, air = pilot->swing - pilot->time;
  if (air > LATE * CATCH_TIME && pilot->shift > 0) { /* later the foot could not follow */
    hasten_landing(pilot, omega);
    air = pilot->swing - pilot->time;
  } else if (air > LATE * CATCH_TIME) {
    ff_sole to = recovery_landing(pilot, pilot->moves, omega, air);
    pilot->landing = landing_in_reach(pilot, pilot->moves, to);
  }
  quintic_approach(&pilot->foot, pilot->landing.place, air - 0.1 * pilot->swing, h);
  double s = pilot->part, lift = pilot->stand->def.lift;
  double rate = air > h ? (1 - s) / air : 1 / pilot->swing;
  double from = pilot->sole[pilot->moves].place.z, to = pilot->landing.place.z;
  ff_way on = ff_way_ease(s), up = ff_way_arch(s);
  pilot->foot.place.z = from + on.value * (to - from) + lift * up.value;
  pilot->foot.velocity.z = (on.rate * (to - from) + lift * up.rate) * rate;
  pilot->foot.acceleration.z = (on.bend * (to - from) + lift * up.bend) * rate * rate;
  pilot->part += h * rate;
  if (air < 0) { /* descend until contact */
    pilot->foot.place.z -= SEEK * (pilot->time - pilot->swing);
    pilot->foot.velocity.z = -SEEK;
  }
}

/* ---- modes ----------------------------------------------------------------------------------- */

static void enter_mode(ff_pilot *pilot, ff_pilot_mode mode, ff_vec3 zmp) {
  pilot->zmp_from = zmp;
  pilot->mode = mode;
  pilot->time = 0;
}

static void lift_foot(ff_pilot *pilot) {
  ff_pose sole = pilot->whole.sole[pilot->moves];
  enter_mode(pilot, FF_PILOT_SWING, pilot->sole[1 - pilot->moves].place);
  pilot->foot = (ff_curve){.place = sole.position};
  pilot->part = 0;
  pilot->sole[pilot->moves].place = sole.position;
}

static void begin_step(ff_pilot *pilot, int moves, ff_walk_step step, bool planned, double shift,
                       double swing) {
  ff_vec3 zmp = ff_stride_zmp(pilot); /* of the mode that ends */
  pilot->moves = moves;
  pilot->step = step;
  pilot->planned = planned;
  pilot->shift = shift;
  pilot->swing = swing;
  pilot->landing = step_landing(pilot, pilot->sole[1 - moves], 1 - moves, step);
  if (shift > 0) {
    enter_mode(pilot, FF_PILOT_SHIFT, zmp);
  } else {
    lift_foot(pilot);
  }
}

/* Starts the next step of the walk, if there is one. */
static bool begin_walk_step(ff_pilot *pilot) {
  ff_walk_step step;
  if (!coming_step(pilot, 0, &step)) {
    return false;
  }
  double both = pilot->stand->def.double_support;
  int foot = coming_step_foot(pilot);
  pilot->next++;
  begin_step(pilot, foot, step, true, both, coming_step_time(pilot, &step) - both);
  return true;
}

static double yaw_of(ff_quat q) {
  ff_vec3 ahead = q_rotate(q, v3(1, 0, 0));
  return ff_atan2(ahead.y, ahead.x);
}

/* Yaw equal modulo 2 pi, nearest to another. */
static double yaw_nearest(double yaw, double near) {
  double turns = (near - yaw) / (2 * ff_acos(-1.0));
  return yaw + 2 * ff_acos(-1.0) * floor(turns + 0.5);
}

static void update_sole(ff_pilot *pilot, int f, double near) {
  ff_pose sole = pilot->whole.sole[f];
  pilot->sole[f] = (ff_sole){sole.position, yaw_nearest(yaw_of(sole.orientation), near)};
}

static void land_swing_foot(ff_pilot *pilot) {
  int moves = pilot->moves;
  update_sole(pilot, moves, pilot->landing.yaw);
  pilot->told.steps++;
  pilot->told.recovery += !pilot->planned;
  if (pilot->planned && begin_walk_step(pilot)) {
    return;
  }
  enter_mode(pilot, FF_PILOT_STAND, ff_stride_zmp(pilot));
  pilot->wait = fmax(pilot->wait, pilot->planned ? pilot->stand->def.rest : 2 * ALIGN_WAIT);
}

/* ---- recovery steps -------------------------------------------------------------------------- */

/* Capture point error left after a recovery step with this foot, m. */
static double recovery_error(const ff_pilot *pilot, int moves, double omega) {
  ff_sole want = recovery_landing(pilot, moves, omega, CATCH_TIME);
  ff_sole got = landing_in_reach(pilot, moves, want);
  return ff_hypot(want.place.x - got.place.x, want.place.y - got.place.y);
}

/* Starts a recovery step if the capture point leaves the support polygon for good. */
static bool begin_recovery_step(ff_pilot *pilot, double omega) {
  ff_support support = ff_stride_support(pilot);
  if (ff_support_margin(&support, pilot->told.capture) > -0.002) {
    return false;
  }
  int moves = recovery_error(pilot, 0, omega) < recovery_error(pilot, 1, omega) ? 0 : 1;
  begin_step(pilot, moves, (ff_walk_step){0}, false, 0, CATCH_TIME);
  return true;
}

/* Moves a trailing foot with little load before its leg is fully extended. */
static bool begin_trailing_step(ff_pilot *pilot, const ff_pilot_sense *sense) {
  for (int f = 0; f < 2; f++) {
    if (ff_pilot_stretch(pilot, f) > FAR_BEHIND && sense->load[f].z < 0.25 * pilot->weight) {
      begin_step(pilot, f, (ff_walk_step){0}, false, 0, CATCH_TIME);
      return true;
    }
  }
  return false;
}

/* Places the feet side by side again. */
static bool begin_aligning_step(ff_pilot *pilot) {
  ff_vec3 error = v3_sub(pilot->told.capture, pilot->told.capture_wanted);
  ff_sole right = step_landing(pilot, pilot->sole[0], 0, (ff_walk_step){0});
  ff_vec3 off = v3_sub(right.place, pilot->sole[1].place);
  bool out = ff_hypot(off.x, off.y) > TIDY_FAR || fabs(right.yaw - pilot->sole[1].yaw) > 0.1;
  if (!out || ff_hypot(error.x, error.y) > 0.01 || pilot->time < ALIGN_WAIT) {
    return false;
  }
  double both = pilot->stand->def.double_support;
  /* from rest: time to shift the weight */
  begin_step(pilot, 1, (ff_walk_step){0}, false, 3 * both, pilot->stand->def.step_time - both);
  return true;
}

/* ---- tasks ----------------------------------------------------------------------------------- */

static double task_duration(const ff_pilot *pilot) {
  if (pilot->task >= pilot->def.task_count) {
    return INFINITY;
  }
  const ff_task *task = &pilot->tasks[pilot->task];
  switch (task->kind) {
    case FF_TASK_WALK: return pilot->next == 0 ? pilot->stand->def.rest : 0;
    case FF_TASK_JUMP: return INFINITY; /* ends with the landing */
    default: return task->time;
  }
}

void ff_stride_begin(ff_pilot *pilot, int task) {
  pilot->task = task;
  pilot->task_time = 0;
  pilot->next = 0;
  pilot->wait = task_duration(pilot);
}

static void stand_mode(ff_pilot *pilot, const ff_pilot_sense *sense, double omega) {
  if (pilot->lift_off > 0 || pilot->settle > 0) {
    return;
  }
  if (begin_recovery_step(pilot, omega) || begin_trailing_step(pilot, sense) ||
      begin_aligning_step(pilot)) {
    return;
  }
  if (pilot->wait <= 1e-9 && !begin_walk_step(pilot) && pilot->task < pilot->def.task_count) {
    ff_stride_begin(pilot, pilot->task + 1);
  }
}

/* ---- flight and landing ---------------------------------------------------------------------- */

static void detect_ground(ff_pilot *pilot, const ff_pilot_sense *sense) {
  double load = sense->load[0].z + sense->load[1].z;
  bool none = load < 0.02 * pilot->weight;
  pilot->unloaded = none ? pilot->unloaded + pilot->def.period : 0;
  bool straight = ff_pilot_stretch(pilot, 0) > STRAIGHT || ff_pilot_stretch(pilot, 1) > STRAIGHT;
  bool fast = pilot->whole.motion.velocity.z > 0.98 * pilot->lift_off;
  bool leaps = pilot->lift_off > 0 && (fast || straight || load < 0.5 * pilot->weight);
  if (pilot->mode != FF_PILOT_FLIGHT && (leaps || pilot->unloaded > 0.04)) {
    pilot->mode = FF_PILOT_FLIGHT;
    pilot->time = 0;
  } else if (pilot->mode == FF_PILOT_FLIGHT && load > 0.1 * pilot->weight && pilot->time > 0.02) {
    update_sole(pilot, 0, pilot->sole[0].yaw);
    update_sole(pilot, 1, pilot->sole[1].yaw);
    if (pilot->lift_off > 0) {
      pilot->lift_off = 0;
      ff_stride_begin(pilot, pilot->task + 1);
    }
    pilot->mode = FF_PILOT_STAND;
    pilot->time = 0;
    pilot->settle = SETTLE;
    pilot->zmp_from = mid_feet(pilot);
    pilot->wait = fmax(pilot->wait, 2 * ALIGN_WAIT);
  }
}

static bool has_fallen(const ff_pilot *pilot) {
  ff_vec3 up = q_rotate(pilot->whole.trunk.orientation, v3(0, 0, 1));
  ff_vec3 com = pilot->whole.motion.com;
  double height = com.z - ff_pilot_ground(pilot, com.x, com.y) - pilot->rise;
  return up.z < 0.5 || height < 0.4 * pilot->stand->def.height;
}

/* Updates the positions of standing feet: the ground may move, or a foot may slip. */
static void update_standing_feet(ff_pilot *pilot) {
  for (int f = 0; f < 2; f++) {
    if (pilot->mode != FF_PILOT_SWING || f != pilot->moves) {
      double height = pilot->sole[f].place.z;
      update_sole(pilot, f, pilot->sole[f].yaw);
      pilot->sole[f].place.z = height;
    }
  }
}

void ff_stride_advance(ff_pilot *pilot, const ff_pilot_sense *sense) {
  double omega = sqrt(pilot->stand->def.gravity / pilot->stand->def.height);
  if (pilot->mode != FF_PILOT_FALLEN && has_fallen(pilot)) {
    pilot->mode = FF_PILOT_FALLEN;
    pilot->time = 0;
  }
  if (pilot->mode == FF_PILOT_FALLEN) {
    return;
  }
  detect_ground(pilot, sense);
  update_standing_feet(pilot);
  double load = sense->load[pilot->moves].z;
  if (pilot->mode == FF_PILOT_SWING) {
    double s = pilot->part;
    if ((s > 0.5 && load > EARLY * pilot->weight) ||
        (pilot->time >= pilot->swing - 1e-9 && load > 0)) {
      land_swing_foot(pilot);
    }
  } else if (pilot->mode == FF_PILOT_SHIFT && pilot->time >= pilot->shift - 1e-9) {
    lift_foot(pilot);
  } else if (pilot->mode == FF_PILOT_STAND) {
    stand_mode(pilot, sense, omega);
  }
}
