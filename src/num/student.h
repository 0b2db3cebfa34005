/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

/* The x for which |t| <= x with probability `level`, 0 < level < 1, t having Student's distribution with `freedom` degrees of
 * freedom, a whole number above 0, or the normal distribution where that is INFINITY. Good to 1e-10. */
double ff_student_quantile(double level, double freedom);
