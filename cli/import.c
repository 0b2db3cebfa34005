/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#define _POSIX_C_SOURCE 200809L
#include "args.h"
#include "commands.h"
#include "scene.h"
#include <errno.h>
#include <footfall/footfall.h>
#include <footfall/source.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

static const args_option options[] = {
    {"scene", "SCENE", NULL, "the scene that was exported", false, 0},
    {"set", "PATH=VALUE", NULL, "another value for a key of the scene, as when it was exported",
     true, 0},
    {"dt", "H", "s",
     "the step of LAMMPS, for dumps without times; default: that of a scene with fixed steps",
     false, 0},
    {"output", "OUT", NULL, "the trace, .h5 or .csv; default: the name of the dump with .h5", false,
     'o'},
};

static const args_command command = {
    .name = "import",
    .usage = "lammps DUMP --scene SCENE [options]",
    .summary =
        "Reads a dump of LAMMPS back into a trace: positions, velocities and angular velocities of "
        "the bodies of a scene that `footfall export lammps` wrote. `footfall report` makes the "
        "page of it. LAMMPS knows neither the orientation of spheres nor the energy ledger: "
        "orientations are as at the start, and accounts are NAN.",
    .examples = "footfall import lammps funnel.dump --scene scenes/funnel.yaml -o lammps.h5",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .words_least = 2,
    .words_most = 2,
};

/* Kinds of columns of a dump. */
enum { ID, X, Y, Z, VX, VY, VZ, WX, WY, WZ, KINDS };

enum { COLUMNS_MOST = 100 };

typedef struct dump {
    const args *a;
    const char *path;
    FILE *file;
    char *line;
    size_t room, number; /* of the last line */
    size_t bodies;
    double dt, last; /* last: time of the frame before, s */
    bool *seen;
    ff_motion *start;
} dump;

/* The next line without its line break; NULL at the end of the file. */
static char *next_line(dump *d) {
    const ssize_t length = getline(&d->line, &d->room, d->file);
    if (length < 0) {
        return NULL;
    }
    d->number++;
    d->line[strcspn(d->line, "\r\n")] = '\0';
    return d->line;
}

__attribute__((format(printf, 3, 4))) static ff_status refuse(const dump *d, ff_error *error,
                                                              const char *format, ...) {
    va_list list;
    char text[160];
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    snprintf(error->text, sizeof error->text, "%.60s:%zu: %s", d->path, d->number, text);
    return FF_BAD_VALUE;
}

static ff_status cut_off(const dump *d, ff_error *error) {
    return refuse(d, error, "the dump ends within a frame");
}

/* Reads a finite number at the start of a text; *end points behind it. */
static bool read_number(const char *text, char **end, double *out) {
    *out = strtod(text, end);
    return *end != text && isfinite(*out);
}

/* Reads the column names of a frame; unwrapped coordinates are accepted too. */
static ff_status read_names(const dump *d, const char *names, int of_column[COLUMNS_MOST],
                            size_t *count, ff_error *error) {
    static const char *const known[KINDS] = {"id", "x",  "y",      "z",      "vx",
                                             "vy", "vz", "omegax", "omegay", "omegaz"};
    bool there[KINDS] = {false};
    *count = 0;
    for (const char *at = names + strspn(names, " "); *at; at += strspn(at, " ")) {
        const size_t length = strcspn(at, " ");
        if (*count == COLUMNS_MOST) {
            return refuse(d, error, "more than %d columns", COLUMNS_MOST);
        }
        of_column[*count] = KINDS;
        for (int k = 0; k < KINDS; k++) {
            const bool same = strlen(known[k]) == length && strncmp(at, known[k], length) == 0;
            const bool unwrapped =
                k >= X && k <= Z && length == 2 && at[0] == known[k][0] && at[1] == 'u';
            if (same || unwrapped) {
                of_column[*count] = k;
                there[k] = true;
            }
        }
        ++*count;
        at += length;
    }
    for (int k = 0; k < KINDS; k++) {
        if (!there[k]) {
            return refuse(
                d, error,
                "there is no column '%s' (wanted are id x y z vx vy vz omegax omegay omegaz)",
                known[k]);
        }
    }
    return FF_OK;
}

