/* Inside the stepper `quasi-rigid`: one step as a mixed complementarity problem.
 *
 * Unknowns: of each body its velocity v and angular momentum L at the end of the step; of each
 * contact the core's impulse p_nr and the friction impulse in units of its ellipsoid,
 * P = (p_t / e_t, p_o / e_o, p_r / e_r). Position and orientation at the end follow from v and L,
 * the contact geometry from these, by the closest points of the two shapes there; so everything is
 * taken at the end of the step, as in [Chakraborty07 eq. 14, 15], but without their unknowns for
 * points, deflection and slip speed.
 */
#ifndef FF_STEP_QUASI_RIGID_H
#define FF_STEP_QUASI_RIGID_H

#include "footfall/ncp.h"
#include "geom/geom.h"
#include "model/state.h"

/* A body during the step. Bodies that are not free have their end already. */
typedef struct ff_quasi_body {
  int id;         /* in the model */
  int unknown;    /* place of its six unknowns; -1: it moves on its own */
  int island;     /* the lowest slot that it is connected with */
  ff_vec3 x;      /* m, where it starts */
  ff_quat q;      /* the same */
  ff_vec3 v0, w0; /* m/s, rad/s, at the start */
  ff_vec3 v, l;   /* m/s, kg m^2/s: at the end if nothing touches */
  /* at the end, as the unknowns have it */
  ff_body_motion end;
  ff_vec3 momentum;    /* kg m^2/s */
  ff_mat3 inv_inertia; /* 1/(kg m^2), world; 0 if it is not free */
  ff_mat3 turned;      /* rad/(kg m^2/s): how the end turns with the momentum; Jacobian only */
} ff_quasi_body;

/* A contact point during the step. */
typedef struct ff_quasi_contact {
  int point;   /* in the state */
  int near;    /* its pair of shapes */
  int a, b;    /* among the step's bodies */
  int island;  /* of the bodies */
  int unknown; /* place of its four unknowns */
  const ff_layer *layer;
  const ff_cone *cone;
  double relaxed;    /* m, deflection of a layer that is let go */
  double weight;     /* kg: friction's projection weighs speeds with it */
  double soft;       /* 1, tangential give */
  double before[3];  /* N s, friction of the step before, as p */
  ff_touch touch;    /* at the end, as the unknowns have it */
  double p_ns;       /* N s, of the layer */
  double p_nr, p[3]; /* N s, the unknowns */
} ff_quasi_contact;

typedef struct ff_quasi {
  const ff_model *model;
  ff_state *state;
  ff_arena arena;
  double h;
  double widen;          /* contacts within this many times their reach take part */
  ff_quasi_body *bodies; /* body_count */
  ff_quasi_contact *contacts;
  int contact_count, contact_capacity;
  /* the island that is being solved */
  int island, size;
  int *members; /* contacts of it */
  int member_count;
  double rough; /* share of the friction coefficients that counts: 1, but on the way there */
  ff_ncp *ncp;
  int unknown_limit;
  double *z, *lower, *good;
  ff_near *held_nears; /* as they were before the step */
  ff_point *held_points;
  int held_count;
} ff_quasi;

/* ---- quasi_problem.c ----------------------------------------------------------------- */

/* Puts a body where v and l bring it. */
void ff_quasi_move(const ff_quasi *quasi, ff_quasi_body *body, ff_vec3 v, ff_vec3 l);
/* Geometry and layer impulse of a contact where its bodies are now. */
void ff_quasi_look(const ff_quasi *quasi, ff_quasi_contact *contact);
/* Velocity of a against b at the contact, at the end of the step or at its start. */
ff_vec3 ff_quasi_slip(const ff_quasi *quasi, const ff_quasi_contact *contact, bool start,
                      double *spin);
/* The impulse on a: force part, and moment about the point. */
ff_vec3 ff_quasi_impulse(const ff_quasi_contact *contact, ff_vec3 *moment);
/* Solves the present island; its bodies and contacts are then at the solution. */
bool ff_quasi_solve(ff_quasi *quasi);

int ff_quasi_residual(void *context, const double *z, double *f);
int ff_quasi_jacobian(void *context, const double *z, double *j);

/* ---- quasi_contacts.c ------------------------------------------------------------------ */

/* Contacts that the bodies' free flight may bring about. False: more than there is room for. */
bool ff_quasi_gather(ff_quasi *quasi);
/* Is there one that the bodies' end brings about and that was not gathered? */
bool ff_quasi_missed(const ff_quasi *quasi);
/* Do two shapes that are apart at the end of the step pass through each other on the way? */
bool ff_quasi_skipped(const ff_quasi *quasi);
/* Writes forces, energies and losses of the step into the state. */
void ff_quasi_book(ff_quasi *quasi);

#endif
