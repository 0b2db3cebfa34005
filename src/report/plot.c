/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#define _POSIX_C_SOURCE 200809L
#include "num/memory.h"
#include "trace/trace.h"
#include <footfall/report.h>

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* file suffix, gnuplot terminal, and the bytes that end a complete file */
typedef struct plot_format {
    const char *suffix, *terminal, *end;
} plot_format;

static const plot_format formats[] = {
    {".svg",
     "svg size 900,600 noenhanced font 'sans-serif,15' background '#ffffff'\nset pointsize 0.5",
     "</svg>"},
    {".png", "pngcairo size 900,600 noenhanced font 'sans,13'\nset pointsize 1", "IEND"},
    {".pdf", "pdfcairo size 9in,6in noenhanced font 'sans,15'\nset pointsize 0.7", "%%EOF"},
};

/* colours of Okabe and Ito (2008) without yellow, distinguishable for the colour-blind; black is last */
static const char *const colours[] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                      "#e69f00", "#56b4e9", "#000000"};
enum { colour_count = sizeof colours / sizeof *colours };

static const plot_format *format_of(const char *path) {
    size_t length = strlen(path);
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        if (length > 4 && strcmp(path + length - 4, formats[i].suffix) == 0) {
            return &formats[i];
        }
    }
    return NULL;
}

ff_status ff_plot_check(const char *path, ff_error *error) {
    if (format_of(path)) {
        return FF_OK;
    }
    return ff_trace_refuse(error, FF_BAD_VALUE,
                           "cannot plot to '%s': its name must end in .svg, .png or .pdf", path);
}

/* gnuplot expands nothing in single quotes; a quote is doubled. */
static void put_quoted(FILE *out, const char *before, const char *text) {
    fprintf(out, "%s'", before);
    for (; text && *text; text++) {
        if (*text == '\'') {
            fputc('\'', out);
        }
        fputc((unsigned char)*text < ' ' ? ' ' : *text, out);
    }
    fputc('\'', out);
}

static bool visible(const ff_plot *p, const ff_plot_curve *c, size_t i) {
    return isfinite(c->x[i]) && (!p->x_log || c->x[i] > 0) &&
           (c->style == FF_PLOT_HISTOGRAM || (isfinite(c->y[i]) && (!p->y_log || c->y[i] > 0))) &&
           (c->style != FF_PLOT_HEAT || isfinite(c->z[i]));
}

static bool any_visible(const ff_plot *p, const ff_plot_curve *c) {
    for (size_t i = 0; i < c->count; i++) {
        if (visible(p, c, i)) {
            return true;
        }
    }
    return false;
}

/* Which columns of its data a curve is drawn from. */
static const char *using_columns(ff_plot_style style) {
    return style == FF_PLOT_HEAT        ? " using 1:2:3:4:5:6:7"
           : style == FF_PLOT_HISTOGRAM ? " using 1:2:3"
                                        : "";
}

/* Style of one curve. Dashes distinguish curves of the same colour. */
static void put_style(FILE *out, ff_plot_style style, size_t i) {
    const char *colour = colours[i % colour_count];
    size_t round = i / colour_count;
    if (style == FF_PLOT_POINTS) {
        fprintf(out, " with points pt %d lc rgb '%s'", round % 2 ? 9 : 7, colour);
    } else if (style == FF_PLOT_HEAT) {
        fputs(" with boxxyerror fs solid 1 noborder fc palette", out);
    } else if (style == FF_PLOT_HISTOGRAM) {
        fprintf(out, " with boxes fs solid %s noborder fc rgb '%s'", i ? "0.4" : "0.8", colour);
    } else if (style == FF_PLOT_DOTTED) {
        fprintf(out, " with lines lw 2 dt (3,6) lc rgb '%s'", colour);
    } else {
        fprintf(out, " with lines lw 2 dt %s lc rgb '%s'", round % 2 ? "(9,4)" : "1", colour);
    }
}

