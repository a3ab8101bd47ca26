/* Inside the stepper `quasi-rigid`: one step as a mixed complementarity problem.
 *
 * Unknowns: of each body its velocity v and angular momentum L at the end of the step; of each
 * contact the core's impulse p_nr and the friction impulse in units of its ellipsoid,
 * P = (p_t / e_t, p_o / e_o, p_r / e_r). Position and orientation at the end follow from v and L,
 * the contact geometry from these, by the closest points of the two shapes there; so everything is
 * taken at the end of the step, as in [Chakraborty07 eq. 14, 15], but without their unknowns for
 * points, deflection and slip speed.
 *
 * The problem is put together from elements, as a structure is from beams: each joins two bodies,
 * has up to six unknowns of its own with as many rows, and adds to the rows of its bodies. A
 * contact is one kind of element. Who adds another kind fills in f and j; the solver asks no more.
 *
 * A robot is one node with the generalised velocity of its end as unknowns. To an element its link
 * is a body whose six unknowns are velocity and angular velocity; what elements add there goes on
 * to the robot through the link's Jacobian, see quasi_robots.c.
 */
#ifndef FF_STEP_QUASI_RIGID_H
#define FF_STEP_QUASI_RIGID_H

#include "base/effort.h"
#include "base/team.h"
#include "footfall/ncp.h"
#include "geom/geom.h"
#include "math/vec.h"
#include "model/state.h"
#include "solve/blocks.h"
#include "solve/krylov.h"
#include "solve/linear.h"
#include "step/rows.h"
#include "step/stepper.h"
#include "tree/tree.h"

enum {
  FF_QUASI_BODY = 6, /* unknowns of a body: v, L */
  FF_QUASI_OWN = 6,  /* most unknowns of an element */
  FF_QUASI_ROWS = 2 * FF_QUASI_BODY + FF_QUASI_OWN,
  FF_QUASI_HEAP = 64, /* bodies that make a heap */
  FF_QUASI_PIECE = 32 /* bodies or elements that a thread takes at a time */
};

/* A link during the step: what its elements leave with it, in its own six unknowns. */
typedef struct ff_quasi_link {
  ff_sv from;         /* kg m^2/s about its centre of mass, kg m/s: momentum of the start, and
                       * what gravity adds */
  ff_vec3 com;        /* m, its centre of mass at the start */
  ff_sv v0;           /* rad/s, m/s, of that at the start; */
  ff_sv unbent;       /* the same where the step ends, if the joints moved as at its start */
  double rows[6];     /* N s, N m s about its body's centre */
  double scale[2];    /* the same: size of what was added up */
  double block[6][6]; /* derivative of rows */
  bool busy;          /* block is not zero */
  double step[6];     /* m/s, rad/s: how it goes with the step of its robot */
  double heavy[2];    /* kg m/s, kg m^2/s at its origin: sizes of all beyond its joint */
} ff_quasi_link;

/* All beyond a joint, in world axes at the world's origin; see quasi_bend.c. */
typedef struct ff_quasi_beyond {
  ff_si inertia;
  ff_sv momentum;
  ff_sv wrench;  /* N m s, N s: what does not go with the velocity */
  ff_mat3 lever; /* N m s: sum of where its forces act, times these */
} ff_quasi_beyond;

/* A column of S at the world's origin, and what goes with it. */
typedef struct ff_quasi_bend {
  ff_sv s;
  ff_sv x;      /* how it moves all beyond it */
  ff_sv lead;   /* how the velocity of the parent changes, seen from there, minus s */
  ff_sv held;   /* momentum of all beyond it that moves along it */
  ff_sv turned; /* its own row, with respect to motions of it and of all beyond */
  ff_sv below;  /* what joints nearer to the ground feel of it */
} ff_quasi_bend;

/* A robot during the step. */
typedef struct ff_quasi_robot {
  double *q, *u;           /* where it is, and its unknowns there */
  double *free;            /* v_count: velocity at the end if nothing touches */
  double *push;            /* v_count, N m s: what drives and joints do */
  double *added;           /* v_count: to the diagonal, by looking ahead */
  double *factor;          /* v_count^2: of the inertia of the start, with what is added */
  double *scale;           /* v_count: what its rows are measured by */
  ff_quasi_link *links;    /* link_count */
  ff_quasi_beyond *beyond; /* link_count + 1: as the links of its tree are numbered */
  ff_quasi_bend *bends;    /* one for each column of S */
  ff_tree_wrench ground;   /* N s, N m s about the world's origin: what the ground passed on */
} ff_quasi_robot;

