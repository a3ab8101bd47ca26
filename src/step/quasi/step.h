/* Control of a quasi-rigid step: selection of contacts, passes, predictor, backup, statistics. */
#ifndef FF_STEP_QUASI_STEP_H
#define FF_STEP_QUASI_STEP_H

#include "base/memory.h"
#include "math/predictor.h"
#include "step/quasi/crowd.h"
#include "step/quasi/problem.h"
#include "step/quasi/solver.h"
#include "step/stepper.h"

/* Solution of a contact in a pass. A pass solves the step for one selection of contacts; there are
 * more if contacts were missed or other features touch at the end. */
typedef struct quasi_pass_result {
  long pass;      /* number of the pass; 0: none */
  double z[4];    /* N s */
  ff_touch touch; /* at the end */
  bool pressed;   /* with a normal impulse */
} quasi_pass_result;

typedef struct quasi_step {
  quasi_problem problem;
  quasi_solver solver;
  quasi_crowd crowd;
  const ff_crowd_island *crowd_island; /* that is being solved */
  ff_arena arena;
  ff_arena contact_arena;             /* of what depends on the capacity for contacts */
  double h_before;                    /* s, length of the step before */
  double external_rates[FF_Y_LEDGER]; /* of the ledger, by applied forces at the start */
  double *ledger;                     /* FF_Y_LEDGER: change of the ledger by the step */
  /* passes */
  bool prisms_fixed;          /* prisms of cylinders do not turn in a pass */
  bool *wanted;               /* near_capacity: pairs that take part at any distance */
  int reselections;           /* passes with feature pairs of the end of the previous pass */
  bool repeated;              /* there was a pass before: its solution is the initial guess */
  long pass;                  /* number of that */
  quasi_pass_result *results; /* contact_capacity, by point: its solution */
  bool moved;                 /* a body may not be at the end of free flight */
  /* impacts (impacts.c) */
  double wanted_h;   /* s, shorter step that an attempt asks for; problem.h: none */
  double impact_h;   /* s, step that resolves the impacts that go on, */
  double impact_end; /* s, until this time */
  /* predictor: change of v and L by contacts and constraints per second, two for each free body */
  ff_predictor *predictor;
  double predictor_end; /* s, end of its last step */
  /* statistics */
  ff_solver_info *info;
  ff_trouble *failure; /* reason of the last failed attempt */
  long cuts;           /* steps, or parts of one, that were halved */
  /* backup for a step that fails: y, pairs and points of the start */
  bool has_backup;
  ff_near *backup_nears;
  ff_point *backup_points;
  ff_layer_point *backup_layers;
  int backup_count;
  /* sleeping: a step that changes nothing is repeated without a solve (sleeping.c) */
  bool autonomous;   /* no force depends on time */
  bool unchanged;    /* the last step ended as it had started */
  long slept_solves; /* solves of that step */
} quasi_step;

/* ---- workspace.c ------------------------------------------------------------------------ */

ff_status ff_quasi_create(ff_work *work);
void ff_quasi_destroy(ff_work *work);
ff_status ff_quasi_grow(ff_work *work);

/* ---- contact_selection.c ---------------------------------------------------------------- */

/* Contacts that may press in the step, constraints, and their islands. False: no capacity. */
bool ff_quasi_select_contacts(quasi_step *step);
/* Adds a contact whose features are constant over the step (sample_selection.c). slot: of its
 * point among those of the pair; at_free_end: touch is of the end of free flight. False: no
 * capacity. */
bool ff_quasi_add_fixed_contact(quasi_step *step, const ff_meet *meet, int pair,
                                const ff_touch *touch, int slot, int inherits, double initial_depth,
                                double start_depth, bool at_free_end);
/* Do shapes touch at the end that have no contact? Their pairs are then wanted. */
bool ff_quasi_missed_contacts(quasi_step *step);
/* Continuous collision check: do two shapes pass through each other? Sets the failure reason. */
bool ff_quasi_passed_through(const quasi_step *step);

/* ---- sample_selection.c ---------------------------------------------------------------------- */

/* Contacts of a pair that has samples. False: no capacity. */
bool ff_quasi_select_samples(quasi_step *step, const ff_meet *meet, int pair, double margin);
/* Has a contact a prism of a cylinder that turns towards it? */
bool ff_quasi_has_prisms(const quasi_problem *problem);
/* Do weights of samples at the end differ from those that were solved for? */
bool ff_quasi_samples_changed(const quasi_problem *problem, int reselections);

/* ---- islands.c -------------------------------------------------------------------------- */

/* Islands: nodes connected by contacts and constraints. False: no capacity. */
bool ff_quasi_group_islands(quasi_step *step);
/* Solves every island on which contacts, constraints or robots act. False: one is not solved. */
bool ff_quasi_solve_islands(quasi_step *step);

/* ---- sleeping.c ------------------------------------------------------------------------- */

/* Is rest, with the impulses of the step before, the solution of the island? Sets x and z. */
bool ff_quasi_is_at_rest(quasi_step *step);
/* Does no force depend on time? Constraints and robots may. */
bool ff_quasi_is_autonomous(const ff_model *model);
/* A body that is asleep (step/sleep.h): its place is given in the step. */
void ff_quasi_hold_body(quasi_problem *problem, int body);
/* Wakes bodies asleep that others push: those that free flight leads into them, or (solved) those
 * with an impulse. True: the step must be begun anew. */
bool ff_quasi_wake_pushed(quasi_step *step, bool solved);
/* Do all bodies end as they started, to the last bit? */
bool ff_quasi_bodies_unchanged(const quasi_problem *problem);
/* Are all points as in the backup? */
bool ff_quasi_points_unchanged(const quasi_step *step);

#endif
