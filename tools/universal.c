/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */

/* Generates src/impact/universal_table.inc: the Chebyshev series of -ln e(delta)/delta in sqrt(delta) for
 * the laws with n = 3/2 and p = 1/2 or 1 under clamp and p = 1/2 with detach: local, from the integration in src/impact/orbit.c.
 *
 *   universal > src/impact/universal_table.inc
 *   universal --check        compares the table in the library with fresh integrations */

#include "impact/universal.h"
#include "impact/orbit.h"
#include "law/params.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double pi = 3.14159265358979323846;

static double exact(int row, double delta) {
    ff_orbit flow;
    ff_normal law;
    const double p = row == FF_UNIVERSAL_ONE ? 1 : 0.5, detach = row == FF_UNIVERSAL_LOCAL ? 2 : 0;
    ff_normal_make(&law, ff_normal_law_find("general"),
                   (double[]){1, delta, 1.5, p, NAN, detach, NAN}, NULL);
    ff_orbit_init(&flow, &law, 1, 1);
    return ff_orbit_decay(&flow);
}

static void make_piece(int row, double low, double high) {
    double g[FF_UNIVERSAL_TERMS];
    for (int i = 0; i < FF_UNIVERSAL_TERMS; i++) {
        double x = low + (high - low) * (cos(pi * (i + 0.5) / FF_UNIVERSAL_TERMS) + 1) / 2;
        g[i] = exact(row, x * x) / (x * x);
    }
    printf("        {");
    for (int j = 0; j < FF_UNIVERSAL_TERMS; j++) {
        double c = 0;
        for (int i = 0; i < FF_UNIVERSAL_TERMS; i++) {
            c += g[i] * cos(pi * j * (i + 0.5) / FF_UNIVERSAL_TERMS);
        }
        c *= (j == 0 ? 1.0 : 2.0) / FF_UNIVERSAL_TERMS;
        printf("%s%.17g", j == 0 ? "" : j % 3 == 0 ? ",\n         " : ", ", c);
    }
    printf("},\n");
}

static int check(void) {
    double worst = 0;
    srand(1);
    for (int row = 0; row < FF_UNIVERSAL_ROWS; row++) {
        for (int i = 0; i < 2000; i++) {
            double u = rand() / (RAND_MAX + 1.0), delta = pow(10, -8 + 11 * u);
            double want = exact(row, delta);
            double error = fabs(ff_universal_row((ff_universal_law)row, delta, NULL) - want);
            /* the error of -ln e is the relative error of e; also relative to the loss if that is smaller than 1 */
            worst = fmax(worst, fmax(error, error / want));
        }
    }
    printf("worst relative error of e and of 1 - e at 6000 points: %.2g\n", worst);
    return worst < 1e-12 ? 0 : 1;
}

int main(int argc, char **argv) {
    if (argc > 1 && strcmp(argv[1], "--check") == 0) {
        return check();
    }
    printf("/* Made by tools/universal; see there. Rows: p = 1/2, p = 1, p = 1/2 with detach: "
           "local. */\n"
           "static const double table[FF_UNIVERSAL_ROWS][FF_UNIVERSAL_PIECES][FF_UNIVERSAL_TERMS] "
           "= {\n");
    for (int row = 0; row < FF_UNIVERSAL_ROWS; row++) {
        printf("    {\n");
        make_piece(row, 0, 0.25);
        for (double low = 0.25; low < 32; low *= 2) {
            make_piece(row, low, 2 * low);
        }
        printf("    },\n");
    }
    printf("};\n");
    return 0;
}
