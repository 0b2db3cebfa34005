/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "keep.h"
#include "ensemble/ensemble.h"
#include "expr/tape.h"
#include "model/kinds.h"
#include "num/arena.h"
#include "num/bracket.h"
#include "num/memory.h"
#include "num/peak.h"
#include "reduction.h"
#include "sim/sim.h"
#include <ctype.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A field of the model that expressions may name. */
typedef struct name {
    char path[FF_FIELD_PATH]; /* `t` for time */
    size_t field, width;
    bool constant; /* a parameter: constant during a run */
    bool used;
} name;

/* Compiled expressions, and the fields that they read. */
typedef struct program {
    ff_tape *tape;
    size_t *fields;             /* the first inputs of the tape, in this order */
    size_t field_count, places; /* number of fields, and of numbers in them */
} program;

struct ff_keep {
    size_t count; /* number of kept numbers */
    char (*units)[FF_FIELD_UNIT];
    ff_reduction *reductions;
    size_t reduction_count, outputs;
    bool dense;      /* some reduction needs values within steps */
    bool several;    /* the model has several contacts */
    program inside;  /* reduced quantities */
    program outside; /* kept numbers; the inputs after the fields are the reductions */
};

/* ---- names ---- */

/* In the text of a kept number, a reduction is replaced by a name such as _12, no longer than itself, so that
 * columns in messages stay valid. */
enum { REDUCTIONS_MOST = 1000, PLACEHOLDER = 8 };

typedef struct maker {
    const ff_model *model;
    ff_keep *keep;
    name *names;
    const char **words; /* paths of the names */
    ff_expr_name_def *defs;
    size_t name_count;
    ff_expr_pool *pool;
    ff_expr *kept; /* the expression of each kept number */
    char (*placeholders)[PLACEHOLDER];
    ff_error *error;
} maker;

static ff_status no_memory(maker *m) {
    return ff_model_fail(m->error, FF_NO_MEMORY, "%s", ff_status_text(FF_NO_MEMORY));
}

/* Sets the dimension of a name from its unit. */
static void put_measure(const char *text, ff_expr_name_def *out) {
    ff_unit unit;
    out->measure = FF_MEASURE_FREE;
    if (*text && ff_unit_parse(text, NULL, &unit, NULL, 0) == 0) {
        out->measure = FF_MEASURE_KNOWN;
        out->dim = unit.dim;
        out->hertz = unit.hertz != 0;
    }
}

/* Finds the fields that the texts may refer to. */
static ff_status find_names(maker *m, const char *const *texts, size_t count) {
    const size_t all = ff_model_field_count(m->model);
    size_t room = 0;
    for (size_t i = 0; i < all; i++) {
        ff_field f;
        ff_model_field(m->model, i, &f);
        const bool time = strcmp(f.path, "time") == 0;
        bool there = time;
        for (size_t k = 0; k < count && !there; k++) {
            there = strstr(texts[k], f.path);
        }
        /* the start of a body is a parameter with the path of the state, which comes first */
        for (size_t k = 0; k < m->name_count && there; k++) {
            there = strcmp(m->names[k].path, f.path) != 0;
        }
        if (!there || f.width > FF_EXPR_ITEMS) {
            continue;
        }
        if (m->name_count + 2 > room) {
            room = 2 * room + 16;
            name *names = ff_realloc(m->names, room * sizeof *names);
            m->names = names ? names : m->names;
            ff_expr_name_def *defs = ff_realloc(m->defs, room * sizeof *defs);
            m->defs = defs ? defs : m->defs;
            if (!names || !defs) {
                return no_memory(m);
            }
        }
        /* time has two names */
        for (int k = 0; k <= time; k++) {
            name *n = &m->names[m->name_count];
            *n = (name){.field = i, .width = f.width, .constant = f.kind == FF_FIELD_PARAMETER};
            snprintf(n->path, sizeof n->path, "%s", k ? "t" : f.path);
            ff_expr_name_def *def = &m->defs[m->name_count++];
            *def = (ff_expr_name_def){.length = (unsigned)f.width};
            put_measure(f.unit, def);
        }
    }
    m->words = ff_malloc((m->name_count + REDUCTIONS_MOST) * sizeof *m->words);
    ff_expr_name_def *defs =
        ff_realloc(m->defs, (m->name_count + REDUCTIONS_MOST) * sizeof *m->defs);
    m->defs = defs ? defs : m->defs;
    if (!m->words || !defs) {
        return no_memory(m);
    }
    for (size_t i = 0; i < m->name_count; i++) {
        m->words[i] = m->defs[i].name = m->names[i].path;
    }
    return FF_OK;
}

/* ---- parsing ---- */

const char *ff_keep_name(const char *text, size_t *length) {
    text += strspn(text, " \t");
    const size_t word = strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                     "0123456789_");
    const size_t equals = word + strspn(text + word, " \t");
    const bool named = word > 0 && text[equals] == '=' && text[equals + 1] != '=' &&
                       !isdigit((unsigned char)*text);
    *length = named ? word : strlen(text);
    return named ? text + equals + 1 : text;
}

