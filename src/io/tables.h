/* Rows of the tables of a recording: events, and contacts of each sample. As in memory, in the log
 * of a run under way, and (without gaps) in HDF5. */
#ifndef FF_IO_TABLES_H
#define FF_IO_TABLES_H

#include "footfall/io.h"

typedef struct ff_event_row {
  double time;                    /* s */
  int32_t kind, a, b;             /* ff_event_kind, bodies from 1 */
  int32_t robot, joint, reserved; /* from 1; 0: none */
  double speed, peak_force, peak_time, peak_depth, impulse;
} ff_event_row;

typedef struct ff_contact_row {
  double time; /* s, end of the step that the sample was taken in */
  int64_t sample;
  int32_t a, b, shape_a, shape_b, feature, mode; /* numbers from 1, except the feature */
  ff_vec3 point, normal, force, moment;          /* world; force and moment about the point, on a */
  double depth, depth_rate, force_n, slip[2];
} ff_contact_row;

ff_event_row ff_event_row_of(const ff_event *event);
ff_contact_row ff_contact_row_of(const ff_contact *contact, double time, long sample);

/* A table in an HDF5 file: its rows go there when its buffer is full. */
typedef struct ff_hdf5_table ff_hdf5_table;
typedef enum ff_table_kind { FF_TABLE_EVENTS, FF_TABLE_CONTACTS, FF_TABLE_COUNT } ff_table_kind;

size_t ff_table_row_size(ff_table_kind kind);

#endif
