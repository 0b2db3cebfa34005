/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "expr/derive.h"
#include "expr/word.h"
#include "num/memory.h"
#include "parts.h"
#include "shape.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef ff_meaning meaning;
typedef ff_equations_entry entry;
typedef ff_equations_dio contact;
typedef ff_equations_sgn friction;
typedef ff_equations_result output;

static const ff_expr_function_def functions[] = {{"dio", 1, 1, FF_MEASURE_FREE},
                                                 {"sgn", 1, 3, FF_MEASURE_KNOWN}};

ff_status ff_equations_fail(ff_expr_error *error, size_t column, const char *format, ...) {
    va_list list;
    va_start(list, format);
    error->column = column;
    vsnprintf(error->text, sizeof error->text, format, list);
    va_end(list);
    return FF_BAD_VALUE;
}

/* requirement for names of states, forces and outputs */
#define NO_NAME                                                                                    \
    "'%.60s' is not a valid name: use letters, digits and _, at most 63, not beginning with a "    \
    "digit"

ff_status ff_equations_no_memory(ff_expr_error *error) {
    ff_equations_fail(error, 0, "out of memory");
    return FF_NO_MEMORY;
}

ff_status ff_equations_not_made(const ff_equations *s, ff_expr_error *error) {
    return ff_expr_pool_status(s->pool) == FF_BAD_VALUE
               ? ff_equations_fail(error, 0, "the expressions of the file are too long in total")
               : ff_equations_no_memory(error);
}

/* ---- names ---- */

const entry *ff_equations_find(const ff_equations *s, const char *name) {
    for (size_t i = 0; i < s->count; i++) {
        if (strcmp(s->entries[i].name, name) == 0) {
            return &s->entries[i];
        }
    }
    return NULL;
}

static ff_status add_name(ff_equations *s, const char *name, entry new, ff_expr_error *error) {
    if (!ff_expr_is_name(name)) {
        return ff_equations_fail(error, 0, NO_NAME, name);
    }
    if (ff_equations_find(s, name) || strcmp(name, "pi") == 0 || ff_function_find(name) ||
        strcmp(name, "dio") == 0 || strcmp(name, "sgn") == 0 || strcmp(name, "sat") == 0) {
        return ff_equations_fail(error, 0, "the name '%.60s' is already used", name);
    }
    if (s->count == s->room) {
        size_t room = s->room ? 2 * s->room : 32;
        entry *entries = ff_realloc(s->entries, room * sizeof *entries);
        s->entries = entries ? entries : s->entries;
        ff_expr_name_def *names = ff_realloc(s->names, room * sizeof *names);
        s->names = names ? names : s->names;
        if (!entries || !names) {
            return ff_equations_no_memory(error);
        }
        s->room = room;
        /* constants point to their values */
        for (size_t i = 0; i < s->count; i++) {
            s->names[i].value =
                s->entries[i].meaning == FF_MEANS_PARAMETER ? &s->entries[i].value : NULL;
        }
    }
    new.name = ff_word_copy(name);
    if (!new.name) {
        return ff_equations_no_memory(error);
    }
    entry *at = &s->entries[s->count];
    *at = new;
    s->names[s->count] =
        (ff_expr_name_def){.name = at->name,
                           .length = at->facts.length,
                           .measure = at->facts.measure,
                           .dim = at->facts.dim,
                           .hertz = at->facts.hertz,
                           .value = at->meaning == FF_MEANS_PARAMETER ? &at->value : NULL};
    s->count++;
    return FF_OK;
}

ff_expr_scope ff_equations_scope(const ff_equations *s) {
    return (ff_expr_scope){s->names, s->count, functions, sizeof functions / sizeof *functions};
}

/* ---- reading ---- */

static ff_expr parse(ff_equations *s, const char *text, ff_expr_error *error) {
    const char **names = ff_malloc((s->count + 1) * sizeof *names);
    if (!names) {
        ff_equations_no_memory(error);
        return 0;
    }
    for (size_t i = 0; i < s->count; i++) {
        names[i] = s->entries[i].name;
    }
    ff_expr e = ff_expr_parse(s->pool, text, names, s->count, error);
    ff_free(names);
    return e ? ff_shape_rows(s->pool, e, error) : 0;
}

