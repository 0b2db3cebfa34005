/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "papers.h"
#include <footfall/elementary.h>
#include <math.h>

static const double pi = 3.14159265358979323846;

/* the sphere of figures 6 to 16 */
static const double mass = 0.154, radius = 0.0165, gravity = 9.81;
static const double k_normal = 8.5e6, d_normal = 3.1e3;

static const char independent[] = "an independent event-driven integration at 1e-13";

/* ---- the equations of sections 2 and 3 ---- */

/* The integral of (slope s + constant)/sqrt(z - s) over s from 0 to z. With s = z (1 - q^2) the integrand is a parabola
 * in q, for which Simpson's rule is exact. */
static double over_root(double z, double slope, double constant) {
    double at[3];
    for (int i = 0; i < 3; i++) {
        double q = 0.5 * i;
        at[i] = 2 * sqrt(z) * (slope * z * (1 - q * q) + constant);
    }
    return (at[0] + 4 * at[1] + at[2]) / 6;
}

static void equations(paper_job *job) {
    const ff_material *steel = ff_material_find("steel"), *cork = ff_material_find("cork");
    double modulus = ff_modulus(steel->E, steel->nu, cork->E, cork->nu), z = 1e-3;
    double k = ff_hertz_k(modulus, radius), per_area = modulus / (2 * pi * sqrt(radius));
    static const char rounding[] = "quadrature of the integral; rounding";
    job_near(job, "eqs 4, 7, 8, 10", "force of the distributed springs over Hertz's", NULL,
             over_root(z, 2 * pi * radius * per_area, 0) / (k * ff_math.pow(z, 1.5)), 1, 1e-14,
             rounding);
    job_near(job, "eqs 20, 23", "tangential over sqrt(z) normal stiffness, k_t/(K_n sqrt(z))", NULL,
             over_root(z, 0, 2 * pi * radius * per_area) / (k * sqrt(z)), ff_tangential_k(k) / k,
             1e-14, rounding);
    paper_run r = run_scene(job, "azad2010/rolling.yaml", NULL);
    ff_contact_facts f = ff_model_contact_facts(r.model, 0);
    job_near(job, "sect. 4", "K_t of the simulation over what eqs 10 and 23 make of its K_n", NULL,
             ff_friction_value(f.friction, "k") / ff_tangential_k(ff_normal_value(f.normal, "k")),
             1, 1e-15, "numbers as printed");
    job_near(job, "sect. 4", "D_t of the simulation over what eqs 12 and 24 make of its D_n", NULL,
             ff_friction_value(f.friction, "damping") /
                 ff_tangential_damping(ff_normal_value(f.normal, "lambda")),
             1, 1e-15, "numbers as printed");
    run_close(&r);
}

/* ---- figures 2 to 4: restitution ---- */

static void draw_restitution(paper_job *job, const ff_normal *law, double m, double v0, double v1,
                             bool logarithmic, ff_plot_style style, const char *name) {
    enum { POINTS = 201 };
    paper_curve *c = job_curve(job, style, "%s", name);
    for (size_t i = 0; i < POINTS; i++) {
        double part = (double)i / (POINTS - 1), dense = v0 + (v1 - v0) * part * part;
        /* e may be steep at low speed */
        double v = logarithmic ? log_speed(v0, v1, i, POINTS) : dense;
        curve_point(c, v, ff_impact_restitution(law, m, v));
    }
}