/* Reports an error in an expression. For a path that is not a field, the most similar field is suggested. */
static ff_status refuse(maker *m, const char *text, size_t offset, const ff_expr_error *why) {
    const size_t column = why->column ? why->column - 1 : 0;
    char path[FF_FIELD_PATH];
    size_t field, length = 0;
    ff_error unknown = {""};
    while (text[column + length] && (isalnum((unsigned char)text[column + length]) ||
                                     strchr("_./[]", text[column + length]))) {
        length++;
    }
    snprintf(path, sizeof path, "%.*s", length < sizeof path ? (int)length : 0, text + column);
    if (strncmp(why->text, "unknown name", 12) == 0 && *path &&
        ff_model_field_find(m->model, path, &field, NULL, &unknown) < 0) {
        return ff_model_fail(m->error, FF_BAD_VALUE, "column %zu: %s", offset + column + 1,
                             unknown.text);
    }
    return ff_model_fail(m->error, FF_BAD_VALUE, "column %zu: %s", offset + column + 1, why->text);
}

/* Parses an expression, a part of a longer text that begins at `offset`, and checks it against the first `known`
 * names. For a vector its magnitude is used, or it is refused. */
static ff_status read(maker *m, const char *text, size_t offset, size_t known, bool magnitude,
                      ff_expr *out, ff_expr_facts *facts) {
    ff_expr_error why = {0};
    const ff_expr_scope scope = {m->defs, known, NULL, 0};
    ff_status status = FF_OK;
    *out = ff_expr_parse(m->pool, text, m->words, known, &why);
    if (*out) {
        status = ff_expr_check(m->pool, out, 1, &scope, true, facts, &why);
    }
    if (*out && status >= 0 && facts->length > 1 && magnitude) {
        *out = ff_expr_call(m->pool, "norm", out, 1);
        facts->length = 1;
    }
    if (ff_reduction_no_memory(m->pool, &why) || status == FF_NO_MEMORY) {
        return no_memory(m);
    }
    if (!*out || status < 0) {
        return refuse(m, text, offset, &why);
    }
    return facts->length > 1
               ? ff_model_fail(m->error, FF_BAD_VALUE,
                               "column %zu: '%.80s' has %u numbers: name one of them, as [0], or "
                               "take norm()",
                               offset + 1, text, facts->length)
               : FF_OK;
}

/* The second argument of first(): a < b becomes b - a. */
static ff_status read_condition(maker *m, const char *text, size_t offset, ff_reduction *r) {
    ff_expr e;
    ff_expr_facts facts;
    ff_status status = read(m, text, offset, m->name_count, false, &e, &facts);
    if (status < 0) {
        return status;
    }
    const ff_expr_kind kind = ff_expr_at(m->pool, e)->kind;
    const bool less = kind == FF_EXPR_LESS || kind == FF_EXPR_LESS_EQUAL;
    if (!less && kind != FF_EXPR_GREATER && kind != FF_EXPR_GREATER_EQUAL) {
        return ff_model_fail(m->error, FF_BAD_VALUE,
                             "column %zu: first() waits for a comparison with < or >, as "
                             "first(t, bodies.ball.position[2] < 0.2 m)",
                             offset + 1);
    }
    const ff_expr a = ff_expr_argument(m->pool, e, 0), b = ff_expr_argument(m->pool, e, 1);
    r->condition = ff_expr_binary(m->pool, FF_EXPR_SUBTRACT, less ? b : a, less ? a : b);
    return r->condition ? FF_OK : no_memory(m);
}

static ff_status read_reduction(maker *m, const char *text, const ff_reduction_text *at,
                                ff_reduction *r) {
    char *parts[2] = {NULL, NULL};
    ff_status status = FF_OK;
    *r = (ff_reduction){.kind = (ff_reduction_kind)at->kind};
    for (size_t i = 0; i < at->parts; i++) {
        parts[i] = ff_malloc(at->length[i] + 1);
        if (!parts[i]) {
            status = no_memory(m);
            break;
        }
        snprintf(parts[i], at->length[i] + 1, "%s", text + at->part[i]);
        ff_reduction_text inner;
        ff_error nested;
        if (status >= 0 && ff_reduction_find(parts[i], 0, ff_reductions, FF_REDUCTIONS, &inner,
                                             &nested) != FF_MISSING) {
            status = ff_model_fail(m->error, FF_BAD_VALUE,
                                   "column %zu: a reduction inside of another one",
                                   at->part[i] + inner.from + 1);
        }
    }
    const size_t x = at->kind == FF_REDUCE_AT ? 1 : 0;
    if (status >= 0 && at->kind != FF_REDUCE_COUNT && at->kind != FF_REDUCE_IMPACT) {
        status = read(m, parts[x], at->part[x], m->name_count, at->kind <= FF_REDUCE_PEAK, &r->x,
                      &r->facts);
    }
    if (status >= 0 && at->kind == FF_REDUCE_FIRST) {
        status = read_condition(m, parts[1], at->part[1], r);
    }
    ff_error which = {""};
    if (status >= 0 && at->kind == FF_REDUCE_IMPACT) {
        status = ff_reduction_read_impact(m->model, parts[0], at->length[0], parts[1],
                                          at->length[1], r, &which);
    } else if (status >= 0 && (at->kind == FF_REDUCE_AT || at->kind == FF_REDUCE_COUNT)) {
        status = ff_reduction_read_event(m->model, parts[0], at->length[0], r, &which);
    }
    if (*which.text) {
        ff_model_fail(m->error, status, "column %zu: %s", at->part[0] + 1, which.text);
    }
    if (at->kind == FF_REDUCE_COUNT) {
        r->facts = (ff_expr_facts){.length = 1, .measure = FF_MEASURE_KNOWN};
    }
    if (at->kind == FF_REDUCE_PEAK) {
        r->facts.measure = FF_MEASURE_KNOWN;
        r->facts.dim = (ff_dimension){0, 0, 1};
    }
    if (at->kind == FF_REDUCE_INTEGRAL) {
        r->facts.dim.s += 1;
    }
    ff_free(parts[0]);
    ff_free(parts[1]);
    return status;
}

