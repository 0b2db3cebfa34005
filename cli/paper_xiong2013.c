/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "paper_xiong2013.h"
#include <footfall/elementary.h>
#include <math.h>
#include <string.h>

static const double pi = 3.14159265358979323846;

static mark mark_now(paper_run *r) {
    mark m = {.t = r->time};
    ff_inclusion_view v = ff_inclusion_at(r->sim);
    memcpy(m.x, v.x, ff_equations_def(r->system)->states * sizeof *m.x);
    if (r->event) {
        m.kind = r->event->kind;
        m.force = r->event->contact;
    }
    return m;
}

history xiong_record(paper_run r, double every) {
    history h = {0};
    r.when.every = every;
    h.rows = job_room(r.job, (size_t)(r.options.until / every) + 2, sizeof *h.rows);
    h.marks = job_room(r.job, MARKS_MOST, sizeof *h.marks);
    bool friction = ff_equations_def(r.system)->sgn_count > 0;
    while (run_next(&r)) {
        if (!r.event) {
            h.rows[h.count++] = mark_now(&r);
        } else if (h.mark_count < MARKS_MOST) {
            h.marks[h.mark_count++] = mark_now(&r);
        }
        if (friction) {
            h.strongest = fmax(h.strongest, fabs(ff_inclusion_at(r.sim).friction[0]));
        }
    }
    ff_ledger l = ff_sim_ledger(r.sim);
    h.residual = l.residual / l.scale;
    run_close(&r);
    return h;
}

void xiong_check_ledger(paper_job *job, const char *where, const history *h) {
    job_near(job, where, "residual of the energy ledger over its scale", NULL, h->residual, 0, 1e-8,
             "all energy is accounted for; tolerances of the runs are 1e-10 and less, times their "
             "number of steps");
}

void xiong_draw(paper_job *job, const history *h, view_of v, ff_plot_style style,
                const char *name) {
    paper_curve *c = job_curve(job, style, name ? "%s" : NULL, name);
    bool before = false;
    double next = v.from;
    for (size_t i = 0; i < h->count; i++) {
        const mark *m = &h->rows[i];
        double y = v.scale * (m->x[v.y] - v.shift);
        bool timely = m->t >= v.from && (v.to == 0 || m->t <= v.to);
        bool shown = timely && (v.least == v.most || (y >= v.least && y <= v.most));
        if (shown && m->t >= next) {
            curve_point(c, v.x < 0 ? m->t : m->x[v.x], y);
            next = m->t + v.every;
        } else if (before && !shown) {
            curve_gap(c);
        }
        before = shown;
    }
}

const mark *xiong_row(const history *h, double t) {
    const mark *best = &h->rows[0];
    for (size_t i = 0; i < h->count; i++) {
        best = fabs(h->rows[i].t - t) < fabs(best->t - t) ? &h->rows[i] : best;
    }
    return best;
}

/* ---- figure 1 and the theorems ---- */

/* Even, but in no order: multiples of the golden section. */
static double scattered(size_t i, double least, double most) {
    return least + (most - least) * fmod((double)i * 0.61803398874989485, 1);
}

static ff_friction unit_sat(paper_job *job, double mu) {
    ff_friction law;
    ff_error error = {""};
    const ff_param_value given[] = {{"mu", mu}, {"k", 1}, {"beta", 1}};
    if (ff_friction_init(&law, ff_friction_law_find("sat"), &error) < 0 ||
        ff_friction_set_all(&law, given, 3, &error) < 0) {
        job_fail(job, "sat: %s", error.text);
    }
    return law;
}

/* sat(Z, x): the law sat without velocity, of stiffness 1 and under the load Z. */
static void sat(const ff_friction *law, double limit, const double x[2], double y[2]) {
    ff_friction_query q = {.load = limit, .grade = 1, .ratio = limit, .u = (double[3]){x[0], x[1]}};
    ff_friction_answer a = ff_friction_at(law, &q, NULL);
    y[0] = -a.force[0];
    y[1] = -a.force[1];
}