/* Parses and checks an expression, with dimensions. */
static ff_status read(ff_equations *s, const char *text, ff_expr *out, ff_expr_facts *facts,
                      ff_expr_error *error) {
    *error = (ff_expr_error){0};
    *out = parse(s, text, error);
    if (!*out) {
        return ff_expr_pool_status(s->pool) == FF_OK ? FF_BAD_VALUE
                                                     : ff_equations_not_made(s, error);
    }
    ff_expr_scope scope = ff_equations_scope(s);
    return ff_expr_check(s->pool, out, 1, &scope, true, facts, error);
}

/* Auxiliaries that occur in an expression, and their definitions. */
typedef struct {
    const ff_equations *system;
    ff_expr *from, *to;
    size_t count, room;
} stand_ins;

static bool note_let(const ff_expr_pool *pool, ff_expr e, void *user) {
    stand_ins *list = user;
    const ff_expr_node *node = ff_expr_at(pool, e);
    const entry *of =
        node->kind == FF_EXPR_NAME ? ff_equations_find(list->system, node->text) : NULL;
    if (!of || of->meaning != FF_MEANS_LET) {
        return true;
    }
    if (list->count == list->room) {
        const size_t room = list->room ? 2 * list->room : 16;
        ff_expr *from = ff_realloc(list->from, room * sizeof *from);
        list->from = from ? from : list->from;
        ff_expr *to = ff_realloc(list->to, room * sizeof *to);
        list->to = to ? to : list->to;
        if (!from || !to) {
            return false;
        }
        list->room = room;
    }
    list->from[list->count] = e;
    list->to[list->count++] = of->is;
    return true;
}

/* Replaces auxiliaries by their definitions; forces keep their names. */
static ff_expr inline_lets(ff_equations *s, ff_expr e) {
    stand_ins list = {.system = s};
    bool done = ff_expr_walk(s->pool, e, note_let, &list);
    if (done && list.count > 0) {
        e = ff_expr_replace(s->pool, e, list.from, list.to, list.count);
    }
    ff_free(list.from);
    ff_free(list.to);
    return done ? e : 0;
}

typedef struct {
    const ff_equations *system;
    meaning what;
} meant;

static bool means_other(const ff_expr_pool *pool, ff_expr e, void *user) {
    const meant *m = user;
    const ff_expr_node *node = ff_expr_at(pool, e);
    const entry *of = node->kind == FF_EXPR_NAME ? ff_equations_find(m->system, node->text) : NULL;
    return !of || of->meaning != m->what;
}

bool ff_equations_means(const ff_equations *s, ff_expr e, meaning what) {
    return !ff_expr_walk(s->pool, e, means_other, &(meant){s, what});
}

static bool no_comparison(const ff_expr_pool *pool, ff_expr e, void *user) {
    ff_expr_kind kind = ff_expr_at(pool, e)->kind;
    (void)user;
    return kind < FF_EXPR_LESS || kind > FF_EXPR_NOT_EQUAL;
}

/* The function that makes an expression jump, or NULL. */
static const char *jump_in(const ff_equations *s, ff_expr e) {
    static const char *const words[] = {"if", "sign", "floor", "ceil", "dio", "sgn"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (ff_expr_calls(s->pool, e, words[i], NULL, 0) > 0) {
            return words[i];
        }
    }
    if (!ff_expr_walk(s->pool, e, no_comparison, NULL)) {
        return "a comparison";
    }
    return ff_equations_means(s, e, FF_MEANS_CONTACT)    ? "dio"
           : ff_equations_means(s, e, FF_MEANS_FRICTION) ? "sgn"
                                                         : NULL;
}

/* Replaces every dio(psi) in an expression by the name of its force; equal psi share one. `name`: the name of the force if
 * the expression consists only of it, or NULL. */
