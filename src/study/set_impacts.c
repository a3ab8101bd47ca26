/* Planar impacts of an ellipse and of a square (Fazeli): a table of states before and after, or the
 * original MATLAB file. In the data x runs against the angle. */
#include "base/report.h"
#include "io/measured.h"
#include "math/elementary.h"
#include "study/set.h"

#include <math.h>
#include <string.h>

/* Before the body touches: distance from the plate, m. */
static const double impact_gap = 1e-6;

static const char impact_names[] = "impact,theta,z,vx,vz,w,vx1,vz1,rw1,speed";

typedef struct impact_shape {
  const char *file, *original; /* parts of names of files */
  double half[2];              /* m, semi-axes of an ellipse or half widths of a square */
  bool square;
} impact_shape;

typedef struct impact_row {
  double states[12]; /* x y theta and their rates before, the same after */
  bool flagged;      /* doubtful */
} impact_row;

typedef struct impact_reader {
  const impact_shape *shape;
  ff_set_table *table;
  impact_row row;
  int element, rows;
} impact_reader;

/* Radius of gyration about the normal of the plane. */
static double impact_gyration(const impact_shape *shape) {
  double square = shape->half[0] * shape->half[0] + shape->half[1] * shape->half[1];
  return sqrt(square / (shape->square ? 3 : 4));
}

/* Height of the centre over the lowest point. */
static double impact_height(const impact_shape *shape, double angle) {
  double s = shape->half[0] * ff_sin(angle), c = shape->half[1] * ff_cos(angle);
  return shape->square ? fabs(s) + fabs(c) : sqrt(s * s + c * c);
}

static void impact_add(impact_reader *reader, double number) {
  const double *s = reader->row.states;
  double r = impact_gyration(reader->shape);
  double speed = sqrt(s[3] * s[3] + s[4] * s[4] + r * r * s[5] * s[5]);
  double out[10] = {number, s[2],  impact_height(reader->shape, s[2]) + impact_gap,
                    s[3],   s[4],  s[5],
                    s[9],   s[10], r * s[11],
                    speed};
  if (!reader->row.flagged) {
    ff_set_table_row(reader->table, out, 10);
    reader->rows++;
  }
}

static void impact_take_field(void *context, int element, const char *field, const double *values,
                              int count) {
  impact_reader *reader = context;
  if (element != reader->element) {
    impact_add(reader, reader->element);
    reader->row = (impact_row){0};
    reader->element = element;
  }
  if (strcmp(field, "states") == 0 && count == 12) {
    memcpy(reader->row.states, values, sizeof reader->row.states);
  } else if (strcmp(field, "flags") == 0) {
    for (int i = 0; i < count; i++) {
      reader->row.flagged |= values[i] != 0;
    }
  }
}

static ff_status impact_read_table(const char *path, impact_reader *reader, ff_report *report) {
  static const char *const names[] = {"x_pre_m",    "y_pre_m",   "theta_pre_rad", "vx_pre",
                                      "vy_pre",     "omega_pre", "x_post",        "y_post",
                                      "theta_post", "vx_post",   "vy_post",       "omega_post"};
  ff_measured in;
  int columns[12];
  ff_status status = ff_measured_read(&in, path, report);
  if (status != FF_OK) {
    return status;
  }
  for (int k = 0; k < 12 && status == FF_OK; k++) {
    columns[k] = ff_measured_find(&in, names[k], report);
    status = columns[k] >= 0 ? FF_OK : FF_ERROR_INPUT;
  }
  for (long r = 0; r < in.rows && status == FF_OK; r++) {
    const double *row = in.values + r * in.count;
    reader->row = (impact_row){0};
    for (int k = 0; k < 12; k++) {
      reader->row.states[k] = row[columns[k]];
    }
    for (int k = 0; k < in.count; k++) {
      reader->row.flagged |= strncmp(in.names[k], "flag", 4) == 0 && row[k] != 0;
    }
    impact_add(reader, row[0]);
  }
  ff_measured_free(&in);
  return status;
}

static ff_status impact_read_file(const char *folder, const char *name, impact_reader *reader,
                                  ff_report *report) {
  char path[FF_SET_PATH];
  ff_set_path(path, folder, name);
  if (!strstr(name, ".mat")) {
    return impact_read_table(path, reader, report);
  }
  reader->row = (impact_row){0};
  reader->element = 0;
  ff_status status = ff_matlab_read(path, impact_take_field, reader, report);
  if (status == FF_OK) {
    impact_add(reader, reader->element);
  }
  return status;
}

static ff_status impact_load(const impact_shape *shape, const char *folder, const char *work,
                             const char *prefix, ff_report *report) {
  ff_set_table table;
  char file[64];
  ff_status status = ff_set_table_open(&table, impact_names);
  if (status != FF_OK) {
    return status;
  }
  impact_reader reader = {.shape = shape, .table = &table};
  static const char *const endings[] = {".csv", ".mat"};
  for (int pass = 0; pass < 2 && status == FF_OK; pass++) {
    char **names;
    int count;
    status = ff_set_list(folder, endings[pass], &names, &count, report);
    for (int i = 0; i < count && status == FF_OK; i++) {
      if (strstr(names[i], pass == 0 ? shape->file : shape->original)) {
        status = impact_read_file(folder, names[i], &reader, report);
      }
    }
    ff_set_free_names(names, count);
  }
  snprintf(file, sizeof file, "%.50s.csv", prefix);
  ff_report why = {0};
  ff_status written = ff_set_table_close(&table, work, file, status == FF_OK ? report : &why);
  status = status == FF_OK ? written : status;
  if (status == FF_OK && reader.rows == 0) {
    status = ff_report_what(report,
                            "%.300s has no impacts: neither a file %s*.mat nor a table "
                            "*%s*.csv",
                            folder, shape->original, shape->file);
  }
  return status;
}

ff_status ff_set_load_ellipse(const char *folder, const char *work, const char *prefix,
                              ff_report *report) {
  static const impact_shape ellipse = {"ellipse", "ellipse_uniform", {0.035, 0.025}, false};
  return impact_load(&ellipse, folder, work, prefix, report);
}

ff_status ff_set_load_square(const char *folder, const char *work, const char *prefix,
                             ff_report *report) {
  static const impact_shape square = {"square", "squareDataPhilUpdated", {0.03, 0.03}, true};
  return impact_load(&square, folder, work, prefix, report);
}
