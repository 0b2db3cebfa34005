/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#define _POSIX_C_SOURCE 200809L

/* Cost of the law `bed` relative to a single clutch of the same stiffness and damping time, at the same tolerance:
 * evaluations and time of an impact of a sphere on a floor as a function of its slip speed v_s/(mu v_n), and of a
 * rolling sphere. Times are the best of several runs, taken in turn, so that noise affects both alike. The first
 * argument is the tolerance (default 1e-6); the second is the number of a case, which is then run alone a hundred
 * times with `bed`, for a profiler. */

#include "clock.h"
#include <footfall/footfall.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* 1 kg, 0.1 m, k = 1e6 N/m^1.5: at 1 m/s, 4.3 mm deep and 13 ms in contact */
#define SCENE                                                                                      \
    "gravity: [0, 0, %g]\n"                                                                        \
    "bodies: {ball: {mass: 1, inertia: [4e-3, 4e-3, 4e-3], shape: {sphere: {radius: 0.1}}, "       \
    "position: [0, 0, %.17g], velocity: [%g, 0, %g], omega: [0, %g, 0]}}\n"                        \
    "ground: {floor: {plane: {point: [0, 0, 0], normal: [0, 0, 1]}}}\n"                            \
    "pairs: [{between: [ball, floor], normal: {law: azad-featherstone, k: 1e6, lambda: %g, "       \
    "detach: local}, friction: {law: %s, mu: 0.3, %s}}]\nrun: {until: %g, tol: %g}\n"

typedef struct {
    const char *name;
    double slip;   /* v_s/(mu v_n) before an impact at 1 m/s; NAN: the sphere rolls */
    double lambda; /* 90: e = 0.98, 900: e = 0.82 */
} cost_case;

static const cost_case cases[] = {{"sticks", 0.5, 90}, {"sticks", 0.5, 900}, {"sticks", 1, 90},
                                  {"sticks", 1, 900},  {"slides", 2.5, 90},  {"slides", 2.5, 900},
                                  {"slides", 4, 90},   {"slides", 4, 900},   {"slides", 8, 90},
                                  {"slides", 8, 900},  {"rolls", NAN, 90},   {"rolls", NAN, 900}};
enum { CASES = sizeof cases / sizeof *cases };

static ff_model *model_of(const cost_case *c, bool bed, double tol) {
    const bool rolls = isnan(c->slip);
    char text[2000], friction[200];
    const double k = 0.87 * 1.5e6, tau = c->lambda / 1.5e6;
    if (bed) {
        snprintf(friction, sizeof friction, "ratio: 0.87");
    } else {
        snprintf(friction, sizeof friction, "k: %.17g, damping: %.17g", k, k * tau);
    }
    /* a rolling sphere starts at its static depth */
    snprintf(text, sizeof text, SCENE, rolls ? -9.81 : 0,
             rolls ? 0.1 - pow(9.81 / 1e6, 2.0 / 3) : 0.1, rolls ? 1 : 0.3 * c->slip,
             rolls ? 0.0 : -1, rolls ? 10.0 : 0, c->lambda, bed ? "bed" : "clutch", friction,
             rolls ? 1 : 0.02, tol);
    ff_messages messages = {0};
    ff_scene *scene = NULL;
    ff_model *model = NULL;
    ff_error error = {""};
    if (ff_scene_parse("bed.yaml", text, strlen(text), NULL, 0, INFINITY, &scene, &messages) < 0 ||
        ff_model_create(scene, &model, &error) < 0) {
        fprintf(stderr, "the scene was refused: %s\n",
                messages.count ? messages.at[0].text : error.text);
        exit(1);
    }
    ff_scene_free(scene);
    return model;
}

/* one run: time in seconds, evaluations, and final speeds */
static double run(const ff_model *model, long *evaluations, double speeds[2]) {
    ff_sim *sim;
    if (ff_sim_create(model, NULL, &sim, NULL) < 0) {
        exit(1);
    }
    const double start = bench_now();
    while (ff_sim_time(sim) < ff_model_run(model)->until) {
        if (ff_sim_step(sim, ff_model_run(model)->until) < 0) {
            fprintf(stderr, "a run failed\n");
            exit(1);
        }
    }
    const double passed = bench_now() - start;
    *evaluations = ff_sim_statistics(sim).evaluations;
    speeds[0] = ff_sim_body(sim, 0).velocity[0];
    speeds[1] = 0.1 * ff_sim_body(sim, 0).omega[1];
    ff_sim_free(sim);
    return passed;
}

int main(int argc, char **argv) {
    const double tol = argc > 1 ? atof(argv[1]) : 1e-6;
    long evaluations[2];
    double at[2], known[2];
    if (argc > 2) {
        ff_model *model = model_of(&cases[atoi(argv[2]) % CASES], true, tol);
        for (int i = 0; i < 100; i++) {
            run(model, evaluations, at);
        }
        ff_model_free(model);
        return 0;
    }
    printf(
        "tol %g\n%-8s %8s %6s   %s\n", tol, "", "v_s/mu v", "lambda",
        "evaluations: clutch, bed, ratio   time, us: clutch, bed, ratio   errors of speeds, m/s");
    for (int i = 0; i < CASES; i++) {
        ff_model *models[2] = {model_of(&cases[i], false, tol), model_of(&cases[i], true, tol)};
        double best[2] = {HUGE_VAL, HUGE_VAL}, error[2];
        for (int k = 0; k < 2; k++) {
            ff_model *fine = model_of(&cases[i], k == 1, 1e-11);
            run(fine, &evaluations[k], known);
            run(models[k], &evaluations[k], at);
            error[k] = fmax(fabs(at[0] - known[0]), fabs(at[1] - known[1]));
            ff_model_free(fine);
        }
        for (int turn = 0; turn < 30; turn++) {
            for (int k = 0; k < 2; k++) {
                best[k] = fmin(best[k], run(models[k], &evaluations[k], at));
            }
        }
        printf("%-8s %8g %6g   %7ld %7ld %6.2f   %8.1f %8.1f %6.2f   %.1e %.1e\n", cases[i].name,
               cases[i].slip, cases[i].lambda, evaluations[0], evaluations[1],
               (double)evaluations[1] / (double)evaluations[0], 1e6 * best[0], 1e6 * best[1],
               best[1] / best[0], error[0], error[1]);
        ff_model_free(models[0]);
        ff_model_free(models[1]);
    }
    return 0;
}