static void fig2(paper_job *job) {
    ff_normal ours = job_law(job, "azad-featherstone", "k", k_normal, "lambda", d_normal, NULL);
    ff_normal classical = job_law(job, "hunt-crossley", "k", k_normal, "lambda", 1.0, NULL);
    ff_normal linear = job_law(job, "linear", "k", 1.0, "lambda", 1.0, NULL);
    ff_impact one = job_impact(job, &ours, mass, 1);
    /* all three alike at 1 m/s */
    if (ff_design_damping(&classical, mass, 1, one.decay) < 0 ||
        ff_design_contact_time(&linear, mass, 1, one.decay, one.contact_time) < 0) {
        job_fail(job, "no damping makes the models alike");
    }
    draw_restitution(job, &ours, mass, 1e-3, 5, false, FF_PLOT_LINES, "new model");
    draw_restitution(job, &classical, mass, 1e-3, 5, false, FF_PLOT_LINES, "classical, eq. 2");
    draw_restitution(job, &linear, mass, 1e-3, 5, false, FF_PLOT_LINES, "linear");

    double low = 1e-9, delta = ff_impact_delta(&ours, mass, low);
    double series = 1 - 1.15344885809529 * delta + 0.798266560944795 * delta * delta;
    double change = job_impact(job, &linear, mass, 5).restitution -
                    job_impact(job, &linear, mass, 1e-3).restitution;
    job_near(job, "fig. 2, sect. 2.1", "linear model: change of e from 1 mm/s to 5 m/s", NULL,
             change, 0, 1e-12, "constant; both impacts are integrated to 1e-12");
    job_most(job, "fig. 2, sect. 2.1", "new model: greatest change of e as speed grows", NULL,
             greatest_rise(&ours, mass, 1e-3, 5), 0, 0, "e decreases with increasing velocity");
    job_most(job, "fig. 2, sect. 2.1", "classical model: greatest change of e as speed grows", NULL,
             greatest_rise(&classical, mass, 1e-3, 5), 0, 0,
             "e decreases with increasing velocity");
    job_near(job, "sect. 2.1", "new model: e at 1 nm/s", NULL,
             ff_impact_restitution(&ours, mass, low), series, 0.5 * ff_math.pow(delta, 2.5),
             "e tends to unity: series in delta, whose next term is (4/15) delta^2.5");
    job_near(job, "sect. 2.1", "classical model: e at 1 nm/s", NULL,
             ff_impact_restitution(&classical, mass, low), 1, 1e-8,
             "e tends to unity: 1 - (2/3) (lambda/k) v");
}

enum { FIT_SPEEDS = 9 };
static const double fit_speeds[FIT_SPEEDS] = {1e-3, 3e-3, 1e-2, 3e-2, 0.1, 0.3, 1, 3, 10};

/* how far e is from the straight line over log v that fits it best, at the most */
static double deviation(const ff_normal *law, double m) {
    double sx = 0, sy = 0, sxx = 0, sxy = 0, most = 0;
    for (int i = 0; i < FIT_SPEEDS; i++) {
        double x = ff_math.log10(fit_speeds[i]), y = ff_impact_restitution(law, m, fit_speeds[i]);
        sx += x, sy += y, sxx += x * x, sxy += x * y;
    }
    double slope = (FIT_SPEEDS * sxy - sx * sy) / (FIT_SPEEDS * sxx - sx * sx);
    double mean = (sy - slope * sx) / FIT_SPEEDS;
    for (int i = 0; i < FIT_SPEEDS; i++) {
        double e = ff_impact_restitution(law, m, fit_speeds[i]);
        most = fmax(most, fabs(e - mean - slope * ff_math.log10(fit_speeds[i])));
    }
    return most;
}

static void fig3(paper_job *job) {
    static const double dampings[] = {2e4, 5e4, 1e5, 2e5, 5e5};
    static const double classical[] = {1e9, 1e10, 1e11};
    const double m = 0.066, k = 1e10;
    double bent = 0;
    for (size_t i = 0; i < sizeof dampings / sizeof *dampings; i++) {
        ff_normal law = job_law(job, "azad-featherstone", "k", k, "lambda", dampings[i], NULL);
        draw_restitution(job, &law, m, 1e-3, 10, true, FF_PLOT_LINES,
                         job_text(job, "new, %.0e", dampings[i]));
    }
    for (size_t i = 0; i < sizeof classical / sizeof *classical; i++) {
        ff_normal law = job_law(job, "hunt-crossley", "k", k, "lambda", classical[i], NULL);
        draw_restitution(job, &law, m, 1e-3, 10, true, FF_PLOT_DOTTED,
                         job_text(job, "classical, %.0e", classical[i]));
        bent = fmax(bent, deviation(&law, m));
    }
    ff_normal law = job_law(job, "azad-featherstone", "k", k, "lambda", 1e5, NULL);
    double off = deviation(&law, m);
    job_check(job, &(check){.where = "fig. 3, sect. 2.1",
                            .quantity = "greatest distance of e from a straight line over log v, "
                                        "1 mm/s to 10 m/s",
                            .value = off,
                            .expected = 0,
                            .tolerance = 0.005,
                            .why = "\"a linear relation\"; half the width of a line in a figure "
                                   "that shows e from 0 to 1",
                            .otherwise = "The curve is almost straight: it bends by 0.03 over four "
                                         "decades. The paper of 2014 says \"almost linear\".",
                            .instead = 0.028180492609389707,
                            .instead_within = 1e-11});
    job_least(job, "fig. 3, sect. 2.1",
              "distance of the classical model from a straight line over that of the new one", NULL,
              bent / off, 3, 0, "\"in contrast with curves\": several times as far");
}

