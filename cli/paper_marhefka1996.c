/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "papers.h"
#include <footfall/elementary.h>
#include <math.h>

static const double pi = 3.14159265358979323846;
static const char closed_form[] = "closed form of eq. 19";

/* ---- impacts ---- */

/* A mass that hits the ground, and what came of it. */
typedef struct {
    double mass, speed, k, alpha, n;
    double restitution, max_depth, max_force, least_force, contact_time, area;
    double slowest, eq19; /* the least velocity in contact; the greatest error of eq. 19, m */
} impact;

/* Velocity to depth by eq. 19. */
static double depth_at(const impact *i, double v) {
    double a = i->alpha, vi = i->speed, n = i->n;
    double sum = 3 * a * (v - vi) + 2 * ff_math.log(fabs((2 + 3 * a * vi) / (2 + 3 * a * v)));
    /* next to an end of the contact rounding may leave the wrong sign */
    return ff_math.pow(fmax(0, -2 * i->mass * (n + 1) / (9 * i->k * a * a) * sum), 1 / (n + 1));
}

typedef enum { NOTHING, PHASE, LOOP, HISTORY } drawing;

/* Runs impact.yaml with the numbers of `i`, which may pull, so that it shows if the law would; draws it into `c`, and
 * fills in the rest. 20,000 samples of a contact leave 1e-8 of peaks and areas. */
static void run_impact(paper_job *job, impact *i, drawing draw, paper_curve *c) {
    const double n = i->n;
    ff_normal law = job_law(job, "marhefka-orin", "k", i->k, "alpha", i->alpha, "n", n, NULL);
    double lasts = job_impact(job, &law, i->mass, i->speed).contact_time;
    paper_run r = run_scene(job, "marhefka1996/impact.yaml", "pairs[0].normal.detach=tension",
                            job_text(job, "parameters.mass=%.17g kg", i->mass),
                            job_text(job, "parameters.speed=%.17g m/s", i->speed),
                            job_text(job, "parameters.k=%.17g", i->k),
                            job_text(job, "parameters.alpha=%.17g s/m", i->alpha),
                            job_text(job, "parameters.n=%.17g", n),
                            job_text(job, "run.until=%.17g s", 1.05 * lasts), NULL);
    double depth = 0, force = 0;
    bool on = true;
    r.when.every = lasts / 20000;
    i->least_force = i->slowest = INFINITY;
    while (on && run_next(&r)) {
        ff_contact_record now = ff_sim_contact(r.sim, 0);
        double f = now.force[2];
        on = now.depth >= 0 && !(r.event && r.event->kind == FF_CLEAR);
        if (!on && !r.event) {
            break;
        }
        if (draw == PHASE) {
            curve_point(c, now.depth, now.rate);
        } else if (draw != NOTHING) {
            curve_point(c, draw == LOOP ? 1e3 * now.depth : 1e3 * r.time, f);
        }
        i->area += 0.5 * (f + force) * (now.depth - depth);
        i->max_depth = fmax(i->max_depth, now.depth);
        i->max_force = fmax(i->max_force, f);
        i->least_force = fmin(i->least_force, f);
        i->slowest = fmin(i->slowest, now.rate);
        i->eq19 = fmax(i->eq19, fabs(depth_at(i, now.rate) - now.depth));
        i->contact_time = r.time;
        depth = now.depth;
        force = f;
    }
    i->restitution = ff_sim_body(r.sim, 0).velocity[2] / i->speed;
    run_close(&r);
}

/* ---- section 2: the linear model ---- */

static double linear_restitution(paper_job *job, double m, double v, double b) {
    ff_normal law = job_law(job, "linear", "k", 100.0, "lambda", b, "detach", 1.0, NULL);
    return job_impact(job, &law, m, v).restitution;
}

