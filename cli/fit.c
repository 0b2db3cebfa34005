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

static const args_option options[] = {
    {"free-k", "", "", "find k as well, from a column contact_time", false, 0},
    {"compare", "", "", "fit every law with a free damping and rank them by AIC", false, 0},
    {"plot", "FILE", NULL, "draw data and fit; .svg, .png or .pdf", true, 0},
    {"json", "", "", "print one JSON object", false, 0},
};

static const args_command command = {
    .name = "fit",
    .usage =
        "DATA.csv --normal LAW --mass M (--k K | --materials A,B --radius R | --free-k) [options]",
    .summary =
        "Damping of a normal law from measured restitution, by least squares. DATA.csv has columns "
        "speed (m/s) and restitution, and may have sigma (standard deviation of restitution) and "
        "contact_time (s) with time_sigma (default 1 %). Restitution depends on lambda and k "
        "through "
        "one group only, so k must be given, follow from materials, or be found from contact "
        "times.",
    .examples = "footfall fit drop.csv --normal azad-featherstone --mass 154g --k 8.5e6\n"
                "footfall fit drop.csv --normal azad-featherstone --materials steel,cork --radius "
                "1.65cm --plot fit.svg\n"
                "footfall fit drop.csv --normal azad-featherstone --mass 154g --k 8.5e6 --compare",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .words_least = 1,
    .words_most = 1,
};

static int read_data(const args *a, csv *file, ff_fit_data *data) {
    static const char *const known[] = {"speed", "restitution", "sigma", "contact_time",
                                        "time_sigma"};
    char why[300];
    if (csv_read(file, args_word(a, 0), why, sizeof why)) {
        return args_error(a, "%s", why);
    }
    for (size_t i = 0; i < file->columns; i++) {
        bool found = false;
        for (size_t j = 0; j < 5; j++) {
            found = found || strcmp(known[j], file->names[i]) == 0;
        }
        if (!found) {
            const char *near = ff_word_nearest(file->names[i], known, 5);
            return args_error(a, "%s:%d:%zu: unknown column '%s'%s%s%s", args_word(a, 0),
                              file->head, file->name_places[i], file->names[i],
                              near ? " (did you mean '"
                                   : " (known: speed, restitution, sigma, contact_time, time_sigma",
                              near ? near : "", near ? "'?)" : ")");
        }
    }
    *data = (ff_fit_data){.count = file->rows,
                          .speed = csv_column(file, "speed"),
                          .restitution = csv_column(file, "restitution"),
                          .sigma = csv_column(file, "sigma"),
                          .contact_time = csv_column(file, "contact_time"),
                          .time_sigma = csv_column(file, "time_sigma")};
    if (!data->speed || !data->restitution) {
        return args_error(a, "%s: columns speed and restitution are needed", args_word(a, 0));
    }
    static const struct {
        const char *name, *rule;
        double most;
        bool optional;
    } rules[] = {{"speed", "speed must be > 0", INFINITY, false},
                 {"restitution", "restitution must be in (0, 2)", 2, false},
                 {"sigma", "sigma must be > 0", INFINITY, false},
                 {"contact_time", "contact_time must be > 0", INFINITY, true},
                 {"time_sigma", "time_sigma must be > 0", INFINITY, true}};
    for (size_t i = 0; i < file->rows * file->columns; i++) {
        size_t column = i % file->columns, row = i / file->columns;
        double value = file->values[column * file->rows + row];
        for (size_t r = 0; r < sizeof rules / sizeof *rules; r++) {
            bool good = (value > 0 && value < rules[r].most) || (isnan(value) && rules[r].optional);
            if (strcmp(rules[r].name, file->names[column]) == 0 && !good) {
                return args_error(a, "%s:%d:%zu: %s", args_word(a, 0), file->lines[row],
                                  file->places[i], rules[r].rule);
            }
        }
    }
    return 0;
}

typedef struct {
    ff_normal law;
    ff_fit fit;
    double *residuals;
    ff_status status;
    ff_error error;
} result;

static void solve(result *r, const ff_normal *law, double mass, const ff_fit_data *data,
                  bool free_k) {
    r->law = *law;
    r->error.text[0] = '\0';
    r->residuals = malloc(data->count * sizeof *r->residuals);
    r->status = r->residuals ? ff_fit_restitution(&r->law, mass, data, free_k, &r->fit,
                                                  r->residuals, &r->error)
                             : FF_NO_MEMORY;
}

