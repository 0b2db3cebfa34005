/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "ball.h"
#include <stdio.h>
#include <string.h>

/* The named numbers of a model: how to list them with their units, set a parameter and read a state. */

int main(void) {
    ff_error error = {""};
    ff_model *model = NULL;
    ff_sim *sim = NULL;
    ff_scene *scene = dropped(&error);
    if (!scene || ff_model_create(scene, &model, &error) < 0 ||
        ff_sim_create(model, NULL, &sim, &error) < 0) {
        fprintf(stderr, "%s\n", error.text);
        return 1;
    }
    ff_field field;
    for (size_t i = 0; ff_model_field(model, i, &field); i++) {
        if (strncmp(field.path, "pairs[0].friction", 17) == 0 ||
            strncmp(field.path, "bodies.ball.v", 13) == 0) {
            printf("%-32s %-8s %-10s %s\n", field.path, field.unit, ff_field_kind_name(field.kind),
                   field.meaning);
        }
    }
    /* an unknown path is reported, with the nearest known one */
    if (ff_sim_set_path(sim, "pairs[0].friction.nu", 0.3, &error) == FF_BAD_VALUE) {
        printf("refused: %s\n", error.text);
    }
    size_t height;
    double value[3];
    if (ff_sim_set_path(sim, "bodies.ball.position[2]", 0.5, &error) < 0 ||
        ff_model_field_find(model, "bodies.ball.position", &height, NULL, &error) < 0 ||
        ff_sim_get(sim, height, value) < 0) {
        fprintf(stderr, "%s\n", error.text);
        return 1;
    }
    printf("it starts at a height of %g m\n", value[2]);
    ff_sim_free(sim);
    ff_model_free(model);
    ff_scene_free(scene);
    return value[2] == 0.5 ? 0 : 1;
}
