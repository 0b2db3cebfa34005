/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

#include "study/study.h"

/* Like ff_sweep_run(); `how` contains the options for time series. */
ff_status ff_sweep_table(const ff_sweep *sweep, const ff_study_subject *how, ff_table **out,
                         ff_messages *messages);
