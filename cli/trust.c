/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "trust.h"
#include "table.h"
#include "watch.h"
#include <footfall/tool.h>
#include <math.h>
#include <stdlib.h>

/* The caller's function, and the end time for the display of progress. */
typedef struct {
    bool (*ends)(void *user);
    void *user;
    double until;
} watcher;

static bool stop(void *user, size_t run, double time) {
    const watcher *w = user;
    if (run > 0) {
        watch_progress(time, w->until, "s");
    }
    return w->ends(w->user);
}

const char *trust_run(const ff_model *model, const ff_run_options *o, bool (*ends)(void *user),
                      void *user, ff_trust **out, ff_error *why) {
    ff_trust_options options = ff_trust_options_default();
    watcher w = {ends, user, o->until};
    options.stop = stop;
    options.user = &w;
    const ff_status status = ff_trust_run(model, o, &options, out, why);
    watch_clear();
    if (status < 0) {
        return why->text;
    }
    if (!*out) {
        return watch_interrupted()
                   ? "interrupted while the run was repeated for --trust"
                   : "ended by --max-seconds while the run was repeated for --trust";
    }
    for (size_t r = 1; r < FF_TRUST_RUNS; r++) {
        const ff_trust_repeat *run = &(*out)->runs[r];
        if (run->status < 0) {
            snprintf(why->text, sizeof why->text,
                     "the repetition for --trust by %s at tol %g failed at %g s: %.120s",
                     ff_method_name(run->options.method), run->options.tol, run->time, run->error);
            return why->text;
        }
    }
    return NULL;
}

static void print_repeat(const ff_trust_repeat *r, const ff_run_options *asked) {
    const ff_run_options *o = &r->options;
    if (ff_method_fixed(o->method)) {
        printf("dt %g s", o->dt);
        return;
    }
    printf("tol %g, %s", o->tol, ff_method_name(o->method));
    if (o->max_step < asked->max_step) {
        printf(", steps up to %.3g s", o->max_step);
    }
}

/* more would push the rest off the screen */
enum { ROWS_MOST = 40 };

static int by_digits(const void *a, const void *b) {
    const ff_trust_field *x = *(const ff_trust_field *const *)a,
                         *y = *(const ff_trust_field *const *)b;
    return x->digits != y->digits ? (x->digits < y->digits ? -1 : 1) : x < y ? -1 : x > y;
}

static int by_order(const void *a, const void *b) {
    const ff_trust_field *x = *(const ff_trust_field *const *)a,
                         *y = *(const ff_trust_field *const *)b;
    return x < y ? -1 : x > y;
}

static double floored(double digits) { return floor(10 * digits) / 10; }

/* Three digits: the times at which runs are compared are a thousandth of the run apart. */
static double rounded(double time) {
    char text[32];
    snprintf(text, sizeof text, "%.3g", time);
    return strtod(text, NULL);
}

void trust_print(const ff_trust *t) {
    static const table_column columns[] = {{"number", NULL},
                                           {"digits", NULL},
                                           {"difference", "SI"},
                                           {"fewer than 3 after", "s"},
                                           {"none after", "s"}};
    const ff_trust_field **rows = calloc(t->count + 1, sizeof *rows), *first = NULL;
    size_t count = 0, few = 0;
    for (size_t i = 0; rows && i < t->count; i++) {
        const ff_trust_field *f = &t->fields[i];
        /* numbers that nothing moves agree in all digits */
        if (f->difference != 0) {
            rows[count++] = f;
        }
        if (!isnan(f->few_from)) {
            few++;
            first = first && first->few_from <= f->few_from ? first : f;
        }
    }
    printf("\ntrust: digits that agree with two repetitions (");
    print_repeat(&t->runs[1], &t->runs[0].options);
    printf("; ");
    print_repeat(&t->runs[2], &t->runs[0].options);
    printf(")\n");
    const size_t shown = count < ROWS_MOST ? count : ROWS_MOST;
    if (count > shown) {
        qsort(rows, count, sizeof *rows, by_digits);
        qsort(rows, shown, sizeof *rows, by_order);
    }
    table out;
    /* the times are shown only if there are any */
    table_init(&out, columns, few > 0 ? 5 : 3);
    for (size_t i = 0; i < shown; i++) {
        table_text(&out, rows[i]->path);
        table_number(&out, floored(rows[i]->digits));
        table_number(&out, rows[i]->difference);
        if (few > 0) {
            table_number(&out, rounded(rows[i]->few_from));
            table_number(&out, rounded(rows[i]->none_from));
        }
    }
    if (shown > 0) {
        table_print(&out, stdout);
    }
    table_clear(&out);
    if (count > shown) {
        printf("... and %zu more, with as many digits or more\n", count - shown);
    }
    if (few > 0) {
        printf("%zu of %zu numbers have fewer than %d digits; the first is %s, after %.3g s\n", few,
               t->count, FF_TRUST_FEW, first->path, first->few_from);
    } else if (t->least != SIZE_MAX) {
        printf("at least %.1f digits of every number agree\n", floored(t->fields[t->least].digits));
    }
    free(rows);
}

void trust_json(ff_json *j, const ff_trust *t) {
    if (!t) {
        ff_json_string(j, "trust", NULL);
        return;
    }
    ff_json_object(j, "trust");
    ff_json_integer(j, "seed", (long long)t->seed);
    ff_json_integer(j, "samples", (long long)t->samples);
    ff_json_array(j, "runs");
    for (size_t r = 0; r < FF_TRUST_RUNS; r++) {
        const ff_trust_repeat *run = &t->runs[r];
        const bool fixed = ff_method_fixed(run->options.method);
        ff_json_object(j, NULL);
        ff_json_string(j, "method", ff_method_name(run->options.method));
        ff_json_number(j, "tol", fixed ? (double)NAN : run->options.tol);
        ff_json_number(j, "dt", fixed ? run->options.dt : (double)NAN);
        ff_json_number(j, "max_step", run->options.max_step);
        ff_json_integer(j, "steps", run->statistics.steps);
        ff_json_integer(j, "evaluations", run->statistics.evaluations);
        ff_json_number(j, "wall_seconds", run->statistics.seconds);
        ff_json_number(j, "time", run->time);
        ff_json_string(j, "error", *run->error ? run->error : NULL);
        ff_json_end(j);
    }
    ff_json_end(j);
    ff_json_number(j, "digits", t->least == SIZE_MAX ? (double)NAN : t->fields[t->least].digits);
    ff_json_string(j, "least", t->least == SIZE_MAX ? NULL : t->fields[t->least].path);
    ff_json_object(j, "fields");
    for (size_t i = 0; i < t->count; i++) {
        const ff_trust_field *f = &t->fields[i];
        ff_json_object(j, f->path);
        ff_json_number(j, "digits", f->digits);
        ff_json_number(j, "difference", f->difference);
        ff_json_number(j, "scale", f->scale);
        ff_json_string(j, "unit", f->unit);
        ff_json_number(j, "few_from", f->few_from);
        ff_json_number(j, "none_from", f->none_from);
        ff_json_end(j);
    }
    ff_json_end(j);
    ff_json_end(j);
}
