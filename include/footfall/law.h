/* Contact laws: their input, their output, and the registry.
 *
 * A law evaluates one contact in contact coordinates (n, t1, t2): n points from
 * body b into body a, and every force and moment acts on a. Normal law
 * and friction law are chosen separately and combine freely.
 *
 * Laws are pure functions of parameters, patch and memory: they can be used alone in any other
 * simulator (examples/own_integrator.c).
 */
#ifndef FOOTFALL_LAW_H
#define FOOTFALL_LAW_H

#include "footfall/api.h"
#include "footfall/status.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
  FF_MEMORY_MAX = 4,       /* history variables of a law, per contact */
  FF_EDGES_MAX = 768,      /* edges a patch may have */
  FF_LAW_PARAMS_SIZE = 192 /* bytes any law's parameter struct must fit into */
};

/* ---- input: the contact patch ---------------------------------------------------------------- */

/* Overlap of a shape with a half-space; filled only for normal laws that need it. The two shapes
 * then have one contact point, the centroid, to which depth_rate, slip and so on of the patch
 * belong; its depth is that of the deepest point. */
typedef struct ff_overlap {
  double volume;         /* m^3 */
  double area;           /* m^2, of the section with the plane: d volume / d depth */
  double centroid_depth; /* m, depth of the volume's centroid */
  double second[3][3];   /* m^5, depth-weighted second moments about the centroid, (n, t1, t2) */
} ff_overlap;

/* The overlap for laws that integrate over the patch (FF_LAW_WANTS_EDGES): layers, each a polygon
 * given by its edges, in any order. The sum of weight/2 (at x step) over all edges is 1. */
typedef struct ff_edge {
  double at[2];   /* m, start: along t1 and t2 from the contact point (the centroid) */
  double step[2]; /* m, to the end; the layer is on its left seen against n */
  double weight;  /* 1/m^2, thickness of the layer over the volume */
} ff_edge;

typedef struct ff_patch {
  double depth;         /* m, > 0 while the bodies overlap */
  double depth_rate;    /* m/s, > 0 in approach */
  double slip[2];       /* m/s, velocity of a relative to b at the point, along t1 and t2 */
  double spin;          /* rad/s, a relative to b about n */
  double roll[2];       /* rad/s, a relative to b about t1 and t2 */
  double curvature[2];  /* 1/m, principal relative curvatures; 0 flat, INFINITY at a corner */
  ff_overlap overlap;   /* zero unless the law needs it (FF_LAW_WANTS_OVERLAP) */
  const ff_edge *edges; /* NULL unless the friction law needs them and the overlap is known */
  int edge_count;
} ff_patch;

/* ---- output ---------------------------------------------------------------------------------- */

/* Normal force, and rolling resistance. The dissipated power is (force - elastic) * depth_rate, and
 * -moment . roll. */
typedef struct ff_normal {
  double force;     /* N, > 0 if repulsive */
  double elastic;   /* N, the part that is the gradient of energy */
  double energy;    /* J, stored */
  double d_depth;   /* N/m, d force / d depth */
  double d_rate;    /* N s/m, d force / d depth_rate */
  double moment[2]; /* N m, on a about t1 and t2; callers set it to 0 for laws without it */
} ff_normal;

/* Causes of dissipation. One list for laws, ledger and channels. */
typedef enum ff_loss {
  FF_LOST_NORMAL,  /* damping of the normal law */
  FF_LOST_TANGENT, /* damping of the bristle, and energy stored in the history when its contact
                      ended */
  FF_LOST_SLIP,    /* dry sliding */
  FF_LOST_VISCOUS, /* viscous part of sliding */
  FF_LOST_ROLLING, /* rolling resistance */
  FF_LOST_SPIN,    /* spinning friction */
  FF_LOST_IMPACT,  /* impulses */
  FF_LOST_JOINT,   /* damping and friction in joints */
  FF_LOST_DEPTH, /* change of stored energy with depth or curvature (FF_LAW_UNPAID); < 0: gained */
  FF_LOST_STEP,  /* by the step, not by a law (`quasi-rigid`, `micro-macro`); < 0: gained */
  FF_LOSS_COUNT
} ff_loss;

