/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "control.h"
#include "expr/derive.h"
#include "expr/word.h"
#include "num/hash.h"
#include "num/memory.h"
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct owned {
    ff_control control;
    atomic_int owners;
} owned;

/* ---- freeing ---- */

static void free_program(ff_program *p) {
    ff_tape_free(p->tape);
    ff_free(p->reads);
}

static void free_numbers(ff_control_number *numbers, size_t count) {
    for (size_t i = 0; numbers && i < count; i++) {
        ff_free(numbers[i].path);
    }
    ff_free(numbers);
}

static void free_texts(char **texts, size_t count) {
    for (size_t i = 0; texts && i < count; i++) {
        ff_free(texts[i]);
    }
    ff_free(texts);
}

ff_control *ff_control_keep(ff_control *control) {
    if (control) {
        atomic_fetch_add(&((owned *)control)->owners, 1);
    }
    return control;
}

void ff_control_drop(ff_control *c) {
    if (!c || atomic_fetch_sub(&((owned *)c)->owners, 1) > 1) {
        return;
    }
    free_numbers(c->states, c->state_count);
    free_numbers(c->memories, c->memory_count);
    free_numbers(c->shown, c->shown_count);
    free_program(&c->flow);
    ff_free(c->acts);
    ff_free(c->branches);
    ff_free(c->slopes);
    for (size_t i = 0; c->samplers && i < c->sampler_count; i++) {
        free_program(&c->samplers[i].program);
        ff_free(c->samplers[i].targets);
    }
    for (size_t i = 0; c->reactions && i < c->reaction_count; i++) {
        free_program(&c->reactions[i].program);
        ff_free(c->reactions[i].targets);
    }
    for (size_t i = 0; c->events && i < c->event_count; i++) {
        free_program(&c->events[i]);
    }
    for (size_t i = 0; c->motions && i < c->motion_count; i++) {
        free_program(&c->motions[i].program);
    }
    ff_free(c->motions);
    for (size_t i = 0; c->drives && i < c->drive_count; i++) {
        free_program(&c->drives[i].program);
    }
    ff_free(c->drives);
    ff_free(c->samplers);
    ff_free(c->reactions);
    ff_free(c->events);
    free_texts(c->event_names, c->event_count);
    free_texts(c->contacts, c->contact_count);
    ff_free((owned *)c);
}

/* ---- kinks ---- */

/* Construction state, and rewritten expressions. */
typedef struct maker {
    const ff_draft *draft;
    ff_control *out;
    ff_expr_error *error;
    /* names of the draft, followed by those of branches */
    ff_expr_name_def *names;
    ff_signal *signals;
    size_t name_count, name_room;
    char (*branch_names)[16];
    ff_expr *arguments; /* arguments of the branches */
    ff_branch *branches;
    size_t branch_count, branch_room;
    ff_expr *map; /* rewritten expression of each node */
    bool moves;   /* an expression changes between samples and events */
} maker;

static ff_status no_memory(const maker *m) {
    snprintf(m->error->text, sizeof m->error->text, "%s", ff_status_text(FF_NO_MEMORY));
    return FF_NO_MEMORY;
}

static size_t find_name(const maker *m, const char *name) {
    size_t i = 0;
    while (i < m->name_count && strcmp(m->names[i].name, name) != 0) {
        i++;
    }
    return i;
}

/* Whether a signal changes continuously. */
static bool flows(const ff_signal *s) {
    return s->kind != FF_SIGNAL_MEMORY && s->kind != FF_SIGNAL_BRANCH &&
           !(s->kind == FF_SIGNAL_CONTACT && s->part == FF_CONTACT_TOUCHING);
}

static bool note_move(const ff_expr_pool *pool, ff_expr e, void *user) {
    maker *m = user;
    const ff_expr_node *node = ff_expr_at(pool, e);
    if (node->kind == FF_EXPR_NAME) {
        size_t i = find_name(m, node->text);
        m->moves = m->moves || (i < m->name_count && !m->names[i].value && flows(&m->signals[i]));
    }
    return true;
}

