/* footfall new KIND: a commented scene to start from. */
#include <argp.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "papers/paper.h"
#include "say.h"

typedef struct new_job {
  const char *kind;
  const char *path; /* NULL: the standard output */
} new_job;

static const struct {
  const char *name, *help;
  const char *beside; /* built-in file that the scene names; NULL: none */
} kinds[] = {
    {"impact", "a ball dropped onto a plate, with laws from materials", NULL},
    {"foot", "a foot on a force plate: volumetric contact, tables of force", NULL},
    {"robot", "a robot from a URDF file on a floor, held by servos, pushed",
     "scenes/robots/quadruped.urdf"},
    {"pile", "bodies of several shapes that fall onto each other", NULL},
};
enum { KIND_COUNT = sizeof kinds / sizeof *kinds };

static error_t new_parse(int key, char *value, struct argp_state *state) {
  new_job *job = state->input;
  switch (key) {
    case 'o': job->path = value; return 0;
    case ARGP_KEY_ARG:
      if (job->kind) {
        argp_error(state, "one kind of scene at a time");
      }
      job->kind = value;
      return 0;
    case ARGP_KEY_END:
      if (!job->kind) {
        argp_error(state, "expected a kind of scene: impact, foot, robot or pile");
      }
      return 0;
    default: return ARGP_ERR_UNKNOWN;
  }
}

static const struct argp_option options[] = {
    {"output", 'o', "FILE", 0, "write the scene to FILE, which must not exist; default: print it",
     0},
    {0},
};

static const struct argp parser = {
    .options = options,
    .parser = new_parse,
    .args_doc = "impact|foot|robot|pile",
    .doc = "Writes a commented scene to start from. With `robot` and -o, the robot's URDF file is "
           "written beside the scene.\v"
           "Examples:\n"
           "  footfall new impact -o impact.yaml\n"
           "  footfall new robot -o robot.yaml && footfall run robot.yaml\n" FF_CLI_EXITS};

static const char *builtin_text(const char *path) {
  for (int i = 0; i < ff_builtin_count; i++) {
    if (strcmp(ff_builtins[i].path, path) == 0) {
      return ff_builtins[i].text;
    }
  }
  return "";
}

/* Writes a new file; an existing one is not overwritten. */
static int new_write(const char *path, const char *text) {
  FILE *file = fopen(path, "wx");
  bool written = file && fputs(text, file) >= 0;
  written = file && fclose(file) == 0 && written;
  if (!written) {
    ff_report report = {0};
    snprintf(report.file, sizeof report.file, "%s", path);
    snprintf(report.what, sizeof report.what, "cannot be written: %s", strerror(errno));
    return ff_cli_fail(FF_ERROR_INPUT, &report);
  }
  ff_cli_say(stderr, "wrote %s\n", path);
  return FF_EXIT_GOOD;
}

/* Writes a built-in file into the folder of the scene, under its own name. */
static int new_write_beside(const char *scene, const char *builtin) {
  const char *slash = strrchr(scene, '/');
  int folder = slash ? (int)(slash - scene) + 1 : 0;
  size_t size = strlen(scene) + strlen(builtin) + 1;
  char *path = ff_cli_alloc((int)size, 1);
  snprintf(path, size, "%.*s%s", folder, scene, strrchr(builtin, '/') + 1);
  FILE *there = fopen(path, "r");
  int code = FF_EXIT_GOOD;
  if (there) {
    fclose(there); /* from an earlier call */
  } else {
    code = new_write(path, builtin_text(builtin));
  }
  free(path);
  return code;
}

int ff_cli_new(int argc, char **argv) {
  new_job job = {0};
  ff_cli_parse(&parser, argc, argv, &job);
  const char *names[KIND_COUNT];
  for (int i = 0; i < KIND_COUNT; i++) {
    names[i] = kinds[i].name;
    if (strcmp(job.kind, kinds[i].name) == 0) {
      char builtin[64];
      snprintf(builtin, sizeof builtin, "cli/templates/%s.yaml", kinds[i].name);
      const char *text = builtin_text(builtin);
      if (!job.path) {
        fputs(text, stdout);
        return FF_EXIT_GOOD;
      }
      int code = new_write(job.path, text);
      return code == FF_EXIT_GOOD && kinds[i].beside ? new_write_beside(job.path, kinds[i].beside)
                                                     : code;
    }
  }
  ff_report report = {0};
  return ff_cli_fail(ff_report_unknown(&report, "kind of scene", job.kind, names, KIND_COUNT),
                     &report);
}
