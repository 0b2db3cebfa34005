/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include <footfall/footfall.h>
#include <math.h>
#include <stdio.h>

/* The controller of scenes/hopper.yaml in C: a trunk on a vertical guide hops on a leg. Sampled at 1 kHz; the same
 * arithmetic in the same order gives the same bits as the expressions of the file. */

enum { LEG = 1, FOOT_ON_FLOOR = 0 };

static void hop(void *user, const ff_control_view *view, double *states, double *rates,
                double (*commands)[6]) {
    const double k = 6000, c = 40, rest = 0.5, thrust = 120, hold = 3000, still = 60;
    const ff_joint_view leg = ff_control_joint(view, LEG);
    const double q = leg.position[0], rate = leg.rate[0];
    (void)user, (void)states, (void)rates;
    /* in stance a spring with a push during extension; in flight the leg is held at its rest length */
    commands[0][0] = ff_control_contact(view, FOOT_ON_FLOOR).touching
                         ? k * (rest - q) - c * rate + (rate > 0 ? thrust : 0)
                         : hold * (rest - q) - still * rate;
}

static void count(void *user, const ff_control_view *view, const ff_event *event, double *states) {
    (void)user, (void)view;
    states[0] += event->kind == FF_TOUCHDOWN;
}

/* the highest point of a hop is an event, as in the file */
static double apex(void *user, double time, const ff_motion *bodies) {
    (void)user, (void)time;
    return bodies[0].velocity[2];
}

static ff_scene *hopper(ff_error *error) {
    ff_scene *scene = ff_scene_create();
    ff_body_def trunk = ff_body_def_default(), foot = ff_body_def_default();
    trunk.name = "trunk", trunk.mass = 10;
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            trunk.inertia[i][j] = i == j ? 0.1 : 0;
        }
    }
    foot.name = "foot", foot.mass = 0.5;
    const int trunk_body = ff_scene_add_body(scene, &trunk),
              foot_body = ff_scene_add_body(scene, &foot);
    ff_scene_add_sphere(scene, foot_body, NULL, (double[]){0, 0, 0}, 0.03);
    ff_plane_def floor = ff_plane_def_default();
    floor.name = "floor";
    ff_scene_add_plane(scene, &floor);

    ff_joint_def guide = ff_joint_def_default(), leg = ff_joint_def_default();
    guide.name = "guide", guide.kind = FF_JOINT_PRISMATIC, guide.second = trunk_body;
    guide.start[0] = 0.8, guide.rate[0] = 0;
    leg.name = "leg", leg.kind = FF_JOINT_PRISMATIC, leg.first = trunk_body;
    leg.second = foot_body, leg.axis[2] = -1, leg.start[0] = 0.5, leg.rate[0] = 0;
    ff_scene_add_joint(scene, &guide);
    const int leg_joint = ff_scene_add_joint(scene, &leg);

    ff_pair_def pair = ff_pair_def_default();
    pair.a = "foot", pair.b = "floor";
    if (ff_normal_init(&pair.normal, ff_normal_law_find("hunt-crossley"), error) < 0 ||
        ff_normal_set(&pair.normal, "k", 1.5e7, error) < 0 ||
        ff_normal_set(&pair.normal, "lambda", 3e7, error) < 0 ||
        ff_scene_add_pair(scene, &pair) < 0) {
        ff_scene_free(scene);
        return NULL;
    }

    ff_force_def motor = ff_force_def_default();
    motor.name = "motor", motor.kind = FF_FORCE_CONTROL, motor.joint = leg_joint;
    const int force = ff_scene_add_force(scene, &motor);
    ff_controller_def def = ff_controller_def_default();
    def.name = "hop", def.every = 1e-3, def.function = hop, def.event = count;
    def.forces = &force, def.force_count = 1, def.state_count = 1;
    ff_scene_add_controller(scene, &def);
    ff_scene_add_event(scene, apex, NULL);

    ff_run_options run = ff_run_options_default();
    run.until = 12, run.tol = 1e-8;
    ff_scene_set_run(scene, &run);
    return scene;
}

int main(void) {
    ff_error error = {""};
    ff_scene *scene = hopper(&error);
    ff_model *model = NULL;
    ff_sim *sim = NULL;
    ff_status status = scene ? ff_model_create(scene, &model, &error) : FF_BAD_VALUE;
    status = status < 0 ? status : ff_sim_create(model, NULL, &sim, &error);
    if (status < 0) {
        fprintf(stderr, "%s\n", error.text);
        return 1;
    }
    while ((status = ff_sim_advance(sim, 12)) == FF_EVENT) {
    }
    const ff_motion trunk = ff_sim_body(sim, 0), foot = ff_sim_body(sim, 1);
    size_t hops;
    double count_of = 0;
    ff_model_field_find(model, "controllers.hop.states", &hops, NULL, &error);
    ff_sim_get(sim, hops, &count_of);
    printf("%.0f hops; trunk at %.17g m, %.17g m/s; foot at %.17g m, %.17g m/s\n", count_of,
           trunk.position[2], trunk.velocity[2], foot.position[2], foot.velocity[2]);
    status = status < 0 ? status : ff_sim_verdict(sim);
    ff_sim_free(sim);
    ff_model_free(model);
    ff_scene_free(scene);
    return status < 0 || count_of < 20;
}
