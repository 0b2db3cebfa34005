/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "commands.h"
#include "contact.h"
#include "contact_options.h"
#include "show.h"
#include "table.h"
#include <footfall/elementary.h>
#include <footfall/unit.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const args_option options[] = {
    {"compare", "LAWS", NULL,
     "several laws, or `all`: e against speed, with parameters that give the same restitution and "
     "depth at one speed",
     false, 0},
    {"restitution", "E", "1", "for --compare", false, 0},
    {"max-depth", "Z", "m", "for --compare", false, 0},
    {"at", "V", "m/s", "for --compare", false, 0},
    {"plot", "FILE", NULL, "draw e against speed; .svg, .png or .pdf", true, 0},
    {"json", "", "", "print one JSON object", false, 0},
};

static const args_command command = {
    .name = "restitution",
    .usage = "--normal LAW [parameters] --mass M --speed V [options]",
    .summary =
        "Computes a free impact under a normal law: coefficient of restitution, contact time until "
        "the force ends, maximum depth and force, energy lost. Speeds and parameters may be a list "
        "(0.1,1,10), a range (0:5:51) or a logarithmic range (1e-3:10:100log).",
    .examples = "footfall restitution --normal azad-featherstone --k 8.5e6 --lambda 3.1e3 --mass "
                "154g --speed 1\n"
                "footfall restitution --normal hunt-crossley --k 8.5e6 --lambda 3.1e6 --mass 154g "
                "--speed 1mm/s:10m/s:9log\n"
                "footfall restitution --normal azad-featherstone --materials steel,cork --radius "
                "1.65cm --lambda 50 --speed 1\n"
                "footfall restitution --compare all --restitution 0.8 --max-depth 0.7mm --at 1 "
                "--mass 154g --speed 0.01:10:7log",
    .options = options,
    .option_count = sizeof options / sizeof *options,
};

/* ---- one law ---- */

static int draw_points(const args *a, const contact *c, const ff_impact *points, size_t count) {
    size_t groups = count / c->speed.count;
    double *x = malloc(2 * count * sizeof *x);
    ff_plot_curve *curves = calloc(groups, sizeof *curves);
    char(*names)[80] = calloc(groups, sizeof *names);
    int status = 1;
    if (x && curves && names) {
        for (size_t i = 0; i < count; i++) {
            x[i] = points[i].speed;
            x[count + i] = points[i].restitution;
        }
        for (size_t g = 0; g < groups; g++) {
            for (size_t j = 0; j < contact_swept(c); j++) {
                size_t used = strlen(names[g]);
                snprintf(names[g] + used, sizeof *names - used, "%s%s = %g", j ? ", " : "",
                         contact_swept_name(c, j), contact_swept_value(c, j, g * c->speed.count));
            }
            curves[g] =
                (ff_plot_curve){.name = groups > 1 ? names[g] : c->law->name,
                                .x = x + g * c->speed.count,
                                .y = x + count + g * c->speed.count,
                                .count = c->speed.count,
                                .style = c->speed.count > 1 ? FF_PLOT_LINES : FF_PLOT_POINTS};
        }
        double first = c->speed.values[0], last = c->speed.values[c->speed.count - 1];
        status = show_plot(a, &(ff_plot){.title = c->law->formula,
                                         .x_label = "speed at touch-down (m/s)",
                                         .y_label = "coefficient of restitution",
                                         .x_log = first > 0 && last > 0 &&
                                                  (last / first > 50 || first / last > 50),
                                         .curves = curves,
                                         .curve_count = groups});
    }
    free(x);
    free(curves);
    free(names);
    return status;
}