/* Checks fields in a kept expression outside of reductions: only constants are allowed, because a state depends on
 * time. */
static ff_status check_outside(maker *m, const char *text, ff_expr e) {
    for (size_t i = 0; i < m->name_count; i++) {
        if (!m->names[i].constant && ff_expr_has(m->pool, e, m->names[i].path)) {
            return ff_model_fail(m->error, FF_BAD_VALUE,
                                 "'%.80s' changes in a run: say when, as end(%.60s) or max(..)",
                                 m->names[i].path, text);
        }
    }
    return FF_OK;
}

static void print_unit(const ff_expr_facts *facts, char out[FF_FIELD_UNIT]) {
    *out = '\0';
    if (facts->measure == FF_MEASURE_KNOWN) {
        ff_dimension_units(facts->dim, out, FF_FIELD_UNIT);
    }
}

/* Adds a reduction, and the name that replaces it in the surrounding text. */
static ff_status add_reduction(maker *m, const char *text, const ff_reduction_text *at,
                               char *outer) {
    ff_keep *keep = m->keep;
    const size_t k = keep->reduction_count;
    ff_reduction *more = ff_realloc(keep->reductions, (k + 1) * sizeof *more);
    if (!more) {
        return no_memory(m);
    }
    keep->reductions = more;
    if (k == REDUCTIONS_MOST) {
        return ff_model_fail(m->error, FF_BAD_VALUE, "more than %d reductions", REDUCTIONS_MOST);
    }
    ff_reduction *r = &keep->reductions[k];
    const ff_status status = read_reduction(m, text, at, r);
    const int length = snprintf(m->placeholders[k], PLACEHOLDER, "_%zu", k);
    m->words[m->name_count + k] = m->placeholders[k];
    m->defs[m->name_count + k] = (ff_expr_name_def){.name = m->placeholders[k],
                                                    .length = 1,
                                                    .measure = r->facts.measure,
                                                    .dim = r->facts.dim,
                                                    .hertz = r->facts.hertz};
    memset(outer + at->from, ' ', at->to - at->from);
    memcpy(outer + at->from, m->placeholders[k], (size_t)length);
    keep->reduction_count++;
    return status;
}

/* Parses the text of a kept number: first its reductions, then the text with each of them replaced by a name. */
static ff_status read_kept(maker *m, const char *text, size_t i) {
    size_t length;
    const char *expression = ff_keep_name(text, &length);
    const size_t offset = (size_t)(expression - text);
    char *outer = ff_malloc(strlen(text) + 1);
    ff_reduction_text at = {.to = offset};
    ff_expr_facts facts;
    if (!outer) {
        return no_memory(m);
    }
    memset(outer, ' ', offset);
    strcpy(outer + offset, expression);
    ff_status status = FF_OK;
    for (const char *c = strchr(expression, '_'); c; c = strchr(c + 1, '_')) {
        /* reserved for the names of reductions */
        if (isdigit((unsigned char)c[1]) &&
            (c == expression || !(isalnum((unsigned char)c[-1]) || c[-1] == '_'))) {
            status = ff_model_fail(m->error, FF_BAD_VALUE,
                                   "column %zu: names do not begin with an underscore",
                                   (size_t)(c - text) + 1);
        }
    }
    while (status >= 0) {
        status = ff_reduction_find(text, at.to, ff_reductions, FF_REDUCTIONS, &at, m->error);
        status = status < 0 ? status : add_reduction(m, text, &at, outer);
    }
    if (status == FF_MISSING) {
        status =
            read(m, outer, 0, m->name_count + m->keep->reduction_count, false, &m->kept[i], &facts);
        status = status < 0 ? status : check_outside(m, text + offset, m->kept[i]);
    }
    if (status >= 0) {
        print_unit(&facts, m->keep->units[i]);
    }
    ff_free(outer);
    return status;
}

/* ---- compiling ---- */

static void program_clear(program *p) {
    ff_tape_free(p->tape);
    ff_free(p->fields);
}

