/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

/* Force laws: pure functions of numbers. No state is kept, nothing is allocated.
 *
 * Signs: z > 0 is penetration, zdot > 0 is closing, F > 0 pushes apart. SI units throughout.
 *
 * A law is a constant table (ff_normal_law, ff_friction_law): what it is called, its formula, its
 * parameters. A law with its numbers is an ff_normal or an ff_friction: a small plain struct, made
 * by ff_normal_init() or ff_friction_init(), copied freely, read by any number of threads. */

#include <footfall/status.h>
#include <stdbool.h>
#include <stddef.h>

#define FF_LAW_ABI 1
#define FF_LAW_PARAMS 8

/* A parameter of a law. `unit` may contain the law's own exponents, as in "N/m^n". */
typedef struct ff_param {
    const char *name;
    const char *unit;   /* "1" is a pure number, NULL a choice of words */
    double least, most; /* legal range; FF_POSITIVE as least means > 0 */
    double fallback;    /* default; NAN: must be given */
    const char *meaning;
    const char *const *words; /* the choices, NULL-terminated; the value is the index */
} ff_param;

#define FF_POSITIVE 2.2250738585072014e-308 /* the least normal double: "greater than zero" */
#define FF_DERIVED (-1.0)                   /* as a fallback: the law derives it, see its meaning */

/* The depth, in metres, below which partial derivatives in z are evaluated at this depth instead:
 * dF/dz is infinite at z = 0 for p < 1. A hundredth of an atom's radius, so no depth with a meaning
 * is touched; the force itself is never changed. */
#define FF_DEPTH_FLOOR 1e-12

/* ---- normal laws ---- */

typedef struct ff_normal ff_normal;

/* Everything a normal law says at one point. */
typedef struct ff_normal_answer {
    double force;     /* N */
    double stored;    /* J, a function of the state; F zdot = d(stored)/dt + loss */
    double loss;      /* W, >= 0 */
    double rate;      /* rate of the inner state, 0 where it has none */
    double dF_dz;     /* N/m, see FF_DEPTH_FLOOR */
    double dF_dzdot;  /* N s/m */
    double dF_dinner; /* N per unit of the inner state */
    double drate_dz, drate_dinner;
    double grade;       /* z^(n-1): how the contact area grows, for the clutch friction law */
    double ratio;       /* force / grade with the common root cancelled, finite at z = 0 */
    double grade_slope; /* d(grade)/dz, see FF_DEPTH_FLOOR */
} ff_normal_answer;

/* Many contacts under one law. Arrays of `count`; `inner` may be NULL for a law without inner
 * state, `rate` and `grade` (with `ratio`) where they are not wanted. */
typedef struct ff_normal_batch {
    size_t count;
    const double *z, *zdot, *inner;
    double *force;
    double *loss;
    double *rate;
    double *grade, *ratio;
} ff_normal_batch;

typedef struct ff_normal_kernels {
    void (*force)(const ff_normal *law, size_t count, const double *z, const double *zdot,
                  const double *inner, double *force);
    void (*respond)(const ff_normal *law, const ff_normal_batch *batch);
} ff_normal_kernels;

typedef void (*ff_normal_point)(const ff_normal *law, double z, double zdot, double inner,
                                ff_normal_answer *out);

/* Whether the one inner state of a law, if it has one, is latched at touch-down or integrated. */
typedef enum ff_inner { FF_INNER_NONE, FF_INNER_SPEED, FF_INNER_RATE } ff_inner;

typedef struct ff_normal_law {
    int abi; /* FF_LAW_ABI */
    const char *name, *formula, *source, *limits;
    ff_param params[FF_LAW_PARAMS + 1]; /* ends with a NULL name */
    ff_inner inner;
    /* fills in the numbers from checked values, in the order of params */
    void (*numbers)(ff_normal *law, const double *values);
    /* a sentence on why these numbers cannot be, or NULL; may be NULL */
    const char *(*refuse)(const ff_normal *law);
    /* one point: the whole of a caller's own law; the laws of this library are written as batches */
    ff_normal_point point;
    /* -ln e of a free impact of mass and speed, NAN where no closed form is known; may be NULL */
    double (*decay)(const ff_normal *law, double mass, double speed);
    void *user; /* a caller's own */
} ff_normal_law;

/* A normal law with its numbers. F = max(least, k z^n + lambda z^p zdot) for the power laws, with
 * lambda_out instead of lambda while opening. */
struct ff_normal {
    const ff_normal_law *law;
    const ff_normal_kernels *kernels; /* chosen for this machine and these exponents */
    ff_normal_point single; /* the same bits for one contact: force, loss, rate, grade, ratio */
    double k, lambda, lambda_out, n, p;
    double least;       /* of the force: 0 clamps it, -INFINITY lets it pull */
    double v_min;       /* least speed that is latched, m/s */
    double alpha, beta; /* xiong: times, s */
};

/* The laws of this library; ff_normal_law_at(i) is NULL past the last one. */
FF_API const ff_normal_law *ff_normal_law_at(size_t i);
FF_API const ff_normal_law *ff_normal_law_find(const char *name);

/* Fills `out` from values in the order of law->params; NAN takes the default. What is wrong is in
 * `error` (may be NULL). The law's table must outlive `out`. */
FF_API ff_status ff_normal_init(ff_normal *out, const ff_normal_law *law, const double *values,
                                ff_error *error);

