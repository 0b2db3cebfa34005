/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#define _POSIX_C_SOURCE 200809L
#include "check.h"
#include <footfall/report.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The input of gnuplot, which is replaced by a script that stores its input and writes the end of a picture. */
static char script[20000];

static void draw(const ff_plot *plot) {
    char dir[] = "/tmp/footfall-plot-XXXXXX", fake[80], kept[80], out[80], path[4096];
    const char *before = getenv("PATH");
    assert_non_null(mkdtemp(dir));
    snprintf(fake, sizeof fake, "%s/gnuplot", dir);
    snprintf(kept, sizeof kept, "%s/script", dir);
    snprintf(out, sizeof out, "%s/a.svg", dir);
    FILE *file = fopen(fake, "w");
    fprintf(file, "#!/bin/sh\ncat >%s\nprintf '</svg>'\n", kept);
    fclose(file);
    chmod(fake, 0700);
    snprintf(path, sizeof path, "%s:%.3900s", dir, before);
    char *saved = strdup(before);
    setenv("PATH", path, 1);
    ff_error error = {""};
    ff_status status = ff_plot_write(plot, out, &error);
    setenv("PATH", saved, 1);
    free(saved);
    assert_holds(status == FF_OK, "%s", error.text);
    file = fopen(kept, "r");
    assert_non_null(file);
    script[fread(script, 1, sizeof script - 1, file)] = '\0';
    fclose(file);
    unlink(fake);
    unlink(kept);
    unlink(out);
    rmdir(dir);
}

/* the data lines of the first curve */
static const char *data_of_first(void) {
    const char *at = strstr(script, "$curve0 << END\n");
    assert_non_null(at);
    return at + strlen("$curve0 << END\n");
}

/* A grid of 3 by 2 with a hole: cells extend half way to their neighbours, and equally far outwards; on a
 * logarithmic axis in equal ratios. */
static void cells_of_a_heat_map(void **state) {
    (void)state;
    const double x[] = {1, 2, 4, 1, 2, 4}, y[] = {10, 10, 10, 1000, 1000, 1000},
                 z[] = {1, 2, NAN, 4, 5, 6};
    const ff_plot_curve curve = {.x = x, .y = y, .z = z, .count = 6, .style = FF_PLOT_HEAT};
    const ff_plot plot = {.title = "t",
                          .x_label = "x",
                          .y_label = "y",
                          .y_log = true,
                          .curves = &curve,
                          .curve_count = 1,
                          .z_label = "it's z"};
    draw(&plot);
    const char *data = data_of_first();
    const char *wanted = "1 10 0.5 1.5 1 100 1\n"
                         "2 10 1.5 3 1 100 2\n"
                         "1 1000 0.5 1.5 100 10000 4\n"
                         "2 1000 1.5 3 100 10000 5\n"
                         "4 1000 3 5 100 10000 6\n"
                         "END\n";
    assert_true(strncmp(data, wanted, strlen(wanted)) == 0);
    assert_non_null(strstr(script, "set cblabel 'it''s z'"));
    assert_non_null(strstr(script, "plot $curve0 using 1:2:3:4:5:6:7 notitle with boxxyerror"));
}

/* Cells of one value above each other are one box; a hole, another value or a gap ends it. */
static void cells_of_few_values(void **state) {
    (void)state;
    const double x[] = {1, 1, 1, 1, 1, 2, 2, 2, 2, 2}, y[] = {1, 2, 3, 4, 5, 1, 2, 3, 4, 5},
                 z[] = {7, 7, 7, 8, 8, 8, 8, NAN, 8, 7};
    const ff_plot_curve curve = {.x = x, .y = y, .z = z, .count = 10, .style = FF_PLOT_HEAT};
    const ff_plot plot = {
        .title = "", .x_label = "", .y_label = "", .curves = &curve, .curve_count = 1};
    draw(&plot);
    const char *wanted = "1 1 0.5 1.5 0.5 3.5 7\n"
                         "1 4 0.5 1.5 3.5 5.5 8\n"
                         "2 1 1.5 2.5 0.5 2.5 8\n"
                         "2 4 1.5 2.5 3.5 4.5 8\n"
                         "2 5 1.5 2.5 4.5 5.5 7\n"
                         "END\n";
    assert_holds(strncmp(data_of_first(), wanted, strlen(wanted)) == 0, "%.300s", data_of_first());
}

static void one_cell(void **state) {
    (void)state;
    const double x[] = {2}, y[] = {3}, z[] = {4};
    const ff_plot_curve curve = {.x = x, .y = y, .z = z, .count = 1, .style = FF_PLOT_HEAT};
    const ff_plot plot = {.title = "",
                          .x_label = "",
                          .y_label = "",
                          .x_log = true,
                          .curves = &curve,
                          .curve_count = 1};
    draw(&plot);
    assert_true(strncmp(data_of_first(), "2 3 1 4 2.5 3.5 4\nEND\n", 22) == 0);
}

/* An axis that begins next to 0 begins at 0: gnuplot would write 0.000000000 and 5.000000000. */
static void an_axis_from_next_to_zero(void **state) {
    (void)state;
    const double x[][2] = {{1e-9, 5}, {1e-3, 5}, {0, 5}}, y[] = {0, 1};
    for (int i = 0; i < 3; i++) {
        const ff_plot_curve curve = {.x = x[i], .y = y, .count = 2};
        for (int logarithmic = 0; logarithmic < 2; logarithmic++) {
            const ff_plot plot = {.title = "",
                                  .x_label = "",
                                  .y_label = "",
                                  .x_log = logarithmic == 1,
                                  .curves = &curve,
                                  .curve_count = 1};
            draw(&plot);
            assert_true((strstr(script, "set xrange [0:]") != NULL) == (i == 0 && !logarithmic));
        }
    }
}

/* every value is in one interval; ten values have four intervals */
static void a_histogram(void **state) {
    (void)state;
    const double x[] = {0, 1, 1.5, 2, 2.5, 3, 3.5, 4, 4, 4, NAN};
    const ff_plot_curve curve = {.x = x, .count = 11, .style = FF_PLOT_HISTOGRAM};
    const ff_plot plot = {
        .title = "", .x_label = "", .y_label = "", .curves = &curve, .curve_count = 1};
    draw(&plot);
    const char *wanted = "0.5 1 1\n1.5 2 1\n2.5 2 1\n3.5 5 1\nEND\n";
    assert_holds(strncmp(data_of_first(), wanted, strlen(wanted)) == 0, "%.200s", data_of_first());
    assert_non_null(strstr(script, "plot $curve0 using 1:2:3 notitle with boxes"));
    /* equal values have one interval around them */
    const double same[] = {7, 7, 7};
    const ff_plot_curve flat = {.x = same, .count = 3, .style = FF_PLOT_HISTOGRAM};
    const ff_plot one = {
        .title = "", .x_label = "", .y_label = "", .curves = &flat, .curve_count = 1};
    draw(&one);
    assert_true(strncmp(data_of_first(), "7 3 1\nEND\n", 10) == 0);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(cells_of_a_heat_map),
    cmocka_unit_test(cells_of_few_values),
    cmocka_unit_test(one_cell),
    cmocka_unit_test(an_axis_from_next_to_zero),
    cmocka_unit_test(a_histogram),
};

CHECK_MAIN(tests)
