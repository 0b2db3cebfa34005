/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#define _POSIX_C_SOURCE 200809L
#include "papers.h"
#include <errno.h>
#include <footfall/elementary.h>
#include <footfall/tool.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct paper_curve {
    paper_job *job;
    const char *name;
    ff_plot_style style;
    size_t colour;
    double *x, *y;
    size_t count, room;
    paper_curve *next;
};

struct paper_job {
    const paper *paper;
    const paper_figure *figure;
    const char *folder;
    bool draw;
    FILE *out;
    int status;
    paper_curve *first, *last;
};

const paper *job_paper(const paper_job *job) { return job->paper; }

const paper_figure *job_figure(const paper_job *job) { return job->figure; }

/* ---- checks ---- */

static void record(paper_job *job, const check_record *r) {
    if (fwrite(r, sizeof *r, 1, job->out) != 1) {
        job->status = 1;
    }
}

static void copy(char *to, size_t size, const char *text) {
    snprintf(to, size, "%s", text ? text : "");
}

check_record check_broken(const char *where, const char *why) {
    check_record r = {.status = CHECK_FAIL, .value = NAN, .expected = NAN, .tolerance = NAN};
    copy(r.where, sizeof r.where, where);
    copy(r.quantity, sizeof r.quantity, "it can be computed");
    copy(r.note, sizeof r.note, why);
    return r;
}

static bool holds(const check *c) {
    double above = c->value - c->expected;
    switch (c->relation) {
    case CHECK_AT_MOST: return above <= c->tolerance;
    case CHECK_AT_LEAST: return -above <= c->tolerance;
    default: return fabs(above) <= c->tolerance;
    }
}

/* a truncated text is an error of its author */
static void copy_whole(paper_job *job, char *to, size_t size, const char *text) {
    copy(to, size, text);
    if (text && strlen(text) >= size) {
        job_fail(job, "a check says more than fits into %zu bytes: %.60s...", size - 1, text);
    }
}

void job_check(paper_job *job, const check *c) {
    bool other = c->otherwise && fabs(c->value - c->instead) <= c->instead_within;
    check_record r = {.relation = c->relation,
                      .status = holds(c) ? CHECK_PASS
                                : other  ? CHECK_NOT_REPRODUCED
                                         : CHECK_FAIL,
                      .value = c->value,
                      .expected = c->expected,
                      .tolerance = c->tolerance};
    copy_whole(job, r.where, sizeof r.where, c->where);
    copy_whole(job, r.quantity, sizeof r.quantity, c->quantity);
    copy_whole(job, r.unit, sizeof r.unit, c->unit);
    copy_whole(job, r.why, sizeof r.why, c->why);
    copy_whole(job, r.note, sizeof r.note,
               other && r.status != CHECK_PASS ? c->otherwise : c->note);
    record(job, &r);
}

static void usual(paper_job *job, const char *where, const char *quantity, const char *unit,
                  check_relation relation, double value, double expected, double tolerance,
                  const char *why) {
    job_check(job, &(check){.where = where,
                            .quantity = quantity,
                            .unit = unit,
                            .relation = relation,
                            .value = value,
                            .expected = expected,
                            .tolerance = tolerance,
                            .why = why});
}

void job_near(paper_job *job, const char *where, const char *quantity, const char *unit,
              double value, double expected, double tolerance, const char *why) {
    usual(job, where, quantity, unit, CHECK_NEAR, value, expected, tolerance, why);
}

void job_most(paper_job *job, const char *where, const char *quantity, const char *unit,
              double value, double most, double tolerance, const char *why) {
    usual(job, where, quantity, unit, CHECK_AT_MOST, value, most, tolerance, why);
}

void job_least(paper_job *job, const char *where, const char *quantity, const char *unit,
               double value, double least, double tolerance, const char *why) {
    usual(job, where, quantity, unit, CHECK_AT_LEAST, value, least, tolerance, why);
}

void job_holds(paper_job *job, const char *where, const char *property, bool yes, const char *why) {
    usual(job, where, property, NULL, CHECK_NEAR, yes, 1, 0, why);
}

/* ---- memory ---- */

void job_fail(paper_job *job, const char *format, ...) {
    char text[sizeof((check_record *)0)->note];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    check_record r = check_broken(job->figure->id, text);
    record(job, &r);
    fflush(stderr);
    _exit(fflush(job->out) == 0 ? job->status : 1);
}

