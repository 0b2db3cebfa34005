/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

/* Shared by the checks of normal and friction laws: the worst error of each kind, random numbers, jumps and differences. */

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

/* step sizes of differences, relative to the variable: the best one is used */
enum { FF_CHECK_STEPS = 6 };
extern const double ff_check_step[FF_CHECK_STEPS];

/* rounding of a few operations on a number */
#define FF_CHECK_ROUNDING 4e-15

typedef struct ff_check {
    ff_law_finding rows[FF_CHECKS];
    bool made[FF_CHECKS];
    char point[90]; /* the current point of the check */
    uint64_t seed;
} ff_check;

void ff_check_begin(ff_check *r);
/* Records an error relative to `scale`; `part` names the part of the law. */
void ff_check_note(ff_check *r, int check, double error, double scale, const char *part);
/* Copies the findings; returns their number. */
size_t ff_check_finish(const ff_check *r, ff_law_finding *out);
size_t ff_check_no_memory(ff_law_finding *out);

/* How far an error exceeds a slack, relative to a scale; infinite for NAN. */
double ff_check_beyond(double error, double slack, double scale);

/* Random numbers: between low and high; up to x with `decades` powers of ten; x or -x. */
double ff_check_uniform(ff_check *r, double low, double high);
double ff_check_below(ff_check *r, double x, double decades);
double ff_check_either(ff_check *r, double x);

/* The largest jump of f(t), 0 <= t <= 1, relative to its largest value. */
double ff_check_jump(double (*f)(void *of, double t), void *of);
/* Maps t from 0 to 1 to -1 to 1, with increasing resolution towards 0. */
double ff_check_fine(double t);

/* The difference of a slope from the best finite difference, over all steps up and down of `size`. `terms`: magnitude of
 * the terms of the number. */
double ff_check_slope(double slope, double middle, const double up[FF_CHECK_STEPS],
                      const double down[FF_CHECK_STEPS], double size, double terms);
