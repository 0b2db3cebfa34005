/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

/* A chain of links on revolute joints, hanging from the world, as built by each program of bench/chain. Link i
 * turns by q about `axis` through its anchor, located at `anchor` from the centre of mass of the previous link (or
 * from the origin of the world), in the axes of that link. Its own centre of mass is at `com` from the anchor, in
 * its own axes, which are its principal axes of inertia. The axes of all links are parallel if all coordinates are
 * 0. */

#define CHAIN_MOST 100
#define CHAIN_GRAVITY 9.81 /* along -z, m/s^2 */

typedef struct chain {
    int n;
    struct {
        double mass, inertia[3], axis[3], anchor[3], com[3];
    } link[CHAIN_MOST];
    double q[CHAIN_MOST], u[CHAIN_MOST];
} chain;

/* Forward dynamics of a chain by another library: create, run at the state of the chain, read, free. */
typedef struct rival {
    const char *name;
    void *(*make)(const chain *c);
    void (*run)(void *self);
    void (*accelerations)(void *self, double *out);
    void (*clear)(void *self);
} rival;

#ifdef __cplusplus
extern "C" {
#endif
extern const rival rival_mujoco, rival_bullet;
#ifdef __cplusplus
}
#endif
