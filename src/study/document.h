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
/* Checks the version of the format, under the key that names its kind: `study: 1`. */
void ff_document_check_version(ff_reader *reader, const ff_node *root, const char *kind);
/* Reads the scene under the key `scene`: a path relative to the folder of the document. */
void ff_document_read_scene(ff_reader *reader, const ff_node *root, ff_document *document);

/* One text, or a list of 1 to `most` texts, under a key. Returns how many; 0: the key is not there,
 * or wrong. */
int ff_read_texts(ff_reader *reader, const ff_node *map, const char *key, int most,
                  const char **out);

#endif
