/* Points of a COLLADA file (.dae): the positions of its geometries where its scene puts them.
 *
 * Lengths are taken in the file's unit; its up axis is passed over, as other readers of robots do.
 * A file whose scene shows no geometry gives all of them as they stand.
 */
#include "base/arena.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/report.h"
#include "base/text.h"
#include "io/mesh.h"
#include "io/xml.h"
#include "math/spatial.h"

#include <stdio.h>
#include <string.h>

/* x -> turn x + shift; turn may scale. */
typedef struct placement {
  ff_mat3 turn;
  ff_vec3 shift;
} placement;

typedef struct source {
  const char *id, *geometry;
  size_t first, count; /* numbers */
  int stride;
  bool positions;
} source;

typedef struct instance {
  const char *geometry;
  placement at;
} instance;

enum { LISTS_MAX = 100000, POINTS_MAX = 20000000 };

typedef struct dae {
  ff_xml *xml;
  ff_arena texts;
  double meter;
  const char *geometry; /* the one being read */
  double *numbers;      /* of all sources, then those of the element being read */
  size_t count, room, kept;
  bool listening; /* text is numbers */
  char word[64];  /* a number that is not complete yet */
  size_t word_length;
  source *sources;
  int source_count, source_room;
  instance *instances;
  int instance_count, instance_room;
  placement places[FF_XML_DEPTH_MAX + 1]; /* of the nodes that stand inside one another */
  int depth, nodes;
  int node_depth[FF_XML_DEPTH_MAX + 1]; /* of elements at which they started */
} dae;

/* ---- lists ------------------------------------------------------------------------------- */

static void *one_more(dae *d, void **list, int *count, int *room, size_t size) {
  if (*count >= LISTS_MAX) {
    ff_xml_fail(d->xml, "more than %d parts", LISTS_MAX);
    return NULL;
  }
  if (*count == *room) {
    int wanted = *room ? 2 * *room : 16;
    void *fresh = ff_resize(*list, (size_t)*room, (size_t)wanted, size);
    if (!fresh) {
      ff_xml_take(d->xml, FF_ERROR_MEMORY);
      return NULL;
    }
    *list = fresh;
    *room = wanted;
  }
  return (char *)*list + (size_t)(*count)++ * size;
}

static void add_number(dae *d, double value) {
  if (d->count == d->room) {
    size_t room = d->room ? 2 * d->room : 1024;
    double *fresh = ff_resize(d->numbers, d->room, room, sizeof *fresh);
    if (!fresh) {
      ff_xml_take(d->xml, FF_ERROR_MEMORY);
      return;
    }
    d->numbers = fresh;
    d->room = room;
  }
  d->numbers[d->count++] = value;
}

/* ---- attributes and numbers ---------------------------------------------------------------- */

static const char *attribute(const char **attributes, const char *name) {
  for (; *attributes; attributes += 2) {
    if (strcmp(attributes[0], name) == 0) {
      return attributes[1];
    }
  }
  return "";
}

static const char *keep(dae *d, const char *text) {
  const char *kept = ff_arena_text(&d->texts, text, strlen(text));
  if (!kept) {
    ff_xml_take(d->xml, FF_ERROR_MEMORY);
  }
  return kept ? kept : "";
}

static void end_word(dae *d) {
  double value;
  if (d->word_length == 0) {
    return;
  }
  d->word[d->word_length] = 0;
  d->word_length = 0;
  if (!ff_number_read(d->word, &value)) {
    ff_xml_fail(d->xml, "'%s' is not a finite number", d->word);
    return;
  }
  add_number(d, value);
}

static void on_text(void *context, ff_xml *xml, const char *text, int size) {
  dae *d = context;
  (void)xml;
  for (int i = 0; d->listening && i < size; i++) {
    if (strchr(" \t\r\n", text[i])) {
      end_word(d);
    } else if (d->word_length + 1 < sizeof d->word) {
      d->word[d->word_length++] = text[i];
    } else {
      ff_xml_fail(d->xml, "a number of more than %zu characters", sizeof d->word - 1);
      return;
    }
  }
}

static void listen(dae *d) {
  d->listening = true;
  d->count = d->kept;
  d->word_length = 0;
}

/* ---- nodes ---------------------------------------------------------------------------------- */

static placement placed(placement a, placement b) {
  return (placement){m3_product(a.turn, b.turn), v3_add(m3_mul(a.turn, b.shift), a.shift)};
}

