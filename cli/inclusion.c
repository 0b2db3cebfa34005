/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "args.h"
#include "commands.h"
#include "io/inclusion_file.h"
#include "outcome.h"
#include "report.h"
#include "scene.h"
#include "table.h"
#include <errno.h>
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
     "what each sgn becomes: sat (the paper's), lugre, dahl, coulomb, awrejcewicz, bengisu-akay",
     false, 0},
    {"contact", "LAW", NULL,
     "what each dio becomes: xiong (the paper's), linear, hunt-crossley, azad-featherstone", false,
     0},
    {"detach", "WORD", NULL,
     "how a rival of xiong lets go: clamp (default; it never pulls), tension (it may)", false, 0},
    {"output", "OUT", NULL, "write a trace of states, forces and outputs: OUT.csv", false, 'o'},
    {"every", "T", "s", "spacing of the trace; default: every step", false, 0},
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
    .examples = "footfall inclusion papers/xiong2013/slide.yaml --show\n"
                "footfall inclusion papers/xiong2013/slide.yaml --friction lugre\n"
                "footfall inclusion papers/xiong2013/bounce.yaml --contact linear --detach tension",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .words_least = 1,
    .words_most = 1,
};

static int read_rivals(const args *a, ff_rivals *out) {
    static const char *const frictions[] = {"sat",     "lugre",       "dahl",
                                            "coulomb", "awrejcewicz", "bengisu-akay"};
    static const char *const contacts[] = {"xiong", "linear", "hunt-crossley", "azad-featherstone"};
    static const char *const detach[] = {"clamp", "tension"};
    size_t friction = 0, contact = 0, tension = 0;
    int status = args_choice(a, "friction", frictions, 6, &friction);
    status = status ? status : args_choice(a, "contact", contacts, 4, &contact);
    status = status ? status : args_choice(a, "detach", detach, 2, &tension);
    if (!status && args_given(a, "detach") && contact == 0) {
        return args_error(a, "--detach is for the rivals of xiong, which never pulls: give "
                             "--contact, too");
    }
    *out = (ff_rivals){contacts[contact], frictions[friction], tension == 1};
    return status;
}

/* ---- a trace ---- */

typedef struct {
    FILE *out;
    ff_system *system;
    double every, next;
    double *outputs;
} sheet;

static void sheet_head(const sheet *t) {
    const ff_system *s = t->system;
    const ff_inclusion_def *def = ff_system_def(s);
    fprintf(t->out, "t");
    for (size_t i = 0; i < ff_system_states(s); i++) {
        fprintf(t->out, ",%s", ff_system_state_name(s, i));
    }
    for (size_t i = 0; i < def->dio_count; i++) {
        fprintf(t->out, ",%s:gap,%s:force", def->dios[i].name, def->dios[i].name);
    }
    for (size_t i = 0; i < def->sgn_count; i++) {
        for (int c = 0; c < def->sgns[i].dimension; c++) {
            fprintf(t->out, ",%s:slip%d,%s:force%d", def->sgns[i].name, c, def->sgns[i].name, c);
        }
    }
    for (size_t i = 0; i < ff_system_outputs(s); i++) {
        for (size_t c = 0; c < ff_system_output_length(s, i); c++) {
            const char *name = ff_system_output_name(s, i);
            ff_system_output_length(s, i) > 1 ? fprintf(t->out, ",%s[%zu]", name, c)
                                              : fprintf(t->out, ",%s", name);
        }
    }
    fputc('\n', t->out);
}

static void sheet_row(const sheet *t, ff_inclusion *inc) {
    ff_inclusion_view v = ff_inclusion_at(inc);
    const ff_inclusion_def *def = ff_system_def(t->system);
    fprintf(t->out, "%.17g", v.time);
    for (size_t i = 0; i < def->states; i++) {
        fprintf(t->out, ",%.17g", v.x[i]);
    }
    for (size_t i = 0; i < def->dio_count; i++) {
        fprintf(t->out, ",%.17g,%.17g", v.psi[i], v.contact[i]);
    }
    for (size_t i = 0, at = 0; i < def->sgn_count; i++) {
        for (int c = 0; c < def->sgns[i].dimension; c++, at++) {
            fprintf(t->out, ",%.17g,%.17g", v.theta[at], v.friction[at]);
        }
    }
    size_t width = 0;
    for (size_t i = 0; i < ff_system_outputs(t->system); i++) {
        width += ff_system_output_length(t->system, i);
    }
    if (width) {
        ff_system_output_at(t->system, &v, t->outputs);
    }
    for (size_t i = 0; i < width; i++) {
        fprintf(t->out, ",%.17g", t->outputs[i]);
    }
    fputc('\n', t->out);
}

