/* Inverse inertias of the links of a robot. */
#ifndef FF_MODEL_LINKS_H
#define FF_MODEL_LINKS_H

#include "model/model.h"

/* Sets inv_mass, inv_inertia and ease of a robot's links in `bodies` (all of the model), in the
 * initial configuration. ease: 36 numbers for each link. FF_ERROR_INPUT: a joint moves links
 * without inertia about its axis. */
ff_status ff_links_inverse_inertias(const ff_model_robot *robot, ff_model_body *bodies,
                                    double *ease);

#endif
