/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "tape.h"
#include "num/hash.h"
#include "num/memory.h"
#include "tape_run.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- values ---- */

/* A number during compilation: an input, a constant, or the result of an operation on earlier ones. */
typedef enum value_kind { value_input, value_constant, value_result } value_kind;

typedef struct value {
    value_kind kind;
    ff_op op;
    uint32_t with[3]; /* operands; for an input its index */
    double number;
    uint32_t uses;  /* number of uses by needed results and outputs */
    uint32_t group; /* the first group that needs it, from 1 */
    uint32_t place; /* index in `work` */
    bool inside;    /* merged into the step of its only user */
} value;

typedef struct compiler {
    const ff_expr_pool *pool;
    const ff_expr_scope *scope;
    value *values;
    size_t count, room;
    uint32_t *table; /* hash table of values, by number + 1 */
    size_t table_room;
    uint32_t *items; /* the values of nodes, one after another */
    size_t item_count, item_room;
    uint32_t *first;   /* index of the first value of a node in items */
    uint32_t *lengths; /* number of values of a node; 0: not compiled yet */
    bool good;         /* false: out of memory */
} compiler;

static bool grow(void **at, size_t wanted, size_t *room, size_t size) {
    if (wanted <= *room) {
        return true;
    }
    size_t more = 2 * wanted + 64;
    void *grown = ff_realloc(*at, more * size);
    if (!grown) {
        return false;
    }
    *at = grown;
    *room = more;
    return true;
}

static uint64_t hash_of(const value *v) {
    uint64_t hash = (uint64_t)v->kind * 64 + (uint64_t)v->op, bits;
    memcpy(&bits, &v->number, sizeof bits);
    const uint64_t parts[] = {v->with[0], v->with[1], v->with[2], bits};
    for (size_t i = 0; i < 4; i++) {
        hash = (hash ^ parts[i]) * 0x9e3779b97f4a7c15u;
        hash ^= hash >> 29;
    }
    return hash;
}

static bool is_same(const value *a, const value *b) {
    return a->kind == b->kind && a->op == b->op && memcmp(a->with, b->with, sizeof a->with) == 0 &&
           memcmp(&a->number, &b->number, sizeof a->number) == 0;
}

static uint32_t *place_of(const compiler *c, const value *v) {
    size_t at = (size_t)hash_of(v) & (c->table_room - 1);
    while (c->table[at] && !is_same(&c->values[c->table[at] - 1], v)) {
        at = (at + 1) & (c->table_room - 1);
    }
    return &c->table[at];
}

static bool grow_table(compiler *c) {
    if (2 * c->count + 2 < c->table_room) {
        return true;
    }
    size_t room = c->table_room ? 2 * c->table_room : 256;
    uint32_t *table = ff_calloc(room, sizeof *table);
    if (!table) {
        return false;
    }
    ff_free(c->table);
    c->table = table;
    c->table_room = room;
    for (size_t i = 0; i < c->count; i++) {
        *place_of(c, &c->values[i]) = (uint32_t)i + 1;
    }
    return true;
}

/* the number of a value; equal values share one */
static uint32_t add(compiler *c, value v) {
    if (!c->good || !grow((void **)&c->values, c->count + 1, &c->room, sizeof *c->values) ||
        !grow_table(c)) {
        c->good = false;
        return 0;
    }
    uint32_t *place = place_of(c, &v);
    if (*place == 0) {
        c->values[c->count] = v;
        *place = (uint32_t)++c->count;
    }
    return *place - 1;
}

static uint32_t constant(compiler *c, double number) {
    return add(c, (value){.kind = value_constant, .number = number});
}

static bool is_constant(const compiler *c, uint32_t v) {
    return c->values[v].kind == value_constant;
}

static bool is_number(const compiler *c, uint32_t v, double number) {
    return is_constant(c, v) && c->values[v].number == number &&
           signbit(c->values[v].number) == signbit(number);
}

static bool is_negation(const compiler *c, uint32_t v) {
    return c->values[v].kind == value_result && c->values[v].op == FF_OP_NEGATE;
}

