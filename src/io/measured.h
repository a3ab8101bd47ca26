/* Tables of measurements from files: .csv, OpenSim .mot and .sto, .trc (markers), .forces (force
 * plates, written beside .trc by motion capture). */
#ifndef FF_IO_MEASURED_H
#define FF_IO_MEASURED_H

#include "base/arena.h"
#include "footfall/status.h"

typedef struct ff_measured {
  ff_arena arena;
  const char *file;
  const char **names; /* of the columns; of a marker M in a .trc file M.x, M.y, M.z */
  int count;
  long rows;
  double *values; /* rows x count; NAN: missing. Lengths of a .trc file in m */
  bool degrees;   /* angles are in degrees, by the header of a .mot or .sto file */
} ff_measured;

/* Format by extension, before which .gz is ignored: compressed files are read as they are. Errors
 * name file and line. */
ff_status ff_measured_read(ff_measured *out, const char *path, ff_report *report);
void ff_measured_free(ff_measured *measured);
/* Index of a column, or -1 and a report that names the nearest. */
int ff_measured_find(const ff_measured *measured, const char *name, ff_report *report);
/* Column of time: the named one, or (name NULL) `time`, `t`, `t_s`, `Time`, else the first. */
int ff_measured_time(const ff_measured *measured, const char *name, ff_report *report);

#endif