static void fig4(paper_job *job) {
    const ff_material *steel = ff_material_find("steel");
    const struct {
        const char *name, *plate;
        double radius, k, time; /* lambda = time k */
    } cases[] = {
        {"A: steel on cast iron", "cast-iron", 0.0127, NAN, 1e-5},
        {"B: steel on cork", NULL, 0.0165, 8.5e6, 3.1e3 / 8.5e6},
        {"C: steel on brass", "brass", 0.0127, NAN, 2e-5},
        {"D: steel on lead", "lead", 0.0127, NAN, 1e-4},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double k = cases[i].k, m = mass;
        if (cases[i].plate) {
            const ff_material *plate = ff_material_find(cases[i].plate);
            k = ff_hertz_k(ff_modulus(steel->E, steel->nu, plate->E, plate->nu), cases[i].radius);
            m = steel->density * 4 / 3 * pi * ff_math.pow(cases[i].radius, 3);
        }
        ff_normal law =
            job_law(job, "azad-featherstone", "k", k, "lambda", k * cases[i].time, NULL);
        draw_restitution(job, &law, m, 0.1, 10, true, FF_PLOT_LINES, cases[i].name);
    }
}

/* ---- figures 6 and 7: one impact ---- */

/* What the run of one impact brings. */
typedef struct {
    double max_force, end_depth, restitution, area;
} loop;

/* Force against depth of the run of impact.yaml, and the area within by the trapezoidal rule. */
static loop draw_loop(paper_job *job, const char *normal) {
    loop l = {0};
    paper_run r = run_scene(job, "azad2010/impact.yaml", normal, NULL);
    paper_curve *c = job_curve(job, FF_PLOT_LINES, NULL);
    double depth = 0, force = 0;
    r.when.every = 1e-6;
    while (run_next(&r)) {
        ff_contact_record now = ff_sim_contact(r.sim, 0);
        if (r.event && r.event->kind == FF_LIFTOFF) {
            l.end_depth = now.depth;
        }
        if (now.depth >= 0) {
            curve_point(c, 1e3 * now.depth, now.force[2]);
            l.area += 0.5 * (now.force[2] + force) * (now.depth - depth);
            depth = now.depth;
            force = now.force[2];
        }
        l.max_force = fmax(l.max_force, now.force[2]);
    }
    l.restitution = ff_sim_body(r.sim, 0).velocity[2];
    run_close(&r);
    return l;
}

static void check_loop(paper_job *job, const char *where, const loop *l, double e, double force,
                       double lost) {
    job_near(job, where, "coefficient of restitution", NULL, l->restitution, e, 1e-10,
             job_text(job, "%s; the tolerance of the run is 1e-12", independent));
    job_near(job, where, "peak force", "N", l->max_force, force, 3e-6 * force,
             job_text(job, "%s; the run is sampled each us: 3e-6 of the peak", independent));
    job_near(
        job, where, "area within the loop: the energy lost", "J", l->area, lost, 1e-6,
        "energy of the motion that is lost; the trapezoidal rule misses 0.21 lambda (v dt)^1.5 "
        "= 6.4e-7 J where the force begins as a root");
}

static void fig6(paper_job *job) {
    loop l =
        draw_loop(job, "pairs[0].normal={law: hunt-crossley, n: 1.5, k: 8.5e6, lambda: 3.1e6}");
    check_loop(job, "fig. 6", &l, 0.8036671225184596, 201.98947712194357, 0.02726717502608324);
    job_near(job, "fig. 6", "classical model: depth at which the force ends", "m", l.end_depth, 0,
             1e-11, "F > 0 until z = 0 for p = n; the tolerance of the run, 1e-12 of a radius");
}

static void fig7(paper_job *job) {
    loop l = draw_loop(job, "pairs[0].normal.k=8.5e6");
    check_loop(job, "fig. 7", &l, 0.620290784160815, 178.27430926916782, 0.047373429417557414);
    job_near(job, "fig. 7: the force reaches zero before z", "depth at which the force ends", "m",
             l.end_depth, 0.00022622369775276733, 1e-12,
             job_text(job, "%s; the run's own is 1e-12", independent));
}

/* ---- figures 8 to 11: the bouncing sphere ---- */

