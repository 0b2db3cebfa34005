/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "paper_azad2014.h"
#include <footfall/elementary.h>
#include <math.h>

/* What a run of the drop brings. "Bounce heights decay to 1 mm" is read as the touch-down after which the sphere stays
 * below, "settled" as the speed staying below 1e-5 of that of the last touch-down. */
typedef struct {
    long steps[3];             /* to 2.4 s, to 2.6 s and to the end */
    int contacts, late;        /* touch-downs, and those after bounces are below 1 mm */
    int rejoins;               /* touch-downs with the ground still pressed in */
    double low, last, settled; /* s: bounces below 1 mm; last touch-down; rest */
    double force, duration, restitution, apex; /* of the first bounce: N, s, 1, m */
    double depth, lost, residual; /* at the end: m, J dissipated, of the ledger over its scale */
} drop;

/* What is drawn of a run; NULL: not. */
typedef struct {
    paper_curve *taken, *sizes, *heights;
} drawing;

/* No step is longer than max_step. */
static drop run_drop(paper_run r, double max_step, drawing draw_to) {
    drop d = {0};
    double end = r.options.until, before = 0, touch_speed = 0, touch_time = 0;
    bool below = false;
    r.options.until = max_step;
    while (r.time < end && run_next(&r)) {
        ff_motion ball = ff_sim_body(r.sim, 0);
        double speed = ball.velocity[2], height = ball.position[2] - radius;
        if (r.time > before) {
            d.steps[r.time <= 2.4 ? 0 : r.time <= 2.6 ? 1 : 2]++;
            if (draw_to.taken) {
                curve_point(draw_to.taken, r.time, (double)(d.steps[0] + d.steps[1] + d.steps[2]));
            }
            if (draw_to.sizes) {
                curve_point(draw_to.sizes, r.time, r.time - before);
            }
        }
        if (draw_to.heights && height > 1e-6) {
            curve_point(draw_to.heights, r.time, 1e3 * height);
        }
        if (r.event && r.event->kind == FF_TOUCHDOWN) {
            touch_time = d.last = r.time;
            touch_speed = -speed;
            d.late += below;
            d.contacts++;
            d.rejoins += r.event->rejoin;
        } else if (r.event && r.event->kind == FF_LIFTOFF) {
            double apex = height + speed * speed / (2 * gravity);
            if (!below && apex < 1e-3) {
                below = true;
                d.low = touch_time;
            }
            if (d.contacts == 1) {
                d.duration = r.time - touch_time;
                d.restitution = speed / touch_speed;
                d.apex = apex;
            }
        }
        if (fabs(speed) > 1e-5 * touch_speed) {
            d.settled = r.time;
        }
        before = r.time;
        r.options.until = fmin(end, r.time + max_step);
    }
    ff_ledger l = ff_sim_ledger(r.sim);
    d.depth = ff_sim_contact(r.sim, 0).depth;
    d.lost = l.normal_damper;
    d.residual = l.residual / l.scale;
    run_close(&r);
    return d;
}

static paper_run drop_of(paper_job *job, const char *method, const char *tol, const char *other) {
    return run_scene(job, drop_file, job_text(job, "run.method=%s", method),
                     job_text(job, "run.tol=%s", tol), other, NULL);
}

static void check_motion(paper_job *job, const drop *d) {
    const char *where = "sect. II.C";
    static const char run[] =
        "an independent integration at 1e-13; the tolerance of the run is 1e-10";
    job_near(job, where, "time until bounces are lower than 1 mm", "s", d->low, 2.4, 0.05,
             "2.4 s as printed; the touch-down after which they are");
    job_near(job, where, "the same", "s", d->low, 2.3916734064292386, 1e-9, run);
    job_near(job, where, "microscopic bounces from then on", NULL, d->late, 26, 0, "twenty-six");
    job_near(job, where, "contacts in all", NULL, d->contacts, 38, 0, independent);
    job_near(job, where, "start of permanent contact", "s", d->last, 2.529867592765999, 1e-9, run);
    job_near(job, where, "time to settle after 2.4 s", "s", d->settled - 2.4, 0.2, 0.05,
             "0.2 s as printed; read as: slower than 1e-5 of the last touch-down from then on");
    job_near(job, where, "first bounce: e", NULL, d->restitution, 0.6539680997869725, 1e-9, run);
    job_near(job, where, "first bounce: contact time", "s", d->duration, 7.489480000165831e-05,
             1e-12, run);
    job_near(job, where, "first bounce: height of the apex", "m", d->apex, 0.4276450291964588, 1e-8,
             run);
    job_near(job, where, "depth at rest", "m", d->depth,
             ff_math.pow(mass * gravity / k_plate, 2.0 / 3), 1e-14, "(m g/k)^(2/3)");
    job_near(job, where, "energy that the damper has taken", "J", d->lost, 0.6600000646732188, 1e-9,
             "m g times the fall to the depth at rest, less what the spring holds");
    job_near(job, where, "residual of the energy ledger over its scale", NULL, d->residual, 0, 1e-9,
             "everything is accounted for; the tolerance of the run is 1e-10");
}