/* A body during the step. Bodies that are not free have their end already. */
typedef struct ff_quasi_body {
  int id;              /* in the model */
  int node;            /* among the unknowns: its mover, see rows.h; -1: it moves on its own */
  ff_quasi_link *link; /* NULL: it is none, or ties of fixed joints hold it */
  bool solved;         /* its unknowns are being solved for just now */
  int column;          /* their place in the dense problem */
  ff_vec3 x;           /* m, where it starts */
  ff_quat q;           /* the same */
  ff_vec3 v0, w0;      /* m/s, rad/s, at the start */
  ff_vec3 l0;          /* kg m^2/s, the same */
  double theta;        /* 1: it moves with the velocity of the end; 1/2: with the mean */
  ff_vec3 v, l;        /* m/s, kg m^2/s: at the end if nothing touches */
  /* at the end, as the unknowns have it */
  ff_body_motion end;
  ff_vec3 momentum;    /* kg m^2/s; of a link: rad/s, its angular velocity */
  ff_mat3 inv_inertia; /* 1/(kg m^2), world; 0 if it is not free; of a link: 1 */
  ff_mat3 turned;      /* rad/(kg m^2/s): how the end turns with the momentum; Jacobian only */
  ff_pose seen;        /* where parts of flat shapes that meet are chosen: its start, or an end that
                          was found with others */
  ff_pose flown;       /* the end of free flight, when contacts were gathered */
  bool strayed;        /* it may be elsewhere now */
  ff_vec3 found_v, found_l; /* m/s, kg m^2/s: at the end, as the look before found it */
} ff_quasi_body;

/* How a contact's geometry changes with three shifts, or three turns, of body a: by columns. */
typedef struct ff_quasi_slope {
  ff_vec3 depth;
  ff_mat3 point, normal;
  bool turns; /* the normal does; else normal is not set */
} ff_quasi_slope;

/* What an element was when it was last eliminated, with all its island. */
typedef struct ff_quasi_kept {
  long factor;        /* which time that was; 0: its columns are others now */
  int nodes, members; /* of the island */
  bool nearly;        /* its factors are only near those of its matrix */
  int name;           /* its point or constraint */
  int regime;         /* which of its rows hold how */
} ff_quasi_kept;

/* Rows 0..5 belong to body a, 6..11 to b, 12.. to the element; columns alike. */
typedef struct ff_quasi_element {
  int a, b;    /* among the step's bodies */
  bool joint;  /* it is a ff_quasi_joint; else a ff_quasi_contact */
  int rows;    /* unknowns of its own */
  int unknown; /* their place in the vector of the dense problem */
  bool idle;   /* presses and pulls nothing: its rows are zero, j is not set */
  bool shares; /* other contacts of the same two shapes share their load with it */
  double mass; /* kg: turns its impulses into speeds, to weigh one against the other */
  double lower[FF_QUASI_OWN];     /* N s, bounds of its unknowns: 0, or -INFINITY: an equation */
  double z[FF_QUASI_OWN];         /* N s, its unknowns; */
  double before[FF_QUASI_OWN];    /* in the step before, */
  double guess[FF_QUASI_OWN];     /* and as the steps before lead to expect */
  double f[FF_QUASI_ROWS];        /* N s and N m s in the rows of bodies; its own in m/s */
  double push, twist;             /* N s, N m s: size of what f adds up, and */
  double push_noise, twist_noise; /* how much of it is rounding */
  double size[FF_QUASI_OWN], noise[FF_QUASI_OWN]; /* m/s: the same of its own rows */
  /* of the solver */
  double own[FF_QUASI_OWN];    /* m/s: its rows as equations; */
  bool at_bound[FF_QUASI_OWN]; /* they say that the unknown is at its bound */
  double base[FF_QUASI_OWN], step[FF_QUASI_OWN], good[FF_QUASI_OWN];
  /* linearised: */
  double inverse[FF_QUASI_OWN][FF_QUASI_OWN];      /* of its own matrix; */
  double reduced[FF_QUASI_OWN][2 * FF_QUASI_BODY]; /* that, times its bodies' columns */
  double offset[FF_QUASI_OWN];                     /* and times its rows; */
  double push_by[2 * FF_QUASI_BODY][FF_QUASI_OWN]; /* its own columns in its bodies' rows */
  int left[2]; /* what is left of it in the rows of a and of b: places among lefts */
  ff_quasi_kept kept;
} ff_quasi_element;

/* Derivatives of f. */
typedef double ff_quasi_matrix[FF_QUASI_ROWS][FF_QUASI_ROWS];

/* What is left of an element in the rows of one of its bodies, its own unknowns eliminated. Those
 * of a body of a heap stand together. */
typedef struct ff_quasi_left {
  long factor;        /* which factors it went into */
  double *between;    /* where `other` is added in the matrix, between two free bodies */
  bool idle;          /* the element is, and nothing else is set */
  double right[6];    /* N s, N m s: what the bodies' steps are to make up for */
  double own[6][6];   /* by the unknowns of that body, */
  double other[6][6]; /* and of the other one */
} ff_quasi_left;

