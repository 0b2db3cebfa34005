/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "paper_corral2017.h"
#include <footfall/elementary.h>
#include <math.h>

/* hip to centre of mass, m */
#define D 0.1

static pose pose_of(const walker *w, double time) {
    pose p = {.time = time};
    for (int leg = 0; leg < 2; leg++) {
        ff_motion m = ff_sim_body(w->run.sim, (size_t)leg);
        p.angle[leg] = -2 * ff_math.atan2(m.orientation[2], m.orientation[0]);
        p.rate[leg] = -m.omega[1];
        if (leg == 0) {
            double s = D * ff_math.sin(p.angle[0]), c = D * ff_math.cos(p.angle[0]);
            p.hip[0] = m.position[0] - s;
            p.hip[1] = m.position[2] + c;
            p.hip_rate[0] = m.velocity[0] - c * p.rate[0];
            p.hip_rate[1] = m.velocity[2] - s * p.rate[0];
        }
    }
    return p;
}

walker walk_begin(paper_job *job, size_t most, double tol, const char *first, const char *second) {
    walker w = {.most = most};
    w.run = run_scene(job, "corral2017/biped.yaml", job_text(job, "run.tol=%g", tol),
                      first ? first : second, first ? second : NULL, NULL);
    return w;
}

/* The section within the step last taken, by bisection of the rate on its interpolant. */
static void cut(walker *w, int leg, double from, double to) {
    ff_sim *sim = w->run.sim;
    section *s = &w->steps[w->count++];
    double peak = s->peak;
    for (int i = 0; i < 60 && to > from; i++) {
        double half = 0.5 * (from + to);
        ff_sim_observe(sim, half);
        *(pose_of(w, half).rate[leg] < 0 ? &from : &to) = half;
    }
    ff_sim_observe(sim, to);
    ff_ledger l = ff_sim_ledger(sim);
    *s = (section){
        pose_of(w, to), leg,       ff_sim_contact(sim, (size_t)!leg).depth, peak, l.normal_damper,
        l.slip,         -l.gravity};
    ff_sim_observe(sim, NAN);
}

bool walk_next(walker *w) {
    pose before = w->now;
    if (w->count == w->most || w->fell || !run_next(&w->run)) {
        return false;
    }
    w->now = pose_of(w, w->run.time);
    for (size_t leg = 0; leg < 2; leg++) {
        ff_contact_record c = ff_sim_contact(w->run.sim, leg);
        w->normal[leg] = c.force[2];
        w->tangential[leg] = c.force[0];
        w->depth[leg] = c.depth;
        w->slip[leg] = c.slip[0];
        w->steps[w->count].peak = fmax(w->steps[w->count].peak, c.force[2]);
    }
    for (int leg = 0; leg < 2 && w->now.time > 0; leg++) {
        if (w->count < w->most && before.rate[leg] < 0 && w->now.rate[leg] >= 0 &&
            w->now.angle[leg] < 0 && w->now.angle[!leg] > 0) {
            cut(w, leg, before.time, w->now.time);
        }
    }
    double last = w->count ? w->steps[w->count - 1].at.time : 0;
    w->fell = w->now.hip[1] < 0.3 || w->now.time - last > 1.2;
    return true;
}

walker walk_all(paper_job *job, size_t most, double tol, const char *first, const char *second) {
    walker w = walk_begin(job, most, tol, first, second);
    while (walk_next(&w)) {
        ;
    }
    walk_end(&w);
    return w;
}

void walk_end(walker *w) { run_close(&w->run); }

double walk_period(const walker *w) {
    const section *s = &w->steps[w->count];
    return w->fell || w->count < 2 ? (double)NAN : s[-1].at.time - s[-2].at.time;
}

double walk_length(const walker *w) {
    const section *s = &w->steps[w->count];
    return w->fell || w->count < 2 ? (double)NAN : s[-1].at.hip[0] - s[-2].at.hip[0];
}

/* ---- contact laws ---- */