/* ---- simplifications that do not change any bit ---- */

static const int operand_counts[] = {
#define COUNT(name, count, result) count,
    FF_OPS(COUNT)
#undef COUNT
};

/* whether dividing by x equals multiplying by 1/x: a power of two far from the limits of the range */
static bool divides_exactly(double x) {
    int exponent;
    return fabs(frexp(x, &exponent)) == 0.5 && abs(exponent) < 1000;
}

static uint32_t operate(compiler *c, ff_op op, uint32_t a, uint32_t b, uint32_t third);

static uint32_t power(compiler *c, uint32_t a, double exponent) {
    return exponent == 2     ? operate(c, FF_OP_MULTIPLY, a, a, 0)
           : exponent == 1   ? a
           : exponent == 0.5 ? operate(c, FF_OP_SQRT, a, 0, 0)
           : exponent == 1.5 ? operate(c, FF_OP_MULTIPLY, a, operate(c, FF_OP_SQRT, a, 0, 0), 0)
           : exponent == 3   ? operate(c, FF_OP_MULTIPLY, operate(c, FF_OP_MULTIPLY, a, a, 0), a, 0)
           : exponent == -1  ? operate(c, FF_OP_DIVIDE, constant(c, 1), a, 0)
                             : add(c, (value){.kind = value_result,
                                              .op = FF_OP_POWER,
                                              .with = {a, constant(c, exponent), 0}});
}

static uint32_t operate(compiler *c, ff_op op, uint32_t a, uint32_t b, uint32_t third) {
    int count = operand_counts[op];
    b = count > 1 ? b : a;
    third = count > 2 ? third : a;
    if (!c->good) {
        return 0;
    }
    const value *x = &c->values[a], *y = &c->values[b], *z = &c->values[third];
    if (x->kind == value_constant && y->kind == value_constant && z->kind == value_constant) {
        return constant(c, ff_op_value(op, x->number, y->number, z->number));
    }
    switch (op) {
    case FF_OP_NEGATE:
        if (is_negation(c, a)) {
            return x->with[0];
        }
        break;
    case FF_OP_ADD:
        /* not + 0, which would change -0 to 0 */
        if (is_number(c, b, -0.0)) {
            return a;
        }
        if (is_number(c, a, -0.0)) {
            return b;
        }
        if (is_negation(c, b)) {
            return operate(c, FF_OP_SUBTRACT, a, y->with[0], 0);
        }
        if (is_negation(c, a)) {
            return operate(c, FF_OP_SUBTRACT, b, x->with[0], 0);
        }
        break;
    case FF_OP_SUBTRACT:
        if (is_number(c, b, 0)) {
            return a;
        }
        if (is_negation(c, b)) {
            return operate(c, FF_OP_ADD, a, y->with[0], 0);
        }
        break;
    case FF_OP_MULTIPLY:
        if (is_number(c, b, 1)) {
            return a;
        }
        if (is_number(c, a, 1)) {
            return b;
        }
        break;
    case FF_OP_DIVIDE:
        if (is_constant(c, b) && divides_exactly(y->number)) {
            return operate(c, FF_OP_MULTIPLY, a, constant(c, 1 / y->number), 0);
        }
        break;
    case FF_OP_POWER:
        if (is_constant(c, b)) {
            return power(c, a, y->number);
        }
        break;
    case FF_OP_SELECT:
        if (is_constant(c, a) && !isnan(x->number)) {
            return x->number == 0 ? third : b;
        }
        break;
    default: break;
    }
    /* addition and multiplication are commutative: use one order so that common expressions are found */
    if ((op == FF_OP_ADD || op == FF_OP_MULTIPLY) && a > b) {
        uint32_t swapped = a;
        a = b;
        b = swapped;
    }
    return add(c, (value){.kind = value_result,
                          .op = op,
                          .with = {a, count > 1 ? b : 0, count > 2 ? third : 0}});
}

/* ---- nodes ---- */

