/* Values of channels at any time, from steps that do not depend on these times.
 *
 * Inside a fixed step a channel is interpolated between the ends (ff_channel_row.blend). A stepper
 * with error control has long steps of high order, and evaluates its own solution inside them.
 */
#include "sim/sampler.h"

#include "base/memory.h"
#include "math/vec.h"
#include "sim/channels.h"

#include <string.h>

/* Times this near the end of a step, relative to its length, are that end. */
#define SAME_TIME 1e-9

typedef struct sampled_member {
  const ff_channel_family *family;
  int member;
} sampled_member;

typedef struct sampled_channel {
  int member; /* index into members; -1: there is no such channel */
  const ff_channel_row *row;
  int component;
} sampled_channel;

struct ff_sampler {
  ff_sim *sim;
  sampled_channel *channels; /* count */
  sampled_member *members;   /* member_count: the members that the channels belong to */
  int count, member_count;
  ff_channel_sample *start, *end; /* member_count: at both ends of the last step */
  double t;                       /* s, of the sample under way */
  double t0, t1;                  /* s, the last step, and that of its start that is stored; NAN */
  bool stored;                    /* start belongs to the step from t0 */
  int *phase;                     /* drive_count: phases of drives during the step */
  double *phase_start;            /* drive_count */
};

/* ---- life ------------------------------------------------------------------------------------ */

static void sampler_list_members(ff_sampler *sampler, const int *channels) {
  ff_channel_place now = {.family = -1};
  for (int i = 0; i < sampler->count; i++) {
    ff_channel_place at = ff_channel_locate(sampler->sim->model, channels[i]);
    sampled_channel *to = &sampler->channels[i];
    if (at.family < 0) {
      to->member = -1;
      continue;
    }
    const ff_channel_family *family = &ff_channel_families[at.family];
    if (at.family != now.family || at.member != now.member) {
      sampler->members[sampler->member_count++] = (sampled_member){family, at.member};
      now = at;
    }
    *to = (sampled_channel){sampler->member_count - 1, &family->rows[at.row], at.component};
  }
}

ff_status ff_sampler_create(ff_sampler **out, ff_sim *sim, const int *channels, int count) {
  if (!out) {
    return FF_ERROR_INPUT;
  }
  *out = NULL;
  if (!sim || count < 0 || (count > 0 && !channels)) {
    return FF_ERROR_INPUT;
  }
  ff_sampler *sampler = ff_alloc(1, sizeof *sampler);
  if (!sampler) {
    return FF_ERROR_MEMORY;
  }
  size_t n = (size_t)count, drives = (size_t)sim->model->drive_count;
  sampler->sim = sim;
  sampler->count = count;
  sampler->t0 = sampler->t1 = NAN;
  sampler->channels = ff_alloc(n, sizeof *sampler->channels);
  sampler->members = ff_alloc(n, sizeof *sampler->members);
  sampler->start = ff_alloc(n, sizeof *sampler->start);
  sampler->end = ff_alloc(n, sizeof *sampler->end);
  sampler->phase = ff_alloc(drives, sizeof *sampler->phase);
  sampler->phase_start = ff_alloc(drives, sizeof *sampler->phase_start);
  if (!sampler->channels || !sampler->members || !sampler->start || !sampler->end ||
      !sampler->phase || !sampler->phase_start) {
    ff_sampler_destroy(&sampler);
    return FF_ERROR_MEMORY;
  }
  sampler_list_members(sampler, channels);
  *out = sampler;
  return FF_OK;
}

void ff_sampler_destroy(ff_sampler **at) {
  ff_sampler *sampler = at ? *at : NULL;
  if (sampler) {
    *at = NULL;
    ff_free(sampler->channels);
    ff_free(sampler->members);
    ff_free(sampler->start);
    ff_free(sampler->end);
    ff_free(sampler->phase);
    ff_free(sampler->phase_start);
    ff_free(sampler);
  }
}

void ff_sampler_keep(ff_sampler *sampler, ff_keep *keep) {
  int drives = sampler->sim->model->drive_count;
  ff_keep_numbers(keep, "sampler.start", &sampler->t0, 1);
  ff_keep_numbers(keep, "sampler.end", &sampler->t1, 1);
  ff_keep_block(keep, "sampler.stored", &sampler->stored, 1, sizeof sampler->stored);
  ff_keep_block(keep, "sampler.values", sampler->start, sampler->member_count,
                sizeof *sampler->start);
  ff_keep_ints(keep, "sampler.phase", sampler->phase, drives);
  ff_keep_numbers(keep, "sampler.phase_start", sampler->phase_start, drives);
}

