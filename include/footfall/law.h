/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

/* Force laws. Signs: z > 0 is penetration, zdot > 0 is closing, F > 0 pushes apart. SI units throughout.
 *
 * A law is one constant table (ff_normal_law, ff_friction_law) with everything that anybody needs to know of it: what it
 * is called, its parameters, its force, what it stores and loses, its inner states and what becomes of them, where its
 * modes end, its slopes. Nobody else knows a law by name, by kind or by the name of a parameter. A law with its numbers
 * is an ff_normal or an ff_friction: a plain struct, made by ff_normal_init() or ff_friction_init(), copied freely, read
 * by any number of threads.
 *
 * A caller's own law is a table like any other: ff_law_register() makes it known by name, ff_normal_verify() and
 * ff_friction_verify() tell whether its parts fit together. What a table leaves NULL has the answer that its comment
 * names. examples/law.c is one. */

#include <footfall/status.h>
#include <stdbool.h>
#include <stddef.h>

FF_C_BEGIN

#define FF_LAW_ABI 3
#define FF_LAW_PARAMS 10
#define FF_LAW_NUMBERS 12
#define FF_LAW_STATES 240 /* of one contact under one law, at the most */

/* A parameter of a law. `unit` may contain the law's own exponents, as in "N/m^n". */
typedef struct ff_param {
    const char *name;
    const char *unit;   /* "1" is a pure number, NULL a choice of words */
    double least, most; /* legal range; FF_POSITIVE as least means > 0 */
    double fallback;    /* default; NAN: must be given */
    const char *meaning;
    const char *const *words; /* the choices, NULL-terminated; the value is the index */
} ff_param;

/* A parameter that is given, by its name. */
typedef struct ff_param_value {
    const char *name;
    double value;
} ff_param_value;

#define FF_POSITIVE 2.2250738585072014e-308 /* the least normal double: "greater than zero" */
#define FF_DERIVED (-1.0)                   /* as a fallback: the law derives it, see its meaning */

/* The depth, in metres, below which partial derivatives in z are evaluated at this depth instead:
 * dF/dz is infinite at z = 0 for p < 1. A hundredth of an atom's radius, so no depth with a meaning
 * is touched; the force itself is never changed. */
#define FF_DEPTH_FLOOR 1e-12

/* What is known of two bodies whose contact a law is to describe; NAN where it is not. */
typedef struct ff_surroundings {
    double modulus;     /* E*, Pa */
    double radius;      /* R, m */
    double lambda_star; /* viscosity of the material, N s/m^2: lambda = lambda* sqrt(R) */
    double k, lambda;   /* of the normal law beside a friction law, where it is a power law */
    double n;           /* its exponent */
    double tau;         /* the time of its dampers, s, where it is a bed: lambda/(n k), p = n - 1 */
    double ratio;       /* tangential by normal stiffness: G* over E* */
} ff_surroundings;

/* ---- normal laws ---- */

typedef struct ff_normal ff_normal;

/* What a normal law knows of one contact. */
typedef struct ff_normal_query {
    double z, zdot;      /* m, m/s */
    const double *state; /* inner states */
    bool open; /* without its clamp: the law goes on smoothly beyond the end of a contact */
} ff_normal_query;

/* What a normal law answers. */
typedef struct ff_normal_answer {
    double force;       /* N */
    double loss;        /* W, >= 0; F zdot = d(stored)/dt + loss */
    double grade;       /* how the contact area grows with depth, z^(n-1): for friction */
    double grade_slope; /* d(grade)/dz */
    double ratio;       /* force / grade, finite at z = 0 */
    double hold;        /* where it clamps: its root ends the force, and it has none at z = 0 */
    double *rate;       /* where the rates of the inner states go; the caller's, NULL: not wanted */
} ff_normal_answer;

/* Partial derivatives are matrices by rows, [row*columns + column], filled with zeros by who asks: of a normal law with S
 * inner states rows FF_OF_NORMAL to FF_OF_GRADE_SLOPE and S rates, columns z, zdot and S states. See FF_DEPTH_FLOOR. */