/* The layer of a contact during a step: see quasi_layer.c. Of two layers first a's. */
typedef struct ff_quasi_layer {
  double start;     /* m, depth at the start of the step; order 2 only */
  double deflected; /* m, deflection then */
  double relaxed;   /* m, deflection of a layer that is let go */
  double slope[2];  /* N s/m, impulse for each metre */
  double held[2];   /* N s, what the damper takes off it */
  /* tangential */
  double ease[2][2];    /* m/(N s) */
  double before[2];     /* m, deflection at the start */
  double shear_held[2]; /* N s, what the damper adds */
  double leans[2];      /* N s/m, tangential impulse for each metre of depth */
  double pull[2];       /* 1, normal impulse that friction brings along */
} ff_quasi_layer;

/* How a link moves with one coordinate of its robot: velocity of its body's centre, and turning. */
typedef struct ff_quasi_column {
  int at;
  double c[6];
} ff_quasi_column;

/* y = P - rho w, and how it is projected. */
typedef struct ff_quasi_projection {
  double y[3], length, radius;
  bool slips;        /* y is outside the ball */
  bool turned;       /* the slip counts half way to its direction at the start: order 2, */
  double turn[3][3]; /* 1, and changes so with that of the end */
} ff_quasi_projection;

/* A contact point during the step. Its unknowns: p_nr, and with friction P. */
typedef struct ff_quasi_contact {
  ff_quasi_element e; /* first */
  int point;          /* in the state */
  int memory;   /* the point that it goes on from: the same, or one that bore its name before; -1:
                   nobody knows it yet, */
  double began; /* m: but its layer was pressed by this where the step starts */
  int near;     /* its pair of shapes */
  const ff_layer *layer;
  const ff_cone *cone;
  ff_quasi_layer state;
  double theta;         /* that it is ready for */
  double weight;        /* kg: friction's projection weighs speeds with it */
  double soft;          /* 1, tangential give */
  ff_vec3 axis;         /* t1 is this axis of b, seen in the tangent plane */
  double flown;         /* m, depth at the end of free flight */
  bool unseen;          /* it is not known where free flight leads: the touch is of the start */
  ff_touch touch;       /* at the end, as the unknowns have it */
  ff_touch at_start;    /* at the start, */
  double early;         /* 1, share of its impulses that acts there; order 2 */
  bool slid;            /* it slipped there, */
  double slid_along[3]; /* 1, in this direction, in units of the ellipsoid */
  double p_ns;          /* N s, of the layer */
  double stiff;         /* N s/m, how it grows with the depth */
  /* where its rows were found, if it is not idle: */
  ff_vec3 impulse, moment; /* N s, N m s about the point, on a */
  ff_vec3 slip;            /* m/s, of a against b; with friction only, as */
  ff_quasi_projection to;  /* what that comes to */
  ff_quasi_slope slope[2]; /* shifts, turns */
  ff_pose slope_at[2];     /* poses of a and b that slope belongs to */
  bool sloped;             /* slope is set */
  /* Between shapes that are all corners and faces, for the whole step, since which part of one
   * touches which of the other may be another at every look. If rounded, touch.spot names them;
   * else it is a point of one over a plane of the other: */
  bool fixed;
  ff_vec3 on_a, on_b; /* m, in the bodies' frames: points of the two that lay over one another */
  ff_vec3 out_of;     /* unit, in the frame of the body that touch.turns names: the normal */
  ff_vec3 edges[2];   /* in a's frame and in b's, if it turns with both */
} ff_quasi_contact;

/* A constraint during the step. Its unknowns: an impulse for each condition. */
typedef struct ff_quasi_joint {
  ff_quasi_element e;       /* first */
  int constraint;           /* in the model */
  double length;            /* m: directions that are off count as places this far away */
  double early;             /* share of its impulses that acts where the step starts: order 2 */
  ff_constraint_rows start; /* there */
} ff_quasi_joint;

/* What a look at the step found of a point. */
typedef struct ff_quasi_found {
  long look;      /* which one: 0: none */
  double z[4];    /* N s */
  ff_touch touch; /* where it ended, */
  bool pressed;   /* with a push */
} ff_quasi_found;

/* Room for following a path: see quasi_path.c. */
typedef struct ff_quasi_path {
  int limit; /* most unknowns */
  ff_linear *linear;
  int *start, *index;                /* its pattern */
  double *matrix, *jacobian;         /* by columns */
  double *unit, *row, *mass;         /* of each unknown, and of its row */
  double *y, *next, *f, *z;          /* places; the last entry is lambda */
  double *tangent, *turned, *beyond; /* directions */
  double sign;                       /* of the determinant, all along; 0: not known yet */
} ff_quasi_path;

/* How far off rows are. */
typedef struct ff_quasi_off {
  double energy; /* J */
  double worst;  /* relative: 1 is as large as what is added up */
} ff_quasi_off;

