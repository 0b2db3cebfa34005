/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

/* The systems of Xiong, Kikuuwe and Yamamoto 2013 as inclusions, written by hand, and functions to run them. */

#include "check.h"
#include "law/params.h"
#include <footfall/footfall.h>
#include <math.h>
#include <stddef.h>

/* Laws by name and values in the order of their parameters. */
static inline ff_normal normal_law(const char *name, const double *values) {
    ff_normal out = {0};
    ff_normal_make(&out, ff_normal_law_find(name), values, NULL);
    return out;
}

static inline ff_friction friction_law(const char *name, const double *values) {
    ff_friction out = {0};
    ff_friction_make(&out, ff_friction_law_find(name), values, NULL);
    return out;
}

static inline ff_normal xiong_law(double K, double alpha, double beta) {
    return normal_law("xiong", (double[]){K, alpha, beta});
}

static inline ff_friction sat_law(double K, double beta) {
    return friction_law("sat", (double[]){1, K, beta});
}

/* ---- a sliding mass, fig. 3: x = (v, p) ---- */

typedef struct {
    double M, F;
    double (*force)(double t);
} sliding_mass;

/* eq. 20 */
static inline double sliding_force(double t) {
    return t < 2 ? fmin(0.52, 0.8 * t) : 0.336 + 0.144 * cos(100 * t);
}

/* 0.8 of the friction limit */
static inline double steady_force(double t) { return t < 1 ? 0.4 * t : 0.4; }

static inline void sliding_arguments(void *user, double t, const double *x, double *psi,
                                     double *theta) {
    (void)user, (void)t, (void)psi;
    theta[0] = x[0];
}

static inline void sliding_factors(void *user, double t, const double *x, const double *contact,
                                   double *chi) {
    (void)t, (void)x, (void)contact;
    chi[0] = ((const sliding_mass *)user)->F;
}

static inline void sliding_rates(void *user, double t, const double *x, const double *contact,
                                 const double *friction, double *dx) {
    const sliding_mass *s = user;
    (void)contact;
    dx[0] = (s->force(t) - friction[0]) / s->M;
    dx[1] = x[0];
}

static inline double sliding_energy(void *user, double t, const double *x) {
    (void)t;
    return ((const sliding_mass *)user)->M * x[0] * x[0] / 2;
}

static inline double sliding_power(void *user, double t, const double *x, const double *contact,
                                   const double *friction) {
    (void)contact, (void)friction;
    return ((const sliding_mass *)user)->force(t) * x[0];
}

static const double sliding_switches[] = {0.65, 2};

typedef struct {
    ff_inclusion_def def;
    sliding_mass mass;
    double start[2];
    ff_sgn_def sgn;
} sliding;

static inline void open_sliding(sliding *s, ff_friction law) {
    *s = (sliding){.mass = {1, 0.5, sliding_force}, .sgn = {.dimension = 1, .law = law}};
    s->def = ff_inclusion_def_default();
    s->def.states = 2;
    s->def.start = s->start;
    s->def.sgn_count = 1;
    s->def.sgns = &s->sgn;
    s->def.user = &s->mass;
    s->def.arguments = sliding_arguments;
    s->def.factors = sliding_factors;
    s->def.rates = sliding_rates;
    s->def.energy = sliding_energy;
    s->def.power = sliding_power;
    s->def.switch_count = 2;
    s->def.switches = sliding_switches;
}

/* The laws of fig. 3: K = 5e3 N/m, beta = 2 ms, B = K beta; bristles are per newton of F = 0.5 N. */
static inline ff_friction sliding_law(int which) {
    static const char *const names[] = {"sat", "lugre", "dahl", "lugre"};
    static const double values[][4] = {{1, 5e3, 2e-3}, {1, 1e4, 20, 0}, {1, 1e4}, {1, 1e4, 20, 20}};
    return friction_law(names[which], values[which]);
}

/* ---- a bouncing mass, fig. 5: x = (v, p) ---- */

typedef struct {
    double M, g;
} bouncing_mass;

static inline void bouncing_arguments(void *user, double t, const double *x, double *psi,
                                      double *theta) {
    (void)user, (void)t, (void)theta;
    psi[0] = x[1];
}

static inline void bouncing_closing(void *user, double t, const double *x, double *psi_rate) {
    (void)user, (void)t;
    psi_rate[0] = x[0];
}

static inline void bouncing_rates(void *user, double t, const double *x, const double *contact,
                                  const double *friction, double *dx) {
    const bouncing_mass *b = user;
    (void)t, (void)friction;
    dx[0] = contact[0] / b->M - b->g;
    dx[1] = x[0];
}

static inline double bouncing_energy(void *user, double t, const double *x) {
    const bouncing_mass *b = user;
    (void)t;
    return b->M * (x[0] * x[0] / 2 + b->g * x[1]);
}

