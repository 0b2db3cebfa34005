/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#define _POSIX_C_SOURCE 200809L

/* The walking biped: speed under error control; and cost and constraint violation of seven constraint methods with
 * steps of 10 us over one step of its gait (Corral and others 2017, figs 11 to 17). Run it in the directory that
 * contains scenes/. */

#include "clock.h"
#include <footfall/footfall.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static ff_scene *scene;

typedef struct {
    ff_status status;
    double x, z, seconds;
    ff_ledger ledger;
    ff_statistics statistics;
    ff_violation violation;
} outcome;

static ff_model *model_of(const ff_run_options *options) {
    ff_model *model;
    ff_error error;
    ff_scene_set_run(scene, options);
    if (ff_model_create(scene, &model, &error) < 0) {
        fprintf(stderr, "%s\n", error.text);
        exit(1);
    }
    return model;
}

static outcome run(const ff_model *model, const ff_run_options *options) {
    outcome out = {0};
    ff_sim *sim;
    if (ff_sim_create(model, options, &sim, NULL) < 0) {
        exit(1);
    }
    while ((out.status = ff_sim_advance(sim, options->until)) == FF_EVENT) {
    }
    ff_motion leg = ff_sim_body(sim, 0);
    out.x = leg.position[0];
    out.z = leg.position[2];
    out.ledger = ff_sim_ledger(sim);
    out.statistics = ff_sim_statistics(sim);
    out.seconds = out.statistics.seconds;
    out.violation = ff_sim_violation_most(sim);
    ff_sim_free(sim);
    return out;
}

static outcome best_of(const ff_run_options *options, int tries) {
    ff_model *model = model_of(options);
    outcome best = run(model, options);
    while (--tries > 0) {
        double before = best.seconds;
        best = run(model, options);
        best.seconds = fmin(best.seconds, before);
    }
    ff_model_free(model);
    return best;
}

static void walk(void) {
    ff_run_options o = ff_run_options_default();
    o.until = 0.4;
    o.tol = 1e-11;
    outcome exact = best_of(&o, 1);
    printf("0.4 s of walking, articulated; one core, best of many; error: of a leg's place\n");
    printf("%8s %8s %9s %12s %10s %14s %10s %10s\n", "tol", "steps", "rejected", "evaluations",
           "ms", "of real time", "error, m", "residual");
    static const double tols[] = {1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9, 1e-10};
    for (int i = 0; i < 7; i++) {
        o.tol = tols[i];
        outcome r = best_of(&o, tols[i] > 3e-8 ? 200 : 20);
        printf("%8.0e %8ld %9ld %12ld %10.3f %13.0fx %10.1e %10.1e\n", o.tol, r.statistics.steps,
               r.statistics.rejected, r.statistics.evaluations, 1e3 * r.seconds,
               o.until / r.seconds, hypot(r.x - exact.x, r.z - exact.z),
               fabs(r.ledger.residual) / r.ledger.scale);
    }
    printf("  goal: 300 times real time at 1e-5\n\n");
}

static void seven_ways(void) {
    static const ff_method methods[] = {FF_EULER, FF_HEUN, FF_RK4, FF_AUTO};
    double first = 0;
    printf("one step of the gait, 0.44 s, steps of 10 us (auto: tol 1e-7): the greatest violations "
           "of position and "
           "velocity,\nwork of constraint, and time as a ratio to euler with standard\n");
    printf("%-18s %-8s %12s %12s %12s %8s\n", "constraints", "method", "position, m", "rate, m/s",
           "work, J", "time");
    for (int w = 0; w < FF_CONSTRAINTS; w++) {
        /* standard first: the others are compared with it */
        static const ff_constraints ways[FF_CONSTRAINTS] = {
            FF_STANDARD, FF_BAUMGARTE,        FF_PENALTY, FF_AUGMENTED,
            FF_INDEX1,   FF_INDEX1_AUGMENTED, FF_DIRECT};
        for (int i = 0; i < 4; i++) {
            ff_run_options o = ff_run_options_default();
            o.until = 0.44;
            o.method = methods[i];
            o.dt = 1e-5;
            o.tol = 1e-7;
            o.formulation = FF_MAXIMAL;
            o.constraints = ways[w];
            outcome r = best_of(&o, 2);
            first = first > 0 ? first : r.seconds;
            printf("%-18s %-8s %12.1e %12.1e %12.1e %8.2f%s\n", ff_constraints_name(ways[w]),
                   ff_method_name(methods[i]), r.violation.position, r.violation.velocity,
                   r.ledger.constraint, r.seconds / first,
                   r.status < 0 ? "  did not get to the end" : "");
        }
    }
}

int main(void) {
    ff_messages messages = {0};
    if (ff_scene_read("scenes/biped.yaml", NULL, 0, &scene, &messages) < 0) {
        fprintf(stderr, "scenes/biped.yaml cannot be read\n");
        return 1;
    }
    walk();
    seven_ways();
    ff_scene_free(scene);
    return 0;
}