/* The name of the side of an argument; 0 if out of memory. */
static ff_expr side_of(maker *m, ff_expr argument, bool equal, bool whole) {
    size_t k = 0;
    if (!argument) {
        return 0;
    }
    while (k < m->branch_count &&
           !(ff_expr_same(m->draft->pool, m->arguments[k], argument) &&
             m->branches[k].equal == equal && m->branches[k].whole == whole)) {
        k++;
    }
    if (k == m->branch_count) {
        if (m->branch_count == m->branch_room || m->name_count == m->name_room) {
            return 0;
        }
        m->arguments[k] = argument;
        m->branches[k] = (ff_branch){equal, whole};
        snprintf(m->branch_names[k], sizeof m->branch_names[k], "#%zu", k);
        m->names[m->name_count] =
            (ff_expr_name_def){.name = m->branch_names[k], .measure = FF_MEASURE_FREE};
        m->signals[m->name_count++] = (ff_signal){FF_SIGNAL_BRANCH, k, 0, 1};
        m->branch_count++;
    }
    return ff_expr_path(m->draft->pool, m->branch_names[k]);
}

static ff_expr difference(maker *m, ff_expr a, ff_expr b) {
    return ff_expr_binary(m->draft->pool, FF_EXPR_SUBTRACT, a, b);
}

static ff_expr choose(maker *m, ff_expr side, ff_expr a, ff_expr b) {
    return ff_expr_call(m->draft->pool, "if", (ff_expr[]){side, a, b}, 3);
}

/* max(a, b, c) is max(max(a, b), c); of equal ones the first */
static ff_expr extreme(maker *m, const ff_expr *a, size_t count, bool most) {
    ff_expr best = a[0];
    for (size_t i = 1; i < count; i++) {
        ff_expr side =
            side_of(m, most ? difference(m, best, a[i]) : difference(m, a[i], best), false, false);
        best = choose(m, side, a[i], best);
    }
    return best;
}

/* Rewrites an expression with kinks or jumps as a smooth one in which the sides are named constants. `a`: its rewritten
 * arguments. */
static ff_expr smooth(maker *m, ff_expr e, const ff_expr_node *node, const ff_expr *a) {
    ff_expr_pool *pool = m->draft->pool;
    const bool call = node->kind == FF_EXPR_CALL;
    const char *f = call ? node->text : "";
    const bool kink = call ? strcmp(f, "abs") == 0 || strcmp(f, "sign") == 0 ||
                                 strcmp(f, "min") == 0 || strcmp(f, "max") == 0 ||
                                 strcmp(f, "floor") == 0 || strcmp(f, "ceil") == 0
                           : node->kind >= FF_EXPR_LESS && node->kind <= FF_EXPR_GREATER_EQUAL;
    m->moves = false;
    if (kink && !ff_expr_walk(pool, e, note_move, m)) {
        return 0;
    }
    if (m->moves) {
        switch (node->kind) {
        case FF_EXPR_LESS: return side_of(m, difference(m, a[0], a[1]), false, false);
        case FF_EXPR_LESS_EQUAL: return side_of(m, difference(m, a[0], a[1]), true, false);
        case FF_EXPR_GREATER: return side_of(m, difference(m, a[1], a[0]), false, false);
        case FF_EXPR_GREATER_EQUAL: return side_of(m, difference(m, a[1], a[0]), true, false);
        default: break;
        }
        if (strcmp(f, "abs") == 0) {
            return choose(m, side_of(m, a[0], false, false), ff_expr_negate(pool, a[0]), a[0]);
        }
        if (strcmp(f, "sign") == 0) {
            return difference(m, side_of(m, ff_expr_negate(pool, a[0]), false, false),
                              side_of(m, a[0], false, false));
        }
        if (strcmp(f, "min") == 0 || strcmp(f, "max") == 0) {
            return extreme(m, a, node->count, f[1] == 'a');
        }
        if (strcmp(f, "floor") == 0) {
            return side_of(m, a[0], false, true);
        }
        if (strcmp(f, "ceil") == 0) {
            return ff_expr_negate(pool, side_of(m, ff_expr_negate(pool, a[0]), false, true));
        }
    }
    bool same = true;
    for (uint32_t i = 0; i < node->count; i++) {
        same = same && a[i] == ff_expr_argument(pool, e, i);
    }
    return same ? e : ff_expr_make(pool, *node, a);
}

