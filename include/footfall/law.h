/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

/* Force laws. Signs: z > 0 is penetration, zdot > 0 is closing, F > 0 pushes apart. SI units throughout.
 *
 * A law is one constant table (ff_normal_law or ff_friction_law) that contains everything the library knows about it: name,
 * parameters, force, stored energy and losses, inner states, the functions whose roots end its modes, and partial
 * derivatives. No other part of the library refers to a law or a parameter by name. A law together with the values of its
 * parameters is an ff_normal or an ff_friction: a plain struct, made by ff_normal_init() or ff_friction_init(), that can be
 * copied and read by any number of threads.
 *
 * User-defined laws are tables like any other: ff_law_register() makes a law available by name, and ff_normal_verify() and
 * ff_friction_verify() check whether its parts are consistent. Members of a table that are NULL have the default that their
 * comment states. See examples/law.c. */

#include <footfall/status.h>
#include <stdbool.h>
#include <stddef.h>

FF_C_BEGIN

#define FF_LAW_ABI 4
#define FF_LAW_PARAMS 10
#define FF_LAW_NUMBERS 12
#define FF_LAW_STATES 240       /* most inner states of one contact under a normal law */
#define FF_FRICTION_STATES 1923 /* and under a friction law: 640 vectors and 3 numbers */

/* A parameter of a law. `unit` may contain exponents that are parameters of the law, as in "N/m^n". */
typedef struct ff_param {
    const char *name;
    const char *unit;   /* "1": dimensionless; NULL: a choice of words */
    double least, most; /* valid range; FF_POSITIVE as `least` means > 0 */
    double fallback;    /* default value; NAN: required */
    const char *meaning;
    const char *const *words; /* the choices, NULL-terminated; the value is the index */
} ff_param;

/* A parameter value given by name. */
typedef struct ff_param_value {
    const char *name;
    double value;
} ff_param_value;

#define FF_POSITIVE 2.2250738585072014e-308 /* the smallest normal double: "greater than zero" */
#define FF_DERIVED (-1.0) /* as `fallback`: the law computes the default, see `meaning` */

/* The depth, m, below which partial derivatives with respect to z are evaluated at this depth instead, because dF/dz is
 * infinite at z = 0 for p < 1. It is a hundredth of an atomic radius, far below any meaningful depth. Forces are not
 * affected. */
#define FF_DEPTH_FLOOR 1e-12

/* What is known about two bodies for whose contact a law is chosen; NAN: unknown. */
typedef struct ff_surroundings {
    double modulus;     /* E*, Pa */
    double radius;      /* R, m */
    double lambda_star; /* viscosity of the material, N s/m^2: lambda = lambda* sqrt(R) */
    /* of the normal law of the same pair, if it is a power law (for friction laws) */
    double k, lambda;
    double n; /* exponent n of that normal law */
    /* damping time lambda/(n k) of that normal law, s, if p = n - 1 (a bed of springs and dampers) */
    double tau;
    double ratio; /* tangential stiffness divided by normal stiffness: G* over E* */
    /* tau, s, of a normal law with detach: local and the same damping on closing and opening */
    double local_tau;
} ff_surroundings;

/* ---- normal laws ---- */

typedef struct ff_normal ff_normal;

/* Input of a normal law: the state of one contact. */
typedef struct ff_normal_query {
    double z, zdot;      /* m, m/s */
    const double *state; /* inner states */
    /* evaluate without the clamp, so that the force continues smoothly beyond the end of contact */
    bool open;
} ff_normal_query;

/* Output of a normal law. */
typedef struct ff_normal_answer {
    double force;       /* N */
    double loss;        /* dissipated power, W, >= 0; F zdot = d(stored)/dt + loss */
    double grade;       /* growth of the contact area with depth, z^(n-1); used by friction laws */
    double grade_slope; /* d(grade)/dz */
    double ratio;       /* (force + adhesion)/grade, finite at z = 0 */
    double hold; /* for laws that clamp: the function whose root ends the force; nonzero at z = 0 */
    /* output array for the rates of the inner states, owned by the caller; NULL: not wanted */
    double *rate;
} ff_normal_answer;

/* Partial derivatives are row-major matrices, [row*columns + column], zeroed by the caller. For a normal law with S inner
 * states: rows FF_OF_NORMAL to FF_OF_GRADE_SLOPE and S rates; columns z, zdot and S states. See FF_DEPTH_FLOOR. */
