/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

/* Studies: many runs of one scene or inclusion, and results of each.
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
 * docs/sweep.md describes the notation of ranges and results. */

#include <footfall/report.h>
#include <footfall/scene.h>
#include <footfall/warning.h>
#include <stdint.h>

FF_C_BEGIN

/* How samples of random parameters are distributed. */
typedef enum ff_points {
    FF_POINTS_RANDOM, /* independent */
    FF_POINTS_LATIN,  /* Latin hypercube: one sample in each of as many layers of every parameter */
    FF_POINTS_SOBOL   /* Sobol sequence with a random shift; at most 21 parameters */
} ff_points;

enum { FF_POINTS_KINDS = FF_POINTS_SOBOL + 1 };

/* Processes that share the runs of a sweep: each calls ff_sweep_run() with the same sweep and a team of its own. `footfall sweep
 * --mpi` makes one from MPI. Functions are called by one thread at a time. */
typedef struct ff_team {
    size_t rank, ranks; /* this process, from 0, and how many there are */
    /* Adds to a counter that all processes share and that began at 0, and returns its value before */
    uint64_t (*take)(void *user, uint64_t count);
    /* Called a thousand times a second during runs, for a counter that lives in one process. May be NULL */
    void (*poll)(void *user);
    /* Returns when all processes have called it */
    void (*meet)(void *user);
    void *user;
} ff_team;

enum { FF_SWEEP_STOPS = 4 };

typedef struct ff_sweep {
    size_t size;
    const char *path; /* file of a scene or an inclusion */
    const char *text; /* contents of the file; NULL: it is read */
    const char *const *settings, *const *vary,
                                     *const *keep; /* PATH=VALUE, PATH=RANGE, EXPRESSION */
    size_t setting_count, vary_count, keep_count;
    ff_points points;
    size_t samples; /* samples of the random parameters, for each combination of the others */
    uint64_t seed;
    int threads; /* at most FF_THREADS_MOST; 0: number of cores. Results do not depend on it */
    /* File to which finished runs are appended every second; runs that are in it are not repeated. Files whose names begin
     * with this name count as well, so that several processes can share a sweep. NULL: none */
    const char *records;
    size_t shard, shards; /* run only part `shard` of `shards`, counted from 1; 0: all */
    bool merge;           /* run nothing: all runs must be in the record files */
    /* Called from time to time, by one thread at a time, with the number of finished runs and of all runs of this process,
     * including recorded ones. Returning false stops the sweep. May be NULL */
    bool (*progress)(void *user, size_t done, size_t wanted);
    void *user;
    /* Processes that share the runs; each appends to RECORDS.rankI, I its rank. Rank 0 has the table in the end, the others have
     * none. NULL: this process alone */
    const ff_team *team;
    /* Events that end a run early, such as "falling hip" or "touchdown ball/floor 3"; at most FF_SWEEP_STOPS. The run has not
     * failed: its numbers are those until then */
    const char *const *stops;
    size_t stop_count;
    /* Called at the end, once for each kind of warning of the model and of the runs that this process executed: the warning of the
     * first row that has it, this row, and in how many runs it occurred. Runs of spheres in lanes have only some
     * (docs/sweep.md). May be NULL */
    void (*warning)(void *user, const ff_warning *warning, size_t row, size_t runs);
} ff_sweep;

/* Defaults: nothing varied, nothing kept, one thread per core. */
static inline ff_sweep ff_sweep_default(void) {
    ff_sweep sweep;
    __builtin_memset(&sweep, 0, sizeof sweep);
    sweep.size = sizeof sweep;
    return sweep;
}

/* A column of a table. */
typedef struct ff_table_column {
    const char *name, *unit; /* unit: "": unknown; "1": dimensionless */
    /* values are indices into this NULL-terminated list; NULL: values are numbers */
    const char *const *words;
    bool varied;      /* a varied parameter */
    bool logarithmic; /* its range or distribution is logarithmic */
    size_t count;     /* varied parameters: number of values; 0: random */
} ff_table_column;

/* Result of a sweep: one row per run. The order of rows depends only on the ranges: the last parameter varies fastest,
 * samples fastest of all. One block of memory; free it with ff_free(). */
