/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "inclusion.h"
#include "law/sizes.h"
#include "num/elementary.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

/* the two stages of an evaluation: as function calls they take 2 % more instructions (papers/xiong2013/example2.yaml) */
#define ALWAYS_INLINE static inline __attribute__((always_inline))

static inline double larger(double a, double b) { return a > b ? a : b; }
static inline double smaller(double a, double b) { return a < b ? a : b; }

/* ---- dio ---- */

/* Whether a law without its own gap is in contact: according to its last event, if events are located, since touch-down is
 * found only up to rounding on either side. */
static bool in_contact(const ff_inclusion *inc, const ff_inclusion_phase *phase, size_t i) {
    return inc->sim->flow.locates ? phase->above[inc->dios[i].gap] : !(inc->psi[i] > 0);
}

/* Evaluates one dio. For a law without its own gap the depth is limited to the side that it is on, and its states are
 * constant without contact unless it defines their evolution. */
static void push_one(const ff_inclusion *inc, const ff_inclusion_phase *phase, size_t i,
                     const double *y, double *dy, double *lost) {
    const ff_dio *dio = &inc->dios[i];
    const bool inside = !dio->jumps || in_contact(inc, phase, i);
    double z = -inc->psi[i];
    inc->contact[i] = 0;
    if (inside || dio->law.law->rest) {
        if (dio->jumps && inc->sim->flow.locates) {
            z = inside ? larger(z, 0) : smaller(z, 0);
        }
        double force = ff_normal_push_of(&dio->law)(&dio->law, z, -inc->psi_rate[i], y + dio->at,
                                                    false, dy + dio->at, lost);
        inc->contact[i] = inside ? force : 0;
        return;
    }
    memset(dy + dio->at, 0, (size_t)dio->law.states * sizeof *dy);
    *lost = 0;
}

double ff_inclusion_dio_stored(const ff_inclusion *inc, const ff_inclusion_phase *phase, size_t i,
                               const double *y) {
    const ff_dio *dio = &inc->dios[i];
    return dio->jumps && !dio->law.law->rest && !in_contact(inc, phase, i)
               ? 0
               : ff_normal_stored(&dio->law, -inc->psi[i], -inc->psi_rate[i], y + dio->at);
}

/* deflection of inner states for measuring their relaxation rate, m. Their rates are nearly linear. */
#define DEFLECTION 1e-3

double ff_inclusion_dio_pace(const ff_dio *dio) {
    const ff_normal_push push = ff_normal_push_of(&dio->law);
    double state[FF_LAW_STATES] = {0}, from[FF_LAW_STATES] = {0}, to[FF_LAW_STATES] = {0}, pace = 0;
    push(&dio->law, DEFLECTION, 0, state, false, from, NULL);
    for (int i = 0; i < dio->law.states; i++) {
        state[i] = DEFLECTION;
    }
    push(&dio->law, DEFLECTION, 0, state, false, to, NULL);
    for (int i = 0; i < dio->law.states; i++) {
        pace = larger(pace, fabs(to[i] - from[i]) / DEFLECTION);
    }
    return pace;
}

/* ---- sgn ---- */

/* The query for a law: vectors of one or two components extended to three. */
static ff_friction_query query_of(const ff_inclusion *inc, size_t i, double chi, const double *y,
                                  double u[FF_FRICTION_STATES]) {
    const ff_sgn *sgn = &inc->sgns[i];
    ff_friction_query q = {.load = larger(chi, 0), .grade = 1, .ratio = larger(chi, 0), .u = u};
    for (int c = 0; c < 3; c++) {
        bool given = c < sgn->dimension;
        q.v[c] = given ? inc->theta[sgn->at + (size_t)c] : 0;
        for (int j = 0; j < sgn->law.vectors; j++) {
            u[3 * j + c] = given ? y[sgn->a_at + (size_t)(j * sgn->dimension + c)] : 0;
        }
    }
    return q;
}

