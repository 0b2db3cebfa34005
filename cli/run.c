/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#define _POSIX_C_SOURCE 200809L
#include "run.h"
#include "args.h"
#include "batch.h"
#include "checkpoint.h"
#include "commands.h"
#include "inclusion.h"
#include "joints.h"
#include "memory.h"
#include "outcome.h"
#include "scene.h"
#include "trust.h"
#include "warnings.h"
#include "watch.h"
#include <footfall/source.h>
#include <footfall/tool.h>
#include <math.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static const args_option options[] = {
    RUN_OPTIONS,
    {"formulation", "F", NULL,
     "how joints are enforced: articulated (joint coordinates) or maximal (constraints); default: "
     "the scene's",
     false, 0},
    {"constraints", "WAY", NULL,
     "constraint method of the maximal formulation: index1, standard, baumgarte, penalty, "
     "augmented, index1-augmented, direct; default: the scene's",
     false, 0},
    {"threads", "N", "1", "threads of a crowd; 0: the number of cores", false, 0},
    {"jobs", "N", "1", "number of files to run at once; default: the number of cores", false, 0},
};

static const args_command command = {
    .name = "run",
    .usage = "FILE... [options]",
    .summary = "Runs a scene (a file with `bodies`) or a differential inclusion (a file with "
               "`rates`) and prints motion, events and the energy ledger. Step sizes keep the "
               "error below the tolerance; touch-down, lift-off, stick and slip are located and "
               "end a step. Several files, or all .yaml files of a folder, are run in parallel, "
               "with one line of output each; then -o, --plot and --report name folders.",
    .examples =
        "footfall run scenes/rolling.yaml\n"
        "footfall run scenes/rolling.yaml --until 0.5 --tol 1e-11 --json\n"
        "footfall run scenes/rolling.yaml --set bodies.ball.mass=200g -o roll.csv --plot pictures\n"
        "footfall run scenes/rolling.yaml -o roll.h5 --change 0.01\n"
        "footfall run scenes/rolling.yaml --report roll.html\n"
        "footfall run sand.yaml -o sand.h5 --checkpoint sand.save --checkpoint-every 10ms\n"
        "footfall run sand.yaml -o sand.h5 --resume sand.save\n"
        "footfall run scenes --jobs 4 -o traces",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .words_least = 1,
    .words_most = SIZE_MAX,
};

static volatile sig_atomic_t wanted;

static void on_wanted(int signal) {
    (void)signal;
    wanted = 1;
}

