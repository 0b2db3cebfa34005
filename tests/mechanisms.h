/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

/* Runs of mechanisms from text, in both formulations, with ledgers that close. */

#include "scene_text.h"
#include <footfall/footfall.h>

static const char *const ways[] = {"", "formulation: maximal, ",
                                   "formulation: maximal, constraints: direct, "};
enum { WAYS = sizeof ways / sizeof *ways };

typedef struct run {
    ff_model *model;
    ff_sim *sim;
} run;

/* A scene in one of the formulations, with a tolerance of 1e-11 unless the method has fixed steps. */
static inline run start(const char *scene, int way, const char *options) {
    char text[4000];
    run out;
    ff_error error = {""};
    snprintf(text, sizeof text, "%srun: {%stol: 1e-11%s}\n", scene, ways[way], options);
    out.model = model_of_text(text);
    ff_status status = ff_sim_create(out.model, NULL, &out.sim, &error);
    assert_holds(status == FF_OK, "%s", error.text);
    return out;
}

static inline void finish(const run *r) {
    ff_sim_free(r->sim);
    ff_model_free(r->model);
}

/* Advances to a time; the ledger closes to 1e-9 of its scale, and so does the account of constraints, which do no
 * work. */
static inline ff_joint_record advance(const run *r, double until, size_t joint) {
    ff_status status;
    while ((status = ff_sim_advance(r->sim, until)) == FF_EVENT) {
    }
    assert_holds(status == FF_OK, "%s", ff_sim_error(r->sim));
    const ff_ledger l = ff_sim_ledger(r->sim);
    assert_holds(fabs(l.residual) <= 1e-9 * l.scale, "residual %g of %g", l.residual, l.scale);
    assert_holds(fabs(l.constraint) <= 1e-9 * l.scale, "constraint %g of %g", l.constraint,
                 l.scale);
    return ff_sim_joint(r->sim, joint);
}
