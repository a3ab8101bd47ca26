/* Contensou effect, coupled sliding and spinning: a spinning patch slides more easily, a sliding
 * one spins more easily, since friction at each point opposes one direction only.
 *
 * Layers of the patch are given by the edges of their outlines (ff_edge). With any point as tip,
 * each edge spans a triangle; triangles of opposite orientation count negative, and their sum is
 * the layer, for any tip.
 *
 * near   The patch turns about a point that is close by or inside. It is taken as the tip: all
 *        points of a triangle then slip in the same direction, with speed proportional to the
 *        distance, and their sum is known (sector_mean.h). With v the velocity at an edge and e the
 * edge, twice the triangle's area is (v.e) / spin. far    Otherwise all points slip nearly alike.
 * The centroid is taken as the tip, and Gauss's rule from there to the edge suffices.
 */
#include "law/patch_sum.h"

#include "law/sector_mean.h"
#include "law/stick_slip.h"
#include "math/elementary.h"

/* Slip over spin times radius of gyration from which on the far method is used. */
#define FAR 4

/* ---- far ------------------------------------------------------------------------------------- */

/* Gauss's rule with the weight of a triangle that widens from its tip. */
static const double far_at[2] = {0.35505102572168219, 0.84494897427831781};
static const double far_weight[2] = {0.18195861825602283, 0.31804138174397717};

/* Gauss-Legendre rule along an edge. */
static const double edge_at[2] = {0.21132486540518712, 0.78867513459481288};

static void patch_add_point(ff_patch_sum *sum, const ff_patch_curve *curve, double weight,
                            const double r[2], const double slip[2], double spin) {
  double v[2] = {slip[0] - spin * r[1], slip[1] + spin * r[0]};
  double speed = sqrt(v[0] * v[0] + v[1] * v[1]), per_v = 1 / curve->v_t;
  ff_stick_slip c = ff_stick_slip_at(curve->mu_s, curve->mu_d, speed * per_v);
  double per_slip = weight * c.over_s * per_v;
  double f[2] = {-per_slip * v[0], -per_slip * v[1]};
  sum->force[0] += f[0];
  sum->force[1] += f[1];
  sum->moment += r[0] * f[1] - r[1] * f[0];
  double along = speed > 0 ? (weight * c.d_s * per_v - per_slip) / (speed * speed) : 0;
  sum->d_slip[0][0] -= per_slip + along * v[0] * v[0];
  sum->d_slip[0][1] -= along * v[0] * v[1];
  sum->d_slip[1][1] -= per_slip + along * v[1] * v[1];
}

static ff_patch_sum patch_sum_far(const ff_patch_curve *curve, const ff_patch *patch) {
  ff_patch_sum sum = {0};
  for (int i = 0; i < patch->edge_count; i++) {
    const ff_edge *e = &patch->edges[i];
    double twice = 0.5 * e->weight * (e->at[0] * e->step[1] - e->at[1] * e->step[0]);
    for (int k = 0; k < 4; k++) {
      double out = far_at[k / 2], on = edge_at[k % 2];
      double r[2] = {out * (e->at[0] + on * e->step[0]), out * (e->at[1] + on * e->step[1])};
      patch_add_point(&sum, curve, far_weight[k / 2] * twice, r, patch->slip, patch->spin);
    }
  }
  sum.d_slip[1][0] = sum.d_slip[0][1];
  return sum;
}

/* ---- near ------------------------------------------------------------------------------
 *
 * Along an edge the velocity changes across it only: v = c along + p across, c being the same
 * everywhere, p growing by g. Where the tip is close to the edge, the direction of v rotates within
 * a short part of it, too short for a quadrature rule. So the curve is split: of
 *
 *   mu_d / 2 speed / Q,   Q^2 = speed^2 + blunt^2
 *
 * the integral along the edge is known, and the rest is small and smooth. */

#define BLUNT 0.375 /* over v_t: slope at rest equal to that of the mean of tanh */

typedef struct near_edge {
  double along[2], across[2]; /* unit */
  double c, p0, p1, g;        /* m/s */
  double area;                /* twice that of the triangle, over the volume */
  double step[2];             /* its change with slip */
} near_edge;

