/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

#include <footfall/law.h>

/* Whether a law has a damping of its own that can be chosen: lambda, or alpha of marhefka-orin. */
bool ff_normal_has_damping(const ff_normal_law *law);

/* Gives a power law other numbers; alpha of marhefka-orin follows. */
void ff_normal_set(ff_normal *law, double k, double lambda, double lambda_out);
