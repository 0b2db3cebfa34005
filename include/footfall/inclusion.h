/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

/* Differential inclusions: mechanical systems x' in Phi(t, x) that contain terms dio(psi_i(t, x)), the force of a rigid
 * unilateral contact with gap psi_i, and chi_i sgn(theta_i(t, x)), dry friction with slip velocity theta_i in R^1 or R^2
 * and strength chi_i >= 0. The procedure of Xiong, Kikuuwe and Yamamoto 2013 (section 4.4) turns them into ordinary
 * differential equations that keep static friction and never pull: each dio(psi) becomes a force with an inner state e,
 * then each chi sgn(theta) a force with an inner state a. The caller supplies psi, theta, chi and x'; the result is run
 * like a sim.
 *
 *     ff_inclusion_def def = ff_inclusion_def_default();
 *     ... states, start, dios, sgns and the functions ...
 *     ff_inclusion_create(&def, NULL, &sim, &error);
 *     while (ff_sim_advance(sim, until) == FF_EVENT) { ... } */

#include <footfall/sim.h>
#include <stdint.h>

FF_C_BEGIN

/* The force that replaces one dio(psi): a normal law at depth -psi whose states are not set when a contact begins or ends.
 * The paper uses `xiong`, with K, alpha, beta. */
typedef struct ff_dio_def {
    const char *name; /* for messages; may be NULL; copied */
    ff_normal law;
    double e;     /* first inner state of the law at the start; further states start at 0 */
    double scale; /* error scale of inner states, m; 0: see ff_inclusion_def */
} ff_dio_def;

/* The force that replaces one chi sgn(theta): a friction law with load chi, without a moment; its coefficient of friction
 * is 1 if chi is the whole strength. The paper uses `sat`, with k and beta. */
typedef struct ff_sgn_def {
    const char *name;
    int dimension; /* dimension of theta: 1 or 2 */
    ff_friction law;
    double a[2]; /* first inner state of the law at the start; further states start at 0 */
    /* Anisotropic friction, for dimension 2 and laws that support it (`sat`): the force lies in the ellipse chi shape {|s|
     * <= 1}, at the point that dissipates the most power. All 0: isotropic */
    double shape[2][2];
    double scale; /* error scale of inner states, m; 0: see ff_inclusion_def */
} ff_sgn_def;

/* All quantities at one instant. Pointers are valid until the next call that steps or observes the sim. */
typedef struct ff_inclusion_view {
    double time;
    const double *x; /* states */
    const double *e,
        /* first inner state of each dio and sgn, 0 if the law has none; `a` is indexed like theta */
        *a;
    const double *psi, *theta, *chi;  /* gaps, slip velocities, friction strengths */
    const double *contact, *friction; /* contact and friction forces, N */
    const bool *touching;             /* whether a contact force acts */
    /* whether friction is at its limit; for laws with stick and slip events */
    const bool *slipping;
} ff_inclusion_view;

/* One or several numbers of the caller to be recorded. */
typedef struct ff_inclusion_output {
    const char *name, *unit; /* copied; unit may be NULL: unknown */
    size_t width;
} ff_inclusion_output;

/* Definition of a system. The functions are called for many (t, x), not only for those that the run passes through. For one
 * (t, x) the order is: arguments, closing, factors, then any of rates, power, events, energy. They may pass values to each
 * other in `user`, but must not keep memory of other (t, x), and must be continuous in t between switches. They are never
 * called by two threads at once.
 *
 * Arrays of theta and of friction forces have one or two entries for each sgn, in order. Signs are those of the paper:
 * contact forces are >= 0, friction forces have the sign of theta; rates() decides on what they act and in which direction.
 *
 * The error of a step is kept below tol times the scale of each state. If no scale is given (NULL or 0), it is the largest
 * magnitude so far, at least 1e-6. A given scale is constant. */