/* Compiles expressions with the fields that they use, followed by `more` names. */
static ff_status compile(maker *m, const ff_expr *outputs, size_t count, size_t more,
                         program *out) {
    ff_expr_name_def *defs = ff_malloc((m->name_count + more + 1) * sizeof *defs);
    ff_expr_error why = {0};
    size_t used = 0;
    out->fields = ff_malloc((m->name_count + 1) * sizeof *out->fields);
    if (!defs || !out->fields) {
        ff_free(defs);
        return no_memory(m);
    }
    for (size_t i = 0; i < m->name_count; i++) {
        bool has = false;
        for (size_t k = 0; k < count && !has; k++) {
            has = ff_expr_has(m->pool, outputs[k], m->names[i].path);
        }
        if (has) {
            out->fields[out->field_count++] = m->names[i].field;
            out->places += m->names[i].width;
            defs[used++] = m->defs[i];
        }
    }
    memcpy(defs + used, m->defs + m->name_count, more * sizeof *defs);
    const ff_expr_scope scope = {defs, used + more, NULL, 0};
    ff_status status = ff_tape_compile(m->pool, outputs, &count, 1, 1, &scope, &out->tape, &why);
    ff_free(defs);
    return status < 0 ? ff_model_fail(m->error, status, "%s", why.text) : status;
}

static ff_status compile_both(maker *m) {
    ff_keep *keep = m->keep;
    ff_expr *inside = ff_malloc((2 * keep->reduction_count + 1) * sizeof *inside);
    if (!inside) {
        return no_memory(m);
    }
    for (size_t k = 0; k < keep->reduction_count; k++) {
        ff_reduction *r = &keep->reductions[k];
        r->output = keep->outputs;
        keep->outputs += r->x != 0;
        inside[r->output] = r->x;
        r->positive = keep->outputs;
        keep->outputs += r->condition != 0;
        inside[r->positive] = r->condition ? r->condition : r->x;
        keep->dense = keep->dense || r->kind <= FF_REDUCE_INTEGRAL || r->kind == FF_REDUCE_FIRST;
    }
    ff_status status = keep->outputs ? compile(m, inside, keep->outputs, 0, &keep->inside) : FF_OK;
    ff_free(inside);
    return status < 0 ? status
                      : compile(m, m->kept, keep->count, keep->reduction_count, &keep->outside);
}

ff_status ff_keep_compile(const ff_model *model, const char *const *texts, size_t count,
                          ff_keep **out, size_t *wrong, ff_error *error) {
    maker m = {.model = model, .error = error};
    ff_keep *keep = *out = ff_calloc(1, sizeof *keep);
    m.keep = keep;
    m.pool = ff_expr_pool_create();
    m.kept = ff_calloc(count + 1, sizeof *m.kept);
    m.placeholders = ff_malloc(REDUCTIONS_MOST * sizeof *m.placeholders);
    ff_status status = keep && m.pool && m.kept && m.placeholders ? FF_OK : no_memory(&m);
    if (status >= 0) {
        keep->count = count;
        keep->several = ff_model_contact_count(model) > 1;
        keep->units = ff_calloc(count + 1, sizeof *keep->units);
        status = keep->units ? find_names(&m, texts, count) : no_memory(&m);
    }
    *wrong = 0;
    for (size_t i = 0; i < count && status >= 0; i++) {
        *wrong = i;
        status = read_kept(&m, texts[i], i);
    }
    status = status < 0 ? status : compile_both(&m);
    ff_expr_pool_free(m.pool);
    ff_free(m.kept);
    ff_free(m.placeholders);
    ff_free(m.names);
    ff_free(m.words);
    ff_free(m.defs);
    if (status < 0) {
        ff_keep_free(keep);
        *out = NULL;
    }
    return status;
}

void ff_keep_free(ff_keep *keep) {
    if (keep) {
        program_clear(&keep->inside);
        program_clear(&keep->outside);
        ff_free(keep->reductions);
        ff_free(keep->units);
        ff_free(keep);
    }
}

const char *ff_keep_unit(const ff_keep *keep, size_t i) { return keep->units[i]; }

/* ---- evaluation during a run ---- */

/* A step is evaluated at its start, close to the start, at the three Gauss points, close to the end, and at the end.
 * An extremum within the step appears as a point that is higher than its neighbours; the points close to the ends
 * distinguish it from an extremum at an end. An extremum closer to an end than `margin` of the step is missed, with
 * an error of 2e-9 of the curvature term. The Gauss points integrate polynomials in time up to degree five exactly. */
enum { POINTS = 7, FIRST_GAUSS = 2, MIDDLE = 3 };
static const double margin = 0x1p-13;
static const double places[POINTS] = {
    0, margin, 0.1127016653792583, 0.5, 0.8872983346207417, 1 - margin, 1};
static const double weights[3] = {5.0 / 18, 8.0 / 18, 5.0 / 18};

/* Intermediate result of a reduction. */
typedef struct met {
    double value, when; /* when: time of a maximum, s */
    double change;      /* size of the change of its quantity in the last step */
    size_t seen;
    bool done;
} met;

typedef struct keeper {
    const ff_keep *keep;
    ff_sim *sim;
    double *work, *outside; /* work memory of the tapes of reduced quantities and of kept numbers */
    double *rows[POINTS];   /* outputs at the points of a step */
    double *row;            /* outputs at one additional point */
    met *met;
    double from, to; /* start and end of the step, s */
    /* the step of a lane; NULL: the last step of the sim */
    const ff_ensemble_step *step;
    bool resolved; /* the previous step was a plain one */
} keeper;

