/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "inclusion.h"
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* The fields of an inclusion, in the order of traces:
 *    time
 *    states.NAME
 *    contacts.NAME.touching ...    of each dio
 *    frictions.NAME.slips ...      of each sgn
 *    outputs.NAME
 *    ledger.kinetic ... */

typedef struct entry {
    const char *name, *unit, *meaning;
    bool wide; /* as many numbers as the friction has dimensions */
} entry;

static const entry contact_entries[] = {{"touching", "1", "1: a force acts", false},
                                        {"gap", "m", "psi", false},
                                        {"force", "N", "force of the dio", false},
                                        {"e", "m", "first inner state of the law", false}};
static const entry friction_entries[] = {{"slips", "1", "1: friction is at its limit", false},
                                         {"slip", "m/s", "theta", true},
                                         {"force", "N", "force of the sgn", true},
                                         {"strength", "N", "chi", false},
                                         {"a", "m", "first inner state of the law", true}};
static const entry ledger_entries[] = {
#define ENTRY(name) {#name, "J", "account of the run", false},
    FF_LEDGER_LIST(ENTRY) ENTRY(initial) ENTRY(scale) ENTRY(residual)
#undef ENTRY
};

enum {
    CONTACT = sizeof contact_entries / sizeof *contact_entries,
    FRICTION = sizeof friction_entries / sizeof *friction_entries,
    LEDGER = sizeof ledger_entries / sizeof *ledger_entries
};

typedef enum { TIME, STATES, CONTACTS, FRICTIONS, OUTPUTS, ACCOUNTS, GROUPS } group;

static size_t size_of(const ff_inclusion_def *def, group g) {
    const size_t sizes[GROUPS] = {
        1,     def->states, CONTACT * def->dio_count, FRICTION * def->sgn_count, def->output_count,
        LEDGER};
    return sizes[g];
}

static size_t count(const ff_model *model) {
    const ff_inclusion_def *def = ff_model_inclusion(model);
    size_t sum = 0;
    for (int g = 0; g < GROUPS; g++) {
        sum += size_of(def, (group)g);
    }
    return sum;
}

/* The group of a field; *field becomes its index within the group. */
static group group_of(const ff_inclusion_def *def, size_t *field) {
    group g = TIME;
    while (*field >= size_of(def, g)) {
        *field -= size_of(def, g++);
    }
    return g;
}

static void put(ff_field *out, const char *folder, const char *owner, const char *name,
                const char *unit, size_t width, const char *meaning) {
    snprintf(out->path, sizeof out->path, "%s%s%s%s%s", folder, *folder ? "." : "", owner,
             *owner ? "." : "", name);
    snprintf(out->unit, sizeof out->unit, "%s", unit);
    out->kind = FF_FIELD_OUTPUT;
    out->width = width;
    out->meaning = meaning;
}

static void describe(const ff_model *model, size_t i, ff_field *out) {
    const ff_inclusion_def *def = ff_model_inclusion(model);
    const entry *e;
    switch (group_of(def, &i)) {
    case TIME:
        put(out, "", "", "time", "s", 1, "time");
        out->parts[0] = "s";
        break;
    case STATES:
        put(out, "states", "", def->names[i], def->units[i], 1, "state");
        out->kind = FF_FIELD_STATE;
        out->scale = def->scale[i];
        break;
    case CONTACTS:
        e = &contact_entries[i % CONTACT];
        put(out, "contacts", def->dios[i / CONTACT].name, e->name, e->unit, 1, e->meaning);
        break;
    case FRICTIONS:
        e = &friction_entries[i % FRICTION];
        put(out, "frictions", def->sgns[i / FRICTION].name, e->name, e->unit,
            e->wide ? (size_t)def->sgns[i / FRICTION].dimension : 1, e->meaning);
        break;
    case OUTPUTS:
        put(out, "outputs", "", def->outputs[i].name, def->outputs[i].unit, def->outputs[i].width,
            "output");
        break;
    default:
        e = &ledger_entries[i];
        put(out, "ledger", "", e->name, e->unit, 1, e->meaning);
        out->parts[0] = e->name;
    }
}

/* The list has a few hundred fields: linear search is sufficient. */
static size_t find(const ff_model *model, const char *path, size_t length) {
    const size_t all = count(model);
    for (size_t i = 0; i < all; i++) {
        ff_field f;
        describe(model, i, &f);
        if (strlen(f.path) == length && strncmp(f.path, path, length) == 0) {
            return i;
        }
    }
    return SIZE_MAX;
}

/* ---- values ---- */

static double account(const ff_ledger *l, size_t i) {
    const double values[LEDGER] = {
#define VALUE(name) l->name,
        FF_LEDGER_LIST(VALUE) VALUE(initial) VALUE(scale) VALUE(residual)
#undef VALUE
    };
    return values[i];
}

static double *put_contact(const ff_inclusion_view *v, size_t dio, size_t entry_at, double *to) {
    const double values[CONTACT] = {v->touching[dio], v->psi[dio], v->contact[dio], v->e[dio]};
    *to++ = values[entry_at];
    return to;
}

static double *put_friction(const ff_inclusion_def *def, const ff_inclusion_view *v, size_t sgn,
                            size_t entry_at, double *to) {
    const size_t width = (size_t)def->sgns[sgn].dimension;
    size_t at = 0;
    for (size_t i = 0; i < sgn; i++) {
        at += (size_t)def->sgns[i].dimension;
    }
    const double slips = v->slipping[sgn];
    const double *from[FRICTION] = {&slips, v->theta + at, v->friction + at, v->chi + sgn,
                                    v->a + at};
    const size_t n = friction_entries[entry_at].wide ? width : 1;
    memcpy(to, from[entry_at], n * sizeof *to);
    return to + n;
}

/* View, outputs and ledger are computed once. The ledger evaluates in the memory of the view and leaves the same values
 * there. */
static void get(ff_sim *sim, const size_t *fields, size_t n, double *values) {
    const ff_inclusion *inc = sim->own;
    const ff_inclusion_def *def = ff_model_inclusion(sim->model);
    const bool past = !isnan(sim->flow.seen_time);
    ff_inclusion_view view = ff_inclusion_at(sim);
    ff_ledger ledger;
    bool worked_out = false, closed = false;
    for (size_t k = 0; k < n; k++) {
        size_t i = fields[k], at = 0;
        switch (group_of(def, &i)) {
        case TIME: *values++ = past ? sim->flow.seen_time : ff_sim_time(sim); break;
        case STATES: *values++ = view.x[i]; break;
        case CONTACTS: values = put_contact(&view, i / CONTACT, i % CONTACT, values); break;
        case FRICTIONS:
            values = put_friction(def, &view, i / FRICTION, i % FRICTION, values);
            break;
        case OUTPUTS:
            if (!worked_out) {
                def->output(def->user, &view, inc->outputs);
                worked_out = true;
            }
            for (size_t o = 0; o < i; o++) {
                at += def->outputs[o].width;
            }
            memcpy(values, inc->outputs + at, def->outputs[i].width * sizeof *values);
            values += def->outputs[i].width;
            break;
        default:
            if (!closed) {
                ledger = ff_sim_ledger(sim);
                closed = true;
            }
            *values++ = account(&ledger, i);
        }
    }
}

const ff_field_source ff_inclusion_fields = {count, describe, find, get};
