/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include <footfall/footfall.h>
#include <math.h>
#include <stdio.h>

/* One contact in your own simulator: a point mass is thrown on the plane y = 0. The time loop belongs to the
 * caller; footfall computes the forces and the rate of the deflection u, which the caller stores. */
typedef struct {
    double x, y, vx, vy;
    double u[3]; /* internal state of the friction law, m */
} point;

int main(void) {
    const double mass = 0.154, gravity = 9.81, dt = 1e-6;
    ff_normal normal;
    ff_friction friction;
    ff_error error = {""};
    if (ff_normal_init(&normal, ff_normal_law_find("azad-featherstone"), &error) < 0 ||
        ff_normal_set(&normal, "k", 8.5e6, &error) < 0 ||
        ff_normal_set(&normal, "lambda", 3.1e3, &error) < 0 ||
        ff_friction_init(&friction, ff_friction_law_find("sat"), &error) < 0 ||
        ff_friction_set(&friction, "mu", 0.2, &error) < 0 ||
        ff_friction_set(&friction, "k", 1e5, &error) < 0 ||
        ff_friction_set(&friction, "beta", 1e-4, &error) < 0) {
        fprintf(stderr, "%s\n", error.text);
        return 1;
    }
    point p = {.y = 0.1, .vx = 0.5};
    double lost = 0;
    bool inside = false;
    for (long step = 0; step < 1000000; step++) {
        double z = -p.y, zdot = -p.vy;
        double rate[3];
        ff_contact_answer f = {.u_rate = rate};
        ff_contact_force(&normal, &friction,
                         &(ff_contact_query){.depth = z, .rate = zdot, .slip = {p.vx}, .u = p.u},
                         &f);
        if (inside != (z > 0)) {
            inside = z > 0;
            printf("%.6f s  %s  vx %9.6f  vy %9.6f m/s\n", (double)step * dt,
                   inside ? "touch" : "leave", p.vx, p.vy);
        }
        /* semi-implicit Euler: velocities first */
        p.vx += dt * f.friction[0] / mass;
        p.vy += dt * (f.normal / mass - gravity);
        p.x += dt * p.vx;
        p.y += dt * p.vy;
        p.u[0] = inside ? p.u[0] + dt * rate[0] : 0;
        lost += dt * f.loss;
    }
    /* initial energy, and where it is now */
    double start = mass * (0.5 * 0.5 / 2 + gravity * 0.1);
    double left = mass * ((p.vx * p.vx + p.vy * p.vy) / 2 + gravity * p.y) +
                  ff_normal_stored(&normal, -p.y, -p.vy, NULL);
    printf("at 1 s: x %.6f m, depth %.3e m\n", p.x, -p.y);
    printf("start %.6f J, left %.6f J, lost %.6f J, missing %.1e J\n", start, left, lost,
           start - left - lost);
    return fabs(start - left - lost) < 1e-3 * start ? 0 : 1;
}