/* Sets the fields of the sim to a time of the step. */
static void observe(const keeper *k, double time) {
    if (k->step) {
        ff_ensemble_observe(k->step, time);
    } else {
        ff_sim_observe(k->sim, time);
    }
}

/* Evaluates all outputs at the observed time. */
static void look(keeper *k, double *row) {
    const program *p = &k->keep->inside;
    if (p->tape) {
        ff_sim_get_all(k->sim, p->fields, p->field_count, k->work);
        ff_tape_run(p->tape, 0, k->work);
        for (size_t i = 0; i < k->keep->outputs; i++) {
            row[i] = k->work[ff_tape_place(p->tape, i)];
        }
    }
}

/* Evaluates one output at a fraction of the step. */
static double look_within(keeper *k, double part, size_t output) {
    observe(k, k->from + part * (k->to - k->from));
    look(k, k->row);
    return k->row[output];
}

/* Updates a maximum. A NAN value makes the maximum NAN for the rest of the run. */
static void take_larger(const keeper *k, double value, double part, met *m) {
    if (!(value <= m->value) && !isnan(m->value)) {
        m->value = value;
        m->when = k->from + part * (k->to - k->from);
    }
}

/* Updates the maximum of an output (sign 1), or the negative of its minimum (-1), with the step. */
static void follow_peak(keeper *k, size_t output, double sign, met *m) {
    for (int i = 1; i < POINTS; i++) {
        take_larger(k, sign * k->rows[i][output], places[i], m);
    }
    for (int i = 1; i + 1 < POINTS; i++) {
        ff_peak p = {.x = {places[i - 1], places[i], places[i + 1]}};
        for (int c = 0; c < 3; c++) {
            p.f[c] = sign * k->rows[i - 1 + c][output];
        }
        if (!(p.f[1] >= p.f[0] && p.f[1] >= p.f[2])) {
            continue;
        }
        /* height of the vertex of the interpolating parabola above the middle point: an extremum is not located if
         * twice this height would not exceed the maximum so far */
        const double slope = (p.f[1] - p.f[0]) / (p.x[1] - p.x[0]),
                     bend = ((p.f[2] - p.f[1]) / (p.x[2] - p.x[1]) - slope) / (p.x[2] - p.x[0]),
                     at = slope + bend * (p.x[1] - p.x[0]),
                     above = bend < 0 ? at * at / (-4 * bend) : 0;
        while (p.f[1] + 2 * above > m->value && ff_peak_open(&p)) {
            ff_peak_narrow(&p, sign * look_within(k, p.at, output));
        }
        take_larger(k, p.f[1], p.x[1], m);
    }
}

static void follow_integral(const keeper *k, size_t output, met *m) {
    for (int i = 0; i < 3; i++) {
        m->value += (k->to - k->from) * weights[i] * k->rows[FIRST_GAUSS + i][output];
    }
}

/* Locates where a condition becomes true within the step. */
static void follow_first(keeper *k, const ff_reduction *r, met *m) {
    for (int i = 1; i < POINTS && !m->done; i++) {
        if (!(k->rows[i][r->positive] > 0)) {
            continue;
        }
        ff_bracket b = {
            places[i - 1], k->rows[i - 1][r->positive], places[i], k->rows[i][r->positive], 0, 0};
        while (b.g_low <= 0 && ff_bracket_open(&b)) {
            const double at = ff_bracket_guess(&b);
            ff_bracket_narrow(&b, at, look_within(k, at, r->positive));
        }
        /* the end of the step has the values after its event */
        m->value = b.high < 1 ? look_within(k, b.high, r->output) : k->rows[POINTS - 1][r->output];
        m->done = true;
    }
}

/* The output whose extrema or sign a reduction needs, and its sign. */
static size_t output_of(const ff_reduction *r) {
    return r->kind == FF_REDUCE_FIRST ? r->positive : r->output;
}

/* Whether a plain step of a lane cannot change a reduction, judged from its ends. A resolved function stays within a few of its
 * changes per step: for a parabola and steps that grow by at most 5, it rises above both ends by at most 1.05 times the
 * larger one of the changes in this step and the previous one. Four times that leaves room for other shapes. */
static bool passes_by(const keeper *k, const ff_reduction *r, const met *m) {
    if (r->kind == FF_REDUCE_MEAN || r->kind == FF_REDUCE_INTEGRAL) {
        return false;
    }
    if ((r->kind > FF_REDUCE_INTEGRAL && r->kind != FF_REDUCE_FIRST) || m->done) {
        return true;
    }
    const double sign = r->kind == FF_REDUCE_MIN ? -1 : 1, f0 = sign * k->rows[0][output_of(r)],
                 f1 = sign * k->rows[POINTS - 1][output_of(r)], change = fabs(f1 - f0),
                 limit = r->kind == FF_REDUCE_FIRST ? 0 : m->value;
    return fmax(f0, f1) + 4 * fmax(change, m->change) < limit;
}

/* Whether a reduction needs only the end of a plain step: the parabola through its ends and its middle has slopes of the
 * same sign at both ends, of at least a quarter of its mean slope, so that it is monotonic also with a share of higher
 * terms. Not in the first step after an event: there a speed may still grow for a small part of the step, until the force
 * exceeds the weight. */
