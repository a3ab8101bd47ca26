/* Queries of a model. */
#include "geom/distance.h"
#include "geom/hull.h"
#include "geom/overlap.h"
#include "geom/parts.h"
#include "math/vec.h"
#include "model/model.h"

#include <string.h>

/* Of what is not there names are "", numbers NAN, 0 or none. */

const ff_run_def *ff_model_run(const ff_model *model) {
  return model ? &model->run : NULL;
}

const char *ff_model_stepper_reason(const ff_model *model) {
  return model ? model->stepper_reason : "";
}

bool ff_model_default_contacts(const ff_model *model) {
  return model && model->default_contacts;
}

int ff_model_body_count(const ff_model *model) {
  return model ? model->body_count : 0;
}

const char *ff_model_body_name(const ff_model *model, ff_body body) {
  return ff_model_has_body(model, body) ? model->bodies[body.id - 1].name : "";
}

ff_body ff_model_body_at(const ff_model *model, int number) {
  bool known = number >= 1 && number <= ff_model_body_count(model);
  return known ? ff_body_id(model, number - 1) : (ff_body){.id = 0};
}

ff_body ff_model_body_find(const ff_model *model, const char *name) {
  for (int i = 0; model && name && i < model->body_count; i++) {
    if (strcmp(model->bodies[i].name, name) == 0) {
      return ff_body_id(model, i);
    }
  }
  return (ff_body){.id = 0};
}

int ff_model_robot_count(const ff_model *model) {
  return model ? model->robot_count : 0;
}

ff_robot_id ff_model_robot_at(const ff_model *model, int number) {
  bool known = number >= 1 && number <= ff_model_robot_count(model);
  return known ? (ff_robot_id){number, model->mark} : (ff_robot_id){0};
}

ff_robot_info ff_model_robot_info(const ff_model *model, ff_robot_id robot) {
  const ff_model_robot *r = ff_model_robot_of(model, robot);
  if (!r) {
    return (ff_robot_info){.name = ""};
  }
  return (ff_robot_info){.name = r->name,
                         .tree = r->tree,
                         .joint_count = r->joint_count,
                         .first = ff_body_id(model, r->first_body),
                         .controller = r->controller};
}

ff_robot_id ff_model_robot_find(const ff_model *model, const char *name) {
  for (int i = 0; model && name && i < model->robot_count; i++) {
    if (strcmp(model->robots[i].name, name) == 0) {
      return ff_model_robot_at(model, i + 1);
    }
  }
  return (ff_robot_id){0};
}

ff_joint_id ff_model_joint_at(const ff_model *model, ff_robot_id robot, int number) {
  const ff_model_robot *r = ff_model_robot_of(model, robot);
  bool known = r && number >= 1 && number <= r->joint_count;
  return known ? (ff_joint_id){robot.id, number, model->mark} : (ff_joint_id){0};
}

ff_joint_id ff_model_joint_find(const ff_model *model, ff_robot_id robot, const char *name) {
  const ff_model_robot *r = ff_model_robot_of(model, robot);
  for (int i = 0; r && name && i < r->joint_count; i++) {
    if (strcmp(r->joints[i].name, name) == 0) {
      return ff_model_joint_at(model, robot, i + 1);
    }
  }
  return (ff_joint_id){0};
}

const char *ff_model_joint_name(const ff_model *model, ff_joint_id joint) {
  const ff_model_joint *own = ff_model_joint_of(model, joint);
  return own ? own->name : "";
}

/* R diag(d) R^T */
static ff_mat3 rotated_inertia(ff_quat q, ff_vec3 d) {
  ff_mat3 r = q_matrix(q), out;
  const double moments[3] = {d.x, d.y, d.z};
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) {
      out.m[i][j] = 0;
      for (int k = 0; k < 3; k++) {
        out.m[i][j] += r.m[i][k] * moments[k] * r.m[j][k];
      }
    }
  }
  return out;
}

