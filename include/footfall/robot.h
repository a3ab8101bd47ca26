/* Robots from URDF files.
 *
 *   ff_robot_load(&robot, "robot.urdf", NULL, &report);
 *   ff_robot_tree(&tree, robot, FF_JOINT_FREE, &report);
 *
 * Links are numbered as in the tree: 1 .. count, a parent before its children, 1 the root.
 * Implausible data is reported by notes; invalid data is an error with its line. Document types and
 * entities are rejected, and files outside the root are never opened.
 */
#ifndef FOOTFALL_ROBOT_H
#define FOOTFALL_ROBOT_H

#include "footfall/api.h"
#include "footfall/controller.h"
#include "footfall/scene.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ff_robot ff_robot;

/* Meshes are searched only inside the folder `root`. package://NAME/FILE is FILE in the folder NAME
 * that contains the robot's file, or that is beside it or beside a folder above it; or root/FILE.
 * Other names are relative to the folder of the file. root NULL: for a package, the nearest folder
 * above the file with that name; else the nearest with a package.xml; else the folder of the file,
 * or its parent if that folder is called urdf. */
FF_API ff_status ff_robot_load(ff_robot **out, const char *path, const char *root,
                               ff_report *report);
/* Collision meshes that are not found are left out, each with a note, instead of an error. */
FF_API ff_status ff_robot_load_without_missing(ff_robot **out, const char *path, const char *root,
                                               ff_report *report);
FF_API void ff_robot_destroy(ff_robot **robot);

FF_API const char *ff_robot_name(const ff_robot *robot);
FF_API int ff_robot_link_count(const ff_robot *robot);

typedef struct ff_robot_link {
  ff_link_def def; /* as in the tree; the root link's joint is fixed. A mimic joint follows another
                      (ff_link_def.follows) */
  const char *joint_name;               /* of its joint; "" for the root */
  int line;                             /* of the link */
  double effort;                        /* N m or N, limit of its actuator; INFINITY: none given */
  double speed;                         /* rad/s or m/s, the same */
  double soft_lower, soft_upper;        /* rad, safety controller; infinite: none */
  double safety_position, safety_speed; /* 1/s, N m s/rad: its gains */
} ff_robot_link;

FF_API ff_robot_link ff_robot_link_info(const ff_robot *robot, int link);

/* Vertices that a mesh keeps of its convex hull: those that preserve its volume best. */
enum { FF_ROBOT_MESH_CORNERS = 64 };

/* A collision shape. A mesh collides as its convex hull, an FF_POLYHEDRON. */
typedef struct ff_robot_shape {
  int link;
  bool mesh;
  ff_shape_kind kind;
  ff_vec3 size;           /* m, see ff_shape_kind; mesh: half extents of its box */
  ff_pose pose;           /* in the link frame; mesh: centre and axes of its box */
  const char *file;       /* of a mesh, as written; "" otherwise */
  const ff_vec3 *corners; /* m, of the hull, in the link frame */
  int corner_count;
  double error; /* m, distance of the farthest omitted vertex from this hull */
} ff_robot_shape;

/* Colour and opacity of a material, 0 to 1. */
typedef struct ff_robot_colour {
  bool given;
  double rgba[4];
} ff_robot_colour;

/* A visual shape: what a link looks like. It has no effect on the motion; reports draw it. Its mesh
 * is not opened until then. */
typedef struct ff_robot_visual {
  int link;
  bool mesh;
  ff_shape_kind kind; /* unless a mesh */
  ff_vec3 size;       /* m, see ff_shape_kind */
  ff_pose pose;       /* in the link frame */
  const char *file;   /* path of the mesh; "": none, or there is no such file */
  ff_vec3 scale;      /* of the mesh */
  ff_robot_colour colour;
} ff_robot_visual;

FF_API int ff_robot_visual_count(const ff_robot *robot);
FF_API ff_robot_visual ff_robot_visual_info(const ff_robot *robot, int visual); /* 0 .. count - 1 */

FF_API int ff_robot_shape_count(const ff_robot *robot);
FF_API ff_robot_shape ff_robot_shape_info(const ff_robot *robot, int shape); /* 0 .. count - 1 */

