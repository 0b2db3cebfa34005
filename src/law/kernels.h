/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

/* How the arithmetic of a law is compiled: one text (template.inc, laws/), an instance for each instruction set. */

#include <footfall/law.h>

enum { FF_KERNEL_SETS = 4 }; /* scalar, SSE2, AVX2, AVX-512 */

/* One contact, by numbers in registers: the force; the rates of inner states and the loss where they are wanted. */
typedef double (*ff_normal_push)(const ff_normal *law, double z, double zdot, const double *state,
                                 bool open, double *rate, double *loss);

/* Contacts in a row under laws of one form, as inclusions have them: what stays where it is from one evaluation to the
 * next. */
typedef struct ff_push_row {
    size_t count, stride;         /* bytes from one law to the next */
    const ff_normal *law;         /* of the first */
    const double *gap, *gap_rate; /* -z, -zdot */
    double *force;
} ff_push_row;

/* States, their rates and what is lost, one contact after the other. */
typedef void (*ff_normal_push_all)(const ff_push_row *row, const double *state, double *rate,
                                   double *loss);

struct ff_normal_form {
    ff_normal_point point;
    ff_normal_push push;
    ff_normal_push_all push_all;
    const ff_normal_kernels *sets[FF_KERNEL_SETS];
    const char *tag; /* what its arithmetic is called in laws/ */
};

/* What friction loses, in this order, W. */
enum { FF_LOST_DAMPER, FF_LOST_SLIP, FF_LOST_VISCOUS, FF_LOSSES };

/* Friction on a line or in a plane: vectors of one or two components, under a load, with a grade of 1. `force` is the one
 * on what moves with v. `lost` (FF_LOSSES) may be NULL. */
typedef void (*ff_friction_flat)(const ff_friction *law, double load, const double *v,
                                 const double *u, double *force, double *rate, double *lost);

/* Friction of `count` contacts on lines or in planes, side by side. */
typedef struct ff_slide_row {
    size_t count, stride;
    const ff_friction *law;
    const double *load, *v; /* loads below 0 are none */
    double *force;          /* against what moves with v */
    double *excess, *graded;
    /* How many of `lost` are wanted, after which comes the graded work of springs in proportion to the load; and the places
     * from one contact to the next there. */
    size_t losses, width;
} ff_slide_row;

typedef void (*ff_friction_flat_all)(const ff_slide_row *row, const double *u, double *rate,
                                     double *lost);

struct ff_friction_form {
    ff_friction_point point;
    ff_friction_flat line, plane;
    ff_friction_flat_all lines, planes;
    const ff_friction_kernels *sets[FF_KERNEL_SETS];
    const char *tag;
};

/* The load on friction, N, >= 0. The load of an adhesive contact is grade*ratio, which is force + adhesion in contact and 0
 * in the air. */
static inline double ff_normal_load(const ff_normal *law, double force, double grade,
                                    double ratio) {
    const double load = law->adhesion > 0 ? grade * ratio : force;
    return load > 0 ? load : 0;
}

/* What both laws of one contact answer, as far as a motion needs it. */
typedef struct ff_pair_answer {
    double force, loss, grade, ratio, hold; /* of the normal law */
    double pull[3], lift; /* of friction: the force on the first body, and what comes with it */
    double twist, moment[3];
    double damper, slip, viscous, excess, strain, first;
    double graded;
    double *rate, *u_rate; /* where the rates of states go; the caller's, NULL: not wanted */
    double *graded_by;
} ff_pair_answer;

/* Both laws of one contact; of `slide` only velocities and u are read. */
typedef void (*ff_pair_point)(const ff_normal *normal, const ff_friction *friction,
                              const ff_normal_query *query, const ff_friction_query *slide,
                              ff_pair_answer *out);

/* The two in one function where such pairs occur, one after the other elsewhere. */
ff_pair_point ff_pair_find(const ff_normal *normal, const ff_friction *friction);

/* One contact on a line or in a plane, by any law. */
ff_normal_push ff_normal_push_of(const ff_normal *law);
ff_friction_flat ff_friction_flat_of(const ff_friction *law, int dimension);

/* The i-th instruction set that this machine can run, slowest first: its name, and how many contacts at once; NULL past the
 * last one. */
const char *ff_kernels_name(size_t i, int *lanes);
/* Points a law at the kernels of the i-th one, or of the widest. */
void ff_normal_use(ff_normal *law, size_t i);
void ff_friction_use(ff_friction *law, size_t i);
size_t ff_kernels_best(void);

/* The laws of this library, in order; NULL past the last one. */
extern const ff_normal_law *const ff_own_normal_laws[];
extern const ff_friction_law *const ff_own_friction_laws[];
