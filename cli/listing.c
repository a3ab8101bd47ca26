#include "listing.h"

#include <argp.h>

#include "cli.h"

typedef enum listing_form { AS_TEXT, AS_JSON, AS_MARKDOWN } listing_form;

static error_t listing_parse(int key, char *value, struct argp_state *state) {
  (void)value;
  listing_form *form = state->input;
  switch (key) {
    case 'j': *form = AS_JSON; return 0;
    case 'm': *form = AS_MARKDOWN; return 0;
    case ARGP_KEY_ARG: argp_error(state, "no arguments are expected"); return 0;
    default: return ARGP_ERR_UNKNOWN;
  }
}

static void listing_print_json(const ff_listing *listing) {
  ff_json json = {.out = stdout};
  ff_json_open(&json, NULL, '[');
  for (int i = 0; i < listing->count(); i++) {
    ff_json_open(&json, NULL, '{');
    listing->print_json(&json, i);
    ff_json_close(&json, '}');
  }
  ff_json_close(&json, ']');
}

int ff_cli_list_table(const ff_listing *listing, int argc, char **argv) {
  char markdown[128];
  snprintf(markdown, sizeof markdown, "print the table as docs/%s has it", listing->page);
  const struct argp_option options[] = {
      {"json", 'j', NULL, 0, "print as JSON", 0},
      {"markdown", 'm', NULL, 0, markdown, 0},
      {0},
  };
  const struct argp parser = {.options = options, .parser = listing_parse, .doc = listing->doc};
  listing_form form = AS_TEXT;
  ff_cli_parse(&parser, argc, argv, &form);
  if (form == AS_JSON) {
    listing_print_json(listing);
    return FF_EXIT_GOOD;
  }
  fputs(form == AS_MARKDOWN ? listing->markdown_head : listing->text_head, stdout);
  for (int i = 0; i < listing->count(); i++) {
    (form == AS_MARKDOWN ? listing->print_markdown : listing->print_text)(i);
  }
  return FF_EXIT_GOOD;
}
