/* Internals of a robot, and data shared by its readers. */
#ifndef FF_IO_URDF_H
#define FF_IO_URDF_H

#include "base/arena.h"
#include "footfall/robot.h"
#include "io/xml.h"

enum {
  FF_URDF_ITEMS_MAX = 100000, /* links, joints or shapes of a robot */
  FF_URDF_NOTES_MAX = 200
};

typedef struct ff_urdf_link {
  const char *name;
  int line;
  bool inertial;
  double mass;
  ff_pose origin;  /* of the inertial */
  ff_mat3 inertia; /* about the centre of mass, axes of origin */
} ff_urdf_link;

typedef struct ff_urdf_joint {
  const char *name, *parent, *child;
  int line;
  bool limited, has_axis2;
  ff_joint_def def;
  double effort, speed;
  const char *mimic;
  double mimic_factor, mimic_offset;
  double soft_lower, soft_upper, safety_position, safety_speed;
} ff_urdf_joint;

typedef struct ff_urdf_shape {
  int link, line;
  int given;  /* number of geometries */
  bool empty; /* zero size */
  ff_robot_shape shape;
  ff_vec3 scale;
  ff_robot_colour colour; /* visual: given in place */
  const char *material;   /* visual: of this name; NULL: none */
} ff_urdf_shape;

/* A named material of the robot. */
typedef struct ff_urdf_material {
  const char *name;
  ff_robot_colour colour;
} ff_urdf_material;

/* Elements of a file, in order. */
typedef struct ff_urdf {
  const char *file, *folder, *root; /* as given; folder of the file; root: may be NULL */
  ff_arena *arena;                  /* owned by the robot: texts and vertices */
  bool skips_missing;               /* meshes that are not found are left out, with a note */
  const char *name;
  ff_urdf_link *links;
  ff_urdf_joint *joints;
  ff_urdf_shape *shapes, *visuals;
  ff_urdf_material *materials;
  int link_count, joint_count, shape_count, visual_count, material_count;
  size_t link_room, joint_room, shape_room, visual_room, material_room;
  const char **notes;
  int note_count;
} ff_urdf;

struct ff_robot {
  ff_arena arena;
  const char *name;
  ff_robot_link *links; /* link_count + 1: 0 is the ground */
  int link_count;
  bool floats; /* the root is not fixed to the ground */
  ff_robot_shape *shapes;
  int shape_count;
  ff_robot_visual *visuals;
  int visual_count;
  const char **notes;
  int note_count;
  const char **files; /* files it was read from: its own, then the meshes */
  int file_count;
  size_t file_room;
};

/* Parses the text into urdf; free with ff_urdf_free in any case. */
ff_status ff_urdf_read(ff_urdf *urdf, const char *text, size_t size, ff_report *report);
void ff_urdf_free(ff_urdf *urdf);
/* Adds a warning "file:line: text". FF_ERROR_MEMORY or FF_OK. */
ff_status ff_urdf_note(ff_urdf *urdf, int line, const char *format, ...);
/* Sorts links in tree order and fills the robot. */
ff_status ff_urdf_assemble(ff_robot *robot, ff_urdf *urdf, ff_report *report);
/* Reads the meshes of the shapes, and lists their files. */
ff_status ff_urdf_meshes(ff_robot *robot, ff_urdf *urdf, ff_report *report);
/* Fills the visuals of the robot, whose links are in tree order: place[link of the file] + 1. */
ff_status ff_urdf_fill_visuals(ff_robot *robot, const ff_urdf *urdf, const int *place);
/* Adds warnings about implausible data. */
ff_status ff_urdf_judge(const ff_robot *robot, ff_urdf *urdf);
/* Sets file and line of a report and returns FF_ERROR_INPUT. */
ff_status ff_urdf_wrong(const ff_urdf *urdf, int line, ff_report *report, const char *format, ...);

#endif
