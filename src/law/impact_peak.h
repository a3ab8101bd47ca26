/* Peak force of a Hunt-Crossley impact: in compression, before the largest depth. */
#ifndef FF_LAW_IMPACT_PEAK_H
#define FF_LAW_IMPACT_PEAK_H

typedef struct ff_impact_peak {
  double y;        /* 3/2 alpha velocity, there */
  double velocity; /* in units of the speed at the touch */
  double depth;    /* in units of depth_max */
  double eta;      /* arc cosine of depth, accurate also where depth is nearly 1 */
} ff_impact_peak;

/* For the exponent n and y_in = 3/2 alpha speed. */
ff_impact_peak ff_impact_peak_find(double n, double y_in);

#endif
