/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "paper_corral2017.h"
#include <footfall/elementary.h>
#include <footfall/source.h>
#include <math.h>
#include <string.h>

static const double pi = 3.14159265358979323846;

/* ---- figure 3: friction ---- */

void corral_friction(paper_job *job) {
    /* body weight, N, and what static and kinetic friction are of it */
    const double load = 2 * 9.8, fs = 0.5 * load, fc = 0.4 * load, v0 = 1e-4, xi = 1000;
    static const char formula[] = "F of sect. 2.2 with its sign and unit put right; rounding";
    const ff_param_value given[] = {{"mu_s", 0.5}, {"mu", 0.4}, {"v0", v0}, {"xi", xi}};
    ff_friction law;
    ff_error error;
    if (ff_friction_init(&law, ff_friction_law_find("bengisu-akay"), &error) < 0 ||
        ff_friction_set_all(&law, given, 4, &error) < 0) {
        job_fail(job, "%s", error.text);
    }
    paper_curve *c = job_curve(job, FF_PLOT_LINES, "Bengisu and Akay"),
                *d = job_curve(job, FF_PLOT_DOTTED, "Coulomb, 0.4");
    double lowest = INFINITY;
    for (int i = -2000; i <= 2000; i++) {
        /* 5 mm/s to either side, denser where the force rises */
        double s = i / 2000.0, v = 5e-3 * s * s * s;
        double f =
            -ff_friction_at(&law, &(ff_friction_query){.load = load, .v = {v}}, NULL).force[0];
        curve_point(c, 1e3 * v, f);
        if (i == 0) {
            curve_gap(d);
        } else {
            curve_point(d, 1e3 * v, i < 0 ? -fc : fc);
        }
        lowest = v > v0 ? fmin(lowest, f) : lowest;
    }
#define F(speed)                                                                                   \
    (-ff_friction_at(&law, &(ff_friction_query){.load = load, .v = {speed}}, NULL).force[0])
    job_near(job, "fig. 3", "friction at v0 under body weight", "N", F(v0), fs, 1e-12 * fs,
             formula);
    job_near(job, "fig. 3", "friction at 0.1 m/s", "N", F(0.1), fc, 1e-12 * fs, formula);
    job_near(job, "fig. 3", "Stribeck effect: friction 1/xi beyond v0", "N", F(v0 + 1 / xi),
             fc + (fs - fc) * ff_math.exp(-1), 1e-12 * fs, formula);
    job_near(job, "fig. 3", "friction against the other direction", "N", F(-3e-3), -F(3e-3), 0,
             "sgn: the same but for its sign");
    job_near(job, "sect. 2.2: a small time step is needed at low speed", "slope at rest", "N s/m",
             F(1e-9) / 1e-9, 2 * fs / v0, 1e-5 * 2 * fs / v0,
             "2 F_S/v0; the quotient misses 1e-9/(2 v0) of it");
    double printed = fs / v0 * ((1e-12 - v0) * (1e-12 - v0) + fs);
    job_check(job, &(check){.where = "sect. 2.2: for velocities close to zero the force is low",
                            .quantity = "friction as the equation is printed at 1e-12 m/s",
                            .unit = "N",
                            .relation = CHECK_AT_MOST,
                            .value = printed,
                            .expected = fs,
                            .why = "it cannot exceed static friction",
                            .otherwise =
                                "as printed the force jumps by 960 kN at rest, and its unit is not "
                                "that of a force; read as F_S - F_S/v0^2 (|v| - v0)^2 it holds",
                            .instead = 960400.001,
                            .instead_within = 0.1});
#undef F
}

/* ---- the start ---- */

