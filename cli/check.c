/* footfall check SCENE...: resolves scenes and prints everything with units. A robot (.urdf) is
 * checked by check_robot.c. */
#include <argp.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "cli.h"
#include "json.h"
#include "say.h"

typedef struct check_job {
  const char *path, *root; /* path: the current one */
  ff_cli_list paths, overrides;
  bool json, channels, start, all, skip_meshes;
  ff_scene *scene;
  ff_model *model;
  ff_sim *sim;
} check_job;

/* ---- arguments ------------------------------------------------------------------------------- */

static error_t check_parse(int key, char *value, struct argp_state *state) {
  check_job *job = state->input;
  switch (key) {
    case 's': ff_cli_list_add(&job->overrides, value); return 0;
    case 'r': job->root = value; return 0;
    case 'j': job->json = true; return 0;
    case 'c': job->channels = true; return 0;
    case 'S': job->start = true; return 0;
    case 'm': job->skip_meshes = true; return 0;
    case 'a': job->all = true; return 0;
    case ARGP_KEY_ARG: ff_cli_list_add(&job->paths, value); return 0;
    case ARGP_KEY_END:
      if (job->paths.count == 0) {
        argp_error(state, "no scene or robot given");
      }
      return 0;
    default: return ARGP_ERR_UNKNOWN;
  }
}

static const struct argp_option options[] = {
    {"set", 's', "PATH=VALUE", 0, "override a value of the scene; may be repeated", 0},
    {"channels", 'c', NULL, 0, "list all channels with units and meaning", 0},
    {"root", 'r', "FOLDER", 0, "folder that contains the meshes of a robot", 0},
    {"skip-meshes", 'm', NULL, 0, "of a robot: leave out collision meshes that are missing", 0},
    {"scene", 'S', NULL, 0, "of a robot: print a starting scene in which it stands", 0},
    {"all", 'a', NULL, 0, "print every body, shape and pair of a large scene", 0},
    {"json", 'j', NULL, 0, "print as JSON", 0},
    {0},
};

static const struct argp parser = {
    .options = options,
    .parser = check_parse,
    .args_doc = "SCENE|ROBOT.urdf...",
    .doc =
        "Resolves scenes and prints what a run would use: masses, inertias, the parameters of "
        "every contact law and the step that resolves the contacts. Of a robot: its tree, masses, "
        "inertias and warnings. The exit code is that of the worst.\v"
        "Examples:\n"
        "  footfall check scenes/bouncing-ball.yaml\n"
        "  footfall check ball.yaml --set bodies.ball.mass=2 --json\n"
        "  footfall check ball.yaml --channels\n"
        "  footfall check scenes/robots/humanoid.urdf\n"
        "  footfall check robot.urdf --scene > robot.yaml; footfall run robot.yaml\n"
        "  footfall check *.yaml > /dev/null && echo all good\n" FF_CLI_EXITS};

/* ---- text ------------------------------------------------------------------------------------ */

static const char *const body_kinds[] = {[FF_BODY_FREE] = "free",
                                         [FF_BODY_FIXED] = "fixed",
                                         [FF_BODY_PRESCRIBED] = "prescribed",
                                         [FF_BODY_LINK] = "link"};

/* Names of a shape's sizes, in the order x, y, z of ff_shape_info.size. */
static const char *const size_names[FF_SHAPE_KIND_COUNT][3] = {
    [FF_SPHERE] = {"radius"},
    [FF_ELLIPSOID] = {"semi-axis x", "y", "z"},
    [FF_BOX] = {"half extent x", "y", "z"},
    [FF_CAPSULE] = {"radius", "half length"},
    [FF_CYLINDER] = {"radius", "half height"},
    [FF_SUPERELLIPSOID] = {"semi-axis x", "y", "z"},
    [FF_POLYHEDRON] = {"half extent x", "y", "z"},
    [FF_INTERSECTION] = {"half extent x", "y", "z"},
    [FF_CONE] = {"radius", "height"},
};

/* Value of a parameter if it were not given: derived again from those with a default, or from all
 * others. */
