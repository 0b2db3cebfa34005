/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

/* Elementary functions that give the same bits on every CPU, with every compiler and C library, as the library itself uses
 * them: for laws and models of callers' own whose results are to be the same everywhere. Errors are below 1 ulp. Special
 * cases are those of C17, annex F; errno and the floating-point flags are not maintained. Thread-safe. */

#include <footfall/status.h>

FF_C_BEGIN

#define FF_PI 3.14159265358979323846

FF_API double ff_exp(double x);
FF_API double ff_expm1(double x);
FF_API double ff_log(double x);
FF_API double ff_log1p(double x);
FF_API double ff_log2(double x);
FF_API double ff_log10(double x);
FF_API double ff_pow(double x, double y);
FF_API double ff_hypot(double x, double y);
FF_API double ff_sin(double x);
FF_API double ff_cos(double x);
FF_API double ff_atan2(double y, double x);

FF_C_END
