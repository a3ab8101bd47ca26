/* Contact laws: what they are given, what they return, and how to list them.
 *
 * A law sees one contact in contact coordinates (n, t1, t2): n points from
 * body b into body a, and every force and moment is the one on a. Normal law
 * and friction law are chosen separately and combine freely.
 *
 * Laws are pure functions of parameters, patch and memory: they can be used
 * alone inside any other simulator (examples/own_integrator.c).
 */
#ifndef FOOTFALL_LAW_H
#define FOOTFALL_LAW_H

#include "footfall/api.h"
#include "footfall/status.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
  FF_MEMORY_MAX = 4,       /* contact memory a law may own, numbers per contact */
  FF_EDGES_MAX = 768,      /* edges a patch may have */
  FF_LAW_PARAMS_SIZE = 192 /* bytes any law's parameter struct must fit into */
};

/* ---- what geometry hands to a law ------------------------------------- */

/* Overlap of a shape with a half-space; only filled for normal laws that ask. The two shapes
 * then touch in one point, the centroid, whose depth_rate, slip and so on the patch has; its
 * depth is that of the deepest point. */
typedef struct ff_overlap {
  double volume;         /* m^3 */
  double area;           /* m^2, of the section with the plane: d volume / d depth */
  double centroid_depth; /* m, depth of the volume's centroid */
  double second[3][3];   /* m^5, depth-weighted second moments about the centroid, (n, t1, t2) */
} ff_overlap;

/* The overlap for laws that sum over the patch (FF_LAW_WANTS_EDGES): cut into layers, each a
 * polygon that is told by its edges, in any order. weight/2 (at x step) over all edges adds up
 * to 1. */
typedef struct ff_edge {
  double at[2];   /* m, where it begins: along t1 and t2 from the contact point (the centroid) */
  double step[2]; /* m, to where it ends; the layer is on its left seen against n */
  double weight;  /* 1/m^2, thickness of the layer over the volume */
} ff_edge;

typedef struct ff_patch {
  double depth;         /* m, > 0 while the bodies overlap */
  double depth_rate;    /* m/s, > 0 while they approach */
  double slip[2];       /* m/s, velocity of a relative to b at the point, along t1 and t2 */
  double spin;          /* rad/s, a relative to b about n */
  double roll[2];       /* rad/s, a relative to b about t1 and t2 */
  double curvature[2];  /* 1/m, principal relative curvatures; 0 flat, INFINITY at a corner */
  ff_overlap overlap;   /* zero unless the law asks (FF_LAW_WANTS_OVERLAP) */
  const ff_edge *edges; /* NULL unless the friction law asks and the overlap is known */
  int edge_count;
} ff_patch;

/* ---- what a law returns ------------------------------------------------ */

/* Normal force, and what resists rolling. What they dissipate follows:
 * (force - elastic) * depth_rate, and -moment . roll. */
typedef struct ff_normal {
  double force;     /* N, > 0 pushes the bodies apart */
  double elastic;   /* N, the part that is the gradient of energy */
  double energy;    /* J, stored */
  double d_depth;   /* N/m, d force / d depth */
  double d_rate;    /* N s/m, d force / d depth_rate */
  double moment[2]; /* N m, on a about t1 and t2; callers set it to 0 for laws that have none */
} ff_normal;

/* Where energy goes. One list for laws, ledger and channels. */
typedef enum ff_loss {
  FF_LOST_NORMAL,  /* damping of the normal law */
  FF_LOST_TANGENT, /* damping of the bristle, and what a memory held when its contact ended */
  FF_LOST_SLIP,    /* dry sliding */
  FF_LOST_VISCOUS, /* viscous part of sliding */
  FF_LOST_ROLLING, /* rolling resistance */
  FF_LOST_SPIN,    /* spinning friction */
  FF_LOST_IMPACT,  /* impulses */
  FF_LOST_JOINT,   /* damping and friction in joints */
  FF_LOST_DEPTH, /* by a spring that weakens with depth or curvature (FF_LAW_UNPAID); < 0: gained */
  FF_LOST_STEP,  /* by steps that take the forces of their end (`quasi-rigid`); < 0: gained */
  FF_LOSS_COUNT
} ff_loss;

