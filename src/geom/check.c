/* Are the sizes of a shape such that a shape can have them? */
#include "geom/geom.h"

#include <math.h>

/* What to say of one size: it is not a finite number, or it is not greater than 0. */
typedef struct size_words {
  const char *finite;
  const char *positive;
} size_words;

#define SIZE_WORDS(name)                                                                           \
  { name " must be finite", name " must be greater than 0" }

/* Row: kind. Column: size.x, size.y, size.z; empty where the kind does not use it. */
static const size_words words[FF_SHAPE_KIND_COUNT][3] = {
    [FF_SPHERE] = {SIZE_WORDS("radius")},
    [FF_ELLIPSOID] = {SIZE_WORDS("first semi-axis"), SIZE_WORDS("second semi-axis"),
                      SIZE_WORDS("third semi-axis")},
    [FF_BOX] = {SIZE_WORDS("first half extent"), SIZE_WORDS("second half extent"),
                SIZE_WORDS("third half extent")},
    [FF_CAPSULE] = {SIZE_WORDS("radius"), SIZE_WORDS("half length")},
    [FF_CYLINDER] = {SIZE_WORDS("radius"), SIZE_WORDS("half height")},
    [FF_SUPERELLIPSOID] = {SIZE_WORDS("first semi-axis"), SIZE_WORDS("second semi-axis"),
                           SIZE_WORDS("third semi-axis")},
};

const char *ff_geom_check(const ff_geom *geom) {
  if ((unsigned)geom->kind >= FF_SHAPE_KIND_COUNT) {
    return "kind of shape is not known";
  }
  const double size[3] = {geom->size.x, geom->size.y, geom->size.z};
  const size_words *row = words[geom->kind];
  for (int i = 0; i < 3 && row[i].finite; i++) {
    if (!isfinite(size[i])) {
      return row[i].finite;
    }
    if (!(size[i] > 0.0)) {
      return row[i].positive;
    }
  }
  for (int i = 0; i < 2 && geom->kind == FF_SUPERELLIPSOID; i++) {
    if (!(geom->exponents[i] >= FF_EXPONENT_MIN && geom->exponents[i] <= FF_EXPONENT_MAX)) {
      return "both exponents must be in [1.1, 20]";
    }
  }
  return NULL;
}
