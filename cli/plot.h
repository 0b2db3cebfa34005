/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

#include <stdbool.h>
#include <stddef.h>

typedef enum plot_style { PLOT_LINES, PLOT_POINTS, PLOT_DOTTED } plot_style;

/* Points that are not finite, or not positive on a logarithmic axis, break a line. */
typedef struct plot_curve {
    const char *name; /* NULL: not in the legend */
    const double *x, *y;
    size_t count;
    plot_style style;
    size_t colour; /* 0: the next one; i: that of the i-th curve, counted from 1 */
} plot_curve;

typedef struct plot {
    const char *title, *x_label, *y_label; /* labels with units, as "speed (m/s)" */
    bool x_log, y_log;
    bool equal; /* a unit is as long upwards as sideways */
    const plot_curve *curves;
    size_t curve_count;
} plot;

/* Whether a path ends in .svg, .png or .pdf: 0, or 2 with a reason in why. For finding out before a
 * long run. */
int plot_check(const char *path, char *why, size_t why_size);

/* Whether gnuplot is there. */
bool plot_possible(void);

/* Draws with gnuplot. The file appears when it is complete. Returns the exit status: 0, 1 if it
 * could not be drawn or written, 2 if the path has another suffix; then why says so in one line. */
int plot_write(const plot *p, const char *path, char *why, size_t why_size);
