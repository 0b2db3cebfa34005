/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

/* A contact described by the options of restitution, design, phase and fit: a normal law with its parameters, given or from
 * materials, two bodies, and speeds. Lists and ranges make a sweep. */

#include "args.h"
#include <footfall/footfall.h>
#include <footfall/json.h>

typedef enum contact_need {
    CONTACT_ALL = 0,
    CONTACT_FREE_DAMPING = 1, /* the damping is to be determined */
    CONTACT_FREE_K = 2,       /* the stiffness is to be determined if it is not given */
    CONTACT_NO_SPEED = 4,
    CONTACT_ZERO_SPEED = 8, /* a speed of 0, meaning the limit, is allowed */
    /* parameters that are not given and have no default are to be determined */
    CONTACT_FREE_MISSING = 16,
    CONTACT_NO_MASS = 32 /* the mass is optional */
} contact_need;

typedef struct contact {
    const ff_normal_law *law;
    size_t param_count;
    args_list params[FF_LAW_PARAMS]; /* a single NAN if it was not given */
    bool free[FF_LAW_PARAMS]; /* to be determined: starts from 1, or the middle of its range */
    args_list mass, speed;
    double modulus, radius, lambda_star; /* E*, R and the viscosity; NAN if not given */
    /* the option of the parameter that determines the stiffness; NULL: none */
    const char *stiffness;
    bool sized; /* it has a value, given or from materials */
    const ff_material *material[2];
    double body_mass[2], body_radius[2];
} contact;

/* The names of all normal laws; the list has `*count` entries and stays valid. */
const char *const *contact_law_names(size_t *count);

/* Finds the law that --normal names; the error suggests the nearest. */
int contact_law(const args *a, const ff_normal_law **law);

/* Reads and checks everything. Returns 0 or ARGS_WRONG after one line on stderr. */
/* The speeds of --speed, or of falls from the heights of --drop. */
int contact_speeds(const args *a, const args_want *want, args_list *out);
int contact_read(contact *c, const args *a, unsigned need);
/* Reads a contact of which a comma-separated list `names` (NULL: none) says which parameters are to be determined; a given
 * value is the starting point of the search. All others must be given. */
int contact_read_free(contact *c, const args *a, unsigned need, const char *names);
void contact_clear(contact *c);

/* Number of points of the sweep, with speeds varying fastest, and point i. */
size_t contact_count(const contact *c);
ff_status contact_point(const contact *c, size_t i, ff_normal *law, double *mass, double *speed,
                        ff_error *error);

/* The swept quantities besides speed: their number, the name of the j-th and its value at point i. */
size_t contact_swept(const contact *c);
const char *contact_swept_name(const contact *c, size_t j);
double contact_swept_value(const contact *c, size_t j, size_t i);

/* All laws whose damping can be chosen and whose only other required number is the stiffness; of laws with the same force
 * only the first, and with `by_restitution` of those with the same e(v). Returns their number. */
enum { CONTACT_LAWS = 64 };
size_t contact_damped_laws(ff_normal laws[CONTACT_LAWS], bool by_restitution);
/* The parameters that determine stiffness and damping, without derived ones. Returns their number. */
size_t contact_force_params(const ff_normal_law *table, const char *names[FF_LAW_PARAMS]);
/* Such a law from its table, with arbitrary numbers; false: it is not one. */
bool contact_damped(const ff_normal_law *table, ff_normal *law);

/* lambda* of a law for bodies of that radius; NAN if its damping does not follow from lambda*. */
double contact_lambda_star(const ff_normal *law, double radius);

/* Prints parameters that are words, such as `detach`, which changes e and is therefore always shown. */
void contact_print_words(const contact *c, FILE *out);

/* The parameters that are constant in the sweep, including words. */
void contact_json_parameters(const contact *c, ff_json *j);

/* What was derived from materials and radii, as lines or as JSON members. */
void contact_print_derived(const contact *c, FILE *out);
void contact_json_derived(const contact *c, ff_json *j);
