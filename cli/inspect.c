/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#define _POSIX_C_SOURCE 200809L
#include "args.h"
#include "commands.h"
#include "io/h5.h"
#include "json.h"
#include "table.h"
#include <footfall/footfall.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const args_option options[] = {
    {"scene", "", "", "print the scene: running it does the same again", false, 0},
    {"json", "", "", "print one JSON object", false, 0},
};

static const args_command command = {
    .name = "inspect",
    .usage = "TRACE.h5 [options]",
    .summary = "Tells what is in a trace that `footfall run` or `footfall inclusion` wrote with -o "
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
    char *path, *units;
    size_t width;
} dataset;

/* Groups that hold one for each thing, named after it, with its datasets; of states each is a dataset. A scene has
 * bodies, contacts and joints, an inclusion states, contacts and frictions. */
static const char *const folders[] = {"bodies", "states", "contacts", "frictions", "joints"};
enum { BODIES, STATES, CONTACTS, FRICTIONS, JOINTS, FOLDERS };

typedef struct contents {
    ff_h5 *file;
    char *version, *command, *scene;
    bool complete;
    size_t rows; /* that are whole in all datasets */
    double from, to;
    dataset *sets;
    size_t set_count;
    /* what there is in the groups of `folders` */
    char **names[FOLDERS];
    size_t name_count[FOLDERS];
    size_t kinds[FF_USER + 1], events;
    bool failed; /* memory ended */
} contents;

static const char *const accounts[] = {
#define NAME(name) #name,
    FF_LEDGER_LIST(NAME)
#undef NAME
        "initial",
    "scale", "residual"};

enum { ACCOUNTS = sizeof accounts / sizeof *accounts };

/* ---- reading ---- */

/* adds the name of what a dataset is of, unless it was the last one */
static void add_name(contents *c, int folder, const char *name, size_t length) {
    char ***list = &c->names[folder];
    const size_t count = c->name_count[folder];
    if (count && strncmp((*list)[count - 1], name, length) == 0 &&
        (*list)[count - 1][length] == '\0') {
        return;
    }
    char **more = realloc(*list, (count + 1) * sizeof *more);
    char *copy = strndup(name, length);
    *list = more ? more : *list;
    if (!more || !copy) {
        free(copy);
        c->failed = true;
        return;
    }
    more[c->name_count[folder]++] = copy;
}

/* the names of a crowd's bodies, which share their datasets */
static void add_bodies(contents *c) {
    size_t width = 0;
    long long rows = ff_h5_rows(c->file, "/bodies/name", &width);
    char *names = rows > 0 ? malloc((size_t)rows * width) : NULL;
    c->failed = c->failed || (rows > 0 && !names);
    if (names && ff_h5_read(c->file, "/bodies/name", 0, (size_t)rows, names)) {
        for (long long i = 0; i < rows && !c->failed; i++) {
            const char *name = names + (size_t)i * width;
            add_name(c, BODIES, name, strnlen(name, width));
        }
    }
    free(names);
}

static void add_object(void *user, const char *path, bool is_set) {
    contents *c = user;
    if (strcmp(path, "/bodies/name") == 0) {
        add_bodies(c);
        return;
    }
    for (int i = 0; i < FOLDERS && is_set; i++) {
        const size_t length = strlen(folders[i]);
        const char *name = path + length + 2;
        /* what is right below a group is of all things in it */
        if (strncmp(path + 1, folders[i], length) == 0 && path[1 + length] == '/' &&
            (i == STATES || strchr(name, '/'))) {
            add_name(c, i, name, i == STATES ? strlen(name) : (size_t)(strrchr(path, '/') - name));
        }
    }
    size_t width;
    long long rows = is_set ? ff_h5_rows(c->file, path, &width) : -1;
    if (rows < 0 || strncmp(path, "/events/", 8) == 0) {
        return;
    }
    c->rows = (size_t)rows < c->rows ? (size_t)rows : c->rows;
    dataset *more = realloc(c->sets, (c->set_count + 1) * sizeof *more);
    char *copy = strdup(path);
    c->sets = more ? more : c->sets;
    if (!more || !copy) {
        free(copy);
        c->failed = true;
        return;
    }
    more[c->set_count++] = (dataset){copy, ff_h5_text(c->file, path, "units"), width};
}

/* false if the file is not what the command wrote */
static bool read_events(contents *c) {
    double said = ff_h5_number(c->file, "/events", "rows");
    size_t width = 0;
    long long rows = ff_h5_rows(c->file, "/events/kind", &width);
    if (!(said >= 0) || rows < 0) {
        return false;
    }
    c->events = (double)rows < said ? (size_t)rows : (size_t)said;
    char *kinds = calloc(c->events + 1, width);
    bool done = kinds && ff_h5_read(c->file, "/events/kind", 0, c->events, kinds);
    for (size_t i = 0; done && i < c->events; i++) {
        for (int k = 0; k <= FF_USER; k++) {
            c->kinds[k] += strncmp(kinds + i * width, ff_event_name((ff_event_kind)k), width) == 0;
        }
    }
    free(kinds);
    return done;
}

