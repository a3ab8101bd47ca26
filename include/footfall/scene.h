/* Scenes: editable descriptions. Fill definitions, add them, build a model.
 *
 *   ff_scene *scene;
 *   ff_scene_create(&scene);
 *   ff_body_def ball = ff_body_def_default();
 *   ball.name = "ball";
 *   ...
 *
 * Every definition is copied, strings and tables included. Only handles and memory are checked
 * here: ff_model_build checks everything and reports by the same key paths as a scene file
 * ("bodies.ball.mass").
 */
#ifndef FOOTFALL_SCENE_H
#define FOOTFALL_SCENE_H

#include "footfall/api.h"
#include "footfall/law.h"
#include "footfall/status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ff_scene ff_scene;

/* ---- tables over time ------------------------------------------------------------------------ */

/* Piecewise linear in time, constant before the first and after the last row. rows x (1 + width)
 * numbers: t, value_1 .. value_width. One row: a constant. */
typedef struct ff_table {
  const double *values;
  int rows;
  int width; /* 1 or 3; 7 for poses */
} ff_table;

/* ---- materials ------------------------------------------------------------------------------- */

typedef struct ff_material_def {
  const char *name;
  double young;       /* Pa; NAN: unknown (as for all below) */
  double poisson;     /* 1, in (-1, 0.5] */
  double density;     /* kg/m^3 */
  double dissipation; /* s/m, Hunt-Crossley alpha */
  double mu_static;   /* 1 */
  double mu_kinetic;  /* 1 */
} ff_material_def;

FF_API ff_material_def ff_material_def_default(void);
FF_API ff_status ff_scene_add_material(ff_scene *scene, const ff_material_def *def);

/* Built-in materials, usable by name in every scene; a material of the scene with the same name
 * replaces it. See docs/materials.md. */
typedef struct ff_material_entry {
  ff_material_def def;
  const char *source; /* keys of docs/bibliography.md */
} ff_material_entry;

FF_API int ff_material_library_count(void);
/* index 0 .. count - 1, sorted by name. */
FF_API ff_material_entry ff_material_library_at(int index);

/* ---- bodies ---------------------------------------------------------------------------------- */

typedef enum ff_body_kind {
  FF_BODY_FREE,       /* moved by forces */
  FF_BODY_FIXED,      /* immobile */
  FF_BODY_PRESCRIBED, /* prescribed motion, unaffected by forces */
  FF_BODY_LINK        /* part of a robot, moved through its joints: see ff_scene_add_robot */
} ff_body_kind;

/* Prescribed motion, added to the initial pose. Tables may be empty (rows 0). */
typedef struct ff_motion {
  ff_table velocity;      /* m/s, width 3, world: integrated exactly */
  ff_vec3 amplitude;      /* m: position += amplitude * (sin(2 pi f t + phase) - sin(phase)) */
  double frequency;       /* Hz */
  double phase;           /* rad */
  ff_vec3 axis;           /* world axis of rotation through the body's origin; need not be unit */
  ff_table rate;          /* rad/s about axis, width 1: integrated exactly */
  double swing_amplitude; /* rad: angle += swing_amplitude * (sin(2 pi f t + phase) - sin(phase)) */
} ff_motion;

/* Measured motion: poses of the body frame over time, interpolated by natural cubic splines of
 * position and quaternion, so that velocity and acceleration are continuous and consistent. Beyond
 * the first and last row the velocity stays. A prescribed body, or without stiffness the fixed root
 * of a robot, follows it rigidly; a free body or root starts on it and is pulled by springs and
 * dampers at its origin. */
typedef struct ff_track_def {
  ff_table poses;        /* width 7: m, position, world; quaternion w x y z, body -> world. rows 0:
                          * none, else at least 2 */
  double stiffness;      /* N/m, free bodies */
  double damping;        /* N s/m */
  double turn_stiffness; /* N m/rad */
  double turn_damping;   /* N m s/rad */
} ff_track_def;

