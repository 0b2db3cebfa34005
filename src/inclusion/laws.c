/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "inclusion.h"
#include "num/elementary.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

/* the paper's laws are written out or inlined: called through their tables they took half of the time of a run */
#define LANES 1
#define SQRT(x) sqrt(x)
#include "law/kernels.inc"

/* ---- dio ---- */

/* Step 1 of the procedure with (24, 25), the law xiong: dio(psi) becomes K max(0, e - beta (psi + e)/alpha) where
 * e' = max(-e/beta, -(psi + e)/alpha). Reciprocals of times are made once, which differs from quotients by rounding. */
ALWAYS_INLINE void push_xiong(const ff_dio *dio, double psi, double e, double *force, double *rate,
                              double *lost) {
    double free = -e * dio->per_beta, held = -(psi + e) * dio->per_alpha;
    double fastest = larger(free, held);
    *force = dio->law.k * larger(e + dio->law.beta * held, 0);
    *rate = fastest;
    if (lost) {
        *lost = dio->waste * fastest * fastest;
    }
}

/* The first dios, as far as all are of this law. */
ALWAYS_INLINE void push_first(const ff_dio *dios, size_t count, const double *restrict psi,
                              const double *restrict e, double *restrict force,
                              double *restrict rate, double *restrict lost) {
    for (size_t i = 0; i < count; i++) {
        push_xiong(&dios[i], psi[i], e[i], force + i, rate + i, lost ? lost + i : NULL);
    }
}

/* The same with any other law at depth z = -psi. One whose force jumps is in contact or not as its last event says,
 * where events are located: touch-down is found to rounding, on either side. */
static void push_any(const ff_inclusion *inc, size_t i, double e, double *force, double *rate,
                     double *lost) {
    const ff_dio *dio = &inc->dios[i];
    double z = -inc->psi[i];
    ff_normal_answer at = {0};
    if (dio->filtered) {
        push_xiong(dio, inc->psi[i], e, force, rate, lost);
        return;
    }
    if (!inc->march.locate || inc->march.above[dio->gap]) {
        z = inc->march.locate ? larger(z, 0) : z;
        dio->law.single(&dio->law, z, inc->closes ? -inc->psi_rate[i] : 0, e, &at);
    }
    *force = at.force;
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

/* sat on a line, (18a, 18b): f = K held, a' = (held - a)/beta, where `held` is a + beta theta, but not more than chi/K.
 * As for dio, quotients are products. */
ALWAYS_INLINE void rub_line(const ff_sgn *sgn, double chi, double theta, double a, double *force,
                            double *rate, double *lost) {
    const double K = sgn->law.k, want = a + sgn->law.beta * theta, most = chi * sgn->per_k;
    const double below = want < most ? want : most, held = below > -most ? below : -most;
    const double moved = (held - a) * sgn->per_beta;
    *force = K * held;
    *rate = moved;
    if (lost) {
        lost[FF_LOST_DAMPER] = sgn->drag * moved * moved;
        /* theta - a' = (want - held)/beta */
        lost[FF_LOST_CLUTCH] = K * held * (want - held) * sgn->per_beta;
    }
}

/* The first sgns, as far as all are of this kind: each has one argument and two accounts. */
ALWAYS_INLINE void rub_first(const ff_sgn *sgns, size_t count, const double *restrict chi,
                             const double *restrict theta, const double *restrict a,
                             double *restrict force, double *restrict rate, double *restrict lost) {
    for (size_t i = 0; i < count; i++) {
        rub_line(&sgns[i], larger(chi[i], 0), theta[i], a[i], force + i, rate + i,
                 lost ? lost + 2 * i : NULL);
    }
}

static void rub_plane(const ff_friction *law, double chi, const double *theta, const double *a,
                      double *force, double *rate, double *lost) {
    slide_answer at = sat_slide(
        law, (slide_query){.load = chi, .v = {theta[0], theta[1], 0}, .u = {a[0], a[1], 0}});
    force[0] = -at.force.x;
    force[1] = -at.force.y;
    rate[0] = at.rate.x;
    rate[1] = at.rate.y;
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
static void rub_one(const ff_sgn *sgn, double chi, const double *theta, const double *a,
                    double *force, double *rate, double *lost) {
    if (sgn->rub == FF_RUB_LINE) {
        rub_line(sgn, chi, *theta, *a, force, rate, lost);
    } else if (sgn->rub == FF_RUB_PLANE) {
        rub_plane(&sgn->law, chi, theta, a, force, rate, lost);
    } else if (sgn->rub == FF_RUB_ELLIPSE) {
        rub_ellipse(sgn, chi, theta, a, force, rate, lost);
    } else {
        rub_any(sgn, chi, theta, a, force, rate, lost);
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
ALWAYS_INLINE void evaluate(ff_inclusion *inc, double t, const double *restrict y,
                            double *restrict dy, bool accounts) {
    const ff_inclusion_def *def = &inc->def;
    def->arguments(def->user, t, y, inc->psi, inc->theta);
    if (inc->closes) {
        def->closing(def->user, t, y, inc->psi_rate);
    }
    const double *e = y + inc->e_at, *a = y + inc->a_at;
    double *e_rate = dy + inc->e_at, *a_rate = dy + inc->a_at, *lost = dy + inc->lost_at;
    push_first(inc->dios, inc->first_dios, inc->psi, e, inc->contact, e_rate,
               accounts ? lost : NULL);
    for (size_t i = inc->first_dios; i < def->dio_count; i++) {
        push_any(inc, i, e[i], &inc->contact[i], &e_rate[i], accounts ? lost + i : NULL);
    }
    if (def->sgn_count == 0) {
        return;
    }
    def->factors(def->user, t, y, inc->contact, inc->chi);
    rub_first(inc->sgns, inc->first_sgns, inc->chi, inc->theta, a, inc->friction, a_rate,
              accounts ? lost + def->dio_count : NULL);
    for (size_t i = inc->first_sgns; i < def->sgn_count; i++) {
        const ff_sgn *sgn = &inc->sgns[i];
        const size_t at = sgn->at;
        rub_one(sgn, larger(inc->chi[i], 0), inc->theta + at, a + at, inc->friction + at,
                a_rate + at, accounts ? dy + sgn->integral : NULL);
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
    if (ff_halted(&inc->march.stepper.halt)) {
        memset(dy, 0, inc->march.stepper.n * sizeof *dy);
        return;
    }
    t = seen_at(inc, t);
    if (def->ledger) {
        evaluate(inc, t, y, dy, true);
    } else {
        evaluate(inc, t, y, dy, false);
    }
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
    return sgn->dimension == 2 ? ff_hypot(x[0], x[1]) : fabs(x[0]);
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