static bool read_contents(contents *c) {
    c->version = ff_h5_text(c->file, "/", "footfall_version");
    c->command = ff_h5_text(c->file, "/", "command_line");
    c->scene = ff_h5_text(c->file, "/", "scene");
    double rows = ff_h5_number(c->file, "/", "rows");
    size_t width;
    if (!c->version || !c->command || !c->scene || !(rows >= 0) ||
        ff_h5_rows(c->file, "/time", &width) < 0) {
        return false;
    }
    c->complete = ff_h5_number(c->file, "/", "complete") == 1;
    c->rows = (size_t)rows;
    ff_h5_visit(c->file, "/", true, add_object, c);
    c->from = c->to = (double)NAN;
    return (c->rows == 0 || (ff_h5_read(c->file, "/time", 0, 1, &c->from) &&
                             ff_h5_read(c->file, "/time", c->rows - 1, 1, &c->to))) &&
           read_events(c);
}

static void clear(contents *c) {
    for (size_t i = 0; i < c->set_count; i++) {
        free(c->sets[i].path);
        free(c->sets[i].units);
    }
    for (int f = 0; f < FOLDERS; f++) {
        for (size_t i = 0; i < c->name_count[f]; i++) {
            free(c->names[f][i]);
        }
        free(c->names[f]);
    }
    free(c->sets);
    free(c->version);
    free(c->command);
    free(c->scene);
    ff_h5_close(c->file, NULL);
}

/* ---- telling ---- */

/* whether a file of this kind has such things, even if there are none */
static bool is_told(const contents *c, int folder) {
    bool inclusion = c->name_count[STATES] > 0;
    return folder == CONTACTS || (folder == STATES || folder == FRICTIONS) == inclusion;
}

static void print_json(const contents *c) {
    json j = {.out = stdout};
    json_object(&j, NULL);
    json_string(&j, "version", c->version);
    json_string(&j, "command", c->command);
    json_bool(&j, "complete", c->complete);
    json_integer(&j, "rows", (long long)c->rows);
    json_number(&j, "from", c->from);
    json_number(&j, "to", c->to);
    for (int f = 0; f < FOLDERS; f++) {
        if (is_told(c, f)) {
            json_array(&j, folders[f]);
            for (size_t i = 0; i < c->name_count[f]; i++) {
                json_string(&j, NULL, c->names[f][i]);
            }
            json_end(&j);
        }
    }
    json_array(&j, "datasets");
    for (size_t i = 0; i < c->set_count; i++) {
        json_object(&j, NULL);
        json_string(&j, "path", c->sets[i].path);
        json_string(&j, "units", c->sets[i].units);
        json_integer(&j, "width", (long long)c->sets[i].width);
        json_end(&j);
    }
    json_end(&j);
    json_object(&j, "events");
    for (int k = 0; k <= FF_USER; k++) {
        if (c->kinds[k]) {
            json_integer(&j, ff_event_name((ff_event_kind)k), (long long)c->kinds[k]);
        }
    }
    json_end(&j);
    json_object(&j, "ledger");
    for (size_t i = 0; i < ACCOUNTS; i++) {
        json_number(&j, accounts[i], ff_h5_number(c->file, "/ledger", accounts[i]));
    }
    json_end(&j);
    json_string(&j, "scene", c->scene);
    json_end(&j);
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
    printf("footfall %s: %s\n", c->version, c->command);
    printf("%s, %zu rows", c->complete ? "complete" : "not complete", c->rows);
    if (c->rows) {
        printf(" from %g s to %g s", c->from, c->to);
    }
    printf("\nevents:");
    for (int k = 0; k <= FF_USER; k++) {
        if (c->kinds[k]) {
            printf(" %zu %s", c->kinds[k], ff_event_name((ff_event_kind)k));
        }
    }
    printf("%s\n", c->events ? "" : " none");
    for (int f = 0; f < FOLDERS; f++) {
        /* many scenes have no joints */
        if (is_told(c, f) && (f != JOINTS || c->name_count[f] > 0)) {
            print_names(folders[f], c->names[f], c->name_count[f]);
        }
    }
    printf("\n");
    table_init(&t, columns, 3);
    for (size_t i = 0; i < c->set_count; i++) {
        table_text(&t, c->sets[i].path);
        table_number(&t, (double)c->sets[i].width);
        table_text(&t, c->sets[i].units ? c->sets[i].units : "");
    }
    table_print(&t, stdout);
    table_clear(&t);
    /* a run that did not end in good order has no ledger */
    if (isnan(ff_h5_number(c->file, "/ledger", "initial"))) {
        return;
    }
    printf("\n");
    table_init(&t, energies, 2);
    for (size_t i = 0; i < ACCOUNTS; i++) {
        double value = ff_h5_number(c->file, "/ledger", accounts[i]);
        if (value != 0) {
            table_text(&t, accounts[i]);
            table_number(&t, value);
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
    if (args_given(&a, "json") && args_refuse(&a, scene, 1, "does not go with --json")) {
        return ARGS_WRONG;
    }
    ff_error error = {""};
    const char *path = args_word(&a, 0);
    contents c = {.file = ff_h5_open(path, &error)};
    if (!c.file) {
        return args_error(&a, "%s: %s", path, error.text);
    }
    if (!read_contents(&c)) {
        status = c.version ? args_error(&a, "%s: is damaged", path)
                           : args_error(&a, "%s: is not a trace of footfall", path);
    } else if (c.failed) {
        args_error(&a, "out of memory");
        status = 1;
    } else if (args_given(&a, "json")) {
        print_json(&c);
    } else if (args_given(&a, "scene")) {
        fputs(c.scene, stdout);
    } else {
        print_report(&c);
    }
    clear(&c);
    return status;
}