static bool visit(const ff_expr_pool *pool, ff_expr e, void *user) {
    maker *m = user;
    const ff_expr_node node = *ff_expr_at(pool, e);
    ff_expr few[FF_EXPR_ITEMS], *a = few;
    if (node.count > FF_EXPR_ITEMS && !(a = ff_malloc(node.count * sizeof *a))) {
        return false;
    }
    for (uint32_t i = 0; i < node.count; i++) {
        a[i] = m->map[ff_expr_argument(pool, e, i)];
    }
    m->map[e] = smooth(m, e, &node, a);
    if (a != few) {
        ff_free(a);
    }
    return m->map[e];
}

/* ---- programs ---- */

/* The names used by some expressions, as a separate scope: constants, and signals as inputs. */
typedef struct uses {
    const maker *m;
    bool *used;
} uses;

static bool note_use(const ff_expr_pool *pool, ff_expr e, void *user) {
    uses *u = user;
    const ff_expr_node *node = ff_expr_at(pool, e);
    if (node->kind == FF_EXPR_NAME) {
        size_t i = find_name(u->m, node->text);
        if (i < u->m->name_count) {
            u->used[i] = true;
        }
    }
    return true;
}

static ff_status compile(maker *m, const ff_expr *outputs, const size_t *counts, size_t groups,
                         ff_program *out) {
    size_t total = 0, used = 0;
    for (size_t g = 0; g < groups; g++) {
        total += counts[g];
    }
    if (total == 0) {
        return FF_OK;
    }
    uses u = {m, ff_calloc(m->name_count + 1, sizeof *u.used)};
    ff_expr_name_def *names = ff_malloc((m->name_count + 1) * sizeof *names);
    out->reads = ff_malloc((m->name_count + 1) * sizeof *out->reads);
    ff_status status = u.used && names && out->reads ? FF_OK : no_memory(m);
    for (size_t i = 0; i < total && status == FF_OK; i++) {
        status = ff_expr_walk(m->draft->pool, outputs[i], note_use, &u) ? FF_OK : no_memory(m);
    }
    for (size_t i = 0; i < m->name_count && status == FF_OK; i++) {
        if (u.used[i]) {
            names[used++] = m->names[i];
            if (!m->names[i].value) {
                out->reads[out->read_count++] = m->signals[i];
            }
        }
    }
    if (status == FF_OK) {
        const ff_expr_scope scope = {names, used, NULL, 0};
        status = ff_tape_compile(m->draft->pool, outputs, counts, groups, 0, &scope, &out->tape,
                                 m->error);
    }
    if (status == FF_OK) {
        out->work_at = m->out->room;
        m->out->room += ff_tape_room(out->tape);
        m->out->version = FF_HASH(m->out->version, (uint64_t[]){ff_tape_version(out->tape)});
        for (size_t i = 0; i < out->read_count; i++) {
            const uint64_t read[] = {out->reads[i].kind, out->reads[i].thing, out->reads[i].part};
            m->out->version = FF_HASH(m->out->version, read);
        }
    }
    ff_free(u.used);
    ff_free(names);
    return status;
}

static bool add_target(maker *m, ff_target *to, size_t i, ff_target is) {
    to[i] = is;
    m->out->version = FF_HASH(m->out->version, ((uint64_t[]){is.kind, is.at}));
    return true;
}

