/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "joints.h"
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

/* What is recorded of a joint: coordinates and rates, by kinds, and what it exerts on its second body at the anchor. */
static const trace_field revolute_fields[] = {
    {"position", "rad", 1, {"angle"}},
    {"rate", "rad/s", 1, {"rate"}},
    {"effort", "N m", 1, {"effort"}},
};
static const trace_field prismatic_fields[] = {
    {"position", "m", 1, {"distance"}},
    {"rate", "m/s", 1, {"speed"}},
    {"effort", "N", 1, {"effort"}},
};
static const trace_field universal_fields[] = {
    {"position", "rad", 2, {"angle1", "angle2"}},
    {"rate", "rad/s", 2, {"rate1", "rate2"}},
};
static const trace_field planar_fields[] = {
    {"position", "m", 2, {"way1", "way2"}},
    {"angle", "rad", 1, {"angle"}},
    {"velocity", "m/s", 2, {"speed1", "speed2"}},
    {"rate", "rad/s", 1, {"rate"}},
};
static const trace_field reaction_fields[] = {
    {"force", "N", 3, {"fx", "fy", "fz"}},
    {"moment", "N m", 3, {"mx", "my", "mz"}},
};

#define KIND(fields)                                                                               \
    { fields, sizeof fields / sizeof *fields }

static const struct {
    const trace_field *fields;
    size_t count;
} joint_kinds[FF_JOINT_KINDS] = {
    [FF_JOINT_REVOLUTE] = KIND(revolute_fields),
    [FF_JOINT_PRISMATIC] = KIND(prismatic_fields),
    [FF_JOINT_UNIVERSAL] = KIND(universal_fields),
    [FF_JOINT_PLANAR] = KIND(planar_fields),
};

/* how far constraints are violated, the worst of them */
static const trace_field violation_fields[] = {
    {"position", "m", 1, {"position"}},
    {"velocity", "m/s", 1, {"velocity"}},
};

enum {
    BODY = sizeof body_fields / sizeof *body_fields,
    CONTACT = sizeof contact_fields / sizeof *contact_fields,
    JOINT = 6, /* at the most */
    REACTION = 2,
    VIOLATION = 2
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
                   : strcmp(unit, "N m") == 0   ? force * length
                                                : 1);
}

static double time_of(const trace *t) { return ff_sim_time(t->run); }

static void observe(trace *t, double time) { ff_sim_observe(t->run, time); }

static ff_ledger ledger(const trace *t) { return ff_sim_ledger(t->run); }

static const char *pair(const trace *t, const ff_event *event) {
    bool of_pair = event->kind != FF_USER && event->contact >= 0;
    return of_pair ? ff_model_contact_name(t->of, (size_t)event->contact) : NULL;
}

/* Adds the numbers of a joint in the order of its fields. */
static double *fill_joint(double *row, ff_joint_facts f, const ff_joint_record *r) {
    size_t size = (size_t)f.coordinates;
    memcpy(row, r->position, size * sizeof *row);
    memcpy(row + size, r->rate, size * sizeof *row);
    row += 2 * size;
    if (f.kind == FF_JOINT_REVOLUTE || f.kind == FF_JOINT_PRISMATIC) {
        *row++ = r->effort;
    }
    if (f.kind != FF_JOINT_FREE) {
        memcpy(row, r->force, sizeof r->force);
        memcpy(row + 3, r->moment, sizeof r->moment);
        row += 6;
    }
    return row;
}