typedef struct ff_table {
    size_t rows, columns;
    size_t varied;  /* number of varied parameters; they are the first columns */
    size_t samples; /* samples per combination of the non-random parameters; 1 if none is random */
    size_t failed;
    const ff_table_column *column;
    const double *values;      /* row after row; results of a failed run are NAN */
    const char *const *reason; /* for each row: why its run failed; NULL: it did not */
    /* How many runs a vector of this machine had in lanes (docs/sweep.md); 0: runs went one at a time, and `alone` says why. Which
     * of the two it is depends on the file, what is varied and what is kept alone. */
    int lanes;
    const char *alone; /* NULL: they went in lanes, or the table is not one of runs */
    /* Each row is a run of this file with these settings PATH=VALUE and the varied parameters, ended early by these events; both
     * lists end with NULL. path NULL: rows are not runs, or the study replaces laws of an inclusion */
    const char *path;
    const char *const *settings, *const *stops;
    /* runs of this process that lanes could not complete, and that were repeated one at a time */
    size_t left_lanes;
} ff_table;

/* Runs a sweep. A failed run becomes a row with its reason. FF_BAD_VALUE, FF_MISSING: the input is invalid, as `messages`
 * (may be NULL) say; FF_STOPPED: `progress` stopped it, and there is no table; FF_NOT_WRITTEN: records cannot be written. A
 * shard returns a table of its own rows only. */
FF_API ff_status ff_sweep_run(const ff_sweep *sweep, ff_table **out, ff_messages *messages);

/* Writes a table as .csv or .h5; the file appears only when it is complete. If `table` is NULL, checks whether the file
 * could be written. */
FF_API ff_status ff_table_write(const ff_table *table, const char *path, ff_error *error);

/* ---- studies: sweeps, figures and claims defined in a file ---- */

typedef enum ff_claim_relation {
    FF_CLAIM_NEAR,    /* |value - expected| <= tolerance */
    FF_CLAIM_AT_MOST, /* exceeds `expected` by at most the tolerance */
    FF_CLAIM_AT_LEAST
} ff_claim_relation;

typedef enum ff_claim_status {
    FF_CLAIM_HOLDS,
    FF_CLAIM_FAILS,
    /* known not to hold: the value is the one that the claim's `otherwise` expects instead */
    FF_CLAIM_OTHERWISE
} ff_claim_status;

typedef struct ff_claim {
    const char *figure;                        /* figure that it belongs to; NULL: none */
    const char *where, *quantity, *unit, *why; /* unit, why: may be NULL */
    const char *note, *otherwise; /* may be NULL; `otherwise` NULL: the claim should hold */
    ff_claim_relation relation;
    ff_claim_status status;
    double value, expected, tolerance, instead, instead_within;
} ff_claim;

typedef struct ff_figure {
    const char *id, *title, *caption, *chosen; /* caption, chosen: may be NULL */
    ff_plot plot; /* without curves if there is nothing to draw or it was not requested */
} ff_figure;

/* Result of a study. One block of memory; free it with ff_free(). */
typedef struct ff_study {
    const char *title;
    size_t figure_count, claim_count, failed; /* failed: number of claims that fail */
    const ff_figure *figures;
    const ff_claim *claims;
} ff_study;

typedef struct ff_study_options {
    size_t size;
    const char *path, *text; /* file of the study, and its contents; text NULL: the file is read */
    /* run only this figure and the claims about it; "": run nothing, only return the texts of figures and claims; NULL: all */
    const char *figure;
    int threads; /* see ff_sweep */
    void *user;
    /* Returns the contents of a file that the study names, NULL: not found. If this function is NULL, files are read from
     * the folder of `path` */
    const char *(*file)(void *user, const char *name);
    /* Called with each table as it is completed; returning false stops the study. May be NULL */
    bool (*table)(void *user, const char *name, const ff_table *table);
    /* Folder for the records of tables of runs (`run:`), each in a file TABLE.part that the caller removes; see ff_sweep. NULL: none */
    const char *records;
    /* As for ff_sweep, for the runs or gaits of one table, before table() is called. May be NULL */
    bool (*progress)(void *user, size_t done, size_t wanted);
    void (*warning)(void *user, const ff_warning *warning, size_t row, size_t runs);
} ff_study_options;

static inline ff_study_options ff_study_options_default(void) {
    ff_study_options options;
    __builtin_memset(&options, 0, sizeof options);
    options.size = sizeof options;
    return options;
}

/* Runs a study (docs/sweep.md). FF_BAD_VALUE: the input is invalid or a run failed, as `messages` (may be NULL) say;
 * FF_STOPPED: table() or progress() stopped it; FF_NOT_WRITTEN: records cannot be written. Claims that fail are not an error. */
FF_API ff_status ff_study_run(const ff_study_options *options, ff_study **out,
                              ff_messages *messages);

FF_C_END