/* Reads the bodies of a frame, each exactly once. */
static ff_status read_atoms(dump *d, const char *names, ff_motion *bodies, ff_error *error) {
    int of_column[COLUMNS_MOST];
    size_t columns;
    ff_status status = read_names(d, names, of_column, &columns, error);
    memset(d->seen, 0, d->bodies * sizeof *d->seen);
    for (size_t i = 0; i < d->bodies && status >= 0; i++) {
        const char *at = next_line(d);
        double values[KINDS] = {0};
        if (!at) {
            return cut_off(d, error);
        }
        for (size_t c = 0; c < columns && status >= 0; c++) {
            double value;
            char *end;
            if (!read_number(at, &end, &value) || (*end && *end != ' ')) {
                /* the last line of a truncated dump has no line break */
                return feof(d->file) ? cut_off(d, error)
                                     : refuse(d, error, "'%.40s' is not a number", at);
            }
            if (of_column[c] < KINDS) {
                values[of_column[c]] = value;
            }
            at = end + strspn(end, " ");
        }
        const double id = values[ID];
        if (!(id >= 1 && id <= (double)d->bodies && id == floor(id))) {
            return refuse(d, error, "there is no body %g: the scene has %zu", id, d->bodies);
        }
        const size_t body = (size_t)id - 1;
        if (d->seen[body]) {
            return refuse(d, error, "body %zu is there twice", body + 1);
        }
        d->seen[body] = true;
        bodies[body] = d->start[body];
        memcpy(bodies[body].position, values + X, sizeof bodies->position);
        memcpy(bodies[body].velocity, values + VX, sizeof bodies->velocity);
        memcpy(bodies[body].omega, values + WX, sizeof bodies->omega);
    }
    return status;
}

/* Reads one frame: items in any order, atoms last. FF_STOPPED if there are no more. */
static ff_status read_frame(void *user, size_t row, double *time, ff_motion *bodies,
                            ff_error *error) {
    dump *d = user;
    double step = NAN, count = NAN, value;
    size_t stamp = 0; /* line of the time, or of the step without it */
    char *end;
    *time = NAN;
    while (next_line(d)) {
        char *item = d->line;
        if (strncmp(item, "ITEM: ", 6) != 0) {
            return refuse(d, error, "'%.40s' is not ITEM: of a dump of LAMMPS", item);
        }
        if (strncmp(item, "ITEM: ATOMS", 11) == 0) {
            if (isnan(step) || isnan(count)) {
                return refuse(d, error, "a frame without TIMESTEP or NUMBER OF ATOMS");
            }
            if (count != (double)d->bodies) {
                return refuse(d, error, "%g atoms: the scene has %zu bodies", count, d->bodies);
            }
            *time = isnan(*time) ? step * d->dt : *time;
            if (isnan(*time)) {
                return refuse(d, error, "no time in the dump and no step in the scene: give --dt");
            }
            if (row > 0 && !(*time > d->last)) {
                d->number = stamp;
                return refuse(d, error,
                              "the time %.9g s is not later than %.9g s of the frame before", *time,
                              d->last);
            }
            d->last = *time;
            return read_atoms(d, item + 11, bodies, error);
        }
        double *const wanted = strcmp(item, "ITEM: TIMESTEP") == 0          ? &step
                               : strcmp(item, "ITEM: TIME") == 0            ? time
                               : strcmp(item, "ITEM: NUMBER OF ATOMS") == 0 ? &count
                                                                            : NULL;
        const bool bounds = strncmp(item, "ITEM: BOX BOUNDS", 16) == 0,
                   units = strcmp(item, "ITEM: UNITS") == 0;
        if (!wanted && !bounds && !units) {
            return refuse(d, error, "unknown '%.60s'", item);
        }
        for (int lines = bounds ? 3 : 1; lines > 0; lines--) {
            if (!next_line(d)) {
                return cut_off(d, error);
            }
        }
        if (units && strcmp(d->line, "si") != 0) {
            return refuse(d, error, "units are '%.20s', not si", d->line);
        }
        if (wanted && (!read_number(d->line, &end, &value) || *end)) {
            return refuse(d, error, "'%.40s' is not a number", d->line);
        }
        if (wanted) {
            stamp = wanted == time || (wanted == &step && isnan(*time)) ? d->number : stamp;
            *wanted = value;
        }
    }
    return isnan(step) && isnan(count) && isnan(*time) ? FF_STOPPED : cut_off(d, error);
}