/* How a law fares: 14 steps, and a curve of the foot that lands in the thirteenth, against the time since then. */
static walker walk_law(paper_job *job, const char *name, const char *setting, bool slip) {
    walker w = walk_begin(job, 14, 1e-7, setting, NULL);
    paper_curve *c = job_curve(job, FF_PLOT_LINES, "%s", name);
    double landed = NAN;
    size_t foot = 1;
    while (walk_next(&w)) {
        const ff_event *e = w.run.event;
        if (e && e->kind == FF_TOUCHDOWN && w.count == 12 && !(landed > 0)) {
            landed = w.now.time;
            foot = (size_t)e->contact;
        }
        double since = w.now.time - landed;
        if (since > 1e-6 && since < (slip ? 0.1 : 0.4) && w.normal[foot] > 0) {
            curve_point(c, (slip ? 1e3 : 1e6) * since,
                        slip ? 1e3 * fabs(w.slip[foot]) : w.normal[foot]);
        }
    }
    walk_end(&w);
    return w;
}

typedef struct law_entry {
    const char *name, *setting;
    double least, most; /* what the period may be, s; 0: it falls */
} law_entry;

static void compare(paper_job *job, const char *where, const law_entry *laws, size_t count,
                    bool slip, const char *why) {
    for (size_t i = 0; i < count; i++) {
        walker w = walk_law(job, laws[i].name, laws[i].setting, slip);
        if (laws[i].most > 0) {
            job_near(job, where, job_text(job, "period of the gait under %s", laws[i].name), "s",
                     walk_period(&w), 0.5 * (laws[i].least + laws[i].most),
                     0.5 * (laws[i].most - laws[i].least), why);
        } else {
            job_holds(job, where, job_text(job, "it falls under %s", laws[i].name), w.fell, why);
        }
    }
}

/* The period of the paper's own law, 0.44083 s, and 1 % */
#define SAME 0.4364, 0.4453

void corral_normal_laws(paper_job *job) {
    static const law_entry laws[] = {
        {"ristow-schaefer (paper)", NULL, SAME},
        {"azad-featherstone", "pairs[0].normal={law: azad-featherstone, k: 1e6, lambda: 1.088e5}",
         SAME},
        {"tsuji", "pairs[0].normal={law: tsuji, k: 1e6, lambda: 1.068e4}", SAME},
        {"linear", "pairs[0].normal={law: linear, k: 2.7e4, lambda: 1570}", SAME},
        {"hunt-crossley", "pairs[0].normal={law: hunt-crossley, k: 1e6, lambda: 8.24e8}", SAME},
        {"lankarani-nikravesh", "pairs[0].normal={law: lankarani-nikravesh, k: 1e6, e: 0.0101}",
         0.4555, 0.4647},
        {"hertz", "pairs[0].normal={law: hertz, k: 1e6}", 0, 0},
    };
    compare(
        job, "abstract: several force models", laws, sizeof laws / sizeof *laws, false,
        "no reference: same stiffness, same restitution 0.0101 at 0.12 m/s with 1 kg, so within "
        "1 % of the paper's law. lankarani-nikravesh misses a wanted restitution that low, 0.66 at "
        "the least, and walks another gait; hertz loses nothing");
}

void corral_friction_laws(paper_job *job) {
    static const law_entry laws[] = {
        {"bengisu-akay (paper)", NULL, SAME},
        {"coulomb, 1 mm/s", "pairs[0].friction={law: coulomb, mu: 0.4}", SAME},
        {"awrejcewicz, 10 um/s", "pairs[0].friction={law: awrejcewicz, mu: 0.4}", SAME},
        {"dahl", "pairs[0].friction={law: dahl, mu: 0.4, k: 1e4}", SAME},
        {"lugre", "pairs[0].friction={law: lugre, mu: 0.4, k: 1e4, damping: 10}", SAME},
        {"clutch", "pairs[0].friction={law: clutch, mu: 0.4, k: 1.5e6, damping: 1e4}", SAME},
        {"sat", "pairs[0].friction={law: sat, mu: 0.4, k: 1e6, beta: 1e-3}", SAME},
        {"none", "pairs[0].friction={law: none}", 0, 0},
    };
    compare(job, "sect. 1: different friction models", laws, sizeof laws / sizeof *laws, true,
            "what holds the foot hardly moves it: within 1 % of the paper's law; no foot is held "
            "without friction");
}

