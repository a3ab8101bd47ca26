/* Model and sim: compile a scene once, run it many times.
 *
 * A model is immutable and may be shared by threads. A sim owns the state; it allocates when
 * created and never in a step. Sims of one model on several threads need no lock and give the same
 * bits as a serial run.
 *
 * Ids and indices are checked: for a body, robot, joint, shape, pair, constraint, contact or
 * channel that does not exist, as after a mistyped name, and for a model or sim that is NULL,
 * numbers are NAN or 0, names "", pointers NULL, and statuses FF_ERROR_INPUT.
 */
#ifndef FOOTFALL_SIM_H
#define FOOTFALL_SIM_H

#include "footfall/api.h"
#include "footfall/controller.h"
#include "footfall/scene.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ff_model ff_model;
typedef struct ff_sim ff_sim;

/* ---- model ----------------------------------------------------------------------------------- */

/* Checks and compiles. On FF_ERROR_INPUT the report (may be NULL) names the key. */
FF_API ff_status ff_model_build(ff_model **out, const ff_scene *scene, ff_report *report);
FF_API void ff_model_destroy(ff_model **model);

FF_API const ff_run_def *ff_model_run(const ff_model *model); /* the run, as resolved */
/* Why this stepper was chosen; "": the scene names it. */
FF_API const char *ff_model_stepper_reason(const ff_model *model);
/* Do the laws of contacts follow from materials, since the scene has no contact rules? */
FF_API bool ff_model_default_contacts(const ff_model *model);
FF_API int ff_model_body_count(const ff_model *model); /* bodies are 1 .. count */
/* The id of a number in this range; 0: there is none. */
FF_API ff_body ff_model_body_at(const ff_model *model, int number);
FF_API const char *ff_model_body_name(const ff_model *model, ff_body body);
FF_API ff_body ff_model_body_find(const ff_model *model, const char *name); /* id 0: unknown */

typedef struct ff_body_info {
  const char *name;
  ff_body_kind kind;
  double mass;       /* kg; INFINITY if not free */
  ff_vec3 com;       /* m, body frame */
  ff_mat3 inertia;   /* kg m^2, about the centre of mass, body axes */
  ff_vec3 principal; /* kg m^2, principal moments */
  int shape_count;
} ff_body_info;

FF_API ff_body_info ff_model_body_info(const ff_model *model, ff_body body);

typedef struct ff_shape_info {
  ff_body body;
  ff_shape_kind kind;
  ff_vec3 size; /* m, see ff_shape_kind; polyhedron, intersection: half extents about the origin */
  ff_pose pose; /* in the body frame; of a polyhedron or intersection: centroid, principal axes */
  double exponents[2];
  const ff_vec3 *vertices; /* m, of a polyhedron, in the frame of pose */
  int vertex_count, face_count, member_count;
  double volume;        /* m^3; 0 of a half-space */
  const char *material; /* NULL: none */
} ff_shape_info;

FF_API int ff_model_shape_count(const ff_model *model); /* shapes are 1 .. count */
FF_API ff_shape ff_model_shape_at(const ff_model *model, int number);
FF_API ff_shape_info ff_model_shape_info(const ff_model *model, ff_shape shape);

/* A resolved pair of bodies that may collide. */
typedef struct ff_pair_info {
  ff_body a, b;
  const ff_law *normal, *friction;
  ff_law_params normal_params, friction_params;
  ff_pair material;
  int laws;           /* number of its laws; pairs with the same one share them */
  double mass;        /* kg, effective in a central impact; used for stable_step */
  double stable_step; /* s, largest step that resolves this contact for the motion in the scene */
} ff_pair_info;

FF_API int ff_model_pair_count(const ff_model *model);
FF_API ff_pair_info ff_model_pair_info(const ff_model *model, int index);

/* A constraint as resolved. */
typedef struct ff_constraint_info {
  const char *name;
  ff_constraint_kind kind;
  ff_body a, b;
  ff_vec3 anchor_a, anchor_b; /* m, body frames */
  double length;              /* m, distance; else 0 */
} ff_constraint_info;

FF_API int ff_model_constraint_count(const ff_model *model); /* constraints are 1 .. count */
FF_API ff_constraint_id ff_model_constraint_at(const ff_model *model, int number);
FF_API ff_constraint_id ff_model_constraint_find(const ff_model *model, const char *name);
FF_API ff_constraint_info ff_model_constraint_info(const ff_model *model,
                                                   ff_constraint_id constraint);

