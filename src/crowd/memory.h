/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

#include <footfall/tool.h>
#include <stddef.h>

/* Estimate of the memory that a run of this many single spheres needs, bytes. */
double ff_spheres_memory(double count);
