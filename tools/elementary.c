/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */

/* Generates the tables and coefficients of the elementary functions in src/num with MPFR.
 *
 *    for t in power arc sine; do build/tools/elementary $t >src/num/${t}_table.inc; done */

#include <mpfr.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { BITS = 400, EXPS = 128, LOGS = 128, ARCS = 64, WORDS = 20, TERMS = 6 };

static mpfr_t a, b, c;

/* rounds x to a multiple of 2^-bits */
static void round_to(mpfr_t out, const mpfr_t x, long bits) {
    mpfr_mul_2si(out, x, bits, MPFR_RNDN);
    mpfr_rint(out, out, MPFR_RNDN);
    mpfr_mul_2si(out, out, -bits, MPFR_RNDN);
}

/* x as two constants: one with `bits` bits after the binary point, and the rest; a full double first if bits < 0 */
static void split(const char *name, const mpfr_t x, long bits) {
    mpfr_t high, low;
    mpfr_inits2(BITS, high, low, NULL);
    if (bits < 0) {
        mpfr_set_d(high, mpfr_get_d(x, MPFR_RNDN), MPFR_RNDN);
    } else {
        round_to(high, x, bits);
    }
    mpfr_sub(low, x, high, MPFR_RNDN);
    printf("#define %s_HIGH %a\n#define %s_LOW %a\n", name, mpfr_get_d(high, MPFR_RNDN), name,
           mpfr_get_d(low, MPFR_RNDN));
    mpfr_clears(high, low, NULL);
}

/* 2^(j/128), rounded, and the relative rounding error */
static void make_exps(void) {
    printf("\n/* bits of 2^(j/%d), and what they lack, relative */\n"
           "static const struct { uint64_t bits; double tail; } exps[%d] = {\n",
           EXPS, EXPS);
    for (int j = 0; j < EXPS; j++) {
        mpfr_set_d(a, (double)j / EXPS, MPFR_RNDN);
        mpfr_exp2(a, a, MPFR_RNDN);
        double rounded = mpfr_get_d(a, MPFR_RNDN);
        uint64_t bits;
        memcpy(&bits, &rounded, sizeof bits);
        mpfr_sub_d(b, a, rounded, MPFR_RNDN);
        mpfr_div(b, b, a, MPFR_RNDN);
        printf("    {0x%016llx, %a},\n", (unsigned long long)bits, mpfr_get_d(b, MPFR_RNDN));
    }
    printf("};\n");
}

/* 1/c and log c for c near the middle of piece j */
static void make_logs(uint64_t from) {
    printf("\n/* of the middle c of each piece: 1/c to 26 bits, log c to 42 behind the point, the "
           "rest of it */\n"
           "static const struct { double inverse, high, low; } logs[%d] = {\n",
           LOGS);
    for (int j = 0; j < LOGS; j++) {
        uint64_t bits = from + ((uint64_t)j << 45) + ((uint64_t)1 << 44);
        double middle;
        memcpy(&middle, &bits, sizeof middle);
        double inverse = (double)(long)(1 / middle * 0x1p25 + 0.5) * 0x1p-25;
        mpfr_set_d(a, inverse, MPFR_RNDN);
        mpfr_log(a, a, MPFR_RNDN);
        mpfr_neg(a, a, MPFR_RNDN);
        round_to(b, a, 42);
        mpfr_sub(c, a, b, MPFR_RNDN);
        /* + 0 turns the -0 of log 1 into 0 */
        printf("    {%a, %a, %a},\n", inverse, mpfr_get_d(b, MPFR_RNDN) + 0,
               mpfr_get_d(c, MPFR_RNDN) + 0);
    }
    printf("};\n");
}

static void make_arcs(void) {
    printf("\n/* atan(i/%d) */\nstatic const ff_pair arcs[%d] = {\n", ARCS, ARCS + 1);
    for (int i = 0; i <= ARCS; i++) {
        mpfr_set_d(a, (double)i / ARCS, MPFR_RNDN);
        mpfr_atan(a, a, MPFR_RNDN);
        double high = mpfr_get_d(a, MPFR_RNDN);
        mpfr_sub_d(b, a, high, MPFR_RNDN);
        printf("    {%a, %a},\n", high, mpfr_get_d(b, MPFR_RNDN));
    }
    printf("};\n");
}

