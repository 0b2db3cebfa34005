/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

/* Progress display and interruption of a long run on a terminal. */

#include <stdbool.h>

/* From here on SIGINT and SIGTERM only request an end. `quiet`: show no progress. */
void watch_begin(bool quiet);
bool watch_interrupted(void);

/* Shows, if stderr is a terminal, how much is done, the rate, and the remaining time. `now` and `until` are simulated times
 * in the unit "s", or numbers of "runs". */
void watch_progress(double now, double until, const char *unit);
void watch_clear(void);
