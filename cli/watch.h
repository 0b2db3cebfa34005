/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

/* A long run on a terminal: how far it is, and that it may be interrupted. */

#include <stdbool.h>

/* From here on SIGINT and SIGTERM only ask for an end. */
void watch_begin(void);
bool watch_interrupted(void);

/* A bar where stderr is a terminal; the part is from 0 to 1. */
void watch_progress(double part);
void watch_clear(void);
