/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

/* Shared by the tests: cmocka's headers in the required order, reproducible random numbers, comparisons that print
 * the values. */

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define ROWS(table) (sizeof(table) / sizeof *(table))

/* xorshift64*, the same on every machine */
static uint64_t check_seed = 0x9e3779b97f4a7c15u;

static inline double uniform(double low, double high) {
    check_seed ^= check_seed >> 12;
    check_seed ^= check_seed << 25;
    check_seed ^= check_seed >> 27;
    return low + (high - low) * (double)(check_seed * 2685821657736338717u >> 11) * 0x1p-53;
}

static inline double log_uniform(double low, double high) {
    return exp(uniform(log(low), log(high)));
}

/* fails unless |seen - wanted| <= tolerance */
#define assert_near(seen, wanted, tolerance)                                                       \
    do {                                                                                           \
        double seen_ = (seen), wanted_ = (wanted), tolerance_ = (tolerance);                       \
        if (!(fabs(seen_ - wanted_) <= tolerance_)) {                                              \
            fail_msg("%s is %.17g instead of %.17g: off by %.3g, allowed %.3g", #seen, seen_,      \
                     wanted_, seen_ - wanted_, tolerance_);                                        \
        }                                                                                          \
    } while (0)

/* fails unless seen equals wanted to a relative tolerance */
#define assert_close(seen, wanted, relative)                                                       \
    assert_near(seen, wanted, (relative)*fabs((double)(wanted)))

#define assert_holds(condition, ...)                                                               \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fail_msg(__VA_ARGS__);                                                                 \
        }                                                                                          \
    } while (0)

/* main() of every test: an argument is a pattern that selects tests by name */
#define CHECK_MAIN(tests)                                                                          \
    int main(int argc, char **argv) {                                                              \
        if (argc > 1) {                                                                            \
            cmocka_set_test_filter(argv[1]);                                                       \
        }                                                                                          \
        return cmocka_run_group_tests(tests, NULL, NULL);                                          \
    }
