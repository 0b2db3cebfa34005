/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

/* One contact as the options of restitution, design, phase and fit describe it: a normal law with
 * its parameters, given or from materials, two bodies, and speeds. Lists and ranges make a sweep. */

#include "args.h"
#include "json.h"
#include <footfall/footfall.h>

/* What stands in the option table of every command that reads a contact; `sweep` where parameters may
 * be lists or ranges. */
/* clang-format off */
#define CONTACT_OPTIONS(sweep) \
    {"normal", "LAW", NULL, "normal law; `footfall laws` lists them", false, 0}, \
    {"k", "K", "1", "stiffness, N/m^n", sweep, 0}, \
    {"lambda", "L", "1", "damping, N s/m^(p+1)", sweep, 0}, \
    {"lambda-out", "L", "1", "damping while opening; default: lambda", sweep, 0}, \
    {"lambda-star", "L", "N s/m^2", "azad-featherstone: lambda = lambda* sqrt(R), with --radius", false, 0}, \
    {"n", "N", "1", "exponent of the spring", sweep, 0}, \
    {"p", "P", "1", "exponent of the damper", sweep, 0}, \
    {"detach", "RULE", NULL, "clamp (contact ends with the force) or tension (at z = 0)", false, 0}, \
    {"alpha", "A", "1", "marhefka-orin: slope of e, s/m; xiong: filter time, s", sweep, 0}, \
    {"e", "E", "1", "lankarani-nikravesh, flores: wanted restitution", sweep, 0}, \
    {"v-min", "V", "m/s", "the same: least speed that is latched", sweep, 0}, \
    {"K", "K", "N/m", "xiong: stiffness", sweep, 0}, \
    {"beta", "B", "s", "xiong: damping time", sweep, 0}, \
    {"mass", "M[,M2]", "kg", "of one body against a wall, or of two free bodies", true, 0}, \
    {"radius", "R[,R2]", "m", "of a sphere on a plate, or of two spheres", true, 0}, \
    {"materials", "A[,B]", NULL, "k from E and nu of these (one: both bodies); also the mass, if not given", false, 0}, \
    {"E", "E[,E2]", "Pa", "the same with Young's moduli as numbers (one: the other body is rigid)", true, 0}, \
    {"nu", "NU[,NU2]", "1", "and Poisson's ratios", true, 0}, \
    {"speed", "V", "m/s", "at touch-down", sweep, 0}
/* clang-format on */

typedef enum contact_need {
    CONTACT_ALL = 0,
    CONTACT_FREE_DAMPING = 1, /* lambda is to be found */
    CONTACT_FREE_K = 2,       /* so is k, if it is not given */
    CONTACT_NO_SPEED = 4,
    CONTACT_ZERO_SPEED = 8 /* a speed of 0 is a limit that is wanted */
} contact_need;

typedef struct contact {
    const ff_normal_law *law;
    size_t param_count;
    args_list params[FF_LAW_PARAMS]; /* one entry of NAN where a default is taken */
    args_list mass, speed;
    double modulus, radius; /* E* and R; NAN where not given */
    bool k_given;
    const ff_material *material[2];
    double body_mass[2], body_radius[2];
} contact;

/* The names of all normal laws; the list has `*count` entries and lives on. */
const char *const *contact_law_names(size_t *count);

/* Finds the law that --normal names; the error suggests the nearest. */
int contact_law(const args *a, const ff_normal_law **law);

/* Reads and checks everything. Returns 0 or ARGS_WRONG after one line on stderr. */
int contact_read(contact *c, const args *a, unsigned need);
void contact_clear(contact *c);

/* How many points the sweep has, speeds varying fastest, and the i-th of them. */
size_t contact_count(const contact *c);
ff_status contact_point(const contact *c, size_t i, ff_normal *law, double *mass, double *speed,
                        ff_error *error);

/* The swept quantities besides speed: their number, the name of the j-th and its value at point i. */
size_t contact_swept(const contact *c);
const char *contact_swept_name(const contact *c, size_t j);
double contact_swept_value(const contact *c, size_t j, size_t i);

/* The rule of detachment, which changes e and so is always named. */
void contact_print_detach(const contact *c, FILE *out);

/* The parameters that are the same at every point, the rule of detachment among them. */
void contact_json_parameters(const contact *c, json *j);

/* What was derived from materials and radii, as lines or as JSON members. */
void contact_print_derived(const contact *c, FILE *out);
void contact_json_derived(const contact *c, json *j);