/* component i of the value of a node; scalars are repeated as needed */
static uint32_t item(const compiler *c, ff_expr e, size_t i) {
    return c->items[c->first[e] + (c->lengths[e] > 1 ? i : 0)];
}

static uint32_t argument(const compiler *c, ff_expr e, size_t which, size_t i) {
    return item(c, ff_expr_argument(c->pool, e, which), i);
}

static uint32_t argument_length(const compiler *c, ff_expr e, size_t which) {
    return c->lengths[ff_expr_argument(c->pool, e, which)];
}

/* component of a name: a constant or an input */
static uint32_t name_item(compiler *c, const char *text, size_t i) {
    const ff_expr_name_def *def = ff_expr_scope_name(c->scope, text);
    if (def->value) {
        return constant(c, def->value[i]);
    }
    uint32_t input = 0;
    for (const ff_expr_name_def *before = c->scope->names; before != def; before++) {
        input += before->value ? 0 : before->length > 1 ? before->length : 1;
    }
    return add(c, (value){.kind = value_input, .with = {input + (uint32_t)i}});
}

static uint32_t dot(compiler *c, ff_expr e, size_t a, size_t b) {
    uint32_t sum = 0;
    for (size_t i = 0; i < argument_length(c, e, a); i++) {
        uint32_t product =
            operate(c, FF_OP_MULTIPLY, argument(c, e, a, i), argument(c, e, b, i), 0);
        sum = i == 0 ? product : operate(c, FF_OP_ADD, sum, product, 0);
    }
    return sum;
}

static uint32_t call_item(compiler *c, ff_expr e, const ff_expr_node *node, size_t i) {
    const ff_function *f = ff_function_find(node->text);
    uint32_t a = argument(c, e, 0, i), result = a;
    switch (f->rule) {
    case FF_RULE_DOT: return dot(c, e, 0, 1);
    case FF_RULE_NORM: return operate(c, FF_OP_SQRT, dot(c, e, 0, 0), 0, 0);
    case FF_RULE_IF: return operate(c, FF_OP_SELECT, a, argument(c, e, 1, i), argument(c, e, 2, i));
    default: break;
    }
    if (operand_counts[f->op] == 1) {
        return operate(c, f->op, a, 0, 0);
    }
    for (size_t j = 1; j < node->count; j++) {
        result = operate(c, f->op, result, argument(c, e, j, i), 0);
    }
    return result;
}

static uint32_t binary_item(compiler *c, ff_expr e, ff_expr_kind kind, size_t i) {
    static const ff_op ops[] = {[FF_EXPR_ADD] = FF_OP_ADD,
                                [FF_EXPR_SUBTRACT] = FF_OP_SUBTRACT,
                                [FF_EXPR_MULTIPLY] = FF_OP_MULTIPLY,
                                [FF_EXPR_DIVIDE] = FF_OP_DIVIDE,
                                [FF_EXPR_POWER] = FF_OP_POWER,
                                [FF_EXPR_LESS] = FF_OP_LESS,
                                [FF_EXPR_GREATER] = FF_OP_LESS,
                                [FF_EXPR_LESS_EQUAL] = FF_OP_LESS_EQUAL,
                                [FF_EXPR_EQUAL] = FF_OP_EQUAL,
                                [FF_EXPR_GREATER_EQUAL] = FF_OP_LESS_EQUAL,
                                [FF_EXPR_NOT_EQUAL] = FF_OP_NOT_EQUAL};
    bool turned = kind == FF_EXPR_GREATER || kind == FF_EXPR_GREATER_EQUAL;
    return operate(c, ops[kind], argument(c, e, turned, i), argument(c, e, !turned, i), 0);
}

