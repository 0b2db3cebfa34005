/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "verify.h"
#include "law_values.h"
#include "table.h"
#include <footfall/elementary.h>
#include <footfall/footfall.h>
#include <footfall/json.h>
#include <footfall/unit.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The range in which laws are checked: a ball of a few grams to a few kilograms that hits a hard or a soft floor. */
static const double depth = 1e-3, speed = 1, load = 100;

enum { SETS = 8, POINTS = 500, DRAWS = 1000 };

/* ---- parameters ---- */

/* xorshift64* */
static double uniform(uint64_t *seed, double low, double high) {
    *seed ^= *seed >> 12;
    *seed ^= *seed << 25;
    *seed ^= *seed >> 27;
    return low + (high - low) * (double)(*seed * 2685821657736338717u >> 11) * 0x1p-53;
}

/* the number 1 in a unit composed of that depth, speed and force: typical of such a contact */
static double natural(const char *text, const ff_exponent *exponents) {
    const double time = depth / speed, mass = load * time * time / depth;
    ff_unit unit;
    return ff_unit_parse(text, exponents, &unit, NULL, 0) < 0
               ? 1
               : ff_math.pow(mass, unit.dim.kg) * ff_math.pow(depth, unit.dim.m) *
                     ff_math.pow(time, unit.dim.s);
}

static bool is_pure(const ff_param *p) { return p->unit && strcmp(p->unit, "1") == 0; }

/* `spread` decades on both sides of the middle, 0 for the middle itself */
static double draw(const ff_param *p, double middle, double spread, uint64_t *seed) {
    double low = p->least == FF_POSITIVE ? 0 : p->least;
    double value = isfinite(p->most) && isfinite(low)
                       ? low + (p->most - low) * (spread > 0 ? uniform(seed, 0.02, 0.98) : 0.5)
                       : middle * ff_math.pow(10, uniform(seed, -spread, spread));
    return fmin(fmax(value, p->least), p->most);
}

/* Values of all parameters. The first set has defaults, or typical values if there are none; in the others all are random,
 * within two decades. */
static void draw_values(const ff_param *params, int set, uint64_t *seed, double *values) {
    /* an exponent that a law does not have is that of the normal law of the pair */
    ff_exponent exponents[FF_LAW_PARAMS + 2] = {{0}};
    size_t count = 0;
    const double spread = set > 0 ? 2 : 0;
    for (int pass = 0; pass < 2; pass++) {
        for (size_t i = 0; params[i].name; i++) {
            const ff_param *p = &params[i];
            if ((pass == 0) != is_pure(p)) {
                continue;
            }
            bool keep = !isnan(p->fallback) && (set == 0 || uniform(seed, 0, 1) < 0.5);
            if (keep) {
                values[i] = (double)NAN;
            } else if (p->words) {
                size_t words = 0;
                while (p->words[words]) {
                    words++;
                }
                values[i] = floor(uniform(seed, 0, (double)words));
            } else {
                /* a dimensionless number without bounds is treated like a coefficient */
                values[i] = draw(p, pass == 0 ? 0.3 : natural(p->unit, exponents), spread, seed);
            }
            if (pass == 0) {
                exponents[count++] = (ff_exponent){p->name, keep ? p->fallback : values[i]};
            }
        }
        if (pass == 0) {
            exponents[count] = (ff_exponent){"n", 1.5};
        }
    }
}

/* ---- laws ---- */

typedef struct verdict {
    const char *name, *kind;
    const ff_param *params;
    size_t count;
    ff_law_finding rows[FF_LAW_FINDINGS];
    double values[FF_LAW_FINDINGS][FF_LAW_PARAMS]; /* with which the worst was found */
    bool holds;
} verdict;

/* the worst of each kind over all sets */
static void take(verdict *v, const ff_law_finding *rows, size_t count, const double *values) {
    for (size_t i = 0; i < count; i++) {
        size_t at = 0;
        while (at < v->count && strcmp(v->rows[at].what, rows[i].what) != 0) {
            at++;
        }
        bool fresh = at == v->count;
        v->count += fresh;
        if (fresh || rows[i].worst > v->rows[at].worst) {
            v->rows[at] = rows[i];
            memcpy(v->values[at], values, sizeof v->values[at]);
        }
        v->holds = v->holds && rows[i].worst <= rows[i].allowed;
    }
}

/* no valid values were found */
static void take_refusal(verdict *v, const ff_error *error) {
    ff_law_finding row = {.what = "parameters", .worst = INFINITY};
    const double values[FF_LAW_PARAMS] = {0};
    snprintf(row.where, sizeof row.where, "%.150s", error->text);
    take(v, &row, 1, values);
}

static verdict verify(const ff_normal_law *n, const ff_friction_law *f, uint64_t seed) {
    verdict v = {.name = n ? n->name : f->name,
                 .kind = n ? "normal" : "friction",
                 .params = n ? n->params : f->params,
                 .holds = true};
    seed = seed * 0x9e3779b97f4a7c15u + 0x9e3779b97f4a7c15u;
    for (int set = 0; set < SETS; set++) {
        ff_law_finding rows[FF_LAW_FINDINGS];
        double values[FF_LAW_PARAMS] = {0};
        ff_normal normal;
        ff_friction friction;
        ff_error error = {""};
        bool made = false;
        for (int turn = 0; turn < DRAWS && !made; turn++) {
            /* a relation between parameters may also refuse the middle */
            draw_values(v.params, set + (turn > 0), &seed, values);
            made = (n ? normal_of(&normal, n, values, &error)
                      : friction_of(&friction, f, values, &error)) == FF_OK;
        }
        if (!made) {
            take_refusal(&v, &error);
            break;
        }
        size_t count = n ? ff_normal_verify(&normal, depth, speed, POINTS, rows)
                         : ff_friction_verify(&friction, depth, speed, load, POINTS, rows);
        take(&v, rows, count, n ? normal.values : friction.values);
    }
    return v;
}

