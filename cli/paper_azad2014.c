/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "paper_azad2014.h"
#include <footfall/elementary.h>
#include <math.h>

/* Of restitutions, and of durations relatively, in runs of one bounce at a tolerance of 1e-13. */
static const double run_error = 1e-9;
static const char run_error_why[] = "theory of one impact; the position of the centre is rounded "
                                    "to 2e-18 m, at 1 mm/s 2e-11 of the "
                                    "depth in each of some hundred steps";

static const double lambda_plate = 1e5;

/* ---- restitution over speed ---- */

/* The bounce of the sphere that meets the plate at this speed, in a run with events, as the paper has it. */
typedef struct {
    double restitution, duration; /* 0 where the contact did not end */
} bounce;

static bounce run_bounce(paper_job *job, const ff_normal *law, double speed, double weight) {
    bounce b = {0};
    ff_impact theory = job_impact(job, law, mass, speed);
    ff_power power;
    ff_normal_power(law, speed, &power);
    paper_run r = run_scene(
        job, drop_file, job_text(job, "gravity=[0, 0, %.17g]", -weight),
        job_text(job,
                 "bodies.ball={mass: 66 g, shape: {sphere: {radius: 1.27 cm}}, position: "
                 "[0, 0, 1.27 cm], velocity: [0, 0, %.17g]}",
                 -speed),
        job_text(job, "pairs[0].normal={law: general, k: %.17g, lambda: %.17g, n: %.17g, p: %.17g}",
                 power.k, power.lambda, power.n, power.p),
        job_text(job, "run.until=%.17g", 3 * theory.contact_time), "run.tol=1e-13", NULL);
    while (run_next(&r)) {
        if (r.event && r.event->kind == FF_LIFTOFF) {
            b = (bounce){ff_sim_body(r.sim, 0).velocity[2] / speed, r.time};
        }
    }
    run_close(&r);
    return b;
}

static paper_curve *draw(paper_job *job, const ff_normal *law, double m, double v0, double v1,
                         ff_plot_style style, const char *name) {
    enum { POINTS = 241 };
    paper_curve *c = job_curve(job, style, name ? "%s" : NULL, name);
    for (size_t i = 0; i < POINTS; i++) {
        double v = log_speed(v0, v1, i, POINTS);
        curve_point(c, v, ff_impact_restitution(law, m, v));
    }
    return c;
}

typedef struct {
    double slope, level, worst; /* per decade; at 1 m/s; greatest distance from the line */
} straight;

/* The straight line over log10 v that is nearest to e at these speeds. */
static straight fit_line(const ff_normal *law, double m, const double *speeds, size_t count) {
    double n = (double)count, sx = 0, sy = 0, sxx = 0, sxy = 0;
    straight s = {0};
    for (size_t i = 0; i < count; i++) {
        double x = ff_math.log10(speeds[i]), y = ff_impact_restitution(law, m, speeds[i]);
        sx += x, sy += y, sxx += x * x, sxy += x * y;
    }
    s.slope = (n * sxy - sx * sy) / (n * sxx - sx * sx);
    s.level = (sy - s.slope * sx) / n;
    for (size_t i = 0; i < count; i++) {
        double line = s.level + s.slope * ff_math.log10(speeds[i]);
        s.worst = fmax(s.worst, fabs(ff_impact_restitution(law, m, speeds[i]) - line));
    }
    return s;
}

/* A law that has the restitution of `like` at 1 m/s. */
static ff_normal as_lossy(paper_job *job, const char *name, double k, const ff_normal *like,
                          double m) {
    ff_normal law = job_law(job, name, "k", k, "lambda", 1.0, NULL);
    if (ff_design_damping(&law, m, 1, ff_impact_decay(like, m, 1)) < 0) {
        job_fail(job, "%s: no damping has this restitution", name);
    }
    return law;
}

static ff_normal plate(paper_job *job) {
    return job_law(job, "azad-featherstone", "k", k_plate, "lambda", lambda_plate, NULL);
}

/* A law with so many times its stiffness and damping. */
static ff_normal scaled(const ff_normal *law, double k, double lambda) {
    ff_normal out = *law;
    ff_power power;
    ff_normal_power(law, 1, &power);
    ff_normal_set_power(&out, k * power.k, lambda * power.lambda, lambda * power.lambda_out);
    return out;
}

