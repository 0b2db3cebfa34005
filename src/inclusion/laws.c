/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "inclusion.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

/* as fmax(), which is a call */
static inline double larger(double a, double b) { return a > b ? a : b; }

/* ---- dio ---- */

/* Step 1 of the procedure: dio(psi) becomes the force of a law at depth z = -psi. A law whose force jumps is in
 * contact or not as its last event says, where events are located: touch-down is found to rounding, on either
 * side. */
static void push(ff_inclusion *inc, size_t i, double e) {
    const ff_dio *dio = &inc->dios[i];
    double z = -inc->psi[i], zdot = inc->closes ? -inc->psi_rate[i] : 0;
    ff_normal_answer at;
    if (!dio->filtered && inc->march.locate) {
        if (!inc->march.above[dio->gap]) {
            inc->contact[i] = inc->e_rate[i] = inc->lost[i] = 0;
            return;
        }
        z = larger(z, 0);
    }
    if (dio->law.law->point) {
        at = (ff_normal_answer){0};
    }
    dio->law.single(&dio->law, z, zdot, e, &at);
    inc->contact[i] = at.force;
    inc->e_rate[i] = at.rate;
    inc->lost[i] = at.loss;
}

double ff_inclusion_dio_stored(const ff_inclusion *inc, size_t i, const double *y) {
    const ff_dio *dio = &inc->dios[i];
    if (!dio->filtered && inc->march.locate && !inc->march.above[dio->gap]) {
        return 0;
    }
    return ff_normal_at(&dio->law, -inc->psi[i], inc->closes ? -inc->psi_rate[i] : 0,
                        y[inc->e_at + i])
        .stored;
}

/* ---- sgn ---- */

/* Anisotropic friction. Let E be the ellipse of possible forces. Of these the force f is the one that takes the
 * most power out of the slip w = theta - a' (maximum dissipation), f.w >= g.w for all g in E, which says that w
 * is in the normal cone N_E(f). With (17b), f = K (a + beta a'), the slip is w = (K (a + beta theta) - f)/(K beta),
 * and since a cone does not mind a factor, K (a + beta theta) - f is in N_E(f): f is the point of E nearest to
 * K (a + beta theta), in the ordinary distance, because K and beta are numbers and not matrices. For a disc this is
 * sat. */
static void rub_ellipse(const ff_sgn *sgn, double chi, const double *theta, const double *a,
                        double *force, double *rate, double *lost) {
    const double K = sgn->law.k, beta = sgn->law.beta;
    double want[2] = {a[0] + beta * theta[0], a[1] + beta * theta[1]}, held[2];
    double damper = 0, clutch = 0;
    ff_ellipse_nearest(&sgn->ellipse, sgn->law.mu * chi / K, want, held);
    for (int c = 0; c < 2; c++) {
        force[c] = K * held[c];
        rate[c] = (held[c] - a[c]) / beta;
        damper += K * beta * rate[c] * rate[c];
        clutch += K * held[c] * (want[c] - held[c]) / beta;
    }
    lost[FF_LOST_DAMPER] = damper;
    lost[FF_LOST_CLUTCH] = clutch;
}

/* Step 2: chi sgn(theta) becomes the force of a law under the load chi, against the one that the law says acts on
 * what moves with theta. */
static void rub(ff_inclusion *inc, size_t i, const double *all_a) {
    const ff_sgn *sgn = &inc->sgns[i];
    const double *theta = inc->theta + sgn->at, *a = all_a + sgn->at;
    double *force = inc->friction + sgn->at, *rate = inc->a_rate + sgn->at;
    double *lost = inc->lost + inc->def.dio_count + FF_LOSSES * i, chi = larger(inc->chi[i], 0);
    if (sgn->rub == FF_RUB_ELLIPSE) {
        rub_ellipse(sgn, chi, theta, a, force, rate, lost);
        return;
    }
    const bool two = sgn->dimension == 2;
    ff_friction_query query = {.load = chi, .grade = 1, .ratio = chi};
    query.v[0] = theta[0];
    query.u[0] = a[0];
    if (two) {
        query.v[1] = theta[1];
        query.u[1] = a[1];
    }
    ff_friction_answer at;
    if (sgn->law.law->point) {
        at = (ff_friction_answer){0};
    }
    sgn->law.single(&sgn->law, &query, &at);
    force[0] = -at.force[0];
    rate[0] = at.rate[0];
    lost[FF_LOST_DAMPER] = at.damper;
    lost[FF_LOST_CLUTCH] = at.clutch;
    if (two) {
        force[1] = -at.force[1];
        rate[1] = at.rate[1];
    }
    if (sgn->rub != FF_RUB_SAT) {
        /* a bristle's stiffness is in proportion to chi: what its spring takes up is not what it stores */
        double level = sgn->rub == FF_RUB_CLUTCH ? 1 : chi;
        lost[FF_LOST_VISCOUS] = at.viscous;
        lost[FF_SPRING_TAKES] =
            sgn->law.law->inner ? sgn->law.k * level * (a[0] * rate[0] + (two ? a[1] * rate[1] : 0))
                                : 0;
    }
}