ff_body_info ff_model_body_info(const ff_model *model, ff_body body) {
  if (!ff_model_has_body(model, body)) {
    return (ff_body_info){.name = "", .mass = NAN};
  }
  const ff_model_body *b = &model->bodies[body.id - 1];
  return (ff_body_info){.name = b->name,
                        .kind = b->kind,
                        .mass = b->slot >= 0 || b->robot >= 0 ? b->mass : INFINITY,
                        .com = b->frame.position,
                        .inertia = rotated_inertia(b->frame.orientation, b->inertia),
                        .principal = b->inertia,
                        .shape_count = b->shape_count};
}

int ff_model_constraint_count(const ff_model *model) {
  return model ? model->constraint_count : 0;
}

ff_constraint_id ff_model_constraint_at(const ff_model *model, int number) {
  bool known = number >= 1 && number <= ff_model_constraint_count(model);
  return known ? (ff_constraint_id){number, model->mark} : (ff_constraint_id){0};
}

ff_constraint_id ff_model_constraint_find(const ff_model *model, const char *name) {
  for (int i = 0; model && name && i < model->constraint_count; i++) {
    if (strcmp(model->constraints[i].name, name) == 0) {
      return ff_model_constraint_at(model, i + 1);
    }
  }
  return (ff_constraint_id){0};
}

ff_constraint_info ff_model_constraint_info(const ff_model *model, ff_constraint_id constraint) {
  if (!model || !ff_id_fits(model, constraint.id, model->constraint_count, constraint.of)) {
    return (ff_constraint_info){.name = "", .length = NAN};
  }
  const ff_model_constraint *c = &model->constraints[constraint.id - 1];
  return (ff_constraint_info){.name = c->name,
                              .kind = c->kind,
                              .a = ff_body_id(model, c->a),
                              .b = ff_body_id(model, c->b),
                              .anchor_a = pose_point(model->bodies[c->a].frame, c->anchor_a),
                              .anchor_b = pose_point(model->bodies[c->b].frame, c->anchor_b),
                              .length = c->length};
}

int ff_model_shape_count(const ff_model *model) {
  return model ? model->shape_count : 0;
}

ff_shape ff_model_shape_at(const ff_model *model, int number) {
  bool known = number >= 1 && number <= ff_model_shape_count(model);
  return known ? ff_shape_id(model, number - 1) : (ff_shape){.id = 0};
}

ff_shape_info ff_model_shape_info(const ff_model *model, ff_shape shape) {
  if (!model || !ff_id_fits(model, shape.id, model->shape_count, shape.of)) {
    return (ff_shape_info){.volume = NAN};
  }
  const ff_model_shape *s = &model->shapes[shape.id - 1];
  const ff_hull *hull = s->geom.hull;
  return (ff_shape_info){.body = ff_body_id(model, s->body),
                         .kind = s->geom.kind,
                         .size = s->geom.size,
                         .exponents = {s->geom.exponents[0], s->geom.exponents[1]},
                         .vertex_count = hull ? hull->vertex_count : 0,
                         .vertices = hull ? hull->vertices : NULL,
                         .face_count = hull ? hull->face_count : 0,
                         .member_count = s->geom.parts ? s->geom.parts->count : 0,
                         .volume = ff_geom_volume(&s->geom),
                         .pose = pose_mul(model->bodies[s->body].frame, s->pose),
                         .material = s->material >= 0 ? model->material_names[s->material] : NULL};
}

/* ---- body pairs and their stable step -------------------------------------------------------- */

int ff_model_pair_count(const ff_model *model) {
  return model ? model->pair_count : 0;
}

