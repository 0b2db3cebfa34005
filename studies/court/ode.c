/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "court.h"
#include <ode/ode.h>

/* ODE: dContactBounce with the asked restitution at any speed; error reduction and softness are the world's defaults. */

static dWorldID world;
static dSpaceID space;
static dBodyID ball;
static dJointGroupID contacts;
static double restitution;

static void near(void *user, dGeomID a, dGeomID b) {
    dContact c = {0};
    (void)user;
    if (dCollide(a, b, 1, &c.geom, sizeof c) > 0) {
        c.surface.mode = dContactBounce;
        c.surface.mu = 0;
        c.surface.bounce = restitution;
        c.surface.bounce_vel = 0;
        dJointAttach(dJointCreateContact(world, contacts, &c), dGeomGetBody(a), dGeomGetBody(b));
    }
}

void court_begin(double e, double z, double speed, double dt) {
    dMass mass;
    (void)dt;
    restitution = e;
    world = dWorldCreate();
    space = dSimpleSpaceCreate(0);
    contacts = dJointGroupCreate(0);
    dCreatePlane(space, 0, 0, 1, 0);
    ball = dBodyCreate(world);
    dMassSetSphereTotal(&mass, COURT_MASS, COURT_RADIUS);
    dBodySetMass(ball, &mass);
    dGeomSetBody(dCreateSphere(space, COURT_RADIUS), ball);
    dBodySetPosition(ball, 0, 0, z);
    dBodySetLinearVel(ball, 0, 0, -speed);
}

void court_step(double dt) {
    dSpaceCollide(space, NULL, near);
    dWorldStep(world, dt);
    dJointGroupEmpty(contacts);
}

double court_height(void) { return dBodyGetPosition(ball)[2]; }
double court_velocity(void) { return dBodyGetLinearVel(ball)[2]; }

void court_end(void) {
    dJointGroupDestroy(contacts);
    dSpaceDestroy(space);
    dWorldDestroy(world);
}

int main(void) {
    dInitODE();
    const int status = court();
    dCloseODE();
    return status;
}
