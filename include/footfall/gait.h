/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

/* A walker's gait: the map that takes the state at the beginning of a step to that at the beginning of the next one,
 * the state that it leaves as it is, and whether walkers near that one come to walk like it.
 *
 *     ff_gait *gait;
 *     ff_gait_cycle cycle;
 *     ff_gait_create(scene, NULL, &gait, &error);
 *     for (int i = 0; i < 5; i++) { ff_gait_step(gait, &step, &error); }
 *     ff_gait_find(gait, &cycle, &error);
 *
 * What a step is, the scene says (ff_scene_set_gait). */

#include <footfall/sim.h>

FF_C_BEGIN

typedef struct ff_gait ff_gait;

/* Stands where the scene starts. Options NULL: those of the scene. Refused, with the reason in `error`: scenes without
 * a gait, with loops of joints, with forces that depend on time, and crowds. The scene may be freed afterwards. */
FF_API ff_status ff_gait_create(const ff_scene *scene, const ff_run_options *options, ff_gait **out,
                                ff_error *error);
FF_API void ff_gait_free(ff_gait *gait);

FF_API const ff_model *ff_gait_model(const ff_gait *gait);

typedef struct ff_gait_record {
    double period, length; /* s, m along the direction */
    double change;         /* of the state on the section, the largest in units of its scales */
} ff_gait_record;

/* Walks one step; from a start that does not begin one, to where the next begins. A walker that falls, or begins no
 * step within the limit, stays where it was: FF_UNREACHABLE, with what happened and when in `error`. A contact whose
 * laws remember something where a step begins is FF_BAD_VALUE: a step is known by motions alone. What
 * ff_sim_verdict() says against a step is returned, too. */
FF_API ff_status ff_gait_step(ff_gait *gait, ff_gait_record *out, ff_error *error);

/* The motion of a body where it stands, moved back along the direction; and makes it stand elsewhere. */
FF_API ff_motion ff_gait_body(const ff_gait *gait, size_t body);
FF_API void ff_gait_stand(ff_gait *gait, const ff_motion *bodies);

/* A sim at time 0 from where it stands, to see what happens in a step; it is the gait's own, until its next call. */
FF_API ff_sim *ff_gait_sim(ff_gait *gait);

/* A gait that repeats itself. */
typedef struct ff_gait_cycle {
    double period, length, speed; /* s, m, m/s */
    double
        residual; /* how far a step leads from where it began, the largest in units of its scales */
    int iterations; /* of Newton's method */
    long steps;     /* walked in all to find it */
    /* eigenvalues of the step map on its section, real and imaginary parts, largest first; the gait's own */
    size_t count;
    double (*multipliers)[2];
    double largest, error; /* modulus of the first, and about how wrong the first is */
    bool stable;           /* all of them are within the unit circle, by more than the error */
} ff_gait_cycle;

/* Finds the one nearest to where it stands, by Newton's method with differences of steps, and stands there.
 * FF_NO_CONVERGENCE, FF_UNREACHABLE: there is none, or it is too far; FF_NOT_CLOSED, FF_NOT_FINITE: its step cannot be
 * trusted; FF_SINGULAR: something that no step brings back,
 * such as a way to the side, is neither held by a joint nor the direction. */
FF_API ff_status ff_gait_find(ff_gait *gait, ff_gait_cycle *out, ff_error *error);

FF_C_END