enum { FF_OF_NORMAL, FF_OF_GRADE, FF_OF_GRADE_SLOPE, FF_OF_RATES };
enum { FF_BY_Z, FF_BY_ZDOT, FF_BY_STATES };

/* Power laws: F = k z^n + lambda z^p zdot, with lambda_out instead of lambda while opening (zdot < 0), unless `local`. */
typedef struct ff_power {
    double n, p, k, lambda, lambda_out;
    bool clamps; /* the force is never negative */
    /* while opening F = k max(0, z + tau zdot)^n with tau = lambda_out/(n k); requires p = n - 1 */
    bool local;
} ff_power;

/* Result of one impact (footfall/impact.h). */
struct ff_impact;
struct ff_impact_point;

typedef void (*ff_normal_point)(const ff_normal *law, const ff_normal_query *query,
                                ff_normal_answer *out);

/* Templates for `footfall inclusion --show`, which writes a law as expressions. In the text,
 *     $f is the name of the force, $x the gap psi = -z or the slip velocity v, $r the rate of psi, $c the load,
 *     $| is `abs`, or `norm` for a vector, $m the matrix of anisotropic friction after a comma, or nothing,
 *     {name} is a parameter, written name_$f; {short=name} is written short_$f; {#name} is its value,
 *     [name=x:text] and [name!x:text] stand for `text` if the parameter is or is not x, which is a number or another
 *     parameter; conditions can be nested.
 * If a table has no template (NULL), its formula is shown. */

/* Compiled kernels of the library's own laws, for one and for many contacts at once. */
typedef struct ff_normal_form ff_normal_form;
typedef struct ff_friction_form ff_friction_form;

typedef struct ff_normal_law {
    int abi; /* FF_LAW_ABI */
    const char *name, *formula, *source, *limits;
    ff_param params[FF_LAW_PARAMS + 1]; /* terminated by an entry whose name is NULL */

    /* Computes law->numbers from the parameter values, which have been range-checked, and sets states, clamps, damped,
     * kinked and form if they depend on the values. Returns NULL, or a sentence that says why the values are not possible. May be
     * NULL. */
    const char *(*derive)(ff_normal *law);
    /* Replaces NAN in `values` by parameter values that follow from what is known about the bodies. NULL: none do. */
    void (*surround)(const ff_surroundings *with, double *values);

    int states;  /* number of inner states per contact */
    bool clamps; /* the force can end before z = 0: the root of `hold` is located */
    bool damped; /* the force depends on zdot */
    ff_normal_point respond;
    /* only for laws of the library; NULL: respond() is called for one contact at a time */
    const ff_normal_form *form;
    /* stored energy, J: a function of depth, rate and inner states */
    double (*stored)(const ff_normal *law, double z, double zdot, const double *state);
    /* partial derivatives; NULL: finite differences */
    void (*slopes)(const ff_normal *law, const ff_normal_query *query, double *matrix);

    /* Change of the inner states when a contact begins, when it has ended, and after `time` seconds without contact. NULL:
     * no change. If `rest` is given, the rates of the states also apply without contact. */
    void (*touch)(const ff_normal *law, double zdot, double *state);
    void (*leave)(const ff_normal *law, double *state);
    void (*rest)(const ff_normal *law, double time, double *state);
    /* Contact function, m: positive in contact, negative without; and its rate if `rate` is not NULL. NULL: z and zdot. */
    double (*gap)(const ff_normal *law, const ff_normal_query *query, double *rate);
    /* Radius of the contact of two spheres, m, at a depth z, for the arm of twist. NULL: sqrt(R z). */
    double (*contact_radius)(const ff_normal *law, double z, const double *state);
    /* For a ground with a state of its own: the rate at which the ground recovers from `depth` under no force but `push`,
     * m/s; *loss becomes the power that this dissipates, W. NULL, or NAN as the result: not possible. */
    double (*recover)(const ff_normal *law, double depth, double push, double *loss);

    /* Sizes for error control. state_size: magnitude of an inner state in an impact of this depth and speed; NULL: the
     * depth. hold_error: error of `hold` caused by errors in z and zdot; NULL: by finite differences. */
    double (*state_size)(const ff_normal *law, int state, double depth, double speed);
    double (*hold_error)(const ff_normal *law, const ff_normal_query *query, double z, double zdot);

    /* power_form: the law as a power law at an impact speed; false: it is not one (NULL: never), and for an adhesive law
     * *out describes the force without adhesion, which friction laws derive their springs from. with_power: parameter
     * values for a given power law with the same n and p; false: not possible. */
    bool (*power_form)(const ff_normal *law, double speed, ff_power *out);
    bool (*with_power)(const ff_normal *law, const ff_power *power, double *values);
    /* For a free impact, where the law has more than numerical integration can give: decay, -ln e (NAN: unknown); impact,
     * the complete result; curve, points of the motion; design, parameter values for a given restitution and contact time. */
    double (*decay)(const ff_normal *law, double mass, double speed);
    ff_status (*impact)(const ff_normal *law, double mass, double speed, struct ff_impact *out);
    ff_status (*curve)(const ff_normal *law, double mass, double speed, size_t count,
                       struct ff_impact_point *points);
    ff_status (*design)(const ff_normal *law, double mass, double restitution, double contact_time,
                        double *values, ff_error *error);

    const char *equations; /* template, see above; NULL: none */
    void *user;            /* for user-defined laws */
} ff_normal_law;

