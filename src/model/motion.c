/* Functions of time alone: prescribed bodies, drive phases, breakpoints. */
#include "math/vec.h"
#include "model/model.h"
#include "model/table.h"

static ff_vec3 table_vec3(const ff_table *table, double t,
                          void (*get)(const ff_table *, double, double *)) {
  double out[3] = {0, 0, 0};
  if (table->rows > 0) {
    get(table, t, out);
  }
  return v3(out[0], out[1], out[2]);
}

ff_body_motion ff_motion_at(const ff_model_body *body, double t) {
  ff_body_motion out = {.pose = body->start};
  if (body->kind != FF_BODY_PRESCRIBED) {
    return out;
  }
  if (body->track) {
    ff_track_point at = ff_track_at(body->track, t);
    return (ff_body_motion){at.pose, at.velocity, at.omega};
  }
  const ff_motion *motion = body->motion;
  double w = 2 * ff_pi * motion->frequency;
  double wave = ff_sin(w * t + motion->phase) - ff_sin(motion->phase);
  double wave_rate = w * ff_cos(w * t + motion->phase);
  /* Translation: the integrated velocity table plus the oscillation. */
  ff_vec3 path = table_vec3(&motion->velocity, t, ff_table_integral);
  ff_vec3 speed = table_vec3(&motion->velocity, t, ff_table_value);
  out.pose.position = v3_add(out.pose.position, v3_axpy(path, wave, motion->amplitude));
  out.velocity = v3_axpy(speed, wave_rate, motion->amplitude);
  /* Rotation about a fixed axis: the integrated rate plus the oscillation. */
  double angle = table_vec3(&motion->rate, t, ff_table_integral).x + motion->swing_amplitude * wave;
  double rate =
      table_vec3(&motion->rate, t, ff_table_value).x + motion->swing_amplitude * wave_rate;
  out.omega = v3_scale(rate, motion->axis);
  out.pose.orientation = q_mul(q_exp(v3_scale(angle, motion->axis)), body->start.orientation);
  return out;
}

void ff_motion_acceleration(const ff_model_body *body, double t, ff_vec3 *linear,
                            ff_vec3 *angular) {
  *linear = *angular = v3(0, 0, 0);
  if (body->kind != FF_BODY_PRESCRIBED) {
    return;
  }
  if (body->track) {
    ff_track_point at = ff_track_at(body->track, t);
    *linear = at.acceleration;
    *angular = at.angular;
    return;
  }
  const ff_motion *motion = body->motion;
  double w = 2 * ff_pi * motion->frequency;
  double wave = -w * w * ff_sin(w * t + motion->phase);
  *linear = v3_axpy(table_vec3(&motion->velocity, t, ff_table_slopes), wave, motion->amplitude);
  double rate = table_vec3(&motion->rate, t, ff_table_slopes).x + motion->swing_amplitude * wave;
  *angular = v3_scale(rate, motion->axis);
}

int ff_drive_phase(const ff_model_drive *drive, double t) {
  int phase = 0;
  while (phase < drive->phase_count && t >= drive->phases[phase].until) {
    phase++;
  }
  return phase;
}

double ff_drive_phase_start(const ff_model_drive *drive, int phase) {
  return phase > 0 ? drive->phases[phase - 1].until : 0.0;
}

double ff_drive_desired(const ff_model_drive *drive, int phase, double start, double t,
                        double *rate) {
  *rate = NAN;
  if (phase == drive->phase_count || drive->phases[phase].kind != FF_PHASE_POSITION) {
    return NAN;
  }
  const ff_table *velocity = &drive->phases[phase].velocity;
  double since = t - ff_drive_phase_start(drive, phase), travel;
  ff_table_integral(velocity, since, &travel);
  ff_table_value(velocity, since, rate);
  return start + travel;
}

double ff_model_next_breakpoint(const ff_model *model, double t) {
  int low = -1, high = model->breakpoint_count;
  while (high - low > 1) {
    int middle = low + (high - low) / 2;
    if (model->breakpoints[middle] <= t) {
      low = middle;
    } else {
      high = middle;
    }
  }
  return high < model->breakpoint_count ? model->breakpoints[high] : INFINITY;
}
