/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "commands.h"
#include "contact.h"
#include "contact_options.h"
#include "csv.h"
#include "show.h"
#include "table.h"
#include <footfall/elementary.h>
#include <footfall/unit.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* clang-format off */
static const args_option options[] = {
    {"data", "KIND", NULL, "kind of measurement, if the columns are ambiguous: restitution, bounces, heights, force-time or force-depth", false, 0},
    {"free", "NAMES", NULL, "parameters to estimate, separated by commas; a given value is the starting point of the search", false, 0},
    {"free-k", "", "", "also estimate k, from a column contact_time", false, 0},
    {"gravity", "G", "m/s^2", "gravity for bounces and heights; default 9.81", false, 0},
    {"scatter", "readings|bounces", NULL, "source of scatter in bounces and heights; by default the data decide", false, 0},
    {"level", "P", "1", "confidence level of the intervals; default 0.95", false, 0},
    {"compare", "", "", "fit every law with a free damping and rank them by AIC", false, 0},
    {"plot", "FILE", NULL, "draw data and fit; .svg, .png or .pdf", true, 0},
    {"json", "", "", "print one JSON object", false, 0},
};
/* clang-format on */

static const args_command command = {
    .name = "fit",
    .usage = "DATA.csv --normal LAW --mass M (--k K | --materials A,B --radius R | --free-k) "
             "[options]",
    .summary =
        "Estimates parameters of a normal law from measurements, with confidence intervals. The "
        "columns of DATA.csv determine the kind of measurement: speed and restitution; only time, "
        "of successive touch-downs of a ball that bounces in place; drop and rebound, or height of "
        "successive bounces; time and force of one impact; depth, force and rate or time. sigma "
        "has standard deviations; contact_time (with time_sigma, default 1 %) has contact times of "
        "impacts with a speed and a restitution. Names and cells may have units, as in 'speed "
        "[cm/s]'; other columns are ignored. Restitution, bounces and heights depend on lambda and "
        "k (almost) only through one combination: k must be given, follow from materials, or be "
        "estimated from contact times. Forces determine all parameters that are not given. "
        "docs/fit.md has an example of each.",
    .examples = "footfall fit bounces.csv --normal azad-featherstone --mass 154g --k 8.5e6\n"
                "footfall fit drop.csv --normal azad-featherstone --materials steel,cork --radius "
                "1.65cm --plot fit.svg\n"
                "footfall fit drop.csv --normal azad-featherstone --mass 154g --k 8.5e6 --compare\n"
                "footfall fit pulse.csv --normal general --mass 154g --n 1.5 --p 0.5",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .words_least = 1,
    .words_most = 1,
};

/* ---- data ---- */

static const char *const kind_names[] = {"restitution", "bounces", "heights", "force-time",
                                         "force-depth"};
enum { KINDS = sizeof kind_names / sizeof *kind_names };

static const char *const scatter_names[] = {"readings", "bounces"};

/* Columns, their SI units, and alternative names. */
static const struct column {
    const char *name, *unit, *other;
    size_t member;
} columns[] = {
    {"speed", "m/s", "v", offsetof(ff_fit_data, speed)},
    {"restitution", "1", "e", offsetof(ff_fit_data, restitution)},
    {"contact_time", "s", NULL, offsetof(ff_fit_data, contact_time)},
    {"time_sigma", "s", NULL, offsetof(ff_fit_data, time_sigma)},
    {"time", "s", "t", offsetof(ff_fit_data, time)},
    {"drop", "m", "drop_height", offsetof(ff_fit_data, drop)},
    {"rebound", "m", "rebound_height", offsetof(ff_fit_data, rebound)},
    {"height", "m", "h", offsetof(ff_fit_data, height)},
    {"force", "N", "f", offsetof(ff_fit_data, force)},
    {"depth", "m", "z", offsetof(ff_fit_data, depth)},
    {"rate", "m/s", "zdot", offsetof(ff_fit_data, rate)},
    {"sigma", NULL, NULL, offsetof(ff_fit_data, sigma)},
};
enum { COLUMNS = sizeof columns / sizeof *columns };

