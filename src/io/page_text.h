/* Growable text, with JSON and base64 encoders. */
#ifndef FF_IO_PAGE_TEXT_H
#define FF_IO_PAGE_TEXT_H

#include "footfall/types.h"

/* All zero: empty. After a failed allocation nothing more is added and failed stays set. */
typedef struct ff_text {
  char *bytes;
  size_t size, capacity;
  bool failed;
} ff_text;

void ff_text_free(ff_text *text);
void ff_text_add(ff_text *text, const char *bytes, size_t size);
void ff_text_put(ff_text *text, const char *terminated);

/* A quoted JSON string; NULL is "". ASCII only, without HTML markup, so it may stand inside any
 * tag. Invalid UTF-8 becomes U+FFFD. */
void ff_text_json_string(ff_text *text, const char *value);
/* "name": preceded by a comma unless it is the first of its object. */
void ff_text_json_key(ff_text *text, const char *name);
/* A JSON number; null if not finite. */
void ff_text_json_number(ff_text *text, double value);
void ff_text_json_numbers(ff_text *text, const double *values, int count);

void ff_text_json_strings(ff_text *text, const char *const *values, int count);

/* Members of an object. */
void ff_text_json_member(ff_text *text, const char *name, const char *value);
void ff_text_json_member_number(ff_text *text, const char *name, double value);

/* Doubles, little-endian, as base64; the selected rows, or all if rows is NULL. */
void ff_text_base64(ff_text *text, const double *values, const long *rows, long count);
void ff_text_base64_bytes(ff_text *text, const unsigned char *bytes, size_t size);

#endif