void corral_start(paper_job *job) {
    static const double printed[2][2] = {{0.37404, 0.037832}, {0.49847, 0.058404}};
    paper_run r = run_scene(job, "corral2017/biped.yaml", NULL);
    double swapped = 0, labelled = 0;
    for (size_t leg = 0; leg < 2; leg++) {
        const double *v = ff_sim_body(r.sim, leg).velocity;
        for (size_t i = 0; i < 2; i++) {
            swapped = fmax(swapped, fabs(v[2 * i] - printed[!leg][i]));
            labelled = fmax(labelled, fabs(v[2 * i] - printed[leg][i]));
        }
    }
    run_close(&r);
    job_near(job, "sect. 2.3: the joint starts at (0, 0.395, 0)",
             "height of a hip on the stance foot at rest", "m",
             0.08 + 0.32 * ff_math.cos(0.1655) - ff_math.pow(2 * 9.8 / 1e6, 2.0 / 3), 0.395, 5e-4,
             "r + (l - r) cos(theta_2) - (2 m g/K)^(2/3), l to the bottom of the foot; 0.395 is "
             "rounded to 1 mm. The coordinates must read (0, 0, 0.395)");
    job_most(job, "sect. 2.3: velocities of the legs",
             "the greatest difference to the printed ones, leg 1 and leg 2 swapped", "m/s", swapped,
             0, 1e-5, "printed with 5 digits");
    job_check(job,
              &(check){.where = "sect. 2.3: velocities of the legs",
                       .quantity = "the greatest difference to the printed ones, as labelled",
                       .unit = "m/s",
                       .relation = CHECK_AT_MOST,
                       .value = labelled,
                       .expected = 0,
                       .tolerance = 1e-5,
                       .why = "printed with 5 digits",
                       .otherwise = "no speed of the hip fits the angles, rates and velocities as "
                                    "labelled: v1 is of the leg that stands",
                       .instead = 0.49847 - 0.37404,
                       .instead_within = 1e-3});
    /* the hip follows from v1 as that of leg 1 */
    walker w = walk_all(job, 12, 1e-6, "joints.plane.planar.velocity=[0.374544, 0.03796]", NULL);
    job_check(job, &(check){.where = "sect. 3: walks with these initial conditions",
                            .quantity = "steps until it falls with velocities as labelled, of 12",
                            .relation = CHECK_AT_LEAST,
                            .value = (double)w.count,
                            .expected = 12,
                            .why = "a gait of 12 steps",
                            .otherwise = "it falls after the first step; with the two velocities "
                                         "swapped it walks",
                            .instead = 1,
                            .instead_within = 0});
    walker scuffs =
        walk_all(job, 12, 1e-6,
                 "pairs=[{between: [leg*, floor], normal: {law: ristow-schaefer, k: "
                 "1e6, lambda: 1e7}, friction: {law: bengisu-akay, mu_s: 0.5, mu: 0.4}}]",
                 NULL);
    job_holds(job, "sect. 2.2: the swing leg may scratch the floor",
              "without the rule of omega it trips before its second step",
              scuffs.fell && scuffs.count < 2, "the same in an independent integration: 0.64 s");
}

/* ---- figures 4 to 8 and the speed of the hip: the gait ---- */

/* An instant of the run, for curves of several figures. */
typedef struct instant {
    pose p;
    double depth[2], normal[2], tangential[2];
} instant;

/* The foot that lands in the last step, and what is around that. */
typedef struct landing {
    double time, lifted; /* of the foot, and of the other one, s */
    int foot;
    pose at, after;    /* 5 ms later */
    double least_rate; /* of its leg in between, rad/s */
} landing;

/* One complete gait: each of its two steps as a row of five poses, shifted downhill so that they do not hide each
 * other. */
static void draw_strip(paper_job *job, const instant *trace, size_t count, double begin,
                       double end) {
    enum { FRAMES = 5 };
    const double slope = 0.02, apart = 0.32, below = 0.55, length = 0.32, radius = 0.08;
    paper_curve *floor = job_curve(job, FF_PLOT_LINES, "floor"),
                *legs[2] = {job_curve(job, FF_PLOT_LINES, "leg 1"),
                            job_curve(job, FF_PLOT_LINES, "leg 2")};
    curve_colour(floor, 7);
    for (size_t row = 0, i = 0; row < 2; row++) {
        double origin = 0, from = 0, to = 0;
/* axes of the slope to upright ones; no row hides the other */
#define POINT(curve, x, z)                                                                         \
    curve_point(curve, (x)*ff_math.cos(slope) + (z)*ff_math.sin(slope),                            \
                (z)*ff_math.cos(slope) - (x)*ff_math.sin(slope) - below * (double)row)
        for (size_t f = 0; f < FRAMES; f++) {
            double time = begin + (end - begin) * ((double)row + (double)f / (FRAMES - 1)) / 2;
            while (i + 1 < count && trace[i].p.time < time) {
                i++;
            }
            const pose *p = &trace[i].p;
            origin = f ? origin : p->hip[0];
            double x0 = p->hip[0] - origin + apart * (double)f;
            for (int leg = 0; leg < 2; leg++) {
                double sine = ff_math.sin(p->angle[leg]), cosine = ff_math.cos(p->angle[leg]);
                double x = x0 + length * sine, z = p->hip[1] - length * cosine;
                POINT(legs[leg], x0, p->hip[1]);
                POINT(legs[leg], x + radius * sine, z - radius * cosine);
                curve_gap(legs[leg]);
                /* the foot: a third of the circle, across the leg */
                for (int k = -12; k <= 12; k++) {
                    double a = p->angle[leg] + k * pi / 36;
                    POINT(legs[leg], x + radius * ff_math.sin(a), z - radius * ff_math.cos(a));
                }
                curve_gap(legs[leg]);
            }
            from = f ? from : x0 - 0.2;
            to = x0 + 0.25;
        }
        POINT(floor, from, 0);
        POINT(floor, to, 0);
        curve_gap(floor);
#undef POINT
    }
}