static bool edge_prepare(const ff_edge *e, const ff_patch *patch, near_edge *out) {
  double spin = patch->spin, length = sqrt(e->step[0] * e->step[0] + e->step[1] * e->step[1]);
  if (!(length > 0)) {
    return false;
  }
  double v[2] = {patch->slip[0] - spin * e->at[1], patch->slip[1] + spin * e->at[0]};
  double side = spin > 0 ? 1 / length : -1 / length, weight = e->weight / spin;
  *out = (near_edge){.along = {e->step[0] / length, e->step[1] / length},
                     .across = {-side * e->step[1], side * e->step[0]},
                     .g = fabs(spin) * length,
                     .step = {weight * e->step[0], weight * e->step[1]}};
  out->c = out->along[0] * v[0] + out->along[1] * v[1];
  out->p0 = out->across[0] * v[0] + out->across[1] * v[1];
  out->p1 = out->p0 + out->g;
  out->area = weight * length * out->c;
  return true;
}

/* ln((p1 + Q1) / (p0 + Q0)) without cancellation. */
static double edge_log_ratio(double p0, double q0, double p1, double q1, double g, double square) {
  double mean = (p0 + p1) / (q0 + q1);
  if (p0 >= 0) {
    return ff_log1p(g * (1 + mean) / (p0 + q0));
  }
  if (p1 <= 0) {
    return ff_log1p(g * (1 - mean) / (q1 - p1));
  }
  return ff_log((p1 + q1) * (q0 - p0) / square);
}

/* Contribution of the edge to force, power and derivatives, along and across it. */
typedef struct share {
  double force[2], power; /* over the area */
  double slope[2][2];     /* derivatives of the force by velocity */
} share;

/* Does the edge pass the tip closer than 1.5 times its length, and fast enough for its direction to
 * matter? */
static bool edge_passes_close(const near_edge *e, double blunt) {
  double p = e->p0 > 0 ? e->p0 : e->p1 < 0 ? e->p1 : 0;
  return e->c * e->c + p * p < 2.25 * e->g * e->g && blunt < 2 * e->g;
}

/* Closed-form part. */
static share edge_closed_form(const near_edge *e, double blunt, double mu) {
  double c = e->c, square = c * c + blunt * blunt, per_g = 1 / e->g;
  double q0 = sqrt(e->p0 * e->p0 + square), q1 = sqrt(e->p1 * e->p1 + square);
  double swing = edge_log_ratio(e->p0, q0, e->p1, q1, e->g, square) * per_g;
  double mean = (e->p0 + e->p1) / (q0 + q1); /* (Q1 - Q0) / g */
  double pq = per_g * (e->p1 * q1 - e->p0 * q0);
  double bend = c * per_g * (c / (q1 * (q1 + e->p1)) - c / (q0 * (q0 + e->p0)));
  double cross = c * per_g * (1 / q1 - 1 / q0);
  double half = 0.5 * mu;
  return (share){.force = {half * c * swing, half * mean},
                 .power = mu * (0.5 * (pq + square * swing) - blunt * blunt * swing) / 3,
                 .slope = {{half * (swing + bend), half * cross},
                           {half * cross, half * per_g * (e->p1 / q1 - e->p0 / q0)}}};
}

/* Gauss's rule of four points, for long edges. */
static const double long_at[4] = {0.069431844202973713, 0.33000947820757187, 0.66999052179242813,
                                  0.93056815579702629};
static const double long_weight[4] = {0.17392742256872693, 0.32607257743127307, 0.32607257743127307,
                                      0.17392742256872693};

/* Adds the remainder, by Gauss's rule along the edge or along pieces of it. */
static void edge_add_remainder(share *to, const near_edge *e, const ff_sector_table *table,
                               double v_t, double known, int pieces) {
  double per_v = 1 / v_t, blunt = BLUNT * v_t;
  for (int i = 0; i < (pieces > 0 ? 4 * pieces : 2); i++) {
    double weight = pieces > 0 ? long_weight[i % 4] / pieces : 0.5;
    double part = pieces > 0 ? (i / 4 + long_at[i % 4]) / pieces : edge_at[i];
    double v[2] = {e->c, e->p0 + part * e->g};
    double square = v[0] * v[0] + v[1] * v[1], speed = sqrt(square);
    if (!(speed > 0)) {
      continue;
    }
    ff_sector_mean mean = ff_sector_mean_at(table, speed * per_v);
    double force = mean.force, d_force = mean.d_force * per_v;
    if (known > 0) {
      double per_q = 1 / sqrt(square + blunt * blunt), level = known * speed * per_q;
      force -= 0.5 * level;
      d_force -= 0.5 * known * blunt * blunt * per_q * per_q * per_q;
      to->power -= weight * level * speed / 3;
    }
    double across = weight * force / speed, along = (weight * d_force - across) / square;
    to->power += weight * mean.power * speed;
    for (int j = 0; j < 2; j++) {
      to->force[j] += across * v[j];
      to->slope[j][j] += across;
      to->slope[j][0] += along * v[j] * v[0];
      to->slope[j][1] += along * v[j] * v[1];
    }
  }
}