static void fig1(paper_job *job) {
    ff_friction friction = unit_sat(job, 1);
    ff_normal contact = job_law(job, "xiong", "K", 1.0, "alpha", 1.0, "beta", 1.0, NULL);
    paper_curve *sgn = job_curve(job, FF_PLOT_LINES, "sgn(x)");
    paper_curve *saturated = job_curve(job, FF_PLOT_LINES, "sat(1, x)");
    double far = 0, apart = 0;
    curve_point(sgn, -2, -1);
    curve_point(sgn, 0, -1);
    curve_point(sgn, 0, 1);
    curve_point(sgn, 2, 1);
    for (size_t i = 0; i <= 80; i++) {
        double x[2] = {-2 + 0.05 * (double)i, 0}, y[2];
        sat(&friction, 1, x, y);
        curve_point(saturated, x[0], y[0]);
    }
    /* y in Z sgn(x - y): y is Z times the direction of x - y, or, where that is 0, within the disc */
    for (size_t i = 1; i <= 2000; i++) {
        double limit = scattered(i, 0, 2), y[2];
        double x[2] = {scattered(7 * i, -3, 3), scattered(11 * i, -3, 3)};
        sat(&friction, limit, x, y);
        double gap = ff_math.hypot(x[0] - y[0], x[1] - y[1]);
        far = fmax(far, gap > 0 ? ff_math.hypot(y[0] - limit * (x[0] - y[0]) / gap,
                                                y[1] - limit * (x[1] - y[1]) / gap)
                                : ff_math.hypot(y[0], y[1]) - limit);
    }
    job_near(job, "theorem 1", "y = sat(Z, x) in Z sgn(x - y): distance, 2000 points of the plane",
             NULL, far, 0, 1e-12,
             "equivalent; where x is just outside, the direction of x - y has few digits left");

    job_next(job);
    paper_curve *dio = job_curve(job, FF_PLOT_LINES, "dio(x)");
    paper_curve *max = job_curve(job, FF_PLOT_LINES, "max(0, -x)");
    curve_point(dio, 0, 2);
    curve_point(dio, 0, 0);
    curve_point(dio, 2, 0);
    for (size_t i = 0; i <= 80; i++) {
        double x = -2 + 0.05 * (double)i, y = ff_normal_force(&contact, -x, 0, NULL);
        curve_point(max, x, y);
        apart = fmax(apart, fmax(fmax(-y, -(x + y)), fabs(y * (x + y))));
    }
    job_near(job, "theorem 2", "y = max(0, -x) in dio(x + y): y >= 0, x + y >= 0, y (x + y) = 0",
             NULL, apart, 0, 1e-15, "equivalent; rounding");
}

/* ---- figure 3: dry friction ---- */

enum { PHASES = 32 };

/* Where the mass is at the k-th multiple of the period of the force. */
static double at_cycle(const history *h, size_t k) { return h->rows[k * PHASES].x[0]; }