static void draw_phases(paper_job *job, const instant *trace, size_t count, double since) {
    paper_curve *first = job_curve(job, FF_PLOT_LINES, "leg 1, from the start"),
                *other = job_curve(job, FF_PLOT_DOTTED, "leg 2, last steps");
    for (size_t i = 0; i < count; i++) {
        curve_point(first, trace[i].p.angle[0], trace[i].p.rate[0]);
        if (trace[i].p.time > since) {
            curve_point(other, trace[i].p.angle[1], trace[i].p.rate[1]);
        }
    }
}

/* What the legs do in time; `value` is that of instant i and of a leg. */
#define DRAW_LEGS(job, trace, count, until, value)                                                 \
    for (int leg = 0; leg < 2; leg++) {                                                            \
        paper_curve *c = job_curve(job, leg ? FF_PLOT_DOTTED : FF_PLOT_LINES, "leg %d", leg + 1);  \
        for (size_t i = 0; i < (count) && (trace)[i].p.time <= (until); i++) {                     \
            curve_point(c, (trace)[i].p.time, (value));                                            \
        }                                                                                          \
    }

/* The cycle, from an independent Newton iteration on the step map with Radau at 1e-11 */
static const char cycle_why[] =
    "the fixed point of an independent integration, good to 1e-9; 22 steps at a tolerance of 1e-9, "
    "after which 0.46^22 of the transient is left";

static void check_cycle(paper_job *job, const walker *w, const landing *l) {
    const section *s = &w->steps[w->count - 1], *b = s - 1, *b2 = s - 2;
    int swing = s->leg;
    const struct {
        const char *where, *quantity, *unit;
        double value, expected, tolerance;
    } rows[] = {
        {"fig. 6", "period of a step", "s", walk_period(w), 0.44083487803530497, 2e-8},
        {"fig. 4", "length of a step along the slope", "m", walk_length(w), 0.17922696368496654,
         2e-8},
        {"sect. 4: hip speed", "mean speed of the hip", "m/s", walk_length(w) / walk_period(w),
         0.4065625761821252, 5e-8},
        {"fig. 5", "rearmost angle of a leg", "rad", s->at.angle[swing], -0.24705154352654135,
         5e-8},
        {"fig. 5", "angle of the other leg there", "rad", s->at.angle[!swing], 0.1662791636235913,
         5e-8},
        {"fig. 5", "rate of the other leg there", "rad/s", s->at.rate[!swing], -1.25093267351408,
         5e-7},
        {"fig. 4", "height of the hip there", "m", s->at.hip[1], 0.3951580090413718, 2e-8},
        {"sect. 4: hip speed", "speed of the hip along the slope there", "m/s", s->at.hip_rate[0],
         0.4948661365416676, 2e-7},
        {"sect. 4: hip speed", "speed of the hip off the slope there", "m/s", s->at.hip_rate[1],
         0.06420708162876296, 2e-7},
        {"fig. 6", "heel strike after the other leg's rearmost", "s", l->time - b->at.time,
         0.3955266472555074, 2e-8},
        {"fig. 6", "angle of the leg that lands", "rad", l->at.angle[l->foot], 0.23023825349575566,
         5e-8},
        {"fig. 6", "angle of the leg behind then", "rad", l->at.angle[!l->foot],
         -0.2208375558041091, 5e-8},
        {"fig. 5", "rate of the leg that lands", "rad/s", l->at.rate[l->foot], -1.5751834580867732,
         5e-7},
        {"fig. 7", "penetration of the foot that stands there", "m", s->depth,
         0.0004283726479750588, 1e-8},
        {"sect. 4: energy", "work of gravity in a step", "J", s->gained - b->gained,
         0.07025228606019766, 2e-8},
        {"sect. 4: energy", "lost in the normal direction in a step", "J",
         s->normal_loss - b->normal_loss, 0.06966765945671541, 2e-8},
        {"sect. 3: slippage", "lost by friction in a step", "J",
         s->friction_loss - b->friction_loss, 0.0005846265993464293, 1e-8},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        job_near(job, rows[i].where, rows[i].quantity, rows[i].unit, rows[i].value,
                 rows[i].expected, rows[i].tolerance, cycle_why);
    }
    job_near(job, "sect. 3: the motions of the two legs have the same stride and period",
             "difference of the periods of two successive steps", "s",
             walk_period(w) - (b->at.time - b2->at.time), 0, 2e-8, cycle_why);
    job_near(job, "sect. 3: the motions of the two legs have the same stride and period",
             "difference of the lengths of two successive steps", "m",
             walk_length(w) - (b->at.hip[0] - b2->at.hip[0]), 0, 2e-8, cycle_why);
    job_near(job, "sect. 3: consistent with the literature",
             "period against that of a rigid walker without slip", "s", walk_period(w),
             0.44378032926024186, 0.01 * 0.4438,
             "McGeer's model with the same masses and plastic impacts; compliance is worth 1 %");
    /* the start as a section: what the paper prints is that of a steady gait */
    job_near(job, "sect. 2.3", "rearmost angle of the cycle against the start", "rad",
             s->at.angle[swing], -0.2479, 1e-3, "a start on the cycle of another model, ref. 15");
    job_near(job, "sect. 2.3", "rate of the other leg there against the start", "rad/s",
             s->at.rate[!swing], -1.2565, 1e-2, "a start on the cycle of another model, ref. 15");
}

