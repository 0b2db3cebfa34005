/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

/* Results of a run, and comparisons of the results of two methods. */

#include "check.h"
#include <footfall/footfall.h>

enum { OUTCOME_EVENTS = 400, OUTCOME_BODIES = 16 };

typedef struct {
    ff_event events[OUTCOME_EVENTS];
    size_t count, body_count;
    ff_motion bodies[OUTCOME_BODIES];
    ff_ledger ledger;
    ff_statistics statistics;
} outcome;

static inline void outcome_event(outcome *out, const ff_event *event) {
    assert_true(out->count < OUTCOME_EVENTS);
    out->events[out->count++] = *event;
}

/* the state and accounts of a sim */
static inline void outcome_end(outcome *out, ff_sim *sim, const ff_model *model) {
    out->body_count = ff_model_body_count(model);
    assert_true(out->body_count <= OUTCOME_BODIES);
    for (size_t i = 0; i < out->body_count; i++) {
        out->bodies[i] = ff_sim_body(sim, i);
    }
    out->ledger = ff_sim_ledger(sim);
    out->statistics = ff_sim_statistics(sim);
}

static inline outcome outcome_of(const ff_model *model, ff_method method, double tol,
                                 double until) {
    outcome out = {.count = 0};
    ff_run_options o = ff_run_options_default();
    ff_sim *sim;
    ff_status status;
    o.method = method;
    o.tol = tol;
    assert_int_equal(ff_sim_create(model, &o, &sim, NULL), FF_OK);
    while ((status = ff_sim_advance(sim, until)) == FF_EVENT) {
        outcome_event(&out, ff_sim_event(sim));
    }
    assert_holds(status == FF_OK, "%s stopped at %g", ff_method_name(method), ff_sim_time(sim));
    outcome_end(&out, sim, model);
    ff_sim_free(sim);
    return out;
}

/* The same events in the same order, at times that differ by at most `most`, s. */
static inline void outcome_compare_events(const char *what, const outcome *seen,
                                          const outcome *want, double most) {
    assert_holds(seen->count == want->count, "%s: %zu events instead of %zu", what, seen->count,
                 want->count);
    for (size_t i = 0; i < seen->count; i++) {
        const ff_event *a = &seen->events[i], *b = &want->events[i];
        assert_holds(a->kind == b->kind && a->contact == b->contact && a->rejoin == b->rejoin,
                     "%s: event %zu is %s", what, i, ff_event_name(a->kind));
        assert_holds(fabs(a->time - b->time) <= most, "%s: %s at %.12g, off by %g", what,
                     ff_event_name(a->kind), a->time, a->time - b->time);
    }
}

/* Motions and accounts at the end that differ by at most `most`: m, m/s, and fractions of the energy scale.
 * Lengths and speeds of the compared scenes are of the order of 1 or below. */
static inline void outcome_compare_end(const char *what, const outcome *seen, const outcome *want,
                                       double most) {
    for (size_t i = 0; i < want->body_count; i++) {
        const ff_motion *a = &seen->bodies[i], *b = &want->bodies[i];
        for (int c = 0; c < 3; c++) {
            double p = a->position[c] - b->position[c], v = a->velocity[c] - b->velocity[c];
            assert_holds(fabs(p) <= most && fabs(v) <= most, "%s: body %zu is off by %g, %g", what,
                         i, p, v);
        }
    }
#define NEAR(name)                                                                                 \
    assert_holds(fabs(seen->ledger.name - want->ledger.name) <= most * want->ledger.scale,         \
                 "%s: %s is off by %g", what, #name, seen->ledger.name - want->ledger.name);
    FF_LEDGER_LIST(NEAR)
#undef NEAR
    assert_holds(fabs(seen->ledger.residual) <= most * want->ledger.scale, "%s: residual %g", what,
                 seen->ledger.residual / want->ledger.scale);
}

static inline void outcome_compare(const char *what, const outcome *seen, const outcome *want,
                                   double most) {
    outcome_compare_events(what, seen, want, most);
    outcome_compare_end(what, seen, want, most);
}
