/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#define _POSIX_C_SOURCE 200809L
#include "num/memory.h"
#include "trace/trace.h"
#include <errno.h>
#include <footfall/report.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* most lines that can be distinguished: three for each of twenty contacts */
enum { curves_most = 60 };

/* Draws the columns for which `wanted` is true; nothing if there are none. */
typedef bool wanted_columns(const ff_field *field, const ff_trace_words *words, size_t part,
                            const void *user);

/* The folder of pictures, and the callback for each of them. */
typedef struct {
    const ff_trace *t;
    const char *folder;
    void (*wrote)(void *user, const char *path, size_t lines, size_t left_out);
    void *user;
    ff_error *error;
} album;

static ff_status draw(const album *to, const char *name, const char *title, const char *label,
                      wanted_columns *wanted, const void *user) {
    const ff_trace *t = to->t;
    ff_plot_curve curves[curves_most];
    double *values = ff_malloc((curves_most + 1) * (t->rows + 1) * sizeof *values);
    char(*names)[FF_TRACE_NAME] = ff_calloc(curves_most, sizeof *names), path[1024];
    size_t used = 0, left_out = 0;
    ff_status status =
        values && names ? FF_OK : ff_trace_refuse(to->error, FF_NO_MEMORY, "out of memory");
    for (size_t r = 0; r < t->rows && status >= 0; r++) {
        values[r] = t->values[r * t->columns];
    }
    for (size_t i = 1; i < t->set_count && status >= 0; i++) {
        const ff_trace_set *s = &t->sets[i];
        const ff_field f = ff_trace_field(t, i);
        ff_trace_words w;
        ff_trace_split(&f, &w);
        for (size_t part = 0; part < s->width; part++) {
            if (!wanted(&f, &w, part, user)) {
                continue;
            }
            if (used == curves_most) {
                left_out++;
                continue;
            }
            double *y = values + (used + 1) * t->rows;
            bool moves = false;
            for (size_t r = 0; r < t->rows; r++) {
                y[r] = t->values[r * t->columns + s->at + part];
                moves = moves || y[r] > y[0] || y[r] < y[0];
            }
            /* constant accounts are omitted, and names appear without `ledger` */
            bool ledger = strcmp(w.folder, "ledger") == 0;
            if (ledger && !moves) {
                continue;
            }
            if (ledger) {
                snprintf(names[used], sizeof *names, "%s", w.name);
            } else {
                ff_trace_column_name(&f, part, names[used], sizeof *names);
            }
            curves[used] =
                (ff_plot_curve){.name = names[used], .x = values, .y = y, .count = t->rows};
            used++;
        }
    }
    snprintf(path, sizeof path, "%s/%s", to->folder, name);
    if (status >= 0 && used) {
        status = ff_plot_write(&(ff_plot){.title = title,
                                          .x_label = "time (s)",
                                          .y_label = label,
                                          .curves = curves,
                                          .curve_count = used},
                               path, to->error);
        if (status >= 0 && to->wrote) {
            to->wrote(to->user, path, used, left_out);
        }
    }
    ff_free(values);
    ff_free(names);
    return status;
}

static bool of_ledger(const ff_field *field, const ff_trace_words *words, size_t part,
                      const void *user) {
    (void)field, (void)part, (void)user;
    return strcmp(words->folder, "ledger") == 0;
}

/* ---- runs of scenes ---- */

typedef struct {
    const char *name, *title, *label, *folder, *columns[7]; /* columns: up to a NULL */
} picture;

static bool is_in(const ff_field *field, const ff_trace_words *words, size_t part,
                  const void *user) {
    const picture *p = user;
    const char *name = field->parts[part]; /* NULL: a controller state has no part names */
    bool found = false;
    for (size_t i = 0; name && p->columns[i]; i++) {
        found = found || strcmp(name, p->columns[i]) == 0;
    }
    return found && strcmp(words->folder, p->folder) == 0;
}

static ff_status plot_scene(const album *to) {
    static const picture pictures[] = {
        {"height.svg", "Height", "z (m)", "bodies", {"z"}},
        {"force.svg", "Contact force", "force (N)", "contacts", {"fx", "fy", "fz"}},
        {"slip.svg", "Slip velocity", "velocity (m/s)", "contacts", {"slip_x", "slip_y", "slip_z"}},
        {"state.svg", "Contact (1: force acts; 1: slips)", "", "contacts", {"touching", "slips"}},
        {"joints.svg",
         "Joints",
         "angle (rad), distance (m)",
         "joints",
         {"angle", "angle1", "angle2", "distance", "way1", "way2"}}};
    ff_status status = FF_OK;
    for (size_t i = 0; i < sizeof pictures / sizeof *pictures && status >= 0; i++) {
        const picture *p = &pictures[i];
        status = draw(to, p->name, p->title, p->label, is_in, p);
    }
    return status;
}

