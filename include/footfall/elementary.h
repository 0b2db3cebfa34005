/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

/* Elementary functions with identical results on every CPU, compiler and C library, as used by the library itself; for
 * user-defined laws and models whose results should be reproducible. Errors are below 1 ulp. Special cases follow C17,
 * annex F; errno and the floating-point flags are not maintained. Thread-safe. */

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

/* Call as ff_math.exp(x). Later versions add members at the end. */
FF_API extern const ff_elementary ff_math;

FF_C_END
