/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include <footfall/footfall.h>
#include <math.h>
#include <stdio.h>

/* The scene of scenes/rolling.yaml, built in C: a sphere thrown on a plane with friction. */
static ff_scene *rolling(ff_error *error) {
    ff_scene *scene = ff_scene_create();
    ff_body_def ball = ff_body_def_default();
    ball.name = "ball";
    ball.mass = 0.154;
    ball.position[2] = 0.1;
    ball.velocity[0] = ball.velocity[1] = 0.5;
    int body = ff_scene_add_body(scene, &ball);
    ff_scene_add_sphere(scene, body, NULL, (double[]){0, 0, 0}, 0.0165);
    ff_scene_add_plane(
        scene, &(ff_plane_def){.size = sizeof(ff_plane_def), .name = "floor", .normal = {0, 0, 1}});

    ff_pair_def pair = {.size = sizeof(ff_pair_def), .a = "ball", .b = "floor"};
    ff_normal_init(&pair.normal, ff_normal_law_find("azad-featherstone"), error);
    ff_friction_init(&pair.friction, ff_friction_law_find("clutch"), error);
    const ff_param_value friction[] = {
        {"mu", 0.2}, {"k", 12.75e6}, {"damping", 3.1e3}, {"viscous", 0.1}};
    if (ff_normal_set(&pair.normal, "k", 8.5e6, error) < 0 ||
        ff_normal_set(&pair.normal, "lambda", 3.1e3, error) < 0 ||
        ff_friction_set_all(&pair.friction, friction, 4, error) < 0 ||
        ff_scene_add_pair(scene, &pair) < 0) {
        ff_scene_free(scene);
        return NULL;
    }
    return scene;
}

/* Advances event by event to 1 s and prints the events. */
static ff_status advance(const ff_model *model, ff_sim *sim) {
    ff_status status;
    while ((status = ff_sim_advance(sim, 1)) == FF_EVENT) {
        const ff_event *event = ff_sim_event(sim);
        ff_contact_record contact = ff_sim_contact(sim, (size_t)event->contact);
        printf("%.9f s  %-9s %s  closing %9.6f m/s, slip %.6f m/s\n", event->time,
               ff_event_name(event->kind), ff_model_contact_name(model, (size_t)event->contact),
               contact.rate, hypot(contact.slip[0], contact.slip[1]));
    }
    return status;
}

int main(void) {
    ff_error error = {""};
    ff_model *model = NULL;
    ff_sim *sim = NULL;
    ff_scene *scene = rolling(&error);
    ff_run_options options = ff_run_options_default();
    options.tol = 1e-10;
    ff_status status = scene ? ff_model_create(scene, &model, &error) : FF_BAD_VALUE;
    status = status < 0 ? status : ff_sim_create(model, &options, &sim, NULL);
    status = status < 0 ? status : advance(model, sim);
    if (status < 0) {
        fprintf(stderr, "%s: %s\n", ff_status_text(status), error.text);
    } else {
        ff_motion ball = ff_sim_body(sim, 0);
        ff_ledger ledger = ff_sim_ledger(sim);
        printf("at %g s: x %.9f m, vx %.9f m/s (5/7 of 0.5 m/s is left)\n", ff_sim_time(sim),
               ball.position[0], ball.velocity[0]);
#define PRINT(account) printf("%-18s %13.6e J\n", #account, ledger.account);
        FF_LEDGER_LIST(PRINT)
#undef PRINT
        printf("%-18s %13.6e J\nresidual is %.1e of scale\n", "initial", ledger.initial,
               fabs(ledger.residual) / ledger.scale);
        status = fabs(ledger.residual) < 1e-9 * ledger.scale ? FF_OK : FF_NO_CONVERGENCE;
    }
    ff_sim_free(sim);
    ff_model_free(model);
    ff_scene_free(scene);
    return status < 0;
}
