/* footfall channels: what a run can record. */
#include <argp.h>

#include "cli.h"

static error_t parse(int key, char *value, struct argp_state *state) {
  (void)value;
  bool *markdown = state->input;
  switch (key) {
    case 'm': *markdown = true; return 0;
    case ARGP_KEY_ARG: argp_error(state, "no arguments are expected"); return 0;
    default: return ARGP_ERR_UNKNOWN;
  }
}

static const struct argp_option options[] = {
    {"markdown", 'm', NULL, 0, "print the table as docs/recordings.md has it", 0},
    {0},
};

static const struct argp parser = {
    .options = options,
    .parser = parse,
    .doc = "Lists all channels that runs can record, with unit, frame and meaning. Those of one "
           "scene: footfall check SCENE --channels.\v"
           "Examples:\n"
           "  footfall channels\n" FF_CLI_EXITS};

int ff_cli_channels(int argc, char **argv) {
  bool markdown = false;
  if (argp_parse(&parser, argc, argv, 0, NULL, &markdown) != 0) {
    return FF_EXIT_INPUT;
  }
  if (markdown) {
    printf("| channel | unit | frame | meaning |\n|---|---|---|---|\n");
  }
  for (int i = 0; i < ff_channel_pattern_count(); i++) {
    ff_channel channel = ff_channel_pattern(i);
    printf(markdown ? "| `%s` | %s | %s | %s |\n" : "%-40s %-9s %-10s %s\n", channel.name,
           channel.unit, channel.frame, channel.meaning);
  }
  return FF_EXIT_GOOD;
}