static void fill(trace *t) {
    ff_sim *sim = t->run;
    double *row = t->row + 1;
    for (size_t i = 0; i < t->bodies; i++) {
        ff_motion m = ff_sim_body(sim, trace_body(t, i));
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
    for (size_t i = 0; i < ff_model_joint_count(t->of); i++) {
        ff_joint_record r = ff_sim_joint(sim, i);
        row = fill_joint(row, ff_model_joint_facts(t->of, i), &r);
    }
    if (joints_constrained(t->of)) {
        ff_violation v = ff_sim_violation(sim);
        *row++ = v.position;
        *row++ = v.velocity;
    }
    ff_ledger l = ff_sim_ledger(sim);
    trace_fill_ledger(t, &l, row);
}

static const trace_kind scene = {time_of, observe, fill, ledger, pair};

static void add_joint(trace *t, const ff_model *model, size_t joint) {
    const char *name = ff_model_joint_name(model, joint);
    ff_joint_facts f = ff_model_joint_facts(model, joint);
    ff_body_facts b = ff_model_body_facts(model, (size_t)f.second);
    double length = b.length_scale, speed = b.speed_scale, force = b.mass * speed * speed / length;
    const size_t own = joint_kinds[f.kind].count,
                 count = own + (f.kind != FF_JOINT_FREE ? REACTION : 0);
    for (size_t i = 0; i < count; i++) {
        const trace_field *field =
            i < own ? &joint_kinds[f.kind].fields[i] : &reaction_fields[i - own];
        trace_add(t, &(trace_set){.folder = "joints",
                                  .owner = name,
                                  .field = field,
                                  .scale = field_scale(field, length, speed, force)});
    }
}

size_t trace_body(const trace *t, size_t i) {
    size_t all = ff_model_body_count(t->of);
    return all == t->bodies ? i : (size_t)((double)i * (double)all / (double)t->bodies);
}

bool trace_init(trace *t, const ff_model *model, ff_sim *sim, const trace_choice *choice) {
    size_t bodies = ff_model_body_count(model), contacts = ff_model_contact_count(model);
    bool fewer = choice->bodies_most > 0 && choice->bodies_most < bodies;
    bodies = fewer && ff_model_class_count(model) > 0 ? choice->bodies_most : bodies;
    *t = (trace){.kind = &scene, .of = model, .run = sim, .choice = *choice, .bodies = bodies};
    if (!trace_begin(t, bodies * BODY + contacts * CONTACT + ff_model_joint_count(model) * JOINT +
                            VIOLATION + TRACE_LEDGER)) {
        return false;
    }
    double longest = 0, fastest = 0;
    for (size_t i = 0; i < bodies; i++) {
        size_t body = trace_body(t, i);
        ff_body_facts b = ff_model_body_facts(model, body);
        longest = fmax(longest, b.length_scale);
        fastest = fmax(fastest, b.speed_scale);
        for (size_t j = 0; j < BODY; j++) {
            const trace_field *f = &body_fields[j];
            trace_add(t, &(trace_set){.folder = "bodies",
                                      .owner = ff_model_body_name(model, body),
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
    for (size_t i = 0; i < ff_model_joint_count(model); i++) {
        add_joint(t, model, i);
    }
    for (size_t j = 0; j < VIOLATION && joints_constrained(model); j++) {
        const trace_field *f = &violation_fields[j];
        trace_add(t, &(trace_set){.folder = "constraints",
                                  .field = f,
                                  .scale = field_scale(f, longest, fastest, 0)});
    }
    trace_add_ledger(t);
    return trace_ready(t);
}

/* ---- pictures ---- */

typedef struct {
    const char *name, *title, *label, *folder, *columns[7]; /* columns: up to a NULL */
} picture;

static bool is_in(const trace_set *set, size_t part, const void *user) {
    const picture *p = user;
    const char *name = set->field->parts[part];
    bool found = false;
    for (size_t i = 0; p->columns[i] && name; i++) {
        found = found || strcmp(name, p->columns[i]) == 0;
    }
    return found && set->folder && strcmp(set->folder, p->folder) == 0;
}

int trace_plot(const trace *t, const args *a, const char *folder) {
    static const picture pictures[] = {
        {"height.svg", "Height", "z (m)", "bodies", {"z"}},
        {"force.svg", "Contact force", "force (N)", "contacts", {"fx", "fy", "fz"}},
        {"slip.svg", "Slip velocity", "velocity (m/s)", "contacts", {"slip_x", "slip_y", "slip_z"}},
        {"state.svg", "Contact (1: force acts; 1: slips)", "", "contacts", {"touching", "slips"}},
        {"joints.svg",
         "Joints",
         "angle (rad), distance (m)",
         "joints",
         {"angle", "angle1", "angle2", "distance", "way1", "way2"}}};
    int status = trace_folder(a, folder);
    for (size_t i = 0; i < sizeof pictures / sizeof *pictures && !status; i++) {
        const picture *p = &pictures[i];
        status = trace_draw(t, a, folder, p->name, p->title, p->label, is_in, p);
    }
    return status ? status : trace_draw_energy(t, a, folder);
}
