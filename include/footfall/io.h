/* Files: scenes in, recordings out. */
#ifndef FOOTFALL_IO_H
#define FOOTFALL_IO_H

#include "footfall/api.h"
#include "footfall/scene.h"
#include "footfall/sim.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- scenes ---------------------------------------------------------------------------------- */

/* Reads a YAML scene. overrides: "path=value" texts (`--set`), applied before reading.
 * On FF_ERROR_INPUT and FF_ERROR_FILE the report (may be NULL) says where and what. */
FF_API ff_status ff_scene_load(ff_scene **out, const char *path, const char *const *overrides,
                               int override_count, ff_report *report);
/* The same from memory; name replaces the file in messages. */
FF_API ff_status ff_scene_parse(ff_scene **out, const char *text, size_t size, const char *name,
                                const char *const *overrides, int override_count,
                                ff_report *report);
/* Its `name`, or its file name without folder and extension; "" if built from C calls. */
FF_API const char *ff_scene_name(const ff_scene *scene);
/* The scene's YAML text, overrides applied; "" if built from C calls. */
FF_API const char *ff_scene_source(const ff_scene *scene);
/* Its file as named by the user; "" if built from C calls. */
FF_API const char *ff_scene_file(const ff_scene *scene);

/* The files it was read from, 0 .. count - 1: its own, those of its robots and their meshes. */
FF_API int ff_scene_read_count(const ff_scene *scene);
FF_API const char *ff_scene_read_file(const ff_scene *scene, int file);

/* Notes on it, 0 .. count - 1, such as keys that have another name now: "scene.yaml:12: ...". */
FF_API int ff_scene_note_count(const ff_scene *scene);
FF_API const char *ff_scene_note(const ff_scene *scene, int note);

/* ---- recordings ------------------------------------------------------------------------------ */

/* Metadata of a recording. */
typedef struct ff_recording_info {
  const char *scene;        /* YAML text */
  const char *summary;      /* JSON text, written at the end; "" if none */
  const char *const *names; /* channels; the first is "time" */
  const char *const *units;
  int count;
  const char *file;          /* file of the scene, so that its robots can be found; NULL: unknown */
  const char *incomplete;    /* why the run ended early; NULL or "": it is complete */
  const char *const *bodies; /* names, for the numbers in tables; NULL: none */
  int body_count;
  bool contacts; /* HDF5: has a table of contacts */
  void *reserved[8];
} ff_recording_info;

typedef struct ff_recorder ff_recorder;

/* Format by extension: .csv, .h5, or .sto and .mot (OpenSim: ground reactions of the contacts only;
 * name.mot comes with name.xml, OpenSim's ExternalLoads). The file appears under its name only when
 * closed successfully. */
FF_API ff_status ff_recorder_create(ff_recorder **out, const char *path,
                                    const ff_recording_info *info, ff_report *report);
FF_API ff_status ff_recorder_add(ff_recorder *recorder, const double *row);
/* Adds events to their table, and the contacts of the row added last, at this time of the sim, to
 * theirs. HDF5 only: other formats have no tables. */
FF_API ff_status ff_recorder_add_events(ff_recorder *recorder, const ff_event *events, long count);
FF_API ff_status ff_recorder_add_contacts(ff_recorder *recorder, double time,
                                          const ff_contact *contacts, int count);
/* Marks the recording as incomplete before it is closed, with the reason (HDF5 only). */
FF_API ff_status ff_recorder_mark(ff_recorder *recorder, const char *reason);
/* Completes and renames the file; summary: JSON text (may be NULL). Frees the recorder in any case.
 */
FF_API ff_status ff_recorder_close(ff_recorder **recorder, const char *summary, ff_report *report);
/* Frees the recorder without leaving a file. */
FF_API void ff_recorder_abandon(ff_recorder **recorder);

typedef struct ff_recording ff_recording;

FF_API ff_status ff_recording_open(ff_recording **out, const char *path, ff_report *report);
FF_API const ff_recording_info *ff_recording_about(const ff_recording *recording);
FF_API long ff_recording_rows(const ff_recording *recording);
/* Column by index, rows values, owned by the recording. */
FF_API const double *ff_recording_column(const ff_recording *recording, int index);
FF_API void ff_recording_close(ff_recording **recording);

/* ---- numbers as text ------------------------------------------------------------------------- */

enum { FF_NUMBER_SIZE = 32 };
/* Shortest text that reads back to the same bits; "nan", "inf", "-inf". Returns text. */
FF_API char *ff_number_text(double value, char text[FF_NUMBER_SIZE]);
/* Reads one number that is the whole text; also "1e-3", ".inf", "90 deg" (to rad). */
FF_API bool ff_number_read(const char *text, double *value);

#ifdef __cplusplus
}
#endif
#endif