static void fig8(paper_job *job) {
    paper_run r = run_scene(job, "azad2010/bounce.yaml", NULL);
    paper_curve *c = job_curve(job, FF_PLOT_LINES, NULL);
    size_t landings = 0, liftoffs = 0, rejoins = 0;
    double first = NAN, last = NAN, apex = NAN;
    r.when.every = 2e-4;
    while (run_next(&r)) {
        ff_motion ball = ff_sim_body(r.sim, 0);
        curve_point(c, r.time, 100 * (ball.position[2] - radius));
        if (r.event && r.event->kind == FF_TOUCHDOWN) {
            first = landings++ == 0 ? r.time : first;
            last = r.time;
            rejoins += r.event->rejoin;
        }
        liftoffs += r.event && r.event->kind == FF_LIFTOFF;
        if (r.event && r.event->kind == FF_CLEAR && isnan(apex)) {
            apex = ball.velocity[2] * ball.velocity[2] / (2 * gravity);
        }
    }
    const char *why = job_text(job, "%s; the tolerance of the run is 1e-10", independent);
    job_near(job, "fig. 8", "first touch-down", "s", first, sqrt(2 * 0.1 / gravity), 1e-12,
             "free fall from 10 cm");
    job_near(job, "fig. 8", "height of the first bounce", "m", apex, 0.03578281771406588, 1e-10,
             why);
    job_near(job, "fig. 8", "landings within 1 s", NULL, (double)landings, 10, 0, independent);
    job_near(job, "fig. 8", "start of permanent contact", "s", last, 0.6454600908627969, 1e-8, why);
    job_near(job, "fig. 8", "depth at rest", "m", radius - ff_sim_body(r.sim, 0).position[2],
             ff_math.pow(mass * gravity / k_normal, 2.0 / 3.0), 1e-11,
             "(m g/K_n)^(2/3); it still settles");
    job_near(job, "sect. 2.1: with gravity slow impacts do not bounce",
             "landings without a lift-off", NULL, (double)(landings - liftoffs), 1, 0,
             "the last one, at 23 mm/s");
    job_near(job, "sect. 2.2, fig. 5: wrong where the ground has not recovered",
             "landings before the ground has recovered", NULL, (double)rejoins, 0, 0,
             "the modification of eq. 14 introduces no error into this run");
    run_close(&r);
}

static void fig9(paper_job *job) {
    paper_run r = run_scene(job, "azad2010/bounce.yaml", NULL);
    paper_curve *c = job_curve(job, FF_PLOT_LINES, NULL);
    r.when.every = 2e-5;
    while (run_next(&r)) {
        curve_point(c, r.time, ff_sim_contact(r.sim, 0).force[2]);
    }
    job_near(job, "fig. 9", "force at 1 s", "N", ff_sim_contact(r.sim, 0).force[2], mass * gravity,
             1e-6, "the weight; the last oscillation has died out to 1e-9 of it");
    run_close(&r);
}

static void fig10(paper_job *job) {
    paper_run r =
        run_scene(job, "azad2010/bounce.yaml", "run.until=0.146 s", "run.tol=1e-11", NULL);
    paper_curve *c = job_curve(job, FF_PLOT_LINES, NULL);
    double began = NAN, ended = NAN, at_begin = NAN, at_end = NAN, peak = 0, least = INFINITY;
    double end_depth = NAN, before = NAN, slope = NAN;
    const double dt = 1e-6;
    r.when.every = dt;
    while (run_next(&r)) {
        ff_contact_record now = ff_sim_contact(r.sim, 0);
        double force = now.force[2];
        if (r.event && r.event->kind == FF_TOUCHDOWN) {
            began = r.time;
            at_begin = force;
        } else if (r.event && r.event->kind == FF_LIFTOFF) {
            ended = r.time;
            at_end = force;
            end_depth = now.depth;
            /* from the sample before, less than 1 us ago */
            slope = (force - before) / (r.time - dt * floor(r.time / dt));
        }
        if (r.time > 0.1425) {
            curve_point(c, 1e3 * (r.time - sqrt(2 * 0.1 / gravity)), force);
        }
        before = force;
        peak = fmax(peak, force);
        least = fmin(least, force);
    }
    /* dF/dt where F ends: z' = -(K/D) z there, z'' = g */
    double kink = -k_normal * k_normal / d_normal * ff_math.pow(end_depth, 1.5) +
                  d_normal * sqrt(end_depth) * gravity;
    job_near(job, "fig. 10", "peak force of the first bounce", "N", peak, 266.61691296401614, 1e-3,
             job_text(job, "%s; sampled each us: 4e-6 of the peak", independent));
    job_near(job, "fig. 10", "duration of the first contact", "s", ended - began,
             0.0022205600241712344, 1e-12, independent);
    job_near(job, "fig. 10: starts from zero", "force at touch-down", "N", at_begin, 0, 4e-5,
             "rounding of the time, 2.8e-17 s, is a depth z of 3.9e-17 m, and D_n sqrt(z) z' there "
             "2.7e-5 N");
    job_near(job, "fig. 10: comes back to zero", "force at lift-off", "N", at_end, 0, 1e-6,
             "the event is located");
    job_least(job, "fig. 10: not sticky", "least force", "N", least, 0, 0, "eq. 14");
    job_check(job, &(check){.where = "fig. 10: comes back to zero smoothly",
                            .quantity = "slope of the force where it ends",
                            .unit = "N/s",
                            .value = slope,
                            .expected = 0,
                            .tolerance = 0.01 * peak / (ended - began),
                            .why = "smooth: no kink; 1 % of the peak over the duration",
                            .otherwise = "The force ends with a kink: its slope there is as great "
                                         "as the peak over the duration, K_n sqrt(z) z' + D_n "
                                         "sqrt(z) g.",
                            .instead = kink,
                            .instead_within = 0.01 * fabs(kink)});
    run_close(&r);
}

