/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "inclusion.h"
#include "args.h"
#include "commands.h"
#include "run.h"
#include "show.h"
#include "table.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const args_option options[] = {
    RUN_OPTIONS,
    {"friction", "LAW", NULL,
     "friction law for each sgn, any of `footfall laws`; default: " FF_SGN_LAW " (the paper's)",
     false, 0},
    {"contact", "LAW", NULL,
     "normal law for each dio, any that is a function of the gap; default: " FF_DIO_LAW
     " (the paper's)",
     false, 0},
    {"detach", "WORD", NULL,
     "how a rival of " FF_DIO_LAW
     " detaches: clamp (default; it never pulls), tension (it may), local (element by element of a "
     "bed); as --set contacts.detach=WORD",
     false, 0},
    {"show", "", "", "print the resulting ordinary differential equation and do not run it", false,
     0},
};

static const args_command command = {
    .name = "inclusion",
    .usage = "FILE [options]",
    .summary =
        "Turns a differential inclusion, given as text, into an ordinary differential equation by "
        "the procedure of Xiong, Kikuuwe and Yamamoto (2013) and runs it: dio(psi) is the force of "
        "a rigid contact with gap psi, chi*sgn(theta) dry friction.",
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

/* most laws that are suggested by name */
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
                              "--detach is for laws other than " FF_DIO_LAW
                              " that have it, not for %s: also give --contact",
                              law->name);
        }
    }
    return status;
}

/* ---- results ---- */

/* Whether a friction has a matrix of its own. */
static bool is_shaped(const ff_sgn_def *sgn) {
    return sgn->shape[0][0] != 0 || sgn->shape[0][1] != 0 || sgn->shape[1][0] != 0 ||
           sgn->shape[1][1] != 0;
}

/* The law of a dio or sgn, its parameters and, if they were not given, the reason for their values. */
static void json_contact_law(ff_json *j, const ff_equations *s, size_t i) {
    const char *why = ff_equations_why(s, false, i);
    const ff_normal *law = &ff_equations_def(s)->dios[i].law;
    ff_json_string(j, "law", law->law->name);
    show_law_json(j, "parameters", law);
    ff_json_string(j, "chosen", *why ? why : NULL);
}

static void json_friction_law(ff_json *j, const ff_equations *s, size_t i) {
    const char *why = ff_equations_why(s, true, i);
    const ff_sgn_def *sgn = &ff_equations_def(s)->sgns[i];
    ff_json_string(j, "law", sgn->law.law->name);
    ff_json_object(j, "parameters");
    for (size_t k = 0; sgn->law.law->params[k].name; k++) {
        const ff_param *param = &sgn->law.law->params[k];
        if (param->words) {
            ff_json_string(j, param->name, param->words[(int)sgn->law.values[k]]);
        } else {
            ff_json_number(j, param->name, sgn->law.values[k]);
        }
    }
    ff_json_end(j);
    if (is_shaped(sgn)) {
        ff_json_array(j, "shape");
        ff_json_numbers(j, NULL, sgn->shape[0], 2);
        ff_json_numbers(j, NULL, sgn->shape[1], 2);
        ff_json_end(j);
    }
    ff_json_string(j, "chosen", *why ? why : NULL);
}

static void print_laws(const ff_equations *s) {
    const ff_inclusion_def *def = ff_equations_def(s);
    for (size_t i = 0; i < def->dio_count; i++) {
        const char *why = ff_equations_why(s, false, i);
        printf("%s is ", def->dios[i].name);
        show_law(stdout, &def->dios[i].law);
        if (*why) {
            printf("  chosen       %s\n", why);
        }
    }
    for (size_t i = 0; i < def->sgn_count; i++) {
        const char *why = ff_equations_why(s, true, i);
        const ff_sgn_def *sgn = &def->sgns[i];
        printf("%s is %s: %s\n", sgn->name, sgn->law.law->name, sgn->law.law->formula);
        show_friction(stdout, &sgn->law, false);
        if (is_shaped(sgn)) {
            printf("  %-12s [[%g, %g], [%g, %g]]\n", "matrix", sgn->shape[0][0], sgn->shape[0][1],
                   sgn->shape[1][0], sgn->shape[1][1]);
        }
        if (*why) {
            printf("  chosen       %s\n", why);
        }
    }
}

