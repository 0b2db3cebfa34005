/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "matrix.h"
#include "memory.h"
#include "num/elementary.h"
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define A(i, j) a[(i)*n + (j)]

double ff_matrix_norm(size_t n, const double *a) {
    double out = 0;
    for (size_t i = 0; i < n * n; i++) {
        out = fmax(out, fabs(a[i]));
    }
    return out;
}

/* ---- linear equations ---- */

double ff_matrix_factor(size_t n, double *a, double tiny, size_t *pivots) {
    double least = INFINITY;
    for (size_t k = 0; k < n; k++) {
        size_t best = k;
        for (size_t i = k + 1; i < n; i++) {
            best = fabs(A(i, k)) > fabs(A(best, k)) ? i : best;
        }
        pivots[k] = best;
        for (size_t j = 0; j < n && best != k; j++) {
            double kept = A(k, j);
            A(k, j) = A(best, j);
            A(best, j) = kept;
        }
        const double pivot = fabs(A(k, k));
        /* like fmin(), which is a function call */
        least = pivot < least ? pivot : least;
        if (!(pivot > tiny)) {
            if (tiny == 0) {
                return 0;
            }
            A(k, k) = tiny;
        }
        for (size_t i = k + 1; i < n; i++) {
            double factor = A(i, k) /= A(k, k);
            for (size_t j = k + 1; factor != 0 && j < n; j++) {
                A(i, j) -= factor * A(k, j);
            }
        }
    }
    return least;
}

void ff_matrix_solve(size_t n, const double *a, const size_t *pivots, double *b) {
    /* pivoting exchanged whole rows, including the factors */
    for (size_t k = 0; k < n; k++) {
        double kept = b[k];
        b[k] = b[pivots[k]];
        b[pivots[k]] = kept;
    }
    for (size_t i = 0; i < n; i++) {
        double sum = b[i];
        for (size_t j = 0; j < i; j++) {
            sum -= A(i, j) * b[j];
        }
        b[i] = sum;
    }
    for (size_t i = n; i-- > 0;) {
        double sum = b[i];
        for (size_t j = i + 1; j < n; j++) {
            sum -= A(i, j) * b[j];
        }
        b[i] = sum / A(i, i);
    }
}

/* ---- eigenvalues ---- */

/* Householder reflection 1 - scale v v^T that maps v to a multiple of the first unit vector; v becomes the reflection
 * vector. */
static double reflect(int size, double *v) {
    double square = 0;
    for (int i = 0; i < size; i++) {
        square += v[i] * v[i];
    }
    if (square == 0) {
        return 0;
    }
    v[0] += copysign(sqrt(square), v[0]);
    square = 0;
    for (int i = 0; i < size; i++) {
        square += v[i] * v[i];
    }
    return 2 / square;
}

/* Applies a reflection to rows `at` to `at + size - 1` within columns `from` to `to`, and to those columns within the rows. */
static void reflect_both(size_t n, double *a, size_t at, int size, const double *v, double scale,
                         size_t from, size_t to) {
    for (size_t j = from; j <= to; j++) {
        double sum = 0;
        for (int i = 0; i < size; i++) {
            sum += v[i] * A(at + (size_t)i, j);
        }
        for (int i = 0; i < size; i++) {
            A(at + (size_t)i, j) -= scale * sum * v[i];
        }
    }
    for (size_t j = from; j <= to; j++) {
        double sum = 0;
        for (int i = 0; i < size; i++) {
            sum += A(j, at + (size_t)i) * v[i];
        }
        for (int i = 0; i < size; i++) {
            A(j, at + (size_t)i) -= scale * sum * v[i];
        }
    }
}

/* Reduces to Hessenberg form by eliminations that preserve the eigenvalues. */
static void to_hessenberg(size_t n, double *a) {
    for (size_t k = 1; k + 1 < n; k++) {
        size_t best = k;
        for (size_t i = k + 1; i < n; i++) {
            best = fabs(A(i, k - 1)) > fabs(A(best, k - 1)) ? i : best;
        }
        if (A(best, k - 1) == 0) {
            continue;
        }
        for (size_t j = 0; j < n && best != k; j++) {
            double kept = A(k, j);
            A(k, j) = A(best, j);
            A(best, j) = kept;
        }
        for (size_t j = 0; j < n && best != k; j++) {
            double kept = A(j, k);
            A(j, k) = A(j, best);
            A(j, best) = kept;
        }
        for (size_t i = k + 1; i < n; i++) {
            double by = A(i, k - 1) / A(k, k - 1);
            for (size_t j = 0; j < n; j++) {
                A(i, j) -= by * A(k, j);
            }
            for (size_t j = 0; j < n; j++) {
                A(j, k) += by * A(j, i);
            }
            A(i, k - 1) = 0;
        }
    }
}

