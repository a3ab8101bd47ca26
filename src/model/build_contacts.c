/* Contact rules: which shapes collide, and by which laws with which parameters. A scene without
 * rules has laws from its materials (model/default_contacts.c).
 *
 * Shapes that no rule distinguishes form a class: a thousand equal balls are one class. Rules are
 * resolved once per pair of classes into a binding. */
#include "base/report.h"
#include "geom/manifold.h"
#include "math/vec.h"
#include "model/build.h"

#include <float.h>
#include <stdio.h>
#include <string.h>

enum {
  CLASS_LIMIT = 2048,    /* the class table has CLASS_LIMIT^2 entries */
  BINDING_LIMIT = 65536, /* different resolved contacts */
  PAIR_LIMIT = 1000000,  /* pairs of bodies listed one by one */
  UNSET = FF_NO_RULE,
  APART = FF_APART
};

/* Properties that rules distinguish. */
typedef struct shape_class {
  int group;    /* body index + 1 if a rule names the body, else 0 */
  int material; /* -1: none */
  ff_shape_kind kind;
  double radius; /* m, sphere and capsule; else 0 */
  bool is_free;
  double size;  /* m, half the cube root of the volume; 0: not needed, or a half-space */
  double mass;  /* kg; 0: not needed */
  int shape;    /* index of a representative shape */
  bool several; /* has shapes of several bodies */
} shape_class;

typedef struct binder {
  ff_build *build;
  int *groups; /* of each body */
  shape_class *classes;
  int class_count;
  int *table;
  bool *swapped;
  ff_binding *bindings;
  int binding_count, binding_capacity;
  bool by_default; /* there are no rules: laws follow from materials, masses and shapes */
} binder;

static bool rule_is_any(const char *name) {
  return strcmp(name, "*") == 0;
}

/* Is it the name of a robot, which stands for all its links? */
static bool rule_is_robot(const ff_model *model, const char *name) {
  for (int i = 0; i < model->robot_count; i++) {
    if (strcmp(model->robots[i].name, name) == 0) {
      return true;
    }
  }
  return false;
}

/* Links of one robot collide only with its self-collision enabled, and not across a joint. */
static bool links_excluded(const ff_model *model, int i, int j) {
  const ff_model_body *a = &model->bodies[i], *b = &model->bodies[j];
  if (a->robot < 0 || a->robot != b->robot) {
    return false;
  }
  const ff_model_robot *robot = &model->robots[a->robot];
  return !robot->self_collision || a->rigid == b->rigid ||
         ff_robot_rigid_parent(model, a) == b->rigid || ff_robot_rigid_parent(model, b) == a->rigid;
}

/* ---- classes --------------------------------------------------------------------------------- */

/* Is it the name of a body that others are copies of? */
static bool rule_has_copies(ff_build *build, const char *name) {
  int body = ff_names_find(&build->body_names, name);
  return body >= 0 && body + 1 < build->scene->body_count &&
         build->scene->bodies[body + 1].copy_of == body + 1;
}

/* A body that a rule names is a group of its own, or with its copies. */
static ff_status rule_find_groups(binder *bind) {
  ff_build *build = bind->build;
  bind->groups = ff_arena_take(&build->scratch, (size_t)build->scene->body_count, sizeof(int));
  if (!bind->groups) {
    return FF_ERROR_MEMORY;
  }
  for (int i = 0; i < build->model->body_count; i++) {
    bind->groups[i] = build->bodies[i].robot >= 0 ? i + 1 : 0; /* so is every link */
  }
  for (int i = 0; i < build->scene->contact_count; i++) {
    const ff_contact_def *def = &build->scene->contacts[i];
    const char *names[2] = {def->a, def->b};
    char key[64];
    snprintf(key, sizeof key, "contacts.%d.pair", i);
    for (int k = 0; k < 2; k++) {
      if (names[k] && (rule_is_any(names[k]) || rule_is_robot(build->model, names[k]))) {
        continue;
      }
      int body = ff_build_find_body(build, names[k], key);
      if (body < 0) {
        return FF_ERROR_INPUT;
      }
      bind->groups[body] = body + 1;
    }
    if (strcmp(names[0], names[1]) == 0 && !rule_is_any(names[0]) &&
        !rule_is_robot(build->model, names[0]) && !rule_has_copies(build, names[0])) {
      ff_report_what(build->report, "a body cannot collide with itself");
      ff_report_key(build->report, "%s", key);
      return FF_ERROR_INPUT;
    }
  }
  for (int i = 0; i < build->scene->body_count; i++) { /* copies go with the first */
    int first = build->scene->bodies[i].copy_of;
    bind->groups[i] = first > 0 && bind->groups[i] == 0 ? bind->groups[first - 1] : bind->groups[i];
  }
  return FF_OK;
}

