/* Strides: timing and placement of steps. Tasks provide planned steps; the capture point may
 * require recovery steps. */
#include "control/controller.h"
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

double ff_controller_gain(double omega) {
  return 1 + 5.0 / omega; /* errors decay at 5 1/s */
}

/* ---- positions ------------------------------------------------------------------------------- */

double ff_controller_ground(const ff_controller *controller, double x, double y) {
  ff_vec3 origin = controller->def.place.position;
  ff_vec3 normal = q_rotate(controller->def.place.orientation, v3(0, 0, 1));
  return origin.z - (normal.x * (x - origin.x) + normal.y * (y - origin.y)) / normal.z;
}

static ff_vec3 rotated_by_yaw(double yaw, double forward, double side) {
  return v3(ff_cos(yaw) * forward - ff_sin(yaw) * side, ff_sin(yaw) * forward + ff_cos(yaw) * side,
            0);
}

/* Landing of the other foot by a step from this one. */
static ff_sole step_landing(const ff_controller *controller, ff_sole from, int foot,
                            ff_walk_step step) {
  double half = 0.5 * controller->stand->def.width * (foot == FF_WALK_LEFT ? 1 : -1);
  ff_vec3 middle = v3_sub(from.place, rotated_by_yaw(from.yaw, 0, half));
  middle = v3_add(middle, rotated_by_yaw(from.yaw, step.forward, step.side));
  ff_sole to = {.yaw = from.yaw + step.turn};
  to.place = v3_sub(middle, rotated_by_yaw(to.yaw, 0, half));
  to.place.z = ff_controller_ground(controller, to.place.x, to.place.y) + controller->rise;
  return to;
}

static ff_vec3 lerp_vec3(ff_vec3 a, ff_vec3 b, double s) {
  return v3_axpy(a, s, v3_sub(b, a));
}

double ff_controller_stretch(const ff_controller *controller, int f) {
  const ff_walk_leg *leg = &controller->stand->legs[f];
  ff_vec3 hip = pose_point(controller->whole.trunk, leg->hip);
  ff_vec3 ankle = ff_tree_pose(controller->whole.work, leg->link[5]).position;
  return v3_norm(v3_sub(ankle, hip)) / (leg->leg.thigh + leg->leg.shank);
}

/* ---- support polygon ------------------------------------------------------------------------- */

/* Tilt of a foot about its own y and x, rad: toes down, left side down. */
static void foot_tilt(const ff_controller *controller, int f, double tilt[2]) {
  ff_vec3 normal = q_rotate(controller->def.place.orientation, v3(0, 0, 1));
  ff_vec3 up = q_unrotate(controller->whole.sole[f].orientation, normal);
  tilt[0] = -up.x;
  tilt[1] = -up.y;
}