/* The cycle by Newton's method on the step map, and what becomes of deviations from it. */
static void check_map(paper_job *job) {
    static const char file[] = "corral2017/biped.yaml";
    static const char where[] = "fig. 5: the biped gets into a stable walking";
    const paper_file *f = paper_files;
    ff_scene *scene;
    ff_messages messages = {0};
    ff_error error = {""};
    ff_gait *gait;
    ff_gait_record step;
    ff_gait_cycle cycle;
    const char *tol = "run.tol=1e-9";
    while (f->name && strcmp(f->name, file) != 0) {
        f++;
    }
    if (!f->name ||
        ff_scene_parse(file, f->text, strlen(f->text), &tol, 1, INFINITY, &scene, &messages) < 0 ||
        ff_gait_create(scene, NULL, &gait, &error) < 0) {
        job_fail(job, "%s: %s", file, error.text);
    }
    ff_status status = FF_OK;
    for (int i = 0; i < 3 && status >= 0; i++) {
        status = ff_gait_step(gait, &step, &error);
    }
    if (status < 0 || ff_gait_find(gait, &cycle, &error) < 0) {
        job_fail(job, "%s: %s", file, error.text);
    }
    job_near(job, where, "period of the fixed point of the step map", "s", cycle.period,
             0.44083487803530497, 1e-8,
             "independent Newton iteration, good to 1e-9; the tolerance of the run is 1e-9");
    job_near(job, where, "greatest multiplier: what is left of a deviation after a step", NULL,
             cycle.largest, 0.4598827346312633, 0.01,
             "an independent integration, from differences of whole steps, of which the error is "
             "not known; less than 1 is stable");
    ff_gait_free(gait);
    ff_scene_free(scene);
}

/* How far a foot is off the floor where its leg begins to turn in a direction, rear and front: there contact begins
 * or ceases to be ignored. */
static void check_clearance(paper_job *job, const instant *trace, size_t count, double since) {
    double clear[2] = {INFINITY, INFINITY};
    for (size_t i = 1; i < count; i++) {
        const instant *t = &trace[i];
        for (int leg = 0; leg < 2 && t->p.time > since; leg++) {
            bool forward = t->p.rate[leg] >= 0;
            if (forward != (t[-1].p.rate[leg] >= 0)) {
                clear[forward] = fmin(clear[forward], -t->depth[leg]);
            }
        }
    }
    static const char where[] = "sect. 2.2: contact only where omega > 0";
    static const char why[] =
        "independent integration, 2 digits; the rule cuts no contact that bears";
    job_near(job, where, "clearance of the foot that begins to swing", "m", clear[1], 4.9e-3, 1e-4,
             why);
    job_near(job, where, "clearance of the foot that ends its swing", "m", clear[0], 9.3e-3, 1e-4,
             why);
}

