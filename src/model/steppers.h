/* The table of steppers, inside the library. */
#ifndef FF_MODEL_STEPPERS_H
#define FF_MODEL_STEPPERS_H

#include "footfall/stepper.h"

#include <stddef.h>

/* Place of a row in the table. */
int ff_stepper_index(const ff_stepper_info *info);
/* Does the stepper read this key of `stepper`? */
bool ff_stepper_takes(const ff_stepper_info *info, const char *key);

/* All names, in the table's order; returns how many. */
enum { FF_STEPPERS_MAX = 32 };
int ff_stepper_all_names(const char *names[FF_STEPPERS_MAX]);

/* Capabilities, for messages that name the steppers with one of them. */
bool ff_stepper_uses_layers(const ff_stepper_info *info);
bool ff_stepper_uses_ground(const ff_stepper_info *info);
bool ff_stepper_constrains_links(const ff_stepper_info *info);
/* Evaluates force laws at fixed steps, which must then resolve the contacts. */
bool ff_stepper_resolves(const ff_stepper_info *info);
/* Writes the names of the steppers that have it, "rk4, heun or symplectic-euler"; returns text. */
const char *ff_stepper_names(bool (*has)(const ff_stepper_info *), char *text, size_t size);

#endif