typedef struct ff_body_def {
  const char *name;
  ff_body_kind kind;
  double mass;          /* kg; NAN: from shapes and density */
  ff_vec3 com;          /* m, centre of mass in the body frame; x NAN: from shapes */
  ff_mat3 inertia;      /* kg m^2 about the centre of mass, body axes; [0][0] NAN: from shapes */
  double density;       /* kg/m^3 of all its shapes; NAN: from their materials */
  const char *material; /* default of its shapes; NULL: none */
  ff_vec3 position;     /* m, origin of the body frame, world */
  ff_quat orientation;  /* body -> world */
  ff_vec3 velocity;     /* m/s, of the body frame's origin, world */
  ff_vec3 omega;        /* rad/s, world */
  ff_motion motion;     /* FF_BODY_PRESCRIBED only */
  const char *colour; /* in reports: "#rrggbb" or a name, see docs/scene-format.md; NULL: chosen */
  ff_track_def track; /* replaces the motion, or the initial pose and velocity of a free body */
  int copy_of;        /* id of a body whose contact rules apply to this one, too; 0: none */
} ff_body_def;

FF_API ff_body_def ff_body_def_default(void); /* free, at the origin, at rest */
FF_API ff_status ff_scene_add_body(ff_body *out, ff_scene *scene, const ff_body_def *def);

/* ---- shapes ---------------------------------------------------------------------------------- */

typedef enum ff_shape_kind {
  FF_HALF_SPACE,     /* the half-space below the shape frame's xy-plane */
  FF_SPHERE,         /* size.x: radius */
  FF_ELLIPSOID,      /* size: semi-axes */
  FF_BOX,            /* size: half extents */
  FF_CAPSULE,        /* size.x: radius, size.y: half length of the axis segment (z) */
  FF_CYLINDER,       /* size.x: radius, size.y: half height (z) */
  FF_SUPERELLIPSOID, /* size: semi-axes; exponents p, q:
                      * (|x/a|^p + |y/b|^p)^(q/p) + |z/c|^q <= 1 */
  FF_POLYHEDRON,     /* convex hull of vertices */
  FF_INTERSECTION,   /* intersection of members */
  FF_CONE,           /* size.x: radius of the base, size.y: height (z); the origin is its centre of
                      * mass, height / 4 above the base, the tip at +z */
  FF_SHAPE_KIND_COUNT
} ff_shape_kind;

/* Exponents of a superellipsoid: 2 and 2 make an ellipsoid, large ones a rounded box. */
#define FF_EXPONENT_MIN 1.1
#define FF_EXPONENT_MAX 20.0

enum {
  FF_POLYHEDRON_VERTICES_MAX = 256, /* vertices of a hull; ff_hull_reduce reduces their number */
  FF_INTERSECTION_MEMBERS_MAX = 16
};

typedef struct ff_shape_def {
  ff_shape_kind kind;
  ff_vec3 size;            /* m, see the kinds */
  ff_vec3 position;        /* m, in the body frame */
  ff_quat orientation;     /* shape -> body */
  const char *material;    /* NULL: the body's */
  double exponents[2];     /* FF_SUPERELLIPSOID */
  const ff_vec3 *vertices; /* m, shape frame: FF_POLYHEDRON; points inside the hull are ignored */
  int vertex_count;
  /* FF_INTERSECTION: at least two, one of them finite, none an intersection itself; their position
   * and orientation are in the frame of this shape, their material is not used. */
  const struct ff_shape_def *members;
  int member_count;
} ff_shape_def;

FF_API ff_shape_def ff_shape_def_default(void); /* unit sphere at the body's origin */
FF_API ff_status ff_scene_add_shape(ff_shape *out, ff_scene *scene, ff_body body,
                                    const ff_shape_def *def);

/* Vertices of the convex hull of count points, at most limit (4 or more) of them: those that
 * preserve the hull best. *error (m, may be NULL): distance of the farthest omitted point from the
 * reduced hull; 0 if none was omitted. out has space for limit. FF_ERROR_INPUT and a report if the
 * points have no hull. */
FF_API ff_status ff_hull_reduce(ff_vec3 *out, int *out_count, int limit, const ff_vec3 *points,
                                int count, double *error, ff_report *report);

/* "half-space", "sphere", ...: the name in scenes and messages. */
FF_API const char *ff_shape_kind_name(ff_shape_kind kind);

/* ---- contacts -------------------------------------------------------------------------------- */

