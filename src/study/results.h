/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

/* Results of the runs of a sweep, as they arrive from runs or from files of records, and the table made of them. */

#include "design.h"
#include "keep.h"
#include "record.h"

typedef struct ff_results {
    const ff_model *model;        /* without varied parameters */
    const ff_sweep *sweep, *runs; /* runs: what the table says of its runs, or NULL */
    const ff_design *design;
    const ff_keep *keep;
    size_t first, rows;   /* the range of rows that are computed */
    double *values;       /* kept numbers, rows by keep_count */
    ff_keep_rows *series; /* of each run; NULL: runs have no series */
    char **reasons;       /* of failed runs */
    bool *done;
    size_t finished;
} ff_results;

/* Makes room for the rows of the sweep, or of its shard. FF_NO_MEMORY: ff_results_clear() is needed all the same. */
ff_status ff_results_init(ff_results *r, bool series);
void ff_results_clear(ff_results *r);

/* Stores a result; a row of another shard and a row that is known are ignored. `user` is an ff_results. False: out of memory. */
bool ff_results_put(void *user, size_t row, const double *values, const char *reason);

/* Stores the results of all files whose names begin with that of the sweep's records. */
ff_status ff_results_read(ff_results *r, const ff_record_kind *kind, ff_error *error);

/* The table of all rows; NULL: out of memory. */
ff_table *ff_results_table(const ff_results *r);
