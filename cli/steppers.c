/* footfall steppers: the table of time steppers. */
#include <argp.h>
#include <string.h>

#include "cli.h"
#include "json.h"

typedef struct steppers_job {
  bool json, markdown;
} steppers_job;

static error_t parse(int key, char *value, struct argp_state *state) {
  (void)value;
  steppers_job *job = state->input;
  switch (key) {
    case 'j': job->json = true; return 0;
    case 'm': job->markdown = true; return 0;
    case ARGP_KEY_ARG: argp_error(state, "no arguments are expected"); return 0;
    default: return ARGP_ERR_UNKNOWN;
  }
}

static const struct argp_option options[] = {
    {"json", 'j', NULL, 0, "print as JSON", 0},
    {"markdown", 'm', NULL, 0, "print the table as docs/steppers.md has it", 0},
    {0},
};

static const struct argp parser = {
    .options = options,
    .parser = parse,
    .doc = "Lists the time steppers with their order, the keys of `stepper` that each reads, the "
           "energy residual it is allowed, and its source.\v"
           "Examples:\n"
           "  footfall steppers\n"
           "  footfall steppers --json\n" FF_CLI_EXITS};

static const char *order_text(const ff_stepper_info *stepper, char text[32]) {
  snprintf(text, 32, stepper->order > 0 ? "%d" : "controlled", stepper->order);
  return text;
}

static void print_keys(const ff_stepper_info *stepper, const char *quote) {
  for (const char *const *key = stepper->keys; *key; key++) {
    printf("%s%s%s%s", key == stepper->keys ? "" : ", ", quote, *key, quote);
  }
}

static void print_text(const ff_stepper_info *stepper) {
  char order[32], allowed[FF_NUMBER_SIZE];
  printf("%-18s %s\n%19sorder %s, energy residual allowed %s, %s\n%19skeys ", stepper->name,
         stepper->summary, "", order_text(stepper, order),
         ff_number_text(stepper->energy_tolerance, allowed), stepper->citation, "");
  print_keys(stepper, "");
  printf("\n");
}

static void print_markdown(const ff_stepper_info *stepper) {
  char order[32], allowed[FF_NUMBER_SIZE];
  printf("| `%s` | %s | %s | ", stepper->name, order_text(stepper, order), stepper->summary);
  print_keys(stepper, "`");
  printf(" | %s | [%s] |\n", ff_number_text(stepper->energy_tolerance, allowed), stepper->citation);
}

static void print_json(ff_json *json, const ff_stepper_info *stepper) {
  ff_json_open(json, NULL, '{');
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
  ff_json_close(json, '}');
}

int ff_cli_steppers(int argc, char **argv) {
  steppers_job job = {0};
  if (argp_parse(&parser, argc, argv, 0, NULL, &job) != 0) {
    return FF_EXIT_INPUT;
  }
  ff_json json = {.out = stdout};
  if (job.json) {
    ff_json_open(&json, NULL, '[');
  } else if (job.markdown) {
    printf("| `stepper.kind` | order | method | keys | `audit.energy-tolerance` | source |\n"
           "|---|---|---|---|---|---|\n");
  }
  for (int i = 0; i < ff_stepper_count(); i++) {
    const ff_stepper_info *stepper = ff_stepper_at(i);
    if (job.json) {
      print_json(&json, stepper);
    } else if (job.markdown) {
      print_markdown(stepper);
    } else {
      print_text(stepper);
    }
  }
  if (job.json) {
    ff_json_close(&json, ']');
  }
  return FF_EXIT_GOOD;
}
