/* COLLADA reader (.dae): positions of the geometries, and the nodes that instantiate them.
 *
 * Lengths are in the file's unit; its up axis is ignored, as by other robot readers. */
#include "io/mesh_dae.h"
#include "base/arena.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/report.h"
#include "base/text.h"
#include "io/xml.h"

#include <stdio.h>
#include <string.h>

typedef struct reader {
  ff_dae dae;
  ff_xml *xml;
  ff_arena texts;
  double *numbers; /* of all sources, then those of the current element */
  size_t count, capacity, kept;
  bool listening; /* text is numbers */
  char word[64];  /* incomplete number */
  size_t word_length;
  size_t source_room, geometry_room, part_room, node_room;
  size_t faces_room, binding_room, material_room, effect_room;
  int depth;   /* nesting depth of elements */
  int node;    /* current node */
  int library; /* depth of the current library of nodes; 0: none */
  bool in_geometry, in_faces, in_diffuse;
  bool with_faces;
} reader;

/* ---- lists ----------------------------------------------------------------------------------- */

static void *dae_append(reader *r, void **list, int *count, size_t *capacity, size_t size) {
  return ff_xml_one_more(r->xml, list, count, capacity, size, FF_DAE_LISTS_MAX);
}

static void dae_add_number(reader *r, double value) {
  if (!ff_grow((void **)&r->numbers, r->count, &r->capacity, sizeof *r->numbers)) {
    ff_xml_take(r->xml, FF_ERROR_MEMORY);
    return;
  }
  r->numbers[r->count++] = value;
}

/* ---- attributes and numbers ------------------------------------------------------------------ */

static const char *dae_attribute(const char **attributes, const char *name) {
  for (; *attributes; attributes += 2) {
    if (strcmp(attributes[0], name) == 0) {
      return attributes[1];
    }
  }
  return "";
}

static const char *dae_copy_text(reader *r, const char *text) {
  const char *kept = ff_arena_text(&r->texts, text, strlen(text));
  if (!kept) {
    ff_xml_take(r->xml, FF_ERROR_MEMORY);
  }
  return kept ? kept : "";
}

static void dae_end_word(reader *r) {
  double value;
  if (r->word_length == 0) {
    return;
  }
  r->word[r->word_length] = 0;
  r->word_length = 0;
  if (!ff_number_read(r->word, &value)) {
    ff_xml_fail(r->xml, "'%s' is not a finite number", r->word);
    return;
  }
  dae_add_number(r, value);
}

static void dae_on_text(void *context, ff_xml *xml, const char *text, int size) {
  reader *r = context;
  (void)xml;
  for (int i = 0; r->listening && i < size; i++) {
    if (strchr(" \t\r\n", text[i])) {
      dae_end_word(r);
    } else if (r->word_length + 1 < sizeof r->word) {
      r->word[r->word_length++] = text[i];
    } else {
      ff_xml_fail(r->xml, "a number has more than %zu characters", sizeof r->word - 1);
      return;
    }
  }
}

static void dae_start_numbers(reader *r) {
  r->listening = true;
  r->count = r->kept;
  r->word_length = 0;
}

/* ---- transforms ------------------------------------------------------------------------------ */

/* Transform of a node from its numbers. False if there are too few. */
static bool dae_transform(const char *name, const double *x, size_t count, ff_dae_place *out) {
  *out = ff_dae_here();
  if (strcmp(name, "matrix") == 0 && count == 16) {
    for (int i = 0; i < 3; i++) {
      memcpy(out->turn.m[i], x + 4 * i, 3 * sizeof *x);
    }
    out->shift = v3(x[3], x[7], x[11]);
    return true;
  }
  if (strcmp(name, "translate") == 0 && count == 3) {
    out->shift = v3_load(x);
    return true;
  }
  if (strcmp(name, "scale") == 0 && count == 3) {
    for (int i = 0; i < 3; i++) {
      out->turn.m[i][i] = x[i];
    }
    return true;
  }
  if (strcmp(name, "rotate") == 0 && count == 4) { /* axis, degrees */
    double length = v3_norm(v3_load(x));
    if (length > 0) {
      out->turn = q_matrix(q_exp(v3_scale(x[3] * ff_pi / 180 / length, v3_load(x))));
    }
    return true;
  }
  return false;
}

static bool dae_is_transform(const char *name) {
  return strcmp(name, "matrix") == 0 || strcmp(name, "translate") == 0 ||
         strcmp(name, "scale") == 0 || strcmp(name, "rotate") == 0;
}

