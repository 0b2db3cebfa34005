/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include <immintrin.h>
#define NAME ff_trials_try_avx2
#define LANES 4
#define SQRT(x) ((V)_mm256_sqrt_pd((__m256d)(x)))
#include "trials.inc"
