/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */

/* Generates src/law/decay_table.inc with MPFR: the parts of -ln e of laws with p = n (src/law/decay.c), as
 * polynomials on the pieces of src/law/decay_pieces.h.
 *
 *    decay > src/law/decay_table.inc
 *    decay --check        compares the table in the library with MPFR */

#include "law/decay.h"
#include "law/decay_pieces.h"
#include <mpfr.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* more Chebyshev points than terms, so that the kept terms are accurate terms of the infinite series */
enum { BITS = 400, POINTS = 30 };

/* Newton's method for w in -ln(1 - w) - w = a. The left side is convex and increases with w: from 1 - exp(-1 - a),
 * which is beyond the root, the iterates decrease to it. */
static void solve(mpfr_t w, const mpfr_t a) {
    mpfr_t f, slope;
    mpfr_inits2(BITS, f, slope, NULL);
    mpfr_add_ui(w, a, 1, MPFR_RNDN);
    mpfr_neg(w, w, MPFR_RNDN);
    mpfr_exp(w, w, MPFR_RNDN);
    mpfr_ui_sub(w, 1, w, MPFR_RNDN);
    for (int turn = 0; turn < 300; turn++) {
        mpfr_neg(f, w, MPFR_RNDN);
        mpfr_log1p(f, f, MPFR_RNDN);
        mpfr_add(f, f, w, MPFR_RNDN);
        mpfr_add(f, f, a, MPFR_RNDN);
        mpfr_ui_sub(slope, 1, w, MPFR_RNDN);
        mpfr_div(slope, slope, w, MPFR_RNDN);
        mpfr_mul(f, f, slope, MPFR_RNDN);
        mpfr_add(w, w, f, MPFR_RNDN);
        /* the next correction is about the square of this one */
        if (mpfr_zero_p(f) || mpfr_get_exp(f) < mpfr_get_exp(w) - 200) {
            break;
        }
    }
    mpfr_clears(f, slope, NULL);
}

/* -ln e: with w = d_out e, -ln(1 - w) - w = (d_out/d)^2 (d - ln(1 + d)) */
static void exact(mpfr_t out, const mpfr_t closing, const mpfr_t opening) {
    mpfr_t a, w;
    mpfr_inits2(BITS, a, w, NULL);
    mpfr_log1p(a, closing, MPFR_RNDN);
    mpfr_sub(a, closing, a, MPFR_RNDN);
    mpfr_div(w, opening, closing, MPFR_RNDN);
    mpfr_sqr(w, w, MPFR_RNDN);
    mpfr_mul(a, a, w, MPFR_RNDN);
    solve(w, a);
    mpfr_div(w, opening, w, MPFR_RNDN);
    mpfr_log(out, w, MPFR_RNDN);
    mpfr_clears(a, w, NULL);
}

static void equal(mpfr_t out, const mpfr_t d) { exact(out, d, d); }

/* -ln(2 phi(d))/2, phi(d) = (d - ln(1 + d))/d^2 */
static void closing(mpfr_t out, const mpfr_t d) {
    mpfr_t a;
    mpfr_init2(a, BITS);
    mpfr_log1p(a, d, MPFR_RNDN);
    mpfr_sub(a, d, a, MPFR_RNDN);
    mpfr_mul_ui(a, a, 2, MPFR_RNDN);
    mpfr_sqrt(a, a, MPFR_RNDN);
    mpfr_div(a, d, a, MPFR_RNDN);
    mpfr_log(out, a, MPFR_RNDN);
    mpfr_clear(a);
}

/* -ln(w/x), -ln(1 - w) - w = x^2/2 */
static void opening(mpfr_t out, const mpfr_t x) {
    mpfr_t a, w;
    mpfr_inits2(BITS, a, w, NULL);
    mpfr_sqr(a, x, MPFR_RNDN);
    mpfr_div_ui(a, a, 2, MPFR_RNDN);
    solve(w, a);
    mpfr_div(w, x, w, MPFR_RNDN);
    mpfr_log(out, w, MPFR_RNDN);
    mpfr_clears(a, w, NULL);
}

static const struct {
    const char *name;
    void (*of)(mpfr_t out, const mpfr_t x);
    double most;
} functions[] = {{"equal", equal, FF_DECAY_MOST},
                 {"closing", closing, FF_DECAY_MOST},
                 {"opening", opening, FF_DECAY_OPENING_MOST}};

/* the inverse of ff_decay_piece() */
static void place(mpfr_t x, const mpfr_t t, int piece) {
    mpfr_add_ui(x, t, 1, MPFR_RNDN);
    if (piece == 0) {
        mpfr_mul_d(x, x, FF_DECAY_FROM / 2, MPFR_RNDN);
        return;
    }
    int octave = (piece - 1) / FF_DECAY_PARTS, part = (piece - 1) % FF_DECAY_PARTS;
    mpfr_div_ui(x, x, 2, MPFR_RNDN);
    mpfr_add_ui(x, x, (unsigned long)(FF_DECAY_PARTS + part), MPFR_RNDN);
    mpfr_mul_d(x, x, ldexp(FF_DECAY_FROM / FF_DECAY_PARTS, octave), MPFR_RNDN);
}