typedef struct ff_quasi {
  const ff_model *model;
  ff_state *state;
  ff_arena arena;
  double h, h_before;          /* s, the step's length; and that of the step before */
  double fall;                 /* m/s, what gravity does in the step */
  double outside[FF_Y_LEDGER]; /* rates of the ledger by applied forces, where it starts */
  double *booked;              /* FF_Y_LEDGER: what the step adds to the ledger */
  double theta;                /* of the bodies that are being solved for */
  double widen;                /* contacts within this many times their reach take part, */
  bool *wanted;                /* near_capacity: and all of these nears */
  int again;   /* times the step was solved once more, with the parts that met at its end */
  bool looked; /* or anyway; it starts with what the look before found, */
  long looks;  /* which was this one */
  ff_quasi_found *found; /* contact_capacity: that, of each point */
  bool strayed;          /* some bodies are elsewhere than when contacts were gathered */
  ff_quasi_body *bodies; /* body_count */
  ff_quasi_contact *contacts;
  int contact_count, contact_capacity;
  ff_quasi_joint *joints;      /* constraint_count */
  ff_quasi_robot *robots;      /* robot_count */
  ff_quasi_column *columns[2]; /* room for those of a link, twice */
  /* islands: runs of nodes and of elements, by the island's lowest node */
  ff_quasi_element **elements;     /* sorted by island: contacts, then joints */
  int *nodes;                      /* node_limit, sorted by island */
  int *first_node, *first_element; /* node_limit + 2 */
  int *island;                     /* node_limit: the lowest node that it is connected with */
  int node_limit;                  /* bodies and robots that may be unknown */
  int island_limit;                /* the same, or 0: there are no islands to be solved */
  int *first_side; /* node_limit + 2, of a heap: sides of elements by the node of their body: */
  int *sides;      /* twice the place among members, and 1 for b's */
  int *across;     /* of each: the column of the other body in the vectors of a heap; -1: none */
  ff_quasi_left *lefts; /* twice as many as elements: in heaps by sides, else by elements */
  int first_left;       /* of what is being solved */
  int group_count; /* contacts that they were made from, and still join the same bodies; -1: none */
  ff_blocks *blocks;
  ff_krylov *krylov;           /* of heaps; NULL: there are too few bodies for one, as for */
  const double *heap_x;        /* what its matrix is to be multiplied with, */
  double *heap_out;            /* and what comes out */
  double *heap, *heap_weights; /* unknowns of the bodies of one, and what they are weighed by; */
  double (*heap_own)[6][6];    /* free_count: blocks of its matrix on the diagonal */
  double *x, *r, *base, *step, *best; /* unknowns, rows, ... of the nodes */
  double share;                       /* of the step that is taken along it */
  double give, heaviest;              /* 1, how much friction gives way in the linear problem; kg */
  double *row_scale;                  /* of each body two: what r is measured by */
  ff_predictor
      *gain;       /* what contacts and constraints change of v and L of each free body, a second */
  double gain_end; /* s, when the last one ended */
  /* what is being solved: an island, or one body while the others rest */
  const int *solved_nodes;
  int node_count;
  ff_quasi_element **members;
  int member_count;
  bool is_heap; /* so many that factors are only near those of its matrix, and threads share it */
  /* factors of the linearised problem, for later steps */
  long factors;       /* how often it was factored */
  ff_quasi_kept kept; /* what the last time is known by, the same for all elements */
  long first_factor;  /* the earliest that may still serve */
  long orders;        /* of blocks, then */
  double turns;       /* share of contacts' moments that turns bodies: 1, but on the way there */
  double rough;       /* share of the friction coefficients that counts: 1, but on the way there */
  atomic_bool singular; /* an element's own matrix is */
  bool rest_first;      /* friction that is to turn right round is to rest first: */
  atomic_bool rested;   /* there was some in the linear problem */
  bool held_in_cones; /* friction that leaves its cone is put back to it when rows are asked for */
  /* the dense problem, of small islands that resist */
  ff_ncp *ncp;
  int size, unknown_limit;
  double *z, *lower;
  ff_quasi_path path;
  /* how it went: of the run, and of the problem at hand */
  ff_solver_info *info;
  long iterations;
  int tries;            /* starts of Newton's method */
  ff_team *const *team; /* threads that share the work; NULL: this one alone */
  ff_quasi_off *offs;   /* of each piece of the members: how far off its rows are */
  long until;           /* effort at which the step must have ended */
  const atomic_bool *cancelled;
  ff_trouble *trouble; /* why the last attempt failed */
  double off;          /* relative residual where the last one ended */
  bool held;           /* y, nears and points are kept as they were before the step */
  ff_near *held_nears;
  ff_point *held_points;
  int held_count;
  long cuts; /* steps, or parts of one, that had to be halved */
  /* a step that changes nothing need not be solved again: see quasi_rest.c */
  bool timeless; /* nothing acts that knows the time */
  bool same;     /* the last step ended as it had started */
  long answered; /* problems that it solved */
} ff_quasi;