/* Many contacts under one law: arrays of `count` numbers, with state i of contact j at [i*stride + j]. `state` may be NULL
 * for laws without inner states; `rate` may be NULL; `grade`, `ratio` and `grade_slope` may be NULL together. `padded`: all
 * arrays extend to a multiple of 8 numbers, whose extra values may be overwritten; this is faster for few contacts. */
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

/* A normal law with the values of its parameters. */
struct ff_normal {
    const ff_normal_law *law;
    ff_normal_point respond;
    const ff_normal_form *form;
    const ff_normal_kernels *kernels; /* chosen for the instruction set of this CPU */
    double numbers[FF_LAW_NUMBERS];   /* numbers derived from the values */
    int states;
    bool clamps, damped;
    /* set by derive(): the force has a kink at zdot = 0 at which accurate runs end a step; must not depend on
     * values that can be set in a run */
    bool kinked;
    double values[FF_LAW_PARAMS]; /* parameter values, with defaults filled in */
    /* adhesion of the contact, N, set by derive(); 0 for laws without adhesion. In contact the load on friction is force +
     * adhesion = grade*ratio, or 0 if that is negative */
    double adhesion;
};

/* Law i: first the library's own laws, then registered ones; NULL if there is none. */
FF_API const ff_normal_law *ff_normal_law_at(size_t i);
/* The normal law of that name; NULL if there is none. */
FF_API const ff_normal_law *ff_normal_law_find(const char *name);

/* Makes a law with values, one parameter at a time:
 *
 *     ff_normal law;
 *     ff_normal_init(&law, ff_normal_law_find("azad-featherstone"), &error);
 *     ff_normal_set(&law, "k", 8.5e6, &error);
 *     ff_normal_set(&law, "lambda", 3.1e3, &error);
 *     ff_normal_choose(&law, "detach", "tension", &error);
 *
 * ff_normal_init() sets all parameters to their defaults. Until required parameters are set, the law evaluates to NAN and
 * other functions refuse it with FF_MISSING; ff_normal_check() says which parameter is missing. ff_normal_set() sets a
 * number in SI units, ff_normal_set_all() several at once (for values that are only valid together), ff_normal_choose() a
 * parameter whose values are words. On an unknown name, a value out of range or contradictory values they return
 * FF_BAD_VALUE, leave the law unchanged, and `error` (may be NULL) says why. The table must outlive the law. */
FF_API ff_status ff_normal_init(ff_normal *out, const ff_normal_law *law, ff_error *error);
FF_API ff_status ff_normal_set(ff_normal *law, const char *name, double value, ff_error *error);
FF_API ff_status ff_normal_set_all(ff_normal *law, const ff_param_value *given, size_t count,
                                   ff_error *error);
FF_API ff_status ff_normal_choose(ff_normal *law, const char *name, const char *word,
                                  ff_error *error);
FF_API ff_status ff_normal_check(const ff_normal *law, ff_error *error);
/* The value of a parameter, as given or by default; NAN for an unknown name. FF_DERIVED values are returned as computed if
 * the law has a power form. */
FF_API double ff_normal_value(const ff_normal *law, const char *name);

/* Force, N, at depth z (m), closing speed zdot (m/s) and inner states (NULL: all 0). */
FF_API double ff_normal_force(const ff_normal *law, double z, double zdot, const double *state);
/* All outputs of the law at that point; rates of the states go to `rate` (may be NULL). */
FF_API ff_normal_answer ff_normal_at(const ff_normal *law, double z, double zdot,
                                     const double *state, double *rate);
