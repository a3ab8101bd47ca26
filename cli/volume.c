/* footfall volume SHAPE: overlap of a shape with a half-space. */
#include <argp.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "json.h"

#include <math.h>

enum { AXES = 256, SIZE, RADIUS, LENGTH, HEIGHT, NORMAL, POINT, PRINTED, OUTLINE };

typedef struct volume_job {
  const char *shape;
  bool given[OUTLINE + 1 - AXES]; /* by option */
  double axes[3], size[3], radius, length, height, normal[3], point[3];
  double outline; /* points */
  ff_volume_def def;
  bool json;
} volume_job;

/* ---- arguments ------------------------------------------------------------------------------- */

/* Reads exactly count numbers separated by commas. */
static void volume_read_numbers(struct argp_state *state, const char *text, double *values,
                                int count) {
  char copy[512], *rest = copy;
  int found = 0;
  bool good = strlen(text) < sizeof copy;
  if (good) {
    strcpy(copy, text);
    for (char *word = strsep(&rest, ","); word && good; word = strsep(&rest, ",")) {
      good = found < count && ff_number_read(word, &values[found]);
      found++;
    }
  }
  if (!good || found != count) {
    argp_error(state, count == 1 ? "'%s' is not a number" : "'%s' is not three numbers as in 1,2,3",
               text);
  }
}

static void volume_check_usage(const volume_job *job, struct argp_state *state) {
  if (!job->shape) {
    argp_error(state, "no SHAPE given: sphere, ellipsoid, box, capsule or cylinder");
  }
  if (!job->given[NORMAL - AXES] || !job->given[POINT - AXES]) {
    argp_error(state, "the plane needs --normal and --point");
  }
}

static error_t volume_parse(int key, char *value, struct argp_state *state) {
  volume_job *job = state->input;
  if (key >= AXES && key <= OUTLINE) {
    job->given[key - AXES] = true;
  }
  switch (key) {
    case AXES: volume_read_numbers(state, value, job->axes, 3); return 0;
    case SIZE: volume_read_numbers(state, value, job->size, 3); return 0;
    case RADIUS: volume_read_numbers(state, value, &job->radius, 1); return 0;
    case LENGTH: volume_read_numbers(state, value, &job->length, 1); return 0;
    case HEIGHT: volume_read_numbers(state, value, &job->height, 1); return 0;
    case NORMAL: volume_read_numbers(state, value, job->normal, 3); return 0;
    case POINT: volume_read_numbers(state, value, job->point, 3); return 0;
    case OUTLINE: volume_read_numbers(state, value, &job->outline, 1); return 0;
    case PRINTED: job->def.printed = true; return 0;
    case 'j': job->json = true; return 0;
    case ARGP_KEY_ARG:
      if (job->shape) {
        argp_error(state, "one shape at a time");
      }
      job->shape = value;
      return 0;
    case ARGP_KEY_END: volume_check_usage(job, state); return 0;
    default: return ARGP_ERR_UNKNOWN;
  }
}

static const struct argp_option options[] = {
    {"axes", AXES, "A,B,C", 0, "semi-axes of an ellipsoid, m", 0},
    {"size", SIZE, "X,Y,Z", 0, "full extents of a box, m", 0},
    {"radius", RADIUS, "R", 0, "of a sphere, capsule or cylinder, m", 0},
    {"length", LENGTH, "L", 0, "of a capsule between the centres of its ends, m", 0},
    {"height", HEIGHT, "H", 0, "of a cylinder, m", 0},
    {"normal", NORMAL, "NX,NY,NZ", 0, "outward normal of the half-space; any length", 0},
    {"point", POINT, "PX,PY,PZ", 0, "a point of the plane, m", 0},
    {"printed-J", PRINTED, NULL, 0, "J by equation 37 of the paper (ellipsoid)", 0},
    {"outline", OUTLINE, "N", 0, "also N points around the section (JSON)", 0},
    {"json", 'j', NULL, 0, "print as JSON", 0},
    {0},
};

static const struct argp parser = {
    .options = options,
    .parser = volume_parse,
    .args_doc = "SHAPE",
    .doc = "Part of a shape (sphere, ellipsoid, box, capsule, cylinder) below a plane: "
           "volume, centroid, and the depth-weighted second moments of area J about the centroid, "
           "in the shape's frame and in a contact frame whose third axis is the plane's normal. "
           "The plane is given in the shape's frame, whose origin is its centre and whose z is "
           "the axis of capsules and cylinders.\v"
           "Examples:\n"
           "  footfall volume ellipsoid --axes .1,.05,.03 --normal 1,0,2 --point 0,0,0\n"
           "  footfall volume box --size 1,1,1 --normal 0,0,1 --point 0,0,-.4 --json\n"
           "\nJSON: volume (m^3), centroid (m), J_body and J_contact (m^5, rows), frame (its three "
           "axes, the last one the normal), depth, area, centroid_depth.\n" FF_CLI_EXITS};

/* ---- shape ----------------------------------------------------------------------------------- */

static ff_vec3 vector(const double v[3]) {
  return (ff_vec3){v[0], v[1], v[2]};
}

static ff_status volume_find_kind(const char *name, ff_shape_kind *out, ff_report *report) {
  const char *known[FF_SHAPE_KIND_COUNT];
  int count = 0;
  for (int i = 0; i < FF_SHAPE_KIND_COUNT; i++) {
    if (i != FF_HALF_SPACE && i <= FF_CYLINDER) {
      known[count++] = ff_shape_kind_name((ff_shape_kind)i);
      if (strcmp(known[count - 1], name) == 0) {
        *out = (ff_shape_kind)i;
        return FF_OK;
      }
    }
  }
  return ff_report_unknown(report, "shape", name, known, count);
}

