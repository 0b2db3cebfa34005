/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#define _POSIX_C_SOURCE 200809L

/* The rolling sphere of Azad and Featherstone 2010 for 1 s and the 66 g drop of 2014, II.C: computing time, steps
 * and evaluations; then cost as a function of accuracy for each method. */

#include "law/params.h"
#include <footfall/footfall.h>
#include <math.h>
#include <stdio.h>

static ff_model *ball(double mass, double radius, double height, double speed, double g, double k,
                      double lambda, bool friction) {
    ff_scene *scene = ff_scene_create();
    ff_body_def body = ff_body_def_default();
    ff_pair_def pair = {.size = sizeof(ff_pair_def), .a = "ball", .b = "floor"};
    ff_model *model = NULL;
    ff_error error;
    body.name = "ball";
    body.mass = mass;
    body.position[2] = height;
    body.velocity[0] = body.velocity[1] = speed;
    ff_scene_set_gravity(scene, (double[]){0, 0, -g});
    ff_scene_add_sphere(scene, ff_scene_add_body(scene, &body), NULL, (double[]){0, 0, 0}, radius);
    ff_scene_add_plane(
        scene, &(ff_plane_def){.size = sizeof(ff_plane_def), .name = "floor", .normal = {0, 0, 1}});
    ff_normal_make(&pair.normal, ff_normal_law_find("azad-featherstone"),
                   (double[]){k, lambda, NAN, NAN}, NULL);
    if (friction) {
        ff_friction_make(&pair.friction, ff_friction_law_find("clutch"),
                         (double[]){0.2, 1.5 * k, lambda, 0.1, NAN, NAN, NAN}, NULL);
    }
    ff_scene_add_pair(scene, &pair);
    if (ff_model_create(scene, &model, &error) < 0) {
        printf("%s\n", error.text);
    }
    ff_scene_free(scene);
    return model;
}

typedef struct {
    double seconds, x, damper, residual,
        of_initial; /* residual relative to the energy scale and to the initial energy */
    ff_statistics statistics;
    ff_status status;
} outcome;

/* the best of several runs */
static outcome run(const ff_model *model, ff_method method, double tol, double dt, double until,
                   int times) {
    outcome best = {.seconds = HUGE_VAL};
    for (int i = 0; i < times; i++) {
        ff_run_options o = ff_run_options_default();
        ff_sim *sim;
        o.method = method;
        o.tol = tol;
        o.dt = dt > 0 ? dt : o.dt;
        if (ff_sim_create(model, &o, &sim, NULL) < 0) {
            break;
        }
        ff_status status;
        while ((status = ff_sim_advance(sim, until)) == FF_EVENT) {
        }
        ff_ledger l = ff_sim_ledger(sim);
        ff_statistics s = ff_sim_statistics(sim);
        best = (outcome){fmin(best.seconds, s.seconds),
                         ff_sim_body(sim, 0).position[0],
                         l.normal_damper,
                         l.residual / l.scale,
                         l.residual / l.initial,
                         s,
                         status};
        ff_sim_free(sim);
    }
    return best;
}

static void row(const char *what, const outcome *o, double error) {
    printf(
        "%-30s %9.4f ms %7ld steps %6ld rejected %8ld evaluations  error %8.1e  residual %8.1e%s\n",
        what, o->seconds * 1e3, o->statistics.steps, o->statistics.rejected,
        o->statistics.evaluations, error, fabs(o->residual), o->status ? "  (stopped)" : "");
}

int main(void) {
    ff_model *roll = ball(0.154, 0.0165, 0.1, 0.5, 9.81, 8.5e6, 3.1e3, true);
    ff_model *drop = ball(0.066, 0.0127, 1.0127, 0, 10, 1e10, 1e5, false);
    const double x = 0.374041242071, lost = 0.66000006533;
    outcome o;
    printf("one core; best of several runs; error: of x(1 s) in m, of the dissipated energy "
           "relative\n");
    o = run(roll, FF_AUTO, 1e-4, 0, 1, 400);
    row("rolling sphere, auto 1e-4", &o, fabs(o.x - x));
    printf("  its residual is %.1e of the initial energy; goal: at most 2e-5 in 0.35 ms\n",
           fabs(o.of_initial));
    o = run(roll, FF_DOPRI5, 1e-4, 0, 1, 40);
    row("rolling sphere, dopri5 1e-4", &o, fabs(o.x - x));
    o = run(roll, FF_AUTO, 1e-9, 0, 1, 10);
    row("rolling sphere, auto 1e-9", &o, fabs(o.x - x));
    o = run(roll, FF_RK4, 1, 1e-5, 1, 2);
    row("rolling sphere, rk4 10 us", &o, fabs(o.x - x));
    o = run(drop, FF_AUTO, 1e-5, 0, 5, 200);
    row("66 g drop, auto 1e-5", &o, fabs(o.damper / lost - 1));
    o = run(drop, FF_TRAPEZOID, 1e-5, 0, 5, 3);
    row("66 g drop, trapezoid 1e-5", &o, fabs(o.damper / lost - 1));
    printf("\ncost against accuracy, rolling sphere for 1 s\n");
    static const ff_method adaptive[] = {FF_AUTO, FF_DOPRI5, FF_ROSENBROCK, FF_TRAPEZOID};
    static const ff_method fixed[] = {FF_RK4, FF_HEUN, FF_SEMI_IMPLICIT, FF_EULER};
    for (int m = 0; m < 4; m++) {
        for (int i = 0; i < 5; i++) {
            double tol = pow(10, -4 - (m < 2 ? 1.5 : 0.75) * i);
            char what[64];
            o = run(roll, adaptive[m], tol, 0, 1, 3);
            snprintf(what, sizeof what, "%s %.1e", ff_method_name(adaptive[m]), tol);
            row(what, &o, fabs(o.x - x));
        }
    }
    for (int m = 0; m < 4; m++) {
        for (int i = 0; i < 5; i++) {
            double dt = 2e-4 / (1 << 2 * i);
            char what[64];
            o = run(roll, fixed[m], 1, dt, 1, 1);
            snprintf(what, sizeof what, "%s %.2g us", ff_method_name(fixed[m]), dt * 1e6);
            row(what, &o, fabs(o.x - x));
        }
    }
    ff_model_free(roll);
    ff_model_free(drop);
    return 0;
}
