/* Whole-body inverse dynamics of a biped.
 *
 * There are as many tasks as velocities: six rows per foot, three for the centre of mass, three for
 * the rotation of the trunk, one for each joint outside the legs. They determine all accelerations;
 * these give the wrench that the ground must provide; it is distributed to the feet, and the joint
 * torques follow. */
#include "control/controller.h"

#include "base/memory.h"
#include "tree/tree.h"

#include <string.h>

enum { FOOT_ROWS = 6, FIRST_OTHER = 18, ZMP_ROUNDS = 4 };
/* Friction torque of a sole about its normal, m times the load. */
#define FREE_MOMENT_ARM 0.01

/* ---- creation -------------------------------------------------------------------------------- */

static void fill_pattern(ff_whole *whole, int n) {
  for (int j = 0; j < n; j++) {
    whole->start[j + 1] = (j + 1) * n;
    for (int i = 0; i < n; i++) {
      whole->row[j * n + i] = i;
    }
  }
}

ff_status ff_whole_create(ff_whole *whole, const ff_walk *walk, ff_vec3 gravity) {
  const ff_tree *tree = walk->def.tree;
  size_t n = (size_t)tree->v_count;
  *whole = (ff_whole){.walk = walk, .gravity = gravity};
  whole->start = ff_alloc(n + 1, sizeof(int));
  whole->row = ff_alloc(n * n, sizeof(int));
  whole->matrix = ff_alloc(n * n, sizeof(double));
  whole->inertia = ff_alloc(n * n, sizeof(double));
  whole->jacobian = ff_alloc(2 * FOOT_ROWS * n, sizeof(double));
  whole->rate = ff_alloc(FOOT_ROWS * n, sizeof(double));
  whole->right = ff_alloc(4 * n, sizeof(double));
  whole->wrenches = ff_alloc((size_t)tree->count, sizeof(ff_tree_wrench));
  if (!whole->start || !whole->row || !whole->matrix || !whole->inertia || !whole->jacobian ||
      !whole->rate || !whole->right || !whole->wrenches ||
      ff_tree_work_create(&whole->work, tree) != FF_OK) {
    return FF_ERROR_MEMORY;
  }
  whole->a = whole->right + n;
  whole->tau = whole->a + n;
  whole->bias = whole->tau + n;
  fill_pattern(whole, (int)n);
  return ff_linear_create(&whole->linear, (int)n, whole->start, whole->row, false);
}

void ff_whole_destroy(ff_whole *whole) {
  ff_linear_destroy(whole->linear);
  ff_tree_work_destroy(&whole->work);
  ff_free(whole->start);
  ff_free(whole->row);
  ff_free(whole->matrix);
  ff_free(whole->inertia);
  ff_free(whole->jacobian);
  ff_free(whole->rate);
  ff_free(whole->right);
  ff_free(whole->wrenches);
}

/* ---- state ----------------------------------------------------------------------------------- */

void ff_whole_place(ff_whole *whole, const double *q, const double *v) {
  const ff_walk *walk = whole->walk;
  ff_tree_update(whole->work, q, v);
  whole->v = v;
  whole->motion = ff_tree_whole(whole->work, whole->gravity);
  whole->trunk = ff_tree_pose(whole->work, 1);
  for (int f = 0; f < 2; f++) {
    int link = walk->legs[f].link[5];
    ff_pose foot = ff_tree_pose(whole->work, link);
    whole->sole[f] = (ff_pose){pose_point(foot, walk->def.sole), foot.orientation};
    whole->sole_omega[f] = ff_tree_omega(whole->work, link);
    ff_vec3 arm = v3_sub(whole->sole[f].position, foot.position);
    whole->sole_velocity[f] =
        v3_add(ff_tree_velocity(whole->work, link), v3_cross(whole->sole_omega[f], arm));
  }
}

/* ---- tasks ----------------------------------------------------------------------------------- */

static void whole_set_row(ff_whole *whole, int row, const double *values, double factor) {
  int n = whole->walk->def.tree->v_count;
  for (int j = 0; j < n; j++) {
    whole->matrix[j * n + row] = factor * values[j];
  }
}

