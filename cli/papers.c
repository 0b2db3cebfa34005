/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#define _POSIX_C_SOURCE 200809L
#include "papers.h"
#include "args.h"
#include "commands.h"
#include "table.h"
#include <errno.h>
#include <footfall/json.h>
#include <footfall/report.h>
#include <footfall/tool.h>
#include <footfall/unit.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static const args_option options[] = {
    {"output", "DIR", NULL, "the folder for all files; default: papers-out", false, 'o'},
    {"jobs", "N", "1", "how many figures at once; default: as many as there are cores", false, 0},
    {"json", "", "", "print one JSON object: what is in checks.json", false, 0},
};

static const args_command command = {
    .name = "papers",
    .usage = "[NAME...] [-o DIR] [options]",
    .summary =
        "Redoes the figures of the papers that footfall is made after, and checks what their "
        "texts claim. Writes DIR/NAME/FIGURE.csv, .svg and .png, DIR/index.html, a page with all "
        "of "
        "it, and DIR/checks.json: each check "
        "with its value, what was expected, the tolerance and why, and `pass`, `fail` or "
        "`not-reproduced`: a claim that does not hold with the numbers of its paper, and what is "
        "seen instead. Without NAME: all papers.",
    .examples = "footfall papers -o papers-out\n"
                "footfall papers azad2010 marhefka1996 --jobs 2 --json",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .words_least = 0,
    .words_most = SIZE_MAX,
};

/* entries that are studies are replaced once their files have been read */
static const paper *papers[] = {&paper_azad2010, &paper_marhefka1996, &paper_xiong2013,
                                &paper_azad2014, &paper_corral2017};
enum { PAPERS = sizeof papers / sizeof *papers };

/* A process that makes a figure and the figures that belong to it. */
typedef struct {
    const paper *paper;
    const paper_figure *figure;
    bool started;
    pid_t process; /* 0: not started, or finished */
    FILE *records; /* results of its checks */
    int status;    /* exit status */
} runner;

typedef struct {
    const args *a;
    const char *folder;
    bool wanted[PAPERS], draw;
    runner *runners;
    size_t count, started, ended;
    struct paper_check {
        const paper *paper;
        check_record record;
    } * checks;
    size_t check_count, check_room;
    double began;
} work;

static double clock_now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ---- selection of papers ---- */

static int load_studies(const args *a) {
    static paper loaded[PAPERS];
    char why[400];
    for (size_t i = 0; i < PAPERS; i++) {
        loaded[i] = *papers[i];
        if (loaded[i].study && !paper_study_load(&loaded[i], why, sizeof why)) {
            args_error(a, "%s", why);
            return 1;
        }
        loaded[i].study = false;
        papers[i] = &loaded[i];
    }
    return 0;
}

static int choose(work *w) {
    const char *names[PAPERS], *word;
    size_t known = 0;
    for (size_t i = 0; i < PAPERS; i++) {
        w->wanted[i] = !args_word(w->a, 0) && papers[i]->figure_count > 0;
        if (papers[i]->figure_count > 0) {
            names[known++] = papers[i]->name;
        }
    }
    for (size_t k = 0; (word = args_word(w->a, k)); k++) {
        bool found = false;
        for (size_t i = 0; i < PAPERS; i++) {
            if (papers[i]->figure_count > 0 && strcmp(papers[i]->name, word) == 0) {
                w->wanted[i] = found = true;
            }
        }
        if (!found) {
            const char *near = ff_word_nearest(word, names, known);
            char list[200] = "";
            for (size_t i = 0; i < known; i++) {
                snprintf(list + strlen(list), sizeof list - strlen(list), "%s%s", i ? ", " : "",
                         names[i]);
            }
            return near ? args_error(w->a, "no paper '%.60s' (did you mean '%s'?)", word, near)
                        : args_error(w->a, "no paper '%.60s' (there are %s)", word, list);
        }
    }
    return 0;
}

static int make_folder(const work *w, const char *path) {
    struct stat s;
    if (mkdir(path, 0777) != 0 && errno != EEXIST) {
        return args_error(w->a, "%s: %s", path, strerror(errno));
    }
    if (stat(path, &s) != 0 || !S_ISDIR(s.st_mode)) {
        return args_error(w->a, "%s: is no folder", path);
    }
    return access(path, W_OK | X_OK) == 0 ? 0 : args_error(w->a, "%s: %s", path, strerror(errno));
}

