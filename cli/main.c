/* footfall VERB ...: dispatches to the verb. */
#include <argp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "say.h"

typedef struct verb {
  const char *name;
  int (*run)(int argc, char **argv);
  const char *help;
} verb;

static const verb verbs[] = {
    {"run", ff_cli_run, "run a scene: motion, contact forces, energy ledger, verdict"},
    {"check", ff_cli_check, "resolve a scene and print everything with units"},
    {"new", ff_cli_new, "write a commented scene to start from"},
    {"laws", ff_cli_laws, "list the contact and friction laws, or describe one"},
    {"materials", ff_cli_materials, "list the built-in materials"},
    {"steppers", ff_cli_steppers, "list the time steppers"},
    {"findings", ff_cli_findings, "list what the verdict of a run is made of"},
    {"channels", ff_cli_channels, "list what runs can record"},
    {"impact", ff_cli_impact, "one impact under a law, over speeds; or design one"},
    {"volume", ff_cli_volume, "overlap of a shape with a half-space: volume, second moments"},
    {"paper", ff_cli_paper, "reproduce a paper: its figures, and its claims against results"},
    {"sweep", ff_cli_sweep, "run a scene many times with values varied, on all cores or machines"},
    {"fit", ff_cli_fit, "fit parameters of a scene to measurements, and compare laws"},
    {"view", ff_cli_view, "make a page of a recording: replay, plots, ledger"},
};
enum { VERB_COUNT = sizeof verbs / sizeof *verbs };

static void print_help(FILE *out) {
  fputs("Usage: footfall VERB [ARGUMENT...]\n"
        "Contact dynamics with published laws and an energy ledger.\n\n",
        out);
  for (int i = 0; i < VERB_COUNT; i++) {
    ff_cli_say(out, "  %-9s %s\n", verbs[i].name, verbs[i].help);
  }
  fputs("\n  footfall help VERB     describes a verb, as footfall VERB --help does\n"
        "  footfall --version     prints the version\n" FF_CLI_EXITS "\n",
        out);
}

static int unknown_verb(const char *word) {
  const char *names[VERB_COUNT];
  for (int i = 0; i < VERB_COUNT; i++) {
    names[i] = verbs[i].name;
  }
  ff_report report;
  ff_status status = ff_report_unknown(&report, "verb", word, names, VERB_COUNT);
  return ff_cli_fail(status, &report);
}

static bool is_one_of(const char *word, const char *a, const char *b) {
  return strcmp(word, a) == 0 || strcmp(word, b) == 0;
}

/* `help VERB` and `VERB ... -h` are `VERB --help`. Returns the number of words. */
static int spell_help(int argc, char **argv) {
  static char help[] = "--help";
  if (strcmp(argv[1], "help") == 0 && argc > 2) {
    argv[1] = argv[2];
    argv[2] = help;
    return 3;
  }
  for (int i = 2; i < argc && strcmp(argv[i], "--") != 0; i++) {
    argv[i] = strcmp(argv[i], "-h") == 0 ? help : argv[i];
  }
  return argc;
}

static int dispatch(int argc, char **argv) {
  if (argc < 2) {
    print_help(stderr);
    return FF_EXIT_INPUT;
  }
  argc = spell_help(argc, argv);
  if (is_one_of(argv[1], "--help", "-h") || strcmp(argv[1], "help") == 0) {
    print_help(stdout);
    return FF_EXIT_GOOD;
  }
  if (is_one_of(argv[1], "--version", "-V")) {
    ff_cli_say(stdout, "footfall %s\n", ff_version());
    return FF_EXIT_GOOD;
  }
  for (int i = 0; i < VERB_COUNT; i++) {
    if (strcmp(argv[1], verbs[i].name) == 0) {
      char name[32];
      snprintf(name, sizeof name, "footfall %s", verbs[i].name);
      argv[1] = name; /* program name for argp */
      return verbs[i].run(argc - 1, argv + 1);
    }
  }
  return unknown_verb(argv[1]);
}

int main(int argc, char **argv) {
  argp_err_exit_status = FF_EXIT_INPUT;
  signal(SIGPIPE, SIG_IGN); /* a closed pipe is a failed write, not the end */
  int code = dispatch(argc, argv);
  if ((fflush(stdout) != 0 || ferror(stdout)) && !ff_cli_reader_has_gone()) {
    perror("footfall: standard output");
    return code == FF_EXIT_GOOD ? FF_EXIT_FAILED : code;
  }
  return code;
}
