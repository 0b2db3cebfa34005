/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

#include <footfall/tool.h>
#include <stddef.h>

/* About how much memory a run of so many single spheres takes, bytes. */
double ff_spheres_memory(double count);
