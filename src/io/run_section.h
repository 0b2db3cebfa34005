/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

#include "key.h"
#include <footfall/sim.h>

/* Reads the section `run` of a file into options that have their defaults; node NULL: there is none. Scenes have more keys. */
void ff_read_run(ff_parameters *parameters, const ff_node *node, bool scene, ff_run_options *run,
                 ff_messages *messages);