/* How often the amplitude grew and shrank from step to step, over the first eight. */
static void check_gains(paper_job *job, const walker *w) {
    int more = 0, less = 0;
    double before = -0.2479;
    for (size_t i = 0; i < 8; i++) {
        double now = w->steps[i].at.angle[w->steps[i].leg];
        *(now < before ? &more : &less) += 1;
        before = now;
    }
    job_holds(job, "sect. 3: steps in which it gains a little energy or loses some",
              "of the first eight steps some reach farther than the one before and some less far",
              more > 0 && less > 0, "both occur on the way to the cycle");
}

static void check_landing(paper_job *job, const landing *l, const double *peaks,
                          double tangential) {
    static const char where[] = "sect. 3: a large impact in normal and tangential direction";
    double peak = fmax(peaks[0], peaks[1]);
    double trails = l->after.rate[!l->foot] - l->at.rate[!l->foot];
    job_near(job, where, "peak of the normal force", "N", peak, 308.7900503175704, 0.01,
             "independent integration; both are the greatest value at steps of a method, which "
             "misses less than 1e-2 N");
    job_near(job, where, "peak of the tangential force", "N", tangential, 102.55886975480531, 0.05,
             "independent integration, good to 0.02 N at its steps; here at 16 instants of each");
    job_least(job, where, "peak of the normal force as a multiple of the weight", NULL,
              peak / (2 * 9.8), 10, 0, "an order of magnitude is large");
    job_near(job, "sect. 3: forces on the other leg are identical but for a phase",
             "difference of the peaks of the two feet", "N", peaks[0] - peaks[1], 0, 0.02,
             "each is the greatest value at steps, which misses less than 1e-2 N");
    job_holds(job, "sect. 3: a phase of double support",
              "the foot behind leaves the floor after the other one has landed",
              l->lifted > l->time, "both events are located");
    job_most(job, "sect. 3: switches the stance leg into swing leg almost instantaneously",
             "duration of double support in periods", NULL, (l->lifted - l->time) / 0.44083, 0.001,
             0, "0.1 % is almost instantaneous");
    job_least(job, "fig. 5: angular velocity changes rapidly during the hit",
              "change of the rate of the leg that was standing, within 5 ms", "rad/s", trails, 0.5,
              0, "a third of the rate in 1 % of the period is rapid");
    job_check(job, &(check){.where = "fig. 5: angular velocity changes rapidly during the hit",
                            .quantity = "greatest change of the rate of the leg that lands, within "
                                        "5 ms",
                            .unit = "rad/s",
                            .relation = CHECK_AT_LEAST,
                            .value = l->at.rate[l->foot] - l->least_rate,
                            .expected = 0.1,
                            .why = "a spike that is seen in the figure",
                            .note = "it is back within 0.05 rad/s after 5 ms: what lasts is the "
                                    "change of the other leg"});
}

/* Force and penetration while one foot stands alone. */
static void check_stance(paper_job *job, const instant *trace, size_t count, const landing *l) {
    double deepest = 0, deep = 0, middle = 0, late = 0;
    for (size_t i = 0; i < count; i++) {
        const instant *t = &trace[i];
        double since = t->p.time - l->time;
        /* the step before: from 50 ms after its foot has landed to 1 ms before the other lands */
        if (since > -0.39 && since < -1e-3) {
            deep = t->depth[!l->foot];
            deepest = fmax(deepest, deep);
            late = t->normal[!l->foot];
            middle = fmax(middle, late);
        }
    }
    job_near(job, "fig. 7: the penetration increases until the other foot impacts",
             "penetration 1 ms before the impact of the other foot, of the greatest in stance",
             NULL, deep / deepest, 1, 0.02,
             "it follows the load late, by c d^0.5/(1.5 K) = 0.17 s, and has a flat top");
    job_check(job, &(check){.where = "sect. 3: increases until the other foot impacts",
                            .quantity = "force 1 ms before the impact of the other foot, of the "
                                        "greatest in stance",
                            .relation = CHECK_AT_LEAST,
                            .value = late / middle,
                            .expected = 1,
                            .why = "what increases until then is greatest then",
                            .otherwise = "the force is greatest in the middle of stance and falls "
                                         "to 16.6 N of 20.0 N before the other foot lands: the hip "
                                         "moves on an arc",
                            .instead = 16.6 / 20.0,
                            .instead_within = 0.02});
}

