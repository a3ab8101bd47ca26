/* Designs of experiments: coordinates of a run in the unit cube, from its index alone. */
#include "study/study.h"

#include <math.h>

/* ---- random numbers -------------------------------------------------------------------------- */

/* Finaliser of SplitMix64 (Steele, Lea, Flood 2014): a bijection that mixes all bits. */
static uint64_t design_mix(uint64_t x) {
  x += 0x9e3779b97f4a7c15U;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9U;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebU;
  return x ^ (x >> 31);
}

static uint64_t design_hash(uint64_t seed, uint64_t a, uint64_t b) {
  return design_mix(design_mix(design_mix(seed) ^ a) ^ b);
}

static double design_unit(uint64_t bits) {
  return (double)(bits >> 11) * 0x1p-53;
}

/* ---- Latin hypercube ------------------------------------------------------------------------- */

/* Pseudo-random permutation of 0 .. count - 1: a Feistel network over the next even number of bits,
 * repeated until the image is in range. */
static uint64_t design_permute(uint64_t i, uint64_t count, uint64_t key) {
  int half = 1;
  while (((uint64_t)1 << (2 * half)) < count) {
    half++;
  }
  uint64_t mask = ((uint64_t)1 << half) - 1;
  do {
    uint64_t left = i >> half, right = i & mask;
    for (uint64_t round = 0; round < 6; round++) {
      uint64_t next = left ^ (design_hash(key, right, round) & mask);
      left = right;
      right = next;
    }
    i = left << half | right;
  } while (i >= count);
  return i;
}

static double design_latin(const ff_design *design, long run, int parameter) {
  uint64_t key = design_hash(design->seed, 0x1a71, (uint64_t)parameter);
  uint64_t stratum = design_permute((uint64_t)run, (uint64_t)design->samples, key);
  double inside = design_unit(design_hash(key, 1, (uint64_t)run));
  double u = ((double)stratum + inside) / (double)design->samples;
  return u < 1 ? u : nextafter(1, 0);
}

/* ---- Sobol ----------------------------------------------------------------------------------- */

/* Primitive polynomials and initial direction numbers of dimensions 2 to 21 (Joe & Kuo 2008). */
static const struct {
  int degree, coefficients;
  unsigned m[7];
} directions[FF_SOBOL_DIMENSIONS - 1] = {
    {1, 0, {1}},
    {2, 1, {1, 3}},
    {3, 1, {1, 3, 1}},
    {3, 2, {1, 1, 1}},
    {4, 1, {1, 1, 3, 3}},
    {4, 4, {1, 3, 5, 13}},
    {5, 2, {1, 1, 5, 5, 17}},
    {5, 4, {1, 1, 5, 5, 5}},
    {5, 7, {1, 1, 7, 11, 19}},
    {5, 11, {1, 1, 5, 1, 1}},
    {5, 13, {1, 1, 1, 3, 11}},
    {5, 14, {1, 3, 5, 5, 31}},
    {6, 1, {1, 3, 3, 9, 7, 49}},
    {6, 13, {1, 1, 1, 15, 21, 21}},
    {6, 16, {1, 3, 1, 13, 27, 49}},
    {6, 19, {1, 1, 1, 15, 7, 5}},
    {6, 22, {1, 3, 1, 15, 13, 25}},
    {6, 25, {1, 1, 5, 5, 19, 61}},
    {7, 1, {1, 3, 7, 11, 23, 15, 103}},
    {7, 4, {1, 3, 7, 13, 13, 15, 69}},
};

/* Direction numbers v[0..31] of a dimension (0-based), as 32-bit binary fractions. */
static void design_directions(int dimension, uint32_t v[32]) {
  if (dimension == 0) {
    for (int i = 0; i < 32; i++) {
      v[i] = (uint32_t)1 << (31 - i);
    }
    return;
  }
  int s = directions[dimension - 1].degree;
  unsigned a = (unsigned)directions[dimension - 1].coefficients;
  for (int i = 0; i < 32; i++) {
    if (i < s) {
      v[i] = directions[dimension - 1].m[i] << (31 - i);
      continue;
    }
    v[i] = v[i - s] ^ (v[i - s] >> s);
    for (int k = 1; k < s; k++) {
      v[i] ^= ((a >> (s - 1 - k)) & 1U) * v[i - k];
    }
  }
}

/* Point i in Gray-code order, with a random shift of its digits. */
static double design_sobol(uint64_t seed, long run, int dimension) {
  uint32_t v[32], x = 0;
  design_directions(dimension, v);
  uint64_t gray = (uint64_t)run ^ ((uint64_t)run >> 1);
  for (int i = 0; i < 32; i++) {
    x ^= (gray >> i & 1) ? v[i] : 0;
  }
  uint64_t shift = design_hash(seed, 0x50b01, (uint64_t)dimension);
  return design_unit((uint64_t)x << 32 ^ shift);
}

/* Rows 0 .. N-1: matrix A; N .. 2N-1: B; then for each parameter A with its column from B (Saltelli
 * et al. 2010). A and B are the first and last dimensions of one Sobol sequence. */
static double design_saltelli(const ff_design *design, int parameters, long run, int parameter) {
  long block = run / design->samples, row = run % design->samples;
  bool from_b = block == 1 || block == parameter + 2;
  int dimension = parameter + (from_b ? parameters : 0);
  return 2 * parameters <= FF_SOBOL_DIMENSIONS
             ? design_sobol(design->seed, row, dimension)
             : design_unit(design_hash(design->seed, (uint64_t)row, (uint64_t)dimension));
}

double ff_design_coordinate(const ff_design *design, int parameters, long run, int parameter) {
  switch (design->kind) {
    case FF_DESIGN_LATIN_HYPERCUBE: return design_latin(design, run, parameter);
    case FF_DESIGN_SOBOL: return design_sobol(design->seed, run, parameter);
    case FF_DESIGN_SALTELLI: return design_saltelli(design, parameters, run, parameter);
    case FF_DESIGN_GRID:
    case FF_DESIGN_RANDOM: break;
  }
  return design_unit(design_hash(design->seed, (uint64_t)run, (uint64_t)parameter));
}
