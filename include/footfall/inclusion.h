/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

/* Differential inclusions: mechanical systems x' in Phi(t, x) that contain dio(psi_i(t, x)), the force of a rigid
 * unilateral contact with gap psi_i, and chi_i sgn(theta_i(t, x)), dry friction of slip velocity theta_i in R^1 or
 * R^2 and strength chi_i >= 0. They are turned into ordinary differential equations by the procedure of Xiong,
 * Kikuuwe and Yamamoto 2013 (section 4.4), which keeps static friction and never pulls: dio(psi) becomes a force
 * with an inner state e, then chi sgn(theta) becomes one with an inner state a. The caller says what psi, theta,
 * chi and x' are; the engine does the rest, and runs it like a sim.
 *
 *     ff_inclusion_def def = ff_inclusion_def_default();
 *     ... states, start, dios, sgns and the functions ...
 *     ff_inclusion_create(&def, NULL, &sim, &error);
 *     while (ff_sim_advance(sim, until) == FF_EVENT) { ... }
 */

#include <footfall/sim.h>
#include <stdint.h>

FF_C_BEGIN

/* What becomes of one dio(psi): any normal law at depth -psi whose states are not set when a contact begins or ends. The
 * paper's is `xiong`, with K, alpha, beta; others are its rivals. */
typedef struct ff_dio_def {
    const char *name; /* for messages; may be NULL. Copied */
    ff_normal law;
    double e;     /* first inner state of the law at the start; others begin at 0 */
    double scale; /* of inner states, m; 0: see ff_inclusion_def */
} ff_dio_def;

/* What becomes of one chi sgn(theta): any friction law under the load chi that answers with a force alone, with a
 * coefficient of 1 where chi is all there is to the force. The paper's is `sat`, with k and beta. */
typedef struct ff_sgn_def {
    const char *name;
    int dimension; /* of theta: 1 or 2 */
    ff_friction law;
    double a[2]; /* first inner state of the law at the start; others begin at 0 */
    /* anisotropic friction, in R^2 and of laws that can (`sat`): the force lies in the ellipse chi shape {|s| <= 1}, and
     * of all forces there it is the one that takes the most power out of the slip. All 0: a disc */
    double shape[2][2];
    double scale; /* of inner states, m; 0: see ff_inclusion_def */
} ff_sgn_def;

/* Everything at one instant; pointers are good until the next call that changes or observes. */
typedef struct ff_inclusion_view {
    double time;
    const double *x; /* states */
    const double *e,
        *a; /* the first inner state of each dio and sgn, 0 without; a in the places of theta */
    const double *psi, *theta, *chi;  /* gaps, slip velocities, strengths of friction */
    const double *contact, *friction; /* forces, N */
    const bool *touching;             /* a force acts */
    const bool *slipping; /* friction is at its limit; for laws with the events stick and slip */
} ff_inclusion_view;

/* A number of the caller's own, or several, to be recorded. */
typedef struct ff_inclusion_output {
    const char *name, *unit; /* copied; unit may be NULL: not known */
    size_t width;
} ff_inclusion_output;

/* A system. The functions are called for many (t, x), not only for those that the run passes through, always in
 * this order for one and the same (t, x): arguments, closing, factors, then any of rates, power, events, energy.
 * They may keep values for each other in `user`, but no memory of other (t, x), and must be continuous in t
 * between switches. None of them is called by two threads at once.
 *
 * Vectors of friction arguments and forces have one or two places for each sgn, in order. Signs are the paper's:
 * contact forces are >= 0, friction forces have the sign of theta, and it is rates() that says on what they act
 * and in which direction.
 *
 * Errors of a step are kept below tol times the scale of each state. Where none is given (NULL, or 0), a scale is
 * the greatest magnitude so far, and 1e-6 at the least. A scale that is given does not change. */
