/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

#include <footfall/impact.h>

/* The impact under the law of Xiong, Kikuuwe and Yamamoto, in units of sqrt(m/K) and the speed. */
typedef struct ff_xiong_impact {
    double restitution, contact_time, end_depth;
    double max_depth, max_depth_time, max_force, max_force_depth;
    int steps;
} ff_xiong_impact;

/* alpha and beta in units of sqrt(m/K), 0 < alpha <= beta. */
ff_xiong_impact ff_xiong_solve(double alpha, double beta);

/* `count` points at equal times from 0 to `until`, (depth, velocity, force) each. */
void ff_xiong_curve(double alpha, double beta, double until, size_t count, double (*points)[3]);
