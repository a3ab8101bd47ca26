/* footfall materials: the built-in materials. */
#include "cli.h"
#include "listing.h"

static void materials_print_text(int index) {
  ff_material_entry entry = ff_material_library_at(index);
  const ff_material_def *def = &entry.def;
  printf("%-10s %9.3g %7.3g %7.4g %11.3g %9.3g %10.3g  %s\n", def->name, def->young, def->poisson,
         def->density, def->dissipation, def->mu_static, def->mu_kinetic, entry.source);
}

static void materials_print_markdown(int index) {
  ff_material_entry entry = ff_material_library_at(index);
  const ff_material_def *def = &entry.def;
  printf("| `%s` | %.3g | %.3g | %.4g | %.3g | %.3g | %.3g | %s |\n", def->name, def->young,
         def->poisson, def->density, def->dissipation, def->mu_static, def->mu_kinetic,
         entry.source);
}

static void materials_print_json(ff_json *json, int index) {
  ff_material_entry entry = ff_material_library_at(index);
  ff_json_text(json, "name", entry.def.name);
  ff_json_number(json, "young", entry.def.young);
  ff_json_number(json, "poisson", entry.def.poisson);
  ff_json_number(json, "density", entry.def.density);
  ff_json_number(json, "dissipation", entry.def.dissipation);
  ff_json_number(json, "mu_static", entry.def.mu_static);
  ff_json_number(json, "mu_kinetic", entry.def.mu_kinetic);
  ff_json_text(json, "source", entry.source);
}

int ff_cli_materials(int argc, char **argv) {
  static const ff_listing listing = {
      .doc = "Lists the built-in materials, which every scene may use by name (material: steel): "
             "Young's modulus, Poisson's ratio, density, Hunt-Crossley dissipation, friction "
             "coefficients of a dry pair of the same material, and sources.\v"
             "Examples:\n"
             "  footfall materials\n"
             "  footfall materials --json\n" FF_CLI_EXITS,
      .page = "materials.md",
      .text_head = "name           young poisson density dissipation mu_static mu_kinetic  source\n"
                   "                  Pa       1  kg/m^3         s/m         1          1\n",
      .markdown_head =
          "| name | Young's modulus (Pa) | Poisson's ratio | density (kg/m³) | dissipation (s/m) | "
          "μ static | μ kinetic | source |\n|---|---|---|---|---|---|---|---|\n",
      .count = ff_material_library_count,
      .print_text = materials_print_text,
      .print_markdown = materials_print_markdown,
      .print_json = materials_print_json};
  return ff_cli_list_table(&listing, argc, argv);
}
