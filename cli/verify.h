/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Checks every law, or those of a name, with several sets of parameters (ff_normal_verify(), ff_friction_verify()) and
 * prints the findings. Returns the exit status: 1 if a law is inconsistent. */
int verify_laws(const char *name, uint64_t seed, bool json);
