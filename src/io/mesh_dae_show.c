/* Points of the scene of a COLLADA file, transformed by its nodes. */
#include "io/mesh_dae.h"

#include "base/arena.h"
#include "base/report.h"
#include "model/names.h"

#include <string.h>

typedef struct show {
  const ff_dae *dae;
  ff_names nodes, geometries;
  ff_mesh *mesh;
  ff_report *report;
  size_t points; /* points so far */
  int visits;    /* visited nodes */
} show;

enum { DEEPEST = 64 }; /* limit of nested instances */

/* ---- geometries ------------------------------------------------------------------------------ */

/* Source of a geometry's positions; NULL: none. */
static const ff_dae_source *dae_positions(const ff_dae *dae, const ff_dae_geometry *geometry) {
  for (int i = geometry->first; geometry->positions && i < geometry->end; i++) {
    if (strcmp(dae->sources[i].id, geometry->positions) == 0) {
      return &dae->sources[i];
    }
  }
  return NULL;
}

static ff_status dae_show_geometry(show *s, int geometry, int part, ff_dae_place at) {
  const ff_dae_source *source = dae_positions(s->dae, &s->dae->geometries[geometry]);
  if (!source) {
    return FF_OK;
  }
  if (source->stride < 3) {
    return ff_report_what(s->report, "positions need three numbers each");
  }
  size_t stride = (size_t)source->stride, points = source->count / stride;
  s->points += points;
  if (s->points > FF_DAE_POINTS_MAX) {
    return ff_report_what(s->report, "the mesh has too many points");
  }
  ff_status status = FF_OK;
  size_t base = s->mesh->count;
  for (size_t p = 0; status == FF_OK && p < points; p++) {
    ff_vec3 x = v3_load(s->dae->numbers + source->first + p * stride);
    x = v3_add(m3_mul(at.turn, x), at.shift);
    status = ff_mesh_add_point(s->mesh, v3_scale(s->dae->meter, x));
  }
  return status == FF_OK && s->mesh->with_faces
             ? ff_dae_show_faces(s->dae, geometry, part, base, s->mesh)
             : status;
}

/* ---- nodes ----------------------------------------------------------------------------------- */

/* Visits a node, its instances and its children. */
static ff_status dae_show_node(show *s, int index, ff_dae_place around, int depth) {
  const ff_dae *dae = s->dae;
  const ff_dae_node *node = &dae->nodes[index];
  ff_dae_place at = ff_dae_placed(around, node->at);
  ff_status status = FF_OK;
  if (depth > DEEPEST || ++s->visits > FF_DAE_LISTS_MAX) {
    return ff_report_what(s->report, "nodes are nested too deep or instantiated too often");
  }
  for (int p = node->part; status == FF_OK && p >= 0; p = dae->parts[p].next) {
    const ff_dae_part *part = &dae->parts[p];
    int found = ff_names_find(part->is_node ? &s->nodes : &s->geometries, part->id);
    if (found >= 0) {
      status = part->is_node ? dae_show_node(s, found, at, depth + 1)
                             : dae_show_geometry(s, found, p, at);
    }
  }
  for (int k = index + 1; status == FF_OK && k < node->end; k = dae->nodes[k].end) {
    status = dae->nodes[k].hidden ? FF_OK : dae_show_node(s, k, at, depth + 1);
  }
  return status;
}

static bool dae_index_names(show *s, ff_arena *scratch) {
  const ff_dae *dae = s->dae;
  const char **nodes = ff_arena_take(scratch, (size_t)dae->node_count, sizeof *nodes);
  const char **geometries = ff_arena_take(scratch, (size_t)dae->geometry_count, sizeof *geometries);
  for (int i = 0; nodes && i < dae->node_count; i++) {
    nodes[i] = dae->nodes[i].id;
  }
  for (int i = 0; geometries && i < dae->geometry_count; i++) {
    geometries[i] = dae->geometries[i].id;
  }
  return nodes && geometries && ff_names_make(&s->nodes, scratch, nodes, dae->node_count) &&
         ff_names_make(&s->geometries, scratch, geometries, dae->geometry_count);
}

ff_status ff_dae_show(const ff_dae *dae, ff_mesh *mesh) {
  show s = {.dae = dae, .mesh = mesh, .report = mesh->report};
  ff_arena scratch = {0};
  ff_status status = dae_index_names(&s, &scratch) ? FF_OK : FF_ERROR_MEMORY;
  status = status == FF_OK ? dae_show_node(&s, 0, ff_dae_here(), 0) : status;
  for (int i = 0; dae->part_count == 0 && status == FF_OK && i < dae->geometry_count; i++) {
    status = dae_show_geometry(&s, i, -1, ff_dae_here());
  }
  ff_arena_free(&scratch);
  return status;
}
