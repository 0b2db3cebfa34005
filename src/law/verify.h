/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

/* What the checks of normal and of friction laws share: a record of the worst error of each kind, random numbers, jumps
 * and differences. */

#include <footfall/law.h>
#include <stdint.h>

enum {
    FF_CHECK_BALANCE,
    FF_CHECK_SIGNS,
    FF_CHECK_CONTINUITY,
    FF_CHECK_SLOPES,
    FF_CHECK_ROOTS,
    FF_CHECK_STATES,
    FF_CHECK_VIEW,
    FF_CHECK_GROUND,
    FF_CHECKS
};

/* the steps of differences, as parts of what is moved: of these the best is taken */
enum { FF_CHECK_STEPS = 6 };
extern const double ff_check_step[FF_CHECK_STEPS];

/* rounding of a handful of operations on a number */
#define FF_CHECK_ROUNDING 4e-15

typedef struct ff_check {
    ff_law_finding rows[FF_CHECKS];
    bool made[FF_CHECKS];
    char point[90]; /* where the check is */
    uint64_t seed;
} ff_check;

void ff_check_begin(ff_check *r);
/* Takes note of an error, as a part of `scale`; `part` says what of the law it is an error of. */
void ff_check_note(ff_check *r, int check, double error, double scale, const char *part);
/* Copies the findings that were made; returns how many. */
size_t ff_check_finish(const ff_check *r, ff_law_finding *out);
size_t ff_check_no_memory(ff_law_finding *out);

/* How far an error goes beyond a slack, as a part of a scale; infinite where it is no number. */
double ff_check_beyond(double error, double slack, double scale);

/* Between low and high; `decades` powers of ten up to x; x or -x. */
double ff_check_uniform(ff_check *r, double low, double high);
double ff_check_below(ff_check *r, double x, double decades);
double ff_check_either(ff_check *r, double x);

/* The largest jump of f(t), 0 <= t <= 1, as a part of its largest value. */
double ff_check_jump(double (*f)(void *of, double t), void *of);
/* From -1 to 1 for t from 0 to 1, ever finer towards 0. */
double ff_check_fine(double t);

/* How far a slope is from the best difference, by all steps up and down of `size`. `terms`: what the number is formed of. */
double ff_check_slope(double slope, double middle, const double up[FF_CHECK_STEPS],
                      const double down[FF_CHECK_STEPS], double size, double terms);
