/* Parses XML elements into links, joints and shapes; a table defines the allowed nesting. */
#include "base/memory.h"
#include "base/report.h"
#include "base/text.h"
#include "io/urdf.h"
#include "math/vec.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

typedef enum element {
  TOP,
  ROBOT,
  LINK,
  INERTIAL,
  COLLISION,
  VISUAL,
  GEOMETRY,
  MATERIAL, /* of a visual, or of the robot */
  JOINT,
  LEAF,    /* no contents of interest */
  IGNORED, /* known and not used */
  UNKNOWN
} element;

typedef struct reader {
  ff_urdf *urdf;
  ff_xml *xml;
  const char *tag;
  const char **attributes;
  element stack[FF_XML_DEPTH_MAX + 1];
  int depth;
  bool visual;             /* the last shape begun is a visual */
  const char *colour;      /* name of the material whose colour follows; NULL: that of the visual */
  const char *strange[64]; /* unknown tags already reported */
  int strange_count;
} reader;

/* ---- growing lists --------------------------------------------------------------------------- */

static void *urdf_append(reader *r, void **list, int *count, size_t *capacity, size_t size) {
  return ff_xml_one_more(r->xml, list, count, capacity, size, FF_URDF_ITEMS_MAX);
}

ff_status ff_urdf_note(ff_urdf *urdf, int line, const char *format, ...) {
  if (urdf->note_count == FF_URDF_NOTES_MAX) {
    return FF_OK;
  }
  if (!urdf->notes) {
    urdf->notes = ff_arena_take(urdf->arena, FF_URDF_NOTES_MAX, sizeof *urdf->notes);
  }
  char text[1024];
  int used = snprintf(text, sizeof text, "%.400s:%d: ", urdf->file, line);
  va_list args;
  va_start(args, format);
  vsnprintf(text + used, sizeof text - (size_t)used, format, args);
  va_end(args);
  const char *kept = urdf->notes ? ff_arena_text(urdf->arena, text, strlen(text)) : NULL;
  if (!kept) {
    return FF_ERROR_MEMORY;
  }
  urdf->notes[urdf->note_count++] = kept;
  return FF_OK;
}

/* ---- attributes ------------------------------------------------------------------------------ */

static const char *urdf_attribute(const reader *r, const char *name) {
  for (const char **at = r->attributes; *at; at += 2) {
    if (strcmp(at[0], name) == 0) {
      return at[1];
    }
  }
  return NULL;
}

/* Copy of a required, non-empty attribute. */
static const char *urdf_text_of(reader *r, const char *name) {
  const char *value = urdf_attribute(r, name);
  if (!value || !value[0]) {
    ff_xml_fail(r->xml, "<%s> needs the attribute '%s'", r->tag, name);
    return "";
  }
  if (strlen(value) > 1000) {
    ff_xml_fail(r->xml, "'%s' of <%s> is longer than 1000 characters", name, r->tag);
    return "";
  }
  const char *kept = ff_arena_text(r->urdf->arena, value, strlen(value));
  if (!kept) {
    ff_xml_take(r->xml, FF_ERROR_MEMORY);
  }
  return kept ? kept : "";
}

/* Exactly count numbers separated by blanks. */
static bool urdf_scan_numbers(const char *text, int count, double *out) {
  for (int k = 0; k < count; k++) {
    text += strspn(text, " \t\r\n");
    char word[64];
    size_t length = strcspn(text, " \t\r\n");
    if (length == 0 || length >= sizeof word) {
      return false;
    }
    memcpy(word, text, length);
    word[length] = 0;
    text += length;
    ff_unit unit;
    if (!ff_number_scan(word, &out[k], &unit) || unit != FF_UNIT_NONE || !isfinite(out[k])) {
      return false;
    }
  }
  return text[strspn(text, " \t\r\n")] == 0;
}

/* `out` is unchanged if the attribute is missing. Returns whether it was present. */
static bool urdf_numbers_of(reader *r, const char *name, int count, double *out) {
  const char *value = urdf_attribute(r, name);
  double found[4];
  if (!value) {
    return false;
  }
  if (!urdf_scan_numbers(value, count, found)) {
    bool xacro = strstr(value, "${") || strstr(value, "$(");
    ff_xml_fail(r->xml, "'%s' of <%s> must be %d finite number%s, got '%.60s'%s", name, r->tag,
                count, count == 1 ? "" : "s", value,
                xacro ? ": this is a xacro file; run it through xacro first" : "");
    return true;
  }
  memcpy(out, found, (size_t)count * sizeof *out);
  return true;
}