typedef enum ff_mode { FF_OPEN = 0, FF_STICK = 1, FF_SLIP = 2 } ff_mode;

typedef struct ff_friction {
  double force[2];     /* N, on a along t1 and t2 */
  double moment[3];    /* N m, on a about n, t1 and t2 */
  double normal_force; /* N, on a along n, in addition to that of the normal law */
  double energy;       /* J, stored in the history */
  double energy_rate;  /* W, its rate of change */
  double path_rate; /* W, work into it: energy_rate, or more if some is lost at once (_TANGENT) */
  double memory_rate[FF_MEMORY_MAX]; /* rate of each history variable, per s */
  double memory_per_slip;     /* friction_held: change of the first two per m of slip beyond that of
                                 the midpoint */
  double lost[FF_LOSS_COUNT]; /* W, dissipated, each >= 0; never FF_LOST_DEPTH, _STEP */
  double d_slip[2][2];        /* N s/m, d force[i] / d slip[j] */
  ff_mode mode;
} ff_friction;

/* A step over which a force is constant. */
typedef struct ff_ahead {
  double half;  /* s, half of it; 0: instantaneous force */
  double ease;  /* 1/kg, change of slip per tangential impulse of this contact */
  double crowd; /* 1, factor on ease for all contacts that share its bodies together */
} ff_ahead;

/* ---- parameters ------------------------------------------------------------------------------ */

typedef enum ff_param_kind { FF_PARAM_REAL, FF_PARAM_FLAG } ff_param_kind;

/* A row of a law's parameter table. Reals are doubles; a flag is a double, 0 or 1. A NAN default:
 * required, unless `otherwise` names its source. */
typedef struct ff_param {
  const char *name;   /* as in scenes and --set: "k" */
  const char *symbol; /* as in the paper */
  const char *unit;   /* SI; "1" if none */
  double fallback;    /* default; NAN: none */
  double min, max;    /* inclusive, unless open_min: then greater than min */
  bool open_min;
  ff_param_kind kind;
  const char *meaning;
  const char *otherwise; /* source of a NAN default: "alpha"; NULL: required */
  size_t offset;         /* into the law's parameter struct, which holds doubles only */
} ff_param;

/* Parameters of any law: set by name, read by the law through its struct of doubles, in which those
 * of its table come first; derived ones may follow, initially 0. */
typedef struct ff_law_params {
  union {
    double values[FF_LAW_PARAMS_SIZE / 8];
    unsigned char bytes[FF_LAW_PARAMS_SIZE];
  };
} ff_law_params;

/* Material parameters of a pair, from the pair rule; NAN: unknown. */
typedef struct ff_pair {
  double young;       /* Pa, effective modulus E*: 1/E* = (1-nu1^2)/E1 + (1-nu2^2)/E2 */
  double radius;      /* m, effective radius of curvature; NAN at corners and if it varies */
  double dissipation; /* s/m, Hunt-Crossley alpha */
  double mu_static;   /* 1 */
  double mu_kinetic;  /* 1 */
  double mean_radius; /* m, mean radius where it varies over shapes that are round everywhere, for
                       * laws that can use the local curvature of each patch; else NAN */
} ff_pair;

/* ---- for steppers that solve for impulses ---------------------------------------------------- */

/* A normal law that is a layer, spring and damper in parallel, on a rigid core; or two layers, one
 * on each body. */
typedef struct ff_layer {
  double stiffness;      /* N/m, of the only layer, or of a's */
  double damping;        /* N s/m */
  double max_deflection; /* m, depth at which the cores are in contact; INFINITY: no core */
  double stiffness_b;    /* N/m, of b's layer; 0: none */
  double damping_b;      /* N s/m */
  double max_a, max_b;   /* m, of each layer alone; INFINITY: none */
  bool sheared;          /* k and c are used: full matrices in the order n, t1, t2 */
  bool series;           /* the layer shears before its surface slides */
  double k[3][3];        /* N/m */
  double c[3][3];        /* N s/m */
} ff_layer;

/* Friction within |(f_1 / e_0, f_2 / e_1, m_n / e_2)| <= mu N that maximises dissipation. */
typedef struct ff_cone {
  double mu;   /* 1 */
  double e[3]; /* 1, 1, m */
} ff_cone;

