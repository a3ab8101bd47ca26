/* Construction of an immutable tree from link definitions, and its workspace. */
#include "base/memory.h"
#include "base/report.h"
#include "tree/tree.h"

#include <string.h>

ff_link_def ff_link_def_default(void) {
  return (ff_link_def){
      .joint = {.kind = FF_JOINT_FIXED,
                .frame = {{0, 0, 0}, {1, 0, 0, 0}},
                .axis = {0, 0, 1},
                .axis2 = {1, 0, 0},
                .friction_speed = 1e-3,
                .lower = -INFINITY,
                .upper = INFINITY},
      .factor = 1,
  };
}

/* ---- building -------------------------------------------------------------------------------- */

static void tree_set_link(ff_tree *tree, int i, const ff_link_def *def, const char *name) {
  ff_tree_link_data *link = &tree->links[i];
  ff_joint_kind kind = def->joint.kind;
  *link = (ff_tree_link_data){.name = name,
                              .parent = def->parent,
                              .q_at = tree->q_count,
                              .v_at = tree->v_count,
                              .s_at = tree->s_count,
                              .q_count = ff_joint_q_count(kind),
                              .v_count = ff_joint_v_count(kind),
                              .hinge = kind == FF_JOINT_REVOLUTE || kind == FF_JOINT_CONTINUOUS,
                              .follows = def->follows,
                              .factor = def->follows > 0 ? def->factor : 1,
                              .offset = def->follows > 0 ? def->offset : 0,
                              .joint = def->joint,
                              .inertia = si_make(def->mass, def->com, def->inertia)};
  ff_joint_def *joint = &link->joint;
  ff_quat turn = joint->frame.orientation = q_unit(joint->frame.orientation);
  link->idle = joint->damping == 0 && joint->friction == 0 && joint->stiffness == 0 &&
               joint->limit_stiffness == 0;
  link->concentric = link->hinge && v3_norm(joint->frame.position) == 0;
  link->parallel = turn.x == 0 && turn.y == 0 && turn.z == 0;
  if (link->q_count > 0 && link->q_count < 4) {
    joint->axis = v3_unit(joint->axis);
  }
  if (joint->kind == FF_JOINT_PLANAR) {
    ff_vec3 along = v3_axpy(joint->axis2, -v3_dot(joint->axis2, joint->axis), joint->axis);
    joint->axis2 = v3_unit(along);
  } else if (joint->kind == FF_JOINT_UNIVERSAL) {
    joint->axis2 = v3_unit(joint->axis2);
  }
  if (link->follows == 0) {
    tree->q_count += link->q_count;
    tree->v_count += link->v_count;
  }
  tree->s_count += link->v_count;
  tree->mass += def->mass;
}

/* Links fixed to others that carry no moving links are merged into them. */
static void tree_merge_fixed_links(ff_tree *tree) {
  for (int i = tree->count - 1; i > 0; i--) {
    ff_tree_link_data *link = &tree->links[i], *parent = &tree->links[link->parent];
    link->still = link->joint.kind == FF_JOINT_FIXED && link->parent > 0 && !link->moves;
    parent->moves = parent->moves || !link->still;
    if (link->still) {
      ff_mat3 turn = q_matrix(link->joint.frame.orientation);
      ff_si turned = si_rotated(&link->inertia, &turn);
      parent->inertia = si_add(parent->inertia, si_back(link->joint.frame.position, &turned));
      link->inertia = (ff_si){.m = 0};
    }
  }
}

/* Resolves chains of mimic joints: finds the link whose coordinate moves link i. False if they form
 * a cycle. */
static bool tree_resolve_mimic(ff_tree *tree, int i) {
  ff_tree_link_data *link = &tree->links[i];
  for (int steps = 0; tree->links[link->follows].follows > 0; steps++) {
    const ff_tree_link_data *other = &tree->links[link->follows];
    if (steps > tree->count || link->follows == i) {
      return false;
    }
    link->offset += link->factor * other->offset;
    link->factor *= other->factor;
    link->follows = other->follows;
  }
  link->q_at = tree->links[link->follows].q_at;
  link->v_at = tree->links[link->follows].v_at;
  return link->follows != i;
}

static ff_status tree_resolve_mimics(ff_tree *tree, ff_report *report) {
  for (int i = 1; i < tree->count; i++) {
    if (tree->links[i].follows > 0 && !tree_resolve_mimic(tree, i)) {
      ff_report_what(report, "joints that mimic each other in a cycle have no coordinate");
      ff_report_key(report, "links.%s.follows", tree->links[i].name);
      return FF_ERROR_INPUT;
    }
  }
  return FF_OK;
}

/* Last coordinate on the path from a link to the ground; -1: none. */
static int last_dof(const ff_tree *tree, int link) {
  while (link > 0 && tree->links[link].v_count == 0) {
    link = tree->links[link].parent;
  }
  return link > 0 ? tree->links[link].v_at + tree->links[link].v_count - 1 : -1;
}

