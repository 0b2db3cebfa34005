/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "inclusion.h"
#include <math.h>
#include <string.h>

/* Queries of a run of an inclusion. */

/* Evaluates the observed state: now, or at the observed time. */
static ff_inclusion_sight look(ff_inclusion *inc) {
    const ff_flow *f = &inc->sim->flow;
    const bool past = !isnan(f->seen_time);
    ff_inclusion_sight out = {past ? f->seen_time : ff_flow_time(f), past ? f->seen : f->y,
                              &inc->phases[past]};
    ff_inclusion_evaluate(inc, out.phase, out.time, out.y);
    return out;
}

ff_inclusion_view ff_inclusion_at(ff_sim *sim) {
    ff_inclusion *inc = sim->own;
    const ff_inclusion_sight at = look(inc);
    for (size_t i = 0; i < inc->def.dio_count; i++) {
        const ff_dio *dio = &inc->dios[i];
        const bool *above = at.phase->above + dio->gap;
        inc->touching[i] =
            sim->flow.locates ? above[0] && (!dio->clamps || above[1]) : inc->contact[i] != 0;
        inc->e[i] = dio->law.states > 0 ? at.y[dio->at] : 0;
    }
    for (size_t i = 0; i < inc->def.sgn_count; i++) {
        const ff_sgn *sgn = &inc->sgns[i];
        inc->slipping[i] = sgn->slips && inc->chi[i] > 0 && inc->excess[i] > 0;
        if (sgn->law.vectors > 0) {
            memcpy(inc->a + sgn->at, at.y + sgn->a_at, (size_t)sgn->dimension * sizeof *at.y);
        }
    }
    return (ff_inclusion_view){.time = at.time,
                               .x = at.y,
                               .e = inc->e,
                               .a = inc->a,
                               .psi = inc->psi,
                               .theta = inc->theta,
                               .chi = inc->chi,
                               .contact = inc->contact,
                               .friction = inc->friction,
                               .touching = inc->touching,
                               .slipping = inc->slipping};
}

/* ---- accounts ---- */

/* Adds the stored and lost energy of a dio or sgn to the accounts of a ledger; call after look(). */
static void add_dio(const ff_inclusion *inc, size_t i, const ff_inclusion_sight *at,
                    ff_ledger *out) {
    out->normal_spring += ff_inclusion_dio_stored(inc, at->phase, i, at->y);
    out->normal_damper += inc->def.ledger ? at->y[inc->lost_at + i] : 0;
}

static void add_sgn(const ff_inclusion *inc, size_t i, const ff_inclusion_sight *at,
                    ff_ledger *out) {
    const ff_sgn *sgn = &inc->sgns[i];
    out->tangential_spring += ff_inclusion_sgn_stored(inc, i, inc->chi[i], at->y);
    if (!inc->def.ledger) {
        return;
    }
    const double *lost = at->y + sgn->integral;
    out->tangential_damper += lost[FF_LOST_DAMPER];
    out->slip += lost[FF_LOST_SLIP];
    out->viscous += sgn->losses > FF_LOST_VISCOUS ? lost[FF_LOST_VISCOUS] : 0;
    if (sgn->graded) {
        ff_books now = ff_inclusion_books(inc, i, at);
        out->regrade += now.regrade;
        out->created += now.created;
    }
}

static ff_inclusion_energy energy_of(const ff_inclusion *inc, const ff_ledger *l) {
    double lost =
        l->normal_damper + l->tangential_damper + l->slip + l->viscous + l->regrade + l->created;
    return (ff_inclusion_energy){l->normal_spring + l->tangential_spring,
                                 inc->def.ledger ? lost : (double)NAN};
}

ff_inclusion_energy ff_inclusion_dio_energy(ff_sim *sim, size_t dio) {
    ff_ledger l = {0};
    const ff_inclusion_sight at = look(sim->own);
    add_dio(sim->own, dio, &at, &l);
    return energy_of(sim->own, &l);
}

ff_inclusion_energy ff_inclusion_sgn_energy(ff_sim *sim, size_t sgn) {
    ff_ledger l = {0};
    const ff_inclusion_sight at = look(sim->own);
    add_sgn(sim->own, sgn, &at, &l);
    return energy_of(sim->own, &l);
}

ff_ledger ff_inclusion_accounts(ff_sim *sim, double *held) {
    ff_inclusion *inc = sim->own;
    const ff_inclusion_def *def = &inc->def;
    const size_t forces = def->dio_count + def->sgn_count;
    const ff_inclusion_sight at = look(inc);
    ff_ledger out = {0};
    double before = 0;
    for (size_t i = 0; i < forces; i++) {
        if (i < def->dio_count) {
            add_dio(inc, i, &at, &out);
        } else {
            add_sgn(inc, i - def->dio_count, &at, &out);
        }
        if (held) {
            double sum = ff_ledger_sum(&out);
            held[i] = sum - before;
            before = sum;
        }
    }
    if (def->energy) {
        out.kinetic = def->energy(def->user, at.time, at.y);
    }
    if (def->ledger && def->power) {
        out.external = -at.y[inc->work_at];
    }
    if (held) {
        held[forces] = out.external;
    }
    out.residual = def->ledger && def->energy ? 0 : (double)NAN;
    return out;
}
