/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

/* Plots, drawn by gnuplot, and pages: single HTML files that need neither a network nor footfall. `error` may be NULL
 * everywhere. Calls that fail return FF_NO_MEMORY, FF_NOT_WRITTEN where a file cannot be drawn or written, FF_BAD_VALUE where
 * a name or a value is wrong, or FF_NOT_BUILT where the library was built without the page. */

#include <footfall/trace.h>

FF_C_BEGIN

/* ---- plots ---- */

typedef enum ff_plot_style { FF_PLOT_LINES, FF_PLOT_POINTS, FF_PLOT_DOTTED } ff_plot_style;

/* Points that are not finite, or not positive on a logarithmic axis, break a line. */
typedef struct ff_plot_curve {
    const char *name; /* NULL: not in the legend */
    const double *x, *y;
    size_t count;
    ff_plot_style style;
    size_t colour; /* 0: the next colour; i: the colour of curve i, counted from 1 */
} ff_plot_curve;

typedef struct ff_plot {
    const char *title, *x_label, *y_label; /* labels with units, as "speed (m/s)" */
    bool x_log, y_log;
    bool equal; /* a unit is as long upwards as sideways */
    const ff_plot_curve *curves;
    size_t curve_count;
} ff_plot;

/* Whether a path ends in .svg, .png or .pdf, for finding out before a long run. */
FF_API ff_status ff_plot_check(const char *path, ff_error *error);

/* Whether gnuplot is installed. */
FF_API bool ff_plot_possible(void);

/* Draws with gnuplot. The file appears when it is complete. */
FF_API ff_status ff_plot_write(const ff_plot *plot, const char *path, ff_error *error);

/* Draws a run into a folder, which is made: of a scene heights, forces, slip, joints and energies; of an inclusion states and
 * outputs by their units, gaps, forces, slip and energies. Calls back for each picture with how many lines it has and how
 * many did not fit; `wrote` may be NULL. */
FF_API ff_status ff_trace_plot(const ff_trace *trace, const char *folder,
                               void (*wrote)(void *user, const char *path, size_t lines,
                                             size_t left_out),
                               void *user, ff_error *error);

/* ---- pages ---- */

/* Whether the library has the page and one can be written under this name, which ends in .html; NULL: only the first. */
FF_API ff_status ff_page_check(const char *path, ff_error *error);

/* Writes the page of a run: charts, energy ledger, a replay of the scene. The trace has ended, or was opened. The file
 * appears when it is complete. */
FF_API ff_status ff_trace_page(const ff_trace *trace, const char *path, ff_error *error);

/* Writes a page of two runs side by side: both replays with one clock, both ledgers, curves of both in one chart and
 * their difference. FF_BAD_VALUE where one is of a scene and the other of an inclusion. */
FF_API ff_status ff_trace_compare(const ff_trace *first, const ff_trace *second, const char *path,
                                  ff_error *error);

/* Writes a page of a document in JSON, whose member `kind` says how it is shown (docs/report.md). */
FF_API ff_status ff_page_save(const char *path, const char *title, const char *json, size_t length,
                              ff_error *error);

FF_C_END
