/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "court.h"
#include <btBulletDynamicsCommon.h>
#include <cstring>

/* Bullet, in double precision, with its defaults: restitution of the ball times that of the plane, which is 1. Contacts begin where
 * bodies are nearer than a fiftieth of their size; the argument `late` lets them begin when they touch, and bounce at any speed. */

namespace {

btDefaultCollisionConfiguration *configuration;
btCollisionDispatcher *dispatcher;
btDbvtBroadphase *broadphase;
btSequentialImpulseConstraintSolver *solver;
btDiscreteDynamicsWorld *world;
btStaticPlaneShape *ground;
btSphereShape *sphere;
btRigidBody *floor_body, *ball;
bool late;

} // namespace

void court_begin(double e, double z, double speed, double) {
    configuration = new btDefaultCollisionConfiguration();
    dispatcher = new btCollisionDispatcher(configuration);
    broadphase = new btDbvtBroadphase();
    solver = new btSequentialImpulseConstraintSolver();
    world = new btDiscreteDynamicsWorld(dispatcher, broadphase, solver, configuration);
    world->setGravity(btVector3(0, 0, 0));
    if (late) {
        world->getSolverInfo().m_restitutionVelocityThreshold = 0;
    }
    ground = new btStaticPlaneShape(btVector3(0, 0, 1), 0);
    sphere = new btSphereShape(COURT_RADIUS);
    floor_body = new btRigidBody(0, nullptr, ground);
    floor_body->setRestitution(1);
    floor_body->setFriction(0);
    btVector3 inertia;
    sphere->calculateLocalInertia(COURT_MASS, inertia);
    ball = new btRigidBody(COURT_MASS, nullptr, sphere, inertia);
    ball->setRestitution(e);
    ball->setFriction(0);
    ball->setWorldTransform(btTransform(btQuaternion::getIdentity(), btVector3(0, 0, z)));
    ball->setLinearVelocity(btVector3(0, 0, -speed));
    ball->setActivationState(DISABLE_DEACTIVATION);
    world->addRigidBody(floor_body);
    world->addRigidBody(ball);
}

void court_step(double dt) { world->stepSimulation(dt, 0); }

double court_height() { return ball->getWorldTransform().getOrigin().z(); }
double court_velocity() { return ball->getLinearVelocity().z(); }

void court_end() {
    world->removeRigidBody(ball);
    world->removeRigidBody(floor_body);
    delete ball;
    delete floor_body;
    delete sphere;
    delete ground;
    delete world;
    delete solver;
    delete broadphase;
    delete dispatcher;
    delete configuration;
}

int main(int argc, char **argv) {
    late = argc > 1 && std::strcmp(argv[1], "late") == 0;
    if (late) {
        gContactBreakingThreshold = 0;
    }
    return court();
}
