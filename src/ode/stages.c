/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "dop853.h"
#include "stepper.h"

static const ff_stages ends = {2, 0, {{0, 0, 0}, {6, 1, 0}}};

static const ff_stages five = {6,
                               4,
                               {{0, 0, 35.0 / 384},
                                {2, 0.3, 500.0 / 1113},
                                {3, 0.8, 125.0 / 192},
                                {4, 8.0 / 9, -2187.0 / 6784},
                                {5, 1, 11.0 / 84},
                                {6, 1, 0}}};

/* Where dop853.inc stores its stages 1, 6 to 11, 4 and 5, 12 and 13; the interpolant replaces 4 and 5 by 14 and 15. Weights are the
 * row of the end, stage 13, of ff_dop853_a. */
#define EIGHT(name, fourth, fifth)                                                                 \
    static const ff_stages name = {11,                                                             \
                                   7,                                                              \
                                   {{0, 0, 0.054293734116568765},                                  \
                                    {5, 1.0 / 3, 4.450312892752409},                               \
                                    {7, 0.25, 1.8915178993145003},                                 \
                                    {8, 4.0 / 13, -5.801203960010585},                             \
                                    {9, 0.6512820512820513, 0.3111643669578199},                   \
                                    {10, 0.6, -0.1521609496625161},                                \
                                    {1, 6.0 / 7, 0.20136540080403034},                             \
                                    {3, fourth, 0},                                                \
                                    {4, fifth, 0},                                                 \
                                    {2, 1, 0.04471061572777259},                                   \
                                    {6, 1, 0}}}
EIGHT(eight, 0.1183503419072274, 0.2816496580927726);
EIGHT(bent, 0.1, 0.2);

const ff_stages *ff_stepper_stages(const ff_stepper *s, ff_method method) {
    ff_stepper_fetch(s);
    return method == FF_AUTO || method == FF_DOPRI5 ? &five
           : method == FF_DOP853                    ? s->dense_terms > 5 ? &bent : &eight
                                                    : &ends;
}
