#include "io/mesh.h"

#include "base/file.h"
#include "base/memory.h"
#include "base/report.h"
#include "base/text.h"
#include "math/vec.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

/* State of a reader. */
typedef struct mesh {
  const char *text;
  size_t size;
  ff_vec3 *points;
  size_t count, capacity;
  ff_report *report;
} mesh;

static ff_status mesh_add_point(void *to, ff_vec3 point) {
  mesh *m = to;
  if (!v3_finite(point)) {
    return ff_report_what(m->report, "point %zu of the mesh is not finite", m->count + 1);
  }
  if (!ff_grow((void **)&m->points, m->count, &m->capacity, sizeof *m->points)) {
    return FF_ERROR_MEMORY;
  }
  m->points[m->count++] = point;
  return FF_OK;
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
static bool stl_is_binary(const mesh *m, uint64_t *faces) {
  *faces = m->size >= STL_HEAD ? read_u32_le(m->text + STL_COUNT_AT) : 0;
  return m->size >= STL_HEAD && *faces * STL_FACE + STL_HEAD <= m->size;
}

static ff_status stl_read_binary(mesh *m, uint64_t faces) {
  ff_status status = FF_OK;
  for (uint64_t face = 0; face < faces && status == FF_OK; face++) {
    size_t at = STL_HEAD + (size_t)face * STL_FACE;
    for (size_t corner = 0; corner < 3 && status == FF_OK; corner++) {
      const char *from = m->text + at + 12 + 12 * corner; /* after the normal */
      status =
          mesh_add_point(m, v3(read_f32_le(from), read_f32_le(from + 4), read_f32_le(from + 8)));
    }
  }
  return status;
}

/* ---- lines of text --------------------------------------------------------------------------- */

/* Reads three numbers after a keyword; false if they are missing. */
static bool read_three_numbers(const char *text, const char *end, ff_vec3 *out) {
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
static ff_status mesh_read_lines(mesh *m, const char *word) {
  size_t length = strlen(word);
  const char *end = m->text + m->size;
  int line = 0;
  for (const char *at = m->text; at < end;) {
    const char *next = memchr(at, '\n', (size_t)(end - at));
    next = next ? next + 1 : end;
    line++;
    while (at < next && (*at == ' ' || *at == '\t')) {
      at++;
    }
    if ((size_t)(next - at) > length && memcmp(at, word, length) == 0 &&
        (at[length] == ' ' || at[length] == '\t')) {
      ff_vec3 point;
      if (!read_three_numbers(at + length, next, &point)) {
        ff_report_what(m->report, "line %d: three numbers must follow '%s'", line, word);
        return FF_ERROR_INPUT;
      }
      ff_status status = mesh_add_point(m, point);
      if (status != FF_OK) {
        return status;
      }
    }
    at = next;
  }
  return FF_OK;
}

static ff_status mesh_read_points(mesh *m, const char *path) {
  const char *dot = strrchr(path, '.');
  if (dot && strcasecmp(dot, ".obj") == 0) {
    return mesh_read_lines(m, "v");
  }
  if (dot && strcasecmp(dot, ".dae") == 0) {
    return ff_mesh_read_dae(m->text, m->size, path, mesh_add_point, m, m->report);
  }
  if (!dot || strcasecmp(dot, ".stl") != 0) {
    return ff_report_what(m->report, "only STL, OBJ and COLLADA (.dae) meshes are read");
  }
  uint64_t faces;
  if (stl_is_binary(m, &faces)) {
    return stl_read_binary(m, faces);
  }
  if (m->size >= 5 && memcmp(m->text, "solid", 5) == 0) {
    return mesh_read_lines(m, "vertex");
  }
  return m->size < STL_HEAD
             ? ff_report_what(m->report, "not an STL file: it is shorter than a header")
             : ff_report_what(
                   m->report,
                   "the header of this STL file declares %llu triangles, its size holds %zu",
                   (unsigned long long)faces, (m->size - STL_HEAD) / STL_FACE);
}

ff_status ff_mesh_points(ff_vec3 **out, size_t *count, const char *path, ff_report *report) {
  char *text = NULL;
  mesh m = {.report = report};
  *out = NULL;
  *count = 0;
  ff_status status =
      ff_file_size(&m.size, path, report); /* regular files only: a pipe might never end */
  status = status == FF_OK ? ff_file_read(&text, &m.size, path, FF_MESH_BYTES_MAX, report) : status;
  if (status != FF_OK) {
    return status;
  }
  m.text = text;
  status = mesh_read_points(&m, path);
  ff_free(text);
  if (status == FF_OK && m.count < 4) {
    status = ff_report_what(report, "the mesh has %zu points; a body needs at least 4", m.count);
  }
  if (status != FF_OK) {
    ff_free(m.points);
    return status;
  }
  *out = m.points;
  *count = m.count;
  return FF_OK;
}
