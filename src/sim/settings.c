#include "sim/settings.h"

#include "base/memory.h"
#include "base/report.h"
#include "math/spatial.h"
#include "model/links.h"
#include "sim/sim.h"
#include "tree/tree.h"

#include <limits.h>
#include <string.h>

/* ---- list ------------------------------------------------------------------------------------ */

static int setting_compare(const ff_setting *a, const ff_setting *b) {
  const int of_a[3] = {a->kind, a->index, a->param}, of_b[3] = {b->kind, b->index, b->param};
  for (int i = 0; i < 3; i++) {
    if (of_a[i] != of_b[i]) {
      return of_a[i] < of_b[i] ? -1 : 1;
    }
  }
  return 0;
}

/* Index of the first setting that is not before this one. */
static int settings_search(const ff_settings *settings, const ff_setting *key) {
  int low = 0, high = settings->count;
  while (low < high) {
    int middle = (low + high) / 2;
    if (setting_compare(&settings->list[middle], key) < 0) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

static ff_status settings_reserve(ff_settings *settings, int count) {
  if (count <= settings->capacity) {
    return FF_OK;
  }
  int capacity = 2 * count + 8;
  ff_setting *list = ff_alloc((size_t)capacity, sizeof *list);
  if (!list) {
    return FF_ERROR_MEMORY;
  }
  if (settings->count > 0) {
    memcpy(list, settings->list, (size_t)settings->count * sizeof *list);
  }
  ff_free(settings->list);
  settings->list = list;
  settings->capacity = capacity;
  return FF_OK;
}

static ff_status settings_put(ff_settings *settings, ff_setting_kind kind, int index, int param,
                              double value) {
  ff_setting item = {.kind = (int)kind, .index = index, .param = param, .value = value};
  int at = settings_search(settings, &item);
  if (at == settings->count || setting_compare(&settings->list[at], &item) != 0) {
    ff_status status = settings_reserve(settings, settings->count + 1);
    if (status != FF_OK) {
      return status;
    }
    memmove(&settings->list[at + 1], &settings->list[at],
            (size_t)(settings->count - at) * sizeof item);
    settings->count++;
  }
  settings->list[at] = item;
  return FF_OK;
}

/* The settings of one thing: list[*first] up to the returned index. */
static int settings_of(const ff_settings *settings, ff_setting_kind kind, int index, int *first) {
  const ff_setting from = {.kind = (int)kind, .index = index, .param = INT_MIN};
  const ff_setting to = {.kind = (int)kind, .index = index + 1, .param = INT_MIN};
  *first = settings_search(settings, &from);
  return settings_search(settings, &to);
}

/* ---- laws ------------------------------------------------------------------------------------ */

static ff_status settings_own_bindings(ff_sim *sim) {
  ff_settings *own = &sim->settings;
  if (!own->bindings) {
    size_t count = (size_t)sim->base->binding_count;
    own->bindings = ff_arena_take(&sim->arena, count, sizeof *own->bindings);
    if (!own->bindings) {
      return FF_ERROR_MEMORY;
    }
    memcpy(own->bindings, sim->base->bindings, count * sizeof *own->bindings);
    sim->own.bindings = own->bindings;
  }
  return FF_OK;
}

/* What a change while it runs may not touch: storage and the cores of shapes were made for it. */
static ff_status binding_check_change(const ff_sim *sim, const ff_binding *to, int index,
                                      ff_report *report) {
  const ff_binding *base = &sim->base->bindings[index];
  ff_model changed = sim->own;
  ff_binding before = sim->own.bindings[index];
  sim->settings.bindings[index] = *to;
  bool midpoint = ff_model_is_midpoint(&changed);
  sim->settings.bindings[index] = before;
  if (to->overlaps != base->overlaps || to->edges != base->edges ||
      to->printed_J != base->printed_J || midpoint != sim->base->midpoint) {
    return ff_report_what(report, "would change how the contact is computed: set it in the scene");
  }
  if (isfinite(to->layer.max_deflection) && to->layer.max_deflection > base->layer.max_deflection) {
    return ff_report_what(report, "deeper layers than in the scene need other cores of shapes: set "
                                  "it in the scene");
  }
  return FF_OK;
}

/* The binding of the model with its settings, as *out. */
static ff_status binding_rebuild(const ff_sim *sim, int index, ff_binding *out, ff_report *report) {
  int first, end = settings_of(&sim->settings, FF_SETTING_LAW, index, &first);
  *out = sim->base->bindings[index];
  for (int i = first; i < end; i++) {
    const ff_setting *item = &sim->settings.list[i];
    bool friction = item->param >= FF_SETTING_FRICTION;
    const ff_law *law = friction ? out->friction : out->normal;
    int param = friction ? item->param - FF_SETTING_FRICTION : item->param;
    if (param < 0 || param >= law->params_count) {
      return FF_ERROR_INPUT;
    }
    ff_law_params *given = friction ? &out->friction_given : &out->normal_given;
    ff_status status = ff_law_params_set(law, given, law->params[param].name, item->value, report);
    if (status != FF_OK) {
      return status;
    }
  }
  if (first == end) {
    return FF_OK;
  }
  ff_status status = ff_binding_resolve(out, sim->base, report);
  return status == FF_OK ? binding_check_change(sim, out, index, report) : status;
}

static ff_status settings_apply_law(ff_sim *sim, int index, ff_report *report) {
  ff_binding fresh;
  ff_status status = settings_own_bindings(sim);
  status = status == FF_OK ? binding_rebuild(sim, index, &fresh, report) : status;
  if (status == FF_OK) {
    sim->settings.bindings[index] = fresh;
  }
  return status;
}

/* ---- masses ---------------------------------------------------------------------------------- */

static ff_status settings_own_bodies(ff_sim *sim) {
  ff_settings *own = &sim->settings;
  if (!own->bodies) {
    size_t count = (size_t)sim->base->body_count;
    own->bodies = ff_arena_take(&sim->arena, count, sizeof *own->bodies);
    if (!own->bodies) {
      return FF_ERROR_MEMORY;
    }
    memcpy(own->bodies, sim->base->bodies, count * sizeof *own->bodies);
    sim->own.bodies = own->bodies;
  }
  return FF_OK;
}

static ff_status settings_own_robots(ff_sim *sim) {
  ff_settings *own = &sim->settings;
  size_t count = (size_t)sim->base->robot_count;
  if (!own->robots) {
    ff_model_robot *robots = ff_arena_take(&sim->arena, count, sizeof *robots);
    own->own = ff_arena_take(&sim->arena, count, sizeof *own->own);
    if (!robots || !own->own) {
      return FF_ERROR_MEMORY;
    }
    memcpy(robots, sim->base->robots, count * sizeof *robots);
    sim->own.robots = own->robots = robots;
  }
  return FF_OK;
}

/* Mass and inertia of a body with another mass of the same distribution. */
static void body_scale_mass(ff_model_body *body, const ff_model_body *base, double mass) {
  double factor = mass / base->mass;
  body->mass = mass;
  body->inv_mass = base->inv_mass / factor;
  body->inertia = v3_scale(factor, base->inertia);
  body->inv_inertia = v3_scale(1 / factor, base->inv_inertia);
}

/* The tree of a robot with the masses of its links. */
static ff_status robot_own_tree(ff_sim *sim, int robot) {
  const ff_model_robot *base = &sim->base->robots[robot];
  ff_own_robot *own = &sim->settings.own[robot];
  if (!own->tree) {
    own->ease = ff_arena_take(&sim->arena, 36 * (size_t)base->link_count, sizeof *own->ease);
    ff_status status = own->ease ? ff_tree_copy(&own->tree, base->tree) : FF_ERROR_MEMORY;
    if (status != FF_OK) {
      return status;
    }
  }
  ff_tree_copy_inertia(own->tree, base->tree);
  for (int i = base->first_body; i < base->first_body + base->link_count; i++) {
    const ff_model_body *from = &sim->base->bodies[i];
    int first, end = settings_of(&sim->settings, FF_SETTING_MASS, i, &first);
    sim->settings.bodies[i] = *from;
    if (first < end) {
      double more = sim->settings.list[first].value / from->mass - 1;
      ff_mat3 turn = q_matrix(from->frame.orientation), moments = {0};
      moments.m[0][0] = more * from->inertia.x;
      moments.m[1][1] = more * from->inertia.y;
      moments.m[2][2] = more * from->inertia.z;
      ff_mat3 turned = m3_product(m3_product(turn, moments), m3_transpose(turn));
      ff_tree_add_inertia(own->tree, from->link,
                          si_make(more * from->mass, from->frame.position, turned));
      body_scale_mass(&sim->settings.bodies[i], from, sim->settings.list[first].value);
    }
  }
  return FF_OK;
}

static ff_status settings_apply_robot(ff_sim *sim, int robot) {
  ff_status status = settings_own_robots(sim);
  status = status == FF_OK ? robot_own_tree(sim, robot) : status;
  if (status != FF_OK) {
    return status;
  }
  ff_model_robot *own = &sim->settings.robots[robot];
  own->tree = sim->settings.own[robot].tree;
  ff_state_robot *state = &sim->state.robots[robot];
  ff_tree_work_set_tree(state->work, own->tree);
  state->placed[0] = NAN;
  return ff_links_inverse_inertias(own, sim->settings.bodies, sim->settings.own[robot].ease);
}

static ff_status settings_apply_mass(ff_sim *sim, int index) {
  const ff_model_body *base = &sim->base->bodies[index];
  ff_status status = settings_own_bodies(sim);
  if (status != FF_OK) {
    return status;
  }
  if (base->robot >= 0) {
    return settings_apply_robot(sim, base->robot);
  }
  int first, end = settings_of(&sim->settings, FF_SETTING_MASS, index, &first);
  sim->settings.bodies[index] = *base;
  if (first < end) {
    body_scale_mass(&sim->settings.bodies[index], base, sim->settings.list[first].value);
  }
  return FF_OK;
}

/* ---- gains ----------------------------------------------------------------------------------- */

/* Robot of a joint that is counted over all robots; its number there replaces *joint. */
static int settings_find_joint(const ff_model *model, int *joint) {
  int robot = 0;
  while (robot < model->robot_count && *joint >= model->robots[robot].joint_count) {
    *joint -= model->robots[robot].joint_count;
    robot++;
  }
  return robot;
}

static ff_status robot_own_joints(ff_sim *sim, int robot) {
  const ff_model_robot *base = &sim->base->robots[robot];
  ff_own_robot *own = &sim->settings.own[robot];
  size_t count = (size_t)base->joint_count;
  if (!own->joints) {
    ff_model_joint *joints = ff_arena_take(&sim->arena, count, sizeof *joints);
    own->targets = ff_arena_take(&sim->arena, 2 * count, sizeof *own->targets);
    if (!joints || !own->targets) {
      return FF_ERROR_MEMORY;
    }
    memcpy(joints, base->joints, count * sizeof *joints);
    own->joints = joints;
    sim->settings.robots[robot].joints = joints;
  }
  return FF_OK;
}

static ff_status settings_apply_gain(ff_sim *sim, int index) {
  int joint = index, robot = settings_find_joint(sim->base, &joint);
  ff_status status = settings_own_robots(sim);
  status = status == FF_OK ? robot_own_joints(sim, robot) : status;
  if (status != FF_OK) {
    return status;
  }
  const ff_model_joint *base = &sim->base->robots[robot].joints[joint];
  ff_model_joint *own = &sim->settings.own[robot].joints[joint];
  int first, end = settings_of(&sim->settings, FF_SETTING_GAIN, index, &first);
  *own = *base;
  for (int i = first; i < end; i++) {
    const ff_setting *item = &sim->settings.list[i];
    *(item->param == 0 ? &own->stiffness : &own->damping) = item->value;
  }
  if (first < end && own->target.rows == 0) { /* as of a joint that the scene gives gains alone */
    double *target = sim->settings.own[robot].targets + 2 * (size_t)joint;
    target[0] = 0;
    target[1] = base->start;
    own->target = (ff_table){.values = target, .rows = 1, .width = 1};
    own->steady = own->torque.rows == 0;
  }
  return FF_OK;
}

/* ---- all ------------------------------------------------------------------------------------- */

static ff_status setting_apply(ff_sim *sim, ff_setting_kind kind, int index, ff_report *report) {
  switch (kind) {
    case FF_SETTING_LAW: return settings_apply_law(sim, index, report);
    case FF_SETTING_MASS: return settings_apply_mass(sim, index);
    default: return settings_apply_gain(sim, index);
  }
}

/* Does a setting, which may have been read from bytes, refer to what exists? */
static bool setting_is_known(const ff_model *model, const ff_setting *item) {
  if (item->index < 0 || !isfinite(item->value)) {
    return false;
  }
  if (item->kind == FF_SETTING_LAW) {
    return item->index < model->binding_count; /* the rest is checked where it is applied */
  }
  if (item->kind == FF_SETTING_MASS) {
    return item->index < model->body_count && model->bodies[item->index].mass > 0 &&
           item->value > 0;
  }
  int joint = item->index, robot = settings_find_joint(model, &joint);
  return item->kind == FF_SETTING_GAIN && robot < model->robot_count &&
         !model->robots[robot].joints[joint].follows && item->param >= 0 && item->param <= 1 &&
         item->value >= 0;
}

static ff_status settings_apply_list(ff_sim *sim, const ff_setting *list, int count) {
  ff_status status = FF_OK;
  for (int i = 0; i < count && status == FF_OK; i++) {
    bool again = i > 0 && list[i].kind == list[i - 1].kind && list[i].index == list[i - 1].index;
    if (!again) {
      status = setting_apply(sim, (ff_setting_kind)list[i].kind, list[i].index, NULL);
    }
  }
  return status;
}

/* Makes the list the settings of the sim. */
static ff_status settings_replace(ff_sim *sim, const ff_setting *list, int count) {
  ff_settings *settings = &sim->settings;
  ff_settings before = *settings;
  for (int i = 0; i < count; i++) {
    if (!setting_is_known(sim->base, &list[i]) ||
        (i > 0 && setting_compare(&list[i - 1], &list[i]) >= 0)) {
      return FF_ERROR_INPUT;
    }
  }
  settings->list = NULL;
  settings->count = settings->capacity = 0;
  ff_status status = settings_reserve(settings, count);
  if (status == FF_OK && count > 0) {
    memcpy(settings->list, list, (size_t)count * sizeof *list);
    settings->count = count;
  }
  /* What was set before and is not any more takes the values of the model. */
  status = status == FF_OK ? settings_apply_list(sim, before.list, before.count) : status;
  status = status == FF_OK ? settings_apply_list(sim, settings->list, settings->count) : status;
  if (status != FF_OK) {
    ff_setting *failed = settings->list;
    int failed_count = settings->count;
    settings->list = before.list;
    settings->count = before.count;
    settings->capacity = before.capacity;
    settings_apply_list(sim, failed, failed_count);
    settings_apply_list(sim, before.list, before.count);
    ff_free(failed);
    return status;
  }
  ff_free(before.list);
  return FF_OK;
}

ff_status ff_settings_load(ff_sim *sim, ff_keep *keep) {
  ff_settings *settings = &sim->settings;
  int count = 0;
  ff_keep_count(keep, "settings.count", &count, INT_MAX);
  size_t bytes = (size_t)count * sizeof(ff_setting);
  if (keep->bad || bytes > keep->capacity - keep->used) {
    return FF_ERROR_INPUT;
  }
  const void *data = keep->data + keep->used;
  keep->used += bytes;
  if (count == settings->count && (count == 0 || memcmp(data, settings->list, bytes) == 0)) {
    return FF_OK;
  }
  ff_setting *list = ff_alloc((size_t)count + 1, sizeof *list);
  if (!list) {
    return FF_ERROR_MEMORY;
  }
  memcpy(list, data, bytes);
  ff_status status = settings_replace(sim, list, count);
  ff_free(list);
  return status;
}

void ff_settings_keep(ff_sim *sim, ff_keep *keep) {
  ff_settings *settings = &sim->settings;
  int count = settings->count;
  ff_keep_count(keep, "settings.count", &count, INT_MAX);
  if (keep->mode == FF_KEEP_SAVE) {
    ff_keep_block(keep, "settings", settings->list, count, sizeof *settings->list);
  } else {
    keep->used += (size_t)count * sizeof *settings->list;
  }
}

void ff_settings_free(ff_sim *sim) {
  ff_settings *settings = &sim->settings;
  for (int r = 0; settings->own && r < sim->own.robot_count; r++) {
    ff_tree_destroy(&settings->own[r].tree);
  }
  ff_free(settings->list);
  *settings = (ff_settings){0};
}

/* ---- changes --------------------------------------------------------------------------------- */

/* Puts one setting into effect, or leaves all as it was. */
static ff_status settings_change(ff_sim *sim, ff_setting_kind kind, int index, int param,
                                 double value, ff_report *report) {
  ff_settings *settings = &sim->settings;
  const ff_setting key = {.kind = (int)kind, .index = index, .param = param};
  int at = settings_search(settings, &key);
  bool known = at < settings->count && setting_compare(&settings->list[at], &key) == 0;
  double before = known ? settings->list[at].value : NAN;
  ff_status status = settings_put(settings, kind, index, param, value);
  if (status != FF_OK) {
    return status;
  }
  status = setting_apply(sim, kind, index, report);
  if (status != FF_OK) {
    if (known) {
      settings->list[at].value = before;
    } else {
      settings->count--;
      memmove(&settings->list[at], &settings->list[at + 1],
              (size_t)(settings->count - at) * sizeof *settings->list);
    }
    setting_apply(sim, kind, index, NULL);
  }
  return status;
}

/* Different bindings of the shapes of two bodies; returns their number, at most `most`. */
static int bindings_between(const ff_model *model, int a, int b, int *out, int most) {
  const ff_model_body *ba = &model->bodies[a], *bb = &model->bodies[b];
  int count = 0;
  for (int i = ba->first_shape; i < ba->first_shape + ba->shape_count; i++) {
    for (int j = bb->first_shape; j < bb->first_shape + bb->shape_count; j++) {
      int entry = model->shapes[i].class_index * model->class_count + model->shapes[j].class_index;
      int binding = model->class_table[entry], k = 0;
      while (k < count && out[k] != binding) {
        k++;
      }
      if (binding >= 0 && k == count && count < most) {
        out[count++] = binding;
      }
    }
  }
  return count;
}

static const ff_law *binding_law(const ff_binding *binding, ff_law_kind kind) {
  return kind == FF_LAW_FRICTION ? binding->friction : binding->normal;
}

/* Of a law, by name; -1 and a report (may be NULL): unknown. */
static int law_find_param(const ff_law *law, const char *name, ff_report *report) {
  const char *known[FF_LAW_PARAMS_SIZE / sizeof(double)];
  for (int i = 0; i < law->params_count; i++) {
    if (name && strcmp(law->params[i].name, name) == 0) {
      return i;
    }
    known[i] = law->params[i].name;
  }
  ff_report_unknown(report, "parameter", name ? name : "", known, law->params_count);
  return -1;
}

enum { BINDINGS_MOST = 64 }; /* of one pair of bodies */

ff_status ff_sim_set_law(ff_sim *sim, ff_body a, ff_body b, ff_law_kind kind, const char *name,
                         double value, ff_report *report) {
  if (!sim || !ff_model_has_body(sim->model, a) || !ff_model_has_body(sim->model, b) ||
      (kind != FF_LAW_NORMAL && kind != FF_LAW_FRICTION)) {
    return ff_report_what(report, "there is no such sim, body or kind of law");
  }
  int bindings[BINDINGS_MOST];
  int count = bindings_between(sim->model, a.id - 1, b.id - 1, bindings, BINDINGS_MOST);
  if (count == 0) {
    return ff_report_what(report, "no contact law joins these bodies");
  }
  ff_status status = FF_OK;
  for (int i = 0; i < count && status == FF_OK; i++) {
    const ff_law *law = binding_law(&sim->model->bindings[bindings[i]], kind);
    int param = law_find_param(law, name, report);
    int offset = kind == FF_LAW_FRICTION ? FF_SETTING_FRICTION : 0;
    status = param < 0
                 ? FF_ERROR_INPUT
                 : settings_change(sim, FF_SETTING_LAW, bindings[i], param + offset, value, report);
  }
  return status == FF_OK ? ff_sim_take_change(sim) : status;
}

double ff_sim_law(const ff_sim *sim, ff_body a, ff_body b, ff_law_kind kind, const char *name) {
  int binding;
  if (!sim || !ff_model_has_body(sim->model, a) || !ff_model_has_body(sim->model, b) ||
      (kind != FF_LAW_NORMAL && kind != FF_LAW_FRICTION) ||
      bindings_between(sim->model, a.id - 1, b.id - 1, &binding, 1) == 0) {
    return NAN;
  }
  const ff_binding *at = &sim->model->bindings[binding];
  return ff_law_params_get(binding_law(at, kind),
                           kind == FF_LAW_FRICTION ? &at->friction_params : &at->normal_params,
                           name);
}

ff_status ff_sim_set_mass(ff_sim *sim, ff_body body, double mass) {
  if (!sim || !ff_model_has_body(sim->model, body) || !(mass > 0) || !isfinite(mass)) {
    return FF_ERROR_INPUT;
  }
  const ff_model_body *own = &sim->model->bodies[body.id - 1];
  if (!(own->mass > 0)) { /* fixed, prescribed, or a link without mass */
    return FF_ERROR_INPUT;
  }
  double factor = mass / own->mass;
  ff_status status = settings_change(sim, FF_SETTING_MASS, body.id - 1, 0, mass, NULL);
  if (status == FF_OK && own->slot >= 0) { /* velocities stay */
    double *momentum = ff_state_body(&sim->state, own->slot) + FF_Y_L;
    for (int i = 0; i < 3; i++) {
      momentum[i] *= factor;
    }
  }
  return status == FF_OK ? ff_sim_take_change(sim) : status;
}

ff_status ff_sim_set_gains(ff_sim *sim, ff_joint_id joint, double stiffness, double damping) {
  const ff_model_joint *own = sim ? ff_model_joint_of(sim->model, joint) : NULL;
  if (!own || own->follows || !(stiffness >= 0) || !isfinite(stiffness) || !(damping >= 0) ||
      !isfinite(damping)) {
    return FF_ERROR_INPUT;
  }
  int index = joint.id - 1;
  for (int r = 0; r < joint.robot - 1; r++) {
    index += sim->model->robots[r].joint_count;
  }
  ff_status status = settings_change(sim, FF_SETTING_GAIN, index, 0, stiffness, NULL);
  status =
      status == FF_OK ? settings_change(sim, FF_SETTING_GAIN, index, 1, damping, NULL) : status;
  sim->ordered = true; /* the stepper sees it before its next step */
  return status;
}
