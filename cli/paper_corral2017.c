/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "papers.h"

const paper paper_corral2017 = {
    .name = "corral2017",
    .title = "Corral, Marques, Gomez Garcia, Garcia-Prada and Flores 2017: Dynamic modeling and "
             "analysis of contact interaction of a passive biped-walking robot",
};
