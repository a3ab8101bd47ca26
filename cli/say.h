/* Text for a terminal: names from files may hold what would steer it. */
#ifndef FF_CLI_SAY_H
#define FF_CLI_SAY_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* Reads one character of UTF-8 and moves on. A byte that starts none gives UINT32_MAX. */
uint32_t ff_cli_next_character(const char **at);
/* Does a character steer what shows it, or hide or turn round what follows? Control characters (C0
 * except line feed and tab, DEL, C1), marks and overrides of direction, separators of lines. */
bool ff_cli_is_control(uint32_t character);
/* As fprintf, with such characters written \u009b, and bytes that are no UTF-8 \xff. */
void ff_cli_say(FILE *out, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Colour: on a terminal only, not if NO_COLOR is set (no-color.org) or TERM is dumb. */
typedef enum ff_cli_style {
  FF_STYLE_PLAIN, /* ends the others */
  FF_STYLE_GOOD,  /* green */
  FF_STYLE_BAD,   /* red, bold */
  FF_STYLE_NOTE   /* yellow */
} ff_cli_style;

void ff_cli_set_style(FILE *out, ff_cli_style style);

/* Is the standard output a pipe whose reader, such as `head`, has seen enough? */
bool ff_cli_reader_has_gone(void);

#endif
