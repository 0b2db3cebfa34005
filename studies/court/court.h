/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

/* What is asked of every engine: a ball of 10 cm and 1 kg hits a plane, without gravity and friction. It starts some steps before, at
 * several phases of a step. */

#include <math.h>
#include <stdio.h>

#define COURT_RADIUS 0.1
#define COURT_MASS 1.0

#ifdef __cplusplus
extern "C" {
#endif

/* Makes a world with a ball at height z (m) that falls at a speed (m/s); asked restitution e; step dt (s). */
void court_begin(double e, double z, double speed, double dt);
/* A step. */
void court_step(double dt);
/* Height and upward velocity of the ball. */
double court_height(void);
double court_velocity(void);
void court_end(void);

#ifdef __cplusplus
}
#endif

static const double court_asked[] = {0.2, 0.5, 0.8, 1.0}, court_steps[] = {1e-2, 1e-3, 1e-4},
                    court_speeds[] = {0.01, 0.03, 0.1, 0.3, 1, 3, 10};
enum { COURT_PHASES = 5 };

/* The speed of departure by that of approach, once the ball is above the plane again; at most half a second after that it should
 * have come there: one that stays has the speed that it has then. */
static double court_impact(double e, double speed, double dt, double phase) {
    const double gap = speed * dt * (3 + phase);
    const int most = (int)(0.5 / dt) + 10;
    double v = -speed;
    court_begin(e, COURT_RADIUS + gap, speed, dt);
    for (int i = 0; i < most; i++) {
        court_step(dt);
        v = court_velocity();
        if (v > 0 && court_height() >= COURT_RADIUS) {
            break;
        }
    }
    court_end();
    return v / speed;
}

/* asked, step, speed, and the mean, least and greatest of all phases, a line each */
static int court(void) {
    for (size_t e = 0; e < sizeof court_asked / sizeof *court_asked; e++) {
        for (size_t h = 0; h < sizeof court_steps / sizeof *court_steps; h++) {
            for (size_t s = 0; s < sizeof court_speeds / sizeof *court_speeds; s++) {
                double sum = 0, least = INFINITY, most = -INFINITY;
                for (int p = 0; p < COURT_PHASES; p++) {
                    const double got = court_impact(court_asked[e], court_speeds[s], court_steps[h],
                                                    (p + 0.5) / COURT_PHASES);
                    sum += got;
                    least = fmin(least, got);
                    most = fmax(most, got);
                }
                printf("%g,%g,%g,%.6g,%.6g,%.6g\n", court_asked[e], court_steps[h], court_speeds[s],
                       sum / COURT_PHASES, least, most);
            }
        }
    }
    return 0;
}
