/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Checks every law, or those of that name, with several sets of parameters (ff_normal_verify(), ff_friction_verify()) and
 * prints what was found. Returns the exit status: 1 where a law does not hold. */
int verify_laws(const char *name, uint64_t seed, bool json);
