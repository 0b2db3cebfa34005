/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "kernels.h"
#include "num/isa.h"

const ff_kernels *ff_kernels_at(size_t i) {
    const ff_kernels *sets[4] = {&ff_kernels_scalar};
    size_t count = 1;
#if FF_X86
    if (ff_isa_has(FF_ISA_SSE2)) {
        sets[count++] = &ff_kernels_sse2;
    }
    if (ff_isa_has(FF_ISA_AVX2)) {
        sets[count++] = &ff_kernels_avx2;
    }
    if (ff_isa_has(FF_ISA_AVX512)) {
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
