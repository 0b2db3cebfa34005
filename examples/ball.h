/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

#include <footfall/footfall.h>

/* The scene of several examples: a ball is thrown onto a floor with friction. NULL on failure; `error` says why. */
static inline ff_scene *dropped(ff_error *error) {
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
