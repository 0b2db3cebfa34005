/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#define _POSIX_C_SOURCE 200809L
#include "args.h"
#include "commands.h"
#include "mpi_team.h"
#include "scene.h"
#include "study.h"
#include "sweep_page.h"
#include "table.h"
#include "warnings.h"
#include "watch.h"
#include <errno.h>
#include <footfall/footfall.h>
#include <footfall/source.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static const args_option options[] = {
    {"vary", "PATH=RANGE", NULL,
     "a parameter and its values: 0.1,0.2,0.5, FROM:TO:COUNT, FROM:TO:COUNTlog, or a distribution: "
     "uniform(A, B), loguniform(A, B), normal(MEAN, SD), lognormal(MEDIAN, SD)",
     true, 0},
    {"keep", "EXPR", NULL,
     "a number to keep of each run, as max(contacts.ball/floor.force), end(x), at(touchdown 3, x), "
     "first(t, x < 0.2 m), count(slip); NAME=EXPR names it",
     true, 0},
    {"samples", "N", "1", "how often parameters with distributions are drawn", false, 0},
    {"points", "random|latin|sobol", NULL, "how their values are drawn; default: random", false, 0},
    {"seed", "N", "1", "another seed gives other samples; default: 0", false, 0},
    {"stop", "EVENT", NULL,
     "an event that ends a run early, such as 'falling hip' or 'touchdown ball/floor 3'; up to "
     "four",
     true, 0},
    {"set", "PATH=VALUE", NULL, "another value for a key of the file, for all runs", true, 0},
    {"until", "T", "s", "end of each run; default: the file's", false, 0},
    {"method", "M", NULL, "as for `footfall run`; default: the file's", false, 0},
    {"dt", "H", "s", "step size of fixed-step methods; default: the file's", false, 0},
    {"tol", "R", "1", "relative tolerance; default: the file's", false, 0},
    {"events", "WORD", NULL, "located, or none; default: the file's", false, 0},
    {"threads", "N", "1",
     "runs at once; default: as many as there are cores. Results do not depend on it", false, 0},
    {"output", "OUT", NULL,
     "write the table, .csv or .h5; until it is complete, runs are kept in OUT.part, and the same "
     "command resumes",
     false, 'o'},
    {"shard", "I/N", NULL, "do part I of N only, and keep it in OUT.partI-N", false, 0},
    {"mpi", "", "",
     "share the runs among the processes that mpirun or srun has started; each keeps its own in "
     "OUT.part.rankI, with one thread unless --threads says more",
     false, 0},
    {"merge", "", "", "run nothing: write OUT from all of OUT.part*", false, 0},
    {"plot", "DIR", NULL,
     "draw what is kept against the first parameter into a folder, a curve for each value of "
     "others",
     false, 0},
    {"report", "OUT.html", NULL,
     "write a page with charts, heat maps and histograms of what is kept, sliders over the grid, "
     "and two runs side by side",
     false, 0},
    {"json", "", "", "print one JSON object", false, 0},
    {"quiet", "", "", "print nothing but what is wrong, and what --json asks for", false, 'q'},
};

