/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "inclusion.h"
#include "law/sizes.h"
#include "num/memory.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A differential inclusion as a system of the flow. */

/* ---- roots ---- */

static inline ff_root watched(const ff_inclusion *inc, size_t i) {
    const double g = inc->values[i];
    const bool bounded = inc->roots[i].bounded;
    return (ff_root){.g = inc->phases[0].above[i] ? -g : g,
                     .noise = inc->noise[i],
                     .slope = bounded ? 0 : NAN,
                     .course = bounded ? FF_COURSE_BOUNDED : FF_COURSE_SMOOTH};
}

/* A function that must not become negative. */
static inline ff_root held(const ff_inclusion *inc, size_t i) {
    return (ff_root){.g = -inc->values[i], .noise = inc->noise[i]};
}

static void roots(void *self, double t, const double *y, ff_known known, ff_root *out) {
    ff_inclusion *inc = self;
    const size_t count = inc->watched, all = inc->sim->flow.roots;
    ff_inclusion_values(inc, t, y, known);
    for (size_t i = 0; i < count; i++) {
        out[i] = watched(inc, i);
    }
    for (size_t i = count; i < all; i++) {
        out[i] = held(inc, i);
    }
}

static void root(void *self, double t, const double *y, size_t which, ff_root *out) {
    ff_inclusion *inc = self;
    ff_inclusion_values(inc, t, y, false);
    *out = which < inc->watched ? watched(inc, which) : held(inc, which);
}

void ff_inclusion_size_noise(ff_inclusion *inc) {
    for (size_t i = 0; i < inc->sim->flow.roots; i++) {
        inc->noise[i] = inc->noise_part[i] * inc->sizes[i];
    }
}

/* ---- jumps ---- */

static void report(ff_inclusion *inc, ff_event_kind kind, size_t of, bool rejoin) {
    ff_flow_report(&inc->sim->flow, kind, (int)of, rejoin);
}

/* A contact begins or ends at psi = 0, or at the root of its law's gap function. */
static void change_gap(ff_inclusion *inc, size_t i, double last, ff_jump *out) {
    const ff_dio *dio = &inc->dios[i];
    const ff_flow *f = &inc->sim->flow;
    bool *above = inc->phases[0].above + dio->gap;
    if (inc->survey.sizes) {
        ff_inclusion_survey_renew(inc);
    }
    if (dio->clamps && above[0]) {
        /* the force may be clamped at 0 from the beginning, but not if it only begins at 0 */
        ff_inclusion_values(inc, ff_flow_time(f), f->y, false);
        above[1] = inc->values[dio->gap + 1] >= 0;
    }
    if (dio->kinked && above[0]) {
        /* contact begins while closing */
        above[1 + dio->clamps] = true;
    }
    if (!dio->clamps || above[1]) {
        report(inc, above[0] ? FF_TOUCHDOWN : FF_LIFTOFF, i, false);
    }
    if (!above[0] && dio->jumps) {
        report(inc, FF_CLEAR, i, false);
        above[dio->clamps] = false;
    }
    /* a force that is a power of the depth is smooth in a root of the time since touch-down */
    bool curved = above[0] && dio->jumps && ff_method_curved(f->method);
    ff_jump_ask(out, curved ? ff_normal_clock(&dio->law) : 1, last);
}

/* The side of a function has changed: reports it and updates what depends on it. */
static void change(ff_inclusion *inc, size_t which, double last, ff_jump *out) {
    const ff_flow *f = &inc->sim->flow;
    const ff_inclusion_phase *phase = &inc->phases[0];
    const size_t i = inc->roots[which].i;
    const bool above = phase->above[which] = !phase->above[which];
    switch (inc->roots[which].of) {
    case FF_OF_GAP: change_gap(inc, i, last, out); return;
    case FF_OF_HOLD: report(inc, above ? FF_TOUCHDOWN : FF_LIFTOFF, i, above); break;
    case FF_OF_GRIP:
        ff_inclusion_evaluate(inc, phase, ff_flow_time(f), f->y);
        if (inc->chi[i] > 0) {
            report(inc, above ? FF_SLIP : FF_STICK, i, false);
        }
        break;
    case FF_OF_TURN:
    case FF_OF_BEND: return;
    case FF_OF_USER:
        if (inc->def.silent[i]) {
            /* only a kink: the next step has no history but continues with the same size and method */
            return;
        }
        report(inc, FF_USER, i, false);
    }
    ff_jump_ask(out, 1, last);
}