static bool is_same_class(const shape_class *a, const shape_class *b) {
  return a->group == b->group && a->material == b->material && a->kind == b->kind &&
         a->radius == b->radius && a->is_free == b->is_free && a->size == b->size &&
         a->mass == b->mass;
}

/* A length or mass to the nearest quarter of an octave, so that many similar bodies form few
 * classes. */
static double round_to_octave(double x) {
  return x > 0 && isfinite(x) ? ff_exp2(round(4 * ff_log2(x)) / 4) : 0;
}

static ff_status rule_find_classes(binder *bind) {
  ff_build *build = bind->build;
  bind->classes = ff_arena_take(&build->scratch, CLASS_LIMIT, sizeof *bind->classes);
  if (!bind->classes) {
    return FF_ERROR_MEMORY;
  }
  for (int i = 0; i < build->model->shape_count; i++) {
    ff_model_shape *shape = &build->shapes[i];
    bool radial = shape->geom.kind == FF_SPHERE || shape->geom.kind == FF_CAPSULE;
    shape_class mine = {.group = bind->groups[shape->body],
                        .material = shape->material,
                        .kind = shape->geom.kind,
                        .radius = radial ? shape->geom.size.x : 0,
                        .is_free = build->bodies[shape->body].meets,
                        .shape = i};
    if (bind->by_default) {
      mine.size = round_to_octave(0.5 * ff_cbrt(ff_geom_volume(&shape->geom)));
      mine.mass = mine.is_free ? round_to_octave(build->bodies[shape->body].mass) : 0;
    }
    int k = 0;
    while (k < bind->class_count && !is_same_class(&bind->classes[k], &mine)) {
      k++;
    }
    if (k == CLASS_LIMIT) {
      ff_report_what(
          build->report,
          "more than %d different classes of shapes (by body named in a rule, material, kind "
          "and radius); name fewer bodies in rules",
          CLASS_LIMIT);
      ff_report_key(build->report, "contacts");
      return FF_ERROR_INPUT;
    }
    if (k == bind->class_count) {
      bind->classes[bind->class_count++] = mine;
    }
    shape->class_index = k;
    bool same_body = build->shapes[bind->classes[k].shape].body == shape->body;
    bind->classes[k].several = bind->classes[k].several || !same_body;
  }
  return FF_OK;
}

/* ---- pair rule ------------------------------------------------------------------------------- */

/* 1/E* = (1 - nu1^2)/E1 + (1 - nu2^2)/E2 [Azad10 eq. 9]. */
static double effective_young(const ff_material_def *a, const ff_material_def *b) {
  return 1 / ((1 - a->poisson * a->poisson) / a->young + (1 - b->poisson * b->poisson) / b->young);
}

/* Dissipation of a pair: mean weighted by the share of the compression, which is inverse to the
 * stiffness; if one side is unknown, the other's. */
static double pair_dissipation(const ff_material_def *a, const ff_material_def *b) {
  if (isnan(a->dissipation) || isnan(b->dissipation)) {
    return isnan(a->dissipation) ? b->dissipation : a->dissipation;
  }
  if (isnan(a->young) || isnan(b->young)) {
    return 0.5 * (a->dissipation + b->dissipation);
  }
  double share_a = b->young / (a->young + b->young);
  return share_a * a->dissipation + (1 - share_a) * b->dissipation;
}