/* Compiles the assignments of a sample or an event. */
static ff_status make_block(maker *m, const ff_draft_block *block, ff_program *program,
                            ff_target **targets, size_t *count) {
    ff_expr *all = ff_malloc((block->count + 1) * sizeof *all);
    *targets = ff_malloc((block->count + 1) * sizeof **targets);
    *count = block->count;
    m->out->room_out = block->count > m->out->room_out ? block->count : m->out->room_out;
    ff_status status = all && *targets ? FF_OK : no_memory(m);
    for (size_t i = 0; i < block->count && status == FF_OK; i++) {
        all[i] = block->values[i].is;
        add_target(m, *targets, i, block->values[i].to);
    }
    status = status < 0 ? status : compile(m, all, count, 1, program);
    ff_free(all);
    return status;
}

static ff_status copy_numbers(maker *m, const ff_draft_number *from, size_t count,
                              ff_control_number **to, size_t *to_count) {
    *to = ff_calloc(count + 1, sizeof **to);
    if (!*to) {
        return no_memory(m);
    }
    *to_count = count;
    for (size_t i = 0; i < count; i++) {
        ff_control_number *n = &(*to)[i];
        n->path = ff_word_copy(from[i].path);
        memcpy(n->unit, from[i].unit, sizeof n->unit);
        n->start = from[i].start;
        n->scale = from[i].scale;
        m->out->version = FF_HASH(m->out->version, ((double[]){n->start, n->scale}));
        if (!n->path) {
            return no_memory(m);
        }
    }
    return FF_OK;
}

/* ---- derivatives ---- */

/* Derivatives of commands and rates with respect to the states they may depend on. Contacts, time and discrete numbers are
 * left out. */
static ff_status find_slopes(maker *m, const ff_expr *acts, ff_expr **out, size_t *count) {
    const ff_draft *d = m->draft;
    const size_t outputs = d->act_count;
    size_t room = 0;
    *out = NULL;
    *count = 0;
    for (size_t i = 0; i < m->name_count; i++) {
        const ff_signal *s = &m->signals[i];
        if (m->names[i].value || !flows(s) || s->kind == FF_SIGNAL_TIME ||
            s->kind == FF_SIGNAL_CONTACT) {
            continue;
        }
        for (size_t c = 0; c < s->width; c++) {
            ff_expr unit[FF_EXPR_ITEMS], rate;
            for (size_t k = 0; k < s->width; k++) {
                unit[k] = ff_expr_number(d->pool, k == c);
            }
            rate = s->width > 1 ? ff_expr_vector(d->pool, unit, s->width) : unit[0];
            for (size_t o = 0; o < outputs; o++) {
                if (!rate) {
                    return no_memory(m);
                }
                if (!ff_expr_has(d->pool, acts[o], m->names[i].name)) {
                    continue;
                }
                const char *name = m->names[i].name;
                ff_expr slope = ff_expr_rate(d->pool, acts[o], &name, &rate, 1, m->error);
                if (!slope) {
                    return ff_expr_pool_status(d->pool) == FF_BAD_VALUE ? FF_BAD_VALUE
                                                                        : FF_NO_MEMORY;
                }
                const ff_expr_node *node = ff_expr_at(d->pool, slope);
                if (node->kind == FF_EXPR_NUMBER && node->value == 0) {
                    continue;
                }
                if (*count == room) {
                    room = room ? 2 * room : 32;
                    ff_expr *grown = ff_realloc(*out, room * sizeof *grown);
                    *out = grown ? grown : *out;
                    ff_slope *more = grown ? ff_realloc(m->out->slopes, room * sizeof *more) : NULL;
                    if (!more) {
                        return no_memory(m);
                    }
                    m->out->slopes = more;
                }
                m->out->slopes[*count] = (ff_slope){o, {s->kind, s->thing, s->part + c, 1}};
                (*out)[(*count)++] = slope;
            }
        }
    }
    m->out->slope_count = *count;
    return FF_OK;
}