static double check_derive(const ff_law *law, const ff_law_params *params, const ff_pair *material,
                           const ff_param *param, bool from_all) {
  ff_law_params derived;
  ff_law_params_default(law, &derived);
  for (int i = 0; i < law->params_count; i++) {
    const ff_param *other = &law->params[i];
    if (other != param && (from_all || !isnan(other->fallback))) {
      double value = ff_law_params_get(law, params, other->name);
      ff_law_params_set(law, &derived, other->name, value, NULL);
    }
  }
  ff_status status = ff_law_params_resolve(law, &derived, material, NULL);
  return status == FF_OK ? ff_law_params_get(law, &derived, param->name) : NAN;
}

/* Source of a resolved parameter: given (where laws are chosen from materials, by these), default,
 * or the name of its source. */
static const char *check_param_source(const ff_law *law, const ff_law_params *params,
                                      const ff_pair *material, const ff_param *param,
                                      const char *given) {
  double value = ff_law_params_get(law, params, param->name);
  if (!isnan(param->fallback) || !param->otherwise) {
    return value == param->fallback ? "default" : given;
  }
  bool derived = value == check_derive(law, params, material, param, false) ||
                 value == check_derive(law, params, material, param, true);
  return derived ? param->otherwise : given;
}

static bool check_step_is_large(const ff_model *model) {
  const ff_run_def *run = ff_model_run(model);
  return ff_cli_resolves(run) && run->stepper.step > ff_model_stable_step(model);
}

/* ---- text output ----------------------------------------------------------------------------- */

static void check_print_run(const ff_model *model) {
  const ff_run_def *run = ff_model_run(model);
  ff_cli_say(stdout, "gravity      (%.6g, %.6g, %.6g) m/s^2\n", run->gravity.x, run->gravity.y,
             run->gravity.z);
  ff_cli_say(stdout, "duration     %.6g s\n", run->duration);
  if (ff_stepper_find(run->stepper.kind)->fixed_step) {
    ff_cli_say(stdout, "stepper      %s, step %.6g s\n", run->stepper.kind, run->stepper.step);
  } else {
    ff_cli_say(stdout, "stepper      %s, rtol %.3g, atol %.3g\n", run->stepper.kind,
               run->stepper.rtol, run->stepper.atol);
  }
  if (run->stepper.accuracy > 0 && ff_stepper_find(run->stepper.kind)->crowd_accuracy > 0) {
    ff_cli_say(stdout, "             large islands: forces to %.3g of the largest\n",
               run->stepper.accuracy);
  }
  if (ff_model_stepper_reason(model)[0]) {
    ff_cli_say(stdout, "             chosen: %s\n", ff_model_stepper_reason(model));
  }
  ff_cli_say(stdout, "energy       residual allowed: %.3g of the energy exchanged\n",
             run->energy_tolerance);
  ff_cli_say(stdout, "record       every %.6g s; %d channels in all\n", run->record_every,
             ff_model_channel_count(model));
}

/* Of more items than this a few are printed, unless all are asked for: the first of each kind. */
enum { CHECK_MANY = 30, CHECK_KINDS = 64 };

/* What has been printed already; a kind is a checksum of what makes items alike. */
typedef struct seen_kinds {
  uint64_t kinds[CHECK_KINDS];
  int count;
  int left_out;
} seen_kinds;

/* Is an item of this kind to be printed? */
static bool check_is_first(seen_kinds *seen, bool all, uint64_t kind) {
  int k = 0;
  while (k < seen->count && seen->kinds[k] != kind) {
    k++;
  }
  bool known = k < seen->count, room = k < CHECK_KINDS;
  if (!known && room) {
    seen->kinds[seen->count++] = kind;
  }
  bool first = all || (!known && room);
  seen->left_out += !first;
  return first;
}

static void check_print_left_out(const seen_kinds *seen, const char *noun) {
  if (seen->left_out > 0) {
    ff_cli_say(stdout, "  and %d more %s like these: --all prints them\n", seen->left_out, noun);
  }
}

/* FNV-1a. */
static uint64_t check_mix(uint64_t sum, const void *bytes, size_t size) {
  const unsigned char *at = bytes;
  for (size_t i = 0; i < size; i++) {
    sum = (sum ^ at[i]) * 0x100000001B3ULL;
  }
  return sum;
}