static ff_status take_contacts(ff_equations *s, const char *name, ff_expr *e,
                               ff_expr_error *error) {
    ff_expr found[64];
    size_t count = ff_expr_calls(s->pool, *e, "dio", found, 64);
    if (count > 64) {
        return ff_equations_fail(error, 0, "more than 64 dio in one expression");
    }
    for (size_t i = 0; i < count; i++) {
        ff_expr psi = ff_expr_argument(s->pool, found[i], 0);
        size_t column = ff_expr_at(s->pool, found[i])->column, known = 0;
        const char *jump = jump_in(s, psi);
        if (jump) {
            return ff_equations_fail(
                error, column, "dio needs a continuous gap, but this one contains %s, which jumps",
                jump);
        }
        while (known < s->contact_count && !ff_expr_same(s->pool, s->contacts[known].psi, psi)) {
            known++;
        }
        if (known == s->contact_count) {
            char made[32];
            snprintf(made, sizeof made, "dio%zu", known + 1);
            bool alone = name && ff_expr_same(s->pool, found[i], *e);
            contact *grown = ff_realloc(s->contacts, (known + 1) * sizeof *grown);
            if (!grown) {
                return ff_equations_no_memory(error);
            }
            s->contacts = grown;
            entry force = {.meaning = FF_MEANS_CONTACT,
                           .number = known,
                           .facts = {.length = 1, .measure = FF_MEASURE_FREE}};
            ff_status status = add_name(s, alone ? name : made, force, error);
            if (status < 0) {
                return status;
            }
            contact new = {.psi = psi, .name = s->count - 1};
            ff_expr_scope scope = ff_equations_scope(s);
            ff_expr_check(s->pool, &psi, 1, &scope, false, &new.facts, error);
            s->contacts[s->contact_count++] = new;
        }
        ff_expr force = ff_expr_name(s->pool, s->entries[s->contacts[known].name].name);
        *e = ff_expr_replace(s->pool, *e, &found[i], &force, 1);
        if (!*e) {
            return ff_equations_not_made(s, error);
        }
    }
    return FF_OK;
}

/* chi of chi*sgn(theta), where the product is e and `call` its sgn; 0 if it is not such a product. */
static ff_expr factor_of(ff_equations *s, ff_expr e, ff_expr call) {
    ff_expr chi = 0;
    ff_expr others[64];
    ff_expr_kind kinds[64];
    size_t n = 0;
    while (!ff_expr_same(s->pool, e, call)) {
        const ff_expr_node node = *ff_expr_at(s->pool, e);
        bool product = node.kind == FF_EXPR_MULTIPLY || node.kind == FF_EXPR_DIVIDE;
        if (!product || n == 64) {
            return 0;
        }
        ff_expr a = ff_expr_argument(s->pool, e, 0), b = ff_expr_argument(s->pool, e, 1);
        bool in_a = ff_expr_calls(s->pool, a, "sgn", NULL, 0) > 0;
        bool in_b = ff_expr_calls(s->pool, b, "sgn", NULL, 0) > 0;
        if (in_a == in_b || (in_b && node.kind == FF_EXPR_DIVIDE)) {
            return 0;
        }
        others[n] = in_a ? b : a;
        kinds[n++] = node.kind;
        e = in_a ? a : b;
    }
    chi = 0;
    while (n-- > 0) {
        if (chi) {
            chi = ff_expr_binary(s->pool, kinds[n], chi, others[n]);
        } else {
            ff_expr one = kinds[n] == FF_EXPR_DIVIDE ? ff_expr_number(s->pool, 1) : 0;
            chi = one ? ff_expr_binary(s->pool, FF_EXPR_DIVIDE, one, others[n]) : others[n];
        }
    }
    return chi ? chi : ff_expr_number(s->pool, 1);
}

