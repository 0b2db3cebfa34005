/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

/* One contact as the options of restitution, design, phase and fit describe it: a normal law with
 * its parameters, given or from materials, two bodies, and speeds. Lists and ranges make a sweep. */

#include "args.h"
#include <footfall/footfall.h>
#include <footfall/json.h>

typedef enum contact_need {
    CONTACT_ALL = 0,
    CONTACT_FREE_DAMPING = 1, /* what the damping depends on is to be found */
    CONTACT_FREE_K = 2,       /* so is the stiffness, if it is not given */
    CONTACT_NO_SPEED = 4,
    CONTACT_ZERO_SPEED = 8,    /* a speed of 0 is a limit that is wanted */
    CONTACT_FREE_MISSING = 16, /* what is not given and has no default is to be found */
    CONTACT_NO_MASS = 32       /* the mass may be left out */
} contact_need;

typedef struct contact {
    const ff_normal_law *law;
    size_t param_count;
    args_list params[FF_LAW_PARAMS]; /* one entry of NAN where it was not given */
    bool free[FF_LAW_PARAMS];        /* is to be found: starts from 1, or the middle of its range */
    args_list mass, speed;
    double modulus, radius, lambda_star; /* E*, R and the viscosity; NAN where not given */
    const char
        *stiffness; /* the option of the parameter that the stiffness follows from; NULL: none */
    bool sized;     /* that has a value, given or from materials */
    const ff_material *material[2];
    double body_mass[2], body_radius[2];
} contact;

/* The names of all normal laws; the list has `*count` entries and lives on. */
const char *const *contact_law_names(size_t *count);

/* Finds the law that --normal names; the error suggests the nearest. */
int contact_law(const args *a, const ff_normal_law **law);

/* Reads and checks everything. Returns 0 or ARGS_WRONG after one line on stderr. */
/* The speeds of --speed, or of falls from the heights of --drop. */
int contact_speeds(const args *a, const args_want *want, args_list *out);
int contact_read(contact *c, const args *a, unsigned need);
/* The same where a list `names` (NULL: none), apart by commas, says which parameters are to be found; a value is where the search
 * starts. All others must be given. */
int contact_read_free(contact *c, const args *a, unsigned need, const char *names);
void contact_clear(contact *c);

/* How many points the sweep has, speeds varying fastest, and the i-th of them. */
size_t contact_count(const contact *c);
ff_status contact_point(const contact *c, size_t i, ff_normal *law, double *mass, double *speed,
                        ff_error *error);

/* The swept quantities besides speed: their number, the name of the j-th and its value at point i. */
size_t contact_swept(const contact *c);
const char *contact_swept_name(const contact *c, size_t j);
double contact_swept_value(const contact *c, size_t j, size_t i);

/* Every law whose damping can be chosen and that needs no other number but its stiffness; of laws with the same force the
 * first, and `by_restitution` of those with the same e(v). Returns how many. */
enum { CONTACT_LAWS = 64 };
size_t contact_damped_laws(ff_normal laws[CONTACT_LAWS], bool by_restitution);
/* The parameters that stiffness and damping follow from, those that a law derives left aside. Returns how many. */
size_t contact_force_params(const ff_normal_law *table, const char *names[FF_LAW_PARAMS]);
/* Such a law by its table, with any numbers; false: it is none. */
bool contact_damped(const ff_normal_law *table, ff_normal *law);

/* lambda* of a law with its numbers on bodies of that radius; NAN where its damping does not follow from one. */
double contact_lambda_star(const ff_normal *law, double radius);

/* Choices of words, such as the rule of detachment, which changes e and so is always named. */
void contact_print_words(const contact *c, FILE *out);

/* The parameters that are the same at every point, choices of words among them. */
void contact_json_parameters(const contact *c, ff_json *j);

/* What was derived from materials and radii, as lines or as JSON members. */
void contact_print_derived(const contact *c, FILE *out);
void contact_json_derived(const contact *c, ff_json *j);