/* 64 zero bits, then 2/pi in binary, in words of 64 bits */
static void make_two_over_pi(void) {
    mpfr_t x, word;
    mpfr_inits2(64 * WORDS + 64, x, word, NULL);
    mpfr_const_pi(x, MPFR_RNDN);
    mpfr_ui_div(x, 2, x, MPFR_RNDN);
    printf("\n/* 64 zeros and the binary digits of 2/pi */\nstatic const uint64_t two_over_pi[%d] "
           "= {\n    0x0",
           WORDS);
    for (int i = 1; i < WORDS; i++) {
        mpfr_mul_2si(x, x, 64, MPFR_RNDN);
        mpfr_floor(word, x);
        mpfr_sub(x, x, word, MPFR_RNDN);
        printf(",%s0x%016llx", i % 4 ? " " : "\n    ",
               (unsigned long long)mpfr_get_ui(word, MPFR_RNDN));
    }
    printf("};\n");
    mpfr_clears(x, word, NULL);
}

/* (sin x/x - 1)/x^2 and (cos x - 1 + x^2/2)/x^4 as functions of z = x^2 */
static void value(mpfr_t out, const mpfr_t z, int cosine) {
    mpfr_t x;
    mpfr_init2(x, BITS);
    mpfr_sqrt(x, z, MPFR_RNDN);
    if (cosine) {
        mpfr_cos(out, x, MPFR_RNDN);
        mpfr_sub_ui(out, out, 1, MPFR_RNDN);
        mpfr_div(out, out, z, MPFR_RNDN);
        mpfr_add_d(out, out, 0.5, MPFR_RNDN);
    } else {
        mpfr_sin(out, x, MPFR_RNDN);
        mpfr_div(out, out, x, MPFR_RNDN);
        mpfr_sub_ui(out, out, 1, MPFR_RNDN);
    }
    mpfr_div(out, out, z, MPFR_RNDN);
    mpfr_clear(x);
}

/* point i of `count`, from 1 down to -1 */
static void chebyshev(mpfr_t out, int i, int count) {
    mpfr_const_pi(out, MPFR_RNDN);
    mpfr_mul_ui(out, out, (unsigned)(2 * i + 1), MPFR_RNDN);
    mpfr_div_ui(out, out, (unsigned)(2 * count), MPFR_RNDN);
    mpfr_cos(out, out, MPFR_RNDN);
}

/* The polynomial through the values at points of 0 < z < (pi/4)^2, by divided differences. The relevant error is z
 * times that of the polynomial (sine) or z^2 times it (cosine): the points are Chebyshev points with one or two
 * additional ones at the lower end, scaled so that these lie at 0. */
static void make_series(const char *name, int cosine) {
    mpfr_t z[TERMS], d[TERMS], p[TERMS];
    for (int i = 0; i < TERMS; i++) {
        mpfr_inits2(BITS, z[i], d[i], p[i], NULL);
        mpfr_set_zero(p[i], 1);
        chebyshev(a, i, TERMS + 1 + cosine);
        chebyshev(b, TERMS, TERMS + 1 + cosine);
        mpfr_const_pi(z[i], MPFR_RNDN);
        mpfr_div_ui(z[i], z[i], 4, MPFR_RNDN);
        mpfr_sqr(z[i], z[i], MPFR_RNDN);
        mpfr_sub(a, a, b, MPFR_RNDN);
        mpfr_ui_sub(b, 1, b, MPFR_RNDN);
        mpfr_mul(z[i], z[i], a, MPFR_RNDN);
        mpfr_div(z[i], z[i], b, MPFR_RNDN);
        value(d[i], z[i], cosine);
    }
    for (int j = 1; j < TERMS; j++) {
        for (int i = TERMS - 1; i >= j; i--) {
            mpfr_sub(a, d[i], d[i - 1], MPFR_RNDN);
            mpfr_sub(b, z[i], z[i - j], MPFR_RNDN);
            mpfr_div(d[i], a, b, MPFR_RNDN);
        }
    }
    /* p = d[j] + (z - z[j]) p */
    for (int j = TERMS - 1; j >= 0; j--) {
        for (int i = TERMS - 1; i >= 0; i--) {
            mpfr_mul(a, p[i], z[j], MPFR_RNDN);
            mpfr_neg(p[i], a, MPFR_RNDN);
            if (i > 0) {
                mpfr_add(p[i], p[i], p[i - 1], MPFR_RNDN);
            } else {
                mpfr_add(p[i], p[i], d[j], MPFR_RNDN);
            }
        }
    }
    for (int i = 0; i < TERMS; i++) {
        printf("#define %s_%d %a\n", name, i, mpfr_get_d(p[i], MPFR_RNDN));
        mpfr_clears(z[i], d[i], p[i], NULL);
    }
}

