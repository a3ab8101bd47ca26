/* OpenSim .sto and .mot writer: ground reactions in force-plate form, one set of columns per
 * contact.
 *
 * OpenSim has y up where scenes have z up; x is forward in both: (X, Y, Z) = (x, z, -y). The force
 * is that on the first body of the contact. Each wrench is given at its centre of pressure on the
 * plane z = 0 (Y = 0): there the horizontal moments vanish, and the free moment about the vertical
 * remains. Without an upward force the point is the origin and the moment the whole one about it.
 *
 * Columns have the names and the order that OpenSim's tools expect: for the first contact
 * ground_force_v*, ground_force_p* and after all points ground_torque_*; further contacts have the
 * prefixes 1_, 2_ ...
 *
 * A .mot file is the same table, with an .xml file beside it that names, for each contact, the body
 * and the columns: OpenSim's ExternalLoads. */
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/report.h"
#include "io/recorder.h"
#include "math/vec.h"

#define TABLE_NAME "Ground reactions"

/* Channels that a contact must have, in this order. */
enum { FORCE = 0, MOMENT = 3, POINT = 6, PARTS = 9 };
static const char *const parts[PARTS] = {"force.x",  "force.y", "force.z", "moment.x", "moment.y",
                                         "moment.z", "point.x", "point.y", "point.z"};

typedef struct plate {
  int columns[PARTS]; /* column indices in the recording */
} plate;

typedef struct sto_state {
  plate *plates;
  int count;
  double *rows; /* width numbers each: time, then 9 per plate */
  size_t held, capacity;
} sto_state;

/* ---- contacts -------------------------------------------------------------------------------- */

static int sto_find_column(const ff_recording_info *info, const char *prefix, size_t length,
                           const char *part) {
  for (int i = 0; i < info->count; i++) {
    const char *name = info->names[i];
    if (strncmp(name, prefix, length) == 0 && strcmp(name + length, part) == 0) {
      return i;
    }
  }
  return -1;
}

/* Plate of the contact whose force.x this column is; false: not such a column, or channels are
 * missing. */
static bool sto_find_plate(const ff_recording_info *info, int column, plate *out) {
  const char *name = info->names[column];
  if (strncmp(name, "contact.", 8) != 0 || !ff_path_ends(name, ".force.x")) {
    return false;
  }
  size_t length = strlen(name) - strlen(parts[0]);
  bool whole = true;
  for (int i = 0; i < PARTS; i++) {
    out->columns[i] = sto_find_column(info, name, length, parts[i]);
    whole = whole && out->columns[i] >= 0;
  }
  return whole;
}

static int sto_find_plates(const ff_recording_info *info, plate *out) {
  int count = 0;
  for (int i = 0; i < info->count; i++) {
    plate found;
    if (sto_find_plate(info, i, &found)) {
      if (out) {
        out[count] = found;
      }
      count++;
    }
  }
  return count;
}

static ff_status sto_check(const ff_recording_info *info, const char *path, ff_report *report) {
  if (sto_find_plates(info, NULL) > 0) {
    return FF_OK;
  }
  ff_recording_bad(report, path, "no contact can be written as a ground reaction");
  ff_report_expected(report, "channels contact.A:B.force.*, contact.A:B.moment.* and "
                             "contact.A:B.point.* of a pair of bodies");
  return FF_ERROR_INPUT;
}

/* ---- rows ------------------------------------------------------------------------------------ */

static size_t sto_width(const sto_state *state) {
  return 1 + (size_t)PARTS * (size_t)state->count;
}

/* Force, centre of pressure and moment there of one contact; z up. */
static void sto_plate_wrench(const plate *from, const double *row, ff_vec3 *force, ff_vec3 *point,
                             ff_vec3 *moment) {
  double v[PARTS];
  for (int i = 0; i < PARTS; i++) {
    v[i] = row[from->columns[i]];
  }
  *force = v3_load(v + FORCE);
  *moment = v3_add(v3_load(v + MOMENT), v3_cross(v3_load(v + POINT), *force));
  *point = v3(0, 0, 0);
  if (force->z > 0) {
    *point = v3(-moment->y / force->z, moment->x / force->z, 0);
    *moment = v3(0, 0, moment->z - (point->x * force->y - point->y * force->x));
  }
}

