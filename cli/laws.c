/* footfall laws [NAME]: lists the laws, or prints everything about one. */
#include <argp.h>
#include <math.h>
#include <string.h>

#include "cli.h"
#include "json.h"

typedef struct laws_job {
  const char *name; /* NULL: all laws */
  bool json, markdown;
} laws_job;

/* ---- arguments ------------------------------------------------------------------------------- */

static error_t laws_parse(int key, char *value, struct argp_state *state) {
  laws_job *job = state->input;
  switch (key) {
    case 'j': job->json = true; return 0;
    case 'm': job->markdown = true; return 0;
    case ARGP_KEY_ARG:
      if (job->name) {
        argp_error(state, "one law at a time");
      }
      job->name = value;
      return 0;
    case ARGP_KEY_END:
      if (job->markdown && (job->json || !job->name)) {
        argp_error(state, "--markdown is the parameter table of one law: footfall laws NAME "
                          "--markdown");
      }
      return 0;
    default: return ARGP_ERR_UNKNOWN;
  }
}

static const struct argp_option options[] = {
    {"json", 'j', NULL, 0, "print as JSON", 0},
    {"markdown", 'm', NULL, 0,
     "print the parameter table of one law in the format of its docs page", 0},
    {0},
};

static const struct argp parser = {
    .options = options,
    .parser = laws_parse,
    .args_doc = "[NAME]",
    .doc = "Lists the contact and friction laws, or describes one of them: its parameters "
           "with symbol, unit, default, range and meaning, its source, and the published numbers "
           "it reproduces.\v"
           "Examples:\n"
           "  footfall laws\n"
           "  footfall laws hunt-crossley\n"
           "  footfall laws coulomb --json\n" FF_CLI_EXITS};

/* ---- text ------------------------------------------------------------------------------------ */

static const char *const kinds[] = {[FF_LAW_NORMAL] = "normal", [FF_LAW_FRICTION] = "friction"};

static const char *laws_default_text(const ff_param *param, char number[FF_NUMBER_SIZE]) {
  if (isnan(param->fallback)) {
    return param->otherwise ? param->otherwise : "must be given";
  }
  return ff_number_text(param->fallback, number);
}

enum { RANGE_SIZE = 2 * FF_NUMBER_SIZE + 16 };

static const char *laws_range_text(const ff_param *param, char text[RANGE_SIZE]) {
  char low[FF_NUMBER_SIZE], high[FF_NUMBER_SIZE];
  ff_number_text(param->min, low);
  ff_number_text(param->max, high);
  if (param->kind == FF_PARAM_FLAG) {
    snprintf(text, RANGE_SIZE, "0 or 1");
  } else if (isfinite(param->max)) {
    snprintf(text, RANGE_SIZE, "%s%s to %s", param->open_min ? "above " : "", low, high);
  } else {
    snprintf(text, RANGE_SIZE, "%s %s", param->open_min ? ">" : ">=", low);
  }
  return text;
}

/* Prints text padded to width; a Greek letter is two bytes but one column. */
static void laws_print_column(const char *text, int width) {
  for (const char *c = text; *c; c++) {
    width -= (*c & 0xC0) != 0x80;
  }
  printf("%s%*s", text, width > 0 ? width : 0, "");
}

/* ---- text output ----------------------------------------------------------------------------- */

static void laws_print_list(void) {
  for (int i = 0; i < ff_law_count(); i++) {
    const ff_law *law = ff_law_at(i);
    printf("%-18s %-9s %-60s %s\n", law->name, kinds[law->kind], law->summary,
           law->citation[0] ? law->citation : "-");
  }
}

static void laws_print_param(const ff_param *param) {
  char number[FF_NUMBER_SIZE], range[RANGE_SIZE];
  printf("  ");
  laws_print_column(param->name, 18);
  laws_print_column(param->symbol, 5);
  laws_print_column(param->unit, 11);
  laws_print_column(laws_range_text(param, range), 10);
  printf("%s\n%46sdefault: %s\n", param->meaning, "", laws_default_text(param, number));
}

static void laws_print_published(const ff_published *row) {
  char mass[FF_NUMBER_SIZE], speed[FF_NUMBER_SIZE], value[FF_NUMBER_SIZE];
  printf("  %-14s = %-13s %s, mass %s kg, speed %s m/s  %s\n", row->quantity,
         ff_number_text(row->value, value), row->settings, ff_number_text(row->mass, mass),
         ff_number_text(row->speed, speed), row->source);
}