/* Evaluates one sgn. */
static void rub_one(ff_inclusion *inc, size_t i, const double *y, double *dy, double *lost) {
    const ff_sgn *sgn = &inc->sgns[i];
    const ff_friction *law = &sgn->law;
    double u[FF_FRICTION_STATES], rate[FF_FRICTION_STATES] = {0}, by[FF_FRICTION_STATES];
    ff_friction_query q = query_of(inc, i, inc->chi[i], y, u);
    ff_friction_answer at = {.rate = rate, .graded_by = by};
    if (sgn->shaped) {
        law->law->ellipse(law, &sgn->ellipse, &q, &at);
    } else {
        law->respond(law, &q, &at);
    }
    for (int c = 0; c < sgn->dimension; c++) {
        inc->friction[sgn->at + (size_t)c] = -at.force[c];
        for (int j = 0; j < law->vectors; j++) {
            dy[sgn->a_at + (size_t)(sgn->dimension * j + c)] = rate[3 * j + c];
        }
    }
    inc->excess[i] = at.excess;
    inc->graded[i] = at.graded;
    if (sgn->graded) {
        double work = 0;
        for (int j = 0; j < 3 * law->vectors; j++) {
            work += by[j] * rate[j];
        }
        lost[sgn->losses] = larger(inc->chi[i], 0) * work;
    }
    lost[FF_LOST_DAMPER] = at.damper;
    lost[FF_LOST_SLIP] = at.slip;
    if (sgn->losses > FF_LOST_VISCOUS) {
        lost[FF_LOST_VISCOUS] = at.viscous;
    }
}

double ff_inclusion_sgn_stored(const ff_inclusion *inc, size_t i, double chi, const double *y) {
    double u[FF_FRICTION_STATES];
    ff_friction_query q = query_of(inc, i, chi, y, u);
    return ff_friction_stored(&inc->sgns[i].law, &q);
}

double ff_inclusion_sgn_pace(const ff_sgn *sgn) {
    const int states = sgn->dimension * sgn->law.vectors;
    double u[FF_FRICTION_STATES] = {0}, rate[FF_FRICTION_STATES] = {0}, v[2] = {0}, force[2],
           pace = 0;
    for (int i = 0; i < states; i++) {
        u[i] = DEFLECTION;
    }
    /* without load nothing holds a deflection */
    ff_friction_flat_of(&sgn->law, sgn->dimension)(&sgn->law, 0, v, u, force, rate, NULL);
    for (int i = 0; i < states; i++) {
        pace = larger(pace, fabs(rate[i]) / DEFLECTION);
    }
    return pace;
}

/* ---- evaluation ---- */

/* Step 1 of the procedure: dio(psi) becomes the force of a law at depth -psi; then chi is known. Rates of inner states go
 * into dy, those of accounts into the corresponding positions of `lost`. */
ALWAYS_INLINE void find_loads(ff_inclusion *inc, const ff_inclusion_phase *phase, double t,
                              const double *restrict y, double *dy, double *lost) {
    const ff_inclusion_def *def = &inc->def;
    def->arguments(def->user, t, y, inc->psi, inc->theta);
    if (inc->closes) {
        def->closing(def->user, t, y, inc->psi_rate);
    }
    for (const ff_dio_row *r = inc->dio_rows, *end = r + inc->dio_row_count; r < end; r++) {
        if (r->push) {
            r->push(&r->row, y + r->at, dy + r->at, lost + r->integral);
        } else {
            push_one(inc, phase, r->first, y, dy, lost + r->integral);
        }
    }
    if (def->sgn_count > 0) {
        def->factors(def->user, t, y, inc->contact, inc->chi);
    }
}

/* Step 2: chi sgn(theta) becomes the force of a law under the load chi, with the sign of theta. */
ALWAYS_INLINE void find_frictions(ff_inclusion *inc, const double *restrict y, double *dy,
                                  double *lost) {
    for (const ff_sgn_row *r = inc->sgn_rows, *end = r + inc->sgn_row_count; r < end; r++) {
        if (r->rub) {
            r->rub(&r->row, y + r->at, dy + r->at, lost + r->integral);
        } else {
            rub_one(inc, r->first, y, dy, lost + r->integral);
        }
    }
}

/* Up to a switch, functions are only called with earlier times. */
static double seen_at(const ff_inclusion_phase *phase, double t) {
    return t < *phase->brink ? t : *phase->brink;
}

void ff_inclusion_evaluate(ff_inclusion *inc, const ff_inclusion_phase *phase, double t,
                           const double *y) {
    find_loads(inc, phase, seen_at(phase, t), y, inc->inner_rates, inc->inner_rates);
    find_frictions(inc, y, inc->inner_rates, inc->inner_rates);
}

static bool number(const double *x, size_t count) {
    bool out = true;
    for (size_t i = 0; i < count; i++) {
        out = out && isfinite(x[i]);
    }
    return out;
}