/* Warning about ignored or implausible data: "robot.urdf:12: link arm: ...". */
FF_API int ff_robot_note_count(const ff_robot *robot);
FF_API const char *ff_robot_note(const ff_robot *robot, int note);

/* The files it was read from: its own, then those of its meshes; 0 .. count - 1. */
FF_API int ff_robot_file_count(const ff_robot *robot);
FF_API const char *ff_robot_file(const ff_robot *robot, int file);

/* Builds the tree; the root link is connected to the ground by a joint of this kind. */
FF_API ff_status ff_robot_tree(ff_tree **out, const ff_robot *robot, ff_joint_kind root,
                               ff_report *report);

/* ---- robots in scenes ------------------------------------------------------------------------ */

/* Initial state and drive of a joint axis: within the limits of its actuator
 *   tau = stiffness (target - q) + damping (target rate - v) + torque.
 * stiffness 0 makes it a velocity servo; with both 0 only the torque acts. Under
 * `symplectic-euler`, `quasi-rigid` and `micro-macro` stiffness and damping act on the state at the
 * end of the step, so that stiff gains are stable.
 *
 * A joint with several axes has a setting for each, named by ff_joint_axis_name: "hip-rx".
 * Positions of a spherical (or free) joint are the components of its rotation vector, and the
 * target is that of the shortest rotation to the targets' rotation; forces and velocities are along
 * the axes of the link. The free joint of a root has no drive.
 * armature is the inertia of a geared rotor about its own axis, times the gear ratio squared: it is
 * added to the diagonal of the joint-space inertia, and to what mimics the axis.
 *
 * Limits: the effort; and a speed, near which the effort fades, over the last 2 % to zero, and
 * opposes the motion beyond. A safety controller bounds the drive as in URDF: between
 * -k_v (v - v_lower) and -k_v (v - v_upper), v_lower and v_upper being -k_p (q - soft limit) within
 * the speed. */
typedef struct ff_joint_setting {
  const char *joint;
  double position, velocity; /* rad, rad/s (or m, m/s), at the start */
  double stiffness, damping; /* N m/rad, N m s/rad */
  double
      armature; /* kg m^2 (kg if the axis slides), rotor inertia; NAN: that of the link's joint */
  ff_table target;     /* rad, width 1; rows 0: the initial position */
  ff_table torque;     /* N m, width 1; rows 0: none */
  bool explicit_drive; /* acts on the state at the start of the step under every stepper */
} ff_joint_setting;

typedef struct ff_robot_def {
  const char *name;
  const ff_robot_link *links; /* links[0] is link 1 */
  int link_count;
  const ff_robot_shape *shapes;
  int shape_count;
  const ff_robot_visual *visuals; /* in reports; none: the shapes are drawn */
  int visual_count;
  const char *colour;   /* of what has none of its own, see ff_body_def; NULL: chosen */
  const char *material; /* of all its shapes; NULL: none */
  ff_joint_kind root;   /* FF_JOINT_FREE, or FF_JOINT_FIXED to the ground */
  ff_pose base;         /* of the root link, world, at the start */
  bool on_ground;      /* free roots: base.position.z is instead such that the lowest point is at */
  double ground;       /* m, this height */
  ff_vec3 velocity;    /* m/s, of its origin, world; free roots */
  ff_vec3 omega;       /* rad/s, world; free roots */
  ff_track_def track;  /* of a free root: replaces its initial pose and velocity; rows 0: none */
  bool self_collision; /* links collide with each other, except those connected by a joint */
  const ff_joint_setting *joints;
  int joint_count; /* joints that are not named start at rest at 0 and are not driven */
  const ff_controller_def *controller; /* moves the joints, see footfall/controller.h; NULL: none */
} ff_robot_def;

/* Links and shapes of a robot, which must live until the definition is added. Its root floats if
 * it, or a link connected to it by fixed joints, has mass; a root called "world" is the ground. */
FF_API ff_robot_def ff_robot_def_of(const ff_robot *robot, const char *name);
FF_API ff_joint_setting ff_joint_setting_default(void);

/* Adds a robot; each link becomes the body "NAME-LINK" of kind FF_BODY_LINK. In a contact rule the
 * name of the robot stands for all its links. */
FF_API ff_status ff_scene_add_robot(ff_scene *scene, const ff_robot_def *def);

#ifdef __cplusplus
}
#endif
#endif