/* ---- sensitivity ---- */

/* Distance of two poses at a section, in the angles and rates that the gait depends on. */
static double apart(const section *a, const section *b) {
    int swing = a->leg, other = b->leg;
    return ff_math.hypot(ff_math.hypot(a->at.angle[swing] - b->at.angle[other],
                                       a->at.angle[!swing] - b->at.angle[!other]),
                         a->at.rate[!swing] - b->at.rate[!other]);
}

void corral_near_starts(paper_job *job) {
    static const struct {
        const char *name, *setting;
    } starts[] = {
        {"as printed", NULL},
        {"1 % faster", "parameters.pace=1.01"},
        {"5 % faster", "parameters.pace=1.05"},
        {"5 % slower", "parameters.pace=0.95"},
        {"swinging leg 0.02 rad back", "parameters.swing=0.2679 rad"},
        {"angles from the vertical", "parameters={slope: 0.02 rad, swing: 0.2279 rad, stance: "
                                     "0.1855 rad, pace: 1}"},
    };
    walker cycle = walk_all(job, 22, 1e-8, NULL, NULL);
    const section *fixed = &cycle.steps[cycle.count - 1];
    double farthest = 0, rate = 0;
    if (cycle.fell) {
        job_fail(job, "the walker fell");
    }
    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++) {
        walker w = walk_all(job, 14, 1e-8, starts[i].setting, NULL);
        paper_curve *c = job_curve(job, FF_PLOT_LINES, "%s", starts[i].name);
        for (size_t k = 0; k < w.count; k++) {
            curve_point(c, (double)k + 1, apart(&w.steps[k], fixed));
        }
        farthest = w.fell ? (double)INFINITY : fmax(farthest, apart(&w.steps[13], fixed));
        if (i == 1 && !w.fell) {
            rate = ff_math.pow(apart(&w.steps[11], fixed) / apart(&w.steps[1], fixed), 0.1);
        }
    }
    job_most(job, "sect. 4: not sensitive to the initial conditions",
             "distance from the cycle after 14 steps, from five starts up to 5 % and 0.02 rad off",
             "rad, rad/s", farthest, 0, 1e-4,
             "0.46^14 = 2e-5 of what is left after the first step, which is below 0.1");
    job_check(job, &(check){.where = "sect. 3: quite sensitive to the initial conditions",
                            .quantity = "factor by which a start 1 % too fast departs at each step",
                            .relation = CHECK_AT_LEAST,
                            .value = rate,
                            .expected = 1,
                            .why = "what is sensitive grows; sect. 4 says the opposite",
                            .otherwise =
                                "a small deviation shrinks to less than half at each step, as "
                                "the multipliers of the cycle have it, |0.353 +- 0.290 i| = 0.457 "
                                "and 0.421",
                            .instead = 0.46,
                            .instead_within = 0.05});
}

void corral_far_starts(paper_job *job) {
    paper_curve *walks = job_curve(job, FF_PLOT_POINTS, "walks 12 steps"),
                *falls = job_curve(job, FF_PLOT_POINTS, "falls");
    double fastest = 0, slowest = INFINITY;
    for (int i = 0; i < 11; i++) {
        for (int j = 0; j < 9; j++) {
            double pace = 0.7 + 0.06 * i, swing = 0.1479 + 0.025 * j;
            walker w = walk_all(job, 12, 1e-5, job_text(job, "parameters.pace=%g", pace),
                                job_text(job, "parameters.swing=%g rad", swing));
            curve_point(w.fell ? falls : walks, pace, -swing);
            if (!w.fell && j == 4) {
                fastest = fmax(fastest, pace);
                slowest = fmin(slowest, pace);
            }
        }
    }
    job_most(job, "sect. 4: large basin of attraction",
             "slowest start that walks, of the printed speeds", NULL, slowest, 0.94, 0,
             "a basin that is worth the name takes 5 % in either direction");
    job_least(job, "sect. 4: large basin of attraction",
              "fastest start that walks, of the printed speeds", NULL, fastest, 1.06, 0,
              "a basin that is worth the name takes 5 % in either direction");
}

