/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "ledger/ledger.h"
#include "sim.h"
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

size_t ff_verdict_parties(const ff_model *model) {
    const size_t contacts = model->crowd  ? model->crowd->class_count
                            : model->open ? model->defs.pairs.count
                                          : model->slot_count;
    return contacts + FF_PARTIES;
}

size_t ff_verdict_party(const ff_sim *sim, size_t slot) {
    return sim->near ? (size_t)sim->near->slots[slot].pair : slot;
}

void ff_verdict_begin(ff_sim *sim) {
    sim->now.initial = sim->now.gravity = sim->now.scale = 0;
    ff_ledger start = ff_sim_ledger(sim);
    sim->now.initial = -start.residual;
    sim->now.gravity = start.gravity;
    start = ff_sim_ledger_parts(sim, sim->leak.held);
    sim->now.scale = start.scale;
    ff_leak_begin(&sim->leak, &sim->now.leak, start.residual, ff_sim_time(sim));
}

void ff_verdict_note(ff_sim *sim) {
    ff_ledger l = ff_sim_ledger_parts(sim, sim->leak.held);
    sim->now.scale = l.scale;
    ff_leak_note(&sim->leak, &sim->now.leak, l.residual, ff_sim_time(sim));
}

/* ---- checks ---- */

void ff_verdict_name_party(const ff_model *model, size_t party, char *out, size_t size) {
    static const char *const others[FF_PARTIES + 1] = {
        "springs of joints and forces (account springs)",
        "dampers and friction of joints (account dampers)", "applied forces (account external)",
        "joints (account constraint)",
        "bodies alone, or a contact shorter than the interval between two checks"};
    size_t contacts = ff_verdict_parties(model) - FF_PARTIES;
    if (party >= contacts) {
        snprintf(out, size, "%s", others[party - contacts]);
    } else if (model->open) {
        const ff_pair_def *pair = &model->defs.pairs.at[party];
        snprintf(out, size, "contacts of pair %.60s/%.60s", pair->a, pair->b);
    } else {
        snprintf(out, size, "contact %.100s",
                 model->crowd ? model->crowd->classes[party].name : model->slots[party].name);
    }
}

/* Describes component i of y. */
static void name_component(const ff_model *model, size_t i, char *out, size_t size) {
    if (i >= model->run_at) {
        snprintf(out, size, "an account of the run");
    } else if (i >= model->slot_at) {
        bool account = i >= model->integral_at;
        size_t slot = model->slot_count - 1;
        while ((account ? model->slots[slot].integral_at : model->slots[slot].state_at) > i) {
            slot--;
        }
        snprintf(out, size, "%s of contact %.100s", account ? "an account" : "the inner state",
                 model->slots[slot].name);
    } else if (i >= model->control_at) {
        snprintf(out, size, "a state of a controller");
    } else if (i >= model->control_at - model->bristles) {
        snprintf(out, size, "the friction of a joint");
    } else {
        size_t body = model->body_count - 1;
        while (model->body_at[body] > i) {
            body--;
        }
        snprintf(out, size, "the motion of body %.100s", model->bodies[body].name);
    }
}

/* What the user can do. */
static const char *advice(const ff_sim *sim) {
    const ff_run_options *o = &sim->options;
    return sim->model->crowd            ? "a smaller dt would help"
           : ff_method_fixed(o->method) ? "a smaller dt, or method auto, would help"
           : !o->events                 ? "located events, or a smaller tol, would help"
                                        : "a smaller tol may help";
}

/* Names the contact with the most energy in its accounts beside the number that is not finite. */
static ff_status not_finite(ff_sim *sim, const char *what) {
    const ff_model *model = sim->reduced;
    const size_t contacts = model->crowd ? model->crowd->class_count : model->slot_count;
    double most = 0;
    char who[180] = "";
    for (size_t i = 0; i < contacts; i++) {
        ff_ledger l = model->crowd ? ff_sim_class_ledger(sim, i)
                                   : ff_sim_contact_ledger(sim, ff_near_contact(sim, i));
        double size = ff_ledger_magnitude(&l, 0);
        /* a contact whose own energy is not finite is chosen */
        if (!(size <= most)) {
            most = size;
            snprintf(who, sizeof who, "; most energy went through contact %.100s",
                     model->crowd ? model->crowd->classes[i].name : model->slots[i].name);
        }
    }
    snprintf(sim->error, sizeof sim->error, "%s is not finite%s; %s", what, who, advice(sim));
    return FF_NOT_FINITE;
}