static void section2(paper_job *job) {
    const double k = 100, b = 10, v = 1;
    paper_run r =
        run_scene(job, "marhefka1996/impact.yaml",
                  "pairs[0].normal={law: linear, k: 100, lambda: 10, detach: tension}", NULL);
    double least = 0, e = linear_restitution(job, 1, v, b);
    while (run_next(&r)) {
        double f = ff_sim_contact(r.sim, 0).force[2];
        least = fmin(least, f);
    }
    double start = ff_normal_force(ff_model_contact_facts(r.model, 0).normal, 0, v, 0);
    run_close(&r);
    job_near(job, "sect. 2, eq. 3: the force steps from 0 to b v_i", "force at touch-down", "N",
             start, b * v, 1e-15 * b * v, "as printed; rounding");
    job_near(job, "sect. 2: just before separation the ground pulls with b v_o",
             "least force of the run", "N", least, -b * e * v, 1e-6,
             "b v_o with v_o = e v_i; the last step ends at separation to 1e-11 of a run");
    job_near(job, "eq. 4", "e of the linear model, ground may pull", NULL, e,
             ff_math.exp(-b * pi / sqrt(4 * k - b * b)), 1e-12,
             "eq. 4; impacts are integrated to 1e-12");
    job_near(job, "sect. 2: e depends on the mass", "e of 4 kg", NULL,
             linear_restitution(job, 4, v, b), ff_math.exp(-b * pi / sqrt(16 * k - b * b)), 1e-12,
             "eq. 4: 0.444 where 1 kg has 0.163");
    job_near(job, "sect. 2: e does not depend on the velocity", "change of e from 1 to 10 m/s",
             NULL, linear_restitution(job, 1, 10 * v, b) - e, 0, 1e-12,
             "impacts are integrated to 1e-12");
}

/* ---- figure 2 ---- */