/* Rows for the centre of a sole and the rotation of its foot: J a = desired - J' v. */
static void whole_foot_rows(ff_whole *whole, const ff_whole_want *want, int f) {
  int n = whole->walk->def.tree->v_count, link = whole->walk->legs[f].link[5];
  double *jacobian = whole->jacobian + FOOT_ROWS * n * f, wanted[FOOT_ROWS];
  ff_vec3 point = whole->sole[f].position;
  ff_tree_jacobian(whole->work, link, point, jacobian);
  ff_tree_jacobian_rate(whole->work, link, point, whole->rate);
  v3_store(wanted, want->turn[f]);
  v3_store(wanted + 3, want->foot[f]);
  for (int i = 0; i < FOOT_ROWS; i++) {
    whole_set_row(whole, FOOT_ROWS * f + i, jacobian + i * n, 1);
    for (int j = 0; j < n; j++) {
      wanted[i] -= whole->rate[i * n + j] * whole->v[j];
    }
    whole->right[FOOT_ROWS * f + i] = wanted[i];
  }
}

/* The first rows of H are the momentum, in axes of the trunk. */
static void whole_com_rows(ff_whole *whole) {
  const ff_tree *tree = whole->walk->def.tree;
  int n = tree->v_count, root = tree->links[1].v_at;
  ff_mat3 turn = q_matrix(whole->trunk.orientation);
  ff_tree_inertia(whole->work, whole->inertia);
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < n; j++) {
      const double *h = whole->inertia + (root + 3) * n + j;
      double sum = turn.m[i][0] * h[0] + turn.m[i][1] * h[n] + turn.m[i][2] * h[2 * n];
      whole->matrix[j * n + 12 + i] = sum / tree->mass;
      whole->matrix[j * n + 15 + i] = j >= root && j < root + 3 ? turn.m[i][j - root] : 0;
    }
  }
  memset(whole->a, 0, (size_t)n * sizeof *whole->a);
  ff_tree_inverse_dynamics(whole->work, whole->a, v3(0, 0, 0), NULL, whole->bias);
}

static void whole_com_rhs(ff_whole *whole, ff_vec3 acceleration) {
  const ff_tree *tree = whole->walk->def.tree;
  ff_vec3 bias = v3_load(whole->bias + tree->links[1].v_at + 3);
  bias = v3_scale(1 / tree->mass, q_rotate(whole->trunk.orientation, bias));
  v3_store(whole->right + 12, v3_sub(acceleration, bias));
}

static bool whole_is_leg(const ff_walk *walk, int link) {
  for (int k = 0; k < 6; k++) {
    if (walk->legs[0].link[k] == link || walk->legs[1].link[k] == link) {
      return true;
    }
  }
  return false;
}

static void whole_other_rows(ff_whole *whole, const ff_whole_want *want) {
  const ff_tree *tree = whole->walk->def.tree;
  int n = tree->v_count, row = FIRST_OTHER;
  for (int i = 2; i < tree->count; i++) {
    int at = tree->links[i].v_at;
    if (tree->links[i].v_count == 1 && !whole_is_leg(whole->walk, i)) {
      for (int j = 0; j < n; j++) {
        whole->matrix[j * n + row] = j == at;
      }
      whole->right[row++] = want->joints[at];
    }
  }
}

/* ---- ground reaction ------------------------------------------------------------------------- */

/* Wrench that these accelerations require, about the origin of the trunk. */
static ff_tree_wrench whole_required_wrench(ff_whole *whole) {
  int root = whole->walk->def.tree->links[1].v_at;
  ff_quat turn = whole->trunk.orientation;
  ff_tree_inverse_dynamics(whole->work, whole->a, whole->gravity, NULL, whole->tau);
  return (ff_tree_wrench){.force = q_rotate(turn, v3_load(whole->tau + root + 3)),
                          .torque = q_rotate(turn, v3_load(whole->tau + root))};
}

static ff_vec3 whole_zmp(const ff_whole *whole, const ff_whole_want *want, ff_tree_wrench wrench) {
  ff_vec3 about = v3_add(wrench.torque, v3_cross(whole->trunk.position, wrench.force));
  return ff_center_of_pressure(wrench.force, about, want->zmp, want->normal);
}

/* Free moment at the zero-moment point: along the normal. */
static ff_vec3 whole_free_moment(const ff_whole *whole, ff_vec3 zmp, ff_tree_wrench wrench) {
  ff_vec3 arm = v3_sub(whole->trunk.position, zmp);
  return v3_add(wrench.torque, v3_cross(arm, wrench.force));
}

/* Accelerations that put the zero-moment point at its desired place: swinging legs and a rotating
 * trunk deviate from the pendulum, and the centre of mass compensates. */