static const args_command command = {
    .name = "sweep",
    .usage = "FILE --vary PATH=RANGE... --keep EXPR... [options] | STUDY.yaml [-o DIR] [--report "
             "PAGE.html]",
    .summary =
        "Runs a scene or a differential inclusion for many values of its parameters, on all cores, "
        "and keeps a few numbers of each run. Ranges are combined as a grid; parameters with a "
        "distribution are sampled. A run that fails is a row with its reason. Results are the same "
        "bits for any number of threads, parts and processes. A study, a file with `tables`, "
        "`figures` and "
        "`claims`, is run as it says; -o is then a folder for its tables and pictures, --report "
        "writes "
        "a page with figures, claims and the grids of its tables, and a claim "
        "that does not hold is exit status 1.",
    .examples =
        "footfall sweep scenes/rolling.yaml --vary pairs[0].friction.mu=0.05:0.5:50 --keep "
        "\"end(bodies.ball.velocity[0])\" --plot pictures\n"
        "footfall sweep scenes/rolling.yaml --vary \"bodies.ball.position[2]=5cm:20cm:4\" --vary "
        "pairs[0].normal.k=1e6:1e8:5log --keep \"peak=max(contacts.ball/floor.force)\" -o "
        "peaks.csv\n"
        "footfall sweep scenes/rolling.yaml --vary \"pairs[0].friction.mu=normal(0.2, 0.02)\" "
        "--samples 100 --points sobol --keep \"count(slip)\" -o mu.h5\n"
        "footfall sweep scenes/rolling.yaml --vary pairs[0].friction.mu=0.05:0.5:50 --keep "
        "\"end(ledger.slip)\" -o slip.csv --shard 1/4\n"
        "mpirun -n 4 footfall sweep scenes/rolling.yaml --vary pairs[0].friction.mu=0.05:0.5:50 "
        "--keep \"end(ledger.slip)\" -o slip.csv --mpi",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .words_least = 1,
    .words_most = 1,
};

/* ---- the command line ---- */

/* The request on the command line; texts are borrowed, lists are owned. */
typedef struct request {
    ff_sweep sweep;
    const char **settings, **vary, **keep, **stops;
    char (*own)[120];
    const char *output, *plot, *report;
    char *records;
    ff_team team;
    const args *a;
    /* one of each kind, for the JSON output */
    struct {
        ff_warning warning;
        size_t row, runs;
    } warned[FF_WARNING_KINDS];
    size_t warned_count;
} request;

static int out_of_memory(const args *a) {
    args_error(a, "out of memory");
    return 1;
}

/* All values of an option; NULL if out of memory. */
static const char **list_of(const args *a, const char *name, size_t *count) {
    for (*count = 0; args_text_at(a, name, *count);) {
        ++*count;
    }
    const char **list = calloc(*count + 1, sizeof *list);
    for (size_t i = 0; list && i < *count; i++) {
        list[i] = args_text_at(a, name, i);
    }
    return list;
}

/* Collects --set, and run options as settings. */
static int read_settings(const args *a, request *r) {
    static const char *const of_run[] = {"until", "method", "dt", "tol", "events"};
    enum { OF_RUN = sizeof of_run / sizeof *of_run };
    r->settings = scene_settings(a, OF_RUN, &r->sweep.setting_count);
    r->own = calloc(OF_RUN, sizeof *r->own);
    if (!r->settings || !r->own) {
        return out_of_memory(a);
    }
    for (size_t i = 0; i < OF_RUN; i++) {
        const char *text = args_text(a, of_run[i]);
        if (text) {
            snprintf(r->own[i], sizeof r->own[i], "run.%s=%.80s", of_run[i], text);
            r->settings[r->sweep.setting_count++] = r->own[i];
        }
    }
    r->sweep.settings = r->settings;
    return 0;
}

static int read_shard(const args *a, ff_sweep *sweep) {
    const char *text = args_text(a, "shard");
    char *end = NULL;
    if (!text) {
        return 0;
    }
    unsigned long part = *text >= '0' && *text <= '9' ? strtoul(text, &end, 10) : 0, parts = 0;
    if (end && *end == '/' && end[1] >= '0' && end[1] <= '9') {
        parts = strtoul(end + 1, &end, 10);
    }
    if (!end || *end || part < 1 || parts < 1 || part > parts || parts > 1000000) {
        return args_error(a, "option '--shard': '%.40s' is not I/N, part I of N, as 3/64", text);
    }
    sweep->shard = part;
    sweep->shards = parts;
    return 0;
}

