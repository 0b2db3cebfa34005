/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */

/* Friction on a line, one contact at a time, for inclusions and joints. */
#define LANES 1
#define DIMENSION 1
#define SET line
#define SQRT(x) sqrt(x)
#include "template.inc"