void *job_room(paper_job *job, size_t count, size_t size) {
    void *room = calloc(count ? count : 1, size);
    if (!room) {
        job_fail(job, "out of memory");
    }
    return room;
}

static const char *text_of(paper_job *job, const char *format, va_list list) {
    va_list again;
    va_copy(again, list);
    int length = vsnprintf(NULL, 0, format, list);
    char *text = job_room(job, (size_t)length + 1, 1);
    vsnprintf(text, (size_t)length + 1, format, again);
    va_end(again);
    return text;
}

const char *job_text(paper_job *job, const char *format, ...) {
    va_list list;
    va_start(list, format);
    const char *text = text_of(job, format, list);
    va_end(list);
    return text;
}

/* ---- curves ---- */

paper_curve *job_curve(paper_job *job, ff_plot_style style, const char *name, ...) {
    paper_curve *c = job_room(job, 1, sizeof *c);
    va_list list;
    va_start(list, name);
    *c = (paper_curve){.job = job, .name = name ? text_of(job, name, list) : NULL, .style = style};
    va_end(list);
    if (job->last) {
        job->last->next = c;
    } else {
        job->first = c;
    }
    job->last = c;
    return c;
}

void curve_colour(paper_curve *curve, size_t i) { curve->colour = i; }

void curve_point(paper_curve *c, double x, double y) {
    if (c->count == c->room) {
        c->room = c->room ? 2 * c->room : 256;
        double *more_x = realloc(c->x, c->room * sizeof *more_x);
        c->x = more_x ? more_x : c->x;
        double *more_y = realloc(c->y, c->room * sizeof *more_y);
        c->y = more_y ? more_y : c->y;
        if (!more_x || !more_y) {
            job_fail(c->job, "out of memory");
        }
    }
    c->x[c->count] = x;
    c->y[c->count++] = y;
}

void curve_gap(paper_curve *c) { curve_point(c, NAN, NAN); }

/* ---- files ---- */

static const char *path_of(paper_job *job, const char *suffix) {
    return job_text(job, "%s/%s/%s%s", job->folder, job->paper->name, job->figure->id, suffix);
}

static void put_field(FILE *out, const char *text) {
    fputc('"', out);
    for (; text && *text; text++) {
        fprintf(out, *text == '"' ? "\"\"" : "%c", *text);
    }
    fputc('"', out);
}

/* One row for each point of each curve; points that only break a line are left out. */
static void write_csv(paper_job *job) {
    const char *path = path_of(job, ".csv");
    FILE *out = fopen(path, "w");
    if (out) {
        fputs("curve,", out);
        put_field(out, job->figure->x_label);
        fputc(',', out);
        put_field(out, job->figure->y_label);
        fputc('\n', out);
        for (const paper_curve *c = job->first; c; c = c->next) {
            for (size_t i = 0; i < c->count; i++) {
                if (isfinite(c->x[i]) && isfinite(c->y[i])) {
                    put_field(out, c->name);
                    fprintf(out, ",%.12g,%.12g\n", c->x[i], c->y[i]);
                }
            }
        }
    }
    bool bad = !out || ferror(out);
    bad = (out && fclose(out) != 0) || bad;
    if (bad) {
        fprintf(stderr, "footfall papers: %s: %s\n", path, strerror(errno));
        job->status = 1;
    }
}

static void write_pictures(paper_job *job) {
    static const char *const suffixes[] = {".svg", ".png"};
    const paper_figure *f = job->figure;
    size_t count = 0;
    ff_error error = {""};
    for (const paper_curve *c = job->first; c; c = c->next) {
        count++;
    }
    ff_plot_curve *curves = job_room(job, count, sizeof *curves);
    count = 0;
    for (const paper_curve *c = job->first; c; c = c->next) {
        curves[count++] = (ff_plot_curve){c->name, c->x, c->y, c->count, c->style, c->colour, NULL};
    }
    const ff_plot p = {f->title, f->x_label, f->y_label, f->x_log, f->y_log,
                       f->equal, curves,     count,      NULL};
    for (size_t i = 0; i < 2; i++) {
        if (ff_plot_write(&p, path_of(job, suffixes[i]), &error) < 0) {
            fprintf(stderr, "footfall papers: %s\n", error.text);
            job->status = 1;
        }
    }
}

