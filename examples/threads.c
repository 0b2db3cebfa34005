/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "ball.h"
#include <stdio.h>
#include <threads.h>

/* One model, many runs: threads share a model; each has its own sim with its own coefficient of friction. */
enum { RUNS = 8 };

typedef struct job {
    const ff_model *model;
    double mu, speed; /* coefficient of friction; final speed, m/s */
} job;

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
    /* with enough friction the ball rolls with 5/7 of its speed; with too little it still slides */
    failed += jobs[RUNS - 1].speed > 0.3572 || jobs[0].speed < 0.36;
    ff_model_free(model);
    ff_scene_free(scene);
    return failed;
}