/* The body of a node; NULL: it is a robot. */
static inline ff_quasi_body *ff_quasi_node(const ff_quasi *quasi, int node) {
  return node < quasi->model->free_count ? &quasi->bodies[quasi->model->free_bodies[node]] : NULL;
}
static inline int ff_quasi_robot_of(const ff_quasi *quasi, int node) {
  return node - quasi->model->free_count;
}
/* Among those that are being solved for: they come in their order, robots last. */
static inline bool ff_quasi_has_robot(const ff_quasi *quasi) {
  return ff_quasi_robot_of(quasi, quasi->solved_nodes[quasi->node_count - 1]) >= 0;
}
/* Where elements add to the rows of a body that is being solved for, and to its step or find it. */
static inline double *ff_quasi_rows_of(const ff_quasi *quasi, const ff_quasi_body *body) {
  return body->link ? body->link->rows : quasi->r + ff_blocks_row(quasi->blocks, body->node);
}
static inline double *ff_quasi_step_of(const ff_quasi *quasi, const ff_quasi_body *body) {
  return body->link ? body->link->step : quasi->step + ff_blocks_row(quasi->blocks, body->node);
}
static inline double *ff_quasi_scale_of(const ff_quasi *quasi, const ff_quasi_body *body) {
  return body->link ? body->link->scale : quasi->row_scale + 2 * body->node;
}
/* The body on side s of an element: 0: a, 1: b. */
static inline const ff_quasi_body *ff_quasi_side_of(const ff_quasi *quasi,
                                                    const ff_quasi_element *e, int s) {
  return &quasi->bodies[s == 0 ? e->a : e->b];
}
/* Is the effort used up that a step may take, or was it cancelled? Then whoever looks for a
 * solution gives up. */
static inline bool ff_quasi_must_end(const ff_quasi *quasi) {
  return ff_effort > quasi->until || ff_is_cancelled(quasi->cancelled);
}
/* Columns of an element's bodies that are being solved for: the second may be fixed. */
static inline int ff_quasi_width(const ff_quasi *quasi, const ff_quasi_element *e) {
  return (quasi->bodies[e->b].solved ? 2 : 1) * FF_QUASI_BODY;
}

/* ---- a contact and its bodies: small, and asked for again and again ------------------------- */

static inline ff_vec3 ff_quasi_t2(const ff_touch *touch) {
  return v3_cross(touch->normal, touch->t1);
}
/* From the centre of a body to the contact, at the end or at the start. */
static inline ff_vec3 ff_quasi_arm(const ff_quasi_contact *contact, const ff_quasi_body *body,
                                   bool start) {
  return start ? v3_sub(contact->at_start.point, body->x)
               : v3_sub(contact->touch.point, body->end.pose.position);
}
/* Velocity of a against b at the contact, at the end of the step. */
static inline ff_vec3 ff_quasi_slip(const ff_quasi *quasi, const ff_quasi_contact *contact,
                                    double *spin) {
  const ff_quasi_body *a = &quasi->bodies[contact->e.a], *b = &quasi->bodies[contact->e.b];
  ff_vec3 arm_a = v3_sub(contact->touch.point, a->end.pose.position);
  ff_vec3 arm_b = v3_sub(contact->touch.point, b->end.pose.position);
  ff_vec3 v_a = v3_add(a->end.velocity, v3_cross(a->end.omega, arm_a));
  ff_vec3 v_b = v3_add(b->end.velocity, v3_cross(b->end.omega, arm_b));
  *spin = v3_dot(contact->touch.normal, v3_sub(a->end.omega, b->end.omega));
  return v3_sub(v_a, v_b);
}
/* The impulse on a, in the frame of the touch at the end or at the start: force part, and moment
 * about the point. */
static inline ff_vec3 ff_quasi_impulse(const ff_quasi_contact *contact, const ff_touch *touch,
                                       ff_vec3 *moment) {
  const double *e = contact->cone->e, *p = contact->e.z + 1;
  ff_vec3 out = v3_scale(contact->p_ns + contact->e.z[0], touch->normal);
  out = v3_axpy(out, e[0] * p[0], touch->t1);
  out = v3_axpy(out, e[1] * p[1], ff_quasi_t2(touch));
  *moment = v3_scale(e[2] * p[2], touch->normal);
  return out;
}
/* Where an impulse must act so that x x m v changes by its moment, in the step as it was taken:
 * with x1 = x0 + h ((1 - theta) v0 + theta v1) and m (v1 - v0) = p the change is
 * (x0 + (1 - theta) h v0) x p. */
static inline ff_vec3 ff_quasi_pivot(const ff_quasi *quasi, const ff_quasi_body *body) {
  return v3_axpy(body->x, (1 - body->theta) * quasi->h, body->v0);
}

/* ---- quasi_rigid.c ---------------------------------------------------------------------- */

/* Do contacts multiply the energy, with bodies where they end now? */
bool ff_quasi_is_thrown(const ff_quasi *quasi);

/* ---- quasi_problem.c ----------------------------------------------------------------- */

