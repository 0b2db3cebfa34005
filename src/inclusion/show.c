/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "equations.h"
#include "expr/unit.h"
#include "expr/word.h"
#include "num/memory.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    const ff_equations *system;
    char *text;
    size_t length, room;
    bool bad;
} lines;

static void say(lines *out, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void say(lines *out, const char *format, ...) {
    va_list list;
    va_start(list, format);
    const size_t size = (size_t)vsnprintf(NULL, 0, format, list);
    va_end(list);
    if (out->length + size + 1 > out->room) {
        out->room = 2 * (out->length + size + 1);
        char *grown = ff_realloc(out->text, out->room);
        out->bad = out->bad || !grown;
        out->text = grown ? grown : out->text;
    }
    if (!out->bad) {
        va_start(list, format);
        vsnprintf(out->text + out->length, out->room - out->length, format, list);
        va_end(list);
        out->length += size;
    }
}

/* prints an expression within a line; nothing for 0 */
static void say_expr(lines *out, const char *before, ff_expr e, const char *after) {
    char *text = e ? ff_expr_print(ff_equations_pool(out->system), e) : ff_word_copy("0");
    out->bad = out->bad || !text;
    say(out, "%s%s%s", before, text ? text : "", after);
    ff_free(text);
}

/* A force and its law. */
typedef struct {
    const char *name, *why;
    const char *law, *formula, *equations; /* of its table */
    const ff_param *params;
    const double *values;
    ff_expr argument, rate, load; /* gap or slip; rate of the gap, and chi; 0 if there is none */
    const char *size;             /* `abs` or `norm` of the slip */
    char matrix[160];
} element;

/* The index of the parameter of that name; of the terminating NULL if there is none. */
static size_t param_of(const element *e, const char *name, size_t length) {
    size_t i = 0;
    while (e->params[i].name &&
           (strlen(e->params[i].name) != length || memcmp(e->params[i].name, name, length) != 0)) {
        i++;
    }
    return i;
}

/* name=x or name!x */
static bool is_met(const element *e, const char *condition, const char *end) {
    size_t length = strcspn(condition, "=!"), i = param_of(e, condition, length);
    const char *than = condition + length + 1;
    size_t other = param_of(e, than, (size_t)(end - than));
    double value = e->params[other].name ? e->values[other] : 0;
    if (!e->params[other].name) {
        ff_number_read(than, &value);
    }
    return e->params[i].name && (e->values[i] == value) == (condition[length] == '=');
}

/* Printed names of the parameters that occur: position and length in the text, by parameter index. */
typedef struct {
    const char *text[FF_LAW_PARAMS];
    int length[FF_LAW_PARAMS];
} names;

/* {name}, {short=name} or {#name} */
static void say_param(lines *out, const element *e, const char *text, const char *end,
                      names *called) {
    const char *is = memchr(text, '=', (size_t)(end - text));
    const char *name = is ? is + 1 : *text == '#' ? text + 1 : text;
    size_t i = param_of(e, name, (size_t)(end - name));
    char number[32];
    if (!e->params[i].name) {
        return;
    }
    if (*text == '#') {
        say(out, "%s", ff_number_print(e->values[i], number, sizeof number));
        return;
    }
    called->text[i] = text;
    called->length[i] = (int)((is ? is : end) - text);
    say(out, "%.*s_%s", called->length[i], text, e->name);
}

static void say_sign(lines *out, const element *e, char sign) {
    switch (sign) {
    case 'f': say(out, "%s", e->name); break;
    case 'x': say_expr(out, "", e->argument, ""); break;
    case 'r': say_expr(out, "", e->rate, ""); break;
    case 'c': say_expr(out, "", e->load, ""); break;
    case '|': say(out, "%s", e->size); break;
    case 'm': say(out, "%s", e->matrix); break;
    default: break;
    }
}

/* The ] of a condition that begins with [, which may contain others; NULL if there is none. */
static const char *condition_end(const char *text, const char *end) {
    int depth = 0;
    for (; text < end; text++) {
        depth += (*text == '[') - (*text == ']');
        if (depth == 0) {
            return text;
        }
    }
    return NULL;
}

/* Expands the template of a table (footfall/law.h). */
static void say_text(lines *out, const element *e, const char *text, const char *end,
                     names *called) {
    while (text < end) {
        const size_t left = (size_t)(end - text);
        const char *close = *text == '{'   ? memchr(text, '}', left)
                            : *text == '[' ? condition_end(text, end)
                            : *text == '$' ? text + 1
                                           : NULL;
        if (!close) {
            size_t plain = 1 + strcspn(text + 1, "${[");
            plain = plain < left ? plain : left;
            say(out, "%.*s", (int)plain, text);
            text += plain;
            continue;
        }
        const char *inside = text + 1;
        if (*text == '$') {
            say_sign(out, e, *close);
        } else if (*text == '{') {
            say_param(out, e, inside, close, called);
        } else {
            const char *colon = memchr(inside, ':', (size_t)(close - inside));
            if (colon && is_met(e, inside, colon)) {
                say_text(out, e, colon + 1, close, called);
            }
        }
        text = close + 1;
    }
}

/* Prints the parameters of a law, K_n = 3, .., and its equations; for a law without a template all parameters and its
 * formula. */
static void say_element(lines *out, const element *e) {
    lines equations = {.system = out->system};
    names called = {0};
    bool any = false;
    if (e->equations) {
        say_text(&equations, e, e->equations, e->equations + strlen(e->equations), &called);
    } else {
        static const char depth[] = "z_$f = -($x)\nzdot_$f = -($r)\n",
                          slip[] = "v_$f = $x\nN_$f = $c\n";
        const char *text = e->load ? slip : depth;
        say_text(&equations, e, text, text + strlen(text), &called);
        say(&equations, "# %s is %s: %s\n", e->name, e->law, e->formula);
    }
    say(out, "\n");
    if (*e->why) {
        say(out, "# %s: %s\n", e->name, e->why);
    }
    for (size_t i = 0; e->params[i].name; i++) {
        const bool all = !e->equations && !e->params[i].words;
        char number[32];
        if (called.text[i] || all) {
            say(out, "%s%.*s_%s = %s", any ? ", " : "",
                all ? (int)strlen(e->params[i].name) : called.length[i],
                all ? e->params[i].name : called.text[i], e->name,
                ff_number_print(e->values[i], number, sizeof number));
            any = true;
        }
    }
    say(out, "%s%s", any ? "\n" : "", equations.text ? equations.text : "");
    out->bad = out->bad || equations.bad;
    ff_free(equations.text);
}

/* Step 1 of the procedure. */
static void show_contact(lines *out, size_t i) {
    const ff_equations *s = out->system;
    const ff_normal *law = &ff_equations_def(s)->dios[i].law;
    say_element(out, &(element){.name = ff_equations_contact(s, i),
                                .why = ff_equations_why(s, false, i),
                                .law = law->law->name,
                                .formula = law->law->formula,
                                .equations = law->law->equations,
                                .params = law->law->params,
                                .values = law->values,
                                .argument = ff_equations_gap(s, i),
                                .rate = ff_equations_gap_rate(s, i)});
}

/* Step 2 of the procedure. */
static void show_friction(lines *out, size_t i) {
    const ff_equations *s = out->system;
    const ff_sgn_def *sgn = &ff_equations_def(s)->sgns[i];
    const ff_friction *law = &sgn->law;
    element e = {.name = ff_equations_friction(s, i),
                 .why = ff_equations_why(s, true, i),
                 .law = law->law->name,
                 .formula = law->law->formula,
                 .equations = law->law->equations,
                 .params = law->law->params,
                 .values = law->values,
                 .argument = ff_equations_slip(s, i),
                 .load = ff_equations_factor(s, i),
                 .size = sgn->dimension == 2 ? "norm" : "abs"};
    if (ff_equations_shaped(s, i)) {
        char item[4][32];
        for (int c = 0; c < 4; c++) {
            ff_number_print(sgn->shape[c / 2][c % 2], item[c], sizeof item[c]);
        }
        snprintf(e.matrix, sizeof e.matrix, ", [[%s, %s], [%s, %s]]", item[0], item[1], item[2],
                 item[3]);
    }
    say_element(out, &e);
}

char *ff_equations_show(const ff_equations *s) {
    lines out = {.system = s};
    for (size_t i = 0; i < ff_equations_states(s); i++) {
        char head[80];
        snprintf(head, sizeof head, "%.60s' = ", ff_equations_state_name(s, i));
        say_expr(&out, head, ff_equations_rate_of(s, i), "\n");
    }
    for (size_t i = 0; i < ff_equations_contacts(s); i++) {
        show_contact(&out, i);
    }
    for (size_t i = 0; i < ff_equations_frictions(s); i++) {
        show_friction(&out, i);
    }
    if (out.bad) {
        ff_free(out.text);
        return NULL;
    }
    return out.text;
}