static void sto_store(double *to, ff_vec3 v) {
  to[0] = v.x;
  to[1] = v.z;
  to[2] = -v.y;
}

static ff_status sto_add(ff_recorder *recorder, const double *row) {
  sto_state *state = recorder->state;
  size_t width = sto_width(state);
  if (!ff_grow((void **)&state->rows, state->held, &state->capacity, width * sizeof(double))) {
    return FF_ERROR_MEMORY;
  }
  double *to = state->rows + state->held * width;
  to[0] = row[0];
  for (int i = 0; i < state->count; i++) {
    ff_vec3 force, point, moment;
    sto_plate_wrench(&state->plates[i], row, &force, &point, &moment);
    sto_store(to + 1 + 6 * i, force);
    sto_store(to + 4 + 6 * i, point);
    sto_store(to + 1 + 6 * state->count + 3 * i, moment);
  }
  state->held++;
  return FF_OK;
}

/* ---- creation -------------------------------------------------------------------------------- */

static ff_status sto_begin(ff_recorder *recorder, const ff_recording_info *info) {
  sto_state *state = ff_alloc(1, sizeof *state);
  if (!state) {
    return FF_ERROR_MEMORY;
  }
  recorder->state = state;
  state->count = sto_find_plates(info, NULL);
  state->plates = ff_alloc((size_t)state->count, sizeof *state->plates);
  if (!state->plates) {
    return FF_ERROR_MEMORY;
  }
  sto_find_plates(info, state->plates);
  return FF_OK;
}

static void sto_drop(ff_recorder *recorder) {
  sto_state *state = recorder->state;
  if (state) {
    ff_free(state->plates);
    ff_free(state->rows);
    ff_free(state);
  }
  recorder->state = NULL;
}

/* ---- file ------------------------------------------------------------------------------------ */

static void sto_write_text(ff_file *file, const char *text) {
  ff_file_write(file, text, strlen(text));
}

/* What the columns of a quantity of a contact begin with. */
enum { STEM_SIZE = 64 };
static void sto_stem(char stem[STEM_SIZE], int plate_index, const char *what) {
  char prefix[16] = "";
  if (plate_index > 0) {
    snprintf(prefix, sizeof prefix, "%d_", plate_index);
  }
  snprintf(stem, STEM_SIZE, "%s%s", prefix, what);
}

static void sto_write_names(ff_file *file, int plate_index, const char *what) {
  static const char axes[3] = {'x', 'y', 'z'};
  char stem[STEM_SIZE];
  sto_stem(stem, plate_index, what);
  for (int k = 0; k < 3; k++) {
    ff_file_write(file, "\t", 1);
    sto_write_text(file, stem);
    ff_file_write(file, &axes[k], 1);
  }
}

static void sto_write_header(ff_file *file, const sto_state *state) {
  char text[128];
  sto_write_text(file, TABLE_NAME "\nversion=1\n");
  snprintf(text, sizeof text, "nRows=%zu\nnColumns=%zu\ninDegrees=no\nendheader\ntime", state->held,
           sto_width(state));
  sto_write_text(file, text);
  for (int i = 0; i < state->count; i++) {
    sto_write_names(file, i, "ground_force_v");
    sto_write_names(file, i, "ground_force_p");
  }
  for (int i = 0; i < state->count; i++) {
    sto_write_names(file, i, "ground_torque_");
  }
  sto_write_text(file, "\n");
}

/* The format has no place for the summary. */
static ff_status sto_finish(ff_recorder *recorder, const char *summary) {
  (void)summary;
  const sto_state *state = recorder->state;
  size_t width = sto_width(state);
  sto_write_header(recorder->file, state);
  ff_status status = FF_OK;
  for (size_t i = 0; i < state->held * width; i++) {
    char text[FF_NUMBER_SIZE];
    sto_write_text(recorder->file, ff_number_text(state->rows[i] + 0.0, text));
    status = ff_file_write(recorder->file, (i + 1) % width == 0 ? "\n" : "\t", 1);
  }
  sto_drop(recorder);
  return status;
}

/* ---- external loads -------------------------------------------------------------------------- */

/* XML 1.0 has no control characters. */
static ff_status loads_check_name(const char *name, const char *path, ff_report *report) {
  const char *at = name;
  while ((unsigned char)*at >= ' ') {
    at++;
  }
  if (*at == '\0') {
    return FF_OK;
  }
  ff_recording_bad(report, path, "has a control character, which XML cannot hold");
  ff_report_key(report, "%.200s", name);
  return FF_ERROR_INPUT;
}

