/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

#include "args.h"

/* Runs the study that the command line names, with the options of `sweep`; the exit status. */
int study_command(const args *a);
