/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "parts.h"

const ff_work *ff_work_best(void) {
#if FF_X86
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq")) {
        return &ff_work_avx512;
    }
    if (__builtin_cpu_supports("avx2")) {
        return &ff_work_avx2;
    }
#endif
    return &ff_work_plain;
}
