/* footfall channels: what a run can record. */
#include "cli.h"
#include "listing.h"

static void channels_print_text(int index) {
  ff_channel channel = ff_channel_pattern(index);
  printf("%-40s %-9s %-10s %s\n", channel.name, channel.unit, channel.frame, channel.meaning);
}

static void channels_print_markdown(int index) {
  ff_channel channel = ff_channel_pattern(index);
  printf("| `%s` | %s | %s | %s |\n", channel.name, channel.unit, channel.frame, channel.meaning);
}

static void channels_print_json(ff_json *json, int index) {
  ff_channel channel = ff_channel_pattern(index);
  ff_json_text(json, "name", channel.name);
  ff_json_text(json, "unit", channel.unit);
  ff_json_text(json, "frame", channel.frame);
  ff_json_text(json, "meaning", channel.meaning);
}

int ff_cli_channels(int argc, char **argv) {
  static const ff_listing listing = {
      .doc = "Lists all channels that runs can record, with unit, frame and meaning. Those of one "
             "scene: footfall check SCENE --channels.\v"
             "Examples:\n"
             "  footfall channels\n"
             "  footfall channels --json\n" FF_CLI_EXITS,
      .page = "recordings.md",
      .text_head = "",
      .markdown_head = "| channel | unit | frame | meaning |\n|---|---|---|---|\n",
      .count = ff_channel_pattern_count,
      .print_text = channels_print_text,
      .print_markdown = channels_print_markdown,
      .print_json = channels_print_json};
  return ff_cli_list_table(&listing, argc, argv);
}