static void jump(void *self, const size_t *fired, size_t count, double last, ff_jump *out) {
    ff_inclusion *inc = self;
    for (size_t k = 0; k < count; k++) {
        change(inc, fired[k], last, out);
    }
    if (inc->grades && !out->silent) {
        ff_inclusion_book_jump(inc);
    }
}

double ff_inclusion_next(const void *self, double t) {
    const ff_inclusion *inc = self;
    double next = INFINITY;
    for (size_t i = 0; i < inc->def.switch_count && inc->sim->flow.locates; i++) {
        next = inc->def.switches[i] > t ? fmin(next, inc->def.switches[i]) : next;
    }
    return next;
}

static ff_met meet(void *self) {
    ff_inclusion *inc = self;
    const double now = ff_flow_time(&inc->sim->flow);
    for (size_t i = 0; i < inc->def.switch_count; i++) {
        if (inc->def.switches[i] == now) {
            report(inc, FF_SWITCH, i, false);
        }
    }
    *inc->phases[0].brink = nextafter(ff_inclusion_next(inc, now), -INFINITY);
    if (inc->grades) {
        ff_inclusion_book_jump(inc);
    }
    return FF_MET_CHANGE;
}

/* ---- steps ---- */

void ff_inclusion_weigh(ff_inclusion *inc, size_t from) {
    ff_flow *f = &inc->sim->flow;
    for (size_t i = from; i < f->n; i++) {
        f->per_weight[i] = 1 / (FF_LOCAL_PART * f->tol * inc->scales[i]);
    }
}

/* Scales that were not given follow the largest magnitude of their states. Fixed steps do not need them. */
static void note_sizes(ff_inclusion *inc) {
    ff_flow *f = &inc->sim->flow;
    for (size_t i = 0; i < inc->lost_at; i++) {
        double size = fabs(f->y[i]);
        if (size > inc->scales[i] && !inc->fixed[i]) {
            inc->scales[i] = size;
            f->per_weight[i] = 1 / (FF_LOCAL_PART * f->tol * size);
        }
    }
}

static ff_status taken(void *self) {
    ff_inclusion *inc = self;
    const ff_flow *f = &inc->sim->flow;
    if (inc->survey.sizes || f->now.doubtful > 0) {
        ff_inclusion_survey_note(inc);
    }
    for (size_t i = 0; i < f->roots; i++) {
        double size = fabs(f->end[i].g);
        if (size > inc->sizes[i]) {
            inc->sizes[i] = size;
            inc->noise[i] = inc->noise_part[i] * size;
        }
    }
    if (ff_method_order(f->method)) {
        note_sizes(inc);
    }
    if (inc->grades) {
        ff_inclusion_book_step(inc);
    }
    return FF_OK;
}

const ff_system ff_inclusion_system = {.rates = ff_inclusion_rates,
                                       .roots = roots,
                                       .root = root,
                                       .most = ff_inclusion_survey_most,
                                       .arrange = ff_inclusion_survey_arrange,
                                       .jump = jump,
                                       .next = ff_inclusion_next,
                                       .meet = meet,
                                       .taken = taken,
                                       .knows = ff_inclusion_knows};

/* ---- functions of ff_sim_kind ---- */

static void ready(ff_sim *sim) { sim->error[0] = '\0'; }

/* Updates accounts and the largest sum of their magnitudes. */
void ff_inclusion_note(ff_sim *sim, ff_status status) {
    ff_inclusion *inc = sim->own;
    if (!inc->def.ledger || (status == FF_OK && sim->flow.now.statistics.steps % 8 != 0)) {
        return;
    }
    ff_verdict_note(sim);
    for (size_t i = inc->lost_at; i < inc->size; i++) {
        inc->scales[i] = fmax(sim->now.scale, FF_LEAST_ENERGY);
    }
    ff_inclusion_weigh(inc, inc->lost_at);
}