static void fig3(paper_job *job) {
    static const char file[] = "xiong2013/slide.yaml";
    static const struct {
        const char *law, *name;
        double at2, drift, error;
    } laws[] = {{"sat", "new, eq. 19", 0.018874583747044548, 1.3402131245066062e-09, 1e-11},
                {"lugre", "LuGre, eq. 12", 0.022742065153386313, 0.0047270313009990725, 1e-9},
                {"dahl", "Dahl", 0.02277195006499959, 0.006816433695734477, 1e-9}};
    history h[3];
    paper_curve *force = job_curve(job, FF_PLOT_LINES, NULL);
    double strongest = 0;
    paper_run r = run_system(job, file, NULL, "run.until=4 s", NULL);
    r.when.every = 1e-3;
    while (run_next(&r)) {
        double push;
        ff_inclusion_view v = ff_inclusion_at(r.sim);
        ff_equations_def(r.system)->output(r.system, &v, &push);
        curve_point(force, r.time, push);
        strongest = r.time > 2.001 ? fmax(strongest, push) : strongest;
    }
    run_close(&r);
    job_most(job, "eq. 20", "greatest force after 2 s, below the static friction", "N", strongest,
             0.5, 0, "0.336 + 0.144 N");

    job_next(job);
    for (size_t i = 0; i < 3; i++) {
        ff_rivals rivals = {.friction = laws[i].law};
        h[i] = xiong_record(run_system(job, file, &rivals, "run.until=8 s", "run.tol=1e-12", NULL),
                            2 * pi / 100 / PHASES);
        xiong_draw(job, &h[i], (view_of){-1, 0, .scale = 1e3}, FF_PLOT_LINES, laws[i].name);
        for (size_t k = 0; k < h[i].mark_count; k++) {
            if (h[i].marks[k].kind == FF_SWITCH && h[i].marks[k].t > 1) {
                job_near(job, "fig. 3", job_text(job, "%s: p(2 s)", laws[i].name), "m",
                         h[i].marks[k].x[0], laws[i].at2, 1e-10, twice);
            }
        }
        job_near(job, "fig. 3", job_text(job, "%s: drift in 63 cycles of the force", laws[i].name),
                 "m", at_cycle(&h[i], 127) - at_cycle(&h[i], 64), laws[i].drift, laws[i].error,
                 twice);
    }
    history plain =
        xiong_record(run_system(job, file, NULL, "run.until=8 s", PLAIN_RK4, NULL), 1e-3);
    xiong_draw(job, &plain, (view_of){-1, 0, .scale = 1e3}, FF_PLOT_DOTTED, "eq. 19, RK4");
    const char *where = "sect. 4.1, fig. 3";
    job_near(job, where, "new, RK4 with 1 ms: p(8 s)", "m", xiong_row(&plain, 8)->x[0],
             0.021385401157952177, 1e-12, "the same scheme, independently; rounding");
    job_most(job, where, "new: drift a cycle, the last 32", "m",
             (at_cycle(&h[0], 127) - at_cycle(&h[0], 95)) / 32, 1e-10, 0,
             "does not produce positional drift: a millionth of what LuGre's does");
    job_least(job, where, "LuGre: drift a cycle, the last 32", "m",
              (at_cycle(&h[1], 127) - at_cycle(&h[1], 95)) / 32, 7e-5, 0,
              "unrealistic positional drift; B = K beta and D = 0 are not printed");
    job_near(job, "sect. 3.1", "LuGre: drift in cycles 96 to 127 over that in 64 to 95", NULL,
             (at_cycle(&h[1], 127) - at_cycle(&h[1], 96)) /
                 (at_cycle(&h[1], 95) - at_cycle(&h[1], 64)),
             1, 1e-3, "unbounded: it does not slow down; the transient has some 1e-5 left");
    job_near(job, "sect. 3.1", "Dahl: drift in cycles 96 to 127 over that in 64 to 95", NULL,
             (at_cycle(&h[2], 127) - at_cycle(&h[2], 96)) /
                 (at_cycle(&h[2], 95) - at_cycle(&h[2], 64)),
             1, 1e-3, "unbounded: it does not slow down");
    xiong_check_ledger(job, "fig. 3, new", &h[0]);
    job_most(job, "eq. 18b", "new: greatest friction force", "N", h[0].strongest, 0.5, 1e-15,
             "sat cuts it at F");
}

/* ---- figure 5 and section 4.2: rigid contact ---- */

/* What the text says of contact laws before: eqs 15 and 16, and Hunt and Crossley's, without the clamp 1 and with 0. */
static void check_rivals(paper_job *job) {
    const char *where = "sect. 3.2";
    ff_normal pulling = job_law(job, "linear", "k", 1e5, "lambda", 1e3, "detach", 1.0, NULL);
    ff_normal clamped = job_law(job, "linear", "k", 1e5, "lambda", 1e3, NULL);
    ff_normal classical =
        job_law(job, "hunt-crossley", "k", 1e5, "lambda", 1e5, "detach", 1.0, NULL);
    job_most(job, where, "eq. 15 at 1 mm, leaving at 1 m/s: force", "N",
             ff_normal_force(&pulling, 1e-3, -1, NULL), 0, 0, "an unnatural sucking force");
    job_least(job, where, "eq. 16 there: force", "N", ff_normal_force(&clamped, 1e-3, -1, NULL), 0,
              0, "overcome by max");
    job_near(job, where, "eq. 16 at touch-down at 1 m/s: jump of the force", "N",
             ff_normal_force(&clamped, 1e-12, 1, NULL) - ff_normal_force(&clamped, -1e-12, 1, NULL),
             1e3, 1e-6, "discontinuous with respect to p and p': B p'");
    job_most(job, where, "Hunt and Crossley at 1 mm, leaving at 2 m/s: force", "N",
             ff_normal_force(&classical, 1e-3, -2, NULL), 0, 0,
             "sucking force when p' is large: beyond k/lambda = 1 m/s");
}

