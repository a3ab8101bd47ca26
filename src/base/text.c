#include "base/text.h"

#include <ctype.h>
#include <float.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* printf and strtod follow the program's locale: switch this thread to the C locale. */
static locale_t enter_c_locale(void) {
  return uselocale(newlocale(LC_ALL_MASK, "C", (locale_t)0));
}

static void leave_c_locale(locale_t before) {
  uselocale(before);
}

/* ---- writing numbers ------------------------------------------------------------------------- */

char *ff_number_text(double value, char text[FF_NUMBER_SIZE]) {
  if (!isfinite(value)) {
    strcpy(text, isnan(value) ? "nan" : (value > 0 ? "inf" : "-inf"));
    return text;
  }
  locale_t before = enter_c_locale();
  /* Every decimal of up to 15 digits reads back, and %g drops trailing zeros: the first precision
   * that reads back to the same bits is the shortest. Subnormals may need fewer. */
  for (int digits = fabs(value) < DBL_MIN ? 1 : 15; digits <= 17; digits++) {
    snprintf(text, FF_NUMBER_SIZE, "%.*g", digits, value);
    if (strtod(text, NULL) == value) {
      break;
    }
  }
  leave_c_locale(before);
  return text;
}

/* ---- reading numbers ------------------------------------------------------------------------- */

static const char *skip_digits(const char *at) {
  while (isdigit((unsigned char)*at)) {
    at++;
  }
  return at;
}

/* End of the decimal number that starts at text; text itself if there is none. */
static const char *number_end(const char *text) {
  const char *at = text + (*text == '+' || *text == '-');
  const char *whole = at;
  at = skip_digits(at);
  long digits = at - whole;
  if (*at == '.') {
    const char *fraction = at + 1;
    at = skip_digits(fraction);
    digits += at - fraction;
  }
  if (digits == 0) {
    return text;
  }
  if (*at == 'e' || *at == 'E') {
    const char *power = at + 1 + (at[1] == '+' || at[1] == '-');
    const char *end = skip_digits(power);
    at = end > power ? end : at;
  }
  return at;
}

/* Infinity and not-a-number, as YAML 1.2 and as ff_number_text write them. */
static bool read_special(const char *text, double *value) {
  double sign = *text == '-' ? -1.0 : 1.0;
  const char *word = text + (*text == '+' || *text == '-');
  word += *word == '.';
  if (!strcmp(word, "inf") || !strcmp(word, "Inf") || !strcmp(word, "INF")) {
    *value = sign * (double)INFINITY;
    return true;
  }
  if (!strcmp(word, "nan") || !strcmp(word, "NaN") || !strcmp(word, "NAN")) {
    *value = (double)NAN;
    return true;
  }
  return false;
}

static bool read_angle_unit(const char *text, ff_unit *unit) {
  while (*text == ' ') {
    text++;
  }
  *unit = !*text ? FF_UNIT_NONE : (!strcmp(text, "deg") ? FF_UNIT_DEG : FF_UNIT_DEG_S);
  return *unit != FF_UNIT_DEG_S || !strcmp(text, "deg/s");
}

bool ff_number_scan(const char *text, double *value, ff_unit *unit) {
  *unit = FF_UNIT_NONE;
  if (read_special(text, value)) {
    return true;
  }
  const char *end = number_end(text);
  if (end == text || (*end == ' ' && strspn(end, " ") == strlen(end)) ||
      !read_angle_unit(end, unit)) {
    return false;
  }
  locale_t before = enter_c_locale();
  *value = strtod(text, NULL);
  leave_c_locale(before);
  if (*unit != FF_UNIT_NONE) {
    *value *= 3.14159265358979323846 / 180.0;
  }
  return true;
}

bool ff_number_read(const char *text, double *value) {
  ff_unit unit;
  return ff_number_scan(text, value, &unit);
}