/* Corners of a sole with a margin, larger where the foot tilts, so that it tilts back. */
static int sole_corners_inset(const ff_controller *controller, int f, double edge,
                              ff_vec3 *corners) {
  const ff_walk_def *def = &controller->stand->def;
  const double half[2] = {0.5 * def->sole_length - edge, 0.5 * def->sole_width - edge};
  double tilt[2], low[2], high[2];
  foot_tilt(controller, f, tilt);
  for (int i = 0; i < 2; i++) {
    low[i] = -half[i] + fmin(0.5 * half[i], TIPPING * fmax(0, -tilt[i]));
    high[i] = half[i] - fmin(0.5 * half[i], TIPPING * fmax(0, tilt[i]));
  }
  for (int k = 0; k < 4; k++) {
    double x = k & 1 ? high[0] : low[0], y = k & 2 ? high[1] : low[1];
    corners[k] = v3_add(controller->sole[f].place, rotated_by_yaw(controller->sole[f].yaw, x, y));
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

static ff_support support_polygon_of(const ff_controller *controller, bool left, bool right) {
  ff_vec3 corners[FF_SUPPORT_MAX], cut[FF_SUPPORT_MAX];
  if (left && right) {
    int count = sole_corners_inset(controller, 0, EDGE, corners);
    count += sole_corners_inset(controller, 1, EDGE, corners + count);
    return ff_support_of(corners, count);
  }
  sole_corners_inset(controller, left ? 0 : 1, EDGE, corners);
  return ff_support_of(cut, cut_sole_corners(corners, cut));
}

ff_support ff_stride_support(const ff_controller *controller) {
  bool swings = controller->mode == FF_CONTROLLER_SWING;
  return support_polygon_of(controller, !swings || controller->moves != 0,
                            !swings || controller->moves != 1);
}

/* ---- the zero-moment point and the capture point --------------------------------------------- */

static ff_vec3 mid_feet(const ff_controller *controller) {
  return lerp_vec3(controller->sole[0].place, controller->sole[1].place, 0.5);
}

ff_vec3 ff_stride_zmp(const ff_controller *controller) {
  if (controller->mode == FF_CONTROLLER_STAND) {
    double s = fmin(1, controller->time / controller->stand->def.double_support);
    return lerp_vec3(controller->zmp_from, mid_feet(controller), s);
  }
  ff_vec3 carries = controller->sole[1 - controller->moves].place;
  if (controller->mode == FF_CONTROLLER_SHIFT) {
    return lerp_vec3(controller->zmp_from, carries, fmin(1, controller->time / controller->shift));
  }
  return carries;
}

/* The k-th coming step of the task; false: none. */
static bool coming_step(const ff_controller *controller, int k, ff_walk_step *step) {
  const ff_task *task = &controller->tasks[controller->task];
  bool walks = controller->task < controller->def.task_count && task->kind == FF_TASK_WALK;
  int index = controller->next + k;
  if (!walks || task->step_count == 0 || index > task->step_count) {
    return false;
  }
  *step = index < task->step_count ? task->steps[index] : (ff_walk_step){0};
  return true;
}

static double coming_step_time(const ff_controller *controller, const ff_walk_step *step) {
  return step->duration > 0 ? step->duration : controller->stand->def.step_time;
}

/* Foot that the next coming step moves. */
static int coming_step_foot(const ff_controller *controller) {
  return (controller->next % 2 == 0) == (controller->stand->def.first == FF_WALK_LEFT) ? 0 : 1;
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
static ff_vec3 path_add_steps(const ff_controller *controller, path *to, ff_sole feet[2],
                              ff_vec3 at, int moves) {
  double both = controller->stand->def.double_support;
  ff_walk_step step;
  int k = 0;
  for (; k < AHEAD && coming_step(controller, k, &step); k++, moves = 1 - moves) {
    ff_vec3 carries = feet[1 - moves].place;
    path_add_span(to, both, at, carries);
    path_add_span(to, coming_step_time(controller, &step) - both, carries, carries);
    feet[moves] = step_landing(controller, feet[1 - moves], 1 - moves, step);
    at = carries;
  }
  if (k == AHEAD) {
    return lerp_vec3(at, feet[1 - moves].place, 0.5);
  }
  ff_vec3 middle = lerp_vec3(feet[0].place, feet[1].place, 0.5);
  path_add_span(to, both, at, middle);
  return middle;
}

static ff_vec3 capture_for_landing(const ff_controller *controller, ff_sole landing, double omega) {
  path to = {.count = 0};
  ff_sole feet[2] = {controller->sole[0], controller->sole[1]};
  ff_vec3 at = ff_stride_zmp(controller), last;
  if (controller->mode == FF_CONTROLLER_STAND) {
    ff_vec3 middle = mid_feet(controller);
    double both = fmax(0, controller->stand->def.double_support - controller->time);
    ff_walk_step step;
    bool more = coming_step(controller, 0, &step);
    path_add_span(&to, both, at, middle);
    path_add_span(&to, more ? controller->wait - both : 0, middle, middle);
    last =
        more ? path_add_steps(controller, &to, feet, middle, coming_step_foot(controller)) : middle;
  } else {
    ff_vec3 carries = feet[1 - controller->moves].place;
    double left =
        controller->mode == FF_CONTROLLER_SHIFT ? controller->shift - controller->time : 0;
    double air = controller->mode == FF_CONTROLLER_SWING ? controller->swing - controller->time
                                                         : controller->swing;
    path_add_span(&to, left, at, carries);
    path_add_span(&to, air, carries, carries);
    feet[controller->moves] = landing;
    if (controller->planned) {
      last = path_add_steps(controller, &to, feet, carries, 1 - controller->moves);
    } else {
      last = lerp_vec3(feet[0].place, feet[1].place, 0.5);
      path_add_span(&to, controller->stand->def.double_support, carries, last);
    }
  }
  return ff_capture_desired(to.spans, to.count, last, omega);
}

ff_vec3 ff_stride_capture(const ff_controller *controller, double omega) {
  return capture_for_landing(controller, controller->landing, omega);
}

/* ---- adapted landings ------------------------------------------------------------------------ */

/* Landing limited to the reach of the legs: beside the standing foot, not on it. */
static ff_sole landing_in_reach(const ff_controller *controller, int moves, ff_sole landing) {
  const ff_walk *walk = controller->stand;
  ff_sole from = controller->sole[1 - moves];
  double side = moves == FF_WALK_LEFT ? 1 : -1;
  double leg = walk->legs[0].leg.thigh + walk->legs[0].leg.shank;
  double near = walk->def.sole_width + 0.006, far = 0.8 * leg, ahead = 0.55 * leg;
  ff_vec3 off = v3_sub(landing.place, from.place);
  double x = ff_cos(from.yaw) * off.x + ff_sin(from.yaw) * off.y;
  double y = side * (ff_cos(from.yaw) * off.y - ff_sin(from.yaw) * off.x);
  x = fmax(-ahead, fmin(ahead, x));
  y = fmax(near, fmin(far, y));
  landing.place = v3_add(from.place, rotated_by_yaw(from.yaw, x, side * y));
  landing.place.z =
      ff_controller_ground(controller, landing.place.x, landing.place.y) + controller->rise;
  return landing;
}

/* Planned landing, shifted by the part of the capture point error that the soles cannot correct. */
static ff_sole adapted_landing(const ff_controller *controller, double omega, double air) {
  int stands = 1 - controller->moves;
  ff_sole to = step_landing(controller, controller->sole[stands], stands, controller->step);
  ff_support support = ff_stride_support(controller);
  ff_vec3 error = v3_sub(controller->told.capture, capture_for_landing(controller, to, omega));
  error.z = 0;
  ff_vec3 left = ff_capture_remaining(error, controller->sole[stands].place, &support, omega,
                                      ff_controller_gain(omega), air);
  double size = v3_norm(left);
  if (size <= PATIENCE) {
    return to;
  }
  /* the coming steps move with the new foot, in part */
  double wt = omega * controller->stand->def.double_support;
  double part = ff_exp(-wt) + (1 - ff_exp(-wt) * (1 + wt)) / wt;
  to.place = v3_axpy(to.place, (1 - PATIENCE / size) / part, left);
  return to;
}

/* Landing of a recovery step, beyond the predicted capture point. */
static ff_sole recovery_landing(const ff_controller *controller, int moves, double omega,
                                double air) {
  ff_sole stands = controller->sole[1 - moves];
  ff_support support = support_polygon_of(controller, moves != 0, moves != 1);
  ff_vec3 error = v3_sub(controller->told.capture, stands.place);
  error.z = 0;
  ff_vec3 left =
      ff_capture_remaining(error, stands.place, &support, omega, ff_controller_gain(omega), air);
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
static void hasten_landing(ff_controller *controller, double omega) {
  for (;;) {
    double air = controller->swing - controller->time;
    ff_sole to = adapted_landing(controller, omega, air);
    controller->landing = landing_in_reach(controller, controller->moves, to);
    if (landing_distance(controller->landing, to) < HURRY_FROM ||
        air < HURRY + controller->def.period) {
      return;
    }
    controller->swing = fmax(controller->swing - controller->def.period, controller->time + HURRY);
  }
}

void ff_stride_swing(ff_controller *controller, double omega) {
  double h = controller->def.period, air = controller->swing - controller->time;
  if (air > LATE * CATCH_TIME && controller->shift > 0) { /* later the foot could not follow */
    hasten_landing(controller, omega);
    air = controller->swing - controller->time;
  } else if (air > LATE * CATCH_TIME) {
    ff_sole to = recovery_landing(controller, controller->moves, omega, air);
    controller->landing = landing_in_reach(controller, controller->moves, to);
  }
  quintic_approach(&controller->foot, controller->landing.place, air - 0.1 * controller->swing, h);
  double s = controller->part, lift = controller->stand->def.lift;
  double rate = air > h ? (1 - s) / air : 1 / controller->swing;
  double from = controller->sole[controller->moves].place.z, to = controller->landing.place.z;
  ff_way on = ff_way_ease(s), up = ff_way_arch(s);
  controller->foot.place.z = from + on.value * (to - from) + lift * up.value;
  controller->foot.velocity.z = (on.rate * (to - from) + lift * up.rate) * rate;
  controller->foot.acceleration.z = (on.bend * (to - from) + lift * up.bend) * rate * rate;
  controller->part += h * rate;
  if (air < 0) { /* descend until contact */
    controller->foot.place.z -= SEEK * (controller->time - controller->swing);
    controller->foot.velocity.z = -SEEK;
  }
}

/* ---- modes ----------------------------------------------------------------------------------- */

static void enter_mode(ff_controller *controller, ff_controller_mode mode, ff_vec3 zmp) {
  controller->zmp_from = zmp;
  controller->mode = mode;
  controller->time = 0;
}

static void lift_foot(ff_controller *controller) {
  ff_pose sole = controller->whole.sole[controller->moves];
  enter_mode(controller, FF_CONTROLLER_SWING, controller->sole[1 - controller->moves].place);
  controller->foot = (ff_curve){.place = sole.position};
  controller->part = 0;
  controller->sole[controller->moves].place = sole.position;
}

static void begin_step(ff_controller *controller, int moves, ff_walk_step step, bool planned,
                       double shift, double swing) {
  ff_vec3 zmp = ff_stride_zmp(controller); /* of the mode that ends */
  controller->moves = moves;
  controller->step = step;
  controller->planned = planned;
  controller->shift = shift;
  controller->swing = swing;
  controller->landing = step_landing(controller, controller->sole[1 - moves], 1 - moves, step);
  if (shift > 0) {
    enter_mode(controller, FF_CONTROLLER_SHIFT, zmp);
  } else {
    lift_foot(controller);
  }
}

/* Starts the next step of the walk, if there is one. */
static bool begin_walk_step(ff_controller *controller) {
  ff_walk_step step;
  if (!coming_step(controller, 0, &step)) {
    return false;
  }
  double both = controller->stand->def.double_support;
  int foot = coming_step_foot(controller);
  controller->next++;
  begin_step(controller, foot, step, true, both, coming_step_time(controller, &step) - both);
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

static void update_sole(ff_controller *controller, int f, double near) {
  ff_pose sole = controller->whole.sole[f];
  controller->sole[f] = (ff_sole){sole.position, yaw_nearest(yaw_of(sole.orientation), near)};
}

static void land_swing_foot(ff_controller *controller) {
  int moves = controller->moves;
  update_sole(controller, moves, controller->landing.yaw);
  controller->told.steps++;
  controller->told.recovery += !controller->planned;
  if (controller->planned && begin_walk_step(controller)) {
    return;
  }
  enter_mode(controller, FF_CONTROLLER_STAND, ff_stride_zmp(controller));
  controller->wait =
      fmax(controller->wait, controller->planned ? controller->stand->def.rest : 2 * ALIGN_WAIT);
}

/* ---- recovery steps -------------------------------------------------------------------------- */

/* Capture point error left after a recovery step with this foot, m. */
static double recovery_error(const ff_controller *controller, int moves, double omega) {
  ff_sole want = recovery_landing(controller, moves, omega, CATCH_TIME);
  ff_sole got = landing_in_reach(controller, moves, want);
  return ff_hypot(want.place.x - got.place.x, want.place.y - got.place.y);
}

/* Starts a recovery step if the capture point leaves the support polygon for good. */
static bool begin_recovery_step(ff_controller *controller, double omega) {
  ff_support support = ff_stride_support(controller);
  if (ff_support_margin(&support, controller->told.capture) > -0.002) {
    return false;
  }
  int moves = recovery_error(controller, 0, omega) < recovery_error(controller, 1, omega) ? 0 : 1;
  begin_step(controller, moves, (ff_walk_step){0}, false, 0, CATCH_TIME);
  return true;
}

/* Moves a trailing foot with little load before its leg is fully extended. */
static bool begin_trailing_step(ff_controller *controller, const ff_controller_sense *sense) {
  for (int f = 0; f < 2; f++) {
    if (ff_controller_stretch(controller, f) > FAR_BEHIND &&
        sense->load[f].z < 0.25 * controller->weight) {
      begin_step(controller, f, (ff_walk_step){0}, false, 0, CATCH_TIME);
      return true;
    }
  }
  return false;
}

/* Places the feet side by side again. */
static bool begin_aligning_step(ff_controller *controller) {
  ff_vec3 error = v3_sub(controller->told.capture, controller->told.capture_wanted);
  ff_sole right = step_landing(controller, controller->sole[0], 0, (ff_walk_step){0});
  ff_vec3 off = v3_sub(right.place, controller->sole[1].place);
  bool out = ff_hypot(off.x, off.y) > TIDY_FAR || fabs(right.yaw - controller->sole[1].yaw) > 0.1;
  if (!out || ff_hypot(error.x, error.y) > 0.01 || controller->time < ALIGN_WAIT) {
    return false;
  }
  double both = controller->stand->def.double_support;
  /* from rest: time to shift the weight */
  begin_step(controller, 1, (ff_walk_step){0}, false, 3 * both,
             controller->stand->def.step_time - both);
  return true;
}

/* ---- tasks ----------------------------------------------------------------------------------- */

static double task_duration(const ff_controller *controller) {
  if (controller->task >= controller->def.task_count) {
    return INFINITY;
  }
  const ff_task *task = &controller->tasks[controller->task];
  switch (task->kind) {
    case FF_TASK_WALK: return controller->next == 0 ? controller->stand->def.rest : 0;
    case FF_TASK_JUMP: return INFINITY; /* ends with the landing */
    default: return task->time;
  }
}

void ff_stride_begin(ff_controller *controller, int task) {
  controller->task = task;
  controller->task_time = 0;
  controller->next = 0;
  controller->wait = task_duration(controller);
}

static void stand_mode(ff_controller *controller, const ff_controller_sense *sense, double omega) {
  if (controller->lift_off > 0 || controller->settle > 0) {
    return;
  }
  if (begin_recovery_step(controller, omega) || begin_trailing_step(controller, sense) ||
      begin_aligning_step(controller)) {
    return;
  }
  if (controller->wait <= 1e-9 && !begin_walk_step(controller) &&
      controller->task < controller->def.task_count) {
    ff_stride_begin(controller, controller->task + 1);
  }
}

/* ---- flight and landing ---------------------------------------------------------------------- */

static void detect_ground(ff_controller *controller, const ff_controller_sense *sense) {
  double load = sense->load[0].z + sense->load[1].z;
  bool none = load < 0.02 * controller->weight;
  controller->unloaded = none ? controller->unloaded + controller->def.period : 0;
  bool straight = ff_controller_stretch(controller, 0) > STRAIGHT ||
                  ff_controller_stretch(controller, 1) > STRAIGHT;
  bool fast = controller->whole.motion.velocity.z > 0.98 * controller->lift_off;
  bool leaps = controller->lift_off > 0 && (fast || straight || load < 0.5 * controller->weight);
  if (controller->mode != FF_CONTROLLER_FLIGHT && (leaps || controller->unloaded > 0.04)) {
    controller->mode = FF_CONTROLLER_FLIGHT;
    controller->time = 0;
  } else if (controller->mode == FF_CONTROLLER_FLIGHT && load > 0.1 * controller->weight &&
             controller->time > 0.02) {
    update_sole(controller, 0, controller->sole[0].yaw);
    update_sole(controller, 1, controller->sole[1].yaw);
    if (controller->lift_off > 0) {
      controller->lift_off = 0;
      ff_stride_begin(controller, controller->task + 1);
    }
    controller->mode = FF_CONTROLLER_STAND;
    controller->time = 0;
    controller->settle = SETTLE;
    controller->zmp_from = mid_feet(controller);
    controller->wait = fmax(controller->wait, 2 * ALIGN_WAIT);
  }
}

static bool has_fallen(const ff_controller *controller) {
  ff_vec3 up = q_rotate(controller->whole.trunk.orientation, v3(0, 0, 1));
  ff_vec3 com = controller->whole.motion.com;
  double height = com.z - ff_controller_ground(controller, com.x, com.y) - controller->rise;
  return up.z < 0.5 || height < 0.4 * controller->stand->def.height;
}

/* Updates the positions of standing feet: the ground may move, or a foot may slip. */
static void update_standing_feet(ff_controller *controller) {
  for (int f = 0; f < 2; f++) {
    if (controller->mode != FF_CONTROLLER_SWING || f != controller->moves) {
      double height = controller->sole[f].place.z;
      update_sole(controller, f, controller->sole[f].yaw);
      controller->sole[f].place.z = height;
    }
  }
}

void ff_stride_advance(ff_controller *controller, const ff_controller_sense *sense) {
  double omega = sqrt(controller->stand->def.gravity / controller->stand->def.height);
  if (controller->mode != FF_CONTROLLER_FALLEN && has_fallen(controller)) {
    controller->mode = FF_CONTROLLER_FALLEN;
    controller->time = 0;
  }
  if (controller->mode == FF_CONTROLLER_FALLEN) {
    return;
  }
  detect_ground(controller, sense);
  update_standing_feet(controller);
  double load = sense->load[controller->moves].z;
  if (controller->mode == FF_CONTROLLER_SWING) {
    double s = controller->part;
    if ((s > 0.5 && load > EARLY * controller->weight) ||
        (controller->time >= controller->swing - 1e-9 && load > 0)) {
      land_swing_foot(controller);
    }
  } else if (controller->mode == FF_CONTROLLER_SHIFT &&
             controller->time >= controller->shift - 1e-9) {
    lift_foot(controller);
  } else if (controller->mode == FF_CONTROLLER_STAND) {
    stand_mode(controller, sense, omega);
  }
}