/* The position of a value on an axis. */
static double place(double value, bool logarithmic) {
    return logarithmic ? ff_math.log(value) : value;
}

/* The axes of a figure: their ranges, and whether they are logarithmic. */
typedef struct {
    double least_x, most_x, least_y, most_y;
    bool x_log, y_log;
} frame;

static double across(const frame *f, double x) {
    return (place(x, f->x_log) - f->least_x) / (f->most_x - f->least_x);
}

static double up(const frame *f, double y) {
    return (place(y, f->y_log) - f->least_y) / (f->most_y - f->least_y);
}

static frame frame_of(const paper_job *job) {
    frame f = {INFINITY, -INFINITY, INFINITY, -INFINITY, job->figure->x_log, job->figure->y_log};
    for (const paper_curve *c = job->first; c; c = c->next) {
        for (size_t i = 0; i < c->count; i++) {
            double x = place(c->x[i], f.x_log), y = place(c->y[i], f.y_log);
            if (isfinite(x) && isfinite(y)) {
                f.least_x = fmin(f.least_x, x), f.most_x = fmax(f.most_x, x);
                f.least_y = fmin(f.least_y, y), f.most_y = fmax(f.most_y, y);
            }
        }
    }
    return f;
}

/* tolerance of thinning: 1/8000 of a figure, an eighth of a pixel */
static const double finest = 1.0 / 8000;

/* Marks the points between first and last that must be kept so that the line stays within the tolerance (Ramer 1972,
 * Douglas and Peucker 1973). */
static void keep_bends(const paper_curve *c, const frame *f, size_t first, size_t last,
                       bool *keep) {
    while (last > first + 1) {
        double x0 = across(f, c->x[first]), y0 = up(f, c->y[first]);
        double dx = across(f, c->x[last]) - x0, dy = up(f, c->y[last]) - y0;
        double square = dx * dx + dy * dy, most = 0;
        size_t at = first;
        for (size_t i = first + 1; i < last; i++) {
            double x = across(f, c->x[i]) - x0, y = up(f, c->y[i]) - y0;
            /* the nearest point of the segment between both */
            double t = square > 0 ? fmin(fmax((x * dx + y * dy) / square, 0), 1) : 0;
            double distance = ff_math.hypot(x - t * dx, y - t * dy);
            if (distance > most) {
                most = distance;
                at = i;
            }
        }
        if (!(most > finest)) {
            return;
        }
        keep[at] = true;
        /* the shorter part first, which limits the recursion depth */
        bool left = at - first < last - at;
        keep_bends(c, f, left ? first : at, left ? at : last, keep);
        first = left ? at : first;
        last = left ? last : at;
    }
}

/* Removes points of lines whose absence is not visible. */
static void thin(paper_job *job) {
    const frame f = frame_of(job);
    for (paper_curve *c = job->first; c; c = c->next) {
        bool *keep = job_room(job, c->count, sizeof *keep);
        for (size_t i = 0, first = 0; i < c->count; i++) {
            bool there = isfinite(across(&f, c->x[i])) && isfinite(up(&f, c->y[i]));
            bool before = i > first;
            keep[i] = c->style == FF_PLOT_POINTS || !there || !before;
            if (!there || i + 1 == c->count) {
                /* the end of a line: this point or the previous one */
                size_t last = there || !before ? i : i - 1;
                keep[last] = true;
                keep_bends(c, &f, first, last, keep);
                first = i + 1;
            }
        }
        size_t kept = 0;
        for (size_t i = 0; i < c->count; i++) {
            if (keep[i]) {
                c->x[kept] = c->x[i];
                c->y[kept++] = c->y[i];
            }
        }
        c->count = kept;
        free(keep);
    }
}

static void write_figure(paper_job *job) {
    if (!job->figure->x_label) {
        return;
    }
    thin(job);
    write_csv(job);
    if (job->draw && job->status == 0) {
        write_pictures(job);
    }
    job->first = job->last = NULL;
}

void job_next(paper_job *job) {
    write_figure(job);
    job->figure++;
}

int job_run(const paper *p, const paper_figure *figure, const char *folder, bool draw, FILE *out) {
    paper_job job = {.paper = p, .figure = figure, .folder = folder, .draw = draw, .out = out};
    figure->make(&job);
    write_figure(&job);
    return job.status;
}