static double largest(double a, double b) { return fabs(b) > fabs(a) ? fabs(b) : fabs(a); }

static void fig11(paper_job *job) {
    paper_run r = run_scene(job, "azad2010/bounce.yaml", NULL);
    paper_curve *total = job_curve(job, FF_PLOT_LINES, "total");
    paper_curve *body = job_curve(job, FF_PLOT_LINES, "body");
    paper_curve *damper = job_curve(job, FF_PLOT_LINES, "damper");
    paper_curve *spring = job_curve(job, FF_PLOT_LINES, "spring");
    double worst = 0, datum = mass * gravity * radius, others = 0;
    r.when.every = 1e-4;
    while (run_next(&r)) {
        ff_ledger l = ff_sim_ledger(r.sim);
        double now = l.kinetic + l.gravity - datum;
        curve_point(total, r.time, now + l.normal_spring + l.normal_damper);
        curve_point(body, r.time, now);
        curve_point(damper, r.time, l.normal_damper);
        curve_point(spring, r.time, l.normal_spring);
        worst = largest(worst, l.residual / (l.initial - datum));
        others = largest(others, l.dampers + l.tangential_damper + l.slip + l.viscous + l.regrade +
                                     l.created + l.release);
    }
    ff_ledger l = ff_sim_ledger(r.sim);
    job_near(job, "eq. 15, fig. 11: the total is constant",
             "greatest change of the total over its start", NULL, worst, 0, 1e-9,
             "the accounts are integrated apart from the motion, with a tolerance of 1e-10");
    job_near(job, "eq. 16, fig. 11", "dissipated by the damper at 1 s", "J", l.normal_damper,
             0.15110265419290228, 1e-9 * l.initial, independent);
    job_near(job, "eq. 17, fig. 11", "stored in the spring at 1 s", "J", l.normal_spring,
             0.4 * k_normal * ff_math.pow(ff_math.pow(mass * gravity / k_normal, 2.0 / 3.0), 2.5),
             1e-11, "(2/5) K_n z^2.5 at rest");
    job_near(job, "sect. 2.3: the only dissipative component is the damper",
             "energy that any other component takes", "J", others, 0, 0, "there is none");
    run_close(&r);
}

/* ---- figures 13 to 16: the rolling sphere ---- */

/* the velocity of the sphere's lowest point along x */
static double contact_velocity(const ff_motion *ball) {
    return ball->velocity[0] - radius * ball->omega[1];
}

static void fig13(paper_job *job) {
    paper_run r = run_scene(job, "azad2010/rolling.yaml", NULL);
    paper_curve *c = job_curve(job, FF_PLOT_LINES, NULL);
    double apart = 0;
    r.when.every = 2e-5;
    while (run_next(&r)) {
        ff_contact_record now = ff_sim_contact(r.sim, 0);
        curve_point(c, r.time, now.force[0]);
        apart = largest(apart, now.force[0] - now.force[1]);
    }
    job_near(job, "fig. 13: friction in x and y is the same", "greatest difference", "N", apart, 0,
             1e-9, "symmetry of the start; rounding, 1e-11 of the peak");
    run_close(&r);
}