static void fig2(paper_job *job) {
    static const double speeds[] = {0.5, 1, 2, 3, 4, 5}, branches[] = {2, 2.5, 3, 4};
    const double m = 50, k = 50e3, alpha = 0.4, limit = -2 / (3 * alpha);
    ff_normal law = job_law(job, "marhefka-orin", "k", k, "alpha", alpha, "detach", 1.0, NULL);
    double slowest = INFINITY, error = 0, deepest = 0, rise = -INFINITY;
    impact one = {0};
    for (size_t i = 0; i < sizeof speeds / sizeof *speeds; i++) {
        impact now = {.mass = m, .speed = speeds[i], .k = k, .alpha = alpha, .n = 1};
        paper_curve *c = job_curve(job, FF_PLOT_LINES, "v_i = %g m/s", speeds[i]);
        curve_colour(c, i + 1);
        run_impact(job, &now, PHASE, c);
        slowest = fmin(slowest, now.slowest);
        error = fmax(error, now.eq19 / now.max_depth);
        deepest = fmax(deepest, now.max_depth);
        one = speeds[i] == 1 ? now : one;
        /* x enters eq. 13 as x^2: the same again for x < 0 */
        enum { POINTS = 200 };
        const ff_impact_point *p = job_impact_curve(job, &law, m, speeds[i], POINTS);
        paper_curve *mirror = job_curve(job, FF_PLOT_DOTTED, NULL);
        curve_colour(mirror, i + 1);
        for (size_t j = 0; j < POINTS; j++) {
            curve_point(mirror, -p[j].depth, p[j].velocity);
        }
    }
    double end = NAN, pull = -INFINITY;
    for (size_t i = 0; i < sizeof branches / sizeof *branches; i++) {
        enum { POINTS = 200 };
        ff_impact_point p[POINTS];
        if (ff_phase_branch(&law, m, deepest, -branches[i], POINTS, p) < 0) {
            job_fail(job, "no branch at %g m/s", branches[i]);
        }
        paper_curve *c = job_curve(job, FF_PLOT_LINES, i ? NULL : "sticky");
        curve_colour(c, 7);
        for (size_t j = 0; j < POINTS; j++) {
            curve_point(c, p[j].depth, p[j].velocity);
            rise = j ? fmax(rise, fabs(p[j].velocity) - fabs(p[j - 1].velocity)) : rise;
            pull = p[j].depth > 0 ? fmax(pull, p[j].force) : pull;
        }
        ff_phase_branch(&law, m, 0.1, -3, POINTS, p);
        end = p[POINTS - 1].velocity;
    }
    paper_curve *line = job_curve(job, FF_PLOT_DOTTED, "-2/(3 alpha)");
    curve_colour(line, 7);
    curve_point(line, -deepest, limit);
    curve_point(line, deepest, limit);

    impact fast = {.mass = m, .speed = 50, .k = k, .alpha = alpha, .n = 1};
    run_impact(job, &fast, NOTHING, NULL);
    job_near(
        job, "eq. 19, fig. 2", "greatest difference between eq. 19 and the runs, over the depth",
        NULL, error, 0, 1e-6,
        "an exact solution; x is a root of what is small at both ends of a contact, where 1e-12 "
        "of it is 1e-6 of x");
    job_near(job, "fig. 2", "separation velocity after an impact at 1 m/s", "m/s",
             -one.restitution * one.speed, -0.7119501795778662, 1e-9,
             job_text(job, "%s; the tolerance of the run is 1e-11", closed_form));
    job_near(job, "fig. 2", "depth of an impact at 1 m/s", "m", one.max_depth, 0.02687381736460069,
             1e-9, job_text(job, "%s; sampled", closed_form));
    job_near(job, "sect. 4.1: contours converge to -2/(3 alpha)",
             "separation velocity after an impact at 50 m/s", "m/s", -fast.restitution * 50, limit,
             1e-8,
             "the limit, which is reached up to exp(-31); tolerance of the run 1e-11 of 50 m/s");
    job_least(job, "sect. 4.1: a collision never takes v below -2/(3 alpha)",
              "least velocity of all", "m/s", fmin(slowest, fast.slowest), limit, 1e-8,
              "tolerance of the run");
    job_near(job, "sect. 4.1, below the line", "velocity at x = 0, pulled from 0.1 m at 3 m/s",
             "m/s", end, -2.0551805867146418, 1e-9, closed_form);
    job_most(job, "sect. 4.1: below the line it goes back to x = 0 with decreasing velocity",
             "greatest change of speed along these contours", "m/s", rise, 0, 0, "it decreases");
    job_most(job, "eq. 22: the force is sticky for v < -2/(3 alpha)",
             "greatest force along these contours", "N", pull, 0, 0, "it pulls all the way");
}

/* ---- figure 3 ---- */