typedef struct ff_inclusion_def {
    size_t size;
    size_t states;
    const double *start;      /* x at time 0 */
    const double *scale;      /* may be NULL */
    const char *const *names; /* names of the states for messages and fields; may be NULL */
    const char *const *units; /* units of the states; NULL: unknown */
    /* for a state that is a position, the index of its velocity, otherwise -1; needed by semi-implicit and verlet. May be
     * NULL */
    const int *speed;
    size_t dio_count, sgn_count;
    const ff_dio_def *dios;
    const ff_sgn_def *sgns;

    void *user;
    /* A number that identifies what the functions compute; change it whenever they change. A checkpoint is refused by a run
     * with another version. */
    uint64_t version;
    /* computes psi and theta */
    void (*arguments)(void *user, double t, const double *x, double *psi, double *theta);
    /* computes the rates of psi, for contact laws with damping; psi must not depend on velocities. NULL: such laws are
     * refused */
    void (*closing)(void *user, double t, const double *x, double *psi_rate);
    /* computes chi from the contact forces; may be NULL without sgn */
    void (*factors)(void *user, double t, const double *x, const double *contact, double *chi);
    /* computes x' */
    void (*rates)(void *user, double t, const double *x, const double *contact,
                  const double *friction, double *dx);
    /* Optional arrays of the caller in which psi, theta, contact forces, chi and friction forces are stored. NULL: internal
     * memory */
    double *psi, *theta, *contact, *chi, *friction;

    /* Times at which the functions jump or have a kink, in any order. Steps end there; up to a switch, the functions are
     * only called with earlier times. */
    size_t switch_count;
    const double *switches;
    /* Event functions of the caller: steps end at their roots, which are events of kind FF_USER. Silent functions mark
     * kinks that are not events, such as a max() in the rates; their roots are located to tol of their largest value. */
    size_t event_count;
    void (*events)(void *user, double t, const double *x, double *values);
    const bool *silent; /* may be NULL: none is silent */

    /* Energy accounts: integrals of the losses of each dio and sgn. With the energy of x (J) and the power of everything
     * outside the system (W), both optional, the ledger closes: `kinetic` is the value of energy(), `external` minus the
     * work of power(); `residual` is NAN without accounts or energy(). For laws whose spring stiffness is proportional to
     * chi, the rate of chi is computed by differences: arguments, closing and factors are called for two nearby states, and
     * again for (t, x), after each call of rates and power. */
    bool ledger;
    double (*energy)(void *user, double t, const double *x);
    double (*power)(void *user, double t, const double *x, const double *contact,
                    const double *friction);

    /* Additional outputs: all numbers of all outputs, one after the other. */
    size_t output_count;
    const ff_inclusion_output *outputs;
    void (*output)(void *user, const ff_inclusion_view *at, double *values);
} ff_inclusion_def;

/* Defaults: no states, no functions, with accounts. */
FF_DEFAULTS(ff_inclusion_def)

/* Creates a model of an inclusion, for ff_sim_create() and the other functions of sim.h; it has no bodies and no contacts
 * of a scene. Everything in `def` is copied except `user` and what the functions refer to. Events: touchdown, liftoff and
 * clear, with the dio as `contact`; stick and slip, reported only under load, with the sgn; switch and user with the index
 * of the time or function. If events are not located, steps pass over kinks and switches: rk4 is then plain RK4 on eq. 32
 * of the paper. A sim calls the functions when it is queried, so only one thread may use the sims of a model at a time.
 * FF_BAD_VALUE: a number is not finite, or chi is negative; `error` (may be NULL) says what is wrong. */
FF_API ff_status ff_inclusion_model(const ff_inclusion_def *def, ff_model **out, ff_error *error);
/* The definition of a model; NULL if it is not a model of an inclusion. */
FF_API const ff_inclusion_def *ff_model_inclusion(const ff_model *model);

/* Creates a sim together with a model of its own, which ff_sim_free() frees. Options NULL: the defaults. `until` of the
 * options serves to choose the first step. Energies below 1 nJ are ignored by ff_sim_verdict(). */
FF_API ff_status ff_inclusion_create(const ff_inclusion_def *def, const ff_run_options *options,
                                     ff_sim **out, ff_error *error);

/* All quantities at the sim's time, or at the time of ff_sim_observe(). */
FF_API ff_inclusion_view ff_inclusion_at(ff_sim *sim);

/* Energy stored now in one dio or sgn, and lost so far, J; `lost` is NAN without accounts. */
typedef struct ff_inclusion_energy {
    double stored, lost;
} ff_inclusion_energy;

/* Energy of one dio, and of one sgn. */
FF_API ff_inclusion_energy ff_inclusion_dio_energy(ff_sim *sim, size_t dio);
FF_API ff_inclusion_energy ff_inclusion_sgn_energy(ff_sim *sim, size_t sgn);

/* Sets k and beta of `sat` for a mass (kg) that it holds. While sticking, M x'' + K beta x' + K x = 0: an oscillator of
 * frequency sqrt(K/M) and damping ratio beta/2 sqrt(K/M). K (N/m) is the presliding stiffness: the slip load divided by the
 * allowed displacement. mu is not changed. Also for `clutch`. FF_BAD_VALUE if an argument is not positive or the law has no
 * such parameters. */
FF_API ff_status ff_design_sat(ff_friction *law, double mass, double stiffness,
                               double damping_ratio);

FF_C_END