/* Friction of a pair: geometric mean; if one side is unknown, the other's. */
static double pair_mu(double a, double b) {
  if (isnan(a) || isnan(b)) {
    return isnan(a) ? b : a;
  }
  return sqrt(a * b);
}

static ff_pair pair_rule(const ff_build *build, const shape_class *a, const shape_class *b,
                         double radius) {
  static const ff_material_def unknown = {.young = NAN,
                                          .poisson = NAN,
                                          .density = NAN,
                                          .dissipation = NAN,
                                          .mu_static = NAN,
                                          .mu_kinetic = NAN};
  const ff_material_def *ma = a->material >= 0 ? &build->materials[a->material] : &unknown;
  const ff_material_def *mb = b->material >= 0 ? &build->materials[b->material] : &unknown;
  return (ff_pair){.young = effective_young(ma, mb),
                   .radius = radius,
                   .dissipation = pair_dissipation(ma, mb),
                   .mu_static = pair_mu(ma->mu_static, mb->mu_static),
                   .mu_kinetic = pair_mu(ma->mu_kinetic, mb->mu_kinetic)};
}

/* ---- bindings -------------------------------------------------------------------------------- */

static ff_status rule_find_law(ff_report *report, ff_law_kind kind, const char *name,
                               const ff_law **out) {
  *out = ff_law_find(kind, name ? name : "");
  if (*out) {
    return FF_OK;
  }
  const char *known[64];
  int count = 0;
  for (int i = 0; i < ff_law_count() && count < 64; i++) {
    if (ff_law_at(i)->kind == kind) {
      known[count++] = ff_law_at(i)->name;
    }
  }
  ff_status status = ff_report_unknown(report, "law", name ? name : "", known, count);
  ff_report_key(report, "law");
  return status;
}

/* Law and given parameters of one choice. The report's key is relative to the choice. */
static ff_status rule_read_choice(ff_report *report, const ff_law_choice *choice, ff_law_kind kind,
                                  const ff_law **law, ff_law_params *given) {
  ff_status status = rule_find_law(report, kind, choice->law, law);
  if (status != FF_OK) {
    return status;
  }
  ff_law_params_default(*law, given);
  for (int i = 0; status == FF_OK && i < choice->count; i++) {
    status = ff_law_params_set(*law, given, choice->names[i], choice->values[i], report);
  }
  return status;
}

static ff_status rule_prefix_key(ff_build *build, int contact, const char *part, ff_status status) {
  if (status == FF_ERROR_INPUT && build->report) {
    char key[sizeof build->report->key];
    memcpy(key, build->report->key, sizeof key);
    ff_report_key(build->report, "contacts.%d.%s%s%s", contact, part, part[0] && key[0] ? "." : "",
                  key);
  }
  return status;
}

/* An overlap law needs a half-space on one side, and its printed moments an ellipsoid on the other.
 */
static ff_status rule_check_overlap(ff_report *report, const ff_binding *binding, ff_shape_kind a,
                                    ff_shape_kind b) {
  ff_shape_kind solid = a == FF_HALF_SPACE ? b : a;
  bool round = solid == FF_SPHERE || solid == FF_ELLIPSOID;
  if (!binding->overlaps || (ff_geom_can_overlap(a, b) && (round || !binding->printed_J))) {
    return FF_OK;
  }
  if (ff_geom_can_overlap(a, b)) {
    ff_report_what(report, "eq. 37 is for spheres and ellipsoids only, this is a %s: use 0",
                   ff_shape_kind_name(solid));
    ff_report_key(report, "normal.printed_J");
    return FF_ERROR_INPUT;
  }
  ff_report_what(report,
                 "'%s' needs the overlap with a half-space; neither the %s nor the %s is one",
                 binding->normal->name, ff_shape_kind_name(a), ff_shape_kind_name(b));
  ff_report_key(report, "normal.law");
  return FF_ERROR_INPUT;
}