static void urdf_number_of(reader *r, const char *name, bool required, double *out) {
  if (!urdf_numbers_of(r, name, 1, out) && required) {
    ff_xml_fail(r->xml, "<%s> needs the attribute '%s'", r->tag, name);
  }
}

/* Fixed axes: roll about x, then pitch about y, then yaw about z. */
static ff_quat urdf_rpy_rotation(const double rpy[3]) {
  ff_quat x = q_exp(v3(rpy[0], 0, 0)), y = q_exp(v3(0, rpy[1], 0)), z = q_exp(v3(0, 0, rpy[2]));
  return q_mul(z, q_mul(y, x));
}

static void urdf_read_pose(reader *r, ff_pose *out) {
  double xyz[3] = {0}, rpy[3] = {0};
  urdf_numbers_of(r, "xyz", 3, xyz);
  urdf_numbers_of(r, "rpy", 3, rpy);
  *out = (ff_pose){v3_load(xyz), urdf_rpy_rotation(rpy)};
}

/* ---- elements -------------------------------------------------------------------------------- */

static ff_urdf_link *urdf_this_link(reader *r) {
  return &r->urdf->links[r->urdf->link_count - 1];
}
static ff_urdf_joint *urdf_this_joint(reader *r) {
  return &r->urdf->joints[r->urdf->joint_count - 1];
}
static ff_urdf_shape *urdf_this_shape(reader *r) {
  return r->visual ? &r->urdf->visuals[r->urdf->visual_count - 1]
                   : &r->urdf->shapes[r->urdf->shape_count - 1];
}

static void urdf_on_robot(reader *r) {
  const char *name = urdf_attribute(r, "name");
  r->urdf->name = name && name[0] ? urdf_text_of(r, "name") : "";
}

static void urdf_on_link(reader *r) {
  ff_urdf *u = r->urdf;
  ff_urdf_link *link =
      urdf_append(r, (void **)&u->links, &u->link_count, &u->link_room, sizeof *u->links);
  if (link) {
    *link = (ff_urdf_link){.line = ff_xml_line(r->xml), .origin.orientation = {1, 0, 0, 0}};
    link->name = urdf_text_of(r, "name");
  }
}

static void urdf_on_inertial(reader *r) {
  urdf_this_link(r)->inertial = true;
}
static void urdf_on_inertial_origin(reader *r) {
  urdf_read_pose(r, &urdf_this_link(r)->origin);
}
static void urdf_on_mass(reader *r) {
  double *mass = &urdf_this_link(r)->mass;
  urdf_number_of(r, "value", true, mass);
  if (*mass < 0) {
    ff_xml_fail(r->xml, "the mass must not be negative, got %g", *mass);
  }
}
static void urdf_on_inertia(reader *r) {
  ff_mat3 *to = &urdf_this_link(r)->inertia;
  static const char *const names[3][3] = {
      {"ixx", "ixy", "ixz"}, {"ixy", "iyy", "iyz"}, {"ixz", "iyz", "izz"}};
  for (int i = 0; i < 3; i++) {
    for (int j = i; j < 3; j++) {
      urdf_number_of(r, names[i][j], i == j, &to->m[i][j]);
      to->m[j][i] = to->m[i][j];
    }
  }
}

static void urdf_begin_shape(reader *r, ff_urdf_shape *shape) {
  if (shape) {
    *shape = (ff_urdf_shape){.line = ff_xml_line(r->xml),
                             .link = r->urdf->link_count - 1,
                             .shape = {.pose.orientation = {1, 0, 0, 0}, .file = ""},
                             .scale = {1, 1, 1}};
  }
}
static void urdf_on_collision(reader *r) {
  ff_urdf *u = r->urdf;
  r->visual = false;
  urdf_begin_shape(
      r, urdf_append(r, (void **)&u->shapes, &u->shape_count, &u->shape_room, sizeof *u->shapes));
}
static void urdf_on_visual(reader *r) {
  ff_urdf *u = r->urdf;
  r->visual = true;
  urdf_begin_shape(r, urdf_append(r, (void **)&u->visuals, &u->visual_count, &u->visual_room,
                                  sizeof *u->visuals));
}
static void urdf_on_shape_origin(reader *r) {
  urdf_read_pose(r, &urdf_this_shape(r)->shape.pose);
}

