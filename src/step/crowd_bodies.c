#include "step/crowd_bodies.h"

/* Inverse inertia in world axes. */
static void crowd_world_inertia(ff_quat q, ff_vec3 inverse, double out[6]) {
  ff_vec3 x = q_rotate(q, v3(1, 0, 0)), y = q_rotate(q, v3(0, 1, 0)), z = q_rotate(q, v3(0, 0, 1));
  ff_vec3 u = v3_scale(inverse.x, x), v = v3_scale(inverse.y, y), w = v3_scale(inverse.z, z);
  out[0] = u.x * x.x + v.x * y.x + w.x * z.x;
  out[1] = u.y * x.y + v.y * y.y + w.y * z.y;
  out[2] = u.z * x.z + v.z * y.z + w.z * z.z;
  out[3] = u.x * x.y + v.x * y.y + w.x * z.y;
  out[4] = u.x * x.z + v.x * y.z + w.x * z.z;
  out[5] = u.y * x.z + v.y * y.z + w.y * z.z;
}

void ff_crowd_load_body(ff_crowd_bodies *bodies, const ff_model *model, int slot, ff_quat q) {
  const ff_model_body *body = &model->bodies[model->free_bodies[slot]];
  ff_crowd_body *to = &bodies->at[slot];
  to->dv = to->dw = v3(0, 0, 0);
  to->inv_mass = body->inv_mass;
  to->inverse = body->round ? body->inv_inertia.x : 0;
  if (!body->round) {
    crowd_world_inertia(q, body->inv_inertia, bodies->inertia[slot]);
  }
}

void ff_crowd_load_block(const ff_crowd_bodies *bodies, const ff_crowd_frame *c, double w[6]) {
  const ff_crowd_body *a = &bodies->at[c->a], *b = &bodies->at[c->b];
  ff_vec3 turn[3], way[3], turn_b[3], way_b[3];
  for (int k = 0; k < 3; k++) {
    ff_vec3 lever = k == 0 ? c->lever : v3(0, 0, 0);
    turn[k] = v3_add(v3_cross(c->arm_a, c->axes[k]), lever);
    turn_b[k] = v3_add(v3_cross(c->arm_b, c->axes[k]), lever);
    way[k] = ff_crowd_turn(bodies, c->a, turn[k]);
    way_b[k] = ff_crowd_turn(bodies, c->b, turn_b[k]);
  }
  static const int rows[6] = {0, 0, 0, 1, 1, 2}, columns[6] = {0, 1, 2, 1, 2, 2};
  double mass = a->inv_mass + b->inv_mass;
  for (int k = 0; k < 6; k++) {
    int i = rows[k], j = columns[k];
    w[k] = mass * v3_dot(c->axes[i], c->axes[j]) + v3_dot(turn[i], way[j]) +
           v3_dot(turn_b[i], way_b[j]);
  }
}