typedef enum ff_mode { FF_OPEN = 0, FF_STICK = 1, FF_SLIP = 2 } ff_mode;

typedef struct ff_friction {
  double force[2];                   /* N, on a along t1 and t2 */
  double moment[3];                  /* N m, on a about n, t1 and t2 */
  double normal_force;               /* N, on a along n, beside that of the normal law */
  double energy;                     /* J, stored in the memory */
  double energy_rate;                /* W, its rate of change */
  double path_rate;                  /* W, what the forces pay into it: energy_rate, or more
                                        where it is lost at once, in FF_LOST_TANGENT */
  double memory_rate[FF_MEMORY_MAX]; /* rate of each memory value, per s */
  double lost[FF_LOSS_COUNT];        /* W, dissipated, each >= 0; never FF_LOST_DEPTH, _STEP */
  double d_slip[2][2];               /* N s/m, d force[i] / d slip[j] */
  ff_mode mode;
} ff_friction;

/* A step over which a force is held. */
typedef struct ff_ahead {
  double half;  /* s, half of it; 0: none, the force is that of an instant */
  double ease;  /* 1/kg, how easily a tangential force of this contact changes the slip */
  double crowd; /* 1, contacts that share its bodies: all together they may ease this much more */
} ff_ahead;

/* ---- parameters ---------------------------------------------------------- */

typedef enum ff_param_kind { FF_PARAM_REAL, FF_PARAM_FLAG } ff_param_kind;

/* A row of a law's parameter table. Reals are doubles; a flag is a double, 0 or 1.
 * A NAN default means: must be given, unless `otherwise` says where it comes from. */
typedef struct ff_param {
  const char *name;   /* as in scenes and --set: "k" */
  const char *symbol; /* as in the paper */
  const char *unit;   /* SI; "1" if none */
  double fallback;    /* default; NAN: none */
  double min, max;    /* inclusive, unless open_min: then greater than min */
  bool open_min;
  ff_param_kind kind;
  const char *meaning;
  const char *otherwise; /* what stands in for a NAN default: "alpha"; NULL: must be given */
  size_t offset;         /* into the law's parameter struct, which holds doubles only */
} ff_param;

/* Parameters of any one law: set by name, read by the law through its struct of doubles, in which
 * those of its table come first; what it derives beside them may follow, 0 at first. */
typedef struct ff_law_params {
  union {
    double values[FF_LAW_PARAMS_SIZE / 8];
    unsigned char bytes[FF_LAW_PARAMS_SIZE];
  };
} ff_law_params;

/* What the materials of a pair say; NAN: not known. The pair rule fills it. */
typedef struct ff_pair {
  double young;       /* Pa, effective modulus E*: 1/E* = (1-nu1^2)/E1 + (1-nu2^2)/E2 */
  double radius;      /* m, effective radius of curvature; NAN at corners and where it varies */
  double dissipation; /* s/m, Hunt-Crossley alpha */
  double mu_static;   /* 1 */
  double mu_kinetic;  /* 1 */
  double mean_radius; /* m, where it varies over shapes that are round everywhere: a mean one. Laws
                         that can take the local one from each patch's curvature; else NAN */
} ff_pair;

/* ---- what a stepper that solves for impulses asks ------------------------------ */

/* A normal law that is a layer, spring and damper in parallel, on a rigid core; or two of them, one
 * on each body. */
typedef struct ff_layer {
  double stiffness;      /* N/m, of the only layer, or of a's */
  double damping;        /* N s/m */
  double max_deflection; /* m, depth at which core meets core; INFINITY: never */
  double stiffness_b;    /* N/m, of b's layer; 0: b has none */
  double damping_b;      /* N s/m */
  double max_a, max_b;   /* m, of each layer alone; INFINITY: none */
  bool sheared;          /* k and c count: full matrices in the order n, t1, t2 */
  bool series;           /* the layer shears before its surface slides */
  double k[3][3];        /* N/m */
  double c[3][3];        /* N s/m */
} ff_layer;