static bool whole_accelerations(ff_whole *whole, const ff_whole_want *want,
                                ff_tree_wrench *wrench) {
  int n = whole->walk->def.tree->v_count, root = whole->walk->def.tree->links[1].v_at;
  size_t bytes = (size_t)n * sizeof(double);
  ff_vec3 com = want->com;
  bool stands = want->down[0] || want->down[1];
  for (int round = 0; round < ZMP_ROUNDS; round++) {
    whole_com_rhs(whole, com);
    memcpy(whole->a, whole->right, bytes);
    ff_linear_solve(whole->linear, whole->a);
    *wrench = whole_required_wrench(whole);
    ff_vec3 zmp = whole_zmp(whole, want, *wrench);
    double height = whole->motion.com.z - want->zmp.z;
    if (!stands || !v3_finite(zmp) || !(wrench->force.z > 0) || !(height > 0)) {
      break;
    }
    double stiff = wrench->force.z / (whole->walk->def.tree->mass * height);
    com.x += stiff * (zmp.x - want->zmp.x);
    com.y += stiff * (zmp.y - want->zmp.y);
    /* Beyond its friction torque a sole would rotate about its normal; the trunk rotates instead.
     */
    double twist = v3_dot(want->normal, whole_free_moment(whole, zmp, *wrench));
    double most = FREE_MOMENT_ARM * wrench->force.z;
    double over = twist - fmax(-most, fmin(most, twist));
    whole->right[17] -= over / whole->inertia[(root + 2) * (n + 1)];
  }
  return isfinite(wrench->force.z + wrench->torque.x);
}

/* Nearest point within the sole of a foot. */
static ff_vec3 whole_clamp_to_sole(const ff_whole *whole, int f, ff_vec3 point) {
  const ff_walk_def *def = &whole->walk->def;
  ff_pose sole = whole->sole[f];
  ff_vec3 local = q_unrotate(sole.orientation, v3_sub(point, sole.position));
  double x = 0.5 * def->sole_length, y = 0.5 * def->sole_width;
  local = v3(fmax(-x, fmin(x, local.x)), fmax(-y, fmin(y, local.y)), 0);
  return pose_point(sole, local);
}

/* Parallel forces at a point of each sole, whose resultant acts at the zero-moment point. */
static void whole_load_feet(ff_whole *whole, const ff_whole_want *want, ff_tree_wrench wrench) {
  ff_vec3 zmp = whole_zmp(whole, want, wrench);
  ff_vec3 twist = whole_free_moment(whole, zmp, wrench);
  ff_vec3 left = whole->sole[0].position, right = whole->sole[1].position;
  ff_vec3 way = v3(left.x - right.x, left.y - right.y, 0);
  double square = v3_dot(way, way);
  double share = square > 0 ? v3_dot(way, v3_sub(zmp, right)) / square : 0.5;
  share = want->down[0] ? (want->down[1] ? fmax(0, fmin(1, share)) : 1) : 0;
  ff_vec3 middle = v3_add(v3_scale(share, left), v3_scale(1 - share, right));
  ff_vec3 off = v3_sub(zmp, middle);
  for (int f = 0; f < 2; f++) {
    int link = whole->walk->legs[f].link[5];
    double part = !want->down[f] ? 0 : f == 0 ? share : 1 - share;
    ff_vec3 at = whole_clamp_to_sole(whole, f, v3_add(whole->sole[f].position, off));
    ff_vec3 force = v3_scale(part, wrench.force);
    ff_vec3 arm = v3_sub(at, ff_tree_pose(whole->work, link).position);
    whole->wrenches[link - 1] = (ff_tree_wrench){force, v3_axpy(v3_cross(arm, force), part, twist)};
  }
}

/* ---- torques --------------------------------------------------------------------------------- */

bool ff_whole_torques(ff_whole *whole, const ff_whole_want *want, const double *q) {
  const ff_tree *tree = whole->walk->def.tree;
  whole_foot_rows(whole, want, 0);
  whole_foot_rows(whole, want, 1);
  whole_com_rows(whole);
  v3_store(whole->right + 15, want->spin);
  whole_other_rows(whole, want);
  ff_tree_wrench wrench;
  if (!ff_linear_factor(whole->linear, whole->matrix) ||
      !whole_accelerations(whole, want, &wrench)) {
    return false;
  }
  whole_load_feet(whole, want, wrench);
  ff_tree_inverse_dynamics(whole->work, whole->a, whole->gravity, whole->wrenches, whole->tau);
  /* passive joint loads are added */
  memset(whole->bias, 0, (size_t)tree->v_count * sizeof *whole->bias);
  ff_tree_joint_loads(tree, q, whole->v, whole->bias);
  for (int i = 0; i < tree->v_count; i++) {
    whole->tau[i] -= whole->bias[i];
  }
  return true;
}
