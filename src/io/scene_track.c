/* Measured motion of a body or robot: columns or markers of a table to poses over time. */
#include "base/memory.h"
#include "io/marker_pose.h"
#include "io/measured.h"
#include "io/mesh.h"
#include "io/scene_reader.h"
#include "math/vec.h"
#include "model/track.h"

#include <stdio.h>
#include <string.h>

enum { MARKERS_MAX = 64, ROW = FF_TRACK_WIDTH + 1 };

/* Keys of a track. */
typedef struct track_keys {
  const char *file, *time;
  const char *position[3], *orientation[4], *angles[3];
  const char *markers[MARKERS_MAX];
  ff_vec3 places[MARKERS_MAX]; /* m, of the markers in the body frame */
  int marker_count;
  bool placed;                  /* places are given */
  const char *origin, *forward; /* markers that define the body frame at `reference` */
  const char *follow;           /* marker that alone gives the position; NULL: all */
  double reference;             /* s, in the file; NAN: the first row */
  double rate, start, scale, cutoff;
  bool y_up;
  ff_vec3 offset;
} track_keys;

/* ---- keys ------------------------------------------------------------------------------------ */

static void track_read_names(ff_reader *reader, const ff_node *map, const char *key, int count,
                             const char **out) {
  const ff_node *node = ff_reader_enter(reader, map, key);
  if (!node) {
    return;
  }
  int k = 0;
  for (const ff_node *at = node->first; at && node->kind == FF_NODE_LIST; at = at->next, k++) {
    if (k < count && at->kind == FF_NODE_SCALAR) {
      out[k] = at->text;
    } else {
      k = count;
    }
  }
  if (k != count) {
    ff_reader_fail(reader, node, "must be a list of the names of %d columns", count);
  }
  ff_reader_leave(reader);
}

static void track_read_orientation(ff_reader *reader, const ff_node *map, track_keys *keys) {
  static const char *const forms[] = {"rpy"};
  const ff_node *node = ff_tree_find(map, "orientation");
  if (node && node->kind == FF_NODE_MAP) {
    ff_reader_enter(reader, map, "orientation");
    if (ff_reader_map(reader, node, forms, 1)) {
      ff_reader_require(reader, node, "rpy");
      track_read_names(reader, node, "rpy", 3, keys->angles);
    }
    ff_reader_leave(reader);
  } else {
    track_read_names(reader, map, "orientation", 4, keys->orientation);
  }
}

/* Markers by name with their places, or names alone. */
static void track_read_markers(ff_reader *reader, const ff_node *map, track_keys *keys) {
  const ff_node *node = ff_reader_enter(reader, map, "markers");
  if (!node) {
    return;
  }
  keys->placed = node->kind == FF_NODE_MAP;
  for (const ff_node *at = node->first; at && reader->status == FF_OK; at = at->next) {
    if (keys->marker_count == MARKERS_MAX) {
      ff_reader_fail(reader, node, "at most %d markers", MARKERS_MAX);
    } else if (keys->placed) {
      ff_get_vec3(reader, node, at->key->text, 0, &keys->places[keys->marker_count]);
      keys->markers[keys->marker_count++] = at->key->text;
    } else if (at->kind == FF_NODE_SCALAR) {
      keys->markers[keys->marker_count++] = at->text;
    } else {
      ff_reader_fail(reader, at, "must be the name of a marker");
    }
  }
  if (reader->status == FF_OK && keys->marker_count < 3) {
    ff_reader_fail(reader, node, "a pose needs three markers or more");
  }
  ff_reader_leave(reader);
}

static void track_read_frame(ff_reader *reader, const ff_node *map, track_keys *keys) {
  static const char *const known[] = {"origin", "forward", "time"};
  const ff_node *node = ff_reader_enter(reader, map, "frame");
  if (!node) {
    return;
  }
  if (ff_reader_map(reader, node, known, FF_COUNT(known))) {
    ff_get_text(reader, node, "origin", &keys->origin);
    ff_get_text(reader, node, "forward", &keys->forward);
    ff_get_number(reader, node, "time", 0, &keys->reference);
    if (keys->placed) {
      ff_reader_fail(reader, node, "the places of the markers define the frame already");
    } else if (!keys->origin != !keys->forward) {
      ff_reader_fail(reader, node, "needs both origin and forward, or none of them");
    }
  }
  ff_reader_leave(reader);
}