static ff_status take_friction(ff_equations *s, const char *name, ff_expr e, ff_expr_facts facts,
                               ff_expr_error *error) {
    ff_expr call;
    size_t calls = ff_expr_calls(s->pool, e, "sgn", &call, 1);
    /* the caller has found a sgn, so an empty result means out of memory */
    if (calls == 0) {
        return ff_equations_no_memory(error);
    }
    if (calls > 1) {
        return ff_equations_fail(error, 0, "a friction force has one sgn: give each its own name");
    }
    size_t column = ff_expr_at(s->pool, call)->column;
    ff_expr theta = inline_lets(s, ff_expr_argument(s->pool, call, 0));
    ff_expr chi = factor_of(s, e, call);
    double shape[2][2] = {{0}};
    if (ff_expr_at(s->pool, call)->count > 1) {
        ff_expr_scope names = ff_equations_scope(s);
        ff_status read = ff_shape_read(s->pool, call, &names, shape, error);
        if (read < 0) {
            return read;
        }
    }
    if (!chi) {
        return ff_equations_fail(
            error, column,
            "a friction force is chi*sgn(theta), a product with sgn as a factor and no minus sign; "
            "signs and other factors belong in the rates");
    }
    chi = inline_lets(s, chi);
    if (!theta || !chi) {
        return ff_equations_not_made(s, error);
    }
    if (ff_equations_means(s, chi, FF_MEANS_FRICTION)) {
        return ff_equations_fail(error, column, "the factor of a sgn must not contain another sgn");
    }
    if (ff_expr_calls(s->pool, chi, "sign", NULL, 0) +
        ff_expr_calls(s->pool, chi, "floor", NULL, 0) +
        ff_expr_calls(s->pool, chi, "ceil", NULL, 0)) {
        return ff_equations_fail(error, column, "the factor of a sgn jumps: only dio may");
    }
    const char *jump = jump_in(s, theta);
    if (jump) {
        return ff_equations_fail(error, column,
                                 "sgn needs a continuous slip, but this one contains %s", jump);
    }
    ff_status status = take_contacts(s, NULL, &chi, error);
    if (status < 0) {
        return status;
    }
    ff_expr_facts parts[2];
    ff_expr_scope scope = ff_equations_scope(s);
    status = ff_expr_check(s->pool, (ff_expr[]){chi, theta}, 2, &scope, false, parts, error);
    if (status < 0) {
        return status;
    }
    if (parts[0].constant && parts[0].value < 0) {
        return ff_equations_fail(error, column,
                                 "the factor of this sgn is negative: signs belong in the rates");
    }
    unsigned length = facts.length ? facts.length : 1;
    if (length > 2) {
        return ff_equations_fail(error, column, "sgn takes a number or a vector of two");
    }
    friction *grown = ff_realloc(s->frictions, (s->friction_count + 1) * sizeof *grown);
    if (!grown) {
        return ff_equations_no_memory(error);
    }
    s->frictions = grown;
    status = add_name(
        s, name, (entry){.meaning = FF_MEANS_FRICTION, .number = s->friction_count, .facts = facts},
        error);
    if (status < 0) {
        return status;
    }
    friction new = {
        .theta = theta, .chi = chi, .name = s->count - 1, .length = length, .facts = parts[1]};
    memcpy(new.shape, shape, sizeof shape);
    s->frictions[s->friction_count++] = new;
    return FF_OK;
}

/* whether a node is not a name that changes during a run */
static bool is_fixed(const ff_expr_pool *pool, ff_expr e, void *user) {
    const ff_expr_node *node = ff_expr_at(pool, e);
    const entry *of = node->kind == FF_EXPR_NAME ? ff_equations_find(user, node->text) : NULL;
    return !of || of->meaning == FF_MEANS_PARAMETER;
}

/* Reads a number that is known before the run. */
static ff_status read_constant(ff_equations *s, const char *text, double *value,
                               ff_expr_facts *facts, ff_expr_error *error) {
    ff_expr e;
    ff_status status = read(s, text, &e, facts, error);
    if (status < 0) {
        return status;
    }
    if (facts->length > 1) {
        return ff_equations_fail(error, 1, "this must be a number, not a vector");
    }
    if (ff_expr_calls(s->pool, e, "dio", NULL, 0) + ff_expr_calls(s->pool, e, "sgn", NULL, 0)) {
        return ff_equations_fail(error, 1, "dio and sgn belong under `let` and `rates`");
    }
    if (!ff_expr_walk(s->pool, e, is_fixed, s)) {
        return ff_equations_fail(error, 1, "this must be a number or an expression of parameters");
    }
    ff_expr_scope scope = ff_equations_scope(s);
    return ff_expr_value(s->pool, e, &scope, value, 1, error);
}

ff_status ff_equations_number(ff_equations *s, const char *text, const char *unit, double *value,
                              ff_expr_error *error) {
    ff_expr_facts facts;
    ff_unit wanted;
    ff_status status = read_constant(s, text, value, &facts, error);
    if (status == FF_OK && unit && facts.measure == FF_MEASURE_KNOWN &&
        ff_unit_parse(unit, NULL, &wanted, NULL, 0) == 0 &&
        !ff_dimension_same(facts.dim, wanted.dim)) {
        ff_dimension_refuse(text, facts.dim, wanted.dim, error->text, sizeof error->text);
        error->column = 1;
        return FF_BAD_VALUE;
    }
    return status;
}

ff_status ff_equations_parameter(ff_equations *s, const char *name, const char *text,
                                 ff_expr_error *error) {
    entry new = {.meaning = FF_MEANS_PARAMETER};
    ff_status status = read_constant(s, text, &new.value, &new.facts, error);
    if (status == FF_OK && new.facts.measure == FF_MEASURE_PLAIN) {
        /* a number without a unit may have any dimension */
        new.facts.measure = FF_MEASURE_FREE;
    }
    return status < 0 ? status : add_name(s, name, new, error);
}