/* A transform inside a node: what its numbers say. False if there are too few. */
static bool transform_of(const char *name, const double *x, size_t count, placement *out) {
  *out = (placement){{{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}, {0, 0, 0}};
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

static bool is_transform(const char *name) {
  return strcmp(name, "matrix") == 0 || strcmp(name, "translate") == 0 ||
         strcmp(name, "scale") == 0 || strcmp(name, "rotate") == 0;
}

/* ---- elements ---------------------------------------------------------------------------------
 */

static void start_source(dae *d, const char **attributes) {
  source *s = one_more(d, (void **)&d->sources, &d->source_count, &d->source_room, sizeof *s);
  if (s) {
    *s = (source){.id = keep(d, attribute(attributes, "id")), .geometry = d->geometry, .stride = 3};
  }
}

static void start_instance(dae *d, const char **attributes) {
  const char *url = attribute(attributes, "url");
  instance *i =
      one_more(d, (void **)&d->instances, &d->instance_count, &d->instance_room, sizeof *i);
  if (i) {
    *i = (instance){keep(d, url[0] == '#' ? url + 1 : url), d->places[d->nodes]};
  }
}

/* <vertices> of a geometry names the source of its positions. */
static void start_input(dae *d, const char **attributes) {
  const char *from = attribute(attributes, "source");
  for (int i = d->source_count - 1;
       i >= 0 && strcmp(attribute(attributes, "semantic"), "POSITION") == 0; i--) {
    if (from[0] == '#' && strcmp(d->sources[i].id, from + 1) == 0) {
      d->sources[i].positions = true;
      return;
    }
  }
}

static void on_start(void *context, ff_xml *xml, const char *name, const char **attributes) {
  dae *d = context;
  d->xml = xml;
  d->depth++;
  d->listening = false;
  if (strcmp(name, "unit") == 0) {
    const char *meter = attribute(attributes, "meter");
    if (meter[0] && !(ff_number_read(meter, &d->meter) && d->meter > 0)) {
      ff_xml_fail(xml, "the unit must be a length greater than 0 m, got '%.40s'", meter);
    }
  } else if (strcmp(name, "geometry") == 0) {
    d->geometry = keep(d, attribute(attributes, "id"));
  } else if (strcmp(name, "source") == 0) {
    start_source(d, attributes);
  } else if (strcmp(name, "accessor") == 0 && d->source_count > 0) {
    double stride;
    if (ff_number_read(attribute(attributes, "stride"), &stride) && stride >= 1 && stride < 100) {
      d->sources[d->source_count - 1].stride = (int)stride;
    }
  } else if (strcmp(name, "input") == 0) {
    start_input(d, attributes);
  } else if (strcmp(name, "node") == 0) {
    d->places[d->nodes + 1] = d->places[d->nodes];
    d->node_depth[++d->nodes] = d->depth;
  } else if (strcmp(name, "instance_geometry") == 0) {
    start_instance(d, attributes);
  } else if (strcmp(name, "float_array") == 0 || (is_transform(name) && d->nodes > 0)) {
    listen(d);
  }
}

static void on_end(void *context, ff_xml *xml, const char *name) {
  dae *d = context;
  if (d->listening) {
    end_word(d);
    size_t count = d->count - d->kept;
    placement moves;
    if (strcmp(name, "float_array") == 0 && d->source_count > 0) {
      d->sources[d->source_count - 1].first = d->kept;
      d->sources[d->source_count - 1].count = count;
      d->kept = d->count;
    } else if (is_transform(name) && d->node_depth[d->nodes] == d->depth - 1) {
      if (!transform_of(name, d->numbers + d->kept, count, &moves)) {
        ff_xml_fail(xml, "<%s> has %zu numbers, which is not how many it needs", name, count);
        return;
      }
      d->places[d->nodes] = placed(d->places[d->nodes], moves);
    }
    d->listening = false;
  }
  if (strcmp(name, "node") == 0 && d->nodes > 0) {
    d->nodes--;
  } else if (strcmp(name, "geometry") == 0) {
    d->geometry = "";
  }
  d->depth--;
}

/* ---- all together ------------------------------------------------------------------------------
 */

/* Calls `add` for the points of all instances. */
static ff_status give_points(dae *d, ff_mesh_add add, void *to, ff_report *report) {
  const instance whole = {"", {{{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}, {0, 0, 0}}};
  size_t total = 0;
  int count = d->instance_count > 0 ? d->instance_count : 1;
  for (int i = 0; i < count; i++) {
    const instance *in = d->instance_count > 0 ? &d->instances[i] : &whole;
    for (int k = 0; k < d->source_count; k++) {
      const source *s = &d->sources[k];
      if (!s->positions || (d->instance_count > 0 && strcmp(s->geometry, in->geometry) != 0)) {
        continue;
      }
      size_t points = s->count / (size_t)s->stride;
      if (s->stride < 3 || (total += points) > POINTS_MAX) {
        return ff_report_what(report, s->stride < 3 ? "positions need three numbers each"
                                                    : "the mesh has too many points");
      }
      for (size_t p = 0; p < points; p++) {
        ff_vec3 x = v3_load(d->numbers + s->first + p * (size_t)s->stride);
        x = v3_add(m3_mul(in->at.turn, x), in->at.shift);
        ff_status status = add(to, v3_scale(d->meter, x));
        if (status != FF_OK) {
          return status;
        }
      }
    }
  }
  return FF_OK;
}

ff_status ff_mesh_read_dae(const char *text, size_t size, const char *path, ff_mesh_add add,
                           void *to, ff_report *report) {
  dae d = {.meter = 1, .geometry = ""};
  d.places[0] = (placement){{{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}, {0, 0, 0}};
  if (size > FF_XML_BYTES_MAX) {
    return ff_report_what(report, "larger than %d MB", FF_XML_BYTES_MAX >> 20);
  }
  const ff_xml_calls calls = {on_start, on_end, on_text};
  ff_status status = ff_xml_read(text, size, path, &calls, &d, report);
  if (status == FF_ERROR_INPUT && report) { /* the line is that of the mesh, not of the robot */
    char what[300];
    snprintf(what, sizeof what, "%.299s", report->what);
    ff_report_what(report, "line %d: %s", report->line, what);
  }
  status = status == FF_OK ? give_points(&d, add, to, report) : status;
  ff_free(d.numbers);
  ff_free(d.sources);
  ff_free(d.instances);
  ff_arena_free(&d.texts);
  return status;
}
