/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

/* A walker's gait: the step map takes the state at the beginning of a step to the state at the beginning of the next step.
 * A periodic gait is a fixed point of this map; eigenvalues of its derivative say whether the gait is stable.
 *
 *     ff_gait *gait;
 *     ff_gait_cycle cycle;
 *     ff_gait_create(scene, NULL, &gait, &error);
 *     for (int i = 0; i < 5; i++) { ff_gait_step(gait, &step, &error); }
 *     ff_gait_find(gait, &cycle, &error);
 *
 * The scene defines where a step begins (ff_scene_set_gait()). */

#include <footfall/sim.h>

FF_C_BEGIN

typedef struct ff_gait ff_gait;

/* Creates a walker in the start state of the scene, which may be freed afterwards. Options NULL: the run options of the
 * scene. FF_BAD_VALUE, with the reason in `error`, for scenes without a gait definition, with closed loops of joints or
 * forces that depend on time, and for crowds. */
FF_API ff_status ff_gait_create(const ff_scene *scene, const ff_run_options *options, ff_gait **out,
                                ff_error *error);
/* Frees a gait; NULL is allowed. */
FF_API void ff_gait_free(ff_gait *gait);

/* The model of the walker. */
FF_API const ff_model *ff_gait_model(const ff_gait *gait);

typedef struct ff_gait_record {
    double period, length; /* duration (s) and length along the direction of travel (m) */
    /* change of the state on the section in this step: largest component divided by its scale */
    double change;
} ff_gait_record;

/* Makes one step; from a start that is not the beginning of a step, up to the next beginning. FF_UNREACHABLE, with the
 * reason and time in `error`: the walker falls or begins no step within the time limit; it then stays where it was.
 * FF_BAD_VALUE: a contact has inner states where a step begins that cannot be part of the state there: latched at touch-down,
 * of a `bed`, or of a scene with more than 100 pairs; or a joint has some. A failure of ff_sim_verdict() is also returned. */
FF_API ff_status ff_gait_step(ff_gait *gait, ff_gait_record *out, ff_error *error);

/* The motion of a body at the beginning of the next step, with the distance travelled subtracted. */
FF_API ff_motion ff_gait_body(const ff_gait *gait, size_t body);
/* Puts the walker into another state, with inner states of contacts of 0. */
FF_API void ff_gait_stand(ff_gait *gait, const ff_motion *bodies);

/* A sim at time 0 in the walker's state, for examining a step. It belongs to the gait and is valid until the next call. */
FF_API ff_sim *ff_gait_sim(ff_gait *gait);

/* A periodic gait. */
typedef struct ff_gait_cycle {
    double period, length, speed; /* s, m, m/s */
    /* of the fixed point: largest component of step map minus state, divided by its scale */
    double residual;
    int iterations; /* Newton iterations */
    long steps;     /* steps simulated in the search */
    /* eigenvalues of the step map (real and imaginary parts), largest first; they belong to the gait */
    size_t count;
    double (*multipliers)[2];
    double largest, error; /* modulus of the first multiplier, and an error bound for each */
    bool stable;           /* all multipliers are inside the unit circle by more than `error` */
} ff_gait_cycle;

/* Finds the periodic gait nearest to the walker's state by Newton's method with finite differences, and puts the walker
 * there. FF_NO_CONVERGENCE, FF_UNREACHABLE: none was found; FF_NOT_CLOSED, FF_NOT_FINITE: a step failed ff_sim_verdict();
 * FF_SINGULAR: a coordinate that does not return, such as sideways travel, is neither constrained by a joint nor the
 * direction of travel; FF_BAD_VALUE: swap, turn and reflect are not a symmetry of the walker. */
FF_API ff_status ff_gait_find(ff_gait *gait, ff_gait_cycle *out, ff_error *error);

/* The gaits of a walker as one number of its scene changes: along a branch from `from` to `to`, also where the branch turns
 * back, or for given values. */
typedef struct ff_gait_branch {
    size_t size; /* sizeof(ff_gait_branch); ff_gait_branch_default() sets it */
    double from, to;
    /* From one gait to the next the number changes by |to - from|/points at most; 20 by default. */
    double points;
    size_t most; /* gaits at most, 500 by default */
    /* If not NULL, the gaits for these values alone, instead of a branch. Each search starts from the last gait that was found
     * and, if that fails or there is none, from the start of the walker. */
    const double *values;
    size_t count;
    size_t steps; /* made from the start of a walker before the search for its gait; 0 by default */
    /* Makes a walker for a value of the number; ff_gait_continue() frees it. */
    ff_status (*walker)(void *user, double value, ff_gait **out, ff_error *error);
    /* Called with each gait, and with a walker that stands in it, valid during the call. `turning`: the gait is a turning point
     * of the branch. Any status but FF_OK ends the branch and is returned. */
    ff_status (*point)(void *user, double value, bool turning, ff_gait *gait,
                       const ff_gait_cycle *cycle);
    /* Called with each of the `values` for which no gait was found, and with the reason. Any status but FF_OK ends the search and
     * is returned. NULL: the first such value ends the search. */
    ff_status (*missing)(void *user, double value, ff_status status, const ff_error *error);
    void *user;
} ff_gait_branch;

static inline ff_gait_branch ff_gait_branch_default(void) {
    ff_gait_branch branch;
    __builtin_memset(&branch, 0, sizeof branch);
    branch.size = sizeof branch;
    branch.points = 20;
    branch.most = 500;
    return branch;
}

/* Follows a branch of gaits by pseudo-arclength continuation, from the gait nearest to the start of the walker for `from`. The
 * branch ends with FF_OK where the number reaches `to`, or `from` again behind a turning point. FF_UNREACHABLE,
 * FF_NO_CONVERGENCE, FF_SINGULAR and others: the branch could not be followed farther; `error` says from which value on and why.
 * With `values` it finds the gait of each. */
FF_API ff_status ff_gait_continue(const ff_gait_branch *branch, ff_error *error);

FF_C_END