/* A normal law for the stepper `micro-macro`: elastic, rigid, or an elastic membrane on a rigid
 * body. */
typedef struct ff_ground {
  double stiffness;   /* N/m, of the elastic part; 0: none */
  double damping;     /* N s/m, of the elastic part in compression */
  double thickness;   /* m, depth at which the rigid part begins; INFINITY: none */
  double restitution; /* 1, of the rigid part */
  double mu;          /* 1, kinetic friction of the elastic part; NAN: that of the friction law */
} ff_ground;

/* A friction law for the stepper `micro-macro`: isotropic, without torsion. */
typedef struct ff_grip {
  double mu_static, mu_kinetic; /* 1 */
  double v_t; /* m/s, slip at which the friction of the elastic part is fully developed */
} ff_grip;

/* ---- laws ------------------------------------------------------------------------------------ */

/* Names are unique over both kinds: FF_LAW_ANY looks up by name alone. */
typedef enum ff_law_kind { FF_LAW_NORMAL, FF_LAW_FRICTION, FF_LAW_ANY } ff_law_kind;

typedef enum ff_law_trait {
  FF_LAW_PULLS = 1,         /* the normal force may be tensile */
  FF_LAW_JUMPS = 2,         /* the force may jump at touch */
  FF_LAW_WANTS_OVERLAP = 4, /* needs patch.overlap */
  FF_LAW_UNPAID = 8, /* stored energy changes without work: with depth (friction) or curvature */
  FF_LAW_FEEDS = 16, /* its damping may generate energy (as printed in some papers) */
  FF_LAW_CORE = 32,  /* rigid core, or layers without a formula: only solving steppers run it */
  FF_LAW_PRINTED_J = 512,   /* patch.overlap.second as [Brown18 eq. 37]: spheres, ellipsoids */
  FF_LAW_WANTS_EDGES = 256, /* friction: integrates over patch.edges if available */
  FF_LAW_DIRECTED = 64,     /* friction depends on the directions t1 and t2 themselves */
  FF_LAW_HELD = 128, /* too stiff for explicit steps: fixed steps treat it implicitly, also where
                      * constraints do not feel it */
} ff_law_trait;