/* ---- materials ------------------------------------------------------------------------------- */

static void urdf_on_robot_material(reader *r) {
  ff_urdf *u = r->urdf;
  ff_urdf_material *material = urdf_append(r, (void **)&u->materials, &u->material_count,
                                           &u->material_room, sizeof *u->materials);
  if (material) {
    *material = (ff_urdf_material){.name = urdf_text_of(r, "name")};
    r->colour = material->name;
  }
}
/* The material of a visual names one of the robot, defines one, or both. */
static void urdf_on_visual_material(reader *r) {
  const char *name = urdf_attribute(r, "name");
  r->colour = NULL;
  urdf_this_shape(r)->material = name && name[0] ? urdf_text_of(r, "name") : NULL;
}
/* Colours do not affect the motion: one that cannot be read is reported and left out. */
static void urdf_on_colour(reader *r) {
  ff_urdf *u = r->urdf;
  const char *text = urdf_attribute(r, "rgba");
  double c[4] = {0, 0, 0, 1};
  if (!text || !(urdf_scan_numbers(text, 4, c) || urdf_scan_numbers(text, 3, c))) {
    ff_xml_take(r->xml, ff_urdf_note(u, ff_xml_line(r->xml),
                                     "a colour needs rgba: four numbers from 0 to 1: ignored"));
    return;
  }
  ff_robot_colour colour = {.given = true};
  for (int k = 0; k < 4; k++) {
    colour.rgba[k] = fmin(1, fmax(0, c[k]));
  }
  if (r->colour) {
    u->materials[u->material_count - 1].colour = colour;
  } else {
    urdf_this_shape(r)->colour = colour;
  }
}

/* A sphere of radius 0 marks a contact point; it gets this radius. */
static const double point_radius = 1e-3; /* m */

static void urdf_set_shape(reader *r, ff_shape_kind kind, ff_vec3 size) {
  ff_urdf_shape *shape = urdf_this_shape(r);
  const char *link = urdf_this_link(r)->name;
  ff_status told = FF_OK;
  if (shape->given++ > 0) {
    ff_xml_fail(r->xml, "a <geometry> must have one shape");
  }
  if (r->visual) { /* what has no size is not seen */
    shape->empty =
        !(size.x > 0) || (kind != FF_SPHERE && !(size.y > 0)) || (kind == FF_BOX && !(size.z > 0));
    shape->shape.kind = kind;
    shape->shape.size = size;
    return;
  }
  if (size.x < 0 || size.y < 0 || size.z < 0) {
    ff_xml_fail(r->xml, "the sizes of a <%s> must not be negative", r->tag);
  }
  if (kind == FF_SPHERE && size.x == 0) {
    size.x = point_radius;
    told = ff_urdf_note(r->urdf, ff_xml_line(r->xml),
                        "link '%.80s': a <sphere> of radius 0 is treated as one of %g m", link,
                        size.x);
  } else if (size.x == 0 || (kind != FF_SPHERE && size.y == 0) || (kind == FF_BOX && size.z == 0)) {
    shape->empty = true;
    told = ff_urdf_note(r->urdf, ff_xml_line(r->xml),
                        "link '%.80s': a <%s> of size 0 has no contacts: ignored", link, r->tag);
  }
  ff_xml_take(r->xml, told);
  shape->shape.kind = kind;
  shape->shape.size = size;
}
static void urdf_on_box(reader *r) {
  double size[3] = {0};
  if (!urdf_numbers_of(r, "size", 3, size)) {
    ff_xml_fail(r->xml, "<box> needs the attribute 'size'");
  }
  urdf_set_shape(r, FF_BOX, v3_scale(0.5, v3_load(size)));
}
static void urdf_on_sphere(reader *r) {
  double radius = 0;
  urdf_number_of(r, "radius", true, &radius);
  urdf_set_shape(r, FF_SPHERE, v3(radius, 0, 0));
}
static void urdf_on_cylinder(reader *r) {
  double radius = 0, length = 0;
  urdf_number_of(r, "radius", true, &radius);
  urdf_number_of(r, "length", true, &length);
  urdf_set_shape(r, strcmp(r->tag, "capsule") == 0 ? FF_CAPSULE : FF_CYLINDER,
                 v3(radius, 0.5 * length, 0));
}
static void urdf_on_mesh(reader *r) {
  urdf_set_shape(r, FF_POLYHEDRON, v3(1, 1, 1));
  double scale[3] = {1, 1, 1};
  const char *given = urdf_attribute(r, "scale");
  if (given && urdf_scan_numbers(given, 1, scale)) { /* one for all axes, as Drake reads it */
    scale[1] = scale[2] = scale[0];
  } else {
    urdf_numbers_of(r, "scale", 3, scale);
  }
  urdf_this_shape(r)->scale = v3_load(scale);
  urdf_this_shape(r)->shape.mesh = true;
  urdf_this_shape(r)->shape.file = urdf_text_of(r, "filename");
}