/* Smallest stable_step of all pairs; INFINITY if there are no pairs. */
FF_API double ff_model_stable_step(const ff_model *model);
/* Largest step that resolves every joint of a robot in the initial configuration: its rate times
 * the step is 1. INFINITY: the stepper treats all of them implicitly. fastest (may be NULL): the
 * joint with this step. Of the rate: drive, spring, stops, damping and dry friction at rest; with
 * limits also the limit of speed and the safety controller, which act only near their bounds. */
FF_API double ff_model_joint_step(const ff_model *model, bool limits, ff_joint_id *fastest);

/* ---- sim ------------------------------------------------------------------------------------- */

FF_API ff_status ff_sim_create(ff_sim **out, const ff_model *model);
FF_API void ff_sim_destroy(ff_sim **sim);
/* Its model; valid as long as the sim. */
FF_API const ff_model *ff_sim_model(const ff_sim *sim);
/* Resets to the initial state; gravity, law parameters, masses and gains stay as they were set. */
FF_API ff_status ff_sim_reset(ff_sim *sim);
/* A pointer of the user's, stored and returned; NULL at first. */
FF_API void ff_sim_set_user(ff_sim *sim, void *user);
FF_API void *ff_sim_user(const ff_sim *sim);

/* Number of threads, 1 to 64, that share the parallel parts of each step: under `quasi-rigid` the
 * contacts of large islands (64 bodies and more in contact). Results are the same to the last bit.
 * A new sim has one, its caller's. FF_ERROR_INPUT: number out of range; FF_ERROR_MEMORY: threads
 * could not be started. */
FF_API ff_status ff_sim_set_threads(ff_sim *sim, int threads);

FF_API double ff_sim_time(const ff_sim *sim); /* s */
/* One step of a fixed stepper; `adaptive` takes the step its error control chooses. */
FF_API ff_status ff_sim_step(ff_sim *sim);
/* Steps until time t exactly (the last step is shortened if necessary); t must be finite. */
FF_API ff_status ff_sim_advance(ff_sim *sim, double t);
/* Ends the current step or advance, or else the next one, with FF_CANCELLED; the sim is then at the
 * end of the last complete step and can continue. For signal handlers and other threads: it only
 * sets a flag, which every stepper also checks inside a step. */
FF_API void ff_sim_cancel(ff_sim *sim);
/* Why the last step ended with FF_ERROR_STEP: key names the contact or constraint that could not be
 * solved, if any, what describes the failure and possible remedies. */
FF_API void ff_sim_failure(const ff_sim *sim, ff_report *report);

typedef struct ff_body_state {
  ff_vec3 position;    /* m, origin of the body frame, world */
  ff_quat orientation; /* body -> world */
  ff_vec3 velocity;    /* m/s, of that origin, world */
  ff_vec3 omega;       /* rad/s, world */
} ff_body_state;

FF_API ff_body_state ff_sim_body(const ff_sim *sim, ff_body body);
/* Sets the state of a free body; contact history is kept, the ledger restarts. */
FF_API ff_status ff_sim_set_body(ff_sim *sim, ff_body body, const ff_body_state *state);

/* Wrench on a free body or a movable link until it is set again: a force (N, world) at a point
 * fixed in the body (m, body frame), and a torque (N m, world). Its work is in the ledger. Zero:
 * none. */
FF_API ff_status ff_sim_apply(ff_sim *sim, ff_body body, ff_vec3 point, ff_vec3 force,
                              ff_vec3 torque);
/* Gravity from now on, m/s^2, world; the ledger restarts. Controllers keep that of the scene. */
FF_API ff_status ff_sim_set_gravity(ff_sim *sim, ff_vec3 gravity);
FF_API ff_vec3 ff_sim_gravity(const ff_sim *sim);

/* Parameter of a contact law between two bodies, by its name in scenes and through the same checks;
 * on FF_ERROR_INPUT the report (may be NULL) says what is wrong. kind: FF_LAW_NORMAL or
 * FF_LAW_FRICTION. It holds for all pairs with the same ff_pair_info.laws: those of one contact
 * rule with the same shapes and materials. Parameters that are derived from it follow. Refused is
 * what would need other storage or shapes: a layer deeper than in the scene. Contact history is
 * kept, the ledger restarts. */