static uint64_t check_body_kind(const ff_body_info *body) {
  const double numbers[] = {(double)body->kind, body->mass,        body->com.x,
                            body->com.y,        body->com.z,       body->principal.x,
                            body->principal.y,  body->principal.z, (double)body->shape_count};
  return check_mix(0xCBF29CE484222325ULL, numbers, sizeof numbers);
}

static uint64_t check_shape_kind(const ff_shape_info *shape) {
  const double numbers[] = {(double)shape->kind, shape->size.x, shape->size.y,
                            shape->size.z,       shape->volume, shape->exponents[0],
                            shape->exponents[1]};
  uint64_t sum = check_mix(0xCBF29CE484222325ULL, numbers, sizeof numbers);
  return shape->material ? check_mix(sum, shape->material, strlen(shape->material)) : sum;
}

static void check_print_bodies(const ff_model *model, bool all) {
  int count = ff_model_body_count(model);
  seen_kinds seen = {.count = 0};
  ff_cli_say(stdout, "\nbodies\n");
  for (int i = 1; i <= count; i++) {
    ff_body_info body = ff_model_body_info(model, (ff_body){.id = i});
    if (!check_is_first(&seen, all || count <= CHECK_MANY, check_body_kind(&body))) {
      continue;
    }
    ff_cli_say(stdout, "  %s: %s", body.name, body_kinds[body.kind]);
    if (body.kind == FF_BODY_FREE) {
      ff_cli_say(stdout, ", mass %.6g kg\n", body.mass);
      ff_cli_say(stdout, "    centre of mass     (%.6g, %.6g, %.6g) m\n", body.com.x, body.com.y,
                 body.com.z);
      ff_cli_say(stdout, "    principal moments  %.6g, %.6g, %.6g kg m^2", body.principal.x,
                 body.principal.y, body.principal.z);
    }
    ff_cli_say(stdout, "\n");
  }
  check_print_left_out(&seen, "bodies");
}

/* Data of a shape beyond its sizes. */
static void check_print_form(const ff_shape_info *shape) {
  if (shape->kind == FF_SUPERELLIPSOID) {
    ff_cli_say(stdout, ", exponents %.6g and %.6g", shape->exponents[0], shape->exponents[1]);
  } else if (shape->kind == FF_POLYHEDRON) {
    ff_cli_say(stdout, ", %d vertices, %d faces", shape->vertex_count, shape->face_count);
  } else if (shape->kind == FF_INTERSECTION) {
    ff_cli_say(stdout, ", %d members", shape->member_count);
  }
  if (shape->kind >= FF_SUPERELLIPSOID) {
    ff_cli_say(stdout, ", volume %.6g m^3", shape->volume);
  }
}

static void check_print_shapes(const ff_model *model, bool all) {
  int count = ff_model_shape_count(model);
  seen_kinds seen = {.count = 0};
  ff_cli_say(stdout, "\nshapes\n");
  for (int i = 1; i <= count; i++) {
    ff_shape_info shape = ff_model_shape_info(model, (ff_shape){.id = i});
    if (!check_is_first(&seen, all || count <= CHECK_MANY, check_shape_kind(&shape))) {
      continue;
    }
    const double sizes[3] = {shape.size.x, shape.size.y, shape.size.z};
    ff_cli_say(stdout, "  %s: %s", ff_model_body_name(model, shape.body),
               ff_shape_kind_name(shape.kind));
    for (int k = 0; k < 3 && size_names[shape.kind][k]; k++) {
      ff_cli_say(stdout, ", %s %.6g m", size_names[shape.kind][k], sizes[k]);
    }
    check_print_form(&shape);
    ff_cli_say(stdout, ", material %s\n", shape.material ? shape.material : "none");
  }
  check_print_left_out(&seen, "shapes");
}

static void check_print_law(const char *title, const ff_law *law, const ff_law_params *params,
                            const ff_pair *material, const char *given) {
  ff_cli_say(stdout, "    %-9s %s\n", title, law->name);
  for (int i = 0; i < law->params_count; i++) {
    const ff_param *param = &law->params[i];
    ff_cli_say(stdout, "      %-18s %12.6g %-9s %s\n", param->name,
               ff_law_params_get(law, params, param->name),
               strcmp(param->unit, "1") == 0 ? "" : param->unit,
               check_param_source(law, params, material, param, given));
  }
}

