/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "args.h"
#include "commands.h"
#include "io/inclusion_file.h"
#include "outcome.h"
#include "report.h"
#include "scene.h"
#include "table.h"
#include "trace_file.h"
#include "trace_inclusion.h"
#include "watch.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const args_option options[] = {
    {"until", "T", "s", "end of the run; default: the file's", false, 0},
    {"method", "M", NULL, "as of `footfall run`; default: the file's", false, 0},
    {"dt", "H", "s", "step of the methods with fixed steps; default: the file's", false, 0},
    {"tol", "R", "1", "relative tolerance; default: the file's", false, 0},
    {"events", "WORD", NULL, "located, or none: steps go over kinks; default: the file's", false,
     0},
    {"set", "PATH=VALUE", NULL, "another value for a key of the file, as parameters.F=0.2", true,
     0},
    {"friction", "LAW", NULL,
     "what each sgn becomes: any friction law of `footfall laws`; default: " FF_SGN_LAW
     " (the paper's)",
     false, 0},
    {"contact", "LAW", NULL,
     "what each dio becomes: any normal law that is a function of the gap; default: " FF_DIO_LAW
     " (the paper's)",
     false, 0},
    {"detach", "WORD", NULL,
     "how a rival of " FF_DIO_LAW
     " lets go: clamp (default; it never pulls), tension (it may); as --set contacts.detach=WORD",
     false, 0},
    {"output", "OUT", NULL, "write a trace as the run goes: OUT.h5 (HDF5) or OUT.csv", false, 'o'},
    {"every", "T", "s", "spacing of the trace; default: the file's, or every step", false, 0},
    {"plot", "DIR", NULL, "draw states, outputs, gaps, forces, slip and energies into a folder",
     false, 0},
    {"show", "", "", "print the ordinary differential equation that comes out, and do not run it",
     false, 0},
    {"json", "", "", "print one JSON object", false, 0},
};

static const args_command command = {
    .name = "inclusion",
    .usage = "FILE [options]",
    .summary =
        "A differential inclusion as text, turned into an ordinary differential equation by the "
        "procedure of Xiong, Kikuuwe and Yamamoto (2013) and run: dio(psi) is the force of a rigid "
        "contact with gap psi, chi*sgn(theta) dry friction.",
    .examples =
        "footfall inclusion papers/xiong2013/slide.yaml --show\n"
        "footfall inclusion papers/xiong2013/slide.yaml --friction lugre\n"
        "footfall inclusion papers/xiong2013/bounce.yaml --contact linear --detach tension\n"
        "footfall inclusion papers/xiong2013/example2.yaml -o two.h5 --plot pictures",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .words_least = 1,
    .words_most = 1,
};

/* no more laws than this are offered by name */
enum { LAWS_MOST = 100 };

static int read_rivals(const args *a, ff_rivals *out) {
    const char *words[LAWS_MOST];
    size_t count = 0, chosen = LAWS_MOST;
    *out = (ff_rivals){0};
    for (size_t i = 0; ff_friction_law_at(i) && count < LAWS_MOST; i++) {
        words[count++] = ff_friction_law_at(i)->name;
    }
    int status = args_choice(a, "friction", words, count, &chosen);
    out->friction = chosen < count ? words[chosen] : NULL;
    count = 0, chosen = LAWS_MOST;
    for (size_t i = 0; ff_normal_law_at(i) && count < LAWS_MOST; i++) {
        const ff_normal_law *law = ff_normal_law_at(i);
        if (!law->touch && !law->leave) {
            words[count++] = law->name;
        }
    }
    status = status ? status : args_choice(a, "contact", words, count, &chosen);
    out->contact = chosen < count ? words[chosen] : NULL;
    if (!status && args_given(a, "detach")) {
        const ff_normal_law *law = ff_normal_law_find(out->contact ? out->contact : FF_DIO_LAW);
        const ff_param *param = law->params;
        while (param->name && strcmp(param->name, "detach") != 0) {
            param++;
        }
        if (!param->name) {
            return args_error(a,
                              "--detach is for the rivals of " FF_DIO_LAW
                              " that have it, not for %s: give --contact, too",
                              law->name);
        }
    }
    return status;
}

/* The values of --set, and what stands for --detach; `detach` has room for it. */
static const char **settings_of(const args *a, char *detach, size_t size, size_t *count) {
    const char **settings = scene_settings(a, 1, count);
    if (settings && args_given(a, "detach")) {
        snprintf(detach, size, "contacts.detach=%.60s", args_text(a, "detach"));
        settings[(*count)++] = detach;
    }
    return settings;
}