static void json_result(ff_json *j, const result *r, const ff_fit_data *data) {
    ff_json_object(j, NULL);
    ff_json_string(j, "law", r->law.law->name);
    if (r->status < 0) {
        ff_json_string(j, "error", *r->error.text ? r->error.text : ff_status_text(r->status));
        ff_json_end(j);
        return;
    }
    show_law_json(j, "parameters", &r->law);
    ff_json_number(j, "lambda", r->fit.lambda);
    ff_json_number(j, "lambda_error", r->fit.lambda_error);
    ff_json_number(j, "k", r->fit.k);
    ff_json_number(j, "k_error", r->fit.k_error);
    ff_json_number(j, "correlation", r->fit.unknowns == 2 ? r->fit.correlation : (double)NAN);
    ff_json_number(j, "chi2", r->fit.chi2);
    ff_json_number(j, "rms", r->fit.rms);
    ff_json_number(j, "aic", r->fit.aic);
    ff_json_integer(j, "unknowns", r->fit.unknowns);
    ff_json_integer(j, "evaluations", r->fit.iterations);
    ff_json_numbers(j, "residuals", r->residuals, data->count);
    ff_json_end(j);
}

static void print_one(const result *r, const ff_fit_data *data) {
    static const table_column columns[] = {
        {"speed", "m/s"}, {"measured", NULL}, {"fitted", NULL}, {"residual", NULL}};
    table t;
    show_law(stdout, &r->law);
    printf("lambda = %.6g +- %.2g (one standard error)\n", r->fit.lambda, r->fit.lambda_error);
    if (r->fit.unknowns == 2) {
        printf("k      = %.6g +- %.2g, correlation with lambda %.3f\n", r->fit.k, r->fit.k_error,
               r->fit.correlation);
    }
    printf("rms residual of e %.3g, AIC %.4g, %zu points%s\n", r->fit.rms, r->fit.aic, data->count,
           data->sigma ? "" : " (sigma unknown: errors from the scatter)");
    table_init(&t, columns, 4);
    for (size_t i = 0; i < data->count; i++) {
        table_number(&t, data->speed[i]);
        table_number(&t, data->restitution[i]);
        table_number(&t, data->restitution[i] - r->residuals[i]);
        table_number(&t, r->residuals[i]);
    }
    table_print(&t, stdout);
    table_clear(&t);
}

/* ranked, the best first; differences of AIC say how much worse a law is */
static void print_compared(const result *results, size_t count) {
    static const table_column columns[] = {{"law", NULL},   {"lambda", "SI"},
                                           {"error", "SI"}, {"rms residual", NULL},
                                           {"AIC", NULL},   {"worse by", NULL}};
    table t;
    table_init(&t, columns, 6);
    for (size_t i = 0; i < count; i++) {
        const result *r = &results[i];
        table_text(&t, r->law.law->name);
        if (r->status < 0) {
            for (int cell = 0; cell < 4; cell++) {
                table_text(&t, "-");
            }
            table_text(&t, ff_status_text(r->status));
            continue;
        }
        table_number(&t, r->fit.lambda);
        table_number(&t, r->fit.lambda_error);
        table_number(&t, r->fit.rms);
        table_number(&t, r->fit.aic);
        table_number(&t, r->fit.aic - results[0].fit.aic);
    }
    table_print(&t, stdout);
    table_clear(&t);
    printf("A law that is worse by more than about 10 has no support in these data.\n");
}

static int by_aic(const void *x, const void *y) {
    const result *a = x, *b = y;
    double u = a->status < 0 ? HUGE_VAL : a->fit.aic, v = b->status < 0 ? HUGE_VAL : b->fit.aic;
    return (u > v) - (u < v);
}

static int draw(const args *a, const result *results, size_t count, double mass,
                const ff_fit_data *data) {
    enum { samples = 120 };
    double low = INFINITY, high = 0, *xy = malloc((count + 1) * samples * sizeof *xy);
    ff_plot_curve *curves = calloc(count + 1, sizeof *curves);
    int status = 1;
    for (size_t i = 0; i < data->count; i++) {
        low = fmin(low, data->speed[i]);
        high = fmax(high, data->speed[i]);
    }
    if (xy && curves) {
        size_t used = 0;
        curves[used++] = (ff_plot_curve){"measured",  data->speed,    data->restitution,
                                         data->count, FF_PLOT_POINTS, 0};
        for (size_t i = 0; i < samples; i++) {
            xy[i] = low * 0.9 * ff_math.pow(high / low * 1.2, (double)i / (samples - 1));
        }
        for (size_t r = 0; r < count; r++) {
            double *y = xy + (r + 1) * samples;
            for (size_t i = 0; i < samples; i++) {
                y[i] = ff_impact_restitution(&results[r].law, mass, xy[i]);
            }
            if (results[r].status >= 0) {
                curves[used++] =
                    (ff_plot_curve){results[r].law.law->name, xy, y, samples, FF_PLOT_LINES, 0};
            }
        }
        status = show_plot(a, &(ff_plot){.title = "Restitution, measured and fitted",
                                         .x_label = "speed at touch-down (m/s)",
                                         .y_label = "coefficient of restitution",
                                         .x_log = high / low > 10,
                                         .curves = curves,
                                         .curve_count = used});
    }
    free(xy);
    free(curves);
    return status;
}