static uint32_t node_item(compiler *c, ff_expr e, const ff_expr_node *node, size_t i) {
    switch (node->kind) {
    case FF_EXPR_NUMBER:
    case FF_EXPR_QUANTITY: return constant(c, node->value);
    case FF_EXPR_NAME: return name_item(c, node->text, i);
    case FF_EXPR_NEGATE: return operate(c, FF_OP_NEGATE, argument(c, e, 0, i), 0, 0);
    case FF_EXPR_CALL: return call_item(c, e, node, i);
    case FF_EXPR_VECTOR: return argument(c, e, i, 0);
    case FF_EXPR_ITEM: return argument(c, e, 0, (size_t)node->value);
    default: return binary_item(c, e, node->kind, i);
    }
}

/* lengths were checked before */
static uint32_t node_length(const compiler *c, ff_expr e, const ff_expr_node *node) {
    switch (node->kind) {
    case FF_EXPR_NAME: {
        unsigned length = ff_expr_scope_name(c->scope, node->text)->length;
        return length > 1 ? length : 1;
    }
    case FF_EXPR_NEGATE: return argument_length(c, e, 0);
    case FF_EXPR_ADD:
    case FF_EXPR_SUBTRACT:
    case FF_EXPR_MULTIPLY:
    case FF_EXPR_DIVIDE: {
        uint32_t a = argument_length(c, e, 0), b = argument_length(c, e, 1);
        return a > b ? a : b;
    }
    case FF_EXPR_CALL:
        return ff_function_find(node->text)->rule == FF_RULE_IF ? argument_length(c, e, 1) : 1;
    case FF_EXPR_VECTOR: return node->count;
    default: return 1;
    }
}

static bool visit(const ff_expr_pool *pool, ff_expr e, void *user) {
    compiler *c = user;
    const ff_expr_node *node = ff_expr_at(pool, e);
    if (c->lengths[node->same] > 0) {
        c->first[e] = c->first[node->same];
        c->lengths[e] = c->lengths[node->same];
        return true;
    }
    uint32_t length = node_length(c, e, node);
    if (!grow((void **)&c->items, c->item_count + length, &c->item_room, sizeof *c->items)) {
        c->good = false;
    }
    for (size_t i = 0; c->good && i < length; i++) {
        c->items[c->item_count + i] = node_item(c, e, node, i);
    }
    c->first[e] = c->first[node->same] = (uint32_t)c->item_count;
    c->lengths[e] = c->lengths[node->same] = length;
    c->item_count += length;
    return c->good;
}

/* ---- the tape ---- */

/* counts the uses of what an output needs; operands come before their users */
static void need(compiler *c, size_t *top, uint32_t v, uint32_t group) {
    c->values[v].uses++;
    if (c->values[v].group == 0) {
        c->values[v].group = group;
        *top = v + 1 > *top ? v + 1 : *top;
    }
}

static void mark_group(compiler *c, const uint32_t *outputs, size_t count, uint32_t group) {
    size_t top = 0;
    for (size_t i = 0; i < count; i++) {
        need(c, &top, outputs[i], group);
    }
    for (size_t v = top; v-- > 0;) {
        if (c->values[v].kind == value_result && c->values[v].group == group) {
            for (int i = 0; i < operand_counts[c->values[v].op]; i++) {
                need(c, &top, c->values[v].with[i], group);
            }
        }
    }
}

/* whether an operation can be merged into its only user */
static bool can_be_inside(const compiler *c, uint32_t v, const value *user) {
    const value *x = &c->values[v];
    return x->kind == value_result && x->uses == 1 && x->group == user->group && !x->inside &&
           (x->op == FF_OP_ADD || x->op == FF_OP_SUBTRACT || x->op == FF_OP_MULTIPLY);
}

