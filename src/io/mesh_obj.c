/* Faces of a Wavefront OBJ, with the diffuse colours of its material files. */
#include "base/arena.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/report.h"
#include "io/mesh.h"

#include <stdio.h>
#include <string.h>

enum { MTL_BYTES_MAX = 16 << 20, FACE_CORNERS_MAX = 256 };

typedef struct obj_material {
  const char *name;
  float rgba[4];
} obj_material;

typedef struct obj {
  ff_mesh *mesh;
  const char *path; /* of the OBJ */
  ff_arena texts;
  obj_material *materials;
  size_t material_count, material_room;
  float rgba[4];  /* of the faces that follow */
  size_t defined; /* points defined above the current line */
} obj;

/* ---- lines and words ------------------------------------------------------------------------- */

/* Takes the next line: [line, end). False at the end of the text. */
static bool obj_next_line(const char **at, const char *stop, const char **line, const char **end) {
  if (*at >= stop) {
    return false;
  }
  const char *next = memchr(*at, '\n', (size_t)(stop - *at));
  *line = *at;
  *end = next ? next : stop;
  *at = next ? next + 1 : stop;
  while (*line < *end && (**line == ' ' || **line == '\t')) {
    ++*line;
  }
  while (*end > *line && strchr(" \t\r", (*end)[-1])) {
    --*end;
  }
  return true;
}

/* Text after the keyword of a line; NULL if the line has another one. */
static const char *obj_after(const char *line, const char *end, const char *word) {
  size_t length = strlen(word);
  if ((size_t)(end - line) <= length || memcmp(line, word, length) != 0 ||
      (line[length] != ' ' && line[length] != '\t')) {
    return NULL;
  }
  line += length;
  while (line < end && (*line == ' ' || *line == '\t')) {
    line++;
  }
  return line;
}

/* ---- materials ------------------------------------------------------------------------------- */

static ff_status obj_read_materials(obj *o, const char *text, size_t size) {
  const char *line, *end, *rest;
  for (const char *at = text; obj_next_line(&at, text + size, &line, &end);) {
    if ((rest = obj_after(line, end, "newmtl")) != NULL) {
      obj_material material = {.name = ff_arena_text(&o->texts, rest, (size_t)(end - rest)),
                               .rgba = {0.8f, 0.8f, 0.8f, 1}};
      if (!material.name ||
          !ff_grow((void **)&o->materials, o->material_count, &o->material_room, sizeof material)) {
        return FF_ERROR_MEMORY;
      }
      o->materials[o->material_count++] = material;
    } else if (o->material_count > 0 && (rest = obj_after(line, end, "Kd")) != NULL) {
      ff_vec3 colour;
      if (ff_mesh_three_numbers(rest, end, &colour)) {
        float *rgba = o->materials[o->material_count - 1].rgba;
        rgba[0] = (float)colour.x;
        rgba[1] = (float)colour.y;
        rgba[2] = (float)colour.z;
      }
    }
  }
  return FF_OK;
}

/* A material file stands beside the OBJ, under a plain name; without it faces have no colour. */
static ff_status obj_open_materials(obj *o, const char *name, size_t length) {
  char path[FF_MESH_PATH_MAX], *text = NULL;
  const char *slash = strrchr(o->path, '/');
  size_t size = 0;
  int folder = slash ? (int)(slash - o->path) + 1 : 0;
  if (length == 0 || length > 255 || memchr(name, '/', length) ||
      snprintf(path, sizeof path, "%.*s%.*s", folder, o->path, (int)length, name) >=
          (int)sizeof path) {
    return FF_OK;
  }
  ff_status status = ff_file_size(&size, path, NULL);
  status = status == FF_OK ? ff_file_read(&text, &size, path, MTL_BYTES_MAX, NULL) : status;
  if (status == FF_OK) {
    status = obj_read_materials(o, text, size);
  }
  ff_free(text);
  return status == FF_ERROR_MEMORY ? status : FF_OK;
}

static void obj_use_material(obj *o, const char *name, size_t length) {
  memcpy(o->rgba, ff_mesh_no_colour, sizeof o->rgba);
  for (size_t i = 0; i < o->material_count; i++) {
    const obj_material *material = &o->materials[i];
    if (strlen(material->name) == length && memcmp(material->name, name, length) == 0) {
      memcpy(o->rgba, material->rgba, sizeof o->rgba);
    }
  }
}

/* ---- faces ----------------------------------------------------------------------------------- */

/* The point of a corner "7", "7/1", "7/1/2" or "-3": counted from 1, or back from the last. */
static bool obj_read_corner(const obj *o, const char **at, const char *end, size_t *out) {
  bool back = *at < end && **at == '-';
  size_t value = 0;
  *at += back;
  const char *first = *at;
  for (; *at < end && **at >= '0' && **at <= '9' && value < 1000000000; ++*at) {
    value = 10 * value + (size_t)(**at - '0');
  }
  bool given = *at > first && value > 0 && (!back || value <= o->defined);
  *out = back ? o->defined - value : value - 1;
  while (*at < end && **at != ' ' && **at != '\t') {
    ++*at;
  }
  while (*at < end && (**at == ' ' || **at == '\t')) {
    ++*at;
  }
  return given;
}

/* A polygon is a fan of triangles. */
static ff_status obj_read_face(obj *o, const char *at, const char *end) {
  size_t corner[3];
  ff_status status = FF_OK;
  for (int n = 0; at < end && n < FACE_CORNERS_MAX && status == FF_OK; n++) {
    size_t point;
    if (!obj_read_corner(o, &at, end, &point)) {
      return ff_report_what(o->mesh->report, "triangle %zu of the mesh has no valid corners",
                            o->mesh->face_count + 1);
    }
    corner[n < 2 ? n : 2] = point;
    if (n >= 2) {
      status = ff_mesh_add_face(o->mesh, corner, o->rgba);
      corner[1] = corner[2];
    }
  }
  return status;
}

static ff_status obj_read_line(obj *o, const char *line, const char *end) {
  const char *rest;
  o->defined += obj_after(line, end, "v") != NULL;
  if ((rest = obj_after(line, end, "f")) != NULL) {
    return obj_read_face(o, rest, end);
  }
  if ((rest = obj_after(line, end, "usemtl")) != NULL) {
    obj_use_material(o, rest, (size_t)(end - rest));
  } else if ((rest = obj_after(line, end, "mtllib")) != NULL) {
    return obj_open_materials(o, rest, (size_t)(end - rest));
  }
  return FF_OK;
}

ff_status ff_mesh_read_obj_faces(ff_mesh *mesh, const char *text, size_t size, const char *path) {
  obj o = {.mesh = mesh, .path = path};
  ff_status status = FF_OK;
  const char *line, *end;
  memcpy(o.rgba, ff_mesh_no_colour, sizeof o.rgba);
  for (const char *at = text; status == FF_OK && obj_next_line(&at, text + size, &line, &end);) {
    status = obj_read_line(&o, line, end);
  }
  ff_arena_free(&o.texts);
  ff_free(o.materials);
  return status;
}
