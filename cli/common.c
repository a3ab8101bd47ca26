/* Functions shared by the verbs. */
#include "cli.h"
#include "say.h"

#include <argp.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

void ff_cli_parse(const struct argp *parser, int argc, char **argv, void *job) {
  int error = argp_parse(parser, argc, argv, 0, NULL, job);
  if (error != 0) {
    exit(ff_cli_fail(error == ENOMEM ? FF_ERROR_MEMORY : FF_ERROR_INPUT, NULL));
  }
}

void *ff_cli_alloc(int count, size_t size) {
  void *block = calloc(count > 0 ? (size_t)count : 1, size);
  if (!block) {
    exit(ff_cli_fail(FF_ERROR_MEMORY, NULL));
  }
  return block;
}

void ff_cli_list_add(ff_cli_list *list, const char *item) {
  const char **grown = realloc(list->items, ((size_t)list->count + 1) * sizeof *grown);
  if (!grown) {
    exit(ff_cli_fail(FF_ERROR_MEMORY, NULL));
  }
  list->items = grown;
  list->items[list->count++] = item;
}

void ff_cli_list_free(ff_cli_list *list) {
  free(list->items);
  *list = (ff_cli_list){0};
}

int ff_cli_fail(ff_status status, const ff_report *report) {
  char text[4096] = "";
  if (status == FF_ERROR_FILE && report && strcmp(report->file, "-") == 0 &&
      ff_cli_reader_has_gone()) {
    return FF_EXIT_FAILED;
  }
  if (report && report->what[0]) {
    ff_report_text(report, text, sizeof text);
  }
  ff_cli_set_style(stderr, FF_STYLE_BAD);
  fputs("footfall:", stderr);
  ff_cli_set_style(stderr, FF_STYLE_PLAIN);
  ff_cli_say(stderr, " %s\n", text[0] ? text : ff_status_text(status));
  return status == FF_ERROR_INPUT ? FF_EXIT_INPUT : FF_EXIT_FAILED;
}

int ff_cli_fail_reading(ff_status status, const ff_report *report) {
  int code = ff_cli_fail(status, report);
  return status == FF_ERROR_FILE ? FF_EXIT_INPUT : code;
}

bool ff_cli_resolves(const ff_run_def *run) {
  const ff_stepper_info *stepper = ff_stepper_find(run->stepper.kind);
  return stepper->fixed_step && stepper->contacts == FF_CONTACTS_BY_FORCE;
}

int ff_cli_load(ff_scene **scene, ff_model **model, const char *path,
                const ff_cli_list *overrides) {
  ff_report report = {0};
  *model = NULL;
  ff_status status = ff_scene_load(scene, path, overrides->items, overrides->count, &report);
  if (status == FF_OK) {
    status = ff_model_build(model, *scene, &report);
  }
  return status == FF_OK ? FF_EXIT_GOOD : ff_cli_fail_reading(status, &report);
}

void ff_cli_say_notes(const ff_scene *scene, const char *prefix, FILE *out) {
  for (int i = 0; scene && i < ff_scene_note_count(scene); i++) {
    ff_cli_say(out, "%s%s\n", prefix, ff_scene_note(scene, i));
  }
}

void ff_cli_warn_intrusions(const ff_model *model, const ff_sim *sim, const char *prefix,
                            FILE *out) {
  enum { MOST = 5 };
  ff_intrusion pairs[MOST];
  int count = ff_sim_intrusions(sim, pairs, MOST);
  for (int i = 0; i < count && i < MOST; i++) {
    const ff_intrusion *pair = &pairs[i];
    ff_cli_say(out, "%s%s and %s initially overlap by %.3g m", prefix,
               ff_model_body_name(model, pair->a), ff_model_body_name(model, pair->b), pair->depth);
    if (pair->core > 0) {
      ff_cli_say(out, ", %.3g m of it beyond their layer (max_deflection)", pair->core);
    } else {
      ff_cli_say(out, ", which stores %.3g J in their contact", pair->energy);
    }
    fputs(", and will separate violently: move them apart\n", out);
  }
  if (count > MOST) {
    ff_cli_say(out, "%s%d more pairs overlap\n", prefix, count - MOST);
  }
}

ff_status ff_cli_make_folder(char folder[FF_CLI_FOLDER], ff_report *report) {
  const char *base = getenv("TMPDIR");
  base = base && base[0] ? base : "/tmp";
  errno = ENAMETOOLONG;
  int length = snprintf(folder, FF_CLI_FOLDER, "%s/footfall-XXXXXX", base);
  if (length < FF_CLI_FOLDER && mkdtemp(folder)) {
    return FF_OK;
  }
  folder[0] = '\0';
  snprintf(report->what, sizeof report->what, "cannot make a temporary folder in %.200s: %s", base,
           strerror(errno));
  return FF_ERROR_FILE;
}
