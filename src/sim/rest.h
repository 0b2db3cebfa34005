/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

#include "sim.h"

/* Moves sim->flow.y, a start state with inner states 0, to the static equilibrium that quasi-static loading reaches from
 * there, with all velocities 0; sim->rest describes the result. FF_UNREACHABLE if there is none: sim->error says why.
 * FF_NO_MEMORY. */
ff_status ff_rest_find(ff_sim *sim);