static void patch_add_edge(ff_patch_sum *sum, double *power, const near_edge *e,
                           const share *part) {
  const double(*s)[2] = part->slope;
  double f[2] = {part->force[0] * e->along[0] + part->force[1] * e->across[0],
                 part->force[0] * e->along[1] + part->force[1] * e->across[1]};
  sum->force[0] -= e->area * f[0];
  sum->force[1] -= e->area * f[1];
  *power += e->area * part->power;
  for (int j = 0; j < 2; j++) {
    double by[2] = {s[0][0] * e->along[j] + s[0][1] * e->across[j],
                    s[1][0] * e->along[j] + s[1][1] * e->across[j]};
    for (int i = 0; i < 2; i++) {
      double turned = by[0] * e->along[i] + by[1] * e->across[i];
      sum->d_slip[i][j] -= e->area * turned + f[i] * e->step[j];
    }
  }
}

/* Number of pieces of long edges. Contributions of a very slender patch nearly cancel and need more
 * accuracy. */
static int edge_pieces(const ff_overlap *o) {
  double trace = o->second[1][1] + o->second[2][2];
  double det = o->second[1][1] * o->second[2][2] - o->second[1][2] * o->second[1][2];
  return det > 5e-3 * trace * trace ? 1 : 4;
}

static ff_patch_sum patch_sum_near(const ff_patch_curve *curve, const ff_patch *patch,
                                   double gyration) {
  ff_patch_sum sum = {0};
  ff_sector_table table;
  ff_sector_table_of(&table, curve->mu_d, curve->mu_s - curve->mu_d);
  int pieces = edge_pieces(&patch->overlap);
  double power = 0, long_edge = (pieces > 1 ? 0.2 : 0.7) * fabs(patch->spin) * gyration;
  for (int i = 0; i < patch->edge_count; i++) {
    near_edge e;
    if (!edge_prepare(&patch->edges[i], patch, &e)) {
      continue;
    }
    share part = {.power = 0};
    bool is_close = edge_passes_close(&e, BLUNT * curve->v_t);
    if (is_close) {
      part = edge_closed_form(&e, BLUNT * curve->v_t, curve->mu_d);
    }
    edge_add_remainder(&part, &e, &table, curve->v_t, is_close ? curve->mu_d : 0,
                       e.g > long_edge ? pieces : 0);
    patch_add_edge(&sum, &power, &e, &part);
  }
  double paid = sum.force[0] * patch->slip[0] + sum.force[1] * patch->slip[1];
  sum.moment = -(power + paid) / patch->spin;
  return sum;
}

/* ---- a disc ---------------------------------------------------------------------------------- */

/* Uniform disc of this radius of gyration, approximately: exact for slow motions, for slip or spin
 * alone, and for little spin in fast sliding; in between within 2 % of the largest. */
static ff_patch_sum patch_sum_disc(const ff_patch_curve *curve, const ff_patch *patch,
                                   double gyration) {
  double radius = sqrt(2) * gyration, per_v = 1 / curve->v_t;
  const double *v = patch->slip;
  double turning = patch->spin * radius, square = v[0] * v[0] + v[1] * v[1];
  double speed = sqrt(sqrt(square * square + turning * turning * turning * turning));
  ff_stick_slip c = ff_stick_slip_at(curve->mu_s, curve->mu_d, speed * per_v);
  double per_slip = c.over_s * per_v;
  double per = speed > 0 ? 1 / (speed * speed) : 0;
  double along = (c.d_s * per_v - per_slip) * (square * per) * per;
  ff_patch_sum sum = {.force = {-per_slip * v[0], -per_slip * v[1]}};
  sum.d_slip[0][0] = -per_slip - along * v[0] * v[0];
  sum.d_slip[1][1] = -per_slip - along * v[1] * v[1];
  sum.d_slip[0][1] = sum.d_slip[1][0] = -along * v[0] * v[1];
  c = ff_stick_slip_at(curve->mu_s, curve->mu_d,
                       sqrt(0.5625 * turning * turning + 4 * square) * per_v);
  sum.moment = -patch->spin * gyration * gyration * c.over_s * per_v;
  return sum;
}

ff_patch_sum ff_patch_sum_of(const ff_patch_curve *curve, const ff_patch *patch, double gyration) {
  if (!patch->edges) {
    return patch_sum_disc(curve, patch, gyration);
  }
  double speed = sqrt(patch->slip[0] * patch->slip[0] + patch->slip[1] * patch->slip[1]);
  bool is_far = speed >= FAR * gyration * fabs(patch->spin);
  return is_far ? patch_sum_far(curve, patch) : patch_sum_near(curve, patch, gyration);
}
