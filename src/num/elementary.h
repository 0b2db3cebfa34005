/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

/* Elementary functions with the same bits on every CPU, compiler and C library. The C library's functions select code by
 * CPU (with or without fused multiply-add) and change between versions; these use only additions, multiplications,
 * divisions and square roots, each rounded to nearest, and tables that are part of the source. Those needed by programs and
 * user-defined laws are declared in <footfall/elementary.h>.
 *
 * Errors are below 1 ulp everywhere; docs/theory.md lists measured values. Special cases follow C17, annex F; errno and the
 * floating-point flags are not maintained. Thread-safe. Angles are in radians.
 *
 * No transcendental function of <math.h> is called in src/, as tests/symbols.sh checks. Functions whose results IEEE 754
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

/* Sine and cosine with the same bits as ff_sin(x) and ff_cos(x), at little more than the cost of one. */
void ff_sincos(double x, double *sine, double *cosine);