static void fig14(paper_job *job) {
    paper_run r =
        run_scene(job, "azad2010/rolling.yaml", "run.until=0.1337 s", "run.tol=1e-11", NULL);
    static const ff_event_kind order[] = {FF_TOUCHDOWN, FF_STICK, FF_SLIP, FF_LIFTOFF, FF_CLEAR};
    paper_curve *slips = job_curve(job, FF_PLOT_LINES, "slips"),
                *sticks = job_curve(job, FF_PLOT_LINES, "sticks");
    double at[5] = {NAN, NAN, NAN, NAN, NAN}, peak = 0, jump = 0, normal = 0, normal_at_stick = NAN;
    ff_contact_record before = {0};
    double began = sqrt(2 * (0.1 - radius) / gravity);
    size_t seen = 0;
    bool in_order = true;
    const double dt = 1e-6;
    r.when.every = dt;
    while (run_next(&r)) {
        ff_contact_record now = ff_sim_contact(r.sim, 0);
        if (r.event) {
            in_order = in_order && seen < 5 && r.event->kind == order[seen];
            if (seen < 5) {
                at[seen++] = r.time;
            }
            normal_at_stick = r.event->kind == FF_STICK ? now.force[2] : normal_at_stick;
        }
        if (r.time > 0.1302) {
            bool sticking = seen == 2;
            /* both curves have the points where one becomes the other */
            if (!sticking || r.event) {
                curve_point(slips, 1e3 * (r.time - began), now.force[0]);
            }
            if (r.event && r.event->kind == FF_STICK) {
                curve_gap(slips);
            }
            if (sticking || (r.event && r.event->kind == FF_SLIP)) {
                curve_point(sticks, 1e3 * (r.time - began), now.force[0]);
            }
        }
        jump = largest(jump, now.force[0] - before.force[0]);
        before = now;
        peak = largest(peak, now.force[0]);
        normal = fmax(normal, now.force[2]);
    }
    const char *why = job_text(job, "%s; events are located", independent);
    job_holds(job, "fig. 14: slips, sticks, slips again",
              "the first contact is touch-down slipping, stick, slip, lift-off, clear",
              in_order && seen == 5, "events of the run, in order");
    job_near(job, "fig. 14", "duration of the first slip", "s", at[1] - at[0],
             0.0009337316296797182, 1e-11, why);
    job_near(job, "fig. 14", "duration of the stick", "s", at[2] - at[1], 0.0008603408017836267,
             1e-11, why);
    job_near(job, "fig. 14", "duration of the second slip", "s", at[3] - at[2],
             0.0004709018119057051, 1e-11, why);
    job_near(job, "eq. 14", "time from lift-off to where the ground has recovered", "s",
             at[4] - at[3], 0.0003655516279008897, 1e-11, why);
    job_most(job, "fig. 14: the sphere sticks for less than 1 ms", "duration of the stick", "s",
             at[2] - at[1], 1e-3, 0, "the sentence");
    job_least(job, "fig. 14: sticks as the normal force approaches its maximum",
              "normal force where it begins to stick, over its peak", NULL,
              normal_at_stick / normal, 0.9, 0, "close to 1");
    job_near(job, "fig. 14", "peak of friction in x", "N", peak, 33.93538189548365, 3e-4,
             job_text(job, "%s; sampled each us: 1e-5 of the peak", independent));
    job_most(
        job, "fig. 14: friction is completely continuous",
        "greatest change of friction within 1 us", "N", jump, 1, 0,
        "the steepest part, at touch-down, is mu D_n z' sqrt(z'/2)/sqrt(t): 0.5 N in the first "
        "us; a jump does not become less with the time");
    run_close(&r);
}

