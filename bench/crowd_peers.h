/* Bullet and ODE as peers of bench_crowd: the same pile in the same box. */
#ifndef FF_BENCH_CROWD_PEERS_H
#define FF_BENCH_CROWD_PEERS_H

#ifdef __cplusplus
extern "C" {
#endif

/* A body of the pile: a sphere or a box. */
typedef struct crowd_body {
  double position[3]; /* m */
  double half[3];     /* m, half edges of a box; of a sphere its radius, 0, 0 */
  double mass;        /* kg */
} crowd_body;

typedef struct crowd_pile {
  const crowd_body *bodies;
  int count;
  double width; /* m, of the box, whose floor is at z = 0 and whose middle is at x = y = 0 */
  double step;  /* s */
  double mu;    /* 1, friction */
} crowd_pile;

typedef struct crowd_peer {
  const char *name;
  void *(*create)(const crowd_pile *pile);
  void (*step)(void *world);
  /* contacts that press, and the deepest of them, m */
  void (*measure)(void *world, int *contacts, double *depth);
  void (*destroy)(void *world);
} crowd_peer;

extern const crowd_peer crowd_bullet, crowd_ode;

#ifdef __cplusplus
}
#endif

#endif