static char *path_in(const work *w, const char *name) {
    size_t size = strlen(w->folder) + strlen(name) + 2;
    char *path = malloc(size);
    if (path) {
        snprintf(path, size, "%s/%s", w->folder, name);
    }
    return path;
}

static int make_folders(const work *w) {
    int status = make_folder(w, w->folder);
    for (size_t i = 0; i < PAPERS && !status; i++) {
        char *path = w->wanted[i] ? path_in(w, papers[i]->name) : NULL;
        if (w->wanted[i]) {
            status = path ? make_folder(w, path) : 1;
        }
        free(path);
    }
    return status;
}

static bool list_runners(work *w) {
    size_t most = 0;
    for (size_t i = 0; i < PAPERS; i++) {
        most += papers[i]->figure_count;
    }
    w->runners = calloc(most ? most : 1, sizeof *w->runners);
    for (size_t i = 0; i < PAPERS && w->runners; i++) {
        for (size_t k = 0; k < papers[i]->figure_count && w->wanted[i]; k++) {
            if (papers[i]->figures[k].make) {
                w->runners[w->count++] =
                    (runner){.paper = papers[i], .figure = &papers[i]->figures[k]};
            }
        }
    }
    return w->runners != NULL;
}

/* ---- processes ---- */

/* Shows progress in one line, on a terminal. */
static void show_progress(const work *w, const runner *last) {
    if (isatty(STDERR_FILENO)) {
        char bar[31];
        memset(bar, ' ', 30);
        memset(bar, '=', 30 * w->ended / w->count);
        bar[30] = '\0';
        fprintf(stderr, "\r[%s] %zu of %zu  %-24.24s", bar, w->ended, w->count,
                last ? last->figure->id : "");
    }
}

static void clear_progress(void) {
    if (isatty(STDERR_FILENO)) {
        fprintf(stderr, "\r%80s\r", "");
    }
}

static bool add_check(work *w, const paper *p, const check_record *r) {
    if (w->check_count == w->check_room) {
        size_t room = w->check_room ? 2 * w->check_room : 64;
        struct paper_check *more = realloc(w->checks, room * sizeof *more);
        if (!more) {
            return false;
        }
        w->checks = more;
        w->check_room = room;
    }
    w->checks[w->check_count++] = (struct paper_check){p, *r};
    return true;
}

/* The next figure to start: slow ones first. */
static runner *next_runner(const work *w) {
    runner *next = NULL;
    for (size_t i = w->count; i-- > 0;) {
        runner *r = &w->runners[i];
        if (!r->started && (!next || r->figure->slow || !next->figure->slow)) {
            next = r;
        }
    }
    return next;
}

static void start(work *w) {
    runner *r = next_runner(w);
    r->started = true;
    w->started++;
    r->records = tmpfile();
    fflush(NULL);
    r->process = r->records ? fork() : -1;
    if (r->process == 0) {
        int status = job_run(r->paper, r->figure, w->folder, w->draw, r->records);
        fflush(stderr);
        _exit(fflush(r->records) == 0 ? status : 1);
    }
    if (r->process < 0) {
        args_error(w->a, "%s: cannot be started: %s", r->figure->id, strerror(errno));
        r->process = 0;
        r->status = 1;
        w->ended++;
    }
}

/* Waits until one process ends. */
static void reap(work *w) {
    int how;
    pid_t process = waitpid(-1, &how, 0);
    for (size_t i = 0; i < w->count && process > 0; i++) {
        runner *r = &w->runners[i];
        if (r->process == process) {
            r->process = 0;
            r->status = WIFEXITED(how) ? WEXITSTATUS(how) : 1;
            w->ended++;
            if (WIFSIGNALED(how)) {
                char text[80];
                snprintf(text, sizeof text, "ended by signal: %s", strsignal(WTERMSIG(how)));
                check_record broken = check_broken(r->figure->id, text);
                fseek(r->records, 0, SEEK_END);
                fwrite(&broken, sizeof broken, 1, r->records);
            }
            show_progress(w, r);
        }
    }
}

