#include "grid.h"

#include <stdbool.h>
#include <string.h>

/* Bytes of the first *count characters of UTF-8 text; *count becomes the number found. */
static size_t bytes_of(const char *text, int *count) {
  size_t bytes = 0;
  int seen = 0;
  while (text[bytes]) {
    bool starts = ((unsigned char)text[bytes] & 0xC0) != 0x80;
    if (starts && seen == *count) {
      break;
    }
    seen += starts;
    bytes++;
  }
  *count = seen;
  return bytes;
}

/* Prints the part of the text that fits into the width, padded unless it is the last cell; returns
 * the rest. */
static const char *print_part(const char *text, int width, bool last, FILE *out) {
  int count = width;
  size_t bytes = bytes_of(text, &count);
  if (text[bytes] && text[bytes] != ' ') { /* back to the end of a word, if any */
    size_t end = bytes;
    while (end > 0 && text[end] != ' ') {
      end--;
    }
    bytes = end > 0 ? end : bytes;
  }
  fwrite(text, 1, bytes, out);
  int shown = width;
  char part[1024];
  snprintf(part, sizeof part, "%.*s", (int)bytes, text);
  bytes_of(part, &shown);
  fprintf(out, "%*s", last ? 0 : width - shown, "");
  text += bytes;
  return text + strspn(text, " ");
}

void ff_grid_row(const ff_grid *grid, FILE *out, const char *const *cells) {
  const char *rest[FF_GRID_COLUMNS];
  bool more = true;
  for (int i = 0; i < grid->columns; i++) {
    rest[i] = cells[i] ? cells[i] : "";
  }
  while (more) {
    more = false;
    for (int i = 0; i < grid->columns; i++) {
      bool last = i == grid->columns - 1;
      rest[i] = print_part(rest[i], grid->widths[i], last, out);
      fputs(last ? "\n" : "  ", out);
      more = more || rest[i][0];
    }
  }
}

void ff_grid_line(const ff_grid *grid, FILE *out) {
  for (int i = 0; i < grid->columns; i++) {
    for (int k = 0; k < grid->widths[i]; k++) {
      fputc('-', out);
    }
    fputs(i == grid->columns - 1 ? "\n" : "  ", out);
  }
}
