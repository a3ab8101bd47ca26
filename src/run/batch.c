/* Batches of sims on a thread team. One sim is one item of a parallel loop. */
#include "footfall/batch.h"

#include "base/memory.h"
#include "base/report.h"
#include "base/team.h"
#include "footfall/stepper.h"
#include "footfall/tree.h"
#include "model/model.h"
#include "sim/sampler.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>

enum {
  BODY_NUMBERS = 13,     /* of a free body in x */
  BATCH_MOST = 1000000,  /* sims */
  BATCH_INPUTS = 1000000 /* numbers in u */
};

/* Inputs of one joint or one body, gathered so that each is commanded once per interval. */
typedef struct batch_joint {
  ff_joint_id joint;
  int torque, target; /* index into u; -1: none */
} batch_joint;

typedef struct batch_body {
  ff_body body;
  int force[3], moment[3]; /* index into u; -1: none */
} batch_body;

typedef struct batch_sim {
  ff_sim *sim;
  ff_status status;
} batch_sim;

struct ff_batch {
  batch_sim *sims;
  int count, x_count, u_count;
  double period;
  ff_team *team;
  batch_joint *joints;
  batch_body *bodies;
  int joint_count, body_count;
  const ff_model *const *models; /* of the definition, during creation only */
  int model_count;
  atomic_bool stop;
};

ff_batch_def ff_batch_def_default(void) {
  return (ff_batch_def){.count = 1, .threads = 1};
}

/* ---- state vector ---------------------------------------------------------------------------- */

static bool batch_is_free(const ff_model *model, int body) {
  return model->bodies[body - 1].kind == FF_BODY_FREE;
}

int ff_model_x_count(const ff_model *model) {
  int count = 0;
  for (int i = 1; i <= ff_model_body_count(model); i++) {
    count += batch_is_free(model, i) ? BODY_NUMBERS : 0;
  }
  for (int i = 1; i <= ff_model_robot_count(model); i++) {
    const ff_tree *tree = ff_model_robot_info(model, (ff_robot_id){.id = i}).tree;
    count += ff_tree_q_count(tree) + ff_tree_v_count(tree);
  }
  return count;
}

void ff_sim_x(const ff_sim *sim, double *x) {
  const ff_model *model = x ? ff_sim_model(sim) : NULL;
  for (int i = 1; i <= ff_model_body_count(model); i++) {
    if (batch_is_free(model, i)) {
      ff_body_state s = ff_sim_body(sim, (ff_body){.id = i});
      const double numbers[BODY_NUMBERS] = {
          s.position.x,    s.position.y,    s.position.z, s.orientation.w, s.orientation.x,
          s.orientation.y, s.orientation.z, s.velocity.x, s.velocity.y,    s.velocity.z,
          s.omega.x,       s.omega.y,       s.omega.z};
      memcpy(x, numbers, sizeof numbers);
      x += BODY_NUMBERS;
    }
  }
  for (int i = 1; i <= ff_model_robot_count(model); i++) {
    const ff_tree *tree = ff_model_robot_info(model, (ff_robot_id){.id = i}).tree;
    ff_sim_robot(sim, (ff_robot_id){.id = i}, x, x + ff_tree_q_count(tree));
    x += ff_tree_q_count(tree) + ff_tree_v_count(tree);
  }
}

ff_status ff_sim_set_x(ff_sim *sim, const double *x) {
  const ff_model *model = ff_sim_model(sim);
  if (!model || !x) {
    return FF_ERROR_INPUT;
  }
  ff_status status = FF_OK;
  for (int i = 1; i <= ff_model_body_count(model) && status == FF_OK; i++) {
    if (batch_is_free(model, i)) {
      ff_body_state s = {.position = {x[0], x[1], x[2]},
                         .orientation = {x[3], x[4], x[5], x[6]},
                         .velocity = {x[7], x[8], x[9]},
                         .omega = {x[10], x[11], x[12]}};
      status = ff_sim_set_body(sim, (ff_body){.id = i}, &s);
      x += BODY_NUMBERS;
    }
  }
  for (int i = 1; i <= ff_model_robot_count(model) && status == FF_OK; i++) {
    const ff_tree *tree = ff_model_robot_info(model, (ff_robot_id){.id = i}).tree;
    status = ff_sim_set_robot(sim, (ff_robot_id){.id = i}, x, x + ff_tree_q_count(tree));
    x += ff_tree_q_count(tree) + ff_tree_v_count(tree);
  }
  return status;
}

/* ---- inputs ---------------------------------------------------------------------------------- */

