/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "args.h"
#include "commands.h"
#include "law_values.h"
#include "show.h"
#include "table.h"
#include "verify.h"
#include <footfall/elementary.h>
#include <footfall/footfall.h>
#include <footfall/json.h>
#include <footfall/unit.h>
#include <math.h>
#include <string.h>

static const args_option options[] = {
    {"materials", "", "", "list the materials and where their values come from", false, 0},
    {"markdown", "", "", "print the catalogue as docs/laws.md has it", false, 0},
    {"plot", "FILE", NULL, "draw e against the dimensionless damping delta; .svg, .png or .pdf",
     true, 0},
    {"verify", "", "",
     "check that the parts of a law are consistent: balance, signs, slopes, roots", false, 0},
    {"seed", "N", "1", "with --verify: seed of the random parameters", false, 0},
    {"json", "", "", "print one JSON object", false, 0},
};

static const args_command command = {
    .name = "laws",
    .usage = "[NAME] [options]",
    .summary = "Lists the force laws, or describes one: formula, parameters with unit, range and "
               "default, source and range of validity.",
    .examples = "footfall laws\nfootfall laws azad-featherstone\nfootfall laws --materials\n"
                "footfall laws --verify clutch",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .words_most = 1,
};

/* common part of the tables of normal and friction laws */
typedef struct {
    const char *kind, *name, *formula, *source, *limits;
    const ff_param *params;
} entry;

static bool entry_at(size_t i, entry *out) {
    size_t normals = 0;
    while (ff_normal_law_at(normals)) {
        normals++;
    }
    const ff_normal_law *n = ff_normal_law_at(i);
    const ff_friction_law *f = i >= normals ? ff_friction_law_at(i - normals) : NULL;
    if (n) {
        *out = (entry){"normal", n->name, n->formula, n->source, n->limits, n->params};
    } else if (f) {
        *out = (entry){"friction", f->name, f->formula, f->source, f->limits, f->params};
    }
    return n || f;
}

static void range_text(const ff_param *param, char *buf, size_t size) {
    bool open = param->least == FF_POSITIVE;
    if (param->words) {
        snprintf(buf, size, "%s", param->words[0]);
        for (size_t i = 1; param->words[i]; i++) {
            snprintf(buf + strlen(buf), size - strlen(buf), ", %s", param->words[i]);
        }
    } else if (open && isinf(param->most)) {
        snprintf(buf, size, "> 0");
    } else if (open) {
        snprintf(buf, size, "> 0, <= %g", param->most);
    } else if (isinf(param->most)) {
        snprintf(buf, size, ">= %g", param->least);
    } else {
        snprintf(buf, size, "%g to %g", param->least, param->most);
    }
}

static void default_text(const ff_param *param, char *buf, size_t size) {
    if (param->words) {
        snprintf(buf, size, "%s", param->words[(size_t)param->fallback]);
    } else if (isnan(param->fallback)) {
        snprintf(buf, size, "required");
    } else if (param->fallback == FF_DERIVED) {
        snprintf(buf, size, "derived");
    } else {
        snprintf(buf, size, "%g", param->fallback);
    }
}

static void print_entry(const entry *e) {
    printf("%s%s%s (%s law)\n  %s\n", table_colour(stdout, TONE_BOLD), e->name,
           table_colour(stdout, TONE_PLAIN), e->kind, e->formula);
    if (*e->source) {
        printf("  from: %s\n", e->source);
    }
    printf("  limits: %s\n", e->limits);
    for (const ff_param *p = e->params; p->name; p++) {
        char range[80], fallback[40];
        range_text(p, range, sizeof range);
        default_text(p, fallback, sizeof fallback);
        printf("  %-11s %-12s %-16s %-9s %s\n", p->name, p->unit ? p->unit : "word", range,
               fallback, p->meaning);
    }
}

