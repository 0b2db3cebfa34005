/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

/* Elementary functions that give the same bits on every CPU, with every compiler and C library. The C library's
 * choose code by CPU (with and without fused multiply-add) and change between versions; these use additions,
 * multiplications, divisions and square roots only, each rounded to nearest, and tables that are part of the source.
 *
 * Those that programs and laws of callers' own need are in <footfall/elementary.h>.
 *
 * Errors are below 1 ulp everywhere; docs/theory.md has the measured ones. Special cases are those of C17, annex F; errno and the
 * floating-point flags are not maintained. Thread-safe. Arguments of circular functions are in radians.
 *
 * No transcendental function of <math.h> is called in src/: tests/symbols.sh looks for it. Functions whose results IEEE 754
 * defines exactly (sqrt, fabs, floor, fmod, remainder, ldexp, ...) may be used. */

#include <footfall/elementary.h>

double ff_exp(double x);
double ff_expm1(double x);
double ff_log(double x);
double ff_log1p(double x);
double ff_log2(double x);
double ff_log10(double x);
double ff_pow(double x, double y);
double ff_hypot(double x, double y);
double ff_cbrt(double x);

double ff_sinh(double x);
double ff_cosh(double x);
double ff_tanh(double x);

double ff_sin(double x);
double ff_cos(double x);
double ff_tan(double x);
double ff_asin(double x);
double ff_acos(double x);
double ff_atan(double x);
double ff_atan2(double y, double x);

/* Sine and cosine, the same bits as ff_sin(x) and ff_cos(x), at little more than the cost of either. */
void ff_sincos(double x, double *sine, double *cosine);
