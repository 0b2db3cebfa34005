/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

/* A long run on a terminal: how far it is, and that it may be interrupted. */

#include <stdbool.h>

/* From here on SIGINT and SIGTERM only ask for an end. `quiet`: no progress is shown. */
void watch_begin(bool quiet);
bool watch_interrupted(void);

/* A line where stderr is a terminal: how much of the run is done, the time that it has come to, how fast it goes and how long
 * it will take. `now` and `until` are simulated times, s. */
void watch_progress(double now, double until);
void watch_clear(void);