typedef struct {
    ff_inclusion_def def;
    bouncing_mass mass;
    double start[2];
    ff_dio_def dio;
} bouncing;

static inline void open_bouncing(bouncing *b, ff_normal law, double g) {
    *b = (bouncing){.mass = {1, g}, .start = {0, 1}, .dio = {.law = law}};
    b->def = ff_inclusion_def_default();
    b->def.states = 2;
    b->def.start = b->start;
    b->def.dio_count = 1;
    b->def.dios = &b->dio;
    b->def.user = &b->mass;
    b->def.arguments = bouncing_arguments;
    b->def.closing = bouncing_closing;
    b->def.rates = bouncing_rates;
    b->def.energy = bouncing_energy;
}

/* ---- example I: x = (velocity, position, omega) of a sphere; its orientation has no effect ---- */

typedef struct {
    double M, R, mu, g;
} rolling_sphere;

static inline void rolling_arguments(void *user, double t, const double *x, double *psi,
                                     double *theta) {
    const rolling_sphere *s = user;
    (void)t;
    psi[0] = x[5] - s->R;
    theta[0] = x[0] - x[7] * s->R;
    theta[1] = x[1] + x[6] * s->R;
}

static inline void rolling_factors(void *user, double t, const double *x, const double *contact,
                                   double *chi) {
    (void)t, (void)x;
    chi[0] = ((const rolling_sphere *)user)->mu * contact[0];
}

/* d x f with d = (0, 0, -R) and f = (-friction, contact) */
static inline void rolling_rates(void *user, double t, const double *x, const double *contact,
                                 const double *friction, double *dx) {
    const rolling_sphere *s = user;
    double per = 2.5 / (s->M * s->R * s->R);
    (void)t;
    dx[0] = -friction[0] / s->M;
    dx[1] = -friction[1] / s->M;
    dx[2] = contact[0] / s->M - s->g;
    dx[3] = x[0];
    dx[4] = x[1];
    dx[5] = x[2];
    dx[6] = per * s->R * -friction[1];
    dx[7] = per * s->R * friction[0];
    dx[8] = 0;
}

static inline double rolling_energy(void *user, double t, const double *x) {
    const rolling_sphere *s = user;
    double v = x[0] * x[0] + x[1] * x[1] + x[2] * x[2], w = x[6] * x[6] + x[7] * x[7] + x[8] * x[8];
    (void)t;
    return s->M * (v / 2 + s->g * x[5] + s->R * s->R * w / 5);
}

typedef struct {
    ff_inclusion_def def;
    rolling_sphere sphere;
    double start[9];
    ff_dio_def dio;
    ff_sgn_def sgn;
} rolling;

static inline void open_rolling(rolling *r) {
    *r = (rolling){.sphere = {1, 0.5, 0.1, 9.8},
                   .start = {5.5, 0, 0, 0, 0, 1},
                   .dio = {.law = xiong_law(1e5, 2.8e-3, 4e-3)},
                   .sgn = {.dimension = 2, .law = sat_law(1e5, 4e-3)}};
    r->def = ff_inclusion_def_default();
    r->def.states = 9;
    r->def.start = r->start;
    r->def.dio_count = r->def.sgn_count = 1;
    r->def.dios = &r->dio;
    r->def.sgns = &r->sgn;
    r->def.user = &r->sphere;
    r->def.arguments = rolling_arguments;
    r->def.factors = rolling_factors;
    r->def.rates = rolling_rates;
    r->def.energy = rolling_energy;
}

/* ---- example II: x = (p1x, p1y, p2x, p2y) and their rates ---- */

typedef struct {
    double M1, M2, Ks, u, mu, g;
} conveyor;

static inline void conveyor_arguments(void *user, double t, const double *x, double *psi,
                                      double *theta) {
    const conveyor *c = user;
    (void)t;
    psi[0] = x[0];
    psi[1] = x[2] - x[0];
    psi[2] = x[3];
    theta[0] = x[5];
    theta[1] = x[5] - x[7];
    theta[2] = x[6] + c->u;
}

static inline void conveyor_factors(void *user, double t, const double *x, const double *contact,
                                    double *chi) {
    const conveyor *c = user;
    (void)t, (void)x;
    for (int i = 0; i < 3; i++) {
        chi[i] = c->mu * contact[i];
    }
}

static inline void conveyor_rates(void *user, double t, const double *x, const double *contact,
                                  const double *friction, double *dx) {
    const conveyor *c = user;
    (void)t;
    for (int i = 0; i < 4; i++) {
        dx[i] = x[4 + i];
    }
    dx[4] = (contact[0] - contact[1]) / c->M1;
    dx[5] = (-c->Ks * x[1] - friction[0] - friction[1]) / c->M1;
    dx[6] = (-friction[2] + contact[1]) / c->M2;
    dx[7] = (friction[1] + contact[2]) / c->M2 - c->g;
}

