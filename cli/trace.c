/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#define _POSIX_C_SOURCE 200809L
#include "trace.h"
#include "plot.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const char *const body_columns[] = {"x",  "y",  "z",  "qw", "qx", "qy", "qz",
                                           "vx", "vy", "vz", "wx", "wy", "wz"};
static const char *const contact_columns[] = {
    "touching",      "depth",         "rate", "point_x", "point_y", "point_z",
    "elastic_force", "viscous_force", "fx",   "fy",      "fz",      "slip_x",
    "slip_y",        "slip_z",        "u_x",  "u_y",     "u_z",     "slips"};
static const char *const ledger_columns[] = {
#define NAME(name) #name,
    FF_LEDGER_LIST(NAME)
#undef NAME
        "residual"};

enum {
    BODY = sizeof body_columns / sizeof *body_columns,
    CONTACT = sizeof contact_columns / sizeof *contact_columns,
    LEDGER = sizeof ledger_columns / sizeof *ledger_columns
};

static char *joined(const char *a, const char *b) {
    size_t size = strlen(a) + strlen(b) + 2;
    char *out = malloc(size);
    if (out) {
        snprintf(out, size, "%s:%s", a, b);
    }
    return out;
}

void trace_init(trace *t, const ff_model *model, double every, bool only_events) {
    *t = (trace){.model = model, .every = every, .only_events = only_events};
    size_t bodies = ff_model_body_count(model), contacts = ff_model_contact_count(model), n = 0;
    t->columns = 1 + bodies * BODY + contacts * CONTACT + LEDGER;
    t->names = calloc(t->columns, sizeof *t->names);
    if (!t->names) {
        return;
    }
    t->names[n++] = joined("t", "s");
    for (size_t i = 0; i < bodies; i++) {
        for (size_t j = 0; j < BODY; j++) {
            t->names[n++] = joined(ff_model_body_name(model, i), body_columns[j]);
        }
    }
    for (size_t i = 0; i < contacts; i++) {
        for (size_t j = 0; j < CONTACT; j++) {
            t->names[n++] = joined(ff_model_contact_name(model, i), contact_columns[j]);
        }
    }
    for (size_t j = 0; j < LEDGER; j++) {
        t->names[n++] = joined("ledger", ledger_columns[j]);
    }
}

void trace_clear(trace *t) {
    for (size_t i = 0; t->names && i < t->columns; i++) {
        free(t->names[i]);
    }
    free(t->names);
    free(t->values);
}

bool trace_known(const char *path) {
    size_t length = strlen(path);
    return length > 4 && strcmp(path + length - 4, ".csv") == 0;
}

static bool add_row(trace *t, const ff_sim *sim, double time) {
    if (t->rows == t->room) {
        t->room = t->room ? 2 * t->room : 256;
        double *more = realloc(t->values, t->room * t->columns * sizeof *more);
        if (!more) {
            return false;
        }
        t->values = more;
    }
    double *row = t->values + t->rows++ * t->columns;
    *row++ = time;
    for (size_t i = 0; i < ff_model_body_count(t->model); i++) {
        ff_motion m = ff_sim_body(sim, i);
        memcpy(row, m.position, sizeof m.position);
        memcpy(row + 3, m.orientation, sizeof m.orientation);
        memcpy(row + 7, m.velocity, sizeof m.velocity);
        memcpy(row + 10, m.omega, sizeof m.omega);
        row += BODY;
    }
    for (size_t i = 0; i < ff_model_contact_count(t->model); i++) {
        ff_contact_record c = ff_sim_contact(sim, i);
        double head[] = {c.touching, c.depth,    c.rate,    c.point[0],
                         c.point[1], c.point[2], c.elastic, c.viscous};
        memcpy(row, head, sizeof head);
        memcpy(row + 8, c.force, sizeof c.force);
        memcpy(row + 11, c.slip, sizeof c.slip);
        memcpy(row + 14, c.u, sizeof c.u);
        row[17] = c.slips;
        row += CONTACT;
    }
    ff_ledger l = ff_sim_ledger(sim);
#define VALUE(name) *row++ = l.name;
    FF_LEDGER_LIST(VALUE)
#undef VALUE
    *row = l.residual;
    return true;
}

bool trace_start(trace *t, const ff_sim *sim) {
    t->next = t->every;
    return t->only_events || add_row(t, sim, ff_sim_time(sim));
}

