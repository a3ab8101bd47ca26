/* Mass, centre of mass and inertia of a body, as given or computed from its shapes. */
#ifndef FF_MODEL_INERTIA_H
#define FF_MODEL_INERTIA_H

#include "model/model.h"
#include "model/scene.h"

typedef struct ff_mass_properties {
  double mass;     /* kg */
  ff_vec3 com;     /* m, body frame */
  ff_mat3 inertia; /* kg m^2 about com, body axes */
} ff_mass_properties;

/* Shapes of a body, posed in the body frame, and the density of each (NAN: unknown). */
typedef struct ff_shape_list {
  const ff_model_shape *shapes;
  int count;
  const double *densities;
} ff_shape_list;

/* On FF_ERROR_INPUT the report's key is relative to the body ("mass"). */
ff_status ff_body_mass_properties(ff_mass_properties *out, const ff_body_def *def,
                                  const ff_shape_list *list, ff_report *report);

#endif
