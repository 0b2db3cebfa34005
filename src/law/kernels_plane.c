/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */

/* Friction in a plane, one contact at a time, for inclusions and joints. */
#define LANES 1
#define DIMENSION 2
#define SET plane
#define SQRT(x) sqrt(x)
#include "template.inc"