/* Compiles the continuous part, with its kinks made smooth. */
static ff_status make_flow(maker *m) {
    const ff_draft *d = m->draft;
    ff_control *out = m->out;
    size_t slope_count = 0;
    ff_expr *slopes = NULL, *acts = ff_calloc(d->act_count + 1, sizeof *acts), *all = NULL;
    out->acts = ff_malloc((d->act_count + 1) * sizeof *out->acts);
    ff_status status = acts && out->acts ? FF_OK : no_memory(m);
    for (size_t i = 0; i < d->act_count && status == FF_OK; i++) {
        const ff_expr e = d->acts[i].is;
        m->map = ff_calloc((size_t)e + 1, sizeof *m->map);
        bool good = m->map && ff_expr_walk(d->pool, e, visit, m);
        acts[i] = good ? m->map[e] : 0;
        ff_free(m->map);
        if (m->branch_count == m->branch_room) {
            snprintf(m->error->text, sizeof m->error->text,
                     "expressions of forces and rates bend or jump in more than %zu places",
                     m->branch_room - 1);
            status = FF_BAD_VALUE;
        } else if (!acts[i]) {
            status = no_memory(m);
        }
        add_target(m, out->acts, out->act_count++, d->acts[i].to);
    }
    status = status < 0 ? status : find_slopes(m, acts, &slopes, &slope_count);
    const size_t counts[FF_FLOW_GROUPS] = {d->act_count, m->branch_count, slope_count,
                                           d->shown_count};
    size_t total = d->act_count + m->branch_count + slope_count + d->shown_count, at = 0;
    if (status == FF_OK && !(all = ff_malloc((total + 1) * sizeof *all))) {
        status = no_memory(m);
    }
    if (status == FF_OK) {
        for (size_t i = 0; i < d->act_count; i++) {
            all[at++] = acts[i];
        }
        for (size_t i = 0; i < m->branch_count; i++) {
            all[at++] = m->arguments[i];
        }
        for (size_t i = 0; i < slope_count; i++) {
            all[at++] = slopes[i];
        }
        for (size_t i = 0; i < d->shown_count; i++) {
            all[at++] = d->shown[i].is;
        }
        status = compile(m, all, counts, FF_FLOW_GROUPS, &out->flow);
    }
    if (status == FF_OK) {
        out->branch_count = m->branch_count;
        out->branches = ff_malloc((m->branch_count + 1) * sizeof *out->branches);
        status = out->branches ? FF_OK : no_memory(m);
    }
    if (status == FF_OK) {
        memcpy(out->branches, m->branches, m->branch_count * sizeof *out->branches);
        out->held = true;
        for (size_t i = 0; i < out->act_count; i++) {
            out->held = out->held && out->acts[i].kind == FF_TARGET_COMMAND;
        }
        for (size_t i = 0; i < out->flow.read_count; i++) {
            const ff_signal *s = &out->flow.reads[i];
            out->held = out->held && s->kind == FF_SIGNAL_MEMORY;
            out->timed = out->timed || s->kind == FF_SIGNAL_TIME;
            out->reads_contact = out->reads_contact || (s->kind == FF_SIGNAL_CONTACT && flows(s));
        }
    }
    ff_free(all);
    ff_free(slopes);
    ff_free(acts);
    return status;
}

/* d/dt of an expression of t; 0 with the status if it has none. */
static ff_expr rate_of(maker *m, ff_expr is, ff_status *status) {
    ff_expr_pool *pool = m->draft->pool;
    const ff_expr one = ff_expr_number(pool, 1);
    const char *t = "t";
    const ff_expr out = one ? ff_expr_rate(pool, is, &t, &one, 1, m->error) : 0;
    if (!out) {
        *status = ff_expr_pool_status(pool) == FF_BAD_VALUE ? FF_BAD_VALUE : no_memory(m);
    }
    return out;
}