static void track_read_spring(ff_reader *reader, const ff_node *map, ff_track_def *def) {
  static const char *const known[] = {"stiffness", "damping", "turn-stiffness", "turn-damping"};
  const ff_node *node = ff_reader_enter(reader, map, "spring");
  if (!node) {
    return;
  }
  if (ff_reader_map(reader, node, known, FF_COUNT(known))) {
    ff_reader_require(reader, node, "stiffness");
    ff_get_number(reader, node, "stiffness", 0, &def->stiffness);
    ff_get_number(reader, node, "damping", 0, &def->damping);
    ff_get_number(reader, node, "turn-stiffness", 0, &def->turn_stiffness);
    ff_get_number(reader, node, "turn-damping", 0, &def->turn_damping);
  }
  ff_reader_leave(reader);
}

static void track_read_keys(ff_reader *reader, const ff_node *node, track_keys *keys) {
  static const char *const ups[] = {"z", "y"};
  int up = 0;
  ff_reader_require(reader, node, "file");
  ff_get_text(reader, node, "file", &keys->file);
  ff_get_text(reader, node, "time", &keys->time);
  ff_get_number(reader, node, "rate", 0, &keys->rate);
  ff_get_number(reader, node, "start", 0, &keys->start);
  ff_get_number(reader, node, "scale", 0, &keys->scale);
  ff_get_number(reader, node, "cutoff", 0, &keys->cutoff);
  ff_get_vec3(reader, node, "offset", 0, &keys->offset);
  ff_get_word(reader, node, "up", "axis", ups, 2, &up);
  keys->y_up = up == 1;
  track_read_names(reader, node, "position", 3, keys->position);
  track_read_orientation(reader, node, keys);
  track_read_markers(reader, node, keys);
  track_read_frame(reader, node, keys);
  ff_get_text(reader, node, "follow", &keys->follow);
  if (reader->status == FF_OK && !keys->position[0] == !keys->marker_count) {
    ff_reader_fail(reader, node, "needs either position or markers");
  } else if (keys->marker_count > 0 && (keys->orientation[0] || keys->angles[0])) {
    ff_reader_fail(reader, node, "markers define the orientation too");
  } else if ((!isnan(keys->rate) && !(keys->rate > 0)) ||
             (!isnan(keys->cutoff) && !(keys->cutoff > 0)) || !(keys->scale > 0)) {
    ff_reader_fail(reader, node, "rate, cutoff and scale must be greater than 0");
  }
}

/* ---- columns --------------------------------------------------------------------------------- */

/* Fails at a key of the track with what is wrong in its file. */
static void track_blame(ff_reader *reader, const ff_node *node, const char *key,
                        const ff_report *why) {
  const ff_node *at = ff_reader_enter(reader, node, key);
  char near[160] = "";
  if (why->nearest[0]) {
    snprintf(near, sizeof near, "; did you mean '%.80s'?", why->nearest);
  }
  if (why->line > 0) {
    ff_reader_fail(reader, at ? at : node, "%.150s, line %d: %.200s", why->file, why->line,
                   why->what);
  } else {
    ff_reader_fail(reader, at ? at : node, "%.300s%s", why->what, near);
  }
  if (at) {
    ff_reader_leave(reader);
  }
}

static void track_find(ff_reader *reader, const ff_node *node, const char *key,
                       const ff_measured *data, const char *const *names, int count, int *columns) {
  for (int i = 0; i < count && reader->status == FF_OK && names[0]; i++) {
    ff_report why = {0};
    columns[i] = ff_measured_find(data, names[i], &why);
    if (columns[i] < 0) {
      track_blame(reader, node, key, &why);
    }
  }
}

/* Column of a marker's coordinate: M.x, M_x, M_x_m, M:x or Mx, also with capitals; -1: none. */
static int track_find_marker(const ff_measured *data, const char *marker, int axis) {
  static const char *const middles[] = {".", "_", "_", ":", ""}, *const ends[] = {"", "", "_m", "",
                                                                                  ""};
  for (int f = 0; f < 2 * FF_COUNT(middles); f++) {
    char name[256], letter = (f % 2 ? "XYZ" : "xyz")[axis];
    snprintf(name, sizeof name, "%.200s%s%c%s", marker, middles[f / 2], letter, ends[f / 2]);
    for (int i = 0; i < data->count; i++) {
      if (strcmp(data->names[i], name) == 0) {
        return i;
      }
    }
  }
  return -1;
}

