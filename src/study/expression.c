#include "study/expression.h"

#include "base/report.h"
#include "math/elementary.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef enum operation {
  EXPRESSION_NUMBER,
  EXPRESSION_VALUE,
  EXPRESSION_ADD,
  EXPRESSION_SUBTRACT,
  EXPRESSION_MULTIPLY,
  EXPRESSION_DIVIDE,
  EXPRESSION_POWER,
  EXPRESSION_NEGATE,
  EXPRESSION_CALL1,
  EXPRESSION_CALL2
} operation;

struct ff_expression_code {
  operation what;
  int index;     /* of a value or function */
  double number; /* of a constant */
};

typedef struct expression_function {
  const char *name;
  double (*one)(double);
  double (*two)(double, double);
} expression_function;

static const expression_function functions[] = {
    {"abs", fabs, NULL},   {"sqrt", sqrt, NULL},     {"exp", ff_exp, NULL}, {"log", ff_log, NULL},
    {"sin", ff_sin, NULL}, {"cos", ff_cos, NULL},    {"tan", ff_tan, NULL}, {"min", NULL, fmin},
    {"max", NULL, fmax},   {"atan2", NULL, ff_atan2}};
enum {
  FUNCTION_COUNT = sizeof functions / sizeof *functions,
  DEPTH_MAX = 100,
  NAME_MAX_BYTES = 160
};

/* Recursive descent; the first error is kept. */
typedef struct parser {
  const char *text, *at;
  const char *const *names;
  int count;
  ff_expression_code *code;
  int length, capacity;
  int stack, depth;
  ff_status status;
  ff_report *report;
} parser;

/* ---- errors and code ------------------------------------------------------------------------- */

static void expression_fail(parser *p, const char *what) {
  if (p->status == FF_OK) {
    p->status = ff_report_what(p->report, "expression '%.200s': %s at character %d", p->text, what,
                               (int)(p->at - p->text) + 1);
  }
}

/* grows: change of the height of the stack. */
static void expression_emit(parser *p, ff_expression_code code, int grows) {
  p->stack += grows;
  if (p->stack > FF_EXPRESSION_STACK || p->length == p->capacity) {
    expression_fail(p, "is too long");
    return;
  }
  p->code[p->length++] = code;
}

static void expression_skip_space(parser *p) {
  while (*p->at == ' ' || *p->at == '\t') {
    p->at++;
  }
}

static bool expression_accept(parser *p, char c) {
  expression_skip_space(p);
  if (*p->at != c) {
    return false;
  }
  p->at++;
  return true;
}

static void expression_expect(parser *p, char c) {
  if (!expression_accept(p, c)) {
    char what[32] = "expected ' '";
    what[10] = c;
    expression_fail(p, what);
  }
}

/* ---- grammar --------------------------------------------------------------------------------- */

static void expression_sum(parser *p);

/* A name in quotes or without; false if there is none. */
static bool expression_word(parser *p, char word[NAME_MAX_BYTES]) {
  const char *start = p->at, *end;
  bool quoted = *start == '\'';
  if (quoted) {
    end = strchr(++start, '\'');
  } else {
    for (end = start; isalnum((unsigned char)*end) || (*end && strchr("_.:", *end)); end++) {
    }
  }
  if (!end || end == start || end - start >= NAME_MAX_BYTES) {
    return false;
  }
  memcpy(word, start, (size_t)(end - start));
  word[end - start] = '\0';
  p->at = end + quoted;
  return true;
}

static void expression_call(parser *p, int function) {
  bool two = functions[function].two != NULL;
  expression_expect(p, '(');
  expression_sum(p);
  if (two) {
    expression_expect(p, ',');
    expression_sum(p);
  }
  expression_expect(p, ')');
  expression_emit(p, (ff_expression_code){two ? EXPRESSION_CALL2 : EXPRESSION_CALL1, function, 0},
                  two ? -1 : 0);
}

static void expression_name(parser *p) {
  char word[NAME_MAX_BYTES];
  const char *start = p->at;
  if (!expression_word(p, word)) {
    expression_fail(p, "expected a number, a name or '('");
    return;
  }
  for (int i = 0; i < p->count; i++) {
    if (strcmp(word, p->names[i]) == 0) {
      expression_emit(p, (ff_expression_code){EXPRESSION_VALUE, i, 0}, 1);
      return;
    }
  }
  for (int i = 0; i < FUNCTION_COUNT; i++) {
    if (strcmp(word, functions[i].name) == 0) {
      expression_call(p, i);
      return;
    }
  }
  if (strcmp(word, "pi") == 0) {
    expression_emit(p, (ff_expression_code){EXPRESSION_NUMBER, 0, 3.14159265358979323846}, 1);
    return;
  }
  p->at = start;
  if (p->status == FF_OK) {
    p->status = ff_report_unknown(p->report, "name in the expression", word, p->names, p->count);
  }
}