/* merges two operations into one step; users come first, so that chains are split into pairs from the end */
static void join_pairs(compiler *c) {
    static const ff_op first[][3] = {
        /* indexed by the inner operation: add, subtract, multiply */
        [FF_OP_ADD] = {FF_OP_ADD_ADD, FF_OP_SUBTRACT_ADD, FF_OP_MULTIPLY_ADD},
        [FF_OP_SUBTRACT] = {FF_OP_ADD_SUBTRACT, FF_OP_SUBTRACT_SUBTRACT, FF_OP_MULTIPLY_SUBTRACT},
        [FF_OP_MULTIPLY] = {FF_OP_ADD_MULTIPLY, FF_OP_SUBTRACT_MULTIPLY, FF_OP_MULTIPLY_MULTIPLY},
        [FF_OP_DIVIDE] = {FF_OP_ADD_DIVIDE, FF_OP_SUBTRACT_DIVIDE, FF_OP_MULTIPLY_DIVIDE},
    };
    static const ff_op second[][3] = {
        [FF_OP_SUBTRACT] = {FF_OP_FROM_ADD, FF_OP_FROM_SUBTRACT, FF_OP_FROM_MULTIPLY},
        [FF_OP_DIVIDE] = {FF_OP_BY_ADD, FF_OP_BY_SUBTRACT, FF_OP_BY_MULTIPLY},
    };
    for (size_t v = c->count; v-- > 0;) {
        value *x = &c->values[v];
        if (x->kind != value_result || x->group == 0 || x->inside || x->op < FF_OP_ADD ||
            x->op > FF_OP_DIVIDE) {
            continue;
        }
        bool turned = x->op == FF_OP_ADD || x->op == FF_OP_MULTIPLY;
        for (int side = 0; side < 2; side++) {
            value *inner = &c->values[x->with[side]];
            if (!can_be_inside(c, x->with[side], x)) {
                continue;
            }
            uint32_t other = x->with[!side];
            x->op = (side == 0 || turned ? first : second)[x->op][inner->op - FF_OP_ADD];
            x->with[0] = inner->with[0];
            x->with[1] = inner->with[1];
            x->with[2] = other;
            inner->inside = true;
            break;
        }
    }
}

static bool is_step(const value *v) {
    return v->kind == value_result && v->group > 0 && !v->inside;
}

/* indices in `work`: inputs, constants, the first `ordered` outputs, other results */
static void give_places(compiler *c, const uint32_t *outputs, size_t ordered, ff_tape *t) {
    size_t place = t->input_count;
    for (size_t v = 0; v < c->count; v++) {
        value *x = &c->values[v];
        if (x->kind == value_input) {
            x->place = x->with[0];
        } else if (x->kind == value_constant && x->group > 0) {
            x->place = (uint32_t)place++;
            t->constants[t->constant_count++] = x->number;
        }
    }
    for (size_t i = 0; i < ordered; i++) {
        value *x = &c->values[outputs[i]];
        t->places[i] = place++;
        /* no result is at index 0, which is the first operand */
        x->place = is_step(x) && x->place == 0 ? (uint32_t)t->places[i] : x->place;
    }
    for (size_t v = 0; v < c->count; v++) {
        value *x = &c->values[v];
        x->place = is_step(x) && x->place == 0 ? (uint32_t)place++ : x->place;
    }
    for (size_t i = ordered; i < t->output_count; i++) {
        t->places[i] = c->values[outputs[i]].place;
    }
    t->room = place > 0 ? place : 1;
}

/* The steps of a group, and copies of outputs to their places; returns their number. */
static size_t make_group(const compiler *c, uint32_t group, const uint32_t *outputs,
                         const size_t *places, size_t count, ff_raw_step *steps) {
    ff_raw_step *step = steps;
    uint32_t before = UINT32_MAX; /* where the result of the previous step is */
    for (size_t v = 0; v < c->count; v++) {
        const value *x = &c->values[v];
        if (!is_step(x) || x->group != group) {
            continue;
        }
        *step = (ff_raw_step){.op = x->op, .to = x->place};
        for (int i = operand_counts[x->op]; i-- > 0;) {
            step->with[i] = c->values[x->with[i]].place;
            step->last = step->with[i] == before ? (uint32_t)i + 1 : step->last;
        }
        before = x->place;
        step++;
    }
    for (size_t i = 0; i < count; i++) {
        const uint32_t from = c->values[outputs[i]].place;
        if (from != places[i]) {
            *step++ = (ff_raw_step){.op = FF_OP_COPY, .with = {from}, .to = (uint32_t)places[i]};
        }
    }
    return (size_t)(step - steps);
}