/* Runs all figures, then reports their checks in the order of the papers. */
static bool run_all(work *w, size_t jobs) {
    show_progress(w, NULL);
    while (w->ended < w->count) {
        while (w->started < w->count && w->started - w->ended < jobs) {
            start(w);
        }
        if (w->ended < w->started) {
            reap(w);
        }
    }
    clear_progress();
    bool room = true;
    for (size_t i = 0; i < w->count; i++) {
        check_record record;
        if (w->runners[i].records) {
            rewind(w->runners[i].records);
            while (room && fread(&record, sizeof record, 1, w->runners[i].records) == 1) {
                room = add_check(w, w->runners[i].paper, &record);
            }
            fclose(w->runners[i].records);
        }
    }
    return room;
}

/* ---- checks.json ---- */

static const char *const status_names[] = {
    [CHECK_PASS] = "pass", [CHECK_FAIL] = "fail", [CHECK_NOT_REPRODUCED] = "not-reproduced"};
static const char *const relation_names[] = {
    [CHECK_NEAR] = "near", [CHECK_AT_MOST] = "at most", [CHECK_AT_LEAST] = "at least"};

static size_t count_checks(const work *w, const paper *p, check_status status) {
    size_t count = 0;
    for (size_t i = 0; i < w->check_count; i++) {
        count += (!p || w->checks[i].paper == p) && w->checks[i].record.status == status;
    }
    return count;
}

static const char *text_or_null(const char *text) { return *text ? text : NULL; }

static void json_check(ff_json *j, const struct paper_check *c) {
    ff_json_object(j, NULL);
    ff_json_string(j, "paper", c->paper->name);
    ff_json_string(j, "where", c->record.where);
    ff_json_string(j, "quantity", c->record.quantity);
    ff_json_string(j, "unit", text_or_null(c->record.unit));
    ff_json_string(j, "relation", relation_names[c->record.relation]);
    ff_json_number(j, "value", c->record.value);
    ff_json_number(j, "expected", c->record.expected);
    ff_json_number(j, "tolerance", c->record.tolerance);
    ff_json_string(j, "why", c->record.why);
    ff_json_string(j, "status", status_names[c->record.status]);
    ff_json_string(j, "note", text_or_null(c->record.note));
    ff_json_end(j);
}

/* "azad2010/fig7.csv": the name of a figure's file, relative to the folder of checks.json */
static void name_file(char name[200], const paper *p, const paper_figure *f, const char *suffix) {
    snprintf(name, 200, "%s/%s.%s", p->name, f->id, suffix);
}

static void json_figure(ff_json *j, const work *w, const paper *p, const paper_figure *f) {
    static const char *const suffixes[] = {"csv", "svg", "png"};
    char name[200];
    ff_json_object(j, NULL);
    ff_json_string(j, "id", f->id);
    ff_json_string(j, "title", f->title);
    ff_json_string(j, "caption", f->caption);
    ff_json_bool(j, "illustrative", f->chosen != NULL);
    ff_json_string(j, "chosen", f->chosen);
    for (size_t i = 0; i < 3; i++) {
        name_file(name, p, f, suffixes[i]);
        ff_json_string(j, suffixes[i], i == 0 || w->draw ? name : NULL);
    }
    ff_json_end(j);
}

/* Writes checks.json. */
static void write_json(const work *w, FILE *out) {
    ff_json j = {.out = out};
    ff_json_object(&j, NULL);
    ff_json_string(&j, "footfall", ff_version());
    ff_json_array(&j, "papers");
    for (size_t i = 0; i < PAPERS; i++) {
        if (w->wanted[i]) {
            ff_json_object(&j, NULL);
            ff_json_string(&j, "name", papers[i]->name);
            ff_json_string(&j, "title", papers[i]->title);
            for (check_status s = CHECK_PASS; s <= CHECK_NOT_REPRODUCED; s++) {
                ff_json_integer(&j, status_names[s], (long long)count_checks(w, papers[i], s));
            }
            ff_json_array(&j, "figures");
            for (size_t k = 0; k < papers[i]->figure_count; k++) {
                if (papers[i]->figures[k].x_label) {
                    json_figure(&j, w, papers[i], &papers[i]->figures[k]);
                }
            }
            ff_json_end(&j);
            ff_json_end(&j);
        }
    }
    ff_json_end(&j);
    ff_json_array(&j, "checks");
    for (size_t i = 0; i < w->check_count; i++) {
        json_check(&j, &w->checks[i]);
    }
    ff_json_end(&j);
    ff_json_end(&j);
}