enum { FF_OF_NORMAL, FF_OF_GRADE, FF_OF_GRADE_SLOPE, FF_OF_RATES };
enum { FF_BY_Z, FF_BY_ZDOT, FF_BY_STATES };

/* The power laws: F = k z^n + lambda z^p zdot, lambda_out in the place of lambda while opening, unless the bed is `local`. */
typedef struct ff_power {
    double n, p, k, lambda, lambda_out;
    bool clamps; /* the force is never negative */
    bool local;  /* opening, F = k max(0, z + tau zdot)^n with tau = lambda_out/(n k); p = n - 1 */
} ff_power;

/* One impact as a law knows it by itself (footfall/impact.h). */
struct ff_impact;
struct ff_impact_point;

typedef void (*ff_normal_point)(const ff_normal *law, const ff_normal_query *query,
                                ff_normal_answer *out);

/* A law written out in expressions, for `footfall inclusion --show`, in a text in which
 *     $f is the name of the force, $x the gap psi = -z or the slip v, $r the rate of psi, $c the load,
 *     $| `abs`, or `norm` of a vector, $m the matrix of anisotropic friction after a comma, or nothing,
 *     {name} is the parameter of that name, called name_$f; {short=name} is called short_$f, {#name} is its value,
 *     [name=x:text] and [name!x:text] are `text`, which may have such conditions in it, where the parameter is or is not x, a
 *     number or another parameter.
 * Where a table has none (NULL), its formula is shown. */

/* How the arithmetic of a law of this library is compiled, for one and for many contacts at once. */
typedef struct ff_normal_form ff_normal_form;
typedef struct ff_friction_form ff_friction_form;

typedef struct ff_normal_law {
    int abi; /* FF_LAW_ABI */
    const char *name, *formula, *source, *limits;
    ff_param params[FF_LAW_PARAMS + 1]; /* ends with a NULL name */

    /* Its own numbers, from checked values of its parameters: fills in law->numbers, and states, clamps, damped and form
     * where they depend on values. Returns a sentence on why these values cannot be, or NULL. May be NULL. */
    const char *(*derive)(ff_normal *law);
    /* Values of parameters that were not given, from what is known of the bodies: changes those that are NAN. NULL:
     * none. */
    void (*surround)(const ff_surroundings *with, double *values);

    int states;  /* how many inner states a contact has */
    bool clamps; /* the force may end before z = 0: `hold` is watched */
    bool damped; /* the force depends on zdot */
    ff_normal_point respond;
    const ff_normal_form *form; /* of this library's; NULL: respond is asked, one by one */
    /* energy, J: a function of the state */
    double (*stored)(const ff_normal *law, double z, double zdot, const double *state);
    /* NULL: differences */
    void (*slopes)(const ff_normal *law, const ff_normal_query *query, double *matrix);

    /* What becomes of the inner states: when a contact begins, when it has ended, and after `time` seconds in the air.
     * NULL: they stay as they are. With `rest` their rates count in the air too. */
    void (*touch)(const ff_normal *law, double zdot, double *state);
    void (*leave)(const ff_normal *law, double *state);
    void (*rest)(const ff_normal *law, double time, double *state);
    /* Positive in contact, negative in the air, m, and its rate, where `rate` is not NULL. NULL: z and zdot. */
    double (*gap)(const ff_normal *law, const ff_normal_query *query, double *rate);
    /* The rate at which the ground comes up again under no force but `push`, when it is `depth` down: for a ground with
     * a state of its own. NULL, and NAN with some values: it has none. `loss` gets what that costs, W. */
    double (*recover)(const ff_normal *law, double depth, double push, double *loss);

    /* Sizes, for error control. How large an inner state is in an impact of that depth and speed; NULL: the depth. How far
     * off `hold` is where z and zdot are off by these; NULL: by differences. */
    double (*state_size)(const ff_normal *law, int state, double depth, double speed);
    double (*hold_error)(const ff_normal *law, const ff_normal_query *query, double z, double zdot);

    /* The view as a power law, at a speed of touch-down; false: it is none. NULL: never. And the values of parameters
     * for a wanted power law of the same n and p; false: it cannot be chosen. */
    bool (*power_form)(const ff_normal *law, double speed, ff_power *out);
    bool (*with_power)(const ff_normal *law, const ff_power *power, double *values);
    /* Of a free impact of mass and speed, where the law knows more than can be had by integration: -ln e (NAN: not
     * known); all of it; points of its motion. And values of parameters for a restitution and a contact time. */
    double (*decay)(const ff_normal *law, double mass, double speed);
    ff_status (*impact)(const ff_normal *law, double mass, double speed, struct ff_impact *out);
    ff_status (*curve)(const ff_normal *law, double mass, double speed, size_t count,
                       struct ff_impact_point *points);
    ff_status (*design)(const ff_normal *law, double mass, double restitution, double contact_time,
                        double *values, ff_error *error);

    const char *equations; /* as above */
    void *user;            /* a caller's own */
} ff_normal_law;

