/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "kernels.h"

const ff_kernels *ff_kernels_at(size_t i) {
    const ff_kernels *sets[4] = {&ff_kernels_scalar};
    size_t count = 1;
#if FF_X86
    __builtin_cpu_init();
    sets[count++] = &ff_kernels_sse2;
    if (__builtin_cpu_supports("avx2")) {
        sets[count++] = &ff_kernels_avx2;
    }
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq")) {
        sets[count++] = &ff_kernels_avx512;
    }
#endif
    return i < count ? sets[i] : NULL;
}

const ff_kernels *ff_kernels_best(void) {
    const ff_kernels *best = NULL;
    for (size_t i = 0; ff_kernels_at(i); i++) {
        best = ff_kernels_at(i);
    }
    return best;
}