/* ---- rows ------------------------------------------------------------------------------------ */

typedef struct track_source {
  const track_keys *keys;
  const ff_measured *data;
  int time, position[3], orientation[4], angles[3], markers[MARKERS_MAX][3];
  int follow; /* marker that alone gives the position; -1: all */
  ff_vec3 places[MARKERS_MAX];
} track_source;

/* World vector of three cells of a row; NAN if one is missing. */
static ff_vec3 track_vector(const track_source *from, long row, const int columns[3]) {
  const double *v = from->data->values + row * from->data->count;
  ff_vec3 out = v3_scale(from->keys->scale, v3(v[columns[0]], v[columns[1]], v[columns[2]]));
  return from->keys->y_up ? v3(out.x, -out.z, out.y) : out;
}

/* OpenSim's y up to z up: a turn by 90 degrees about x. */
static ff_quat track_up(const track_source *from, ff_quat q) {
  ff_quat turn = q_exp(v3(0.5 * ff_pi, 0, 0));
  return from->keys->y_up ? q_mul(q_mul(turn, q), q_conj(turn)) : q;
}

static ff_quat track_orientation(const track_source *from, long row) {
  const double *v = from->data->values + row * from->data->count;
  if (from->keys->orientation[0]) {
    const int *c = from->orientation;
    return track_up(from, (ff_quat){v[c[0]], v[c[1]], v[c[2]], v[c[3]]});
  }
  if (!from->keys->angles[0]) {
    return q_identity();
  }
  double unit = from->data->degrees ? ff_pi / 180 : 1;
  ff_quat roll = q_exp(v3(unit * v[from->angles[0]], 0, 0));
  ff_quat pitch = q_exp(v3(0, unit * v[from->angles[1]], 0));
  ff_quat yaw = q_exp(v3(0, 0, unit * v[from->angles[2]]));
  return track_up(from, q_mul(yaw, q_mul(pitch, roll)));
}

/* Pose of a row; false if too much is missing. */
static bool track_pose(const track_source *from, long row, ff_pose *out) {
  if (from->keys->marker_count == 0) {
    *out = (ff_pose){track_vector(from, row, from->position), track_orientation(from, row)};
    return v3_finite(out->position) && isfinite(q_norm(out->orientation));
  }
  ff_vec3 local[MARKERS_MAX], world[MARKERS_MAX];
  int count = 0;
  for (int i = 0; i < from->keys->marker_count; i++) {
    world[count] = track_vector(from, row, from->markers[i]);
    local[count] = from->places[i];
    count += v3_finite(world[count]);
  }
  if (!ff_marker_pose(out, local, world, count)) {
    return false;
  }
  if (from->follow >= 0) {
    ff_vec3 arm = q_rotate(out->orientation, from->places[from->follow]);
    out->position = v3_sub(track_vector(from, row, from->markers[from->follow]), arm);
  }
  return v3_finite(out->position);
}

static double track_time(const track_source *from, long row) {
  double first = from->data->values[from->time];
  double t = from->data->values[row * from->data->count + from->time];
  t = isnan(from->keys->rate) ? t : first + (double)row / from->keys->rate;
  return t - (isnan(from->keys->start) ? first : from->keys->start);
}

static int track_marker(const track_keys *keys, const char *name) {
  for (int i = 0; i < keys->marker_count; i++) {
    if (strcmp(keys->markers[i], name) == 0) {
      return i;
    }
  }
  return -1;
}

/* Places of the markers from one row: in a frame with z up, its origin and x by two markers, or
 * else their mean and the world's x. */
static void track_place(ff_reader *reader, const ff_node *node, track_source *from) {
  const track_keys *keys = from->keys;
  double wanted = keys->reference, least = INFINITY;
  long row = 0;
  for (long i = 0; i < from->data->rows && !isnan(wanted); i++) {
    double t = from->data->values[i * from->data->count + from->time];
    if (fabs(t - wanted) < least) {
      least = fabs(t - wanted);
      row = i;
    }
  }
  ff_vec3 mean = {0}, x = v3(1, 0, 0), world[MARKERS_MAX];
  for (int i = 0; i < keys->marker_count; i++) {
    world[i] = track_vector(from, row, from->markers[i]);
    mean = v3_axpy(mean, 1.0 / keys->marker_count, world[i]);
  }
  if (keys->origin) {
    int a = track_marker(keys, keys->origin), b = track_marker(keys, keys->forward);
    if (a < 0 || b < 0 || a == b) {
      ff_reader_fail(reader, node, "frame: origin and forward must be two of the markers");
      return;
    }
    mean = world[a];
    x = v3_sub(world[b], world[a]);
  }
  double heading = ff_atan2(x.y, x.x);
  for (int i = 0; i < keys->marker_count; i++) {
    from->places[i] = q_unrotate(q_exp(v3(0, 0, heading)), v3_sub(world[i], mean));
  }
  if (!v3_finite(mean)) {
    ff_reader_fail(reader, node,
                   "a marker is missing in the row that defines the frame; set "
                   "frame.time");
  }
}