/* Hashes the steps of a group, including its end. */
static uint64_t hash_group(uint64_t h, const ff_raw_step *steps, size_t count) {
    h = FF_HASH(h, count);
    for (size_t i = 0; i < count; i++) {
        const ff_raw_step *s = &steps[i];
        h = FF_HASH(FF_HASH(FF_HASH(h, s->op), s->with), s->to);
    }
    return h;
}

static size_t count_inputs(const ff_expr_scope *scope) {
    size_t count = 0;
    for (size_t i = 0; i < scope->name_count; i++) {
        const ff_expr_name_def *def = &scope->names[i];
        count += def->value ? 0 : def->length > 1 ? def->length : 1;
    }
    return count;
}

static ff_tape *make_tape(compiler *c, const ff_expr *outputs, const size_t *counts,
                          size_t group_count, size_t ordered) {
    size_t output_count = 0, node = 0, at = 0;
    for (size_t g = 0; g < group_count; g++) {
        for (size_t i = 0; i < counts[g]; i++) {
            output_count += c->lengths[outputs[node++]];
        }
    }
    ff_tape *t = ff_calloc(1, sizeof *t);
    uint32_t *values = ff_malloc((output_count + 1) * sizeof *values);
    /* end of the outputs of each group */
    size_t *ends = ff_malloc((group_count + 1) * sizeof *ends);
    if (t) {
        t->raw = ff_malloc((c->count + output_count + 1) * sizeof *t->raw);
        t->group_ends = ff_malloc((group_count + 1) * sizeof *t->group_ends);
        t->steps = ff_malloc((c->count + output_count + group_count) * sizeof *t->steps);
        t->groups = ff_malloc(group_count * sizeof *t->groups);
        t->places = ff_malloc((output_count + 1) * sizeof *t->places);
        t->constants = ff_malloc((c->count + 1) * sizeof *t->constants);
    }
    if (!t || !values || !ends || !t->raw || !t->group_ends || !t->steps || !t->groups ||
        !t->places || !t->constants) {
        ff_free(values);
        ff_free(ends);
        ff_tape_free(t);
        return NULL;
    }
    t->group_count = group_count;
    t->output_count = output_count;
    t->input_count = count_inputs(c->scope);
    node = 0;
    for (size_t g = 0; g < group_count; g++) {
        size_t begin = at;
        for (size_t i = 0; i < counts[g]; i++, node++) {
            for (size_t j = 0; j < c->lengths[outputs[node]]; j++) {
                values[at++] = item(c, outputs[node], j);
            }
        }
        ends[g] = at;
        mark_group(c, values + begin, at - begin, (uint32_t)g + 1);
    }
    join_pairs(c);
    give_places(c, values, ordered > 0 ? ends[ordered - 1] : 0, t);
    ff_step *step = t->steps;
    t->version = ff_hash(FF_HASH_START, t->constants, t->constant_count * sizeof *t->constants);
    t->version = ff_hash(t->version, t->places, t->output_count * sizeof *t->places);
    at = 0;
    ff_raw_step *raw = t->raw;
    for (size_t g = 0; g < group_count; g++) {
        size_t count =
            make_group(c, (uint32_t)g + 1, values + at, t->places + at, ends[g] - at, raw);
        t->version = hash_group(t->version, raw, count);
        t->groups[g] = ff_group_make(raw, count, step);
        step += count + 1;
        raw += count;
        t->group_ends[g] = (size_t)(raw - t->raw);
        at = ends[g];
    }
    /* most tapes need a fraction of the room; a smaller block that cannot be had leaves the larger one */
    ff_raw_step *fitting = ff_realloc(t->raw, (size_t)(raw - t->raw + 1) * sizeof *raw);
    t->raw = fitting ? fitting : t->raw;
    for (size_t v = 0; v < c->count; v++) {
        t->step_count += is_step(&c->values[v]);
    }
    ff_free(values);
    ff_free(ends);
    return t;
}

