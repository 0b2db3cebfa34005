/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#define _POSIX_C_SOURCE 200809L
#include "args.h"
#include "commands.h"
#include "table.h"
#include <footfall/footfall.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const args_option options[] = {
    {"scene", "", "", "print the scene of the run, which can be run again", false, 0},
    {"json", "", "", "print one JSON object", false, 0},
};

static const args_command command = {
    .name = "inspect",
    .usage = "TRACE.h5 [options]",
    .summary = "Describes a trace that `footfall run` or `footfall inclusion` wrote with -o "
               "TRACE.h5, "
               "complete or not: the command, rows and times, datasets with units, events, and the "
               "energy ledger.",
    .examples = "footfall inspect roll.h5\n"
                "footfall inspect roll.h5 --scene",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .words_least = 1,
    .words_most = 1,
};

typedef struct dataset {
    char path[FF_FIELD_PATH], unit[FF_FIELD_UNIT];
    size_t width;
} dataset;

/* Folders with one group of datasets per object; of states each is a dataset. A scene has bodies, contacts and joints, an
 * inclusion states, contacts and frictions. */
static const char *const folders[] = {"bodies", "states", "contacts", "frictions", "joints"};
enum { BODIES, STATES, CONTACTS, FRICTIONS, JOINTS, FOLDERS };

typedef struct contents {
    const ff_trace *t;
    ff_trace_facts facts;
    size_t rows;
    double from, to;
    dataset *sets;
    size_t set_count;
    /* names of the objects in `folders` */
    char **names[FOLDERS];
    size_t name_count[FOLDERS];
    size_t kinds[FF_EVENT_KINDS], events;
    bool crowd;
} contents;

static const char *const accounts[] = {
#define NAME(name) #name,
    FF_LEDGER_LIST(NAME)
#undef NAME
        "initial",
    "scale", "residual"};

enum { ACCOUNTS = sizeof accounts / sizeof *accounts };

/* ---- reading ---- */

/* Adds the name of the owner of a dataset, unless it was the last one; false if out of memory. */
static bool add_name(contents *c, int folder, const char *name, size_t length) {
    char ***list = &c->names[folder];
    const size_t count = c->name_count[folder];
    if (count && strncmp((*list)[count - 1], name, length) == 0 &&
        (*list)[count - 1][length] == '\0') {
        return true;
    }
    /* reallocate when their number is a power of two */
    if ((count & (count - 1)) == 0) {
        char **more = realloc(*list, (count ? 2 * count : 1) * sizeof *more);
        if (!more) {
            return false;
        }
        *list = more;
    }
    (*list)[count] = strndup(name, length);
    c->name_count[folder] += (*list)[count] != NULL;
    return (*list)[count];
}

/* The dataset of a field: its path with slashes. For a crowd those of all bodies are one. */
static bool add_dataset(contents *c, const ff_column *column) {
    char path[FF_FIELD_PATH + 1];
    snprintf(path, sizeof path, "/%s", column->path);
    char *first = strchr(path, '.'), *last = strrchr(path, '.');
    if (first) {
        *first = *last = '/';
    }
    for (int i = 0; i < FOLDERS && first; i++) {
        const size_t length = strlen(folders[i]);
        const char *name = first + 1;
        /* a dataset directly below a folder belongs to all its objects */
        if (strncmp(path + 1, folders[i], length) == 0 && path + 1 + length == first &&
            (i == STATES || last > first) &&
            !add_name(c, i, name, i == STATES ? strlen(name) : (size_t)(last - name))) {
            return false;
        }
    }
    const bool block = c->crowd && strncmp(path, "/bodies/", 8) == 0;
    if (block) {
        memmove(path + 7, last, strlen(last) + 1);
    }
    for (size_t k = 0; block && k < c->set_count; k++) {
        if (strcmp(c->sets[k].path, path) == 0) {
            c->sets[k].width += column->width;
            return true;
        }
    }
    dataset *more = c->sets;
    if ((c->set_count & (c->set_count - 1)) == 0) {
        more = realloc(c->sets, (c->set_count ? 2 * c->set_count : 1) * sizeof *more);
    }
    if (!more) {
        return false;
    }
    c->sets = more;
    dataset *d = &more[c->set_count++];
    *d = (dataset){.width = column->width};
    memcpy(d->path, path, sizeof d->path);
    memcpy(d->unit, column->unit, sizeof d->unit);
    return true;
}