ff_status ff_equations_state(ff_equations *s, const char *name, const char *start,
                             ff_expr_error *error) {
    entry new = {.meaning = FF_MEANS_STATE, .number = s->state_count};
    ff_status status = read_constant(s, start, &new.value, &new.facts, error);
    if (status == FF_OK && new.facts.measure == FF_MEASURE_PLAIN) {
        new.facts.measure = FF_MEASURE_FREE;
    }
    if (status == FF_OK) {
        ff_expr *rates = ff_realloc(s->rates, (s->state_count + 1) * sizeof *rates);
        if (!rates) {
            return ff_equations_no_memory(error);
        }
        s->rates = rates;
        status = add_name(s, name, new, error);
    }
    if (status == FF_OK) {
        s->rates[s->state_count++] = 0;
    }
    return status;
}

ff_status ff_equations_let(ff_equations *s, const char *name, const char *text,
                           ff_expr_error *error) {
    entry new = {.meaning = FF_MEANS_LET};
    ff_expr e;
    ff_status status = read(s, text, &e, &new.facts, error);
    if (status < 0) {
        return status;
    }
    if (ff_expr_calls(s->pool, e, "sgn", NULL, 0) > 0) {
        return take_friction(s, name, e, new.facts, error);
    }
    size_t before = s->contact_count;
    new.is = inline_lets(s, e);
    status = new.is ? take_contacts(s, name, &new.is, error) : ff_equations_not_made(s, error);
    if (status < 0) {
        return status;
    }
    /* a dio alone is its force */
    bool alone = s->contact_count > before && ff_equations_find(s, name);
    return alone ? FF_OK : add_name(s, name, new, error);
}

/* An expression of a rate: forces only by name. */
static ff_status read_row(ff_equations *s, const char *text, ff_expr *out, ff_expr_facts *facts,
                          ff_expr_error *error) {
    ff_expr call;
    ff_status status = read(s, text, out, facts, error);
    if (status == FF_OK && ff_expr_calls(s->pool, *out, "sgn", &call, 1) > 0) {
        return ff_equations_fail(
            error, ff_expr_at(s->pool, call)->column,
            "give the friction force a name under `let`, as f: chi*sgn(theta), and use f here");
    }
    if (status == FF_OK) {
        *out = inline_lets(s, *out);
        status = *out ? take_contacts(s, NULL, out, error) : ff_equations_not_made(s, error);
    }
    return status;
}

ff_status ff_equations_rate(ff_equations *s, const char *state, const char *text,
                            ff_expr_error *error) {
    const entry *of = ff_equations_find(s, state);
    ff_expr e;
    ff_expr_facts facts;
    if (!of || of->meaning != FF_MEANS_STATE) {
        return ff_equations_fail(error, 0, "'%.60s' is not a state", state);
    }
    size_t number = of->number;
    ff_expr_facts want = of->facts;
    ff_status status = read_row(s, text, &e, &facts, error);
    if (status < 0) {
        return status;
    }
    if (facts.length > 1) {
        return ff_equations_fail(error, 1, "the rate of a state is a number, not a vector");
    }
    if (want.measure == FF_MEASURE_KNOWN && facts.measure == FF_MEASURE_KNOWN &&
        (fabs(facts.dim.kg - want.dim.kg) > 1e-9 || fabs(facts.dim.m - want.dim.m) > 1e-9 ||
         fabs(facts.dim.s - (want.dim.s - 1)) > 1e-9)) {
        return ff_equations_fail(error, 1, "this does not have the dimension of '%.40s' per time",
                                 state);
    }
    s->rates[number] = e;
    return FF_OK;
}

/* the SI units of something, or "" if they are unknown */
static void write_units(const ff_expr_facts *facts, char units[FF_EQUATIONS_UNITS]) {
    if (facts->measure == FF_MEASURE_KNOWN) {
        ff_dimension_units(facts->dim, units, FF_EQUATIONS_UNITS);
    } else {
        units[0] = '\0';
    }
}

