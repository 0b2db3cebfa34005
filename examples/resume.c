/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "ball.h"
#include <stdio.h>

/* A run that is interrupted, saved to a file and resumed by another sim continues with the same bits. */

static ff_status advance(ff_sim *sim, double until) {
    ff_status status;
    while ((status = ff_sim_advance(sim, until)) == FF_EVENT) {
    }
    return status;
}

int main(void) {
    const char *path = "resume.ckpt";
    ff_error error = {""};
    ff_model *model = NULL;
    ff_sim *first = NULL, *second = NULL;
    ff_scene *scene = dropped(&error);
    if (!scene || ff_model_create(scene, &model, &error) < 0 ||
        ff_sim_create(model, NULL, &first, &error) < 0 ||
        ff_sim_create(model, NULL, &second, &error) < 0 || advance(first, 0.37) < 0 ||
        ff_checkpoint_write(path, first, NULL, 0, &error) < 0 ||
        ff_checkpoint_read(path, second, NULL, NULL, &error) < 0 || advance(first, 1) < 0 ||
        advance(second, 1) < 0) {
        fprintf(stderr, "%s\n", error.text);
        return 1;
    }
    double x = ff_sim_body(first, 0).position[0], again = ff_sim_body(second, 0).position[0];
    printf("resumed at 0.37 s; at 1 s x is %.17g m and %.17g m\n", x, again);
    remove(path);
    ff_sim_free(first);
    ff_sim_free(second);
    ff_model_free(model);
    ff_scene_free(scene);
    return x == again ? 0 : 1;
}
