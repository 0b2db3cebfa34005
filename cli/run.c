/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#define _POSIX_C_SOURCE 200809L
#include "args.h"
#include "commands.h"
#include "json.h"
#include "scene.h"
#include "table.h"
#include "trace.h"
#include "trace_file.h"
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const args_option options[] = {
    {"until", "T", "s", "end of the run; default: the scene's", false, 0},
    {"method", "M", NULL,
     "auto, dopri5, dop853, rosenbrock, trapezoid; with fixed steps rk4, heun, verlet, "
     "semi-implicit, euler; of "
     "SUNDIALS cvode-bdf, cvode-adams, arkode-dirk",
     false, 0},
    {"dt", "H", "s", "step of the methods with fixed steps; default: the scene's", false, 0},
    {"tol", "R", "1", "relative tolerance; default: the scene's", false, 0},
    {"set", "PATH=VALUE", NULL, "another value for a key of the scene, as bodies.ball.mass=0.2",
     true, 0},
    {"output", "OUT", NULL, "write a trace as the run goes: OUT.h5 (HDF5) or OUT.csv", false, 'o'},
    {"every", "T", "s", "spacing of the trace; default: the scene's, or every step", false, 0},
    {"change", "PART", "1",
     "rows of the trace where something has changed by this part of its scale", false, 0},
    {"only-events", "", "", "rows of the trace at events only", false, 0},
    {"plot", "DIR", NULL, "draw height, forces, energies and slip into a folder", false, 0},
    {"json", "", "", "print one JSON object", false, 0},
};

static const args_command command = {
    .name = "run",
    .usage = "SCENE [options]",
    .summary =
        "Runs a scene: motion, events and the energy ledger. Steps are chosen to keep the error "
        "below the tolerance; touch-down, lift-off, stick and slip are located and end a step.",
    .examples =
        "footfall run scenes/rolling.yaml\n"
        "footfall run scenes/rolling.yaml --until 0.5 --tol 1e-11 --json\n"
        "footfall run scenes/rolling.yaml --set bodies.ball.mass=200g -o roll.csv --plot pictures\n"
        "footfall run scenes/rolling.yaml -o roll.h5 --change 0.01",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .words_least = 1,
    .words_most = 1,
};

static volatile sig_atomic_t interrupted;

static void on_interrupt(int signal) {
    (void)signal;
    interrupted = 1;
}

/* a bar on a terminal, ten times a second at most */
static void show_progress(double part) {
    static double last = -1;
    if (part - last < 0.02 || !isatty(STDERR_FILENO)) {
        return;
    }
    last = part;
    char bar[41];
    memset(bar, ' ', 40);
    memset(bar, '=', (size_t)(40 * fmin(part, 1)));
    bar[40] = '\0';
    fprintf(stderr, "\r[%s] %3.0f %%", bar, 100 * part);
}

static void clear_progress(void) {
    if (isatty(STDERR_FILENO)) {
        fprintf(stderr, "\r%50s\r", "");
    }
}

typedef struct {
    ff_event *at;
    size_t count, room;
} event_list;

static bool add_event(event_list *list, const ff_event *event) {
    if (list->count == list->room) {
        list->room = list->room ? 2 * list->room : 64;
        ff_event *more = realloc(list->at, list->room * sizeof *more);
        if (!more) {
            return false;
        }
        list->at = more;
    }
    list->at[list->count++] = *event;
    return true;
}

static void print_json(const ff_model *model, const ff_sim *sim, const event_list *events,
                       const ff_run_options *o) {
    ff_statistics s = ff_sim_statistics(sim);
    ff_ledger l = ff_sim_ledger(sim);
    json j = {.out = stdout};
    json_object(&j, NULL);
    json_number(&j, "time", ff_sim_time(sim));
    json_integer(&j, "steps", s.steps);
    json_integer(&j, "rejected", s.rejected);
    json_integer(&j, "evaluations", s.evaluations);
    json_number(&j, "wall_seconds", s.seconds);
    json_string(&j, "method", ff_method_name(o->method));
    json_array(&j, "methods_used");
    for (int m = 0; m < FF_METHODS; m++) {
        if (s.method_steps[m] > 0) {
            json_string(&j, NULL, ff_method_name((ff_method)m));
        }
    }
    json_end(&j);
    json_integer(&j, "method_changes", s.switches);
    json_string(&j, "event_location", o->events ? "located" : "none");
    json_array(&j, "events");
    for (size_t i = 0; i < events->count; i++) {
        const ff_event *e = &events->at[i];
        json_object(&j, NULL);
        json_number(&j, "t", e->time);
        json_string(&j, "kind", ff_event_name(e->kind));
        json_string(&j, "pair",
                    e->kind != FF_USER && e->contact >= 0
                        ? ff_model_contact_name(model, (size_t)e->contact)
                        : NULL);
        if (e->rejoin) {
            json_bool(&j, "rejoin", true);
        }
        json_end(&j);
    }
    json_end(&j);
    json_object(&j, "bodies");
    for (size_t i = 0; i < ff_model_body_count(model); i++) {
        ff_motion m = ff_sim_body(sim, i);
        json_object(&j, ff_model_body_name(model, i));
        json_numbers(&j, "position", m.position, 3);
        json_numbers(&j, "velocity", m.velocity, 3);
        json_numbers(&j, "orientation", m.orientation, 4);
        json_numbers(&j, "omega", m.omega, 3);
        json_end(&j);
    }
    json_end(&j);
    json_object(&j, "ledger");
#define MEMBER(name) json_number(&j, #name, l.name);
    FF_LEDGER_LIST(MEMBER)
#undef MEMBER
    json_number(&j, "initial", l.initial);
    json_number(&j, "scale", l.scale);
    json_number(&j, "residual", l.residual);
    json_end(&j);
    json_end(&j);
}

