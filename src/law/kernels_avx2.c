/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include <immintrin.h>
#define LANES 4
#define SET avx2
#define SQRT(x) ((V)_mm256_sqrt_pd((__m256d)(x)))
#include "template.inc"
