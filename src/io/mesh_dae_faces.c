/* Faces of a COLLADA geometry, with the diffuse colours of their materials. */
#include "io/mesh_dae.h"

#include <string.h>

/* ---- colours --------------------------------------------------------------------------------- */

/* Id of the material that an instance binds to a symbol; often they are the same. */
static const char *dae_bound_material(const ff_dae *dae, int part, const char *symbol) {
  for (int i = 0; i < dae->binding_count; i++) {
    if (dae->bindings[i].part == part && strcmp(dae->bindings[i].symbol, symbol) == 0) {
      return dae->bindings[i].target;
    }
  }
  return symbol;
}

static const float *dae_colour(const ff_dae *dae, int part, const char *symbol) {
  const char *id = dae_bound_material(dae, part, symbol), *effect = NULL;
  for (int i = 0; i < dae->material_count && !effect; i++) {
    effect = strcmp(dae->materials[i].id, id) == 0 ? dae->materials[i].effect : NULL;
  }
  for (int i = 0; effect && i < dae->effect_count; i++) {
    if (strcmp(dae->effects[i].id, effect) == 0) {
      return dae->effects[i].rgba;
    }
  }
  return ff_mesh_no_colour;
}

/* ---- polygons -------------------------------------------------------------------------------- */

/* A polygon is a fan of triangles. */
static ff_status dae_add_polygon(const double *numbers, const ff_dae_faces *faces, size_t corners,
                                 size_t base, const float *rgba, ff_mesh *mesh) {
  ff_status status = FF_OK;
  size_t corner[3] = {0};
  for (size_t k = 0; status == FF_OK && k < corners; k++) {
    double point = numbers[k * (size_t)faces->stride + (size_t)faces->offset];
    corner[k < 2 ? k : 2] = point >= 0 && point < 4e9 ? base + (size_t)point : SIZE_MAX;
    if (k >= 2) {
      status = ff_mesh_add_face(mesh, corner, rgba);
      corner[1] = corner[2];
    }
  }
  return status;
}

static ff_status dae_add_faces(const ff_dae *dae, const ff_dae_faces *faces, size_t base,
                               const float *rgba, ff_mesh *mesh) {
  size_t left = faces->count / (size_t)faces->stride; /* corners */
  const double *numbers = dae->numbers + faces->first;
  ff_status status = FF_OK;
  for (size_t i = 0; status == FF_OK && left > 0; i++) {
    size_t corners = faces->corners > 0 ? (size_t)faces->corners : left;
    if (faces->sizes_count > 0) {
      double size = i < faces->sizes_count ? dae->numbers[faces->sizes + i] : 0;
      corners = size >= 1 && size < 1e6 ? (size_t)size : left + 1;
    }
    if (corners > left) { /* the list ends within a polygon */
      break;
    }
    status = dae_add_polygon(numbers, faces, corners, base, rgba, mesh);
    numbers += corners * (size_t)faces->stride;
    left -= corners;
  }
  return status;
}

ff_status ff_dae_show_faces(const ff_dae *dae, int geometry, int part, size_t base, ff_mesh *mesh) {
  ff_status status = FF_OK;
  for (int i = 0; status == FF_OK && i < dae->faces_count; i++) {
    const ff_dae_faces *faces = &dae->faces[i];
    if (faces->geometry == geometry) {
      status = dae_add_faces(dae, faces, base, dae_colour(dae, part, faces->material), mesh);
    }
  }
  return status;
}
