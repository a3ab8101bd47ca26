/* Stance phases of walking (BMClab): tables of markers at a foot and of the force under it, in m
 * with z up, or the original text files in mm with y up. Left feet are mirrored. */
#include "base/report.h"
#include "io/measured.h"
#include "study/set.h"

#include <math.h>
#include <string.h>

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
  bool vertical_y;              /* of mm with y up */
} stance_layout;

static const stance_layout layouts[] = {
    {{"R_Heel_%c_m", "R_Ankle_%c_m", "R_MT1_%c_m", "R_MT5_%c_m"}, "F%c_N", false},
    {{"L_Heel_%c_m", "L_Ankle_%c_m", "L_MT1_%c_m", "L_MT5_%c_m"}, "F%c_N", false},
    {{"CA_%c_m", "LM_%c_m", "FM_%c_m", "VM_%c_m"}, "F%c_N", false},
    {{"CA%c", "LM%c", "FM%c", "VM%c"}, "F%c", true},
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
      out->at[k] = stance_column(in, pattern, axis, layout->vertical_y, q < MARKERS ? 1e-3 : 1,
                                 &out->factor[k]);
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

/* One file as PREFIX-NAME.csv; files in no known layout are skipped. */
static ff_status stance_read_file(const char *folder, const char *name, const char *work,
                                  const char *prefix, int *found, ff_report *report) {
  char path[FF_SET_PATH], target[300];
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
    ff_set_table table;
    bool mirrored = layout == 1 || strstr(name, "_L.") != NULL;
    status = ff_set_table_open(&table, stance_names);
    if (status == FF_OK) {
      status = stance_write(&in, ff_measured_time(&in, NULL, NULL), &columns, mirrored, &table);
      if (status == FF_ERROR_INPUT) {
        ff_report_what(report, "%.300s has no stance: 20 rows with more than %g N", name,
                       stance_loaded);
      }
      snprintf(target, sizeof target, "%.40s-%.*s.csv", prefix, (int)strcspn(name, "."), name);
      ff_report why = {0};
      ff_status written = ff_set_table_close(&table, work, target, status == FF_OK ? report : &why);
      status = status == FF_OK ? written : status;
      ++*found;
    }
  }
  ff_measured_free(&in);
  return status;
}

ff_status ff_set_load_stances(const char *folder, const char *work, const char *prefix,
                              ff_report *report) {
  static const char *const endings[] = {".csv", ".txt"};
  int found = 0;
  ff_status status = FF_OK;
  for (int pass = 0; pass < 2 && status == FF_OK; pass++) {
    char **names;
    int count;
    status = ff_set_list(folder, endings[pass], &names, &count, report);
    for (int i = 0; i < count && status == FF_OK; i++) {
      bool wanted = strncmp(names[i], "stance_", 7) == 0 || strstr(names[i], "gait_");
      status = wanted ? stance_read_file(folder, names[i], work, prefix, &found, report) : FF_OK;
    }
    ff_set_free_names(names, count);
  }
  if (status == FF_OK && found == 0) {
    status = ff_report_what(report,
                            "%.300s has no stance phases: neither stance_*.csv nor "
                            "*gait_*.txt with markers and forces",
                            folder);
  }
  return status;
}