static const double fig5_alpha[] = {0.01, 0.007, 0.005, 0.001};

double xiong_apex(const history *h, size_t k, int z, int v, double weight) {
    for (size_t i = 0; i < h->mark_count; i++) {
        const mark *m = &h->marks[i];
        if (m->kind == FF_LIFTOFF && m->force == 0 && --k == 0) {
            return m->x[z] + m->x[v] * m->x[v] / (2 * weight);
        }
    }
    return NAN;
}

static void fig5(paper_job *job) {
    static const struct {
        double apex[2];      /* first and second */
        double depth, plain; /* deepest; with RK4 */
        const char *name;
    } known[] = {{{1, 1}, 0.01409834299581576, 0.014089897555261865, "alpha = 10 ms"},
                 {{0.77258431303808, 0.5965504744367839},
                  0.012054611884961191,
                  0.012034155337687938,
                  "alpha = 7 ms"},
                 {{0.589249435682455, 0.3463393787008426},
                  0.010420055066983784,
                  0.010215459209019905,
                  "alpha = 5 ms"},
                 {{0.08005980468921309, 0.005297692649194552},
                  0.0055091067011779375,
                  0.005516937639583256,
                  "alpha = 1 ms"}};
    double before = INFINITY, rise = -INFINITY, pull = 0, apart = 0, jump = 0;
    for (size_t i = 0; i < 4; i++) {
        const char *alpha = job_text(job, "parameters.alpha=%g s", fig5_alpha[i]);
        paper_run r = run_system(job, "xiong2013/bounce.yaml", NULL, alpha, NULL);
        history h = xiong_record(r, 1e-3);
        xiong_draw(job, &h, (view_of){-1, 0, .scale = 1}, FF_PLOT_LINES, known[i].name);
        for (size_t k = 0; k < 2; k++) {
            job_near(job, "fig. 5", job_text(job, "%s: apex %zu", known[i].name, k + 1), "m",
                     xiong_apex(&h, k + 1, 0, 1, 9.8), known[i].apex[k], 1e-9, twice);
        }
        if (i == 3) {
            xiong_check_ledger(job, "fig. 5, alpha = 1 ms", &h);
        }
        rise = fmax(rise, xiong_apex(&h, 1, 0, 1, 9.8) - before);
        before = xiong_apex(&h, 1, 0, 1, 9.8);
        /* the first contact in detail: eq. 22 is e, f with f >= 0, g = p + e + alpha e' >= 0, f g = 0 */
        double depth = 0, plain_depth = 0;
        r = run_system(job, "xiong2013/bounce.yaml", NULL, alpha, "run.until=0.47 s", NULL);
        r.when.every = 1e-5;
        while (run_next(&r)) {
            ff_inclusion_view v = ff_inclusion_at(r.sim);
            double rate = (v.contact[0] / 1e5 - v.e[0]) / 0.01;
            double gap = v.x[0] + v.e[0] + fig5_alpha[i] * rate;
            depth = fmax(depth, -v.x[0]);
            pull = fmax(pull, -v.contact[0]);
            apart = fmax(apart, fmax(-gap, fabs(v.contact[0] * gap)));
            jump = r.event && r.event->kind == FF_TOUCHDOWN ? fmax(jump, v.contact[0]) : jump;
        }
        run_close(&r);
        job_near(job, "fig. 5", job_text(job, "%s: deepest penetration", known[i].name), "m", depth,
                 known[i].depth, 2e-8,
                 "DOP853 at two tolerances; sampled each 10 us, at accelerations of 1.4 km/s^2");
        history plain = xiong_record(
            run_system(job, "xiong2013/bounce.yaml", NULL, alpha, "run.until=5 s", PLAIN_RK4, NULL),
            1e-3);
        for (size_t k = 0; k < plain.count; k++) {
            plain_depth = fmax(plain_depth, -plain.rows[k].x[0]);
        }
        job_near(job, "fig. 5", job_text(job, "%s, RK4 with 1 ms: deepest", known[i].name), "m",
                 plain_depth, known[i].plain, 1e-12, scheme);
    }
    const char *where = "sect. 4.2, fig. 5";
    job_most(job, where, "greatest change of the first apex as alpha decreases", "m", rise, 0, 0,
             "the bouncing motion becomes smaller as alpha decreases");
    job_most(job, where, "greatest pull of the wall", "N", pull, 0, 0, "no sucking force");
    job_near(job, "eqs 22, 25", "complementarity of force and p + e + alpha e'", NULL, apart, 0,
             1e-9, "equivalent; forces of 1.4 kN times rounding of lengths");
    job_near(job, where, "force at touch-down", "N", jump, 0, 1e-4,
             "continuous; events are located to some 1e-11 s, with 4.4 MN/s at the least");
    check_rivals(job);
}