FF_API ff_status ff_sim_set_law(ff_sim *sim, ff_body a, ff_body b, ff_law_kind kind,
                                const char *name, double value, ff_report *report);
/* The present value; NAN: there is none. */
FF_API double ff_sim_law(const ff_sim *sim, ff_body a, ff_body b, ff_law_kind kind,
                         const char *name);
/* Mass of a free body or of a link with mass, kg: the moments of inertia change in proportion,
 * centre of mass and velocities stay. Laws that the scene derived from masses, and controllers,
 * keep what they had. The ledger restarts. */
FF_API ff_status ff_sim_set_mass(ff_sim *sim, ff_body body, double mass);
/* Gains of a joint's drive in the scene, N m/rad and N m s/rad (N/m, N s/m if it slides); of a
 * joint that does not follow another. A joint without a target is driven to its initial position.
 */
FF_API ff_status ff_sim_set_gains(ff_sim *sim, ff_joint_id joint, double stiffness, double damping);

/* Mean acceleration over the last step: m/s^2 of the origin and rad/s^2, world; NAN before the
 * first step and after the state was set. */
typedef struct ff_body_acceleration {
  ff_vec3 linear, angular;
} ff_body_acceleration;

FF_API ff_body_acceleration ff_sim_acceleration(const ff_sim *sim, ff_body body);

/* Inertial sensor: specific force (acceleration minus gravity, m/s^2) and angular velocity (rad/s)
 * in the axes of a sensor with this pose in the body frame, mean over the last step. */
typedef struct ff_imu {
  ff_vec3 force, omega;
} ff_imu;

FF_API ff_imu ff_sim_imu(const ff_sim *sim, ff_body body, ff_pose sensor);

/* ---- robots and their joints ----------------------------------------------------------------- */

/* Robots are 1 .. count, their joints with one axis 1 .. joint_count in the order of the tree. */
typedef struct ff_robot_info {
  const char *name;
  const ff_tree *tree;
  int joint_count;
  ff_body first;                       /* body of link 1; the other links follow */
  const ff_controller_def *controller; /* NULL: none */
} ff_robot_info;

FF_API int ff_model_robot_count(const ff_model *model);
FF_API ff_robot_id ff_model_robot_at(const ff_model *model, int number);
FF_API ff_robot_id ff_model_robot_find(const ff_model *model, const char *name); /* 0: unknown */
FF_API ff_robot_info ff_model_robot_info(const ff_model *model, ff_robot_id robot);
FF_API ff_joint_id ff_model_joint_at(const ff_model *model, ff_robot_id robot, int number);
FF_API ff_joint_id ff_model_joint_find(const ff_model *model, ff_robot_id robot, const char *name);
FF_API const char *ff_model_joint_name(const ff_model *model, ff_joint_id joint);

typedef struct ff_joint_info {
  const char *name;
  int q_at, v_at; /* index into q and v of the robot; -1: the axis is a component of a rotation or
                     of a free joint's position */
  bool slides;    /* m and N, not rad and N m */
  bool follows;   /* moves with another joint: position = factor q[q_at] + offset */
  double factor, offset;
  double lower, upper;       /* limits; infinite: none */
  double effort, speed;      /* of its drive; INFINITY: not limited */
  double stiffness, damping; /* of its drive in the scene */
  double armature;           /* kg m^2 or kg, rotor inertia on its coordinate */
} ff_joint_info;

FF_API ff_joint_info ff_model_joint_info(const ff_model *model, ff_joint_id joint);

/* Coordinates and velocities as in its tree; either may be NULL. Of no robot: left as they are. */
FF_API void ff_sim_robot(const ff_sim *sim, ff_robot_id robot, double *q, double *v);
/* Sets them; NULL leaves q or v as it is. Quaternions are made unit. Contact history is kept, the
 * ledger restarts. */
FF_API ff_status ff_sim_set_robot(ff_sim *sim, ff_robot_id robot, const double *q, const double *v);
/* Sets position and velocity of one joint (rad, rad/s; m, m/s if it slides): of a joint with one
 * axis that does not follow another. */