static void expression_primary(parser *p) {
  expression_skip_space(p);
  if (++p->depth > DEPTH_MAX) {
    expression_fail(p, "is nested too deep");
  } else if (expression_accept(p, '(')) {
    expression_sum(p);
    expression_expect(p, ')');
  } else if (isdigit((unsigned char)*p->at) || *p->at == '.') {
    char *end;
    double number = strtod(p->at, &end);
    p->at = end;
    expression_emit(p, (ff_expression_code){EXPRESSION_NUMBER, 0, number}, 1);
  } else {
    expression_name(p);
  }
  p->depth--;
}

/* -a^b is -(a^b); a^-b is allowed; ^ groups from the right. */
static void expression_power(parser *p) {
  bool negative = expression_accept(p, '-');
  if (!negative) {
    expression_accept(p, '+');
  }
  expression_primary(p);
  if (p->status == FF_OK && expression_accept(p, '^')) {
    if (++p->depth > DEPTH_MAX) {
      expression_fail(p, "is nested too deep");
    } else {
      expression_power(p);
    }
    p->depth--;
    expression_emit(p, (ff_expression_code){EXPRESSION_POWER, 0, 0}, -1);
  }
  if (negative) {
    expression_emit(p, (ff_expression_code){EXPRESSION_NEGATE, 0, 0}, 0);
  }
}

static void expression_product(parser *p) {
  expression_power(p);
  while (p->status == FF_OK) {
    operation what = expression_accept(p, '*')   ? EXPRESSION_MULTIPLY
                     : expression_accept(p, '/') ? EXPRESSION_DIVIDE
                                                 : EXPRESSION_NUMBER;
    if (what == EXPRESSION_NUMBER) {
      return;
    }
    expression_power(p);
    expression_emit(p, (ff_expression_code){what, 0, 0}, -1);
  }
}

static void expression_sum(parser *p) {
  expression_product(p);
  while (p->status == FF_OK) {
    operation what = expression_accept(p, '+')   ? EXPRESSION_ADD
                     : expression_accept(p, '-') ? EXPRESSION_SUBTRACT
                                                 : EXPRESSION_NUMBER;
    if (what == EXPRESSION_NUMBER) {
      return;
    }
    expression_product(p);
    expression_emit(p, (ff_expression_code){what, 0, 0}, -1);
  }
}

ff_status ff_expression_compile(ff_expression *out, ff_arena *arena, const char *text,
                                const char *const *names, int count, ff_report *report) {
  size_t capacity = strlen(text) + 1;
  *out = (ff_expression){0};
  parser p = {.text = text,
              .at = text,
              .names = names,
              .count = count,
              .code = capacity < 10000 ? ff_arena_take(arena, capacity, sizeof *p.code) : NULL,
              .capacity = (int)capacity,
              .report = report};
  if (!p.code) {
    return capacity < 10000 ? FF_ERROR_MEMORY
                            : ff_report_what(report, "the expression is too long");
  }
  expression_sum(&p);
  expression_skip_space(&p);
  if (*p.at) {
    expression_fail(&p, "did not expect this");
  }
  *out = (ff_expression){p.code, p.length};
  return p.status;
}

/* ---- evaluation ------------------------------------------------------------------------------ */

static double expression_binary(const ff_expression_code *code, double a, double b) {
  switch (code->what) {
    case EXPRESSION_ADD: return a + b;
    case EXPRESSION_SUBTRACT: return a - b;
    case EXPRESSION_MULTIPLY: return a * b;
    case EXPRESSION_DIVIDE: return a / b;
    case EXPRESSION_POWER: return ff_pow(a, b);
    default: return functions[code->index].two(a, b);
  }
}

double ff_expression_value(const ff_expression *expression, const double *values) {
  double stack[FF_EXPRESSION_STACK] = {0};
  int height = 0;
  for (int i = 0; i < expression->length; i++) {
    const ff_expression_code *code = &expression->code[i];
    switch (code->what) {
      case EXPRESSION_NUMBER: stack[height++] = code->number; break;
      case EXPRESSION_VALUE: stack[height++] = values[code->index]; break;
      case EXPRESSION_NEGATE: stack[height - 1] = -stack[height - 1]; break;
      case EXPRESSION_CALL1:
        stack[height - 1] = functions[code->index].one(stack[height - 1]);
        break;
      default:
        height--;
        stack[height - 1] = expression_binary(code, stack[height - 1], stack[height]);
        break;
    }
  }
  return stack[0];
}
