/* Bodies of a coloured block Gauss-Seidel solve (step/crowd_sweep.h): what contacts change of their
 * velocities, in one cache line a body. */
#ifndef FF_STEP_CROWD_BODIES_H
#define FF_STEP_CROWD_BODIES_H

#include "math/vec.h"
#include "model/model.h"

/* A free body: change of its velocities by what was solved so far. */
typedef struct ff_crowd_body {
  ff_vec3 dv; /* m/s, world */
  double inv_mass;
  ff_vec3 dw;     /* rad/s, world */
  double inverse; /* 1/(kg m^2), inverse inertia of a round body; 0: see ff_crowd_bodies.inertia */
} ff_crowd_body;

typedef struct ff_crowd_bodies {
  ff_crowd_body *at;    /* free_count + 1: the last one stands for all that do not move */
  double (*inertia)[6]; /* free_count + 1: 1/(kg m^2), world: xx, yy, zz, xy, xz, yz */
} ff_crowd_bodies;

/* Frame of a contact: push and tangents, and the arms of its bodies (in ff_crowd_bodies). */
typedef struct ff_crowd_frame {
  int a, b;
  ff_vec3 axes[3], arm_a, arm_b; /* world */
  ff_vec3 lever;                 /* m, of the first axis */
} ff_crowd_frame;

/* Inverse inertia times a torque, world. */
static inline ff_vec3 ff_crowd_turn(const ff_crowd_bodies *bodies, int body, ff_vec3 torque) {
  double round = bodies->at[body].inverse;
  if (round > 0) {
    return v3_scale(round, torque);
  }
  const double *i = bodies->inertia[body];
  return v3(i[0] * torque.x + i[3] * torque.y + i[4] * torque.z,
            i[3] * torque.x + i[1] * torque.y + i[5] * torque.z,
            i[4] * torque.x + i[5] * torque.y + i[2] * torque.z);
}

/* Mass and inertia of a free body at this orientation; its velocities do not change yet. */
void ff_crowd_load_body(ff_crowd_bodies *bodies, const ff_model *model, int slot, ff_quat q);
/* Delassus block of a contact, 1/kg: nn, n1, n2, 11, 12, 22. */
void ff_crowd_load_block(const ff_crowd_bodies *bodies, const ff_crowd_frame *frame, double w[6]);

/* Applies impulses (N s) along the axes. */
static inline void ff_crowd_hit(ff_crowd_bodies *bodies, const ff_crowd_frame *c,
                                const double p[3]) {
  ff_vec3 push = v3_add(v3_scale(p[0], c->axes[0]),
                        v3_add(v3_scale(p[1], c->axes[1]), v3_scale(p[2], c->axes[2])));
  ff_crowd_body *a = &bodies->at[c->a], *b = &bodies->at[c->b];
  if (a->inv_mass > 0) {
    ff_vec3 turn = v3_axpy(v3_cross(c->arm_a, push), p[0], c->lever);
    a->dv = v3_axpy(a->dv, a->inv_mass, push);
    a->dw = v3_add(a->dw, ff_crowd_turn(bodies, c->a, turn));
  }
  if (b->inv_mass > 0) {
    ff_vec3 turn = v3_axpy(v3_cross(c->arm_b, push), p[0], c->lever);
    b->dv = v3_axpy(b->dv, -b->inv_mass, push);
    b->dw = v3_sub(b->dw, ff_crowd_turn(bodies, c->b, turn));
  }
}

/* Applies an impulse (N s) and an angular impulse (N m s) at the point of a contact on a, and
 * against them on b. */
static inline void ff_crowd_push(ff_crowd_bodies *bodies, const ff_crowd_frame *c, ff_vec3 impulse,
                                 ff_vec3 angular) {
  ff_crowd_body *a = &bodies->at[c->a], *b = &bodies->at[c->b];
  if (a->inv_mass > 0) {
    ff_vec3 turn = v3_add(v3_cross(c->arm_a, impulse), angular);
    a->dv = v3_axpy(a->dv, a->inv_mass, impulse);
    a->dw = v3_add(a->dw, ff_crowd_turn(bodies, c->a, turn));
  }
  if (b->inv_mass > 0) {
    ff_vec3 turn = v3_add(v3_cross(c->arm_b, impulse), angular);
    b->dv = v3_axpy(b->dv, -b->inv_mass, impulse);
    b->dw = v3_sub(b->dw, ff_crowd_turn(bodies, c->b, turn));
  }
}

#endif
