/* footfall steppers: the table of time steppers. */
#include "cli.h"
#include "listing.h"

static const char *order_text(const ff_stepper_info *stepper, char text[32]) {
  snprintf(text, 32, stepper->order > 0 ? "%d" : "controlled", stepper->order);
  return text;
}

static void print_keys(const ff_stepper_info *stepper, const char *quote) {
  for (const char *const *key = stepper->keys; *key; key++) {
    printf("%s%s%s%s", key == stepper->keys ? "" : ", ", quote, *key, quote);
  }
}

static void steppers_print_text(int index) {
  const ff_stepper_info *stepper = ff_stepper_at(index);
  char order[32], allowed[FF_NUMBER_SIZE];
  printf("%-18s %s\n%19sorder %s, energy residual allowed %s, %s\n%19skeys ", stepper->name,
         stepper->summary, "", order_text(stepper, order),
         ff_number_text(stepper->energy_tolerance, allowed), stepper->citation, "");
  print_keys(stepper, "");
  printf("\n");
}

static void steppers_print_markdown(int index) {
  const ff_stepper_info *stepper = ff_stepper_at(index);
  char order[32], allowed[FF_NUMBER_SIZE];
  printf("| `%s` | %s | %s | ", stepper->name, order_text(stepper, order), stepper->summary);
  print_keys(stepper, "`");
  printf(" | %s | [%s] |\n", ff_number_text(stepper->energy_tolerance, allowed), stepper->citation);
}

static void steppers_print_json(ff_json *json, int index) {
  const ff_stepper_info *stepper = ff_stepper_at(index);
  ff_json_text(json, "name", stepper->name);
  ff_json_text(json, "summary", stepper->summary);
  ff_json_text(json, "citation", stepper->citation);
  ff_json_whole(json, "order", stepper->order);
  ff_json_open(json, "keys", '[');
  for (const char *const *key = stepper->keys; *key; key++) {
    ff_json_text(json, NULL, *key);
  }
  ff_json_close(json, ']');
  ff_json_number(json, "energy_tolerance", stepper->energy_tolerance);
  ff_json_flag(json, "fixed_step", stepper->fixed_step);
  ff_json_flag(json, "evaluates_forces", stepper->contacts == FF_CONTACTS_BY_FORCE);
  ff_json_flag(json, "keeps_constraints", stepper->keeps_constraints);
}

int ff_cli_steppers(int argc, char **argv) {
  static const ff_listing listing = {
      .doc = "Lists the time steppers with their order, the keys of `stepper` that each reads, the "
             "energy residual it is allowed, and its source.\v"
             "Examples:\n"
             "  footfall steppers\n"
             "  footfall steppers --json\n" FF_CLI_EXITS,
      .page = "steppers.md",
      .text_head = "",
      .markdown_head =
          "| `stepper.kind` | order | method | keys | `audit.energy-tolerance` | source |\n"
          "|---|---|---|---|---|---|\n",
      .count = ff_stepper_count,
      .print_text = steppers_print_text,
      .print_markdown = steppers_print_markdown,
      .print_json = steppers_print_json};
  return ff_cli_list_table(&listing, argc, argv);
}
