/* Inside of recorders and recordings: one struct each, one table of functions a format. */
#ifndef FF_IO_RECORDER_H
#define FF_IO_RECORDER_H

#include "base/file.h"
#include "footfall/io.h"

/* ---- writing ------------------------------------------------------------------- */

typedef struct ff_recorder_format ff_recorder_format;

struct ff_recorder {
  const ff_recorder_format *format;
  ff_file *file;
  int count;   /* channels */
  long rows;   /* added so far */
  void *state; /* the format's own */
};

/* A format writes into recorder->file. A failed write is remembered there. */
struct ff_recorder_format {
  const char *ending; /* ".csv" */
  /* Can it hold these channels? May be NULL: any. */
  ff_status (*check)(const ff_recording_info *info, const char *path, ff_report *report);
  /* Makes the state and writes the head. On failure drop is called. */
  ff_status (*begin)(ff_recorder *recorder, const ff_recording_info *info);
  /* Adds a row without allocating (HDF5 and .sto: but when what they hold has doubled). */
  ff_status (*add)(ff_recorder *recorder, const double *row);
  /* Writes what is left, then frees the state in any case. */
  ff_status (*finish)(ff_recorder *recorder, const char *summary);
  /* Frees the state. */
  void (*drop)(ff_recorder *recorder);
};

extern const ff_recorder_format ff_recorder_csv;
extern const ff_recorder_format ff_recorder_hdf5;
extern const ff_recorder_format ff_recorder_sto;

/* ---- reading -------------------------------------------------------------------- */

/* More than this is no recording of ours: a bound for memory. */
enum { FF_RECORDING_CHANNELS_MAX = 1 << 20, FF_RECORDING_NAME_MAX = 1 << 12 };

struct ff_recording {
  ff_recording_info info; /* what the texts below say */
  char *scene, *file, *summary;
  char **names, **units; /* info.count each */
  double **columns;      /* info.count of rows values each */
  long rows;
};

/* Makes room for count channels; what was made stays with the recording. */
ff_status ff_recording_reserve(ff_recording *recording, int count);

/* Fill an empty recording; what they leave behind on failure is freed by the caller. */
ff_status ff_recording_read_csv(ff_recording *recording, const char *path, ff_report *report);
ff_status ff_recording_read_hdf5(ff_recording *recording, const char *path, ff_report *report);

/* Sets what and the file; FF_ERROR_INPUT. */
ff_status ff_recording_bad(ff_report *report, const char *path, const char *what);

/* Does the path end so? */
bool ff_path_ends(const char *path, const char *ending);

#endif
