/* JSON writer: keys and values in order, indented. */
#ifndef FF_CLI_JSON_H
#define FF_CLI_JSON_H

#include <stdbool.h>
#include <stdio.h>

typedef struct ff_json {
  FILE *out;
  int depth;
  bool filled; /* the open object or list has an entry */
} ff_json;

/* A quoted text, valid in JSON and YAML. */
void ff_json_quote(FILE *out, const char *text);

/* key: NULL inside a list and for the root. bracket: '{' or '['. */
void ff_json_open(ff_json *json, const char *key, char bracket);
void ff_json_close(ff_json *json, char bracket); /* '}' or ']' */

void ff_json_text(ff_json *json, const char *key, const char *text); /* NULL: null */
void ff_json_number(ff_json *json, const char *key, double value);   /* not finite: null */
void ff_json_numbers(ff_json *json, const char *key, const double *values, int count);
void ff_json_whole(ff_json *json, const char *key, long value);
void ff_json_flag(ff_json *json, const char *key, bool value);

#endif