/* The slope of ln(1 - e) over ln v where losses are small. */
static double small_exponent(paper_job *job, const ff_normal *law) {
    ff_normal weak = scaled(law, 1, 1e-4);
    return ff_math.log2(job_impact(job, &weak, mass, 1).loss /
                        job_impact(job, &weak, mass, 0.5).loss);
}

/* The least speed at which the sphere bounces in spite of its weight. */
static double least_bounce(paper_job *job) {
    ff_normal law = plate(job);
    double least = 1e-4, most = 1e-2;
    for (int i = 0; i < 30; i++) {
        double v = sqrt(least * most);
        *(run_bounce(job, &law, v, gravity).restitution > 0 ? &most : &least) = v;
    }
    return most;
}

static void fig3(paper_job *job) {
    ff_normal ours = plate(job), classical = as_lossy(job, "hunt-crossley", k_plate, &ours, mass);
    ff_normal linear = as_lossy(job, "linear", 1e8, &ours, mass);
    ff_normal middle = as_lossy(job, "lee-wang", k_plate, &ours, mass);
    draw(job, &ours, mass, 1e-3, 5, FF_PLOT_LINES, "new model, eq. 8");
    draw(job, &classical, mass, 1e-3, 5, FF_PLOT_LINES, "Hunt and Crossley, eq. 2");
    draw(job, &linear, mass, 1e-3, 5, FF_PLOT_LINES, "linear");

    const char *where = "fig. 3, sect. III";
    job_near(job, where, "linear model: change of e from 1 mm/s to 5 m/s", NULL,
             run_bounce(job, &linear, 5, 0).restitution -
                 run_bounce(job, &linear, 1e-3, 0).restitution,
             0, run_error, "constant; see the simulated bounces of fig. 4 for the tolerance");
    job_most(job, where, "new model: greatest change of e as speed grows", NULL,
             greatest_rise(&ours, mass, 1e-3, 5), 0, 0, "decreases with increasing velocity");
    job_most(job, where, "Hunt and Crossley: greatest change of e as speed grows", NULL,
             greatest_rise(&classical, mass, 1e-3, 5), 0, 0, "decreases with increasing velocity");
    static const char power[] = "shapes differ: 1 - e grows as v^((2p + 1 - n)/(n + 1)) where "
                                "losses are small; the next term is in proportion to the loss";
    job_near(job, where, "new model: exponent of v in 1 - e", NULL, small_exponent(job, &ours), 0.2,
             5e-6, power);
    job_near(job, where, "Hunt and Crossley: exponent of v in 1 - e", NULL,
             small_exponent(job, &classical), 1, 5e-5, power);
    job_near(job, "sect. I", "Lee and Wang (p = 1): exponent of v in 1 - e", NULL,
             small_exponent(job, &middle), 0.6, 2e-5, power);
    job_near(job, "sect. III", "least speed that results in a bounce under gravity", "m/s",
             least_bounce(job), 0.5 * (0.0008456266054235624 + 0.0013719170062735785),
             0.5 * (0.0013719170062735785 - 0.0008456266054235624),
             "a threshold exists; of the drop the 37th touch-down bounces and the 38th does not");
}

/* ---- figure 4 and the one-parameter families ---- */

enum { SPEEDS = 9 };
static const double speeds[SPEEDS] = {1e-3, 3e-3, 1e-2, 3e-2, 0.1, 0.3, 1, 3, 10};

/* (a^-2.5 k, a^-power lambda) for a of 0.1, 0.5, 2 and 10: how far e is from that of (k, lambda), and the duration over
 * a times its own from 1, at the most. */
static bounce rescale(paper_job *job, const ff_normal *law, double power) {
    static const double factors[] = {0.1, 0.5, 2, 10};
    bounce one = run_bounce(job, law, 1, 0), most = {0};
    for (size_t i = 0; i < 4; i++) {
        double a = factors[i];
        ff_normal other = scaled(law, ff_math.pow(a, -2.5), ff_math.pow(a, -power));
        bounce b = run_bounce(job, &other, 1, 0);
        most.restitution = fmax(most.restitution, fabs(b.restitution - one.restitution));
        most.duration = fmax(most.duration, fabs(b.duration / (a * one.duration) - 1));
    }
    return most;
}

