/* Reading of a fit: its parts, a file each. */
#ifndef FF_STUDY_FIT_READ_H
#define FF_STUDY_FIT_READ_H

#include "io/scene_reader.h"
#include "study/fit.h"

enum { FF_FIT_SETTINGS_MAX = 64 };

/* The three texts one after the other; NULL if out of memory. */
char *ff_fit_print_text(ff_arena *arena, const char *a, const char *b, const char *c);
/* Keys of the scene and their values as text, under `set`: how many. */
int ff_fit_read_set(ff_reader *reader, const ff_node *map, const char **keys, const char **values);

void ff_fit_read_laws(ff_reader *reader, const ff_node *root,
                      ff_fit *fit); /* src/study/fit_parameters.c */
void ff_fit_read_items(ff_reader *reader, const ff_node *root,
                       ff_fit *fit); /* src/study/fit_compare.c */
void ff_fit_read_data(ff_reader *reader, const ff_node *root,
                      ff_fit *fit); /* src/study/fit_data.c */

/* Errors and published figures: src/study/fit_errors.c. Errors are read before data. */
void ff_fit_read_errors(ff_reader *reader, const ff_node *root, ff_fit *fit);
void ff_fit_read_published(ff_reader *reader, const ff_node *root, ff_fit *fit);

#endif
