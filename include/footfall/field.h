/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

/* Fields: the named numbers of a model, used by traces, tables, settings and bindings.
 *
 *     size_t mu;
 *     ff_model_field_find(model, "pairs[0].friction.mu", &mu, NULL, &error);
 *     ff_sim_set(sim, mu, &(double){0.3}, &error);
 *
 * A path names a field of one or several numbers: `bodies.ball.position` has three, and `bodies.ball.position[2]` is the
 * last of them. SI units. */

#include <footfall/sim.h>

FF_C_BEGIN

typedef enum ff_field_kind {
    FF_FIELD_INPUT,     /* can be set at any time */
    FF_FIELD_PARAMETER, /* can be set before the first step */
    FF_FIELD_STRUCTURE, /* part of the structure of the model: cannot be set */
    FF_FIELD_STATE,     /* integrated by a run */
    FF_FIELD_OUTPUT     /* computed from states, inputs and parameters */
} ff_field_kind;

/* The name of a kind, such as "parameter". */
FF_API const char *ff_field_kind_name(ff_field_kind kind);

enum { FF_FIELD_PATH = 256, FF_FIELD_UNIT = 64 };

/* A model with more contacts than this has no fields, and its traces no columns, for contacts. */
enum { FF_CONTACTS_LISTED = 20000 };

typedef struct ff_field {
    char path[FF_FIELD_PATH];
    char unit[FF_FIELD_UNIT]; /* such as "m/s"; "1": dimensionless; "": unknown */
    ff_field_kind kind;
    size_t width;         /* how many numbers the field has */
    const char *meaning;  /* short description; valid as long as the model */
    const char *parts[4]; /* names of the numbers in tables, such as "x"; NULL: by index */
    double scale;         /* scale that errors of a state are relative to; 0: unknown */
} ff_field;

/* Number of fields. */
FF_API size_t ff_model_field_count(const ff_model *model);
/* Field i; false if there is none. */
FF_API bool ff_model_field(const ff_model *model, size_t i, ff_field *out);
/* Finds a field by path. `part` (may be NULL) receives the index at the end of the path, SIZE_MAX if there is none.
 * FF_BAD_VALUE if there is no such field; `error` (may be NULL) names the nearest path. */
FF_API ff_status ff_model_field_find(const ff_model *model, const char *path, size_t *field,
                                     size_t *part, ff_error *error);

/* Reads the values of several fields, one after the other, at the sim's time or the time of ff_sim_observe(). Fields of the
 * same body, contact or joint that are adjacent in the list are evaluated together. */
FF_API ff_status ff_sim_get_all(ff_sim *sim, const size_t *fields, size_t count, double *values);
/* Reads the values of one field. */
static inline ff_status ff_sim_get(ff_sim *sim, size_t field, double *values) {
    return ff_sim_get_all(sim, &field, 1, values);
}

/* Sets all numbers of some fields, or none if one of them is refused. The sim then has its own copy of the numbers; the
 * model and other sims are not affected. Parameters, including the start motion of bodies, can be set only before the first
 * step; the run then starts again from the resulting start state. Inputs can be set at any time; this is an event of kind
 * FF_SWITCH, and the change of stored energy is booked as `external`. FF_BAD_VALUE, with a sentence in `error`, for
 * structure, other states, outputs and invalid values; FF_UNREACHABLE if a scene that starts at rest then has no
 * equilibrium. */
FF_API ff_status ff_sim_set_all(ff_sim *sim, const size_t *fields, size_t count,
                                const double *values, ff_error *error);
/* Sets all numbers of one field. */
static inline ff_status ff_sim_set(ff_sim *sim, size_t field, const double *values,
                                   ff_error *error) {
    return ff_sim_set_all(sim, &field, 1, values, error);
}
/* Sets one number by its path, such as bodies.ball.velocity[0]. */
FF_API ff_status ff_sim_set_path(ff_sim *sim, const char *path, double value, ff_error *error);

FF_C_END
