/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "num/def.h"
#include <footfall/scene.h>
#include <math.h>

/* ff_X_init(): writes the defaults to a caller's struct of `size` bytes */
#define INIT(type, ...)                                                                            \
    void type##_init(type *out, size_t size) {                                                     \
        const type defaults = {.size = sizeof(type), __VA_ARGS__};                                 \
        ff_def_give(out, size, &defaults, sizeof defaults);                                        \
    }

/* a coordinate without springs, dampers, limits and friction */
#define FREELY                                                                                     \
    { .lower = -INFINITY, .upper = INFINITY }

/* clang-format off */
INIT(ff_body_def, .mass = NAN, .inertia = {{NAN}}, .orientation = {1, 0, 0, 0})
INIT(ff_grains_def, .count = 1, .radius = {FF_SPREAD_SAME, NAN, NAN}, .density = NAN)
INIT(ff_plane_def, .normal = {0, 0, 1})
INIT(ff_pair_def, .lever = FF_LEVER_RADIUS)
INIT(ff_force_def, .other = -1, .joint = -1, .from = -INFINITY, .to = INFINITY)
INIT(ff_joint_def, .first = -1, .axis = {0, 0, 1}, .second_axis = {1, 0, 0}, .turn = {1, 0, 0, 0},
     .start = {NAN, NAN, NAN}, .rate = {NAN, NAN, NAN}, .along = {FREELY, FREELY, FREELY},
     .joints = {-1, -1})
/* a step of any animal from an insect to an elephant takes a small part of 10 s */
INIT(ff_gait_def, .body = -1, .limit = 10, .lowest = -INFINITY)
INIT(ff_run_options, .until = 1, .method = FF_AUTO, .tol = 1e-9, .dt = 1e-4, .events = true,
     .constraint_frequency = 10, .constraint_damping = 1, .constraint_penalty = 1e7,
     .constraint_tolerance = 1e-10, .max_step = INFINITY, .max_steps = INFINITY)
/* clang-format on */