static void fig3(paper_job *job) {
    static const double alphas[] = {0.01, 0.02, 0.04, 0.06, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5};
    enum { ALPHAS = sizeof alphas / sizeof *alphas, POINTS = 101 };
    double left = 0, rise = -INFINITY, order = -INFINITY, bend = INFINITY, before[POINTS] = {0};
    for (size_t i = 0; i < ALPHAS; i++) {
        ff_normal law = job_law(job, "marhefka-orin", "k", 50e3, "alpha", alphas[i], NULL);
        paper_curve *c = job_curve(job, FF_PLOT_LINES, "alpha = %g", alphas[i]);
        double e[POINTS];
        for (size_t j = 0; j < POINTS; j++) {
            double v = 0.05 * (double)j, a = alphas[i];
            e[j] = j ? ff_impact_restitution(&law, 50, v) : 1;
            curve_point(c, v, e[j]);
            /* eq. 19 at x = 0, over its size */
            double sum =
                3 * a * v * (1 + e[j]) + 2 * ff_math.log((2 - 3 * a * e[j] * v) / (2 + 3 * a * v));
            left = j ? fmax(left, fabs(sum) / (a * v)) : left;
            rise = j ? fmax(rise, e[j] - e[j - 1]) : rise;
            bend = j > 1 ? fmin(bend, e[j] - 2 * e[j - 1] + e[j - 2]) : bend;
            order = i && j ? fmax(order, e[j] - before[j]) : order;
            before[j] = e[j];
        }
    }
    ff_normal law = job_law(job, "marhefka-orin", "k", 50e3, "alpha", 0.5, NULL);
    ff_normal low = job_law(job, "marhefka-orin", "k", 50e3, "alpha", 0.01, NULL);
    job_near(job, "fig. 3", "what is left of eq. 19 at x = 0, over alpha v", NULL, left, 0, 1e-12,
             "an exact solution; rounding");
    job_near(job, "fig. 3", "e at 5 m/s for alpha = 0.5 s/m", NULL,
             ff_impact_restitution(&law, 50, 5), 0.25522752638286245, 1e-12,
             "closed form in 40 digits");
    job_near(job, "eqs 5, 7: e = 1 - alpha v_i at low speed",
             "(1 - e)/(alpha v_i) at alpha v_i = 1e-5", NULL,
             job_impact(job, &low, 50, 1e-3).loss / 1e-5, 1, 2e-5, "the next term is alpha v_i");
    job_most(job, "sect. 4.2: e decreases with velocity", "greatest change of e as it grows", NULL,
             rise, 0, 0, "it decreases");
    job_most(job, "sect. 4.2: e decreases with alpha", "greatest change of e as it grows", NULL,
             order, 0, 0, "it decreases");
    job_least(job, "sect. 4.2: e levels out before it reaches zero", "least curvature of e", NULL,
              bend, 0, 1e-14, "bent upward everywhere; rounding");
    job_near(job, "sect. 4.2: e levels out", "e v_i at 50 m/s for alpha = 0.5 s/m", "m/s",
             50 * ff_impact_restitution(&law, 50, 50), 2 / (3 * 0.5), 1e-12,
             "2/(3 alpha): it separates at that velocity");

    /* one impact, whatever is hit and how */
    static const double masses[] = {0.01, 1, 1000}, stiffnesses[] = {1e3, 1e7}, ns[] = {1, 1.5, 3};
    double least = INFINITY, most = -INFINITY;
    for (size_t i = 0; i < 18; i++) {
        impact now = {.mass = masses[i % 3], .speed = 1, .alpha = 0.4};
        now.k = stiffnesses[i / 3 % 2], now.n = ns[i / 6];
        run_impact(job, &now, NOTHING, NULL);
        least = fmin(least, now.restitution);
        most = fmax(most, now.restitution);
    }
    job_near(job, "sect. 4.2: e is completely independent of m, k and n",
             "spread of e over 10 g to 1 t, 1e3 to 1e7 N/m^n, n from 1 to 3", NULL, most - least, 0,
             1e-10, "18 runs, each with a tolerance of 1e-11");
    job_near(job, "sect. 4.2", "e of all of these, alpha v_i = 0.4", NULL, most, 0.7119501795778662,
             1e-10, closed_form);
}

/* ---- figures 4 to 7 ---- */

typedef struct {
    double parameter, e, depth, force, time, loss; /* of the reference */
} row;

enum { LOOPS = 4 };

/* Runs and draws up to four impacts, and compares them with what is known of them. */
static void draw_impacts(paper_job *job, const char *where, impact *impacts, const row *known,
                         size_t count, drawing draw, const char *name) {
    double error = 0, least = INFINITY;
    for (size_t i = 0; i < count; i++) {
        run_impact(job, &impacts[i], draw,
                   job_curve(job, FF_PLOT_LINES, "%s", job_text(job, name, known[i].parameter)));
        const impact *p = &impacts[i];
        const row *k = &known[i];
        error = fmax(error, fabs(p->restitution / k->e - 1));
        error = fmax(error, fabs(p->max_depth / k->depth - 1));
        error = fmax(error, fabs(p->max_force / k->force - 1));
        error = fmax(error, fabs(p->contact_time / k->time - 1));
        error = fmax(error, fabs(p->area / k->loss - 1));
        least = fmin(least, p->least_force / p->max_force);
    }
    job_near(job, where,
             "greatest relative error of e, depth, peak, contact time and area of its impacts",
             NULL, error, 0, 1e-6, "closed forms and quadrature; 20,000 samples of each contact");
    job_least(job, job_text(job, "%s: never sticky", where),
              "least force over the peak, of a law that may pull", NULL, least, 0, 1e-8,
              "tolerance of the run");
}

