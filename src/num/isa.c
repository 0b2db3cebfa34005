/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "isa.h"
#include <stdlib.h>
#include <string.h>

static ff_isa most(void) {
    static const char *const names[] = {"scalar", "sse2", "avx2", "avx512"};
    const char *wanted = getenv("FOOTFALL_ISA");
    for (int i = 0; wanted && i < 4; i++) {
        if (strcmp(wanted, names[i]) == 0) {
            return (ff_isa)i;
        }
    }
    return FF_ISA_AVX512;
}

bool ff_isa_has(ff_isa isa) {
    if (isa > most()) {
        return false;
    }
#if FF_X86
    __builtin_cpu_init();
    switch (isa) {
    case FF_ISA_AVX512:
        return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq");
    case FF_ISA_AVX2: return __builtin_cpu_supports("avx2");
    default: return true;
    }
#else
    return isa == FF_ISA_SCALAR;
#endif
}
