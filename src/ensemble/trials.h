/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

/* Trial steps of many runs at once, for a free body of several spheres over planes.
 *
 * Each run is a sim whose own flow decides everything: step sizes, events, accounts, what is reported (ff_flow_trial). Only
 * its trial steps of dopri5 are computed here, one run in each SIMD lane. The kernels make the operations of
 * dynamics/dynamics.c, contact/contact.c and ode/dopri5.inc in the same order, without fused ones, so that a run in lanes
 * has the bits of a single run, for any vector width and any assignment of runs to lanes.
 *
 * A lane has rows for its body and for its contacts that touch, in the order of the slots. All other components of y are
 * constant during a step. */

#include "ensemble.h"
#include "parts.h"

/* Runs side by side. Their sims should stay in the caches: 8 gain 3 % over 16. */
enum { FF_TRIALS = 8 };

typedef double ff_trial_row[FF_TRIALS] __attribute__((aligned(64)));
typedef int64_t ff_trial_mask[FF_TRIALS] __attribute__((aligned(64))); /* -1: true, 0: false */

/* Rows of a contact: deflection of friction; then accounts, in the order of ff_integral. */
enum { FF_TRIAL_U = 3, FF_TRIAL_ACCOUNTS = FF_GRADED_WORK + 1 };

/* Numbers of ff_touch_kept, in its order. */
enum { FF_TRIAL_KEPT = sizeof(ff_touch_kept) / sizeof(double) };

/* A sphere and a plane, as in ff_slot. */
typedef struct ff_trial_pair {
    ff_trial_mask centred; /* the sphere is at the centre of mass */
    ff_trial_row center[3], radius, normal[3], level;
} ff_trial_pair;

/* A contact of each lane that touches. */
typedef struct ff_trial_contact {
    ff_trial_pair pair;
    ff_trial_mask on, open;  /* the lane has this contact; its force is not clamped */
    ff_trial_row kind;       /* index of its laws */
    size_t kinds[FF_TRIALS]; /* the different ones */
    int kind_count;
    ff_trial_row latched; /* inner state of the normal law */
    ff_trial_row law[FF_LAW_NUMBERS], friction[FF_LAW_NUMBERS];
    ff_trial_row kept[FF_TRIAL_KEPT]; /* at the end of the step */
} ff_trial_contact;

typedef struct ff_trials {
    ff_lane_laws *laws; /* the different combinations */
    ff_trial_row per_mass, gravity[3], inertia[3][3], per_inertia[3][3];
    bool round; /* the body has three equal moments of inertia */

    ff_trial_mask goes_on;               /* the step begins where the last one ended */
    ff_trial_row h;                      /* length of the step, in x */
    ff_trial_row pace[6];                /* dt/dx at the second stage and later */
    ff_trial_row error, bend, stiffness; /* as in ff_stepper */

    size_t contacts[FF_TRIALS], slots; /* contacts: number of each lane */
    ff_trial_contact *contact;
    ff_trial_pair *slot;
    ff_trial_row *z, *zdot; /* of each slot at the end of the step */
    /* rows of y: body, deflections of all contacts, and from `accounts` on accounts of all contacts */
    size_t accounts;
    ff_trial_row *y, *y1, *stage, *per_weight, *k[7];
} ff_trials;

/* Tries a step of all lanes. */
typedef void (*ff_trials_try)(ff_trials *t);
void ff_trials_try_plain(ff_trials *t);
void ff_trials_try_avx2(ff_trials *t);
void ff_trials_try_avx512(ff_trials *t);

/* The reason why a model of this kind cannot use lanes, besides its laws; NULL if it can. */
const char *ff_trials_refusal(const ff_model *model, const ff_run_options *options);
/* ff_ensemble_run() for such models. */
ff_status ff_trials_run(const ff_model *model, const ff_ensemble_feed *feed);