/* Laws of two classes by a definition; contact: index of the rule, for reports. */
static ff_status rule_resolve(binder *bind, ff_binding *to, const ff_contact_def *def, int contact,
                              const shape_class *a, const shape_class *b) {
  ff_build *build = bind->build;
  if (!isnan(def->radius) && !(def->radius > 0 && isfinite(def->radius))) {
    ff_report_what(build->report, "must be greater than 0 and finite, got %g", def->radius);
    ff_report_key(build->report, "contacts.%d.radius", contact);
    return FF_ERROR_INPUT;
  }
  const ff_geom *ga = &build->shapes[a->shape].geom, *gb = &build->shapes[b->shape].geom;
  double radius = isnan(def->radius) ? ff_geom_radius(ga, gb) : def->radius;
  to->pair = pair_rule(build, a, b, radius);
  to->pair.mean_radius = isnan(radius) ? ff_geom_mean_radius(ga, gb) : NAN;
  ff_status status =
      rule_read_choice(build->report, &def->normal, FF_LAW_NORMAL, &to->normal, &to->normal_given);
  if (status != FF_OK) {
    return rule_prefix_key(build, contact, "normal", status);
  }
  ff_law_choice friction = def->friction;
  friction.law = friction.law ? friction.law : "none";
  status = rule_read_choice(build->report, &friction, FF_LAW_FRICTION, &to->friction,
                            &to->friction_given);
  if (status != FF_OK) {
    return rule_prefix_key(build, contact, "friction", status);
  }
  status = ff_binding_resolve(to, build->model, build->report);
  if (status == FF_OK) {
    status = rule_check_overlap(build->report, to, ga->kind, gb->kind);
  }
  return rule_prefix_key(build, contact, "", status);
}

static ff_status rule_add_binding(binder *bind, const ff_contact_def *def, int contact,
                                  const shape_class *a, const shape_class *b) {
  ff_build *build = bind->build;
  if (bind->binding_count == bind->binding_capacity) {
    int larger = bind->binding_capacity ? 2 * bind->binding_capacity : 8;
    ff_binding *fresh = ff_arena_take(&build->scratch, (size_t)larger, sizeof *fresh);
    if (!fresh) {
      return FF_ERROR_MEMORY;
    }
    if (bind->binding_count > 0) {
      memcpy(fresh, bind->bindings, (size_t)bind->binding_count * sizeof *fresh);
    }
    bind->bindings = fresh;
    bind->binding_capacity = larger;
  }
  if (bind->binding_count == BINDING_LIMIT) {
    ff_report_what(build->report, "more than %d different contacts", BINDING_LIMIT);
    ff_report_key(build->report, "contacts");
    return FF_ERROR_INPUT;
  }
  ff_status status = rule_resolve(bind, &bind->bindings[bind->binding_count], def, contact, a, b);
  bind->binding_count += status == FF_OK;
  return status;
}

/* ---- class table ----------------------------------------------------------------------------- */

static ff_status rule_report_kinds(ff_build *build, int contact, const shape_class *a,
                                   const shape_class *b) {
  ff_report_what(build->report,
                 "'%.64s' (%s) and '%.64s' (%s) cannot collide: there is no contact geometry for "
                 "these two kinds of shapes; name the pairs that collide, or add {pair: [%.64s, "
                 "%.64s], off: true} below",
                 build->bodies[build->shapes[a->shape].body].name, ff_shape_kind_name(a->kind),
                 build->bodies[build->shapes[b->shape].body].name, ff_shape_kind_name(b->kind),
                 build->bodies[build->shapes[a->shape].body].name,
                 build->bodies[build->shapes[b->shape].body].name);
  ff_report_key(build->report, "contacts.%d.pair", contact);
  return FF_ERROR_INPUT;
}

