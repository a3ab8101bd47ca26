/* Stance phases of walking (BMClab): tables of markers at a foot and of the force under it, in m
 * with z up, or the original files in mm with y up: text files, or markers (.trc) beside the forces
 * of several plates (.forces). Left feet are mirrored. */
#include "base/report.h"
#include "io/measured.h"
#include "study/set.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

enum { HEEL, ANKLE, MT1, MT5, MARKERS, COLUMNS = 2 + 3 * MARKERS + 3 };

/* A foot carries this share of the body's weight, on average over its stance: half of it over the
 * stride, and stance is 62 % of the stride [Perry92]. */
static const double stance_share = 0.5 / 0.62;
static const double stance_loaded = 20;   /* N, while the foot is on the plate */
static const double stance_margin = 0.06; /* s, kept before and after */

static const char stance_names[] =
    "t,flat,heel_x,heel_y,heel_z,ankle_x,ankle_y,ankle_z,mt1_x,mt1_y,"
    "mt1_z,mt5_x,mt5_y,mt5_z,fx,fy,fz,weight";

/* A layout: how columns are called and turned to x forward, y left, z up, in m. */
typedef struct stance_layout {
  const char *markers[MARKERS]; /* with the axis appended: "R_Heel_%c_m" */
  const char *force;            /* the same */
  bool vertical_y;              /* y is up */
  double unit;                  /* m, of lengths */
  bool left;
} stance_layout;

static const stance_layout layouts[] = {
    {{"R_Heel_%c_m", "R_Ankle_%c_m", "R_MT1_%c_m", "R_MT5_%c_m"}, "F%c_N", false, 1, false},
    {{"L_Heel_%c_m", "L_Ankle_%c_m", "L_MT1_%c_m", "L_MT5_%c_m"}, "F%c_N", false, 1, true},
    {{"CA_%c_m", "LM_%c_m", "FM_%c_m", "VM_%c_m"}, "F%c_N", false, 1, false},
    {{"CA%c", "LM%c", "FM%c", "VM%c"}, "F%c", true, 1e-3, false},
};

/* Of a .trc file (in m when read), with the columns of a plate added by stance_add_plate. */
static const stance_layout marker_layouts[] = {
    {{"R.Heel.%c", "R.Ankle.%c", "R.MT1.%c", "R.MT5.%c"}, "F%c", true, 1, false},
    {{"L.Heel.%c", "L.Ankle.%c", "L.MT1.%c", "L.MT5.%c"}, "F%c", true, 1, true},
};

/* Column of a quantity along x, y and z (0 to 2) and its factor. */
static int stance_column(const ff_measured *in, const char *pattern, int axis, bool vertical_y,
                         double unit, double *factor) {
  static const char original[] = {'x', 'z', 'y'};
  char name[64], letter = vertical_y ? original[axis] : (char)('x' + axis);
  const char *mark = strstr(pattern, "%c");
  snprintf(name, sizeof name, "%.*s%c%s", (int)(mark - pattern), pattern, letter, mark + 2);
  *factor = (vertical_y ? unit : 1) * (vertical_y && axis == 1 ? -1 : 1);
  return ff_measured_find(in, name, NULL);
}

typedef struct stance_columns {
  int at[3 * MARKERS + 3];
  double factor[3 * MARKERS + 3];
} stance_columns;

static bool stance_find(const ff_measured *in, const stance_layout *layout, stance_columns *out) {
  for (int q = 0; q <= MARKERS; q++) {
    for (int axis = 0; axis < 3; axis++) {
      int k = 3 * q + axis;
      const char *pattern = q < MARKERS ? layout->markers[q] : layout->force;
      out->at[k] = stance_column(in, pattern, axis, layout->vertical_y,
                                 q < MARKERS ? layout->unit : 1, &out->factor[k]);
      if (out->at[k] < 0) {
        return false;
      }
    }
  }
  return true;
}

static double stance_value(const ff_measured *in, const stance_columns *columns, long r, int k) {
  return in->values[r * in->count + columns->at[k]] * columns->factor[k];
}

/* Row in mid-stance where heel and ball move least: the foot is flat. */
static long stance_flat(const ff_measured *in, const stance_columns *columns, long first,
                        long last) {
  long best = (first + last) / 2;
  double least = INFINITY;
  for (long r = first + (last - first) / 6; r < first + (last - first) * 6 / 10; r++) {
    double speed = 0;
    for (int m = 0; m < MARKERS && r >= 3 && r + 3 < in->rows; m++) {
      double change =
          stance_value(in, columns, r + 3, 3 * m + 2) - stance_value(in, columns, r - 3, 3 * m + 2);
      speed += m == ANKLE ? 0 : change * change;
    }
    if (speed < least) {
      least = speed;
      best = r;
    }
  }
  return best;
}

