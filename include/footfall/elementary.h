/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

/* Elementary functions that give the same bits on every CPU, with every compiler and C library, as the library itself uses
 * them: for laws and models of callers' own whose results are to be the same everywhere. Errors are below 1 ulp. Special
 * cases are those of C17, annex F; errno and the floating-point flags are not maintained. Thread-safe. */

#include <footfall/status.h>

FF_C_BEGIN

#define FF_PI 3.14159265358979323846

typedef struct ff_elementary {
    double (*exp)(double x);
    double (*expm1)(double x);
    double (*log)(double x);
    double (*log1p)(double x);
    double (*log2)(double x);
    double (*log10)(double x);
    double (*pow)(double x, double y);
    double (*hypot)(double x, double y);
    double (*sin)(double x);
    double (*cos)(double x);
    double (*atan2)(double y, double x);
} ff_elementary;

/* ff_math.exp(x) and the others; later versions add to the end. */
FF_API extern const ff_elementary ff_math;

FF_C_END
