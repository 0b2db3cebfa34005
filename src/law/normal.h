/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

#include <footfall/law.h>

/* Gives a power law other numbers; alpha of marhefka-orin follows. */
void ff_normal_set(ff_normal *law, double k, double lambda, double lambda_out);