/* ---- interpolation --------------------------------------------------------------------------- */

/* Cubic Hermite interpolation over a step of length h at the fraction s of it. */
static double sampler_hermite(double x0, double v0, double x1, double v1, double h, double s) {
  double mean = x1 - x0, first = h * v0 - mean, last = h * v1 - mean;
  return x0 + s * mean + s * (1 - s) * ((1 - s) * first - s * last);
}

/* Rotation vector (rad, body axes of the start) from q0 to q1: of the two ways round, the one that
 * the angular velocity suggests. */
static ff_vec3 sampler_turn_between(ff_quat q0, ff_quat q1, ff_vec3 expected) {
  ff_vec3 short_way = q_log(q_mul(q_conj(q0), q1));
  double angle = v3_norm(short_way);
  if (angle == 0) {
    return short_way;
  }
  const double round = 6.283185307179586;
  double along = v3_dot(expected, short_way) / angle;
  return v3_scale((angle + round * rint((along - angle) / round)) / angle, short_way);
}

/* Rate of the rotation vector r as the body turns with angular velocity w, both in body axes: the
 * inverse of the right Jacobian of the exponential map. */
static ff_vec3 sampler_vector_rate(ff_vec3 r, ff_vec3 w) {
  double a2 = v3_dot(r, r), a = sqrt(a2);
  double c = a < 1e-2 ? 1.0 / 12 + a2 / 720 : (1 - 0.5 * a / ff_tan(0.5 * a)) / a2;
  ff_vec3 rw = v3_cross(r, w);
  return v3_axpy(v3_axpy(w, 0.5, rw), c, v3_cross(r, rw));
}

/* Hermite interpolation of the rotation vector from the start; beyond half a turn in a step at a
 * constant rate. */
static ff_quat sampler_rotation(ff_quat q0, ff_vec3 omega0, ff_quat q1, ff_vec3 omega1, double h,
                                double s) {
  ff_vec3 w0 = q_unrotate(q0, omega0), w1 = q_unrotate(q1, omega1);
  ff_vec3 r = sampler_turn_between(q0, q1, v3_scale(0.5 * h, v3_add(w0, w1)));
  ff_vec3 now = v3_scale(s, r);
  if (v3_norm(r) < 3) {
    ff_vec3 first = v3_sub(v3_scale(h, w0), r);
    ff_vec3 last = v3_sub(v3_scale(h, sampler_vector_rate(r, w1)), r);
    now = v3_axpy(v3_axpy(now, s * (1 - s) * (1 - s), first), -s * s * (1 - s), last);
  }
  return q_unit(q_mul(q0, q_exp(now)));
}

static double sampler_number(const ff_channel_sample *sample, size_t offset, int component) {
  double value;
  memcpy(&value, (const char *)sample + offset + (size_t)component * sizeof value, sizeof value);
  return value;
}

static double sampler_rotation_number(const ff_channel_row *row, int component,
                                      const ff_channel_sample *from, const ff_channel_sample *to,
                                      double h, double s) {
  ff_quat q0, q1, q;
  ff_vec3 omega0, omega1;
  memcpy(&q0, (const char *)from + row->at, sizeof q0);
  memcpy(&q1, (const char *)to + row->at, sizeof q1);
  memcpy(&omega0, (const char *)from + row->rate_at, sizeof omega0);
  memcpy(&omega1, (const char *)to + row->rate_at, sizeof omega1);
  q = sampler_rotation(q0, omega0, q1, omega1, h, s);
  const double parts[4] = {q.w, q.x, q.y, q.z};
  return parts[component];
}

/* At the fraction s of the step; where one end has no value (NAN), that of the nearer end. */
static double sampler_blend(const ff_sampler *sampler, const sampled_channel *channel, double s) {
  const ff_channel_row *row = channel->row;
  const ff_channel_sample *from = &sampler->start[channel->member];
  const ff_channel_sample *to = &sampler->end[channel->member];
  double x0 = sampler_number(from, row->at, channel->component);
  double x1 = sampler_number(to, row->at, channel->component);
  double h = sampler->t1 - sampler->t0;
  if (row->blend == FF_BLEND_OF_STEP) {
    return x1;
  }
  if (row->blend == FF_BLEND_NEAREST || isnan(x0) || isnan(x1)) {
    return s < 0.5 ? x0 : x1;
  }
  if (row->blend == FF_BLEND_CUBIC) {
    return sampler_hermite(x0, sampler_number(from, row->rate_at, channel->component), x1,
                           sampler_number(to, row->rate_at, channel->component), h, s);
  }
  return row->blend == FF_BLEND_ROTATION
             ? sampler_rotation_number(row, channel->component, from, to, h, s)
             : x0 + s * (x1 - x0);
}