static int read_numbers(const args *a, ff_sweep *sweep) {
    static const char *const words[] = {"random", "latin", "sobol"};
    double samples, seed, threads;
    size_t points = FF_POINTS_RANDOM;
    args_want want = args_want_any(NULL);
    want.least = 1;
    want.most = 1e9;
    want.fallback = 0;
    int status = args_whole(a, "samples", &want, &samples);
    want.least = 0;
    want.most = 0x1p53;
    status = status ? status : args_whole(a, "seed", &want, &seed);
    want.least = 1;
    want.most = FF_THREADS_MOST;
    status = status ? status : args_whole(a, "threads", &want, &threads);
    status = status ? status : args_choice(a, "points", words, FF_POINTS_KINDS, &points);
    if (!status) {
        sweep->samples = (size_t)samples;
        sweep->seed = (uint64_t)seed;
        sweep->threads = threads > 0 ? (int)threads : args_given(a, "mpi") ? 1 : 0;
        sweep->points = (ff_points)points;
    }
    return status;
}

static bool on_progress(void *user, size_t done, size_t wanted) {
    (void)user;
    watch_progress((double)done, (double)wanted, "runs");
    return !watch_interrupted();
}

static void on_warning(void *user, const ff_warning *warning, size_t row, size_t runs) {
    request *r = user;
    r->warned[r->warned_count].warning = *warning;
    r->warned[r->warned_count].row = row;
    r->warned[r->warned_count++].runs = runs;
    if (r->team.rank == 0) {
        watch_clear();
        warnings_of_runs(r->a, r->sweep.path, warning, row, runs);
    }
}

static int read_request(const args *a, request *r) {
    ff_error error = {""};
    ff_sweep *sweep = &r->sweep;
    *r = (request){.sweep = ff_sweep_default(),
                   .output = args_text(a, "output"),
                   .plot = args_text(a, "plot"),
                   .report = args_text(a, "report"),
                   .a = a};
    sweep->path = args_word(a, 0);
    sweep->vary = r->vary = list_of(a, "vary", &sweep->vary_count);
    sweep->keep = r->keep = list_of(a, "keep", &sweep->keep_count);
    sweep->stops = r->stops = list_of(a, "stop", &sweep->stop_count);
    sweep->merge = args_given(a, "merge");
    sweep->progress = on_progress;
    sweep->warning = on_warning;
    sweep->user = r;
    int status = r->vary && r->keep && r->stops ? read_settings(a, r) : out_of_memory(a);
    status = status ? status : read_numbers(a, sweep);
    status = status ? status : read_shard(a, sweep);
    if (!status && !sweep->vary_count) {
        status = args_error(a, "nothing is varied: give --vary PATH=RANGE, as in --vary "
                               "pairs[0].friction.mu=0.05:0.5:50");
    }
    if (!status && !sweep->keep_count) {
        status = args_error(a, "nothing is kept of the runs: give --keep EXPR, as in --keep "
                               "\"end(ledger.slip)\"");
    }
    const bool mpi = args_given(a, "mpi");
    if (!status && !r->output && (sweep->shards || sweep->merge || mpi)) {
        status = args_error(a, "--%s needs -o OUT, the table that all parts are for",
                            mpi            ? "mpi"
                            : sweep->merge ? "merge"
                                           : "shard");
    }
    if (!status && sweep->shards && (r->plot || r->report || sweep->merge || mpi)) {
        status = args_error(a, "--%s is for all parts together, not for --shard",
                            r->plot     ? "plot"
                            : r->report ? "report"
                            : mpi       ? "mpi"
                                        : "merge");
    }
    if (!status && sweep->merge && mpi) {
        status = args_error(a, "--merge runs nothing that --mpi could share");
    }
    if (!status && !mpi && !sweep->shards && mpi_team_started() > 1) {
        status =
            args_error(a, "started %zu times by mpirun: give --mpi to share the runs, or --shard",
                       mpi_team_started());
    }
    if (!status && r->report) {
        status = args_status(a, ff_page_check(r->report, &error), &error);
    }
    if (!status && r->plot && !ff_plot_possible()) {
        args_error(
            a, "--plot needs gnuplot, which is not there (Debian: apt-get install gnuplot-nox)");
        status = 1;
    }
    if (!status && r->output) {
        status = args_status(a, ff_table_write(NULL, r->output, &error), &error);
        const size_t size = strlen(r->output) + 6;
        r->records = malloc(size);
        if (r->records) {
            snprintf(r->records, size, "%s.part", r->output);
        }
        status = status || r->records ? status : out_of_memory(a);
        sweep->records = r->records;
    }
    return status;
}

