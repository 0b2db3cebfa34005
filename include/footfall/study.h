/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

/* Studies: many runs of one scene or inclusion, and what is kept of each.
 *
 *     const char *vary[] = {"pairs[0].friction.mu=0.05:0.5:50"};
 *     const char *keep[] = {"end(bodies.ball.velocity[0])", "peak=max(contacts.ball/floor.force)"};
 *     ff_sweep sweep = ff_sweep_default();
 *     sweep.path = "scenes/rolling.yaml";
 *     sweep.vary = vary, sweep.vary_count = 1;
 *     sweep.keep = keep, sweep.keep_count = 2;
 *     ff_sweep_run(&sweep, &table, &messages);
 *     ff_table_write(table, "mu.csv", &error);
 *     ff_free(table);
 *
 * docs/sweep.md has the notation of ranges and of what is kept. */

#include <footfall/report.h>
#include <footfall/scene.h>
#include <stdint.h>

FF_C_BEGIN

/* How the points of random parameters fill their distributions. */
typedef enum ff_points {
    FF_POINTS_RANDOM, /* independent */
    FF_POINTS_LATIN, /* a Latin hypercube: one point in each of as many layers of every parameter */
    FF_POINTS_SOBOL  /* Sobol's sequence, with a random shift: at most 21 parameters */
} ff_points;

enum { FF_POINTS_KINDS = FF_POINTS_SOBOL + 1 };

typedef struct ff_sweep {
    size_t size;
    const char *path; /* of a scene or an inclusion */
    const char *text; /* what is in it; NULL: it is read */
    const char *const *settings, *const *vary,
                                     *const *keep; /* PATH=VALUE, PATH=RANGE, EXPRESSION */
    size_t setting_count, vary_count, keep_count;
    ff_points points;
    size_t samples; /* of random parameters, for each point of the others */
    uint64_t seed;
    int threads; /* to FF_THREADS_MOST; 0: as many as there are cores. Results do not depend on it */
    /* A file that finished runs are appended to every second, and whose runs are not done again. Runs in files whose names
     * begin with it count, too, so that several sweeps can share the work. NULL: none */
    const char *records;
    size_t shard, shards; /* only part `shard`, from 1, of so many; 0: all */
    bool merge;           /* nothing is run: all runs must be in records */
    /* Called now and then, by one thread at a time, with the number of runs that are finished and that are wanted here, those in
     * records included: false ends the sweep. May be NULL */
    bool (*progress)(void *user, size_t done, size_t wanted);
    void *user;
} ff_sweep;

/* Nothing varied, nothing kept, on all cores. */
static inline ff_sweep ff_sweep_default(void) {
    ff_sweep sweep;
    __builtin_memset(&sweep, 0, sizeof sweep);
    sweep.size = sizeof sweep;
    return sweep;
}

/* A column of a table. */
typedef struct ff_table_column {
    const char *name, *unit; /* unit: "": not known; "1": a pure number */
    const char *const
        *words;       /* values are indices of these, which end with NULL; NULL: they are numbers */
    bool varied;      /* a parameter */
    bool logarithmic; /* its range, or its distribution, is */
    size_t count;     /* of a parameter: how many values it has; 0: it has a distribution */
} ff_table_column;

/* What came out: a row for each run, in an order that depends on nothing but the ranges: the last parameter changes first,
 * samples before all. One block of memory: ff_free() frees it. */
typedef struct ff_table {
    size_t rows, columns;
    size_t varied; /* the first columns are parameters, the others are what was kept */
    size_t
        samples; /* of each point of the parameters without a distribution; 1 where all are such */
    size_t failed;
    const ff_table_column *column;
    const double *values;      /* row after row; of a run that failed, what is kept is NAN */
    const char *const *reason; /* for each row: why its run failed; NULL: it did not */
} ff_table;

/* Runs a sweep. A run that fails is a row with its reason. FF_BAD_VALUE, FF_MISSING: the input is wrong, as `messages` (may be
 * NULL) tell; FF_STOPPED: `progress` has ended it, and there is no table; FF_NOT_WRITTEN: records cannot be written. A shard
 * has a table of its own rows, and no other. */
FF_API ff_status ff_sweep_run(const ff_sweep *sweep, ff_table **out, ff_messages *messages);

/* Writes a table as .csv or .h5; the file appears when it is complete. `table` NULL: tells whether it could be written under
 * this name. */
FF_API ff_status ff_table_write(const ff_table *table, const char *path, ff_error *error);

/* ---- studies: tables, figures and claims of a file ---- */

typedef enum ff_claim_relation {
    FF_CLAIM_NEAR,    /* |value - expected| <= tolerance */
    FF_CLAIM_AT_MOST, /* beyond `expected` by no more than the tolerance */
    FF_CLAIM_AT_LEAST
} ff_claim_relation;

typedef enum ff_claim_status {
    FF_CLAIM_HOLDS,
    FF_CLAIM_FAILS,
    FF_CLAIM_OTHERWISE /* it does not hold, as `otherwise` says: the value is what is known to come instead */
} ff_claim_status;

typedef struct ff_claim {
    const char *figure;                        /* that it is about; NULL: of none */
    const char *where, *quantity, *unit, *why; /* unit, why: NULL: nothing to say */
    const char *note, *otherwise;              /* NULL: nothing to add; it should hold */
    ff_claim_relation relation;
    ff_claim_status status;
    double value, expected, tolerance, instead, instead_within;
} ff_claim;

typedef struct ff_figure {
    const char *id, *title, *caption, *chosen; /* caption, chosen: NULL: nothing to say */
    ff_plot
        plot; /* without curves where there is nothing to draw, and where it was not asked for */
} ff_figure;

/* What came out, in one block of memory: ff_free() frees it. */
typedef struct ff_study {
    const char *title;
    size_t figure_count, claim_count, failed; /* failed: claims */
    const ff_figure *figures;
    const ff_claim *claims;
} ff_study;

typedef struct ff_study_options {
    size_t size;
    const char *path, *text; /* of the study; text NULL: it is read */
    const char *
        figure; /* only that figure and the claims about it; "": nothing is run, and what figures and claims say is told;
                           NULL: all */
    int threads; /* as ff_sweep has it */
    void *user;
    /* The text of a file that the study names; NULL: there is none. Without it, files are read from the folder of `path` */
    const char *(*file)(void *user, const char *name);
    /* Called with each table that was made; false ends the study. May be NULL */
    bool (*table)(void *user, const char *name, const ff_table *table);
} ff_study_options;

static inline ff_study_options ff_study_options_default(void) {
    ff_study_options options;
    __builtin_memset(&options, 0, sizeof options);
    options.size = sizeof options;
    return options;
}

/* Runs a study (docs/sweep.md). FF_BAD_VALUE: the input is wrong, or a run failed, as `messages` (may be NULL) tell; FF_STOPPED:
 * table() has ended it. Claims that do not hold are no failure. */
FF_API ff_status ff_study_run(const ff_study_options *options, ff_study **out,
                              ff_messages *messages);

FF_C_END
