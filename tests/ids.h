/* Ids by number, of whatever model. */
#ifndef FF_TESTS_IDS_H
#define FF_TESTS_IDS_H

#include "footfall/types.h"

#define ROBOT(n)      ((ff_robot_id){.id = (n)})
#define JOINT(r, n)   ((ff_joint_id){.robot = (r), .id = (n)})
#define CONSTRAINT(n) ((ff_constraint_id){.id = (n)})

#endif
