/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

#include "args.h"

/* Runs the study of the command line with the options of `sweep`; returns the exit status. */
int study_command(const args *a);