/* The laws to fit: the named one first, and with --compare the others whose damping can be chosen. e shows delta alone, so
 * each may have any k; it gets the one that gives the same depth without damping at the mean speed,
 * (n+1)/2 m v^2 = k z^(n+1), so that its lambda can be used. */
static size_t choose(const args *a, const ff_normal *law, double mass, const ff_fit_data *data,
                     ff_normal *out) {
    ff_normal others[CONTACT_LAWS];
    ff_power own, other;
    size_t count = 1, all;
    double log_v = 0;
    out[0] = *law;
    if (!args_given(a, "compare") || !ff_normal_power(law, 1, &own)) {
        return count;
    }
    for (size_t i = 0; i < data->count; i++) {
        log_v += ff_math.log(data->speed[i]) / (double)data->count;
    }
    double energy = mass * ff_math.exp(2 * log_v) / 2;
    double depth = ff_math.pow((own.n + 1) * energy / own.k, 1 / (own.n + 1));
    all = contact_damped_laws(others);
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

static int fit(const args *a, const contact *c, const ff_fit_data *data) {
    ff_normal law, laws[CONTACT_LAWS + 1];
    double mass, speed;
    bool free_k = args_given(a, "free-k");
    contact_point(c, 0, &law, &mass, &speed, NULL);
    size_t count = choose(a, &law, mass, data, laws);
    result results[CONTACT_LAWS + 1];
    int status = 0;
    for (size_t i = 0; i < count; i++) {
        solve(&results[i], &laws[i], mass, data, free_k);
    }
    if (results[0].status < 0) {
        args_error(a, "%s",
                   *results[0].error.text ? results[0].error.text
                                          : ff_status_text(results[0].status));
        status = results[0].status == FF_BAD_VALUE ? 2 : 1;
    }
    if (count > 1) {
        qsort(results, count, sizeof *results, by_aic);
    }
    if (!status && args_given(a, "json")) {
        ff_json j = {.out = stdout};
        ff_json_object(&j, NULL);
        ff_json_integer(&j, "points", (long long)data->count);
        ff_json_number(&j, "mass", mass);
        ff_json_array(&j, "fits");
        for (size_t i = 0; i < count; i++) {
            json_result(&j, &results[i], data);
        }
        ff_json_end(&j);
        ff_json_end(&j);
    } else if (!status) {
        contact_print_derived(c, stdout);
        if (count > 1) {
            print_compared(results, count);
        } else {
            print_one(&results[0], data);
        }
    }
    if (!status && args_given(a, "plot")) {
        status = draw(a, results, count, mass, data);
    }
    for (size_t i = 0; i < count; i++) {
        free(results[i].residuals);
    }
    return status;
}

static int run(const args *a) {
    csv file = {0};
    ff_fit_data data;
    contact c;
    static const char *const measured[] = {"speed", "drop"};
    static const char *const bodies[] = {"materials", "E", "nu"};
    int status = show_plot_check(a);
    status = status ? status : args_refuse(a, measured, 2, "is in the data: leave it out");
    if (!status && args_given(a, "free-k")) {
        status = args_refuse(a, bodies, 3, "does not go with --free-k");
    }
    status = status ? status : read_data(a, &file, &data);
    if (!status) {
        unsigned free_k = args_given(a, "free-k") ? CONTACT_FREE_K : 0;
        status = contact_read(&c, a, CONTACT_FREE_DAMPING | CONTACT_NO_SPEED | free_k);
        if (!status) {
            status =
                free_k && c.sized   ? args_error(a, "'--%s' does not go with --free-k", c.stiffness)
                : c.mass.count == 1 ? fit(a, &c, &data)
                                    : args_error(a, "fit takes one mass, or two of two bodies");
            contact_clear(&c);
        }
    }
    csv_clear(&file);
    return status;
}

int command_fit(int argc, char **argv) { return contact_command(&command, false, argc, argv, run); }
