/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#define LANES 1
#define ISA "scalar"
#define NAME ff_kernels_scalar
#define SQRT(x) sqrt(x)
#include "kernels.inc"
