/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#define _POSIX_C_SOURCE 200809L
#include "papers.h"
#include <footfall/elementary.h>
#include <math.h>
#include <string.h>
#include <time.h>

/* Figures 11 to 17: seven ways of enforcing constraints and three integration methods, over one step of the gait
 * with steps of 10 us. */

/* duration of one step of the gait in ms, and rows of five steps */
enum { WAYS = 7, STEP = 440, ROWS_MOST = 5 * STEP };

/* in the order of the paper, with its names */
static const struct {
    const char *name, *word;
} ways[WAYS] = {{"standard", "standard"}, {"baumgarte", "baumgarte"},
                {"penalty", "penalty"},   {"augmented", "augmented"},
                {"index1", "index1"},     {"index1aug", "index1-augmented"},
                {"described", "direct"}};
enum { STANDARD, BAUMGARTE, PENALTY, AUGMENTED, INDEX1, INDEX1AUG, DIRECT };

/* One way with one method, and its results. */
typedef struct held {
    ff_model *model;
    ff_sim *sim;
    double time[ROWS_MOST], violation[ROWS_MOST]; /* after each ms: s, and m or rad */
    size_t rows;
    double seconds;      /* CPU time */
    double most, hip[2]; /* largest violation; final position of the hip, m */
} held;

static double cpu_now(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static const char *scene_text(paper_job *job) {
    const paper_file *f = paper_files;
    while (f->name && strcmp(f->name, "corral2017/biped.yaml") != 0) {
        f++;
    }
    if (!f->name) {
        job_fail(job, "no file papers/corral2017/biped.yaml");
    }
    return f->text;
}

static void hold(paper_job *job, held *h, const char *way, const char *method) {
    const char *text = scene_text(job), *settings[] = {"run.until=3 s",
                                                       "run.formulation=maximal",
                                                       "run.dt=10 us",
                                                       "run.tol=1e-3",
                                                       job_text(job, "run.constraints=%s", way),
                                                       job_text(job, "run.method=%s", method)};
    ff_messages messages = {0};
    ff_error error = {""};
    ff_scene *scene;
    *h = (held){0};
    if (ff_scene_parse("papers/corral2017/biped.yaml", text, strlen(text), settings,
                       sizeof settings / sizeof *settings, INFINITY, &scene, &messages) < 0) {
        job_fail(job, "%s, %s: %s", way, method,
                 messages.count ? messages.at[0].text : "the scene cannot be read");
    }
    if (ff_model_create(scene, &h->model, &error) < 0 ||
        ff_sim_create(h->model, NULL, &h->sim, &error) < 0) {
        job_fail(job, "%s, %s: %s", way, method, error.text);
    }
    ff_scene_free(scene);
}

/* Runs all of them interleaved, one millisecond of simulated time each in turn, so that other load on the machine
 * affects all timings alike. */
static void run_held(paper_job *job, held *all, size_t count, int rows) {
    for (int row = 1; row <= rows; row++) {
        for (size_t i = 0; i < count; i++) {
            held *h = &all[i];
            double began = cpu_now();
            while (ff_sim_time(h->sim) < 1e-3 * row - 1e-9) {
                if (ff_sim_step(h->sim, 3) < 0) {
                    job_fail(job, "at %g s: %s", ff_sim_time(h->sim), ff_sim_error(h->sim));
                }
            }
            h->seconds += cpu_now() - began;
            h->time[h->rows] = ff_sim_time(h->sim);
            h->violation[h->rows++] = ff_sim_violation(h->sim).position;
        }
    }
    for (size_t i = 0; i < count; i++) {
        ff_joint_record hip = ff_sim_joint(all[i].sim, 0);
        all[i].most = ff_sim_violation_most(all[i].sim).position;
        memcpy(all[i].hip, hip.position, sizeof all[i].hip);
        ff_sim_free(all[i].sim);
        ff_model_free(all[i].model);
    }
}

static void draw_violation(paper_job *job, const held *h, const char *name, size_t colour) {
    paper_curve *c = job_curve(job, FF_PLOT_LINES, "%s", name);
    curve_colour(c, colour);
    for (size_t i = 0; i < h->rows; i++) {
        curve_point(c, h->time[i], h->violation[i]);
    }
}

/* The largest violation of some rows. */
static double greatest(const held *h, size_t from, size_t to) {
    double most = 0;
    for (size_t i = from; i < to; i++) {
        most = fmax(most, h->violation[i]);
    }
    return most;
}

static void check_ways(paper_job *job, const held *all) {
    static const char drift[] =
        "fig. 11: with standard the violation grows indefinitely, with the others not";
    static const char rounding[] = "a few roundings of coordinates of 0.4 m";
    for (int w = BAUMGARTE; w <= AUGMENTED; w++) {
        job_most(job, drift,
                 job_text(job, "%s: greatest violation of the second half, of that of the first",
                          ways[w].name),
                 NULL, greatest(&all[w], STEP / 2, STEP) / greatest(&all[w], 0, STEP / 2), 1, 0.1,
                 "it follows the motion and goes back with it");
    }
    for (int w = INDEX1; w <= DIRECT; w++) {
        job_most(job,
                 w == DIRECT ? "fig. 11: direct correction completely eliminates the violation"
                             : drift,
                 job_text(job, "%s: greatest violation", ways[w].name), "m", all[w].most, 0, 1e-14,
                 rounding);
    }
    job_check(job, &(check){.where = "fig. 11: augmented behaves better than those before it",
                            .quantity = "greatest violation of augmented, of that of baumgarte",
                            .relation = CHECK_AT_MOST,
                            .value = all[AUGMENTED].most / all[BAUMGARTE].most,
                            .expected = 0.5,
                            .why = "better by a factor of 2 would be seen",
                            .otherwise = "both pull back with the same frequency and damping, and "
                                         "are equal where iterations of augmented converge",
                            .instead = 1,
                            .instead_within = 0.05});
    job_check(job, &(check){.where = "sect. 4: augmented, direct and baumgarte have the same order "
                                     "of magnitude",
                            .quantity = "greatest violation of direct, of that of baumgarte",
                            .relation = CHECK_AT_LEAST,
                            .value = all[DIRECT].most / all[BAUMGARTE].most,
                            .expected = 0.1,
                            .why = "one order of magnitude",
                            .otherwise = "direct is at rounding, nine orders below; the sentence "
                                         "before says that it eliminates the violation",
                            .instead = 0,
                            .instead_within = 1e-6});
    double apart = 0;
    for (int w = 0; w < WAYS; w++) {
        apart = fmax(apart, ff_math.hypot(all[w].hip[0] - all[INDEX1].hip[0],
                                          all[w].hip[1] - all[INDEX1].hip[1]));
    }
    job_most(job, "sect. 4: works properly with all the methods",
             "greatest distance between hips at 0.44 s, of seven ways", "m", apart, 0, 1e-4,
             "Euler with 10 us is good to some 1e-5 m here");
}

static void check_costs(paper_job *job, const held *all) {
    double base = all[STANDARD].seconds;
    static const char noise[] = "ratios of CPU time, measured side by side, repeat to within 20 %";
    double correct =
        (all[INDEX1].seconds + all[INDEX1AUG].seconds + all[DIRECT].seconds) / 3 / base;
    for (int w = BAUMGARTE; w <= AUGMENTED; w++) {
        if (w != PENALTY) {
            job_near(job, "fig. 14: baumgarte and augmented take a similar time",
                     job_text(job, "time of %s, of that of standard", ways[w].name), NULL,
                     all[w].seconds / base, 1, 0.6, noise);
        }
    }
    job_least(job, "fig. 14: standard, baumgarte and augmented are the most efficient",
              "time of the three that correct after each step, of that of standard", NULL, correct,
              1.5, 0.2, noise);
    job_least(job, "fig. 14: standard is the most efficient",
              "least time of another way, of that of standard", NULL,
              fmin(all[BAUMGARTE].seconds, fmin(all[PENALTY].seconds, all[AUGMENTED].seconds)) /
                  base,
              1, 0.3, noise);
}

static void corral_ways(paper_job *job) {
    held *all = job_room(job, WAYS, sizeof *all);
    for (int w = 0; w < WAYS; w++) {
        hold(job, &all[w], ways[w].word, "euler");
    }
    run_held(job, all, WAYS, STEP);

    /* fig. 11: on a logarithmic scale, so that all are visible */
    for (size_t w = 0; w < WAYS; w++) {
        draw_violation(job, &all[w], ways[w].name, w + 1);
    }
    check_ways(job, all);
    job_next(job);
    /* fig. 12: on the scale of the paper */
    for (size_t w = 0; w < WAYS; w++) {
        draw_violation(job, &all[w], ways[w].name, w + 1);
    }
    job_next(job);
    /* fig. 13 */
    for (size_t w = 1; w < WAYS; w++) {
        draw_violation(job, &all[w], ways[w].name, w + 1);
    }
    job_next(job);
    /* fig. 14: bars */
    for (size_t w = 0; w < WAYS; w++) {
        paper_curve *c = job_curve(job, FF_PLOT_LINES, "%s", ways[w].name);
        double ratio = all[w].seconds / all[STANDARD].seconds, x = (double)w + 1;
        curve_colour(c, w + 1);
        curve_point(c, x - 0.3, 0);
        curve_point(c, x - 0.3, ratio);
        curve_point(c, x + 0.3, ratio);
        curve_point(c, x + 0.3, 0);
    }
    check_costs(job, all);
}

/* Drift needs more than one step of the gait to become visible. */
static void corral_drift(paper_job *job) {
    static const char where[] =
        "fig. 11: with standard the violation grows indefinitely, with baumgarte not";
    held *all = job_room(job, 2, sizeof *all);
    for (size_t w = 0; w < 2; w++) {
        hold(job, &all[w], ways[w].word, "euler");
    }
    run_held(job, all, 2, ROWS_MOST);
    for (size_t w = 0; w < 2; w++) {
        draw_violation(job, &all[w], ways[w].name, w + 1);
        double ratio = greatest(&all[w], ROWS_MOST - STEP, ROWS_MOST) / greatest(&all[w], 0, STEP);
        if (w == STANDARD) {
            job_least(job, where, "standard: greatest violation of the fifth step, of the first's",
                      NULL, ratio, 1.5, 0, "half as much again within four steps is growth");
        } else {
            job_most(job, where, "baumgarte: the same", NULL, ratio, 1, 0.1, "it does not grow");
        }
    }
}

/* ---- figures 15 to 17: methods ---- */

static void corral_methods(paper_job *job) {
    enum { METHODS = 3, ODE = 0, EULER, RUNGE2 };
    static const struct {
        const char *name, *word;
    } methods[METHODS] = {{"ode", "rosenbrock"}, {"euler", "euler"}, {"runge2", "heun"}};
    static const struct {
        const char *name, *where;
    } held_by[2] = {{"augmented", "fig. 15"}, {"standard", "fig. 16"}};
    held *all = job_room(job, 2 * METHODS, sizeof *all);
    for (int w = 0; w < 2; w++) {
        for (int m = 0; m < METHODS; m++) {
            hold(job, &all[w * METHODS + m], held_by[w].name, methods[m].word);
        }
    }
    run_held(job, all, 2 * METHODS, STEP);
    for (int w = 0; w < 2; w++) {
        const held *h = &all[w * METHODS];
        for (size_t m = 0; m < METHODS; m++) {
            draw_violation(job, &h[m], methods[m].name, m + 1);
        }
        const char *where = job_text(job, "%s: Runge-Kutta controls the violation best, %s",
                                     held_by[w].where, held_by[w].name);
        job_most(job, where, "greatest violation of runge2, of that of euler", NULL,
                 h[RUNGE2].most / h[EULER].most, 0.1, 0, "very different orders of magnitude");
        job_most(job, where, "greatest violation of euler, of that of ode", NULL,
                 h[EULER].most / h[ODE].most, 0.1, 0,
                 "very different orders of magnitude; ode at MATLAB's relative tolerance of 1e-3");
        job_next(job);
    }
    for (size_t m = 0; m < METHODS; m++) {
        paper_curve *c = job_curve(job, FF_PLOT_LINES, "%s", methods[m].name);
        for (int w = 0; w < 2; w++) {
            double seconds = all[(size_t)w * METHODS + m].seconds, x = (double)m + 1 + 4 * w;
            curve_point(c, x - 0.4, 0);
            curve_point(c, x - 0.4, seconds);
            curve_point(c, x + 0.4, seconds);
            curve_point(c, x + 0.4, 0);
            curve_gap(c);
        }
    }
    for (int w = 0; w < 2; w++) {
        const held *h = &all[w * METHODS];
        static const char noise[] =
            "CPU time, measured side by side; two evaluations a step against one";
        job_least(job, "fig. 17: Runge-Kutta is the least efficient",
                  job_text(job, "time of runge2, of that of euler, %s", held_by[w].name), NULL,
                  h[RUNGE2].seconds / h[EULER].seconds, 1.2, 0, noise);
        job_most(job, "fig. 17: ode needs much less time",
                 job_text(job, "time of ode, of that of euler, %s", held_by[w].name), NULL,
                 h[ODE].seconds / h[EULER].seconds, 0.5, 0,
                 "less than half is much less; steps where they are needed, and implicit ones");
    }
}

/* The other figures are in papers/corral2017/study.yaml. */
static const paper_figure figures[] = {
    {.id = "fig11", .slow = true, .make = corral_ways},
    {.id = "fig12"},
    {.id = "fig13"},
    {.id = "fig14"},
    {.id = "drift", .slow = true, .make = corral_drift},
    {.id = "fig15", .make = corral_methods},
    {.id = "fig16"},
    {.id = "fig17"},
};

const paper paper_corral2017 = {
    .name = "corral2017",
    .figures = figures,
    .figure_count = sizeof figures / sizeof *figures,
    .study = true,
};
