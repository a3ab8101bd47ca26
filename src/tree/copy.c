/* Copies of trees with other masses. */
#include "base/memory.h"
#include "tree/tree.h"

#include <string.h>

ff_status ff_tree_copy(ff_tree **out, const ff_tree *from) {
  ff_tree *tree = ff_alloc(1, sizeof *tree);
  *out = NULL;
  if (!tree) {
    return FF_ERROR_MEMORY;
  }
  size_t links = (size_t)from->count, dofs = (size_t)from->v_count, names = 1;
  for (int i = 1; i < from->count; i++) {
    names += strlen(from->links[i].name) + 1;
  }
  *tree = *from;
  tree->links = ff_alloc(links, sizeof *tree->links);
  tree->dof_parent = ff_alloc(dofs + 1, sizeof *tree->dof_parent);
  tree->armature = ff_alloc(dofs + 1, sizeof *tree->armature);
  tree->names = ff_alloc(names, 1);
  if (!tree->links || !tree->dof_parent || !tree->armature || !tree->names) {
    ff_tree_destroy(&tree);
    return FF_ERROR_MEMORY;
  }
  memcpy(tree->links, from->links, links * sizeof *tree->links);
  memcpy(tree->dof_parent, from->dof_parent, dofs * sizeof *tree->dof_parent);
  memcpy(tree->armature, from->armature, dofs * sizeof *tree->armature);
  char *to = tree->names;
  for (int i = 1; i < from->count; i++) {
    tree->links[i].name = strcpy(to, from->links[i].name);
    to += strlen(to) + 1;
  }
  *out = tree;
  return FF_OK;
}

void ff_tree_copy_inertia(ff_tree *to, const ff_tree *from) {
  to->mass = from->mass;
  for (int i = 0; i < to->count; i++) {
    to->links[i].inertia = from->links[i].inertia;
  }
}

void ff_tree_add_inertia(ff_tree *tree, int link, ff_si more) {
  tree->mass += more.m;
  ff_tree_link_data *at = &tree->links[link];
  while (at->still) { /* its parent includes its inertia */
    ff_mat3 turn = q_matrix(at->joint.frame.orientation);
    ff_si turned = si_rotated(&more, &turn);
    more = si_back(at->joint.frame.position, &turned);
    at = &tree->links[at->parent];
  }
  at->inertia = si_add(at->inertia, more);
}

void ff_tree_work_set_tree(ff_tree_work *work, const ff_tree *tree) {
  work->tree = tree;
}
