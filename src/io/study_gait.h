/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

#include <footfall/study.h>

/* The gaits of a walker over one parameter, PATH=RANGE: the first from the start of the scene after `steps` steps, each of the others from
 * the gait before it, or from the start if that fails. `sweep` has the file, its settings and what is varied. */
ff_status ff_gait_table(const ff_sweep *sweep, size_t steps, ff_table **out, ff_messages *messages);