double ff_inclusion_sgn_stored(const ff_inclusion *inc, size_t i, const double *y) {
    const ff_sgn *sgn = &inc->sgns[i];
    const double *a = y + inc->a_at + sgn->at;
    if (!sgn->law.law->inner) {
        return 0;
    }
    ff_friction_query query = {.load = larger(inc->chi[i], 0), .grade = 1, .ratio = 1};
    query.u[0] = a[0];
    query.u[1] = sgn->dimension == 2 ? a[1] : 0;
    return ff_friction_at(&sgn->law, &query).stored;
}

/* ---- all of it ---- */

void ff_inclusion_evaluate(ff_inclusion *inc, double t, const double *y) {
    const ff_inclusion_def *def = &inc->def;
    def->arguments(def->user, t, y, inc->psi, inc->theta);
    if (inc->closes) {
        def->closing(def->user, t, y, inc->psi_rate);
    }
    for (size_t i = 0; i < def->dio_count; i++) {
        push(inc, i, y[inc->e_at + i]);
    }
    if (def->sgn_count > 0) {
        def->factors(def->user, t, y, inc->contact, inc->chi);
    }
    for (size_t i = 0; i < def->sgn_count; i++) {
        rub(inc, i, y + inc->a_at);
    }
}

static double seen_at(const ff_inclusion *inc, double t) { return t < inc->brink ? t : inc->brink; }

/* Says what is not a number at t, unless the states that it comes from are none. */
static void blame(ff_inclusion *inc, double t, const double *y, const double *dy) {
    const ff_inclusion_def *def = &inc->def;
    for (size_t i = 0; i < inc->lost_at; i++) {
        if (!isfinite(y[i])) {
            return;
        }
    }
    char *text = inc->error.text;
    const size_t room = sizeof inc->error.text;
    for (size_t i = 0; i < def->dio_count; i++) {
        if (!isfinite(inc->psi[i])) {
            snprintf(text, room, "psi of %s is not a number at t = %.9g", inc->dios[i].name, t);
            return;
        }
        if (!isfinite(inc->contact[i])) {
            snprintf(text, room, "the force of %s is not a number at t = %.9g", inc->dios[i].name,
                     t);
            return;
        }
    }
    for (size_t i = 0; i < def->sgn_count; i++) {
        const ff_sgn *sgn = &inc->sgns[i];
        const double *theta = inc->theta + sgn->at;
        if (!isfinite(theta[0]) || (sgn->dimension == 2 && !isfinite(theta[1]))) {
            snprintf(text, room, "theta of %s is not a number at t = %.9g", sgn->name, t);
            return;
        }
        if (!isfinite(inc->chi[i])) {
            snprintf(text, room, "the factor of %s is not a number at t = %.9g", sgn->name, t);
            return;
        }
    }
    for (size_t i = 0; i < def->states; i++) {
        if (!isfinite(dy[i])) {
            snprintf(text, room, "the rate of %s is not a number at t = %.9g", inc->names[i], t);
            return;
        }
    }
    snprintf(text, room, "an inner state or an account is not a number at t = %.9g", t);
}