void corral_contact(paper_job *job) {
    static const char *const names[] = {"K, of 1e6 N/m^1.5", "c, of 1e7 N s/m^2",
                                        "mu0 and mu, of 0.5 and 0.4"};
    static const char where[] = "sect. 3: sensitive to the values of the contact force parameters";
    double least = INFINITY, most = 0;
    for (int p = 0; p < 3; p++) {
        paper_curve *c = job_curve(job, FF_PLOT_LINES, "%s", names[p]);
        curve_colour(c, (size_t)p + 1);
        paper_curve *dots = job_curve(job, FF_PLOT_POINTS, NULL);
        curve_colour(dots, (size_t)p + 1);
        for (int i = -6; i <= 3; i++) {
            double factor = ff_math.pow(10, i / 3.0);
            const char *setting =
                p == 0   ? job_text(job, "pairs[0].normal.k=%g", 1e6 * factor)
                : p == 1 ? job_text(job, "pairs[0].normal.lambda=%g", 1e7 * factor)
                         : job_text(job, "pairs[0].friction={law: bengisu-akay, mu_s: %g, mu: %g}",
                                    0.5 * factor, 0.4 * factor);
            walker w = walk_all(job, 12, 1e-6, setting, NULL);
            double period = walk_period(&w);
            if (isfinite(period)) {
                curve_point(c, factor, period);
                curve_point(dots, factor, period);
            } else {
                curve_gap(c);
            }
            if (p == 1 && i >= -3 && i <= 0) {
                least = fmin(least, period);
                most = fmax(most, isfinite(period) ? period : (double)INFINITY);
            }
        }
    }
    job_check(job, &(check){.where = where,
                            .quantity = "change of the period while c goes from 1e6 to 1e7",
                            .relation = CHECK_AT_LEAST,
                            .value = most / least - 1,
                            .expected = 0.1,
                            .why = "10 % for a factor of 10: sensitive would be at least that",
                            .otherwise = "the period changes by less than 1 %",
                            .instead = 0.44416967 / 0.44083488 - 1,
                            .instead_within = 5e-4});
    static const struct {
        const char *setting, *quantity;
    } falls[] = {
        {"pairs[0].normal.lambda=1e4", "with c = 1e4 N s/m^2 it bounces and falls"},
        {"pairs[0].friction={law: bengisu-akay, mu_s: 0.05, mu: 0.04}",
         "with mu = 0.05 it slips and falls"},
    };
    for (size_t i = 0; i < 2; i++) {
        walker w = walk_all(job, 12, 1e-6, falls[i].setting, NULL);
        job_holds(job, where, falls[i].quantity, w.fell, "the same in an independent integration");
    }
    static const struct {
        const char *setting, *quantity;
        double period;
    } readings[] = {
        {"pairs[0].normal.lambda=1e5", "period of the eighth step with c = 1e5 N s/m^2",
         0.462480304325357},
        {"pairs[0].normal.lambda=1e6", "period of the eighth step with c = 1e6 N s/m^2",
         0.44416967071071417},
        {"pairs[0].normal.lambda=3e6", "period of the eighth step with c = 3e6 N s/m^2",
         0.44200283219722386},
        {"pairs[0].normal.detach=tension",
         "period of the eighth step if the floor may pull, which the law as printed does",
         0.4083015806565109},
    };
    for (size_t i = 0; i < 4; i++) {
        walker w = walk_all(job, 8, 1e-8, readings[i].setting,
                            "joints.plane.planar.position=[0, 0.3949210026332982]");
        job_near(job, i < 3 ? where : "sect. 2.2: F = K d^n + c d d'", readings[i].quantity, "s",
                 walk_period(&w), readings[i].period, 1e-5,
                 "independent integration, good to 1e-5");
    }
}