static void fig15(paper_job *job) {
    paper_run r = run_scene(job, "azad2010/rolling.yaml", NULL);
    paper_curve *x = job_curve(job, FF_PLOT_LINES, "centre");
    paper_curve *v = job_curve(job, FF_PLOT_LINES, "contact point");
    double most = 0, least = INFINITY, rolls = NAN;
    r.when.every = 1e-4;
    while (run_next(&r)) {
        ff_motion ball = ff_sim_body(r.sim, 0);
        curve_point(x, r.time, ball.position[0]);
        curve_point(v, r.time, contact_velocity(&ball));
        if (r.time >= 0.5) {
            most = largest(most, contact_velocity(&ball));
            least = fmin(least, ball.velocity[0]);
        }
        rolls = r.event && r.event->kind == FF_TOUCHDOWN ? r.time : rolls;
    }
    ff_motion ball = ff_sim_body(r.sim, 0);
    job_most(job, "fig. 15: after 0.5 s the velocity is zero",
             "greatest velocity of the contact point from 0.5 s on", "m/s", most, 1e-3, 0,
             "zero in the figure: a line of 1/500 of its height");
    job_least(job, "fig. 15: the position is still increasing",
              "least velocity of the centre from 0.5 s on", "m/s", least, 0.35, 0,
              "it rolls: near 5/7 of 0.5 m/s");
    job_near(job, "fig. 15: rolling", "velocity of the centre at 1 s", "m/s", ball.velocity[0],
             5.0 / 14.0, 1e-9,
             "5/7 of 0.5 m/s: the angular momentum about the contact point stays");
    job_near(job, "fig. 15", "position of the centre at 1 s", "m", ball.position[0],
             0.37404124206996586, 1e-9,
             job_text(job, "%s; tolerance of the run 1e-10", independent));
    job_check(job,
              &(check){.where = "fig. 15: after 0.5 s the sphere is rolling on the ground",
                       .quantity = "from when on it is on the ground",
                       .unit = "s",
                       .relation = CHECK_AT_MOST,
                       .value = rolls,
                       .expected = 0.5,
                       .why = "the sentence",
                       .otherwise = "It still bounces, too low for the figure to show: it lifts "
                                    "off for the ninth and last time at 0.595 s.",
                       .instead = 0.599144694612701,
                       .instead_within = 1e-8});
    run_close(&r);
}

static void fig16(paper_job *job) {
    paper_run r = run_scene(job, "azad2010/rolling.yaml", NULL);
    paper_curve *total = job_curve(job, FF_PLOT_LINES, "total");
    paper_curve *body = job_curve(job, FF_PLOT_LINES, "body");
    paper_curve *damped = job_curve(job, FF_PLOT_LINES, "damped");
    paper_curve *stored = job_curve(job, FF_PLOT_LINES, "stored");
    paper_curve *made = job_curve(job, FF_PLOT_LINES, "made by friction");
    double worst = 0, datum = mass * gravity * radius, after = NAN;
    r.when.every = 1e-4;
    while (run_next(&r)) {
        ff_ledger l = ff_sim_ledger(r.sim);
        double now = l.kinetic + l.gravity - datum;
        double lost = l.normal_damper + l.tangential_damper + l.slip + l.viscous;
        curve_point(total, r.time, l.initial - datum - l.residual);
        curve_point(body, r.time, now);
        curve_point(damped, r.time, lost);
        curve_point(stored, r.time, l.normal_spring + l.tangential_spring);
        curve_point(made, r.time, -(l.regrade + l.created));
        worst = largest(worst, l.residual / (l.initial - datum));
        if (r.event && r.event->kind == FF_CLEAR && isnan(after)) {
            after = -(l.regrade + l.created);
        }
    }
    ff_ledger l = ff_sim_ledger(r.sim);
    double dissipated = l.normal_damper + l.tangential_damper + l.slip + l.viscous;
    double sum = l.kinetic + l.gravity + l.normal_spring + l.tangential_spring + dissipated;
    job_near(
        job, "fig. 16: the total is constant", "greatest change of the total over its start", NULL,
        worst, 0, 1e-9,
        "with what the friction model makes; accounts are integrated with a tolerance of 1e-10");
    job_check(job, &(check){.where = "eq. 15 with eqs 28, 29, 33",
                            .quantity = "what dissipated, springs and body together gain in 1 s",
                            .unit = "J",
                            .value = sum - l.initial,
                            .expected = 0,
                            .tolerance = 1e-9,
                            .why = "constant; the ledger of the run is good to 1e-11 J",
                            .otherwise =
                                "The friction model is not passive: K_t sqrt(z) grows while u is "
                                "not 0 and the normal force has no term for it. 0.41 % of the "
                                "energy comes from nowhere; eq. 33, an integral over the path, "
                                "hides it as a spring with negative energy.",
                            .instead = 0.0006700956153654694,
                            .instead_within = 1e-9});
    job_near(job, "eq. 33", "made by the friction model in the first bounce", "J", after,
             0.0006520178724289117, 1e-9, independent);
    job_near(job, "eq. 16", "normal damper at 1 s", "J", l.normal_damper, 0.12617544419290289, 1e-9,
             independent);
    job_near(job, "eq. 28", "tangential damper at 1 s", "J", l.tangential_damper,
             0.0036369877386953015, 1e-9, independent);
    job_check(job, &(check){.where = "eq. 29: the energy that the clutch dissipates",
                            .quantity = "integral of F_f . V_clutch, with the sign as printed",
                            .unit = "J",
                            .relation = CHECK_AT_LEAST,
                            .value = -(l.slip + l.viscous),
                            .expected = 0,
                            .why = "what is dissipated is not negative",
                            .otherwise = "F_f acts on the sphere, against V_clutch: the sign of "
                                         "eq. 29 has to be the other one.",
                            .instead = -0.008033107876670244,
                            .instead_within = 1e-9});
    run_close(&r);
}