static void fig4(paper_job *job) {
    static const row known[] = {
        {0.01, 0.9900989128413079, 0.009950432988874634, 99.51541198820304, 0.031416218148384065,
         0.009852071395230057},
        {0.2, 0.8328697922656016, 0.009145215571544494, 94.76134259903102, 0.03151453316738738,
         0.15316395456572676},
        {0.4, 0.7119501795778662, 0.008498247229552183, 94.87143336346143, 0.03175714701912087,
         0.24656347089952202},
        {0.6, 0.6197364660819752, 0.007983719759109865, 97.05586588779353, 0.03209514348423786,
         0.3079633563041124},
    };
    impact p[LOOPS];
    for (size_t i = 0; i < LOOPS; i++) {
        p[i] = (impact){.mass = 1, .speed = 1, .k = 10e3, .alpha = known[i].parameter, .n = 1};
    }
    draw_impacts(job, "fig. 4", p, known, LOOPS, LOOP, "alpha = %g s/m");
    job_holds(job, "fig. 4: the area grows with alpha", "areas are in order",
              p[0].area < p[1].area && p[1].area < p[2].area && p[2].area < p[3].area,
              "the sentence");
    job_holds(job, "fig. 4: damping reduces the penetration", "depths are in order",
              p[0].max_depth > p[1].max_depth && p[1].max_depth > p[2].max_depth &&
                  p[2].max_depth > p[3].max_depth,
              "the sentence");
    double error = 0;
    for (size_t i = 0; i < LOOPS; i++) {
        double e = p[i].restitution;
        error = fmax(error, fabs(p[i].area - 0.5 * (1 - e * e)));
    }
    job_near(job, "eq. 23: the area is the energy lost",
             "greatest difference between area and loss of motion", "J", error, 0, 1e-8,
             "trapezoidal rule on 20,000 samples");
    job_most(job, "fig. 4: for small alpha it resembles a spring",
             "area over the energy of the impact, alpha = 0.01 s/m", NULL, p[0].area / 0.5, 0.02, 0,
             "1 - e^2 < 2 alpha v_i");
}

static void impacts5(paper_job *job, drawing draw, impact p[LOOPS]) {
    static const row known[] = {
        {10, 0.662962200001546, 0.05817738576527287, 677.457158059568, 0.2256818332299194,
         14.012028034227754},
        {30, 0.662962200001546, 0.033588729332328995, 1173.3902177103912, 0.13029746716650217,
         14.012028034227754},
        {50, 0.662962200001546, 0.026017717864875754, 1514.8402572650136, 0.10092798407777413,
         14.012028034227754},
        {70, 0.662962200001546, 0.021988984951825878, 1792.3831641261936, 0.08529971516450278,
         14.012028034227754},
    };
    for (size_t i = 0; i < LOOPS; i++) {
        p[i] =
            (impact){.mass = 50, .speed = 1, .k = 1e3 * known[i].parameter, .alpha = 0.5, .n = 1};
    }
    draw_impacts(job, draw == LOOP ? "fig. 5" : "fig. 6", p, known, LOOPS, draw, "k = %g kN/m");
}

static void fig5(paper_job *job) {
    impact p[LOOPS];
    impacts5(job, LOOP, p);
    double least = p[0].area, most = p[0].area;
    for (size_t i = 1; i < LOOPS; i++) {
        least = fmin(least, p[i].area);
        most = fmax(most, p[i].area);
    }
    job_near(job, "fig. 5: the area is the same for all k", "spread of the areas", "J",
             most - least, 0, 1e-6, "trapezoidal rule on 20,000 samples of each");
    job_holds(job, "fig. 5: increasing k reduces the penetration", "depths are in order",
              p[0].max_depth > p[1].max_depth && p[1].max_depth > p[2].max_depth &&
                  p[2].max_depth > p[3].max_depth,
              "the sentence");
}

