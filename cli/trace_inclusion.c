/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "trace_inclusion.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const trace_field contact_fields[] = {
    {"touching", "1", 1, {0}}, {"gap", "m", 1, {0}}, {"force", "N", 1, {0}}, {"e", "m", 1, {0}}};

/* of friction on a line and in a plane */
static const trace_field friction_fields[2][5] = {{{"slips", "1", 1, {0}},
                                                   {"slip", "m/s", 1, {0}},
                                                   {"force", "N", 1, {0}},
                                                   {"strength", "N", 1, {0}},
                                                   {"a", "m", 1, {0}}},
                                                  {{"slips", "1", 1, {0}},
                                                   {"slip", "m/s", 2, {0}},
                                                   {"force", "N", 2, {0}},
                                                   {"strength", "N", 1, {0}},
                                                   {"a", "m", 2, {0}}}};

enum {
    CONTACT = sizeof contact_fields / sizeof *contact_fields,
    FRICTION = sizeof *friction_fields / sizeof **friction_fields
};

/* a field that the system names */
typedef struct {
    trace_field field;
    char units[FF_EQUATIONS_UNITS];
} named;

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
    trace_fill_ledger(t, &l, row);
}

static const trace_kind inclusion = {time_of, observe, fill, ledger, pair};

static void add_force(trace *t, const char *folder, const char *name, const trace_field *fields,
                      size_t count) {
    t->pair_width = strlen(name) > t->pair_width ? strlen(name) : t->pair_width;
    for (size_t j = 0; j < count; j++) {
        trace_add(t, &(trace_set){.folder = folder, .owner = name, .field = &fields[j]});
    }
}

bool trace_init_inclusion(trace *t, ff_equations *s, ff_sim *inc,
                          const trace_choice *choice) {
    const ff_inclusion_def *def = ff_equations_def(s);
    const size_t states = ff_equations_states(s), outputs = ff_equations_outputs(s);
    *t = (trace){.kind = &inclusion, .of = s, .run = inc, .choice = *choice};
    named *own = t->own = calloc(states + outputs + 1, sizeof *own);
    if (!own || !trace_begin(t, states + outputs + def->dio_count * CONTACT +
                                    def->sgn_count * FRICTION + TRACE_LEDGER)) {
        return false;
    }
    for (size_t i = 0; i < states; i++, own++) {
        ff_equations_state_units(s, i, own->units);
        own->field = (trace_field){ff_equations_state_name(s, i), own->units, 1, {0}};
        trace_add(t, &(trace_set){.folder = "states", .bare = true, .field = &own->field});
    }
    for (size_t i = 0; i < def->dio_count; i++) {
        add_force(t, "contacts", def->dios[i].name, contact_fields, CONTACT);
    }
    for (size_t i = 0; i < def->sgn_count; i++) {
        add_force(t, "frictions", def->sgns[i].name, friction_fields[def->sgns[i].dimension - 1],
                  FRICTION);
    }
    for (size_t i = 0; i < outputs; i++, own++) {
        memcpy(own->units, ff_equations_output_units(s, i), sizeof own->units);
        own->field = (trace_field){
            ff_equations_output_name(s, i), own->units, ff_equations_output_length(s, i), {0}};
        trace_add(t, &(trace_set){.folder = "outputs", .bare = true, .field = &own->field});
    }
    trace_add_ledger(t);
    return trace_ready(t);
}

/* ---- pictures ---- */

/* what a picture shows: a field of forces, or what has these units in a folder */
typedef struct {
    const char *folder, *field, *units;
} choice;

static bool chosen(const trace_set *set, size_t part, const void *user) {
    const choice *c = user;
    (void)part;
    return (!c->folder || strcmp(set->folder, c->folder) == 0) &&
           (!c->field || (set->owner && strcmp(set->field->name, c->field) == 0)) &&
           (!c->units || strcmp(set->field->units, c->units) == 0);
}

/* States or outputs, a picture for each unit: `states-m_s.svg` has those in m/s. */
static int draw_by_units(const trace *t, const args *a, const char *folder, const char *what,
                         const char *title) {
    int status = 0;
    for (size_t i = 1; i < t->set_count && !status; i++) {
        const trace_set *s = &t->sets[i];
        const char *units = s->field->units;
        const choice mine = {.folder = what, .units = units};
        bool first = chosen(s, 0, &mine);
        for (size_t j = 1; j < i && first; j++) {
            first = !chosen(&t->sets[j], 0, &mine);
        }
        if (first) {
            char name[FF_EQUATIONS_UNITS + 32], label[FF_EQUATIONS_UNITS + 32] = "value";
            if (*units) {
                snprintf(label, sizeof label, "value (%s)", units);
            }
            snprintf(name, sizeof name, "%s%s%s.svg", what, *units ? "-" : "", units);
            for (char *c = name; *c; c++) {
                *c = strchr("/ ^", *c) ? '_' : *c;
            }
            status = trace_draw(t, a, folder, name, title, label, chosen, &mine);
        }
    }
    return status;
}

int trace_plot_inclusion(const trace *t, const args *a, const char *folder) {
    static const struct {
        const char *name, *title, *label;
        choice of;
    } pictures[] = {{"gap.svg", "Gaps", "gap (m)", {.field = "gap"}},
                    {"force.svg", "Forces", "force (N)", {.field = "force"}},
                    {"slip.svg", "Slip velocities", "velocity (m/s)", {.field = "slip"}},
                    {"touching.svg", "Contacts (1: force acts)", "", {.field = "touching"}},
                    {"slipping.svg", "Frictions (1: slips)", "", {.field = "slips"}}};
    int status = trace_folder(a, folder);
    status = status ? status : draw_by_units(t, a, folder, "states", "States");
    status = status ? status : draw_by_units(t, a, folder, "outputs", "Outputs");
    for (size_t i = 0; i < sizeof pictures / sizeof *pictures && !status; i++) {
        status = trace_draw(t, a, folder, pictures[i].name, pictures[i].title, pictures[i].label,
                            chosen, &pictures[i].of);
    }
    return status ? status : trace_draw_energy(t, a, folder);
}