static void class_table_set(binder *bind, int a, int b, int binding) {
  bind->table[a * bind->class_count + b] = binding;
  bind->table[b * bind->class_count + a] = binding;
}

/* Can shapes of the two classes collide at all? */
static bool classes_collide(const binder *bind, int a, int b) {
  const shape_class *ca = &bind->classes[a], *cb = &bind->classes[b];
  bool same_body = a == b ? !ca->several : ca->group != 0 && ca->group == cb->group;
  return !same_body && (ca->is_free || cb->is_free) &&
         !links_excluded(bind->build->model, bind->build->shapes[ca->shape].body,
                         bind->build->shapes[cb->shape].body);
}

/* Binds the classes a and b, which have the properties ca and cb. */
static ff_status bind_classes(binder *bind, const ff_contact_def *def, int contact, int a, int b,
                              const shape_class *ca, const shape_class *cb) {
  if (!ff_manifold_in_order(ca->kind, cb->kind)) {
    return bind_classes(bind, def, contact, b, a, cb, ca);
  }
  ff_status status = rule_add_binding(bind, def, contact, ca, cb);
  if (status == FF_OK) {
    class_table_set(bind, a, b, bind->binding_count - 1);
    bind->swapped[b * bind->class_count + a] = a != b;
  }
  return status;
}

/* Applies a rule to one pair of classes, a and b in the rule's order. */
static ff_status rule_apply(binder *bind, int contact, int a, int b) {
  if (bind->table[a * bind->class_count + b] != UNSET) {
    return FF_OK; /* set by a later rule */
  }
  const ff_contact_def *def = &bind->build->scene->contacts[contact];
  if (def->off || !classes_collide(bind, a, b)) {
    class_table_set(bind, a, b, APART);
    return FF_OK;
  }
  const shape_class *ca = &bind->classes[a], *cb = &bind->classes[b];
  if (ff_manifold_limit(ca->kind, cb->kind) == 0) {
    return rule_report_kinds(bind->build, contact, ca, cb);
  }
  return bind_classes(bind, def, contact, a, b, ca, cb);
}

/* Laws from materials, masses and shapes. A side without a material has that of the other. */
static ff_status default_apply(binder *bind, int a, int b) {
  ff_build *build = bind->build;
  shape_class ca = bind->classes[a], cb = bind->classes[b];
  if (!classes_collide(bind, a, b) || ff_manifold_limit(ca.kind, cb.kind) == 0) {
    return FF_OK;
  }
  ca.material = ca.material >= 0 ? ca.material : cb.material;
  cb.material = cb.material >= 0 ? cb.material : ca.material;
  const ff_geom *ga = &build->shapes[ca.shape].geom, *gb = &build->shapes[cb.shape].geom;
  double radius = ff_geom_radius(ga, gb);
  ff_pair pair = pair_rule(build, &ca, &cb, radius);
  pair.mean_radius = isnan(radius) ? ff_geom_mean_radius(ga, gb) : NAN;
  double inverse = (ca.mass > 0 ? 1 / ca.mass : 0) + (cb.mass > 0 ? 1 / cb.mass : 0);
  double size = ca.size > 0 && cb.size > 0 ? fmin(ca.size, cb.size) : fmax(ca.size, cb.size);
  ff_default_contact contact;
  bool known = ff_default_contact_make(&contact, &pair, size, 1 / inverse, &build->model->run,
                                       build->model->stepper->contacts);
  return known ? bind_classes(bind, &contact.def, 0, a, b, &ca, &cb) : FF_OK;
}

static ff_status defaults_apply_all(binder *bind) {
  ff_status status = FF_OK;
  for (int a = 0; a < bind->class_count; a++) {
    for (int b = a; status == FF_OK && b < bind->class_count; b++) {
      status = default_apply(bind, a, b);
    }
  }
  return status;
}