static void families(paper_job *job, const ff_normal *ours, const ff_normal *classical) {
    const char *where = "sect. III";
    static const char units[] = "the same equation in other units; tolerance as for the "
                                "simulated bounces of fig. 4";
    bounce b = rescale(job, ours, 1.5);
    job_near(job, where, "new model, (a^-2.5 k, a^-1.5 lambda): change of e, a from 0.1 to 10",
             NULL, b.restitution, 0, run_error, units);
    job_near(job, where, "new model, (a^-2.5 k, a^-1.5 lambda): duration over a, change", NULL,
             b.duration, 0, run_error, units);
    b = rescale(job, classical, 2.5);
    job_near(job, where,
             "Hunt and Crossley, (a^-2.5 k, a^-2.5 lambda): change of e, a from 0.1 to 10", NULL,
             b.restitution, 0, run_error, units);
    job_near(job, where, "Hunt and Crossley, (a^-2.5 k, a^-2.5 lambda): duration over a, change",
             NULL, b.duration, 0, run_error, units);
    job_least(job, where, "new model, by the rule of Hunt and Crossley: change of e", NULL,
              rescale(job, ours, 2.5).restitution, 0.1, 0,
              "the rules are different: up to a factor of 10 in lambda is missing");
    /* another stiffness is another lambda: delta = lambda m^-2/5 k^-3/5 v^1/5 */
    double lambda = 2e3, worst = 0;
    ff_normal soft = job_law(job, "azad-featherstone", "k", 1e7, "lambda", lambda, NULL);
    ff_normal same = job_law(job, "azad-featherstone", "k", 1e10, "lambda",
                             lambda * ff_math.pow(1e3, 0.6), NULL);
    for (size_t i = 0; i < SPEEDS; i += 2) {
        worst = fmax(worst, fabs(run_bounce(job, &soft, speeds[i], 0).restitution -
                                 run_bounce(job, &same, speeds[i], 0).restitution));
    }
    job_near(
        job, where, "new model: a curve of k = 1e7 against one of k = 1e10, greatest difference",
        NULL, worst, 0, run_error,
        "any k and lambda alone make all curves: e depends on lambda m^-2/5 k^-3/5 v^1/5; runs "
        "of tolerance 1e-13");
}

/* A curve and simulated bounces beside it; their greatest distance from it. */
static double draw_both(paper_job *job, const ff_normal *law, const char *name, size_t colour) {
    curve_colour(draw(job, law, mass, 1e-3, 10, FF_PLOT_LINES, name), colour);
    paper_curve *points = job_curve(job, FF_PLOT_POINTS, NULL);
    double most = 0;
    curve_colour(points, colour);
    for (size_t i = 0; i < SPEEDS; i++) {
        double e = run_bounce(job, law, speeds[i], 0).restitution;
        curve_point(points, speeds[i], e);
        most = fmax(most, fabs(e - ff_impact_restitution(law, mass, speeds[i])));
    }
    return most;
}

