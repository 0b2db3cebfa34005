/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

/* Subtracts quarter turns from an angle: x = k pi/2 + r + rest, |r| <= pi/4, with an error below 2^-70 |r|, for any finite
 * |x| > 0.7. Returns k modulo 4. */
int ff_sine_reduce(double x, double *r, double *rest);
