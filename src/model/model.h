/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

/* A scene compiled: immutable, shared by threads. Indices and constants instead of names; the layout of
 * the vector y that is integrated:
 *
 *   bodies     13 each: position 3, quaternion 4, velocity 3, omega 3
 *   contacts   4 each: inner state of the normal law, u of the friction law
 *   accounts   6 for each contact, then FF_RUN_INTEGRALS for the run: integrals that feed nothing back */

#include "kinds.h"
#include <footfall/sim.h>

enum { FF_BODY_STRIDE = 13, FF_CONTACT_STRIDE = 4 };
enum { FF_P = 0, FF_Q = 3, FF_VEL = 7, FF_OMEGA = 10 };

/* integrals along the run, W into J; spring_work is the path integral of the tangential spring */
typedef enum ff_integral {
    FF_NORMAL_DAMPER,
    FF_TANGENTIAL_DAMPER,
    FF_CLUTCH,
    FF_VISCOUS,
    FF_SPRING_WORK,
    FF_PLANE_WORK,
    FF_CONTACT_INTEGRALS
} ff_integral;

enum { FF_DAMPER_WORK, FF_APPLIED_WORK, FF_RUN_INTEGRALS };

typedef struct ff_model_body {
    char *name;
    double mass, per_mass;
    bool round;        /* inertia is the same about every axis */
    bool free_turning; /* round, with all spheres at its centre: its orientation acts on nothing */
    double inertia[3][3]; /* body axes */
    double per_inertia[3][3];
    unsigned locked;
    double start[FF_BODY_STRIDE];
} ff_model_body;

/* Two things that may touch: a slot. The first is a sphere of a body, the second a sphere of another
 * body or a plane. */
typedef struct ff_slot {
    char *name;                           /* "ball/floor" */
    int body, other;                      /* other -1: a plane */
    double center[3], radius;             /* body axes */
    double other_center[3], other_radius; /* of the other body's sphere */
    double normal[3], skin[3];            /* of the plane; skin: velocity of its surface */
    double level, rise;                   /* z = level + rise t - normal.(centre of the sphere) */
    double share;                         /* R/r_a: where the common point lies, two spheres */
    ff_normal law;
    ff_normal open; /* the same without clamp: smooth beyond the end of a contact */
    ff_friction friction;
    bool slides;   /* has friction */
    int clock;     /* t - t0 = sigma^clock makes touch-down smooth */
    bool stateful; /* the ground recovers at its own pace; its depth is the inner state meanwhile */
} ff_slot;

/* ---- crowds: scenes with more pairs than can have slots of their own ---- */

/* A pair of the scene, with the laws of all its contacts. */
typedef struct ff_class {
    char *name;
    ff_normal law;
    ff_friction friction;
    bool slides;
} ff_class;

typedef struct ff_wall {
    double normal[3], level, rise, skin[3]; /* as of a slot, level without a radius */
} ff_wall;

/* Spheres and planes: body i is one sphere. */
typedef struct ff_crowd_model {
    int *kind; /* of each body */
    double *radius;
    double *push; /* force that always acts, 3 for each body */
    ff_wall *walls;
    ff_class *classes;
    int *pair_class; /* kind by kind: the class of their contacts, negative for none */
    int *wall_class; /* kind by wall */
    size_t kind_count, wall_count, class_count;
} ff_crowd_model;

struct ff_model {
    double gravity[3];
    ff_model_body *bodies;
    ff_slot *slots;
    ff_force_def *forces;
    ff_event_def *events;
    char **unpaired; /* names of pairs without an entry, the first hundred of them */
    size_t unpaired_count;
    size_t body_count, slot_count, force_count, event_count;
    size_t states, size;                 /* of y: what feeds back, and all */
    size_t active;                       /* states that act on something */
    size_t slot_at, integral_at, run_at; /* offsets in y */
    double *scales;                      /* of every component, for absolute tolerances */
    bool *first; /* the velocities, which a semi-implicit step moves first */
    int *speed;  /* of a state that is a position: which one is its velocity; -1 for others */
    bool *inert; /* components that act on nothing but themselves */
    double energy_scale;
    ff_run_options run;
    ff_crowd_model *crowd; /* NULL: slots */
};

static inline const double *ff_body_state(const double *y, int body) {
    return y + (size_t)body * FF_BODY_STRIDE;
}

/* Beyond so many pairs, contacts share slots where the method can do it, and beyond so many they must. */
enum { FF_SLOTS_USUAL = 100, FF_SLOTS_MOST = 20000 };

/* What has no entry has no contact; `check` lists it, a body and a partner once. */
ff_status ff_model_note_unpaired(ff_model *model, const char *a, const char *b);

ff_status ff_crowd_model_make(ff_model *model, const ff_scene *scene, const ff_kinds *kinds,
                              ff_error *error);
void ff_crowd_model_free(ff_crowd_model *crowd);

/* How many pairs of things may touch, and whether they are to be a crowd; 0 where the scene is wrong. */
double ff_model_pairs(const ff_scene *scene, bool *crowd);

/* The velocity of a plane's surface: its own, and that of its skin, which moves in the plane. */
void ff_plane_skin(const ff_plane_def *plane, double out[3]);

/* y at the start of a run. */
void ff_model_start(const ff_model *model, double *y);
