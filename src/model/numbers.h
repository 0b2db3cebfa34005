/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

/* The numbers given by a scene, as fields of its model, with the paths of a scene file. A field is found, read and written
 * in the definitions of a model; ff_model_derive() then updates the rest of the model. */

#include "fields.h"
#include "model.h"

/* Things that have numbers, in the order of the list. */
typedef enum ff_thing_kind {
    FF_THING_WORLD, /* gravity */
    FF_THING_PARAMETER,
    FF_THING_BODY,
    FF_THING_SHAPE,
    FF_THING_PLANE,
    FF_THING_PAIR,
    FF_THING_JOINT,
    FF_THING_FORCE,
    FF_THING_KINDS
} ff_thing_kind;

typedef struct ff_thing {
    ff_thing_kind kind;
    size_t index; /* index among the definitions of its kind */
} ff_thing;

/* How the value of a number is stored. */
typedef enum ff_number_type {
    FF_NUMBER_PLAIN,     /* at `offset` of the definition */
    FF_NUMBER_DIRECTION, /* a vector of any nonzero length */
    FF_NUMBER_UNIT,      /* a vector that is normalised */
    FF_NUMBER_BOX,       /* the edges of a box */
    FF_NUMBER_CORNERS,   /* the radius of its corners */
    FF_NUMBER_INERTIA,
    FF_NUMBER_LOCK,
    FF_NUMBER_LAW,   /* the index of a law among the known ones; at `offset` */
    FF_NUMBER_PARAM, /* parameter `param` of the law at `offset` */
    FF_NUMBER_WORD,  /* `stateful` or `lever` of a pair */
    FF_NUMBER_TABLE  /* the times or factors of a force */
} ff_number_type;

/* Most numbers of a field that can be set: an inertia matrix. */
enum { FF_NUMBER_WIDTH = 9 };

/* One field of a thing. */
typedef struct ff_number {
    /* the part of the path after that of the thing; section NULL or "normal." */
    const char *section, *key;
    const char *unit, *meaning;
    ff_field_kind kind;
    size_t width, offset;
    double least; /* FF_POSITIVE: above 0 */
    ff_number_type type;
    int param;
    bool friction; /* a friction law rather than a normal law */
    bool feeds;    /* the reader of a scene file may derive other numbers from it */
    bool turned;   /* rotational: N m instead of N in its unit, and rad instead of m */
} ff_number;

/* Number `wanted` of a thing, if there is one; returns how many it has (number_rows.c). */
size_t ff_number_rows(const ff_model *model, ff_thing thing, size_t wanted, ff_number *out);
/* Its unit, in the form of fields. */
void ff_number_unit(const ff_number *number, char out[FF_FIELD_UNIT]);

/* Fills in topology->field_at, once the definitions are known. */
ff_status ff_numbers_count(ff_model *model);
size_t ff_numbers_total(const ff_model *model);
void ff_numbers_describe(const ff_model *model, size_t i, ff_field *out);
size_t ff_numbers_find(const ff_model *model, const char *path, size_t length);
/* Reads values from the definitions of a model. */
void ff_numbers_read(const ff_model *model, size_t i, double *values);
/* Changes the definitions. FF_BAD_VALUE, with the reason, if a value is out of range; then nothing is changed. */
ff_status ff_numbers_write(ff_model *model, size_t i, const double *values, ff_error *error);
/* What setting a field requires. */
typedef struct ff_number_facts {
    ff_field_kind kind;
    size_t width;
    bool feeds;    /* other numbers of a scene file may depend on it: the file is evaluated again */
    bool bodies;   /* bodies or joint positions depend on it */
    bool surfaces; /* the velocity of a surface depends on it */
} ff_number_facts;
ff_number_facts ff_numbers_facts(const ff_model *model, size_t i);
/* Whether two models have the same list. */
bool ff_numbers_same(const ff_model *a, const ff_model *b);

/* All inputs of a model in sequence: how many numbers there are, reading them, and writing them. */
size_t ff_numbers_inputs(const ff_model *model);
void ff_numbers_inputs_read(const ff_model *model, double *values);
void ff_numbers_inputs_write(ff_model *model, const double *values);
/* Calls `visit` with the field of each input. */
void ff_numbers_each_input(const ff_model *model, void (*visit)(void *user, size_t field),
                           void *user);
