/* Internals of a page: parts of its document under construction. */
#ifndef FF_IO_PAGE_H
#define FF_IO_PAGE_H

#include "footfall/page.h"
#include "footfall/sim.h"

#include "io/page_text.h"
#include "io/reduce.h"
#include "model/scene.h"

/* The built-in page, split at the insertion point of the document; size 0: none (see
 * web/CMakeLists.txt). */
extern const unsigned char ff_page_head[], ff_page_tail[];
extern const unsigned long ff_page_head_size, ff_page_tail_size;
/* The engine of live pages, as the tags that hold it; size 0: none (`./dev live` builds it). */
extern const unsigned char ff_page_engine[];
extern const unsigned long ff_page_engine_size;

/* An open block that accepts rows, claims, curves or panels. */
typedef enum ff_page_open {
  FF_PAGE_CLOSED,
  FF_PAGE_TABLE,
  FF_PAGE_CLAIMS,
  FF_PAGE_PLOT,
  FF_PAGE_REPLAY
} ff_page_open;

/* A mesh on the page; number -1: it cannot be read. */
typedef struct ff_page_mesh {
  char *path;
  int number;
} ff_page_mesh;

struct ff_page {
  ff_text title, subtitle; /* JSON strings */
  ff_text sections;        /* JSON of the complete blocks and of the open one */
  ff_text recordings;      /* JSON objects */
  ff_text series;          /* JSON objects: length, or constant value */
  ff_text numbers;         /* script tags with base64 */
  ff_text live;            /* JSON object: scene and files for the engine; empty: not a live page */
  ff_text meshes;          /* JSON objects: sizes and colours; their numbers are in numbers */
  ff_page_mesh *mesh_list;
  int mesh_count, mesh_number; /* in the list; on the page */
  size_t mesh_room;
  long triangles; /* of all meshes */
  int section_count, block_count, item_count, recording_count, series_count;
  int columns; /* of the open table */
  bool titled; /* false: the first run provides its scene's name */
  /* Of the document that the engine of a live page makes: what the page has already. */
  bool without_channels, without_bodies; /* no numbers of channels; no bodies, meshes and looks */
  ff_page_open open;
  double budget; /* remaining bytes for numbers of runs */
  ff_status status;
  char what[128]; /* reason if status is FF_ERROR_INPUT */
};

/* Stores selected rows of a column (all if the reduction keeps all); returns the index of the
 * series. */
int ff_page_add_series(ff_page *page, const double *values, const ff_reduction *reduction);
/* Adds a mesh once, with fewer triangles if it has many; *out is its number on the page, -1 if it
 * cannot be read or there is no room for it. FF_ERROR_MEMORY is the only failure. */
ff_status ff_page_add_mesh(int *out, ff_page *page, const char *path);
/* Members of a recording: bodies, colours, panels and views; constraints. */
ff_status ff_page_add_bodies(ff_page *page, ff_text *text, const ff_scene *scene);
void ff_page_add_look(ff_text *text, const ff_scene *scene);
void ff_page_add_constraints(ff_text *text, const ff_model *model);
/* A replay of several runs on the page, by their ids, with panels. */
void ff_page_add_comparison(ff_page *page, const int *ids, const char *const *names, int count);
/* Stores the first failure. */
void ff_page_fail(ff_page *page, ff_status status, const char *what);

#endif