/* Many contacts under one law. Arrays of `count`; `state` may be NULL for a law without inner states, state i of contact
 * j at [i*stride + j]; `rate` may be NULL, and `grade` with `ratio` and `grade_slope`. `padded`: all arrays go on to a
 * multiple of 8 numbers, whose values do not matter and may be overwritten, which saves time where there are few. */
typedef struct ff_normal_batch {
    size_t count, stride;
    bool padded;
    const double *z, *zdot, *state;
    double *force, *loss;
    double *rate;
    double *grade, *ratio, *grade_slope;
} ff_normal_batch;

typedef struct ff_normal_kernels {
    void (*force)(const ff_normal *law, size_t count, const double *z, const double *zdot,
                  const double *state, double *force);
    void (*respond)(const ff_normal *law, const ff_normal_batch *batch);
} ff_normal_kernels;

/* A normal law with its numbers. */
struct ff_normal {
    const ff_normal_law *law;
    ff_normal_point respond;
    const ff_normal_form *form;
    const ff_normal_kernels *kernels; /* chosen for this machine */
    double numbers[FF_LAW_NUMBERS];   /* the law's own */
    int states;
    bool clamps, damped;
    double values[FF_LAW_PARAMS]; /* of its parameters, with defaults filled in */
};

/* The laws that are known: ours, then those that were registered; NULL past the last one. */
FF_API const ff_normal_law *ff_normal_law_at(size_t i);
FF_API const ff_normal_law *ff_normal_law_find(const char *name);

/* A law with its numbers, parameter by parameter:
 *
 *     ff_normal law;
 *     ff_normal_init(&law, ff_normal_law_find("azad-featherstone"), &error);
 *     ff_normal_set(&law, "k", 8.5e6, &error);
 *     ff_normal_set(&law, "lambda", 3.1e3, &error);
 *     ff_normal_choose(&law, "detach", "tension", &error);
 *
 * ff_normal_init() gives every parameter its default. A law answers NAN until those that have none are set, and is refused
 * wherever a law is taken; ff_normal_check() says which is missing. ff_normal_set() sets a number (SI units),
 * ff_normal_set_all() several at once, where one alone would contradict the others, ff_normal_choose() one of the words of a
 * parameter. An unknown name, a value out of its range and values that contradict each other are refused, and the law stays as
 * it was; `error` (may be NULL) says why. The table must outlive `out`. */
FF_API ff_status ff_normal_init(ff_normal *out, const ff_normal_law *law, ff_error *error);
FF_API ff_status ff_normal_set(ff_normal *law, const char *name, double value, ff_error *error);
FF_API ff_status ff_normal_set_all(ff_normal *law, const ff_param_value *given, size_t count,
                                   ff_error *error);
FF_API ff_status ff_normal_choose(ff_normal *law, const char *name, const char *word,
                                  ff_error *error);
FF_API ff_status ff_normal_check(const ff_normal *law, ff_error *error);
/* The value of a parameter by its name, as given or by default; NAN where the law has none of that name. FF_DERIVED
 * values come as the law derived them, where it is a power law. */
FF_API double ff_normal_value(const ff_normal *law, const char *name);

/* The force in newton at depth z (m), closing speed zdot (m/s) and inner states (NULL: all 0). */
FF_API double ff_normal_force(const ff_normal *law, double z, double zdot, const double *state);
/* All that the law answers there; rates of states go to `rate` (may be NULL). */
FF_API ff_normal_answer ff_normal_at(const ff_normal *law, double z, double zdot,
                                     const double *state, double *rate);
