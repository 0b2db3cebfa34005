/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#define _DEFAULT_SOURCE
#include "batch.h"
#include <dirent.h>
#include <errno.h>
#include <footfall/footfall.h>
#include <footfall/tool.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* A run from its start until its line is printed. */
typedef struct {
    pid_t process; /* 0: not started, or ended */
    bool ended;
    int status;
    FILE *out, *err;        /* its output, while it runs */
    char *said, *complaint; /* its output after the end */
} runner;

typedef struct {
    const args *a;
    batch_item *items;
    runner *runners;
    batch_result *results;             /* in memory shared with the processes */
    size_t count, room, next, printed; /* next: the next one to start */
    size_t widest;                     /* width of the longest scene name */
    bool stopped;                      /* interrupted by a signal */
} batch;

/* ---- list of scenes ---- */

static bool is_folder(const char *path) {
    struct stat s;
    return stat(path, &s) == 0 && S_ISDIR(s.st_mode);
}

bool batch_wanted(const args *a) { return args_word(a, 1) || is_folder(args_word(a, 0)); }

/* concatenates texts; the caller frees the result */
static char *join(const char *a, const char *b, const char *c) {
    size_t size = strlen(a) + strlen(b) + strlen(c) + 1;
    char *out = malloc(size);
    if (out) {
        snprintf(out, size, "%s%s%s", a, b, c);
    }
    return out;
}

static int out_of_memory(const args *a) {
    args_error(a, "out of memory");
    return 1;
}

/* takes ownership of `scene` */
static int add_scene(batch *b, char *scene) {
    if (scene && b->count == b->room) {
        size_t room = b->room ? 2 * b->room : 16;
        batch_item *more = realloc(b->items, room * sizeof *more);
        b->items = more ? more : b->items;
        b->room = more ? room : b->room;
    }
    if (!scene || b->count == b->room) {
        free(scene);
        return out_of_memory(b->a);
    }
    b->items[b->count++] = (batch_item){.scene = scene};
    b->widest = strlen(scene) > b->widest ? strlen(scene) : b->widest;
    return 0;
}

static bool is_scene(const char *name) {
    size_t length = strlen(name);
    return length > 5 && name[0] != '.' && strcmp(name + length - 5, ".yaml") == 0;
}

static int by_scene(const void *a, const void *b) {
    return strcmp(((const batch_item *)a)->scene, ((const batch_item *)b)->scene);
}

static int add_folder(batch *b, const char *path) {
    DIR *folder = opendir(path);
    size_t first = b->count;
    int status = 0;
    if (!folder) {
        return args_error(b->a, "%s: %s", path, strerror(errno));
    }
    for (struct dirent *entry; !status && (entry = readdir(folder));) {
        const char *slash = path[strlen(path) - 1] == '/' ? "" : "/";
        if (is_scene(entry->d_name)) {
            status = add_scene(b, join(path, slash, entry->d_name));
        }
    }
    closedir(folder);
    if (!status && b->count == first) {
        return args_error(b->a, "%s: the folder contains no .yaml file", path);
    }
    if (b->count > first) {
        qsort(b->items + first, b->count - first, sizeof *b->items, by_scene);
    }
    return status;
}

static int find_scenes(batch *b) {
    const char *word;
    int status = 0;
    for (size_t i = 0; !status && (word = args_word(b->a, i)); i++) {
        status = is_folder(word) ? add_folder(b, word) : add_scene(b, join(word, "", ""));
    }
    return status;
}

/* ---- output files ---- */

/* the base name for a scene's files: its own without folder and suffix; the caller frees it */
static char *name_of(const char *scene) {
    const char *slash = strrchr(scene, '/');
    char *name = join(slash ? slash + 1 : scene, "", "");
    if (name && is_scene(name)) {
        name[strlen(name) - 5] = '\0';
    }
    return name;
}

