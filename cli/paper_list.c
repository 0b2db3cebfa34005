/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "papers.h"

/* Papers whose figures and claims are in papers/NAME/study.yaml. */
const paper paper_azad2010 = {.name = "azad2010", .study = true};
const paper paper_marhefka1996 = {.name = "marhefka1996", .study = true};
const paper paper_xiong2013 = {.name = "xiong2013", .study = true};
const paper paper_azad2014 = {.name = "azad2014", .study = true};
