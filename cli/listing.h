/* Verbs that list a table of the library: as text, JSON or Markdown. */
#ifndef FF_CLI_LISTING_H
#define FF_CLI_LISTING_H

#include "json.h"

typedef struct ff_listing {
  const char *doc;           /* --help, with examples */
  const char *page;          /* of docs/ that has the table */
  const char *text_head;     /* first lines as text; "": none */
  const char *markdown_head; /* names of the columns and the line below them */
  int (*count)(void);
  void (*print_text)(int index);
  void (*print_markdown)(int index);
  void (*print_json)(ff_json *json, int index); /* members of an object */
} ff_listing;

/* Parses the arguments and prints the table. Returns an exit code. */
int ff_cli_list_table(const ff_listing *listing, int argc, char **argv);

#endif
