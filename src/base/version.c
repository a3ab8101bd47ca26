#include "footfall/footfall.h"

const char *ff_version(void) {
  return FOOTFALL_VERSION;
}
