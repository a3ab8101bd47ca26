#include "say.h"

#include <poll.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli.h"

uint32_t ff_cli_next_character(const char **at) {
  static const uint32_t least[] = {0, 0x80, 0x800, 0x10000};
  const unsigned char *s = (const unsigned char *)*at;
  ++*at;
  if (s[0] < 0x80) {
    return s[0];
  }
  if (s[0] < 0xC2 || s[0] > 0xF4) {
    return UINT32_MAX;
  }
  int more = s[0] >= 0xF0 ? 3 : (s[0] >= 0xE0 ? 2 : 1);
  uint32_t code = s[0] & (0x3Fu >> more);
  for (int i = 1; i <= more; i++) {
    if ((s[i] & 0xC0) != 0x80) { /* also at the final NUL */
      return UINT32_MAX;
    }
    code = code << 6 | (s[i] & 0x3Fu);
  }
  if (code < least[more] || code > 0x10FFFF || (code >= 0xD800 && code <= 0xDFFF)) {
    return UINT32_MAX;
  }
  *at += more;
  return code;
}

bool ff_cli_is_control(uint32_t character) {
  static const uint32_t ranges[][2] = {{0x00, 0x08},     {0x0B, 0x1F},     {0x7F, 0x9F},
                                       {0x61C, 0x61C},   {0x200E, 0x200F}, {0x2028, 0x202E},
                                       {0x2066, 0x2069}, {0xFEFF, 0xFEFF}, {0xE0000, 0xE007F}};
  for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++) {
    if (character >= ranges[i][0] && character <= ranges[i][1]) {
      return true;
    }
  }
  return false;
}

static void write_safely(FILE *out, const char *text) {
  while (*text) {
    const char *start = text;
    uint32_t code = ff_cli_next_character(&text);
    if (code == UINT32_MAX) {
      fprintf(out, "\\x%02x", (unsigned char)*start);
    } else if (ff_cli_is_control(code)) {
      fprintf(out, code < 0x10000 ? "\\u%04x" : "\\U%08x", (unsigned)code);
    } else {
      fwrite(start, 1, (size_t)(text - start), out);
    }
  }
}

void ff_cli_say(FILE *out, const char *format, ...) {
  char few[1024], *all = few;
  va_list args, again;
  va_start(args, format);
  va_copy(again, args);
  int length = vsnprintf(few, sizeof few, format, args);
  if (length >= (int)sizeof few) {
    all = ff_cli_alloc(length + 1, 1);
    vsnprintf(all, (size_t)length + 1, format, again);
  }
  va_end(again);
  va_end(args);
  write_safely(out, length >= 0 ? all : "");
  if (all != few) {
    free(all);
  }
}

void ff_cli_set_style(FILE *out, ff_cli_style style) {
  static const char *const codes[] = {[FF_STYLE_PLAIN] = "\033[0m",
                                      [FF_STYLE_GOOD] = "\033[32m",
                                      [FF_STYLE_BAD] = "\033[1;31m",
                                      [FF_STYLE_NOTE] = "\033[33m"};
  const char *none = getenv("NO_COLOR"), *kind = getenv("TERM");
  bool plain = (none && none[0]) || !kind || strcmp(kind, "dumb") == 0;
  if (!plain && isatty(fileno(out))) {
    fputs(codes[style], out);
  }
}

bool ff_cli_reader_has_gone(void) {
  struct pollfd out = {.fd = STDOUT_FILENO, .events = POLLOUT};
  return poll(&out, 1, 0) == 1 && (out.revents & POLLERR);
}
