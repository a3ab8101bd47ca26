/* Simbody's elastic foundation, measured. */
#ifndef FF_BENCH_SIMBODY_PEER_H
#define FF_BENCH_SIMBODY_PEER_H

#ifdef __cplusplus
extern "C" {
#endif

typedef struct simbody_peer {
  double seconds; /* an evaluation, best of many rounds; 0: no mesh was good enough */
  double force;   /* N, vertical */
  double off;     /* of the finest mesh's force, relative */
  int faces;
} simbody_peer;

/* An ellipsoid, tilted and moving, at this height of its centre over a half-space. */
simbody_peer simbody_elastic_foundation(const double axes[3], double stiffness, double friction,
                                        double height);

#ifdef __cplusplus
}
#endif
#endif