static ff_status loads_check(const ff_recording_info *info, const char *path, ff_report *report) {
  ff_status status = sto_check(info, path, report);
  for (int i = 0; i < info->count && status == FF_OK; i++) {
    plate found;
    if (sto_find_plate(info, i, &found)) {
      status = loads_check_name(info->names[i], path, report);
    }
  }
  return status == FF_OK ? loads_check_name(path, path, report) : status;
}

static void loads_write_escaped(ff_file *file, const char *text, size_t length) {
  for (size_t i = 0; i < length; i++) {
    switch (text[i]) {
      case '&': sto_write_text(file, "&amp;"); break;
      case '<': sto_write_text(file, "&lt;"); break;
      case '>': sto_write_text(file, "&gt;"); break;
      case '"': sto_write_text(file, "&quot;"); break;
      default: ff_file_write(file, text + i, 1); break;
    }
  }
}

static void loads_write_element(ff_file *file, const char *tag, const char *text, size_t length) {
  char mark[64];
  snprintf(mark, sizeof mark, "        <%s>", tag);
  sto_write_text(file, mark);
  loads_write_escaped(file, text, length);
  snprintf(mark, sizeof mark, "</%s>\n", tag);
  sto_write_text(file, mark);
}

/* The force on the first body of contact.A:B, at a point on the ground, in the ground's frame. */
static void loads_write_force(ff_file *file, int index, const char *channel) {
  const char *pair = channel + strlen("contact.");
  size_t pair_length = strlen(pair) - strlen(".force.x"), body = strcspn(pair, ":");
  body = body < pair_length ? body : pair_length;
  char stem[STEM_SIZE];
  sto_write_text(file, "      <ExternalForce name=\"");
  loads_write_escaped(file, pair, pair_length);
  sto_write_text(file, "\">\n");
  loads_write_element(file, "applied_to_body", pair, body);
  loads_write_element(file, "force_expressed_in_body", "ground", 6);
  loads_write_element(file, "point_expressed_in_body", "ground", 6);
  static const char *const columns[3][2] = {{"force_identifier", "ground_force_v"},
                                            {"point_identifier", "ground_force_p"},
                                            {"torque_identifier", "ground_torque_"}};
  for (int i = 0; i < 3; i++) {
    sto_stem(stem, index, columns[i][1]);
    loads_write_element(file, columns[i][0], stem, strlen(stem));
  }
  loads_write_element(file, "data_source_name", TABLE_NAME, strlen(TABLE_NAME));
  sto_write_text(file, "      </ExternalForce>\n");
}

/* OpenSim finds the table by its name in the folder of the XML file, and takes as the data source's
 * name the first line of the table. */
static ff_status loads_write(ff_file *file, const ff_recording_info *info, const char *path) {
  const char *slash = strrchr(path, '/');
  const char *name = slash ? slash + 1 : path;
  sto_write_text(file, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                       "<OpenSimDocument Version=\"30000\">\n"
                       "  <ExternalLoads name=\"external_loads\">\n"
                       "    <objects>\n");
  int count = 0;
  for (int i = 0; i < info->count; i++) {
    plate found;
    if (sto_find_plate(info, i, &found)) {
      loads_write_force(file, count++, info->names[i]);
    }
  }
  sto_write_text(file, "    </objects>\n"
                       "    <groups />\n"
                       "    <datafile>");
  loads_write_escaped(file, name, strlen(name));
  static const char end[] = "</datafile>\n  </ExternalLoads>\n</OpenSimDocument>\n";
  return ff_file_write(file, end, sizeof end - 1);
}

/* ---- formats --------------------------------------------------------------------------------- */

const ff_recorder_format ff_recorder_sto = {.ending = ".sto",
                                            .check = sto_check,
                                            .begin = sto_begin,
                                            .add = sto_add,
                                            .finish = sto_finish,
                                            .drop = sto_drop};
const ff_recorder_format ff_recorder_mot = {.ending = ".mot",
                                            .check = loads_check,
                                            .begin = sto_begin,
                                            .add = sto_add,
                                            .finish = sto_finish,
                                            .drop = sto_drop,
                                            .second_ending = ".xml",
                                            .write_second = loads_write};