/* rotors: see ff_tree_build_rotors. */
static void set_dofs(ff_tree *tree, const double *rotors) {
  bool full = tree->s_count > tree->v_count;
  for (int i = 1; i < tree->count; i++) {
    const ff_tree_link_data *link = &tree->links[i];
    for (int k = 0; k < link->v_count; k++) {
      int at = link->v_at + k;
      tree->dof_parent[at] = full || k > 0 ? at - 1 : last_dof(tree, link->parent);
      double given = rotors ? rotors[(i - 1) * FF_JOINT_DOF + k] : NAN;
      double armature = isnan(given) ? link->joint.armature : given;
      tree->armature[at] += link->factor * link->factor * armature;
      tree->rotors = tree->rotors || armature > 0;
    }
    tree->resists = tree->resists || link->joint.damping > 0 || link->joint.friction > 0;
  }
}

/* Is D positive for every joint? Checked at the neutral configuration, which reveals massless
 * links; the dynamics check again at each state. */
static ff_status tree_check_inertia(const ff_tree *tree, ff_report *report) {
  ff_tree_work *work = NULL;
  ff_status status = ff_tree_work_create(&work, tree);
  size_t n = (size_t)tree->v_count;
  double *buffer = ff_alloc((size_t)tree->q_count + 2 * n + 1, sizeof *buffer);
  if (status != FF_OK || !buffer) {
    ff_tree_work_destroy(&work);
    ff_free(buffer);
    return FF_ERROR_MEMORY;
  }
  ff_tree_neutral(tree, buffer);
  ff_tree_update(work, buffer, NULL);
  double *tau = buffer + tree->q_count;
  if (!ff_tree_forward_dynamics(work, tau, (ff_vec3){0, 0, 0}, NULL, tau)) {
    bool floats = tree->links[work->stuck].joint.kind == FF_JOINT_FREE;
    status =
        ff_report_what(report, floats ? "floats without mass or inertia of its own, and its "
                                        "joints let all else move: give it some, or fix it"
                                      : "moves links without inertia about its joint axis: "
                                        "give them some, or the joint rotor inertia (armature)");
    ff_report_key(report, "links%s%s", work->stuck > 0 ? "." : "",
                  work->stuck > 0 ? tree->links[work->stuck].name : "");
  }
  ff_tree_work_destroy(&work);
  ff_free(buffer);
  return status;
}

static size_t names_size(const ff_link_def *links, int count) {
  size_t size = 1;
  for (int i = 0; i < count; i++) {
    size += links[i].name ? strlen(links[i].name) + 1 : 0;
  }
  return size;
}

static ff_status tree_fill(ff_tree *tree, const ff_link_def *links, int count, const double *rotors,
                           ff_report *report) {
  size_t buffer = (size_t)count * FF_JOINT_DOF + 1;
  tree->links = ff_alloc((size_t)count + 1, sizeof *tree->links);
  tree->dof_parent = ff_alloc(buffer, sizeof *tree->dof_parent);
  tree->armature = ff_alloc(buffer, sizeof *tree->armature);
  tree->names = ff_alloc(names_size(links, count), 1);
  if (!tree->links || !tree->dof_parent || !tree->armature || !tree->names) {
    return FF_ERROR_MEMORY;
  }
  tree->count = count + 1;
  tree->links[0].joint.frame.orientation = q_identity();
  char *to = tree->names;
  for (int i = 0; i < count; i++) {
    const char *name = "";
    if (links[i].name) {
      name = strcpy(to, links[i].name);
      to += strlen(to) + 1;
    }
    tree_set_link(tree, i + 1, &links[i], name);
  }
  tree_merge_fixed_links(tree);
  ff_status status = tree_resolve_mimics(tree, report);
  if (status == FF_OK) {
    set_dofs(tree, rotors);
  }
  return status;
}

ff_status ff_tree_build(ff_tree **out, const ff_link_def *links, int count, ff_report *report) {
  return ff_tree_build_rotors(out, links, count, NULL, report);
}

ff_status ff_tree_build_rotors(ff_tree **out, const ff_link_def *links, int count,
                               const double *rotors, ff_report *report) {
  if (!out) {
    return FF_ERROR_INPUT;
  }
  *out = NULL;
  if (count < 0 || (!links && count > 0)) {
    return ff_report_what(report, "there are no links");
  }
  for (int i = 0; i < count; i++) {
    ff_status status = ff_link_check(links, count, i, report);
    if (status != FF_OK) {
      return status;
    }
  }
  ff_tree *tree = ff_alloc(1, sizeof *tree);
  if (!tree) {
    return FF_ERROR_MEMORY;
  }
  ff_status status = tree_fill(tree, links, count, rotors, report);
  status = status == FF_OK ? tree_check_inertia(tree, report) : status;
  if (status != FF_OK) {
    ff_tree_destroy(&tree);
    return status;
  }
  *out = tree;
  return FF_OK;
}