static void check_print_pairs(const ff_model *model, bool all) {
  int count = ff_model_pair_count(model);
  const char *given = ff_model_default_contacts(model) ? "of materials and sizes" : "given";
  seen_kinds seen = {.count = 0};
  ff_cli_say(stdout, "\npairs that may collide\n");
  for (int i = 0; i < count; i++) {
    ff_pair_info pair = ff_model_pair_info(model, i);
    if (!check_is_first(&seen, all || count <= CHECK_MANY, (uint64_t)pair.laws)) {
      continue;
    }
    ff_cli_say(stdout, "  %s:%s  effective mass %.6g kg, stable step %.3g s\n",
               ff_model_body_name(model, pair.a), ff_model_body_name(model, pair.b), pair.mass,
               pair.stable_step);
    check_print_law("normal", pair.normal, &pair.normal_params, &pair.material, given);
    check_print_law("friction", pair.friction, &pair.friction_params, &pair.material, given);
  }
  check_print_left_out(&seen, "pairs");
  if (count == 0 && ff_model_shape_count(model) > 1) {
    ff_cli_say(stdout, ff_model_run(model)->no_default_contacts
                           ? "  none: no rule of contacts joins two bodies\n"
                           : "  none: no material is known, from which laws could follow: give the "
                             "bodies a material,\n  or a list of contacts with laws\n");
  }
}

static uint64_t check_joint_kind(const ff_joint_info *joint) {
  const double numbers[] = {joint->stiffness, joint->damping, joint->armature, joint->slides};
  return check_mix(0xCBF29CE484222325ULL, numbers, sizeof numbers);
}

static void check_print_joint(const char *robot, const ff_joint_info *joint) {
  const char *force = joint->slides ? "N" : "N m", *to = joint->slides ? "m" : "rad";
  ff_cli_say(stdout, "  %s-%s: stiffness %.6g %s/%s, damping %.6g %s s/%s, armature %.6g %s\n",
             robot, joint->name, joint->stiffness, force, to, joint->damping, force, to,
             joint->armature, joint->slides ? "kg" : "kg m^2");
}

/* Joint axes that are driven by a servo or have rotor inertia. */
static void check_print_joints(const ff_model *model, bool all) {
  seen_kinds seen = {.count = 0};
  int count = 0;
  for (int i = 1; i <= ff_model_robot_count(model); i++) {
    count += ff_model_robot_info(model, ff_model_robot_at(model, i)).joint_count;
  }
  all = all || count <= CHECK_MANY;
  bool first = true;
  for (int i = 1; i <= ff_model_robot_count(model); i++) {
    ff_robot_id robot = ff_model_robot_at(model, i);
    ff_robot_info info = ff_model_robot_info(model, robot);
    for (int k = 1; k <= info.joint_count; k++) {
      ff_joint_info joint = ff_model_joint_info(model, ff_model_joint_at(model, robot, k));
      bool plain = joint.stiffness == 0 && joint.damping == 0 && joint.armature == 0;
      if (plain || joint.follows || !check_is_first(&seen, all, check_joint_kind(&joint))) {
        continue;
      }
      ff_cli_say(stdout, first ? "\njoints\n" : "");
      check_print_joint(info.name, &joint);
      first = false;
    }
  }
  check_print_left_out(&seen, "joints");
}

static void check_print_constraints(const ff_model *model) {
  int count = ff_model_constraint_count(model);
  if (count > 0) {
    ff_cli_say(stdout, "\nconstraints\n");
  }
  for (int i = 0; i < count; i++) {
    ff_constraint_info c = ff_model_constraint_info(model, (ff_constraint_id){.id = i + 1});
    ff_cli_say(stdout, "  %s: %s %s:%s at (%.6g, %.6g, %.6g) m of the first", c.name,
               ff_constraint_kind_name(c.kind), ff_model_body_name(model, c.a),
               ff_model_body_name(model, c.b), c.anchor_a.x, c.anchor_a.y, c.anchor_a.z);
    ff_cli_say(stdout, c.kind == FF_CONSTRAINT_DISTANCE ? ", length %.6g m\n" : "\n", c.length);
  }
}