/* The frequency of small oscillations about rest, from where the speed passes through 0 upward, Hz. */
static double resonance(paper_job *job) {
    double rest = ff_math.pow(mass * gravity / k_plate, 2.0 / 3), first = NAN, last = NAN,
           before = 0;
    int cycles = -1;
    paper_run r = run_scene(
        job, drop_file, job_text(job, "bodies.ball.position=[0, 0, %.17g]", radius - 1.01 * rest),
        "run.until=6 ms", NULL);
    r.when.every = 1e-6;
    while (run_next(&r)) {
        double speed = ff_sim_body(r.sim, 0).velocity[2];
        if (before < 0 && speed >= 0) {
            last = r.time - r.when.every * speed / (speed - before);
            first = cycles++ < 0 ? last : first;
        }
        before = speed;
    }
    run_close(&r);
    return cycles / (last - first);
}

static void check_steps(paper_job *job, const drop *rule, const drop *best) {
    static const struct {
        const char *when;
        double printed, seen;
    } phases[] = {
        {"to 2.4 s", 958, 1996}, {"from 2.4 to 2.6 s", 887, 2153}, {"from 2.6 to 5 s", 255, 714}};
    for (int i = 0; i < 3; i++) {
        job_check(
            job,
            &(check){.where = "sect. II.C",
                     .quantity = job_text(job, "steps of the trapezoidal rule %s", phases[i].when),
                     .value = (double)rule->steps[i],
                     .expected = phases[i].printed,
                     .tolerance = 0.1 * phases[i].printed,
                     .why = "as printed for Simulink's ode23t at a relative tolerance of 1e-5 and "
                            "0.01 s as longest step; a tenth for where the phases end",
                     .otherwise =
                         "footfall's trapezoidal rule measures errors against scales of "
                         "the scene, not against each value, and takes about twice as many "
                         "steps; at 1e-4 it is 1075, 1141 and 710",
                     .instead = phases[i].seen,
                     .instead_within = 0.1 * phases[i].seen});
        job_most(job, "sect. II.C", job_text(job, "steps of the method auto %s", phases[i].when),
                 NULL, (double)best->steps[i], phases[i].printed, 0,
                 "no more than printed, at the same tolerance and longest step");
    }
}

void azad2014_steps(paper_job *job) {
    static const drawing nothing = {0};
    drawing rough = {.taken = job_curve(job, FF_PLOT_LINES, "trapezoidal, 1e-4")};
    drawing fine = {.taken = job_curve(job, FF_PLOT_LINES, "trapezoidal, 1e-5")};
    drawing other = {.taken = job_curve(job, FF_PLOT_LINES, "auto, 1e-5")};
    paper_curve *printed = job_curve(job, FF_PLOT_POINTS, "as printed");
    curve_point(printed, 2.4, 958);
    curve_point(printed, 2.6, 958 + 887);
    curve_point(printed, 5, 958 + 887 + 255);
    run_drop(drop_of(job, "trapezoid", "1e-4", NULL), 0.01, rough);
    drop rule = run_drop(drop_of(job, "trapezoid", "1e-5", NULL), 0.01, fine);
    drop best = run_drop(drop_of(job, "auto", "1e-5", NULL), 0.01, other);
    drop soft = run_drop(drop_of(job, "auto", "1e-5",
                                 "pairs[0].normal={law: azad-featherstone, k: 1e8, lambda: 6300}"),
                         0.01, nothing);
    drop sampled = run_drop(drop_of(job, "auto", "1e-5", NULL), 1e-3, nothing);
    const char *where = "sect. II.C";
    check_steps(job, &rule, &best);
    job_most(job, where, "soft material, k/100 and the same e: steps over those of the stiff one",
             NULL,
             (double)(soft.steps[0] + soft.steps[1]) / (double)(best.steps[0] + best.steps[1]), 1,
             0, "with softer materials it takes bigger steps; to 2.6 s");
    job_most(job, where, "longest step 1 ms, as by a controller of 1 kHz: steps over 5000", NULL,
             (double)(sampled.steps[0] + sampled.steps[1] + sampled.steps[2]) / 5000, 1.25, 0,
             "no significant reduction of efficiency; read as less than a quarter");

    job_next(job);
    drawing sizes = {.sizes = job_curve(job, FF_PLOT_LINES, NULL)};
    run_drop(drop_of(job, "trapezoid", "1e-5", NULL), 0.01, sizes);

    job_next(job);
    drawing heights = {.heights = job_curve(job, FF_PLOT_LINES, NULL)};
    drop d = run_drop(drop_of(job, "auto", "1e-10", NULL), 2e-4, heights);
    check_motion(job, &d);
    drop exact = run_drop(drop_of(job, "auto", "1e-10", "pairs[0].ground=stateful"), 0.01, nothing);
    job_near(job, "sect. II.B", "ground that recovers in time: start of permanent contact, change",
             "s", exact.last - d.last, 0, 1e-9,
             "error \"practically zero\"; tolerance of the runs");
    job_near(job, "sect. II.B", "ground that recovers in time: contacts", NULL, exact.contacts,
             d.contacts, 0, "error \"practically zero\"");
    job_most(job, "sect. II.B", "ground that recovers in time: contacts that begin before it has",
             NULL, exact.rejoins, 1, 0,
             "the exception could be the last bounce before continuous contact");
    job_check(job,
              &(check){.where = where,
                       .quantity = "resonant frequency in the limit",
                       .unit = "Hz",
                       .value = resonance(job),
                       .expected = 1400,
                       .tolerance = 50,
                       .why = "1.4 kHz as printed",
                       .otherwise = "the law has sqrt(3/2) (k/m)^(1/3) g^(1/6)/(2 pi) = 1525.3 "
                                    "Hz, damped 1524.5 Hz; the trapezoidal rule shows lower "
                                    "frequencies at long steps",
                       .instead = 1524.506922611255,
                       .instead_within = 0.5});
}
