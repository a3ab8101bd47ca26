/* Meshes in a page: reduced to a number of triangles that draws fast, positions as 16-bit numbers.
 *
 * Reduction merges the points of each cell of a grid; the grid is
 * coarsened until few enough triangles have three different corners. */
#include "base/memory.h"
#include "io/mesh.h"
#include "io/page.h"
#include "math/vec.h"

#include <stdio.h>
#include <string.h>

enum {
  MESH_TRIANGLES = 16000, /* of one mesh; corners fit 16 bits */
  PAGE_TRIANGLES = 200000,
  FINEST_GRID = 4096,
  COLOURS_MAX = 64
};

/* A mesh being reduced. */
typedef struct reduced {
  const ff_mesh *from;
  ff_vec3 low, high;
  uint32_t *point;          /* of each point of the mesh: its merged point */
  ff_vec3 *sum;             /* of each merged point: sum of the positions, then their mean */
  uint32_t *weight, *slots; /* number of points in it; hash table: merged point + 1 */
  uint64_t *keys;           /* cell of each merged point */
  size_t slot_count, point_count, face_count;
} reduced;

/* ---- reduction ------------------------------------------------------------------------------- */

static void mesh_find_box(reduced *r) {
  r->low = r->high = r->from->points[0];
  for (size_t i = 1; i < r->from->count; i++) {
    ff_vec3 p = r->from->points[i];
    r->low = v3(fmin(r->low.x, p.x), fmin(r->low.y, p.y), fmin(r->low.z, p.z));
    r->high = v3(fmax(r->high.x, p.x), fmax(r->high.y, p.y), fmax(r->high.z, p.z));
  }
}

static uint64_t mesh_cell_of(const reduced *r, ff_vec3 p, double cell) {
  uint64_t x = (uint64_t)((p.x - r->low.x) / cell + 0.5);
  uint64_t y = (uint64_t)((p.y - r->low.y) / cell + 0.5);
  uint64_t z = (uint64_t)((p.z - r->low.z) / cell + 0.5);
  return x | y << 21 | z << 42;
}

/* The merged point of a cell, created if it is the first in it. */
static uint32_t mesh_point_of(reduced *r, uint64_t key) {
  uint64_t mixed = key * 0x9e3779b97f4a7c15u;
  size_t at = (size_t)(mixed >> 32) & (r->slot_count - 1);
  while (r->slots[at] && r->keys[r->slots[at] - 1] != key) {
    at = (at + 1) & (r->slot_count - 1);
  }
  if (!r->slots[at]) {
    r->keys[r->point_count] = key;
    r->sum[r->point_count] = v3(0, 0, 0);
    r->weight[r->point_count] = 0;
    r->slots[at] = (uint32_t)++r->point_count;
  }
  return r->slots[at] - 1;
}

static bool face_is_left(const reduced *r, const ff_mesh_face *face) {
  uint32_t a = r->point[face->corner[0]], b = r->point[face->corner[1]],
           c = r->point[face->corner[2]];
  return a != b && b != c && a != c;
}

/* Merges the points of each cell and counts the triangles that are left. */
static void mesh_merge(reduced *r, double cell) {
  memset(r->slots, 0, r->slot_count * sizeof *r->slots);
  r->point_count = r->face_count = 0;
  for (size_t i = 0; i < r->from->count; i++) {
    uint32_t to = mesh_point_of(r, mesh_cell_of(r, r->from->points[i], cell));
    r->point[i] = to;
    r->sum[to] = v3_add(r->sum[to], r->from->points[i]);
    r->weight[to]++;
  }
  for (size_t i = 0; i < r->from->face_count; i++) {
    r->face_count += face_is_left(r, &r->from->faces[i]);
  }
}

static bool mesh_take_memory(reduced *r) {
  size_t count = r->from->count;
  r->slot_count = 16;
  while (r->slot_count < 2 * count) {
    r->slot_count *= 2;
  }
  r->point = ff_alloc(count, sizeof *r->point);
  r->sum = ff_alloc(count, sizeof *r->sum);
  r->weight = ff_alloc(count, sizeof *r->weight);
  r->keys = ff_alloc(count, sizeof *r->keys);
  r->slots = ff_alloc(r->slot_count, sizeof *r->slots);
  return r->point && r->sum && r->weight && r->keys && r->slots;
}

static void mesh_reduce(reduced *r, long limit) {
  ff_vec3 size = v3_sub(r->high, r->low);
  double longest = fmax(size.x, fmax(size.y, fmax(size.z, 1e-12)));
  for (double cells = FINEST_GRID; cells >= 2; cells *= 0.8) {
    mesh_merge(r, longest / cells);
    if (r->face_count <= (size_t)limit) {
      break;
    }
  }
  for (size_t i = 0; i < r->point_count; i++) {
    r->sum[i] = v3_scale(1.0 / r->weight[i], r->sum[i]);
  }
}

/* ---- writing --------------------------------------------------------------------------------- */

static void store_u16_le(unsigned char *to, double value) {
  unsigned whole = (unsigned)value;
  to[0] = (unsigned char)(whole & 255);
  to[1] = (unsigned char)(whole >> 8);
}

/* Position in the box, in 65535ths of its extent. */
static void store_point(unsigned char *to, const reduced *r, ff_vec3 p) {
  const double part[3] = {p.x - r->low.x, p.y - r->low.y, p.z - r->low.z};
  const double whole[3] = {r->high.x - r->low.x, r->high.y - r->low.y, r->high.z - r->low.z};
  for (int k = 0; k < 3; k++) {
    store_u16_le(to + 2 * k, whole[k] > 0 ? 65535 * part[k] / whole[k] + 0.5 : 0);
  }
}