/* A law by name, with its given parameters. */
typedef struct ff_law_choice {
  const char *law;      /* "hunt-crossley"; NULL: "none" for friction */
  const char **names;   /* given parameters */
  const double *values; /* their values */
  int count;
} ff_law_choice;

/* Contact rule: which bodies collide, and by which laws. Body names; "*" stands for every body. Of
 * several rules that match a pair the last one applies. */
typedef struct ff_contact_def {
  const char *a, *b;
  bool off; /* true: no contact */
  ff_law_choice normal;
  ff_law_choice friction;
  double radius; /* m, radius of curvature for laws that derive stiffness; NAN: from the shapes */
} ff_contact_def;

FF_API ff_contact_def ff_contact_def_default(void);
FF_API ff_status ff_scene_add_contact(ff_scene *scene, const ff_contact_def *def);

/* ---- forces and drives ----------------------------------------------------------------------- */

typedef struct ff_force_def {
  const char *body;
  ff_table force;  /* N, width 3; rows 0: none */
  ff_table torque; /* N m, width 3; rows 0: none */
  ff_vec3 point;   /* m, where the force acts, body frame */
  bool body_frame; /* force and torque turn with the body */
} ff_force_def;

FF_API ff_force_def ff_force_def_default(void);
FF_API ff_status ff_scene_add_force(ff_scene *scene, const ff_force_def *def);

typedef enum ff_phase_kind { FF_PHASE_OFF, FF_PHASE_POSITION, FF_PHASE_FORCE } ff_phase_kind;

/* One phase of a drive. In a position phase the desired position along the axis is start + integral
 * of velocity since the phase began, and f = stiffness * (desired - position) + damping * (desired
 * rate - rate). */
typedef struct ff_phase_def {
  ff_phase_kind kind;
  double until;      /* s, end of the phase; INFINITY: never */
  double stiffness;  /* N/m */
  double damping;    /* N s/m */
  ff_table velocity; /* m/s, width 1, time counted from the phase's start; rows 0: 0 */
  double start;      /* m, desired position at the phase's start; NAN: the actual position then */
  ff_table force;    /* N, width 1, time counted from the phase's start (force phases) */
} ff_phase_def;

/* A drive pushes a free body's origin along a world axis, one phase after another.
 * Position along the axis is axis . (origin - reference). */
typedef struct ff_drive_def {
  const char *name; /* channel drive.<name>.{force,position,wanted} */
  const char *body;
  ff_vec3 axis;      /* world, need not be unit */
  ff_vec3 reference; /* m, world: position 0 */
  const ff_phase_def *phases;
  int phase_count;
} ff_drive_def;

FF_API ff_phase_def ff_phase_def_default(void);
FF_API ff_drive_def ff_drive_def_default(void);
FF_API ff_status ff_scene_add_drive(ff_scene *scene, const ff_drive_def *def);

/* ---- constraints ----------------------------------------------------------------------------- */

typedef enum ff_constraint_kind {
  FF_CONSTRAINT_BALL,     /* a point of a coincides with a point of b */
  FF_CONSTRAINT_HINGE,    /* the same, with relative rotation about one axis only */
  FF_CONSTRAINT_WELD,     /* a and b are rigidly connected */
  FF_CONSTRAINT_DISTANCE, /* a point of a keeps its distance from a point of b: a massless rod */
  FF_CONSTRAINT_KIND_COUNT
} ff_constraint_kind;

/* Constraint between two bodies, without play and loss. At least one of them is free; the other may
 * be fixed or prescribed. The bodies must satisfy the constraint initially, in position and
 * velocity. See docs/constraints.md. */
typedef struct ff_constraint_def {
  const char *name; /* channels constraint.<name>.{force,moment,error,angle} */
  ff_constraint_kind kind;
  const char *a, *b; /* force and moment are those on a */
  ff_vec3 at;        /* m, world, initial: common point; x NAN: by anchors */
  ff_vec3 anchor_a,
      anchor_b;   /* m, body frames; x NAN: at the other one's; distance: the body's origin */
  ff_vec3 axis;   /* hinge: world, initial; need not be unit; x NAN: by axis_a */
  ff_vec3 axis_a; /* hinge: axis in the body frame of a */
  double length;  /* m, distance; NAN: the initial one */
} ff_constraint_def;