/* ---- section 4.3: contact and friction together ---- */

static void section43(paper_job *job) {
    double turned = 0, beyond = -INFINITY, speed = NAN;
    paper_run r = run_system(job, "xiong2013/contact3d.yaml", NULL, NULL);
    r.when.every = 1e-3;
    while (run_next(&r)) {
        ff_inclusion_view v = ff_inclusion_at(r.sim);
        const double *f = v.friction;
        turned = fmax(turned, fabs(3 * v.x[4] - 4 * v.x[3]));
        beyond = fmax(beyond, ff_math.hypot(f[0], f[1]) - 0.3 * v.contact[0]);
        speed = ff_math.hypot(v.x[3], v.x[4]);
    }
    double residual = ff_sim_ledger(r.sim).residual;
    run_close(&r);
    const char *where = "sect. 4.3, eqs 28-30";
    job_near(job, where, "a mass thrown onto a surface: how far it leaves its direction", "m/s",
             turned, 0, 1e-9,
             "friction is radial in the plane, against the velocity; the tolerance is 1e-9");
    job_most(job, where, "friction over mu times the normal force, greatest", "N", beyond, 0, 1e-9,
             "the factor of sgn is mu f_z at every instant: dio is replaced first; rounding");
    job_most(job, where, "speed at 3 s", "m/s", speed, 1e-6, 0,
             "dry friction stops it: 5 m/s over mu g are 1.7 s");
    job_near(job, where, "residual of the energy ledger", "J", residual, 0, 1e-6,
             "14.5 J are accounted for; the tolerance is 1e-9");
}

/* ---- what the paper leaves open: which restitution K, alpha and beta have ---- */

/* e of a mass 1 and a stiffness 1 at 1 m/s, where alpha and beta are what they are in units of sqrt(M/K). */
static double restitution_of(paper_job *job, double ratio, double beta) {
    ff_normal law = job_law(job, "xiong", "K", 1.0, "alpha", ratio * beta, "beta", beta, NULL);
    return job_impact(job, &law, 1, 1).restitution;
}

