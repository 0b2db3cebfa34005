/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

#include "papers.h"

/* the sphere of section II.C and its contact with the plate, and the scene of it */
static const double mass = 0.066, radius = 0.0127, gravity = 10, k_plate = 1e10;
static const char drop_file[] = "azad2014/drop.yaml";

static const char independent[] = "an independent integration at 1e-13";

/* The step-size experiment of section II.C. */
void azad2014_steps(paper_job *job);
