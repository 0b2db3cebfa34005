/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "dop853.inc"
#include "dopri5.inc"

const ff_explicit ff_explicit_avx2 = {dopri5_try, dopri5_bend, dop853_try, dop853_bend};
