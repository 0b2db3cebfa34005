/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

/* The x for which |t| <= x with probability `level`, 0 < level < 1, where t has Student's distribution with `freedom`
 * degrees of freedom (a positive integer), or the normal distribution if `freedom` is INFINITY. Accurate to 1e-10. */
double ff_student_quantile(double level, double freedom);