static void clear_request(request *r) {
    free(r->settings);
    free(r->vary);
    free(r->keep);
    free(r->stops);
    free(r->own);
    free(r->records);
}

/* ---- output ---- */

static void print_json(const request *r, const ff_table *t, double seconds) {
    ff_json j = {.out = stdout};
    ff_json_object(&j, NULL);
    ff_json_integer(&j, "runs", (long long)t->rows);
    ff_json_integer(&j, "failed", (long long)t->failed);
    ff_json_number(&j, "wall_seconds", seconds);
    ff_json_integer(&j, "lanes", t->lanes);
    ff_json_integer(&j, "left_lanes", (long long)t->left_lanes);
    ff_json_string(&j, "alone", t->alone);
    ff_json_array(&j, "warnings");
    for (size_t i = 0; i < r->warned_count; i++) {
        const ff_warning *w = &r->warned[i].warning;
        ff_json_object(&j, NULL);
        ff_json_string(&j, "kind", ff_warning_name(w->kind));
        ff_json_number(&j, "value", w->value);
        ff_json_number(&j, "limit", w->limit);
        ff_json_string(&j, "text", w->text);
        ff_json_integer(&j, "row", (long long)r->warned[i].row + 1);
        ff_json_integer(&j, "runs", (long long)r->warned[i].runs);
        ff_json_end(&j);
    }
    ff_json_end(&j);
    ff_json_array(&j, "columns");
    for (size_t c = 0; c < t->columns; c++) {
        ff_json_object(&j, NULL);
        ff_json_string(&j, "name", t->column[c].name);
        ff_json_string(&j, "unit", *t->column[c].unit ? t->column[c].unit : NULL);
        ff_json_bool(&j, "varied", t->column[c].varied);
        ff_json_end(&j);
    }
    ff_json_end(&j);
    ff_json_array(&j, "rows");
    for (size_t i = 0; i < t->rows; i++) {
        ff_json_object(&j, NULL);
        ff_json_array(&j, "values");
        for (size_t c = 0; c < t->columns; c++) {
            const double value = t->values[i * t->columns + c];
            if (t->column[c].words) {
                ff_json_string(&j, NULL, t->column[c].words[(size_t)value]);
            } else {
                ff_json_number(&j, NULL, value);
            }
        }
        ff_json_end(&j);
        ff_json_string(&j, "error", t->reason[i]);
        ff_json_end(&j);
    }
    ff_json_end(&j);
    ff_json_end(&j);
}

/* Prints the table; if it is also written to a file, only the range of each column. */
static int print_table(const args *a, const ff_table *t, bool summary) {
    table_column *columns = calloc(t->columns + 1, sizeof *columns);
    static const table_column ranges[] = {
        {"", NULL}, {"least", NULL}, {"mean", NULL}, {"most", NULL}, {"unit", NULL}};
    table out;
    if (!columns) {
        return out_of_memory(a);
    }
    for (size_t c = 0; c < t->columns; c++) {
        columns[c] = (table_column){
            t->column[c].name,
            *t->column[c].unit && strcmp(t->column[c].unit, "1") != 0 ? t->column[c].unit : NULL};
    }
    columns[t->columns] = (table_column){"", NULL};
    table_init(&out, summary ? ranges : columns, summary ? 5 : t->columns + (t->failed > 0));
    for (size_t i = 0; i < t->rows && !summary; i++) {
        for (size_t c = 0; c < t->columns; c++) {
            const double value = t->values[i * t->columns + c];
            if (t->column[c].words) {
                table_text(&out, t->column[c].words[(size_t)value]);
            } else {
                table_number(&out, value);
            }
        }
        if (t->failed) {
            table_text(&out, t->reason[i] ? t->reason[i] : "");
        }
    }
    for (size_t c = 0; c < t->columns && summary; c++) {
        double least = INFINITY, most = -INFINITY, sum = 0;
        size_t count = 0;
        for (size_t i = 0; i < t->rows && !t->column[c].words; i++) {
            const double value = t->values[i * t->columns + c];
            if (!isnan(value)) {
                least = fmin(least, value);
                most = fmax(most, value);
                sum += value;
                count++;
            }
        }
        table_text(&out, t->column[c].name);
        table_number(&out, count ? least : (double)NAN);
        table_number(&out, count ? sum / (double)count : (double)NAN);
        table_number(&out, count ? most : (double)NAN);
        table_text(&out, columns[c].unit ? columns[c].unit : "");
    }
    table_print(&out, stdout);
    table_clear(&out);
    free(columns);
    return 0;
}

