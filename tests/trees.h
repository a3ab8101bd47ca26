/* Random trees and states for tests, and derivatives along a motion to the last digits. */
#ifndef FF_TESTS_TREES_H
#define FF_TESTS_TREES_H

#include "testing.h"

#include "footfall/tree.h"
#include "math/vec.h"

static inline ff_vec3 random_vector(uint64_t *seed, double size) {
  double x = ff_random_in(seed, -size, size), y = ff_random_in(seed, -size, size);
  return v3(x, y, ff_random_in(seed, -size, size));
}

static inline ff_quat random_turn(uint64_t *seed) {
  return q_exp(random_vector(seed, 2.0));
}

/* A link with a plausible inertia (of three point masses) on a random joint of the kind. */
static inline ff_link_def random_link(uint64_t *seed, int parent, ff_joint_kind kind) {
  ff_link_def link = ff_link_def_default();
  link.parent = parent;
  link.joint.kind = kind;
  link.joint.frame = (ff_pose){random_vector(seed, 0.3), random_turn(seed)};
  link.joint.axis = v3_add(random_vector(seed, 0.5), v3(0, 0, 1));
  link.joint.axis2 = v3_add(random_vector(seed, 0.5), v3(1.5, 0, 0));
  link.joint.armature = kind == FF_JOINT_FREE ? 0 : ff_random_in(seed, 0, 0.1);
  link.mass = ff_random_in(seed, 0.5, 2);
  link.com = random_vector(seed, 0.1);
  for (int k = 0; k < 3; k++) {
    ff_vec3 r = v3_add(random_vector(seed, 0.2), v3(k == 0 ? 0.2 : 0, k == 1 ? 0.2 : 0, 0));
    double rr = v3_dot(r, r), c[3] = {r.x, r.y, r.z};
    for (int i = 0; i < 3; i++) {
      for (int j = 0; j < 3; j++) {
        link.inertia.m[i][j] += link.mass / 3 * ((i == j ? rr : 0) - c[i] * c[j]);
      }
    }
  }
  return link;
}

enum { TREE_MOST = 100 };

/* Some joints of one axis follow others, before or after them, or ones that follow themselves. */
static inline void let_some_follow(uint64_t *seed, ff_link_def *links, int count) {
  bool leads[TREE_MOST] = {false};
  for (int i = 0; i < count; i++) {
    int other = (int)ff_random_in(seed, 0, count);
    bool both = links[i].joint.kind > FF_JOINT_FIXED && links[i].joint.kind < FF_JOINT_UNIVERSAL &&
                links[other].joint.kind > FF_JOINT_FIXED &&
                links[other].joint.kind < FF_JOINT_UNIVERSAL;
    if (both && other != i && !leads[i]) {
      links[i].follows = other + 1;
      links[i].factor = ff_random_in(seed, -1.5, 1.5);
      links[i].offset = ff_random_in(seed, -1, 1);
      leads[other] = leads[other] || other > i;
    }
  }
}

/* All kinds in turn, starting with `first`; bushy, with chains. */
static inline ff_tree *random_tree(uint64_t *seed, int count, ff_joint_kind first, bool follow) {
  ff_link_def links[TREE_MOST];
  for (int i = 0; i < count; i++) {
    int parent = i == 0 ? 0 : (int)ff_random_in(seed, i > 6 ? i - 6 : 1, i + 1);
    ff_joint_kind kind = (ff_joint_kind)(((int)first + 5 * i) % FF_JOINT_KIND_COUNT);
    links[i] = random_link(seed, parent, kind);
  }
  if (follow) {
    let_some_follow(seed, links, count);
  }
  ff_tree *tree = NULL;
  ff_report report = {.line = 0};
  assert_int_equal(ff_tree_build(&tree, links, count, &report), FF_OK);
  return tree;
}

/* Room for a state and whatever a test computes from it. */
typedef struct tree_state {
  const ff_tree *tree;
  ff_tree_work *work;
  int n;
  double *q, *v, *a, *moved_q, *moved_v;
} tree_state;

static inline double *tree_numbers(size_t count) {
  double *room = calloc(count + 1, sizeof *room);
  assert_non_null(room);
  return room;
}

static inline tree_state random_state(uint64_t *seed, const ff_tree *tree) {
  tree_state s = {.tree = tree, .n = ff_tree_v_count(tree)};
  assert_int_equal(ff_tree_work_create(&s.work, tree), FF_OK);
  size_t nq = (size_t)ff_tree_q_count(tree), n = (size_t)s.n;
  s.q = tree_numbers(nq);
  s.v = tree_numbers(n);
  s.a = tree_numbers(n);
  s.moved_q = tree_numbers(nq);
  s.moved_v = tree_numbers(n);
  ff_tree_neutral(tree, s.q);
  for (int k = 0; k < s.n; k++) {
    s.v[k] = ff_random_in(seed, -1, 1);
  }
  ff_tree_q_move(tree, s.q, s.v, 1.0); /* away from zero, quaternions unit */
  for (int k = 0; k < s.n; k++) {
    s.v[k] = ff_random_in(seed, -0.5, 0.5);
    s.a[k] = ff_random_in(seed, -1, 1);
  }
  ff_tree_update(s.work, s.q, s.v);
  return s;
}

static inline void free_state(tree_state *s) {
  ff_tree_work_destroy(&s->work);
  free(s->q);
  free(s->v);
  free(s->a);
  free(s->moved_q);
  free(s->moved_v);
}

/* Numbers that depend on the state of s->work. */
typedef void (*tree_fn)(tree_state *s, const void *context, double *out);

/* Their rate under q' = v, v' = a: central differences of eighth order, whose error at this
 * step is below 1e-12 for the speeds of random_state. */
static inline void tree_rate(tree_state *s, tree_fn fn, const void *context, double *rate,
                             size_t count) {
  static const double weights[5] = {0, 4.0 / 5, -1.0 / 5, 4.0 / 105, -1.0 / 280};
  const double h = 0.01;
  double *value = tree_numbers(count);
  memset(rate, 0, count * sizeof *rate);
  for (int k = -4; k <= 4; k++) {
    memcpy(s->moved_q, s->q, (size_t)ff_tree_q_count(s->tree) * sizeof(double));
    ff_tree_q_move(s->tree, s->moved_q, s->v, k * h);
    for (int i = 0; i < s->n; i++) {
      s->moved_v[i] = s->v[i] + k * h * s->a[i];
    }
    ff_tree_update(s->work, s->moved_q, s->moved_v);
    fn(s, context, value);
    double weight = k < 0 ? -weights[-k] : weights[k];
    for (size_t i = 0; i < count; i++) {
      rate[i] += weight / h * value[i];
    }
  }
  ff_tree_update(s->work, s->q, s->v);
  free(value);
}

static inline double largest(const double *values, size_t count) {
  double most = 0;
  for (size_t i = 0; i < count; i++) {
    most = fmax(most, fabs(values[i]));
  }
  return most;
}

#endif