/* Puts a body where v and l bring it. */
void ff_quasi_move(const ff_quasi *quasi, ff_quasi_body *body, ff_vec3 v, ff_vec3 l);
/* The same with those that it has if nothing touches. */
void ff_quasi_fly(const ff_quasi *quasi, ff_quasi_body *body);
/* Velocity that a body has on its way through the step, on the mean. */
void ff_quasi_on_the_way(const ff_quasi *quasi, const ff_quasi_body *body, ff_vec3 *v, ff_vec3 *w);
/* Makes a contact ready for bodies that move with this theta. */
void ff_quasi_look_back(const ff_quasi *quasi, ff_quasi_contact *contact, double theta);
/* Geometry and layer impulse of all contacts of a pair of shapes where their bodies are now. */
void ff_quasi_look(const ff_quasi *quasi, ff_quasi_contact *contacts, int count);
/* How many contacts from this one on belong to its pair of shapes. */
int ff_quasi_alike(const ff_quasi *quasi, const ff_quasi_contact *contact);
/* Makes of first .. end - 1 among the members whole pairs of shapes: who has the first contact of
 * one has all of them. */
void ff_quasi_whole_pairs(const ff_quasi *quasi, int *first, int *end);
/* Rows of these members, whole pairs, where their bodies are now. */
void ff_quasi_rows(ff_quasi *quasi, int first, int end);
/* How the ends of bodies turn with their momenta, which derivatives need. */
void ff_quasi_turns(ff_quasi *quasi);
/* Takes the derivatives of the rows of an element; they may be written to. */
typedef void ff_quasi_take(void *context, ff_quasi_element *e, ff_quasi_matrix j);
/* Those of all of them that do not idle, there. */
void ff_quasi_columns(ff_quasi *quasi, int first, int end, ff_quasi_take *take, void *context);
/* Friction of an element that is to turn right round passes over rest: its row, and the derivatives
 * asked for next, become those of rest. False: it is not to. */
bool ff_quasi_rest_first(ff_quasi_element *e);

bool ff_quasi_has_core(const ff_quasi_contact *contact);
/* How far a pose is from another, at most, for points within this radius. */
double ff_quasi_way_between(const ff_pose *from, const ff_pose *to, double radius);
/* Every feature's point of a pair of shapes, with the bodies at these poses. */
int ff_quasi_touches_at(const ff_quasi *quasi, int near, const ff_pose *body_a,
                        const ff_pose *body_b, ff_touch out[FF_TOUCH_MAX]);
/* The touch of a contact among those of its pair; NULL: the pair has it no longer. */
const ff_touch *ff_quasi_find_touch(const ff_quasi *quasi, const ff_quasi_contact *contact,
                                    const ff_touch *touches, int count);

/* ---- quasi_columns.c -------------------------------------------------------------------- */

/* How the geometry of all contacts of a pair of shapes changes, where their rows were found. */
void ff_quasi_pair_slopes(const ff_quasi *quasi, ff_quasi_contact *contacts, int count);
/* With that the derivatives of the rows of one. */
void ff_quasi_contact_columns(const ff_quasi *quasi, ff_quasi_contact *contact, ff_quasi_matrix j);

/* ---- quasi_share.c -------------------------------------------------------------------------- */

/* Does the part first .. end - 1 of a work: on bodies or elements that are being solved for. */
typedef void ff_quasi_part(ff_quasi *quasi, int first, int end);
/* Does all of it, in a heap in pieces of FF_QUASI_PIECE, on as many threads as there are. */
void ff_quasi_share_in_heap(ff_quasi *quasi, ff_quasi_part *part, int count);
static inline void ff_quasi_share(ff_quasi *quasi, ff_quasi_part *part, int count) {
  if (quasi->is_heap) {
    ff_quasi_share_in_heap(quasi, part, count);
  } else {
    part(quasi, 0, count);
  }
}
/* Adds side s of an element, 0: a's, that does not idle, to its body, which is being solved for. */
typedef void ff_quasi_side(ff_quasi *quasi, ff_quasi_element *e, int s);
/* Does that for all sides, on as many threads as there are: to each body in the order of members.
 */
void ff_quasi_for_sides_in_heap(ff_quasi *quasi, ff_quasi_side *side);
static inline void ff_quasi_for_sides(ff_quasi *quasi, ff_quasi_side *side) {
  if (quasi->is_heap) {
    ff_quasi_for_sides_in_heap(quasi, side);
    return;
  }
  for (int k = 0; k < quasi->member_count; k++) {
    ff_quasi_element *e = quasi->members[k];
    for (int s = 0; s < 2 && !e->idle; s++) {
      if (ff_quasi_side_of(quasi, e, s)->solved) {
        side(quasi, e, s);
      }
    }
  }
}
/* Makes ready for it, when it was chosen what is solved. */
void ff_quasi_list_sides(ff_quasi *quasi);
/* How many pieces that makes of the members. */
static inline int ff_quasi_pieces(const ff_quasi *quasi) {
  return quasi->member_count > 0 ? (quasi->member_count - 1) / FF_QUASI_PIECE + 1 : 0;
}