FF_API double ff_normal_stored(const ff_normal *law, double z, double zdot, const double *state);
/* Fills in the matrix of partial derivatives, zeros included. */
FF_API void ff_normal_slopes_at(const ff_normal *law, const ff_normal_query *query, double *matrix);
/* The inner states at a touch-down with closing speed v. */
FF_API void ff_normal_touch(const ff_normal *law, double v, double *state);
/* The law as a power law at a speed of touch-down, m/s; false where it is none. */
FF_API bool ff_normal_power(const ff_normal *law, double speed, ff_power *out);
/* Gives a law other k and lambda, as far as its parameters can be chosen so; FF_BAD_VALUE where they cannot. */
FF_API ff_status ff_normal_set_power(ff_normal *law, double k, double lambda, double lambda_out);

/* ---- friction laws ---- */

typedef struct ff_friction ff_friction;

/* What a friction law knows of one contact. Vectors lie in the tangent plane, in any fixed frame; a planar problem
 * leaves the third component 0. */
typedef struct ff_friction_query {
    double z, zdot;     /* depth and its rate, m, m/s */
    double load;        /* normal force, N, >= 0 */
    double grade;       /* of the normal law; 1 where there is none */
    double grade_slope; /* d(grade)/dz */
    double ratio; /* load / grade; of a law that lifts that of the normal force, which may pull */
    double v[3];  /* velocity of the touching points against each other, m/s */
    /* Only for laws that answer with a moment: how the bodies turn against each other, rad/s: about the normal, and
     * about axes in the tangent plane; and R, 1/R = 1/r1 + 1/r2, m. */
    double spin, roll[3], radius;
    const double
        *u; /* inner states: vectors in the tangent plane one after the other, m, then scalars */
} ff_friction_query;

typedef struct ff_friction_answer {
    double force[3]; /* on the body that moves with v, N */
    /* Of laws that say so (turns) the moment on it, N m: about the normal, and about axes in the tangent plane. */
    double twist, moment[3];
    double lift;    /* what is added to the normal force, N */
    double damper;  /* tangential damper, W */
    double slip;    /* Coulomb slip, W */
    double viscous; /* viscous slip, W */
    /* d(stored)/d(level), J by the unit of the level: what a change of it makes or loses; 0 where the lift does that work.
     * Its slope d(graded)/du goes where the caller says, NULL: not wanted. */
    double graded, *graded_by;
    /* For laws with events: positive while it slips, the strain less what that may be, in any unit. */
    double excess, strain;
    double *rate; /* where the rates of u go, m/s; the caller's */
} ff_friction_answer;

/* An ellipse of friction forces (src/num/ellipse.h). */
struct ff_ellipse;

/* What the stiffness of a law's springs is in proportion to. */
typedef enum ff_level { FF_LEVEL_ONE, FF_LEVEL_GRADE, FF_LEVEL_LOAD } ff_level;

/* Its partial derivatives, as of a normal law: rows force (3), lift, rates of u; columns v (3), load, grade and its slope
 * (each at constant others, ratio being load/grade), depth, its rate, u. */
enum { FF_OF_FORCE, FF_OF_LIFT = 3, FF_OF_U_RATES };
enum {
    FF_BY_V,
    FF_BY_LOAD = 3,
    FF_BY_GRADE,
    FF_BY_GRADE_SLOPE,
    FF_BY_DEPTH,
    FF_BY_DEPTH_RATE,
    FF_BY_U
};

typedef void (*ff_friction_point)(const ff_friction *law, const ff_friction_query *query,
                                  ff_friction_answer *out);

