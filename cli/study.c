/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#define _POSIX_C_SOURCE 200809L
#include "study.h"
#include "scene.h"
#include "sweep_page.h"
#include "table.h"
#include "warnings.h"
#include "watch.h"
#include <errno.h>
#include <footfall/footfall.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Folder of the tables, and whether they could be written. */
typedef struct places {
    const args *a;
    const char *folder;
    study_page *page; /* NULL: none is wanted */
    int status;
} places;

/* a file of a folder; the caller frees it */
static char *path_of(const char *folder, const char *name, const char *suffix) {
    const size_t size = strlen(folder) + strlen(name) + strlen(suffix) + 2;
    char *path = malloc(size);
    if (path) {
        snprintf(path, size, "%s/%s%s", folder, name, suffix);
    }
    return path;
}

static int report_written(const args *a, const char *path, ff_status status,
                          const ff_error *error) {
    const int told = path ? args_status(a, status, error) : args_error(a, "out of memory");
    if (!told && !args_given(a, "quiet")) {
        fprintf(stderr, "wrote %s\n", path);
    }
    return told;
}

static bool save_table(void *user, const char *name, const ff_table *t) {
    places *p = user;
    ff_error error = {""};
    if (p->page) {
        study_page_table(p->page, name, t);
    }
    if (p->folder) {
        char *path = path_of(p->folder, name, ".csv");
        char *records = path_of(p->folder, name, ".part");
        watch_clear();
        p->status =
            report_written(p->a, path, path ? ff_table_write(t, path, &error) : FF_OK, &error);
        if (!p->status && records) {
            unlink(records);
        }
        free(records);
        free(path);
    }
    return !p->status;
}

static bool on_progress(void *user, size_t done, size_t wanted) {
    (void)user;
    watch_progress((double)done, (double)wanted, "runs");
    return !watch_interrupted();
}

static void on_warning(void *user, const ff_warning *warning, size_t row, size_t runs) {
    const places *p = user;
    watch_clear();
    warnings_of_runs(p->a, args_word(p->a, 0), warning, row, runs);
}

static int draw_all(const args *a, const ff_study *s, const char *folder) {
    ff_error error = {""};
    int status = 0;
    if (!ff_plot_possible()) {
        args_error(a,
                   "no pictures: gnuplot is not installed (Debian: apt-get install gnuplot-nox)");
        return 1;
    }
    for (size_t i = 0; i < s->figure_count && !status; i++) {
        if (s->figures[i].plot.curve_count) {
            char *path = path_of(folder, s->figures[i].id, ".svg");
            status = report_written(
                a, path, path ? ff_plot_write(&s->figures[i].plot, path, &error) : FF_OK, &error);
            free(path);
        }
    }
    return status;
}

static const char *const status_words[] = {"holds", "fails", "not reproduced"};

void study_claims_json(ff_json *j, const ff_study *s, const char *const statuses[]) {
    static const char *const relations[] = {"near", "at most", "at least"};
    ff_json_array(j, "claims");
    for (size_t i = 0; i < s->claim_count; i++) {
        const ff_claim *c = &s->claims[i];
        ff_json_object(j, NULL);
        ff_json_string(j, "figure", c->figure);
        ff_json_string(j, "where", c->where);
        ff_json_string(j, "quantity", c->quantity);
        ff_json_string(j, "unit", c->unit);
        ff_json_number(j, "value", c->value);
        ff_json_string(j, "relation", relations[c->relation]);
        ff_json_number(j, "expected", c->expected);
        ff_json_number(j, "tolerance", c->tolerance);
        ff_json_string(j, "why", c->why);
        ff_json_string(j, "note", c->status == FF_CLAIM_OTHERWISE ? c->otherwise : c->note);
        ff_json_string(j, "status", statuses[c->status]);
        ff_json_end(j);
    }
    ff_json_end(j);
}

static void print_json(const ff_study *s) {
    ff_json j = {.out = stdout};
    ff_json_object(&j, NULL);
    ff_json_string(&j, "title", s->title);
    ff_json_integer(&j, "failed", (long long)s->failed);
    study_claims_json(&j, s, status_words);
    ff_json_end(&j);
}

static void print_claims(const ff_study *s) {
    static const table_column columns[] = {{"claim", NULL},    {"quantity", NULL}, {"value", NULL},
                                           {"expected", NULL}, {"unit", NULL},     {"", NULL}};
    table t;
    table_init(&t, columns, sizeof columns / sizeof *columns);
    for (size_t i = 0; i < s->claim_count; i++) {
        const ff_claim *c = &s->claims[i];
        table_text(&t, c->where);
        table_text(&t, c->quantity);
        table_number(&t, c->value);
        table_number(&t, c->expected);
        table_text(&t, c->unit ? c->unit : "");
        table_text(&t, status_words[c->status]);
    }
    table_print(&t, stdout);
    table_clear(&t);
}

int study_command(const args *a) {
    static const char *const of_sweeps[] = {"samples", "points", "seed",  "set",
                                            "until",   "method", "dt",    "tol",
                                            "events",  "shard",  "merge", "plot"};
    ff_study_options o = ff_study_options_default();
    ff_study *study = NULL;
    ff_messages messages = {0};
    places p = {.a = a, .folder = args_text(a, "output")};
    const char *report = args_text(a, "report");
    study_page page;
    ff_error error = {""};
    args_want want = args_want_any(NULL);
    double threads;
    want.least = 1;
    want.most = FF_THREADS_MOST;
    want.fallback = 0;
    int status = args_refuse(a, of_sweeps, sizeof of_sweeps / sizeof *of_sweeps,
                             "is for sweeps with --vary, not for studies");
    status = status ? status : args_whole(a, "threads", &want, &threads);
    if (!status && report) {
        status = args_status(a, ff_page_check(report, &error), &error);
    }
    if (status) {
        return status;
    }
    if (p.folder && mkdir(p.folder, 0777) != 0 && errno != EEXIST) {
        args_error(a, "%s: %s", p.folder, strerror(errno));
        return 1;
    }
    if (report) {
        if (study_page_begin(&page, a)) {
            return 1;
        }
        p.page = &page;
    }
    o.path = args_word(a, 0);
    o.threads = (int)threads;
    o.user = &p;
    o.table = save_table;
    o.records = p.folder;
    o.progress = on_progress;
    o.warning = on_warning;
    watch_begin(args_given(a, "quiet"));
    const ff_status done = ff_study_run(&o, &study, &messages);
    watch_clear();
    status = scene_tell(a, o.path, done, &messages);
    if (done == FF_STOPPED && !p.status) {
        args_error(a, "interrupted%s", p.folder ? "; the same command resumes" : "");
        status = 1;
    }
    status = p.status ? p.status : status;
    if (study && args_given(a, "json")) {
        print_json(study);
    } else if (study && !args_given(a, "quiet")) {
        print_claims(study);
    }
    if (study && p.folder && !status) {
        status = draw_all(a, study, p.folder);
    }
    if (p.page) {
        const int written = study_page_end(&page, status ? NULL : study, report);
        if (study && !status && !written && !args_given(a, "quiet")) {
            fprintf(stderr, "wrote %s\n", report);
        }
        status = status ? status : written;
    }
    if (study && study->failed) {
        args_error(a, "%zu of %zu claims do not hold", study->failed, study->claim_count);
        status = 1;
    }
    ff_free(study);
    return status;
}
