/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include <footfall/footfall.h>
#include <stdio.h>
#include <threads.h>

/* One model, many runs: threads share a model, each has a sim of its own and sets the coefficient of friction in it. */
enum { RUNS = 8 };

typedef struct job {
    const ff_model *model;
    double mu, speed; /* of friction; at the end, m/s */
} job;

static ff_scene *dropped(ff_error *error) {
    ff_scene *scene = ff_scene_create();
    ff_body_def ball = ff_body_def_default();
    ball.name = "ball";
    ball.mass = 0.154;
    ball.position[2] = 0.1;
    ball.velocity[0] = 0.5;
    ff_scene_add_sphere(scene, ff_scene_add_body(scene, &ball), NULL, (double[]){0, 0, 0}, 0.0165);
    ff_plane_def floor = ff_plane_def_default();
    floor.name = "floor";
    ff_scene_add_plane(scene, &floor);
    ff_pair_def pair = ff_pair_def_default();
    pair.a = "ball";
    pair.b = "floor";
    ff_normal_init(&pair.normal, ff_normal_law_find("azad-featherstone"), error);
    ff_normal_set(&pair.normal, "k", 8.5e6, error);
    ff_normal_set(&pair.normal, "lambda", 3.1e3, error);
    ff_friction_init(&pair.friction, ff_friction_law_find("sat"), error);
    ff_friction_set(&pair.friction, "mu", 0.2, error);
    ff_friction_set(&pair.friction, "k", 1e5, error);
    ff_friction_set(&pair.friction, "beta", 1e-4, error);
    if (ff_scene_add_pair(scene, &pair) < 0) {
        ff_scene_free(scene);
        return NULL;
    }
    return scene;
}

static int run(void *user) {
    job *j = user;
    ff_sim *sim;
    ff_status status = ff_sim_create(j->model, NULL, &sim, NULL);
    if (status < 0) {
        return 1;
    }
    status = ff_sim_set_path(sim, "pairs[0].friction.mu", j->mu, NULL);
    while (status >= 0 && (status = ff_sim_advance(sim, 1)) == FF_EVENT) {
    }
    j->speed = ff_sim_body(sim, 0).velocity[0];
    ff_sim_free(sim);
    return status < 0;
}

int main(void) {
    ff_error error = {""};
    ff_model *model = NULL;
    ff_scene *scene = dropped(&error);
    job jobs[RUNS];
    thrd_t threads[RUNS];
    int failed = 0;
    if (!scene || ff_model_create(scene, &model, &error) < 0) {
        fprintf(stderr, "%s\n", error.text);
        return 1;
    }
    for (int i = 0; i < RUNS; i++) {
        jobs[i] = (job){.model = model, .mu = 0.0025 * (i + 1)};
        if (thrd_create(&threads[i], run, &jobs[i]) != thrd_success) {
            return 1;
        }
    }
    for (int i = 0; i < RUNS; i++) {
        int result = 1;
        thrd_join(threads[i], &result);
        failed += result;
        printf("mu %.4f: %.9f m/s after 1 s\n", jobs[i].mu, jobs[i].speed);
    }
    /* enough friction: it rolls, and 5/7 of its speed is left; too little: it still slides */
    failed += jobs[RUNS - 1].speed > 0.3572 || jobs[0].speed < 0.36;
    ff_model_free(model);
    ff_scene_free(scene);
    return failed;
}
