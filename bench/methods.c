/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#define _POSIX_C_SOURCE 200809L

/* The rolling sphere, the 66 g drop and two colliding spheres by every method that controls its error, at two
 * tolerances: steps, evaluations, error, residual of the ledger and time. To be run where scenes/ is. */

#include <footfall/footfall.h>
#include <math.h>
#include <stdio.h>

typedef struct {
    double event; /* time of the last touch-down */
    double x, v, lost, scale;
    double residual, seconds;
    ff_statistics statistics;
    ff_status status;
} outcome;

static outcome run(const ff_model *model, ff_method method, double tol, double until) {
    ff_run_options o = ff_run_options_default();
    ff_sim *sim;
    outcome out = {0};
    o.method = method;
    o.tol = tol;
    out.status = ff_sim_create(model, &o, &sim, NULL);
    if (out.status < 0) {
        return out;
    }
    while ((out.status = ff_sim_advance(sim, until)) == FF_EVENT) {
        const ff_event *e = ff_sim_event(sim);
        out.event = e->kind == FF_TOUCHDOWN ? e->time : out.event;
    }
    ff_ledger l = ff_sim_ledger(sim);
    ff_motion m = ff_sim_body(sim, 0);
    out.x = m.position[0] + m.position[1] + m.position[2];
    out.v = m.velocity[0] + m.velocity[1] + m.velocity[2];
    out.lost = l.normal_damper + l.tangential_damper + l.slip + l.viscous;
    out.scale = l.scale;
    out.residual = fabs(l.residual) / l.scale;
    out.statistics = ff_sim_statistics(sim);
    out.seconds = out.statistics.seconds;
    ff_sim_free(sim);
    return out;
}

/* the greatest of: time of the last touch-down, position and velocity at the end, energy lost of scale */
static double error_of(const outcome *o, const outcome *exact) {
    return fmax(fmax(fabs(o->event - exact->event), fabs(o->x - exact->x)),
                fmax(fabs(o->v - exact->v), fabs(o->lost - exact->lost) / exact->scale));
}

int main(void) {
    static const struct {
        const char *file, *name;
        double until;
    } scenes[] = {{"scenes/rolling.yaml", "rolling sphere", 1},
                  {"scenes/drop.yaml", "66 g drop", 5},
                  {"scenes/collision.yaml", "two colliding spheres", 0.05}};
    static const ff_method methods[] = {FF_AUTO,       FF_DOPRI5, FF_DOP853,
                                        FF_ROSENBROCK, FF_RODAS,  FF_TRAPEZOID};
    for (int s = 0; s < 3; s++) {
        ff_scene *scene;
        ff_model *model;
        if (ff_scene_read(scenes[s].file, NULL, 0, &scene, NULL) < 0 ||
            ff_model_create(scene, &model, NULL) < 0) {
            printf("%s cannot be read\n", scenes[s].file);
            return 1;
        }
        outcome exact = run(model, FF_DOPRI5, 1e-13, scenes[s].until);
        printf("%s, %g s\n%-14s %6s %9s %9s %11s %9s %9s %11s\n", scenes[s].name, scenes[s].until,
               "method", "tol", "steps", "rejected", "evaluations", "error", "residual",
               "time (ms)");
        for (int i = 0; i < 6; i++) {
            for (int fine = 0; fine < 2; fine++) {
                double tol = fine ? 1e-9 : 1e-6;
                outcome o = run(model, methods[i], tol, scenes[s].until);
                /* the best of several, within half a second */
                for (int again = 0; again < 20 && again * o.seconds < 0.5; again++) {
                    o.seconds =
                        fmin(o.seconds, run(model, methods[i], tol, scenes[s].until).seconds);
                }
                printf("%-14s %6.0e ", ff_method_name(methods[i]), tol);
                if (o.status < 0) {
                    printf("%s\n", ff_status_text(o.status));
                } else {
                    printf("%9ld %9ld %11ld %9.1e %9.1e %11.3f\n", o.statistics.steps,
                           o.statistics.rejected, o.statistics.evaluations, error_of(&o, &exact),
                           o.residual, o.seconds * 1e3);
                }
            }
        }
        printf("\n");
        ff_model_free(model);
        ff_scene_free(scene);
    }
    return 0;
}