static void track_columns(ff_reader *reader, const ff_node *node, track_source *from) {
  const track_keys *keys = from->keys;
  ff_report why = {0};
  from->time = ff_measured_time(from->data, keys->time, &why);
  if (from->time < 0) {
    track_blame(reader, node, "time", &why);
  }
  track_find(reader, node, "position", from->data, keys->position, 3, from->position);
  track_find(reader, node, "orientation", from->data, keys->orientation, 4, from->orientation);
  track_find(reader, node, "orientation", from->data, keys->angles, 3, from->angles);
  for (int i = 0; i < keys->marker_count && reader->status == FF_OK; i++) {
    for (int k = 0; k < 3; k++) {
      from->markers[i][k] = track_find_marker(from->data, keys->markers[i], k);
    }
    if (from->markers[i][0] < 0 || from->markers[i][1] < 0 || from->markers[i][2] < 0) {
      ff_reader_fail(reader, node, "marker '%.60s' has no columns like %.60s.x in %.150s",
                     keys->markers[i], keys->markers[i], keys->file);
    }
  }
  memcpy(from->places, keys->places, sizeof from->places);
  from->follow = keys->follow ? track_marker(keys, keys->follow) : -1;
  if (keys->follow && from->follow < 0) {
    ff_reader_fail(reader, node, "follow: must be one of the markers");
  }
  if (reader->status == FF_OK && keys->marker_count > 0 && !keys->placed) {
    track_place(reader, node, from);
  }
}

static void track_fill(ff_reader *reader, const ff_node *node, const track_source *from,
                       ff_table *out) {
  double *rows = ff_arena_take(reader->arena, (size_t)from->data->rows * ROW, sizeof *rows);
  int count = 0;
  if (!rows) {
    ff_reader_take(reader, FF_ERROR_MEMORY);
    return;
  }
  for (long r = 0; r < from->data->rows; r++) {
    ff_pose pose;
    if (track_pose(from, r, &pose)) {
      double *to = rows + (size_t)count++ * ROW;
      to[0] = track_time(from, r);
      v3_store(to + 1, v3_add(pose.position, from->keys->offset));
      to[4] = pose.orientation.w;
      v3_store(to + 5, v3(pose.orientation.x, pose.orientation.y, pose.orientation.z));
      if (count > 1 && !(to[0] > to[-ROW])) {
        ff_reader_fail(reader, node, "times in %.150s must increase; row %ld does not",
                       from->keys->file, r + 1);
        return;
      }
    }
  }
  if (count < 4 || !ff_track_align(rows, count)) {
    ff_reader_fail(reader, node, "%.150s has fewer than 4 rows with a whole pose",
                   from->keys->file);
    return;
  }
  *out = (ff_table){rows, count, FF_TRACK_WIDTH};
}

/* ---- smoothing ------------------------------------------------------------------------------- */

/* One pass of a Butterworth filter of second order over every component; direction -1: backwards.
 * It starts at rest on the first value that it meets. */
static void track_pass(double *rows, int count, double cutoff, double interval, int direction) {
  double c = 1 / ff_tan(ff_pi * cutoff * interval), root = sqrt(2.0);
  double a0 = c * c + root * c + 1, a1 = 2 * (1 - c * c) / a0, a2 = (c * c - root * c + 1) / a0;
  for (int k = 1; k < ROW; k++) {
    double *at = rows + (direction > 0 ? 0 : (size_t)(count - 1) * ROW) + k;
    double x1 = *at, x2 = *at, y1 = *at, y2 = *at;
    for (int i = 0; i < count; i++, at += direction * ROW) {
      double x = *at, y = (x + 2 * x1 + x2) / a0 - a1 * y1 - a2 * y2;
      x2 = x1;
      x1 = x;
      y2 = y1;
      y1 = y;
      *at = y;
    }
  }
}