static int make_folder(const args *a, const char *option) {
    const char *path = args_text(a, option);
    if (path && mkdir(path, 0777) != 0 && errno != EEXIST) {
        args_error(a, "%s: %s", path, strerror(errno));
        return 1;
    }
    return path && !is_folder(path)
               ? args_error(a, "with several scenes '--%s' must name a folder, and %s is not one",
                            option, path)
               : 0;
}

static int name_files(batch *b) {
    const char *output = args_text(b->a, "output"), *plot = args_text(b->a, "plot"),
               *report = args_text(b->a, "report");
    ff_error error = {""};
    int status = output ? args_status(b->a, ff_trace_check("traces.h5", &error), &error) : 0;
    if (!status && report) {
        status = args_status(b->a, ff_page_check(NULL, &error), &error);
    }
    char **names = calloc(b->count + 1, sizeof *names);
    if (!names) {
        return out_of_memory(b->a);
    }
    for (size_t i = 0; !status && i < b->count && (output || plot || report); i++) {
        batch_item *item = &b->items[i];
        names[i] = name_of(item->scene);
        for (size_t k = 0; names[i] && !status && k < i; k++) {
            status = strcmp(names[i], names[k]) == 0
                         ? args_error(b->a, "the files of %s and %s would have the same names",
                                      b->items[k].scene, item->scene)
                         : 0;
        }
        char *file = names[i] ? join("/", names[i], ".h5") : NULL;
        item->output = file && output ? join(output, file, "") : NULL;
        item->plot = names[i] && plot ? join(plot, "/", names[i]) : NULL;
        free(file);
        file = names[i] ? join("/", names[i], ".html") : NULL;
        item->report = file && report ? join(report, file, "") : NULL;
        free(file);
        if (!status &&
            ((output && !item->output) || (plot && !item->plot) || (report && !item->report))) {
            status = out_of_memory(b->a);
        }
    }
    for (size_t i = 0; i < b->count; i++) {
        free(names[i]);
    }
    free(names);
    status = status ? status : make_folder(b->a, "output");
    status = status ? status : make_folder(b->a, "plot");
    return status ? status : make_folder(b->a, "report");
}

/* ---- processes ---- */

/* reads and closes a file */
static char *take_text(FILE *file) {
    long size = fseek(file, 0, SEEK_END) == 0 ? ftell(file) : -1;
    char *text = size >= 0 ? malloc((size_t)size + 1) : NULL;
    rewind(file);
    if (text) {
        text[fread(text, 1, (size_t)size, file)] = '\0';
    }
    fclose(file);
    return text;
}

static void start(batch *b, batch_run *run, const sigset_t *usual) {
    size_t i = b->next++;
    runner *r = &b->runners[i];
    r->out = tmpfile();
    r->err = r->out ? tmpfile() : NULL;
    fflush(NULL);
    r->process = r->err ? fork() : -1;
    if (r->process == 0) {
        sigprocmask(SIG_SETMASK, usual, NULL);
        bool ready =
            dup2(fileno(r->out), STDOUT_FILENO) >= 0 && dup2(fileno(r->err), STDERR_FILENO) >= 0;
        int status = ready ? run(b->a, &b->items[i], &b->results[i]) : 1;
        bool written = fflush(stdout) == 0 && !ferror(stdout);
        fflush(stderr);
        _exit(written ? status : 1);
    }
    if (r->process < 0) {
        args_error(b->a, "%s: cannot be started: %s", b->items[i].scene, strerror(errno));
        r->process = 0;
        r->status = 1;
        r->ended = true;
        r->complaint = join("cannot be started", "", "");
        if (r->out) {
            fclose(r->out);
        }
        if (r->err) {
            fclose(r->err);
        }
    }
}

/* collects the output of a finished process */
static void end(runner *r, int how) {
    r->process = 0;
    r->ended = true;
    r->said = take_text(r->out);
    r->complaint = take_text(r->err);
    r->status = WIFEXITED(how) ? WEXITSTATUS(how) : 1;
    if (!r->said || !r->complaint) {
        r->status = 1;
    } else if (WIFSIGNALED(how)) {
        /* its output may be incomplete */
        *r->said = '\0';
        char *more = join(r->complaint, "ended by signal: ", strsignal(WTERMSIG(how)));
        char *line = more ? join(more, "\n", "") : NULL;
        free(more);
        free(line ? r->complaint : NULL);
        r->complaint = line ? line : r->complaint;
    }
}