/* ---- quasi_heap.c -------------------------------------------------------------------------- */

/* Puts the matrix and the right side of a heap together from what is left of its elements; or only
 * the right side. */
void ff_quasi_add_lefts(ff_quasi *quasi);
void ff_quasi_add_rights(ff_quasi *quasi);
/* Solves the linear problem with these: the right side in quasi->step becomes the solution. False:
 * it does not get as near as this, relative, and is as it was. */
bool ff_quasi_solve_heap(ff_quasi *quasi, double tolerance);

/* ---- quasi_joints.c --------------------------------------------------------------------- */

/* The constraints of this step. */
void ff_quasi_gather_joints(ff_quasi *quasi);
/* Makes a joint ready for bodies that move with this theta. */
void ff_quasi_joint_look_back(const ff_quasi *quasi, ff_quasi_joint *joint, double theta);
/* Rows of a joint, and if wanted (else NULL) their derivatives, where its bodies are now. */
void ff_quasi_joint_rows(const ff_quasi *quasi, ff_quasi_joint *joint, ff_quasi_matrix j);
/* Writes what the constraints did into the state. */
void ff_quasi_book_joints(const ff_quasi *quasi);
/* Order 2: takes from the velocities of the end, at this time, what tears at constraints. */
void ff_quasi_calm_joints(const ff_quasi *quasi, double t);

/* ---- quasi_robots.c ---------------------------------------------------------------------- */

/* Room for all robots. False: no memory. */
bool ff_quasi_make_robots(ff_quasi *quasi);
/* Robots at the start of the step, placed there, and at its end if nothing touches. False: an
 * inertia is not positive. */
bool ff_quasi_fly_robots(ff_quasi *quasi, double t);
/* Its unknowns at the start of the step, or at the end if nothing touches. */
void ff_quasi_start_robot(const ff_quasi *quasi, int r, bool warm, double *x);
/* Puts its links where these bring them. */
void ff_quasi_move_robot(const ff_quasi *quasi, int r, const double *x);
/* Nothing but applied forces in the rows of its links. */
void ff_quasi_clear_links(const ff_quasi *quasi, int r);
/* Inertia, and what stands in the rows of its links, become the rows of the robot. */
void ff_quasi_robot_rows(const ff_quasi *quasi, int r, double *rows);
/* How far off they are. */
ff_quasi_off ff_quasi_robot_off(const ff_quasi *quasi, int r, const double *rows);
/* Nothing in the blocks and steps of its links. */
void ff_quasi_clear_blocks(const ff_quasi *quasi, int r);
/* What elements have added to its links. */
void ff_quasi_add_links(const ff_quasi *quasi, int r, double *block, double *right);
/* Adds the derivative of the rows of s by the unknowns of t, of which one or both are links. */
void ff_quasi_add_block(const ff_quasi *quasi, const ff_quasi_body *s, const ff_quasi_body *t,
                        double block[6][6]);
/* A step of the robot as its links have it. */
void ff_quasi_step_links(const ff_quasi *quasi, int r, const double *step);
/* Takes the end of a robot over, and its ledger. */
void ff_quasi_settle_robot(const ff_quasi *quasi, int r);

/* ---- quasi_bend.c ------------------------------------------------------------------------- */

/* Where a coordinate of a robot stands in vectors and blocks. */
static inline int ff_quasi_place(const ff_model_robot *robot, int k) {
  return robot->v_count - 1 - k;
}
/* Derivatives of a robot's own rows, where they were found. */
void ff_quasi_robot_block(const ff_quasi *quasi, int r, double *block);

/* ---- quasi_layer.c -------------------------------------------------------------------------- */

/* The layer as a point has it, for a step whose springs push with theta of their force at its end.
 */
void ff_quasi_layer_prepare(const ff_quasi *quasi, const ff_layer *layer, const ff_point *point,
                            ff_vec3 t1, ff_vec3 t2, double theta, ff_quasi_layer *out);
/* Impulse of the layer at the depth and friction that the contact has now, and how it grows. */
void ff_quasi_press(const ff_quasi *quasi, ff_quasi_contact *contact);
/* m, tangential deflection along t1 and t2 at the same. */
void ff_quasi_shear(const ff_quasi_contact *contact, double out[2]);
/* A layer that nobody knows yet, pressed this deep. */
void ff_quasi_layer_start(const ff_layer *layer, double depth, ff_point *point);
/* The layer after the step: pressed as deep as the bodies are, or let go (no contact, or a contact
 * that opened) and recovering. */
void ff_quasi_layer_settle(const ff_quasi *quasi, const ff_layer *layer,
                           const ff_quasi_contact *contact, ff_point *point, double *ledger);

/* ---- quasi_linear.c --------------------------------------------------------------------- */