/* Columns of a kind, required ones first; and a name for them together. */
static const struct kind {
    const char *needed, *used, *sigma; /* sigma: its unit */
    const char *quantity;              /* what is fitted */
} kinds[] = {
    {"speed restitution", "speed restitution contact_time time_sigma sigma", "1", "restitution"},
    {"time", "time sigma", "s", "time"},
    {NULL, "drop rebound height sigma", "m", "height"},
    {"time force", "time force sigma", "N", "force"},
    {"depth force", "depth force rate time sigma", "N", "force"},
};

static bool in_words(const char *words, const char *word) {
    const size_t length = strlen(word);
    for (const char *at = words; (at = strstr(at, word)); at += length) {
        if ((at == words || at[-1] == ' ') && (at[length] == ' ' || at[length] == '\0')) {
            return true;
        }
    }
    return false;
}

static int find_column(const csv *file, const char *name) {
    for (size_t i = 0; i < COLUMNS; i++) {
        if (strcmp(columns[i].name, name) == 0) {
            const int found = csv_find(file, name);
            return found >= 0 || !columns[i].other ? found : csv_find(file, columns[i].other);
        }
    }
    return -1;
}

static bool has(const csv *file, const char *name) { return find_column(file, name) >= 0; }

/* The kind that the columns suggest; KINDS: none. */
static size_t guess_kind(const csv *file) {
    return has(file, "speed") && has(file, "restitution")                       ? FF_FIT_RESTITUTION
           : has(file, "height") || (has(file, "drop") && has(file, "rebound")) ? FF_FIT_HEIGHTS
           : has(file, "force") && has(file, "depth")                           ? FF_FIT_FORCE_DEPTH
           : has(file, "force") && has(file, "time")                            ? FF_FIT_FORCE_TIME
           : has(file, "time") && !has(file, "restitution") && !has(file, "speed") ? FF_FIT_BOUNCES
                                                                                   : KINDS;
}

/* Reports a missing column, or that no name is known. */
static int refuse_columns(const args *a, const csv *file, const char *what) {
    const char *names[COLUMNS];
    for (size_t i = 0; i < COLUMNS; i++) {
        names[i] = columns[i].name;
    }
    for (size_t i = 0; i < file->columns; i++) {
        const char *near = ff_word_nearest(file->names[i], names, COLUMNS);
        if (near && !has(file, near)) {
            return args_error(a, "%s:%d:%zu: unknown column '%s' (did you mean '%s'?)",
                              args_word(a, 0), file->head, file->name_places[i], file->names[i],
                              near);
        }
    }
    return args_error(a, "%s:%d:1: %s", args_word(a, 0), file->head, what);
}

typedef struct measured {
    csv file;
    ff_fit_data data;
    double *values;
    const char *unused[64]; /* names of ignored columns */
    size_t unused_count;
} measured;

static int read_column(const args *a, measured *m, size_t i, double *out) {
    char why[400];
    const char *unit = columns[i].unit ? columns[i].unit : kinds[m->data.kind].sigma;
    if (csv_numbers(&m->file, args_word(a, 0), (size_t)find_column(&m->file, columns[i].name), unit,
                    out, why, sizeof why)) {
        return args_error(a, "%s", why);
    }
    memcpy((char *)&m->data + columns[i].member, &(const double *){out}, sizeof out);
    return 0;
}

static int read_data(const args *a, measured *m) {
    char why[400];
    size_t kind = KINDS;
    if (csv_read(&m->file, args_word(a, 0), why, sizeof why)) {
        return args_error(a, "%s", why);
    }
    const csv *file = &m->file;
    int status = args_choice(a, "data", kind_names, KINDS, &kind);
    if (status) {
        return status;
    }
    if (kind == KINDS) {
        kind = guess_kind(file);
    }
    if (kind == KINDS) {
        return refuse_columns(a, file,
                              "columns are needed: speed and restitution; or time; or drop and "
                              "rebound, or height; or time and force; or depth and force");
    }
    m->data = (ff_fit_data){.kind = (ff_fit_kind)kind, .count = file->rows};
    m->values = malloc(file->rows * COLUMNS * sizeof *m->values);
    if (!m->values) {
        return args_error(a, "out of memory");
    }
    for (size_t i = 0; i < COLUMNS; i++) {
        const char *name = columns[i].name;
        if (kinds[kind].needed && in_words(kinds[kind].needed, name) && !has(file, name)) {
            snprintf(why, sizeof why, "data of kind %s need a column '%s'", kind_names[kind], name);
            return refuse_columns(a, file, why);
        }
        if (has(file, name) && in_words(kinds[kind].used, name) &&
            (status = read_column(a, m, i, m->values + i * file->rows))) {
            return status;
        }
    }
    for (size_t i = 0; i < file->columns; i++) {
        bool used = false;
        for (size_t j = 0; j < COLUMNS; j++) {
            used = used || (find_column(file, columns[j].name) == (int)i &&
                            in_words(kinds[kind].used, columns[j].name));
        }
        if (!used && m->unused_count < 64) {
            m->unused[m->unused_count++] = file->names[i];
        }
    }
    return 0;
}

