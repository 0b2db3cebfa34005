/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "chain.h"
#include <BulletDynamics/Featherstone/btMultiBody.h>
#include <BulletDynamics/Featherstone/btMultiBodyLink.h>

/* Bullet's articulated-body algorithm, in double precision. Coordinates and speeds are set again in every run,
 * because Bullet computes the sines and cosines of its links there; weight is a force on each link, as applied by
 * Bullet's world. No collisions, no damping, no time step. */

namespace {

struct side {
    const chain *c;
    btMultiBody body;
    btAlignedObjectArray<btScalar> r;
    btAlignedObjectArray<btVector3> v;
    btAlignedObjectArray<btMatrix3x3> m;

    explicit side(const chain *given)
        : c(given), body(given->n, 0, btVector3(0, 0, 0), true, false) {}
};

btVector3 vector_of(const double a[3]) { return btVector3(a[0], a[1], a[2]); }

void *make(const chain *c) {
    side *s = new side(c);
    for (int i = 0; i < c->n; i++) {
        s->body.setupRevolute(i, c->link[i].mass, vector_of(c->link[i].inertia), i - 1,
                              btQuaternion(0, 0, 0, 1), vector_of(c->link[i].axis),
                              vector_of(c->link[i].anchor), vector_of(c->link[i].com), true);
    }
    s->body.finalizeMultiDof();
    s->body.setLinearDamping(0);
    s->body.setAngularDamping(0);
    s->body.setUseGyroTerm(true);
    return s;
}

void run(void *self) {
    side *s = static_cast<side *>(self);
    s->body.clearForcesAndTorques();
    for (int i = 0; i < s->c->n; i++) {
        s->body.setJointPosMultiDof(i, &s->c->q[i]);
        s->body.setJointVelMultiDof(i, &s->c->u[i]);
        s->body.addLinkForce(i, btVector3(0, 0, -CHAIN_GRAVITY * s->c->link[i].mass));
    }
    s->body.computeAccelerationsArticulatedBodyAlgorithmMultiDof(0, s->r, s->v, s->m, false, false,
                                                                 false);
}

/* skip the six coordinates of the fixed base */
void accelerations(void *self, double *out) {
    side *s = static_cast<side *>(self);
    for (int i = 0; i < s->c->n; i++) {
        out[i] = s->r[s->c->n + 6 + i];
    }
}

void clear(void *self) { delete static_cast<side *>(self); }

} // namespace

extern "C" const rival rival_bullet = {"Bullet", make, run, accelerations, clear};