static int by_path(const void *a, const void *b) {
    return strcmp(((const dataset *)a)->path, ((const dataset *)b)->path);
}

static int by_name(const void *a, const void *b) {
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static int read_contents(contents *c, const args *a) {
    ff_error error = {""};
    c->facts = ff_trace_about(c->t);
    c->crowd = c->facts.crowd;
    c->rows = ff_trace_row_count(c->t);
    c->from = c->to = (double)NAN;
    ff_column column;
    for (size_t i = 0; ff_trace_column(c->t, i, &column); i += column.width) {
        if (!add_dataset(c, &column)) {
            args_error(a, "out of memory");
            return 1;
        }
    }
    qsort(c->sets, c->set_count, sizeof *c->sets, by_path);
    for (int f = 0; f < FOLDERS; f++) {
        /* grains of a crowd are only counted */
        if (c->name_count[f] && !(f == BODIES && c->crowd)) {
            qsort(c->names[f], c->name_count[f], sizeof *c->names[f], by_name);
        }
    }
    double *times = malloc((c->rows + 1) * sizeof *times);
    int status = 1;
    if (times) {
        status = args_status(a, ff_trace_values(c->t, 0, times, &error), &error);
    } else {
        args_error(a, "out of memory");
    }
    if (!status && c->rows) {
        c->from = times[0];
        c->to = times[c->rows - 1];
    }
    free(times);
    c->events = ff_trace_event_count(c->t);
    for (size_t i = 0; i < c->events; i++) {
        ff_event e;
        ff_trace_event(c->t, i, &e);
        c->kinds[e.kind]++;
    }
    return status;
}

static void clear(contents *c) {
    for (int f = 0; f < FOLDERS; f++) {
        for (size_t i = 0; i < c->name_count[f]; i++) {
            free(c->names[f][i]);
        }
        free(c->names[f]);
    }
    free(c->sets);
}

/* The accounts in the order of their names. */
static void list_accounts(const ff_ledger *l, double out[ACCOUNTS]) {
    const double values[] = {
#define VALUE(name) l->name,
        FF_LEDGER_LIST(VALUE)
#undef VALUE
            l->initial,
        l->scale, l->residual};
    memcpy(out, values, sizeof values);
}

/* ---- output ---- */

/* whether files of this kind have such objects, even if there are none */
static bool is_listed(const contents *c, int folder) {
    bool inclusion = c->name_count[STATES] > 0;
    return folder == CONTACTS || (folder == STATES || folder == FRICTIONS) == inclusion;
}

static void print_json(const contents *c) {
    ff_json j = {.out = stdout};
    ff_json_object(&j, NULL);
    ff_json_string(&j, "version", c->facts.version);
    ff_json_string(&j, "command", c->facts.command);
    ff_json_bool(&j, "complete", c->facts.complete);
    ff_json_integer(&j, "rows", (long long)c->rows);
    ff_json_number(&j, "from", c->from);
    ff_json_number(&j, "to", c->to);
    for (int f = 0; f < FOLDERS; f++) {
        if (is_listed(c, f)) {
            ff_json_array(&j, folders[f]);
            for (size_t i = 0; i < c->name_count[f]; i++) {
                ff_json_string(&j, NULL, c->names[f][i]);
            }
            ff_json_end(&j);
        }
    }
    ff_json_array(&j, "datasets");
    for (size_t i = 0; i < c->set_count; i++) {
        ff_json_object(&j, NULL);
        ff_json_string(&j, "path", c->sets[i].path);
        ff_json_string(&j, "units", c->sets[i].unit);
        ff_json_integer(&j, "width", (long long)c->sets[i].width);
        ff_json_end(&j);
    }
    ff_json_end(&j);
    ff_json_object(&j, "events");
    for (int k = 0; k < FF_EVENT_KINDS; k++) {
        if (c->kinds[k]) {
            ff_json_integer(&j, ff_event_name((ff_event_kind)k), (long long)c->kinds[k]);
        }
    }
    ff_json_end(&j);
    ff_json_object(&j, "ledger");
    double values[ACCOUNTS];
    list_accounts(&c->facts.ledger, values);
    for (size_t i = 0; i < ACCOUNTS; i++) {
        ff_json_number(&j, accounts[i], values[i]);
    }
    ff_json_end(&j);
    ff_json_string(&j, "scene", c->facts.scene);
    ff_json_end(&j);
}

static void print_names(const char *what, char *const *names, size_t count) {
    printf("%s:", what);
    for (size_t i = 0; i < count; i++) {
        printf(" %s", names[i]);
    }
    printf("%s\n", count ? "" : " none");
}

static void print_report(const contents *c) {
    static const table_column columns[] = {
        {"dataset", NULL}, {"numbers a row", NULL}, {"unit", NULL}};
    static const table_column energies[] = {{"account", NULL}, {"energy", "J"}};
    table t;
    printf("footfall %s: %s\n", c->facts.version, c->facts.command ? c->facts.command : "");
    printf("%s, %zu rows", c->facts.complete ? "complete" : "not complete", c->rows);
    if (c->rows) {
        printf(" from %g s to %g s", c->from, c->to);
    }
    printf("\nevents:");
    for (int k = 0; k < FF_EVENT_KINDS; k++) {
        if (c->kinds[k]) {
            printf(" %zu %s", c->kinds[k], ff_event_name((ff_event_kind)k));
        }
    }
    printf("%s\n", c->events ? "" : " none");
    for (int f = 0; f < FOLDERS; f++) {
        /* many scenes have no joints */
        if (is_listed(c, f) && (f != JOINTS || c->name_count[f] > 0)) {
            print_names(folders[f], c->names[f], c->name_count[f]);
        }
    }
    printf("\n");
    table_init(&t, columns, 3);
    for (size_t i = 0; i < c->set_count; i++) {
        table_text(&t, c->sets[i].path);
        table_number(&t, (double)c->sets[i].width);
        table_text(&t, c->sets[i].unit);
    }
    table_print(&t, stdout);
    table_clear(&t);
    /* a run that did not end regularly has no ledger */
    if (isnan(c->facts.ledger.initial)) {
        return;
    }
    printf("\n");
    table_init(&t, energies, 2);
    double values[ACCOUNTS];
    list_accounts(&c->facts.ledger, values);
    for (size_t i = 0; i < ACCOUNTS; i++) {
        if (values[i] != 0) {
            table_text(&t, accounts[i]);
            table_number(&t, values[i]);
        }
    }
    table_print(&t, stdout);
    table_clear(&t);
}

int command_inspect(int argc, char **argv) {
    static const char *const scene[] = {"scene"};
    args a;
    int status = args_parse(&a, &command, argc, argv);
    if (status) {
        return status == ARGS_HELP ? 0 : status;
    }
    if (args_given(&a, "json") && args_refuse(&a, scene, 1, "cannot be used with --json")) {
        return ARGS_WRONG;
    }
    ff_error error = {""};
    ff_trace *t = NULL;
    status = args_status(&a, ff_trace_open(args_word(&a, 0), &t, &error), &error);
    if (status) {
        return status;
    }
    contents c = {.t = t};
    status = read_contents(&c, &a);
    if (!status && args_given(&a, "json")) {
        print_json(&c);
    } else if (!status && args_given(&a, "scene")) {
        fputs(c.facts.scene ? c.facts.scene : "", stdout);
    } else if (!status) {
        print_report(&c);
    }
    clear(&c);
    ff_trace_free(t);
    return status;
}