static int by_value(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The middle of two values on an axis. */
static double middle(double a, double b, bool logarithmic) {
    return logarithmic ? sqrt(a * b) : (a + b) / 2;
}

/* The distinct values of `count` numbers in order, in place; returns how many there are. */
static size_t sort_distinct(double *values, size_t count) {
    size_t kept = 0;
    qsort(values, count, sizeof *values, by_value);
    for (size_t i = 0; i < count; i++) {
        if (kept == 0 || values[i] > values[kept - 1]) {
            values[kept++] = values[i];
        }
    }
    return kept;
}

/* The ends of the cell around a value: half way to its neighbours, and at the ends of the axis as far as on the other side. */
static void cell_of(const double *values, size_t count, double value, bool logarithmic,
                    double ends[2]) {
    const double *at = bsearch(&value, values, count, sizeof *values, by_value);
    const size_t i = (size_t)(at - values);
    if (count == 1) {
        ends[0] = logarithmic ? value / 2 : value - 0.5;
        ends[1] = logarithmic ? value * 2 : value + 0.5;
        return;
    }
    ends[0] = i > 0 ? middle(values[i - 1], value, logarithmic) : (double)NAN;
    ends[1] = i + 1 < count ? middle(value, values[i + 1], logarithmic) : (double)NAN;
    if (i == 0) {
        ends[0] = logarithmic ? value * value / ends[1] : 2 * value - ends[1];
    } else if (i + 1 == count) {
        ends[1] = logarithmic ? value * value / ends[0] : 2 * value - ends[0];
    }
}

/* Lines of x, y, the ends of the cell along both, and z. Cells of one value above each other become one, so that a map of a few
 * values stays small. False where memory ends. */
static bool put_cells(FILE *out, const ff_plot *p, const ff_plot_curve *c) {
    double *x = ff_malloc((2 * c->count + 1) * sizeof *x), *y = x + c->count;
    size_t count = 0;
    if (!x) {
        return false;
    }
    for (size_t i = 0; i < c->count; i++) {
        if (visible(p, c, i)) {
            x[count] = c->x[i];
            y[count++] = c->y[i];
        }
    }
    const size_t xs = sort_distinct(x, count), ys = sort_distinct(y, count);
    for (size_t i = 0; i < c->count; i++) {
        double across[2], up[2], next[2];
        if (!visible(p, c, i)) {
            continue;
        }
        const size_t first = i;
        cell_of(x, xs, c->x[i], p->x_log, across);
        cell_of(y, ys, c->y[i], p->y_log, up);
        /* the rows that follow, as long as they are the cells above with the same value */
        for (; i + 1 < c->count && visible(p, c, i + 1) && c->x[i + 1] == c->x[first] &&
               c->z[i + 1] == c->z[first];
             i++) {
            cell_of(y, ys, c->y[i + 1], p->y_log, next);
            if (next[0] != up[1]) {
                break;
            }
            up[1] = next[1];
        }
        fprintf(out, "%.9g %.9g %.9g %.9g %.9g %.9g %.9g\n", c->x[first], c->y[first], across[0],
                across[1], up[0], up[1], c->z[first]);
    }
    ff_free(x);
    return true;
}

/* Lines of the middle of an interval, the number of values in it, and its width: about as many intervals as the square root of the
 * number of values, 60 at most. */
static void put_intervals(FILE *out, const ff_plot *p, const ff_plot_curve *c) {
    enum { MOST = 60 };
    size_t counts[MOST] = {0}, count = 0;
    double least = INFINITY, most = -INFINITY;
    for (size_t i = 0; i < c->count; i++) {
        if (visible(p, c, i)) {
            least = fmin(least, c->x[i]);
            most = fmax(most, c->x[i]);
            count++;
        }
    }
    const double wanted = ceil(sqrt((double)count));
    const size_t intervals = most > least ? (size_t)fmin(wanted, MOST) : 1;
    const double width = most > least ? (most - least) / (double)intervals : 1;
    const double from = most > least ? least : least - 0.5;
    for (size_t i = 0; i < c->count; i++) {
        if (visible(p, c, i)) {
            const size_t at = (size_t)((c->x[i] - from) / width);
            counts[at < intervals ? at : intervals - 1]++;
        }
    }
    for (size_t i = 0; i < intervals && count; i++) {
        fprintf(out, "%.9g %zu %.9g\n", from + ((double)i + 0.5) * width, counts[i], width);
    }
}

/* The data of a curve; an empty line interrupts it. False where memory ends. */
static bool put_data(FILE *out, const ff_plot *p, const ff_plot_curve *c) {
    if (c->style == FF_PLOT_HEAT) {
        return put_cells(out, p, c);
    }
    if (c->style == FF_PLOT_HISTOGRAM) {
        put_intervals(out, p, c);
        return true;
    }
    for (size_t j = 0; j < c->count; j++) {
        if (visible(p, c, j)) {
            fprintf(out, "%.9g %.9g\n", c->x[j], c->y[j]);
        } else {
            fputc('\n', out);
        }
    }
    return true;
}

/* Colours of heat maps from low to high: viridis at nine places (van der Walt and Smith 2015), whose lightness grows evenly. */
static const char heat_colours[] =
    "set palette defined (0 '#440154', 1 '#472d7b', 2 '#3b528b', 3 '#2c728e', 4 '#21918c', "
    "5 '#28ae80', 6 '#5ec962', 7 '#addc30', 8 '#fde725')\n";

/* Whether a linear x axis begins next to 0, far below what can be seen: gnuplot would write its labels with as many digits as tell
 * the two apart. A millionth of an axis is a thousandth of a pixel. */
static bool begins_at_zero(const ff_plot *p) {
    double least = INFINITY, most = 0;
    for (size_t i = 0; i < p->curve_count; i++) {
        const ff_plot_curve *c = &p->curves[i];
        for (size_t j = 0; j < c->count; j++) {
            if (visible(p, c, j)) {
                least = fmin(least, c->x[j]);
                most = fmax(most, c->x[j]);
            }
        }
    }
    return !p->x_log && least > 0 && least < 1e-6 * most;
}

/* The script of a plot. False where memory ends. */
static bool put_script(FILE *out, const ff_plot *p, const char *terminal) {
    fprintf(out, "set terminal %s\n", terminal);
    put_quoted(out, "set title ", p->title);
    put_quoted(out, " font ',16'\nset xlabel ", p->x_label);
    put_quoted(out, "\nset ylabel ", p->y_label);
    fputs("\nset grid lc rgb '#dddddd' lt 1 lw 1\n"
          "set border 3 lc rgb '#444444'\n"
          "set tics nomirror out scale 0.6\n"
          "set autoscale xfix\n"
          "set key outside right top Left reverse samplen 2.5 spacing 1.3\n",
          out);
    if (begins_at_zero(p)) {
        fputs("set xrange [0:]\n", out);
    }
    if (p->equal) {
        fputs("set size ratio -1\n", out);
    }
    if (p->x_log || p->y_log) {
        fprintf(out, "set logscale %s%s\n", p->x_log ? "x" : "", p->y_log ? "y" : "");
        /* 1e-05 rather than 0.0000100 */
        fprintf(out, "%s%s", p->x_log ? "set format x '%g'\n" : "",
                p->y_log ? "set format y '%g'\n" : "");
    }

    if (p->z_label) {
        put_quoted(out, "set cblabel ", p->z_label);
        fputc('\n', out);
    }
    for (size_t i = 0; i < p->curve_count; i++) {
        fprintf(out, "$curve%zu << END\n", i);
        if (!put_data(out, p, &p->curves[i])) {
            return false;
        }
        fputs("END\n", out);
    }
    bool heat = false;
    for (size_t i = 0; i < p->curve_count; i++) {
        heat |= p->curves[i].style == FF_PLOT_HEAT;
    }
    if (heat) {
        fputs(heat_colours, out);
        fputs("set autoscale yfix\nset autoscale cbfix\n", out);
    }
    bool named = false;
    for (size_t i = 0; i < p->curve_count; i++) {
        named |= p->curves[i].name != NULL;
    }
    const char *before = named ? "plot " : "unset key\nplot ";
    for (size_t i = 0; i < p->curve_count; i++) {
        /* a curve without points still has its entry in the legend */
        if (any_visible(p, &p->curves[i])) {
            fprintf(out, "%s$curve%zu%s", before, i, using_columns(p->curves[i].style));
        } else {
            fprintf(out, "%sNaN", before);
        }
        if (p->curves[i].name) {
            put_quoted(out, " title ", p->curves[i].name);
        } else {
            fputs(" notitle", out);
        }
        put_style(out, p->curves[i].style, p->curves[i].colour ? p->curves[i].colour - 1 : i);
        before = ", ";
    }
    fputc('\n', out);
    return true;
}

/* Starts gnuplot with the read end of a pipe, the picture and a file for its messages as standard streams; no shell, no
 * start-up file. Returns 0 or an errno. */
static int start(pid_t *child, int script, int picture, int messages) {
    char *const argv[] = {"gnuplot", "-d", "-", NULL};
    posix_spawn_file_actions_t actions;
    int error = posix_spawn_file_actions_init(&actions);
    if (error) {
        return error;
    }
    posix_spawn_file_actions_adddup2(&actions, script, 0);
    posix_spawn_file_actions_adddup2(&actions, picture, 1);
    posix_spawn_file_actions_adddup2(&actions, messages, 2);
    error = posix_spawnp(child, argv[0], &actions, NULL, argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    return error;
}

bool ff_plot_possible(void) {
    const char *path = getenv("PATH");
    for (size_t length; path && *path; path += length + (path[length] == ':')) {
        char name[4096];
        length = strcspn(path, ":");
        int size = snprintf(name, sizeof name, "%.*s/gnuplot", (int)length, path);
        if (size < (int)sizeof name && access(name, X_OK) == 0) {
            return true;
        }
    }
    return false;
}

/* gnuplot does not detect a full disk, so check for the bytes that end a complete file. */
static bool is_whole(int file, const char *end) {
    char tail[16] = "";
    off_t size = lseek(file, 0, SEEK_END), from = size > 16 ? size - 16 : 0;
    ssize_t count = pread(file, tail, sizeof tail, from);
    for (ssize_t i = 0; i + (ssize_t)strlen(end) <= count; i++) {
        if (memcmp(tail + i, end, strlen(end)) == 0) {
            return true;
        }
    }
    return false;
}

/* Runs gnuplot on the script of a plot. */
static ff_status draw(const ff_plot *p, const plot_format *format, int picture, ff_error *error) {
    int ends[2];
    if (pipe(ends) < 0) {
        return ff_trace_refuse(error, FF_NOT_WRITTEN, "cannot make a pipe: %s", strerror(errno));
    }
    FILE *messages = tmpfile();
    if (!messages) {
        close(ends[0]);
        close(ends[1]);
        return ff_trace_refuse(error, FF_NOT_WRITTEN, "cannot make a temporary file: %s",
                               strerror(errno));
    }
    /* the child must not inherit the write end, or it would never see the end of the script */
    fcntl(ends[1], F_SETFD, FD_CLOEXEC);
    pid_t child;
    int failed = start(&child, ends[0], picture, fileno(messages));
    close(ends[0]);
    FILE *script = failed ? NULL : fdopen(ends[1], "w");
    if (!script) {
        close(ends[1]);
    }
    if (failed) {
        fclose(messages);
        return failed == ENOENT
                   ? ff_trace_refuse(error, FF_NOT_WRITTEN,
                                     "plots need gnuplot (apt-get install gnuplot-nox)")
                   : ff_trace_refuse(error, FF_NOT_WRITTEN, "cannot start gnuplot: %s",
                                     strerror(failed));
    }

    /* if gnuplot dies early, its exit status says so; SIGPIPE must not end this process */
    struct sigaction ignore = {.sa_handler = SIG_IGN}, old;
    sigaction(SIGPIPE, &ignore, &old);
    const bool complete = script && put_script(script, p, format->terminal);
    if (script) {
        fclose(script);
    }
    sigaction(SIGPIPE, &old, NULL);

    int status = -1;
    pid_t waited;
    while ((waited = waitpid(child, &status, 0)) < 0 && errno == EINTR) {
        ;
    }
    /* with SIGCHLD ignored the exit status is not available; the picture shows whether it worked */
    status = waited < 0 && errno == ECHILD ? 0 : status;
    bool drawn = complete && status == 0 && is_whole(picture, format->end);
    char line[180] = "", said[180] = "the picture is not complete (is the disk full?)";
    /* its last non-empty line says what went wrong */
    rewind(messages);
    while (!drawn && fgets(line, sizeof line, messages)) {
        line[strcspn(line, "\n")] = '\0';
        if (line[strspn(line, " \t^")]) {
            strcpy(said, line + strspn(line, " \t"));
        }
    }
    fclose(messages);
    if (script && !complete) {
        return ff_trace_refuse(error, FF_NO_MEMORY, "out of memory");
    }
    return drawn ? FF_OK : ff_trace_refuse(error, FF_NOT_WRITTEN, "gnuplot failed: %s", said);
}

ff_status ff_plot_write(const ff_plot *p, const char *path, ff_error *error) {
    ff_status status = ff_plot_check(path, error);
    if (status < 0) {
        return status;
    }
    bool any = false;
    for (size_t i = 0; i < p->curve_count; i++) {
        any |= any_visible(p, &p->curves[i]);
    }
    if (!any) {
        return ff_trace_refuse(error, FF_NOT_WRITTEN, "nothing to plot in '%s': no point is finite",
                               path);
    }

    /* next to the target, so that the rename is atomic */
    size_t length = strlen(path);
    char *temporary = ff_malloc(length + 8);
    if (!temporary) {
        return ff_trace_refuse(error, FF_NO_MEMORY, "out of memory");
    }
    snprintf(temporary, length + 8, "%s.XXXXXX", path);
    int picture = mkstemp(temporary);
    if (picture < 0) {
        ff_free(temporary);
        return ff_trace_refuse(error, FF_NOT_WRITTEN, "cannot write '%s': %s", path,
                               strerror(errno));
    }
    mode_t mask = umask(0);
    umask(mask);
    fchmod(picture, 0666 & ~mask);

    status = draw(p, format_of(path), picture, error);
    close(picture);
    if (status >= 0 && rename(temporary, path) < 0) {
        status =
            ff_trace_refuse(error, FF_NOT_WRITTEN, "cannot write '%s': %s", path, strerror(errno));
    }
    if (status < 0) {
        unlink(temporary);
    }
    ff_free(temporary);
    return status;
}