typedef struct ff_friction_law {
    int abi; /* FF_LAW_ABI */
    const char *name, *formula, *source, *limits;
    ff_param params[FF_LAW_PARAMS + 1];

    const char *(*derive)(ff_friction *law); /* as of a normal law */
    void (*surround)(const ff_surroundings *with, double *values);

    bool nothing; /* no friction at all */
    int vectors;  /* how many vectors its inner states are; derive() may set another number */
    int scalars; /* how many numbers come after them, which touch() and regrid() set and time does not change */
    bool
        beside; /* what surround() gives of the normal law beside it is taken where it is not given */
    bool
        slips; /* stick and slip are events: `excess` is watched. With several vectors some may slip before */
    bool dry;       /* `viscous` is always 0: who integrates what it loses has an account less */
    bool turns;     /* answers with a moment */
    bool lifts;     /* answers with a lift; derive() may set it */
    bool keeps;     /* u stays between contacts, else it is 0 once z is back at 0 */
    ff_level level; /* of its springs */
    ff_friction_point respond;
    const ff_friction_form *form;
    /* energy of its springs at that level, J */
    double (*stored)(const ff_friction *law, double level, const double *u);
    /* NULL: differences */
    void (*slopes)(const ff_friction *law, const ff_friction_query *query, double *matrix);

    /* A contact begins that will be so deep, m, after that time, s, about: sets all inner states. NULL: they are 0. */
    void (*touch)(const ff_friction *law, double depth, double time, double *u);
    /* The depth, m, that the inner states are made for, and how they are made for a greater one, which takes so much from
     * the springs, J. NULL: they are for any. */
    double (*covers)(const ff_friction *law, const double *u);
    double (*regrid)(const ff_friction *law, double *u);
    /* How u goes on while nothing acts on the ground, at that grade: its rates, the damper, graded and its slope. NULL: it
     * is reset when the contact ends. */
    void (*relax)(const ff_friction *law, double grade, const double *u, ff_friction_answer *out);
    /* A function whose roots are bends of the force that are no events, m/s: a slip speed less that at which it bends.
     * NULL: none. Steps end there; in scenes only for laws without inner states. */
    double (*bend)(const ff_friction *law, const ff_friction_query *query);
    /* How far the springs reach at that load, m: the size of u. NULL: not known. */
    double (*reach)(const ff_friction *law, double load);
    /* How far off `excess` is where load, v and u are off by these; NULL: by differences. */
    double (*excess_error)(const ff_friction *law, const ff_friction_query *query, double load,
                           double v, double u);
    /* The coefficient of friction at the most, for pictures of a friction cone; NULL: not known. */
    double (*cone)(const ff_friction *law);
    /* Values of parameters for a stiffness (N/m) and a damping time (s) at rest under that load: the force of a small
     * deflection x is stiffness (x + time x'); a law without spring is at its full at the speed at which stiffness time x'
     * comes to the load. What is NAN leaves NAN what
     * depends on it; a coefficient of friction that is NAN becomes 1. NULL: not known. */
    void (*match)(double load, double stiffness, double time, double *values);
    /* The law in a plane where its forces lie in the ellipse mu load {shape}, not in a disc. NULL: it has none. */
    void (*ellipse)(const ff_friction *law, const struct ff_ellipse *shape,
                    const ff_friction_query *query, ff_friction_answer *out);
    const char *equations;
    void *user; /* a caller's own */
} ff_friction_law;

/* Many contacts under one law, component c of vector i at [c*stride + i]. `u`, `rate` may be NULL for laws without inner
 * state. Over a step of fixed length `before` is u at its start and `level` the level then, which is replaced by that at
 * its end; `regrade` gets what the change of level took away, J. Both may be NULL. */
typedef struct ff_friction_batch {
    size_t count, stride;
    bool padded; /* as of a normal law */
    const double *z, *zdot, *load, *grade, *ratio, *grade_slope;
    const double *v, *u, *before;
    double *force, *rate;
    double *lift, *damper, *slip, *viscous;
    double *level, *regrade;
} ff_friction_batch;

typedef struct ff_friction_kernels {
    void (*respond)(const ff_friction *law, const ff_friction_batch *batch);
} ff_friction_kernels;

struct ff_friction {
    const ff_friction_law *law;
    ff_friction_point respond;
    const ff_friction_form *form;
    const ff_friction_kernels *kernels;
    double numbers[FF_LAW_NUMBERS];
    int vectors, scalars;
    bool lifts, keeps;
    double values[FF_LAW_PARAMS];
};