/* Reports that runs failed, with the first failure. */
static int tell_failures(const args *a, const ff_table *t) {
    size_t i = 0;
    if (t->failed == 0) {
        return 0;
    }
    while (!t->reason[i]) {
        i++;
    }
    args_error(a, "%zu of %zu runs failed; the first, row %zu: %s", t->failed, t->rows, i + 1,
               t->reason[i]);
    return 1;
}

/* Reports how the runs were executed: in lanes or one by one. */
static void tell_lanes(const ff_table *t) {
    if (t->lanes) {
        fprintf(stderr, "lanes: %d wide", t->lanes);
        if (t->left_lanes > 0) {
            fprintf(stderr, ", except %zu of %zu runs, done one at a time", t->left_lanes, t->rows);
        }
        fputc('\n', stderr);
    } else if (t->alone) {
        fprintf(stderr, "no lanes: %s\n", t->alone);
    }
}

/* ---- pictures ---- */

enum { CURVES_MOST = 12, LABEL = 200 };

static void put_label(const ff_table_column *c, char out[LABEL]) {
    const bool unit = *c->unit && strcmp(c->unit, "1") != 0;
    snprintf(out, LABEL, "%.120s%s%s%s", c->name, unit ? " (" : "", unit ? c->unit : "",
             unit ? ")" : "");
}

/* Layout of the rows for a picture: which curve a row belongs to. */
typedef struct picture {
    const ff_table *t;
    size_t x;      /* column of the horizontal axis */
    size_t stride; /* rows between two consecutive values of x */
    size_t curves;
    bool points; /* sampled parameters: points without lines */
} picture;

static picture plan_picture(const ff_table *t) {
    picture p = {.t = t, .stride = t->samples};
    while (p.x + 1 < t->varied && t->column[p.x].words) {
        p.x++;
    }
    for (size_t c = p.x + 1; c < t->varied; c++) {
        p.stride *= t->column[c].count ? t->column[c].count : 1;
    }
    const size_t count = t->column[p.x].count;
    p.curves = t->rows / t->samples / (count ? count : 1);
    p.points = t->samples > 1 || !count;
    return p;
}

static size_t curve_of(const picture *p, size_t row) {
    const size_t count = p->t->column[p->x].count, samples = p->t->samples;
    return count ? row / (p->stride * count) * (p->stride / samples) + row % p->stride / samples
                 : row / samples;
}

/* The values of the other parameters on the curve of a row, named by the last words of their paths. */
static void put_name(const picture *p, size_t row, char out[LABEL]) {
    const ff_table *t = p->t;
    size_t used = 0;
    *out = '\0';
    for (size_t c = 0; c < t->varied; c++) {
        if (c == p->x || !t->column[c].count || used >= LABEL) {
            continue;
        }
        const char *dot = strrchr(t->column[c].name, '.');
        const double value = t->values[row * t->columns + c];
        const char *comma = used ? ", " : "", *name = dot ? dot + 1 : t->column[c].name;
        used += (size_t)(t->column[c].words
                             ? snprintf(out + used, LABEL - used, "%s%s %s", comma, name,
                                        t->column[c].words[(size_t)value])
                             : snprintf(out + used, LABEL - used, "%s%s %.4g", comma, name, value));
    }
}