/* ---- fits ---- */

typedef struct result {
    ff_normal law;
    ff_fit_result fit;
    double *residuals;
    ff_status status;
    ff_error error;
} result;

static void solve(result *r, const ff_normal *law, const ff_fit_data *data,
                  const ff_fit_options *o) {
    r->law = *law;
    r->error.text[0] = '\0';
    r->residuals = malloc(data->count * sizeof *r->residuals);
    r->status =
        r->residuals ? ff_fit(&r->law, data, o, &r->fit, r->residuals, &r->error) : FF_NO_MEMORY;
}

static const char *why_not(const result *r) {
    return *r->error.text ? r->error.text : ff_status_text(r->status);
}

static const double *measured_values(const ff_fit_data *d) {
    return d->kind == FF_FIT_RESTITUTION ? d->restitution
           : d->kind == FF_FIT_BOUNCES   ? d->time
           : d->kind == FF_FIT_HEIGHTS   ? d->height ? d->height : d->rebound
                                         : d->force;
}

/* The quantity that identifies rows; NULL: their index. */
static const double *abscissa(const ff_fit_data *d) {
    return d->kind == FF_FIT_RESTITUTION   ? d->speed
           : d->kind == FF_FIT_HEIGHTS     ? d->drop
           : d->kind == FF_FIT_FORCE_TIME  ? d->time
           : d->kind == FF_FIT_FORCE_DEPTH ? d->depth
                                           : NULL;
}

static bool bouncing(const ff_fit_data *d) {
    return d->kind == FF_FIT_BOUNCES || d->kind == FF_FIT_HEIGHTS;
}

static void json_result(ff_json *j, const result *r, const ff_fit_data *data) {
    const ff_fit_result *f = &r->fit;
    ff_json_object(j, NULL);
    ff_json_string(j, "law", r->law.law->name);
    if (r->status < 0) {
        ff_json_string(j, "error", why_not(r));
        ff_json_end(j);
        return;
    }
    show_law_json(j, "parameters", &r->law);
    ff_json_number(j, "lambda", f->lambda);
    ff_json_number(j, "lambda_error", f->lambda_error);
    ff_json_number(j, "k", f->k);
    ff_json_number(j, "k_error", f->k_error);
    ff_json_number(j, "correlation", f->unknowns == 2 ? f->correlation[0][1] : (double)NAN);
    ff_json_array(j, "estimates");
    for (int i = 0; i < f->unknowns; i++) {
        ff_json_object(j, NULL);
        ff_json_string(j, "name", f->params[i].name);
        ff_json_number(j, "value", f->params[i].value);
        ff_json_number(j, "error", f->params[i].error);
        ff_json_number(j, "low", f->params[i].low);
        ff_json_number(j, "high", f->params[i].high);
        ff_json_bool(j, "told", f->params[i].told);
        ff_json_end(j);
    }
    ff_json_end(j);
    ff_json_array(j, "correlations");
    for (int i = 0; i < f->unknowns; i++) {
        ff_json_numbers(j, NULL, f->correlation[i], (size_t)f->unknowns);
    }
    ff_json_end(j);
    ff_json_number(j, "chi2", f->chi2);
    ff_json_number(j, "rms", f->rms);
    ff_json_number(j, "aic", f->aic);
    ff_json_number(j, "aicc", f->aicc);
    ff_json_integer(j, "unknowns", f->unknowns);
    ff_json_number(j, "freedom", f->freedom);
    ff_json_number(j, "first_speed", f->speed);
    if (bouncing(data)) {
        ff_json_string(j, "scatter", scatter_names[f->scatter - FF_FIT_SCATTER_READINGS]);
    }
    ff_json_integer(j, "evaluations", f->evaluations);
    ff_json_numbers(j, "residuals", r->residuals, data->count);
    ff_json_array(j, "words");
    for (const char *at = f->words; *at;) {
        char line[600];
        const size_t length = strcspn(at, "\n");
        snprintf(line, sizeof line, "%.*s", (int)length, at);
        ff_json_string(j, NULL, line);
        at += length + (at[length] == '\n');
    }
    ff_json_end(j);
    ff_json_end(j);
}