/* ---- runs of inclusions ---- */

/* content of a picture: a field of forces, or fields of a folder with these units */
typedef struct {
    const char *folder, *name, *units;
} choice;

static bool chosen(const ff_field *field, const ff_trace_words *words, size_t part,
                   const void *user) {
    const choice *c = user;
    (void)part;
    return (!c->folder || strcmp(words->folder, c->folder) == 0) &&
           (!c->name || (*words->owner && strcmp(words->name, c->name) == 0)) &&
           (!c->units || strcmp(field->unit, c->units) == 0);
}

static bool is_in_folder(const ff_field *field, const char *folder, const char *units) {
    ff_trace_words w;
    ff_trace_split(field, &w);
    return chosen(field, &w, 0, &(choice){.folder = folder, .units = units});
}

/* Draws states or outputs, one picture for each unit: `states-m_s.svg` has those in m/s. */
static ff_status draw_by_units(const album *to, const char *what, const char *title) {
    const ff_trace *t = to->t;
    ff_status status = FF_OK;
    for (size_t i = 1; i < t->set_count && status >= 0; i++) {
        const ff_field f = ff_trace_field(t, i);
        const char *units = f.unit;
        bool first = is_in_folder(&f, what, units);
        for (size_t j = 1; j < i && first; j++) {
            const ff_field before = ff_trace_field(t, j);
            first = !is_in_folder(&before, what, units);
        }
        if (first) {
            char name[FF_FIELD_UNIT + 32], label[FF_FIELD_UNIT + 32] = "value";
            if (*units) {
                snprintf(label, sizeof label, "value (%s)", units);
            }
            snprintf(name, sizeof name, "%s%s%s.svg", what, *units ? "-" : "", units);
            for (char *c = name; *c; c++) {
                *c = strchr("/ ^", *c) ? '_' : *c;
            }
            status =
                draw(to, name, title, label, chosen, &(choice){.folder = what, .units = units});
        }
    }
    return status;
}

static ff_status plot_inclusion(const album *to) {
    static const struct {
        const char *name, *title, *label;
        choice of;
    } pictures[] = {{"gap.svg", "Gaps", "gap (m)", {.name = "gap"}},
                    {"force.svg", "Forces", "force (N)", {.name = "force"}},
                    {"slip.svg", "Slip velocities", "velocity (m/s)", {.name = "slip"}},
                    {"touching.svg", "Contacts (1: force acts)", "", {.name = "touching"}},
                    {"slipping.svg", "Frictions (1: slips)", "", {.name = "slips"}}};
    ff_status status = draw_by_units(to, "states", "States");
    status = status < 0 ? status : draw_by_units(to, "outputs", "Outputs");
    for (size_t i = 0; i < sizeof pictures / sizeof *pictures && status >= 0; i++) {
        status = draw(to, pictures[i].name, pictures[i].title, pictures[i].label, chosen,
                      &pictures[i].of);
    }
    return status;
}

ff_status ff_trace_plot(const ff_trace *t, const char *folder,
                        void (*wrote)(void *user, const char *path, size_t lines, size_t left_out),
                        void *user, ff_error *error) {
    ff_trace *loaded = NULL;
    ff_status status = FF_OK;
    if (t->saved) {
        status = ff_trace_load(t, SIZE_MAX, FF_PICTURE_BODIES, &loaded, error);
    } else if (t->rows == 0 || !t->values) {
        status = ff_trace_refuse(error, FF_MISSING, "there are no rows to plot");
    }
    if (status >= 0 && mkdir(folder, 0777) != 0 && errno != EEXIST) {
        status = ff_trace_refuse(error, FF_NOT_WRITTEN, "%s: %s", folder, strerror(errno));
    }
    const album to = {loaded ? loaded : t, folder, wrote, user, error};
    if (status >= 0) {
        status = ff_trace_is_inclusion(t) ? plot_inclusion(&to) : plot_scene(&to);
    }
    if (status >= 0) {
        status = draw(&to, "energy.svg", "Energy ledger", "energy (J)", of_ledger, NULL);
    }
    ff_trace_free(loaded);
    return status;
}