/* ---- printing ---- */

static void print_json(ff_json *j, const verdict *v) {
    ff_json_object(j, NULL);
    ff_json_string(j, "name", v->name);
    ff_json_string(j, "kind", v->kind);
    ff_json_bool(j, "holds", v->holds);
    ff_json_array(j, "findings");
    for (size_t i = 0; i < v->count; i++) {
        const ff_law_finding *row = &v->rows[i];
        ff_json_object(j, NULL);
        ff_json_string(j, "what", row->what);
        ff_json_number(j, "worst", row->worst);
        ff_json_number(j, "allowed", row->allowed);
        ff_json_bool(j, "holds", row->worst <= row->allowed);
        if (row->where[0]) {
            ff_json_string(j, "where", row->where);
            ff_json_object(j, "parameters");
            for (size_t p = 0; v->params[p].name; p++) {
                ff_json_number(j, v->params[p].name, v->values[i][p]);
            }
            ff_json_end(j);
        }
        ff_json_end(j);
    }
    ff_json_end(j);
    ff_json_end(j);
}

static void print_broken(const verdict *v) {
    for (size_t i = 0; i < v->count; i++) {
        const ff_law_finding *row = &v->rows[i];
        if (row->worst <= row->allowed) {
            continue;
        }
        printf("\n%s%s: %s%s is off by %.3g, allowed %.3g\n  %s\n  with",
               table_colour(stdout, TONE_RED), v->name, row->what, table_colour(stdout, TONE_PLAIN),
               row->worst, row->allowed, row->where);
        for (size_t p = 0; v->params[p].name; p++) {
            printf("%s %s = %.6g", p ? "," : "", v->params[p].name, v->values[i][p]);
        }
        printf("\n");
    }
}

static const table_column columns[] = {
    {"law", NULL},        {"kind", NULL},   {"balance", NULL}, {"signs", NULL},
    {"continuity", NULL}, {"slopes", NULL}, {"roots", NULL},   {"states", NULL},
    {"view", NULL},       {"ground", NULL}, {"", NULL}};
enum { COLUMNS = sizeof columns / sizeof *columns };

/* one digit of each error, since only its size matters; a mark if it is too large */
static void add_row(table *t, const verdict *v, char texts[COLUMNS][12]) {
    table_text(t, v->name);
    table_text(t, v->kind);
    for (size_t c = 2; c + 1 < COLUMNS; c++) {
        snprintf(texts[c], sizeof texts[c], "-");
        for (size_t i = 0; i < v->count; i++) {
            const ff_law_finding *row = &v->rows[i];
            if (strcmp(row->what, columns[c].name) == 0) {
                snprintf(texts[c], sizeof texts[c], row->worst == 0 ? "%.0f%s" : "%.0e%s",
                         row->worst, row->worst <= row->allowed ? "" : " !");
            }
        }
        table_text(t, texts[c]);
    }
    table_text(t, v->holds ? "holds" : "broken");
}

int verify_laws(const char *name, uint64_t seed, bool as_json) {
    size_t normals = 0, frictions = 0, count = 0, broken = 0;
    while (ff_normal_law_at(normals)) {
        normals++;
    }
    while (ff_friction_law_at(frictions)) {
        frictions++;
    }
    verdict *all = calloc(normals + frictions, sizeof *all);
    char(*texts)[COLUMNS][12] = calloc(normals + frictions, sizeof *texts);
    if (!all || !texts) {
        free(all);
        free(texts);
        fprintf(stderr, "footfall laws: out of memory\n");
        return 1;
    }
    for (size_t i = 0; i < normals + frictions; i++) {
        const ff_normal_law *n = i < normals ? ff_normal_law_at(i) : NULL;
        const ff_friction_law *f = n ? NULL : ff_friction_law_at(i - normals);
        if (!name || strcmp(name, n ? n->name : f->name) == 0) {
            all[count] = verify(n, f, seed);
            broken += !all[count++].holds;
        }
    }
    if (as_json) {
        ff_json j = {.out = stdout};
        ff_json_object(&j, NULL);
        ff_json_array(&j, "laws");
        for (size_t i = 0; i < count; i++) {
            print_json(&j, &all[i]);
        }
        ff_json_end(&j);
        ff_json_bool(&j, "holds", broken == 0);
        ff_json_end(&j);
    } else {
        table t;
        table_init(&t, columns, COLUMNS);
        for (size_t i = 0; i < count; i++) {
            add_row(&t, &all[i], texts[i]);
        }
        table_print(&t, stdout);
        table_clear(&t);
        for (size_t i = 0; i < count; i++) {
            print_broken(&all[i]);
        }
    }
    if (broken > 0) {
        fprintf(stderr, "footfall laws: %zu of %zu laws do not hold\n", broken, count);
    }
    free(all);
    free(texts);
    return broken > 0 ? 1 : 0;
}