/* Rows of the step last taken. */
static void sheet_step(sheet *t, ff_inclusion *inc) {
    double now = ff_inclusion_time(inc);
    if (!(t->every > 0)) {
        sheet_row(t, inc);
        return;
    }
    while (t->next <= now) {
        ff_inclusion_observe(inc, t->next);
        sheet_row(t, inc);
        t->next += t->every;
    }
    ff_inclusion_observe(inc, NAN);
}

/* ---- results ---- */

/* The numbers of a friction law by the names of its parameters. */
static double friction_param(const ff_friction *law, const char *name) {
    const struct {
        const char *name;
        double value;
    } numbers[] = {{"mu", law->mu},      {"mu_s", law->mu_s},       {"v_ramp", law->v0},
                   {"epsilon", law->v0}, {"v0", law->v0},           {"xi", law->xi},
                   {"k", law->k},        {"damping", law->damping}, {"viscous", law->viscous},
                   {"beta", law->beta}};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        if (strcmp(numbers[i].name, name) == 0) {
            return numbers[i].value;
        }
    }
    return NAN;
}

/* What a dio or sgn has become: the law, its numbers and, where they were not given, what they were chosen for. */
static void json_contact_law(json *j, const ff_system *s, size_t i) {
    const char *why = ff_system_contact_why(s, i);
    const ff_normal *law = &ff_system_def(s)->dios[i].law;
    json_string(j, "law", law->law->name);
    report_law_json(j, "parameters", law);
    json_string(j, "chosen", *why ? why : NULL);
}

static void json_friction_law(json *j, const ff_system *s, size_t i) {
    const char *why = ff_system_friction_why(s, i);
    const ff_sgn_def *sgn = &ff_system_def(s)->sgns[i];
    json_string(j, "law", sgn->law.law->name);
    json_object(j, "parameters");
    for (const ff_param *param = sgn->law.law->params; param->name; param++) {
        json_number(j, param->name, friction_param(&sgn->law, param->name));
    }
    json_end(j);
    if (ff_system_shaped(s, i)) {
        json_array(j, "shape");
        json_numbers(j, NULL, sgn->shape[0], 2);
        json_numbers(j, NULL, sgn->shape[1], 2);
        json_end(j);
    }
    json_string(j, "chosen", *why ? why : NULL);
}

static void print_laws(const ff_system *s) {
    const ff_inclusion_def *def = ff_system_def(s);
    for (size_t i = 0; i < def->dio_count; i++) {
        const char *why = ff_system_contact_why(s, i);
        printf("%s is ", def->dios[i].name);
        report_law(stdout, &def->dios[i].law);
        if (*why) {
            printf("  chosen       %s\n", why);
        }
    }
    for (size_t i = 0; i < def->sgn_count; i++) {
        const char *why = ff_system_friction_why(s, i);
        const ff_sgn_def *sgn = &def->sgns[i];
        printf("%s is %s: %s\n", sgn->name, sgn->law.law->name, sgn->law.law->formula);
        for (const ff_param *param = sgn->law.law->params; param->name; param++) {
            const char *unit = strcmp(param->unit, "1") == 0 ? "" : param->unit;
            printf("  %-12s %.10g%s%s\n", param->name, friction_param(&sgn->law, param->name),
                   *unit ? " " : "", unit);
        }
        if (ff_system_shaped(s, i)) {
            printf("  %-12s [[%g, %g], [%g, %g]]\n", "matrix", sgn->shape[0][0], sgn->shape[0][1],
                   sgn->shape[1][0], sgn->shape[1][1]);
        }
        if (*why) {
            printf("  chosen       %s\n", why);
        }
    }
}

/* the force that an event is of; NULL for switches and users' functions */
static const char *force_of(const ff_inclusion_def *def, const ff_event *e) {
    if (e->kind == FF_STICK || e->kind == FF_SLIP) {
        return def->sgns[e->contact].name;
    }
    return e->kind <= FF_CLEAR ? def->dios[e->contact].name : NULL;
}

