/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "num/isa.h"
#include "parts.h"

const ff_lane_work *ff_lane_work_best(void) {
#if FF_X86
    if (ff_isa_has(FF_ISA_AVX512)) {
        return &ff_lane_avx512;
    }
    if (ff_isa_has(FF_ISA_AVX2)) {
        return &ff_lane_avx2;
    }
#endif
    return &ff_lane_plain;
}