/* Compiles a prescribed motion and its rate. */
static ff_status make_motion(maker *m, const ff_draft_motion *draft, ff_plane_motion *out) {
    const size_t count = 6;
    ff_expr all[6];
    ff_status status = FF_OK;
    out->plane = draft->plane;
    m->out->version = FF_HASH(m->out->version, out->plane);
    for (int c = 0; c < 3 && status == FF_OK; c++) {
        all[c] = draft->is[c];
        all[3 + c] = rate_of(m, all[c], &status);
    }
    return status < 0 ? status : compile(m, all, &count, 1, &out->program);
}

/* Compiles a prescribed coordinate, its rate and its second rate. */
static ff_status make_drive(maker *m, const ff_draft_drive *draft, ff_joint_motion *out) {
    const size_t count = 3;
    ff_expr all[3] = {draft->is};
    ff_status status = FF_OK;
    out->joint = draft->joint;
    out->coordinate = draft->coordinate;
    m->out->version =
        FF_HASH(m->out->version, ((uint64_t[]){out->joint, (uint64_t)out->coordinate}));
    for (int k = 1; k < 3 && status == FF_OK; k++) {
        all[k] = rate_of(m, all[k - 1], &status);
    }
    return status < 0 ? status : compile(m, all, &count, 1, &out->program);
}

/* Evaluates the outputs of a program that depends only on time. */
static void run_law(const ff_program *program, double t, double *out, size_t count) {
    const ff_tape *tape = program->tape;
    /* prescribed motions are a few operations: their work memory is initialised at each call */
    double work[ff_tape_room(tape) + 1];
    ff_tape_begin(tape, work);
    work[0] = program->read_count > 0 ? t : work[0];
    ff_tape_run(tape, 0, work);
    for (size_t i = 0; i < count; i++) {
        out[i] = work[ff_tape_place(tape, i)];
    }
}

void ff_plane_motion_at(const ff_plane_motion *motion, double t, double out[6]) {
    run_law(&motion->program, t, out, 6);
}

void ff_joint_motion_at(const ff_joint_motion *motion, double t, double out[3]) {
    run_law(&motion->program, t, out, 3);
}

/* ---- all together ---- */

static ff_status make(maker *m) {
    const ff_draft *d = m->draft;
    ff_control *out = m->out;
    ff_status status = copy_numbers(m, d->states, d->state_count, &out->states, &out->state_count);
    status = status < 0 ? status
                        : copy_numbers(m, d->memories, d->memory_count, &out->memories,
                                       &out->memory_count);
    status = status < 0 ? status
                        : copy_numbers(m, d->shown, d->shown_count, &out->shown, &out->shown_count);
    status = status < 0 ? status : make_flow(m);
    out->samplers = ff_calloc(d->sampler_count + 1, sizeof *out->samplers);
    out->reactions = ff_calloc(d->reaction_count + 1, sizeof *out->reactions);
    out->events = ff_calloc(d->event_count + 1, sizeof *out->events);
    out->event_names = ff_calloc(d->event_count + 1, sizeof *out->event_names);
    out->contacts = ff_calloc(d->contact_count + 1, sizeof *out->contacts);
    if (status == FF_OK && (!out->samplers || !out->reactions || !out->events ||
                            !out->event_names || !out->contacts)) {
        status = no_memory(m);
    }
    for (size_t i = 0; i < d->sampler_count && status == FF_OK; i++) {
        ff_sample_group *s = &out->samplers[out->sampler_count++];
        s->every = d->samplers[i].every;
        out->version = FF_HASH(out->version, s->every);
        status = make_block(m, &d->samplers[i], &s->program, &s->targets, &s->count);
    }
    for (size_t i = 0; i < d->reaction_count && status == FF_OK; i++) {
        ff_reaction *r = &out->reactions[out->reaction_count++];
        r->kind = d->reactions[i].kind;
        r->thing = d->reactions[i].thing;
        r->way = d->reactions[i].way;
        out->version = FF_HASH(out->version, ((uint64_t[]){r->kind, r->thing, (uint64_t)r->way}));
        status = make_block(m, &d->reactions[i], &r->program, &r->targets, &r->count);
    }
    for (size_t i = 0; i < d->event_count && status == FF_OK; i++) {
        const size_t one = 1;
        out->event_names[i] = ff_word_copy(d->events[i].path);
        out->event_count++;
        status = out->event_names[i] ? compile(m, &d->events[i].is, &one, 1, &out->events[i])
                                     : no_memory(m);
    }
    out->motions = ff_calloc(d->motion_count + 1, sizeof *out->motions);
    status = status == FF_OK && !out->motions ? no_memory(m) : status;
    for (size_t i = 0; i < d->motion_count && status == FF_OK; i++) {
        out->timed = true;
        status = make_motion(m, &d->motions[i], &out->motions[out->motion_count++]);
    }
    out->drives = ff_calloc(d->drive_count + 1, sizeof *out->drives);
    status = status == FF_OK && !out->drives ? no_memory(m) : status;
    for (size_t i = 0; i < d->drive_count && status == FF_OK; i++) {
        out->timed = true;
        status = make_drive(m, &d->drives[i], &out->drives[out->drive_count++]);
    }
    for (size_t i = 0; i < d->contact_count && status == FF_OK; i++) {
        out->contacts[i] = ff_word_copy(d->contacts[i]);
        out->contact_count++;
        out->version = ff_hash_text(out->version, d->contacts[i]);
        status = out->contacts[i] ? FF_OK : no_memory(m);
    }
    return status;
}

