/* Channels by number and name, over the table of sim/channel_rows.c. */
#include "sim/channels.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Channels of each member of a family. */
static int channels_of(const ff_channel_family *family) {
  int count = 0;
  for (int r = 0; r < family->row_count; r++) {
    count += family->rows[r].count;
  }
  return count;
}

ff_channel_place ff_channel_locate(const ff_model *model, int index) {
  for (int f = 0; model && index >= 0 && f < FF_CHANNEL_FAMILIES; f++) {
    const ff_channel_family *family = &ff_channel_families[f];
    int each = channels_of(family), all = each * family->count(model);
    if (index < all) {
      ff_channel_place at = {.family = f, .member = index / each, .component = index % each};
      while (at.component >= family->rows[at.row].count) {
        at.component -= family->rows[at.row++].count;
      }
      return at;
    }
    index -= all;
  }
  return (ff_channel_place){.family = -1};
}

int ff_model_channel_count(const ff_model *model) {
  int total = 0;
  for (int f = 0; model && f < FF_CHANNEL_FAMILIES; f++) {
    total += channels_of(&ff_channel_families[f]) * ff_channel_families[f].count(model);
  }
  return total;
}

/* The component-th word of a row's list, and its length. */
static const char *component_name(const ff_channel_row *row, int component, int *length) {
  const char *at = row->components;
  for (; component > 0; component--) {
    at += strcspn(at, " ") + 1;
  }
  *length = (int)strcspn(at, " ");
  return at;
}

ff_channel ff_model_channel(const ff_model *model, int index) {
  ff_channel out = {.unit = "1", .frame = "", .meaning = ""};
  ff_channel_place at = ff_channel_locate(model, index);
  if (at.family < 0) {
    return out;
  }
  const ff_channel_family *family = &ff_channel_families[at.family];
  const ff_channel_row *row = &family->rows[at.row];
  bool slides = row->sliding_unit && family->slides(model, at.member);
  char member[FF_MEMBER_NAME] = "";
  int length;
  const char *component = component_name(row, at.component, &length);
  if (family->tell_name) {
    family->tell_name(model, at.member, member);
  }
  snprintf(out.name, sizeof out.name, "%s%s%s.%s%s%.*s", family->name, member[0] ? "." : "", member,
           row->name, length > 0 ? "." : "", length, component);
  out.unit = slides ? row->sliding_unit : row->unit;
  out.frame = row->frame;
  out.meaning = row->meaning;
  return out;
}

ff_channel ff_channel_pattern(int index) {
  ff_channel out = {.unit = "1", .frame = "", .meaning = ""};
  for (int f = 0; index >= 0 && f < FF_CHANNEL_FAMILIES; f++) {
    const ff_channel_family *family = &ff_channel_families[f];
    if (index >= family->row_count) {
      index -= family->row_count;
      continue;
    }
    const ff_channel_row *row = &family->rows[index];
    int used = snprintf(out.name, sizeof out.name, "%s%s%s.%s", family->name,
                        family->member[0] ? "." : "", family->member, row->name);
    if (row->components[0]) {
      used += snprintf(out.name + used, sizeof out.name - (size_t)used, ".{%s}", row->components);
    }
    for (char *c = out.name; *c; c++) {
      *c = *c == ' ' ? ',' : *c;
    }
    out.unit = row->unit;
    out.frame = row->frame;
    out.meaning = row->meaning;
    return out;
  }
  return out;
}

int ff_channel_pattern_count(void) {
  int count = 0;
  for (int f = 0; f < FF_CHANNEL_FAMILIES; f++) {
    count += ff_channel_families[f].row_count;
  }
  return count;
}

bool ff_channel_matches(const char *name, const char *glob) {
  /* '*' stands for any text: on a mismatch, let the last one swallow one more letter. */
  const char *star = NULL, *resume = NULL;
  while (name && glob && *name) {
    if (*glob == '*') {
      star = glob++;
      resume = name;
    } else if (*glob == *name) {
      glob++;
      name++;
    } else if (star) {
      glob = star + 1;
      name = ++resume;
    } else {
      return false;
    }
  }
  while (glob && *glob == '*') {
    glob++;
  }
  return name && glob && *glob == 0;
}

void ff_sim_read(const ff_sim *sim, const int *channels, int count, double *out) {
  /* Channels of one member stand together: read each member once. */
  ff_channel_sample sample = {0};
  ff_channel_place now = {.family = -1};
  for (int i = 0; i < count; i++) {
    ff_channel_place at = ff_channel_locate(sim ? sim->model : NULL, channels[i]);
    if (at.family < 0) {
      out[i] = NAN;
      continue;
    }
    const ff_channel_family *family = &ff_channel_families[at.family];
    if (at.family != now.family || at.member != now.member) {
      family->read(sim, at.member, &sample);
      now = at;
    }
    size_t offset = family->rows[at.row].at + (size_t)at.component * sizeof *out;
    memcpy(&out[i], (const char *)&sample + offset, sizeof *out);
  }
}