static void check_print_joint_step(const ff_model *model) {
  ff_joint_id fastest;
  double stable = ff_model_joint_step(model, false, &fastest);
  if (!isfinite(stable)) {
    return;
  }
  ff_cli_say(stdout, "joint step   %.3g s resolves every joint\n", stable);
  if (ff_stepper_find(ff_model_run(model)->stepper.kind)->fixed_step &&
      ff_model_run(model)->stepper.step > stable) {
    ff_cli_say(stdout,
               "WARNING      the step of %.3g s is larger than joint '%s' needs: give it rotor "
               "inertia (armature)\n             or softer gains and losses, use "
               "--set stepper.step=%.2g or an implicit stepper\n",
               ff_model_run(model)->stepper.step, ff_model_joint_name(model, fastest), stable);
  }
}

static void check_print_step(const ff_model *model) {
  double stable = ff_model_stable_step(model);
  if (isfinite(stable)) {
    ff_cli_say(stdout, "\nstable step  %.3g s resolves every contact\n", stable);
  } else {
    ff_cli_say(stdout, "\nstable step  any: there are no contacts\n");
  }
  if (check_step_is_large(model)) {
    ff_cli_say(
        stdout,
        "WARNING      the step of %.3g s is larger: use --set stepper.step=%.2g or the adaptive "
        "stepper\n",
        ff_model_run(model)->stepper.step, stable);
  }
  check_print_joint_step(model);
}

static void check_print_channels(const ff_model *model) {
  ff_cli_say(stdout, "\nchannels\n");
  for (int i = 0; i < ff_model_channel_count(model); i++) {
    ff_channel channel = ff_model_channel(model, i);
    ff_cli_say(stdout, "  %-44s %-9s %s\n", channel.name, channel.unit, channel.meaning);
  }
}

static void check_print_text(const check_job *job) {
  ff_cli_say(stdout, "scene        %s\n", job->path);
  check_print_run(job->model);
  check_print_bodies(job->model, job->all);
  check_print_shapes(job->model, job->all);
  check_print_pairs(job->model, job->all);
  check_print_joints(job->model, job->all);
  check_print_constraints(job->model);
  check_print_step(job->model);
  ff_cli_warn_intrusions(job->model, job->sim, "WARNING      ", stdout);
  ff_cli_say_notes(job->scene, "note         ", stdout);
  if (job->channels) {
    check_print_channels(job->model);
  }
}

/* ---- JSON output ----------------------------------------------------------------------------- */

static void json_vec(ff_json *json, const char *key, ff_vec3 v) {
  ff_json_numbers(json, key, (const double[]){v.x, v.y, v.z}, 3);
}

static void json_run(ff_json *json, const ff_model *model) {
  const ff_run_def *run = ff_model_run(model);
  json_vec(json, "gravity", run->gravity);
  ff_json_number(json, "duration", run->duration);
  ff_json_open(json, "stepper", '{');
  ff_json_text(json, "kind", run->stepper.kind);
  ff_json_number(json, "step", run->stepper.step);
  ff_json_number(json, "accuracy", run->stepper.accuracy);
  ff_json_number(json, "rtol", run->stepper.rtol);
  ff_json_number(json, "atol", run->stepper.atol);
  ff_json_text(json, "reason", ff_model_stepper_reason(model));
  ff_json_close(json, '}');
  ff_json_flag(json, "default_contacts", ff_model_default_contacts(model));
  ff_json_number(json, "record_every", run->record_every);
  ff_json_number(json, "energy_tolerance", run->energy_tolerance);
  ff_json_number(json, "stable_step", ff_model_stable_step(model));
  ff_json_number(json, "joint_step", ff_model_joint_step(model, false, NULL));
  ff_json_flag(json, "step_too_large", check_step_is_large(model));
}