/* Friction within |(f_1 / e_0, f_2 / e_1, m_n / e_2)| <= mu N that dissipates all it can. */
typedef struct ff_cone {
  double mu;   /* 1 */
  double e[3]; /* 1, 1, m */
} ff_cone;

/* What the stepper `micro-macro` knows of a normal law: something elastic, something rigid, or an
 * elastic membrane on something rigid. */
typedef struct ff_ground {
  double stiffness;   /* N/m, of the elastic part; 0: there is none */
  double damping;     /* N s/m, of the elastic part while it is pressed in */
  double thickness;   /* m, depth at which the rigid part begins; INFINITY: there is none */
  double restitution; /* 1, of the rigid part */
  double mu;          /* 1, kinetic friction of the elastic part; NAN: that of the friction law */
} ff_ground;

/* And of a friction law: the same in all directions, no torsion. */
typedef struct ff_grip {
  double mu_static, mu_kinetic; /* 1 */
  double v_t;                   /* m/s, slip at which the elastic part's friction is all there */
} ff_grip;

/* ---- the law itself ------------------------------------------------------ */

/* Names are unique over both kinds: FF_LAW_ANY serves to look up by name alone. */
typedef enum ff_law_kind { FF_LAW_NORMAL, FF_LAW_FRICTION, FF_LAW_ANY } ff_law_kind;

typedef enum ff_law_trait {
  FF_LAW_PULLS = 1,         /* the normal force may be tensile */
  FF_LAW_JUMPS = 2,         /* the force may step at touch */
  FF_LAW_WANTS_OVERLAP = 4, /* needs patch.overlap */
  FF_LAW_UNPAID = 8,        /* what it stores changes though no force pays for that: friction with
                               the depth, so that path_rate may be less than energy_rate; normal
                               laws with the curvature */
  FF_LAW_FEEDS = 16,        /* its damping may give energy (as some papers print it) */
  FF_LAW_CORE = 32,         /* has a rigid core, or layers that are no formula: only steppers that
                               solve for impulses run it */
  FF_LAW_WANTS_EDGES = 256, /* friction: sums over patch.edges where there are any */
  FF_LAW_DIRECTED = 64,     /* friction depends on the directions t1 and t2 themselves */
  FF_LAW_HELD = 128,        /* normal: fixed steps hold it as they hold friction with a memory */
} ff_law_trait;

/* A published number the law must reproduce: one impact of a mass on a fixed body. */
typedef struct ff_published {
  const char *source;   /* "[Marhefka96 Fig. 4]" */
  const char *settings; /* law parameters: "k=1e4 n=1 alpha=0.4" */
  double mass, speed;   /* kg, m/s */
  const char *quantity; /* column of `footfall impact`: "restitution", "depth_max", ... */
  double value;         /* SI */
  double tolerance;     /* relative: half a unit of the last printed digit */
} ff_published;