/* A body's block of the matrix, which is zero: inertia. */
void ff_quasi_start_block(const ff_quasi *quasi, const ff_quasi_body *body, double *block);
/* The step that solves the problem linearised where the rows are, which are off by this: with all
 * of its factors or only nearly. False: none was found. */
bool ff_quasi_find_step(ff_quasi *quasi, bool nearly, double off);
/* The same with the factors of before, */
bool ff_quasi_find_step_again(ff_quasi *quasi, double off);
/* if there are such that may serve. */
bool ff_quasi_is_kept(const ff_quasi *quasi);

/* ---- quasi_newton.c --------------------------------------------------------------------- */

/* J, what the rows are off with x and the members' z as they are. */
double ff_quasi_off_by(ff_quasi *quasi);
/* Are these the solution? */
bool ff_quasi_holds(ff_quasi *quasi);
/* Solves the present problem from x and the members' z; they then are the solution. */
bool ff_quasi_newton(ff_quasi *quasi);

/* ---- quasi_solve.c ------------------------------------------------------------------------ */

/* Solves an island; its bodies and contacts are then at the solution. */
bool ff_quasi_solve(ff_quasi *quasi, int island);

int ff_quasi_residual(void *context, const double *z, double *f);
int ff_quasi_jacobian(void *context, const double *z, double *j);

/* Bodies as in free flight, and no impulses. */
void ff_quasi_start_free(ff_quasi *quasi);
/* From here: without friction first, then with more and more of it, in steps as large as it goes.
 */
bool ff_quasi_ramp(ff_quasi *quasi);

/* ---- quasi_rest.c ------------------------------------------------------------------------- */

/* Does standing still solve the present problem? Then x and the members' z are that. */
bool ff_quasi_rest(ff_quasi *quasi);
/* Does nothing act that may be another at another time? Constraints and robots may. */
bool ff_quasi_is_timeless(const ff_model *model);
/* Do all bodies end as they start, to the last bit? */
bool ff_quasi_same_bodies(const ff_quasi *quasi);
/* Are all points as they were held? */
bool ff_quasi_same_points(const ff_quasi *quasi);

/* ---- quasi_path.c ------------------------------------------------------------------------- */

/* All memory that paths need, for islands of so many unknowns. */
ff_status ff_quasi_make_path(ff_quasi *quasi, int limit);
/* Solves an island of one body, laid out as the dense problem, by following a path. */
bool ff_quasi_follow(ff_quasi *quasi);
/* The same from starts at random, as long as the effort lasts. */
bool ff_quasi_start_anywhere(ff_quasi *quasi);

/* ---- quasi_room.c --------------------------------------------------------------------------- */

ff_status ff_quasi_create(ff_work *work);
void ff_quasi_destroy(ff_work *work);

/* ---- quasi_islands.c ------------------------------------------------------------------------ */

/* The islands that contacts and constraints make. False: more than there is room for. */
bool ff_quasi_group(ff_quasi *quasi);
/* Solves every island that needs it. False: one of them has no solution that was found. */
bool ff_quasi_solve_islands(ff_quasi *quasi);

/* ---- quasi_contacts.c ------------------------------------------------------------------ */

/* Contacts that the bodies' free flight may bring about, and the islands that they make. False:
 * more than there is room for. */
bool ff_quasi_gather(ff_quasi *quasi);
/* The point that a contact goes on from; of one that nobody knows, as it would be, in the room. */
const ff_point *ff_quasi_known(const ff_quasi *quasi, const ff_quasi_contact *contact,
                               ff_point *room);
/* One more contact, between the same parts for the whole step: see below. slot, memory, began: its
 * point among those of the pair, and the rest as a contact has it. flown: the touch is where free
 * flight ends. False: there is no room. */
bool ff_quasi_add_fixed(ff_quasi *quasi, const ff_meet *meet, int near, const ff_touch *touch,
                        int slot, int memory, double began, bool flown);
/* A contact where the step starts. False: it is not there. */
bool ff_quasi_touch_before(const ff_quasi *quasi, const ff_quasi_contact *contact, ff_touch *out);
/* Is there one that the bodies' end brings about and that was not gathered? Then it is wanted. */
bool ff_quasi_missed(ff_quasi *quasi);
/* Do two shapes that are apart at the end of the step pass through each other on the way? */
bool ff_quasi_skipped(const ff_quasi *quasi);

/* ---- quasi_flat.c ------------------------------------------------------------------------ */

/* Have both shapes edges, so that parts that touch give way to others? */
bool ff_quasi_is_flat(const ff_quasi *quasi, const ff_near *near);
/* Contacts of such a pair. False: there is no room. */
bool ff_quasi_gather_flat(ff_quasi *quasi, const ff_meet *meet, int n, double margin);
/* Do parts meet at the end that were not solved for, or push where nothing touches? */
bool ff_quasi_changed(const ff_quasi *quasi);

/* ---- quasi_book.c -------------------------------------------------------------------------- */

/* Writes forces, energies and losses of the step into the state. */
void ff_quasi_book(ff_quasi *quasi);

#endif