/* ---- results ---- */

/* What a dio or sgn has become: the law, its numbers and, where they were not given, what they were chosen for. */
static void json_contact_law(json *j, const ff_equations *s, size_t i) {
    const char *why = ff_equations_contact_why(s, i);
    const ff_normal *law = &ff_equations_def(s)->dios[i].law;
    json_string(j, "law", law->law->name);
    report_law_json(j, "parameters", law);
    json_string(j, "chosen", *why ? why : NULL);
}

static void json_friction_law(json *j, const ff_equations *s, size_t i) {
    const char *why = ff_equations_friction_why(s, i);
    const ff_sgn_def *sgn = &ff_equations_def(s)->sgns[i];
    json_string(j, "law", sgn->law.law->name);
    json_object(j, "parameters");
    for (size_t k = 0; sgn->law.law->params[k].name; k++) {
        const ff_param *param = &sgn->law.law->params[k];
        if (param->words) {
            json_string(j, param->name, param->words[(int)sgn->law.values[k]]);
        } else {
            json_number(j, param->name, sgn->law.values[k]);
        }
    }
    json_end(j);
    if (ff_equations_shaped(s, i)) {
        json_array(j, "shape");
        json_numbers(j, NULL, sgn->shape[0], 2);
        json_numbers(j, NULL, sgn->shape[1], 2);
        json_end(j);
    }
    json_string(j, "chosen", *why ? why : NULL);
}

static void print_laws(const ff_equations *s) {
    const ff_inclusion_def *def = ff_equations_def(s);
    for (size_t i = 0; i < def->dio_count; i++) {
        const char *why = ff_equations_contact_why(s, i);
        printf("%s is ", def->dios[i].name);
        report_law(stdout, &def->dios[i].law);
        if (*why) {
            printf("  chosen       %s\n", why);
        }
    }
    for (size_t i = 0; i < def->sgn_count; i++) {
        const char *why = ff_equations_friction_why(s, i);
        const ff_sgn_def *sgn = &def->sgns[i];
        printf("%s is %s: %s\n", sgn->name, sgn->law.law->name, sgn->law.law->formula);
        report_friction(stdout, &sgn->law, false);
        if (ff_equations_shaped(s, i)) {
            printf("  %-12s [[%g, %g], [%g, %g]]\n", "matrix", sgn->shape[0][0], sgn->shape[0][1],
                   sgn->shape[1][0], sgn->shape[1][1]);
        }
        if (*why) {
            printf("  chosen       %s\n", why);
        }
    }
}