static const char deformation[] = "ground deformation (mm)", normal_force[] = "normal force (N)";

static const paper_figure figures[] = {
    {.id = "equations",
     .title = "From distributed springs and dampers to the force",
     .make = equations},
    {.id = "fig2",
     .title = "Restitution against impact velocity, three models",
     .caption =
         "The linear model has one restitution for all velocities; that of the others falls.",
     .chosen =
         "The paper prints no parameters. The new model has those of figure 7; the others have "
         "the same restitution at 1 m/s, the linear one the same contact time, too.",
     .x_label = "impact velocity (m/s)",
     .y_label = "coefficient of restitution",
     .make = fig2},
    {.id = "fig3",
     .title = "Restitution against the logarithm of impact velocity",
     .caption = "Nearly straight lines for the new model, curves for the classical one.",
     .chosen =
         "The paper prints no parameters: 66 g and 1e10 N/m^1.5, as in the paper of 2014. "
         "The numbers in the legend are damping coefficients, N s/m^1.5 for the new model and "
         "N s/m^2.5 for the classical one.",
     .x_label = "impact velocity (m/s)",
     .y_label = "coefficient of restitution",
     .x_log = true,
     .make = fig3},
    {.id = "fig4",
     .title = "Restitution against velocity, four pairs of materials",
     .caption = "Model curves only: the measured ones are not printed as numbers.",
     .chosen =
         "Fitted parameters are not printed. B: K_n and D_n of figures 6 to 16, whose sphere is "
         "that of B. The others: K_n by eqs 9 and 10 from tables of moduli, D_n/K_n = 10 us (A; "
         "that of the paper of 2014), 20 us (C) and 100 us (D).",
     .x_label = "impact velocity (m/s)",
     .y_label = "coefficient of restitution",
     .x_log = true,
     .make = fig4},
    {.id = "fig6",
     .title = "Contact force against ground deformation, classical model",
     .x_label = deformation,
     .y_label = normal_force,
     .make = fig6},
    {.id = "fig7",
     .title = "Contact force against ground deformation, new model",
     .caption = "The force ends before the ground is back at zero.",
     .x_label = deformation,
     .y_label = normal_force,
     .make = fig7},
    {.id = "fig8",
     .title = "Height of a bouncing sphere",
     .caption = "Of its lowest point, dropped from 10 cm.",
     .x_label = "time (s)",
     .y_label = "height of the lowest point (cm)",
     .make = fig8},
    {.id = "fig9",
     .title = "Normal force on a bouncing sphere",
     .x_label = "time (s)",
     .y_label = normal_force,
     .make = fig9},
    {.id = "fig10",
     .title = "Normal force at the first bounce",
     .caption = "It begins as a root of time and ends with a kink.",
     .x_label = "time since touch-down (ms)",
     .y_label = normal_force,
     .make = fig10},
    {.id = "fig11",
     .title = "Energy of a bouncing sphere",
     .caption = "Heights are measured from where the sphere touches the ground.",
     .x_label = "time (s)",
     .y_label = "energy (J)",
     .make = fig11},
    {.id = "fig13",
     .title = "Friction in x on a rolling sphere",
     .x_label = "time (s)",
     .y_label = "friction in x (N)",
     .make = fig13},
    {.id = "fig14",
     .title = "Friction in x at the first bounce",
     .caption = "It slips, sticks for 0.86 ms, and slips again.",
     .x_label = "time since touch-down (ms)",
     .y_label = "friction in x (N)",
     .make = fig14},
    {.id = "fig15",
     .title = "Position of the centre, velocity of the contact point, in x",
     .x_label = "time (s)",
     .y_label = "position (m), velocity (m/s)",
     .make = fig15},
    {.id = "fig16",
     .title = "Energy of a rolling sphere",
     .caption = "The total is constant if what the friction model makes is taken off: 0.67 mJ.",
     .x_label = "time (s)",
     .y_label = "energy (J)",
     .make = fig16},
};

const paper paper_azad2010 = {
    .name = "azad2010",
    .title = "Azad and Featherstone 2010: Modeling the contact between a rolling sphere and a "
             "compliant ground plane",
    .figures = figures,
    .figure_count = sizeof figures / sizeof *figures,
};