static ff_status stance_write(const ff_measured *in, int time, const stance_columns *columns,
                              bool mirrored, ff_set_table *table) {
  long first = -1, last = -1, loaded = 0;
  double sum = 0;
  for (long r = 0; r < in->rows; r++) {
    double force = stance_value(in, columns, r, 3 * MARKERS + 2);
    if (force > stance_loaded) {
      first = first < 0 ? r : first;
      last = r;
      sum += force;
      loaded++;
    }
  }
  if (loaded < 20) {
    return FF_ERROR_INPUT;
  }
  const double *values = in->values + time;
  double weight = sum / (double)loaded / stance_share;
  double from = values[first * in->count] - stance_margin;
  double to = values[last * in->count] + stance_margin;
  double flat = values[stance_flat(in, columns, first, last) * in->count];
  for (long r = 0; r < in->rows; r++) {
    double t = values[r * in->count], row[COLUMNS + 1] = {t, flat};
    if (t < from || t > to) {
      continue;
    }
    for (int k = 0; k < 3 * MARKERS + 3; k++) {
      double value = stance_value(in, columns, r, k);
      row[2 + k] = mirrored && k % 3 == 1 ? -value : value;
    }
    row[COLUMNS] = weight;
    ff_set_table_row(table, row, COLUMNS + 1);
  }
  return FF_OK;
}

/* One stance as PREFIX-NAME.csv. FF_ERROR_INPUT: it has too few rows with a load. */
static ff_status stance_make(const ff_measured *in, const stance_columns *columns, bool mirrored,
                             const char *work, const char *prefix, const char *name,
                             ff_report *report) {
  char target[300];
  ff_set_table table;
  ff_status status = ff_set_table_open(&table, stance_names);
  if (status != FF_OK) {
    return status;
  }
  snprintf(target, sizeof target, "%.40s-%.200s.csv", prefix, name);
  status = stance_write(in, ff_measured_time(in, NULL, NULL), columns, mirrored, &table);
  if (status != FF_OK) {
    ff_set_table_drop(&table);
    return status;
  }
  return ff_set_table_close(&table, work, target, report);
}

/* A table; files in no known layout are skipped. */
static ff_status stance_read_file(const char *folder, const char *name, const char *work,
                                  const char *prefix, int *found, ff_report *report) {
  char path[FF_SET_PATH], stem[256];
  ff_measured in;
  stance_columns columns;
  ff_set_path(path, folder, name);
  ff_status status = ff_measured_read(&in, path, report);
  if (status != FF_OK) {
    return status;
  }
  int layout = 0, count = (int)(sizeof layouts / sizeof *layouts);
  while (layout < count && !stance_find(&in, &layouts[layout], &columns)) {
    layout++;
  }
  if (layout < count) {
    bool mirrored = layouts[layout].left || strstr(name, "_L.") != NULL;
    snprintf(stem, sizeof stem, "%.*s", (int)strcspn(name, "."), name);
    status = stance_make(&in, &columns, mirrored, work, prefix, stem, report);
    if (status == FF_ERROR_INPUT) {
      ff_report_what(report, "%.300s has no stance: 20 rows with more than %g N", name,
                     stance_loaded);
    }
    ++*found;
  }
  ff_measured_free(&in);
  return status;
}

/* ---- markers and force plates ---------------------------------------------------------------- */

/* Column of plate n of a .forces file: FX1, FY1, FZ1 (N), X1, Y1, Z1 (mm), MZ1. */
static int plate_column(const ff_measured *forces, const char *name, int plate) {
  char text[32];
  snprintf(text, sizeof text, "%s%d", name, plate);
  return ff_measured_find(forces, text, NULL);
}

/* Samples of the plates between two of the markers: the rates have no common name in the two files,
 * but both begin and end together. */
static double plate_samples(const ff_measured *markers, const ff_measured *forces) {
  double ratio = (double)forces->rows / (double)markers->rows;
  return ratio > 1 ? floor(ratio + 0.5) : 1;
}

/* The markers with the force of a plate as columns Fx, Fy, Fz: the means over the samples of a
 * frame. */
static ff_status stance_add_plate(ff_measured *out, const ff_measured *markers,
                                  const ff_measured *forces, int plate) {
  static const char *const names[] = {"Fx", "Fy", "Fz"}, *const keys[] = {"FX", "FY", "FZ"};
  *out = (ff_measured){.file = markers->file, .count = markers->count + 3, .rows = markers->rows};
  size_t width = (size_t)out->count;
  out->names = ff_arena_take(&out->arena, width, sizeof *out->names);
  out->values = ff_arena_take(&out->arena, (size_t)out->rows * width, sizeof *out->values);
  if (!out->names || !out->values) {
    return FF_ERROR_MEMORY;
  }
  memcpy(out->names, markers->names, (size_t)markers->count * sizeof *out->names);
  long each = (long)plate_samples(markers, forces);
  for (int k = 0; k < 3; k++) {
    int from = plate_column(forces, keys[k], plate);
    out->names[markers->count + k] = names[k];
    for (long r = 0; r < out->rows; r++) {
      double sum = 0;
      for (long i = 0; i < each; i++) {
        long at = r * each + i < forces->rows ? r * each + i : forces->rows - 1;
        sum += forces->values[at * forces->count + from];
      }
      out->values[(size_t)r * width + (size_t)(markers->count + k)] = sum / (double)each;
    }
  }
  for (long r = 0; r < out->rows; r++) {
    memcpy(out->values + (size_t)r * width, markers->values + r * markers->count,
           (size_t)markers->count * sizeof *out->values);
  }
  return FF_OK;
}

