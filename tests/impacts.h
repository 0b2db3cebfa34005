/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

/* Shared by tests of single impacts. */

#include "check.h"
#include "law/params.h"
#include <footfall/footfall.h>

/* a power law by its exponents; lambda_out NAN for equal damping */
static inline ff_normal general(double n, double p, double k, double lambda, double lambda_out,
                                bool tension) {
    ff_normal law;
    double values[] = {k, lambda, n, p, lambda_out, tension, NAN};
    assert_int_equal(ff_normal_make(&law, ff_normal_law_find("general"), values, NULL), FF_OK);
    return law;
}

static inline ff_impact solved(const ff_normal *law, double mass, double speed) {
    ff_impact out;
    assert_int_equal(ff_impact_solve(law, mass, speed, &out), FF_OK);
    return out;
}

/* The law without its knowledge of impacts: `table` receives the modified table. */
static inline ff_normal bare(const ff_normal *law, ff_normal_law *table) {
    ff_normal out = *law;
    *table = *law->law;
    table->power_form = NULL;
    table->decay = NULL;
    table->impact = NULL;
    table->curve = NULL;
    out.law = table;
    return out;
}

static inline void assert_same_impact(const ff_impact *a, const ff_impact *b, double tolerance) {
    assert_close(a->restitution, b->restitution, tolerance);
    assert_close(a->contact_time, b->contact_time, tolerance);
    assert_close(a->clear_time, b->clear_time, tolerance);
    assert_close(a->max_depth, b->max_depth, tolerance);
    assert_close(a->max_depth_time, b->max_depth_time, tolerance);
    assert_close(a->max_force, b->max_force, tolerance);
    assert_close(a->energy_lost, b->energy_lost, tolerance);
    assert_near(a->end_depth, b->end_depth, tolerance * b->max_depth);
}

/* The law as a power law, at a speed of 1 m/s. */
static inline ff_power power_of(const ff_normal *law) {
    ff_power power;
    assert_true(ff_normal_power(law, 1, &power));
    return power;
}
