#include "io/page_text.h"

#include "base/memory.h"
#include "base/text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- growth ---------------------------------------------------------------------------------- */

void ff_text_free(ff_text *text) {
  ff_free(text->bytes);
  *text = (ff_text){0};
}

/* Ensures capacity for `more` bytes. */
static bool text_reserve(ff_text *text, size_t more) {
  if (text->failed || more > SIZE_MAX / 4 || text->size > SIZE_MAX / 4) {
    text->failed = true;
    return false;
  }
  if (text->capacity - text->size < more) {
    size_t capacity = 2 * (text->size + more) + 64;
    char *bytes = ff_resize(text->bytes, text->size, capacity, 1);
    if (!bytes) {
      text->failed = true;
      return false;
    }
    text->bytes = bytes;
    text->capacity = capacity;
  }
  return true;
}

void ff_text_add(ff_text *text, const char *bytes, size_t size) {
  if (size > 0 && text_reserve(text, size)) {
    memcpy(text->bytes + text->size, bytes, size);
    text->size += size;
  }
}

void ff_text_put(ff_text *text, const char *terminated) {
  ff_text_add(text, terminated, strlen(terminated));
}

/* ---- JSON ------------------------------------------------------------------------------------ */

enum { REPLACEMENT = 0xFFFD };

/* Decodes one UTF-8 character and advances; U+FFFD for an invalid byte. Overlong forms, surrogates
 * and code points beyond Unicode are invalid. */
static uint32_t utf8_next(const unsigned char **at) {
  static const uint32_t least[] = {0, 0x80, 0x800, 0x10000};
  const unsigned char *s = *at;
  (*at)++;
  if (s[0] < 0x80) {
    return s[0];
  }
  int more = s[0] >= 0xF0 ? 3 : (s[0] >= 0xE0 ? 2 : 1);
  if (s[0] < 0xC2 || s[0] > 0xF4) {
    return REPLACEMENT;
  }
  uint32_t code = s[0] & (0x3Fu >> more);
  for (int i = 1; i <= more; i++) {
    if ((s[i] & 0xC0) != 0x80) { /* also at the terminating NUL */
      return REPLACEMENT;
    }
    code = code << 6 | (s[i] & 0x3Fu);
  }
  if (code < least[more] || code > 0x10FFFF || (code >= 0xD800 && code <= 0xDFFF)) {
    return REPLACEMENT;
  }
  *at = s + more + 1;
  return code;
}

static void json_add_escape(ff_text *text, uint32_t unit) {
  char escape[8];
  int length = snprintf(escape, sizeof escape, "\\u%04x", (unsigned)(unit & 0xFFFF));
  ff_text_add(text, escape, (size_t)length);
}

/* Literal where that is safe in JSON and in HTML; else as UTF-16 escapes. */
static void json_add_character(ff_text *text, uint32_t code) {
  if (code >= 0x20 && code < 0x7F && !strchr("\"\\<>&'`", (int)code)) {
    char plain = (char)code;
    ff_text_add(text, &plain, 1);
  } else if (code < 0x10000) {
    json_add_escape(text, code);
  } else {
    json_add_escape(text, 0xD800 + ((code - 0x10000) >> 10));
    json_add_escape(text, 0xDC00 + ((code - 0x10000) & 0x3FF));
  }
}

void ff_text_json_string(ff_text *text, const char *value) {
  ff_text_put(text, "\"");
  const unsigned char *at = (const unsigned char *)(value ? value : "");
  while (*at) {
    json_add_character(text, utf8_next(&at));
  }
  ff_text_put(text, "\"");
}

void ff_text_json_key(ff_text *text, const char *name) {
  bool first = text->size > 0 && text->bytes[text->size - 1] == '{';
  ff_text_put(text, first ? "\"" : ",\"");
  ff_text_put(text, name);
  ff_text_put(text, "\":");
}

void ff_text_json_number(ff_text *text, double value) {
  char number[FF_NUMBER_SIZE];
  ff_text_put(text, isfinite(value) ? ff_number_text(value, number) : "null");
}

void ff_text_json_numbers(ff_text *text, const double *values, int count) {
  for (int i = 0; i < count; i++) {
    ff_text_put(text, i ? "," : "[");
    ff_text_json_number(text, values[i]);
  }
  ff_text_put(text, count ? "]" : "[]");
}

void ff_text_json_strings(ff_text *text, const char *const *values, int count) {
  ff_text_put(text, "[");
  for (int i = 0; i < count; i++) {
    ff_text_put(text, i ? "," : "");
    ff_text_json_string(text, values[i]);
  }
  ff_text_put(text, "]");
}

void ff_text_json_member(ff_text *text, const char *name, const char *value) {
  ff_text_json_key(text, name);
  ff_text_json_string(text, value);
}

void ff_text_json_member_number(ff_text *text, const char *name, double value) {
  ff_text_json_key(text, name);
  ff_text_json_number(text, value);
}

/* ---- base64 ---------------------------------------------------------------------------------- */

static void base64_encode(const unsigned char *bytes, size_t size, char *out) {
  static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  for (size_t i = 0; i < size; i += 3) {
    uint32_t b = i + 1 < size ? bytes[i + 1] : 0;
    uint32_t c = i + 2 < size ? bytes[i + 2] : 0;
    uint32_t word = (uint32_t)bytes[i] << 16 | b << 8 | c;
    *out++ = digits[word >> 18 & 63];
    *out++ = digits[word >> 12 & 63];
    *out++ = i + 1 < size ? digits[word >> 6 & 63] : '=';
    *out++ = i + 2 < size ? digits[word & 63] : '=';
  }
}

void ff_text_base64_bytes(ff_text *text, const unsigned char *bytes, size_t size) {
  enum { PIECE = 6144 }; /* a multiple of three */
  char digits[PIECE / 3 * 4];
  for (size_t from = 0; from < size; from += PIECE) {
    size_t piece = size - from < PIECE ? size - from : PIECE;
    base64_encode(bytes + from, piece, digits);
    ff_text_add(text, digits, (piece + 2) / 3 * 4);
  }
}

static void store_f64_le(double value, unsigned char *out) {
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  for (int i = 0; i < 8; i++) {
    out[i] = (unsigned char)(bits >> (8 * i));
  }
}

void ff_text_base64(ff_text *text, const double *values, const long *rows, long count) {
  /* Three doubles fill 32 base64 digits exactly, so chunks of a multiple of three can be
   * concatenated. */
  enum { PIECE = 768 };
  unsigned char bytes[PIECE * 8];
  char digits[PIECE * 8 / 3 * 4 + 4];
  for (long from = 0; from < count; from += PIECE) {
    long piece = count - from < PIECE ? count - from : PIECE;
    for (long i = 0; i < piece; i++) {
      long row = rows ? rows[from + i] : from + i;
      store_f64_le(values[row], bytes + 8 * i);
    }
    size_t size = (size_t)piece * 8;
    base64_encode(bytes, size, digits);
    ff_text_add(text, digits, (size + 2) / 3 * 4);
  }
}