ff_status ff_equations_output(ff_equations *s, const char *name, const char *text,
                              ff_expr_error *error) {
    ff_expr e;
    ff_expr_facts facts;
    if (!ff_expr_is_name(name)) {
        return ff_equations_fail(error, 0, NO_NAME, name);
    }
    ff_status status = read_row(s, text, &e, &facts, error);
    if (status < 0) {
        return status;
    }
    output *grown = ff_realloc(s->outputs, (s->output_count + 1) * sizeof *grown);
    char *copy = ff_word_copy(name);
    s->outputs = grown ? grown : s->outputs;
    if (!grown || !copy) {
        ff_free(copy);
        return ff_equations_no_memory(error);
    }
    output *at = &s->outputs[s->output_count++];
    *at = (output){copy, e, facts.length ? facts.length : 1, ""};
    write_units(&facts, at->units);
    return FF_OK;
}

ff_status ff_equations_account(ff_equations *s, const char *what, const char *text,
                               ff_expr_error *error) {
    ff_expr_facts facts;
    return read_row(s, text, strcmp(what, "energy") == 0 ? &s->energy : &s->power, &facts, error);
}

bool ff_equations_add_switch(ff_equations *s, double time) {
    double *grown = ff_realloc(s->switches, (s->switch_count + 1) * sizeof *grown);
    if (!grown) {
        return false;
    }
    s->switches = grown;
    s->switches[s->switch_count++] = time;
    return true;
}

ff_status ff_equations_switch(ff_equations *s, const char *text, ff_expr_error *error) {
    double time;
    ff_status status = ff_equations_number(s, text, "s", &time, error);
    if (status == FF_OK && !ff_equations_add_switch(s, time)) {
        return ff_equations_no_memory(error);
    }
    return status;
}

/* ---- public functions ---- */

ff_equations *ff_equations_create(void) {
    ff_equations *s = ff_calloc(1, sizeof *s);
    ff_expr_error error;
    const entry time = {.meaning = FF_MEANS_TIME,
                        .facts = {.length = 1, .measure = FF_MEASURE_KNOWN, .dim = {.s = 1}}};
    if (s && (!(s->pool = ff_expr_pool_create()) || add_name(s, "t", time, &error) < 0)) {
        ff_equations_free(s);
        return NULL;
    }
    return s;
}

void ff_equations_free(ff_equations *s) {
    if (!s) {
        return;
    }
    for (size_t i = 0; i < s->count; i++) {
        ff_free(s->entries[i].name);
    }
    for (size_t i = 0; i < s->output_count; i++) {
        ff_free(s->outputs[i].name);
    }
    ff_tape_free(s->tape);
    ff_expr_pool_free(s->pool);
    ff_free(s->entries);
    ff_free(s->names);
    ff_free(s->contacts);
    ff_free(s->frictions);
    ff_free(s->outputs);
    ff_free(s->switches);
    ff_free(s->kinks);
    ff_free(s->silent);
    ff_free(s->rates);
    ff_free(s->work);
    ff_free(s->rate_places);
    ff_free(s->start);
    ff_free(s->state_names);
    ff_free(s->state_unit_names);
    ff_free(s->state_units);
    ff_free(s->output_defs);
    ff_free(s->dios);
    ff_free(s->sgns);
    ff_free((int *)s->def.speed);
    ff_free(s);
}

void ff_equations_assume(ff_equations *s, const char *name) {
    ff_expr_error error;
    ff_expr nothing = ff_expr_number(s->pool, 0);
    if (!ff_equations_find(s, name) && nothing) {
        add_name(s, name,
                 (entry){.meaning = FF_MEANS_LET,
                         .is = nothing,
                         .facts = {.length = 1, .measure = FF_MEASURE_FREE}},
                 &error);
    }
}

size_t ff_equations_parameters(const ff_equations *s) {
    size_t count = 0;
    for (size_t i = 0; i < s->count; i++) {
        count += s->entries[i].meaning == FF_MEANS_PARAMETER;
    }
    return count;
}

const ff_expr_name_def *ff_equations_parameter_at(const ff_equations *s, size_t i) {
    for (size_t at = 0; at < s->count; at++) {
        if (s->entries[at].meaning == FF_MEANS_PARAMETER && i-- == 0) {
            return &s->names[at];
        }
    }
    return NULL;
}

size_t ff_equations_contacts(const ff_equations *s) { return s->contact_count; }

const char *ff_equations_contact(const ff_equations *s, size_t i) {
    return s->entries[s->contacts[i].name].name;
}