static int write_checks(const work *w) {
    char *path = path_in(w, "checks.json");
    FILE *out = path ? fopen(path, "w") : NULL;
    if (out) {
        write_json(w, out);
    }
    bool bad = !out || ferror(out);
    bad = (out && fclose(out) != 0) || bad;
    if (bad) {
        args_error(w->a, "%s: %s", path ? path : "checks.json", strerror(errno));
    }
    free(path);
    return bad;
}

/* ---- the page ---- */

/* the contents of a file of the folder, freed by the caller; NULL if it cannot be read */
static char *read_text(const work *w, const char *name) {
    char *path = path_in(w, name), *text = NULL;
    FILE *in = path ? fopen(path, "r") : NULL;
    long size = in && fseek(in, 0, SEEK_END) == 0 ? ftell(in) : -1;
    if (size >= 0 && (text = malloc((size_t)size + 1))) {
        rewind(in);
        text[fread(text, 1, (size_t)size, in)] = '\0';
    }
    if (in) {
        fclose(in);
    }
    free(path);
    return text;
}

/* A figure with its picture embedded, so that the page is self-contained. */
static void page_figure(ff_json *j, const work *w, const paper *p, const paper_figure *f) {
    char name[200], caption[2000];
    snprintf(caption, sizeof caption, "%s.%s%s%s%s", f->title, f->caption ? " " : "",
             f->caption ? f->caption : "", f->chosen ? " " : "", f->chosen ? f->chosen : "");
    ff_json_object(j, NULL);
    ff_json_string(j, "id", f->id);
    ff_json_string(j, "caption", caption);
    ff_json_bool(j, "illustrative", f->chosen != NULL);
    name_file(name, p, f, "svg");
    char *picture = w->draw ? read_text(w, name) : NULL;
    ff_json_string(j, "svg", picture);
    free(picture);
    name_file(name, p, f, "csv");
    ff_json_string(j, "csv", name);
    ff_json_end(j);
}

static void write_page_document(const work *w, const char *title, FILE *out) {
    ff_json j = {.out = out};
    ff_json_object(&j, NULL);
    ff_json_string(&j, "kind", "papers");
    ff_json_string(&j, "title", title);
    char by[40];
    snprintf(by, sizeof by, "footfall %s", ff_version());
    ff_json_string(&j, "generated_by", by);
    ff_json_array(&j, "papers");
    for (size_t i = 0; i < PAPERS; i++) {
        if (!w->wanted[i]) {
            continue;
        }
        ff_json_object(&j, NULL);
        ff_json_string(&j, "name", papers[i]->name);
        ff_json_string(&j, "title", papers[i]->title);
        ff_json_array(&j, "figures");
        for (size_t k = 0; k < papers[i]->figure_count; k++) {
            if (papers[i]->figures[k].x_label) {
                page_figure(&j, w, papers[i], &papers[i]->figures[k]);
            }
        }
        ff_json_end(&j);
        ff_json_array(&j, "checks");
        for (size_t k = 0; k < w->check_count; k++) {
            if (w->checks[k].paper == papers[i]) {
                json_check(&j, &w->checks[k]);
            }
        }
        ff_json_end(&j);
        ff_json_end(&j);
    }
    ff_json_end(&j);
    ff_json_end(&j);
}

/* Writes DIR/index.html; a command built without the page only prints a note. */
static int write_page(const work *w) {
    static const char title[] = "Figures and claims of papers on contact, redone";
    char *path, *text = NULL;
    size_t size = 0;
    ff_error error = {""};
    if (args_status(w->a, ff_page_check(NULL, &error), &error)) {
        return 0;
    }
    path = path_in(w, "index.html");
    FILE *out = open_memstream(&text, &size);
    if (out) {
        write_page_document(w, title, out);
    }
    bool whole = out && !ferror(out);
    whole = out && fclose(out) == 0 && whole && path;
    int status = 1;
    if (whole) {
        status = args_status(w->a, ff_page_save(path, title, text, size, &error), &error);
    } else {
        args_error(w->a, "out of memory");
    }
    if (!status) {
        fprintf(stderr, "wrote %s\n", path);
    }
    free(text);
    free(path);
    return status;
}

/* ---- output ---- */

