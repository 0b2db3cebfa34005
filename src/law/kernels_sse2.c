/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include <emmintrin.h>
#define LANES 2
#define SET sse2
#define SQRT(x) ((V)_mm_sqrt_pd((__m128d)(x)))
#include "template.inc"