/* Stored energy at that point, J. */
FF_API double ff_normal_stored(const ff_normal *law, double z, double zdot, const double *state);
/* Fills in the matrix of partial derivatives, including zeros. */
FF_API void ff_normal_slopes_at(const ff_normal *law, const ff_normal_query *query, double *matrix);
/* Sets the inner states for a touch-down with closing speed v, m/s. */
FF_API void ff_normal_touch(const ff_normal *law, double v, double *state);
/* The law as a power law at the given impact speed, m/s; false if it is not one. */
FF_API bool ff_normal_power(const ff_normal *law, double speed, ff_power *out);
/* Sets the parameters so that the law has these k, lambda and lambda_out; FF_BAD_VALUE if they cannot be set so. */
FF_API ff_status ff_normal_set_power(ff_normal *law, double k, double lambda, double lambda_out);

/* ---- friction laws ---- */

typedef struct ff_friction ff_friction;

/* Input of a friction law: the state of one contact. Vectors lie in the tangent plane, in any fixed frame; in planar
 * problems the third component is 0. */
typedef struct ff_friction_query {
    double z, zdot;     /* depth and its rate, m, m/s */
    double load;        /* normal force, N, >= 0 */
    double grade;       /* `grade` of the normal law; 1 if there is none */
    double grade_slope; /* d(grade)/dz */
    /* load/grade; for laws that lift, the total normal force, which may be negative, divided by grade */
    double ratio;
    double v[3]; /* relative tangential velocity, m/s */
    /* Only for laws with a moment: relative angular velocity about the normal and about axes in the tangent plane, rad/s;
     * radius R, 1/R = 1/r1 + 1/r2, m. */
    double spin, roll[3], radius;
    /* inner states: vectors in the tangent plane, one after the other, m, then scalars */
    const double *u;
    double n[3]; /* only for laws with a moment: unit normal towards the body that moves with v */
} ff_friction_query;

typedef struct ff_friction_answer {
    double force[3]; /* on the body that moves with v, N */
    /* Laws with a moment (`turns`): moment on that body about the normal and about axes in the tangent plane, N m. */
    double twist, moment[3];
    double lift;    /* added to the normal force, N */
    double damper;  /* power dissipated by the tangential damper, W */
    double slip;    /* power dissipated by Coulomb slip, W */
    double viscous; /* power dissipated by viscous slip, W */
    /* d(stored)/d(level), J per unit of the level: the energy that a change of level creates or dissipates; 0 if `lift`
     * does that work. Its derivatives d(graded)/du go to the caller's array graded_by; NULL: not wanted. */
    double graded, *graded_by;
    /* For laws with stick and slip events: `excess` is positive while slipping; it is `strain` minus its largest value, in
     * any unit. */
    double excess, strain;
    double *rate; /* output array for the rates of u, m/s, owned by the caller */
    /* laws whose parts slip one by one (`parts`): the largest excess, positive while any part slips */
    double first;
} ff_friction_answer;

/* An ellipse of friction forces (src/num/ellipse.h). */
struct ff_ellipse;

/* The quantity that the spring stiffness of a friction law is proportional to. */
typedef enum ff_level { FF_LEVEL_ONE, FF_LEVEL_GRADE, FF_LEVEL_LOAD } ff_level;