ff_status ff_control_make(const ff_draft *draft, ff_control **out, ff_expr_error *error) {
    enum { BRANCHES_MOST = 1000 };
    owned *own = ff_calloc(1, sizeof *own);
    maker m = {.draft = draft, .error = error, .branch_room = BRANCHES_MOST};
    *out = NULL;
    *error = (ff_expr_error){0};
    m.name_count = draft->name_count;
    m.name_room = draft->name_count + BRANCHES_MOST;
    m.names = ff_malloc(m.name_room * sizeof *m.names);
    m.signals = ff_malloc(m.name_room * sizeof *m.signals);
    m.branch_names = ff_malloc(BRANCHES_MOST * sizeof *m.branch_names);
    m.arguments = ff_malloc(BRANCHES_MOST * sizeof *m.arguments);
    m.branches = ff_malloc(BRANCHES_MOST * sizeof *m.branches);
    ff_status status = FF_NO_MEMORY;
    if (own) {
        atomic_init(&own->owners, 1);
        m.out = &own->control;
        own->control.version = FF_HASH_START;
    }
    if (own && m.names && m.signals && m.branch_names && m.arguments && m.branches) {
        memcpy(m.names, draft->names, draft->name_count * sizeof *m.names);
        memcpy(m.signals, draft->signals, draft->name_count * sizeof *m.signals);
        status = make(&m);
    } else {
        no_memory(&m);
    }
    ff_free(m.names);
    ff_free(m.signals);
    ff_free(m.branch_names);
    ff_free(m.arguments);
    ff_free(m.branches);
    if (status < 0) {
        ff_control_drop(own ? &own->control : NULL);
        return status;
    }
    *out = &own->control;
    return FF_OK;
}

static void begin(const ff_program *p, double *work) {
    if (p->tape) {
        ff_tape_begin(p->tape, work + p->work_at);
    }
}

void ff_control_begin(const ff_control *c, double *work) {
    begin(&c->flow, work);
    for (size_t i = 0; i < c->sampler_count; i++) {
        begin(&c->samplers[i].program, work);
    }
    for (size_t i = 0; i < c->reaction_count; i++) {
        begin(&c->reactions[i].program, work);
    }
    for (size_t i = 0; i < c->event_count; i++) {
        begin(&c->events[i], work);
    }
}
