/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include <immintrin.h>
#define NAME ff_trials_try_avx512
#define LANES 8
#define SQRT(x) ((V)_mm512_sqrt_pd((__m512d)(x)))
#include "trials.inc"
