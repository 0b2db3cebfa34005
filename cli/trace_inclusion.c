/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "trace_inclusion.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    const char *name, *unit;
    bool wide; /* of friction in a plane it has two numbers */
} entry;

static const entry contact_entries[] = {
    {"touching", "1", false}, {"gap", "m", false}, {"force", "N", false}, {"e", "m", false}};
static const entry friction_entries[] = {{"slips", "1", false},
                                         {"slip", "m/s", true},
                                         {"force", "N", true},
                                         {"strength", "N", false},
                                         {"a", "m", true}};
static const entry ledger_entries[] = {
#define ENTRY(name) {#name, "J", false},
    FF_LEDGER_LIST(ENTRY) ENTRY(residual)
#undef ENTRY
};

enum {
    CONTACT = sizeof contact_entries / sizeof *contact_entries,
    FRICTION = sizeof friction_entries / sizeof *friction_entries,
    LEDGER = sizeof ledger_entries / sizeof *ledger_entries
};

static void put_field(ff_field *out, const char *folder, const char *owner, const char *name,
                      const char *unit, size_t width) {
    *out = (ff_field){.kind = FF_FIELD_OUTPUT, .width = width};
    snprintf(out->path, sizeof out->path, "%s%s%s%s%s", folder, *folder ? "." : "", owner,
             *owner ? "." : "", name);
    snprintf(out->unit, sizeof out->unit, "%s", unit);
}

/* time, states, contacts, frictions, outputs, ledger */
static bool describe(const trace *t, size_t i, ff_field *out) {
    const ff_equations *s = t->of;
    const ff_inclusion_def *def = ff_equations_def(s);
    const size_t states = ff_equations_states(s), contacts = CONTACT * def->dio_count,
                 frictions = FRICTION * def->sgn_count, outputs = ff_equations_outputs(s);
    if (i == 0) {
        put_field(out, "", "", "time", "s", 1);
        out->parts[0] = "s";
        return true;
    }
    i--;
    if (i < states) {
        char units[FF_EQUATIONS_UNITS];
        ff_equations_state_units(s, i, units);
        put_field(out, "states", "", ff_equations_state_name(s, i), units, 1);
        return true;
    }
    i -= states;
    if (i < contacts) {
        const entry *e = &contact_entries[i % CONTACT];
        put_field(out, "contacts", def->dios[i / CONTACT].name, e->name, e->unit, 1);
        return true;
    }
    i -= contacts;
    if (i < frictions) {
        const entry *e = &friction_entries[i % FRICTION];
        put_field(out, "frictions", def->sgns[i / FRICTION].name, e->name, e->unit,
                  e->wide ? (size_t)def->sgns[i / FRICTION].dimension : 1);
        return true;
    }
    i -= frictions;
    if (i < outputs) {
        put_field(out, "outputs", "", ff_equations_output_name(s, i),
                  ff_equations_output_units(s, i), ff_equations_output_length(s, i));
        return true;
    }
    i -= outputs;
    if (i < LEDGER) {
        put_field(out, "ledger", "", ledger_entries[i].name, ledger_entries[i].unit, 1);
    }
    return i < LEDGER;
}

/* ---- rows ---- */

static double time_of(const trace *t) { return ff_sim_time(t->run); }

static void observe(trace *t, double time) { ff_sim_observe(t->run, time); }

static ff_ledger ledger(const trace *t) { return ff_sim_ledger(t->run); }

const char *trace_inclusion_force(const ff_inclusion_def *def, const ff_event *event) {
    if (event->kind == FF_STICK || event->kind == FF_SLIP) {
        return def->sgns[event->contact].name;
    }
    return event->kind <= FF_CLEAR ? def->dios[event->contact].name : NULL;
}

static const char *pair(const trace *t, const ff_event *event) {
    return trace_inclusion_force(ff_equations_def(t->of), event);
}