/* Partial derivatives of a friction law: rows force (3), lift, rates of u; columns v (3), load, grade, slope of grade (each
 * with the others constant and ratio = load/grade), depth, depth rate, u. */
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

    const char *(*derive)(ff_friction *law); /* see ff_normal_law */
    void (*surround)(const ff_surroundings *with, double *values);

    bool nothing; /* the law `none` */
    int vectors;  /* number of vectors among the inner states; derive() may change it */
    /* number of scalars after the vectors; set by touch() and regrid(), constant in between */
    int scalars;
    /* parameters that surround() derives from the normal law of the pair are used where they are not given */
    bool beside;
    /* stick and slip are events: roots of `excess` are located. With several vectors, some may slip earlier */
    bool slips;
    bool dry;   /* `viscous` is always 0, so no account is integrated for it */
    bool turns; /* has a moment; derive() may change it */
    bool lifts; /* has a lift; derive() may change it */
    bool keeps; /* u is kept between contacts; otherwise it is reset when z returns to 0 */
    /* The law describes the bed of the normal law beside it, and is valid only with the parameters that surround() takes
     * from that. Its damper is what the bed loses in addition to the loss of the normal law; it may be negative, and is
     * booked in normal_damper. */
    bool of_normal;
    /* parts of a contact slip one by one: `excess` is the smallest of theirs, and the end of full stick is an event */
    bool parts;
    ff_level level; /* what the stiffness of its springs is proportional to */
    ff_friction_point respond;
    const ff_friction_form *form;
    /* energy of the springs at a level, J */
    double (*stored)(const ff_friction *law, double level, const double *u);
    /* partial derivatives; NULL: finite differences */
    void (*slopes)(const ff_friction *law, const ff_friction_query *query, double *matrix);
    /* The same in groups of vectors, so that Jacobians of implicit methods are smaller. Sets of[i] to the group of vector i
     * and returns the number of groups. The rates of a group of several vectors are equal and do not depend on u, and other
     * rows depend on the sum of its vectors only; the matrix has one vector for each group, and its columns are derivatives
     * by a common shift of the group. of[i] = -1: the rate of vector i is `own` times itself, and nothing depends on it. NULL:
     * not possible. */
    int (*fold)(const ff_friction *law, const ff_friction_query *query, int *of, double *own,
                double *matrix);

    /* Sets all inner states when a contact begins that will reach about this depth (m) after about this time (s). NULL:
     * they are 0. */
    void (*touch)(const ff_friction *law, double depth, double time, double *u);
    /* covers: the largest depth for which the inner states are valid, m. regrid: rearranges them for a greater depth and
     * returns the energy that this removes from the springs, J. NULL: valid for any depth. */
    double (*covers)(const ff_friction *law, const double *u);
    double (*regrid)(const ff_friction *law, double *u);
    /* Evolution of u while no force acts on the ground, at a fixed grade: sets rates, damper, graded and its derivatives.
     * NULL: u is reset when the contact ends. */
    void (*relax)(const ff_friction *law, double grade, const double *u, ff_friction_answer *out);
    /* A function, m/s, whose roots are kinks of the force that are not events: slip speed minus the speed of the kink.
     * Steps end at these roots (in scenes only for laws without inner states). NULL: none. */
    double (*bend)(const ff_friction *law, const ff_friction_query *query);
    /* Largest elastic deflection at a load, m: the scale of u. NULL: unknown. */
    double (*reach)(const ff_friction *law, double load);
    /* Error of `excess` caused by errors in load, v and u; NULL: by finite differences. */
    double (*excess_error)(const ff_friction *law, const ff_friction_query *query, double load,
                           double v, double u);
    /* Largest coefficient of friction, for drawing a friction cone; NULL: unknown. */
    double (*cone)(const ff_friction *law);
    /* Parameter values for a given stiffness (N/m) and damping time (s) at rest under a load: the force of a small
     * deflection x is stiffness (x + time x'). A law without a spring saturates at the speed at which stiffness time x'
     * equals the load. NAN inputs give NAN parameters; a coefficient of friction that is NAN becomes 1. NULL: not possible. */
    void (*match)(double load, double stiffness, double time, double *values);
    /* Anisotropic friction: forces lie in the ellipse mu load {shape} instead of a disc. NULL: not supported. */
    void (*ellipse)(const ff_friction *law, const struct ff_ellipse *shape,
                    const ff_friction_query *query, ff_friction_answer *out);
    const char *equations;
    void *user; /* for user-defined laws */
} ff_friction_law;

/* Many contacts under one law, with component c of vector i at [c*stride + i]. `u` and `rate` may be NULL for laws without
 * inner states. For fixed steps, `before` is u at the start of the step and `level` the level there, which is replaced by
 * the level at its end; `regrade` receives the energy that the change of level removed, J. Both may be NULL. */
typedef struct ff_friction_batch {
    size_t count, stride;
    bool padded; /* see ff_normal_batch */
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
    bool lifts, keeps, turns;
    double values[FF_LAW_PARAMS];
};

