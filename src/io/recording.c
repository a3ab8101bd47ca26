/* Reading of recordings: code shared by all formats. */
#include <stdio.h>

#include "base/memory.h"
#include "base/report.h"
#include "io/recorder.h"

ff_status ff_recording_bad(ff_report *report, const char *path, const char *what) {
  ff_report_what(report, "%s", what);
  if (report) {
    snprintf(report->file, sizeof report->file, "%s", path);
  }
  return FF_ERROR_INPUT;
}

ff_status ff_recording_reserve(ff_recording *recording, int count) {
  recording->info.count = count;
  recording->names = ff_alloc((size_t)count, sizeof *recording->names);
  recording->units = ff_alloc((size_t)count, sizeof *recording->units);
  recording->columns = ff_alloc((size_t)count, sizeof *recording->columns);
  return recording->names && recording->units && recording->columns ? FF_OK : FF_ERROR_MEMORY;
}

/* The texts as readers see them. */
static void recording_show_texts(ff_recording *recording) {
  recording->info.scene = recording->scene ? recording->scene : "";
  recording->info.file = recording->file ? recording->file : "";
  recording->info.summary = recording->summary ? recording->summary : "";
  recording->info.incomplete = recording->incomplete ? recording->incomplete : "";
  recording->info.names = (const char *const *)recording->names;
  recording->info.units = (const char *const *)recording->units;
}

ff_status ff_recording_open(ff_recording **out, const char *path, ff_report *report) {
  if (!out) {
    return FF_ERROR_INPUT;
  }
  *out = NULL;
  if (!path) {
    return ff_report_what(report, "there is no name of a file");
  }
  ff_recording *recording = ff_alloc(1, sizeof *recording);
  if (!recording) {
    return FF_ERROR_MEMORY;
  }
  ff_status status = ff_path_ends(path, ".part") ? ff_recording_read_log(recording, path, report)
                     : ff_path_ends(path, ".h5") ? ff_recording_read_hdf5(recording, path, report)
                     : ff_path_ends(path, ".sto") || ff_path_ends(path, ".mot")
                         ? ff_recording_read_sto(recording, path, report)
                         : ff_recording_read_csv(recording, path, report);
  if (status != FF_OK) {
    ff_recording_close(&recording);
    return status;
  }
  recording_show_texts(recording);
  *out = recording;
  return FF_OK;
}

ff_status ff_recording_create(ff_recording **out, const ff_recording_info *info) {
  if (!out) {
    return FF_ERROR_INPUT;
  }
  *out = NULL;
  ff_recording *recording = ff_alloc(1, sizeof *recording);
  if (!recording) {
    return FF_ERROR_MEMORY;
  }
  ff_status status = ff_recording_reserve(recording, info->count);
  for (int i = 0; i < info->count && status == FF_OK; i++) {
    recording->names[i] = ff_strdup(info->names[i]);
    recording->units[i] = ff_strdup(info->units[i]);
    status = recording->names[i] && recording->units[i] ? FF_OK : FF_ERROR_MEMORY;
  }
  recording->scene = ff_strdup(info->scene ? info->scene : "");
  recording->file = ff_strdup(info->file ? info->file : "");
  if (status != FF_OK || !recording->scene || !recording->file) {
    ff_recording_close(&recording);
    return FF_ERROR_MEMORY;
  }
  recording_show_texts(recording);
  *out = recording;
  return FF_OK;
}

ff_status ff_recording_add(ff_recording *recording, const double *row) {
  size_t rows = (size_t)recording->rows, old = recording->capacity;
  if (rows == old) {
    size_t grown = old > 0 ? 2 * old : 256;
    for (int i = 0; i < recording->info.count; i++) {
      double *column = recording->columns[i];
      column =
          column ? ff_resize(column, old, grown, sizeof *column) : ff_alloc(grown, sizeof *column);
      if (!column) { /* columns that have grown already are longer than they need be */
        return FF_ERROR_MEMORY;
      }
      recording->columns[i] = column;
    }
    recording->capacity = grown;
  }
  for (int i = 0; i < recording->info.count; i++) {
    recording->columns[i][rows] = row[i];
  }
  recording->rows++;
  return FF_OK;
}

ff_status ff_recording_finish(ff_recording *recording, const char *summary,
                              const char *incomplete) {
  ff_free(recording->summary);
  ff_free(recording->incomplete);
  recording->summary = ff_strdup(summary ? summary : "");
  recording->incomplete = ff_strdup(incomplete ? incomplete : "");
  recording_show_texts(recording);
  return recording->summary && recording->incomplete ? FF_OK : FF_ERROR_MEMORY;
}

const ff_recording_info *ff_recording_about(const ff_recording *recording) {
  return recording ? &recording->info : NULL;
}

long ff_recording_rows(const ff_recording *recording) {
  return recording ? recording->rows : 0;
}

const double *ff_recording_column(const ff_recording *recording, int index) {
  bool known = recording && index >= 0 && index < recording->info.count;
  return known ? recording->columns[index] : NULL;
}

void ff_recording_close(ff_recording **at) {
  ff_recording *recording = at ? *at : NULL;
  if (!recording) {
    return;
  }
  *at = NULL;
  for (int i = 0; i < recording->info.count; i++) {
    ff_free(recording->names ? recording->names[i] : NULL);
    ff_free(recording->units ? recording->units[i] : NULL);
    ff_free(recording->columns ? recording->columns[i] : NULL);
  }
  ff_free(recording->names);
  ff_free(recording->units);
  ff_free(recording->columns);
  ff_free(recording->scene);
  ff_free(recording->file);
  ff_free(recording->summary);
  ff_free(recording->incomplete);
  ff_free(recording);
}