typedef struct ff_inclusion_def {
    size_t size;
    size_t states;
    const double *start;      /* x at time 0 */
    const double *scale;      /* may be NULL */
    const char *const *names; /* of states, for messages and fields; may be NULL */
    const char *const *units; /* of states; may be NULL: not known */
    /* of a state that is a position, which state is its velocity, or -1: for methods that tell them apart,
     * semi-implicit and verlet. May be NULL */
    const int *speed;
    size_t dio_count, sgn_count;
    const ff_dio_def *dios;
    const ff_sgn_def *sgns;

    void *user;
    /* What the functions compute, as a number that is another one where they compute something else: a checkpoint is
     * refused by a run of another version. It knows all else of a definition, but cannot look into functions. */
    uint64_t version;
    /* psi and theta */
    void (*arguments)(void *user, double t, const double *x, double *psi, double *theta);
    /* the rates of psi, for laws of contact that have a damper: psi must not depend on velocities. NULL: not
     * known, and such laws are refused */
    void (*closing)(void *user, double t, const double *x, double *psi_rate);
    /* chi, from the forces of dio; may be NULL without sgn */
    void (*factors)(void *user, double t, const double *x, const double *contact, double *chi);
    /* x' */
    void (*rates)(void *user, double t, const double *x, const double *contact,
                  const double *friction, double *dx);
    /* Optional arrays of the caller's that psi, theta, contact forces, chi and friction forces are kept in. NULL: in
     * memory of the inclusion */
    double *psi, *theta, *contact, *chi, *friction;

    /* Times at which the functions jump or bend, in any order: steps end there, and up to a switch the functions
     * are called with times before it only. */
    size_t switch_count;
    const double *switches;
    /* Functions of the caller's own whose roots end steps: events of kind `user`, or silent ones where something
     * bends that is no event, such as a max() of the caller's. Silent ones have crossed 0 when they are tol of their
     * largest value beyond it. */
    size_t event_count;
    void (*events)(void *user, double t, const double *x, double *values);
    const bool *silent; /* may be NULL: none is */

    /* Accounts: integrals of what each dio and sgn loses. With the energy of x, J, and the power that everything
     * outside the system puts into it, W, both optional, they close: in the ledger `kinetic` is all that energy() says,
     * `external` minus the work of power(), and `residual` NAN without accounts or without energy(). Under a law whose springs are in proportion to chi
     * the rate of chi is needed, too: arguments, closing and factors are then called for two states nearby, and for
     * (t, x) again, after each call of rates and power. */
    bool ledger;
    double (*energy)(void *user, double t, const double *x);
    double (*power)(void *user, double t, const double *x, const double *contact,
                    const double *friction);

    /* What a run can be asked for besides: all numbers of all outputs, one after the other. */
    size_t output_count;
    const ff_inclusion_output *outputs;
    void (*output)(void *user, const ff_inclusion_view *at, double *values);
} ff_inclusion_def;

/* No states, no functions, with accounts. */
FF_DEFAULTS(ff_inclusion_def)

/* A model of an inclusion, run by ff_sim_create() and all calls of sim.h as one of a scene; it has no bodies and no
 * contacts of that kind. All of `def` is copied but `user` and the functions. Events of a run: touchdown, liftoff and clear
 * with `contact` the dio; stick and slip, reported only under load, with the sgn; switch and user with the index of the time or
 * function. With events not located, steps go over kinks and switches alike: rk4 is then plain RK4 on the paper's eq. 32.
 * FF_BAD_VALUE: a factor chi would be negative, or something is not a number. Its sims evaluate the caller's functions
 * when they are asked: one thread at a time. What is wrong is in `error` (may be NULL). */
FF_API ff_status ff_inclusion_model(const ff_inclusion_def *def, ff_model **out, ff_error *error);
/* The definition that a model was made of; NULL: it is none of an inclusion. */
FF_API const ff_inclusion_def *ff_model_inclusion(const ff_model *model);

/* A run with a model of its own, freed with it; options NULL: the defaults. `until` of the options is how long the run may
 * be, for the choice of the first step. An energy below 1 nJ, which errors are measured against at the least, is no scale
 * for ff_sim_verdict(). */
FF_API ff_status ff_inclusion_create(const ff_inclusion_def *def, const ff_run_options *options,
                                     ff_sim **out, ff_error *error);

/* Everything at the sim's time, or at the time of ff_sim_observe(). */
FF_API ff_inclusion_view ff_inclusion_at(ff_sim *sim);

/* What one dio or sgn stores now and has lost so far, J; lost is NAN without accounts. */
typedef struct ff_inclusion_energy {
    double stored, lost;
} ff_inclusion_energy;

FF_API ff_inclusion_energy ff_inclusion_dio_energy(ff_sim *sim, size_t dio);
FF_API ff_inclusion_energy ff_inclusion_sgn_energy(ff_sim *sim, size_t sgn);

/* K and beta of `sat` for a mass (kg) that it holds: sticking, M x'' + K beta x' + K x = 0, an oscillator of
 * frequency sqrt(K/M) and damping ratio beta/2 sqrt(K/M). K is the wanted presliding stiffness, N/m: the load at
 * which it slips over the distance that it may give way before. mu stays. FF_BAD_VALUE unless all are positive and the
 * law's parameters can be chosen so, whatever its load; those of `clutch` can, too. */
FF_API ff_status ff_design_sat(ff_friction *law, double mass, double stiffness,
                               double damping_ratio);

FF_C_END