static bool rule_matches(const binder *bind, const char *name, int class_index) {
  int group = bind->classes[class_index].group;
  const ff_model *model = bind->build->model;
  int robot = group > 0 ? model->bodies[group - 1].robot : -1;
  const ff_body_def *bodies = bind->build->scene->bodies;
  int first = group > 0 ? bodies[group - 1].copy_of : 0;
  return rule_is_any(name) || (first > 0 && strcmp(bodies[first - 1].name, name) == 0) ||
         (robot >= 0 && strcmp(model->robots[robot].name, name) == 0) ||
         (group > 0 && strcmp(bodies[group - 1].name, name) == 0);
}

/* The last rule that matches a pair applies: in reverse order, the first match wins. */
static ff_status rules_apply_all(binder *bind) {
  int n = bind->class_count;
  for (int rule = bind->build->scene->contact_count - 1; rule >= 0; rule--) {
    const ff_contact_def *def = &bind->build->scene->contacts[rule];
    for (int a = 0; a < n; a++) {
      for (int b = 0; rule_matches(bind, def->a, a) && b < n; b++) {
        ff_status status = rule_matches(bind, def->b, b) ? rule_apply(bind, rule, a, b) : FF_OK;
        if (status != FF_OK) {
          return status;
        }
      }
    }
  }
  return FF_OK;
}

/* ---- derived data ---------------------------------------------------------------------------- */

static void find_pair_traits(binder *bind) {
  ff_model *model = bind->build->model;
  for (int i = 0; i < bind->binding_count; i++) {
    int count = ff_model_solves(model) ? 0 : bind->bindings[i].friction->memory_count;
    model->memory_count = count > model->memory_count ? count : model->memory_count;
  }
  int n = bind->class_count;
  for (int a = 0; a < n; a++) {
    for (int b = 0; b < n; b++) {
      ff_shape_kind ka = bind->classes[a].kind, kb = bind->classes[b].kind;
      if (bind->table[a * n + b] >= 0 && ka != FF_HALF_SPACE && kb != FF_HALF_SPACE) {
        model->free_pairs_touch = true;
        model->flat_pairs_touch |= ff_manifold_has_features(ka, kb);
      }
    }
  }
}

/* First binding between the shapes of two bodies, and the body that is its a. */
static bool pair_find_binding(const ff_model *model, int i, int j, ff_model_pair *out) {
  const ff_model_body *bi = &model->bodies[i], *bj = &model->bodies[j];
  for (int s = bi->first_shape; s < bi->first_shape + bi->shape_count; s++) {
    for (int t = bj->first_shape; t < bj->first_shape + bj->shape_count; t++) {
      int entry = model->shapes[s].class_index * model->class_count + model->shapes[t].class_index;
      if (model->class_table[entry] >= 0) {
        bool swapped = model->class_swapped[entry];
        *out = (ff_model_pair){swapped ? j : i, swapped ? i : j, model->class_table[entry]};
        return true;
      }
    }
  }
  return false;
}

/* Bodies with a shape of a class; -1: none. */
typedef struct class_bodies {
  int moved, any[2]; /* the first that meets others, and the first two */
} class_bodies;

static class_bodies *find_class_bodies(ff_build *build) {
  const ff_model *model = build->model;
  class_bodies *out = ff_arena_take(&build->scratch, (size_t)model->class_count, sizeof *out);
  for (int c = 0; out && c < model->class_count; c++) {
    out[c] = (class_bodies){-1, {-1, -1}};
  }
  for (int s = 0; out && s < model->shape_count; s++) {
    class_bodies *to = &out[model->shapes[s].class_index];
    int body = model->shapes[s].body;
    to->moved = to->moved < 0 && model->bodies[body].meets ? body : to->moved;
    if (to->any[0] < 0) {
      to->any[0] = body;
    } else if (to->any[1] < 0 && body != to->any[0]) {
      to->any[1] = body;
    }
  }
  return out;
}

/* A body of class a that meets others, and another of class b. */
static bool find_class_pair(const class_bodies *bodies, int a, int b, int *i, int *j) {
  *i = bodies[a].moved;
  *j = bodies[b].any[0] == *i ? bodies[b].any[1] : bodies[b].any[0];
  return *i >= 0 && *j >= 0;
}