/* src/num/power_table.inc */
static void make_power(void) {
    /* 1 lies in the middle of a piece, so that logarithms near 0 keep their relative accuracy */
    const uint64_t from = 0x3fe6100000000000;
    mpfr_const_log2(a, MPFR_RNDN);
    split("LN2", a, 42);
    mpfr_div_ui(a, a, EXPS, MPFR_RNDN);
    /* 34 bits: products with integers of 18 bits are exact */
    split("EXP_STEP", a, 42);
    mpfr_ui_div(b, 1, a, MPFR_RNDN);
    printf("#define EXP_STEPS %a\n", mpfr_get_d(b, MPFR_RNDN));
    mpfr_const_log2(a, MPFR_RNDN);
    mpfr_ui_div(a, 1, a, MPFR_RNDN);
    split("LOG2_E", a, -1);
    mpfr_log_ui(a, 10, MPFR_RNDN);
    mpfr_ui_div(a, 1, a, MPFR_RNDN);
    split("LOG10_E", a, -1);
    mpfr_set_ui(a, 1, MPFR_RNDN);
    mpfr_div_ui(a, a, 3, MPFR_RNDN);
    split("THIRD", a, -1);
    printf("#define LOG_FROM 0x%016llx\n", (unsigned long long)from);
    make_exps();
    make_logs(from);
}

/* src/num/arc_table.inc */
static void make_arc(void) {
    mpfr_const_pi(a, MPFR_RNDN);
    split("PI", a, -1);
    make_arcs();
    make_two_over_pi();
}

/* src/num/sine_table.inc */
static void make_sine(void) {
    mpfr_const_pi(a, MPFR_RNDN);
    mpfr_div_ui(a, a, 2, MPFR_RNDN);
    mpfr_ui_div(b, 1, a, MPFR_RNDN);
    printf("/* a quarter turn: 33 bits twice, so that 2^20 times them is exact, and the rest */\n"
           "#define QUARTERS %a\n",
           mpfr_get_d(b, MPFR_RNDN));
    round_to(b, a, 32);
    printf("#define QUARTER_0 %a\n", mpfr_get_d(b, MPFR_RNDN));
    mpfr_sub(a, a, b, MPFR_RNDN);
    round_to(b, a, 66);
    printf("#define QUARTER_1 %a\n", mpfr_get_d(b, MPFR_RNDN));
    mpfr_sub(a, a, b, MPFR_RNDN);
    printf("#define QUARTER_2 %a\n", mpfr_get_d(a, MPFR_RNDN));
    make_series("SINE", 0);
    make_series("COSINE", 1);
}

int main(int argc, char **argv) {
    const struct {
        const char *name;
        void (*make)(void);
    } tables[] = {{"power", make_power}, {"arc", make_arc}, {"sine", make_sine}};
    mpfr_inits2(BITS, a, b, c, NULL);
    for (int i = 0; i < 3; i++) {
        if (argc == 2 && strcmp(argv[1], tables[i].name) == 0) {
            printf("/* Made by tools/elementary %s; see there. */\n", argv[1]);
            tables[i].make();
            return 0;
        }
    }
    fprintf(stderr, "usage: elementary power|arc|sine\n");
    return 2;
}