static bool rises_steadily(const keeper *k, const ff_reduction *r) {
    const size_t at = output_of(r);
    const double f0 = k->rows[0][at], f1 = k->rows[POINTS - 1][at], rise = f1 - f0,
                 bend = 2 * (f0 - 2 * k->rows[MIDDLE][at] + f1);
    return k->resolved && r->kind != FF_REDUCE_MEAN && r->kind != FF_REDUCE_INTEGRAL &&
           (r->kind != FF_REDUCE_FIRST || f1 <= 0) && fabs(bend) <= 0.75 * fabs(rise);
}

static void look_at(keeper *k, int i) {
    observe(k, i < POINTS - 1 ? k->from + places[i] * (k->to - k->from) : ff_sim_time(k->sim));
    look(k, k->rows[i]);
}

/* Updates the reductions with a plain step of a lane from its end and, if needed, its middle. False if more points are
 * needed; then nothing has changed. A lane makes a step in 0.1 us, and evaluating fields takes as long: most steps cost one
 * evaluation, or none. */
static bool follow_plainly(keeper *k) {
    const ff_keep *keep = k->keep;
    bool waits = false, passes = true;
    for (size_t j = 0; j < keep->reduction_count; j++) {
        const ff_reduction *r = &keep->reductions[j];
        waits = waits || r->kind <= FF_REDUCE_INTEGRAL ||
                (r->kind == FF_REDUCE_FIRST && !k->met[j].done);
    }
    if (!waits) {
        return true;
    }
    look_at(k, POINTS - 1);
    for (size_t j = 0; j < keep->reduction_count; j++) {
        passes = passes && passes_by(k, &keep->reductions[j], &k->met[j]);
    }
    if (!passes) {
        look_at(k, MIDDLE);
    }
    for (size_t j = 0; j < keep->reduction_count && !passes; j++) {
        const ff_reduction *r = &keep->reductions[j];
        if (!passes_by(k, r, &k->met[j]) && !rises_steadily(k, r)) {
            return false;
        }
    }
    for (size_t j = 0; j < keep->reduction_count; j++) {
        const ff_reduction *r = &keep->reductions[j];
        if (r->kind <= FF_REDUCE_PEAK) {
            const double sign = r->kind == FF_REDUCE_MIN ? -1 : 1;
            take_larger(k, sign * k->rows[POINTS - 1][r->output], 1, &k->met[j]);
        }
    }
    return true;
}

/* Updates the reductions with all points of the last step; if its length is 0, with the values after an event at that
 * time. */
static void follow_closely(keeper *k) {
    const ff_keep *keep = k->keep;
    const int first = k->to > k->from ? 1 : POINTS - 1;
    for (int i = first; i < POINTS; i++) {
        look_at(k, i);
    }
    for (int i = 1; i < first; i++) {
        memcpy(k->rows[i], k->rows[POINTS - 1], keep->outputs * sizeof **k->rows);
    }
    for (size_t j = 0; j < keep->reduction_count; j++) {
        const ff_reduction *r = &keep->reductions[j];
        met *m = &k->met[j];
        switch (r->kind) {
        case FF_REDUCE_MAX:
        case FF_REDUCE_PEAK: follow_peak(k, r->output, 1, m); break;
        case FF_REDUCE_MIN: follow_peak(k, r->output, -1, m); break;
        case FF_REDUCE_MEAN:
        case FF_REDUCE_INTEGRAL: follow_integral(k, r->output, m); break;
        case FF_REDUCE_FIRST: follow_first(k, r, m); break;
        default: break;
        }
    }
}

static void follow_step(keeper *k) {
    const ff_keep *keep = k->keep;
    if (!k->step || !k->step->plain || !follow_plainly(k)) {
        follow_closely(k);
    }
    observe(k, ff_sim_time(k->sim));
    for (size_t j = 0; j < keep->reduction_count; j++) {
        const size_t at = output_of(&keep->reductions[j]);
        k->met[j].change = fabs(k->rows[POINTS - 1][at] - k->rows[0][at]);
    }
    memcpy(k->rows[0], k->rows[POINTS - 1], keep->outputs * sizeof **k->rows);
    k->resolved = k->step && k->step->plain;
}

static void follow_event(keeper *k) {
    const ff_keep *keep = k->keep;
    for (size_t j = 0; j < keep->reduction_count; j++) {
        const ff_reduction *r = &keep->reductions[j];
        met *m = &k->met[j];
        if ((r->kind != FF_REDUCE_AT && r->kind != FF_REDUCE_COUNT) ||
            !ff_reduction_fits(r, k->sim)) {
            continue;
        }
        m->seen++;
        if (r->kind == FF_REDUCE_AT && (r->number == FF_LAST || r->number == m->seen)) {
            look(k, k->row);
            m->value = k->row[r->output];
        }
    }
}