static void print_json(ff_system *s, ff_inclusion *inc, const event_list *events,
                       const ff_run_options *o) {
    const ff_inclusion_def *def = ff_system_def(s);
    ff_statistics st = ff_inclusion_statistics(inc);
    ff_inclusion_view v = ff_inclusion_at(inc);
    ff_ledger l = ff_inclusion_ledger(inc);
    json j = {.out = stdout};
    json_object(&j, NULL);
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
        json_string(&j, "force", force_of(def, &events->at[i]));
        json_end(&j);
    }
    json_end(&j);
    json_object(&j, "states");
    for (size_t i = 0; i < def->states; i++) {
        json_number(&j, ff_system_state_name(s, i), v.x[i]);
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

static void print_report(ff_system *s, ff_inclusion *inc, const event_list *events) {
    static const table_column states[] = {{"state", NULL}, {"value", "SI"}};
    const ff_inclusion_def *def = ff_system_def(s);
    ff_statistics st = ff_inclusion_statistics(inc);
    ff_inclusion_view v = ff_inclusion_at(inc);
    ff_ledger l = ff_inclusion_ledger(inc);
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
        table_text(&t, ff_system_state_name(s, i));
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
        printf("residual %.3g J, %.1e of scale\n", l.residual, fabs(l.residual) / l.scale);
    }
    printf("\n");
    print_laws(s);
}

static int run(const args *a, ff_system *s, const ff_run_options *o) {
    ff_inclusion *inc;
    ff_error error = {""};
    event_list events = {0};
    sheet t = {.system = s, .every = o->every, .next = 0};
    const char *path = args_text(a, "output");
    size_t width = 1;
    ff_status status = ff_inclusion_create(ff_system_def(s), o, &inc, &error);
    if (status < 0) {
        return args_error(a, "%s: %s", args_word(a, 0),
                          *error.text ? error.text : ff_status_text(status));
    }
    for (size_t i = 0; i < ff_system_outputs(s); i++) {
        width += ff_system_output_length(s, i);
    }
    t.outputs = calloc(width, sizeof *t.outputs);
    if (path && !(t.out = fopen(path, "w"))) {
        args_error(a, "%s: %s", path, strerror(errno));
        ff_inclusion_free(inc);
        free(t.outputs);
        return 1;
    }
    if (t.out) {
        sheet_head(&t);
        sheet_step(&t, inc);
    }
    bool memory = t.outputs;
    do {
        status = ff_inclusion_step(inc, o->until);
        if (status == FF_EVENT) {
            memory = event_list_add(&events, ff_inclusion_event(inc)) && memory;
        }
        if (t.out && status >= 0) {
            sheet_step(&t, inc);
        }
    } while (status >= 0 && memory && ff_inclusion_time(inc) < o->until);
    if (args_given(a, "json")) {
        print_json(s, inc, &events, o);
    } else {
        print_report(s, inc, &events);
    }
    int result = 0;
    if (t.out) {
        bool bad = ferror(t.out);
        bad = fclose(t.out) != 0 || bad;
        if (bad) {
            args_error(a, "%s: cannot be written", path);
        } else {
            fprintf(stderr, "wrote %s\n", path);
        }
        result = bad;
    }
    if (status < 0 || !memory) {
        const char *why = ff_inclusion_error(inc);
        args_error(a, "at %g s: %s", ff_inclusion_time(inc),
                   !memory ? "out of memory"
                   : *why  ? why
                           : ff_status_text(status));
        result = 1;
    }
    free(t.outputs);
    free(events.at);
    ff_inclusion_free(inc);
    return result;
}

int command_inclusion(int argc, char **argv) {
    args a;
    ff_system *s;
    ff_run_options o;
    ff_rivals rivals;
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
    if (path && (strlen(path) < 5 || strcmp(path + strlen(path) - 4, ".csv") != 0)) {
        return args_error(&a, "traces are written as .csv, not '%s'", path);
    }
    const char **settings = scene_settings(&a, 0, &count);
    if (!settings) {
        return args_error(&a, "out of memory");
    }
    ff_status read =
        ff_inclusion_read(args_word(&a, 0), settings, count, &rivals, &s, &o, &messages);
    free(settings);
    status = scene_tell(&a, args_word(&a, 0), read, &messages);
    if (status) {
        return status;
    }
    status = scene_run_options(&a, &o);
    if (status == 0 && args_given(&a, "show")) {
        char *text = ff_system_show(s);
        printf("%s", text ? text : "");
        status = text ? 0 : 1;
        free(text);
    } else if (status == 0) {
        status = run(&a, s, &o);
    }
    ff_system_free(s);
    return status;
}
