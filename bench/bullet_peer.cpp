/* Bullet in double precision: its default solver of 10 iterations, margins that fit the size of the
 * bodies, no sleeping. */
#include "crowd_peers.h"

#include <btBulletDynamicsCommon.h>
#include <vector>

extern btScalar gDbvtMargin;

namespace {

struct world {
  btDefaultCollisionConfiguration configuration;
  btCollisionDispatcher dispatcher;
  btDbvtBroadphase broad;
  btSequentialImpulseConstraintSolver solver;
  btDiscreteDynamicsWorld dynamics;
  double step;
  std::vector<btRigidBody *> bodies;
  std::vector<btCollisionShape *> shapes;

  explicit world(double length)
      : dispatcher(&configuration), dynamics(&dispatcher, &broad, &solver, &configuration),
        step(length) {}

  void add(btCollisionShape *shape, double mass, double mu, btVector3 at) {
    btVector3 inertia(0, 0, 0);
    if (mass > 0) {
      shape->calculateLocalInertia(mass, inertia);
    }
    btTransform pose(btQuaternion(0, 0, 0, 1), at);
    btRigidBody::btRigidBodyConstructionInfo info(mass, new btDefaultMotionState(pose), shape,
                                                  inertia);
    info.m_friction = std::sqrt(mu);
    info.m_restitution = 0;
    btRigidBody *body = new btRigidBody(info);
    body->setFriction(std::sqrt(mu)); /* that of a pair is the product */
    body->setActivationState(DISABLE_DEACTIVATION);
    dynamics.addRigidBody(body);
    bodies.push_back(body);
    shapes.push_back(shape);
  }
};

void *bullet_create(const crowd_pile *pile) {
  gContactBreakingThreshold = 3e-4;
  gDbvtMargin = 3e-4;
  world *w = new world(pile->step);
  w->dynamics.setGravity(btVector3(0, 0, -9.81));
  const double far = pile->width / 2, wall = 0.5, high = 4 * pile->width;
  w->add(new btBoxShape(btVector3(far + 1, far + 1, wall)), 0, pile->mu, btVector3(0, 0, -wall));
  for (int side = -1; side <= 1; side += 2) {
    w->add(new btBoxShape(btVector3(wall, far + 1, high)), 0, pile->mu,
           btVector3(side * (far + wall), 0, high));
    w->add(new btBoxShape(btVector3(far + 1, wall, high)), 0, pile->mu,
           btVector3(0, side * (far + wall), high));
  }
  for (int i = 0; i < pile->count; i++) {
    const crowd_body *b = &pile->bodies[i];
    btCollisionShape *shape;
    if (b->half[1] > 0) {
      shape = new btBoxShape(btVector3(b->half[0], b->half[1], b->half[2]));
      shape->setMargin(3e-4);
    } else {
      shape = new btSphereShape(b->half[0]);
    }
    w->add(shape, b->mass, pile->mu, btVector3(b->position[0], b->position[1], b->position[2]));
  }
  return w;
}

void bullet_step(void *of) {
  world *w = static_cast<world *>(of);
  w->dynamics.stepSimulation(w->step, 1, w->step);
}

void bullet_measure(void *of, int *contacts, double *depth) {
  world *w = static_cast<world *>(of);
  *contacts = 0;
  *depth = 0;
  for (int i = 0; i < w->dispatcher.getNumManifolds(); i++) {
    const btPersistentManifold *m = w->dispatcher.getManifoldByIndexInternal(i);
    for (int k = 0; k < m->getNumContacts(); k++) {
      double apart = m->getContactPoint(k).getDistance();
      *contacts += apart <= 0;
      *depth = -apart > *depth ? -apart : *depth;
    }
  }
}

void bullet_destroy(void *of) {
  world *w = static_cast<world *>(of);
  for (btRigidBody *body : w->bodies) {
    w->dynamics.removeRigidBody(body);
    delete body->getMotionState();
    delete body;
  }
  for (btCollisionShape *shape : w->shapes) {
    delete shape;
  }
  delete w;
}

} // namespace

extern "C" const crowd_peer crowd_bullet = {"Bullet", bullet_create, bullet_step, bullet_measure,
                                            bullet_destroy};