static void fig6(paper_job *job) {
    impact p[LOOPS];
    impacts5(job, HISTORY, p);
    job_near(job, "fig. 6: forces become more impulsive", "contact time of 70 over that of 10 kN/m",
             NULL, p[3].contact_time / p[0].contact_time, sqrt(1.0 / 7), 1e-6,
             "times go as 1/sqrt(k) for n = 1");
    job_near(job, "fig. 6: forces become more impulsive", "peak of 70 over that of 10 kN/m", NULL,
             p[3].max_force / p[0].max_force, sqrt(7), 1e-6, "forces go as sqrt(k), impulse stays");
}

static void fig7(paper_job *job) {
    static const row known[] = {
        {1, 0.7991987821935678, 0.002835866008593724, 74.68613749370175, 0.01996291253825427,
         0.045160163317539775},
        {10, 0.7991987821935678, 0.008967795726206802, 236.17830412059706, 0.06312827235161672,
         0.45160163317539775},
        {100, 0.7991987821935678, 0.02835866008593724, 746.8613749370176, 0.1996291253825427,
         4.516016331753978},
    };
    impact p[3];
    for (size_t i = 0; i < 3; i++) {
        p[i] = (impact){.mass = known[i].parameter, .speed = 0.5, .k = 25e3, .alpha = 0.5, .n = 1};
    }
    draw_impacts(job, "fig. 7", p, known, 3, LOOP, "m = %g kg");
    job_near(job, "fig. 7: the area is proportional to the mass", "area of 100 over that of 1 kg",
             NULL, p[2].area / p[0].area, 100, 1e-5, "trapezoidal rule on 20,000 samples of each");
    job_near(job, "fig. 7: mass increases the penetration", "depth of 100 over that of 1 kg", NULL,
             p[2].max_depth / p[0].max_depth, 10, 1e-6, "depths go as sqrt(m) for n = 1");
}

/* ---- figure 8 ---- */

static const double placed = 0.1, lifted = 0.5; /* s */

static double target(double t) {
    return t < placed ? 2 * t - 10 * t * t : t < lifted ? 0.1 : 0.1 - 2 * (t - lifted);
}

static double target_velocity(double t) { return t < placed ? 2 - 20 * t : t < lifted ? 0 : -2; }