/* ---- sampling -------------------------------------------------------------------------------- */

static void sampler_read(const ff_sampler *sampler, ff_channel_sample *to) {
  for (int i = 0; i < sampler->member_count; i++) {
    const sampled_member *at = &sampler->members[i];
    at->family->read(sampler->sim, at->member, &to[i]);
  }
}

void ff_sampler_before_step(ff_sampler *sampler, double end) {
  const ff_sim *sim = sampler->sim;
  sampler->t0 = sim->state.t;
  if (sim->stepper->enter) {
    size_t drives = (size_t)sim->model->drive_count;
    memcpy(sampler->phase, sim->state.drive_phase, drives * sizeof *sampler->phase);
    memcpy(sampler->phase_start, sim->state.drive_start, drives * sizeof *sampler->phase_start);
    sampler->stored = true;
  } else {
    sampler->stored = end > sampler->t;
    if (sampler->stored) {
      sampler_read(sampler, sampler->start);
    }
  }
}

/* The phases of drives during the step, and back. */
static void sampler_swap_phases(ff_sampler *sampler) {
  ff_state *state = &sampler->sim->state;
  int *phase = state->drive_phase;
  double *start = state->drive_start;
  state->drive_phase = sampler->phase;
  state->drive_start = sampler->phase_start;
  sampler->phase = phase;
  sampler->phase_start = start;
}

/* The stepper's own solution inside the step, into start. */
static bool sampler_read_inside(ff_sampler *sampler, double t) {
  ff_sim *sim = sampler->sim;
  sampler_swap_phases(sampler);
  bool good = sim->stepper->enter(&sim->work, t);
  if (good) {
    sampler_read(sampler, sampler->start);
  }
  sampler_swap_phases(sampler);
  sim->stepper->leave(&sim->work);
  return good;
}

static bool sampler_is_reached(const ff_sampler *sampler, double t) {
  double now = sampler->sim->state.t;
  return now >= t || (now == sampler->t1 && t - now <= SAME_TIME * (now - sampler->t0));
}

/* Values at t, which the last step has reached. */
static ff_status sampler_evaluate(ff_sampler *sampler, double t, double *out) {
  double now = sampler->sim->state.t, h = now - sampler->t0;
  bool in_step = now == sampler->t1 && t >= sampler->t0 - SAME_TIME * h;
  bool inside = t < now && !(in_step && now - t <= SAME_TIME * h);
  if (inside && !(in_step && sampler->stored)) {
    return FF_ERROR_INPUT; /* before the last step */
  }
  if (sampler->count == 0) {
    return FF_OK;
  }
  sampler_read(sampler, sampler->end);
  bool solved = inside && sampler->sim->stepper->enter;
  if (solved && !sampler_read_inside(sampler, t)) {
    return FF_ERROR_STEP;
  }
  for (int i = 0; i < sampler->count; i++) {
    const sampled_channel *channel = &sampler->channels[i];
    if (channel->member < 0) {
      out[i] = NAN;
      continue;
    }
    bool blended = inside && !solved;
    bool from_start = solved && channel->row->blend != FF_BLEND_OF_STEP;
    const ff_channel_sample *from = (from_start ? sampler->start : sampler->end) + channel->member;
    out[i] = blended ? sampler_blend(sampler, channel, (t - sampler->t0) / h)
                     : sampler_number(from, channel->row->at, channel->component);
  }
  return FF_OK;
}

ff_status ff_sampler_at(ff_sampler *sampler, double t, double end, double *out) {
  if (!sampler || !out || !isfinite(t) || !isfinite(end) || !(t <= end)) {
    return FF_ERROR_INPUT;
  }
  ff_status status = FF_OK;
  ff_sim *sim = sampler->sim;
  sampler->t = t;
  if (!sampler_is_reached(sampler, t)) {
    ff_sampler *other = sim->sampler;
    sim->sampler = sampler;
    while (status == FF_OK && !sampler_is_reached(sampler, t)) {
      status = ff_sim_step_to(sim, end);
      sampler->t1 = sim->state.t;
    }
    sim->sampler = other;
  }
  return status == FF_OK ? sampler_evaluate(sampler, t, out) : status;
}