static void restitution(paper_job *job) {
    enum { BETAS = 6, RATIOS = 3, POINTS = 121 };
    static const double ratios[] = {1, 0.9, 0.7, 0.5, 0.3, 0.1, 0.001};
    static const double betas[BETAS] = {0.1, 0.5, 1, 2, 4, 10}, some[RATIOS] = {0.1, 0.5, 0.9};
    static const double known[RATIOS][BETAS] = {
        {0.8723144077980208, 0.5474872352692515, 0.35138776645589054, 0.22487835954391813,
         0.362198595983756, 0.6497404789854974},
        {0.9280020403392697, 0.7465082981270769, 0.677949856487365, 0.7118038410757178,
         0.8026887896002618, 0.9035780420640195},
        {0.9854541379506577, 0.9522917176936571, 0.9455483206583537, 0.9544343545524473,
         0.9696359740488946, 0.9854159933534642}};
    /* alpha to 0 is a spring and a damper that do not pull, of damping ratio beta/2 */
    static const struct {
        double beta, e;
    } limit[] = {{0.5, 0.5062765525186304}, {1, 0.2984360591922749}, {2, 0.1353352832366127}};
    double off = 0, apart = 0, vanishing = 0, conserved = 0;
    for (size_t i = 0; i < sizeof ratios / sizeof *ratios; i++) {
        paper_curve *c = job_curve(job, FF_PLOT_LINES, "alpha/beta = %g", ratios[i]);
        for (size_t k = 0; k < POINTS; k++) {
            double beta = 0.1 * ff_math.pow(100, (double)k / (POINTS - 1));
            curve_point(c, beta, restitution_of(job, ratios[i], beta));
        }
    }
    for (size_t k = 0; k < BETAS; k++) {
        for (size_t i = 0; i < RATIOS; i++) {
            off = fmax(off, fabs(restitution_of(job, some[i], betas[k]) - known[i][k]));
        }
        conserved = fmax(conserved, fabs(restitution_of(job, 1, betas[k]) - 1));
    }
    for (size_t k = 0; k < 3; k++) {
        vanishing = fmax(vanishing, fabs(restitution_of(job, 1e-6, limit[k].beta) - limit[k].e));
    }
    /* the same alpha sqrt(K/M) and beta sqrt(K/M) in another mass, stiffness and speed */
    for (double speed = 0.01; speed < 200; speed *= 10) {
        double unit = sqrt(3.0 / 2e4);
        ff_normal law =
            job_law(job, "xiong", "K", 2e4, "alpha", 0.5 * unit, "beta", 1.0 * unit, NULL);
        apart = fmax(
            apart, fabs(job_impact(job, &law, 3, speed).restitution - restitution_of(job, 0.5, 1)));
    }
    ff_normal more = job_law(job, "xiong", "K", 1.0, "alpha", 1.0, "beta", 1.0, NULL);
    const char *where = "sect. 4.2, 6";
    job_near(job, where, "e for 18 pairs of alpha and beta, greatest difference", NULL, off, 0,
             1e-11,
             "roots of the characteristic polynomial with 40 digits; the library promises 1e-12 of "
             "the laws without inner state");
    job_near(job, where, "alpha = beta: 1 - e, greatest", NULL, conserved, 0, 1e-11,
             "perfectly elastic");
    job_near(job, where, "alpha to 0: difference to a spring and a damper that do not pull", NULL,
             vanishing, 0, 1e-5, "closed form for alpha = 0; alpha is 1e-6 beta");
    job_near(job, where, "e in other units and from 1 cm/s to 100 m/s, greatest difference", NULL,
             apart, 0, 1e-11,
             "contact is linear: e depends on alpha sqrt(K/M) and beta sqrt(K/M) alone");
    job_holds(job, where, "alpha > beta is refused", ff_normal_set(&more, "alpha", 1.2, NULL) < 0,
              "alpha should be set smaller than beta: beyond it, e is greater than 1");
    job_least(job, where, "alpha/beta = 0.1: e at beta = 10 over that at beta = 2", NULL,
              restitution_of(job, 0.1, 10) / restitution_of(job, 0.1, 2), 2, 0,
              "the choice strongly influences the restitution: more damping may even bounce more");
}

#define TIME "time (s)"

