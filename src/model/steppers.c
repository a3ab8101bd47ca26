/* The table of steppers: descriptions by index, name and capability. */
#include "model/steppers.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define FF_STEPPER_KEYS(...)    ((const char *const[]){__VA_ARGS__, NULL})
#define FF_STEPPER_ROW(id, ...) {__VA_ARGS__},
static const ff_stepper_info rows[] = {
#include "model/stepper_rows.h"
};
enum { ROW_COUNT = sizeof rows / sizeof *rows };

int ff_stepper_count(void) {
  return ROW_COUNT;
}

const ff_stepper_info *ff_stepper_at(int index) {
  return index >= 0 && index < ROW_COUNT ? &rows[index] : NULL;
}

const ff_stepper_info *ff_stepper_find(const char *name) {
  for (int i = 0; name && i < ROW_COUNT; i++) {
    if (strcmp(rows[i].name, name) == 0) {
      return &rows[i];
    }
  }
  return NULL;
}

int ff_stepper_index(const ff_stepper_info *info) {
  return (int)(info - rows);
}

_Static_assert(sizeof rows / sizeof *rows <= FF_STEPPERS_MAX, "FF_STEPPERS_MAX is too small");

int ff_stepper_all_names(const char *names[FF_STEPPERS_MAX]) {
  for (int i = 0; i < ROW_COUNT; i++) {
    names[i] = rows[i].name;
  }
  return ROW_COUNT;
}

bool ff_stepper_takes(const ff_stepper_info *info, const char *key) {
  for (const char *const *at = info->keys; *at; at++) {
    if (strcmp(*at, key) == 0) {
      return true;
    }
  }
  return false;
}

bool ff_stepper_uses_layers(const ff_stepper_info *info) {
  return info->contacts == FF_CONTACTS_BY_LAYER;
}

bool ff_stepper_uses_ground(const ff_stepper_info *info) {
  return info->contacts == FF_CONTACTS_BY_GROUND;
}

bool ff_stepper_constrains_links(const ff_stepper_info *info) {
  return info->constrains_links;
}

bool ff_stepper_resolves(const ff_stepper_info *info) {
  return info->fixed_step && info->contacts == FF_CONTACTS_BY_FORCE;
}

const char *ff_stepper_names(bool (*has)(const ff_stepper_info *), char *text, size_t size) {
  int left = 0;
  for (int i = 0; i < ROW_COUNT; i++) {
    left += has(&rows[i]);
  }
  size_t length = 0;
  text[0] = '\0';
  for (int i = 0; i < ROW_COUNT && length < size; i++) {
    if (has(&rows[i])) {
      left--;
      const char *after = left > 1 ? ", " : (left == 1 ? " or " : "");
      length += (size_t)snprintf(text + length, size - length, "%s%s", rows[i].name, after);
    }
  }
  return text;
}