/* One implicit double QR step on rows and columns low to high (at least three), with shifts of sum s and product t (Francis
 * 1961; Golub and Van Loan, Matrix Computations, section 7.5). */
static void francis(size_t n, double *a, size_t low, size_t high, double s, double t) {
    double v[3] = {A(low, low) * (A(low, low) - s) + A(low, low + 1) * A(low + 1, low) + t,
                   A(low + 1, low) * (A(low, low) + A(low + 1, low + 1) - s),
                   A(low + 1, low) * A(low + 2, low + 1)};
    for (size_t k = low; k < high; k++) {
        int size = k + 2 <= high ? 3 : 2;
        double scale = reflect(size, v);
        reflect_both(n, a, k, size, v, scale, low, high);
        for (int i = 1; k > low && i < size; i++) {
            A(k + (size_t)i, k - 1) = 0;
        }
        for (size_t i = 0; i < 3 && k + 1 + i <= high; i++) {
            v[i] = A(k + 1 + i, k);
        }
    }
}

/* eigenvalues of a 2 by 2 matrix, from half its trace and half^2 - determinant */
static void pair_of(double half, double gap, double (*values)[2]) {
    if (gap < 0) {
        values[0][0] = values[1][0] = half;
        values[0][1] = sqrt(-gap);
        values[1][1] = -values[0][1];
        return;
    }
    values[0][0] = half + sqrt(gap);
    values[1][0] = half - sqrt(gap);
    values[0][1] = values[1][1] = 0;
}

static int by_modulus(const void *x, const void *y) {
    const double *a = x, *b = y, p = ff_hypot(a[0], a[1]), q = ff_hypot(b[0], b[1]);
    if (p != q) {
        return p < q ? 1 : -1;
    }
    /* pairs stay together */
    if (a[0] != b[0]) {
        return a[0] < b[0] ? 1 : -1;
    }
    return (a[1] < b[1]) - (a[1] > b[1]);
}

ff_status ff_matrix_eigenvalues(size_t n, double *a, double (*values)[2]) {
    const double norm = ff_matrix_norm(n, a);
    for (size_t i = 0; i < n * n; i++) {
        if (!isfinite(a[i])) {
            return FF_NO_CONVERGENCE;
        }
    }
    to_hessenberg(n, a);
    size_t left = n;
    int turn = 0;
    while (left > 0) {
        /* what is to be split off stands below the last subdiagonal that is nothing */
        size_t high = left - 1, low = high;
        while (low > 0) {
            double size = fabs(A(low, low)) + fabs(A(low - 1, low - 1));
            if (fabs(A(low, low - 1)) <= DBL_EPSILON * (size > 0 ? size : norm)) {
                A(low, low - 1) = 0;
                break;
            }
            low--;
        }
        if (low == high) {
            values[high][0] = A(high, high);
            values[high][1] = 0;
            left -= 1;
            turn = 0;
            continue;
        }
        double p = A(high - 1, high - 1), q = A(high, high), half = (p + q) / 2,
               cross = A(high - 1, high) * A(high, high - 1), gap = (p - q) * (p - q) / 4 + cross;
        if (low + 1 == high) {
            pair_of(half, gap, values + high - 1);
            left -= 2;
            turn = 0;
            continue;
        }
        if (turn++ == 300) {
            return FF_NO_CONVERGENCE;
        }
        if (turn % 10 == 0) {
            /* other shifts now and then: some matrices stand still under the usual ones */
            double odd = fabs(A(high, high - 1)) + fabs(A(high - 1, high - 2));
            francis(n, a, low, high, 1.5 * odd, odd * odd);
        } else {
            francis(n, a, low, high, 2 * half, p * q - cross);
        }
    }
    qsort(values, n, sizeof *values, by_modulus);
    return FF_OK;
}
