/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "papers.h"

const paper paper_marhefka1996 = {.name = "marhefka1996", .study = true};