static ff_status explain(ff_sim *sim, ff_status status) {
    ff_inclusion *inc = sim->own;
    ff_flow *f = &sim->flow;
    const double t = ff_flow_time(f),
                 end = ff_clock_time(&f->now.clock, f->now.clock.x + f->stepper.step);
    const size_t sgn = f->blame - inc->watched;
    if (sim->error[0] != '\0') {
        return status;
    }
    if (status == FF_BAD_VALUE && sgn < inc->def.sgn_count && f->end[f->blame].g > 0) {
        snprintf(sim->error, sizeof sim->error, "the factor of %s becomes negative at t = %.9g",
                 inc->sgns[sgn].name, end);
        return status;
    }
    if (status == FF_BAD_VALUE || status == FF_NOT_FINITE ||
        (status == FF_TOO_STIFF && f->not_finite)) {
        /* repeat the step with a check of each evaluation */
        const double h = f->stepper.step;
        inc->blaming = true;
        ff_stepper_start(&f->stepper, f->now.clock.x, f->y);
        ff_stepper_try(&f->stepper, f->now.method, f->now.clock.x, f->y, h, f->per_weight);
        inc->blaming = false;
        f->now.fresh = true;
        status = sim->error[0] != '\0' ? FF_BAD_VALUE : FF_TOO_STIFF;
    }
    if (sim->error[0] == '\0') {
        snprintf(sim->error, sizeof sim->error, "%s, at t = %.9g", ff_status_text(status), t);
    }
    return status;
}

static void pack(ff_sim *sim) { ff_flow_pack(&sim->flow); }

static ff_status unpack(ff_sim *sim) {
    ff_inclusion_size_noise(sim->own);
    ff_flow_unpack(&sim->flow);
    return FF_OK;
}

static void free_run(ff_sim *sim) { ff_free(sim->own); }

static const char *owner(const ff_model *model, const ff_event *event) {
    const ff_inclusion_def *def = ff_model_inclusion(model);
    const size_t i = (size_t)event->contact;
    if (event->kind == FF_STICK || event->kind == FF_SLIP) {
        return i < def->sgn_count ? def->sgns[i].name : NULL;
    }
    return i < def->dio_count ? def->dios[i].name : NULL;
}

static size_t parties(const ff_model *model) {
    const ff_inclusion_def *def = ff_model_inclusion(model);
    return def->dio_count + def->sgn_count + 1;
}

static void name_party(const ff_model *model, size_t party, char *out, size_t size) {
    const ff_inclusion_def *def = ff_model_inclusion(model);
    const size_t sgn = party - def->dio_count;
    snprintf(out, size, "%s",
             party < def->dio_count  ? def->dios[party].name
             : sgn < def->sgn_count  ? def->sgns[sgn].name
             : sgn == def->sgn_count ? "power (account external)"
                                     : "the rates between forces");
}

static ff_status finite(ff_sim *sim, const ff_ledger *l) {
    const ff_inclusion *inc = sim->own;
    for (size_t i = 0; i < inc->size; i++) {
        if (!isfinite(sim->flow.y[i])) {
            snprintf(sim->error, sizeof sim->error, "%s is not finite",
                     i < inc->def.states ? inc->def.names[i] : "an inner state or account");
            return FF_NOT_FINITE;
        }
    }
    if (inc->def.ledger && inc->def.energy && !isfinite(l->residual + l->scale)) {
        snprintf(sim->error, sizeof sim->error, "the energy is not finite");
        return FF_NOT_FINITE;
    }
    return FF_OK;
}

/* The smallest scale of errors does not count as an energy scale. */
static double permits(ff_sim *sim, const ff_ledger *l) {
    (void)l;
    return ff_ledger_limit(&sim->options) * FF_LEAST_ENERGY;
}

const ff_sim_kind ff_inclusion_kind = {.create = ff_inclusion_make,
                                       .free = free_run,
                                       .ready = ready,
                                       .pack = pack,
                                       .valid = ff_inclusion_valid,
                                       .unpack = unpack,
                                       .fingerprint = ff_inclusion_fingerprint,
                                       .note = ff_inclusion_note,
                                       .explain = explain,
                                       .ledger = ff_inclusion_accounts,
                                       .owner = owner,
                                       .parties = parties,
                                       .name_party = name_party,
                                       .finite = finite,
                                       .permits = permits};
