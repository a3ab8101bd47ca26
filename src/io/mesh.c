#include "io/mesh.h"

#include "base/file.h"
#include "base/memory.h"
#include "base/report.h"
#include "base/text.h"
#include "math/vec.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

const float ff_mesh_no_colour[4] = {0, 0, 0, -1};

ff_status ff_mesh_add_point(ff_mesh *m, ff_vec3 point) {
  if (!v3_finite(point)) {
    return ff_report_what(m->report, "point %zu of the mesh is not finite", m->count + 1);
  }
  if (!ff_grow((void **)&m->points, m->count, &m->capacity, sizeof *m->points)) {
    return FF_ERROR_MEMORY;
  }
  m->points[m->count++] = point;
  return FF_OK;
}

ff_status ff_mesh_add_face(ff_mesh *m, const size_t corner[3], const float rgba[4]) {
  ff_mesh_face face;
  memcpy(face.rgba, rgba, sizeof face.rgba);
  for (int k = 0; k < 3; k++) {
    if (corner[k] >= m->count) {
      return ff_report_what(m->report, "triangle %zu of the mesh names a point that does not exist",
                            m->face_count + 1);
    }
    face.corner[k] = (uint32_t)corner[k];
  }
  if (m->face_count >= FF_MESH_FACES_MAX) {
    return ff_report_what(m->report, "the mesh has more than %d triangles", FF_MESH_FACES_MAX);
  }
  if (!ff_grow((void **)&m->faces, m->face_count, &m->face_capacity, sizeof face)) {
    return FF_ERROR_MEMORY;
  }
  m->faces[m->face_count++] = face;
  return FF_OK;
}

/* Each three points in a row are a triangle. */
static ff_status mesh_join_triples(ff_mesh *m) {
  ff_status status = FF_OK;
  for (size_t i = 0; m->with_faces && status == FF_OK && i + 2 < m->count; i += 3) {
    status = ff_mesh_add_face(m, (const size_t[]){i, i + 1, i + 2}, ff_mesh_no_colour);
  }
  return status;
}

/* ---- STL, binary ----------------------------------------------------------------------------- */

enum { STL_HEAD = 84, STL_FACE = 50, STL_COUNT_AT = 80 };

static uint32_t read_u32_le(const char *from) {
  const unsigned char *b = (const unsigned char *)from;
  return (uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

static double read_f32_le(const char *from) {
  uint32_t bits = read_u32_le(from);
  float value;
  memcpy(&value, &bits, sizeof value);
  return (double)value;
}

/* Number of triangles in the header: accepted only if the file holds as many. Some files have
 * trailing data. */
static bool stl_is_binary(const char *text, size_t size, uint64_t *faces) {
  *faces = size >= STL_HEAD ? read_u32_le(text + STL_COUNT_AT) : 0;
  return size >= STL_HEAD && *faces * STL_FACE + STL_HEAD <= size;
}

static ff_status stl_read_binary(ff_mesh *m, const char *text, uint64_t faces) {
  ff_status status = FF_OK;
  for (uint64_t face = 0; face < faces && status == FF_OK; face++) {
    size_t at = STL_HEAD + (size_t)face * STL_FACE;
    for (size_t corner = 0; corner < 3 && status == FF_OK; corner++) {
      const char *from = text + at + 12 + 12 * corner; /* after the normal */
      status =
          ff_mesh_add_point(m, v3(read_f32_le(from), read_f32_le(from + 4), read_f32_le(from + 8)));
    }
  }
  return status;
}

/* ---- lines of text --------------------------------------------------------------------------- */

bool ff_mesh_three_numbers(const char *text, const char *end, ff_vec3 *out) {
  double values[3];
  for (int k = 0; k < 3; k++) {
    char word[64];
    size_t length = 0;
    while (text < end && (*text == ' ' || *text == '\t')) {
      text++;
    }
    while (text < end && !strchr(" \t\r\n", *text) && length + 1 < sizeof word) {
      word[length++] = *text++;
    }
    word[length] = 0;
    if (!ff_number_read(word, &values[k])) {
      return false;
    }
  }
  *out = v3_load(values);
  return true;
}

/* Points of the lines that start with a keyword: "vertex" in STL, "v" in OBJ. */
static ff_status mesh_read_lines(ff_mesh *m, const char *text, size_t size, const char *word) {
  size_t length = strlen(word);
  const char *end = text + size;
  int line = 0;
  for (const char *at = text; at < end;) {
    const char *next = memchr(at, '\n', (size_t)(end - at));
    next = next ? next + 1 : end;
    line++;
    while (at < next && (*at == ' ' || *at == '\t')) {
      at++;
    }
    if ((size_t)(next - at) > length && memcmp(at, word, length) == 0 &&
        (at[length] == ' ' || at[length] == '\t')) {
      ff_vec3 point;
      if (!ff_mesh_three_numbers(at + length, next, &point)) {
        ff_report_what(m->report, "line %d: three numbers must follow '%s'", line, word);
        return FF_ERROR_INPUT;
      }
      ff_status status = ff_mesh_add_point(m, point);
      if (status != FF_OK) {
        return status;
      }
    }
    at = next;
  }
  return FF_OK;
}

static ff_status stl_read(ff_mesh *m, const char *text, size_t size) {
  uint64_t faces;
  ff_status status;
  if (stl_is_binary(text, size, &faces)) {
    status = stl_read_binary(m, text, faces);
  } else if (size >= 5 && memcmp(text, "solid", 5) == 0) {
    status = mesh_read_lines(m, text, size, "vertex");
  } else {
    return size < STL_HEAD
               ? ff_report_what(m->report, "not an STL file: it is shorter than a header")
               : ff_report_what(
                     m->report,
                     "the header of this STL file declares %llu triangles, its size holds %zu",
                     (unsigned long long)faces, (size - STL_HEAD) / STL_FACE);
  }
  return status == FF_OK ? mesh_join_triples(m) : status;
}

static ff_status mesh_read_text(ff_mesh *m, const char *text, size_t size, const char *path) {
  const char *dot = strrchr(path, '.');
  if (dot && strcasecmp(dot, ".obj") == 0) {
    ff_status status = mesh_read_lines(m, text, size, "v");
    return status == FF_OK && m->with_faces ? ff_mesh_read_obj_faces(m, text, size, path) : status;
  }
  if (dot && strcasecmp(dot, ".dae") == 0) {
    return ff_mesh_read_dae(m, text, size, path);
  }
  if (!dot || strcasecmp(dot, ".stl") != 0) {
    return ff_report_what(m->report, "only STL, OBJ and COLLADA (.dae) meshes are read");
  }
  return stl_read(m, text, size);
}

ff_status ff_mesh_read(ff_mesh *mesh, const char *path, ff_report *report) {
  char *text = NULL;
  size_t size;
  mesh->report = report;
  ff_status status =
      ff_file_size(&size, path, report); /* regular files only: a pipe might never end */
  status = status == FF_OK ? ff_file_read(&text, &size, path, FF_MESH_BYTES_MAX, report) : status;
  if (status != FF_OK) {
    return status;
  }
  status = mesh_read_text(mesh, text, size, path);
  ff_free(text);
  if (status == FF_OK && mesh->count < 4) {
    status =
        ff_report_what(report, "the mesh has %zu points; a body needs at least 4", mesh->count);
  }
  return status;
}

void ff_mesh_free(ff_mesh *mesh) {
  ff_free(mesh->points);
  ff_free(mesh->faces);
}
