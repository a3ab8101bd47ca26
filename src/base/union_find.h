/* Union-find with path halving over 0 .. n - 1. A set is named by its lowest member, whatever the
 * order of unions. parent: n; at the start each member is its own parent. */
#ifndef FF_BASE_UNION_FIND_H
#define FF_BASE_UNION_FIND_H

/* The lowest member of a set. */
static inline int ff_set_root(int *parent, int member) {
  while (parent[member] != member) {
    parent[member] = parent[parent[member]];
    member = parent[member];
  }
  return member;
}

static inline void ff_set_unite(int *parent, int a, int b) {
  int i = ff_set_root(parent, a), j = ff_set_root(parent, b);
  parent[i > j ? i : j] = i < j ? i : j;
}

#endif