static size_t reap(batch *b) {
    size_t ended = 0;
    int how;
    for (pid_t process; (process = waitpid(-1, &how, WNOHANG)) > 0;) {
        for (size_t i = 0; i < b->next; i++) {
            if (b->runners[i].process == process) {
                end(&b->runners[i], how);
                ended++;
            }
        }
    }
    return ended;
}

/* running processes end regularly, the others are not started */
static void stop(batch *b) {
    b->stopped = true;
    for (size_t i = 0; i < b->next; i++) {
        if (b->runners[i].process > 0) {
            kill(b->runners[i].process, SIGTERM);
        }
    }
    for (; b->next < b->count; b->next++) {
        b->runners[b->next].ended = true;
        b->runners[b->next].status = 1;
        b->runners[b->next].complaint = join("interrupted before it began\n", "", "");
    }
}

/* ---- output ---- */

/* The line that says why a run failed: the first one that does not announce a file, without its prefix; the caller frees
 * it. */
static char *reason(const char *complaint, const char *scene) {
    const char *line = complaint;
    static const char warning[] = "footfall run: warning: ";
    while (line &&
           (strncmp(line, "wrote ", 6) == 0 || strncmp(line, warning, sizeof warning - 1) == 0)) {
        line = strchr(line, '\n');
        line = line ? line + 1 : NULL;
    }
    if (!line || !*line) {
        return NULL;
    }
    static const char command[] = "footfall run: ";
    size_t length = strlen(scene);
    line += strncmp(line, command, sizeof command - 1) == 0 ? sizeof command - 1 : 0;
    line +=
        strncmp(line, scene, length) == 0 && strncmp(line + length, ": ", 2) == 0 ? length + 2 : 0;
    return strndup(line, strcspn(line, "\n"));
}

static void pass_on(const char *complaint, const char *scene) {
    while (complaint && *complaint) {
        size_t length = strcspn(complaint, "\n");
        bool named = strncmp(complaint, scene, strlen(scene)) == 0;
        fprintf(stderr, "%s%s%.*s\n", named ? "" : scene, named ? "" : ": ", (int)length,
                complaint);
        complaint += length + (complaint[length] == '\n');
    }
}

static void print_json(ff_json *j, const batch_item *item, const runner *r, const char *why) {
    ff_json_object(j, NULL);
    ff_json_string(j, "scene", item->scene);
    ff_json_integer(j, "exit_status", r->status);
    ff_json_string(j, "error", why);
    fputs(r->said ? r->said : "", j->out);
    ff_json_end(j);
}

static void print_line(const batch *b, const batch_item *item, const batch_result *o,
                       const runner *r, const char *why) {
    printf("%-*s", (int)b->widest, item->scene);
    if (o->there) {
        printf("  %10.6g  %10ld  %14.1e  %10.3g  ", o->time, o->steps, o->part, o->seconds);
    } else {
        printf("  %10s  %10s  %14s  %10s  ", "-", "-", "-", "-");
    }
    printf("%s%s%s\n", r->status ? "" : "ok", r->status == 2 ? "wrong input: " : "",
           r->status ? why ? why : "failed" : "");
}

/* prints finished runs in order */
static void print_finished(batch *b, ff_json *j) {
    for (; b->printed < b->count && b->runners[b->printed].ended; b->printed++) {
        runner *r = &b->runners[b->printed];
        const batch_item *item = &b->items[b->printed];
        char *why = r->status ? reason(r->complaint, item->scene) : NULL;
        pass_on(r->complaint, item->scene);
        if (j) {
            print_json(j, item, r, why);
        } else if (!args_given(b->a, "quiet")) {
            print_line(b, item, &b->results[b->printed], r, why);
        }
        fflush(stdout);
        free(why);
        free(r->said);
        free(r->complaint);
        r->said = r->complaint = NULL;
    }
}