static void print_markdown(void) {
    entry e;
    const char *kind = "";
    printf(
        "# Force laws\n\nMade by `footfall laws --markdown` from the tables the library itself "
        "uses.\n\nSigns: z > 0 is penetration, zdot > 0 is closing, F > 0 pushes apart; v is the "
        "velocity of the touching points against each other, N the normal force.\n");
    for (size_t i = 0; entry_at(i, &e); i++) {
        if (strcmp(kind, e.kind) != 0) {
            kind = e.kind;
            printf("\n## %s laws\n", strcmp(kind, "normal") == 0 ? "Normal" : "Friction");
        }
        printf("\n### %s\n\n`%s`\n\n", e.name, e.formula);
        if (*e.source) {
            printf("%s. ", e.source);
        }
        printf("%s\n", e.limits);
        for (const ff_param *p = e.params; p->name; p++) {
            char range[80], fallback[40];
            range_text(p, range, sizeof range);
            default_text(p, fallback, sizeof fallback);
            if (p == e.params) {
                printf(
                    "\n| parameter | unit | range | default | meaning |\n| --- | --- | --- | --- | "
                    "--- |\n");
            }
            printf("| `%s` | %s | %s | %s | %s |\n", p->name, p->unit ? p->unit : "", range,
                   fallback, p->meaning);
        }
    }
    printf(
        "\n## Materials\n\n| material | E (GPa) | nu | density (kg/m^3) | strength (MPa) | source "
        "|\n| --- | --- | --- | --- | --- | --- |\n");
    for (size_t i = 0; ff_material_at(i); i++) {
        const ff_material *m = ff_material_at(i);
        printf("| %s | %g | %g | %g | %g | %s |\n", m->name, m->E / 1e9, m->nu, m->density,
               m->strength / 1e6, m->source);
    }
    printf(
        "\nTwo materials combine as 1/E* = (1 - nu1^2)/E1 + (1 - nu2^2)/E2, two spheres as 1/R = "
        "1/R1 + 1/R2; the stiffness of a sphere is k = (4/3) E* sqrt(R).\n");
}

static void json_entry(ff_json *j, const entry *e) {
    ff_json_object(j, NULL);
    ff_json_string(j, "name", e->name);
    ff_json_string(j, "kind", e->kind);
    ff_json_string(j, "formula", e->formula);
    ff_json_string(j, "source", e->source);
    ff_json_string(j, "limits", e->limits);
    ff_json_array(j, "parameters");
    for (const ff_param *p = e->params; p->name; p++) {
        char fallback[40];
        default_text(p, fallback, sizeof fallback);
        ff_json_object(j, NULL);
        ff_json_string(j, "name", p->name);
        ff_json_string(j, "unit", p->unit);
        ff_json_number(j, "least", p->least == FF_POSITIVE ? 0 : p->least);
        ff_json_bool(j, "least_included", p->least != FF_POSITIVE);
        ff_json_number(j, "most", p->most);
        ff_json_string(j, "default", fallback);
        ff_json_string(j, "meaning", p->meaning);
        ff_json_end(j);
    }
    ff_json_end(j);
    ff_json_end(j);
}

static int print_json(const char *name) {
    ff_json j = {.out = stdout};
    entry e;
    ff_json_object(&j, NULL);
    ff_json_array(&j, "laws");
    for (size_t i = 0; entry_at(i, &e); i++) {
        if (!name || strcmp(name, e.name) == 0) {
            json_entry(&j, &e);
        }
    }
    ff_json_end(&j);
    ff_json_array(&j, "materials");
    for (size_t i = 0; ff_material_at(i); i++) {
        const ff_material *m = ff_material_at(i);
        ff_json_object(&j, NULL);
        ff_json_string(&j, "name", m->name);
        ff_json_number(&j, "E", m->E);
        ff_json_number(&j, "nu", m->nu);
        ff_json_number(&j, "density", m->density);
        ff_json_number(&j, "strength", m->strength);
        ff_json_string(&j, "source", m->source);
        ff_json_end(&j);
    }
    ff_json_end(&j);
    ff_json_end(&j);
    return 0;
}

static int print_catalogue(void) {
    static const table_column columns[] = {{"law", NULL}, {"kind", NULL}, {"formula", NULL}};
    table t;
    entry e;
    table_init(&t, columns, 3);
    for (size_t i = 0; entry_at(i, &e); i++) {
        table_text(&t, e.name);
        table_text(&t, e.kind);
        table_text(&t, e.formula);
    }
    table_print(&t, stdout);
    table_clear(&t);
    printf("\n`footfall laws NAME` shows parameters and units.\n");
    return 0;
}

static int print_materials(void) {
    static const table_column columns[] = {{"material", NULL},  {"E", "GPa"},
                                           {"nu", NULL},        {"density", "kg/m^3"},
                                           {"strength", "MPa"}, {"source", NULL}};
    table t;
    table_init(&t, columns, sizeof columns / sizeof *columns);
    for (size_t i = 0; ff_material_at(i); i++) {
        const ff_material *m = ff_material_at(i);
        table_text(&t, m->name);
        table_number(&t, m->E / 1e9);
        table_number(&t, m->nu);
        table_number(&t, m->density);
        table_number(&t, m->strength / 1e6);
        table_text(&t, m->source);
    }
    table_print(&t, stdout);
    table_clear(&t);
    return 0;
}