bool trace_step(trace *t, ff_sim *sim, bool event) {
    double now = ff_sim_time(sim);
    bool good = true;
    if (t->only_events) {
        return !event || add_row(t, sim, now);
    }
    if (!(t->every > 0)) {
        double last = t->rows ? t->values[(t->rows - 1) * t->columns] : now;
        int parts = t->fill > 0 && now > last ? (int)fmin(ceil((now - last) / t->fill), 1000) : 1;
        for (int i = 1; i < parts && good; i++) {
            double time = last + (now - last) * i / parts;
            ff_sim_observe(sim, time);
            good = add_row(t, sim, time);
        }
        ff_sim_observe(sim, NAN);
        return good && add_row(t, sim, now);
    }
    while (good && t->next <= now) {
        ff_sim_observe(sim, t->next);
        good = add_row(t, sim, t->next);
        t->next = t->every * (double)(t->rows);
    }
    ff_sim_observe(sim, NAN);
    return good;
}

int trace_write(const trace *t, const args *a, const char *path) {
    FILE *out = fopen(path, "w");
    if (!out) {
        args_error(a, "%s: %s", path, strerror(errno));
        return 1;
    }
    for (size_t i = 0; i < t->columns; i++) {
        fprintf(out, "%s%s", i ? "," : "", t->names[i]);
    }
    fputc('\n', out);
    for (size_t r = 0; r < t->rows; r++) {
        for (size_t i = 0; i < t->columns; i++) {
            fprintf(out, "%s%.17g", i ? "," : "", t->values[r * t->columns + i]);
        }
        fputc('\n', out);
    }
    bool bad = ferror(out);
    bad = fclose(out) != 0 || bad;
    if (bad) {
        args_error(a, "%s: cannot be written", path);
    } else {
        fprintf(stderr, "wrote %s\n", path);
    }
    return bad;
}

/* ---- pictures ---- */

typedef struct {
    const trace *t;
    const args *a;
    const char *folder;
} album;

/* one picture of the columns whose names end in one of `suffixes`, or of the ledger without */
static int draw(const album *book, const char *name, const char *title, const char *label,
                const char *const *suffixes, size_t count) {
    const trace *t = book->t;
    plot_curve *curves = calloc(t->columns, sizeof *curves);
    double *columns = malloc((t->columns * t->rows + 1) * sizeof *columns);
    size_t used = 0;
    int status = 1;
    if (curves && columns) {
        for (size_t c = 0; c < t->columns; c++) {
            for (size_t r = 0; r < t->rows; r++) {
                columns[c * t->rows + r] = t->values[r * t->columns + c];
            }
            const char *tail = strrchr(t->names[c], ':') + 1;
            /* the ledger is the picture without a list of suffixes; accounts that stay 0 are left out */
            bool ledger = strncmp(t->names[c], "ledger:", 7) == 0, wanted = ledger && !suffixes;
            for (size_t r = 1; wanted && r <= t->rows; r++) {
                if (r == t->rows || columns[c * t->rows + r] != columns[c * t->rows]) {
                    wanted = r < t->rows;
                    break;
                }
            }
            for (size_t s = 0; suffixes && s < count; s++) {
                wanted = wanted || (!ledger && strcmp(tail, suffixes[s]) == 0);
            }
            if (wanted) {
                curves[used++] = (plot_curve){ledger ? tail : t->names[c],
                                              columns,
                                              columns + c * t->rows,
                                              t->rows,
                                              PLOT_LINES,
                                              0};
            }
        }
        char path[1024], why[400];
        snprintf(path, sizeof path, "%s/%s", book->folder, name);
        status = used == 0 ? 0
                           : plot_write(&(plot){.title = title,
                                                .x_label = "time (s)",
                                                .y_label = label,
                                                .curves = curves,
                                                .curve_count = used},
                                        path, why, sizeof why);
        if (status) {
            args_error(book->a, "%s", why);
        } else if (used) {
            fprintf(stderr, "wrote %s\n", path);
        }
    }
    free(curves);
    free(columns);
    return status;
}

int trace_plot(const trace *t, const args *a, const char *folder) {
    static const char *const height[] = {"z"}, *const force[] = {"fx", "fy", "fz"},
                             *const slip[] = {"slip_x", "slip_y", "slip_z"},
                             *const state[] = {"touching", "slips"};
    const album book = {t, a, folder};
    if (mkdir(folder, 0777) != 0 && errno != EEXIST) {
        args_error(a, "%s: %s", folder, strerror(errno));
        return 1;
    }
    int status = draw(&book, "height.svg", "Height", "z (m)", height, 1);
    status = status ? status : draw(&book, "force.svg", "Contact force", "force (N)", force, 3);
    status = status ? status : draw(&book, "slip.svg", "Slip velocity", "velocity (m/s)", slip, 3);
    status = status ? status
                    : draw(&book, "state.svg", "Contact (1: force acts; 1: slips)", "", state, 2);
    status = status ? status : draw(&book, "energy.svg", "Energy ledger", "energy (J)", NULL, 0);
    return status;
}