void ff_inclusion_rates(void *user, double t, const double *y, double *dy) {
    ff_inclusion *inc = user;
    const ff_inclusion_def *def = &inc->def;
    t = seen_at(inc, t);
    ff_inclusion_evaluate(inc, t, y);
    def->rates(def->user, t, y, inc->contact, inc->friction, dy);
    memcpy(dy + inc->e_at, inc->e_rate, def->dio_count * sizeof *dy);
    memcpy(dy + inc->a_at, inc->a_rate, inc->width * sizeof *dy);
    if (def->ledger) {
        memcpy(dy + inc->lost_at, inc->lost, def->dio_count * sizeof *dy);
        for (size_t i = 0; i < def->sgn_count; i++) {
            const double *lost = inc->lost + def->dio_count + FF_LOSSES * i;
            memcpy(dy + inc->sgns[i].integral, lost,
                   (inc->sgns[i].rub <= FF_RUB_ELLIPSE ? 2 : FF_LOSSES) * sizeof *dy);
        }
        if (inc->work_at < inc->march.stepper.n) {
            dy[inc->work_at] = def->power(def->user, t, y, inc->contact, inc->friction);
        }
    }
    double sum = 0;
    for (size_t i = 0; i < inc->march.stepper.n; i++) {
        sum += dy[i] - dy[i];
    }
    /* laws compare before they compute: what is no number need not come through */
    for (size_t i = 0; i < def->dio_count; i++) {
        sum += inc->psi[i] - inc->psi[i];
    }
    for (size_t i = 0; i < def->sgn_count; i++) {
        sum += inc->chi[i] - inc->chi[i];
    }
    if (sum != 0) {
        blame(inc, t, y, dy);
        /* the step is not good, whatever else it is */
        dy[0] = NAN;
    }
}

/* ---- roots ---- */

static double size_of(const ff_sgn *sgn, const double *x) {
    return sgn->dimension == 2 ? hypot(x[0], x[1]) : fabs(x[0]);
}

double ff_inclusion_grip(const ff_inclusion *inc, size_t i, const double *all_a) {
    const ff_sgn *sgn = &inc->sgns[i];
    const ff_friction *law = &sgn->law;
    const double *theta = inc->theta + sgn->at, *a = all_a + sgn->at;
    double chi = larger(inc->chi[i], 0), s[2] = {0};
    switch (sgn->rub) {
    case FF_RUB_RAMP: return size_of(sgn, theta) - law->v0;
    case FF_RUB_BRISTLE: return theta[0];
    case FF_RUB_SMOOTH: return -1;
    default: break;
    }
    const bool spring = sgn->rub == FF_RUB_CLUTCH;
    for (int c = 0; c < sgn->dimension; c++) {
        s[c] = spring ? law->k * a[c] + law->damping * theta[c] : a[c] + law->beta * theta[c];
    }
    double size = sgn->rub == FF_RUB_ELLIPSE ? ff_ellipse_norm(&sgn->ellipse, s) : size_of(sgn, s);
    return size - law->mu * chi / (spring ? 1 : law->k);
}

/* positive in contact; for xiong what its force depends on */
static double gap(const ff_dio *dio, double psi, double e) {
    return dio->filtered ? -psi - e * (1 - dio->law.alpha / dio->law.beta) : -psi;
}

/* positive while the force pushes, without its root at z = 0 */
static double hold(const ff_inclusion *inc, size_t i, double e) {
    const ff_dio *dio = &inc->dios[i];
    ff_normal_answer open = {0};
    if (!inc->march.above[dio->gap]) {
        return -1;
    }
    dio->open.single(&dio->open, larger(-inc->psi[i], 0), -inc->psi_rate[i], e, &open);
    return open.ratio;
}

void ff_inclusion_values(void *user, double t, const double *y, bool known, double *g) {
    ff_inclusion *inc = user;
    const ff_inclusion_def *def = &inc->def;
    t = seen_at(inc, t);
    if (!known) {
        ff_inclusion_evaluate(inc, t, y);
    }
    memcpy(g + inc->march.roots, inc->chi, def->sgn_count * sizeof *g);
    if (!inc->march.locate) {
        return;
    }
    for (size_t i = 0; i < def->dio_count; i++) {
        const ff_dio *dio = &inc->dios[i];
        g[dio->gap] = gap(dio, inc->psi[i], y[inc->e_at + i]);
        if (dio->clamps) {
            g[dio->gap + 1] = hold(inc, i, y[inc->e_at + i]);
        }
    }
    for (size_t i = 0; i < def->sgn_count; i++) {
        if (inc->sgns[i].bends) {
            g[inc->sgns[i].root] = ff_inclusion_grip(inc, i, y + inc->a_at);
        }
    }
    if (def->event_count > 0) {
        def->events(def->user, t, y, g + inc->march.roots - def->event_count);
    }
}