/* A published number that the law must reproduce: one impact of a mass on a fixed body. */
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
  /* Number of history variables, at most FF_MEMORY_MAX. The first two are a vector along t1 and t2
   * and rotate with the contact frame; any others are scalars. */
  int memory_count;

  /* Bits of ff_law_trait for these parameters. */
  unsigned (*traits)(const void *params);

  /* Fills parameters left NAN from the materials, then checks their consistency. Returns NULL, or
   * the error (static text). */
  const char *(*derive)(void *params, const ff_pair *pair);

  /* Normal laws: force at depth >= 0. NULL: no force formula, always FF_LAW_CORE. */
  void (*normal)(const void *params, const ff_patch *patch, ff_normal *out);

  /* Normal laws, optional: mean over a step in which the depth goes from `from` to `to` (m; <= 0
   * outside contact) at the rate patch->depth_rate. `elastic` is the discrete gradient of the
   * energy, [E(to) - E(from)] / (to - from), `energy` the mean of E(from) and E(to); `force` tends
   * to that of `normal` for short steps and falls with no rate; d_depth is its derivative with the
   * middle of `from` and `to` while `from` stays. patch->depth is that middle. NULL: see `normal`.
   */
  void (*gradient)(const void *params, const ff_patch *patch, double from, double to,
                   ff_normal *out);

  /* Normal laws: a function of the patch whose sign changes where the force has a kink inside
   * contact (a clamp), so that steppers can locate it. Its magnitude is arbitrary, and it keeps one
   * sign where there is no kink. NULL: none. */
  double (*kink)(const void *params, const ff_patch *patch);

  /* Normal laws, optional: `normal`'s force of many contacts; 0 where depth <= 0. */
  void (*forces)(const void *params, const double *depth, const double *rate, double *force,
                 int count);

  /* Friction laws: force for a given normal force. memory has memory_count values. */
  void (*friction)(const void *params, const ff_patch *patch, const ff_normal *normal,
                   const double *memory, ff_friction *out);

  /* Friction laws: as `kink`, for the friction force of friction_held: stick and slip. NULL: none.
   */
  double (*friction_kink)(const void *params, const ff_patch *patch, const ff_normal *normal,
                          const double *memory, const ff_ahead *ahead);

  /* Friction laws with a history: force to apply over a step so that it is consistent at the
   * midpoint, where history and slip have changed under it. patch->slip is the slip there without
   * the force, which adds half ease force to it. A history too stiff for the step is treated as
   * stiff as the step can resolve, and comes to rest in it. Outputs are those at the midpoint,
   * except energy, which is that of the history as given. With half = 0 the force of the instant,
   * where ease tells the mass that it moves. NULL: steppers use `friction`. */
  void (*friction_held)(const void *params, const ff_patch *patch, const ff_normal *normal,
                        const double *memory, const ff_ahead *ahead, ff_friction *out);
  /* Force of friction_held alone, with the same bits, for solvers that iterate; force[2] in N along
   * t1 and t2. Optional, and not for laws with a normal_force or moments. */
  void (*force_held)(const void *params, const ff_patch *patch, const ff_normal *normal,
                     const double *memory, const ff_ahead *ahead, double force[2]);
  /* Its stored energy alone, J; with friction_held. */
  double (*energy_held)(const void *params, const ff_patch *patch, const double *memory,
                        const ff_ahead *ahead);

  /* Normal and friction laws, optional: the law as a layer, as a cone, for the stepper
   * `quasi-rigid`. False: not representable with these parameters. */
  bool (*layer)(const void *params, ff_layer *out);
  bool (*cone)(const void *params, ff_cone *out);
  /* The same for the stepper `micro-macro`. */
  bool (*ground)(const void *params, ff_ground *out);
  bool (*grip)(const void *params, ff_grip *out);

  const ff_published *published;
  int published_count;
} ff_law;

/* ---- registry -------------------------------------------------------------------------------- */

FF_API int ff_law_count(void);
FF_API const ff_law *ff_law_at(int index);
FF_API const ff_law *ff_law_find(ff_law_kind kind, const char *name); /* NULL: unknown */
/* The same for user input: FF_ERROR_INPUT and a report (may be NULL) if unknown. */
FF_API ff_status ff_law_lookup(const ff_law **out, ff_law_kind kind, const char *name,
                               ff_report *report);

/* In reports of the calls below, key is the parameter's name; "" if several are inconsistent. */

/* Sets every parameter to its default. */
FF_API void ff_law_params_default(const ff_law *law, ff_law_params *params);
/* Sets one by name; FF_ERROR_INPUT (and a report, may be NULL) if unknown or out of range. */
FF_API ff_status ff_law_params_set(const ff_law *law, ff_law_params *params, const char *name,
                                   double value, ff_report *report);
/* Reads one by name; NAN if unknown. */
FF_API double ff_law_params_get(const ff_law *law, const ff_law_params *params, const char *name);
/* Derives open parameters from the pair (NULL: materials unknown) and checks the whole. A law may
 * be evaluated only with resolved parameters. */
FF_API ff_status ff_law_params_resolve(const ff_law *law, ff_law_params *params,
                                       const ff_pair *pair, ff_report *report);

/* Evaluate a law alone. Outside contact (depth <= 0) everything is zero; a NAN in the patch gives
 * NAN, and so does a law without a force formula. */
FF_API void ff_law_normal(const ff_law *law, const ff_law_params *params, const ff_patch *patch,
                          ff_normal *out);
FF_API void ff_law_friction(const ff_law *law, const ff_law_params *params, const ff_patch *patch,
                            const ff_normal *normal, const double *memory, ff_friction *out);
/* Normal forces (N) of count contacts from their depths (m) and depth rates (m/s), bit for bit
 * those of ff_law_normal; the arrays must not overlap. Not for laws that need the overlap. */
FF_API void ff_law_normal_forces(const ff_law *law, const ff_law_params *params,
                                 const double *depth, const double *rate, double *force, int count);

#ifdef __cplusplus
}
#endif
#endif
