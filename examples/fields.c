/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include <footfall/footfall.h>
#include <stdio.h>
#include <string.h>

/* The named numbers of a model: what there is, in which unit, and how a parameter is set and a state read. */

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
    /* a path that there is not is told, with the nearest one */
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