/* Mean distance along the floor (m) of a heel from the centre of pressure in the first tenth of a
 * second under load; INFINITY: the plate is loaded too short, at an end of the file or by turns. */
static double plate_distance(const ff_measured *in, const stance_columns *columns,
                             const ff_measured *forces, int plate) {
  long each = (long)plate_samples(in, forces), first = -1, last = -1, loaded = 0, count = 0;
  int x = plate_column(forces, "X", plate), z = plate_column(forces, "Z", plate);
  double sum = 0;
  for (long r = 0; r < in->rows; r++) {
    if (stance_value(in, columns, r, 3 * MARKERS + 2) > stance_loaded) {
      first = first < 0 ? r : first;
      last = r;
      loaded++;
    }
  }
  if (loaded < 20 || loaded != last - first + 1 || first == 0 || last == in->rows - 1) {
    return INFINITY;
  }
  for (long r = first + 1; r < last && r < first + 15 && r * each < forces->rows; r++, count++) {
    const double *sample = forces->values + r * each * forces->count;
    double forward = 1e-3 * sample[x] - stance_value(in, columns, r, 0);
    double left = -1e-3 * sample[z] - stance_value(in, columns, r, 1);
    sum += sqrt(forward * forward + left * left);
  }
  return sum / (double)count;
}

/* The stance on a plate, if a whole one is there, by the foot that is nearer. */
static ff_status stance_read_plate(const ff_measured *markers, const ff_measured *forces, int plate,
                                   const char *stem, const char *work, const char *prefix,
                                   int *found, ff_report *report) {
  static const double reach = 0.3; /* m */
  ff_measured in;
  stance_columns columns[2];
  double distance[2] = {INFINITY, INFINITY};
  ff_status status = stance_add_plate(&in, markers, forces, plate);
  for (int side = 0; side < 2 && status == FF_OK; side++) {
    if (stance_find(&in, &marker_layouts[side], &columns[side])) {
      distance[side] = plate_distance(&in, &columns[side], forces, plate);
    }
  }
  int side = distance[1] < distance[0];
  if (status == FF_OK && distance[side] < reach) {
    char name[256];
    snprintf(name, sizeof name, "%.150s_plate%d_%c", stem, plate, side ? 'L' : 'R');
    status = stance_make(&in, &columns[side], side == 1, work, prefix, name, report);
    ++*found;
  }
  ff_measured_free(&in);
  return status;
}

/* NAME.trc beside NAME.forces: a stance for each plate that is stepped on. */
static ff_status stance_read_markers(const char *folder, const char *name, const char *work,
                                     const char *prefix, int *found, ff_report *report) {
  char path[FF_SET_PATH], beside[300], stem[256];
  ff_measured markers = {0}, forces = {0};
  snprintf(stem, sizeof stem, "%.*s", (int)strcspn(name, "."), name);
  snprintf(beside, sizeof beside, "%s.forces", stem);
  ff_set_path(path, folder, beside);
  if (access(path, R_OK) != 0) {
    return FF_OK;
  }
  ff_status status = ff_measured_read(&forces, path, report);
  ff_set_path(path, folder, name);
  status = status == FF_OK ? ff_measured_read(&markers, path, report) : status;
  for (int plate = 1; status == FF_OK && plate_column(&forces, "FX", plate) >= 0; plate++) {
    status = stance_read_plate(&markers, &forces, plate, stem, work, prefix, found, report);
  }
  ff_measured_free(&markers);
  ff_measured_free(&forces);
  return status;
}

ff_status ff_set_load_stances(const char *folder, const char *work, const char *prefix,
                              ff_report *report) {
  static const char *const endings[] = {".csv", ".txt", ".trc"};
  int found = 0;
  ff_status status = FF_OK;
  for (int pass = 0; pass < 3 && status == FF_OK; pass++) {
    char **names;
    int count;
    status = ff_set_list(folder, endings[pass], &names, &count, report);
    for (int i = 0; i < count && status == FF_OK; i++) {
      bool table = strncmp(names[i], "stance_", 7) == 0 || strstr(names[i], "gait_");
      status = pass == 2 ? stance_read_markers(folder, names[i], work, prefix, &found, report)
               : table   ? stance_read_file(folder, names[i], work, prefix, &found, report)
                         : FF_OK;
    }
    ff_set_free_names(names, count);
  }
  if (status == FF_OK && found == 0) {
    status = ff_report_what(report,
                            "%.300s has no stance phases: neither stance_*.csv nor "
                            "*gait_*.txt nor NAME.trc beside NAME.forces",
                            folder);
  }
  return status;
}
