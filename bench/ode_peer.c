/* ODE: its iterative step (quickstep, 20 iterations), a hash space. */
#include "crowd_peers.h"

#include <math.h>
#include <ode/ode.h>
#include <stdbool.h>
#include <stdlib.h>

typedef struct world {
  dWorldID world;
  dSpaceID space;
  dJointGroupID joints;
  double step, mu;
  int contacts;
  double depth;
} world;

static void touch(void *context, dGeomID a, dGeomID b) {
  enum { POINTS = 4 };
  world *w = context;
  dBodyID body_a = dGeomGetBody(a), body_b = dGeomGetBody(b);
  dContact points[POINTS];
  if (!body_a && !body_b) {
    return;
  }
  int count = dCollide(a, b, POINTS, &points[0].geom, sizeof points[0]);
  for (int i = 0; i < count; i++) {
    points[i].surface.mode = dContactApprox1;
    points[i].surface.mu = w->mu;
    w->contacts++;
    w->depth = fmax(w->depth, points[i].geom.depth);
    dJointAttach(dJointCreateContact(w->world, w->joints, &points[i]), body_a, body_b);
  }
}

static void *ode_create(const crowd_pile *pile) {
  static int started;
  if (!started) {
    dInitODE();
    started = 1;
  }
  world *w = calloc(1, sizeof *w);
  w->world = dWorldCreate();
  w->space = dHashSpaceCreate(0);
  w->joints = dJointGroupCreate(0);
  w->step = pile->step;
  w->mu = pile->mu;
  dWorldSetGravity(w->world, 0, 0, -9.81);
  int level = (int)floor(log2(2 * pile->bodies[0].half[0]));
  dHashSpaceSetLevels(w->space, level - 1, level + 8);
  dCreatePlane(w->space, 0, 0, 1, 0);
  dCreatePlane(w->space, 1, 0, 0, -pile->width / 2);
  dCreatePlane(w->space, -1, 0, 0, -pile->width / 2);
  dCreatePlane(w->space, 0, 1, 0, -pile->width / 2);
  dCreatePlane(w->space, 0, -1, 0, -pile->width / 2);
  for (int i = 0; i < pile->count; i++) {
    const crowd_body *b = &pile->bodies[i];
    dBodyID body = dBodyCreate(w->world);
    dMass mass;
    bool box = b->half[1] > 0;
    if (box) {
      dMassSetBoxTotal(&mass, b->mass, 2 * b->half[0], 2 * b->half[1], 2 * b->half[2]);
    } else {
      dMassSetSphereTotal(&mass, b->mass, b->half[0]);
    }
    dBodySetMass(body, &mass);
    dBodySetPosition(body, b->position[0], b->position[1], b->position[2]);
    dGeomSetBody(box ? dCreateBox(w->space, 2 * b->half[0], 2 * b->half[1], 2 * b->half[2])
                     : dCreateSphere(w->space, b->half[0]),
                 body);
  }
  return w;
}

static void ode_step(void *of) {
  world *w = of;
  w->contacts = 0;
  w->depth = 0;
  dSpaceCollide(w->space, w, touch);
  dWorldQuickStep(w->world, w->step);
  dJointGroupEmpty(w->joints);
}

static void ode_measure(void *of, int *contacts, double *depth) {
  world *w = of;
  *contacts = w->contacts;
  *depth = w->depth;
}

static void ode_destroy(void *of) {
  world *w = of;
  dJointGroupDestroy(w->joints);
  dSpaceDestroy(w->space);
  dWorldDestroy(w->world);
  free(w);
}

const crowd_peer crowd_ode = {"ODE", ode_create, ode_step, ode_measure, ode_destroy};
