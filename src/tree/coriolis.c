/* Coriolis matrix with skew-symmetric dH/dt - 2 C [Echeandia21].
 *
 * With J_k the Jacobian of link k, H = sum J^T I J and C = sum J^T (I dJ/dt + B J), where
 *   B = 1/2 ((v x*) I - I (v x) + bar(I v)),   bar(f) m = m x* f.
 * B v is the gyroscopic force v x* I v, and B + B^T the rate of I, from which both properties
 * follow. Sums over the subtree of a joint are accumulated in the inward pass, as for H. */
#include "tree/tree.h"

#include <string.h>

static ff_mat3 m3_scaled(double s, ff_mat3 a) {
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) {
      a.m[i][j] *= s;
    }
  }
  return a;
}

static ff_sm matrix_b(const ff_si *inertia, ff_sv v) {
  ff_mat3 w = m3_skew(v.a), l = m3_skew(v.l), h = m3_skew(inertia->h);
  ff_sv momentum = si_mul(inertia, v);
  ff_mat3 n = m3_skew(momentum.a), f = m3_skew(momentum.l);
  ff_mat3 aa = m3_sub(m3_product(w, inertia->i), m3_product(inertia->i, w));
  aa = m3_sub(aa, m3_add(m3_product(l, h), m3_product(h, l)));
  ff_mat3 al = m3_sub(m3_product(w, h), m3_product(h, w));
  al = m3_add(al, m3_scaled(inertia->m, l));
  ff_sm out = {m3_scaled(0.5, m3_sub(aa, n)),
               m3_scaled(0.5, m3_sub(al, f)),
               m3_scaled(-0.5, m3_add(al, f)),
               {{{0, 0, 0}, {0, 0, 0}, {0, 0, 0}}}};
  return out;
}

static ff_sv sm_mul(const ff_sm *b, ff_sv m) {
  return (ff_sv){v3_add(m3_mul(b->aa, m.a), m3_mul(b->al, m.l)),
                 v3_add(m3_mul(b->la, m.a), m3_mul(b->ll, m.l))};
}

static ff_sv sm_tmul(const ff_sm *b, ff_sv m) {
  return (ff_sv){v3_add(m3_tmul(b->aa, m.a), m3_tmul(b->la, m.l)),
                 v3_add(m3_tmul(b->al, m.a), m3_tmul(b->ll, m.l))};
}

/* to += b, translated back by shift. */
static void coriolis_add_back(ff_sm *to, ff_vec3 shift, const ff_sm *b) {
  ff_mat3 r = m3_skew(shift);
  ff_mat3 al = m3_add(b->al, m3_product(r, b->ll));
  ff_mat3 aa = m3_sub(m3_add(b->aa, m3_product(r, b->la)), m3_product(al, r));
  to->aa = m3_add(to->aa, aa);
  to->al = m3_add(to->al, al);
  to->la = m3_add(to->la, m3_sub(b->la, m3_product(b->ll, r)));
  to->ll = m3_add(to->ll, b->ll);
}

/* Rate of a column of S, which moves with its link. */
static ff_sv coriolis_column_rate(const ff_tree_work *work, int link, int k) {
  return sv_add(work->s_ring[k], sv_cross(work->v[link], work->s[k]));
}

/* Contribution of column `at` of S, of link j, to C: its row and column with the joints between
 * link j and the ground. */
static void coriolis_add_column(ff_tree_work *work, int j, int at, double *c) {
  const ff_tree *tree = work->tree;
  const ff_tree_link_data *own = &tree->links[j];
  size_t n = (size_t)tree->v_count, mine = (size_t)(own->v_at + at - own->s_at);
  ff_sv s = work->s[at];
  ff_sv column =
      sv_add(si_mul(&work->ic[j], coriolis_column_rate(work, j, at)), sm_mul(&work->b[j], s));
  ff_sv row_rate = si_mul(&work->ic[j], s), row = sm_tmul(&work->b[j], s);
  for (int i = j; i > 0; i = tree->links[i].parent) {
    const ff_tree_link_data *link = &tree->links[i];
    for (int k = 0; k < link->v_count; k++) {
      size_t other = (size_t)(link->v_at + k);
      int slot = link->s_at + k;
      c[other * n + mine] += sv_dot(work->s[slot], column);
      if (i != j) {
        c[mine * n + other] +=
            sv_dot(coriolis_column_rate(work, i, slot), row_rate) + sv_dot(work->s[slot], row);
      }
    }
    column = sv_force_back(work->r[i], column);
    row_rate = sv_force_back(work->r[i], row_rate);
    row = sv_force_back(work->r[i], row);
  }
}

void ff_tree_coriolis(ff_tree_work *work, double *coriolis) {
  const ff_tree *tree = work->tree;
  memset(coriolis, 0, (size_t)tree->v_count * (size_t)tree->v_count * sizeof *coriolis);
  for (int i = 0; i < tree->count; i++) {
    work->ic[i] = work->inertia[i];
    work->b[i] = matrix_b(&work->ic[i], work->v[i]);
  }
  for (int i = tree->count - 1; i > 0; i--) {
    const ff_tree_link_data *link = &tree->links[i];
    for (int k = 0; k < link->v_count; k++) {
      coriolis_add_column(work, i, link->s_at + k, coriolis);
    }
    work->ic[link->parent] = si_add(work->ic[link->parent], si_back(work->r[i], &work->ic[i]));
    coriolis_add_back(&work->b[link->parent], work->r[i], &work->b[i]);
  }
}