static void fill(trace *t) {
    /* outputs are worked out in the system */
    ff_equations *s = (ff_equations *)t->of;
    const ff_inclusion_def *def = ff_equations_def(s);
    ff_inclusion_view v = ff_inclusion_at(t->run);
    double *row = t->row + 1;
    memcpy(row, v.x, def->states * sizeof *row);
    row += def->states;
    for (size_t i = 0; i < def->dio_count; i++) {
        *row++ = v.touching[i];
        *row++ = v.psi[i];
        *row++ = v.contact[i];
        *row++ = v.e[i];
    }
    for (size_t i = 0, at = 0; i < def->sgn_count; i++) {
        const size_t width = (size_t)def->sgns[i].dimension, bytes = width * sizeof *row;
        *row = v.slipping[i];
        memcpy(row + 1, v.theta + at, bytes);
        memcpy(row + 1 + width, v.friction + at, bytes);
        row[1 + 2 * width] = v.chi[i];
        memcpy(row + 2 + 2 * width, v.a + at, bytes);
        row += 2 + 3 * width;
        at += width;
    }
    ff_equations_output_at(s, &v, row);
    for (size_t i = 0; i < ff_equations_outputs(s); i++) {
        row += ff_equations_output_length(s, i);
    }
    ff_ledger l = ff_sim_ledger(t->run);
#define VALUE(name) *row++ = l.name;
    FF_LEDGER_LIST(VALUE)
#undef VALUE
    *row = l.residual;
    t->energy = l.scale;
}

static const trace_kind inclusion = {describe, fill, time_of, observe, ledger, pair};

bool trace_init_inclusion(trace *t, ff_equations *s, ff_sim *inc,
                          const trace_choice *choice) {
    *t = (trace){.kind = &inclusion, .of = s, .run = inc, .choice = *choice};
    return trace_make(t);
}

/* ---- pictures ---- */

/* what a picture shows: a field of forces, or what has these units in a folder */
typedef struct {
    const char *folder, *name, *units;
} choice;

static bool chosen(const ff_field *field, const trace_words *words, size_t part, const void *user) {
    const choice *c = user;
    (void)part;
    return (!c->folder || strcmp(words->folder, c->folder) == 0) &&
           (!c->name || (*words->owner && strcmp(words->name, c->name) == 0)) &&
           (!c->units || strcmp(field->unit, c->units) == 0);
}

static bool is_in_folder(const ff_field *field, const char *folder, const char *units) {
    trace_words w;
    trace_split(field, &w);
    return chosen(field, &w, 0, &(choice){.folder = folder, .units = units});
}

/* States or outputs, a picture for each unit: `states-m_s.svg` has those in m/s. */
static int draw_by_units(const trace *t, const args *a, const char *folder, const char *what,
                         const char *title) {
    int status = 0;
    for (size_t i = 1; i < t->set_count && !status; i++) {
        const ff_field f = trace_field(t, i);
        const char *units = f.unit;
        bool first = is_in_folder(&f, what, units);
        for (size_t j = 1; j < i && first; j++) {
            const ff_field before = trace_field(t, j);
            first = !is_in_folder(&before, what, units);
        }
        if (first) {
            char name[FF_FIELD_UNIT + 32], label[FF_FIELD_UNIT + 32] = "value";
            if (*units) {
                snprintf(label, sizeof label, "value (%s)", units);
            }
            snprintf(name, sizeof name, "%s%s%s.svg", what, *units ? "-" : "", units);
            for (char *c = name; *c; c++) {
                *c = strchr("/ ^", *c) ? '_' : *c;
            }
            status = trace_draw(t, a, folder, name, title, label, chosen,
                                &(choice){.folder = what, .units = units});
        }
    }
    return status;
}

int trace_plot_inclusion(const trace *t, const args *a, const char *folder) {
    static const struct {
        const char *name, *title, *label;
        choice of;
    } pictures[] = {{"gap.svg", "Gaps", "gap (m)", {.name = "gap"}},
                    {"force.svg", "Forces", "force (N)", {.name = "force"}},
                    {"slip.svg", "Slip velocities", "velocity (m/s)", {.name = "slip"}},
                    {"touching.svg", "Contacts (1: force acts)", "", {.name = "touching"}},
                    {"slipping.svg", "Frictions (1: slips)", "", {.name = "slips"}}};
    int status = trace_folder(a, folder);
    status = status ? status : draw_by_units(t, a, folder, "states", "States");
    status = status ? status : draw_by_units(t, a, folder, "outputs", "Outputs");
    for (size_t i = 0; i < sizeof pictures / sizeof *pictures && !status; i++) {
        status = trace_draw(t, a, folder, pictures[i].name, pictures[i].title, pictures[i].label,
                            chosen, &pictures[i].of);
    }
    return status ? status : trace_draw_energy(t, a, folder);
}