/* The default name of the trace: next to the dump. */
static char *default_name(const char *path) {
    const char *dot = strrchr(path, '.'), *slash = strrchr(path, '/');
    const int length = (int)(dot && (!slash || dot > slash) ? (size_t)(dot - path) : strlen(path));
    const size_t room = (size_t)length + 4;
    char *out = malloc(room);
    if (out) {
        snprintf(out, room, "%.*s.h5", length, path);
    }
    return out;
}

static int convert(dump *d, ff_scene *scene, const char *source, const char *output) {
    const args *a = d->a;
    ff_model *model = NULL;
    ff_sim *sim = NULL;
    ff_trace *trace = NULL;
    ff_error error = {""};
    ff_run_options o = *ff_scene_run(scene);
    char *line = args_line(a), *printed = scene_print(a, scene, source, &o);
    ff_status status = ff_model_create(scene, &model, &error);
    status = status < 0 ? status : ff_sim_create(model, NULL, &sim, &error);
    if (status >= 0) {
        d->bodies = ff_model_body_count(model);
        d->seen = calloc(d->bodies + 1, sizeof *d->seen);
        d->start = calloc(d->bodies + 1, sizeof *d->start);
        status = d->seen && d->start && line && printed ? FF_OK : FF_NO_MEMORY;
    }
    if (status >= 0) {
        ff_sim_bodies(sim, d->start, d->bodies);
        ff_trace_options t = ff_trace_options_default();
        t.path = output;
        t.name = args_text(a, "scene");
        t.source = source;
        t.scene = printed;
        t.command = line;
        t.replay = read_frame;
        t.user = d;
        status = ff_sim_record(sim, o.until, &t, &trace, &error);
        const size_t rows = trace ? ff_trace_row_count(trace) : 0;
        if (rows > 0) {
            fprintf(stderr, "wrote %s: %zu frames of %zu bodies\n", output, rows, d->bodies);
        } else if (status >= 0) {
            status = refuse(d, &error, "there is no frame in it");
        }
    }
    const int told = args_status(a, status, &error);
    ff_trace_free(trace);
    ff_sim_free(sim);
    ff_model_free(model);
    ff_free(printed);
    free(line);
    free(d->seen);
    free(d->start);
    return told;
}

int command_import(int argc, char **argv) {
    args a;
    ff_error error = {""};
    int status = args_parse(&a, &command, argc, argv);
    if (status) {
        return status == ARGS_HELP ? 0 : status;
    }
    if (strcmp(args_word(&a, 0), "lammps") != 0) {
        return args_error(&a, "unknown '%.60s' (there is: lammps)", args_word(&a, 0));
    }
    const char *path = args_word(&a, 1), *scene_path = args_text(&a, "scene");
    if (!scene_path) {
        return args_error(&a, "option '--scene' is missing: the scene that was exported");
    }
    dump d = {.a = &a, .path = path, .dt = (double)NAN};
    char *beside = default_name(path), *text = NULL;
    const char *output = args_given(&a, "output") ? args_text(&a, "output") : beside;
    ff_scene *scene = NULL;
    status = beside ? args_status(&a, ff_trace_check(output, &error), &error)
                    : args_error(&a, "out of memory");
    status = status ? status : scene_read(&a, scene_path, INFINITY, &scene, &text);
    if (!status) {
        const ff_run_options *o = ff_scene_run(scene);
        args_want want = args_want_any(NULL);
        want.least = FF_POSITIVE;
        want.fallback = o->method == FF_VERLET || o->method == FF_EULER ||
                                o->method == FF_SEMI_IMPLICIT || o->method == FF_HEUN ||
                                o->method == FF_RK4
                            ? o->dt
                            : 0;
        status = args_number(&a, "dt", &want, &d.dt);
        d.dt = d.dt > 0 ? d.dt : (double)NAN;
    }
    if (!status) {
        d.file = fopen(path, "r");
        if (!d.file) {
            status = args_error(&a, "%s: %s", path, strerror(errno));
        }
    }
    status = status ? status : convert(&d, scene, text, output);
    if (d.file) {
        fclose(d.file);
    }
    free(d.line);
    ff_scene_free(scene);
    ff_free(text);
    free(beside);
    return status;
}