/* The force in newton at depth z (m), closing speed zdot (m/s) and inner state. */
FF_API double ff_normal_force(const ff_normal *law, double z, double zdot, double inner);
FF_API ff_normal_answer ff_normal_at(const ff_normal *law, double z, double zdot, double inner);

/* The inner state at touch-down with closing speed v, when it was `inner` before. */
FF_API double ff_normal_touch(const ff_normal *law, double v, double inner);

/* ---- friction laws ---- */

typedef struct ff_friction ff_friction;

/* What a friction law is told about one contact. Vectors lie in the tangent plane, in any fixed
 * frame; a planar problem leaves the third component 0. */
typedef struct ff_friction_query {
    double load;        /* normal force, N, >= 0 */
    double load_rate;   /* its rate, N/s; only for the regrade power of dahl and lugre */
    double grade;       /* z^(n-1) of the normal law, 1 for n = 1; only clutch reads these three */
    double ratio;       /* load / grade */
    double grade_slope; /* d(grade)/dz */
    double zdot;        /* m/s */
    double v[3];        /* velocity of the touching points against each other, m/s */
    double u[3];        /* inner state: deflection, m (the clutch's spring, a bristle) */
} ff_friction_query;

typedef struct ff_friction_answer {
    double force[3]; /* on the body that moves with v, N */
    double rate[3];  /* of u, m/s */
    double lift;     /* what a passive clutch adds to the normal force, N */
    double stored;   /* J */
    double damper;   /* tangential damper, W */
    double clutch;   /* Coulomb slip, W */
    double viscous;  /* viscous slip, W */
    double
        regrade; /* W: minus the power with which the law creates energy as its stiffness grows */
    bool slips;  /* clutch and sat: the clutch is slipping */
} ff_friction_answer;

/* Partial derivatives at one point: matrices by rows, d[i][j] = d(row i)/d(column j). Those by the load
 * are at constant grade, those by the grade at constant load. */
typedef struct ff_friction_slopes {
    double df_dv[3][3], df_du[3][3], df_dload[3], df_dgrade[3];
    double dr_dv[3][3], dr_du[3][3], dr_dload[3], dr_dgrade[3];
} ff_friction_slopes;

/* Many contacts under one law, component c of vector i at [c*stride + i]. `u`, `rate` may be NULL
 * for laws without inner state; grade, ratio and grade_slope for laws other than clutch. */
typedef struct ff_friction_batch {
    size_t count, stride;
    const double *load, *grade, *ratio, *grade_slope;
    const double *v, *u;
    double *force, *rate;
    double *lift, *damper, *clutch, *viscous;
} ff_friction_batch;

typedef struct ff_friction_kernels {
    void (*respond)(const ff_friction *law, const ff_friction_batch *batch);
} ff_friction_kernels;

typedef void (*ff_friction_point)(const ff_friction *law, const ff_friction_query *query,
                                  ff_friction_answer *out);

typedef struct ff_friction_law {
    int abi; /* FF_LAW_ABI */
    const char *name, *formula, *source, *limits;
    ff_param params[FF_LAW_PARAMS + 1];
    bool inner;  /* has an inner state u */
    bool events; /* stick and slip are events */
    void (*numbers)(ff_friction *law, const double *values);
    ff_friction_point point;
    void (*slopes)(const ff_friction *law, const ff_friction_query *query, ff_friction_slopes *out);
    void *user; /* a caller's own */
} ff_friction_law;

struct ff_friction {
    const ff_friction_law *law;
    const ff_friction_kernels *kernels; /* as for ff_normal */
    ff_friction_point single;           /* forces, rate and powers of one contact */
    double mu, mu_s;                    /* kinetic and static coefficient */
    double v0;                          /* speed below which a regularised law ramps, m/s */
    double xi;                          /* decay from static to kinetic, s/m */
    double k;                           /* N/m^n (clutch), N/m (sat), 1/m (dahl, lugre) */
    double damping;                     /* N s/m^n (clutch), s/m (lugre) */
    double viscous;                     /* N s/m (clutch), s/m (lugre) */
    double beta;                        /* s (sat) */
    bool passive;                       /* the clutch's spring acts back on the normal force */
};

/* ---- one pair inside another simulator's loop, without a scene ---- */

/* Two things that touch, as the caller's own geometry sees them. inner and u are states that the caller
 * keeps and integrates with the rates below; both start at 0, and u goes back to 0 when depth does. */
typedef struct ff_contact_query {
    double depth, rate; /* m, m/s; rate > 0 is closing */
    double slip[3];     /* tangential velocity of the first against the second, m/s */
    double inner, u[3];
} ff_contact_query;

typedef struct ff_contact_answer {
    double normal;      /* on the first thing, away from the second, N */
    double friction[3]; /* on the first thing, N */
    double inner_rate, u_rate[3];
    double stored, loss; /* J, W: of both laws */
    bool slips;
} ff_contact_answer;

FF_API ff_contact_answer ff_contact_force(const ff_normal *normal, const ff_friction *friction,
                                          const ff_contact_query *query);

FF_API const ff_friction_law *ff_friction_law_at(size_t i);
FF_API const ff_friction_law *ff_friction_law_find(const char *name);
FF_API ff_status ff_friction_init(ff_friction *out, const ff_friction_law *law,
                                  const double *values, ff_error *error);
FF_API ff_friction_answer ff_friction_at(const ff_friction *law, const ff_friction_query *query);
FF_API ff_friction_slopes ff_friction_slopes_at(const ff_friction *law,
                                                const ff_friction_query *query);
