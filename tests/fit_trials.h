/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

/* Synthetic experiments of every kind that ff_fit() accepts, with Gaussian scatter, and how often its intervals
 * contain the true value. tests/test_fit.c makes some trials, bench/fit.c as many as requested. */

#include <footfall/footfall.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { TRIAL_ROWS = 400, TRIAL_COLUMNS = 6 };

typedef struct trial {
    double column[TRIAL_COLUMNS][TRIAL_ROWS];
    uint64_t seed;
    ff_normal truth;
    ff_fit_data data;
    ff_fit_options options;
} trial;

/* splitmix64, so that neighbouring seeds are independent */
static inline double trial_uniform(trial *t) {
    uint64_t x = t->seed += 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return (double)((x ^ (x >> 31)) >> 11) * 0x1p-53;
}

/* Box-Muller */
static inline double trial_normal(trial *t) {
    const double radius = sqrt(-2 * ff_math.log(trial_uniform(t) + 0x1p-60));
    return radius * ff_math.cos(2 * FF_PI * trial_uniform(t));
}

/* A steel ball of 154 g on cork, as in Azad and Featherstone. */
static inline void trial_ball(trial *t, const char *law) {
    ff_normal_init(&t->truth, ff_normal_law_find(law), NULL);
    ff_normal_set(&t->truth, "k", 8.5e6, NULL);
    ff_normal_set(&t->truth, "lambda", 3.1e3, NULL);
    if (strcmp(law, "general") == 0) {
        const ff_param_value values[] = {{"n", 1.5}, {"p", 0.5}, {"lambda_out", 2e3}};
        ff_normal_set_all(&t->truth, values, 3, NULL);
    }
    t->options = ff_fit_options_default();
    t->options.mass = 0.154;
}

static inline double trial_speed(int i, int count) {
    return 0.1 * ff_math.pow(30, (double)i / (count - 1));
}

static void make_restitution(trial *t, bool known, bool times) {
    enum { POINTS = 12 };
    double(*c)[TRIAL_ROWS] = t->column;
    for (int i = 0; i < POINTS; i++) {
        ff_impact at;
        c[0][i] = trial_speed(i, POINTS);
        ff_impact_solve(&t->truth, 0.154, c[0][i], &at);
        c[1][i] = at.restitution + 0.02 * trial_normal(t);
        c[2][i] = 0.02;
        c[3][i] = at.contact_time * (1 + 0.02 * trial_normal(t));
        c[4][i] = 0.02 * at.contact_time;
    }
    t->data = (ff_fit_data){.kind = FF_FIT_RESTITUTION,
                            .count = POINTS,
                            .speed = c[0],
                            .restitution = c[1],
                            .sigma = known ? c[2] : NULL,
                            .contact_time = times ? c[3] : NULL,
                            .time_sigma = times ? c[4] : NULL};
}

static void make_scattered(trial *t) { make_restitution(t, false, false); }
static void make_timed(trial *t) { make_restitution(t, true, true); }

/* A fall from 1 m and ten touch-downs, timed to 0.5 ms by sound, with `scatter` of the restitutions. */
static void make_clicks(trial *t, double reading, double scatter) {
    enum { CLICKS = 10 };
    double time = 0.2, speed = sqrt(2 * 9.81 * 1);
    for (int i = 0; i < CLICKS; i++) {
        ff_impact at;
        t->column[0][i] = time + reading * trial_normal(t);
        ff_impact_solve(&t->truth, 0.154, speed, &at);
        speed *= at.restitution + scatter * trial_normal(t);
        time += at.clear_time + 2 * speed / 9.81;
    }
    t->data = (ff_fit_data){.kind = FF_FIT_BOUNCES, .count = CLICKS, .time = t->column[0]};
}

static void make_heard(trial *t) { make_clicks(t, 0.5e-3, 0); }
static void make_rough(trial *t) { make_clicks(t, 0, 0.01); }

/* Falls from heights between 10 cm and 2 m, rebounds read to 3 mm. */
static void make_drops(trial *t) {
    enum { DROPS = 10 };
    double(*c)[TRIAL_ROWS] = t->column;
    for (int i = 0; i < DROPS; i++) {
        c[0][i] = 0.1 + 1.9 * i / (DROPS - 1);
        double e = ff_impact_restitution(&t->truth, 0.154, sqrt(2 * 9.81 * c[0][i]));
        c[1][i] = e * e * c[0][i] + 0.003 * trial_normal(t);
    }
    t->data = (ff_fit_data){.kind = FF_FIT_HEIGHTS, .count = DROPS, .drop = c[0], .rebound = c[1]};
}

/* Heights of successive bounces after a fall from 1 m. */
static void make_heights(trial *t, double reading, double scatter) {
    enum { HEIGHTS = 6 };
    double height = 1;
    for (int i = 0; i < HEIGHTS; i++) {
        t->column[0][i] = height + reading * trial_normal(t);
        double e = ff_impact_restitution(&t->truth, 0.154, sqrt(2 * 9.81 * height));
        e += scatter * trial_normal(t);
        height *= e * e;
    }
    t->data = (ff_fit_data){.kind = FF_FIT_HEIGHTS, .count = HEIGHTS, .height = t->column[0]};
}

