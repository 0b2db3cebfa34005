/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "system.h"
#include "expr/word.h"
#include "kinks.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What a name stands for. */
typedef enum { PARAMETER, TIME, STATE, CONTACT, FRICTION, LET } meaning;

typedef struct {
    char *name;
    meaning meaning;
    ff_expr is;    /* what stands in its place: of a LET, without other LETs */
    double value;  /* of a parameter, and of a state at the start */
    size_t number; /* which state, contact or friction */
    ff_expr_facts facts;
} entry;

typedef struct {
    ff_expr psi;
    size_t name; /* among the entries */
    ff_normal law;
} contact;

typedef struct {
    ff_expr theta, chi;
    size_t name;
    unsigned length;
    ff_friction law;
} friction;

typedef struct {
    char *name;
    ff_expr is;
    unsigned length;
    char units[FF_SYSTEM_UNITS];
} output;

struct ff_system {
    ff_expr_pool *pool;
    entry *entries;
    ff_expr_name_def *names; /* of the entries, for expressions */
    size_t count, room;
    contact *contacts;
    friction *frictions;
    output *outputs;
    double *switches;
    ff_expr *rates; /* by state */
    size_t contact_count, friction_count, output_count, switch_count, state_count;
    ff_expr energy, power;
    ff_kink *kinks; /* where steps end */
    size_t kink_count;
    bool *silent;
    /* once it is finished */
    ff_inclusion_def def;
    ff_tape *tape;
    double *work, *start;
    const char **state_names;
    ff_dio_def *dios;
    ff_sgn_def *sgns;
    size_t *input;  /* where states, contacts and frictions are in `work`, by entry */
    size_t *places; /* of all outputs of the tape */
    size_t place_count;
    size_t *state_input, *contact_input, *friction_input; /* the same, in their own order */
    size_t time_input, width;                             /* width: of all friction arguments */
    const size_t *kink_place, *chi_place, *rate_place, *power_place, *rest_place;
    int done; /* the last group that was run with the present inputs */
};

/* groups of the tape, in the order in which the procedure wants them */
enum { ARGUMENTS, KINKS, FACTORS, RATES, POWER, REST, GROUPS };

static const ff_expr_function_def functions[] = {{"dio", 1, 1, FF_MEASURE_FREE},
                                                 {"sgn", 1, 1, FF_MEASURE_KNOWN}};

