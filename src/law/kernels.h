/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

/* Compiled forms of the laws: each law is written once (template.inc, laws/) and compiled for each instruction set. */

#include <footfall/law.h>

enum { FF_KERNEL_SETS = 4 }; /* scalar, SSE2, AVX2, AVX-512 */

/* Evaluates one contact and returns its normal force, N. Writes the rates of the inner states and, unless NULL, the
 * dissipated power, W. */
typedef double (*ff_normal_push)(const ff_normal *law, double z, double zdot, const double *state,
                                 bool open, double *rate, double *loss);

/* A row of contacts whose laws have the same form, as in inclusions: the arguments that do not change between
 * evaluations. */
typedef struct ff_push_row {
    size_t count, stride;         /* `stride`: bytes from one law to the next */
    const ff_normal *law;         /* law of the first contact */
    const double *gap, *gap_rate; /* gap = -z, m; gap_rate = -zdot, m/s */
    double *force;
} ff_push_row;

/* Evaluates a row. State, rate and loss hold the numbers of one contact after those of another. */
typedef void (*ff_normal_push_all)(const ff_push_row *row, const double *state, double *rate,
                                   double *loss);

struct ff_normal_form {
    ff_normal_point point;
    ff_normal_push push;
    ff_normal_push_all push_all;
    const ff_normal_kernels *sets[FF_KERNEL_SETS];
    const char *tag; /* tag of the law's arithmetic in laws/ */
};

/* Indices of the power that friction dissipates, W. */
enum { FF_LOST_DAMPER, FF_LOST_SLIP, FF_LOST_VISCOUS, FF_LOSSES };

/* Friction of one contact on a line or in a plane (vectors of one or two components) under a load, N, with a grade of
 * 1. `force` acts on the body that moves with v. `lost` (FF_LOSSES numbers) may be NULL. */
typedef void (*ff_friction_flat)(const ff_friction *law, double load, const double *v,
                                 const double *u, double *force, double *rate, double *lost);

/* Friction of `count` contacts on lines or in planes, with laws of the same form. */
typedef struct ff_slide_row {
    size_t count, stride;
    const ff_friction *law;
    const double *load, *v; /* a negative load counts as 0 */
    double *force;          /* reaction: minus the force on the body that moves with v */
    double *excess, *graded;
    /* `losses`: number of losses to write per contact. For laws whose stiffness is proportional to the load, the rate
     * of the spring energy at constant load, W, is written after them. `width`: distance in `lost` from one contact to
     * the next. */
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

/* The load on friction, N, >= 0. For an adhesive contact it is grade*ratio, which is force + adhesion in contact and 0
 * without contact. */
static inline double ff_normal_load(const ff_normal *law, double force, double grade,
                                    double ratio) {
    const double load = law->adhesion > 0 ? grade * ratio : force;
    return load > 0 ? load : 0;
}

/* Output of both laws of one contact: what the equations of motion need. */
typedef struct ff_pair_answer {
    double force, loss, grade, ratio, hold; /* output of the normal law */
    double pull[3], lift;                   /* friction force on the first body, and the lift */
    double twist, moment[3];
    double damper, slip, viscous, excess, strain, first;
    double graded;
    double *rate, *u_rate; /* output arrays for rates, owned by the caller; NULL: not wanted */
    double *graded_by;
} ff_pair_answer;

/* Evaluates both laws of one contact. Only the velocities and u of `slide` are read. */
typedef void (*ff_pair_point)(const ff_normal *normal, const ff_friction *friction,
                              const ff_normal_query *query, const ff_friction_query *slide,
                              ff_pair_answer *out);

/* Returns a fused function for frequent pairs of laws, otherwise one that evaluates the two laws in sequence. */
ff_pair_point ff_pair_find(const ff_normal *normal, const ff_friction *friction);

/* Functions that evaluate one contact on a line or in a plane (dimension 1 or 2), for any law. */
ff_normal_push ff_normal_push_of(const ff_normal *law);
ff_friction_flat ff_friction_flat_of(const ff_friction *law, int dimension);

/* The name of the i-th instruction set that this CPU supports, slowest first, and its number of lanes; NULL if there is
 * none. */
const char *ff_kernels_name(size_t i, int *lanes);
/* Selects the kernels of the i-th instruction set for a law. ff_kernels_best() is the index of the widest one. */
void ff_normal_use(ff_normal *law, size_t i);
void ff_friction_use(ff_friction *law, size_t i);
size_t ff_kernels_best(void);

/* The laws of the library in the order of laws/, NULL-terminated. */
extern const ff_normal_law *const ff_own_normal_laws[];
extern const ff_friction_law *const ff_own_friction_laws[];