/* Index of the first component that is not finite; n: there is none. */
static size_t first_bad(const double *y, size_t n) {
    size_t i = 0;
    while (i < n && isfinite(y[i])) {
        i++;
    }
    return i;
}

ff_status ff_verdict_state(ff_sim *sim, const double *y) {
    const ff_model *model = sim->reduced;
    char name[140], what[160];
    size_t i = first_bad(y, model->size);
    if (i == model->size) {
        return FF_OK;
    }
    name_component(model, i, name, sizeof name);
    snprintf(what, sizeof what, "%s%s", y == sim->flow.y ? "" : "a step further ", name);
    return not_finite(sim, what);
}

ff_status ff_verdict_bodies(ff_sim *sim) {
    char what[160];
    for (size_t i = 0; i < sim->model->body_count; i++) {
        ff_motion m = ff_sim_body(sim, i);
        if (first_bad((const double *)&m, sizeof m / sizeof(double)) < sizeof m / sizeof(double)) {
            snprintf(what, sizeof what, "the motion of body %.100s", sim->model->bodies[i].name);
            return not_finite(sim, what);
        }
    }
    return FF_OK;
}

ff_status ff_verdict_finite(ff_sim *sim, const ff_ledger *l) {
    ff_status status = sim->model->crowd ? FF_OK : ff_verdict_state(sim, sim->flow.y);
    status = status < 0 ? status : ff_verdict_bodies(sim);
    for (size_t i = 0; i < sim->model->joint_count && status == FF_OK; i++) {
        ff_joint_record r = ff_sim_joint(sim, i);
        char what[160];
        snprintf(what, sizeof what, "a number of joint %.100s", sim->model->joints[i].name);
        if (first_bad((const double *)&r, sizeof r / sizeof(double)) < sizeof r / sizeof(double)) {
            status = not_finite(sim, what);
        }
    }
#define LOOK(name)                                                                                 \
    if (status == FF_OK && !isfinite(l->name)) {                                                   \
        status = not_finite(sim, "account " #name);                                                \
    }
    FF_LEDGER_LIST(LOOK)
    LOOK(initial)
    LOOK(scale)
    LOOK(residual)
#undef LOOK
    return status;
}

/* Possible effect of rounding: one unit in the last place of the energies, with gravity relative to the origin, in every
 * step. A scene that hardly moves has a scale of that order. */
double ff_verdict_rounding(const ff_sim *sim, const ff_ledger *l) {
    double guess = sim->model->energy;
    double sum = guess + fabs(sim->now.gravity) + fabs(l->gravity) + l->scale;
    return DBL_EPSILON * (16 + (double)sim->flow.now.statistics.steps) * sum;
}

ff_status ff_sim_verdict(ff_sim *sim) {
    const ff_sim_kind *kind = sim->kind;
    char who[140], when[FF_LEAK_TIME];
    double part;
    ff_sim_observe(sim, NAN);
    sim->error[0] = '\0';
    ff_ledger l = ff_sim_ledger_parts(sim, sim->leak.held);
    ff_status status = kind->finite(sim, &l);
    const double limit = ff_ledger_limit(&sim->options);
    if (status < 0 || !(fabs(l.residual) > fmax(limit * l.scale, kind->rounding(sim, &l)))) {
        return status < 0 ? status : ff_sim_joints_verdict(sim);
    }
    size_t worst =
        ff_leak_worst(&sim->leak, &sim->now.leak, l.residual, ff_sim_time(sim), &part, when);
    kind->name_party(sim->model, worst, who, sizeof who);
    snprintf(sim->error, sizeof sim->error,
             "%s: the residual %.3g J is %.2g of scale, above %.2g; the largest part, %.3g J, is "
             "from %s; it grew most %s; %s",
             ff_status_text(FF_NOT_CLOSED), l.residual, fabs(l.residual) / l.scale, limit, part,
             who, when, advice(sim));
    return FF_NOT_CLOSED;
}