static int sum_up(const batch *b, bool print, double seconds) {
    size_t failed = 0, wrong = 0;
    for (size_t i = 0; i < b->count; i++) {
        failed += b->runners[i].status != 0 && b->runners[i].status != 2;
        wrong += b->runners[i].status == 2;
    }
    if (print) {
        printf("%zu of %zu ok", b->count - failed - wrong, b->count);
        if (failed) {
            printf(", %zu failed", failed);
        }
        if (wrong) {
            printf(", %zu with wrong input", wrong);
        }
        printf(" in %.3g s\n", seconds);
    }
    return failed ? 1 : wrong ? ARGS_WRONG : 0;
}

/* ---- all runs ---- */

static double clock_now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int work(batch *b, batch_run *run, size_t jobs) {
    double begin = clock_now();
    const bool print = !args_given(b->a, "json"), quiet = args_given(b->a, "quiet");
    ff_json j = {.out = stdout};
    sigset_t signals, usual;
    sigemptyset(&signals);
    sigaddset(&signals, SIGCHLD);
    sigaddset(&signals, SIGINT);
    sigaddset(&signals, SIGTERM);
    sigprocmask(SIG_BLOCK, &signals, &usual);
    if (print && !quiet) {
        printf("%-*s  %10s  %10s  %14s  %10s\n", (int)b->widest, "scene", "time (s)", "steps",
               "residual/scale", "took (s)");
        fflush(stdout);
    } else if (!print) {
        ff_json_object(&j, NULL);
        ff_json_array(&j, "runs");
    }
    for (size_t running = 0; b->printed < b->count;) {
        while (running < jobs && b->next < b->count) {
            start(b, run, &usual);
            running += b->runners[b->next - 1].process > 0;
        }
        print_finished(b, print ? NULL : &j);
        if (running > 0) {
            siginfo_t info;
            int signal = sigwaitinfo(&signals, &info);
            if ((signal == SIGINT || signal == SIGTERM) && !b->stopped) {
                stop(b);
            }
            running -= reap(b);
        }
    }
    if (!print) {
        ff_json_end(&j);
        ff_json_end(&j);
    }
    sigprocmask(SIG_SETMASK, &usual, NULL);
    int status = sum_up(b, print && !quiet, clock_now() - begin);
    if (b->stopped) {
        fprintf(stderr, "footfall run: interrupted\n");
    }
    return status;
}

static void clear(batch *b) {
    for (size_t i = 0; i < b->count; i++) {
        free((char *)b->items[i].scene);
        free((char *)b->items[i].output);
        free((char *)b->items[i].plot);
        free((char *)b->items[i].report);
    }
    if (b->results) {
        munmap(b->results, b->count * sizeof *b->results);
    }
    free(b->items);
    free(b->runners);
}

int batch_all(const args *a, batch_run *run) {
    static const char *const single[] = {"checkpoint", "checkpoint-every", "resume"};
    batch b = {.a = a};
    args_want want = args_want_any(NULL);
    want.least = 1;
    want.most = 1000;
    want.fallback = ff_cores();
    double jobs = 1;
    int status = args_refuse(a, single, 3, "is for one scene");
    status = status ? status : args_whole(a, "jobs", &want, &jobs);
    status = status ? status : find_scenes(&b);
    status = status ? status : name_files(&b);
    if (!status) {
        b.runners = calloc(b.count, sizeof *b.runners);
        void *shared = mmap(NULL, b.count * sizeof *b.results, PROT_READ | PROT_WRITE,
                            MAP_SHARED | MAP_ANONYMOUS, -1, 0);
        b.results = shared == MAP_FAILED ? NULL : shared;
        jobs = fmin(jobs, (double)b.count);
        for (size_t i = 0; i < b.count; i++) {
            b.items[i].at_once = (int)jobs;
        }
        status = b.runners && b.results ? work(&b, run, (size_t)jobs) : out_of_memory(a);
    }
    clear(&b);
    return status;
}