/* Law i, and the law of a name; NULL if there is none. */
FF_API const ff_friction_law *ff_friction_law_at(size_t i);
FF_API const ff_friction_law *ff_friction_law_find(const char *name);
/* Friction laws with values: these functions are used like those of normal laws above. */
FF_API ff_status ff_friction_init(ff_friction *out, const ff_friction_law *law, ff_error *error);
FF_API ff_status ff_friction_set(ff_friction *law, const char *name, double value, ff_error *error);
FF_API ff_status ff_friction_set_all(ff_friction *law, const ff_param_value *given, size_t count,
                                     ff_error *error);
FF_API ff_status ff_friction_choose(ff_friction *law, const char *name, const char *word,
                                    ff_error *error);
FF_API ff_status ff_friction_check(const ff_friction *law, ff_error *error);
/* Sets `out` to the law `none`. */
FF_API void ff_friction_none(ff_friction *out);
/* The value of a parameter; NAN for an unknown name. */
FF_API double ff_friction_value(const ff_friction *law, const char *name);
/* All outputs of the law; rates of u go to `rate` (may be NULL). */
FF_API ff_friction_answer ff_friction_at(const ff_friction *law, const ff_friction_query *query,
                                         double *rate);
/* Sets the inner states for a contact that will reach about this depth (m) after about this time (s). */
FF_API void ff_friction_touch(const ff_friction *law, double depth, double time, double *u);
/* Energy stored in the springs, J. */
FF_API double ff_friction_stored(const ff_friction *law, const ff_friction_query *query);
/* Fills in the matrix of partial derivatives, including zeros. */
FF_API void ff_friction_slopes_at(const ff_friction *law, const ff_friction_query *query,
                                  double *matrix);

/* ---- user-defined laws ---- */

/* Makes a law available by name in scenes, commands and lists; either argument may be NULL. The table must stay valid. Not
 * thread-safe: call it before anything else runs. FF_BAD_VALUE if the ABI, the name or a part of the table is invalid. */
FF_API ff_status ff_law_register(const ff_normal_law *normal, const ff_friction_law *friction,
                                 ff_error *error);

/* A result of ff_normal_verify() or ff_friction_verify(). */
typedef struct ff_law_finding {
    const char *what; /* "balance", "signs", ... */
    double worst;     /* largest relative error found */
    double allowed;
    char where[160]; /* where it was found; "" if it is 0 everywhere */
} ff_law_finding;

enum { FF_LAW_FINDINGS = 8 };

/* Checks a law with its values at `points` random points and at the limits of its range, up to a depth (m) and speed (m/s):
 * the balance F zdot = d(stored)/dt + losses, signs, continuity, partial derivatives against finite differences, roots
 * against forces. Returns the number of findings written to `out`; a finding with worst > allowed is an error. */
FF_API size_t ff_normal_verify(const ff_normal *law, double depth, double speed, size_t points,
                               ff_law_finding out[FF_LAW_FINDINGS]);
/* Checks a friction law in the same way, up to a depth (m), speed (m/s) and load (N). */
FF_API size_t ff_friction_verify(const ff_friction *law, double depth, double speed, double load,
                                 size_t points, ff_law_finding out[FF_LAW_FINDINGS]);

/* ---- a single pair, for use in other simulators ---- */

/* A contact as found by the caller's own collision detection. `inner` and `u` are the inner states of the two laws; the
 * caller keeps them and integrates them with the rates in the answer. Both start at 0, or as set by ff_normal_touch() and
 * ff_friction_touch(); u is reset to 0 when the depth returns to 0. */
typedef struct ff_contact_query {
    double depth, rate; /* m, m/s; rate > 0 is closing */
    double slip[3];     /* tangential velocity of the first body relative to the second, m/s */
    double spin, roll[3], radius; /* see ff_friction_query; only for laws with a moment */
    const double *inner, *u;      /* inner states; NULL: the law has none */
    double n[3]; /* unit normal towards the first body; only for laws with a moment */
} ff_contact_query;

typedef struct ff_contact_answer {
    double normal;      /* normal force on the first body, away from the second, N */
    double friction[3]; /* on the first body, N */
    double twist,
        /* moment on the first body about the normal and about axes in the tangent plane, N m */
        moment[3];
    double stored, loss; /* stored energy, J, and dissipated power, W, of both laws */
    bool slips;
    /* output arrays for the rates, owned by the caller; NULL: not wanted */
    double *inner_rate, *u_rate;
} ff_contact_answer;

/* Evaluates both laws of a contact. */
FF_API void ff_contact_force(const ff_normal *normal, const ff_friction *friction,
                             const ff_contact_query *query, ff_contact_answer *out);

FF_C_END
