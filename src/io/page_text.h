/* Text that grows, and the forms of it a page is made of: JSON and base64. */
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

/* A JSON string in quotes; NULL is "". Only ASCII comes out, and nothing that HTML reads as
 * markup, so it may stand inside any tag. What is not UTF-8 becomes U+FFFD. */
void ff_text_json_string(ff_text *text, const char *value);
/* "name": with a comma before it unless it is the first of its object. */
void ff_text_json_key(ff_text *text, const char *name);
/* A JSON number; null if there is none for it. */
void ff_text_json_number(ff_text *text, double value);
void ff_text_json_numbers(ff_text *text, const double *values, int count);

/* Members of an object. */
void ff_text_json_member(ff_text *text, const char *name, const char *value);
void ff_text_json_member_number(ff_text *text, const char *name, double value);

/* Doubles, little-endian, as base64; the rows chosen, or all if rows is NULL. */
void ff_text_base64(ff_text *text, const double *values, const long *rows, long count);

#endif
