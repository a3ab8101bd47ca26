#include "json.h"

#include <math.h>

#include "footfall/io.h"
#include "say.h"

/* What would steer a terminal is escaped, too. */
void ff_json_quote(FILE *out, const char *text) {
  fputc('"', out);
  while (*text) {
    const char *start = text;
    uint32_t code = ff_cli_next_character(&text);
    if (code == '"' || code == '\\') {
      fprintf(out, "\\%c", (int)code);
    } else if (code == '\n') {
      fputs("\\n", out);
    } else if (code == '\t' || (ff_cli_is_control(code) && code < 0x10000)) {
      fprintf(out, "\\u%04x", (unsigned)code);
    } else if (ff_cli_is_control(code)) { /* as a pair of UTF-16 */
      fprintf(out, "\\u%04x\\u%04x", (unsigned)(0xD800 + ((code - 0x10000) >> 10)),
              (unsigned)(0xDC00 + ((code - 0x10000) & 0x3FF)));
    } else {
      fwrite(start, 1, (size_t)(text - start), out);
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
