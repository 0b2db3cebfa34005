/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

/* Marches any system y' = f(t, y) through time: steps with error control, ended where given functions pass
 * through 0, explicit or implicit as the system asks for. It knows no modes: what changes at a root is the
 * caller's. */

#include "stepper.h"
#include <footfall/sim.h>
#include <stdint.h>

typedef struct ff_march {
    ff_stepper stepper; /* made by the caller with ff_stepper_init() */
    void *user;
    ff_method asked, method; /* what was asked for; of the next step */
    double tol, dt;
    bool unable;  /* to go implicit: the stepper has no matrices */
    bool locate;  /* the roots; without, steps go over them */
    size_t roots; /* functions whose roots end steps */
    size_t held;  /* functions after those that must not be negative where a step ends */
    /* all of them at (t, y), of which only the states are given; `known`: f was evaluated there last */
    void (*values)(void *user, double t, const double *y, bool known, double *g);

    double time, step; /* s; infinite where the method chooses */
    double least;      /* the shortest step that a stretch begins with, s */
    double *y, *per_weight;
    bool *above; /* on which side of 0 each function is; the caller sets it where that jumps */
    bool fresh;  /* f and the functions here are not known yet */
    int stiff;   /* how many steps in a row looked stiff */
    double last_time, last_step; /* the step last taken; last_step 0: there is none */
    ff_method last_method;
    double *last_y;
    double held_value; /* of the function that ended the run */
    double *size;      /* the largest of each function so far; more is no harm */
    /* the part of `size` that a function must be beyond 0 to have crossed it: rounding, where the caller sets no more */
    double *noise;
    double *g0, *g1, *g, *early, *late, *scratch; /* work */
    ff_statistics statistics;
} ff_march;

/* How many doubles of memory a march works in besides its stepper, and where it finds them. */
size_t ff_march_room(size_t n, size_t functions);
void ff_march_init(ff_march *m, double *memory, bool *above);

/* A stretch without history begins here, with a step of about this time; auto goes back to explicit steps. */
void ff_march_restart(ff_march *m, double step);

/* One accepted step that does not go past `aim`, which is later than now. FF_EVENT: it ends where the function
 * *root changed its side (before it began, even: then last_step is 0); the caller restarts. FF_BAD_VALUE: a
 * function that is held would be negative, *root tells which, or f is no number, *root is SIZE_MAX. On failure
 * all is as before the step. */
ff_status ff_march_step(ff_march *m, double aim, size_t *root);

/* y at a time within the step last taken. */
void ff_march_at(ff_march *m, double time, double *out);