void corral_gait(paper_job *job) {
    enum { ROOM = 200000 };
    instant *trace = job_room(job, ROOM, sizeof *trace);
    size_t count = 0;
    landing l = {.time = NAN, .lifted = NAN};
    double peaks[2] = {0}, tangential = 0, residual;
    ff_sampler within = {.parts = 16};
    walker w = walk_begin(job, 22, 1e-9, NULL, NULL);
    while (walk_next(&w) && count < ROOM) {
        const ff_event *e = w.run.event;
        trace[count++] = (instant){w.now,
                                   {w.depth[0], w.depth[1]},
                                   {w.normal[0], w.normal[1]},
                                   {w.tangential[0], w.tangential[1]}};
        for (size_t leg = 0; leg < 2 && w.count >= 20; leg++) {
            peaks[leg] = fmax(peaks[leg], w.normal[leg]);
            tangential = fmax(tangential, fabs(w.tangential[leg]));
        }
        if (w.count == 21 && e && e->kind == FF_TOUCHDOWN) {
            l.time = w.now.time;
            l.foot = e->contact;
            l.at = w.now;
        } else if (w.count == 21 && e && e->kind == FF_LIFTOFF) {
            l.lifted = w.now.time;
        }
        if (w.now.time <= l.time + 5e-3) {
            l.after = w.now;
            l.least_rate = fmin(l.least_rate, w.now.rate[l.foot]);
        }
        /* friction has its peak within steps */
        bool lands = w.now.time >= l.time && w.now.time < l.time + 5e-3;
        ff_sampler_step(&within, w.now.time, false);
        for (double at; lands && (at = ff_sampler_next(&within)) < w.now.time;
             ff_sampler_pass(&within)) {
            ff_sim_observe(w.run.sim, at);
            tangential = fmax(tangential, fabs(ff_sim_contact(w.run.sim, (size_t)l.foot).force[0]));
        }
    }
    ff_ledger ledger = ff_sim_ledger(w.run.sim);
    residual = fabs(ledger.residual) / ledger.scale;
    walk_end(&w);
    if (w.count < 22) {
        job_fail(job, "the walker fell after %zu steps", w.count);
    }

    /* fig. 4 */
    draw_strip(job, trace, count, w.steps[19].at.time, w.steps[21].at.time);
    job_near(job, "fig. 4: walks with stable and passive gait", "steps on a slope of 0.02 rad",
             NULL, (double)w.count, 22, 0, "as many as it is let walk");
    job_most(job, "abstract: equations of motion", "residual of the energy ledger of 22 steps",
             NULL, residual, 0, 1e-8, "the tolerance of the run is 1e-9");
    check_cycle(job, &w, &l);
    check_map(job);
    check_clearance(job, trace, count, w.steps[19].at.time);
    job_next(job);

    /* fig. 5 */
    draw_phases(job, trace, count, w.steps[18].at.time);
    job_next(job);

    /* fig. 6 */
    double front = 0;
    for (size_t i = 0; i < count; i++) {
        if (trace[i].p.time > w.steps[19].at.time) {
            front = fmax(front, fmax(trace[i].p.angle[0], trace[i].p.angle[1]));
        }
    }
    DRAW_LEGS(job, trace, count, 5.0, trace[i].p.angle[leg]);
    job_near(job, "fig. 6", "foremost angle of a leg", "rad", front, 0.28015057079743905, 1e-6,
             "independent integration, good to 1e-9; the greatest value at steps, of which those "
             "around it are up to 1 ms long");
    check_gains(job, &w);
    job_next(job);

    /* fig. 7 */
    DRAW_LEGS(job, trace, count, 2.0, trace[i].normal[leg] > 0 ? 1e3 * trace[i].depth[leg] : 0);
    job_next(job);

    /* fig. 8 */
    paper_curve *normal = job_curve(job, FF_PLOT_LINES, "normal"),
                *along = job_curve(job, FF_PLOT_LINES, "tangential");
    for (size_t i = 0; i < count && trace[i].p.time <= 2.0; i++) {
        curve_point(normal, trace[i].p.time, trace[i].normal[0]);
        curve_point(along, trace[i].p.time, trace[i].tangential[0]);
    }
    check_landing(job, &l, peaks, tangential);
    check_stance(job, trace, count, &l);
}
