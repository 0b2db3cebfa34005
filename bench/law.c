/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#define _POSIX_C_SOURCE 200809L

/* Law evaluations per second for every instruction set, in one run, as ratios: relative to the scalar code, and
 * relative to the lower bound for a law with a square root, one square root per evaluation. */

#include "clock.h"
#include "law/kernels.h"
#include "law/params.h"
#include <math.h>
#include <stdio.h>

/* fits in the first-level cache */
enum { COUNT = 512 };

static double z[COUNT], zdot[COUNT], inner[COUNT], out[12][COUNT], tangent[6][COUNT];

typedef struct {
    ff_normal normal;
    ff_friction friction;
} job;

static void force(void *user) {
    const ff_normal *law = &((job *)user)->normal;
    law->kernels->force(law, COUNT, z, zdot, inner, out[0]);
}

static void respond(void *user) {
    const ff_normal *law = &((job *)user)->normal;
    law->kernels->respond(law, &(ff_normal_batch){.count = COUNT,
                                                  .stride = COUNT,
                                                  .z = z,
                                                  .zdot = zdot,
                                                  .state = inner,
                                                  .force = out[0],
                                                  .loss = out[1]});
}

static void slide(void *user) {
    const ff_friction *law = &((job *)user)->friction;
    law->kernels->respond(law, &(ff_friction_batch){.count = COUNT,
                                                    .stride = COUNT,
                                                    .z = z,
                                                    .zdot = zdot,
                                                    .load = out[10],
                                                    .grade = z,
                                                    .ratio = out[11],
                                                    .grade_slope = inner,
                                                    .v = tangent[0],
                                                    .u = tangent[3],
                                                    .force = out[0],
                                                    .rate = out[3],
                                                    .lift = out[6],
                                                    .damper = out[7],
                                                    .slip = out[8],
                                                    .viscous = out[9]});
}

/* The lower bound: one square root and one store per evaluation, at the widest vectors the compiler uses here. It
 * is limited by the throughput of the vector unit and is therefore the same for every law. */
#define ROOTS(name, target)                                                                        \
    target static void name(void *user) {                                                          \
        (void)user;                                                                                \
        for (int i = 0; i < COUNT; i++) {                                                          \
            out[0][i] = sqrt(z[i]);                                                                \
        }                                                                                          \
        __asm__ volatile("" ::: "memory");                                                         \
    }

#if defined(__clang__)
#define VECTORS /* clang vectorizes loops at -O2 */
#define WIDE "avx512f"
#else
#define WIDE "avx512f,prefer-vector-width=512"
#define VECTORS __attribute__((optimize("O3")))
#endif
ROOTS(roots_base, VECTORS)
#if FF_X86
ROOTS(roots_avx2, VECTORS __attribute__((target("avx2"))))
ROOTS(roots_avx512, VECTORS __attribute__((target(WIDE))))
#endif

static void roots_scalar(void *user) {
    (void)user;
    for (int i = 0; i < COUNT; i++) {
        out[0][i] = sqrt(z[i]);
        /* prevents vectorization of the loop */
        __asm__ volatile("" ::: "memory");
    }
}

static double root_seconds(int lanes) {
    void (*run)(void *) = lanes == 1 ? roots_scalar : roots_base;
#if FF_X86
    run = lanes == 4 ? roots_avx2 : lanes == 8 ? roots_avx512 : run;
#endif
    return bench_seconds(run, NULL) / COUNT;
}

static void measure(const char *what, void (*run)(void *), job *work) {
    double scalar = 0;
    printf("%-34s", what);
    int lanes;
    for (size_t i = 0; ff_kernels_name(i, &lanes); i++) {
        if (work->normal.law) {
            ff_normal_use(&work->normal, i);
        }
        if (work->friction.law) {
            ff_friction_use(&work->friction, i);
        }
        double seconds = bench_seconds(run, work) / COUNT, root = root_seconds(lanes);
        scalar = i == 0 ? seconds : scalar;
        printf("  %6.3f ns %5.2fx %5.2f", seconds * 1e9, scalar / seconds, seconds / root);
    }
    printf("\n");
}

static void normal(const char *name, const double *values, bool with_loss) {
    job work = {0};
    char what[64];
    ff_normal_make(&work.normal, ff_normal_law_find(name), values, NULL);
    snprintf(what, sizeof what, "%s%s", name, with_loss ? ", force and loss" : ", force");
    measure(what, with_loss ? respond : force, &work);
}

static void friction(const char *name, const double *values) {
    job work = {0};
    char what[64];
    ff_friction_make(&work.friction, ff_friction_law_find(name), values, NULL);
    snprintf(what, sizeof what, "%s, force, rate and losses", name);
    measure(what, slide, &work);
}

int main(void) {
    for (int i = 0; i < COUNT; i++) {
        z[i] = 1e-4 * (1 + i % 17);
        zdot[i] = 0.1 * (i % 23 - 11);
        inner[i] = 0.5;
        out[10][i] = 10;
        out[11][i] = 10 / z[i];
        for (int c = 0; c < 6; c++) {
            tangent[c][i] = 1e-6 * ((i * 7 + c) % 31 - 15);
        }
    }
    printf("one core; time an evaluation, times faster than scalar, times the time of one square "
           "root\n");
    printf("%-34s", "");
    int lanes;
    for (size_t i = 0; ff_kernels_name(i, &lanes); i++) {
        printf("  %-8s           ", ff_kernels_name(i, &lanes));
    }
    printf("\n");
    normal("azad-featherstone", (double[]){8.5e6, 3.1e3, NAN, NAN}, false);
    normal("azad-featherstone", (double[]){8.5e6, 3.1e3, NAN, NAN}, true);
    normal("hunt-crossley", (double[]){8.5e6, 3.1e6, NAN, NAN, NAN}, false);
    normal("lee-wang", (double[]){8.5e6, 3.1e4, NAN, NAN}, false);
    normal("tsuji", (double[]){8.5e6, 3.1e2, NAN, NAN}, false);
    normal("linear", (double[]){8.5e4, 31, NAN, NAN}, false);
    normal("flores", (double[]){8.5e6, 0.7, NAN, NAN, NAN}, false);
    normal("xiong", (double[]){1e5, 0.007, 0.01}, false);
    normal("two-term", (double[]){8.5e6, NAN, 1e12, NAN, 1e-2}, false);
    normal("general", (double[]){8.5e6, 3.1e3, 1.4, 0.6, NAN, NAN, NAN}, false);
    friction("coulomb", (double[]){0.2, NAN});
    friction("clutch", (double[]){0.2, 12.75e6, 3.1e3, 0.1, NAN, NAN, NAN});
    friction("sat", (double[]){0.2, 1e5, 0.01});
    return 0;
}