/* Reports the first quantity at t that is NAN, if the states it is computed from are not. */
static void blame(ff_inclusion *inc, double t, const double *y, const double *dy) {
    const ff_inclusion_def *def = &inc->def;
    const char *what = NULL, *whose = "";
    if (!number(y, inc->lost_at)) {
        return;
    }
    if (!number(dy + def->states, inc->size - def->states)) {
        what = "an inner state or an account", whose = "";
    }
    for (size_t i = def->states; i-- > 0;) {
        if (!isfinite(dy[i])) {
            what = "the rate of ", whose = def->names[i];
        }
    }
    /* of several, the one computed first is the cause */
    for (size_t i = def->sgn_count; i-- > 0;) {
        const ff_sgn *sgn = &inc->sgns[i];
        if (!isfinite(inc->chi[i])) {
            what = "the factor of ", whose = sgn->name;
        }
        if (!number(inc->theta + sgn->at, (size_t)sgn->dimension)) {
            what = "theta of ", whose = sgn->name;
        }
    }
    for (size_t i = def->dio_count; i-- > 0;) {
        if (!isfinite(inc->contact[i])) {
            what = "the force of ", whose = inc->dios[i].name;
        }
        if (!isfinite(inc->psi[i])) {
            what = "psi of ", whose = inc->dios[i].name;
        }
    }
    char *text = inc->sim->error;
    if (what && text[0] == '\0') {
        snprintf(text, sizeof inc->sim->error, "%s%s is not a number at t = %.9g", what, whose, t);
    }
}

int ff_inclusion_rates(void *self, double t, const double *y, double *dy) {
    ff_inclusion *inc = self;
    const ff_inclusion_def *def = &inc->def;
    const ff_inclusion_phase *phase = &inc->phases[inc->sim->flow.past];
    t = seen_at(phase, t);
    double *lost = def->ledger ? dy : inc->inner_rates;
    find_loads(inc, phase, t, y, dy, lost);
    find_frictions(inc, y, dy, lost);
    def->rates(def->user, t, y, inc->contact, inc->friction, dy);
    if (inc->work_at < inc->size) {
        dy[inc->work_at] = def->power(def->user, t, y, inc->contact, inc->friction);
    }
    if (inc->blaming) {
        blame(inc, t, y, dy);
    }
    return 0;
}

/* ---- roots ---- */

/* Positive while the force pushes: spring and damper forces over the sum of their magnitudes, since a damper may be
 * unbounded at the beginning of contact. */
static double hold(const ff_inclusion *inc, const ff_dio *dio, const ff_normal_query *at) {
    ff_normal_query q = {.z = larger(at->z, 0), .zdot = at->zdot, .state = at->state, .open = true};
    ff_normal_answer all = {0}, spring = {0};
    if (!inc->phases[0].above[dio->gap]) {
        return -1;
    }
    dio->law.respond(&dio->law, &q, &all);
    q.zdot = 0;
    dio->law.respond(&dio->law, &q, &spring);
    const double size = fabs(spring.hold) + fabs(all.hold - spring.hold);
    return size > 0 ? all.hold / size : 0;
}

static double bend(const ff_inclusion *inc, size_t i, const double *y) {
    double u[FF_FRICTION_STATES];
    ff_friction_query q = query_of(inc, i, inc->chi[i], y, u);
    return inc->sgns[i].law.law->bend(&inc->sgns[i].law, &q);
}

/* Gaps are positive in contact; sgns are positive while they slip, or beyond a kink. */
void ff_inclusion_values(ff_inclusion *inc, double t, const double *y, bool known) {
    const ff_inclusion_def *def = &inc->def;
    const ff_inclusion_phase *phase = &inc->phases[0];
    const bool locates = inc->sim->flow.locates;
    double *g = inc->values, *held = g + inc->watched, all = 0;
    if (!known) {
        ff_inclusion_evaluate(inc, phase, t, y);
    }
    for (size_t i = 0; i < def->dio_count; i++) {
        const ff_dio *dio = &inc->dios[i];
        const ff_normal_query at = {
            .z = -inc->psi[i], .zdot = -inc->psi_rate[i], .state = y + dio->at};
        /* laws compare before they compute, so NAN need not reach a rate */
        all += at.z - at.z;
        if (locates) {
            g[dio->gap] = dio->jumps ? at.z : dio->law.law->gap(&dio->law, &at, NULL);
            if (dio->clamps) {
                g[dio->gap + 1] = hold(inc, dio, &at);
            }
            if (dio->kinked) {
                /* without contact there is no kink: the function stays on its side */
                const size_t turn = dio->gap + 1 + dio->clamps;
                g[turn] = phase->above[dio->gap] ? at.zdot
                                                 : copysign(at.zdot, phase->above[turn] ? 1 : -1);
            }
        }
    }
    for (size_t i = 0; i < def->sgn_count; i++) {
        const ff_sgn *sgn = &inc->sgns[i];
        held[i] = inc->chi[i];
        if (locates && sgn->watched) {
            g[sgn->root] = sgn->slips ? inc->excess[i] : bend(inc, i, y);
        }
    }
    held[def->sgn_count] = all;
    if (locates && def->event_count > 0) {
        def->events(def->user, seen_at(phase, t), y, held - def->event_count);
    }
}