FF_API ff_constraint_def ff_constraint_def_default(void); /* a ball with nothing given */
FF_API ff_status ff_scene_add_constraint(ff_scene *scene, const ff_constraint_def *def);
/* "ball", "hinge", ...: the name in scenes and messages. */
FF_API const char *ff_constraint_kind_name(ff_constraint_kind kind);

/* ---- run ------------------------------------------------------------------------------------- */

/* Contact points, normals and depths that quasi-rigid solves with [Chakraborty07]. */
typedef enum ff_step_geometry {
  FF_GEOMETRY_IMPLICIT,  /* of the end of the step, on the surfaces' common normal */
  FF_GEOMETRY_EXPLICIT,  /* points and normal of its start */
  FF_GEOMETRY_LEVEL_SETS /* of its end, on the normal of the level sets of eq. 11: two ellipsoids */
} ff_step_geometry;

typedef struct ff_stepper_def {
  const char *kind; /* name of a stepper: see footfall/stepper.h; "auto": one that fits the scene */
  double step;      /* s, fixed steppers; NAN: not given, an error for them unless chosen */
  int order;        /* quasi-rigid: 1, as published, or 2, conserves energy and resolves impacts */
  ff_step_geometry geometry; /* quasi-rigid */
  double accuracy;           /* 1, of forces over the largest one in large islands: quasi-rigid and
                              * micro-macro; 0: as exact as in others; NAN: the stepper's default */
  double sleep; /* s, so long an island of bodies is slower than sleep_speed before it is no longer
                 * stepped; 0: never; symplectic-euler, quasi-rigid, micro-macro */
  double sleep_speed; /* m/s */
  double rtol;        /* relative tolerance, adaptive */
  double atol;        /* tolerance relative to the scene's natural scales, adaptive */
  double max_step;    /* s, adaptive */
  /* micro-macro, see docs/micro-macro.md: */
  const char *micro;      /* forces of elastic parts: "implicit", "literal" or "conventional" */
  double lambda;          /* 1/kg^2, weight of the impulses' norm as printed; NAN: relative */
  double lambda_relative; /* 1, in units of (mean diagonal of A)^2 */
  double slip_speed;      /* m/s, points with less slip stick */
  bool no_sticking;       /* the largest static friction is 0 */
  bool exclusive;   /* either the membrane or the rigid body below acts on a point, never both */
  int passes;       /* repetitions of the stick-slip decision in a step; 0: as printed */
  bool corrections; /* friction of elastic parts sticks, rigid parts are not entered; false: as
                       printed */
} ff_stepper_def;

/* Is there a table of contacts in recordings (HDF5)? */
typedef enum ff_contact_table {
  FF_CONTACT_TABLE_AUTO, /* where there are too many pairs for channels */
  FF_CONTACT_TABLE_YES,
  FF_CONTACT_TABLE_NO
} ff_contact_table;

typedef struct ff_run_def {
  ff_vec3 gravity; /* m/s^2 */
  double duration; /* s */
  ff_stepper_def stepper;
  double record_every; /* s between samples; 0: every step of a fixed stepper; at most 1e9 in all */
  const char **channels;   /* globs over channel names */
  int channel_count;       /* 0: all */
  double energy_tolerance; /* |energy.residual| allowed, relative to the energy exchanged; NAN: that
                            * of the stepper, see footfall/stepper.h */
  int contact_capacity;    /* limit of contact points at once, at most 1e7; 0: none */
  ff_contact_table contact_table;
  bool no_default_contacts; /* true: a scene without contact rules has no contacts. false: pairs of
                             * shapes with known materials get laws from these, if there are no
                             * rules at all (docs/materials.md) */
  double reserved[8];       /* 0 */
} ff_run_def;

/* Earth gravity, 1 s, stepper "auto", contacts from materials if there are no contact rules. */
FF_API ff_run_def ff_run_def_default(void);
FF_API ff_status ff_scene_set_run(ff_scene *scene, const ff_run_def *def);

/* ---- creation -------------------------------------------------------------------------------- */

FF_API ff_status ff_scene_create(ff_scene **out);
FF_API void ff_scene_destroy(ff_scene **scene);

#ifdef __cplusplus
}
#endif
#endif