static ff_status fail(ff_expr_error *error, size_t column, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static ff_status fail(ff_expr_error *error, size_t column, const char *format, ...) {
    va_list list;
    va_start(list, format);
    error->column = column;
    vsnprintf(error->text, sizeof error->text, format, list);
    va_end(list);
    return FF_BAD_VALUE;
}

/* what names of states, forces and outputs must be */
#define NO_NAME "'%.60s' is no name: letters, digits and _, at most 63, and no digit first"

static ff_status no_memory(ff_expr_error *error) {
    fail(error, 0, "out of memory");
    return FF_NO_MEMORY;
}

/* Why the pool of expressions did not make one. */
static ff_status not_made(const ff_system *s, ff_expr_error *error) {
    return ff_expr_pool_status(s->pool) == FF_BAD_VALUE
               ? fail(error, 0, "the expressions of the file are too long together")
               : no_memory(error);
}

/* ---- names ---- */

static const entry *find(const ff_system *s, const char *name) {
    for (size_t i = 0; i < s->count; i++) {
        if (strcmp(s->entries[i].name, name) == 0) {
            return &s->entries[i];
        }
    }
    return NULL;
}

static ff_status add_name(ff_system *s, const char *name, entry new, ff_expr_error *error) {
    if (!ff_expr_is_name(name)) {
        return fail(error, 0, NO_NAME, name);
    }
    if (find(s, name) || strcmp(name, "pi") == 0 || ff_function_find(name) ||
        strcmp(name, "dio") == 0 || strcmp(name, "sgn") == 0 || strcmp(name, "sat") == 0) {
        return fail(error, 0, "the name '%.60s' is taken", name);
    }
    if (s->count == s->room) {
        size_t room = s->room ? 2 * s->room : 32;
        entry *entries = realloc(s->entries, room * sizeof *entries);
        s->entries = entries ? entries : s->entries;
        ff_expr_name_def *names = realloc(s->names, room * sizeof *names);
        s->names = names ? names : s->names;
        if (!entries || !names) {
            return no_memory(error);
        }
        s->room = room;
        /* constants point at their values */
        for (size_t i = 0; i < s->count; i++) {
            s->names[i].value = s->entries[i].meaning == PARAMETER ? &s->entries[i].value : NULL;
        }
    }
    new.name = ff_word_copy(name);
    if (!new.name) {
        return no_memory(error);
    }
    entry *at = &s->entries[s->count];
    *at = new;
    s->names[s->count] = (ff_expr_name_def){.name = at->name,
                                            .length = at->facts.length,
                                            .measure = at->facts.measure,
                                            .dim = at->facts.dim,
                                            .hertz = at->facts.hertz,
                                            .value = at->meaning == PARAMETER ? &at->value : NULL};
    s->count++;
    return FF_OK;
}

static ff_expr_scope scope_of(const ff_system *s) {
    return (ff_expr_scope){s->names, s->count, functions, sizeof functions / sizeof *functions};
}

/* ---- reading ---- */

static ff_expr parse(ff_system *s, const char *text, ff_expr_error *error) {
    const char **names = malloc((s->count + 1) * sizeof *names);
    if (!names) {
        no_memory(error);
        return 0;
    }
    for (size_t i = 0; i < s->count; i++) {
        names[i] = s->entries[i].name;
    }
    ff_expr e = ff_expr_parse(s->pool, text, names, s->count, error);
    free(names);
    return e;
}

/* Reads and checks an expression, with dimensions. */
static ff_status read(ff_system *s, const char *text, ff_expr *out, ff_expr_facts *facts,
                      ff_expr_error *error) {
    *error = (ff_expr_error){0};
    *out = parse(s, text, error);
    if (!*out) {
        return ff_expr_pool_status(s->pool) == FF_OK ? FF_BAD_VALUE : not_made(s, error);
    }
    ff_expr_scope scope = scope_of(s);
    return ff_expr_check(s->pool, out, 1, &scope, true, facts, error);
}

/* Auxiliaries that stand in an expression, and what they stand for. */
typedef struct {
    const ff_system *system;
    ff_expr *from, *to;
    size_t count, room;
} stand_ins;

static bool note_let(const ff_expr_pool *pool, ff_expr e, void *user) {
    stand_ins *list = user;
    const ff_expr_node *node = ff_expr_at(pool, e);
    const entry *of = node->kind == FF_EXPR_NAME ? find(list->system, node->text) : NULL;
    if (!of || of->meaning != LET) {
        return true;
    }
    if (list->count == list->room) {
        const size_t room = list->room ? 2 * list->room : 16;
        ff_expr *from = realloc(list->from, room * sizeof *from);
        list->from = from ? from : list->from;
        ff_expr *to = realloc(list->to, room * sizeof *to);
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

/* Auxiliaries are replaced by what they stand for; forces keep their names. */
static ff_expr inline_lets(ff_system *s, ff_expr e) {
    stand_ins list = {.system = s};
    bool done = ff_expr_walk(s->pool, e, note_let, &list);
    if (done && list.count > 0) {
        e = ff_expr_replace(s->pool, e, list.from, list.to, list.count);
    }
    free(list.from);
    free(list.to);
    return done ? e : 0;
}

typedef struct {
    const ff_system *system;
    meaning what;
} meant;

static bool means_other(const ff_expr_pool *pool, ff_expr e, void *user) {
    const meant *m = user;
    const ff_expr_node *node = ff_expr_at(pool, e);
    const entry *of = node->kind == FF_EXPR_NAME ? find(m->system, node->text) : NULL;
    return !of || of->meaning != m->what;
}

/* Whether a name of this meaning stands in an expression. */
static bool has_meaning(const ff_system *s, ff_expr e, meaning what) {
    return !ff_expr_walk(s->pool, e, means_other, &(meant){s, what});
}

/* What makes an expression jump, or NULL. */
static const char *jump_in(const ff_system *s, ff_expr e) {
    static const char *const words[] = {"if", "sign", "floor", "ceil", "dio", "sgn"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (ff_expr_calls(s->pool, e, words[i], NULL, 0) > 0) {
            return words[i];
        }
    }
    return has_meaning(s, e, CONTACT) ? "dio" : has_meaning(s, e, FRICTION) ? "sgn" : NULL;
}

/* Every dio(psi) in an expression becomes the name of its force; equal psi share one. `name` is what to call the
 * force where the expression is nothing but that, or NULL. */
static ff_status take_contacts(ff_system *s, const char *name, ff_expr *e, ff_expr_error *error) {
    ff_expr found[64];
    size_t count = ff_expr_calls(s->pool, *e, "dio", found, 64);
    if (count > 64) {
        return fail(error, 0, "more than 64 dio in one expression");
    }
    for (size_t i = 0; i < count; i++) {
        ff_expr psi = ff_expr_argument(s->pool, found[i], 0);
        size_t column = ff_expr_at(s->pool, found[i])->column, known = 0;
        const char *jump = jump_in(s, psi);
        if (jump) {
            return fail(error, column,
                        "dio wants a continuous gap, but this one contains %s, which jumps", jump);
        }
        while (known < s->contact_count && !ff_expr_same(s->pool, s->contacts[known].psi, psi)) {
            known++;
        }
        if (known == s->contact_count) {
            char made[32];
            snprintf(made, sizeof made, "dio%zu", known + 1);
            bool alone = name && ff_expr_same(s->pool, found[i], *e);
            contact *grown = realloc(s->contacts, (known + 1) * sizeof *grown);
            if (!grown) {
                return no_memory(error);
            }
            s->contacts = grown;
            entry force = {.meaning = CONTACT,
                           .number = known,
                           .facts = {.length = 1, .measure = FF_MEASURE_FREE}};
            ff_status status = add_name(s, alone ? name : made, force, error);
            if (status < 0) {
                return status;
            }
            s->contacts[s->contact_count++] = (contact){.psi = psi, .name = s->count - 1};
        }
        ff_expr force = ff_expr_name(s->pool, s->entries[s->contacts[known].name].name);
        *e = ff_expr_replace(s->pool, *e, &found[i], &force, 1);
        if (!*e) {
            return not_made(s, error);
        }
    }
    return FF_OK;
}

/* chi of chi*sgn(theta), where the product is e and `call` its sgn; 0 where it is no such product. */
static ff_expr factor_of(ff_system *s, ff_expr e, ff_expr call) {
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

static ff_status take_friction(ff_system *s, const char *name, ff_expr e, ff_expr_facts facts,
                               ff_expr_error *error) {
    ff_expr call;
    if (ff_expr_calls(s->pool, e, "sgn", &call, 1) > 1) {
        return fail(error, 0, "a friction force has one sgn: give each its own name");
    }
    size_t column = ff_expr_at(s->pool, call)->column;
    ff_expr theta = inline_lets(s, ff_expr_argument(s->pool, call, 0));
    ff_expr chi = factor_of(s, e, call);
    if (!chi) {
        return fail(
            error, column,
            "a friction force is chi*sgn(theta), a product with sgn as a factor and no minus; "
            "signs and other factors belong into the rates");
    }
    chi = inline_lets(s, chi);
    if (!theta || !chi) {
        return not_made(s, error);
    }
    if (has_meaning(s, chi, FRICTION)) {
        return fail(error, column, "the factor of a sgn must not contain another sgn");
    }
    if (ff_expr_calls(s->pool, chi, "sign", NULL, 0) +
        ff_expr_calls(s->pool, chi, "floor", NULL, 0) +
        ff_expr_calls(s->pool, chi, "ceil", NULL, 0)) {
        return fail(error, column, "the factor of a sgn jumps: only dio may");
    }
    const char *jump = jump_in(s, theta);
    if (jump) {
        return fail(error, column, "sgn wants a continuous slip, but this one contains %s", jump);
    }
    ff_status status = take_contacts(s, NULL, &chi, error);
    if (status < 0) {
        return status;
    }
    ff_expr_facts strength;
    ff_expr_scope scope = scope_of(s);
    status = ff_expr_check(s->pool, &chi, 1, &scope, false, &strength, error);
    if (status < 0) {
        return status;
    }
    if (strength.constant && strength.value < 0) {
        return fail(error, column,
                    "the factor of this sgn is negative: signs belong into the rates");
    }
    unsigned length = facts.length ? facts.length : 1;
    if (length > 2) {
        return fail(error, column, "sgn is of a number or of a vector of two");
    }
    friction *grown = realloc(s->frictions, (s->friction_count + 1) * sizeof *grown);
    if (!grown) {
        return no_memory(error);
    }
    s->frictions = grown;
    status = add_name(
        s, name, (entry){.meaning = FRICTION, .number = s->friction_count, .facts = facts}, error);
    if (status < 0) {
        return status;
    }
    s->frictions[s->friction_count++] =
        (friction){.theta = theta, .chi = chi, .name = s->count - 1, .length = length};
    return FF_OK;
}

/* whether a node is none of the names that change during a run */
static bool is_fixed(const ff_expr_pool *pool, ff_expr e, void *user) {
    const ff_expr_node *node = ff_expr_at(pool, e);
    const entry *of = node->kind == FF_EXPR_NAME ? find(user, node->text) : NULL;
    return !of || of->meaning == PARAMETER;
}

/* Reads a number that is known before the run. */
static ff_status read_constant(ff_system *s, const char *text, double *value, ff_expr_facts *facts,
                               ff_expr_error *error) {
    ff_expr e;
    ff_status status = read(s, text, &e, facts, error);
    if (status < 0) {
        return status;
    }
    if (facts->length > 1) {
        return fail(error, 1, "a number is wanted, not a vector");
    }
    if (ff_expr_calls(s->pool, e, "dio", NULL, 0) + ff_expr_calls(s->pool, e, "sgn", NULL, 0)) {
        return fail(error, 1, "dio and sgn belong under `let` and `rates`");
    }
    if (!ff_expr_walk(s->pool, e, is_fixed, s)) {
        return fail(error, 1, "this must be a number or an expression of parameters");
    }
    ff_expr_scope scope = scope_of(s);
    return ff_expr_value(s->pool, e, &scope, value, 1, error);
}

ff_status ff_system_number(ff_system *s, const char *text, double *value, ff_expr_error *error) {
    ff_expr_facts facts;
    return read_constant(s, text, value, &facts, error);
}

ff_status ff_system_parameter(ff_system *s, const char *name, const char *text,
                              ff_expr_error *error) {
    entry new = {.meaning = PARAMETER};
    ff_status status = read_constant(s, text, &new.value, &new.facts, error);
    if (status == FF_OK && new.facts.measure == FF_MEASURE_PLAIN) {
        /* a number without a unit may be anything */
        new.facts.measure = FF_MEASURE_FREE;
    }
    return status < 0 ? status : add_name(s, name, new, error);
}

ff_status ff_system_state(ff_system *s, const char *name, const char *start, ff_expr_error *error) {
    entry new = {.meaning = STATE, .number = s->state_count};
    ff_status status = read_constant(s, start, &new.value, &new.facts, error);
    if (status == FF_OK && new.facts.measure == FF_MEASURE_PLAIN) {
        new.facts.measure = FF_MEASURE_FREE;
    }
    if (status == FF_OK) {
        ff_expr *rates = realloc(s->rates, (s->state_count + 1) * sizeof *rates);
        if (!rates) {
            return no_memory(error);
        }
        s->rates = rates;
        status = add_name(s, name, new, error);
    }
    if (status == FF_OK) {
        s->rates[s->state_count++] = 0;
    }
    return status;
}

ff_status ff_system_let(ff_system *s, const char *name, const char *text, ff_expr_error *error) {
    entry new = {.meaning = LET};
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
    status = new.is ? take_contacts(s, name, &new.is, error) : not_made(s, error);
    if (status < 0) {
        return status;
    }
    /* a dio alone is its force */
    bool alone = s->contact_count > before && find(s, name);
    return alone ? FF_OK : add_name(s, name, new, error);
}

/* An expression of a row: forces by name only. */
static ff_status read_row(ff_system *s, const char *text, ff_expr *out, ff_expr_facts *facts,
                          ff_expr_error *error) {
    ff_expr call;
    ff_status status = read(s, text, out, facts, error);
    if (status == FF_OK && ff_expr_calls(s->pool, *out, "sgn", &call, 1) > 0) {
        return fail(
            error, ff_expr_at(s->pool, call)->column,
            "give the friction force a name under `let`, as f: chi*sgn(theta), and use f here");
    }
    if (status == FF_OK) {
        *out = inline_lets(s, *out);
        status = *out ? take_contacts(s, NULL, out, error) : not_made(s, error);
    }
    return status;
}

ff_status ff_system_rate(ff_system *s, const char *state, const char *text, ff_expr_error *error) {
    const entry *of = find(s, state);
    ff_expr e;
    ff_expr_facts facts;
    if (!of || of->meaning != STATE) {
        return fail(error, 0, "'%.60s' is no state", state);
    }
    size_t number = of->number;
    ff_expr_facts want = of->facts;
    ff_status status = read_row(s, text, &e, &facts, error);
    if (status < 0) {
        return status;
    }
    if (facts.length > 1) {
        return fail(error, 1, "the rate of a state is a number, not a vector");
    }
    if (want.measure == FF_MEASURE_KNOWN && facts.measure == FF_MEASURE_KNOWN &&
        (fabs(facts.dim.kg - want.dim.kg) > 1e-9 || fabs(facts.dim.m - want.dim.m) > 1e-9 ||
         fabs(facts.dim.s - (want.dim.s - 1)) > 1e-9)) {
        return fail(error, 1, "this has not the dimension of '%.40s' over time", state);
    }
    s->rates[number] = e;
    return FF_OK;
}

/* the SI units of something, or nothing where they are not known */
static void write_units(const ff_expr_facts *facts, char units[FF_SYSTEM_UNITS]) {
    if (facts->measure == FF_MEASURE_KNOWN) {
        ff_dimension_units(facts->dim, units, FF_SYSTEM_UNITS);
    } else {
        units[0] = '\0';
    }
}

ff_status ff_system_output(ff_system *s, const char *name, const char *text, ff_expr_error *error) {
    ff_expr e;
    ff_expr_facts facts;
    if (!ff_expr_is_name(name)) {
        return fail(error, 0, NO_NAME, name);
    }
    ff_status status = read_row(s, text, &e, &facts, error);
    if (status < 0) {
        return status;
    }
    output *grown = realloc(s->outputs, (s->output_count + 1) * sizeof *grown);
    char *copy = ff_word_copy(name);
    s->outputs = grown ? grown : s->outputs;
    if (!grown || !copy) {
        free(copy);
        return no_memory(error);
    }
    output *at = &s->outputs[s->output_count++];
    *at = (output){copy, e, facts.length ? facts.length : 1, ""};
    write_units(&facts, at->units);
    return FF_OK;
}

ff_status ff_system_account(ff_system *s, const char *what, const char *text,
                            ff_expr_error *error) {
    ff_expr_facts facts;
    return read_row(s, text, strcmp(what, "energy") == 0 ? &s->energy : &s->power, &facts, error);
}

static ff_status add_switch(ff_system *s, double time) {
    double *grown = realloc(s->switches, (s->switch_count + 1) * sizeof *grown);
    if (!grown) {
        return FF_NO_MEMORY;
    }
    s->switches = grown;
    s->switches[s->switch_count++] = time;
    return FF_OK;
}

ff_status ff_system_switch(ff_system *s, const char *text, ff_expr_error *error) {
    double time;
    ff_status status = ff_system_number(s, text, &time, error);
    return status < 0 ? status : add_switch(s, time) < 0 ? no_memory(error) : FF_OK;
}

/* ---- what it calls ---- */

static void put_in(ff_system *s, double t, const double *x) {
    s->work[s->time_input] = t;
    for (size_t i = 0; i < s->state_count; i++) {
        s->work[s->state_input[i]] = x[i];
    }
    s->done = -1;
}

static void put_contacts(ff_system *s, const double *forces) {
    for (size_t i = 0; i < s->contact_count; i++) {
        s->work[s->contact_input[i]] = forces[i];
    }
}

static void put_frictions(ff_system *s, const double *forces) {
    for (size_t i = 0; i < s->width; i++) {
        s->work[s->friction_input[i]] = forces[i];
    }
}

/* Groups up to this one: what groups share is done in the first that needs it. */
static void run_to(ff_system *s, int group) {
    while (s->done < group) {
        ff_tape_run(s->tape, (size_t)++s->done, s->work);
    }
}

static void arguments(void *user, double t, const double *x, double *psi, double *theta) {
    ff_system *s = user;
    const size_t *place = s->places;
    put_in(s, t, x);
    run_to(s, ARGUMENTS);
    for (size_t i = 0; i < s->contact_count; i++) {
        psi[i] = s->work[place[i]];
    }
    place += s->contact_count;
    for (size_t i = 0; i < s->width; i++) {
        theta[i] = s->work[place[i]];
    }
}

static void factors(void *user, double t, const double *x, const double *forces, double *chi) {
    ff_system *s = user;
    (void)t, (void)x;
    put_contacts(s, forces);
    run_to(s, FACTORS);
    for (size_t i = 0; i < s->friction_count; i++) {
        chi[i] = s->work[s->chi_place[i]];
    }
}

static void rates(void *user, double t, const double *x, const double *contact_forces,
                  const double *friction_forces, double *dx) {
    ff_system *s = user;
    (void)t, (void)x;
    put_contacts(s, contact_forces);
    put_frictions(s, friction_forces);
    run_to(s, RATES);
    for (size_t i = 0; i < s->state_count; i++) {
        dx[i] = s->work[s->rate_place[i]];
    }
}

/* Bends of the expressions themselves. The engine asks after arguments, at the same place. */
static void events(void *user, double t, const double *x, double *values) {
    ff_system *s = user;
    if (s->done < ARGUMENTS) {
        put_in(s, t, x);
    }
    run_to(s, KINKS);
    for (size_t i = 0; i < s->kink_count; i++) {
        values[i] = s->work[s->kink_place[i]];
    }
}

static void run_all(ff_system *s, double t, const double *x, const double *contact_forces,
                    const double *friction_forces) {
    put_in(s, t, x);
    put_contacts(s, contact_forces);
    put_frictions(s, friction_forces);
    run_to(s, REST);
}

static double energy(void *user, double t, const double *x) {
    ff_system *s = user;
    put_in(s, t, x);
    run_to(s, REST);
    s->done = -1;
    return s->work[*s->rest_place];
}

/* The engine asks for it after rates, at the same place. */
static double power(void *user, double t, const double *x, const double *contact_forces,
                    const double *friction_forces) {
    ff_system *s = user;
    if (s->done < RATES) {
        put_in(s, t, x);
        put_contacts(s, contact_forces);
        put_frictions(s, friction_forces);
    }
    run_to(s, POWER);
    return s->work[*s->power_place];
}

/* ---- finishing ---- */

/* Where everything is in `work`. */
static ff_status find_places(ff_system *s) {
    for (size_t i = 0; i < s->friction_count; i++) {
        s->width += s->frictions[i].length;
    }
    s->state_input = malloc((s->state_count + 1) * sizeof *s->state_input);
    s->contact_input = malloc((s->contact_count + 1) * sizeof *s->contact_input);
    s->friction_input = malloc((s->width + 1) * sizeof *s->friction_input);
    if (!s->state_input || !s->contact_input || !s->friction_input) {
        return FF_NO_MEMORY;
    }
    for (size_t i = 0; i < s->count; i++) {
        const entry *e = &s->entries[i];
        if (e->meaning == TIME) {
            s->time_input = s->input[i];
        } else if (e->meaning == STATE) {
            s->state_input[e->number] = s->input[i];
        } else if (e->meaning == CONTACT) {
            s->contact_input[e->number] = s->input[i];
        }
    }
    for (size_t i = 0, k = 0; i < s->friction_count; i++) {
        for (unsigned c = 0; c < s->frictions[i].length; c++) {
            s->friction_input[k++] = s->input[s->frictions[i].name] + c;
        }
    }
    s->kink_place = s->places + s->contact_count + s->width;
    s->chi_place = s->kink_place + s->kink_count;
    s->rate_place = s->chi_place + s->friction_count;
    s->power_place = s->rate_place + s->state_count;
    s->rest_place = s->power_place + (s->power ? 1 : 0);
    return FF_OK;
}

static void find_speeds(const ff_system *s, int *speed) {
    /* a state whose rate is another state is a position */
    for (size_t i = 0; i < s->state_count; i++) {
        const ff_expr_node *node = ff_expr_at(s->pool, s->rates[i]);
        const entry *of = node->kind == FF_EXPR_NAME ? find(s, node->text) : NULL;
        speed[i] = of && of->meaning == STATE ? (int)of->number : -1;
    }
}

static ff_change change_of(const void *user, const char *name) {
    const entry *of = find(user, name);
    return !of || of->meaning == PARAMETER ? FF_CHANGES_NEVER
           : of->meaning == TIME           ? FF_CHANGES_BY_TIME
           : of->meaning == STATE          ? FF_CHANGES
                                           : FF_CHANGES_WITH_FORCES;
}

/* The time at which a function of time alone is 0, if it is a straight line; else NAN. */
static double time_of(ff_system *s, ff_expr e) {
    ff_expr_error error;
    ff_expr t = ff_expr_name(s->pool, "t");
    ff_expr_scope scope = scope_of(s);
    double at[3];
    for (int i = 0; i < 3; i++) {
        ff_expr value = ff_expr_number(s->pool, i),
                there = ff_expr_replace(s->pool, e, &t, &value, 1);
        if (!there || ff_expr_value(s->pool, there, &scope, &at[i], 1, &error) < 0) {
            return NAN;
        }
    }
    double slope = at[1] - at[0], bend = at[2] - at[1] - slope;
    return fabs(bend) <= 1e-12 * fabs(slope) && slope != 0 ? -at[0] / slope : (double)NAN;
}

/* Finds where the right-hand side bends. A comparison with time is known beforehand: a switch. */
static ff_status find_kinks(ff_system *s, const ff_expr *all, size_t count, ff_expr_error *error) {
    size_t kept = 0;
    ff_status status = ff_kinks_find(s->pool, all, count, change_of, s, &s->kinks, &s->kink_count);
    if (status < 0) {
        return not_made(s, error);
    }
    for (size_t i = 0; i < s->kink_count; i++) {
        const ff_kink kink = s->kinks[i];
        double time = kink.of_time && kink.jumps ? time_of(s, kink.is) : (double)NAN;
        bool known = false;
        for (size_t j = 0; j < s->switch_count; j++) {
            known = known || fabs(s->switches[j] - time) <= 1e-12 * fabs(time);
        }
        if (isnan(time)) {
            s->kinks[kept++] = kink;
        } else if (!known && add_switch(s, time) < 0) {
            return no_memory(error);
        }
    }
    s->kink_count = kept;
    return FF_OK;
}

ff_status ff_system_finish(ff_system *s, ff_expr_error *error) {
    size_t m = s->contact_count, l = s->friction_count, n = s->state_count;
    size_t rest = (size_t)(s->energy > 0) + s->output_count;
    *error = (ff_expr_error){0};
    if (n == 0) {
        return fail(error, 0, "there are no states");
    }
    for (size_t i = 0; i < s->count; i++) {
        if (s->entries[i].meaning == STATE && !s->rates[s->entries[i].number]) {
            return fail(error, 0, "state '%.60s' has no rate", s->entries[i].name);
        }
    }
    if (s->energy && has_meaning(s, s->energy, CONTACT)) {
        return fail(error, 0, "energy is of the states: what contacts store is added to it");
    }
    ff_expr *all = malloc((m + 2 * l + n + rest + 2) * sizeof *all);
    s->start = malloc((n + 1) * sizeof *s->start);
    s->state_names = malloc((n + 1) * sizeof *s->state_names);
    s->dios = calloc(m + 1, sizeof *s->dios);
    s->sgns = calloc(l + 1, sizeof *s->sgns);
    s->input = calloc(s->count + 1, sizeof *s->input);
    int *speed = malloc((n + 1) * sizeof *speed);
    s->def.speed = speed;
    if (!all || !s->start || !s->state_names || !s->dios || !s->sgns || !s->input || !speed) {
        free(all);
        return no_memory(error);
    }
    size_t k = 0, input = 0;
    for (size_t i = 0; i < m; i++) {
        all[k++] = s->contacts[i].psi;
    }
    for (size_t i = 0; i < l; i++) {
        all[k++] = s->frictions[i].theta;
    }
    for (size_t i = 0; i < l; i++) {
        all[k++] = s->frictions[i].chi;
    }
    for (size_t i = 0; i < n; i++) {
        all[k++] = s->rates[i];
    }
    if (s->power) {
        all[k++] = s->power;
    }
    /* what steps go by is complete: its kinks come before the factors */
    ff_status status = find_kinks(s, all, k, error);
    ff_expr *grown =
        status < 0 ? NULL : realloc(all, (k + s->kink_count + rest + 1) * sizeof *grown);
    if (!grown) {
        free(all);
        return status < 0 ? status : no_memory(error);
    }
    all = grown;
    memmove(all + m + l + s->kink_count, all + m + l, (k - m - l) * sizeof *all);
    for (size_t i = 0; i < s->kink_count; i++) {
        all[m + l + i] = s->kinks[i].is;
    }
    k += s->kink_count;
    const size_t counts[GROUPS] = {m + l, s->kink_count, l, n, s->power ? 1 : 0, rest};
    if (s->energy) {
        all[k++] = s->energy;
    }
    for (size_t i = 0; i < s->output_count; i++) {
        all[k++] = s->outputs[i].is;
    }
    /* inputs are the names without a value, in their order */
    for (size_t i = 0; i < s->count; i++) {
        const entry *e = &s->entries[i];
        s->input[i] = input;
        input += e->meaning == PARAMETER ? 0 : e->facts.length ? e->facts.length : 1;
        if (e->meaning == STATE) {
            s->start[e->number] = e->value;
            s->state_names[e->number] = e->name;
        }
    }
    ff_expr_scope scope = scope_of(s);
    status = ff_tape_compile(s->pool, all, counts, GROUPS, &scope, &s->tape, error);
    free(all);
    if (status < 0) {
        return status;
    }
    s->place_count = ff_tape_outputs(s->tape);
    s->silent = malloc((s->kink_count + 1) * sizeof *s->silent);
    s->places = malloc((s->place_count + 1) * sizeof *s->places);
    s->work = malloc((ff_tape_room(s->tape) + 1) * sizeof *s->work);
    if (!s->places || !s->work || !s->silent) {
        return no_memory(error);
    }
    for (size_t i = 0; i < s->place_count; i++) {
        s->places[i] = ff_tape_place(s->tape, i);
    }
    ff_tape_begin(s->tape, s->work);
    status = find_places(s);
    if (status < 0) {
        return no_memory(error);
    }
    for (size_t i = 0; i < m; i++) {
        s->dios[i] = (ff_dio_def){.name = ff_system_contact(s, i), .law = s->contacts[i].law};
    }
    for (size_t i = 0; i < l; i++) {
        s->sgns[i] = (ff_sgn_def){.name = ff_system_friction(s, i),
                                  .dimension = (int)s->frictions[i].length,
                                  .law = s->frictions[i].law};
    }
    find_speeds(s, speed);
    ff_inclusion_def def = ff_inclusion_def_default();
    def.states = n;
    def.start = s->start;
    def.names = s->state_names;
    def.speed = speed;
    def.dio_count = m;
    def.sgn_count = l;
    def.dios = s->dios;
    def.sgns = s->sgns;
    def.user = s;
    def.arguments = arguments;
    def.factors = factors;
    def.rates = rates;
    for (size_t i = 0; i < s->kink_count; i++) {
        s->silent[i] = true;
    }
    def.event_count = s->kink_count;
    def.events = s->kink_count > 0 ? events : NULL;
    def.silent = s->silent;
    def.switch_count = s->switch_count;
    def.switches = s->switches;
    def.energy = s->energy ? energy : NULL;
    def.power = s->power ? power : NULL;
    s->def = def;
    return FF_OK;
}

/* ---- asking ---- */

ff_system *ff_system_create(void) {
    ff_system *s = calloc(1, sizeof *s);
    ff_expr_error error;
    const entry time = {.meaning = TIME,
                        .facts = {.length = 1, .measure = FF_MEASURE_KNOWN, .dim = {.s = 1}}};
    if (s && (!(s->pool = ff_expr_pool_create()) || add_name(s, "t", time, &error) < 0)) {
        ff_system_free(s);
        return NULL;
    }
    return s;
}

void ff_system_free(ff_system *s) {
    if (!s) {
        return;
    }
    for (size_t i = 0; i < s->count; i++) {
        free(s->entries[i].name);
    }
    for (size_t i = 0; i < s->output_count; i++) {
        free(s->outputs[i].name);
    }
    ff_tape_free(s->tape);
    ff_expr_pool_free(s->pool);
    free(s->entries);
    free(s->names);
    free(s->contacts);
    free(s->frictions);
    free(s->outputs);
    free(s->switches);
    free(s->kinks);
    free(s->silent);
    free(s->rates);
    free(s->work);
    free(s->start);
    free(s->state_names);
    free(s->dios);
    free(s->sgns);
    free(s->input);
    free(s->places);
    free(s->state_input);
    free(s->contact_input);
    free(s->friction_input);
    free((int *)s->def.speed);
    free(s);
}

void ff_system_assume(ff_system *s, const char *name) {
    ff_expr_error error;
    ff_expr nothing = ff_expr_number(s->pool, 0);
    if (!find(s, name) && nothing) {
        add_name(s, name,
                 (entry){.meaning = LET,
                         .is = nothing,
                         .facts = {.length = 1, .measure = FF_MEASURE_FREE}},
                 &error);
    }
}

size_t ff_system_contacts(const ff_system *s) { return s->contact_count; }

const char *ff_system_contact(const ff_system *s, size_t i) {
    return s->entries[s->contacts[i].name].name;
}

size_t ff_system_frictions(const ff_system *s) { return s->friction_count; }

const char *ff_system_friction(const ff_system *s, size_t i) {
    return s->entries[s->frictions[i].name].name;
}

void ff_system_set_contact(ff_system *s, size_t i, const ff_normal *law) {
    s->contacts[i].law = *law;
}

void ff_system_set_friction(ff_system *s, size_t i, const ff_friction *law) {
    s->frictions[i].law = *law;
}

const ff_inclusion_def *ff_system_def(const ff_system *s) { return &s->def; }

size_t ff_system_states(const ff_system *s) { return s->state_count; }

const char *ff_system_state_name(const ff_system *s, size_t i) { return s->state_names[i]; }

void ff_system_state_units(const ff_system *s, size_t i, char units[FF_SYSTEM_UNITS]) {
    write_units(&find(s, s->state_names[i])->facts, units);
}

size_t ff_system_outputs(const ff_system *s) { return s->output_count; }

const char *ff_system_output_name(const ff_system *s, size_t i) { return s->outputs[i].name; }

const char *ff_system_output_units(const ff_system *s, size_t i) { return s->outputs[i].units; }

size_t ff_system_output_length(const ff_system *s, size_t i) { return s->outputs[i].length; }

void ff_system_output_at(ff_system *s, const ff_inclusion_view *view, double *values) {
    const size_t *place = s->rest_place + (s->energy ? 1 : 0);
    run_all(s, view->time, view->x, view->contact, view->friction);
    s->done = -1;
    for (size_t i = 0; i < s->output_count; i++) {
        for (unsigned c = 0; c < s->outputs[i].length; c++) {
            *values++ = s->work[*place++];
        }
    }
}

/* ---- showing ---- */

typedef struct {
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
        char *grown = realloc(out->text, out->room);
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

/* prints an expression in the middle of a line */
static void say_expr(lines *out, const ff_system *s, const char *before, ff_expr e,
                     const char *after) {
    char *text = ff_expr_print(s->pool, e);
    out->bad = out->bad || !text;
    say(out, "%s%s%s", before, text ? text : "", after);
    free(text);
}

char *ff_system_show(const ff_system *s) {
    lines out = {0};
    for (size_t i = 0; i < s->state_count; i++) {
        char head[80];
        snprintf(head, sizeof head, "%.60s' = ", s->state_names[i]);
        say_expr(&out, s, head, s->rates[i], "\n");
    }
    for (size_t i = 0; i < s->contact_count; i++) {
        const char *n = ff_system_contact(s, i);
        const ff_normal *law = &s->contacts[i].law;
        say(&out, "\n");
        if (strcmp(law->law->name, "xiong") != 0) {
            say_expr(&out, s, "z = -(", s->contacts[i].psi, ")");
            say(&out, ", %s: %s\n", n, law->law->formula);
            continue;
        }
        say(&out, "K_%s = %g, alpha_%s = %g, beta_%s = %g\n", n, law->k, n, law->alpha, n,
            law->beta);
        say(&out, "%s = K_%s*max(0, e_%s - beta_%s*(", n, n, n, n);
        say_expr(&out, s, "", s->contacts[i].psi, "");
        say(&out, " + e_%s)/alpha_%s)\n", n, n);
        say(&out, "e_%s' = max(-e_%s/beta_%s, -(", n, n, n);
        say_expr(&out, s, "", s->contacts[i].psi, "");
        say(&out, " + e_%s)/alpha_%s)\n", n, n);
    }
    for (size_t i = 0; i < s->friction_count; i++) {
        const char *f = ff_system_friction(s, i);
        const ff_friction *law = &s->frictions[i].law;
        say(&out, "\n");
        if (strcmp(law->law->name, "sat") != 0) {
            say_expr(&out, s, "N = ", s->frictions[i].chi, "");
            say_expr(&out, s, ", v = ", s->frictions[i].theta, "");
            say(&out, ", %s: %s\n", f, law->law->formula);
            continue;
        }
        say(&out, "K_%s = %g, beta_%s = %g\n", f, law->k, f, law->beta);
        say(&out, "%s = K_%s*sat((", f, f);
        say_expr(&out, s, "", s->frictions[i].chi, "");
        say(&out, ")/K_%s, a_%s + beta_%s*(", f, f, f);
        say_expr(&out, s, "", s->frictions[i].theta, "))\n");
        say(&out, "a_%s' = (%s/K_%s - a_%s)/beta_%s\n", f, f, f, f, f);
    }
    if (out.bad) {
        free(out.text);
        return NULL;
    }
    return out.text;
}