static void print_estimates(const result *r) {
    const ff_fit_result *f = &r->fit;
    for (int i = 0; i < f->unknowns; i++) {
        const ff_fit_param *p = &f->params[i];
        printf("%-10s = %.6g, %g %% interval %.6g to %.6g (standard error %.2g)\n", p->name,
               p->value, 100 * f->level, p->low, p->high, p->error);
    }
    for (int i = 1; i < f->unknowns; i++) {
        printf("%s", i == 1 ? "correlation" : "           ");
        for (int j = 0; j < i; j++) {
            printf("%s %s with %s %.3f", j ? "," : "", f->params[i].name, f->params[j].name,
                   f->correlation[i][j]);
        }
        printf("\n");
    }
}

static void print_one(const result *r, const ff_fit_data *data) {
    static const table_column heads[][4] = {
        {{"speed", "m/s"}, {"measured", NULL}, {"fitted", NULL}, {"residual", NULL}},
        {{"touch-down", NULL}, {"measured", "s"}, {"fitted", "s"}, {"residual", "s"}},
        {{"drop", "m"}, {"measured", "m"}, {"fitted", "m"}, {"residual", "m"}},
        {{"time", "s"}, {"measured", "N"}, {"fitted", "N"}, {"residual", "N"}},
        {{"depth", "m"}, {"measured", "N"}, {"fitted", "N"}, {"residual", "N"}}};
    const ff_fit_result *f = &r->fit;
    const double *x = abscissa(data), *y = measured_values(data);
    const char *unit = kinds[data->kind].sigma;
    table t;
    show_law(stdout, &r->law);
    print_estimates(r);
    if (!isnan(f->speed)) {
        printf("speed at the first touch-down %.6g m/s\n", f->speed);
    }
    if (bouncing(data)) {
        printf("scatter: %s\n", f->scatter == FF_FIT_SCATTER_READINGS
                                    ? "of independent readings"
                                    : "of the restitution of each bounce");
    }
    printf("rms residual of %s %.3g%s%s, AIC %.4g, AICc %.4g, %zu points%s\n",
           data->kind == FF_FIT_RESTITUTION ? "e" : kinds[data->kind].quantity, f->rms,
           strcmp(unit, "1") ? " " : "", strcmp(unit, "1") ? unit : "", f->aic, f->aicc,
           data->count, data->sigma ? "" : " (sigma unknown: intervals from the scatter)");
    printf("%s", f->words);
    table_column columns_of[4];
    memcpy(columns_of, heads[data->kind], sizeof columns_of);
    columns_of[0] =
        !x && data->kind == FF_FIT_HEIGHTS ? (table_column){"height", NULL} : columns_of[0];
    table_init(&t, columns_of, 4);
    for (size_t i = 0; i < data->count; i++) {
        table_number(&t, x ? x[i] : (double)(i + 1));
        table_number(&t, y[i]);
        table_number(&t, y[i] - r->residuals[i]);
        table_number(&t, r->residuals[i]);
    }
    table_print(&t, stdout);
    table_clear(&t);
}

/* Akaike's criterion with its small-sample correction, if there are enough data. */
static double criterion(const result *r) {
    return r->status < 0 ? HUGE_VAL : isfinite(r->fit.aicc) ? r->fit.aicc : r->fit.aic;
}