/* ---- elements -------------------------------------------------------------------------------- */

/* Id of a URL "#id". */
static const char *dae_id_of(reader *r, const char *url) {
  return dae_copy_text(r, url[0] == '#' ? url + 1 : url);
}

static ff_dae_source *dae_last_source(reader *r) {
  return r->dae.source_count > 0 ? &r->dae.sources[r->dae.source_count - 1] : NULL;
}

static void dae_start_geometry(reader *r, const char **attributes) {
  ff_dae *d = &r->dae;
  ff_dae_geometry *g =
      dae_append(r, (void **)&d->geometries, &d->geometry_count, &r->geometry_room, sizeof *g);
  if (g) {
    *g = (ff_dae_geometry){.id = dae_copy_text(r, dae_attribute(attributes, "id")),
                           .first = d->source_count,
                           .end = d->source_count};
    r->in_geometry = true;
  }
}

static void dae_start_source(reader *r, const char **attributes) {
  ff_dae *d = &r->dae;
  ff_dae_source *s =
      dae_append(r, (void **)&d->sources, &d->source_count, &r->source_room, sizeof *s);
  if (s) {
    *s = (ff_dae_source){.id = dae_copy_text(r, dae_attribute(attributes, "id")), .stride = 3};
    if (r->in_geometry) {
      d->geometries[d->geometry_count - 1].end = d->source_count;
    }
  }
}

static void dae_start_node(reader *r, const char *id) {
  ff_dae *d = &r->dae;
  ff_dae_node *n = dae_append(r, (void **)&d->nodes, &d->node_count, &r->node_room, sizeof *n);
  if (n) {
    *n = (ff_dae_node){.id = dae_copy_text(r, id),
                       .at = ff_dae_here(),
                       .parent = r->node,
                       .part = -1,
                       .last_part = -1,
                       .depth = r->depth,
                       .hidden = r->library > 0 && r->node == 0};
    r->node = d->node_count - 1;
  }
}

static void dae_end_node(reader *r) {
  ff_dae_node *n = &r->dae.nodes[r->node];
  n->end = r->dae.node_count;
  r->node = n->parent;
}

static void dae_start_instance(reader *r, const char **attributes, bool is_node) {
  ff_dae *d = &r->dae;
  ff_dae_part *p = dae_append(r, (void **)&d->parts, &d->part_count, &r->part_room, sizeof *p);
  if (p) {
    *p = (ff_dae_part){dae_id_of(r, dae_attribute(attributes, "url")), is_node, -1};
    ff_dae_node *n = &d->nodes[r->node];
    *(n->part < 0 ? &n->part : &d->parts[n->last_part].next) = d->part_count - 1;
    n->last_part = d->part_count - 1;
  }
}

/* ---- faces and colours ----------------------------------------------------------------------- */

static ff_dae_faces *dae_last_faces(reader *r) {
  return &r->dae.faces[r->dae.faces_count - 1];
}

static bool dae_is_faces(const char *name) {
  return strcmp(name, "triangles") == 0 || strcmp(name, "polylist") == 0 ||
         strcmp(name, "polygons") == 0;
}

static void dae_append_faces(reader *r, ff_dae_faces faces) {
  ff_dae *d = &r->dae;
  ff_dae_faces *f =
      dae_append(r, (void **)&d->faces, &d->faces_count, &r->faces_room, sizeof *d->faces);
  if (f) {
    *f = faces;
    r->in_faces = true;
  }
}

static void dae_start_faces(reader *r, const char *name, const char **attributes) {
  if (r->in_geometry && r->with_faces) {
    dae_append_faces(
        r, (ff_dae_faces){.geometry = r->dae.geometry_count - 1,
                          .material = dae_copy_text(r, dae_attribute(attributes, "material")),
                          .corners = strcmp(name, "triangles") == 0 ? 3 : 0,
                          .stride = 1});
  }
}

/* Where the points stand among the numbers of a corner. */
static void dae_start_face_input(reader *r, const char **attributes) {
  double offset = 0;
  ff_number_read(dae_attribute(attributes, "offset"), &offset);
  if (offset >= 0 && offset < 100) {
    ff_dae_faces *f = dae_last_faces(r);
    f->stride = (int)offset + 1 > f->stride ? (int)offset + 1 : f->stride;
    f->offset =
        strcmp(dae_attribute(attributes, "semantic"), "VERTEX") == 0 ? (int)offset : f->offset;
  }
}

