/* Names of older scenes: keys and channels that have another name now are renamed in the tree, and
 * the scene notes each. */
#include "base/report.h"
#include "io/scene_reader.h"

#include <stdio.h>
#include <string.h>

/* Keys, by the section whose members had them. */
static const struct {
  const char *section, *old, *now;
} old_key_names[] = {{"materials", "mu-static", "mu_static"},
                     {"materials", "mu-kinetic", "mu_kinetic"},
                     {"robots", "pilot", "controller"}};

/* Words of channel names: load.<body>.pressure.x, load.<body>.twist, robot.<robot>.pressure.x. */
static const struct {
  const char *old, *now;
} old_channel_words[] = {{".pressure", ".cop"}, {".twist", ".free_moment"}};

typedef struct old_names {
  ff_scene *scene;
  ff_arena *arena;
  ff_status status;
} old_names;

/* A copy of the node with another text; notes the change. NULL: out of memory. */
static ff_node *old_name_replace(old_names *names, const ff_node *node, const char *what,
                                 const char *now) {
  ff_node *copy = ff_arena_take(names->arena, 1, sizeof *copy);
  char *text = ff_arena_text(names->arena, now, strlen(now));
  names->status = copy && text ? ff_scene_add_note(names->scene, node->file, node->line,
                                                   "the %s '%.100s' is now '%.100s'; the old name "
                                                   "is still read",
                                                   what, node->text, now)
                               : FF_ERROR_MEMORY;
  if (names->status == FF_OK) {
    *copy = *node;
    copy->text = text;
  }
  return names->status == FF_OK ? copy : NULL;
}

const char *ff_tree_new_key(const char *old) {
  for (int i = 0; i < FF_COUNT(old_key_names); i++) {
    if (strcmp(old, old_key_names[i].old) == 0) {
      return old_key_names[i].now;
    }
  }
  return NULL;
}

static void old_keys_rename(old_names *names, const ff_node *section, const char *old,
                            const char *now) {
  ff_node *member = section && section->kind == FF_NODE_MAP ? section->first : NULL;
  for (; member && names->status == FF_OK; member = member->next) {
    ff_node *value = ff_tree_find(member, old);
    if (value && !ff_tree_find(member, now)) {
      const ff_node *key = old_name_replace(names, value->key, "key", now);
      value->key = key ? key : value->key;
    }
  }
}

/* Channels of loads and robots, and globs that begin with a star. */
static void old_channel_rename(old_names *names, ff_node *node) {
  char now[300];
  const char *text = node->kind == FF_NODE_SCALAR ? node->text : "";
  bool known = strncmp(text, "load.", 5) == 0 || strncmp(text, "robot.", 6) == 0 || text[0] == '*';
  for (int i = 0; known && i < FF_COUNT(old_channel_words); i++) {
    const char *old = old_channel_words[i].old, *at = strstr(text, old);
    const char *rest = at ? at + strlen(old) : "";
    if (at && (*rest == 0 || *rest == '.' || *rest == '*') && strlen(text) < 200) {
      snprintf(now, sizeof now, "%.*s%s%s", (int)(at - text), text, old_channel_words[i].now, rest);
      const ff_node *renamed = old_name_replace(names, node, "channel", now);
      node->text = renamed ? renamed->text : node->text;
      return;
    }
  }
}

/* All texts below a node. */
static void old_channels_rename(old_names *names, ff_node *node) {
  if (node && node->kind == FF_NODE_SCALAR) {
    old_channel_rename(names, node);
    return;
  }
  for (ff_node *at = node ? node->first : NULL; at && names->status == FF_OK; at = at->next) {
    old_channels_rename(names, at);
  }
}

ff_status ff_tree_rename_old(ff_node *root, ff_scene *scene, ff_arena *arena) {
  old_names names = {.scene = scene, .arena = arena, .status = FF_OK};
  for (int i = 0; i < FF_COUNT(old_key_names) && names.status == FF_OK; i++) {
    old_keys_rename(&names, ff_tree_find(root, old_key_names[i].section), old_key_names[i].old,
                    old_key_names[i].now);
  }
  const ff_node *record = ff_tree_find(root, "record"), *report = ff_tree_find(root, "report");
  old_channels_rename(&names, record ? ff_tree_find(record, "channels") : NULL);
  old_channels_rename(&names, report ? ff_tree_find(report, "panels") : NULL);
  return names.status;
}
