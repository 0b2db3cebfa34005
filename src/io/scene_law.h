/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

/* A law as written in a file: its name and parameters, with units that depend on exponents. */

#include "law/params.h"
#include "scene_reader.h"

/* A law with the values of its parameters as given in the file. */
typedef struct ff_written_law {
    const char *name;
    const ff_param *params;
    void (*surround)(const ff_surroundings *with, double *values);
    /* For units with exponents: the value of each dimensionless parameter, NAN if not known, followed by the n of
     * the normal law of the pair. */
    ff_exponent exponents[FF_LAW_PARAMS + 2];
    bool loose; /* there is no normal law to provide n: units that contain it cannot be checked */
    bool angle; /* the units are those of a rotation */
    double values[FF_LAW_PARAMS];
    const ff_node *material, *from;
    const ff_material *materials[2];
    double lambda_star;
    const ff_node *restitution; /* "0.7 at 4 m/s": the restitution that the damping should give */
    double contact_time, max_depth;
    bool beside[FF_LAW_PARAMS]; /* parameters that are derived from the normal law if not given */
    bool unread;                /* a value has a unit that cannot be checked */
} ff_written_law;

/* Most laws that can be named. */
enum { FF_LAWS_LISTED = 128 };

/* Reads a key that was read before. */
void ff_written_skip(const ff_map *map, const ff_key *field, const ff_node *node);

/* Reads the dimensionless parameters of a law, as far as they can be known before its other fields. */
void ff_written_exponents(ff_parameters *parameters, const ff_node *node, double n,
                          ff_written_law *l);

/* Which parameters the law derives from the given quantities, with its own exponents or with their defaults. */
bool ff_written_derives(const ff_written_law *l, const ff_surroundings *with, bool own,
                        bool out[FF_LAW_PARAMS]);

/* Reads the parameters of a law and additional keys; false if there was an error. */
bool ff_written_read(const ff_map *section, const ff_node *node, ff_written_law *l,
                     const bool derived[FF_LAW_PARAMS], const ff_key *keys, size_t key_count);

/* The index of a law by its name among `count`; -1, with a message, if there is none. */
int ff_written_index(const ff_map *section, const ff_node *node, const char *const *names,
                     size_t count);
