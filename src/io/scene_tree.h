/* YAML text as a tree of nodes with source locations.
 *
 * The tree is built from libfyaml's events, so that limits apply while reading: nothing that is too
 * deep, too long or shared by aliases is ever built. */
#ifndef FF_IO_SCENE_TREE_H
#define FF_IO_SCENE_TREE_H

#include "base/arena.h"
#include "footfall/status.h"

enum {
  FF_SCENE_BYTES_MAX = 16 << 20, /* of a file */
  FF_SCENE_LINE_MAX = 1000000,   /* characters; the parser holds a whole line of flow style */
  FF_SCENE_DEPTH_MAX = 32,       /* nesting of lists and mappings */
  FF_SCENE_NODES_MAX = 6000000   /* values in a file */
};

typedef enum ff_node_kind { FF_NODE_SCALAR, FF_NODE_LIST, FF_NODE_MAP } ff_node_kind;

typedef struct ff_node ff_node;
struct ff_node {
  ff_node_kind kind : 8;
  bool plain : 1;     /* unquoted scalar: may be a number, true or false */
  int line, column;   /* 1-based */
  int count;          /* children */
  ff_node *next;      /* sibling in the list or mapping */
  const ff_node *key; /* in a mapping: the scalar before the colon */
  const char *file;   /* source: the file, or "--set PATH" */
  union {
    const char *text; /* scalar; "" and plain: empty value */
    ff_node *first;   /* list, mapping */
  };
};

/* Reads one document. The nodes are allocated in the arena; file must live as long. */
ff_status ff_tree_read(ff_node **out, ff_arena *arena, const char *text, size_t size,
                       const char *file, ff_report *report);
/* Value of a key; NULL: the mapping does not have it, or the node is not a mapping. */
ff_node *ff_tree_find(const ff_node *map, const char *key);
/* Applies a "path=value" override. */
ff_status ff_tree_override(ff_node *root, ff_arena *arena, const char *setting, ff_report *report);
/* The name that an old key has now; NULL: it is not an old key. */
const char *ff_tree_new_key(const char *old);
/* The tree as YAML text, in the arena; NULL if out of memory. */
char *ff_tree_text(const ff_node *root, ff_arena *arena);

/* Sets file, line and column of a report. */
void ff_tree_place(ff_report *report, const ff_node *node);

#endif
