/* footfall findings: the kinds of findings that a verdict is made of. */
#include "cli.h"
#include "listing.h"

static int findings_count(void) {
  return FF_FINDING_COUNT;
}

static const char *findings_severity(const ff_finding_info *info) {
  return info->failure ? "failure" : "note";
}

static void findings_print_text(int index) {
  ff_finding_info info = ff_finding_describe((ff_finding_kind)index);
  printf("%-20s %s: %s\n", info.name, findings_severity(&info), info.meaning);
  if (info.limit[0]) {
    printf("%21slimit: %s\n", "", info.limit);
  }
  if (info.advice[0]) {
    printf("%21s%s\n", "", info.advice);
  }
}

static void findings_print_markdown(int index) {
  ff_finding_info info = ff_finding_describe((ff_finding_kind)index);
  printf("| %s | %s | %s | %s | %s | %s |\n", info.name, findings_severity(&info), info.meaning,
         info.limit, info.unit, info.advice);
}

static void findings_print_json(ff_json *json, int index) {
  ff_finding_info info = ff_finding_describe((ff_finding_kind)index);
  ff_json_text(json, "kind", info.name);
  ff_json_text(json, "severity", findings_severity(&info));
  ff_json_text(json, "unit", info.unit);
  ff_json_text(json, "limit", info.limit);
  ff_json_text(json, "meaning", info.meaning);
  ff_json_text(json, "advice", info.advice);
}

int ff_cli_findings(int argc, char **argv) {
  static const ff_listing listing = {
      .doc =
          "Lists the findings that the verdict of a run is made of: failures, any of which makes "
          "it not good, and notes.\v"
          "Examples:\n"
          "  footfall findings\n"
          "  footfall findings --json\n" FF_CLI_EXITS,
      .page = "verdict.md",
      .text_head = "",
      .markdown_head = "| kind | severity | meaning | limit | unit | advice |\n"
                       "|---|---|---|---|---|---|\n",
      .count = findings_count,
      .print_text = findings_print_text,
      .print_markdown = findings_print_markdown,
      .print_json = findings_print_json};
  return ff_cli_list_table(&listing, argc, argv);
}
