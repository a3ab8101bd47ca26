/* Links of a robot: inverse inertias, and the motion of the frame that the root is fixed to. */
#ifndef FF_MODEL_LINKS_H
#define FF_MODEL_LINKS_H

#include "model/model.h"
#include "tree/tree.h"

/* Sets inv_mass, inv_inertia and ease of a robot's links in `bodies` (all of the model), in the
 * initial configuration. ease: 36 numbers for each link. FF_ERROR_INPUT: a joint moves links
 * without inertia about its axis. */
ff_status ff_links_inverse_inertias(const ff_model_robot *robot, ff_model_body *bodies,
                                    double *ease);

/* Motion of the frame that the root of a robot with a track is fixed to. */
ff_tree_base ff_robot_base_at(const ff_model_robot *robot, double t);

#endif