/* Sizes as in scenes: full lengths; halves in the definition. Each shape has its own options. */
static ff_status volume_read_shape(volume_job *job, ff_report *report) {
  static const struct {
    int options[2];
    const char *words;
  } needs[FF_SHAPE_KIND_COUNT] = {
      [FF_SPHERE] = {{RADIUS}, "--radius"},
      [FF_ELLIPSOID] = {{AXES}, "--axes"},
      [FF_BOX] = {{SIZE}, "--size"},
      [FF_CAPSULE] = {{RADIUS, LENGTH}, "--radius and --length"},
      [FF_CYLINDER] = {{RADIUS, HEIGHT}, "--radius and --height"},
  };
  ff_volume_def *def = &job->def;
  ff_status status = volume_find_kind(job->shape, &def->kind, report);
  if (status != FF_OK) {
    return status;
  }
  for (int option = AXES; option <= HEIGHT; option++) {
    const int *mine = needs[def->kind].options;
    if (job->given[option - AXES] != (option == mine[0] || option == mine[1])) {
      *report = (ff_report){0};
      snprintf(report->what, sizeof report->what, "a %s is given by %s", job->shape,
               needs[def->kind].words);
      return FF_ERROR_INPUT;
    }
  }
  switch (def->kind) {
    case FF_ELLIPSOID: def->size = vector(job->axes); break;
    case FF_BOX: def->size = (ff_vec3){job->size[0] / 2, job->size[1] / 2, job->size[2] / 2}; break;
    default: def->size = (ff_vec3){job->radius, (job->length + job->height) / 2, 0}; break;
  }
  def->normal = vector(job->normal);
  def->point = vector(job->point);
  return FF_OK;
}

/* ---- output ---------------------------------------------------------------------------------- */

static void json_vector(ff_json *json, const char *key, ff_vec3 v) {
  ff_json_numbers(json, key, (const double[]){v.x, v.y, v.z}, 3);
}

static void json_matrix(ff_json *json, const char *key, const ff_mat3 *a) {
  ff_json_open(json, key, '[');
  for (int i = 0; i < 3; i++) {
    ff_json_numbers(json, NULL, a->m[i], 3);
  }
  ff_json_close(json, ']');
}

/* Points of the outline, equally many on each arc. */
static void json_outline(ff_json *json, const volume_job *job) {
  ff_arc arcs[8];
  int count = ff_volume_outline(&job->def, arcs, 8),
      each = (int)ceil(job->outline / fmax(count, 1));
  ff_json_open(json, "outline", '[');
  for (int i = 0; i < count * each; i++) {
    json_vector(json, NULL, ff_arc_at(&arcs[i / each], (double)(i % each) / each));
  }
  ff_json_close(json, ']');
}

static void volume_print_json(const volume_job *job, const ff_volume *volume) {
  ff_json json = {.out = stdout};
  ff_json_open(&json, NULL, '{');
  ff_json_number(&json, "volume", volume->volume);
  json_vector(&json, "centroid", volume->centroid);
  json_matrix(&json, "J_body", &volume->J_body);
  json_matrix(&json, "J_contact", &volume->J_contact);
  json_matrix(&json, "frame", &volume->frame);
  ff_json_number(&json, "depth", volume->depth);
  ff_json_number(&json, "area", volume->area);
  ff_json_number(&json, "centroid_depth", volume->centroid_depth);
  if (job->outline > 0) {
    json_outline(&json, job);
  }
  ff_json_close(&json, '}');
}

static void volume_print_row(const char *name, const double *v, int count, const char *unit) {
  printf("%-15s", name);
  for (int i = 0; i < count; i++) {
    char text[FF_NUMBER_SIZE];
    printf(" %24s", ff_number_text(v[i], text));
  }
  printf(" %s\n", unit);
}

static void volume_print_matrix(const char *name, const ff_mat3 *a, const char *unit) {
  for (int i = 0; i < 3; i++) {
    volume_print_row(i == 0 ? name : "", a->m[i], 3, i == 0 ? unit : "");
  }
}

static void volume_print(const ff_volume *v) {
  volume_print_row("volume", &v->volume, 1, "m^3");
  volume_print_row("depth", &v->depth, 1, "m");
  volume_print_row("area", &v->area, 1, "m^2");
  volume_print_row("centroid", (const double[]){v->centroid.x, v->centroid.y, v->centroid.z}, 3,
                   "m");
  volume_print_row("centroid depth", &v->centroid_depth, 1, "m");
  volume_print_matrix("J_body", &v->J_body, "m^5");
  volume_print_matrix("J_contact", &v->J_contact, "m^5");
  volume_print_matrix("frame", &v->frame, "x, y, z by rows");
}

/* ---- verb ------------------------------------------------------------------------------------ */

int ff_cli_volume(int argc, char **argv) {
  volume_job job = {0};
  ff_report report = {0};
  ff_cli_parse(&parser, argc, argv, &job);
  ff_volume volume;
  ff_status status = volume_read_shape(&job, &report);
  if (status == FF_OK && !(job.outline >= 0 && job.outline <= 1e6)) {
    snprintf(report.what, sizeof report.what, "--outline takes up to 1000000 points");
    status = FF_ERROR_INPUT;
  }
  if (status == FF_OK) {
    status = ff_volume_compute(&volume, &job.def, &report);
  }
  if (status != FF_OK) {
    return ff_cli_fail(status, &report);
  }
  if (job.json) {
    volume_print_json(&job, &volume);
  } else {
    volume_print(&volume);
  }
  return FF_EXIT_GOOD;
}