/* Draws one kept column over the horizontal axis. */
static int draw_column(const args *a, const picture *p, size_t column, const char *path) {
    const ff_table *t = p->t;
    const size_t curves = p->curves < CURVES_MOST ? p->curves : CURVES_MOST,
                 most = t->rows / p->curves;
    double *values = malloc(2 * curves * most * sizeof *values);
    char names[CURVES_MOST][LABEL], x_label[LABEL], y_label[LABEL];
    ff_plot_curve list[CURVES_MOST] = {0};
    ff_error error = {""};
    if (!values) {
        return out_of_memory(a);
    }
    for (size_t i = 0; i < t->rows; i++) {
        const size_t curve = curve_of(p, i);
        if (curve >= curves) {
            continue;
        }
        ff_plot_curve *c = &list[curve];
        double *x = values + 2 * curve * most, *y = x + most;
        if (c->count == 0) {
            put_name(p, i, names[curve]);
            *c = (ff_plot_curve){.name = *names[curve] ? names[curve] : NULL,
                                 .x = x,
                                 .y = y,
                                 .style = p->points ? FF_PLOT_POINTS : FF_PLOT_LINES};
        }
        x[c->count] = t->values[i * t->columns + p->x];
        y[c->count++] = t->values[i * t->columns + column];
    }
    put_label(&t->column[p->x], x_label);
    put_label(&t->column[column], y_label);
    const ff_plot plot = {.title = "",
                          .x_label = x_label,
                          .y_label = y_label,
                          .x_log = t->column[p->x].logarithmic,
                          .curves = list,
                          .curve_count = curves};
    int status = args_status(a, ff_plot_write(&plot, path, &error), &error);
    free(values);
    if (!status && !args_given(a, "quiet")) {
        fprintf(stderr, "wrote %s", path);
        if (curves < p->curves) {
            fprintf(stderr, ": the first %zu of %zu curves", curves, p->curves);
        }
        fprintf(stderr, "\n");
    }
    return status;
}

/* Draws a picture of each kept number. Its file is named after it, without characters that are unsuitable in file
 * names. */
static int draw(const args *a, const ff_table *t, const char *folder) {
    const picture p = plan_picture(t);
    if (t->column[p.x].words) {
        return args_error(a, "--plot needs a parameter that is a number for its horizontal axis");
    }
    if (mkdir(folder, 0777) != 0 && errno != EEXIST) {
        args_error(a, "%s: %s", folder, strerror(errno));
        return 1;
    }
    int status = 0;
    for (size_t c = t->varied; c < t->columns && !status; c++) {
        const size_t size = strlen(folder) + strlen(t->column[c].name) + 8;
        char *path = malloc(size);
        if (!path) {
            return out_of_memory(a);
        }
        snprintf(path, size, "%s/", folder);
        size_t used = strlen(path);
        for (const char *at = t->column[c].name; *at && used < strlen(folder) + 100; at++) {
            const bool plain = (*at >= 'a' && *at <= 'z') || (*at >= 'A' && *at <= 'Z') ||
                               (*at >= '0' && *at <= '9') || *at == '_';
            if (plain || (used > strlen(folder) + 1 && path[used - 1] != '-' && at[1])) {
                path[used++] = plain ? *at : '-';
            }
        }
        used -= path[used - 1] == '-';
        snprintf(path + used, size - used, ".svg");
        status = draw_column(a, &p, c, path);
        free(path);
    }
    return status;
}

/* ---- the command ---- */

/* Whether a file has the key `tables` at its top level. */
static bool is_study(const char *path) {
    ff_status status;
    size_t length;
    char *text = ff_source_read(path, FF_SOURCE_MOST, &length, NULL, &status);
    const char *at = text ? strstr(text, "tables:") : NULL;
    while (at && at != text && at[-1] != '\n') {
        at = strstr(at + 1, "tables:");
    }
    const bool found = at;
    ff_free(text);
    return found;
}

