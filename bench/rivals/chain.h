/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

/* A chain of links on revolute joints, hanging from the world, as every side of bench/chain builds it: link i
 * turns by q about `axis` through its anchor, which is `anchor` from the centre of mass of the link before (or
 * from the origin of the world), in that link's axes; its own centre of mass is `com` from there, in its own axes,
 * which are those of its inertia. Axes of all links are parallel where coordinates are 0. */

#define CHAIN_MOST 100
#define CHAIN_GRAVITY 9.81 /* against z */

typedef struct chain {
    int n;
    struct {
        double mass, inertia[3], axis[3], anchor[3], com[3];
    } link[CHAIN_MOST];
    double q[CHAIN_MOST], u[CHAIN_MOST];
} chain;

/* Another library's forward dynamics of a chain: made, run at the state of the chain, read, freed. */
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
