/* CSV by RFC 4180: a line of channel names, then a line per sample; numbers in the shortest form
 * that reads back to the same bits. */
#include <string.h>

#include "io/recorder.h"

/* Writes a cell; one with a comma or a quote is quoted, and its quotes doubled. */
static void csv_write_text(ff_file *file, const char *text) {
  if (!strpbrk(text, ",\"")) {
    ff_file_write(file, text, strlen(text));
    return;
  }
  ff_file_write(file, "\"", 1);
  for (; *text; text++) {
    ff_file_write(file, *text == '"' ? "\"\"" : text, *text == '"' ? 2 : 1);
  }
  ff_file_write(file, "\"", 1);
}

static ff_status csv_begin(ff_recorder *recorder, const ff_recording_info *info) {
  for (int i = 0; i < info->count; i++) {
    if (i > 0) {
      ff_file_write(recorder->file, ",", 1);
    }
    csv_write_text(recorder->file, info->names[i]);
  }
  return ff_file_write(recorder->file, "\n", 1);
}

static ff_status csv_add(ff_recorder *recorder, const double *row) {
  for (int i = 0; i < recorder->count; i++) {
    char text[FF_NUMBER_SIZE];
    if (i > 0) {
      ff_file_write(recorder->file, ",", 1);
    }
    ff_number_text(row[i], text);
    ff_file_write(recorder->file, text, strlen(text));
  }
  return ff_file_write(recorder->file, "\n", 1);
}

/* CSV has no place for the summary. */
static ff_status csv_finish(ff_recorder *recorder, const char *summary) {
  (void)recorder;
  (void)summary;
  return FF_OK;
}

static void csv_drop(ff_recorder *recorder) {
  (void)recorder;
}

const ff_recorder_format ff_recorder_csv = {
    .ending = ".csv", .begin = csv_begin, .add = csv_add, .finish = csv_finish, .drop = csv_drop};
