/* From descriptions of links to an immutable tree, and room to work on it. */
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
  };
}

/* ---- building ------------------------------------------------------------------------------ */

static void set_link(ff_tree *tree, int i, const ff_link_def *def, const char *name) {
  ff_tree_link_data *link = &tree->links[i];
  *link = (ff_tree_link_data){.name = name,
                              .parent = def->parent,
                              .q_at = tree->q_count,
                              .v_at = tree->v_count,
                              .q_count = ff_joint_q_count(def->joint.kind),
                              .v_count = ff_joint_v_count(def->joint.kind),
                              .joint = def->joint,
                              .inertia = si_make(def->mass, def->com, def->inertia)};
  ff_joint_def *joint = &link->joint;
  joint->frame.orientation = q_unit(joint->frame.orientation);
  if (link->q_count > 0 && link->q_count < 4) {
    joint->axis = v3_unit(joint->axis);
  }
  if (joint->kind == FF_JOINT_PLANAR) {
    ff_vec3 along = v3_axpy(joint->axis2, -v3_dot(joint->axis2, joint->axis), joint->axis);
    joint->axis2 = v3_unit(along);
  } else if (joint->kind == FF_JOINT_UNIVERSAL) {
    joint->axis2 = v3_unit(joint->axis2);
  }
  tree->q_count += link->q_count;
  tree->v_count += link->v_count;
  tree->mass += def->mass;
}

/* The last coordinate on the way from a link to the ground; -1 if there is none. */
static int last_dof(const ff_tree *tree, int link) {
  while (link > 0 && tree->links[link].v_count == 0) {
    link = tree->links[link].parent;
  }
  return link > 0 ? tree->links[link].v_at + tree->links[link].v_count - 1 : -1;
}

static void set_dofs(ff_tree *tree) {
  for (int i = 1; i < tree->count; i++) {
    const ff_tree_link_data *link = &tree->links[i];
    for (int k = 0; k < link->v_count; k++) {
      tree->dof_parent[link->v_at + k] = k > 0 ? link->v_at + k - 1 : last_dof(tree, link->parent);
      tree->armature[link->v_at + k] = link->joint.armature;
    }
  }
}

/* Can every joint be accelerated by a finite force only? At the neutral state, which shows
 * links without mass; the dynamics look again at each state. */
static ff_status check_inertia(const ff_tree *tree, ff_report *report) {
  ff_tree_work *work = NULL;
  ff_status status = ff_tree_work_create(&work, tree);
  size_t n = (size_t)tree->v_count;
  double *room = ff_alloc((size_t)tree->q_count + 2 * n + 1, sizeof *room);
  if (status != FF_OK || !room) {
    ff_tree_work_destroy(work);
    ff_free(room);
    return FF_ERROR_MEMORY;
  }
  ff_tree_neutral(tree, room);
  ff_tree_update(work, room, NULL);
  double *tau = room + tree->q_count;
  if (!ff_tree_forward_dynamics(work, tau, (ff_vec3){0, 0, 0}, NULL, tau)) {
    status = ff_report_what(report, "a joint moves links that have no inertia about its axis");
    ff_report_key(report, "links");
  }
  ff_tree_work_destroy(work);
  ff_free(room);
  return status;
}

static size_t names_size(const ff_link_def *links, int count) {
  size_t size = 1;
  for (int i = 0; i < count; i++) {
    size += links[i].name ? strlen(links[i].name) + 1 : 0;
  }
  return size;
}

static ff_status fill(ff_tree *tree, const ff_link_def *links, int count) {
  size_t room = (size_t)count * FF_JOINT_DOF + 1;
  tree->links = ff_alloc((size_t)count + 1, sizeof *tree->links);
  tree->dof_parent = ff_alloc(room, sizeof *tree->dof_parent);
  tree->armature = ff_alloc(room, sizeof *tree->armature);
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
    set_link(tree, i + 1, &links[i], name);
  }
  set_dofs(tree);
  return FF_OK;
}