/* The corners of <triangles> and <polylist> are one list, those of <polygons> one for each. */
static void dae_take_corners(reader *r, const char *name, size_t count) {
  ff_dae_faces *f = dae_last_faces(r);
  if (strcmp(name, "vcount") == 0) {
    f->sizes = r->kept;
    f->sizes_count = count;
  } else {
    if (f->count > 0) {
      dae_append_faces(r, *f);
      f = dae_last_faces(r);
    }
    f->first = r->kept;
    f->count = count;
  }
  r->kept = r->count;
}

static void dae_start_colour(reader *r, const char *name, const char **attributes) {
  ff_dae *d = &r->dae;
  if (strcmp(name, "effect") == 0) {
    ff_dae_effect *e =
        dae_append(r, (void **)&d->effects, &d->effect_count, &r->effect_room, sizeof *e);
    if (e) {
      *e = (ff_dae_effect){dae_copy_text(r, dae_attribute(attributes, "id")), {0, 0, 0, -1}};
    }
  } else if (strcmp(name, "material") == 0) {
    ff_dae_material *m =
        dae_append(r, (void **)&d->materials, &d->material_count, &r->material_room, sizeof *m);
    if (m) {
      *m = (ff_dae_material){dae_copy_text(r, dae_attribute(attributes, "id")), ""};
    }
  } else if (strcmp(name, "instance_effect") == 0 && d->material_count > 0) {
    d->materials[d->material_count - 1].effect = dae_id_of(r, dae_attribute(attributes, "url"));
  } else if (strcmp(name, "instance_material") == 0 && d->part_count > 0) {
    ff_dae_binding *b =
        dae_append(r, (void **)&d->bindings, &d->binding_count, &r->binding_room, sizeof *b);
    if (b) {
      *b =
          (ff_dae_binding){d->part_count - 1, dae_copy_text(r, dae_attribute(attributes, "symbol")),
                           dae_id_of(r, dae_attribute(attributes, "target"))};
    }
  } else if (strcmp(name, "color") == 0 && r->in_diffuse && d->effect_count > 0) {
    dae_start_numbers(r);
  }
}

static void dae_take_colour(reader *r, const double *x, size_t count) {
  ff_dae_effect *e = &r->dae.effects[r->dae.effect_count - 1];
  for (size_t k = 0; k < 4 && count >= 3; k++) {
    e->rgba[k] = k < 3 ? (float)x[k] : 1;
  }
}

/* <vertices> of a geometry names the source of its positions. */
static void dae_start_input(reader *r, const char **attributes) {
  if (r->in_faces) {
    dae_start_face_input(r, attributes);
    return;
  }
  if (r->in_geometry && strcmp(dae_attribute(attributes, "semantic"), "POSITION") == 0) {
    r->dae.geometries[r->dae.geometry_count - 1].positions =
        dae_id_of(r, dae_attribute(attributes, "source"));
  }
}

static void dae_read_unit(reader *r, const char *meter) {
  if (meter[0] && !(ff_number_read(meter, &r->dae.meter) && r->dae.meter > 0)) {
    ff_xml_fail(r->xml, "the unit must be a length greater than 0 m, got '%.40s'", meter);
  }
}

static void dae_read_stride(reader *r, const char *text) {
  double stride;
  if (dae_last_source(r) && ff_number_read(text, &stride) && stride >= 1 && stride < 100) {
    dae_last_source(r)->stride = (int)stride;
  }
}

static void dae_on_start(void *context, ff_xml *xml, const char *name, const char **attributes) {
  reader *r = context;
  r->xml = xml;
  r->depth++;
  r->listening = false;
  r->in_diffuse = r->in_diffuse || strcmp(name, "diffuse") == 0;
  if (strcmp(name, "unit") == 0) {
    dae_read_unit(r, dae_attribute(attributes, "meter"));
  } else if (strcmp(name, "geometry") == 0) {
    dae_start_geometry(r, attributes);
  } else if (strcmp(name, "source") == 0) {
    dae_start_source(r, attributes);
  } else if (strcmp(name, "accessor") == 0) {
    dae_read_stride(r, dae_attribute(attributes, "stride"));
  } else if (strcmp(name, "input") == 0) {
    dae_start_input(r, attributes);
  } else if (strcmp(name, "library_nodes") == 0) {
    r->library = r->depth;
  } else if (strcmp(name, "node") == 0) {
    dae_start_node(r, dae_attribute(attributes, "id"));
  } else if (strcmp(name, "instance_geometry") == 0 || strcmp(name, "instance_node") == 0) {
    dae_start_instance(r, attributes, strcmp(name, "instance_node") == 0);
  } else if (dae_is_faces(name)) {
    dae_start_faces(r, name, attributes);
  } else if (strcmp(name, "float_array") == 0 || (dae_is_transform(name) && r->node > 0) ||
             (r->in_faces && (strcmp(name, "p") == 0 || strcmp(name, "vcount") == 0))) {
    dae_start_numbers(r);
  } else if (r->with_faces) {
    dae_start_colour(r, name, attributes);
  }
}