/* Fourth order without lag: equal intervals, continued at both ends by reflection in the end
 * points, forwards and backwards. Two passes reach -3 dB at 0.802 of the cutoff of one (Winter,
 * Biomechanics and Motor Control, sec. 3.4.4.2). */
static void track_smooth(ff_reader *reader, const ff_node *node, double cutoff, ff_table *table) {
  int n = table->rows, pad = n - 1;
  double first = table->values[0], last = table->values[(size_t)(n - 1) * ROW];
  double interval = (last - first) / (n - 1), single = cutoff / 0.802;
  size_t whole = (size_t)(n + 2 * pad);
  double *bends = ff_arena_take(reader->arena, (size_t)n * FF_TRACK_WIDTH, sizeof *bends);
  double *work = ff_arena_take(reader->arena, (size_t)n, sizeof *work);
  double *rows = ff_arena_take(reader->arena, whole * ROW, sizeof *rows);
  if (!bends || !work || !rows) {
    ff_reader_take(reader, FF_ERROR_MEMORY);
    return;
  }
  if (!(single * interval < 0.45)) {
    ff_reader_fail(reader, node, "cutoff: %g Hz is too near half the rate of the rows, %g Hz",
                   cutoff, 0.5 / interval);
    return;
  }
  ff_track_bends(table->values, n, FF_TRACK_WIDTH, bends, work);
  double *inner = rows + (size_t)pad * ROW;
  for (int i = 0; i < n; i++) {
    double rate[FF_TRACK_WIDTH], bend[FF_TRACK_WIDTH], *to = inner + (size_t)i * ROW;
    to[0] = i + 1 < n ? first + i * interval : last;
    ff_track_spline(table->values, bends, n, FF_TRACK_WIDTH, to[0], to + 1, rate, bend);
  }
  for (int i = 1; i <= pad; i++) {
    for (int k = 1; k < ROW; k++) {
      size_t j = (size_t)i * ROW, end = (size_t)(n - 1) * ROW, column = (size_t)k;
      rows[(size_t)(pad - i) * ROW + column] = 2 * inner[column] - inner[j + column];
      inner[end + j + column] = 2 * inner[end + column] - inner[end - j + column];
    }
  }
  track_pass(rows, (int)whole, single, interval, 1);
  track_pass(rows, (int)whole, single, interval, -1);
  table->values = inner;
}

/* ---- a track --------------------------------------------------------------------------------- */

static void track_load(ff_reader *reader, const ff_node *node, const track_keys *keys,
                       ff_track_def *out) {
  char folder[FF_MESH_PATH_MAX], path[FF_MESH_PATH_MAX];
  ff_report why = {0};
  ff_measured data = {0};
  ff_reader_folder(reader, folder);
  ff_status status = ff_mesh_find(path, keys->file, folder, folder, &why);
  status = status == FF_OK ? ff_measured_read(&data, path, &why) : status;
  if (status == FF_ERROR_MEMORY) {
    ff_reader_take(reader, status);
  } else if (status != FF_OK) {
    track_blame(reader, node, "file", &why);
  } else {
    ff_reader_take(reader, ff_scene_add_read(reader->scene, path));
    track_source from = {.keys = keys, .data = &data};
    track_columns(reader, node, &from);
    if (reader->status == FF_OK) {
      track_fill(reader, node, &from, &out->poses);
    }
  }
  ff_measured_free(&data);
}

bool ff_read_track(ff_reader *reader, const ff_node *map, ff_track_def *out) {
  static const char *const known[] = {"file",   "time",     "rate",        "start",   "scale",
                                      "up",     "position", "orientation", "markers", "frame",
                                      "follow", "offset",   "cutoff",      "spring"};
  const ff_node *node = ff_reader_enter(reader, map, "track");
  if (!node) {
    return false;
  }
  track_keys keys = {.reference = NAN, .rate = NAN, .start = NAN, .scale = 1, .cutoff = NAN};
  if (ff_reader_map(reader, node, known, FF_COUNT(known))) {
    track_read_keys(reader, node, &keys);
    track_read_spring(reader, node, out);
  }
  if (reader->status == FF_OK) {
    track_load(reader, node, &keys, out);
  }
  if (reader->status == FF_OK && !isnan(keys.cutoff)) {
    track_smooth(reader, node, keys.cutoff, &out->poses);
  }
  ff_reader_leave(reader);
  return true;
}