static const paper_figure figures[] = {
    {.id = "fig1ab",
     .title = "sgn and sat",
     .caption = "y in Z sgn(x - y) is the same as y = sat(Z, x).",
     .x_label = "x",
     .y_label = "y",
     .make = fig1},
    {.id = "fig1cd",
     .title = "dio and max",
     .caption = "y in dio(x + y) is the same as y = max(0, -x).",
     .x_label = "x",
     .y_label = "y"},
    {.id = "fig3a",
     .title = "External force, eq. 20",
     .caption = "At first beyond the friction of 0.5 N, from 2 s on below it.",
     .x_label = TIME,
     .y_label = "force (N)",
     .make = fig3},
    {.id = "fig3b",
     .title = "A mass under dry friction",
     .caption = "From 2 s on the force stays below the static friction: LuGre and Dahl drift, the "
                "new model does not.",
     .chosen = "B = K beta = 10 N s/m and D = 0 of LuGre (Dahl: B = 0); a = 0 at the start",
     .x_label = TIME,
     .y_label = "position (mm)"},
    {.id = "fig5",
     .title = "A mass on a rigid wall",
     .caption = "alpha = beta = 10 ms loses nothing; the smaller alpha, the lower the bounces.",
     .x_label = TIME,
     .y_label = "position (m)",
     .make = fig5},
    {.id = "section43", .title = "Section 4.3", .make = section43},
    {.id = "restitution",
     .title = "Restitution by alpha, beta, K and M",
     .caption = "Not in the paper, which asks for it: e depends on alpha sqrt(K/M) and "
                "beta sqrt(K/M) alone, and not on speed. For a given alpha/beta it has a minimum.",
     .x_label = "beta sqrt(K/M)",
     .y_label = "coefficient of restitution",
     .x_log = true,
     .make = restitution},
    {.id = "fig7a",
     .title = "Example I: height of the centre",
     .caption = "Lines are eq. 37 itself, dots RK4 with 1 ms as in the paper.",
     .x_label = TIME,
     .y_label = "p_z (m)",
     .make = xiong_fig7},
    {.id = "fig7b",
     .title = "Example I: vertical velocity",
     .caption = "Each bounce keeps 0.826 of the velocity.",
     .x_label = TIME,
     .y_label = "p_z' (m/s)"},
    {.id = "fig7c",
     .title = "Example I: from sliding to rolling",
     .caption = "Friction acts in the bounces only, until R omega_y and p_x' are 5/7 of 5.5 m/s.",
     .x_label = TIME,
     .y_label = "velocity (m/s)"},
    {.id = "fig7d",
     .title = "Example I: slip velocity",
     .caption = "Pure translation becomes pure rolling in four bounces.",
     .x_label = TIME,
     .y_label = "slip velocity (m/s)"},
    {.id = "fig7e",
     .title = "Example I: (a) enlarged, penetrations",
     .caption = "The sphere is in the surface by 8.8 mm at the most.",
     .x_label = TIME,
     .y_label = "height of the bottom (mm)"},
    {.id = "fig7f",
     .title = "Example I: (d) enlarged, slip",
     .caption =
         "After a collision slip may turn round for a moment, which dry friction never makes.",
     .x_label = TIME,
     .y_label = "slip velocity (mm/s)"},
    {.id = "fig9a",
     .title = "Example II: horizontal positions",
     .caption =
         "RK4 with 1 ms and eq. 45 itself part company after 0.2 s: the motion is sensitive.",
     .x_label = TIME,
     .y_label = "position (mm)",
     .make = xiong_fig9},
    {.id = "fig9b",
     .title = "Example II: horizontal velocities",
     .caption = "Impulses pass between M1 and M2, and from the wall.",
     .x_label = TIME,
     .y_label = "velocity (m/s)"},
    {.id = "fig9c",
     .title = "Example II: M1, vertical",
     .caption = "Held by friction at 0.015 mm; with RK4, unstable at 1 ms, at some 2 mm.",
     .x_label = TIME,
     .y_label = "position (mm)"},
    {.id = "fig9d",
     .title = "Example II: M2, vertical",
     .caption = "Friction on its side lifts it from the conveyor at times.",
     .x_label = TIME,
     .y_label = "position (mm)"},
    {.id = "fig11",
     .title = "Example III: limit cycles",
     .caption = "w = 0 is sticking: for F = 0.5, never for F = 0.2.",
     .chosen = "F = 0.5 N m/s, to which the printed start belongs, beside the printed 0.2",
     .x_label = "p (m)",
     .y_label = "w (m/s)",
     .make = xiong_fig11},
    {.id = "fig11-time",
     .title = "Example III: position",
     .caption = "The mass is carried along at 1 m/s where it sticks, and swings back.",
     .chosen = "F = 0.5 N m/s, to which the printed start belongs",
     .x_label = TIME,
     .y_label = "p (m)"},
};

const paper paper_xiong2013 = {
    .name = "xiong2013",
    .title = "Xiong, Kikuuwe and Yamamoto 2013: A differential algebraic method to approximate "
             "nonsmooth mechanical systems by ordinary differential equations",
    .figures = figures,
    .figure_count = sizeof figures / sizeof *figures,
};
