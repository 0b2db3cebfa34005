/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

/* Plots, drawn by gnuplot, and pages: self-contained HTML files that need neither a network nor footfall. `error` may be
 * NULL everywhere. On failure, functions return FF_NO_MEMORY, FF_NOT_WRITTEN if a file cannot be drawn or written,
 * FF_BAD_VALUE if a name or value is invalid, or FF_NOT_BUILT if the library was built without the page. */

#include <footfall/trace.h>

FF_C_BEGIN

/* ---- plots ---- */

typedef enum ff_plot_style {
    FF_PLOT_LINES,
    FF_PLOT_POINTS,
    FF_PLOT_DOTTED,
    FF_PLOT_HEAT,     /* a rectangle around each point (x, y), coloured by z */
    FF_PLOT_HISTOGRAM /* how many values x are in each of some intervals of equal width; without y */
} ff_plot_style;

/* A curve. Points that are not finite, or not positive on a logarithmic axis, interrupt the line. */
typedef struct ff_plot_curve {
    const char *name; /* NULL: not in the legend */
    const double *x, *y;
    size_t count;
    ff_plot_style style;
    size_t colour;   /* 0: the next colour; i: the colour of curve i, counted from 1 */
    const double *z; /* heat maps only */
} ff_plot_curve;

typedef struct ff_plot {
    const char *title, *x_label, *y_label; /* labels with units, such as "speed (m/s)" */
    bool x_log, y_log;
    bool equal; /* equal scales of both axes */
    const ff_plot_curve *curves;
    size_t curve_count;
    const char *z_label; /* of the colours of heat maps; may be NULL */
} ff_plot;

/* Checks whether a path ends in .svg, .png or .pdf, so that a long run does not fail at its end. */
FF_API ff_status ff_plot_check(const char *path, ff_error *error);

/* Whether gnuplot is installed. */
FF_API bool ff_plot_possible(void);

/* Draws a plot with gnuplot. The file appears only when it is complete. */
FF_API ff_status ff_plot_write(const ff_plot *plot, const char *path, ff_error *error);

/* Draws a run into a folder, which is created: for a scene heights, forces, slip, joints and energies; for an inclusion
 * states and outputs by unit, gaps, forces, slip and energies. Calls wrote() (may be NULL) for each picture with the number
 * of lines drawn and left out. */
FF_API ff_status ff_trace_plot(const ff_trace *trace, const char *folder,
                               void (*wrote)(void *user, const char *path, size_t lines,
                                             size_t left_out),
                               void *user, ff_error *error);

/* ---- pages ---- */

/* Checks whether the library contains the page and a page can be written under this name, which must end in .html; NULL:
 * only the former. */
FF_API ff_status ff_page_check(const char *path, ff_error *error);

/* Writes the page of a run: charts, energy ledger and a replay of the scene. The trace must have ended or have been opened
 * from a file. The file appears only when it is complete. */
FF_API ff_status ff_trace_page(const ff_trace *trace, const char *path, ff_error *error);

/* Writes a page that compares two runs: both replays with one clock, both ledgers, curves of both in one chart, and their
 * difference. FF_BAD_VALUE if one is a scene and the other an inclusion. */
FF_API ff_status ff_trace_compare(const ff_trace *first, const ff_trace *second, const char *path,
                                  ff_error *error);

/* Writes a page of a JSON document, whose member `kind` says how it is shown (docs/report.md). */
FF_API ff_status ff_page_save(const char *path, const char *title, const char *json, size_t length,
                              ff_error *error);

FF_C_END