FF_API ff_status ff_sim_set_joint(ff_sim *sim, ff_joint_id joint, double position, double rate);
/* Sum of all contact forces on a body, N, world. */
FF_API ff_vec3 ff_sim_body_load(const ff_sim *sim, ff_body body);
/* Replaces the scene's drive of the joint until the next order. Within its effort; call between
 * steps, or inside the function of ff_sim_on_control. */
FF_API ff_status ff_sim_order(ff_sim *sim, ff_joint_id joint, const ff_joint_order *order);
/* Calls fn at 0, period, 2 period, ...; steps end there. It may read the sim and give orders. NULL:
 * stops the calls. After ff_sim_reset it restarts from 0. A period is at least 1e-12 s. */
typedef void (*ff_control_fn)(void *context, ff_sim *sim);
FF_API ff_status ff_sim_on_control(ff_sim *sim, double period, ff_control_fn fn, void *context);
/* The controller of a robot; NULL: none. */
FF_API const ff_controller *ff_sim_controller(const ff_sim *sim, ff_robot_id robot);

/* ---- contacts -------------------------------------------------------------------------------- */

/* Current state of a contact point. */
typedef struct ff_contact {
  ff_body a, b;
  ff_shape shape_a, shape_b;
  int feature;   /* vertex, rim or end of the shape; `quasi-rigid`, of two flat shapes: index of the
                    contact point */
  ff_vec3 point; /* m, world */
  ff_vec3 normal, t1, t2; /* unit, world; normal from b into a */
  ff_patch patch;
  ff_vec3 force;                      /* N, on a, world */
  ff_vec3 moment;                     /* N m, on a about the point, world */
  double force_n, force_t1, force_t2; /* N */
  ff_mode mode;
} ff_contact;

/* Is this body asleep: at rest, and not stepped (ff_stepper_def.sleep)? And how many are? */
FF_API bool ff_sim_is_asleep(const ff_sim *sim, ff_body body);
FF_API int ff_sim_asleep_count(const ff_sim *sim);

FF_API int ff_sim_contact_count(const ff_sim *sim);
FF_API ff_contact ff_sim_contact(const ff_sim *sim, int index);
/* All of them at once, in the same order: returns their number; out (may be NULL) takes the first
 * capacity of them. */
FF_API int ff_sim_contacts(const ff_sim *sim, ff_contact *out, int capacity);

/* ---- rays and distances -----------------------------------------------------------------------
 */

/* First surface along a ray. */
typedef struct ff_ray_hit {
  ff_body body; /* id 0: nothing within range */
  ff_shape shape;
  double distance; /* m, from the ray's origin; 0: that is inside the shape; NAN: nothing */
  ff_vec3 point;   /* m, world */
  ff_vec3 normal;  /* unit, world, out of the shape */
  double reserved[4];
} ff_ray_hit;

/* From `origin` (m, world) along `direction` (world, need not be unit) up to `range` (m, may be
 * INFINITY). skip: a body that it passes through, as the one that carries the sensor; id 0: none.
 */
FF_API ff_ray_hit ff_sim_ray(const ff_sim *sim, ff_vec3 origin, ff_vec3 direction, double range,
                             ff_body skip);

/* Signed distance of two bodies: that of their nearest, or most overlapping, shapes. */
typedef struct ff_separation {
  ff_shape shape_a, shape_b; /* id 0: one of the bodies has no shape */
  double distance;           /* m; below 0: minus the shortest translation that parts the shapes */
  ff_vec3 on_a, on_b;        /* m, world, the points that are nearest */
  ff_vec3 normal;            /* unit, world, from b into a */
  double reserved[4];
} ff_separation;

/* Whether or not a law joins them. NAN: no shapes, or half-spaces only. */
FF_API ff_separation ff_sim_distance(const ff_sim *sim, ff_body a, ff_body b);

/* Two bodies that overlap by more than their load explains, as in a scene with wrong positions:
 * they separate violently. */
typedef struct ff_intrusion {
  ff_body a, b;
  double depth;  /* m, of their deepest point */
  double core;   /* m, its depth in the rigid core under the layer (`quasi-rigid`), or 0 */
  double energy; /* J, stored in the springs of the contact, much more than weight or motion could
                    cause */
} ff_intrusion;

/* Number of current intrusions; out (may be NULL) takes the first capacity of them. */
FF_API int ff_sim_intrusions(const ff_sim *sim, ff_intrusion *out, int capacity);

