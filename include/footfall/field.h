/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

/* The named numbers of a model: one list that traces, tables, settings and bindings read.
 *
 *     size_t mu;
 *     ff_model_field_find(model, "pairs[0].friction.mu", &mu, NULL, &error);
 *     ff_sim_set(sim, mu, &(double){0.3}, &error);
 *
 * A path names a field of one or several numbers: `bodies.ball.position` has three, and `bodies.ball.position[2]` is
 * the last of them. Numbers are in SI units. */

#include <footfall/sim.h>

FF_C_BEGIN

typedef enum ff_field_kind {
    FF_FIELD_INPUT,     /* may be set at any time */
    FF_FIELD_PARAMETER, /* may be set before the first step */
    FF_FIELD_STRUCTURE, /* what the model is made of: cannot be set */
    FF_FIELD_STATE,     /* what a run integrates */
    FF_FIELD_OUTPUT     /* what follows from states, inputs and parameters */
} ff_field_kind;

FF_API const char *ff_field_kind_name(ff_field_kind kind);

enum { FF_FIELD_PATH = 256, FF_FIELD_UNIT = 64 };

/* With more contacts than this a model has no fields, and a trace no columns, for contacts. */
enum { FF_CONTACTS_LISTED = 20000 };

typedef struct ff_field {
    char path[FF_FIELD_PATH];
    char unit[FF_FIELD_UNIT]; /* "m/s"; "1": a pure number; "": not known */
    ff_field_kind kind;
    size_t width;         /* how many numbers it has */
    const char *meaning;  /* a few words; lives as long as the model */
    const char *parts[4]; /* what tables call each number, as "x"; NULL: by its index */
    double scale;         /* what errors of a state are relative to; 0: not known */
} ff_field;

FF_API size_t ff_model_field_count(const ff_model *model);
/* Field i of the list; false where there is none. */
FF_API bool ff_model_field(const ff_model *model, size_t i, ff_field *out);
/* Finds a field by its path. `part` (may be NULL) becomes the index at the end of the path, SIZE_MAX without one. `error`
 * (may be NULL) says what is wrong and names the nearest path. */
FF_API ff_status ff_model_field_find(const ff_model *model, const char *path, size_t *field,
                                     size_t *part, ff_error *error);

/* The values of many fields, one after the other, at the sim's time or at the time of ff_sim_observe(). Fields of one body,
 * contact or joint that follow each other in the list are evaluated together. */
FF_API ff_status ff_sim_get_all(ff_sim *sim, const size_t *fields, size_t count, double *values);
/* The values of one field. */
static inline ff_status ff_sim_get(ff_sim *sim, size_t field, double *values) {
    return ff_sim_get_all(sim, &field, 1, values);
}

/* Sets all numbers of some fields: all or none. A sim that sets one has numbers of its own from then on; the model and other sims keep
 * theirs. Parameters: before the first step only, and the run begins anew from the start state that follows from them.
 * Inputs: at any time; that is an event of kind `switch`, the step goes on as it was, and what it changes in stored
 * energies is booked as `external`. A motion of a body that the scene gives is a parameter, too: where the run starts.
 * Structure, other states and outputs are refused with a sentence. A value that the model cannot have is refused, and
 * nothing has changed; FF_UNREACHABLE: a scene that starts at rest has no equilibrium with it. */
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