static ff_status batch_take_joint(ff_batch *batch, const ff_input *input, int index) {
  const ff_model *model = batch->models[0];
  if (!ff_model_joint_of(model, input->joint)) {
    return FF_ERROR_INPUT;
  }
  batch_joint *own = batch->joints;
  while (own < batch->joints + batch->joint_count &&
         (own->joint.robot != input->joint.robot || own->joint.id != input->joint.id)) {
    own++;
  }
  if (own == batch->joints + batch->joint_count) {
    *own = (batch_joint){input->joint, -1, -1};
    batch->joint_count++;
  }
  int *to = input->kind == FF_INPUT_TORQUE ? &own->torque : &own->target;
  bool twice = *to >= 0;
  *to = index;
  return twice ? FF_ERROR_INPUT : FF_OK;
}

static ff_status batch_take_body(ff_batch *batch, const ff_input *input, int index) {
  ff_body_info info = ff_model_body_info(batch->models[0], input->body);
  if (!ff_model_has_body(batch->models[0], input->body) || input->axis < 0 || input->axis > 2 ||
      (info.kind != FF_BODY_FREE && info.kind != FF_BODY_LINK)) {
    return FF_ERROR_INPUT;
  }
  batch_body *own = batch->bodies;
  while (own < batch->bodies + batch->body_count && own->body.id != input->body.id) {
    own++;
  }
  if (own == batch->bodies + batch->body_count) {
    *own = (batch_body){input->body, {-1, -1, -1}, {-1, -1, -1}};
    batch->body_count++;
  }
  int *to = &(input->kind == FF_INPUT_FORCE ? own->force : own->moment)[input->axis];
  bool twice = *to >= 0;
  *to = index;
  return twice ? FF_ERROR_INPUT : FF_OK;
}

static ff_status batch_take_inputs(ff_batch *batch, const ff_batch_def *def, ff_report *report) {
  batch->u_count = def->input_count;
  batch->joints = ff_alloc((size_t)def->input_count, sizeof *batch->joints);
  batch->bodies = ff_alloc((size_t)def->input_count, sizeof *batch->bodies);
  if (!batch->joints || !batch->bodies) {
    return FF_ERROR_MEMORY;
  }
  for (int i = 0; i < def->input_count; i++) {
    const ff_input *input = &def->inputs[i];
    bool joint = input->kind == FF_INPUT_TORQUE || input->kind == FF_INPUT_TARGET;
    bool body = input->kind == FF_INPUT_FORCE || input->kind == FF_INPUT_MOMENT;
    ff_status status = joint  ? batch_take_joint(batch, input, i)
                       : body ? batch_take_body(batch, input, i)
                              : FF_ERROR_INPUT;
    if (status != FF_OK) {
      return ff_report_what(report, "input %d is given twice, or of nothing that can be moved", i);
    }
  }
  return FF_OK;
}

static double batch_number(const double *u, int index) {
  return index >= 0 ? u[index] : 0;
}

static ff_status batch_apply(const ff_batch *batch, ff_sim *sim, const double *u) {
  ff_status status = FF_OK;
  for (int i = 0; i < batch->joint_count && status == FF_OK; i++) {
    const batch_joint *own = &batch->joints[i];
    ff_joint_order order = {.torque = batch_number(u, own->torque)};
    if (own->target >= 0) {
      ff_joint_info info = ff_model_joint_info(ff_sim_model(sim), own->joint);
      order.target = u[own->target];
      order.stiffness = info.stiffness;
      order.damping = info.damping;
    }
    status = ff_sim_order(sim, own->joint, &order);
  }
  for (int i = 0; i < batch->body_count && status == FF_OK; i++) {
    const batch_body *own = &batch->bodies[i];
    const int *f = own->force, *m = own->moment;
    ff_vec3 force = {batch_number(u, f[0]), batch_number(u, f[1]), batch_number(u, f[2])};
    ff_vec3 moment = {batch_number(u, m[0]), batch_number(u, m[1]), batch_number(u, m[2])};
    status = ff_sim_apply(sim, own->body, (ff_vec3){0, 0, 0}, force, moment);
  }
  return status;
}

/* ---- creation -------------------------------------------------------------------------------- */

/* Do inputs and x mean the same in both models? */
static bool batch_is_same_structure(const ff_model *a, const ff_model *b) {
  bool same = b && ff_model_body_count(a) == ff_model_body_count(b) &&
              ff_model_robot_count(a) == ff_model_robot_count(b) &&
              ff_model_channel_count(a) == ff_model_channel_count(b) &&
              ff_model_x_count(a) == ff_model_x_count(b);
  for (int i = 1; same && i <= ff_model_body_count(a); i++) {
    same = ff_model_body_info(a, (ff_body){.id = i}).kind ==
           ff_model_body_info(b, (ff_body){.id = i}).kind;
  }
  for (int i = 1; same && i <= ff_model_robot_count(a); i++) {
    same = ff_model_robot_info(a, (ff_robot_id){.id = i}).joint_count ==
           ff_model_robot_info(b, (ff_robot_id){.id = i}).joint_count;
  }
  return same;
}

