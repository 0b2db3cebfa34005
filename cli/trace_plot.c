/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#define _POSIX_C_SOURCE 200809L
#include "plot.h"
#include "trace.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* more lines than that cannot be told apart: three for each of twenty contacts */
enum { curves_most = 60 };

/* A picture of some columns, those of which `wanted` is true; none where there are none. The exit status. */
typedef bool trace_wanted(const ff_field *field, const trace_words *words, size_t part,
                          const void *user);

static int draw(const trace *t, const args *a, const char *folder, const char *name,
                const char *title, const char *label, trace_wanted *wanted, const void *user) {
    plot_curve curves[curves_most];
    double *values = malloc((curves_most + 1) * (t->rows + 1) * sizeof *values);
    char(*names)[TRACE_NAME] = calloc(curves_most, sizeof *names), path[1024], why[400];
    size_t used = 0, left_out = 0;
    int status = values && names ? 0 : 1;
    for (size_t r = 0; r < t->rows && !status; r++) {
        values[r] = t->values[r * t->columns];
    }
    for (size_t i = 1; i < t->set_count && !status; i++) {
        const trace_set *s = &t->sets[i];
        const ff_field f = trace_field(t, i);
        trace_words w;
        trace_split(&f, &w);
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
            /* accounts that stay as they are are left out, and their names go without `ledger` */
            bool ledger = strcmp(w.folder, "ledger") == 0;
            if (ledger && !moves) {
                continue;
            }
            if (ledger) {
                snprintf(names[used], sizeof *names, "%s", w.name);
            } else {
                trace_column_name(&f, part, names[used], sizeof *names);
            }
            curves[used] = (plot_curve){.name = names[used], .x = values, .y = y, .count = t->rows};
            used++;
        }
    }
    snprintf(path, sizeof path, "%s/%s", folder, name);
    if (!status && used) {
        status = plot_write(&(plot){.title = title,
                                    .x_label = "time (s)",
                                    .y_label = label,
                                    .curves = curves,
                                    .curve_count = used},
                            path, why, sizeof why);
        if (status) {
            args_error(a, "%s", why);
        } else if (left_out) {
            fprintf(stderr, "wrote %s: the first %zu of %zu lines\n", path, used, used + left_out);
        } else {
            fprintf(stderr, "wrote %s\n", path);
        }
    }
    free(values);
    free(names);
    return status;
}

static bool of_ledger(const ff_field *field, const trace_words *words, size_t part,
                      const void *user) {
    (void)field, (void)part, (void)user;
    return strcmp(words->folder, "ledger") == 0;
}

static int draw_energy(const trace *t, const args *a, const char *folder) {
    return draw(t, a, folder, "energy.svg", "Energy ledger", "energy (J)", of_ledger, NULL);
}

static int make_folder(const args *a, const char *folder) {
    if (mkdir(folder, 0777) == 0 || errno == EEXIST) {
        return 0;
    }
    args_error(a, "%s: %s", folder, strerror(errno));
    return 1;
}

/* ---- runs of scenes ---- */

typedef struct {
    const char *name, *title, *label, *folder, *columns[7]; /* columns: up to a NULL */
} picture;

static bool is_in(const ff_field *field, const trace_words *words, size_t part, const void *user) {
    const picture *p = user;
    bool found = false;
    for (size_t i = 0; p->columns[i]; i++) {
        found = found || strcmp(field->parts[part], p->columns[i]) == 0;
    }
    return found && strcmp(words->folder, p->folder) == 0;
}

static int plot_scene(const trace *t, const args *a, const char *folder) {
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
    int status = 0;
    for (size_t i = 0; i < sizeof pictures / sizeof *pictures && !status; i++) {
        const picture *p = &pictures[i];
        status = draw(t, a, folder, p->name, p->title, p->label, is_in, p);
    }
    return status;
}

/* ---- runs of inclusions ---- */

/* what a picture shows: a field of forces, or what has these units in a folder */
typedef struct {
    const char *folder, *name, *units;
} choice;

static bool chosen(const ff_field *field, const trace_words *words, size_t part, const void *user) {
    const choice *c = user;
    (void)part;
    return (!c->folder || strcmp(words->folder, c->folder) == 0) &&
           (!c->name || (*words->owner && strcmp(words->name, c->name) == 0)) &&
           (!c->units || strcmp(field->unit, c->units) == 0);
}

static bool is_in_folder(const ff_field *field, const char *folder, const char *units) {
    trace_words w;
    trace_split(field, &w);
    return chosen(field, &w, 0, &(choice){.folder = folder, .units = units});
}

/* States or outputs, a picture for each unit: `states-m_s.svg` has those in m/s. */
static int draw_by_units(const trace *t, const args *a, const char *folder, const char *what,
                         const char *title) {
    int status = 0;
    for (size_t i = 1; i < t->set_count && !status; i++) {
        const ff_field f = trace_field(t, i);
        const char *units = f.unit;
        bool first = is_in_folder(&f, what, units);
        for (size_t j = 1; j < i && first; j++) {
            const ff_field before = trace_field(t, j);
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
            status = draw(t, a, folder, name, title, label, chosen,
                          &(choice){.folder = what, .units = units});
        }
    }
    return status;
}

static int plot_inclusion(const trace *t, const args *a, const char *folder) {
    static const struct {
        const char *name, *title, *label;
        choice of;
    } pictures[] = {{"gap.svg", "Gaps", "gap (m)", {.name = "gap"}},
                    {"force.svg", "Forces", "force (N)", {.name = "force"}},
                    {"slip.svg", "Slip velocities", "velocity (m/s)", {.name = "slip"}},
                    {"touching.svg", "Contacts (1: force acts)", "", {.name = "touching"}},
                    {"slipping.svg", "Frictions (1: slips)", "", {.name = "slips"}}};
    int status = draw_by_units(t, a, folder, "states", "States");
    status = status ? status : draw_by_units(t, a, folder, "outputs", "Outputs");
    for (size_t i = 0; i < sizeof pictures / sizeof *pictures && !status; i++) {
        status = draw(t, a, folder, pictures[i].name, pictures[i].title, pictures[i].label, chosen,
                      &pictures[i].of);
    }
    return status;
}

int trace_plot(const trace *t, const args *a, const char *folder) {
    int status = make_folder(a, folder);
    if (!status) {
        status =
            ff_model_inclusion(t->model) ? plot_inclusion(t, a, folder) : plot_scene(t, a, folder);
    }
    return status ? status : draw_energy(t, a, folder);
}