/* Current state of a constraint. */
typedef struct ff_constraint_state {
  ff_vec3 force;  /* N, on a at its anchor, world */
  ff_vec3 moment; /* N m, on a about the anchor, world */
  double error;   /* m, distance between the anchors, or its deviation from length */
  double angle;   /* rad, deviation of the directions */
} ff_constraint_state;

FF_API ff_constraint_state ff_sim_constraint(const ff_sim *sim, ff_constraint_id constraint);

/* ---- energy ---------------------------------------------------------------------------------- */

/* Energy balance. residual = stored + lost - work - stored initially. */
typedef struct ff_energy {
  double kinetic, gravity, spring_normal, spring_tangent; /* J, stored now */
  double spring_joint;        /* J, stored in springs and stops of joints */
  double lost[FF_LOSS_COUNT]; /* J, dissipated since the start */
  double work;                /* J, done by forces, drives and prescribed bodies */
  double residual;            /* J, error of the integrator: gained (+) or lost (-) */
} ff_energy;

FF_API ff_energy ff_sim_energy(const ff_sim *sim);

/* Momentum minus initial momentum minus external impulses: 0 in theory. */
typedef struct ff_momentum {
  ff_vec3 linear, angular;                   /* kg m/s; kg m^2/s about the world origin */
  ff_vec3 linear_residual, angular_residual; /* same units */
} ff_momentum;

FF_API ff_momentum ff_sim_momentum(const ff_sim *sim);

/* Residuals of the contact conditions (`quasi-rigid`, `micro-macro`), recomputed from states and
 * forces; 0 in theory. The worst of all points. */
typedef struct ff_contact_residual {
  double complementarity; /* N: a force across a gap, or a tensile force */
  double cone;            /* N, friction beyond its cone, in units of the ellipsoid */
  double dissipation;     /* W, missing part of the maximal dissipation */
  double penetration;     /* m, beyond the layer: overlap of the cores */
  double solver; /* 1, in islands that are not solved exactly (stepper.accuracy): difference between
                  * a force and that of its law at the end of the step, over the largest force */
} ff_contact_residual;

/* After the last step. */
FF_API ff_contact_residual ff_sim_contact_residual(const ff_sim *sim);

/* What is wrong, or worth a note, with a run. Good means: no failure. Rows of docs/verdict.md. */
typedef enum ff_finding_kind {
  /* failures */
  FF_FINDING_NON_FINITE,    /* a position, velocity or energy is not finite, or beyond 1e150 */
  FF_FINDING_MISSED,        /* two shapes passed through each other without a contact */
  FF_FINDING_TOO_DEEP,      /* an overlap deeper than half the thinner shape */
  FF_FINDING_RIGID_ENTERED, /* an overlap of rigid surfaces or cores */
  FF_FINDING_START_OVERLAP, /* bodies overlap at the start by more than their load explains */
  FF_FINDING_ENERGY,        /* residual of the ledger */
  FF_FINDING_CREATED,       /* stored energy less work rises above its start */
  FF_FINDING_UNDONE,        /* a law's loss falls below its largest value */
  FF_FINDING_CANCELS,       /* losses that cancel each other */
  FF_FINDING_STEP_LOSS,     /* energy taken or given by the steps themselves */
  FF_FINDING_IMPACT,        /* an impact restitutes less or more than its law */
  FF_FINDING_COARSE,        /* a contact is stiffer than a fixed step can resolve */
  FF_FINDING_CONTACT,       /* complementarity, or the friction cone, of solved contacts */
  FF_FINDING_SOLVER,        /* forces are not those of their laws */
  FF_FINDING_CREEP,         /* a contact that sticks drifts */
  FF_FINDING_PATH,          /* positions are not the integral of the velocities */
  FF_FINDING_MOTION,        /* another motion at half the step: footfall run --certify */
  /* notes */
  FF_FINDING_NO_LAW,    /* shapes overlap that no law joins */
  FF_FINDING_LEFT,      /* a body left the scene */
  FF_FINDING_FELL,      /* a robot fell */
  FF_FINDING_UNTOUCHED, /* the scene has contact laws, and nothing ever touched */
  FF_FINDING_COUNT
} ff_finding_kind;

