/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

#include <stddef.h>

/* About how much memory a run of so many single spheres takes, bytes. */
double ff_spheres_memory(double count);

enum { FF_MEMORY_TEXT = 32 };

/* "12.3 GB"; returns buf. */
const char *ff_memory_text(double bytes, char buf[FF_MEMORY_TEXT]);