static void make_read(trial *t) { make_heights(t, 0.001, 0); }
static void make_uneven(trial *t) { make_heights(t, 0, 0.01); }

/* One impact at 1 m/s: 40 samples in contact and 10 before and after, the first not at touch-down, with force
 * noise of `noise` times the maximum. Depths and rates are exact. */
static void make_impact(trial *t, ff_fit_kind kind, double noise) {
    enum { SAMPLES = 60, FINE = 4000 };
    static ff_impact_point fine[FINE];
    double(*c)[TRIAL_ROWS] = t->column;
    ff_impact at;
    ff_impact_solve(&t->truth, 0.154, 1, &at);
    ff_impact_curve(&t->truth, 0.154, 1, FINE, fine);
    const double step = at.contact_time / 40, first = (-10 + trial_uniform(t)) * step;
    int p = 0;
    for (int i = 0; i < SAMPLES; i++) {
        const double time = first + i * step;
        while (p + 2 < FINE && fine[p + 1].time < time) {
            p++;
        }
        const double part = (time - fine[p].time) / (fine[p + 1].time - fine[p].time);
        const bool in = time > 0 && time < fine[FINE - 1].time;
        c[0][i] = 3 + time;
        c[1][i] = (in ? fine[p].force + part * (fine[p + 1].force - fine[p].force) : 0) +
                  noise * at.max_force * trial_normal(t);
        c[2][i] = time <= 0 ? time
                  : in      ? fine[p].depth + part * (fine[p + 1].depth - fine[p].depth)
                            : -at.restitution * (time - fine[FINE - 1].time);
        c[3][i] = time <= 0 ? 1
                  : in      ? fine[p].velocity + part * (fine[p + 1].velocity - fine[p].velocity)
                            : -at.restitution;
    }
    t->data = (ff_fit_data){.kind = kind, .count = SAMPLES, .force = c[1]};
    if (kind == FF_FIT_FORCE_TIME) {
        t->data.time = c[0];
    } else {
        t->data.depth = c[2];
        t->data.rate = c[3];
    }
}

static void make_pulse(trial *t) { make_impact(t, FF_FIT_FORCE_TIME, 0.01); }
/* A better sensor and a known speed: five parameters can be determined. */
static void make_pulse_fine(trial *t) {
    make_impact(t, FF_FIT_FORCE_TIME, 1e-3);
    t->options.speed = 1;
}
static void make_loop(trial *t) { make_impact(t, FF_FIT_FORCE_DEPTH, 0.01); }
static void make_loop_timed(trial *t) {
    make_impact(t, FF_FIT_FORCE_DEPTH, 0.01);
    t->data.rate = NULL;
    t->data.time = t->column[0];
}

typedef struct experiment {
    const char *name, *law;
    const char *free[FF_LAW_PARAMS]; /* empty: those that ff_fit() chooses */
    void (*make)(trial *t);
} experiment;

static const experiment experiments[] = {
    {"restitution", "azad-featherstone", {NULL}, make_scattered},
    {"restitution and contact times", "azad-featherstone", {"k", "lambda"}, make_timed},
    {"bounce times, clicks scatter", "azad-featherstone", {NULL}, make_heard},
    {"bounce times, bounces scatter", "azad-featherstone", {NULL}, make_rough},
    {"drop and rebound", "azad-featherstone", {NULL}, make_drops},
    {"heights, readings scatter", "azad-featherstone", {NULL}, make_read},
    {"heights, bounces scatter", "azad-featherstone", {NULL}, make_uneven},
    {"force against time", "azad-featherstone", {NULL}, make_pulse},
    {"five of force against time",
     "general",
     {"k", "n", "lambda", "p", "lambda_out"},
     make_pulse_fine},
    {"force against depth and rate", "azad-featherstone", {NULL}, make_loop},
    {"force against depth and time", "azad-featherstone", {NULL}, make_loop_timed},
    {"five of force against depth", "general", {"k", "n", "lambda", "p", "lambda_out"}, make_loop},
};
enum { EXPERIMENTS = sizeof experiments / sizeof *experiments };

/* One trial: bit mask of the estimated parameters whose intervals contain the true value. */
static inline ff_status trial_run(const experiment *e, uint64_t seed, ff_fit_result *out,
                                  unsigned *inside, ff_error *error) {
    static trial t;
    ff_normal law;
    size_t count = 0;
    t.seed = seed * 0xd1342543de82ef95u;
    trial_ball(&t, e->law);
    e->make(&t);
    while (e->free[count]) {
        count++;
    }
    t.options.free = count ? e->free : NULL;
    t.options.free_count = count;
    law = t.truth;
    ff_status status = ff_fit(&law, &t.data, &t.options, out, NULL, error);
    *inside = 0;
    for (int i = 0; status == FF_OK && i < out->unknowns; i++) {
        const double truth = ff_normal_value(&t.truth, out->params[i].name);
        *inside |= (out->params[i].low <= truth && truth <= out->params[i].high) ? 1u << i : 0u;
    }
    return status;
}
