/* footfall findings: the kinds of findings that a verdict is made of. */
#include <argp.h>

#include "cli.h"
#include "json.h"

typedef enum findings_form { AS_TEXT, AS_JSON, AS_MARKDOWN } findings_form;

static error_t findings_parse(int key, char *value, struct argp_state *state) {
  (void)value;
  findings_form *form = state->input;
  switch (key) {
    case 'j': *form = AS_JSON; return 0;
    case 'm': *form = AS_MARKDOWN; return 0;
    case ARGP_KEY_ARG: argp_error(state, "no arguments are expected"); return 0;
    default: return ARGP_ERR_UNKNOWN;
  }
}

static const struct argp_option options[] = {
    {"json", 'j', NULL, 0, "print as JSON", 0},
    {"markdown", 'm', NULL, 0, "print the table as docs/verdict.md has it", 0},
    {0},
};

static const struct argp parser = {
    .options = options,
    .parser = findings_parse,
    .doc = "Lists the findings that the verdict of a run is made of: failures, any of which makes "
           "it not good, and notes.\v"
           "Examples:\n"
           "  footfall findings\n"
           "  footfall findings --json\n" FF_CLI_EXITS};

static void findings_print_json(ff_json *json, const ff_finding_info *info) {
  ff_json_open(json, NULL, '{');
  ff_json_text(json, "kind", info->name);
  ff_json_text(json, "severity", info->failure ? "failure" : "note");
  ff_json_text(json, "unit", info->unit);
  ff_json_text(json, "limit", info->limit);
  ff_json_text(json, "meaning", info->meaning);
  ff_json_text(json, "advice", info->advice);
  ff_json_close(json, '}');
}

static void findings_print(const ff_finding_info *info, findings_form form, ff_json *json) {
  const char *severity = info->failure ? "failure" : "note";
  if (form == AS_JSON) {
    findings_print_json(json, info);
  } else if (form == AS_MARKDOWN) {
    printf("| %s | %s | %s | %s | %s | %s |\n", info->name, severity, info->meaning, info->limit,
           info->unit, info->advice);
  } else {
    printf("%-20s %s: %s\n", info->name, severity, info->meaning);
    if (info->limit[0]) {
      printf("%21slimit: %s\n", "", info->limit);
    }
    if (info->advice[0]) {
      printf("%21s%s\n", "", info->advice);
    }
  }
}

int ff_cli_findings(int argc, char **argv) {
  findings_form form = AS_TEXT;
  if (argp_parse(&parser, argc, argv, 0, NULL, &form) != 0) {
    return FF_EXIT_INPUT;
  }
  ff_json json = {.out = stdout};
  if (form == AS_JSON) {
    ff_json_open(&json, NULL, '[');
  } else if (form == AS_MARKDOWN) {
    printf("| kind | severity | meaning | limit | unit | advice |\n|---|---|---|---|---|---|\n");
  }
  for (int kind = 0; kind < FF_FINDING_COUNT; kind++) {
    ff_finding_info info = ff_finding_describe((ff_finding_kind)kind);
    findings_print(&info, form, &json);
  }
  if (form == AS_JSON) {
    ff_json_close(&json, ']');
  }
  return FF_EXIT_GOOD;
}