static void fig4(paper_job *job) {
    static const double lambdas[] = {2e4, 5e4, 1e5, 2e5, 5e5};
    static const double classical_lambdas[] = {1e8, 1e9, 1e10, 1e11};
    /* e at the speeds above, lambda = 1e5 */
    static const double known[SPEEDS] = {
        0.9186436978748194, 0.9000256299538467, 0.8751769860945046,
        0.8478137374405692, 0.8120004659958047, 0.7734966815763132,
        0.7245714849789301, 0.6738065472520115, 0.6119949685754082};
    double bent = 0, classical_bent = 0, off = 0, classical_off = 0, theory = 0;
    ff_normal law, ours = plate(job);
    for (size_t i = 0; i < 5; i++) {
        law = job_law(job, "azad-featherstone", "k", k_plate, "lambda", lambdas[i], NULL);
        off = fmax(off, draw_both(job, &law, i ? NULL : "new model, eq. 8", 1));
        bent = fmax(bent, fit_line(&law, mass, speeds, SPEEDS).worst);
    }
    for (size_t i = 0; i < 4; i++) {
        law = job_law(job, "hunt-crossley", "k", k_plate, "lambda", classical_lambdas[i], NULL);
        classical_off =
            fmax(classical_off, draw_both(job, &law, i ? NULL : "Hunt and Crossley, eq. 2", 2));
        classical_bent = fmax(classical_bent, fit_line(&law, mass, speeds, SPEEDS).worst);
    }
    for (size_t i = 0; i < SPEEDS; i++) {
        theory = fmax(theory, fabs(ff_impact_restitution(&ours, mass, speeds[i]) - known[i]));
    }
    const char *where = "fig. 4, sect. III";
    job_near(job, where, "new model, lambda = 1e5: e at 9 speeds, greatest difference", NULL,
             theory, 0, 1e-12, "Taylor series of 40 digits; the library promises 1e-12");
    job_near(job, where, "new model: e of 45 simulated bounces, greatest difference", NULL, off, 0,
             run_error, run_error_why);
    job_near(job, where, "Hunt and Crossley: e of 36 simulated bounces, greatest difference", NULL,
             classical_off, 0, run_error, run_error_why);
    job_most(job, where,
             "new model: distance of e from straight lines over log v, 1 mm/s to 10 m/s", NULL,
             bent, 0.03, 0, "\"almost linear\"; read as within 0.03 over four decades");
    job_least(job, where, "Hunt and Crossley: distance of e from straight lines over log v", NULL,
              classical_bent, 0.09, 0, "not linear; read as three times what the new model has");
    job_near(job, where, "new model, lambda = 1e5: slope of e per decade of speed", NULL,
             fit_line(&ours, mass, speeds, SPEEDS).slope, -0.07605504848625676, 1e-11, independent);
    law = job_law(job, "hunt-crossley", "k", k_plate, "lambda", 1e10, NULL);
    families(job, &ours, &law);
}

/* ---- figure 5 and section II: materials ---- */

typedef struct {
    const char *name, *sphere, *other;
    double radius, other_radius; /* m; infinite: a plate, which does not move */
    double restitution;          /* at 1 m/s; 0: lambda as in section II.C */
} meeting;

static const meeting meetings[] = {
    {"A: brass, brass", "brass", "brass", 0.015, 0.015, 0.9},
    {"B: steel, cast iron plate", "steel", "cast-iron", 0.0127, INFINITY, 0},
    {"C: cork, cork", "cork", "cork", 0.0166, 0.0166, 0.6},
    {"D: steel, cork plate", "steel", "cork", 0.0165, INFINITY, 0.5},
    {"E: steel, brass plate", "steel", "brass", 0.0127, INFINITY, 0.8},
    {"F: steel, lead plate", "steel", "lead", 0.0127, INFINITY, 0.25},
};

static double ball_mass(const char *material, double r) {
    /* (4/3) pi r^3 density */
    return 4.18879020478639098 * r * r * r * ff_material_find(material)->density;
}

static double meeting_mass(const meeting *m) {
    double other =
        isfinite(m->other_radius) ? ball_mass(m->other, m->other_radius) : (double)INFINITY;
    return ff_reduced_mass(ball_mass(m->sphere, m->radius), other);
}

static double meeting_k(const meeting *m) {
    const ff_material *a = ff_material_find(m->sphere), *b = ff_material_find(m->other);
    return ff_hertz_k(ff_modulus(a->E, a->nu, b->E, b->nu),
                      ff_reduced_radius(m->radius, m->other_radius));
}

enum { FIT_SPEEDS = 21 };

/* How much of e a law leaves over when it is fitted to the straight line level + slope log10 v, 0.1 to 10 m/s. */
static double left_over(paper_job *job, const char *name, double level, double slope) {
    double v[FIT_SPEEDS], e[FIT_SPEEDS];
    for (size_t i = 0; i < FIT_SPEEDS; i++) {
        v[i] = log_speed(0.1, 10, i, FIT_SPEEDS);
        e[i] = level + slope * ff_math.log10(v[i]);
    }
    const ff_fit_data data = {.count = FIT_SPEEDS, .speed = v, .restitution = e};
    ff_normal law = job_law(job, name, "k", k_plate, "lambda", 1.0, NULL);
    ff_fit_options options = ff_fit_options_default();
    ff_fit_result fit;
    ff_error error = {""};
    options.mass = mass;
    if (ff_design_damping(&law, mass, 1, -ff_math.log(level)) < 0 ||
        ff_fit(&law, &data, &options, &fit, NULL, &error) < 0) {
        job_fail(job, "%s: no fit: %s", name, error.text);
    }
    return fit.rms;
}