typedef struct ff_law {
  const char *name; /* "hunt-crossley" */
  ff_law_kind kind;
  const char *summary;  /* one line */
  const char *citation; /* key of the bibliography: "Marhefka96" */
  size_t params_size;
  const ff_param *params; /* table, params_count rows */
  int params_count;
  /* Numbers of contact memory, at most FF_MEMORY_MAX. The first two are a vector along
   * t1 and t2 and turn with the contact frame; any others do not depend on it. */
  int memory_count;

  /* Bits of ff_law_trait for these parameters. */
  unsigned (*traits)(const void *params);

  /* Fills what was left NAN from the materials, then checks the parameters
   * against each other. Returns NULL, or what is wrong (static text). */
  const char *(*derive)(void *params, const ff_pair *pair);

  /* Normal laws: force at depth >= 0. NULL: no force formula, always FF_LAW_CORE. */
  void (*normal)(const void *params, const ff_patch *patch, ff_normal *out);

  /* Normal laws: a function of the patch whose sign changes where the force has a
   * kink inside contact (a clamp), so that steppers can land on it. Its size means
   * nothing, and it keeps one sign where there is no kink. NULL: none. */
  double (*kink)(const void *params, const ff_patch *patch);

  /* Normal laws, optional: `normal`'s force of many contacts; 0 where depth <= 0. */
  void (*forces)(const void *params, const double *depth, const double *rate, double *force,
                 int count);

  /* Friction laws: force under a given normal force. memory has memory_count values. */
  void (*friction)(const void *params, const ff_patch *patch, const ff_normal *normal,
                   const double *memory, ff_friction *out);

  /* Friction laws: as `kink`, for what the friction force does: stick and slip. NULL: none. */
  double (*friction_kink)(const void *params, const ff_patch *patch, const ff_normal *normal,
                          const double *memory);

  /* Friction laws with stiff memory: the force to hold over a step so that it is right in the
   * middle, when memory and slip have changed under it. patch->slip is the slip there without the
   * force, which adds half ease force to it. A memory too stiff for the step is taken as stiff as
   * the step can follow, and comes to rest in it. Outputs are those of the middle, but for energy,
   * which is that of the memory as given.
   * NULL: steppers use `friction`. */
  void (*friction_held)(const void *params, const ff_patch *patch, const ff_normal *normal,
                        const double *memory, const ff_ahead *ahead, ff_friction *out);
  /* Goes with friction_held: its energy alone, J. */
  double (*energy_held)(const void *params, const ff_patch *patch, const double *memory,
                        const ff_ahead *ahead);

  /* Normal and friction laws, optional: the same as a layer, as a cone, for the stepper
   * `quasi-rigid`. False: with these parameters it is none. */
  bool (*layer)(const void *params, ff_layer *out);
  bool (*cone)(const void *params, ff_cone *out);
  /* The same for the stepper `micro-macro`. */
  bool (*ground)(const void *params, ff_ground *out);
  bool (*grip)(const void *params, ff_grip *out);

  const ff_published *published;
  int published_count;
} ff_law;

/* ---- the registry -------------------------------------------------------- */

FF_API int ff_law_count(void);
FF_API const ff_law *ff_law_at(int index);
FF_API const ff_law *ff_law_find(ff_law_kind kind, const char *name); /* NULL: unknown */
/* The same for people's input: FF_ERROR_INPUT and a report (may be NULL) if unknown. */
FF_API ff_status ff_law_lookup(const ff_law **out, ff_law_kind kind, const char *name,
                               ff_report *report);

/* In reports of the calls below, key is the parameter's name; "" if several are at odds. */

/* Sets every parameter to its default. */
FF_API void ff_law_params_default(const ff_law *law, ff_law_params *params);
/* Sets one by name; FF_ERROR_INPUT (and a report, may be NULL) if unknown or out of range. */
FF_API ff_status ff_law_params_set(const ff_law *law, ff_law_params *params, const char *name,
                                   double value, ff_report *report);
/* Reads one by name; NAN if unknown. */
FF_API double ff_law_params_get(const ff_law *law, const ff_law_params *params, const char *name);
/* Derives what is open from the pair (NULL: no material known) and checks the whole.
 * A law may be evaluated only with resolved parameters. */
FF_API ff_status ff_law_params_resolve(const ff_law *law, ff_law_params *params,
                                       const ff_pair *pair, ff_report *report);

/* Evaluate a law alone. Outside contact (depth <= 0) everything is zero; a NAN in the
 * patch comes out as NAN, and so does everything of a law without a formula. */
FF_API void ff_law_normal(const ff_law *law, const ff_law_params *params, const ff_patch *patch,
                          ff_normal *out);
FF_API void ff_law_friction(const ff_law *law, const ff_law_params *params, const ff_patch *patch,
                            const ff_normal *normal, const double *memory, ff_friction *out);
/* Normal forces (N) of count contacts from their depths (m) and depth rates (m/s), bit for
 * bit those of ff_law_normal; the arrays must not overlap. Not for laws that want the overlap. */
FF_API void ff_law_normal_forces(const ff_law *law, const ff_law_params *params,
                                 const double *depth, const double *rate, double *force, int count);

#ifdef __cplusplus
}
#endif
#endif
