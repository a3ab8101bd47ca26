/* The YAML document of a study or a fit, and the scene that it names. */
#ifndef FF_STUDY_DOCUMENT_H
#define FF_STUDY_DOCUMENT_H

#include "io/scene_reader.h"

typedef struct ff_document {
  const char *file;   /* its path */
  const char *folder; /* its folder, with a slash at the end; "": the current one */
  const char *source; /* its text */
  const char *scene_file, *scene_text;
  size_t scene_size;
} ff_document;

/* Reads the file and its tree; everything lives in the arena. The report is cleared. */
ff_status ff_document_read(ff_document *out, ff_arena *arena, const char *path, ff_node **root,
                           ff_report *report);
/* Reads the scene under the key `scene`: a path relative to the folder of the document. */
void ff_document_read_scene(ff_reader *reader, const ff_node *root, ff_document *document);

#endif