/* Index of a face's colour; the last one if it has none of its own. */
static int colour_of(const ff_mesh_face *face, const float *const *colours, int count) {
  int k = 0;
  while (k < count - 1 && memcmp(face->rgba, colours[k], sizeof face->rgba) != 0) {
    k++;
  }
  return k;
}

/* Triangles of one colour. Returns the end. */
static unsigned char *store_faces(unsigned char *to, const reduced *r, const float *const *colours,
                                  int count, int colour) {
  for (size_t i = 0; i < r->from->face_count; i++) {
    const ff_mesh_face *face = &r->from->faces[i];
    if (face_is_left(r, face) && colour_of(face, colours, count) == colour) {
      for (int k = 0; k < 3; k++, to += 2) {
        store_u16_le(to, r->point[face->corner[k]]);
      }
    }
  }
  return to;
}

/* Colours of the triangles that are left, up to the limit; returns their number. */
static int mesh_colours(const reduced *r, const float *out[COLOURS_MAX]) {
  int count = 0;
  for (size_t i = 0; i < r->from->face_count; i++) {
    const float *rgba = r->from->faces[i].rgba;
    bool known = !face_is_left(r, &r->from->faces[i]);
    for (int k = 0; k < count && !known; k++) {
      known = memcmp(out[k], rgba, 4 * sizeof *rgba) == 0;
    }
    if (!known && count < COLOURS_MAX) {
      out[count++] = rgba;
    }
  }
  return count;
}

static void page_write_mesh(ff_page *page, const reduced *r, unsigned char *bytes) {
  const float *colours[COLOURS_MAX];
  int count = mesh_colours(r, colours);
  unsigned char *to = bytes;
  ff_text *text = &page->meshes;
  for (size_t i = 0; i < r->point_count; i++, to += 6) {
    store_point(to, r, r->sum[i]);
  }
  ff_text_put(text, page->mesh_number ? ",{" : "{");
  ff_text_json_member_number(text, "points", (double)r->point_count);
  ff_text_json_key(text, "low");
  ff_text_json_numbers(text, (const double[]){r->low.x, r->low.y, r->low.z}, 3);
  ff_text_json_key(text, "high");
  ff_text_json_numbers(text, (const double[]){r->high.x, r->high.y, r->high.z}, 3);
  ff_text_json_key(text, "parts");
  ff_text_put(text, "[");
  for (int i = 0; i < count; i++) {
    unsigned char *end = store_faces(to, r, colours, count, i);
    const double rgba[] = {(double)colours[i][0], (double)colours[i][1], (double)colours[i][2],
                           (double)colours[i][3]};
    ff_text_put(text, i ? ",{" : "{");
    ff_text_json_member_number(text, "triangles", (double)((end - to) / 6));
    if (rgba[3] >= 0) {
      ff_text_json_key(text, "rgba");
      ff_text_json_numbers(text, rgba, 4);
    }
    ff_text_put(text, "}");
    to = end;
  }
  ff_text_put(text, "]}");
  char tag[96];
  snprintf(tag, sizeof tag, "<script type=\"application/octet-stream\" id=\"footfall-mesh-%d\">",
           page->mesh_number++);
  ff_text_put(&page->numbers, tag);
  ff_text_base64_bytes(&page->numbers, bytes, (size_t)(to - bytes));
  ff_text_put(&page->numbers, "</script>\n");
  page->triangles += (long)r->face_count;
}

/* ---- one mesh -------------------------------------------------------------------------------- */

static ff_status page_reduce_mesh(int *out, ff_page *page, const ff_mesh *mesh) {
  reduced r = {.from = mesh};
  unsigned char *bytes = NULL;
  long left = PAGE_TRIANGLES - page->triangles;
  if (mesh->face_count == 0 || left < 100) {
    return FF_OK;
  }
  mesh_find_box(&r);
  bool there = mesh_take_memory(&r);
  if (there) {
    mesh_reduce(&r, left < MESH_TRIANGLES ? left : MESH_TRIANGLES);
    bytes = ff_alloc(6 * (r.point_count + r.face_count) + 1, 1);
    there = bytes != NULL;
  }
  if (there && r.face_count > 0) {
    *out = page->mesh_number;
    page_write_mesh(page, &r, bytes);
  }
  void *all[] = {r.point, r.sum, r.weight, r.keys, r.slots, bytes};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
    ff_free(all[i]);
  }
  return there ? FF_OK : FF_ERROR_MEMORY;
}

ff_status ff_page_add_mesh(int *out, ff_page *page, const char *path) {
  *out = -1;
  for (int i = 0; i < page->mesh_count; i++) {
    if (strcmp(page->mesh_list[i].path, path) == 0) {
      *out = page->mesh_list[i].number;
      return FF_OK;
    }
  }
  ff_mesh mesh = {.with_faces = true};
  ff_status status = path[0] ? ff_mesh_read(&mesh, path, NULL) : FF_ERROR_FILE;
  status = status == FF_OK ? page_reduce_mesh(out, page, &mesh) : status;
  ff_mesh_free(&mesh);
  char *copy = ff_strdup(path);
  if (status == FF_ERROR_MEMORY || !copy ||
      !ff_grow((void **)&page->mesh_list, (size_t)page->mesh_count, &page->mesh_room,
               sizeof *page->mesh_list)) {
    ff_free(copy);
    return FF_ERROR_MEMORY;
  }
  page->mesh_list[page->mesh_count++] = (ff_page_mesh){copy, *out};
  return FF_OK;
}