/* Prints text in indented lines of 78 columns. */
static void print_wrapped(const char *text) {
    enum { WIDTH = 78, INDENT = 4 };
    for (size_t column = 0; *text; text += strspn(text, " ")) {
        size_t length = strcspn(text, " "), width = table_width(text, length);
        if (column == 0 || column + 1 + width > WIDTH) {
            printf("%s%*s", column ? "\n" : "", INDENT, "");
            column = INDENT;
        } else {
            printf(" ");
            column++;
        }
        printf("%.*s", (int)length, text);
        column += width;
        text += length;
    }
    printf("\n");
}

static void print_unusual(const work *w, check_status status, const char *head) {
    if (count_checks(w, NULL, status) > 0) {
        printf("\n%s%s%s\n", table_colour(stdout, TONE_BOLD), head,
               table_colour(stdout, TONE_PLAIN));
    }
    for (size_t i = 0; i < w->check_count; i++) {
        const check_record *r = &w->checks[i].record;
        if (r->status != status) {
            continue;
        }
        printf("  %s, %s: %s\n", w->checks[i].paper->name, r->where, r->quantity);
        if (isfinite(r->value)) {
            const char *relation = r->relation == CHECK_NEAR ? "" : relation_names[r->relation];
            printf("    %.6g%s%s; claimed%s%s: %.6g +- %.2g\n", r->value, *r->unit ? " " : "",
                   r->unit, *relation ? " " : "", relation, r->expected, r->tolerance);
        }
        if (*r->note) {
            print_wrapped(r->note);
        }
    }
}

static void print_report(const work *w) {
    static const table_column columns[] = {{"paper", NULL},          {"figures", NULL},
                                           {"checks", NULL},         {"pass", NULL},
                                           {"not reproduced", NULL}, {"fail", NULL}};
    table t;
    table_init(&t, columns, sizeof columns / sizeof *columns);
    for (size_t i = 0; i < PAPERS; i++) {
        if (w->wanted[i]) {
            size_t figures = 0, n[3];
            for (size_t k = 0; k < papers[i]->figure_count; k++) {
                figures += papers[i]->figures[k].x_label != NULL;
            }
            for (check_status s = CHECK_PASS; s <= CHECK_NOT_REPRODUCED; s++) {
                n[s] = count_checks(w, papers[i], s);
            }
            table_text(&t, papers[i]->name);
            table_number(&t, (double)figures);
            table_number(&t, (double)(n[0] + n[1] + n[2]));
            table_number(&t, (double)n[CHECK_PASS]);
            table_number(&t, (double)n[CHECK_NOT_REPRODUCED]);
            table_number(&t, (double)n[CHECK_FAIL]);
        }
    }
    table_print(&t, stdout);
    table_clear(&t);
    print_unusual(w, CHECK_NOT_REPRODUCED, "not reproduced");
    print_unusual(w, CHECK_FAIL, "failed");
    printf("\nin %s: a folder for each paper, checks.json, index.html; %.3g s\n", w->folder,
           clock_now() - w->began);
}

int command_papers(int argc, char **argv) {
    args a;
    work w = {.a = &a, .began = clock_now()};
    args_want want = args_want_any(NULL);
    want.least = 1;
    want.most = 1000;
    want.fallback = ff_cores();
    double jobs = 1;
    int status = args_parse(&a, &command, argc, argv);
    if (status) {
        return status == ARGS_HELP ? 0 : status;
    }
    w.folder = args_text(&a, "output") ? args_text(&a, "output") : "papers-out";
    w.draw = ff_plot_possible();
    status = args_whole(&a, "jobs", &want, &jobs);
    status = status ? status : load_studies(&a);
    status = status ? status : choose(&w);
    status = status ? status : make_folders(&w);
    if (status) {
        return status;
    }
    if (!w.draw) {
        fprintf(stderr, "footfall papers: no pictures, only .csv: plots need gnuplot (apt-get "
                        "install gnuplot-nox)\n");
    }
    if (!list_runners(&w) || !run_all(&w, (size_t)jobs)) {
        args_error(&a, "out of memory");
        status = 1;
    } else {
        status = write_checks(&w);
        status = write_page(&w) || status;
        if (args_given(&a, "json")) {
            write_json(&w, stdout);
        } else {
            print_report(&w);
        }
    }
    for (size_t i = 0; i < w.count; i++) {
        status = status ? status : w.runners[i].status;
    }
    status = status ? status : count_checks(&w, NULL, CHECK_FAIL) > 0;
    free(w.runners);
    free(w.checks);
    return status;
}