FF_API const ff_friction_law *ff_friction_law_at(size_t i);
FF_API const ff_friction_law *ff_friction_law_find(const char *name);
/* As those of a normal law. */
FF_API ff_status ff_friction_init(ff_friction *out, const ff_friction_law *law, ff_error *error);
FF_API ff_status ff_friction_set(ff_friction *law, const char *name, double value, ff_error *error);
FF_API ff_status ff_friction_set_all(ff_friction *law, const ff_param_value *given, size_t count,
                                     ff_error *error);
FF_API ff_status ff_friction_choose(ff_friction *law, const char *name, const char *word,
                                    ff_error *error);
FF_API ff_status ff_friction_check(const ff_friction *law, ff_error *error);
/* No friction. */
FF_API void ff_friction_none(ff_friction *out);
FF_API double ff_friction_value(const ff_friction *law, const char *name);
/* All that the law answers; rates of u go to `rate` (may be NULL). */
FF_API ff_friction_answer ff_friction_at(const ff_friction *law, const ff_friction_query *query,
                                         double *rate);
/* The inner states at a touch-down of a contact that will be so deep, m, after that time, s, about. */
FF_API void ff_friction_touch(const ff_friction *law, double depth, double time, double *u);
/* The energy in its springs, J. */
FF_API double ff_friction_stored(const ff_friction *law, const ff_friction_query *query);
FF_API void ff_friction_slopes_at(const ff_friction *law, const ff_friction_query *query,
                                  double *matrix);

/* ---- callers' own laws ---- */

/* Makes a law known by its name, to scenes, commands and lists; one of the two may be NULL. The table must live on. Before
 * anything else runs: it is no matter for threads. FF_BAD_VALUE where its ABI, its name or its parts are wrong. */
FF_API ff_status ff_law_register(const ff_normal_law *normal, const ff_friction_law *friction,
                                 ff_error *error);

/* What a check of a law found (ff_normal_verify(), ff_friction_verify()). */
typedef struct ff_law_finding {
    const char *what; /* "balance", "signs", ... */
    double worst;     /* the greatest error met, as a part of what it is an error of */
    double allowed;
    char where[160]; /* the point that it was met at; empty where it held everywhere */
} ff_law_finding;

enum { FF_LAW_FINDINGS = 8 };

/* Tests a law with its numbers at `points` random points of its range and at its edges, up to a depth (m) and speed
 * (m/s): the balance F zdot = d(stored)/dt + losses, signs, continuity, slopes against differences, roots against
 * forces. Returns how many findings there are in `out`; those with worst > allowed are broken. */
FF_API size_t ff_normal_verify(const ff_normal *law, double depth, double speed, size_t points,
                               ff_law_finding out[FF_LAW_FINDINGS]);
FF_API size_t ff_friction_verify(const ff_friction *law, double depth, double speed, double load,
                                 size_t points, ff_law_finding out[FF_LAW_FINDINGS]);

/* ---- one pair inside another simulator's loop, without a scene ---- */

/* Two things that touch, as the caller's own geometry sees them. inner and u are states that the caller
 * keeps and integrates with the rates below; both start at 0, or as ff_normal_touch() and ff_friction_touch() set them, and u
 * goes back to 0 when depth does. */
typedef struct ff_contact_query {
    double depth, rate;           /* m, m/s; rate > 0 is closing */
    double slip[3];               /* tangential velocity of the first against the second, m/s */
    double spin, roll[3], radius; /* only for laws that answer with a moment */
    const double *inner, *u;      /* NULL: none */
} ff_contact_query;

typedef struct ff_contact_answer {
    double normal;      /* on the first thing, away from the second, N */
    double friction[3]; /* on the first thing, N */
    double twist,
        moment
            [3]; /* on the first thing, about the normal and about axes in the tangent plane, N m */
    double stored, loss; /* J, W: of both laws */
    bool slips;
    double *inner_rate, *u_rate; /* where rates go; the caller's, NULL: not wanted */
} ff_contact_answer;

FF_API void ff_contact_force(const ff_normal *normal, const ff_friction *friction,
                             const ff_contact_query *query, ff_contact_answer *out);

FF_C_END
