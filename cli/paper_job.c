/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#define _POSIX_C_SOURCE 200809L
#include "papers.h"
#include <errno.h>
#include <footfall/elementary.h>
#include <footfall/source.h>
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

/* a text that would be cut is a mistake of whoever wrote it */
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

/* ---- room ---- */

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

/* A row for each point of each curve; points that break a line are not there. */
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

/* Where a value is on an axis. */
static double place(double value, bool logarithmic) {
    return logarithmic ? ff_math.log(value) : value;
}

/* A figure's axes: where 1 is, and 0. */
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

/* a part in 8000 of a figure: an eighth of a pixel */
static const double finest = 1.0 / 8000;

/* Marks the points between first and last that a line through those kept would miss (Ramer 1972, Douglas and Peucker
 * 1973). */
static void keep_bends(const paper_curve *c, const frame *f, size_t first, size_t last,
                       bool *keep) {
    while (last > first + 1) {
        double x0 = across(f, c->x[first]), y0 = up(f, c->y[first]);
        double dx = across(f, c->x[last]) - x0, dy = up(f, c->y[last]) - y0;
        double square = dx * dx + dy * dy, most = 0;
        size_t at = first;
        for (size_t i = first + 1; i < last; i++) {
            double x = across(f, c->x[i]) - x0, y = up(f, c->y[i]) - y0;
            /* the nearest point of the line between both */
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
        /* the shorter part first, so that calls do not nest deeply */
        bool left = at - first < last - at;
        keep_bends(c, f, left ? first : at, left ? at : last, keep);
        first = left ? at : first;
        last = left ? last : at;
    }
}

/* Leaves out points of lines that a picture cannot show. */
static void thin(paper_job *job) {
    const frame f = frame_of(job);
    for (paper_curve *c = job->first; c; c = c->next) {
        bool *keep = job_room(job, c->count, sizeof *keep);
        for (size_t i = 0, first = 0; i < c->count; i++) {
            bool there = isfinite(across(&f, c->x[i])) && isfinite(up(&f, c->y[i]));
            bool before = i > first;
            keep[i] = c->style == FF_PLOT_POINTS || !there || !before;
            if (!there || i + 1 == c->count) {
                /* the end of a line: itself, or the point before */
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

/* ---- laws ---- */

ff_normal job_law(paper_job *job, const char *name, ...) {
    ff_param_value given[FF_LAW_PARAMS];
    size_t count = 0;
    ff_normal law;
    ff_error error = {""};
    va_list list;
    va_start(list, name);
    for (const char *key; count < FF_LAW_PARAMS && (key = va_arg(list, const char *)); count++) {
        given[count] = (ff_param_value){key, va_arg(list, double)};
    }
    va_end(list);
    if (ff_normal_init(&law, ff_normal_law_find(name), &error) < 0 ||
        ff_normal_set_all(&law, given, count, &error) < 0 || ff_normal_check(&law, &error) < 0) {
        job_fail(job, "%s: %s", name, error.text);
    }
    return law;
}

double log_speed(double v0, double v1, size_t i, size_t count) {
    return v0 * ff_math.pow(v1 / v0, (double)i / (double)(count - 1));
}

double greatest_rise(const ff_normal *law, double mass, double v0, double v1) {
    double rise = -INFINITY;
    for (size_t i = 1; i < 100; i++) {
        double before = ff_impact_restitution(law, mass, log_speed(v0, v1, i - 1, 100));
        rise = fmax(rise, ff_impact_restitution(law, mass, log_speed(v0, v1, i, 100)) - before);
    }
    return rise;
}

ff_impact job_impact(paper_job *job, const ff_normal *law, double mass, double speed) {
    ff_impact impact;
    ff_status status = ff_impact_solve(law, mass, speed, &impact);
    if (status < 0) {
        job_fail(job, "impact at %g m/s: %s", speed, ff_status_text(status));
    }
    return impact;
}

const ff_impact_point *job_impact_curve(paper_job *job, const ff_normal *law, double mass,
                                        double speed, size_t count) {
    ff_impact_point *points = job_room(job, count, sizeof *points);
    ff_status status = ff_impact_curve(law, mass, speed, count, points);
    if (status < 0) {
        job_fail(job, "impact at %g m/s: %s", speed, ff_status_text(status));
    }
    return points;
}

/* ---- runs ---- */

enum { SETTINGS_MOST = 32 };

static size_t take_settings(paper_job *job, const char **settings, va_list list) {
    size_t count = 0;
    for (const char *s; (s = va_arg(list, const char *)); settings[count++] = s) {
        if (count == SETTINGS_MOST) {
            job_fail(job, "more than %d settings", SETTINGS_MOST);
        }
    }
    return count;
}

static const char *file_text(paper_job *job, const char *name) {
    for (const paper_file *f = paper_files; f->name; f++) {
        if (strcmp(f->name, name) == 0) {
            return f->text;
        }
    }
    job_fail(job, "no file papers/%s", name);
}

static void read_or_fail(paper_run *r, ff_status status, const ff_messages *messages) {
    char text[400];
    if (status < 0 && messages->count) {
        ff_message_format(&messages->at[0], text, sizeof text);
        job_fail(r->job, "%s", text);
    } else if (status < 0) {
        job_fail(r->job, "%s: %s", r->file, ff_status_text(status));
    }
}

paper_run run_scene(paper_job *job, const char *file, ...) {
    paper_run r = {.job = job, .file = job_text(job, "papers/%s", file)};
    const char *text = file_text(job, file), *settings[SETTINGS_MOST];
    ff_messages messages = {0};
    ff_error error = {""};
    ff_scene *scene;
    va_list list;
    va_start(list, file);
    size_t count = take_settings(job, settings, list);
    va_end(list);
    read_or_fail(
        &r,
        ff_scene_parse(r.file, text, strlen(text), settings, count, INFINITY, &scene, &messages),
        &messages);
    r.options = *ff_scene_run(scene);
    ff_status status = ff_model_create(scene, &r.model, &error);
    ff_scene_free(scene);
    if (status < 0) {
        job_fail(job, "%s: %s", r.file, *error.text ? error.text : ff_status_text(status));
    }
    status = ff_sim_create(r.model, &r.options, &r.sim, NULL);
    if (status < 0) {
        job_fail(job, "%s: %s", r.file, ff_status_text(status));
    }
    return r;
}

paper_run run_system(paper_job *job, const char *file, const ff_rivals *rivals, ...) {
    static const ff_rivals usual = {0};
    paper_run r = {.job = job, .file = job_text(job, "papers/%s", file)};
    const char *text = file_text(job, file), *settings[SETTINGS_MOST];
    ff_messages messages = {0};
    ff_error error = {""};
    va_list list;
    va_start(list, rivals);
    size_t count = take_settings(job, settings, list);
    va_end(list);
    read_or_fail(&r,
                 ff_inclusion_parse(r.file, text, strlen(text), settings, count,
                                    rivals ? rivals : &usual, &r.system, &r.options, &messages),
                 &messages);
    ff_status status = ff_inclusion_create(ff_equations_def(r.system), &r.options, &r.sim, &error);
    if (status < 0) {
        job_fail(job, "%s: %s", r.file, *error.text ? error.text : ff_status_text(status));
    }
    return r;
}

static void observe(paper_run *r, double time) { ff_sim_observe(r->sim, time); }

static void step(paper_run *r) {
    ff_status status = ff_sim_step(r->sim, r->options.until);
    r->reached = ff_sim_time(r->sim);
    if (status < 0) {
        const char *why = ff_sim_error(r->sim);
        job_fail(r->job, "%s: at %g s: %s", r->file, r->reached,
                 *why ? why : ff_status_text(status));
    }
    r->eventful = status == FF_EVENT;
    ff_sampler_step(&r->when, r->reached, r->eventful);
    if (r->eventful) {
        r->last = *ff_sim_event(r->sim);
    }
}

/* A run that cannot be trusted shows nothing. But the fixed steps of the papers are shown as they are: that their ledgers
 * do not close is what a figure may be about. */
static void judge(paper_run *r) {
    ff_status status = ff_sim_verdict(r->sim);
    if (status < 0 && !(status == FF_NOT_CLOSED && ff_method_fixed(r->options.method))) {
        job_fail(r->job, "%s: %s", r->file, ff_sim_error(r->sim));
    }
}

bool run_next(paper_run *r) {
    if (!r->begun) {
        r->begun = r->when.events = true;
        ff_sampler_start(&r->when, 0);
    }
    while (isinf(ff_sampler_next(&r->when)) && r->reached < r->options.until) {
        step(r);
    }
    if (isinf(ff_sampler_next(&r->when))) {
        r->eventful = false;
        ff_sampler_end(&r->when, r->reached);
    }
    const double next = ff_sampler_next(&r->when);
    const bool more = !isinf(next), pending = r->when.pending;
    r->event = NULL;
    observe(r, next);
    if (more) {
        ff_sampler_pass(&r->when);
        r->time = next;
        /* what is pending is the end of a step, where its event is */
        r->event = r->eventful && pending && !r->when.pending ? &r->last : NULL;
    } else {
        judge(r);
    }
    return more;
}

void run_finish(paper_run *r) {
    while (run_next(r)) {
        ;
    }
}

void run_close(paper_run *r) {
    ff_sim_free(r->sim);
    ff_model_free(r->model);
    ff_equations_free(r->system);
}
