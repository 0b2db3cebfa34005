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

/* Contacts have fields, and so columns in traces: all of them, or none where there are more than this. */
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
/* Finds a field by its path. With an index at its end `part` is that, otherwise SIZE_MAX (may be NULL). What is wrong is
 * in `error` (may be NULL), with the nearest path that there is. */
FF_API ff_status ff_model_field_find(const ff_model *model, const char *path, size_t *field,
                                     size_t *part, ff_error *error);

/* The values of many fields at the time that is observed, one after the other; what belongs to one thing and stands side by side
 * is evaluated once. */
FF_API ff_status ff_sim_get_all(ff_sim *sim, const size_t *fields, size_t count, double *values);
/* Those of one field. */
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
/* One field. */
static inline ff_status ff_sim_set(ff_sim *sim, size_t field, const double *values,
                                   ff_error *error) {
    return ff_sim_set_all(sim, &field, 1, values, error);
}
/* By path, also of one number of a field, as bodies.ball.velocity[0]. */
FF_API ff_status ff_sim_set_path(ff_sim *sim, const char *path, double value, ff_error *error);

FF_C_END