static void laws_print_law(const ff_law *law) {
  printf("%s (%s law): %s\n", law->name, kinds[law->kind], law->summary);
  if (law->citation[0]) {
    printf("source: [%s]\n", law->citation);
  }
  printf("\nparameters%s\n", law->params_count ? "" : ": none");
  for (int i = 0; i < law->params_count; i++) {
    laws_print_param(&law->params[i]);
  }
  if (law->published_count) {
    printf("\npublished numbers it reproduces\n");
  }
  for (int i = 0; i < law->published_count; i++) {
    laws_print_published(&law->published[i]);
  }
}

/* The table between the marks of docs/laws/NAME.md. */
static void laws_print_markdown(const ff_law *law) {
  if (law->params_count == 0) {
    printf("This law has no parameters.\n");
    return;
  }
  printf("| name | symbol | unit | default | range | meaning |\n|---|---|---|---|---|---|\n");
  for (int i = 0; i < law->params_count; i++) {
    const ff_param *param = &law->params[i];
    char number[FF_NUMBER_SIZE], range[RANGE_SIZE];
    printf("| `%s` | %s | %s | %s | %s | %s |\n", param->name, param->symbol, param->unit,
           laws_default_text(param, number), laws_range_text(param, range), param->meaning);
  }
}

/* ---- JSON output ----------------------------------------------------------------------------- */

static void laws_json_param(ff_json *json, const ff_param *param) {
  ff_json_open(json, NULL, '{');
  ff_json_text(json, "name", param->name);
  ff_json_text(json, "symbol", param->symbol);
  ff_json_text(json, "unit", param->unit);
  ff_json_number(json, "default", param->fallback);
  ff_json_text(json, "otherwise", param->otherwise);
  ff_json_number(json, "min", param->min);
  ff_json_flag(json, "open_min", param->open_min);
  ff_json_number(json, "max", param->max);
  ff_json_flag(json, "flag", param->kind == FF_PARAM_FLAG);
  ff_json_text(json, "meaning", param->meaning);
  ff_json_close(json, '}');
}

static void laws_json_published(ff_json *json, const ff_published *row) {
  ff_json_open(json, NULL, '{');
  ff_json_text(json, "source", row->source);
  ff_json_text(json, "settings", row->settings);
  ff_json_number(json, "mass", row->mass);
  ff_json_number(json, "speed", row->speed);
  ff_json_text(json, "quantity", row->quantity);
  ff_json_number(json, "value", row->value);
  ff_json_number(json, "tolerance", row->tolerance);
  ff_json_close(json, '}');
}

static void laws_json_law(ff_json *json, const ff_law *law) {
  ff_json_open(json, NULL, '{');
  ff_json_text(json, "name", law->name);
  ff_json_text(json, "kind", kinds[law->kind]);
  ff_json_text(json, "summary", law->summary);
  ff_json_text(json, "citation", law->citation);
  ff_json_open(json, "parameters", '[');
  for (int i = 0; i < law->params_count; i++) {
    laws_json_param(json, &law->params[i]);
  }
  ff_json_close(json, ']');
  ff_json_open(json, "published", '[');
  for (int i = 0; i < law->published_count; i++) {
    laws_json_published(json, &law->published[i]);
  }
  ff_json_close(json, ']');
  ff_json_close(json, '}');
}

static void laws_json_list(ff_json *json) {
  ff_json_open(json, NULL, '[');
  for (int i = 0; i < ff_law_count(); i++) {
    laws_json_law(json, ff_law_at(i));
  }
  ff_json_close(json, ']');
}

/* ---- verb ------------------------------------------------------------------------------------ */

int ff_cli_laws(int argc, char **argv) {
  laws_job job = {0};
  ff_cli_parse(&parser, argc, argv, &job);
  const ff_law *law = NULL;
  ff_report report = {0};
  if (job.name && ff_law_lookup(&law, FF_LAW_ANY, job.name, &report) != FF_OK) {
    return ff_cli_fail(FF_ERROR_INPUT, &report);
  }
  ff_json json = {.out = stdout};
  if (job.json && law) {
    laws_json_law(&json, law);
  } else if (job.json) {
    laws_json_list(&json);
  } else if (job.markdown) {
    laws_print_markdown(law);
  } else if (law) {
    laws_print_law(law);
  } else {
    laws_print_list();
  }
  return FF_EXIT_GOOD;
}