/* Where pairs of bodies are too many: one for any two classes of shapes that collide. */
static ff_status list_class_pairs(ff_build *build) {
  ff_model *model = build->model;
  int n = model->class_count, count = 0;
  if ((double)n * n > PAIR_LIMIT) {
    return FF_OK;
  }
  const class_bodies *bodies = find_class_bodies(build);
  ff_model_pair *pairs = ff_build_take(build, n * (n + 1) / 2, sizeof *pairs);
  if (!bodies || !pairs) {
    return FF_ERROR_MEMORY;
  }
  for (int a = 0; a < n; a++) {
    for (int b = a; b < n; b++) {
      int i, j;
      if (model->class_table[a * n + b] >= 0 &&
          (find_class_pair(bodies, a, b, &i, &j) || find_class_pair(bodies, b, a, &j, &i)) &&
          pair_find_binding(model, i, j, &pairs[count])) {
        count++;
      }
    }
  }
  model->pairs = pairs;
  model->pair_count = count;
  model->pairs_of_classes = true;
  return FF_OK;
}

/* Lists pairs of bodies, up to a limit. */
static ff_status list_body_pairs(ff_build *build) {
  ff_model *model = build->model;
  double most = (double)model->moved_count * model->body_count;
  if (most > PAIR_LIMIT) {
    return list_class_pairs(build);
  }
  for (int pass = 0; pass < 2; pass++) { /* count, then fill */
    ff_model_pair *pairs = NULL;
    if (pass == 1) {
      pairs = ff_build_take(build, model->pair_count, sizeof *pairs);
      if (!pairs) {
        return FF_ERROR_MEMORY;
      }
      model->pairs = pairs;
    }
    int count = 0;
    for (int f = 0; f < model->moved_count; f++) {
      int i = model->moved_bodies[f];
      for (int j = 0; j < model->body_count; j++) {
        ff_model_pair pair;
        bool once = !model->bodies[j].meets || j > i; /* two such bodies would be listed twice */
        if (once && i != j && pair_find_binding(model, i, j, &pair)) {
          if (pairs) {
            pairs[count] = pair;
          }
          count++;
        }
      }
    }
    model->pair_count = count;
  }
  return FF_OK;
}

ff_status ff_build_contacts(ff_build *build) {
  binder bind = {.build = build,
                 .by_default =
                     build->scene->contact_count == 0 && !build->model->run.no_default_contacts};
  ff_status status = rule_find_groups(&bind);
  status = status == FF_OK ? rule_find_classes(&bind) : status;
  if (status != FF_OK) {
    return status;
  }
  int n = bind.class_count;
  bind.table = ff_build_take(build, n * n, sizeof *bind.table);
  bind.swapped = ff_build_take(build, n * n, sizeof *bind.swapped);
  if (!bind.table || !bind.swapped) {
    return FF_ERROR_MEMORY;
  }
  for (int i = 0; i < n * n; i++) {
    bind.table[i] = UNSET;
  }
  status = bind.by_default ? defaults_apply_all(&bind) : rules_apply_all(&bind);
  if (status != FF_OK) {
    return status;
  }
  ff_model *model = build->model;
  ff_binding *bindings = ff_build_take(build, bind.binding_count, sizeof *bindings);
  if (!bindings) {
    return FF_ERROR_MEMORY;
  }
  if (bind.binding_count > 0) {
    memcpy(bindings, bind.bindings, (size_t)bind.binding_count * sizeof *bindings);
  }
  model->bindings = bindings;
  model->binding_count = bind.binding_count;
  model->class_count = n;
  model->class_table = bind.table;
  model->class_swapped = bind.swapped;
  model->default_contacts = bind.by_default && bind.binding_count > 0;
  find_pair_traits(&bind);
  return status == FF_OK ? list_body_pairs(build) : status;
}