/* The shape of two bodies in contact at distance r from its middle: how deep they would be within each other. */
static double overlap(double z, double r, double r1, double r2) {
    double drop = 0, radii[] = {r1, r2};
    for (int i = 0; i < 2; i++) {
        drop += isfinite(radii[i]) ? r * r / (radii[i] + sqrt(radii[i] * radii[i] - r * r)) : 0;
    }
    return z - drop;
}

/* The greatest difference of that between two spheres, and the equivalent one and a plate. */
static double overlap_difference(double z, double r1, double r2) {
    double equivalent = ff_reduced_radius(r1, r2), most = 0;
    for (int i = 0; i <= 100; i++) {
        double r = 0.01 * i * sqrt(2 * equivalent * z);
        most =
            fmax(most, fabs(overlap(z, r, r1, r2) - overlap(z, r, equivalent, (double)INFINITY)));
    }
    return most;
}

/* g(z) (K x + D g(z) z'), x the integral of g = C z^(1/4), by Gauss's rule of three points in q = (s/z)^(1/4), for which
 * the integrand is a power of 4: exact. */
static double gearbox(double c, double spring, double damper, double z, double rate) {
    double g = c * ff_math.pow(z, 0.25), x = 0;
    for (int i = -1; i <= 1; i++) {
        double q = 0.5 + 0.5 * sqrt(0.6) * i;
        x += (i ? 5.0 : 8.0) / 18 * 4 * g * z * q * q * q * q;
    }
    return g * (spring * x + damper * g * rate);
}

static void section2(paper_job *job) {
    double c = 3, spring = 2e9, damper = 4e4, most = 0;
    ff_normal law = job_law(job, "azad-featherstone", "k", 0.8 * c * c * spring, "lambda",
                            c * c * damper, NULL);
    for (int i = 1; i <= 20; i++) {
        double z = 1e-6 * i * i, rate = 3 - 0.2 * i;
        double box = fmax(0, gearbox(c, spring, damper, z, rate));
        most = fmax(most, fabs(ff_normal_force(&law, z, rate, NULL) - box));
    }
    job_near(job, "eqs 3, 4, 7, 8", "law with k = 4 C^2 K/5, lambda = C^2 D against the gearbox",
             "N", most, 0, 1e-9, "quadrature of eq. 7; forces to 1e5 N: 1e-14 of them");
    double near = overlap_difference(1e-6, 0.01, 0.03), far = overlap_difference(2e-6, 0.01, 0.03);
    job_near(job, "sect. II.A", "order of z in the difference of local deformations", NULL,
             ff_math.log2(far / near), 2, 1e-3,
             "in proportion to z^2, spheres of 1 and 3 cm; the next term is z/R = 1e-4 of it");
    job_near(job, "eqs 5, 9, 10", "k/lambda over that of a four times smaller sphere", NULL,
             ff_hertz_k(1e11, 0.01) / ff_viscoelastic_lambda(1e6, 0.01) /
                 (ff_hertz_k(1e11, 0.0025) / ff_viscoelastic_lambda(1e6, 0.0025)),
             1, 1e-15, "lambda and k have the same dependence on R; rounding");
    job_near(job, "sect. II.C, fig. 5 B", "k of steel on cast iron, R = 1.27 cm, by eq. 5",
             "N/m^1.5", meeting_k(&meetings[1]), k_plate, 0.4e10,
             "\"close to\" 1e10; grades of cast iron differ from 90 to 145 GPa: 1.0e10 to 1.4e10");
    job_near(job, "sect. II.C, fig. 5 B", "mass of the steel sphere of 1.27 cm", "kg",
             ball_mass("steel", radius), mass, 0.0025,
             "66 g; steels differ from 7.7 to 8.0 Mg/m^3, by 4 %");
}

