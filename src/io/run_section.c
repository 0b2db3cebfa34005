/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "run_section.h"
#include <math.h>
#include <stddef.h>

static void read_method(const ff_map *map, const ff_key *field, const ff_node *node) {
    /* in the order of listings: fixed-step methods, then adaptive ones */
    static const ff_method methods[FF_METHODS] = {
        FF_AUTO,   FF_EULER,  FF_SEMI_IMPLICIT, FF_HEUN,       FF_RK4,  FF_VERLET,
        FF_DOPRI5, FF_DOP853, FF_TRAPEZOID,     FF_ROSENBROCK, FF_RODAS};
    const char *words[FF_METHODS];
    for (int i = 0; i < FF_METHODS; i++) {
        words[i] = ff_method_name(methods[i]);
    }
    int word = ff_node_word(map, field->key, node, words, FF_METHODS);
    if (word >= 0) {
        ((ff_run_options *)map->out)->method = methods[word];
    }
}

static void read_events(const ff_map *map, const ff_key *field, const ff_node *node) {
    static const char *const words[] = {"none", "located"};
    int word = ff_node_word(map, field->key, node, words, FF_COUNT(words));
    if (word >= 0) {
        ((ff_run_options *)map->out)->events = word == 1;
    }
}

static void read_threads(const ff_map *map, const ff_key *field, const ff_node *node) {
    ff_run_options *run = map->out;
    double threads = run->threads;
    ff_key_whole(&(ff_map){map->messages, map->parameters, map->where, &threads, NULL}, field,
                 node);
    run->threads = (int)threads;
}

static void read_formulation(const ff_map *map, const ff_key *field, const ff_node *node) {
    static const char *const words[] = {"articulated", "maximal"};
    int word = ff_node_word(map, field->key, node, words, FF_COUNT(words));
    if (word >= 0) {
        ((ff_run_options *)map->out)->formulation = (ff_formulation)word;
    }
}

static void read_constraints(const ff_map *map, const ff_key *field, const ff_node *node) {
    const char *words[FF_CONSTRAINTS];
    for (int i = 0; i < FF_CONSTRAINTS; i++) {
        words[i] = ff_constraints_name((ff_constraints)i);
    }
    int word = ff_node_word(map, field->key, node, words, FF_CONSTRAINTS);
    if (word >= 0) {
        ((ff_run_options *)map->out)->constraints = (ff_constraints)word;
    }
}

/* keys only for scenes come last */
enum { FOR_ALL = 8 };

static const ff_key fields[] = {
    {"until", ff_key_number, offsetof(ff_run_options, until), NULL, FF_DIM_TIME, 0, INFINITY},
    {.key = "method", .read = read_method},
    {"tol", ff_key_number, offsetof(ff_run_options, tol), NULL, FF_DIM_NONE, FF_POSITIVE, 1},
    {"dt", ff_key_number, offsetof(ff_run_options, dt), NULL, FF_DIM_TIME, FF_POSITIVE, INFINITY},
    {"max_step", ff_key_number, offsetof(ff_run_options, max_step), NULL, FF_DIM_TIME, FF_POSITIVE,
     INFINITY},
    {"max_steps", ff_key_whole, offsetof(ff_run_options, max_steps), NULL, FF_DIM_NONE, 1,
     INFINITY},
    {.key = "events", .read = read_events},
    {"every", ff_key_number, offsetof(ff_run_options, every), NULL, FF_DIM_TIME, FF_POSITIVE,
     INFINITY},
    {"threads", read_threads, 0, NULL, FF_DIM_NONE, 0, FF_THREADS_MOST},
    {.key = "formulation", .read = read_formulation},
    {.key = "constraints", .read = read_constraints},
    {"constraint_frequency", ff_key_number, offsetof(ff_run_options, constraint_frequency), NULL,
     FF_DIM_RATE, 0, INFINITY},
    {"constraint_damping", ff_key_number, offsetof(ff_run_options, constraint_damping), NULL,
     FF_DIM_NONE, 0, INFINITY},
    {"constraint_penalty", ff_key_number, offsetof(ff_run_options, constraint_penalty), NULL,
     FF_DIM_MASS, FF_POSITIVE, INFINITY},
    {"constraint_tolerance", ff_key_number, offsetof(ff_run_options, constraint_tolerance), NULL,
     FF_DIM_ACCELERATION, FF_POSITIVE, INFINITY},
};

void ff_read_run(ff_parameters *parameters, const ff_node *node, bool scene, ff_run_options *run,
                 ff_messages *messages) {
    if (node) {
        ff_keys_read(&(ff_map){messages, parameters, "run", run, NULL}, node, fields,
                     scene ? FF_COUNT(fields) : FOR_ALL);
    }
}
