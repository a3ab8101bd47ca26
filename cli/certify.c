/* footfall run --certify: the same scene with half the step, or a tenth of the tolerance, and how
 * far both motions are apart. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "certify.h"
#include "say.h"

enum { INSTANTS = 200 };          /* at which positions are compared */
static const double limit = 0.01; /* of the way that a body has gone, and its size */

/* One of the two runs. */
typedef struct certified_run {
  ff_scene *scene;
  ff_model *model;
  ff_sim *sim;
  ff_sampler *sampler;
  double *now; /* 3 position_count */
} certified_run;

/* Channels of positions of the bodies that move. */
typedef struct positions {
  int count;     /* bodies */
  int *channels; /* 3 count */
  int *bodies;   /* ids */
  double *way;   /* m, that each has gone */
  double *size;  /* m, largest extent */
  double *last;  /* 3 count */
} positions;

static double body_size(const ff_model *model, int body) {
  double size = 0;
  for (int s = 1; s <= ff_model_shape_count(model); s++) {
    ff_shape_info shape = ff_model_shape_info(model, (ff_shape){.id = s});
    if (shape.body.id == body && shape.kind != FF_HALF_SPACE) {
      size = fmax(size, fmax(shape.size.x, fmax(shape.size.y, shape.size.z)));
    }
  }
  return size;
}

static void positions_find(positions *out, const ff_model *model) {
  int bodies = ff_model_body_count(model), channels = ff_model_channel_count(model), at = 0;
  out->channels = ff_cli_alloc(3 * bodies + 1, sizeof(int));
  out->bodies = ff_cli_alloc(bodies + 1, sizeof(int));
  out->way = ff_cli_alloc(bodies + 1, sizeof(double));
  out->size = ff_cli_alloc(bodies + 1, sizeof(double));
  out->last = ff_cli_alloc(3 * bodies + 1, sizeof(double));
  for (int i = 1; i <= bodies; i++) {
    ff_body_info info = ff_model_body_info(model, (ff_body){.id = i});
    if (info.kind != FF_BODY_FREE && info.kind != FF_BODY_LINK) {
      continue;
    }
    char name[256];
    snprintf(name, sizeof name, "body.%s.position.x", info.name);
    for (int k = 0; k < channels; k++) { /* in the order of bodies: each search goes on */
      int c = (at + k) % channels;
      if (strcmp(ff_model_channel(model, c).name, name) == 0) {
        for (int j = 0; j < 3; j++) {
          out->channels[3 * out->count + j] = c + j;
        }
        out->bodies[out->count] = i;
        out->size[out->count++] = body_size(model, i);
        at = c;
        break;
      }
    }
  }
}

static ff_status certified_start(certified_run *run, const char *path, const ff_cli_list *overrides,
                                 ff_report *report) {
  ff_status status = ff_scene_load(&run->scene, path, overrides->items, overrides->count, report);
  status = status == FF_OK ? ff_model_build(&run->model, run->scene, report) : status;
  return status == FF_OK ? ff_sim_create(&run->sim, run->model) : status;
}

static void certified_end(certified_run *run) {
  ff_sampler_destroy(&run->sampler);
  ff_sim_destroy(&run->sim);
  ff_model_destroy(&run->model);
  ff_scene_destroy(&run->scene);
  free(run->now);
}

/* Half the step, or a tenth of the tolerance, of the resolved run. */
static void override_refine(const ff_model *model, ff_cli_list *overrides, char text[2][96]) {
  const ff_stepper_def *stepper = &ff_model_run(model)->stepper;
  bool fixed = ff_stepper_find(stepper->kind)->fixed_step;
  double value = fixed ? 0.5 * stepper->step : fmax(0.1 * stepper->rtol, 1e-14);
  snprintf(text[0], 96, "stepper.kind=%s", stepper->kind); /* also if it was chosen */
  ff_cli_list_add(overrides, text[0]);
  snprintf(text[1], 96, "stepper.%s=%.17g", fixed ? "step" : "rtol", value);
  ff_cli_list_add(overrides, text[1]);
}

/* Raises the finding where the two positions of a body differ most, relative to way and size. */
static void compare_positions(positions *at, const double *coarse, const double *fine, double t,
                              ff_finding *out) {
  for (int i = 0; i < at->count; i++) {
    double step2 = 0, off2 = 0;
    for (int j = 0; j < 3; j++) {
      double moved = fine[3 * i + j] - at->last[3 * i + j];
      double off = coarse[3 * i + j] - fine[3 * i + j];
      step2 += t > 0 ? moved * moved : 0;
      off2 += off * off;
      at->last[3 * i + j] = fine[3 * i + j];
    }
    at->way[i] += sqrt(step2);
    double allowed = limit * (at->way[i] + at->size[i]), off = sqrt(off2);
    bool worse = off * out->limit > out->value * allowed || out->limit == 0;
    if (!isfinite(off) || worse) {
      out->value = isfinite(off) ? off : INFINITY;
      out->limit = allowed;
      out->a.id = at->bodies[i];
      out->worst = out->first = t;
    }
  }
}

static ff_status certified_compare(certified_run runs[2], positions *at, ff_finding *out) {
  double end = ff_model_run(runs[0].model)->duration;
  ff_status status = FF_OK;
  for (int r = 0; r < 2 && status == FF_OK; r++) {
    runs[r].now = ff_cli_alloc(3 * at->count + 1, sizeof(double));
    status = ff_sampler_create(&runs[r].sampler, runs[r].sim, at->channels, 3 * at->count);
  }
  for (int i = 0; i <= INSTANTS && status == FF_OK; i++) {
    double t = end * i / INSTANTS;
    for (int r = 0; r < 2 && status == FF_OK; r++) {
      status = ff_sampler_at(runs[r].sampler, t, end, runs[r].now);
    }
    if (status == FF_OK) {
      compare_positions(at, runs[0].now, runs[1].now, t, out);
    }
  }
  return status;
}

ff_status ff_cli_certify(ff_finding *out, const char *path, const ff_cli_list *overrides,
                         ff_report *report) {
  certified_run runs[2] = {{0}, {0}};
  positions at = {0};
  char text[2][96];
  ff_cli_list finer = {0};
  ff_finding_info info = ff_finding_describe(FF_FINDING_MOTION);
  *out = (ff_finding){.kind = FF_FINDING_MOTION, .unit = info.unit, .advice = info.advice};
  ff_status status = certified_start(&runs[0], path, overrides, report);
  if (status == FF_OK) {
    for (int i = 0; i < overrides->count; i++) {
      ff_cli_list_add(&finer, overrides->items[i]);
    }
    override_refine(runs[0].model, &finer, text);
    status = certified_start(&runs[1], path, &finer, report);
  }
  if (status == FF_OK) {
    positions_find(&at, runs[0].model);
    status = certified_compare(runs, &at, out);
  }
  out->failure = out->value > out->limit;
  ff_cli_list_free(&finer);
  certified_end(&runs[0]);
  certified_end(&runs[1]);
  free(at.channels);
  free(at.bodies);
  free(at.way);
  free(at.size);
  free(at.last);
  return status;
}
