/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

/* A long run on a terminal: how far it is, and that it may be interrupted. */

#include <stdbool.h>

/* From here on SIGINT and SIGTERM only ask for an end. `quiet`: no progress is shown. */
void watch_begin(bool quiet);
bool watch_interrupted(void);

/* A line where stderr is a terminal: how much is done, how fast it goes and how long it will take. `now` and `until` are
 * simulated times in the unit "s", or numbers of "runs". */
void watch_progress(double now, double until, const char *unit);
void watch_clear(void);
