/* Mixed complementarity problems solved by Siconos numerics. */
#ifndef FF_BENCH_SICONOS_PEER_H
#define FF_BENCH_SICONOS_PEER_H

enum { PEER_FISCHER, PEER_MIN, PEER_METHODS };

typedef struct peer {
  int free, complementary; /* rows that are equations come first */
  int (*residual)(void *context, const double *z, double *f);
  int (*jacobian)(void *context, const double *z, double *values); /* by columns */
  void *context;
  void *problem, *options; /* Siconos' own */
} peer;

/* free, complementary, the two functions and the context must be set; the peer must stay where it
 * is. Nonzero: it cannot be had. */
int peer_open(peer *peer, int method, double tolerance, int iterations);
void peer_close(peer *peer);
/* Siconos tells of every singular matrix: nobody hears it from here on. */
void peer_hush(void);
/* From z; nonzero: not solved. */
int peer_solve(peer *peer, double *z);

#endif