/* ---- joints ---------------------------------------------------------------------------------- */

static const struct {
  const char *name;
  ff_joint_kind kind;
} joint_types[] = {{"revolute", FF_JOINT_REVOLUTE},   {"continuous", FF_JOINT_CONTINUOUS},
                   {"prismatic", FF_JOINT_PRISMATIC}, {"fixed", FF_JOINT_FIXED},
                   {"floating", FF_JOINT_FREE},       {"planar", FF_JOINT_PLANAR},
                   {"spherical", FF_JOINT_SPHERICAL}, {"universal", FF_JOINT_UNIVERSAL}};
enum { TYPE_COUNT = sizeof joint_types / sizeof *joint_types };

static ff_joint_kind urdf_joint_kind(reader *r) {
  const char *type = urdf_text_of(r, "type");
  const char *known[TYPE_COUNT];
  for (int i = 0; i < TYPE_COUNT; i++) {
    known[i] = joint_types[i].name;
    if (strcmp(type, joint_types[i].name) == 0) {
      return joint_types[i].kind;
    }
  }
  ff_xml_take(r->xml,
              ff_report_unknown(ff_xml_report(r->xml), "joint type", type, known, TYPE_COUNT));
  return FF_JOINT_FIXED;
}

static void urdf_on_joint(reader *r) {
  ff_urdf *u = r->urdf;
  ff_urdf_joint *joint =
      urdf_append(r, (void **)&u->joints, &u->joint_count, &u->joint_room, sizeof *u->joints);
  if (!joint) {
    return;
  }
  *joint = (ff_urdf_joint){.line = ff_xml_line(r->xml),
                           .def = ff_link_def_default().joint,
                           .effort = INFINITY,
                           .speed = INFINITY,
                           .mimic_factor = 1,
                           .soft_lower = -INFINITY,
                           .soft_upper = INFINITY};
  joint->def.axis = v3(1, 0, 0);
  joint->name = urdf_text_of(r, "name");
  joint->def.kind = urdf_joint_kind(r);
}
static void urdf_on_joint_origin(reader *r) {
  urdf_read_pose(r, &urdf_this_joint(r)->def.frame);
}
static void urdf_on_parent(reader *r) {
  urdf_this_joint(r)->parent = urdf_text_of(r, "link");
}
static void urdf_on_child(reader *r) {
  urdf_this_joint(r)->child = urdf_text_of(r, "link");
}
static ff_vec3 urdf_axis(reader *r) {
  double xyz[3] = {1, 0, 0};
  urdf_numbers_of(r, "xyz", 3, xyz);
  ff_joint_kind kind = urdf_this_joint(r)->def.kind;
  if (v3_norm(v3_load(xyz)) == 0 && kind != FF_JOINT_FIXED && kind != FF_JOINT_FREE) {
    ff_xml_fail(r->xml, "the axis must not be zero");
  }
  return v3_load(xyz);
}
static void urdf_on_axis(reader *r) {
  urdf_this_joint(r)->def.axis = urdf_axis(r);
}
static void urdf_on_axis2(reader *r) {
  urdf_this_joint(r)->def.axis2 = urdf_axis(r);
  urdf_this_joint(r)->has_axis2 = true;
}
/* Files without a known limit often have 0, which would disable the drive: treated as no limit. */
static void urdf_actuator_limit(reader *r, const char *name, double *out) {
  urdf_number_of(r, name, false, out);
  if (!(*out > 0)) {
    ff_xml_take(r->xml, ff_urdf_note(r->urdf, ff_xml_line(r->xml),
                                     "joint '%.80s': %s limit %g is treated as no limit",
                                     urdf_this_joint(r)->name, name, *out));
    *out = INFINITY;
  }
}
static void urdf_on_limit(reader *r) {
  ff_urdf_joint *joint = urdf_this_joint(r);
  joint->limited = true;
  if (joint->def.kind != FF_JOINT_CONTINUOUS) {
    joint->def.lower = joint->def.upper = 0; /* URDF's defaults */
    urdf_number_of(r, "lower", false, &joint->def.lower);
    urdf_number_of(r, "upper", false, &joint->def.upper);
  }
  urdf_actuator_limit(r, "effort", &joint->effort);
  urdf_actuator_limit(r, "velocity", &joint->speed);
}
static void urdf_on_dynamics(reader *r) {
  ff_joint_def *def = &urdf_this_joint(r)->def;
  urdf_number_of(r, "damping", false, &def->damping);
  urdf_number_of(r, "friction", false, &def->friction);
  if (def->damping < 0 || def->friction < 0) {
    ff_xml_fail(r->xml, "damping and friction must not be negative");
  }
}
static void urdf_on_mimic(reader *r) {
  ff_urdf_joint *joint = urdf_this_joint(r);
  joint->mimic = urdf_text_of(r, "joint");
  urdf_number_of(r, "multiplier", false, &joint->mimic_factor);
  urdf_number_of(r, "offset", false, &joint->mimic_offset);
}
static void urdf_on_safety(reader *r) {
  ff_urdf_joint *joint = urdf_this_joint(r);
  urdf_number_of(r, "soft_lower_limit", false, &joint->soft_lower);
  urdf_number_of(r, "soft_upper_limit", false, &joint->soft_upper);
  urdf_number_of(r, "k_position", false, &joint->safety_position);
  urdf_number_of(r, "k_velocity", true, &joint->safety_speed);
}