/* The Chebyshev series of the function, or in the first piece of the function divided by x, converted to powers of
 * t. */
static void make_piece(void (*of)(mpfr_t out, const mpfr_t x), int piece) {
    mpfr_t g[POINTS], angle[POINTS], x, c, powers[FF_DECAY_TERMS];
    long before[FF_DECAY_TERMS + 1] = {0, 1}, now[FF_DECAY_TERMS + 1] = {1}; /* T_-1, T_0 */
    mpfr_inits2(BITS, x, c, NULL);
    for (int i = 0; i < POINTS; i++) {
        mpfr_inits2(BITS, g[i], angle[i], NULL);
        mpfr_const_pi(angle[i], MPFR_RNDN);
        mpfr_mul_d(angle[i], angle[i], i + 0.5, MPFR_RNDN);
        mpfr_div_ui(angle[i], angle[i], POINTS, MPFR_RNDN);
        mpfr_cos(x, angle[i], MPFR_RNDN);
        place(x, x, piece);
        of(g[i], x);
        if (piece == 0) {
            mpfr_div(g[i], g[i], x, MPFR_RNDN);
        }
    }
    for (int k = 0; k < FF_DECAY_TERMS; k++) {
        mpfr_init2(powers[k], BITS);
        mpfr_set_ui(powers[k], 0, MPFR_RNDN);
    }
    for (int j = 0; j < FF_DECAY_TERMS; j++) {
        mpfr_set_ui(c, 0, MPFR_RNDN);
        for (int i = 0; i < POINTS; i++) {
            mpfr_mul_ui(x, angle[i], (unsigned long)j, MPFR_RNDN);
            mpfr_cos(x, x, MPFR_RNDN);
            mpfr_mul(x, x, g[i], MPFR_RNDN);
            mpfr_add(c, c, x, MPFR_RNDN);
        }
        mpfr_mul_ui(c, c, j == 0 ? 1 : 2, MPFR_RNDN);
        mpfr_div_ui(c, c, POINTS, MPFR_RNDN);
        for (int k = 0; k <= j; k++) {
            mpfr_mul_si(x, c, now[k], MPFR_RNDN);
            mpfr_add(powers[k], powers[k], x, MPFR_RNDN);
        }
        /* T_(j+1) = 2 t T_j - T_(j-1) */
        long next[FF_DECAY_TERMS + 1];
        for (int k = 0; k <= FF_DECAY_TERMS; k++) {
            next[k] = (k > 0 ? 2 * now[k - 1] : 0) - before[k];
        }
        memcpy(before, now, sizeof before);
        memcpy(now, next, sizeof now);
    }
    for (int k = 0; k < FF_DECAY_TERMS; k++) {
        printf("%s%.17g",
               k == 0       ? "    {"
               : k % 4 == 0 ? ",\n     "
                            : ", ",
               mpfr_get_d(powers[k], MPFR_RNDN));
        mpfr_clear(powers[k]);
    }
    printf("},\n");
    for (int i = 0; i < POINTS; i++) {
        mpfr_clears(g[i], angle[i], NULL);
    }
    mpfr_clears(x, c, NULL);
}

static double random_number(double low, double high) {
    return low * pow(high / low, rand() / (RAND_MAX + 1.0));
}

/* largest error of -ln e at random dampings, ulp */
static double worst_error(bool equal_ones) {
    double worst = 0;
    mpfr_t in, out, want;
    mpfr_inits2(BITS, in, out, want, NULL);
    for (int i = 0; i < 20000; i++) {
        double d = random_number(1e-9, 1e4), d_out = equal_ones ? d : random_number(1e-9, 1e4);
        mpfr_set_d(in, d, MPFR_RNDN);
        mpfr_set_d(out, d_out, MPFR_RNDN);
        exact(want, in, out);
        double rounded = mpfr_get_d(want, MPFR_RNDN), ulp = nextafter(rounded, HUGE_VAL) - rounded;
        mpfr_d_sub(want, ff_decay_hunt_crossley(d, d_out), want, MPFR_RNDN);
        worst = fmax(worst, fabs(mpfr_get_d(want, MPFR_RNDN)) / ulp);
    }
    mpfr_clears(in, out, want, NULL);
    return worst;
}

static int check(void) {
    srand(1);
    double same = worst_error(true), different = worst_error(false);
    printf("worst error of -ln e at 20000 points each, in units of the last place:\n"
           "equal dampings %.2f, different ones %.2f\n",
           same, different);
    return same < 2 && different < 4 ? 0 : 1;
}

int main(int argc, char **argv) {
    if (argc > 1 && strcmp(argv[1], "--check") == 0) {
        return check();
    }
    printf("/* Made by tools/decay; see there. Powers of t from the constant on. */\n");
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        double t;
        int count = ff_decay_piece(functions[i].most, &t);
        printf("static const double %s_pieces[%d][FF_DECAY_TERMS] = {\n", functions[i].name, count);
        for (int piece = 0; piece < count; piece++) {
            make_piece(functions[i].of, piece);
        }
        printf("};\n");
    }
    mpfr_free_cache();
    return 0;
}