static void print_json(ff_equations *s, ff_sim *inc, const event_list *events,
                       const ff_run_options *o, const char *wrong) {
    const ff_inclusion_def *def = ff_equations_def(s);
    ff_statistics st = ff_sim_statistics(inc);
    ff_inclusion_view v = ff_inclusion_at(inc);
    ff_ledger l = ff_sim_ledger(inc);
    json j = {.out = stdout};
    json_object(&j, NULL);
    json_string(&j, "error", wrong);
    json_number(&j, "time", v.time);
    json_integer(&j, "steps", st.steps);
    json_integer(&j, "rejected", st.rejected);
    json_integer(&j, "evaluations", st.evaluations);
    json_number(&j, "wall_seconds", st.seconds);
    json_string(&j, "method", ff_method_name(o->method));
    json_string(&j, "event_location", o->events ? "located" : "none");
    json_array(&j, "events");
    for (size_t i = 0; i < events->count; i++) {
        json_object(&j, NULL);
        json_number(&j, "t", events->at[i].time);
        json_string(&j, "kind", ff_event_name(events->at[i].kind));
        json_string(&j, "force", trace_inclusion_force(def, &events->at[i]));
        json_end(&j);
    }
    json_end(&j);
    json_object(&j, "states");
    for (size_t i = 0; i < def->states; i++) {
        json_number(&j, ff_equations_state_name(s, i), v.x[i]);
    }
    json_end(&j);
    json_object(&j, "contacts");
    for (size_t i = 0; i < def->dio_count; i++) {
        ff_inclusion_energy e = ff_inclusion_dio_energy(inc, i);
        json_object(&j, def->dios[i].name);
        json_number(&j, "gap", v.psi[i]);
        json_number(&j, "force", v.contact[i]);
        json_number(&j, "stored", e.stored);
        json_number(&j, "lost", e.lost);
        json_contact_law(&j, s, i);
        json_end(&j);
    }
    json_end(&j);
    json_object(&j, "frictions");
    for (size_t i = 0, at = 0; i < def->sgn_count; at += (size_t)def->sgns[i++].dimension) {
        ff_inclusion_energy e = ff_inclusion_sgn_energy(inc, i);
        json_object(&j, def->sgns[i].name);
        json_numbers(&j, "slip", v.theta + at, (size_t)def->sgns[i].dimension);
        json_numbers(&j, "force", v.friction + at, (size_t)def->sgns[i].dimension);
        json_number(&j, "stored", e.stored);
        json_number(&j, "lost", e.lost);
        json_friction_law(&j, s, i);
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

static void print_report(ff_equations *s, ff_sim *inc, const event_list *events) {
    static const table_column states[] = {{"state", NULL}, {"value", "SI"}};
    const ff_inclusion_def *def = ff_equations_def(s);
    ff_statistics st = ff_sim_statistics(inc);
    ff_inclusion_view v = ff_inclusion_at(inc);
    ff_ledger l = ff_sim_ledger(inc);
    size_t kinds[FF_USER + 1] = {0};
    table t;
    for (size_t i = 0; i < events->count; i++) {
        kinds[events->at[i].kind]++;
    }
    printf("t = %g s: %ld steps, %ld rejected, %ld evaluations, %.3g ms\nevents:", v.time, st.steps,
           st.rejected, st.evaluations, st.seconds * 1e3);
    for (int k = 0; k <= FF_USER; k++) {
        if (kinds[k]) {
            printf(" %zu %s", kinds[k], ff_event_name((ff_event_kind)k));
        }
    }
    printf("%s\n\n", events->count ? "" : " none");
    table_init(&t, states, 2);
    for (size_t i = 0; i < def->states; i++) {
        table_text(&t, ff_equations_state_name(s, i));
        table_number(&t, v.x[i]);
    }
    table_print(&t, stdout);
    table_clear(&t);
    printf("\n");
    for (size_t i = 0; i < def->dio_count; i++) {
        ff_inclusion_energy e = ff_inclusion_dio_energy(inc, i);
        printf("%s: gap %.6g m, force %.6g N, stored %.6g J, lost %.6g J\n", def->dios[i].name,
               v.psi[i], v.contact[i], e.stored, e.lost);
    }
    for (size_t i = 0; i < def->sgn_count; i++) {
        ff_inclusion_energy e = ff_inclusion_sgn_energy(inc, i);
        printf("%s: stored %.6g J, lost %.6g J\n", def->sgns[i].name, e.stored, e.lost);
    }
    if (!isnan(l.residual)) {
        printf("residual %.3g J, %.1e of scale\n", l.residual, outcome_part(&l));
    }
    printf("\n");
    print_laws(s);
}

/* ---- one run ---- */

typedef struct {
    const args *a;
    ff_equations *system;
    const ff_run_options *o;
    const char *source; /* the text of the file */
    ff_sim *inc;
    event_list events;
    trace traces[2], *kept, *drawn; /* in a file, and for pictures; NULL: not wanted */
} job;

/* Traces with the row of the start; the exit status. What cannot be written is told when it is closed. */
static int begin(job *j, const char *path) {
    const trace_choice choice = {.every = j->o->every};
    int status = 0;
    bool room = !j->kept || trace_init_inclusion(j->kept, j->system, j->inc, &choice);
    /* pictures want every step: a contact is short */
    room = (!j->drawn || trace_init_inclusion(j->drawn, j->system, j->inc,
                                              &(trace_choice){.fill = j->o->until / 400})) &&
           room;
    char *text = room && j->kept ? scene_resolved(j->a, j->source, j->o) : NULL;
    if (!room || (j->kept && !text)) {
        args_error(j->a, "out of memory");
        status = 1;
    } else if (j->kept) {
        status = trace_file_open(j->kept, j->a, path, text, trace_rows(j->o, &choice));
    }
    free(text);
    if (!status && (!j->kept || trace_start(j->kept)) && j->drawn) {
        trace_start(j->drawn);
    }
    return status;
}

/* Keeps what the step last made has brought; false where memory ends or a trace cannot be written. */
static bool keep(job *j, const ff_event *event) {
    return (!event || event_list_add(&j->events, event)) &&
           (!j->kept || trace_step(j->kept, event)) && (!j->drawn || trace_step(j->drawn, NULL));
}

static bool ends_here(void *user) {
    (void)user;
    return watch_interrupted();
}

/* runs, and tells what came out */
static int run_job(job *j) {
    const args *a = j->a;
    const double until = j->o->until;
    ff_status done;
    int status = 0;
    ff_sim_watch(j->inc, ends_here, NULL);
    do {
        done = ff_sim_step(j->inc, until);
        const ff_event *event = done == FF_EVENT ? ff_sim_event(j->inc) : NULL;
        if (done >= 0 && done != FF_STOPPED && !keep(j, event)) {
            done = FF_NO_MEMORY;
        }
        watch_progress(ff_sim_time(j->inc) / until);
    } while (done >= 0 && !watch_interrupted() && ff_sim_time(j->inc) < until);
    watch_clear();
    const char *why = ff_sim_error(j->inc);
    why = done != FF_NO_MEMORY && *why ? why : ff_status_text(done);
    const char *ended = done < 0 ? why : watch_interrupted() ? "interrupted" : NULL;
    const char *failed =
        !ended && ff_sim_verdict(j->inc) < 0 ? ff_sim_error(j->inc) : NULL;
    if (args_given(a, "json")) {
        print_json(j->system, j->inc, &j->events, j->o, ended ? ended : failed);
    } else {
        print_report(j->system, j->inc, &j->events);
    }
    if (done < 0 && !(j->kept && trace_file_failed(j->kept->file))) {
        args_error(a, "at %g s: %s", ff_sim_time(j->inc), why);
        status = 1;
    } else if (done >= 0 && watch_interrupted()) {
        fprintf(stderr, "footfall inclusion: interrupted at %g s\n", ff_sim_time(j->inc));
        status = 1;
    } else if (failed) {
        args_error(a, "at %g s: %s", ff_sim_time(j->inc), failed);
        status = 1;
    }
    /* a run that failed leaves what it computed */
    if (j->kept) {
        int written = trace_file_close(j->kept, a, !ended);
        status = status ? status : written;
    }
    if (j->drawn) {
        int pictures = trace_plot_inclusion(j->drawn, a, args_text(a, "plot"));
        status = status ? status : pictures;
    }
    return status;
}

static int run(const args *a, ff_equations *s, const ff_run_options *o, const char *source) {
    ff_error error = {""};
    job j = {.a = a, .system = s, .o = o, .source = source};
    const char *path = args_text(a, "output");
    ff_status made = ff_inclusion_create(ff_equations_def(s), o, &j.inc, &error);
    if (made < 0) {
        return args_error(a, "%s: %s", args_word(a, 0),
                          *error.text ? error.text : ff_status_text(made));
    }
    j.kept = path ? &j.traces[0] : NULL;
    j.drawn = args_given(a, "plot") ? &j.traces[1] : NULL;
    watch_begin();
    int status = begin(&j, path);
    status = status ? status : run_job(&j);
    trace_clear(&j.traces[0]);
    trace_clear(&j.traces[1]);
    free(j.events.at);
    ff_sim_free(j.inc);
    return status;
}

int command_inclusion(int argc, char **argv) {
    args a;
    ff_equations *s;
    ff_run_options o;
    ff_rivals rivals;
    char *source = NULL;
    ff_messages messages = {0};
    size_t count = 0;
    int status = args_parse(&a, &command, argc, argv);
    if (status) {
        return status == ARGS_HELP ? 0 : status;
    }
    status = read_rivals(&a, &rivals);
    if (status) {
        return status;
    }
    const char *path = args_text(&a, "output");
    status = path ? trace_file_check(&a, path) : 0;
    if (status) {
        return status;
    }
    char detach[80];
    const char **settings = settings_of(&a, detach, sizeof detach, &count);
    if (!settings) {
        return args_error(&a, "out of memory");
    }
    ff_status read =
        ff_inclusion_read(args_word(&a, 0), settings, count, &rivals, &s, &o, &messages, &source);
    free(settings);
    status = scene_tell(&a, args_word(&a, 0), read, &messages);
    if (status) {
        return status;
    }
    status = scene_run_options(&a, &o);
    if (status == 0 && args_given(&a, "show")) {
        char *text = ff_equations_show(s);
        printf("%s", text ? text : "");
        if (!text) {
            args_error(&a, "%s: the equations are too long to print", args_word(&a, 0));
            status = 1;
        }
        free(text);
    } else if (status == 0) {
        status = run(&a, s, &o, source);
    }
    ff_equations_free(s);
    free(source);
    return status;
}
