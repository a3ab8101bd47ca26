/* Free rotation of a rigid body. */
#ifndef FF_STEP_ROTATION_H
#define FF_STEP_ROTATION_H

#include "model/model.h"

/* Orientation after time h of a body that turns freely with angular momentum (world, constant).
 * Exact for round bodies and tops; else the symplectic splitting into turns about the principal
 * axes, of second order. */
ff_quat ff_rotate_freely(const ff_model_body *body, ff_quat q, ff_vec3 momentum, double h);
/* How that end turns with the momentum, both seen from the world. */
ff_mat3 ff_rotate_slope(const ff_model_body *body, ff_quat q, ff_vec3 momentum, double h);

#endif