static void print_points(const contact *c, const ff_impact *points, size_t count) {
    table_column columns[FF_LAW_PARAMS + 8];
    size_t swept = contact_swept(c), n = 0;
    for (size_t j = 0; j < swept; j++) {
        columns[n++] = (table_column){contact_swept_name(c, j), NULL};
    }
    static const table_column fixed[] = {
        {"speed", "m/s"},   {"restitution", NULL}, {"impulse ratio", NULL}, {"contact time", "s"},
        {"max depth", "m"}, {"max force", "N"},    {"energy lost", "J"}};
    memcpy(columns + n, fixed, sizeof fixed);
    table t;
    table_init(&t, columns, n + sizeof fixed / sizeof *fixed);
    for (size_t i = 0; i < count; i++) {
        for (size_t j = 0; j < swept; j++) {
            table_number(&t, contact_swept_value(c, j, i));
        }
        table_number(&t, points[i].speed);
        table_number(&t, points[i].restitution);
        table_number(&t, points[i].impulse_ratio);
        if (isinf(points[i].contact_time)) {
            table_text(&t, "never ends");
        } else {
            table_number(&t, points[i].contact_time);
        }
        table_number(&t, points[i].max_depth);
        table_number(&t, points[i].max_force);
        table_number(&t, points[i].energy_lost);
    }
    table_print(&t, stdout);
    table_clear(&t);
}

/* The sticking speed of one law and one mass; NAN if several are swept, or without adhesion. */
static double sticking_speed(const contact *c) {
    ff_normal law;
    double mass, speed;
    if (contact_swept(c) > 0) {
        return (double)NAN;
    }
    contact_point(c, 0, &law, &mass, &speed, NULL);
    return show_sticking_speed(&law, mass);
}

static void print_json(const contact *c, const ff_impact *points, size_t count) {
    const double sticks = sticking_speed(c);
    ff_json j = {.out = stdout};
    ff_json_object(&j, NULL);
    contact_json_derived(c, &j);
    contact_json_parameters(c, &j);
    if (!isnan(sticks)) {
        ff_json_number(&j, "sticking_speed", sticks);
    }
    ff_json_array(&j, "points");
    for (size_t i = 0; i < count; i++) {
        ff_json_object(&j, NULL);
        show_impact_json(&j, &points[i]);
        for (size_t s = 0; s < contact_swept(c); s++) {
            ff_json_number(&j, contact_swept_name(c, s), contact_swept_value(c, s, i));
        }
        ff_json_end(&j);
    }
    ff_json_end(&j);
    ff_json_end(&j);
}

/* One impact, or its limit at speed 0. For a power law delta is proportional to v^((2p+1-n)/(n+1)), so e tends to 1 or 0 or
 * is constant, and a contact with n > 1 takes longer and longer. For any other law e is evaluated at a speed that is slow
 * compared with all scales, and times have a limit if they have one there. */
static ff_status solve_at(const ff_normal *law, double mass, double speed, ff_impact *out) {
    if (speed > 0) {
        return ff_impact_solve(law, mass, speed, out);
    }
    const double slow = 1e-12;
    ff_power power;
    ff_impact faster;
    bool known = ff_normal_power(law, 0, &power);
    bool steady = known && 2 * power.p + 1 == power.n;
    ff_status status = ff_impact_solve(law, mass, steady ? 1 : slow, out);
    if (status >= 0 && !known) {
        status = ff_impact_solve(law, mass, 1e3 * slow, &faster);
    }
    double e = steady || !known                                 ? out->restitution
               : power.lambda == 0 || 2 * power.p + 1 > power.n ? 1
                                                                : 0;
    bool longer = known ? power.n > 1 : out->contact_time > 1.01 * faster.contact_time;
    double time = longer ? HUGE_VAL : out->contact_time;
    *out = (ff_impact){.mass = mass,
                       .restitution = e,
                       .impulse_ratio = e,
                       .loss = 1 - e,
                       .contact_time = time,
                       .clear_time = time};
    return status;
}

static int run_points(const args *a) {
    contact c;
    int status = contact_read(&c, a, CONTACT_ZERO_SPEED);
    if (status) {
        return status;
    }
    size_t count = contact_count(&c);
    ff_impact *points = malloc(count * sizeof *points);
    if (!points) {
        contact_clear(&c);
        args_error(a, "out of memory for %zu points", count);
        return 1;
    }
    for (size_t i = 0; i < count && !status; i++) {
        ff_normal law;
        double mass, speed;
        contact_point(&c, i, &law, &mass, &speed, NULL);
        ff_status done = solve_at(&law, mass, speed, &points[i]);
        if (done < 0) {
            args_error(a, "at speed %g m/s: %s", speed, ff_status_text(done));
            status = 1;
        }
    }
    if (!status && args_given(a, "json")) {
        print_json(&c, points, count);
    } else if (!status) {
        printf("%s: %s\n", c.law->name, c.law->formula);
        contact_print_words(&c, stdout);
        contact_print_derived(&c, stdout);
        print_points(&c, points, count);
        if (!isnan(sticking_speed(&c))) {
            printf("sticks below %.6g m/s\n", sticking_speed(&c));
        }
    }
    if (!status && args_given(a, "plot")) {
        status = draw_points(a, &c, points, count);
    }
    free(points);
    contact_clear(&c);
    return status;
}

