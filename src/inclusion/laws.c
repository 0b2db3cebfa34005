/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "inclusion.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

/* the paper's laws are inlined: called through their tables they took half of the time of a run */
#define LANES 1
#define SQRT(x) sqrt(x)
#include "law/kernels.inc"

/* ---- dio ---- */

/* Step 1 of the procedure: dio(psi) becomes the force of a law at depth z = -psi. A law whose force jumps is in
 * contact or not as its last event says, where events are located: touch-down is found to rounding, on either
 * side. */
static void push(ff_inclusion *inc, size_t i, double e, double *rate, double *lost) {
    const ff_dio *dio = &inc->dios[i];
    double z = -inc->psi[i];
    if (dio->filtered) {
        normal_point at = xiong_point(&dio->law, z, 0, e);
        inc->contact[i] = at.force;
        *rate = at.rate;
        if (lost) {
            *lost = at.loss;
        }
        return;
    }
    ff_normal_answer at = {0};
    if (!inc->march.locate || inc->march.above[dio->gap]) {
        z = inc->march.locate ? larger(z, 0) : z;
        dio->law.single(&dio->law, z, inc->closes ? -inc->psi_rate[i] : 0, e, &at);
    }
    inc->contact[i] = at.force;
    *rate = at.rate;
    if (lost) {
        *lost = at.loss;
    }
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
    if (lost) {
        lost[FF_LOST_DAMPER] = damper;
        lost[FF_LOST_CLUTCH] = clutch;
    }
}

/* sat in a plane or on a line, where the length of a vector needs no root */
ALWAYS_INLINE void rub_sat(const ff_friction *law, double chi, const double *theta, const double *a,
                           bool two, double *force, double *rate, double *lost) {
    slide_query q = {
        .load = chi, .v = {theta[0], two ? theta[1] : 0, 0}, .u = {a[0], two ? a[1] : 0, 0}};
    slide_answer at = two ? sat_slide(law, q)
                          : sat_sized(law, q, (vector){a[0] + theta[0] * law->beta, 0, 0},
                                      fabs(a[0] + theta[0] * law->beta));
    force[0] = -at.force.x;
    rate[0] = at.rate.x;
    if (two) {
        force[1] = -at.force.y;
        rate[1] = at.rate.y;
    }
    if (lost) {
        lost[FF_LOST_DAMPER] = at.damper;
        lost[FF_LOST_CLUTCH] = at.clutch;
    }
}

/* any other law */
static void rub_any(const ff_sgn *sgn, double chi, const double *theta, const double *a,
                    double *force, double *rate, double *lost) {
    ff_friction_query query = {.load = chi, .grade = 1, .ratio = chi};
    ff_friction_answer at = {0};
    double spring = 0;
    for (int c = 0; c < sgn->dimension; c++) {
        query.v[c] = theta[c];
        query.u[c] = a[c];
    }
    sgn->law.single(&sgn->law, &query, &at);
    for (int c = 0; c < sgn->dimension; c++) {
        force[c] = -at.force[c];
        rate[c] = at.rate[c];
        spring += a[c] * at.rate[c];
    }
    if (lost) {
        lost[FF_LOST_DAMPER] = at.damper;
        lost[FF_LOST_CLUTCH] = at.clutch;
        lost[FF_LOST_VISCOUS] = at.viscous;
        /* a bristle's stiffness is in proportion to chi: what its spring takes up is not what it stores */
        lost[FF_SPRING_TAKES] = sgn->law.k * (sgn->rub == FF_RUB_CLUTCH ? 1 : chi) * spring;
    }
}

/* Step 2: chi sgn(theta) becomes the force of a law under the load chi, against the one that the law says acts on
 * what moves with theta. */
static void rub(ff_inclusion *inc, size_t i, const double *all_a, double *rates, double *lost) {
    const ff_sgn *sgn = &inc->sgns[i];
    const double *theta = inc->theta + sgn->at, *a = all_a + sgn->at;
    double *force = inc->friction + sgn->at, *rate = rates + sgn->at, chi = larger(inc->chi[i], 0);
    if (sgn->rub == FF_RUB_ELLIPSE) {
        rub_ellipse(sgn, chi, theta, a, force, rate, lost);
    } else if (sgn->rub != FF_RUB_SAT) {
        rub_any(sgn, chi, theta, a, force, rate, lost);
    } else if (sgn->dimension == 2) {
        rub_sat(&sgn->law, chi, theta, a, true, force, rate, lost);
    } else {
        rub_sat(&sgn->law, chi, theta, a, false, force, rate, lost);
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

/* Rates of inner states and, where they are wanted, of accounts go into dy. */
static void evaluate(ff_inclusion *inc, double t, const double *y, double *dy, bool accounts) {
    const ff_inclusion_def *def = &inc->def;
    def->arguments(def->user, t, y, inc->psi, inc->theta);
    if (inc->closes) {
        def->closing(def->user, t, y, inc->psi_rate);
    }
    for (size_t i = 0; i < def->dio_count; i++) {
        size_t e = inc->e_at + i;
        push(inc, i, y[e], dy + e, accounts ? dy + inc->lost_at + i : NULL);
    }
    if (def->sgn_count > 0) {
        def->factors(def->user, t, y, inc->contact, inc->chi);
    }
    for (size_t i = 0; i < def->sgn_count; i++) {
        rub(inc, i, y + inc->a_at, dy + inc->a_at, accounts ? dy + inc->sgns[i].integral : NULL);
    }
}

void ff_inclusion_evaluate(ff_inclusion *inc, double t, const double *y) {
    evaluate(inc, t, y, inc->inner_rates, false);
}

static double seen_at(const ff_inclusion *inc, double t) { return t < inc->brink ? t : inc->brink; }

static bool number(const double *x, size_t count) {
    bool out = true;
    for (size_t i = 0; i < count; i++) {
        out = out && isfinite(x[i]);
    }
    return out;
}

/* Says what is not a number at t, if something is, and the states that it comes from are. */
static void blame(ff_inclusion *inc, double t, const double *y, const double *dy) {
    const ff_inclusion_def *def = &inc->def;
    const char *what = NULL, *whose = "";
    if (!number(y, inc->lost_at)) {
        return;
    }
    if (!number(dy + def->states, inc->march.stepper.n - def->states)) {
        what = "an inner state or an account", whose = "";
    }
    for (size_t i = def->states; i-- > 0;) {
        if (!isfinite(dy[i])) {
            what = "the rate of ", whose = inc->names[i];
        }
    }
    /* what was computed first is the cause of what comes after it */
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
    if (what && inc->error.text[0] == '\0') {
        snprintf(inc->error.text, sizeof inc->error.text, "%s%s is not a number at t = %.9g", what,
                 whose, t);
    }
}

void ff_inclusion_rates(void *user, double t, const double *y, double *dy) {
    ff_inclusion *inc = user;
    const ff_inclusion_def *def = &inc->def;
    t = seen_at(inc, t);
    evaluate(inc, t, y, dy, def->ledger);
    def->rates(def->user, t, y, inc->contact, inc->friction, dy);
    if (inc->work_at < inc->march.stepper.n) {
        dy[inc->work_at] = def->power(def->user, t, y, inc->contact, inc->friction);
    }
    if (inc->blaming) {
        blame(inc, t, y, dy);
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
    /* laws compare before they compute: what is no number need not come through to a rate */
    double all = 0;
    for (size_t i = 0; i < def->dio_count; i++) {
        all += inc->psi[i] - inc->psi[i];
    }
    g[inc->march.roots + def->sgn_count] = all;
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
