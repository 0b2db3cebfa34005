/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "elementary.h"

const ff_elementary ff_math = {
    .exp = ff_exp,
    .expm1 = ff_expm1,
    .log = ff_log,
    .log1p = ff_log1p,
    .log2 = ff_log2,
    .log10 = ff_log10,
    .pow = ff_pow,
    .hypot = ff_hypot,
    .sin = ff_sin,
    .cos = ff_cos,
    .atan2 = ff_atan2,
};
