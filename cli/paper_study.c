/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "papers.h"
#include <stdlib.h>
#include <string.h>

/* Papers whose figures and claims are in papers/NAME/study.yaml. */

static const char *find_text(const char *paper_name, const char *file) {
    const size_t length = strlen(paper_name);
    for (const paper_file *f = paper_files; f->name; f++) {
        if (strncmp(f->name, paper_name, length) == 0 && f->name[length] == '/' &&
            strcmp(f->name + length + 1, file) == 0) {
            return f->text;
        }
    }
    return NULL;
}

/* Finds a file next to the study of a paper. */
static const char *find_file(void *user, const char *name) {
    return find_text(((const paper *)user)->name, name);
}

/* Runs what a figure needs ("": nothing). On failure the reason is in `why`. */
static ff_study *run_study(const paper *p, const char *figure, char *why, size_t size) {
    ff_study_options o = ff_study_options_default();
    ff_study *study = NULL;
    ff_messages messages = {0};
    char path[120];
    snprintf(path, sizeof path, "papers/%s/study.yaml", p->name);
    o.path = path;
    o.text = find_text(p->name, "study.yaml");
    o.figure = figure;
    /* each figure has its own process */
    o.threads = 1;
    o.user = (void *)p;
    o.file = find_file;
    const ff_status status = o.text ? ff_study_run(&o, &study, &messages) : FF_MISSING;
    if (status < 0 && messages.count) {
        ff_message_format(&messages.at[0], why, size);
    } else if (status < 0) {
        snprintf(why, size, "%s: %s", path, ff_status_text(status));
    }
    ff_messages_clear(&messages);
    return study;
}

static const check_relation relations[] = {[FF_CLAIM_NEAR] = CHECK_NEAR,
                                           [FF_CLAIM_AT_MOST] = CHECK_AT_MOST,
                                           [FF_CLAIM_AT_LEAST] = CHECK_AT_LEAST};

/* Draws a figure of a paper's study, and checks the claims about it. */
static void make(paper_job *job) {
    const char *id = job_figure(job)->id;
    char why[400];
    ff_study *s = run_study(job_paper(job), id, why, sizeof why);
    if (!s) {
        job_fail(job, "%s", why);
    }
    for (size_t i = 0; i < s->figure_count; i++) {
        const ff_plot *plot = &s->figures[i].plot;
        for (size_t k = 0; k < plot->curve_count && strcmp(s->figures[i].id, id) == 0; k++) {
            const ff_plot_curve *from = &plot->curves[k];
            if (from->style > FF_PLOT_DOTTED) {
                job_fail(job, "figures of papers are lines and points");
            }
            paper_curve *c = from->name ? job_curve(job, from->style, "%s", from->name)
                                        : job_curve(job, from->style, NULL);
            curve_colour(c, from->colour);
            for (size_t n = 0; n < from->count; n++) {
                curve_point(c, from->x[n], from->y[n]);
            }
        }
    }
    for (size_t i = 0; i < s->claim_count; i++) {
        const ff_claim *c = &s->claims[i];
        if (c->figure && strcmp(c->figure, id) == 0) {
            job_check(job, &(check){.where = c->where,
                                    .quantity = c->quantity,
                                    .unit = c->unit,
                                    .relation = relations[c->relation],
                                    .value = c->value,
                                    .expected = c->expected,
                                    .tolerance = c->tolerance,
                                    .why = c->why,
                                    .note = c->note,
                                    .otherwise = c->otherwise,
                                    .instead = c->instead,
                                    .instead_within = c->instead_within});
        }
    }
    ff_free(s);
}

/* The figure of this name among those that a paper computes in C; NULL if it comes from the study. */
static const paper_figure *own_figure(const paper *p, const char *id) {
    for (size_t i = 0; i < p->figure_count; i++) {
        if (strcmp(p->figures[i].id, id) == 0) {
            return &p->figures[i];
        }
    }
    return NULL;
}

bool paper_study_load(paper *p, char *why, size_t size) {
    ff_study *s = run_study(p, "", why, size);
    paper_figure *figures = s ? calloc(s->figure_count + 1, sizeof *figures) : NULL;
    for (size_t i = 0; figures && i < s->figure_count; i++) {
        const ff_figure *f = &s->figures[i];
        const paper_figure *own = own_figure(p, f->id);
        figures[i] = (paper_figure){.id = f->id,
                                    .title = f->title,
                                    .caption = f->caption,
                                    .chosen = f->chosen,
                                    .x_label = f->plot.x_label,
                                    .y_label = f->plot.y_label,
                                    .x_log = f->plot.x_log,
                                    .y_log = f->plot.y_log,
                                    .equal = f->plot.equal,
                                    .make = own ? own->make : make,
                                    .slow = own && own->slow};
    }
    if (figures) {
        /* texts are valid until the command ends */
        p->title = s->title;
        p->figures = figures;
        p->figure_count = s->figure_count;
    }
    return figures;
}
