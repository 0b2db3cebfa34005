/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

/* Small dense n by n matrices, stored row by row. */

#include <footfall/status.h>
#include <stdbool.h>
#include <stddef.h>

/* Magnitude of the largest entry. */
double ff_matrix_norm(size_t n, const double *a);
/* LU factorisation of `a` in place with partial pivoting; `pivots` receives the row exchanges. Returns the magnitude of the
 * smallest pivot. A pivot not above `tiny` is replaced by `tiny`; if `tiny` is 0, the factorisation stops there and returns
 * 0. */
double ff_matrix_factor(size_t n, double *a, double tiny, size_t *pivots);
/* Solves with the factors; b becomes the solution. */
void ff_matrix_solve(size_t n, const double *factors, const size_t *pivots, double *b);

/* Eigenvalues of a real matrix, which is overwritten: real and imaginary parts, in order of decreasing modulus, of a
 * conjugate pair the one with positive imaginary part first. FF_NO_CONVERGENCE if the matrix is not finite. */
ff_status ff_matrix_eigenvalues(size_t n, double *a, double (*values)[2]);