/* ---- nesting --------------------------------------------------------------------------------- */

static const struct {
  element inside;
  const char *name;
  element is;
  void (*read)(reader *r);
} elements[] = {
    {TOP, "robot", ROBOT, urdf_on_robot},
    {ROBOT, "link", LINK, urdf_on_link},
    {ROBOT, "joint", JOINT, urdf_on_joint},
    {ROBOT, "material", MATERIAL, urdf_on_robot_material},
    {LINK, "inertial", INERTIAL, urdf_on_inertial},
    {LINK, "visual", VISUAL, urdf_on_visual},
    {LINK, "material", IGNORED, NULL},
    {COLLISION, "material", IGNORED, NULL},
    {LINK, "collision", COLLISION, urdf_on_collision},
    {INERTIAL, "origin", LEAF, urdf_on_inertial_origin},
    {INERTIAL, "mass", LEAF, urdf_on_mass},
    {INERTIAL, "inertia", LEAF, urdf_on_inertia},
    {COLLISION, "origin", LEAF, urdf_on_shape_origin},
    {COLLISION, "geometry", GEOMETRY, NULL},
    {VISUAL, "origin", LEAF, urdf_on_shape_origin},
    {VISUAL, "geometry", GEOMETRY, NULL},
    {VISUAL, "material", MATERIAL, urdf_on_visual_material},
    {MATERIAL, "color", LEAF, urdf_on_colour},
    {MATERIAL, "texture", IGNORED, NULL},
    {GEOMETRY, "box", LEAF, urdf_on_box},
    {GEOMETRY, "sphere", LEAF, urdf_on_sphere},
    {GEOMETRY, "cylinder", LEAF, urdf_on_cylinder},
    {GEOMETRY, "capsule", LEAF, urdf_on_cylinder},
    {GEOMETRY, "mesh", LEAF, urdf_on_mesh},
    {JOINT, "origin", LEAF, urdf_on_joint_origin},
    {JOINT, "parent", LEAF, urdf_on_parent},
    {JOINT, "child", LEAF, urdf_on_child},
    {JOINT, "axis", LEAF, urdf_on_axis},
    {JOINT, "axis2", LEAF, urdf_on_axis2},
    {JOINT, "limit", LEAF, urdf_on_limit},
    {JOINT, "dynamics", LEAF, urdf_on_dynamics},
    {JOINT, "mimic", LEAF, urdf_on_mimic},
    {JOINT, "safety_controller", LEAF, urdf_on_safety},
    {JOINT, "calibration", IGNORED, NULL},
};