static void follow_start(keeper *k) {
    const ff_keep *keep = k->keep;
    look(k, k->rows[0]);
    for (size_t j = 0; j < keep->reduction_count; j++) {
        const ff_reduction *r = &keep->reductions[j];
        met *m = &k->met[j];
        const double x = r->x ? k->rows[0][r->output] : 0;
        m->done = r->kind == FF_REDUCE_FIRST && k->rows[0][r->positive] > 0;
        const bool takes = r->kind == FF_REDUCE_MAX || r->kind == FF_REDUCE_PEAK ||
                           r->kind == FF_REDUCE_START || m->done;
        m->when = k->to;
        m->value = takes                                                        ? x
                   : r->kind == FF_REDUCE_MIN                                   ? -x
                   : r->kind == FF_REDUCE_MEAN || r->kind == FF_REDUCE_INTEGRAL ? 0
                                                                                : (double)NAN;
    }
}

/* Computes the kept numbers from the reductions. */
static void conclude(keeper *k, double time, double *values) {
    const ff_keep *keep = k->keep;
    const program *p = &keep->outside;
    double *outside = k->outside, *reduced = outside + p->places;
    look(k, k->row);
    ff_sim_get_all(k->sim, p->fields, p->field_count, outside);
    for (size_t j = 0; j < keep->reduction_count; j++) {
        const ff_reduction *r = &keep->reductions[j];
        const met *m = &k->met[j];
        reduced[j] = r->kind == FF_REDUCE_END      ? k->row[r->output]
                     : r->kind == FF_REDUCE_COUNT  ? (double)m->seen
                     : r->kind == FF_REDUCE_IMPACT ? ff_reduction_impact(r, k->sim)
                     : r->kind == FF_REDUCE_MIN    ? -m->value
                     : r->kind == FF_REDUCE_PEAK   ? m->when
                     : r->kind == FF_REDUCE_MEAN   ? m->value / time
                                                   : m->value;
    }
    ff_tape_run(p->tape, 0, outside);
    for (size_t i = 0; i < keep->count; i++) {
        values[i] = outside[ff_tape_place(p->tape, i)];
    }
}

/* Counts the current event of a sim. Returns whether it ends the run. */
static bool stops_now(ff_keep_stops stops, const ff_sim *sim, size_t seen[FF_SWEEP_STOPS]) {
    bool over = false;
    for (size_t i = 0; i < stops.count; i++) {
        seen[i] += ff_reduction_fits(&stops.at[i], sim);
        over = over || seen[i] == stops.at[i].number;
    }
    return over;
}

static ff_status follow(keeper *k, double until, ff_keep_stops stops) {
    const double start = ff_sim_time(k->sim);
    size_t seen[FF_SWEEP_STOPS] = {0};
    bool over = false;
    ff_status status = FF_OK;
    k->to = start;
    follow_start(k);
    /* the first step is tried even if the run has length 0 */
    do {
        status = k->keep->dense ? ff_sim_step(k->sim, until) : ff_sim_advance(k->sim, until);
        if (status < 0 || status == FF_STOPPED) {
            return status;
        }
        k->from = k->to;
        k->to = ff_sim_time(k->sim);
        if (k->keep->dense) {
            follow_step(k);
        }
        if (status == FF_EVENT) {
            follow_event(k);
            over = stops_now(stops, k->sim, seen);
        }
    } while (ff_sim_time(k->sim) < until && !over);
    return ff_sim_verdict(k->sim);
}

/* Allocates the memory of a run, freed with ff_free(); NULL if out of memory. */
static char *make_keeper(const ff_keep *keep, ff_sim *sim, keeper *k) {
    const program *in = &keep->inside, *out = &keep->outside;
    char *block = NULL;
    *k = (keeper){.keep = keep, .sim = sim};
    /* the first pass counts, the second assigns */
    for (int turn = 0; turn < 2; turn++) {
        ff_arena a = {block, 0};
        FF_TAKE(&a, k->work, in->tape ? ff_tape_room(in->tape) : 1);
        FF_TAKE(&a, k->outside, ff_tape_room(out->tape));
        for (int i = 0; i < POINTS; i++) {
            FF_TAKE(&a, k->rows[i], keep->outputs + 1);
        }
        FF_TAKE(&a, k->row, keep->outputs + 1);
        FF_TAKE(&a, k->met, keep->reduction_count + 1);
        block = block ? block : ff_calloc(1, a.used);
        if (!block) {
            return NULL;
        }
    }
    if (in->tape) {
        ff_tape_begin(in->tape, k->work);
    }
    ff_tape_begin(out->tape, k->outside);
    return block;
}

ff_status ff_keep_run(const ff_keep *keep, ff_sim *sim, double until, ff_keep_stops stops,
                      double *values) {
    keeper k;
    char *block = make_keeper(keep, sim, &k);
    const double start = ff_sim_time(sim);
    const ff_status status = block ? follow(&k, until, stops) : FF_NO_MEMORY;
    if (status >= 0 && status != FF_STOPPED) {
        conclude(&k, ff_sim_time(sim) - start, values);
    }
    ff_free(block);
    return status;
}

/* ---- runs integrated elsewhere ---- */

struct ff_keeping {
    keeper k;
    char *block;
};