static double clock_now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Removes the records once the table is written: also those of ranks, including ranks of an earlier sweep with more
 * of them. */
static void drop_records(const request *r) {
    char path[4096];
    bool more = r->sweep.team;
    unlink(r->records);
    for (size_t i = 0; more; i++) {
        const int length = snprintf(path, sizeof path, "%s.rank%zu", r->records, i);
        more = length < (int)sizeof path && (unlink(path) == 0 || i < r->team.ranks);
    }
}

/* Writes and prints the table of all runs. */
static int finish(const args *a, const request *r, const ff_table *t, double seconds) {
    ff_error error = {""};
    const bool quiet = args_given(a, "quiet");
    int status = 0;
    if (!quiet && !args_given(a, "json") && !r->sweep.merge) {
        tell_lanes(t);
    }
    if (r->sweep.shards) {
        if (!quiet) {
            fprintf(stderr, "wrote %s%zu-%zu: %zu runs\n", r->records, r->sweep.shard,
                    r->sweep.shards, t->rows);
        }
    } else if (r->output) {
        status = args_status(a, ff_table_write(t, r->output, &error), &error);
        if (!status && !r->sweep.merge) {
            drop_records(r);
        }
        if (!status && !quiet) {
            fprintf(stderr, "wrote %s: %zu runs, %.3g a second\n", r->output, t->rows,
                    (double)t->rows / seconds);
        }
    }
    if (!status && args_given(a, "json")) {
        print_json(r, t, seconds);
    } else if (!status && !quiet) {
        status = print_table(a, t, r->output);
    }
    if (!status && r->plot) {
        status = draw(a, t, r->plot);
    }
    if (!status && r->report) {
        status = sweep_page(a, t, r->report);
        if (!status && !quiet) {
            fprintf(stderr, "wrote %s\n", r->report);
        }
    }
    const int failed = tell_failures(a, t);
    return status ? status : failed;
}

static int exit_status(ff_status status) {
    return status == FF_STOPPED || status == FF_NOT_WRITTEN || status == FF_NO_MEMORY ? 1
           : status < 0                                                               ? ARGS_WRONG
                                                                                      : 0;
}

int command_sweep(int argc, char **argv) {
    args a;
    request r;
    ff_table *result = NULL;
    ff_messages messages = {0};
    int status = args_parse(&a, &command, argc, argv);
    if (status) {
        return status == ARGS_HELP ? 0 : status;
    }
    if (!args_given(&a, "vary") && !args_given(&a, "keep") && is_study(args_word(&a, 0))) {
        return study_command(&a);
    }
    status = read_request(&a, &r);
    if (!status && args_given(&a, "mpi")) {
        status = mpi_team_begin(&a, &r.team);
        r.sweep.team = &r.team;
    }
    if (!status) {
        const double began = clock_now();
        /* only rank 0 prints */
        const bool speaks = r.team.rank == 0;
        char first[MPI_TEAM_TEXT] = "";
        watch_begin(args_given(&a, "quiet") || !speaks);
        const ff_status done = ff_sweep_run(&r.sweep, &result, &messages);
        watch_clear();
        if (messages.count) {
            ff_message_format(&messages.at[0], first, sizeof first);
        }
        status = exit_status(done);
        if (speaks) {
            scene_tell(&a, r.sweep.path, done, &messages);
        } else {
            ff_messages_clear(&messages);
        }
        if (done == FF_STOPPED && speaks) {
            args_error(&a, "interrupted%s", r.records ? "; the same command resumes" : "");
        }
        if (result) {
            status = finish(&a, &r, result, clock_now() - began);
        }
        ff_free(result);
        if (r.sweep.team) {
            status = mpi_team_end(&a, &r.team, status, *first ? first : ff_status_text(done));
        }
    }
    clear_request(&r);
    return status;
}
