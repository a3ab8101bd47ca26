/* Contact rules: pairs of bodies and their laws. */
#include "io/scene_reader.h"

#include <math.h>
#include <string.h>

enum { LAWS_MAX = 64, PARAMS_MAX = 32 };

/* ---- laws ------------------------------------------------------------------------------------ */

static const ff_law *scene_read_law_name(ff_reader *reader, const ff_node *node, ff_law_kind kind) {
  const char *name = NULL;
  ff_reader_require(reader, node, "law");
  ff_get_text(reader, node, "law", &name);
  const ff_law *law = name ? ff_law_find(kind, name) : NULL;
  if (name && !law) {
    const char *known[LAWS_MAX];
    int count = 0;
    for (int i = 0; i < ff_law_count() && count < LAWS_MAX; i++) {
      if (ff_law_at(i)->kind == kind) {
        known[count++] = ff_law_at(i)->name;
      }
    }
    const ff_node *word = ff_reader_enter(reader, node, "law");
    ff_reader_unknown(reader, word, kind == FF_LAW_NORMAL ? "normal law" : "friction law", known,
                      count);
  }
  return law;
}

static const ff_param *scene_find_param(const ff_law *law, const char *name) {
  for (int i = 0; i < law->params_count; i++) {
    if (!strcmp(law->params[i].name, name)) {
      return &law->params[i];
    }
  }
  return NULL;
}

/* The keys of a law in a scene: `law` and its parameters. */
static int scene_list_law_keys(const ff_law *law, const char *keys[PARAMS_MAX + 1]) {
  int count = 0;
  keys[count++] = "law";
  for (int i = 0; i < law->params_count && i < PARAMS_MAX; i++) {
    keys[count++] = law->params[i].name;
  }
  return count;
}

/* Ranges are checked when the model is built: here only the type is. */
static void scene_read_params(ff_reader *reader, const ff_node *node, const ff_law *law,
                              const char **names, double *values, ff_law_choice *out) {
  for (const ff_node *at = node->first; at && reader->status == FF_OK; at = at->next) {
    const ff_param *param = scene_find_param(law, at->key->text);
    if (!param) {
      continue; /* the key `law` */
    }
    ff_reader_step(reader, at, 0);
    names[out->count] = param->name;
    values[out->count++] = param->kind == FF_PARAM_FLAG ? (double)ff_read_flag(reader, at)
                                                        : ff_read_number(reader, at, 0);
    ff_reader_leave(reader);
  }
}

static void scene_get_law(ff_reader *reader, const ff_node *contact, const char *key,
                          ff_law_kind kind, ff_law_choice *out) {
  const ff_node *node = ff_reader_enter(reader, contact, key);
  if (!node) {
    return;
  }
  const ff_law *law = NULL;
  if (node->kind != FF_NODE_MAP) {
    ff_reader_fail(reader, node, "must be a mapping {law: NAME, parameter: value, ...}");
  } else {
    law = scene_read_law_name(reader, node, kind);
  }
  const char *keys[PARAMS_MAX + 1];
  if (law && ff_reader_map(reader, node, keys, scene_list_law_keys(law, keys))) {
    const char **names = ff_arena_take(reader->arena, (size_t)node->count, sizeof *names);
    double *values = ff_arena_take(reader->arena, (size_t)node->count, sizeof *values);
    if (names && values) {
      *out = (ff_law_choice){.law = law->name, .names = names, .values = values};
      scene_read_params(reader, node, law, names, values, out);
    } else {
      ff_reader_take(reader, FF_ERROR_MEMORY);
    }
  }
  ff_reader_leave(reader);
}

/* ---- contacts -------------------------------------------------------------------------------- */

static void scene_read_contact(ff_reader *reader, const ff_node *node, void *context) {
  (void)context;
  static const char *const keys[] = {"pair", "off", "normal", "friction", "radius"};
  if (!ff_reader_map(reader, node, keys, FF_COUNT(keys))) {
    return;
  }
  ff_contact_def def = ff_contact_def_default();
  ff_get_pair(reader, node, "; \"*\" stands for every body", &def.a, &def.b);
  ff_get_flag(reader, node, "off", &def.off);
  if (def.off && node->count > 2) {
    ff_reader_fail(reader, node, "a contact that is off takes no law or radius");
  }
  if (!def.off) {
    ff_reader_require(reader, node, "normal");
  }
  scene_get_law(reader, node, "normal", FF_LAW_NORMAL, &def.normal);
  scene_get_law(reader, node, "friction", FF_LAW_FRICTION, &def.friction);
  ff_get_number(reader, node, "radius", 0, &def.radius);
  if (reader->status == FF_OK) {
    ff_reader_take(reader, ff_scene_add_contact(reader->scene, &def));
  }
}

/* `contacts: none`, or a list; without the key, laws follow from materials. */
void ff_read_contacts(ff_reader *reader, const ff_node *root) {
  const ff_node *node = ff_tree_find(root, "contacts");
  if (node && node->kind == FF_NODE_SCALAR && node->plain && !strcmp(node->text, "none")) {
    return; /* ff_read_run has noted it */
  }
  ff_reader_each(reader, root, "contacts", scene_read_contact, NULL);
}
