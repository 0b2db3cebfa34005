/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

/* The papers that footfall redoes. A paper is a table of figures; a figure is a function that computes curves and
 * checks what the paper claims of them. Figures are independent of each other: each is computed by a process of its
 * own, so that a function needs no way out: where something fails, job_fail() ends it, and what it has allocated
 * goes with the process. */

#include <footfall/footfall.h>
#include <footfall/report.h>
#include <footfall/source.h>
#include <footfall/trace.h>
#include <stdio.h>

/* ---- what a paper is ---- */

typedef struct paper_job paper_job;

typedef struct paper_figure {
    const char *id;      /* "fig7": the name of its files */
    const char *title;   /* above the picture */
    const char *caption; /* what there is to see; NULL: nothing but the title */
    const char *
        chosen; /* illustrative: what the paper does not print and how it was chosen; NULL: nothing */
    const char *x_label, *y_label; /* with units; NULL: only checks, no picture */
    bool x_log, y_log;
    bool equal; /* a unit is as long upwards as sideways */
    /* Makes it. NULL: the function of the figure before it does, which goes on to this one by job_next(). */
    void (*make)(paper_job *job);
    bool slow; /* takes seconds: begun before others, so that nobody waits for it alone */
} paper_figure;

typedef struct paper {
    const char *name, *title; /* "azad2010"; authors, year, title */
    const paper_figure *figures;
    size_t figure_count; /* 0: not there yet, and nowhere listed */
    /* All but the name is in papers/NAME/study.yaml: paper_study_load(). Figures that are here, too, are made by their
     * functions and have their texts from there. */
    bool study;
} paper;

/* Fills in what the study of a paper says of itself; false with the reason. */
bool paper_study_load(paper *p, char *why, size_t size);

extern const paper paper_azad2010, paper_xiong2013, paper_azad2014, paper_corral2017;
extern const paper paper_marhefka1996;

/* papers/ as it was when the command was built; the last one has no name */
typedef struct paper_file {
    const char *name, *text; /* "azad2010/bounce.yaml" */
} paper_file;

extern const paper_file paper_files[];

/* ---- claims ---- */

typedef enum check_relation { CHECK_NEAR, CHECK_AT_MOST, CHECK_AT_LEAST } check_relation;
typedef enum check_status { CHECK_PASS, CHECK_FAIL, CHECK_NOT_REPRODUCED } check_status;

/* A claim of a paper, or a number that follows from what it says, against what footfall computes. NEAR:
 * |value - expected| <= tolerance; AT_MOST and AT_LEAST: the value is beyond expected by no more than the tolerance.
 *
 * A claim that does not hold with the paper's own numbers has `otherwise`: what is seen instead. It is not reproduced
 * as long as the value is within `instead_within` of `instead`, which is known from somewhere else; anything else
 * fails, as it does without `otherwise`. */
typedef struct check {
    const char *where;    /* "fig. 7", "sect. 4.2" */
    const char *quantity; /* in words */
    const char *unit;     /* NULL: a pure number, or a property: 1 it holds, 0 it does not */
    check_relation relation;
    double value, expected, tolerance;
    const char *why;  /* where the expected value is from, and what limits the tolerance */
    const char *note; /* NULL: nothing to add */
    const char *otherwise;
    double instead, instead_within;
} check;

/* ---- for the functions of figures ---- */

typedef struct paper_curve paper_curve;

const paper *job_paper(const paper_job *job);
const paper_figure *job_figure(const paper_job *job);

/* Adds a curve to the figure. The name, in the way of printf, is for the legend; NULL: none. */
paper_curve *job_curve(paper_job *job, ff_plot_style style, const char *name, ...)
    __attribute__((format(printf, 3, 4)));
/* The colour of the i-th curve of the figure, from 1. */
void curve_colour(paper_curve *curve, size_t i);
void curve_point(paper_curve *curve, double x, double y);
/* Interrupts a line. */
void curve_gap(paper_curve *curve);

/* The figures that have no function of their own: what follows is for the next one. */
void job_next(paper_job *job);

void job_check(paper_job *job, const check *c);
/* The usual ones: near, at most, at least; unit NULL: a pure number. */
void job_near(paper_job *job, const char *where, const char *quantity, const char *unit,
              double value, double expected, double tolerance, const char *why);
void job_most(paper_job *job, const char *where, const char *quantity, const char *unit,
              double value, double most, double tolerance, const char *why);
void job_least(paper_job *job, const char *where, const char *quantity, const char *unit,
               double value, double least, double tolerance, const char *why);
/* A property that holds or does not. */
void job_holds(paper_job *job, const char *where, const char *property, bool holds,
               const char *why);

/* Room for so many things, and a text in the way of printf, as long as the job lives. */
void *job_room(paper_job *job, size_t count, size_t size);
const char *job_text(paper_job *job, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Ends the job: the figure could not be made, for this reason. */
_Noreturn void job_fail(paper_job *job, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* ---- for the command ---- */

/* A check that was made, without pointers: it passes from process to process. */
typedef struct check_record {
    char where[120], quantity[200], unit[40], why[480], note[640];
    check_relation relation;
    check_status status;
    double value, expected, tolerance;
} check_record;

/* Makes a figure of a paper and those it goes on to, and writes their files into `folder`; pictures only with
 * `draw`. Checks go to `out`, as records. The exit status: 0, or 1 after printing that a file could not be written. */
int job_run(const paper *p, const paper_figure *figure, const char *folder, bool draw, FILE *out);

/* What a check that could not be made says. */
check_record check_broken(const char *where, const char *why);
