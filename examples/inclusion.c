/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */

/* A mass on a belt, held by a spring (Xiong, Kikuuwe and Yamamoto 2013, example III with F = 0.5): the inclusion
 *
 *     p' = u - w,   M w' in k2 p^3 - k1 p - F/(V + |w|) sgn(w),
 *
 * where w is the speed of the belt relative to the mass, as an ordinary differential equation with stick and slip. */

#include <footfall/footfall.h>
#include <math.h>
#include <stdio.h>

static const double M = 1, k1 = 1, k2 = 1, u = 1, F = 0.5, V = 1;

static void arguments(void *user, double t, const double *x, double *psi, double *theta) {
    (void)user, (void)t, (void)psi;
    theta[0] = x[1];
}

static void factors(void *user, double t, const double *x, const double *contact, double *chi) {
    (void)user, (void)t, (void)contact;
    chi[0] = F / (V + fabs(x[1]));
}

static void rates(void *user, double t, const double *x, const double *contact,
                  const double *friction, double *dx) {
    (void)user, (void)t, (void)contact;
    dx[0] = u - x[1];
    dx[1] = (k2 * x[0] * x[0] * x[0] - k1 * x[0] - friction[0]) / M;
}

int main(void) {
    const double start[] = {1.19149, 0}, scale[] = {1, 1};
    ff_sgn_def belt = {.name = "belt", .dimension = 1};
    ff_inclusion_def def = ff_inclusion_def_default();
    ff_sim *inc;
    ff_error error;
    ff_status status;
    /* K = 1e5 N/m, beta = 0.5 s */
    ff_friction_init(&belt.law, ff_friction_law_find("sat"), NULL);
    ff_friction_set(&belt.law, "mu", 1, NULL);
    ff_friction_set(&belt.law, "k", 1e5, NULL);
    ff_friction_set(&belt.law, "beta", 0.5, NULL);
    def.states = 2;
    def.start = start;
    def.scale = scale;
    def.sgn_count = 1;
    def.sgns = &belt;
    def.arguments = arguments;
    def.factors = factors;
    def.rates = rates;
    if (ff_inclusion_create(&def, NULL, &inc, &error) < 0) {
        printf("%s\n", error.text);
        return 1;
    }
    while ((status = ff_sim_advance(inc, 20)) == FF_EVENT) {
        const ff_event *e = ff_sim_event(inc);
        printf("%9.5f s  %-5s at p = %8.5f m\n", e->time, ff_event_name(e->kind),
               ff_inclusion_at(inc).x[0]);
    }
    printf("%ld steps, %.4g J lost in friction\n", ff_sim_statistics(inc).steps,
           ff_inclusion_sgn_energy(inc, 0).lost);
    ff_sim_free(inc);
    return status != FF_OK;
}