static ff_status batch_check(const ff_batch_def *def, ff_report *report) {
  if (!def || def->count < 1 || def->count > BATCH_MOST || !def->models || !def->models[0] ||
      (def->model_count != 1 && def->model_count != def->count)) {
    return ff_report_what(report, "a batch needs at least one sim, and one model or one for each");
  }
  if (def->threads < 1 || def->threads > FF_TEAM_MOST) {
    return ff_report_what(report, "threads must be from 1 to %d, got %d", FF_TEAM_MOST,
                          def->threads);
  }
  if (def->input_count < 0 || def->input_count > BATCH_INPUTS ||
      (def->input_count > 0 && !def->inputs)) {
    return ff_report_what(report, "the number of inputs is out of range");
  }
  for (int i = 1; i < def->model_count; i++) {
    if (!batch_is_same_structure(def->models[0], def->models[i])) {
      return ff_report_what(report, "model %d has other bodies, robots or channels than model 0",
                            i);
    }
  }
  for (int i = 0; i < def->model_count; i++) {
    const ff_run_def *run = ff_model_run(def->models[i]);
    bool fixed = ff_stepper_find(run->stepper.kind)->fixed_step;
    if (!(def->period >= 0 && isfinite(def->period)) || (def->period == 0 && !fixed)) {
      return ff_report_what(report,
                            "the period must be finite and not negative, and greater than 0 "
                            "with the stepper adaptive");
    }
  }
  return FF_OK;
}

static void batch_create_sims(void *context, int first, int end) {
  ff_batch *batch = context;
  for (int i = first; i < end; i++) {
    batch_sim *own = &batch->sims[i];
    own->status = ff_sim_create(&own->sim, batch->models[batch->model_count == 1 ? 0 : i]);
    if (own->status == FF_OK) {
      ff_sim_watch_stop(own->sim, &batch->stop);
    }
  }
}

ff_status ff_batch_create(ff_batch **out, const ff_batch_def *def, ff_report *report) {
  if (!out) {
    return FF_ERROR_INPUT;
  }
  *out = NULL;
  ff_status status = batch_check(def, report);
  if (status != FF_OK) {
    return status;
  }
  ff_batch *batch = ff_alloc(1, sizeof *batch);
  if (!batch) {
    return FF_ERROR_MEMORY;
  }
  batch->models = def->models;
  batch->model_count = def->model_count;
  batch->period = def->period;
  batch->x_count = ff_model_x_count(def->models[0]);
  batch->sims = ff_alloc((size_t)def->count, sizeof *batch->sims);
  batch->count = batch->sims ? def->count : 0;
  status = batch->sims ? batch_take_inputs(batch, def, report) : FF_ERROR_MEMORY;
  int threads = def->threads < def->count ? def->threads : def->count;
  status = status == FF_OK ? ff_team_create(&batch->team, threads) : status;
  if (status == FF_OK) {
    ff_team_for(batch->team, batch_create_sims, batch, batch->count, 1);
  }
  for (int i = 0; i < batch->count && status == FF_OK; i++) {
    status = batch->sims[i].status;
  }
  batch->models = NULL;
  if (status != FF_OK) {
    ff_batch_destroy(&batch);
    return status;
  }
  *out = batch;
  return FF_OK;
}

void ff_batch_destroy(ff_batch **at) {
  ff_batch *batch = at ? *at : NULL;
  if (!batch) {
    return;
  }
  *at = NULL;
  ff_team_destroy(batch->team);
  for (int i = 0; i < batch->count; i++) {
    ff_sim_destroy(&batch->sims[i].sim);
  }
  ff_free(batch->sims);
  ff_free(batch->joints);
  ff_free(batch->bodies);
  ff_free(batch);
}

/* ---- access ---------------------------------------------------------------------------------- */

int ff_batch_count(const ff_batch *batch) {
  return batch ? batch->count : 0;
}

int ff_batch_x_count(const ff_batch *batch) {
  return batch ? batch->x_count : 0;
}

int ff_batch_u_count(const ff_batch *batch) {
  return batch ? batch->u_count : 0;
}

ff_sim *ff_batch_sim(ff_batch *batch, int index) {
  return batch && index >= 0 && index < batch->count ? batch->sims[index].sim : NULL;
}

/* Status of the batch: of the first sim that has one. */
static ff_status batch_status(const ff_batch *batch) {
  for (int i = 0; i < batch->count; i++) {
    if (batch->sims[i].status != FF_OK) {
      return batch->sims[i].status;
    }
  }
  return FF_OK;
}