/* Warns of an unknown element once. */
static void urdf_note_unknown(reader *r) {
  for (int i = 0; i < r->strange_count; i++) {
    if (strcmp(r->strange[i], r->tag) == 0) {
      return;
    }
  }
  if (r->strange_count < (int)(sizeof r->strange / sizeof *r->strange)) {
    const char *kept = ff_arena_text(r->urdf->arena, r->tag, strlen(r->tag));
    if (!kept) {
      ff_xml_take(r->xml, FF_ERROR_MEMORY);
      return;
    }
    r->strange[r->strange_count++] = kept;
    ff_xml_take(r->xml,
                ff_urdf_note(r->urdf, ff_xml_line(r->xml),
                             "<%.60s> is not a supported element of URDF: ignored", r->tag));
  }
}

static void urdf_on_start(void *context, ff_xml *xml, const char *name, const char **attributes) {
  reader *r = context;
  r->xml = xml;
  r->tag = name;
  r->attributes = attributes;
  if (strncmp(name, "xacro:", 6) == 0) {
    ff_xml_fail(xml, "<%.60s>: this is a xacro file; run it through xacro first", name);
    return;
  }
  element inside = r->depth > 0 ? r->stack[r->depth - 1] : TOP, is = UNKNOWN;
  if (inside == IGNORED || inside == UNKNOWN || inside == LEAF) {
    is = inside;
  } else {
    for (size_t i = 0; i < sizeof elements / sizeof *elements; i++) {
      if (elements[i].inside == inside && strcmp(elements[i].name, name) == 0) {
        is = elements[i].is;
        if (elements[i].read) {
          elements[i].read(r);
        }
        break;
      }
    }
    if (is == UNKNOWN && inside == TOP) {
      ff_xml_fail(xml, "a URDF file starts with <robot>, not <%.60s>", name);
    } else if (is == UNKNOWN) {
      urdf_note_unknown(r);
    }
  }
  r->stack[r->depth++] = is;
}

/* Checks the contents of an element at its end. */
static void urdf_on_end(void *context, ff_xml *xml, const char *name) {
  (void)name;
  reader *r = context;
  element is = r->stack[--r->depth];
  if (is == COLLISION && (urdf_this_shape(r)->given == 0 || urdf_this_shape(r)->empty)) {
    if (urdf_this_shape(r)->given == 0) {
      ff_xml_take(xml, ff_urdf_note(r->urdf, urdf_this_shape(r)->line,
                                    "link '%.80s': a <collision> without box, sphere, cylinder, "
                                    "capsule or mesh: ignored",
                                    urdf_this_link(r)->name));
    }
    r->urdf->shape_count--;
  }
  if (is == VISUAL && (urdf_this_shape(r)->given == 0 || urdf_this_shape(r)->empty)) {
    r->urdf->visual_count--;
  }
  if (is == JOINT && (!urdf_this_joint(r)->parent || !urdf_this_joint(r)->child)) {
    ff_xml_fail(xml, "joint '%.60s' needs a <parent> and a <child>", urdf_this_joint(r)->name);
  }
}

ff_status ff_urdf_read(ff_urdf *urdf, const char *text, size_t size, ff_report *report) {
  reader r = {.urdf = urdf};
  const ff_xml_calls calls = {urdf_on_start, urdf_on_end, NULL};
  return ff_xml_read(text, size, urdf->file, &calls, &r, report);
}

void ff_urdf_free(ff_urdf *urdf) {
  ff_free(urdf->links);
  ff_free(urdf->joints);
  ff_free(urdf->shapes);
  ff_free(urdf->visuals);
  ff_free(urdf->materials);
}
