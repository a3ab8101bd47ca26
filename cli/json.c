#include "json.h"

#include <math.h>

#include "footfall/io.h"

void ff_json_quote(FILE *out, const char *text) {
  fputc('"', out);
  for (; *text; text++) {
    unsigned char c = (unsigned char)*text;
    if (c == '"' || c == '\\') {
      fprintf(out, "\\%c", c);
    } else if (c == '\n') {
      fputs("\\n", out);
    } else if (c < 0x20 || c == 0x7f) {
      fprintf(out, "\\u%04x", c);
    } else {
      fputc(c, out);
    }
  }
  fputc('"', out);
}

static void json_new_line(const ff_json *json) {
  fprintf(json->out, "\n%*s", 2 * json->depth, "");
}

/* Writes the separator and the key. */
static void json_start(ff_json *json, const char *key) {
  if (json->filled) {
    fputc(',', json->out);
  }
  if (json->depth > 0) {
    json_new_line(json);
  }
  if (key) {
    ff_json_quote(json->out, key);
    fputs(": ", json->out);
  }
  json->filled = true;
}

static void json_write_number(FILE *out, double value) {
  char text[FF_NUMBER_SIZE];
  fputs(isfinite(value) ? ff_number_text(value, text) : "null", out);
}

void ff_json_open(ff_json *json, const char *key, char bracket) {
  json_start(json, key);
  fputc(bracket, json->out);
  json->depth++;
  json->filled = false;
}

void ff_json_close(ff_json *json, char bracket) {
  json->depth--;
  if (json->filled) {
    json_new_line(json);
  }
  fputc(bracket, json->out);
  json->filled = true;
  if (json->depth == 0) {
    fputc('\n', json->out);
  }
}

void ff_json_text(ff_json *json, const char *key, const char *text) {
  json_start(json, key);
  if (text) {
    ff_json_quote(json->out, text);
  } else {
    fputs("null", json->out);
  }
}

void ff_json_number(ff_json *json, const char *key, double value) {
  json_start(json, key);
  json_write_number(json->out, value);
}

void ff_json_numbers(ff_json *json, const char *key, const double *values, int count) {
  json_start(json, key);
  for (int i = 0; i < count; i++) {
    fputs(i == 0 ? "[" : ", ", json->out);
    json_write_number(json->out, values[i]);
  }
  fputc(']', json->out);
}

void ff_json_whole(ff_json *json, const char *key, long value) {
  json_start(json, key);
  fprintf(json->out, "%ld", value);
}

void ff_json_flag(ff_json *json, const char *key, bool value) {
  json_start(json, key);
  fputs(value ? "true" : "false", json->out);
}