static void fig8(paper_job *job) {
    enum { SAMPLES = 14001 };
    double *x = job_room(job, SAMPLES, sizeof *x), *v = job_room(job, SAMPLES, sizeof *v);
    double *f = job_room(job, SAMPLES, sizeof *f);
    double peak = 0, peak_time = NAN, deepest = 0, end = NAN, speed = NAN, least = INFINITY;
    size_t early = 0;
    const double dt = 5e-5;
    paper_run r = run_scene(job, "marhefka1996/foot.yaml", NULL);
    r.when.every = dt;
    double first = NAN;
    while (run_next(&r)) {
        ff_contact_record c = ff_sim_contact(r.sim, 0);
        ff_motion foot = ff_sim_body(r.sim, 0);
        size_t i = (size_t)(r.time / dt + 0.5);
        if (!r.event && i < SAMPLES) {
            x[i] = -foot.position[2], v[i] = -foot.velocity[2], f[i] = c.force[2];
        }
        first = r.time <= 0 ? c.force[2] : first;
        least = fmin(least, c.force[2]);
        if (c.force[2] > peak) {
            peak = c.force[2];
            peak_time = r.time;
        }
        if (r.event && r.event->kind == FF_LIFTOFF) {
            early += r.time < lifted;
            end = r.time;
            speed = -foot.velocity[2];
        }
        deepest = r.time <= placed ? fmax(deepest, -foot.position[2]) : deepest;
    }
    run_close(&r);

    paper_curve *a = job_curve(job, FF_PLOT_DOTTED, "desired"),
                *b = job_curve(job, FF_PLOT_LINES, "actual");
    for (size_t i = 0; i < SAMPLES; i++) {
        curve_point(a, (double)i * dt, target((double)i * dt));
        curve_point(b, (double)i * dt, x[i]);
    }
    job_next(job);
    a = job_curve(job, FF_PLOT_DOTTED, "desired"), b = job_curve(job, FF_PLOT_LINES, "actual");
    for (size_t i = 0; i < SAMPLES; i++) {
        curve_point(a, (double)i * dt, target_velocity((double)i * dt));
        curve_point(b, (double)i * dt, v[i]);
    }
    job_next(job);
    a = job_curve(job, FF_PLOT_LINES, NULL);
    for (size_t i = 0; i < SAMPLES; i++) {
        curve_point(a, (double)i * dt, f[i]);
    }

    size_t at_placed = (size_t)(placed / dt + 0.5), at_lifted = (size_t)(lifted / dt + 0.5);
    static const char why[] = "independent integration at 1e-9; needs no assumption";
    static const char assumed[] = "independent integration at 1e-9, with the same assumptions";
    job_near(job, "fig. 8: a large initial ground force", "peak", "N", peak, 2323.9270096665373,
             0.01, "independent integration at 1e-9; sampled each 50 us: 3e-6 of it");
    job_near(job, "fig. 8", "time of the peak", "s", peak_time, 0.016163934901769823, dt,
             "independent integration at 1e-9; sampled each 50 us");
    job_near(job, "fig. 8", "greatest depth in placement", "m", deepest, 0.032704391453177106, 1e-7,
             "independent integration at 1e-9; sampled each 50 us: 1e-6 of it");
    job_near(job, "fig. 8", "depth at 0.1 s", "m", x[at_placed], 0.023964416260805546, 2e-9, why);
    job_near(job, "fig. 8", "ground force at 0.1 s", "N", f[at_placed], 1461.6832161564525, 1e-4,
             why);
    job_near(job, "fig. 8: desired position 0.1 m under the ground", "desired position at 0.1 s",
             "m", target(placed - 1e-12), 0.1, 1e-10, "2 m/s that ramp down in 0.1 s");
    job_near(job, "fig. 8", "lift-offs before the foot is lifted", NULL, (double)early, 0, 0,
             "sustained contact");
    job_near(job, "fig. 8: the ground force is continuous upon impact", "force at impact", "N",
             first, 0, 1e-9, "it starts from zero");
    job_near(job, "fig. 8: the ground damps out the oscillations", "depth at 0.5 s", "m",
             x[at_lifted], 0.019978844180467515, 2e-9, assumed);
    job_most(job, "fig. 8: the ground damps out the oscillations",
             "distance from rest at 0.5 s over that at 0.1 s", NULL,
             fabs(x[at_lifted] - 0.02) / fabs(x[at_placed] - 0.02), 0.01, 0,
             "the rest is 20 mm under 1000 N; \"effectively\": to 1 %");
    job_near(job, "fig. 8", "velocity at lift-off", "m/s", speed, -1.0453018226866408, 1e-8,
             assumed);
    job_near(job, "fig. 8", "time of lift-off", "s", end, 0.566094554063824, 1e-8, assumed);
    job_least(job, "fig. 8: continuous and outward as the foot is lifted", "least ground force",
              "N", least, 0, 0, "with 1000 N of weight the foot leaves more slowly than 4/3 m/s");

    /* another weight, and a target that goes on from where the foot is */
    double pull = INFINITY;
    r = run_scene(job, "marhefka1996/foot.yaml", "parameters.weight=1500 N",
                  "parameters.start=0.030000876777102056 m", "pairs[0].normal.detach=tension",
                  NULL);
    r.when.every = 1e-6;
    while (run_next(&r)) {
        pull = fmin(pull, ff_sim_contact(r.sim, 0).force[2]);
    }
    run_close(&r);
    job_check(job,
              &(check){.where = "fig. 8: continuous and outward as the foot is lifted",
                       .quantity = "least ground force after 1500 N of weight, the target going "
                                   "on from the actual position",
                       .unit = "N",
                       .relation = CHECK_AT_LEAST,
                       .value = pull,
                       .expected = 0,
                       .why = "the sentence; weight and target are not printed",
                       .otherwise = "That depends on what the paper does not print: here the foot "
                                    "is drawn away at 1.48 m/s, faster than 2/(3 alpha) = 1.33 "
                                    "m/s, and the ground pulls. footfall's laws are clamped "
                                    "unless asked for tension.",
                       .instead = -8.110256050792117,
                       .instead_within = 0.1});
}