/* m, signed distance of two shapes initially; INFINITY between half-spaces. */
static double start_distance(const ff_geom *a, ff_pose at_a, const ff_geom *b, ff_pose at_b) {
  ff_distance near;
  if (b->kind != FF_HALF_SPACE) {
    if (a->kind == FF_HALF_SPACE) {
      return start_distance(b, at_b, a, at_a);
    }
    ff_distance_query(&near, a, &at_a, b, &at_b, INFINITY);
    return near.gap;
  }
  if (a->kind == FF_HALF_SPACE) {
    return INFINITY;
  }
  ff_vec3 n = q_axis_z(at_b.orientation);
  ff_vec3 low = ff_geom_support(a, q_unrotate(at_a.orientation, v3_neg(n)));
  return v3_dot(n, v3_sub(pose_point(at_a, low), at_b.position));
}

/* Smallest gap between the shapes of two bodies initially. */
static double pair_start_gap(const ff_model *model, const ff_model_pair *pair) {
  const ff_model_body *a = &model->bodies[pair->a], *b = &model->bodies[pair->b];
  double gap = INFINITY;
  for (int i = a->first_shape; i < a->first_shape + a->shape_count; i++) {
    for (int j = b->first_shape; j < b->first_shape + b->shape_count; j++) {
      const ff_model_shape *sa = &model->shapes[i], *sb = &model->shapes[j];
      gap = fmin(gap, start_distance(&sa->geom, pose_mul(a->start, sa->pose), &sb->geom,
                                     pose_mul(b->start, sb->pose)));
    }
  }
  return fmax(gap, 0);
}

/* Sample contact for evaluating laws: the initial poses, brought into contact. */
typedef struct probe {
  const ff_binding *binding;
  ff_geom geom;   /* overlap laws: the shape that overlaps the half-space, */
  ff_vec3 normal; /* and the half-space's normal in its frame */
} probe;

static probe pair_probe(const ff_model *model, const ff_model_pair *pair) {
  const ff_model_body *a = &model->bodies[pair->a], *b = &model->bodies[pair->b];
  probe out = {.binding = &model->bindings[pair->binding]};
  for (int k = 0; out.binding->overlaps && k < a->shape_count * b->shape_count; k++) {
    const ff_model_shape *sa = &model->shapes[a->first_shape + k / b->shape_count];
    const ff_model_shape *sb = &model->shapes[b->first_shape + k % b->shape_count];
    int entry = sa->class_index * model->class_count + sb->class_index;
    if (model->class_table[entry] == pair->binding) {
      ff_quat qa = q_mul(a->start.orientation, sa->pose.orientation);
      ff_quat qb = q_mul(b->start.orientation, sb->pose.orientation);
      out.geom = sa->geom;
      out.normal = q_unrotate(qa, q_rotate(qb, v3(0, 0, 1)));
      break;
    }
  }
  return out;
}

static ff_patch probe_patch(const probe *p, double depth, double rate) {
  ff_patch patch = {.depth = depth, .depth_rate = rate};
  if (p->binding->overlaps) {
    double span = ff_geom_reach(&p->geom, p->normal) + ff_geom_rise(&p->geom, p->normal);
    ff_cut cut = {p->normal, depth, span - depth};
    ff_slab slab;
    ff_geom_overlap(&p->geom, &cut, &slab);
    ff_vec3 t1 = v3_orthogonal(p->normal);
    patch.overlap = ff_overlap_seen(&slab, t1, v3_cross(p->normal, t1));
  }
  return patch;
}

/* Does the law store less at a depth than the kinetic energy of the approach and the work of the
 * weight? */
static bool probe_stores_less(const probe *p, double depth, double energy, double weight) {
  ff_normal normal;
  ff_patch patch = probe_patch(p, depth, 0);
  p->binding->normal->normal(&p->binding->normal_params, &patch, &normal);
  return normal.energy < energy + weight * depth;
}

/* Depth at which it stores as much, by bisection to the last bit. */
static double probe_deepest(const probe *p, double energy, double weight) {
  double low = 0, high = 1;
  for (int i = 0; i < 40 && probe_stores_less(p, high, energy, weight); i++) {
    low = high;
    high *= 2;
  }
  double middle = 0.5 * (low + high);
  for (int i = 0; i < 160 && middle > low && middle < high; i++) {
    *(probe_stores_less(p, middle, energy, weight) ? &low : &high) = middle;
    middle = 0.5 * (low + high);
  }
  return high;
}