void ff_tree_destroy(ff_tree **at) {
  ff_tree *tree = at ? *at : NULL;
  if (tree) {
    *at = NULL;
    ff_free(tree->links);
    ff_free(tree->dof_parent);
    ff_free(tree->armature);
    ff_free(tree->names);
    ff_free(tree);
  }
}

/* ---- workspace ------------------------------------------------------------------------------- */

ff_status ff_tree_work_create(ff_tree_work **out, const ff_tree *tree) {
  if (!out) {
    return FF_ERROR_INPUT;
  }
  *out = NULL;
  if (!tree) {
    return FF_ERROR_INPUT;
  }
  ff_tree_work *work = ff_alloc(1, sizeof *work);
  if (!work) {
    return FF_ERROR_MEMORY;
  }
  work->tree = tree;
  work->base.pose = tree->links[0].joint.frame;
  size_t links = (size_t)tree->count, n = (size_t)tree->v_count, columns = (size_t)tree->s_count;
  const struct {
    void **to;
    size_t count, size;
  } buffers[] = {
      {(void **)&work->rates, n, sizeof *work->rates},
      {(void **)&work->r, links, sizeof *work->r},
      {(void **)&work->pose, links, sizeof *work->pose},
      {(void **)&work->turn, links, sizeof *work->turn},
      {(void **)&work->v, links, sizeof *work->v},
      {(void **)&work->c, links, sizeof *work->c},
      {(void **)&work->s, columns, sizeof *work->s},
      {(void **)&work->s_ring, columns, sizeof *work->s_ring},
      {(void **)&work->inertia, links, sizeof *work->inertia},
      {(void **)&work->momentum, links, sizeof *work->momentum},
      {(void **)&work->a, links, sizeof *work->a},
      {(void **)&work->f, links, sizeof *work->f},
      {(void **)&work->more, links, sizeof *work->more},
      {(void **)&work->ic, links, sizeof *work->ic},
      {(void **)&work->ia, links, sizeof *work->ia},
      {(void **)&work->b, links, sizeof *work->b},
      {(void **)&work->u, n, sizeof *work->u},
      {(void **)&work->d, n * FF_JOINT_DOF, sizeof *work->d},
      {(void **)&work->rest, n, sizeof *work->rest},
      {(void **)&work->jacobian, 6 * n, sizeof *work->jacobian},
      {(void **)&work->added, n, sizeof *work->added},
      {(void **)&work->h, columns > n ? n * n : 0, sizeof *work->h},
  };
  size_t bytes = 0;
  for (size_t i = 0; i < sizeof buffers / sizeof *buffers; i++) {
    bytes += buffers[i].count * buffers[i].size;
  }
  char *buffer = work->block = ff_alloc(bytes + 1, 1);
  if (!buffer) {
    ff_free(work);
    return FF_ERROR_MEMORY;
  }
  for (size_t i = 0; i < sizeof buffers / sizeof *buffers; i++) {
    memcpy(buffers[i].to, &buffer, sizeof buffer);
    buffer += buffers[i].count * buffers[i].size;
  }
  *out = work;
  return FF_OK;
}

void ff_tree_work_keep(ff_tree_work *work, ff_keep *keep) {
  const char *from = work->block, *to = (const char *)work->a; /* the rest is workspace, except: */
  int numbers = (int)((size_t)(to - from) / sizeof(double));
  ff_keep_numbers(keep, "robot.kinematics", work->block, numbers);
  ff_keep_block(keep, "robot.sums", &work->sums, 1, sizeof work->sums);
  ff_keep_numbers(keep, "robot.added_inertia", work->added, work->tree->v_count);
}

void ff_tree_work_destroy(ff_tree_work **at) {
  ff_tree_work *work = at ? *at : NULL;
  if (work) {
    *at = NULL;
    ff_free(work->block);
    ff_free(work);
  }
}

/* ---- queries --------------------------------------------------------------------------------- */

int ff_tree_link_count(const ff_tree *tree) {
  return tree ? tree->count - 1 : 0;
}

int ff_tree_q_count(const ff_tree *tree) {
  return tree ? tree->q_count : 0;
}

int ff_tree_v_count(const ff_tree *tree) {
  return tree ? tree->v_count : 0;
}

double ff_tree_mass(const ff_tree *tree) {
  return tree ? tree->mass : NAN;
}

ff_link_info ff_tree_link(const ff_tree *tree, int link) {
  if (!tree || link < 0 || link >= tree->count) {
    return (ff_link_info){.name = ""};
  }
  const ff_tree_link_data *data = &tree->links[link];
  return (ff_link_info){.name = data->name,
                        .parent = data->parent,
                        .kind = data->joint.kind,
                        .q_at = data->q_at,
                        .q_count = data->q_count,
                        .v_at = data->v_at,
                        .v_count = data->v_count,
                        .follows = data->follows,
                        .factor = data->factor,
                        .offset = data->offset};
}