/* more would push the ledger out of sight */
enum { bodies_shown = 20 };

static void print_report(const ff_model *model, const ff_sim *sim, const event_list *events) {
    static const table_column bodies[] = {{"body", NULL}, {"x", "m"},    {"y", "m"},   {"z", "m"},
                                          {"vx", "m/s"},  {"vy", "m/s"}, {"vz", "m/s"}};
    static const table_column accounts[] = {{"account", NULL}, {"energy", "J"}};
    ff_statistics s = ff_sim_statistics(sim);
    ff_ledger l = ff_sim_ledger(sim);
    table t;
    size_t kinds[FF_USER + 1] = {0};
    for (size_t i = 0; i < events->count; i++) {
        kinds[events->at[i].kind]++;
    }
    printf("t = %g s: %ld steps, %ld rejected, %ld evaluations, %.3g ms\n", ff_sim_time(sim),
           s.steps, s.rejected, s.evaluations, s.seconds * 1e3);
    printf("events:");
    for (int k = 0; k <= FF_USER; k++) {
        if (kinds[k]) {
            printf(" %zu %s", kinds[k], ff_event_name((ff_event_kind)k));
        }
    }
    printf("%s\n\n", events->count ? "" : " none");
    table_init(&t, bodies, sizeof bodies / sizeof *bodies);
    size_t count = ff_model_body_count(model), shown = count > bodies_shown ? bodies_shown : count;
    for (size_t i = 0; i < shown; i++) {
        ff_motion m = ff_sim_body(sim, i);
        table_text(&t, ff_model_body_name(model, i));
        for (int c = 0; c < 3; c++) {
            table_number(&t, m.position[c]);
        }
        for (int c = 0; c < 3; c++) {
            table_number(&t, m.velocity[c]);
        }
    }
    table_print(&t, stdout);
    table_clear(&t);
    if (shown < count) {
        printf("... and %zu more\n", count - shown);
    }
    printf("\n");
    table_init(&t, accounts, 2);
#define ROW(name)                                                                                  \
    if (l.name != 0) {                                                                             \
        table_text(&t, #name);                                                                     \
        table_number(&t, l.name);                                                                  \
    }
    FF_LEDGER_LIST(ROW)
#undef ROW
    table_text(&t, "initial");
    table_number(&t, l.initial);
    table_text(&t, "residual");
    table_number(&t, l.residual);
    table_print(&t, stdout);
    table_clear(&t);
    printf("residual is %.1e of scale\n", fabs(l.residual) / l.scale);
}

/* Steps to the end; events and samples are kept on the way. */
static ff_status advance(ff_sim *sim, double until, event_list *events, trace *kept, trace *drawn) {
    ff_status status;
    interrupted = 0;
    if ((kept && !trace_start(kept, sim)) || (drawn && !trace_start(drawn, sim))) {
        return FF_NO_MEMORY;
    }
    do {
        status = ff_sim_step(sim, until);
        const ff_event *event = status == FF_EVENT ? ff_sim_event(sim) : NULL;
        if (event && !add_event(events, event)) {
            return FF_NO_MEMORY;
        }
        if (status >= 0 &&
            ((kept && !trace_step(kept, sim, event)) || (drawn && !trace_step(drawn, sim, NULL)))) {
            return FF_NO_MEMORY;
        }
        show_progress(until > 0 ? ff_sim_time(sim) / until : 1);
    } while (status >= 0 && !interrupted && ff_sim_time(sim) < until);
    clear_progress();
    return kept && !trace_end(kept, sim) ? FF_NO_MEMORY : status;
}

static int read_options(const args *a, const ff_scene *scene, ff_run_options *o) {
    static const char *methods[FF_METHODS];
    size_t method;
    *o = *ff_scene_run(scene);
    method = (size_t)o->method;
    for (size_t i = 0; i < FF_METHODS; i++) {
        methods[i] = ff_method_name((ff_method)i);
    }
    args_want want = args_want_any(NULL);
    want.least = FF_POSITIVE;
    want.fallback = o->until;
    int status = args_number(a, "until", &want, &o->until);
    want.fallback = o->dt;
    status = status ? status : args_number(a, "dt", &want, &o->dt);
    want.fallback = o->every;
    status = status ? status : args_number(a, "every", &want, &o->every);
    want.fallback = o->tol;
    want.most = 0.1;
    status = status ? status : args_number(a, "tol", &want, &o->tol);
    status = status ? status : args_choice(a, "method", methods, FF_METHODS, &method);
    o->method = (ff_method)method;
    return status;
}

static int read_choice(const args *a, const ff_run_options *o, trace_choice *choice) {
    static const char *const others[] = {"every", "only-events"};
    args_want want = args_want_any(NULL);
    want.least = FF_POSITIVE;
    want.most = 1;
    want.fallback = 0;
    *choice = (trace_choice){.every = o->every, .only_events = args_given(a, "only-events")};
    if (!args_given(a, "change")) {
        return 0;
    }
    choice->every = 0;
    return args_refuse(a, others, 2, "does not go with --change")
               ? ARGS_WRONG
               : args_number(a, "change", &want, &choice->change);
}

/* how many rows a trace will have, 0 if that is not known; events add a few */
static double expected_rows(const ff_run_options *o, const trace_choice *choice) {
    bool fixed = o->method == FF_EULER || o->method == FF_SEMI_IMPLICIT || o->method == FF_HEUN ||
                 o->method == FF_RK4 || o->method == FF_VERLET;
    if (choice->only_events || choice->change > 0) {
        return 0;
    }
    return choice->every > 0 ? o->until / choice->every + 1 : fixed ? 1.1 * o->until / o->dt : 0;
}

static int open_trace(const args *a, const char *source, const ff_run_options *o, trace *t) {
    char *scene = scene_resolved(a, source, o);
    int status = 1;
    if (scene) {
        status = trace_file_open(t, a, args_text(a, "output"), scene, expected_rows(o, &t->choice));
    } else {
        args_error(a, "out of memory");
    }
    free(scene);
    return status;
}

/* runs, and tells what came out */
static int run_sim(const args *a, const ff_model *model, ff_sim *sim, const ff_run_options *o,
                   trace *kept, trace *drawn) {
    event_list events = {0};
    int status = 0;
    ff_status done = advance(sim, o->until, &events, kept, drawn);
    if (args_given(a, "json")) {
        print_json(model, sim, &events, o);
    } else {
        print_report(model, sim, &events);
    }
    free(events.at);
    if (interrupted) {
        fprintf(stderr, "footfall run: interrupted at %g s\n", ff_sim_time(sim));
        status = 1;
    } else if (done < 0 && !(kept && trace_file_failed(kept->file))) {
        args_error(a, "at %g s: %s", ff_sim_time(sim), ff_status_text(done));
        status = 1;
    }
    /* a run that failed leaves what it computed */
    if (kept) {
        int written = trace_file_close(kept, a, sim, status == 0 && done >= 0);
        status = status ? status : written;
    }
    if (drawn) {
        int pictures = trace_plot(drawn, a, args_text(a, "plot"));
        status = status ? status : pictures;
    }
    return status;
}

static int run(const args *a, const ff_scene *scene, const ff_model *model, const char *source) {
    ff_run_options o;
    trace_choice choice;
    int status = read_options(a, scene, &o);
    status = status ? status : read_choice(a, &o, &choice);
    if (status) {
        return status;
    }
    ff_sim *sim;
    ff_status made = ff_sim_create(model, &o, &sim);
    if (made == FF_BAD_VALUE) {
        return args_error(a, "%s: a stateful ground needs located events", args_word(a, 0));
    }
    if (made == FF_NOT_BUILT) {
        return args_error(
            a,
            "method '%s': built without SUNDIALS (Debian package libsundials-dev: `make "
            "setup GROUPS=sundials`, then `make`)",
            ff_method_name(o.method));
    }
    if (made < 0) {
        args_error(a, "%s", ff_status_text(made));
        return 1;
    }
    /* pictures want every step: a contact is short */
    trace kept, drawn;
    bool room = trace_init(&kept, model, &choice);
    room = trace_init(&drawn, model, &(trace_choice){.fill = o.until / 400}) && room;
    bool output = args_given(a, "output");
    if (!room) {
        args_error(a, "out of memory");
        status = 1;
    } else if (output) {
        status = open_trace(a, source, &o, &kept);
    }
    if (!status) {
        status = run_sim(a, model, sim, &o, output ? &kept : NULL,
                         args_given(a, "plot") ? &drawn : NULL);
    }
    trace_clear(&kept);
    trace_clear(&drawn);
    ff_sim_free(sim);
    return status;
}

int command_run(int argc, char **argv) {
    args a;
    ff_scene *scene;
    ff_model *model;
    char *source;
    int status = args_parse(&a, &command, argc, argv);
    if (status) {
        return status == ARGS_HELP ? 0 : status;
    }
    if (args_given(&a, "output")) {
        status = trace_file_check(&a, args_text(&a, "output"));
    }
    status = status ? status : scene_load(&a, &scene, &model, &source);
    if (status) {
        return status;
    }
    signal(SIGINT, on_interrupt);
    signal(SIGTERM, on_interrupt);
    status = run(&a, scene, model, source);
    ff_model_free(model);
    ff_scene_free(scene);
    free(source);
    return status;
}
