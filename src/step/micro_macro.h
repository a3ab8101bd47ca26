/* Inside the stepper `micro-macro`: elastic parts push by forces, rigid ones by impulses, in one
 * step [Sugihara03].
 *
 * All that happens at the contacts of a step happens where it starts. Bodies and robots that
 * contacts tie together form an island; each island is solved on its own:
 *   micro forces       of elastic parts, known in advance or folded into the inertia
 *   macro impulses     of rigid parts, by a quadratic programme
 *   stick and slip     settled anew if need be, friction modified at last
 */
#ifndef FF_STEP_MICRO_MACRO_H
#define FF_STEP_MICRO_MACRO_H

#include "footfall/qp.h"
#include "model/state.h"
#include "step/micro_crowd.h"
#include "step/rows.h"

#include <stdatomic.h>

/* A contact point during a step. Triples are along the normal row of its Jacobian (its push), t1
 * and t2, of a against b. */
typedef struct ff_micro_contact {
  int point; /* in the state */
  int a, b;  /* bodies */
  int island;
  int row; /* first of its three rows */
  const ff_ground *ground;
  const ff_grip *grip;
  double depth; /* m */
  /* of the elastic part, along the normal row: those of the ground, scaled by weight and pace */
  double per_depth; /* N per m of depth */
  double stiffness; /* N/m along the row */
  double damper;    /* N s/m, while it is pressed in */
  double speed[3];  /* m/s, at the start, against where b is going if it moves on its own */
  double end[3];    /* m/s, at the end */
  /* the elastic part */
  bool soft;      /* takes part, */
  bool early;     /* also before the bodies overlap */
  double damping; /* N s/m, of the normal force */
  double force[3];
  /* its friction: spring and damper, in series with a clutch */
  bool sticks;      /* the law does: else there is no spring, and the damper is viscous friction */
  bool slips;       /* the clutch does; else force[1] and force[2] follow the slip */
  int returns;      /* times that it stuck again in the step */
  double limit;     /* 1, coefficient up to which it sticks */
  double root;      /* (N/m)^0.5, of the spring's stiffness */
  double resist;    /* N s/m, of the damper, and of the spring over half the step */
  double share;     /* 1, of the slip at the end of the step in the slip that it resists */
  double memory[2]; /* J^0.5, root times the deflection along t1 and t2 at the start */
  double mobility;  /* 1/kg, bound along the tangents */
  /* the rigid part */
  int unknown;     /* first of its unknowns */
  bool hard;       /* takes part */
  bool impact;     /* approached fast: leaves with the restitution of the law */
  double room;     /* m along the normal row, to the rigid part; INFINITY: `hard` does not change */
  double crept[2]; /* m along t1 and t2, since it sticks to the rigid part */
  double turning[3]; /* m/s, by how much the motion of the bodies has turned the speeds in a step */
  bool slides;       /* friction follows the normal impulse: it is mu of it, against slip */
  bool holds;        /* ... and is all that static friction can be */
  int turns;         /* times that this was settled anew */
  double mu;         /* 1 */
  double slip[2];    /* unit */
  double drift;      /* m/s, how it moved when it was to stick */
  double impulse[3];
} ff_micro_contact;

typedef struct ff_micro {
  const ff_model *model;
  ff_state *state;
  ff_arena arena;
  double h;
  ff_micro_contact *contacts; /* sorted by island */
  int contact_count, contact_capacity;
  ff_micro_contact *unsorted;
  /* movers (see step/rows.h) */
  int *island;        /* of each mover: the lowest one that it is tied to */
  int *movers;        /* sorted by island */
  int *mover_start;   /* of each island, and one more: its first in movers */
  int *contact_start; /* the same in contacts */
  int *change_at;     /* of each mover: its part of change */
  double *change;     /* of all velocities in the step */
  /* the island that is being solved */
  ff_micro_contact *members;
  int member_count;
  ff_rows rows;
  double *base;    /* generalised impulse without contacts */
  double *folded;  /* what it and elastic parts reach, see step/rows.h */
  double *reached; /* ... with the impulses of rigid parts */
  double *eases;   /* J H^-1 J^T of the rows of rigid parts; by rows of all contacts */
  ff_qp *qp;
  ff_solver_info *info;
  const atomic_bool *cancelled;
  int unknowns, unknown_limit;        /* of the last programme; at most */
  double *columns, *hessian, *target; /* A by columns, A^T A + lambda, v */
  double *gradient, *lower, *x;
  double *miss;             /* v - A x */
  double *factor;           /* of the hessian of unknowns that are not at a bound, ... */
  int *picked;              /* ... which are these; before that, rows of unknowns */
  int *chain;               /* parents of unknowns, as ff_branch_factor wants them: a full matrix */
  ff_point *held;           /* as they were before the step, */
  ff_micro_point *held_own; /* and with them */
  ff_vec3 *places;          /* body_count */
  int *shares;              /* of each mover: its contacts in the step */
  ff_micro_crowd crowd;     /* large islands of free bodies, */
  bool *in_crowd;           /* of each island */
  struct ff_team **team;
} ff_micro;

