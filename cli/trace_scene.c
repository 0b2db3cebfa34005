/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "trace.h"
#include <math.h>
#include <string.h>

static const trace_field body_fields[] = {
    {"position", "m", 3, {"x", "y", "z"}},
    {"orientation", "1", 4, {"qw", "qx", "qy", "qz"}},
    {"velocity", "m/s", 3, {"vx", "vy", "vz"}},
    {"omega", "rad/s", 3, {"wx", "wy", "wz"}},
};

static const trace_field contact_fields[] = {
    {"touching", "1", 1, {"touching"}},
    {"depth", "m", 1, {"depth"}},
    {"rate", "m/s", 1, {"rate"}},
    {"point", "m", 3, {"point_x", "point_y", "point_z"}},
    {"elastic_force", "N", 1, {"elastic_force"}},
    {"viscous_force", "N", 1, {"viscous_force"}},
    {"force", "N", 3, {"fx", "fy", "fz"}},
    {"slip", "m/s", 3, {"slip_x", "slip_y", "slip_z"}},
    {"u", "m", 3, {"u_x", "u_y", "u_z"}},
    {"slips", "1", 1, {"slips"}},
};

enum {
    BODY = sizeof body_fields / sizeof *body_fields,
    CONTACT = sizeof contact_fields / sizeof *contact_fields
};

/* Changes are measured against how far a field has gone, but at least against this: rounding errors of what
 * stays where it is are no change. The scales are guesses of the largest values; a thousandth of them is far
 * above what tolerances leave. */
static double field_scale(const trace_field *f, double length, double speed, double force) {
    const char *unit = f->units;
    return 1e-3 * (strcmp(unit, "m") == 0       ? length
                   : strcmp(unit, "m/s") == 0   ? speed
                   : strcmp(unit, "rad/s") == 0 ? speed / length
                   : strcmp(unit, "N") == 0     ? force
                                                : 1);
}

static double time_of(const trace *t) { return ff_sim_time(t->run); }

static void observe(trace *t, double time) { ff_sim_observe(t->run, time); }

static ff_ledger ledger(const trace *t) { return ff_sim_ledger(t->run); }

static const char *pair(const trace *t, const ff_event *event) {
    bool of_pair = event->kind != FF_USER && event->contact >= 0;
    return of_pair ? ff_model_contact_name(t->of, (size_t)event->contact) : NULL;
}

static void fill(trace *t) {
    const ff_sim *sim = t->run;
    double *row = t->row + 1;
    for (size_t i = 0; i < ff_model_body_count(t->of); i++) {
        ff_motion m = ff_sim_body(sim, i);
        memcpy(row, m.position, sizeof m.position);
        memcpy(row + 3, m.orientation, sizeof m.orientation);
        memcpy(row + 7, m.velocity, sizeof m.velocity);
        memcpy(row + 10, m.omega, sizeof m.omega);
        row += 13;
    }
    for (size_t i = 0; i < ff_model_contact_count(t->of); i++) {
        ff_contact_record c = ff_sim_contact(sim, i);
        double head[] = {c.touching, c.depth,    c.rate,    c.point[0],
                         c.point[1], c.point[2], c.elastic, c.viscous};
        memcpy(row, head, sizeof head);
        memcpy(row + 8, c.force, sizeof c.force);
        memcpy(row + 11, c.slip, sizeof c.slip);
        memcpy(row + 14, c.u, sizeof c.u);
        row[17] = c.slips;
        row += 18;
    }
    ff_ledger l = ff_sim_ledger(sim);
    trace_fill_ledger(t, &l, row);
}

static const trace_kind scene = {time_of, observe, fill, ledger, pair};

bool trace_init(trace *t, const ff_model *model, ff_sim *sim, const trace_choice *choice) {
    *t = (trace){.kind = &scene, .of = model, .run = sim, .choice = *choice};
    size_t bodies = ff_model_body_count(model), contacts = ff_model_contact_count(model);
    if (!trace_begin(t, bodies * BODY + contacts * CONTACT + TRACE_LEDGER)) {
        return false;
    }
    double longest = 0;
    for (size_t i = 0; i < bodies; i++) {
        ff_body_facts b = ff_model_body_facts(model, i);
        longest = fmax(longest, b.length_scale);
        for (size_t j = 0; j < BODY; j++) {
            const trace_field *f = &body_fields[j];
            trace_add(t, &(trace_set){.folder = "bodies",
                                      .owner = ff_model_body_name(model, i),
                                      .field = f,
                                      .scale = field_scale(f, b.length_scale, b.speed_scale, 0)});
        }
    }
    for (size_t i = 0; i < contacts; i++) {
        ff_contact_facts c = ff_model_contact_facts(model, i);
        const char *name = ff_model_contact_name(model, i);
        double force = c.mass * c.speed * c.speed / longest;
        t->pair_width = strlen(name) > t->pair_width ? strlen(name) : t->pair_width;
        for (size_t j = 0; j < CONTACT; j++) {
            const trace_field *f = &contact_fields[j];
            trace_add(t, &(trace_set){.folder = "contacts",
                                      .owner = name,
                                      .field = f,
                                      .scale = field_scale(f, longest, c.speed, force)});
        }
    }
    trace_add_ledger(t);
    return trace_ready(t);
}

/* ---- pictures ---- */

/* whether a column has one of these names, up to a NULL */
static bool called(const trace_set *set, size_t part, const void *user) {
    for (const char *const *name = user; *name; name++) {
        if (set->field->parts[part] && strcmp(set->field->parts[part], *name) == 0) {
            return true;
        }
    }
    return false;
}

int trace_plot(const trace *t, const args *a, const char *folder) {
    static const struct {
        const char *name, *title, *label, *columns[4];
    } pictures[] = {{"height.svg", "Height", "z (m)", {"z"}},
                    {"force.svg", "Contact force", "force (N)", {"fx", "fy", "fz"}},
                    {"slip.svg", "Slip velocity", "velocity (m/s)", {"slip_x", "slip_y", "slip_z"}},
                    {"state.svg", "Contact (1: force acts; 1: slips)", "", {"touching", "slips"}}};
    int status = trace_folder(a, folder);
    for (size_t i = 0; i < sizeof pictures / sizeof *pictures && !status; i++) {
        status = trace_draw(t, a, folder, pictures[i].name, pictures[i].title, pictures[i].label,
                            called, pictures[i].columns);
    }
    return status ? status : trace_draw_energy(t, a, folder);
}