static void json_bodies(ff_json *json, const ff_model *model) {
  ff_json_open(json, "bodies", '[');
  for (int i = 1; i <= ff_model_body_count(model); i++) {
    ff_body_info body = ff_model_body_info(model, (ff_body){.id = i});
    ff_json_open(json, NULL, '{');
    ff_json_text(json, "name", body.name);
    ff_json_text(json, "kind", body_kinds[body.kind]);
    ff_json_number(json, "mass", body.mass);
    json_vec(json, "com", body.com);
    json_vec(json, "principal", body.principal);
    ff_json_numbers(json, "inertia", &body.inertia.m[0][0], 9);
    ff_json_close(json, '}');
  }
  ff_json_close(json, ']');
}

static void json_shapes(ff_json *json, const ff_model *model) {
  ff_json_open(json, "shapes", '[');
  for (int i = 1; i <= ff_model_shape_count(model); i++) {
    ff_shape_info shape = ff_model_shape_info(model, (ff_shape){.id = i});
    ff_quat turn = shape.pose.orientation;
    ff_json_open(json, NULL, '{');
    ff_json_text(json, "body", ff_model_body_name(model, shape.body));
    ff_json_text(json, "kind", ff_shape_kind_name(shape.kind));
    json_vec(json, "size", shape.size);
    json_vec(json, "position", shape.pose.position);
    ff_json_numbers(json, "orientation", (const double[]){turn.w, turn.x, turn.y, turn.z}, 4);
    ff_json_text(json, "material", shape.material);
    ff_json_close(json, '}');
  }
  ff_json_close(json, ']');
}

static void check_json_law(ff_json *json, const char *key, const ff_law *law,
                           const ff_law_params *params, const ff_pair *material) {
  ff_json_open(json, key, '{');
  ff_json_text(json, "law", law->name);
  ff_json_open(json, "params", '{');
  for (int i = 0; i < law->params_count; i++) {
    const ff_param *param = &law->params[i];
    ff_json_open(json, param->name, '{');
    ff_json_number(json, "value", ff_law_params_get(law, params, param->name));
    ff_json_text(json, "unit", param->unit);
    ff_json_text(json, "source", check_param_source(law, params, material, param, "given"));
    ff_json_close(json, '}');
  }
  ff_json_close(json, '}');
  ff_json_close(json, '}');
}

static void json_pairs(ff_json *json, const ff_model *model) {
  ff_json_open(json, "pairs", '[');
  for (int i = 0; i < ff_model_pair_count(model); i++) {
    ff_pair_info pair = ff_model_pair_info(model, i);
    ff_json_open(json, NULL, '{');
    ff_json_text(json, "a", ff_model_body_name(model, pair.a));
    ff_json_text(json, "b", ff_model_body_name(model, pair.b));
    ff_json_number(json, "mass", pair.mass);
    ff_json_number(json, "stable_step", pair.stable_step);
    check_json_law(json, "normal", pair.normal, &pair.normal_params, &pair.material);
    check_json_law(json, "friction", pair.friction, &pair.friction_params, &pair.material);
    ff_json_close(json, '}');
  }
  ff_json_close(json, ']');
}

static void json_joints(ff_json *json, const ff_model *model) {
  ff_json_open(json, "joints", '[');
  for (int i = 1; i <= ff_model_robot_count(model); i++) {
    ff_robot_id robot = ff_model_robot_at(model, i);
    ff_robot_info info = ff_model_robot_info(model, robot);
    for (int k = 1; k <= info.joint_count; k++) {
      ff_joint_info joint = ff_model_joint_info(model, ff_model_joint_at(model, robot, k));
      ff_json_open(json, NULL, '{');
      ff_json_text(json, "robot", info.name);
      ff_json_text(json, "name", joint.name);
      ff_json_number(json, "stiffness", joint.stiffness);
      ff_json_number(json, "damping", joint.damping);
      ff_json_number(json, "armature", joint.armature);
      ff_json_close(json, '}');
    }
  }
  ff_json_close(json, ']');
}