static double pair_inverse_mass(const ff_model *model, const ff_model_pair *pair) {
  return model->bodies[pair->a].inv_mass + model->bodies[pair->b].inv_mass;
}

/* Step that resolves the contact for the approach in the scene: a fall over the initial gap in
 * addition to the initial relative speed. */
static double pair_stable_step(const ff_model *model, const ff_model_pair *pair,
                               const ff_binding *binding) {
  if (!binding->normal->normal) { /* rigid: solved for, any step */
    return INFINITY;
  }
  const ff_model_body *a = &model->bodies[pair->a], *b = &model->bodies[pair->b];
  double inv_mass = pair_inverse_mass(model, pair);
  double g = v3_norm(model->run.gravity);
  double gap = pair_start_gap(model, pair);
  double v = v3_norm(v3_sub(a->velocity, b->velocity));
  double speed = sqrt(v * v + 2 * g * (isfinite(gap) ? gap : 0));
  ff_normal normal;
  probe p = pair_probe(model, pair);
  double depth = probe_deepest(&p, 0.5 * speed * speed / inv_mass, g / inv_mass);
  ff_patch patch = probe_patch(&p, depth, speed);
  binding->normal->normal(&binding->normal_params, &patch, &normal);
  double rate = fmax(sqrt(fmax(normal.d_depth, 0) * inv_mass), normal.d_rate * inv_mass);
  if (ff_model_holds(model, binding)) {
    return FF_FINE_STEP / rate;
  }
  /* Friction under the weight: a stiff regularised law needs short steps too. */
  ff_friction friction = {0};
  double memory[FF_MEMORY_MAX] = {0};
  normal.force = g / inv_mass;
  binding->friction->friction(&binding->friction_params, &patch, &normal, memory, &friction);
  rate = fmax(rate, fabs(friction.d_slip[0][0]) * inv_mass);
  return FF_FINE_STEP / rate;
}

ff_pair_info ff_model_pair_info(const ff_model *model, int index) {
  if (!model || index < 0 || index >= model->pair_count) {
    return (ff_pair_info){.mass = NAN, .stable_step = NAN};
  }
  const ff_model_pair *pair = &model->pairs[index];
  const ff_binding *binding = &model->bindings[pair->binding];
  return (ff_pair_info){.a = ff_body_id(model, pair->a),
                        .b = ff_body_id(model, pair->b),
                        .normal = binding->normal,
                        .friction = binding->friction,
                        .normal_params = binding->normal_params,
                        .friction_params = binding->friction_params,
                        .material = binding->pair,
                        .laws = pair->binding + 1,
                        .mass = 1 / pair_inverse_mass(model, pair),
                        .stable_step = pair_stable_step(model, pair, binding)};
}

double ff_model_stable_step(const ff_model *model) {
  double out = INFINITY;
  for (int i = 0; model && i < model->pair_count; i++) {
    const ff_model_pair *pair = &model->pairs[i];
    out = fmin(out, pair_stable_step(model, pair, &model->bindings[pair->binding]));
  }
  return out;
}

const char *ff_event_kind_name(ff_event_kind kind) {
  static const char *const names[FF_EVENT_KIND_COUNT] = {
      [FF_EVENT_TOUCH] = "touch", [FF_EVENT_LIFT] = "lift",           [FF_EVENT_STICK] = "stick",
      [FF_EVENT_SLIP] = "slip",   [FF_EVENT_FORCE_END] = "force-end", [FF_EVENT_CORE] = "core",
      [FF_EVENT_STOP] = "stop"};
  return (unsigned)kind < FF_EVENT_KIND_COUNT ? names[kind] : "";
}
