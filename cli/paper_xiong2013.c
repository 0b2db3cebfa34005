/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "papers.h"

const paper paper_xiong2013 = {
    .name = "xiong2013",
    .title = "Xiong, Kikuuwe and Yamamoto 2013: A differential algebraic method to approximate "
             "nonsmooth "
             "mechanical systems by ordinary differential equations",
};