/* ---- micro_contacts.c ------------------------------------------------------------------ */

/* Contacts of the state as it stands, and the islands they form. */
void ff_micro_gather(ff_micro *micro);
/* Pushes bodies with what the contacts of the step did, and books it: rates into the ledger,
 * losses too. */
void ff_micro_book(ff_micro *micro, double *ledger);
/* Forces of the step into the state's points. */
void ff_micro_show(ff_micro *micro);
/* Energy of elastic parts where the points are now. */
void ff_micro_store(const ff_model *model, ff_state *state);
/* Forces by which changing weights of samples pay for the energy of elastic parts. */
void ff_micro_push_weights(const ff_model *model, ff_state *state, double *ledger);

/* ---- micro_macro.c --------------------------------------------------------------------- */

/* Makes an island the one at hand. False: it has no contacts. */
bool ff_micro_choose(ff_micro *micro, int island);
/* Inertia of its movers, and rows of its contacts. False: no room. */
bool ff_micro_add_rows(ff_micro *micro, const int *movers, int count);

/* ---- micro_positions.c ----------------------------------------------------------------- */

/* How deep (m) contacts with a rigid part stay in it: less would be no contact. */
double ff_micro_slop(const ff_model *model, const ff_near *near);
/* Moves a free body: turn (rad) and way (m), world. */
void ff_micro_displace_body(ff_micro *micro, int slot, ff_vec3 turn, ff_vec3 way);
/* Is some contact inside a rigid part? */
bool ff_micro_is_inside(const ff_model *model, const ff_state *state);
/* J, of the elastic parts where points were found last. */
double ff_micro_elastic_energy(const ff_state *state);
/* Moves bodies and robots out; contacts are then to be found again. places: room for one vector a
 * body. False: no room, or an inertia is not positive; the state is then half moved. */
bool ff_micro_leave(ff_micro *micro, ff_vec3 *places);

/* ---- micro_forces.c -------------------------------------------------------------------- */

/* Which elastic parts of contacts take part, and how. */
void ff_micro_meet(const ff_micro *micro, ff_micro_contact *contacts, int count);
/* Folds them into inertia and impulse of the island. */
void ff_micro_fold(ff_micro *micro, double *push);
/* With the speeds at the end: forces, and whether the fold was one that may stay. */
bool ff_micro_settle(ff_micro *micro, bool last);

/* How fast (m/s) the spring that friction of the elastic part sticks on is stretched in the step,
 * along t1 (0) or t2 (1); the clutch has the rest of the mean slip. */
double ff_micro_stretch(const ff_micro *micro, const ff_micro_contact *contact, int k);

/* ---- micro_impulses.c ------------------------------------------------------------------- */

/* Rigid parts that would be entered before the end of the step take part from now on, with the
 * speeds at the end. False: there is none. */
bool ff_macro_admit(ff_micro *micro);
/* Slip along t1 (0) or t2 (1) at the end of the step with which a point sticks: it goes back what
 * it has crept, and where bodies roll the mean slip of the step is 0. */
double ff_macro_sticking_slip(const ff_micro *micro, const ff_micro_contact *contact, int k);
/* Speed at which a point shall leave after an impact [Sugihara03 eq. 29]; an approach that is no
 * faster than gravity makes it in two steps is not an impact, or rest would never come. Else it may
 * come as near as there is room; from inside it leaves no faster than gravity makes it in a step.
 */
double ff_macro_leaving_speed(const ff_micro *micro, const ff_micro_contact *contact);
/* How rigid parts move one another, once the rows are factored. */
void ff_macro_ease(ff_micro *micro);
/* Impulses of rigid parts, given what happens without them (reached, and the members' end); adds
 * what they do to both. */
ff_status ff_macro_solve(ff_micro *micro);
/* With the speeds at the end: settles stick and slip anew. False: nothing changed. */
bool ff_macro_revise(ff_micro *micro);
/* Friction of points that would stick but are not held becomes kinetic. False: there was none. */
bool ff_macro_modify(ff_micro *micro);

#endif