/* functions that are only defined in the scope have no operation */
static ff_status refuse_functions(const ff_expr_pool *pool, const ff_expr *outputs, size_t count,
                                  const ff_expr_scope *scope, ff_expr_error *error) {
    ff_expr_scope bare = *scope;
    bare.function_count = 0;
    return ff_expr_check(pool, outputs, count, &bare, false, NULL, error);
}

ff_status ff_tape_compile(const ff_expr_pool *pool, const ff_expr *outputs, const size_t *counts,
                          size_t group_count, size_t ordered, const ff_expr_scope *scope,
                          ff_tape **out, ff_expr_error *error) {
    size_t nodes = ff_expr_pool_count(pool) + 1, count = 0;
    *out = NULL;
    for (size_t g = 0; g < group_count; g++) {
        count += counts[g];
    }
    ff_status status = refuse_functions(pool, outputs, count, scope, error);
    if (status < 0) {
        return status;
    }
    compiler c = {.pool = pool,
                  .scope = scope,
                  .first = ff_calloc(nodes, sizeof *c.first),
                  .lengths = ff_calloc(nodes, sizeof *c.lengths)};
    c.good = c.first && c.lengths;
    for (size_t i = 0; i < count && c.good; i++) {
        c.good = ff_expr_walk(pool, outputs[i], visit, &c);
    }
    if (c.good) {
        *out = make_tape(&c, outputs, counts, group_count, ordered);
    }
    ff_free(c.values);
    ff_free(c.table);
    ff_free(c.items);
    ff_free(c.first);
    ff_free(c.lengths);
    return *out ? FF_OK : FF_NO_MEMORY;
}

void ff_tape_free(ff_tape *tape) {
    if (tape) {
        ff_free(tape->steps);
        ff_free(tape->raw);
        ff_free(tape->group_ends);
        ff_free(tape->groups);
        ff_free(tape->places);
        ff_free(tape->constants);
        ff_free(tape);
    }
}

/* ---- execution ---- */

size_t ff_tape_inputs(const ff_tape *tape) { return tape->input_count; }
size_t ff_tape_outputs(const ff_tape *tape) { return tape->output_count; }
size_t ff_tape_length(const ff_tape *tape) { return tape->step_count; }
uint64_t ff_tape_version(const ff_tape *tape) { return tape->version; }
size_t ff_tape_room(const ff_tape *tape) { return tape->room; }
size_t ff_tape_place(const ff_tape *tape, size_t i) { return tape->places[i]; }

void ff_tape_begin(const ff_tape *tape, double *work) {
    memcpy(work + tape->input_count, tape->constants, tape->constant_count * sizeof *work);
}

void ff_tape_evaluate(const ff_tape *tape, const double *inputs, double *work, double *outputs) {
    ff_tape_begin(tape, work);
    if (tape->input_count) {
        memcpy(work, inputs, tape->input_count * sizeof *work);
    }
    for (size_t g = 0; g < tape->group_count; g++) {
        ff_tape_run(tape, g, work);
    }
    for (size_t i = 0; i < tape->output_count; i++) {
        outputs[i] = work[tape->places[i]];
    }
}

ff_status ff_expr_value(const ff_expr_pool *pool, ff_expr e, const ff_expr_scope *scope,
                        double *values, size_t length, ff_expr_error *error) {
    ff_tape *tape;
    ff_status status = ff_tape_compile(pool, &e, &(size_t){1}, 1, 0, scope, &tape, error);
    if (status < 0) {
        return status;
    }
    /* expressions without inputs were folded, so outputs are constants */
    for (size_t i = 0; i < length && i < tape->output_count; i++) {
        size_t place = tape->places[i] - tape->input_count;
        if (tape->places[i] < tape->input_count || place >= tape->constant_count) {
            snprintf(error->text, sizeof error->text, "this must be constant");
            error->column = ff_expr_at(pool, e)->column;
            status = FF_BAD_VALUE;
            break;
        }
        values[i] = tape->constants[place];
    }
    ff_tape_free(tape);
    return status;
}
