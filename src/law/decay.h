/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

#include <footfall/law.h>

/* -ln e of one free impact if a closed form is known, otherwise NAN. INFINITY: the contact never ends. */
double ff_power_decay(const ff_normal *law, double mass, double speed);

/* delta = lambda L^(p+1)/(m v), L = (m v^2/k)^(1/(n+1)): the only group that a free impact depends on. */
double ff_power_delta(const ff_power *law, double lambda, double mass, double speed);

/* -ln e for p = n, with the damping groups d = lambda v/k of the closing and the opening phase. */
double ff_decay_hunt_crossley(double closing, double opening);
/* -ln e for p = (n-1)/2, with the damping ratios of the two phases; `clamp` or tension. */
double ff_decay_linear(double closing, double opening, bool clamp);