/* Handles the complete numbers of an element. */
static void dae_take_numbers(reader *r, const char *name) {
  ff_dae_node *node = &r->dae.nodes[r->node];
  size_t count = r->count - r->kept;
  ff_dae_place moves;
  if (strcmp(name, "float_array") == 0 && dae_last_source(r)) {
    dae_last_source(r)->first = r->kept;
    dae_last_source(r)->count = count;
    r->kept = r->count;
  } else if (r->in_faces && (strcmp(name, "p") == 0 || strcmp(name, "vcount") == 0)) {
    dae_take_corners(r, name, count);
  } else if (strcmp(name, "color") == 0) {
    dae_take_colour(r, r->numbers + r->kept, count);
  } else if (dae_is_transform(name) && node->depth == r->depth - 1) {
    if (!dae_transform(name, r->numbers + r->kept, count, &moves)) {
      ff_xml_fail(r->xml, "<%s> has %zu numbers, which is the wrong number", name, count);
      return;
    }
    node->at = ff_dae_placed(node->at, moves);
  }
}

static void dae_on_end(void *context, ff_xml *xml, const char *name) {
  reader *r = context;
  r->xml = xml;
  if (r->listening) {
    dae_end_word(r);
    dae_take_numbers(r, name);
    r->listening = false;
  }
  if (strcmp(name, "node") == 0 && r->node > 0) {
    dae_end_node(r);
  } else if (strcmp(name, "geometry") == 0) {
    r->in_geometry = false;
  } else if (dae_is_faces(name)) {
    r->in_faces = false;
  } else if (strcmp(name, "diffuse") == 0) {
    r->in_diffuse = false;
  } else if (r->library == r->depth) {
    r->library = 0;
  }
  r->depth--;
}

/* ---- document -------------------------------------------------------------------------------- */

static ff_status dae_read_document(reader *r, const char *text, size_t size, const char *path,
                                   ff_report *report) {
  const ff_xml_calls calls = {dae_on_start, dae_on_end, dae_on_text};
  r->dae.meter = 1;
  r->dae.nodes = ff_alloc(1, sizeof *r->dae.nodes); /* the root */
  if (!r->dae.nodes) {
    return FF_ERROR_MEMORY;
  }
  r->dae.nodes[0] =
      (ff_dae_node){.id = "", .at = ff_dae_here(), .parent = -1, .part = -1, .last_part = -1};
  r->dae.node_count = 1;
  r->node_room = 1;
  ff_status status = ff_xml_read(text, size, path, &calls, r, report);
  if (status == FF_ERROR_INPUT && report) { /* the line is that of the mesh, not of the robot */
    char what[300];
    snprintf(what, sizeof what, "%.299s", report->what);
    ff_report_what(report, "line %d: %s", report->line, what);
  }
  r->dae.nodes[0].end = r->dae.node_count;
  r->dae.numbers = r->numbers;
  return status;
}

ff_status ff_mesh_read_dae(ff_mesh *mesh, const char *text, size_t size, const char *path) {
  if (size > FF_XML_BYTES_MAX) {
    return ff_report_what(mesh->report, "larger than %d MB", FF_XML_BYTES_MAX >> 20);
  }
  reader r = {.with_faces = mesh->with_faces};
  ff_status status = dae_read_document(&r, text, size, path, mesh->report);
  status = status == FF_OK ? ff_dae_show(&r.dae, mesh) : status;
  ff_free(r.numbers);
  ff_free(r.dae.sources);
  ff_free(r.dae.geometries);
  ff_free(r.dae.parts);
  ff_free(r.dae.nodes);
  ff_free(r.dae.faces);
  ff_free(r.dae.bindings);
  ff_free(r.dae.materials);
  ff_free(r.dae.effects);
  ff_arena_free(&r.texts);
  return status;
}