/* best first; differences of AIC show how much worse a law is */
static void print_compared(const result *results, size_t count) {
    static const table_column heads[] = {
        {"law", NULL},       {"AICc", NULL},     {"worse by", NULL}, {"rms residual", NULL},
        {"parameter", NULL}, {"estimate", "SI"}, {"from", "SI"},     {"to", "SI"}};
    table t;
    table_init(&t, heads, 8);
    for (size_t i = 0; i < count; i++) {
        const result *r = &results[i];
        for (int p = 0; r->status >= 0 && p < r->fit.unknowns; p++) {
            table_text(&t, p ? "" : r->law.law->name);
            if (p) {
                table_text(&t, ""), table_text(&t, ""), table_text(&t, "");
            } else {
                table_number(&t, criterion(r));
                table_number(&t, criterion(r) - criterion(&results[0]));
                table_number(&t, r->fit.rms);
            }
            table_text(&t, r->fit.params[p].name);
            table_number(&t, r->fit.params[p].value);
            table_number(&t, r->fit.params[p].low);
            table_number(&t, r->fit.params[p].high);
        }
    }
    table_print(&t, stdout);
    table_clear(&t);
    for (size_t i = 0; i < count; i++) {
        if (results[i].status < 0) {
            printf("%s: %s\n", results[i].law.law->name, why_not(&results[i]));
        }
    }
    printf("%s", results[0].fit.words);
    printf("A law that is worse by more than about 10 has no support in these data.\n");
}

static int by_criterion(const void *x, const void *y) {
    const double u = criterion(x), v = criterion(y);
    return (u > v) - (u < v);
}

/* Restitution as curves; everything else as fitted values of the rows. */
static int draw(const args *a, const result *results, size_t count, double mass,
                const ff_fit_data *data) {
    enum { samples = 120 };
    const bool curve = data->kind == FF_FIT_RESTITUTION;
    const size_t points = curve ? samples : data->count;
    double low = HUGE_VAL, high = 0, *xy = malloc((count + 2) * points * sizeof *xy);
    ff_plot_curve *curves = calloc(count + 1, sizeof *curves);
    int status = 1;
    for (size_t i = 0; curve && i < data->count; i++) {
        low = fmin(low, data->speed[i]);
        high = fmax(high, data->speed[i]);
    }
    if (xy && curves) {
        size_t used = 0;
        const double *x = abscissa(data), *y = measured_values(data);
        for (size_t i = 0; i < points; i++) {
            xy[i] = curve ? low * 0.9 * ff_math.pow(high / low * 1.2, (double)i / (samples - 1))
                    : x   ? x[i]
                          : (double)(i + 1);
        }
        curves[used++] = (ff_plot_curve){.name = "measured",
                                         .x = curve ? data->speed : xy,
                                         .y = y,
                                         .count = data->count,
                                         .style = FF_PLOT_POINTS};
        for (size_t r = 0; r < count; r++) {
            double *fitted = xy + (r + 1) * points;
            if (results[r].status < 0) {
                continue;
            }
            for (size_t i = 0; i < points; i++) {
                fitted[i] = curve ? ff_impact_restitution(&results[r].law, mass, xy[i])
                                  : y[i] - results[r].residuals[i];
            }
            curves[used++] = (ff_plot_curve){
                results[r].law.law->name, xy, fitted, points, FF_PLOT_LINES, 0, NULL};
        }
        static const char *const labels[][2] = {
            {"speed at touch-down (m/s)", "coefficient of restitution"},
            {"touch-down", "time (s)"},
            {"drop (m)", "height of the rebound (m)"},
            {"time (s)", "force (N)"},
            {"depth (m)", "force (N)"}};
        status = show_plot(
            a, &(ff_plot){
                   .title = curve ? "Restitution, measured and fitted" : "Measured and fitted",
                   .x_label = data->kind == FF_FIT_HEIGHTS && !x ? "bounce" : labels[data->kind][0],
                   .y_label = labels[data->kind][1],
                   .x_log = curve && high / low > 10,
                   .curves = curves,
                   .curve_count = used});
    }
    free(xy);
    free(curves);
    return status;
}

/* The laws to fit: the named one first, and with --compare the others whose damping can be chosen. e depends only on delta,
 * so each may have any k; it gets the one with the same depth without damping at the mean speed, (n+1)/2 m v^2 = k z^(n+1),
 * so that its lambda is usable. */
