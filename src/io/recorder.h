/* Internals of recorders and recordings: one struct each, one table of functions per format. */
#ifndef FF_IO_RECORDER_H
#define FF_IO_RECORDER_H

#include "base/file.h"
#include "footfall/io.h"
#include "io/tables.h"

/* ---- writing --------------------------------------------------------------------------------- */

typedef struct ff_recorder_format ff_recorder_format;

struct ff_recorder {
  const ff_recorder_format *format;
  ff_file *file;
  int count;        /* channels */
  long rows;        /* rows added so far */
  void *state;      /* data of the format */
  char *incomplete; /* reason; NULL: complete */
};

/* A format writes into recorder->file, which stores write errors. */
struct ff_recorder_format {
  const char *ending; /* ".csv" */
  /* Checks that the format can hold these channels; NULL: any. */
  ff_status (*check)(const ff_recording_info *info, const char *path, ff_report *report);
  /* Creates the state and writes the header. On failure drop is called. */
  ff_status (*begin)(ff_recorder *recorder, const ff_recording_info *info);
  /* Adds a row without allocation (except, for HDF5, .sto and .mot, when their buffers double). */
  ff_status (*add)(ff_recorder *recorder, const double *row);
  /* Adds a row to a table (io/tables.h); NULL: the format has none. */
  ff_status (*add_to)(ff_recorder *recorder, ff_table_kind table, const void *row);
  /* Writes the remaining data, then frees the state in any case. */
  ff_status (*finish)(ff_recorder *recorder, const char *summary);
  /* Frees the state. */
  void (*drop)(ff_recorder *recorder);
  /* Ending of a second file, with the same name otherwise, which appears together with the first;
   * NULL: none. It is written when the recorder is created. */
  const char *second_ending;
  ff_status (*write_second)(ff_file *second, const ff_recording_info *info, const char *path);
};

extern const ff_recorder_format ff_recorder_csv;
extern const ff_recorder_format ff_recorder_hdf5;
extern const ff_recorder_format ff_recorder_sto;
extern const ff_recorder_format ff_recorder_mot;

/* Adds a row as it is in the log. */
ff_status ff_recorder_add_to(ff_recorder *recorder, ff_table_kind table, const void *row);

/* ---- reading --------------------------------------------------------------------------------- */

/* Limits for files that are read: a bound for memory. */
enum { FF_RECORDING_CHANNELS_MAX = 1 << 20, FF_RECORDING_NAME_MAX = 1 << 12 };

struct ff_recording {
  ff_recording_info info; /* points to the texts below */
  char *scene, *file, *summary, *incomplete;
  char **names, **units; /* info.count each */
  double **columns;      /* info.count of rows values each */
  long rows;
  size_t capacity; /* of each column; only of a recording that grows */
};

/* Allocates count channels, owned by the recording. */
ff_status ff_recording_reserve(ff_recording *recording, int count);

/* A recording in memory, which grows by rows: copies the texts of info. */
ff_status ff_recording_create(ff_recording **out, const ff_recording_info *info);
/* Appends a row of info.count values. */
ff_status ff_recording_add(ff_recording *recording, const double *row);
/* Sets summary and reason of an early end (NULL: none). */
ff_status ff_recording_finish(ff_recording *recording, const char *summary, const char *incomplete);

/* Fill an empty recording; on failure the caller frees its contents. */
ff_status ff_recording_read_csv(ff_recording *recording, const char *path, ff_report *report);
ff_status ff_recording_read_sto(ff_recording *recording, const char *path, ff_report *report);
ff_status ff_recording_read_hdf5(ff_recording *recording, const char *path, ff_report *report);

ff_status ff_recording_read_log(ff_recording *recording, const char *path, ff_report *report);

/* Sets what and the file; returns FF_ERROR_INPUT. */
ff_status ff_recording_bad(ff_report *report, const char *path, const char *what);

/* Does the path have this extension? */
bool ff_path_ends(const char *path, const char *ending);

#endif