/* Prints information that is not an error on stderr. */
static void note(const args *a, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void note(const args *a, const char *format, ...) {
    if (!args_given(a, "quiet")) {
        va_list list;
        va_start(list, format);
        vfprintf(stderr, format, list);
        va_end(list);
    }
}

static int out_of_memory(const args *a) {
    args_error(a, "out of memory");
    return 1;
}

/* ---- reading ---- */

static int read_options(const args *a, run_subject *s) {
    int status = scene_run_options(a, &s->o);
    if (status || !s->scene) {
        static const char *const joints[] = {"formulation", "constraints", "threads"};
        return status ? status : args_refuse(a, joints, 3, "is for scenes");
    }
    double threads = s->o.threads;
    args_want want = args_want_any(NULL);
    want.least = 0;
    want.most = FF_THREADS_MOST;
    want.fallback = threads;
    status = scene_joint_options(a, &s->o);
    status = status ? status : args_whole(a, "threads", &want, &threads);
    s->o.threads = (int)threads;
    return status;
}

/* The values of --set, and the setting for --detach, written to `detach`. */
static const char **settings_of(const args *a, char *detach, size_t size, size_t *count) {
    const char **settings = scene_settings(a, 1, count);
    if (settings && args_given(a, "detach")) {
        snprintf(detach, size, "contacts.detach=%.60s", args_text(a, "detach"));
        settings[(*count)++] = detach;
    }
    return settings;
}

int run_read(const args *a, const char *path, const ff_rivals *rivals, double memory,
             run_subject *out) {
    static const ff_rivals none;
    ff_messages messages = {0};
    ff_status status;
    size_t length, count;
    char detach[80];
    const char **settings = settings_of(a, detach, sizeof detach, &count);
    *out = (run_subject){0};
    if (!settings) {
        return out_of_memory(a);
    }
    out->source = ff_source_read(path, FF_SOURCE_MOST, &length, &messages, &status);
    if (status >= 0 && (rivals || ff_source_is_inclusion(out->source))) {
        status = ff_inclusion_parse(path, out->source, length, settings, count,
                                    rivals ? rivals : &none, &out->equations, &out->o, &messages);
    } else if (status >= 0) {
        status = ff_scene_parse(path, out->source, length, settings, count, memory, &out->scene,
                                &messages);
    }
    free(settings);
    int failed = scene_tell(a, path, status, &messages);
    if (!failed && out->scene) {
        out->o = *ff_scene_run(out->scene);
    }
    failed = failed ? failed : read_options(a, out);
    if (failed) {
        run_subject_clear(out);
    }
    return failed;
}

void run_subject_clear(run_subject *s) {
    ff_scene_free(s->scene);
    ff_equations_free(s->equations);
    ff_free(s->source);
}

/* ---- traces ---- */

static int read_choice(const args *a, const ff_run_options *o, ff_trace_options *choice) {
    static const char *const others[] = {"every", "only-events"};
    args_want want = args_want_any(NULL);
    want.least = FF_POSITIVE;
    want.most = 1;
    want.fallback = 0;
    choice->every = o->every;
    choice->rows = args_given(a, "only-events") ? FF_ROWS_EVENTS : FF_ROWS_STEPS;
    if (!args_given(a, "change")) {
        return 0;
    }
    choice->every = 0;
    return args_refuse(a, others, 2, "cannot be used with --change")
               ? ARGS_WRONG
               : args_number(a, "change", &want, &choice->change);
}

/* ---- one run ---- */

typedef struct {
    const args *a;
    const batch_item *item;
    const ff_run_options *o;
    const ff_model *model;
    const run_subject *subject;
    const char *resolved; /* its text as it is run; NULL: not needed */
    ff_sim *sim;
    ff_trace *kept, *drawn; /* for a file, and for pictures and the page; NULL: not needed */
    ff_trace *traced; /* the first of them, with the other beside it; or one with events only */
    checkpoint save;
    double most_steps, most_seconds; /* limits, or infinite */
    double began;                    /* wall-clock time of the start, s */
    const char *limit;               /* the option that ended the run, NULL: none */
    ff_trust *trust;                 /* NULL: not asked for, or the run has not come to its end */
} job;

static double clock_now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int read_limits(job *j) {
    args_want want = args_want_any(NULL);
    want.least = 1;
    want.fallback = INFINITY;
    j->began = clock_now();
    int status = args_whole(j->a, "max-steps", &want, &j->most_steps);
    want.least = FF_POSITIVE;
    return status ? status : args_number(j->a, "max-seconds", &want, &j->most_seconds);
}

static const char *limit_reached(const job *j) {
    return isfinite(j->most_steps) && (double)ff_sim_statistics(j->sim).steps >= j->most_steps
               ? "--max-steps"
           : isfinite(j->most_seconds) && clock_now() - j->began >= j->most_seconds
               ? "--max-seconds"
               : NULL;
}

/* Called between evaluations, so that even a long step can be interrupted. */
static bool ends_here(void *user) {
    const job *j = user;
    return watch_interrupted() ||
           (isfinite(j->most_seconds) && clock_now() - j->began >= j->most_seconds);
}

/* resumes from a checkpoint */
static int resume(job *j) {
    const char *path = args_text(j->a, "resume"), *output = j->item->output;
    ff_error error = {""};
    void *extra = NULL;
    size_t size = 0;
    int status = args_status(j->a, ff_checkpoint_read(path, j->sim, &extra, &size, &error), &error);
    const double now = ff_sim_time(j->sim);
    if (!status && now > j->o->until) {
        status =
            args_error(j->a, "%s: is at %g s, and the run ends at %g s", path, now, j->o->until);
    }
    struct stat s;
    const bool there = output && stat(output, &s) == 0 && s.st_size > 0;
    if (!status && ff_trace_restore(j->traced, extra, size, &error) < 0) {
        /* errors of the trace name its file; those of the checkpoint do not */
        const bool named = output && strncmp(error.text, output, strlen(output)) == 0;
        status = args_error(j->a, "%s%s%s", named ? "" : path, named ? "" : ": ", error.text);
    }
    free(extra);
    if (!status && ff_trace_about(j->traced).discards) {
        note(j->a, "the trace of the checkpoint is not continued, because there is no -o\n");
    }
    if (!status && output && !there) {
        note(j->a, "%s: begins at %g s, where the checkpoint is\n", output, now);
    }
    if (!status && j->drawn) {
        const char *what = !j->item->report ? "pictures begin"
                           : j->item->plot  ? "pictures and the page begin"
                                            : "the page begins";
        note(j->a, "%s at %g s, where the checkpoint is\n", what, now);
    }
    return status;
}

/* Everything that can fail before the first step. */
static int begin(job *j) {
    ff_error error = {""};
    int status = args_given(j->a, "resume") ? resume(j) : 0;
    if (!status) {
        status = args_status(j->a, ff_trace_start(j->traced, &error), &error);
    }
    /* the first checkpoint shows whether they can be written */
    return status ? status : j->save.path && !checkpoint_write(&j->save, j->a, j->sim, j->traced);
}

static void print_checkpoint(const job *j) {
    note(j->a, "wrote %s: the run at %g s\n", j->save.path, ff_sim_time(j->sim));
}

/* Makes steps to the end; records events, rows and checkpoints. */
static ff_status advance(job *j, ff_error *error) {
    const double until = j->o->until;
    ff_status status = FF_OK;
    /* the first step of a run is made even if the run has no duration */
    bool more = !args_given(j->a, "resume") || ff_sim_time(j->sim) < until;
    const bool limited = isfinite(j->most_steps) || isfinite(j->most_seconds);
    j->limit = NULL;
    ff_sim_watch(j->sim, ends_here, j);
    while (status >= 0 && more) {
        status = ff_sim_step(j->sim, until);
        const ff_event *event = status == FF_EVENT ? ff_sim_event(j->sim) : NULL;
        if (status >= 0 && status != FF_STOPPED) {
            const ff_status kept = ff_trace_step(j->traced, event, error);
            status = kept < 0 ? kept : status;
        }
        bool asked = wanted && j->save.path;
        if (status >= 0 && (asked || checkpoint_due(&j->save, j->sim, event))) {
            bool written = checkpoint_write(&j->save, j->a, j->sim, j->traced);
            wanted = 0;
            if (asked && written) {
                print_checkpoint(j);
            }
        }
        watch_progress(ff_sim_time(j->sim), until, "s");
        more = !watch_interrupted() && ff_sim_time(j->sim) < until;
        j->limit = more && limited ? limit_reached(j) : NULL;
        more = more && !j->limit;
    }
    watch_clear();
    /* a checkpoint of a failed state would fail again: keep the last good one */
    if (status >= 0 && j->save.path) {
        bool there = checkpoint_fresh(&j->save, j->sim, j->traced) ||
                     checkpoint_write(&j->save, j->a, j->sim, j->traced);
        if (there) {
            print_checkpoint(j);
        }
    }
    return status;
}

static void print_outcome(const job *j, const char *wrong, batch_result *result) {
    bool many = result, with_json = args_given(j->a, "json");
    ff_json out = {.out = stdout, .depth = many ? BATCH_DEPTH : 0, .filled = many};
    if (with_json && !many) {
        ff_json_object(&out, NULL);
    }
    if (with_json) {
        if (!many) {
            /* with several scenes it is beside their name */
            ff_json_string(&out, "error", wrong);
        }
        if (j->subject->equations) {
            inclusion_json(&out, j->subject->equations, j->model, j->sim, j->traced, j->o);
        } else {
            outcome_json(&out, j->model, j->sim, j->traced, j->o);
        }
        if (args_given(j->a, "trust")) {
            trust_json(&out, j->trust);
        }
    } else if (args_given(j->a, "quiet")) {
        /* errors are printed elsewhere */
    } else if (!many && j->subject->equations) {
        inclusion_print(j->subject->equations, j->model, j->sim, j->traced);
    } else if (!many) {
        outcome_print(j->model, j->sim, j->traced);
    }
    if (!with_json && !many && !args_given(j->a, "quiet") && j->trust) {
        trust_print(j->trust);
    }
    if (with_json && !many) {
        ff_json_end(&out);
    }
    if (many) {
        ff_ledger l = ff_sim_ledger(j->sim);
        ff_statistics s = ff_sim_statistics(j->sim);
        *result = (batch_result){.there = true,
                                 .time = ff_sim_time(j->sim),
                                 .part = outcome_part(&l),
                                 .seconds = s.seconds,
                                 .steps = s.steps};
    }
}

static void print_picture(void *user, const char *path, size_t lines, size_t left_out) {
    if (left_out) {
        note(user, "wrote %s: the first %zu of %zu lines\n", path, lines, lines + left_out);
    } else {
        note(user, "wrote %s\n", path);
    }
}

/* Writes plots and the page. */
static int write_pictures(const job *j) {
    ff_error error = {""};
    const char *report = j->item->report, *plot = j->item->plot;
    int status = 0;
    if (ff_trace_row_count(j->drawn) == 0) {
        return 0;
    }
    if (report) {
        status = args_status(j->a, ff_trace_page(j->drawn, report, &error), &error);
        if (!status) {
            note(j->a, "wrote %s\n", report);
        }
    }
    if (plot) {
        ff_status drawn = ff_trace_plot(j->drawn, plot, print_picture, (void *)j->a, &error);
        int pictures = args_status(j->a, drawn, &error);
        status = status ? status : pictures;
    }
    return status;
}

/* runs, and prints the outcome */
static int run_job(job *j, batch_result *result) {
    const args *a = j->a;
    ff_error error = {""}, closing = {""}, distrust = {""};
    int status = begin(j);
    if (status) {
        return status;
    }
    ff_status done = advance(j, &error);
    /* recording errors come with a sentence; errors of a step are in the sim */
    const bool unwritten = *error.text;
    const char *why = unwritten ? error.text : ff_sim_error(j->sim);
    why = *why ? why : ff_status_text(done);
    const bool interrupted = watch_interrupted();
    const char *ended = done < 0 ? why : interrupted ? "interrupted" : j->limit;
    const ff_status closed = ff_trace_end(j->traced, ended, &closing);
    const char *failed = !ended && ff_sim_verdict(j->sim) < 0 ? ff_sim_error(j->sim) : NULL;
    const char *untrusted = NULL;
    if (!ended && args_given(a, "trust")) {
        untrusted = trust_run(j->model, j->o, ends_here, j, &j->trust, &distrust);
    }
    failed = failed ? failed : untrusted;
    print_outcome(j, ended ? ended : failed, result);
    /* a failed run says so instead */
    if (done >= 0 && !failed) {
        status = warnings_of_run(a, j->item->scene, j->sim);
    }
    if (unwritten) {
        args_error(a, "%s", why);
        status = 1;
    } else if (done < 0) {
        args_error(a, "at %g s: %s", ff_sim_time(j->sim), why);
        status = 1;
    } else if (interrupted) {
        fprintf(stderr, "footfall %s: interrupted at %g s\n", a->command->name,
                ff_sim_time(j->sim));
        status = 1;
    } else if (j->limit) {
        args_error(a, "ended by %s at %g s of %g s, after %ld steps and %.3g s", j->limit,
                   ff_sim_time(j->sim), j->o->until, ff_sim_statistics(j->sim).steps,
                   clock_now() - j->began);
        status = 1;
    } else if (failed) {
        args_error(a, "at %g s: %s", ff_sim_time(j->sim), failed);
        status = 1;
    }
    if (!result && j->save.path && !j->save.failed && (interrupted || j->limit)) {
        char *line = args_line_with(a, "resume", j->save.path);
        if (line) {
            note(a, "resume with: %s\n", line);
        }
        free(line);
    }
    /* a failed run keeps what it computed */
    if (closed >= 0 && j->kept) {
        note(a, "wrote %s\n", j->item->output);
    } else if (closed < 0 && !unwritten) {
        int unclosed = args_status(a, closed, &closing);
        status = status ? status : unclosed;
    }
    int pictures = j->drawn ? write_pictures(j) : 0;
    status = status ? status : pictures;
    return status ? status : j->save.failed;
}

/* Creates the requested traces. */
static int make_traces(job *j, double memory) {
    ff_error error = {""};
    ff_trace_options choice = ff_trace_options_default();
    char *line = args_line(j->a);
    int status = line ? read_choice(j->a, j->o, &choice) : out_of_memory(j->a);
    choice.name = j->item->scene;
    choice.source = j->subject->source;
    choice.scene = j->resolved;
    choice.command = line;
    ff_trace_options other = choice;
    ff_trace_options_page(&other, j->sim, memory);
    if (!status && (j->item->plot || j->item->report)) {
        status = args_status(j->a, ff_trace_create(j->sim, &other, &j->drawn, &error), &error);
    }
    choice.path = j->item->output;
    choice.beside = j->drawn;
    if (!status && j->item->output) {
        status = args_status(j->a, ff_trace_create(j->sim, &choice, &j->kept, &error), &error);
    }
    j->traced = j->kept ? j->kept : j->drawn;
    if (!status && !j->traced) {
        other = ff_trace_options_default();
        other.rows = FF_ROWS_NONE;
        status = args_status(j->a, ff_trace_create(j->sim, &other, &j->traced, &error), &error);
    }
    if (!status && j->kept) {
        status = memory_take(j->a, j->item->output, ff_trace_memory(j->kept), &memory);
    }
    free(line);
    return status;
}

static int run(const args *a, const batch_item *item, const run_subject *subject,
               const ff_model *model, const char *resolved, double memory, batch_result *result) {
    const ff_run_options *o = &subject->o;
    job j = {
        .a = a, .item = item, .o = o, .model = model, .subject = subject, .resolved = resolved};
    int status = read_limits(&j);
    status = status ? status : checkpoint_options(&j.save, a);
    if (status) {
        return status;
    }
    ff_error error = {""};
    ff_status made = ff_sim_create(model, o, &j.sim, &error);
    if (made == FF_NO_MEMORY) {
        return args_status(a, made, &error);
    }
    if (made < 0) {
        return args_error(a, "%s: %s", item->scene, error.text);
    }
    status = make_traces(&j, memory);
    status = status ? status : run_job(&j, result);
    if (j.traced != j.drawn) {
        ff_trace_free(j.traced);
    }
    ff_trace_free(j.drawn);
    ff_free(j.trust);
    ff_sim_free(j.sim);
    return status;
}

static int compile(const args *a, const char *path, run_subject *s, double *memory,
                   ff_model **model) {
    ff_error error = {""};
    if (s->scene) {
        ff_scene_set_run(s->scene, &s->o);
        return scene_compile(a, path, s->scene, memory, model);
    }
    ff_status status = ff_inclusion_model(ff_equations_def(s->equations), model, &error);
    return status < 0 ? args_error(a, "%s: %s", path, error.text) : 0;
}

/* Reads, compiles and runs a file; options come first because the model of a scene depends on them. `result` NULL: it is
 * the only file. */
static int run_item(const args *a, const batch_item *item, const ff_rivals *rivals,
                    batch_result *result) {
    run_subject subject;
    ff_model *model = NULL;
    char *resolved = NULL;
    double memory = 0;
    int status = memory_limit(a, item->at_once, &memory);
    status = status ? status : run_read(a, item->scene, rivals, memory, &subject);
    if (status) {
        return status;
    }
    if (subject.o.threads == 0 && item->at_once > 1) {
        subject.o.threads = ff_cores() > item->at_once ? ff_cores() / item->at_once : 1;
    }
    if (item->output || item->report) {
        resolved = subject.scene ? scene_print(a, subject.scene, subject.source, &subject.o)
                                 : scene_resolved(a, subject.source, &subject.o);
        status = resolved ? 0 : out_of_memory(a);
    }
    status = status ? status : compile(a, item->scene, &subject, &memory, &model);
    if (!status && !args_given(a, "resume")) {
        status = warnings_of_model(a, item->scene, model);
    }
    /* before this, a signal may end the command immediately: nothing has been computed yet */
    watch_begin(args_given(a, "quiet") || result);
    status = status ? status : run(a, item, &subject, model, resolved, memory, result);
    ff_model_free(model);
    ff_free(resolved);
    run_subject_clear(&subject);
    return status;
}

static int run_of_many(const args *a, const batch_item *item, batch_result *result) {
    return run_item(a, item, NULL, result);
}

int run_one(const args *a, const ff_rivals *rivals) {
    const batch_item item = {args_word(a, 0), args_text(a, "output"), args_text(a, "plot"),
                             args_text(a, "report"), 1};
    ff_error error = {""};
    int status = item.output ? args_status(a, ff_trace_check(item.output, &error), &error) : 0;
    if (!status && item.report) {
        status = args_status(a, ff_page_check(item.report, &error), &error);
    }
    if (status) {
        return status;
    }
    if (args_given(a, "checkpoint")) {
        signal(SIGUSR1, on_wanted);
    }
    return run_item(a, &item, rivals, NULL);
}

int command_run(int argc, char **argv) {
    static const char *const several[] = {"jobs"};
    args a;
    int status = args_parse(&a, &command, argc, argv);
    if (status) {
        return status == ARGS_HELP ? 0 : status;
    }
    if (batch_wanted(&a)) {
        static const char *const detailed[] = {"trust"};
        status = args_given(&a, "json")
                     ? 0
                     : args_refuse(&a, detailed, 1, "of several files needs --json");
        return status ? status : batch_all(&a, run_of_many);
    }
    status = args_refuse(&a, several, 1, "is for several files");
    return status ? status : run_one(&a, NULL);
}
