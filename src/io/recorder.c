/* Recorders: code shared by all formats. */
#include "io/recorder.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/report.h"

bool ff_path_ends(const char *path, const char *ending) {
  size_t length = strlen(path), tail = strlen(ending);
  return length > tail && strcmp(path + length - tail, ending) == 0;
}

/* Format of a path; the standard output gets CSV. */
static const ff_recorder_format *recorder_find_format(const char *path) {
  static const ff_recorder_format *const formats[] = {&ff_recorder_csv, &ff_recorder_hdf5,
                                                      &ff_recorder_sto, &ff_recorder_mot};
  if (strcmp(path, "-") == 0) {
    return &ff_recorder_csv;
  }
  for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
    if (ff_path_ends(path, formats[i]->ending)) {
      return formats[i];
    }
  }
  return NULL;
}

static int recorder_compare_names(const void *a, const void *b) {
  return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Channel names must be distinct. */
static ff_status recorder_check_distinct(const ff_recording_info *info, const char *path,
                                         ff_report *report) {
  size_t count = (size_t)info->count;
  const char **sorted = ff_alloc(count, sizeof *sorted);
  if (!sorted) {
    return FF_ERROR_MEMORY;
  }
  memcpy(sorted, info->names, count * sizeof *sorted);
  qsort(sorted, count, sizeof *sorted, recorder_compare_names);
  ff_status status = FF_OK;
  for (size_t i = 1; i < count && status == FF_OK; i++) {
    if (strcmp(sorted[i - 1], sorted[i]) == 0) {
      status = ff_recording_bad(report, path, "is the name of two channels");
      ff_report_key(report, "%.200s", sorted[i]);
    }
  }
  ff_free(sorted);
  return status;
}

static ff_status recorder_check_info(const ff_recording_info *info, const char *path,
                                     ff_report *report) {
  if (info->count < 1 || info->count > FF_RECORDING_CHANNELS_MAX ||
      strcmp(info->names[0], "time") != 0) {
    return ff_recording_bad(report, path, "the first channel must be 'time'");
  }
  for (int i = 0; i < info->count; i++) {
    size_t length = strlen(info->names[i]);
    if (length == 0 || length >= FF_RECORDING_NAME_MAX || strpbrk(info->names[i], "\r\n")) {
      ff_recording_bad(report, path, "cannot be the name of a channel");
      ff_report_key(report, "%.200s", info->names[i]);
      return FF_ERROR_INPUT;
    }
  }
  return recorder_check_distinct(info, path, report);
}

/* Name of the second file, freed with ff_free; *out is NULL if there is none. */
static ff_status recorder_name_second(const ff_recorder_format *format, char **out,
                                      const char *path) {
  *out = NULL;
  if (!format->second_ending) {
    return FF_OK;
  }
  size_t stem = strlen(path) - strlen(format->ending), tail = strlen(format->second_ending);
  char *second = ff_alloc(stem + tail + 1, 1);
  if (!second) {
    return FF_ERROR_MEMORY;
  }
  memcpy(second, path, stem);
  memcpy(second + stem, format->second_ending, tail + 1);
  *out = second;
  return FF_OK;
}

/* Opens the file, and the second one if the format has such. */
static ff_status recorder_open(ff_recorder *recorder, ff_file **second, const char *path,
                               ff_report *report) {
  char *second_path;
  ff_status status = recorder_name_second(recorder->format, &second_path, path);
  if (status == FF_OK) {
    status = ff_file_create(&recorder->file, path, report);
  }
  if (status == FF_OK && second_path) {
    status = ff_file_create(second, second_path, report);
    if (status == FF_OK) {
      ff_file_join(recorder->file, *second);
    } else {
      ff_file_abandon(recorder->file);
    }
  }
  ff_free(second_path);
  return status;
}

/* Opens the file and writes the header. */
static ff_status recorder_begin(ff_recorder *recorder, const char *path,
                                const ff_recording_info *info, ff_report *report) {
  ff_file *second = NULL;
  ff_status status = recorder_open(recorder, &second, path, report);
  if (status != FF_OK) {
    return status;
  }
  status = recorder->format->begin(recorder, info);
  if (status == FF_OK && second) {
    status = recorder->format->write_second(second, info, path);
  }
  if (status != FF_OK) {
    recorder->format->drop(recorder);
  }
  if (status == FF_ERROR_FILE) {
    ff_file_commit(recorder->file, report); /* failed: removes the file and reports the reason */
  } else if (status != FF_OK) {
    ff_file_abandon(recorder->file);
  }
  return status;
}

ff_status ff_recorder_create(ff_recorder **out, const char *path, const ff_recording_info *info,
                             ff_report *report) {
  if (!out) {
    return FF_ERROR_INPUT;
  }
  *out = NULL;
  const ff_recorder_format *format = recorder_find_format(path);
  if (!format) {
    ff_recording_bad(report, path, "the format of a recording is chosen by its extension");
    ff_report_expected(report, ".csv, .h5, .sto, .mot");
    return FF_ERROR_INPUT;
  }
  ff_status status = recorder_check_info(info, path, report);
  if (status == FF_OK && format->check) {
    status = format->check(info, path, report);
  }
  if (status != FF_OK) {
    return status;
  }
  ff_recorder *recorder = ff_alloc(1, sizeof *recorder);
  if (!recorder) {
    return FF_ERROR_MEMORY;
  }
  recorder->format = format;
  recorder->count = info->count;
  status = recorder_begin(recorder, path, info, report);
  if (status != FF_OK) {
    ff_free(recorder);
    return status;
  }
  *out = recorder;
  return FF_OK;
}

ff_status ff_recorder_add(ff_recorder *recorder, const double *row) {
  if (!recorder || !row) {
    return FF_ERROR_INPUT;
  }
  ff_status status = recorder->format->add(recorder, row);
  recorder->rows += status == FF_OK;
  return status;
}

ff_status ff_recorder_add_to(ff_recorder *recorder, ff_table_kind table, const void *row) {
  return recorder->format->add_to ? recorder->format->add_to(recorder, table, row) : FF_OK;
}

ff_status ff_recorder_add_events(ff_recorder *recorder, const ff_event *events, long count) {
  if (!recorder || count < 0 || (count > 0 && !events)) {
    return FF_ERROR_INPUT;
  }
  ff_status status = FF_OK;
  for (long i = 0; i < count && status == FF_OK; i++) {
    ff_event_row row = ff_event_row_of(&events[i]);
    status = ff_recorder_add_to(recorder, FF_TABLE_EVENTS, &row);
  }
  return status;
}

ff_status ff_recorder_add_contacts(ff_recorder *recorder, double time, const ff_contact *contacts,
                                   int count) {
  if (!recorder || count < 0 || (count > 0 && !contacts)) {
    return FF_ERROR_INPUT;
  }
  ff_status status = FF_OK;
  for (int i = 0; i < count && status == FF_OK; i++) {
    ff_contact_row row = ff_contact_row_of(&contacts[i], time, recorder->rows - 1);
    status = ff_recorder_add_to(recorder, FF_TABLE_CONTACTS, &row);
  }
  return status;
}

ff_status ff_recorder_mark(ff_recorder *recorder, const char *reason) {
  if (!recorder || !reason) {
    return FF_ERROR_INPUT;
  }
  ff_free(recorder->incomplete);
  recorder->incomplete = ff_strdup(reason);
  return recorder->incomplete ? FF_OK : FF_ERROR_MEMORY;
}

ff_status ff_recorder_close(ff_recorder **at, const char *summary, ff_report *report) {
  ff_recorder *recorder = at ? *at : NULL;
  if (!recorder) {
    return FF_ERROR_INPUT;
  }
  *at = NULL;
  ff_status status = recorder->format->finish(recorder, summary ? summary : "");
  if (status == FF_OK || status == FF_ERROR_FILE) {
    status = ff_file_commit(recorder->file, report);
  } else {
    ff_file_abandon(recorder->file);
  }
  ff_free(recorder->incomplete);
  ff_free(recorder);
  return status;
}

void ff_recorder_abandon(ff_recorder **at) {
  ff_recorder *recorder = at ? *at : NULL;
  if (recorder) {
    *at = NULL;
    recorder->format->drop(recorder);
    ff_file_abandon(recorder->file);
    ff_free(recorder->incomplete);
    ff_free(recorder);
  }
}