static inline double conveyor_energy(void *user, double t, const double *x) {
    const conveyor *c = user;
    (void)t;
    return c->M1 / 2 * (x[4] * x[4] + x[5] * x[5]) + c->M2 / 2 * (x[6] * x[6] + x[7] * x[7]) +
           c->Ks / 2 * x[1] * x[1] + c->M2 * c->g * x[3];
}

/* the belt, moving at -u, drags M2 with -friction */
static inline double conveyor_power(void *user, double t, const double *x, const double *contact,
                                    const double *friction) {
    (void)t, (void)x, (void)contact;
    return friction[2] * ((const conveyor *)user)->u;
}

typedef struct {
    ff_inclusion_def def;
    conveyor conveyor;
    double start[8];
    ff_dio_def dios[3];
    ff_sgn_def sgns[3];
} conveying;

static inline void open_conveyor(conveying *c) {
    *c = (conveying){.conveyor = {0.5, 1, 100, 1, 0.5, 9.8}, .start = {0, 0.25, 0.05, 0}};
    for (int i = 0; i < 3; i++) {
        c->dios[i] = (ff_dio_def){.law = xiong_law(5e5, 1.6e-3, 2e-3)};
        c->sgns[i] = (ff_sgn_def){.dimension = 1, .law = sat_law(5e5, 2e-3)};
    }
    c->def = ff_inclusion_def_default();
    c->def.states = 8;
    c->def.start = c->start;
    c->def.dio_count = c->def.sgn_count = 3;
    c->def.dios = c->dios;
    c->def.sgns = c->sgns;
    c->def.user = &c->conveyor;
    c->def.arguments = conveyor_arguments;
    c->def.factors = conveyor_factors;
    c->def.rates = conveyor_rates;
    c->def.energy = conveyor_energy;
    c->def.power = conveyor_power;
}

/* ---- example III: x = (p, w), w = u - p' ---- */

typedef struct {
    double M, k1, k2, u, F, V;
} stick_slip;

static inline void stick_slip_arguments(void *user, double t, const double *x, double *psi,
                                        double *theta) {
    (void)user, (void)t, (void)psi;
    theta[0] = x[1];
}

static inline void stick_slip_factors(void *user, double t, const double *x, const double *contact,
                                      double *chi) {
    const stick_slip *s = user;
    (void)t, (void)contact;
    chi[0] = s->F / (s->V + fabs(x[1]));
}

static inline void stick_slip_rates(void *user, double t, const double *x, const double *contact,
                                    const double *friction, double *dx) {
    const stick_slip *s = user;
    (void)t, (void)contact;
    dx[0] = s->u - x[1];
    dx[1] = (s->k2 * x[0] * x[0] * x[0] - s->k1 * x[0] - friction[0]) / s->M;
}

/* energy of the mass moving with p' = u - w, and of its spring */
static inline double stick_slip_energy(void *user, double t, const double *x) {
    const stick_slip *s = user;
    double v = s->u - x[1], p2 = x[0] * x[0];
    (void)t;
    return s->M * v * v / 2 - s->k1 * p2 / 2 + s->k2 * p2 * p2 / 4;
}

/* friction acts on the mass along +p, and on the belt in the opposite direction */
static inline double stick_slip_power(void *user, double t, const double *x, const double *contact,
                                      const double *friction) {
    (void)t, (void)x, (void)contact;
    return friction[0] * ((const stick_slip *)user)->u;
}

/* ---- runs ---- */

static inline ff_run_options options(ff_method method, double tol, double until) {
    ff_run_options o = ff_run_options_default();
    o.method = method;
    o.tol = tol;
    o.until = until;
    /* the paper's step, 1 ms; RK4 follows the paper's scheme, without located events */
    o.dt = 1e-3;
    o.events = method != FF_RK4;
    return o;
}

static inline ff_sim *made(const ff_inclusion_def *def, ff_run_options o) {
    ff_sim *out;
    ff_error error = {""};
    if (ff_inclusion_create(def, &o, &out, &error) < 0) {
        fail_msg("%s", error.text);
    }
    return out;
}

/* advances to a time through all events; returns the number of events of one kind */
static inline int advance(ff_sim *inc, double until, ff_event_kind kind) {
    ff_status status;
    int seen = 0;
    while ((status = ff_sim_advance(inc, until)) == FF_EVENT) {
        seen += ff_sim_event(inc)->kind == kind;
    }
    assert_holds(status == FF_OK, "%s", ff_sim_error(inc));
    return seen;
}

/* residual of the accounts relative to their scale */
static inline double residual(ff_sim *inc) {
    ff_ledger l = ff_sim_ledger(inc);
    return fabs(l.residual) / l.scale;
}
