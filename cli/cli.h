/* Shared by the verbs. A verb is one file with one function of main's form. */
#ifndef FF_CLI_H
#define FF_CLI_H

#include <stdio.h>

#include "footfall/footfall.h"

enum {
  FF_EXIT_GOOD = 0,
  FF_EXIT_FAILED = 1,       /* the run failed */
  FF_EXIT_INPUT = 2,        /* bad arguments or a bad scene */
  FF_EXIT_INTERRUPTED = 130 /* by Ctrl-C */
};

/* argv[0] is "footfall VERB". Return an exit code. */
int ff_cli_run(int argc, char **argv);
int ff_cli_check(int argc, char **argv);
/* The part of check for robots; root may be NULL. as: output format. */
typedef enum ff_cli_form { FF_CLI_TEXT, FF_CLI_JSON, FF_CLI_SCENE } ff_cli_form;
int ff_cli_check_robot(const char *path, const char *root, bool skip_meshes, ff_cli_form as);
/* Prints a starting scene for the robot of that file. */
int ff_cli_check_scene(const ff_robot *robot, const char *path, bool skip_meshes);
int ff_cli_laws(int argc, char **argv);
int ff_cli_steppers(int argc, char **argv);
int ff_cli_findings(int argc, char **argv);
int ff_cli_channels(int argc, char **argv);
int ff_cli_materials(int argc, char **argv);
int ff_cli_new(int argc, char **argv);
int ff_cli_impact(int argc, char **argv);
int ff_cli_volume(int argc, char **argv);
int ff_cli_view(int argc, char **argv);
int ff_cli_paper(int argc, char **argv);
int ff_cli_sweep(int argc, char **argv);
int ff_cli_fit(int argc, char **argv);
int ff_cli_validate(int argc, char **argv);

/* Last line of every verb's --help. */
#define FF_CLI_EXITS "\nExit codes: 0 good, 1 the run failed, 2 bad input, 130 interrupted."

/* Texts from repeated options. */
typedef struct ff_cli_list {
  const char **items;
  int count;
} ff_cli_list;

void ff_cli_list_add(ff_cli_list *list, const char *item); /* ends the program if out of memory */
void ff_cli_list_free(ff_cli_list *list);

/* Parses the arguments of a verb; ends the program if they are wrong or if out of memory. */
struct argp;
void ff_cli_parse(const struct argp *parser, int argc, char **argv, void *job);

/* Zeroed memory; ends the program with FF_EXIT_FAILED if out of memory. */
void *ff_cli_alloc(int count, size_t size);

/* Prints the error on the standard error and returns its exit code. The report may be empty. */
int ff_cli_fail(ff_status status, const ff_report *report);
/* The same for an input file: one that cannot be read is a bad argument. */
int ff_cli_fail_reading(ff_status status, const ff_report *report);

/* Must the stepper resolve the motion within a contact? Others solve for the result. */
bool ff_cli_resolves(const ff_run_def *run);

/* Loads a scene with `--set` texts and builds its model; on failure prints the error and returns an
 * exit code other than FF_EXIT_GOOD. */
int ff_cli_load(ff_scene **scene, ff_model **model, const char *path, const ff_cli_list *overrides);

/* Prints the notes of a scene, a line for each with this prefix. */
void ff_cli_say_notes(const ff_scene *scene, const char *prefix, FILE *out);
/* Warns of bodies that overlap initially, a line for each pair with this prefix. */
void ff_cli_warn_intrusions(const ff_model *model, const ff_sim *sim, const char *prefix,
                            FILE *out);

/* Creates a new temporary folder (below TMPDIR, else /tmp); its name is "" on failure. */
enum { FF_CLI_FOLDER = 512 };
ff_status ff_cli_make_folder(char folder[FF_CLI_FOLDER], ff_report *report);

/* Rejects output files that are the same as one another or as an input file: compared by name, and
 * by device and inode. The name "-" is the standard output. */
ff_status ff_cli_check_outputs(const ff_cli_list *written, const ff_cli_list *read,
                               ff_report *report);

/* Writes the page of a recording; source is the name shown to readers; live: with the engine and
 * this scene. */
ff_status ff_cli_write_recording(const ff_recording *recording, const char *source,
                                 const ff_scene *live, const char *path, ff_report *report);
/* Writes the page of a recorded file; source is the name shown to readers. */
ff_status ff_cli_write_page(const char *recorded, const char *source, const ff_scene *live,
                            const char *path, ff_report *report);

/* Writes a page that the program holds (cli/..._page.html) with JSON data in the place of its mark.
 */
ff_status ff_cli_write_template(const char *page, const char *json, const char *path,
                                ff_report *report);

#endif
