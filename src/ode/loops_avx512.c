/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "dense.inc"
#include "dop853.inc"
#include "dopri5.inc"
#include "fold.inc"
#include "rodas.inc"

const ff_loops ff_loops_avx512 = {.dopri5 = dopri5_try,
                                  .dopri5_bend = dopri5_bend,
                                  .dop853 = dop853_try,
                                  .dop853_bend = dop853_bend,
                                  .cubic = cubic,
                                  .rodas = rodas_try,
                                  .solve_folded = solve_folded};
