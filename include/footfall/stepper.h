/* The time steppers: what scenes, the audit and programs need to know of each. */
#ifndef FOOTFALL_STEPPER_H
#define FOOTFALL_STEPPER_H

#include "footfall/api.h"
#include "footfall/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* How a stepper gets the forces of contacts. */
typedef enum ff_contact_method {
  FF_CONTACTS_BY_FORCE, /* evaluates the laws' forces: steps must resolve each contact */
  FF_CONTACTS_BY_LAYER, /* solves for the impulses of compliant layers and friction cones */
  FF_CONTACTS_BY_GROUND /* forces of elastic parts, impulses of rigid ones: `micro-macro` */
} ff_contact_method;

typedef struct ff_stepper_info {
  const char *name;         /* `stepper.kind` in scenes */
  const char *summary;      /* one line */
  const char *citation;     /* key of docs/bibliography.md; "": none */
  int order;                /* of convergence for smooth motion; 0: error-controlled */
  const char *const *keys;  /* of `stepper` in scenes that it reads besides `kind`; NULL ends.
                             * Others are ignored, so that a scene changes steppers by one word */
  double energy_tolerance;  /* 1, default of audit.energy-tolerance */
  double contact_tolerance; /* 1, error of contact forces relative to the largest that the audit
                             * allows; INFINITY: it judges none */
  double crowd_accuracy;    /* 1, default of `stepper.accuracy`; 0: it has no such key */
  ff_contact_method contacts;
  bool fixed_step;        /* takes steps of `stepper.step`; false: chooses their length */
  bool locates_events;    /* ends steps at touch-down and lift-off */
  bool midpoint_contacts; /* solves for contacts with friction over the step
                             (step/midpoint_contact.h) */
  bool keeps_constraints;
  bool constrains_links; /* constraints may hold links of robots */
  bool only_loses;       /* no loss, of contacts or of the step itself, may give energy back */
} ff_stepper_info;

FF_API int ff_stepper_count(void);
FF_API const ff_stepper_info *ff_stepper_at(int index);          /* NULL: out of range */
FF_API const ff_stepper_info *ff_stepper_find(const char *name); /* NULL: unknown */

#ifdef __cplusplus
}
#endif
#endif