static const char penetration[] = "penetration (mm)", ground_force[] = "contact force (N)";
static const char open5[] = "The exponent is not printed: 1, as for figure 4.";
static const char open8[] =
    "Not printed: the exponent (1), gravity on the foot (none), the weight (1000 N), when the foot "
    "is "
    "lifted (0.5 s), and where its target starts then (where it was, 0.1 m).";

static const paper_figure figures[] = {
    {.id = "section2", .title = "The linear model", .make = section2},
    {.id = "fig2",
     .title = "Phase diagram: 50 kg, 50 kN/m, n = 1, alpha = 0.4 s/m",
     .caption = "Impacts leave above the line at -2/(3 alpha), where spring and damper cancel. "
                "Dotted: the equation for negative penetration, which no contact has.",
     .x_label = "penetration (m)",
     .y_label = "penetration velocity (m/s)",
     .make = fig2},
    {.id = "fig3",
     .title = "Restitution against impact velocity",
     .caption = "alpha in s/m. For any mass, stiffness and exponent.",
     .x_label = "impact velocity (m/s)",
     .y_label = "coefficient of restitution",
     .make = fig3},
    {.id = "fig4",
     .title = "Contact force against penetration, by alpha",
     .caption = "1 kg at 1 m/s, 10 kN/m, n = 1.",
     .x_label = penetration,
     .y_label = ground_force,
     .make = fig4},
    {.id = "fig5",
     .title = "Contact force against penetration, by stiffness",
     .caption = "50 kg at 1 m/s, alpha = 0.5 s/m.",
     .chosen = open5,
     .x_label = penetration,
     .y_label = ground_force,
     .make = fig5},
    {.id = "fig6",
     .title = "Contact force against time, by stiffness",
     .caption = "The impacts of figure 5.",
     .chosen = open5,
     .x_label = "time (ms)",
     .y_label = ground_force,
     .make = fig6},
    {.id = "fig7",
     .title = "Contact force against penetration, by mass",
     .caption = "0.5 m/s, 25 kN/m, alpha = 0.5 s/m.",
     .chosen = open5,
     .x_label = penetration,
     .y_label = ground_force,
     .make = fig7},
    {.id = "fig8-position",
     .title = "Foot contact: position",
     .caption =
         "Into the ground. Placed with an error of 0.1 m, weight from 0.1 s, lifted from 0.5 s.",
     .chosen = open8,
     .x_label = "time (s)",
     .y_label = "position (m)",
     .make = fig8},
    {.id = "fig8-velocity",
     .title = "Foot contact: velocity",
     .chosen = open8,
     .x_label = "time (s)",
     .y_label = "velocity (m/s)"},
    {.id = "fig8-force",
     .title = "Foot contact: force on the ground",
     .chosen = open8,
     .x_label = "time (s)",
     .y_label = "ground force (N)"},
};

const paper paper_marhefka1996 = {
    .name = "marhefka1996",
    .title = "Marhefka and Orin 1996: Simulation of contact using a nonlinear damping model",
    .figures = figures,
    .figure_count = sizeof figures / sizeof *figures,
};
