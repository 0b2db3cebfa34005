/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

#include "args.h"
#include <footfall/json.h>
#include <footfall/study.h>

/* Writes the page of a sweep. Prints what is wrong, and returns an exit status. */
int sweep_page(const args *a, const ff_table *table, const char *path);

/* The page of a study, collected while the study runs, because its tables live no longer. */
typedef struct study_page {
    const args *a;
    ff_json j;
    char *text;
    size_t length;
    double numbers; /* numbers of all tables so far */
} study_page;

/* Begins a page; 0, or 1 after an error was printed. */
int study_page_begin(study_page *p, const args *a);
/* Adds a table, if its rows are a grid that can be explored. */
void study_page_table(study_page *p, const char *name, const ff_table *t);
/* Adds figures and claims, writes the page and frees its memory; without a study it only frees. Prints what is wrong, and returns an
 * exit status. */
int study_page_end(study_page *p, const ff_study *s, const char *path);
