/* CSV as RFC 4180 has it: a line of channel names, a line a sample, numbers as short as
 * they can be and still read back to the same bits. */
#include <string.h>

#include "io/recorder.h"

/* A cell with a comma or a quote in it is quoted, and its quotes doubled. */
static void write_text(ff_file *file, const char *text) {
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

static ff_status begin(ff_recorder *recorder, const ff_recording_info *info) {
  for (int i = 0; i < info->count; i++) {
    if (i > 0) {
      ff_file_write(recorder->file, ",", 1);
    }
    write_text(recorder->file, info->names[i]);
  }
  return ff_file_write(recorder->file, "\n", 1);
}

static ff_status add(ff_recorder *recorder, const double *row) {
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

/* A table for other programs has no place for the summary. */
static ff_status finish(ff_recorder *recorder, const char *summary) {
  (void)recorder;
  (void)summary;
  return FF_OK;
}

static void drop(ff_recorder *recorder) {
  (void)recorder;
}

const ff_recorder_format ff_recorder_csv = {
    .ending = ".csv", .begin = begin, .add = add, .finish = finish, .drop = drop};