ff_status ff_tree_build(ff_tree **out, const ff_link_def *links, int count, ff_report *report) {
  *out = NULL;
  for (int i = 0; i < count; i++) {
    ff_status status = ff_link_check(&links[i], i, report);
    if (status != FF_OK) {
      return status;
    }
  }
  ff_tree *tree = ff_alloc(1, sizeof *tree);
  if (!tree) {
    return FF_ERROR_MEMORY;
  }
  ff_status status = fill(tree, links, count);
  status = status == FF_OK ? check_inertia(tree, report) : status;
  if (status != FF_OK) {
    ff_tree_destroy(tree);
    return status;
  }
  *out = tree;
  return FF_OK;
}

void ff_tree_destroy(ff_tree *tree) {
  if (tree) {
    ff_free(tree->links);
    ff_free(tree->dof_parent);
    ff_free(tree->armature);
    ff_free(tree->names);
    ff_free(tree);
  }
}

/* ---- workspace ------------------------------------------------------------------------------- */

ff_status ff_tree_work_create(ff_tree_work **out, const ff_tree *tree) {
  *out = NULL;
  ff_tree_work *work = ff_alloc(1, sizeof *work);
  if (!work) {
    return FF_ERROR_MEMORY;
  }
  work->tree = tree;
  size_t links = (size_t)tree->count, n = (size_t)tree->v_count;
  const struct {
    void **to;
    size_t count, size;
  } rooms[] = {
      {(void **)&work->rates, n, sizeof *work->rates},
      {(void **)&work->x, links, sizeof *work->x},
      {(void **)&work->pose, links, sizeof *work->pose},
      {(void **)&work->v, links, sizeof *work->v},
      {(void **)&work->c, links, sizeof *work->c},
      {(void **)&work->s, n, sizeof *work->s},
      {(void **)&work->s_ring, n, sizeof *work->s_ring},
      {(void **)&work->a, links, sizeof *work->a},
      {(void **)&work->f, links, sizeof *work->f},
      {(void **)&work->ic, links, sizeof *work->ic},
      {(void **)&work->ia, links, sizeof *work->ia},
      {(void **)&work->b, links, sizeof *work->b},
      {(void **)&work->u, n, sizeof *work->u},
      {(void **)&work->d, n * FF_JOINT_DOF, sizeof *work->d},
      {(void **)&work->rest, n, sizeof *work->rest},
      {(void **)&work->jacobian, 6 * n, sizeof *work->jacobian},
      {(void **)&work->added, n, sizeof *work->added},
  };
  size_t bytes = 0;
  for (size_t i = 0; i < sizeof rooms / sizeof *rooms; i++) {
    bytes += rooms[i].count * rooms[i].size;
  }
  char *room = work->block = ff_alloc(bytes + 1, 1);
  if (!room) {
    ff_free(work);
    return FF_ERROR_MEMORY;
  }
  for (size_t i = 0; i < sizeof rooms / sizeof *rooms; i++) {
    memcpy(rooms[i].to, &room, sizeof room);
    room += rooms[i].count * rooms[i].size;
  }
  *out = work;
  return FF_OK;
}

void ff_tree_work_destroy(ff_tree_work *work) {
  if (work) {
    ff_free(work->block);
    ff_free(work);
  }
}

/* ---- questions --------------------------------------------------------------------------------
 */

int ff_tree_link_count(const ff_tree *tree) {
  return tree->count - 1;
}

int ff_tree_q_count(const ff_tree *tree) {
  return tree->q_count;
}

int ff_tree_v_count(const ff_tree *tree) {
  return tree->v_count;
}

double ff_tree_mass(const ff_tree *tree) {
  return tree->mass;
}

ff_link_info ff_tree_link(const ff_tree *tree, int link) {
  const ff_tree_link_data *data = &tree->links[link];
  return (ff_link_info){.name = data->name,
                        .parent = data->parent,
                        .kind = data->joint.kind,
                        .q_at = data->q_at,
                        .q_count = data->q_count,
                        .v_at = data->v_at,
                        .v_count = data->v_count};
}