static void json_constraints(ff_json *json, const ff_model *model) {
  ff_json_open(json, "constraints", '[');
  for (int i = 0; i < ff_model_constraint_count(model); i++) {
    ff_constraint_info c = ff_model_constraint_info(model, (ff_constraint_id){.id = i + 1});
    ff_json_open(json, NULL, '{');
    ff_json_text(json, "name", c.name);
    ff_json_text(json, "kind", ff_constraint_kind_name(c.kind));
    ff_json_text(json, "a", ff_model_body_name(model, c.a));
    ff_json_text(json, "b", ff_model_body_name(model, c.b));
    json_vec(json, "anchor_a", c.anchor_a);
    json_vec(json, "anchor_b", c.anchor_b);
    ff_json_number(json, "length", c.length);
    ff_json_close(json, '}');
  }
  ff_json_close(json, ']');
}

static void json_intrusions(ff_json *json, const ff_model *model, const ff_sim *sim) {
  int count = ff_sim_intrusions(sim, NULL, 0);
  ff_intrusion *pairs = ff_cli_alloc(count, sizeof *pairs);
  ff_sim_intrusions(sim, pairs, count);
  ff_json_open(json, "intrusions", '[');
  for (int i = 0; i < count; i++) {
    ff_json_open(json, NULL, '{');
    ff_json_text(json, "a", ff_model_body_name(model, pairs[i].a));
    ff_json_text(json, "b", ff_model_body_name(model, pairs[i].b));
    ff_json_number(json, "depth", pairs[i].depth);
    ff_json_number(json, "core", pairs[i].core);
    ff_json_number(json, "energy", pairs[i].energy);
    ff_json_close(json, '}');
  }
  ff_json_close(json, ']');
  free(pairs);
}

static void json_channels(ff_json *json, const ff_model *model) {
  ff_json_open(json, "channels", '{');
  for (int i = 0; i < ff_model_channel_count(model); i++) {
    ff_channel channel = ff_model_channel(model, i);
    ff_json_text(json, channel.name, channel.unit);
  }
  ff_json_close(json, '}');
}

static void check_print_json(const check_job *job) {
  ff_json json = {.out = stdout};
  ff_json_open(&json, NULL, '{');
  ff_json_text(&json, "scene", job->path);
  json_run(&json, job->model);
  json_bodies(&json, job->model);
  json_shapes(&json, job->model);
  json_pairs(&json, job->model);
  json_joints(&json, job->model);
  json_constraints(&json, job->model);
  json_intrusions(&json, job->model, job->sim);
  ff_json_whole(&json, "channel_count", ff_model_channel_count(job->model));
  if (job->channels) {
    json_channels(&json, job->model);
  }
  ff_json_close(&json, '}');
}

static bool check_is_robot(const char *path) {
  const char *dot = strrchr(path, '.');
  return dot && strcasecmp(dot, ".urdf") == 0;
}

/* Checks the current one. */
static int check_one(check_job *job) {
  if (check_is_robot(job->path)) {
    return ff_cli_check_robot(job->path, job->root, job->skip_meshes,
                              job->start  ? FF_CLI_SCENE
                              : job->json ? FF_CLI_JSON
                                          : FF_CLI_TEXT);
  }
  int code = ff_cli_load(&job->scene, &job->model, job->path, &job->overrides);
  if (code == FF_EXIT_GOOD) {
    ff_status status = ff_sim_create(&job->sim, job->model);
    code = status == FF_OK ? code : ff_cli_fail(status, NULL);
  }
  if (code == FF_EXIT_GOOD) {
    (job->json ? check_print_json : check_print_text)(job);
  }
  ff_sim_destroy(&job->sim);
  job->sim = NULL;
  ff_model_destroy(&job->model);
  ff_scene_destroy(&job->scene);
  return code;
}

int ff_cli_check(int argc, char **argv) {
  check_job job = {0};
  ff_cli_parse(&parser, argc, argv, &job);
  int worst = FF_EXIT_GOOD;
  for (int i = 0; i < job.paths.count; i++) {
    job.path = job.paths.items[i];
    if (i > 0 && !job.json) {
      ff_cli_say(stdout, "\n");
    }
    int code = check_one(&job);
    worst = code > worst ? code : worst;
  }
  ff_cli_list_free(&job.paths);
  ff_cli_list_free(&job.overrides);
  return worst;
}