const char *ff_keep_follows(const ff_keep *keep, const ff_model *model) {
    if (keep->dense && ff_method_fixed(ff_model_run(model)->method)) {
        return "more is kept of fixed steps than start(), end(), at(), count() and impact()";
    }
    /* lanes of spheres do not integrate their orientation */
    const bool sphere = model->body_count == 1 && model->bodies[0].free_turning;
    for (size_t i = 0; i < keep->inside.field_count && sphere; i++) {
        ff_field f;
        ff_model_field(model, keep->inside.fields[i], &f);
        if (strstr(f.path, ".orientation")) {
            return "an orientation is kept";
        }
    }
    return NULL;
}

bool ff_keep_needs_steps(const ff_keep *keep) { return keep->dense; }

bool ff_keep_needs_events(const ff_keep *keep) {
    bool needs = false;
    for (size_t j = 0; j < keep->reduction_count; j++) {
        const ff_reduction *r = &keep->reductions[j];
        needs = needs || r->kind == FF_REDUCE_AT || r->kind == FF_REDUCE_IMPACT || r->rejoin ||
                (r->kind == FF_REDUCE_COUNT && *r->owner && keep->several);
    }
    return needs;
}

ff_keeping *ff_keep_begin(const ff_keep *keep, ff_sim *sim) {
    ff_keeping *out = ff_calloc(1, sizeof *out);
    if (!out || !(out->block = make_keeper(keep, sim, &out->k))) {
        ff_free(out);
        return NULL;
    }
    out->k.to = ff_sim_time(sim);
    bool starts = keep->dense;
    for (size_t j = 0; j < keep->reduction_count; j++) {
        starts = starts || keep->reductions[j].kind == FF_REDUCE_START;
        out->k.met[j].value = NAN;
    }
    if (starts) {
        follow_start(&out->k);
    }
    return out;
}

void ff_keep_step(ff_keeping *keeping, const ff_ensemble_step *step) {
    keeper *k = &keeping->k;
    k->from = k->to;
    k->to = step->end;
    k->step = step;
    follow_step(k);
    k->step = NULL;
}

void ff_keep_event(ff_keeping *keeping) { follow_event(&keeping->k); }

ff_status ff_keep_end(ff_keeping *keeping, const size_t counts[FF_USER + 1], double *values) {
    keeper *k = &keeping->k;
    const ff_keep *keep = k->keep;
    for (size_t j = 0; j < keep->reduction_count && !ff_keep_needs_events(keep); j++) {
        /* events of all contacts, or of the only one */
        const int kind = keep->reductions[j].event;
        k->met[j].seen = kind >= 0 && kind <= FF_USER ? counts[kind] : 0;
    }
    const ff_status status = ff_sim_verdict(k->sim);
    if (status >= 0) {
        conclude(k, ff_sim_time(k->sim), values);
    }
    return status;
}

void ff_keeping_free(ff_keeping *keeping) {
    if (keeping) {
        ff_free(keeping->block);
        ff_free(keeping);
    }
}

static bool add_row(keeper *k, double time, ff_keep_rows *out) {
    const size_t width = 1 + k->keep->count;
    if (out->count == out->room) {
        const size_t room = 2 * out->room + 64;
        double *more = ff_realloc(out->values, room * width * sizeof *more);
        if (!more) {
            return false;
        }
        out->values = more;
        out->room = room;
    }
    double *row = out->values + out->count++ * width;
    row[0] = time;
    conclude(k, time, row + 1);
    return true;
}

ff_status ff_keep_sample(const ff_keep *keep, ff_sim *sim, double until, ff_sampler when,
                         ff_keep_stops stops, const ff_reduction *only, const ff_reduction *from,
                         ff_keep_rows *out) {
    keeper k;
    char *block = make_keeper(keep, sim, &k);
    size_t seen[FF_SWEEP_STOPS] = {0}, before = from ? from->number : 0;
    ff_status status =
        block && (only || from || add_row(&k, ff_sim_time(sim), out)) ? FF_OK : FF_NO_MEMORY;
    ff_sampler_start(&when, ff_sim_time(sim));
    ff_sampler_pass(&when);
    bool more = true, over = false;
    while (status >= 0 && more) {
        more = ff_sim_time(sim) < until && !over;
        status = more ? ff_sim_step(sim, until) : status;
        if (status < 0 || status == FF_STOPPED) {
            break;
        }
        const double now = ff_sim_time(sim);
        const bool event = more && status == FF_EVENT;
        over = event && stops_now(stops, sim, seen);
        const bool begins = before > 0 && event && ff_reduction_fits(from, sim) && --before == 0;
        if (only) {
            if (event && before == 0 && ff_reduction_fits(only, sim)) {
                status = add_row(&k, now, out) ? status : FF_NO_MEMORY;
            }
            continue;
        }
        if (more) {
            ff_sampler_step(&when, now, event);
        } else {
            ff_sampler_end(&when, now);
        }
        for (double time; status >= 0 && (time = ff_sampler_next(&when)) <= now;) {
            ff_sampler_pass(&when);
            if (before == 0 && !(begins && time < now)) {
                ff_sim_observe(sim, time);
                status = add_row(&k, time, out) ? status : FF_NO_MEMORY;
            }
        }
        ff_sim_observe(sim, now);
    }
    ff_free(block);
    return status < 0 || status == FF_STOPPED ? status : ff_sim_verdict(sim);
}