typedef struct ff_finding {
  ff_finding_kind kind;
  bool failure;       /* else a note */
  ff_body a, b;       /* id 0: none */
  double first;       /* s, time at which it began */
  double worst;       /* s, time of the value */
  double value;       /* in the unit of its kind */
  double limit;       /* the same; 0: none */
  const char *unit;   /* static text; "1": a ratio */
  const char *advice; /* static text */
  double reserved[4];
} ff_finding;

/* What a kind means: static texts. */
typedef struct ff_finding_info {
  const char *name; /* "too deep" */
  bool failure;
  const char *unit;
  const char *limit; /* in words */
  const char *meaning;
  const char *advice;
} ff_finding_info;

FF_API ff_finding_info ff_finding_describe(ff_finding_kind kind);

typedef enum ff_verdict {
  FF_VERDICT_GOOD,           /* no failure; else the first of these that applies, from below: */
  FF_VERDICT_ENERGY,         /* energy, or numbers that are not finite */
  FF_VERDICT_UNDER_RESOLVED, /* a contact, or an impact, that the steps cannot follow */
  FF_VERDICT_CONTACT,        /* overlaps, contact conditions, creep */
} ff_verdict;

typedef struct ff_audit {
  ff_verdict verdict;
  double energy_scale;      /* J, energy physically exchanged: the largest of kinetic, change of
                               gravity, stored and net work, at least 1e-3 of the weights times sizes */
  double energy_residual;   /* J, largest |energy.residual| */
  double energy_gained;     /* J, largest energy created, given back by a law's loss, or given by
                               the steps (lost.step) */
  double momentum_residual; /* kg m/s, largest */
  double angular_residual;  /* kg m^2/s, largest */
  double coarseness;        /* largest step * contact frequency, rad; fixed steppers */
  double needed_step; /* s, step that would resolve every contact so far; INFINITY: no contact */
  ff_contact_residual contact; /* worst of each */
  double contact_force;        /* N, largest normal force; 0 unless contacts are solved for */
  long steps;                  /* steps taken */
  long evaluations;            /* force evaluations */
  long events;                 /* touch-downs, lift-offs and kinks located by `adaptive` */
  long stiff_steps; /* of `adaptive`, which is explicit: limited by the stability of friction or
                       damping of a contact, not by accuracy */
} ff_audit;

FF_API ff_audit ff_sim_audit(const ff_sim *sim);
/* Findings since the start, or since the state was set: failures first, the worst first. Returns
 * their number; out (may be NULL) takes the first capacity of them. At most FF_FINDINGS_MOST: of
 * one kind, the worst pairs of bodies. */
enum { FF_FINDINGS_MOST = 64 };
FF_API int ff_sim_findings(const ff_sim *sim, ff_finding *out, int capacity);

/* Statistics of the solver of `quasi-rigid` or `micro-macro` since the start; all 0 under other
 * steppers. */
typedef struct ff_solver_info {
  long problems;   /* problems solved: islands of bodies in contact or constrained, each step */
  long iterations; /* linear systems, over all problems */
  int most;        /* most linear systems of one problem */
  double residual; /* 1, largest accepted residual, relative to the magnitude of the row's terms */
  long fallbacks;  /* problems that the first method did not solve */
  long cut_steps;  /* steps subdivided since they were not solved as a whole */
  long impact_steps; /* steps subdivided to resolve impacts; quasi-rigid */
  double effort;     /* 1, largest work of a step over its limit; quasi-rigid */
  long crowds;       /* of the problems: large islands solved to stepper.accuracy */
  long repeated;     /* steps identical to the one before, to the last bit: everything at rest */
} ff_solver_info;

FF_API ff_solver_info ff_sim_solver(const ff_sim *sim);

/* ---- channels -------------------------------------------------------------------------------- */

/* Named quantities of a sim: body.ball.position.z, contact.ball:floor.depth, energy.lost.slip. */
typedef struct ff_channel {
  char name[160];
  const char *unit;    /* "m", "rad/s", "1" */
  const char *frame;   /* axes that its components are along: "world"; "": of none */
  const char *meaning; /* one line */
} ff_channel;

FF_API int ff_model_channel_count(const ff_model *model);
FF_API ff_channel ff_model_channel(const ff_model *model, int index);
/* All there are, whatever the model: body.<body>.position.{x,y,z}. The unit of a joint that slides
 * has m for rad. */