/* whether e of a law is a single curve against delta: it has a damping to choose, and no required dimensionless number such
 * as an exponent */
static bool has_curve(const ff_normal_law *law, ff_normal *unit) {
    double values[FF_LAW_PARAMS];
    for (size_t i = 0; law->params[i].name; i++) {
        const ff_param *param = &law->params[i];
        if (isnan(param->fallback) && param->unit && strcmp(param->unit, "1") == 0) {
            return false;
        }
        values[i] = isnan(param->fallback) ? 1 : (double)NAN;
    }
    return normal_of(unit, law, values, NULL) == FF_OK &&
           ff_normal_set_power(unit, 1, 0.5, 0.5) == FF_OK;
}

/* e(delta) with clamp for all normal laws that have a damping and fixed exponents, or for one */
static int draw(const args *a, const char *name) {
    enum { samples = 160, most = 16 };
    static double x[samples], y[most][samples];
    ff_plot_curve curves[most];
    size_t count = 0;
    const ff_normal_law *law;
    for (size_t i = 0; (law = ff_normal_law_at(i)) && count < most; i++) {
        ff_normal unit;
        if ((name && strcmp(name, law->name) != 0) || !has_curve(law, &unit)) {
            continue;
        }
        for (int s = 0; s < samples; s++) {
            x[s] = ff_math.pow(10, -2 + 3.0 * s / (samples - 1));
            ff_normal_set_power(&unit, 1, x[s], x[s]);
            y[count][s] = ff_impact_restitution(&unit, 1, 1);
        }
        curves[count] = (ff_plot_curve){law->name, x, y[count], samples, FF_PLOT_LINES, 0, NULL};
        count++;
    }
    return show_plot(a, &(ff_plot){.title = "Restitution under clamp",
                                   .x_label = "delta = lambda L^(p+1)/(m v)",
                                   .y_label = "coefficient of restitution",
                                   .x_log = true,
                                   .curves = curves,
                                   .curve_count = count});
}

static int answer(const args *a, const char *name, size_t index) {
    entry e;
    if (args_given(a, "json")) {
        return print_json(name);
    }
    if (args_given(a, "markdown")) {
        print_markdown();
        return 0;
    }
    if (args_given(a, "materials")) {
        return print_materials();
    }
    if (name) {
        entry_at(index, &e);
        print_entry(&e);
        return 0;
    }
    return print_catalogue();
}

int command_laws(int argc, char **argv) {
    args a;
    int status = args_parse(&a, &command, argc, argv);
    if (status) {
        return status == ARGS_HELP ? 0 : status;
    }
    /* the library's laws, and as many loaded ones as ff_law_register() accepts */
    enum { MOST = 256 };
    const char *name = args_word(&a, 0), *names[MOST];
    ff_normal unit;
    entry e;
    bool found = false;
    size_t count = 0;
    for (; name && count < MOST && entry_at(count, &e) && !found; count++) {
        names[count] = e.name;
        found = strcmp(e.name, name) == 0;
    }
    if (name && !found) {
        const char *near = ff_word_nearest(name, names, count);
        return near ? args_error(&a, "unknown law '%s' (did you mean '%s'?)", name, near)
                    : args_error(&a, "unknown law '%s' (`footfall laws` lists them)", name);
    }
    if (name && (args_given(&a, "materials") || args_given(&a, "markdown"))) {
        return args_error(&a, "--materials and --markdown list everything: leave out '%s'", name);
    }
    if (args_given(&a, "verify")) {
        static const char *const others[] = {"materials", "markdown", "plot"};
        args_want any = args_want_any(NULL);
        double seed = 0;
        any.least = 0;
        any.most = 0x1p53;
        any.fallback = 0;
        status = args_refuse(&a, others, 3, "cannot be used with --verify");
        status = status ? status : args_whole(&a, "seed", &any, &seed);
        return status ? status : verify_laws(name, (uint64_t)seed, args_given(&a, "json"));
    }
    if (args_given(&a, "seed")) {
        return args_error(&a, "'--seed' is for --verify");
    }
    status = show_plot_check(&a);
    const ff_normal_law *law = name ? ff_normal_law_find(name) : NULL;
    if (!status && args_given(&a, "plot") && name && (!law || !has_curve(law, &unit))) {
        return args_error(
            &a, "--plot draws normal laws with a damping and fixed exponents, not '%s'", name);
    }
    status = status ? status : answer(&a, name, count - 1);
    return !status && args_given(&a, "plot") ? draw(&a, name) : status;
}
