/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "papers.h"

const paper paper_azad2014 = {
    .name = "azad2014",
    .title = "Azad and Featherstone 2014: A new nonlinear model of contact normal force",
};