/* ---- several laws with the same impact at one speed ---- */

static int add_law(const args *a, const char *name, size_t length, ff_normal *laws, size_t *count) {
    char word[64] = "";
    const char *names[CONTACT_LAWS];
    size_t known = 0;
    bool found = false;
    if (*count == CONTACT_LAWS) {
        return args_error(a, "--compare takes at most %d laws", CONTACT_LAWS);
    }
    if (length < sizeof word) {
        memcpy(word, name, length);
    }
    const ff_normal_law *law;
    for (size_t i = 0; known < CONTACT_LAWS && (law = ff_normal_law_at(i)) && !found; i++) {
        if (contact_damped(law, &laws[*count])) {
            names[known++] = law->name;
            found = strcmp(word, law->name) == 0;
        }
    }
    if (!found) {
        const char *near = ff_word_nearest(word, names, known);
        return args_error(a, "--compare has no law '%.*s' with a free damping%s%s%s", (int)length,
                          name, near ? " (did you mean '" : "", near ? near : "",
                          near ? "'?)" : "");
    }
    ++*count;
    return 0;
}

static int read_laws(const args *a, ff_normal *laws, size_t *count) {
    const char *text = args_text(a, "compare");
    *count = 0;
    if (strcmp(text, "all") == 0) {
        *count = contact_damped_laws(laws, true);
        return 0;
    }
    while (true) {
        size_t length = strcspn(text, ",");
        int status = add_law(a, text, length, laws, count);
        if (status || text[length] == '\0') {
            return status;
        }
        text += length + 1;
    }
}

/* e of law l at speed i, in e[l*speeds + i] */
static void show_compared(const ff_normal *laws, size_t count, const args_list *speed,
                          const double *e, double mass, bool as_json) {
    if (as_json) {
        ff_json j = {.out = stdout};
        ff_json_object(&j, NULL);
        ff_json_number(&j, "mass", mass);
        ff_json_numbers(&j, "speed", speed->values, speed->count);
        ff_json_array(&j, "laws");
        for (size_t l = 0; l < count; l++) {
            ff_json_object(&j, NULL);
            ff_json_string(&j, "law", laws[l].law->name);
            show_law_json(&j, "parameters", &laws[l]);
            ff_json_numbers(&j, "restitution", e + l * speed->count, speed->count);
            ff_json_end(&j);
        }
        ff_json_end(&j);
        ff_json_end(&j);
        return;
    }
    table_column columns[CONTACT_LAWS + 1] = {{"speed", "m/s"}};
    table t;
    for (size_t l = 0; l < count; l++) {
        columns[l + 1] = (table_column){laws[l].law->name, NULL};
        show_law(stdout, &laws[l]);
    }
    printf("\nrestitution\n");
    table_init(&t, columns, count + 1);
    for (size_t i = 0; i < speed->count; i++) {
        table_number(&t, speed->values[i]);
        for (size_t l = 0; l < count; l++) {
            table_number(&t, e[l * speed->count + i]);
        }
    }
    table_print(&t, stdout);
    table_clear(&t);
}