static size_t choose(const args *a, const ff_normal *law, double mass, const ff_fit_data *data,
                     double gravity, ff_normal *out) {
    const bool forces = data->force != NULL;
    ff_normal others[CONTACT_LAWS];
    ff_power own, other;
    size_t count = 1, all;
    double log_v = 0;
    out[0] = *law;
    if (!args_given(a, "compare") || !ff_normal_power(law, 1, &own)) {
        return count;
    }
    for (size_t i = 0; !forces && i < data->count; i++) {
        const double height = data->drop ? data->drop[i] : data->height ? data->height[i] : 0;
        const double flight = data->time ? (data->time[data->count - 1] - data->time[0]) : 0;
        const double speed = data->speed  ? data->speed[i]
                             : data->time ? gravity * flight / (2 * (double)data->count)
                                          : sqrt(2 * gravity * height);
        log_v += ff_math.log(speed) / (double)data->count;
    }
    double energy = mass * ff_math.exp(2 * log_v) / 2;
    double depth = ff_math.pow((own.n + 1) * energy / own.k, 1 / (own.n + 1));
    all = contact_damped_laws(others, !forces);
    for (size_t i = 0; i < all; i++) {
        if (others[i].law == law->law) {
            continue;
        }
        ff_normal_power(&others[i], 1, &other);
        double k =
            other.n == own.n ? own.k : (other.n + 1) * energy / ff_math.pow(depth, other.n + 1);
        ff_normal_set_power(&others[i], k, 1, 1);
        out[count++] = others[i];
    }
    return count;
}

/* Names of parameters to estimate: those of a list, or those without a value. */
static size_t free_names(const contact *c, char *text, const char *names[FF_LAW_PARAMS]) {
    size_t count = 0;
    for (char *at = text; at && count < FF_LAW_PARAMS;) {
        char *end = at + strcspn(at, ",");
        const bool last = *end == '\0';
        *end = '\0';
        for (char *letter = at; *letter; letter++) {
            *letter = *letter == '-' ? '_' : *letter;
        }
        names[count++] = at;
        at = last ? NULL : end + 1;
    }
    for (size_t i = 0; !text && i < c->param_count; i++) {
        if (c->free[i]) {
            names[count++] = c->law->params[i].name;
        }
    }
    return count;
}

static void print_json(const result *results, size_t count, double mass, const measured *m,
                       const ff_fit_options *o) {
    ff_json j = {.out = stdout};
    ff_json_object(&j, NULL);
    ff_json_string(&j, "kind", kind_names[m->data.kind]);
    ff_json_integer(&j, "points", (long long)m->data.count);
    ff_json_number(&j, "mass", m->data.kind == FF_FIT_FORCE_DEPTH ? (double)NAN : mass);
    ff_json_number(&j, "level", o->level);
    ff_json_array(&j, "unused_columns");
    for (size_t i = 0; i < m->unused_count; i++) {
        ff_json_string(&j, NULL, m->unused[i]);
    }
    ff_json_end(&j);
    ff_json_array(&j, "fits");
    for (size_t i = 0; i < count; i++) {
        json_result(&j, &results[i], &m->data);
    }
    ff_json_end(&j);
    ff_json_end(&j);
}

/* Reports why the first fit failed, and the line of the data. */
static int failed(const args *a, const result *r, const measured *m) {
    const int status = r->status == FF_BAD_VALUE ? 2 : 1;
    const int column = r->fit.bad_column ? find_column(&m->file, r->fit.bad_column) : -1;
    if (column >= 0) {
        const size_t row = r->fit.bad_row;
        args_error(a, "%s:%d:%zu: %s", args_word(a, 0), m->file.lines[row],
                   m->file.places[row * m->file.columns + (size_t)column], why_not(r));
    } else {
        args_error(a, "%s: %s", args_word(a, 0), why_not(r));
    }
    return status;
}

