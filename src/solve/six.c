#include "solve/six.h"

#include "math/pairs.h"

/* One row of c in registers. */
void ff_six_product_plain(double *restrict c, const double *restrict a, const double *restrict b) {
  for (int i = 0; i < 6; i++) {
    ff_pair2 x = ff_pair2_load(c + 6 * i), y = ff_pair2_load(c + 6 * i + 2),
             z = ff_pair2_load(c + 6 * i + 4);
    for (int l = 0; l < 6; l++) {
      ff_pair2 factor = {a[6 * i + l], a[6 * i + l]};
      x -= factor * ff_pair2_load(b + 6 * l);
      y -= factor * ff_pair2_load(b + 6 * l + 2);
      z -= factor * ff_pair2_load(b + 6 * l + 4);
    }
    ff_pair2_store(c + 6 * i, x);
    ff_pair2_store(c + 6 * i + 2, y);
    ff_pair2_store(c + 6 * i + 4, z);
  }
}

#if defined(__x86_64__)
/* Four numbers at a time (AVX2), two rows of c in registers. Every sum keeps its order, and
 * multiplications are not fused with additions: same bits as the plain version. */
#define WIDE __attribute__((target("avx2")))

typedef double four __attribute__((vector_size(32)));

typedef struct two_rows {
  four x, u;
  ff_pair2 y, v;
} two_rows;

WIDE static inline void six_subtract_row(two_rows *c, double f, double g, const double *row) {
  four begin;
  memcpy(&begin, row, sizeof begin);
  ff_pair2 end = ff_pair2_load(row + 4);
  c->x -= (four){f, f, f, f} * begin;
  c->y -= (ff_pair2){f, f} * end;
  c->u -= (four){g, g, g, g} * begin;
  c->v -= (ff_pair2){g, g} * end;
}

WIDE static void six_subtract_wide(double *restrict c, const double *restrict a,
                                   const double *restrict b) {
  for (int i = 0; i < 36; i += 12) {
    two_rows at;
    memcpy(&at.x, c + i, sizeof at.x);
    memcpy(&at.y, c + i + 4, sizeof at.y);
    memcpy(&at.u, c + i + 6, sizeof at.u);
    memcpy(&at.v, c + i + 10, sizeof at.v);
    six_subtract_row(&at, a[i], a[i + 6], b);
    six_subtract_row(&at, a[i + 1], a[i + 7], b + 6);
    six_subtract_row(&at, a[i + 2], a[i + 8], b + 12);
    six_subtract_row(&at, a[i + 3], a[i + 9], b + 18);
    six_subtract_row(&at, a[i + 4], a[i + 10], b + 24);
    six_subtract_row(&at, a[i + 5], a[i + 11], b + 30);
    memcpy(c + i, &at.x, sizeof at.x);
    memcpy(c + i + 4, &at.y, sizeof at.y);
    memcpy(c + i + 6, &at.u, sizeof at.u);
    memcpy(c + i + 10, &at.v, sizeof at.v);
  }
}

ff_six_product *ff_six_best(void) {
  return __builtin_cpu_supports("avx2") ? six_subtract_wide : ff_six_product_plain;
}
#else
ff_six_product *ff_six_best(void) {
  return ff_six_product_plain;
}
#endif
