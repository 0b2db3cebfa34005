/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

/* Maps of a scene file are read by tables: the name of a key, how its value is read, and where it is stored. */

#include "parameters.h"

/* A map that is being read. */
typedef struct ff_map {
    ff_messages *messages;
    ff_parameters *parameters; /* parameters that expressions may use */
    const char *where;         /* name in messages, such as body 'ball' */
    void *out;                 /* the struct to fill in */
    void *context;             /* for field-specific readers */
} ff_map;

typedef struct ff_key ff_key;
typedef void ff_key_reader(const ff_map *map, const ff_key *field, const ff_node *node);

struct ff_key {
    const char *key;
    ff_key_reader *read;
    size_t offset;      /* offset in the map's struct */
    const char *need;   /* description of a required key, or why it is refused; otherwise NULL */
    ff_dimension dim;   /* dimension of a number */
    double least, most; /* range of a number; both 0: any */
};

/* dimensions of numbers in files */
/* clang-format off */
#define FF_DIM_NONE {0, 0, 0}
#define FF_DIM_MASS {1, 0, 0}
#define FF_DIM_LENGTH {0, 1, 0}
#define FF_DIM_DENSITY {1, -3, 0}
#define FF_DIM_TIME {0, 0, 1}
#define FF_DIM_SPEED {0, 1, -1}
#define FF_DIM_ACCELERATION {0, 1, -2}
#define FF_DIM_RATE {0, 0, -1}
#define FF_DIM_FORCE {1, 1, -2}
#define FF_DIM_TORQUE {1, 2, -2}
#define FF_DIM_INERTIA {1, 2, 0}
#define FF_DIM_STIFFNESS {1, 0, -2}
#define FF_DIM_DAMPING {1, 0, -1}
#define FF_DIM_TURN_DAMPING {1, 2, -1}
/* clang-format on */

/* room for the name of a thing in messages, with the longest name */
enum { FF_WHERE = 160 };

/* Formats such a name and returns it. */
__attribute__((format(printf, 2, 3))) const char *ff_where(char buf[FF_WHERE], const char *format,
                                                           ...);

#define FF_COUNT(table) (sizeof(table) / sizeof *(table))

/* Reads a map by its table; unknown and missing keys are reported. */
void ff_keys_read(const ff_map *map, const ff_node *node, const ff_key *fields, size_t count);

/* Whether exactly one of the first `kinds` fields is in the map; otherwise reports it. */
bool ff_keys_one(const ff_map *map, const ff_node *node, const ff_key *fields, size_t kinds);

/* Readers of fields. An invalid value is reported and leaves the field unchanged. */
ff_key_reader ff_key_number;      /* double */
ff_key_reader ff_key_whole;       /* double without a fraction */
ff_key_reader ff_key_vector;      /* double[3] */
ff_key_reader ff_key_direction;   /* double[3] of any nonzero length */
ff_key_reader ff_key_orientation; /* double[4]: w, x, y, z, or {axis, angle} */
ff_key_reader ff_key_node;        /* const ff_node *, to be read later */
ff_key_reader ff_key_refuse;      /* a key of another kind of map, which hints do not suggest */

/* Reports that `key` must be `wanted` rather than the node's value. */
void ff_node_refuse(const ff_map *map, const char *key, const ff_node *node, const char *wanted);

/* Reads a number with the dimension and range of its field. */
bool ff_node_number(const ff_map *map, const ff_key *field, const ff_node *node, double *value);

/* Reads a number of any dimension, and what is known about it. */
bool ff_parameters_any(ff_parameters *p, const ff_map *map, const char *key, const ff_node *node,
                       double *value, ff_expr_facts *facts);

/* Reads a list of `count` numbers; `wanted` describes what is expected. */
bool ff_node_numbers(const ff_map *map, const ff_key *field, const ff_node *node, size_t count,
                     double *values, const char *wanted);

/* The index of a word in a list of `count`; -1, with a message, if it is not in it. `what` is as in "unknown method". */
int ff_node_word(const ff_map *map, const char *what, const ff_node *node, const char *const *words,
                 size_t count);

/* Whether a text is a valid name: at most 63 letters, digits, _ and -. */
bool ff_node_name(const ff_map *map, const char *what, const char *name, ff_place place);

enum { FF_HINT = 320 };

/* " (did you mean 'x'?)", or " (known are x, y, z)" if none is near and the list is short, or "". */
const char *ff_word_hint(const ff_map *map, const char *word, const char *const *words,
                         size_t count, char hint[FF_HINT]);