static void fig5(paper_job *job) {
    double bent = 0, worse = 0;
    for (size_t i = 0; i < sizeof meetings / sizeof *meetings; i++) {
        const meeting *m = &meetings[i];
        double reduced = meeting_mass(m);
        ff_normal law =
            job_law(job, "azad-featherstone", "k", meeting_k(m), "lambda", lambda_plate, NULL);
        if (m->restitution > 0 &&
            ff_design_damping(&law, reduced, 1, -ff_math.log(m->restitution)) < 0) {
            job_fail(job, "%s: no damping has this restitution", m->name);
        }
        ff_normal classical = as_lossy(job, "hunt-crossley", meeting_k(m), &law, reduced);
        curve_colour(draw(job, &law, reduced, 0.05, 10, FF_PLOT_LINES, m->name), i + 1);
        curve_colour(draw(job, &classical, reduced, 0.05, 10, FF_PLOT_DOTTED,
                          i == 5 ? "dotted: Hunt and Crossley" : NULL),
                     i + 1);
        straight s = fit_line(&law, reduced, speeds + 4, SPEEDS - 4);
        bent = fmax(bent, s.worst);
        for (double steep = 0.75; steep <= 1.25; steep += 0.25) {
            double slope = steep * s.slope;
            double others = fmin(left_over(job, "hunt-crossley", s.level, slope),
                                 left_over(job, "linear", s.level, slope));
            worse = fmax(worse, left_over(job, "azad-featherstone", s.level, slope) / others);
        }
    }
    job_most(job, "fig. 5, sect. III",
             "cases A to F: distance of e from a line over log v, 0.1 to 10 m/s", NULL, bent, 0.03,
             0, "straight lines; read as within 0.03, as for fig. 4");
    job_most(
        job, "fig. 5, sect. III",
        "what a fit to such a line leaves over, against the better of the two other models", NULL,
        worse, 1, 0,
        "\"better than any fit ... with either the linear or the Hunt/Crossley model\"; the data "
        "are not printed: straight lines over log v, of 0.75 to 1.25 times the slope of the "
        "model, stand for them");
    section2(job);
}

static const char velocity[] = "impact velocity (m/s)",
                  restitution[] = "coefficient of restitution";

static const paper_figure figures[] = {
    {.id = "fig3",
     .title = "Restitution over impact velocity",
     .caption = "The linear model is constant; the new one falls at once, as the fifth root of the "
                "velocity, Hunt and Crossley's in proportion to it.",
     .chosen = "k = 1e10 and lambda = 1e5 as in section II.C with 66 g; the other two models have "
               "the same restitution at 1 m/s",
     .x_label = velocity,
     .y_label = restitution,
     .make = fig3},
    {.id = "fig4",
     .title = "Restitution over log velocity, k fixed",
     .caption = "Lines are theory, points are simulated bounces.",
     .chosen = "k = 1e10 and 66 g as in section II.C; new model: lambda = 2e4, 5e4, 1e5, 2e5, 5e5, "
               "from above; Hunt and Crossley: 1e8, 1e9, 1e10, 1e11",
     .x_label = velocity,
     .y_label = restitution,
     .x_log = true,
     .make = fig4},
    {.id = "fig5",
     .title = "Six pairs of materials, model curves",
     .caption = "No measured points: no source prints them as numbers. Both models of a pair agree "
                "at 1 m/s.",
     .chosen = "k by eq. 5 from tables of materials; lambda of B as in section II.C, of the others "
               "so that the restitution at 1 m/s is 0.9 (A), 0.6 (C), 0.5 (D), 0.8 (E), 0.25 (F): "
               "chosen to be told apart, not measured",
     .x_label = velocity,
     .y_label = restitution,
     .x_log = true,
     .make = fig5},
    {.id = "steps",
     .title = "Steps taken (section II.C)",
     .caption =
         "Steps of 0.01 s at the longest; the points are the 958, 887 and 255 steps that the "
         "paper reports of Simulink's ode23t at a relative tolerance of 1e-5.",
     .x_label = "time (s)",
     .y_label = "steps so far",
     .make = azad2014_steps},
    {.id = "step-size",
     .title = "Step size of the trapezoidal rule (section II.C)",
     .caption = "Tolerance 1e-5: small steps are needed for brief periods only. After rest the "
                "rule, which damps nothing, carries its last error on.",
     .x_label = "time (s)",
     .y_label = "step size (s)",
     .y_log = true},
    {.id = "bounces",
     .title = "Height above the plate (section II.C)",
     .caption = "Bounces are below 1 mm from 2.4 s on, and end at 2.53 s.",
     .x_label = "time (s)",
     .y_label = "height (mm)",
     .y_log = true},
};

const paper paper_azad2014 = {
    .name = "azad2014",
    .title = "Azad and Featherstone 2014: A new nonlinear model of contact normal force",
    .figures = figures,
    .figure_count = sizeof figures / sizeof *figures,
};