static int fit(const args *a, const contact *c, const measured *m, ff_fit_options *o) {
    ff_normal law, laws[CONTACT_LAWS + 1];
    double speed;
    const ff_fit_data *data = &m->data;
    const char *names[FF_LAW_PARAMS], *others[FF_LAW_PARAMS], *list = args_text(a, "free");
    char text[256] = "";
    if (list && strlen(list) >= sizeof text) {
        return args_error(a, "'--free' is too long");
    }
    snprintf(text, sizeof text, "%s", list ? list : "");
    contact_point(c, 0, &law, &o->mass, &speed, NULL);
    /* without a list, ff_fit() estimates the damping of impacts by default */
    if (list || data->force || args_given(a, "free-k")) {
        o->free_count = free_names(c, list ? text : NULL, names);
        o->free = names;
    }
    size_t count = choose(a, &law, o->mass, data, o->gravity, laws);
    result results[CONTACT_LAWS + 1];
    int status = 0;
    for (size_t i = 0; i < count; i++) {
        if (i > 0) {
            /* the same scatter for all, so that they are compared on the same data */
            o->scatter = results[0].fit.scatter;
            o->free = args_given(a, "free-k") ? others : NULL;
            o->free_count = o->free ? contact_force_params(laws[i].law, others) : 0;
        }
        solve(&results[i], &laws[i], data, o);
        if (i == 0 && results[0].status < 0) {
            status = failed(a, &results[0], m);
            free(results[0].residuals);
            return status;
        }
    }
    if (count > 1) {
        qsort(results, count, sizeof *results, by_criterion);
    }
    if (args_given(a, "json")) {
        print_json(results, count, o->mass, m, o);
    } else {
        contact_print_derived(c, stdout);
        printf("data: %s, %zu rows", kind_names[data->kind], data->count);
        for (size_t i = 0; i < m->unused_count; i++) {
            printf("%s '%s'", i ? "," : "; columns ignored:", m->unused[i]);
        }
        printf("\n");
        if (count > 1) {
            print_compared(results, count);
        } else {
            print_one(&results[0], data);
        }
    }
    if (args_given(a, "plot")) {
        status = draw(a, results, count, o->mass, data);
    }
    for (size_t i = 0; i < count; i++) {
        free(results[i].residuals);
    }
    return status;
}

/* Options for one kind of data only. */
static int read_options(const args *a, const ff_fit_data *data, ff_fit_options *o) {
    static const char *const measured_ones[] = {"speed", "drop"}, *const falling[] = {"gravity",
                                                                                      "scatter"};
    args_want gravity = args_want_any(NULL), level = args_want_any(NULL), speed = gravity;
    size_t scatter = 2;
    int status = data->kind == FF_FIT_FORCE_TIME
                     ? args_refuse(a, measured_ones + 1, 1, "is in the data: leave it out")
                     : args_refuse(a, measured_ones, 2, "is in the data: leave it out");
    if (!status && !bouncing(data)) {
        status = args_refuse(a, falling, 2, "is for bounces and heights");
    }
    gravity.least = speed.least = level.least = FF_POSITIVE;
    gravity.fallback = o->gravity;
    level.fallback = o->level;
    level.most = 0.999999;
    status = status ? status : args_number(a, "gravity", &gravity, &o->gravity);
    status = status ? status : args_number(a, "level", &level, &o->level);
    status = status ? status : args_choice(a, "scatter", scatter_names, 2, &scatter);
    if (!status && args_given(a, "speed")) {
        status = args_number(a, "speed", &speed, &o->speed);
    }
    o->scatter =
        scatter < 2 ? (ff_fit_scatter)(scatter + FF_FIT_SCATTER_READINGS) : FF_FIT_SCATTER_AUTO;
    return status;
}

static int run(const args *a) {
    measured m = {0};
    contact c;
    ff_fit_options o = ff_fit_options_default();
    static const char *const bodies[] = {"materials", "E", "nu"}, *const lists[] = {"free-k"};
    int status = show_plot_check(a);
    if (!status && args_given(a, "free-k")) {
        status = args_refuse(a, bodies, 3, "cannot be used with --free-k");
    }
    if (!status && args_given(a, "free")) {
        status = args_refuse(a, lists, 1, "cannot be used with --free: name k there");
    }
    status = status ? status : read_data(a, &m);
    status = status ? status : read_options(a, &m.data, &o);
    if (!status) {
        const unsigned free_k = args_given(a, "free-k") ? CONTACT_FREE_K : 0;
        const unsigned need = m.data.force ? CONTACT_FREE_MISSING : CONTACT_FREE_DAMPING | free_k;
        const unsigned massless = m.data.kind == FF_FIT_FORCE_DEPTH ? CONTACT_NO_MASS : 0;
        status = contact_read_free(&c, a, need | CONTACT_NO_SPEED | massless, args_text(a, "free"));
        if (!status) {
            status = free_k && c.sized
                         ? args_error(a, "'--%s' cannot be used with --free-k", c.stiffness)
                     : c.mass.count == 1
                         ? fit(a, &c, &m, &o)
                         : args_error(a, "fit takes one mass, or two of two bodies");
            contact_clear(&c);
        }
    }
    csv_clear(&m.file);
    free(m.values);
    return status;
}

int command_fit(int argc, char **argv) { return contact_command(&command, false, argc, argv, run); }
