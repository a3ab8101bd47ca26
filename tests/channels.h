/* What a run tells of itself, by name. */
#ifndef FF_TESTS_CHANNELS_H
#define FF_TESTS_CHANNELS_H

#include "footfall/footfall.h"
#include "testing.h"

/* -1: there is none. */
static inline int channel_find(const ff_model *model, const char *name) {
  for (int i = 0; i < ff_model_channel_count(model); i++) {
    if (strcmp(ff_model_channel(model, i).name, name) == 0) {
      return i;
    }
  }
  return -1;
}

static inline double channel(const ff_sim *sim, const ff_model *model, const char *name) {
  int index = channel_find(model, name);
  double value = NAN;
  if (index < 0) {
    fail_msg("there is no channel %s", name);
  }
  ff_sim_read(sim, &index, 1, &value);
  return value;
}

#endif
