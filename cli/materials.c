/* footfall materials: the built-in materials. */
#include <argp.h>

#include "cli.h"
#include "json.h"

typedef struct materials_job {
  bool json, markdown;
} materials_job;

static error_t materials_parse(int key, char *value, struct argp_state *state) {
  (void)value;
  materials_job *job = state->input;
  switch (key) {
    case 'j': job->json = true; return 0;
    case 'm': job->markdown = true; return 0;
    case ARGP_KEY_ARG: argp_error(state, "no arguments are expected"); return 0;
    default: return ARGP_ERR_UNKNOWN;
  }
}

static const struct argp_option options[] = {
    {"json", 'j', NULL, 0, "print as JSON", 0},
    {"markdown", 'm', NULL, 0, "print the table as docs/materials.md has it", 0},
    {0},
};

static const struct argp parser = {
    .options = options,
    .parser = materials_parse,
    .doc = "Lists the built-in materials, which every scene may use by name (material: steel): "
           "Young's modulus, Poisson's ratio, density, Hunt-Crossley dissipation, friction "
           "coefficients of a dry pair of the same material, and sources.\v"
           "Examples:\n"
           "  footfall materials\n"
           "  footfall materials --json\n" FF_CLI_EXITS};

static void materials_print_text(void) {
  printf("%-10s %9s %7s %7s %11s %9s %10s  %s\n", "name", "young", "poisson", "density",
         "dissipation", "mu_static", "mu_kinetic", "source");
  printf("%-10s %9s %7s %7s %11s %9s %10s\n", "", "Pa", "1", "kg/m^3", "s/m", "1", "1");
  for (int i = 0; i < ff_material_library_count(); i++) {
    ff_material_entry entry = ff_material_library_at(i);
    const ff_material_def *def = &entry.def;
    printf("%-10s %9.3g %7.3g %7.4g %11.3g %9.3g %10.3g  %s\n", def->name, def->young, def->poisson,
           def->density, def->dissipation, def->mu_static, def->mu_kinetic, entry.source);
  }
}

static void materials_print_markdown(void) {
  printf("| name | Young's modulus (Pa) | Poisson's ratio | density (kg/m³) | dissipation (s/m) | "
         "μ static | μ kinetic | source |\n|---|---|---|---|---|---|---|---|\n");
  for (int i = 0; i < ff_material_library_count(); i++) {
    ff_material_entry entry = ff_material_library_at(i);
    const ff_material_def *def = &entry.def;
    printf("| `%s` | %.3g | %.3g | %.4g | %.3g | %.3g | %.3g | %s |\n", def->name, def->young,
           def->poisson, def->density, def->dissipation, def->mu_static, def->mu_kinetic,
           entry.source);
  }
}

static void materials_print_json(void) {
  ff_json json = {.out = stdout};
  ff_json_open(&json, NULL, '[');
  for (int i = 0; i < ff_material_library_count(); i++) {
    ff_material_entry entry = ff_material_library_at(i);
    ff_json_open(&json, NULL, '{');
    ff_json_text(&json, "name", entry.def.name);
    ff_json_number(&json, "young", entry.def.young);
    ff_json_number(&json, "poisson", entry.def.poisson);
    ff_json_number(&json, "density", entry.def.density);
    ff_json_number(&json, "dissipation", entry.def.dissipation);
    ff_json_number(&json, "mu_static", entry.def.mu_static);
    ff_json_number(&json, "mu_kinetic", entry.def.mu_kinetic);
    ff_json_text(&json, "source", entry.source);
    ff_json_close(&json, '}');
  }
  ff_json_close(&json, ']');
}

int ff_cli_materials(int argc, char **argv) {
  materials_job job = {0};
  ff_cli_parse(&parser, argc, argv, &job);
  if (job.json) {
    materials_print_json();
  } else if (job.markdown) {
    materials_print_markdown();
  } else {
    materials_print_text();
  }
  return FF_EXIT_GOOD;
}