size_t ff_equations_frictions(const ff_equations *s) { return s->friction_count; }

const char *ff_equations_friction(const ff_equations *s, size_t i) {
    return s->entries[s->frictions[i].name].name;
}

const ff_expr_facts *ff_equations_gap_facts(const ff_equations *s, size_t i) {
    return &s->contacts[i].facts;
}

const ff_expr_facts *ff_equations_slip_facts(const ff_equations *s, size_t i) {
    return &s->frictions[i].facts;
}

bool ff_equations_shaped(const ff_equations *s, size_t i) {
    const double(*a)[2] = s->frictions[i].shape;
    return a[0][0] != 0 || a[0][1] != 0 || a[1][0] != 0 || a[1][1] != 0;
}

void ff_equations_set_contact(ff_equations *s, size_t i, const ff_normal *law, const char *why) {
    s->contacts[i].law = *law;
    snprintf(s->contacts[i].why, FF_WHY, "%s", why);
}

void ff_equations_set_friction(ff_equations *s, size_t i, const ff_friction *law, const char *why) {
    s->frictions[i].law = *law;
    snprintf(s->frictions[i].why, FF_WHY, "%s", why);
}

const char *ff_equations_why(const ff_equations *s, bool slides, size_t i) {
    const size_t count = slides ? s->friction_count : s->contact_count;
    return i >= count ? "" : slides ? s->frictions[i].why : s->contacts[i].why;
}

/* psi' = sum dpsi/dx_i x_i' + dpsi/dt */
ff_status ff_equations_close(ff_equations *s, size_t i, ff_expr_error *error) {
    const char **names = ff_malloc((s->state_count + 1) * sizeof *names);
    ff_expr *rates = ff_malloc((s->state_count + 1) * sizeof *rates), psi = s->contacts[i].psi;
    ff_status status = names && rates ? FF_OK : ff_equations_no_memory(error);
    size_t count = 0;
    for (size_t j = 0; j < s->count && status == FF_OK; j++) {
        const entry *of = &s->entries[j];
        if (of->meaning != FF_MEANS_STATE || !ff_expr_has(s->pool, psi, of->name)) {
            continue;
        }
        ff_expr rate = s->rates[of->number];
        if (!rate) {
            status = ff_equations_fail(error, 0, "state '%.60s' has no rate", of->name);
        } else if (ff_equations_means(s, rate, FF_MEANS_CONTACT) ||
                   ff_equations_means(s, rate, FF_MEANS_FRICTION)) {
            status = ff_equations_fail(
                error, 0,
                "its gap depends on '%.60s', whose rate contains a force: the rate of the gap, "
                "which %s needs, would depend on the force itself",
                of->name, s->contacts[i].law.law->name);
        }
        names[count] = of->name;
        rates[count++] = rate;
    }
    if (status == FF_OK) {
        names[count] = "t";
        rates[count++] = ff_expr_number(s->pool, 1);
        s->contacts[i].rate = ff_expr_rate(s->pool, psi, names, rates, count, error);
        status = s->contacts[i].rate ? FF_OK : ff_expr_pool_status(s->pool);
        status = !s->contacts[i].rate && status == FF_OK ? FF_BAD_VALUE : status;
    }
    ff_free(names);
    ff_free(rates);
    return status;
}

const ff_inclusion_def *ff_equations_def(const ff_equations *s) { return &s->def; }

size_t ff_equations_states(const ff_equations *s) { return s->state_count; }

const char *ff_equations_state_name(const ff_equations *s, size_t i) { return s->state_names[i]; }

void ff_equations_state_units(const ff_equations *s, size_t i, char units[FF_EQUATIONS_UNITS]) {
    write_units(&ff_equations_find(s, s->state_names[i])->facts, units);
}

/* ---- resulting expressions ---- */

const ff_expr_pool *ff_equations_pool(const ff_equations *s) { return s->pool; }

ff_expr ff_equations_rate_of(const ff_equations *s, size_t i) { return s->rates[i]; }

ff_expr ff_equations_gap(const ff_equations *s, size_t i) { return s->contacts[i].psi; }

ff_expr ff_equations_gap_rate(const ff_equations *s, size_t i) { return s->contacts[i].rate; }

ff_expr ff_equations_slip(const ff_equations *s, size_t i) { return s->frictions[i].theta; }

ff_expr ff_equations_factor(const ff_equations *s, size_t i) { return s->frictions[i].chi; }