ff_status ff_batch_reset(ff_batch *batch, const bool *which) {
  if (!batch) {
    return FF_ERROR_INPUT;
  }
  ff_status status = FF_OK;
  for (int i = 0; i < batch->count; i++) {
    if (!which || which[i]) {
      batch_sim *own = &batch->sims[i];
      own->status = ff_sim_reset(own->sim);
      status = status == FF_OK ? own->status : status;
    }
  }
  return status;
}

void ff_batch_x(const ff_batch *batch, double *x) {
  for (int i = 0; batch && i < batch->count; i++) {
    ff_sim_x(batch->sims[i].sim, x + (ptrdiff_t)i * batch->x_count);
  }
}

/* A parallel loop over the sims. */
typedef struct batch_job {
  ff_batch *batch;
  const double *u;
  double *x;
  const double *start; /* x to set */
  int steps;
} batch_job;

static void batch_set(void *context, int first, int end) {
  const batch_job *job = context;
  for (int i = first; i < end; i++) {
    batch_sim *own = &job->batch->sims[i];
    own->status = ff_sim_set_x(own->sim, job->start + (ptrdiff_t)i * job->batch->x_count);
  }
}

ff_status ff_batch_set_x(ff_batch *batch, const double *x) {
  if (!batch || !x) {
    return FF_ERROR_INPUT;
  }
  batch_job job = {.batch = batch, .start = x};
  ff_team_for(batch->team, batch_set, &job, batch->count, 1);
  return batch_status(batch);
}

void ff_batch_read(const ff_batch *batch, const int *channels, int channel_count, double *out) {
  for (int i = 0; batch && i < batch->count; i++) {
    ff_sim_read(batch->sims[i].sim, channels, channel_count, out + (ptrdiff_t)i * channel_count);
  }
}

/* ---- steps ----------------------------------------------------------------------------------- */

/* End of the control interval that begins now: the next multiple of the period, or one period from
 * now for a sim that is between multiples. */
static double batch_interval_end(const ff_batch *batch, const ff_sim *sim) {
  double t = ff_sim_time(sim), k = round(t / batch->period);
  bool at_multiple = fabs(t - k * batch->period) <= 1e-9 * batch->period;
  return at_multiple ? (k + 1) * batch->period : t + batch->period;
}

static ff_status batch_interval(const ff_batch *batch, ff_sim *sim, const double *u) {
  ff_status status = u ? batch_apply(batch, sim, u) : FF_OK;
  if (status != FF_OK) {
    return status;
  }
  return batch->period > 0 ? ff_sim_advance(sim, batch_interval_end(batch, sim)) : ff_sim_step(sim);
}

static void batch_roll(void *context, int first, int end) {
  const batch_job *job = context;
  ff_batch *batch = job->batch;
  ptrdiff_t nx = batch->x_count, nu = batch->u_count;
  for (int i = first; i < end; i++) {
    batch_sim *own = &batch->sims[i];
    for (int k = 0; k < job->steps; k++) {
      ptrdiff_t at = (ptrdiff_t)i * job->steps + k;
      if (own->status == FF_OK) {
        own->status = batch_interval(batch, own->sim, job->u ? job->u + at * nu : NULL);
      }
      if (job->x && own->status == FF_OK) {
        ff_sim_x(own->sim, job->x + at * nx);
      }
      for (ptrdiff_t j = 0; job->x && own->status != FF_OK && j < nx; j++) {
        job->x[at * nx + j] = NAN;
      }
    }
  }
}

ff_status ff_batch_rollout(ff_batch *batch, const double *u, int steps, double *x,
                           ff_status *statuses) {
  if (!batch || steps < 0) {
    return FF_ERROR_INPUT;
  }
  batch_job job = {.batch = batch, .u = batch->u_count > 0 ? u : NULL, .x = x, .steps = steps};
  ff_team_for(batch->team, batch_roll, &job, batch->count, 1);
  bool stopped = atomic_exchange(&batch->stop, false);
  ff_status status = batch_status(batch);
  for (int i = 0; i < batch->count; i++) {
    if (statuses) {
      statuses[i] = batch->sims[i].status;
    }
    if (batch->sims[i].status == FF_CANCELLED) { /* can go on */
      batch->sims[i].status = FF_OK;
    }
  }
  return stopped ? FF_CANCELLED : status;
}

ff_status ff_batch_step(ff_batch *batch, const double *u, ff_status *statuses) {
  return ff_batch_rollout(batch, u, 1, NULL, statuses);
}

void ff_batch_stop(ff_batch *batch) {
  if (batch) {
    atomic_store(&batch->stop, true);
  }
}