static int run_compare(const args *a) {
    ff_normal laws[CONTACT_LAWS];
    size_t count;
    args_list speed = {0};
    double wanted, depth, at, mass;
    args_want positive = args_want_any(NULL), fraction = positive;
    positive.least = fraction.least = FF_POSITIVE;
    fraction.most = 1 - 1e-9;
    int status = read_laws(a, laws, &count);
    status = status ? status : args_number(a, "restitution", &fraction, &wanted);
    status = status ? status : args_number(a, "max-depth", &positive, &depth);
    status = status ? status : args_number(a, "at", &positive, &at);
    status = status ? status : args_number(a, "mass", &positive, &mass);
    status = status ? status : contact_speeds(a, &positive, &speed);
    if (status) {
        return status;
    }
    /* the table has the requested speeds, the picture smooth curves between the outermost */
    enum { SMOOTH = 200 };
    double *e = malloc((count * (speed.count + SMOOTH) + SMOOTH) * sizeof *e);
    double *x = e + count * speed.count, *y = x + SMOOTH;
    ff_plot_curve curves[CONTACT_LAWS];
    double low = HUGE_VAL, high = 0;
    for (size_t i = 0; i < speed.count; i++) {
        low = fmin(low, speed.values[i]);
        high = fmax(high, speed.values[i]);
    }
    for (size_t i = 0; e && i < SMOOTH; i++) {
        x[i] = low * ff_math.pow(high / low, (double)i / (SMOOTH - 1));
    }
    for (size_t l = 0; l < count; l++) {
        ff_status done =
            e ? ff_design_max_depth(&laws[l], mass, at, -ff_math.log(wanted), depth) : FF_NO_MEMORY;
        if (done != FF_OK) {
            args_error(a, "%s: %s", laws[l].law->name, ff_status_text(done));
            status = 1;
            break;
        }
        for (size_t i = 0; i < speed.count; i++) {
            e[l * speed.count + i] = ff_impact_restitution(&laws[l], mass, speed.values[i]);
        }
        for (size_t i = 0; i < SMOOTH; i++) {
            y[l * SMOOTH + i] = ff_impact_restitution(&laws[l], mass, x[i]);
        }
        curves[l] =
            (ff_plot_curve){laws[l].law->name, x, y + l * SMOOTH, SMOOTH, FF_PLOT_LINES, 0, NULL};
        /* dots leave an equal curve below visible */
        for (size_t other = 0; other < l; other++) {
            double gap = 0;
            for (size_t i = 0; i < SMOOTH; i++) {
                gap = fmax(gap, fabs(y[l * SMOOTH + i] - y[other * SMOOTH + i]));
            }
            curves[l].style = gap < 1e-6 ? FF_PLOT_DOTTED : curves[l].style;
        }
    }
    if (!status) {
        show_compared(laws, count, &speed, e, mass, args_given(a, "json"));
        char title[120];
        snprintf(title, sizeof title, "Laws with e = %g and depth %g mm at %g m/s", wanted,
                 depth * 1e3, at);
        status = show_plot(a, &(ff_plot){.title = title,
                                         .x_label = "speed at touch-down (m/s)",
                                         .y_label = "coefficient of restitution",
                                         .x_log = high / low > 10,
                                         .curves = curves,
                                         .curve_count = count});
    }
    free(e);
    args_list_free(&speed);
    return status;
}

static int run(const args *a) {
    static const char *const shared[] = {"mass", "speed", "drop", "plot", "json"};
    static const char *const of_several[] = {"restitution", "max-depth", "at"};
    int status = show_plot_check(a);
    if (status) {
        return status;
    }
    if (!args_given(a, "compare")) {
        status = args_refuse(a, of_several, 3,
                             "can only be used with --compare (see `footfall design`)");
        return status ? status : run_points(a);
    }
    /* --compare has its own options and shares a few; all others describe a single contact */
    for (size_t i = 0; i < a->command->option_count && !status; i++) {
        const char *name = a->command->options[i].name;
        bool goes = strcmp(name, "compare") == 0;
        for (size_t j = 0; j < sizeof shared / sizeof *shared; j++) {
            goes = goes || strcmp(name, shared[j]) == 0;
        }
        for (size_t j = 0; j < 3; j++) {
            goes = goes || strcmp(name, of_several[j]) == 0;
        }
        status =
            goes ? 0
                 : args_refuse(a, &name, 1,
                               "cannot be used with --compare, which finds the parameters itself");
    }
    return status ? status : run_compare(a);
}

int command_restitution(int argc, char **argv) {
    return contact_command(&command, true, argc, argv, run);
}