FF_API int ff_channel_pattern_count(void);
FF_API ff_channel ff_channel_pattern(int index);
/* Does the name match a glob of the scene's record.channels? */
FF_API bool ff_channel_matches(const char *name, const char *glob);
/* Current values of the given channels. */
FF_API void ff_sim_read(const ff_sim *sim, const int *channels, int count, double *out);

/* Values of channels at given times. The steps of the sim do not depend on these times: where one
 * lies inside a step, `adaptive` evaluates its own solution there, and channels of fixed steppers
 * are interpolated (docs/recordings.md). A sampler uses its sim, which must outlive it. */
typedef struct ff_sampler ff_sampler;
FF_API ff_status ff_sampler_create(ff_sampler **out, ff_sim *sim, const int *channels, int count);
FF_API void ff_sampler_destroy(ff_sampler **sampler);
/* Takes whole steps until one ends at or after t, and evaluates the channels at t into out (count
 * values). The step that would pass `end`, the end of the run, is shortened to end there; t <= end.
 * Afterwards ff_sim_time may be later than t. FF_ERROR_INPUT: t is before the last step. */
FF_API ff_status ff_sampler_at(ff_sampler *sampler, double t, double end, double *out);

/* ---- events ---------------------------------------------------------------------------------- */

typedef enum ff_event_kind {
  FF_EVENT_TOUCH,     /* two bodies touch: their first point */
  FF_EVENT_LIFT,      /* they come apart: their last point */
  FF_EVENT_STICK,     /* their contact stops sliding: the first of its points */
  FF_EVENT_SLIP,      /* it begins to slide: the last of its points */
  FF_EVENT_FORCE_END, /* they still overlap, but no longer press on each other */
  FF_EVENT_CORE,      /* the rigid core under a layer is reached */
  FF_EVENT_STOP,      /* a joint reaches its limit */
  FF_EVENT_KIND_COUNT
} ff_event_kind;

/* "touch", "lift", "stick", "slip", "force-end", "core", "stop". */
FF_API const char *ff_event_kind_name(ff_event_kind kind);

/* An event of a pair of bodies, or of a joint. */
typedef struct ff_event {
  double time; /* s; `adaptive` locates them, others see them at steps */
  ff_event_kind kind;
  ff_body a, b;      /* of a joint: the link that it moves, and none */
  ff_joint_id joint; /* of a joint; else 0 */
  double speed;      /* m/s, of approach along the normal; lift: of separation; stop: rad/s or m/s
                        into the limit */
  double peak_force; /* N, largest normal force since the touch; lift only, as those below */
  double peak_time;  /* s; `adaptive` locates peaks between steps, fixed steppers at steps only */
  double peak_depth; /* m */
  double impulse;    /* N s, of the normal force since the touch */
  double reserved[4];
} ff_event;

/* Called after each event, inside ff_sim_step; must not modify the sim. */
typedef void (*ff_event_fn)(void *context, const ff_event *event);
FF_API void ff_sim_on_event(ff_sim *sim, ff_event_fn fn, void *context);

/* ---- results --------------------------------------------------------------------------------- */

/* An extreme, with its time and the bodies it belongs to (id 0: none). */
typedef struct ff_extreme {
  double value;
  double time; /* s */
  ff_body a, b;
} ff_extreme;

/* What happened since the start, at steps. Times are NAN and values 0 where nothing did. */
typedef struct ff_results {
  ff_extreme force;   /* N, largest normal force of a pair of bodies */
  ff_extreme impulse; /* N s, largest of the normal force of one contact, from touch to lift; time
                         of its touch */
  ff_extreme depth;   /* m, largest */
  ff_extreme touch;   /* m/s, the last touch-down, with its speed of approach */
  ff_extreme travel;  /* m, longest path of a body's centre of mass; time: now */
  long events[FF_EVENT_KIND_COUNT]; /* how many of each kind */
  double reserved[8];
} ff_results;

FF_API ff_results ff_sim_results(const ff_sim *sim);
/* Length of the path of a body's centre of mass since the start, m. */
FF_API double ff_sim_travelled(const ff_sim *sim, ff_body body);

/* Called after each step; may read the sim, save its state, give orders, apply wrenches and cancel.
 * NULL: stops the calls. */
FF_API ff_status ff_sim_on_step(ff_sim *sim, ff_control_fn fn, void *context);

#ifdef __cplusplus
}
#endif
#endif
