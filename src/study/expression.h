/* Arithmetic expressions over named values: 2 * peak / (mass * 9.81). */
#ifndef FF_STUDY_EXPRESSION_H
#define FF_STUDY_EXPRESSION_H

#include "base/arena.h"
#include "footfall/status.h"

enum { FF_EXPRESSION_STACK = 32 };

typedef struct ff_expression_code ff_expression_code;

typedef struct ff_expression {
  const ff_expression_code *code; /* reverse Polish notation */
  int length;
} ff_expression;

/* Compiles text. names: what may be used, count of them; a name with characters other than letters,
 * digits, '_', '.' and ':' is written in single quotes. + - * / ^, ( ), abs, sqrt, exp, log, sin,
 * cos, tan, min(a, b), max(a, b), atan2(y, x), pi. FF_ERROR_INPUT: the report (may be NULL) says
 * what and where. */
ff_status ff_expression_compile(ff_expression *out, ff_arena *arena, const char *text,
                                const char *const *names, int count, ff_report *report);
double ff_expression_value(const ff_expression *expression, const double *values);

#endif
