/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

/* Small dense matrices, n by n, row by row. */

#include <footfall/status.h>
#include <stdbool.h>
#include <stddef.h>

/* The magnitude of its largest entry. */
double ff_matrix_norm(size_t n, const double *a);
/* Factors `a` in place into L and U, with rows exchanged as `pivots` tells. Returns the magnitude of its smallest pivot.
 * One that is not above `tiny` is taken to be that; where `tiny` is 0 it ends there and returns 0. */
double ff_matrix_factor(size_t n, double *a, double tiny, size_t *pivots);
/* Solves with the factors: b becomes the solution. */
void ff_matrix_solve(size_t n, const double *factors, const size_t *pivots, double *b);

/* The eigenvalues of a real matrix, which is destroyed: real and imaginary parts, the largest moduli first, a
 * conjugate pair with its positive imaginary part first. FF_NO_CONVERGENCE where it is not finite. */
ff_status ff_matrix_eigenvalues(size_t n, double *a, double (*values)[2]);
