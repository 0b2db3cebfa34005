/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#define NAME ff_trials_try_plain
#define LANES 2
#define SQRT(x) ((V){sqrt((x)[0]), sqrt((x)[1])})
#include "trials.inc"