void inclusion_json(ff_json *j, const ff_equations *s, const ff_model *model, ff_sim *sim,
                    const ff_trace *events, const ff_run_options *o) {
    const ff_inclusion_def *def = ff_equations_def(s);
    outcome_head_json(j, model, sim, events, o);
    ff_inclusion_view v = ff_inclusion_at(sim);
    ff_json_object(j, "states");
    for (size_t i = 0; i < def->states; i++) {
        ff_json_number(j, def->names[i], v.x[i]);
    }
    ff_json_end(j);
    ff_json_object(j, "contacts");
    for (size_t i = 0; i < def->dio_count; i++) {
        ff_inclusion_energy e = ff_inclusion_dio_energy(sim, i);
        ff_json_object(j, def->dios[i].name);
        ff_json_number(j, "gap", v.psi[i]);
        ff_json_number(j, "force", v.contact[i]);
        ff_json_number(j, "stored", e.stored);
        ff_json_number(j, "lost", e.lost);
        json_contact_law(j, s, i);
        ff_json_end(j);
    }
    ff_json_end(j);
    ff_json_object(j, "frictions");
    for (size_t i = 0, at = 0; i < def->sgn_count; at += (size_t)def->sgns[i++].dimension) {
        ff_inclusion_energy e = ff_inclusion_sgn_energy(sim, i);
        ff_json_object(j, def->sgns[i].name);
        ff_json_numbers(j, "slip", v.theta + at, (size_t)def->sgns[i].dimension);
        ff_json_numbers(j, "force", v.friction + at, (size_t)def->sgns[i].dimension);
        ff_json_number(j, "stored", e.stored);
        ff_json_number(j, "lost", e.lost);
        json_friction_law(j, s, i);
        ff_json_end(j);
    }
    ff_json_end(j);
    outcome_ledger_json(j, sim);
}

void inclusion_print(const ff_equations *s, const ff_model *model, ff_sim *sim,
                     const ff_trace *events) {
    static const table_column states[] = {{"state", NULL}, {"value", "SI"}};
    const ff_inclusion_def *def = ff_equations_def(s);
    ff_inclusion_view v = ff_inclusion_at(sim);
    ff_ledger l = ff_sim_ledger(sim);
    table t;
    outcome_head_print(model, sim, events);
    table_init(&t, states, 2);
    for (size_t i = 0; i < def->states; i++) {
        table_text(&t, def->names[i]);
        table_number(&t, v.x[i]);
    }
    table_print(&t, stdout);
    table_clear(&t);
    printf("\n");
    for (size_t i = 0; i < def->dio_count; i++) {
        ff_inclusion_energy e = ff_inclusion_dio_energy(sim, i);
        printf("%s: gap %.6g m, force %.6g N, stored %.6g J, lost %.6g J\n", def->dios[i].name,
               v.psi[i], v.contact[i], e.stored, e.lost);
    }
    for (size_t i = 0; i < def->sgn_count; i++) {
        ff_inclusion_energy e = ff_inclusion_sgn_energy(sim, i);
        printf("%s: stored %.6g J, lost %.6g J\n", def->sgns[i].name, e.stored, e.lost);
    }
    if (!isnan(l.residual)) {
        printf("residual %.3g J, %.1e of scale\n", l.residual, outcome_part(&l));
    }
    printf("\n");
    print_laws(s);
}

/* ---- the command ---- */

static int show(const args *a, const ff_rivals *rivals) {
    run_subject subject;
    int status = run_read(a, args_word(a, 0), rivals, INFINITY, &subject);
    if (status) {
        return status;
    }
    char *text = ff_equations_show(subject.equations);
    printf("%s", text ? text : "");
    if (!text) {
        args_error(a, "%s: the equations are too long to print", args_word(a, 0));
        status = 1;
    }
    ff_free(text);
    run_subject_clear(&subject);
    return status;
}

int command_inclusion(int argc, char **argv) {
    args a;
    ff_rivals rivals;
    int status = args_parse(&a, &command, argc, argv);
    if (status) {
        return status == ARGS_HELP ? 0 : status;
    }
    status = read_rivals(&a, &rivals);
    if (status) {
        return status;
    }
    return args_given(&a, "show") ? show(&a, &rivals) : run_one(&a, &rivals);
}
